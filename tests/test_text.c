/* Numbers survive text, in any locale. */
#include "base/text.h"
#include "testing.h"

#include <float.h>
#include <locale.h>

static void reads_back_to_the_same_bits(void **state) {
  (void)state;
  uint64_t seed = 12345;
  for (int i = 0; i < 20000; i++) {
    uint64_t bits = (uint64_t)(ff_random(&seed) * 4294967296.0) << 32 |
                    (uint64_t)(ff_random(&seed) * 4294967296.0);
    double value, back;
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value)) {
      continue;
    }
    char text[FF_NUMBER_SIZE];
    assert_true(ff_number_read(ff_number_text(value, text), &back));
    assert_memory_equal(&value, &back, sizeof value);
  }
}

static void text_is_short(void **state) {
  (void)state;
  const struct {
    double value;
    const char *text;
  } cases[] = {{0.1, "0.1"},
               {1, "1"},
               {-0.0, "-0"},
               {1e300, "1e+300"},
               {5e-324, "5e-324"},
               {0.1 + 0.2, "0.30000000000000004"},
               {DBL_MAX, "1.7976931348623157e+308"},
               {INFINITY, "inf"},
               {-INFINITY, "-inf"},
               {NAN, "nan"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char text[FF_NUMBER_SIZE];
    assert_string_equal(ff_number_text(cases[i].value, text), cases[i].text);
  }
}

static void reads_what_people_write(void **state) {
  (void)state;
  const struct {
    const char *text;
    double value;
  } good[] = {{"1e-3", 1e-3}, {"+2.5E2", 250},    {".5", 0.5},          {"5.", 5},
              {"-7", -7},     {".inf", INFINITY}, {"-.INF", -INFINITY}, {"inf", INFINITY}};
  double value;
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    assert_true(ff_number_read(good[i].text, &value));
    assert_true(value == good[i].value);
  }
  assert_true(ff_number_read("90 deg", &value));
  assert_near(value, 1.5707963267948966, 1e-16); /* one rounding */
  ff_unit unit;
  assert_true(ff_number_scan("-180 deg/s", &value, &unit) && unit == FF_UNIT_DEG_S);
  assert_near(value, -3.141592653589793, 3e-16);
  assert_true(ff_number_read(".nan", &value) && isnan(value));
}

static void refuses_what_is_no_number(void **state) {
  (void)state;
  const char *bad[] = {"",         " 1",     "1 ",  "1x",      "0x10",  "1e",  "e5",
                       ".",        "-",      "1,5", "1..2",    "1 rad", "1 2", "deg",
                       "infinity", "nan(1)", "--1", "1 deg x", "1e5.5"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    double value;
    if (ff_number_read(bad[i], &value)) {
      fail_msg("'%s' was read as %g", bad[i], value);
    }
  }
}

static void locale_changes_nothing(void **state) {
  (void)state;
  if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8")) {
    skip(); /* no locale with a decimal comma on this machine */
  }
  char text[FF_NUMBER_SIZE];
  double value;
  assert_string_equal(ff_number_text(0.5, text), "0.5");
  assert_true(ff_number_read("0.25", &value));
  assert_true(value == 0.25);
  setlocale(LC_ALL, "C");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_back_to_the_same_bits), cmocka_unit_test(text_is_short),
      cmocka_unit_test(reads_what_people_write),     cmocka_unit_test(refuses_what_is_no_number),
      cmocka_unit_test(locale_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
