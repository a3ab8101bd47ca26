/* How points of links move with the joints, in world axes. */
#include "tree/tree.h"

#include <string.h>

static void put(double *to, size_t n, int at, ff_vec3 angular, ff_vec3 linear) {
  const double values[6] = {angular.x, angular.y, angular.z, linear.x, linear.y, linear.z};
  for (size_t row = 0; row < 6; row++) {
    to[row * n + (size_t)at] = values[row];
  }
}

void ff_tree_jacobian(const ff_tree_work *work, int link, ff_vec3 point, double *jacobian) {
  const ff_tree *tree = work->tree;
  size_t n = (size_t)tree->v_count;
  memset(jacobian, 0, 6 * n * sizeof *jacobian);
  for (int j = link; j > 0; j = tree->links[j].parent) {
    ff_pose pose = work->pose[j];
    ff_vec3 arm = v3_sub(point, pose.position);
    for (int k = tree->links[j].v_at; k < tree->links[j].v_at + tree->links[j].v_count; k++) {
      ff_vec3 angular = q_rotate(pose.orientation, work->s[k].a);
      ff_vec3 linear = q_rotate(pose.orientation, work->s[k].l);
      put(jacobian, n, k, angular, v3_add(linear, v3_cross(angular, arm)));
    }
  }
}

/* A column's axis turns with its link and moves in it; the arm from the joint to the point
 * changes as both move. */
void ff_tree_jacobian_rate(const ff_tree_work *work, int link, ff_vec3 point, double *rate) {
  const ff_tree *tree = work->tree;
  size_t n = (size_t)tree->v_count;
  memset(rate, 0, 6 * n * sizeof *rate);
  ff_vec3 offset = v3_sub(point, work->pose[link].position);
  ff_vec3 moves = v3_add(ff_tree_velocity(work, link), v3_cross(ff_tree_omega(work, link), offset));
  for (int j = link; j > 0; j = tree->links[j].parent) {
    ff_pose pose = work->pose[j];
    ff_vec3 arm = v3_sub(point, pose.position);
    ff_vec3 arm_rate = v3_sub(moves, ff_tree_velocity(work, j));
    ff_vec3 omega = work->v[j].a;
    for (int k = tree->links[j].v_at; k < tree->links[j].v_at + tree->links[j].v_count; k++) {
      ff_sv s = work->s[k], ring = work->s_ring[k];
      ff_vec3 angular = q_rotate(pose.orientation, s.a);
      ff_vec3 turned = q_rotate(pose.orientation, v3_add(ring.a, v3_cross(omega, s.a)));
      ff_vec3 slid = q_rotate(pose.orientation, v3_add(ring.l, v3_cross(omega, s.l)));
      put(rate, n, k, turned,
          v3_add(slid, v3_add(v3_cross(turned, arm), v3_cross(angular, arm_rate))));
    }
  }
}
