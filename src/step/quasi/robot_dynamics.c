/* Robots in the quasi-rigid step: kinematics, residual, state and ledger at the end.
 *
 * Unknown is the generalised velocity u of the end, which moves the joints. Linear and angular
 * momentum of every link change by the impulses on it, as those of a free body do, and constraint
 * impulses of the joints do no work in the pose of the end:
 *
 *   sum over links of J^T (change of momentum - impulses) + A (u - u_0) - h tau = 0
 *
 * with momenta about the centres of mass in world axes, J the Jacobians of the end, and A armature
 * and the inertia that implicit drives and joint resistance add (robots.c). So these are the
 * equations of free bodies [Chakraborty07 eq. 15] and of bilateral constraints between them,
 * projected on the joints. There are no Coriolis forces, which stem from momentum in rotating axes.
 * Linear momentum is conserved exactly, and fast spin is stable.
 *
 * To its elements a link is a body with six unknowns w, velocity and angular velocity, that move it
 * by h w. What they add to its rows F and its block B becomes J^T F and J^T B J. The change of J
 * with the joints is neglected there: it is of the order of h times the angular velocities, which
 * is then the rate of convergence of Newton's method.
 */
#include "math/vec.h"
#include "model/links.h"
#include "step/quasi/robot.h"
#include "step/robots.h"

#include <string.h>

bool ff_quasi_create_robots(quasi_problem *problem, ff_arena *arena) {
  const ff_model *model = problem->model;
  size_t most = QUASI_DOF;
  problem->robots = ff_arena_take(arena, (size_t)model->robot_count, sizeof *problem->robots);
  for (int r = 0; problem->robots && r < model->robot_count; r++) {
    const ff_model_robot *robot = &model->robots[r];
    quasi_robot *to = &problem->robots[r];
    size_t n = (size_t)robot->v_count, links = (size_t)robot->link_count;
    size_t columns = (size_t)robot->tree->s_count;
    double *numbers =
        ff_arena_take(arena, (size_t)robot->q_count + 6 * n + n * n + 1, sizeof(double));
    to->drive_resolved = ff_arena_take(arena, n + 1, sizeof *to->drive_resolved);
    to->s_start = ff_arena_take(arena, columns + 1, sizeof *to->s_start);
    to->links = ff_arena_take(arena, links, sizeof *to->links);
    to->subtrees = ff_arena_take(arena, links + 1, sizeof *to->subtrees);
    to->joint = ff_arena_take(arena, columns + 1, sizeof *to->joint);
    if (!numbers || !to->drive_resolved || !to->s_start || !to->links || !to->subtrees ||
        !to->joint) {
      return false;
    }
    to->u = numbers;
    to->u_free = numbers + n;
    to->impulse = numbers + 2 * n;
    to->added_inertia = numbers + 3 * n;
    to->scale = numbers + 4 * n;
    to->mean = numbers + 5 * n;
    to->factor = numbers + 6 * n;
    to->q = to->factor + n * n;
    most = most < columns ? columns : most;
  }
  for (int s = 0; s < 2; s++) {
    problem->link_columns[s] = ff_arena_take(arena, most, sizeof *problem->link_columns[s]);
  }
  return problem->robots && problem->link_columns[0] && problem->link_columns[1];
}

/* ---- kinematics ------------------------------------------------------------------------- */

/* From a link's origin to the centre of its body, in the pose of the tree's work. */
static ff_vec3 link_arm(const quasi_problem *problem, int r, int link) {
  const ff_model *model = problem->model;
  const ff_model_body *body = &model->bodies[model->robots[r].first_body + link - 1];
  return m3_mul(problem->state->robots[r].work->turn[link], body->frame.position);
}

