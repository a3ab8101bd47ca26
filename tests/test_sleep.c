/* Sleeping islands: what rests is not stepped, and wakes in the step in which something acts. */
#include "footfall/footfall.h"
#include "scene_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE_MOST = 3, HIGH = 3, PILE_MOST = SIDE_MOST * SIDE_MOST * HIGH, FIXED = 1 };
static int side, pile; /* boxes along a stack, and in it */
#define RADIUS 0.02    /* m */
#define DRY    "friction: {law: coulomb, mu_static: 0.6, mu_kinetic: 0.5}"

typedef struct kind {
  const char *stepper, *laws;
  int side;
} kind;

static kind euler = {"symplectic-euler",
                     "normal: {law: hunt-crossley, k: 2e4, n: 1, alpha: 2}, " DRY, 3};
static kind macro = {"micro-macro", "normal: {law: elastic, k: 2e4, c: 30}, " DRY, 3};

static kind layers = {"quasi-rigid",
                      "normal: {law: quasi-rigid, k: 2e4, c: 30, max_deflection: 0.002}, "
                      "friction: {law: ellipsoidal, mu: 0.5, e_r: 0.003}",
                      1};

static int write_body(char *to, size_t room, const char *name, double x, double y, double z) {
  return snprintf(to, room,
                  "  %s: {mass: 0.1, position: [%.9g, %.9g, %.9g], shape: {box: {size: [0.04, "
                  "0.04, 0.04]}}}\n",
                  name, x, y, z);
}

/* Two stacks of boxes, 1 m apart, and what `more` adds. */
static ff_sim *make_stacks(void **state, ff_model **model, const char *sleep, const char *more) {
  const kind *of = *state;
  static char text[1 << 15];
  side = of->side;
  pile = side * side * HIGH;
  int n = snprintf(text, sizeof text,
                   "footfall: 1\nduration: 9\n"
                   "stepper: {kind: %s, step: 1e-3, sleep: %s}\n"
                   "contacts:\n  - {pair: ['*', '*'], %s}\n"
                   "bodies:\n  floor: {fixed: true, shape: {half-space: {}}}\n",
                   of->stepper, sleep, of->laws);
  for (int i = 0; i < 2 * pile; i++) {
    char name[16];
    int k = i % pile, layer = k / (side * side);
    snprintf(name, sizeof name, "b%d", i);
    n += write_body(text + n, sizeof text - (size_t)n, name,
                    i / pile + 0.0405 * (k % side) + 0.004 * layer,
                    0.0405 * (side > 1 ? k / side % side : 1) + 0.003 * layer, 0.02 + 0.04 * layer);
  }
  n += snprintf(text + n, sizeof text - (size_t)n, "%s", more);
  assert_true(n < (int)sizeof text);
  return sim_of(model, text, NULL);
}

static ff_body_state state_of(const ff_sim *sim, int i) {
  return ff_sim_body(sim, (ff_body){.id = FIXED + 1 + i});
}

static bool sleeps(const ff_sim *sim, int i) {
  return ff_sim_is_asleep(sim, (ff_body){.id = FIXED + 1 + i});
}

static void advance(ff_sim *sim, double t) {
  assert_int_equal(ff_sim_advance(sim, t), FF_OK);
}

static double largest_gap(const ff_sim *p, const ff_sim *q, int first, int count) {
  double most = 0;
  for (int i = first; i < first + count; i++) {
    ff_vec3 a = state_of(p, i).position, b = state_of(q, i).position;
    most = fmax(most, fmax(fabs(a.x - b.x), fmax(fabs(a.y - b.y), fabs(a.z - b.z))));
  }
  return most;
}

/* All that rests falls asleep, costs no solution, keeps its contacts, and loses what the ledger
 * says. */
