/* Primal active-set method.
 *
 * The minimum on the face of the free unknowns takes one linear solve. If it lies in the box, the
 * iterate moves there and every bound with a multiplier of the wrong sign is released. If not, it
 * moves to the first bound, or to the projection of the minimum onto the box, whichever is lower,
 * and the bounds that were hit become active. Every minimum of a face is lower than the one before,
 * so that no face is visited twice; between two of them there are at most as many steps as
 * unknowns, each with one fewer free. Steps of zero length cannot cycle: at least one released
 * unknown that moves inside stays free, since the step is a descent. */
#include "solve/qp.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Bound on the rounding errors of a slope, in roundings per term. */
#define ROUNDINGS 4

/* ---- slopes ---------------------------------------------------------------------------------- */

static void qp_squares_slope(const ff_qp *qp, const double *y, double *slope) {
  int rows = qp->rows;
  double *miss = qp->reflected;
  for (int i = 0; i < rows; i++) {
    miss[i] = -qp->gradient[i];
  }
  for (int j = 0; j < qp->size; j++) {
    const double *column = qp->hessian + (size_t)j * (size_t)rows;
    for (int i = 0; y[j] != 0 && i < rows; i++) {
      miss[i] += column[i] * y[j];
    }
  }
  for (int j = 0; j < qp->size; j++) {
    slope[j] = ff_dot(qp->hessian + (size_t)j * (size_t)rows, miss, rows);
  }
}

static void qp_slope_at(const ff_qp *qp, const double *y, double *slope) {
  if (qp->squares) {
    qp_squares_slope(qp, y, slope);
    return;
  }
  for (int i = 0; i < qp->size; i++) {
    slope[i] = qp->gradient[i] + ff_dot(qp->hessian + (size_t)i * (size_t)qp->size, y, qp->size);
  }
}

/* Largest |g| plus sum of |y|: with unit diagonals, a bound on the terms of a slope. */
static double qp_slope_magnitude(const ff_qp *qp) {
  double most = 0, sum = 0;
  for (int i = 0; i < (qp->squares ? qp->rows : qp->size); i++) {
    most = fmax(most, fabs(qp->gradient[i]));
  }
  for (int i = 0; i < qp->size; i++) {
    sum += fabs(qp->y[i]);
  }
  return most + sum;
}

void ff_qp_estimate_noise(ff_qp *qp) {
  int n = qp->size;
  double rounding = ROUNDINGS * DBL_EPSILON * (double)n, all = qp_slope_magnitude(qp);
  for (int i = 0; i < n; i++) {
    if (qp->squares) {
      qp->noise[i] = rounding * all;
      continue;
    }
    double sum = fabs(qp->gradient[i]);
    for (int j = 0; j < n; j++) {
      sum += fabs(qp->hessian[(size_t)i * (size_t)n + (size_t)j] * qp->y[j]);
    }
    qp->noise[i] = rounding * sum;
  }
}

double ff_qp_scaled(const ff_qp *qp) {
  double worst = 0, all = qp_slope_magnitude(qp);
  for (int i = 0; i < qp->size; i++) {
    double to = ff_qp_within(qp->y[i] - qp->slope[i], qp->lower[i], qp->upper[i]);
    worst = fmax(worst, fabs(qp->y[i] - to));
  }
  return worst > 0 ? worst / all : 0;
}

/* ---- releasing bounds ------------------------------------------------------------------------ */

/* Releases the bounds whose multipliers have the wrong sign; false if there are none. */
static bool qp_release_bounds(ff_qp *qp) {
  bool any = false;
  ff_qp_estimate_noise(qp);
  for (int i = 0; i < qp->size; i++) {
    double inside = qp->place[i] == FF_QP_LOW    ? -qp->slope[i]
                    : qp->place[i] == FF_QP_HIGH ? qp->slope[i]
                                                 : 0;
    if (inside > qp->noise[i] && qp->lower[i] < qp->upper[i]) {
      qp->place[i] = FF_QP_FREE;
      any = true;
    }
  }
  return any;
}

/* Initial active set: at a bound, with a multiplier of the right sign. */
static void qp_guess_active_set(ff_qp *qp) {
  for (int i = 0; i < qp->size; i++) {
    qp->place[i] = qp->y[i] <= qp->lower[i]   ? FF_QP_LOW
                   : qp->y[i] >= qp->upper[i] ? FF_QP_HIGH
                                              : FF_QP_FREE;
  }
  qp_release_bounds(qp);
}

