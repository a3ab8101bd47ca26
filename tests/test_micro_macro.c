/* The stepper `micro-macro`: elastic, rigid and covered ground under bodies and robots. */
#include "math/vec.h"
#include "scene_text.h"
#include "sim/sim.h"
#include "step/micro_macro.h"

/* ---- one body ----------------------------------------------------------------------------- */

/* A ball of 1 kg and 0.1 m. */
#define BALL                                                                                       \
  "footfall: 1\n"                                                                                  \
  "duration: 10\n"                                                                                 \
  "bodies:\n"                                                                                      \
  "  floor: {fixed: true, shape: {half-space: {normal: [0, 0, 1]}}}\n"                             \
  "  ball: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.3]}\n"

static void a_rigid_ball_bounces_with_its_restitution(void **state) {
  (void)state;
  static const char text[] = BALL "stepper: {kind: micro-macro, step: 1e-3}\n"
                                  "contacts:\n"
                                  "  - {pair: [ball, floor], normal: {law: rigid, e: 0.5}}\n";
  ff_model *model;
  ff_sim *sim = sim_of(&model, text, NULL);
  double before = 0, after = 0;
  for (int i = 0; i < 300 && after <= 0; i++) {
    before = channel(sim, model, "body.ball.velocity.z");
    assert_int_equal(ff_sim_step(sim), FF_OK);
    after = channel(sim, model, "body.ball.velocity.z");
  }
  /* the default lambda, 1e-6 of a mean diagonal of 8/3 kg^-1, squared, times 1.5 / 0.5 */
  assert_near(after, -0.5 * before, 2.2e-5);
  ff_energy energy = ff_sim_energy(sim);
  assert_near(energy.lost[FF_LOST_IMPACT], 0.5 * 0.75 * before * before, 0.02); /* and g h v */
  end(sim, model);
}

static void a_rigid_ball_comes_to_rest_and_stays(void **state) {
  (void)state;
  static const char text[] = BALL "stepper: {kind: micro-macro, step: 1e-3}\n"
                                  "contacts:\n"
                                  "  - {pair: [ball, floor], normal: {law: rigid, e: 0.5}}\n";
  ff_model *model;
  ff_sim *sim = sim_of(&model, text, NULL);
  assert_int_equal(ff_sim_advance(sim, 3), FF_OK);
  double z = channel(sim, model, "body.ball.position.z");
  assert_true(z > 0.1 - 2e-3 && z <= 0.1 + 1e-9); /* stopped within a step of 2 m/s */
  assert_int_equal(ff_sim_advance(sim, 8), FF_OK);
  assert_close(channel(sim, model, "body.ball.position.z"), z, 1e-6); /* 7e-6 g h t */
  assert_near(channel(sim, model, "contact.ball:floor.force.n"), 9.81, 1e-3);
  end(sim, model);
}

/* All three forms go to the same motion as the step goes to 0: that of `adaptive`. */
static double deepest_after(const char *stepper) {
  static const char text[] =
      BALL "contacts:\n"
           "  - {pair: [ball, floor], normal: {law: elastic, k: 1e4, c: 20}}\n";
  ff_model *model;
  ff_sim *sim = sim_of(&model, text, stepper);
  double deepest = 0;
  while (ff_sim_time(sim) < 0.25) {
    assert_int_equal(ff_sim_step(sim), FF_OK);
    deepest = fmin(deepest, channel(sim, model, "body.ball.position.z") - 0.1);
  }
  end(sim, model);
  return -deepest;
}

static void forms_agree_at_short_steps(void **state) {
  (void)state;
  double exact = deepest_after("stepper={kind: adaptive, rtol: 1e-10, max-step: 1e-4}");
  static const char *const forms[] = {"conventional", "literal", "implicit"};
  for (int i = 0; i < 3; i++) {
    char stepper[128];
    snprintf(stepper, sizeof stepper, "stepper={kind: micro-macro, step: 2e-6, micro: %s}",
             forms[i]);
    assert_near(deepest_after(stepper), exact, 1e-3); /* first order: 2e-6 of 0.016 s */
  }
}

/* ---- friction ------------------------------------------------------------------------------- */

static const char slope[] =
    "footfall: 1\n"
    "duration: 10\n"
    "stepper: {kind: micro-macro, step: 1e-3}\n"
    "gravity: [4.905, 0, -8.4957092111]\n" /* 30 degrees: tan 0.57735 */
    "bodies:\n"
    "  floor: {fixed: true, shape: {half-space: {normal: [0, 0, 1]}}}\n"
    "  box: {mass: 2, shape: {box: {size: [0.2, 0.2, 0.1]}}, position: [0, 0, 0.05]}\n"
    "contacts:\n"
    "  - pair: [box, floor]\n"
    "    normal: {law: rigid}\n"
    "    friction: {law: coulomb, mu_static: 0.6, mu_kinetic: 0.4}\n";

