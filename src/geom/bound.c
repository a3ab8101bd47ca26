/* How far a shape reaches, and how round a pair is where it touches. */
#include "geom/geom.h"
#include "geom/hull.h"
#include "geom/parts.h"
#include "math/vec.h"

/* Inside norm_e(x/a, y/b, z/c) <= 1, e the larger exponent, which holds the shape; by Hoelder's
 * inequality no point of that is farther away than this. */
static double superellipsoid_bound(const ff_geom *geom) {
  ff_vec3 s = geom->size;
  double e = fmax(geom->exponents[0], geom->exponents[1]), most = fmax(s.x, fmax(s.y, s.z));
  if (e <= 2) {
    return most;
  }
  double d = 2 * e / (e - 2); /* large next to 2, where only shares of 1 do not vanish */
  return most * pow(pow(s.x / most, d) + pow(s.y / most, d) + pow(s.z / most, d), 1 / d);
}

double ff_geom_bound(const ff_geom *geom) {
  ff_vec3 s = geom->size;
  switch (geom->kind) {
    case FF_SPHERE: return s.x;
    case FF_ELLIPSOID: return fmax(s.x, fmax(s.y, s.z));
    case FF_BOX: return v3_norm(s);
    case FF_CAPSULE: return s.x + s.y;
    case FF_CYLINDER: return sqrt(s.x * s.x + s.y * s.y);
    case FF_SUPERELLIPSOID: return superellipsoid_bound(geom);
    case FF_POLYHEDRON: return geom->hull->bound;
    case FF_INTERSECTION: return geom->parts->bound;
    case FF_HALF_SPACE:
    case FF_SHAPE_KIND_COUNT: break;
  }
  return INFINITY;
}

double ff_geom_thickness(const ff_geom *geom) {
  ff_vec3 s = geom->size;
  switch (geom->kind) {
    case FF_SPHERE:
    case FF_CAPSULE: return s.x;
    case FF_CYLINDER: return fmin(s.x, s.y);
    case FF_ELLIPSOID:
    case FF_BOX: return fmin(s.x, fmin(s.y, s.z));
    case FF_SUPERELLIPSOID: return 0.5 * fmin(s.x, fmin(s.y, s.z));
    case FF_POLYHEDRON: return geom->hull->inside;
    case FF_INTERSECTION: return geom->parts->inside;
    case FF_HALF_SPACE:
    case FF_SHAPE_KIND_COUNT: break;
  }
  return INFINITY;
}

/* The one curvature of a shape at every point it can touch the other with; NAN if there is none. */
static double constant_curvature(const ff_geom *geom, const ff_geom *other) {
  switch (geom->kind) {
    case FF_HALF_SPACE: return 0.0;
    case FF_SPHERE: return 1.0 / geom->size.x;
    case FF_CAPSULE: return other->kind == FF_HALF_SPACE ? 1.0 / geom->size.x : NAN;
    default: return NAN;
  }
}

double ff_geom_radius(const ff_geom *a, const ff_geom *b) {
  if (!ff_geom_can_touch(a->kind, b->kind)) {
    return NAN;
  }
  return 1.0 / (constant_curvature(a, b) + constant_curvature(b, a));
}

/* A mean curvature of a shape that is round everywhere, or, where the other is, at least not
 * sharp; NAN if it is neither. */
static double mean_curvature(const ff_geom *geom) {
  switch (geom->kind) {
    case FF_HALF_SPACE: return 0.0;
    case FF_SPHERE: return 1.0 / geom->size.x;
    case FF_CAPSULE: return 0.5 / geom->size.x;
    case FF_ELLIPSOID: return 1.0 / cbrt(geom->size.x * geom->size.y * geom->size.z);
    default: return NAN;
  }
}

double ff_geom_mean_radius(const ff_geom *a, const ff_geom *b) {
  bool round = a->kind == FF_SPHERE || b->kind == FF_SPHERE || a->kind == FF_ELLIPSOID ||
               b->kind == FF_ELLIPSOID;
  bool known = round && ff_geom_can_touch(a->kind, b->kind);
  return known ? 1.0 / (mean_curvature(a) + mean_curvature(b)) : NAN;
}
