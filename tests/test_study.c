/* Studies: designs, distributions, expressions, measures. */
#include "study/study.h"
#include "testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- designs --------------------------------------------------------------------------------- */

static void sobol_points_fill_every_elementary_interval(void **state) {
  (void)state;
  /* Of the first 2^k points each interval of length 2^-k holds one, in every dimension. */
  enum { POINTS = 256 };
  ff_design design = {FF_DESIGN_SOBOL, POINTS, 7};
  for (int d = 0; d < FF_SOBOL_DIMENSIONS; d++) {
    int count[POINTS] = {0};
    for (long i = 0; i < POINTS; i++) {
      count[(int)(ff_design_coordinate(&design, FF_SOBOL_DIMENSIONS, i, d) * POINTS)]++;
    }
    for (int i = 0; i < POINTS; i++) {
      assert_int_equal(count[i], 1);
    }
  }
}

static void two_sobol_dimensions_fill_squares(void **state) {
  (void)state;
  /* The first dimensions have t = 0: 256 points, one in each of 16 x 16 squares. */
  int count[16][16] = {{0}};
  ff_design design = {FF_DESIGN_SOBOL, 256, 1};
  for (long i = 0; i < 256; i++) {
    int x = (int)(16 * ff_design_coordinate(&design, 2, i, 0));
    int y = (int)(16 * ff_design_coordinate(&design, 2, i, 1));
    count[x][y]++;
  }
  for (int i = 0; i < 256; i++) {
    assert_int_equal(count[i / 16][i % 16], 1);
  }
}

static void latin_hypercubes_take_each_stratum_once(void **state) {
  (void)state;
  static const long sizes[] = {1, 2, 3, 17, 100, 1000};
  for (int s = 0; s < 6; s++) {
    long n = sizes[s];
    ff_design design = {FF_DESIGN_LATIN_HYPERCUBE, n, 5};
    for (int d = 0; d < 3; d++) {
      int *count = calloc((size_t)n, sizeof *count);
      for (long i = 0; i < n; i++) {
        double u = ff_design_coordinate(&design, 3, i, d);
        assert_true(u >= 0 && u < 1);
        count[(long)(u * (double)n)]++;
      }
      for (long i = 0; i < n; i++) {
        assert_int_equal(count[i], 1);
      }
      free(count);
    }
  }
}

static void seeds_change_a_design_and_indices_do_not_depend_on_order(void **state) {
  (void)state;
  for (int kind = FF_DESIGN_RANDOM; kind <= FF_DESIGN_SALTELLI; kind++) {
    ff_design a = {(ff_design_kind)kind, 64, 1}, b = {(ff_design_kind)kind, 64, 2};
    double first = ff_design_coordinate(&a, 3, 40, 2);
    assert_true(first != ff_design_coordinate(&b, 3, 40, 2));
    ff_design_coordinate(&a, 3, 3, 1);
    assert_true(first == ff_design_coordinate(&a, 3, 40, 2));
  }
}

static void saltelli_blocks_share_columns(void **state) {
  (void)state;
  ff_design design = {FF_DESIGN_SALTELLI, 32, 1};
  for (long i = 0; i < 32; i++) {
    for (int p = 0; p < 3; p++) {
      for (int k = 0; k < 3; k++) {
        double mixed = ff_design_coordinate(&design, 3, (k + 2) * 32 + i, p);
        long source = k == p ? 32 + i : i;
        assert_true(mixed == ff_design_coordinate(&design, 3, source, p));
      }
    }
  }
}

/* ---- distributions --------------------------------------------------------------------------- */

static void quantiles_are_those_of_the_distribution(void **state) {
  (void)state;
  ff_vary normal = {.kind = FF_VARY_NORMAL, .a = 2, .b = 3};
  for (double p = 1e-12; p < 1; p += 0.01037) { /* against erfc, which is independent */
    double x = ff_vary_quantile(&normal, p);
    assert_true(fabs(0.5 * erfc(-(x - 2) / 3 / sqrt(2.0)) - p) < 1e-14);
  }
  ff_vary triangle = {.kind = FF_VARY_TRIANGULAR, .a = 1, .b = 2, .c = 4};
  assert_true(fabs(ff_vary_quantile(&triangle, 1.0 / 3) - 2) < 1e-12);
  assert_true(fabs(ff_vary_quantile(&triangle, 0) - 1) < 1e-12);
  ff_vary log_normal = {.kind = FF_VARY_LOG_NORMAL, .a = 5, .b = 0.3};
  assert_true(fabs(ff_vary_quantile(&log_normal, 0.5) - 5) < 1e-12);
  ff_vary decades = {.kind = FF_VARY_LOG_RANGE, .a = 1, .b = 1e4, .count = 5};
  for (int i = 0; i < 5; i++) {
    assert_true(fabs(ff_vary_level(&decades, i) / pow(10, i) - 1) < 1e-14);
  }
  assert_true(ff_vary_level(&decades, 4) == 1e4);
}

