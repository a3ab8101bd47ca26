/* Scenes made by C calls: everything is copied, places are found, memory may run out. */
#include "base/memory.h"
#include "footfall/io.h"
#include "model/scene.h"
#include "testing.h"

/* Adds one of everything from texts and tables that are overwritten afterwards. */
static ff_status fill(ff_scene *scene) {
  char name[] = "ball", law[] = "linear", param[] = "k", glob[] = "energy.*", kind[] = "rk4";
  double rows[] = {0, 1, 2, 3, 1, 4, 5, 6}, value = 1e4;
  ff_material_def material = ff_material_def_default();
  material.name = name;
  ff_body_def body = ff_body_def_default();
  body.name = name;
  body.material = name;
  body.motion.velocity = (ff_table){rows, 2, 3};
  ff_shape_def shape = ff_shape_def_default();
  shape.material = name;
  const char *names[] = {param};
  ff_contact_def contact = ff_contact_def_default();
  contact.normal = (ff_law_choice){law, names, &value, 1};
  ff_force_def force = ff_force_def_default();
  force.body = name;
  force.force = (ff_table){rows, 2, 3};
  ff_phase_def phase = ff_phase_def_default();
  phase.velocity = (ff_table){rows, 4, 1};
  ff_drive_def drive = ff_drive_def_default();
  drive.name = drive.body = name;
  drive.phases = &phase;
  drive.phase_count = 1;
  const char *globs[] = {glob};
  ff_run_def run = ff_run_def_default();
  run.stepper.kind = kind;
  run.channels = globs;
  run.channel_count = 1;
  ff_body body_id;
  ff_shape shape_id;
  ff_status status = ff_scene_add_material(scene, &material);
  status = status ? status : ff_scene_add_body(&body_id, scene, &body);
  status = status ? status : ff_scene_add_shape(&shape_id, scene, body_id, &shape);
  status = status ? status : ff_scene_add_shape(&shape_id, scene, body_id, &shape);
  status = status ? status : ff_scene_add_contact(scene, &contact);
  status = status ? status : ff_scene_add_force(scene, &force);
  status = status ? status : ff_scene_add_drive(scene, &drive);
  status = status ? status : ff_scene_set_run(scene, &run);
  status = status ? status : ff_scene_add_place(scene, name, "", 3, 4);
  memset(name, 'x', 4), memset(law, 'x', 6), memset(param, 'x', 1);
  memset(glob, 'x', 8), memset(kind, 'x', 3), memset(rows, 0, sizeof rows);
  value = 0;
  return status;
}

static void definitions_are_copied(void **state) {
  (void)state;
  ff_scene *scene;
  assert_int_equal(ff_scene_create(&scene), FF_OK);
  assert_int_equal(fill(scene), FF_OK);
  assert_string_equal(scene->materials[0].name, "ball");
  assert_string_equal(scene->bodies[0].material, "ball");
  assert_close(scene->bodies[0].motion.velocity.values[7], 6, 0);
  assert_string_equal(scene->shapes[0].def.material, "ball");
  assert_int_equal(scene->shapes[1].index, 1);
  assert_string_equal(scene->contacts[0].normal.law, "linear");
  assert_string_equal(scene->contacts[0].normal.names[0], "k");
  assert_close(scene->contacts[0].normal.values[0], 1e4, 0);
  assert_string_equal(scene->contacts[0].a, "*");
  assert_close(scene->forces[0].force.values[4], 1, 0);
  assert_close(scene->drives[0].phases[0].velocity.values[1], 1, 0);
  assert_string_equal(scene->run.channels[0], "energy.*");
  assert_string_equal(scene->run.stepper.kind, "rk4");
  assert_string_equal(ff_scene_source(scene), "");
  ff_scene_destroy(&scene);
}

static void shapes_are_counted_by_body(void **state) {
  (void)state;
  ff_scene *scene;
  assert_int_equal(ff_scene_create(&scene), FF_OK);
  ff_body_def body = ff_body_def_default();
  ff_shape_def def = ff_shape_def_default();
  ff_body one, two;
  ff_shape shape;
  ff_scene_add_body(&one, scene, &body);
  ff_scene_add_body(&two, scene, &body);
  ff_scene_add_shape(&shape, scene, two, &def);
  ff_scene_add_shape(&shape, scene, one, &def);
  assert_int_equal(ff_scene_add_shape(&shape, scene, two, &def), FF_OK);
  assert_int_equal(shape.id, 3);
  assert_int_equal(scene->shapes[1].index, 0);
  assert_int_equal(scene->shapes[2].index, 1);
  assert_int_equal(ff_scene_add_shape(&shape, scene, (ff_body){.id = 3}, &def), FF_ERROR_INPUT);
  assert_int_equal(ff_scene_add_shape(&shape, scene, (ff_body){.id = 0}, &def), FF_ERROR_INPUT);
  assert_int_equal(shape.id, 0);
  ff_scene_destroy(&scene);
}

static void memory_may_run_out_anywhere(void **state) {
  (void)state;
  ff_status status = FF_ERROR_MEMORY;
  for (long n = 1; status != FF_OK; n++) {
    assert_true(n < 1000);
    ff_alloc_fail_at(n);
    ff_scene *scene;
    status = ff_scene_create(&scene);
    status = status ? status : fill(scene);
    ff_alloc_fail_at(0);
    assert_true(status == FF_OK || status == FF_ERROR_MEMORY);
    if (scene) { /* what failed once works the next time */
      assert_int_equal(fill(scene), FF_OK);
    }
    ff_scene_destroy(&scene);
  }
}

static void place_is_the_key_or_its_nearest_parent(void **state) {
  (void)state;
  ff_scene *scene;
  assert_int_equal(ff_scene_create(&scene), FF_OK);
  char key[64];
  for (int i = 0; i < 200000; i++) {
    snprintf(key, sizeof key, "bodies.b%d.mass", i);
    assert_int_equal(ff_scene_add_place(scene, key, "x.yaml", i + 1, 7), FF_OK);
  }
  assert_int_equal(ff_scene_add_place(scene, "bodies", "--set y", 5, 1), FF_OK);
  ff_report report = {.key = "bodies.b123456.mass.x"};
  ff_scene_locate(scene, &report);
  assert_int_equal(report.line, 123457);
  assert_int_equal(report.column, 7);
  assert_string_equal(report.file, "x.yaml");
  snprintf(report.key, sizeof report.key, "bodies.b12345");
  ff_scene_locate(scene, &report);
  assert_int_equal(report.line, 5);
  assert_string_equal(report.file, "--set y");
  snprintf(report.key, sizeof report.key, "duration");
  ff_scene_locate(scene, &report);
  assert_int_equal(report.line, 0);
  ff_scene_locate(scene, NULL);
  ff_scene_destroy(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(definitions_are_copied),
      cmocka_unit_test(shapes_are_counted_by_body),
      cmocka_unit_test(memory_may_run_out_anywhere),
      cmocka_unit_test(place_is_the_key_or_its_nearest_parent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
