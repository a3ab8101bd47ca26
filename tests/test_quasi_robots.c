/* Robots under the stepper `quasi-rigid`: what free bodies do there, through joints. */
#include "scene_text.h"
#include "worlds.h"

#include "base/memory.h"
#include "ids.h"
#include "math/vec.h"

/* ---- one link is a body --------------------------------------------------------------------- */

/* Something thrown to the floor, as a robot of one link or as a free body. */
typedef struct thrown {
  ff_shape_kind kind;
  ff_vec3 size;
  ff_vec3 com;
  ff_mat3 inertia;
} thrown;

static const ff_mat3 round_inertia = {{{2e-3, 0, 0}, {0, 2e-3, 0}, {0, 0, 2e-3}}};
static const ff_mat3 flat_inertia = {{{2e-3, 0, 0}, {0, 3e-3, 0}, {0, 0, 4e-3}}};

static void add_layer(ff_scene *scene) {
  const char *normal[] = {"k", "c", "max_deflection"}, *friction[] = {"mu", "e_r"};
  const double normal_values[] = {1e4, 20, 0.01}, friction_values[] = {0.4, 0.01};
  ff_contact_def contact = ff_contact_def_default();
  contact.normal = (ff_law_choice){"quasi-rigid", normal, normal_values, 3};
  contact.friction = (ff_law_choice){"ellipsoidal", friction, friction_values, 2};
  assert_int_equal(ff_scene_add_contact(scene, &contact), FF_OK);
}

static void start_thrown(world *w, const thrown *what, bool as_body, double step) {
  const ff_pose pose = {{0.1, 0.2, 0.15}, q_exp(v3(0.2, 0.3, 0.4))};
  const ff_vec3 velocity = v3(1, 0.3, -0.5), omega = v3(3, -5, 8);
  w->scene = scene_of_order(9.81, "quasi-rigid", step, 1);
  scene_floor(w->scene, "floor");
  add_layer(w->scene);
  if (as_body) {
    ff_body_def b = ff_body_def_default();
    b.name = "robot-link";
    b.mass = 0.5;
    b.com = what->com;
    b.inertia = what->inertia;
    b.position = pose.position;
    b.orientation = pose.orientation;
    b.velocity = velocity;
    b.omega = omega;
    scene_solid(w->scene, &b, what->kind, what->size);
  } else {
    ff_robot_link link = {.def = ff_link_def_default(), .joint_name = "", .effort = INFINITY};
    link.def.name = "link";
    link.def.mass = 0.5;
    link.def.com = what->com;
    link.def.inertia = what->inertia;
    ff_robot_shape shape = {.link = 1, .kind = what->kind, .size = what->size, .file = ""};
    shape.pose.orientation = q_identity();
    ff_robot_def def = {.name = "robot",
                        .links = &link,
                        .link_count = 1,
                        .shapes = &shape,
                        .shape_count = 1,
                        .root = FF_JOINT_FREE,
                        .base = pose,
                        .velocity = velocity,
                        .omega = omega};
    assert_int_equal(ff_scene_add_robot(w->scene, &def), FF_OK);
  }
  world_start(w);
}

/* How far two bodies are apart: m and m/s, turns as what they make of 0.1 m. */
static double off(const world *a, const char *name_a, const world *b, const char *name_b) {
  ff_body_state x = ff_sim_body(a->sim, ff_model_body_find(a->model, name_a));
  ff_body_state y = ff_sim_body(b->sim, ff_model_body_find(b->model, name_b));
  double out = v3_norm(v3_sub(x.position, y.position));
  out = fmax(out, v3_norm(v3_sub(x.velocity, y.velocity)));
  out = fmax(out, 0.1 * v3_norm(q_log(q_mul(x.orientation, q_conj(y.orientation)))));
  return fmax(out, 0.1 * v3_norm(v3_sub(x.omega, y.omega)));
}

