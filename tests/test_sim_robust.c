/* Nothing allocated in a step; every allocation may fail; threads change no bit. */
#include "base/memory.h"
#include "worlds.h"

#include <pthread.h>

/* ---- no allocation in a step --------------------------------------------------------------- */

/* Every allocation of the process is counted, also those of libraries: these definitions
 * stand before the C library's. A sanitizer has its own; there, ours are left out. */
#if defined(__SANITIZE_ADDRESS__)
#define COUNTS_ALL 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define COUNTS_ALL 0
#endif
#endif
#ifndef COUNTS_ALL
#define COUNTS_ALL 1
#endif

static volatile long allocations;

#if COUNTS_ALL
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);

void *malloc(size_t size) {
  allocations++;
  return __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
  allocations++;
  return __libc_calloc(count, size);
}
void *realloc(void *block, size_t size) {
  allocations++;
  return __libc_realloc(block, size);
}
#endif

/* Balls that bounce on the floor and against each other, a box that tumbles, a belt, a drive:
 * something of everything. */
static ff_scene *busy_scene(const char *stepper, double step) {
  ff_scene *scene = scene_new(9.81, stepper, step);
  ff_run_def run = ff_run_def_default();
  run.stepper.kind = stepper;
  run.stepper.step = step;
  run.stepper.rtol = 1e-7;
  assert_int_equal(ff_scene_set_run(scene, &run), FF_OK);
  scene_floor(scene, "floor");
  static const char *const names[] = {"one", "two", "three"};
  for (int i = 0; i < 3; i++) {
    ff_body_def def = ff_body_def_default();
    def.name = names[i];
    def.mass = 1;
    def.position = (ff_vec3){0.17 * i, 0.02 * i, 0.15 + 0.05 * i};
    def.velocity = (ff_vec3){-0.5 * i, 0, 0};
    scene_solid(scene, &def, FF_SPHERE, (ff_vec3){0.1, 0, 0});
  }
  ff_body_def box = ff_body_def_default();
  box.name = "box";
  box.mass = 2;
  box.position = (ff_vec3){0, 1, 0.3};
  box.orientation = (ff_quat){0.9, 0.3, 0.2, 0.1};
  box.omega = (ff_vec3){1, 2, 3};
  scene_solid(scene, &box, FF_BOX, (ff_vec3){0.1, 0.15, 0.05});
  scene_hunt_crossley(scene, "*", "floor", 2e4, 1.5, 0.2, 0.3);
  for (int i = 0; i < 3; i++) {
    scene_hunt_crossley(scene, names[i], names[(i + 1) % 3], 2e4, 1.5, 0.2, 0.3);
  }
  return scene;
}

static const struct {
  const char *stepper;
  double step;
} kinds[] = {{"symplectic-euler", 1e-4}, {"rk4", 1e-4}, {"adaptive", NAN}};

static void a_step_allocates_nothing(void **state) {
  (void)state;
  if (!COUNTS_ALL) {
    skip(); /* under a sanitizer */
  }
  for (int i = 0; i < 3; i++) {
    world w = {.scene = busy_scene(kinds[i].stepper, kinds[i].step)};
    world_start(&w);
    assert_int_equal(world_advance(&w, 0.25), FF_OK); /* touch-downs lie within */
    assert_int_equal(ff_sim_reset(w.sim), FF_OK);
    long before = allocations; /* there is capacity for all contacts now */
    assert_int_equal(world_advance(&w, 0.25), FF_OK);
    assert_int_equal(allocations - before, 0);
    assert_true(ff_sim_contact_count(w.sim) > 0);
    world_end(&w);
  }
}

/* ---- allocation failure -----------------------------------------------------------------------
 */

