/* Every method on every problem of a set, dense and sparse. */
#include "footfall/ncp.h"
#include "ncp_published.h"

#include "base/memory.h"

/* |z - the nearest z' in the box for which z' = z - f would do|: written down once more, so
 * that it is not the solver who says how well it did. */
static double residual_of(const ncp_problem *problem, const double *z) {
  double f[NCP_MAX], worst = 0;
  assert_int_equal(problem->residual(NULL, z, f), 0);
  for (int i = 0; i < problem->size; i++) {
    double to = z[i] - f[i];
    to = to < problem->lower[i] ? problem->lower[i] : to;
    to = to > problem->upper[i] ? problem->upper[i] : to;
    worst = fmax(worst, fabs(z[i] - to));
  }
  return worst;
}

typedef struct setup {
  ff_ncp_method method;
  bool sparse;
} setup;

static ff_ncp *create(const ncp_problem *problem, setup how, void *context) {
  static int start[NCP_MAX + 1], row[NCP_MAX * NCP_MAX];
  int n = problem->size;
  for (int k = 0; k < n * n; k++) {
    start[k / n] = k / n * n;
    row[k] = k % n;
  }
  start[n] = n * n;
  ff_ncp_def def = ff_ncp_def_default();
  def.size = n;
  def.lower = problem->lower;
  def.upper = problem->upper;
  def.residual = problem->residual;
  def.jacobian = problem->jacobian;
  def.context = context;
  def.method = how.method;
  def.column_start = how.sparse ? start : NULL;
  def.row_index = row;
  ff_ncp *ncp = NULL;
  assert_int_equal(ff_ncp_create(&ncp, &def, NULL), FF_OK);
  return ncp;
}

static void tell(const ncp_problem *problem, setup how, int start, const ff_ncp_info *info) {
  print_message("%s, start %d, method %d, %s: %s, residual %.3g, scaled %.3g, %d iterations, "
                "%d regularised, %d gradient, %d attempts\n",
                problem->name, start, (int)how.method, how.sparse ? "sparse" : "dense",
                ff_ncp_outcome_text(info->outcome), info->residual, info->scaled, info->iterations,
                info->regularised, info->gradient, info->attempts);
}

/* Solves from one start; says which problem it was when something is wrong. */
static ff_ncp_info run(const ncp_problem *problem, setup how, int start, void *context, double *z) {
  ff_ncp *ncp = create(problem, how, context);
  memcpy(z, problem->start[start], (size_t)problem->size * sizeof *z);
  ff_ncp_info info = ff_ncp_solve(ncp, z);
  ff_ncp_destroy(&ncp);
  if ((info.outcome == FF_NCP_SOLVED) == problem->none) {
    tell(problem, how, start, &info);
  }
  return info;
}

static void check_problem(const ncp_problem *problem, setup how) {
  for (int s = 0; s < problem->start_count; s++) {
    double z[NCP_MAX];
    ff_ncp_info info = run(problem, how, s, NULL, z);
    double residual = residual_of(problem, z);
    double largest = 1;
    for (int i = 0; i < problem->size; i++) {
      assert_true(z[i] >= problem->lower[i] && z[i] <= problem->upper[i]);
      largest = fmax(largest, fabs(z[i]));
    }
    assert_close(info.residual, residual,
                 1e-15 * largest); /* it told the truth, but for rounding */
    if (problem->none) {
      assert_true(info.outcome == FF_NCP_STATIONARY || info.outcome == FF_NCP_DIVERGED);
      assert_true(residual > 1e-3);
      continue;
    }
    assert_int_equal(info.outcome, FF_NCP_SOLVED);
    assert_true(info.scaled <= 1e-10);
    assert_true(info.iterations <= 1002);
    for (int i = 0; problem->known > 0 && i < problem->size; i++) {
      assert_close(z[i], problem->solution[i], problem->known);
    }
  }
}

