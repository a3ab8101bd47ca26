/* Continuous collision: under every stepper, fast shapes do not pass through others. */
#include "folder.h"
#include "math/vec.h"
#define SCENES_BESIDE "./test.yaml" /* where arm.urdf is found from */
#include "scene_text.h"

static const char *const kinds[] = {"symplectic-euler", "rk4",         "heun",
                                    "adaptive",         "quasi-rigid", "micro-macro"};
enum { KINDS = sizeof kinds / sizeof *kinds, STARTS = 12 };

static const char *setting_of(const char *kind, double step) {
  static char text[100];
  bool adaptive = strcmp(kind, "adaptive") == 0;
  snprintf(text, sizeof text, adaptive ? "stepper={kind: %s}" : "stepper={kind: %s, step: %.17g}",
           kind, step);
  return text;
}

/* Law of a stiffness that the stepper knows. */
static const char *law_of(const char *kind) {
  return strcmp(kind, "quasi-rigid") == 0   ? "{law: quasi-rigid, k: 1e8, c: 0}"
         : strcmp(kind, "micro-macro") == 0 ? "{law: elastic, k: 1e8, c: 0}"
                                            : "{law: linear, k: 1e8, b: 0}";
}

/* The n-th of numbers between 0 and 1 that fall anywhere. */
static double anywhere(int n) {
  double x = 0.5 + 0.61803398874989485 * n;
  return x - floor(x);
}

/* Where and how fast a body is when the scene has run to t, with no sample in between. */
static ff_body_state outcome(const char *text, const char *setting, const char *name, double t,
                             ff_audit *audit) {
  ff_model *model;
  ff_sim *sim = sim_of(&model, text, setting);
  ff_status status = ff_sim_advance(sim, t);
  if (status != FF_OK) {
    print_error("%s: status %d at %g s\n%s\n", setting, status, ff_sim_time(sim), text);
  }
  assert_int_equal(status, FF_OK);
  ff_body_state out = ff_sim_body(sim, ff_model_body_find(model, name));
  *audit = ff_sim_audit(sim);
  end(sim, model);
  return out;
}

/* A ball against a wall: stays before it. */
static void shoot(const char *kind, double mass, double radius, double speed, double wall,
                  double step) {
  for (int i = 0; i < STARTS; i++) {
    char text[1000];
    double gap = speed * step * (1 + anywhere(i)); /* anywhere within the second step */
    snprintf(text, sizeof text,
             "footfall: 1\ngravity: [0, 0, 0]\n"
             "bodies:\n"
             "  wall: {fixed: true, shape: {box: {size: [%g, 2, 2]}}}\n"
             "  ball: {mass: %g, shape: {sphere: {radius: %g}}, position: [%.17g, 0.1, 0.2],\n"
             "         velocity: [%g, 0, 0]}\n"
             "contacts:\n  - {pair: [ball, wall], normal: %s}\n",
             wall, mass, radius, -0.5 * wall - radius - gap, speed, law_of(kind));
    ff_audit audit;
    ff_body_state ball = outcome(text, setting_of(kind, step), "ball", 5 * step, &audit);
    if (getenv("FF_SHOW")) {
      print_message("%-17s %d: x %8.4f v %9.4f steps %ld verdict %d coarse %.3f\n", kind, i,
                    ball.position.x, ball.velocity.x, audit.steps, audit.verdict, audit.coarseness);
    }
    assert_true(ball.position.x < 0 && ball.velocity.x <= 0);
    if (strcmp(kind, "quasi-rigid") != 0 && strcmp(kind, "micro-macro") != 0) {
      assert_close(ball.velocity.x, -speed, 0.01 * speed);
      /* v sqrt(m/k) = 10 mm is as deep as the first wall is thick, which the verdict names. */
      assert_true(audit.verdict == FF_VERDICT_GOOD || audit.verdict == FF_VERDICT_CONTACT);
    }
  }
}

static void balls_do_not_pass_through_walls(void **state) {
  (void)state;
  for (int k = 0; k < KINDS; k++) {
    shoot(kinds[k], 1, 0.05, 100, 0.01, 1.0 / 240);
    shoot(kinds[k], 2.6e-4, 0.002, 800, 0.005, 1e-3);
  }
}

/* A bat of 1 m that turns about its middle, against a ball beside it: the ball flies off in the
 * direction that the bat's end moves. */
