/* Contact memory belongs to body b: it survives moving and turning ground, rolling and normals
 * that turn, and the world's axes mean nothing to it. */
#include "math/vec.h"
#include "scene_text.h"
#include "worlds.h"

/* A soft bristle on a soft bed, so that everything is large enough to be seen. */
static void add_contact(ff_scene *scene, const char *a, const char *b, double k, double d,
                        double kt, double dt) {
  static const char *normal[2] = {"K", "D"}, *friction[3] = {"K", "D", "mu"};
  const double nv[2] = {k, d}, fv[3] = {kt, dt, .5};
  ff_contact_def contact = ff_contact_def_default();
  contact.a = a;
  contact.b = b;
  contact.normal = (ff_law_choice){"azad-featherstone", normal, nv, 2};
  contact.friction = (ff_law_choice){"bristle-clutch", friction, fv, 3};
  assert_int_equal(ff_scene_add_contact(scene, &contact), FF_OK);
}

static ff_body add_ball(ff_scene *scene, const char *name, double mass, ff_vec3 x, ff_vec3 v,
                        ff_vec3 omega) {
  ff_body_def def = ff_body_def_default();
  def.name = name;
  def.mass = mass;
  def.position = x;
  def.velocity = v;
  def.omega = omega;
  return scene_solid(scene, &def, FF_SPHERE, (ff_vec3){.1, 0, 0});
}

/* A floor that moves: at a steady velocity, and turning about z. */
static void add_plate(ff_scene *scene, ff_vec3 velocity, double rate) {
  const double row[4] = {0, velocity.x, velocity.y, velocity.z}, turn[2] = {0, rate};
  ff_body_def def = ff_body_def_default();
  def.name = "plate";
  def.kind = FF_BODY_PRESCRIBED;
  def.motion.velocity = (ff_table){row, 1, 3};
  def.motion.axis = (ff_vec3){0, 0, 1};
  def.motion.rate = (ff_table){turn, 1, 1};
  scene_solid(scene, &def, FF_HALF_SPACE, (ff_vec3){0, 0, 0});
}

/* ---- normals that turn -------------------------------------------------------------- */

/* Two balls meet aside and turn about each other while they touch, by a right angle;
 * everything in a world turned by q. */
static ff_body_state meet_in_world(ff_quat q, double *residual, const char *stepper, double step) {
  world w = {.scene = scene_new(0, stepper, step)};
  add_ball(w.scene, "one", 1, q_rotate(q, v3(0, 0, 0)), v3(0, 0, 0), q_rotate(q, v3(0, 2, 1)));
  add_ball(w.scene, "two", .7, q_rotate(q, v3(.19, -.1, 0)), q_rotate(q, v3(-.9, 1.6, .3)),
           q_rotate(q, v3(5, 1, -3)));
  add_contact(w.scene, "two", "one", 100, .5, 60, 2);
  world_start(&w);
  ff_vec3 first = v3(0, 0, 0), last = first;
  for (int i = 1; i <= 30; i++) {
    assert_int_equal(world_advance(&w, .01 * i), FF_OK);
    if (ff_sim_contact_count(w.sim) > 0) {
      last = ff_sim_contact(w.sim, 0).normal;
      first = v3_norm(first) > 0 ? first : last;
    }
  }
  assert_true(acos(v3_dot(first, last)) > 1.5);
  ff_body_state two = ff_sim_body(w.sim, ff_model_body_find(w.model, "two"));
  ff_audit audit = ff_sim_audit(w.sim);
  *residual = audit.energy_residual / audit.energy_scale;
  world_end(&w);
  return two;
}

static void assert_vec(ff_vec3 a, ff_vec3 b, double tolerance) {
  assert_close(v3_norm(v3_sub(a, b)), 0, tolerance);
}

