/* The stepper `quasi-rigid` on what people build: it stands, falls and turns round as it should,
 * whatever its size and however uneven its masses. */
#include "findings.h"
#include "ids.h"
#include "scene_text.h"

static ff_sim *sim_of_file(ff_model **model, const char *name, const char *setting) {
  char path[1000];
  snprintf(path, sizeof path, "%s/scenes/%s", FF_SOURCE_DIR, name);
  ff_scene *scene = NULL;
  ff_sim *sim = NULL;
  ff_report report = {.line = 0};
  const char *const settings[] = {setting};
  assert_int_equal(ff_scene_load(&scene, path, settings, setting ? 1 : 0, &report), FF_OK);
  assert_int_equal(ff_model_build(model, scene, &report), FF_OK);
  assert_int_equal(ff_sim_create(&sim, *model), FF_OK);
  ff_scene_destroy(&scene);
  return sim;
}

static ff_body_state body(const ff_sim *sim, const ff_model *model, const char *name) {
  return ff_sim_body(sim, ff_model_body_find(model, name));
}

/* How far the keystone comes down until then. */
static double arch_sinks(const char *friction, double until) {
  ff_model *model;
  ff_sim *sim = sim_of_file(&model, "arch.yaml", friction);
  double height = body(sim, model, "wedge5").position.z;
  assert_int_equal(ff_sim_advance(sim, until), FF_OK);
  double out = height - body(sim, model, "wedge5").position.z;
  assert_good(sim);
  end(sim, model);
  return out;
}

/* Layers of a millimetre: what stands settles by about that, and stays. */
static void an_arch_stands_by_friction(void **state) {
  (void)state;
  double soon = arch_sinks(NULL, 0.2), late = arch_sinks(NULL, 0.3);
  assert_true(soon > 0 && soon < 2e-3);
  assert_close(late, soon, 1e-6);
  assert_true(arch_sinks("contacts.0.friction.mu=0.2", 0.3) > 0.02);
}

static void dominoes_fall_one_after_another(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = sim_of_file(&model, "dominoes.yaml", NULL);
  assert_int_equal(ff_sim_advance(sim, 0.3), FF_OK);
  assert_true(body(sim, model, "domino1").position.z < 0.015);
  assert_close(body(sim, model, "domino12").position.z, 0.024, 1e-4);
  assert_int_equal(ff_sim_advance(sim, 0.6), FF_OK);
  assert_true(body(sim, model, "domino12").position.z < 0.012);
  assert_good_but(sim, FF_FINDING_STEP_LOSS, "dominoes");
  end(sim, model);
}

/* As with a tenth of the step, to a part in a hundred. */
static void a_rattleback_turns_round(void **state) {
  (void)state;
  static const char *const steps[] = {"stepper.step=1e-3", "stepper.step=1e-4"};
  double end_spin[2];
  for (int i = 0; i < 2; i++) {
    ff_model *model;
    ff_sim *sim = sim_of_file(&model, "rattleback.yaml", steps[i]);
    assert_int_equal(ff_sim_advance(sim, 4), FF_OK);
    end_spin[i] = body(sim, model, "stone").omega.z;
    end(sim, model);
  }
  assert_true(end_spin[0] > 2);
  assert_close(end_spin[0], end_spin[1], 0.01 * end_spin[1]);
}

/* The last ball swings nearly as far as the first did, and no energy is lost. */
static void a_cradle_hands_its_motion_on(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = sim_of_file(&model, "newtons-cradle.yaml", NULL);
  double first = -body(sim, model, "ball1").position.x;
  double start = body(sim, model, "ball5").position.x, farthest = 0;
  for (double t = 0.3; t < 0.8; t += 0.01) {
    assert_int_equal(ff_sim_advance(sim, t), FF_OK);
    farthest = fmax(farthest, body(sim, model, "ball5").position.x - start);
  }
  assert_true(farthest > 0.9 * first && farthest < first);
  ff_energy energy = ff_sim_energy(sim);
  assert_true(fabs(energy.lost[FF_LOST_STEP]) < 1e-7 * ff_sim_audit(sim).energy_scale);
  end(sim, model);
}

/* ---- sizes and masses ---------------------------------------------------------------------- */

/* A stone falls on a table; all lengths times this, times with its root, forces to match. Returns
 * where it is at the end, in these units. */
