/* `footfall paper brown-mcphee`: the numbers of the reproduction that are known. */
#include "paper_json.h"

static int reproduce(void **state) {
  (void)state;
  return paper("brown-mcphee --json --quick");
}

/* Semi-axes (.12, .05, .03), normal along (.6, -.3, .7), d = 0.2. */
static void the_example_has_its_moments(void **state) {
  (void)state;
  assert_near(value_of("overlap.volume"), 2.11115026e-5, 5e-9);
  assert_near(value_of("overlap.J_nn.exact"), 6.61191e-9, 1e-6);
  assert_near(value_of("overlap.J_nn.printed"), 6.29323e-9, 1e-6);
}

/* Eq. 44, 47 and 50 over that overlap: k_V = 5e6, a_V v = 0, mu = 0.5 far beyond v_t = 0.01 and
 * omega_t = 0.1. The peak of eq. 48 has fallen below 0.3 16 / s^3 there, s = 100. */
static void the_example_has_its_forces(void **state) {
  (void)state;
  double force = 5e6 * 2.11115026e-5;
  assert_near(value_of("force.normal"), force, 5e-9);
  assert_near(value_of("force.slide"), 0.5 * force, 1e-5);
  assert_near(value_of("moment.spin"), 0.5 * force * sqrt(6.61191e-9 / 2.11115026e-5), 1.1e-5);
}

static void errata_differ_and_the_rest_holds(void **state) {
  (void)state;
  static const char *const errata[] = {"second-moment", "damping", "spin-units"};
  static const char *const good[] = {"volume",         "centroid",           "second-moment-exact",
                                     "damping-signed", "potential",          "friction-curve",
                                     "no-stiction",    "contensou",          "foot",
                                     "point-contact",  "closer-than-spheres"};
  for (size_t i = 0; i < sizeof errata / sizeof *errata; i++) {
    claim_is(errata[i], "differs");
  }
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    claim_is(good[i], "holds");
  }
}

static void every_claim_has_criteria_with_their_source(void **state) {
  (void)state;
  claims_are_stated();
}

/* Other sampling, steps and drawn numbers change no verdict. */
static void verdicts_do_not_depend_on_sampling_step_or_seed(void **state) {
  (void)state;
  static char out[100000];
  assert_int_equal(call("paper", "--check-claims --quick brown-mcphee", out, sizeof out), 0);
  assert_non_null(strstr(out, "21 claims in 2 variations: 0 verdicts change, 0 without"));
  assert_int_equal(call("paper", "--check-claims --quick azad-featherstone", out, sizeof out), 0);
  assert_non_null(strstr(out, "in 2 variations: 0 verdicts change, 0 without"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(verdicts_do_not_depend_on_sampling_step_or_seed),
      cmocka_unit_test(every_claim_has_criteria_with_their_source),
      cmocka_unit_test(the_example_has_its_moments),
      cmocka_unit_test(the_example_has_its_forces),
      cmocka_unit_test(errata_differ_and_the_rest_holds),
  };
  return cmocka_run_group_tests(tests, reproduce, NULL);
}
