/* Law parameters, masses and gains changed while a sim runs: as if the scene had them, refused as
 * the scene refuses them, and part of the state. */
#include "footfall/footfall.h"
#include "ids.h"
#include "scene_text.h"
#include "testing.h"

/* A block that slides on the ground and a ball that is dropped on it, under any stepper. */
static const char block[] =
    "footfall: 1\n"
    "duration: 1\n"
    "stepper: {kind: %s%s}\n"
    "bodies:\n"
    "  floor: {fixed: true, shape: {half-space: {}}}\n"
    "  block: {mass: 2, shape: {box: {size: [0.2, 0.2, 0.1]}}, position: [0, 0, %s], "
    "velocity: [1, 0, 0]}\n"
    "contacts:\n"
    "  - pair: [block, floor]\n"
    "    normal: %s\n"
    "    friction: %s\n";

typedef struct family {
  const char *stepper, *step, *height, *normal, *friction, *stiffness, *mu;
} family;

static const family families[] = {
    {"adaptive", "", "0.0499", "{law: hunt-crossley, k: 5e4, n: 1, alpha: 0.2}",
     "{law: coulomb, mu_static: 0.3, mu_kinetic: 0.3}", "k", "mu_kinetic"},
    {"rk4", ", step: 1e-4", "0.0499", "{law: hunt-crossley, k: 5e4, n: 1, alpha: 0.2}",
     "{law: coulomb, mu_static: 0.3, mu_kinetic: 0.3}", "k", "mu_kinetic"},
    {"symplectic-euler", ", step: 1e-3", "0.0499", "{law: hunt-crossley, k: 5e4, n: 1, alpha: 0.2}",
     "{law: coulomb, mu_static: 0.3, mu_kinetic: 0.3}", "k", "mu_kinetic"},
    {"quasi-rigid", ", step: 1e-3", "0.0499",
     "{law: quasi-rigid, k: 5e4, c: 100, max_deflection: 0.01}",
     "{law: ellipsoidal, mu: 0.3, e_r: 0.01}", "k", "mu"},
    {"micro-macro", ", step: 1e-3", "0.05", "{law: rigid}",
     "{law: coulomb, mu_static: 0.3, mu_kinetic: 0.3}", NULL, "mu_kinetic"},
};
enum { FAMILIES = sizeof families / sizeof *families };

static ff_sim *family_sim(const family *f, ff_model **model, const char *setting) {
  char text[1024];
  snprintf(text, sizeof text, block, f->stepper, f->step, f->height, f->normal, f->friction);
  return sim_of(model, text, setting);
}

static void assert_same_motion(const ff_sim *a, const ff_sim *b, int body) {
  ff_body_state x = ff_sim_body(a, (ff_body){.id = body});
  ff_body_state y = ff_sim_body(b, (ff_body){.id = body});
  assert_memory_equal(&x, &y, sizeof x);
}

/* Sets it at the start, and compares with a scene that has it, to the bit. */
static void compare_law(const family *f, ff_law_kind kind, const char *name, double value) {
  ff_model *model, *other_model;
  char setting[128];
  snprintf(setting, sizeof setting, "contacts.0.%s.%s=%.17g",
           kind == FF_LAW_FRICTION ? "friction" : "normal", name, value);
  ff_sim *sim = family_sim(f, &model, NULL), *other = family_sim(f, &other_model, setting);
  ff_body floor = ff_model_body_find(model, "floor"), box = ff_model_body_find(model, "block");
  assert_int_equal(ff_sim_set_law(sim, floor, box, kind, name, value, NULL), FF_OK);
  assert_true(ff_sim_law(sim, box, floor, kind, name) == value);
  assert_int_equal(ff_sim_advance(sim, 0.05), FF_OK);
  assert_int_equal(ff_sim_advance(other, 0.05), FF_OK);
  assert_same_motion(sim, other, box.id);
  assert_true(ff_sim_audit(sim).energy_residual == ff_sim_audit(other).energy_residual);
  end(sim, model);
  end(other, other_model);
}

static void a_law_parameter_acts_as_that_of_the_scene(void **state) {
  (void)state;
  for (int i = 0; i < FAMILIES; i++) {
    compare_law(&families[i], FF_LAW_FRICTION, families[i].mu, 0.1);
    if (families[i].stiffness) {
      compare_law(&families[i], FF_LAW_NORMAL, families[i].stiffness, 8e4);
    }
  }
}

