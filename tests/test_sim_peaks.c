/* Peaks that events tell: `adaptive` finds them between its steps. */
#include "scene_text.h"
#include "worlds.h"

enum { BALLS = 3 };

typedef struct notes {
  ff_event lifts[BALLS + 2]; /* by body id */
  int count;
} notes;

static void note(void *context, const ff_event *event) {
  notes *n = context;
  if (event->kind == FF_EVENT_LIFT && event->a.id < BALLS + 2) {
    n->lifts[event->a.id] = *event;
    n->count++;
  }
}

/* A ball that touches the floor at t = 0. */
static ff_body add_ball(ff_scene *scene, const char *name, double x, double mass, double speed) {
  ff_body_def def = ff_body_def_default();
  def.name = name;
  def.mass = mass;
  def.position = (ff_vec3){x, 0, 0.1};
  def.velocity = (ff_vec3){0, 0, -speed};
  return scene_solid(scene, &def, FF_SPHERE, (ff_vec3){0.1, 0, 0});
}

static ff_impact exact_of(const ff_hunt_crossley_impact *given) {
  ff_impact exact;
  assert_int_equal(ff_impact_hunt_crossley(&exact, given, NULL), FF_OK);
  return exact;
}

static void compare(const ff_event *event, const ff_impact *exact, double force, double time) {
  assert_near(event->peak_force, exact->force_max, force);
  assert_near(event->peak_time, exact->time_force_max, time);
  assert_near(event->peak_depth, exact->depth_max, force);
}

/* Force and depth are flat about their peak and lose nothing to it; its time is as good as a
 * force rate by differences. */
static void peaks_of_one_impact(void **state) {
  (void)state;
  uint64_t seed = 97;
  for (int i = 0; i < 20; i++) {
    ff_hunt_crossley_impact given = {.mass = pow(10, ff_random_in(&seed, -1, 2)),
                                     .k = pow(10, ff_random_in(&seed, 4, 7)),
                                     .n = ff_random_in(&seed, 1, 2),
                                     .alpha = ff_random_in(&seed, 0.05, 1),
                                     .alpha_restitution = NAN,
                                     .speed = ff_random_in(&seed, 0.2, 3)};
    world w = {.scene = scene_new(0, "adaptive", NAN)};
    scene_floor(w.scene, "floor");
    ff_body ball = add_ball(w.scene, "ball", 0, given.mass, given.speed);
    scene_hunt_crossley(w.scene, "ball", "floor", given.k, given.n, given.alpha, 0);
    world_start(&w);
    notes n = {0};
    ff_sim_on_event(w.sim, note, &n);
    ff_impact exact = exact_of(&given);
    assert_int_equal(world_advance(&w, 1.1 * exact.duration), FF_OK);
    assert_int_equal(n.count, 1);
    compare(&n.lifts[ball.id], &exact, 1e-10, 1e-7);
    world_end(&w);
  }
}

/* The scene's default tolerance, 1e-10. */
static void peaks_at_the_default_tolerance(void **state) {
  (void)state;
  ff_hunt_crossley_impact given = {1, 1e4, 1, 0.4, NAN, 1};
  world w = {.scene = scene_new(0, "adaptive", NAN)};
  scene_set_rtol(w.scene, "adaptive", 0, 1e-10);
  scene_floor(w.scene, "floor");
  ff_body ball = add_ball(w.scene, "ball", 0, 1, 1);
  scene_hunt_crossley(w.scene, "ball", "floor", 1e4, 1, 0.4, 0);
  world_start(&w);
  notes n = {0};
  ff_sim_on_event(w.sim, note, &n);
  ff_impact exact = exact_of(&given);
  assert_int_equal(world_advance(&w, 0.05), FF_OK);
  compare(&n.lifts[ball.id], &exact, 1e-8, 1e-7);
  world_end(&w);
}

/* Three at once, each with its own peak inside steps that they share. */
static void every_pair_has_its_own_peak(void **state) {
  (void)state;
  static const char *const names[BALLS] = {"a", "b", "c"};
  const double masses[BALLS] = {1, 3, 0.5}, speeds[BALLS] = {1, 0.7, 2};
  world w = {.scene = scene_new(0, "adaptive", NAN)};
  scene_floor(w.scene, "floor");
  ff_body balls[BALLS];
  for (int i = 0; i < BALLS; i++) {
    balls[i] = add_ball(w.scene, names[i], i, masses[i], speeds[i]);
    scene_hunt_crossley(w.scene, names[i], "floor", 1e4, 1.5, 0.3, 0);
  }
  world_start(&w);
  notes n = {0};
  ff_sim_on_event(w.sim, note, &n);
  assert_int_equal(world_advance(&w, 1), FF_OK);
  assert_int_equal(n.count, BALLS);
  for (int i = 0; i < BALLS; i++) {
    ff_hunt_crossley_impact given = {masses[i], 1e4, 1.5, 0.3, NAN, speeds[i]};
    ff_impact exact = exact_of(&given);
    compare(&n.lifts[balls[i].id], &exact, 1e-9, 1e-7);
  }
  world_end(&w);
}

/* Four corners at once are one spring four times as stiff. */
static void a_box_adds_its_corners(void **state) {
  (void)state;
  world w = {.scene = scene_new(0, "adaptive", NAN)};
  scene_floor(w.scene, "floor");
  ff_body_def def = ff_body_def_default();
  def.name = "box";
  def.mass = 2;
  def.position = (ff_vec3){0, 0, 0.1};
  def.velocity = (ff_vec3){0, 0, -1};
  ff_body box = scene_solid(w.scene, &def, FF_BOX, (ff_vec3){0.1, 0.1, 0.1});
  scene_hunt_crossley(w.scene, "box", "floor", 1e4, 1, 0.5, 0);
  world_start(&w);
  notes n = {0};
  ff_sim_on_event(w.sim, note, &n);
  assert_int_equal(world_advance(&w, 0.5), FF_OK);
  ff_hunt_crossley_impact given = {2, 4e4, 1, 0.5, NAN, 1};
  ff_impact exact = exact_of(&given);
  compare(&n.lifts[box.id], &exact, 1e-9, 1e-7);
  world_end(&w);
}

