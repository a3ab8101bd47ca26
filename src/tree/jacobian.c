/* Point Jacobians of links and their rates, in world axes. */
#include "tree/tree.h"

#include <string.h>

/* Adds to a column: a coordinate may move a point through several joints. */
static void jacobian_add_column(double *to, size_t n, int at, ff_vec3 angular, ff_vec3 linear) {
  const double values[6] = {angular.x, angular.y, angular.z, linear.x, linear.y, linear.z};
  for (size_t row = 0; row < 6; row++) {
    to[row * n + (size_t)at] += values[row];
  }
}

void ff_tree_jacobian(const ff_tree_work *work, int link, ff_vec3 point, double *jacobian) {
  const ff_tree *tree = work->tree;
  size_t n = (size_t)tree->v_count;
  memset(jacobian, 0, 6 * n * sizeof *jacobian);
  for (int j = link < tree->count ? link : 0; j > 0; j = tree->links[j].parent) {
    const ff_tree_link_data *at = &tree->links[j];
    ff_vec3 arm = v3_sub(point, work->pose[j].position);
    for (int k = 0; k < at->v_count; k++) {
      ff_sv s = work->s[at->s_at + k];
      jacobian_add_column(jacobian, n, at->v_at + k, s.a, v3_add(s.l, v3_cross(s.a, arm)));
    }
  }
}

int ff_tree_point_columns(const ff_tree_work *work, int link, ff_vec3 point, ff_vec3 *columns,
                          ff_vec3 *turns) {
  const ff_tree *tree = work->tree;
  bool follows =
      tree->s_count > tree->v_count; /* a coordinate may move it through several joints */
  int tip = follows ? tree->v_count - 1 : -1;
  if (follows) {
    memset(columns, 0, (size_t)tree->v_count * sizeof *columns);
    memset(turns, 0, (size_t)tree->v_count * sizeof *turns);
  }
  for (int j = link; j > 0; j = tree->links[j].parent) {
    const ff_tree_link_data *at = &tree->links[j];
    ff_vec3 arm = v3_sub(point, work->pose[j].position);
    for (int k = 0; k < at->v_count; k++) {
      ff_sv s = work->s[at->s_at + k];
      ff_vec3 moves = v3_add(s.l, v3_cross(s.a, arm));
      int to = at->v_at + k;
      columns[to] = follows ? v3_add(columns[to], moves) : moves;
      turns[to] = follows ? v3_add(turns[to], s.a) : s.a;
    }
    tip = tip < 0 && at->v_count > 0 ? at->v_at + at->v_count - 1 : tip;
  }
  return tip;
}

/* Rate of the Jacobian: the axis of a column moves with its link; the arm from the joint to the
 * point changes with both. */
void ff_tree_jacobian_rate(const ff_tree_work *work, int link, ff_vec3 point, double *rate) {
  const ff_tree *tree = work->tree;
  size_t n = (size_t)tree->v_count;
  memset(rate, 0, 6 * n * sizeof *rate);
  if (link < 0 || link >= tree->count) {
    return;
  }
  ff_vec3 offset = v3_sub(point, work->pose[link].position);
  ff_vec3 moves = sv_motion_to(offset, work->v[link]).l;
  for (int j = link; j > 0; j = tree->links[j].parent) {
    const ff_tree_link_data *at = &tree->links[j];
    ff_vec3 arm = v3_sub(point, work->pose[j].position);
    ff_vec3 arm_rate = v3_sub(moves, work->v[j].l);
    ff_vec3 omega = work->v[j].a;
    for (int k = 0; k < at->v_count; k++) {
      ff_sv s = work->s[at->s_at + k], ring = work->s_ring[at->s_at + k];
      ff_vec3 turned = v3_add(ring.a, v3_cross(omega, s.a));
      ff_vec3 slid = v3_add(ring.l, v3_cross(omega, s.l));
      jacobian_add_column(rate, n, at->v_at + k, turned,
                          v3_add(slid, v3_add(v3_cross(turned, arm), v3_cross(s.a, arm_rate))));
    }
  }
}
