/* What all families share: how deep a plane cuts, who computes what is below it, and how
 * that looks to a law. */
#include "geom/overlap.h"

#include "geom/shape.h"
#include "math/exact.h"

/* ---- reach and depth ----------------------------------------------------------------- */

double ff_geom_reach(const ff_geom *geom, ff_vec3 n) {
  const ff_shape_ops *ops = ff_shapes[geom->kind];
  return ops->reach ? ops->reach(geom, n) : INFINITY;
}

double ff_geom_rise(const ff_geom *geom, ff_vec3 n) {
  return ff_geom_reach(geom, geom->kind == FF_POLYHEDRON ? v3_neg(n) : n);
}

ff_vec3 ff_geom_lowest(const ff_geom *geom, ff_vec3 n) {
  const ff_shape_ops *ops = ff_shapes[geom->kind];
  return ops->lowest ? ops->lowest(geom, n) : v3(0, 0, 0);
}

ff_double2 ff_exact_square_sum(ff_vec3 s, ff_vec3 n) {
  ff_double2 x = exact_product(s.x, n.x), y = exact_product(s.y, n.y), z = exact_product(s.z, n.z);
  return pair_add(pair_add(pair_mul(x, x), pair_mul(y, y)), pair_mul(z, z));
}

/* ff_geom_reach with twice the digits; n need not be unit, the reach grows with it. */
static ff_double2 exact_reach(const ff_geom *geom, ff_vec3 n) {
  const ff_shape_ops *ops = ff_shapes[geom->kind];
  return ops->exact_reach ? ops->exact_reach(geom, n) : (ff_double2){INFINITY, 0};
}

ff_cut ff_geom_cut(const ff_geom *geom, ff_vec3 normal, ff_vec3 point) {
  double per = 1 / v3_norm(normal);
  ff_vec3 unit = v3_scale(per, normal);
  double far = ff_geom_reach(geom, unit), high = v3_dot(point, unit);
  if (fabs(high) < 0.9 * far) { /* cut somewhere in the middle: nothing cancels */
    return (ff_cut){unit, far + high, far - high};
  }
  ff_double2 reach = exact_reach(geom, normal), height = exact_dot(point, normal);
  ff_double2 below = {-height.hi, -height.lo};
  return (ff_cut){unit, pair_add(reach, height).hi * per, pair_add(reach, below).hi * per};
}

/* ---- the overlap ------------------------------------------------------------------------ */

ff_mat3 ff_overlap_flat(const ff_mat3 *second, ff_vec3 normal) {
  ff_vec3 t1 = v3_orthogonal(normal), t2 = v3_cross(normal, t1);
  ff_vec3 s1 = m3_mul(*second, t1), s2 = m3_mul(*second, t2);
  double s11 = v3_dot(t1, s1), s12 = v3_dot(t1, s2), s22 = v3_dot(t2, s2);
  const double a[3] = {t1.x, t1.y, t1.z}, b[3] = {t2.x, t2.y, t2.z};
  ff_mat3 out;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      out.m[i][j] = s11 * a[i] * a[j] + s12 * (a[i] * b[j] + b[i] * a[j]) + s22 * b[i] * b[j];
    }
  }
  return out;
}

/* Second moments of the whole shape about its centre, which is its centroid. */
static ff_mat3 whole_second(const ff_geom *geom) {
  ff_vec3 i = ff_geom_inertia(geom);
  return (ff_mat3){{{0.5 * (i.y + i.z - i.x), 0, 0},
                    {0, 0.5 * (i.z + i.x - i.y), 0},
                    {0, 0, 0.5 * (i.x + i.y - i.z)}}};
}

/* More than half is below: the whole without what is above, which is the mirror image of an
 * overlap as deep as the rest is high. */
