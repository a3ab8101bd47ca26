/* Bound-constrained quadratic programmes against enumeration, and in every kind of trouble. */
#include "footfall/qp.h"
#include "testing.h"

#include "base/memory.h"

enum { MOST = 32 };

typedef struct random_qp {
  ff_qp_problem problem;
  double h[MOST * MOST], g[MOST], a[MOST * MOST], b[MOST], lower[MOST], upper[MOST];
} random_qp;

static ff_qp *create(int size, int rows, int most) {
  ff_qp_def def = ff_qp_def_default();
  def.size = size;
  def.rows = rows;
  def.max_iterations = most;
  ff_qp *qp = NULL;
  assert_int_equal(ff_qp_create(&qp, &def, NULL), FF_OK);
  return qp;
}

/* H = B'B with B of `rank` rows, g = -B'c: always a minimum, singular if rank < n. */
static void fill_hessian(random_qp *q, int n, int rank, uint64_t *seed) {
  for (int k = 0; k < rank * n; k++) {
    q->a[k] = ff_random_in(seed, -1, 1);
  }
  for (int k = 0; k < rank; k++) {
    q->b[k] = ff_random_in(seed, -2, 2);
  }
  for (int i = 0; i < n; i++) {
    q->g[i] = 0;
    for (int k = 0; k < rank; k++) {
      q->g[i] -= q->a[k * n + i] * q->b[k];
    }
    for (int j = 0; j < n; j++) {
      q->h[i * n + j] = 0;
      for (int k = 0; k < rank; k++) {
        q->h[i * n + j] += q->a[k * n + i] * q->a[k * n + j];
      }
    }
  }
  q->problem = (ff_qp_problem){.size = n, .hessian = q->h, .gradient = q->g};
}

/* Of three kinds: none, one side, both; now and then none in between. */
static void fill_bounds(random_qp *q, int n, uint64_t *seed) {
  for (int i = 0; i < n; i++) {
    double kind = ff_random(seed), middle = ff_random_in(seed, -0.5, 0.5);
    q->lower[i] = kind < 0.2 ? -INFINITY : middle - ff_random_in(seed, 0, 0.5);
    q->upper[i] = kind > 0.1 && kind < 0.6 ? INFINITY : middle + ff_random_in(seed, 0, 0.5);
    if (kind > 0.95) {
      q->lower[i] = q->upper[i];
    }
  }
  q->problem.lower = q->lower;
  q->problem.upper = q->upper;
}

static double objective(const ff_qp_problem *p, const double *x) {
  double sum = 0;
  for (int i = 0; i < p->size; i++) {
    sum += p->gradient[i] * x[i];
    for (int j = 0; j < p->size; j++) {
      sum += 0.5 * p->hessian[i * p->size + j] * x[i] * x[j];
    }
  }
  return sum;
}

/* ---- every active set -------------------------------------------------------------------- */

