/* Stepper `quasi-rigid`: what lies still lies still exactly, and then costs next to nothing. */
#include "findings.h"
#include "footfall/footfall.h"
#include "layers.h"

#include <string.h>

static const double step = 1e-3;

/* A floor that leans by this much. */
static void lean_floor(ff_scene *scene, double angle) {
  ff_body_def def = ff_body_def_default();
  def.name = "floor";
  def.kind = FF_BODY_FIXED;
  def.orientation = (ff_quat){cos(0.5 * angle), 0, sin(0.5 * angle), 0};
  scene_solid(scene, &def, FF_HALF_SPACE, (ff_vec3){0, 0, 0});
}

typedef struct thing {
  ff_shape_kind kind;
  ff_vec3 size;
  double lean;
  int count; /* on top of one another */
} thing;

/* A floor and what lies on it, from a little above. watched: a force that is zero acts all the
 * time, so that no step may be taken over from the one before. */
static world place(const thing *of, bool watched) {
  static const char *const names[] = {"first", "second", "third"};
  const layer_of layer = {2e4, 400, 2e-3, 0.5, 0.02};
  world w = {.scene = scene_new(9.81, "quasi-rigid", step)};
  lean_floor(w.scene, of->lean);
  double height = of->size.z > 0 ? of->size.z : of->size.x;
  for (int i = 0; i < of->count; i++) {
    ff_body_def def = ff_body_def_default();
    double up = (2 * i + 1) * height + 1e-4 * (i + 1);
    def.name = names[i];
    def.mass = 1 + i;
    def.position = (ff_vec3){up * sin(of->lean), 0, up * cos(of->lean)};
    def.orientation = (ff_quat){cos(0.5 * of->lean), 0, sin(0.5 * of->lean), 0};
    scene_solid(w.scene, &def, of->kind, of->size);
    scene_layer(w.scene, names[i], i > 0 ? names[i - 1] : "floor", layer);
  }
  const double none[4] = {0, 0, 0, 0};
  ff_force_def force = ff_force_def_default();
  force.body = "first";
  force.force = (ff_table){none, 1, 3};
  if (watched) {
    assert_int_equal(ff_scene_add_force(w.scene, &force), FF_OK);
  }
  world_start(&w);
  return w;
}

static const thing things[] = {
    {FF_SPHERE, {0.1, 0, 0}, 0, 1},         {FF_ELLIPSOID, {0.2, 0.05, 0.03}, 0, 1},
    {FF_BOX, {0.1, 0.08, 0.03}, 0, 1},      {FF_BOX, {0.1, 0.08, 0.03}, 0.0873, 1},
    {FF_CYLINDER, {0.05, 0.03, 0}, 0, 1},   {FF_BOX, {0.1, 0.08, 0.03}, 0, 3},
    {FF_BOX, {0.1, 0.08, 0.03}, 0.0873, 2},
};
enum { THINGS = sizeof things / sizeof *things };

static bool same_bits(world *a, world *b, int body) {
  ff_body_state x = ff_sim_body(a->sim, (ff_body){.id = body}),
                y = ff_sim_body(b->sim, (ff_body){.id = body});
  return memcmp(&x, &y, sizeof x) == 0;
}

static void what_lies_still_keeps_every_bit(void **state) {
  (void)state;
  for (int i = 0; i < THINGS; i++) {
    world w = place(&things[i], false);
    assert_int_equal(world_advance(&w, 2), FF_OK);
    long before = ff_sim_solver(w.sim).repeated;
    ff_body_state then = ff_sim_body(w.sim, (ff_body){.id = 2});
    for (int k = 0; k < 1000; k++) {
      assert_int_equal(ff_sim_step(w.sim), FF_OK);
      ff_body_state now = ff_sim_body(w.sim, (ff_body){.id = 2});
      assert_memory_equal(&now, &then, sizeof now);
    }
    assert_int_equal(ff_sim_solver(w.sim).repeated - before, 1000);
    world_end(&w);
  }
}

