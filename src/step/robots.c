#include "step/robots.h"

#include "math/vec.h"
#include "model/links.h"
#include "model/table.h"
#include "tree/tree.h"

#include <string.h>

/* ---- kinematics --------------------------------------------------------------------- */

void ff_robots_place(const ff_model *model, const ff_state *state, double t, const double *y) {
  for (int r = 0; r < model->robot_count; r++) {
    const ff_model_robot *robot = &model->robots[r];
    ff_tree_work *work = state->robots[r].work;
    bool same_time = !robot->track || state->robots[r].placed_t == t;
    /* Asked twice for the same state, as steppers do: it stands there already. */
    size_t bytes = (size_t)(robot->q_count + robot->v_count) * sizeof *y;
    if (bytes > 0 && same_time && memcmp(state->robots[r].placed, y + robot->q_at, bytes) == 0) {
      continue;
    }
    memcpy(state->robots[r].placed, y + robot->q_at, bytes);
    if (robot->track) {
      ff_tree_base base = ff_robot_base_at(robot, t);
      ff_tree_set_base(work, &base);
      state->robots[r].placed_t = t;
    }
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

/* Command of a drive: from a controller, else from its own tables. */
static ff_joint_order demand_of(const ff_model_joint *joint, const ff_state_order *given,
                                double t) {
  if (given->given) {
    ff_joint_order order = given->order;
    order.target += order.rate * (t - given->time);
    return order;
  }
  ff_joint_order out = {.target = joint->steady ? joint->target.values[1] : 0,
                        .stiffness = joint->stiffness,
                        .damping = joint->damping};
  if (!joint->steady) {
    ff_table_value(&joint->torque, t, &out.torque);
    if (joint->stiffness > 0 || joint->damping > 0) {
      ff_table_value(&joint->target, t, &out.target);
      out.rate = ff_table_slope(&joint->target, t);
    }
  }
  return out;
}

/* What is missing to the targets of the three parts of a turn or slide, link axes. */
static ff_vec3 missing_parts(const ff_model_joint *first, const ff_state_order *given, double t,
                             const double *q) {
  ff_vec3 target =
      v3(demand_of(&first[0], &given[0], t).target, demand_of(&first[1], &given[1], t).target,
         demand_of(&first[2], &given[2], t).target);
  const double *at = q + first->q_at;
  const double *turn = first->form == FF_AXIS_TURN ? at : at + 3;
  ff_quat now = q_unit((ff_quat){turn[0], turn[1], turn[2], turn[3]});
  if (first->form == FF_AXIS_SLIDE) {
    return q_unrotate(now, v3_sub(target, v3_load(at)));
  }
  return q_log(q_mul(q_conj(now), q_exp(target)));
}

static double clip(double value, double limit) {
  return fmax(-limit, fmin(limit, value));
}

/* What the drive of an axis gives, and how it resists. */
typedef struct effort {
  double torque, stiffness, damping;
} effort;

/* The most (side 1) or least (side -1) that a drive may give near its limits, see
 * ff_joint_setting. */
static effort safe_limit(const ff_model_joint *joint, double position, double v, double side) {
  double soft = side > 0 ? joint->soft_upper : joint->soft_lower;
  double fastest = side * joint->speed, slope = 0;
  if (joint->safety_position > 0 && isfinite(soft)) {
    double wanted = -joint->safety_position * (position - soft);
    fastest = clip(wanted, joint->speed);
    slope = fastest == wanted ? joint->safety_position : 0;
  }
  double most = -joint->safety_speed * (v - fastest);
  if (fabs(most) > joint->effort) {
    return (effort){copysign(joint->effort, most), 0, 0};
  }
  return (effort){most, joint->safety_speed * slope, joint->safety_speed};
}

/* Effort of a drive within its limits of effort, speed and position. */
static effort within_limits(const ff_model_joint *joint, effort wanted, double position, double v) {
  double much = fabs(wanted.torque); /* most of the time it is far from all of them */
  if (much <= joint->effort && joint->safety_position == 0 &&
      much <= joint->safety_speed * (joint->speed - fabs(v))) {
    return wanted;
  }
  if (joint->safety_speed > 0) {
    effort most = safe_limit(joint, position, v, 1), least = safe_limit(joint, position, v, -1);
    wanted = wanted.torque > most.torque ? most : wanted;
    return wanted.torque < least.torque ? least : wanted;
  }
  if (fabs(wanted.torque) > joint->effort) {
    return (effort){copysign(joint->effort, wanted.torque), 0, 0};
  }
  return wanted;
}

/* Forces of the drives at time t; returns their power. */
static double drive_joints(const ff_model_robot *robot, ff_state_robot *at, double t,
                           const double *q, const double *v) {
  double power = 0;
  ff_vec3 missing = {0, 0, 0};
  for (int k = 0; k < robot->joint_count; k++) {
    const ff_model_joint *joint = &robot->joints[k];
    if (joint->follows) {
      continue;
    }
    int i = joint->v_at;
    ff_joint_order asked = demand_of(joint, &at->orders[k], t);
    double position = joint->form == FF_AXIS_PLAIN ? q[joint->q_at] : ff_axis_position(joint, q);
    double error = asked.target - position;
    if (joint->form != FF_AXIS_PLAIN) {
      missing = joint->part == 0 ? missing_parts(joint, &at->orders[k], t, q) : missing;
      error = joint->part == 0 ? missing.x : (joint->part == 1 ? missing.y : missing.z);
    }
    effort gives = {asked.stiffness * error + asked.damping * (asked.rate - v[i]) + asked.torque,
                    asked.stiffness, asked.damping};
    gives = within_limits(joint, gives, position, v[i]);
    at->servo[i] = gives.torque;
    at->stiffness[i] = joint->explicit_drive ? 0 : gives.stiffness;
    at->damping[i] = joint->explicit_drive ? 0 : gives.damping;
    power += gives.torque * v[i];
  }
  return power;
}

void ff_robots_load(const ff_model *model, ff_state *state, double t, const double *y,
                    double *ledger) {
  for (int r = 0; r < model->robot_count; r++) {
    const ff_model_robot *robot = &model->robots[r];
    ff_state_robot *at = &state->robots[r];
    const double *q = y + robot->q_at, *v = y + robot->v_at;
    double power = drive_joints(robot, at, t, q, v);
    memcpy(at->tau, at->servo, (size_t)robot->v_count * sizeof(double));
    ff_joint_loads loads = ff_tree_joint_loads(robot->tree, q, v, at->tau);
    at->stored = loads.stored;
    if (ledger) {
      ledger[FF_Y_LOST + FF_LOST_JOINT] += loads.lost;
      ledger[FF_Y_WORK] += power;
    }
  }
}

/* ---- accelerations ------------------------------------------------------------------ */

static bool pushes(const ff_wrench *w) {
  return w->force.x != 0 || w->force.y != 0 || w->force.z != 0 || w->torque.x != 0 ||
         w->torque.y != 0 || w->torque.z != 0;
}

/* The wrench on a link's centre of mass becomes one on its origin. */
static ff_tree_wrench *move_wrenches(const ff_model *model, const ff_state *state, int r) {
  const ff_model_robot *robot = &model->robots[r];
  const ff_wrench *from = &state->wrenches[robot->first_body];
  ff_tree_wrench *to = state->robots[r].wrenches;
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

/* NULL if nothing pushes. */
static const ff_tree_wrench *gather(const ff_model *model, const ff_state *state, int r) {
  const ff_model_robot *robot = &model->robots[r];
  const ff_wrench *from = &state->wrenches[robot->first_body];
  for (int i = 0; i < robot->link_count; i++) {
    if (pushes(&from[i])) {
      return move_wrenches(model, state, r);
    }
  }
  return NULL;
}

/* Impulses from outside over time h: gravity, and what the ground passes on. */
static void book_robot_impulse(const ff_model *model, const ff_state *state, int r,
                               ff_tree_wrench ground, double *ledger, double h) {
  ff_vec3 weight = v3_scale(ff_tree_mass(model->robots[r].tree), model->run.gravity);
  ff_vec3 com = ff_tree_whole(state->robots[r].work, model->run.gravity).com;
  ff_vec3 force = v3_add(ground.force, weight);
  ff_vec3 torque = v3_add(ground.torque, v3_cross(com, weight));
  ff_ledger_impulse(ledger, v3_scale(h, force), v3_scale(h, torque));
}

/* Work over time h of what holds a root on its track, which moves with velocity v meanwhile. */
static void book_base_work(const ff_model *model, const ff_state *state, int r,
                           ff_tree_wrench ground, ff_sv v, double *ledger, double h) {
  if (model->robots[r].track) {
    ledger[FF_Y_WORK] += h * ff_tree_base_power(state->robots[r].work, ground, v);
  }
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
    ff_tree_wrench ground = ff_tree_ground_wrench(at->work);
    book_robot_impulse(model, state, r, ground, dy + state->ledger_at, 1);
    book_base_work(model, state, r, ground, at->work->base.v, dy + state->ledger_at, 1);
    for (int i = robot->q_at; i < robot->v_at + robot->v_count; i++) {
      sum += dy[i];
    }
  }
  return !isfinite(sum);
}

const double *ff_robot_acceleration(const ff_model *model, const ff_state *state, int robot) {
  const ff_state_robot *at = &state->robots[robot];
  const ff_tree_wrench *wrenches = move_wrenches(model, state, robot);
  bool good = ff_tree_forward_dynamics(at->work, at->tau, model->run.gravity, wrenches, at->a);
  return good ? at->a : NULL;
}

/* ---- symplectic Euler --------------------------------------------------------------- */

/* With q and v at the end of the step, which is `rest` away, drives and the resistance of joints
 * give
 *   tau - stiffness rest (v + h a) - (damping + resistance) h a,
 * of which the part with a is inertia: added. */
static void look_ahead(const ff_model_robot *robot, const ff_state_robot *at, const double *v,
                       double h, double rest) {
  double *added = ff_tree_added_inertia(at->work);
  memset(added, 0, (size_t)robot->v_count * sizeof *added);
  if (robot->tree->resists) {
    ff_tree_resistance(robot->tree, v, at->resist);
    for (int i = 0; i < robot->v_count; i++) {
      added[i] = h * at->resist[i];
    }
  }
  for (int i = 0; i < robot->v_count; i++) {
    added[i] += h * (at->damping[i] + rest * at->stiffness[i]);
    at->tau[i] -= rest * at->stiffness[i] * v[i];
  }
}

/* The ledger holds work and losses as they were at the start of the step; forces were what the
 * look ahead made of them, and acted along the mean velocity. */
static void correct_ledger(const ff_model_robot *robot, const ff_state_robot *at, const double *v,
                           double h, double rest, double *ledger) {
  double lost = 0, work = 0;
  for (int i = 0; robot->tree->resists && i < robot->v_count; i++) {
    double end = v[i] + h * at->a[i], mean = v[i] + 0.5 * h * at->a[i];
    lost += at->resist[i] * (end * mean - v[i] * v[i]);
  }
  for (int i = 0; i < robot->v_count; i++) {
    double end = v[i] + h * at->a[i], mean = v[i] + 0.5 * h * at->a[i];
    double less = rest * at->stiffness[i] * end + h * at->damping[i] * at->a[i];
    work += (at->servo[i] - less) * mean - at->servo[i] * v[i];
  }
  ledger[FF_Y_LOST + FF_LOST_JOINT] += h * lost;
  ledger[FF_Y_WORK] += h * work;
}

void ff_robot_look_ahead(const ff_model *model, ff_state *state, int r, double h, double rest) {
  const ff_model_robot *robot = &model->robots[r];
  look_ahead(robot, &state->robots[r], state->y + robot->v_at, h, rest);
  state->robots[r].solved = false;
}

/* The bias is what it needs to go on without acceleration. */
void ff_robot_impulse(const ff_model *model, ff_state *state, int r, double time, double *out) {
  const ff_state_robot *at = &state->robots[r];
  int n = model->robots[r].v_count;
  ff_tree_inverse_dynamics(at->work, NULL, model->run.gravity, gather(model, state, r), out);
  for (int i = 0; i < n; i++) {
    out[i] = time * (at->tau[i] - out[i]);
  }
}

void ff_robot_drop(const ff_model *model, ff_state *state, int r) {
  double *added = ff_tree_added_inertia(state->robots[r].work);
  memset(added, 0, (size_t)model->robots[r].v_count * sizeof *added);
}

/* What the ground passes on under the acceleration of the step, once that is known. */
static ff_tree_wrench ground_of(const ff_model *model, ff_state *state, int r) {
  ff_state_robot *at = &state->robots[r];
  if (!at->solved) {
    return ff_tree_ground_wrench(at->work);
  }
  if (ff_tree_link(model->robots[r].tree, 1).kind == FF_JOINT_FREE) {
    return (ff_tree_wrench){{0, 0, 0}, {0, 0, 0}};
  }
  ff_tree_inverse_dynamics(at->work, at->a, model->run.gravity, gather(model, state, r), at->tau);
  return ff_tree_carried_wrench(at->work);
}

void ff_robot_book(const ff_model *model, ff_state *state, int r, double h, double rest,
                   ff_tree_wrench ground) {
  const ff_model_robot *robot = &model->robots[r];
  double *ledger = ff_state_ledger(state);
  book_robot_impulse(model, state, r, ground, ledger, h);
  correct_ledger(robot, &state->robots[r], state->y + robot->v_at, h, rest, ledger);
}

void ff_robot_move(const ff_model *model, ff_state *state, int r, double h, double rest) {
  const ff_model_robot *robot = &model->robots[r];
  const ff_state_robot *at = &state->robots[r];
  double *q = state->y + robot->q_at, *v = state->y + robot->v_at;
  ff_tree_wrench ground = ground_of(model, state, r);
  ff_robot_book(model, state, r, h, rest, ground);
  if (robot->track) { /* energies change by the mean velocity */
    ff_sv sum = sv_add(at->work->base.v, ff_robot_base_at(robot, state->t + h).v);
    ff_sv mean = sv_axpy(sv_zero(), 0.5, sum);
    book_base_work(model, state, r, ground, mean, ff_state_ledger(state), h);
  }
  ff_robot_drop(model, state, r);
  for (int i = 0; i < robot->v_count; i++) {
    v[i] += h * at->a[i];
  }
  ff_tree_q_move(robot->tree, q, at->solved ? at->path : v, h);
  if (!at->solved && ff_tree_link(robot->tree, 1).kind == FF_JOINT_FREE) { /* exact: g h^2 / 2 */
    v3_store(q, v3_axpy(v3_load(q), -0.5 * h * h, model->run.gravity));
  }
}

static bool accelerate(const ff_model *model, ff_state *state, int r) {
  ff_state_robot *at = &state->robots[r];
  const ff_tree_wrench *wrenches = gather(model, state, r);
  return ff_tree_forward_dynamics(at->work, at->tau, model->run.gravity, wrenches, at->a);
}

bool ff_robot_go(const ff_model *model, ff_state *state, int r, double h, double rest) {
  if (!state->robots[r].solved && !accelerate(model, state, r)) {
    ff_robot_drop(model, state, r);
    return false;
  }
  ff_robot_move(model, state, r, h, rest);
  return true;
}

bool ff_robot_step(const ff_model *model, ff_state *state, int r, double h) {
  ff_robot_look_ahead(model, state, r, h, h);
  return ff_robot_go(model, state, r, h, h);
}

/* ---- in the middle of a step --------------------------------------------------------- */

void ff_robots_fly(const ff_model *model, ff_state *state, double h) {
  for (int r = 0; r < model->robot_count; r++) {
    const ff_model_robot *robot = &model->robots[r];
    ff_tree_q_move(robot->tree, state->y + robot->q_at, state->y + robot->v_at, 0.5 * h);
  }
}

bool ff_robots_fly_on(const ff_model *model, ff_state *state, double h) {
  bool good = true;
  for (int r = 0; r < model->robot_count; r++) {
    const ff_model_robot *robot = &model->robots[r];
    const ff_state_robot *at = &state->robots[r];
    double *v = state->y + robot->v_at, *ledger = ff_state_ledger(state);
    good = good && (at->solved || accelerate(model, state, r));
    if (good) {
      ff_tree_wrench ground = ground_of(model, state, r);
      book_robot_impulse(model, state, r, ground, ledger, h);
      book_base_work(model, state, r, ground, at->work->base.v, ledger, h);
      correct_ledger(robot, at, v, h, 0.5 * h, ledger);
      for (int i = 0; i < robot->v_count; i++) {
        v[i] += h * at->a[i];
      }
    }
    ff_robot_drop(model, state, r);
  }
  ff_robots_fly(model, state, h);
  return good;
}

void ff_robots_tidy(const ff_model *model, ff_state *state) {
  for (int r = 0; r < model->robot_count; r++) {
    const ff_model_robot *robot = &model->robots[r];
    ff_tree_q_tidy(robot->tree, state->y + robot->q_at);
  }
}
