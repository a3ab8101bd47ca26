/* Small complementarity problems from the literature, and made to be nasty. */
#ifndef FF_TESTS_NCP_PROBLEMS_H
#define FF_TESTS_NCP_PROBLEMS_H

#include "testing.h"

enum { NCP_MAX = 32, NCP_STARTS = 6 };

/* jacobian: dense, by columns. */
typedef struct ncp_problem {
  const char *name;
  int size;
  int (*residual)(void *context, const double *z, double *f);
  int (*jacobian)(void *context, const double *z, double *j);
  double lower[NCP_MAX], upper[NCP_MAX];
  int start_count;
  double start[NCP_STARTS][NCP_MAX];
  bool none;                /* it has no solution */
  bool own_units;           /* in units a million times larger or smaller some starts fail */
  double solution[NCP_MAX]; /* if one is known */
  double known;             /* how well (absolute); 0: not known, or several */
} ncp_problem;

#define J(i, k) j[(i) + (k)*n]
#define UNUSED  (void)context

/* ---- Kojima and Shindo 1986, and Josephy 1979 ------------------------------------------ */

static int kojima_residual(const double *x, double *f, double a, double b, double c) {
  f[0] = 3 * x[0] * x[0] + 2 * x[0] * x[1] + 2 * x[1] * x[1] + x[2] + 3 * x[3] - 6;
  f[1] = 2 * x[0] * x[0] + x[0] + x[1] * x[1] + a * x[2] + 2 * x[3] - 2;
  f[2] = 3 * x[0] * x[0] + x[0] * x[1] + 2 * x[1] * x[1] + 2 * x[2] + b * x[3] - c;
  f[3] = x[0] * x[0] + 3 * x[1] * x[1] + 2 * x[2] + 3 * x[3] - 3;
  return 0;
}
static int kojima_jacobian(const double *x, double *j, double a, double b) {
  const int n = 4;
  const double rows[4][4] = {{6 * x[0] + 2 * x[1], 2 * x[0] + 4 * x[1], 1, 3},
                             {4 * x[0] + 1, 2 * x[1], a, 2},
                             {6 * x[0] + x[1], x[0] + 4 * x[1], 2, b},
                             {2 * x[0], 6 * x[1], 2, 3}};
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 4; k++) {
      J(i, k) = rows[i][k];
    }
  }
  return 0;
}
static int kojima_f(void *context, const double *z, double *f) {
  UNUSED;
  return kojima_residual(z, f, 10, 9, 9);
}
static int kojima_j(void *context, const double *z, double *j) {
  UNUSED;
  return kojima_jacobian(z, j, 10, 9);
}
static int josephy_f(void *context, const double *z, double *f) {
  UNUSED;
  return kojima_residual(z, f, 3, 3, 1);
}
static int josephy_j(void *context, const double *z, double *j) {
  UNUSED;
  return kojima_jacobian(z, j, 3, 3);
}
/* The same in units six orders of magnitude apart, rows as well as unknowns. */
static const double uneven[4] = {1e3, 1e-3, 1e2, 1e-2};
static int uneven_f(void *context, const double *z, double *f) {
  UNUSED;
  double x[4];
  for (int i = 0; i < 4; i++) {
    x[i] = z[i] / uneven[i];
  }
  kojima_residual(x, f, 10, 9, 9);
  for (int i = 0; i < 4; i++) {
    f[i] *= uneven[(i + 1) % 4];
  }
  return 0;
}
static int uneven_j(void *context, const double *z, double *j) {
  UNUSED;
  const int n = 4;
  double x[4];
  for (int i = 0; i < 4; i++) {
    x[i] = z[i] / uneven[i];
  }
  kojima_jacobian(x, j, 10, 9);
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 4; k++) {
      J(i, k) *= uneven[(i + 1) % 4] / uneven[k];
    }
  }
  return 0;
}

/* ---- Mathiesen 1987: a small economy ----------------------------------------------------- */

