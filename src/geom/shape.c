/* The row of each shape, and what follows from it. */
#include "geom/shape.h"

#include "base/report.h"

const ff_shape_ops *const ff_shapes[FF_SHAPE_KIND_COUNT] = {
    [FF_HALF_SPACE] = &ff_shape_half_space,
    [FF_SPHERE] = &ff_shape_sphere,
    [FF_ELLIPSOID] = &ff_shape_ellipsoid,
    [FF_BOX] = &ff_shape_box,
    [FF_CAPSULE] = &ff_shape_capsule,
    [FF_CYLINDER] = &ff_shape_cylinder,
    [FF_SUPERELLIPSOID] = &ff_shape_superellipsoid,
    [FF_POLYHEDRON] = &ff_shape_polyhedron,
    [FF_INTERSECTION] = &ff_shape_intersection,
    [FF_CONE] = &ff_shape_cone,
};

static bool is_shape_kind(ff_shape_kind kind) {
  return (unsigned)kind < FF_SHAPE_KIND_COUNT;
}

const char *ff_shape_kind_name(ff_shape_kind kind) {
  return is_shape_kind(kind) ? ff_shapes[kind]->name : "unknown";
}

const char *ff_geom_check(const ff_geom *geom) {
  if (!is_shape_kind(geom->kind)) {
    return "kind of shape is not known";
  }
  const ff_shape_ops *ops = ff_shapes[geom->kind];
  const double size[3] = {geom->size.x, geom->size.y, geom->size.z};
  for (int i = 0; i < 3 && ops->sizes[i].name; i++) {
    if (!isfinite(size[i])) {
      return ops->sizes[i].finite;
    }
    if (!(size[i] > 0.0)) {
      return ops->sizes[i].positive;
    }
  }
  return ops->check ? ops->check(geom) : NULL;
}

ff_status ff_geom_make(ff_geom *out, ff_pose *frame, ff_arena *arena, const ff_shape_def *def,
                       ff_report *report) {
  *out = (ff_geom){.kind = def->kind, .size = def->size};
  out->exponents[0] = def->exponents[0];
  out->exponents[1] = def->exponents[1];
  *frame = (ff_pose){{0, 0, 0}, q_identity()};
  const char *wrong = ff_geom_check(out);
  if (wrong) {
    return ff_report_what(report, "%s", wrong);
  }
  const ff_shape_ops *ops = ff_shapes[def->kind];
  return ops->make ? ops->make(out, frame, arena, def, report) : FF_OK;
}

double ff_geom_bound(const ff_geom *geom) {
  const ff_shape_ops *ops = ff_shapes[geom->kind];
  return ops->bound ? ops->bound(geom) : INFINITY;
}

double ff_geom_thickness(const ff_geom *geom) {
  const ff_shape_ops *ops = ff_shapes[geom->kind];
  return ops->thickness ? ops->thickness(geom) : INFINITY;
}

double ff_geom_volume(const ff_geom *geom) {
  const ff_shape_ops *ops = ff_shapes[geom->kind];
  return ops->volume ? ops->volume(geom) : 0;
}

ff_vec3 ff_geom_inertia(const ff_geom *geom) {
  const ff_shape_ops *ops = ff_shapes[geom->kind];
  return ops->inertia ? ops->inertia(geom) : v3(0, 0, 0);
}

ff_vec3 ff_geom_support(const ff_geom *geom, ff_vec3 direction) {
  return ff_shapes[geom->kind]->support(geom, direction);
}

/* ---- curvature of a pair ---- */

static double constant_curvature(const ff_geom *geom, const ff_geom *other) {
  const ff_shape_ops *ops = ff_shapes[geom->kind];
  return ops->curvature ? ops->curvature(geom, other) : NAN;
}

double ff_geom_radius(const ff_geom *a, const ff_geom *b) {
  if (ff_manifold_limit(a->kind, b->kind) == 0) {
    return NAN;
  }
  return 1.0 / (constant_curvature(a, b) + constant_curvature(b, a));
}

static double mean_curvature_of(const ff_geom *geom) {
  const ff_shape_ops *ops = ff_shapes[geom->kind];
  return ops->mean_curvature ? ops->mean_curvature(geom) : NAN;
}

double ff_geom_mean_radius(const ff_geom *a, const ff_geom *b) {
  bool round = a->kind == FF_SPHERE || b->kind == FF_SPHERE || a->kind == FF_ELLIPSOID ||
               b->kind == FF_ELLIPSOID;
  bool known = round && ff_manifold_limit(a->kind, b->kind) > 0;
  return known ? 1.0 / (mean_curvature_of(a) + mean_curvature_of(b)) : NAN;
}
