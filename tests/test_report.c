/* Reports say where, what, what is allowed and what was probably meant. */
#include "base/report.h"
#include "testing.h"

static void unknown_word_names_the_nearest(void **state) {
  (void)state;
  const char *known[] = {"mass", "density", "inertia"};
  ff_report report;
  assert_int_equal(ff_report_unknown(&report, "key", "mas", known, 3), FF_ERROR_INPUT);
  assert_string_equal(report.nearest, "mass");
  assert_string_equal(report.expected, "mass, density, inertia");
}

static void far_word_gets_no_suggestion(void **state) {
  (void)state;
  const char *known[] = {"mass", "density"};
  assert_int_equal(ff_nearest_word("temperature", known, 2), -1);
}

/* Only if it is the only one: "den" could be either. */
static void begun_word_is_finished(void **state) {
  (void)state;
  const char *known[] = {"hunt-crossley", "density", "density-of-air", "none"};
  assert_int_equal(ff_nearest_word("hunt", known, 4), 0);
  assert_int_equal(ff_nearest_word("den", known, 4), -1);
  assert_int_equal(ff_nearest_word("no", known, 1), -1);
}

static void text_puts_the_place_first(void **state) {
  (void)state;
  ff_report report;
  ff_report_what(&report, "must be greater than 0, got -1");
  ff_report_key(&report, "bodies.%s.mass", "ball");
  snprintf(report.file, sizeof report.file, "ball.yaml");
  report.line = 3;
  report.column = 9;
  char text[256];
  ff_report_text(&report, text, sizeof text);
  assert_string_equal(text, "ball.yaml:3:9: bodies.ball.mass: must be greater than 0, got -1");
}

static void null_report_is_fine(void **state) {
  (void)state;
  assert_int_equal(ff_report_what(NULL, "x"), FF_ERROR_INPUT);
  ff_report_key(NULL, "x");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unknown_word_names_the_nearest),
      cmocka_unit_test(far_word_gets_no_suggestion),
      cmocka_unit_test(begun_word_is_finished),
      cmocka_unit_test(text_puts_the_place_first),
      cmocka_unit_test(null_report_is_fine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
