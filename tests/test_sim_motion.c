/* Motion without contact: flight, spin, forces, drives and prescribed bodies. */
#include "channels.h"
#include "worlds.h"

static const char *const steppers[] = {"symplectic-euler", "rk4", "adaptive"};

static ff_body_state run_free(const char *stepper, const ff_body_def *def, ff_vec3 box, double t) {
  world w = {.scene = scene_new(9.81, stepper, 1e-3)};
  ff_body body = scene_solid(w.scene, def, FF_BOX, box);
  world_start(&w);
  assert_int_equal(world_advance(&w, t), FF_OK);
  ff_body_state out = ff_sim_body(w.sim, body);
  world_end(&w);
  return out;
}

static ff_body_def thrown(void) {
  ff_body_def def = ff_body_def_default();
  def.name = "stone";
  def.mass = 2;
  def.position = (ff_vec3){0.1, -0.2, 3};
  def.velocity = (ff_vec3){1, 2, 5};
  return def;
}

static void free_flight_is_exact(void **state) {
  (void)state;
  for (int i = 0; i < 3; i++) {
    ff_body_def def = thrown();
    ff_body_state end = run_free(steppers[i], &def, (ff_vec3){0.1, 0.1, 0.1}, 0.7371);
    double t = 0.7371;
    /* 1000 roundings of numbers up to 5 */
    assert_close(end.position.x, 0.1 + t, 1e-12);
    assert_close(end.position.y, -0.2 + 2 * t, 1e-12);
    assert_close(end.position.z, 3 + 5 * t - 0.5 * 9.81 * t * t, 1e-12);
    assert_close(end.velocity.z, 5 - 9.81 * t, 1e-12);
  }
}

static void a_cube_spins_exactly(void **state) {
  (void)state;
  for (int i = 0; i < 3; i++) {
    ff_body_def def = thrown();
    def.omega = (ff_vec3){1, 2, 2}; /* 3 rad/s */
    ff_body_state end = run_free(steppers[i], &def, (ff_vec3){0.1, 0.1, 0.1}, 1.0);
    /* rk4 turns with its own error: (3 rad/s * 1 ms)^4 */
    assert_close(end.orientation.w, cos(1.5), 1e-11);
    assert_close(end.orientation.x, sin(1.5) / 3, 1e-11);
    assert_close(end.orientation.y, 2 * sin(1.5) / 3, 1e-11);
  }
}

/* A thin plate of 1 x 0.5 x 0.01 m spun about y, its axis of middle inertia, and a little off
 * it. Many engines gain or lose energy here without bound. */
static ff_scene *plate_scene(const char *stepper) {
  ff_scene *scene = scene_new(0, stepper, 1e-3);
  ff_body_def def = ff_body_def_default();
  def.name = "plate";
  def.mass = 1;
  def.omega = (ff_vec3){0.01, 20, 0.01};
  scene_solid(scene, &def, FF_BOX, (ff_vec3){0.5, 0.25, 0.005});
  return scene;
}

static void thin_plate_keeps_energy_and_momentum(void **state) {
  (void)state;
  const double energy_limit[] = {1e-3, 1e-6, 1e-6}; /* the splitting is of second order */
  for (int i = 0; i < 3; i++) {
    world w = {.scene = plate_scene(steppers[i])};
    world_start(&w);
    double start = ff_sim_energy(w.sim).kinetic;
    assert_int_equal(world_advance(&w, 10), FF_OK);
    ff_audit audit = ff_sim_audit(w.sim);
    ff_vec3 l = ff_sim_momentum(w.sim).angular;
    assert_true(audit.energy_residual < energy_limit[i] * start);
    assert_true(audit.angular_residual < 1e-9 * sqrt(l.x * l.x + l.y * l.y + l.z * l.z));
    world_end(&w);
  }
}

/* Spin of the plate about its own y axis. */
static double own_spin(const ff_sim *sim) {
  ff_body_state s = ff_sim_body(sim, (ff_body){.id = 1});
  ff_quat q = s.orientation;
  return 2 * (q.x * q.y - q.w * q.z) * s.omega.x + (1 - 2 * (q.x * q.x + q.z * q.z)) * s.omega.y +
         2 * (q.y * q.z + q.w * q.x) * s.omega.z;
}

