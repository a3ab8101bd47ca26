#include "math/pi_reduction.h"

#include <math.h>

/* Bits of 2 / pi after the point, 32 a word. */
static const uint32_t two_per_pi[] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
    0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e,
    0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b,
    0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7,
    0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1,
    0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d, 0xa9e39161, 0x5ee61b08,
};
enum { WORDS = 8, LIMBS = WORDS + 2 };

/* Payne and Hanek's reduction [Payne83]: of the product of x = m 2^e, m < 2^53, and 2 / pi, only
 * the words that count modulo 4 and to 2^-108 of the smallest remainder are computed, in integers.
 */
static ff_reduced reduce_large(double x) {
  uint64_t bits = double_bits(x), m = (bits & 0xfffffffffffff) | 0x10000000000000;
  int e = (int)(bits >> 52 & 0x7ff) - 1075, first = e > 2 ? (e - 2) / 32 : 0;
  int fraction = 32 * (first + WORDS) - e; /* bits of the product after its point */
  uint32_t product[LIMBS + 1] = {0};       /* least significant first */
  for (int half = 0; half < 2; ++half) {
    uint64_t factor = half ? m >> 32 : m & 0xffffffff, carry = 0;
    for (int j = 0; j < WORDS; ++j) {
      carry += factor * two_per_pi[first + WORDS - 1 - j] + product[j + half];
      product[j + half] = (uint32_t)carry;
      carry >>= 32;
    }
    product[WORDS + half] = (uint32_t)carry;
  }
  int limb = fraction / 32, bit = fraction % 32;
  uint64_t top = product[limb] | (uint64_t)product[limb + 1] << 32;
  int n = (int)(top >> bit & 3);
  product[limb] &= bit ? 0xffffffffU >> (32 - bit) : 0;
  uint32_t highest = bit ? product[limb] >> (bit - 1) : product[limb - 1] >> 31;
  ff_double2 part = {0, 0};
  uint64_t borrow = 0;
  double size = 1;
  for (int i = 0, power = -fraction; i <= limb; ++i, power += 32) {
    uint64_t word = product[i];
    if (highest & 1) { /* at least one half: the remainder to the next integer, negative */
      uint64_t whole = i < limb ? (uint64_t)1 << 32 : (uint64_t)1 << bit;
      uint64_t less = word + borrow;
      word = i < limb ? (less ? whole - less : 0) : whole - less;
      borrow = less != 0;
    }
    size = double_power2(power < -1000 ? -1000 : power);
    ff_double2 sum = exact_sum((double)word * size, part.hi);
    part = exact_sum_ordered(sum.hi, sum.lo + part.lo);
  }
  double sign = (highest & 1) != 0 ? -1 : 1;
  sign = x < 0 ? -sign : sign;
  ff_double2 angle = exact_product(part.hi, 0x1.921fb54442d18p+0);
  angle.lo += part.hi * 0x1.1a62633145c07p-54 + part.lo * 0x1.921fb54442d18p+0;
  angle = exact_sum_ordered(angle.hi, angle.lo);
  n += (int)(highest & 1);
  return (ff_reduced){{sign * angle.hi, sign * angle.lo}, (x < 0 ? -n : n) & 3};
}

/* Three parts of pi / 2, the first two of 33 bits, so that their multiples are exact [Cody80]. */
ff_reduced ff_reduce_angle(double x) {
  if (fabs(x) < 0x1.921fb54442d18p-1) {
    return (ff_reduced){{x, 0}, 0};
  }
  if (fabs(x) > 0x1p20) {
    return reduce_large(x);
  }
  double shifted = x * 0x1.45f306dc9c883p-1 + 0x1.8p52, n = shifted - 0x1.8p52;
  ff_double2 first = exact_sum(x - n * 0x1.921fb544p+0, -n * 0x1.0b4611a6p-34);
  double rest = first.lo - n * 0x1.3198a2e037073p-69;
  return (ff_reduced){exact_sum_ordered(first.hi, rest), (int)n & 3};
}
