/* Control law of a controller: from sensors to joint orders. */
#include "control/controller.h"

#include "math/elementary.h"
#include "tree/tree.h"

#include <string.h>

/* Feedback gains: stiffness 1/s^2 and damping 1/s. */
typedef struct grip {
  double stiffness, damping;
} grip;
static const grip trunk_grip = {250, 30}, height_grip = {200, 26}, foot_grip = {1200, 65},
                  joint_grip = {150, 25};
/* Damping of the velocity of feet on the ground, 1/s. */
#define STILL 40
/* Largest extension of a leg, as a fraction of its length. */
#define STRETCH 0.96
/* Recovery steps are long: the centre of mass is lowered by this fraction of its height. */
#define CROUCH 0.08
/* If the desired zero-moment point is this far outside the soles, m, the trunk rotates towards the
 * fall, rad/s^2, up to an angle with this sine. */
#define ZMP_DEFICIT 0.02
#define THROW       40
#define LEAN        0.4
/* Time constant of the estimate of the ground's height, s. */
#define GROUND_TIME 0.1
/* Time from take-off until the legs are in landing configuration, s. */
#define TUCK 0.12
/* Gains of joints in the air, and of a robot that has fallen: N m/rad, N m s/rad. */
static const grip air_grip = {30, 0.6}, fallen_grip = {2, 0.15};

/* ---- joint orders ---------------------------------------------------------------------------- */

/* Joint targets interpolated from the start of the mode to the aim by this fraction. */
static void controller_hold_joints(const ff_controller *controller, grip by, double part,
                                   ff_joint_order *orders) {
  const ff_tree *tree = controller->stand->def.tree;
  for (int i = 1; i < tree->count; i++) {
    if (tree->links[i].v_count == 1) {
      int at = tree->links[i].q_at;
      double way = controller->aim[at] - controller->hold[at];
      *orders++ = (ff_joint_order){.target = controller->hold[at] + part * way,
                                   .stiffness = by.stiffness,
                                   .damping = by.damping};
    }
  }
}

/* Aim in the air: soles level, below the centre of mass, where it will come to rest. */
static void controller_aim_feet(ff_controller *controller) {
  const ff_walk_def *def = &controller->stand->def;
  ff_vec3 at = controller->told.capture;
  at.z = controller->told.com.z - def->height;
  ff_walk_foot feet[2];
  double yaw = 0.5 * (controller->sole[0].yaw + controller->sole[1].yaw);
  ff_quat turn = q_exp(v3(0, 0, yaw));
  for (int f = 0; f < 2; f++) {
    ff_vec3 side = v3(0, (f == 0 ? 0.5 : -0.5) * def->width, 0);
    feet[f].pose.orientation = turn;
    feet[f].pose.position = v3_add(at, q_rotate(turn, v3_sub(side, def->sole)));
  }
  ff_walk_config config = ff_walk_solve(controller->stand, controller->whole.trunk, feet);
  ff_walk_write(controller->stand, &config, controller->aim);
}

static void controller_order_torques(const ff_controller *controller, ff_joint_order *orders) {
  const ff_tree *tree = controller->stand->def.tree;
  for (int i = 1; i < tree->count; i++) {
    if (tree->links[i].v_count == 1) {
      *orders++ = (ff_joint_order){.torque = controller->whole.tau[tree->links[i].v_at]};
    }
  }
}

/* ---- without balance: the plan is replayed --------------------------------------------------- */

static void controller_replay_plan(ff_controller *controller, ff_joint_order *orders) {
  const ff_tree *tree = controller->stand->def.tree;
  double time = (double)controller->ticks * controller->def.period;
  const ff_walk *walk = controller->stand;
  for (int k = 0; k < controller->def.task_count; k++) {
    double lasts =
        controller->walks[k] ? ff_walk_duration(controller->walks[k]) : controller->tasks[k].time;
    if (time < lasts) {
      walk = controller->walks[k] ? controller->walks[k] : controller->stand;
      break;
    }
    time -= lasts;
  }
  ff_walk_joints(walk, time, controller->hold, controller->rest);
  for (int i = 1; i < tree->count; i++) {
    if (tree->links[i].v_count == 1) {
      *orders++ = (ff_joint_order){.target = controller->hold[tree->links[i].q_at],
                                   .rate = controller->rest[tree->links[i].v_at],
                                   .stiffness = controller->def.stiffness,
                                   .damping = controller->def.damping};
    }
  }
}