static ff_vec3 fall_of_size(const char *shape, double size) {
  double l = size, t = sqrt(size), m = size * size * size;
  char text[2000];
  snprintf(text, sizeof text,
           "footfall: 1\n"
           "stepper: {kind: quasi-rigid, step: %.17g}\n"
           "bodies:\n"
           "  table: {fixed: true, shape: {box: {size: [%.17g, %.17g, %.17g]}}}\n"
           "  stone: {density: 1000, shape: %s, position: [%.17g, %.17g, %.17g],\n"
           "    orientation: {axis: [1, 0.5, 0.2], angle: 0.7}}\n"
           "contacts:\n"
           "  - pair: [stone, table]\n"
           "    normal: {law: quasi-rigid, k: %.17g, c: %.17g, max_deflection: %.17g}\n"
           "    friction: {law: ellipsoidal, mu: 0.4, e_r: %.17g}\n",
           1e-3 * t, l, l, 0.2 * l, shape, 0.05 * l, 0.02 * l, 0.5 * l, 2e6 * m / l, 1e4 * m / t,
           5e-3 * l, 0.01 * l);
  ff_model *model;
  ff_sim *sim = sim_of(&model, text, NULL);
  assert_int_equal(ff_sim_advance(sim, 0.4 * t), FF_OK);
  assert_int_equal(ff_sim_solver(sim).fallbacks, 0);
  ff_vec3 at = body(sim, model, "stone").position;
  end(sim, model);
  return (ff_vec3){at.x / l, at.y / l, at.z / l};
}

/* From a micrometre to a hundred kilometres the same problem, but for rounding. */
static void size_does_not_matter(void **state) {
  (void)state;
  static const double sizes[] = {1e-6, 1e-3, 1e3, 1e5};
  static const char *const shapes[] = {"{ellipsoid: {axes: [%g, %g, %g]}}",
                                       "{box: {size: [%g, %g, %g]}}"};
  for (size_t s = 0; s < 2; s++) {
    char shape[200];
    snprintf(shape, sizeof shape, shapes[s], 0.3, 0.2, 0.15);
    ff_vec3 want = fall_of_size(shape, 1);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      snprintf(shape, sizeof shape, shapes[s], 0.3 * sizes[i], 0.2 * sizes[i], 0.15 * sizes[i]);
      ff_vec3 at = fall_of_size(shape, sizes[i]);
      assert_close(at.x, want.x, 1e-8);
      assert_close(at.y, want.y, 1e-8);
      assert_close(at.z, want.z, 1e-8);
    }
  }
}

/* Four links of 1 kg, level at first, bear a weight a million times as heavy. */
static void light_links_bear_a_heavy_weight(void **state) {
  (void)state;
  char text[4000];
  int size = snprintf(text, sizeof text,
                      "footfall: 1\n"
                      "stepper: {kind: quasi-rigid, step: 1e-3}\n"
                      "bodies:\n"
                      "  b0: {fixed: true}\n");
  for (int i = 1; i <= 5; i++) {
    size += snprintf(text + size, sizeof text - (size_t)size,
                     "  b%d: {mass: %g, shape: {box: {size: [0.19, 0.05, 0.05]}}, "
                     "position: [%g, 0, 0]}\n",
                     i, i < 5 ? 1.0 : 1e6, 0.2 * i - 0.1);
  }
  size += snprintf(text + size, sizeof text - (size_t)size, "constraints:\n");
  for (int i = 1; i <= 5; i++) {
    size += snprintf(text + size, sizeof text - (size_t)size,
                     "  j%d: {kind: ball, pair: [b%d, b%d], at: [%g, 0, 0]}\n", i, i, i - 1,
                     0.2 * (i - 1));
  }
  ff_model *model;
  ff_sim *sim = sim_of(&model, text, NULL);
  assert_int_equal(ff_sim_advance(sim, 0.5), FF_OK);
  ff_solver_info info = ff_sim_solver(sim);
  assert_int_equal(info.fallbacks, 0);
  assert_true(info.iterations < 5 * 500);
  assert_true(ff_sim_constraint(sim, CONSTRAINT(1)).error < 1e-12);
  end(sim, model);
}

/* ---- at the start ------------------------------------------------------------------------------
 */

/* A box that is pressed into its layer when the run begins is let go: the first step is booked as
 * all others. */
static void the_first_step_closes_its_ledger(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = sim_of(&model,
                       "footfall: 1\n"
                       "stepper: {kind: quasi-rigid, step: 1e-3}\n"
                       "bodies:\n"
                       "  floor: {fixed: true, shape: {half-space: {}}}\n"
                       "  box: {mass: 1, shape: {box: {size: [0.2, 0.2, 0.05]}}, "
                       "position: [0, 0, 0.0249]}\n"
                       "contacts:\n"
                       "  - pair: [box, floor]\n"
                       "    normal: {law: quasi-rigid, k: 4e4, c: 400, max_deflection: 1e-3}\n",
                       NULL);
  assert_int_equal(ff_sim_advance(sim, 0.01), FF_OK);
  ff_audit audit = ff_sim_audit(sim);
  assert_true(audit.energy_residual < 1e-12 * audit.energy_scale);
  end(sim, model);
}

