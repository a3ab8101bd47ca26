/* Scenes from YAML: what is written is what is read, overrides included. */
#include "base/memory.h"
#include "footfall/footfall.h"
#include "math/vec.h"
#include "model/scene.h"
#include "testing.h"

#include <dirent.h>

static ff_scene *read_with(const char *text, const char *const *overrides, int count) {
  ff_scene *scene;
  ff_report report;
  if (ff_scene_parse(&scene, text, strlen(text), "dir/my.scene.yaml", overrides, count, &report) !=
      FF_OK) {
    char message[4096];
    ff_report_text(&report, message, sizeof message);
    fail_msg("%s", message);
  }
  return scene;
}

static ff_scene *read(const char *text) {
  return read_with(text, NULL, 0);
}

static void assert_vec(ff_vec3 v, double x, double y, double z) {
  assert_close(v.x, x, 1e-15); /* a few roundings of numbers of size 1 */
  assert_close(v.y, y, 1e-15);
  assert_close(v.z, z, 1e-15);
}

static void defaults_are_those_of_the_interface(void **state) {
  (void)state;
  ff_scene *scene = read("footfall: 1\nbodies: {a: {}}\n");
  assert_string_equal(ff_scene_name(scene), "my.scene");
  assert_string_equal(ff_scene_source(scene), "footfall: 1\nbodies: {a: {}}\n");
  assert_vec(scene->run.gravity, 0, 0, -9.81);
  assert_string_equal(scene->run.stepper.kind, "auto");
  assert_true(isnan(scene->run.stepper.step) && isnan(scene->run.energy_tolerance));
  assert_close(scene->run.stepper.rtol, 1e-10, 0);
  assert_close(scene->run.record_every, 1e-3, 0);
  assert_true(isnan(scene->bodies[0].mass) && isnan(scene->bodies[0].density));
  assert_int_equal(scene->bodies[0].kind, FF_BODY_FREE);
  ff_scene_destroy(&scene);
}

static void run_is_read(void **state) {
  (void)state;
  ff_scene *scene = read("footfall: 1\nname: A <b>title</b>\ngravity: [1, 2, 3]\nduration: 4\n"
                         "stepper: {kind: rk4, step: 1e-3, rtol: 1e-5, atol: 1e-6, max-step: 2}\n"
                         "record: {every: 0, channels: [energy.*, contact.a:b.*]}\n"
                         "audit: {energy-tolerance: 1e-7}\ncapacity: {contacts: 12}\n"
                         "bodies: {}\n");
  const ff_run_def *run = &scene->run;
  assert_string_equal(ff_scene_name(scene), "A <b>title</b>");
  assert_vec(run->gravity, 1, 2, 3);
  assert_close(run->duration, 4, 0);
  assert_string_equal(run->stepper.kind, "rk4");
  assert_close(run->stepper.step, 1e-3, 0);
  assert_close(run->stepper.rtol, 1e-5, 0);
  assert_close(run->stepper.atol, 1e-6, 0);
  assert_close(run->stepper.max_step, 2, 0);
  assert_close(run->record_every, 0, 0);
  assert_int_equal(run->channel_count, 2);
  assert_string_equal(run->channels[1], "contact.a:b.*");
  assert_close(run->energy_tolerance, 1e-7, 0);
  assert_int_equal(run->contact_capacity, 12);
  ff_scene_destroy(&scene);
}

