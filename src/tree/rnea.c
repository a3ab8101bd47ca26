/* Inverse dynamics by the recursive Newton-Euler algorithm [Featherstone08 sec. 5.3]. */
#include "tree/tree.h"

#include <string.h>

void ff_tree_inverse_dynamics(ff_tree_work *work, const double *a, ff_vec3 gravity,
                              const ff_tree_wrench *wrenches, double *tau) {
  const ff_tree *tree = work->tree;
  /* Outward pass: accelerations, with gravity as an upward acceleration of the ground, and the net
   * force of each link. */
  work->a[0] = (ff_sv){work->base.a.a, v3_sub(work->base.a.l, gravity)};
  work->f[0] = sv_zero();
  for (int i = 1; i < tree->count; i++) {
    const ff_tree_link_data *link = &tree->links[i];
    ff_sv acceleration = sv_add(sv_motion_to(work->r[i], work->a[link->parent]), work->c[i]);
    for (int k = 0; a && k < link->v_count; k++) {
      acceleration = sv_axpy(acceleration, a[link->v_at + k], work->s[link->s_at + k]);
    }
    work->a[i] = acceleration;
    /* f = I a + v x* I v - f_external */
    ff_sv force = sv_add(si_mul(&work->inertia[i], acceleration),
                         sv_cross_force(work->v[i], work->momentum[i]));
    work->f[i] = wrenches ? sv_sub(force, ff_wrench_force(&wrenches[i - 1])) : force;
  }
  /* Inward pass: each joint transmits the force of its subtree. */
  for (int k = 0; k < tree->v_count; k++) {
    tau[k] = a ? tree->armature[k] * a[k] : 0;
  }
  for (int i = tree->count - 1; i > 0; i--) {
    const ff_tree_link_data *link = &tree->links[i];
    const ff_sv *s = work->s + link->s_at;
    if (link->hinge) { /* rotation only */
      tau[link->v_at] += v3_dot(s->a, work->f[i].a);
    } else {
      for (int k = 0; k < link->v_count; k++) {
        tau[link->v_at + k] += sv_dot(s[k], work->f[i]);
      }
    }
    ff_sv *carried = &work->f[link->parent];
    *carried = sv_add(*carried, sv_force_back(work->r[i], work->f[i]));
  }
}

ff_tree_wrench ff_tree_carried_wrench(const ff_tree_work *work) {
  ff_sv carried = sv_force_back(work->pose[0].position, work->f[0]);
  return (ff_tree_wrench){carried.l, carried.a};
}
