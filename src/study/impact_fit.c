/* Parameters of a normal law from measured restitutions. */
#include "footfall/impact.h"
#include "solve/least_squares.h"
#include "study/estimate.h"
#include "study/study.h"

#include "base/memory.h"
#include "base/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VARIED_MAX = FF_LAW_PARAMS_SIZE / 8, SAMPLES = 96, SCREENED = 6, STARTS = 2 };

/* Error of restitution of an impact that could not be computed. */
static const double not_computed = 2;

struct ff_impact_fit {
  ff_arena arena;
  ff_impact_fit_def def; /* law, mass, gravity and the copied data only */
  ff_law_params params;  /* of the parameters that are not fitted; at the end, of all */
  ff_fit_parameter varied[VARIED_MAX];
  int varied_count;
  const char *idle[VARIED_MAX];
  int idle_count;
  ff_fit_outcome outcome;
  double *computed;
  int stride; /* only every stride-th point is compared, in a screening */
  ff_report why;
};

/* ---- residuals ------------------------------------------------------------------------------- */

static ff_law_params impact_fit_values(const ff_impact_fit *fit, const double *x) {
  ff_law_params params = fit->params;
  for (int i = 0; i < fit->varied_count; i++) {
    const ff_fit_parameter *p = &fit->varied[i];
    ff_law_params_set(fit->def.law, &params, p->name, ff_fit_value(p, x[i]), NULL);
  }
  return params;
}

static double impact_fit_restitution(ff_impact_fit *fit, const ff_law_params *resolved,
                                     double speed) {
  ff_impact impact;
  ff_status status = ff_impact_simulate(&impact, fit->def.law, resolved, fit->def.mass, speed,
                                        fit->def.gravity, &fit->why);
  return status == FF_OK ? impact.restitution : NAN;
}

/* Computed restitutions, NAN where an impact could not be computed; residuals may be NULL. */
static bool impact_fit_compute(ff_impact_fit *fit, const double *x, double *computed,
                               double *residuals) {
  ff_law_params params = impact_fit_values(fit, x);
  bool known = ff_law_params_resolve(fit->def.law, &params, NULL, &fit->why) == FF_OK, any = false;
  for (int i = 0; i < fit->def.count; i += fit->stride) {
    double e = known ? impact_fit_restitution(fit, &params, fit->def.speed[i]) : NAN;
    double off = isnan(e) ? not_computed : e - fit->def.restitution[i];
    any = any || !isnan(e);
    computed[i] = e;
    if (residuals) {
      residuals[i] = off / (fit->def.noise ? fit->def.noise[i] : 1);
    }
  }
  return any;
}

static bool impact_fit_evaluate(void *context, const double *x, double *r) {
  ff_impact_fit *fit = context;
  impact_fit_compute(fit, x, fit->computed, r);
  fit->outcome.evaluations++;
  return true;
}

/* Central differences; one-sided at a bound. */
static bool impact_fit_differentiate(void *context, const double *x, const double *r, double *j) {
  ff_impact_fit *fit = context;
  const double h = 1e-5;
  size_t rows = (size_t)fit->def.count;
  double *room = ff_alloc(3 * rows, sizeof *room), at[VARIED_MAX];
  (void)r;
  if (!room) {
    return false;
  }
  for (int k = 0; k < fit->varied_count; k++) {
    memcpy(at, x, (size_t)fit->varied_count * sizeof *at);
    double up = fmin(x[k] + h, 1), down = fmax(x[k] - h, 0);
    at[k] = up;
    impact_fit_compute(fit, at, room, room + rows);
    at[k] = down;
    impact_fit_compute(fit, at, room, room + 2 * rows);
    for (size_t i = 0; i < rows; i++) {
      j[(size_t)k * rows + i] = (room[rows + i] - room[2 * rows + i]) / (up - down);
    }
  }
  ff_free(room);
  return true;
}

/* ---- choice of the parameters ---------------------------------------------------------------- */

static ff_fit_parameter impact_fit_parameter(const ff_param *from, double low, double high) {
  ff_fit_parameter p = {.name = from->name, .low = low, .high = high};
  if (isnan(low)) {
    bool narrow = isfinite(from->min) && isfinite(from->max);
    bool usual = from->fallback > 0;
    p.low = narrow ? from->min : fmax(from->min, usual ? 0.1 * from->fallback : 1e-6);
    p.high = narrow ? from->max : fmin(from->max, usual ? 10 * from->fallback : 1e10);
  }
  p.log = p.low > 0 && p.high / p.low > 30;
  p.start = p.log ? sqrt(p.low * p.high) : 0.5 * (p.low + p.high);
  return p;
}

static bool impact_fit_is_given(const ff_impact_fit_def *def, const char *name) {
  for (int i = 0; i < def->given_count; i++) {
    if (strcmp(def->given[i], name) == 0) {
      return true;
    }
  }
  return false;
}

