/* Rows of contact points: how pushes at them move bodies and robots, whether movers stand alone or
 * are tied together. */
#include "math/vec.h"
#include "scene_text.h"
#include "sim/sim.h"
#include "step/rows.h"

#define SCENE                                                                                      \
  "footfall: 1\n"                                                                                  \
  "stepper: {kind: symplectic-euler, step: 1e-3}\n"                                                \
  "robots:\n"                                                                                      \
  "  humanoid: {urdf: robots/humanoid.urdf, position: [0, 0, 1]}\n"                                \
  "bodies:\n"                                                                                      \
  "  floor: {fixed: true, shape: {half-space: {normal: [0, 0, 1]}}}\n"                             \
  "  brick: {mass: 2, shape: {box: {size: [0.4, 0.2, 0.1]}}, position: [1, 0, 3], orientation: "   \
  "[0.8, 0.2, 0.4, 0.4]}\n"                                                                        \
  "  ball: {mass: 0.5, shape: {sphere: {radius: 0.1}}, position: [1, 1, 3]}\n"                     \
  "contacts: []\n"

enum { N = 26, CONTACTS = 6, ROWS = 3 * CONTACTS, SIZE = N + 12 };

typedef struct touch {
  const char *a, *b;
  ff_vec3 point;
} touch;

static const touch touches[CONTACTS] = {
    {"brick", "floor", {1.1, 0.1, 3}},
    {"ball", "brick", {1, 0.9, 3.05}},
    {"humanoid-left_foot", "floor", {0, 0, .7}},
    {"brick", "humanoid-right_forearm", {.2, .1, 1}},
    {"humanoid-left_foot", "humanoid-right_foot", {0.01, 0.02, 0.8}},
    {"humanoid-trunk", "ball", {.5, .5, 2}}};

static int add(ff_rows *rows, const ff_sim *sim, const ff_model *model, const touch *at) {
  ff_vec3 normal = v3_unit(v3(1, 2, 3)), t1 = v3_unit(v3(3, 0, -1));
  ff_row_axes axes = {.point = at->point,
                      .axes = {normal, t1, v3_cross(normal, t1)},
                      .has_lever = (at - touches) % 2 == 1,
                      .lever = {.02, -.05, .03}};
  return ff_rows_add(rows, model, &sim->state, ff_model_body_find(model, at->a).id - 1,
                     ff_model_body_find(model, at->b).id - 1, &axes);
}

/* J H^-1 J^T of all contacts, after checking that a push and what it does say the same. */
static void find_eases(const ff_sim *sim, const ff_model *model, bool tied,
                       double eases[ROWS][ROWS]) {
  ff_rows rows;
  ff_arena arena = {0};
  ff_rows_limits limits = ff_rows_limits_of(model, &sim->state);
  limits.contacts = CONTACTS;
  limits.numbers = ROWS * SIZE;
  limits.matrices = SIZE * SIZE;
  limits.stiffens = tied;
  assert_int_equal(ff_rows_make(&rows, model, &arena, limits), FF_OK);
  const int movers[3] = {2, 0, 1};
  assert_true(ff_rows_begin(&rows, model, &sim->state, movers, tied ? 3 : 0, tied));
  for (int i = 0; i < CONTACTS; i++) {
    assert_int_equal(add(&rows, sim, model, &touches[i]), 3 * i);
  }
  assert_int_equal(rows.block_count, tied ? 1 : 3);
  ff_rows_soften(&rows);
  assert_true(ff_rows_factor(&rows));
  for (int i = 0; i < CONTACTS; i++) {
    for (int j = 0; j < CONTACTS; j++) {
      double ease[9], speed[3], reached[SIZE] = {0};
      const double impulse[3] = {1, -2, 3};
      ff_rows_delassus(&rows, 3 * i, 3 * j, ease);
      ff_rows_hit(&rows, 3 * j, impulse, reached);
      ff_rows_speed(&rows, 3 * i, reached, speed);
      for (int k = 0; k < 9; k++) {
        eases[3 * i + k / 3][3 * j + k % 3] = ease[k];
      }
      for (int k = 0; k < 3; k++) {
        double sum = ease[3 * k] - 2 * ease[3 * k + 1] + 3 * ease[3 * k + 2];
        assert_close(speed[k], sum, 1e-12 * 100); /* of the largest, 100 1/kg */
      }
    }
  }
  ff_arena_free(&arena);
}

/* Two links of a robot, two bodies, a body and a link: the same from a full matrix of all and from
 * blocks of each. */
static void tied_or_not_is_the_same(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = sim_of(&model, SCENE, NULL);
  static double tied[ROWS][ROWS], alone[ROWS][ROWS];
  find_eases(sim, model, true, tied);
  find_eases(sim, model, false, alone);
  for (int i = 0; i < ROWS; i++) {
    assert_true(alone[i][i] > 0);
    for (int j = 0; j < ROWS; j++) {
      assert_close(alone[i][j], tied[i][j], 1e-12 * 100);
      assert_close(alone[i][j], alone[j][i], 1e-14 * 100);
    }
  }
  end(sim, model);
}

/* A body by the formula: 1/m + (r x n) . I^-1 (r x n). */
static void a_body_moves_as_its_formula_says(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = sim_of(&model, SCENE, NULL);
  static double eases[ROWS][ROWS];
  find_eases(sim, model, false, eases);
  ff_body_state at = ff_sim_body(sim, ff_model_body_find(model, "brick"));
  ff_vec3 n = v3_unit(v3(1, 2, 3));
  ff_vec3 lever = q_unrotate(at.orientation, v3_cross(v3_sub(touches[0].point, at.position), n));
  ff_vec3 moments = v3_scale(2.0 / 12, v3(.04 + .01, .16 + .01, .16 + .04));
  double ease = 0.5 + lever.x * lever.x / moments.x + lever.y * lever.y / moments.y +
                lever.z * lever.z / moments.z;
  assert_near(eases[0][0], ease, 1e-12);
  end(sim, model);
}

/* H and J of the public tree. */
static void a_robot_moves_as_its_tree_says(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = sim_of(&model, SCENE, NULL);
  static double eases[ROWS][ROWS], inertia[N * N], jacobian[6 * N], j[N], x[N];
  find_eases(sim, model, false, eases);
  const ff_model_robot *robot = &model->robots[0];
  ff_tree_work *work = sim->state.robots[0].work;
  ff_tree_inertia(work, inertia);
  assert_true(ff_tree_factor(robot->tree, inertia));
  int link = model->bodies[ff_model_body_find(model, "humanoid-left_foot").id - 1].link;
  ff_tree_jacobian(work, link, touches[2].point, jacobian);
  ff_vec3 n = v3_unit(v3(1, 2, 3));
  double sum = 0;
  for (int i = 0; i < N; i++) {
    const double *v = jacobian + 3 * N + i;
    j[i] = x[i] = v3_dot(n, v3(v[0], v[N], v[2 * N]));
  }
  ff_tree_solve(robot->tree, inertia, x);
  for (int i = 0; i < N; i++) {
    sum += j[i] * x[i];
  }
  assert_near(eases[6][6], sum, 1e-12);
  end(sim, model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tied_or_not_is_the_same),
      cmocka_unit_test(a_body_moves_as_its_formula_says),
      cmocka_unit_test(a_robot_moves_as_its_tree_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