static void bodies_are_read(void **state) {
  (void)state;
  ff_scene *scene =
      read("footfall: 1\n"
           "materials: {steel: {young: 1, poisson: 0.2, density: 3, dissipation: 4,"
           " mu_static: 5, mu_kinetic: 6}}\n"
           "bodies:\n"
           "  a: {mass: 2, com: [1, 0, 0], inertia: [1, 2, 3], material: steel,\n"
           "      position: [1, 2, 3], velocity: [4, 5, 6], omega: [90 deg/s, 8, 9]}\n"
           "  <b>ä: {density: 5, inertia: [[1, 2, 3], [4, 5, 6], [7, 8, 9]]}\n"
           "  c: {fixed: true}\n"
           "  d: {fixed: false}\n");
  assert_close(scene->materials[0].poisson, 0.2, 0);
  assert_close(scene->materials[0].mu_kinetic, 6, 0);
  const ff_body_def *a = &scene->bodies[0], *b = &scene->bodies[1];
  assert_close(a->mass, 2, 0);
  assert_vec(a->com, 1, 0, 0);
  assert_close(a->inertia.m[2][2], 3, 0);
  assert_close(a->inertia.m[0][1], 0, 0);
  assert_string_equal(a->material, "steel");
  assert_vec(a->position, 1, 2, 3);
  assert_vec(a->velocity, 4, 5, 6);
  assert_vec(a->omega, ff_pi / 2, 8, 9);
  assert_string_equal(b->name, "<b>\xc3\xa4");
  assert_close(b->density, 5, 0);
  assert_close(b->inertia.m[1][2], 6, 0);
  assert_int_equal(scene->bodies[2].kind, FF_BODY_FIXED);
  assert_int_equal(scene->bodies[3].kind, FF_BODY_FREE);
  ff_scene_destroy(&scene);
}

static void motion_is_read(void **state) {
  (void)state;
  ff_scene *scene = read("footfall: 1\nbodies:\n"
                         "  a:\n    motion:\n"
                         "      velocity: {table: [[0, 1, 2, 3], [1, 4, 5, 6]]}\n"
                         "      oscillate: {amplitude: [0, 0, 0.1], frequency: 2, phase: 90 deg}\n"
                         "      spin: {axis: [0, 0, 2], rate: 180 deg/s}\n"
                         "      swing: {axis: [0, 0, 2], amplitude: 30 deg, frequency: 2,"
                         " phase: 90 deg}\n");
  assert_int_equal(scene->bodies[0].kind, FF_BODY_PRESCRIBED);
  const ff_motion *motion = &scene->bodies[0].motion;
  assert_int_equal(motion->velocity.rows, 2);
  assert_close(motion->velocity.values[7], 6, 0);
  assert_vec(motion->amplitude, 0, 0, 0.1);
  assert_close(motion->phase, ff_pi / 2, 1e-15);
  assert_int_equal(motion->rate.rows, 1);
  assert_close(motion->rate.values[1], ff_pi, 1e-15);
  assert_close(motion->swing_amplitude, ff_pi / 6, 1e-15);
  ff_scene_destroy(&scene);
}

static void orientations_turn_as_written(void **state) {
  (void)state;
  ff_scene *scene = read("footfall: 1\nbodies:\n"
                         "  a: {orientation: [0.7071, 0, 0, 0.7071]}\n"
                         "  b: {orientation: {axis: [0, 0, 5], angle: 90 deg}}\n"
                         "  c: {orientation: {rpy: [90 deg, 0, 90 deg]}}\n");
  for (int i = 0; i < 2; i++) {
    assert_vec(q_rotate(scene->bodies[i].orientation, v3(1, 0, 0)), 0, 1, 0);
  }
  /* roll takes y to z, where yaw leaves it; x goes to y */
  assert_vec(q_rotate(scene->bodies[2].orientation, v3(0, 1, 0)), 0, 0, 1);
  assert_vec(q_rotate(scene->bodies[2].orientation, v3(1, 0, 0)), 0, 1, 0);
  ff_scene_destroy(&scene);
}

static void shapes_are_read(void **state) {
  (void)state;
  ff_scene *scene = read("footfall: 1\nbodies:\n  a:\n    shapes:\n"
                         "      - {sphere: {radius: 1}, position: [1, 2, 3], material: m}\n"
                         "      - {ellipsoid: {axes: [1, 2, 3]}}\n"
                         "      - {box: {size: [1, 2, 3]}}\n"
                         "      - {capsule: {radius: 1, length: 4}}\n"
                         "      - {cylinder: {radius: 1, height: 6}}\n"
                         "  b: {shape: {sphere: {radius: 2}}}\n");
  const ff_scene_shape *shapes = scene->shapes;
  assert_int_equal(scene->shape_count, 6);
  assert_vec(shapes[0].def.position, 1, 2, 3);
  assert_string_equal(shapes[0].def.material, "m");
  assert_int_equal(shapes[1].def.kind, FF_ELLIPSOID);
  assert_vec(shapes[2].def.size, 0.5, 1, 1.5);
  assert_vec(shapes[3].def.size, 1, 2, 0);
  assert_vec(shapes[4].def.size, 1, 3, 0);
  assert_int_equal(shapes[4].index, 4);
  assert_int_equal(shapes[5].body.id, 2);
  ff_report report = {.key = "bodies.b.shapes.0.radius"}; /* as the model calls it */
  ff_scene_locate(scene, &report);
  assert_int_equal(report.line, 10);
  ff_scene_destroy(&scene);
}