/* The tennis racket theorem: seen from the plate, the spin changes its sign again and again. */
static void the_plate_turns_over(void **state) {
  (void)state;
  world w = {.scene = plate_scene("adaptive")};
  world_start(&w);
  int turns = 0;
  double before = own_spin(w.sim);
  for (int k = 1; k <= 1000; k++) {
    assert_int_equal(world_advance(&w, k * 0.01), FF_OK);
    double now = own_spin(w.sim);
    turns += now * before < 0;
    before = now;
  }
  assert_true(turns >= 3);
  world_end(&w);
}

/* ---- forces, drives, motions -------------------------------------------------------------- */

static void a_force_table_is_integrated_over_its_kinks(void **state) {
  (void)state;
  /* force ramps 0 -> 10 N in 0.25 s, holds: v(1) = (1.25 + 7.5)/m; breakpoints off the step's grid
   */
  const double ramp[] = {0, 0, 0, 0, 0.2503, 10, 0, 0};
  for (int i = 0; i < 3; i++) {
    world w = {.scene = scene_new(0, steppers[i], 1e-3)};
    ff_body_def def = thrown();
    def.velocity = (ff_vec3){0, 0, 0};
    ff_body body = scene_solid(w.scene, &def, FF_SPHERE, (ff_vec3){0.1, 0, 0});
    ff_force_def force = ff_force_def_default();
    force.body = "stone";
    force.force = (ff_table){ramp, 2, 3};
    assert_int_equal(ff_scene_add_force(w.scene, &force), FF_OK);
    world_start(&w);
    assert_int_equal(world_advance(&w, 1), FF_OK);
    ff_body_state end = ff_sim_body(w.sim, body);
    double v = (0.5 * 0.2503 * 10 + (1 - 0.2503) * 10) / 2;
    /* Euler's rectangle misses half a step of the ramp: 0.5 * 1e-3 * 10 N / 2 kg */
    assert_close(end.velocity.x, v, i == 0 ? 2.6e-3 : 1e-11);
    ff_energy energy = ff_sim_energy(w.sim);
    assert_close(energy.work, energy.kinetic, (i == 0 ? 1e-2 : 1e-9) * energy.kinetic);
    world_end(&w);
  }
}

static void a_body_frame_torque_turns_with_the_body(void **state) {
  (void)state;
  const double torque[] = {0, 0, 0, 0.3};
  world w = {.scene = scene_new(0, "adaptive", NAN)};
  ff_body_def def = thrown();
  def.mass = 1;
  def.orientation = (ff_quat){cos(0.5), sin(0.5), 0, 0}; /* body z leans by 1 rad */
  ff_body body = scene_solid(w.scene, &def, FF_SPHERE, (ff_vec3){0.5, 0, 0});
  ff_force_def force = ff_force_def_default();
  force.body = "stone";
  force.torque = (ff_table){torque, 1, 3};
  force.body_frame = true;
  assert_int_equal(ff_scene_add_force(w.scene, &force), FF_OK);
  world_start(&w);
  assert_int_equal(world_advance(&w, 1), FF_OK);
  ff_body_state end = ff_sim_body(w.sim, body);
  double spin = 0.3 / (0.4 * 0.25);
  assert_close(end.omega.y, -spin * sin(1.0), 1e-9);
  assert_close(end.omega.z, spin * cos(1.0), 1e-9);
  world_end(&w);
}

