/* Contact: impacts, rest, sliding, rolling; orders of convergence; what the audit says. */
#include "model/steppers.h"
#include "worlds.h"

/* ---- impacts --------------------------------------------------------------------------- */

/* Speed after an impact of a ball at 1 m/s on the floor without gravity. */
static double rebound(double mass, double k, double n, double alpha, double radius) {
  world w = {.scene = scene_new(0, "adaptive", NAN)};
  scene_floor(w.scene, "floor");
  ff_body_def def = ff_body_def_default();
  def.name = "ball";
  def.mass = mass;
  def.position.z = 1.1 * radius;
  def.velocity.z = -1;
  ff_body ball = scene_solid(w.scene, &def, FF_SPHERE, (ff_vec3){radius, 0, 0});
  scene_hunt_crossley(w.scene, "ball", "floor", k, n, alpha, 0);
  world_start(&w);
  double vz = -1;
  for (int i = 1; i <= 400 && !(vz > 0 && ff_sim_contact_count(w.sim) == 0); i++) {
    assert_int_equal(world_advance(&w, 0.05 * i), FF_OK);
    vz = ff_sim_body(w.sim, ball).velocity.z;
  }
  world_end(&w);
  return vz;
}

static void restitution_depends_on_alpha_v_alone(void **state) {
  (void)state;
  const double s[] = {1e-3, 1e-2, 0.1, 0.5, 1, 5, 10};
  const double exponents[] = {1, 1.5, 2};
  const double mass[] = {1, 0.02, 50};
  const double k[] = {1e4, 3e5, 2e6};
  for (int i = 0; i < 7; i++) {
    double exact = ff_impact_restitution(s[i]);
    for (int j = 0; j < 3; j++) {
      assert_close(rebound(mass[j], k[j], exponents[j], s[i], 0.5), exact, 1e-8);
    }
  }
}

/* Counts bounces, and lets the ledger be checked all along. */
static void count_touch(void *context, const ff_event *event) {
  *(int *)context += event->kind == FF_EVENT_TOUCH;
}

static void bouncing_ball_keeps_its_books(void **state) {
  (void)state;
  world w = {.scene = scene_new(9.81, "adaptive", NAN)};
  scene_floor(w.scene, "floor");
  scene_ball(w.scene, 0.1, 0);
  scene_hunt_crossley(w.scene, "ball", "floor", 1e6, 1.5, 0.3, 0.5);
  world_start(&w);
  int touches = 0;
  ff_sim_on_event(w.sim, count_touch, &touches);
  assert_int_equal(world_advance(&w, 3), FF_OK);
  ff_audit audit = ff_sim_audit(w.sim);
  assert_int_equal(audit.verdict, FF_VERDICT_GOOD);
  assert_true(audit.energy_residual < 1e-9 * 9.81 * 0.1);
  assert_true(audit.momentum_residual < 1e-12);
  assert_true(touches > 20);
  world_end(&w);
}

/* Touch-down and speed are known exactly. */
static void record_event(void *context, const ff_event *event) {
  ff_event *first = context;
  if (first->time == 0 && event->kind == FF_EVENT_TOUCH) {
    *first = *event;
  }
}

static void touch_down_is_located(void **state) {
  (void)state;
  for (int i = 0; i < ff_stepper_count(); i++) {
    const ff_stepper_info *stepper = ff_stepper_at(i);
    if (stepper->contacts != FF_CONTACTS_BY_FORCE) {
      continue;
    }
    world w = {.scene = scene_new(9.81, stepper->name, 1e-4)};
    scene_floor(w.scene, "floor");
    scene_ball(w.scene, 0.1, 0);
    scene_hunt_crossley(w.scene, "ball", "floor", 1e5, 1, 0.1, 0);
    world_start(&w);
    ff_event touch = {0};
    ff_sim_on_event(w.sim, record_event, &touch);
    assert_int_equal(world_advance(&w, 0.2), FF_OK);
    /* a fixed step goes back along the approach, which contact has hardly bent: h^2 */
    assert_close(touch.time, sqrt(0.2 / 9.81), stepper->locates_events ? 1e-12 : 1e-6);
    assert_close(touch.speed, sqrt(0.2 * 9.81), stepper->locates_events ? 1e-11 : 2e-2);
    world_end(&w);
  }
}

