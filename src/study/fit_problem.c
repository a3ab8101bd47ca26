/* Unknowns, residuals and derivatives of a fit, and the search for its minimum. */
#include "study/fit_problem.h"

#include "base/memory.h"
#include "study/estimate.h"
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Residuals of a trajectory that could not be computed. */
static const double hopeless = 1e3;

/* ---- unknowns -------------------------------------------------------------------------------- */

int ff_fit_column(const ff_fit_problem *problem, int parameter, int u) {
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

void ff_fit_values(const ff_fit_problem *problem, const double *x, int u, double *values) {
  for (int i = 0; i < problem->law->parameter_count; i++) {
    int column = ff_fit_column(problem, i, u);
    values[i] =
        column < 0 ? problem->given[i] : ff_fit_value(&problem->law->parameters[i], x[column]);
  }
}

int ff_fit_owner(const ff_fit_problem *problem, int column, int *u) {
  for (int i = 0; i < problem->law->parameter_count; i++) {
    int first = ff_fit_column(problem, i, 0);
    bool each = problem->law->parameters[i].each;
    if (first >= 0 && column >= first && column < first + (each ? problem->used_count : 1)) {
      *u = each ? column - first : -1;
      return i;
    }
  }
  return -1;
}

/* ---- residuals ------------------------------------------------------------------------------- */

static bool fit_is_stopped(const ff_fit_problem *problem) {
  return problem->status != FF_OK || (problem->fit->stop && *problem->fit->stop);
}

/* Residuals of used trajectory u at x, into its own room. */
static void fit_trajectory_residuals(ff_fit_problem *problem, const double *x, int u,
                                     double *computed, double *residuals) {
  const ff_fit_trajectory *at = &problem->fit->trajectories[problem->used[u]];
  double values[FF_FIT_PARAMETERS_MAX];
  ff_report why = {0};
  ff_fit_values(problem, x, u, values);
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
  ff_fit_problem *problem = context;
  for (int u = first; u < end && !fit_is_stopped(problem); u++) {
    fit_trajectory_residuals(problem, problem->x, u, problem->computed + problem->first[u],
                             problem->residuals + problem->first[u]);
  }
}

void ff_fit_show(ff_fit *fit, const char *stage, int evaluations, double error) {
  if (fit && fit->watch) {
    fit->progress.stage = stage ? stage : fit->progress.stage;
    fit->progress.evaluations += evaluations;
    fit->progress.error = error;
    fit->watch(fit->watch_context, &fit->progress);
  }
}

/* Error of residuals after the loss, which are 0 where nothing is compared. */
static double fit_shown_error(const ff_fit_problem *problem, const double *r) {
  long rows = problem->first[problem->used_count];
  return sqrt(ff_sum_products(r, r, rows) / (double)rows);
}

bool ff_fit_evaluate(void *context, const double *x, double *r) {
  ff_fit_problem *problem = context;
  problem->x = x;
  problem->residuals = r;
  ff_team_for(problem->team, fit_residual_part, problem, problem->used_count, 1);
  if (problem->watched && problem->watched->watch) {
    ff_fit_show(problem->watched, NULL, 1, fit_shown_error(problem, r));
  }
  return !fit_is_stopped(problem);
}

/* ---- Jacobian -------------------------------------------------------------------------------- */

/* Column of the k-th unknown that trajectory u depends on. */
static int fit_dependence(const ff_fit_problem *problem, int u, int k) {
  return k < problem->shared ? k
                             : problem->shared + (k - problem->shared) * problem->used_count + u;
}

static bool fit_differentiate_column(ff_fit_problem *problem, int u, int column, double *x,
                                     double *room) {
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
  ff_fit_problem *problem = context;
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
    fit_differentiate_column(problem, u, column, room + 3 * rows, room);
    ff_free(room);
  }
}

bool ff_fit_differentiate(void *context, const double *x, const double *r, double *j) {
  ff_fit_problem *problem = context;
  size_t rows = (size_t)problem->first[problem->used_count];
  memset(j, 0, rows * (size_t)problem->unknowns * sizeof *j);
  problem->x = x;
  problem->base = r;
  problem->jacobian = j;
  ff_team_for(problem->team, fit_jacobian_part, problem,
              problem->used_count * (problem->shared + problem->each), 1);
  if (problem->watched && problem->watched->watch) {
    int each = problem->central ? 2 : 1;
    ff_fit_show(problem->watched, NULL, each * (problem->shared + problem->each),
                fit_shown_error(problem, r));
  }
  return !fit_is_stopped(problem);
}

/* ---- the search ------------------------------------------------------------------------------ */

