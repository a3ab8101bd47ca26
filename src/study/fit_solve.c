/* The search of a fit, what its minimum tells, and its checks on other data. */
#include "base/memory.h"
#include "base/report.h"
#include "base/team.h"
#include "footfall/io.h"
#include "math/elementary.h"
#include "math/jacobi.h"
#include "solve/least_squares.h"
#include "study/fit.h"
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Residuals of a trajectory that could not be computed. */
static const double hopeless = 1e3;

/* Unknowns: shared parameters, then those of each trajectory used. All in [0, 1], linear or
 * logarithmic between the bounds. */
typedef struct fit_problem {
  const ff_fit *fit;
  const ff_fit_law *law;
  const int *used; /* trajectories */
  int used_count;
  long *first;         /* row of the first residual of each used trajectory, and the end */
  const double *given; /* values of the shared parameters, if they are not searched; else NULL */
  int shared, each;    /* unknowns that are shared, and of each trajectory */
  int unknowns;
  ff_team *team;
  double *computed;       /* room: as many as residuals */
  const double *x, *base; /* of the Jacobian in progress */
  double *jacobian, *residuals;
  double step;
  bool central;
  ff_status status;
} fit_problem;

/* ---- unknowns -------------------------------------------------------------------------------- */

static double fit_value(const ff_fit_parameter *p, double x) {
  return p->log ? p->low * ff_pow(p->high / p->low, x) : p->low + (p->high - p->low) * x;
}

static double fit_unknown(const ff_fit_parameter *p, double value) {
  return p->log ? ff_log(value / p->low) / ff_log(p->high / p->low)
                : (value - p->low) / (p->high - p->low);
}

/* Unknown of a parameter on used trajectory u; -1: it is given. */
static int fit_column(const fit_problem *problem, int parameter, int u) {
  int shared = 0, each = 0;
  for (int i = 0; i < parameter; i++) {
    shared += !problem->law->parameters[i].each;
    each += problem->law->parameters[i].each;
  }
  if (problem->law->parameters[parameter].each) {
    return problem->shared + each * problem->used_count + u;
  }
  return problem->given ? -1 : shared;
}

static void fit_values(const fit_problem *problem, const double *x, int u, double *values) {
  for (int i = 0; i < problem->law->parameter_count; i++) {
    int column = fit_column(problem, i, u);
    values[i] = column < 0 ? problem->given[i] : fit_value(&problem->law->parameters[i], x[column]);
  }
}

/* Parameter and used trajectory (-1: all) of an unknown. */
static int fit_owner(const fit_problem *problem, int column, int *u) {
  for (int i = 0; i < problem->law->parameter_count; i++) {
    int first = fit_column(problem, i, 0);
    bool each = problem->law->parameters[i].each;
    if (first >= 0 && column >= first && column < first + (each ? problem->used_count : 1)) {
      *u = each ? column - first : -1;
      return i;
    }
  }
  return -1;
}

/* ---- residuals ------------------------------------------------------------------------------- */

static bool fit_is_stopped(const fit_problem *problem) {
  return problem->status != FF_OK || (problem->fit->stop && *problem->fit->stop);
}

/* Residuals of used trajectory u at x, into its own room. */
static void fit_trajectory_residuals(fit_problem *problem, const double *x, int u, double *computed,
                                     double *residuals) {
  const ff_fit_trajectory *at = &problem->fit->trajectories[problem->used[u]];
  double values[FF_FIT_PARAMETERS_MAX];
  ff_report why = {0};
  fit_values(problem, x, u, values);
  ff_status status = ff_fit_compute(problem->fit, problem->law, at, values, computed, &why);
  if (status == FF_OK) {
    ff_fit_residuals(problem->fit, at, computed, residuals, NULL);
  }
  for (long i = 0; i < at->rows * problem->fit->parts; i++) {
    if (status != FF_OK || !isfinite(residuals[i])) {
      residuals[i] = hopeless;
    }
  }
}

static void fit_residual_part(void *context, int first, int end) {
  fit_problem *problem = context;
  for (int u = first; u < end && !fit_is_stopped(problem); u++) {
    fit_trajectory_residuals(problem, problem->x, u, problem->computed + problem->first[u],
                             problem->residuals + problem->first[u]);
  }
}