static bool impact_fit_is_varied(const ff_impact_fit *fit, const char *name) {
  for (int i = 0; i < fit->varied_count; i++) {
    if (strcmp(fit->varied[i].name, name) == 0) {
      return true;
    }
  }
  return false;
}

static ff_status impact_fit_named(ff_impact_fit *fit, const ff_impact_fit_def *def,
                                  ff_report *report) {
  const char *names[VARIED_MAX];
  for (int i = 0; i < def->law->params_count; i++) {
    names[i] = def->law->params[i].name;
  }
  for (int i = 0; i < def->vary_count; i++) {
    const ff_impact_fit_vary *vary = &def->vary[i];
    const ff_param *found = NULL;
    for (int k = 0; k < def->law->params_count; k++) {
      found = strcmp(names[k], vary->name) == 0 ? &def->law->params[k] : found;
    }
    bool twice = impact_fit_is_given(def, vary->name) || impact_fit_is_varied(fit, vary->name);
    if (!found) {
      return ff_report_unknown(report, "parameter", vary->name, names, def->law->params_count);
    }
    bool inside = isnan(vary->low) ||
                  (vary->low < vary->high && vary->low >= found->min && vary->high <= found->max);
    if (twice || found->kind != FF_PARAM_REAL || !inside) {
      ff_status status = ff_report_what(report, twice ? "is given twice"
                                                : found->kind != FF_PARAM_REAL
                                                    ? "is a flag, not a number to fit"
                                                    : "bounds must increase and be allowed values");
      ff_report_key(report, "%s", vary->name);
      return status;
    }
    fit->varied[fit->varied_count++] = impact_fit_parameter(found, vary->low, vary->high);
  }
  return FF_OK;
}

static double impact_fit_sample(int count, int sample, int k) {
  ff_design design = {FF_DESIGN_SOBOL, SAMPLES, 1};
  return ff_design_coordinate(&design, count, sample, k);
}

/* Largest change of a restitution when this unknown alone moves from each sample. */
static double impact_fit_effect(ff_impact_fit *fit, int k, double *room) {
  double most = 0, x[VARIED_MAX], *a = room, *b = room + fit->def.count;
  for (int sample = 0; sample < SAMPLES / 4 && most < 1e-6; sample++) {
    for (int i = 0; i < fit->varied_count; i++) {
      x[i] = impact_fit_sample(fit->varied_count, sample, i);
    }
    bool known = impact_fit_compute(fit, x, a, NULL);
    x[k] = x[k] < 0.5 ? x[k] + 0.02 : x[k] - 0.02;
    known = impact_fit_compute(fit, x, b, NULL) && known;
    for (int i = 0; known && i < fit->def.count; i += fit->stride) {
      double change = fabs(a[i] - b[i]);
      most = change > most ? change : most; /* false for NAN */
    }
  }
  return most;
}

static void impact_fit_add(ff_impact_fit *fit, const ff_param *p) {
  fit->varied[fit->varied_count++] = impact_fit_parameter(p, NAN, NAN);
}

static ff_law_params impact_fit_middle(const ff_impact_fit *fit) {
  double middle[VARIED_MAX];
  for (int k = 0; k < fit->varied_count; k++) {
    middle[k] = 0.5;
  }
  return impact_fit_values(fit, middle);
}

/* Adds the parameters that have no value: the required ones, those without which the law cannot be
 * resolved, as they would follow from materials, and, if `all`, also those with a default and those
 * that materials would give and that are 0 without. */
static void impact_fit_add_open(ff_impact_fit *fit, const ff_impact_fit_def *def, bool all) {
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < def->law->params_count; i++) {
      const ff_param *p = &def->law->params[i];
      bool follows = isnan(p->fallback) && p->otherwise;
      bool known = impact_fit_is_given(def, p->name) || impact_fit_is_varied(fit, p->name);
      if (p->kind != FF_PARAM_REAL || known || follows != (pass == 1)) {
        continue;
      }
      if (!follows && (all || isnan(p->fallback))) {
        impact_fit_add(fit, p);
      } else if (follows) {
        ff_report before = {0}, after = {0};
        ff_law_params params = impact_fit_middle(fit);
        bool failed = ff_law_params_resolve(def->law, &params, NULL, &before) != FF_OK;
        bool absent = !(fabs(ff_law_params_get(def->law, &params, p->name)) > 0);
        impact_fit_add(fit, p);
        params = impact_fit_middle(fit);
        bool fails = ff_law_params_resolve(def->law, &params, NULL, &after) != FF_OK;
        bool helps = failed && (!fails || strcmp(before.what, after.what) != 0);
        fit->varied_count -= !(helps || (all && !failed && absent));
      }
    }
  }
}

