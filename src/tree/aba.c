/* Forward dynamics by the articulated-body algorithm [Featherstone08 sec. 7.3].
 *
 * D = S^T I^A S of a joint is used through its Cholesky factor, D = G G^T: with W = U G^-T the
 * articulated inertia passed to the parent is I^A - W W^T. work->u holds W, work->d the rows of G
 * (the reciprocals on its diagonal) and work->rest the vector G^-1 u. */
#include "tree/tree.h"

#include <string.h>

/* ---- revolute joints ------------------------------------------------------------------------- */

/* Specialisation of aba_factor_joint for S = (axis, 0): W and G^-1 u. False if D is not positive.
 */
static bool aba_factor_revolute(ff_tree_work *work, const ff_tree_link_data *link,
                                const ff_sv *bias, const ff_sa *inertia, const double *tau) {
  int at = link->v_at;
  ff_vec3 axis = work->s[at].a;
  ff_sv column = {s3_mul(&inertia->i, axis), m3_tmul(inertia->h, axis)};
  double pivot = v3_dot(axis, column.a) + work->tree->armature[at] + work->added[at];
  if (!(pivot > 0)) {
    return false;
  }
  double root = sqrt(pivot), scale = 1 / root;
  work->d[(size_t)at * FF_JOINT_DOF] = scale;
  work->u[at] = (ff_sv){v3_scale(scale, column.a), v3_scale(scale, column.l)};
  work->rest[at] = scale * (tau[at] - v3_dot(axis, bias->a));
  return true;
}

static void aba_accelerate_revolute(ff_tree_work *work, const ff_tree_link_data *link, ff_sv moved,
                                    int i, double *a) {
  int at = link->v_at;
  a[at] = (work->rest[at] - sv_dot(work->u[at], moved)) * work->d[(size_t)at * FF_JOINT_DOF];
  moved.a = v3_axpy(moved.a, a[at], work->s[at].a);
  work->more[i] = moved;
}

/* ---- free joints ----------------------------------------------------------------------------- */

/* Does the joint have six free directions and no armature, so that only its own tau passes to the
 * parent? */
static bool aba_is_free(const ff_tree_work *work, const ff_tree_link_data *link) {
  if (link->joint.kind != FF_JOINT_FREE) {
    return false;
  }
  double held = 0;
  for (int k = link->v_at; k < link->v_at + link->v_count; k++) {
    held += work->tree->armature[k] + work->added[k];
  }
  return held == 0;
}

/* The link and its subtree accelerate as one body: I^A a = tau - p. False if I^A is not positive
 * definite. The force on the parent is tau, returned in `felt`. */
static bool aba_factor_free(ff_tree_work *work, int i, const double *tau, ff_sv *felt) {
  const double *own = tau + work->tree->links[i].v_at;
  *felt = (ff_sv){m3_mul(work->turn[i], v3_load(own)), m3_mul(work->turn[i], v3_load(own + 3))};
  work->more[i] = sv_sub(*felt, work->f[i]);
  return sa_solve(&work->ia[i], &work->more[i]);
}

static void aba_accelerate_free(ff_tree_work *work, int i, double *a) {
  const ff_tree_link_data *link = &work->tree->links[i];
  ff_sv own = sv_sub(work->more[i], sv_motion_to(work->r[i], work->more[link->parent]));
  v3_store(a + link->v_at, m3_tmul(work->turn[i], own.a));
  v3_store(a + link->v_at + 3, m3_tmul(work->turn[i], own.l));
}

/* ---- any joint ------------------------------------------------------------------------------- */

