#include "math/elementary.h"
#include "math/pi_reduction.h"

#include <math.h>

/* Sine and cosine of an angle in [-pi/4, pi/4], by polynomials of the argument's square. */

/* sin x = x + x^3 s(x^2); error of s 3.2e-17 */
static ff_double2 sine_pair(ff_double2 x) {
  double z = x.hi * x.hi, z2 = z * z;
  double s = (-0x1.5555555555555p-3 + z * 0x1.1111111110babp-7) +
             z2 * ((-0x1.a01a019e820aep-13 + z * 0x1.71de37946ed6dp-19) +
                   z2 * (-0x1.ae6008d114485p-26 + z * 0x1.5e0a4fc16be59p-33));
  double cube = z * x.hi;
  return (ff_double2){x.hi, cube * s + (x.lo - 0.5 * z * x.lo)};
}

/* cos x = 1 - x^2 / 2 + x^4 c(x^2); error of c 2.3e-18 */
static ff_double2 cosine_pair(ff_double2 x) {
  double z = x.hi * x.hi, z2 = z * z;
  double c = (0x1.5555555555555p-5 + z * -0x1.6c16c16c16963p-10) +
             z2 * ((0x1.a01a019f4ddfdp-16 + z * -0x1.27e4fa16cc2d1p-22) +
                   z2 * (0x1.1eeb67d026ec6p-29 + z * -0x1.907cd8ff5ede7p-37));
  double half = 0.5 * z, most = 1 - half;
  return (ff_double2){most, ((1 - most) - half) + (z2 * c - x.hi * x.lo)};
}

static double pair_value(ff_double2 a) {
  return a.hi + a.lo;
}

double ff_sin(double x) {
  if (!(fabs(x) < INFINITY)) {
    return NAN;
  }
  if (fabs(x) < 0x1p-27) {
    return x;
  }
  ff_reduced r = ff_reduce_angle(x);
  double value = pair_value(r.quarter & 1 ? cosine_pair(r.angle) : sine_pair(r.angle));
  return r.quarter & 2 ? -value : value;
}

double ff_cos(double x) {
  if (!(fabs(x) < INFINITY)) {
    return NAN;
  }
  ff_reduced r = ff_reduce_angle(x);
  double value = pair_value(r.quarter & 1 ? sine_pair(r.angle) : cosine_pair(r.angle));
  return (r.quarter + 1) & 2 ? -value : value;
}

void ff_sincos(double x, double *sine, double *cosine) {
  if (!(fabs(x) < INFINITY)) {
    *sine = *cosine = NAN;
    return;
  }
  ff_reduced r = ff_reduce_angle(x);
  double s = pair_value(sine_pair(r.angle)), c = pair_value(cosine_pair(r.angle));
  s = fabs(x) < 0x1p-27 ? x : s;
  double first = r.quarter & 1 ? c : s, second = r.quarter & 1 ? s : c;
  *sine = r.quarter & 2 ? -first : first;
  *cosine = (r.quarter + 1) & 2 ? -second : second;
}

double ff_tan(double x) {
  if (!(fabs(x) < INFINITY)) {
    return NAN;
  }
  if (fabs(x) < 0x1p-27) {
    return x;
  }
  ff_reduced r = ff_reduce_angle(x);
  ff_double2 s = sine_pair(r.angle), c = cosine_pair(r.angle);
  s = exact_sum_ordered(s.hi, s.lo);
  c = exact_sum_ordered(c.hi, c.lo);
  ff_double2 value = r.quarter & 1 ? pair_divide(c, s) : pair_divide(s, c);
  return r.quarter & 1 ? -pair_value(value) : pair_value(value);
}
