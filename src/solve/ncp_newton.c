/* Globalised semismooth Newton method.
 *
 * The merit function is half the squared norm of the Fischer-Burmeister residuals, which is smooth
 * where they are not [DeLuca96]. Steps are tried in this order, and the first with sufficient
 * decrease is taken:
 *   1. Newton on the min equations (method min only): an active-set step;
 *   2. Newton on the Fischer-Burmeister equations;
 *   3. Levenberg-Marquardt with increasing regularisation: exists when the matrix is singular;
 *   4. steepest descent.
 * The line search is nonmonotone: decrease is measured against the worst of the last few merits
 * [Grippo86], so that the iteration can follow a curved valley. In watchdog phases Newton takes
 * full steps for a while, whatever the merit, and returns to the start of the phase if the merit
 * has not decreased by then [Chamberlain82]; this leaves many valleys along which the descent is
 * slow.
 *
 * Where Newton steps decrease the merit strongly, the next ones reuse the factorisation with
 * Broyden updates, as long as they do so too. */
#include "math/pairs.h"
#include "solve/ncp.h"

#include <math.h>
#include <string.h>

enum {
  HISTORY = 5,          /* merits of the nonmonotone line search */
  PATIENCE = 12,        /* steps within which the merit must fall to PROGRESS of its value */
  NEWTON_HALVINGS = 10, /* a Newton step shorter than 2^-10 is abandoned */
  GRADIENT_HALVINGS = 40,
  REGULAR_TRIES = 6,
  WATCHDOG = 8 /* full steps in one watchdog phase */
};
#define ENOUGH       1e-4 /* sufficient decrease: share of the predicted one */
#define DESCENT      1e-9 /* least relative descent of a direction; Newton's slope is -2 merit */
#define FAR          1e14 /* unknowns larger than this diverge */
#define REGULAR_MORE 20.0 /* growth of the regularisation */
#define PROGRESS     0.7
#define LEARNT       0.1  /* largest relative step left after the Broyden update */
#define POLISH       0.01 /* share of the tolerance at which reuse of the factors ends */
#define AGAIN        0.1  /* the factors are reused where they decreased the merit to this share */

/* ---- evaluation ------------------------------------------------------------------------------ */

static ff_ncp_row ncp_row_of(const ff_ncp *ncp, ff_ncp_method method, const ff_ncp_point *at,
                             int i) {
  double lower = ncp->lower[i], upper = ncp->upper[i];
  if (lower == -INFINITY && upper == INFINITY) {
    return (ff_ncp_row){at->f[i], 0, 1};
  }
  return method == FF_NCP_MIN ? ff_ncp_min(at->x[i], at->f[i], lower, upper)
                              : ff_ncp_fischer(at->x[i], at->f[i], lower, upper, ncp->smooth);
}

bool ff_ncp_evaluate_user(ff_ncp *ncp, ff_ncp_point *point) {
  double sum = 0;
  for (int i = 0; i < ncp->size; i++) {
    double pull = ncp->proximal > 0 ? ncp->proximal * (point->x[i] - ncp->centre[i]) : 0;
    point->f[i] = ncp->row_scale[i] * ncp->user_f[i] + pull;
    point->phi[i] = ncp_row_of(ncp, FF_NCP_FISCHER, point, i).value;
    sum += point->phi[i] * point->phi[i];
  }
  point->merit = 0.5 * sum;
  return isfinite(point->merit);
}

bool ff_ncp_evaluate(ff_ncp *ncp, ff_ncp_point *point) {
  const ff_ncp_def *def = &ncp->def;
  ncp->info.evaluations++;
  for (int i = 0; i < ncp->size; i++) {
    ncp->z[i] = ncp->column_scale[i] * point->x[i];
  }
  return def->residual(def->context, ncp->z, ncp->user_f) == 0 && ff_ncp_evaluate_user(ncp, point);
}

double ff_ncp_scaled(const ff_ncp *ncp, const ff_ncp_point *point) {
  return ff_ncp_residual(ncp->size, point->x, point->f, ncp->lower, ncp->upper);
}

