/* What every test file starts with. */
#ifndef FF_TESTS_TESTING_H
#define FF_TESTS_TESTING_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Like assert_true, but says both numbers, the tolerance and why when it fails. */
#define assert_close(actual, expected, tolerance)                                                  \
  ff_assert_close((actual), (expected), (tolerance), #actual, __FILE__, __LINE__)
/* The same, relative to the expected value. */
#define assert_near(actual, expected, relative)                                                    \
  ff_assert_close((actual), (expected), (relative)*fabs((double)(expected)), #actual, __FILE__,    \
                  __LINE__)

static inline void ff_assert_close(double actual, double expected, double tolerance,
                                   const char *text, const char *file, int line) {
  if (!(fabs(actual - expected) <= tolerance)) {
    print_error("%s = %.17g, expected %.17g within %.3g, off by %.3g\n", text, actual, expected,
                tolerance, fabs(actual - expected));
    _fail(file, line);
  }
}

/* A repeatable random number in [0, 1): xorshift64*. Seed with any odd number. */
static inline double ff_random(uint64_t *seed) {
  *seed ^= *seed >> 12;
  *seed ^= *seed << 25;
  *seed ^= *seed >> 27;
  return (double)((*seed * 0x2545F4914F6CDD1DULL) >> 11) / 9007199254740992.0;
}

/* Uniform in [low, high). */
static inline double ff_random_in(uint64_t *seed, double low, double high) {
  return low + (high - low) * ff_random(seed);
}

#endif
