#include "step/runge_kutta.h"

#include "step/forces.h"

#include <string.h>

/* stage = before + reach rates; sum += weight rates */
static void add_stage(ff_work *work, double reach, double weight) {
  const double *restrict y = work->before, *restrict rates = work->rates;
  double *restrict stage = work->stage, *restrict sum = work->sum;
  int count = ff_state_used(work->model, work->state);
  for (int i = 0; i < count; i++) {
    stage[i] = y[i] + reach * rates[i];
    sum[i] += weight * rates[i];
  }
}

ff_status ff_runge_kutta_step(ff_work *work, double t_end, const ff_tableau *tableau) {
  ff_state *state = work->state;
  double t = state->t, h = t_end - t;
  size_t bytes = (size_t)state->size * sizeof *state->y;
  memcpy(work->before, state->y, bytes);
  memset(work->sum, 0, bytes);
  ff_rates_of_bodies(work->model, state, state->y, work->rates); /* forces are fresh */
  for (int s = 0; s < tableau->stages; s++) {
    double c = tableau->a[s], next = s + 1 < tableau->stages ? tableau->a[s + 1] : 0;
    if (s > 0) {
      ff_rates(work->model, state, c == 1 ? t_end : t + c * h, work->stage, work->rates);
    }
    add_stage(work, h * next, h * tableau->b[s] / tableau->divisor);
  }
  for (int i = 0; i < ff_state_used(work->model, state); i++) {
    state->y[i] = work->before[i] + work->sum[i];
  }
  state->t = t_end;
  return ff_work_finish(work, t);
}
