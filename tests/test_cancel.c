/* Steps that do not come to their end: cancelled from outside, or given up. */
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "jammed.h"
#include "scene_text.h"
#include "sim/sim.h"

static const char dropped[] = "footfall: 1\n"
                              "duration: 1\n"
                              "bodies:\n"
                              "  floor: {fixed: true, shape: {half-space: {}}}\n"
                              "  ball: {mass: 1, position: [0, 0, 0.0999], velocity: [1, 0, -1], "
                              "shape: {sphere: {radius: 0.1}}}\n";

/* The same under a stepper, with contacts that it can run. */
static const char *dropped_under(const char *stepper) {
  static char text[1024];
  static const char *const normals[] = {
      [FF_CONTACTS_BY_FORCE] = "{law: hunt-crossley, k: 1e5, n: 1.5, alpha: 0.2}",
      [FF_CONTACTS_BY_LAYER] = "{law: quasi-rigid, k: 2e4, c: 20, max_deflection: 1e-3}",
      [FF_CONTACTS_BY_GROUND] = "{law: rigid}"};
  const ff_stepper_info *info = ff_stepper_find(stepper);
  snprintf(text, sizeof text,
           "%sstepper: {kind: %s%s}\ncontacts: [{pair: [ball, floor], normal: %s}]\n", dropped,
           stepper, info->fixed_step ? ", step: 1e-4" : "", normals[info->contacts]);
  return text;
}

static void cancelled_before_it_begins_no_step_is_taken(void **state) {
  (void)state;
  for (int i = 0; i < ff_stepper_count(); i++) {
    ff_model *model;
    ff_sim *sim = sim_of(&model, dropped_under(ff_stepper_at(i)->name), NULL);
    assert_int_equal(ff_sim_advance(sim, 0.01), FF_OK);
    double t = ff_sim_time(sim);
    ff_body_state before = ff_sim_body(sim, (ff_body){.id = 2}), after;
    for (int k = 0; k < 2; k++) {
      ff_sim_cancel(sim);
      assert_int_equal(k ? ff_sim_step(sim) : ff_sim_advance(sim, 1), FF_CANCELLED);
      after = ff_sim_body(sim, (ff_body){.id = 2});
      assert_true(ff_sim_time(sim) == t);
      assert_memory_equal(&before, &after, sizeof before);
    }
    assert_int_equal(ff_sim_advance(sim, 0.02), FF_OK); /* it was heard, and is over */
    end(sim, model);
  }
}

/* As if somebody had cancelled while the stepper was at work. */
static void steppers_that_may_take_long_look_inside_a_step(void **state) {
  (void)state;
  static const char *const steppers[] = {"adaptive", "quasi-rigid", "micro-macro"};
  for (int i = 0; i < 3; i++) {
    ff_model *model;
    ff_sim *sim = sim_of(&model, dropped_under(steppers[i]), NULL);
    assert_int_equal(ff_sim_advance(sim, 1e-3), FF_OK);
    assert_true(ff_sim_contact_count(sim) > 0);
    double t = ff_sim_time(sim);
    size_t bytes = (size_t)sim->state.size * sizeof(double);
    double *before = malloc(bytes);
    memcpy(before, sim->state.y, bytes);
    ff_sim_cancel(sim);
    assert_int_equal(sim->stepper->step(&sim->work, t + 1e-4), FF_CANCELLED);
    assert_true(ff_sim_time(sim) == t);
    assert_memory_equal(before, sim->state.y, bytes);
    free(before);
    end(sim, model);
  }
}

static ff_sim *running;

static void cancel(int number) {
  (void)number;
  ff_sim_cancel(running);
}

/* After five hundredths of a second of CPU time, of which the step needs one or two. */
static void cancel_soon(ff_sim *sim) {
  running = sim;
  struct sigaction action = {.sa_handler = cancel};
  sigaction(SIGALRM, &action, NULL);
  timer_t timer;
  assert_int_equal(timer_create(CLOCK_PROCESS_CPUTIME_ID, NULL, &timer), 0);
  struct itimerspec soon = {.it_value = {.tv_nsec = 50000000}};
  assert_int_equal(timer_settime(timer, 0, &soon, NULL), 0);
}

static void a_long_step_is_cancelled_by_a_signal(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = sim_of(&model, jammed(0), NULL);
  ff_body_state before = ff_sim_body(sim, (ff_body){.id = 2});
  cancel_soon(sim);
  assert_int_equal(ff_sim_step(sim), FF_CANCELLED); /* FF_ERROR_STEP: it was not heard */
  ff_body_state after = ff_sim_body(sim, (ff_body){.id = 2});
  assert_true(ff_sim_time(sim) == 0);
  assert_memory_equal(&before, &after, sizeof before);
  ff_report why;
  ff_sim_failure(sim, &why);
  assert_string_equal(why.what, ""); /* it did not fail */
  end(sim, model);
}

static void a_long_run_is_cancelled_between_steps(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = sim_of(&model, dropped_under("rk4"), NULL);
  cancel_soon(sim);
  assert_int_equal(ff_sim_advance(sim, 1e9), FF_CANCELLED);
  double t = ff_sim_time(sim);
  assert_true(t > 0);
  assert_close(t / 1e-4, nearbyint(t / 1e-4), 1e-6); /* a whole number of steps */
  end(sim, model);
}

static void a_step_that_is_given_up_says_why(void **state) {
  (void)state;
  ff_report first, why;
  for (int i = 0; i < 2; i++) { /* at the same place every time: no clock has a say */
    ff_model *model;
    ff_sim *sim = sim_of(&model, jammed(5), NULL);
    ff_body_state before = ff_sim_body(sim, (ff_body){.id = 2});
    ff_sim_failure(sim, &why);
    assert_string_equal(why.what, "");
    assert_int_equal(ff_sim_step(sim), FF_ERROR_STEP);
    ff_body_state after = ff_sim_body(sim, (ff_body){.id = 2});
    assert_memory_equal(&before, &after, sizeof before);
    ff_sim_failure(sim, &why);
    assert_non_null(strstr(why.key, ":"));
    assert_non_null(strstr(why.what, "5 bodies"));
    assert_non_null(strstr(why.what, "jammed"));
    first = i == 0 ? why : first;
    end(sim, model);
  }
  assert_memory_equal(&first, &why, sizeof why);
}

/* All that a step may take is known, and it ends there. */
static void no_step_takes_more_than_it_may(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = sim_of(&model, jammed(0), NULL);
  assert_int_equal(ff_sim_step(sim), FF_ERROR_STEP);
  double effort = ff_sim_solver(sim).effort;
  assert_true(effort > 0.5 && effort < 1.1);
  ff_report why;
  ff_sim_failure(sim, &why);
  assert_non_null(strstr(why.what, "work limit of a step exhausted"));
  end(sim, model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cancelled_before_it_begins_no_step_is_taken),
      cmocka_unit_test(steppers_that_may_take_long_look_inside_a_step),
      cmocka_unit_test(a_long_step_is_cancelled_by_a_signal),
      cmocka_unit_test(a_long_run_is_cancelled_between_steps),
      cmocka_unit_test(a_step_that_is_given_up_says_why),
      cmocka_unit_test(no_step_takes_more_than_it_may),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
