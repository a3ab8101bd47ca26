/* What a scene leaves out: contacts from materials, a stepper that fits, scenes to start from. */
#include "model/model.h"
#include "worlds.h"

#include <unistd.h>

static world open_text(const char *text) {
  world w = {0};
  ff_report report = {0};
  ff_status status = ff_scene_parse(&w.scene, text, strlen(text), "text", NULL, 0, &report);
  if (status != FF_OK) {
    print_error("%s: %s\n", report.key, report.what);
  }
  assert_int_equal(status, FF_OK);
  world_start(&w);
  return w;
}

static void library_materials_are_sorted_and_physical(void **state) {
  (void)state;
  for (int i = 0; i < ff_material_library_count(); i++) {
    ff_material_entry at = ff_material_library_at(i), next = ff_material_library_at(i + 1);
    assert_true(at.def.young > 1e5 && at.def.young < 1e12);
    assert_true(at.def.poisson > -1 && at.def.poisson <= 0.5);
    assert_true(at.def.density > 10 && at.def.density < 2e4);
    assert_true(at.def.dissipation >= 0 && at.def.dissipation < 1);
    assert_true(at.def.mu_kinetic <= at.def.mu_static);
    assert_true(at.source[0] != '\0');
    assert_true(!next.def.name || strcmp(at.def.name, next.def.name) < 0);
  }
  assert_null(ff_material_library_at(-1).def.name);
}

#define BALL "  ball: {material: rubber, shape: {sphere: {radius: 0.02}}, position: [0, 0, 0.12]}\n"
#define HEAD "footfall: 1\nduration: 1\nbodies:\n"

/* Hertz's stiffness of the pair by hand: E* of rubber (3e6, .49) on steel (210e9, .3). */
static void a_round_pair_of_materials_has_the_stiffness_of_hertz(void **state) {
  (void)state;
  world w =
      open_text(HEAD "  floor: {fixed: true, material: steel, shape: {half-space: {}}}\n" BALL);
  assert_true(ff_model_default_contacts(w.model));
  ff_pair_info pair = ff_model_pair_info(w.model, 0);
  double young = 1 / ((1 - 0.49 * 0.49) / 3e6 + (1 - 0.3 * 0.3) / 210e9);
  assert_string_equal(pair.normal->name, "hunt-crossley");
  assert_near(ff_law_params_get(pair.normal, &pair.normal_params, "k"),
              4.0 / 3.0 * young * sqrt(0.02), 1e-12);
  assert_string_equal(pair.friction->name, "coulomb");
  assert_near(ff_law_params_get(pair.friction, &pair.friction_params, "mu_static"),
              sqrt(1.15 * 0.74), 1e-12);
  assert_int_equal(world_advance(&w, 1), FF_OK);
  double height = ff_sim_body(w.sim, ff_model_body_find(w.model, "ball")).position.z;
  assert_true(height > 0.015 && height < 0.12);
  world_end(&w);
}

/* A rigid punch: four points of k = E* a / 2, with a half of a 0.1 m cube. */
static void a_flat_pair_of_materials_has_the_stiffness_of_a_punch(void **state) {
  (void)state;
  world w = open_text(HEAD "  floor: {fixed: true, shape: {half-space: {}}}\n"
                           "  crate: {material: rubber, shape: {box: {size: [0.1, 0.1, 0.1]}}, "
                           "position: [0, 0, 0.0499]}\n"
                           "stepper: {kind: adaptive}\n");
  ff_pair_info pair = ff_model_pair_info(w.model, 0);
  double young = 0.5 * 3e6 / (1 - 0.49 * 0.49);
  /* The size is rounded to a quarter of an octave: at most 2^(1/8) off. */
  assert_near(ff_law_params_get(pair.normal, &pair.normal_params, "k"), young * 0.05 / 2, 0.1);
  assert_near(ff_law_params_get(pair.normal, &pair.normal_params, "n"), 1, 0);
  world_end(&w);
}