static void axes_of_the_world_mean_nothing(void **state) {
  (void)state;
  double residual;
  ff_body_state plain = meet_in_world(q_identity(), &residual, "adaptive", 0);
  assert_close(residual, 0, 1e-10);
  uint64_t seed = 11;
  for (int i = 0; i < 8; i++) {
    ff_vec3 turn = v3(ff_random_in(&seed, -3, 3), ff_random_in(&seed, -3, 3), ff_random(&seed));
    ff_quat q = q_exp(turn);
    ff_body_state turned = meet_in_world(q, &residual, "adaptive", 0);
    assert_close(residual, 0, 1e-10);
    /* Both runs are good to some 1e-11. */
    assert_vec(turned.position, q_rotate(q, plain.position), 1e-9);
    assert_vec(turned.velocity, q_rotate(q, plain.velocity), 1e-9);
    assert_vec(turned.omega, q_rotate(q, plain.omega), 1e-8);
  }
}

static void fixed_steps_carry_the_frame_too(void **state) {
  (void)state;
  double residual;
  ff_body_state exact = meet_in_world(q_identity(), &residual, "adaptive", 0);
  ff_quat q = q_exp(v3(1, -.4, .7));
  ff_body_state coarse = meet_in_world(q, &residual, "rk4", 2e-4);
  /* A step that goes over an event errs by its square. */
  assert_vec(coarse.velocity, q_rotate(q, exact.velocity), 1e-4);
  assert_vec(coarse.omega, q_rotate(q, exact.omega), 1e-3);
}

/* ---- ground that moves ------------------------------------------------------------------- */

static ff_body_state land_on_plate(ff_vec3 velocity) {
  world w = {.scene = scene_new(9.81, "adaptive", 0)};
  add_plate(w.scene, velocity, 0);
  add_ball(w.scene, "ball", 1, v3(0, 0, .12), v3_add(v3(1, -.5, 0), velocity), v3(3, 4, 5));
  add_contact(w.scene, "ball", "plate", 1e5, 100, 1.5e5, 100);
  world_start(&w);
  assert_int_equal(world_advance(&w, .5), FF_OK);
  ff_body_state out = ff_sim_body(w.sim, ff_model_body_find(w.model, "ball"));
  ff_audit audit = ff_sim_audit(w.sim);
  assert_close(audit.energy_residual, 0, 1e-10 * audit.energy_scale);
  world_end(&w);
  return out;
}

static void a_steady_floor_changes_nothing(void **state) {
  (void)state;
  ff_vec3 v = v3(.7, .3, 0);
  ff_body_state still = land_on_plate(v3(0, 0, 0)), moving = land_on_plate(v);
  assert_vec(moving.position, v3_axpy(still.position, .5, v), 1e-9);
  assert_vec(moving.velocity, v3_add(still.velocity, v), 1e-9);
  assert_vec(moving.omega, still.omega, 1e-8);
}

/* Four balls in one body, carried round by a turntable. The bristles lean towards the axis;
 * they must turn with the plate, or the body would wander on it by twice their deflection. */
static void riders_stay_where_they_are(void **state) {
  (void)state;
  double rate = 1, r = .3, depth = pow(9.81 / 4 / 1e6, 2.0 / 3);
  world w = {.scene = scene_new(9.81, "adaptive", 0)};
  add_plate(w.scene, v3(0, 0, 0), rate);
  ff_body_def def = ff_body_def_default();
  def.name = "rider";
  def.mass = 1;
  def.inertia = (ff_mat3){{{.01, 0, 0}, {0, .01, 0}, {0, 0, .02}}};
  def.com = v3(0, 0, 0);
  def.position = v3(r, 0, .02 - depth);
  def.velocity = v3(0, rate * r, 0);
  def.omega = v3(0, 0, rate);
  ff_body body;
  assert_int_equal(ff_scene_add_body(&body, w.scene, &def), FF_OK);
  for (int i = 0; i < 4; i++) {
    ff_shape shape;
    ff_shape_def foot = ff_shape_def_default();
    foot.size.x = .02;
    foot.position = v3(i & 1 ? .05 : -.05, i & 2 ? .05 : -.05, 0);
    assert_int_equal(ff_scene_add_shape(&shape, w.scene, body, &foot), FF_OK);
  }
  add_contact(w.scene, "rider", "plate", 1e6, 1e3, 1e4, 400);
  world_start(&w);
  ff_vec3 seen[2];
  double deflection = rate * rate * r / (4 * 1e4 * sqrt(depth));
  for (int i = 0; i < 2; i++) {
    double t = 3 + 2 * i;
    assert_int_equal(world_advance(&w, t), FF_OK);
    seen[i] = q_unrotate(q_exp(v3(0, 0, rate * t)), ff_sim_body(w.sim, body).position);
  }
  assert_true(deflection > 1e-4);
  assert_vec(seen[0], seen[1], 1e-8);
  ff_audit audit = ff_sim_audit(w.sim);
  assert_close(audit.energy_residual, 0, 1e-10 * audit.energy_scale);
  world_end(&w);
}

