/* Elementary functions against those of the C library in long double: error in units in the last
 * place (ulp) over arguments of every size, special cases of C17 annex F, and the bits of all
 * results. */
#include "math/double_bits.h"
#include "math/elementary.h"

#include "testing.h"

#include <float.h>
#include <stdbool.h>

typedef struct function1 {
  const char *name;
  double (*ours)(double);
  long double (*reference)(long double);
  double low, high; /* range of the uniform arguments */
  double most_ulps;
} function1;

/* Where long double is a double, the reference is itself off by one. */
static const double slack = LDBL_MANT_DIG > 53 ? 0 : 1.5;

static const function1 functions[] = {
    {"exp", ff_exp, expl, -746, 711, 0.54},    {"exp2", ff_exp2, exp2l, -1076, 1025, 0.54},
    {"expm1", ff_expm1, expm1l, -3, 3, 0.76},  {"log", ff_log, logl, 0, 3, 0.52},
    {"log2", ff_log2, log2l, 0, 3, 0.52},      {"log10", ff_log10, log10l, 0, 3, 0.52},
    {"log1p", ff_log1p, log1pl, -1, 3, 0.52},  {"cbrt", ff_cbrt, cbrtl, -8, 8, 0.68},
    {"sin", ff_sin, sinl, -20, 20, 0.85},      {"cos", ff_cos, cosl, -20, 20, 0.85},
    {"tan", ff_tan, tanl, -20, 20, 0.95},      {"asin", ff_asin, asinl, -1, 1, 0.6},
    {"acos", ff_acos, acosl, -1, 1, 0.6},      {"atan", ff_atan, atanl, -4, 4, 0.6},
    {"sinh", ff_sinh, sinhl, -4, 4, 0.8},      {"cosh", ff_cosh, coshl, -4, 4, 0.8},
    {"tanh", ff_tanh, tanhl, -4, 4, 0.8},      {"asinh", ff_asinh, asinhl, -4, 4, 0.6},
    {"gamma", ff_gamma, tgammal, 0.01, 60, 8},
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0], ARGUMENTS = 20000 };

/* Of any size, with either sign. */
static double random_any(uint64_t *seed) {
  uint64_t high = (uint64_t)(ff_random(seed) * 0x1p32), low = (uint64_t)(ff_random(seed) * 0x1p32);
  double x = double_from_bits(high << 32 | low);
  return isfinite(x) ? x : 1;
}

static double error_ulps(double value, long double reference) {
  if (isnan(value) || isnan(reference)) {
    return isnan(value) && isnan(reference) ? 0 : INFINITY;
  }
  double nearest = (double)reference;
  if (value == nearest) {
    return isinf(nearest)
               ? 0
               : (double)(fabsl((long double)value - reference) /
                          (long double)fmax(nextafter(fabs(nearest), INFINITY) - fabs(nearest),
                                            0x1p-1074));
  }
  if (isinf(value) || isinf(nearest)) {
    return INFINITY;
  }
  int power;
  frexp(nearest, &power);
  double ulp = ldexp(1, power - 53 < -1074 ? -1074 : power - 53);
  return (double)(fabsl((long double)value - reference) / (long double)ulp);
}

static double draw_argument(const function1 *f, int i, uint64_t *seed) {
  switch (i % 4) {
    case 0: return random_any(seed);
    case 1: return ldexp(ff_random(seed) - 0.5, -(i % 64));
    default: return ff_random_in(seed, f->low, f->high);
  }
}

static void errors_are_below_one_ulp(void **state) {
  (void)state;
  for (int k = 0; k < FUNCTIONS; ++k) {
    const function1 *f = &functions[k];
    double worst = 0, at = 0;
    uint64_t seed = 2 * (uint64_t)k + 1;
    for (int i = 0; i < ARGUMENTS; ++i) {
      double x = draw_argument(f, i, &seed);
      if (f->ours == ff_gamma && !(x > 1e-300 && x < 171.7)) {
        continue;
      }
      double error = error_ulps(f->ours(x), f->reference((long double)x));
      if (error > worst) {
        worst = error;
        at = x;
      }
    }
    if (worst > f->most_ulps + slack) {
      fail_msg("%s(%a) = %a: error %.3f ulp", f->name, at, f->ours(at), worst);
    }
  }
}

typedef struct function2 {
  const char *name;
  double (*ours)(double, double);
  long double (*reference)(long double, long double);
  double most_ulps;
} function2;

static const function2 functions2[] = {{"pow", ff_pow, powl, 0.56},
                                       {"atan2", ff_atan2, atan2l, 0.55},
                                       {"hypot", ff_hypot, hypotl, 0.55}};

