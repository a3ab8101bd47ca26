/* Batches: the trajectories of separate sims, to the bit, on any number of threads. Samples that a
 * run keeps in memory. */
#include "footfall/footfall.h"

#include "ids.h"
#include "testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIMS = 3, STEPS = 10 };

static ff_model *model_of(const char *name, ff_scene **scene, const char *override) {
  char path[512];
  snprintf(path, sizeof path, "%s/scenes/%s.yaml", FF_SOURCE_DIR, name);
  ff_model *model;
  ff_report report;
  assert_int_equal(ff_scene_load(scene, path, &override, override ? 1 : 0, &report), FF_OK);
  assert_int_equal(ff_model_build(&model, *scene, &report), FF_OK);
  return model;
}

static ff_batch_def definition(const ff_model *const *model, int threads) {
  ff_batch_def def = ff_batch_def_default();
  def.models = model;
  def.model_count = 1;
  def.count = SIMS;
  def.threads = threads;
  return def;
}

static void test_rollout(void **state) {
  (void)state;
  ff_scene *scene;
  ff_model *model = model_of("humanoid-standing", &scene, NULL);
  int nx = ff_model_x_count(model), nu = ff_model_robot_info(model, ROBOT(1)).joint_count;
  ff_input *inputs = calloc((size_t)nu, sizeof *inputs);
  double *u = calloc((size_t)(SIMS * STEPS * nu), sizeof *u);
  double *x[2], *own = calloc((size_t)nx, sizeof *own);
  for (int i = 0; i < nu; i++) {
    inputs[i] = (ff_input){.kind = FF_INPUT_TORQUE, .joint = {.robot = 1, .id = i + 1}};
  }
  for (int i = 0; i < SIMS * STEPS * nu; i++) {
    u[i] = 0.1 * sin(i);
  }
  for (int threads = 1; threads <= 2; threads++) {
    const ff_model *given = model;
    ff_batch_def def = definition(&given, threads);
    def.inputs = inputs;
    def.input_count = nu;
    ff_batch *batch;
    assert_int_equal(ff_batch_create(&batch, &def, NULL), FF_OK);
    x[threads - 1] = calloc((size_t)(SIMS * STEPS * nx), sizeof **x);
    assert_int_equal(ff_batch_rollout(batch, u, STEPS, x[threads - 1], NULL), FF_OK);
    ff_batch_destroy(&batch);
  }
  assert_memory_equal(x[0], x[1], (size_t)(SIMS * STEPS * nx) * sizeof **x);
  for (int i = 0; i < SIMS; i++) {
    ff_sim *sim;
    assert_int_equal(ff_sim_create(&sim, model), FF_OK);
    for (int k = 0; k < STEPS; k++) {
      for (int j = 0; j < nu; j++) {
        ff_joint_order order = {.torque = u[(i * STEPS + k) * nu + j]};
        assert_int_equal(ff_sim_order(sim, JOINT(1, j + 1), &order), FF_OK);
      }
      assert_int_equal(ff_sim_step(sim), FF_OK);
      ff_sim_x(sim, own);
      assert_memory_equal(own, x[0] + (ptrdiff_t)(i * STEPS + k) * nx, (size_t)nx * sizeof *own);
    }
    assert_int_equal(ff_sim_set_x(sim, own), FF_OK);
    ff_sim_destroy(&sim);
  }
  free(inputs);
  free(u);
  free(own);
  free(x[0]);
  free(x[1]);
  ff_model_destroy(&model);
  ff_scene_destroy(&scene);
}

