/* `footfall paper marhefka-orin-1996`: every number of the reproduction that is known, and how
 * the verb behaves. */
#include "folder.h"
#include "footfall/page.h"
#include "paper_json.h"

#include <sys/stat.h>

/* One reproduction serves all tests of its numbers. */
static int reproduce(void **state) {
  (void)state;
  return paper("marhefka-orin-1996 --json --quick");
}

/* ---- numbers: within half a unit of the last digit they are known to
 * --------------------------------- */

typedef struct known {
  const char *key;
  double value, digit;
} known;

static void check_all(const known *numbers, size_t count) {
  for (size_t i = 0; i < count; i++) {
    assert_close(value_of(numbers[i].key), numbers[i].value, 0.5 * numbers[i].digit * (1 + 1e-6));
  }
}

static void impacts_of_figs_4_to_7(void **state) {
  (void)state;
  static const known numbers[] = {
      {"fig4.alpha0.4.depth_max", .0084982472, 1e-10},
      {"fig4.alpha0.4.force_max", 94.871433, 1e-6},
      {"fig4.alpha0.4.time_force_max", .010183488, 1e-9},
      {"fig4.alpha0.4.duration", .031757147, 1e-9},
      {"fig4.alpha0.4.energy_lost", .24656347, 1e-8},
      {"fig5.k50000.depth_max", .026017718, 1e-9},
      {"fig5.k50000.force_max", 1514.8403, 1e-4},
      {"fig5.k50000.time_force_max", .029799472, 1e-9},
      {"fig5.k50000.duration", .10092798, 1e-8},
      {"fig5.k50000.energy_lost", 14.012028, 1e-6},
      {"fig7.m10.depth_max", .0089677957, 1e-10},
      {"fig7.m10.force_max", 236.17830, 1e-5},
      {"fig7.m10.time_force_max", .023388649, 1e-9},
      {"fig7.m10.duration", .063128272, 1e-9},
      {"fig7.m10.energy_lost", .45160163, 1e-8},
      {"restitution.at0.5", .662962200, 1e-9},
  };
  check_all(numbers, sizeof numbers / sizeof *numbers);
}

static void the_linear_model(void **state) {
  (void)state;
  static const known numbers[] = {{"linear.restitution", .3723261, 1e-7},
                                  {"linear.restitution.clamped", .45097545, 1e-8}};
  check_all(numbers, sizeof numbers / sizeof *numbers);
}

static void the_foot(void **state) {
  (void)state;
  static const known numbers[] = {{"foot.force_max", 2323.92701, 1e-5},
                                  {"foot.time_force_max", .016163935, 1e-9},
                                  {"foot.depth_placed", .0239644163, 1e-10},
                                  {"foot.force_loaded", 999.96912, 1e-5},
                                  {"foot.lift_time", .632147543, 1e-9},
                                  {"foot.lift_velocity", -1.2016645, 1e-7},
                                  {"foot.load_limit", 1218, 1}};
  check_all(numbers, sizeof numbers / sizeof *numbers);
}

/* Simulated and exact stand side by side for every impact of Figs. 4 to 7. */
static void simulated_as_exact(void **state) {
  (void)state;
  static const char *const impacts[] = {"fig4.alpha0.01", "fig4.alpha0.2", "fig4.alpha0.4",
                                        "fig4.alpha0.6",  "fig5.k10000",   "fig5.k30000",
                                        "fig5.k50000",    "fig5.k70000",   "fig7.m1",
                                        "fig7.m10",       "fig7.m100"};
  static const char *const quantities[] = {"restitution",    "depth_max", "force_max",
                                           "time_force_max", "duration",  "energy_lost"};
  for (int i = 0; i < 11; i++) {
    for (int q = 0; q < 6; q++) {
      char found[96], exact[112];
      snprintf(found, sizeof found, "%s.%s", impacts[i], quantities[q]);
      snprintf(exact, sizeof exact, "%s.exact", found);
      assert_near(value_of(found), value_of(exact), 1e-7);
    }
  }
}

/* ---- claims
 * --------------------------------------------------------------------------------------------- */

