/* [Azad10], Sec. 2.2 and Sec. 4, against independent integrations at high precision. */
#include "worlds.h"

#define RADIUS .0165
#define MASS   .154

static const char *af_names[2] = {"K", "D"};
static const double af_values[2] = {8.5e6, 3.1e3};
static const char *bc_names[5] = {"K", "D", "mu", "viscous", "conservative"};

/* The paper's sphere, its centre at this height. */
static void paper_scene(world *w, const char *stepper, double step, double height, double v,
                        bool friction, double conservative) {
  w->scene = scene_new(9.81, stepper, step);
  scene_floor(w->scene, "floor");
  ff_body_def def = ff_body_def_default();
  def.name = "ball";
  def.mass = MASS;
  def.position = (ff_vec3){0, 0, height};
  def.velocity = (ff_vec3){v, v, 0};
  scene_solid(w->scene, &def, FF_SPHERE, (ff_vec3){RADIUS, 0, 0});
  const double bc_values[5] = {12.75e6, 3.1e3, .2, .1, conservative};
  ff_contact_def contact = ff_contact_def_default();
  contact.a = "ball";
  contact.b = "floor";
  contact.normal = (ff_law_choice){"azad-featherstone", af_names, af_values, 2};
  if (friction) {
    contact.friction = (ff_law_choice){"bristle-clutch", bc_names, bc_values, 5};
  }
  assert_int_equal(ff_scene_add_contact(w->scene, &contact), FF_OK);
  world_start(w);
}

/* ---- what is looked for ----------------------------------------------------------- */

enum { BOUNCES = 16 };

/* Instants of every contact: touch-down, end of the force, recovery. */
typedef struct diary {
  double touch[BOUNCES], ends[BOUNCES], clear[BOUNCES], speed[BOUNCES];
  int touches, end_count, clears;
} diary;

static void note(void *context, const ff_event *event) {
  diary *d = context;
  if (event->kind == FF_EVENT_TOUCH && d->touches < BOUNCES) {
    d->touch[d->touches++] = event->time;
  }
  if (event->kind == FF_EVENT_LIFT && d->clears < BOUNCES) {
    d->clear[d->clears] = event->time;
    d->speed[d->clears++] = event->speed;
  }
}

/* Runs to the end and notes where the force of the contact ends inside it. */
static void run_diary(world *w, diary *d, double end) {
  ff_sim_on_event(w->sim, note, d);
  double force = 0;
  while (ff_sim_time(w->sim) < end) {
    assert_int_equal(ff_sim_step(w->sim), FF_OK);
    ff_contact contact = ff_sim_contact(w->sim, 0);
    if (force > 0 && contact.force_n == 0 && d->end_count < BOUNCES) {
      d->ends[d->end_count++] = ff_sim_time(w->sim);
    }
    force = contact.force_n;
  }
}

/* Largest force between two instants, from the parabola through the three highest of many. */
static double peak_force(world *w, double start, double end) {
  enum { PARTS = 500 };
  double f[3] = {0, 0, 0}, top = 0;
  ff_sim_reset(w->sim);
  for (int i = 1; i < PARTS; i++) {
    assert_int_equal(ff_sim_advance(w->sim, start + (end - start) * i / PARTS), FF_OK);
    f[0] = f[1];
    f[1] = f[2];
    f[2] = ff_sim_contact(w->sim, 0).force_n;
    if (f[1] >= f[0] && f[1] > f[2]) {
      double slope = 0.5 * (f[2] - f[0]), bend = f[2] - 2 * f[1] + f[0];
      top = fmax(top, f[1] - 0.5 * slope * slope / bend);
    }
  }
  return top;
}

/* ---- Sec. 2.2 ------------------------------------------------------------------------- */

static void bounces_of_the_paper(void **state) {
  (void)state;
  static const double expected[3][5] = {
      {.142784312, 266.616913, .145004872, .145370357, .0357828177},
      {.316193913, 146.437486, .318680822, .319046778, .0138804120},
      {.425439438, 84.6685666, .428204127, .428570778, .00573556452},
  };
  world w = {0};
  diary d = {0};
  paper_scene(&w, "adaptive", 0, .10 + RADIUS, 0, false, 0);
  run_diary(&w, &d, 0.7);
  assert_int_equal(d.touches, 10);
  for (int i = 0; i < 3; i++) {
    assert_near(d.touch[i], expected[i][0], 1e-8);
    assert_near(d.ends[i], expected[i][2], 1e-8);
    assert_near(d.clear[i], expected[i][3], 1e-8);
    assert_near(d.speed[i] * d.speed[i] / 2 / 9.81, expected[i][4], 1e-8);
  }
  for (int i = 0; i < 3; i++) {
    assert_near(peak_force(&w, d.touch[i], d.ends[i]), expected[i][1], 1e-8);
  }
  world_end(&w);
}