/* The same of both on their way. */
static double apart(const thrown *what, double t, double step) {
  world w[2];
  double worst = 0;
  for (int i = 0; i < 2; i++) {
    start_thrown(&w[i], what, i == 1, step);
  }
  for (int k = 1; k <= 8; k++) {
    for (int i = 0; i < 2; i++) {
      assert_int_equal(world_advance(&w[i], t * k / 8), FF_OK);
    }
    worst = fmax(worst, off(&w[0], "robot-link", &w[1], "robot-link"));
  }
  for (int i = 0; i < 2; i++) {
    ff_energy energy = ff_sim_energy(w[i].sim);
    assert_true(energy.lost[FF_LOST_SLIP] > 1e-3); /* it slid */
    assert_true(ff_sim_audit(w[i].sim).contact_force > 1);
    world_end(&w[i]);
  }
  return worst;
}

/* A ball bounces, slides, spins and rolls, or reels with its centre of mass off its centre: the
 * same motion, to what the solver leaves open. */
static void one_link_moves_as_a_free_body(void **state) {
  (void)state;
  const thrown ball = {FF_SPHERE, {0.1, 0, 0}, {0, 0, 0}, round_inertia};
  const thrown reeling = {FF_SPHERE, {0.1, 0, 0}, {0.02, -0.01, 0.03}, round_inertia};
  assert_true(apart(&ball, 0.4, 1e-3) < 1e-10);
  assert_true(apart(&reeling, 0.4, 1e-3) < 1e-10);
}

/* Free bodies with three different moments turn by another rule, equal to first order. */
static void one_link_tumbles_as_a_free_body(void **state) {
  (void)state;
  const thrown egg = {FF_ELLIPSOID, {0.12, 0.1, 0.08}, {0, 0, 0}, flat_inertia};
  double coarse = apart(&egg, 0.2, 2e-4), fine = apart(&egg, 0.2, 1e-4);
  assert_true(coarse < 5e-4);
  assert_true(fine < 0.6 * coarse);
}

/* ---- joints are constraints ------------------------------------------------------------------ */

/* Two rods with balls at their ends, hinged to each other and to the ceiling; the lower ball hits
 * the floor. */
static const double reach = 0.3;

static ff_robot_link arm_link(const char *name, int parent) {
  ff_robot_link out = {
      .def = ff_link_def_default(), .joint_name = name, .effort = INFINITY, .speed = INFINITY};
  out.def.name = name;
  out.def.parent = parent;
  out.def.mass = 0.4;
  out.def.com = v3(reach, 0, 0);
  out.def.inertia = round_inertia;
  out.def.joint.kind = FF_JOINT_REVOLUTE;
  out.def.joint.axis = v3(0, 1, 0);
  out.def.joint.frame.position = parent > 1 ? v3(reach, 0, 0) : v3(0, 0, 0.4);
  return out;
}

static void add_arm_links(ff_scene *scene, int count) {
  ff_robot_link links[3] = {arm_link("base", 0), arm_link("upper", 1), arm_link("lower", 2)};
  links[0].def = ff_link_def_default();
  links[0].def.name = "base";
  links[0].joint_name = "";
  ff_robot_shape shape = {.link = 3, .kind = FF_SPHERE, .size = {0.05, 0, 0}, .file = ""};
  shape.pose = (ff_pose){v3(reach, 0, 0), q_identity()};
  ff_robot_def def = {.name = "arm",
                      .links = links,
                      .link_count = 1 + count,
                      .shapes = &shape,
                      .shape_count = count - 1,
                      .root = FF_JOINT_FIXED,
                      .base = {{0, 0, 0}, q_identity()}};
  assert_int_equal(ff_scene_add_robot(scene, &def), FF_OK);
}

