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

/* `micro-macro`: elastic parts stick on a spring that the mean slip stretches. */
static void micro_macro_sticks_and_gains_nothing(void **state) {
  (void)state;
  static const char stepper[] = "stepper={kind: micro-macro, step: 1e-3}";
  assert_close(creep(stepper, 5, 50), 0, 1e-12);
  ff_model *model;
  ff_sim *sim = sim_of(&model, egg, stepper);
  double rest = 0.5 * 9.81 * 0.03, start = 0.5 * 9.81 * 0.0390160 - rest;
  for (int i = 1; i <= 1000; i++) {
    assert_int_equal(ff_sim_advance(sim, 0.01 * i), FF_OK);
    ff_energy e = ff_sim_energy(sim);
    double now = e.kinetic + e.gravity + e.spring_normal + e.spring_tangent - rest;
    assert_true(now < 1.01 * start);
  }
  ff_energy e = ff_sim_energy(sim);
  assert_true(e.kinetic + e.gravity + e.spring_normal - rest > 0.9 * start);
  end(sim, model);
}

/* ... and what is rigid is not entered: an egg that rocks on it, a card of 1 mm on a table of 1 mm.
 */
static void rigid_ground_is_not_entered(void **state) {
  (void)state;
  static const char rigid[] =
      "footfall: 1\n"
      "stepper: {kind: micro-macro, step: 1e-3}\n"
      "bodies:\n"
      "  floor: {fixed: true, shape: {half-space: {}}}\n"
      "  egg: {mass: 0.5, position: [0, 0, 0.0390160], orientation: {axis: [0, 1, 0], angle: "
      "0.5},\n"
      "        shape: {ellipsoid: {axes: [0.06, 0.04, 0.03]}}}\n"
      "  table: {fixed: true, position: [1, 0, 0.5], shape: {box: {size: [0.5, 0.5, 0.001]}}}\n"
      "  card: {mass: 0.002, position: [1, 0, 0.52], shape: {box: {size: [0.09, 0.06, 0.001]}}}\n"
      "contacts:\n"
      "  - {pair: [egg, floor], normal: {law: rigid}, friction: {law: coulomb, mu_static: 1}}\n"
      "  - {pair: [card, table], normal: {law: rigid}, friction: {law: coulomb, mu_static: 0.5}}\n";
  ff_model *model;
  ff_sim *sim = sim_of(&model, rigid, NULL);
  for (int i = 1; i <= 300; i++) {
    assert_int_equal(ff_sim_advance(sim, 0.01 * i), FF_OK);
    for (int k = 0; k < ff_sim_contact_count(sim); k++) {
      assert_true(ff_sim_contact(sim, k).patch.depth < 3e-6);
    }
  }
  assert_close(ff_sim_body(sim, ff_model_body_find(model, "card")).position.z, 0.501, 1e-6);
  end(sim, model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_box_on_a_slope_does_not_creep),
      cmocka_unit_test(rocking_gains_nothing_and_agrees),
      cmocka_unit_test(micro_macro_sticks_and_gains_nothing),
      cmocka_unit_test(rigid_ground_is_not_entered),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