/* W, rows of G and G^-1 u of one joint. False if D is not positive definite. */
static bool aba_factor_joint(ff_tree_work *work, const ff_tree_link_data *link, const ff_sv *bias,
                             const ff_sa *inertia, const double *tau) {
  for (int j = 0; j < link->v_count; j++) {
    int at = link->v_at + j;
    const ff_sv *s = &work->s[link->v_at], *w = &work->u[link->v_at];
    double *row = &work->d[(size_t)at * FF_JOINT_DOF];
    ff_sv column = sa_mul(inertia, s[j]); /* U */
    double rest = tau[at] - sv_dot(s[j], *bias);
    /* Row j of G: the products S_j . W_l with the columns before. */
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
    double root = sqrt(pivot);
    row[j] = 1 / root; /* reciprocal of the pivot */
    work->u[at] = sv_axpy(sv_zero(), row[j], column);
    work->rest[at] = row[j] * rest;
  }
  return true;
}

/* Adds the articulated inertia and bias force of link i to its parent. */
static void aba_add_to_parent(ff_tree_work *work, int i) {
  const ff_tree_link_data *link = &work->tree->links[i];
  ff_sa *inertia = &work->ia[i];
  ff_sv bias = work->f[i];
  for (int k = link->v_at; k < link->v_at + link->v_count; k++) {
    sa_outer_sub(inertia, work->u[k]);
    bias = sv_axpy(bias, work->rest[k], work->u[k]);
  }
  if (link->concentric) {
    sa_add(&work->ia[link->parent], inertia);
  } else {
    sa_add_back(&work->ia[link->parent], work->r[i], inertia);
  }
  ff_sv *carried = &work->f[link->parent];
  *carried = sv_add(*carried, sv_force_back(work->r[i], bias));
}

/* Joint accelerations from the parent's acceleration: G^-T (G^-1 u - W^T a'). */
static void aba_accelerate_joint(ff_tree_work *work, int i, double *a) {
  const ff_tree_link_data *link = &work->tree->links[i];
  ff_sv moved = sv_motion_to(work->r[i], work->more[link->parent]);
  if (link->hinge) {
    aba_accelerate_revolute(work, link, moved, i, a);
    return;
  }
  work->more[i] = moved;
  for (int j = link->v_count - 1; j >= 0; j--) {
    int at = link->v_at + j;
    double value = work->rest[at] - sv_dot(work->u[at], moved);
    for (int l = j + 1; l < link->v_count; l++) {
      value -= work->d[(size_t)(link->v_at + l) * FF_JOINT_DOF + (size_t)j] * a[link->v_at + l];
    }
    a[at] = value * work->d[(size_t)at * FF_JOINT_DOF + (size_t)j];
    work->more[i] = sv_axpy(work->more[i], a[at], work->s[at]);
  }
}

/* ---- the tree -------------------------------------------------------------------------------- */

/* Outward pass: acceleration at constant joint rates, with gravity as an acceleration of the
 * ground, beside its own; inertia and bias force p = I a + v x* I v - f_external of each link
 * alone. */
static void aba_outward_bias(ff_tree_work *work, ff_vec3 gravity, const ff_tree_wrench *wrenches) {
  work->a[0] = (ff_sv){work->base.a.a, v3_sub(work->base.a.l, gravity)};
  work->f[0] = sv_zero();
  for (int i = 1; i < work->tree->count; i++) {
    const ff_si *inertia = &work->inertia[i];
    const ff_tree_link_data *link = &work->tree->links[i];
    ff_sv a = sv_add(sv_motion_to(work->r[i], work->a[link->parent]), work->c[i]);
    if (link->still) {
      work->a[i] = a;
      work->f[i] = wrenches ? sv_sub(sv_zero(), ff_wrench_force(&wrenches[i - 1])) : sv_zero();
      continue;
    }
    ff_sv bias = sv_add(si_mul(inertia, a), sv_cross_force(work->v[i], work->momentum[i]));
    work->a[i] = a;
    work->f[i] = wrenches ? sv_sub(bias, ff_wrench_force(&wrenches[i - 1])) : bias;
    work->ia[i] = sa_of_rigid(inertia);
  }
}

/* Force through the joint of a root link: f = I^A a + p^A. */
static ff_sv aba_ground_force(const ff_tree_work *work, int i) {
  ff_sv carried = sv_add(sa_mul(&work->ia[i], work->more[i]), work->f[i]);
  return sv_force_back(work->pose[i].position, carried);
}

