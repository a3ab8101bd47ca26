/* The classical Runge-Kutta method of fourth order. */
#include "step/forces.h"
#include "step/stepper.h"

#include <string.h>

/* stage = before + c h rates; sum += w rates */
static void next_stage(ff_work *work, double c, double w) {
  const double *restrict y = work->before, *restrict rates = work->rates;
  double *restrict stage = work->stage, *restrict sum = work->sum;
  for (int i = 0; i < work->state->size; i++) {
    stage[i] = y[i] + c * rates[i];
    sum[i] += w * rates[i];
  }
}

static ff_status rk4_step(ff_work *work, double t_end) {
  ff_state *state = work->state;
  double t = state->t, h = t_end - t;
  size_t bytes = (size_t)state->size * sizeof *state->y;
  memcpy(work->before, state->y, bytes);
  memset(work->sum, 0, bytes);
  ff_rates_of_bodies(work->model, state, state->y, work->rates); /* forces are fresh */
  next_stage(work, 0.5 * h, h / 6);
  ff_rates(work->model, state, t + 0.5 * h, work->stage, work->rates);
  next_stage(work, 0.5 * h, h / 3);
  ff_rates(work->model, state, t + 0.5 * h, work->stage, work->rates);
  next_stage(work, h, h / 3);
  ff_rates(work->model, state, t_end, work->stage, work->rates);
  next_stage(work, 0, h / 6);
  for (int i = 0; i < state->size; i++) {
    state->y[i] = work->before[i] + work->sum[i];
  }
  state->t = t_end;
  return ff_work_finish(work, t);
}

const ff_stepper ff_stepper_rk4 = {
    .name = "rk4",
    .order = 4,
    .staged = true,
    .refresh = ff_work_refresh,
    .step = rk4_step,
};