static void check_all(setup how) {
  for (int p = 0; p < NCP_PROBLEMS; p++) {
    check_problem(&ncp_problems[p], how);
  }
  for (int p = 0; p < NCP_PUBLISHED; p++) {
    check_problem(&ncp_published[p], how);
  }
}

static void fischer_dense(void **state) {
  (void)state;
  check_all((setup){FF_NCP_FISCHER, false});
}
static void fischer_sparse(void **state) {
  (void)state;
  check_all((setup){FF_NCP_FISCHER, true});
}
static void min_dense(void **state) {
  (void)state;
  check_all((setup){FF_NCP_MIN, false});
}
static void min_sparse(void **state) {
  (void)state;
  check_all((setup){FF_NCP_MIN, true});
}

/* ---- the same in hostile units ---------------------------------------------------------------
 */

/* Rows and unknowns of a problem in units up to twelve orders of magnitude apart. */
typedef struct unit_change {
  const ncp_problem *problem;
  double row[NCP_MAX], unknown[NCP_MAX]; /* of the solver's, in the problem's */
} unit_change;

static int changed_f(void *context, const double *z, double *f) {
  const unit_change *u = context;
  double x[NCP_MAX] = {0};
  int n = u->problem->size;
  for (int i = 0; i < n; i++) {
    x[i] = z[i] * u->unknown[i];
  }
  int status = u->problem->residual(NULL, x, f);
  for (int i = 0; status == 0 && i < n; i++) {
    f[i] *= u->row[i];
  }
  return status;
}

static int changed_j(void *context, const double *z, double *j) {
  const unit_change *u = context;
  double x[NCP_MAX] = {0};
  int n = u->problem->size;
  for (int i = 0; i < n; i++) {
    x[i] = z[i] * u->unknown[i];
  }
  int status = u->problem->jacobian(NULL, x, j);
  for (int k = 0; status == 0 && k < n * n; k++) {
    j[k] *= u->row[k % n] * u->unknown[k / n];
  }
  return status;
}

/* Random units; what comes back is judged in the problem's own. */
static void check_in_units(const ncp_problem *problem, setup how, int start, uint64_t *seed) {
  unit_change u = {.problem = problem};
  ncp_problem in_units = *problem;
  in_units.residual = changed_f;
  in_units.jacobian = changed_j;
  for (int i = 0; i < problem->size; i++) {
    u.row[i] = pow(10, ff_random_in(seed, -6, 6));
    u.unknown[i] = pow(10, ff_random_in(seed, -6, 6));
    in_units.lower[i] /= u.unknown[i];
    in_units.upper[i] /= u.unknown[i];
    in_units.start[start][i] /= u.unknown[i];
  }
  double z[NCP_MAX], largest = 1;
  ff_ncp_info info = run(&in_units, how, start, &u, z);
  assert_int_equal(info.outcome, FF_NCP_SOLVED);
  for (int i = 0; i < problem->size; i++) {
    z[i] *= u.unknown[i];
    largest = fmax(largest, fabs(z[i]));
  }
  assert_true(residual_of(problem, z) < 1e-4 * largest); /* of singular ones; others 1e-8 */
}

static void published_problems_in_hostile_units(void **state) {
  (void)state;
  uint64_t seed = 3;
  for (int p = 0; p < NCP_PUBLISHED; p++) {
    int starts = ncp_published[p].own_units ? 0 : ncp_published[p].start_count;
    for (int start = 0; start < starts; start++) {
      for (int k = 0; k < 4; k++) {
        check_in_units(&ncp_published[p], (setup){k & 1 ? FF_NCP_MIN : FF_NCP_FISCHER, k & 2},
                       start, &seed);
      }
    }
  }
}

/* ---- the problems themselves -------------------------------------------------------------- */