static int mathiesen_f(void *context, const double *z, double *f) {
  UNUSED;
  f[0] = -z[1] + z[2] + z[3];
  f[1] = z[0] - (4.5 * z[2] + 2.7 * z[3]) / (z[1] + 1);
  f[2] = 5 - z[0] - (0.5 * z[2] + 0.3 * z[3]) / (z[2] + 1);
  f[3] = 3 - z[0];
  return 0;
}
static int mathiesen_j(void *context, const double *z, double *j) {
  UNUSED;
  const int n = 4;
  double p = z[1] + 1, q = z[2] + 1;
  memset(j, 0, 16 * sizeof *j);
  J(0, 1) = -1, J(0, 2) = 1, J(0, 3) = 1;
  J(1, 0) = 1, J(1, 1) = (4.5 * z[2] + 2.7 * z[3]) / (p * p);
  J(1, 2) = -4.5 / p, J(1, 3) = -2.7 / p;
  J(2, 0) = -1, J(2, 2) = -0.5 / q + (0.5 * z[2] + 0.3 * z[3]) / (q * q), J(2, 3) = -0.3 / q;
  J(3, 0) = -1;
  return 0;
}

/* ---- Billups 1995: made to catch descents in a dip ---------------------------------------- */

static int billups_f(void *context, const double *z, double *f) {
  UNUSED;
  f[0] = (z[0] - 1) * (z[0] - 1) - 1.01;
  return 0;
}
static int billups_j(void *context, const double *z, double *j) {
  UNUSED;
  j[0] = 2 * (z[0] - 1);
  return 0;
}

/* ---- Nash-Cournot, five firms [Harker 1988]; powers: undefined for z < 0 ------------------ */

static const double firm_c[5] = {10, 8, 6, 4, 2}, firm_b[5] = {1.2, 1.1, 1.0, 0.9, 0.8};
static int nash_f(void *context, const double *z, double *f) {
  UNUSED;
  double total = 0, gamma = 1 / 1.1;
  for (int i = 0; i < 5; i++) {
    total += z[i];
  }
  double price = pow(5000, gamma) * pow(total, -gamma), slope = -gamma * price / total;
  for (int i = 0; i < 5; i++) {
    f[i] = firm_c[i] + pow(z[i] / 5, 1 / firm_b[i]) - price - z[i] * slope;
  }
  return 0;
}
static int nash_j(void *context, const double *z, double *j) {
  UNUSED;
  const int n = 5;
  double total = 0, gamma = 1 / 1.1;
  for (int i = 0; i < 5; i++) {
    total += z[i];
  }
  double price = pow(5000, gamma) * pow(total, -gamma), slope = -gamma * price / total;
  double bend = -(gamma + 1) * slope / total;
  for (int i = 0; i < 5; i++) {
    for (int k = 0; k < 5; k++) {
      J(i, k) = -slope - z[i] * bend;
    }
    J(i, i) += pow(z[i] / 5, 1 / firm_b[i] - 1) / (5 * firm_b[i]) - slope;
  }
  return 0;
}

/* ---- linear ones: F = M z + q ---------------------------------------------------------------- */

static double murty_entry(int i, int k) {
  return i == k ? 1 : k > i ? 2 : 0;
}
/* Fathi: the product of Murty's matrix with its transpose; badly conditioned. */
static double fathi_entry(int i, int k) {
  double sum = 0;
  for (int l = 0; l < 12; l++) {
    sum += murty_entry(i, l) * murty_entry(k, l);
  }
  return sum;
}
static void linear_f(int n, double (*entry)(int, int), const double *q, const double *z,
                     double *f) {
  for (int i = 0; i < n; i++) {
    f[i] = q[i];
    for (int k = 0; k < n; k++) {
      f[i] += entry(i, k) * z[k];
    }
  }
}
static void linear_j(int n, double (*entry)(int, int), double *j) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) {
      J(i, k) = entry(i, k);
    }
  }
}
#define LINEAR(name, n, ...)                                                                       \
  static int name##_f(void *context, const double *z, double *f) {                                 \
    static const double q[n] = __VA_ARGS__;                                                        \
    UNUSED;                                                                                        \
    linear_f(n, name##_entry, q, z, f);                                                            \
    return 0;                                                                                      \
  }                                                                                                \
  static int name##_j(void *context, const double *z, double *j) {                                 \
    UNUSED, (void)z;                                                                               \
    linear_j(n, name##_entry, j);                                                                  \
    return 0;                                                                                      \
  }
