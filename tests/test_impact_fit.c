/* Parameters of a normal law from restitution curves: `footfall impact --fit`. */
#include "folder.h"
#include "footfall/footfall.h"
#include "math/vec.h"
#include "program.h"

enum { COUNT = 12 };

static int leave_folder(void **state) {
  (void)state;
  unlink("curve.csv");
  unlink("curve.html");
  return remove_folder();
}

static double random_normal(uint64_t *seed) {
  double u = ff_random(seed), v = ff_random(seed);
  return sqrt(-2 * log(1 - u)) * cos(2 * ff_pi * v);
}

/* Restitutions of hunt-crossley by its closed form, with noise. */
static void make_curve(double alpha, double noise, uint64_t *seed, double *speed, double *e) {
  for (int i = 0; i < COUNT; i++) {
    speed[i] = 0.2 * pow(20, i / (COUNT - 1.0));
    e[i] = ff_impact_restitution(alpha * speed[i]) + noise * random_normal(seed);
  }
}

static ff_impact_fit_def definition(const char *law, ff_law_params *params, const double *speed,
                                    const double *e) {
  const ff_law *found = ff_law_find(FF_LAW_NORMAL, law);
  ff_law_params_default(found, params);
  return (ff_impact_fit_def){.law = found,
                             .params = params,
                             .mass = 0.5,
                             .count = COUNT,
                             .speed = speed,
                             .restitution = e};
}

static void intervals_of_dissipation_hold_the_truth(void **state) {
  (void)state;
  const double alpha = 0.25;
  const char *wish = getenv("FOOTFALL_FIT_TRIALS");
  int trials = wish ? atoi(wish) : 2, held = 0;
  uint64_t seed = 7;
  for (int trial = 0; trial < trials; trial++) {
    double speed[COUNT], e[COUNT];
    ff_law_params params;
    make_curve(alpha, 0.01, &seed, speed, e);
    ff_impact_fit_def def = definition("hunt-crossley", &params, speed, e);
    const ff_impact_fit_vary vary = {"alpha", 0.01, 10};
    const char *const given[] = {"k"};
    ff_law_params_set(def.law, &params, "k", 1e4, NULL);
    def.vary = &vary;
    def.vary_count = 1;
    def.given = given;
    def.given_count = 1;
    ff_impact_fit *fit;
    assert_int_equal(ff_impact_fit_solve(&fit, &def, NULL), FF_OK);
    ff_fit_outcome o = ff_impact_fit_outcome(fit);
    assert_int_equal(o.estimate_count, 1);
    assert_true(o.converged && o.rms > 0.005 && o.rms < 0.02);
    assert_true(o.estimates[0].value > 0.2 && o.estimates[0].value < 0.3);
    held += o.estimates[0].interval[0] <= alpha && alpha <= o.estimates[0].interval[1];
    ff_impact_fit_destroy(&fit);
  }
  if (wish) {
    print_message("restitution curve  %d of %d intervals hold the truth\n", held, trials);
  }
  assert_true(held >= (trials < 100 ? 0 : 0.9) * trials);
}

/* Without names: alpha has an effect, stiffness and exponent have none [Marhefka96]. */
static void parameters_without_effect_are_found(void **state) {
  (void)state;
  double speed[COUNT], e[COUNT];
  ff_law_params params;
  uint64_t seed = 3;
  make_curve(0.25, 0, &seed, speed, e);
  ff_impact_fit_def def = definition("hunt-crossley", &params, speed, e);
  ff_impact_fit *fit;
  assert_int_equal(ff_impact_fit_solve(&fit, &def, NULL), FF_OK);
  ff_fit_outcome o = ff_impact_fit_outcome(fit);
  assert_int_equal(o.estimate_count, 1);
  assert_string_equal(o.estimates[0].name, "alpha");
  assert_near(o.estimates[0].value, 0.25, 1e-6);
  assert_non_null(ff_impact_fit_idle(fit, 1));
  assert_null(ff_impact_fit_idle(fit, 2));
  for (int i = 0; i < COUNT; i++) {
    assert_close(ff_impact_fit_computed(fit)[i], e[i], 1e-7);
  }
  ff_impact_fit_destroy(&fit);
}

