#include "step/robots.h"

#include "math/vec.h"
#include "model/table.h"
#include "tree/tree.h"

#include <string.h>

/* ---- kinematics --------------------------------------------------------------------- */

void ff_robots_place(const ff_model *model, const ff_state *state, const double *y) {
  for (int r = 0; r < model->robot_count; r++) {
    const ff_model_robot *robot = &model->robots[r];
    ff_tree_work *work = state->robots[r].work;
    /* Asked twice for the same state, as steppers do: it stands there already. */
    size_t bytes = (size_t)(robot->q_count + robot->v_count) * sizeof *y;
    if (memcmp(state->robots[r].placed, y + robot->q_at, bytes) == 0) {
      continue;
    }
    memcpy(state->robots[r].placed, y + robot->q_at, bytes);
    ff_tree_update(work, y + robot->q_at, y + robot->v_at);
    for (int i = 0; i < robot->link_count; i++) {
      const ff_model_body *body = &model->bodies[robot->first_body + i];
      ff_body_motion *motion = &state->bodies[robot->first_body + i];
      const ff_pose *pose = &work->pose[i + 1];
      ff_vec3 arm = m3_mul(work->turn[i + 1], body->frame.position);
      ff_sv v = work->v[i + 1];
      motion->pose.position = v3_add(pose->position, arm);
      motion->pose.orientation = pose->orientation;
      motion->omega = v.a;
      motion->velocity = v3_add(v.l, v3_cross(v.a, arm));
    }
  }
}

/* ---- forces in the joints ----------------------------------------------------------- */

/* What drives a joint now, within its effort; at the limit it no longer depends on the state. */
static double servo(const ff_model_joint *joint, double t, double q, double v, bool *free) {
  double torque = 0;
  if (joint->steady) {
    torque = joint->stiffness * (joint->target.values[1] - q) - joint->damping * v;
  } else {
    double target = 0;
    ff_table_value(&joint->torque, t, &torque);
    if (joint->stiffness > 0 || joint->damping > 0) {
      ff_table_value(&joint->target, t, &target);
      torque += joint->stiffness * (target - q) +
                joint->damping * (ff_table_slope(&joint->target, t) - v);
    }
  }
  *free = fabs(torque) <= joint->effort;
  return *free ? torque : copysign(joint->effort, torque);
}

void ff_robots_load(const ff_model *model, ff_state *state, double t, const double *y,
                    double *ledger) {
  for (int r = 0; r < model->robot_count; r++) {
    const ff_model_robot *robot = &model->robots[r];
    ff_state_robot *at = &state->robots[r];
    const double *q = y + robot->q_at, *v = y + robot->v_at;
    size_t bytes = (size_t)robot->v_count * sizeof(double);
    memset(at->servo, 0, bytes);
    double work = 0;
    for (int k = 0; k < robot->joint_count; k++) {
      const ff_model_joint *joint = &robot->joints[k];
      int i = joint->v_at;
      at->servo[i] = servo(joint, t, q[joint->q_at], v[i], &at->free[i]);
      work += at->servo[i] * v[i];
    }
    memcpy(at->tau, at->servo, bytes);
    ff_joint_loads loads = ff_tree_joint_loads(robot->tree, q, v, at->tau);
    at->stored = loads.stored;
    if (ledger) {
      ledger[FF_Y_LOST + FF_LOST_JOINT] += loads.lost;
      ledger[FF_Y_WORK] += work;
    }
  }
}

/* ---- accelerations ------------------------------------------------------------------ */

static bool pushes(const ff_wrench *w) {
  return w->force.x != 0 || w->force.y != 0 || w->force.z != 0 || w->torque.x != 0 ||
         w->torque.y != 0 || w->torque.z != 0;
}

/* The wrench on a link's centre of mass becomes one on its origin. NULL if nothing pushes. */
static const ff_tree_wrench *gather(const ff_model *model, const ff_state *state, int r) {
  const ff_model_robot *robot = &model->robots[r];
  const ff_wrench *from = &state->wrenches[robot->first_body];
  ff_tree_wrench *to = state->robots[r].wrenches;
  int first = 0;
  while (first < robot->link_count && !pushes(&from[first])) {
    first++;
  }
  if (first == robot->link_count) {
    return NULL;
  }
  for (int i = 0; i < robot->link_count; i++) {
    to[i] = (ff_tree_wrench){from[i].force, from[i].torque};
    if (pushes(&from[i])) {
      ff_vec3 arm = v3_sub(state->bodies[robot->first_body + i].pose.position,
                           state->robots[r].work->pose[i + 1].position);
      to[i].torque = v3_add(to[i].torque, v3_cross(arm, to[i].force));
    }
  }
  return to;
}

