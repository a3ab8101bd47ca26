/* The stepper `quasi-rigid` on shapes with edges: drops on a box and on each other, at 1 ms. */
#include "scene_text.h"

#define OCTAHEDRON                                                                                 \
  "polyhedron: {vertices: [[.05, 0, 0], [-.05, 0, 0], [0, .05, 0], [0, -.05, 0], [0, 0, .05], "    \
  "[0, 0, -.05]]}"
#define TETRAHEDRON                                                                                \
  "polyhedron: {vertices: [[.04, .04, .04], [.04, -.04, -.04], [-.04, .04, -.04], "                \
  "[-.04, -.04, .04]]}"
#define STONE                                                                                      \
  "polyhedron: {vertices: [[-.05, -.04, -.03], [.05, -.05, -.03], [.04, .05, -.03], "              \
  "[-.04, .05, -.03], [-.03, -.02, .04], [.03, -.03, .035], [0, .03, .045]]}"
#define DOME "intersection: {members: [{sphere: {radius: .04}}, {half-space: {normal: [0, 0, 1]}}]}"

/* A body that falls on another, which stands on the floor. */
typedef struct drop {
  const char *low, *high; /* shapes */
  double x, z;            /* m, where it starts */
  double axis[3], angle;
  double until; /* s */
} drop;

static ff_audit fall(const drop *d, double y) {
  char text[2000];
  snprintf(text, sizeof text,
           "footfall: 1\n"
           "stepper: {kind: quasi-rigid, step: 1e-3}\n"
           "materials: {wood: {density: 700}}\n"
           "bodies:\n"
           "  floor: {fixed: true, shape: {half-space: {}}}\n"
           "  low: {material: wood, position: [0, 0, 0.05], %s}\n"
           "  high: {material: wood, position: [%.9g, %.9g, %g], orientation: {axis: [%g, %g, %g], "
           "angle: %g}, %s}\n"
           "contacts:\n"
           "  - pair: ['*', '*']\n"
           "    normal: {law: quasi-rigid, k: 2e4, c: 20, max_deflection: 3e-4}\n"
           "    friction: {law: ellipsoidal, mu: 0.5}\n",
           d->low, d->x, y, d->z, d->axis[0], d->axis[1], d->axis[2], d->angle, d->high);
  ff_model *model;
  ff_sim *sim = sim_of(&model, text, NULL);
  ff_status status = ff_sim_advance(sim, d->until);
  ff_audit audit = ff_sim_audit(sim);
  if (status != FF_OK) {
    print_error("status %d at t = %g\n", (int)status, ff_sim_time(sim));
    audit.energy_residual = INFINITY;
  }
  end(sim, model);
  return audit;
}

/* y: m, where they start, too; NULL: 0.01. open: what the ledger may leave open, of what moved. */
static void check(const drop *drops, const double *y, size_t count, double open) {
  size_t failed = 0;
  for (size_t i = 0; i < count; i++) {
    ff_audit audit = fall(&drops[i], y ? y[i] : 0.01);
    bool made = audit.energy_gained > 0.05 * audit.energy_scale;
    if (audit.verdict > FF_VERDICT_ENERGY || made || /* the step may lose */
        !(audit.energy_residual < open * audit.energy_scale)) {
      print_error("drop %zu: verdict %d, energy off by %g, gained %g\n", i, (int)audit.verdict,
                  audit.energy_residual / audit.energy_scale,
                  audit.energy_gained / audit.energy_scale);
      failed++;
    }
  }
  assert_int_equal(failed, 0);
}

#define CAN       "shape: {cylinder: {radius: .05, height: .1}}"
#define BOX       "shape: {box: {size: [0.2, 0.2, 0.1]}}"
#define LENGTH(a) (sizeof(a) / sizeof(a)[0])

/* On corners, edges and faces, over the middle of the box and over its edge. The ledger follows
 * normals that turn within a step to second order. */
static void polyhedra_fall_on_a_box(void **state) {
  (void)state;
  static const drop drops[] = {
      {BOX, "shape: {" OCTAHEDRON "}", 0.01, 0.16, {1, 0.2, 0.3}, 0.3, 0.3},
      {BOX, "shape: {" OCTAHEDRON "}", 0.09, 0.18, {0.1, 1, 0.4}, 1.3, 0.3},
      {BOX, "shape: {" TETRAHEDRON "}", 0.01, 0.18, {0.5, 0.2, 1}, 0.6, 0.3},
      {BOX, "shape: {" TETRAHEDRON "}", 0.09, 0.19, {1, 0.5, 0.1}, 2.2, 0.3},
      {BOX, "shape: {" STONE "}", 0.08, 0.17, {1, 0, 0.2}, 0.9, 0.3},
  };
  check(drops, NULL, LENGTH(drops), 1e-3);
}

