/* What a minimum of a sum of squares tells of its unknowns: estimates, intervals, correlations. */
#ifndef FF_STUDY_ESTIMATE_H
#define FF_STUDY_ESTIMATE_H

#include "study/fit.h"

/* A minimum over unknowns in [0, 1]. Residuals of different clusters are independent. */
typedef struct ff_minimum {
  int unknowns;
  const ff_fit_parameter *const *parameters; /* of each unknown */
  const int *trajectories;                   /* of each unknown; -1: shared by all */
  const double *x;
  const double *r, *j; /* residuals; derivatives, column by column */
  long rows;           /* of r and j */
  const long *first;   /* first row of each cluster, and the end */
  int clusters;
} ff_minimum;

/* Value of a parameter at its unknown x, and the unknown of a value. */
double ff_fit_value(const ff_fit_parameter *p, double x);
double ff_fit_unknown(const ff_fit_parameter *p, double value);

double ff_sum_products(const double *a, const double *b, long count);

/* Fills estimates, correlations and flat direction (taken from `keep`) and the criteria of an
 * outcome that has `residuals`, `free` and `sum`. */
ff_status ff_minimum_describe(const ff_minimum *at, ff_fit_outcome *outcome, ff_arena *keep);

#endif
