/* Robot Jacobian: derivatives of a robot's rows, and the maps between links and robot.
 *
 * Without elements the rows are sums over links of S_k . (I v + W), k a column of S between the
 * link and the ground, I v its momentum now, and W wrenches that are constant while their points go
 * with the link: minus the momentum of the start, and impulses. All is written in world axes at the
 * world's origin.
 *
 * A column c moves its subtree by X = h S. There the velocities of links turn, as far as they
 * are relative to the parent p of c:              dv = X x (v - v_p)
 * and so do inertias and columns. What turns as a whole keeps its products, so that
 *   d(S_k . I v) = S_k . I (dv - X x v) = -S_k . I (X x v_p)          k in the subtree, or c itself
 *   d(S_k . I v) = S_k . (X x* I v - I (X x v_p))                     k nearer to the ground
 *   d(S_k . W)   = (X x S_k) . W + S_k . (sum of dx x F),             without the first term there
 * with F the forces of W and dx the displacement of their points by X. Sums run over the links in
 * both subtrees. [Featherstone08 sec. 2.9, 2.10]
 */
#include "math/vec.h"
#include "step/quasi/robot.h"

#include <string.h>

/* ---- sums over subtrees ----------------------------------------------------------------- */

/* Adds a force and a moment about a point that goes with a link. */
static void add_point_wrench(quasi_subtree *to, ff_vec3 at, ff_vec3 force, ff_vec3 moment) {
  to->wrench.a = v3_add(to->wrench.a, v3_add(moment, v3_cross(at, force)));
  to->wrench.l = v3_add(to->wrench.l, force);
  m3_outer_add(&to->lever, 1, at, force);
}

static void sum_subtrees(const quasi_problem *problem, int r) {
  const ff_tree *tree = problem->model->robots[r].tree;
  const ff_tree_work *work = problem->state->robots[r].work;
  quasi_subtree *subtrees = problem->robots[r].subtrees;
  for (int i = 1; i < tree->count; i++) {
    const quasi_link *link = &problem->robots[r].links[i - 1];
    const quasi_body *body = &problem->bodies[problem->model->robots[r].first_body + i - 1];
    quasi_subtree *to = &subtrees[i];
    *to = (quasi_subtree){.momentum = sv_zero()};
    add_point_wrench(to, body->end.pose.position, v3_load(link->rows), v3_load(link->rows + 3));
    if (!tree->links[i].still) {
      ff_vec3 place = work->pose[i].position;
      const ff_si *inertia = &work->inertia[i];
      ff_vec3 com = v3_axpy(place, inertia->m > 0 ? 1 / inertia->m : 0, inertia->h);
      add_point_wrench(to, com, v3_neg(link->momentum_free.l), v3_neg(link->momentum_free.a));
      to->inertia = si_back(place, inertia);
      to->momentum = sv_force_back(place, work->momentum[i]);
    }
  }
  for (int i = tree->count - 1; i > 0; i--) {
    int parent = tree->links[i].parent;
    if (parent > 0) {
      quasi_subtree *to = &subtrees[parent];
      to->inertia = si_add(to->inertia, subtrees[i].inertia);
      to->momentum = sv_add(to->momentum, subtrees[i].momentum);
      to->wrench = sv_add(to->wrench, subtrees[i].wrench);
      to->lever = m3_add(to->lever, subtrees[i].lever);
    }
  }
}

/* ---- columns of joints ------------------------------------------------------------------ */

/* Displacement of the subtree by a unit of coordinate k of link i's joint. One of three rotations
 * is combined with the others: q exp(h u) changes by the right Jacobian of the exponential, here to
 * second order. The centre of mass of a floating link moves on a straight line, see
 * ff_tree_q_arrive. */
static ff_sv joint_displacement(double h, const ff_tree_work *work, int i, int k, ff_sv s) {
  const ff_tree_link_data *link = &work->tree->links[i];
  ff_joint_kind kind = link->joint.kind;
  ff_vec3 place = work->pose[i].position;
  if ((kind != FF_JOINT_FREE && kind != FF_JOINT_SPHERICAL) || k > 2) {
    return sv_axpy(sv_zero(), h, sv_motion_to(v3_neg(place), s));
  }
  ff_sv across = sv_sub(work->v[i], sv_motion_to(work->r[i], work->v[link->parent]));
  ff_vec3 half = v3_cross(v3_scale(0.5 * h, across.a), s.a);
  ff_vec3 third = v3_cross(v3_scale(h / 3, across.a), half);
  ff_sv out = {v3_scale(h, v3_add(v3_sub(s.a, half), third)), {0, 0, 0}};
  if (kind == FF_JOINT_FREE) {
    const ff_si *inertia = &work->inertia[i];
    ff_vec3 arm = v3_scale(inertia->m > 0 ? 1 / inertia->m : 0, inertia->h);
    ff_vec3 shift = v3_add(v3_cross(s.a, arm), v3_cross(out.a, sv_motion_to(arm, across).l));
    out.l = v3_scale(h, shift);
    place = v3_add(place, arm);
  }
  return sv_motion_to(v3_neg(place), out);
}

