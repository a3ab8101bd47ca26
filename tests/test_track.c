/* Measured motion: tables in four formats, splines, markers, springs, contact forces. */
#include "folder.h"
#include "footfall/footfall.h"
#include "io/marker_pose.h"
#include "io/measured.h"
#include "math/vec.h"
#include "model/track.h"
#include "testing.h"

static int leave_folder(void **state) {
  (void)state;
  static const char *const names[] = {"a.csv", "a.mot", "a.trc", "a.yaml", "a.urdf"};
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

/* A motion in closed form: position, orientation, velocity, angular velocity (world). */
static ff_track_point motion_at(double t) {
  ff_vec3 axis = v3_unit(v3(1, 2, -1));
  double angle = 0.8 * sin(2 * t);
  ff_quat turn = q_exp(v3_scale(angle, axis));
  return (ff_track_point){
      .pose = {v3(0.3 * t, 0.1 * sin(3 * t), 0.5 + 0.05 * cos(5 * t)), turn},
      .velocity = v3(0.3, 0.3 * cos(3 * t), -0.25 * sin(5 * t)),
      .omega = v3_scale(1.6 * cos(2 * t), axis),
      .acceleration = v3(0, -0.9 * sin(3 * t), -1.25 * cos(5 * t)),
      .angular = v3_scale(-3.2 * sin(2 * t), axis),
  };
}

static void write_poses(const char *path, int rows, double interval) {
  FILE *out = fopen(path, "w");
  fputs("t,x,y,z,qw,qx,qy,qz\n", out);
  for (int i = 0; i < rows; i++) {
    ff_pose p = motion_at(i * interval).pose;
    double sign = i % 7 == 3 ? -1 : 1; /* q and -q are the same orientation */
    fprintf(out, "%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", i * interval, p.position.x,
            p.position.y, p.position.z, sign * p.orientation.w, sign * p.orientation.x,
            sign * p.orientation.y, sign * p.orientation.z);
  }
  fclose(out);
}

static ff_sim *load(ff_model **model, const char *text) {
  ff_scene *scene = NULL;
  ff_sim *sim = NULL;
  ff_report report = {0};
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

static double vector_gap(ff_vec3 a, ff_vec3 b) {
  return v3_norm(v3_sub(a, b));
}

/* ---- splines --------------------------------------------------------------------------------- */

static void a_track_follows_the_motion_it_was_sampled_from(void **state) {
  (void)state;
  ff_model *model = NULL;
  write_poses("a.csv", 201, 0.01);
  ff_sim *sim = load(&model, "footfall: 1\nduration: 2\nbodies:\n  foot:\n    track: {file: a.csv, "
                             "position: [x, y, z], orientation: [qw, qx, qy, qz]}\n");
  ff_body foot = ff_model_body_find(model, "foot");
  for (double t = 0.2; t < 1.8; t += 0.0137) {
    assert_int_equal(ff_sim_advance(sim, t), FF_OK);
    ff_body_state at = ff_sim_body(sim, foot);
    ff_track_point wanted = motion_at(t);
    assert_close(vector_gap(at.position, wanted.pose.position), 0, 1e-8);
    assert_close(vector_gap(at.velocity, wanted.velocity), 0, 1e-5);
    assert_close(vector_gap(at.omega, wanted.omega), 0, 1e-4);
    ff_vec3 off = q_log(q_mul(at.orientation, q_conj(wanted.pose.orientation)));
    assert_close(v3_norm(off), 0, 1e-7);
  }
  unload(sim, model);
}

static void rates_of_a_spline_are_the_derivatives_of_its_poses(void **state) {
  (void)state;
  enum { ROWS = 12 };
  double values[ROWS * 8], bends[ROWS * 7], work[ROWS];
  uint64_t seed = 7;
  for (int i = 0; i < ROWS; i++) { /* rough: this is about consistency, not accuracy */
    values[8 * i] = 0.1 * i + 0.02 * ff_random(&seed);
    for (int k = 1; k < 8; k++) {
      values[8 * i + k] = ff_random_in(&seed, -0.2, 0.2) + (k == 4);
    }
  }
  assert_true(ff_track_align(values, ROWS));
  ff_track_bends(values, ROWS, 7, bends, work);
  ff_track track = {{values, ROWS, 7}, bends};
  for (double t = -0.1; t < 1.3; t += 0.0173) { /* also beyond the ends */
    double h = 1e-5;
    ff_track_point a = ff_track_at(&track, t - h), b = ff_track_at(&track, t + h);
    ff_track_point now = ff_track_at(&track, t);
    ff_vec3 moved = v3_scale(0.5 / h, v3_sub(b.pose.position, a.pose.position));
    ff_vec3 turned =
        v3_scale(0.5 / h, q_log(q_mul(b.pose.orientation, q_conj(a.pose.orientation))));
    assert_close(vector_gap(now.velocity, moved), 0, 1e-5);
    assert_close(vector_gap(now.omega, turned), 0, 1e-5);
    assert_close(vector_gap(now.acceleration, v3_scale(0.5 / h, v3_sub(b.velocity, a.velocity))), 0,
                 1e-2);
    assert_close(vector_gap(now.angular, v3_scale(0.5 / h, v3_sub(b.omega, a.omega))), 0, 1e-2);
  }
}

static void smoothing_removes_noise_and_keeps_slow_motion(void **state) {
  (void)state;
  ff_model *model = NULL;
  FILE *out = fopen("a.csv", "w");
  fputs("t,x,y,z\n", out);
  for (int i = 0; i < 301; i++) { /* 1 Hz, and 60 Hz of 2 mm */
    double t = i / 200.0;
    fprintf(out, "%.6f,%.9f,0,0\n", t, 0.1 * sin(2 * ff_pi * t) + 2e-3 * sin(120 * ff_pi * t + 1));
  }
  fclose(out);
  ff_sim *sim = load(&model, "footfall: 1\nbodies:\n  foot:\n    track: {file: a.csv, cutoff: 8, "
                             "position: [x, y, z]}\n");
  ff_body foot = ff_model_body_find(model, "foot");
  double worst = 0;
  for (double t = 0.25; t < 1; t += 0.01) { /* near the ends it follows the first and last row */
    assert_int_equal(ff_sim_advance(sim, t), FF_OK);
    worst = fmax(worst, fabs(ff_sim_body(sim, foot).position.x - 0.1 * sin(2 * ff_pi * t)));
  }
  assert_true(worst < 1e-4); /* (60 / 8)^4 less noise; the slow motion by (1/8)^4 / 2 */
  unload(sim, model);
}

/* ---- markers --------------------------------------------------------------------------------- */

static void markers_define_the_pose(void **state) {
  (void)state;
  static const ff_vec3 local[4] = {
      {0, 0, 0.03}, {0.2, 0, 0.05}, {0.15, 0.06, 0.02}, {0.1, -0.05, 0}};
  uint64_t seed = 11;
  for (int trial = 0; trial < 50; trial++) {
    ff_vec3 turn = v3(ff_random_in(&seed, -3, 3), ff_random(&seed), ff_random(&seed));
    ff_pose pose = {v3(ff_random(&seed), ff_random(&seed), 1), q_exp(turn)}, found;
    ff_vec3 world[4];
    for (int i = 0; i < 4; i++) {
      world[i] = pose_point(pose, local[i]);
    }
    assert_true(ff_marker_pose(&found, local, world, trial % 2 ? 3 : 4));
    assert_close(vector_gap(found.position, pose.position), 0, 1e-12);
    assert_close(v3_norm(q_log(q_mul(found.orientation, q_conj(pose.orientation)))), 0, 1e-10);
  }
  ff_pose found;
  static const ff_vec3 line[3] = {{0, 0, 0}, {0.1, 0, 0}, {0.2, 0, 0}};
  assert_false(ff_marker_pose(&found, line, line, 3));
  assert_false(ff_marker_pose(&found, local, local, 2));
}

static void marker_files_are_read_in_their_units_and_axes(void **state) {
  (void)state;
  ff_model *model = NULL;
  FILE *out = fopen("a.trc", "w"); /* y up, mm; a marker is missing in one row */
  fputs("PathFileType\t4\t(X/Y/Z)\ta.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\n"
        "100\t100\t6\t4\tmm\nFrame#\tTime\tA\t\t\tB\t\t\tC\t\t\tD\t\t\n"
        "\t\tX1\tY1\tZ1\tX2\tY2\tZ2\tX3\tY3\tZ3\tX4\tY4\tZ4\n\n",
        out);
  for (int i = 0; i < 6; i++) {
    double x = 100 * i;
    fprintf(out, "%d\t%.2f\t%g\t50\t0\t%g\t50\t0\t", i + 1, 0.01 * i, x, x + 200);
    fputs(i == 2 ? "\t\t\t" : "", out);
    if (i != 2) {
      fprintf(out, "%g\t50\t-60\t", x + 100);
    }
    fprintf(out, "%g\t90\t0\n", x + 100);
  }
  fclose(out);
  ff_sim *sim = load(&model, "footfall: 1\nbodies:\n  foot:\n    track: {file: a.trc, up: y, "
                             "markers: [A, B, C, D], frame: {origin: A, forward: B}}\n");
  assert_int_equal(ff_sim_advance(sim, 0.025), FF_OK);
  ff_body_state at = ff_sim_body(sim, ff_model_body_find(model, "foot"));
  assert_close(vector_gap(at.position, v3(0.25, 0, 0.05)), 0, 1e-9);
  assert_close(vector_gap(at.velocity, v3(10, 0, 0)), 0, 1e-6);
  assert_close(fabs(at.orientation.w), 1, 1e-9);
  unload(sim, model);
}

/* Markers that are not rigid: D moves away from the others, and the body with it. */
static void one_marker_may_give_the_position(void **state) {
  (void)state;
  ff_model *model = NULL;
  FILE *out = fopen("a.csv", "w");
  fputs("t,A_x,A_y,A_z,B_x,B_y,B_z,C_x,C_y,C_z,D_x,D_y,D_z\n", out);
  for (int i = 0; i < 6; i++) {
    double x = 0.01 * i;
    fprintf(out, "%g,0,0,0,0.2,0,0,0.1,0.1,0,%g,-0.1,0\n", x, 0.1 + x);
  }
  fclose(out);
  ff_sim *sim = load(&model, "footfall: 1\nbodies:\n  foot:\n    track: {file: a.csv, follow: D, "
                             "markers: [A, B, C, D], frame: {origin: D, forward: A}}\n");
  assert_int_equal(ff_sim_advance(sim, 0.03), FF_OK);
  ff_body_state at = ff_sim_body(sim, ff_model_body_find(model, "foot"));
  assert_close(vector_gap(at.position, v3(0.13, -0.1, 0)), 0, 1e-9);
  unload(sim, model);
  ff_scene *scene = NULL;
  ff_report report = {0};
  write_text("a.yaml", "footfall: 1\nbodies:\n  foot:\n    track: {file: a.csv, follow: E, "
                       "markers: [A, B, C, D]}\n");
  assert_int_equal(ff_scene_load(&scene, "a.yaml", NULL, 0, &report), FF_ERROR_INPUT);
  assert_non_null(strstr(report.what, "follow"));
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void tables_of_opensim_are_read(void **state) {
  (void)state;
  ff_measured data;
  ff_report report = {0};
  write_text("a.mot", "Coordinates\nversion=1\nnRows=2\ninDegrees=yes\nendheader\n"
                      "time\tknee  hip\n0.0\t 1e1\t2\n 0.5 3 nan\n");
  assert_int_equal(ff_measured_read(&data, "a.mot", &report), FF_OK);
  assert_int_equal(data.count, 3);
  assert_int_equal(data.rows, 2);
  assert_true(data.degrees);
  assert_true(data.values[1] == 10 && data.values[4] == 3 && isnan(data.values[5]));
  assert_int_equal(ff_measured_find(&data, "hipp", &report), -1);
  assert_string_equal(report.nearest, "hip");
  ff_measured_free(&data);
}

static void bad_tables_name_file_and_line(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int line;
  } cases[] = {
      {"", 0},      {"t,x\n0,1\n1\n", 3}, {"t,x\n0,1\n1,2,3\n", 3}, {"t,x\n0,1\n\n1,abc\n", 4},
      {"t,x\n", 1}, {"alone\n1\n", 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ff_measured data;
    ff_report report = {0};
    write_text("a.csv", cases[i].text);
    assert_int_equal(ff_measured_read(&data, "a.csv", &report), FF_ERROR_INPUT);
    assert_int_equal(report.line, cases[i].line);
    assert_string_equal(report.file, "a.csv");
  }
}

/* ---- forces ---------------------------------------------------------------------------------- */

/* A foot pressed 2 mm into the floor and lifted again. */
static void write_press(void) {
  FILE *out = fopen("a.csv", "w");
  fputs("t,x,y,z\n", out);
  for (int i = 0; i <= 60; i++) {
    double t = i / 100.0;
    fprintf(out, "%.3f,%.9f,0,%.9f\n", t, 0.05 * t, 0.0205 - 0.0025 * sin(ff_pi * t / 0.6));
  }
  fclose(out);
}

static const char press_scene[] =
    "footfall: 1\nduration: 0.6\nstepper: {kind: %s}\nbodies:\n"
    "  floor: {fixed: true, shape: {half-space: {}}}\n"
    "  foot:\n    shape: {sphere: {radius: 0.02}}\n"
    "    %s\n    track: {file: a.csv, position: [x, y, z]%s}\n"
    "contacts:\n  - {pair: [foot, floor], normal: {law: hunt-crossley, k: 1e6, alpha: 0.3}, "
    "friction: {law: coulomb, mu_static: 0.5}}\n";

static void a_tracked_body_presses_on_a_fixed_one(void **state) {
  (void)state;
  static const char *const steppers[] = {"adaptive, rtol: 1e-8", "rk4, step: 1e-3",
                                         "symplectic-euler, step: 1e-3"};
  write_press();
  for (int i = 0; i < 3; i++) {
    char text[1000];
    ff_model *model = NULL;
    snprintf(text, sizeof text, press_scene, steppers[i], "", "");
    ff_sim *sim = load(&model, text);
    assert_int_equal(ff_sim_advance(sim, 0.3), FF_OK);
    int channel = -1;
    for (int c = 0; c < ff_model_channel_count(model); c++) {
      channel = strcmp(ff_model_channel(model, c).name, "contact.foot:floor.force.n") ? channel : c;
    }
    double row[1];
    ff_sampler *sampler = NULL;
    assert_int_equal(ff_sampler_create(&sampler, sim, &channel, 1), FF_OK);
    assert_int_equal(ff_sampler_at(sampler, 0.3, 0.6, row), FF_OK);
    ff_sampler_destroy(&sampler);
    /* 2 mm deep and at rest: k depth^1.5 */
    assert_close(row[0], 1e6 * pow(0.002, 1.5), 0.02);
    assert_int_equal(ff_sim_advance(sim, 0.6), FF_OK);
    assert_int_equal(ff_sim_audit(sim).verdict, FF_VERDICT_GOOD);
    unload(sim, model);
  }
}

static void springs_pull_a_free_body_along_its_track(void **state) {
  (void)state;
  char text[1000];
  ff_model *model = NULL;
  write_press();
  snprintf(text, sizeof text, press_scene, "adaptive", "mass: 1",
           ", spring: {stiffness: 1e4, damping: 100, turn-stiffness: 50, turn-damping: 0.5}");
  ff_sim *sim = load(&model, text);
  ff_body foot = ff_model_body_find(model, "foot");
  assert_close(ff_sim_body(sim, foot).velocity.x, 0.05, 1e-6);
  assert_int_equal(ff_sim_advance(sim, 0.3), FF_OK);
  /* The floor's force and the weight are balanced by the spring: it gives way. */
  double z = ff_sim_body(sim, foot).position.z, depth = 0.02 - z;
  double spring = 1e4 * (z - 0.018), contact = 1e6 * pow(depth, 1.5);
  assert_true(z > 0.018 && depth > 0);
  assert_close(contact, spring + 9.81, 2);
  assert_int_equal(ff_sim_advance(sim, 0.6), FF_OK);
  assert_int_equal(ff_sim_audit(sim).verdict, FF_VERDICT_GOOD);
  unload(sim, model);
}

/* Without a spring nothing would hold the root of a robot on its track. */
static void a_tracked_robot_needs_a_spring(void **state) {
  (void)state;
  ff_scene *scene = NULL;
  ff_model *model = NULL;
  ff_report report = {0};
  write_poses("a.csv", 20, 0.05);
  write_text(
      "a.urdf",
      "<robot name=\"one\"><link name=\"trunk\"><inertial><mass value=\"1\"/><inertia "
      "ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link></robot>");
  static const char start[] = "footfall: 1\nrobots:\n  one:\n    urdf: a.urdf\n    base: free\n    "
                              "track: {file: a.csv, position: [x, y, z]";
  char text[500];
  snprintf(text, sizeof text, "%s}\n", start);
  write_text("a.yaml", text);
  assert_int_equal(ff_scene_load(&scene, "a.yaml", NULL, 0, &report), FF_OK);
  assert_int_equal(ff_model_build(&model, scene, &report), FF_ERROR_INPUT);
  assert_non_null(strstr(report.what, "spring"));
  ff_scene_destroy(&scene);
  snprintf(text, sizeof text,
           "%s, spring: {stiffness: 1e5, damping: 600, turn-stiffness: 10}}\ngravity: [0, 0, 0]\n",
           start);
  ff_sim *sim = load(&model, text);
  assert_int_equal(ff_sim_advance(sim, 0.9), FF_OK);
  ff_vec3 at = ff_sim_body(sim, ff_model_body_find(model, "one-trunk")).position;
  assert_close(vector_gap(at, motion_at(0.9).pose.position), 0, 1e-3);
  unload(sim, model);
}

int main(void) {
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)
  const struct CMUnitTest tests[] = {
      IN_FOLDER(a_track_follows_the_motion_it_was_sampled_from),
      cmocka_unit_test(rates_of_a_spline_are_the_derivatives_of_its_poses),
      IN_FOLDER(smoothing_removes_noise_and_keeps_slow_motion),
      cmocka_unit_test(markers_define_the_pose),
      IN_FOLDER(marker_files_are_read_in_their_units_and_axes),
      IN_FOLDER(one_marker_may_give_the_position),
      IN_FOLDER(tables_of_opensim_are_read),
      IN_FOLDER(bad_tables_name_file_and_line),
      IN_FOLDER(a_tracked_body_presses_on_a_fixed_one),
      IN_FOLDER(springs_pull_a_free_body_along_its_track),
      IN_FOLDER(a_tracked_robot_needs_a_spring),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