static void half_space_looks_along_its_normal(void **state) {
  (void)state;
  const ff_vec3 normals[] = {{0, 0, 1}, {0, 0, -2}, {3, 0, 0}, {0, -1, 0}, {1, 2, -3}};
  for (int i = 0; i < 5; i++) {
    char text[256];
    snprintf(text, sizeof text,
             "footfall: 1\nbodies: {a: {shape: {half-space: {normal: [%g, %g, %g], offset: 2}}}}\n",
             normals[i].x, normals[i].y, normals[i].z);
    ff_scene *scene = read(text);
    const ff_shape_def *def = &scene->shapes[0].def;
    ff_vec3 n = v3_unit(normals[i]);
    assert_vec(q_rotate(def->orientation, v3(0, 0, 1)), n.x, n.y, n.z);
    assert_vec(def->position, 2 * n.x, 2 * n.y, 2 * n.z);
    assert_close(q_norm(def->orientation), 1, 1e-15);
    ff_scene_destroy(&scene);
  }
}

static void contacts_are_read(void **state) {
  (void)state;
  ff_scene *scene = read("footfall: 1\nbodies: {}\ncontacts:\n"
                         "  - {pair: [\"*\", \"*\"], off: true}\n"
                         "  - pair: [a, b]\n    radius: 0.5\n"
                         "    normal: {law: linear, k: 5, b: 6, clamp: false}\n"
                         "    friction: {law: coulomb, mu_static: 0.5}\n");
  assert_int_equal(scene->contact_count, 2);
  assert_true(scene->contacts[0].off);
  const ff_contact_def *contact = &scene->contacts[1];
  assert_string_equal(contact->b, "b");
  assert_close(contact->radius, 0.5, 0);
  assert_string_equal(contact->normal.law, "linear");
  assert_int_equal(contact->normal.count, 3);
  assert_string_equal(contact->normal.names[2], "clamp");
  assert_close(contact->normal.values[2], 0, 0);
  assert_string_equal(contact->friction.names[0], "mu_static");
  ff_scene_destroy(&scene);
}

static void forces_and_drives_are_read(void **state) {
  (void)state;
  ff_scene *scene = read("footfall: 1\nbodies: {}\nforces:\n"
                         "  - {body: a, force: [1, 2, 3], point: [4, 5, 6], frame: body}\n"
                         "  - {body: a, torque: {table: [[0, 1, 2, 3], [.5, 4, 5, 6]]}}\n"
                         "drives:\n  leg:\n    body: a\n    axis: [0, 0, -1]\n"
                         "    reference: [1, 1, 1]\n    phases:\n"
                         "      - {kind: position, until: 1, stiffness: 2, damping: 3, start: 4,"
                         " velocity: {table: [[0, 1], [1, 0]]}}\n"
                         "      - {kind: force, until: 2, force: 5}\n"
                         "      - {kind: position, start: actual, velocity: -2}\n"
                         "      - {kind: off, until: .inf}\n");
  assert_true(scene->forces[0].body_frame && !scene->forces[1].body_frame);
  assert_close(scene->forces[0].force.values[3], 3, 0);
  assert_int_equal(scene->forces[0].torque.rows, 0);
  assert_close(scene->forces[1].torque.values[4], 0.5, 0);
  const ff_drive_def *leg = &scene->drives[0];
  assert_string_equal(leg->name, "leg");
  assert_int_equal(leg->phase_count, 4);
  assert_close(leg->phases[0].damping, 3, 0);
  assert_close(leg->phases[0].start, 4, 0);
  assert_close(leg->phases[0].velocity.values[1], 1, 0);
  assert_close(leg->phases[1].force.values[1], 5, 0);
  assert_true(isnan(leg->phases[2].start));
  assert_true(isinf(leg->phases[3].until));
  ff_scene_destroy(&scene);
}

