/* The tanh-sinh rule on integrals with known values, smooth and singular at an end. */
#include "math/quadrature.h"

#include "testing.h"

static double smooth(double x, double rest, const void *context) {
  (void)rest, (void)context;
  return exp(x);
}
static double root(double x, double rest, const void *context) {
  (void)rest, (void)context;
  return 1 / sqrt(x);
}
static double root_at_one(double x, double rest, const void *context) {
  (void)x, (void)context;
  return 1 / sqrt(rest);
}
static double power(double x, double rest, const void *context) {
  (void)rest;
  return pow(x, *(const double *)context);
}
static double layer(double x, double rest, const void *context) {
  (void)rest, (void)context;
  return 1 / (1 + 1e6 * x); /* a steep end, as of strongly damped impacts */
}

static void known_integrals(void **state) {
  (void)state;
  double exponent = 1.37;
  assert_near(ff_integrate(smooth, NULL), expm1(1), 1e-15);
  assert_near(ff_integrate(root, NULL), 2, 1e-15);
  assert_near(ff_integrate(root_at_one, NULL), 2, 1e-15);
  assert_near(ff_integrate(power, &exponent), 1 / 2.37, 1e-15);
  assert_near(ff_integrate(layer, NULL), log1p(1e6) / 1e6, 1e-14);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(known_integrals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
