/* Nonlinear complementarity solver: checks, sequence of attempts, outcome.
 *
 * Attempts until one succeeds, with the caller's method unless stated otherwise:
 *   1. descent from the caller's start, iterates kept within the bounds;
 *   2. descent with iterates free to leave them;
 *   3. homotopy in the smoothing parameter, from the interior: the active set is decided late,
 *      and for all rows at once;
 *   4. proximal-point homotopy F(z) + p (z - centre): the centre follows the iterates and p
 *      decreases while subproblems succeed; leaves local minima of the merit function in which
 *      a descent ends;
 *   5. the proximal homotopy with the other method;
 *   6. and 7. proximal homotopies from the feasible point nearest to the origin, slightly
 *      perturbed to break symmetry. */
#include "solve/ncp.h"

#include "base/memory.h"
#include "base/report.h"

#include <math.h>
#include <string.h>

enum {
  PATH_STEPS = 60,
  PATH_LIMIT = 15,
  PROBE_LIMIT = 12,
  SMOOTH_PROBE = 5,
  ROUNDS = 12,
  ATTEMPTS = 7
};
#define PATH_TOLERANCE 1e-4 /* of the subproblems */
#define PATH_START     2.0  /* initial p; the scaled Jacobian is about 1 */
#define PATH_END       1e6  /* p above this: failed */
#define SHIFT          0.25 /* perturbation of the unknowns from the origin */
#define SMOOTH_START   1.0  /* initial smoothing parameter */
#define SMOOTH_LESS    0.2
#define SMOOTH_NEAR    0.01
#define SMOOTH_END     1e-10

/* ---- texts ----------------------------------------------------------------------------------- */

const char *ff_ncp_outcome_text(ff_ncp_outcome outcome) {
  switch (outcome) {
    case FF_NCP_SOLVED: return "solved";
    case FF_NCP_STATIONARY: return "stationary";
    case FF_NCP_DIVERGED: return "diverged";
    case FF_NCP_ITERATIONS: return "too many iterations";
    case FF_NCP_UNDEFINED: return "undefined at the start";
  }
  return "unknown";
}

ff_ncp_def ff_ncp_def_default(void) {
  return (ff_ncp_def){.method = FF_NCP_FISCHER, .tolerance = 1e-10, .max_iterations = 1000};
}

/* ---- checks ---------------------------------------------------------------------------------- */

static ff_status ncp_report(ff_report *report, const char *key, const char *what) {
  ff_status status = ff_report_what(report, "%s", what);
  ff_report_key(report, "%s", key);
  return status;
}

static ff_status ncp_check_pattern(const ff_ncp_def *def, ff_report *report) {
  const int *start = def->column_start;
  if (!start) {
    return FF_OK;
  }
  if (!def->row_index || start[0] != 0) {
    return ncp_report(report, "column_start", "must start with 0 and come with row_index");
  }
  for (int j = 0; j < def->size; j++) {
    if (start[j + 1] < start[j]) {
      return ncp_report(report, "column_start", "must not descend");
    }
    for (int k = start[j]; k < start[j + 1]; k++) {
      int before = k > start[j] ? def->row_index[k - 1] : -1;
      if (def->row_index[k] <= before || def->row_index[k] >= def->size) {
        return ncp_report(report, "row_index", "must ascend within a column, from 0 to size - 1");
      }
    }
  }
  return FF_OK;
}

