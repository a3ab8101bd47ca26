/* Manifold of a polyhedron on a half-space: K is bounded below by the polyhedron's lower side
 * alone, its samples are vertices of it, with the weights that they have on a wide face. The normal
 * is that of the half-space, which has no core. */
#include "geom/manifold_parts.h"
#include "geom/overlay.h"
#include "math/spatial.h"

/* Depth, point and gradient of the depth of a vertex at a place. */
static void set_plane_depth(ff_sample *at, const ff_pose *plane, ff_vec3 place) {
  ff_vec3 n = q_axis_z(plane->orientation);
  at->normal = at->along = n;
  at->depth = -v3_dot(n, v3_sub(place, plane->position));
  at->point = v3_axpy(place, 0.5 * at->depth, n);
  at->d_depth = (ff_gradient){.shift = v3_neg(n)};
}

int ff_manifold_plane(const ff_geom *a, const ff_pose *pose_a, const ff_pose *plane, double margin,
                      ff_manifold *out) {
  ff_polytope body;
  ff_overlay_sample found[FF_SAMPLES_MAX];
  ff_mat3 turn = q_matrix(plane->orientation), back = m3_transpose(turn);
  ff_vec3 n = q_axis_z(plane->orientation), t1 = q_axis_x(plane->orientation);
  ff_vec3 apart = v3_sub(pose_a->position, plane->position);
  *out = (ff_manifold){.normal = n,
                       .depth = ff_geom_bound(a) - v3_dot(n, apart),
                       .law_units = FF_LAW_UNITS_FLAT,
                       .spin = {NAN, NAN}};
  out->gap = -out->depth;
  if (!(out->depth > -margin)) {
    return 0;
  }
  ff_polytope_place(&body, a, m3_product(back, q_matrix(pose_a->orientation)), m3_mul(back, apart));
  out->depth = -INFINITY;
  out->count = ff_overlay_plane(&body, margin, FF_SAMPLES_MAX, found);
  for (int i = 0; i < out->count; i++) {
    const ff_overlay_sample *from = &found[i];
    ff_sample *at = &out->samples[i];
    *at = (ff_sample){.id = from->id, .t1 = t1, .curvature = {INFINITY, INFINITY}};
    at->weight = FF_LAW_UNITS_FLAT * from->weight;
    set_plane_depth(at, plane, pose_point(*pose_a, a->hull->vertices[from->id.a]));
    const ff_gradient d_weight = {v3_scale(FF_LAW_UNITS_FLAT, m3_mul(turn, from->d_weight_shift)),
                                  v3_scale(FF_LAW_UNITS_FLAT, m3_mul(turn, from->d_weight.turn))};
    at->d_weight = ff_gradient_about(d_weight, plane->position, at->point);
    out->depth = greater(out->depth, at->depth);
  }
  out->gap = -out->depth;
  return out->count;
}

void ff_manifold_plane_evaluate(const ff_geom *a, const ff_pose *pose_a, const ff_pose *plane,
                                ff_manifold *io, ff_sample_rates *rates) {
  ff_vec3 n = q_axis_z(plane->orientation);
  for (int i = 0; i < io->count; i++) {
    ff_sample *at = &io->samples[i];
    ff_vec3 place = pose_point(*pose_a, a->hull->vertices[at->id.a]);
    set_plane_depth(at, plane, place);
    for (int k = 0; rates && k < 6; k++) {
      ff_vec3 axis = v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
      ff_vec3 moved = k < 3 ? axis : v3_cross(axis, v3_sub(place, pose_a->position));
      m3_set_column(&rates[i].point[k / 3], k % 3, v3_axpy(moved, -0.5 * v3_dot(n, moved), n));
      m3_set_column(&rates[i].along[k / 3], k % 3, v3(0, 0, 0));
    }
  }
}
