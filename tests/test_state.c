/* States as objects: a restored or cloned sim repeats what follows to the last bit. */
#include "footfall/footfall.h"

#include "testing.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Steps before the state is saved, and after it. */
enum { FIRST = 60, SECOND = 60 };

/* False: the scene does not fit the stepper. */
static bool world_open(const char *scene, const char *stepper, ff_model **model) {
  char path[512], kind[64];
  snprintf(path, sizeof path, "%s/scenes/%s", FF_SOURCE_DIR, scene);
  snprintf(kind, sizeof kind, "stepper.kind=%s", stepper);
  const char *overrides[] = {kind, "stepper.step=1e-4"};
  int count = !stepper ? 0 : ff_stepper_find(stepper)->fixed_step ? 2 : 1;
  ff_scene *loaded;
  ff_report report;
  *model = NULL;
  if (ff_scene_load(&loaded, path, overrides, count, &report) == FF_OK) {
    ff_model_build(model, loaded, &report);
    ff_scene_destroy(&loaded);
  }
  return *model != NULL;
}

/* Steps; returns how many were taken. */
static int take_steps(ff_sim *sim, int count) {
  for (int i = 0; i < count; i++) {
    if (ff_sim_step(sim) != FF_OK) {
      return i;
    }
  }
  return count;
}

static void assert_same_state(const ff_sim *a, const ff_sim *b, const char *where) {
  ff_state *of_a, *of_b;
  ff_report difference;
  assert_int_equal(ff_state_create(&of_a, a), FF_OK);
  assert_int_equal(ff_state_create(&of_b, b), FF_OK);
  if (!ff_state_equal(of_a, of_b, &difference)) {
    fail_msg("%s: %s: %s", where, difference.key, difference.what);
  }
  ff_state_destroy(&of_a);
  ff_state_destroy(&of_b);
}

/* A channel that reads past the state would show here. */
static void assert_same_channels(const ff_model *model, const ff_sim *a, const ff_sim *b,
                                 const char *where) {
  int count = ff_model_channel_count(model);
  int *channels = calloc((size_t)count, sizeof *channels);
  double *x = calloc((size_t)count, sizeof *x), *y = calloc((size_t)count, sizeof *y);
  for (int i = 0; i < count; i++) {
    channels[i] = i;
  }
  ff_sim_read(a, channels, count, x);
  ff_sim_read(b, channels, count, y);
  for (int i = 0; i < count; i++) {
    if (memcmp(&x[i], &y[i], sizeof *x) != 0) {
      fail_msg("%s: %s: %.17g and %.17g", where, ff_model_channel(model, i).name, x[i], y[i]);
    }
  }
  free(channels);
  free(x);
  free(y);
}

static ff_state *through_bytes(const ff_state *state) {
  ff_report report;
  ff_state *back;
  size_t size = ff_state_serialise(state, NULL, 0);
  unsigned char *bytes = malloc(size);
  assert_int_equal(ff_state_serialise(state, bytes, size), size);
  assert_int_equal(ff_state_deserialise(&back, bytes, size, &report), FF_OK);
  assert_true(ff_state_equal(state, back, &report));
  free(bytes);
  return back;
}

/* Four ways on from a moment in a run: uninterrupted, cloned, restored in a new sim from bytes, and
 * restored in the sim itself. */