/* Half-spaces all around: a floor, and walls a way from the middle. */
static void add_pit(ff_scene *scene, double far) {
  const double h = sqrt(0.5);
  const ff_vec3 at[5] = {{0, 0, 0}, {-far, 0, 0}, {far, 0, 0}, {0, -far, 0}, {0, far, 0}};
  const ff_quat turn[5] = {{1, 0, 0, 0}, {h, 0, h, 0}, {h, 0, -h, 0}, {h, -h, 0, 0}, {h, h, 0, 0}};
  static const char *const names[5] = {"floor", "west", "east", "south", "north"};
  for (int i = 0; i < 5; i++) {
    ff_body_def def = ff_body_def_default();
    def.name = names[i];
    def.kind = FF_BODY_FIXED;
    def.position = at[i];
    def.orientation = turn[i];
    scene_solid(scene, &def, FF_HALF_SPACE, (ff_vec3){0, 0, 0});
  }
}

/* Round bodies lean on one another, and others that are near have touched before. Frames that were
 * turned back and forth in every step, and layers that never quite recover, kept them awake. */
static void a_heap_repeats_itself_in_the_end(void **state) {
  (void)state;
  enum { COUNT = 12 };
  world w = {.scene = scene_new(9.81, "quasi-rigid", 4e-3)};
  add_pit(w.scene, 0.28);
  for (int i = 0; i < COUNT; i++) {
    ff_vec3 at = {0.27 * (i % 2) - 0.135, 0.27 * (i / 2 % 2) - 0.13, 0.14 + 0.27 * (i / 4)};
    ff_quat turn = {cos(0.3 * i), 0.6 * sin(0.3 * i), 0, 0.8 * sin(0.3 * i)};
    scene_pebble(w.scene, i, at, turn);
  }
  scene_layer(w.scene, "*", "*", (layer_of){1e5, 300, 0.005, 0.5, 0.02});
  world_start(&w);
  assert_int_equal(world_advance(&w, 4), FF_OK);
  long before = ff_sim_solver(w.sim).repeated;
  assert_int_equal(world_advance(&w, 5), FF_OK);
  assert_int_equal(ff_sim_solver(w.sim).repeated - before, 250);
  assert_true(ff_sim_contact_count(w.sim) > COUNT);
  assert_good_but(w.sim, FF_FINDING_STEP_LOSS, "heap");
  world_end(&w);
}

/* A force of zero is there all the time, and every step is solved: nothing may differ. */
static void steps_taken_over_are_those_that_would_be_found(void **state) {
  (void)state;
  for (int i = 0; i < THINGS; i++) {
    world w = place(&things[i], false), found = place(&things[i], true);
    assert_int_equal(world_advance(&w, 2), FF_OK);
    assert_int_equal(world_advance(&found, 2), FF_OK);
    assert_true(ff_sim_solver(w.sim).repeated > 1000);
    assert_int_equal(ff_sim_solver(found.sim).repeated, 0);
    for (int body = 2; body < 2 + things[i].count; body++) {
      assert_true(same_bits(&w, &found, body));
    }
    ff_energy a = ff_sim_energy(w.sim), b = ff_sim_energy(found.sim);
    assert_memory_equal(&a, &b, sizeof a);
    ff_momentum p = ff_sim_momentum(w.sim), q = ff_sim_momentum(found.sim);
    assert_memory_equal(&p, &q, sizeof p);
    ff_contact_residual r = ff_sim_contact_residual(w.sim), s = ff_sim_contact_residual(found.sim);
    assert_memory_equal(&r, &s, sizeof r);
    assert_int_equal(ff_sim_solver(w.sim).problems, ff_sim_solver(found.sim).problems);
    world_end(&w);
    world_end(&found);
  }
}

static void a_push_wakes_what_lies_still(void **state) {
  (void)state;
  for (int i = 0; i < THINGS; i++) {
    world w = place(&things[i], false), found = place(&things[i], true);
    world *both[2] = {&w, &found};
    ff_body top = {.id = 1 + things[i].count};
    for (int k = 0; k < 2; k++) {
      assert_int_equal(world_advance(both[k], 1.5), FF_OK);
      ff_body_state pushed = ff_sim_body(both[k]->sim, top);
      pushed.velocity.y = 0.1;
      assert_int_equal(ff_sim_set_body(both[k]->sim, top, &pushed), FF_OK);
      long repeated = ff_sim_solver(both[k]->sim).repeated;
      assert_int_equal(ff_sim_step(both[k]->sim), FF_OK);
      assert_int_equal(ff_sim_solver(both[k]->sim).repeated, repeated);
      assert_int_equal(world_advance(both[k], 1.52), FF_OK);
      ff_body_state now = ff_sim_body(both[k]->sim, top);
      assert_true(now.position.y > 1e-4);
    }
    assert_true(same_bits(&w, &found, top.id));
    world_end(&w);
    world_end(&found);
  }
}