/* Residual of the current equations: natural, or smoothed. */
static double ncp_residual(const ff_ncp *ncp) {
  double worst = 0;
  if (!(ncp->smooth > 0)) {
    return ff_ncp_scaled(ncp, &ncp->here);
  }
  for (int i = 0; i < ncp->size; i++) {
    worst = fmax(worst, fabs(ncp->here.phi[i]));
  }
  return worst;
}

bool ff_ncp_differentiate(ff_ncp *ncp, const double *z) {
  const ff_ncp_def *def = &ncp->def;
  const double *values = ncp->jacobian.values;
  if (def->jacobian(def->context, z, ncp->jacobian.values)) {
    return false;
  }
  double lost = 0;
  for (int k = 0; k < ncp->jacobian.count; k++) {
    lost += values[k] - values[k]; /* NAN if one is not finite */
  }
  return lost == 0;
}

void ff_ncp_scale_jacobian(ff_ncp *ncp, const double *row, const double *column) {
  const ff_ncp_pattern *jacobian = &ncp->jacobian;
  for (int j = 0; j < ncp->size; j++) {
    for (int k = jacobian->start[j]; k < jacobian->start[j + 1]; k++) {
      jacobian->values[k] *= row[jacobian->row[k]] * column[j];
    }
  }
}

bool ff_ncp_refresh(ff_ncp *ncp) {
  if (ncp->fresh) {
    return true;
  }
  for (int i = 0; i < ncp->size; i++) {
    ncp->z[i] = ncp->column_scale[i] * ncp->here.x[i];
  }
  if (!ff_ncp_differentiate(ncp, ncp->z)) {
    return false;
  }
  ff_ncp_scale_jacobian(ncp, ncp->row_scale, ncp->column_scale);
  ncp->fresh = true;
  return true;
}

/* V = diag(d_x) + diag(d_f) J of a method, J scaled and with the proximal term; direction = minus
 * the residuals. */
static void ncp_linearise(ff_ncp *ncp, ff_ncp_method method) {
  const ff_ncp_pattern *jacobian = &ncp->jacobian;
  double *values = ncp->step.values;
  for (int i = 0; i < ncp->size; i++) {
    ff_ncp_row row = ncp_row_of(ncp, method, &ncp->here, i);
    ncp->d_x[i] = row.d_x;
    ncp->d_f[i] = row.d_f;
    ncp->direction[i] = -row.value;
  }
  if (ncp->step.count > jacobian->count) {
    memset(values, 0, (size_t)ncp->step.count * sizeof *values);
  }
  for (int j = 0; j < ncp->size; j++) {
    for (int k = jacobian->start[j]; k < jacobian->start[j + 1]; k++) {
      values[ncp->in_step[k]] = ncp->d_f[jacobian->row[k]] * jacobian->values[k];
    }
    values[ncp->diagonal[j]] += ncp->d_x[j] + ncp->d_f[j] * ncp->proximal;
  }
}

/* Gradient of the merit function, V' phi; V must be that of Fischer-Burmeister. */
static void ncp_find_gradient(ff_ncp *ncp) {
  const ff_ncp_pattern *step = &ncp->step;
  for (int j = 0; j < ncp->size; j++) {
    double sum = 0;
    for (int k = step->start[j]; k < step->start[j + 1]; k++) {
      sum += step->values[k] * ncp->here.phi[step->row[k]];
    }
    ncp->gradient[j] = sum;
  }
}

/* ---- state of a descent ---------------------------------------------------------------------- */

/* State of a descent: the last merits, whose largest is the reference of the line search, and the
 * watchdog. */
typedef struct run {
  ff_ncp_method method;
  double merit[HISTORY];
  int count;
  double step_length;     /* length of the last step, relative to its direction */
  int watchdog_steps;     /* full steps of a watchdog phase */
  int watchdog;           /* steps since the watchdog phase started; 0: none is active */
  int watchdog_wait;      /* steps until the next watchdog phase is allowed */
  int watchdog_next_wait; /* the same after the next failure */
} run;

static void push_merit(run *descent, double merit) {
  descent->merit[descent->count++ % HISTORY] = merit;
}

static double merit_reference(const run *descent) {
  double largest = 0;
  for (int i = 0; i < descent->count && i < HISTORY; i++) {
    largest = fmax(largest, descent->merit[i]);
  }
  return largest;
}

