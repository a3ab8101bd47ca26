/* Many bodies: capacity for contacts that grows, creation and broad phase. */
#include "base/memory.h"
#include "footfall/footfall.h"
#include "scene_text.h"
#include "sim/sim.h"

#undef ff_state /* here: the object of footfall/state.h */

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct text {
  char *at;
  size_t length, capacity;
} text;

__attribute__((format(printf, 2, 3))) static void add(text *to, const char *format, ...) {
  if (to->capacity - to->length < 512) {
    to->capacity = 2 * to->capacity + 4096;
    to->at = realloc(to->at, to->capacity);
    assert_non_null(to->at);
  }
  va_list args;
  va_start(args, format);
  to->length += (size_t)vsnprintf(to->at + to->length, to->capacity - to->length, format, args);
  va_end(args);
}

/* Contact laws that each stepper solves. */
static const struct {
  const char *stepper, *laws;
} kinds[] = {
    {"symplectic-euler, step: 1e-3",
     "normal: {law: hunt-crossley, k: 2e4, n: 1, alpha: 1}, friction: {law: coulomb, mu_static: "
     "0.5, mu_kinetic: 0.5}"},
    {"symplectic-euler, step: 1e-3",
     "normal: {law: azad-featherstone, K: 1e6, D: 1e3}, friction: {law: bristle-clutch, K: 1e6, D: "
     "1e3, mu: 0.5}"},
    {"rk4, step: 2e-4",
     "normal: {law: azad-featherstone, K: 1e6, D: 1e3}, friction: {law: bristle-clutch, K: 1e6, D: "
     "1e3, mu: 0.5}"},
    {"adaptive, rtol: 1e-5, atol: 1e-6",
     "normal: {law: azad-featherstone, K: 1e6, D: 1e3}, friction: {law: bristle-clutch, K: 1e6, D: "
     "1e3, mu: 0.5}"},
    {"quasi-rigid, step: 1e-3",
     "normal: {law: quasi-rigid, k: 1e5, c: 100, max_deflection: 2e-3}, friction: {law: "
     "ellipsoidal, mu: 0.5, e_r: 0.003}"},
    {"micro-macro, step: 1e-3",
     "normal: {law: elastic, k: 2e4, c: 50}, friction: {law: coulomb, mu_static: 0.5, mu_kinetic: "
     "0.5}"},
};
enum { KINDS = sizeof kinds / sizeof *kinds };
/* Columns of spheres for each kind; micro-macro once more, with as many as are a crowd. */
enum { RUNS = KINDS + 1, MICRO_CROWD = 17 };
static int kind_of_run(int run) {
  return run < KINDS ? run : KINDS - 1;
}

static void write_head(text *to, int kind) {
  to->length = 0;
  add(to, "footfall: 1\nduration: 1\nstepper: {kind: %s}\ncontacts:\n  - {pair: ['*', '*'], %s}\n",
      kinds[kind].stepper, kinds[kind].laws);
  add(to, "bodies:\n  floor: {fixed: true, shape: {half-space: {}}}\n");
}

/* Spheres above each other, in columns that are apart: every sphere that lands is a contact more.
 */
static void write_columns(text *to, int kind, int columns, int rows) {
  write_head(to, kind);
  for (int i = 0; i < columns * rows; i++) {
    add(to, "  s%d: {mass: 0.1, position: [%g, 0, %g], shape: {sphere: {radius: 0.05}}}\n", i,
        0.15 * (i % columns), 0.055 + 0.13 * (i / columns));
  }
}

/* Loops over bodies, pairs and points are cut into chunks: here into several of each. The ledger
 * and the energies are sums over chunks. */
