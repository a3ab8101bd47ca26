/* A rocking ellipsoid: a long run in which every contact is rolled over, and in which other
 * engines gain or lose energy. */
#include "math/vec.h"
#include "worlds.h"

/* Semi-axes .06, .10 and .04 m, of water, tilted by 30 degrees about x, its lowest point at the
 * floor, at rest. */
static void rocking(world *w, double conservative) {
  static const char *af[2] = {"K", "D"}, *bc[4] = {"K", "D", "mu", "conservative"};
  const double normal[2] = {1e5, 100}, friction[4] = {1.5e5, 100, .5, conservative};
  ff_vec3 size = v3(.06, .10, .04);
  ff_quat q = q_exp(v3(30 * ff_pi / 180, 0, 0));
  w->scene = scene_new(9.81, "adaptive", 0);
  scene_set_rtol(w->scene, "adaptive", 9.81, 1e-10);
  scene_floor(w->scene, "floor");
  ff_body_def def = ff_body_def_default();
  def.name = "egg";
  def.density = 1000;
  def.orientation = q;
  def.position = v3(0, 0, v3_norm(v3_mul(size, q_unrotate(q, v3(0, 0, 1)))));
  scene_solid(w->scene, &def, FF_ELLIPSOID, size);
  ff_contact_def contact = ff_contact_def_default();
  contact.a = "egg";
  contact.b = "floor";
  contact.normal = (ff_law_choice){"azad-featherstone", af, normal, 2};
  contact.friction = (ff_law_choice){"bristle-clutch", bc, friction, 4};
  assert_int_equal(ff_scene_add_contact(w->scene, &contact), FF_OK);
  world_start(w);
}

/* Runs for a minute and returns the most that the mechanical energy rose in 10 ms. */
static double most_gained(world *w) {
  double before = INFINITY, gained = 0;
  for (int i = 1; i <= 6000; i++) {
    assert_int_equal(world_advance(w, .01 * i), FF_OK);
    ff_energy e = ff_sim_energy(w->sim);
    double mechanical = e.kinetic + e.gravity + e.spring_normal + e.spring_tangent;
    gained = fmax(gained, mechanical - before);
    before = mechanical;
  }
  ff_audit audit = ff_sim_audit(w->sim);
  assert_close(audit.energy_residual, 0, 1e-8 * audit.energy_scale);
  return gained;
}

static void a_minute_of_rocking_is_accounted_for(void **state) {
  (void)state;
  world w = {0};
  rocking(&w, 0);
  /* The paper's bristle gains where the depth grows under it; the ledger says so. */
  assert_true(most_gained(&w) > 1e-6);
  assert_true(fabs(ff_sim_energy(w.sim).lost[FF_LOST_DEPTH]) > 1e-4);
  world_end(&w);
}

static void the_conservative_bristle_never_gains(void **state) {
  (void)state;
  world w = {0};
  rocking(&w, 1);
  assert_true(most_gained(&w) == 0);
  assert_true(ff_sim_energy(w.sim).lost[FF_LOST_DEPTH] == 0);
  world_end(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_minute_of_rocking_is_accounted_for),
      cmocka_unit_test(the_conservative_bristle_never_gains),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