/* ---- convergence --------------------------------------------------------------------------- */

/* A ball pressed into an undamped linear floor swings without ever leaving it. */
static double swing_error(const char *stepper, double h) {
  world w = {.scene = scene_new(9.81, stepper, h)};
  scene_floor(w.scene, "floor");
  double k = 1000, sunk = 9.81 / k, amplitude = 0.5 * sunk;
  ff_body ball = scene_ball(w.scene, -sunk - amplitude, 0);
  const char *names[] = {"k", "b"};
  const double values[] = {k, 0};
  ff_contact_def def = ff_contact_def_default();
  def.a = "ball";
  def.b = "floor";
  def.normal = (ff_law_choice){"linear", names, values, 2};
  assert_int_equal(ff_scene_add_contact(w.scene, &def), FF_OK);
  world_start(&w);
  double error = 0; /* the largest on the way: at one instant parts of it may cancel */
  for (int i = 1; i <= 50; i++) {
    assert_int_equal(world_advance(&w, 0.01 * i), FF_OK);
    double exact = 0.1 - sunk - amplitude * cos(sqrt(k) * 0.01 * i);
    error = fmax(error, fabs(ff_sim_body(w.sim, ball).position.z - exact));
  }
  world_end(&w);
  return error;
}

static void steppers_converge_with_their_order(void **state) {
  (void)state;
  for (int i = 0; i < ff_stepper_count(); i++) {
    const ff_stepper_info *stepper = ff_stepper_at(i);
    if (ff_stepper_resolves(stepper)) {
      double ratio = swing_error(stepper->name, 1e-3) / swing_error(stepper->name, 5e-4);
      /* midpoint-implicit contacts are of second order */
      assert_close(log2(ratio), stepper->midpoint_contacts ? 2 : stepper->order, 0.1);
    }
  }
  assert_true(swing_error("adaptive", NAN) < 1e-11);
}

static double bounce_residual(const char *stepper, double h) {
  world w = {.scene = scene_new(9.81, stepper, h)};
  scene_floor(w.scene, "floor");
  scene_ball(w.scene, -0.02, 0);
  scene_hunt_crossley(w.scene, "ball", "floor", 1000, 2, 0.5, 0);
  world_start(&w);
  assert_int_equal(world_advance(&w, 0.05), FF_OK);
  double out = fabs(ff_sim_energy(w.sim).residual);
  world_end(&w);
  return out;
}

static void residual_falls_with_the_order(void **state) {
  (void)state;
  for (int i = 0; i < ff_stepper_count(); i++) {
    const ff_stepper_info *stepper = ff_stepper_at(i);
    if (stepper->midpoint_contacts) { /* discrete gradients leave rounding */
      assert_true(bounce_residual(stepper->name, 1e-3) < 1e-12);
    } else if (ff_stepper_resolves(stepper)) {
      double ratio = bounce_residual(stepper->name, 1e-3) / bounce_residual(stepper->name, 5e-4);
      assert_true(log2(ratio) > stepper->order - 0.2);
    }
  }
}

/* ---- resting shapes -------------------------------------------------------------------------- */

static int points_at_rest(ff_shape_kind kind, ff_vec3 size, ff_quat orientation, double height) {
  world w = {.scene = scene_new(9.81, "symplectic-euler", 1e-3)};
  scene_floor(w.scene, "floor");
  ff_body_def def = ff_body_def_default();
  def.name = "solid";
  def.mass = 1;
  def.position.z = height - 1e-4; /* a little into the floor */
  def.orientation = orientation;
  scene_solid(w.scene, &def, kind, size);
  scene_hunt_crossley(w.scene, "solid", "floor", 1e4, 1, 1, 0);
  world_start(&w);
  int count = ff_sim_contact_count(w.sim);
  world_end(&w);
  return count;
}