/* ---- normals that jump ----------------------------------------------------------------- */

/* The model of a scene under a stepper. */
static ff_sim *sim_under(ff_model **model, const char *text, const char *stepper) {
  char setting[64];
  snprintf(setting, sizeof setting, "stepper.kind=%s", stepper);
  return sim_of(model, text, setting);
}

/* A soft ball goes in by the top of a block and out by its side: the nearest face is another one
 * from one step to the next, and with it the normal. The bristle of the old contact is lost, and no
 * more than that. */
static void normals_that_jump_are_new_contacts(void **state) {
  (void)state;
  const char *text =
      "footfall: 1\nduration: 0.05\ngravity: [0, 0, 0]\nstepper: {kind: rk4, step: 1e-4}\n"
      "bodies:\n"
      "  block: {fixed: true, shape: {box: {size: [0.2, 0.2, 0.2]}}}\n"
      "  ball: {mass: 0.1, shape: {sphere: {radius: 0.02}}, position: [0.081, 0, 0.12],\n"
      "    velocity: [0.3, 0.1, -2]}\n"
      "contacts: [{pair: [ball, block], normal: {law: linear, k: 100, b: 0.01},\n"
      "    friction: {law: bristle-clutch, K: 1e3, D: 1, mu: 0.8}}]\n";
  const char *const steppers[] = {"adaptive", "rk4", "heun", "symplectic-euler"};
  double exact = 0;
  for (int i = 0; i < 4; i++) {
    ff_model *model;
    ff_sim *sim = sim_under(&model, text, steppers[i]);
    assert_int_equal(ff_sim_advance(sim, 0.05), FF_OK);
    ff_audit audit = ff_sim_audit(sim);
    double lost = ff_sim_energy(sim).lost[FF_LOST_TANGENT];
    exact = i == 0 ? lost : exact;
    assert_true(exact > 4e-3);
    assert_close(lost, exact, 0.01 * exact);
    assert_close(audit.energy_residual, 0, (i == 0 ? 1e-9 : 1e-3) * audit.energy_scale);
    end(sim, model);
  }
}

/* A gripper lifts a crate that stands askew: it neither creeps nor takes energy from nowhere. */
static void a_gripper_holds_what_it_lifts(void **state) {
  (void)state;
  const char *const steppers[] = {"rk4", "symplectic-euler"};
  for (int i = 0; i < 2; i++) {
    char setting[64];
    snprintf(setting, sizeof setting, "stepper.kind=%s", steppers[i]);
    const char *const settings[] = {setting};
    ff_scene *scene;
    ff_model *model;
    ff_sim *sim;
    ff_report report;
    const char *path = FF_SOURCE_DIR "/scenes/gripper.yaml";
    assert_int_equal(ff_scene_load(&scene, path, settings, 1, &report), FF_OK);
    assert_int_equal(ff_model_build(&model, scene, &report), FF_OK);
    assert_int_equal(ff_sim_create(&sim, model), FF_OK);
    ff_body crate = ff_model_body_find(model, "crate");
    assert_int_equal(ff_sim_advance(sim, 2.3), FF_OK);
    ff_vec3 held = ff_sim_body(sim, crate).position;
    assert_int_equal(ff_sim_advance(sim, 2.35), FF_OK);
    assert_close(held.z, 0.248, 1e-3);
    assert_vec(ff_sim_body(sim, crate).position, held, 0.05 * 1e-9);
    ff_audit audit = ff_sim_audit(sim);
    assert_int_equal(audit.verdict, FF_VERDICT_GOOD);
    assert_close(audit.energy_residual, 0, 2e-5);
    assert_true(fabs(ff_sim_energy(sim).lost[FF_LOST_TANGENT]) < 0.01);
    ff_sim_destroy(&sim);
    ff_model_destroy(&model);
    ff_scene_destroy(&scene);
  }
}