/* A wrong derivative would make a test of robustness out of every test. */
static void derivatives_are_right(void **state) {
  (void)state;
  const double step = 1e-6; /* central: truncation 1e-12 times third derivatives */
  for (int p = 0; p < NCP_PROBLEMS; p++) {
    const ncp_problem *problem = &ncp_problems[p];
    int n = problem->size;
    double z[NCP_MAX], up[NCP_MAX], down[NCP_MAX], j[NCP_MAX * NCP_MAX];
    for (int i = 0; i < n; i++) {
      z[i] = 1.3 + 0.1 * i;
    }
    problem->jacobian(NULL, z, j);
    for (int k = 0; k < n; k++) {
      double held = z[k];
      z[k] = held + step;
      problem->residual(NULL, z, up);
      z[k] = held - step;
      problem->residual(NULL, z, down);
      z[k] = held;
      for (int i = 0; i < n; i++) {
        double size = 1 + fabs(j[i + k * n]) + fabs(up[i]);
        assert_close(j[i + k * n], (up[i] - down[i]) / (2 * step), 1e-8 * size);
      }
    }
  }
}

/* ---- a membrane over an obstacle: sparse -------------------------------------------------- */

enum { SIDE = 14, NODES = SIDE * SIDE };

typedef struct membrane {
  double load;
  int start[NODES + 1], row[5 * NODES];
} membrane;

/* Neighbours of a node in ascending order, itself among them. */
static int neighbours(int node, int *out) {
  int x = node % SIDE, y = node / SIDE, count = 0;
  const int dx[5] = {0, -1, 0, 1, 0}, dy[5] = {-1, 0, 0, 0, 1};
  for (int k = 0; k < 5; k++) {
    int i = x + dx[k], j = y + dy[k];
    if (i >= 0 && i < SIDE && j >= 0 && j < SIDE) {
      out[count++] = j * SIDE + i;
    }
  }
  return count;
}

static int membrane_f(void *context, const double *z, double *f) {
  const membrane *m = context;
  for (int node = 0; node < NODES; node++) {
    int near[5], count = neighbours(node, near);
    f[node] = 5 * z[node] + m->load * (1 + z[node] * z[node]);
    for (int k = 0; k < count; k++) {
      f[node] -= z[near[k]];
    }
  }
  return 0;
}

static int membrane_sparse_j(void *context, const double *z, double *values) {
  const membrane *m = context;
  for (int node = 0; node < NODES; node++) {
    for (int k = m->start[node]; k < m->start[node + 1]; k++) {
      values[k] = m->row[k] == node ? 4 + 2 * m->load * z[node] : -1;
    }
  }
  return 0;
}

static int membrane_dense_j(void *context, const double *z, double *values) {
  const membrane *m = context;
  double entries[5 * NODES];
  membrane_sparse_j(context, z, entries);
  memset(values, 0, (size_t)NODES * NODES * sizeof *values);
  for (int node = 0; node < NODES; node++) {
    for (int k = m->start[node]; k < m->start[node + 1]; k++) {
      values[node * NODES + m->row[k]] = entries[k];
    }
  }
  return 0;
}

/* The obstacle: a hill in the middle; the frame is at 0, and z may not be above 1. */
static void membrane_bounds(double *lower, double *upper) {
  for (int node = 0; node < NODES; node++) {
    double x = node % SIDE - 6.5, y = node / SIDE - 6.5;
    lower[node] = 0.5 - 0.02 * (x * x + y * y);
    upper[node] = 1;
  }
}

static ff_ncp *membrane_create(membrane *m, ff_ncp_method method, bool sparse) {
  double lower[NODES], upper[NODES];
  membrane_bounds(lower, upper);
  for (int node = 0; node < NODES; node++) {
    m->start[node + 1] = m->start[node] + neighbours(node, m->row + m->start[node]);
  }
  ff_ncp_def def = ff_ncp_def_default();
  def.size = NODES;
  def.lower = lower;
  def.upper = upper;
  def.residual = membrane_f;
  def.jacobian = sparse ? membrane_sparse_j : membrane_dense_j;
  def.context = m;
  def.method = method;
  def.column_start = sparse ? m->start : NULL;
  def.row_index = m->row;
  ff_ncp *ncp = NULL;
  assert_int_equal(ff_ncp_create(&ncp, &def, NULL), FF_OK);
  return ncp;
}

