/* Friction that sticks: under every stepper nothing creeps, and rolling gains no energy. */
#include "math/vec.h"
#include "scene_text.h"

static const char slope[] =
    "footfall: 1\n"
    "gravity: [0.85499783, 0, -9.77266996]\n" /* 5 degrees */
    "bodies:\n"
    "  floor: {fixed: true, shape: {half-space: {}}}\n"
    "  box: {mass: 1, position: [0, 0, 0.05], shape: {box: {size: [0.2, 0.2, 0.1]}}}\n"
    "contacts:\n"
    "  - pair: [box, floor]\n"
    "    normal: {law: elastic, k: 1e4, c: 50}\n"
    "    friction: {law: coulomb, mu_static: 0.5, mu_kinetic: 0.4}\n";

/* How far the box creeps between two times, s. */
static double creep(const char *stepper, double from, double to) {
  ff_model *model;
  ff_sim *sim = sim_of(&model, slope, stepper);
  ff_body box = ff_model_body_find(model, "box");
  assert_int_equal(ff_sim_advance(sim, from), FF_OK);
  ff_vec3 start = ff_sim_body(sim, box).position;
  assert_int_equal(ff_sim_advance(sim, to), FF_OK);
  double moved = v3_norm(v3_sub(ff_sim_body(sim, box).position, start));
  assert_true(ff_sim_energy(sim).spring_tangent > 0);
  end(sim, model);
  return moved;
}

static void a_box_on_a_slope_does_not_creep(void **state) {
  (void)state;
  assert_close(creep("stepper={kind: symplectic-euler, step: 1e-3}", 5, 50), 0, 1e-12);
  assert_close(creep("stepper={kind: rk4, step: 1e-3}", 5, 50), 0, 1e-12);
  assert_close(creep("stepper={kind: heun, step: 1e-3}", 5, 50), 0, 1e-12);
  assert_close(creep("stepper={kind: adaptive}", 5, 20), 0, 1e-12);
}

/* Loads that settle slide less and less, back and forth: 35 um in 0.4 s here, under any stepper. */
static void settling_is_no_creep(void **state) {
  (void)state;
  static const char *const laws[] = {"contacts.0.normal={law: volumetric, k_V: 2e6, a_V: 0.5}",
                                     "contacts.0.normal={law: hunt-crossley, k: 1e5, alpha: 0.5}"};
  for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
    char text[1500];
    strcpy(text, slope);
    char *friction = strstr(text, "{law: coulomb");
    static const char bristles[] = "{law: bristle-clutch, K: 1e5, D: 1e3, mu: 0.5}\n";
    memmove(friction, bristles, sizeof bristles);
    strcat(text, "stepper: {kind: symplectic-euler, step: 1e-3}\n");
    ff_model *model;
    ff_sim *sim = sim_of(&model, text, laws[i]);
    assert_int_equal(ff_sim_advance(sim, 3), FF_OK);
    assert_int_equal(ff_sim_audit(sim).verdict, FF_VERDICT_GOOD);
    end(sim, model);
  }
}

/* Semi-axes .06, .04 and .03 m, tilted by half a radian about y, its lowest point at the floor. */
static const char egg[] =
    "footfall: 1\n"
    "bodies:\n"
    "  floor: {fixed: true, shape: {half-space: {}}}\n"
    "  egg: {mass: 0.5, position: [0, 0, 0.0390160], orientation: {axis: [0, 1, 0], angle: 0.5},\n"
    "        shape: {ellipsoid: {axes: [0.06, 0.04, 0.03]}}}\n"
    "contacts:\n"
    "  - pair: [egg, floor]\n"
    "    normal: {law: elastic, k: 1e5, c: 100}\n"
    "    friction: {law: coulomb, mu_static: 1}\n";

/* Mechanical energy above that of rest after 10 s of rocking, over that of the start; it never
 * rises by more than 1e-3. */
static double rocking(const char *stepper) {
  ff_model *model;
  ff_sim *sim = sim_of(&model, egg, stepper);
  double rest = 0.5 * 9.81 * 0.03, start = 0.5 * 9.81 * 0.0390160 - rest, before = start;
  for (int i = 1; i <= 1000; i++) {
    assert_int_equal(ff_sim_advance(sim, 0.01 * i), FF_OK);
    ff_energy e = ff_sim_energy(sim);
    double now = e.kinetic + e.gravity + e.spring_normal + e.spring_tangent - rest;
    assert_true(now - before < 1e-3 * start);
    before = now;
  }
  ff_energy e = ff_sim_energy(sim);
  assert_true(e.lost[FF_LOST_SLIP] >= 0 && e.lost[FF_LOST_TANGENT] >= 0);
  assert_int_equal(ff_sim_audit(sim).verdict, FF_VERDICT_GOOD);
  end(sim, model);
  return before / start;
}

