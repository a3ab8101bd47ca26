/* Complementarity functions.
 *
 * Fischer-Burmeister [Fischer92]: phi(a, b) = a + b - sqrt(a^2 + b^2) is zero if and only if a >=
 * 0, b >= 0 and a b = 0; its square is smooth. Two bounds are nested as in [Billups95]: phi(x - l,
 * -phi(u - x, -f)). */
#include "solve/ncp.h"

#include <math.h>

typedef struct pair_value {
  double value, d_a, d_b;
} pair_value;

/* 1 - a/r with r = sqrt(a^2 + b^2), without cancellation. */
static double one_minus_ratio(double a, double b, double r) {
  return a > 0 ? b / (r + a) * (b / r) : 1 - a / r;
}

static pair_value fischer_burmeister(double a, double b) {
  double r = sqrt(a * a + b * b);
  if (r == 0) { /* nondifferentiable: the limit along a = b > 0 */
    double d = 1 - sqrt(0.5);
    return (pair_value){0, d, d};
  }
  double sum = a + b;
  double value = sum > 0 ? 2 * a * (b / (sum + r)) : sum - r;
  return (pair_value){value, one_minus_ratio(a, b, r), one_minus_ratio(b, a, r)};
}

/* Smoothed Fischer-Burmeister: a + b - sqrt(a^2 + b^2 + 2 s^2) is zero if and only if a > 0, b > 0
 * and a b = s^2 [Kanzow96]. */
static pair_value smoothed_fischer_burmeister(double a, double b, double s) {
  double rest = 2 * s * s, r = sqrt(a * a + b * b + rest), sum = a + b;
  return (pair_value){.value = sum > 0 ? (2 * a * b - rest) / (sum + r) : sum - r,
                      .d_a = a > 0 ? (b * b + rest) / (r * (r + a)) : 1 - a / r,
                      .d_b = b > 0 ? (a * a + rest) / (r * (r + b)) : 1 - b / r};
}

ff_ncp_row ff_ncp_fischer(double x, double f, double lower, double upper, double smooth) {
  if (lower == upper) { /* fixed unknown */
    return (ff_ncp_row){x - lower, 1, 0};
  }
  ff_ncp_row row = {f, 0, 1};
  if (isfinite(upper)) {
    pair_value p = smooth > 0 ? smoothed_fischer_burmeister(upper - x, -f, smooth)
                              : fischer_burmeister(upper - x, -f);
    row = (ff_ncp_row){-p.value, p.d_a, p.d_b};
  }
  if (isfinite(lower)) {
    pair_value p = smooth > 0 ? smoothed_fischer_burmeister(x - lower, row.value, smooth)
                              : fischer_burmeister(x - lower, row.value);
    row = (ff_ncp_row){p.value, p.d_a + p.d_b * row.d_x, p.d_b * row.d_f};
  }
  return row;
}

ff_ncp_row ff_ncp_min(double x, double f, double lower, double upper) {
  if (lower == upper || x - lower < f) {
    return (ff_ncp_row){x - lower, 1, 0};
  }
  if (x - upper > f) {
    return (ff_ncp_row){x - upper, 1, 0};
  }
  return (ff_ncp_row){f, 0, 1};
}

double ff_ncp_residual(int size, const double *z, const double *f, const double *lower,
                       const double *upper) {
  double worst = 0;
  for (int i = 0; i < size; i++) {
    double l = lower ? lower[i] : -INFINITY, u = upper ? upper[i] : INFINITY;
    double r = fabs(ff_ncp_min(z[i], f[i], l, u).value);
    worst = r <= worst || isnan(worst) ? worst : r; /* NAN propagates */
  }
  return worst;
}
