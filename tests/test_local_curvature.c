/* Stiffness and damping from materials where the radius of curvature varies: they follow the
 * point of contact, and the ledger tells what that does to the stored energy. */
#include "math/vec.h"
#include "worlds.h"

static void add_materials(ff_scene *scene) {
  ff_material_def soft = ff_material_def_default();
  soft.name = "soft";
  soft.young = 2e6;
  soft.poisson = .3;
  soft.density = 1000;
  soft.mu_static = .5;
  assert_int_equal(ff_scene_add_material(scene, &soft), FF_OK);
}

/* A solid of the material above the floor, and their contact by materials alone. */
static ff_status build(world *w, const char *stepper, double step, ff_shape_kind kind, ff_vec3 size,
                       ff_body_def def, double bed, ff_report *report) {
  static const char *alpha[1] = {"alpha"};
  w->scene = scene_new(9.81, stepper, step);
  add_materials(w->scene);
  ff_body floor;
  ff_shape shape;
  ff_body_def ground = ff_body_def_default();
  ground.name = "floor";
  ground.kind = FF_BODY_FIXED;
  ground.material = "soft";
  assert_int_equal(ff_scene_add_body(&floor, w->scene, &ground), FF_OK);
  ff_shape_def plane = ff_shape_def_default();
  plane.kind = FF_HALF_SPACE;
  assert_int_equal(ff_scene_add_shape(&shape, w->scene, floor, &plane), FF_OK);
  def.name = "egg";
  def.material = "soft";
  scene_solid(w->scene, &def, kind, size);
  ff_contact_def contact = ff_contact_def_default();
  contact.a = "egg";
  contact.b = "floor";
  contact.normal = (ff_law_choice){"azad-featherstone", alpha, &bed, 1};
  contact.friction = (ff_law_choice){"bristle-clutch", alpha, &bed, 1};
  assert_int_equal(ff_scene_add_contact(w->scene, &contact), FF_OK);
  return ff_model_build(&w->model, w->scene, report);
}

static void start(world *w, const char *stepper, double step, ff_shape_kind kind, ff_vec3 size,
                  ff_body_def def) {
  assert_int_equal(build(w, stepper, step, kind, size, def, 300, NULL), FF_OK);
  assert_int_equal(ff_sim_create(&w->sim, w->model), FF_OK);
}

/* [Azad10 eq. 10, 12] with the radius 1/sqrt(k1 k2): on the tip of c, k = c/a^2 and c/b^2. */
static void an_ellipsoid_lands_as_the_sphere_it_has_there(void **state) {
  (void)state;
  const ff_vec3 axes = v3(.06, .10, .04);
  double radius = axes.x * axes.y / axes.z;
  ff_body_def def = ff_body_def_default();
  def.mass = 1;
  def.position = v3(0, 0, axes.z + .05);
  world egg = {0}, ball = {0};
  start(&egg, "adaptive", 0, FF_ELLIPSOID, axes, def);
  def.position.z += radius - axes.z;
  start(&ball, "adaptive", 0, FF_SPHERE, v3(radius, 0, 0), def);
  for (int i = 1; i <= 20; i++) {
    assert_int_equal(world_advance(&egg, .02 * i), FF_OK);
    assert_int_equal(world_advance(&ball, .02 * i), FF_OK);
    double a = ff_sim_body(egg.sim, ff_model_body_find(egg.model, "egg")).position.z;
    double b = ff_sim_body(ball.sim, ff_model_body_find(ball.model, "egg")).position.z;
    assert_close(a - axes.z, b - radius, 1e-10);
  }
  assert_true(ff_sim_audit(egg.sim).events > 2);
  world_end(&egg);
  world_end(&ball);
}

static void tumble(world *w, const char *stepper, double step) {
  ff_body_def def = ff_body_def_default();
  def.density = 1000;
  def.position = v3(0, 0, .12);
  def.velocity = v3(.3, -.2, 0);
  def.omega = v3(3, 2, 1);
  start(w, stepper, step, FF_ELLIPSOID, v3(.06, .10, .04), def);
  assert_int_equal(world_advance(w, 1), FF_OK);
}

static void a_changing_stiffness_is_accounted_for(void **state) {
  (void)state;
  world w = {0};
  tumble(&w, "adaptive", 0);
  ff_audit audit = ff_sim_audit(w.sim);
  assert_close(audit.energy_residual, 0, 1e-10 * audit.energy_scale);
  assert_true(fabs(ff_sim_energy(w.sim).lost[FF_LOST_DEPTH]) > 1e-5 * audit.energy_scale);
  ff_vec3 exact = ff_sim_body(w.sim, ff_model_body_find(w.model, "egg")).position;
  world_end(&w);
  double residual[2], error[2];
  for (int i = 0; i < 2; i++) {
    tumble(&w, "symplectic-euler", i == 0 ? 1e-4 : 5e-5);
    audit = ff_sim_audit(w.sim);
    residual[i] = audit.energy_residual / audit.energy_scale;
    ff_vec3 there = ff_sim_body(w.sim, ff_model_body_find(w.model, "egg")).position;
    error[i] = v3_norm(v3_sub(there, exact));
    world_end(&w);
  }
  assert_true(residual[0] < 1e-3 && residual[1] < residual[0] / 3); /* second order */
  assert_true(error[0] < 1e-3 && error[1] < error[0]);
}

static void flat_shapes_ask_for_a_radius(void **state) {
  (void)state;
  const ff_shape_kind kinds[] = {FF_BOX, FF_CYLINDER};
  for (int i = 0; i < 2; i++) {
    world w = {0};
    ff_report report = {0};
    ff_body_def def = ff_body_def_default();
    def.mass = 1;
    assert_int_equal(build(&w, "adaptive", 0, kinds[i], v3(.1, .1, .1), def, 300, &report),
                     FF_ERROR_INPUT);
    assert_non_null(strstr(report.what, "contact's radius must be given"));
    ff_scene_destroy(&w.scene);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_ellipsoid_lands_as_the_sphere_it_has_there),
      cmocka_unit_test(a_changing_stiffness_is_accounted_for),
      cmocka_unit_test(flat_shapes_ask_for_a_radius),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
