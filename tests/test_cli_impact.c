/* `footfall impact` as a user calls it: what it prints and how it ends. */
#include "footfall/footfall.h"

#include "impact_reference.h"
#include "program.h"

/* Numbers of the line after the header. */
static int numbers(const char *csv, double *values, int most) {
  const char *at = strchr(csv, '\n');
  int count = 0;
  assert_non_null(at);
  for (char *end; count < most; at = end) {
    values[count++] = strtod(at + 1, &end);
    if (*end != ',') {
      break;
    }
  }
  return count;
}

/* Tolerance: half a unit of the last printed digit. */
static void prints_the_reference_impact(void **state) {
  (void)state;
  char out[4096];
  double v[8];
  assert_int_equal(call("impact",
                        "hunt-crossley --mass 1 --speed 1 --set k=1e4 --set n=1 --set alpha=0.4 "
                        "--csv",
                        out, sizeof out),
                   0);
  assert_true(strncmp(out,
                      "speed,restitution,depth_max,force_max,time_force_max,duration,"
                      "energy_lost\n",
                      73) == 0);
  assert_int_equal(numbers(out, v, 8), 7);
  assert_true(v[0] == 1.0);
  assert_near(v[1], ff_impact_restitution(0.4), 1e-10);
  assert_near(v[2], .0084982472, 1e-8);
  assert_near(v[3], 94.871433, 1e-8);
  assert_near(v[4], .010183488, 1e-7);
  assert_near(v[5], .031757147, 1e-8);
  assert_near(v[6], .24656347, 1e-8);
}

static void closed_forms_stand_beside(void **state) {
  (void)state;
  char out[4096];
  double v[16];
  assert_int_equal(call("impact",
                        "linear --mass 1 --speed 1 --set k=1e4 --set b=60 --set clamp=0 "
                        "--closed-form --csv -",
                        out, sizeof out),
                   0);
  assert_int_equal(numbers(out, v, 16), 13);
  for (int i = 1; i <= 6; i++) {
    assert_near(v[i], v[i + 6], 1e-10);
  }
}

static void speeds_come_as_lists_and_ranges(void **state) {
  (void)state;
  char out[4096];
  assert_int_equal(
      call("impact", "linear --mass 1 --set k=1e4 --speed 0.5,1:2:3 --csv", out, sizeof out), 0);
  int lines = 0;
  for (const char *c = out; *c; c++) {
    lines += *c == '\n';
  }
  assert_int_equal(lines, 1 + 4);
  assert_non_null(strstr(out, "\n0.5,"));
  assert_non_null(strstr(out, "\n1.5,"));
  assert_non_null(strstr(out, "\n2,"));
}

static void json_has_the_law_and_its_parameters(void **state) {
  (void)state;
  char out[4096];
  assert_int_equal(call("impact", "linear --mass 2 --set k=1e4 --speed 1 --gravity 9.81 --json",
                        out, sizeof out),
                   0);
  assert_non_null(strstr(out, "\"law\": \"linear\""));
  assert_non_null(strstr(out, "\"gravity\": 9.81"));
  assert_non_null(strstr(out, "\"k\": 10000"));
  assert_non_null(strstr(out, "\"restitution\": "));
}

static void solves_backwards(void **state) {
  (void)state;
  char out[4096];
  double v[4];
  assert_int_equal(
      call("impact", "--solve alpha --restitution 0.7 --speed 1 --csv", out, sizeof out), 0);
  assert_int_equal(numbers(out, v, 4), 2);
  assert_near(ff_impact_restitution(v[1]), 0.7, 1e-15);
  assert_int_equal(call("impact",
                        "--solve k --force 94.871433 --mass 1 --speed 1 --set n=1 --set alpha=0.4 "
                        "--csv",
                        out, sizeof out),
                   0);
  assert_int_equal(numbers(out, v, 4), 2);
  assert_near(v[1], 1e4, 2e-8); /* k goes as the square of the printed force */
  assert_int_equal(
      call("impact", "--solve k --depth 0.01 --mass 1 --speed 1 --set n=1 --csv", out, sizeof out),
      0);
  assert_int_equal(numbers(out, v, 4), 2);
  assert_near(v[1], 1e4, 1e-14);
}

