#include "math/elementary.h"
#include "math/exact.h"
#include "math/exp_log_parts.h"

/* Hyperbolic functions from pairs of exp(x) - 1 and exp(x). */

/* exp(x) / 2 for 20 <= x < 1000 */
static double half_exp(double x) {
  ff_exp_parts e = ff_exp_split(x, 0);
  e.power -= 1;
  return ff_exp_join(e);
}

/* (e + e / (e + 1)) / 2, e = exp(x) - 1 */
double ff_sinh(double x) {
  double a = fabs(x);
  if (!(a >= 0x1p-28 && a < 1000)) {
    return a < 1 || isnan(x) ? x : copysign(INFINITY, x);
  }
  if (a >= 40) {
    return copysign(half_exp(a), x);
  }
  ff_double2 e = ff_expm1_pair(a),
             sum = pair_add(e, pair_divide(e, pair_add(e, (ff_double2){1, 0})));
  return copysign(0.5 * sum.hi, x);
}

double ff_cosh(double x) {
  double a = fabs(x);
  if (!(a < 1000)) {
    return isnan(x) ? x : INFINITY;
  }
  if (a >= 40) {
    return half_exp(a);
  }
  ff_double2 e = ff_exp_pair(ff_exp_split(a, 0));
  return 0.5 * pair_add(e, pair_divide((ff_double2){1, 0}, e)).hi;
}

/* e / (e + 2), e = exp(2 x) - 1 */
double ff_tanh(double x) {
  double a = fabs(x);
  if (!(a >= 0x1p-28 && a < 20)) {
    return a < 1 || isnan(x) ? x : copysign(1, x);
  }
  ff_double2 e = ff_expm1_pair(2 * a);
  return copysign(pair_divide(e, pair_add(e, (ff_double2){2, 0})).hi, x);
}

/* log(x + sqrt(1 + x^2)) */
double ff_asinh(double x) {
  double a = fabs(x);
  if (!(a >= 0x1p-28 && a < INFINITY)) {
    return x;
  }
  if (a > 0x1p28) {
    ff_double2 ln2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
    return copysign(pair_add(ff_log_pair(a, 0), ln2).hi, x);
  }
  ff_double2 square = pair_add(exact_product(a, a), (ff_double2){1, 0});
  ff_double2 sum = pair_add(pair_sqrt(square), (ff_double2){a, 0});
  return copysign(ff_log_pair(sum.hi, sum.lo).hi, x);
}