static ff_status ncp_check_def(const ff_ncp_def *def, ff_report *report) {
  if (def->size < 1 || def->size > (def->column_start ? 10000000 : 10000)) {
    return ncp_report(report, "size", "must be at least 1, at most 10000 dense, 10000000 sparse");
  }
  if (!def->residual || !def->jacobian) {
    return ncp_report(report, def->residual ? "jacobian" : "residual", "must be given");
  }
  if ((unsigned)def->method >= FF_NCP_METHOD_COUNT) {
    return ncp_report(report, "method", "is unknown");
  }
  if (!(def->tolerance > 0) || !isfinite(def->tolerance)) {
    return ncp_report(report, "tolerance", "must be greater than 0 and finite");
  }
  if (!(def->absolute >= 0) || !isfinite(def->absolute)) {
    return ncp_report(report, "absolute", "must be 0 or more, and finite");
  }
  if (def->max_iterations < 1) {
    return ncp_report(report, "max_iterations", "must be at least 1");
  }
  for (int i = 0; i < def->size; i++) {
    double l = def->lower ? def->lower[i] : -INFINITY, u = def->upper ? def->upper[i] : INFINITY;
    if (!(l <= u) || l == INFINITY || u == -INFINITY) {
      return ncp_report(report, "lower",
                        "must be at most upper; lower may not be +inf, upper not -inf");
    }
  }
  return ncp_check_pattern(def, report);
}

/* ---- creation -------------------------------------------------------------------------------- */

/* Copy of the bounds, or `none` in every row. */
static double *ncp_copy_bounds(ff_ncp *ncp, const double *from, double none) {
  double *to = ff_arena_take(&ncp->arena, (size_t)ncp->size, sizeof *to);
  for (int i = 0; to && i < ncp->size; i++) {
    to[i] = from ? from[i] : none;
  }
  return to;
}

static bool ncp_take_vectors(ff_ncp *ncp) {
  double **vectors[] = {&ncp->row_scale, &ncp->column_scale, &ncp->lower,     &ncp->upper,
                        &ncp->centre,    &ncp->here.x,       &ncp->here.f,    &ncp->here.phi,
                        &ncp->trial.x,   &ncp->trial.f,      &ncp->trial.phi, &ncp->d_x,
                        &ncp->d_f,       &ncp->gradient,     &ncp->z,         &ncp->user_f,
                        &ncp->best,      &ncp->start,        &ncp->kept.x,    &ncp->kept.f,
                        &ncp->kept.phi,  &ncp->equations};
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
    *vectors[i] = ff_arena_take(&ncp->arena, (size_t)ncp->size, sizeof(double));
    if (!*vectors[i]) {
      return false;
    }
  }
  ncp->direction = ff_arena_take(&ncp->arena, 2 * (size_t)ncp->size, sizeof(double));
  ncp->steps = ff_arena_take(&ncp->arena, FF_NCP_STEPS * (size_t)ncp->size, sizeof(double));
  ncp->user_lower = ncp_copy_bounds(ncp, ncp->def.lower, -INFINITY);
  ncp->user_upper = ncp_copy_bounds(ncp, ncp->def.upper, INFINITY);
  ncp->def.lower = ncp->user_lower;
  ncp->def.upper = ncp->user_upper;
  return ncp->direction && ncp->steps && ncp->user_lower && ncp->user_upper;
}

ff_status ff_ncp_create(ff_ncp **out, const ff_ncp_def *def, ff_report *report) {
  if (!out) {
    return FF_ERROR_INPUT;
  }
  *out = NULL;
  ff_status status = ncp_check_def(def, report);
  if (status != FF_OK) {
    return status;
  }
  ff_ncp *ncp = ff_alloc(1, sizeof *ncp);
  if (!ncp) {
    return FF_ERROR_MEMORY;
  }
  ncp->def = *def;
  ncp->size = def->size;
  status = ncp_take_vectors(ncp) ? ff_ncp_setup(ncp) : FF_ERROR_MEMORY;
  if (status != FF_OK) {
    ff_ncp_destroy(&ncp);
    return status;
  }
  *out = ncp;
  return FF_OK;
}

void ff_ncp_destroy(ff_ncp **at) {
  ff_ncp *ncp = at ? *at : NULL;
  if (ncp) {
    *at = NULL;
    ff_linear_destroy(ncp->newton);
    ff_linear_destroy(ncp->regular);
    ff_arena_free(&ncp->arena);
    ff_free(ncp);
  }
}