static void take_away(const ff_geom *geom, const ff_cut *cut, ff_slab *slab) {
  double above = slab->volume, whole = ff_geom_volume(geom);
  double below = whole - above;
  ff_vec3 centroid = v3_scale(above / below, slab->centroid);
  ff_vec3 apart = v3_add(centroid, slab->centroid);
  double up = v3_dot(apart, cut->normal);
  ff_mat3 second = whole_second(geom), spread = ff_overlap_flat(&second, cut->normal);
  slab->rise = v3_sub(m3_mul(second, cut->normal), slab->rise);
  slab->rise = v3_axpy(slab->rise, -up * below * above / whole, apart);
  apart = v3_axpy(apart, -up, cut->normal);
  const double a[3] = {apart.x, apart.y, apart.z};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      spread.m[i][j] -= slab->spread.m[i][j] + below * above / whole * a[i] * a[j];
    }
  }
  slab->volume = below;
  slab->centroid = centroid;
  slab->centroid_depth = 0.5 * (cut->depth - cut->rest) - v3_dot(cut->normal, centroid);
  slab->spread = spread;
}

void ff_geom_overlap(const ff_geom *geom, const ff_cut *cut, ff_slab *out) {
  ff_overlap_family *family = ff_shapes[geom->kind]->overlap;
  *out = (ff_slab){0};
  if (!family) {
    return;
  }
  if (!(cut->depth > 0)) { /* what is not a number stays none */
    double nothing = isnan(cut->depth) ? cut->depth : 0;
    *out = (ff_slab){.volume = nothing, .area = nothing, .centroid_depth = nothing};
    out->centroid = ff_geom_lowest(geom, cut->normal);
    return;
  }
  if (ff_shapes[geom->kind]->overlap_any || !(cut->depth > cut->rest)) {
    family(geom, cut, out);
    return;
  }
  if (cut->rest > 0) {
    family(geom, &(ff_cut){cut->normal, cut->rest, cut->depth}, out);
  }
  take_away(geom, cut, out);
}

ff_mat3 ff_overlap_moments(const ff_mat3 *spread) {
  const double(*m)[3] = spread->m;
  return (ff_mat3){{{m[1][1] + m[2][2], -m[0][1], -m[0][2]},
                    {-m[1][0], m[2][2] + m[0][0], -m[1][2]},
                    {-m[2][0], -m[2][1], m[0][0] + m[1][1]}}};
}

ff_overlap ff_overlap_seen(const ff_slab *slab, ff_vec3 t1, ff_vec3 t2) {
  ff_vec3 s1 = m3_mul(slab->spread, t1), s2 = m3_mul(slab->spread, t2);
  double s11 = v3_dot(t1, s1), s12 = v3_dot(t1, s2), s22 = v3_dot(t2, s2);
  return (ff_overlap){.volume = slab->volume,
                      .area = slab->area,
                      .centroid_depth = slab->centroid_depth,
                      .second = {{s11 + s22, 0, 0}, {0, s22, -s12}, {0, -s12, s11}}};
}

/* ---- as a contact -------------------------------------------------------------------------- */

bool ff_geom_can_overlap(ff_shape_kind a, ff_shape_kind b) {
  ff_shape_kind solid = a == FF_HALF_SPACE ? b : a;
  return (a == FF_HALF_SPACE) != (b == FF_HALF_SPACE) && ff_shapes[solid]->overlap;
}

int ff_geom_touch_overlap(const ff_geom *a, const ff_pose *pose_a, const ff_pose *pose_b,
                          bool printed, ff_touch *out, ff_overlap *overlap, ff_edge *edges) {
  ff_vec3 normal = q_axis_z(pose_b->orientation), t1 = q_axis_x(pose_b->orientation);
  ff_mat3 turn = q_matrix(pose_a->orientation);
  ff_cut cut = {.normal = m3_tmul(turn, normal)};
  double height = v3_dot(normal, v3_sub(pose_a->position, pose_b->position));
  cut.depth = ff_geom_reach(a, cut.normal) - height;
  cut.rest = ff_geom_rise(a, cut.normal) + height;
  ff_slab slab;
  ff_geom_overlap(a, &cut, &slab);
  *out = (ff_touch){.point = v3_add(pose_a->position, m3_mul(turn, slab.centroid)),
                    .normal = normal,
                    .t1 = t1,
                    .depth = cut.depth};
  ff_vec3 s1 = m3_tmul(turn, t1), s2 = v3_cross(cut.normal, s1);
  int count = edges ? ff_geom_edges(a, &cut, &slab, s1, s2, edges) : 0;
  if (printed && cut.depth > 0) {
    ff_overlap_spread_printed(a, &cut, &slab.spread);
  }
  *overlap = ff_overlap_seen(&slab, s1, s2);
  return count;
}