void ff_quasi_robot_guess(const quasi_problem *problem, int r, bool warm, double *x) {
  const ff_model_robot *robot = &problem->model->robots[r];
  const double *from = warm ? problem->state->y + robot->v_at : problem->robots[r].u_free;
  for (int k = 0; k < robot->v_count; k++) {
    x[quasi_robot_index(robot, k)] = from[k];
  }
}

/* The centre of mass of a floating link moves with the mean of its velocities, straight. */
static void move_floating_links(const quasi_problem *problem, int r) {
  const ff_model_robot *robot = &problem->model->robots[r];
  const quasi_robot *to = &problem->robots[r];
  const double *q = problem->state->y + robot->q_at, *v = problem->state->y + robot->v_at;
  for (int i = 1; i <= robot->link_count; i++) {
    const ff_tree_link_data *link = &robot->tree->links[i];
    if (link->joint.kind != FF_JOINT_FREE) {
      continue;
    }
    const double *at = q + link->q_at, *rate[2] = {v + link->v_at, to->u + link->v_at};
    double *end = to->q + link->q_at, share[2] = {1 - to->theta, to->theta};
    ff_quat turn[2] = {q_unit((ff_quat){at[3], at[4], at[5], at[6]}),
                       {end[3], end[4], end[5], end[6]}};
    ff_vec3 com = v3_scale(link->inertia.m > 0 ? 1 / link->inertia.m : 0, link->inertia.h);
    ff_vec3 place = v3_add(v3_load(at), v3_sub(q_rotate(turn[0], com), q_rotate(turn[1], com)));
    for (int s = 0; s < 2; s++) {
      ff_vec3 moves = v3_add(v3_load(rate[s] + 3), v3_cross(v3_load(rate[s]), com));
      place = v3_axpy(place, problem->h * share[s], q_rotate(turn[s], moves));
    }
    v3_store(end, place);
  }
}

/* A root with a track is where it leads some time after the start of the step. */
static void set_base(const quasi_problem *problem, int r, double after) {
  const ff_model_robot *robot = &problem->model->robots[r];
  if (robot->track) {
    ff_tree_base base = ff_robot_base_at(robot, problem->state->t + after);
    ff_tree_set_base(problem->state->robots[r].work, &base);
  }
}

/* Tree and link bodies at the end, by u. To elements a link is a body of inertia 1 that turns by h
 * times its angular velocity. */
static void move_links(const quasi_problem *problem, int r) {
  const ff_model_robot *robot = &problem->model->robots[r];
  const ff_state_robot *at = &problem->state->robots[r];
  const ff_tree_work *work = at->work;
  const quasi_robot *to = &problem->robots[r];
  memcpy(to->q, problem->state->y + robot->q_at, (size_t)robot->q_count * sizeof *to->q);
  const double *v = problem->state->y + robot->v_at;
  for (int k = 0; k < robot->v_count; k++) {
    to->mean[k] = to->theta * to->u[k] + (1 - to->theta) * v[k];
  }
  ff_tree_q_arrive(robot->tree, to->q, to->mean, problem->h);
  if (to->theta < 1) {
    move_floating_links(problem, r);
  }
  at->placed[0] = NAN;
  set_base(problem, r, problem->h);
  ff_tree_update(at->work, to->q, to->u);
  for (int link = 1; link <= robot->link_count; link++) {
    quasi_body *body = &problem->bodies[robot->first_body + link - 1];
    ff_vec3 arm = link_arm(problem, r, link);
    ff_sv velocity = work->v[link];
    body->end.pose.position = v3_add(work->pose[link].position, arm);
    body->end.pose.orientation = work->pose[link].orientation;
    body->end.velocity = v3_add(velocity.l, v3_cross(velocity.a, arm));
    body->end.omega = body->l = velocity.a;
    for (int i = 0; i < 3; i++) {
      for (int k = 0; k < 3; k++) {
        body->inv_inertia.m[i][k] = i == k;
        body->rotation_jacobian.m[i][k] = i == k ? to->theta * problem->h : 0;
      }
    }
    body->moved = true;
  }
}

