/* The active set: which unknowns rest on a bound.
 *
 * On the face given by the free unknowns the minimum is one linear solve away. If it lies in the
 * box we go there, and let go of every bound that holds back what wants to go inside. If not, we
 * go to the first bound, or to the point of the box nearest to the minimum, whichever is lower,
 * and keep the bounds we met. Every minimum of a face is lower than the one before, so that no
 * face comes twice; between two there are at most as many steps as unknowns, each with one
 * fewer free. Steps of no length cannot cycle either: of the unknowns let go at least one that
 * moves inside stays free, since the step leads down. */
#include "solve/qp.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Slopes are wrong by at most so many roundings for each term. */
#define ROUNDINGS 4

/* ---- slopes ---------------------------------------------------------------------------------- */

static void slope_of_squares(const ff_qp *qp, const double *y, double *slope) {
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

static void slope_at(const ff_qp *qp, const double *y, double *slope) {
  if (qp->squares) {
    slope_of_squares(qp, y, slope);
    return;
  }
  for (int i = 0; i < qp->size; i++) {
    slope[i] = qp->gradient[i] + ff_dot(qp->hessian + (size_t)i * (size_t)qp->size, y, qp->size);
  }
}

/* Largest |g| and sum of |y|: with diagonals of 1 no slope is made of more. */
static double magnitude(const ff_qp *qp) {
  double most = 0, sum = 0;
  for (int i = 0; i < (qp->squares ? qp->rows : qp->size); i++) {
    most = fmax(most, fabs(qp->gradient[i]));
  }
  for (int i = 0; i < qp->size; i++) {
    sum += fabs(qp->y[i]);
  }
  return most + sum;
}

void ff_qp_listen(ff_qp *qp) {
  int n = qp->size;
  double rounding = ROUNDINGS * DBL_EPSILON * (double)n, all = magnitude(qp);
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
  double worst = 0, all = magnitude(qp);
  for (int i = 0; i < qp->size; i++) {
    double to = ff_qp_within(qp->y[i] - qp->slope[i], qp->lower[i], qp->upper[i]);
    worst = fmax(worst, fabs(qp->y[i] - to));
  }
  return worst > 0 ? worst / all : 0;
}

/* ---- letting go ------------------------------------------------------------------------------ */

/* Lets go of what wants inside; false if nothing does. */
static bool release(ff_qp *qp) {
  bool any = false;
  ff_qp_listen(qp);
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

/* The guess that comes with the start: on a bound, and not wanting inside. */
static void guess(ff_qp *qp) {
  for (int i = 0; i < qp->size; i++) {
    qp->place[i] = qp->y[i] <= qp->lower[i]   ? FF_QP_LOW
                   : qp->y[i] >= qp->upper[i] ? FF_QP_HIGH
                                              : FF_QP_FREE;
  }
  release(qp);
}

static bool any_free(const ff_qp *qp) {
  for (int i = 0; i < qp->size; i++) {
    if (qp->place[i] == FF_QP_FREE) {
      return true;
    }
  }
  return false;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* How much of the step fits in the box, at most `most`. */
static double room(const ff_qp *qp, double most) {
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

/* The point of the box nearest to where this part of the step ends. */
static void go(ff_qp *qp, double part, int trial) {
  memcpy(qp->trial[trial], qp->y, (size_t)qp->size * sizeof(double));
  for (int k = 0; k < qp->free; k++) {
    int i = qp->order[k];
    qp->trial[trial][i] = ff_qp_within(qp->y[i] + part * qp->step[k], qp->lower[i], qp->upper[i]);
  }
}

/* Change of the objective from y to the trial; exact for quadratics. */
static double change(ff_qp *qp, int trial) {
  const double *to = qp->trial[trial], *slope = qp->trial_slope[trial];
  double sum = 0;
  slope_at(qp, to, qp->trial_slope[trial]);
  for (int i = 0; i < qp->size; i++) {
    sum += 0.5 * (qp->slope[i] + slope[i]) * (to[i] - qp->y[i]);
  }
  return sum;
}

static void accept(ff_qp *qp, int trial, double fall) {
  size_t bytes = (size_t)qp->size * sizeof(double);
  memcpy(qp->y, qp->trial[trial], bytes);
  memcpy(qp->slope, qp->trial_slope[trial], bytes);
  qp->gain -= fall;
}

/* Unknowns that this part of the step would lead to a bound or beyond it rest there. */
static void hold(ff_qp *qp, double part) {
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

/* Goes as far as the box allows; true if that was the whole step. */
static bool advance(ff_qp *qp, double part) {
  if (part >= 1) {
    go(qp, 1, 0);
    accept(qp, 0, change(qp, 0));
    return true;
  }
  /* to the first bound, or the whole step brought back into the box */
  go(qp, part, 0);
  go(qp, 1, 1);
  double first = change(qp, 0), nearest = change(qp, 1);
  bool whole = nearest < first;
  hold(qp, whole ? 1 : part);
  accept(qp, whole, whole ? nearest : first);
  return false;
}

/* Down along a flat direction to the first bound; false if there is none. */
static bool fall(ff_qp *qp) {
  double part = room(qp, INFINITY);
  if (!isfinite(part)) {
    return false;
  }
  go(qp, part, 0);
  double down = change(qp, 0);
  hold(qp, part);
  accept(qp, 0, down);
  return true;
}

/* ---- all together ---------------------------------------------------------------------------- */

static int cap(const ff_qp *qp) {
  return qp->def.max_iterations > 0 ? qp->def.max_iterations : 4 * qp->size + 20;
}

ff_qp_outcome ff_qp_descend(ff_qp *qp) {
  slope_at(qp, qp->y, qp->slope);
  guess(qp);
  bool at_minimum = !any_free(qp);
  qp->gain = INFINITY;
  for (;;) {
    if (at_minimum) { /* of this face; rounding may say that it was not lower than the last */
      if (!(qp->gain > 0) || !release(qp)) {
        return FF_QP_SOLVED;
      }
      qp->gain = 0;
    }
    if (qp->info.iterations == cap(qp)) {
      return FF_QP_ITERATIONS;
    }
    qp->info.iterations++;
    switch (ff_qp_direct(qp)) {
      case FF_QP_ASTRAY: return FF_QP_NOT_CONVEX;
      case FF_QP_NEWTON: at_minimum = advance(qp, room(qp, 1)) || !any_free(qp); break;
      case FF_QP_FALL:
        if (!fall(qp)) {
          return FF_QP_UNBOUNDED;
        }
        at_minimum = !any_free(qp);
        break;
    }
  }
}
