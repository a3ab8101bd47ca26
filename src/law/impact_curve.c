#include "law/impact_curve.h"

#include "math/vec.h"

/* With r = y / (2 + y), log(1+y) = 2 atanh(r) = 2 r + 2 r^3 (1/3 + r^2/5 + r^4/7 + ...).
 * This is the bracket; used for |r| <= 1/3, where 17 terms reach the last bit. */
static double atanh_tail(double r) {
  double r2 = r * r, sum = 0.0;
  for (int odd = 35; odd >= 3; odd -= 2) {
    sum = sum * r2 + 1.0 / odd;
  }
  return sum;
}

/* Where y - log(1+y) cancels: -1/2 <= y <= 1 is |r| <= 1/3. */
static bool needs_series(double y) {
  return y >= -0.5 && y <= 1.0;
}

double ff_impact_h(double y) {
  if (needs_series(y)) {
    double r = y / (2.0 + y);
    return 2.0 / (2.0 + y) * (1.0 - 2.0 * r * atanh_tail(r) / (2.0 + y));
  }
  return 2.0 * (y - ff_log1p(y)) / (y * y);
}

double ff_impact_one_minus_h(double y) {
  if (needs_series(y)) {
    double r = y / (2.0 + y);
    return r * (1.0 + 4.0 * atanh_tail(r) / ((2.0 + y) * (2.0 + y)));
  }
  return 1.0 - ff_impact_h(y);
}

/* y >= 0 from q >= 0: Newton's method on y - log(1+y) = q^2/2, which is convex, so that iterates
 * decrease after the first step. */
static double impact_solve_in(double q) {
  double goal = 0.5 * q * q;
  double y = q + goal; /* series: q + q^2/3 + ...; large q: q^2/2 + log */
  for (int i = 0; i < 60; i++) {
    double step = (0.5 * y * y * ff_impact_h(y) - goal) * (1.0 + y) / y;
    y -= step;
    if (fabs(step) <= 1e-16 * y) {
      break;
    }
  }
  return y;
}

/* p + exp(-p) - 1 for p >= 0, p^2/2 - p^3/6 + ... while that would cancel. */
static double decay_gap(double p) {
  if (p > 1.0) {
    return p + ff_expm1(-p);
  }
  double sum = 0.0;
  for (int j = 20; j >= 3; j--) {
    sum = (1.0 - sum) * p / j;
  }
  return 0.5 * p * p * (1.0 - sum);
}

/* -y in [0, 1) from -q > 0. With 1 + y = exp(-p) the equation is decay_gap(p) = q^2/2, which
 * stays well-posed however close y comes to -1. */
static double impact_solve_out(double q) {
  double goal = 0.5 * q * q;
  double p = goal < 1.0 ? q + goal / 3.0 : goal + 1.0;
  for (int i = 0; i < 60; i++) {
    double step = (decay_gap(p) - goal) / -ff_expm1(-p);
    p -= step;
    if (fabs(step) <= 1e-16 * p) {
      break;
    }
  }
  return -ff_expm1(-p);
}

double ff_impact_ratio(double q) {
  if (fabs(q) < 1e-8) { /* the series, whose next term q^2/36 is below the last bit */
    return 1.0 + q / 3.0;
  }
  return q > 0.0 ? impact_solve_in(q) / q : impact_solve_out(-q) / -q;
}