static void rocking_gains_nothing_and_agrees(void **state) {
  (void)state;
  double fine = rocking("stepper={kind: rk4, step: 1e-4}");
  assert_true(fine > 0.98 && fine < 1);
  assert_close(rocking("stepper={kind: adaptive}"), fine, 1e-4);
  assert_close(rocking("stepper={kind: heun, step: 1e-4}"), fine, 1e-4);
  assert_close(rocking("stepper={kind: symplectic-euler, step: 1e-3}"), fine, 1e-3);
}

/* ---- micro-macro ------------------------------------------------------------------------------
 */

/* A scene under `micro-macro`, with one value set. */
static ff_sim *micro_sim_of(ff_model **model, const char *scene, const char *setting) {
  char text[2000];
  snprintf(text, sizeof text, "%sstepper: {kind: micro-macro, step: 1e-3}\n", scene);
  return sim_of(model, text, setting);
}

/* 10 nm in 1e6 steps of 1 ms is 1e-11 m/s. */
static void micro_macro_does_not_creep(void **state) {
  (void)state;
  static const char *const laws[] = {
      "contacts.0.normal={law: elastic, k: 1e4, c: 50}", "contacts.0.normal={law: rigid}",
      "contacts.0.normal={law: membrane, k: 5512, c: 158, thickness: 0.0005, mu: 0.4}",
      "contacts.0.normal={law: membrane, k: 500, c: 158, thickness: 0.0005, mu: 0.2}"};
  for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
    ff_model *model;
    ff_sim *sim = micro_sim_of(&model, slope, laws[i]);
    ff_body box = ff_model_body_find(model, "box");
    assert_int_equal(ff_sim_advance(sim, 5), FF_OK);
    ff_vec3 start = ff_sim_body(sim, box).position;
    assert_int_equal(ff_sim_advance(sim, 25), FF_OK);
    ff_vec3 moved = v3_sub(ff_sim_body(sim, box).position, start);
    assert_true(hypot(moved.x, moved.y) < 20 * 1e-11);
    assert_int_equal(ff_sim_audit(sim).verdict, FF_VERDICT_GOOD);
    end(sim, model);
  }
}

/* Rocks for a while (s); its mechanical energy (J) above rest never exceeds that of the start by
 * more than 1 %. Returns what is left, 1. most_depth: m, at the end. */
static double rock_on(const char *normal, double time, double most_depth) {
  ff_model *model;
  ff_sim *sim = micro_sim_of(&model, egg, normal);
  double rest = 0.5 * 9.81 * 0.03, start = 0.5 * 9.81 * 0.0390160 - rest, now = start;
  for (int i = 1; i <= (int)(100 * time); i++) {
    assert_int_equal(ff_sim_advance(sim, 0.01 * i), FF_OK);
    ff_energy e = ff_sim_energy(sim);
    now = e.kinetic + e.gravity + e.spring_normal + e.spring_tangent - rest;
    assert_true(now < 1.01 * start);
  }
  ff_energy e = ff_sim_energy(sim);
  assert_true(e.lost[FF_LOST_SLIP] > -1e-3 * start);
  ff_contact contact = ff_sim_contact(sim, 0);
  assert_true(contact.patch.depth < most_depth);
  end(sim, model);
  return now / start;
}

static void micro_macro_rocks_without_gain(void **state) {
  (void)state;
  /* rolling friction does no work and the mean slip of a step is none: rigid ground loses nothing
   */
  double left = rock_on("contacts.0.normal={law: rigid}", 20, 6e-5);
  assert_true(left > 0.97);
  left = rock_on("contacts.0.normal={law: membrane, k: 5e3, c: 10, thickness: 1e-4, mu: 1}", 10,
                 1.6e-4);
  assert_true(left > 0.95);
  left = rock_on("contacts.0.normal={law: elastic, k: 1e5, c: 100}", 10, 1e-3);
  assert_true(left > 0.9);
}

static const char stacks[] =
    "footfall: 1\n"
    "bodies:\n"
    "  floor: {fixed: true, shape: {half-space: {}}}\n"
    "  table: {fixed: true, position: [1, 0, 0.5], shape: {box: {size: [0.5, 0.5, 0.001]}}}\n"
    "  card: {mass: 0.002, position: [1, 0, 0.52], shape: {box: {size: [0.09, 0.06, 0.001]}}}\n"
    "  box: {mass: 0.01, position: [0, 0, 0.05], shape: {box: {size: [0.1, 0.1, 0.1]}}}\n"
    "  load: {mass: 5000, position: [0, 0, 0.2], shape: {box: {size: [0.2, 0.2, 0.2]}}}\n"
    "contacts:\n"
    "  - {pair: [\"*\", \"*\"], normal: {law: rigid}, friction: {law: coulomb, mu_static: 0.5}}\n";

