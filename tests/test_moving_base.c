/* Robots whose fixed base follows a track: pendulum against its own equation, Galilean invariance,
 * energy and momentum, saved states, errors. */
#include "folder.h"
#include "footfall/footfall.h"
#include "math/vec.h"
#include "model/track.h"
#include "testing.h"

static int leave_folder(void **state) {
  (void)state;
  static const char *const names[] = {"base.csv", "a.yaml", "arm.urdf"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    unlink(names[i]);
  }
  return remove_folder();
}

static void write_text(const char *path, const char *text) {
  FILE *out = fopen(path, "w");
  fputs(text, out);
  fclose(out);
}

/* ---- motions of the base ------------------------------------------------------------- */

typedef ff_track_point motion(double t);

/* Sines in all six degrees of freedom. */
static ff_track_point shaken(double t) {
  ff_vec3 axis = {0.6, 0, 0.8};
  return (ff_track_point){
      .pose = {v3(0.2 * sin(5 * t), 0.1 * cos(4 * t), 0.05 * sin(7 * t)),
               q_exp(v3_scale(0.4 * sin(3 * t), axis))},
      .velocity = v3(cos(5 * t), -0.4 * sin(4 * t), 0.35 * cos(7 * t)),
      .omega = v3_scale(1.2 * cos(3 * t), axis),
      .acceleration = v3(-5 * sin(5 * t), -1.6 * cos(4 * t), -2.45 * sin(7 * t)),
      .angular = v3_scale(-3.6 * sin(3 * t), axis),
  };
}

static ff_track_point carried(double t) {
  return (ff_track_point){.pose = {v3(0.7 * t, -0.3 * t, 0.2 * t), q_identity()}};
}

static ff_track_point standing(double t) {
  (void)t;
  return carried(0);
}

/* From -0.1 s, so that the run does not start at the end of the spline. Rows are dense because the
 * second derivative of the spline is off by (w dt)^2 / 12 at its rows, where fixed steps end. */
static void write_track(motion *of) {
  FILE *out = fopen("base.csv", "w");
  fputs("t,x,y,z,qw,qx,qy,qz\n", out);
  for (int i = 0; i <= 4800; i++) {
    double t = -0.1 + 2.5e-4 * i;
    ff_pose p = of(t).pose;
    fprintf(out, "%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", t, p.position.x, p.position.y,
            p.position.z, p.orientation.w, p.orientation.x, p.orientation.y, p.orientation.z);
  }
  fclose(out);
}

/* ---- scenes -------------------------------------------------------------------------- */

/* A cart that the base carries, and a rod that hangs on a tilted hinge of it. */
static const char arm[] =
    "<robot name='arm'>\n"
    "<link name='cart'>\n"
    "<inertial><mass value='0.5'/>\n"
    "<inertia ixx='0.01' iyy='0.01' izz='0.01' ixy='0' ixz='0' iyz='0'/></inertial>\n"
    "<collision><geometry><box size='1 1 0.1'/></geometry></collision></link>\n"
    "<link name='rod'>\n"
    "<inertial><origin xyz='0 0 -0.5'/><mass value='1'/>\n"
    "<inertia ixx='0.02' iyy='0.02' izz='0.001' ixy='0' ixz='0' iyz='0'/></inertial>\n"
    "<collision><origin xyz='0 0 -1.1'/><geometry><sphere radius='0.1'/></geometry></collision>\n"
    "</link>\n"
    "<joint name='hinge' type='continuous'><parent link='cart'/><child link='rod'/>\n"
    "<origin xyz='0.1 0.2 0.3' rpy='0.3 0 0'/><axis xyz='0 1 0'/></joint>\n"
    "</robot>\n";

#define TRACK "track: {file: base.csv, start: 0, position: [x, y, z], orientation: [qw, qx, qy, qz]"

static ff_sim *load(ff_model **model, const char *stepper, const char *bodies,
                    const char *contacts) {
  char text[2000];
  ff_scene *scene = NULL;
  ff_sim *sim = NULL;
  ff_report report = {0};
  snprintf(text, sizeof text,
           "footfall: 1\nduration: 1\nstepper: {kind: %s}\nmaterials: {m: {density: 500}}\n%s"
           "robots:\n  arm:\n    urdf: arm.urdf\n    base: fixed\n    material: m\n    " TRACK
           "}\n    joints: {hinge: {position: 0.5}}\n%s",
           stepper, bodies, contacts);
  write_text("arm.urdf", arm);
  write_text("a.yaml", text);
  ff_status status = ff_scene_load(&scene, "a.yaml", NULL, 0, &report);
  status = status == FF_OK ? ff_model_build(model, scene, &report) : status;
  if (status != FF_OK) {
    print_error("%s:%d: %s: %s\n", report.file, report.line, report.key, report.what);
    fail();
  }
  assert_int_equal(ff_sim_create(&sim, *model), FF_OK);
  ff_scene_destroy(&scene);
  return sim;
}