/* ---- desired accelerations ------------------------------------------------------------------- */

/* Desired height of the centre of mass over the ground, with its rates. */
static ff_way desired_height(const ff_controller *controller) {
  double height = controller->stand->def.height, pi = ff_acos(-1.0);
  const ff_task *task = &controller->tasks[controller->task];
  ff_way out = {height, 0, 0};
  if (controller->mode == FF_CONTROLLER_SWING && !controller->planned) {
    out.value -= CROUCH * height;
  }
  if (controller->task >= controller->def.task_count || controller->mode != FF_CONTROLLER_STAND) {
    return out;
  }
  if (task->kind == FF_TASK_SQUAT) {
    double w = 2 * pi / task->time, t = fmin(controller->task_time, task->time);
    out.value -= 0.5 * task->depth * (1 - ff_cos(w * t));
    out.rate = -0.5 * task->depth * w * ff_sin(w * t);
    out.bend = -0.5 * task->depth * w * w * ff_cos(w * t);
  } else if (task->kind == FF_TASK_JUMP) {
    double t = controller->task_time;
    ff_way down = ff_way_ease(t / task->time);
    out = (ff_way){height - task->depth * down.value, -task->depth * down.rate / task->time,
                   -task->depth * down.bend / (task->time * task->time)};
  }
  return out;
}

/* Greatest height of the centre of mass within reach of both legs. */
static double reachable_height(const ff_controller *controller) {
  const ff_whole *whole = &controller->whole;
  double most = INFINITY;
  for (int f = 0; f < 2; f++) {
    const ff_walk_leg *leg = &controller->stand->legs[f];
    ff_vec3 hip = pose_point(whole->trunk, leg->hip);
    ff_vec3 ankle = ff_tree_pose(whole->work, leg->link[5]).position;
    double longest = STRETCH * (leg->leg.thigh + leg->leg.shank);
    double away = ff_hypot(hip.x - ankle.x, hip.y - ankle.y);
    double up = sqrt(fmax(longest * longest - away * away, 0.04 * longest * longest));
    most = fmin(most, ankle.z + up + whole->motion.com.z - hip.z);
  }
  return most;
}

/* Take-off with a constant acceleration over the depth of the jump. */
static bool controller_take_off(ff_controller *controller, double *up) {
  const ff_task *task = &controller->tasks[controller->task];
  if (controller->task >= controller->def.task_count || task->kind != FF_TASK_JUMP ||
      controller->mode != FF_CONTROLLER_STAND || controller->task_time < task->time) {
    return false;
  }
  controller->lift_off = sqrt(2 * controller->stand->def.gravity * task->height);
  *up = controller->lift_off * controller->lift_off / (2 * task->depth);
  return true;
}

static double desired_vertical(ff_controller *controller, ff_vec3 along) {
  const ff_tree_motion *motion = &controller->whole.motion;
  ff_vec3 normal = q_rotate(controller->def.place.orientation, v3(0, 0, 1));
  double up, slope_x = -normal.x / normal.z, slope_y = -normal.y / normal.z;
  double ground = ff_controller_ground(controller, motion->com.x, motion->com.y) + controller->rise;
  if (controller_take_off(controller, &up)) {
    return up;
  }
  ff_way want = desired_height(controller);
  double height = fmin(want.value, reachable_height(controller) - ground);
  double rate = want.rate + slope_x * motion->velocity.x + slope_y * motion->velocity.y;
  double out = want.bend + slope_x * along.x + slope_y * along.y +
               height_grip.stiffness * (ground + height - motion->com.z) +
               height_grip.damping * (rate - motion->velocity.z);
  return fmax(out, -0.8 * controller->stand->def.gravity); /* the ground cannot pull */
}

