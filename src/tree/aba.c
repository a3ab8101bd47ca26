/* Forward dynamics by the articulated-body algorithm [Featherstone08 sec. 7.3].
 *
 * The joint's D = S^T I^A S is used through its Cholesky factor, D = G G^T: with W = U G^-T the
 * inertia that is felt through the joint is I^A - W W^T. work->u holds W, work->d the rows of G (of
 * its diagonal the inverse) and work->rest the vector G^-1 u.
 */
#include "tree/tree.h"

#include <string.h>

/* ---- a joint that turns about one axis ---------------------------------------------------- */

/* The same as below for S = (axis, 0): W and G^-1 u. False if D is not positive. */
static bool open_hinge(ff_tree_work *work, const ff_tree_link_data *link, const ff_sv *bias,
                       const ff_sa *inertia, const double *tau) {
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

static void accelerate_hinge(ff_tree_work *work, const ff_tree_link_data *link, ff_sv moved, int i,
                             double *a) {
  int at = link->v_at;
  a[at] = (work->rest[at] - sv_dot(work->u[at], moved)) * work->d[(size_t)at * FF_JOINT_DOF];
  moved.a = v3_axpy(moved.a, a[at], work->s[at].a);
  work->more[i] = moved;
}

/* ---- a joint that leaves all free ----------------------------------------------------------- */

/* Only what acts on the joint itself passes through it. */
static bool is_loose(const ff_tree_work *work, const ff_tree_link_data *link) {
  if (link->joint.kind != FF_JOINT_FREE) {
    return false;
  }
  double held = 0;
  for (int k = link->v_at; k < link->v_at + link->v_count; k++) {
    held += work->tree->armature[k] + work->added[k];
  }
  return held == 0;
}

/* Then the link and all beyond it move as one body would: I^A a = tau - p. False if I^A is not
 * positive. What the parent feels is tau, which ends in `felt`. */
static bool open_loose(ff_tree_work *work, int i, const double *tau, ff_sv *felt) {
  const double *own = tau + work->tree->links[i].v_at;
  *felt = (ff_sv){m3_mul(work->turn[i], v3_load(own)), m3_mul(work->turn[i], v3_load(own + 3))};
  work->more[i] = sv_sub(*felt, work->f[i]);
  return sa_solve(&work->ia[i], &work->more[i]);
}

static void accelerate_loose(ff_tree_work *work, int i, double *a) {
  const ff_tree_link_data *link = &work->tree->links[i];
  ff_sv own = sv_sub(work->more[i], sv_motion_to(work->r[i], work->more[link->parent]));
  v3_store(a + link->v_at, m3_tmul(work->turn[i], own.a));
  v3_store(a + link->v_at + 3, m3_tmul(work->turn[i], own.l));
}

/* ---- any joint ---------------------------------------------------------------------------- */

/* Factors D into rows of G, W and G^-1 u of one joint. False if D is not positive. */
static bool open_joint(ff_tree_work *work, const ff_tree_link_data *link, const ff_sv *bias,
                       const ff_sa *inertia, const double *tau) {
  for (int j = 0; j < link->v_count; j++) {
    int at = link->v_at + j;
    const ff_sv *s = &work->s[link->v_at], *w = &work->u[link->v_at];
    double *row = &work->d[(size_t)at * FF_JOINT_DOF];
    ff_sv column = sa_mul(inertia, s[j]); /* U */
    double rest = tau[at] - sv_dot(s[j], *bias);
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
    double root = sqrt(pivot);
    row[j] = 1 / root; /* what is divided by */
    work->u[at] = sv_axpy(sv_zero(), row[j], column);
    work->rest[at] = row[j] * rest;
  }
  return true;
}

/* What the parent feels of link i through its joint. */
static void add_to_parent(ff_tree_work *work, int i) {
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

/* Joint accelerations from the parent's: G^-T (G^-1 u - W^T a'). */
static void accelerate(ff_tree_work *work, int i, double *a) {
  const ff_tree_link_data *link = &work->tree->links[i];
  ff_sv moved = sv_motion_to(work->r[i], work->more[link->parent]);
  if (link->hinge) {
    accelerate_hinge(work, link, moved, i, a);
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

/* ---- the tree ------------------------------------------------------------------------------ */

/* Acceleration at steady rates, gravity as one of the ground; inertia and bias force
 * p = I a + v x* I v - f_outside of each link alone. */
static void start(ff_tree_work *work, ff_vec3 gravity, const ff_tree_wrench *wrenches) {
  work->a[0] = (ff_sv){{0, 0, 0}, v3_neg(gravity)};
  work->f[0] = sv_zero();
  for (int i = 1; i < work->tree->count; i++) {
    const ff_si *inertia = &work->inertia[i];
    const ff_tree_link_data *link = &work->tree->links[i];
    ff_sv a = sv_add(sv_motion_to(work->r[i], work->a[link->parent]), work->c[i]);
    if (link->still) {
      work->a[i] = a;
      work->f[i] = wrenches ? sv_sub(sv_zero(), ff_wrench_seen(&wrenches[i - 1])) : sv_zero();
      continue;
    }
    ff_sv bias = sv_add(si_mul(inertia, a), sv_cross_force(work->v[i], work->momentum[i]));
    work->a[i] = a;
    work->f[i] = wrenches ? sv_sub(bias, ff_wrench_seen(&wrenches[i - 1])) : bias;
    work->ia[i] = sa_of_rigid(inertia);
  }
}

/* Across the joint of a root link goes f = I^A a + p^A. */
static ff_sv from_ground(const ff_tree_work *work, int i) {
  ff_sv carried = sv_add(sa_mul(&work->ia[i], work->more[i]), work->f[i]);
  return sv_force_back(work->pose[i].position, carried);
}

/* Opens the joint of link i and tells its parent. */
static bool inward(ff_tree_work *work, int i, const double *tau) {
  const ff_tree_link_data *link = &work->tree->links[i];
  if (link->still) { /* only what pushes it passes on */
    work->f[link->parent] = sv_add(work->f[link->parent], sv_force_back(work->r[i], work->f[i]));
    return true;
  }
  if (is_loose(work, link)) {
    ff_sv felt, *carried = &work->f[link->parent];
    bool good = open_loose(work, i, tau, &felt);
    *carried = sv_add(*carried, sv_force_back(work->r[i], felt));
    return good;
  }
  bool good = link->hinge ? open_hinge(work, link, &work->f[i], &work->ia[i], tau)
                          : open_joint(work, link, &work->f[i], &work->ia[i], tau);
  if (good && link->parent > 0) {
    add_to_parent(work, i);
  }
  return good;
}

static bool articulated(ff_tree_work *work, const double *tau, ff_vec3 gravity,
                        const ff_tree_wrench *wrenches, double *a) {
  const ff_tree *tree = work->tree;
  start(work, gravity, wrenches);
  for (int i = tree->count - 1; i > 0; i--) {
    if (!inward(work, i, tau)) {
      work->stuck = i;
      return false;
    }
  }
  work->more[0] = work->ground = sv_zero();
  for (int i = 1; i < tree->count; i++) {
    const ff_tree_link_data *link = &tree->links[i];
    if (link->still) {
      work->more[i] = sv_motion_to(work->r[i], work->more[link->parent]);
    } else if (is_loose(work, link)) {
      accelerate_loose(work, i, a);
    } else {
      accelerate(work, i, a);
    }
    if (link->parent == 0) {
      work->ground = sv_add(work->ground, from_ground(work, i));
    }
  }
  return true;
}

/* Links that follow others close loops in the equations, not in the tree: H is made and factored,
 * and the forces that reach the ground follow from the acceleration. */
static bool together(ff_tree_work *work, const double *tau, ff_vec3 gravity,
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
  double *bias = work->jacobian; /* room */
  ff_tree_inverse_dynamics(work, work->rest, gravity, wrenches, bias);
  for (size_t k = 0; k < n; k++) {
    a[k] = tau[k] - bias[k];
  }
  ff_tree_solve(tree, work->h, a);
  ff_tree_inverse_dynamics(work, a, gravity, wrenches, bias);
  memset(work->more, 0, (size_t)tree->count * sizeof *work->more); /* a has all */
  work->ground = work->f[0];
  return true;
}

bool ff_tree_forward_dynamics(ff_tree_work *work, const double *tau, ff_vec3 gravity,
                              const ff_tree_wrench *wrenches, double *a) {
  bool follow = work->tree->s_count > work->tree->v_count;
  return follow ? together(work, tau, gravity, wrenches, a)
                : articulated(work, tau, gravity, wrenches, a);
}

double *ff_tree_added_inertia(ff_tree_work *work) {
  return work->added;
}

ff_tree_wrench ff_tree_ground_wrench(const ff_tree_work *work) {
  return (ff_tree_wrench){.force = work->ground.l, .torque = work->ground.a};
}
