/* Parameters by name: all laws round-trip and refuse alike; then what each law derives. */
#include "footfall/law.h"
#include "law_samples.h"

/* ---- every law -------------------------------------------------------------------------- */

static void check_tables(const ff_law *law) {
  assert_true(law->name[0] && law->summary[0]);
  assert_non_null(law->citation);
  assert_non_null(law->traits);
  /* what has no formula is for a stepper that solves */
  assert_true(law->kind == FF_LAW_NORMAL ? law->normal || law->ground : law->friction != NULL);
  assert_in_range(law->memory_count, 0, FF_MEMORY_MAX);
  assert_in_range(law->params_size, 0, FF_LAW_PARAMS_SIZE);
  /* all of the struct but what a law has derived beside, after its parameters */
  size_t listed = (size_t)law->params_count * sizeof(double);
  assert_true(law->params_size >= listed && law->params_size % sizeof(double) == 0);
  for (int i = 0; i < law->params_count; i++) {
    const ff_param *p = &law->params[i];
    assert_true(p->name[0] && p->symbol[0] && p->unit[0] && p->meaning[0]);
    assert_true(p->offset % sizeof(double) == 0 && p->offset < listed);
    assert_true(isnan(p->fallback) || in_range(p, p->fallback));
    assert_true(isnan(p->fallback) || !p->otherwise);
    for (int j = 0; j < i; j++) {
      assert_string_not_equal(p->name, law->params[j].name);
      assert_int_not_equal(p->offset, law->params[j].offset);
    }
  }
}

static void tables_are_complete(void **state) {
  (void)state;
  for (int i = 0; i < ff_law_count(); i++) {
    const ff_law *law = ff_law_at(i);
    check_tables(law);
    assert_ptr_equal(ff_law_find(law->kind, law->name), law);
    assert_ptr_equal(ff_law_find(FF_LAW_ANY, law->name), law); /* so names are unique */
  }
  assert_null(ff_law_at(-1));
  assert_null(ff_law_at(ff_law_count()));
}

static void parameters_round_trip(void **state) {
  (void)state;
  uint64_t seed = 5;
  for (int i = 0; i < ff_law_count(); i++) {
    const ff_law *law = ff_law_at(i);
    ff_law_params params;
    ff_law_params_default(law, &params);
    double given[FF_LAW_PARAMS_SIZE / 8];
    for (int j = 0; j < law->params_count; j++) {
      const ff_param *p = &law->params[j];
      double before = ff_law_params_get(law, &params, p->name);
      assert_true(before == p->fallback || (isnan(before) && isnan(p->fallback)));
      given[j] = random_param(&seed, p);
      assert_int_equal(ff_law_params_set(law, &params, p->name, given[j], NULL), FF_OK);
    }
    for (int j = 0; j < law->params_count; j++) {
      assert_true(ff_law_params_get(law, &params, law->params[j].name) == given[j]);
    }
  }
}

static void expect_refusal(const ff_law *law, const ff_param *p, double value) {
  ff_law_params params;
  ff_law_params_default(law, &params);
  double before = ff_law_params_get(law, &params, p->name);
  ff_report report;
  assert_int_equal(ff_law_params_set(law, &params, p->name, value, &report), FF_ERROR_INPUT);
  assert_string_equal(report.key, p->name);
  assert_non_null(strstr(report.what, "must be"));
  double after = ff_law_params_get(law, &params, p->name);
  assert_memory_equal(&before, &after, sizeof before);
}

static void bad_values_are_refused(void **state) {
  (void)state;
  for (int i = 0; i < ff_law_count(); i++) {
    const ff_law *law = ff_law_at(i);
    for (int j = 0; j < law->params_count; j++) {
      const ff_param *p = &law->params[j];
      expect_refusal(law, p, NAN);
      expect_refusal(law, p, INFINITY);
      expect_refusal(law, p, -INFINITY);
      expect_refusal(law, p, p->min - 1e-9);
      if (p->open_min) {
        expect_refusal(law, p, p->min);
      }
      if (isfinite(p->max)) {
        expect_refusal(law, p, p->max * (1 + 1e-9));
      }
      if (p->kind == FF_PARAM_FLAG) {
        expect_refusal(law, p, 0.5);
      }
    }
  }
}