static bool fit_evaluate(void *context, const double *x, double *r) {
  fit_problem *problem = context;
  problem->x = x;
  problem->residuals = r;
  ff_team_for(problem->team, fit_residual_part, problem, problem->used_count, 1);
  return !fit_is_stopped(problem);
}

/* ---- Jacobian -------------------------------------------------------------------------------- */

/* Column of the k-th unknown that trajectory u depends on. */
static int fit_dependence(const fit_problem *problem, int u, int k) {
  return k < problem->shared ? k
                             : problem->shared + (k - problem->shared) * problem->used_count + u;
}

static bool fit_differentiate(fit_problem *problem, int u, int column, double *x, double *room) {
  const double *base = problem->base + problem->first[u];
  long rows = problem->first[u + 1] - problem->first[u];
  double at = problem->x[column], h = problem->step;
  double up = at + h <= 1 ? at + h : at, down = problem->central && at - h >= 0 ? at - h : at;
  down = up == at ? at - h : down;
  double *to = problem->jacobian + (size_t)column * (size_t)problem->first[problem->used_count] +
               problem->first[u];
  double *high = room, *low = room + rows, *computed = room + 2 * rows;
  memcpy(x, problem->x, (size_t)problem->unknowns * sizeof *x);
  if (up != at) {
    x[column] = up;
    fit_trajectory_residuals(problem, x, u, computed, high);
  }
  if (down != at) {
    x[column] = down;
    fit_trajectory_residuals(problem, x, u, computed, low);
  }
  for (long i = 0; i < rows; i++) {
    double b = up != at ? high[i] : base[i], a = down != at ? low[i] : base[i];
    bool lost = a == hopeless || b == hopeless;
    to[i] = lost ? 0 : (b - a) / (up - down);
  }
  return true;
}

static void fit_jacobian_part(void *context, int first, int end) {
  fit_problem *problem = context;
  int each = problem->shared + problem->each;
  for (int task = first; task < end && !fit_is_stopped(problem); task++) {
    int u = task / each, column = fit_dependence(problem, u, task % each);
    long rows = problem->first[u + 1] - problem->first[u];
    size_t size = 3 * (size_t)rows + (size_t)problem->unknowns;
    double *room = ff_alloc(size, sizeof *room);
    if (!room) {
      problem->status = FF_ERROR_MEMORY;
      return;
    }
    fit_differentiate(problem, u, column, room + 3 * rows, room);
    ff_free(room);
  }
}

static bool fit_jacobian(void *context, const double *x, const double *r, double *j) {
  fit_problem *problem = context;
  size_t rows = (size_t)problem->first[problem->used_count];
  memset(j, 0, rows * (size_t)problem->unknowns * sizeof *j);
  problem->x = x;
  problem->base = r;
  problem->jacobian = j;
  ff_team_for(problem->team, fit_jacobian_part, problem,
              problem->used_count * (problem->shared + problem->each), 1);
  return !fit_is_stopped(problem);
}