/* A card of 1 mm falls onto a table of 1 mm; 5 t stand on 10 g. */
static void rigid_bodies_are_not_entered(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = micro_sim_of(&model, stacks, NULL);
  for (int i = 1; i <= 100; i++) {
    assert_int_equal(ff_sim_advance(sim, 0.01 * i), FF_OK);
    for (int k = 0; k < ff_sim_contact_count(sim); k++) {
      assert_true(ff_sim_contact(sim, k).patch.depth < 1e-5);
    }
  }
  assert_close(ff_sim_body(sim, ff_model_body_find(model, "card")).position.z, 0.501, 1e-6);
  assert_close(ff_sim_body(sim, ff_model_body_find(model, "load")).position.z, 0.2, 2e-6);
  assert_int_equal(ff_sim_audit(sim).verdict, FF_VERDICT_GOOD);
  end(sim, model);
}

static void a_robot_stands_on_rigid_ground(void **state) {
  (void)state;
  static const char robot[] = "footfall: 1\n"
                              "robots:\n"
                              "  humanoid: {urdf: robots/humanoid.urdf, position: [0, 0, 0.24],\n"
                              "             servo: {stiffness: 200, damping: 3}}\n"
                              "bodies:\n"
                              "  floor: {fixed: true, shape: {half-space: {}}}\n"
                              "contacts:\n"
                              "  - {pair: [humanoid, floor], normal: {law: rigid},\n"
                              "     friction: {law: coulomb, mu_static: 0.5}}\n";
  ff_model *model;
  ff_sim *sim = micro_sim_of(&model, robot, NULL);
  ff_body foot = ff_model_body_find(model, "humanoid-left_foot");
  assert_int_equal(ff_sim_advance(sim, 1), FF_OK);
  ff_vec3 start = ff_sim_body(sim, foot).position;
  assert_int_equal(ff_sim_advance(sim, 2), FF_OK);
  assert_true(v3_norm(v3_sub(ff_sim_body(sim, foot).position, start)) < 1e-7);
  assert_int_equal(ff_sim_audit(sim).verdict, FF_VERDICT_GOOD);
  end(sim, model);
}

/* Cubes of 0.1, 1 and 3 kg whose edges lie exactly above each other: the edges cross in samples
 * whose depth changes a million times faster than the bodies approach. Continued to the ends of the
 * step, their energy was worth three times all that was exchanged. The contacts are too stiff for
 * the step, which a load at rest does not mind. */
static void aligned_edges_store_what_they_give_back(void **state) {
  (void)state;
  static const char text[] =
      "footfall: 1\n"
      "bodies:\n"
      "  floor: {fixed: true, shape: {half-space: {}}}\n"
      "  a: {mass: 0.1, position: [0, 0, 0.04999], shape: {box: {size: [0.1, 0.1, 0.1]}}}\n"
      "  b: {mass: 1, position: [0, 0, 0.14998], shape: {box: {size: [0.1, 0.1, 0.1]}}}\n"
      "  c: {mass: 3, position: [0, 0, 0.24997], shape: {box: {size: [0.1, 0.1, 0.1]}}}\n"
      "contacts:\n"
      "  - {pair: [\"*\", \"*\"], normal: {law: linear, k: 1e5, b: 100},\n"
      "     friction: {law: coulomb, mu_static: 0.5}}\n";
  static const struct {
    const char *stepper;
    double end;
  } runs[] = {{"stepper={kind: symplectic-euler, step: 1e-3}", 1},
              {"stepper={kind: symplectic-euler, step: 1e-4}", 0.4}};
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    ff_model *model;
    ff_sim *sim = sim_of(&model, text, runs[i].stepper);
    assert_int_equal(ff_sim_advance(sim, runs[i].end), FF_OK);
    ff_audit audit = ff_sim_audit(sim);
    assert_true(audit.energy_residual < 1e-3 * audit.energy_scale);
    assert_int_equal(audit.verdict, FF_VERDICT_GOOD);
    end(sim, model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_box_on_a_slope_does_not_creep),
      cmocka_unit_test(settling_is_no_creep),
      cmocka_unit_test(rocking_gains_nothing_and_agrees),
      cmocka_unit_test(aligned_edges_store_what_they_give_back),
      cmocka_unit_test(micro_macro_does_not_creep),
      cmocka_unit_test(micro_macro_rocks_without_gain),
      cmocka_unit_test(rigid_bodies_are_not_entered),
      cmocka_unit_test(a_robot_stands_on_rigid_ground),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
