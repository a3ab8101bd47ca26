/* The Hunt-Crossley impact in closed form against its paper, against numbers of sixty digits,
 * and against brute force. */
#include "footfall/impact.h"

#include "impact_reference.h"
#include "law/impact_curve.h"

static ff_impact solve(double mass, double k, double n, double alpha, double alpha_restitution,
                       double speed) {
  ff_hunt_crossley_impact given = {mass, k, n, alpha, alpha_restitution, speed};
  ff_impact impact;
  assert_int_equal(ff_impact_hunt_crossley(&impact, &given, NULL), FF_OK);
  return impact;
}

/* Half a unit of the eighth or ninth digit that is printed. */
static void reference_impacts_of_the_paper(void **state) {
  (void)state;
  const struct {
    double mass, k, alpha, speed, depth, force, time, duration, lost;
  } cases[] = {
      {1, 1e4, 0.4, 1, .0084982472, 94.871433, .010183488, .031757147, .24656347},
      {50, 5e4, 0.5, 1, .026017718, 1514.8403, .029799472, .10092798, 14.012028},
      {10, 2.5e4, 0.5, 0.5, .0089677957, 236.17830, .023388649, .063128272, .45160163},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ff_impact r = solve(cases[i].mass, cases[i].k, 1, cases[i].alpha, NAN, cases[i].speed);
    assert_near(r.depth_max, cases[i].depth, 5e-8);
    assert_near(r.force_max, cases[i].force, 5e-8);
    assert_near(r.time_force_max, cases[i].time, 5e-8);
    assert_near(r.duration, cases[i].duration, 5e-8);
    assert_near(r.energy_lost, cases[i].lost, 5e-8);
  }
}

static void printed_restitutions(void **state) {
  (void)state;
  assert_close(ff_impact_restitution(0.01), .9900989128, 5e-11);
  assert_close(ff_impact_restitution(0.1), .9090157413, 5e-11);
  assert_close(ff_impact_restitution(0.5), .662962200, 5e-10);
  assert_close(ff_impact_restitution(1), .4877412560, 5e-11);
  assert_close(ff_impact_restitution(5), .133102336, 5e-10);
}

/* 1 + W0(-(1+y) exp(-(1+y))) over y = 3/2 s, by mpmath with 60 digits. */
static void restitution_to_the_last_bits(void **state) {
  (void)state;
  const double table[][2] = {
      {1e-12, 0.999999999999},
      {1e-9, 0.999999999000000001},
      {1e-6, 0.9999990000009999989},
      {1e-3, 0.9990009989012983948823},
      {0.01, 0.9900989128413079347481},
      {0.1, 0.9090157413492023026233},
      {0.3333, 0.7484540341088084274286},
      {0.5, 0.6629622000015459881277},
      {0.7, 0.5812880418085737642723},
      {1, 0.4877412560153485255066},
      {2, 0.3068967982909621145203},
      {5, 0.1331023359966505885865},
      {17, 0.03921568627128946246342},
      {1e2, 0.006666666666666666666667},
      {1e4, 6.666666666666666666667e-5},
      {1e6, 6.666666666666666666667e-7},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    assert_near(ff_impact_restitution(table[i][0]), table[i][1], 1e-15);
  }
}

/* Between the table's points: the defining equation in long double, whose residual over the
 * slope is the error of e. 181 speeds, ten a decade. */
static void restitution_fulfils_its_equation(void **state) {
  (void)state;
  for (int i = 0; i <= 180; i++) {
    double s = pow(10.0, i / 10.0 - 12.0);
    long double y = 1.5L * (long double)s, out = (long double)ff_impact_restitution(s) * y;
    if (s < 1e-2) { /* series of the notes, next term -1.5... s^5 */
      double series = 1 - s + s * s - 1.1 * s * s * s + 1.3 * s * s * s * s;
      assert_near(ff_impact_restitution(s), series, 1e-14 + 3 * pow(s, 5));
    } else if (s < 20) {
      long double residual = -out - log1pl(-out) - (y - log1pl(y));
      assert_true(fabsl(residual * (1 - out) / out) <= 1e-14L * out);
    } else { /* 1 - out is exp(-1 - y + log(1+y)): nothing of it is left in e */
      assert_near((double)out, 1.0, 1e-14);
    }
  }
}