static void audit_of_the_bouncing_sphere(void **state) {
  (void)state;
  world w = {0};
  paper_scene(&w, "adaptive", 0, .10 + RADIUS, 0, false, 0);
  assert_int_equal(world_advance(&w, .5), FF_OK);
  ff_energy e = ff_sim_energy(w.sim);
  assert_near(e.gravity, .0247963888, 1e-8);
  assert_near(e.kinetic, .0038815886, 1e-8);
  assert_near(e.spring_normal, .000237246468, 1e-8);
  assert_near(e.lost[FF_LOST_NORMAL], .147085986, 1e-8);
  assert_close(e.residual, 0, 1e-10 * .17600121);
  world_end(&w);
}

/* ---- Sec. 4 ---------------------------------------------------------------------------- */

static void stick_and_slip_of_the_paper(void **state) {
  (void)state;
  world w = {0};
  paper_scene(&w, "adaptive", 0, .10, .5, true, 0);
  double first_stick = NAN, first_slip = NAN, last_stick = NAN;
  ff_mode before = FF_OPEN;
  while (ff_sim_time(w.sim) < .7) {
    assert_int_equal(ff_sim_step(w.sim), FF_OK);
    ff_mode mode = ff_sim_contact(w.sim, 0).mode;
    if (mode == FF_STICK && before != FF_STICK) {
      last_stick = ff_sim_time(w.sim);
      first_stick = isnan(first_stick) ? last_stick : first_stick;
    }
    if (mode == FF_SLIP && before == FF_STICK && isnan(first_slip)) {
      first_slip = ff_sim_time(w.sim);
    }
    before = mode;
  }
  assert_near(first_stick, .131407658, 1e-8);
  assert_near(first_slip, .132267999, 1e-8);
  assert_near(last_stick, .599144695, 1e-8);
  world_end(&w);
}

static void audit_of_the_rolling_sphere(void **state) {
  (void)state;
  world w = {0};
  paper_scene(&w, "adaptive", 0, .10, .5, true, 0);
  assert_int_equal(world_advance(&w, 1), FF_OK);
  ff_body_state ball = ff_sim_body(w.sim, ff_model_body_find(w.model, "ball"));
  assert_near(ball.position.x, .374041243, 1e-8);
  assert_near(ball.velocity.x, 5.0 / 7 * .5, 1e-8);
  assert_near(ball.omega.x, -21.6450216, 1e-8);
  assert_near(ball.omega.y, 21.6450216, 1e-8);
  ff_energy e = ff_sim_energy(w.sim);
  assert_near(e.kinetic + e.gravity, .0523794530, 1e-8);
  assert_near(e.lost[FF_LOST_NORMAL], .126175444, 1e-8);
  assert_near(e.lost[FF_LOST_TANGENT], .00363698774, 1e-8);
  assert_near(e.lost[FF_LOST_SLIP] + e.lost[FF_LOST_VISCOUS], .00803310788, 1e-8);
  /* [Azad10 eq. 33]: stored, less what the changing depth gave it */
  assert_near(e.spring_tangent + e.lost[FF_LOST_DEPTH], -.000670095615, 1e-8);
  assert_true(e.lost[FF_LOST_IMPACT] == 0); /* the memory ends empty */
  assert_close(e.residual, 0, 1e-10 * .189574);
  world_end(&w);
}

/* The true spring: nothing is gained or lost by the depth, and the ledger closes as well. */
static void conservative_bristle_needs_no_line_of_its_own(void **state) {
  (void)state;
  world w = {0};
  paper_scene(&w, "adaptive", 0, .10, .5, true, 1);
  assert_int_equal(world_advance(&w, 1), FF_OK);
  ff_energy e = ff_sim_energy(w.sim);
  assert_true(e.lost[FF_LOST_DEPTH] == 0);
  assert_close(e.residual, 0, 1e-10 * .189574);
  world_end(&w);
}

/* ---- beyond the paper -------------------------------------------------------------------- */

