/* The foot of three ellipsoids, and its ground reactions and external loads as OpenSim reads them.
 */
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "folder.h"
#include "footfall/footfall.h"

/* ---- .sto ------------------------------------------------------------------------------------ */

static const char *const names[] = {
    "time",
    "contact.left:ground.depth",
    "contact.left:ground.force.x",
    "contact.left:ground.force.y",
    "contact.left:ground.force.z",
    "contact.left:ground.moment.x",
    "contact.left:ground.moment.y",
    "contact.left:ground.moment.z",
    "contact.left:ground.point.x",
    "contact.left:ground.point.y",
    "contact.left:ground.point.z",
    "contact.right:ground.force.x",
    "contact.right:ground.force.y",
    "contact.right:ground.force.z",
    "contact.right:ground.moment.x",
    "contact.right:ground.moment.y",
    "contact.right:ground.moment.z",
    "contact.right:ground.point.x",
    "contact.right:ground.point.y",
    "contact.right:ground.point.z",
};
enum { NAMES = sizeof names / sizeof *names, ROWS = 600, WIDTH = 19 };

static void write_text(const char *name, const char *text) {
  FILE *out = fopen(name, "w");
  assert_non_null(out);
  fputs(text, out);
  fclose(out);
}

static void expect_text(const char *name, const char *text) {
  char *got;
  size_t size;
  assert_int_equal(ff_file_read(&got, &size, name, 1 << 24, NULL), FF_OK);
  assert_string_equal(got, text);
  ff_free(got);
}

static ff_recording_info info_of(int count) {
  static const char *units[NAMES];
  for (int i = 0; i < NAMES; i++) {
    units[i] = "1";
  }
  return (ff_recording_info){.scene = "", .summary = "", .names = names, .units = units, count};
}

static const char path[] = "foot.sto", loads_table[] = "a & b.mot", loads[] = "a & b.xml";

static int leave(void **state) {
  (void)state;
  unlink(path);
  unlink(loads_table);
  unlink(loads);
  return remove_folder();
}

static void fill(uint64_t *seed, int index, double row[NAMES]) {
  for (int i = 0; i < NAMES; i++) {
    row[i] = ff_random_in(seed, -2, 2);
  }
  row[0] = index;
  row[4] = 700 + index;                     /* left: presses */
  row[13] = index % 2 ? -index : 1 + index; /* right: now and then pulls */
}

static ff_status write_as(const char *name, ff_report *report) {
  ff_recording_info info = info_of(NAMES);
  ff_recorder *recorder;
  ff_status status = ff_recorder_create(&recorder, name, &info, report);
  uint64_t seed = 1;
  for (int i = 0; i < ROWS && status == FF_OK; i++) {
    double row[NAMES];
    fill(&seed, i, row);
    status = ff_recorder_add(recorder, row);
    if (status != FF_OK) {
      ff_recorder_abandon(&recorder);
    }
  }
  return status == FF_OK ? ff_recorder_close(&recorder, NULL, report) : status;
}

static ff_status write_all(ff_report *report) {
  return write_as(path, report);
}

/* Moment about the origin, z up, of force and point and moment. */
static void about_origin(const double *f, const double *p, const double *m, double out[3]) {
  out[0] = m[0] + p[1] * f[2] - p[2] * f[1];
  out[1] = m[1] + p[2] * f[0] - p[0] * f[2];
  out[2] = m[2] + p[0] * f[1] - p[1] * f[0];
}

/* X, Y, Z of OpenSim as x, y, z. */
static void turned_back(const double *from, double to[3]) {
  to[0] = from[0];
  to[1] = -from[2];
  to[2] = from[1];
}

static void check_plate(const double *row, const double *force, const double *torque) {
  double f[3], p[3], m[3], here[3], there[3];
  turned_back(force, f);
  turned_back(force + 3, p);
  turned_back(torque, m);
  about_origin(row, row + 6, row + 3, here);
  about_origin(f, p, m, there);
  for (int i = 0; i < 3; i++) {
    assert_close(f[i], row[i], 0);
    assert_close(there[i], here[i], 1e-11);
  }
  assert_true(p[2] == 0);
  if (row[2] > 0) {
    assert_true(m[0] == 0 && m[1] == 0);
  } else {
    assert_true(p[0] == 0 && p[1] == 0);
  }
}

