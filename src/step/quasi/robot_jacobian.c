/* Derivatives of a robot's own rows, that is without what elements add to its links.
 *
 * The rows are sums over links of S_k . (I v + W), k a column of S between the link and the ground,
 * I v its momentum now, and W wrenches that stay as they are while their points go with the link:
 * minus the momentum of before, and impulses. All is written in world axes at the world's origin.
 *
 * A column c moves all beyond it by X = h S. There the velocities of links turn, as far as they
 * are seen from the parent p of c:                dv = X x (v - v_p)
 * and so do inertias and columns. What turns as a whole keeps its products, so that
 *   d(S_k . I v) = S_k . I (dv - X x v) = -S_k . I (X x v_p)          k beyond c, or c itself
 *   d(S_k . I v) = S_k . (X x* I v - I (X x v_p))                     k nearer to the ground
 *   d(S_k . W)   = (X x S_k) . W + S_k . (sum of dx x F),             without the first term there
 * with F the forces of W and dx how X moves their points. Sums run over the links beyond both.
 * [Featherstone08 sec. 2.9, 2.10]
 */
#include "math/vec.h"
#include "step/quasi/quasi_rigid.h"

/* ---- sums over all beyond a joint ------------------------------------------------------------
 */

/* A force and a moment about a point that goes with a link. */
static void attach(ff_quasi_beyond *to, ff_vec3 at, ff_vec3 force, ff_vec3 moment) {
  to->wrench.a = v3_add(to->wrench.a, v3_add(moment, v3_cross(at, force)));
  to->wrench.l = v3_add(to->wrench.l, force);
  m3_outer_add(&to->lever, 1, at, force);
}

/* A link alone. */
static void start_link(const ff_quasi *quasi, int r, int i, ff_quasi_beyond *to) {
  const ff_tree_work *work = quasi->state->robots[r].work;
  const ff_quasi_link *link = &quasi->robots[r].links[i - 1];
  const ff_quasi_body *body = &quasi->bodies[quasi->model->robots[r].first_body + i - 1];
  *to = (ff_quasi_beyond){.momentum = sv_zero()};
  attach(to, body->end.pose.position, v3_load(link->rows), v3_load(link->rows + 3));
  if (!work->tree->links[i].still) {
    ff_vec3 place = work->pose[i].position;
    const ff_si *inertia = &work->inertia[i];
    ff_vec3 com = v3_axpy(place, inertia->m > 0 ? 1 / inertia->m : 0, inertia->h);
    attach(to, com, v3_neg(link->from.l), v3_neg(link->from.a));
    to->inertia = si_back(place, inertia);
    to->momentum = sv_force_back(place, work->momentum[i]);
  }
}

static void sum_up(const ff_quasi *quasi, int r) {
  const ff_tree *tree = quasi->model->robots[r].tree;
  ff_quasi_beyond *beyond = quasi->robots[r].beyond;
  for (int i = 1; i < tree->count; i++) {
    start_link(quasi, r, i, &beyond[i]);
  }
  for (int i = tree->count - 1; i > 0; i--) {
    int parent = tree->links[i].parent;
    if (parent > 0) {
      ff_quasi_beyond *to = &beyond[parent];
      to->inertia = si_add(to->inertia, beyond[i].inertia);
      to->momentum = sv_add(to->momentum, beyond[i].momentum);
      to->wrench = sv_add(to->wrench, beyond[i].wrench);
      to->lever = m3_add(to->lever, beyond[i].lever);
    }
  }
}

/* ---- columns ----------------------------------------------------------------------------------
 */

/* How a column moves what is beyond it. One of three turns goes on while the others do: q exp(h u)
 * grows by the right Jacobian of the exponential, to second order. The centre of mass of a
 * floating link goes straight, see ff_tree_q_arrive. */
