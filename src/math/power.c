#include "math/elementary.h"
#include "math/exp_log_parts.h"

#include <math.h>

/* 0: y is not an integer, 1: odd, 2: even. */
static int integer_parity(double y) {
  if (floor(y) != y) {
    return 0;
  }
  return fabs(y) < 0x1p53 && fmod(y, 2) != 0 ? 1 : 2;
}

/* x^y where x is 0, infinite or NAN, or y infinite or NAN. */
static double power_special(double x, double y) {
  if (isnan(x) || isnan(y)) {
    return x + y;
  }
  if (isinf(y)) {
    return fabs(x) == 1 ? 1 : (fabs(x) > 1) == (y > 0) ? INFINITY : 0;
  }
  double size = (x == 0) == (y > 0) ? 0 : INFINITY;
  return signbit(x) && integer_parity(y) == 1 ? -size : size;
}

/* exp(y log x), with both logarithm and product in two parts. */
double ff_pow(double x, double y) {
  if (y == 0 || x == 1) {
    return 1;
  }
  double a = fabs(x), sign = 1;
  if (!(a > 0 && a < INFINITY && fabs(y) < INFINITY)) {
    return power_special(x, y);
  }
  if (x < 0) {
    int parity = integer_parity(y);
    if (parity == 0) {
      return NAN;
    }
    sign = parity == 1 ? -1 : 1;
  }
  ff_double2 log_a = ff_log_pair(a, 0);
  double rough = y * log_a.hi;
  if (!(fabs(rough) < 1000)) {
    return rough > 0 ? sign * INFINITY : sign * 0.0;
  }
  if (fabs(rough) < 0x1p-60) {
    return sign;
  }
  ff_double2 p = exact_product(y, log_a.hi);
  return sign * ff_exp_join(ff_exp_split(p.hi, p.lo + y * log_a.lo));
}

/* A root to about 5 bits from the exponent, Halley's iteration to 26 bits, rounded so that its
 * square is exact, and a last Newton step [Kahan91]. */
double ff_cbrt(double x) {
  if (x == 0 || !(fabs(x) < INFINITY)) {
    return x;
  }
  double a = fabs(x), scale = 1;
  if (a < 0x1p-1000) {
    a *= 0x1p162;
    scale = 0x1p-54;
  } else if (a > 0x1p1000) {
    a *= 0x1p-162;
    scale = 0x1p54;
  }
  double root = double_from_bits(double_bits(a) / 3 + 0x2a9f7893782da1ce);
  for (int i = 0; i < 2; ++i) {
    double cube = root * root * root;
    root *= (cube + 2 * a) / (2 * cube + a);
  }
  root = double_upper_half(root);
  double ratio = a / (root * root);
  root += root * ((ratio - root) / (2 * root + ratio));
  return copysign(root * scale, x);
}

/* Square root of the exact sum of squares, of operands scaled by a power of two. */
double ff_hypot(double x, double y) {
  double a = fabs(x), b = fabs(y);
  if (a < b) {
    double kept = a;
    a = b;
    b = kept;
  }
  if (!(a < INFINITY && b < INFINITY)) {
    return isinf(x) || isinf(y) ? INFINITY : x + y;
  }
  if (b <= a * 0x1p-54) {
    return a + b;
  }
  double scale = 1;
  if (a > 0x1p500) {
    scale = 0x1p600;
  } else if (b < 0x1p-450) {
    scale = 0x1p-600;
  }
  a /= scale;
  b /= scale;
  ff_double2 aa = exact_product(a, a), bb = exact_product(b, b);
  ff_double2 sum = exact_sum_ordered(aa.hi, bb.hi);
  double root = sqrt(sum.hi);
  ff_double2 square = exact_product(root, root);
  double rest = ((sum.hi - square.hi) - square.lo) + (sum.lo + (aa.lo + bb.lo));
  return (root + 0.5 * rest / root) * scale;
}
