/* Ellipsoid. size: semi-axes. */
#include "geom/shape.h"
#include "math/elementary.h"

static double ellipsoid_bound(const ff_geom *geom) {
  return fmax(geom->size.x, fmax(geom->size.y, geom->size.z));
}

static double ellipsoid_thickness(const ff_geom *geom) {
  return fmin(geom->size.x, fmin(geom->size.y, geom->size.z));
}

static double ellipsoid_volume(const ff_geom *geom) {
  ff_vec3 s = geom->size;
  return 4.0 / 3.0 * ff_pi * s.x * s.y * s.z;
}

static ff_vec3 ellipsoid_inertia(const ff_geom *geom) {
  ff_vec3 s = geom->size;
  return ff_inertia_of_planes(v3_scale(ellipsoid_volume(geom) / 5.0, v3_mul(s, s)));
}

static ff_vec3 ellipsoid_support(const ff_geom *geom, ff_vec3 n) {
  ff_vec3 sn = v3_mul(geom->size, n);
  return v3_scale(1 / v3_norm(sn), v3_mul(geom->size, sn));
}

static double ellipsoid_mean_curvature(const ff_geom *geom) {
  return 1.0 / ff_cbrt(geom->size.x * geom->size.y * geom->size.z);
}

static void ellipsoid_rule(const ff_geom *geom, int rule, ff_vec3 x, ff_rule *out) {
  (void)rule;
  ff_rule_quadric(geom->size, ellipsoid_thickness(geom), x, out);
}

static bool ellipsoid_line(const ff_geom *geom, ff_vec3 p, ff_vec3 v, double *enter,
                           double *leave) {
  ff_vec3 stretch = v3(1 / geom->size.x, 1 / geom->size.y, 1 / geom->size.z);
  return ff_line_tell(ff_line_in_ball(v3_mul(stretch, p), v3_mul(stretch, v), 1), enter, leave);
}

static double ellipsoid_reach(const ff_geom *geom, ff_vec3 n) {
  return v3_norm(v3_mul(geom->size, n));
}

static ff_double2 ellipsoid_exact_reach(const ff_geom *geom, ff_vec3 n) {
  return pair_sqrt(ff_exact_square_sum(geom->size, n));
}

static ff_vec3 ellipsoid_lowest(const ff_geom *geom, ff_vec3 n) {
  ff_vec3 sn = v3_mul(geom->size, n);
  return v3_scale(-1.0 / v3_norm(sn), v3_mul(geom->size, sn));
}

const ff_shape_ops ff_shape_ellipsoid = {.name = "ellipsoid",
                                         .sizes = {FF_SIZE_WORDS("first semi-axis"),
                                                   FF_SIZE_WORDS("second semi-axis"),
                                                   FF_SIZE_WORDS("third semi-axis")},
                                         .on_plane = ff_collide_ellipsoid_plane,
                                         .plane_points = 1,
                                         .bound = ellipsoid_bound,
                                         .thickness = ellipsoid_thickness,
                                         .volume = ellipsoid_volume,
                                         .inertia = ellipsoid_inertia,
                                         .support = ellipsoid_support,
                                         .mean_curvature = ellipsoid_mean_curvature,
                                         .rules = 1,
                                         .rule = ellipsoid_rule,
                                         .exit = ff_exit_by_line,
                                         .line = ellipsoid_line,
                                         .reach = ellipsoid_reach,
                                         .exact_reach = ellipsoid_exact_reach,
                                         .lowest = ellipsoid_lowest,
                                         .overlap = ff_overlap_ellipsoid,
                                         .overlap_any = true,
                                         .outline = ff_outline_ellipse};
