/* A spring, and a damper that only acts while the contact is pressed in [Sugihara03 eq. 13]: what
 * `elastic` and `membrane` have in common. */
#ifndef FF_LAW_PRESSED_H
#define FF_LAW_PRESSED_H

#include "footfall/law.h"

static inline void ff_pressed_force(double k, double c, const ff_patch *patch, ff_normal *out) {
  double damping = patch->depth_rate > 0 ? c : 0;
  out->elastic = k * patch->depth;
  out->force = out->elastic + damping * patch->depth_rate;
  out->energy = 0.5 * k * patch->depth * patch->depth;
  out->d_depth = k;
  out->d_rate = damping;
}

/* The damper comes and goes with the sign of the depth's rate. */
static inline double ff_pressed_kink(double c, const ff_patch *patch) {
  return c > 0 ? patch->depth_rate : 1;
}

#endif
