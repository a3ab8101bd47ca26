/* The tree as one: centre of mass, momentum, energy, and where the ground must push. */
#include "tree/tree.h"

/* A force vector of a link (or its momentum) about the world's origin, in world axes. */
static ff_sv to_world(ff_pose pose, ff_sv f) {
  ff_vec3 force = q_rotate(pose.orientation, f.l);
  return (ff_sv){v3_add(q_rotate(pose.orientation, f.a), v3_cross(pose.position, force)), force};
}

ff_tree_motion ff_tree_whole(const ff_tree_work *work, ff_vec3 gravity) {
  const ff_tree *tree = work->tree;
  ff_tree_motion out = {.kinetic = 0};
  ff_vec3 moment = {0, 0, 0};
  ff_sv momentum = sv_zero();
  for (int i = 1; i < tree->count; i++) {
    const ff_si *inertia = &tree->links[i].inertia;
    ff_sv own = si_mul(inertia, work->v[i]);
    moment = v3_add(moment, v3_axpy(q_rotate(work->pose[i].orientation, inertia->h), inertia->m,
                                    work->pose[i].position));
    momentum = sv_add(momentum, to_world(work->pose[i], own));
    out.kinetic += 0.5 * sv_dot(work->v[i], own);
  }
  for (int k = 0; k < tree->v_count; k++) {
    out.kinetic += 0.5 * tree->armature[k] * work->rates[k] * work->rates[k];
  }
  double share = tree->mass > 0 ? 1 / tree->mass : 0;
  out.com = v3_scale(share, moment);
  out.velocity = v3_scale(share, momentum.l);
  out.linear = momentum.l;
  out.angular = v3_sub(momentum.a, v3_cross(out.com, momentum.l));
  out.gravity = -v3_dot(gravity, moment);
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
  /* What the ground passes on to all links together. */
  ff_tree_inverse_dynamics(work, a, gravity, NULL, work->rest);
  return ff_center_of_pressure(work->f[0].l, work->f[0].a, origin, normal);
}