void ff_quasi_set_robot_theta(const quasi_problem *problem, int r, double theta) {
  const ff_model_robot *robot = &problem->model->robots[r];
  quasi_robot *to = &problem->robots[r];
  if (to->theta == theta) {
    return;
  }
  to->theta = theta;
  for (int i = 0; i < robot->link_count; i++) {
    problem->bodies[robot->first_body + i].theta = theta;
  }
  memcpy(to->u, to->u_free, (size_t)robot->v_count * sizeof *to->u);
  move_links(problem, r);
}

void ff_quasi_move_robot(const quasi_problem *problem, int r, const double *x) {
  const ff_model_robot *robot = &problem->model->robots[r];
  for (int k = 0; k < robot->v_count; k++) {
    problem->robots[r].u[k] = x[quasi_robot_index(robot, k)];
  }
  move_links(problem, r);
}

/* ---- start of the step ------------------------------------------------------------------ */

/* Momentum of a link about its centre of mass; com: of that, from the link's origin. */
static ff_sv link_momentum(const ff_tree_work *work, int link, ff_vec3 *com) {
  const ff_si *inertia = &work->inertia[link];
  ff_sv m = work->momentum[link];
  *com = v3_scale(inertia->m > 0 ? 1 / inertia->m : 0, inertia->h);
  return (ff_sv){v3_sub(m.a, v3_cross(*com, m.l)), m.l};
}

/* Momenta of the links at the end if no impulse but that of gravity acted. */
static void start_link_momenta(const quasi_problem *problem, int r) {
  const ff_model_robot *robot = &problem->model->robots[r];
  const ff_tree_work *work = problem->state->robots[r].work;
  for (int i = 1; i <= robot->link_count; i++) {
    quasi_link *link = &problem->robots[r].links[i - 1];
    ff_vec3 com;
    link->momentum_free = sv_zero();
    link->r_start = work->r[i];
    link->arm_start = link_arm(problem, r, i);
    if (!robot->tree->links[i].still) {
      link->momentum_free = link_momentum(work, i, &com);
      link->reach_start = com;
      link->com_start = v3_add(work->pose[i].position, com);
      link->v_start = sv_motion_to(com, work->v[i]);
      double weight = problem->h * work->inertia[i].m;
      link->momentum_free.l = v3_axpy(link->momentum_free.l, weight, problem->model->run.gravity);
    }
  }
}

/* Impulses of drives and joints, inertia and its factor, and the velocity without contacts. */
static bool start_robot_inertia(const quasi_problem *problem, int r) {
  const ff_model_robot *robot = &problem->model->robots[r];
  ff_state_robot *at = &problem->state->robots[r];
  const quasi_robot *to = &problem->robots[r];
  const double *v = problem->state->y + robot->v_at;
  size_t n = (size_t)robot->v_count;
  ff_tree_inertia(at->work, to->factor);
  ff_quasi_begin_joints(problem, r, to->factor, robot->v_count + 1);
  ff_quasi_soften_drives(problem, r);
  memcpy(to->s_start, at->work->s, (size_t)robot->tree->s_count * sizeof *to->s_start);
  ff_robot_look_ahead(problem->model, problem->state, r, problem->h, problem->h);
  bool good = ff_robot_acceleration(problem->model, problem->state, r) != NULL;
  memcpy(to->added_inertia, ff_tree_added_inertia(at->work), n * sizeof *to->added_inertia);
  ff_robot_drop(problem->model, problem->state, r);
  for (size_t k = 0; k < n; k++) {
    to->factor[k * n + k] += to->added_inertia[k];
    to->u_free[k] = v[k] + problem->h * at->a[k];
    to->impulse[k] = problem->h * at->tau[k];
  }
  return good && ff_tree_factor(robot->tree, to->factor);
}

