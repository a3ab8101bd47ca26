/* Friction held over fixed steps: nothing creeps, stiff bristles do not need short steps, and
 * what fixed steps give comes to what `adaptive` gives. */
#include "findings.h"
#include "math/vec.h"
#include "worlds.h"

static const char *af_names[2] = {"K", "D"};
static const char *bc_names[4] = {"K", "D", "mu", "viscous"};

static void add_contact(ff_scene *scene, const char *a, const double normal[2],
                        const double friction[4]) {
  ff_contact_def contact = ff_contact_def_default();
  contact.a = a;
  contact.b = "floor";
  contact.normal = (ff_law_choice){"azad-featherstone", af_names, normal, 2};
  contact.friction = (ff_law_choice){"bristle-clutch", bc_names, friction, 4};
  assert_int_equal(ff_scene_add_contact(scene, &contact), FF_OK);
}

/* ---- a box on a slope ----------------------------------------------------------------- */

/* 1 kg on four corner spheres, on a slope of this angle (rad), steps of 1 ms. */
static ff_body box_on_slope(world *w, double angle, double stiffness) {
  w->scene = scene_new(9.81, "symplectic-euler", 1e-3);
  ff_run_def run = ff_run_def_default();
  run.gravity = (ff_vec3){9.81 * sin(angle), 0, -9.81 * cos(angle)};
  run.stepper.kind = "symplectic-euler";
  run.stepper.step = 1e-3;
  assert_int_equal(ff_scene_set_run(w->scene, &run), FF_OK);
  scene_floor(w->scene, "floor");
  ff_body_def def = ff_body_def_default();
  def.name = "box";
  def.mass = 1;
  def.com = v3(0, 0, 0);
  def.inertia = (ff_mat3){{{.004, 0, 0}, {0, .004, 0}, {0, 0, .006}}};
  def.position = v3(0, 0, .06);
  ff_body body;
  assert_int_equal(ff_scene_add_body(&body, w->scene, &def), FF_OK);
  for (int i = 0; i < 4; i++) {
    ff_shape shape;
    ff_shape_def corner = ff_shape_def_default();
    corner.size.x = .01;
    corner.position = v3(i & 1 ? .1 : -.1, i & 2 ? .1 : -.1, -.05);
    assert_int_equal(ff_scene_add_shape(&shape, w->scene, body, &corner), FF_OK);
  }
  add_contact(w->scene, "box", (double[]){1e6, 2e3}, (double[]){stiffness, 2e3, .5, 0});
  world_start(w);
  return body;
}

/* How far it gets from its first second to the end. */
static double creep(double angle, double stiffness, double end) {
  world w = {0};
  ff_body box = box_on_slope(&w, angle, stiffness);
  assert_int_equal(world_advance(&w, 1), FF_OK);
  ff_vec3 start = ff_sim_body(w.sim, box).position;
  assert_int_equal(world_advance(&w, end), FF_OK);
  double moved = v3_norm(v3_sub(ff_sim_body(w.sim, box).position, start));
  world_end(&w);
  return moved;
}

static void a_box_does_not_creep_in_a_million_steps(void **state) {
  (void)state;
  assert_close(creep(5 * ff_pi / 180, 1.5e6, 1001), 0, 1e-8);
}

static void it_holds_to_the_friction_angle(void **state) {
  (void)state;
  double limit = atan(.5), tenth = .1 * ff_pi / 180;
  assert_close(creep(limit - tenth, 1.5e6, 20), 0, 1e-8);
  assert_true(creep(limit + tenth, 1.5e6, 20) > 1);
}

/* Bristles far stiffer than steps of 1 ms can follow: they neither creep nor ring. */
static void stiff_bristles_need_no_short_steps(void **state) {
  (void)state;
  const double stiffness[] = {1.5e9, 1.5e11, 1.5e14};
  for (int i = 0; i < 3; i++) {
    world w = {0};
    ff_body box = box_on_slope(&w, 5 * ff_pi / 180, stiffness[i]);
    assert_int_equal(world_advance(&w, 1), FF_OK);
    ff_vec3 start = ff_sim_body(w.sim, box).position;
    for (int k = 1; k <= 200; k++) {
      assert_int_equal(world_advance(&w, 1 + 1e-3 * k), FF_OK);
      assert_true(v3_norm(ff_sim_body(w.sim, box).velocity) < 1e-8);
      ff_contact corner = ff_sim_contact(w.sim, 0);
      assert_int_equal(corner.mode, FF_STICK);
      assert_near(hypot(corner.force_t1, corner.force_t2), 9.81 * sin(5 * ff_pi / 180) / 4, .2);
    }
    assert_close(v3_norm(v3_sub(ff_sim_body(w.sim, box).position, start)), 0, 1e-9);
    ff_audit audit = ff_sim_audit(w.sim);
    assert_true(audit.energy_residual < 1e-3 * audit.energy_scale);
    world_end(&w);
  }
}

