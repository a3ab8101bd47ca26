/* The largest push and depth of pairs of bodies, also between the ends of steps. */
#ifndef FF_STEP_PEAKS_H
#define FF_STEP_PEAKS_H

#include "step/stepper.h"

/* A pair of bodies at one instant. */
typedef struct ff_meet_summary {
  bool touching;
  double depth, depth_rate; /* m, m/s, of the deepest point */
  double force;             /* N, normal, of all points together */
  double core;              /* N, the part of it that rigid cores bear */
  ff_mode mode;             /* it sticks if any of its points does */
} ff_meet_summary;

/* The pair as the last evaluation of forces left it. */
ff_meet_summary ff_meet_summary_of(const ff_state *state, const ff_meet *meet);

/* For `adaptive`, after a step and before its event switches anything: fills `crest` of every
 * meet with what was largest inside the step. Leaves forces to be updated. */
void ff_peaks_find(ff_work *work, double t_before);

#endif