static bool check_world(const char *scene, const char *stepper, int before, int after) {
  ff_model *model;
  ff_sim *sim, *clone, *fresh;
  ff_state *state;
  char where[256];
  snprintf(where, sizeof where, "%s under %s", scene, stepper ? stepper : "its stepper");
  if (!world_open(scene, stepper, &model)) {
    return false;
  }
  assert_int_equal(ff_sim_create(&sim, model), FF_OK);
  assert_int_equal(ff_sim_create(&fresh, model), FF_OK);
  take_steps(fresh, before / 3); /* so that its memory is not as new */
  take_steps(sim, before);
  assert_int_equal(ff_state_create(&state, sim), FF_OK);
  assert_int_equal(ff_sim_clone(&clone, sim), FF_OK);
  assert_same_channels(model, sim, clone, where);
  ff_state *read = through_bytes(state);
  assert_int_equal(ff_state_restore(fresh, read), FF_OK);
  assert_same_channels(model, sim, fresh, where);
  int taken = take_steps(sim, after);
  assert_int_equal(take_steps(clone, after), taken);
  assert_int_equal(take_steps(fresh, after), taken);
  assert_same_state(sim, clone, where);
  assert_same_state(sim, fresh, where);
  assert_same_channels(model, sim, fresh, where);
  assert_int_equal(ff_state_restore(clone, state), FF_OK);
  take_steps(clone, after);
  assert_same_state(sim, clone, where);
  ff_state_destroy(&state);
  ff_state_destroy(&read);
  ff_sim_destroy(&sim);
  ff_sim_destroy(&clone);
  ff_sim_destroy(&fresh);
  ff_model_destroy(&model);
  return true;
}

static void a_restored_sim_repeats_to_the_bit(void **unused) {
  (void)unused;
  static const char *const worlds[][2] = {
      {"bouncing-ball.yaml", "adaptive"},
      {"bouncing-ball.yaml", "rk4"},
      {"bouncing-ball.yaml", "heun"},
      {"bouncing-ball.yaml", "symplectic-euler"},
      {"mixed-pile.yaml", "symplectic-euler"},
      {"mixed-pile.yaml", "adaptive"},
      {"humanoid-standing.yaml", NULL},
      {"humanoid-walking.yaml", NULL},
      {"humanoid-quasi-rigid.yaml", NULL},
      {"newtons-cradle.yaml", NULL},
      {"card-house.yaml", NULL},
      {"rattleback.yaml", NULL},
      {"humanoid-on-membrane.yaml", NULL},
      {"humanoid-on-bristles.yaml", NULL},
      {"four-bar.yaml", NULL},
      {"spinning-plate.yaml", NULL},
      {"walking-foot.yaml", NULL},
      {"planar-biped.yaml", NULL},
  };
  for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++) {
    if (!check_world(worlds[i][0], worlds[i][1], FIRST, SECOND)) {
      fail_msg("%s cannot be built", worlds[i][0]);
    }
  }
}

/* All scenes under all steppers, if FF_ALL_SCENES is set: a minute. */
static void every_scene_repeats_under_every_stepper(void **unused) {
  (void)unused;
  if (!getenv("FF_ALL_SCENES")) {
    skip();
  }
  DIR *folder = opendir(FF_SOURCE_DIR "/scenes");
  int checked = 0;
  for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
    if (!strstr(entry->d_name, ".yaml")) {
      continue;
    }
    for (int k = -1; k < ff_stepper_count(); k++) {
      const char *stepper = k < 0 ? NULL : ff_stepper_at(k)->name;
      srand((unsigned)(checked + 1));
      checked += check_world(entry->d_name, stepper, 1 + rand() % 400, 100);
    }
  }
  closedir(folder);
  printf("%d runs\n", checked);
  assert_true(checked > 100);
}

static ff_sim *standing(ff_model **model) {
  ff_sim *sim;
  assert_true(world_open("humanoid-standing.yaml", NULL, model));
  assert_int_equal(ff_sim_create(&sim, *model), FF_OK);
  take_steps(sim, 30);
  return sim;
}