static ff_status load_build_run(const char *path) {
  ff_scene *scene = NULL;
  ff_model *model = NULL;
  ff_sim *sim = NULL;
  ff_report report;
  ff_status status = ff_scene_load(&scene, path, NULL, 0, &report);
  if (status == FF_OK) {
    status = ff_model_build(&model, scene, &report);
  }
  if (status == FF_OK) {
    status = ff_sim_create(&sim, model);
  }
  if (status == FF_OK) {
    status = ff_sim_advance(sim, 1e-3);
  }
  ff_sim_destroy(&sim);
  ff_model_destroy(&model);
  ff_scene_destroy(&scene);
  return status;
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  /* Free and prescribed bodies, constraints, solved contacts, robots, micro-macro, a controller. */
  static const char *const scenes[] = {"bouncing-ball",
                                       "two-spheres",
                                       "walking-foot",
                                       "conveyor",
                                       "four-bar",
                                       "card-house",
                                       "planar-biped",
                                       "humanoid-on-membrane",
                                       "quadruped-quasi-rigid",
                                       "humanoid-squatting"};
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    char path[512];
    snprintf(path, sizeof path, "%s/scenes/%s.yaml", FF_SOURCE_DIR, scenes[i]);
    ff_status status = FF_ERROR_MEMORY;
    long n = 0;
    while (status == FF_ERROR_MEMORY) {
      ff_alloc_fail_at(++n);
      status = load_build_run(path);
      ff_alloc_fail_at(0);
      assert_true(n < 100000);
    }
    assert_int_equal(status, FF_OK); /* nothing but memory ever goes wrong */
    assert_true(n > 10);
  }
}

/* ---- threads
 * -------------------------------------------------------------------------------------- */

typedef struct job {
  const ff_model *model;
  double values[1024];
  int count;
} job;

static void *run_job(void *context) {
  job *j = context;
  ff_sim *sim;
  if (ff_sim_create(&sim, j->model) != FF_OK) {
    return NULL;
  }
  if (ff_sim_advance(sim, 0.3) == FF_OK) {
    int channels[1024];
    j->count = ff_model_channel_count(j->model);
    j->count = j->count > 1024 ? 1024 : j->count;
    for (int i = 0; i < j->count; i++) {
      channels[i] = i;
    }
    ff_sim_read(sim, channels, j->count, j->values);
  }
  ff_sim_destroy(&sim);
  return NULL;
}

static void threads_change_no_bit(void **state) {
  (void)state;
  for (int i = 0; i < 3; i++) {
    world w = {.scene = busy_scene(kinds[i].stepper, kinds[i].step)};
    assert_int_equal(ff_model_build(&w.model, w.scene, NULL), FF_OK);
    static job jobs[3];
    memset(jobs, 0, sizeof jobs);
    for (int k = 0; k < 3; k++) {
      jobs[k].model = w.model;
    }
    run_job(&jobs[0]);
    pthread_t threads[2];
    for (int k = 0; k < 2; k++) {
      assert_int_equal(pthread_create(&threads[k], NULL, run_job, &jobs[k + 1]), 0);
    }
    for (int k = 0; k < 2; k++) {
      pthread_join(threads[k], NULL);
    }
    assert_true(jobs[0].count > 50);
    assert_memory_equal(jobs[0].values, jobs[1].values, sizeof jobs[0].values);
    assert_memory_equal(jobs[0].values, jobs[2].values, sizeof jobs[0].values);
    world_end(&w);
  }
}

/* A sim that is reset repeats itself to the bit. */
static void a_reset_sim_repeats_itself(void **state) {
  (void)state;
  for (int i = 0; i < 3; i++) {
    world w = {.scene = busy_scene(kinds[i].stepper, kinds[i].step)};
    world_start(&w);
    ff_body_state first[5], second[5];
    assert_int_equal(world_advance(&w, 0.2), FF_OK);
    for (int b = 0; b < 5; b++) {
      first[b] = ff_sim_body(w.sim, (ff_body){.id = b + 1});
    }
    ff_sim_reset(w.sim);
    assert_int_equal(world_advance(&w, 0.2), FF_OK);
    for (int b = 0; b < 5; b++) {
      second[b] = ff_sim_body(w.sim, (ff_body){.id = b + 1});
    }
    assert_memory_equal(first, second, sizeof first);
    world_end(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_step_allocates_nothing),
      cmocka_unit_test(every_allocation_may_fail),
      cmocka_unit_test(threads_change_no_bit),
      cmocka_unit_test(a_reset_sim_repeats_itself),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