#define TABLE(name, n, ...)                                                                        \
  static double name##_entry(int i, int k) {                                                       \
    static const double m[n][n] = __VA_ARGS__;                                                     \
    return m[i][k];                                                                                \
  }

LINEAR(murty, 16, {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1})
LINEAR(fathi, 12, {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1})

static double uneven_murty_entry(int i, int k) {
  return murty_entry(i, k) * pow(10, (i % 5 - 2) * 3) * pow(10, (k % 3 - 1) * 4);
}
LINEAR(uneven_murty, 8, {-1e-6, -1e-3, -1, -1e3, -1e6, -1e-6, -1e-3, -1})

/* Hock and Schittkowski 35 and 76: conditions of optimality of quadratic programmes. */
TABLE(hs35, 4, {{4, 2, 2, 1}, {2, 4, 0, 1}, {2, 0, 2, 2}, {-1, -1, -2, 0}})
LINEAR(hs35, 4, {-8, -6, -4, 3})
TABLE(hs76, 7,
      {{2, 0, -1, 0, 1, 3, 0},
       {0, 1, 0, 0, 2, 1, -1},
       {-1, 0, 2, 1, 1, 2, -4},
       {0, 0, 1, 1, 1, -1, 0},
       {-1, -2, -1, -1, 0, 0, 0},
       {-3, -1, -2, 1, 0, 0, 0},
       {0, 1, 4, 0, 0, 0, 0}})
LINEAR(hs76, 7, {-1, -3, 1, -1, 5, 4, -1.5})

/* No solution: F is negative whatever z >= 0; the second one can be feasible in no row. */
TABLE(hopeless, 1, {{0}})
LINEAR(hopeless, 1, {-1})
TABLE(falling, 2, {{-1, 0}, {0, 1}})
LINEAR(falling, 2, {-1, -1})
TABLE(at_odds, 2, {{1, -1}, {-1, 1}})
LINEAR(at_odds, 2, {-1, -1})

/* Many solutions: every point of a half-line, of a segment, of the whole quadrant. */
TABLE(ray, 2, {{1, -1}, {-1, 1}})
LINEAR(ray, 2, {0, 0})
TABLE(segment, 2, {{1, 1}, {1, 1}})
LINEAR(segment, 2, {-1, -1})
TABLE(anything, 3, {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}})
LINEAR(anything, 3, {0, 0, 0})
/* Two solutions, (1, 0) and (0, 1), and a third between them. */
TABLE(choice, 2, {{1, 2}, {2, 1}})
LINEAR(choice, 2, {-1, -1})
/* z = 0 and F = 0 in every row at once. */
TABLE(degenerate, 3, {{2, 1, 0}, {1, 2, 1}, {0, 1, 2}})
LINEAR(degenerate, 3, {0, 0, 0})
/* A pivot that is zero: Newton's matrix is singular at the start. */
TABLE(skew, 4, {{0, 1, 0, 0}, {-1, 0, 0, 0}, {0, 0, 0, 2}, {0, 0, -2, 0}})
LINEAR(skew, 4, {-1, 1, -2, 3})
/* A box: one unknown ends at each bound, one in between, and one is fixed. */
TABLE(box, 4, {{4, -1, 0, 1}, {-1, 4, -1, 0}, {0, -1, 4, -1}, {0, 0, -1, 4}})
LINEAR(box, 4, {-20, 1, 20, 3})

/* ---- curved ones --------------------------------------------------------------------------------
 */