static void a_file_has_the_wrenches(void **state) {
  (void)state;
  assert_int_equal(write_all(NULL), FF_OK);
  FILE *in = fopen(path, "r");
  assert_non_null(in);
  static const char *const head[] = {"Ground reactions\n", "version=1\n",    "nRows=600\n",
                                     "nColumns=19\n",      "inDegrees=no\n", "endheader\n"};
  char line[2048];
  for (int i = 0; i < 6; i++) {
    assert_non_null(fgets(line, sizeof line, in));
    assert_string_equal(line, head[i]);
  }
  assert_non_null(fgets(line, sizeof line, in));
  assert_string_equal(line,
                      "time\tground_force_vx\tground_force_vy\tground_force_vz\tground_force_px\t"
                      "ground_force_py\tground_force_pz\t1_ground_force_vx\t1_ground_force_vy\t"
                      "1_ground_force_vz\t1_ground_force_px\t1_ground_force_py\t1_ground_force_pz\t"
                      "ground_torque_x\tground_torque_y\tground_torque_z\t1_ground_torque_x\t"
                      "1_ground_torque_y\t1_ground_torque_z\n");
  uint64_t seed = 1;
  for (int i = 0; i < ROWS; i++) {
    double row[NAMES], v[WIDTH];
    assert_non_null(fgets(line, sizeof line, in));
    char *at = line;
    for (int k = 0; k < WIDTH; k++) {
      v[k] = strtod(at, &at);
    }
    fill(&seed, i, row);
    assert_true(v[0] == row[0]);
    check_plate(row + 2, v + 1, v + 13);
    check_plate(row + 11, v + 7, v + 16);
  }
  assert_null(fgets(line, sizeof line, in));
  fclose(in);
}

static void without_contacts_there_is_nothing_to_write(void **state) {
  (void)state;
  ff_recording_info info = info_of(10); /* the left point lacks its z */
  ff_recorder *recorder;
  ff_report report = {0};
  assert_int_equal(ff_recorder_create(&recorder, path, &info, &report), FF_ERROR_INPUT);
  assert_non_null(strstr(report.what, "no contact"));
  assert_true(access(path, F_OK) != 0);
}

static void failures_leave_no_file(void **state) {
  (void)state;
  int failed = 0;
  for (long n = 1;; n++) {
    ff_alloc_fail_at(n);
    ff_status status = write_all(NULL);
    ff_alloc_fail_at(0);
    if (status == FF_OK) {
      break;
    }
    assert_int_equal(status, FF_ERROR_MEMORY);
    assert_true(access(path, F_OK) != 0);
    failed++;
  }
  assert_true(failed >= 5);
  unlink(path);
  for (long n = 1;; n++) {
    ff_file_fail_at(n);
    ff_report report = {0};
    ff_status status = write_all(&report);
    ff_file_fail_at(0);
    if (status == FF_OK) {
      break;
    }
    assert_int_equal(status, FF_ERROR_FILE);
    assert_true(access(path, F_OK) != 0);
  }
}

