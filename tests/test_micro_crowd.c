/* Large islands under `micro-macro`: coloured sweeps in place of the programme. */
#include "footfall/footfall.h"
#include "scene_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPHERES_MOST = 400, FIXED = 5 };
#define RADIUS 0.02 /* m */
#define MASS   0.1  /* kg */

#define DRY      "friction: {law: coulomb, mu_static: 0.5, mu_kinetic: 0.4}"
#define ELASTIC  "normal: {law: elastic, k: 2e4, c: 20}, " DRY
#define RIGID    "normal: {law: rigid}, " DRY
#define MEMBRANE "normal: {law: membrane, k: 2e4, c: 20, thickness: 0.0005, mu: 0.4}, " DRY

/* Spheres on a lattice between walls, `gap` of a radius apart; upper layers lie over the gaps of
 * the lower ones. */
static ff_sim *make_spheres(ff_model **model, const char *laws, const char *accuracy, int side,
                            int layers, double gap) {
  static char text[1 << 17];
  double apart = (2 + gap) * RADIUS, wide = 0.5 * (side + 0.5) * apart, up = 0.707 * apart;
  int n = snprintf(text, sizeof text,
                   "footfall: 1\nduration: 1\n"
                   "stepper: {kind: micro-macro, step: 1e-3, accuracy: %s}\n"
                   "contacts:\n  - {pair: ['*', '*'], %s}\n"
                   "bodies:\n  floor: {fixed: true, shape: {half-space: {}}}\n",
                   accuracy, laws);
  for (int k = 0; k < 4; k++) { /* walls */
    double way = k % 2 ? 1 : -1, x = k < 2 ? way * wide : 0, y = k < 2 ? 0 : way * wide;
    n += snprintf(text + n, sizeof text - (size_t)n,
                  "  wall%d: {fixed: true, position: [%g, %g, 0], orientation: {axis: [%g, %g, 0], "
                  "angle: 1.5707963267948966}, shape: {half-space: {}}}\n",
                  k, x, y, k < 2 ? 0 : way, k < 2 ? -way : 0);
  }
  for (int i = 0; i < side * side * layers; i++) {
    int layer = i / side / side;
    double aside = (layer % 2 ? 0.25 : -0.25) * apart;
    n +=
        snprintf(text + n, sizeof text - (size_t)n,
                 "  b%d: {mass: %g, position: [%.9g, %.9g, %.9g], shape: {sphere: {radius: %g}}}\n",
                 i, MASS, apart * (i % side - 0.5 * (side - 1)) + aside,
                 apart * (i / side % side - 0.5 * (side - 1)) + aside,
                 RADIUS * (1 + gap) + up * layer, RADIUS);
  }
  assert_true(n < (int)sizeof text);
  return sim_of(model, text, NULL);
}

static ff_body_state sphere(const ff_sim *sim, int i) {
  return ff_sim_body(sim, (ff_body){.id = i + FIXED + 1});
}

static void run_steps(ff_sim *sim, int count) {
  for (int i = 0; i < count; i++) {
    assert_int_equal(ff_sim_step(sim), FF_OK);
  }
}