static void claims_come_out_as_known(void **state) {
  (void)state;
  static const char *const holds[] = {"linear-jump",      "linear-tension", "linear-mass",
                                      "linear-speed",     "eq13",           "eq19",
                                      "no-sticking",      "limit-velocity", "restitution-falls",
                                      "levels-out",       "independence",   "continuous-at-touch",
                                      "loop-area",        "k-area",         "mass-area",
                                      "alpha-depth",      "foot-outward",   "split-damping",
                                      "split-no-sticking"};
  for (size_t i = 0; i < sizeof holds / sizeof *holds; i++) {
    claim_is(holds[i], "holds");
  }
  claim_is("eq19-printed", "differs");
  claim_is("foot-outward-limit", "in part");
  claim_is("hertz", "holds");
  claim_is("poisson", "holds");
  claim_is("foot-form", "not tested");
  assert_null(strstr(json, "\"expected\": false"));
  assert_non_null(strstr(json, "\"good\": true"));
}

/* ---- the verb
 * --------------------------------------------------------------------------------------------- */

static void lists_papers(void **state) {
  (void)state;
  char out[8192];
  assert_int_equal(call("paper", "", out, sizeof out), 0);
  assert_non_null(strstr(out, "marhefka-orin-1996"));
  assert_int_equal(call("paper", "--json", out, sizeof out), 0);
  assert_non_null(strstr(out, "\"key\": \"marhefka-orin-1996\""));
}

static void wrong_calls_end_with_two(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"marhefka-orin-1997", "did you mean 'marhefka-orin-1996'"},
      {"-o x.html", "no paper given"},
      {"marhefka-orin-1996 other", "one paper"},
      {"--wrong", "unrecognized option"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char out[4096];
    assert_int_equal(call("paper", cases[i][0], out, sizeof out), 2);
    assert_non_null(strstr(out, cases[i][1]));
  }
}

/* A folder of its own to run in, also as the place for temporary files. */
static int enter(void **state) {
  return enter_folder(state) == 0 ? setenv("TMPDIR", folder, 1) : -1;
}

/* Fails if anything but the report was left. */
static int leave(void **state) {
  (void)state;
  unlink("out.html");
  unsetenv("TMPDIR");
  return remove_folder();
}

static void writes_the_report_and_prints_the_claims(void **state) {
  (void)state;
  char out[40000];
  int code = call("paper", "marhefka-orin-1996 --quick -o out.html", out, sizeof out);
  struct stat file;
  if (!ff_page_available(NULL)) {
    assert_int_equal(code, 1);
    assert_non_null(strstr(out, "npm"));
    skip();
  }
  assert_int_equal(code, 0);
  assert_non_null(strstr(out, "all as expected"));
  assert_non_null(strstr(out, "report: out.html"));
  assert_int_equal(stat("out.html", &file), 0);
  assert_true(file.st_size > 100000);
}

static void a_report_that_cannot_be_written_is_a_failure(void **state) {
  (void)state;
  char out[40000];
  assert_int_equal(
      call("paper", "marhefka-orin-1996 --quick -o no-such-folder/out.html", out, sizeof out), 1);
}

static void every_claim_has_criteria_with_their_source(void **state) {
  (void)state;
  claims_are_stated();
}

int main(void) {
  const struct CMUnitTest numbers[] = {
      cmocka_unit_test(every_claim_has_criteria_with_their_source),
      cmocka_unit_test(impacts_of_figs_4_to_7),
      cmocka_unit_test(the_linear_model),
      cmocka_unit_test(the_foot),
      cmocka_unit_test(simulated_as_exact),
      cmocka_unit_test(claims_come_out_as_known),
  };
  const struct CMUnitTest verb[] = {
      cmocka_unit_test(lists_papers),
      cmocka_unit_test(wrong_calls_end_with_two),
      cmocka_unit_test_setup_teardown(writes_the_report_and_prints_the_claims, enter, leave),
      cmocka_unit_test_setup_teardown(a_report_that_cannot_be_written_is_a_failure, enter, leave),
  };
  return cmocka_run_group_tests(numbers, reproduce, NULL) +
         cmocka_run_group_tests(verb, NULL, NULL);
}
