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
 * [Grippo86], so that the iteration can follow a bent valley. Now and then Newton is let off the
 * leash: it takes whole steps for a while, whatever the merit, and is called back to where it was
 * if that leads to nothing [Chamberlain82]. It leads out of many a valley that the descent would
 * crawl along.
 *
 * Where Newton's steps bring much, the next ones use the same matrix, with what they teach of it,
 * as long as they do so, too.
 */
#include "math/pairs.h"
#include "solve/ncp.h"

#include <math.h>
#include <string.h>

enum {
  HISTORY = 5,          /* merits that are remembered */
  PATIENCE = 12,        /* steps in which the merit must fall to PROGRESS of what it was */
  NEWTON_HALVINGS = 10, /* a Newton step cut shorter than 2^-10 leads nowhere */
  GRADIENT_HALVINGS = 40,
  REGULAR_TRIES = 6,
  LEASH = 8 /* whole steps that Newton may take on its own */
};
#define ENOUGH       1e-4 /* share of the promised decrease that a step must bring */
#define DESCENT      1e-9 /* how clearly a direction must point down; Newton's slope is -2 merit */
#define FAR          1e14 /* unknowns larger than this are on their way to infinity */
#define REGULAR_MORE 20.0 /* growth of the weight on a short step */
#define PROGRESS     0.7
#define LEARNT       0.1  /* what must be left of a step by what is learnt of its matrix */
#define POLISH       0.01 /* of the tolerance: how far steps with a matrix at hand go beyond it */
#define AGAIN        0.1  /* a matrix serves again where it brought the merit down to this share */

/* ---- evaluation -------------------------------------------------------------------------- */

static ff_ncp_row row_of(const ff_ncp *ncp, ff_ncp_method method, const ff_ncp_point *at, int i) {
  double lower = ncp->lower[i], upper = ncp->upper[i];
  if (lower == -INFINITY && upper == INFINITY) {
    return (ff_ncp_row){at->f[i], 0, 1};
  }
  return method == FF_NCP_MIN ? ff_ncp_min(at->x[i], at->f[i], lower, upper)
                              : ff_ncp_fischer(at->x[i], at->f[i], lower, upper, ncp->smooth);
}