static void restitution_falls_with_speed_to_the_limit(void **state) {
  (void)state;
  double last = 1.0;
  assert_true(ff_impact_restitution(0.0) == 1.0);
  for (int i = 0; i <= 1800; i++) {
    double s = pow(10.0, i / 100.0 - 12.0), e = ff_impact_restitution(s);
    assert_true(e < last);
    assert_true(e * s <= 2.0 / 3.0 * (1 + 1e-15)); /* never beyond -2 / (3 alpha) */
    last = e;
  }
  assert_near(ff_impact_restitution(1e6) * 1e6, 2.0 / 3.0, 1e-15);
  assert_true(isnan(ff_impact_restitution(-1.0)) && isnan(ff_impact_restitution(NAN)));
}

/* Independent quadratures over velocity with 60 digits (mpmath), in the order of ff_impact
 * from restitution to duration; tolerance: a few roundings. */
static void whole_impacts_to_fourteen_digits(void **state) {
  (void)state;
  const struct {
    ff_hunt_crossley_impact given;
    double value[10];
  } cases[] = {
      {{2.5, 3000000.0, 1.5, 0.3, 0.3, 1.7},
       {0.65839867312259372442, 1.1192777443084093023, 2.046521663869848721,
        0.005279430200367307759, 0.0048723395869423558807, 1318.8606903355191151,
        0.0036599206550880698851, 0.0049177744031254607527, 0.61055389493003858567,
        0.011348143019437764893}},
      {{0.2, 80000.0, 2, 2.0, NAN, 3.0},
       {0.11106064382739279701, 0.33318193148217839103, 0.88889898005338054774,
        0.017738163465254965789, 0.010779319386253015302, 97.822131843464595826,
        0.0054012028921745801003, 0.014153817254522269654, 1.701265136606202145,
        0.066828688534902772663}},
      {{7, 100000.0, 1.37, 1e-09, NAN, 0.5},
       {0.99999999950000000025, 0.49999999975000000012, 8.7499999934375005496e-10,
        0.01056690608547975297, 0.031571501108307708924, 196.24949651182348097,
        0.031571501096738103721, 0.010566906085479752968, 3.2436131370643249126e-10,
        0.063143002227182323933}},
      {{1, 1000.0, 3, 0.05, 1.5, 2.0},
       {0.22221407873947443904, 0.44442815747894887808, 1.9012418064199333082,
        0.29210484371142803505, 0.1936394408129199261, 25.093082234854778724,
        0.18643406712280891102, 0.29145566182099996535, 0.18039728374842372281,
        0.86961754465799956286}},
      {{1, 1000.0, 1, 0.8, 0.0, 2.0},
       {0.63907065999351209855, 1.2781413199870241971, 1.1831773830709137099, 0.0404183774273309069,
        0.037391065658889102437, 72.254406142378482622, 0.018284367552404990796,
        0.030678062833428721437, 1.1293722470541608694, 0.087064006987869608609}},
      {{3, 20000.0, 1.5, 0.0, NAN, 1.0},
       {1.0, 1.0, 0.0, 0.03229985024889083244, 0.047533673847482261227, 116.09960947508646485,
        0.047533673847482261227, 0.03229985024889083244, 0.0, 0.095067347694964522455}},
      {{1, 1000000.0, 1.5, 40.0, NAN, 20.0},
       {0.00083333333333333333333, 0.016666666666666666667, 199.99986111111111111,
        0.0036923081793949733124, 0.00067246324063787342494, 93816.240616552117913,
        0.00014241448193756040192, 0.0024996083745693837886, 12.495105257241573263,
        0.22228525782809900767}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ff_impact r;
    assert_int_equal(ff_impact_hunt_crossley(&r, &cases[i].given, NULL), FF_OK);
    const double got[10] = {r.restitution,        r.speed_out, r.energy_lost,    r.depth_max,
                            r.time_depth_max,     r.force_max, r.time_force_max, r.depth_force_max,
                            r.velocity_force_max, r.duration};
    for (int j = 0; j < 10; j++) {
      assert_near(got[j], cases[i].value[j], 1e-14);
    }
  }
}

/* Random impacts against 20,000 steps in time; 1e-9 is what the first step costs for n = 1.37,
 * where the force has no second derivative at the touch. */
static void agrees_with_brute_force(void **state) {
  (void)state;
  uint64_t seed = 20241;
  const double exponents[] = {1, 1.37, 1.5, 2, 3};
  for (int i = 0; i < 20; i++) {
    double n = exponents[i % 5], mass = ff_random_in(&seed, 0.1, 10);
    double k = pow(10, ff_random_in(&seed, 3, 6)), speed = ff_random_in(&seed, 0.2, 4);
    double alpha = ff_random_in(&seed, 0.01, 3) / speed;
    double alpha_restitution = i < 10 ? alpha : ff_random_in(&seed, 0.0, 2) / speed;
    ff_impact r = solve(mass, k, n, alpha, alpha_restitution, speed);
    motion m = {
        .mass = mass, .force = hunt_crossley_force, .k = k, .n = n, .alpha = alpha, .v = speed};
    double h = r.duration / 20000;
    motion peak = motion_run(m, h, until_peak_hunt_crossley);
    assert_near(r.time_force_max, peak.t, 1e-9);
    assert_near(r.force_max, peak.force(&peak, peak.x, peak.v), 1e-9);
    assert_near(r.depth_force_max, peak.x, 1e-9);
    assert_near(r.velocity_force_max, peak.v, 1e-9);
    motion deep = motion_run(m, h, until_deepest);
    assert_near(r.depth_max, deep.x, 1e-9);
    assert_near(r.time_depth_max, deep.t, 1e-9);
    deep.alpha = alpha_restitution;
    motion end = motion_run(deep, h, until_out);
    assert_near(r.duration, end.t, 1e-9);
    assert_near(r.speed_out, -end.v, 1e-9);
    assert_near(r.energy_lost, end.work, 1e-9);
  }
}

static void depth_follows_the_motion(void **state) {
  (void)state;
  ff_hunt_crossley_impact given = {50, 5e4, 1.5, 0.4, 0.9, 2};
  motion m = {.mass = 50, .force = hunt_crossley_force, .k = 5e4, .n = 1.5, .alpha = 0.4, .v = 2};
  double h = solve(50, 5e4, 1.5, 0.4, 0.9, 2).duration / 20000;
  for (m = motion_step(m, h); m.v > 0.0; m = motion_step(m, h)) {
    if (m.v < 1.9) { /* closer to the touch the depth hangs on the last digits of m.v */
      assert_near(ff_impact_depth(&given, m.v), m.x, 1e-8);
    }
  }
  assert_near(ff_impact_depth(&given, 0.0), m.x, 1e-7);
  assert_true(ff_impact_depth(&given, 2.0) == 0.0);
  double out = ff_impact_restitution_split(0.8, 1.8) * 2;
  assert_close(ff_impact_depth(&given, -out), 0.0, 1e-5); /* (rounding)^(1/(n+1)) */
  assert_true(isnan(ff_impact_depth(&given, 2.1)) && isnan(ff_impact_depth(&given, -1.1 * out)));
}

/* x ~ sqrt(2 m/k) sqrt(v_i (v_i - v)) close to the touch, to all digits of v_i - v. */
static void depth_keeps_its_digits_at_the_touch(void **state) {
  (void)state;
  ff_hunt_crossley_impact given = {1, 1e4, 1, 0, NAN, 1};
  for (double gap = 0x1p-50; gap < 1e-3; gap *= 2) {
    double exact = sqrt(1e-4 * gap * (2.0 - gap));
    assert_near(ff_impact_depth(&given, 1.0 - gap), exact, 1e-15);
  }
}

/* Both groups of contours of Fig. 2 obey dv/dx = -(k/m) x^n (1 + 3/2 alpha v) / v. */
static void contours_on_both_sides_of_the_limit(void **state) {
  (void)state;
  ff_hunt_crossley_impact given = {50, 5e4, 1, 0.4, NAN, NAN};
  double limit = ff_impact_limit_velocity(0.4);
  assert_near(limit, -5.0 / 3.0, 4e-16);
  const double starts[] = {3.0, -0.5, -1.6, -1.7, -3.0};
  for (int i = 0; i < 5; i++) {
    double v = starts[i], x = ff_impact_contour(&given, 0.2, v, v), d = 1e-5;
    assert_near(x, 0.2, 1e-15);
    double slope =
        (ff_impact_contour(&given, 0.2, v, v + d) - ff_impact_contour(&given, 0.2, v, v - d)) /
        (2 * d);
    assert_near(slope, -v / (1e3 * 0.2 * (1 + 0.6 * v)), 1e-6); /* d^2 of the difference */
    assert_int_equal(ff_impact_sticks(0.4, v), v < limit);
  }
  assert_true(isnan(ff_impact_contour(&given, 0.1, -1.0, -2.0))); /* never across */
  assert_true(isnan(ff_impact_contour(&given, 0.1, -1.0, limit)));
  assert_true(ff_impact_limit_velocity(0) == -INFINITY && !ff_impact_sticks(0, -1e300));
}

static void without_damping_it_is_a_spring(void **state) {
  (void)state;
  ff_impact r = solve(2, 800, 1, 0, NAN, 3);
  assert_near(r.duration, acos(-1.0) / 20, 1e-15);
  assert_near(r.depth_max, 3.0 / 20, 1e-15);
  assert_near(r.force_max, 120, 1e-15);
  assert_near(r.time_force_max, acos(-1.0) / 40, 1e-15);
  assert_true(r.energy_lost == 0.0 && r.restitution == 1.0 && r.velocity_force_max == 0.0);
  /* Hertz, n = 3/2: T = 2 (2/(n+1)) depth/v * B(1/(n+1), 1/2)/2. */
  r = solve(1, 1e6, 1.5, 0, NAN, 1);
  double beta = tgamma(0.4) * tgamma(0.5) / tgamma(0.9);
  assert_near(r.duration, 2 / 2.5 * r.depth_max * beta, 1e-14);
}

/* Loss of energy is m v^2 s for small s = alpha v: no digits go. */
static void tiny_damping_goes_over_into_none(void **state) {
  (void)state;
  ff_impact none = solve(1, 1e4, 1.5, 0, NAN, 1);
  for (double s = 1e-300; s < 1e-9; s *= 1e10) {
    ff_impact r = solve(1, 1e4, 1.5, s, NAN, 1);
    assert_near(r.energy_lost, s, 1e-14 + 2 * s);
    assert_near(r.velocity_force_max, 1.25 * s, 1e-14 + 2 * s);
    assert_near(r.duration, none.duration, 1e-14 + s);
    assert_near(r.time_force_max, none.time_force_max, 1e-14 + 2 * s);
    /* Half the loss when only one way is damped. */
    assert_near(solve(1, 1e4, 1.5, s, 0, 1).energy_lost, s / 2, 1e-14 + 2 * s);
    assert_near(solve(1, 1e4, 1.5, 0, s, 1).energy_lost, s / 2, 1e-14 + 2 * s);
  }
}

static void independent_of_mass_stiffness_and_exponent(void **state) {
  (void)state;
  for (double n = 1; n < 6; n += 0.7) {
    ff_impact r = solve(3 * n, 1e3 * n * n, n, 0.3, 0.7, 2);
    assert_near(r.restitution, ff_impact_restitution_split(0.6, 1.4), 1e-15);
    assert_near(r.energy_lost / (3 * n), solve(1, 1, 1, 0.3, 0.7, 2).energy_lost, 1e-14);
  }
}

/* The peak force comes before the deepest point and has a minimum in alpha. */
static void peak_force_is_not_monotone_in_alpha(void **state) {
  (void)state;
  double none = solve(1, 1e4, 1, 0, NAN, 1).force_max;
  double some = solve(1, 1e4, 1, 0.4, NAN, 1).force_max;
  double much = solve(1, 1e4, 1, 4, NAN, 1).force_max;
  assert_true(some < none && none < much);
  ff_impact r = solve(1, 1e4, 1, 0.4, NAN, 1);
  assert_true(r.time_force_max < r.time_depth_max && r.depth_force_max < r.depth_max);
}

/* Where the curve goes from series to closed form its two sides meet to the last bits. */
static void curve_is_continuous_at_its_switches(void **state) {
  (void)state;
  const double switches[] = {-0.5, 1.0};
  for (int i = 0; i < 2; i++) {
    double below = nextafter(switches[i], -INFINITY), above = nextafter(switches[i], INFINITY);
    assert_near(ff_impact_h(below), ff_impact_h(above), 1e-15);
    assert_near(ff_impact_one_minus_h(below), ff_impact_one_minus_h(above), 2e-15);
  }
  const double q[] = {1e-8, -1e-8, 1.4142135623730951, -1.4142135623730951, -0.85776388496};
  for (int i = 0; i < 5; i++) {
    double step = 1e-15 * fabs(q[i]);
    assert_near(ff_impact_ratio(q[i] - step), ff_impact_ratio(q[i] + step), 3e-15);
  }
}

static void bad_parameters_are_named(void **state) {
  (void)state;
  const struct {
    ff_hunt_crossley_impact given;
    const char *key;
  } cases[] = {
      {{0, 1, 1, 0, NAN, 1}, "mass"},
      {{NAN, 1, 1, 0, NAN, 1}, "mass"},
      {{1, 0, 1, 0, NAN, 1}, "k"},
      {{1, -5, 1, 0, NAN, 1}, "k"},
      {{1, 1, 0.99, 0, NAN, 1}, "n"},
      {{1, 1, INFINITY, 0, NAN, 1}, "n"},
      {{1, 1, 1, -1e-9, NAN, 1}, "alpha"},
      {{1, 1, 1, NAN, NAN, 1}, "alpha"},
      {{1, 1, 1, 0, -1, 1}, "alpha_restitution"},
      {{1, 1, 1, 0, INFINITY, 1}, "alpha_restitution"},
      {{1, 1, 1, 0, NAN, 0}, "speed"},
      {{1, 1, 1, 0, NAN, -1}, "speed"},
      {{1, 1, 1, 0, NAN, INFINITY}, "speed"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ff_impact impact;
    ff_report report;
    assert_int_equal(ff_impact_hunt_crossley(&impact, &cases[i].given, &report), FF_ERROR_INPUT);
    assert_string_equal(report.key, cases[i].key);
    assert_true(strstr(report.what, "must be") != NULL);
    assert_int_equal(ff_impact_hunt_crossley(&impact, &cases[i].given, NULL), FF_ERROR_INPUT);
  }
  ff_hunt_crossley_impact open = ff_hunt_crossley_impact_default();
  ff_impact impact;
  assert_int_equal(ff_impact_hunt_crossley(&impact, &open, NULL), FF_ERROR_INPUT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reference_impacts_of_the_paper),
      cmocka_unit_test(printed_restitutions),
      cmocka_unit_test(restitution_to_the_last_bits),
      cmocka_unit_test(restitution_fulfils_its_equation),
      cmocka_unit_test(restitution_falls_with_speed_to_the_limit),
      cmocka_unit_test(whole_impacts_to_fourteen_digits),
      cmocka_unit_test(agrees_with_brute_force),
      cmocka_unit_test(depth_follows_the_motion),
      cmocka_unit_test(depth_keeps_its_digits_at_the_touch),
      cmocka_unit_test(contours_on_both_sides_of_the_limit),
      cmocka_unit_test(without_damping_it_is_a_spring),
      cmocka_unit_test(tiny_damping_goes_over_into_none),
      cmocka_unit_test(independent_of_mass_stiffness_and_exponent),
      cmocka_unit_test(peak_force_is_not_monotone_in_alpha),
      cmocka_unit_test(curve_is_continuous_at_its_switches),
      cmocka_unit_test(bad_parameters_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