ff_status ff_fit_open(ff_fit_problem *problem, ff_arena *arena) {
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

ff_status ff_fit_descend(ff_fit_problem *problem, double *x, ff_least_squares_result *result) {
  ff_least_squares search = {.rows = (int)problem->first[problem->used_count],
                             .columns = problem->unknowns,
                             .residuals = ff_fit_evaluate,
                             .jacobian = ff_fit_differentiate,
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

void ff_fit_start(const ff_fit_problem *problem, int start, double *x) {
  int most =
      problem->fit->samples > problem->fit->starts ? problem->fit->samples : problem->fit->starts;
  ff_design design = {problem->shared > FF_SOBOL_DIMENSIONS ? FF_DESIGN_RANDOM : FF_DESIGN_SOBOL,
                      most, 1};
  for (int k = 0; k < problem->unknowns; k++) {
    int u, i = ff_fit_owner(problem, k, &u);
    const ff_fit_parameter *p = &problem->law->parameters[i];
    x[k] = start > 0 && k < problem->shared
               ? ff_design_coordinate(&design, problem->shared, start, k)
               : ff_fit_unknown(p, p->start);
  }
}

/* Sets the unknowns of used trajectory u to sample s; sample 0: as they start. */
static void fit_set_sample(const ff_fit_problem *problem, int u, int s, double *x) {
  ff_design design = {problem->each > FF_SOBOL_DIMENSIONS ? FF_DESIGN_RANDOM : FF_DESIGN_SOBOL,
                      problem->fit->samples, 1};
  for (int k = 0; k < problem->each; k++) {
    int column = fit_dependence(problem, u, problem->shared + k), owner;
    const ff_fit_parameter *p = &problem->law->parameters[ff_fit_owner(problem, column, &owner)];
    x[column] =
        s > 0 ? ff_design_coordinate(&design, problem->each, s, k) : ff_fit_unknown(p, p->start);
  }
}

static void fit_scan_part(void *context, int first, int end) {
  ff_fit_problem *problem = context;
  double *x = problem->scanned;
  for (int u = first; u < end && !fit_is_stopped(problem); u++) {
    long rows = problem->first[u + 1] - problem->first[u];
    double *r = ff_alloc((size_t)rows, sizeof *r), least = INFINITY;
    int best = 0;
    for (int s = 0; r && s < problem->fit->samples; s++) {
      fit_set_sample(problem, u, s, x);
      fit_trajectory_residuals(problem, x, u, problem->computed + problem->first[u], r);
      double sum = ff_sum_products(r, r, rows);
      if (sum < least) {
        least = sum;
        best = s;
      }
    }
    fit_set_sample(problem, u, best, x);
    problem->status = r ? problem->status : FF_ERROR_MEMORY;
    ff_free(r);
  }
}

ff_status ff_fit_scan(ff_fit_problem *problem, double *x) {
  if (problem->each > 0 && problem->fit->samples > 1) {
    problem->scanned = x;
    ff_team_for(problem->team, fit_scan_part, problem, problem->used_count, 1);
    ff_fit_show(problem->watched, NULL, problem->fit->samples, NAN);
  }
  bool stopped = problem->fit->stop && *problem->fit->stop;
  return problem->status == FF_OK && stopped ? FF_CANCELLED : problem->status;
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
static ff_status fit_sample(ff_fit_problem *problem, fit_candidate *list, int count, double *x,
                            ff_fit_outcome *outcome) {
  long rows = problem->first[problem->used_count];
  double *r = ff_alloc((size_t)rows, sizeof *r);
  ff_status status = r ? FF_OK : FF_ERROR_MEMORY;
  bool few = count <= problem->fit->starts;
  ff_fit_show(problem->watched, few ? "search" : "samples", 0, NAN);
  for (int i = 0; i < count && status == FF_OK; i++) {
    list[i] = (fit_candidate){i, i};
    if (!few) {
      ff_fit_start(problem, i, x);
      status = ff_fit_evaluate(problem, x, r) ? FF_OK : FF_CANCELLED;
      list[i].sum = ff_sum_products(r, r, rows);
      outcome->evaluations++;
    }
  }
  if (status == FF_OK) {
    qsort(list, (size_t)count, sizeof *list, fit_compare_candidates);
  }
  ff_free(r);
  return problem->status != FF_OK ? problem->status : status;
}

ff_status ff_fit_search(ff_fit_problem *problem, double *x, ff_fit_outcome *outcome) {
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
    ff_fit_show(problem->watched, "search", 0, NAN);
    ff_fit_start(problem, list[s].start, trial);
    status = ff_fit_scan(problem, trial);
    status = status == FF_OK ? ff_fit_descend(problem, trial, &result) : status;
    if (status != FF_OK) {
      break;
    }
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