/* Inward pass for link i: factors its joint and updates its parent. */
static bool aba_inward(ff_tree_work *work, int i, const double *tau) {
  const ff_tree_link_data *link = &work->tree->links[i];
  if (link->still) { /* only external forces pass to the parent */
    work->f[link->parent] = sv_add(work->f[link->parent], sv_force_back(work->r[i], work->f[i]));
    return true;
  }
  if (aba_is_free(work, link)) {
    ff_sv felt, *carried = &work->f[link->parent];
    bool good = aba_factor_free(work, i, tau, &felt);
    *carried = sv_add(*carried, sv_force_back(work->r[i], felt));
    return good;
  }
  bool good = link->hinge ? aba_factor_revolute(work, link, &work->f[i], &work->ia[i], tau)
                          : aba_factor_joint(work, link, &work->f[i], &work->ia[i], tau);
  if (good && link->parent > 0) {
    aba_add_to_parent(work, i);
  }
  return good;
}

static bool aba_solve(ff_tree_work *work, const double *tau, ff_vec3 gravity,
                      const ff_tree_wrench *wrenches, double *a) {
  const ff_tree *tree = work->tree;
  aba_outward_bias(work, gravity, wrenches);
  for (int i = tree->count - 1; i > 0; i--) {
    if (!aba_inward(work, i, tau)) {
      work->stuck = i;
      return false;
    }
  }
  work->more[0] = work->ground = sv_zero();
  for (int i = 1; i < tree->count; i++) {
    const ff_tree_link_data *link = &tree->links[i];
    if (link->still) {
      work->more[i] = sv_motion_to(work->r[i], work->more[link->parent]);
    } else if (aba_is_free(work, link)) {
      aba_accelerate_free(work, i, a);
    } else {
      aba_accelerate_joint(work, i, a);
    }
    if (link->parent == 0) {
      work->ground = sv_add(work->ground, aba_ground_force(work, i));
    }
  }
  return true;
}

/* Forward dynamics with mimic joints, which close loops in the equations, not in the tree: factors
 * H, and finds the ground's force from the accelerations. */
static bool crba_forward_dynamics(ff_tree_work *work, const double *tau, ff_vec3 gravity,
                                  const ff_tree_wrench *wrenches, double *a) {
  const ff_tree *tree = work->tree;
  size_t n = (size_t)tree->v_count;
  ff_tree_inertia(work, work->h);
  for (size_t k = 0; k < n; k++) {
    work->h[k * n + k] += work->added[k];
    work->rest[k] = 0;
  }
  if (!ff_tree_factor(tree, work->h)) {
    return false;
  }
  double *bias = work->jacobian; /* workspace */
  ff_tree_inverse_dynamics(work, work->rest, gravity, wrenches, bias);
  for (size_t k = 0; k < n; k++) {
    a[k] = tau[k] - bias[k];
  }
  ff_tree_solve(tree, work->h, a);
  ff_tree_inverse_dynamics(work, a, gravity, wrenches, bias);
  memset(work->more, 0, (size_t)tree->count * sizeof *work->more); /* a is complete */
  work->ground = sv_force_back(work->pose[0].position, work->f[0]);
  return true;
}

bool ff_tree_forward_dynamics(ff_tree_work *work, const double *tau, ff_vec3 gravity,
                              const ff_tree_wrench *wrenches, double *a) {
  bool follow = work->tree->s_count > work->tree->v_count;
  return follow ? crba_forward_dynamics(work, tau, gravity, wrenches, a)
                : aba_solve(work, tau, gravity, wrenches, a);
}

double *ff_tree_added_inertia(ff_tree_work *work) {
  return work->added;
}

ff_tree_wrench ff_tree_ground_wrench(const ff_tree_work *work) {
  return (ff_tree_wrench){.force = work->ground.l, .torque = work->ground.a};
}