static void threads_change_neither_motion_nor_ledger(void **state) {
  (void)state;
  enum { COLUMNS = 300, STEPS = 36, ALL = 2 * COLUMNS };
  static const int threads[] = {1, 2, 3, 8};
  static ff_body_state first[ALL];
  text scene = {0};
  ff_energy energy = {0};
  ff_momentum momentum = {0};
  write_columns(&scene, 0, COLUMNS, 2);
  for (int k = 0; k < 4; k++) {
    ff_model *model = model_of(scene.at, NULL);
    ff_sim *sim;
    assert_int_equal(ff_sim_create(&sim, model), FF_OK);
    assert_int_equal(ff_sim_set_threads(sim, threads[k]), FF_OK);
    for (int i = 0; i < STEPS; i++) {
      assert_int_equal(ff_sim_step(sim), FF_OK);
    }
    assert_true(ff_sim_contact_count(sim) >= COLUMNS);
    ff_energy e = ff_sim_energy(sim);
    ff_momentum m = ff_sim_momentum(sim);
    energy = k == 0 ? e : energy;
    momentum = k == 0 ? m : momentum;
    assert_memory_equal(&e, &energy, sizeof e);
    assert_memory_equal(&m, &momentum, sizeof m);
    for (int i = 0; i < ALL; i++) {
      ff_body_state now = ff_sim_body(sim, (ff_body){.id = i + 2});
      first[i] = k == 0 ? now : first[i];
      assert_memory_equal(&now, &first[i], sizeof now);
    }
    ff_sim_destroy(&sim);
    ff_model_destroy(&model);
  }
  free(scene.at);
}

/* A sim that has grown, one that has not, and a copy go on alike. */
static void capacity_grows_and_states_fit_any(void **state) {
  (void)state;
  text scene = {0};
  for (int run = 0; run < RUNS; run++) {
    ff_model *model;
    ff_state *early, *late, *again;
    ff_sim *clone;
    write_columns(&scene, kind_of_run(run), run < KINDS ? 4 : MICRO_CROWD, 3);
    ff_sim *sim = sim_of(&model, scene.at, NULL);
    assert_int_equal(ff_state_create(&early, sim), FF_OK);
    int before = sim->state.point_capacity;
    assert_int_equal(ff_sim_advance(sim, 0.3), FF_OK);
    assert_true(ff_sim_contact_count(sim) >= 10);
    assert_int_equal(ff_state_create(&late, sim), FF_OK);
    /* the same run in another sim, whose capacity starts anew */
    assert_int_equal(ff_sim_clone(&clone, sim), FF_OK);
    assert_int_equal(ff_sim_advance(sim, 0.31), FF_OK);
    assert_int_equal(ff_sim_advance(clone, 0.31), FF_OK);
    assert_int_equal(ff_state_create(&again, clone), FF_OK);
    ff_state *now;
    ff_report difference = {0};
    assert_int_equal(ff_state_create(&now, sim), FF_OK);
    assert_true(ff_state_equal(now, again, &difference));
    /* back to the start with the larger capacity */
    assert_int_equal(ff_state_restore(clone, early), FF_OK);
    assert_int_equal(ff_sim_advance(clone, 0.3), FF_OK);
    assert_int_equal(ff_state_save(clone, again), FF_OK);
    assert_true(ff_state_equal(late, again, &difference));
    assert_true(sim->state.point_capacity >= before);
    ff_state_destroy(&early);
    ff_state_destroy(&late);
    ff_state_destroy(&again);
    ff_state_destroy(&now);
    ff_sim_destroy(&clone);
    end(sim, model);
  }
  free(scene.at);
}

/* Boxes side by side are in the list of pairs, but only those that touch have contact points. */
static void pairs_that_touch_have_points(void **state) {
  (void)state;
  static const char scene[] =
      "footfall: 1\nduration: 1\nstepper: {kind: symplectic-euler, step: 0.001}\n"
      "contacts:\n  - pair: [\"*\", \"*\"]\n"
      "    normal: {law: hunt-crossley, k: 1e4, n: 1, alpha: 1}\n"
      "    friction: {law: coulomb, mu_static: 0.5, mu_kinetic: 0.5}\n"
      "bodies:\n  floor: {fixed: true, shape: {half-space: {}}}\n"
      "  a:\n    mass: 0.1\n    shape: {box: {size: [0.1, 0.1, 0.1]}}\n"
      "    position: [0, 0, 0.0505]\n    grid: {count: [4, 4, 1], spacing: [0.103, 0.103, 1]}\n";
  ff_model *model;
  ff_sim *sim = sim_of(&model, scene, NULL);
  assert_true(sim->state.near_count >= 40); /* 16 with the floor, 24 next to each other */
  assert_int_equal(sim->state.point_count, 0);
  assert_int_equal(ff_sim_advance(sim, 0.3), FF_OK);
  int touching = ff_sim_contact_count(sim);
  assert_in_range(touching, 16, 64);
  assert_in_range(sim->state.point_count, touching, 128); /* of the floor; none between boxes */
  end(sim, model);
}