static bool qp_any_free(const ff_qp *qp) {
  for (int i = 0; i < qp->size; i++) {
    if (qp->place[i] == FF_QP_FREE) {
      return true;
    }
  }
  return false;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Largest feasible fraction of the step, at most `most`. */
static double qp_feasible_fraction(const ff_qp *qp, double most) {
  for (int k = 0; k < qp->free; k++) {
    int i = qp->order[k];
    double s = qp->step[k];
    double to = s > 0 ? qp->upper[i] : qp->lower[i];
    if (s != 0 && isfinite(to)) {
      most = fmin(most, fmax(0, (to - qp->y[i]) / s));
    }
  }
  return most;
}

/* Trial point: projection onto the box of y plus this fraction of the step. */
static void qp_set_trial(ff_qp *qp, double part, int trial) {
  memcpy(qp->trial[trial], qp->y, (size_t)qp->size * sizeof(double));
  for (int k = 0; k < qp->free; k++) {
    int i = qp->order[k];
    qp->trial[trial][i] = ff_qp_within(qp->y[i] + part * qp->step[k], qp->lower[i], qp->upper[i]);
  }
}

/* Exact change of the objective from y to the trial point. */
static double qp_objective_change(ff_qp *qp, int trial) {
  const double *to = qp->trial[trial], *slope = qp->trial_slope[trial];
  double sum = 0;
  qp_slope_at(qp, to, qp->trial_slope[trial]);
  for (int i = 0; i < qp->size; i++) {
    sum += 0.5 * (qp->slope[i] + slope[i]) * (to[i] - qp->y[i]);
  }
  return sum;
}

static void qp_accept_trial(ff_qp *qp, int trial, double fall) {
  size_t bytes = (size_t)qp->size * sizeof(double);
  memcpy(qp->y, qp->trial[trial], bytes);
  memcpy(qp->slope, qp->trial_slope[trial], bytes);
  qp->gain -= fall;
}

/* Activates the bounds that this fraction of the step reaches or crosses. */
static void qp_activate_bounds(ff_qp *qp, double part) {
  for (int k = 0; k < qp->free; k++) {
    int i = qp->order[k];
    double s = qp->step[k];
    double to = s > 0 ? qp->upper[i] : qp->lower[i];
    if (s != 0 && isfinite(to) && (to - qp->y[i]) / s <= part) {
      qp->place[i] = s > 0 ? FF_QP_HIGH : FF_QP_LOW;
      qp->trial[0][i] = qp->trial[1][i] = to;
    }
  }
}

/* Moves as far as the box allows; true if that was the whole step. */
static bool qp_take_step(ff_qp *qp, double part) {
  if (part >= 1) {
    qp_set_trial(qp, 1, 0);
    qp_accept_trial(qp, 0, qp_objective_change(qp, 0));
    return true;
  }
  /* candidates: the first bound, and the projection of the full step */
  qp_set_trial(qp, part, 0);
  qp_set_trial(qp, 1, 1);
  double first = qp_objective_change(qp, 0), nearest = qp_objective_change(qp, 1);
  bool whole = nearest < first;
  qp_activate_bounds(qp, whole ? 1 : part);
  qp_accept_trial(qp, whole, whole ? nearest : first);
  return false;
}

/* Descends along a direction of zero curvature to the first bound; false: unbounded. */
static bool qp_take_flat_step(ff_qp *qp) {
  double part = qp_feasible_fraction(qp, INFINITY);
  if (!isfinite(part)) {
    return false;
  }
  qp_set_trial(qp, part, 0);
  double down = qp_objective_change(qp, 0);
  qp_activate_bounds(qp, part);
  qp_accept_trial(qp, 0, down);
  return true;
}

/* ---- descent --------------------------------------------------------------------------------- */

static int qp_iteration_limit(const ff_qp *qp) {
  return qp->def.max_iterations > 0 ? qp->def.max_iterations : 4 * qp->size + 20;
}

ff_qp_outcome ff_qp_descend(ff_qp *qp) {
  qp_slope_at(qp, qp->y, qp->slope);
  qp_guess_active_set(qp);
  bool at_minimum = !qp_any_free(qp);
  qp->gain = INFINITY;
  for (;;) {
    if (at_minimum) { /* minimum of this face; rounding may show it not lower than the last */
      if (!(qp->gain > 0) || !qp_release_bounds(qp)) {
        return FF_QP_SOLVED;
      }
      qp->gain = 0;
    }
    if (qp->info.iterations == qp_iteration_limit(qp)) {
      return FF_QP_ITERATIONS;
    }
    qp->info.iterations++;
    switch (ff_qp_find_step(qp)) {
      case FF_QP_NONCONVEX: return FF_QP_NOT_CONVEX;
      case FF_QP_NEWTON:
        at_minimum = qp_take_step(qp, qp_feasible_fraction(qp, 1)) || !qp_any_free(qp);
        break;
      case FF_QP_FLAT:
        if (!qp_take_flat_step(qp)) {
          return FF_QP_UNBOUNDED;
        }
        at_minimum = !qp_any_free(qp);
        break;
    }
  }
}
