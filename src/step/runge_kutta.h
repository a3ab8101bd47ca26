/* Explicit Runge-Kutta methods of fixed step, given by their Butcher tableau. */
#ifndef FF_STEP_RUNGE_KUTTA_H
#define FF_STEP_RUNGE_KUTTA_H

#include "step/stepper.h"

enum { FF_STAGES_MAX = 4 };

/* Tableau whose matrix A has entries below its diagonal only, so that the rates of one stage are
 * stored at a time: k[i] = f(t + c[i] h, y + h a[i] k[i - 1]), y += h sum b[i] k[i] / divisor.
 * Consistency asks for c[i] = a[i], c[0] = 0 and sum b = divisor. */
typedef struct ff_tableau {
  int stages;
  double a[FF_STAGES_MAX]; /* 1, a[0] is 0 */
  double b[FF_STAGES_MAX]; /* 1, whole numbers over the divisor */
  double divisor;
} ff_tableau;

/* One step to t_end; forces at the state's time are fresh, as after refresh. */
ff_status ff_runge_kutta_step(ff_work *work, double t_end, const ff_tableau *tableau);

#endif
