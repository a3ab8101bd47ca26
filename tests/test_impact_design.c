/* Designing an impact: what comes back must give what was asked for. */
#include "footfall/impact.h"

#include "testing.h"

static double alpha_for(double restitution, double speed) {
  double alpha = -1;
  assert_int_equal(ff_impact_design_alpha(&alpha, restitution, speed, NULL), FF_OK);
  return alpha;
}

/* e determines s to e / (s de/ds) roundings: |1/s| for small s, 1 for large. */
static void alpha_gives_back_its_restitution(void **state) {
  (void)state;
  for (int i = 0; i <= 160; i++) {
    double s = pow(10.0, i / 10.0 - 10.0), e = ff_impact_restitution(s);
    assert_near(alpha_for(e, 1.0), s, 1e-15 + 4e-16 / s);
    assert_near(ff_impact_restitution(alpha_for(e, 4.0) * 4.0), e, 4e-16);
  }
}

/* s = (1-e) + (1-e)^2 + 1.1 ... to first order: no digits of 1 - e are lost. */
static void alpha_near_one_keeps_its_digits(void **state) {
  (void)state;
  for (double gap = 0x1p-52; gap < 1e-7; gap *= 2) {
    assert_near(alpha_for(1.0 - gap, 1.0), gap * (1 + gap), 1e-15 + gap * gap);
  }
  assert_true(alpha_for(1.0, 3.0) == 0.0);
}

static void alpha_is_continuous_and_monotone(void **state) {
  (void)state;
  assert_near(alpha_for(0.5, 1), alpha_for(nextafter(0.5, 1), 1), 2e-15);
  double last = INFINITY;
  for (double e = 0.001; e < 1; e += 0.001) {
    double alpha = alpha_for(e, 1);
    assert_true(alpha < last && alpha > 0);
    last = alpha;
  }
}

static void k_gives_back_its_depth_or_force(void **state) {
  (void)state;
  uint64_t seed = 77;
  for (int i = 0; i < 40; i++) {
    ff_hunt_crossley_impact given = {.mass = ff_random_in(&seed, 0.1, 50),
                                     .k = NAN,
                                     .n = i % 4 ? ff_random_in(&seed, 1, 4) : 1,
                                     .alpha = i % 5 ? pow(10, ff_random_in(&seed, -6, 2)) : 0,
                                     .alpha_restitution = NAN,
                                     .speed = ff_random_in(&seed, 0.01, 10)};
    double depth = pow(10, ff_random_in(&seed, -5, -1)), force = ff_random_in(&seed, 1, 1e5);
    ff_impact impact;
    assert_int_equal(ff_impact_design_k_depth(&given.k, &given, depth, NULL), FF_OK);
    assert_int_equal(ff_impact_hunt_crossley(&impact, &given, NULL), FF_OK);
    assert_near(impact.depth_max, depth, 1e-14);
    assert_int_equal(ff_impact_design_k_force(&given.k, &given, force, NULL), FF_OK);
    assert_int_equal(ff_impact_hunt_crossley(&impact, &given, NULL), FF_OK);
    assert_near(impact.force_max, force, 1e-14);
  }
}

static void no_solution_is_refused_with_its_reason(void **state) {
  (void)state;
  ff_report report;
  double out = 7;
  const double impossible[] = {0, -0.1, 1.0000001, 2, NAN, INFINITY};
  for (int i = 0; i < 6; i++) {
    assert_int_equal(ff_impact_design_alpha(&out, impossible[i], 1, &report), FF_ERROR_INPUT);
    assert_string_equal(report.key, "restitution");
    assert_true(strstr(report.what, "no alpha") != NULL);
  }
  assert_int_equal(ff_impact_design_alpha(&out, 0.5, 0, &report), FF_ERROR_INPUT);
  assert_string_equal(report.key, "speed");
  ff_hunt_crossley_impact given = {1, NAN, 1.5, 0.2, NAN, 1};
  assert_int_equal(ff_impact_design_k_depth(&out, &given, 0, &report), FF_ERROR_INPUT);
  assert_string_equal(report.key, "depth");
  assert_int_equal(ff_impact_design_k_depth(&out, &given, 1e-200, &report), FF_ERROR_INPUT);
  assert_true(strstr(report.what, "floating-point range") != NULL);
  assert_int_equal(ff_impact_design_k_force(&out, &given, -1, &report), FF_ERROR_INPUT);
  assert_string_equal(report.key, "force");
  assert_int_equal(ff_impact_design_k_force(&out, &given, 1e-200, &report), FF_ERROR_INPUT);
  given.n = 0.5;
  assert_int_equal(ff_impact_design_k_force(&out, &given, 1, &report), FF_ERROR_INPUT);
  assert_string_equal(report.key, "n");
  assert_true(out == 7); /* a refusal leaves the output alone */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(alpha_gives_back_its_restitution),
      cmocka_unit_test(alpha_near_one_keeps_its_digits),
      cmocka_unit_test(alpha_is_continuous_and_monotone),
      cmocka_unit_test(k_gives_back_its_depth_or_force),
      cmocka_unit_test(no_solution_is_refused_with_its_reason),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