/* Some ball of some material dropped with slip and spin onto a slope, where friction turns. */
static void drop_on_slope(world *w, uint64_t *seed, double conservative) {
  double radius = exp(ff_random_in(seed, log(.005), log(.1)));
  double mass = 4 * pow(radius, 3) * exp(ff_random_in(seed, log(500), log(8000)));
  double k = exp(ff_random_in(seed, log(1e6), log(2e11))) * sqrt(radius);
  double d = exp(ff_random_in(seed, log(.05), log(1.5))) * pow(k, .6) * pow(mass, .4);
  double slope = ff_random_in(seed, 0, .4);
  w->scene = scene_new(9.81, "adaptive", 0);
  ff_run_def run = ff_run_def_default();
  run.gravity = (ff_vec3){9.81 * sin(slope), 0, -9.81 * cos(slope)};
  run.stepper.rtol = 1e-12;
  run.stepper.atol = 1e-14;
  assert_int_equal(ff_scene_set_run(w->scene, &run), FF_OK);
  scene_floor(w->scene, "floor");
  ff_body_def def = ff_body_def_default();
  def.name = "ball";
  def.mass = mass;
  def.position = (ff_vec3){0, 0, radius + ff_random_in(seed, 0, .1)};
  def.velocity = (ff_vec3){ff_random_in(seed, -1, 1), ff_random_in(seed, -1, 1), 0};
  def.omega = (ff_vec3){ff_random_in(seed, -30, 30), ff_random_in(seed, -30, 30),
                        ff_random_in(seed, -30, 30)};
  scene_solid(w->scene, &def, FF_SPHERE, (ff_vec3){radius, 0, 0});
  const double normal[2] = {k, d};
  const double friction[5] = {1.5 * k, d, ff_random_in(seed, .05, 1), ff_random(seed),
                              conservative};
  ff_contact_def contact = ff_contact_def_default();
  contact.a = "ball";
  contact.b = "floor";
  contact.normal = (ff_law_choice){"azad-featherstone", af_names, normal, 2};
  contact.friction = (ff_law_choice){"bristle-clutch", bc_names, friction, 5};
  assert_int_equal(ff_scene_add_contact(w->scene, &contact), FF_OK);
  world_start(w);
}

static void any_drop_is_accounted_for(void **state) {
  (void)state;
  uint64_t seed = 5;
  for (int i = 0; i < 12; i++) {
    world w = {0};
    drop_on_slope(&w, &seed, i % 2);
    assert_int_equal(world_advance(&w, .4), FF_OK);
    ff_audit audit = ff_sim_audit(w.sim);
    assert_true(audit.events > 3);
    assert_close(audit.energy_residual, 0, 1e-10 * audit.energy_scale);
    world_end(&w);
  }
}

/* Restitution depends on D K^-.6 m^-.4 v^.2 alone. */
static void restitution_is_one_curve(void **state) {
  (void)state;
  const ff_law *law = ff_law_find(FF_LAW_NORMAL, "azad-featherstone");
  double first = NAN;
  for (int i = 0; i < 6; i++) {
    double k = pow(10, 3 + i), mass = pow(10, -2 + .7 * i), speed = pow(10, 1 - i);
    double d = .3 * pow(k, .6) * pow(mass, .4) * pow(speed, -.2);
    ff_law_params params;
    ff_law_params_default(law, &params);
    assert_int_equal(ff_law_params_set(law, &params, "K", k, NULL), FF_OK);
    assert_int_equal(ff_law_params_set(law, &params, "D", d, NULL), FF_OK);
    assert_int_equal(ff_law_params_resolve(law, &params, NULL, NULL), FF_OK);
    ff_impact impact;
    assert_int_equal(ff_impact_simulate(&impact, law, &params, mass, speed, 0, NULL), FF_OK);
    first = i == 0 ? impact.restitution : first;
    assert_near(impact.restitution, first, 1e-11);
    assert_true(impact.duration < impact.time_clear); /* the force ends before the depth */
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bounces_of_the_paper),
      cmocka_unit_test(audit_of_the_bouncing_sphere),
      cmocka_unit_test(stick_and_slip_of_the_paper),
      cmocka_unit_test(audit_of_the_rolling_sphere),
      cmocka_unit_test(conservative_bristle_needs_no_line_of_its_own),
      cmocka_unit_test(any_drop_is_accounted_for),
      cmocka_unit_test(restitution_is_one_curve),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