static void errors_of_two_arguments_are_below_one_ulp(void **state) {
  (void)state;
  for (int k = 0; k < 3; ++k) {
    const function2 *f = &functions2[k];
    double worst = 0, at[2] = {0};
    uint64_t seed = 2 * (uint64_t)k + 1;
    for (int i = 0; i < 3 * ARGUMENTS; ++i) {
      double x = i % 3 ? ff_random_in(&seed, 0, i % 3) : random_any(&seed);
      double y = i % 5 ? ff_random_in(&seed, -3, 3) * (i % 7 ? 1 : 200) : random_any(&seed);
      double error = error_ulps(f->ours(x, y), f->reference((long double)x, (long double)y));
      if (error > worst) {
        worst = error;
        at[0] = x;
        at[1] = y;
      }
    }
    if (worst > f->most_ulps + slack) {
      fail_msg("%s(%a, %a) = %a: error %.3f ulp", f->name, at[0], at[1], f->ours(at[0], at[1]),
               worst);
    }
  }
}

/* Where the reduction modulo pi / 2 loses most digits, and far out. */
static void large_angles_are_reduced_in_full(void **state) {
  (void)state;
  const double angles[] = {0x1.6ac5b262ca1ffp+849,
                           6381956970095103.0 * 0x1p797,
                           0x1p1023,
                           0x1.fffffffffffffp+1023,
                           0x1p20,
                           0x1.0000000000001p+20,
                           1e22,
                           355,
                           52707178,
                           0x1.921fb54442d18p+21};
  for (size_t i = 0; i < sizeof angles / sizeof angles[0]; ++i) {
    for (int sign = -1; sign <= 1; sign += 2) {
      double x = sign * angles[i], sine, cosine;
      ff_sincos(x, &sine, &cosine);
      assert_true(error_ulps(ff_sin(x), sinl((long double)x)) < 0.85 + slack);
      assert_true(error_ulps(ff_cos(x), cosl((long double)x)) < 0.85 + slack);
      assert_true(error_ulps(ff_tan(x), tanl((long double)x)) < 0.95 + slack);
      assert_true(sine == ff_sin(x) && cosine == ff_cos(x));
    }
  }
}

static bool same_value(double a, double b) {
  return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b);
}

static const double special[] = {
    0.0, -0.0, 1,    -1,    INFINITY, -INFINITY, NAN,    0x1p-1074, -0x1p-1074,           2, -2, 3,
    -3,  0.5,  -0.5, 1e308, -1e308,   1e-308,    0x1p53, -0x1p53,   0x1.fffffffffffffp+52};
enum { SPECIAL = sizeof special / sizeof special[0] };

/* Zeros, infinities, NAN, signs and exact results are those of annex F. */
static void special_cases_follow_the_standard(void **state) {
  (void)state;
  for (int k = 0; k < FUNCTIONS; ++k) {
    const function1 *f = &functions[k];
    for (int i = 0; i < SPECIAL && f->ours != ff_gamma; ++i) {
      double x = special[i], value = f->ours(x), expected = (double)f->reference((long double)x);
      bool exact = !isfinite(expected) || expected == 0 || expected == rint(expected);
      if (exact ? !same_value(value, expected)
                : error_ulps(value, f->reference((long double)x)) > 1 + slack) {
        fail_msg("%s(%a) = %a, expected %a", f->name, x, value, expected);
      }
    }
  }
  for (int k = 0; k < 3; ++k) {
    const function2 *f = &functions2[k];
    for (int i = 0; i < SPECIAL * SPECIAL; ++i) {
      double x = special[i / SPECIAL], y = special[i % SPECIAL], value = f->ours(x, y);
      long double reference = f->reference((long double)x, (long double)y);
      double expected = (double)reference;
      bool exact = !isfinite(expected) || expected == 0 || expected == rint(expected);
      if (exact ? !same_value(value, expected) : error_ulps(value, reference) > 1 + slack) {
        fail_msg("%s(%a, %a) = %a, expected %a", f->name, x, y, value, expected);
      }
    }
  }
  assert_true(isnan(ff_gamma(-0.5)) && isnan(ff_gamma(NAN)) && isinf(ff_gamma(200)));
}

/* One number for the bits of all functions: it must be the same with every compiler, optimisation
 * level, processor and operating system. */
static void bits_are_the_same_everywhere(void **state) {
  (void)state;
  uint64_t sum = 0, seed = 1;
  for (int i = 0; i < ARGUMENTS; ++i) {
    for (int k = 0; k < FUNCTIONS + 3; ++k) {
      double x = k < FUNCTIONS ? draw_argument(&functions[k], i, &seed) : ff_random_in(&seed, 0, 9);
      double y = k < FUNCTIONS ? functions[k].ours(x)
                               : functions2[k - FUNCTIONS].ours(x, ff_random_in(&seed, -9, 9));
      sum = (sum << 7 | sum >> 57) ^ (isnan(y) ? 1 : double_bits(y));
    }
  }
  if (sum != 0x441edaa68a2ece33) {
    fail_msg("the bits of the elementary functions changed: %016llx", (unsigned long long)sum);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(errors_are_below_one_ulp),
      cmocka_unit_test(errors_of_two_arguments_are_below_one_ulp),
      cmocka_unit_test(large_angles_are_reduced_in_full),
      cmocka_unit_test(special_cases_follow_the_standard),
      cmocka_unit_test(bits_are_the_same_everywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
