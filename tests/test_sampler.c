/* Samples: steps do not depend on their times, and values between steps are accurate. */
#include "scene_text.h"
#include "sim/sim.h"

#include <math.h>

/* ---- recording never changes the steps ------------------------------------------------------- */

static const char *const stepper_keys[] = {
    "{kind: adaptive, rtol: 1e-7, atol: 1e-9, max-step: 5e-3}",
    "{kind: rk4, step: 5e-4}",
    "{kind: heun, step: 5e-4}",
    "{kind: symplectic-euler, step: 5e-4}",
    "{kind: quasi-rigid, step: 5e-4}",
    "{kind: micro-macro, step: 5e-4}"};
enum { STEPPERS = sizeof stepper_keys / sizeof *stepper_keys };

static const char *laws_of(int stepper) {
  switch (stepper) {
    case 4: return "{law: quasi-rigid, k: 2e4, c: 20}, friction: {law: ellipsoidal, mu: 0.5}";
    case 5: return "{law: elastic, k: 2e4, c: 20}, friction: {law: coulomb, mu_static: 0.5}";
    default:
      return "{law: hunt-crossley, k: 2e4, n: 1, alpha: 0.4}, friction: {law: coulomb, "
             "mu_static: 0.5, v_t: 0.05}";
  }
}

/* A box that tumbles on the ground and a ball on a drive with phases, for 0.1203 s: the last step
 * of fixed steppers is shortened. */
static ff_sim *busy_scene(ff_model **model, int stepper) {
  char text[2048];
  snprintf(
      text, sizeof text,
      "footfall: 1\nduration: 0.1203\nstepper: %s\nbodies:\n"
      "  floor: {fixed: true, shape: {half-space: {}}}\n"
      "  box: {density: 600, shape: {box: {size: [0.2, 0.14, 0.1]}}, position: [0, 0, 0.16],\n"
      "    orientation: {rpy: [0.4, 0.6, 0.2]}, velocity: [0.6, 0.1, -1], omega: [1, 9, 0.5]}\n"
      "  ball: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [1, 0, 0.101]}\n"
      "drives:\n  lift: {body: ball, axis: [0, 0, 1], phases: [{kind: force, until: 0.0333, "
      "force: 20}, {kind: position, until: 0.08, stiffness: 500, start: actual, velocity: "
      "0.2}, {kind: force, force: 0}]}\n"
      "contacts:\n  - {pair: [box, floor], normal: %s}\n"
      "  - {pair: [ball, floor], normal: %s}\n",
      stepper_keys[stepper], laws_of(stepper), laws_of(stepper));
  return sim_of(model, text, NULL);
}

/* Runs with samples at multiples of `every` (s; 0: at the end alone), of all channels. Returns the
 * number of samples. */
static int sample_run(ff_sim *sim, const ff_model *model, double every) {
  int count = ff_model_channel_count(model), samples = 0;
  int *channels = calloc((size_t)count, sizeof *channels);
  double *row = calloc((size_t)count, sizeof *row), t = 0;
  double duration = ff_model_run(model)->duration;
  ff_sampler *sampler;
  for (int i = 0; i < count; i++) {
    channels[i] = i;
  }
  assert_int_equal(ff_sampler_create(&sampler, sim, channels, count), FF_OK);
  for (int k = 0; t < duration; k++) {
    t = every > 0 ? fmin(k * every, duration) : duration;
    assert_int_equal(ff_sampler_at(sampler, t, duration, row), FF_OK);
    samples++;
  }
  ff_sampler_destroy(&sampler);
  free(channels);
  free(row);
  return samples;
}

static void final_states_do_not_depend_on_the_samples(void **state) {
  (void)state;
  static const double every[] = {1e-4, 3.7e-4, 5e-4, 1e-3, 1.1e-3, 0.0333, 0.05};
  for (int s = 0; s < STEPPERS; s++) {
    ff_model *model, *other_model;
    ff_sim *sim = busy_scene(&model, s);
    sample_run(sim, model, 0);
    assert_true(ff_sim_time(sim) == 0.1203);
    ff_audit audit = ff_sim_audit(sim);
    assert_true(s > 0 || audit.events > 2); /* contacts begin and end */
    for (size_t e = 0; e < sizeof every / sizeof *every; e++) {
      ff_sim *other = busy_scene(&other_model, s);
      sample_run(other, other_model, every[e]);
      assert_int_equal(sim->state.size, other->state.size);
      assert_memory_equal(sim->state.y, other->state.y,
                          (size_t)sim->state.size * sizeof *sim->state.y);
      ff_audit again = ff_sim_audit(other);
      assert_int_equal(audit.steps, again.steps);
      assert_int_equal(audit.evaluations, again.evaluations);
      assert_true(audit.energy_residual == again.energy_residual);
      end(other, other_model);
    }
    end(sim, model);
  }
}

/* Samples at the ends of steps are the state there, to the bit. */
static void samples_at_step_ends_are_the_states(void **state) {
  (void)state;
  for (int s = 1; s < STEPPERS; s++) {
    ff_model *model, *other_model;
    ff_sim *sim = busy_scene(&model, s), *other = busy_scene(&other_model, s);
    int height = channel_find(model, "body.box.position.z");
    ff_sampler *sampler;
    assert_int_equal(ff_sampler_create(&sampler, sim, &height, 1), FF_OK);
    for (int k = 1; k <= 100; k++) {
      double z;
      assert_int_equal(ff_sampler_at(sampler, k * 5e-4, 0.1203, &z), FF_OK);
      assert_int_equal(ff_sim_step(other), FF_OK);
      assert_true(z == channel(other, other_model, "body.box.position.z"));
    }
    ff_sampler_destroy(&sampler);
    end(sim, model);
    end(other, other_model);
  }
}

