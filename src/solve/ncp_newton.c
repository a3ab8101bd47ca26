/* Semismooth Newton, made global.
 *
 * One merit function judges every step: half the square of the Fischer-Burmeister
 * residuals, which is smooth where they are not [DeLuca96]. A step is looked for in this
 * order, and the first that brings the merit down enough is taken:
 *   1. Newton on the min equations (method min only): the active-set guess;
 *   2. Newton on the Fischer-Burmeister equations;
 *   3. Levenberg-Marquardt, with more and more weight on a short step: exists when the
 *      matrix is singular, too;
 *   4. down the gradient.
 * "Enough" is measured against the worst of the last few merits, not the last one
 * [Grippo86], so that the iteration can follow a bent valley.
 */
#include "solve/ncp.h"

#include <math.h>
#include <string.h>

enum {
  HISTORY = 5,          /* merits that are remembered */
  PATIENCE = 12,        /* steps in which the merit must fall to PROGRESS of what it was */
  NEWTON_HALVINGS = 10, /* a Newton step cut shorter than 2^-10 leads nowhere */
  GRADIENT_HALVINGS = 40,
  REGULAR_TRIES = 6
};
#define ENOUGH       1e-4 /* share of the promised decrease that a step must bring */
#define DESCENT      1e-9 /* how clearly a direction must point down; Newton's slope is -2 merit */
#define FAR          1e14 /* unknowns larger than this are on their way to infinity */
#define REGULAR_MORE 20.0 /* growth of the weight on a short step */
#define PROGRESS     0.7

/* ---- evaluation -------------------------------------------------------------------------- */

bool ff_ncp_evaluate(ff_ncp *ncp, ff_ncp_point *point) {
  const ff_ncp_def *def = &ncp->def;
  ncp->info.evaluations++;
  for (int i = 0; i < ncp->size; i++) {
    ncp->z[i] = ncp->column_scale[i] * point->x[i];
  }
  if (def->residual(def->context, ncp->z, ncp->user_f)) {
    return false;
  }
  double sum = 0;
  for (int i = 0; i < ncp->size; i++) {
    double pull = ncp->proximal > 0 ? ncp->proximal * (point->x[i] - ncp->centre[i]) : 0;
    point->f[i] = ncp->row_scale[i] * ncp->user_f[i] + pull;
    point->phi[i] = ff_ncp_fischer(point->x[i], point->f[i], ncp->lower[i], ncp->upper[i]).value;
    sum += point->phi[i] * point->phi[i];
  }
  point->merit = 0.5 * sum;
  return isfinite(point->merit);
}

double ff_ncp_scaled(const ff_ncp *ncp, const ff_ncp_point *point) {
  return ff_ncp_residual(ncp->size, point->x, point->f, ncp->lower, ncp->upper);
}

/* Jacobian here, in user's units; false: not defined. */
static bool differentiate(ff_ncp *ncp) {
  const ff_ncp_def *def = &ncp->def;
  for (int i = 0; i < ncp->size; i++) {
    ncp->z[i] = ncp->column_scale[i] * ncp->here.x[i];
  }
  if (def->jacobian(def->context, ncp->z, ncp->jacobian.values)) {
    return false;
  }
  for (int k = 0; k < ncp->jacobian.count; k++) {
    if (!isfinite(ncp->jacobian.values[k])) {
      return false;
    }
  }
  return true;
}

/* V = diag(d_x) + diag(d_f) J, J scaled and with the proximal term. */
static void fill_step(ff_ncp *ncp) {
  const ff_ncp_pattern *jacobian = &ncp->jacobian;
  double *values = ncp->step.values;
  memset(values, 0, (size_t)ncp->step.count * sizeof *values);
  for (int j = 0; j < ncp->size; j++) {
    for (int k = jacobian->start[j]; k < jacobian->start[j + 1]; k++) {
      int i = jacobian->row[k];
      values[ncp->in_step[k]] =
          ncp->d_f[i] * (ncp->row_scale[i] * jacobian->values[k] * ncp->column_scale[j]);
    }
    values[ncp->diagonal[j]] += ncp->d_x[j] + ncp->d_f[j] * ncp->proximal;
  }
}