static void swing(const char *kind, const char *bat) {
  for (int i = 0; i < STARTS; i++) {
    char text[1000];
    double angle = -0.3 - 1.7 * anywhere(i); /* the ball is at the end of the bat at angle 0 */
    snprintf(text, sizeof text,
             "footfall: 1\ngravity: [0, 0, 0]\n"
             "bodies:\n"
             "  bat: {%s, orientation: {axis: [0, 0, 1], angle: %.17g}, omega: [0, 0, 400],\n"
             "        shape: {box: {size: [1, 0.04, 0.04]}}}\n"
             "  ball: {mass: 0.15, shape: {sphere: {radius: 0.035}}, position: [0.4, 0, 0]}\n"
             "contacts:\n  - {pair: [ball, bat], normal: %s}\n",
             bat, angle, law_of(kind));
    ff_audit audit;
    ff_body_state ball = outcome(text, setting_of(kind, 1.0 / 240), "ball", 0.01, &audit);
    if (getenv("FF_SHOW")) {
      print_message("bat %-17s %d: v %9.4f %9.4f steps %ld verdict %d coarse %.3f\n", kind, i,
                    ball.velocity.x, ball.velocity.y, audit.steps, audit.verdict, audit.coarseness);
    }
    assert_true(ball.velocity.y > 100);
  }
}

static void bats_do_not_pass_through_balls(void **state) {
  (void)state;
  for (int k = 0; k < KINDS; k++) {
    swing(kinds[k], "mass: 1");
  }
}

/* Onto a half-space and onto rigid ground, both met within a step: not a thickness deep. */
static void falls_end_on_the_floor(void **state) {
  (void)state;
  for (int k = 0; k < KINDS; k++) {
    char text[1000];
    snprintf(text, sizeof text,
             "footfall: 1\n"
             "bodies:\n"
             "  floor: {fixed: true, shape: {half-space: {}}}\n"
             "  plate: {mass: 1, shape: {box: {size: [0.2, 0.2, 0.004]}}, position: [0, 0, 0.5],\n"
             "          velocity: [0, 0, -20]}\n"
             "contacts:\n  - {pair: [plate, floor], normal: %s}\n",
             law_of(kinds[k]));
    ff_model *model;
    ff_sim *sim = sim_of(&model, text, setting_of(kinds[k], 1e-3));
    ff_body plate = ff_model_body_find(model, "plate");
    for (int i = 1; i <= 30; i++) {
      assert_int_equal(ff_sim_advance(sim, 1e-3 * i), FF_OK);
      assert_true(ff_sim_body(sim, plate).position.z > 0);
    }
    end(sim, model);
  }
}

/* Slow scenes step on the grid. */
static void slow_scenes_are_not_cut(void **state) {
  (void)state;
  ff_audit audit;
  outcome("footfall: 1\n"
          "bodies:\n"
          "  floor: {fixed: true, shape: {half-space: {}}}\n"
          "  ball: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.2]}\n"
          "  wall: {fixed: true, shape: {box: {size: [0.01, 1, 1]}}, position: [0.15, 0, 0.5]}\n"
          "contacts:\n  - {pair: [ball, floor], normal: {law: linear, k: 1e5, b: 100}}\n"
          "  - {pair: [ball, wall], normal: {law: linear, k: 1e5, b: 100}}\n",
          "stepper={kind: rk4, step: 1e-3}", "ball", 1, &audit);
  assert_int_equal(audit.steps, 1000);
}

/* A body that moves as prescribed, and a link that its joint turns, are met as well. */
static const char arm[] =
    "<robot name='arm'><link name='base'/>"
    "<link name='bat'><inertial><origin xyz='0.25 0 0'/><mass value='1'/>"
    "<inertia ixx='0.001' iyy='0.02' izz='0.02' ixy='0' ixz='0' iyz='0'/></inertial>"
    "<collision><origin xyz='0.25 0 0'/><geometry><box size='0.5 0.04 0.04'/></geometry>"
    "</collision></link>"
    "<joint name='hinge' type='continuous'><parent link='base'/><child link='bat'/>"
    "<axis xyz='0 0 1'/></joint></robot>";

static int leave_folder(void **state) {
  (void)state;
  return remove_folder();
}

static void links_do_not_pass_through_balls(void **state) {
  (void)state;
  FILE *file = fopen("arm.urdf", "w");
  assert_non_null(file);
  assert_true(fputs(arm, file) >= 0);
  assert_int_equal(fclose(file), 0);
  for (int k = 0; k < KINDS; k++) {
    for (int i = 0; i < STARTS; i++) {
      char text[1000];
      snprintf(text, sizeof text,
               "footfall: 1\ngravity: [0, 0, 0]\n"
               "robots:\n  arm: {urdf: arm.urdf, base: fixed, joints: {hinge: {position: %.17g, "
               "velocity: 400}}}\n"
               "bodies:\n"
               "  ball: {mass: 0.15, shape: {sphere: {radius: 0.035}}, position: [0.4, 0, 0]}\n"
               "contacts:\n  - {pair: [ball, arm], normal: %s}\n",
               -0.3 - 1.7 * anywhere(i), law_of(kinds[k]));
      ff_audit audit;
      ff_body_state ball = outcome(text, setting_of(kinds[k], 1.0 / 240), "ball", 0.01, &audit);
      if (getenv("FF_SHOW")) {
        print_message("link %-17s %d: v %9.4f %9.4f steps %ld verdict %d\n", kinds[k], i,
                      ball.velocity.x, ball.velocity.y, audit.steps, audit.verdict);
      }
      assert_true(ball.velocity.y > 50);
    }
  }
  remove("arm.urdf");
}