static void add_arm_body(ff_scene *scene, const char *name, const char *to, double x, bool ball) {
  ff_body body;
  ff_shape shape;
  ff_body_def def = ff_body_def_default();
  def.name = name;
  def.mass = 0.4;
  def.inertia = round_inertia;
  def.com = v3(reach, 0, 0);
  def.position = v3(x, 0, 0.4);
  assert_int_equal(ff_scene_add_body(&body, scene, &def), FF_OK);
  if (ball) {
    ff_shape_def sphere = ff_shape_def_default();
    sphere.kind = FF_SPHERE;
    sphere.size = v3(0.05, 0, 0);
    sphere.position = def.com;
    assert_int_equal(ff_scene_add_shape(&shape, scene, body, &sphere), FF_OK);
  }
  ff_constraint_def c = ff_constraint_def_default();
  c.name = name;
  c.kind = FF_CONSTRAINT_HINGE;
  c.a = name;
  c.b = to;
  c.at = v3(x, 0, 0.4);
  c.axis = v3(0, 1, 0);
  assert_int_equal(ff_scene_add_constraint(scene, &c), FF_OK);
}

/* With so many links of a robot; the rest are bodies. */
static void start_arm(world *w, int links, double step) {
  w->scene = scene_of_order(9.81, "quasi-rigid", step, 1);
  scene_floor(w->scene, "floor");
  add_layer(w->scene);
  if (links > 0) {
    add_arm_links(w->scene, links);
  } else {
    add_arm_body(w->scene, "arm-upper", "floor", 0, false);
  }
  if (links < 2) {
    add_arm_body(w->scene, "arm-lower", "arm-upper", reach, true);
  }
  world_start(w);
  assert_int_equal(world_advance(w, 0.35), FF_OK);
  assert_true(ff_sim_audit(w->sim).contact_force > 10); /* it has hit */
}

static double arms_apart(int links, double step) {
  world w[2];
  start_arm(&w[0], 2, step);
  start_arm(&w[1], links, step);
  double out = fmax(off(&w[0], "arm-upper", &w[1], "arm-upper"),
                    off(&w[0], "arm-lower", &w[1], "arm-lower"));
  world_end(&w[0]);
  world_end(&w[1]);
  return out;
}

/* All of it bodies, or the lower half hinged to a robot of the upper one. */
static void a_tree_hits_the_ground_as_bodies_held_together_do(void **state) {
  (void)state;
  for (int links = 0; links < 2; links++) {
    double coarse = arms_apart(links, 8e-4), fine = arms_apart(links, 2e-4);
    assert_true(coarse < 5e-3);
    assert_true(fine < 0.4 * coarse);
  }
}

static void other_steppers_do_not_hold_links(void **state) {
  (void)state;
  ff_scene *scene = scene_new(9.81, "rk4", 1e-3);
  ff_model *model = NULL;
  ff_report report = {0};
  add_arm_links(scene, 1);
  add_arm_body(scene, "arm-lower", "arm-upper", reach, true);
  assert_int_equal(ff_model_build(&model, scene, &report), FF_ERROR_INPUT);
  assert_string_equal(report.key, "constraints.arm-lower.pair.1");
  assert_non_null(strstr(report.what, "quasi-rigid"));
  ff_scene_destroy(&scene);
}

/* ---- standing -------------------------------------------------------------------------------- */

static const char humanoid[] =
    "footfall: 1\n"
    "stepper: {kind: quasi-rigid, step: 1e-3}\n"
    "robots:\n"
    "  robot:\n"
    "    urdf: robots/humanoid.urdf\n"
    "    position: [0, 0, 0.2305]\n"
    "    servo: {stiffness: 100, damping: 2}\n"
    "bodies:\n"
    "  floor: {fixed: true, shape: {half-space: {normal: [0, 0, 1]}}}\n"
    "contacts:\n"
    "  - pair: [robot, floor]\n"
    "    normal: {law: quasi-rigid, k: 5e4, c: 200, max_deflection: 1e-3}\n"
    "    friction: {law: ellipsoidal, mu: 0.7, e_r: 0.01}\n";