bool ff_quasi_fly_robots(const quasi_problem *problem, double t) {
  const ff_model *model = problem->model;
  bool good = true;
  ff_robots_load(model, problem->state, t, problem->state->y, NULL);
  for (int r = 0; r < model->robot_count; r++) {
    const ff_model_robot *robot = &model->robots[r];
    quasi_body *bodies = &problem->bodies[robot->first_body];
    problem->robots[r].theta = model->run.stepper.order == 2 ? 0.5 : 1;
    for (int i = 0; i < robot->link_count; i++) {
      bodies[i].theta = problem->robots[r].theta;
      bodies[i].end = problem->state->bodies[bodies[i].id];
      if (bodies[i].node >= 0) {
        bodies[i].link = &problem->robots[r].links[i];
      }
    }
    if (problem->h > 0) { /* the ground bears the weight of a robot that cannot move, too */
      start_link_momenta(problem, r);
    }
    if (problem->h > 0 && (robot->v_count > 0 || robot->track)) {
      good = good && start_robot_inertia(problem, r);
      memcpy(problem->robots[r].u, problem->robots[r].u_free,
             (size_t)robot->v_count * sizeof(double));
      move_links(problem, r);
      for (int i = 0; i < robot->link_count; i++) {
        bodies[i].free_end = bodies[i].end.pose;
        bodies[i].moved = false;
        if (bodies[i].node < 0 && model->run.stepper.order != 2) { /* led: as a prescribed body */
          bodies[i].start.velocity = bodies[i].end.velocity;
          bodies[i].start.omega = bodies[i].end.omega;
        }
      }
    }
  }
  return good;
}

/* ---- residual --------------------------------------------------------------------------- */

void ff_quasi_clear_links(const quasi_problem *problem, int r) {
  const ff_model_robot *robot = &problem->model->robots[r];
  for (int i = 0; i < robot->link_count; i++) {
    quasi_link *link = &problem->robots[r].links[i];
    const ff_wrench *wrench = &problem->state->wrenches[robot->first_body + i];
    v3_store(link->rows, v3_scale(-problem->h, wrench->force));
    v3_store(link->rows + 3, v3_scale(-problem->h, wrench->torque));
    link->scale[0] = problem->h * v3_norm(wrench->force);
    link->scale[1] = problem->h * v3_norm(wrench->torque);
  }
}

/* Change of momentum minus impulses of a link, at its origin in the pose of the end or of the
 * start; and the magnitude of its terms. */
static ff_sv link_residual(const quasi_problem *problem, int r, int i, bool start) {
  const ff_tree_work *work = problem->state->robots[r].work;
  quasi_link *link = &problem->robots[r].links[i - 1];
  ff_vec3 force = v3_load(link->rows), arm = start ? link->arm_start : link_arm(problem, r, i);
  ff_sv sum = {v3_add(v3_load(link->rows + 3), v3_cross(arm, force)), force};
  link->subtree_scale[0] = link->scale[0];
  link->subtree_scale[1] = link->scale[1] + v3_norm(arm) * link->scale[0];
  if (!work->tree->links[i].still) {
    ff_vec3 com;
    ff_sv now = link_momentum(work, i, &com), change = sv_sub(now, link->momentum_free);
    double size = v3_norm(now.l) + v3_norm(link->momentum_free.l);
    sum = sv_add(sum, sv_force_back(start ? link->reach_start : com, change));
    link->subtree_scale[0] += size;
    link->subtree_scale[1] += v3_norm(now.a) + v3_norm(link->momentum_free.a) + v3_norm(com) * size;
  }
  return sum;
}