/* ---- expressions ----------------------------------------------------------------------------- */

static double value_of(const char *text) {
  static const char *const names[] = {"x", "bodies.ball.mass", "a-b"};
  static const double values[] = {3, 0.5, 7};
  ff_arena arena = {0};
  ff_expression expression;
  ff_report report = {0};
  ff_status status = ff_expression_compile(&expression, &arena, text, names, 3, &report);
  double value = status == FF_OK ? ff_expression_value(&expression, values) : NAN;
  ff_arena_free(&arena);
  return value;
}

static void expressions_follow_the_rules_of_arithmetic(void **state) {
  (void)state;
  assert_true(value_of("1 + 2 * x") == 7);
  assert_true(value_of("(1 + 2) * x") == 9);
  assert_true(value_of("-2^2") == -4);
  assert_true(value_of("2^3^2") == 512);
  assert_true(value_of("2^-1") == 0.5);
  assert_true(value_of("8/2/2 - 1 - 1") == 0);
  assert_true(value_of("max(x, 5) + min(1, 2)") == 6);
  assert_true(value_of("sqrt(4) + abs(-1)") == 3);
  assert_true(value_of("2 * bodies.ball.mass") == 1);
  assert_true(value_of("'a-b' - x") == 4);
  static const char *const wrong[] = {"",    "1 +", "(1",    "1)",     "y", "max(1)",
                                      "x x", "'a",  "1..2.", "sqrt 4", "*"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    assert_true(isnan(value_of(wrong[i])));
  }
  char deep[4000];
  memset(deep, '(', sizeof deep);
  deep[sizeof deep - 1] = '\0';
  assert_true(isnan(value_of(deep)));
}

/* ---- measures -------------------------------------------------------------------------------- */

/* A body thrown up at 4.905 m/s: z = 4.905 t - 4.905 t^2, over one second. */
static const char scene_text[] =
    "footfall: 1\nduration: 1\nstepper: {kind: rk4, step: 1e-3}\n"
    "bodies: {ball: {mass: 1, shape: {sphere: {radius: 0.1}}, velocity: [0, 0, 4.905]}}\n";