/* A file to the byte: a contact that presses, then one that pulls. */
static void a_small_file_is_this_text(void **state) {
  (void)state;
  static const char *const own[] = {"time",
                                    "contact.a:b.force.x",
                                    "contact.a:b.force.y",
                                    "contact.a:b.force.z",
                                    "contact.a:b.moment.x",
                                    "contact.a:b.moment.y",
                                    "contact.a:b.moment.z",
                                    "contact.a:b.point.x",
                                    "contact.a:b.point.y",
                                    "contact.a:b.point.z"};
  static const double rows[2][10] = {{0, 2, 4, 8, 1, 2, 3, 0.5, 0.25, 0},
                                     {0.5, 1, 2, -4, 1, 2, 3, 0, 0, 0}};
  static const char text[] =
      "Ground reactions\nversion=1\nnRows=2\nnColumns=10\ninDegrees=no\nendheader\n"
      "time\tground_force_vx\tground_force_vy\tground_force_vz\tground_force_px\t"
      "ground_force_py\tground_force_pz\tground_torque_x\tground_torque_y\tground_torque_z\n"
      "0\t2\t8\t-4\t0.25\t0\t-0.375\t0\t4.25\t0\n"
      "0.5\t1\t-4\t-2\t0\t0\t0\t1\t3\t-2\n";
  ff_recording_info info = info_of(10);
  info.names = own;
  ff_recorder *recorder;
  assert_int_equal(ff_recorder_create(&recorder, path, &info, NULL), FF_OK);
  assert_int_equal(ff_recorder_add(recorder, rows[0]), FF_OK);
  assert_int_equal(ff_recorder_add(recorder, rows[1]), FF_OK);
  assert_int_equal(ff_recorder_close(&recorder, NULL, NULL), FF_OK);
  expect_text(path, text);
}

/* ---- external loads --------------------------------------------------------------------------
 */

static void external_loads_name_bodies_and_columns(void **state) {
  (void)state;
  static const char document[] =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<OpenSimDocument Version=\"30000\">\n"
      "  <ExternalLoads name=\"external_loads\">\n"
      "    <objects>\n"
      "      <ExternalForce name=\"left:ground\">\n"
      "        <applied_to_body>left</applied_to_body>\n"
      "        <force_expressed_in_body>ground</force_expressed_in_body>\n"
      "        <point_expressed_in_body>ground</point_expressed_in_body>\n"
      "        <force_identifier>ground_force_v</force_identifier>\n"
      "        <point_identifier>ground_force_p</point_identifier>\n"
      "        <torque_identifier>ground_torque_</torque_identifier>\n"
      "        <data_source_name>Ground reactions</data_source_name>\n"
      "      </ExternalForce>\n"
      "      <ExternalForce name=\"right:ground\">\n"
      "        <applied_to_body>right</applied_to_body>\n"
      "        <force_expressed_in_body>ground</force_expressed_in_body>\n"
      "        <point_expressed_in_body>ground</point_expressed_in_body>\n"
      "        <force_identifier>1_ground_force_v</force_identifier>\n"
      "        <point_identifier>1_ground_force_p</point_identifier>\n"
      "        <torque_identifier>1_ground_torque_</torque_identifier>\n"
      "        <data_source_name>Ground reactions</data_source_name>\n"
      "      </ExternalForce>\n"
      "    </objects>\n"
      "    <groups />\n"
      "    <datafile>a &amp; b.mot</datafile>\n"
      "  </ExternalLoads>\n"
      "</OpenSimDocument>\n";
  char here[64 + sizeof folder]; /* the table is named without its folder */
  snprintf(here, sizeof here, "%s/%s", folder, loads_table);
  assert_int_equal(write_as(here, NULL), FF_OK);
  expect_text(loads, document);
  assert_int_equal(write_all(NULL), FF_OK);
  char *table;
  size_t size;
  assert_int_equal(ff_file_read(&table, &size, path, 1 << 24, NULL), FF_OK);
  expect_text(loads_table, table); /* the table of the .sto */
  ff_free(table);
  ff_recording *recording;
  assert_int_equal(ff_recording_open(&recording, loads_table, NULL), FF_OK);
  assert_int_equal(ff_recording_rows(recording), ROWS);
  assert_string_equal(ff_recording_about(recording)->units[1], "N");
  ff_recording_close(&recording);
  assert_int_equal(entries(), 3);
}

