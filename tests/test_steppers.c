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

/* A value that a key takes. */
static const char *value_of_key(const char *key) {
  static const char *const values[][2] = {{"sticking", "true"},     {"exclusive", "true"},
                                          {"corrections", "true"},  {"micro", "literal"},
                                          {"geometry", "explicit"}, {"accuracy", "exact"},
                                          {"rtol", "1e-6"}};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    if (strcmp(key, values[i][0]) == 0) {
      return values[i][1];
    }
  }
  return "1";
}

/* Every key of a row can be written in a scene of its stepper. */
static void scenes_know_the_keys_of_every_stepper(void **state) {
  (void)state;
  for (int i = 0; i < ff_stepper_count(); i++) {
    const ff_stepper_info *row = ff_stepper_at(i);
    for (const char *const *key = row->keys; *key; key++) {
      const char *value = value_of_key(*key);
      char text[256], step[32] = "";
      if (row->fixed_step && strcmp(*key, "step") != 0) {
        snprintf(step, sizeof step, ", step: 1e-3");
      }
      snprintf(text, sizeof text,
               "footfall: 1\nstepper: {kind: %s, %s: %s%s}\nbodies: {floor: {fixed: true}}\n",
               row->name, *key, value, step);
      ff_model *model = model_of(text, NULL);
      assert_true(ff_model_run(model)->energy_tolerance == row->energy_tolerance);
      ff_model_destroy(&model);
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

/* Largest residual, over the energy, of a ball that falls on an undamped linear floor and leaves
 * it, at this step times frequency (rad). It starts `height` steps above the floor; 0: in contact.
 */
static double residual_of_an_impact(const char *stepper, double resolution, double height) {
  double k = 1e4, omega = sqrt(k), h = resolution / omega, out = 0;
  world w = {.scene = scene_new(0, stepper, h)};
  scene_floor(w.scene, "floor");
  scene_ball(w.scene, height > 0 ? height * h : -1e-12, -1);
  const char *names[] = {"k", "b"};
  const double values[] = {k, 0};
  ff_contact_def def = ff_contact_def_default();
  def.a = "ball";
  def.b = "floor";
  def.normal = (ff_law_choice){"linear", names, values, 2};
  assert_int_equal(ff_scene_add_contact(w.scene, &def), FF_OK);
  world_start(&w);
  for (double t = h; t < pi / omega + (height > 0 ? 3 * h : 0); t += h) {
    assert_int_equal(ff_sim_step(w.sim), FF_OK);
    double residual = ff_sim_energy(w.sim).residual / 0.5; /* J, 1 kg at 1 m/s */
    out = height > 0 ? fmax(out, fabs(residual)) : residual;
  }
  world_end(&w);
  return out;
}

static double worst_residual(const char *stepper, double resolution) {
  double out = 0;
  for (int i = 0; i < 40; i++) {
    out = fmax(out, residual_of_an_impact(stepper, resolution, (i + 0.5) / 40));
  }
  return out;
}

/* In contact, |R(iz)|^2 is 1 + z^4/4 for Heun's method and 1 - z^6/72 for the classical one, to
 * leading order: within z^2 of it. A step in which contact begins or ends makes more: the tolerance
 * is the next of 1, 2, 5, 10 above the largest at FF_FINE_STEP. */
static void energy_tolerances_follow_from_an_impact(void **state) {
  (void)state;
  static const struct {
    const char *name;
    double factor, power;
  } methods[] = {{"heun", 1.0 / 4, 4}, {"rk4", -1.0 / 72, 6}};
  double z = FF_FINE_STEP;
  for (int i = 0; i < 2; i++) {
    double predicted = floor(pi / z) * methods[i].factor * pow(z, methods[i].power);
    double gain = residual_of_an_impact(methods[i].name, z, 0);
    assert_close(gain / predicted, 1, 2 * z * z);
    double allowed = ff_stepper_find(methods[i].name)->energy_tolerance;
    double worst = worst_residual(methods[i].name, z);
    assert_true(worst < allowed && worst > allowed / 2.5);
    assert_true(worst_residual(methods[i].name, FF_COARSE_STEP) > allowed);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_complete_and_names_are_unique),
      cmocka_unit_test(scenes_know_the_keys_of_every_stepper),
      cmocka_unit_test(names_are_listed_by_capability),
      cmocka_unit_test(the_page_has_the_table_of_the_program),
      cmocka_unit_test(the_program_lists_all),
      cmocka_unit_test(energy_tolerances_follow_from_an_impact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