static void a_box_sticks_below_the_static_angle(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = sim_of(&model, slope, NULL);
  assert_int_equal(ff_sim_advance(sim, 0.1), FF_OK);
  double x = channel(sim, model, "body.box.position.x");
  assert_int_equal(ff_sim_advance(sim, 2), FF_OK);
  /* lambda g h: 1e-8 m/s */
  assert_close(channel(sim, model, "body.box.position.x"), x, 1e-7);
  assert_close(channel(sim, model, "contact.box:floor.mode"), FF_STICK, 0);
  end(sim, model);
}

static void a_box_slides_above_the_static_angle(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = sim_of(&model, slope, "contacts.0.friction.mu_static=0.55");
  assert_int_equal(ff_sim_advance(sim, 0.5), FF_OK);
  double v = channel(sim, model, "body.box.velocity.x");
  assert_int_equal(ff_sim_advance(sim, 1.5), FF_OK);
  double a = channel(sim, model, "body.box.velocity.x") - v;
  assert_near(a, 4.905 - 0.4 * 8.4957092111, 1e-4);
  assert_close(channel(sim, model, "body.box.omega.y"), 0, 1e-5);
  end(sim, model);
}

static void a_box_that_slides_goes_on_below_the_static_angle(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = sim_of(&model, slope, "bodies.box.velocity=[0.5, 0, 0]");
  assert_int_equal(ff_sim_advance(sim, 1), FF_OK);
  assert_near(channel(sim, model, "body.box.velocity.x"), 0.5 + 4.905 - 0.4 * 8.4957092111, 1e-2);
  end(sim, model);
}

/* ---- robots -----------------------------------------------------------------------------------
 */

#define HUMANOID                                                                                   \
  "footfall: 1\n"                                                                                  \
  "duration: 100\n"                                                                                \
  "robots:\n"                                                                                      \
  "  humanoid:\n"                                                                                  \
  "    urdf: robots/humanoid.urdf\n"                                                               \
  "    position: [0, 0, 0.28]\n"                                                                   \
  "    servo: {stiffness: 200, damping: 3}\n"                                                      \
  "bodies:\n"                                                                                      \
  "  floor: {fixed: true, shape: {half-space: {normal: [0, 0, 1]}}}\n"

/* [Sugihara03 Sec. IV-C] */
#define COVERED                                                                                    \
  "contacts:\n"                                                                                    \
  "  - pair: [humanoid, floor]\n"                                                                  \
  "    normal: {law: membrane, k: 5512, c: 158, thickness: 0.0005, mu: 0.4}\n"                     \
  "    friction: {law: coulomb, mu_static: 1, mu_kinetic: 0.4}\n"

static void implicit_feet_do_not_leap(void **state) {
  (void)state;
  static const char text[] = HUMANOID "contacts:\n" /* [Sugihara03 Sec. IV-B] */
                                      "  - pair: [humanoid, floor]\n"
                                      "    normal: {law: elastic, k: 4410, c: 282}\n"
                                      "    friction: {law: coulomb, mu_static: 0.4}\n";
  static const double steps[] = {1e-3, 2.5e-3, 5e-3};
  for (int i = 0; i < 3; i++) {
    char stepper[128];
    snprintf(stepper, sizeof stepper, "stepper={kind: micro-macro, step: %g}", steps[i]);
    ff_model *model;
    ff_sim *sim = sim_of(&model, text, stepper);
    assert_int_equal(ff_sim_advance(sim, 0.15), FF_OK);
    double highest = 0;
    while (ff_sim_time(sim) < 1) {
      assert_int_equal(ff_sim_step(sim), FF_OK);
      highest = fmax(highest, channel(sim, model, "body.humanoid-trunk.position.z"));
    }
    assert_true(highest < 0.235); /* it stands at 0.2286 */
    end(sim, model);
  }
}

static void it_stands(void **state) {
  (void)state;
  static const char text[] =
      HUMANOID COVERED "stepper: {kind: micro-macro, step: 1e-3, lambda: 1}\n";
  ff_model *model;
  ff_sim *sim = sim_of(&model, text, "robots.humanoid.position=[0, 0, 0.23]");
  assert_int_equal(ff_sim_advance(sim, 2), FF_OK);
  ff_body foot = ff_model_body_find(model, "humanoid-left_foot");
  ff_vec3 at = ff_sim_body(sim, foot).position;
  assert_int_equal(ff_sim_advance(sim, 4), FF_OK);
  assert_true(v3_norm(v3_sub(ff_sim_body(sim, foot).position, at)) < 1e-6);
  assert_near(channel(sim, model, "contact.humanoid-left_foot:floor.force.n") +
                  channel(sim, model, "contact.humanoid-right_foot:floor.force.n"),
              5 * 9.81, 1e-3);
  end(sim, model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_rigid_ball_bounces_with_its_restitution),
      cmocka_unit_test(a_rigid_ball_comes_to_rest_and_stays),
      cmocka_unit_test(forms_agree_at_short_steps),
      cmocka_unit_test(a_box_sticks_below_the_static_angle),
      cmocka_unit_test(a_box_slides_above_the_static_angle),
      cmocka_unit_test(a_box_that_slides_goes_on_below_the_static_angle),
      cmocka_unit_test(implicit_feet_do_not_leap),
      cmocka_unit_test(it_stands),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
