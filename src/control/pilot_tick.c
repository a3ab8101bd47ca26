/* Control law of a pilot: from sensors to joint orders. */
#include "control/pilot.h"

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
static void pilot_hold_joints(const ff_pilot *pilot, grip by, double part, ff_joint_order *orders) {
  const ff_tree *tree = pilot->stand->def.tree;
  for (int i = 1; i < tree->count; i++) {
    if (tree->links[i].v_count == 1) {
      int at = tree->links[i].q_at;
      double way = pilot->aim[at] - pilot->hold[at];
      *orders++ = (ff_joint_order){
          .target = pilot->hold[at] + part * way, .stiffness = by.stiffness, .damping = by.damping};
    }
  }
}

/* Aim in the air: soles level, below the centre of mass, where it will come to rest. */
static void pilot_aim_feet(ff_pilot *pilot) {
  const ff_walk_def *def = &pilot->stand->def;
  ff_vec3 at = pilot->told.capture;
  at.z = pilot->told.com.z - def->height;
  ff_walk_foot feet[2];
  double yaw = 0.5 * (pilot->sole[0].yaw + pilot->sole[1].yaw);
  ff_quat turn = q_exp(v3(0, 0, yaw));
  for (int f = 0; f < 2; f++) {
    ff_vec3 side = v3(0, (f == 0 ? 0.5 : -0.5) * def->width, 0);
    feet[f].pose.orientation = turn;
    feet[f].pose.position = v3_add(at, q_rotate(turn, v3_sub(side, def->sole)));
  }
  ff_walk_config config = ff_walk_solve(pilot->stand, pilot->whole.trunk, feet);
  ff_walk_write(pilot->stand, &config, pilot->aim);
}

static void pilot_order_torques(const ff_pilot *pilot, ff_joint_order *orders) {
  const ff_tree *tree = pilot->stand->def.tree;
  for (int i = 1; i < tree->count; i++) {
    if (tree->links[i].v_count == 1) {
      *orders++ = (ff_joint_order){.torque = pilot->whole.tau[tree->links[i].v_at]};
    }
  }
}

/* ---- without balance: the plan is replayed --------------------------------------------------- */

static void pilot_replay_plan(ff_pilot *pilot, ff_joint_order *orders) {
  const ff_tree *tree = pilot->stand->def.tree;
  double time = (double)pilot->ticks * pilot->def.period;
  const ff_walk *walk = pilot->stand;
  for (int k = 0; k < pilot->def.task_count; k++) {
    double lasts = pilot->walks[k] ? ff_walk_duration(pilot->walks[k]) : pilot->tasks[k].time;
    if (time < lasts) {
      walk = pilot->walks[k] ? pilot->walks[k] : pilot->stand;
      break;
    }
    time -= lasts;
  }
  ff_walk_joints(walk, time, pilot->hold, pilot->rest);
  for (int i = 1; i < tree->count; i++) {
    if (tree->links[i].v_count == 1) {
      *orders++ = (ff_joint_order){.target = pilot->hold[tree->links[i].q_at],
                                   .rate = pilot->rest[tree->links[i].v_at],
                                   .stiffness = pilot->def.stiffness,
                                   .damping = pilot->def.damping};
    }
  }
}

/* ---- desired accelerations ------------------------------------------------------------------- */

/* Desired height of the centre of mass over the ground, with its rates. */
static ff_way desired_height(const ff_pilot *pilot) {
  double height = pilot->stand->def.height, pi = ff_acos(-1.0);
  const ff_task *task = &pilot->tasks[pilot->task];
  ff_way out = {height, 0, 0};
  if (pilot->mode == FF_PILOT_SWING && !pilot->planned) {
    out.value -= CROUCH * height;
  }
  if (pilot->task >= pilot->def.task_count || pilot->mode != FF_PILOT_STAND) {
    return out;
  }
  if (task->kind == FF_TASK_SQUAT) {
    double w = 2 * pi / task->time, t = fmin(pilot->task_time, task->time);
    out.value -= 0.5 * task->depth * (1 - ff_cos(w * t));
    out.rate = -0.5 * task->depth * w * ff_sin(w * t);
    out.bend = -0.5 * task->depth * w * w * ff_cos(w * t);
  } else if (task->kind == FF_TASK_JUMP) {
    double t = pilot->task_time;
    ff_way down = ff_way_ease(t / task->time);
    out = (ff_way){height - task->depth * down.value, -task->depth * down.rate / task->time,
                   -task->depth * down.bend / (task->time * task->time)};
  }
  return out;
}