/* Accepts the trial point. */
static void ncp_accept_trial(ff_ncp *ncp) {
  ff_ncp_point watchdog_wait = ncp->here;
  ncp->here = ncp->trial;
  ncp->trial = watchdog_wait;
  ncp->fresh = false;
}

static void ncp_copy_point(const ff_ncp *ncp, ff_ncp_point *to, const ff_ncp_point *from) {
  size_t bytes = (size_t)ncp->size * sizeof(double);
  memcpy(to->x, from->x, bytes);
  memcpy(to->f, from->f, bytes);
  memcpy(to->phi, from->phi, bytes);
  to->merit = from->merit;
}

/* Evaluates the trial point here + t direction. */
static bool ncp_evaluate_along(ff_ncp *ncp, double t) {
  for (int i = 0; i < ncp->size; i++) {
    double to = ncp->here.x[i] + t * ncp->direction[i];
    ncp->trial.x[i] = ncp->inside ? fmin(fmax(to, ncp->lower[i]), ncp->upper[i]) : to;
  }
  return ff_ncp_evaluate(ncp, &ncp->trial);
}

/* ---- the line search ------------------------------------------------------------------------- */

/* Backtracking line search along the direction with known slope; skips the full step if it was
 * tried before. */
static bool ncp_line_search(ff_ncp *ncp, run *descent, double slope, bool tried, int halvings) {
  double t = tried ? fmin(0.5, 4 * descent->step_length) : 1, limit = merit_reference(descent);
  for (double least = ldexp(1, -halvings); t >= least; t *= 0.5) {
    if (ncp_evaluate_along(ncp, t) && ncp->trial.merit <= limit + ENOUGH * t * slope) {
      ncp_accept_trial(ncp);
      push_merit(descent, ncp->here.merit);
      descent->step_length = t;
      return true;
    }
  }
  return false;
}

/* Slope of the merit along the direction; 0 if it is not a clear descent direction. */
static double ncp_slope_along(const ff_ncp *ncp) {
  double slope = 0, length = 0;
  for (int i = 0; i < ncp->size; i++) {
    slope += ncp->gradient[i] * ncp->direction[i];
    length = fmax(length, fabs(ncp->direction[i]));
  }
  return slope < -DESCENT * fmin(ncp->here.merit, length * length) ? slope : 0;
}

/* ---- Newton ---------------------------------------------------------------------------------- */

/* False: singular. */
static bool ncp_newton_direction(ff_ncp *ncp, ff_ncp_method method) {
  ncp_linearise(ncp, method);
  ncp->info.iterations++;
  if (!ff_linear_factor(ncp->newton, ncp->step.values)) {
    return false;
  }
  ff_linear_solve(ncp->newton, ncp->direction);
  double lost = 0;
  for (int i = 0; i < ncp->size; i++) {
    lost += ncp->direction[i] - ncp->direction[i];
  }
  return lost == 0;
}

/* Stores the step from trial to here for Broyden updates. */
static void ncp_store_step(ff_ncp *ncp, int k) {
  double *step = ncp->steps + (size_t)k * (size_t)ncp->size, sum = 0;
  for (int i = 0; i < ncp->size; i++) {
    step[i] = ncp->here.x[i] - ncp->trial.x[i];
    sum += step[i] * step[i];
  }
  ncp->step_squares[k] = sum;
}

/* Component of the direction along stored step k. */
static double ncp_step_component(const ff_ncp *ncp, int k) {
  const double *step = ncp->steps + (size_t)k * (size_t)ncp->size;
  return ff_dot(step, ncp->direction, ncp->size) / ncp->step_squares[k];
}

/* Broyden updates [Broyden65] of the direction by the steps up to k since the factorisation. False:
 * the updated step is unusable. */
static bool ncp_broyden_update(ff_ncp *ncp, int k) {
  for (int j = 0; j < k; j++) {
    ff_take_off(ncp->direction, -ncp_step_component(ncp, j),
                ncp->steps + (size_t)(j + 1) * (size_t)ncp->size, ncp->size);
  }
  double rest = 1 - ncp_step_component(ncp, k);
  if (!(rest > LEARNT)) {
    return false;
  }
  for (int i = 0; i < ncp->size; i++) {
    ncp->direction[i] /= rest;
  }
  return true;
}