static void unload(ff_sim *sim, ff_model *model) {
  ff_sim_destroy(&sim);
  ff_model_destroy(&model);
}

/* Angle and rate after 1 s, with a fixed step; 0: adaptive. */
static void run_arm(const char *stepper, double step, double out[2]) {
  char kind[100];
  ff_model *model = NULL;
  snprintf(kind, sizeof kind, step > 0 ? "%s, step: %.17g" : "%s, rtol: 1e-10", stepper, step);
  ff_sim *sim = load(&model, kind, "", "");
  assert_int_equal(ff_sim_advance(sim, 1), FF_OK);
  ff_sim_robot(sim, ff_model_robot_find(model, "arm"), &out[0], &out[1]);
  unload(sim, model);
}

/* ---- a pendulum ---------------------------------------------------------------------- */

/* Angular acceleration of the rod by its balance of moments about the hinge, from the closed form
 * of the base's motion. */
static double rod_acceleration(double t, double q, double rate) {
  ff_track_point base = shaken(t);
  ff_quat turn = base.pose.orientation, tilt = q_exp(v3(0.3, 0, 0));
  ff_vec3 arm_to_hinge = q_rotate(turn, v3(0.1, 0.2, 0.3)), w0 = base.omega;
  ff_quat socket = q_mul(turn, tilt), rod = q_mul(socket, q_exp(v3(0, q, 0)));
  ff_vec3 axis = q_rotate(socket, v3(0, 1, 0)), w = v3_axpy(w0, rate, axis);
  ff_vec3 bias = v3_axpy(base.angular, rate, v3_cross(w0, axis));
  ff_vec3 hinge = v3_add(base.acceleration, v3_cross(base.angular, arm_to_hinge));
  hinge = v3_add(hinge, v3_cross(w0, v3_cross(w0, arm_to_hinge)));
  ff_vec3 c = q_rotate(rod, v3(0, 0, -0.5));
  ff_vec3 a = v3_add(v3_add(hinge, v3_cross(bias, c)), v3_cross(w, v3_cross(w, c)));
  ff_vec3 inertia = {0.02, 0.02, 0.001}, g = {0, 0, -9.81};
  ff_vec3 spin = q_rotate(rod, v3_mul(inertia, q_unrotate(rod, w)));
  ff_vec3 turned = q_rotate(rod, v3_mul(inertia, q_unrotate(rod, bias)));
  ff_vec3 moment = v3_add(v3_add(v3_cross(c, v3_sub(a, g)), turned), v3_cross(w, spin));
  return -v3_dot(axis, moment) / (0.02 + 0.25);
}

/* The same after 1 s, by the classical method of order 4 with small steps. */
static void integrate_rod(double out[2]) {
  enum { STEPS = 5000 };
  double h = 1.0 / STEPS, q = 0.5, v = 0;
  for (int i = 0; i < STEPS; i++) {
    double t = i * h;
    double v1 = v, a1 = rod_acceleration(t, q, v);
    double v2 = v + 0.5 * h * a1, a2 = rod_acceleration(t + 0.5 * h, q + 0.5 * h * v1, v2);
    double v3 = v + 0.5 * h * a2, a3 = rod_acceleration(t + 0.5 * h, q + 0.5 * h * v2, v3);
    double v4 = v + h * a3, a4 = rod_acceleration(t + h, q + h * v3, v4);
    q += h / 6 * (v1 + 2 * v2 + 2 * v3 + v4);
    v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  out[0] = q;
  out[1] = v;
}

/* The error falls with the step as the order of the stepper says. */
static void a_pendulum_swings_as_its_equation_says(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int order;
    double step, most; /* s; rad, rad/s: allowed with a fourth of it */
  } cases[] = {
      {"rk4", 4, 8e-2, 1e-5},
      {"heun", 2, 4e-3, 1e-4},
      {"symplectic-euler", 1, 4e-3, 0.05},
      {"quasi-rigid", 2, 4e-3, 1e-4},
      {"micro-macro", 1, 4e-3, 0.05},
  };
  double wanted[2], got[2];
  write_track(shaken);
  integrate_rod(wanted);
  run_arm("adaptive", 0, got);
  assert_close(got[0], wanted[0], 1e-7);
  assert_close(got[1], wanted[1], 1e-7);
  run_arm("rk4", 1e-3, got);
  assert_close(got[0], wanted[0], 1e-6);
  assert_close(got[1], wanted[1], 1e-6);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double error[2];
    for (int k = 0; k < 2; k++) {
      run_arm(cases[i].name, cases[i].step / (k == 0 ? 1 : 4), got);
      error[k] = fabs(got[0] - wanted[0]) + fabs(got[1] - wanted[1]);
    }
    print_message("%s: %g %g\n", cases[i].name, error[0], error[1]);
    assert_true(error[1] < cases[i].most);
    assert_true(error[1] < 1.3 * error[0] / pow(4, cases[i].order));
  }
}