/* Orders that are given once hold until others are given: they are part of the state. */
static void orders_are_part_of_the_state(void **unused) {
  (void)unused;
  ff_model *model;
  ff_sim *sim, *clone, *fresh;
  ff_state *state;
  assert_true(world_open("double-pendulum.yaml", NULL, &model));
  assert_int_equal(ff_sim_create(&sim, model), FF_OK);
  assert_int_equal(ff_sim_create(&fresh, model), FF_OK);
  ff_joint_id joint = ff_model_joint_at(model, ff_model_robot_at(model, 1), 1);
  const ff_joint_order order = {.torque = 3};
  assert_int_equal(ff_sim_order(sim, joint, &order), FF_OK);
  take_steps(sim, 5);
  assert_int_equal(ff_state_create(&state, sim), FF_OK);
  ff_state *read = through_bytes(state);
  assert_int_equal(ff_sim_clone(&clone, sim), FF_OK);
  assert_int_equal(ff_state_restore(fresh, read), FF_OK);
  take_steps(sim, SECOND);
  take_steps(clone, SECOND);
  take_steps(fresh, SECOND);
  assert_same_state(sim, clone, "clone");
  assert_same_state(sim, fresh, "restored");
  assert_same_channels(model, sim, clone, "clone");
  assert_same_channels(model, sim, fresh, "restored");
  ff_state_destroy(&state);
  ff_state_destroy(&read);
  ff_sim_destroy(&sim);
  ff_sim_destroy(&clone);
  ff_sim_destroy(&fresh);
  ff_model_destroy(&model);
}

static void a_damaged_state_is_refused(void **unused) {
  (void)unused;
  ff_model *model;
  ff_sim *sim = standing(&model);
  ff_state *state, *back;
  ff_report report;
  assert_int_equal(ff_state_create(&state, sim), FF_OK);
  size_t size = ff_state_serialise(state, NULL, 0);
  unsigned char *bytes = malloc(size);
  ff_state_serialise(state, bytes, size);
  uint64_t seed = 12345;
  for (int i = 0; i < 1000; i++) {
    size_t at = (size_t)(ff_random(&seed) * (double)size);
    unsigned char bit = (unsigned char)(1u << (int)(ff_random(&seed) * 8));
    bytes[at] ^= bit;
    assert_int_equal(ff_state_deserialise(&back, bytes, size, &report), FF_ERROR_INPUT);
    assert_null(back);
    assert_true(report.what[0] != '\0');
    bytes[at] ^= bit;
  }
  for (size_t cut = 0; cut < size; cut += 1 + size / 50) {
    assert_int_equal(ff_state_deserialise(&back, bytes, cut, &report), FF_ERROR_INPUT);
  }
  assert_int_equal(ff_state_deserialise(&back, bytes, size, &report), FF_OK);
  ff_state_destroy(&back);
  free(bytes);
  ff_state_destroy(&state);
  ff_sim_destroy(&sim);
  ff_model_destroy(&model);
}

static void a_state_of_another_model_is_refused(void **unused) {
  (void)unused;
  ff_model *model, *other;
  ff_sim *sim = standing(&model), *ball;
  ff_state *state;
  assert_true(world_open("bouncing-ball.yaml", NULL, &other));
  assert_int_equal(ff_sim_create(&ball, other), FF_OK);
  assert_int_equal(ff_state_create(&state, ball), FF_OK);
  double t = ff_sim_time(sim);
  assert_int_equal(ff_state_restore(sim, state), FF_ERROR_INPUT);
  assert_true(ff_sim_time(sim) == t);
  ff_state_destroy(&state);
  ff_sim_destroy(&sim);
  ff_sim_destroy(&ball);
  ff_model_destroy(&model);
  ff_model_destroy(&other);
}

static void the_first_difference_is_named(void **unused) {
  (void)unused;
  ff_model *model;
  ff_sim *sim;
  ff_state *before, *after;
  ff_report report;
  assert_true(world_open("bouncing-ball.yaml", NULL, &model));
  assert_int_equal(ff_sim_create(&sim, model), FF_OK);
  assert_int_equal(ff_state_create(&before, sim), FF_OK);
  assert_int_equal(ff_state_create(&after, sim), FF_OK);
  assert_true(ff_state_equal(before, after, &report));
  ff_body ball = ff_model_body_find(model, "ball");
  ff_body_state moved = ff_sim_body(sim, ball);
  moved.velocity.y += 0.25;
  assert_int_equal(ff_sim_set_body(sim, ball, &moved), FF_OK);
  assert_int_equal(ff_state_save(sim, after), FF_OK);
  assert_false(ff_state_equal(before, after, &report));
  assert_string_equal(report.key, "free body 1: velocity.y");
  assert_int_equal(ff_state_copy(after, before), FF_OK);
  assert_true(ff_state_equal(before, after, &report));
  ff_state_destroy(&before);
  ff_state_destroy(&after);
  ff_sim_destroy(&sim);
  ff_model_destroy(&model);
}

