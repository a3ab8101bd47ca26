/* Convex polyhedron: hull of its vertices. size: half extents about the origin. */
#include "base/report.h"
#include "geom/facets.h"
#include "geom/hull.h"
#include "geom/shape.h"

static ff_status polyhedron_make(ff_geom *out, ff_pose *frame, ff_arena *arena,
                                 const ff_shape_def *def, ff_report *report) {
  if (def->vertex_count < 4 || !def->vertices) {
    return ff_report_what(report, "a polyhedron has at least 4 vertices");
  }
  double most = 0;
  for (int i = 0; i < def->vertex_count; i++) {
    ff_vec3 v = def->vertices[i];
    if (!v3_finite(v)) {
      return ff_report_what(report, "every vertex must be finite");
    }
    most = fmax(most, fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z))));
  }
  if (!(most > 1e-90 && most < 1e90)) { /* products of three must be numbers, too */
    return ff_report_what(report, "the vertices are all at one place or out of all bounds");
  }
  ff_hull *hull = ff_arena_take(arena, 1, sizeof *hull);
  if (!hull) {
    return FF_ERROR_MEMORY;
  }
  ff_status status = ff_hull_make(hull, frame, arena, def->vertices, def->vertex_count, report);
  status = status == FF_OK ? ff_hull_erode_inner(hull, FF_CORE_MARGIN, arena) : status;
  out->hull = hull;
  double extent[3] = {0, 0, 0};
  for (int i = 0; status == FF_OK && i < hull->vertex_count; i++) {
    extent[0] = fmax(extent[0], fabs(hull->vertices[i].x));
    extent[1] = fmax(extent[1], fabs(hull->vertices[i].y));
    extent[2] = fmax(extent[2], fabs(hull->vertices[i].z));
  }
  out->size = v3_load(extent);
  return status;
}

static double polyhedron_bound(const ff_geom *geom) {
  return geom->hull->bound;
}

static double polyhedron_thickness(const ff_geom *geom) {
  return geom->hull->inside;
}

static double polyhedron_volume(const ff_geom *geom) {
  return geom->hull->volume;
}

static ff_vec3 polyhedron_inertia(const ff_geom *geom) {
  return geom->hull->inertia;
}

static ff_vec3 polyhedron_support(const ff_geom *geom, ff_vec3 n) {
  const ff_hull *hull = geom->hull;
  int best = 0;
  double most = v3_dot(n, hull->vertices[0]);
  for (int i = 1; i < hull->vertex_count; i++) {
    double far = v3_dot(n, hull->vertices[i]);
    if (far > most) {
      most = far;
      best = i;
    }
  }
  return hull->vertices[best];
}

/* Rules: faces. */
static int polyhedron_rule_count(const ff_geom *geom) {
  return geom->hull->face_count;
}

static void polyhedron_rule(const ff_geom *geom, int rule, ff_vec3 x, ff_rule *out) {
  ff_rule_flat(geom->hull->normal[rule], geom->hull->offset[rule], x, out);
}

static double polyhedron_value(const ff_geom *geom, int rule, ff_vec3 x) {
  return v3_dot(geom->hull->normal[rule], x) - geom->hull->offset[rule];
}

static ff_vec3 polyhedron_lowest(const ff_geom *geom, ff_vec3 n) {
  return ff_hull_lowest(geom->hull, n);
}

static double polyhedron_reach(const ff_geom *geom, ff_vec3 n) {
  return -v3_dot(n, polyhedron_lowest(geom, n));
}

static bool polyhedron_face(const ff_geom *geom, ff_vec3 x, ff_vec3 *normal, double *height,
                            double *beside) {
  const ff_hull *hull = geom->hull;
  *height = *beside = -INFINITY;
  for (int k = 0; k < hull->face_count; k++) {
    double over = v3_dot(hull->normal[k], x) - hull->offset[k];
    *beside = over > *height ? *height : fmax(over, *beside);
    *normal = over > *height ? hull->normal[k] : *normal;
    *height = fmax(over, *height);
  }
  if (*height > 0) {
    ff_vec3 foot = v3_axpy(x, -*height, *normal);
    *beside = ff_hull_above(hull, foot) - 1e-15 * hull->bound; /* excludes the face itself */
  }
  return true;
}

const ff_shape_ops ff_shape_polyhedron = {.name = "polyhedron",
                                          .facets = FF_FACETS_SELF,
                                          .make = polyhedron_make,
                                          .face = polyhedron_face,
                                          .bound = polyhedron_bound,
                                          .thickness = polyhedron_thickness,
                                          .volume = polyhedron_volume,
                                          .inertia = polyhedron_inertia,
                                          .support = polyhedron_support,
                                          .rule_count = polyhedron_rule_count,
                                          .rule = polyhedron_rule,
                                          .value = polyhedron_value,
                                          .reach = polyhedron_reach,
                                          .lowest = polyhedron_lowest,
                                          .overlap = ff_overlap_hull,
                                          .overlap_any = true,
                                          .outline = ff_outline_hull};
