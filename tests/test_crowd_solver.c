/* Large islands under `symplectic-euler`: their order and their solver. */
#include "base/arena.h"
#include "footfall/footfall.h"
#include "scene_text.h"
#include "step/crowd_order.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- order ----------------------------------------------------------------------------------- */

static ff_crowd_order order_of(ff_arena *arena, int links, int movers) {
  ff_crowd_order order;
  assert_int_equal(ff_crowd_order_make(&order, arena, links, movers, FF_CROWD_LEAST), FF_OK);
  order.count = links;
  return order;
}

/* No two contacts of a colour share a mover, the last colour excepted; the starts end with the
 * count. */
static void expect_colours(const ff_crowd_order *order, const ff_crowd_island *island) {
  const int *start = order->colour_start + island->colours;
  assert_int_equal(start[0], 0);
  for (int c = 0; c < FF_CROWD_COLOURS - 1 && start[c] < island->count; c++) {
    assert_true(start[c + 1] > start[c] && start[c + 1] <= island->count);
    for (int i = start[c]; i < start[c + 1]; i++) {
      for (int k = start[c]; k < i; k++) {
        ff_crowd_link p = order->links[order->order[island->first + i]];
        ff_crowd_link q = order->links[order->order[island->first + k]];
        assert_true(p.a < 0 || (p.a != q.a && p.a != q.b));
        assert_true(p.b < 0 || (p.b != q.a && p.b != q.b));
      }
    }
  }
}

static void colours_share_no_body(void **state) {
  (void)state;
  enum { SIDE = 9 };
  ff_arena arena = {0};
  ff_crowd_order order = order_of(&arena, 2 * SIDE * (SIDE - 1) + SIDE, SIDE * SIDE);
  int k = 0;
  for (int i = 0; i < SIDE * SIDE; i++) { /* a grid on a floor */
    if (i < SIDE) {
      order.links[k++] = (ff_crowd_link){.a = i, .b = -1};
    }
    if (i % SIDE + 1 < SIDE) {
      order.links[k++] = (ff_crowd_link){.a = i, .b = i + 1};
    }
    if (i + SIDE < SIDE * SIDE) {
      order.links[k++] = (ff_crowd_link){.a = i, .b = i + SIDE};
    }
  }
  assert_int_equal(k, order.count);
  ff_crowd_sort(&order);
  assert_int_equal(order.island_count, 1);
  assert_int_equal(order.large_count, k);
  expect_colours(&order, &order.islands[0]);
  ff_arena_free(&arena);
}

/* More contacts of one body than there are colours: the last colour takes them. */
static void the_last_colour_takes_the_rest(void **state) {
  (void)state;
  enum { MANY = 200 };
  ff_arena arena = {0};
  ff_crowd_order order = order_of(&arena, MANY, MANY + 1);
  for (int i = 0; i < MANY; i++) {
    order.links[i] = (ff_crowd_link){.a = i, .b = MANY};
  }
  ff_crowd_sort(&order);
  const int *start = order.colour_start + order.islands[0].colours;
  assert_int_equal(start[FF_CROWD_COLOURS - 1], FF_CROWD_COLOURS - 1);
  assert_int_equal(start[FF_CROWD_COLOURS], MANY);
  expect_colours(&order, &order.islands[0]);
  ff_arena_free(&arena);
}

/* Small islands, and such with a contact apart, come after the large ones in the order of the list;
 * a body that does not move joins nothing. */
static void small_islands_keep_their_order(void **state) {
  (void)state;
  enum { LARGE = FF_CROWD_LEAST, ALL = 2 * FF_CROWD_LEAST + 3 };
  ff_arena arena = {0};
  ff_crowd_order order = order_of(&arena, ALL, 4 * FF_CROWD_LEAST);
  int k = 0;
  for (int i = 0; i < LARGE; i++) { /* a chain, and one like it with a contact apart */
    order.links[k++] = (ff_crowd_link){.a = i, .b = i + 1};
    order.links[k++] = (ff_crowd_link){.a = 100 + i, .b = 101 + i, .apart = i == 7};
  }
  for (; k < ALL; k++) {
    order.links[k] = (ff_crowd_link){.a = 200 + k - 2 * LARGE, .b = -1};
  }
  ff_crowd_sort(&order);
  assert_int_equal(order.large_count, LARGE);
  for (int i = 0; i < LARGE; i++) {
    assert_int_equal(order.order[i] % 2, 0);
  }
  for (int i = LARGE + 1; i < ALL; i++) {
    assert_true(order.order[i] > order.order[i - 1]);
  }
  ff_arena_free(&arena);
}