/* Growth fails at any of its allocations: the step fails at its start, and goes on with memory. */
static void growth_may_fail(void **state) {
  (void)state;
  text scene = {0};
  for (int run = 0; run < RUNS; run++) {
    ff_model *model;
    ff_state *before, *after;
    write_columns(&scene, kind_of_run(run), run < KINDS ? 6 : MICRO_CROWD, 2);
    ff_sim *sim = sim_of(&model, scene.at, NULL);
    assert_int_equal(ff_state_create(&before, sim), FF_OK);
    assert_int_equal(ff_state_create(&after, sim), FF_OK);
    int failures = 0;
    while (ff_sim_time(sim) < 0.2) {
      assert_int_equal(ff_state_save(sim, before), FF_OK);
      ff_alloc_fail_at(1 + failures);
      ff_status status = ff_sim_step(sim);
      ff_alloc_fail_at(0);
      if (status == FF_OK) {
        failures = 0;
        continue;
      }
      assert_int_equal(status, FF_ERROR_MEMORY);
      failures++;
      assert_int_equal(ff_state_save(sim, after), FF_OK);
      assert_int_equal(ff_state_restore(sim, before), FF_OK);
      assert_true(ff_state_time(after) == ff_state_time(before));
    }
    ff_state_destroy(&before);
    ff_state_destroy(&after);
    end(sim, model);
  }
  free(scene.at);
}

/* Spheres that fall side by side, 50 mm apart, do not touch: no pair is listed, and no run ends for
 * lack of capacity. */
static void falling_side_by_side_is_no_contact(void **state) {
  (void)state;
  text scene = {0};
  write_head(&scene, 0);
  for (int i = 0; i < 49; i++) {
    add(&scene,
        "  s%d: {mass: 0.1, position: [%g, %g, 40], velocity: [0, 0, -12], shape: {sphere: "
        "{radius: 0.05}}}\n",
        i, 0.15 * (i % 7), 0.15 * (i / 7));
  }
  ff_model *model;
  ff_sim *sim = sim_of(&model, scene.at, NULL);
  assert_int_equal(ff_sim_advance(sim, 1), FF_OK);
  assert_int_equal(ff_sim_contact_count(sim), 0);
  assert_int_equal(sim->state.near_count, 0);
  end(sim, model);
  free(scene.at);
}

/* One fixed body of many boxes, and a ball that rolls over some of them. */
static void a_body_of_many_shapes_is_looked_at_shape_by_shape(void **state) {
  (void)state;
  text scene = {0};
  write_head(&scene, 0);
  add(&scene, "  steps:\n    fixed: true\n    shapes:\n");
  for (int i = 0; i < 76; i++) {
    add(&scene, "      - {box: {size: [0.1, 1, 0.1]}, position: [%g, 0, 0.05]}\n", 0.1 * i);
  }
  add(&scene, "  ball: {mass: 1, position: [3.7, 0, 0.149], velocity: [0.5, 0, 0], shape: {"
              "sphere: {radius: 0.05}}}\n");
  ff_model *model;
  ff_sim *sim = sim_of(&model, scene.at, NULL);
  assert_true(sim->state.near_count > 0 && sim->state.near_count < 8);
  assert_int_equal(ff_sim_advance(sim, 0.5), FF_OK);
  ff_body_state ball = ff_sim_body(sim, (ff_body){.id = 3});
  assert_true(ball.position.x > 3.8 && ball.position.z > 0.145);
  assert_true(sim->state.near_count < 8);
  end(sim, model);
  free(scene.at);
}

/* A bar that turns about its middle: its shapes go far although its centre does not move. */
static void a_body_that_turns_is_followed(void **state) {
  (void)state;
  text scene = {0};
  write_head(&scene, 0);
  add(&scene, "  bar:\n    mass: 1\n    position: [0, 0, 2]\n    omega: [0, 0, 20]\n"
              "    shapes:\n      - {sphere: {radius: 0.05}, position: [1, 0, 0]}\n"
              "      - {sphere: {radius: 0.05}, position: [-1, 0, 0]}\n");
  add(&scene, "  ball: {mass: 1, position: [0, 1, 2], shape: {sphere: {radius: 0.05}}}\n");
  ff_model *model;
  ff_sim *sim = sim_of(&model, scene.at, NULL);
  assert_int_equal(sim->state.near_count, 0);
  assert_int_equal(ff_sim_advance(sim, 0.2), FF_OK);
  assert_true(v3_norm(ff_sim_body(sim, (ff_body){.id = 3}).velocity) > 5); /* it was hit */
  end(sim, model);
  free(scene.at);
}

