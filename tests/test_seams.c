/* Seams between flush boxes: bodies slide and roll over them as over one plate. */
#include "geom/seam.h"
#include "math/vec.h"
#include "model/model.h"
#include "scene_text.h"
#include "sim/sim.h"

typedef struct floor_kind {
  const char *name, *bodies;
} floor_kind;

static const floor_kind floors[] = {
    {"one plate",
     "  floor: {fixed: true, position: [0.8, 0, -0.05], shape: {box: {size: [2, 1, 0.1]}}}\n"},
    {"five boxes of one body", "  floor:\n    fixed: true\n    shapes:\n"
                               "      - {box: {size: [0.4, 1, 0.1]}, position: [0, 0, -0.05]}\n"
                               "      - {box: {size: [0.4, 1, 0.1]}, position: [0.4, 0, -0.05]}\n"
                               "      - {box: {size: [0.4, 1, 0.1]}, position: [0.8, 0, -0.05]}\n"
                               "      - {box: {size: [0.4, 1, 0.1]}, position: [1.2, 0, -0.05]}\n"
                               "      - {box: {size: [0.4, 1, 0.1]}, position: [1.6, 0, -0.05]}\n"},
    {"staggered tiles",
     "  t0: {fixed: true, position: [0, 0, -0.05], shape: {box: {size: [0.4, 1, 0.1]}}}\n"
     "  t1: {fixed: true, position: [0.4, -0.25, -0.05], shape: {box: {size: [0.4, 0.5, 0.1]}}}\n"
     "  t2: {fixed: true, position: [0.4, 0.25, -0.05], shape: {box: {size: [0.4, 0.5, 0.1]}}}\n"
     "  t3: {fixed: true, position: [0.8, 0, -0.05], shape: {box: {size: [0.4, 1, 0.1]}}}\n"
     "  t4: {fixed: true, position: [1.2, 0, -0.05], orientation: {rpy: [0, 0, 90 deg]},\n"
     "    shape: {box: {size: [1, 0.4, 0.1]}}}\n"
     "  t5: {fixed: true, position: [1.6, 0, -0.05], shape: {box: {size: [0.4, 1, 0.1]}}}\n"}};

#define FORCE                                                                                      \
  "normal: {law: hunt-crossley, k: 1e5, n: 1, alpha: 0.5}, "                                       \
  "friction: {law: coulomb, mu_static: 0.3, mu_kinetic: 0.3}"
#define LAYER                                                                                      \
  "normal: {law: quasi-rigid, k: 1e5, c: 200, max_deflection: 1e-3}, "                             \
  "friction: {law: ellipsoidal, mu: 0.3}"
#define GROUND                                                                                     \
  "normal: {law: elastic, k: 1e5, c: 200}, "                                                       \
  "friction: {law: coulomb, mu_static: 0.3, mu_kinetic: 0.3}"

static const struct {
  const char *stepper, *laws;
} steppers[] = {{"{kind: rk4, step: 2e-4}", FORCE},
                {"{kind: symplectic-euler, step: 5e-4}", FORCE},
                {"{kind: adaptive, rtol: 1e-6}", FORCE},
                {"{kind: quasi-rigid, step: 1e-3}", LAYER},
                {"{kind: micro-macro, step: 1e-3}", GROUND}};

/* The place along x that a body reaches in a time (s). */
static double reached(int stepper, int floor, const char *body, double time, ff_verdict *verdict) {
  char text[2048];
  snprintf(text, sizeof text,
           "footfall: 1\nduration: 1\nstepper: %s\nbodies:\n%s  slider: {mass: 1, %s}\n"
           "contacts: [{pair: [slider, \"*\"], %s}]\n",
           steppers[stepper].stepper, floors[floor].bodies, body, steppers[stepper].laws);
  ff_model *model;
  ff_sim *sim = sim_of(&model, text, NULL);
  assert_int_equal(ff_sim_advance(sim, time), FF_OK);
  double x = ff_sim_body(sim, ff_model_body_find(model, "slider")).position.x;
  *verdict = ff_sim_audit(sim).verdict;
  end(sim, model);
  return x;
}

static void assert_same_way(const char *body, double time, double least, double share, int step) {
  for (int stepper = 0; stepper < 5; stepper++) {
    double plate = 0;
    for (int floor = 0; floor < 3; floor += step) {
      ff_verdict verdict;
      double x = reached(stepper, floor, body, time, &verdict);
      plate = floor == 0 ? x : plate;
      assert_true(plate > least);
      if (!(fabs(x - plate) <= share * plate) || verdict != FF_VERDICT_GOOD) {
        fail_msg("%s, %s: %.9g m, %.9g m on a plate, verdict %d", steppers[stepper].stepper,
                 floors[floor].name, x, plate, (int)verdict);
      }
    }
  }
}

/* It starts at 2.9 m/s, stops before the second is over, and crosses four seams on its way. */
static void a_box_slides_as_on_one_plate(void **state) {
  (void)state;
  assert_same_way("shape: {box: {size: [0.2, 0.2, 0.1]}}, velocity: [2.9, 0, 0], "
                  "position: [0, 0.03, 0.05]",
                  1, 1.4, 5e-3, 1);
}

static void a_box_slides_askew(void **state) {
  (void)state;
  assert_same_way("shape: {box: {size: [0.2, 0.2, 0.1]}}, velocity: [2.9, 0, 0], "
                  "position: [0, 0.03, 0.05], orientation: {rpy: [0, 0, 30 deg]}",
                  0.6, 1.2, 5e-3, 2);
}