ff_status ff_ncp_resize(ff_ncp *ncp, int size, const double *lower, const double *upper) {
  if (ncp->def.column_start || size < 1 || size > ncp->def.size) {
    return FF_ERROR_INPUT;
  }
  for (int i = 0; i < size; i++) {
    double l = lower ? lower[i] : -INFINITY, u = upper ? upper[i] : INFINITY;
    if (!(l <= u) || l == INFINITY || u == -INFINITY) {
      return FF_ERROR_INPUT;
    }
  }
  for (int i = 0; i < size; i++) {
    ncp->user_lower[i] = lower ? lower[i] : -INFINITY;
    ncp->user_upper[i] = upper ? upper[i] : INFINITY;
  }
  if (size != ncp->size) {
    ncp->size = size;
    ff_ncp_layout(ncp);
    ff_linear_resize(ncp->newton, size);
    ff_linear_resize(ncp->regular, 2 * size);
  }
  return FF_OK;
}

/* ---- z and x --------------------------------------------------------------------------------- */

static double clamp_to(double value, double lower, double upper) {
  return fmin(fmax(value, lower), upper);
}

/* Evaluates F at z, which is within its bounds, and tests it against the absolute tolerance. False:
 * undefined there. */
static bool ncp_test_point(ff_ncp *ncp, const double *z) {
  const ff_ncp_def *def = &ncp->def;
  ncp->info.evaluations++;
  if (def->residual(def->context, z, ncp->user_f)) {
    return false;
  }
  double residual = def->absolute > 0
                        ? ff_ncp_residual(ncp->size, z, ncp->user_f, def->lower, def->upper)
                        : INFINITY;
  if (residual <= def->absolute) {
    ncp->good_enough = true;
    ncp->best_scaled = NAN;
    ncp->best_residual = residual;
    memcpy(ncp->best, z, (size_t)ncp->size * sizeof *z);
  }
  return true;
}

/* Moves the iterate to z, where F is known, and recomputes the scales there; false: undefined
 * there. */
static bool ncp_move_to(ff_ncp *ncp, const double *z) {
  ncp->proximal = 0;
  if (!ff_ncp_differentiate(ncp, z)) {
    return false;
  }
  ff_ncp_scale(ncp);
  ncp->fresh = true;
  for (int i = 0; i < ncp->size; i++) {
    ncp->here.x[i] = z[i] / ncp->column_scale[i];
  }
  return ff_ncp_evaluate_user(ncp, &ncp->here);
}

/* Projects the iterate onto its bounds; false: undefined there. */
static bool ncp_project(ff_ncp *ncp) {
  bool outside = false;
  for (int i = 0; i < ncp->size; i++) {
    double x = ncp->here.x[i], to = clamp_to(x, ncp->lower[i], ncp->upper[i]);
    ncp->here.x[i] = to;
    outside = outside || to != x;
  }
  if (!outside) {
    return true;
  }
  ncp->fresh = false;
  return ff_ncp_evaluate(ncp, &ncp->here);
}

/* Stores the iterate, which is within its bounds, if it is the best so far. */
static void ncp_keep_best(ff_ncp *ncp) {
  const ff_ncp_def *def = &ncp->def;
  double scaled = ff_ncp_scaled(ncp, &ncp->here);
  if (!(scaled < ncp->best_scaled)) {
    return;
  }
  ncp->best_scaled = scaled;
  for (int i = 0; i < ncp->size; i++) { /* powers of two: f / row_scale is F at this z to the bit */
    ncp->best[i] = clamp_to(ncp->column_scale[i] * ncp->here.x[i], def->lower[i], def->upper[i]);
    ncp->user_f[i] = ncp->here.f[i] / ncp->row_scale[i];
  }
  ncp->best_residual = ff_ncp_residual(ncp->size, ncp->best, ncp->user_f, def->lower, def->upper);
}

static bool ncp_is_solved(const ff_ncp *ncp) {
  return ncp->good_enough || ncp->best_scaled <= ncp->def.tolerance;
}

/* ---- attempts -------------------------------------------------------------------------------- */

/* Descent without proximal term from the current iterate. Rescales where it ends: if that is not a
 * solution in the new scales, or only outside the bounds, the descent continues from there. */