/* ---- one that is fast ------------------------------------------------------------------------ */

/* The room for contacts is chosen for a wall, not for a list of all its stones with all others. */
static void a_fast_ball_does_not_fill_the_list(void **state) {
  (void)state;
  char text[6000];
  int size = snprintf(text, sizeof text,
                      "footfall: 1\n"
                      "stepper: {kind: quasi-rigid, step: 1e-3}\n"
                      "materials: {brick: {density: 2000}}\n"
                      "bodies:\n"
                      "  floor: {fixed: true, shape: {half-space: {}}}\n"
                      "  ball: {mass: 5, shape: {sphere: {radius: 0.08}}, "
                      "position: [0.5, -2, 0.24], velocity: [0, 50, 0]}\n");
  for (int i = 0; i < 36; i++) {
    size += snprintf(text + size, sizeof text - (size_t)size,
                     "  b%d: {material: brick, shape: {box: {size: [0.2, 0.1, 0.08]}}, "
                     "position: [%g, 0, %g]}\n",
                     i, 0.201 * (i % 6) + 0.1 * (i / 6 % 2), 0.04 + 0.08 * (i / 6));
  }
  snprintf(text + size, sizeof text - (size_t)size,
           "contacts:\n"
           "  - pair: ['*', '*']\n"
           "    normal: {law: quasi-rigid, k: 2e5, c: 2e3, max_deflection: 5e-4}\n"
           "    friction: {law: ellipsoidal, mu: 0.6}\n");
  ff_model *model;
  ff_sim *sim = sim_of(&model, text, NULL);
  assert_int_equal(ff_sim_advance(sim, 0.036), FF_OK); /* it is next to them */
  assert_true(body(sim, model, "ball").position.y > -0.25);
  end(sim, model);
}

/* A marble that has bounced off a wall within a step: what is left of the force is rounding of its
 * momentum, and no fault of the contact. */
static void the_rest_of_a_bounce_is_no_fault(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = sim_of(&model,
                       "footfall: 1\n"
                       "gravity: [0, 0, 0]\n"
                       "stepper: {kind: quasi-rigid, step: 0.0041666666666666666}\n"
                       "bodies:\n"
                       "  wall: {fixed: true, shape: {box: {size: [0.01, 4, 4]}}}\n"
                       "  ball: {density: 2000, shape: {sphere: {radius: 0.01}}, "
                       "position: [-1.1402204493518402, -0.35271151753069757, 0], "
                       "velocity: [95.5336489125606, 29.552020666133956, 0]}\n"
                       "contacts:\n"
                       "  - pair: [ball, wall]\n"
                       "    normal: {law: quasi-rigid, k: 1e5, c: 10, max_deflection: 2e-3}\n"
                       "    friction: {law: ellipsoidal, mu: 0.3}\n",
                       NULL);
  assert_int_equal(ff_sim_advance(sim, 0.1), FF_OK);
  assert_true(body(sim, model, "ball").velocity.x < 0);
  assert_good_but(sim, FF_FINDING_STEP_LOSS, "marble");
  end(sim, model);
}

/* Friction of a box and of a can on a slope of 5 degrees holds them where they came to rest: 1e-14
 * m in 1e4 steps, of 1e-8 m in 1e6 that may be. */
static void friction_holds_on_a_slope(void **state) {
  (void)state;
  static const char *const shapes[] = {"box: {size: [0.2, 0.2, 0.1]}",
                                       "cylinder: {radius: 0.08, height: 0.1}"};
  for (int i = 0; i < 2; i++) {
    char text[1000];
    snprintf(text, sizeof text,
             "footfall: 1\n"
             "gravity: [0.8549927, 0, -9.7726695]\n"
             "stepper: {kind: quasi-rigid, step: 1e-3}\n"
             "bodies:\n"
             "  floor: {fixed: true, shape: {half-space: {}}}\n"
             "  load: {mass: 1, position: [0, 0, 0.05], shape: {%s}}\n"
             "contacts:\n"
             "  - pair: [load, floor]\n"
             "    normal: {law: quasi-rigid, k: 1e5, c: 300}\n"
             "    friction: {law: ellipsoidal, mu: 0.5}\n",
             shapes[i]);
    ff_model *model;
    ff_sim *sim = sim_of(&model, text, NULL);
    assert_int_equal(ff_sim_advance(sim, 2), FF_OK);
    double before = body(sim, model, "load").position.x;
    assert_int_equal(ff_sim_advance(sim, 12), FF_OK);
    assert_close(body(sim, model, "load").position.x, before, 1e-14);
    assert_good(sim);
    end(sim, model);
  }
}

