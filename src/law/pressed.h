/* A spring, and a damper that only acts while the contact is pressed in [Sugihara03 eq. 13]: what
 * `elastic` and `membrane` have in common. */
#ifndef FF_LAW_PRESSED_H
#define FF_LAW_PRESSED_H

#include "footfall/law.h"

/* First in the parameters of both. */
typedef struct ff_pressed {
  double k, c; /* N/m, N s/m */
} ff_pressed;

static inline void ff_pressed_normal(const void *given, const ff_patch *patch, ff_normal *out) {
  const ff_pressed *p = given;
  double damping = patch->depth_rate > 0 ? p->c : 0;
  out->elastic = p->k * patch->depth;
  out->force = out->elastic + damping * patch->depth_rate;
  out->energy = 0.5 * p->k * patch->depth * patch->depth;
  out->d_depth = p->k;
  out->d_rate = damping;
}

/* The damper comes and goes with the sign of the depth's rate. */
static inline double ff_pressed_kink(const void *given, const ff_patch *patch) {
  const ff_pressed *p = given;
  return p->c > 0 ? patch->depth_rate : 1;
}

#endif