static void wrong_calls_end_with_two_and_a_reason(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"", "no law given"},
      {"linaer --mass 1 --speed 1 --set k=1", "did you mean 'linear'"},
      {"coulomb --mass 1 --speed 1", "unknown normal law"},
      {"linear --speed 1 --set k=1", "--mass is missing"},
      {"linear --mass 1 --set k=1", "--speed is missing"},
      {"linear --mass 0 --speed 1 --set k=1", "mass"},
      {"linear --mass nan --speed 1 --set k=1", "mass"},
      {"linear --mass 1 --speed 0 --set k=1", "speed"},
      {"linear --mass 1 --speed 1,,2 --set k=1", "--speed"},
      {"linear --mass 1 --speed 1:2:0 --set k=1", "--speed"},
      {"linear --mass 1 --speed 1:2:1e9 --set k=1", "--speed"},
      {"linear --mass 1 --speed one --set k=1", "--speed"},
      {"linear --mass 1 --speed 1", "must be given"},
      {"linear --mass 1 --speed 1 --set k=-1", "k"},
      {"linear --mass 1 --speed 1 --set k", "PARAM=VALUE"},
      {"linear --mass 1 --speed 1 --set k=x", "not a number"},
      {"linear --mass 1 --speed 1 --set kk=1", "did you mean 'k'"},
      {"linear --mass 1 --speed 1 --set k=1 --gravity -1", "gravity"},
      {"linear --mass 1 --speed 1 --set k=1e4 --set b=200 --set clamp=0", "never separates"},
      {"linear --mass 1 --speed 1 --set k=1e4 --set b=1e7 --set clamp=0", "never separates"},
      {"linear --mass 1 --speed 1 --set k=1e4 --gravity 1 --closed-form", "without gravity"},
      {"linear --mass 1 --speed 1 --set k=1e4 --csv --json", "either"},
      {"hunt-crossley --mass 1 --speed 1 --set k=1e4 --set alpha=-1", "alpha"},
      {"hunt-crossley --mass 1 --speed 1 --set k=1e4 --set n=0.5", "n"},
      {"hunt-crossley --mass 1 --speed 1 --set k=0 --set n=1", "k: must be greater than 0"},
      {"hunt-crossley --mass 1 --speed 1 --set k=-1e4 --set n=1", "k: must be greater than 0"},
      {"hunt-crossley --mass 1 --speed 0 --set k=1e4 --set n=1", "speed: must be"},
      {"hunt-crossley --mass 1 --speed 1,0 --set k=1e4 --set n=1", "speed: must be"},
      {"hunt-crossley --mass 1 --speed -1 --set k=1e4 --set n=1", "speed: must be"},
      {"hunt-crossley --mass 1 --speed 1 --set k=1e4 --set n=1 --set alpha_restitution=-1",
       "alpha_restitution"},
      {"linear --mass 1 --speed 1 --set k=1e4 --set b=-1", "b"},
      {"linear hunt-crossley --mass 1 --speed 1", "one law"},
      {"--solve alpha --speed 1", "--restitution"},
      {"--solve alpha --restitution 1.2 --speed 1", "no alpha"},
      {"--solve alpha --restitution 0 --speed 1", "no alpha"},
      {"--solve b --speed 1 --mass 1", "alpha or k"},
      {"--solve k --speed 1 --mass 1", "--depth or --force"},
      {"--solve k --speed 1 --mass 1 --depth -1", "depth"},
      {"linear --solve k --speed 1 --mass 1 --depth 1", "hunt-crossley"},
      {"--wrong", "unrecognized option"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char out[4096];
    int code = call("impact", cases[i][0], out, sizeof out);
    if (code != 2 || !strstr(out, cases[i][1])) {
      print_error("impact %s: exit %d, %s\n", cases[i][0], code, out);
      fail();
    }
  }
}

/* A drop from a height, the whole impact under gravity, against brute force. Tolerance: what
 * simulated impacts promise. */
static double heavy(const motion *m, double x, double v) {
  return hunt_crossley_force(m, x, v) - m->mass * 9.81;
}

static void drops_under_gravity(void **state) {
  (void)state;
  const double cases[][5] = {
      {1, 1e4, 1, 0.4, 0.05}, {0.2, 1e6, 1.5, 0.2, 1}, {20, 5e5, 2, 0.05, 0.3}};
  for (int i = 0; i < 3; i++) {
    const double *c = cases[i];
    double speed = sqrt(2 * 9.81 * c[4]), v[8];
    char out[4096], arguments[512];
    snprintf(arguments, sizeof arguments,
             "hunt-crossley --mass %g --speed %.17g --gravity 9.81 --set k=%g --set n=%g "
             "--set alpha=%g --csv",
             c[0], speed, c[1], c[2], c[3]);
    assert_int_equal(call("impact", arguments, out, sizeof out), 0);
    assert_int_equal(numbers(out, v, 8), 7);
    motion m = {.mass = c[0], .force = heavy, .k = c[1], .n = c[2], .alpha = c[3], .v = speed};
    double h = v[5] / 40000;
    motion deep = motion_run(m, h, until_deepest), end = motion_run(deep, h, until_out);
    assert_near(v[1], -end.v / speed, 1e-8);
    assert_near(v[2], deep.x, 1e-8);
    assert_near(v[5], end.t, 1e-8);
    assert_near(v[6], end.work, 1e-8);
  }
}

static void linear_over_and_under_with_and_without(void **state) {
  (void)state;
  const char *const cases[] = {
      "b=1",    "b=60", "b=60 --set clamp=0", "b=199 --set clamp=0", "b=199", "b=200",
      "b=1000", "b=1e5"};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char out[4096], arguments[256];
    double v[16];
    snprintf(arguments, sizeof arguments,
             "linear --mass 1 --speed 0.5 --set k=1e4 --set %s --closed-form --csv", cases[i]);
    assert_int_equal(call("impact", arguments, out, sizeof out), 0);
    assert_int_equal(numbers(out, v, 16), 13);
    for (int q = 1; q <= 6; q++) {
      assert_close(v[q], v[q + 6], 1e-7 * fabs(v[q + 6]));
    }
  }
}

static void help_is_good(void **state) {
  (void)state;
  char out[8192];
  assert_int_equal(call("impact", "--help", out, sizeof out), 0);
  assert_non_null(strstr(out, "--closed-form"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(prints_the_reference_impact),
      cmocka_unit_test(closed_forms_stand_beside),
      cmocka_unit_test(speeds_come_as_lists_and_ranges),
      cmocka_unit_test(json_has_the_law_and_its_parameters),
      cmocka_unit_test(solves_backwards),
      cmocka_unit_test(wrong_calls_end_with_two_and_a_reason),
      cmocka_unit_test(drops_under_gravity),
      cmocka_unit_test(linear_over_and_under_with_and_without),
      cmocka_unit_test(help_is_good),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