static double distance(ff_vec3 a, ff_vec3 b) {
  return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

/* One island of 27 spheres, as crowd and by the programme, from the same state: velocities that
 * differ by the accuracy of the sweeps. */
static void crowds_agree_with_the_programme(void **state) {
  (void)state;
  enum { SIDE = 3, LAYERS = 3, COUNT = SIDE * SIDE * LAYERS };
  static const char *const accuracies[] = {"1e-2", "1e-4", "1e-6"};
  double worst[3];
  for (int k = 0; k < 3; k++) {
    ff_model *models[2];
    ff_sim *crowd = make_spheres(&models[0], ELASTIC, accuracies[k], SIDE, LAYERS, -0.01);
    ff_sim *small = make_spheres(&models[1], ELASTIC, "exact", SIDE, LAYERS, -0.01);
    worst[k] = 0;
    for (int i = 0; i < 5; i++) {
      run_steps(crowd, 1);
      run_steps(small, 1);
      for (int b = 0; b < COUNT; b++) {
        worst[k] = fmax(worst[k], distance(sphere(crowd, b).velocity, sphere(small, b).velocity));
      }
    }
    assert_true(ff_sim_solver(crowd).problems > 0);
    ff_audit ours = ff_sim_audit(crowd), theirs = ff_sim_audit(small);
    double apart = fabs(ours.energy_residual - theirs.energy_residual) / theirs.energy_scale;
    assert_true(apart < 1e-2 * atof(accuracies[k]) + 1e-7);
    end(crowd, models[0]);
    end(small, models[1]);
  }
  print_message("velocities differ by %g, %g, %g m/s\n", worst[0], worst[1], worst[2]);
  assert_true(worst[0] < 1e-3);
  assert_true(worst[1] < 1e-5);
  assert_true(worst[2] < 2e-6);
}

/* Upward force of floor and walls, mean over some steps. */
static double mean_support(ff_sim *sim, int steps) {
  double force = 0;
  for (int i = 0; i < steps; i++) {
    run_steps(sim, 1);
    for (int c = 0; c < ff_sim_contact_count(sim); c++) {
      ff_contact contact = ff_sim_contact(sim, c);
      int side = contact.b.id <= FIXED ? 1 : contact.a.id <= FIXED ? -1 : 0;
      force += side * contact.force.z / steps;
    }
  }
  return force;
}

/* Piles of 64 come to rest on all laws, borne by their weight; rigid ones are not entered. Forces
 * that act are booked, so momentum is kept, and energy but for depths that change not quite as the
 * bodies go straight. */
static void piles_come_to_rest(void **state) {
  (void)state;
  enum { SIDE = 4, LAYERS = 4, COUNT = SIDE * SIDE * LAYERS };
  static const char *const laws[] = {ELASTIC, RIGID, MEMBRANE};
  for (int k = 0; k < 3; k++) {
    ff_model *model;
    ff_sim *sim = make_spheres(&model, laws[k], "1e-3", SIDE, LAYERS, 0.02);
    double fastest = 0, depth = 0;
    run_steps(sim, 900);
    double force = mean_support(sim, 50);
    for (int i = 0; i < COUNT; i++) {
      fastest = fmax(fastest, distance(sphere(sim, i).velocity, (ff_vec3){0, 0, 0}));
    }
    for (int c = 0; c < ff_sim_contact_count(sim); c++) {
      depth = fmax(depth, ff_sim_contact(sim, c).patch.depth);
    }
    ff_audit audit = ff_sim_audit(sim);
    print_message("law %d: force %g of %g N, fastest %g m/s, depth %g m, energy %g, momentum %g N "
                  "s, solver %g\n",
                  k, force, COUNT * MASS * 9.81, fastest, depth,
                  audit.energy_residual / audit.energy_scale, audit.momentum_residual,
                  audit.contact.solver);
    assert_true(fabs(force / (COUNT * MASS * 9.81) - 1) < 0.01);
    assert_true(fastest < 5e-3);
    assert_true(depth < (k == 0 ? 1.5e-3 : k == 1 ? 1e-5 : 5.1e-4));
    assert_true(audit.momentum_residual < 1e-9);
    assert_true(audit.energy_residual < 2e-3 * audit.energy_scale);
    assert_true(audit.contact.solver > 0 && audit.contact.solver < 0.1);
    end(sim, model);
  }
}

/* Spheres that fall 0.1 m onto ground which they enter by h v, a quarter of their radius, in a
 * step: contacts act before they overlap, so no step is cut, and what impacts take is booked, of
 * spheres on a plane to rounding. Contacts found too late left 0.3 of the energy. */
static void impacts_of_crowds_are_whole_steps_whose_energy_is_booked(void **state) {
  (void)state;
  enum { SIDE = 4, LAYERS = 4, STEPS = 300 };
  ff_model *model;
  ff_sim *sim = make_spheres(&model,
                             "normal: {law: elastic, k: 3e5, c: 300}, "
                             "friction: {law: coulomb, mu_static: 0.5, mu_kinetic: 0.5}",
                             "1e-2", SIDE, LAYERS, 5);
  run_steps(sim, STEPS);
  ff_audit audit = ff_sim_audit(sim);
  ff_energy energy = ff_sim_energy(sim);
  print_message("steps %ld, energy residual %g of %g J, lost.step %g J\n", audit.steps,
                audit.energy_residual, audit.energy_scale, energy.lost[FF_LOST_STEP]);
  assert_int_equal(audit.steps, STEPS);
  assert_true(audit.energy_residual < 1e-9 * audit.energy_scale);
  assert_true(energy.lost[FF_LOST_STEP] > 0.3 * audit.energy_scale); /* and is found: */
  ff_finding findings[FF_FINDINGS_MOST];
  int count = ff_sim_findings(sim, findings, FF_FINDINGS_MOST), losses = 0;
  for (int i = 0; i < count; i++) {
    losses += findings[i].kind == FF_FINDING_STEP_LOSS;
  }
  assert_int_equal(losses, 1);
  end(sim, model);
}

static void threads_change_no_bit_of_a_crowd(void **state) {
  (void)state;
  enum { SIDE = 6, LAYERS = 4, COUNT = SIDE * SIDE * LAYERS };
  static const int threads[] = {1, 2, 3, 8};
  static ff_body_state first[COUNT];
  static const char *const laws[] = {ELASTIC, MEMBRANE};
  for (int k = 0; k < 8; k++) {
    ff_model *model;
    ff_sim *sim = make_spheres(&model, laws[k / 4], "1e-2", SIDE, LAYERS, 0.01);
    assert_int_equal(ff_sim_set_threads(sim, threads[k % 4]), FF_OK);
    run_steps(sim, 60);
    for (int i = 0; i < COUNT; i++) {
      ff_body_state now = sphere(sim, i);
      first[i] = k % 4 == 0 ? now : first[i];
      assert_memory_equal(&now, &first[i], sizeof now);
    }
    end(sim, model);
  }
}

/* 2,058 coordinates in one island; the programme ends at 600. */
static void a_thousand_coordinates_run(void **state) {
  (void)state;
  enum { SIDE = 7, LAYERS = 7 };
  static const char *const laws[] = {ELASTIC, RIGID, MEMBRANE};
  for (int k = 0; k < 3; k++) {
    ff_model *model;
    ff_sim *sim = make_spheres(&model, laws[k], "1e-2", SIDE, LAYERS, -0.001);
    run_steps(sim, 30);
    end(sim, model);
  }
  ff_model *model;
  ff_sim *sim = make_spheres(&model, ELASTIC, "exact", SIDE, LAYERS, -0.01);
  assert_int_equal(ff_sim_step(sim), FF_ERROR_CAPACITY);
  end(sim, model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(crowds_agree_with_the_programme),
      cmocka_unit_test(piles_come_to_rest),
      cmocka_unit_test(impacts_of_crowds_are_whole_steps_whose_energy_is_booked),
      cmocka_unit_test(threads_change_no_bit_of_a_crowd),
      cmocka_unit_test(a_thousand_coordinates_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