static ff_vec3 orientation_feedback(ff_quat is, ff_quat want, ff_vec3 omega, grip by) {
  ff_vec3 error = q_log(q_mul(want, q_conj(is)));
  return v3_axpy(v3_scale(by.stiffness, error), -by.damping, omega);
}

/* Angular acceleration of the trunk: upright; where the soles are too small for the desired
 * zero-moment point, the trunk rotates towards the fall, which shifts the ground force the other
 * way. */
static ff_vec3 desired_trunk_spin(const ff_controller *controller, double heading, ff_vec3 lacks) {
  ff_quat is = controller->whole.trunk.orientation;
  ff_vec3 up = q_rotate(is, v3(0, 0, 1)), omega = ff_tree_omega(controller->whole.work, 1);
  ff_vec3 back = orientation_feedback(is, q_exp(v3(0, 0, heading)), omega, trunk_grip);
  double size = ff_hypot(lacks.x, lacks.y), strength = fmin(1, size / ZMP_DEFICIT);
  if (size == 0) {
    return back;
  }
  ff_vec3 axis = v3(-lacks.y / size, lacks.x / size, 0);
  double leans = (up.x * lacks.x + up.y * lacks.y) / size;
  double margin = fmax(0, 1 - fmax(0, leans) / LEAN);
  /* about this axis the upright feedback is faded out */
  double keeps = 1 - strength * (margin > 0 ? 1 : 0);
  double along = v3_dot(back, axis);
  return v3_axpy(back, (keeps - 1) * along + strength * margin * THROW, axis);
}

static void desired_feet(const ff_controller *controller, ff_whole_want *want, double yaw) {
  const ff_whole *whole = &controller->whole;
  for (int f = 0; f < 2; f++) {
    want->down[f] = controller->mode != FF_CONTROLLER_SWING || f != controller->moves;
    if (want->down[f]) {
      want->foot[f] = v3_scale(-STILL, whole->sole_velocity[f]);
      want->turn[f] = v3_scale(-STILL, whole->sole_omega[f]);
      double gap = whole->sole[f].position.z - controller->sole[f].place.z;
      if (gap > 0) { /* keeps contact with the ground */
        want->foot[f].z -= foot_grip.stiffness * gap;
      }
      continue;
    }
    ff_vec3 error = v3_sub(controller->foot.place, whole->sole[f].position);
    ff_vec3 slip = v3_sub(controller->foot.velocity, whole->sole_velocity[f]);
    want->foot[f] = v3_axpy(v3_axpy(controller->foot.acceleration, foot_grip.stiffness, error),
                            foot_grip.damping, slip);
    ff_vec3 normal = want->normal, axis = v3_cross(v3(0, 0, 1), normal);
    double angle = ff_asin(fmin(1, v3_norm(axis)));
    ff_quat tilt = angle > 0 ? q_exp(v3_scale(angle, v3_unit(axis))) : q_identity();
    want->turn[f] =
        orientation_feedback(whole->sole[f].orientation, q_mul(tilt, q_exp(v3(0, 0, yaw))),
                             whole->sole_omega[f], foot_grip);
  }
}

/* Heading of the swing foot, and of the trunk between the feet. */
static double swing_foot_yaw(const ff_controller *controller) {
  double from = controller->sole[controller->moves].yaw;
  ff_way on = ff_way_ease(controller->part / 0.9);
  return controller->mode == FF_CONTROLLER_SWING
             ? from + on.value * (controller->landing.yaw - from)
             : from;
}

static void desired_joints(ff_controller *controller, const ff_controller_sense *sense) {
  const ff_tree *tree = controller->stand->def.tree;
  for (int i = 2; i < tree->count; i++) {
    if (tree->links[i].v_count == 1) {
      int q = tree->links[i].q_at, v = tree->links[i].v_at;
      controller->rest[v] = joint_grip.stiffness * (controller->start[q] - sense->q[q]) -
                            joint_grip.damping * sense->v[v];
    }
  }
}