bool ff_ncp_judge(ff_ncp *ncp, ff_ncp_point *point) {
  double sum = 0;
  for (int i = 0; i < ncp->size; i++) {
    double pull = ncp->proximal > 0 ? ncp->proximal * (point->x[i] - ncp->centre[i]) : 0;
    point->f[i] = ncp->row_scale[i] * ncp->user_f[i] + pull;
    point->phi[i] = row_of(ncp, FF_NCP_FISCHER, point, i).value;
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
  return def->residual(def->context, ncp->z, ncp->user_f) == 0 && ff_ncp_judge(ncp, point);
}

double ff_ncp_scaled(const ff_ncp *ncp, const ff_ncp_point *point) {
  return ff_ncp_residual(ncp->size, point->x, point->f, ncp->lower, ncp->upper);
}

/* How far here is from a solution, or from one of the smooth equations. */
static double distance(const ff_ncp *ncp) {
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

/* V = diag(d_x) + diag(d_f) J of a method, J scaled and with the proximal term; minus the
 * equations in direction. */
static void linearise(ff_ncp *ncp, ff_ncp_method method) {
  const ff_ncp_pattern *jacobian = &ncp->jacobian;
  double *values = ncp->step.values;
  for (int i = 0; i < ncp->size; i++) {
    ff_ncp_row row = row_of(ncp, method, &ncp->here, i);
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

/* The gradient of the merit, V' phi; V must be that of Fischer-Burmeister. */
static void find_gradient(ff_ncp *ncp) {
  const ff_ncp_pattern *step = &ncp->step;
  for (int j = 0; j < ncp->size; j++) {
    double sum = 0;
    for (int k = step->start[j]; k < step->start[j + 1]; k++) {
      sum += step->values[k] * ncp->here.phi[step->row[k]];
    }
    ncp->gradient[j] = sum;
  }
}

/* ---- the run ---------------------------------------------------------------------------- */

/* One descent: the last merits, of which the largest is what a step is measured against, and how
 * long Newton is off the leash. */
typedef struct run {
  ff_ncp_method method;
  double merit[HISTORY];
  int count;
  double stride; /* length of the last step along its direction */
  int leash;     /* whole steps that Newton may take on its own */
  int loose;     /* steps since it is off the leash; 0: it is not */
  int held;      /* steps for which it stays on the leash */
  int hold;      /* the same for the next time */
} run;

static void remember(run *past, double merit) {
  past->merit[past->count++ % HISTORY] = merit;
}

static double reference(const run *past) {
  double largest = 0;
  for (int i = 0; i < past->count && i < HISTORY; i++) {
    largest = fmax(largest, past->merit[i]);
  }
  return largest;
}

/* Trial becomes here. */
static void move(ff_ncp *ncp) {
  ff_ncp_point held = ncp->here;
  ncp->here = ncp->trial;
  ncp->trial = held;
  ncp->fresh = false;
}

static void copy_point(const ff_ncp *ncp, ff_ncp_point *to, const ff_ncp_point *from) {
  size_t bytes = (size_t)ncp->size * sizeof(double);
  memcpy(to->x, from->x, bytes);
  memcpy(to->f, from->f, bytes);
  memcpy(to->phi, from->phi, bytes);
  to->merit = from->merit;
}

/* Evaluates so far along the direction. */
static bool look_ahead(ff_ncp *ncp, double t) {
  for (int i = 0; i < ncp->size; i++) {
    double to = ncp->here.x[i] + t * ncp->direction[i];
    ncp->trial.x[i] = ncp->inside ? fmin(fmax(to, ncp->lower[i]), ncp->upper[i]) : to;
  }
  return ff_ncp_evaluate(ncp, &ncp->trial);
}

/* ---- the line search ------------------------------------------------------------------------ */

/* Goes along the direction, whose slope is known, as far as it serves: not a whole step if that was
 * tried before. */
static bool search_along(ff_ncp *ncp, run *past, double slope, bool tried, int halvings) {
  double t = tried ? fmin(0.5, 4 * past->stride) : 1, limit = reference(past);
  for (double least = ldexp(1, -halvings); t >= least; t *= 0.5) {
    if (look_ahead(ncp, t) && ncp->trial.merit <= limit + ENOUGH * t * slope) {
      move(ncp);
      remember(past, ncp->here.merit);
      past->stride = t;
      return true;
    }
  }
  return false;
}

/* Slope of the merit along the direction; 0 if that does not lead down clearly. */
static double slope_along(const ff_ncp *ncp) {
  double slope = 0, length = 0;
  for (int i = 0; i < ncp->size; i++) {
    slope += ncp->gradient[i] * ncp->direction[i];
    length = fmax(length, fabs(ncp->direction[i]));
  }
  return slope < -DESCENT * fmin(ncp->here.merit, length * length) ? slope : 0;
}

/* ---- Newton --------------------------------------------------------------------------------- */

/* False: singular. */
static bool newton_direction(ff_ncp *ncp, ff_ncp_method method) {
  linearise(ncp, method);
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

/* The step that led from trial to here, for later ones. */
static void remember_step(ff_ncp *ncp, int k) {
  double *step = ncp->steps + (size_t)k * (size_t)ncp->size, sum = 0;
  for (int i = 0; i < ncp->size; i++) {
    step[i] = ncp->here.x[i] - ncp->trial.x[i];
    sum += step[i] * step[i];
  }
  ncp->step_squares[k] = sum;
}

/* Share of remembered step k in the direction. */
static double along_step(const ff_ncp *ncp, int k) {
  const double *step = ncp->steps + (size_t)k * (size_t)ncp->size;
  return ff_dot(step, ncp->direction, ncp->size) / ncp->step_squares[k];
}

/* What the steps up to k have taught of the matrix since it was factored: how far the equations
 * were from what it foretold, along each of them [Broyden65]. False: nothing
 * that serves. */
static bool learn(ff_ncp *ncp, int k) {
  for (int j = 0; j < k; j++) {
    ff_take_off(ncp->direction, -along_step(ncp, j),
                ncp->steps + (size_t)(j + 1) * (size_t)ncp->size, ncp->size);
  }
  double rest = 1 - along_step(ncp, k);
  if (!(rest > LEARNT)) {
    return false;
  }
  for (int i = 0; i < ncp->size; i++) {
    ncp->direction[i] /= rest;
  }
  return true;
}

/* More steps with the matrix of the last one, and what is learnt on the way, while they bring as
 * much. */
static void repeat(ff_ncp *ncp, run *past, double tolerance, double before) {
  for (int k = 0;
       k < FF_NCP_STEPS && ncp->here.merit <= AGAIN * before && distance(ncp) > POLISH * tolerance;
       k++) {
    remember_step(ncp, k);
    for (int i = 0; i < ncp->size; i++) {
      ff_ncp_row row = row_of(ncp, past->method, &ncp->here, i);
      if (past->method == FF_NCP_MIN && row.d_x != ncp->d_x[i]) {
        return; /* other rows are active now */
      }
      ncp->direction[i] = -row.value;
    }
    before = ncp->here.merit;
    ff_linear_solve(ncp->newton, ncp->direction);
    if (!learn(ncp, k) || !look_ahead(ncp, 1) || !(ncp->trial.merit <= AGAIN * before)) {
      return;
    }
    move(ncp);
    remember(past, ncp->here.merit);
  }
}

/* A whole step. */
static bool leap(ff_ncp *ncp, run *past, double tolerance) {
  bool defined = look_ahead(ncp, 1);
  double merit = ncp->here.merit, found = ncp->trial.merit;
  if (defined && found <= reference(past) - 2 * ENOUGH * merit) {
    past->loose = 0;
    past->stride = 1;
    move(ncp);
    remember(past, ncp->here.merit);
    repeat(ncp, past, tolerance, merit);
    return true;
  }
  if (!defined || past->held > 0 || past->loose >= past->leash) {
    return false;
  }
  if (past->loose++ == 0) {
    copy_point(ncp, &ncp->kept, &ncp->here);
  }
  move(ncp);
  return true;
}

/* Slope of the merit along Newton's direction by a method; V becomes that of Fischer-Burmeister. */
static double newton_slope(ff_ncp *ncp, ff_ncp_method method) {
  if (method == FF_NCP_FISCHER) {
    return -2 * ncp->here.merit;
  }
  double *direction = ncp->direction;
  ncp->direction = ncp->equations; /* linearise writes there */
  linearise(ncp, FF_NCP_FISCHER);
  ncp->direction = direction;
  find_gradient(ncp);
  return slope_along(ncp);
}

/* Newton's step by a method, whole or in part. */
static bool newton_step(ff_ncp *ncp, run *past, ff_ncp_method method, double tolerance) {
  if (!newton_direction(ncp, method)) {
    return false;
  }
  bool leaps = method == past->method; /* the other method only helps out */
  if (leaps && leap(ncp, past, tolerance)) {
    return true;
  }
  double slope = newton_slope(ncp, method);
  return slope < 0 && search_along(ncp, past, slope, leaps, NEWTON_HALVINGS);
}

/* ---- where Newton's matrix does not serve ---------------------------------------------------- */

/* min |V d + phi|^2 + s^2 |d|^2, as the system [s 1, V; V', -s 1] (r, d) = (-phi, 0): its
 * condition is 1/s, that of the normal equations would be 1/s^2. */
static bool regular_step(ff_ncp *ncp, run *past, double weight) {
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
  double slope = slope_along(ncp);
  return slope < 0 && search_along(ncp, past, slope, false, NEWTON_HALVINGS);
}

static bool regular_steps(ff_ncp *ncp, run *past) {
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

static bool gradient_step(ff_ncp *ncp, run *past) {
  for (int i = 0; i < ncp->size; i++) {
    ncp->direction[i] = -ncp->gradient[i];
  }
  double slope = slope_along(ncp);
  bool taken = slope < 0 && search_along(ncp, past, slope, false, GRADIENT_HALVINGS);
  ncp->info.gradient += taken;
  return taken;
}

/* Off the leash: another whole step, or back. */
static void run_loose(ff_ncp *ncp, run *past, double tolerance) {
  if (!newton_direction(ncp, past->method) || !leap(ncp, past, tolerance)) {
    copy_point(ncp, &ncp->here, &ncp->kept);
    ncp->fresh = false;
    past->loose = 0;
    past->held = past->hold;
    past->hold *= 2;
  }
}

/* False: nothing leads on. */
static bool take_step(ff_ncp *ncp, run *past, double tolerance) {
  if (past->loose > 0) {
    run_loose(ncp, past, tolerance);
    return true;
  }
  bool taken = (past->method == FF_NCP_MIN && newton_step(ncp, past, FF_NCP_MIN, tolerance)) ||
               newton_step(ncp, past, FF_NCP_FISCHER, tolerance);
  if (!taken) {
    find_gradient(ncp);
    taken = regular_steps(ncp, past) || gradient_step(ncp, past);
  }
  past->held -= past->held > 0;
  return taken;
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

/* A descent that ends while Newton is off the leash ends where the merit is least. */
static ff_ncp_ending end(ff_ncp *ncp, const run *past, ff_ncp_ending ending) {
  if (past->loose > 0 && ending != FF_NCP_END_SOLVED && ncp->kept.merit < ncp->here.merit) {
    copy_point(ncp, &ncp->here, &ncp->kept);
    ncp->fresh = false;
  }
  return ending;
}

ff_ncp_ending ff_ncp_descend(ff_ncp *ncp, ff_ncp_method method, double tolerance, int limit) {
  int last = ncp->info.iterations + limit;
  run past = {.method = method, .stride = 1, .hold = 1, .leash = ncp->inside ? LEASH : 0};
  last = last < ncp->def.max_iterations ? last : ncp->def.max_iterations;
  remember(&past, ncp->here.merit);
  double milestone = ncp->here.merit;
  for (int steps = 1;; steps += past.loose == 0) {
    if (distance(ncp) <= tolerance) {
      return FF_NCP_END_SOLVED;
    }
    if (is_far(ncp)) {
      return end(ncp, &past, FF_NCP_END_DIVERGED);
    }
    if (ncp->info.iterations >= last) {
      return end(ncp, &past, FF_NCP_END_LIMIT);
    }
    if (!ff_ncp_refresh(ncp)) {
      return end(ncp, &past, FF_NCP_END_UNDEFINED);
    }
    if (!take_step(ncp, &past, tolerance)) {
      return FF_NCP_END_STATIONARY;
    }
    if (steps % PATIENCE == 0 && past.loose == 0) {
      if (ncp->here.merit > PROGRESS * milestone) {
        return FF_NCP_END_STATIONARY; /* as good as */
      }
      milestone = ncp->here.merit;
    }
  }
}