/* ---- piles ----------------------------------------------------------------------------------- */

enum { SIDE = 5, LAYERS = 4, BODIES = SIDE * SIDE * LAYERS };
#define MASS  0.1   /* kg */
#define APART 0.053 /* m */
#define WIDE  0.15  /* m, half the distance of the walls */

/* Spheres and boxes that fall onto a floor between walls. */
static ff_sim *make_pile(const char *laws, ff_model **model) {
  static char text[65536];
  int n = snprintf(text, sizeof text,
                   "footfall: 1\nduration: 1\nstepper: {kind: symplectic-euler, step: 1e-3}\n"
                   "contacts:\n  - {pair: ['*', '*'], %s}\n"
                   "bodies:\n  floor: {fixed: true, shape: {half-space: {}}}\n",
                   laws);
  for (int k = 0; k < 4; k++) { /* walls */
    double side = k % 2 ? 1 : -1, x = k < 2 ? side * WIDE : 0, y = k < 2 ? 0 : side * WIDE;
    n += snprintf(text + n, sizeof text - (size_t)n,
                  "  wall%d: {fixed: true, position: [%g, %g, 0], orientation: {axis: [%g, %g, 0], "
                  "angle: 1.5707963267948966}, shape: {half-space: {}}}\n",
                  k, x, y, k < 2 ? 0 : side, k < 2 ? -side : 0);
  }
  for (int i = 0; i < BODIES; i++) {
    int layer = i / SIDE / SIDE;
    double aside = (layer % 2 ? 0.25 : -0.25) * APART; /* layers fall into each other's gaps */
    double x = APART * (i % SIDE - 2) + aside, y = APART * (i / SIDE % SIDE - 2) + aside;
    double z = 0.027 + APART * layer;
    const char *shape = i % 3 ? "sphere: {radius: 0.025}" : "box: {size: [0.045, 0.045, 0.045]}";
    n += snprintf(text + n, sizeof text - (size_t)n,
                  "  b%d: {mass: %g, position: [%g, %g, %g], shape: {%s}}\n", i, MASS, x, y, z,
                  shape);
  }
  assert_true(n < (int)sizeof text);
  *model = model_of(text, NULL);
  ff_sim *sim;
  assert_int_equal(ff_sim_create(&sim, *model), FF_OK);
  return sim;
}

#define COULOMB                                                                                    \
  "normal: {law: hunt-crossley, k: 2e4, n: 1, alpha: 1}, "                                         \
  "friction: {law: coulomb, mu_static: 0.5, mu_kinetic: 0.4}"
#define BRISTLES                                                                                   \
  "normal: {law: azad-featherstone, K: 2e6, D: 1e4}, "                                             \
  "friction: {law: bristle-clutch, K: 2e6, D: 1e4, mu: 0.5}"

static void threads_change_no_bit(void **state) {
  (void)state;
  static const int threads[] = {1, 2, 3, 8};
  static ff_body_state first[BODIES];
  for (int k = 0; k < 4; k++) {
    ff_model *model;
    ff_sim *sim = make_pile(COULOMB, &model);
    assert_int_equal(ff_sim_set_threads(sim, threads[k]), FF_OK);
    for (int i = 0; i < 80; i++) {
      assert_int_equal(ff_sim_step(sim), FF_OK);
    }
    assert_true(ff_sim_solver(sim).problems > 0); /* there was a large island */
    for (int i = 0; i < BODIES; i++) {
      ff_body_state now = ff_sim_body(sim, (ff_body){.id = i + 6});
      if (k == 0) {
        first[i] = now;
      }
      assert_memory_equal(&now, &first[i], sizeof now);
    }
    ff_sim_destroy(&sim);
    ff_model_destroy(&model);
  }
}