/* Adds a share of J^T times the residuals of links to the rows, J at the end or at the start. */
static void project_links(const quasi_problem *problem, int r, bool start, double share,
                          double *rows) {
  const ff_model_robot *robot = &problem->model->robots[r];
  const ff_tree *tree = robot->tree;
  ff_tree_work *work = problem->state->robots[r].work;
  quasi_robot *to = &problem->robots[r];
  work->f[0] = sv_zero();
  for (int i = 1; i <= robot->link_count; i++) {
    work->f[i] = link_residual(problem, r, i, start);
  }
  for (int i = robot->link_count; i > 0; i--) {
    const ff_tree_link_data *link = &tree->links[i];
    const double *size = to->links[i - 1].subtree_scale;
    ff_vec3 reach = start ? to->links[i - 1].r_start : work->r[i];
    for (int k = 0; k < link->v_count; k++) {
      ff_sv s = start ? to->s_start[link->s_at + k] : work->s[link->s_at + k];
      rows[quasi_robot_index(robot, link->v_at + k)] += share * sv_dot(s, work->f[i]);
      to->scale[link->v_at + k] += share * (v3_norm(s.l) * size[0] + v3_norm(s.a) * size[1]);
    }
    work->f[link->parent] = sv_add(work->f[link->parent], sv_force_back(reach, work->f[i]));
    if (link->parent > 0) {
      double *parent = to->links[link->parent - 1].subtree_scale;
      parent[0] += size[0];
      parent[1] += size[1] + v3_norm(reach) * size[0];
    }
  }
  to->root = sv_axpy(to->root, share, work->f[0]);
}

void ff_quasi_robot_residual(const quasi_problem *problem, int r, double *rows) {
  const ff_model_robot *robot = &problem->model->robots[r];
  quasi_robot *to = &problem->robots[r];
  const double *v = problem->state->y + robot->v_at;
  for (int k = 0; k < robot->v_count; k++) {
    double inertia = robot->tree->armature[k] + to->added_inertia[k];
    rows[quasi_robot_index(robot, k)] = inertia * (to->u[k] - v[k]) - to->impulse[k];
    to->scale[k] = inertia * (fabs(to->u[k]) + fabs(v[k])) + fabs(to->impulse[k]);
  }
  ff_quasi_joint_rows(problem, r, rows, NULL);
  to->root = sv_zero();
  if (to->theta < 1) {
    project_links(problem, r, true, 1 - to->theta, rows);
  }
  project_links(problem, r, false, to->theta, rows);
  to->base = ff_tree_carried_wrench(problem->state->robots[r].work);
}

quasi_norm ff_quasi_robot_norm(const quasi_problem *problem, int r, const double *rows) {
  const ff_model_robot *robot = &problem->model->robots[r];
  const quasi_robot *to = &problem->robots[r];
  double *x = problem->state->robots[r].work->rest;
  quasi_norm out = {0, 0};
  for (int k = 0; k < robot->v_count; k++) {
    x[k] = rows[quasi_robot_index(robot, k)];
    out.worst = fmax(out.worst, fabs(x[k]) / to->scale[k]);
  }
  ff_branch_down(robot->tree->dof_parent, robot->v_count, to->factor, x);
  for (int k = 0; k < robot->v_count; k++) {
    out.energy += 0.5 * x[k] * x[k];
  }
  return out;
}

/* ---- end of the step -------------------------------------------------------------------- */

/* J, energy that the step takes from a link: by gravity and spin as from a free body
 * (energy_accounting.c), and because joints act with J = theta J_1 + (1 - theta) J_0 on the mean of
 * u_0 and u_1, while velocities are J_0 u_0 and J_1 u_1. The velocity of a root with a track adds
 * to all of these; what holds it works with the mean of its velocities of start and end. */