/* Parameters to fit: the first `named` ones by name, else all that are open and have an effect.
 * Open ones without effect get any value. */
static ff_status impact_fit_choose(ff_impact_fit *fit, const ff_impact_fit_def *def,
                                   ff_report *report) {
  int named = fit->varied_count, kept = 0;
  impact_fit_add_open(fit, def, named == 0);
  double *room = ff_alloc(2 * (size_t)def->count, sizeof *room);
  bool idle[VARIED_MAX];
  if (!room) {
    return FF_ERROR_MEMORY;
  }
  for (int k = 0; k < fit->varied_count; k++) {
    idle[k] = k >= named && !(impact_fit_effect(fit, k, room) >= 1e-6);
  }
  ff_free(room);
  ff_law_params params = impact_fit_middle(fit);
  for (int k = 0; k < fit->varied_count; k++) {
    const char *name = fit->varied[k].name;
    if (named > 0 && k >= named && !idle[k]) {
      ff_status status = ff_report_what(report, "must be given: it has an effect on restitution");
      ff_report_key(report, "%s", name);
      return status;
    }
    if (!idle[k]) {
      fit->varied[kept++] = fit->varied[k];
      continue;
    }
    fit->idle[fit->idle_count++] = name;
    if (isnan(ff_law_params_get(def->law, &fit->params, name))) {
      double any = ff_law_params_get(def->law, &params, name);
      ff_law_params_set(def->law, &fit->params, name, any, NULL);
    }
  }
  fit->varied_count = kept;
  if (kept > 0) {
    return FF_OK;
  }
  return fit->why.what[0] ? ff_report_what(report, "%.300s", fit->why.what)
                          : ff_report_what(report,
                                           "no parameter of %.60s that is not given has an "
                                           "effect on these restitutions",
                                           def->law->name);
}

/* ---- the search ------------------------------------------------------------------------------ */

typedef struct impact_fit_start {
  double x[VARIED_MAX], sum;
} impact_fit_start;

static int impact_fit_compare(const void *a, const void *b) {
  const impact_fit_start *p = a, *q = b;
  return (p->sum > q->sum) - (p->sum < q->sum);
}

/* Samples over the bounds by a part of the points, the best first. */
static bool impact_fit_screen(ff_impact_fit *fit, impact_fit_start *starts, double *r) {
  bool any = false;
  int count = fit->varied_count < 3 ? 32 * fit->varied_count : SAMPLES;
  for (int s = 0; s < count; s++) {
    for (int k = 0; k < fit->varied_count; k++) {
      starts[s].x[k] = impact_fit_sample(fit->varied_count, s, k);
    }
    any = impact_fit_compute(fit, starts[s].x, fit->computed, r) || any;
    starts[s].sum = 0;
    for (int i = 0; i < fit->def.count; i += fit->stride) {
      starts[s].sum += r[i] * r[i];
    }
  }
  qsort(starts, (size_t)count, sizeof *starts, impact_fit_compare);
  return any;
}

static ff_status impact_fit_search(ff_impact_fit *fit, double *x, ff_report *report) {
  size_t rows = (size_t)fit->def.count;
  impact_fit_start *starts = ff_arena_take(&fit->arena, SAMPLES, sizeof *starts);
  double *r = ff_arena_take(&fit->arena, rows, sizeof *r), best = INFINITY, sums[STARTS];
  if (!starts || !r) {
    return FF_ERROR_MEMORY;
  }
  if (!impact_fit_screen(fit, starts, r)) {
    return ff_report_what(report, "%.300s", fit->why.what);
  }
  fit->stride = 1;
  ff_status status = FF_OK;
  for (int s = 0; s < STARTS && status == FF_OK; s++) {
    ff_least_squares search = {fit->def.count,
                               fit->varied_count,
                               impact_fit_evaluate,
                               impact_fit_differentiate,
                               fit,
                               1e-10,
                               200};
    ff_least_squares_result result;
    status = ff_least_squares_solve(&search, starts[s].x, &result);
    sums[s] = result.sum;
    if (status == FF_OK && result.sum < best) {
      best = result.sum;
      fit->outcome.converged = result.converged;
      memcpy(x, starts[s].x, (size_t)fit->varied_count * sizeof *x);
    }
  }
  for (int s = 0; s < STARTS && status == FF_OK; s++) {
    fit->outcome.starts_agreeing += sums[s] <= 1.01 * best + 1e-30;
  }
  return status;
}