static const char quadruped[] =
    "footfall: 1\n"
    "stepper: {kind: quasi-rigid, step: 1e-3}\n"
    "robots:\n"
    "  robot:\n"
    "    urdf: robots/quadruped.urdf\n"
    "    position: [0, 0, 0.3128]\n"
    "    servo: {stiffness: 500, damping: 12}\n"
    "    joints:\n"
    "      front_left_pitch: {position: 0.8}\n"
    "      front_right_pitch: {position: 0.8}\n"
    "      hind_left_pitch: {position: 0.8}\n"
    "      hind_right_pitch: {position: 0.8}\n"
    "      front_left_knee: {position: -1.5}\n"
    "      front_right_knee: {position: -1.5}\n"
    "      hind_left_knee: {position: -1.5}\n"
    "      hind_right_knee: {position: -1.5}\n"
    "bodies:\n"
    "  floor: {fixed: true, shape: {half-space: {normal: [0, 0, 1]}}}\n"
    "contacts:\n"
    "  - pair: [robot, floor]\n"
    "    normal: {law: quasi-rigid, k: 5e4, c: 500, max_deflection: 2e-3}\n"
    "    friction: {law: ellipsoidal, mu: 0.7, e_r: 0.01}\n";

/* A robot on a slope, that is with gravity leaning by this angle. */
static ff_sim *standing(ff_model **model, const char *text, double step, ff_vec3 g) {
  char settings[2][96];
  snprintf(settings[0], sizeof settings[0], "stepper.step=%g", step);
  snprintf(settings[1], sizeof settings[1], "gravity=[%.17g, 0, %.17g]", g.x, g.z);
  const char *const set[] = {settings[0], settings[1]};
  ff_scene *scene = NULL;
  ff_sim *sim = NULL;
  assert_int_equal(ff_scene_parse(&scene, text, strlen(text), SCENES_BESIDE, set, 2, NULL), FF_OK);
  assert_int_equal(ff_model_build(model, scene, NULL), FF_OK);
  assert_int_equal(ff_sim_create(&sim, *model), FF_OK);
  ff_scene_destroy(&scene);
  return sim;
}

static void check_standing(const char *text, double mass, double step, double slope, double t) {
  ff_model *model;
  ff_vec3 g = v3(9.81 * sin(slope), 0, -9.81 * cos(slope));
  ff_sim *sim = standing(&model, text, step, g);
  assert_int_equal(ff_sim_advance(sim, t), FF_OK);
  double x = channel(sim, model, "robot.robot.com.x");
  ff_vec3 force =
      v3(channel(sim, model, "load.floor.force.x"), channel(sim, model, "load.floor.force.y"),
         channel(sim, model, "load.floor.force.z"));
  assert_close(v3_norm(v3_sub(force, v3_scale(mass, g))), 0, 1e-9 * mass * 9.81);
  assert_int_equal(ff_sim_advance(sim, t + 0.1), FF_OK);
  /* what is left of setting it down decays by a hundred each second */
  assert_close(channel(sim, model, "robot.robot.com.x"), x, 1e-9);
  assert_close(channel(sim, model, "robot.robot.cop.x"), channel(sim, model, "robot.robot.zmp.x"),
               1e-8);
  ff_audit audit = ff_sim_audit(sim);
  assert_true(audit.contact.complementarity < 1e-9 && audit.contact.cone < 1e-9);
  assert_true(audit.contact.penetration < 1e-15);
  assert_true(audit.momentum_residual < 1e-10);
  assert_true(audit.energy_residual < 1e-3 * audit.energy_scale);
  ff_solver_info info = ff_sim_solver(sim);
  assert_int_equal(info.cut_steps, 0);
  assert_true(info.iterations < 3 * info.problems);
  end(sim, model);
}

static void robots_bear_their_weight_and_do_not_creep(void **state) {
  (void)state;
  const double slope = 0.0872664625997165; /* 5 degrees */
  check_standing(humanoid, 5, 1e-3, slope, 2.4);
  check_standing(humanoid, 5, 5e-3, 0, 3);
  check_standing(quadruped, 13.6, 5e-3, 0, 3);
  check_standing(quadruped, 13.6, 5e-3, slope, 3);
}