static void unknown_parameters_name_the_nearest(void **state) {
  (void)state;
  for (int i = 0; i < ff_law_count(); i++) {
    const ff_law *law = ff_law_at(i);
    ff_law_params params;
    ff_law_params_default(law, &params);
    ff_report report;
    assert_int_equal(ff_law_params_set(law, &params, "nonsense-word", 1, &report), FF_ERROR_INPUT);
    assert_true(report.expected[0]);
    assert_true(isnan(ff_law_params_get(law, &params, "nonsense-word")));
    for (int j = 0; j < law->params_count; j++) {
      char typo[64];
      snprintf(typo, sizeof typo, "%sx", law->params[j].name);
      assert_int_equal(ff_law_params_set(law, &params, typo, 1, &report), FF_ERROR_INPUT);
      assert_string_equal(report.nearest, law->params[j].name);
      assert_string_equal(report.key, typo);
    }
  }
}

/* Random parameters that resolve lie in their ranges, wherever they came from. */
static void check_resolved(const sample *s) {
  for (int i = 0; i < s->law->params_count; i++) {
    const ff_param *p = &s->law->params[i];
    require(s, in_range(p, ff_law_params_get(s->law, &s->params, p->name)));
  }
}

static void resolved_parameters_are_in_range(void **state) {
  (void)state;
  each_sample(FF_LAW_NORMAL, check_resolved);
  each_sample(FF_LAW_FRICTION, check_resolved);
}

/* ---- single laws ------------------------------------------------------------------------- */

static const ff_pair nothing_known = {NAN, NAN, NAN, NAN, NAN, NAN};

/* Law by name with its defaults. */
static const ff_law *start(const char *name, ff_law_params *params) {
  const ff_law *law = ff_law_find(FF_LAW_ANY, name);
  assert_non_null(law);
  ff_law_params_default(law, params);
  return law;
}

static void set(const ff_law *law, ff_law_params *params, const char *name, double value) {
  assert_int_equal(ff_law_params_set(law, params, name, value, NULL), FF_OK);
}

/* Resolving must fail and say this. */
static void expect_wrong(const ff_law *law, ff_law_params params, const ff_pair *pair,
                         const char *says) {
  ff_report report;
  assert_int_equal(ff_law_params_resolve(law, &params, pair, &report), FF_ERROR_INPUT);
  if (!strstr(report.what, says)) {
    fail_msg("'%s' does not say '%s'", report.what, says);
  }
}

static void unknown_laws_name_the_nearest(void **state) {
  (void)state;
  const ff_law *law;
  ff_report report;
  assert_int_equal(ff_law_lookup(&law, FF_LAW_NORMAL, "hunt-crosley", &report), FF_ERROR_INPUT);
  assert_null(law);
  assert_string_equal(report.nearest, "hunt-crossley");
  assert_null(strstr(report.expected, "coulomb"));
  assert_int_equal(ff_law_lookup(&law, FF_LAW_NORMAL, "coulomb", &report), FF_ERROR_INPUT);
  assert_int_equal(ff_law_lookup(&law, FF_LAW_FRICTION, "coulomb", &report), FF_OK);
  assert_string_equal(law->name, "coulomb");
}

static void linear_needs_its_stiffness(void **state) {
  (void)state;
  ff_law_params params;
  const ff_law *law = start("linear", &params);
  ff_report report;
  assert_int_equal(ff_law_params_resolve(law, &params, NULL, &report), FF_ERROR_INPUT);
  assert_string_equal(report.key, "k");
  set(law, &params, "k", 1e4);
  assert_int_equal(ff_law_params_resolve(law, &params, NULL, &report), FF_OK);
}

static void linear_traits_follow_parameters(void **state) {
  (void)state;
  ff_law_params params;
  const ff_law *law = start("linear", &params);
  set(law, &params, "k", 1e4);
  assert_int_equal(law->traits(params.values), 0);
  set(law, &params, "b", 60);
  assert_int_equal(law->traits(params.values), FF_LAW_JUMPS);
  set(law, &params, "clamp", 0);
  assert_int_equal(law->traits(params.values), FF_LAW_JUMPS | FF_LAW_PULLS);
}