static void sparse_and_dense_agree(void **state) {
  (void)state;
  double z[4][NODES];
  for (int i = 0; i < 4; i++) {
    membrane m = {.load = 0.05};
    ff_ncp *ncp = membrane_create(&m, i & 1 ? FF_NCP_MIN : FF_NCP_FISCHER, i & 2);
    memset(z[i], 0, sizeof z[i]);
    ff_ncp_info info = ff_ncp_solve(ncp, z[i]);
    ff_ncp_destroy(&ncp);
    assert_int_equal(info.outcome, FF_NCP_SOLVED);
    assert_int_equal(info.attempts, 1);
    assert_true(info.iterations < 30);
  }
  for (int node = 0; node < NODES; node++) {
    for (int i = 1; i < 4; i++) {
      assert_close(z[i][node], z[0][node], 1e-8); /* tolerance 1e-10 times the condition */
    }
  }
}

/* ---- warm starts, memory, history -------------------------------------------------------------
 */

static void warm_start_is_quick(void **state) {
  (void)state;
  for (int i = 0; i < 4; i++) {
    membrane m = {.load = 0.05};
    ff_ncp *ncp = membrane_create(&m, i & 1 ? FF_NCP_MIN : FF_NCP_FISCHER, i & 2);
    double z[NODES] = {0};
    ff_ncp_info cold = ff_ncp_solve(ncp, z);
    ff_ncp_info again = ff_ncp_solve(ncp, z); /* from the solution: nothing to do */
    assert_int_equal(again.outcome, FF_NCP_SOLVED);
    assert_int_equal(again.iterations, 0);
    m.load = 0.0501; /* as from one time step to the next */
    ff_ncp_info warm = ff_ncp_solve(ncp, z);
    assert_int_equal(warm.outcome, FF_NCP_SOLVED);
    assert_true(warm.iterations <= 5 && warm.iterations <= cold.iterations);
    ff_ncp_destroy(&ncp);
  }
}

/* A start that is good enough in the caller's units costs one evaluation and is left alone. */
static void good_start_costs_one_evaluation(void **state) {
  (void)state;
  const ncp_problem *josephy = &ncp_problems[1];
  ff_ncp_def def = ff_ncp_def_default();
  def.size = 4;
  def.lower = josephy->lower;
  def.residual = josephy->residual;
  def.jacobian = josephy->jacobian;
  def.absolute = 1e-6;
  ff_ncp *ncp = NULL;
  assert_int_equal(ff_ncp_create(&ncp, &def, NULL), FF_OK);
  double z[4] = {1.2247448, 0, 0, 0.5}, before[4];
  memcpy(before, z, sizeof z);
  ff_ncp_info info = ff_ncp_solve(ncp, z);
  assert_int_equal(info.outcome, FF_NCP_SOLVED);
  assert_true(info.evaluations == 1 && info.iterations == 0);
  assert_true(isnan(info.scaled) && info.residual > 0 && info.residual <= 1e-6);
  assert_memory_equal(z, before, sizeof z);
  z[3] = 0.51;
  info = ff_ncp_solve(ncp, z);
  assert_int_equal(info.outcome, FF_NCP_SOLVED);
  assert_true(info.evaluations > 1 && info.scaled <= 1e-10);
  ff_ncp_destroy(&ncp);
}

static void solving_takes_no_memory(void **state) {
  (void)state;
  for (int i = 0; i < 4; i++) {
    membrane m = {.load = 0.05};
    ff_ncp *ncp = membrane_create(&m, i & 1 ? FF_NCP_MIN : FF_NCP_FISCHER, i & 2);
    double z[NODES] = {0};
    long before = ff_alloc_count();
    ff_ncp_solve(ncp, z);
    assert_int_equal(ff_alloc_count(), before);
    ff_ncp_destroy(&ncp);
  }
}