/* The limit that a scene sets ends a run, and the sim stays as it was. */
static void a_limit_is_kept(void **state) {
  (void)state;
  text scene = {0};
  write_columns(&scene, 0, 12, 1);
  ff_model *model = model_of(scene.at, "capacity.contacts=11");
  ff_sim *sim;
  assert_int_equal(ff_sim_create(&sim, model), FF_ERROR_CAPACITY);
  assert_null(sim);
  ff_model_destroy(&model);
  model = model_of(scene.at, "capacity.contacts=12");
  assert_int_equal(ff_sim_create(&sim, model), FF_OK);
  assert_int_equal(ff_sim_advance(sim, 0.1), FF_OK);
  end(sim, model);
  free(scene.at);
}

/* A grid is a body and its copies, row by row; the first has the name of the body, and rules that
 * name it are for all. */
static void a_grid_is_a_body_and_its_copies(void **state) {
  (void)state;
  text scene = {0};
  add(&scene, "footfall: 1\nduration: 1\nstepper: {kind: symplectic-euler, step: 1e-3}\ncontacts:\n"
              "  - {pair: [grain, floor], normal: {law: hunt-crossley, k: 2e4, n: 1, alpha: 1}}\n"
              "bodies:\n  floor: {fixed: true, shape: {half-space: {}}}\n"
              "  grain:\n    mass: 0.1\n    position: [1, 2, 0.049]\n"
              "    shape: {sphere: {radius: 0.05}}\n"
              "    grid: {count: [3, 2, 2], spacing: [0.2, 0.3, 0.01], stagger: [0.1, 0, 0]}\n");
  ff_model *model;
  ff_sim *sim = sim_of(&model, scene.at, NULL);
  assert_int_equal(ff_model_body_find(model, "grain").id, 2);
  assert_int_equal(ff_model_body_find(model, "grain-2").id, 3);
  ff_body last = ff_model_body_find(model, "grain-12");
  assert_int_equal(last.id, 13);
  assert_int_equal(ff_model_body_find(model, "grain-13").id, 0);
  ff_vec3 x = ff_sim_body(sim, last).position;
  assert_true(fabs(x.x - 1.5) < 1e-12 && fabs(x.y - 2.3) < 1e-12 && fabs(x.z - 0.059) < 1e-12);
  /* the lower layer stands in the floor, and not in the upper one that it overlaps */
  for (int i = 0; i < 12; i++) {
    double force = 0;
    for (int c = 0; c < ff_sim_contact_count(sim); c++) {
      ff_contact contact = ff_sim_contact(sim, c);
      bool own = contact.a.id == i + 2 || contact.b.id == i + 2;
      assert_true(contact.a.id == 1 || contact.b.id == 1);
      force += own ? fabs(contact.force.z) : 0;
    }
    assert_true(i < 6 ? force > 0 : force == 0);
  }
  end(sim, model);
  free(scene.at);
}

/* Random places and orientations depend on the seed alone. */
static void a_grid_is_drawn_by_its_seed(void **state) {
  (void)state;
  text scene = {0};
  write_head(&scene, 0);
  add(&scene, "  s: {mass: 1, position: [0, 0, 5], shape: {box: {size: [0.1, 0.1, 0.2]}}, grid: "
              "{count: [4, 4, 4], spacing: [1, 1, 1], aside: 0.1, turned: true}}\n");
  const char *const seeds[] = {NULL, "bodies.s.grid.seed=1", "bodies.s.grid.seed=2"};
  ff_body_state drawn[3][64];
  for (int k = 0; k < 3; k++) {
    ff_model *model;
    ff_sim *sim = sim_of(&model, scene.at, seeds[k]);
    for (int i = 0; i < 64; i++) {
      drawn[k][i] = ff_sim_body(sim, (ff_body){.id = i + 2});
      ff_vec3 x = drawn[k][i].position;
      assert_true(fabs(x.x - i % 4) <= 0.1 && fabs(x.y - i / 4 % 4) <= 0.1);
      assert_true(fabs(x.z - 5 - i / 16) <= 0.1);
    }
    end(sim, model);
  }
  assert_memory_equal(drawn[0], drawn[1], sizeof drawn[0]);
  assert_memory_not_equal(drawn[0], drawn[2], sizeof drawn[0]);
  free(scene.at);
}

