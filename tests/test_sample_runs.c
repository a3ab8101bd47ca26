/* Contact samples of cylinders and capsules in a run: collisions keep their energy, and bodies that
 * are dropped come to rest. */
#include "geom_fixture.h"
#include "worlds.h"

enum { BOX, PEBBLE, CYLINDER, COIN, CAPSULE, BODIES };

static void add_body(ff_scene *scene, const char *name, int kind, double x, uint64_t *seed) {
  static const ff_shape_kind kinds[BODIES] = {FF_BOX, FF_POLYHEDRON, FF_CYLINDER, FF_CYLINDER,
                                              FF_CAPSULE};
  static const ff_vec3 sizes[BODIES] = {
      {.1, .08, .06}, {0, 0, 0}, {.07, .1, 0}, {.1, .03, 0}, {.05, .08, 0}};
  static const ff_vec3 octahedron[6] = {{.1, 0, 0},  {-.1, 0, 0}, {0, .1, 0},
                                        {0, -.1, 0}, {0, 0, .1},  {0, 0, -.1}};
  ff_body_def def = ff_body_def_default();
  def.name = name;
  def.mass = x < 0 ? 1 : 2;
  def.position = v3_add(v3(x, 0, 0), v3_mul(v3(0, 1, 1), random_vec(seed, .04)));
  def.velocity = v3(-2 * x, 0, 0);
  def.omega = random_vec(seed, 4);
  def.orientation = q_exp(random_vec(seed, 3));
  ff_shape_def solid = ff_shape_def_default();
  solid.kind = kinds[kind];
  solid.size = sizes[kind];
  solid.vertices = octahedron;
  solid.vertex_count = kind == PEBBLE ? 6 : 0;
  ff_body body;
  ff_shape shape;
  assert_int_equal(ff_scene_add_body(&body, scene, &def), FF_OK);
  assert_int_equal(ff_scene_add_shape(&shape, scene, body, &solid), FF_OK);
}

/* Two bodies collide at random and sink in by some 3 % of their size. */
static double collide(int a, int b, uint64_t *seed) {
  world w = {.scene = scene_new(0, "adaptive", NAN)};
  scene_set_rtol(w.scene, "adaptive", 0, 1e-9);
  add_body(w.scene, "a", a, -.25, seed);
  add_body(w.scene, "b", b, .25, seed);
  scene_hunt_crossley(w.scene, "a", "b", 0.83 / pow(.006, 2.5), 1.5, 0, 0);
  world_start(&w);
  assert_int_equal(world_advance(&w, 0.6), FF_OK);
  ff_audit audit = ff_sim_audit(w.sim);
  assert_true(audit.events >= 2); /* they did meet */
  assert_true(audit.momentum_residual < 1e-10 && audit.angular_residual < 1e-10);
  double off = audit.energy_residual / audit.energy_scale;
  world_end(&w);
  return off;
}

static void test_collisions_return_all_energy(void **state) {
  (void)state;
  uint64_t seed = 1;
  for (int a = CYLINDER; a <= CAPSULE; a++) {
    for (int b = BOX; b <= a; b++) {
      assert_true(collide(a, b, &seed) < 1e-6); /* a quarter, at worst, while depths leapt */
    }
  }
}

/* What was dropped on a face, an edge or beams comes to rest there. */
static void come_to_rest(ff_shape_kind kind, ff_vec3 size, ff_vec3 at, ff_vec3 turn) {
  world w = {.scene = scene_new(9.81, "rk4", 1e-4)};
  ff_body_def def = ff_body_def_default();
  def.name = "a";
  def.mass = 1;
  def.position = v3_add(at, v3(0, 0, 1e-3));
  def.orientation = q_mul(q_exp(v3(1e-3, 2e-3, 0)), q_exp(turn));
  scene_solid(w.scene, &def, kind, size);
  def = ff_body_def_default();
  def.name = "b";
  def.kind = FF_BODY_FIXED;
  def.position = v3(0, 0, -.1);
  scene_solid(w.scene, &def, FF_BOX, v3(.5, .5, .1));
  scene_hunt_crossley(w.scene, "a", "b", 1e5, 1.5, 2, 0.3);
  world_start(&w);
  assert_int_equal(world_advance(&w, 0.6), FF_OK);
  ff_body_state end = ff_sim_body(w.sim, ff_model_body_find(w.model, "a"));
  assert_close(end.position.z, at.z, 2e-3);
  assert_true(v3_norm(end.omega) < 0.05 && v3_norm(end.velocity) < 0.01);
  ff_audit audit = ff_sim_audit(w.sim);
  assert_true(audit.energy_residual < 5e-3 * audit.energy_scale); /* friction, at this step */
  world_end(&w);
}

static void test_bodies_come_to_rest(void **state) {
  (void)state;
  ff_vec3 lying = v3(0.5 * ff_pi, 0, 0);
  come_to_rest(FF_CYLINDER, v3(.07, .1, 0), v3(.01, .02, .1), v3(0, 0, 0));
  come_to_rest(FF_CYLINDER, v3(.07, .1, 0), v3(.01, .02, .07), lying);
  come_to_rest(FF_CAPSULE, v3(.05, .1, 0), v3(.01, .45, .05), lying);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_collisions_return_all_energy),
      cmocka_unit_test(test_bodies_come_to_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