static void contacts_none_and_unknown_materials_have_no_contacts(void **state) {
  (void)state;
  world w = open_text("contacts: none\n" HEAD
                      "  floor: {fixed: true, material: steel, shape: {half-space: {}}}\n" BALL);
  assert_int_equal(ff_model_pair_count(w.model), 0);
  world_end(&w);
  w = open_text("contacts: []\n" HEAD
                "  floor: {fixed: true, material: steel, shape: {half-space: {}}}\n" BALL);
  assert_int_equal(ff_model_pair_count(w.model), 0);
  world_end(&w);
  w = open_text(HEAD "  floor: {fixed: true, shape: {half-space: {}}}\n"
                     "  ball: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 1]}\n");
  assert_int_equal(ff_model_pair_count(w.model), 0);
  assert_false(ff_model_default_contacts(w.model));
  world_end(&w);
}

static void materials_give_laws_under_every_stepper(void **state) {
  (void)state;
  for (int i = 0; i < ff_stepper_count(); i++) {
    const ff_stepper_info *stepper = ff_stepper_at(i);
    char text[512];
    snprintf(text, sizeof text,
             "stepper: {kind: %s%s}\n" HEAD
             "  floor: {fixed: true, material: rubber, shape: {half-space: {}}}\n"
             "  ball: {material: wood, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.11]}\n"
             "  crate: {material: cork, shape: {box: {size: [0.2, 0.2, 0.2]}}, "
             "position: [1, 0, 0.101]}\n",
             stepper->name, stepper->fixed_step ? ", step: 1e-4" : "");
    world w = open_text(text);
    assert_int_equal(ff_model_pair_count(w.model), 3);
    assert_int_equal(world_advance(&w, 0.3), FF_OK);
    assert_true(ff_sim_body(w.sim, ff_model_body_find(w.model, "ball")).position.z > 0.095);
    assert_true(ff_sim_body(w.sim, ff_model_body_find(w.model, "crate")).position.z > 0.095);
    world_end(&w);
  }
}

