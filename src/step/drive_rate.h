/* How fast the drives of robots act, against the step of explicit integration. */
#ifndef FF_STEP_DRIVE_RATE_H
#define FF_STEP_DRIVE_RATE_H

#include "model/state.h"

typedef struct ff_drive_rate {
  const ff_model_robot *robot; /* NULL: no drive is evaluated explicitly */
  const ff_model_joint *joint;
  double rate; /* 1/s */
} ff_drive_rate;

/* The drive that acts fastest, of those that are evaluated at the start of a step or in its stages.
 * Its rate is the largest root of s^2 + m d s + m k, with its gains k and d and the inverse inertia
 * m = (H^-1)_kk that it moves with all other joints free. Not for use in a step: it allocates. */
ff_drive_rate ff_fastest_drive(const ff_model *model, const ff_state *state);

#endif
