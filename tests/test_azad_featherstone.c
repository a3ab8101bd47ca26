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

static void probe(void **s) {
  (void)s;
  world w = {0};
  paper_scene(&w, "adaptive", 0, .10, .5, true, 0);
  ff_mode mode = FF_OPEN; double f=0;
  while (ff_sim_time(w.sim) < 1) {
    double left = 1 - ff_sim_time(w.sim);
    (void)left;
    if (ff_sim_step(w.sim) != FF_OK) { printf("fail at %.17g\n", ff_sim_time(w.sim)); break; }
    if (ff_sim_time(w.sim) > 1) break;
    ff_contact c = ff_sim_contact(w.sim, 0);
    if (c.mode != mode || (f>0) != (c.force_n>0)) printf("%.12g mode %d f %g t %g\n", ff_sim_time(w.sim), c.mode, c.force_n, hypot(c.force_t1,c.force_t2));
    mode = c.mode; f=c.force_n;
  }
  world_end(&w);
  paper_scene(&w, "adaptive", 0, .10, .5, true, 0);
  world_advance(&w, 1);
  ff_body_state b = ff_sim_body(w.sim, ff_model_body_find(w.model, "ball"));
  ff_energy e = ff_sim_energy(w.sim);
  ff_audit a = ff_sim_audit(w.sim);
  printf("x %.12g v %.12g w %.12g (.374041243 .357142857 21.6450216)\n", b.position.x, b.velocity.x, b.omega.x);
  printf("body %.12g nd %.12g td %.12g clutch %.12g etsp %.12g total %.12g spring %.12g res %.3g impact %g\n", e.kinetic+e.gravity, e.lost[0], e.lost[1], e.lost[2]+e.lost[3], e.spring_tangent+e.lost[FF_LOST_DEPTH], e.kinetic+e.gravity+e.lost[0]+e.lost[1]+e.lost[2]+e.lost[3]+e.lost[FF_LOST_DEPTH]+e.spring_tangent+e.spring_normal, e.spring_normal, e.residual/a.energy_scale, e.lost[FF_LOST_IMPACT]);
  printf("steps %ld evals %ld events %ld maxres %g\n", a.steps, a.evaluations, a.events, a.energy_residual/a.energy_scale);
  world_end(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(probe)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