/* Looking for peaks costs little, also where a force only trembles about its rest. */
static void rest_costs_no_search(void **state) {
  (void)state;
  world w = {.scene = scene_new(9.81, "adaptive", NAN)};
  scene_floor(w.scene, "floor");
  scene_ball(w.scene, -9.81 / 1e4, 0);
  scene_hunt_crossley(w.scene, "ball", "floor", 1e4, 1, 0.5, 0);
  world_start(&w);
  assert_int_equal(world_advance(&w, 5), FF_OK);
  ff_audit audit = ff_sim_audit(w.sim);
  /* thirteen stages and a dozen looks for events and peaks a step */
  assert_true(audit.evaluations < 40 * audit.steps + 200);
  world_end(&w);
}

/* One impact of a ball on Hunt-Crossley ground, 0.1 s of flight before and after included; what it
 * lost is that of a run with a tolerance of 1e-12. */
static double impact_loss(const char *rtol, long *evaluations) {
  static const char text[] =
      "footfall: 1\n"
      "stepper: {kind: adaptive}\n"
      "bodies:\n"
      "  floor: {fixed: true, shape: {half-space: {}}}\n"
      "  ball: {mass: 1, position: [0, 0, 0.15], shape: {sphere: {radius: 0.1}}}\n"
      "contacts:\n"
      "  - {pair: [ball, floor], normal: {law: hunt-crossley, k: 1e6, n: 1.5, alpha: 0.1}}\n";
  ff_model *model;
  ff_sim *sim = sim_of(&model, text, rtol);
  assert_int_equal(ff_sim_advance(sim, 0.2), FF_OK);
  double lost = ff_sim_energy(sim).lost[FF_LOST_NORMAL];
  *evaluations = ff_sim_audit(sim).evaluations;
  end(sim, model);
  return lost;
}

static void an_impact_takes_at_most_900_evaluations(void **state) {
  (void)state;
  long few, many;
  double lost = impact_loss("stepper.rtol=1e-8", &few);
  assert_true(few <= 900);
  assert_near(lost, impact_loss("stepper.rtol=1e-12", &many), 1e-8);
}

/* A box tumbles onto its corners: a touch and a change between sticking and slipping every few
 * milliseconds. With first steps after events that do not depend on the tolerance, and steps that
 * shrink towards events until they pass, it took 73,000 evaluations. */
static void a_tumbling_box_takes_few_evaluations(void **state) {
  (void)state;
  static const char text[] =
      "footfall: 1\n"
      "stepper: {kind: adaptive, rtol: 1e-6}\n"
      "bodies:\n"
      "  floor: {fixed: true, shape: {half-space: {}}}\n"
      "  box: {mass: 0.1, position: [0, 0, 0.05], orientation: {axis: [1, 2, 0.5], angle: 1},\n"
      "        omega: [3, 1, 0], shape: {box: {size: [0.03, 0.04, 0.05]}}}\n"
      "contacts:\n"
      "  - {pair: [box, floor], normal: {law: hunt-crossley, k: 1e4, n: 1, alpha: 0.5},\n"
      "     friction: {law: coulomb, mu_static: 0.5}}\n";
  ff_model *model;
  ff_sim *sim = sim_of(&model, text, NULL);
  assert_int_equal(ff_sim_advance(sim, 0.5), FF_OK);
  ff_audit audit = ff_sim_audit(sim);
  assert_true(audit.evaluations < 50000);
  assert_true(audit.energy_residual < 1e-8 * audit.energy_scale);
  end(sim, model);
}

/* The sphere of [Azad10 Sec. 4], advanced in pieces of 0.1 ms: the touch-down lies nearer to the
 * end of a step than steps can be told apart. */
static void short_advances_pass_a_touch(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim =
      sim_of(&model,
             "footfall: 1\n"
             "stepper: {kind: adaptive, rtol: 1e-12, atol: 1e-14}\n"
             "bodies:\n"
             "  floor: {fixed: true, shape: {half-space: {}}}\n"
             "  ball: {mass: 0.154, position: [0, 0, 0.1], velocity: [0.5, 0.5, 0],\n"
             "         shape: {sphere: {radius: 0.0165}}}\n"
             "contacts:\n"
             "  - pair: [ball, floor]\n"
             "    normal: {law: azad-featherstone, K: 8.5e6, D: 3.1e3}\n"
             "    friction: {law: bristle-clutch, K: 12.75e6, D: 3.1e3, mu: 0.2, viscous: 0.1}\n",
             NULL);
  for (int i = 1; i <= 1320; i++) {
    assert_int_equal(ff_sim_advance(sim, i / 1e4), FF_OK);
  }
  end(sim, model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(peaks_of_one_impact),
      cmocka_unit_test(peaks_at_the_default_tolerance),
      cmocka_unit_test(every_pair_has_its_own_peak),
      cmocka_unit_test(a_box_adds_its_corners),
      cmocka_unit_test(rest_costs_no_search),
      cmocka_unit_test(an_impact_takes_at_most_900_evaluations),
      cmocka_unit_test(a_tumbling_box_takes_few_evaluations),
      cmocka_unit_test(short_advances_pass_a_touch),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
