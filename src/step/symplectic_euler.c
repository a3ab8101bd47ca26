/* Symplectic Euler: a kick by all contact and applied forces, then an exact free flight.
 *
 * Flight under gravity and the turning of round bodies are solved exactly, other bodies turn
 * by a symplectic splitting; so free flight has no error, and elastic contact keeps its energy
 * in the mean. First order in the forces. Friction laws with a stiff memory are held: their force
 * is that of the middle of the kick, see step/hold.h.
 */
#include "math/vec.h"
#include "step/constraints.h"
#include "step/robots.h"
#include "step/rotation.h"
#include "step/stepper.h"

#include <string.h>

/* Gravity is outside too: its impulse, and its moment over the flight, exactly. */
static void book_gravity(double *ledger, double mass, ff_vec3 x, ff_vec3 v, ff_vec3 g, double h) {
  ff_vec3 path = v3_axpy(v3_scale(h, x), 0.5 * h * h, v); /* the part along g has no moment */
  double *to = ledger + FF_Y_IMPULSE;
  v3_store(to, v3_axpy(v3_load(to), mass * h, g));
  to = ledger + FF_Y_ANGULAR;
  v3_store(to, v3_axpy(v3_load(to), mass, v3_cross(path, g)));
}

static void move_body(const ff_work *work, int slot, double h) {
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
  book_gravity(ff_state_ledger(work->state), body->mass, x, v, g, h);
  v3_store(y + FF_Y_X, v3_axpy(v3_axpy(x, h, v), 0.5 * h * h, g));
  v3_store(y + FF_Y_V, v3_axpy(v, h, g));
  v3_store(y + FF_Y_L, momentum);
  ff_quat q = {y[FF_Y_Q], y[FF_Y_Q + 1], y[FF_Y_Q + 2], y[FF_Y_Q + 3]};
  q = ff_rotate_freely(body, q, momentum, h);
  y[FF_Y_Q] = q.w;
  v3_store(y + FF_Y_Q + 1, v3(q.x, q.y, q.z));
}

static ff_status create(ff_work *work) {
  return ff_hold_create(&work->holds, work->model, work->state);
}

static void destroy(ff_work *work) {
  ff_hold_destroy(work->holds);
}

static ff_status refresh(ff_work *work) {
  ff_status status = ff_work_refresh(work);
  if (status == FF_OK && work->holds) {
    ff_state *state = work->state;
    ff_hold_friction(work->holds, work->model, state, work->rates);
    ff_constraints_push(work->model, state, state->t, work->rates + state->ledger_at);
  }
  return status;
}

static ff_status step(ff_work *work, double t_end) {
  ff_state *state = work->state;
  double t = state->t, h = t_end - t;
  memcpy(work->before, state->y, (size_t)state->size * sizeof *state->y);
  /* memory and ledger go with the rates at the start */
  for (int i = state->memory_at; i < state->size; i++) {
    state->y[i] += h * work->rates[i];
  }
  for (int slot = 0; slot < work->model->free_count; slot++) {
    move_body(work, slot, h);
  }
  if (!ff_robots_step(work->model, state, h)) {
    memcpy(state->y, work->before, (size_t)state->size * sizeof *state->y);
    refresh(work);
    return FF_ERROR_STEP;
  }
  state->t = t_end;
  if (work->holds) {
    ff_hold_stepped(work->holds, h);
  }
  return ff_work_finish(work, t);
}

const ff_stepper ff_stepper_symplectic_euler = {
    .name = "symplectic-euler",
    .order = 1,
    .create = create,
    .destroy = destroy,
    .refresh = refresh,
    .step = step,
};