/* ---- friction whose axes differ, solved by `quasi-rigid` */

#define SLIPPERY_ALONG_Y(pair)                                                                     \
  "contacts: [{pair: " pair ", normal: {law: quasi-rigid, k: 1e5, c: 200, max_deflection: 1e-3},"  \
  "  friction: {law: ellipsoidal, mu: 0.5, e_t: 1, e_o: 0.1, e_r: 0.01}}]\n"
#define TURNTABLE(shape)                                                                           \
  "footfall: 1\nduration: 0.5\nstepper: {kind: quasi-rigid, step: 1e-3}\n"                         \
  "bodies:\n  table: {motion: {spin: {axis: [0, 0, 1], rate: 2}}, " shape "}\n"                    \
  "  block: {mass: 1, position: [0.3, 0, 0.1], velocity: [0.5, 0.2, 0],"                           \
  "    shape: {box: {size: [0.2, 0.2, 0.2]}}}\n" SLIPPERY_ALONG_Y("[block, table]")

static ff_vec3 block_ends(const char *text) {
  ff_model *model;
  ff_sim *sim = sim_of(&model, text, NULL);
  assert_int_equal(ff_sim_advance(sim, 0.5), FF_OK);
  assert_int_equal(ff_sim_audit(sim).verdict, FF_VERDICT_GOOD);
  ff_vec3 x = ff_sim_body(sim, ff_model_body_find(model, "block")).position;
  end(sim, model);
  return x;
}

/* A table that turns takes its axes along, be it a half-space or a box; the two differ by where in
 * the layer their points are. */
static void friction_axes_turn_with_the_table(void **state) {
  (void)state;
  ff_vec3 plane = block_ends(TURNTABLE("shape: {half-space: {}}"));
  ff_vec3 box = block_ends(TURNTABLE("position: [0, 0, -0.5], shape: {box: {size: [9, 9, 1]}}"));
  assert_true(v3_norm(v3_sub(plane, box)) < 1e-3); /* 0.06 where the axes stay behind */
}

/* Two free bodies that spin: the audit looks along the axes that the contact shows. */
static void friction_axes_of_free_bodies_are_audited(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = sim_of(
      &model,
      "footfall: 1\ngravity: [0, 0, 0]\nduration: 0.1\n"
      "stepper: {kind: quasi-rigid, step: 1e-4}\n" SLIPPERY_ALONG_Y(
          "[left, right]") "bodies:\n"
                           "  left: {mass: 1, shape: {ellipsoid: {axes: [0.1, 0.05, 0.03]}}, "
                           "position: [-0.2, 0, 0],"
                           "    velocity: [3, 0, 0], omega: [0, 30, 9]}\n"
                           "  right: {mass: 1.5, shape: {ellipsoid: {axes: [0.04, 0.12, 0.05]}},"
                           "    position: [0.1, 0.03, 0.01], omega: [40, -20, 30]}\n",
      NULL);
  assert_int_equal(ff_sim_advance(sim, 0.1), FF_OK);
  ff_audit audit = ff_sim_audit(sim);
  assert_true(audit.contact_force > 10); /* they met */
  assert_true(audit.contact.cone < 1e-8 * audit.contact_force);
  assert_int_equal(audit.verdict, FF_VERDICT_GOOD);
  end(sim, model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(axes_of_the_world_mean_nothing),
      cmocka_unit_test(fixed_steps_carry_the_frame_too),
      cmocka_unit_test(a_steady_floor_changes_nothing),
      cmocka_unit_test(riders_stay_where_they_are),
      cmocka_unit_test(normals_that_jump_are_new_contacts),
      cmocka_unit_test(a_gripper_holds_what_it_lifts),
      cmocka_unit_test(friction_axes_turn_with_the_table),
      cmocka_unit_test(friction_axes_of_free_bodies_are_audited),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