static void hunt_crossley_takes_hertz_from_materials(void **state) {
  (void)state;
  ff_law_params params;
  const ff_law *law = start("hunt-crossley", &params);
  ff_pair pair = {.young = 3e6, .radius = 0.04, .dissipation = 0.25, .mu_static = NAN};
  assert_int_equal(ff_law_params_resolve(law, &params, &pair, NULL), FF_OK);
  assert_near(ff_law_params_get(law, &params, "k"), 8e5, 1e-15); /* 4/3 3e6 0.2 */
  assert_true(ff_law_params_get(law, &params, "alpha") == 0.25);
  assert_true(ff_law_params_get(law, &params, "alpha_restitution") == 0.25);
}

static void hunt_crossley_says_why_there_is_no_stiffness(void **state) {
  (void)state;
  ff_law_params params;
  const ff_law *law = start("hunt-crossley", &params);
  ff_pair pair = nothing_known;
  expect_wrong(law, params, NULL, "young");
  pair.young = 1e9;
  expect_wrong(law, params, &pair, "radius");
  pair.radius = INFINITY;
  expect_wrong(law, params, &pair, "radius");
  pair.radius = 0.1;
  set(law, &params, "n", 1);
  expect_wrong(law, params, &pair, "n = 1.5");
}

static void hunt_crossley_separate_restitution(void **state) {
  (void)state;
  ff_law_params params;
  const ff_law *law = start("hunt-crossley", &params);
  set(law, &params, "k", 1e4);
  set(law, &params, "n", 1);
  set(law, &params, "alpha", 0.4);
  set(law, &params, "alpha_restitution", 0.1);
  assert_int_equal(ff_law_params_resolve(law, &params, NULL, NULL), FF_OK);
  ff_normal in, out;
  ff_law_normal(law, &params, &(ff_patch){.depth = 0.01, .depth_rate = 1}, &in);
  ff_law_normal(law, &params, &(ff_patch){.depth = 0.01, .depth_rate = -1}, &out);
  assert_near(in.force, 100 * 1.6, 1e-15);
  assert_near(out.force, 100 * 0.85, 1e-15);
}

/* [Marhefka96 eq. 22]: sticky below -2/(3 alpha), unless clamped. */
static void hunt_crossley_clamp_starts_at_limit_velocity(void **state) {
  (void)state;
  ff_law_params params;
  const ff_law *law = start("hunt-crossley", &params);
  set(law, &params, "k", 1e4);
  set(law, &params, "alpha", 0.5);
  double limit = -2 / (3 * 0.5);
  for (int clamp = 0; clamp < 2; clamp++) {
    set(law, &params, "clamp", clamp);
    assert_int_equal(ff_law_params_resolve(law, &params, NULL, NULL), FF_OK);
    ff_normal slower, faster;
    ff_law_normal(law, &params, &(ff_patch){.depth = 0.01, .depth_rate = 0.99 * limit}, &slower);
    ff_law_normal(law, &params, &(ff_patch){.depth = 0.01, .depth_rate = 1.01 * limit}, &faster);
    assert_true(slower.force > 0);
    assert_true(clamp ? faster.force == 0 : faster.force < 0);
    assert_true(faster.elastic > 0);
  }
}

static void coulomb_takes_coefficients_from_materials(void **state) {
  (void)state;
  ff_law_params params, own;
  const ff_law *law = start("coulomb", &params);
  ff_pair pair = nothing_known;
  expect_wrong(law, params, NULL, "mu_static must be given");
  pair.mu_static = 0.5;
  pair.mu_kinetic = 0.3;
  own = params;
  assert_int_equal(ff_law_params_resolve(law, &own, &pair, NULL), FF_OK);
  assert_true(ff_law_params_get(law, &own, "mu_kinetic") == 0.3);
  /* A coefficient given here is not mixed with the other one of the materials. */
  own = params;
  set(law, &own, "mu_static", 0.2);
  assert_int_equal(ff_law_params_resolve(law, &own, &pair, NULL), FF_OK);
  assert_true(ff_law_params_get(law, &own, "mu_kinetic") == 0.2);
  set(law, &own, "mu_kinetic", 0.21);
  expect_wrong(law, own, NULL, "mu_kinetic is greater than mu_static");
}

/* Without deflection and deep in slip friction is mu(|v|) N against the slip; the coefficient falls
 * from static to kinetic between v_t and 3 v_t. */