/* Greatest height of the centre of mass within reach of both legs. */
static double reachable_height(const ff_pilot *pilot) {
  const ff_whole *whole = &pilot->whole;
  double most = INFINITY;
  for (int f = 0; f < 2; f++) {
    const ff_walk_leg *leg = &pilot->stand->legs[f];
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
static bool pilot_take_off(ff_pilot *pilot, double *up) {
  const ff_task *task = &pilot->tasks[pilot->task];
  if (pilot->task >= pilot->def.task_count || task->kind != FF_TASK_JUMP ||
      pilot->mode != FF_PILOT_STAND || pilot->task_time < task->time) {
    return false;
  }
  pilot->lift_off = sqrt(2 * pilot->stand->def.gravity * task->height);
  *up = pilot->lift_off * pilot->lift_off / (2 * task->depth);
  return true;
}

static double desired_vertical(ff_pilot *pilot, ff_vec3 along) {
  const ff_tree_motion *motion = &pilot->whole.motion;
  ff_vec3 normal = q_rotate(pilot->def.place.orientation, v3(0, 0, 1));
  double up, slope_x = -normal.x / normal.z, slope_y = -normal.y / normal.z;
  double ground = ff_pilot_ground(pilot, motion->com.x, motion->com.y) + pilot->rise;
  if (pilot_take_off(pilot, &up)) {
    return up;
  }
  ff_way want = desired_height(pilot);
  double height = fmin(want.value, reachable_height(pilot) - ground);
  double rate = want.rate + slope_x * motion->velocity.x + slope_y * motion->velocity.y;
  double out = want.bend + slope_x * along.x + slope_y * along.y +
               height_grip.stiffness * (ground + height - motion->com.z) +
               height_grip.damping * (rate - motion->velocity.z);
  return fmax(out, -0.8 * pilot->stand->def.gravity); /* the ground cannot pull */
}

static ff_vec3 orientation_feedback(ff_quat is, ff_quat want, ff_vec3 omega, grip by) {
  ff_vec3 error = q_log(q_mul(want, q_conj(is)));
  return v3_axpy(v3_scale(by.stiffness, error), -by.damping, omega);
}

/* Angular acceleration of the trunk: upright; where the soles are too small for the desired
 * zero-moment point, the trunk rotates towards the fall, which shifts the ground force the other
 * way. */
static ff_vec3 desired_trunk_spin(const ff_pilot *pilot, double heading, ff_vec3 lacks) {
  ff_quat is = pilot->whole.trunk.orientation;
  ff_vec3 up = q_rotate(is, v3(0, 0, 1)), omega = ff_tree_omega(pilot->whole.work, 1);
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

static void desired_feet(const ff_pilot *pilot, ff_whole_want *want, double yaw) {
  const ff_whole *whole = &pilot->whole;
  for (int f = 0; f < 2; f++) {
    want->down[f] = pilot->mode != FF_PILOT_SWING || f != pilot->moves;
    if (want->down[f]) {
      want->foot[f] = v3_scale(-STILL, whole->sole_velocity[f]);
      want->turn[f] = v3_scale(-STILL, whole->sole_omega[f]);
      double gap = whole->sole[f].position.z - pilot->sole[f].place.z;
      if (gap > 0) { /* keeps contact with the ground */
        want->foot[f].z -= foot_grip.stiffness * gap;
      }
      continue;
    }
    ff_vec3 error = v3_sub(pilot->foot.place, whole->sole[f].position);
    ff_vec3 slip = v3_sub(pilot->foot.velocity, whole->sole_velocity[f]);
    want->foot[f] = v3_axpy(v3_axpy(pilot->foot.acceleration, foot_grip.stiffness, error),
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
static double swing_foot_yaw(const ff_pilot *pilot) {
  double from = pilot->sole[pilot->moves].yaw;
  ff_way on = ff_way_ease(pilot->part / 0.9);
  return pilot->mode == FF_PILOT_SWING ? from + on.value * (pilot->landing.yaw - from) : from;
}

static void desired_joints(ff_pilot *pilot, const ff_pilot_sense *sense) {
  const ff_tree *tree = pilot->stand->def.tree;
  for (int i = 2; i < tree->count; i++) {
    if (tree->links[i].v_count == 1) {
      int q = tree->links[i].q_at, v = tree->links[i].v_at;
      pilot->rest[v] =
          joint_grip.stiffness * (pilot->start[q] - sense->q[q]) - joint_grip.damping * sense->v[v];
    }
  }
}

/* Estimates the height of the ground below the standing feet, relative to the expected one. */
static void estimate_ground(ff_pilot *pilot, const bool down[2]) {
  double felt = 0, count = 0;
  for (int f = 0; f < 2; f++) {
    ff_vec3 sole = pilot->whole.sole[f].position;
    felt += down[f] ? sole.z - ff_pilot_ground(pilot, sole.x, sole.y) : 0;
    count += down[f];
  }
  if (count > 0) {
    pilot->rise += fmin(1, pilot->def.period / GROUND_TIME) * (felt / count - pilot->rise);
  }
}

/* ---- balance --------------------------------------------------------------------------------- */

/* Updates the capture point and returns the pendulum's natural frequency. */
static double update_capture_point(ff_pilot *pilot, const ff_pilot_sense *sense) {
  ff_whole_place(&pilot->whole, sense->q, sense->v);
  ff_vec3 com = pilot->whole.motion.com, velocity = pilot->whole.motion.velocity;
  double ground = ff_pilot_ground(pilot, com.x, com.y) + pilot->rise;
  double height = fmax(com.z - ground, 0.3 * pilot->stand->def.height);
  double omega = sqrt(pilot->stand->def.gravity / height);
  pilot->told.com = com;
  pilot->told.com_velocity = velocity;
  pilot->told.capture = v3(com.x + velocity.x / omega, com.y + velocity.y / omega, ground);
  return omega;
}

static bool pilot_balance(ff_pilot *pilot, const ff_pilot_sense *sense, double omega) {
  ff_whole_want want = {.normal = q_rotate(pilot->def.place.orientation, v3(0, 0, 1)),
                        .joints = pilot->rest};
  ff_vec3 com = pilot->told.com;
  if (pilot->mode == FF_PILOT_SWING) {
    ff_stride_swing(pilot, omega);
  }
  pilot->told.capture_wanted = ff_stride_capture(pilot, omega);
  ff_vec3 error = v3_sub(pilot->told.capture, pilot->told.capture_wanted);
  ff_support support = ff_stride_support(pilot);
  ff_vec3 zmp = ff_stride_zmp(pilot);
  error.z = 0;
  ff_vec3 asked = v3_axpy(zmp, ff_pilot_gain(omega), error);
  want.zmp = ff_support_nearest(&support, asked);
  pilot->told.zmp_wanted = want.zmp;
  want.com = v3(omega * omega * (com.x - want.zmp.x), omega * omega * (com.y - want.zmp.y), 0);
  want.com.z = desired_vertical(pilot, want.com);
  double yaw = swing_foot_yaw(pilot), heading = 0.5 * (yaw + pilot->sole[1 - pilot->moves].yaw);
  want.spin = desired_trunk_spin(pilot, heading, v3_sub(asked, want.zmp));
  desired_feet(pilot, &want, yaw);
  desired_joints(pilot, sense);
  estimate_ground(pilot, want.down);
  return ff_whole_torques(&pilot->whole, &want, sense->q);
}

/* ---- tick ------------------------------------------------------------------------------------ */

void ff_pilot_tick(ff_pilot *pilot, const ff_pilot_sense *sense, ff_joint_order *orders) {
  double h = pilot->def.period;
  if (!pilot->def.balance) {
    pilot_replay_plan(pilot, orders);
    pilot->ticks++;
    return;
  }
  double omega = update_capture_point(pilot, sense);
  ff_pilot_mode before = pilot->mode;
  ff_stride_advance(pilot, sense);
  if (before != pilot->mode) {
    memcpy(pilot->hold, sense->q, (size_t)ff_tree_q_count(pilot->stand->def.tree) * sizeof(double));
  }
  if (pilot->mode == FF_PILOT_FALLEN) {
    pilot_hold_joints(pilot, fallen_grip, 0, orders);
  } else if (pilot->mode == FF_PILOT_FLIGHT) {
    pilot_aim_feet(pilot);
    pilot_hold_joints(pilot, air_grip, ff_way_ease(pilot->time / TUCK).value, orders);
  } else if (pilot_balance(pilot, sense, omega)) {
    pilot_order_torques(pilot, orders);
  } else {
    pilot_hold_joints(pilot, air_grip, 1, orders);
  }
  pilot->told.mode = pilot->mode;
  pilot->told.task = pilot->task;
  pilot->ticks++;
  pilot->time += h;
  pilot->task_time += h;
  pilot->wait -= h;
  pilot->settle -= h;
}