/* V of the Fischer-Burmeister equations, and the gradient of the merit. */
static void linearise(ff_ncp *ncp) {
  const ff_ncp_point *here = &ncp->here;
  for (int i = 0; i < ncp->size; i++) {
    ff_ncp_row row = ff_ncp_fischer(here->x[i], here->f[i], ncp->lower[i], ncp->upper[i]);
    ncp->d_x[i] = row.d_x;
    ncp->d_f[i] = row.d_f;
  }
  fill_step(ncp);
  const ff_ncp_pattern *step = &ncp->step;
  for (int j = 0; j < ncp->size; j++) {
    double sum = 0;
    for (int k = step->start[j]; k < step->start[j + 1]; k++) {
      sum += step->values[k] * here->phi[step->row[k]];
    }
    ncp->gradient[j] = sum;
  }
}

/* ---- the line search ------------------------------------------------------------------------ */

/* The last merits: what a step is measured against is the largest. */
typedef struct history {
  double merit[HISTORY];
  int count;
} history;

static void remember(history *past, double merit) {
  past->merit[past->count++ % HISTORY] = merit;
}

static double reference(const history *past) {
  double largest = 0;
  for (int i = 0; i < past->count && i < HISTORY; i++) {
    largest = fmax(largest, past->merit[i]);
  }
  return largest;
}

/* Goes along the direction as far as it serves; true: here is there now. */
static bool search_along(ff_ncp *ncp, history *past, int halvings) {
  int n = ncp->size;
  double slope = 0, length = 0;
  for (int i = 0; i < n; i++) {
    slope += ncp->gradient[i] * ncp->direction[i];
    length = fmax(length, fabs(ncp->direction[i]));
  }
  double merit = ncp->here.merit;
  if (!isfinite(length) || !(slope < -DESCENT * fmin(merit, length * length))) {
    return false;
  }
  double t = 1, limit = reference(past);
  for (int k = 0; k <= halvings; k++, t *= 0.5) {
    for (int i = 0; i < n; i++) {
      ncp->trial.x[i] = ncp->here.x[i] + t * ncp->direction[i];
    }
    if (ff_ncp_evaluate(ncp, &ncp->trial) && ncp->trial.merit <= limit + ENOUGH * t * slope) {
      ff_ncp_point held = ncp->here;
      ncp->here = ncp->trial;
      ncp->trial = held;
      remember(past, ncp->here.merit);
      return true;
    }
  }
  return false;
}

/* ---- directions ----------------------------------------------------------------------------- */

static bool fischer_step(ff_ncp *ncp, history *past) {
  ncp->info.iterations++;
  if (!ff_linear_factor(ncp->newton, ncp->step.values)) {
    return false;
  }
  for (int i = 0; i < ncp->size; i++) {
    ncp->direction[i] = -ncp->here.phi[i];
  }
  ff_linear_solve(ncp->newton, ncp->direction);
  return search_along(ncp, past, NEWTON_HALVINGS);
}

/* Overwrites V: if it fails, linearise again. */
static bool min_step(ff_ncp *ncp, history *past) {
  const ff_ncp_point *here = &ncp->here;
  for (int i = 0; i < ncp->size; i++) {
    ff_ncp_row row = ff_ncp_min(here->x[i], here->f[i], ncp->lower[i], ncp->upper[i]);
    ncp->d_x[i] = row.d_x;
    ncp->d_f[i] = row.d_f;
    ncp->direction[i] = -row.value;
  }
  fill_step(ncp);
  ncp->info.iterations++;
  bool taken = false;
  if (ff_linear_factor(ncp->newton, ncp->step.values)) {
    ff_linear_solve(ncp->newton, ncp->direction);
    taken = search_along(ncp, past, NEWTON_HALVINGS);
  }
  return taken;
}

