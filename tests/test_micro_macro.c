/* The stepper `micro-macro`: elastic, rigid and covered ground under bodies and robots. */
#include "base/memory.h"
#include "math/vec.h"
#include "scene_text.h"
#include "sim/sim.h"
#include "step/forces.h"
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
  static const char text[] = HUMANOID COVERED "stepper: {kind: micro-macro, step: 1e-3}\n";
  ff_model *model;
  ff_sim *sim = sim_of(&model, text, "robots.humanoid.position=[0, 0, 0.23]");
  assert_int_equal(ff_sim_advance(sim, 2), FF_OK);
  ff_body foot = ff_model_body_find(model, "humanoid-left_foot");
  ff_vec3 at = ff_sim_body(sim, foot).position;
  long before = ff_alloc_count();
  assert_int_equal(ff_sim_advance(sim, 4), FF_OK);
  assert_int_equal(ff_alloc_count(), before);
  assert_true(v3_norm(v3_sub(ff_sim_body(sim, foot).position, at)) < 1e-6);
  assert_near(channel(sim, model, "contact.humanoid-left_foot:floor.force.n") +
                  channel(sim, model, "contact.humanoid-right_foot:floor.force.n"),
              5 * 9.81, 1e-3);
  end(sim, model);
}

/* ---- what is solved ----------------------------------------------------------------------------
 */

/* Impulses are optimal: the residual of the programme at the impulses that were used, from A and v
 * as they stand in the stepper. */
static void impulses_are_optimal(void **state) {
  (void)state;
  enum { MOST_UNKNOWNS = 24 }; /* three of each corner of two soles */
  static const char text[] =
      HUMANOID COVERED "stepper: {kind: micro-macro, step: 1e-3, lambda: 1, corrections: false}\n";
  ff_model *model;
  ff_sim *sim = sim_of(&model, text, NULL);
  assert_int_equal(ff_sim_advance(sim, 0.1), FF_OK);
  int checked = 0, bounded = 0;
  for (int i = 0; i < 300; i++) {
    assert_int_equal(ff_sim_step(sim), FF_OK);
    const ff_micro *micro = sim->work.micro;
    int n = micro->unknowns;
    double scale = 0;
    static double a[MOST_UNKNOWNS * MOST_UNKNOWNS];
    assert_true(n <= MOST_UNKNOWNS);
    for (int k = 0; k < n; k++) { /* A by rows; what the slope along x[k] is made of */
      const double *column = micro->columns + k * n;
      double pull = 0, curvature = 1;
      for (int l = 0; l < n; l++) {
        a[l * n + k] = column[l];
        pull += column[l] * micro->target[l];
        curvature += column[l] * column[l];
      }
      scale = fmax(scale, fabs(pull) + curvature * fabs(micro->x[k]));
      bounded += micro->x[k] == micro->lower[k];
    }
    ff_qp_problem problem = {.size = n,
                             .rows = n,
                             .matrix = a,
                             .target = micro->target,
                             .lambda = 1,
                             .lower = micro->lower};
    if (n > 0) {
      assert_true(ff_qp_residual(&problem, micro->x) <= 1e-10 * scale);
      checked++;
    }
  }
  print_message("%d programmes, %d points at rest\n", checked, bounded);
  assert_true(checked > 100);
  ff_solver_info solver = ff_sim_solver(sim);
  assert_true(solver.problems >= checked && solver.residual < 1e-9 && solver.most <= 100);
  assert_true(bounded > 0); /* points that do not press were among them */
  end(sim, model);
}

/* ---- ground of many kinds ------------------------------------------------------------------- */

