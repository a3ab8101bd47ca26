/* footfall laws: what it prints and how it ends. */
#include "footfall/law.h"
#include "program.h"

enum { TEXT_MAX = 1 << 16 };

static char text[TEXT_MAX];

static void all_laws_are_listed(void **state) {
  (void)state;
  assert_int_equal(call("laws", "", text, sizeof text), 0);
  for (int i = 0; i < ff_law_count(); i++) {
    assert_non_null(strstr(text, ff_law_at(i)->name));
    assert_non_null(strstr(text, ff_law_at(i)->summary));
  }
}

static void a_law_tells_its_parameters_and_published_numbers(void **state) {
  (void)state;
  for (int i = 0; i < ff_law_count(); i++) {
    const ff_law *law = ff_law_at(i);
    char arguments[64];
    for (int json = 0; json < 2; json++) {
      snprintf(arguments, sizeof arguments, "%s%s", law->name, json ? " --json" : "");
      assert_int_equal(call("laws", arguments, text, sizeof text), 0);
      for (int j = 0; j < law->params_count; j++) {
        assert_non_null(strstr(text, law->params[j].name));
        assert_non_null(strstr(text, law->params[j].meaning));
      }
      for (int j = 0; j < law->published_count; j++) {
        assert_non_null(strstr(text, law->published[j].source));
      }
    }
  }
}

static void an_unknown_law_ends_with_the_nearest(void **state) {
  (void)state;
  assert_int_equal(call("laws", "hunt-crosley", text, sizeof text), 2);
  assert_non_null(strstr(text, "did you mean 'hunt-crossley'?"));
}

static void bad_arguments_end_with_2(void **state) {
  (void)state;
  assert_int_equal(call("laws", "linear coulomb", text, sizeof text), 2);
  assert_int_equal(call("laws", "--markdown", text, sizeof text), 2);
  assert_int_equal(call("laws", "--no-such-option", text, sizeof text), 2);
}

static void help_is_there(void **state) {
  (void)state;
  assert_int_equal(call("laws", "--help", text, sizeof text), 0);
  assert_non_null(strstr(text, "--markdown"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_laws_are_listed),
      cmocka_unit_test(a_law_tells_its_parameters_and_published_numbers),
      cmocka_unit_test(an_unknown_law_ends_with_the_nearest),
      cmocka_unit_test(bad_arguments_end_with_2),
      cmocka_unit_test(help_is_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