static void stacks_fall_asleep(void **state) {
  ff_model *model;
  ff_sim *sim = make_stacks(state, &model, "0.2", "");
  assert_int_equal(ff_sim_asleep_count(sim), 0);
  advance(sim, 1);
  assert_int_equal(ff_sim_asleep_count(sim), 2 * pile);
  ff_body_state before[2 * PILE_MOST];
  for (int i = 0; i < 2 * pile; i++) {
    before[i] = state_of(sim, i);
  }
  long problems = ff_sim_solver(sim).problems;
  int contacts = ff_sim_contact_count(sim);
  advance(sim, 2);
  assert_int_equal(ff_sim_solver(sim).problems, problems);
  assert_int_equal(ff_sim_contact_count(sim), contacts);
  for (int i = 0; i < 2 * pile; i++) {
    ff_body_state now = state_of(sim, i);
    assert_memory_equal(&now, &before[i], sizeof now);
    assert_true(now.velocity.x == 0 && now.velocity.y == 0 && now.velocity.z == 0);
  }
  ff_audit audit = ff_sim_audit(sim);
  assert_true(audit.momentum_residual < 1e-9);
  print_message("energy residual %g of %g J, lost by steps %g J\n", audit.energy_residual,
                audit.energy_scale, ff_sim_energy(sim).lost[FF_LOST_STEP]);
  ff_model *other;
  ff_sim *awake = make_stacks(state, &other, "0", "");
  advance(awake, 2);
  ff_audit without = ff_sim_audit(awake);
  print_message("angular momentum %g, awake %g kg m^2/s\n", audit.angular_residual,
                without.angular_residual);
  assert_true(audit.energy_residual < 1.01 * without.energy_residual);
  /* quasi-rigid itself keeps it to second order in the step */
  assert_true(audit.angular_residual < 1e-9 || audit.angular_residual <= without.angular_residual);
  end(awake, other);
  assert_true(ff_sim_energy(sim).lost[FF_LOST_STEP] < 1e-3);
  end(sim, model);
}

#define A_BALL                                                                                     \
  "  ball: {mass: 0.2, position: [-1.5, 0.041, 0.08], velocity: [3, 0, 1.5], shape: {sphere: "     \
  "{radius: 0.02}}}\n"

/* A ball wakes the stack that it hits in the step in which it does, and not the other; what follows
 * is what follows without sleeping, to 0.1 mm (micro-macro: 0.3 mm) in 8 ms: stacks sway by 0.01 mm
 * when they are frozen.
 */
static void a_ball_wakes_what_it_hits(void **state) {
  ff_model *models[2];
  ff_sim *sleeping = make_stacks(state, &models[0], "0.2", A_BALL);
  ff_sim *awake = make_stacks(state, &models[1], "0", A_BALL);
  assert_int_equal(ff_sim_asleep_count(awake), 0);
  bool slept = false;
  double hit = 0;
  while (ff_sim_time(sleeping) < 2 && hit == 0) {
    assert_int_equal(ff_sim_step(sleeping), FF_OK);
    assert_int_equal(ff_sim_step(awake), FF_OK);
    assert_true(sleeps(sleeping, 0) == sleeps(sleeping, pile - 1));
    slept = slept || sleeps(sleeping, 0);
    hit = slept && !sleeps(sleeping, 0) ? ff_sim_time(sleeping) : 0;
  }
  assert_true(slept && hit > 0.3);
  double moved = fabs(state_of(sleeping, 2 * pile).velocity.x - 3);
  print_message("hit at %g s: ball slower by %g m/s, gap %g m\n", hit, moved,
                largest_gap(sleeping, awake, 0, pile));
  assert_true(moved > 1e-3); /* in this very step */
  assert_true(fabs(state_of(awake, 2 * pile).velocity.x - 3) > 1e-3);
  for (int i = 0; i < 8; i++) {
    assert_int_equal(ff_sim_step(sleeping), FF_OK);
    assert_int_equal(ff_sim_step(awake), FF_OK);
  }
  double gap = largest_gap(sleeping, awake, 0, pile);
  print_message("8 ms later: gap %g m\n", gap);
  assert_true(gap < (*state == &macro ? 3e-4 : 1e-4));
  for (int i = 0; i < pile; i++) {
    assert_true(!sleeps(sleeping, i) && sleeps(sleeping, pile + i));
  }
  assert_true(channel(sleeping, models[0], "solver.asleep") == pile);
  ff_audit audit = ff_sim_audit(sleeping);
  assert_true(audit.momentum_residual < 1e-9);
  ff_audit other = ff_sim_audit(awake);
  print_message("energy residual %g J, without sleeping %g J\n", audit.energy_residual,
                other.energy_residual);
  assert_true(fabs(audit.energy_residual - other.energy_residual) < 0.02 * audit.energy_scale);
  end(sleeping, models[0]);
  end(awake, models[1]);
}

/* An applied force wakes the stack of its body; a change of a body, of gravity or of a parameter
 * wakes all. */