/* Membrane-covered: what the membrane does not bear, the rigid floor does. */
static void a_membrane_gives_way_to_the_floor_below(void **state) {
  (void)state;
  static const char text[] =
      BALL "stepper: {kind: micro-macro, step: 1e-3}\n"
           "contacts:\n"
           "  - pair: [ball, floor]\n"
           "    normal: {law: membrane, k: 4000, c: 60, thickness: 0.001, mu: 0}\n";
  ff_model *model;
  ff_sim *sim = sim_of(&model, text, NULL);
  assert_int_equal(ff_sim_advance(sim, 3), FF_OK);
  double depth = 0.1 - channel(sim, model, "body.ball.position.z");
  ff_contact contact = ff_sim_contact(sim, 0);
  assert_near(contact.force_n, 9.81, 1e-3);
  assert_true(depth > 1e-3 && depth < 3e-3); /* found at up to 2 mm, and the spring needs 2.45 */
  end(sim, model);
  sim = sim_of(&model, text, "contacts.0.normal.k=40000"); /* thick enough to bear it alone */
  assert_int_equal(ff_sim_advance(sim, 3), FF_OK);
  assert_near(0.1 - channel(sim, model, "body.ball.position.z"), 9.81 / 40000, 1e-3);
  end(sim, model);
}

/* Exclusive: the floor bears all that is beyond the membrane, which stores no more than at its
 * thickness. Superposed: it goes on storing. Nothing is stored in the air. */
static void a_membrane_stores_what_it_bears(void **state) {
  (void)state;
  static const char text[] =
      BALL "contacts:\n"
           "  - pair: [ball, floor]\n"
           "    normal: {law: membrane, k: 4000, c: 60, thickness: 0.001, mu: 0}\n";
  for (int exclusive = 0; exclusive < 2; exclusive++) {
    char stepper[128];
    snprintf(stepper, sizeof stepper,
             "stepper={kind: micro-macro, step: 1e-3, corrections: false, exclusive: %s}",
             exclusive ? "true" : "false");
    ff_model *model;
    ff_sim *sim = sim_of(&model, text, stepper);
    int beyond = 0;
    while (ff_sim_time(sim) < 1) {
      assert_int_equal(ff_sim_step(sim), FF_OK);
      double depth = 0.1 - channel(sim, model, "body.ball.position.z");
      double stores = exclusive ? fmin(depth, 1e-3) : depth;
      assert_close(ff_sim_energy(sim).spring_normal, depth > 0 ? 2000 * stores * stores : 0, 1e-12);
      beyond += depth > 1.1e-3;
    }
    assert_true(beyond > 0);
    end(sim, model);
  }
}

/* A box on two floors at once, one elastic and one rigid, and a belt that carries another. */
static const char patches[] =
    "footfall: 1\n"
    "duration: 10\n"
    "stepper: {kind: micro-macro, step: 1e-3}\n"
    "bodies:\n"
    "  ice: {fixed: true, shape: {half-space: {normal: [0, 0, 1]}}}\n"
    "  belt: {motion: {velocity: [0.2, 0, 0]}, shape: {half-space: {normal: [0, 0, 1]}}}\n"
    "  mat: {fixed: true, shape: {half-space: {normal: [0, 0, 1]}}}\n"
    "  slider: {mass: 1, shape: {box: {size: [0.2, 0.2, 0.1]}}, position: [0, 0, 0.05],\n"
    "           velocity: [1, 0, 0]}\n"
    "  rider: {mass: 1, shape: {box: {size: [0.2, 0.2, 0.1]}}, position: [0, 1, 0.05]}\n"
    "  sleeper: {mass: 1, shape: {box: {size: [0.2, 0.2, 0.1]}}, position: [0, 2, 0.05]}\n"
    "contacts:\n"
    "  - {pair: [slider, ice], normal: {law: rigid}}\n"
    "  - pair: [rider, belt]\n"
    "    normal: {law: rigid}\n"
    "    friction: {law: coulomb, mu_static: 0.5, mu_kinetic: 0.3}\n"
    "  - pair: [sleeper, mat]\n"
    "    normal: {law: elastic, k: 1000, c: 30}\n"
    "    friction: {law: coulomb, mu_static: 0.5}\n";

/* A box sticks to a plate that swings: it moves with the plate's mean velocity of each step. With
 * that of the end of the step it would be 1.5 mm off. */
