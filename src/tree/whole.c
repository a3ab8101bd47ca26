/* Whole-tree quantities: centre of mass, momentum, energy, zero-moment point. */
#include "tree/tree.h"

ff_tree_motion ff_tree_whole(const ff_tree_work *work, ff_vec3 gravity) {
  const ff_tree *tree = work->tree;
  const ff_tree_sums *sums = &work->sums;
  double share = tree->mass > 0 ? 1 / tree->mass : 0, rotors = 0;
  for (int k = 0; tree->rotors && k < tree->v_count; k++) {
    rotors += tree->armature[k] * work->rates[k] * work->rates[k];
  }
  ff_tree_motion out = {.com = v3_scale(share, sums->moment),
                        .velocity = v3_scale(share, sums->momentum.l),
                        .linear = sums->momentum.l,
                        .kinetic = sums->kinetic + 0.5 * rotors,
                        .gravity = -v3_dot(gravity, sums->moment)};
  out.angular = v3_sub(sums->momentum.a, v3_cross(out.com, out.linear));
  return out;
}

ff_vec3 ff_center_of_pressure(ff_vec3 force, ff_vec3 torque, ff_vec3 origin, ff_vec3 normal) {
  double press = v3_dot(normal, force);
  if (!(fabs(press) > 0)) {
    return v3(NAN, NAN, NAN);
  }
  /* normal x (torque - p x force) = 0 for p in the plane */
  ff_vec3 moment = v3_sub(torque, v3_cross(origin, force));
  return v3_axpy(origin, 1 / press, v3_cross(normal, moment));
}

ff_vec3 ff_tree_zero_moment_point(ff_tree_work *work, const double *a, ff_vec3 gravity,
                                  ff_vec3 origin, ff_vec3 normal) {
  /* Total wrench that the ground transmits. */
  ff_tree_inverse_dynamics(work, a, gravity, NULL, work->rest);
  ff_tree_wrench ground = ff_tree_carried_wrench(work);
  return ff_center_of_pressure(ground.force, ground.torque, origin, normal);
}