static void test_forces_and_reset(void **state) {
  (void)state;
  ff_scene *scene;
  ff_model *model = model_of("bouncing-ball", &scene, NULL);
  const ff_model *given = model;
  ff_batch_def def = definition(&given, 2);
  ff_body ball = ff_model_body_find(model, "ball");
  ff_input push = {.kind = FF_INPUT_FORCE, .body = ball, .axis = 0};
  def.inputs = &push;
  def.input_count = 1;
  ff_batch *batch;
  ff_report report;
  assert_int_equal(ff_batch_create(&batch, &def, &report), FF_ERROR_INPUT); /* adaptive: a period */
  def.period = 0.01;
  assert_int_equal(ff_batch_create(&batch, &def, &report), FF_OK);
  assert_int_equal(ff_batch_step(batch, (double[SIMS]){0, 0.1, 0.2}, NULL), FF_OK);
  for (int i = 0; i < SIMS; i++) {
    double speed = ff_sim_body(ff_batch_sim(batch, i), ball).velocity.x;
    assert_true(fabs(speed - i * 0.1 / 0.154 * 0.01) < 1e-9);
  }
  assert_int_equal(ff_batch_reset(batch, (bool[SIMS]){true, false, false}), FF_OK);
  assert_true(ff_sim_time(ff_batch_sim(batch, 0)) == 0);
  assert_true(ff_sim_time(ff_batch_sim(batch, 1)) > 0);
  ff_batch_stop(batch);
  assert_int_equal(ff_batch_step(batch, NULL, NULL), FF_CANCELLED);
  assert_int_equal(ff_batch_step(batch, NULL, NULL), FF_OK);
  ff_batch_destroy(&batch);
  ff_model_destroy(&model);
  ff_scene_destroy(&scene);
}

static void test_bad_definitions(void **state) {
  (void)state;
  ff_scene *scene, *other_scene;
  ff_model *model = model_of("sliding-block", &scene, NULL);
  ff_model *other = model_of("humanoid-standing", &other_scene, NULL);
  const ff_model *given[SIMS] = {model, model, other};
  ff_batch *batch;
  ff_report report;
  ff_batch_def def = definition(given, 0);
  def.period = 0.01;
  assert_int_equal(ff_batch_create(&batch, &def, &report), FF_ERROR_INPUT);
  def.threads = 1;
  def.count = 0;
  assert_int_equal(ff_batch_create(&batch, &def, &report), FF_ERROR_INPUT);
  def.count = SIMS;
  def.model_count = SIMS;
  assert_int_equal(ff_batch_create(&batch, &def, &report), FF_ERROR_INPUT);
  assert_non_null(strstr(report.what, "model 2"));
  def.model_count = 1;
  ff_input wrong[] = {{.kind = FF_INPUT_TORQUE, .joint = {.robot = 1, .id = 1}},
                      {.kind = FF_INPUT_FORCE, .body = {.id = 99}}};
  def.input_count = 1;
  for (int i = 0; i < 2; i++) {
    def.inputs = &wrong[i];
    assert_int_equal(ff_batch_create(&batch, &def, &report), FF_ERROR_INPUT);
  }
  assert_null(batch);
  ff_batch_destroy(NULL);
  ff_model_destroy(&model);
  ff_model_destroy(&other);
  ff_scene_destroy(&scene);
  ff_scene_destroy(&other_scene);
}

static const char *summarise(void *context, const ff_run *run) {
  (void)run;
  return context;
}

static void test_kept_samples(void **state) {
  (void)state;
  ff_scene *scene;
  ff_model *model = model_of("bouncing-ball", &scene, "record.every=1e-3");
  ff_run_options options = ff_run_options_default();
  options.keep = true;
  options.summarise = summarise;
  options.context = (char[]){"{}"};
  ff_run *run;
  assert_int_equal(ff_run_create(&run, scene, &options, NULL), FF_OK);
  assert_int_equal(ff_run_execute(run, NULL), FF_OK);
  const ff_recording *kept = ff_run_recording(run);
  assert_int_equal(ff_recording_rows(kept), 501);
  assert_int_equal(ff_run_count(run).samples, 501);
  assert_string_equal(ff_recording_about(kept)->summary, "{}");
  assert_string_equal(ff_recording_about(kept)->names[0], "time");
  assert_true(ff_recording_column(kept, 0)[500] == 0.5);
  ff_run_destroy(&run);
  assert_int_equal(ff_run_create(&run, scene, NULL, NULL), FF_OK);
  assert_null(ff_run_recording(run));
  ff_run_destroy(&run);
  ff_model_destroy(&model);
  ff_scene_destroy(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rollout),
      cmocka_unit_test(test_forces_and_reset),
      cmocka_unit_test(test_bad_definitions),
      cmocka_unit_test(test_kept_samples),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
