/* Spring with a damper that acts only in compression [Sugihara03 eq. 13]: shared by `elastic` and
 * `membrane`. */
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

/* The damper switches with the sign of the depth's rate. */
static inline double ff_pressed_kink(const void *given, const ff_patch *patch) {
  const ff_pressed *p = given;
  return p->c > 0 ? patch->depth_rate : 1;
}

#endif
