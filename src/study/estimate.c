#include "study/estimate.h"

#include "math/elementary.h"
#include "math/jacobi.h"

#include <math.h>
#include <string.h>

double ff_fit_value(const ff_fit_parameter *p, double x) {
  return p->log ? p->low * ff_pow(p->high / p->low, x) : p->low + (p->high - p->low) * x;
}

double ff_fit_unknown(const ff_fit_parameter *p, double value) {
  return p->log ? ff_log(value / p->low) / ff_log(p->high / p->low)
                : (value - p->low) / (p->high - p->low);
}

double ff_sum_products(const double *a, const double *b, long count) {
  double sum = 0;
  for (long i = 0; i < count; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

/* Quantile 0.975 of Student's distribution: expansion in 1/degrees (Abramowitz and Stegun 26.7.5).
 */
static double estimate_student(double degrees) {
  double z = 1.959963984540054, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
  double n = degrees > 1 ? degrees : 1;
  return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n);
}

typedef struct estimate_spread {
  int n;
  double *inverse;   /* n^2, of J^T J; rows of unknowns at bounds are 0 */
  double *clustered; /* n^2, covariance */
  double *flat;      /* n */
  double flat_deviation;
  bool *bound; /* n */
} estimate_spread;

static bool estimate_is_at_bound(double x) {
  return x < 1e-4 || x > 1 - 1e-4;
}

/* Inverse of J^T J by its eigenvalues; an unknown at a bound counts as known. */
static void estimate_invert(const ff_minimum *at, estimate_spread *to, double *a, double *axes) {
  int n = to->n;
  for (int p = 0; p < n; p++) {
    for (int q = 0; q < n; q++) {
      bool apart = to->bound[p] || to->bound[q];
      a[p * n + q] = apart ? (p == q ? 1e300 : 0)
                           : ff_sum_products(at->j + p * at->rows, at->j + q * at->rows, at->rows);
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

/* out = a b, n x n by rows. */
static void estimate_multiply(const double *a, const double *b, int n, double *out) {
  for (int i = 0; i < n * n; i++) {
    double sum = 0;
    for (int k = 0; k < n; k++) {
      sum += a[(i / n) * n + k] * b[k * n + i % n];
    }
    out[i] = sum;
  }
}

/* Covariance if only clusters are independent: A^-1 (sum g g^T) A^-1, g = J_u^T r_u. */
static void estimate_cluster(const ff_minimum *at, estimate_spread *to, double *sums, double *room,
                             double *g) {
  int n = to->n;
  memset(sums, 0, (size_t)(n * n) * sizeof *sums);
  for (int u = 0; u < at->clusters; u++) {
    long first = at->first[u], count = at->first[u + 1] - first;
    for (int k = 0; k < n; k++) {
      const double *column = at->j + k * at->rows + first;
      g[k] = to->bound[k] ? 0 : ff_sum_products(column, at->r + first, count);
    }
    for (int i = 0; i < n * n; i++) {
      sums[i] += g[i / n] * g[i % n];
    }
  }
  estimate_multiply(to->inverse, sums, n, room);
  estimate_multiply(room, to->inverse, n, to->clustered);
  for (int i = 0; i < n * n; i++) {
    to->clustered[i] *= (double)at->clusters / (at->clusters - 1);
  }
}

static void estimate_fill(const ff_minimum *at, const estimate_spread *spread, double variance,
                          double degrees, ff_fit_estimate *out) {
  int n = spread->n;
  for (int k = 0; k < n; k++) {
    const ff_fit_parameter *p = at->parameters[k];
    double x = at->x[k], value = ff_fit_value(p, x);
    double half = estimate_student(degrees) * sqrt(variance * spread->inverse[k * n + k]);
    double wide = estimate_student(at->clusters - 1.0) * sqrt(spread->clustered[k * n + k]);
    bool bound = spread->bound[k];
    bool clustered = at->clusters >= 8 && at->trajectories[k] < 0 && !bound;
    out[k] = (ff_fit_estimate){.name = p->name,
                               .trajectory = at->trajectories[k],
                               .value = value,
                               .bound = {p->low, p->high},
                               .interval = {NAN, NAN},
                               .clustered = {NAN, NAN},
                               .at_bound = bound,
                               .unclear = 2 * half >= 1};
    if (!bound) {
      out[k].interval[0] = ff_fit_value(p, x - half);
      out[k].interval[1] = ff_fit_value(p, x + half);
    }
    if (clustered) {
      out[k].clustered[0] = ff_fit_value(p, x - wide);
      out[k].clustered[1] = ff_fit_value(p, x + wide);
    }
  }
}

static void estimate_criteria(ff_fit_outcome *out) {
  double n = (double)out->residuals, k = out->free + 1; /* the variance too */
  double likelihood = n * ff_log(out->sum / n);
  out->aicc = n > k + 1 ? likelihood + 2 * k + 2 * k * (k + 1) / (n - k - 1) : INFINITY;
  out->bic = likelihood + k * ff_log(n);
}

ff_status ff_minimum_describe(const ff_minimum *at, ff_fit_outcome *outcome, ff_arena *keep) {
  size_t n = (size_t)at->unknowns;
  ff_arena room = {0};
  double *a = ff_arena_take(&room, 2 * n * n + n, sizeof *a);
  estimate_spread spread = {.n = (int)n,
                            .inverse = ff_arena_take(&room, n * n, sizeof *a),
                            .clustered = ff_arena_take(&room, n * n, sizeof *a),
                            .bound = ff_arena_take(&room, n, sizeof(bool)),
                            .flat = ff_arena_take(keep, n, sizeof *a)};
  ff_fit_estimate *estimates = ff_arena_take(keep, n, sizeof *estimates);
  double *correlations = ff_arena_take(keep, n * n, sizeof *correlations);
  bool whole = a && spread.inverse && spread.clustered && spread.bound && spread.flat &&
               estimates && correlations;
  if (whole) {
    for (size_t k = 0; k < n; k++) {
      spread.bound[k] = estimate_is_at_bound(at->x[k]);
    }
    double degrees = (double)outcome->residuals - (double)n;
    double variance = outcome->sum / (degrees > 1 ? degrees : 1);
    estimate_invert(at, &spread, a, a + n * n);
    estimate_cluster(at, &spread, a, a + n * n, a + 2 * n * n);
    estimate_fill(at, &spread, variance, degrees, estimates);
    for (size_t i = 0; i < n * n; i++) {
      double scale = sqrt(spread.inverse[i / n * (n + 1)] * spread.inverse[i % n * (n + 1)]);
      correlations[i] = scale > 0 ? spread.inverse[i] / scale : 0;
    }
    outcome->flat = spread.flat;
    outcome->flat_deviation = sqrt(variance) * spread.flat_deviation;
    outcome->estimates = estimates;
    outcome->estimate_count = (int)n;
    outcome->correlations = correlations;
    estimate_criteria(outcome);
  }
  ff_arena_free(&room);
  return whole ? FF_OK : FF_ERROR_MEMORY;
}
