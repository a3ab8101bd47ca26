/* The foot scenes: the published example to its last digit, and variants of it against brute
 * force, which knows the equations of the paper but nothing of the engine. */
#include "worlds.h"

/* ---- the engine ----------------------------------------------------------------------------- */

/* What is compared. */
typedef struct result {
  double depth_placed; /* m, at 0.1 s */
  double force_loaded; /* N, at 0.6 s */
  double peak, peak_time, deepest;
  double lift_time, lift_speed;
  int touches, lifts;
} result;

static void note(void *context, const ff_event *event) {
  result *r = context;
  if (event->kind == FF_EVENT_TOUCH) {
    r->touches++;
  } else if (event->kind == FF_EVENT_LIFT) {
    r->lifts++;
    r->peak = event->peak_force;
    r->peak_time = event->peak_time;
    r->deepest = event->peak_depth;
    r->lift_time = event->time;
    r->lift_speed = event->speed;
  }
}

static world load(const char *name, const char *const *set, int count) {
  world w = {0};
  char path[512];
  ff_report report = {0};
  snprintf(path, sizeof path, "%s/scenes/%s.yaml", FF_SOURCE_DIR, name);
  assert_int_equal(ff_scene_load(&w.scene, path, set, count, &report), FF_OK);
  world_start(&w);
  return w;
}

static double height(const world *w) {
  return ff_sim_body(w->sim, ff_model_body_find(w->model, "foot")).position.z;
}

static result simulate(const char *name, const char *const *set, int count) {
  world w = load(name, set, count);
  result r = {0};
  ff_sim_on_event(w.sim, note, &r);
  assert_int_equal(world_advance(&w, 0.1), FF_OK);
  r.depth_placed = 0.05 - height(&w);
  assert_int_equal(world_advance(&w, 0.6), FF_OK);
  r.force_loaded = ff_sim_contact_count(w.sim) == 1 ? ff_sim_contact(w.sim, 0).force_n : 0;
  assert_int_equal(world_advance(&w, ff_model_run(w.model)->duration), FF_OK);
  assert_int_equal(ff_sim_audit(w.sim).verdict, FF_VERDICT_GOOD);
  world_end(&w);
  return r;
}

/* ---- brute force: fixed steps of the classical Runge-Kutta method
 * --------------------------------- */

typedef struct foot {
  double mass, k, n, alpha, stiffness, load, gravity;
  bool clamp;
  double lifted_from; /* m, depth at 0.6 s */
} foot;

typedef struct motion {
  double t, x, v;
} motion;

static double ground(const foot *f, double x, double v) {
  double force = x > 0 ? f->k * pow(x, f->n) * (1 + 1.5 * f->alpha * v) : 0;
  return f->clamp ? fmax(force, 0) : force;
}

static double leg(const foot *f, int phase, double t, double x) {
  double placing = 2 * t - 10 * t * t, lifting = f->lifted_from - 2 * (t - 0.6);
  return phase == 1 ? f->load : f->stiffness * ((phase == 0 ? placing : lifting) - x);
}

static double acceleration(const foot *f, int phase, motion m) {
  return f->gravity + (leg(f, phase, m.t, m.x) - ground(f, m.x, m.v)) / f->mass;
}

static motion move(const foot *f, int phase, motion m, double h) {
  const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
  double x = 0, v = 0, kx = 0, kv = 0;
  for (int i = 0; i < 4; i++) {
    motion stage = {m.t + at[i] * h, m.x + at[i] * h * kx, m.v + at[i] * h * kv};
    kv = acceleration(f, phase, stage);
    kx = stage.v;
    x += weight[i] * kx;
    v += weight[i] * kv;
  }
  return (motion){m.t + h, m.x + h / 6 * x, m.v + h / 6 * v};
}

/* Rate of the ground's force by the chain rule. */
static double force_rate(const foot *f, int phase, motion m) {
  double spring = f->k * pow(m.x, f->n), gain = 1 + 1.5 * f->alpha * m.v;
  return f->n * spring / m.x * m.v * gain + spring * 1.5 * f->alpha * acceleration(f, phase, m);
}

static double depth_of(const foot *f, int phase, motion m) {
  (void)f, (void)phase;
  return m.x;
}