/* Nothing of the first run is left in the second. */
static void a_run_after_a_reset_is_the_same(void **state) {
  (void)state;
  for (int i = 0; i < THINGS; i++) {
    world w = place(&things[i], false), other = place(&things[i], false);
    assert_int_equal(world_advance(&w, 1), FF_OK);
    ff_sim_reset(w.sim);
    assert_int_equal(world_advance(&w, 0.2), FF_OK);
    assert_int_equal(world_advance(&other, 0.2), FF_OK);
    assert_true(same_bits(&w, &other, 2));
    world_end(&w);
    world_end(&other);
  }
}

/* A start from earlier steps and their factors serve the way to the solution, not the solution: a
 * sim that is told its own state after each step, and so forgets all of them, moves alike. */
static void what_is_kept_of_earlier_steps_changes_no_answer(void **state) {
  (void)state;
  const thing plate = {FF_ELLIPSOID, {0.2, 0.05, 0.03}, 0.02, 1};
  world w = place(&plate, false), forgets = place(&plate, false);
  world *both[2] = {&w, &forgets};
  for (int k = 0; k < 2; k++) {
    ff_body_state spun = ff_sim_body(both[k]->sim, (ff_body){.id = 2});
    spun.omega = (ff_vec3){1, 2, 5};
    spun.velocity.x = 0.3;
    assert_int_equal(ff_sim_set_body(both[k]->sim, (ff_body){.id = 2}, &spun), FF_OK);
  }
  for (int i = 0; i < 300; i++) {
    assert_int_equal(ff_sim_step(w.sim), FF_OK);
    assert_int_equal(ff_sim_step(forgets.sim), FF_OK);
    ff_body_state now = ff_sim_body(forgets.sim, (ff_body){.id = 2});
    assert_int_equal(ff_sim_set_body(forgets.sim, (ff_body){.id = 2}, &now), FF_OK);
  }
  ff_body_state a = ff_sim_body(w.sim, (ff_body){.id = 2}),
                b = ff_sim_body(forgets.sim, (ff_body){.id = 2});
  assert_close(a.position.x, b.position.x, 1e-9);
  assert_close(a.position.z, b.position.z, 1e-9);
  assert_close(a.omega.x, b.omega.x, 1e-7);
  assert_close(a.omega.z, b.omega.z, 1e-7);
  assert_true(ff_sim_solver(w.sim).iterations < ff_sim_solver(forgets.sim).iterations);
  world_end(&w);
  world_end(&forgets);
}

/* From 1 s on it grows, and moves the box at last. */
static void a_force_that_grows_is_not_overlooked(void **state) {
  (void)state;
  const double rows[] = {0, 0, 0, 0, 1, 0, 0, 0, 2, 20, 0, 0};
  world w = {.scene = scene_new(9.81, "quasi-rigid", step)};
  lean_floor(w.scene, 0);
  ff_body_def def = ff_body_def_default();
  def.name = "box";
  def.mass = 1;
  def.position = (ff_vec3){0, 0, 0.03};
  scene_solid(w.scene, &def, FF_BOX, (ff_vec3){0.1, 0.08, 0.03});
  scene_layer(w.scene, "box", "floor", (layer_of){2e4, 400, 2e-3, 0.5, 0.02});
  ff_force_def force = ff_force_def_default();
  force.body = "box";
  force.force = (ff_table){rows, 3, 3};
  assert_int_equal(ff_scene_add_force(w.scene, &force), FF_OK);
  world_start(&w);
  assert_int_equal(world_advance(&w, 1.2), FF_OK);
  /* 4 N: friction bears it, and gives a little while it grows */
  assert_close(ff_sim_body(w.sim, (ff_body){.id = 2}).velocity.x, 0, 1e-4);
  assert_int_equal(world_advance(&w, 2), FF_OK);
  assert_true(ff_sim_body(w.sim, (ff_body){.id = 2}).velocity.x > 1);
  world_end(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_lies_still_keeps_every_bit),
      cmocka_unit_test(a_heap_repeats_itself_in_the_end),
      cmocka_unit_test(steps_taken_over_are_those_that_would_be_found),
      cmocka_unit_test(a_push_wakes_what_lies_still),
      cmocka_unit_test(a_run_after_a_reset_is_the_same),
      cmocka_unit_test(what_is_kept_of_earlier_steps_changes_no_answer),
      cmocka_unit_test(a_force_that_grows_is_not_overlooked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
