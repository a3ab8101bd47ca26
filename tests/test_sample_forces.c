/* Forces of weighted contact samples in a run: polyhedra that collide keep their energy, those that
 * rest cost little. */
#include "geom_fixture.h"
#include "worlds.h"

static const ff_vec3 octahedron[6] = {{.1, 0, 0},  {-.1, 0, 0}, {0, .1, 0},
                                      {0, -.1, 0}, {0, 0, .1},  {0, 0, -.1}};
static const ff_vec3 tetrahedron[4] = {
    {.1, .1, .1}, {-.1, -.1, .1}, {-.1, .1, -.1}, {.1, -.1, -.1}};

enum { FLATS = 5, PEBBLE = 24 };

static void pebble(ff_vec3 out[PEBBLE]) {
  uint64_t seed = 5;
  for (int i = 0; i < PEBBLE; i++) {
    out[i] = v3_scale(.1, v3_unit(random_vec(&seed, 1)));
  }
}

static void add_flat(ff_scene *scene, const ff_body_def *def, int flat) {
  ff_vec3 points[PEBBLE];
  pebble(points);
  ff_shape_def solid = ff_shape_def_default();
  solid.kind = flat < 2 ? FF_BOX : FF_POLYHEDRON;
  solid.size = flat ? v3(.12, .1, .03) : v3(.1, .08, .06);
  const ff_vec3 *const corners[FLATS] = {NULL, NULL, octahedron, tetrahedron, points};
  static const int counts[FLATS] = {0, 0, 6, 4, PEBBLE};
  solid.vertices = corners[flat];
  solid.vertex_count = counts[flat];
  ff_body body;
  ff_shape shape;
  assert_int_equal(ff_scene_add_body(&body, scene, def), FF_OK);
  assert_int_equal(ff_scene_add_shape(&shape, scene, body, &solid), FF_OK);
}

/* Two bodies collide at random and sink in by about this part of their size; `adaptive`, or with
 * friction and midpoint-implicit over this step (s). */
static double collide(int a, int b, double depth, double step, double mu, uint64_t *seed) {
  bool midpoint = step > 0;
  world w = {.scene = scene_new(0, midpoint ? "symplectic-euler" : "adaptive", step)};
  if (!midpoint) {
    scene_set_rtol(w.scene, "adaptive", 0, 1e-9);
  }
  ff_body_def def = ff_body_def_default();
  def.name = "a";
  def.mass = 1;
  def.position = v3_add(v3(-.25, 0, 0), v3_mul(v3(0, 1, 1), random_vec(seed, .06)));
  def.velocity = v3(.5, 0, 0);
  def.omega = random_vec(seed, 4);
  def.orientation = q_exp(random_vec(seed, 3));
  add_flat(w.scene, &def, a);
  def.name = "b";
  def.mass = 2;
  def.position = v3(.25, 0, 0);
  def.velocity = v3(-.5, 0, 0);
  def.omega = random_vec(seed, 4);
  def.orientation = q_exp(random_vec(seed, 3));
  add_flat(w.scene, &def, b);
  scene_hunt_crossley(w.scene, "a", "b", 0.83 / pow(.2 * depth, 2.5), 1.5, 0, mu);
  world_start(&w);
  assert_int_equal(world_advance(&w, 0.6), FF_OK);
  ff_audit audit = ff_sim_audit(w.sim);
  assert_true(midpoint || audit.events >= 2); /* they did meet */
  assert_true(audit.momentum_residual < 1e-10);
  assert_true(audit.angular_residual < 1e-10);
  double off = audit.energy_residual / audit.energy_scale;
  world_end(&w);
  return off;
}

static void test_collisions_return_all_energy(void **state) {
  (void)state;
  uint64_t seed = 1;
  for (int a = 0; a < FLATS; a++) {
    for (int b = a % 2; b <= a; b += 2) {
      /* 1e-9 is asked of the integrator; the least regular of points cost a digit */
      assert_true(collide(a, b, a % 2 ? 0.02 : 0.15, NAN, 0, &seed) < 2e-8);
    }
  }
}

/* With friction contacts are midpoint-implicit, of second order where no sample is replaced by
 * others within a step: what is off falls by 16 with a quarter of the step, or by about 4 where one
 * is. */
static void test_midpoint_collisions_converge(void **state) {
  (void)state;
  enum { COLLISIONS = 40 };
  double off[2][COLLISIONS], sum[2] = {0, 0};
  int second_order = 0;
  for (int fine = 0; fine < 2; fine++) {
    uint64_t seed = 1;
    for (int i = 0; i < COLLISIONS; i++) {
      off[fine][i] = collide(i % FLATS, i % 2, 0.03, fine ? 1e-4 : 4e-4, 0.3, &seed);
      assert_true(off[fine][i] < (fine ? 4e-3 : 2e-2));
      sum[fine] += off[fine][i];
      second_order += fine && off[1][i] < 0.1 * off[0][i];
    }
  }
  assert_true(second_order > COLLISIONS / 2);
  assert_true(sum[1] < 0.5 * sum[0]);
}

