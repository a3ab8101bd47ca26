/* Control of joints: controllers of the scene, and the user's control function. */
#include "math/vec.h"
#include "sim/sim.h"

#include <string.h>

/* Tolerance on the time of a tick, as a fraction of its period. */
#define NEARLY 1e-9

/* ---- ticks ----------------------------------------------------------------------------------- */

static double ticker_next(const ff_ticker *ticker) {
  return ticker->period > 0 ? (double)ticker->ticks * ticker->period : INFINITY;
}

static bool ticker_is_due(ff_ticker *ticker, double t) {
  if (ticker_next(ticker) > t + NEARLY * ticker->period) {
    return false;
  }
  ticker->ticks++;
  return true;
}

double ff_sim_next_tick(const ff_sim *sim) {
  double next = ticker_next(&sim->ticker);
  for (int i = 0; i < sim->steer_count; i++) {
    next = fmin(next, ticker_next(&sim->steers[i].ticker));
  }
  return next;
}

/* ---- creation -------------------------------------------------------------------------------- */

static int steer_find_link(const ff_model_robot *robot, const char *name) {
  for (int i = 1; i <= robot->link_count; i++) {
    if (strcmp(ff_tree_link(robot->tree, i).name, name) == 0) {
      return i;
    }
  }
  return 1;
}

static ff_status steer_make_controller(ff_sim *sim, const ff_model_robot *robot, ff_steer *to) {
  ff_controller_def def = *robot->controller;
  def.walk.posture = robot->start_q; /* joints outside the legs keep the scene's posture */
  ff_status status =
      ff_controller_build(&to->controller, robot->tree, &def, sim->model->run.gravity, NULL);
  if (status != FF_OK) {
    return status;
  }
  to->ticker.period = def.period;
  to->feet[0] = robot->first_body + steer_find_link(robot, def.left_foot) - 1;
  to->feet[1] = robot->first_body + steer_find_link(robot, def.right_foot) - 1;
  to->orders = ff_arena_take(&sim->arena, (size_t)robot->joint_count, sizeof *to->orders);
  return to->orders ? FF_OK : FF_ERROR_MEMORY;
}

ff_status ff_sim_take_controllers(ff_sim *sim) {
  const ff_model *model = sim->model;
  sim->steers = ff_arena_take(&sim->arena, (size_t)model->robot_count, sizeof *sim->steers);
  if (!sim->steers) {
    return FF_ERROR_MEMORY;
  }
  ff_status status = FF_OK;
  for (int i = 0; i < model->robot_count && status == FF_OK; i++) {
    sim->steer_count++;
    status = model->robots[i].controller
                 ? steer_make_controller(sim, &model->robots[i], &sim->steers[i])
                 : FF_OK;
  }
  return status;
}

void ff_sim_drop_controllers(ff_sim *sim) {
  for (int i = 0; i < sim->steer_count; i++) {
    ff_controller_destroy(&sim->steers[i].controller);
  }
}

void ff_sim_reset_controllers(ff_sim *sim) {
  sim->ticker.ticks = 0;
  for (int i = 0; i < sim->steer_count; i++) {
    sim->steers[i].ticker.ticks = 0;
    if (sim->steers[i].controller) {
      ff_controller_reset(sim->steers[i].controller);
    }
  }
}

/* ---- sensing --------------------------------------------------------------------------------- */

ff_vec3 ff_sim_body_load(const ff_sim *sim, ff_body body) {
  if (!sim || !ff_model_has_body(sim->model, body)) {
    return v3(NAN, NAN, NAN);
  }
  const ff_state *state = &sim->state;
  ff_vec3 sum = {0, 0, 0};
  for (int m = 0; m < state->meet_count; m++) {
    const ff_meet *meet = &state->meets[m];
    double sign = meet->a == body.id - 1 ? 1 : (meet->b == body.id - 1 ? -1 : 0);
    for (int n = meet->first_near; sign != 0 && n < meet->first_near + meet->near_count; n++) {
      const ff_near *near = &state->nears[n];
      for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
        if (state->points[i].touching) {
          sum = v3_axpy(sum, sign, state->points[i].force);
        }
      }
    }
  }
  return sum;
}

void ff_sim_robot(const ff_sim *sim, ff_robot_id robot, double *q, double *v) {
  const ff_model_robot *r = sim ? ff_model_robot_of(sim->model, robot) : NULL;
  if (r && q) {
    memcpy(q, sim->state.y + r->q_at, (size_t)r->q_count * sizeof *q);
  }
  if (r && v) {
    memcpy(v, sim->state.y + r->v_at, (size_t)r->v_count * sizeof *v);
  }
}

const ff_controller *ff_sim_controller(const ff_sim *sim, ff_robot_id robot) {
  bool known = sim && ff_model_robot_of(sim->model, robot);
  return known ? sim->steers[robot.id - 1].controller : NULL;
}

/* ---- orders ---------------------------------------------------------------------------------- */

ff_status ff_sim_order(ff_sim *sim, ff_joint_id joint, const ff_joint_order *order) {
  if (!sim || !order || !ff_model_joint_of(sim->model, joint)) {
    return FF_ERROR_INPUT;
  }
  double sum = order->target + order->rate + order->stiffness + order->damping + order->torque;
  if (!isfinite(sum) || order->stiffness < 0 || order->damping < 0) {
    return FF_ERROR_INPUT;
  }
  sim->state.robots[joint.robot - 1].orders[joint.id - 1] =
      (ff_state_order){true, sim->state.t, *order};
  sim->ordered = true;
  return FF_OK;
}

ff_status ff_sim_on_control(ff_sim *sim, double period, ff_control_fn fn, void *context) {
  if (!sim || (fn && !(period >= 1e-12 && isfinite(period) && sim->state.t / period < 1e15))) {
    return FF_ERROR_INPUT;
  }
  sim->control = fn;
  sim->control_context = context;
  sim->ticker = (ff_ticker){.period = fn ? period : 0};
  if (fn) { /* first tick not before now */
    sim->ticker.ticks = (long)ceil(sim->state.t / period - NEARLY);
  }
  return FF_OK;
}

static ff_status steer_run_controller(ff_sim *sim, int i) {
  ff_steer *steer = &sim->steers[i];
  const ff_model_robot *robot = &sim->model->robots[i];
  ff_controller_sense sense = {.q = sim->state.y + robot->q_at, .v = sim->state.y + robot->v_at};
  for (int f = 0; f < 2; f++) {
    sense.load[f] = ff_sim_body_load(sim, (ff_body){.id = steer->feet[f] + 1});
  }
  ff_controller_tick(steer->controller, &sense, steer->orders);
  ff_status status = FF_OK;
  for (int k = 0; k < robot->joint_count && status == FF_OK; k++) {
    status = ff_sim_order(sim, (ff_joint_id){.robot = i + 1, .id = k + 1}, &steer->orders[k]);
  }
  return status == FF_OK ? FF_OK : FF_ERROR_STEP;
}

ff_status ff_sim_steer(ff_sim *sim) {
  double t = sim->state.t;
  ff_status status = FF_OK;
  for (int i = 0; i < sim->steer_count && status == FF_OK; i++) {
    if (ticker_is_due(&sim->steers[i].ticker, t)) {
      status = steer_run_controller(sim, i);
    }
  }
  if (status == FF_OK && ticker_is_due(&sim->ticker, t)) {
    sim->control(sim->control_context, sim);
  }
  if (status == FF_OK && sim->ordered) {
    sim->ordered = false;
    status = sim->stepper->refresh(&sim->work);
  }
  return status;
}