static void cylinders_fall_over_an_edge(void **state) {
  (void)state;
  static const drop drops[] = {
      {BOX, "shape: {cylinder: {radius: .04, height: .1}}", 0.1, 0.16, {1, 0, 0}, 0.01, 0.3},
      {BOX, "shape: {cylinder: {radius: .06, height: .02}}", 0.1, 0.145, {1, 0.3, 0}, 0.6, 0.25},
      {BOX, "shape: {cylinder: {radius: .04, height: .1}}", 0.1, 0.15, {1, 0, 0}, 1.5708, 0.3},
      {BOX, "shape: {capsule: {radius: .02, length: .1}}", 0.1, 0.14, {1, 0, 0}, 1.5708, 0.3},
      {BOX,
       "shape: {cylinder: {radius: .06, height: .02}}",
       0.1,
       0.25026,
       {0.982, 0.188, 0},
       1.599,
       0.2},
  };
  check(drops, NULL, LENGTH(drops), 2e-3);
}

/* Where rims meet rims and edges: cylinders that roll over a rim gave energy, and of octahedra and
 * stones that rock on one some steps did not end. */
static void rims_bear_what_falls_on_them(void **state) {
  (void)state;
#define ROLL "shape: {cylinder: {radius: .03, height: .05}}"
  static const drop drops[] = {
      {CAN, ROLL, -0.0391947, 0.18, {0.594453, 0.719389, -0.926737}, 2.8374, 0.3},
      {CAN, ROLL, 0.028911, 0.18, {-0.147161, -0.951184, 0.176899}, 1.52924, 0.3},
      {CAN,
       "shape: {" OCTAHEDRON "}",
       0.00156533,
       0.18,
       {0.910223, -0.826704, 0.404733},
       0.236434,
       0.3},
  };
  static const double y[] = {0.0248398, -0.0327011, 0.0123965};
  check(drops, y, LENGTH(drops), 0.02);
}

/* One of each kind on another. */
static void all_kinds_fall_on_others(void **state) {
  (void)state;
  static const drop drops[] = {
      {"shape: {" STONE "}", "shape: {" TETRAHEDRON "}", 0.01, 0.2, {0, 1, 1}, 1, 0.3},
      {CAN, "shape: {" OCTAHEDRON "}", 0.02, 0.19, {1, 0, 1}, 0.4, 0.3},
      {CAN, "shape: {" STONE "}", 0.02, 0.18, {1, 0, 1}, 0.4, 0.15},
      {"shape: {superellipsoid: {axes: [.04, .04, .05], exponents: [5, 5]}}",
       "shape: {cylinder: {radius: .03, height: .05}}",
       0.01,
       0.17,
       {1, 0, 0},
       0.3,
       0.3},
      {"shape: {" DOME "}", "shape: {sphere: {radius: .03}}", 0.01, 0.15, {1, 0, 0}, 0, 0.3},
      {BOX,
       "shapes: [{cylinder: {radius: .02, height: .02}}, {box: {size: [.05, .07, .03]}, "
       "position: [.04, -.01, .01]}]",
       0.01,
       0.16,
       {1, 2, 0},
       0.4,
       0.3},
  };
  check(drops, NULL, LENGTH(drops), 0.02);
}

/* Which of two shapes is asked where they touch depends on their kinds: bodies of several shapes
 * meet in both orders. A block of two boxes and a cylinder in it falls on a cylinder and a box. */
static void bodies_of_several_shapes_push_each_other_away(void **state) {
  (void)state;
  static const char text[] =
      "footfall: 1\n"
      "stepper: {kind: rk4, step: 1e-4}\n"
      "gravity: [0, 0, 0]\n"
      "materials: {wood: {density: 700}}\n"
      "bodies:\n"
      "  low: {fixed: true, shapes: [{box: {size: [.1, .1, .1]}, position: [.1, 0, 0]}, "
      "{cylinder: {radius: .05, height: .1}, position: [-.1, 0, 0]}]}\n"
      "  high: {material: wood, position: [0, 0, .1005], velocity: [0, 0, -.1], shapes: "
      "[{cylinder: "
      "{radius: .05, height: .1}, position: [.1, 0, 0]}, {box: {size: [.1, .1, .1]}, "
      "position: [-.1, 0, 0]}]}\n"
      "contacts: [{pair: ['*', '*'], normal: {law: hunt-crossley, k: 1e5, n: 1, alpha: 0}}]\n";
  ff_model *model;
  ff_sim *sim = sim_of(&model, text, NULL);
  assert_int_equal(ff_sim_advance(sim, 0.1), FF_OK);
  ff_body_state high = ff_sim_body(sim, ff_model_body_find(model, "high"));
  assert_true(high.velocity.z > 0.09);
  assert_true(high.position.z > 0.1);
  end(sim, model);
}