static void ice_under_a_sliding_block(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = family_sim(&families[3], &model, NULL);
  ff_body floor = ff_model_body_find(model, "floor"), box = ff_model_body_find(model, "block");
  assert_int_equal(ff_sim_advance(sim, 0.1), FF_OK);
  double before = ff_sim_body(sim, box).velocity.x;
  assert_true(before < 0.75); /* 1 - mu g t, mu = 0.3 */
  assert_int_equal(ff_sim_set_law(sim, box, floor, FF_LAW_FRICTION, "mu", 0, NULL), FF_OK);
  assert_int_equal(ff_sim_advance(sim, 0.3), FF_OK);
  assert_close(ff_sim_body(sim, box).velocity.x, before, 1e-6);
  assert_int_equal(ff_sim_audit(sim).verdict, FF_VERDICT_GOOD);
  end(sim, model);
}

static void settings_are_refused_as_the_scene_refuses_them(void **state) {
  (void)state;
  ff_model *model;
  ff_report report;
  ff_state *before, *after;
  ff_sim *sim = family_sim(&families[3], &model, NULL);
  ff_body floor = ff_model_body_find(model, "floor"), box = ff_model_body_find(model, "block");
  assert_int_equal(ff_state_create(&before, sim), FF_OK);
  assert_int_equal(ff_sim_set_law(sim, box, floor, FF_LAW_FRICTION, "mue", 1, &report),
                   FF_ERROR_INPUT);
  assert_string_equal(report.nearest, "mu");
  assert_int_equal(ff_sim_set_law(sim, box, floor, FF_LAW_FRICTION, "mu", -1, &report),
                   FF_ERROR_INPUT);
  assert_true(strstr(report.what, "-1") != NULL);
  assert_int_equal(ff_sim_set_law(sim, box, floor, FF_LAW_NORMAL, "k", NAN, &report),
                   FF_ERROR_INPUT);
  assert_int_equal(ff_sim_set_law(sim, box, floor, FF_LAW_NORMAL, "max_deflection", 0.02, &report),
                   FF_ERROR_INPUT);
  assert_true(strstr(report.what, "deeper") != NULL);
  assert_int_equal(ff_sim_set_law(sim, box, box, FF_LAW_NORMAL, "k", 1, &report), FF_ERROR_INPUT);
  assert_int_equal(ff_sim_set_law(sim, box, floor, FF_LAW_ANY, "k", 1, &report), FF_ERROR_INPUT);
  assert_int_equal(ff_sim_set_law(sim, box, floor, FF_LAW_NORMAL, NULL, 1, NULL), FF_ERROR_INPUT);
  const double masses[] = {0, -1, NAN, INFINITY};
  for (int i = 0; i < 4; i++) {
    assert_int_equal(ff_sim_set_mass(sim, box, masses[i]), FF_ERROR_INPUT);
  }
  assert_int_equal(ff_sim_set_mass(sim, floor, 1), FF_ERROR_INPUT);
  assert_true(isnan(ff_sim_law(sim, box, floor, FF_LAW_NORMAL, "kk")));
  assert_true(isnan(ff_sim_law(sim, box, box, FF_LAW_NORMAL, "k")));
  assert_int_equal(ff_state_create(&after, sim), FF_OK);
  assert_true(ff_state_equal(before, after, NULL));
  ff_state_destroy(&before);
  ff_state_destroy(&after);
  end(sim, model);
}

/* ---- masses ---------------------------------------------------------------------------------- */

static void a_mass_acts_as_that_of_the_scene(void **state) {
  (void)state;
  for (int i = 0; i < FAMILIES; i++) {
    ff_model *model, *other_model;
    ff_sim *sim = family_sim(&families[i], &model, NULL);
    ff_sim *other = family_sim(&families[i], &other_model, "bodies.block.mass=4");
    ff_body box = ff_model_body_find(model, "block");
    assert_int_equal(ff_sim_set_mass(sim, box, 4), FF_OK);
    assert_near(ff_model_body_info(ff_sim_model(sim), box).mass, 4, 0);
    assert_near(ff_model_body_info(model, box).mass, 2, 0); /* the shared model is as it was */
    assert_int_equal(ff_sim_advance(sim, 0.05), FF_OK);
    assert_int_equal(ff_sim_advance(other, 0.05), FF_OK);
    if (strcmp(families[i].stepper, "adaptive") == 0) { /* its tolerances keep their scales */
      double x = ff_sim_body(sim, box).position.x, y = ff_sim_body(other, box).position.x;
      assert_close(x, y, 1e-7);
    } else {
      assert_same_motion(sim, other, box.id);
    }
    end(sim, model);
    end(other, other_model);
  }
}

static const char arm[] = "footfall: 1\n"
                          "duration: 1\n"
                          "stepper: {kind: %s%s}\n"
                          "robots:\n"
                          "  arm:\n"
                          "    urdf: robots/double-pendulum.urdf\n"
                          "    joints:\n"
                          "      shoulder: {position: 1.0, stiffness: 50, damping: 2}\n";

