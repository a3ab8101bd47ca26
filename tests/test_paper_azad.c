/* `footfall paper azad-featherstone-2010`: every number of the reproduction that is known. */
#include "folder.h"
#include "paper_json.h"

#include "footfall/footfall.h"

static void write_text(const char *path, const char *text) {
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  fputs(text, out);
  fclose(out);
}

/* Restitution of the paper's sphere on ground of another damping. */
static double restitution(double damping, double speed) {
  const ff_law *law = ff_law_find(FF_LAW_NORMAL, "azad-featherstone");
  ff_law_params params;
  ff_impact impact;
  ff_law_params_default(law, &params);
  assert_int_equal(ff_law_params_set(law, &params, "K", 8.5e6, NULL), FF_OK);
  assert_int_equal(ff_law_params_set(law, &params, "D", damping, NULL), FF_OK);
  assert_int_equal(ff_law_params_resolve(law, &params, NULL, NULL), FF_OK);
  assert_int_equal(ff_impact_simulate(&impact, law, &params, .154, speed, 0, NULL), FF_OK);
  return impact.restitution;
}

/* One reproduction with data serves most tests: exact.csv is the model's own with D = 5e3, in
 * rough.csv are points that no D meets. */
static int reproduce(void **state) {
  if (enter_folder(state) != 0) {
    return -1;
  }
  char text[1024] = "speed,restitution\n";
  for (double speed = 1e-3; speed < 100; speed *= 7) {
    size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, "%.17g,%.17g\n", speed, restitution(5e3, speed));
  }
  write_text("exact.csv", text);
  write_text("rough.csv", "\xEF\xBB\xBF# by hand\r\n\r\nspeed, restitution\r\n"
                          "0.1, 0.8\r\n1, 0.7\r\n3, 0.5");
  return paper("azad-featherstone-2010 --json --quick --data exact.csv --data rough.csv");
}

static int leave(void **state) {
  (void)state;
  unlink("exact.csv");
  unlink("rough.csv");
  unlink("bad.csv");
  return remove_folder();
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

static void fit_finds_the_damping_of_the_data(void **state) {
  (void)state;
  /* The curve is interpolated: a cubic between 32 points in a decade. */
  assert_near(value_of("data1.D"), 5e3, 1e-6);
  assert_close(value_of("data1.rms"), 0, 2e-7);
  assert_true(value_of("data1.rms_classical") > 0.1);
}

static double rms_of_rough(double damping) {
  static const double speed[] = {.1, 1, 3}, e[] = {.8, .7, .5};
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    double off = restitution(damping, speed[i]) - e[i];
    sum += off * off;
  }
  return sqrt(sum / 3);
}

/* By impacts that know nothing of the one curve: no D nearby is better. */
static void fit_is_the_least_of_squares(void **state) {
  (void)state;
  double best = value_of("data2.D"), rms = rms_of_rough(best);
  assert_near(value_of("data2.rms"), rms, 1e-6);
  assert_true(rms_of_rough(best * 1.003) > rms && rms_of_rough(best / 1.003) > rms);
  assert_near(value_of("data2.rms_paper"), rms_of_rough(3.1e3), 1e-6);
}

static void materials_pass_through_what_is_assumed(void **state) {
  (void)state;
  assert_near(value_of("fig4.A.restitution"), .70, 1e-6);
  assert_near(value_of("fig4.B.restitution"), value_of("restitution.1e0"), 1e-12);
  assert_near(value_of("fig4.C.restitution"), .60, 1e-6);
  assert_near(value_of("fig4.D.restitution"), .25, 1e-6);
  /* Every one of them falls with the logarithm of speed. */
  assert_true(value_of("fig4.A.slope") < -.05 && value_of("fig4.C.slope") < -.05);
  assert_true(value_of("fig4.D.slope") < -.05);
}

static void bad_data_is_refused_with_its_line(void **state) {
  (void)state;
  static const struct {
    const char *text, *said;
  } cases[] = {
      {"", "bad.csv:1:1: the header must be 'speed,restitution'"},
      {"v,e\n1,.5\n", "bad.csv:1:1: the header must be 'speed,restitution'"},
      {"speed\n1\n", "bad.csv:1:1: the header must be"},
      {"speed,restitution,mass\n1,.5,1\n", "bad.csv:1:19: the header must be"},
      {"speed,restitution\n", "there is no row below the header"},
      {"speed,restitution\n1,.5\n1,1.5\n", "bad.csv:3:3: restitution: must be"},
      {"speed,restitution\n1,-.1\n", "bad.csv:2:3: restitution: must be"},
      {"speed,restitution\n\n0,.5\n", "bad.csv:3:1: speed: must be"},
      {"speed,restitution\nnan,.5\n", "bad.csv:2:1: speed: must be a finite number"},
      {"speed,restitution\ninf,.5\n", "bad.csv:2:1: speed: must be a finite number"},
      {"speed,restitution\n1,much\n", "got 'much'"},
      {"speed,restitution\n1\n", "bad.csv:2:1: restitution: is missing"},
      {"speed,restitution\n1,.5,2\n", "bad.csv:2:6: line has more cells"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    write_text("bad.csv", cases[i].text);
    assert_int_equal(paper("azad-featherstone-2010 --json --data bad.csv"), 2);
    if (!strstr(json, cases[i].said)) {
      fail_msg("'%s' is not in: %s", cases[i].said, json);
    }
  }
}

static void data_must_be_there_and_be_wanted(void **state) {
  (void)state;
  assert_int_equal(paper("azad-featherstone-2010 --json --data none.csv"), 2);
  assert_non_null(strstr(json, "none.csv: cannot be read"));
  assert_int_equal(paper("azad-featherstone-2010 --json --data ."), 2);
  assert_int_equal(paper("brown-mcphee-2018 --json --data exact.csv"), 2);
  assert_non_null(strstr(json, "brown-mcphee-2018 takes no data"));
  assert_int_equal(paper("--data exact.csv"), 2);
}

/* The last tests run the program anew: what reproduce left must have been looked at by then. */
static void every_claim_has_criteria_with_their_source(void **state) {
  (void)state;
  claims_are_stated();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_claim_has_criteria_with_their_source),
      cmocka_unit_test(numbers_are_those_known),
      cmocka_unit_test(fit_finds_the_damping_of_the_data),
      cmocka_unit_test(fit_is_the_least_of_squares),
      cmocka_unit_test(materials_pass_through_what_is_assumed),
      cmocka_unit_test(bad_data_is_refused_with_its_line),
      cmocka_unit_test(data_must_be_there_and_be_wanted),
  };
  return cmocka_run_group_tests(tests, reproduce, leave);
}