/* ---- overrides ------------------------------------------------------------------------------ */

static const char *const small_scene = "footfall: 1\nbodies:\n  a: {mass: 1, position: [1, 2, 3]}\n"
                                       "contacts:\n  - {pair: [a, a], off: true}\n";

/* Keys and channels that had another name, and keys with '-' for '_', are read with a note. */
static void old_names_are_read_with_a_note(void **state) {
  (void)state;
  const char *const overrides[] = {"stepper.max_step=0.25", "materials.steel.mu-kinetic=7"};
  ff_scene *scene =
      read_with("footfall: 1\n"
                "materials: {steel: {mu-static: 5, mu_kinetic: 6}}\n"
                "stepper: {kind: adaptive}\n"
                "record:\n"
                "  channels: [load.a.pressure.x, load.a.twist, 'robot.*.pressure.*']\n"
                "bodies: {a: {}}\n",
                overrides, 2);
  assert_close(scene->materials[0].mu_static, 5, 0);
  assert_close(scene->materials[0].mu_kinetic, 7, 0);
  assert_close(scene->run.stepper.max_step, 0.25, 0);
  assert_string_equal(scene->run.channels[0], "load.a.cop.x");
  assert_string_equal(scene->run.channels[1], "load.a.free_moment");
  assert_string_equal(scene->run.channels[2], "robot.*.cop.*");
  assert_int_equal(ff_scene_note_count(scene), 5);
  assert_string_equal(
      ff_scene_note(scene, 0),
      "dir/my.scene.yaml:2: the key 'mu-static' is now 'mu_static'; the old name is "
      "still read");
  assert_string_equal(ff_scene_note(scene, 5), "");
  ff_scene_destroy(&scene);
}

/* The key 'pilot' of robots, in the scene and in an override. */
static void pilots_are_read_as_controllers(void **state) {
  (void)state;
  const char *const override = "robots.r.pilot.lift=0.02";
  const char *text =
      "footfall: 1\nrobots: {r: {urdf: robots/humanoid.urdf, pilot: {lift: 0.01}}}\n";
  ff_scene *scene;
  ff_report report;
  assert_int_equal(ff_scene_parse(&scene, text, strlen(text), FF_SOURCE_DIR "/scenes/mine.yaml",
                                  &override, 1, &report),
                   FF_OK);
  assert_close(scene->robots[0].def.controller->walk.lift, 0.02, 0);
  assert_int_equal(ff_scene_note_count(scene), 1);
  assert_non_null(strstr(ff_scene_note(scene, 0), "the key 'pilot' is now 'controller'"));
  ff_scene_destroy(&scene);
}

/* Spring and losses of a joint replace those of the URDF; sole and preview of a pattern. */
static void joints_and_soles_are_those_of_the_scene(void **state) {
  (void)state;
  const char *text =
      "footfall: 1\n"
      "robots: {r: {urdf: robots/humanoid.urdf, servo: {stiffness: 200, damping: 3},\n"
      "  joints: {left_elbow: {spring: {stiffness: 5, rest: -10 deg},\n"
      "    losses: {damping: 0.1, friction: 0.2, friction-speed: 0.01}}},\n"
      "  controller: {balance: false, sole: {position: [0.01, 0, -0.03], size: [0.09, 0.05]},\n"
      "    sample: 0.01, horizon: 1.1, corrections: 1}}}\n";
  ff_scene *scene;
  ff_report report;
  assert_int_equal(ff_scene_parse(&scene, text, strlen(text), FF_SOURCE_DIR "/scenes/mine.yaml",
                                  NULL, 0, &report),
                   FF_OK);
  const ff_robot_def *robot = &scene->robots[0].def;
  int found = 0;
  for (int i = 1; i < robot->link_count; i++) {
    const ff_joint_def *joint = &robot->links[i].def.joint;
    bool elbow = strcmp(robot->links[i].joint_name, "left_elbow") == 0;
    assert_close(joint->stiffness, elbow ? 5 : 0, 0);
    found += elbow && joint->damping == 0.1 && joint->friction == 0.2 &&
             joint->friction_speed == 0.01 && fabs(joint->rest + M_PI / 18) < 1e-15;
  }
  assert_int_equal(found, 1);
  const ff_walk_def *walk = &robot->controller->walk;
  assert_vec(walk->sole, 0.01, 0, -0.03);
  assert_close(walk->sole_length, 0.09, 0);
  assert_close(walk->sole_width, 0.05, 0);
  assert_close(walk->sample, 0.01, 0);
  assert_close(walk->horizon, 1.1, 0);
  assert_int_equal(walk->corrections, 1);
  ff_scene_destroy(&scene);
}