static ff_sim *arm_sim(ff_model **model, const char *stepper) {
  char text[1024];
  snprintf(text, sizeof text, arm, stepper,
           ff_stepper_find(stepper)->fixed_step ? ", step: 1e-3" : "");
  return sim_of(model, text, NULL);
}

/* Both links three times as heavy, in free swing: the same motion; one alone: another. */
static void masses_of_links(void **state) {
  (void)state;
  static const char *const steppers[] = {"adaptive", "symplectic-euler", "quasi-rigid"};
  for (int k = 0; k < 3; k++) {
    ff_model *model, *other_model, *third_model;
    ff_sim *sim = arm_sim(&model, steppers[k]), *other = arm_sim(&other_model, steppers[k]);
    ff_sim *third = arm_sim(&third_model, steppers[k]);
    ff_sim *all[] = {sim, other, third};
    for (int i = 0; i < 3; i++) {
      assert_int_equal(ff_sim_set_gains(all[i], JOINT(1, 1), 0, 0), FF_OK);
    }
    double total = 0;
    for (int i = 1; i <= ff_model_body_count(model); i++) {
      double mass = ff_model_body_info(model, (ff_body){.id = i}).mass;
      if (mass > 0) {
        assert_int_equal(ff_sim_set_mass(sim, (ff_body){.id = i}, 3 * mass), FF_OK);
        total += mass;
      }
    }
    const ff_model *heavy = ff_sim_model(sim);
    assert_near(ff_tree_mass(ff_model_robot_info(heavy, ROBOT(1)).tree), 3 * total, 1e-14);
    ff_body last = {.id = ff_model_body_count(model)};
    double mass = ff_model_body_info(model, last).mass;
    assert_int_equal(ff_sim_set_mass(third, last, 3 * mass), FF_OK);
    double q[2], expected[2], apart[2];
    for (int i = 0; i < 3; i++) {
      assert_int_equal(ff_sim_advance(all[i], 0.2), FF_OK);
    }
    ff_sim_robot(sim, ROBOT(1), q, NULL);
    ff_sim_robot(other, ROBOT(1), expected, NULL);
    ff_sim_robot(third, ROBOT(1), apart, NULL);
    assert_close(q[0], expected[0], 1e-9);
    assert_close(q[1], expected[1], 1e-9);
    assert_true(fabs(apart[1] - expected[1]) > 1e-4);
    end(sim, model);
    end(other, other_model);
    end(third, third_model);
  }
}

static void gains_act_as_those_of_the_scene(void **state) {
  (void)state;
  ff_model *model, *other_model;
  char text[1024];
  snprintf(text, sizeof text, arm, "symplectic-euler", ", step: 1e-3");
  ff_sim *sim = sim_of(&model, text, NULL);
  ff_sim *other = sim_of(&other_model, text,
                         "robots.arm.joints={shoulder: {position: 1.0, stiffness: 80, damping: 1}, "
                         "elbow: {position: 0.0, stiffness: 20, damping: 0.5}}");
  ff_joint_id shoulder = ff_model_joint_find(model, ROBOT(1), "shoulder");
  ff_joint_id elbow = ff_model_joint_find(model, ROBOT(1), "elbow");
  assert_int_equal(ff_sim_set_gains(sim, shoulder, 80, 1), FF_OK);
  assert_int_equal(ff_sim_set_gains(sim, elbow, 20, 0.5), FF_OK);
  assert_near(ff_model_joint_info(ff_sim_model(sim), elbow).stiffness, 20, 0);
  assert_int_equal(ff_sim_set_gains(sim, elbow, -1, 0), FF_ERROR_INPUT);
  assert_int_equal(ff_sim_set_gains(sim, elbow, 0, NAN), FF_ERROR_INPUT);
  assert_int_equal(ff_sim_set_gains(sim, JOINT(1, 3), 1, 1), FF_ERROR_INPUT);
  double q[2], expected[2];
  assert_int_equal(ff_sim_advance(sim, 0.3), FF_OK);
  assert_int_equal(ff_sim_advance(other, 0.3), FF_OK);
  ff_sim_robot(sim, ROBOT(1), q, NULL);
  ff_sim_robot(other, ROBOT(1), expected, NULL);
  assert_memory_equal(q, expected, sizeof q);
  end(sim, model);
  end(other, other_model);
}

/* ---- state ----------------------------------------------------------------------------------- */

static void change_all(ff_sim *sim) {
  ff_body floor = {.id = 1}, box = {.id = 2};
  assert_int_equal(ff_sim_set_law(sim, box, floor, FF_LAW_FRICTION, "mu", 0.05, NULL), FF_OK);
  assert_int_equal(ff_sim_set_law(sim, box, floor, FF_LAW_NORMAL, "c", 50, NULL), FF_OK);
  assert_int_equal(ff_sim_set_mass(sim, box, 7), FF_OK);
}