/* The answer is the start's and the problem's, whatever was solved before: bit for bit. */
static void history_leaves_no_trace(void **state) {
  (void)state;
  for (int i = 0; i < 4; i++) {
    membrane m = {.load = 0.05};
    ff_ncp *ncp = membrane_create(&m, i & 1 ? FF_NCP_MIN : FF_NCP_FISCHER, i & 2);
    double first[NODES] = {0}, other[NODES] = {0}, second[NODES] = {0};
    ff_ncp_solve(ncp, first);
    m.load = 1;
    ff_ncp_solve(ncp, other);
    m.load = 0.05;
    ff_ncp_solve(ncp, second);
    assert_memory_equal(first, second, sizeof first);
    ff_ncp_destroy(&ncp);
  }
}

static void every_failing_allocation_is_told(void **state) {
  (void)state;
  const ncp_problem *problem = &ncp_problems[0];
  const int start[5] = {0, 4, 8, 12, 16},
            row[16] = {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3};
  ff_ncp_def def = ff_ncp_def_default();
  def.size = 4;
  def.residual = problem->residual;
  def.jacobian = problem->jacobian;
  for (int sparse = 0; sparse < 2; sparse++) {
    def.column_start = sparse ? start : NULL;
    def.row_index = row;
    ff_ncp *ncp = NULL;
    ff_status status = FF_ERROR_MEMORY;
    for (long n = 1; n < 1000 && status != FF_OK; n++) {
      ff_alloc_fail_at(n);
      status = ff_ncp_create(&ncp, &def, NULL);
      ff_alloc_fail_at(0);
      assert_int_equal(status == FF_OK, ncp != NULL);
      assert_true(status == FF_OK || status == FF_ERROR_MEMORY);
    }
    assert_int_equal(status, FF_OK);
    ff_ncp_destroy(&ncp);
  }
}

/* ---- random linear problems
 * ---------------------------------------------------------------------- */

typedef struct random_lcp {
  int n;
  double m[NCP_MAX * NCP_MAX], q[NCP_MAX]; /* m by columns */
} random_lcp;

static int random_f(void *context, const double *z, double *f) {
  const random_lcp *lcp = context;
  for (int i = 0; i < lcp->n; i++) {
    f[i] = lcp->q[i];
    for (int k = 0; k < lcp->n; k++) {
      f[i] += lcp->m[i + k * lcp->n] * z[k];
    }
  }
  return 0;
}
static int random_j(void *context, const double *z, double *j) {
  const random_lcp *lcp = context;
  (void)z;
  memcpy(j, lcp->m, (size_t)(lcp->n * lcp->n) * sizeof *j);
  return 0;
}

/* Monotone: B B' of low rank plus a skew part, so that it is singular as often as not; a
 * solution is put in, half of its rows degenerate. */
static void random_monotone(random_lcp *lcp, uint64_t *seed) {
  int n = lcp->n = 4 + (int)(ff_random(seed) * 20), rank = n / 2;
  double b[NCP_MAX * NCP_MAX], scale[NCP_MAX], z[NCP_MAX];
  for (int i = 0; i < n; i++) {
    scale[i] = pow(10, ff_random_in(seed, -3, 3));
    z[i] = ff_random(seed) < 0.5 ? 0 : ff_random(seed) / scale[i];
  }
  for (int k = 0; k < n * rank; k++) {
    b[k] = ff_random_in(seed, -1, 1);
  }
  for (int i = 0; i < n; i++) {
    for (int k = 0; k <= i; k++) {
      double sum = 0, skew = i == k ? 0 : ff_random_in(seed, -1, 1);
      for (int r = 0; r < rank; r++) {
        sum += b[i * rank + r] * b[k * rank + r];
      }
      lcp->m[i + k * n] = (sum + skew) * scale[i] * scale[k];
      lcp->m[k + i * n] = (sum - skew) * scale[i] * scale[k];
    }
  }
  memset(lcp->q, 0, sizeof lcp->q);
  double f[NCP_MAX];
  random_f(lcp, z, f);
  for (int i = 0; i < n; i++) {
    double slack = z[i] > 0 || ff_random(seed) < 0.5 ? 0 : ff_random(seed) * scale[i];
    lcp->q[i] = slack - f[i];
  }
}

