/* The table of channels, and mean accelerations. */
#include "footfall/footfall.h"
#include "math/vec.h"
#include "page_table.h"
#include "scene_text.h"

static const char everything[] =
    "footfall: 1\n"
    "stepper: {kind: quasi-rigid, step: 1e-3}\n"
    "bodies:\n"
    "  floor: {fixed: true, shape: {half-space: {}}}\n"
    "  ball: {mass: 1, position: [0, 0, 1], shape: {sphere: {radius: 0.1}}}\n"
    "  bob: {mass: 1, position: [1, 0, 1], shape: {sphere: {radius: 0.1}}}\n"
    "robots:\n"
    "  arm: {urdf: robots/double-pendulum.urdf}\n"
    "contacts: [{pair: [ball, floor], normal: {law: quasi-rigid, k: 2e4}}]\n"
    "constraints: {string: {kind: distance, pair: [ball, bob]}}\n";

/* Families, members, rows and components, each number once. */
static void names_are_unique_and_match_a_pattern(void **state) {
  (void)state;
  ff_model *model = model_of(everything, NULL);
  int count = ff_model_channel_count(model);
  assert_true(count > 100);
  for (int i = 0; i < count; i++) {
    ff_channel channel = ff_model_channel(model, i);
    assert_true(channel.name[0] && channel.unit[0] && channel.meaning[0]);
    assert_int_equal(channel_find(model, channel.name), i);
  }
  assert_string_equal(ff_model_channel(model, -1).name, "");
  assert_string_equal(ff_model_channel(model, count).name, "");
  assert_string_equal(ff_channel_pattern(-1).name, "");
  assert_string_equal(ff_channel_pattern(ff_channel_pattern_count()).name, "");
  assert_string_equal(ff_channel_pattern(1).name, "body.<body>.orientation.{w,x,y,z}");
  ff_model_destroy(&model);
}

/* Any choice in any order reads what each channel reads alone. */
static void channels_read_the_same_in_any_order(void **state) {
  (void)state;
  enum { MOST = 400 };
  ff_model *model;
  ff_sim *sim = sim_of(&model, everything, NULL);
  assert_int_equal(ff_sim_advance(sim, 0.5), FF_OK);
  int count = ff_model_channel_count(model), backwards[MOST];
  double together[MOST], alone;
  assert_true(count <= MOST);
  for (int i = 0; i < count; i++) {
    backwards[i] = count - 1 - i;
  }
  ff_sim_read(sim, backwards, count, together);
  for (int i = 0; i < count; i++) {
    ff_sim_read(sim, &backwards[i], 1, &alone);
    assert_memory_equal(&alone, &together[i], sizeof alone);
  }
  int none = count;
  ff_sim_read(sim, &none, 1, &alone);
  assert_true(isnan(alone));
  ff_body_state ball = ff_sim_body(sim, ff_model_body_find(model, "ball"));
  assert_true(channel(sim, model, "body.ball.position.z") == ball.position.z);
  assert_true(channel(sim, model, "body.ball.orientation.w") == ball.orientation.w);
  assert_true(channel(sim, model, "body.ball.omega.y") == ball.omega.y);
  assert_true(channel(sim, model, "energy.lost.step") == ff_sim_energy(sim).lost[FF_LOST_STEP]);
  assert_true(channel(sim, model, "momentum.angular.y") == ff_sim_momentum(sim).angular.y);
  end(sim, model);
}

static void the_page_has_the_table(void **state) {
  (void)state;
  assert_page_has_table("recordings.md", "channels");
}

/* ---- accelerations -------------------------------------------------------------------------- */

static const char *under(const ff_stepper_info *stepper, double step, const char *rest) {
  static char text[1024];
  char fixed[64] = "";
  if (stepper->fixed_step) {
    snprintf(fixed, sizeof fixed, ", step: %g", step);
  }
  snprintf(text, sizeof text, "footfall: 1\nduration: 1\nstepper: {kind: %s%s}\n%s", stepper->name,
           fixed, rest);
  return text;
}

static ff_vec3 vector(const ff_sim *sim, const ff_model *model, const char *name) {
  char x[64], y[64], z[64];
  snprintf(x, sizeof x, "%s.x", name);
  snprintf(y, sizeof y, "%s.y", name);
  snprintf(z, sizeof z, "%s.z", name);
  return v3(channel(sim, model, x), channel(sim, model, y), channel(sim, model, z));
}

