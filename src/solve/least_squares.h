/* Bounded nonlinear least squares: Levenberg-Marquardt (lmder of MINPACK). */
#ifndef FF_SOLVE_LEAST_SQUARES_H
#define FF_SOLVE_LEAST_SQUARES_H

#include "footfall/status.h"

/* Unknowns lie in [0, 1]: MINPACK sees u with x = (1 + sin u) / 2, so that bounds hold always. */
typedef struct ff_least_squares {
  int rows, columns; /* residuals and unknowns; rows >= columns */
  /* Residuals at x; false ends the search. */
  bool (*residuals)(void *context, const double *x, double *r);
  /* Their derivatives at x, where they are r: rows x columns, column by column. */
  bool (*jacobian)(void *context, const double *x, const double *r, double *j);
  void *context;
  double tolerance; /* relative, of the sum of squares and of x */
  int limit;        /* evaluations of the residuals */
} ff_least_squares;

typedef struct ff_least_squares_result {
  double sum;      /* of squares, at the end */
  int evaluations; /* of the residuals */
  bool converged;
} ff_least_squares_result;

/* From x to a local minimum, returned in x. FF_ERROR_MEMORY; FF_CANCELLED: a function ended it. */
ff_status ff_least_squares_solve(const ff_least_squares *problem, double *x,
                                 ff_least_squares_result *result);

#endif
