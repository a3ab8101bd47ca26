/* Runs that would never end, and room that nobody needs. */
#include "footfall/footfall.h"
#include "scene_text.h"

#include "base/memory.h"

#include <sys/resource.h>

static const char ball[] =
    "footfall: 1\n"
    "stepper: {kind: rk4, step: 1e-3}\n"
    "bodies:\n"
    "  floor: {fixed: true, shape: {half-space: {}}}\n"
    "  ball: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 1]}\n"
    "contacts:\n"
    "  - pair: [ball, floor]\n"
    "    normal: {law: linear, k: 1e4, b: 3}\n";

static const char walker[] = "footfall: 1\n"
                             "stepper: {kind: rk4, step: 1e-3}\n"
                             "robots:\n"
                             "  r: {urdf: robots/humanoid.urdf, controller: {period: 1e-12}}\n";

/* Refused at this key, with the limit in the message. */
static void assert_refused(const char *text, const char *setting, const char *key,
                           const char *limit) {
  ff_scene *scene = NULL;
  ff_model *model = NULL;
  ff_report report = {0};
  ff_status status =
      ff_scene_parse(&scene, text, strlen(text), SCENES_BESIDE, &setting, setting ? 1 : 0, &report);
  status = status == FF_OK ? ff_model_build(&model, scene, &report) : status;
  assert_int_equal(status, FF_ERROR_INPUT);
  assert_string_equal(report.key, key);
  assert_true(report.file[0] != '\0');
  if (!strstr(report.what, limit)) {
    fail_msg("'%s' does not say '%s'", report.what, limit);
  }
  ff_scene_destroy(&scene);
}

static void runs_that_never_end_are_refused(void **state) {
  (void)state;
  assert_refused(ball, "record.every=1e-300", "record.every", "at most 1e+09");
  assert_refused(ball, "record.every=0.9e-9", "record.every", "at most 1e+09");
  assert_refused(ball, "stepper.step=1e-300", "stepper.step", "at most 1e+12");
  assert_refused(ball, "stepper={kind: adaptive, max-step: 1e-300}", "stepper.max-step",
                 "at most 1e+12");
  assert_refused(ball, "duration=1e300", "stepper.step", "at most 1e+12");
  assert_refused(walker, NULL, "robots.r.controller.period", "at most 1e+09");
  ff_model *model = model_of(ball, "record.every=1.1e-9");
  ff_model_destroy(&model);
}

static void nothing(void *context, ff_sim *sim) {
  (void)context;
  (void)sim;
}

static void time_that_does_not_advance_is_told(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = sim_of(&model, ball, NULL);
  assert_int_equal(ff_sim_on_control(sim, 1e-300, nothing, NULL), FF_ERROR_INPUT);
  assert_int_equal(ff_sim_advance(sim, 0.5), FF_OK);
  assert_int_equal(ff_sim_on_control(sim, 1e-18, nothing, NULL), FF_ERROR_INPUT);
  end(sim, model);
}

/* ---- room ------------------------------------------------------------------------------------ */

/* KiB, the most that this program had. */
static long most_memory(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

static void room_that_is_not_used_takes_no_memory(void **state) {
  (void)state;
  assert_refused(ball, "capacity.contacts=1e8", "capacity.contacts", "to 10000000");
#if !defined(__SANITIZE_ADDRESS__) /* which fills what it gives */
  ff_model *model;
  long before = most_memory();
  ff_sim *sim = sim_of(&model, ball, "capacity.contacts=1e6"); /* 2 GB if all of it were used */
  assert_int_equal(ff_sim_advance(sim, 0.5), FF_OK);
  assert_true(most_memory() - before < 100 << 10);
  end(sim, model);
#else
  (void)most_memory;
#endif
}

static void blocks_of_all_sizes_are_zero_and_aligned(void **state) {
  (void)state;
  for (size_t size = 1; size < (size_t)8 << 20; size = 3 * size + 1) {
    for (int again = 0; again < 3; again++) { /* the second time from what was freed */
      unsigned char *block = ff_alloc(size, 1);
      assert_non_null(block);
      assert_int_equal((uintptr_t)block % 64, 0);
      for (size_t i = 0; i < size; i++) {
        assert_int_equal(block[i], 0);
      }
      memset(block, 0xff, size);
      ff_free(block);
    }
  }
  ff_free(NULL);
  assert_null(ff_alloc(SIZE_MAX / 2, 3));
  assert_null(ff_alloc(SIZE_MAX - 100, 1));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(runs_that_never_end_are_refused),
      cmocka_unit_test(time_that_does_not_advance_is_told),
      cmocka_unit_test(room_that_is_not_used_takes_no_memory),
      cmocka_unit_test(blocks_of_all_sizes_are_zero_and_aligned),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