static void changes_wake(void **state) {
  const ff_body first = {.id = FIXED + 1};
  const ff_vec3 none = {0, 0, 0};
  ff_model *model;
  ff_sim *sim = make_stacks(state, &model, "0.1", "");
  advance(sim, 1);
  assert_int_equal(ff_sim_asleep_count(sim), 2 * pile);
  assert_int_equal(ff_sim_apply(sim, first, none, (ff_vec3){1e-3, 0, 0}, none), FF_OK);
  assert_int_equal(ff_sim_step(sim), FF_OK);
  assert_true(!sleeps(sim, 0) && !sleeps(sim, pile - 1) && sleeps(sim, pile));
  assert_int_equal(ff_sim_apply(sim, first, none, none, none), FF_OK);
  advance(sim, 1.5);
  assert_int_equal(ff_sim_asleep_count(sim), 2 * pile);
  assert_int_equal(ff_sim_set_gravity(sim, (ff_vec3){0.1, 0, -9.81}), FF_OK);
  assert_int_equal(ff_sim_asleep_count(sim), 0);
  advance(sim, 2);
  assert_int_equal(ff_sim_asleep_count(sim), 2 * pile);
  ff_body_state moved = ff_sim_body(sim, first);
  moved.velocity.x = 0.1;
  assert_int_equal(ff_sim_set_body(sim, first, &moved), FF_OK);
  assert_int_equal(ff_sim_asleep_count(sim), 0);
  end(sim, model);
}

/* A prescribed pusher that stands still lets the stack at it sleep, and wakes it as it starts. */
static void motions_wake(void **state) {
  ff_model *model;
  ff_sim *sim = make_stacks(state, &model, "0.1",
                            "  pusher:\n    position: [-0.0401, 0.04, 0.05]\n    motion: "
                            "{velocity: {table: [[1, 0, 0, 0], "
                            "[1.05, 0.1, 0, 0]]}}\n    shape: {box: {size: [0.04, 0.2, 0.08]}}\n");
  advance(sim, 0.9);
  assert_int_equal(ff_sim_asleep_count(sim), 2 * pile);
  advance(sim, 1.1);
  assert_int_equal(ff_sim_asleep_count(sim), pile);
  assert_true(state_of(sim, 0).velocity.x > 0.05);
  end(sim, model);
}

/* Saved and restored, a run with sleeping bodies goes on to the same bits. */
static void states_keep_sleep(void **state) {
  ff_model *models[2];
  ff_sim *first = make_stacks(state, &models[0], "0.1", A_BALL);
  ff_sim *second = make_stacks(state, &models[1], "0.1", A_BALL);
  ff_state *kept;
  advance(first, 0.4);
  assert_int_equal(ff_sim_asleep_count(first), 2 * pile);
  assert_int_equal(ff_state_create(&kept, first), FF_OK);
  assert_int_equal(ff_state_restore(second, kept), FF_OK);
  assert_int_equal(ff_sim_asleep_count(second), 2 * pile);
  advance(first, 0.6);
  advance(second, 0.6);
  assert_true(ff_sim_asleep_count(first) < 2 * pile);
  for (int i = 0; i <= 2 * pile; i++) {
    ff_body_state a = state_of(first, i), b = state_of(second, i);
    assert_memory_equal(&a, &b, sizeof a);
    assert_int_equal(sleeps(first, i), sleeps(second, i));
  }
  ff_state_destroy(&kept);
  end(first, models[0]);
  end(second, models[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(stacks_fall_asleep, &euler),
      cmocka_unit_test_prestate(a_ball_wakes_what_it_hits, &euler),
      cmocka_unit_test_prestate(changes_wake, &euler),
      cmocka_unit_test_prestate(motions_wake, &euler),
      cmocka_unit_test_prestate(states_keep_sleep, &euler),
      cmocka_unit_test_prestate(stacks_fall_asleep, &macro),
      cmocka_unit_test_prestate(a_ball_wakes_what_it_hits, &macro),
      cmocka_unit_test_prestate(changes_wake, &macro),
      cmocka_unit_test_prestate(motions_wake, &macro),
      cmocka_unit_test_prestate(states_keep_sleep, &macro),
      cmocka_unit_test_prestate(stacks_fall_asleep, &layers),
      cmocka_unit_test_prestate(a_ball_wakes_what_it_hits, &layers),
      cmocka_unit_test_prestate(changes_wake, &layers),
      cmocka_unit_test_prestate(motions_wake, &layers),
      cmocka_unit_test_prestate(states_keep_sleep, &layers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