static ff_ncp_ending ncp_descend_plain(ff_ncp *ncp, ff_ncp_method method, int limit) {
  ff_ncp_ending ending = FF_NCP_END_SOLVED;
  for (int round = 0; round < ROUNDS && !ncp_is_solved(ncp); round++) {
    ending = ff_ncp_descend(ncp, method, 0.5 * ncp->def.tolerance, limit);
    if (ending == FF_NCP_END_UNDEFINED || !ncp_project(ncp)) {
      return FF_NCP_END_UNDEFINED;
    }
    bool last = round == ROUNDS - 1, again = !last && ff_ncp_rescale(ncp);
    ncp_keep_best(ncp);
    if (!again && ending != FF_NCP_END_SOLVED) {
      break;
    }
  }
  return ending;
}

/* Sets the proximal weight and re-evaluates the iterate; false: undefined there. */
static bool ncp_set_proximal(ff_ncp *ncp, double proximal) {
  ncp->proximal = proximal;
  return ff_ncp_evaluate(ncp, &ncp->here);
}

/* Proximal-point homotopy; after each subproblem a descent without the proximal term. The iterate
 * is within its bounds. */
static ff_ncp_ending ncp_proximal_homotopy(ff_ncp *ncp, ff_ncp_method method) {
  size_t bytes = (size_t)ncp->size * sizeof(double);
  ff_ncp_ending ending = FF_NCP_END_STATIONARY;
  double p = PATH_START;
  int left = ncp->def.max_iterations - ncp->info.iterations;
  int last = ncp->info.iterations + (left + 1) / 2; /* the other half is for later homotopies */
  memcpy(ncp->centre, ncp->here.x, bytes);
  for (int k = 0; k < PATH_STEPS && p < PATH_END; k++) {
    memcpy(ncp->here.x, ncp->centre, bytes);
    ncp->fresh = false;
    ending = ncp_set_proximal(ncp, p) ? ff_ncp_descend(ncp, method, PATH_TOLERANCE, PATH_LIMIT)
                                      : FF_NCP_END_UNDEFINED;
    if (ending == FF_NCP_END_DIVERGED || ncp->info.iterations >= last) {
      return ending;
    }
    if (ending != FF_NCP_END_SOLVED) {
      p *= 8;
      continue;
    }
    memcpy(ncp->centre, ncp->here.x, bytes);
    ending = ncp_set_proximal(ncp, 0) ? ncp_descend_plain(ncp, method, PROBE_LIMIT)
                                      : FF_NCP_END_UNDEFINED;
    if (ncp_is_solved(ncp)) {
      return ending;
    }
    p *= 0.5;
  }
  return ending == FF_NCP_END_SOLVED ? FF_NCP_END_STATIONARY : ending;
}

/* Smoothing homotopy: each subproblem is less smoothed than the one before; when the smoothing is
 * small, a descent on the nonsmooth equations after each. */
static ff_ncp_ending ncp_smoothing_homotopy(ff_ncp *ncp) {
  size_t bytes = (size_t)ncp->size * sizeof(double);
  ff_ncp_ending ending = FF_NCP_END_STATIONARY;
  memcpy(ncp->centre, ncp->here.x, bytes);
  for (double smooth = SMOOTH_START; smooth > SMOOTH_END; smooth *= SMOOTH_LESS) {
    memcpy(ncp->here.x, ncp->centre, bytes);
    ncp->fresh = false;
    ncp->smooth = smooth;
    ending = ncp_set_proximal(ncp, 0)
                 ? ff_ncp_descend(ncp, FF_NCP_FISCHER, 0.5 * smooth, PATH_LIMIT)
                 : FF_NCP_END_UNDEFINED;
    ncp->smooth = 0;
    if (ending != FF_NCP_END_SOLVED) {
      return ending;
    }
    memcpy(ncp->centre, ncp->here.x, bytes);
    if (smooth < SMOOTH_NEAR) {
      ending = ncp_set_proximal(ncp, 0) ? ncp_descend_plain(ncp, ncp->def.method, SMOOTH_PROBE)
                                        : FF_NCP_END_UNDEFINED;
      if (ncp_is_solved(ncp)) {
        return ending;
      }
    }
  }
  return FF_NCP_END_STATIONARY;
}

