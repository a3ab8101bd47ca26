#include "step/runge_kutta.h"

#include "step/forces.h"

#include <string.h>

ff_status ff_runge_kutta_step(ff_work *work, double t_end, const ff_tableau *tableau) {
  ff_state *state = work->state;
  double t = state->t, h = t_end - t;
  int size = state->size;
  double *restrict y = work->before, *restrict rates = work->rates;
  double *restrict stage = work->stage, *restrict sum = work->sum;
  memcpy(y, state->y, (size_t)size * sizeof *y);
  memset(sum, 0, (size_t)size * sizeof *sum);
  ff_rates_of_bodies(work->model, state, state->y, rates); /* forces are fresh */
  for (int s = 0; s < tableau->stages; s++) {
    if (s > 0) {
      double c = tableau->a[s];
      ff_rates(work->model, state, c == 1 ? t_end : t + c * h, stage, rates);
    }
    double weight = h * tableau->b[s] / tableau->divisor;
    double reach = s + 1 < tableau->stages ? h * tableau->a[s + 1] : 0;
    for (int i = 0; i < size; i++) {
      stage[i] = y[i] + reach * rates[i];
      sum[i] += weight * rates[i];
    }
  }
  for (int i = 0; i < size; i++) {
    state->y[i] = y[i] + sum[i];
  }
  state->t = t_end;
  return ff_work_finish(work, t);
}
