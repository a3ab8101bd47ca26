/* Capsule. size.x: radius, size.y: half length of the axis segment (z). */
#include "geom/shape.h"

static double capsule_bound(const ff_geom *geom) {
  return geom->size.x + geom->size.y;
}

static double capsule_thickness(const ff_geom *geom) {
  return geom->size.x;
}

static double ends_volume(double r) {
  return 4.0 / 3.0 * ff_pi * r * r * r;
}

static double capsule_volume(const ff_geom *geom) {
  double r = geom->size.x;
  return 2.0 * ff_pi * r * r * geom->size.y + ends_volume(r);
}

/* The cylinder between the ends, and a ball cut in two and pulled apart by the half
 * length h. Moving a half ball, whose centroid is 3/8 r from its flat side, along z
 * turns its mean z^2 = r^2/5 into r^2/5 + 2 h (3/8 r) + h^2. */
static ff_vec3 capsule_inertia(const ff_geom *geom) {
  double r = geom->size.x, half = geom->size.y, across = r * r / 5.0;
  double along = across + 0.75 * r * half + half * half;
  ff_vec3 ends = v3_scale(ends_volume(r), v3(across, across, along));
  return ff_inertia_of_planes(v3_add(ff_cylinder_planes(r, half), ends));
}

static ff_vec3 capsule_support(const ff_geom *geom, ff_vec3 n) {
  ff_vec3 round = v3_scale(geom->size.x / v3_norm(n), n);
  return v3(round.x, round.y, round.z + ff_side_of(n.z) * geom->size.y);
}

static double capsule_curvature(const ff_geom *geom, const ff_geom *other) {
  return other->kind == FF_HALF_SPACE ? 1.0 / geom->size.x : NAN; /* its ends */
}

static double capsule_mean_curvature(const ff_geom *geom) {
  return 0.5 / geom->size.x;
}

static void capsule_rule(const ff_geom *geom, int rule, ff_vec3 x, ff_rule *out) {
  double r = geom->size.x, half = geom->size.y;
  bool end = fabs(x.z) > half;
  (void)rule;
  ff_vec3 from = v3(x.x, x.y, end ? x.z - copysign(half, x.z) : 0);
  out->slope = v3_scale(1 / r, from);
  out->value = 0.5 * (v3_dot(from, out->slope) - r);
  out->bend = (ff_mat3){{{1 / r, 0, 0}, {0, 1 / r, 0}, {0, 0, end ? 1 / r : 0}}};
}

static bool capsule_line(const ff_geom *geom, ff_vec3 p, ff_vec3 v, double *enter, double *leave) {
  double r = geom->size.x, half = geom->size.y;
  ff_line_part ends = ff_line_either(ff_line_in_ball(v3(p.x, p.y, p.z - half), v, r),
                                     ff_line_in_ball(v3(p.x, p.y, p.z + half), v, r));
  ff_line_part middle = ff_line_in_cylinder(p, v, r, half);
  return ff_line_tell(middle.from <= middle.to ? ff_line_either(ends, middle) : ends, enter, leave);
}

static double capsule_reach(const ff_geom *geom, ff_vec3 n) {
  return geom->size.x + geom->size.y * fabs(n.z);
}

static ff_double2 capsule_exact_reach(const ff_geom *geom, ff_vec3 n) {
  ff_double2 ball =
      pair_mul((ff_double2){geom->size.x, 0}, pair_sqrt(ff_exact_square_sum(v3(1, 1, 1), n)));
  return pair_add(ball, exact_product(geom->size.y, fabs(n.z)));
}

static ff_vec3 capsule_lowest(const ff_geom *geom, ff_vec3 n) {
  return v3_add(v3_scale(-geom->size.x, n), v3(0, 0, geom->size.y * ff_low_side(n.z)));
}

const ff_shape_ops ff_shape_capsule = {
    .name = "capsule",
    .sizes = {FF_SIZE_WORDS("radius"), FF_SIZE_WORDS("half length")},
    .facets = FF_FACETS_AXIS,
    .on_plane = ff_collide_capsule_plane,
    .plane_points = 2,
    .bound = capsule_bound,
    .thickness = capsule_thickness,
    .volume = capsule_volume,
    .inertia = capsule_inertia,
    .support = capsule_support,
    .curvature = capsule_curvature,
    .mean_curvature = capsule_mean_curvature,
    .rules = 1,
    .rule = capsule_rule,
    .exit = ff_exit_by_line,
    .line = capsule_line,
    .reach = capsule_reach,
    .exact_reach = capsule_exact_reach,
    .lowest = capsule_lowest,
    .overlap = ff_overlap_capsule,
    .outline = ff_outline_round};