static void a_position_drive_is_an_oscillator(void **state) {
  (void)state;
  world w = {.scene = scene_new(0, "adaptive", NAN)};
  ff_body_def def = thrown();
  def.position = (ff_vec3){0, 0, 0};
  def.velocity = (ff_vec3){0, 0, 0};
  ff_body body = scene_solid(w.scene, &def, FF_SPHERE, (ff_vec3){0.1, 0, 0});
  ff_phase_def phases[2] = {ff_phase_def_default(), ff_phase_def_default()};
  phases[0].kind = FF_PHASE_POSITION;
  phases[0].stiffness = 200; /* omega = 10 rad/s */
  phases[0].start = 0.1;
  phases[0].until = 0.5;
  phases[1].kind = FF_PHASE_OFF;
  ff_drive_def drive = ff_drive_def_default();
  drive.name = "pull";
  drive.body = "stone";
  drive.axis = (ff_vec3){2, 0, 0};
  drive.phases = phases;
  drive.phase_count = 2;
  assert_int_equal(ff_scene_add_drive(w.scene, &drive), FF_OK);
  world_start(&w);
  assert_int_equal(world_advance(&w, 0.3), FF_OK);
  assert_close(ff_sim_body(w.sim, body).position.x, 0.1 * (1 - cos(3.0)), 1e-10);
  assert_close(channel(w.sim, w.model, "drive.pull.wanted"), 0.1, 1e-15);
  assert_close(channel(w.sim, w.model, "drive.pull.force"), 200 * 0.1 * cos(3.0), 1e-7);
  assert_int_equal(world_advance(&w, 1.0), FF_OK);
  assert_true(
      isnan(channel(w.sim, w.model, "drive.pull.wanted"))); /* it is off: it wants nothing */
  double x = 0.1 * (1 - cos(5.0)), v = sin(5.0);
  assert_close(ff_sim_body(w.sim, body).position.x, x + 0.5 * v, 1e-9);
  ff_energy energy = ff_sim_energy(w.sim);
  assert_close(energy.work, energy.kinetic, 1e-11);
  world_end(&w);
}

static void drives_without_axis_or_reference_are_refused(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    world w = {.scene = scene_new(0, "adaptive", NAN)};
    ff_body_def def = thrown();
    scene_solid(w.scene, &def, FF_SPHERE, (ff_vec3){0.1, 0, 0});
    ff_phase_def phase = ff_phase_def_default();
    phase.kind = FF_PHASE_OFF;
    ff_drive_def drive = ff_drive_def_default();
    ff_report report;
    drive.name = "pull";
    drive.body = "stone";
    drive.axis = (ff_vec3){i == 0 ? 0 : 1, 0, 0};
    drive.reference.y = i == 0 ? 0 : NAN;
    drive.phases = &phase;
    drive.phase_count = 1;
    assert_int_equal(ff_scene_add_drive(w.scene, &drive), FF_OK);
    assert_int_equal(ff_model_build(&w.model, w.scene, &report), FF_ERROR_INPUT);
    assert_string_equal(report.key, i == 0 ? "drives.pull.axis" : "drives.pull.reference");
    world_end(&w);
  }
}

static void prescribed_bodies_move_as_told(void **state) {
  (void)state;
  const double velocity[] = {0, 0, 0, 0, 2, 2, 0, 0}; /* x' = t, then 2 */
  const double rate[] = {0, 3};
  world w = {.scene = scene_new(0, "rk4", 1e-2)};
  ff_body_def def = thrown();
  def.mass = NAN;
  def.kind = FF_BODY_PRESCRIBED;
  def.velocity = (ff_vec3){0, 0, 0};
  def.motion.velocity = (ff_table){velocity, 2, 3};
  def.motion.rate = (ff_table){rate, 1, 1};
  def.motion.axis = (ff_vec3){0, 0, 5};
  def.motion.amplitude = (ff_vec3){0, 0, 0.25};
  def.motion.frequency = 0.5;
  ff_body body;
  assert_int_equal(ff_scene_add_body(&body, w.scene, &def), FF_OK);
  world_start(&w);
  assert_int_equal(world_advance(&w, 3), FF_OK);
  ff_body_state end = ff_sim_body(w.sim, body);
  assert_close(end.position.x, 0.1 + 2 + 2, 1e-12);
  assert_close(end.velocity.x, 2, 1e-12);
  assert_close(end.position.z, 3 + 0.25 * sin(3 * 3.14159265358979323846), 1e-12);
  assert_close(end.orientation.z, sin(4.5), 1e-12);
  assert_close(end.omega.z, 3, 1e-12);
  world_end(&w);
}

/* ---- mass properties ---------------------------------------------------------------------- */