static void random_monotone_problems_are_solved(void **state) {
  (void)state;
  uint64_t seed = 77;
  const double zero[NCP_MAX] = {0};
  for (int trial = 0; trial < 400; trial++) {
    random_lcp lcp;
    random_monotone(&lcp, &seed);
    ff_ncp_def def = ff_ncp_def_default();
    def.size = lcp.n;
    def.lower = zero;
    def.residual = random_f;
    def.jacobian = random_j;
    def.context = &lcp;
    def.method = trial % 2 ? FF_NCP_MIN : FF_NCP_FISCHER;
    ff_ncp *ncp = NULL;
    assert_int_equal(ff_ncp_create(&ncp, &def, NULL), FF_OK);
    double z[NCP_MAX] = {0};
    ff_ncp_info info = ff_ncp_solve(ncp, z);
    ff_ncp_destroy(&ncp);
    if (info.outcome != FF_NCP_SOLVED) {
      print_message("trial %d: %s, scaled %g, %d attempts, n %d\n", trial,
                    ff_ncp_outcome_text(info.outcome), info.scaled, info.attempts, lcp.n);
    }
    assert_int_equal(info.outcome, FF_NCP_SOLVED);
  }
}

/* One solver for problems of many sizes: the answers are those of solvers made for each. */
static void resized_solver_gives_the_same_bits(void **state) {
  (void)state;
  static const double none[NCP_MAX] = {0};
  ff_ncp_def def = ff_ncp_def_default();
  def.size = NCP_MAX;
  def.residual = random_f;
  def.jacobian = random_j;
  random_lcp lcp;
  def.context = &lcp;
  ff_ncp *shared = NULL;
  assert_int_equal(ff_ncp_create(&shared, &def, NULL), FF_OK);
  uint64_t seed = 5;
  for (int trial = 0; trial < 20; trial++) {
    random_monotone(&lcp, &seed);
    double here[NCP_MAX] = {0}, there[NCP_MAX] = {0};
    def.size = lcp.n;
    def.lower = none;
    ff_ncp *own = NULL;
    assert_int_equal(ff_ncp_create(&own, &def, NULL), FF_OK);
    long before = ff_alloc_count();
    assert_int_equal(ff_ncp_resize(shared, lcp.n, none, NULL), FF_OK);
    ff_ncp_solve(shared, here);
    assert_int_equal(ff_alloc_count(), before);
    ff_ncp_solve(own, there);
    assert_memory_equal(here, there, sizeof here);
    ff_ncp_destroy(&own);
  }
  assert_int_equal(ff_ncp_resize(shared, NCP_MAX + 1, NULL, NULL), FF_ERROR_INPUT);
  assert_int_equal(ff_ncp_resize(shared, 0, NULL, NULL), FF_ERROR_INPUT);
  ff_ncp_destroy(&shared);
}

/* ---- outcomes and mistakes
 * ------------------------------------------------------------------------ */

static void natural_residual_by_hand(void **state) {
  (void)state;
  const double z[4] = {2, 0, 3, 1}, lower[4] = {0, 0, -5, -INFINITY},
               upper[4] = {INFINITY, INFINITY, 3, INFINITY};
  const double solved[4] = {0, 7, -1, 0}, off[4] = {0.5, 7, -1, 0}, wrong_way[4] = {0, -4, -1, 0};
  assert_true(ff_ncp_residual(4, z, solved, lower, upper) == 0);
  assert_close(ff_ncp_residual(4, z, off, lower, upper), 0.5, 1e-16);
  assert_close(ff_ncp_residual(4, z, wrong_way, lower, upper), 4, 1e-16);
  assert_close(ff_ncp_residual(4, z, solved, NULL, NULL), 7, 1e-16);
  const double lost[4] = {NAN, 0, 0, 0};
  assert_true(isnan(ff_ncp_residual(4, z, lost, NULL, NULL)));
}

