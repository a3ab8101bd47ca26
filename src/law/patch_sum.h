/* Friction integrated over a patch, where every point slips in its own direction. */
#ifndef FF_LAW_PATCH_SUM_H
#define FF_LAW_PATCH_SUM_H

#include "footfall/law.h"

typedef struct ff_patch_sum {
  double force[2];     /* over the normal force, 1 */
  double moment;       /* over the normal force, m, about the normal */
  double d_slip[2][2]; /* s/m, d force[i] / d slip[j] */
} ff_patch_sum;

/* Curve of ff_stick_slip_at with transition speed v_t. */
typedef struct ff_patch_curve {
  double mu_s, mu_d, v_t;
} ff_patch_curve;

/* Over the patch's edges, or over a disc if it has none. gyration: radius, m. */
ff_patch_sum ff_patch_sum_of(const ff_patch_curve *curve, const ff_patch *patch, double gyration);

#endif
