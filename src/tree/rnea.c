/* Inverse dynamics by the recursive Newton-Euler algorithm [Featherstone08 sec. 5.3]. */
#include "tree/tree.h"

void ff_tree_inverse_dynamics(ff_tree_work *work, const double *a, ff_vec3 gravity,
                              const ff_tree_wrench *wrenches, double *tau) {
  const ff_tree *tree = work->tree;
  /* Outward: accelerations, gravity as an upward acceleration of the ground, and the force
   * that each link needs. */
  work->a[0] = (ff_sv){{0, 0, 0}, v3_neg(gravity)};
  work->f[0] = sv_zero();
  for (int i = 1; i < tree->count; i++) {
    const ff_tree_link_data *link = &tree->links[i];
    ff_sv acceleration = sv_add(sx_motion(&work->x[i], work->a[link->parent]), work->c[i]);
    for (int k = link->v_at; k < link->v_at + link->v_count; k++) {
      acceleration = sv_axpy(acceleration, a[k], work->s[k]);
    }
    work->a[i] = acceleration;
    /* f = I a + v x* I v - f_outside */
    ff_sv momentum = si_mul(&link->inertia, work->v[i]);
    ff_sv force =
        sv_add(si_mul(&link->inertia, acceleration), sv_cross_force(work->v[i], momentum));
    work->f[i] = wrenches ? sv_sub(force, ff_wrench_seen(work, i, &wrenches[i - 1])) : force;
  }
  /* Inward: each joint carries what is beyond it. */
  for (int i = tree->count - 1; i > 0; i--) {
    const ff_tree_link_data *link = &tree->links[i];
    for (int k = link->v_at; k < link->v_at + link->v_count; k++) {
      tau[k] = sv_dot(work->s[k], work->f[i]) + tree->armature[k] * a[k];
    }
    ff_sv *carried = &work->f[link->parent];
    *carried = sv_add(*carried, sx_force_back(&work->x[i], work->f[i]));
  }
}
