/* Forward dynamics by the articulated-body algorithm [Featherstone08 sec. 7.3].
 *
 * The joint's D = S^T I^A S is used through its Cholesky factor, D = G G^T: with W = U G^-T the
 * inertia that is felt through the joint is I^A - W W^T. work->u holds W, work->d the rows of G
 * and work->rest the vector G^-1 u.
 */
#include "tree/tree.h"

/* Factors D into rows of G, W and G^-1 u of one joint. False if D is not positive. */
static bool open_joint(ff_tree_work *work, const ff_tree_link_data *link, ff_sv bias,
                       const ff_sa *inertia, const double *tau) {
  for (int j = 0; j < link->v_count; j++) {
    int at = link->v_at + j;
    const ff_sv *s = &work->s[link->v_at], *w = &work->u[link->v_at];
    double *row = &work->d[(size_t)at * FF_JOINT_DOF];
    ff_sv column = sa_mul(inertia, s[j]); /* U */
    double rest = tau[at] - sv_dot(s[j], bias);
    /* Row j of G: what S_j feels of the columns before is S_j . W_l. */
    double pivot = sv_dot(s[j], column) + work->tree->armature[at] + work->added[at];
    for (int l = 0; l < j; l++) {
      row[l] = sv_dot(s[j], w[l]);
      pivot -= row[l] * row[l];
      column = sv_axpy(column, -row[l], w[l]);
      rest -= row[l] * work->rest[link->v_at + l];
    }
    if (!(pivot > 0)) {
      return false;
    }
    row[j] = sqrt(pivot);
    double scale = 1 / row[j];
    work->u[at] = sv_axpy(sv_zero(), scale, column);
    work->rest[at] = scale * rest;
  }
  return true;
}

/* What the parent feels of link i through its joint. */
static void add_to_parent(ff_tree_work *work, int i) {
  const ff_tree_link_data *link = &work->tree->links[i];
  ff_sa inertia = work->ia[i];
  for (int k = link->v_at; k < link->v_at + link->v_count; k++) {
    sa_outer_add(&inertia, -1, work->u[k], work->u[k]);
  }
  ff_sv bias = sv_add(work->f[i], sa_mul(&inertia, work->c[i]));
  for (int k = link->v_at; k < link->v_at + link->v_count; k++) {
    bias = sv_axpy(bias, work->rest[k], work->u[k]);
  }
  work->ia[link->parent] = sa_add(work->ia[link->parent], sa_back(&work->x[i], &inertia));
  ff_sv *carried = &work->f[link->parent];
  *carried = sv_add(*carried, sx_force_back(&work->x[i], bias));
}

/* Joint accelerations from the parent's: G^-T (G^-1 u - W^T a'). */
static void accelerate(ff_tree_work *work, int i, double *a) {
  const ff_tree_link_data *link = &work->tree->links[i];
  ff_sv moved = sv_add(sx_motion(&work->x[i], work->a[link->parent]), work->c[i]);
  work->a[i] = moved;
  for (int j = link->v_count - 1; j >= 0; j--) {
    int at = link->v_at + j;
    double value = work->rest[at] - sv_dot(work->u[at], moved);
    for (int l = j + 1; l < link->v_count; l++) {
      value -= work->d[(size_t)(link->v_at + l) * FF_JOINT_DOF + (size_t)j] * a[link->v_at + l];
    }
    a[at] = value / work->d[(size_t)at * FF_JOINT_DOF + (size_t)j];
    work->a[i] = sv_axpy(work->a[i], a[at], work->s[at]);
  }
}

bool ff_tree_forward_dynamics(ff_tree_work *work, const double *tau, ff_vec3 gravity,
                              const ff_tree_wrench *wrenches, double *a) {
  const ff_tree *tree = work->tree;
  for (int i = 0; i < tree->count; i++) {
    const ff_si *inertia = &tree->links[i].inertia;
    work->ia[i] = sa_of_rigid(inertia);
    work->f[i] = sv_cross_force(work->v[i], si_mul(inertia, work->v[i]));
    if (wrenches && i > 0) {
      work->f[i] = sv_sub(work->f[i], ff_wrench_seen(work, i, &wrenches[i - 1]));
    }
  }
  for (int i = tree->count - 1; i > 0; i--) {
    if (!open_joint(work, &tree->links[i], work->f[i], &work->ia[i], tau)) {
      return false;
    }
    if (tree->links[i].parent > 0) {
      add_to_parent(work, i);
    }
  }
  work->a[0] = (ff_sv){{0, 0, 0}, v3_neg(gravity)};
  for (int i = 1; i < tree->count; i++) {
    accelerate(work, i, a);
  }
  return true;
}

double *ff_tree_added_inertia(ff_tree_work *work) {
  return work->added;
}

/* Across the joint of a root link goes f = I^A a + p^A. */
ff_tree_wrench ff_tree_ground_wrench(const ff_tree_work *work) {
  ff_tree_wrench sum = {{0, 0, 0}, {0, 0, 0}};
  for (int i = 1; i < work->tree->count; i++) {
    if (work->tree->links[i].parent == 0) {
      ff_sv carried = sv_add(sa_mul(&work->ia[i], work->a[i]), work->f[i]);
      ff_pose pose = work->pose[i];
      ff_vec3 force = q_rotate(pose.orientation, carried.l);
      ff_vec3 torque = q_rotate(pose.orientation, carried.a);
      sum.force = v3_add(sum.force, force);
      sum.torque = v3_add(sum.torque, v3_add(torque, v3_cross(pose.position, force)));
    }
  }
  return sum;
}
