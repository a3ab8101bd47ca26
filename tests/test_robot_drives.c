/* What drives joints, within what limits, and what sensors of robots show. */
#include "channels.h"
#include "math/vec.h"

/* ---- small machines ------------------------------------------------------------------- */

/* A ball of 1 kg m^2 and 2 kg whose centre is the joint: no gravity is felt. */
static ff_robot_link ball_on(ff_joint_kind kind, int parent) {
  ff_robot_link link = {.def = ff_link_def_default(),
                        .joint_name = "joint",
                        .effort = INFINITY,
                        .speed = INFINITY,
                        .soft_lower = -INFINITY,
                        .soft_upper = INFINITY};
  link.def.name = "ball";
  link.def.parent = parent;
  link.def.joint.kind = kind;
  link.def.mass = 2;
  link.def.inertia = (ff_mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  return link;
}

static ff_joint_setting set(const char *joint, double position, double stiffness, double damping) {
  ff_joint_setting out = ff_joint_setting_default();
  out.joint = joint;
  out.position = position;
  out.stiffness = stiffness;
  out.damping = damping;
  return out;
}

/* A robot "r" that stands on the ground by a link "base". */
static ff_status build(ff_model **out, const ff_robot_link *links, int count,
                       const ff_joint_setting *joints, int joint_count, const char *stepper,
                       double step, ff_report *report) {
  ff_scene *scene;
  ff_robot_link all[4] = {ball_on(FF_JOINT_FIXED, 0)};
  all[0].def.name = "base";
  all[0].joint_name = "root";
  memcpy(all + 1, links, (size_t)count * sizeof *links);
  ff_robot_def def = {.name = "r",
                      .links = all,
                      .link_count = count + 1,
                      .root = FF_JOINT_FIXED,
                      .base.orientation = {1, 0, 0, 0},
                      .joints = joints,
                      .joint_count = joint_count};
  ff_run_def run = ff_run_def_default();
  run.gravity = v3(0, 0, 0);
  run.stepper.kind = stepper;
  run.stepper.step = step;
  assert_int_equal(ff_scene_create(&scene), FF_OK);
  assert_int_equal(ff_scene_add_robot(scene, &def), FF_OK);
  assert_int_equal(ff_scene_set_run(scene, &run), FF_OK);
  ff_status status = ff_model_build(out, scene, report);
  ff_scene_destroy(&scene);
  return status;
}

typedef struct machine {
  ff_model *model;
  ff_sim *sim;
} machine;

static machine make(const ff_robot_link *links, int count, const ff_joint_setting *joints,
                    int joint_count, const char *stepper, double step) {
  machine m;
  ff_report report = {.line = 0};
  if (build(&m.model, links, count, joints, joint_count, stepper, step, &report) != FF_OK) {
    fail_msg("%s: %s", report.key, report.what);
  }
  assert_int_equal(ff_sim_create(&m.sim, m.model), FF_OK);
  return m;
}

static void end(machine m) {
  ff_sim_destroy(&m.sim);
  ff_model_destroy(&m.model);
}

/* ---- servos --------------------------------------------------------------------------- */

/* A gain far beyond what steps of 5 ms can follow: looking ahead holds it, else it flies off. */
static void test_explicit_drives_are_as_stiff_as_the_step_allows(void **state) {
  (void)state;
  ff_robot_link wheel = ball_on(FF_JOINT_CONTINUOUS, 1);
  const double target[2] = {0, 0.1};
  ff_joint_setting servo = set("joint", 0, 1e6, 1e3);
  servo.target = (ff_table){target, 1, 1};
  machine m = make(&wheel, 1, &servo, 1, "symplectic-euler", 5e-3);
  assert_int_equal(ff_sim_advance(m.sim, 1), FF_OK);
  assert_close(channel(m.sim, m.model, "joint.r-joint.position"), 0.1, 1e-6);
  end(m);
  servo.explicit_drive = true;
  m = make(&wheel, 1, &servo, 1, "symplectic-euler", 5e-3);
  (void)ff_sim_advance(m.sim, 0.1);
  assert_true(!(fabs(channel(m.sim, m.model, "joint.r-joint.position")) < 10));
  end(m);
  servo.stiffness = 100; /* what the step can follow is the same either way, to its order */
  servo.damping = 20;
  m = make(&wheel, 1, &servo, 1, "symplectic-euler", 1e-4);
  assert_int_equal(ff_sim_advance(m.sim, 0.1), FF_OK);
  double x = 0.1 * (1 - exp(-1) * 2);                                       /* critically damped */
  assert_close(channel(m.sim, m.model, "joint.r-joint.position"), x, 5e-5); /* first order: h v */
  end(m);
}

/* stiffness 0: a velocity servo. */
static void test_velocity_servo_follows_the_rate(void **state) {
  (void)state;
  ff_robot_link wheel = ball_on(FF_JOINT_CONTINUOUS, 1);
  const double ramp[4] = {0, 0, 10, 30};
  ff_joint_setting servo = set("joint", 0, 0, 2);
  servo.target = (ff_table){ramp, 2, 1};
  machine m = make(&wheel, 1, &servo, 1, "adaptive", NAN);
  assert_int_equal(ff_sim_advance(m.sim, 1), FF_OK);
  assert_close(channel(m.sim, m.model, "joint.r-joint.velocity"), 3 * (1 - exp(-2)), 1e-9);
  assert_close(ff_sim_energy(m.sim).residual, 0, 1e-9);
  end(m);
}

/* ---- limits --------------------------------------------------------------------------- */

static const double push[2] = {0, 100};

static void test_drives_keep_effort_and_speed(void **state) {
  (void)state;
  ff_robot_link wheel = ball_on(FF_JOINT_CONTINUOUS, 1);
  wheel.effort = 10;
  wheel.speed = 2;
  ff_joint_setting servo = set("joint", 0, 0, 0);
  servo.torque = (ff_table){push, 1, 1};
  const char *const steppers[] = {"adaptive", "symplectic-euler"};
  for (int i = 0; i < 2; i++) {
    machine m = make(&wheel, 1, &servo, 1, steppers[i], i ? 1e-3 : NAN);
    assert_int_equal(ff_sim_advance(m.sim, 0.1), FF_OK);
    assert_close(channel(m.sim, m.model, "joint.r-joint.velocity"), 1,
                 1e-9); /* 10 N m on 1 kg m^2 */
    assert_close(channel(m.sim, m.model, "joint.r-joint.torque"), 10, 1e-12);
    assert_int_equal(ff_sim_advance(m.sim, 1), FF_OK);
    assert_close(channel(m.sim, m.model, "joint.r-joint.velocity"), 2, 1e-6);
    assert_close(channel(m.sim, m.model, "joint.r-joint.torque"), 0, 1e-4);
    assert_close(ff_sim_energy(m.sim).residual, 0, i ? 1e-3 : 1e-8); /* first order at the kink */
    end(m);
  }
}

/* It pushes with all it has towards a soft limit, upper or lower, and is stopped there as by a
 * spring and damper that act through the drive alone. */
static void test_safety_controller_keeps_soft_limits(void **state) {
  (void)state;
  ff_robot_link wheel = ball_on(FF_JOINT_REVOLUTE, 1);
  wheel.effort = 50;
  wheel.soft_upper = 1;
  wheel.soft_lower = -0.5;
  wheel.safety_position = 5; /* v <= 5 (1 - q), v >= -5 (q + 0.5) */
  wheel.safety_speed = 40;
  ff_joint_setting servo = set("joint", 0, 0, 0);
  const double pull[2] = {push[0], -push[1]};
  const char *const steppers[] = {"adaptive", "symplectic-euler"};
  for (int i = 0; i < 4; i++) {
    double side = i < 2 ? 1 : -1, limit = i < 2 ? 1 : 0.5, most = 0;
    servo.torque = (ff_table){i < 2 ? push : pull, 1, 1};
    machine m = make(&wheel, 1, &servo, 1, steppers[i % 2], i % 2 ? 1e-3 : NAN);
    for (int k = 1; k <= 200; k++) {
      assert_int_equal(ff_sim_advance(m.sim, 0.02 * k), FF_OK);
      most = fmax(most, side * channel(m.sim, m.model, "joint.r-joint.position"));
    }
    assert_true(most < limit + 0.01);
    assert_close(channel(m.sim, m.model, "joint.r-joint.position"), side * limit, 1e-6);
    end(m);
  }
}

/* A damper that acts within 0.2 ms: steps of 1 ms cannot follow it explicitly. The run
 * fails with its name; an implicit stepper is stable. */
static void test_drive_too_stiff_for_explicit_steps_is_named(void **state) {
  (void)state;
  ff_robot_link wheel = ball_on(FF_JOINT_REVOLUTE, 1);
  ff_joint_setting servo = set("joint", 1, 100, 5000);
  servo.torque = (ff_table){push, 1, 1};
  const char *const steppers[] = {"rk4", "heun", "symplectic-euler"};
  for (int i = 0; i < 3; i++) {
    machine m = make(&wheel, 1, &servo, 1, steppers[i], 1e-3);
    ff_status status = ff_sim_advance(m.sim, 1);
    assert_int_equal(status, i < 2 ? FF_ERROR_STEP : FF_OK);
    ff_report report;
    ff_sim_failure(m.sim, &report);
    assert_true((strstr(report.what, "the drive of joint 'joint' of 'r'") != NULL) == (i < 2));
    end(m);
  }
}

/* 2 kg m^2 with its rotor: d / I is the rate of a damper, sqrt(k / I) that of a spring, and of dry
 * friction f / (I v) below its speed v. Limits of speed count where they are asked for, and
 * implicit steppers need no step. */
static void test_the_step_that_resolves_a_joint_is_that_of_its_fastest_force(void **state) {
  (void)state;
  static const struct {
    double stiffness, damping, friction, speed, step, limited;
  } cases[] = {{0, 400, 0, INFINITY, 5e-3, 5e-3},
               {2e4, 0, 0, INFINITY, 1e-2, 1e-2},
               {0, 0, 3, INFINITY, 2e-3 / 3, 2e-3 / 3},
               {0, 400, 0, 0.5, 5e-3, 2.5e-4}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ff_robot_link wheel = ball_on(FF_JOINT_REVOLUTE, 1);
    wheel.def.joint.friction = cases[i].friction;
    wheel.speed = cases[i].speed;
    wheel.effort = isfinite(wheel.speed) ? 80 : INFINITY; /* fades over 0.01 rad/s */
    ff_joint_setting servo = set("joint", 0, cases[i].stiffness, cases[i].damping);
    servo.armature = 1;
    const char *const steppers[] = {"rk4", "symplectic-euler"};
    for (int k = 0; k < 2; k++) {
      machine m = make(&wheel, 1, &servo, 1, steppers[k], 1e-3);
      ff_joint_id fastest;
      double step = ff_model_joint_step(m.model, false, &fastest);
      assert_close(k ? 1 / step : step / cases[i].step, k ? 0 : 1, 1e-12);
      assert_int_equal(fastest.id, k ? 0 : 1);
      step = ff_model_joint_step(m.model, true, NULL);
      assert_close(k ? 1 / step : step / cases[i].limited, k ? 0 : 1, 1e-12);
      end(m);
    }
  }
}

/* ---- joints of several axes ---------------------------------------------------------------- */

static void test_spherical_servo_turns_to_its_target(void **state) {
  (void)state;
  ff_robot_link ball = ball_on(FF_JOINT_SPHERICAL, 1);
  const double targets[3][2] = {{0, 0.3}, {0, -0.2}, {0, 0.5}};
  ff_joint_setting axes[3] = {set("joint-rx", -1, 100, 20), set("joint-ry", 0.4, 100, 20),
                              set("joint-rz", 0, 100, 20)};
  const char *const names[3] = {"joint.r-joint-rx.position", "joint.r-joint-ry.position",
                                "joint.r-joint-rz.position"};
  for (int k = 0; k < 3; k++) {
    axes[k].target = (ff_table){targets[k], 1, 1};
  }
  const char *const steppers[] = {"adaptive", "symplectic-euler"};
  for (int i = 0; i < 2; i++) {
    machine m = make(&ball, 1, axes, 3, steppers[i], i ? 1e-3 : NAN);
    assert_close(channel(m.sim, m.model, names[0]), -1, 1e-14);
    assert_close(channel(m.sim, m.model, names[1]), 0.4, 1e-14);
    assert_int_equal(ff_sim_advance(m.sim, 3), FF_OK);
    for (int k = 0; k < 3; k++) {
      assert_close(channel(m.sim, m.model, names[k]), targets[k][1], 1e-8);
    }
    ff_energy energy = ff_sim_energy(m.sim);
    assert_close(energy.residual, 0, i ? 0.05 * fabs(energy.work) + 1e-3 : 1e-8);
    end(m);
  }
}

static void test_universal_planar_and_free_servos(void **state) {
  (void)state;
  const struct {
    ff_joint_kind kind;
    int axes;
  } kinds[] = {{FF_JOINT_UNIVERSAL, 2}, {FF_JOINT_PLANAR, 3}, {FF_JOINT_FREE, 6}};
  for (int i = 0; i < 3; i++) {
    ff_robot_link ball = ball_on(kinds[i].kind, 1);
    ff_joint_setting settings[6];
    double targets[6][2];
    char names[6][40];
    for (int k = 0; k < kinds[i].axes; k++) {
      snprintf(names[k], sizeof names[k], "joint%s", ff_joint_axis_name(kinds[i].kind, k));
      settings[k] = set(names[k], 0.1 * k, 100, 25);
      targets[k][0] = 0;
      targets[k][1] = 0.4 - 0.15 * k;
      settings[k].target = (ff_table){targets[k], 1, 1};
    }
    machine m = make(&ball, 1, settings, kinds[i].axes, "adaptive", NAN);
    assert_int_equal(ff_sim_advance(m.sim, 5), FF_OK);
    for (int k = 0; k < kinds[i].axes; k++) {
      char name[300];
      snprintf(name, sizeof name, "joint.r-%.39s.position", names[k]);
      assert_close(channel(m.sim, m.model, name), targets[k][1], 1e-6);
    }
    assert_close(ff_sim_energy(m.sim).residual, 0, 1e-8);
    end(m);
  }
}

/* ---- joints that mimic others -----------------------------------------------------------------
 */

static void test_mimic_joint_moves_with_the_other(void **state) {
  (void)state;
  ff_robot_link wheels[2] = {ball_on(FF_JOINT_CONTINUOUS, 1), ball_on(FF_JOINT_CONTINUOUS, 1)};
  wheels[1].def.name = "other";
  wheels[1].joint_name = "geared";
  wheels[1].def.follows = 2;
  wheels[1].def.factor = -2;
  wheels[1].def.offset = 0.5;
  ff_joint_setting servo = set("joint", 0.3, 20, 0);
  const double target[2] = {0, 0};
  servo.target = (ff_table){target, 1, 1};
  machine m = make(wheels, 2, &servo, 1, "adaptive", NAN);
  /* 20 N m/rad on 1 + 4 kg m^2: 2 rad/s */
  assert_int_equal(ff_sim_advance(m.sim, 0.7), FF_OK);
  double q = 0.3 * cos(1.4), v = -0.6 * sin(1.4);
  assert_close(channel(m.sim, m.model, "joint.r-joint.position"), q, 1e-9);
  assert_close(channel(m.sim, m.model, "joint.r-geared.position"), 0.5 - 2 * q, 1e-9);
  assert_close(channel(m.sim, m.model, "joint.r-geared.velocity"), -2 * v, 1e-9);
  assert_close(channel(m.sim, m.model, "joint.r-geared.torque"), 0, 0);
  assert_close(channel(m.sim, m.model, "body.r-other.omega.z"), -2 * v, 1e-9);
  assert_close(ff_sim_energy(m.sim).residual, 0, 1e-9);
  assert_close(ff_sim_audit(m.sim).angular_residual, 0, 1e-9);
  end(m);
}

/* ---- rotor inertia --------------------------------------------------------------------- */

/* A turn of 4 N m about one axis of a ball of 1 kg m^2; only that of ry has a rotor, of 3 kg m^2.
 */
static void test_each_axis_has_its_own_armature(void **state) {
  (void)state;
  ff_robot_link ball = ball_on(FF_JOINT_SPHERICAL, 1);
  const double turn[2] = {0, 4};
  const char *const axes[3] = {"joint-rx", "joint-ry", "joint-rz"};
  for (int i = 0; i < 3; i++) {
    ff_joint_setting settings[2] = {set("joint-ry", 0, 0, 0), set(axes[i], 0, 0, 0)};
    settings[0].armature = 3;
    settings[1].torque = (ff_table){turn, 1, 1};
    settings[i == 1 ? 0 : 1].torque = settings[1].torque;
    machine m = make(&ball, 1, settings, i == 1 ? 1 : 2, "adaptive", NAN);
    assert_int_equal(ff_sim_advance(m.sim, 0.5), FF_OK);
    char name[64];
    snprintf(name, sizeof name, "joint.r-%s.velocity", axes[i]);
    assert_close(channel(m.sim, m.model, name), i == 1 ? 0.5 : 2, 1e-9);
    assert_close(ff_sim_energy(m.sim).residual, 0, 1e-9);
    ff_joint_id id = ff_model_joint_find(m.model, ff_model_robot_at(m.model, 1), axes[i]);
    assert_close(ff_model_joint_info(m.model, id).armature, i == 1 ? 3 : 0, 0);
    end(m);
  }
}

/* A setting replaces the inertia of the link's joint, 0 included; without it the link's counts. A
 * link without mass moves by its rotor alone. */
static void test_armature_replaces_that_of_the_link(void **state) {
  (void)state;
  ff_robot_link wheel = ball_on(FF_JOINT_CONTINUOUS, 1);
  wheel.def.joint.armature = 7;
  const double turn[2] = {0, 4}, given[3] = {NAN, 0, 1}, inertia[3] = {8, 1, 2};
  ff_joint_setting setting = set("joint", 0, 0, 0);
  setting.torque = (ff_table){turn, 1, 1};
  for (int i = 0; i < 3; i++) {
    setting.armature = given[i];
    machine m = make(&wheel, 1, &setting, 1, "adaptive", NAN);
    assert_int_equal(ff_sim_advance(m.sim, 1), FF_OK);
    assert_close(channel(m.sim, m.model, "joint.r-joint.velocity"), 4 / inertia[i], 1e-9);
    end(m);
  }
  wheel.def.mass = 0;
  wheel.def.inertia = (ff_mat3){{{0}}};
  machine m = make(&wheel, 1, &setting, 1, "adaptive", NAN);
  assert_int_equal(ff_sim_advance(m.sim, 1), FF_OK);
  assert_close(channel(m.sim, m.model, "joint.r-joint.velocity"), 4, 1e-9);
  end(m);
}

static void test_bad_drives_are_refused(void **state) {
  (void)state;
  ff_robot_link wheels[2] = {ball_on(FF_JOINT_CONTINUOUS, 1), ball_on(FF_JOINT_SPHERICAL, 1)};
  wheels[1].def.name = "other";
  wheels[1].joint_name = "ball";
  ff_model *model = NULL;
  ff_report report = {.line = 0};
  ff_joint_setting servo = set("ball", 0, 1, 1); /* which of its axes? */
  assert_int_equal(build(&model, wheels, 2, &servo, 1, "adaptive", NAN, &report), FF_ERROR_INPUT);
  assert_non_null(strstr(report.what, "JOINT-rx"));
  assert_string_equal(report.key, "robots.r.joints.ball");
  wheels[1] = wheels[0];
  wheels[1].def.name = "other";
  wheels[1].joint_name = "ball";
  wheels[1].def.follows = 2;
  assert_int_equal(build(&model, wheels, 2, &servo, 1, "adaptive", NAN, &report), FF_ERROR_INPUT);
  assert_non_null(strstr(report.what, "mimics"));
  servo.armature = INFINITY;
  assert_int_equal(build(&model, wheels, 2, &servo, 1, "adaptive", NAN, &report), FF_ERROR_INPUT);
  assert_string_equal(report.key, "robots.r.joints.ball.armature");
}

/* ---- sensors ------------------------------------------------------------------------------------
 */

/* Floor and feet feel the same, and what presses is where the zero-moment point says, also while
 * the robot still sinks into the floor. */
static void test_plates_feet_and_zero_moment_point_agree(void **state) {
  (void)state;
  static const char text[] =
      "footfall: 1\n"
      "stepper: {kind: rk4, step: 1e-4}\n"
      "bodies: {plate: {fixed: true, shape: {half-space: {}}}}\n"
      "robots: {dog: {urdf: robots/quadruped.urdf, position: [0.3, -0.2, 0.313],\n"
      "  servo: {stiffness: 150, damping: 3}, joints: {\n"
      "  front_left_pitch: {position: 0.8}, front_right_pitch: {position: 0.7},\n"
      "  hind_left_pitch: {position: 0.8}, hind_right_pitch: {position: 0.8},\n"
      "  front_left_knee: {position: -1.5}, front_right_knee: {position: -1.5},\n"
      "  hind_left_knee: {position: -1.5}, hind_right_knee: {position: -1.4}}}}\n"
      "contacts: [{pair: [dog, plate], normal: {law: hunt-crossley, k: 2e4, n: 1, alpha: 0.5},\n"
      "  friction: {law: coulomb, mu_static: 0.8, mu_kinetic: 0.8, v_t: 0.05}}]\n";
  ff_scene *scene = NULL;
  machine m;
  ff_report report = {.line = 0};
  assert_int_equal(ff_scene_parse(&scene, text, strlen(text), FF_SOURCE_DIR "/scenes/test.yaml",
                                  NULL, 0, &report),
                   FF_OK);
  assert_int_equal(ff_model_build(&m.model, scene, &report), FF_OK);
  ff_scene_destroy(&scene);
  assert_int_equal(ff_sim_create(&m.sim, m.model), FF_OK);
  int felt = 0;
  for (int k = 1; k <= 10; k++) {
    assert_int_equal(ff_sim_advance(m.sim, 0.02 * k), FF_OK);
    double down = 0;
    for (int i = 0; i < ff_model_channel_count(m.model); i++) {
      const char *name = ff_model_channel(m.model, i).name;
      if (ff_channel_matches(name, "load.dog-*.force.z")) {
        double value;
        ff_sim_read(m.sim, &i, 1, &value);
        down += value;
      }
    }
    assert_close(channel(m.sim, m.model, "load.plate.force.z"), -down, 1e-9);
    if (down > 0) {
      felt++;
      const char *const pairs[][2] = {{"robot.dog.cop.x", "robot.dog.zmp.x"},
                                      {"robot.dog.cop.y", "robot.dog.zmp.y"},
                                      {"load.plate.cop.x", "robot.dog.zmp.x"},
                                      {"load.plate.cop.y", "robot.dog.zmp.y"}};
      for (int i = 0; i < 4; i++) {
        assert_close(channel(m.sim, m.model, pairs[i][0]), channel(m.sim, m.model, pairs[i][1]),
                     1e-8);
      }
    } else {
      assert_true(isnan(channel(m.sim, m.model, "robot.dog.cop.x")));
      assert_true(isnan(channel(m.sim, m.model, "load.plate.cop.x")));
    }
  }
  assert_true(felt > 4);
  end(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_explicit_drives_are_as_stiff_as_the_step_allows),
      cmocka_unit_test(test_velocity_servo_follows_the_rate),
      cmocka_unit_test(test_drives_keep_effort_and_speed),
      cmocka_unit_test(test_safety_controller_keeps_soft_limits),
      cmocka_unit_test(test_drive_too_stiff_for_explicit_steps_is_named),
      cmocka_unit_test(test_the_step_that_resolves_a_joint_is_that_of_its_fastest_force),
      cmocka_unit_test(test_spherical_servo_turns_to_its_target),
      cmocka_unit_test(test_universal_planar_and_free_servos),
      cmocka_unit_test(test_mimic_joint_moves_with_the_other),
      cmocka_unit_test(test_each_axis_has_its_own_armature),
      cmocka_unit_test(test_armature_replaces_that_of_the_link),
      cmocka_unit_test(test_bad_drives_are_refused),
      cmocka_unit_test(test_plates_feet_and_zero_moment_point_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