/* Hock and Schittkowski 71: 1 <= x <= 5 on both sides, one inequality, one equation. */
static int hs71_f(void *context, const double *z, double *f) {
  UNUSED;
  double a = z[0], b = z[1], c = z[2], d = z[3], u = z[4], v = z[5];
  f[0] = d * (2 * a + b + c) - u * b * c * d + 2 * v * a;
  f[1] = a * d - u * a * c * d + 2 * v * b;
  f[2] = a * d + 1 - u * a * b * d + 2 * v * c;
  f[3] = a * (a + b + c) - u * a * b * c + 2 * v * d;
  f[4] = a * b * c * d - 25;
  f[5] = a * a + b * b + c * c + d * d - 40;
  return 0;
}
static int hs71_j(void *context, const double *z, double *j) {
  UNUSED;
  const int n = 6;
  double a = z[0], b = z[1], c = z[2], d = z[3], u = z[4], v = z[5];
  const double rows[6][6] = {
      {2 * d + 2 * v, d - u * c * d, d - u * b * d, 2 * a + b + c - u * b * c, -b * c * d, 2 * a},
      {d - u * c * d, 2 * v, -u * a * d, a - u * a * c, -a * c * d, 2 * b},
      {d - u * b * d, -u * a * d, 2 * v, a - u * a * b, -a * b * d, 2 * c},
      {2 * a + b + c - u * b * c, a - u * a * c, a - u * a * b, 2 * v, -a * b * c, 2 * d},
      {b * c * d, a * c * d, a * b * d, a * b * c, 0, 0},
      {2 * a, 2 * b, 2 * c, 2 * d, 0, 0}};
  for (int i = 0; i < 6; i++) {
    for (int k = 0; k < 6; k++) {
      J(i, k) = rows[i][k];
    }
  }
  return 0;
}

/* Equations only. Powell's function: the Jacobian is singular at the solution. */
static int powell_f(void *context, const double *z, double *f) {
  UNUSED;
  f[0] = z[0] + 10 * z[1];
  f[1] = sqrt(5) * (z[2] - z[3]);
  f[2] = (z[1] - 2 * z[2]) * (z[1] - 2 * z[2]);
  f[3] = sqrt(10) * (z[0] - z[3]) * (z[0] - z[3]);
  return 0;
}
static int powell_j(void *context, const double *z, double *j) {
  UNUSED;
  const int n = 4;
  double p = 2 * (z[1] - 2 * z[2]), q = 2 * sqrt(10) * (z[0] - z[3]);
  memset(j, 0, 16 * sizeof *j);
  J(0, 0) = 1, J(0, 1) = 10, J(1, 2) = sqrt(5), J(1, 3) = -sqrt(5);
  J(2, 1) = p, J(2, 2) = -2 * p, J(3, 0) = q, J(3, 3) = -q;
  return 0;
}
static int rosenbrock_f(void *context, const double *z, double *f) {
  UNUSED;
  f[0] = 10 * (z[1] - z[0] * z[0]);
  f[1] = 1 - z[0];
  return 0;
}
static int rosenbrock_j(void *context, const double *z, double *j) {
  UNUSED;
  j[0] = -20 * z[0], j[1] = -1, j[2] = 10, j[3] = 0;
  return 0;
}
/* No root at all. */
static int rootless_f(void *context, const double *z, double *f) {
  UNUSED;
  f[0] = z[0] * z[0] + 1;
  return 0;
}
static int rootless_j(void *context, const double *z, double *j) {
  UNUSED;
  j[0] = 2 * z[0];
  return 0;
}
/* A triple root: Newton converges, but slowly. */
static int triple_f(void *context, const double *z, double *f) {
  UNUSED;
  f[0] = (z[0] - 1) * (z[0] - 1) * (z[0] - 1);
  return 0;
}
static int triple_j(void *context, const double *z, double *j) {
  UNUSED;
  j[0] = 3 * (z[0] - 1) * (z[0] - 1);
  return 0;
}
/* Not defined for z <= 0, as the callback says itself. */
static int logarithm_f(void *context, const double *z, double *f) {
  UNUSED;
  f[0] = z[0] > 0 ? log(z[0]) : 0;
  return z[0] > 0 ? 0 : 1;
}
static int logarithm_j(void *context, const double *z, double *j) {
  UNUSED;
  j[0] = 1 / z[0];
  return 0;
}