static ff_state *state_after(ff_sim *sim, double t) {
  ff_state *out;
  assert_int_equal(ff_sim_advance(sim, t), FF_OK);
  assert_int_equal(ff_state_create(&out, sim), FF_OK);
  return out;
}

static void assert_equal_states(ff_state *a, ff_state *b) {
  ff_report difference;
  if (!ff_state_equal(a, b, &difference)) {
    print_error("%s: %s\n", difference.key, difference.what);
    fail();
  }
}

static void restoring_undoes_settings(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = family_sim(&families[3], &model, NULL);
  ff_body floor = ff_model_body_find(model, "floor"), box = ff_model_body_find(model, "block");
  ff_state *start = state_after(sim, 0.05), *plain = state_after(sim, 0.1);
  assert_int_equal(ff_state_restore(sim, start), FF_OK);
  change_all(sim);
  ff_state *changed = state_after(sim, 0.05), *late = state_after(sim, 0.1);
  assert_false(ff_state_equal(plain, late, NULL));
  assert_int_equal(ff_state_restore(sim, start), FF_OK);
  assert_near(ff_sim_law(sim, box, floor, FF_LAW_FRICTION, "mu"), 0.3, 0);
  assert_near(ff_model_body_info(ff_sim_model(sim), box).mass, 2, 0);
  ff_state *again = state_after(sim, 0.1);
  assert_equal_states(plain, again);
  /* forward again, into another sim, by way of bytes */
  ff_model *other_model;
  ff_sim *other = family_sim(&families[3], &other_model, NULL);
  size_t size = ff_state_serialise(changed, NULL, 0);
  void *bytes = malloc(size);
  ff_state *read;
  assert_int_equal(ff_state_serialise(changed, bytes, size), size);
  assert_int_equal(ff_state_deserialise(&read, bytes, size, NULL), FF_OK);
  assert_int_equal(ff_state_restore(other, read), FF_OK);
  assert_near(ff_sim_law(other, box, floor, FF_LAW_FRICTION, "mu"), 0.05, 0);
  ff_state *there = state_after(other, 0.1);
  assert_equal_states(late, there);
  free(bytes);
  ff_state *all[] = {start, plain, changed, late, again, read, there};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    ff_state_destroy(&all[i]);
  }
  end(sim, model);
  end(other, other_model);
}

static void a_clone_has_the_settings_and_outlives_its_origin(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = family_sim(&families[3], &model, NULL), *clone;
  change_all(sim);
  assert_int_equal(ff_sim_clone(&clone, sim), FF_OK);
  ff_state *expected = state_after(sim, 0.1);
  ff_sim_destroy(&sim);
  ff_state *found = state_after(clone, 0.1);
  assert_equal_states(expected, found);
  ff_state_destroy(&expected);
  ff_state_destroy(&found);
  end(clone, model);
}

static void masses_of_links_are_part_of_the_state(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = arm_sim(&model, "quasi-rigid");
  ff_body last = {.id = ff_model_body_count(model)};
  ff_state *start = state_after(sim, 0.05), *plain = state_after(sim, 0.15);
  assert_int_equal(ff_state_restore(sim, start), FF_OK);
  assert_int_equal(ff_sim_set_mass(sim, last, 5), FF_OK);
  assert_int_equal(ff_sim_set_gains(sim, JOINT(1, 1), 10, 1), FF_OK);
  ff_sim *clone;
  assert_int_equal(ff_sim_clone(&clone, sim), FF_OK);
  ff_state *changed = state_after(sim, 0.15), *cloned = state_after(clone, 0.15);
  assert_equal_states(changed, cloned);
  assert_false(ff_state_equal(changed, plain, NULL));
  assert_int_equal(ff_state_restore(sim, start), FF_OK);
  ff_state *again = state_after(sim, 0.15);
  assert_equal_states(again, plain);
  ff_state *all[] = {start, plain, changed, cloned, again};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    ff_state_destroy(&all[i]);
  }
  ff_sim_destroy(&clone);
  end(sim, model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_law_parameter_acts_as_that_of_the_scene),
      cmocka_unit_test(ice_under_a_sliding_block),
      cmocka_unit_test(settings_are_refused_as_the_scene_refuses_them),
      cmocka_unit_test(a_mass_acts_as_that_of_the_scene),
      cmocka_unit_test(masses_of_links),
      cmocka_unit_test(gains_act_as_those_of_the_scene),
      cmocka_unit_test(restoring_undoes_settings),
      cmocka_unit_test(a_clone_has_the_settings_and_outlives_its_origin),
      cmocka_unit_test(masses_of_links_are_part_of_the_state),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
