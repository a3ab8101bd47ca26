#include "math/elementary.h"
#include "math/exp_log_parts.h"

#include <math.h>
#include <stdbool.h>

/* x = 2^k m, m in [0.698, 1.397), and log x = k ln 2 - log c + log(1 + r) with r = m c - 1, for c
 * near 1 / m from a table [Tang90]. c has 12 bits, so that r is exact in two parts; it is 1 around
 * m = 1, so that nothing cancels there. */

static const uint64_t table_first = 0x3fe659a000000000;
static const double log_table[64][3] = {
    /* c, -log c to 42 bits, remainder */
    {0x1.6c80p+0, -0x1.69d4592a03000p-2, -0x1.8b1bdbf97ffa6p-44},
    {0x1.6880p+0, -0x1.5e87b20c29000p-2, -0x1.527d18f7738fap-44},
    {0x1.6480p+0, -0x1.531ac457ee000p-2, -0x1.df83b7d931501p-44},
    {0x1.60c0p+0, -0x1.4846afa75c000p-2, 0x1.63ea2e3798dcep-45},
    {0x1.5d00p+0, -0x1.3d54fa5c1f000p-2, -0x1.c3e1cd9a395e3p-44},
    {0x1.5940p+0, -0x1.3245009570000p-2, -0x1.d271b9bdae59dp-44},
    {0x1.55c0p+0, -0x1.27d5ef1db6000p-2, 0x1.9237478cac9f4p-47},
    {0x1.5220p+0, -0x1.1cea79ddf9000p-2, -0x1.ecdf4c87ffd51p-47},
    {0x1.4ec0p+0, -0x1.12a4bc3912000p-2, 0x1.5a75061473259p-44},
    {0x1.4b60p+0, -0x1.084458a1b8000p-2, -0x1.ecc1bf7e6063cp-44},
    {0x1.4800p+0, -0x1.fb9186d5e4000p-3, 0x1.d572aab993c87p-47},
    {0x1.44c0p+0, -0x1.e72cb107da000p-3, -0x1.dd48ccdf5471cp-46},
    {0x1.41a0p+0, -0x1.d35f2626d6000p-3, 0x1.e94ba3bbfba89p-44},
    {0x1.3e80p+0, -0x1.bf601bb0e4000p-3, -0x1.386a947c378b5p-45},
    {0x1.3b60p+0, -0x1.ab2e97c25e000p-3, -0x1.c3cdd3ef123c7p-45},
    {0x1.3860p+0, -0x1.979b70533c000p-3, -0x1.270594db15055p-49},
    {0x1.3560p+0, -0x1.83d7ece9a8000p-3, -0x1.bf38b97c69b8cp-46},
    {0x1.3280p+0, -0x1.70b8f97a1a000p-3, -0x1.4ea64f6a95befp-44},
    {0x1.2fc0p+0, -0x1.5e43b135be000p-3, 0x1.43ab4ceed9c31p-44},
    {0x1.2ce0p+0, -0x1.4ac9a963a8000p-3, 0x1.7ecc136008e2cp-46},
    {0x1.2a20p+0, -0x1.37fba195e6000p-3, -0x1.fa5cb4f9f7627p-44},
    {0x1.2780p+0, -0x1.25ded0abc6000p-3, -0x1.5a3854f176449p-44},
    {0x1.24e0p+0, -0x1.13989fef48000p-3, 0x1.ddc87b5eed072p-44},
    {0x1.2240p+0, -0x1.012850a6e0000p-3, 0x1.a86194805bf94p-46},
    {0x1.1fc0p+0, -0x1.dee1d8cd60000p-4, 0x1.28da0729eff89p-44},
    {0x1.1d20p+0, -0x1.b9584fc4b0000p-4, -0x1.247be94d9294ap-45},
    {0x1.1ac0p+0, -0x1.97156dc8f8000p-4, 0x1.c1fc19afdb97bp-44},
    {0x1.1840p+0, -0x1.72b4f842ec000p-4, 0x1.704ccc00c9dd3p-44},
    {0x1.15e0p+0, -0x1.4fd8dd6648000p-4, 0x1.939638588db5bp-44},
    {0x1.13a0p+0, -0x1.2e8bcf4c08000p-4, -0x1.539c9680b35d6p-44},
    {0x1.1140p+0, -0x1.0b194ee0d0000p-4, -0x1.666ea4f69edccp-44},
    {0x1.0f00p+0, -0x1.d276b8adb0000p-5, -0x1.6a423c78a64b0p-46},
    {0x1.0cc0p+0, -0x1.8e2a4243a0000p-5, -0x1.b9eeb01426490p-45},
    {0x1.0aa0p+0, -0x1.4d2238cb20000p-5, -0x1.206ea5e6961dap-46},
    {0x1.0880p+0, -0x1.0b94f7c198000p-5, 0x1.e89896f022783p-45},
    {0x1.0660p+0, -0x1.9300b1e930000p-6, -0x1.03d553cab292dp-44},
    {0x1.0440p+0, -0x1.0dc4518b00000p-6, 0x1.9bc2f380313fcp-45},
    {0x1.0240p+0, -0x1.1ebde2d1a0000p-7, 0x1.a0683ff48dc36p-45},
    {0x1.0000p+0, 0x0.0p+0, 0x0.0p+0},
    {0x1.f900p-1, 0x1.c317384c80000p-7, -0x1.41f33fcefb9fep-44},
    {0x1.f140p-1, 0x1.deeeaab880000p-6, 0x1.f1b875dd06d64p-45},
    {0x1.e9c0p-1, 0x1.6bf78ecea8000p-5, 0x1.b1e60078b7bf4p-45},
    {0x1.e280p-1, 0x1.e624c4a0b8000p-5, -0x1.0f25c74676689p-44},
    {0x1.db80p-1, 0x1.2eee507b40000p-4, 0x1.8081edd77c860p-47},
    {0x1.d4c0p-1, 0x1.697e1ffd08000p-4, -0x1.349d4752f6a25p-44},
    {0x1.ce40p-1, 0x1.a2b0220c90000p-4, -0x1.a0b359c652090p-44},
    {0x1.c7c0p-1, 0x1.dcb17f2360000p-4, 0x1.935052dd23cabp-44},
    {0x1.c180p-1, 0x1.0aa0691268000p-3, -0x1.45519d7032129p-44},
    {0x1.bb80p-1, 0x1.2625d1e6de000p-3, -0x1.52962f09e3d82p-48},
    {0x1.b580p-1, 0x1.420b327410000p-3, -0x1.16282c85a0884p-46},
    {0x1.afc0p-1, 0x1.5d23857cd8000p-3, -0x1.6567ad22c8c2ap-44},
    {0x1.aa00p-1, 0x1.7898d85444000p-3, 0x1.8e67be3dbaf3fp-44},
    {0x1.a4c0p-1, 0x1.91fe490966000p-3, -0x1.f92c619ebc79dp-45},
    {0x1.9f40p-1, 0x1.acf0e940e8000p-3, -0x1.3ff8e2c0cd8fdp-44},
    {0x1.9a00p-1, 0x1.c6ffbc6f00000p-3, 0x1.ee138d3a69d43p-44},
    {0x1.9500p-1, 0x1.e020cc6236000p-3, -0x1.52b00adb91424p-45},
    {0x1.9000p-1, 0x1.f991c6cb3c000p-3, -0x1.90d04cd7cc834p-44},
    {0x1.8b40p-1, 0x1.09047aa6f9000p-2, 0x1.f18e83ce75c0ep-44},
    {0x1.8680p-1, 0x1.1565eed456000p-2, -0x1.e75adfb6aba25p-49},
    {0x1.8200p-1, 0x1.214456d0ec000p-2, -0x1.caf0428b728a3p-44},
    {0x1.7d80p-1, 0x1.2d46602add000p-2, -0x1.88d0ddcd54196p-45},
    {0x1.7900p-1, 0x1.396ce359bc000p-2, -0x1.5839c5663663dp-47},
    {0x1.74c0p-1, 0x1.4508e03b62000p-2, -0x1.e21c7b50dccc8p-44},
    {0x1.7080p-1, 0x1.50c6f1d11c000p-2, -0x1.a0e6b7e827c2cp-44},
};
static const double ln2_hi = 0x1.62e42fefa38p-1, ln2_lo = 0x1.ef35793c7673p-45; /* hi: 42 bits */