static void what_falls_freely_accelerates_by_gravity(void **state) {
  (void)state;
  for (int i = 0; i < ff_stepper_count(); i++) {
    ff_model *model;
    ff_sim *sim =
        sim_of(&model,
               under(ff_stepper_at(i), 1e-3,
                     "gravity: [1, 2, -9]\nbodies:\n  ball: {mass: 2, velocity: [3, 0, 0], "
                     "shape: {sphere: {radius: 0.1}}}\n"),
               NULL);
    assert_true(isnan(channel(sim, model, "body.ball.acceleration.z")));
    assert_true(isnan(channel(sim, model, "body.ball.alpha.z")));
    for (int k = 1; k <= 3; k++) {
      assert_int_equal(ff_sim_advance(sim, 0.1 * k), FF_OK);
      ff_vec3 a = vector(sim, model, "body.ball.acceleration");
      /* roundings of 1e-16 * 5 m/s over 1 ms */
      assert_close(a.x, 1, 1e-11);
      assert_close(a.y, 2, 1e-11);
      assert_close(a.z, -9, 1e-11);
      assert_close(v3_norm(vector(sim, model, "body.ball.alpha")), 0, 1e-12);
    }
    ff_body_state now = ff_sim_body(sim, (ff_body){.id = 1});
    assert_int_equal(ff_sim_set_body(sim, (ff_body){.id = 1}, &now), FF_OK);
    assert_true(isnan(channel(sim, model, "body.ball.acceleration.z")));
    assert_int_equal(ff_sim_advance(sim, 0.4), FF_OK);
    ff_sim_reset(sim);
    assert_true(isnan(channel(sim, model, "body.ball.acceleration.z")));
    end(sim, model);
  }
}

/* A body that turns about its centre of mass, r from its origin: the chord of the velocity over a
 * step is 2 r omega sin(omega h / 2), at right angles to the middle of the arc. */
static void what_turns_uniformly_accelerates_to_its_centre(void **state) {
  (void)state;
  const double r = 0.25, omega = 3, h = 1e-2;
  for (int i = 0; i < ff_stepper_count(); i++) {
    ff_model *model;
    const ff_stepper_info *stepper = ff_stepper_at(i);
    ff_sim *sim =
        sim_of(&model,
               under(stepper, h,
                     "gravity: [0, 0, 0]\nbodies:\n  wheel: {mass: 2, com: [-0.25, 0, 0], "
                     "inertia: [1, 1, 1], velocity: [0, 0.75, 0], omega: [0, 0, 3]}\n"),
               NULL);
    assert_int_equal(ff_sim_advance(sim, 0.5), FF_OK);
    double before = ff_sim_time(sim);
    assert_int_equal(ff_sim_step(sim), FF_OK);
    double now = ff_sim_time(sim), step = now - before, middle = omega * (before + 0.5 * step);
    double size = 2 * r * omega * sin(0.5 * omega * step) / step;
    ff_vec3 a = vector(sim, model, "body.wheel.acceleration");
    /* Runge-Kutta methods of fixed step turn quaternions by a phase error of 2 (omega h / 2)^(p+1)
     * / (p+1)! each of 51 steps, others exactly; velocities are rounded over h */
    double half = 0.5 * omega * h, rounding = 1e-13 / h;
    double phase = strcmp(stepper->name, "rk4") == 0    ? 51 * pow(half, 5) / 60
                   : strcmp(stepper->name, "heun") == 0 ? 51 * pow(half, 3) / 3
                                                        : 0;
    double tolerance = rounding + 1.1 * phase * size;
    assert_close(a.x, -size * cos(middle), tolerance);
    assert_close(a.y, -size * sin(middle), tolerance);
    assert_close(a.z, 0, 1e-12);
    assert_close(v3_norm(vector(sim, model, "body.wheel.alpha")), 0, 1e-10);
    end(sim, model);
  }
}

/* A prescribed rotation that speeds up: alpha is the slope of its rate, to rounding over h. */
static void what_speeds_up_has_its_angular_acceleration(void **state) {
  (void)state;
  for (int i = 0; i < ff_stepper_count(); i++) {
    ff_model *model;
    ff_sim *sim = sim_of(&model,
                         under(ff_stepper_at(i), 1e-3,
                               "bodies:\n  table: {motion: {spin: {axis: [0, 0, 1], rate: {table: "
                               "[[0, 1], [1, 5]]}}}}\n"
                               "  ball: {mass: 1, shape: {sphere: {radius: 0.1}}}\n"),
                         NULL);
    assert_int_equal(ff_sim_advance(sim, 0.3), FF_OK);
    ff_vec3 alpha = vector(sim, model, "body.table.alpha");
    assert_close(alpha.z, 4, 1e-10);
    assert_close(hypot(alpha.x, alpha.y), 0, 1e-12);
    end(sim, model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_unique_and_match_a_pattern),
      cmocka_unit_test(channels_read_the_same_in_any_order),
      cmocka_unit_test(the_page_has_the_table),
      cmocka_unit_test(what_falls_freely_accelerates_by_gravity),
      cmocka_unit_test(what_turns_uniformly_accelerates_to_its_centre),
      cmocka_unit_test(what_speeds_up_has_its_angular_acceleration),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
