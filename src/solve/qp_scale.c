/* Conversion between the caller's units and scaled ones. */
#include "solve/qp.h"

#include <math.h>
#include <string.h>

enum { SCALE_LIMIT = 400 }; /* scales are within 2^-400 .. 2^400 */

/* Power of two nearest to the root of a square; 1 for zero. */
static double qp_root_scale(double square) {
  int power = 0;
  if (!(square > 0)) {
    return 1;
  }
  frexp(square, &power);
  power = (power - (power < 0)) / 2;
  power = power > SCALE_LIMIT ? SCALE_LIMIT : (power < -SCALE_LIMIT ? -SCALE_LIMIT : power);
  return ldexp(1, power);
}

/* ---- checks ---------------------------------------------------------------------------------- */

static bool qp_all_finite(const double *values, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(values[i])) {
      return false;
    }
  }
  return true;
}

static bool qp_is_defined(const ff_qp *qp, const ff_qp_problem *p) {
  size_t n = (size_t)p->size;
  if (p->size < 0 || p->size > qp->def.size) {
    return false;
  }
  if (p->hessian) {
    return p->gradient && qp_all_finite(p->hessian, n * n) && qp_all_finite(p->gradient, n);
  }
  return p->matrix && p->target && p->rows >= 0 && p->rows <= qp->def.rows && isfinite(p->lambda) &&
         p->lambda >= 0 && qp_all_finite(p->matrix, n * (size_t)p->rows) &&
         qp_all_finite(p->target, (size_t)p->rows);
}

static ff_qp_outcome qp_check_problem(const ff_qp *qp, const ff_qp_problem *p) {
  if (!qp_is_defined(qp, p)) {
    return FF_QP_UNDEFINED;
  }
  ff_qp_outcome outcome = FF_QP_SOLVED;
  for (int i = 0; i < p->size; i++) {
    double lower = p->lower ? p->lower[i] : -INFINITY;
    double upper = p->upper ? p->upper[i] : INFINITY;
    if (isnan(lower) || isnan(upper)) {
      return FF_QP_UNDEFINED;
    }
    if (lower > upper || lower == INFINITY || upper == -INFINITY) {
      outcome = FF_QP_INFEASIBLE;
    }
  }
  return outcome;
}

/* ---- loading --------------------------------------------------------------------------------- */

static bool qp_load_hessian(ff_qp *qp, const ff_qp_problem *p) {
  size_t n = (size_t)p->size;
  for (size_t i = 0; i < n; i++) {
    if (p->hessian[i * n + i] < 0) {
      return false;
    }
    qp->scale[i] = qp_root_scale(p->hessian[i * n + i]);
  }
  double *inverse = qp->step; /* not yet in use; exact for powers of two */
  for (size_t i = 0; i < n; i++) {
    inverse[i] = 1 / qp->scale[i];
  }
  for (size_t i = 0; i < n; i++) {
    qp->gradient[i] = p->gradient[i] * inverse[i];
    for (size_t j = 0; j <= i; j++) {
      double h = p->hessian[i * n + j] * inverse[i] * inverse[j];
      qp->hessian[i * n + j] = qp->hessian[j * n + i] = h;
    }
  }
  return true;
}

/* Column j of [A; sqrt(lambda) 1], scaled, in the storage of the factor. */
static void qp_stack_column(ff_qp *qp, const ff_qp_problem *p, int rows, int j) {
  double *column = qp->factor + (size_t)j * (size_t)rows;
  double square = p->lambda;
  memset(column, 0, (size_t)rows * sizeof *column);
  for (int i = 0; i < p->rows; i++) {
    column[i] = p->matrix[(size_t)i * (size_t)p->size + (size_t)j];
    square += column[i] * column[i];
  }
  if (p->lambda > 0) {
    column[p->rows + j] = sqrt(p->lambda);
  }
  qp->scale[j] = qp_root_scale(square);
  double inverse = 1 / qp->scale[j]; /* exact */
  for (int i = 0; i < rows; i++) {
    column[i] *= inverse;
  }
}

/* [A; sqrt(lambda) 1] = Q R: R, with at most as many rows as unknowns, replaces it. The product A'A
 * is not formed; its condition number would be the square of that of A. */
static void qp_load_squares(ff_qp *qp, const ff_qp_problem *p) {
  int n = p->size, rows = p->rows + (p->lambda > 0 ? n : 0);
  for (int j = 0; j < n; j++) {
    qp_stack_column(qp, p, rows, j);
    qp->order[j] = j;
  }
  memset(qp->reflected, 0, (size_t)rows * sizeof *qp->reflected);
  for (int i = 0; i < p->rows; i++) {
    qp->reflected[i] = p->target[i];
  }
  qp->rows = ff_qp_reflect(qp->factor, qp->diagonal, rows, n, qp->reflected, qp->order);
  memcpy(qp->gradient, qp->reflected, (size_t)qp->rows * sizeof *qp->gradient);
  for (int k = 0; k < n; k++) {
    double *to = qp->hessian + (size_t)qp->order[k] * (size_t)qp->rows;
    for (int i = 0; i < qp->rows; i++) {
      to[i] = i <= k ? qp->factor[(size_t)k * (size_t)rows + (size_t)i] : 0;
    }
  }
}

static void qp_load_bounds(ff_qp *qp, const ff_qp_problem *p, const double *x) {
  for (int i = 0; i < p->size; i++) {
    qp->lower[i] = p->lower ? p->lower[i] * qp->scale[i] : -INFINITY;
    qp->upper[i] = p->upper ? p->upper[i] * qp->scale[i] : INFINITY;
    double start = isfinite(x[i]) ? x[i] * qp->scale[i] : 0;
    qp->y[i] = ff_qp_within(start, qp->lower[i], qp->upper[i]);
  }
}

ff_qp_outcome ff_qp_load(ff_qp *qp, const ff_qp_problem *problem, const double *x) {
  ff_qp_outcome outcome = qp_check_problem(qp, problem);
  if (outcome != FF_QP_SOLVED) {
    return outcome;
  }
  qp->size = problem->size;
  qp->squares = !problem->hessian;
  if (qp->squares) {
    qp_load_squares(qp, problem);
  } else if (!qp_load_hessian(qp, problem)) {
    return FF_QP_NOT_CONVEX;
  }
  qp_load_bounds(qp, problem, x);
  return FF_QP_SOLVED;
}

void ff_qp_unload(const ff_qp *qp, const ff_qp_problem *p, double *x) {
  for (int i = 0; i < qp->size; i++) {
    double lower = p->lower ? p->lower[i] : -INFINITY, upper = p->upper ? p->upper[i] : INFINITY;
    bool low = qp->place[i] == FF_QP_LOW, high = qp->place[i] == FF_QP_HIGH;
    x[i] = low ? lower : high ? upper : ff_qp_within(qp->y[i] / qp->scale[i], lower, upper);
  }
}