static void measures_are_those_of_a_throw(void **state) {
  (void)state;
  char folder[] = "/tmp/footfall-study-XXXXXX", path[64], scene[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/study.yaml", folder);
  snprintf(scene, sizeof scene, "%s/scene.yaml", folder);
  FILE *out = fopen(scene, "w");
  fputs(scene_text, out);
  fclose(out);
  out = fopen(path, "w");
  fputs("study: 1\nscene: scene.yaml\nvary: {bodies.ball.mass: [1, 2]}\nmeasure:\n", out);
  static const struct {
    const char *name, *how;
    double value;
  } cases[] = {{"a", "take: end", 0},
               {"b", "take: max", 1.22625},
               {"c", "take: time-of-max", 0.5},
               {"d", "take: mean", 4.905 / 6},
               {"e", "take: integral", 4.905 / 6},
               {"f", "take: rms", 0.8955263815209467},
               {"g", "take: at, time: 0.25", 0.9196875},
               {"h", "take: time-above, value: 0.9196875", 0.25},
               {"i", "take: time-below, value: 0.9196875, from: 0.6", 0.75},
               {"j", "take: max, from: 0.75", 0.9196875},
               {"k", "take: start, from: 0.25", 0.9196875},
               {"l", "take: at, event: touch", NAN}};
  enum { CASES = sizeof cases / sizeof *cases };
  for (int i = 0; i < CASES; i++) {
    fprintf(out, "  %s: {channel: body.ball.position.z, %s}\n", cases[i].name, cases[i].how);
  }
  fputs("  m: {expression: \"b * bodies.ball.mass\"}\n", out);
  fclose(out);
  ff_study *study;
  ff_report report;
  assert_int_equal(ff_study_load(&study, path, &report), FF_OK);
  assert_int_equal(ff_study_run_count(study), 2);
  double measures[CASES + 1];
  ff_study_result result;
  ff_study_evaluate(study, 1, measures, &result, NULL);
  assert_int_equal(result.status, FF_OK);
  for (int i = 0; i < CASES; i++) {
    bool right =
        isnan(cases[i].value) ? isnan(measures[i]) : fabs(measures[i] - cases[i].value) < 2e-6;
    if (!right) {
      fail_msg("%s: %.12g instead of %.12g", cases[i].how, measures[i], cases[i].value);
    }
  }
  assert_true(fabs(measures[CASES] - 2 * 1.22625) < 1e-5);
  assert_string_equal(ff_study_measure_unit(study, 0), "m");
  assert_string_equal(ff_study_measure_unit(study, 2), "s");
  ff_study_destroy(&study);
  unlink(path);
  unlink(scene);
  rmdir(folder);
}

static ff_status load_version(int version, const char *rest, ff_study **study, ff_report *report) {
  char folder[] = "/tmp/footfall-study-XXXXXX", path[64], scene[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/study.yaml", folder);
  snprintf(scene, sizeof scene, "%s/scene.yaml", folder);
  FILE *out = fopen(scene, "w");
  fputs(scene_text, out);
  fclose(out);
  out = fopen(path, "w");
  fprintf(out, "study: %d\nscene: scene.yaml\n%s", version, rest);
  fclose(out);
  ff_status status = ff_study_load(study, path, report);
  unlink(path);
  unlink(scene);
  rmdir(folder);
  return status;
}

static ff_status load_study(const char *rest, ff_study **study, ff_report *report) {
  return load_version(1, rest, study, report);
}

static void studies_of_other_versions_are_refused(void **state) {
  (void)state;
  static const char rest[] = "vary: {bodies.ball.mass: [1, 2]}\n"
                             "measure: {last: {channel: body.ball.position.z}}\n";
  ff_study *study;
  ff_report report;
  assert_int_equal(load_version(1, rest, &study, &report), FF_OK);
  ff_study_destroy(&study);
  assert_int_equal(load_version(2, rest, &study, &report), FF_ERROR_INPUT);
  assert_non_null(strstr(report.what, "version 1, not 2"));
}

/* A study is wrong if none of its runs can be built; a single one of them is a failed run. */
static void a_first_run_that_fails_is_a_row(void **state) {
  (void)state;
  ff_study *study;
  ff_report report;
  ff_study_result result;
  double last;
  static const char measure[] = "measure: {last: {channel: body.ball.position.z}}\n";
  char text[300];
  snprintf(text, sizeof text, "vary: {bodies.ball.mass: [-1, 1]}\n%s", measure);
  assert_int_equal(load_study(text, &study, &report), FF_OK);
  ff_study_evaluate(study, 0, &last, &result, NULL);
  assert_int_equal(result.status, FF_ERROR_INPUT);
  assert_non_null(strstr(result.reason, "mass"));
  ff_study_destroy(&study);
  snprintf(text, sizeof text, "vary: {bodies.ball.mass: [-1, -2]}\n%s", measure);
  assert_int_equal(load_study(text, &study, &report), FF_ERROR_INPUT);
  assert_non_null(strstr(report.key, "mass"));
}

static void names_of_columns_are_not_taken_twice(void **state) {
  (void)state;
  ff_study *study;
  ff_report report;
  assert_int_equal(load_study("vary: {bodies.ball.mass: [1, 2]}\n"
                              "measure: {end: {channel: body.ball.position.z}}\n",
                              &study, &report),
                   FF_ERROR_INPUT);
  assert_non_null(strstr(report.what, "column"));
  assert_int_equal(load_study("vary: {m: {path: bodies.ball.mass, values: [1, 2]}}\n"
                              "measure: {m: {channel: body.ball.position.z}}\n",
                              &study, &report),
                   FF_ERROR_INPUT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sobol_points_fill_every_elementary_interval),
      cmocka_unit_test(two_sobol_dimensions_fill_squares),
      cmocka_unit_test(latin_hypercubes_take_each_stratum_once),
      cmocka_unit_test(seeds_change_a_design_and_indices_do_not_depend_on_order),
      cmocka_unit_test(saltelli_blocks_share_columns),
      cmocka_unit_test(quantiles_are_those_of_the_distribution),
      cmocka_unit_test(expressions_follow_the_rules_of_arithmetic),
      cmocka_unit_test(measures_are_those_of_a_throw),
      cmocka_unit_test(studies_of_other_versions_are_refused),
      cmocka_unit_test(a_first_run_that_fails_is_a_row),
      cmocka_unit_test(names_of_columns_are_not_taken_twice),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
