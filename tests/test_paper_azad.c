/* `footfall paper azad-featherstone-2010`: every number of the reproduction that is known. */
#include "testing.h"

#include <sys/wait.h>

static char json[200000];

/* One reproduction serves all tests. */
static int reproduce(void **state) {
  (void)state;
  char command[1024];
  snprintf(command, sizeof command, "'%s' paper azad-featherstone-2010 --json --quick 2>&1",
           FF_PROGRAM);
  FILE *pipe = popen(command, "r");
  size_t used = pipe ? fread(json, 1, sizeof json - 1, pipe) : 0;
  json[used] = '\0';
  int status = pipe ? pclose(pipe) : -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static double value_of(const char *key) {
  char pattern[128];
  snprintf(pattern, sizeof pattern, "\"%s\"", key);
  const char *at = strstr(json, pattern);
  at = at ? strstr(at, "\"value\": ") : NULL;
  if (!at) {
    fail_msg("no value of %s", key);
    return NAN;
  }
  return strtod(at + 9, NULL);
}

static void numbers_are_those_known(void **state) {
  (void)state;
  static const struct {
    const char *key;
    double value;
  } numbers[] = {
      {"restitution.1e-3", .878666801},
      {"restitution.1e-2", .816981402},
      {"restitution.1e-1", .731276940},
      {"restitution.1e0", .620290784},
      {"restitution.1e1", .489956361},
      {"bounce1.touch", .142784312},
      {"bounce1.force_max", 266.616913},
      {"bounce1.clear", .145370357},
      {"bounce1.apex", .0357828177},
      {"bounce2.touch", .316193913},
      {"bounce2.force_max", 146.437486},
      {"bounce2.clear", .319046778},
      {"bounce2.apex", .0138804120},
      {"bounce3.touch", .425439438},
      {"bounce3.force_max", 84.6685666},
      {"bounce3.clear", .428570778},
      {"bounce3.apex", .00573556452},
      {"roll.x", .374041243},
      {"roll.body", .0523794530},
      {"roll.normal_damper", .126175444},
      {"roll.tangent_damper", .00363698774},
      {"roll.clutch", .00803310788},
      {"roll.path", -.000670095615},
  };
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    assert_near(value_of(numbers[i].key), numbers[i].value, 1e-8);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_are_those_known)};
  return cmocka_run_group_tests(tests, reproduce, NULL);
}
