/* Sphere. size.x: radius. */
#include "geom/shape.h"

static double sphere_radius(const ff_geom *geom) {
  return geom->size.x;
}

static double sphere_volume(const ff_geom *geom) {
  double r = geom->size.x;
  return 4.0 / 3.0 * ff_pi * r * r * r;
}

static ff_vec3 sphere_inertia(const ff_geom *geom) {
  ff_vec3 r = v3(geom->size.x, geom->size.x, geom->size.x);
  return ff_inertia_of_planes(v3_scale(sphere_volume(geom) / 5.0, v3_mul(r, r)));
}

static ff_vec3 sphere_support(const ff_geom *geom, ff_vec3 n) {
  return v3_scale(geom->size.x / v3_norm(n), n);
}

static double sphere_curvature(const ff_geom *geom, const ff_geom *other) {
  (void)other;
  return 1.0 / geom->size.x;
}

static double sphere_mean_curvature(const ff_geom *geom) {
  return 1.0 / geom->size.x;
}

static void sphere_rule(const ff_geom *geom, int rule, ff_vec3 x, ff_rule *out) {
  double r = geom->size.x;
  (void)rule;
  ff_rule_quadric(v3(r, r, r), r, x, out);
}

static bool sphere_line(const ff_geom *geom, ff_vec3 p, ff_vec3 v, double *enter, double *leave) {
  return ff_line_tell(ff_line_in_ball(p, v, geom->size.x), enter, leave);
}

static double sphere_reach(const ff_geom *geom, ff_vec3 n) {
  (void)n;
  return geom->size.x;
}

static ff_double2 sphere_exact_reach(const ff_geom *geom, ff_vec3 n) {
  return pair_mul((ff_double2){geom->size.x, 0}, pair_sqrt(ff_exact_square_sum(v3(1, 1, 1), n)));
}

static ff_vec3 sphere_lowest(const ff_geom *geom, ff_vec3 n) {
  return v3_scale(-geom->size.x, n);
}

const ff_shape_ops ff_shape_sphere = {.name = "sphere",
                                      .sizes = {FF_SIZE_WORDS("radius")},
                                      .on_plane = ff_collide_sphere_plane,
                                      .plane_points = 1,
                                      .bound = sphere_radius,
                                      .thickness = sphere_radius,
                                      .volume = sphere_volume,
                                      .inertia = sphere_inertia,
                                      .support = sphere_support,
                                      .curvature = sphere_curvature,
                                      .mean_curvature = sphere_mean_curvature,
                                      .rules = 1,
                                      .rule = sphere_rule,
                                      .exit = ff_exit_by_line,
                                      .line = sphere_line,
                                      .reach = sphere_reach,
                                      .exact_reach = sphere_exact_reach,
                                      .lowest = sphere_lowest,
                                      .overlap = ff_overlap_ellipsoid,
                                      .overlap_any = true,
                                      .outline = ff_outline_ellipse};