/* A state saved inside an impact goes on to the same bits. */
static void saved_impacts_go_on(void **state) {
  (void)state;
  static const char text[] =
      "footfall: 1\ngravity: [0, 0, 0]\n"
      "bodies:\n"
      "  wall: {fixed: true, shape: {box: {size: [0.01, 2, 2]}}}\n"
      "  ball: {mass: 1, shape: {sphere: {radius: 0.05}}, position: [-0.5, 0.1, 0.2],\n"
      "         velocity: [100, 3, 0], omega: [3, 50, 20]}\n"
      "contacts:\n  - {pair: [ball, wall], normal: {law: linear, k: 1e8, b: 0},\n"
      "     friction: {law: coulomb, mu_static: 0.3}}\n";
  for (int k = 0; k < 4; k++) {
    ff_model *model;
    ff_sim *sim = sim_of(&model, text, setting_of(kinds[k], 1.0 / 240));
    assert_int_equal(ff_sim_advance(sim, 0.00455), FF_OK);
    assert_int_equal(ff_sim_contact_count(sim), 1);
    ff_state *saved = NULL;
    assert_int_equal(ff_state_create(&saved, sim), FF_OK);
    assert_int_equal(ff_state_save(sim, saved), FF_OK);
    assert_int_equal(ff_sim_advance(sim, 0.01), FF_OK);
    ff_body_state first = ff_sim_body(sim, ff_model_body_find(model, "ball"));
    assert_int_equal(ff_state_restore(sim, saved), FF_OK);
    assert_int_equal(ff_sim_advance(sim, 0.01), FF_OK);
    ff_body_state second = ff_sim_body(sim, ff_model_body_find(model, "ball"));
    assert_memory_equal(&first, &second, sizeof first);
    ff_state_destroy(&saved);
    end(sim, model);
  }
}

/* A box that lands flat at 2 m/s on four corners, zeta = 0.18, in steps of 10 ms, three times as
 * long as the impact. It leaves at 1.2 m/s, which alone would be slow enough for whole steps: the
 * steps have to follow it until it is off. Restitution of a spring and a damper that do not pull:
 * exp(-zeta / w (pi - atan2(2 zeta w, 1 - 2 zeta^2))) with w = sqrt(1 - zeta^2) [Marhefka96]. */
static void impacts_are_followed_to_their_end(void **state) {
  (void)state;
  double zeta = 160 / (2 * sqrt(4e5 * 0.5)), w = sqrt(1 - zeta * zeta);
  double restitution =
      exp(-zeta / w * (3.14159265358979 - atan2(2 * zeta * w, 1 - 2 * zeta * zeta)));
  static const char text[] =
      "footfall: 1\ngravity: [0, 0, 0]\n"
      "bodies:\n"
      "  floor: {fixed: true, shape: {half-space: {}}}\n"
      "  box: {mass: 0.5, position: [0, 0, 0.08], velocity: [0, 0, -2],\n"
      "        shape: {box: {size: [0.1, 0.1, 0.06]}}}\n"
      "contacts:\n  - {pair: [box, floor], normal: {law: linear, k: 1e5, b: 40}}\n";
  for (int k = 0; k < 3; k++) {
    ff_audit audit;
    ff_body_state box = outcome(text, setting_of(kinds[k], 1e-2), "box", 0.1, &audit);
    assert_close(box.velocity.z, 2 * restitution, 6e-3);
    assert_int_equal(audit.verdict, FF_VERDICT_GOOD);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(balls_do_not_pass_through_walls),
      cmocka_unit_test(bats_do_not_pass_through_balls),
      cmocka_unit_test_setup_teardown(links_do_not_pass_through_balls, enter_folder, leave_folder),
      cmocka_unit_test(falls_end_on_the_floor),
      cmocka_unit_test(slow_scenes_are_not_cut),
      cmocka_unit_test(impacts_are_followed_to_their_end),
      cmocka_unit_test(saved_impacts_go_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