/* ---- in the air --------------------------------------------------------------------------------
 */

/* Held by its servos at a fixed base, with nothing to touch: no contact and no constraint is a
 * member of its island. */
static void a_held_robot_that_touches_nothing_comes_to_rest(void **state) {
  (void)state;
  static const char *const robots[] = {"humanoid", "quadruped"};
  for (int i = 0; i < 2; i++) {
    char text[256];
    snprintf(text, sizeof text,
             "footfall: 1\n"
             "stepper: {kind: quasi-rigid, step: 1e-3}\n"
             "robots:\n"
             "  robot:\n"
             "    urdf: robots/%s.urdf\n"
             "    base: fixed\n"
             "    servo: {stiffness: 500, damping: 2}\n",
             robots[i]);
    ff_model *model;
    ff_sim *sim = sim_of(&model, text, NULL);
    assert_int_equal(ff_sim_advance(sim, 2), FF_OK);
    assert_true(ff_sim_energy(sim).kinetic < 1e-6);
    assert_true(ff_sim_audit(sim).momentum_residual < 1e-9);
    end(sim, model);
  }
}

/* The ground bears a robot without a joint that moves, and nothing else happens. */
static void a_robot_that_cannot_move_keeps_its_energy(void **state) {
  (void)state;
  ff_robot_link link = {.def = ff_link_def_default(), .joint_name = "", .effort = INFINITY};
  link.def.name = "link";
  link.def.mass = 0.5;
  link.def.com = v3(0.1, 0, 0.3);
  link.def.inertia = round_inertia;
  ff_robot_def def = {.name = "robot",
                      .links = &link,
                      .link_count = 1,
                      .root = FF_JOINT_FIXED,
                      .base = {{0.1, 0.2, 0.3}, q_identity()}};
  world w;
  w.scene = scene_new(9.81, "quasi-rigid", 1e-3);
  assert_int_equal(ff_scene_add_robot(w.scene, &def), FF_OK);
  world_start(&w);
  assert_int_equal(world_advance(&w, 0.1), FF_OK);
  assert_close(ff_sim_energy(w.sim).lost[FF_LOST_STEP], 0, 1e-15);
  assert_close(ff_sim_energy(w.sim).residual, 0, 1e-15);
  assert_true(ff_sim_audit(w.sim).momentum_residual < 1e-14);
  world_end(&w);
}

/* ---- falling ------------------------------------------------------------------------------ */

/* A chain of balls on rods, free to fly, that folds onto itself; and a ball that lies in its way.
 */
static void start_chain(world *w, double step, bool floor, int order) {
  enum { COUNT = 4 };
  static const char *const names[COUNT] = {"l1", "l2", "l3", "l4"};
  ff_robot_link links[COUNT];
  ff_robot_shape shapes[COUNT];
  w->scene = scene_of_order(9.81, "quasi-rigid", step, order);
  for (int i = 0; i < COUNT; i++) {
    links[i] = arm_link(names[i], i);
    links[i].joint_name = i > 0 ? names[i] : "";
    links[i].def.com = v3(0.02, 0, 0.01);
    links[i].def.inertia = flat_inertia;
    links[i].def.joint.kind = i == 0   ? FF_JOINT_FIXED
                              : i == 2 ? FF_JOINT_SPHERICAL
                                       : FF_JOINT_REVOLUTE;
    links[i].def.joint.axis = i == 1 ? v3(0, 1, 0) : v3(1, 0, 1);
    links[i].def.joint.frame.position = v3(0.15, 0, 0);
    links[i].def.joint.damping = i > 0 ? 1e-3 : 0;
    shapes[i] = (ff_robot_shape){
        .link = i + 1, .kind = FF_SPHERE, .size = {0.06, 0, 0}, .pose.orientation = q_identity()};
    shapes[i].file = "";
  }
  ff_robot_def def = {.name = "chain",
                      .links = links,
                      .link_count = COUNT,
                      .shapes = shapes,
                      .shape_count = COUNT,
                      .root = FF_JOINT_FREE,
                      .base = {{0, 0, 0.3}, q_identity()},
                      .velocity = {0.5, 0, 0.5},
                      .omega = {4, 6, -5},
                      .self_collision = true};
  assert_int_equal(ff_scene_add_robot(w->scene, &def), FF_OK);
  if (floor) {
    scene_floor(w->scene, "floor");
    add_layer(w->scene);
    scene_ball(w->scene, 0, 0);
  }
  world_start(w);
}