/* ---- symmetry ------------------------------------------------------------------------ */

static const char *const all[] = {
    "rk4, step: 1e-3",       "heun, step: 1e-3",        "symplectic-euler, step: 1e-3",
    "adaptive, rtol: 1e-10", "quasi-rigid, step: 1e-3", "micro-macro, step: 1e-3"};

/* A base at constant velocity changes nothing between links. */
static void constant_velocity_is_a_galilean_change(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    double x[2][2];
    for (int k = 0; k < 2; k++) {
      ff_model *model = NULL;
      write_track(k == 0 ? standing : carried);
      ff_sim *sim = load(&model, all[i], "", "");
      assert_int_equal(ff_sim_advance(sim, 1), FF_OK);
      ff_sim_robot(sim, ff_model_robot_find(model, "arm"), &x[k][0], &x[k][1]);
      ff_vec3 cart = ff_sim_body(sim, ff_model_body_find(model, "arm-cart")).position;
      ff_vec3 place = (k == 0 ? standing : carried)(1).pose.position;
      assert_close(v3_norm(v3_sub(cart, place)), 0, 1e-12);
      unload(sim, model);
    }
    assert_close(x[0][0], x[1][0], 1e-9);
    assert_close(x[0][1], x[1][1], 1e-9);
  }
}

/* ---- contacts and ledger --------------------------------------------------------------- */

static const char *const soft =
    "contacts:\n  - {pair: ['*', '*'], normal: {law: hunt-crossley, k: 1e5, alpha: 0.5}, friction: "
    "{law: coulomb, mu_static: 0.6, mu_kinetic: 0.6, v_t: 0.01}}\n";
static const char *const layered =
    "contacts:\n  - {pair: ['*', '*'], normal: {law: quasi-rigid, k: 2e4, c: 20, max_deflection: "
    "2e-3}, friction: {law: ellipsoidal, mu: 0.6}}\n";
static const char *const hard =
    "contacts:\n  - {pair: ['*', '*'], normal: {law: rigid}, friction: {law: coulomb, mu_static: "
    "0.6, mu_kinetic: 0.6}}\n";

/* A box rides on the root, a ball lies in the way of the rod. */
static const char *const things =
    "bodies:\n"
    "  floor: {fixed: true, shapes: [{half-space: {}, position: [0, 0, -1.5]}]}\n"
    "  ball: {position: [-0.3, 0.5, -1.39], shapes: [{sphere: {radius: 0.1}, material: m}]}\n"
    "  box: {position: [0.1, 0.2, 0.13], shapes: [{box: {size: [0.2, 0.2, 0.1]}, material: m}]}\n";

static void a_shaken_robot_with_contacts_keeps_the_ledger(void **state) {
  (void)state;
  static const struct {
    const char *stepper;
    const char *const *contacts;
    double energy, momentum; /* relative, kg m/s */
  } cases[] = {
      {"rk4, step: 2e-4", &soft, 2e-3, 1e-5},
      {"heun, step: 2e-4", &soft, 2e-3, 1e-5},
      {"symplectic-euler, step: 2e-4", &soft, 2e-3, 5e-3},
      {"adaptive, rtol: 1e-9", &soft, 1e-7, 1e-7},
      {"quasi-rigid, step: 2e-4", &layered, 1e-4, 1e-8},
      {"micro-macro, step: 2e-4", &hard, 5e-3, 5e-3},
  };
  write_track(shaken);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ff_model *model = NULL;
    ff_sim *sim = load(&model, cases[i].stepper, things, *cases[i].contacts);
    assert_int_equal(ff_sim_advance(sim, 1), FF_OK);
    ff_audit audit = ff_sim_audit(sim);
    ff_energy energy = ff_sim_energy(sim);
    print_message("%s: %g %g work %g\n", cases[i].stepper, energy.residual, audit.momentum_residual,
                  energy.work);
    assert_true(fabs(energy.work) > 1);
    assert_close(energy.residual, 0, cases[i].energy * fabs(energy.work));
    assert_close(audit.momentum_residual, 0, cases[i].momentum);
    unload(sim, model);
  }
}

