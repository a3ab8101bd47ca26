/* Every published number of every law, by an integration that shares nothing with the library
 * but the law itself: m x'' = -f(x, x') from touch to lift, RK4 with tiny steps that stop
 * short of kinks and of the end. */
#include "footfall/law.h"
#include "testing.h"

typedef struct impact {
  const ff_law *law;
  ff_law_params params;
  double mass;
} impact;

typedef struct state {
  double t, x, v;
} state;

/* The columns of `footfall impact`. */
typedef struct outcome {
  double restitution, depth_max, force_max, time_force_max, duration, energy_lost;
} outcome;

/* ---- the equation of motion -------------------------------------------------------- */

static ff_normal normal_at(const impact *im, double x, double v) {
  ff_patch patch = {.depth = x, .depth_rate = v};
  ff_normal out;
  im->law->normal(im->params.values, &patch, &out);
  return out;
}

static double force(const impact *im, state s) {
  return normal_at(im, s.x, s.v).force;
}

static bool above_kink(const impact *im, state s) {
  ff_patch patch = {.depth = s.x, .depth_rate = s.v};
  return !im->law->kink || im->law->kink(im->params.values, &patch) > 0;
}

/* One RK4 step; false if a stage left the contact or, when it matters, crossed a kink. */
static bool rk4(const impact *im, state *s, double h, bool mind_kinks) {
  static const double reach[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
  bool above = above_kink(im, *s);
  double dx = 0, dv = 0, sum_x = 0, sum_v = 0;
  for (int i = 0; i < 4; i++) {
    state stage = {s->t, s->x + reach[i] * h * dx, s->v + reach[i] * h * dv};
    if (stage.x < 0 || (mind_kinks && above_kink(im, stage) != above)) {
      return false;
    }
    dx = stage.v;
    dv = -force(im, stage) / im->mass;
    sum_x += weight[i] * dx;
    sum_v += weight[i] * dv;
  }
  state end = {s->t + h, s->x + h / 6 * sum_x, s->v + h / 6 * sum_v};
  if (end.x < 0 || (mind_kinks && above_kink(im, end) != above)) {
    return false;
  }
  *s = end;
  return true;
}

/* ---- peaks ----------------------------------------------------------------------------- */

/* Top of the parabola through the last three points; the points need not be evenly spaced. */
typedef struct peak {
  double t[3], y[3];
  double top, when;
} peak;

static void peak_add(peak *p, double t, double y) {
  for (int i = 0; i < 2; i++) {
    p->t[i] = p->t[i + 1];
    p->y[i] = p->y[i + 1];
  }
  p->t[2] = t;
  p->y[2] = y;
  if (y > p->top) {
    p->top = y;
    p->when = t;
  }
  if (p->y[1] > p->y[0] && p->y[1] >= p->y[2] && p->y[1] == p->top && p->t[0] < p->t[1]) {
    double a = (p->y[1] - p->y[0]) / (p->t[1] - p->t[0]);
    double b = (p->y[2] - p->y[1]) / (p->t[2] - p->t[1]);
    double curve = (b - a) / (p->t[2] - p->t[0]);
    double when = 0.5 * (p->t[0] + p->t[1]) - 0.5 * a / curve;
    p->top = p->y[1] - curve * (when - p->t[1]) * (when - p->t[1]);
    p->when = when;
  }
}

/* ---- the impact -------------------------------------------------------------------------- */

/* Time to cross the depth at which the spring alone would have stopped the mass. */
static double time_scale(const impact *im, double speed) {
  double low = 0, high = 1e3, energy = 0.5 * im->mass * speed * speed;
  for (int i = 0; i < 200; i++) {
    double middle = 0.5 * (low + high);
    *(normal_at(im, middle, 0).energy > energy ? &high : &low) = middle;
  }
  return high / speed;
}

static outcome run(const impact *im, double speed, int steps) {
  state s = {0, 0, speed};
  double scale = time_scale(im, speed), big = scale / steps, tiny = 1e-15 * scale, h = big;
  peak f = {.top = -INFINITY}, x = {.top = -INFINITY};
  peak_add(&f, 0, force(im, s));
  /* The force may begin as the root of time: steps begin tiny and grow with time until big. */
  double growth = 1.0 / 64;
  h = 1e-9 * scale;
  for (long tries = 0; h > tiny; tries++) {
    if (tries > 1000L * steps) {
      fail_msg("%s: the impact does not end", im->law->name);
    }
    if (rk4(im, &s, h, true)) {
      peak_add(&f, s.t, force(im, s));
      peak_add(&x, s.t, s.x);
      h = h < growth * s.t ? fmin(growth * s.t, big) : h;
    } else if (h > 2 * tiny) {
      h *= 0.5;
    } else if (rk4(im, &s, h, false)) {
      h = big; /* over the kink, and on */
    } else {
      break; /* lifted off */
    }
  }
  double e = -s.v / speed;
  return (outcome){e, x.top, f.top, f.when, s.t, 0.5 * im->mass * (speed * speed - s.v * s.v)};
}

static double quantity(const outcome *o, const char *name) {
  const struct {
    const char *name;
    double value;
  } columns[] = {{"restitution", o->restitution}, {"depth_max", o->depth_max},
                 {"force_max", o->force_max},     {"time_force_max", o->time_force_max},
                 {"duration", o->duration},       {"energy_lost", o->energy_lost}};
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
    if (strcmp(columns[i].name, name) == 0) {
      return columns[i].value;
    }
  }
  fail_msg("no column '%s'", name);
  return NAN;
}