/* A copy belongs to the sims of its original, whatever the target held. */
static void a_copy_replaces_a_state_of_another_model(void **unused) {
  (void)unused;
  ff_model *models[2];
  ff_sim *sims[2];
  ff_state *states[2];
  const char *const scenes[] = {"bouncing-ball.yaml", "rolling-cylinder.yaml"};
  for (int i = 0; i < 2; i++) {
    assert_true(world_open(scenes[i], NULL, &models[i]));
    assert_int_equal(ff_sim_create(&sims[i], models[i]), FF_OK);
    assert_int_equal(ff_sim_advance(sims[i], 0.01), FF_OK);
    assert_int_equal(ff_state_create(&states[i], sims[i]), FF_OK);
  }
  assert_int_equal(ff_state_restore(sims[0], states[1]), FF_ERROR_INPUT);
  assert_int_equal(ff_state_copy(states[1], states[0]), FF_OK);
  assert_true(ff_state_equal(states[0], states[1], NULL));
  assert_int_equal(ff_sim_advance(sims[0], 0.02), FF_OK);
  assert_int_equal(ff_state_restore(sims[0], states[1]), FF_OK);
  assert_true(ff_sim_time(sims[0]) == ff_state_time(states[0]));
  assert_int_equal(ff_state_restore(sims[1], states[1]), FF_ERROR_INPUT);
  for (int i = 0; i < 2; i++) {
    ff_state_destroy(&states[i]);
    ff_sim_destroy(&sims[i]);
    ff_model_destroy(&models[i]);
  }
}

static void misuse_of_states_gives_a_status(void **unused) {
  (void)unused;
  ff_state *none;
  assert_int_equal(ff_state_create(&none, NULL), FF_ERROR_INPUT);
  assert_int_equal(ff_state_create(NULL, NULL), FF_ERROR_INPUT);
  assert_int_equal(ff_state_save(NULL, NULL), FF_ERROR_INPUT);
  assert_int_equal(ff_state_restore(NULL, NULL), FF_ERROR_INPUT);
  assert_int_equal(ff_state_copy(NULL, NULL), FF_ERROR_INPUT);
  assert_int_equal(ff_state_deserialise(&none, NULL, 0, NULL), FF_ERROR_INPUT);
  assert_int_equal(ff_state_deserialise(NULL, "", 0, NULL), FF_ERROR_INPUT);
  assert_int_equal(ff_state_serialise(NULL, NULL, 0), 0);
  assert_int_equal(ff_state_size(NULL), 0);
  assert_true(isnan(ff_state_time(NULL)));
  assert_false(ff_state_equal(NULL, NULL, NULL));
  ff_sim *clone;
  assert_int_equal(ff_sim_clone(&clone, NULL), FF_ERROR_INPUT);
  assert_int_equal(ff_sim_clone(NULL, NULL), FF_ERROR_INPUT);
  ff_state_destroy(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_restored_sim_repeats_to_the_bit),
      cmocka_unit_test(orders_are_part_of_the_state),
      cmocka_unit_test(a_damaged_state_is_refused),
      cmocka_unit_test(a_state_of_another_model_is_refused),
      cmocka_unit_test(the_first_difference_is_named),
      cmocka_unit_test(a_copy_replaces_a_state_of_another_model),
      cmocka_unit_test(misuse_of_states_gives_a_status),
      cmocka_unit_test(every_scene_repeats_under_every_stepper),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