/* Small perturbation that breaks symmetry: symmetric iterates stay symmetric, and there may be no
 * symmetric solution. */
static bool ncp_perturb(ff_ncp *ncp) {
  for (int i = 0; i < ncp->size; i++) {
    double golden = fmod(0.6180339887498949 * (i + 1), 1);
    ncp->here.x[i] = clamp_to(ncp->here.x[i] + SHIFT * golden, ncp->lower[i], ncp->upper[i]);
  }
  ncp->fresh = false;
  return ff_ncp_evaluate(ncp, &ncp->here);
}

static ff_ncp_ending ncp_attempt(ff_ncp *ncp, int number) {
  const ff_ncp_def *def = &ncp->def;
  bool origin = number > 5, other = number % 2 == 1;
  for (int i = 0; i < ncp->size; i++) {
    ncp->z[i] = clamp_to(origin ? 0 : ncp->start[i], def->lower[i], def->upper[i]);
  }
  if (!ncp_test_point(ncp, ncp->z)) {
    return FF_NCP_END_UNDEFINED;
  }
  if (ncp->good_enough) {
    return FF_NCP_END_SOLVED;
  }
  ff_linear_forget(ncp->newton);
  ff_linear_forget(ncp->regular);
  if (!ncp_move_to(ncp, ncp->z)) {
    return FF_NCP_END_UNDEFINED;
  }
  ncp_keep_best(ncp);
  ncp->inside = number == 1;
  if (number <= 2) {
    return ncp_descend_plain(ncp, def->method, def->max_iterations / 4 + 1);
  }
  if (number == 3) {
    return ncp_smoothing_homotopy(ncp);
  }
  if (origin && !ncp_perturb(ncp)) {
    return FF_NCP_END_UNDEFINED;
  }
  return ncp_proximal_homotopy(ncp,
                               (def->method == FF_NCP_MIN) != other ? FF_NCP_MIN : FF_NCP_FISCHER);
}

static ff_ncp_outcome ncp_outcome_of(ff_ncp_ending ending) {
  switch (ending) {
    case FF_NCP_END_SOLVED:
    case FF_NCP_END_STATIONARY: return FF_NCP_STATIONARY;
    case FF_NCP_END_DIVERGED: return FF_NCP_DIVERGED;
    case FF_NCP_END_LIMIT: return FF_NCP_ITERATIONS;
    case FF_NCP_END_UNDEFINED: return FF_NCP_UNDEFINED;
  }
  return FF_NCP_STATIONARY;
}

ff_ncp_info ff_ncp_solve(ff_ncp *ncp, double *z) {
  size_t bytes = (size_t)ncp->size * sizeof(double);
  ncp->info = (ff_ncp_info){0};
  ncp->best_scaled = INFINITY;
  ncp->best_residual = NAN;
  ncp->good_enough = false;
  memcpy(ncp->start, z, bytes);
  memcpy(ncp->best, z, bytes);
  ff_ncp_ending ending = FF_NCP_END_UNDEFINED, first = ending;
  for (int k = 1; k <= ATTEMPTS && !ncp_is_solved(ncp); k++) {
    if (ncp->info.iterations >= ncp->def.max_iterations) {
      break;
    }
    ncp->info.attempts = k;
    ending = ncp_attempt(ncp, k);
    first = k == 1 ? ending : first;
  }
  /* The first attempt characterises a failure best, unless its iteration limit was cut to leave
   * some for the others. */
  bool cut_short = first == FF_NCP_END_LIMIT && ending != FF_NCP_END_UNDEFINED;
  ncp->info.outcome =
      ncp_is_solved(ncp) ? FF_NCP_SOLVED : ncp_outcome_of(cut_short ? ending : first);
  ncp->info.scaled = ncp->best_scaled;
  ncp->info.residual = ncp->best_residual;
  memcpy(z, ncp->best, bytes);
  return ncp->info;
}
