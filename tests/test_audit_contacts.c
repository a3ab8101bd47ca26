/* The audit of contacts that were solved for: it sees each kind of wrong, and a right run is right.
 */
#include "audit/contacts.h"
#include "channels.h"
#include "findings.h"
#include "layers.h"
#include "math/vec.h"
#include "sim/sim.h"

/* ---- one contact -------------------------------------------------------------------------- */

/* 20 N on a layer that is pressed, 6 N of friction against 3 m/s, all of mu 0.3. */
static ff_contact_load sliding(void) {
  return (ff_contact_load){.layer = 20,
                           .left = 0,
                           .core_gap = 1e-3,
                           .stiffness = 1e4,
                           .friction = {-6, 0, 0},
                           .slip = {3, 0, 0},
                           .cone = {0.3, {1, 1, 0.05}}};
}

static void what_is_right_has_no_residual(void **state) {
  (void)state;
  ff_contact_load load = sliding();
  ff_contact_residual r = ff_audit_contact(&load);
  assert_close(r.complementarity + r.cone + r.dissipation + r.penetration, 0, 1e-14);
  load.friction[0] = -2; /* sticking: no slip, friction within the cone */
  load.slip[0] = 0;
  r = ff_audit_contact(&load);
  assert_true(r.complementarity == 0 && r.cone == 0 && r.dissipation == 0);
  load.core_gap = 0; /* core on core */
  load.core = 1e5;
  r = ff_audit_contact(&load);
  assert_true(r.complementarity == 0 && r.penetration == 0);
}

static void a_force_with_room_left_is_seen(void **state) {
  (void)state;
  ff_contact_load load = sliding();
  load.core = 5; /* and 10 N away from the core */
  assert_close(ff_audit_contact(&load).complementarity, 5, 0);
  load.core = 0;
  load.left = 1e-3; /* the layer hangs behind, and still pushes */
  assert_close(ff_audit_contact(&load).complementarity, 10, 1e-14);
  load.left = 0;
  load.core_gap = INFINITY;
  load.core = 3; /* there is no core */
  assert_close(ff_audit_contact(&load).complementarity, 3, 0);
}

static void a_pull_is_seen(void **state) {
  (void)state;
  ff_contact_load load = sliding();
  load.layer = -2;
  assert_close(ff_audit_contact(&load).complementarity, 2, 0);
}

static void cores_in_each_other_are_seen(void **state) {
  (void)state;
  ff_contact_load load = sliding();
  load.core_gap = -1e-5;
  load.core = 100;
  ff_contact_residual r = ff_audit_contact(&load);
  assert_close(r.penetration, 1e-5, 0);
  assert_close(r.complementarity, 0, 0); /* they press, as they should */
}

static void friction_beyond_the_cone_is_seen(void **state) {
  (void)state;
  ff_contact_load load = sliding();
  load.friction[0] = -7;
  assert_close(ff_audit_contact(&load).cone, 1, 1e-14);
  load.friction[2] = 0.05 * 24; /* together with torsion: |(7, 24)| = 25 against 6 */
  assert_close(ff_audit_contact(&load).cone, 19, 1e-13);
}