static void overrides_replace_and_add(void **state) {
  (void)state;
  const char *settings[] = {"bodies.a.mass=5",
                            "bodies.a.position.1=-7",
                            "bodies.b={mass: 9}",
                            "duration=2.5",
                            "contacts.0.pair=[a, \"*\"]",
                            "audit.energy-tolerance=0.25", /* sections that are not there */
                            "stepper.kind=rk4",
                            "stepper.step=1e-3"};
  ff_scene *scene = read_with(small_scene, settings, 8);
  assert_close(scene->run.energy_tolerance, 0.25, 0);
  assert_string_equal(scene->run.stepper.kind, "rk4");
  assert_close(scene->run.stepper.step, 1e-3, 0);
  assert_close(scene->bodies[0].mass, 5, 0);
  assert_vec(scene->bodies[0].position, 1, -7, 3);
  assert_close(scene->bodies[1].mass, 9, 0);
  assert_close(scene->run.duration, 2.5, 0);
  assert_string_equal(scene->contacts[0].b, "*");
  ff_report report = {.key = "bodies.a.mass"};
  ff_scene_locate(scene, &report); /* also what the model finds wrong is the option's fault */
  assert_string_equal(report.file, "--set bodies.a.mass");
  /* The source tells the whole: read again, it is the same scene, and its own fixed point. */
  ff_scene *again = read(ff_scene_source(scene));
  assert_close(again->bodies[1].mass, 9, 0);
  assert_vec(again->bodies[0].position, 1, -7, 3);
  ff_scene *third = read_with(ff_scene_source(again), settings, 1);
  assert_string_equal(ff_scene_source(third), ff_scene_source(scene));
  ff_scene_destroy(&scene);
  ff_scene_destroy(&again);
  ff_scene_destroy(&third);
}

static void bad_overrides_are_placed_at_the_option(void **state) {
  (void)state;
  const struct {
    const char *setting, *message;
  } cases[] = {
      {"bodies.a.mass=x", "--set bodies.a.mass: bodies.a.mass: must be a number, got 'x'"},
      {"bodies.a.mas=1",
       "--set bodies.a.mas: bodies.a.mas: unknown key 'mas'; did you mean 'mass'"},
      {"bodies.q.mass=1", "--set bodies.q.mass: unknown key 'q'; did you mean 'a'? Allowed: a"},
      {"bodies.a.shape.sphre.radius=1", "unknown key 'sphre'; did you mean 'sphere'"},
      {"adit.energy-tolerance=1", "unknown key 'adit'; did you mean 'audit'"},
      {"contacts.0.frction.mu=1", "unknown key 'frction'; did you mean 'friction'"},
      {"bodies.a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u.v.w.x.y.z.a.b.c.d.e.f.g.h.i=1",
       "is nested too deep"},
      {"bodies.a.position.3=1", "the list has no such element: '3'"},
      {"bodies.a.position.x=1", "the list has no such element: 'x'"},
      {"bodies.a.mass.x=1", "a value has no keys: 'x'"},
      {"duration", "--set duration: must be written path=value"},
      {"=3", "must be written path=value"},
      {"duration=", "must be written path=value"},
      {"duration=[1", "--set duration: is not valid YAML"},
      {"bodies.=1", "unknown key ''"},
      {"duration=&a 1", "anchors"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    ff_scene *scene;
    ff_report report;
    char text[4096];
    assert_int_equal(ff_scene_parse(&scene, small_scene, strlen(small_scene), "x",
                                    &cases[i].setting, 1, &report),
                     FF_ERROR_INPUT);
    ff_report_text(&report, text, sizeof text);
    if (!strstr(text, cases[i].message)) {
      fail_msg("%s: wanted '%s', got '%s'", cases[i].setting, cases[i].message, text);
    }
  }
}

/* ---- the scenes of the project ----------------------------------------------------------------
 */

static void shipped_scenes_load_and_build(void **state) {
  (void)state;
  DIR *dir = opendir(FF_SOURCE_DIR "/scenes");
  assert_non_null(dir);
  int count = 0;
  for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
    if (!strstr(entry->d_name, ".yaml")) {
      continue;
    }
    char path[1024], text[4096];
    snprintf(path, sizeof path, FF_SOURCE_DIR "/scenes/%s", entry->d_name);
    ff_scene *scene;
    ff_model *model = NULL;
    ff_report report;
    ff_status status = ff_scene_load(&scene, path, NULL, 0, &report);
    status = status ? status : ff_model_build(&model, scene, &report);
    if (status != FF_OK) {
      ff_report_text(&report, text, sizeof text);
      print_error("%s\n", text);
    }
    assert_int_equal(status, FF_OK);
    ff_model_destroy(&model);
    ff_scene_destroy(&scene);
    count++;
  }
  closedir(dir);
  assert_true(count >= 9);
}