/* Two flush boxes of 0.2 m meet at 2 m/s with a soft spring, on which they overlap by 3.5 % of
 * their thickness: they bounce off with the speed, and turn by nothing, under every stepper. Forces
 * of one sample at a corner left them 22 % slower, spinning. */
static void test_soft_flush_boxes_bounce(void **state) {
  (void)state;
  static const char *const steppers[3] = {"symplectic-euler", "rk4", "adaptive"};
  static const double steps[3] = {1e-3, 1e-4, NAN};
  for (int k = 0; k < 3; k++) {
    world w = {.scene = scene_new(0, steppers[k], steps[k])};
    ff_body_def def = ff_body_def_default();
    def.name = "low";
    def.mass = 1;
    ff_body low = scene_solid(w.scene, &def, FF_BOX, v3(.1, .1, .1));
    def.name = "high";
    def.position = v3(0, 0, .2001);
    def.velocity = v3(0, 0, -2);
    ff_body high = scene_solid(w.scene, &def, FF_BOX, v3(.1, .1, .1));
    scene_hunt_crossley(w.scene, "low", "high", 1e4, 1, 0, 0);
    world_start(&w);
    assert_int_equal(world_advance(&w, 0.03), FF_OK);
    ff_body_state a = ff_sim_body(w.sim, low), b = ff_sim_body(w.sim, high);
    assert_close(a.velocity.z, -2, 0.01 * 2); /* second order: 3e-5 at steps of 1 ms */
    assert_close(b.velocity.z, 0, 0.01 * 2);
    assert_true(v3_norm(a.omega) < 1e-4 && v3_norm(b.omega) < 1e-4); /* rounding grows */
    assert_true(ff_sim_audit(w.sim).energy_residual < 0.01 * 2);
    world_end(&w);
  }
}

/* A box dropped flat on an inclined plate with a soft spring, 6 % deep, costs `adaptive` little:
 * its samples keep their places. */
static void test_soft_box_on_an_incline_is_cheap(void **state) {
  (void)state;
  world w = {.scene = scene_new(9.81, "adaptive", NAN)};
  scene_set_rtol(w.scene, "adaptive", 9.81, 1e-6);
  ff_quat tilt = q_exp(v3(0, .17, 0));
  ff_body_def def = ff_body_def_default();
  def.name = "plate";
  def.kind = FF_BODY_FIXED;
  def.orientation = tilt;
  scene_solid(w.scene, &def, FF_BOX, v3(1, 1, .1));
  def = ff_body_def_default();
  def.name = "box";
  def.mass = 1;
  def.position = q_rotate(tilt, v3(0, 0, .151));
  def.orientation = tilt;
  def.velocity = v3(0, 0, -1);
  scene_solid(w.scene, &def, FF_BOX, v3(.05, .05, .05));
  scene_hunt_crossley(w.scene, "plate", "box", 1e4, 1, .5, .5);
  world_start(&w);
  assert_int_equal(world_advance(&w, 0.3), FF_OK);
  assert_true(ff_sim_audit(w.sim).evaluations < 12000);
  world_end(&w);
}

/* A box at rest on a larger one costs `adaptive` little. */
static void test_rest_on_a_face_is_cheap(void **state) {
  (void)state;
  world w = {.scene = scene_new(9.81, "adaptive", NAN)};
  scene_set_rtol(w.scene, "adaptive", 9.81, 1e-10);
  ff_body_def def = ff_body_def_default();
  def.name = "a";
  def.mass = 1;
  def.position = v3(0.01, 0.02, 0.2 - pow(9.81 / 4e5, 2 / 3.0));
  scene_solid(w.scene, &def, FF_BOX, v3(.1, .1, .1));
  def = ff_body_def_default();
  def.name = "b";
  def.kind = FF_BODY_FIXED;
  scene_solid(w.scene, &def, FF_BOX, v3(.5, .5, .1));
  scene_hunt_crossley(w.scene, "a", "b", 1e5, 1.5, 1, .5);
  world_start(&w);
  assert_int_equal(world_advance(&w, 0.5), FF_OK);
  assert_true(ff_sim_audit(w.sim).evaluations < 1500);
  world_end(&w);
}

