/* Volume and inertia of the solid shapes at unit density. */
#include "geom/geom.h"
#include "geom/hull.h"
#include "geom/parts.h"
#include "math/vec.h"

/* Of an ellipsoid with these semi-axes; a sphere has three equal ones. */
static double ellipsoid_volume(ff_vec3 s) {
  return 4.0 / 3.0 * ff_pi * s.x * s.y * s.z;
}

static double cylinder_volume(double radius, double half) {
  return 2.0 * ff_pi * radius * radius * half;
}

/* Moments of a body whose second moments about the planes of symmetry are p:
 * p.x is the integral of x^2 over the volume, and so on. */
static ff_vec3 moments(ff_vec3 p) {
  return v3(p.y + p.z, p.z + p.x, p.x + p.y);
}

/* Integrals of x^2, y^2, z^2 over a cylinder: r^2/4, r^2/4, h^2/3 times the volume. */
static ff_vec3 cylinder_planes(double radius, double half) {
  double across = 0.25 * radius * radius;
  return v3_scale(cylinder_volume(radius, half), v3(across, across, half * half / 3.0));
}

/* The cylinder between the ends, and a ball cut in two and pulled apart by the half
 * length h. Moving a half ball, whose centroid is 3/8 r from its flat side, along z
 * turns its mean z^2 = r^2/5 into r^2/5 + 2 h (3/8 r) + h^2. */
static ff_vec3 capsule_planes(double radius, double half) {
  double across = radius * radius / 5.0;
  double along = across + 0.75 * radius * half + half * half;
  double ends = ellipsoid_volume(v3(radius, radius, radius));
  return v3_add(cylinder_planes(radius, half), v3_scale(ends, v3(across, across, along)));
}

/* Integral of x^i y^j over the quarter of the plane's ball |x|^p + |y|^p <= 1, by Dirichlet. */
static double quarter(double i, double j, double p) {
  double a = (i + 1) / p, b = (j + 1) / p;
  return tgamma(a) * tgamma(b) / (tgamma(1 + a + b) * p * p);
}

/* Integral of z^i r^j over 0 <= z <= 1 with r = (1 - z^q)^(1/q). */
static double upright(double i, double j, double q) {
  double a = (i + 1) / q, b = j / q + 1;
  return tgamma(a) * tgamma(b) / (tgamma(a + b) * q);
}

/* Sections across z are balls of the plane with radius r(z), stretched to a and b. */
static double superellipsoid_volume(const ff_geom *geom) {
  double p = geom->exponents[0], q = geom->exponents[1];
  ff_vec3 s = geom->size;
  return 8 * s.x * s.y * s.z * quarter(0, 0, p) * upright(0, 2, q);
}

static ff_vec3 superellipsoid_planes(const ff_geom *geom) {
  double p = geom->exponents[0], q = geom->exponents[1];
  ff_vec3 s = geom->size;
  double across = quarter(2, 0, p) * upright(0, 4, q), along = quarter(0, 0, p) * upright(2, 2, q);
  return v3_scale(8 * s.x * s.y * s.z,
                  v3(s.x * s.x * across, s.y * s.y * across, s.z * s.z * along));
}

double ff_geom_volume(const ff_geom *geom) {
  ff_vec3 s = geom->size;
  ff_vec3 ball = v3(s.x, s.x, s.x);
  switch (geom->kind) {
    case FF_SPHERE: return ellipsoid_volume(ball);
    case FF_ELLIPSOID: return ellipsoid_volume(s);
    case FF_BOX: return 8.0 * s.x * s.y * s.z;
    case FF_CAPSULE: return cylinder_volume(s.x, s.y) + ellipsoid_volume(ball);
    case FF_CYLINDER: return cylinder_volume(s.x, s.y);
    case FF_SUPERELLIPSOID: return superellipsoid_volume(geom);
    case FF_POLYHEDRON: return geom->hull->volume;
    case FF_INTERSECTION: return geom->parts->volume;
    case FF_HALF_SPACE:
    case FF_SHAPE_KIND_COUNT: break;
  }
  return 0.0;
}

ff_vec3 ff_geom_inertia(const ff_geom *geom) {
  ff_vec3 s = geom->size;
  ff_vec3 ball = v3(s.x, s.x, s.x);
  double volume = ff_geom_volume(geom);
  switch (geom->kind) {
    case FF_SPHERE: return moments(v3_scale(volume / 5.0, v3_mul(ball, ball)));
    case FF_ELLIPSOID: return moments(v3_scale(volume / 5.0, v3_mul(s, s)));
    case FF_BOX: return moments(v3_scale(volume / 3.0, v3_mul(s, s)));
    case FF_CAPSULE: return moments(capsule_planes(s.x, s.y));
    case FF_CYLINDER: return moments(cylinder_planes(s.x, s.y));
    case FF_SUPERELLIPSOID: return moments(superellipsoid_planes(geom));
    case FF_POLYHEDRON: return geom->hull->inertia;
    case FF_INTERSECTION: return geom->parts->inertia;
    case FF_HALF_SPACE:
    case FF_SHAPE_KIND_COUNT: break;
  }
  return v3(0.0, 0.0, 0.0);
}