/* Outcome at the minimum x. */
static ff_status impact_fit_describe(ff_impact_fit *fit, const double *x) {
  size_t rows = (size_t)fit->def.count, n = (size_t)fit->varied_count;
  const ff_fit_parameter *parameters[VARIED_MAX];
  int shared[VARIED_MAX];
  long first[2] = {0, fit->def.count};
  double *r = ff_arena_take(&fit->arena, rows, sizeof *r);
  double *j = ff_arena_take(&fit->arena, rows * n, sizeof *j);
  ff_fit_outcome *out = &fit->outcome;
  if (!r || !j || !impact_fit_evaluate(fit, x, r) || !impact_fit_differentiate(fit, x, r, j)) {
    return FF_ERROR_MEMORY;
  }
  for (size_t k = 0; k < n; k++) {
    parameters[k] = &fit->varied[k];
    shared[k] = -1;
  }
  out->law = fit->def.law->name;
  out->residuals = fit->def.count;
  out->free = fit->varied_count;
  out->sum = ff_sum_products(r, r, fit->def.count);
  out->rms = sqrt(out->sum / fit->def.count);
  out->held_out = out->held_out_error = out->crossed = out->crossed_error = NAN;
  ff_minimum at = {fit->varied_count, parameters, shared, x, r, j, fit->def.count, first, 1};
  return ff_minimum_describe(&at, out, &fit->arena);
}

/* ---- interface ------------------------------------------------------------------------------- */

static ff_status impact_fit_check(const ff_impact_fit_def *def, ff_report *report) {
  if (!def->law || def->law->kind != FF_LAW_NORMAL || def->law->params_count > VARIED_MAX) {
    return ff_report_what(report, "needs a normal law");
  }
  for (int i = 0; i < def->count; i++) {
    bool known = def->speed[i] > 0 && isfinite(def->speed[i]) && def->restitution[i] >= 0 &&
                 isfinite(def->restitution[i]);
    if (!known || (def->noise && !(def->noise[i] > 0 && isfinite(def->noise[i])))) {
      return ff_report_what(report,
                            "impact %d: speed and noise must be greater than 0, and restitution "
                            "at least 0",
                            i + 1);
    }
  }
  return FF_OK;
}

static const double *impact_fit_copy(ff_impact_fit *fit, const double *from) {
  double *to = ff_arena_take(&fit->arena, (size_t)fit->def.count, sizeof *to);
  if (to) {
    memcpy(to, from, (size_t)fit->def.count * sizeof *to);
  }
  return to;
}

ff_status ff_impact_fit_solve(ff_impact_fit **out, const ff_impact_fit_def *def,
                              ff_report *report) {
  if (!out) {
    return FF_ERROR_INPUT;
  }
  *out = NULL;
  if (report) {
    memset(report, 0, sizeof *report);
  }
  ff_status status = impact_fit_check(def, report);
  ff_impact_fit *fit = status == FF_OK ? ff_alloc(1, sizeof *fit) : NULL;
  if (!fit) {
    return status == FF_OK ? FF_ERROR_MEMORY : status;
  }
  fit->def = *def;
  fit->params = *def->params;
  fit->stride = 1 + def->count / SCREENED;
  fit->def.speed = impact_fit_copy(fit, def->speed);
  fit->def.restitution = impact_fit_copy(fit, def->restitution);
  fit->def.noise = def->noise ? impact_fit_copy(fit, def->noise) : NULL;
  fit->computed = ff_arena_take(&fit->arena, (size_t)def->count, sizeof *fit->computed);
  bool room =
      fit->def.speed && fit->def.restitution && fit->computed && (fit->def.noise || !def->noise);
  double x[VARIED_MAX];
  status = !room ? FF_ERROR_MEMORY : impact_fit_named(fit, def, report);
  status = status == FF_OK ? impact_fit_choose(fit, def, report) : status;
  if (status == FF_OK && def->count <= fit->varied_count) {
    status = ff_report_what(report, "%d parameters need more than %d measured impacts",
                            fit->varied_count, def->count);
  }
  status = status == FF_OK ? impact_fit_search(fit, x, report) : status;
  status = status == FF_OK ? impact_fit_describe(fit, x) : status;
  if (status == FF_OK) {
    fit->params = impact_fit_values(fit, x);
    *out = fit;
  } else {
    ff_impact_fit_destroy(fit);
  }
  return status;
}

void ff_impact_fit_destroy(ff_impact_fit *fit) {
  if (fit) {
    ff_arena arena = fit->arena;
    ff_free(fit);
    ff_arena_free(&arena);
  }
}

ff_fit_outcome ff_impact_fit_outcome(const ff_impact_fit *fit) {
  return fit ? fit->outcome : (ff_fit_outcome){.law = ""};
}

const double *ff_impact_fit_computed(const ff_impact_fit *fit) {
  return fit ? fit->computed : NULL;
}

ff_law_params ff_impact_fit_params(const ff_impact_fit *fit) {
  return fit ? fit->params : (ff_law_params){0};
}

const char *ff_impact_fit_idle(const ff_impact_fit *fit, int index) {
  return fit && index >= 0 && index < fit->idle_count ? fit->idle[index] : NULL;
}