/* ---- a robot ------------------------------------------------------------------------- */

static void a_robot_stands_at_steps_of_a_millisecond(void **state) {
  (void)state;
  world w = {0};
  const char *path = FF_SOURCE_DIR "/scenes/humanoid-on-bristles.yaml";
  assert_int_equal(ff_scene_load(&w.scene, path, NULL, 0, NULL), FF_OK);
  world_start(&w);
  ff_body foot = ff_model_body_find(w.model, "humanoid-left_foot");
  assert_true(foot.id > 0);
  assert_int_equal(world_advance(&w, 5), FF_OK);
  ff_vec3 start = ff_sim_body(w.sim, foot).position;
  assert_int_equal(world_advance(&w, 10), FF_OK);
  ff_vec3 moved = v3_sub(ff_sim_body(w.sim, foot).position, start);
  assert_close(v3_norm(moved), 0, 1e-6);
  assert_true(ff_sim_audit(w.sim).energy_residual < 1e-4 * ff_sim_audit(w.sim).energy_scale);
  assert_int_equal(ff_sim_audit(w.sim).verdict, FF_VERDICT_GOOD);
  world_end(&w);
}

/* ---- friction that is a law of the slip ----------------------------------------------------- */

/* What a law of the slip says a box creeps at on a slope of 0.6 mu_static: mu(s) = 0.6 mu_static;
 * `coulomb` does not. */
static void friction_creeps_as_its_law_says(void **state) {
  (void)state;
  static const struct {
    const char *law;
    const char *names[2];
    double values[2], speed; /* m/s, at v_t = 1e-3 */
  } cases[] = {
      {"coulomb", {"mu_static", "mu_kinetic"}, {.5, .4}, 0},
      /* s / sqrt(1 + s^2) = 0.6 */
      {"ellipsoidal", {"mu", "v_t"}, {.5, 1e-3}, .75e-3},
  };
  for (int i = 0; i < 2; i++) {
    world w = {0};
    ff_run_def run = ff_run_def_default();
    run.gravity = (ff_vec3){.3 * 9.81, 0, -9.81};
    run.stepper.kind = "symplectic-euler";
    run.stepper.step = 1e-3;
    w.scene = scene_new(9.81, "symplectic-euler", 1e-3);
    assert_int_equal(ff_scene_set_run(w.scene, &run), FF_OK);
    scene_floor(w.scene, "floor");
    ff_body_def def = ff_body_def_default();
    def.name = "box";
    def.mass = 2;
    def.position = v3(0, 0, .05);
    ff_body box = scene_solid(w.scene, &def, FF_BOX, v3(.1, .1, .05));
    ff_contact_def contact = ff_contact_def_default();
    contact.a = "box";
    contact.b = "floor";
    contact.normal = (ff_law_choice){"hunt-crossley", (const char *[]){"k", "n", "alpha"},
                                     (double[]){2e4, 1, 1}, 3};
    contact.friction =
        (ff_law_choice){cases[i].law, (const char **)cases[i].names, cases[i].values, 2};
    assert_int_equal(ff_scene_add_contact(w.scene, &contact), FF_OK);
    world_start(&w);
    assert_int_equal(world_advance(&w, 1), FF_OK);
    double start = ff_sim_body(w.sim, box).position.x;
    assert_int_equal(world_advance(&w, 2), FF_OK);
    double moved = ff_sim_body(w.sim, box).position.x - start;
    assert_close(moved, cases[i].speed, greater(1e-4 * cases[i].speed, 1e-8));
    assert_good(w.sim);
    assert_true(ff_sim_audit(w.sim).energy_residual < 1e-3 * ff_sim_audit(w.sim).energy_scale);
    world_end(&w);
  }
}

/* Hunt-Crossley and Coulomb under the corners of box feet, at 1 ms: the verdict is good, the ledger
 * closes with the step, and the feet stay. */
static void a_robot_stands_on_coulomb_friction(void **state) {
  (void)state;
  world w = {0};
  const char *path = FF_SOURCE_DIR "/scenes/humanoid-standing.yaml";
  assert_int_equal(ff_scene_load(&w.scene, path, NULL, 0, NULL), FF_OK);
  world_start(&w);
  ff_body foot = ff_model_body_find(w.model, "humanoid-left_foot");
  assert_int_equal(world_advance(&w, 1), FF_OK);
  ff_vec3 start = ff_sim_body(w.sim, foot).position;
  assert_int_equal(world_advance(&w, 2), FF_OK);
  ff_vec3 moved = v3_sub(ff_sim_body(w.sim, foot).position, start);
  assert_true(hypot(moved.x, moved.y) < 1e-6);
  assert_true(ff_sim_audit(w.sim).energy_residual < 1e-3 * ff_sim_audit(w.sim).energy_scale);
  assert_int_equal(ff_sim_audit(w.sim).verdict, FF_VERDICT_GOOD);
  world_end(&w);
}

