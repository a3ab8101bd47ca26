#include "math/double_bits.h"
#include "math/elementary.h"

#include <math.h>

static const double arc_table[9][2] = {
    /* atan(j/8) */
    {0x0.0p+0, 0x0.0p+0},
    {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
    {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
    {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
    {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
    {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
    {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
    {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
    {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
};

/* a of atan q = q + q^3 a(q^2), |q| < 0.0627; error 1.5e-16 */
static double arc_rest(double q) {
  double z = q * q, z2 = z * z;
  return -0x1.5555555555553p-2 + z * 0x1.9999999989f32p-3 +
         z2 * ((-0x1.249248a81f427p-3 + z * 0x1.c719bcc0b6ca1p-4) + z2 * -0x1.7148b7cc7a255p-4);
}

/* atan(y / x) for 0 <= y <= x, both in [2^-500, 2^500] or y zero: atan(j/8) + atan((y - c x) / (x +
 * c y)) with c = j/8 near y / x. */
static ff_double2 arc_octant(ff_double2 y, ff_double2 x) {
  int j = (int)(8 * (y.hi / x.hi) + 0.5);
  ff_double2 num = y, den = x;
  if (j > 0) {
    double c = j / 8.0, x_upper = double_upper_half(x.hi);
    /* y - c x without error: c times the halves of x is exact */
    ff_double2 less = exact_sum(y.hi - c * x_upper, -c * (x.hi - x_upper));
    num = exact_sum_ordered(less.hi, less.lo + (y.lo - c * x.lo));
    den = exact_sum_ordered(x.hi, c * y.hi);
    den.lo += x.lo;
  }
  ff_double2 q = pair_divide(num, den);
  ff_double2 sum = exact_sum(arc_table[j][0], q.hi);
  double rest = arc_table[j][1] + (q.lo + q.hi * q.hi * q.hi * arc_rest(q.hi));
  return exact_sum_ordered(sum.hi, sum.lo + rest);
}

static const double pi_hi = 0x1.921fb54442d18p+1, pi_lo = 0x1.1a62633145c07p-53;

/* Angle of the vector (x, y), both finite pairs, y >= 0, not both zero. */
static double arc_upper(ff_double2 y, ff_double2 x) {
  ff_double2 across = {fabs(x.hi), x.hi < 0 ? -x.lo : x.lo};
  double turned = 0, turned_lo = 0, sign = 1;
  if (y.hi > across.hi) { /* pi / 2 - atan(x / y) */
    ff_double2 kept = across;
    across = y;
    y = kept;
    turned = 0.5 * pi_hi;
    turned_lo = 0.5 * pi_lo;
    sign = x.hi < 0 ? 1 : -1;
  } else if (x.hi < 0) {
    turned = pi_hi;
    turned_lo = pi_lo;
    sign = -1;
  }
  if (y.hi < across.hi * 0x1p-60) {
    return turned > 0 ? turned + sign * (y.hi / across.hi) : y.hi / across.hi;
  }
  ff_double2 arc = arc_octant(y, across);
  ff_double2 sum = exact_sum(turned, sign * arc.hi);
  return sum.hi + (sum.lo + (turned_lo + sign * arc.lo));
}

/* Angles of vectors with an infinite component. */
static double arc_infinite(double y, double x) {
  double quarter = 0.25 * pi_hi;
  if (isinf(x)) {
    double turn = isinf(y) ? quarter : 0;
    return x > 0 ? turn : turn > 0 ? 3 * quarter : pi_hi;
  }
  return 2 * quarter;
}

double ff_atan2(double y, double x) {
  if (isnan(x) || isnan(y)) {
    return x + y;
  }
  double a = fabs(y), most = fmax(a, fabs(x));
  if (most == INFINITY) {
    return copysign(arc_infinite(a, x), y);
  }
  if (a == 0) {
    return copysign(signbit(x) ? pi_hi : 0, y);
  }
  if (most > 0x1p400 || most < 0x1p-400) {
    double scale = most > 1 ? 0x1p-600 : 0x1p600;
    if (most > 1 && a * scale < 0x1p-300 && x > 0) {
      return copysign(a / x, y); /* the quotient may be subnormal */
    }
    a *= scale;
    x *= scale;
  }
  return copysign(arc_upper((ff_double2){a, 0}, (ff_double2){x, 0}), y);
}

double ff_atan(double x) {
  return fabs(x) < 0x1p-28 ? x : ff_atan2(x, 1);
}

/* sqrt(1 - x^2) for |x| <= 1 */
static ff_double2 arc_other_leg(double x) {
  ff_double2 square = exact_product(x, x), left = exact_sum(1, -square.hi);
  left = exact_sum_ordered(left.hi, left.lo - square.lo);
  double root = sqrt(left.hi);
  if (root == 0) {
    return (ff_double2){0, 0};
  }
  ff_double2 product = exact_product(root, root);
  return exact_sum_ordered(root, 0.5 * (((left.hi - product.hi) - product.lo) + left.lo) / root);
}

double ff_asin(double x) {
  if (!(fabs(x) <= 1)) {
    return NAN;
  }
  if (fabs(x) < 0x1p-27) {
    return x;
  }
  return copysign(arc_upper((ff_double2){fabs(x), 0}, arc_other_leg(x)), x);
}

double ff_acos(double x) {
  if (!(fabs(x) <= 1)) {
    return NAN;
  }
  if (fabs(x) < 0x1p-60) {
    return 0.5 * pi_hi;
  }
  return x == 1 ? 0 : arc_upper(arc_other_leg(x), (ff_double2){x, 0});
}
