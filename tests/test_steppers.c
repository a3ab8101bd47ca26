/* The table of steppers: rows are complete, scenes and documentation know them, and the energy
 * tolerances of explicit methods follow from their stability function. */
#include "footfall/footfall.h"
#include "model/model.h"
#include "page_table.h"
#include "scene_text.h"
#include "step/stepper.h"
#include "worlds.h"

enum { TEXT_MAX = 1 << 16 };
static const double pi = 3.14159265358979323846;

static char page[TEXT_MAX], table[TEXT_MAX];

static void read_page(const char *path) {
  char full[1024];
  snprintf(full, sizeof full, "%s/docs/%s", FF_SOURCE_DIR, path);
  FILE *in = fopen(full, "r");
  assert_non_null(in);
  size_t size = fread(page, 1, TEXT_MAX - 1, in);
  assert_true(size < TEXT_MAX - 1);
  page[size] = '\0';
  fclose(in);
}

static void rows_are_complete_and_names_are_unique(void **state) {
  (void)state;
  read_page("bibliography.md");
  for (int i = 0; i < ff_stepper_count(); i++) {
    const ff_stepper_info *row = ff_stepper_at(i);
    char key[64];
    assert_true(row->name[0] && row->summary[0] && row->keys[0]);
    assert_true(row->energy_tolerance > 0 && row->contact_tolerance > 0);
    assert_ptr_equal(ff_stepper_find(row->name), row); /* else an earlier row has its name */
    assert_int_equal(ff_stepper_index(row), i);
    assert_true(row->fixed_step == ff_stepper_takes(row, "step"));
    snprintf(key, sizeof key, "| `%s` |", row->citation);
    assert_non_null(strstr(page, key));
    ff_model model = {.stepper = row};
    assert_non_null(ff_stepper_of(&model)->step);
    assert_non_null(ff_stepper_of(&model)->refresh);
  }
  assert_null(ff_stepper_at(-1));
  assert_null(ff_stepper_at(ff_stepper_count()));
  assert_null(ff_stepper_find("euler"));
  assert_null(ff_stepper_find(NULL));
}

/* Every key of a row can be written in a scene of its stepper. */
static void scenes_know_the_keys_of_every_stepper(void **state) {
  (void)state;
  for (int i = 0; i < ff_stepper_count(); i++) {
    const ff_stepper_info *row = ff_stepper_at(i);
    for (const char *const *key = row->keys; *key; key++) {
      bool flag = strcmp(*key, "sticking") == 0 || strcmp(*key, "exclusive") == 0 ||
                  strcmp(*key, "corrections") == 0;
      const char *value = flag ? "true" : (strcmp(*key, "micro") == 0 ? "literal" : "1");
      char text[256], step[32] = "";
      if (row->fixed_step && strcmp(*key, "step") != 0) {
        snprintf(step, sizeof step, ", step: 1e-3");
      }
      snprintf(text, sizeof text,
               "footfall: 1\nstepper: {kind: %s, %s: %s%s}\nbodies: {floor: {fixed: true}}\n",
               row->name, *key, strcmp(*key, "rtol") == 0 ? "1e-6" : value, step);
      ff_model *model = model_of(text, NULL);
      assert_true(ff_model_run(model)->energy_tolerance == row->energy_tolerance);
      ff_model_destroy(model);
    }
  }
}

static void names_are_listed_by_capability(void **state) {
  (void)state;
  char text[128], small[8];
  assert_string_equal(ff_stepper_names(ff_stepper_resolves, text, sizeof text),
                      "rk4, heun or symplectic-euler");
  assert_string_equal(ff_stepper_names(ff_stepper_uses_layers, text, sizeof text), "quasi-rigid");
  ff_stepper_names(ff_stepper_resolves, small, sizeof small);
  assert_string_equal(small, "rk4, he");
}

static void the_page_has_the_table_of_the_program(void **state) {
  (void)state;
  assert_page_has_table("steppers.md", "steppers");
}

static void the_program_lists_all(void **state) {
  (void)state;
  for (int json = 0; json < 2; json++) {
    assert_int_equal(call("steppers", json ? "--json" : "", table, sizeof table), 0);
    for (int i = 0; i < ff_stepper_count(); i++) {
      assert_non_null(strstr(table, ff_stepper_at(i)->name));
      assert_non_null(strstr(table, ff_stepper_at(i)->summary));
    }
  }
  assert_int_equal(call("steppers", "rk4", table, sizeof table), 2);
}

/* ---- energy tolerances ----------------------------------------------------------------------- */

/* Share of its energy that a ball gains on an undamped linear floor in half a period at this step
 * times frequency (rad). */
static double gain_of_an_impact(const char *stepper, double resolution) {
  double k = 1e4, omega = sqrt(k), h = resolution / omega;
  world w = {.scene = scene_new(0, stepper, h)};
  scene_floor(w.scene, "floor");
  scene_ball(w.scene, -1e-12, -1); /* the first evaluation is that of the contact */
  const char *names[] = {"k", "b"};
  const double values[] = {k, 0};
  ff_contact_def def = ff_contact_def_default();
  def.a = "ball";
  def.b = "floor";
  def.normal = (ff_law_choice){"linear", names, values, 2};
  assert_int_equal(ff_scene_add_contact(w.scene, &def), FF_OK);
  world_start(&w);
  for (double t = h; t < pi / omega; t += h) {
    assert_int_equal(ff_sim_step(w.sim), FF_OK);
  }
  double gain = ff_sim_energy(w.sim).residual / 0.5; /* J, 1 kg at 1 m/s */
  world_end(&w);
  return gain;
}

/* |R(iz)|^2 is 1 + z^4/4 for Heun's method and 1 - z^6/72 for the classical one, to leading order:
 * within z^2 of it. */
static void energy_tolerances_follow_from_the_stability_function(void **state) {
  (void)state;
  static const struct {
    const char *name;
    double factor, power;
  } methods[] = {{"heun", 1.0 / 4, 4}, {"rk4", -1.0 / 72, 6}};
  double z = FF_FINE_STEP;
  for (int i = 0; i < 2; i++) {
    double predicted = floor(pi / z) * methods[i].factor * pow(z, methods[i].power);
    double gain = gain_of_an_impact(methods[i].name, z);
    assert_close(gain / predicted, 1, 2 * z * z);
    double allowed = ff_stepper_find(methods[i].name)->energy_tolerance;
    assert_true(fabs(gain) < allowed && fabs(gain) > allowed / 10);
    assert_true(fabs(gain_of_an_impact(methods[i].name, FF_COARSE_STEP)) > allowed);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_complete_and_names_are_unique),
      cmocka_unit_test(scenes_know_the_keys_of_every_stepper),
      cmocka_unit_test(names_are_listed_by_capability),
      cmocka_unit_test(the_page_has_the_table_of_the_program),
      cmocka_unit_test(the_program_lists_all),
      cmocka_unit_test(energy_tolerances_follow_from_the_stability_function),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