/* Floor and walls bear the weight of a pile at rest, and neither energy nor momentum is lost to the
 * tolerance of the solver: the ledger books the forces that act. */
static void a_pile_comes_to_rest(void **state) {
  (void)state;
  static const char *const laws[] = {COULOMB, BRISTLES};
  for (int k = 0; k < 2; k++) {
    ff_model *model;
    ff_sim *sim = make_pile(laws[k], &model);
    double force = 0, fastest = 0;
    for (int i = 0; i < 700; i++) {
      assert_int_equal(ff_sim_step(sim), FF_OK);
      for (int c = 0; i >= 600 && c < ff_sim_contact_count(sim); c++) {
        ff_contact contact = ff_sim_contact(sim, c);
        int side = contact.b.id <= 5 ? 1 : contact.a.id <= 5 ? -1 : 0;
        force += side * contact.force.z / 100; /* on a */
      }
    }
    for (int i = 0; i < BODIES; i++) {
      ff_vec3 v = ff_sim_body(sim, (ff_body){.id = i + 6}).velocity;
      fastest = fmax(fastest, sqrt(v.x * v.x + v.y * v.y + v.z * v.z));
    }
    ff_audit audit = ff_sim_audit(sim);
    ff_solver_info solver = ff_sim_solver(sim);
    print_message("force %g of %g N, fastest %g m/s, energy %g, momentum %g N s, residual %g\n",
                  force, BODIES * MASS * 9.81, fastest, audit.energy_residual / audit.energy_scale,
                  audit.momentum_residual, solver.residual);
    assert_true(solver.problems > 0);
    assert_true(fabs(force / (BODIES * MASS * 9.81) - 1) < 0.02);
    assert_true(audit.energy_residual < 1e-3 * audit.energy_scale);
    assert_true(audit.momentum_residual < 1e-9);
    ff_sim_destroy(&sim);
    ff_model_destroy(&model);
  }
}

/* Two spheres a micrometre apart that fall side by side do not approach at all: their depths at
 * both ends of the step are the same, and so is the energy, which is no quotient to divide. */
static void what_does_not_approach_has_no_force(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim =
      sim_of(&model,
             "footfall: 1\nduration: 1\nstepper: {kind: symplectic-euler, step: 1e-3}\n"
             "contacts:\n  - {pair: ['*', '*'], " COULOMB "}\n"
             "bodies:\n"
             "  a: {mass: 1, position: [0, 0, 1], shape: {sphere: {radius: 0.1}}}\n"
             "  b: {mass: 1, position: [0.200001, 0, 1], shape: {sphere: {radius: 0.1}}}\n",
             NULL);
  for (int i = 0; i < 5; i++) {
    assert_int_equal(ff_sim_step(sim), FF_OK);
  }
  assert_true(ff_sim_body(sim, (ff_body){.id = 2}).velocity.x == 0);
  end(sim, model);
}

/* Bricks of a crowd that slide at (1, 0.6) m/s stop after v^2 / (2 mu g), in that direction. */
static void bricks_slide_straight_and_stop_where_friction_says(void **state) {
  (void)state;
  static const char text[] =
      "footfall: 1\nstepper: {kind: symplectic-euler, step: 1e-3}\nbodies:\n"
      "  floor: {fixed: true, shape: {half-space: {}}}\n"
      "  brick: {mass: 1, position: [0, 0, 0.01999], velocity: [1, 0.6, 0],\n"
      "          shape: {box: {size: [0.2, 0.2, 0.04]}},\n"
      "          grid: {count: [6, 6, 1], spacing: [0.5, 0.5, 0]}}\n"
      "contacts:\n"
      "  - pair: [brick, '*']\n"
      "    normal: {law: linear, k: 2.5e5, b: 500}\n"
      "    friction: {law: coulomb, mu_static: 0.4, mu_kinetic: 0.4}\n";
  const double way = (1 + 0.36) / (2 * 0.4 * 9.81), speed = sqrt(1.36);
  ff_model *model;
  ff_sim *sim = sim_of(&model, text, NULL);
  assert_int_equal(ff_sim_advance(sim, 0.5), FF_OK);
  for (int i = 0; i < 36; i++) {
    ff_vec3 at = ff_sim_body(sim, (ff_body){.id = 2 + i}).position;
    double x = at.x - 0.5 * (i % 6), y = at.y - 0.5 * (i / 6);
    double along = (x + 0.6 * y) / speed, aside = (y - 0.6 * x) / speed;
    assert_close(along, way, 0.01 * way);
    assert_close(aside, 0, 1e-6);
  }
  end(sim, model);
}

