/* Bodies with feet on one another: what laws store is a function of the poses, and forces are its
 * slope. */
#include "geom/implicit.h"
#include "pressed.h"
#include "solids.h"
#include "worlds.h"

/* ---- geometry ---------------------------------------------------------------------------- */

enum { BOX, PEBBLE, CYLINDER, COIN, CAPSULE, LENS, PARTS, BODIES };

static void bodies_make(ff_arena *arena, ff_geom out[BODIES]) {
  ff_pose frame;
  ff_vec3 points[24];
  uint64_t seed = 5;
  for (int i = 0; i < 24; i++) {
    points[i] = v3_scale(.1, v3_unit(random_vec(&seed, 1)));
  }
  ff_shape_def lens[2] = {solid_member(FF_SPHERE, v3(.15, 0, 0), v3(0, 0, -.1), v3(0, 0, 0)),
                          solid_member(FF_BOX, v3(.08, .07, .06), v3(0, 0, 0), v3(0, 0, 0))};
  ff_shape_def parts[3] = {solid_member(FF_ELLIPSOID, v3(.1, .08, .12), v3(0, 0, 0), v3(0, 0, 0)),
                           solid_member(FF_HALF_SPACE, v3(0, 0, 0), v3(0, 0, .04), v3(.3, 0, 0)),
                           solid_member(FF_CYLINDER, v3(.08, .1, 0), v3(.01, 0, 0), v3(.1, .4, 0))};
  out[BOX] = (ff_geom){.kind = FF_BOX, .size = {.1, .08, .06}};
  out[PEBBLE] = solid_polyhedron(arena, points, 24, &frame);
  out[CYLINDER] = (ff_geom){.kind = FF_CYLINDER, .size = {.07, .1, 0}};
  out[COIN] = (ff_geom){.kind = FF_CYLINDER, .size = {.1, .03, 0}};
  out[CAPSULE] = (ff_geom){.kind = FF_CAPSULE, .size = {.05, .08, 0}};
  out[LENS] = solid_intersection(arena, lens, 2, &frame);
  out[PARTS] = solid_intersection(arena, parts, 3, &frame);
  for (int i = 0; i < BODIES; i++) {
    assert_int_equal(ff_geom_prepare(&out[i], INFINITY, arena), FF_OK);
  }
}

/* b is near to touching a: deep inside, ways out are all alike. */
static ff_pose beside(const ff_geom *a, ff_pose pose_a, const ff_geom *b, uint64_t *seed) {
  ff_vec3 way = v3_unit(random_vec(seed, 1));
  ff_quat turn = q_exp(random_vec(seed, 3));
  double reach = v3_dot(way, q_rotate(pose_a.orientation,
                                      ff_geom_support(a, q_unrotate(pose_a.orientation, way)))) -
                 v3_dot(way, q_rotate(turn, ff_geom_support(b, q_unrotate(turn, v3_neg(way)))));
  ff_vec3 at = v3_axpy(pose_a.position, reach - ff_random_in(seed, .01, .06), way);
  return (ff_pose){v3_add(at, random_vec(seed, .01)), turn};
}

/* Intersections are slow: fewer of them. */
static int rounds(int a, int b, int count) {
  return a < LENS && b < LENS ? count : (count + 9) / 10;
}

/* Two bodies near to touching. */
typedef struct two {
  const ff_geom *a, *b;
  ff_pose pose_a, pose_b;
} two;

/* Has a look at so many poses of each two bodies that can press on one another. */
static void each_two(int count, uint64_t seed, void (*look)(two at, uint64_t *seed, double *seen),
                     double *seen) {
  ff_arena arena = {0};
  ff_geom bodies[BODIES];
  bodies_make(&arena, bodies);
  for (int a = 0; a < BODIES; a++) {
    for (int b = 0; b < BODIES; b++) {
      bool feet = ff_geom_can_press(bodies[a].kind, bodies[b].kind);
      for (int i = 0; feet && i < rounds(a, b, count); i++) {
        two at = {.a = &bodies[a], .b = &bodies[b], .pose_a = random_pose(&seed, .1)};
        at.pose_b = beside(at.a, at.pose_a, at.b, &seed);
        look(at, &seed, seen);
      }
    }
  }
  ff_arena_free(&arena);
}

static void count_slopes(two at, uint64_t *seed, double *seen) {
  (void)seed;
  seen[0] += stored_in(at.a, at.pose_a, at.b, at.pose_b).energy > 0;
  seen[1] += slope_off(at.a, at.pose_a, at.b, at.pose_b, 1e-6, 10) > 1e-3;
}

