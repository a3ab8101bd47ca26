/* Box. size: half extents. */
#include "geom/shape.h"

static double box_bound(const ff_geom *geom) {
  return v3_norm(geom->size);
}

static double box_thickness(const ff_geom *geom) {
  return fmin(geom->size.x, fmin(geom->size.y, geom->size.z));
}

static double box_volume(const ff_geom *geom) {
  return 8.0 * geom->size.x * geom->size.y * geom->size.z;
}

static ff_vec3 box_inertia(const ff_geom *geom) {
  ff_vec3 s = geom->size;
  return ff_inertia_of_planes(v3_scale(box_volume(geom) / 3.0, v3_mul(s, s)));
}

static ff_vec3 box_support(const ff_geom *geom, ff_vec3 n) {
  ff_vec3 s = geom->size;
  return v3(ff_side_of(n.x) * s.x, ff_side_of(n.y) * s.y, ff_side_of(n.z) * s.z);
}

/* Rules, faces: 2 axis + positive side. */
static void box_rule(const ff_geom *geom, int rule, ff_vec3 x, ff_rule *out) {
  double n[3] = {0, 0, 0};
  const double half[3] = {geom->size.x, geom->size.y, geom->size.z};
  n[rule / 2] = rule % 2 ? 1 : -1;
  ff_rule_flat(v3_load(n), half[rule / 2], x, out);
}

static double box_value(const ff_geom *geom, int rule, ff_vec3 x) {
  const double half[3] = {geom->size.x, geom->size.y, geom->size.z}, at[3] = {x.x, x.y, x.z};
  return (rule % 2 ? at[rule / 2] : -at[rule / 2]) - half[rule / 2];
}

static bool box_line(const ff_geom *geom, ff_vec3 p, ff_vec3 v, double *enter, double *leave) {
  ff_vec3 s = geom->size;
  ff_line_part yz = ff_line_both(ff_line_in_slab(p.y, v.y, s.y), ff_line_in_slab(p.z, v.z, s.z));
  return ff_line_tell(ff_line_both(ff_line_in_slab(p.x, v.x, s.x), yz), enter, leave);
}

static double box_reach(const ff_geom *geom, ff_vec3 n) {
  ff_vec3 s = geom->size;
  return s.x * fabs(n.x) + s.y * fabs(n.y) + s.z * fabs(n.z);
}

static ff_double2 box_exact_reach(const ff_geom *geom, ff_vec3 n) {
  return exact_dot(geom->size, v3(fabs(n.x), fabs(n.y), fabs(n.z)));
}

static ff_vec3 box_lowest(const ff_geom *geom, ff_vec3 n) {
  ff_vec3 s = geom->size;
  return v3(s.x * ff_low_side(n.x), s.y * ff_low_side(n.y), s.z * ff_low_side(n.z));
}

static bool box_face(const ff_geom *geom, ff_vec3 x, ff_vec3 *normal, double *height,
                     double *beside) {
  const double over[3] = {fabs(x.x) - geom->size.x, fabs(x.y) - geom->size.y,
                          fabs(x.z) - geom->size.z};
  int k = over[1] > over[0] ? 1 : 0;
  k = over[2] > over[k] ? 2 : k;
  *height = over[k];
  *beside = fmax(over[(k + 1) % 3], over[(k + 2) % 3]);
  *normal = v3(k == 0 ? copysign(1, x.x) : 0, k == 1 ? copysign(1, x.y) : 0,
               k == 2 ? copysign(1, x.z) : 0);
  return true;
}

const ff_shape_ops ff_shape_box = {.name = "box",
                                   .sizes = {FF_SIZE_WORDS("first half extent"),
                                             FF_SIZE_WORDS("second half extent"),
                                             FF_SIZE_WORDS("third half extent")},
                                   .facets = FF_FACETS_SELF,
                                   .face = box_face,
                                   .on_plane = ff_collide_box_plane,
                                   .plane_points = 8,
                                   .bound = box_bound,
                                   .thickness = box_thickness,
                                   .volume = box_volume,
                                   .inertia = box_inertia,
                                   .support = box_support,
                                   .rules = 6,
                                   .rule = box_rule,
                                   .value = box_value,
                                   .line = box_line,
                                   .reach = box_reach,
                                   .exact_reach = box_exact_reach,
                                   .lowest = box_lowest,
                                   .overlap = ff_overlap_box,
                                   .outline = ff_outline_box};