static double link_step_loss(const quasi_problem *problem, int r, int i) {
  const ff_tree_work *work = problem->state->robots[r].work;
  const quasi_link *link = &problem->robots[r].links[i - 1];
  double mass = work->inertia[i].m;
  ff_vec3 com, weight = v3_scale(problem->h * mass, problem->model->run.gravity);
  ff_sv now = link_momentum(work, i, &com), v = sv_motion_to(com, work->v[i]);
  ff_vec3 way = v3_sub(v3_add(work->pose[i].position, com), link->com_start);
  ff_vec3 ahead = v3_axpy(way, -0.5 * problem->h, v3_add(link->v_start.l, v.l));
  double gyro = 0.5 * (v3_dot(link->momentum_free.a, v.a) - v3_dot(now.a, link->v_start.a));
  double theta = problem->robots[r].theta;
  ff_sv held = sv_force_back(v3_neg(com), link_residual(problem, r, i, false));
  ff_sv apart = sv_axpy(sv_zero(), theta, sv_sub(link->v_start, link->v_start_at_end));
  apart = sv_axpy(apart, 1 - theta, sv_sub(v, link->v_end_at_start));
  return v3_dot(weight, ahead) / problem->h - gyro - 0.5 * sv_dot(apart, held);
}

/* Tree with coordinates and velocities of different times. */
static void place_mixed(const quasi_problem *problem, int r, const ff_tree_base *base,
                        const ff_sv *base_v, const double *q, const double *v) {
  ff_tree_work *work = problem->state->robots[r].work;
  ff_tree_base mixed = *base;
  mixed.v = *base_v;
  ff_tree_set_base(work, &mixed);
  ff_tree_update(work, q, v);
}

void ff_quasi_finish_robot(const quasi_problem *problem, int r, double *ledger) {
  const ff_model_robot *robot = &problem->model->robots[r];
  ff_state_robot *at = &problem->state->robots[r];
  const quasi_robot *from = &problem->robots[r];
  double *y = problem->state->y, lost = 0;
  for (int k = 0; k < robot->v_count; k++) {
    at->a[k] = (from->u[k] - y[robot->v_at + k]) / problem->h;
  }
  ff_tree_wrench ground = {{0, 0, 0}, {0, 0, 0}};
  if (ff_tree_link(robot->tree, 1).kind != FF_JOINT_FREE) {
    ground.force = v3_scale(1 / problem->h, from->base.force);
    ground.torque = v3_scale(1 / problem->h, from->base.torque);
  }
  ff_quasi_soften_drives(problem, r);
  ff_robot_book(problem->model, problem->state, r, problem->h, problem->h, ground);
  ff_quasi_book_joints(problem, r, ledger);
  at->placed[0] = NAN;
  ff_tree_base base[2] = {at->work->base, at->work->base};
  if (robot->track) {
    base[0] = ff_robot_base_at(robot, problem->state->t);
    base[1] = ff_robot_base_at(robot, problem->state->t + problem->h);
    ff_sv mean = sv_axpy(sv_zero(), 0.5, sv_add(base[0].v, base[1].v));
    ledger[FF_Y_WORK] += sv_dot(mean, from->root);
  }
  place_mixed(problem, r, &base[0], &base[1].v, y + robot->q_at, from->u);
  for (int i = 1; i <= robot->link_count; i++) {
    ff_vec3 com;
    link_momentum(at->work, i, &com);
    from->links[i - 1].v_end_at_start = sv_motion_to(com, at->work->v[i]);
  }
  place_mixed(problem, r, &base[1], &base[0].v, from->q, y + robot->v_at);
  for (int i = 1; i <= robot->link_count; i++) {
    ff_vec3 com;
    link_momentum(at->work, i, &com);
    from->links[i - 1].v_start_at_end = sv_motion_to(com, at->work->v[i]);
  }
  place_mixed(problem, r, &base[1], &base[1].v, from->q, from->u);
  for (int i = 1; i <= robot->link_count; i++) {
    lost += robot->tree->links[i].still ? 0 : link_step_loss(problem, r, i);
  }
  ledger[FF_Y_LOST + FF_LOST_STEP] += lost;
  memcpy(y + robot->v_at, from->u, (size_t)robot->v_count * sizeof *y);
  memcpy(y + robot->q_at, from->q, (size_t)robot->q_count * sizeof *y);
}