static void round_bodies_roll_as_on_one_plate(void **state) {
  (void)state;
  const char *const bodies[] = {"sphere: {radius: 0.05}}, orientation: {rpy: [0, 0, 0]}",
                                "cylinder: {radius: 0.05, height: 0.1}}, "
                                "orientation: {rpy: [90 deg, 0, 0]}",
                                "capsule: {radius: 0.05, length: 0.1}}, "
                                "orientation: {rpy: [90 deg, 0, 0]}"};
  for (int i = 0; i < 3; i++) {
    char body[256];
    snprintf(body, sizeof body,
             "shape: {%s, velocity: [3, 0, 0], omega: [0, 60, 0], position: [0, 0.03, 0.05]",
             bodies[i]);
    assert_same_way(body, 0.5, 1.4, 1e-3, 2);
  }
}

/* ---- which faces are at a seam --------------------------------------------------------- */

/* How many faces of all boxes are at seams. */
static int seams_of(const char *bodies) {
  char text[2048];
  snprintf(text, sizeof text,
           "footfall: 1\nduration: 1\nstepper: {kind: rk4, step: 1e-4}\nbodies:\n%s"
           "  slider: {mass: 1, position: [0, 0, 3], shape: {sphere: {radius: 0.1}}}\n"
           "contacts:\n  - {pair: [slider, \"*\"], normal: {law: linear, k: 1e4, b: 1}}\n"
           "  - {pair: [slider, soft], normal: {law: linear, k: 1e3, b: 1}}\n",
           bodies);
  ff_model *model;
  ff_sim *sim = sim_of(&model, text, NULL);
  int count = 0;
  for (int i = 0; i < model->shape_count; i++) {
    const ff_seam *seam = model->shapes[i].geom.seam;
    for (int k = 0; seam && k < 6; k++) {
      count += seam->inner[k / 2][k % 2];
    }
  }
  end(sim, model);
  return count;
}

static void only_covered_faces_of_like_boxes_are_at_seams(void **state) {
  (void)state;
#define BOX(name, x, y, size) "  " name ": {position: [" x ", " y ", 0], fixed: true, " size "}\n"
#define CUBE                  "shape: {box: {size: [1, 1, 1]}}"
#define SOFT                  BOX("soft", "9", "9", CUBE)
  assert_int_equal(seams_of(SOFT BOX("a", "0", "0", CUBE) BOX("b", "1", "0", CUBE)), 2);
  assert_int_equal(seams_of(SOFT BOX("a", "0", "0", CUBE) BOX("b", "1.001", "0", CUBE)), 0);
  assert_int_equal(seams_of(SOFT BOX("a", "0", "0", CUBE) BOX("b", "0.999", "0", CUBE)), 0);
  /* a larger face covers a smaller one, but not the other way round; two halves do */
  const char *half = "shape: {box: {size: [1, 0.5, 1]}}";
  char text[512];
  snprintf(text, sizeof text, "%s  b: {position: [1, -0.25, 0], fixed: true, %s}\n",
           SOFT BOX("a", "0", "0", CUBE), half);
  assert_int_equal(seams_of(text), 1);
  snprintf(text, sizeof text,
           "%s  b: {position: [1, -0.25, 0], fixed: true, %s}\n"
           "  c: {position: [1, 0.25, 0], fixed: true, %s}\n",
           SOFT BOX("a", "0", "0", CUBE), half, half);
  assert_int_equal(seams_of(text), 5);
  /* what moves on its own, or is softer, does not continue the ground */
  assert_int_equal(
      seams_of(SOFT BOX("a", "0", "0", CUBE) "  b: {position: [1, 0, 0], mass: 1, " CUBE "}\n"), 0);
  assert_int_equal(seams_of(BOX("soft", "1", "0", CUBE) BOX("a", "0", "0", CUBE)), 0);
}

/* A body that rests across seams, aligned with them to the last bit, stands on four samples. */
static void a_box_across_seams_has_four_law_units(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim =
      sim_of(&model,
             "footfall: 1\nduration: 1\nstepper: {kind: rk4, step: 1e-4}\nbodies:\n"
             "  a: {fixed: true, position: [-0.1, 0, 0], shape: {box: {size: [0.2, 1, 1]}}}\n"
             "  b: {fixed: true, position: [0.1, 0, 0], shape: {box: {size: [0.2, 1, 1]}}}\n"
             "  c: {fixed: true, position: [0.3, 0, 0], shape: {box: {size: [0.2, 1, 1]}}}\n"
             "  top: {mass: 1, position: [0, 0, 0.6], shape: {box: {size: [0.2, 0.2, 0.2]}}}\n"
             "contacts: [{pair: [top, \"*\"], normal: {law: linear, k: 1e4, b: 1}}]\n",
             NULL);
  const ff_model_shape *shapes = model->shapes;
  for (int i = 0; i <= 40; i++) {
    ff_pose at = {v3(0.01 * i, 0.003, 0.5999), q_identity()};
    double sum = 0;
    for (int s = 0; s < 3; s++) {
      ff_manifold found;
      ff_pose pose = model->bodies[shapes[s].body].start;
      ff_manifold_find(&shapes[3].geom, &at, &shapes[s].geom, &pose, 0, &found);
      for (int k = 0; k < found.count; k++) {
        sum += found.samples[k].depth > 0 ? found.samples[k].weight : 0;
        assert_close(found.samples[k].depth, 1e-4, 1e-12);
      }
    }
    bool within = i <= 30;
    if (within) {
      assert_close(sum, 4, 1e-9);
    }
  }
  end(sim, model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_box_slides_as_on_one_plate),
      cmocka_unit_test(a_box_slides_askew),
      cmocka_unit_test(round_bodies_roll_as_on_one_plate),
      cmocka_unit_test(only_covered_faces_of_like_boxes_are_at_seams),
      cmocka_unit_test(a_box_across_seams_has_four_law_units),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