/* Restitution of a linear damper depends on b / sqrt(k m) alone. */
static void a_combination_is_said_to_be_one(void **state) {
  (void)state;
  double speed[COUNT], e[COUNT];
  ff_law_params params;
  uint64_t seed = 3;
  make_curve(0.1, 0.01, &seed, speed, e);
  ff_impact_fit_def def = definition("linear", &params, speed, e);
  const ff_impact_fit_vary vary[] = {{"k", 1e3, 1e6}, {"b", 0.1, 100}};
  def.vary = vary;
  def.vary_count = 2;
  ff_impact_fit *fit;
  assert_int_equal(ff_impact_fit_solve(&fit, &def, NULL), FF_OK);
  ff_fit_outcome o = ff_impact_fit_outcome(fit);
  assert_true(o.correlations[1] > 0.999);
  assert_true(o.estimates[0].unclear && o.estimates[1].unclear);
  ff_impact_fit_destroy(&fit);
}

static void mistakes_are_named(void **state) {
  (void)state;
  static const struct {
    const char *arguments, *what;
  } wrong[] = {
      {"--fit none.csv hunt-crossley", "none.csv"},
      {"--fit curve.csv hunt-crossly", "did you mean 'hunt-crossley'"},
      {"--fit curve.csv hunt-crossley --vary alhpa", "did you mean 'alpha'"},
      {"--fit curve.csv hunt-crossley --vary alpha=1", "PARAM=LOW:HIGH"},
      {"--fit curve.csv hunt-crossley --vary alpha=2:1", "bounds must increase"},
      {"--fit curve.csv hunt-crossley --vary alpha --set alpha=1", "given twice"},
      {"--fit curve.csv linear --vary b", "k: must be given"},
      {"--fit curve.csv volumetric", "depends on the bodies' shapes"},
      {"--fit curve.csv hunt-crossley --speed 1", "--fit takes neither"},
      {"--speed 1 --mass 1 hunt-crossley --vary alpha", "belong to --fit"},
      {"--fit bad.csv hunt-crossley", "first line with names"},
  };
  FILE *file = fopen("curve.csv", "w");
  fputs("v,e\n0.5,0.91\n1,0.84\n2,0.71\n", file);
  fclose(file);
  file = fopen("bad.csv", "w");
  fputs("0.5,0.91\n1,0.84\n", file);
  fclose(file);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char out[4096];
    int code = call("impact", wrong[i].arguments, out, sizeof out);
    if (code != 2 || !strstr(out, wrong[i].what)) {
      print_error("%s: %d %s\n", wrong[i].arguments, code, out);
      fail();
    }
  }
  unlink("bad.csv");
}

static void the_program_fits_a_file(void **state) {
  (void)state;
  char out[16384];
  FILE *file = fopen("curve.csv", "w");
  fputs("v,e,noise\n0.5,0.91,0.01\n1,0.84,0.01\n2,0.71,0.02\n", file);
  fclose(file);
  assert_int_equal(call("impact", "--fit curve.csv hunt-crossley --vary alpha", out, sizeof out),
                   0);
  assert_non_null(strstr(out, "alpha"));
  assert_non_null(strstr(out, "k                    has no effect on restitution"));
  assert_int_equal(call("impact",
                        "--fit curve.csv hunt-crossley --vary alpha=0.01:1 --csv "
                        "--report curve.html",
                        out, sizeof out),
                   0);
  assert_non_null(strstr(out, "speed,restitution,computed,difference\n0.5,0.91,0.9"));
  assert_int_equal(access("curve.html", R_OK), 0);
  assert_int_equal(
      call("impact", "--fit curve.csv hunt-crossley --vary alpha --json", out, sizeof out), 0);
  assert_non_null(strstr(out, "\"without_effect\": [\n    \"k\""));
}

int main(void) {
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(intervals_of_dissipation_hold_the_truth),
      cmocka_unit_test(parameters_without_effect_are_found),
      cmocka_unit_test(a_combination_is_said_to_be_one),
      IN_FOLDER(mistakes_are_named),
      IN_FOLDER(the_program_fits_a_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
