/* Bits of doubles, and sums and products of doubles as unevaluated pairs [Dekker71]. */
#ifndef FF_MATH_DOUBLE_BITS_H
#define FF_MATH_DOUBLE_BITS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* hi + lo, with |lo| at most half a unit of hi's last place. */
typedef struct ff_double2 {
  double hi, lo;
} ff_double2;

static inline uint64_t double_bits(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
static inline double double_from_bits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}
/* 2^n for -1022 <= n <= 1023 */
static inline double double_power2(int n) {
  return double_from_bits((uint64_t)(n + 1023) << 52);
}
/* x with the lower 27 bits of its significand cleared: products of two such numbers are exact. */
static inline double double_upper_half(double x) {
  return double_from_bits(double_bits(x) & ~(uint64_t)0x7ffffff);
}
/* a + b without error. */
static inline ff_double2 exact_sum(double a, double b) {
  double s = a + b, part = s - a;
  return (ff_double2){s, (a - (s - part)) + (b - part)};
}
/* a + b without error if |a| >= |b| or a = 0. */
static inline ff_double2 exact_sum_ordered(double a, double b) {
  double s = a + b;
  return (ff_double2){s, b - (s - a)};
}
/* a b without error, if no part over- or underflows: for |a|, |b| < 2^996 and |a b| > 2^-968. By
 * halves instead of fma, which is a slow call where the processor lacks it. */
static inline ff_double2 exact_product(double a, double b) {
  double p = a * b, a_split = 134217729.0 * a, b_split = 134217729.0 * b;
  double a1 = a_split - (a_split - a), a2 = a - a1, b1 = b_split - (b_split - b), b2 = b - b1;
  return (ff_double2){p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2};
}
/* Quotient a / b, relative error about 2^-100. */
static inline ff_double2 pair_divide(ff_double2 a, ff_double2 b) {
  double q = a.hi / b.hi;
  ff_double2 p = exact_product(q, b.hi);
  return exact_sum_ordered(q, (((a.hi - p.hi) - p.lo) + a.lo - q * b.lo) / b.hi);
}

#endif
