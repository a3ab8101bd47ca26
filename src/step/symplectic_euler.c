/* Symplectic Euler: a kick by all contact and applied forces, then an exact free flight.
 *
 * Flight under gravity and the turning of balls and tops are solved exactly, other bodies turn
 * by a symplectic splitting; so free flight has no error, and elastic contact keeps its energy
 * in the mean. First order in the forces. Contacts with friction or with stiff laws are
 * midpoint-implicit: solved in the middle of the flight, see step/midpoint_contact.h.
 */
#include "base/team.h"
#include "math/pairs.h"
#include "math/vec.h"
#include "step/robots.h"
#include "step/rotation.h"
#include "step/sleep.h"
#include "step/stepper.h"

#include <string.h>

/* Gravity is outside too: its impulse, and its moment over the flight, exactly. path (m s) is the
 * integral of the position; what it has along g does not matter. to: impulse and angular impulse of
 * the ledger. */
static void book_gravity(double to[6], double mass, ff_vec3 path, ff_vec3 g, double h) {
  v3_store(to, v3_axpy(v3_load(to), mass * h, g));
  v3_store(to + 3, v3_axpy(v3_load(to + 3), mass, v3_cross(path, g)));
}

/* Free rotation with the present angular momentum. */
static void turn_body(const ff_model_body *body, double *y, double h) {
  ff_quat q = {y[FF_Y_Q], y[FF_Y_Q + 1], y[FF_Y_Q + 2], y[FF_Y_Q + 3]};
  q = ff_rotate_freely(body, q, v3_load(y + FF_Y_L), h);
  y[FF_Y_Q] = q.w;
  v3_store(y + FF_Y_Q + 1, v3(q.x, q.y, q.z));
}

static void kick_and_fly_body(const ff_work *work, int slot, double h) {
  int i = work->model->free_bodies[slot];
  const ff_model_body *body = &work->model->bodies[i];
  const ff_wrench *wrench = &work->state->wrenches[i];
  ff_vec3 g = work->model->run.gravity;
  double *y = ff_state_body(work->state, slot);
  /* kick */
  ff_vec3 v = v3_axpy(v3_load(y + FF_Y_V), h * body->inv_mass, wrench->force);
  ff_vec3 momentum = v3_axpy(v3_load(y + FF_Y_L), h, wrench->torque);
  /* flight */
  ff_vec3 x = v3_load(y + FF_Y_X);
  ff_vec3 path = v3_axpy(v3_scale(h, x), 0.5 * h * h, v);
  book_gravity(ff_state_ledger(work->state) + FF_Y_IMPULSE, body->mass, path, g, h);
  v3_store(y + FF_Y_X, v3_axpy(v3_axpy(x, h, v), 0.5 * h * h, g));
  v3_store(y + FF_Y_V, v3_axpy(v, h, g));
  v3_store(y + FF_Y_L, momentum);
  turn_body(body, y, h);
}

/* ---- midpoint-implicit contacts
 * -------------------------------------------------------------------- */

/* First half of a flight in which nothing pushes. */
static void fly_body(const ff_work *work, int slot, double h) {
  const ff_model_body *body = &work->model->bodies[work->model->free_bodies[slot]];
  double *y = ff_state_body(work->state, slot);
  v3_store(y + FF_Y_X, v3_axpy(v3_load(y + FF_Y_X), 0.5 * h, v3_load(y + FF_Y_V)));
  turn_body(body, y, 0.5 * h);
}

/* Everything acts throughout the step: with the mean of old and new velocity. */
static void push_body_midpoint(const ff_work *work, int slot, double h, double *ledger) {
  int i = work->model->free_bodies[slot];
  const ff_model_body *body = &work->model->bodies[i];
  const ff_wrench *wrench = &work->state->wrenches[i];
  ff_vec3 g = work->model->run.gravity;
  double *y = ff_state_body(work->state, slot);
  ff_vec3 x = v3_load(y + FF_Y_X), v = v3_load(y + FF_Y_V);
  book_gravity(ledger, body->mass, v3_scale(h, x), g, h);
  v = v3_axpy(v, h, v3_axpy(g, body->inv_mass, wrench->force));
  v3_store(y + FF_Y_V, v);
  v3_store(y + FF_Y_X, v3_axpy(x, 0.5 * h, v));
  v3_store(y + FF_Y_L, v3_axpy(v3_load(y + FF_Y_L), h, wrench->torque));
  turn_body(body, y, 0.5 * h);
}

/* Memory and ledger go with their rates. */
static void advance_memory_and_ledger(const ff_work *work, double h) {
  const ff_state *state = work->state;
  int memory = state->memory_at, ledger = state->ledger_at;
  int count = ff_state_used(work->model, state) - memory;
  ff_take_off(state->y + memory, -h, work->rates + memory, count);
  ff_take_off(state->y + ledger, -h, work->rates + ledger, FF_Y_LEDGER);
}

typedef struct flight_job {
  const ff_work *work;
  double h;
} flight_job;