static int nowhere_f(void *context, const double *z, double *f) {
  (void)context, (void)z;
  f[0] = NAN;
  return 0;
}

static void undefined_and_unfinished_are_outcomes(void **state) {
  (void)state;
  const ncp_problem *murty = &ncp_problems[6];
  ff_ncp_def def = ff_ncp_def_default();
  def.size = 1;
  def.residual = nowhere_f;
  def.jacobian = billups_j;
  ff_ncp *ncp = NULL;
  double z[NCP_MAX] = {3};
  assert_int_equal(ff_ncp_create(&ncp, &def, NULL), FF_OK);
  assert_int_equal(ff_ncp_solve(ncp, z).outcome, FF_NCP_UNDEFINED);
  assert_true(z[0] == 3);
  ff_ncp_destroy(&ncp);
  def.size = 16;
  def.lower = murty->lower;
  def.residual = murty->residual;
  def.jacobian = murty->jacobian;
  def.max_iterations = 3;
  z[0] = 0;
  assert_int_equal(ff_ncp_create(&ncp, &def, NULL), FF_OK);
  ff_ncp_info info = ff_ncp_solve(ncp, z);
  assert_int_equal(info.outcome, FF_NCP_ITERATIONS);
  assert_true(info.iterations <= 4 && info.residual > 0);
  ff_ncp_destroy(&ncp);
}

static void refuses(ff_ncp_def def, const char *key) {
  ff_report report;
  ff_ncp *ncp = NULL;
  assert_int_equal(ff_ncp_create(&ncp, &def, &report), FF_ERROR_INPUT);
  assert_null(ncp);
  assert_string_equal(report.key, key);
}

static void wrong_definitions_are_refused(void **state) {
  (void)state;
  const double low[1] = {1}, high[1] = {0}, lost[1] = {NAN};
  const int start[2] = {0, 1}, down[2] = {0, -1}, row[1] = {0}, outside[1] = {1};
  ff_ncp_def good = ff_ncp_def_default(), def;
  good.size = 1;
  good.residual = billups_f;
  good.jacobian = billups_j;
#define REFUSES(key, ...) (def = good, __VA_ARGS__, refuses(def, key))
  REFUSES("size", def.size = 0);
  REFUSES("residual", def.residual = NULL);
  REFUSES("jacobian", def.jacobian = NULL);
  REFUSES("method", def.method = FF_NCP_METHOD_COUNT);
  REFUSES("tolerance", def.tolerance = 0);
  REFUSES("tolerance", def.tolerance = NAN);
  REFUSES("absolute", def.absolute = -1);
  REFUSES("absolute", def.absolute = INFINITY);
  REFUSES("max_iterations", def.max_iterations = 0);
  REFUSES("lower", def.lower = low, def.upper = high);
  REFUSES("lower", def.lower = lost);
  REFUSES("column_start", def.column_start = start, def.row_index = NULL);
  REFUSES("column_start", def.column_start = down, def.row_index = row);
  REFUSES("row_index", def.column_start = start, def.row_index = outside);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fischer_dense),
      cmocka_unit_test(fischer_sparse),
      cmocka_unit_test(min_dense),
      cmocka_unit_test(min_sparse),
      cmocka_unit_test(published_problems_in_hostile_units),
      cmocka_unit_test(derivatives_are_right),
      cmocka_unit_test(sparse_and_dense_agree),
      cmocka_unit_test(warm_start_is_quick),
      cmocka_unit_test(good_start_costs_one_evaluation),
      cmocka_unit_test(solving_takes_no_memory),
      cmocka_unit_test(history_leaves_no_trace),
      cmocka_unit_test(every_failing_allocation_is_told),
      cmocka_unit_test(random_monotone_problems_are_solved),
      cmocka_unit_test(resized_solver_gives_the_same_bits),
      cmocka_unit_test(natural_residual_by_hand),
      cmocka_unit_test(undefined_and_unfinished_are_outcomes),
      cmocka_unit_test(wrong_definitions_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