static void shapes_rest_on_the_right_number_of_points(void **state) {
  (void)state;
  const ff_quat upright = {1, 0, 0, 0};
  const ff_quat on_edge = {cos(M_PI / 8), sin(M_PI / 8), 0, 0}; /* 45 degrees about x */
  const ff_quat on_side = {cos(M_PI / 4), sin(M_PI / 4), 0, 0};
  const ff_vec3 cube = {0.1, 0.1, 0.1}, round = {0.1, 0.2, 0};
  assert_int_equal(points_at_rest(FF_SPHERE, cube, upright, 0.1), 1);
  assert_int_equal(points_at_rest(FF_ELLIPSOID, (ff_vec3){0.1, 0.2, 0.3}, upright, 0.3), 1);
  assert_int_equal(points_at_rest(FF_BOX, cube, upright, 0.1), 4);
  assert_int_equal(points_at_rest(FF_BOX, cube, on_edge, 0.1 * sqrt(2)), 2);
  assert_int_equal(points_at_rest(FF_CAPSULE, round, on_side, 0.1), 2);
  assert_int_equal(points_at_rest(FF_CAPSULE, round, upright, 0.3), 1);
  assert_int_equal(points_at_rest(FF_CYLINDER, round, upright, 0.2), 4);
  assert_int_equal(points_at_rest(FF_CYLINDER, round, on_side, 0.1), 2);
}

static void forces_at_rest_carry_the_weight(void **state) {
  (void)state;
  world w = {.scene = scene_new(9.81, "adaptive", NAN)};
  scene_floor(w.scene, "floor");
  ff_body_def def = ff_body_def_default();
  def.name = "solid";
  def.mass = 3;
  def.position.z = 0.1;
  scene_solid(w.scene, &def, FF_BOX, (ff_vec3){0.3, 0.2, 0.1});
  scene_hunt_crossley(w.scene, "solid", "floor", 1e5, 1, 5, 0.6);
  world_start(&w);
  assert_int_equal(world_advance(&w, 5), FF_OK);
  double total = 0;
  for (int i = 0; i < ff_sim_contact_count(w.sim); i++) {
    total += ff_sim_contact(w.sim, i).force.z;
  }
  assert_near(total, 3 * 9.81,
              1e-6); /* it still swings a little: damping is proportional to depth */
  world_end(&w);
}

/* ---- friction
 * ------------------------------------------------------------------------------------ */

static void a_sliding_ball_ends_rolling(void **state) {
  (void)state;
  world w = {.scene = scene_new(9.81, "adaptive", NAN)};
  scene_floor(w.scene, "floor");
  ff_body_def def = ff_body_def_default();
  def.name = "ball";
  def.mass = 1;
  def.position.z = 0.1 - 9.81 / 1e5; /* in equilibrium with the floor */
  def.velocity.x = 1;
  ff_body ball = scene_solid(w.scene, &def, FF_SPHERE, (ff_vec3){0.1, 0, 0});
  scene_hunt_crossley(w.scene, "ball", "floor", 1e5, 1, 0.1, 0.3);
  world_start(&w);
  assert_int_equal(world_advance(&w, 1), FF_OK);
  ff_body_state end = ff_sim_body(w.sim, ball);
  /* 5/7 of the speed; the lever is the whole radius, the force acts on the sphere's surface */
  assert_near(end.velocity.x, 5.0 / 7, 1e-6);
  assert_near(end.omega.y * 0.1, end.velocity.x, 1e-6);
  ff_energy energy = ff_sim_energy(w.sim);
  /* the spring of the friction takes a little while the ball comes to roll */
  double lost = energy.lost[FF_LOST_SLIP] + energy.lost[FF_LOST_TANGENT];
  assert_near(energy.lost[FF_LOST_SLIP], lost, 2e-3);
  assert_near(lost, 0.5 * 2.0 / 7, 1e-5);
  assert_true(fabs(energy.residual) < 1e-9);
  world_end(&w);
}