static void differentiate_joint(const quasi_problem *problem, int r, int i) {
  const ff_tree_work *work = problem->state->robots[r].work;
  const ff_tree_link_data *link = &work->tree->links[i];
  const quasi_subtree *at = &problem->robots[r].subtrees[i];
  ff_sv parent = sv_motion_to(v3_neg(work->pose[link->parent].position), work->v[link->parent]);
  double trace = at->lever.m[0][0] + at->lever.m[1][1] + at->lever.m[2][2];
  for (int k = 0; k < link->v_count; k++) {
    quasi_joint_column *to = &problem->robots[r].joint[link->s_at + k];
    ff_sv s = work->s[link->s_at + k];
    to->s = sv_motion_to(v3_neg(work->pose[i].position), s);
    to->x = joint_displacement(problem->robots[r].theta * problem->h, work, i, k, s);
    ff_sv turn = sv_cross(to->x, parent);
    to->lead = sv_sub(turn, to->s);
    to->held = si_mul(&at->inertia, to->s);
    /* sum of dx x F by X, in the column's own row */
    ff_sv lever = {v3_axpy(m3_tmul(at->lever, to->s.a), -trace, to->s.a),
                   v3_cross(at->wrench.l, to->s.a)};
    to->turned = sv_add(sv_cross_force(to->s, at->wrench), lever);
    to->ancestors = sv_sub(sv_cross_force(to->x, at->momentum), si_mul(&at->inertia, turn));
    /* the same sum for this X: a moment */
    ff_vec3 moment = v3_add(v3_axpy(m3_mul(at->lever, to->x.a), -trace, to->x.a),
                            v3_cross(to->x.l, at->wrench.l));
    to->ancestors.a = v3_add(to->ancestors.a, moment);
    to->ancestors = sv_add(to->ancestors, to->held);
  }
}

/* Derivatives between link i and link j, which is i or an ancestor. */
static void add_joint_pair(const quasi_problem *problem, int r, int i, int j, double *block) {
  const ff_model_robot *robot = &problem->model->robots[r];
  const ff_tree_link_data *far = &robot->tree->links[i], *near = &robot->tree->links[j];
  int n = robot->v_count;
  for (int k = 0; k < far->v_count; k++) {
    const quasi_joint_column *a = &problem->robots[r].joint[far->s_at + k];
    int row = quasi_robot_index(robot, far->v_at + k);
    for (int m = 0; m < near->v_count; m++) {
      const quasi_joint_column *b = &problem->robots[r].joint[near->s_at + m];
      int column = quasi_robot_index(robot, near->v_at + m);
      block[row * n + column] += sv_dot(b->x, a->turned) - sv_dot(b->lead, a->held);
      if (i != j) {
        block[column * n + row] += sv_dot(b->s, a->ancestors);
      }
    }
  }
}

void ff_quasi_robot_jacobian(const quasi_problem *problem, int r, double *block) {
  const ff_model_robot *robot = &problem->model->robots[r];
  const ff_tree *tree = robot->tree;
  int n = robot->v_count;
  sum_subtrees(problem, r);
  for (int i = 1; i < tree->count; i++) {
    differentiate_joint(problem, r, i);
    for (int j = i; j > 0; j = tree->links[j].parent) {
      add_joint_pair(problem, r, i, j, block);
    }
  }
  for (int k = 0; k < n; k++) {
    int at = quasi_robot_index(robot, k);
    block[at * n + at] += tree->armature[k] + problem->robots[r].added_inertia[k];
  }
  ff_quasi_joint_rows(problem, r, NULL, block);
  for (int i = 0; i < robot->link_count; i++) {
    quasi_link *link = &problem->robots[r].links[i];
    if (link->has_jacobian) {
      memset(link->jacobian, 0, sizeof link->jacobian);
      memset(link->step, 0, sizeof link->step);
      link->has_jacobian = false;
    }
  }
}

/* ---- links and robot -------------------------------------------------------------------- */

/* Jacobian of a body by the unknowns of its node, column by column: of a link the coordinates that
 * move it, of a free body the identity. Returns the number of columns. */
