/* Heun's method: the explicit trapezoidal rule, second order [Heun1900]. */
#include "step/runge_kutta.h"

static ff_status heun_step(ff_work *work, double t_end) {
  static const ff_tableau tableau = {.stages = 2, .a = {0, 1}, .b = {1, 1}, .divisor = 2};
  return ff_runge_kutta_step(work, t_end, &tableau);
}

const ff_stepper ff_stepper_heun = {
    .staged = true,
    .refresh = ff_work_refresh,
    .step = heun_step,
};
