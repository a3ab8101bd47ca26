/* Continuous friction curve from sticking to slipping [Brown18 eq. 48, 51]. */
#ifndef FF_LAW_STICK_SLIP_H
#define FF_LAW_STICK_SLIP_H

#include "math/elementary.h"

#include <math.h>

/* The curve at speed s, over the transition speed. */
typedef struct ff_stick_slip {
  double mu;     /* friction over normal force */
  double over_s; /* mu / s, finite at s = 0 */
  double d_s;    /* d mu / d s */
} ff_stick_slip;

static inline ff_stick_slip ff_stick_slip_at(double mu_s, double mu_d, double s) {
  /* tanh(4 s): 1 to the last digit from 4 s = 20 on; by exp, which is faster, where it does not
   * cancel. */
  double t = s < 0.1 ? ff_tanh(4 * s) : s < 5 ? 1 - 2 / (ff_exp(8 * s) + 1) : 1;
  double t_over_s = s < 1e-8 ? 4 : t / s;
  double per_q = 1 / (0.25 * s * s + 0.75), peak = (mu_s - mu_d) * per_q * per_q;
  return (ff_stick_slip){.mu = mu_d * t + peak * s,
                         .over_s = mu_d * t_over_s + peak,
                         .d_s = 4 * mu_d * (1 - t * t) + peak * 0.75 * (1 - s * s) * per_q};
}

#endif