static int link_jacobian(const quasi_problem *problem, const quasi_body *body,
                         quasi_link_column *to) {
  int count = 0;
  if (!body->link) {
    for (; count < 6; count++) {
      to[count] = (quasi_link_column){.at = count};
      to[count].c[count] = 1;
    }
    return count;
  }
  int r = problem->model->bodies[body->id].robot;
  const ff_tree_work *work = problem->state->robots[r].work;
  const ff_tree *tree = work->tree;
  for (int j = problem->model->bodies[body->id].link; j > 0; j = tree->links[j].parent) {
    const ff_tree_link_data *link = &tree->links[j];
    ff_vec3 arm = v3_sub(body->end.pose.position, work->pose[j].position);
    for (int k = 0; k < link->v_count; k++) {
      ff_sv s = sv_motion_to(arm, work->s[link->s_at + k]);
      to[count].at = quasi_robot_index(&problem->model->robots[r], link->v_at + k);
      v3_store(to[count].c, s.l);
      v3_store(to[count++].c + 3, s.a);
    }
  }
  return count;
}

/* to += J_s^T b J_t; width: columns of to. */
static void add_congruence(double *to, int width, const quasi_link_column *s, int s_count,
                           const quasi_link_column *t, int t_count, double b[6][6]) {
  for (int k = 0; k < t_count; k++) {
    double moved[6];
    for (int i = 0; i < 6; i++) {
      const double *row = b[i], *c = t[k].c;
      moved[i] = row[0] * c[0] + row[1] * c[1] + row[2] * c[2] + row[3] * c[3] + row[4] * c[4] +
                 row[5] * c[5];
    }
    for (int i = 0; i < s_count; i++) {
      const double *c = s[i].c;
      to[s[i].at * width + t[k].at] += c[0] * moved[0] + c[1] * moved[1] + c[2] * moved[2] +
                                       c[3] * moved[3] + c[4] * moved[4] + c[5] * moved[5];
    }
  }
}

void ff_quasi_add_link_block(const quasi_problem *problem, ff_blocks *blocks, const quasi_body *s,
                             const quasi_body *t, double (*from)[6]) {
  if (s == t) { /* summed over the elements of a link first: all have the same Jacobian */
    s->link->has_jacobian = true;
    for (int i = 0; i < 6; i++) {
      for (int k = 0; k < 6; k++) {
        s->link->jacobian[i][k] += from[i][k];
      }
    }
    return;
  }
  quasi_link_column *const *columns = problem->link_columns;
  int s_count = link_jacobian(problem, s, columns[0]);
  int t_count = link_jacobian(problem, t, columns[1]);
  add_congruence(ff_blocks_at(blocks, s->node, t->node), ff_mover_size(problem->model, t->node),
                 columns[0], s_count, columns[1], t_count, from);
}

void ff_quasi_reduce_links(const quasi_problem *problem, int r, double *block, double *rhs) {
  const ff_model_robot *robot = &problem->model->robots[r];
  quasi_link_column *columns = problem->link_columns[0];
  for (int i = 0; i < robot->link_count; i++) {
    quasi_link *link = &problem->robots[r].links[i];
    if (link->has_jacobian) {
      int count = link_jacobian(problem, &problem->bodies[robot->first_body + i], columns);
      add_congruence(block, robot->v_count, columns, count, columns, count, link->jacobian);
      for (int k = 0; k < count; k++) {
        for (int m = 0; m < 6; m++) {
          rhs[columns[k].at] += columns[k].c[m] * link->step[m];
        }
      }
    }
  }
}

void ff_quasi_expand_links(const quasi_problem *problem, int r, const double *step) {
  const ff_model_robot *robot = &problem->model->robots[r];
  for (int i = 0; i < robot->link_count; i++) {
    quasi_link *link = &problem->robots[r].links[i];
    if (link->has_jacobian) {
      quasi_link_column *columns = problem->link_columns[0];
      int count = link_jacobian(problem, &problem->bodies[robot->first_body + i], columns);
      memset(link->step, 0, sizeof link->step);
      for (int k = 0; k < count; k++) {
        for (int m = 0; m < 6; m++) {
          link->step[m] += step[columns[k].at] * columns[k].c[m];
        }
      }
    }
  }
}

double ff_quasi_link_inverse_mass(const quasi_problem *problem, const quasi_body *body,
                                  ff_vec3 point, ff_vec3 n) {
  int r = problem->model->bodies[body->id].robot, freedoms = problem->model->robots[r].v_count;
  quasi_link_column *columns = problem->link_columns[0];
  double *x = problem->state->robots[r].work->rest, sum = 0;
  ff_vec3 turn = v3_cross(v3_sub(point, body->end.pose.position), n);
  int count = link_jacobian(problem, body, columns);
  memset(x, 0, (size_t)freedoms * sizeof *x);
  for (int k = 0; k < count; k++) {
    x[freedoms - 1 - columns[k].at] +=
        v3_dot(n, v3_load(columns[k].c)) + v3_dot(turn, v3_load(columns[k].c + 3));
  }
  ff_branch_down(problem->model->robots[r].tree->dof_parent, freedoms, problem->robots[r].factor,
                 x);
  for (int k = 0; k < freedoms; k++) {
    sum += x[k] * x[k];
  }
  return sum;
}