static void flight_keeps_momentum(void **state) {
  (void)state;
  double lost[2];
  for (int i = 0; i < 2; i++) {
    world w;
    start_chain(&w, i == 0 ? 1e-3 : 5e-4, false, 1);
    assert_int_equal(world_advance(&w, 0.5), FF_OK);
    ff_momentum m = ff_sim_momentum(w.sim);
    lost[i] = v3_norm(m.angular_residual);
    ff_solver_info info = ff_sim_solver(w.sim);
    assert_true(10 * info.iterations < 22 * info.problems); /* derivatives are right */
    assert_close(v3_norm(m.linear_residual), 0, 1e-11);
    ff_energy energy = ff_sim_energy(w.sim);
    assert_true(energy.lost[FF_LOST_STEP] > 0 && energy.lost[FF_LOST_STEP] < 0.1);
    assert_close(energy.residual, 0, 1e-9);
    assert_true(lost[i] < 0.02);
    world_end(&w);
  }
  assert_true(lost[1] < 0.6 * lost[0]); /* joints act at the end of the step: first order */
}

/* Order 2: what the step takes falls by four as the step is halved. */
static void flight_keeps_energy(void **state) {
  (void)state;
  double lost[2];
  for (int i = 0; i < 2; i++) {
    world w;
    start_chain(&w, i == 0 ? 2e-3 : 1e-3, false, 2);
    assert_int_equal(world_advance(&w, 0.5), FF_OK);
    ff_solver_info info = ff_sim_solver(w.sim);
    assert_true(info.iterations < 7 * info.problems);
    ff_energy energy = ff_sim_energy(w.sim);
    ff_momentum m = ff_sim_momentum(w.sim);
    lost[i] = fabs(energy.lost[FF_LOST_STEP]);
    assert_close(energy.residual, 0, 1e-8);
    assert_close(v3_norm(m.linear_residual), 0, 1e-8);
    world_end(&w);
  }
  assert_true(lost[1] < 1e-4);
  assert_true(lost[1] < 0.35 * lost[0]);
}

/* Links hit the floor, each other and the ball: energy is lost and never gained, nothing sinks in
 * beyond its layer, and two runs give the same bits. */
static void a_limp_robot_falls(void **state) {
  (void)state;
  world w, twin;
  start_chain(&w, 1e-3, true, 2);
  start_chain(&twin, 1e-3, true, 2);
  double before = INFINITY;
  for (int k = 1; k <= 60; k++) {
    assert_int_equal(world_advance(&w, 0.01 * k), FF_OK);
    assert_int_equal(world_advance(&twin, 0.01 * k), FF_OK);
    ff_energy e = ff_sim_energy(w.sim);
    double all = e.kinetic + e.gravity + e.spring_normal + e.spring_joint;
    assert_true(all < before);
    before = all;
  }
  ff_audit audit = ff_sim_audit(w.sim);
  assert_true(audit.contact_force > 100);
  assert_true(audit.energy_residual < 1e-3 * audit.energy_scale);
  assert_true(audit.contact.complementarity < 1e-9 && audit.contact.cone < 1e-9);
  assert_true(audit.contact.penetration < 1e-14);
  assert_true(audit.momentum_residual < 1e-8);
  assert_int_equal(ff_sim_solver(w.sim).cut_steps, 0);
  assert_true(v3_norm(ff_sim_body(w.sim, ff_model_body_find(w.model, "ball")).velocity) > 0);
  ff_body last = ff_model_body_find(w.model, "chain-l4");
  ff_body_state a = ff_sim_body(w.sim, last), b = ff_sim_body(twin.sim, last);
  assert_memory_equal(&a, &b, sizeof a);
  world_end(&w);
  world_end(&twin);
}

