/* Bodies that start deeper in one another than any rest would press them. */
#include "layers.h"
#include "math/vec.h"

static const layer_of layer = {2e4, 20, 1e-3, 0.5, 0.01};

/* Balls of 1 kg and 0.1 m above one another, the first over a floor: each so deep in the one below.
 * k NAN: a layer with a core under `quasi-rigid`, else the stiffness of Hunt and Crossley's law. */
static int start(double gravity, double k, const double *depths, int count, ff_intrusion *out) {
  static const char *const names[] = {"low", "middle", "high"};
  world w = {.scene = scene_new(gravity, isnan(k) ? "quasi-rigid" : "rk4", 1e-4)};
  scene_floor(w.scene, "floor");
  double height = 0;
  for (int i = 0; i < count; i++) {
    ff_body_def def = ff_body_def_default();
    def.name = names[i];
    def.mass = 1;
    def.position.z = height + 0.1 - depths[i];
    height = def.position.z + 0.1;
    scene_solid(w.scene, &def, FF_SPHERE, v3(0.1, 0, 0));
  }
  if (isnan(k)) {
    scene_layer(w.scene, "*", "*", layer);
  } else {
    scene_hunt_crossley(w.scene, "*", "*", k, 1.5, 0.1, 0);
  }
  world_start(&w);
  int found = ff_sim_intrusions(w.sim, out, 4);
  assert_int_equal(ff_sim_intrusions(w.sim, NULL, 0), found);
  world_end(&w);
  return found;
}

static void cores_in_one_another_are_told(void **state) {
  (void)state;
  ff_intrusion found[4];
  assert_int_equal(start(9.81, NAN, (const double[]){3e-3, -1e-3, 1.5e-3}, 3, found), 2);
  assert_int_equal(found[0].a.id + found[0].b.id, 1 + 2); /* low and floor */
  assert_close(found[0].depth, 3e-3, 1e-15);
  assert_close(found[0].core, 2e-3, 1e-15);
  assert_int_equal(found[1].a.id + found[1].b.id, 3 + 4); /* high and middle */
  assert_close(found[1].core, 0.5e-3, 1e-15);
}

/* On the core itself, within the layer, just touching, apart. */
static void what_may_rest_there_is_not_told(void **state) {
  (void)state;
  ff_intrusion found[4];
  static const double depths[] = {1e-3, 0.4e-3, 0, -1e-3};
  for (int i = 0; i < 4; i++) {
    const double all[] = {depths[i], depths[(i + 1) % 4], depths[(i + 2) % 4]};
    assert_int_equal(start(9.81, NAN, all, 3, found), 0);
  }
}

/* Without cores it is a question of energy: 3 cm of a stiff contact throw a ball by metres, what
 * bears the balls above does not. */
static void springs_that_store_more_than_weight_could_press_are_told(void **state) {
  (void)state;
  ff_intrusion found[4];
  double k = 1e6, rest[3];
  for (int i = 0; i < 3; i++) { /* k depth^1.5 bears all above */
    rest[i] = pow((3 - i) * 9.81 / k, 1 / 1.5);
  }
  assert_int_equal(start(9.81, k, rest, 3, found), 0);
  for (int i = 0; i < 3; i++) {
    rest[i] *= 3; /* a drop that has just landed */
  }
  assert_int_equal(start(9.81, k, rest, 3, found), 0);
  rest[1] = 0.03;
  assert_int_equal(start(9.81, k, rest, 3, found), 1);
  assert_int_equal(found[0].a.id + found[0].b.id, 2 + 3);
  assert_near(found[0].energy, k * pow(0.03, 2.5) / 2.5, 1e-9);
  assert_true(found[0].core == 0);
}

static void without_weight_touching_is_not_told_and_overlap_is(void **state) {
  (void)state;
  ff_intrusion found[4];
  assert_int_equal(start(0, 1e6, (const double[]){0, 1e-17, -1e-3}, 3, found), 0);
  assert_int_equal(start(0, 1e6, (const double[]){0, 1e-4, -1e-3}, 3, found), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cores_in_one_another_are_told),
      cmocka_unit_test(what_may_rest_there_is_not_told),
      cmocka_unit_test(springs_that_store_more_than_weight_could_press_are_told),
      cmocka_unit_test(without_weight_touching_is_not_told_and_overlap_is),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