static void mass_comes_from_shapes_and_density(void **state) {
  (void)state;
  ff_scene *scene = scene_new(9.81, "adaptive", NAN);
  ff_material_def wood = ff_material_def_default();
  wood.name = "wood";
  wood.density = 500;
  assert_int_equal(ff_scene_add_material(scene, &wood), FF_OK);
  ff_body_def def = ff_body_def_default();
  def.name = "dumbbell";
  def.material = "wood";
  ff_body body;
  ff_shape shape;
  assert_int_equal(ff_scene_add_body(&body, scene, &def), FF_OK);
  ff_shape_def ball = ff_shape_def_default();
  ball.size.x = 0.1;
  ball.position = (ff_vec3){0.5, 0, 0};
  assert_int_equal(ff_scene_add_shape(&shape, scene, body, &ball), FF_OK);
  ball.position.x = -0.3;
  assert_int_equal(ff_scene_add_shape(&shape, scene, body, &ball), FF_OK);
  ff_model *model;
  assert_int_equal(ff_model_build(&model, scene, NULL), FF_OK);
  ff_body_info info = ff_model_body_info(model, body);
  double m = 500 * 4.0 / 3 * 3.14159265358979323846 * 1e-3;
  assert_near(info.mass, 2 * m, 1e-14);
  assert_close(info.com.x, 0.1, 1e-15);
  assert_near(info.inertia.m[0][0], 2 * 0.4 * m * 0.01, 1e-12);
  assert_near(info.inertia.m[2][2], 2 * m * (0.4 * 0.01 + 0.16), 1e-12);
  ff_model_destroy(&model);
  ff_scene_destroy(&scene);
}

/* A body whose frame is off its centre of mass and turned against its principal axes tells
 * position and velocity of its own frame. */
static void states_are_told_in_the_users_frame(void **state) {
  (void)state;
  world w = {.scene = scene_new(0, "adaptive", NAN)};
  ff_body_def def = thrown();
  def.com = (ff_vec3){0.1, 0, 0};
  def.inertia = (ff_mat3){{{0.03, 0.005, 0}, {0.005, 0.04, 0.002}, {0, 0.002, 0.05}}};
  def.omega = (ff_vec3){0, 0, 2};
  def.velocity = (ff_vec3){1, 0, 0};
  def.orientation = (ff_quat){cos(0.3), 0, 0, sin(0.3)};
  ff_body body;
  assert_int_equal(ff_scene_add_body(&body, w.scene, &def), FF_OK);
  world_start(&w);
  ff_body_state s = ff_sim_body(w.sim, body);
  assert_close(s.position.x, def.position.x, 1e-15);
  assert_close(s.velocity.x, 1, 1e-14);
  assert_close(s.velocity.y, 0, 1e-14);
  assert_close(s.orientation.z, sin(0.3), 1e-14);
  ff_body_info info = ff_model_body_info(w.model, body);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      assert_close(info.inertia.m[i][j], def.inertia.m[i][j], 1e-16);
    }
  }
  assert_int_equal(ff_sim_set_body(w.sim, body, &s), FF_OK);
  ff_body_state again = ff_sim_body(w.sim, body);
  assert_close(again.position.y, s.position.y, 1e-15);
  assert_close(again.velocity.y, s.velocity.y, 1e-14);
  assert_close(again.omega.z, s.omega.z, 1e-13);
  world_end(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(free_flight_is_exact),
      cmocka_unit_test(a_cube_spins_exactly),
      cmocka_unit_test(thin_plate_keeps_energy_and_momentum),
      cmocka_unit_test(the_plate_turns_over),
      cmocka_unit_test(a_force_table_is_integrated_over_its_kinks),
      cmocka_unit_test(a_body_frame_torque_turns_with_the_body),
      cmocka_unit_test(a_position_drive_is_an_oscillator),
      cmocka_unit_test(drives_without_axis_or_reference_are_refused),
      cmocka_unit_test(prescribed_bodies_move_as_told),
      cmocka_unit_test(mass_comes_from_shapes_and_density),
      cmocka_unit_test(states_are_told_in_the_users_frame),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