/* Neither file, or both old ones: whatever fails. */
static void external_loads_appear_whole_or_not_at_all(void **state) {
  (void)state;
  for (int old = 0; old < 2; old++) {
    int failed = 0;
    for (long n = 1;; n++) {
      if (old) {
        write_text(loads_table, "old table");
        write_text(loads, "old loads");
      }
      ff_report report = {0};
      ff_file_fail_at(n);
      ff_status status = write_as(loads_table, &report);
      ff_file_fail_at(0);
      if (status == FF_OK) {
        break;
      }
      failed++;
      assert_int_equal(status, FF_ERROR_FILE);
      assert_string_equal(report.what, "cannot write: No space left on device");
      assert_true(strcmp(report.file, loads_table) == 0 || strcmp(report.file, loads) == 0);
      assert_int_equal(entries(), old ? 2 : 0);
      if (old) {
        expect_text(loads_table, "old table");
        expect_text(loads, "old loads");
      }
    }
    assert_true(failed >= 8); /* open, write, sync and rename of each */
    assert_int_equal(entries(), 2);
    unlink(loads_table);
    unlink(loads);
  }
  for (long n = 1;; n++) {
    ff_alloc_fail_at(n);
    ff_status status = write_as(loads_table, NULL);
    ff_alloc_fail_at(0);
    if (status == FF_OK) {
      break;
    }
    assert_int_equal(status, FF_ERROR_MEMORY);
    assert_int_equal(entries(), 0);
  }
}

static void external_loads_refuse_what_they_cannot_hold(void **state) {
  (void)state;
  ff_recording_info info = info_of(NAMES);
  ff_recorder *recorder;
  ff_report report = {0};
  assert_int_equal(ff_recorder_create(&recorder, "a\tb.mot", &info, &report), FF_ERROR_INPUT);
  assert_string_equal(report.key, "a\tb.mot");
  assert_int_equal(mkdir(loads, 0777), 0); /* told before anything is computed */
  assert_int_equal(ff_recorder_create(&recorder, loads_table, &info, &report), FF_ERROR_FILE);
  assert_string_equal(report.file, loads);
  assert_int_equal(entries(), 1);
  assert_int_equal(rmdir(loads), 0);
  info = info_of(10); /* no whole contact */
  assert_int_equal(ff_recorder_create(&recorder, loads_table, &info, &report), FF_ERROR_INPUT);
  assert_int_equal(ff_recorder_create(&recorder, loads_table, &(ff_recording_info){0}, &report),
                   FF_ERROR_INPUT);
  assert_int_equal(entries(), 0);
}

/* ---- the foot ----------------------------------------------------------------------------------
 */

typedef struct look {
  double time, pitch, force[3], point[2], free_moment;
} look;

enum { LOOKS = 751 };

static void follow_foot(look looks[LOOKS]) {
  ff_scene *scene;
  ff_model *model;
  ff_sim *sim;
  ff_report report = {0};
  assert_int_equal(
      ff_scene_load(&scene, FF_SOURCE_DIR "/scenes/foot-rollover.yaml", NULL, 0, &report), FF_OK);
  assert_int_equal(ff_model_build(&model, scene, &report), FF_OK);
  assert_int_equal(ff_sim_create(&sim, model), FF_OK);
  ff_body foot = ff_model_body_find(model, "foot");
  for (int i = 0; i < LOOKS; i++) {
    assert_int_equal(ff_sim_advance(sim, 1e-3 * i), FF_OK);
    look *l = &looks[i];
    *l = (look){.time = 1e-3 * i};
    ff_quat q = ff_sim_body(sim, foot).orientation;
    l->pitch = 2 * atan2(q.y, q.w);
    double m[3] = {0};
    for (int k = 0; k < ff_sim_contact_count(sim); k++) {
      ff_contact c = ff_sim_contact(sim, k);
      m[0] += c.moment.x + c.point.y * c.force.z - c.point.z * c.force.y;
      m[1] += c.moment.y + c.point.z * c.force.x - c.point.x * c.force.z;
      m[2] += c.moment.z + c.point.x * c.force.y - c.point.y * c.force.x;
      l->force[0] += c.force.x;
      l->force[1] += c.force.y;
      l->force[2] += c.force.z;
    }
    if (l->force[2] > 0) {
      l->point[0] = -m[1] / l->force[2];
      l->point[1] = m[0] / l->force[2];
      l->free_moment = m[2] - l->point[0] * l->force[1] + l->point[1] * l->force[0];
    }
  }
  ff_audit audit = ff_sim_audit(sim);
  assert_true(audit.energy_residual < 1e-8 * audit.energy_scale);
  ff_sim_destroy(&sim);
  ff_model_destroy(&model);
  ff_scene_destroy(&scene);
}