/* ---- common rules ------------------------------------------------------------------------- */

static void steps_allocate_nothing(void **state) {
  (void)state;
  world w;
  start_chain(&w, 1e-3, true, 2);
  long before = ff_alloc_count();
  assert_int_equal(world_advance(&w, 0.3), FF_OK);
  assert_int_equal(ff_alloc_count(), before);
  world_end(&w);
}

static void failing_allocations_are_survived(void **state) {
  (void)state;
  const char text[] = "footfall: 1\n"
                      "stepper: {kind: quasi-rigid, step: 1e-3}\n"
                      "robots: {pendulum: {urdf: robots/double-pendulum.urdf}}\n";
  ff_model *model = model_of(text, NULL);
  ff_status status = FF_ERROR_MEMORY;
  for (long n = 1; status != FF_OK && n < 200; n++) {
    ff_sim *sim = NULL;
    ff_alloc_fail_at(n);
    status = ff_sim_create(&sim, model);
    ff_alloc_fail_at(0);
    assert_true(status == FF_OK || status == FF_ERROR_MEMORY);
    ff_sim_destroy(&sim);
  }
  assert_int_equal(status, FF_OK);
  ff_model_destroy(&model);
}

/* A push beyond all numbers: the step fails, and nothing has happened. */
static void a_failed_step_changes_nothing(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = sim_of(&model, humanoid,
                       "forces=[{body: robot-left_forearm, force: {table: [[0, 0, 0, 0], "
                       "[0.02, 0, 0, 0], [0.021, 1e308, 0, 0]]}}]");
  ff_status status = FF_OK;
  double q[64], v[64], q_after[64], v_after[64];
  while (status == FF_OK && ff_sim_time(sim) < 0.1) {
    ff_sim_robot(sim, ROBOT(1), q, v);
    status = ff_sim_step(sim);
  }
  assert_int_equal(status, FF_ERROR_STEP);
  double t = ff_sim_time(sim);
  ff_energy energy = ff_sim_energy(sim);
  ff_sim_robot(sim, ROBOT(1), q_after, v_after);
  assert_memory_equal(q, q_after, 27 * sizeof *q);
  assert_memory_equal(v, v_after, 26 * sizeof *v);
  assert_int_equal(ff_sim_step(sim), FF_ERROR_STEP);
  ff_energy again = ff_sim_energy(sim);
  assert_true(ff_sim_time(sim) == t);
  assert_memory_equal(&energy, &again, sizeof energy);
  end(sim, model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_link_moves_as_a_free_body),
      cmocka_unit_test(one_link_tumbles_as_a_free_body),
      cmocka_unit_test(a_tree_hits_the_ground_as_bodies_held_together_do),
      cmocka_unit_test(other_steppers_do_not_hold_links),
      cmocka_unit_test(robots_bear_their_weight_and_do_not_creep),
      cmocka_unit_test(a_held_robot_that_touches_nothing_comes_to_rest),
      cmocka_unit_test(a_robot_that_cannot_move_keeps_its_energy),
      cmocka_unit_test(flight_keeps_momentum),
      cmocka_unit_test(flight_keeps_energy),
      cmocka_unit_test(a_limp_robot_falls),
      cmocka_unit_test(steps_allocate_nothing),
      cmocka_unit_test(failing_allocations_are_survived),
      cmocka_unit_test(a_failed_step_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
