/* Contacts of overlaps, held over fixed steps: their springs keep energy, and their moments turn
 * bodies and robots alike. */
#include "math/vec.h"
#include "scene_text.h"
#include "worlds.h"

/* Held where steps start they made ten times the energy that there was, and as much again by spins
 * that friction turned around and around. */
static void a_box_that_bounces_flat_keeps_its_energy(void **state) {
  (void)state;
  static const char text[] =
      "footfall: 1\n"
      "stepper: {kind: symplectic-euler, step: 1e-3}\n"
      "duration: 0.3\n"
      "bodies:\n"
      "  floor: {fixed: true, shape: {half-space: {}}}\n"
      "  box: {mass: 5, shape: {box: {size: [0.1, 0.05, 0.2]}}, position: [0, 0, 0.1005]}\n"
      "contacts:\n"
      "  - pair: [box, floor]\n"
      "    normal: {law: volumetric, k_V: 3e7}\n"
      "    friction: {law: continuous, mu_s: 0.6}\n";
  double residual[2];
  for (int i = 0; i < 2; i++) {
    ff_model *model;
    ff_sim *sim = sim_of(&model, text, i ? "stepper.step=5e-4" : NULL);
    assert_int_equal(ff_sim_advance(sim, 0.3), FF_OK);
    ff_audit audit = ff_sim_audit(sim);
    residual[i] = audit.energy_residual / audit.energy_scale;
    assert_true(ff_sim_energy(sim).lost[FF_LOST_SPIN] < 1e-20); /* it never spins */
    end(sim, model);
  }
  assert_true(residual[0] < 0.01);
  assert_true(residual[1] < 0.4 * residual[0]); /* second order, but for where it touches */
}

/* A ball that rolls and spins on soft ground, as a robot of one link or as a free body. */
static void start_ball(world *w, bool as_body, const char *stepper, double step) {
  const ff_mat3 inertia = {{{4e-3, 0, 0}, {0, 4e-3, 0}, {0, 0, 4e-3}}};
  const ff_vec3 at = v3(0, 0, 0.0985), velocity = v3(0.5, 0, 0), omega = v3(0, 5, 20);
  const char *soft[] = {"k_V", "a_V"}, *rub[] = {"mu_s", "v_t"};
  const double soft_values[] = {3e6, 1}, rub_values[] = {0.6, 1e-2};
  w->scene = scene_new(9.81, stepper, step);
  scene_floor(w->scene, "floor");
  ff_contact_def contact = ff_contact_def_default();
  contact.normal = (ff_law_choice){"volumetric", soft, soft_values, 2};
  contact.friction = (ff_law_choice){"continuous", rub, rub_values, 2};
  assert_int_equal(ff_scene_add_contact(w->scene, &contact), FF_OK);
  if (as_body) {
    ff_body_def b = ff_body_def_default();
    b.name = "ball-link";
    b.mass = 1;
    b.inertia = inertia;
    b.position = at;
    b.velocity = velocity;
    b.omega = omega;
    scene_solid(w->scene, &b, FF_SPHERE, v3(0.1, 0, 0));
  } else {
    ff_robot_link link = {.def = ff_link_def_default(), .joint_name = "", .effort = INFINITY};
    link.def.name = "link";
    link.def.mass = 1;
    link.def.inertia = inertia;
    ff_robot_shape shape = {.link = 1, .kind = FF_SPHERE, .size = {0.1, 0, 0}, .file = ""};
    shape.pose.orientation = q_identity();
    ff_robot_def def = {.name = "ball",
                        .links = &link,
                        .link_count = 1,
                        .shapes = &shape,
                        .shape_count = 1,
                        .root = FF_JOINT_FREE,
                        .base = {at, q_identity()},
                        .velocity = velocity,
                        .omega = omega};
    assert_int_equal(ff_scene_add_robot(w->scene, &def), FF_OK);
  }
  world_start(w);
}

typedef struct ending {
  double speed, spin, residual;
} ending;

static ending roll(bool as_body, const char *stepper, double step) {
  world w = {0};
  start_ball(&w, as_body, stepper, step);
  assert_int_equal(world_advance(&w, 0.3), FF_OK);
  ff_body_state ball = ff_sim_body(w.sim, ff_model_body_find(w.model, "ball-link"));
  ending out = {ball.velocity.x, ball.omega.z, fabs(ff_sim_energy(w.sim).residual)};
  world_end(&w);
  return out;
}

/* Robots did not feel moments of contacts at all: the spin stayed at 20 rad/s. */
static void spins_of_robots_are_braked_as_those_of_bodies(void **state) {
  (void)state;
  ending exact = roll(true, "adaptive", NAN);
  assert_true(exact.spin < 15);
  ending body = roll(true, "symplectic-euler", 1e-3);
  assert_near(body.spin, exact.spin, 1e-4);
  assert_near(body.speed, exact.speed, 1e-4);
  assert_true(body.residual < 2e-5); /* of 1 J */
  ending robot = roll(false, "symplectic-euler", 1e-4);
  assert_near(robot.spin, exact.spin, 1e-3);
  assert_near(robot.speed, exact.speed, 5e-3); /* robots are of first order: spin times step */
  assert_true(robot.residual < 2e-3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_box_that_bounces_flat_keeps_its_energy),
      cmocka_unit_test(spins_of_robots_are_braked_as_those_of_bodies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
