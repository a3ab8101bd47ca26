/* Cones: mass, contact samples on half-spaces, and rolling about the tip. */
#include "geom/distance.h"
#include "scene_text.h"
#include "solids.h"

#define RADIUS 0.05
#define HEIGHT 0.12

/* Sums over slices across the axis; of a midpoint rule with n slices 1 / n^2 is left. */
static void mass_is_the_sum_over_slices(void **state) {
  (void)state;
  enum { SLICES = 2000 };
  ff_arena arena = {0};
  ff_geom cone = solid_cone(&arena, RADIUS, HEIGHT);
  double volume = 0, first = 0, xx = 0, zz = 0, dz = HEIGHT / SLICES;
  for (int i = 0; i < SLICES; i++) {
    double z = -0.25 * HEIGHT + (i + 0.5) * dz, r = RADIUS * (0.75 - z / HEIGHT);
    double slice = ff_pi * r * r * dz;
    volume += slice;
    first += slice * z;
    zz += 0.5 * slice * r * r;
    xx += slice * (0.25 * r * r + z * z);
  }
  ff_vec3 inertia = ff_geom_inertia(&cone);
  assert_near(ff_geom_volume(&cone), volume, 1e-6);
  assert_close(first / volume, 0, 1e-6 * HEIGHT);
  assert_near(inertia.x, xx, 1e-6);
  assert_near(inertia.y, xx, 1e-6);
  assert_near(inertia.z, zz, 1e-6);
  ff_arena_free(&arena);
}

static int samples_at(const ff_geom *cone, double height, double about_y,
                      ff_sample out[FF_SAMPLES_MAX]) {
  const ff_geom plane = {.kind = FF_HALF_SPACE};
  const ff_pose ground = {{0, 0, 0}, {1, 0, 0, 0}};
  ff_pose at = {v3(0, 0, height - 1e-5), q_exp(v3(0, about_y, 0))};
  return contact_samples(cone, &at, &plane, &ground, 0, out);
}

/* Standing on its base it has the four corners of the pyramid in it, lying on its side the two ends
 * of the line that touches, on its tip one, on its rim one. */
static void samples_of_a_cone_on_a_half_space(void **state) {
  (void)state;
  ff_arena arena = {0};
  ff_sample at[FF_SAMPLES_MAX];
  ff_geom cone = solid_cone(&arena, RADIUS, HEIGHT);
  double slope = atan2(RADIUS, HEIGHT), side = 0.75 * HEIGHT * sin(slope);
  assert_int_equal(samples_at(&cone, 0.25 * HEIGHT, 0, at), 4);
  for (int i = 0; i < 4; i++) {
    assert_close(at[i].weight, 1, 2e-7);
    assert_close(at[i].depth, 1e-5, 1e-15);
  }
  assert_int_equal(samples_at(&cone, side, ff_pi / 2 + slope, at), 2);
  assert_close(at[0].depth, 1e-5, 1e-15);
  assert_close(at[1].depth, 1e-5, 1e-15);
  double far = v3_norm(v3_sub(at[0].point, at[1].point));
  assert_close(far, sqrt(RADIUS * RADIUS + HEIGHT * HEIGHT), 1e-12);
  assert_int_equal(samples_at(&cone, 0.75 * HEIGHT, ff_pi, at), 1);
  assert_int_equal(samples_at(&cone, 0.25 * HEIGHT * cos(.5) + RADIUS * sin(.5), 0.5, at), 1);
  assert_close(at[0].depth, 1e-5, 1e-15);
  ff_arena_free(&arena);
}

/* A ball straight over the tip, beside it, and pressed on it. */
static void a_ball_at_the_tip(void **state) {
  (void)state;
  ff_arena arena = {0};
  ff_geom cone = solid_cone(&arena, RADIUS, HEIGHT),
          ball = {.kind = FF_SPHERE, .size = {.02, 0, 0}};
  const ff_pose below = {{0, 0, 0}, {1, 0, 0, 0}};
  for (int i = 0; i < 9; i++) {
    double gap = i / 3 == 0 ? 1e-2 : i / 3 == 1 ? 1e-5 : -1e-4, lean = 0.1 * (i % 3);
    ff_vec3 n = v3(sin(lean), 0, cos(lean));
    ff_pose over = {v3_axpy(v3(0, 0, 0.75 * HEIGHT), .02 + gap, n), q_identity()};
    ff_distance at;
    ff_distance_query(&at, &ball, &over, &cone, &below, INFINITY);
    assert_true(at.settled);
    assert_close(at.gap, gap, 1e-14);
    assert_close(v3_norm(v3_sub(at.normal, n)), 0, 1e-12);
  }
  ff_arena_free(&arena);
}

/* A cone that rolls on its side turns about its tip, at W tan(slope) with W about the line on which
 * it lies, and loses nothing. */
static void a_cone_rolls_about_its_tip(void **state) {
  (void)state;
  double slope = atan2(RADIUS, HEIGHT), turn = 2, time = 0.5;
  ff_vec3 com = v3(0.75 * HEIGHT * cos(slope), 0, 0.75 * HEIGHT * sin(slope));
  char text[1024];
  snprintf(
      text, sizeof text,
      "footfall: 1\nstepper: {kind: symplectic-euler, step: 1e-4}\nbodies:\n"
      "  floor: {fixed: true, shape: {half-space: {}}}\n"
      "  cone: {mass: 0.5, position: [%.17g, 0, %.17g], orientation: {rpy: [0, %.17g, 0]},\n"
      "    velocity: [0, %.17g, 0], omega: [%g, 0, 0], shape: {cone: {radius: %g, height: %g}}}\n"
      "contacts: [{pair: [cone, floor], normal: {law: linear, k: 1e6, b: 100},\n"
      "  friction: {law: coulomb, mu_static: 0.8, mu_kinetic: 0.8, v_t: 1e-4}}]\n",
      com.x, com.z - 1e-6, -slope - ff_pi / 2, -turn * com.z, turn, RADIUS, HEIGHT);
  ff_model *model;
  ff_sim *sim = sim_of(&model, text, NULL);
  assert_int_equal(ff_sim_advance(sim, time), FF_OK);
  ff_body_state cone = ff_sim_body(sim, ff_model_body_find(model, "cone"));
  ff_vec3 tip = v3_axpy(cone.position, 0.75 * HEIGHT, q_axis_z(cone.orientation));
  double around = atan2(cone.position.y, cone.position.x);
  assert_close(around, -turn * tan(slope) * time, 5e-3);
  assert_close(tip.x, 0, 2e-4);
  assert_close(tip.y, 0, 2e-4);
  assert_near(v3_norm(cone.velocity), turn * com.z, 1e-2);
  end(sim, model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(mass_is_the_sum_over_slices),
                                     cmocka_unit_test(samples_of_a_cone_on_a_half_space),
                                     cmocka_unit_test(a_ball_at_the_tip),
                                     cmocka_unit_test(a_cone_rolls_about_its_tip)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
