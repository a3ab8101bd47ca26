/* Events of contacts and joints, results of a run, and their tables in recordings. */
#include "folder.h"
#include "footfall/footfall.h"
#include "scene_text.h"

#include <hdf5.h>
#include <math.h>

enum { MOST = 1000 };

typedef struct seen {
  ff_event events[MOST];
  int count;
} seen;

static void note_event(void *context, const ff_event *event) {
  seen *all = context;
  assert_true(all->count < MOST);
  all->events[all->count++] = *event;
}

static int kinds(const seen *all, ff_event_kind kind) {
  int count = 0;
  for (int i = 0; i < all->count; i++) {
    count += all->events[i].kind == kind;
  }
  return count;
}

static const char block[] =
    "footfall: 1\n"
    "duration: 1\n"
    "stepper: {kind: symplectic-euler, step: 1e-4}\n"
    "bodies:\n"
    "  floor: {fixed: true, shape: {half-space: {}}}\n"
    "  ball:\n"
    "    mass: 0.5\n"
    "    position: [0, 0, 0.3]\n"
    "    shape: {sphere: {radius: 0.1}}\n"
    "contacts:\n"
    "  - {pair: [ball, floor], normal: {law: hunt-crossley, k: 1e5, n: 1.5, "
    "alpha: 0.8}}\n";

/* A drop: touch, lift, and so on, with the impulse that turns the momentum round. */
static void a_drop_is_told_as_events(void **state) {
  (void)state;
  static const char *const steppers[] = {"stepper={kind: adaptive}",
                                         "stepper={kind: symplectic-euler, step: 1e-5}"};
  for (int i = 0; i < 2; i++) {
    ff_model *model;
    ff_sim *sim = sim_of(&model, block, steppers[i]);
    seen all = {.count = 0};
    ff_sim_on_event(sim, note_event, &all);
    assert_int_equal(ff_sim_advance(sim, 0.4), FF_OK);
    assert_true(all.count >= 2);
    assert_int_equal(all.events[0].kind, FF_EVENT_TOUCH);
    assert_true(fabs(all.events[0].time - sqrt(2 * 0.2 / 9.80665)) < 1e-3);
    const ff_event *lift = NULL;
    for (int k = 0; k < all.count && !lift; k++) {
      lift = all.events[k].kind == FF_EVENT_LIFT ? &all.events[k] : NULL;
    }
    assert_non_null(lift);
    double t = lift->time - all.events[0].time;
    double turned = 0.5 * (all.events[0].speed + lift->speed + 9.80665 * t);
    assert_true(fabs(lift->impulse / turned - 1) < 0.01);
    ff_results results = ff_sim_results(sim);
    assert_int_equal(results.events[FF_EVENT_TOUCH], kinds(&all, FF_EVENT_TOUCH));
    assert_true(results.force.value == lift->peak_force && results.force.time == lift->peak_time);
    assert_true(results.impulse.value >= lift->impulse && results.depth.value > 0);
    assert_int_equal(results.force.a.id + results.force.b.id, 3);
    assert_true(results.travel.value > 0.2 && results.travel.a.id == 2);
    assert_true(ff_sim_travelled(sim, (ff_body){.id = 1}) == 0);
    assert_true(isnan(ff_sim_travelled(sim, (ff_body){.id = 3})));
    assert_int_equal(ff_sim_reset(sim), FF_OK);
    assert_true(isnan(ff_sim_results(sim).force.time) && ff_sim_results(sim).force.value == 0);
    end(sim, model);
  }
}

static const char slider[] =
    "footfall: 1\n"
    "duration: 1\n"
    "stepper: {kind: quasi-rigid, step: 1e-3}\n"
    "bodies:\n"
    "  floor: {fixed: true, shape: {half-space: {}}}\n"
    "  block:\n"
    "    mass: 1\n"
    "    position: [0, 0, 0.1]\n"
    "    velocity: [0.5, 0, 0]\n"
    "    shape: {box: {size: [0.2, 0.2, 0.2]}}\n"
    "contacts:\n"
    "  - {pair: [block, floor], normal: {law: quasi-rigid, k: 1e6, c: 1e3, max_deflection: 1e-3}, "
    "friction: {law: ellipsoidal, mu: 0.5}}\n";

/* It slides to rest, and is pushed off again. */
static void sliding_that_ends_and_begins_is_told(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = sim_of(&model, slider, NULL);
  seen all = {.count = 0};
  ff_sim_on_event(sim, note_event, &all);
  assert_int_equal(ff_sim_advance(sim, 0.3), FF_OK);
  assert_true(kinds(&all, FF_EVENT_STICK) >= 1);
  int slips = kinds(&all, FF_EVENT_SLIP);
  ff_vec3 zero = {0, 0, 0};
  assert_int_equal(ff_sim_apply(sim, (ff_body){.id = 2}, zero, (ff_vec3){20, 0, 0}, zero), FF_OK);
  assert_int_equal(ff_sim_advance(sim, 0.35), FF_OK);
  assert_true(kinds(&all, FF_EVENT_SLIP) > slips);
  end(sim, model);
}