/* Where within the step the measure comes to zero from above. */
static motion zero_in_step(const foot *f, int phase, motion m, double h,
                           double (*measure)(const foot *, int, motion)) {
  double low = 0, high = h;
  for (int i = 0; i < 60; i++) {
    double middle = (low + high) / 2;
    *(measure(f, phase, move(f, phase, m, middle)) > 0 ? &low : &high) = middle;
  }
  return move(f, phase, m, high);
}

static void watch_peak(result *r, const foot *f, int phase, motion m, motion next, double h) {
  if (m.x > 0 && next.x > 0 && force_rate(f, phase, m) > 0 && force_rate(f, phase, next) <= 0) {
    motion top = zero_in_step(f, phase, m, h, force_rate);
    if (ground(f, top.x, top.v) > r->peak) {
      r->peak = ground(f, top.x, top.v);
      r->peak_time = top.t;
    }
  }
}

static result brute_force(foot f) {
  enum { STEPS = 70000 };
  const double h = 0.7 / STEPS;
  motion m = {0, 0, 2};
  result r = {0};
  for (int i = 0; i < STEPS; i++) {
    int phase = i < STEPS / 7 ? 0 : i < STEPS / 7 * 6 ? 1 : 2;
    r.depth_placed = i == STEPS / 7 ? m.x : r.depth_placed;
    if (i == STEPS / 7 * 6) {
      r.force_loaded = ground(&f, m.x, m.v);
      f.lifted_from = m.x;
    }
    m.t = i * h;
    motion next = move(&f, phase, m, h);
    watch_peak(&r, &f, phase, m, next, h);
    if (m.x > 0 && next.x <= 0) {
      motion off = zero_in_step(&f, phase, m, h, depth_of);
      r.lift_time = off.t;
      r.lift_speed = -off.v;
      r.lifts++;
    }
    m = next;
  }
  return r;
}

/* Tolerance: what simulated runs under `adaptive` promise. */
static void compare(const result *found, const result *expected) {
  assert_near(found->depth_placed, expected->depth_placed, 1e-7);
  assert_near(found->force_loaded, expected->force_loaded, 1e-7);
  assert_near(found->peak, expected->peak, 1e-7);
  assert_near(found->peak_time, expected->peak_time, 1e-7);
  assert_near(found->lift_time, expected->lift_time, 1e-7);
  assert_near(found->lift_speed, expected->lift_speed, 1e-7);
  assert_int_equal(found->touches, 1);
  assert_int_equal(found->lifts, expected->lifts);
}

/* ---- tests
 * ------------------------------------------------------------------------------------------ */

/* Half a unit of the last printed digit. */
static void the_example_to_its_last_digit(void **state) {
  (void)state;
  result r = simulate("walking-foot", NULL, 0);
  assert_close(r.peak, 2323.92701, 5e-6);
  assert_close(r.peak_time, .016163935, 5e-10);
  assert_close(r.depth_placed, .0239644163, 5e-11);
  assert_close(r.force_loaded, 999.96912, 5e-6);
  assert_close(r.lift_time, .632147543, 5e-10);
  assert_close(r.lift_speed, 1.2016645, 5e-8);
  assert_int_equal(r.touches, 1); /* no separation while placing */
  assert_int_equal(r.lifts, 1);
}

static result simulate_foot(const char *name, const foot *f) {
  char text[7][96];
  const char *set[7];
  snprintf(text[0], 96, "bodies.foot.mass=%.17g", f->mass);
  snprintf(text[1], 96, "contacts.0.normal.k=%.17g", f->k);
  snprintf(text[2], 96, "contacts.0.normal.n=%.17g", f->n);
  snprintf(text[3], 96, "contacts.0.normal.alpha=%.17g", f->alpha);
  snprintf(text[4], 96, "drives.leg.phases.0.stiffness=%.17g", f->stiffness);
  snprintf(text[5], 96, "drives.leg.phases.2.stiffness=%.17g", f->stiffness);
  snprintf(text[6], 96, "drives.leg.phases.1.force=%.17g", f->load);
  for (int i = 0; i < 7; i++) {
    set[i] = text[i];
  }
  return simulate(name, set, 7);
}