static void riders_stay_where_they_are_on_a_swinging_plate(void **state) {
  (void)state;
  static const char text[] =
      "footfall: 1\n"
      "duration: 10\n"
      "stepper: {kind: micro-macro, step: 5e-3}\n"
      "bodies:\n"
      "  plate: {motion: {oscillate: {amplitude: [0.05, 0, 0], frequency: 1}},\n"
      "          shape: {half-space: {normal: [0, 0, 1]}}}\n"
      "  box: {mass: 1, shape: {box: {size: [0.2, 0.2, 0.1]}}, position: [0, 0, 0.05],\n"
      "        velocity: [0.314159265, 0, 0]}\n"
      "contacts:\n"
      "  - pair: [box, plate]\n"
      "    normal: {law: rigid}\n"
      "    friction: {law: coulomb, mu_static: 1}\n";
  ff_model *model;
  ff_sim *sim = sim_of(&model, text, NULL);
  double worst = 0;
  assert_int_equal(ff_sim_advance(sim, 0.05), FF_OK);
  double off =
      channel(sim, model, "body.box.position.x") - channel(sim, model, "body.plate.position.x");
  while (ff_sim_time(sim) < 1) {
    assert_int_equal(ff_sim_step(sim), FF_OK);
    double now =
        channel(sim, model, "body.box.position.x") - channel(sim, model, "body.plate.position.x");
    worst = fmax(worst, fabs(now - off));
  }
  assert_true(worst < 1e-8);
  end(sim, model);
}

static void every_floor_does_as_it_is(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = sim_of(&model, patches, NULL);
  assert_int_equal(ff_sim_advance(sim, 1), FF_OK);
  assert_close(channel(sim, model, "body.slider.velocity.x"), 1, 1e-5); /* ice */
  assert_close(channel(sim, model, "body.rider.velocity.x"), 0.2, 1e-6);
  /* slipped at 0.3 g until it was as fast: v^2 / 2 a behind */
  double behind = 0.2 - channel(sim, model, "body.rider.position.x");
  assert_near(behind, 0.2 * 0.2 / (2 * 0.3 * 9.81), 0.05);
  assert_near(0.05 - channel(sim, model, "body.sleeper.position.z"), 9.81 / 4000, 1e-4);
  ff_energy energy = ff_sim_energy(sim);
  /* the belt works at 0.2 m/s on the friction that speeds the rider up: m v^2 */
  assert_near(energy.work, 0.2 * 0.2, 0.1);
  assert_true(fabs(energy.residual) < 0.02 * ff_sim_audit(sim).energy_scale);
  end(sim, model);
}

/* A ball that lies on another body which lies on the floor: an island of two. */
static void bodies_rest_on_bodies(void **state) {
  (void)state;
  static const char text[] =
      "footfall: 1\n"
      "duration: 10\n"
      "stepper: {kind: micro-macro, step: 1e-3}\n"
      "bodies:\n"
      "  floor: {fixed: true, shape: {half-space: {normal: [0, 0, 1]}}}\n"
      "  below: {mass: 2, shape: {box: {size: [0.4, 0.4, 0.1]}}, position: [0, 0, 0.05]}\n"
      "  above: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [0.05, 0, 0.21]}\n"
      "contacts:\n"
      "  - {pair: [\"*\", \"*\"], normal: {law: rigid}, friction: {law: coulomb, mu_static: "
      "0.5}}\n";
  ff_model *model;
  ff_sim *sim = sim_of(&model, text, NULL);
  assert_int_equal(ff_sim_advance(sim, 2), FF_OK);
  assert_near(channel(sim, model, "contact.below:floor.force.n"), 3 * 9.81, 1e-3);
  assert_close(channel(sim, model, "body.above.position.z"), 0.2, 2e-3);
  assert_close(ff_sim_momentum(sim).linear_residual.z, 0, 1e-9);
  end(sim, model);
}

/* ---- failing -----------------------------------------------------------------------------------
 */