/* Impulses from outside over time h: gravity, and what the ground passes on. */
static void book(const ff_model *model, const ff_state *state, int r, double *ledger, double h) {
  ff_tree_work *work = state->robots[r].work;
  ff_tree_wrench ground = ff_tree_ground_wrench(work);
  ff_vec3 weight = v3_scale(ff_tree_mass(model->robots[r].tree), model->run.gravity);
  ff_vec3 com = ff_tree_whole(work, model->run.gravity).com;
  ff_vec3 force = v3_add(ground.force, weight);
  ff_vec3 torque = v3_add(ground.torque, v3_cross(com, weight));
  double *to = ledger + FF_Y_IMPULSE;
  v3_store(to, v3_axpy(v3_load(to), h, force));
  to = ledger + FF_Y_ANGULAR;
  v3_store(to, v3_axpy(v3_load(to), h, torque));
}

int ff_robots_rates(const ff_model *model, const ff_state *state, const double *y, double *dy) {
  double sum = 0;
  for (int r = 0; r < model->robot_count; r++) {
    const ff_model_robot *robot = &model->robots[r];
    const ff_state_robot *at = &state->robots[r];
    const ff_tree_wrench *wrenches = gather(model, state, r);
    ff_tree_q_rate(robot->tree, y + robot->q_at, y + robot->v_at, dy + robot->q_at);
    if (!ff_tree_forward_dynamics(at->work, at->tau, model->run.gravity, wrenches,
                                  dy + robot->v_at)) {
      return 1;
    }
    book(model, state, r, dy + state->ledger_at, 1);
    for (int i = robot->q_at; i < robot->v_at + robot->v_count; i++) {
      sum += dy[i];
    }
  }
  return !isfinite(sum);
}

/* ---- symplectic Euler --------------------------------------------------------------- */

/* With q and v at the end of the step, drives and the resistance of joints give
 *   tau - stiffness h (v + h a) - (damping + resistance) h a,
 * of which the part with a is inertia: added. */
static void look_ahead(const ff_model_robot *robot, const ff_state_robot *at, const double *v,
                       double h, double *added) {
  memset(added, 0, (size_t)robot->v_count * sizeof *added);
  if (robot->tree->resists) {
    ff_tree_resistance(robot->tree, v, at->resist);
    for (int i = 0; i < robot->v_count; i++) {
      added[i] = h * at->resist[i];
    }
  }
  for (int k = 0; k < robot->joint_count; k++) {
    const ff_model_joint *joint = &robot->joints[k];
    int i = joint->v_at;
    if (at->free[i]) {
      added[i] += h * (joint->damping + h * joint->stiffness);
      at->tau[i] -= h * joint->stiffness * v[i];
    }
  }
}

/* The ledger holds work and losses as they were at the start of the step; forces were what the
 * look ahead made of them, and acted along the mean velocity. */
static void correct_ledger(const ff_model_robot *robot, const ff_state_robot *at, const double *v,
                           double h, double *ledger) {
  double lost = 0, work = 0;
  for (int i = 0; robot->tree->resists && i < robot->v_count; i++) {
    double end = v[i] + h * at->a[i], mean = v[i] + 0.5 * h * at->a[i];
    lost += at->resist[i] * (end * mean - v[i] * v[i]);
  }
  for (int k = 0; k < robot->joint_count; k++) {
    const ff_model_joint *joint = &robot->joints[k];
    int i = joint->v_at;
    double end = v[i] + h * at->a[i], mean = v[i] + 0.5 * h * at->a[i];
    double less = at->free[i] ? h * (joint->stiffness * end + joint->damping * at->a[i]) : 0;
    work += (at->servo[i] - less) * mean - at->servo[i] * v[i];
  }
  ledger[FF_Y_LOST + FF_LOST_JOINT] += h * lost;
  ledger[FF_Y_WORK] += h * work;
}

bool ff_robots_step(const ff_model *model, ff_state *state, double h) {
  double *ledger = ff_state_ledger(state);
  for (int r = 0; r < model->robot_count; r++) {
    const ff_model_robot *robot = &model->robots[r];
    ff_state_robot *at = &state->robots[r];
    double *q = state->y + robot->q_at, *v = state->y + robot->v_at;
    double *added = ff_tree_added_inertia(at->work);
    const ff_tree_wrench *wrenches = gather(model, state, r);
    look_ahead(robot, at, v, h, added);
    bool good = ff_tree_forward_dynamics(at->work, at->tau, model->run.gravity, wrenches, at->a);
    if (good) {
      book(model, state, r, ledger, h);
      correct_ledger(robot, at, v, h, ledger);
    }
    memset(added, 0, (size_t)robot->v_count * sizeof *added);
    if (!good) {
      return false;
    }
    for (int i = 0; i < robot->v_count; i++) {
      v[i] += h * at->a[i];
    }
    ff_tree_q_move(robot->tree, q, v, h);
    if (ff_tree_link(robot->tree, 1).kind == FF_JOINT_FREE) { /* a fall is exact: g h^2 / 2 */
      v3_store(q, v3_axpy(v3_load(q), -0.5 * h * h, model->run.gravity));
    }
  }
  return true;
}

void ff_robots_tidy(const ff_model *model, ff_state *state) {
  for (int r = 0; r < model->robot_count; r++) {
    const ff_model_robot *robot = &model->robots[r];
    ff_tree_q_tidy(robot->tree, state->y + robot->q_at);
  }
}