static void coulomb_curve_has_its_landmarks(void **state) {
  (void)state;
  ff_law_params params;
  const ff_law *law = start("coulomb", &params);
  set(law, &params, "mu_static", 0.5);
  set(law, &params, "mu_kinetic", 0.3);
  set(law, &params, "v_t", 0.01);
  assert_int_equal(ff_law_params_resolve(law, &params, NULL, NULL), FF_OK);
  static const double speed[] = {0.005, 0.01, 0.02, 0.03, 5};
  static const double mu[] = {0.5, 0.5, 0.4, 0.3, 0.3};
  ff_normal load = {.force = 100, .elastic = 1e6, .energy = 5e2}; /* 1e9 N/m */
  for (int i = 0; i < 5; i++) {
    ff_patch patch = {.depth = 1e-3, .slip = {-0.6 * speed[i], 0.8 * speed[i]}};
    ff_friction out;
    ff_law_friction(law, &params, &patch, &load, (double[]){0, 0}, &out);
    assert_close(out.force[0], 0.6 * 100 * mu[i], 1e-11);
    assert_close(out.force[1], -0.8 * 100 * mu[i], 1e-11);
    assert_int_equal(out.mode, FF_SLIP);
    double lost = out.lost[FF_LOST_SLIP] + out.lost[FF_LOST_TANGENT];
    assert_close(lost, 100 * mu[i] * speed[i], 1e-11);
  }
}

/* A deflection u along t1 under k_n = 1e6 N/m: 0.8 k_n u, up to the cone; stored is 0.4 k_n u^2. */
static void coulomb_sticks_on_a_spring(void **state) {
  (void)state;
  ff_law_params params;
  const ff_law *law = start("coulomb", &params);
  set(law, &params, "mu_static", 0.5);
  assert_int_equal(ff_law_params_resolve(law, &params, NULL, NULL), FF_OK);
  ff_normal load = {.force = 1000, .elastic = 1000, .energy = 0.5};
  ff_patch patch = {.depth = 1e-3};
  for (int i = 0; i < 8; i++) {
    double u = 1e-4 * i, most = fmin(8e5 * u, 500);
    ff_friction out;
    ff_law_friction(law, &params, &patch, &load, (double[]){sqrt(8e5) * u, 0}, &out);
    assert_close(out.force[0], -most, 1e-10);
    assert_close(out.energy, 4e5 * u * u, 1e-12);
    assert_int_equal(out.mode, 8e5 * u > 500 ? FF_SLIP : FF_STICK);
    assert_true((out.memory_rate[0] < 0) == (out.mode == FF_SLIP));
  }
}

static void friction_under_tension_is_zero(void **state) {
  (void)state;
  ff_law_params params;
  const ff_law *law = start("coulomb", &params);
  set(law, &params, "mu_static", 0.5);
  assert_int_equal(ff_law_params_resolve(law, &params, NULL, NULL), FF_OK);
  ff_friction out;
  ff_normal load = {.force = -10, .elastic = 1, .energy = 5e-4};
  ff_law_friction(law, &params, &(ff_patch){.depth = 1e-3, .slip = {1, 0}}, &load,
                  (double[]){1e-3, 0}, &out);
  assert_true(out.force[0] == 0 && out.lost[FF_LOST_SLIP] == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tables_are_complete),
      cmocka_unit_test(parameters_round_trip),
      cmocka_unit_test(bad_values_are_refused),
      cmocka_unit_test(unknown_parameters_name_the_nearest),
      cmocka_unit_test(resolved_parameters_are_in_range),
      cmocka_unit_test(unknown_laws_name_the_nearest),
      cmocka_unit_test(linear_needs_its_stiffness),
      cmocka_unit_test(linear_traits_follow_parameters),
      cmocka_unit_test(hunt_crossley_takes_hertz_from_materials),
      cmocka_unit_test(hunt_crossley_says_why_there_is_no_stiffness),
      cmocka_unit_test(hunt_crossley_separate_restitution),
      cmocka_unit_test(hunt_crossley_clamp_starts_at_limit_velocity),
      cmocka_unit_test(coulomb_takes_coefficients_from_materials),
      cmocka_unit_test(coulomb_curve_has_its_landmarks),
      cmocka_unit_test(coulomb_sticks_on_a_spring),
      cmocka_unit_test(friction_under_tension_is_zero),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