static void every_allocation_of_a_sim_may_fail(void **state) {
  (void)state;
  static const char text[] = HUMANOID COVERED "stepper: {kind: micro-macro, step: 1e-3}\n";
  ff_model *model = model_of(text, NULL);
  ff_status status = FF_ERROR_MEMORY;
  long n = 0;
  while (status == FF_ERROR_MEMORY) {
    ff_sim *sim = NULL;
    ff_alloc_fail_at(++n);
    status = ff_sim_create(&sim, model);
    ff_alloc_fail_at(0);
    ff_sim_destroy(&sim);
    assert_true(n < 1000);
  }
  assert_int_equal(status, FF_OK);
  assert_true(n > 5);
  ff_model_destroy(&model);
}

static void a_failed_step_changes_nothing(void **state) {
  (void)state;
  static const char text[] = BALL "stepper: {kind: micro-macro, step: 1e-3}\n"
                                  "capacity: {contacts: 1}\n"
                                  "contacts:\n"
                                  "  - {pair: [ball, floor], normal: {law: rigid}}\n";
  ff_model *model;
  ff_sim *sim = sim_of(&model, text, NULL);
  assert_int_equal(ff_sim_advance(sim, 1), FF_OK);
  ff_contact before = ff_sim_contact(sim, 0);
  double y[FF_Y_BODY];
  memcpy(y, sim->state.y, sizeof y);
  sim->state.y[FF_Y_V + 2] = 1e308; /* overflows in the step */
  sim->state.y[FF_Y_V] = 1e308;
  ff_bodies_update(model, &sim->state, 1, sim->state.y);
  assert_int_equal(ff_sim_step(sim), FF_ERROR_STEP);
  assert_true(sim->state.y[FF_Y_V] == 1e308 && ff_sim_time(sim) == 1);
  memcpy(sim->state.y, y, sizeof y);
  assert_int_equal(sim->stepper->refresh(&sim->work), FF_OK);
  ff_contact after = ff_sim_contact(sim, 0);
  assert_memory_equal(&before.force, &after.force, sizeof before.force);
  assert_memory_equal(&before.point, &after.point, sizeof before.point);
  assert_true(before.patch.depth == after.patch.depth && before.mode == after.mode);
  end(sim, model);
}

/* What a law's formula dissipates, c v^2, is its own loss; what the implicit spring takes is the
 * step's. */
static void a_spring_without_damper_loses_nothing_by_its_law(void **state) {
  (void)state;
  static const char text[] =
      BALL "stepper: {kind: micro-macro, step: 1e-3}\n"
           "contacts:\n"
           "  - {pair: [ball, floor], normal: {law: elastic, k: 1e5, c: 0}}\n";
  ff_model *model;
  ff_sim *sim = sim_of(&model, text, NULL);
  assert_int_equal(ff_sim_advance(sim, 1), FF_OK);
  ff_energy energy = ff_sim_energy(sim);
  assert_true(energy.lost[FF_LOST_NORMAL] == 0);
  assert_true(energy.lost[FF_LOST_STEP] > 0.05 * ff_sim_audit(sim).energy_scale);
  end(sim, model);
  /* resolved, with a damper: nearly all is the law's */
  static const char fine[] = BALL "stepper: {kind: micro-macro, step: 1e-6}\n"
                                  "contacts:\n"
                                  "  - {pair: [ball, floor], normal: {law: elastic, k: 1e5, c: "
                                  "100}}\n";
  sim = sim_of(&model, fine, NULL);
  assert_int_equal(ff_sim_advance(sim, 0.5), FF_OK);
  energy = ff_sim_energy(sim);
  assert_true(fabs(energy.lost[FF_LOST_STEP]) < 0.01 * energy.lost[FF_LOST_NORMAL]);
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
      cmocka_unit_test(impulses_are_optimal),
      cmocka_unit_test(a_membrane_gives_way_to_the_floor_below),
      cmocka_unit_test(a_membrane_stores_what_it_bears),
      cmocka_unit_test(riders_stay_where_they_are_on_a_swinging_plate),
      cmocka_unit_test(every_floor_does_as_it_is),
      cmocka_unit_test(bodies_rest_on_bodies),
      cmocka_unit_test(every_allocation_of_a_sim_may_fail),
      cmocka_unit_test(a_failed_step_changes_nothing),
      cmocka_unit_test(a_spring_without_damper_loses_nothing_by_its_law),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