static void memory_may_run_out_anywhere(void **state) {
  (void)state;
  const char *settings[] = {"bodies.foot.mass=26", "bodies.foot.density=3"};
  ff_status status = FF_ERROR_MEMORY;
  long n = 1;
  for (; status != FF_OK; n++) {
    assert_true(n < 10000);
    ff_scene *scene;
    ff_alloc_fail_at(n);
    status = ff_scene_load(&scene, FF_SOURCE_DIR "/scenes/walking-foot.yaml", settings, 2, NULL);
    ff_alloc_fail_at(0);
    assert_int_equal(status == FF_OK ? FF_ERROR_MEMORY : status, FF_ERROR_MEMORY);
    assert_true((scene != NULL) == (status == FF_OK));
    ff_scene_destroy(&scene);
  }
  assert_true(n > 10); /* or nothing was injected */
}

static void many_bodies_stay_fast(void **state) {
  (void)state;
  size_t size = 0, capacity = 8 << 20;
  char *text = malloc(capacity);
  assert_non_null(text);
  size += (size_t)sprintf(text, "footfall: 1\nbodies:\n");
  for (int i = 0; i < 50000; i++) {
    size += (size_t)sprintf(text + size, "  b%d: {mass: 1, shape: {sphere: {radius: 1}}}\n", i);
  }
  ff_scene *scene;
  assert_int_equal(ff_scene_parse(&scene, text, size, "many", NULL, 0, NULL), FF_OK);
  free(text);
  assert_int_equal(scene->shape_count, 50000);
  ff_report report = {.key = "bodies.b49999.mass"};
  ff_scene_locate(scene, &report);
  assert_int_equal(report.line, 50002);
  ff_scene_destroy(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults_are_those_of_the_interface),
      cmocka_unit_test(run_is_read),
      cmocka_unit_test(bodies_are_read),
      cmocka_unit_test(motion_is_read),
      cmocka_unit_test(orientations_turn_as_written),
      cmocka_unit_test(shapes_are_read),
      cmocka_unit_test(half_space_looks_along_its_normal),
      cmocka_unit_test(contacts_are_read),
      cmocka_unit_test(forces_and_drives_are_read),
      cmocka_unit_test(old_names_are_read_with_a_note),
      cmocka_unit_test(pilots_are_read_as_controllers),
      cmocka_unit_test(joints_and_soles_are_those_of_the_scene),
      cmocka_unit_test(overrides_replace_and_add),
      cmocka_unit_test(bad_overrides_are_placed_at_the_option),
      cmocka_unit_test(shipped_scenes_load_and_build),
      cmocka_unit_test(memory_may_run_out_anywhere),
      cmocka_unit_test(many_bodies_stay_fast),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
