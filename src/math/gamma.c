#include "math/elementary.h"
#include "math/exact.h"

/* Stirling's series at x + n >= 15, divided by x (x + 1) ... (x + n - 1). */
double ff_gamma(double x) {
  static const double series[] = {1.0 / 12,   -1.0 / 360,        1.0 / 1260, -1.0 / 1680,
                                  1.0 / 1188, -691.0 / 360360.0, 1.0 / 156};
  if (!(x > 0)) {
    return NAN;
  }
  if (x > 171.7) {
    return INFINITY;
  }
  double steps = ceil(15 - x);
  ff_double2 product = {1, 0}, sum = exact_sum(x, steps > 0 ? steps : 0);
  for (int i = 0; i < steps; ++i) {
    product = pair_mul(product, exact_sum(x, i));
  }
  double y = sum.hi, rest = 0, per_square = 1 / (y * y);
  for (int i = 6; i >= 0; --i) {
    rest = series[i] + per_square * rest;
  }
  /* y^(y - 1/2) in two factors, which do not overflow */
  double root = ff_pow(y, 0.5 * y - 0.25), half = root * ff_exp(-y) * 0x1.40d931ff62706p+1;
  return half * ff_exp(rest / y + sum.lo * ff_log(y)) * root / product.hi;
}
