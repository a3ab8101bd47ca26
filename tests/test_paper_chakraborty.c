/* `footfall paper chakraborty-2007`: every number of the reproduction that is known. */
#include "paper_json.h"

static int reproduce(void **state) {
  (void)state;
  return paper("chakraborty --json --quick");
}

/* Tolerances: half a unit of the last digit known. */
static void numbers_are_those_known(void **state) {
  (void)state;
  static const struct {
    const char *key;
    double value, tolerance;
  } numbers[] = {
      {"disc.touch", .3193, 1e-9},
      {"disc.core_impulse", 2.868, 5e-4},
      {"disc.exact_core_time", .33554, 5e-6},
      {"disc.exact_core_impulse", 2.8794, 5e-5},
      {"disc.exact_energy_after", 10.5695, 5e-5},
      {"disc.deepest", .109062, 5e-7},
      {"disc.exact_deepest", .109340, 5e-7},
      {"disc.energy_end", 14.6587, 5e-5},
      {"flat.touch", .1719, 1e-9},
      {"flat.deepest", 3.313e-3, 5e-7},
      {"flat.peak", 619.9, .05},
      {"flat.core_impulse", 0, 0},
      {"flat.sticks", .3984, 1e-9},
      {"flat.exact_sticks", .39835, 5e-6},
      {"flat.rest", .0047275, 5e-8},
      {"flat_soft.core_impulse", .728, 5e-4},
      {"flat_soft.core_time", .1763, 1e-9},
      {"tilted.touch", .1553, 1e-9},
      {"tilted.deepest", 3.377e-3, 5e-7},
      {"tilted.sticks", .2070, 1e-9},
      {"roll.drift", 0, 1e-12},
      {"pair.deepest", 2e-3, 1e-9},
  };
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    assert_close(value_of(numbers[i].key), numbers[i].value, numbers[i].tolerance);
  }
}

/* The stiffness at which the core comes into reach lies between the two readings of K. */
static void the_core_needs_the_softer_reading(void **state) {
  (void)state;
  assert_true(value_of("flat.softest") > 8000 && value_of("flat.softest") < 36000);
  assert_near(value_of("flat.softest"), value_of("flat.exact_softest"), 0.02);
  assert_true(value_of("tilted_soft.core_impulse") > 0.1);
  assert_true(value_of("tilted.core_impulse") == 0);
}

static void the_solver_is_accounted_for(void **state) {
  (void)state;
  assert_true(value_of("solver.problems") > 40000);
  assert_true(value_of("solver.iterations") < 5 * value_of("solver.problems"));
  assert_true(value_of("solver.residual") < 1e-9);
}

static void every_claim_has_criteria_with_their_source(void **state) {
  (void)state;
  claims_are_stated();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_claim_has_criteria_with_their_source),
      cmocka_unit_test(numbers_are_those_known),
      cmocka_unit_test(the_core_needs_the_softer_reading),
      cmocka_unit_test(the_solver_is_accounted_for),
  };
  return cmocka_run_group_tests(tests, reproduce, NULL);
}