/* ---- against `adaptive` -------------------------------------------------------------------- */

typedef struct roll {
  double x, worst; /* m; largest residual over the total energy */
} roll;

/* The rolling sphere of [Azad10 Sec. 4], which is at .374041243 m after 1 s. */
static roll rolling_sphere(const char *stepper, double step) {
  world w = {.scene = scene_new(9.81, stepper, step)};
  scene_floor(w.scene, "floor");
  ff_body_def def = ff_body_def_default();
  def.name = "ball";
  def.mass = .154;
  def.position = v3(0, 0, .1);
  def.velocity = v3(.5, .5, 0);
  ff_body ball = scene_solid(w.scene, &def, FF_SPHERE, v3(.0165, 0, 0));
  add_contact(w.scene, "ball", (double[]){8.5e6, 3.1e3}, (double[]){12.75e6, 3.1e3, .2, .1});
  world_start(&w);
  assert_int_equal(world_advance(&w, 1), FF_OK);
  ff_body_state end = ff_sim_body(w.sim, ball);
  /* Rolling conserves the angular momentum about the ground, whatever the step. */
  assert_near(end.omega.y, 21.6450216, 1e-6);
  roll out = {end.position.x, ff_sim_audit(w.sim).energy_residual / .189574};
  world_end(&w);
  return out;
}

static void fixed_steps_converge(void **state) {
  (void)state;
  double coarse = fabs(rolling_sphere("symplectic-euler", 1e-4).x - .374041243);
  double fine = fabs(rolling_sphere("symplectic-euler", 1.25e-5).x - .374041243);
  assert_true(coarse < 1e-3);
  assert_true(fine < coarse / 6); /* first order: 8, less what touch-downs scatter */
}

static void ledgers_close_with_the_step(void **state) {
  (void)state;
  assert_true(rolling_sphere("rk4", 1e-4).worst < 1e-3);
  assert_true(rolling_sphere("rk4", 1.25e-5).worst < 1e-6);
  /* Where the depth changes evenly, as a sphere's on a plane, held forces take what laws store
   * and lose: at all times, and whatever the step. */
  assert_true(rolling_sphere("symplectic-euler", 1e-3).worst < 1e-12);
  assert_true(rolling_sphere("symplectic-euler", 1e-4).worst < 1e-12);
}

/* Residual of a scene over the energy that moved. */
static double residual_of(const char *scene, double step) {
  char path[256], set[64];
  snprintf(path, sizeof path, FF_SOURCE_DIR "/scenes/%s.yaml", scene);
  snprintf(set, sizeof set, "stepper={kind: symplectic-euler, step: %g}", step);
  world w = {0};
  assert_int_equal(ff_scene_load(&w.scene, path, (const char *[]){set}, 1, NULL), FF_OK);
  world_start(&w);
  assert_int_equal(world_advance(&w, .5), FF_OK);
  ff_audit audit = ff_sim_audit(w.sim);
  assert_int_equal(audit.verdict, FF_VERDICT_GOOD);
  world_end(&w);
  return audit.energy_residual / audit.energy_scale;
}

/* Bodies that turn: second order. Robots, whose Coriolis forces are those of the start: first. */
static void residuals_fall_with_the_order(void **state) {
  (void)state;
  const struct {
    const char *scene;
    double most, order;
  } cases[] = {{"foot-of-spheres", 1e-5, 2},
               {"humanoid-on-bristles", 1e-4, 1},
               {"quadruped-standing", 1e-4, 1},
               {"planar-biped", 1e-4, 1},
               {"humanoid-standing", 1e-3, 1}};
  for (int i = 0; i < 5; i++) {
    double coarse = residual_of(cases[i].scene, 1e-3), fine = residual_of(cases[i].scene, 5e-4);
    assert_true(coarse < cases[i].most);
    assert_true(log2(coarse / fine) > cases[i].order - .2);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_box_does_not_creep_in_a_million_steps),
      cmocka_unit_test(it_holds_to_the_friction_angle),
      cmocka_unit_test(stiff_bristles_need_no_short_steps),
      cmocka_unit_test(a_robot_stands_at_steps_of_a_millisecond),
      cmocka_unit_test(friction_creeps_as_its_law_says),
      cmocka_unit_test(a_robot_stands_on_coulomb_friction),
      cmocka_unit_test(fixed_steps_converge),
      cmocka_unit_test(ledgers_close_with_the_step),
      cmocka_unit_test(residuals_fall_with_the_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