static void a_stepper_is_chosen_that_fits_the_scene(void **state) {
  (void)state;
  static const struct {
    const char *normal, *chosen;
  } rows[] = {{"{law: hunt-crossley, k: 1e4, n: 1}", "adaptive"},
              {"{law: rigid}", "micro-macro"},
              {"{law: quasi-rigid, k: 1e4, max_deflection: 1e-3}", "quasi-rigid"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[512];
    snprintf(text, sizeof text,
             HEAD "  floor: {fixed: true, shape: {half-space: {}}}\n" BALL
                  "contacts: [{pair: [ball, floor], normal: %s}]\n",
             rows[i].normal);
    world w = open_text(text);
    assert_string_equal(ff_model_run(w.model)->stepper.kind, rows[i].chosen);
    assert_true(ff_model_stepper_reason(w.model)[0] != '\0');
    world_end(&w);
  }
  world crate = open_text(
      HEAD
      "  floor: {fixed: true, material: concrete, shape: {half-space: {}}}\n"
      "  crate: {material: wood, shape: {box: {size: [0.3, 0.3, 0.3]}}, position: [0, 0, 0.3]}\n");
  assert_string_equal(ff_model_run(crate.model)->stepper.kind, "quasi-rigid");
  world_end(&crate);
  char many[4096] = HEAD "  floor: {fixed: true, shape: {half-space: {}}}\n";
  for (int i = 0; i < 12; i++) {
    size_t used = strlen(many);
    snprintf(many + used, sizeof many - used,
             "  b%d: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [%d, 0, 0.1]}\n", i, i);
  }
  strcat(many, "contacts: [{pair: ['*', '*'], normal: {law: hunt-crossley, k: 1e6, n: 1}}]\n");
  world w = open_text(many);
  assert_string_equal(ff_model_run(w.model)->stepper.kind, "symplectic-euler");
  assert_true(ff_model_run(w.model)->stepper.step <= ff_model_stable_step(w.model));
  world_end(&w);
}

/* Damping of hunt-crossley grows with the depth that is reached: a fall over a gap needs the step
 * of an approach at the speed that it ends with. */
static void stable_steps_count_the_fall_over_the_gap(void **state) {
  (void)state;
  static const char text[] =
      HEAD "  floor: {fixed: true, shape: {half-space: {}}}\n"
           "  ball: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, %.17g],\n"
           "         velocity: [0, 0, %.17g]}\n"
           "contacts: [{pair: [ball, floor], normal: {law: hunt-crossley, k: 1e6, n: 1.5}}]\n"
           "gravity: [0, 0, -9.81]\n";
  double steps[3];
  const double heights[] = {0.5, 0, 0}, speeds[] = {0, sqrt(2 * 9.81 * 0.5), 0};
  for (int i = 0; i < 3; i++) {
    char scene[600];
    snprintf(scene, sizeof scene, text, 0.1 + heights[i], -speeds[i]);
    world w = open_text(scene);
    steps[i] = ff_model_stable_step(w.model);
    world_end(&w);
  }
  assert_true(fabs(steps[0] - steps[1]) < 1e-6 * steps[1]);
  assert_true(steps[0] < 0.9 * steps[2]);
}

/* A law of the overlap has the stiffness of the area that is cut at the deepest overlap: of a
 * sphere about 2 pi R d, where k pi R d^3 / 3 is the energy of the approach. */
static void stable_steps_of_overlaps_are_those_of_their_area(void **state) {
  (void)state;
  world w = open_text(
      HEAD "  floor: {fixed: true, shape: {half-space: {}}}\n"
           "  ball: {mass: 1, shape: {sphere: {radius: 1}}, position: [0, 0, 1],\n"
           "         velocity: [0, 0, -1]}\n"
           "contacts: [{pair: [ball, floor], normal: {law: volumetric, k_V: 1e9, a_V: 0}}]\n"
           "gravity: [0, 0, 0]\n");
  double k = 1e9, pi = acos(-1.0), depth = cbrt(1.5 / (k * pi));
  double stable = FF_FINE_STEP / sqrt(k * 2 * pi * depth);
  assert_near(ff_model_stable_step(w.model), stable, 1e-3);
  world_end(&w);
}

/* Scenes to start from run good, and `check` has nothing to warn of. An existing file is kept. */
static void new_writes_scenes_that_run_good(void **state) {
  (void)state;
  char folder[] = "/tmp/footfall-new-XXXXXX", command[1024];
  assert_non_null(mkdtemp(folder));
  static const char *const kinds[] = {"impact", "foot", "robot", "pile"};
  static const char *const commands[] = {
      "%s new %s -o %s/%s.yaml 2>/dev/null", "! %s new %s -o %s/%s.yaml 2>/dev/null",
      "! %s check %.0s%s/%s.yaml | grep -q WARNING", "%s run %.0s%s/%s.yaml --quiet"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    for (size_t k = 0; k < sizeof commands / sizeof *commands; k++) {
      snprintf(command, sizeof command, commands[k], FF_PROGRAM, kinds[i], folder, kinds[i]);
      assert_int_equal(system(command), 0);
    }
  }
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(library_materials_are_sorted_and_physical),
      cmocka_unit_test(a_round_pair_of_materials_has_the_stiffness_of_hertz),
      cmocka_unit_test(a_flat_pair_of_materials_has_the_stiffness_of_a_punch),
      cmocka_unit_test(contacts_none_and_unknown_materials_have_no_contacts),
      cmocka_unit_test(materials_give_laws_under_every_stepper),
      cmocka_unit_test(a_stepper_is_chosen_that_fits_the_scene),
      cmocka_unit_test(stable_steps_count_the_fall_over_the_gap),
      cmocka_unit_test(stable_steps_of_overlaps_are_those_of_their_area),
      cmocka_unit_test(new_writes_scenes_that_run_good),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