static ff_sv motion_of(const ff_quasi *quasi, const ff_tree_work *work, int i, int k, ff_sv s) {
  const ff_tree_link_data *link = &work->tree->links[i];
  ff_joint_kind kind = link->joint.kind;
  ff_vec3 place = work->pose[i].position;
  if ((kind != FF_JOINT_FREE && kind != FF_JOINT_SPHERICAL) || k > 2) {
    return sv_axpy(sv_zero(), quasi->h, sv_motion_to(v3_neg(place), s));
  }
  ff_sv across = sv_sub(work->v[i], sv_motion_to(work->r[i], work->v[link->parent]));
  ff_vec3 half = v3_cross(v3_scale(0.5 * quasi->h, across.a), s.a);
  ff_vec3 third = v3_cross(v3_scale(quasi->h / 3, across.a), half);
  ff_sv out = {v3_scale(quasi->h, v3_add(v3_sub(s.a, half), third)), {0, 0, 0}};
  if (kind == FF_JOINT_FREE) {
    const ff_si *inertia = &work->inertia[i];
    ff_vec3 arm = v3_scale(inertia->m > 0 ? 1 / inertia->m : 0, inertia->h);
    ff_vec3 goes = v3_add(v3_cross(s.a, arm), v3_cross(out.a, sv_motion_to(arm, across).l));
    out.l = v3_scale(quasi->h, goes);
    place = v3_add(place, arm);
  }
  return sv_motion_to(v3_neg(place), out);
}

/* The sum of dx x F, with respect to X, as the column feels it. */
static ff_sv lever_of(const ff_quasi_beyond *at, ff_vec3 axis) {
  double trace = at->lever.m[0][0] + at->lever.m[1][1] + at->lever.m[2][2];
  return (ff_sv){v3_axpy(m3_tmul(at->lever, axis), -trace, axis), v3_cross(at->wrench.l, axis)};
}

/* The same for an X: a moment. */
static ff_vec3 moment_of(const ff_quasi_beyond *at, ff_sv x) {
  double trace = at->lever.m[0][0] + at->lever.m[1][1] + at->lever.m[2][2];
  return v3_add(v3_axpy(m3_mul(at->lever, x.a), -trace, x.a), v3_cross(x.l, at->wrench.l));
}

static void find_columns(const ff_quasi *quasi, int r, int i) {
  const ff_tree_work *work = quasi->state->robots[r].work;
  const ff_tree_link_data *link = &work->tree->links[i];
  const ff_quasi_beyond *at = &quasi->robots[r].beyond[i];
  ff_sv parent = sv_motion_to(v3_neg(work->pose[link->parent].position), work->v[link->parent]);
  for (int k = 0; k < link->v_count; k++) {
    ff_quasi_bend *to = &quasi->robots[r].bends[link->s_at + k];
    ff_sv s = work->s[link->s_at + k];
    to->s = sv_motion_to(v3_neg(work->pose[i].position), s);
    to->x = motion_of(quasi, work, i, k, s);
    ff_sv bend = sv_cross(to->x, parent);
    to->lead = sv_sub(bend, to->s);
    to->held = si_mul(&at->inertia, to->s);
    to->turned = sv_add(sv_cross_force(to->s, at->wrench), lever_of(at, to->s.a));
    to->below = sv_sub(sv_cross_force(to->x, at->momentum), si_mul(&at->inertia, bend));
    to->below.a = v3_add(to->below.a, moment_of(at, to->x));
    to->below = sv_add(to->below, to->held);
  }
}

/* ---- the block ----------------------------------------------------------------------------------
 */

/* Of link i and of one between it and the ground, or itself. */
static void add_pair(const ff_quasi *quasi, int r, int i, int j, double *block) {
  const ff_model_robot *robot = &quasi->model->robots[r];
  const ff_tree_link_data *far = &robot->tree->links[i], *near = &robot->tree->links[j];
  int n = robot->v_count;
  for (int k = 0; k < far->v_count; k++) {
    const ff_quasi_bend *a = &quasi->robots[r].bends[far->s_at + k];
    int row = ff_quasi_place(robot, far->v_at + k);
    for (int m = 0; m < near->v_count; m++) {
      const ff_quasi_bend *b = &quasi->robots[r].bends[near->s_at + m];
      int column = ff_quasi_place(robot, near->v_at + m);
      block[row * n + column] += sv_dot(b->x, a->turned) - sv_dot(b->lead, a->held);
      if (i != j) {
        block[column * n + row] += sv_dot(b->s, a->below);
      }
    }
  }
}

void ff_quasi_robot_block(const ff_quasi *quasi, int r, double *block) {
  const ff_model_robot *robot = &quasi->model->robots[r];
  const ff_tree *tree = robot->tree;
  int n = robot->v_count;
  sum_up(quasi, r);
  for (int i = 1; i < tree->count; i++) {
    find_columns(quasi, r, i);
    for (int j = i; j > 0; j = tree->links[j].parent) {
      add_pair(quasi, r, i, j, block);
    }
  }
  for (int k = 0; k < n; k++) {
    int at = ff_quasi_place(robot, k);
    block[at * n + at] += tree->armature[k] + quasi->robots[r].added[k];
  }
}
