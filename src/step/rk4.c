/* The classical Runge-Kutta method of fourth order [Kutta1901]. */
#include "step/runge_kutta.h"

static ff_status rk4_step(ff_work *work, double t_end) {
  static const ff_tableau tableau = {
      .stages = 4, .a = {0, 0.5, 0.5, 1}, .b = {1, 2, 2, 1}, .divisor = 6};
  return ff_runge_kutta_step(work, t_end, &tableau);
}

const ff_stepper ff_stepper_rk4 = {
    .staged = true,
    .refresh = ff_work_refresh,
    .step = rk4_step,
};
