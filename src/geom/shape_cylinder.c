/* Cylinder. size.x: radius, size.y: half height (z). */
#include "geom/shape.h"

static double cylinder_bound(const ff_geom *geom) {
  ff_vec3 s = geom->size;
  return sqrt(s.x * s.x + s.y * s.y);
}

static double cylinder_thickness(const ff_geom *geom) {
  return fmin(geom->size.x, geom->size.y);
}

static double cylinder_volume(const ff_geom *geom) {
  return 2.0 * ff_pi * geom->size.x * geom->size.x * geom->size.y;
}

/* r^2/4, r^2/4, h^2/3 times the volume. */
ff_vec3 ff_cylinder_planes(double radius, double half) {
  double across = 0.25 * radius * radius, volume = 2.0 * ff_pi * radius * radius * half;
  return v3_scale(volume, v3(across, across, half * half / 3.0));
}

static ff_vec3 cylinder_inertia(const ff_geom *geom) {
  return ff_inertia_of_planes(ff_cylinder_planes(geom->size.x, geom->size.y));
}

static ff_vec3 cylinder_support(const ff_geom *geom, ff_vec3 n) {
  double across = sqrt(n.x * n.x + n.y * n.y), r = across > 0 ? geom->size.x / across : 0;
  return v3(r * n.x, r * n.y, ff_side_of(n.z) * geom->size.y);
}

/* Rules: side, cap at -z, cap at +z. */
static void cylinder_rule(const ff_geom *geom, int rule, ff_vec3 x, ff_rule *out) {
  double r = geom->size.x;
  if (rule == 0) {
    ff_rule_quadric(v3(r, r, INFINITY), r, x, out);
  } else {
    ff_rule_flat(v3(0, 0, rule == 1 ? -1 : 1), geom->size.y, x, out);
  }
}

static double cylinder_value(const ff_geom *geom, int rule, ff_vec3 x) {
  if (rule > 0) {
    return (rule == 1 ? -x.z : x.z) - geom->size.y;
  }
  ff_rule side;
  cylinder_rule(geom, 0, x, &side);
  return side.value;
}

static bool cylinder_line(const ff_geom *geom, ff_vec3 p, ff_vec3 v, double *enter, double *leave) {
  return ff_line_tell(ff_line_in_cylinder(p, v, geom->size.x, geom->size.y), enter, leave);
}

static double cylinder_exit(const ff_geom *geom, ff_vec3 from, ff_vec3 direction, int *rule) {
  double leave = ff_exit_by_line(geom, from, direction, rule);
  ff_geom_value(geom, v3_axpy(from, leave, direction), rule);
  return leave;
}

static double cylinder_reach(const ff_geom *geom, ff_vec3 n) {
  return geom->size.x * sqrt(n.x * n.x + n.y * n.y) + geom->size.y * fabs(n.z);
}

static ff_double2 cylinder_exact_reach(const ff_geom *geom, ff_vec3 n) {
  ff_double2 disc =
      pair_mul((ff_double2){geom->size.x, 0}, pair_sqrt(ff_exact_square_sum(v3(1, 1, 0), n)));
  return pair_add(disc, exact_product(geom->size.y, fabs(n.z)));
}

static ff_vec3 cylinder_lowest(const ff_geom *geom, ff_vec3 n) {
  double flat = sqrt(n.x * n.x + n.y * n.y), r = flat > 0 ? -geom->size.x / flat : 0;
  return v3(r * n.x, r * n.y, geom->size.y * ff_low_side(n.z));
}

static bool cylinder_face(const ff_geom *geom, ff_vec3 x, ff_vec3 *normal, double *height,
                          double *beside) {
  *height = fabs(x.z) - geom->size.y;
  *beside = sqrt(x.x * x.x + x.y * x.y) - geom->size.x;
  *normal = v3(0, 0, copysign(1, x.z));
  return true;
}

const ff_shape_ops ff_shape_cylinder = {
    .name = "cylinder",
    .sizes = {FF_SIZE_WORDS("radius"), FF_SIZE_WORDS("half height")},
    .facets = FF_FACETS_PRISM,
    .bound = cylinder_bound,
    .thickness = cylinder_thickness,
    .volume = cylinder_volume,
    .inertia = cylinder_inertia,
    .support = cylinder_support,
    .face = cylinder_face,
    .rules = 3,
    .rule = cylinder_rule,
    .value = cylinder_value,
    .exit = cylinder_exit,
    .line = cylinder_line,
    .reach = cylinder_reach,
    .exact_reach = cylinder_exact_reach,
    .lowest = cylinder_lowest,
    .overlap = ff_overlap_cylinder,
    .outline = ff_outline_round};