/* What is left of a push fades to next to nothing while its bodies part: that is no contact that
 * goes on, and where they meet again it is seen. */
static void a_push_that_fades_does_not_hide_the_next(void **state) {
  (void)state;
  static const char text[] =
      "footfall: 1\n"
      "stepper: {kind: quasi-rigid, step: 2e-3}\n"
      "materials: {wood: {density: 700}}\n"
      "bodies:\n"
      "  floor: {fixed: true, shape: {half-space: {}}}\n"
      "  low: {material: wood, position: [0, 0, .08], orientation: {axis: [-0.572364041, "
      "0.197134537, 0.795950613], angle: 0.927910671}, shape: {superellipsoid: {axes: [.0365, "
      ".0275, .027], exponents: [2.45, 5.49]}}}\n"
      "  high: {material: wood, position: [-.0105, .0022, .2453], orientation: {axis: "
      "[-0.415470964, 0.740185445, 0.52868647], angle: 2.01105619}, omega: [1.57, -1.69, -1.94], "
      "shapes: [{box: {size: [.0796, .0862, .0277]}}, {box: {size: [.0826, .028, .0194]}, "
      "position: [.029, -.006, .004]}]}\n"
      "contacts:\n"
      "  - pair: ['*', '*']\n"
      "    normal: {law: quasi-rigid, k: 2e4, c: 20, max_deflection: 3e-4}\n"
      "    friction: {law: ellipsoidal, mu: 0.2, e_r: 0}\n";
  ff_model *model;
  ff_sim *sim = sim_of(&model, text, NULL);
  assert_int_equal(ff_sim_advance(sim, 0.3), FF_OK);
  ff_audit audit = ff_sim_audit(sim);
  assert_true(audit.contact.complementarity < 1e-8 * audit.contact_force);
  end(sim, model);
}

/* J given or lost by the steps, over the energy exchanged. */
static double step_loss(const char *bodies, double until) {
  char text[2000];
  snprintf(text, sizeof text,
           "footfall: 1\n"
           "stepper: {kind: quasi-rigid, step: 1e-3}\n"
           "bodies:\n"
           "  floor: {fixed: true, material: concrete, shape: {half-space: {}}}\n%s",
           bodies);
  ff_model *model;
  ff_sim *sim = sim_of(&model, text, NULL);
  assert_int_equal(ff_sim_advance(sim, until), FF_OK);
  double loss = ff_sim_energy(sim).lost[FF_LOST_STEP] / ff_sim_audit(sim).energy_scale;
  end(sim, model);
  return loss;
}

/* Flat sides of round bodies rock on a half-space and on a box: the samples go over from one prism
 * to another. Were that within a few mrad, steps would give 0.51, 0.95 and 0.22 of the energy; 0.04
 * is what the audit allows. */
static void steps_give_rocking_discs_no_energy(void **state) {
  (void)state;
  static const struct {
    const char *bodies;
    double until;
  } runs[] = {
      {"  disc: {material: wood, shape: {cylinder: {radius: .05, height: .02}}, "
       "position: [0, 0, .111], orientation: {rpy: [.02, .014, 0]}}\n",
       0.4},
      {"  cone: {material: wood, shape: {cone: {radius: .04, height: .08}}, "
       "position: [0, 0, .121], orientation: {rpy: [.02, .014, 0]}}\n",
       0.4},
      {"  crate: {material: wood, shape: {box: {size: [.12, .1, .08]}}, position: [0, 0, .06]}\n"
       "  block: {material: wood, shape: {box: {size: [.08, .08, .08]}}, position: [.02, .01, "
       ".18]}\n"
       "  can: {material: aluminium, shape: {cylinder: {radius: .03, height: .09}}, "
       "position: [0, 0, .3]}\n",
       0.17},
  };
  for (size_t i = 0; i < LENGTH(runs); i++) {
    assert_close(step_loss(runs[i].bodies, runs[i].until), 0, 0.04);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(polyhedra_fall_on_a_box),
      cmocka_unit_test(cylinders_fall_over_an_edge),
      cmocka_unit_test(rims_bear_what_falls_on_them),
      cmocka_unit_test(all_kinds_fall_on_others),
      cmocka_unit_test(bodies_of_several_shapes_push_each_other_away),
      cmocka_unit_test(a_push_that_fades_does_not_hide_the_next),
      cmocka_unit_test(steps_give_rocking_discs_no_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