/* The scenes of crowds, with fewer bodies, for a few steps. */
static void scenes_of_crowds_run(void **state) {
  (void)state;
  static const struct {
    const char *file, *setting;
  } scenes[] = {{"hopper", "bodies.grain.grid.count=[8, 8, 3]"},
                {"brick-wall", "bodies.brick.grid.count=[6, 1, 5]"},
                {"avalanche", "stepper.step=1e-3"}};
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    char path[512];
    ff_scene *scene;
    ff_model *model;
    ff_sim *sim;
    snprintf(path, sizeof path, "%s/scenes/crowds/%s.yaml", FF_SOURCE_DIR, scenes[i].file);
    assert_int_equal(ff_scene_load(&scene, path, &scenes[i].setting, 1, NULL), FF_OK);
    assert_int_equal(ff_model_build(&model, scene, NULL), FF_OK);
    ff_scene_destroy(&scene);
    assert_int_equal(ff_sim_create(&sim, model), FF_OK);
    for (int k = 0; k < 10; k++) {
      assert_int_equal(ff_sim_step(sim), FF_OK);
    }
    end(sim, model);
  }
}

/* 150 spheres that land one after another under `quasi-rigid`, whose contacts oscillate by 1 rad in
 * a step: every step is taken as a whole, since islands of many bodies press with their mean force
 * over it. The steps take 0.18 of the energy, where they meet and part within a step; with the
 * force of the end they took 0.67, more than the law. */
static void impacts_of_many_bodies_take_whole_steps_and_lose_by_the_law(void **state) {
  (void)state;
  enum { COLUMNS = 50, ROWS = 3 };
  text scene = {0};
  add(&scene,
      "footfall: 1\nduration: 1\nstepper: {kind: quasi-rigid, step: 1e-3}\ncontacts:\n"
      "  - pair: ['*', '*']\n    normal: {law: quasi-rigid, k: 5e4, c: 20, max_deflection: 0.01}\n"
      "    friction: {law: ellipsoidal, mu: 0.5, e_r: 0.003}\n"
      "bodies:\n  floor: {fixed: true, shape: {half-space: {}}}\n");
  for (int i = 0; i < COLUMNS * ROWS; i++) {
    add(&scene, "  s%d: {mass: 0.1, position: [%g, 0, %g], shape: {sphere: {radius: 0.05}}}\n", i,
        0.15 * (i % COLUMNS), 0.055 + 0.12 * (i / COLUMNS) + 1e-4 * i);
  }
  ff_model *model;
  ff_sim *sim = sim_of(&model, scene.at, NULL);
  assert_int_equal(ff_sim_advance(sim, 0.15), FF_OK);
  ff_audit audit = ff_sim_audit(sim);
  ff_energy energy = ff_sim_energy(sim);
  print_message("lost.step %g, lost.normal %g, residual %g of %g J\n", energy.lost[FF_LOST_STEP],
                energy.lost[FF_LOST_NORMAL], audit.energy_residual, audit.energy_scale);
  assert_int_equal(audit.steps, 150);
  assert_int_equal(ff_sim_solver(sim).impact_steps, 0);
  assert_true(fabs(energy.lost[FF_LOST_STEP]) < 0.25 * audit.energy_scale);
  assert_true(energy.lost[FF_LOST_NORMAL] > 0.5 * audit.energy_scale);
  assert_true(audit.energy_residual < 1e-3 * audit.energy_scale);
  end(sim, model);
  free(scene.at);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_change_neither_motion_nor_ledger),
      cmocka_unit_test(capacity_grows_and_states_fit_any),
      cmocka_unit_test(pairs_that_touch_have_points),
      cmocka_unit_test(growth_may_fail),
      cmocka_unit_test(falling_side_by_side_is_no_contact),
      cmocka_unit_test(a_body_of_many_shapes_is_looked_at_shape_by_shape),
      cmocka_unit_test(a_body_that_turns_is_followed),
      cmocka_unit_test(a_limit_is_kept),
      cmocka_unit_test(a_grid_is_a_body_and_its_copies),
      cmocka_unit_test(a_grid_is_drawn_by_its_seed),
      cmocka_unit_test(scenes_of_crowds_run),
      cmocka_unit_test(impacts_of_many_bodies_take_whole_steps_and_lose_by_the_law),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