/* Further steps with the same factorisation and Broyden updates, while they decrease the merit as
 * strongly. */
static void ncp_reuse_factors(ff_ncp *ncp, run *descent, double tolerance, double before) {
  for (int k = 0; k < FF_NCP_STEPS && ncp->here.merit <= AGAIN * before &&
                  ncp_residual(ncp) > POLISH * tolerance;
       k++) {
    ncp_store_step(ncp, k);
    for (int i = 0; i < ncp->size; i++) {
      ff_ncp_row row = ncp_row_of(ncp, descent->method, &ncp->here, i);
      if (descent->method == FF_NCP_MIN && row.d_x != ncp->d_x[i]) {
        return; /* the active set has changed */
      }
      ncp->direction[i] = -row.value;
    }
    before = ncp->here.merit;
    ff_linear_solve(ncp->newton, ncp->direction);
    if (!ncp_broyden_update(ncp, k) || !ncp_evaluate_along(ncp, 1) ||
        !(ncp->trial.merit <= AGAIN * before)) {
      return;
    }
    ncp_accept_trial(ncp);
    push_merit(descent, ncp->here.merit);
  }
}

/* Full Newton step. */
static bool ncp_full_step(ff_ncp *ncp, run *descent, double tolerance) {
  bool defined = ncp_evaluate_along(ncp, 1);
  double merit = ncp->here.merit, found = ncp->trial.merit;
  if (defined && found <= merit_reference(descent) - 2 * ENOUGH * merit) {
    descent->watchdog = 0;
    descent->step_length = 1;
    ncp_accept_trial(ncp);
    push_merit(descent, ncp->here.merit);
    ncp_reuse_factors(ncp, descent, tolerance, merit);
    return true;
  }
  if (!defined || descent->watchdog_wait > 0 || descent->watchdog >= descent->watchdog_steps) {
    return false;
  }
  if (descent->watchdog++ == 0) {
    ncp_copy_point(ncp, &ncp->kept, &ncp->here);
  }
  ncp_accept_trial(ncp);
  return true;
}

/* Slope of the merit along the Newton direction of a method; V becomes that of Fischer-Burmeister.
 */
static double ncp_newton_slope(ff_ncp *ncp, ff_ncp_method method) {
  if (method == FF_NCP_FISCHER) {
    return -2 * ncp->here.merit;
  }
  double *direction = ncp->direction;
  ncp->direction = ncp->equations; /* ncp_linearise writes there */
  ncp_linearise(ncp, FF_NCP_FISCHER);
  ncp->direction = direction;
  ncp_find_gradient(ncp);
  return ncp_slope_along(ncp);
}

/* Newton step of a method with line search. */
static bool ncp_newton_step(ff_ncp *ncp, run *descent, ff_ncp_method method, double tolerance) {
  if (!ncp_newton_direction(ncp, method)) {
    return false;
  }
  bool leaps = method == descent->method; /* full steps only for the main method */
  if (leaps && ncp_full_step(ncp, descent, tolerance)) {
    return true;
  }
  double slope = ncp_newton_slope(ncp, method);
  return slope < 0 && ncp_line_search(ncp, descent, slope, leaps, NEWTON_HALVINGS);
}

/* ---- regularised steps ----------------------------------------------------------------------- */

/* min |V d + phi|^2 + s^2 |d|^2, as the system [s 1, V; V', -s 1] (r, d) = (-phi, 0): its
 * condition is 1/s, that of the normal equations would be 1/s^2. */
static bool ncp_regularised_step(ff_ncp *ncp, run *descent, double weight) {
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
  double slope = ncp_slope_along(ncp);
  return slope < 0 && ncp_line_search(ncp, descent, slope, false, NEWTON_HALVINGS);
}

static bool ncp_regularised_steps(ff_ncp *ncp, run *descent) {
  double weight = 1e-3 * fmin(1, sqrt(2 * ncp->here.merit));
  weight = fmax(weight, 1e-7);
  for (int k = 0; k < REGULAR_TRIES; k++, weight *= REGULAR_MORE) {
    if (ncp->info.iterations >= ncp->def.max_iterations) {
      return false;
    }
    if (ncp_regularised_step(ncp, descent, weight)) {
      ncp->info.regularised++;
      return true;
    }
  }
  return false;
}