/* Estimates the height of the ground below the standing feet, relative to the expected one. */
static void estimate_ground(ff_controller *controller, const bool down[2]) {
  double felt = 0, count = 0;
  for (int f = 0; f < 2; f++) {
    ff_vec3 sole = controller->whole.sole[f].position;
    felt += down[f] ? sole.z - ff_controller_ground(controller, sole.x, sole.y) : 0;
    count += down[f];
  }
  if (count > 0) {
    controller->rise +=
        fmin(1, controller->def.period / GROUND_TIME) * (felt / count - controller->rise);
  }
}

/* ---- balance --------------------------------------------------------------------------------- */

/* Updates the capture point and returns the pendulum's natural frequency. */
static double update_capture_point(ff_controller *controller, const ff_controller_sense *sense) {
  ff_whole_place(&controller->whole, sense->q, sense->v);
  ff_vec3 com = controller->whole.motion.com, velocity = controller->whole.motion.velocity;
  double ground = ff_controller_ground(controller, com.x, com.y) + controller->rise;
  double height = fmax(com.z - ground, 0.3 * controller->stand->def.height);
  double omega = sqrt(controller->stand->def.gravity / height);
  controller->told.com = com;
  controller->told.com_velocity = velocity;
  controller->told.capture = v3(com.x + velocity.x / omega, com.y + velocity.y / omega, ground);
  return omega;
}

static bool controller_balance(ff_controller *controller, const ff_controller_sense *sense,
                               double omega) {
  ff_whole_want want = {.normal = q_rotate(controller->def.place.orientation, v3(0, 0, 1)),
                        .joints = controller->rest};
  ff_vec3 com = controller->told.com;
  if (controller->mode == FF_CONTROLLER_SWING) {
    ff_stride_swing(controller, omega);
  }
  controller->told.capture_wanted = ff_stride_capture(controller, omega);
  ff_vec3 error = v3_sub(controller->told.capture, controller->told.capture_wanted);
  ff_support support = ff_stride_support(controller);
  ff_vec3 zmp = ff_stride_zmp(controller);
  error.z = 0;
  ff_vec3 asked = v3_axpy(zmp, ff_controller_gain(omega), error);
  want.zmp = ff_support_nearest(&support, asked);
  controller->told.zmp_wanted = want.zmp;
  want.com = v3(omega * omega * (com.x - want.zmp.x), omega * omega * (com.y - want.zmp.y), 0);
  want.com.z = desired_vertical(controller, want.com);
  double yaw = swing_foot_yaw(controller),
         heading = 0.5 * (yaw + controller->sole[1 - controller->moves].yaw);
  want.spin = desired_trunk_spin(controller, heading, v3_sub(asked, want.zmp));
  desired_feet(controller, &want, yaw);
  desired_joints(controller, sense);
  estimate_ground(controller, want.down);
  return ff_whole_torques(&controller->whole, &want, sense->q);
}

/* ---- tick ------------------------------------------------------------------------------------ */

void ff_controller_tick(ff_controller *controller, const ff_controller_sense *sense,
                        ff_joint_order *orders) {
  double h = controller->def.period;
  if (!controller->def.balance) {
    controller_replay_plan(controller, orders);
    controller->ticks++;
    return;
  }
  double omega = update_capture_point(controller, sense);
  ff_controller_mode before = controller->mode;
  ff_stride_advance(controller, sense);
  if (before != controller->mode) {
    memcpy(controller->hold, sense->q,
           (size_t)ff_tree_q_count(controller->stand->def.tree) * sizeof(double));
  }
  if (controller->mode == FF_CONTROLLER_FALLEN) {
    controller_hold_joints(controller, fallen_grip, 0, orders);
  } else if (controller->mode == FF_CONTROLLER_FLIGHT) {
    controller_aim_feet(controller);
    controller_hold_joints(controller, air_grip, ff_way_ease(controller->time / TUCK).value,
                           orders);
  } else if (controller_balance(controller, sense, omega)) {
    controller_order_torques(controller, orders);
  } else {
    controller_hold_joints(controller, air_grip, 1, orders);
  }
  controller->told.mode = controller->mode;
  controller->told.task = controller->task;
  controller->ticks++;
  controller->time += h;
  controller->task_time += h;
  controller->wait -= h;
  controller->settle -= h;
}