static void fly_bodies(void *context, int first, int end) {
  const flight_job *job = context;
  for (int slot = first; slot < end; slot++) {
    if (!ff_sleep_holds_slot(job->work->model, job->work->state, slot)) {
      fly_body(job->work, slot, job->h);
    }
  }
}

/* What gravity does is summed by chunks, from the ledger on. */
static void push_bodies(void *context, int first, int end) {
  const flight_job *job = context;
  const ff_state *state = job->work->state;
  double *sums = state->sums[first / FF_BODIES_CHUNK];
  memset(sums, 0, 6 * sizeof *sums);
  if (first == 0) {
    memcpy(sums, ff_state_ledger(state) + FF_Y_IMPULSE, 6 * sizeof *sums);
  }
  for (int slot = first; slot < end; slot++) {
    if (!ff_sleep_holds_slot(job->work->model, state, slot)) {
      push_body_midpoint(job->work, slot, job->h, sums);
    }
  }
}

static void push_all_bodies(const ff_work *work, double h) {
  flight_job job = {work, h};
  int count = work->model->free_count;
  double *ledger = ff_state_ledger(work->state) + FF_Y_IMPULSE;
  ff_team_for(work->team, push_bodies, &job, count, FF_BODIES_CHUNK);
  for (int k = 0; k < ff_chunks_of(count, FF_BODIES_CHUNK); k++) {
    for (int i = 0; i < 6; i++) {
      ledger[i] = (k > 0 ? ledger[i] : 0) + work->state->sums[k][i];
    }
  }
}

/* Half a flight, a kick in the middle, half a flight. */
static bool step_middle(ff_work *work, double h) {
  const ff_model *model = work->model;
  ff_state *state = work->state;
  flight_job job = {work, h};
  ff_team_for(work->team, fly_bodies, &job, model->free_count, FF_BODIES_CHUNK);
  ff_robots_fly(model, state, h);
  bool good = ff_midpoint_solve(work->midpoint, model, state, state->t + 0.5 * h, work->rates, h,
                                work->team, &work->solver);
  if (good) {
    advance_memory_and_ledger(work, h);
  }
  push_all_bodies(work, h);
  return ff_robots_fly_on(model, state, h) && good;
}

/* ---- the stepper ---------------------------------------------------------------------- */

/* Explicit steps kick with half of the constraint forces, and the projection of velocities at the
 * end of the step is the other half: with all of them at the start energy grows with the step. */
static ff_status euler_create(ff_work *work) {
  work->state->half_constraints = !work->model->midpoint;
  return ff_midpoint_create(&work->midpoint, work->model, work->state);
}

static void euler_destroy(ff_work *work) {
  ff_midpoint_destroy(work->midpoint);
}

static ff_status euler_grow(ff_work *work) {
  ff_midpoint *grown;
  ff_status status = ff_midpoint_create(&grown, work->model, work->state);
  ff_midpoint_destroy(status == FF_OK ? work->midpoint : grown);
  work->midpoint = status == FF_OK ? grown : work->midpoint;
  return status;
}

/* All forces are those of the start. */
static bool step_explicit(ff_work *work, double h) {
  const ff_model *model = work->model;
  bool good = true;
  advance_memory_and_ledger(work, h);
  for (int slot = 0; slot < model->free_count; slot++) {
    kick_and_fly_body(work, slot, h);
  }
  for (int r = 0; r < model->robot_count; r++) {
    good = ff_robot_step(model, work->state, r, h) && good;
  }
  return good;
}

static bool euler_advance(ff_work *work, double h) {
  return work->model->midpoint ? step_middle(work, h) : step_explicit(work, h);
}

static ff_status euler_step(ff_work *work, double t_end) {
  ff_state *state = work->state;
  double t = state->t, h = t_end - t;
  ff_status status = FF_OK;
  bool good, sleeps = work->model->midpoint && state->sleep.still;
  state->move_count = 0;
  if (sleeps && ff_sleep_begin(work->model, state, t_end)) {
    state->t = t_end;
    work->steps++;
    return FF_OK;
  }
  do {
    const ff_solver_info info = work->solver;
    state->move_count = 0;
    state->sleep.woke = false;
    ff_team_copy(work->team, work->before, state->y, (size_t)state->size * sizeof *state->y);
    good = euler_advance(work, h);
    if (!good || state->lacking > 0) {
      ff_work_restore(work);
      work->solver = info;
    }
  } while (state->sleep.woke || (ff_work_lacked_points(work, &status) && status == FF_OK));
  if (!good || status != FF_OK) {
    ff_work_refresh(work);
    return status == FF_OK ? FF_ERROR_STEP : status;
  }
  state->t = t_end;
  status = ff_work_finish(work, t);
  if (sleeps && status == FF_OK) {
    ff_sleep_end(work->model, state, h);
  }
  return status;
}

const ff_stepper ff_stepper_symplectic_euler = {
    .pooled = true,
    .point_size = sizeof(ff_midpoint_point),
    .create = euler_create,
    .destroy = euler_destroy,
    .grow = euler_grow,
    .refresh = ff_work_refresh,
    .step = euler_step,
};