/* ---- accuracy -------------------------------------------------------------------------------- */

/* A ball on a spring without damping, z = z0 + a cos(w t), which also spins about a wandering axis:
 * a body with three moments of inertia. */
static const char smooth[] =
    "footfall: 1\nduration: 1\ngravity: [0, 0, 0]\nstepper: {kind: rk4, step: 1e-2}\nbodies:\n"
    "  box: {mass: 1, inertia: [0.01, 0.02, 0.025], position: [0, 0, 0.5], omega: [3, 4, 5]}\n"
    "drives:\n  spring: {body: box, axis: [0, 0, 1], reference: [0, 0, 0], phases: [{kind: "
    "position, "
    "stiffness: 100, start: 0, velocity: 0}]}\n";

/* Largest error of sampled position and orientation against a run of a hundredth of the step. */
static void sample_errors(const char *setting, double *position, double *orientation) {
  static const char *const names[] = {"body.box.position.z", "body.box.orientation.w",
                                      "body.box.orientation.x", "body.box.orientation.y",
                                      "body.box.orientation.z"};
  ff_model *model, *fine_model;
  ff_sim *sim = sim_of(&model, smooth, setting);
  ff_sim *fine = sim_of(&fine_model, smooth, "stepper={kind: rk4, step: 1e-4}");
  int channels[5];
  double row[5], exact[5];
  for (int i = 0; i < 5; i++) {
    channels[i] = channel_find(model, names[i]);
  }
  ff_sampler *sampler;
  assert_int_equal(ff_sampler_create(&sampler, sim, channels, 5), FF_OK);
  *position = *orientation = 0;
  for (int k = 1; k < 271; k++) {
    double t = 0.0037 * k;
    assert_int_equal(ff_sampler_at(sampler, t, 1, row), FF_OK);
    assert_int_equal(ff_sim_advance(fine, t), FF_OK);
    ff_sim_read(fine, channels, 5, exact);
    *position = fmax(*position, fabs(row[0] - exact[0]));
    for (int i = 1; i < 5; i++) {
      *orientation = fmax(*orientation, fabs(row[i] - exact[i]));
    }
  }
  ff_sampler_destroy(&sampler);
  end(sim, model);
  end(fine, fine_model);
}

/* Cubic interpolation: the fourth power of the step; the step itself, rk4, has the same order. */
static void interpolation_is_of_fourth_order(void **state) {
  (void)state;
  double coarse[2], fine[2];
  sample_errors("stepper={kind: rk4, step: 2e-2}", &coarse[0], &coarse[1]);
  sample_errors("stepper={kind: rk4, step: 1e-2}", &fine[0], &fine[1]);
  for (int i = 0; i < 2; i++) {
    assert_true(coarse[i] > 1e-9); /* an error that can be measured */
    assert_true(log2(coarse[i] / fine[i]) > 3.5);
  }
}

/* `adaptive` evaluates its solution: no error of interpolation, though its steps are 30 ms. */
static void samples_of_adaptive_are_its_solution(void **state) {
  (void)state;
  double position, orientation;
  sample_errors("stepper={kind: adaptive, rtol: 1e-11, atol: 1e-13, max-step: 1}", &position,
                &orientation);
  assert_true(position < 1e-9); /* of the reference */
  assert_true(orientation < 1e-8);
}

/* ---- misuse ---------------------------------------------------------------------------------- */

static void times_before_the_last_step_are_refused(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = sim_of(&model, smooth, NULL);
  ff_sampler *sampler, *none;
  double value;
  int wrong = 100000;
  assert_int_equal(ff_sampler_create(&sampler, sim, &wrong, 1), FF_OK);
  assert_int_equal(ff_sampler_at(sampler, 0.051, 1, &value), FF_OK);
  assert_true(isnan(value));
  assert_int_equal(ff_sampler_at(sampler, 0.054, 1, &value), FF_OK);
  assert_int_equal(ff_sampler_at(sampler, 0.0505, 1, &value), FF_OK);
  assert_int_equal(ff_sampler_at(sampler, 0.049, 1, &value), FF_ERROR_INPUT);
  assert_int_equal(ff_sampler_at(sampler, 0.1, 0.09, &value), FF_ERROR_INPUT);
  assert_int_equal(ff_sampler_at(sampler, NAN, 1, &value), FF_ERROR_INPUT);
  assert_int_equal(ff_sampler_at(NULL, 1, 1, &value), FF_ERROR_INPUT);
  assert_int_equal(ff_sim_advance(sim, 0.055), FF_OK); /* is there already: nothing happens */
  assert_int_equal(ff_sim_advance(sim, 0.075), FF_OK);
  assert_int_equal(ff_sampler_at(sampler, 0.072, 1, &value), FF_ERROR_INPUT);
  assert_int_equal(ff_sampler_at(sampler, 0.075, 1, &value), FF_OK);
  assert_int_equal(ff_sampler_create(&none, NULL, NULL, 0), FF_ERROR_INPUT);
  assert_null(none);
  ff_sampler_destroy(&sampler);
  ff_sampler_destroy(NULL);
  end(sim, model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(final_states_do_not_depend_on_the_samples),
      cmocka_unit_test(samples_at_step_ends_are_the_states),
      cmocka_unit_test(interpolation_is_of_fourth_order),
      cmocka_unit_test(samples_of_adaptive_are_its_solution),
      cmocka_unit_test(times_before_the_last_step_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