/* ---- mean force of a step -------------------------------------------------------------------- */

/* Velocity (m/s) after a step of a mass of 1 kg at this depth; depth: after it, too. */
static double step_of_impact(const ff_law *law, const ff_law_params *params, double h,
                             double *depth, double velocity) {
  double low = 0, high = 1e4, after = velocity; /* N */
  for (int i = 0; i < 100; i++) { /* the force that brings about the motion it is for */
    double force = 0.5 * (low + high);
    ff_patch patch = {.depth_rate = velocity - 0.5 * h * force};
    ff_normal out = {0};
    double end = *depth + h * patch.depth_rate;
    patch.depth = 0.5 * (*depth + end);
    law->gradient(params, &patch, *depth, end, &out);
    *(out.force > force ? &low : &high) = force;
    after = velocity - h * force;
  }
  *depth += 0.5 * h * (velocity + after);
  return after;
}

/* A damped impact that a step hardly resolves loses about what its law takes, whatever the phase
 * of the touch in the step; one that lasts a step at least a half of that. */
static void an_impact_within_a_step_is_damped(void **state) {
  (void)state;
  enum { PHASES = 40 };
  const ff_law *law = ff_law_find(FF_LAW_NORMAL, "hunt-crossley");
  const double h = 1e-3, speed = 0.5;
  const struct {
    double turn, damping, exact, off;
  } cases[] = {{1, 0.2, 0.833, 0.02}, {1, 0.5, 0.663, 0.03}, {1, 2, 0.307, 0.02},
               {3, 0.2, 0.833, 0.09}, {3, 0.5, 0.663, 0.17}, {3, 2, 0.307, 0.37}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double k = cases[i].turn / h * (cases[i].turn / h), least = 1, most = 0;
    ff_law_params params;
    ff_law_params_default(law, &params);
    ff_law_params_set(law, &params, "k", k, NULL);
    ff_law_params_set(law, &params, "n", 1, NULL);
    ff_law_params_set(law, &params, "alpha", cases[i].damping / speed, NULL);
    assert_int_equal(ff_law_params_resolve(law, &params, NULL, NULL), FF_OK);
    for (int phase = 0; phase < PHASES; phase++) {
      double depth = -(phase + 0.5) / PHASES * h * speed, v = speed;
      do {
        v = step_of_impact(law, &params, h, &depth, v);
      } while (depth > 0 || v > 0);
      least = fmin(least, -v / speed);
      most = fmax(most, -v / speed);
    }
    print_message("%g rad, alpha v %g: restitution %.3f to %.3f, law %.3f\n", cases[i].turn,
                  cases[i].damping, least, most, cases[i].exact);
    assert_true(least > cases[i].exact && most < cases[i].exact + cases[i].off);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_impact_within_a_step_is_damped),
      cmocka_unit_test(colours_share_no_body),
      cmocka_unit_test(the_last_colour_takes_the_rest),
      cmocka_unit_test(small_islands_keep_their_order),
      cmocka_unit_test(threads_change_no_bit),
      cmocka_unit_test(a_pile_comes_to_rest),
      cmocka_unit_test(what_does_not_approach_has_no_force),
      cmocka_unit_test(bricks_slide_straight_and_stop_where_friction_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