/* ---- tests --------------------------------------------------------------------------------- */

/* "k=1e4 n=1" */
static void apply(const char *settings, const ff_law *law, ff_law_params *params) {
  ff_law_params_default(law, params);
  char name[32];
  double value;
  int used;
  while (sscanf(settings, " %31[^= ]=%lf%n", name, &value, &used) == 2) {
    assert_int_equal(ff_law_params_set(law, params, name, value, NULL), FF_OK);
    settings += used;
  }
  assert_string_equal(settings, "");
  assert_int_equal(ff_law_params_resolve(law, params, NULL, NULL), FF_OK);
}

static void published_numbers_are_met(void **unused) {
  (void)unused;
  int checked = 0;
  for (int i = 0; i < ff_law_count(); i++) {
    const ff_law *law = ff_law_at(i);
    for (int j = 0; j < law->published_count; j++) {
      const ff_published *row = &law->published[j];
      impact im = {.law = law, .mass = row->mass};
      apply(row->settings, law, &im.params);
      outcome o = run(&im, row->speed, 10000);
      double found = quantity(&o, row->quantity);
      if (!(fabs(found - row->value) <= row->tolerance * fabs(row->value))) {
        fail_msg("%s %s %s m=%g v=%g: %s = %.12g, published %.12g within %.2g", law->name,
                 row->source, row->settings, row->mass, row->speed, row->quantity, found,
                 row->value, row->tolerance);
      }
      checked++;
    }
  }
  assert_true(checked > 0);
}

/* What the impacts above are worth: halving the steps hardly changes anything. Times of a
 * maximum converge slowest, with the square of the step. */
static void the_integration_has_converged(void **unused) {
  (void)unused;
  for (int i = 0; i < ff_law_count(); i++) {
    const ff_law *law = ff_law_at(i);
    for (int j = 0; j < law->published_count; j++) {
      const ff_published *row = &law->published[j];
      impact im = {.law = law, .mass = row->mass};
      apply(row->settings, law, &im.params);
      outcome coarse = run(&im, row->speed, 10000), fine = run(&im, row->speed, 20000);
      assert_near(coarse.restitution, fine.restitution, 1e-11);
      assert_near(coarse.depth_max, fine.depth_max, 1e-11);
      assert_near(coarse.force_max, fine.force_max, 1e-11);
      assert_near(coarse.duration, fine.duration, 1e-11);
      assert_close(coarse.time_force_max, fine.time_force_max, 1e-8 * fine.duration);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(published_numbers_are_met),
      cmocka_unit_test(the_integration_has_converged),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
