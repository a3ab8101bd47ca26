/* Continuous collision: fast shapes do not pass through others, nor sink far into them, between the
 * two ends of a step.
 *
 * For a pair of shapes with half thicknesses t_a and t_b let
 *   v = |v_a - v_b| + |omega_a| r_a + |omega_b| r_b + h g
 * bound the speed of their surfaces against each other. Where v h is at most (t_a + t_b) / 4 (on a
 * half-space t_a / 2) a touch is seen in time, and nothing happens. Else the free motion from the
 * start of the step is followed by conservative advancement [Mirtich96]: the shapes cannot meet
 * before gap / v. If they meet within the step, it is cut just before the touch, and the rest of it
 * follows. Where laws give the force of a touching pair that is still so fast, steps are as short
 * as it takes to follow the impact, FF_FINE_STEP over the largest frequency that it can reach.
 *
 * A function of the state alone: nothing of it has to be saved.
 */
#ifndef FF_STEP_SWEEP_H
#define FF_STEP_SWEEP_H

#include "step/stepper.h"

/* Shortens *h (s), the length of the step to come. */
ff_status ff_sweep_step(ff_work *work, double *h);

#endif