static void the_foot_rolls_from_heel_to_toes(void **state) {
  (void)state;
  static look looks[LOOKS];
  follow_foot(looks);
  int strike = 0, off = LOOKS - 1;
  while (!(looks[strike].force[2] > 0)) {
    strike++;
  }
  while (!(looks[off].force[2] > 0)) {
    off--;
  }
  /* One stance: on the ground from strike to toe-off, carried by heel first, by toes last; the
   * centre of pressure goes forward all the way. */
  double impulse = 0, brake = 0, push = 0;
  for (int i = strike; i <= off; i++) {
    assert_true(looks[i].force[2] > 0);
    assert_true(looks[i].point[0] > -0.05 && looks[i].point[0] < 0.28);
    assert_true(i < strike + 5 || looks[i].point[0] > looks[i - 1].point[0] - 2e-4);
    assert_true(fabs(looks[i].point[1]) < 0.01 && fabs(looks[i].free_moment) < 6);
    impulse += 1e-3 * looks[i].force[2];
    brake = fmin(brake, looks[i].force[0]);
    push = fmax(push, looks[i].force[0]);
  }
  assert_true(looks[strike].time < 0.01 && looks[off].time > 0.67 && looks[off].time < 0.70);
  assert_true(looks[strike + 5].point[0] < 0 && looks[off - 5].point[0] > 0.2);
  assert_true(looks[strike].pitch < -0.3 && looks[off].pitch > 0.8);
  assert_true(brake < -80 && push > 120); /* brakes, then pushes off */
  /* The ground bears the leg's load (359 N s by the scene's table), the foot's weight, and its
   * change of momentum, a few N s. */
  double weight = 2.5 * 9.81 * (looks[off].time - looks[strike].time);
  assert_close(impulse, 359 + weight, 4);
}

/* Two humps of 1.1 body weights (70 kg) and less in between, with no blow anywhere: the force
 * changes by less than 20 N in a millisecond, at heel strike too. */
static void the_push_has_two_humps(void **state) {
  (void)state;
  static look looks[LOOKS];
  follow_foot(looks);
  double humps[2] = {0, 0}, valley = INFINITY;
  for (int i = 1; i < LOOKS; i++) {
    double push = looks[i].force[2], time = looks[i].time;
    humps[time > 0.32] = fmax(humps[time > 0.32], push);
    valley = time > 0.15 && time < 0.5 ? fmin(valley, push) : valley;
    assert_true(fabs(push - looks[i - 1].force[2]) < 20);
  }
  assert_near(humps[0], 770, 0.02);
  assert_near(humps[1], 770, 0.02);
  assert_near(valley, 546, 0.02);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_file_has_the_wrenches, enter_folder, leave),
      cmocka_unit_test_setup_teardown(without_contacts_there_is_nothing_to_write, enter_folder,
                                      leave),
      cmocka_unit_test_setup_teardown(failures_leave_no_file, enter_folder, leave),
      cmocka_unit_test_setup_teardown(a_small_file_is_this_text, enter_folder, leave),
      cmocka_unit_test_setup_teardown(external_loads_name_bodies_and_columns, enter_folder, leave),
      cmocka_unit_test_setup_teardown(external_loads_appear_whole_or_not_at_all, enter_folder,
                                      leave),
      cmocka_unit_test_setup_teardown(external_loads_refuse_what_they_cannot_hold, enter_folder,
                                      leave),
      cmocka_unit_test(the_foot_rolls_from_heel_to_toes),
      cmocka_unit_test(the_push_has_two_humps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
