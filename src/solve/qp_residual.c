/* Optimality residual of a point, computed from the problem as the caller gave it, independently of
 * the solver. */
#include "footfall/qp.h"

#include <math.h>

enum { STRIPE = 64 }; /* columns at a time, which avoids allocation */

static double natural_residual(const ff_qp_problem *p, int i, double x, double slope,
                               double curvature) {
  double lower = p->lower ? p->lower[i] : -INFINITY, upper = p->upper ? p->upper[i] : INFINITY;
  double d = curvature > 0 ? curvature : 1, to = x - slope / d;
  to = to < lower ? lower : (to > upper ? upper : to);
  /* inside, the slope itself: its effect on x may be lost in rounding */
  bool inside = x - slope / d > lower && x - slope / d < upper;
  return inside ? fabs(slope) : d * fabs(x - to);
}

/* Running maximum; NAN counts as largest. */
static double worst_residual(double worst, double value) {
  return value <= worst ? worst : value;
}

static double residual_of_hessian(const ff_qp_problem *p, const double *x) {
  double worst = 0;
  for (int i = 0; i < p->size; i++) {
    double slope = p->gradient[i];
    for (int j = 0; j < p->size; j++) {
      int row = i > j ? i : j, column = i > j ? j : i;
      slope += p->hessian[(size_t)row * (size_t)p->size + (size_t)column] * x[j];
    }
    double curvature = p->hessian[(size_t)i * (size_t)p->size + (size_t)i];
    worst = worst_residual(worst, natural_residual(p, i, x[i], slope, curvature));
  }
  return worst;
}

/* Unknowns from .. from + count - 1: slope A'(A x - b) + lambda x, curvature |A_i|^2 + lambda. */
static double residual_of_stripe(const ff_qp_problem *p, const double *x, int from, int count) {
  double slope[STRIPE], curvature[STRIPE], worst = 0;
  for (int k = 0; k < count; k++) {
    slope[k] = p->lambda * x[from + k];
    curvature[k] = p->lambda;
  }
  for (int r = 0; r < p->rows; r++) {
    const double *row = p->matrix + (size_t)r * (size_t)p->size;
    double miss = -p->target[r];
    for (int j = 0; j < p->size; j++) {
      miss += row[j] * x[j];
    }
    for (int k = 0; k < count; k++) {
      slope[k] += row[from + k] * miss;
      curvature[k] += row[from + k] * row[from + k];
    }
  }
  for (int k = 0; k < count; k++) {
    worst =
        worst_residual(worst, natural_residual(p, from + k, x[from + k], slope[k], curvature[k]));
  }
  return worst;
}

double ff_qp_residual(const ff_qp_problem *problem, const double *x) {
  if (problem->hessian) {
    return residual_of_hessian(problem, x);
  }
  double worst = 0;
  for (int from = 0; from < problem->size; from += STRIPE) {
    int left = problem->size - from;
    worst =
        worst_residual(worst, residual_of_stripe(problem, x, from, left < STRIPE ? left : STRIPE));
  }
  return worst;
}