#undef J

/* ---- the set --------------------------------------------------------------------------------- */

#define FREE4                                                                                      \
  { -INFINITY, -INFINITY, -INFINITY, -INFINITY }
#define OPEN4                                                                                      \
  { INFINITY, INFINITY, INFINITY, INFINITY }
#define OPEN16                                                                                     \
  {                                                                                                \
    INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY,      \
        INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY                       \
  }
#define KOJIMA_STARTS                                                                              \
  .start_count = 6, .start = {{1, 1, 1, 1}, {0, 0, 0, 0}, {100, 100, 100, 100},                    \
                              {1, 0, 1, 0}, {1, 0, 0, 0}, {0, 1, 1, 0}}

static const ncp_problem ncp_problems[] = {
    {"kojima-shindo", 4, kojima_f, kojima_j, {0}, OPEN4, KOJIMA_STARTS},
    {"josephy",
     4,
     josephy_f,
     josephy_j,
     {0},
     OPEN4,
     KOJIMA_STARTS,
     .solution = {1.2247448713915890, 0, 0, 0.5},
     .known = 1e-8},
    {"uneven kojima-shindo",
     4,
     uneven_f,
     uneven_j,
     {0},
     OPEN4,
     .start_count = 3,
     .start = {{1e3, 1e-3, 1e2, 1e-2}, {0}, {1, 1, 1, 1}}},
    {"mathiesen",
     4,
     mathiesen_f,
     mathiesen_j,
     {0, 0.5, 0, 0},
     OPEN4,
     .start_count = 3,
     .start = {{1, 1, 1, 1}, {0, 0, 0, 0}, {3, 1, 0, 0.5}}},
    {"billups",
     1,
     billups_f,
     billups_j,
     {0},
     OPEN4,
     .start_count = 4,
     .start = {{0}, {0.1}, {5}, {1}},
     .solution = {2.0049875621120890},
     .known = 1e-8},
    {"nash-cournot",
     5,
     nash_f,
     nash_j,
     {0},
     OPEN16,
     .start_count = 3,
     .start = {{10, 10, 10, 10, 10}, {1, 1, 1, 1, 1}, {50, 40, 30, 20, 10}},
     .solution = {36.9325, 41.8181, 43.7066, 42.6592, 39.1790},
     .known = 1e-4},
    {"murty",
     16,
     murty_f,
     murty_j,
     {0},
     OPEN16,
     .start_count = 2,
     .start = {{0}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
     .solution = {[15] = 1},
     .known = 1e-8},
    {"fathi",
     12,
     fathi_f,
     fathi_j,
     {0},
     OPEN16,
     .start_count = 2,
     .start = {{0}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
     .solution = {[11] = 1},
     .known = 1e-6},
    {"uneven murty",
     8,
     uneven_murty_f,
     uneven_murty_j,
     {0},
     OPEN16,
     .start_count = 2,
     .start = {{0}, {1, 1, 1, 1, 1, 1, 1, 1}},
     .solution = {[7] = 1},
     .known = 1e-8},
    {"hs35",
     4,
     hs35_f,
     hs35_j,
     {0},
     OPEN4,
     .start_count = 2,
     .start = {{0}, {0.5, 0.5, 0.5, 0}},
     .solution = {4.0 / 3, 7.0 / 9, 4.0 / 9, 2.0 / 9},
     .known = 1e-8},
    {"hs76",
     7,
     hs76_f,
     hs76_j,
     {0},
     OPEN16,
     .start_count = 2,
     .start = {{0}, {0.5, 0.5, 0.5, 0.5, 0, 0, 0}},
     .solution = {3.0 / 11, 23.0 / 11, 0, 6.0 / 11, 5.0 / 11, 0, 0},
     .known = 1e-8},
    {"hs71",
     6,
     hs71_f,
     hs71_j,
     {1, 1, 1, 1, 0, -INFINITY},
     {5, 5, 5, 5, INFINITY, INFINITY},
     .start_count = 2,
     .start = {{1, 5, 5, 1, 0, 0}, {1, 4, 4, 1.5, 0.5, 0.1}}},
    {"no solution: constant",
     1,
     hopeless_f,
     hopeless_j,
     {0},
     OPEN4,
     .start_count = 2,
     .start = {{0}, {3}},
     .none = true},
    {"no solution: falling",
     2,
     falling_f,
     falling_j,
     {0},
     OPEN4,
     .start_count = 2,
     .start = {{0}, {3, 3}},
     .none = true},
    {"no solution: at odds",
     2,
     at_odds_f,
     at_odds_j,
     {0},
     OPEN4,
     .start_count = 2,
     .start = {{0}, {3, 1}},
     .none = true},
    {"no solution: rootless", 1, rootless_f, rootless_j, FREE4, OPEN4, .start_count = 2,
     .start = {{0}, {3}}, .none = true},
    {"many: ray", 2, ray_f, ray_j, {0}, OPEN4, .start_count = 2, .start = {{0, 5}, {-3, 1}}},
    {"many: segment",
     2,
     segment_f,
     segment_j,
     {0},
     OPEN4,
     .start_count = 3,
     .start = {{0, 0}, {5, 5}, {-1, 3}}},
    {"many: anything",
     3,
     anything_f,
     anything_j,
     {0},
     OPEN4,
     .start_count = 2,
     .start = {{1, 2, 3}, {-1, -2, 3}}},
    {"many: choice",
     2,
     choice_f,
     choice_j,
     {0},
     OPEN4,
     .start_count = 4,
     .start = {{0, 0}, {5, 5}, {1, 0.5}, {-1, -1}}},
    {"degenerate",
     3,
     degenerate_f,
     degenerate_j,
     {0},
     OPEN4,
     .start_count = 2,
     .start = {{1, 1, 1}, {-5, 0, 5}},
     .known = 1e-8},
    {"skew",
     4,
     skew_f,
     skew_j,
     {0},
     OPEN4,
     .start_count = 3,
     .start = {{0, 0, 0, 0}, {1, 1, 1, 1}, {-1, 5, -1, 5}},
     .solution = {1, 1, 1.5, 1},
     .known = 1e-8},
    {"box",
     4,
     box_f,
     box_j,
     {-1, -1, -1, 0.5},
     {1, 1, 1, 0.5},
     .start_count = 3,
     .start = {{0}, {1, 1, 1, 1}, {-9, 9, -9, 9}},
     .solution = {1, -0.25, -1, 0.5},
     .known = 1e-9},
    {"powell", 4, powell_f, powell_j, FREE4, OPEN4, .start_count = 2,
     .start = {{3, -1, 0, 1}, {10, 10, -10, -10}}, .known = 1e-4},
    {"rosenbrock", 2, rosenbrock_f, rosenbrock_j, FREE4, OPEN4, .start_count = 2,
     .start = {{-1.2, 1}, {0, 0}}, .solution = {1, 1}, .known = 1e-9},
    {"triple root",
     1,
     triple_f,
     triple_j,
     {0},
     OPEN4,
     .start_count = 2,
     .start = {{0}, {9}},
     .solution = {1},
     .known = 1e-3},
    {"logarithm",
     1,
     logarithm_f,
     logarithm_j,
     {0},
     OPEN4,
     .start_count = 3,
     .start = {{5}, {0.01}, {400}},
     .solution = {1},
     .known = 1e-9},
};
enum { NCP_PROBLEMS = sizeof ncp_problems / sizeof ncp_problems[0] };

#endif