static void variants_as_by_brute_force(void **state) {
  (void)state;
  const foot feet[] = {
      {25, 5e4, 1, 0.5, 2e4, 1000, 0, true, 0},  {25, 5e4, 1, 0.5, 2e4, 1500, 0, true, 0},
      {12, 8e4, 1, 0.8, 1.5e4, 700, 0, true, 0}, {40, 6e4, 1, 1.2, 2.5e4, 1200, 0, true, 0},
      {25, 4e5, 1.5, 0.6, 2e4, 900, 0, true, 0}, {18, 3e6, 2, 0.7, 1e4, 1100, 0, true, 0},
  };
  for (size_t i = 0; i < sizeof feet / sizeof *feet; i++) {
    result found = simulate_foot("walking-foot", &feet[i]), expected = brute_force(feet[i]);
    compare(&found, &expected);
  }
}

static void gravity_as_by_brute_force(void **state) {
  (void)state;
  const foot feet[] = {{25, 5e4, 1, 0.5, 2e4, 1000, 9.81, true, 0},
                       {40, 7e4, 1, 0.9, 2e4, 800, 9.81, true, 0},
                       {15, 4e5, 1.5, 0.8, 2e4, 900, 9.81, true, 0}};
  for (size_t i = 0; i < sizeof feet / sizeof *feet; i++) {
    result found = simulate_foot("walking-foot-gravity", &feet[i]), expected = brute_force(feet[i]);
    compare(&found, &expected);
  }
}

/* [Marhefka96 Sec. 5] says outward: up to about 1218 N. Above, only the clamp keeps it so. */
static void above_a_load_lifting_would_stick(void **state) {
  (void)state;
  const double loads[] = {1217, 1219.5};
  for (int i = 0; i < 2; i++) {
    char load_text[64];
    snprintf(load_text, sizeof load_text, "drives.leg.phases.1.force=%g", loads[i]);
    const char *set[] = {load_text, "contacts.0.normal.clamp=false"};
    result r = simulate("walking-foot", set, 2);
    assert_int_equal(r.lift_speed > 4.0 / 3, i);
  }
}

/* The round foot slides in, sticks, is dragged along, and the books close. */
static void the_round_foot_slides_and_sticks(void **state) {
  (void)state;
  world w = load("walking-foot-sphere", NULL, 0);
  ff_mode modes[4] = {FF_OPEN};
  const double times[] = {0.004, 0.2, 0.55, 0.69};
  for (int i = 0; i < 4; i++) {
    assert_int_equal(world_advance(&w, times[i]), FF_OK);
    modes[i] = ff_sim_contact_count(w.sim) == 1 ? ff_sim_contact(w.sim, 0).mode : FF_OPEN;
    if (modes[i] == FF_SLIP) { /* friction opposes the motion, at the kinetic coefficient */
      ff_contact contact = ff_sim_contact(w.sim, 0);
      assert_near(contact.force.x, -0.4 * contact.force_n, 1e-3);
    }
  }
  assert_int_equal(modes[0], FF_SLIP);
  assert_int_equal(modes[1], FF_STICK);
  assert_int_equal(modes[2], FF_SLIP);
  assert_int_equal(modes[3], FF_OPEN);
  ff_energy energy = ff_sim_energy(w.sim);
  assert_true(energy.lost[FF_LOST_SLIP] > 10);
  assert_close(energy.residual, 0, 1e-8 * ff_sim_audit(w.sim).energy_scale);
  world_end(&w);
}

/* Friction does not change what happens along the normal: same numbers as without. */
static void sliding_leaves_the_normal_motion_alone(void **state) {
  (void)state;
  result flat = simulate("walking-foot-gravity", NULL, 0);
  result round = simulate("walking-foot-sphere", NULL, 0);
  compare(&round, &flat);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_example_to_its_last_digit),
      cmocka_unit_test(variants_as_by_brute_force),
      cmocka_unit_test(gravity_as_by_brute_force),
      cmocka_unit_test(above_a_load_lifting_would_stick),
      cmocka_unit_test(the_round_foot_slides_and_sticks),
      cmocka_unit_test(sliding_leaves_the_normal_motion_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
