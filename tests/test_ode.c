/* The integrator with events, on problems with known solutions. */
#include "solve/ode.h"
#include "testing.h"

/* ---- problems -------------------------------------------------------------- */

static int decay(void *context, double t, const double *y, double *dy) {
  (void)context, (void)t;
  dy[0] = -y[0];
  return 0;
}

static int oscillate(void *context, double t, const double *y, double *dy) {
  (void)context, (void)t;
  dy[0] = y[1];
  dy[1] = -y[0];
  return 0;
}

static int fall(void *context, double t, const double *y, double *dy) {
  (void)context, (void)t;
  dy[0] = y[1];
  dy[1] = -9.81;
  return 0;
}

static int wall(void *context, double t, const double *y, double *dy) {
  (void)context, (void)y;
  dy[0] = 1;
  return t > 0.5; /* not defined beyond */
}

static void height(void *context, double t, const double *y, double *g) {
  (void)context, (void)t;
  g[0] = y[0];
}

/* Two heights at once, and one that the motion never meets. */
static void heights(void *context, double t, const double *y, double *g) {
  (void)context, (void)t;
  g[0] = y[0] + 10;
  g[1] = y[0];
  g[2] = y[0];
}

static ff_ode *make(int size, int events, ff_ode_rates rates, ff_ode_events events_of) {
  static const double atol[2] = {1e-14, 1e-14};
  ff_ode_def def = {.size = size, .event_limit = events, .rtol = 1e-13, .max_step = INFINITY};
  def.atol = atol;
  def.rates = rates;
  def.events = events_of;
  ff_ode *ode;
  assert_int_equal(ff_ode_create(&ode, &def), FF_OK);
  return ode;
}

static void start(ff_ode *ode, double y0, double y1, int events) {
  ff_ode_state(ode)[0] = y0;
  if (!isnan(y1)) {
    ff_ode_state(ode)[1] = y1;
  }
  for (int i = 0; i < events; i++) {
    ff_ode_sides(ode)[i] = 1;
  }
  ff_ode_restart(ode, 0.0, events);
}

/* ---- tests -------------------------------------------------------------------- */

static void decays_like_exp(void **state) {
  (void)state;
  ff_ode *ode = make(1, 0, decay, NULL);
  start(ode, 1.0, NAN, 0);
  assert_int_equal(ff_ode_advance(ode, 2.0), FF_ODE_REACHED);
  assert_close(ff_ode_time(ode), 2.0, 0);
  /* each step may err by rtol and atol, 1e-13 of the value together */
  assert_near(ff_ode_state(ode)[0], exp(-2.0), 2e-13 * (double)ff_ode_steps(ode));
  ff_ode_destroy(ode);
}

static void finds_the_touch_down_to_the_last_digits(void **state) {
  (void)state;
  ff_ode *ode = make(2, 1, fall, height);
  start(ode, 0.1, 0.0, 1);
  assert_int_equal(ff_ode_advance(ode, 10.0), FF_ODE_EVENT);
  assert_near(ff_ode_time(ode), sqrt(0.2 / 9.81), 1e-14);
  assert_near(ff_ode_state(ode)[1], -sqrt(0.2 * 9.81), 1e-14);
  assert_true(ff_ode_state(ode)[0] <= 0); /* just past the event */
  ff_ode_destroy(ode);
}

static void meets_every_crossing_of_an_oscillation(void **state) {
  (void)state;
  ff_ode *ode = make(2, 1, oscillate, height);
  start(ode, 1.0, 0.0, 1);
  for (int i = 0; i < 200; i++) {
    assert_int_equal(ff_ode_advance(ode, 1e4), FF_ODE_EVENT);
    assert_near(ff_ode_time(ode), (i + 0.5) * 3.14159265358979323846, 1e-11);
    ff_ode_restart(ode, ff_ode_time(ode), 1);
  }
  ff_ode_destroy(ode);
}