static void friction_that_dissipates_less_than_it_could_is_seen(void **state) {
  (void)state;
  ff_contact_load load = sliding();
  load.friction[0] = -4; /* 12 W of 18 W */
  assert_close(ff_audit_contact(&load).dissipation, 6, 1e-14);
  load.friction[0] = 0;
  load.friction[1] = 6; /* across the slip */
  assert_close(ff_audit_contact(&load).dissipation, 18, 1e-14);
  load.slip[0] = 0;
  load.slip[2] = 10; /* spins freely */
  load.friction[1] = 0;
  assert_close(ff_audit_contact(&load).dissipation, 0.3 * 20 * 0.05 * 10, 1e-14);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void set_contact(ff_scene *scene, const char *a, double max_deflection) {
  const char *names[] = {"k", "c", "max_deflection"}, *friction[] = {"mu", "e_r"};
  double values[] = {8000, 2 * sqrt(8000), max_deflection}, mu[] = {0.4, 0.04};
  ff_contact_def def = ff_contact_def_default();
  def.a = a;
  def.b = "floor";
  def.normal = (ff_law_choice){"quasi-rigid", names, values, 3};
  def.friction = (ff_law_choice){"ellipsoidal", friction, mu, 2};
  assert_int_equal(ff_scene_add_contact(scene, &def), FF_OK);
}

/* The spinning ellipsoid that hits its core, slides, spins and sticks. Residuals against 7 kN of
 * the core's impact: solver tolerance 1e-11, over the step. */
static void a_solved_run_keeps_its_conditions(void **state) {
  (void)state;
  world w = {.scene = scene_new(9.81, "quasi-rigid", 1e-4)};
  ff_body_def def = ff_body_def_default();
  def.name = "body";
  def.mass = 1;
  def.position = v3(0, 0, 0.15);
  def.omega = v3(0, 0, 5);
  scene_floor(w.scene, "floor");
  scene_solid(w.scene, &def, FF_ELLIPSOID, v3(0.25, 0.005, 0.005));
  set_contact(w.scene, "body", 0.005);
  world_start(&w);
  assert_int_equal(ff_sim_advance(w.sim, 0.5), FF_OK);
  ff_audit audit = ff_sim_audit(w.sim);
  assert_true(audit.contact_force > 1000);
  assert_true(audit.contact.complementarity < 1e-6);
  assert_true(audit.contact.cone < 1e-6);
  assert_true(audit.contact.dissipation < 1e-6);
  assert_true(audit.contact.penetration < 1e-9);
  assert_good_but(w.sim, FF_FINDING_STEP_LOSS, "spinning ellipsoid");
  assert_true(channel(w.sim, w.model, "audit.cone") <= audit.contact.cone);
  const ff_contact_residual is = {1, 2, 3, 4, 5}; /* channels are those of the last step */
  w.sim->auditor.contact = is;
  assert_true(channel(w.sim, w.model, "audit.complementarity") == is.complementarity);
  assert_true(channel(w.sim, w.model, "audit.cone") == is.cone);
  assert_true(channel(w.sim, w.model, "audit.dissipation") == is.dissipation);
  assert_true(channel(w.sim, w.model, "audit.penetration") == is.penetration);
  world_end(&w);
}

/* Put inside each other after the step: the audit looks at the bodies and not at the solver. */
static void bodies_moved_behind_the_solver_are_seen(void **state) {
  (void)state;
  world w = {.scene = scene_of_order(9.81, "quasi-rigid", 1e-4, 1)};
  ff_body_def def = ff_body_def_default();
  def.name = "body";
  def.mass = 1;
  def.position = v3(0, 0, 0.0999);
  scene_floor(w.scene, "floor");
  scene_solid(w.scene, &def, FF_SPHERE, v3(0.1, 0, 0));
  set_contact(w.scene, "body", 0.005);
  world_start(&w);
  assert_int_equal(ff_sim_advance(w.sim, 0.01), FF_OK);
  double force;
  ff_contact_residual r = ff_audit_contacts(w.sim->model, &w.sim->state, &force);
  assert_true(r.complementarity < 1e-9 && r.penetration == 0 && force > 0);
  w.sim->state.bodies[1].pose.position.z = 0.094;
  r = ff_audit_contacts(w.sim->model, &w.sim->state, &force);
  assert_close(r.penetration, 0.001, 1e-15);
  assert_true(r.complementarity > 1);
  w.sim->state.bodies[1].pose.position.z = 0.11; /* it pushes from afar */
  r = ff_audit_contacts(w.sim->model, &w.sim->state, &force);
  assert_near(r.complementarity, force, 1e-9);
  world_end(&w);
}

/* A box on a plate: places that nobody solved for, and forces where parts do not meet. */
static void places_are_looked_at_one_by_one(void **state) {
  (void)state;
  world w = {.scene = scene_of_order(9.81, "quasi-rigid", 1e-3, 1)};
  ff_body_def plate = ff_body_def_default(), box = ff_body_def_default();
  plate.name = "floor";
  plate.kind = FF_BODY_FIXED;
  box.name = "body";
  box.mass = 1;
  box.position = v3(0.01, 0, 0.0999);
  scene_solid(w.scene, &plate, FF_BOX, v3(0.2, 0.2, 0.05));
  scene_solid(w.scene, &box, FF_BOX, v3(0.1, 0.1, 0.05));
  set_contact(w.scene, "body", 0.005);
  world_start(&w);
  assert_int_equal(ff_sim_advance(w.sim, 1), FF_OK);
  ff_state *s = &w.sim->state;
  double force, weight = 9.81 / 4;
  assert_true(ff_audit_contacts(w.sim->model, s, &force).complementarity < 1e-9);
  int first = 0;
  while (!s->points[first].touching) {
    first++;
  }
  ff_point held = s->points[first];
  s->points[first] = (ff_point){.known = true}; /* nobody bears that corner */
  assert_near(ff_audit_contacts(w.sim->model, s, &force).complementarity, weight, 1e-6);
  s->points[first] = held;
  ff_feature_pair *id = &s->points[first].id; /* the vertex above it pushes, from afar */
  short *vertex = id->kind == FF_PAIR_VERTEX_FACE ? &id->a : &id->b;
  *vertex = (short)(*vertex ^ 4);
  assert_near(ff_audit_contacts(w.sim->model, s, &force).complementarity, weight, 1e-6);
  world_end(&w);
}

/* A ball that starts with its core in the ground is shot out: no law stored that energy. */
static void energy_that_contacts_make_is_seen(void **state) {
  (void)state;
  world w = {.scene = scene_new(9.81, "quasi-rigid", 1e-3)};
  scene_floor(w.scene, "floor");
  ff_body_def ball = ff_body_def_default();
  ball.name = "ball";
  ball.mass = 1;
  ball.position.z = 0.097;
  scene_solid(w.scene, &ball, FF_SPHERE, (ff_vec3){0.1, 0, 0});
  scene_layer(w.scene, "ball", "floor", (layer_of){1e4, 10, 1e-3, 0, 0});
  world_start(&w);
  assert_int_equal(world_advance(&w, 0.1), FF_OK);
  ff_audit audit = ff_sim_audit(w.sim);
  assert_true(audit.energy_gained < 0.02 * audit.energy_scale); /* they are not shot apart */
  assert_true(audit.energy_residual < 1e-6 * audit.energy_scale);
  assert_true(has_finding(w.sim, FF_FINDING_RIGID_ENTERED));
  assert_true(has_finding(w.sim, FF_FINDING_START_OVERLAP));
  assert_int_equal(audit.verdict, FF_VERDICT_CONTACT);
  world_end(&w);
}

/* What a contact loses does not hide what the step makes: a limp robot at too long a step. */
static void energy_that_steps_make_is_seen_behind_losses(void **state) {
  (void)state;
  world w = {.scene = scene_new(9.81, "quasi-rigid", 1e-3)};
  scene_ball(w.scene, 1, 0);
  world_start(&w);
  assert_int_equal(ff_sim_step(w.sim), FF_OK);
  assert_int_equal(ff_sim_audit(w.sim).verdict, FF_VERDICT_GOOD);
  double *lost = ff_state_ledger(&w.sim->state) + FF_Y_LOST;
  lost[FF_LOST_STEP] = -1;
  lost[FF_LOST_IMPACT] = 1;
  assert_int_equal(ff_sim_step(w.sim), FF_OK);
  ff_audit audit = ff_sim_audit(w.sim);
  assert_close(audit.energy_gained, 1, 1e-4); /* a step of free fall takes m g^2 h^2 / 2 */
  assert_int_equal(audit.verdict, FF_VERDICT_ENERGY);
  world_end(&w);
}

static void steppers_that_do_not_solve_have_no_such_channels(void **state) {
  (void)state;
  world w = {.scene = scene_new(9.81, "adaptive", NAN)};
  ff_body_def def = ff_body_def_default();
  def.name = "body";
  def.mass = 1;
  scene_solid(w.scene, &def, FF_SPHERE, v3(0.1, 0, 0));
  world_start(&w);
  assert_int_equal(channel_find(w.model, "audit.cone"), -1);
  world_end(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_right_has_no_residual),
      cmocka_unit_test(a_force_with_room_left_is_seen),
      cmocka_unit_test(a_pull_is_seen),
      cmocka_unit_test(cores_in_each_other_are_seen),
      cmocka_unit_test(friction_beyond_the_cone_is_seen),
      cmocka_unit_test(friction_that_dissipates_less_than_it_could_is_seen),
      cmocka_unit_test(a_solved_run_keeps_its_conditions),
      cmocka_unit_test(bodies_moved_behind_the_solver_are_seen),
      cmocka_unit_test(places_are_looked_at_one_by_one),
      cmocka_unit_test(energy_that_contacts_make_is_seen),
      cmocka_unit_test(energy_that_steps_make_is_seen_behind_losses),
      cmocka_unit_test(steppers_that_do_not_solve_have_no_such_channels),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