/* Two fingers lift a crate of 0.3 kg by friction and hold it: it does not creep. */
static void fingers_hold_a_crate(void **state) {
  (void)state;
  char path[1000];
  snprintf(path, sizeof path, "%s/scenes/gripper.yaml", FF_SOURCE_DIR);
  static const char *const settings[] = {"stepper={kind: quasi-rigid, step: 4e-3}",
                                         "contacts.0.normal={law: quasi-rigid, k: 5e5, c: 300}",
                                         "contacts.0.friction={law: ellipsoidal, mu: 0.8}"};
  ff_scene *scene = NULL;
  ff_model *model = NULL;
  ff_sim *sim = NULL;
  ff_report report = {.line = 0};
  assert_int_equal(ff_scene_load(&scene, path, settings, 3, &report), FF_OK);
  assert_int_equal(ff_model_build(&model, scene, &report), FF_OK);
  assert_int_equal(ff_sim_create(&sim, model), FF_OK);
  ff_scene_destroy(&scene);
  assert_int_equal(ff_sim_advance(sim, 3), FF_OK);
  ff_vec3 before = body(sim, model, "crate").position;
  assert_true(before.z > 0.24);
  assert_int_equal(ff_sim_advance(sim, 4), FF_OK);
  ff_vec3 after = body(sim, model, "crate").position;
  assert_close(after.x, before.x, 1e-9);
  assert_close(after.y, before.y, 1e-9);
  assert_close(after.z, before.z, 1e-9);
  assert_good(sim);
  end(sim, model);
}

/* Share of the speed before an impact at 2.8 m/s that a ball of 1 kg has after it, at 1 ms. */
static double restitution(double k, double c, const char *more, double *lost_step) {
  char text[1000];
  snprintf(text, sizeof text,
           "footfall: 1\n"
           "gravity: [0, 0, 0]\n"
           "stepper: {kind: quasi-rigid, step: 1e-3}\n"
           "bodies:\n"
           "  floor: {fixed: true, shape: {half-space: {}}}\n"
           "  ball: {mass: 1, position: [0, 0, 0.12], velocity: [0, 0, -2.8], shape: {sphere: "
           "{radius: 0.1}}}\n"
           "contacts:\n"
           "  - pair: [ball, floor]\n"
           "    normal: {law: quasi-rigid, k: %.17g, c: %.17g%s}\n"
           "    friction: {law: none}\n",
           k, c, more);
  ff_model *model;
  ff_sim *sim = sim_of(&model, text, NULL);
  assert_int_equal(ff_sim_advance(sim, 0.1), FF_OK);
  double out = body(sim, model, "ball").velocity.z / 2.8;
  *lost_step = ff_sim_energy(sim).lost[FF_LOST_STEP] / (0.5 * 2.8 * 2.8);
  assert_true(ff_sim_solver(sim).impact_steps > 0);
  end(sim, model);
  return out;
}

/* Steps are cut at impacts: restitution is that of the law, whatever the stiffness, and a core
 * takes what is left of the speed and gives back what its layer stores. */
static void impacts_are_resolved(void **state) {
  (void)state;
  double lost;
  for (double k = 1e6; k < 2e10; k *= 100) {
    assert_close(restitution(k, 0, "", &lost), 1, 0.01);
    /* m x'' + c x' + k x = 0, until its force vanishes */
    double zeta = 0.087, c = 2 * zeta * sqrt(k), root = sqrt(1 - zeta * zeta);
    double law = exp(-zeta / root * acos(2 * zeta * zeta - 1));
    assert_close(restitution(k, c, "", &lost), law, 0.02);
    assert_close(lost, 0, 0.02);
  }
  assert_close(restitution(1e6, 0, ", max_deflection: 1e-3", &lost), 1 / 2.8, 0.02);
  assert_close(lost, 0, 0.02);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_arch_stands_by_friction),
      cmocka_unit_test(dominoes_fall_one_after_another),
      cmocka_unit_test(a_rattleback_turns_round),
      cmocka_unit_test(a_cradle_hands_its_motion_on),
      cmocka_unit_test(size_does_not_matter),
      cmocka_unit_test(light_links_bear_a_heavy_weight),
      cmocka_unit_test(the_first_step_closes_its_ledger),
      cmocka_unit_test(the_rest_of_a_bounce_is_no_fault),
      cmocka_unit_test(a_fast_ball_does_not_fill_the_list),
      cmocka_unit_test(friction_holds_on_a_slope),
      cmocka_unit_test(fingers_hold_a_crate),
      cmocka_unit_test(impacts_are_resolved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