/* A belt drags a block: the work of the belt is what the block gains and what slips away. */
static void a_moving_floor_does_work(void **state) {
  (void)state;
  const double belt[] = {0, 0.5, 0, 0};
  world w = {.scene = scene_new(9.81, "adaptive", NAN)};
  ff_body_def floor = ff_body_def_default();
  floor.name = "belt";
  floor.kind = FF_BODY_PRESCRIBED;
  floor.motion.velocity = (ff_table){belt, 1, 3};
  scene_solid(w.scene, &floor, FF_HALF_SPACE, (ff_vec3){0, 0, 0});
  ff_body_def def = ff_body_def_default();
  def.name = "block";
  def.mass = 2;
  def.position.z = 0.1 - 2 * 9.81 / 4e5;
  ff_body block = scene_solid(w.scene, &def, FF_BOX, (ff_vec3){0.3, 0.3, 0.1});
  scene_hunt_crossley(w.scene, "block", "belt", 1e5, 1, 1, 0.4);
  world_start(&w);
  assert_int_equal(world_advance(&w, 1), FF_OK);
  ff_energy energy = ff_sim_energy(w.sim);
  assert_near(ff_sim_body(w.sim, block).velocity.x, 0.5, 1e-3);
  assert_near(energy.work, 2 * 0.5 * 0.5, 1e-2); /* mu m g v t_slip = m v^2 */
  assert_true(fabs(energy.residual) < 1e-8);
  world_end(&w);
}

/* ---- two bodies
 * ------------------------------------------------------------------------------------- */

static void balls_that_collide_keep_their_momentum(void **state) {
  (void)state;
  world w = {.scene = scene_new(0, "adaptive", NAN)};
  ff_body_def def = ff_body_def_default();
  def.name = "left";
  def.mass = 1;
  def.position = (ff_vec3){-0.15, 0.03, 0};
  def.velocity = (ff_vec3){1, 0, 0};
  ff_body left = scene_solid(w.scene, &def, FF_SPHERE, (ff_vec3){0.1, 0, 0});
  def.name = "right";
  def.mass = 3;
  def.position = (ff_vec3){0.15, 0, 0};
  def.velocity = (ff_vec3){-0.5, 0, 0};
  ff_body right = scene_solid(w.scene, &def, FF_SPHERE, (ff_vec3){0.12, 0, 0});
  scene_hunt_crossley(w.scene, "*", "*", 1e5, 1.5, 0.2, 0.3);
  world_start(&w);
  assert_int_equal(world_advance(&w, 0.5), FF_OK);
  ff_body_state a = ff_sim_body(w.sim, left), b = ff_sim_body(w.sim, right);
  assert_true(a.velocity.x < 0); /* they did collide */
  assert_close(a.velocity.x + 3 * b.velocity.x, 1 - 1.5, 1e-12);
  ff_momentum momentum = ff_sim_momentum(w.sim);
  assert_close(momentum.angular_residual.z, 0, 1e-13);
  assert_true(fabs(ff_sim_energy(w.sim).residual) < 1e-10);
  world_end(&w);
}

/* ---- what the audit says
 * ------------------------------------------------------------------------------- */

static ff_audit drop_on_stiff_floor(const char *stepper, double h) {
  world w = {.scene = scene_new(9.81, stepper, h)};
  scene_floor(w.scene, "floor");
  scene_ball(w.scene, 1, 0);
  scene_hunt_crossley(w.scene, "ball", "floor", 1e9, 1, 0.1, 0);
  world_start(&w);
  ff_status status = world_advance(&w, 1);
  ff_audit audit = ff_sim_audit(w.sim);
  assert_true(status == FF_OK || status == FF_ERROR_STEP);
  world_end(&w);
  return audit;
}