/* p of log(1 + r) = r - r^2 / 2 + r^3 p(r), |r| < 0.008; error 2.2e-17 */
static double log_rest(double r) {
  double r2 = r * r;
  return (0x1.5555555555555p-2 + r * -0x1.0000000000034p-2) +
         r2 * ((0x1.99999999999f8p-3 + r * -0x1.55555549048a5p-3) +
               r2 * ((0x1.24924919601b4p-3 + r * -0x1.0005df56b9feap-3) +
                     r2 * 0x1.c7271f1fb1fc3p-4));
}

ff_double2 ff_log_pair(double x, double x_lo) {
  if (x < 0x1p-1022) { /* subnormal: less 54 ln 2 */
    ff_double2 scaled = ff_log_pair(x * 0x1p54, 0),
               sum = exact_sum(scaled.hi, -0x1.2b708872320e2p+5);
    return exact_sum_ordered(sum.hi, sum.lo + (scaled.lo + 0x1.570da7e077bcbp-50));
  }
  uint64_t bits = double_bits(x), offset = bits - table_first;
  int i = (int)(offset >> 46) & 63, k = (int)((int64_t)offset >> 52);
  double m = double_from_bits(bits - (offset & 0xfff0000000000000)), c = log_table[i][0];
  double upper = double_from_bits(double_bits(m) & 0xffffffff00000000);
  ff_double2 r = exact_sum(upper * c - 1, (m - upper) * c);
  if (x_lo != 0) {
    r.lo += x_lo * double_power2(-k) * c;
    r = exact_sum_ordered(r.hi, r.lo);
  }
  ff_double2 sum = exact_sum(k * ln2_hi + log_table[i][1], r.hi);
  double r_upper = double_upper_half(r.hi), half = -0.5 * r_upper * r_upper;
  double half_lo = -0.5 * (r.hi - r_upper) * (r.hi + r_upper);
  ff_double2 main = exact_sum(sum.hi, half);
  double rest = k * ln2_lo + log_table[i][2] + (r.lo - r.hi * r.lo) + half_lo;
  rest += r.hi * r.hi * r.hi * log_rest(r.hi);
  return exact_sum_ordered(main.hi, main.lo + (sum.lo + rest));
}