static void a_joint_that_reaches_its_limit_is_told(void **state) {
  (void)state;
  static const char urdf[] =
      "<robot name='arm'><link name='base'/><link name='bar'><inertial><origin xyz='0.5 0 "
      "0'/><mass "
      "value='1'/><inertia ixx='.1' iyy='.1' izz='.1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
      "<joint name='hinge' type='revolute'><parent link='base'/><child link='bar'/><axis xyz='0 1 "
      "0'/><limit lower='-1' upper='0.5' effort='1' velocity='100'/></joint></robot>";
  static const char scene[] = "footfall: 1\nduration: 1\nstepper: {kind: symplectic-euler, step: "
                              "1e-4}\nrobots:\n  arm: {urdf: arm.urdf, base: fixed}\n";
  FILE *file = fopen("arm.urdf", "w");
  fputs(urdf, file);
  fclose(file);
  ff_scene *read;
  ff_model *model;
  ff_sim *sim;
  ff_report report = {0};
  ff_status status = ff_scene_parse(&read, scene, strlen(scene), "arm.yaml", NULL, 0, &report);
  if (status != FF_OK) {
    fail_msg("%s: %s", report.key, report.what);
  }
  assert_int_equal(ff_model_build(&model, read, &report), FF_OK);
  assert_int_equal(ff_sim_create(&sim, model), FF_OK);
  seen all = {.count = 0};
  ff_sim_on_event(sim, note_event, &all);
  assert_int_equal(ff_sim_advance(sim, 0.6), FF_OK);
  assert_true(kinds(&all, FF_EVENT_STOP) >= 1);
  const ff_event *stop = &all.events[0];
  assert_int_equal(stop->kind, FF_EVENT_STOP);
  assert_int_equal(stop->joint.robot, 1);
  assert_int_equal(stop->joint.id, 1);
  assert_string_equal(ff_model_body_name(model, stop->a), "arm-bar");
  assert_true(stop->speed > 0 && stop->b.id == 0);
  end(sim, model);
  ff_scene_destroy(&read);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static long rows_of(hid_t file, const char *name) {
  hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  assert_true(set >= 0);
  hid_t space = H5Dget_space(set);
  hsize_t rows = 0;
  H5Sget_simple_extent_dims(space, &rows, NULL);
  H5Sclose(space);
  H5Dclose(set);
  return (long)rows;
}

static void events_and_contacts_are_in_the_recording(void **state) {
  (void)state;
  ff_scene *scene;
  ff_run *run;
  ff_report report = {0};
  const char *outputs[] = {"out.h5"}, *settings[] = {"record.contacts=true", "record.every=1e-3"};
  ff_run_options options = ff_run_options_default();
  options.outputs = outputs;
  options.output_count = 1;
  assert_int_equal(
      ff_scene_parse(&scene, slider, strlen(slider), "slider.yaml", settings, 2, &report), FF_OK);
  assert_int_equal(ff_run_create(&run, scene, &options, &report), FF_OK);
  assert_int_equal(ff_run_execute(run, &report), FF_OK);
  ff_results results = ff_sim_results(ff_run_sim(run));
  long events = 0;
  for (int i = 0; i < FF_EVENT_KIND_COUNT; i++) {
    events += results.events[i];
  }
  hid_t file = H5Fopen("out.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_int_equal(rows_of(file, "events"), events);
  assert_true(rows_of(file, "contacts") >= 4 * 900);
  assert_int_equal(rows_of(file, "bodies"), 2);
  /* The weight, in every sample. */
  struct {
    int64_t sample;
    double force[3];
  } row[8];
  hid_t type = H5Tcreate(H5T_COMPOUND, sizeof *row), set = H5Dopen2(file, "contacts", H5P_DEFAULT);
  hsize_t three = 3, count = 8, start = (hsize_t)(rows_of(file, "contacts") - 8);
  hid_t vector = H5Tarray_create2(H5T_NATIVE_DOUBLE, 1, &three);
  H5Tinsert(type, "sample", 0, H5T_NATIVE_INT64);
  H5Tinsert(type, "force (N)", 8, vector);
  hid_t space = H5Dget_space(set), memory = H5Screate_simple(1, &count, NULL);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL);
  assert_true(H5Dread(set, type, memory, space, H5P_DEFAULT, row) >= 0);
  double weight = 0;
  for (int i = 0; i < 8; i++) {
    assert_true(row[i].sample == 1000 || row[i].sample == 999);
    weight += row[i].sample == 1000 ? row[i].force[2] : 0;
  }
  assert_true(fabs(weight - 9.80665) < 0.05);
  H5Sclose(memory);
  H5Sclose(space);
  H5Tclose(vector);
  H5Tclose(type);
  H5Dclose(set);
  H5Fclose(file);
  ff_run_destroy(&run);
  ff_scene_destroy(&scene);
}

static int leave_folder(void **state) {
  (void)state;
  unlink("arm.urdf");
  unlink("out.h5");
  return remove_folder();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_drop_is_told_as_events),
      cmocka_unit_test(sliding_that_ends_and_begins_is_told),
      cmocka_unit_test_setup_teardown(a_joint_that_reaches_its_limit_is_told, enter_folder,
                                      leave_folder),
      cmocka_unit_test_setup_teardown(events_and_contacts_are_in_the_recording, enter_folder,
                                      leave_folder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
