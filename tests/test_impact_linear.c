/* The linear impact in closed form: under-, critically and overdamped, clamped and not. */
#include "footfall/impact.h"

#include "impact_reference.h"

static ff_impact solve(double mass, double k, double b, double speed, bool clamp) {
  ff_linear_impact given = {mass, k, b, speed, clamp};
  ff_impact impact;
  assert_int_equal(ff_impact_linear(&impact, &given, NULL), FF_OK);
  return impact;
}

static void printed_restitutions(void **state) {
  (void)state;
  assert_close(solve(1, 1e4, 60, 1, false).restitution, .3723261, 5e-8);
  assert_close(solve(1, 1e4, 60, 1, true).restitution, .45097545, 5e-9);
  /* [Marhefka96 eq. 4], and e = exp(-b t_c / 2m) with the clamp */
  ff_impact r = solve(3, 2e4, 100, 2, false);
  assert_near(r.restitution, exp(-100 * acos(-1.0) / sqrt(4 * 3 * 2e4 - 1e4)), 1e-15);
  r = solve(3, 2e4, 100, 2, true);
  assert_near(r.restitution, exp(-100 * r.duration / 6), 1e-15);
}

/* 20,000 Runge-Kutta steps are exact to 1e-13 on a linear equation. */
static void agrees_with_brute_force(void **state) {
  (void)state;
  const double ratios[] = {1e-6, 0.01,     0.3, 0.49,     0.499999, 0.5, 0.51,
                           0.9,  0.999999, 1,   1.000001, 1.5,      4};
  for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++) {
    double mass = 2, k = 3e4, b = 2 * ratios[i] * sqrt(mass * k), speed = 1.5;
    ff_impact r = solve(mass, k, b, speed, true);
    motion m = {.mass = mass, .force = linear_force, .k = k, .b = b, .v = speed};
    double h = r.duration / 20000;
    motion deep = motion_run(m, h, until_deepest);
    assert_near(r.depth_max, deep.x, 1e-11);
    assert_near(r.time_depth_max, deep.t, 1e-11);
    if (ratios[i] < 0.499) { /* the time of a peak at the touch's edge is ill-posed for steps */
      motion peak = motion_run(m, h, until_peak_linear);
      assert_near(r.time_force_max, peak.t, 1e-10);
      assert_near(r.force_max, linear_force(&peak, peak.x, peak.v), 1e-11);
      assert_near(r.depth_force_max, peak.x, 1e-10);
      assert_near(r.velocity_force_max, peak.v, 1e-10);
    }
    motion end = motion_run(deep, h, until_no_force);
    assert_near(r.duration, end.t, 1e-10);
    assert_near(r.speed_out, -end.v, 1e-10);
    assert_close(r.energy_lost, end.work, 1e-10 * r.energy_lost + 1e-14);
    assert_near(r.time_clear, end.t - end.x / end.v, 1e-10); /* coasting */
    if (ratios[i] < 0.95) {
      r = solve(mass, k, b, speed, false);
      end = motion_run(deep, h, until_out);
      assert_near(r.duration, end.t, 1e-10);
      assert_true(r.time_clear == r.duration);
      assert_near(r.speed_out, -end.v, 1e-10);
      assert_close(r.energy_lost, end.work, 1e-10 * r.energy_lost + 1e-14);
    }
  }
}

static void clamp_bounces_higher(void **state) {
  (void)state;
  for (double ratio = 0.05; ratio < 1; ratio += 0.05) {
    double b = 2 * ratio * 100;
    assert_true(solve(1, 1e4, b, 1, true).restitution > solve(1, 1e4, b, 1, false).restitution);
  }
}

/* From damping ratio 1/2 on the largest push is the step at the touch. */
static void strong_damping_peaks_at_the_touch(void **state) {
  (void)state;
  ff_impact r = solve(1, 1e4, 150, 2, true);
  assert_true(r.force_max == 300 && r.time_force_max == 0 && r.depth_force_max == 0);
  assert_true(r.velocity_force_max == 2);
  ff_impact below = solve(1, 1e4, 100 * (1 - 1e-13), 2, true), at = solve(1, 1e4, 100, 2, true);
  assert_near(below.force_max, at.force_max, 2e-13);
  assert_close(below.time_force_max, 0, 1e-14);
}

/* Both sides of critical damping meet there; exact values at it are powers of e. */
static void continuous_through_critical_damping(void **state) {
  (void)state;
  ff_impact at = solve(1, 1e4, 200, 1, true);
  assert_near(at.restitution, exp(-2.0), 1e-15);
  assert_near(at.depth_max, 0.01 * exp(-1.0), 1e-15);
  assert_near(at.duration, 0.02, 1e-15);
  for (int side = -1; side <= 1; side += 2) {
    ff_impact near = solve(1, 1e4, 200 * (1 + side * 0x1p-48), 1, true);
    assert_near(near.restitution, at.restitution, 1e-14);
    assert_near(near.depth_max, at.depth_max, 1e-14);
    assert_near(near.duration, at.duration, 1e-14);
  }
}

static void without_damping_nothing_is_lost(void **state) {
  (void)state;
  for (int clamp = 0; clamp < 2; clamp++) {
    ff_impact r = solve(1, 1e4, 0, 1, clamp);
    assert_true(r.restitution == 1 && r.energy_lost == 0);
    assert_near(r.duration, acos(-1.0) / 100, 1e-15);
    assert_near(r.time_force_max, acos(-1.0) / 200, 1e-15);
    /* and the first loss is pi b v^2 / (2 omega) */
    assert_near(solve(1, 1e4, 1e-12, 1, clamp).energy_lost, acos(-1.0) * 1e-12 / 200, 1e-12);
  }
}

static void bad_parameters_are_named(void **state) {
  (void)state;
  const struct {
    ff_linear_impact given;
    const char *key, *what;
  } cases[] = {
      {{0, 1, 0, 1, true}, "mass", "greater than 0"},
      {{1, -1, 0, 1, true}, "k", "greater than 0"},
      {{1, NAN, 0, 1, true}, "k", "must be given"},
      {{1, 1, -0.1, 1, true}, "b", "at least 0"},
      {{1, 1, 0, 0, true}, "speed", "greater than 0"},
      {{1, 1e4, 200, 1, false}, "b", "never separates"},
      {{1, 1e4, 900, 1, false}, "b", "never separates"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ff_impact impact;
    ff_report report;
    assert_int_equal(ff_impact_linear(&impact, &cases[i].given, &report), FF_ERROR_INPUT);
    assert_string_equal(report.key, cases[i].key);
    assert_true(strstr(report.what, cases[i].what) != NULL);
  }
  ff_linear_impact open = ff_linear_impact_default();
  ff_impact impact;
  assert_int_equal(ff_impact_linear(&impact, &open, NULL), FF_ERROR_INPUT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(printed_restitutions),
      cmocka_unit_test(agrees_with_brute_force),
      cmocka_unit_test(clamp_bounces_higher),
      cmocka_unit_test(strong_damping_peaks_at_the_touch),
      cmocka_unit_test(continuous_through_critical_damping),
      cmocka_unit_test(without_damping_nothing_is_lost),
      cmocka_unit_test(bad_parameters_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