static double fit_product(const double *a, const double *b, long count) {
  double sum = 0;
  for (long i = 0; i < count; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

/* ---- the search ------------------------------------------------------------------------------ */

static ff_status fit_open(fit_problem *problem, ff_arena *arena) {
  const ff_fit_law *law = problem->law;
  for (int i = 0; i < law->parameter_count; i++) {
    problem->shared += !law->parameters[i].each && !problem->given;
    problem->each += law->parameters[i].each;
  }
  problem->unknowns = problem->shared + problem->each * problem->used_count;
  problem->first = ff_arena_take(arena, (size_t)problem->used_count + 1, sizeof *problem->first);
  if (!problem->first) {
    return FF_ERROR_MEMORY;
  }
  for (int u = 0; u < problem->used_count; u++) {
    long rows = problem->fit->trajectories[problem->used[u]].rows * problem->fit->parts;
    problem->first[u + 1] = problem->first[u] + rows;
  }
  size_t rows = (size_t)problem->first[problem->used_count];
  problem->computed = ff_arena_take(arena, rows, sizeof *problem->computed);
  return problem->computed ? FF_OK : FF_ERROR_MEMORY;
}

/* From x to a minimum nearby. */
static ff_status fit_descend(fit_problem *problem, double *x, ff_least_squares_result *result) {
  ff_least_squares search = {.rows = (int)problem->first[problem->used_count],
                             .columns = problem->unknowns,
                             .residuals = fit_evaluate,
                             .jacobian = fit_jacobian,
                             .context = problem,
                             .tolerance = 1e-7,
                             .limit = problem->fit->limit};
  problem->step = problem->fit->step;
  problem->central = false;
  *result = (ff_least_squares_result){0};
  if (problem->unknowns == 0) {
    return FF_OK;
  }
  ff_status status = ff_least_squares_solve(&search, x, result);
  return problem->status != FF_OK ? problem->status : status;
}

/* Point 0 is that of the file, the others a Sobol sequence over the shared unknowns. */
static void fit_start(const fit_problem *problem, int start, double *x) {
  int most =
      problem->fit->samples > problem->fit->starts ? problem->fit->samples : problem->fit->starts;
  ff_design design = {problem->shared > FF_SOBOL_DIMENSIONS ? FF_DESIGN_RANDOM : FF_DESIGN_SOBOL,
                      most, 1};
  for (int k = 0; k < problem->unknowns; k++) {
    int u, i = fit_owner(problem, k, &u);
    const ff_fit_parameter *p = &problem->law->parameters[i];
    x[k] = start > 0 && k < problem->shared
               ? ff_design_coordinate(&design, problem->shared, start, k)
               : fit_unknown(p, p->start);
  }
}

typedef struct fit_candidate {
  int start;
  double sum;
} fit_candidate;

static int fit_compare_candidates(const void *a, const void *b) {
  const fit_candidate *x = a, *y = b;
  int more = (x->sum > y->sum) - (x->sum < y->sum);
  return more ? more : x->start - y->start;
}

/* Points to start from, the best first: of many samples, if there are more than starts. */
static ff_status fit_sample(fit_problem *problem, fit_candidate *list, int count, double *x,
                            ff_fit_outcome *outcome) {
  long rows = problem->first[problem->used_count];
  double *r = ff_alloc((size_t)rows, sizeof *r);
  ff_status status = r ? FF_OK : FF_ERROR_MEMORY;
  bool few = count <= problem->fit->starts;
  for (int i = 0; i < count && status == FF_OK; i++) {
    list[i] = (fit_candidate){i, i};
    if (!few) {
      fit_start(problem, i, x);
      status = fit_evaluate(problem, x, r) ? FF_OK : FF_CANCELLED;
      list[i].sum = fit_product(r, r, rows);
      outcome->evaluations++;
    }
  }
  if (status == FF_OK) {
    qsort(list, (size_t)count, sizeof *list, fit_compare_candidates);
  }
  ff_free(r);
  return problem->status != FF_OK ? problem->status : status;
}

/* The best of several searches, in x; how many agree with it. */
static ff_status fit_search(fit_problem *problem, double *x, ff_fit_outcome *outcome) {
  int starts = problem->fit->starts, samples = problem->fit->samples;
  int count = samples > starts ? samples : starts;
  size_t n = (size_t)problem->unknowns + 1;
  double *trial = ff_alloc(n, sizeof *trial), *sums = ff_alloc((size_t)starts, sizeof *sums);
  fit_candidate *list = ff_alloc((size_t)count, sizeof *list);
  ff_status status =
      trial && sums && list ? fit_sample(problem, list, count, trial, outcome) : FF_ERROR_MEMORY;
  double best = INFINITY;
  for (int s = 0; s < starts && status == FF_OK; s++) {
    ff_least_squares_result result;
    fit_start(problem, list[s].start, trial);
    status = fit_descend(problem, trial, &result);
    outcome->evaluations += result.evaluations;
    sums[s] = result.sum;
    if (status == FF_OK && result.sum < best) {
      best = result.sum;
      outcome->converged = result.converged;
      memcpy(x, trial, n * sizeof *x);
    }
  }
  for (int s = 0; s < starts && status == FF_OK; s++) {
    outcome->starts_agreeing += sums[s] <= 1.01 * best;
  }
  ff_free(trial);
  ff_free(sums);
  ff_free(list);
  return status;
}

/* ---- what the minimum tells ------------------------------------------------------------------ */

/* Quantile 0.975 of Student's distribution: expansion in 1/degrees (Abramowitz and Stegun 26.7.5).
 */
static double fit_student(double degrees) {
  double z = 1.959963984540054, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
  double n = degrees > 1 ? degrees : 1;
  return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n);
}

typedef struct fit_spread {
  int n;
  double *inverse;   /* n^2, of J^T J; rows of unknowns at bounds are 0 */
  double *clustered; /* n^2, covariance */
  double *flat;      /* n */
  double flat_deviation;
  bool *bound; /* n */
} fit_spread;

static bool fit_is_at_bound(double x) {
  return x < 1e-4 || x > 1 - 1e-4;
}

/* Inverse of J^T J by its eigenvalues; an unknown at a bound counts as known. */
static void fit_invert(const double *j, long rows, fit_spread *to, double *a, double *axes) {
  int n = to->n;
  for (int p = 0; p < n; p++) {
    for (int q = 0; q < n; q++) {
      bool apart = to->bound[p] || to->bound[q];
      a[p * n + q] =
          apart ? (p == q ? 1e300 : 0)
                : fit_product(j + (size_t)p * (size_t)rows, j + (size_t)q * (size_t)rows, rows);
    }
  }
  ff_jacobi(a, axes, n);
  int flattest = 0;
  for (int k = 0; k < n; k++) {
    double value = fmax(a[k * n + k], 1e-12);
    flattest = a[k * n + k] < a[flattest * n + flattest] ? k : flattest;
    for (int i = 0; i < n * n; i++) {
      to->inverse[i] += axes[(i / n) * n + k] * axes[(i % n) * n + k] / value;
    }
  }
  for (int i = 0; i < n; i++) {
    to->flat[i] = axes[i * n + flattest];
  }
  to->flat_deviation = 1 / sqrt(fmax(a[flattest * n + flattest], 1e-12));
}

/* Covariance if only trajectories are independent: A^-1 (sum g g^T) A^-1, g = J_u^T r_u. */
static void fit_cluster(const fit_problem *problem, const double *j, const double *r,
                        fit_spread *to, double *sums, double *g) {
  int n = to->n;
  size_t rows = (size_t)problem->first[problem->used_count];
  double clusters = problem->used_count;
  memset(sums, 0, (size_t)(n * n) * sizeof *sums);
  for (int u = 0; u < problem->used_count; u++) {
    long at = problem->first[u], count = problem->first[u + 1] - at;
    for (int k = 0; k < n; k++) {
      g[k] = to->bound[k] ? 0 : fit_product(j + (size_t)k * rows + at, r + at, count);
    }
    for (int i = 0; i < n * n; i++) {
      sums[i] += g[i / n] * g[i % n];
    }
  }
  for (int i = 0; i < n * n; i++) {
    double total = 0;
    for (int k = 0; k < n * n; k++) {
      total += to->inverse[(i / n) * n + k / n] * sums[k] * to->inverse[(k % n) * n + i % n];
    }
    to->clustered[i] = total * clusters / (clusters - 1);
  }
}

static void fit_fill_estimates(const fit_problem *problem, const double *x,
                               const fit_spread *spread, double variance, double degrees,
                               ff_fit_estimate *out) {
  int n = spread->n;
  for (int k = 0; k < n; k++) {
    int u, i = fit_owner(problem, k, &u);
    const ff_fit_parameter *p = &problem->law->parameters[i];
    double t = fit_student(degrees), width = t * sqrt(variance * spread->inverse[k * n + k]);
    double wide = fit_student(problem->used_count - 1.0) * sqrt(spread->clustered[k * n + k]);
    bool clustered = problem->used_count >= 8 && u < 0 && !spread->bound[k];
    out[k] = (ff_fit_estimate){.name = p->name,
                               .trajectory = u < 0 ? -1 : problem->used[u],
                               .value = fit_value(p, x[k]),
                               .bound = {p->low, p->high},
                               .interval = {fit_value(p, x[k] - width), fit_value(p, x[k] + width)},
                               .clustered = {NAN, NAN},
                               .at_bound = spread->bound[k],
                               .unclear = 2 * width >= 1};
    if (spread->bound[k]) {
      out[k].interval[0] = out[k].interval[1] = NAN;
    }
    if (clustered) {
      out[k].clustered[0] = fit_value(p, x[k] - wide);
      out[k].clustered[1] = fit_value(p, x[k] + wide);
    }
  }
}

static ff_status fit_judge(fit_problem *problem, const double *x, ff_fit_outcome *outcome,
                           ff_arena *keep) {
  size_t n = (size_t)problem->unknowns, rows = (size_t)problem->first[problem->used_count];
  ff_arena room = {0};
  double *j = ff_arena_take(&room, rows * n, sizeof *j), *r = ff_arena_take(&room, rows, sizeof *r);
  double *a = ff_arena_take(&room, n * n, sizeof *a),
         *axes = ff_arena_take(&room, n * n, sizeof *a);
  double *g = ff_arena_take(&room, n, sizeof *g);
  fit_spread spread = {.n = (int)n,
                       .inverse = ff_arena_take(&room, n * n, sizeof *a),
                       .clustered = ff_arena_take(&room, n * n, sizeof *a),
                       .bound = ff_arena_take(&room, n, sizeof(bool)),
                       .flat = ff_arena_take(keep, n, sizeof *a)};
  ff_fit_estimate *estimates = ff_arena_take(keep, n, sizeof *estimates);
  double *correlations = ff_arena_take(keep, n * n, sizeof *correlations);
  ff_status status = j && r && a && axes && g && spread.inverse && spread.clustered &&
                             spread.bound && spread.flat && estimates && correlations
                         ? FF_OK
                         : FF_ERROR_MEMORY;
  if (status == FF_OK) {
    problem->central = true;
    problem->step = fmin(3 * problem->fit->step, 0.05);
    status = fit_evaluate(problem, x, r) && fit_jacobian(problem, x, r, j) ? FF_OK : FF_CANCELLED;
  }
  if (status == FF_OK) {
    for (size_t k = 0; k < n; k++) {
      spread.bound[k] = fit_is_at_bound(x[k]);
    }
    double degrees = (double)outcome->residuals - (double)n;
    double variance = outcome->sum / (degrees > 1 ? degrees : 1);
    fit_invert(j, (long)rows, &spread, a, axes);
    fit_cluster(problem, j, r, &spread, a, g);
    fit_fill_estimates(problem, x, &spread, variance, degrees, estimates);
    for (size_t i = 0; i < n * n; i++) {
      double scale = sqrt(spread.inverse[i / n * (n + 1)] * spread.inverse[i % n * (n + 1)]);
      correlations[i] = scale > 0 ? spread.inverse[i] / scale : 0;
    }
    outcome->flat = spread.flat;
    outcome->flat_deviation = sqrt(variance) * spread.flat_deviation;
    outcome->estimates = estimates;
    outcome->estimate_count = (int)n;
    outcome->correlations = correlations;
  }
  ff_arena_free(&room);
  return status;
}

/* ---- other data ------------------------------------------------------------------------------ */

/* Computes a trajectory with the shared values given; its own parameters are fitted. */
static ff_status fit_apply(const ff_fit *fit, ff_fit_law *law, int trajectory, const double *given,
                           double *computed, double *rms) {
  ff_arena arena = {0};
  const ff_fit_trajectory *at = &fit->trajectories[trajectory];
  fit_problem problem = {
      .fit = fit, .law = law, .used = &trajectory, .used_count = 1, .given = given};
  double x[FF_FIT_PARAMETERS_MAX], values[FF_FIT_PARAMETERS_MAX], sum;
  ff_least_squares_result result;
  ff_report why = {0};
  ff_status status = fit_open(&problem, &arena);
  if (status == FF_OK) {
    fit_start(&problem, 0, x);
    status = fit_descend(&problem, x, &result);
  }
  if (status == FF_OK) {
    fit_values(&problem, x, 0, values);
    status = ff_fit_compute(fit, law, at, values, computed, &why);
    bool failed = status == FF_ERROR_STEP || status == FF_ERROR_INPUT;
    for (long i = 0; failed && i < at->rows * fit->parts; i++) {
      computed[i] = NAN;
    }
    status = failed ? FF_OK : status;
    long count = ff_fit_residuals(fit, at, computed, problem.computed, &sum);
    *rms = sqrt(sum / (double)count);
  }
  ff_arena_free(&arena);
  return status;
}

typedef struct fit_checks {
  const ff_fit *fit;
  ff_fit_law *law;
  const double *given;
  const int *used;
  double **computed; /* of all trajectories */
  double *rms;
  ff_status status;
} fit_checks;

static void fit_check_part(void *context, int first, int end) {
  fit_checks *checks = context;
  for (int u = first; u < end; u++) {
    int i = checks->used[u];
    ff_status status =
        fit_apply(checks->fit, checks->law, i, checks->given, checks->computed[i], &checks->rms[i]);
    if (status != FF_OK) {
      checks->status = status;
    }
  }
}

/* Mean of the errors of some trajectories, and its standard error. */
static void fit_mean(const double *rms, const int *used, int count, double *mean, double *error) {
  double sum = 0, square = 0;
  for (int i = 0; i < count; i++) {
    sum += rms[used[i]];
  }
  *mean = count > 0 ? sum / count : NAN;
  for (int i = 0; i < count; i++) {
    square += (rms[used[i]] - *mean) * (rms[used[i]] - *mean);
  }
  *error = count > 1 ? sqrt(square / (count - 1) / count) : NAN;
}

/* ---- a law ----------------------------------------------------------------------------------- */

typedef enum fit_subset {
  FIT_FITTED,
  FIT_HELD_OUT,
  FIT_ALL,
  FIT_WITHOUT_FOLD,
  FIT_FOLD
} fit_subset;

static int fit_choose(const ff_fit *fit, fit_subset subset, int fold, int *used) {
  int count = 0;
  for (int i = 0; i < fit->trajectory_count; i++) {
    const ff_fit_trajectory *at = &fit->trajectories[i];
    bool in = subset == FIT_ALL || (subset == FIT_HELD_OUT) == at->held_out;
    in = in && (subset != FIT_WITHOUT_FOLD || at->fold != fold);
    in = in && (subset != FIT_FOLD || at->fold == fold);
    if (in) {
      used[count++] = i;
    }
  }
  return count;
}

/* Shared values at x; those of each trajectory are left at their start. */
static void fit_shared_values(const fit_problem *problem, const double *x, double *values) {
  for (int i = 0; i < problem->law->parameter_count; i++) {
    const ff_fit_parameter *p = &problem->law->parameters[i];
    values[i] = p->each ? p->start : fit_value(p, x[fit_column(problem, i, 0)]);
  }
}

static ff_status fit_cross_validate(ff_fit *fit, ff_fit_law *law, ff_team *team, const double *best,
                                    int shared, fit_checks *checks, int *used) {
  ff_status status = FF_OK;
  for (int fold = 0; fold < fit->folds && status == FF_OK; fold++) {
    ff_arena arena = {0};
    double values[FF_FIT_PARAMETERS_MAX];
    ff_least_squares_result result;
    fit_problem problem = {.fit = fit, .law = law, .used = used, .team = team};
    problem.used_count = fit_choose(fit, FIT_WITHOUT_FOLD, fold, used);
    status = fit_open(&problem, &arena);
    double *x = ff_arena_take(&arena, (size_t)problem.unknowns + 1, sizeof *x);
    status = x ? status : FF_ERROR_MEMORY;
    if (status == FF_OK) {
      fit_start(&problem, 0, x);
      memcpy(x, best, (size_t)shared * sizeof *x);
      status = fit_descend(&problem, x, &result);
    }
    if (status == FF_OK) {
      fit_shared_values(&problem, x, values);
      checks->given = values;
      int count = fit_choose(fit, FIT_FOLD, fold, used);
      checks->used = used;
      ff_team_for(team, fit_check_part, checks, count, 1);
      status = checks->status;
    }
    ff_arena_free(&arena);
  }
  if (status == FF_OK && fit->folds > 0) {
    int count = fit_choose(fit, FIT_FITTED, 0, used);
    fit_mean(checks->rms, used, count, &law->outcome.crossed, &law->outcome.crossed_error);
  }
  return status;
}

static void fit_criteria(ff_fit_outcome *out) {
  double n = (double)out->residuals, k = out->free + 1; /* the variance too */
  double likelihood = n * ff_log(out->sum / n);
  out->aicc = n > k + 1 ? likelihood + 2 * k + 2 * k * (k + 1) / (n - k - 1) : INFINITY;
  out->bic = likelihood + k * ff_log(n);
}

/* Errors of all trajectories at the minimum, and the curves. */
static ff_status fit_apply_all(ff_fit *fit, ff_fit_law *law, ff_team *team, const double *values,
                               fit_checks *checks, int *used) {
  ff_fit_outcome *out = &law->outcome;
  checks->given = values;
  checks->used = used;
  ff_team_for(team, fit_check_part, checks, fit_choose(fit, FIT_ALL, 0, used), 1);
  double error;
  fit_mean(checks->rms, used, fit_choose(fit, FIT_FITTED, 0, used), &out->rms, &error);
  int count = fit_choose(fit, FIT_HELD_OUT, 0, used);
  fit_mean(checks->rms, used, count, &out->held_out, &out->held_out_error);
  memcpy(law->rms, checks->rms, (size_t)fit->trajectory_count * sizeof *law->rms);
  return checks->status;
}

static ff_status fit_open_law(ff_fit *fit, ff_fit_law *law) {
  size_t n = (size_t)fit->trajectory_count;
  law->outcome = (ff_fit_outcome){.law = law->name,
                                  .held_out = NAN,
                                  .held_out_error = NAN,
                                  .crossed = NAN,
                                  .crossed_error = NAN};
  law->computed = ff_arena_take(&fit->arena, n, sizeof *law->computed);
  law->rms = ff_arena_take(&fit->arena, n, sizeof *law->rms);
  bool there = law->computed && law->rms;
  for (size_t i = 0; i < n && there; i++) {
    size_t count = (size_t)(fit->trajectories[i].rows * fit->parts);
    law->computed[i] = ff_arena_take(&fit->arena, count, sizeof **law->computed);
    there = law->computed[i] != NULL;
  }
  return there ? FF_OK : FF_ERROR_MEMORY;
}

static ff_status fit_solve_law(ff_fit *fit, ff_fit_law *law, ff_team *team) {
  ff_arena arena = {0};
  int *used = ff_arena_take(&arena, (size_t)fit->trajectory_count, sizeof *used);
  int *other = ff_arena_take(&arena, (size_t)fit->trajectory_count, sizeof *other);
  fit_problem problem = {.fit = fit, .law = law, .used = used, .team = team};
  ff_status status = used && other ? fit_open_law(fit, law) : FF_ERROR_MEMORY;
  double *x = NULL, values[FF_FIT_PARAMETERS_MAX];
  ff_fit_outcome *out = &law->outcome;
  if (status == FF_OK) {
    problem.used_count = fit_choose(fit, FIT_FITTED, 0, used);
    status = fit_open(&problem, &arena);
    x = ff_arena_take(&arena, (size_t)problem.unknowns + 1, sizeof *x);
    status = x ? status : FF_ERROR_MEMORY;
  }
  for (int u = 0; u < problem.used_count && status == FF_OK; u++) {
    out->residuals += ff_fit_residuals(fit, &fit->trajectories[used[u]], NULL, NULL, NULL);
  }
  out->free = problem.unknowns;
  if (status == FF_OK && out->residuals <= out->free) {
    status = FF_ERROR_INPUT;
  }
  status = status == FF_OK ? fit_search(&problem, x, out) : status;
  if (status == FF_OK) {
    double *r = ff_arena_take(&arena, (size_t)problem.first[problem.used_count], sizeof *r);
    status = r && fit_evaluate(&problem, x, r) ? FF_OK : FF_CANCELLED;
    out->sum = r ? fit_product(r, r, problem.first[problem.used_count]) : 0;
  }
  status = status == FF_OK ? fit_judge(&problem, x, out, &fit->arena) : status;
  fit_checks checks = {.fit = fit, .law = law, .computed = law->computed};
  checks.rms = ff_arena_take(&arena, (size_t)fit->trajectory_count, sizeof *checks.rms);
  status = checks.rms ? status : FF_ERROR_MEMORY;
  if (status == FF_OK) {
    fit_criteria(out);
    status = fit_cross_validate(fit, law, team, x, problem.shared, &checks, other);
  }
  if (status == FF_OK) {
    fit_shared_values(&problem, x, values);
    status = fit_apply_all(fit, law, team, values, &checks, other);
  }
  ff_arena_free(&arena);
  return status;
}

ff_status ff_fit_solve(ff_fit *fit, int threads, const volatile int *stop, ff_report *report) {
  ff_team *team = NULL;
  ff_status status = threads > 1 ? ff_team_create(&team, threads) : FF_OK;
  fit->stop = stop;
  for (int i = 0; i < fit->law_count && status == FF_OK; i++) {
    status = fit_solve_law(fit, &fit->laws[i], team);
    if (status == FF_ERROR_INPUT) {
      ff_report_what(report, "law %.60s: %d numbers to estimate from %ld residuals",
                     fit->laws[i].name, fit->laws[i].outcome.free, fit->laws[i].outcome.residuals);
    }
  }
  ff_team_destroy(team);
  fit->stop = NULL;
  return status;
}

/* ---- description ----------------------------------------------------------------------------- */

const char *ff_fit_name(const ff_fit *fit) {
  return fit ? fit->name : "";
}

int ff_fit_law_count(const ff_fit *fit) {
  return fit ? fit->law_count : 0;
}

int ff_fit_trajectory_count(const ff_fit *fit) {
  return fit ? fit->trajectory_count : 0;
}

static bool fit_has_trajectory(const ff_fit *fit, int trajectory) {
  return fit && trajectory >= 0 && trajectory < fit->trajectory_count;
}

const char *ff_fit_trajectory_name(const ff_fit *fit, int trajectory) {
  return fit_has_trajectory(fit, trajectory) ? fit->trajectories[trajectory].name : "";
}

bool ff_fit_trajectory_held_out(const ff_fit *fit, int trajectory) {
  return fit_has_trajectory(fit, trajectory) && fit->trajectories[trajectory].held_out;
}

double ff_fit_trajectory_rms(const ff_fit *fit, int law, int trajectory) {
  bool known = fit_has_trajectory(fit, trajectory) && law >= 0 && law < fit->law_count;
  return known && fit->laws[law].rms ? fit->laws[law].rms[trajectory] : NAN;
}

ff_fit_outcome ff_fit_outcome_of(const ff_fit *fit, int law) {
  bool known = fit && law >= 0 && law < fit->law_count;
  return known ? fit->laws[law].outcome : (ff_fit_outcome){.law = ""};
}

int ff_fit_curve_count(const ff_fit *fit) {
  return fit ? fit->parts : 0;
}

ff_fit_curve ff_fit_curve_of(const ff_fit *fit, int law, int trajectory, int curve) {
  static const char *const turns[] = {"rotation x", "rotation y", "rotation z"};
  ff_fit_curve out = {.label = "", .unit = ""};
  bool known = fit_has_trajectory(fit, trajectory) && law >= 0 && law < fit->law_count;
  if (!known || curve < 0 || curve >= fit->parts || !fit->laws[law].computed) {
    return out;
  }
  const ff_fit_trajectory *at = &fit->trajectories[trajectory];
  int part = curve, i = 0;
  while (part >= fit->items[i].parts) {
    part -= fit->items[i++].parts;
  }
  const ff_fit_item *item = &fit->items[i];
  bool turn = item->kind == FF_FIT_ORIENTATION;
  out.label = turn ? turns[part] : item->columns[part];
  out.unit = item->unit;
  out.noise = item->noise;
  out.rows = at->rows;
  out.time = at->time;
  out.measured = turn ? NULL : at->measured + item->at + part;
  out.measured_stride = fit->width;
  out.computed = fit->laws[law].computed[trajectory] + curve;
  out.computed_stride = fit->parts;
  return out;
}