/* min |V d + phi|^2 + s^2 |d|^2, as the system [s 1, V; V', -s 1] (r, d) = (-phi, 0): its
 * condition is 1/s, that of the normal equations would be 1/s^2. */
static bool regular_step(ff_ncp *ncp, history *past, double weight) {
  int n = ncp->size;
  double *values = ncp->wide.values;
  for (int k = 0; k < ncp->step.count; k++) {
    values[ncp->in_wide[0][k]] = values[ncp->in_wide[1][k]] = ncp->step.values[k];
  }
  for (int i = 0; i < n; i++) {
    values[ncp->wide_diagonal[i]] = weight;
    values[ncp->wide_diagonal[n + i]] = -weight;
    ncp->direction[i] = -ncp->here.phi[i];
    ncp->direction[n + i] = 0;
  }
  ncp->info.iterations++;
  if (!ff_linear_factor(ncp->regular, values)) {
    return false;
  }
  ff_linear_solve(ncp->regular, ncp->direction);
  memmove(ncp->direction, ncp->direction + n, (size_t)n * sizeof *ncp->direction);
  return search_along(ncp, past, NEWTON_HALVINGS);
}

static bool regular_steps(ff_ncp *ncp, history *past) {
  double weight = 1e-3 * fmin(1, sqrt(2 * ncp->here.merit));
  weight = fmax(weight, 1e-7);
  for (int k = 0; k < REGULAR_TRIES; k++, weight *= REGULAR_MORE) {
    if (ncp->info.iterations >= ncp->def.max_iterations) {
      return false;
    }
    if (regular_step(ncp, past, weight)) {
      ncp->info.regularised++;
      return true;
    }
  }
  return false;
}

static bool gradient_step(ff_ncp *ncp, history *past) {
  for (int i = 0; i < ncp->size; i++) {
    ncp->direction[i] = -ncp->gradient[i];
  }
  bool taken = search_along(ncp, past, GRADIENT_HALVINGS);
  ncp->info.gradient += taken;
  return taken;
}

static bool take_step(ff_ncp *ncp, ff_ncp_method method, history *past) {
  linearise(ncp);
  if (method == FF_NCP_MIN) {
    if (min_step(ncp, past)) {
      return true;
    }
    linearise(ncp);
  }
  return fischer_step(ncp, past) || regular_steps(ncp, past) || gradient_step(ncp, past);
}

/* ---- the descent ---------------------------------------------------------------------------- */

static bool is_far(const ff_ncp *ncp) {
  for (int i = 0; i < ncp->size; i++) {
    if (!(fabs(ncp->here.x[i]) < FAR)) {
      return true;
    }
  }
  return false;
}

ff_ncp_ending ff_ncp_descend(ff_ncp *ncp, ff_ncp_method method, double tolerance, int limit) {
  int last = ncp->info.iterations + limit;
  history past = {.count = 0};
  if (!ff_ncp_evaluate(ncp, &ncp->here)) {
    return FF_NCP_END_UNDEFINED;
  }
  remember(&past, ncp->here.merit);
  double milestone = ncp->here.merit;
  for (int steps = 1;; steps++) {
    if (ff_ncp_scaled(ncp, &ncp->here) <= tolerance) {
      return FF_NCP_END_SOLVED;
    }
    if (is_far(ncp)) {
      return FF_NCP_END_DIVERGED;
    }
    if (ncp->info.iterations >= last || ncp->info.iterations >= ncp->def.max_iterations) {
      return FF_NCP_END_LIMIT;
    }
    if (!differentiate(ncp)) {
      return FF_NCP_END_UNDEFINED;
    }
    if (!take_step(ncp, method, &past)) {
      return FF_NCP_END_STATIONARY;
    }
    if (steps % PATIENCE == 0) {
      if (ncp->here.merit > PROGRESS * milestone) {
        return FF_NCP_END_STATIONARY; /* as good as */
      }
      milestone = ncp->here.merit;
    }
  }
}