/* What lies on a root that cannot move is held by the ground, once. */
static void a_load_on_a_fixed_root_is_booked_once(void **state) {
  (void)state;
  write_track(standing);
  for (int i = 0; i < 4; i++) {
    ff_model *model = NULL;
    ff_sim *sim = load(&model, all[i], things, soft);
    assert_int_equal(ff_sim_advance(sim, 0.5), FF_OK);
    assert_close(ff_sim_audit(sim).momentum_residual, 0, 0.05);
    unload(sim, model);
  }
}

static void a_saved_state_goes_on_with_the_same_bits(void **state) {
  (void)state;
  write_track(shaken);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    ff_model *model = NULL;
    ff_state *saved = NULL, *end[2] = {NULL, NULL};
    ff_sim *sim = load(&model, all[i], "", "");
    assert_int_equal(ff_sim_advance(sim, 0.3), FF_OK);
    assert_int_equal(ff_state_create(&saved, sim), FF_OK);
    for (int k = 0; k < 2; k++) {
      ff_sim *next = sim;
      if (k == 1) { /* another sim, which has been elsewhere */
        assert_int_equal(ff_sim_create(&next, model), FF_OK);
        assert_int_equal(ff_sim_advance(next, 0.1), FF_OK);
        assert_int_equal(ff_state_restore(next, saved), FF_OK);
      }
      assert_int_equal(ff_sim_advance(next, 0.6), FF_OK);
      assert_int_equal(ff_state_create(&end[k], next), FF_OK);
      if (k == 1) {
        ff_sim_destroy(&next);
      }
    }
    assert_true(ff_state_equal(end[0], end[1], NULL));
    ff_state_destroy(&saved);
    ff_state_destroy(&end[0]);
    ff_state_destroy(&end[1]);
    unload(sim, model);
  }
}

/* ---- errors ---------------------------------------------------------------------------- */

static void assert_refused(const char *keys, const char *word) {
  char text[500];
  ff_scene *scene = NULL;
  ff_model *model = NULL;
  ff_report report = {0};
  snprintf(text, sizeof text, "footfall: 1\nrobots:\n  arm:\n    urdf: arm.urdf\n    %s\n", keys);
  write_text("a.yaml", text);
  ff_status status = ff_scene_load(&scene, "a.yaml", NULL, 0, &report);
  status = status == FF_OK ? ff_model_build(&model, scene, &report) : status;
  assert_int_equal(status, FF_ERROR_INPUT);
  if (!strstr(report.what, word) && !strstr(report.key, word)) {
    print_error("%s: %s\n", report.key, report.what);
    fail();
  }
  assert_true(report.line > 0);
  ff_scene_destroy(&scene);
}

static void wrong_tracks_of_robots_are_refused(void **state) {
  (void)state;
  write_track(shaken);
  write_text("arm.urdf", arm);
  assert_refused("base: free\n    " TRACK "}", "base: fixed");
  assert_refused("base: fixed\n    " TRACK ", spring: {stiffness: 1e4}}", "free root");
  assert_refused("base: fixed\n    position: [0, 0, 1]\n    " TRACK "}", "position");
  assert_refused("base: fixed\n    track: {file: none.csv, position: [x, y, z]}", "none.csv");
  assert_refused("base: fixed\n    track: {file: base.csv, position: [x, y, w]}", "w");
}

int main(void) {
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)
  const struct CMUnitTest tests[] = {
      IN_FOLDER(a_pendulum_swings_as_its_equation_says),
      IN_FOLDER(constant_velocity_is_a_galilean_change),
      IN_FOLDER(a_shaken_robot_with_contacts_keeps_the_ledger),
      IN_FOLDER(a_load_on_a_fixed_root_is_booked_once),
      IN_FOLDER(a_saved_state_goes_on_with_the_same_bits),
      IN_FOLDER(wrong_tracks_of_robots_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