/* Gauss with full row pivoting, m unknowns; false if singular. */
static bool eliminate(double *m, double *b, int n) {
  for (int k = 0; k < n; k++) {
    int at = k;
    for (int i = k + 1; i < n; i++) {
      at = fabs(m[i * n + k]) > fabs(m[at * n + k]) ? i : at;
    }
    if (fabs(m[at * n + k]) < 1e-9) {
      return false;
    }
    for (int j = 0; j < n; j++) {
      double held = m[k * n + j];
      m[k * n + j] = m[at * n + j];
      m[at * n + j] = held;
    }
    double held = b[k];
    b[k] = b[at];
    b[at] = held;
    for (int i = k + 1; i < n; i++) {
      double f = m[i * n + k] / m[k * n + k];
      for (int j = k; j < n; j++) {
        m[i * n + j] -= f * m[k * n + j];
      }
      b[i] -= f * b[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) {
      b[k] -= m[k * n + j] * b[j];
    }
    b[k] /= m[k * n + k];
  }
  return true;
}

/* The stationary point of one choice of free, low and high; false: none, or not in the box. */
static bool face_minimum(const ff_qp_problem *p, const int *choice, double *x) {
  int n = p->size, free[MOST], count = 0;
  double m[MOST * MOST], b[MOST];
  for (int i = 0; i < n; i++) {
    x[i] = choice[i] == 1 ? p->lower[i] : p->upper[i];
    if (choice[i] == 0) {
      free[count++] = i;
      x[i] = 0;
    } else if (!isfinite(x[i])) {
      return false;
    }
  }
  for (int r = 0; r < count; r++) {
    b[r] = -p->gradient[free[r]];
    for (int j = 0; j < n; j++) {
      b[r] -= p->hessian[free[r] * n + j] * x[j];
    }
    for (int c = 0; c < count; c++) {
      m[r * count + c] = p->hessian[free[r] * n + free[c]];
    }
  }
  if (!eliminate(m, b, count)) {
    return false;
  }
  for (int r = 0; r < count; r++) {
    x[free[r]] = b[r];
    if (b[r] < p->lower[free[r]] - 1e-12 || b[r] > p->upper[free[r]] + 1e-12) {
      return false;
    }
  }
  return true;
}

/* The lowest stationary point of all faces: the minimum. */
static double enumerate(const ff_qp_problem *p, double *best) {
  int choice[MOST] = {0};
  double lowest = INFINITY, x[MOST];
  for (;;) {
    if (face_minimum(p, choice, x) && objective(p, x) < lowest) {
      lowest = objective(p, x);
      memcpy(best, x, (size_t)p->size * sizeof *x);
    }
    int i = 0;
    while (i < p->size && choice[i] == 2) {
      choice[i++] = 0;
    }
    if (i == p->size) {
      return lowest;
    }
    choice[i]++;
  }
}

static void check_in_box(const ff_qp_problem *p, const double *x) {
  for (int i = 0; i < p->size; i++) {
    assert_true((!p->lower || x[i] >= p->lower[i]) && (!p->upper || x[i] <= p->upper[i]));
  }
}

static void matches_enumeration(void **state) {
  (void)state;
  uint64_t seed = 11;
  random_qp q;
  ff_qp *qp = create(10, 0, 0);
  for (int round = 0; round < 400; round++) {
    int n = round < 398 ? 1 + round % 7 : 10;
    double x[MOST], best[MOST] = {0};
    fill_hessian(&q, n, n + 3, &seed);
    fill_bounds(&q, n, &seed);
    for (int i = 0; i < n; i++) {
      x[i] = ff_random_in(&seed, -1, 1);
    }
    ff_qp_info info = ff_qp_solve(qp, &q.problem, x);
    assert_int_equal(info.outcome, FF_QP_SOLVED);
    enumerate(&q.problem, best);
    check_in_box(&q.problem, x);
    for (int i = 0; i < n; i++) { /* condition of H up to some thousands */
      assert_close(x[i], best[i], 1e-10);
    }
  }
  ff_qp_destroy(&qp);
}

/* Singular: many minimisers, one minimum. */
static void matches_enumeration_when_singular(void **state) {
  (void)state;
  uint64_t seed = 21;
  random_qp q;
  ff_qp *qp = create(7, 0, 0);
  for (int round = 0; round < 300; round++) {
    int n = 3 + round % 5, rank = 1 + round % 3;
    double x[MOST] = {0}, best[MOST] = {0};
    fill_hessian(&q, n, rank, &seed);
    fill_bounds(&q, n, &seed);
    ff_qp_info info = ff_qp_solve(qp, &q.problem, x);
    assert_int_equal(info.outcome, FF_QP_SOLVED);
    assert_true(info.residual < 1e-12);
    check_in_box(&q.problem, x);
    /* Some face with a regular Hessian holds a minimiser, unless free unknowns have no bounds. */
    double lowest = enumerate(&q.problem, best);
    assert_true(objective(&q.problem, x) <= lowest + 1e-10);
  }
  ff_qp_destroy(&qp);
}

/* ---- least squares ------------------------------------------------------------------------- */

static void squares_agree_with_hessian(void **state) {
  (void)state;
  uint64_t seed = 31;
  random_qp q;
  ff_qp *qp = create(12, 20, 0);
  for (int round = 0; round < 300; round++) {
    int n = 1 + round % 12, rows = 1 + round % 17;
    double lambda = round % 2 ? 0.1 : 0.0, x[MOST] = {0}, y[MOST] = {0};
    fill_hessian(&q, n, rows, &seed);
    fill_bounds(&q, n, &seed);
    for (int i = 0; i < n; i++) {
      q.h[i * n + i] += lambda;
    }
    ff_qp_problem squares = {.size = n,
                             .rows = rows,
                             .matrix = q.a,
                             .target = q.b,
                             .lambda = lambda,
                             .lower = q.lower,
                             .upper = q.upper};
    ff_qp_info one = ff_qp_solve(qp, &q.problem, x), two = ff_qp_solve(qp, &squares, y);
    assert_int_equal(one.outcome, FF_QP_SOLVED);
    assert_int_equal(two.outcome, FF_QP_SOLVED);
    assert_true(two.residual < 1e-12);
    /* the two residuals are one formula of two descriptions */
    assert_close(ff_qp_residual(&squares, x), one.residual, 1e-12);
    assert_close(objective(&q.problem, x), objective(&q.problem, y), 1e-11);
  }
  ff_qp_destroy(&qp);
}

/* Two columns at an angle of 1e-9: their products are alike to all digits, so that H is singular
 * to working precision; A is not. */
static void squares_keep_what_products_lose(void **state) {
  (void)state;
  const double a[6] = {1, 1, 1e-9, 0, 0, 1e-9}, b[3] = {3, 1e-9, 2e-9};
  double x[2] = {0, 0};
  ff_qp *qp = create(2, 3, 0);
  ff_qp_problem p = {.size = 2, .rows = 3, .matrix = a, .target = b};
  ff_qp_info info = ff_qp_solve(qp, &p, x);
  assert_int_equal(info.outcome, FF_QP_SOLVED);
  assert_close(x[0], 1, 1e-6); /* rounding of 1e-16 in columns 1e-9 apart */
  assert_close(x[1], 2, 1e-6);
  ff_qp_destroy(&qp);
}

/* ---- eight contacts -------------------------------------------------------------------------- */

/* Two rigid soles of four vertices under one body: A = J M^-1 J' has rank 6 of 24, as in the
 * paper's hyperstatic case. Unknowns are impulses, normal ones from 0 up. */
static void fill_contacts(random_qp *q, uint64_t *seed, double lambda) {
  double j[24][6], lift = ff_random_in(seed, -0.05, 0.2);
  const double mass[6] = {1 / 0.03, 1 / 0.02, 1 / 0.02, 0.2, 0.2, 0.2}; /* its inverse */
  for (int c = 0; c < 8; c++) {
    double r[3] = {c & 1 ? 0.06 : -0.04, (c & 4 ? 0.069 : -0.009) - (c & 2 ? 0.06 : 0), -0.245};
    for (int d = 0; d < 3; d++) { /* velocity d of the vertex: omega x r + v */
      double *row = j[3 * c + d];
      memset(row, 0, 6 * sizeof *row);
      row[(d + 1) % 3] = r[(d + 2) % 3];
      row[(d + 2) % 3] = -r[(d + 1) % 3];
      row[3 + d] = 1;
    }
  }
  double v[6];
  for (int k = 0; k < 6; k++) {
    v[k] = ff_random_in(seed, -0.5, 0.5);
  }
  v[5] = -lift;
  for (int r = 0; r < 24; r++) {
    q->b[r] = 0;
    for (int k = 0; k < 6; k++) {
      q->b[r] -= j[r][k] * v[k];
    }
    for (int c = 0; c < 24; c++) {
      q->a[r * 24 + c] = 0;
      for (int k = 0; k < 6; k++) {
        q->a[r * 24 + c] += j[r][k] * mass[k] * j[c][k];
      }
    }
    q->lower[r] = r % 3 == 2 ? 0 : -INFINITY;
    q->upper[r] = INFINITY;
  }
  q->problem = (ff_qp_problem){.size = 24,
                               .rows = 24,
                               .matrix = q->a,
                               .target = q->b,
                               .lambda = lambda,
                               .lower = q->lower,
                               .upper = q->upper};
}

static void eight_contacts(void **state) {
  (void)state;
  uint64_t seed = 41;
  const double lambdas[] = {0, 1e-8, 0.01, 1, 7};
  random_qp q;
  ff_qp *qp = create(24, 24, 0);
  int most = 0;
  for (int round = 0; round < 500; round++) {
    double x[MOST] = {0};
    fill_contacts(&q, &seed, lambdas[round % 5]);
    ff_qp_info info = ff_qp_solve(qp, &q.problem, x);
    assert_int_equal(info.outcome, FF_QP_SOLVED);
    assert_true(info.scaled < 1e-12 && (info.scaled > 0) == (info.residual > 0));
    /* entries of A are some tens, of their products some thousands */
    assert_true(info.residual < 1e-10);
    check_in_box(&q.problem, x);
    most = info.iterations > most ? info.iterations : most;
  }
  assert_true(most <= 24);
  ff_qp_destroy(&qp);
}

/* The paper's lambda keeps the answer unique: however the search starts, it ends there. */
static void regularised_contacts_have_one_answer(void **state) {
  (void)state;
  uint64_t seed = 51;
  random_qp q;
  ff_qp *qp = create(24, 24, 0);
  for (int round = 0; round < 100; round++) {
    double x[MOST] = {0}, y[MOST];
    fill_contacts(&q, &seed, 0.01);
    for (int i = 0; i < 24; i++) {
      y[i] = ff_random_in(&seed, -1, 1);
    }
    ff_qp_solve(qp, &q.problem, x);
    ff_qp_solve(qp, &q.problem, y);
    for (int i = 0; i < 24; i++) { /* A'A + 0.01 has a condition of about 1e8 */
      assert_close(x[i], y[i], 1e-10);
    }
  }
  ff_qp_destroy(&qp);
}

/* ---- trouble --------------------------------------------------------------------------------- */

static void no_curvature_at_all(void **state) {
  (void)state;
  const double h[9] = {0}, g[3] = {1, -2, 0}, lower[3] = {-1, -1, -1}, upper[3] = {2, 2, 2};
  double x[3] = {0, 0, 0.5};
  ff_qp *qp = create(3, 0, 0);
  ff_qp_problem p = {.size = 3, .hessian = h, .gradient = g, .lower = lower, .upper = upper};
  assert_int_equal(ff_qp_solve(qp, &p, x).outcome, FF_QP_SOLVED);
  assert_true(x[0] == -1 && x[1] == 2 && x[2] == 0.5);
  ff_qp_destroy(&qp);
}

/* (x - y)^2 - x - y falls for ever along (1, 1), unless one of them is held. */
static void unbounded_is_said(void **state) {
  (void)state;
  const double h[4] = {2, -2, -2, 2}, g[2] = {-1, -1};
  const double lower[2] = {0, -INFINITY}, upper[2] = {INFINITY, 3};
  double x[2] = {0.3, 0.1};
  ff_qp *qp = create(2, 0, 0);
  ff_qp_problem p = {.size = 2, .hessian = h, .gradient = g};
  ff_qp_info info = ff_qp_solve(qp, &p, x);
  assert_int_equal(info.outcome, FF_QP_UNBOUNDED);
  assert_true(info.residual > 0.5 && isfinite(x[0]) && isfinite(x[1]));
  p.lower = lower;
  assert_int_equal(ff_qp_solve(qp, &p, x).outcome, FF_QP_UNBOUNDED);
  p.upper = upper;
  assert_int_equal(ff_qp_solve(qp, &p, x).outcome, FF_QP_SOLVED);
  assert_close(x[1], 3, 0);
  assert_close(x[0], 3.5, 1e-14); /* 2 (x - 3) = 1 */
  ff_qp_destroy(&qp);
}

/* Random singular problems with a slope along the null space and nothing to stop them. */
static void unbounded_is_said_of_random_ones(void **state) {
  (void)state;
  uint64_t seed = 61;
  random_qp q;
  ff_qp *qp = create(12, 0, 0);
  for (int round = 0; round < 200; round++) {
    int n = 2 + round % 11;
    double x[MOST] = {0};
    fill_hessian(&q, n, n - 1, &seed);
    q.g[round % n] += 0.1;
    assert_int_equal(ff_qp_solve(qp, &q.problem, x).outcome, FF_QP_UNBOUNDED);
  }
  ff_qp_destroy(&qp);
}

static void all_fixed(void **state) {
  (void)state;
  uint64_t seed = 71;
  random_qp q;
  ff_qp *qp = create(8, 0, 0);
  double x[MOST] = {0};
  fill_hessian(&q, 8, 8, &seed);
  for (int i = 0; i < 8; i++) {
    q.lower[i] = q.upper[i] = ff_random_in(&seed, -1, 1);
  }
  q.problem.lower = q.lower;
  q.problem.upper = q.upper;
  ff_qp_info info = ff_qp_solve(qp, &q.problem, x);
  assert_int_equal(info.outcome, FF_QP_SOLVED);
  assert_int_equal(info.iterations, 0);
  assert_int_equal(info.free, 0);
  assert_memory_equal(x, q.lower, 8 * sizeof *x);
  ff_qp_destroy(&qp);
}

/* Every multiplier is zero at the solution: the unconstrained minimum lies in a corner. */
static void degenerate_corner(void **state) {
  (void)state;
  uint64_t seed = 81;
  random_qp q;
  ff_qp *qp = create(16, 0, 0);
  for (int round = 0; round < 200; round++) {
    int n = 2 + round % 15;
    double x[MOST], corner[MOST];
    fill_hessian(&q, n, n + 4, &seed);
    fill_bounds(&q, n, &seed);
    for (int i = 0; i < n; i++) {
      q.lower[i] = isfinite(q.lower[i]) ? q.lower[i] : -1;
      corner[i] = q.lower[i];
      x[i] = ff_random_in(&seed, -1, 1);
    }
    for (int i = 0; i < n; i++) {
      q.g[i] = 0;
      for (int j = 0; j < n; j++) {
        q.g[i] -= q.h[i * n + j] * corner[j];
      }
    }
    ff_qp_info info = ff_qp_solve(qp, &q.problem, x);
    assert_int_equal(info.outcome, FF_QP_SOLVED);
    for (int i = 0; i < n; i++) {
      assert_close(x[i], corner[i], 1e-12); /* slopes of 1e-15, conditions of up to 1e3 */
    }
  }
  ff_qp_destroy(&qp);
}

/* Small whole numbers everywhere: ties, zero multipliers and dependent columns all at once. */
static void whole_numbers(void **state) {
  (void)state;
  uint64_t seed = 85;
  random_qp q;
  ff_qp *qp = create(24, 30, 0);
  for (int round = 0; round < 2000; round++) {
    int n = 1 + round % 24, rows = 1 + round % 30;
    double x[MOST] = {0}, y[MOST] = {0};
    fill_hessian(&q, n, 0, &seed);
    for (int k = 0; k < rows * n; k++) {
      q.a[k] = floor(ff_random_in(&seed, -2, 3));
    }
    for (int k = 0; k < rows; k++) {
      q.b[k] = floor(ff_random_in(&seed, -2, 3));
      for (int i = 0; i < n; i++) {
        q.g[i] -= q.a[k * n + i] * q.b[k];
        for (int j = 0; j < n; j++) {
          q.h[i * n + j] += q.a[k * n + i] * q.a[k * n + j];
        }
      }
    }
    for (int i = 0; i < n; i++) {
      double kind = ff_random(&seed);
      q.lower[i] = kind < 0.2 ? -INFINITY : -floor(ff_random_in(&seed, 0, 3));
      q.upper[i] = kind > 0.1 && kind < 0.5 ? INFINITY : floor(ff_random_in(&seed, 0, 3));
    }
    q.problem.lower = q.lower;
    q.problem.upper = q.upper;
    ff_qp_problem squares = {
        .size = n, .rows = rows, .matrix = q.a, .target = q.b, .lower = q.lower, .upper = q.upper};
    assert_int_equal(ff_qp_solve(qp, &q.problem, x).outcome, FF_QP_SOLVED);
    assert_int_equal(ff_qp_solve(qp, &squares, y).outcome, FF_QP_SOLVED);
    assert_true(ff_qp_residual(&q.problem, x) < 1e-11);
    assert_true(ff_qp_residual(&squares, y) < 1e-11);
    assert_close(objective(&q.problem, x), objective(&q.problem, y), 1e-11);
  }
  ff_qp_destroy(&qp);
}

/* Units twelve orders of magnitude apart make no difference but that of rounding. */
static void units_do_not_matter(void **state) {
  (void)state;
  uint64_t seed = 91;
  random_qp q, s;
  ff_qp *qp = create(12, 0, 0);
  for (int round = 0; round < 200; round++) {
    int n = 2 + round % 11;
    double x[MOST] = {0}, z[MOST] = {0}, unit[MOST];
    fill_hessian(&q, n, n + 2, &seed);
    fill_bounds(&q, n, &seed);
    s = q;
    s.problem.hessian = s.h, s.problem.gradient = s.g;
    s.problem.lower = s.lower, s.problem.upper = s.upper;
    for (int i = 0; i < n; i++) {
      unit[i] = pow(10, ff_random_in(&seed, -6, 6));
    }
    for (int i = 0; i < n; i++) {
      s.g[i] *= unit[i];
      s.lower[i] /= unit[i];
      s.upper[i] /= unit[i];
      for (int j = 0; j < n; j++) {
        s.h[i * n + j] *= unit[i] * unit[j];
      }
    }
    ff_qp_info one = ff_qp_solve(qp, &q.problem, x), two = ff_qp_solve(qp, &s.problem, z);
    assert_int_equal(one.outcome, FF_QP_SOLVED);
    assert_int_equal(two.outcome, FF_QP_SOLVED);
    for (int i = 0; i < n; i++) {
      assert_close(z[i] * unit[i], x[i], 1e-10);
    }
  }
  ff_qp_destroy(&qp);
}

/* Hilbert's matrix of 12 has a condition beyond what doubles can tell from singular. */
static void hilbert(void **state) {
  (void)state;
  double h[144], g[12], lower[12], x[12] = {0};
  for (int i = 0; i < 12; i++) {
    lower[i] = 0;
    g[i] = i % 2 ? 1 : -1;
    for (int j = 0; j < 12; j++) {
      h[i * 12 + j] = 1.0 / (1 + i + j);
    }
  }
  ff_qp *qp = create(12, 0, 0);
  ff_qp_problem p = {.size = 12, .hessian = h, .gradient = g, .lower = lower};
  ff_qp_info info = ff_qp_solve(qp, &p, x);
  assert_int_equal(info.outcome, FF_QP_SOLVED);
  assert_true(info.residual < 1e-11);
  ff_qp_destroy(&qp);
}

static void says_what_is_wrong(void **state) {
  (void)state;
  const double h[4] = {1, 0, 0, 1}, saddle[4] = {1, 2, 2, 1}, bowl[4] = {-1, 0, 0, 1};
  const double g[2] = {1, 1}, none[2] = {NAN, 0}, lower[2] = {0, 1}, upper[2] = {1, 0};
  double x[2] = {5, 6};
  ff_qp *qp = create(2, 0, 0);
  ff_qp_problem p = {.size = 2, .hessian = h, .gradient = g, .lower = lower, .upper = upper};
  assert_int_equal(ff_qp_solve(qp, &p, x).outcome, FF_QP_INFEASIBLE);
  p.upper = NULL;
  p.gradient = none;
  assert_int_equal(ff_qp_solve(qp, &p, x).outcome, FF_QP_UNDEFINED);
  p.gradient = g;
  p.size = 3;
  assert_int_equal(ff_qp_solve(qp, &p, x).outcome, FF_QP_UNDEFINED);
  assert_true(x[0] == 5 && x[1] == 6);
  p = (ff_qp_problem){.size = 2, .hessian = bowl, .gradient = g};
  assert_int_equal(ff_qp_solve(qp, &p, x).outcome, FF_QP_NOT_CONVEX);
  p.hessian = saddle;
  assert_int_equal(ff_qp_solve(qp, &p, x).outcome, FF_QP_NOT_CONVEX);
  assert_string_equal(ff_qp_outcome_text(FF_QP_UNBOUNDED), "unbounded");
  ff_qp_destroy(&qp);
}

static void definition_is_checked(void **state) {
  (void)state;
  ff_qp_def def = ff_qp_def_default();
  ff_qp *qp = NULL;
  ff_report report;
  assert_int_equal(ff_qp_create(&qp, &def, &report), FF_ERROR_INPUT);
  assert_string_equal(report.key, "size");
  def.size = 3;
  def.tolerance = NAN;
  assert_int_equal(ff_qp_create(&qp, &def, &report), FF_ERROR_INPUT);
  assert_string_equal(report.key, "tolerance");
  assert_null(qp);
}

/* ---- cost ------------------------------------------------------------------------------------ */

static void cap_is_respected(void **state) {
  (void)state;
  uint64_t seed = 101;
  random_qp q;
  ff_qp *one = create(24, 0, 1), *all = create(24, 0, 0);
  int reached = 0;
  for (int round = 0; round < 100; round++) {
    double x[MOST] = {0}, y[MOST] = {0};
    fill_hessian(&q, 24, 24, &seed);
    fill_bounds(&q, 24, &seed);
    ff_qp_info capped = ff_qp_solve(one, &q.problem, x), full = ff_qp_solve(all, &q.problem, y);
    assert_true(capped.iterations <= 1);
    assert_true(full.iterations <= 4 * 24 + 20);
    check_in_box(&q.problem, x); /* what was found so far is of use */
    reached += capped.outcome == FF_QP_ITERATIONS;
    assert_true(objective(&q.problem, x) >= objective(&q.problem, y) - 1e-10);
  }
  assert_true(reached > 90);
  ff_qp_destroy(&one);
  ff_qp_destroy(&all);
}

static void warm_start_saves_iterations(void **state) {
  (void)state;
  uint64_t seed = 111;
  random_qp q;
  ff_qp *qp = create(24, 0, 0);
  int cold = 0, warm = 0, again = 0;
  for (int round = 0; round < 200; round++) {
    double x[MOST] = {0}, y[MOST] = {0};
    fill_hessian(&q, 24, 24, &seed);
    fill_bounds(&q, 24, &seed);
    ff_qp_solve(qp, &q.problem, x);
    again += ff_qp_solve(qp, &q.problem, x).iterations;
    for (int i = 0; i < 24; i++) {
      q.g[i] += ff_random_in(&seed, -0.01, 0.01);
    }
    warm += ff_qp_solve(qp, &q.problem, x).iterations;
    cold += ff_qp_solve(qp, &q.problem, y).iterations;
  }
  assert_int_equal(again, 200); /* one solve each, to confirm */
  assert_true(2 * warm < cold);
  ff_qp_destroy(&qp);
}

static void same_bits_whatever_came_before(void **state) {
  (void)state;
  uint64_t seed = 121;
  random_qp q, other;
  ff_qp *fresh = create(24, 24, 0), *used = create(24, 24, 0);
  for (int round = 0; round < 50; round++) {
    double x[MOST] = {0}, y[MOST] = {0}, z[MOST] = {0};
    fill_hessian(&other, 10, 6, &seed);
    ff_qp_solve(used, &other.problem, z);
    fill_contacts(&q, &seed, round % 2 ? 0.01 : 0);
    ff_qp_solve(fresh, &q.problem, x);
    ff_qp_solve(used, &q.problem, y);
    assert_memory_equal(x, y, 24 * sizeof *x);
  }
  ff_qp_destroy(&fresh);
  ff_qp_destroy(&used);
}

static void solving_takes_no_memory(void **state) {
  (void)state;
  uint64_t seed = 131;
  random_qp q;
  ff_qp *qp = create(24, 24, 0);
  double x[MOST] = {0};
  fill_contacts(&q, &seed, 0.01);
  long before = ff_alloc_count();
  ff_qp_solve(qp, &q.problem, x);
  assert_int_equal(ff_alloc_count(), before);
  ff_qp_destroy(&qp);
}

static void survives_lack_of_memory(void **state) {
  (void)state;
  ff_qp_def def = ff_qp_def_default();
  def.size = 24;
  ff_status status = FF_ERROR_MEMORY;
  for (long n = 1; status != FF_OK; n++) {
    ff_qp *qp = NULL;
    ff_alloc_fail_at(n);
    status = ff_qp_create(&qp, &def, NULL);
    ff_alloc_fail_at(0);
    assert_true(status == FF_OK ? qp != NULL : status == FF_ERROR_MEMORY && !qp);
    ff_qp_destroy(&qp);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(matches_enumeration),
      cmocka_unit_test(matches_enumeration_when_singular),
      cmocka_unit_test(squares_agree_with_hessian),
      cmocka_unit_test(squares_keep_what_products_lose),
      cmocka_unit_test(eight_contacts),
      cmocka_unit_test(regularised_contacts_have_one_answer),
      cmocka_unit_test(no_curvature_at_all),
      cmocka_unit_test(unbounded_is_said),
      cmocka_unit_test(unbounded_is_said_of_random_ones),
      cmocka_unit_test(all_fixed),
      cmocka_unit_test(degenerate_corner),
      cmocka_unit_test(whole_numbers),
      cmocka_unit_test(units_do_not_matter),
      cmocka_unit_test(hilbert),
      cmocka_unit_test(says_what_is_wrong),
      cmocka_unit_test(definition_is_checked),
      cmocka_unit_test(cap_is_respected),
      cmocka_unit_test(warm_start_saves_iterations),
      cmocka_unit_test(same_bits_whatever_came_before),
      cmocka_unit_test(solving_takes_no_memory),
      cmocka_unit_test(survives_lack_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