/* Pair of log x; false with the value in hi if that is infinite or NAN. */
static bool log_finite(double x, ff_double2 *out) {
  if (!(x > 0 && x < INFINITY)) {
    out->hi = x == 0 ? -INFINITY : x < 0 ? NAN : x;
    return false;
  }
  *out = ff_log_pair(x, 0);
  return true;
}

double ff_log(double x) {
  ff_double2 out;
  log_finite(x, &out);
  return out.hi;
}

/* log(x) times the constant base_hi + base_lo. */
static double log_scaled(double x, double base_hi, double base_lo) {
  ff_double2 out;
  if (!log_finite(x, &out)) {
    return out.hi;
  }
  ff_double2 p = exact_product(out.hi, base_hi);
  return p.hi + (p.lo + (out.hi * base_lo + out.lo * base_hi));
}
double ff_log2(double x) {
  return log_scaled(x, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56);
}
double ff_log10(double x) {
  return log_scaled(x, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57);
}

double ff_log1p(double x) {
  if (!(x > -1 && x < 0x1p60)) {
    return x == -1 ? -INFINITY : x < -1 ? NAN : ff_log(x);
  }
  if (fabs(x) < 0x1p-54) {
    return x;
  }
  ff_double2 u = exact_sum(1, x);
  return ff_log_pair(u.hi, u.lo).hi;
}
