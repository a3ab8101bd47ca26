/* The fit of a law: search, what its minimum tells, and errors on other data. */
#include "base/memory.h"
#include "base/report.h"
#include "study/estimate.h"
#include "study/fit_problem.h"

#include <math.h>
#include <string.h>

/* Estimates and intervals at the minimum x, by central differences. */
static ff_status fit_describe(ff_fit_problem *problem, const double *x, ff_fit_outcome *outcome,
                              ff_arena *keep) {
  size_t n = (size_t)problem->unknowns, rows = (size_t)problem->first[problem->used_count];
  ff_arena room = {0};
  double *j = ff_arena_take(&room, rows * n, sizeof *j), *r = ff_arena_take(&room, rows, sizeof *r);
  const ff_fit_parameter **parameters = ff_arena_take(&room, n, sizeof *parameters);
  int *trajectories = ff_arena_take(&room, n, sizeof *trajectories);
  ff_status status = j && r && parameters && trajectories ? FF_OK : FF_ERROR_MEMORY;
  ff_fit_show(problem->watched, "intervals", 0, NAN);
  if (status == FF_OK) {
    problem->central = true;
    problem->step = fmin(3 * problem->fit->step, 0.05);
    bool whole = ff_fit_evaluate(problem, x, r) && ff_fit_differentiate(problem, x, r, j);
    status = whole ? FF_OK : FF_CANCELLED;
  }
  for (int k = 0; k < problem->unknowns && status == FF_OK; k++) {
    int u;
    parameters[k] = &problem->law->parameters[ff_fit_owner(problem, k, &u)];
    trajectories[k] = u < 0 ? -1 : problem->used[u];
  }
  if (status == FF_OK) {
    ff_minimum at = {problem->unknowns, parameters,     trajectories,       x, r, j,
                     (long)rows,        problem->first, problem->used_count};
    status = ff_minimum_describe(&at, outcome, keep);
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
  ff_fit_problem problem = {
      .fit = fit, .law = law, .used = &trajectory, .used_count = 1, .given = given};
  double x[FF_FIT_PARAMETERS_MAX], values[FF_FIT_PARAMETERS_MAX], sum;
  ff_least_squares_result result;
  ff_report why = {0};
  ff_status status = ff_fit_open(&problem, &arena);
  if (status == FF_OK) {
    ff_fit_start(&problem, 0, x);
    status = ff_fit_scan(&problem, x);
    status = status == FF_OK ? ff_fit_descend(&problem, x, &result) : status;
  }
  if (status == FF_OK) {
    ff_fit_values(&problem, x, 0, values);
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
static void fit_shared_values(const ff_fit_problem *problem, const double *x, double *values) {
  for (int i = 0; i < problem->law->parameter_count; i++) {
    const ff_fit_parameter *p = &problem->law->parameters[i];
    values[i] = p->each ? p->start : ff_fit_value(p, x[ff_fit_column(problem, i, 0)]);
  }
}

static ff_status fit_cross_validate(ff_fit *fit, ff_fit_law *law, ff_team *team, const double *best,
                                    int shared, fit_checks *checks, int *used) {
  ff_status status = FF_OK;
  for (int fold = 0; fold < fit->folds && status == FF_OK; fold++) {
    ff_arena arena = {0};
    double values[FF_FIT_PARAMETERS_MAX];
    ff_least_squares_result result;
    ff_fit_problem problem = {.fit = fit, .watched = fit, .law = law, .used = used, .team = team};
    ff_fit_show(fit, "cross-validation", 0, NAN);
    problem.used_count = fit_choose(fit, FIT_WITHOUT_FOLD, fold, used);
    status = ff_fit_open(&problem, &arena);
    double *x = ff_arena_take(&arena, (size_t)problem.unknowns + 1, sizeof *x);
    status = x ? status : FF_ERROR_MEMORY;
    if (status == FF_OK) {
      ff_fit_start(&problem, 0, x);
      memcpy(x, best, (size_t)shared * sizeof *x);
      status = ff_fit_descend(&problem, x, &result);
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

/* Errors of all trajectories at the minimum, and the curves. */
static ff_status fit_apply_all(ff_fit *fit, ff_fit_law *law, ff_team *team, const double *values,
                               fit_checks *checks, int *used) {
  ff_fit_outcome *out = &law->outcome;
  checks->given = values;
  checks->used = used;
  ff_fit_show(fit, "all trajectories", 0, NAN);
  ff_team_for(team, fit_check_part, checks, fit_choose(fit, FIT_ALL, 0, used), 1);
  double error;
  fit_mean(checks->rms, used, fit_choose(fit, FIT_FITTED, 0, used), &out->rms, &error);
  int count = fit_choose(fit, FIT_HELD_OUT, 0, used);
  fit_mean(checks->rms, used, count, &out->held_out, &out->held_out_error);
  memcpy(law->rms, checks->rms, (size_t)fit->trajectory_count * sizeof *law->rms);
  for (int i = 0; i < fit->trajectory_count; i++) {
    ff_fit_take_errors(fit, &fit->trajectories[i], law->computed[i],
                       law->errors + i * fit->error_count);
  }
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
  law->errors = ff_arena_take(&fit->arena, n * (size_t)fit->error_count, sizeof *law->errors);
  bool there = law->computed && law->rms && law->errors;
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
  ff_fit_problem problem = {.fit = fit, .watched = fit, .law = law, .used = used, .team = team};
  ff_status status = used && other ? fit_open_law(fit, law) : FF_ERROR_MEMORY;
  double *x = NULL, values[FF_FIT_PARAMETERS_MAX];
  ff_fit_outcome *out = &law->outcome;
  if (status == FF_OK) {
    problem.used_count = fit_choose(fit, FIT_FITTED, 0, used);
    status = ff_fit_open(&problem, &arena);
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
  status = status == FF_OK ? ff_fit_search(&problem, x, out) : status;
  if (status == FF_OK) {
    double *r = ff_arena_take(&arena, (size_t)problem.first[problem.used_count], sizeof *r);
    status = r && ff_fit_evaluate(&problem, x, r) ? FF_OK : FF_CANCELLED;
    out->sum = r ? ff_sum_products(r, r, problem.first[problem.used_count]) : 0;
  }
  status = status == FF_OK ? fit_describe(&problem, x, out, &fit->arena) : status;
  fit_checks checks = {.fit = fit, .law = law, .computed = law->computed};
  checks.rms = ff_arena_take(&arena, (size_t)fit->trajectory_count, sizeof *checks.rms);
  status = checks.rms ? status : FF_ERROR_MEMORY;
  if (status == FF_OK) {
    status = fit_cross_validate(fit, law, team, x, problem.shared, &checks, other);
  }
  if (status == FF_OK) {
    fit_shared_values(&problem, x, values);
    status = fit_apply_all(fit, law, team, values, &checks, other);
  }
  ff_arena_free(&arena);
  return status;
}

/* Errors of a law with all shared values as they start. */
static ff_status fit_keep_law(ff_fit *fit, ff_fit_law *law, ff_team *team) {
  ff_arena arena = {0};
  double values[FF_FIT_PARAMETERS_MAX];
  ff_fit_outcome *out = &law->outcome;
  ff_status status = fit_open_law(fit, law);
  int *used = ff_arena_take(&arena, (size_t)fit->trajectory_count, sizeof *used);
  fit_checks checks = {.fit = fit, .law = law, .computed = law->computed};
  checks.rms = ff_arena_take(&arena, (size_t)fit->trajectory_count, sizeof *checks.rms);
  ff_fit_estimate *list = ff_arena_take(&fit->arena, (size_t)law->parameter_count, sizeof *list);
  status = used && checks.rms && list ? status : FF_ERROR_MEMORY;
  for (int i = 0; i < law->parameter_count && status == FF_OK; i++) {
    const ff_fit_parameter *p = &law->parameters[i];
    values[i] = p->start;
    if (!p->each) {
      list[out->estimate_count++] = (ff_fit_estimate){.name = p->name,
                                                      .trajectory = -1,
                                                      .value = p->start,
                                                      .bound = {p->low, p->high},
                                                      .interval = {NAN, NAN},
                                                      .clustered = {NAN, NAN}};
    }
  }
  if (status == FF_OK) {
    size_t n = (size_t)out->estimate_count;
    out->estimates = list;
    out->correlations = ff_arena_take(&fit->arena, n * n, sizeof(double));
    out->flat = ff_arena_take(&fit->arena, n, sizeof(double));
    out->converged = true;
    out->aicc = out->bic = out->sum = NAN;
    bool room = (out->correlations && out->flat) || n == 0;
    status = room ? fit_apply_all(fit, law, team, values, &checks, used) : FF_ERROR_MEMORY;
  }
  ff_arena_free(&arena);
  return status;
}

void ff_fit_watch(ff_fit *fit, void (*watch)(void *context, const ff_fit_progress *progress),
                  void *context) {
  fit->watch = watch;
  fit->watch_context = context;
}

ff_status ff_fit_solve(ff_fit *fit, int threads, const volatile int *stop, ff_report *report) {
  ff_team *team = NULL;
  ff_status status = threads > 1 ? ff_team_create(&team, threads) : FF_OK;
  fit->stop = stop;
  for (int i = 0; i < fit->law_count && status == FF_OK; i++) {
    ff_fit_law *law = &fit->laws[i];
    fit->progress = (ff_fit_progress){law->name, i + 1, fit->law_count, "search", 0, NAN};
    status = fit->fixed ? fit_keep_law(fit, law, team) : fit_solve_law(fit, law, team);
    if (status == FF_ERROR_INPUT) {
      ff_report_what(report, "law %.60s: %d numbers to estimate from %ld residuals",
                     fit->laws[i].name, fit->laws[i].outcome.free, fit->laws[i].outcome.residuals);
    }
  }
  ff_team_destroy(team);
  fit->stop = NULL;
  return status;
}
