#include "solve/least_squares.h"

#include "base/memory.h"
#include "math/elementary.h"

#include <cminpack.h>
#include <math.h>
#include <string.h>

typedef struct lm_context {
  const ff_least_squares *problem;
  double *x; /* unknowns of the caller */
} lm_context;

/* Nearer to a bound than this an unknown could not leave it: dx/du vanishes there. */
static const double margin = 1e-6;

/* MINPACK measures steps against the size of its unknowns, which must not be 0 in the middle
 * between the bounds: u is shifted. */
static const double shift = 2;

static double lm_inside(double u) {
  return 0.5 * (1 + ff_sin(u - shift));
}

static double lm_outside(double x) {
  double at = x < margin ? margin : x > 1 - margin ? 1 - margin : x;
  return shift + ff_asin(2 * at - 1);
}

static int lm_evaluate(void *context, int rows, int columns, const double *u, double *r, double *j,
                       int stride, int what) {
  lm_context *lm = context;
  (void)stride;
  for (int i = 0; i < columns; i++) {
    lm->x[i] = lm_inside(u[i]);
  }
  if (what == 1) {
    return lm->problem->residuals(lm->problem->context, lm->x, r) ? 0 : -1;
  }
  if (what == 2) {
    if (!lm->problem->jacobian(lm->problem->context, lm->x, r, j)) {
      return -1;
    }
    for (int i = 0; i < columns; i++) {
      double slope = 0.5 * ff_cos(u[i] - shift);
      for (int k = 0; k < rows; k++) {
        j[(size_t)i * (size_t)rows + (size_t)k] *= slope;
      }
    }
  }
  return 0;
}

ff_status ff_least_squares_solve(const ff_least_squares *problem, double *x,
                                 ff_least_squares_result *result) {
  size_t m = (size_t)problem->rows, n = (size_t)problem->columns;
  double *room = ff_alloc(m * n + 2 * m + 7 * n, sizeof *room);
  int *pivots = ff_alloc(n, sizeof *pivots);
  *result = (ff_least_squares_result){0};
  if (!room || !pivots) {
    ff_free(room);
    ff_free(pivots);
    return FF_ERROR_MEMORY;
  }
  double *j = room, *r = j + m * n, *w4 = r + m, *u = w4 + m, *scale = u + n, *qtf = scale + n;
  double *w1 = qtf + n, *w2 = w1 + n, *w3 = w2 + n;
  lm_context lm = {problem, w3 + n};
  for (size_t i = 0; i < n; i++) {
    u[i] = lm_outside(x[i]);
  }
  int jacobians = 0, t = problem->rows;
  int info = lmder(lm_evaluate, &lm, problem->rows, problem->columns, u, r, j, t,
                   problem->tolerance, problem->tolerance, 0, problem->limit, scale, 1, 0.25, 0,
                   &result->evaluations, &jacobians, pivots, qtf, w1, w2, w3, w4);
  for (size_t i = 0; i < n; i++) {
    x[i] = lm_inside(u[i]);
  }
  for (size_t i = 0; i < m; i++) {
    result->sum += r[i] * r[i];
  }
  result->converged = info >= 1 && info <= 4;
  ff_free(room);
  ff_free(pivots);
  return info < 0 ? FF_CANCELLED : FF_OK;
}