static void an_under_resolved_run_is_told_with_the_step_that_would_do(void **state) {
  (void)state;
  for (int i = 0; i < ff_stepper_count(); i++) {
    const ff_stepper_info *stepper = ff_stepper_at(i);
    if (ff_stepper_resolves(stepper)) {
      ff_audit coarse = drop_on_stiff_floor(stepper->name, 1e-3);
      assert_int_equal(coarse.verdict, FF_VERDICT_UNDER_RESOLVED);
      assert_true(coarse.needed_step < 1e-5);
      ff_audit fine = drop_on_stiff_floor(stepper->name, coarse.needed_step);
      assert_int_equal(fine.verdict, FF_VERDICT_GOOD);
    }
  }
}

/* A force beyond all numbers: the state before a step that fails is the state after it. */
static void a_failed_step_leaves_the_state_alone(void **state) {
  (void)state;
  for (int i = 0; i < ff_stepper_count(); i++) {
    const ff_stepper_info *stepper = ff_stepper_at(i);
    if (!ff_stepper_resolves(stepper)) {
      continue;
    }
    const double blow[] = {0, 0, 0, 1e308, 1, 0, 0, 1e308};
    world w = {.scene = scene_new(0, stepper->name, 1e-3)};
    ff_body_def def = ff_body_def_default();
    def.name = "ball";
    def.mass = 1e-3;
    def.velocity.x = 1;
    ff_body ball = scene_solid(w.scene, &def, FF_SPHERE, (ff_vec3){0.1, 0, 0});
    ff_force_def force = ff_force_def_default();
    force.body = "ball";
    force.force = (ff_table){blow, 2, 3};
    assert_int_equal(ff_scene_add_force(w.scene, &force), FF_OK);
    world_start(&w);
    ff_status status = FF_OK;
    ff_body_state before = ff_sim_body(w.sim, ball);
    double t = 0;
    for (int k = 0; k < 100 && status == FF_OK; k++) {
      before = ff_sim_body(w.sim, ball);
      t = ff_sim_time(w.sim);
      status = ff_sim_step(w.sim);
    }
    assert_int_equal(status, FF_ERROR_STEP);
    ff_body_state after = ff_sim_body(w.sim, ball);
    assert_memory_equal(&before, &after, sizeof before);
    assert_true(t == ff_sim_time(w.sim));
    world_end(&w);
  }
}

static void too_many_contacts_are_told(void **state) {
  (void)state;
  ff_scene *scene = scene_new(9.81, "symplectic-euler", 1e-3);
  ff_run_def run = ff_run_def_default();
  run.stepper.kind = "symplectic-euler";
  run.stepper.step = 1e-3;
  run.contact_capacity = 3;
  assert_int_equal(ff_scene_set_run(scene, &run), FF_OK);
  scene_floor(scene, "floor");
  ff_body_def def = ff_body_def_default();
  def.name = "solid";
  def.mass = 1;
  scene_solid(scene, &def, FF_BOX, (ff_vec3){0.1, 0.1, 0.1});
  scene_hunt_crossley(scene, "solid", "floor", 1e4, 1, 1, 0);
  ff_model *model;
  ff_sim *sim;
  assert_int_equal(ff_model_build(&model, scene, NULL), FF_OK);
  assert_int_equal(ff_sim_create(&sim, model), FF_ERROR_CAPACITY);
  assert_null(sim);
  ff_model_destroy(&model);
  ff_scene_destroy(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(restitution_depends_on_alpha_v_alone),
      cmocka_unit_test(bouncing_ball_keeps_its_books),
      cmocka_unit_test(touch_down_is_located),
      cmocka_unit_test(steppers_converge_with_their_order),
      cmocka_unit_test(residual_falls_with_the_order),
      cmocka_unit_test(shapes_rest_on_the_right_number_of_points),
      cmocka_unit_test(forces_at_rest_carry_the_weight),
      cmocka_unit_test(a_sliding_ball_ends_rolling),
      cmocka_unit_test(a_moving_floor_does_work),
      cmocka_unit_test(balls_that_collide_keep_their_momentum),
      cmocka_unit_test(an_under_resolved_run_is_told_with_the_step_that_would_do),
      cmocka_unit_test(a_failed_step_leaves_the_state_alone),
      cmocka_unit_test(too_many_contacts_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