static bool ncp_gradient_step(ff_ncp *ncp, run *descent) {
  for (int i = 0; i < ncp->size; i++) {
    ncp->direction[i] = -ncp->gradient[i];
  }
  double slope = ncp_slope_along(ncp);
  bool taken = slope < 0 && ncp_line_search(ncp, descent, slope, false, GRADIENT_HALVINGS);
  ncp->info.gradient += taken;
  return taken;
}

/* Watchdog phase: another full step, or return to its start. */
static void ncp_watchdog_step(ff_ncp *ncp, run *descent, double tolerance) {
  if (!ncp_newton_direction(ncp, descent->method) || !ncp_full_step(ncp, descent, tolerance)) {
    ncp_copy_point(ncp, &ncp->here, &ncp->kept);
    ncp->fresh = false;
    descent->watchdog = 0;
    descent->watchdog_wait = descent->watchdog_next_wait;
    descent->watchdog_next_wait *= 2;
  }
}

/* One step of the descent; false: no step decreases the merit. */
static bool ncp_take_step(ff_ncp *ncp, run *descent, double tolerance) {
  if (descent->watchdog > 0) {
    ncp_watchdog_step(ncp, descent, tolerance);
    return true;
  }
  bool taken =
      (descent->method == FF_NCP_MIN && ncp_newton_step(ncp, descent, FF_NCP_MIN, tolerance)) ||
      ncp_newton_step(ncp, descent, FF_NCP_FISCHER, tolerance);
  if (!taken) {
    ncp_find_gradient(ncp);
    taken = ncp_regularised_steps(ncp, descent) || ncp_gradient_step(ncp, descent);
  }
  descent->watchdog_wait -= descent->watchdog_wait > 0;
  return taken;
}

/* ---- the descent ----------------------------------------------------------------------------- */

static bool ncp_diverges(const ff_ncp *ncp) {
  for (int i = 0; i < ncp->size; i++) {
    if (!(fabs(ncp->here.x[i]) < FAR)) {
      return true;
    }
  }
  return false;
}

/* Ends a descent; during a watchdog phase at the point of least merit. */
static ff_ncp_ending ncp_end(ff_ncp *ncp, const run *descent, ff_ncp_ending ending) {
  if (descent->watchdog > 0 && ending != FF_NCP_END_SOLVED && ncp->kept.merit < ncp->here.merit) {
    ncp_copy_point(ncp, &ncp->here, &ncp->kept);
    ncp->fresh = false;
  }
  return ending;
}

ff_ncp_ending ff_ncp_descend(ff_ncp *ncp, ff_ncp_method method, double tolerance, int limit) {
  int last = ncp->info.iterations + limit;
  run descent = {.method = method,
                 .step_length = 1,
                 .watchdog_next_wait = 1,
                 .watchdog_steps = ncp->inside ? WATCHDOG : 0};
  last = last < ncp->def.max_iterations ? last : ncp->def.max_iterations;
  push_merit(&descent, ncp->here.merit);
  double milestone = ncp->here.merit;
  for (int steps = 1;; steps += descent.watchdog == 0) {
    if (ncp_residual(ncp) <= tolerance) {
      return FF_NCP_END_SOLVED;
    }
    if (ncp_diverges(ncp)) {
      return ncp_end(ncp, &descent, FF_NCP_END_DIVERGED);
    }
    if (ncp->info.iterations >= last) {
      return ncp_end(ncp, &descent, FF_NCP_END_LIMIT);
    }
    if (!ff_ncp_refresh(ncp)) {
      return ncp_end(ncp, &descent, FF_NCP_END_UNDEFINED);
    }
    if (!ncp_take_step(ncp, &descent, tolerance)) {
      return FF_NCP_END_STATIONARY;
    }
    if (steps % PATIENCE == 0 && descent.watchdog == 0) {
      if (ncp->here.merit > PROGRESS * milestone) {
        return FF_NCP_END_STATIONARY; /* numerically stationary */
      }
      milestone = ncp->here.merit;
    }
  }
}