static void simultaneous_events_are_all_met(void **state) {
  (void)state;
  ff_ode *ode = make(2, 3, fall, heights);
  start(ode, 0.1, 0.0, 3);
  int met[3] = {0};
  double touch = sqrt(0.2 / 9.81);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(ff_ode_advance(ode, 0.2), FF_ODE_EVENT);
    assert_near(ff_ode_time(ode), touch, 1e-13);
    met[ff_ode_event(ode)]++;
    ff_ode_restart(ode, ff_ode_time(ode), 3);
  }
  assert_int_equal(met[1], 1);
  assert_int_equal(met[2], 1);
  assert_int_equal(ff_ode_advance(ode, 0.2), FF_ODE_REACHED);
  ff_ode_destroy(ode);
}

/* A body let go at the surface: the event function leaves zero without slope. */
static void an_event_without_slope_is_met_once(void **state) {
  (void)state;
  ff_ode *ode = make(2, 1, fall, height);
  start(ode, 0.0, 0.0, 1);
  assert_int_equal(ff_ode_advance(ode, 0.1), FF_ODE_EVENT);
  assert_true(ff_ode_time(ode) < 1e-6);
  ff_ode_restart(ode, ff_ode_time(ode), 1);
  assert_int_equal(ff_ode_advance(ode, 0.1), FF_ODE_REACHED);
  ff_ode_destroy(ode);
}

/* After an event the next step starts tiny; a stop right behind it must not make it vanish. */
static void stops_may_follow_an_event_closely(void **state) {
  (void)state;
  ff_ode *ode = make(2, 1, fall, height);
  start(ode, 0.0, -1.0, 1); /* crosses at once */
  assert_int_equal(ff_ode_advance(ode, 1e-12), FF_ODE_EVENT);
  ff_ode_restart(ode, ff_ode_time(ode), 1);
  for (int i = 1; i <= 3; i++) {
    assert_int_equal(ff_ode_advance(ode, i * 1e-12), FF_ODE_REACHED);
    assert_near(ff_ode_state(ode)[0], -i * 1e-12, 1e-9);
  }
  ff_ode_destroy(ode);
}

/* Inside a step the solution is as good as at its ends, and asking changes nothing. */
static void the_solution_inside_a_step(void **state) {
  (void)state;
  ff_ode *ode = make(2, 0, oscillate, NULL);
  start(ode, 1.0, 0.0, 0);
  double t = 0, y[2];
  for (int i = 0; i < 50; i++) {
    double before = t;
    assert_int_equal(ff_ode_step(ode, 1e4), FF_ODE_STEPPED);
    t = ff_ode_time(ode);
    double now = ff_ode_state(ode)[0];
    for (int part = 0; part <= 4; part++) {
      double at = before + (t - before) * part / 4;
      assert_true(ff_ode_inside(ode, at, y));
      assert_close(y[0], cos(at), 1e-11);
      assert_close(y[1], -sin(at), 1e-11);
    }
    assert_true(ff_ode_state(ode)[0] == now && ff_ode_time(ode) == t);
  }
  ff_ode_destroy(ode);
}

static void failure_keeps_the_last_good_state(void **state) {
  (void)state;
  ff_ode *ode = make(1, 0, wall, NULL);
  start(ode, 0.0, NAN, 0);
  assert_int_equal(ff_ode_advance(ode, 1.0), FF_ODE_FAILED);
  assert_true(ff_ode_time(ode) <= 0.5 && ff_ode_time(ode) > 0.49);
  assert_close(ff_ode_state(ode)[0], ff_ode_time(ode), 1e-12);
  ff_ode_destroy(ode);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(decays_like_exp),
      cmocka_unit_test(finds_the_touch_down_to_the_last_digits),
      cmocka_unit_test(meets_every_crossing_of_an_oscillation),
      cmocka_unit_test(simultaneous_events_are_all_met),
      cmocka_unit_test(an_event_without_slope_is_met_once),
      cmocka_unit_test(stops_may_follow_an_event_closely),
      cmocka_unit_test(the_solution_inside_a_step),
      cmocka_unit_test(failure_keeps_the_last_good_state),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