/* Evaluations of a dropped box while it rings, with this friction and v_t (m/s). */
static double ringing(double mu, double v_t) {
  world w = {.scene = scene_new(9.81, "adaptive", NAN)};
  scene_set_rtol(w.scene, "adaptive", 9.81, 1e-10);
  ff_body_def def = ff_body_def_default();
  def.name = "a";
  def.mass = 1;
  def.position = v3(0.01, 0.02, 0.2);
  def.orientation = q_exp(v3(1e-3, 7e-4, 0));
  scene_solid(w.scene, &def, FF_BOX, v3(.1, .1, .1));
  def = ff_body_def_default();
  def.name = "b";
  def.kind = FF_BODY_FIXED;
  scene_solid(w.scene, &def, FF_BOX, v3(.5, .5, .1));
  static const char *normal[3] = {"k", "n", "alpha"}, *friction[2] = {"mu_static", "v_t"};
  double stiff[3] = {1e5, 1.5, 1}, rough[2] = {mu, v_t};
  ff_contact_def contact = ff_contact_def_default();
  contact.a = "a";
  contact.b = "b";
  contact.normal = (ff_law_choice){"hunt-crossley", normal, stiff, 3};
  if (mu > 0) {
    contact.friction = (ff_law_choice){"coulomb", friction, rough, 2};
  }
  assert_int_equal(ff_scene_add_contact(w.scene, &contact), FF_OK);
  world_start(&w);
  assert_int_equal(world_advance(&w, 0.1), FF_OK);
  double before = (double)ff_sim_audit(w.sim).evaluations;
  assert_int_equal(world_advance(&w, 0.2), FF_OK);
  double all = (double)ff_sim_audit(w.sim).evaluations;
  world_end(&w);
  return all - before;
}

/* What a ringing box costs `adaptive` does not go with v_t: friction that sticks is about as stiff
 * as the normal law. */
static void test_friction_costs_no_short_steps(void **state) {
  (void)state;
  double smooth = ringing(0.5, 4e-3);
  assert_true(smooth < 13000);
  assert_true(ringing(0.5, 1e-5) < 1.2 * smooth);
}

static ff_vec3 friction_of(const world *w) {
  ff_vec3 sum = v3(0, 0, 0);
  for (int i = 0; i < ff_sim_contact_count(w->sim); i++) {
    ff_contact c = ff_sim_contact(w->sim, i);
    sum = v3_add(sum, v3_axpy(v3_scale(c.force_t1, c.t1), c.force_t2, c.t2));
  }
  return sum;
}

/* A crate rests on a table that slopes along y, held by bristles, two corners just inside an edge.
 * Moved over the edge by 0.2 micrometres, other features touch there, at the same places: these
 * take over the memory, and friction stays. */
static void test_memory_goes_over_to_new_features(void **state) {
  (void)state;
  static const char *normal[2] = {"K", "D"}, *friction[3] = {"K", "D", "mu"};
  const double stiff[2] = {1e6, 2e3}, rough[3] = {1e6, 2e3, .5};
  const char *const steppers[3] = {"symplectic-euler", "rk4", "adaptive"};
  for (int k = 0; k < 3; k++) {
    world w = {.scene = scene_new(9.81, steppers[k], 1e-4)};
    ff_run_def run = ff_run_def_default();
    run.gravity = q_rotate(q_exp(v3(0.1, 0, 0)), v3(0, 0, -9.81));
    run.stepper.kind = steppers[k];
    run.stepper.step = 1e-4;
    run.stepper.rtol = 1e-8;
    assert_int_equal(ff_scene_set_run(w.scene, &run), FF_OK);
    ff_body_def def = ff_body_def_default();
    def.name = "b";
    def.kind = FF_BODY_FIXED;
    scene_solid(w.scene, &def, FF_BOX, v3(.5, .5, .1));
    def = ff_body_def_default();
    def.name = "a";
    def.mass = 1;
    def.position = v3(0.4 - 1e-7, 0, 0.2);
    ff_body crate = scene_solid(w.scene, &def, FF_BOX, v3(.1, .1, .1));
    ff_contact_def contact = ff_contact_def_default();
    contact.a = "a";
    contact.b = "b";
    contact.normal = (ff_law_choice){"azad-featherstone", normal, stiff, 2};
    contact.friction = (ff_law_choice){"bristle-clutch", friction, rough, 3};
    assert_int_equal(ff_scene_add_contact(w.scene, &contact), FF_OK);
    world_start(&w);
    assert_int_equal(world_advance(&w, 0.3), FF_OK);
    ff_vec3 before = friction_of(&w);
    assert_near(v3_norm(before), 9.81 * sin(0.1), 1e-3);
    ff_body_state there = ff_sim_body(w.sim, crate);
    there.position.x += 2e-7;
    assert_int_equal(ff_sim_set_body(w.sim, crate, &there), FF_OK);
    assert_int_equal(ff_sim_contact_count(w.sim), 4);
    assert_int_equal(world_advance(&w, 0.3001), FF_OK); /* midpoint forces are those of a step */
    assert_close(v3_norm(v3_sub(friction_of(&w), before)), 0, 1e-2 * v3_norm(before));
    world_end(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_collisions_return_all_energy),
      cmocka_unit_test(test_midpoint_collisions_converge),
      cmocka_unit_test(test_soft_flush_boxes_bounce),
      cmocka_unit_test(test_soft_box_on_an_incline_is_cheap),
      cmocka_unit_test(test_rest_on_a_face_is_cheap),
      cmocka_unit_test(test_friction_costs_no_short_steps),
      cmocka_unit_test(test_memory_goes_over_to_new_features),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