static void test_forces_are_the_slope_of_energy(void **state) {
  (void)state;
  double seen[2] = {0};
  each_two(20, 3, count_slopes, seen);
  assert_true(seen[0] > 300);
  assert_true(seen[1] <= 2); /* a kink within the step */
}

static void find_leap(two at, uint64_t *seed, double *seen) {
  ff_vec3 way = random_vec(seed, .02), turn = random_vec(seed, .3);
  *seen = fmax(*seen, leap_on(at.a, at.pose_a, at.b, at.pose_b, way, turn));
}

static void test_energy_does_not_leap(void **state) {
  (void)state;
  double worst = 0;
  each_two(10, 7, find_leap, &worst);
  assert_true(worst < 1e-9);
}

/* What a body stores on a table, over what a point as deep does. */
static double shares_on(const ff_geom *body, ff_vec3 place, ff_vec3 turn) {
  ff_geom table = {.kind = FF_BOX, .size = {.5, .5, .1}};
  ff_pose on = {place, q_exp(turn)}, below = {v3(0, 0, -.1), q_identity()};
  stored at = stored_in(body, on, &table, below);
  assert_close(at.force.x, 0, 1e-12);
  assert_close(at.force.y, 0, 1e-12);
  return at.energy / pow(1e-3, 2.5);
}

static void test_points_are_those_on_a_half_space(void **state) {
  (void)state;
  ff_arena arena = {0};
  ff_geom bodies[BODIES];
  bodies_make(&arena, bodies);
  const ff_geom *cylinder = &bodies[CYLINDER], *capsule = &bodies[CAPSULE];
  ff_vec3 lying = v3(0.5 * ff_pi, 0, 0);
  /* standing 4, lying 2; of a capsule upright 1 */
  assert_close(shares_on(cylinder, v3(.2, .1, .099), v3(0, 0, .3)), 4, 1e-9);
  assert_close(shares_on(cylinder, v3(.2, .1, .069), lying), 2, 1e-9);
  assert_close(shares_on(capsule, v3(.2, .1, .049), lying), 2, 1e-9);
  assert_close(shares_on(capsule, v3(.2, .1, .129), v3(0, 0, 0)), 1, 1e-9);
  /* over the edge of the table: the end that is on it and the crossing */
  assert_close(shares_on(cylinder, v3(.2, .47, .069), lying), 2, 1e-9);
  assert_close(shares_on(capsule, v3(.2, .47, .049), lying), 2, 1e-9);
  /* a cut face; axes of intersections are known to 1e-5 */
  double low = -ff_geom_exit(&bodies[LENS], v3(0, 0, 0), v3(0, 0, -1), NULL);
  assert_close(shares_on(&bodies[LENS], v3(.2, .1, -low - 1e-3), v3(0, 0, 0)), 4, 1e-2);
  ff_arena_free(&arena);
}

/* Rolling must not feel the feet of the caps. */
static void test_rolling_is_even(void **state) {
  (void)state;
  ff_geom cylinder = {.kind = FF_CYLINDER, .size = {.07, .1, 0}};
  double first = shares_on(&cylinder, v3(0, 0, .069), v3(0.5 * ff_pi, 0, 0));
  ff_geom table = {.kind = FF_BOX, .size = {.5, .5, .1}};
  ff_pose below = {v3(0, 0, -.1), q_identity()};
  for (int i = 0; i < 50; i++) {
    ff_quat q = q_mul(q_exp(v3(0.5 * ff_pi, 0, 0)), q_exp(v3(0, 0, 0.1 * i)));
    stored at = stored_in(&cylinder, (ff_pose){v3(0, 0, .069), q}, &table, below);
    assert_near(at.energy / pow(1e-3, 2.5), first, 1e-10);
    assert_true(v3_norm(at.moment) < 1e-12 * at.force.z);
  }
}

/* ---- in a run ------------------------------------------------------------------------------ */

static void add_body(ff_scene *scene, const char *name, int kind, double x, uint64_t *seed) {
  static const ff_shape_kind kinds[CAPSULE + 1] = {FF_BOX, FF_POLYHEDRON, FF_CYLINDER, FF_CYLINDER,
                                                   FF_CAPSULE};
  static const ff_vec3 sizes[CAPSULE + 1] = {
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
      cmocka_unit_test(test_forces_are_the_slope_of_energy),
      cmocka_unit_test(test_energy_does_not_leap),
      cmocka_unit_test(test_points_are_those_on_a_half_space),
      cmocka_unit_test(test_rolling_is_even),
      cmocka_unit_test(test_collisions_return_all_energy),
      cmocka_unit_test(test_bodies_come_to_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
