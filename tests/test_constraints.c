/* Constraints between bodies: their rows against differences, their motion against trees and
 * formulas, their forces, and that they neither give nor take energy. */
#include "channels.h"
#include "ids.h"
#include "layers.h"
#include "math/vec.h"
#include "model/constraint.h"
#include "solve/semidefinite.h"
#include "worlds.h"

/* ---- rows ---------------------------------------------------------------------------------- */

static ff_vec3 random_vector(uint64_t *seed, double size) {
  return v3(ff_random_in(seed, -size, size), ff_random_in(seed, -size, size),
            ff_random_in(seed, -size, size));
}

static ff_body_motion random_motion(uint64_t *seed) {
  ff_body_motion out = {.velocity = random_vector(seed, 3), .omega = random_vector(seed, 5)};
  out.pose.position = random_vector(seed, 1);
  out.pose.orientation = q_exp(random_vector(seed, 2));
  return out;
}

static ff_model_constraint random_constraint(uint64_t *seed, ff_constraint_kind kind) {
  ff_model_constraint out = {.kind = kind, .length = 0.3};
  out.anchor_a = random_vector(seed, 0.5);
  out.anchor_b = random_vector(seed, 0.5);
  for (int k = 0; k < 3; k++) {
    out.of_a[k] = v3_unit(random_vector(seed, 1));
    out.of_b[k] = v3_unit(random_vector(seed, 1));
  }
  return out;
}

static ff_body_motion moved(const ff_body_motion *from, double t) {
  ff_body_motion out = *from;
  out.pose.position = v3_axpy(out.pose.position, t, out.velocity);
  out.pose.orientation = q_mul(q_exp(v3_scale(t, out.omega)), out.pose.orientation);
  return out;
}

static void rows_are_the_derivatives_of_the_errors(void **state) {
  (void)state;
  uint64_t seed = 7;
  const double step = 1e-4; /* central differences: 1e-8 of third derivatives of up to 1e3 */
  for (int i = 0; i < 400; i++) {
    ff_model_constraint c =
        random_constraint(&seed, (ff_constraint_kind)(i % FF_CONSTRAINT_KIND_COUNT));
    ff_body_motion a = random_motion(&seed), b = random_motion(&seed);
    ff_body_motion a1 = moved(&a, step), b1 = moved(&b, step);
    ff_body_motion a0 = moved(&a, -step), b0 = moved(&b, -step);
    ff_constraint_rows now, more, less;
    ff_constraint_evaluate(&c, &a, &b, &now);
    ff_constraint_evaluate(&c, &a1, &b1, &more);
    ff_constraint_evaluate(&c, &a0, &b0, &less);
    assert_int_equal(now.count, ff_constraint_row_count(c.kind));
    for (int k = 0; k < now.count; k++) {
      double rate = v3_dot(now.along[k], v3_sub(a.velocity, b.velocity)) +
                    v3_dot(now.turn_a[k], a.omega) + v3_dot(now.turn_b[k], b.omega);
      assert_close(now.rate[k], rate, 1e-12);
      assert_close(now.rate[k], (more.error[k] - less.error[k]) / (2 * step), 2e-5);
      assert_close(now.bias[k], (more.rate[k] - less.rate[k]) / (2 * step), 2e-4);
    }
  }
}

/* ---- the linear system ------------------------------------------------------------------------
 */

/* A = B B^T with B size x rank: x need not be what was put in, but A x must be. */
static void semidefinite_systems_of_any_rank_are_solved(void **state) {
  (void)state;
  enum { SIZE = 12 };
  uint64_t seed = 11;
  for (int rank = 1; rank <= SIZE; rank++) {
    double b[SIZE][SIZE], a[SIZE * SIZE], copy[SIZE * SIZE], x[SIZE], rhs[SIZE], want[SIZE];
    double scale[SIZE], spare[SIZE];
    int order[2 * SIZE];
    for (int i = 0; i < SIZE; i++) {
      want[i] = ff_random_in(&seed, -1, 1);
      for (int k = 0; k < rank; k++) {
        b[i][k] = ff_random_in(&seed, -1, 1) * pow(10, i % 4); /* uneven units */
      }
    }
    for (int i = 0; i < SIZE * SIZE; i++) {
      a[i] = 0;
      for (int k = 0; k < rank; k++) {
        a[i] += b[i / SIZE][k] * b[i % SIZE][k];
      }
    }
    memcpy(copy, a, sizeof a);
    for (int i = 0; i < SIZE; i++) {
      rhs[i] = 0;
      for (int j = 0; j < SIZE; j++) {
        rhs[i] += copy[i * SIZE + j] * want[j];
      }
      x[i] = rhs[i];
    }
    assert_int_equal(ff_semidefinite_factor(SIZE, a, order, scale), rank);
    ff_semidefinite_solve(SIZE, rank, a, order, scale, x, spare);
    for (int i = 0; i < SIZE; i++) {
      double sum = 0, size = 0;
      for (int j = 0; j < SIZE; j++) {
        sum += copy[i * SIZE + j] * x[j];
        size += fabs(copy[i * SIZE + j] * x[j]);
      }
      assert_close(sum, rhs[i], 1e-11 * (size + fabs(rhs[i])));
    }
  }
}

/* ---- the same machine as a tree and as bodies held together ------------------------------------
 */

typedef struct part {
  ff_joint_kind kind;
  int parent;     /* 0: the ground */
  ff_vec3 offset; /* of the joint, in the parent's frame */
  ff_vec3 axis;
  ff_vec3 com;
  double mass;
  ff_mat3 inertia;
} part;

static const char *const part_names[] = {"p1", "p2", "p3", "p4", "p5"};

/* A part that floats is the root; else the root is a link without mass on the ground. */
static void add_tree(ff_scene *scene, const part *parts, int count) {
  bool floats = parts[0].kind == FF_JOINT_FREE;
  int first = floats ? 0 : 1;
  ff_robot_link links[6];
  for (int i = 0; i < 6; i++) {
    links[i] = (ff_robot_link){
        .def = ff_link_def_default(), .joint_name = "", .effort = INFINITY, .speed = INFINITY};
  }
  links[0].def.name = "base";
  for (int i = 0; i < count; i++) {
    const part *p = &parts[i];
    ff_link_def *def = &links[first + i].def;
    links[first + i].joint_name = floats && i == 0 ? "" : part_names[i];
    def->name = part_names[i];
    def->parent = p->parent + first;
    def->joint.kind = floats && i == 0 ? FF_JOINT_FIXED : p->kind;
    def->joint.axis = p->axis;
    def->joint.frame.position = p->offset;
    def->mass = p->mass;
    def->com = p->com;
    def->inertia = p->inertia;
  }
  ff_robot_def robot = {.name = "tree",
                        .links = links,
                        .link_count = first + count,
                        .root = floats ? FF_JOINT_FREE : FF_JOINT_FIXED,
                        .base = {{0, 0, 0}, {1, 0, 0, 0}}};
  robot.omega = floats ? v3(0.5, 2, 3) : v3(0, 0, 0);
  assert_int_equal(ff_scene_add_robot(scene, &robot), FF_OK);
}

static ff_vec3 place_of(const part *parts, int i) {
  ff_vec3 at = parts[i].offset;
  return parts[i].parent > 0 ? v3_add(at, place_of(parts, parts[i].parent - 1)) : at;
}

static void add_bodies(ff_scene *scene, const part *parts, int count) {
  ff_body body;
  ff_body_def ground = ff_body_def_default();
  ground.name = "ground";
  ground.kind = FF_BODY_FIXED;
  assert_int_equal(ff_scene_add_body(&body, scene, &ground), FF_OK);
  for (int i = 0; i < count; i++) {
    const part *p = &parts[i];
    ff_body_def def = ff_body_def_default();
    def.name = part_names[i];
    def.mass = p->mass;
    def.com = p->com;
    def.inertia = p->inertia;
    def.position = place_of(parts, i);
    def.omega = parts[0].kind == FF_JOINT_FREE ? v3(0.5, 2, 3) : v3(0, 0, 0);
    def.velocity = v3_cross(def.omega, def.position);
    assert_int_equal(ff_scene_add_body(&body, scene, &def), FF_OK);
    if (p->kind == FF_JOINT_FREE) {
      continue;
    }
    ff_constraint_def c = ff_constraint_def_default();
    c.name = part_names[i];
    c.kind = p->kind == FF_JOINT_SPHERICAL ? FF_CONSTRAINT_BALL
             : p->kind == FF_JOINT_FIXED   ? FF_CONSTRAINT_WELD
                                           : FF_CONSTRAINT_HINGE;
    c.a = part_names[i];
    c.b = p->parent > 0 ? part_names[p->parent - 1] : "ground";
    c.at = def.position;
    c.axis = p->axis;
    assert_int_equal(ff_scene_add_constraint(scene, &c), FF_OK);
  }
}

static ff_body body_named(const world *w, const char *before, const char *name) {
  char text[64];
  snprintf(text, sizeof text, "%s%s", before, name);
  ff_body body = ff_model_body_find(w->model, text);
  assert_true(body.id > 0);
  return body;
}

/* Both machines for a while; returns how far their bodies are apart at most, in m, rad, m/s and
 * rad/s all as one. */
static double difference(const part *parts, int count, double t) {
  world tree = {.scene = scene_new(9.81, "adaptive", NAN)};
  world held = {.scene = scene_new(9.81, "adaptive", NAN)};
  add_tree(tree.scene, parts, count);
  add_bodies(held.scene, parts, count);
  world_start(&tree);
  world_start(&held);
  double worst = 0;
  for (int k = 1; k <= 5; k++) {
    assert_int_equal(world_advance(&tree, t * k / 5), FF_OK);
    assert_int_equal(world_advance(&held, t * k / 5), FF_OK);
    for (int i = 0; i < count; i++) {
      ff_body_state a = ff_sim_body(tree.sim, body_named(&tree, "tree-", part_names[i]));
      ff_body_state b = ff_sim_body(held.sim, body_named(&held, "", part_names[i]));
      ff_quat turn = q_mul(a.orientation, q_conj(b.orientation));
      worst = fmax(worst, v3_norm(v3_sub(a.position, b.position)));
      worst = fmax(worst, v3_norm(q_log(turn)));
      worst = fmax(worst, v3_norm(v3_sub(a.velocity, b.velocity)));
      worst = fmax(worst, v3_norm(v3_sub(a.omega, b.omega)));
    }
  }
  ff_audit audit = ff_sim_audit(held.sim);
  assert_true(audit.energy_residual < 1e-10 * audit.energy_scale);
  assert_true(audit.momentum_residual < 1e-9);
  assert_true(audit.angular_residual < 1e-9);
  for (int i = 0; i < ff_model_constraint_count(held.model); i++) {
    ff_constraint_state c = ff_sim_constraint(held.sim, CONSTRAINT(i + 1));
    assert_true(c.error < 1e-13 && c.angle < 1e-13);
  }
  world_end(&tree);
  world_end(&held);
  return worst;
}

static const ff_mat3 rod = {{{0.083, 0, 0}, {0, 0.083, 0}, {0, 0, 0.002}}};
static const ff_mat3 lump = {{{0.05, 0.004, -0.003}, {0.004, 0.04, 0.002}, {-0.003, 0.002, 0.03}}};

static void a_double_pendulum_moves_as_the_tree_does(void **state) {
  (void)state;
  const part parts[] = {
      {FF_JOINT_REVOLUTE, 0, {0, 0, 0}, {0, 1, 0}, {0.5, 0, 0}, 1, rod},
      {FF_JOINT_REVOLUTE, 1, {1, 0, 0}, {0, 1, 0}, {0.3, 0, 0.4}, 1, rod},
  };
  /* chaotic: what rounding makes grows tenfold in about a second */
  assert_true(difference(parts, 2, 2) < 1e-8);
}

static void a_chain_in_space_moves_as_the_tree_does(void **state) {
  (void)state;
  const part parts[] = {
      {FF_JOINT_REVOLUTE, 0, {0, 0, 1}, {0, 1, 0}, {0.2, 0.1, 0}, 1, lump},
      {FF_JOINT_SPHERICAL, 1, {0.4, 0.1, 0}, {0, 0, 1}, {0.1, 0.2, 0.1}, 0.8, lump},
      {FF_JOINT_REVOLUTE, 2, {0.2, 0.4, 0.1}, {1, 0, 1}, {0, 0.2, -0.1}, 0.5, lump},
      {FF_JOINT_FIXED, 3, {0.1, 0.3, 0}, {0, 0, 1}, {0.05, 0, 0}, 0.3, lump},
      {FF_JOINT_SPHERICAL, 2, {-0.2, 0.3, 0}, {0, 0, 1}, {0, -0.1, 0.2}, 0.4, lump},
  };
  assert_true(difference(parts, 5, 1.5) < 1e-8);
}

static void a_machine_in_free_fall_moves_as_the_tree_does(void **state) {
  (void)state;
  const part parts[] = {
      {FF_JOINT_FREE, 0, {0, 0, 0}, {0, 0, 1}, {0.3, 0, 0}, 2, lump},
      {FF_JOINT_REVOLUTE, 1, {0.5, 0.2, 0}, {0, 0, 1}, {0.2, 0, 0.1}, 0.5, lump},
      {FF_JOINT_REVOLUTE, 1, {-0.5, 0.2, 0}, {1, 1, 0}, {-0.2, 0.1, 0}, 0.5, lump},
  };
  assert_true(difference(parts, 3, 2) < 1e-8);
}

/* ---- formulas -------------------------------------------------------------------------------- */

static void add_fixed(ff_scene *scene, const char *name) {
  ff_body body;
  ff_body_def def = ff_body_def_default();
  def.name = name;
  def.kind = FF_BODY_FIXED;
  assert_int_equal(ff_scene_add_body(&body, scene, &def), FF_OK);
}

static ff_body_def bob(const char *name, ff_vec3 position) {
  ff_body_def def = ff_body_def_default();
  def.name = name;
  def.mass = 2;
  def.com = v3(0, 0, 0);
  def.inertia = (ff_mat3){{{1e-3, 0, 0}, {0, 1e-3, 0}, {0, 0, 1e-3}}};
  def.position = position;
  return def;
}

static void add_constraint(ff_scene *scene, ff_constraint_def def) {
  assert_int_equal(ff_scene_add_constraint(scene, &def), FF_OK);
}

/* A bob on a rod of 1 m goes round at 30 degrees: omega^2 = g / (l cos). */
static void a_conical_pendulum_goes_round(void **state) {
  (void)state;
  const double angle = ff_pi / 6, omega = sqrt(9.81 / cos(angle)), r = sin(angle);
  world w = {.scene = scene_new(9.81, "adaptive", NAN)};
  add_fixed(w.scene, "ceiling");
  ff_body_def def = bob("bob", v3(r, 0, -cos(angle)));
  def.velocity = v3(0, r * omega, 0);
  ff_body body;
  assert_int_equal(ff_scene_add_body(&body, w.scene, &def), FF_OK);
  ff_constraint_def rope = ff_constraint_def_default();
  rope.name = "rope";
  rope.kind = FF_CONSTRAINT_DISTANCE;
  rope.a = "bob";
  rope.b = "ceiling";
  rope.length = 1;
  add_constraint(w.scene, rope);
  world_start(&w);
  double turn = 2 * ff_pi / omega;
  assert_int_equal(world_advance(&w, 3.25 * turn), FF_OK);
  ff_body_state end = ff_sim_body(w.sim, body);
  assert_close(end.position.x, 0, 1e-9);
  assert_close(end.position.y, r, 1e-9);
  assert_close(end.position.z, -cos(angle), 1e-9);
  ff_constraint_state c = ff_sim_constraint(w.sim, CONSTRAINT(1));
  assert_near(v3_norm(c.force), 2 * 9.81 / cos(angle), 1e-9);
  assert_close(c.force.z, 2 * 9.81, 1e-8); /* on the bob, upwards */
  assert_true(v3_norm(c.moment) == 0);
  world_end(&w);
}

/* Two halves welded together tumble as the whole does. */
static void welded_halves_move_as_one(void **state) {
  (void)state;
  world whole = {.scene = scene_new(9.81, "adaptive", NAN)};
  world halves = {.scene = scene_new(9.81, "adaptive", NAN)};
  ff_body_def def = ff_body_def_default();
  def.name = "body";
  def.mass = 2;
  def.velocity = v3(1, 0, 2);
  def.omega = v3(0.1, 4, 0.2);
  ff_body body = scene_solid(whole.scene, &def, FF_BOX, v3(0.2, 0.1, 0.05)), half;
  def.mass = 1;
  for (int i = 0; i < 2; i++) {
    ff_vec3 arm = v3(i == 0 ? -0.1 : 0.1, 0, 0);
    def.name = i == 0 ? "left" : "right";
    def.position = arm;
    def.velocity = v3_add(v3(1, 0, 2), v3_cross(def.omega, arm));
    half = scene_solid(halves.scene, &def, FF_BOX, v3(0.1, 0.1, 0.05));
  }
  ff_constraint_def weld = ff_constraint_def_default();
  weld.name = "glue";
  weld.kind = FF_CONSTRAINT_WELD;
  weld.a = "right";
  weld.b = "left";
  add_constraint(halves.scene, weld);
  world_start(&whole);
  world_start(&halves);
  assert_int_equal(world_advance(&whole, 2), FF_OK);
  assert_int_equal(world_advance(&halves, 2), FF_OK);
  ff_body_state one = ff_sim_body(whole.sim, body), right = ff_sim_body(halves.sim, half);
  ff_vec3 place = v3_add(one.position, q_rotate(one.orientation, v3(0.1, 0, 0)));
  assert_close(v3_norm(v3_sub(place, right.position)), 0, 1e-9);
  assert_close(v3_norm(v3_sub(one.omega, right.omega)), 0, 1e-8);
  assert_close(v3_norm(q_log(q_mul(one.orientation, q_conj(right.orientation)))), 0, 1e-9);
  ff_audit audit = ff_sim_audit(halves.sim);
  assert_true(audit.momentum_residual < 1e-11 && audit.angular_residual < 1e-11);
  world_end(&whole);
  world_end(&halves);
}

/* Four rods in a square, hinged all round with parallel axes: three conditions of twenty say what
 * the others say already. */
static void add_four_bar(ff_scene *scene) {
  add_fixed(scene, "frame");
  const ff_vec3 middles[3] = {{0, 0, -0.5}, {0.5, 0, -1}, {1, 0, -0.5}};
  const char *const names[4] = {"left", "low", "right", "frame"};
  for (int i = 0; i < 3; i++) {
    ff_body_def def = bob(names[i], middles[i]);
    def.inertia = (ff_mat3){{{0.1, 0, 0}, {0, 0.1, 0}, {0, 0, 0.1}}};
    def.velocity = v3(-2 * middles[i].z, 0, 0); /* the square leans */
    def.omega = i == 1 ? v3(0, 0, 0) : v3(0, -2, 0);
    ff_body body;
    assert_int_equal(ff_scene_add_body(&body, scene, &def), FF_OK);
  }
  const struct {
    const char *name, *a, *b;
    ff_vec3 at;
  } hinges[4] = {{"h1", "left", "frame", {0, 0, 0}},
                 {"h2", "low", "left", {0, 0, -1}},
                 {"h3", "right", "low", {1, 0, -1}},
                 {"h4", "right", "frame", {1, 0, 0}}};
  for (int i = 0; i < 4; i++) {
    ff_constraint_def hinge = ff_constraint_def_default();
    hinge.name = hinges[i].name;
    hinge.kind = FF_CONSTRAINT_HINGE;
    hinge.a = hinges[i].a;
    hinge.b = hinges[i].b;
    hinge.at = hinges[i].at;
    hinge.axis = v3(0, 1, 0);
    add_constraint(scene, hinge);
  }
}

static void redundant_hinges_do_no_harm(void **state) {
  (void)state;
  world w = {.scene = scene_new(9.81, "adaptive", NAN)};
  add_four_bar(w.scene);
  world_start(&w);
  assert_int_equal(world_advance(&w, 3), FF_OK);
  ff_audit audit = ff_sim_audit(w.sim);
  assert_true(audit.energy_residual < 1e-9 * audit.energy_scale);
  /* the low rod stays level and on its circle */
  ff_body_state low = ff_sim_body(w.sim, ff_model_body_find(w.model, "low"));
  assert_close(v3_norm(low.omega), 0, 1e-10);
  assert_close(hypot(low.position.x - 0.5, low.position.z), 1, 1e-12);
  assert_close(low.position.y, 0, 1e-12);
  assert_true(fabs(low.position.x - 0.5) > 1e-3);
  world_end(&w);
}

static void add_shaken_pendulum(ff_scene *scene) {
  ff_body body;
  ff_body_def pivot = ff_body_def_default();
  pivot.name = "pivot";
  pivot.kind = FF_BODY_PRESCRIBED;
  pivot.motion.amplitude = v3(0.05, 0, 0.1);
  pivot.motion.frequency = 2;
  pivot.motion.phase = ff_pi / 2; /* at rest at the start */
  pivot.motion.axis = v3(0, 1, 0);
  pivot.motion.swing_amplitude = 0.4;
  assert_int_equal(ff_scene_add_body(&body, scene, &pivot), FF_OK);
  ff_body_def def = bob("bob", v3(0.6, 0, -0.8));
  assert_int_equal(ff_scene_add_body(&body, scene, &def), FF_OK);
  ff_constraint_def ball = ff_constraint_def_default();
  ball.name = "ball";
  ball.a = "bob";
  ball.b = "pivot";
  ball.anchor_b = v3(0, 0.1, 0.2); /* swings with it */
  add_constraint(scene, ball);
}

/* A pivot that shakes works on the pendulum: the ledger knows how much. */
static void a_shaken_pendulum_keeps_its_ledger(void **state) {
  (void)state;
  world w = {.scene = scene_new(9.81, "adaptive", NAN)};
  add_shaken_pendulum(w.scene);
  world_start(&w);
  assert_int_equal(world_advance(&w, 3), FF_OK);
  ff_audit audit = ff_sim_audit(w.sim);
  assert_true(fabs(ff_sim_energy(w.sim).work) > 0.1);
  assert_true(audit.energy_residual < 1e-9 * audit.energy_scale);
  assert_true(audit.momentum_residual < 1e-8 && audit.angular_residual < 1e-8);
  assert_true(ff_sim_constraint(w.sim, CONSTRAINT(1)).error < 1e-13);
  world_end(&w);
}

/* ---- fixed steps --------------------------------------------------------------------------------
 */

static void add_double_pendulum(ff_scene *scene) {
  const part parts[] = {
      {FF_JOINT_SPHERICAL, 0, {0, 0, 0}, {0, 0, 1}, {0.5, 0, 0}, 1, rod},
      {FF_JOINT_REVOLUTE, 1, {1, 0, 0}, {0, 1, 0}, {0.3, 0.1, 0.4}, 1, lump},
  };
  add_bodies(scene, parts, 2);
}

static ff_vec3 swung(const char *stepper, double step, double *residual) {
  world w = {.scene = scene_new(9.81, stepper, step)};
  add_double_pendulum(w.scene);
  world_start(&w);
  assert_int_equal(world_advance(&w, 0.5), FF_OK);
  for (int i = 0; i < 2; i++) {
    assert_true(ff_sim_constraint(w.sim, CONSTRAINT(i + 1)).error < 1e-13);
  }
  ff_audit audit = ff_sim_audit(w.sim);
  *residual = audit.energy_residual / audit.energy_scale;
  assert_int_equal(ff_sim_solver(w.sim).fallbacks, 0); /* of bodies without a shape, too */
  ff_vec3 out = ff_sim_body(w.sim, ff_model_body_find(w.model, "p2")).position;
  world_end(&w);
  return out;
}

static void fixed_steppers_keep_their_order(void **state) {
  (void)state;
  const struct {
    const char *name;
    double step, order, residual;
  } steppers[] = {
      {"symplectic-euler", 2e-3, 2, 1e-2}, {"heun", 2e-3, 2, 1e-5}, {"rk4", 1e-2, 4, 1e-6}};
  double residual;
  ff_vec3 exact = swung("adaptive", NAN, &residual);
  for (int i = 0; i < 3; i++) {
    double coarse = v3_norm(v3_sub(swung(steppers[i].name, steppers[i].step, &residual), exact));
    double fine = v3_norm(v3_sub(swung(steppers[i].name, steppers[i].step / 4, &residual), exact));
    double order = log(coarse / fine) / log(4);
    assert_close(order, steppers[i].order, 0.25);
    assert_true(residual < steppers[i].residual);
  }
}

/* Two balls on a rod that turn about each other, ten rad/s for half a second: a constraint force
 * that acts as a whole at the start of each step makes them faster. */
static void constraints_give_no_energy(void **state) {
  (void)state;
  world w = {.scene = scene_new(0, "symplectic-euler", 1e-3)};
  const part parts[] = {{FF_JOINT_SPHERICAL, 0, {0, 0, 0}, {0, 0, 1}, {0.5, 0, 0}, 1, rod}};
  add_bodies(w.scene, parts, 1);
  world_start(&w);
  ff_body body = ff_model_body_find(w.model, "p1");
  ff_body_state now = ff_sim_body(w.sim, body);
  now.omega = (ff_vec3){0, 0, 10};
  now.velocity = v3_cross(now.omega, now.position);
  assert_int_equal(ff_sim_set_body(w.sim, body, &now), FF_OK);
  double before = ff_sim_energy(w.sim).kinetic;
  assert_int_equal(world_advance(&w, 0.5), FF_OK);
  assert_close(ff_sim_energy(w.sim).kinetic / before, 1,
               1e-4); /* of (h w)^2: 0.05 at first order */
  world_end(&w);
}

/* ---- quasi-rigid ----------------------------------------------------------------------------- */

/* Second order as without constraints, which hold at the end of each step. */
static void quasi_rigid_keeps_them_too(void **state) {
  (void)state;
  double residual;
  ff_vec3 exact = swung("adaptive", NAN, &residual);
  double coarse = v3_norm(v3_sub(swung("quasi-rigid", 1e-3, &residual), exact));
  double fine = v3_norm(v3_sub(swung("quasi-rigid", 2.5e-4, &residual), exact));
  assert_close(log(coarse / fine) / log(4), 2, 0.15);
}

/* Order 2: how a machine moves in a second. */
typedef struct course {
  ff_vec3 place; /* m, of its last body */
  double gained; /* J, beyond what was put in */
  double jerk;   /* N, largest second difference of a force from step to step: what rings, and what
                  * the force does by itself */
} course;

typedef void (*machine)(ff_scene *scene);

static void ask_for_order_2(ff_scene *scene, double step) {
  ff_run_def run = ff_run_def_default();
  run.gravity = v3(0, 0, -9.81);
  run.stepper.kind = "quasi-rigid";
  run.stepper.step = step;
  run.stepper.order = 2;
  assert_int_equal(ff_scene_set_run(scene, &run), FF_OK);
}

static course run_course(machine build, const char *stepper, double step) {
  world w = {.scene = scene_new(9.81, stepper, step)};
  bool second = step > 0;
  if (second) {
    ask_for_order_2(w.scene, step);
  }
  build(w.scene);
  world_start(&w);
  ff_energy e = ff_sim_energy(w.sim);
  double before = e.kinetic + e.gravity;
  course out = {.jerk = 0};
  ff_vec3 force[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  for (int k = 0; second && k < (int)lround(1 / step); k++) {
    assert_int_equal(ff_sim_step(w.sim), FF_OK);
    ff_constraint_state first = ff_sim_constraint(w.sim, CONSTRAINT(1));
    assert_true(first.error < 1e-12 && first.angle < 1e-12);
    force[k % 3] = first.force;
    ff_vec3 bend = v3_axpy(v3_add(force[k % 3], force[(k + 1) % 3]), -2, force[(k + 2) % 3]);
    out.jerk = k < 2 ? 0 : fmax(out.jerk, v3_norm(bend));
  }
  assert_int_equal(second ? FF_OK : world_advance(&w, 1), FF_OK);
  e = ff_sim_energy(w.sim);
  ff_audit audit = ff_sim_audit(w.sim);
  assert_true(audit.energy_residual < 1e-9 * audit.energy_scale);
  assert_true(audit.momentum_residual < 1e-9);
  out.gained = e.kinetic + e.gravity - e.work - before;
  out.place = ff_sim_body(w.sim, (ff_body){.id = w.model->body_count}).position;
  world_end(&w);
  return out;
}

static void add_ropes(ff_scene *scene) {
  ff_body body;
  ff_body_def wall = ff_body_def_default();
  wall.name = "wall";
  wall.kind = FF_BODY_FIXED;
  assert_int_equal(ff_scene_add_body(&body, scene, &wall), FF_OK);
  const char *names[3] = {"wall", "near", "far"};
  for (int i = 1; i < 3; i++) {
    ff_body_def def = bob(names[i], v3(0.6 * i, 0, -0.8));
    def.velocity = v3(0, 1.5, 0);
    assert_int_equal(ff_scene_add_body(&body, scene, &def), FF_OK);
    ff_constraint_def rope = ff_constraint_def_default();
    rope.kind = FF_CONSTRAINT_DISTANCE;
    rope.name = names[i];
    rope.a = names[i];
    rope.b = names[i - 1];
    add_constraint(scene, rope);
  }
}

/* Places, energies and forces: halving the step takes off three quarters of what is wrong with
 * them; a force that rang would go on doing so. */
static void order_2_of_quasi_rigid_holds_with_constraints(void **state) {
  (void)state;
  const machine machines[] = {add_double_pendulum, add_ropes, add_four_bar, add_shaken_pendulum};
  for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
    course exact = run_course(machines[i], "adaptive", NAN);
    course coarse = run_course(machines[i], "quasi-rigid", 4e-3);
    course fine = run_course(machines[i], "quasi-rigid", 2e-3);
    double off = v3_norm(v3_sub(coarse.place, exact.place));
    assert_close(log2(off / v3_norm(v3_sub(fine.place, exact.place))), 2, 0.1);
    assert_true(fabs(coarse.gained) < 1e-3); /* J; order 1 loses 0.4 to 3.6 */
    assert_true(fabs(fine.gained) < 0.4 * fabs(coarse.gained));
    assert_true(fine.jerk < 0.3 * coarse.jerk);
  }
}

/* Nothing tears at ropes where a step ends: else it would do so the other way after the next one.
 * That holds when the far bob hits the floor, too. */
static void order_2_leaves_velocities_that_fit(void **state) {
  (void)state;
  world w = {.scene = scene_new(9.81, "quasi-rigid", 2e-3)};
  ask_for_order_2(w.scene, 2e-3);
  add_ropes(w.scene);
  ff_body_def floor = ff_body_def_default();
  floor.name = "floor";
  floor.kind = FF_BODY_FIXED;
  floor.position = v3(0, 0, -1.1);
  scene_solid(w.scene, &floor, FF_HALF_SPACE, v3(0, 0, 0));
  ff_shape_def ball = ff_shape_def_default();
  ball.kind = FF_SPHERE;
  ball.size = v3(0.05, 0, 0);
  ff_shape shape;
  assert_int_equal(ff_scene_add_shape(&shape, w.scene, (ff_body){.id = 3}, &ball), FF_OK);
  scene_layer(w.scene, "far", "floor", (layer_of){2000, 5, 0.2, 0.4, 0.05});
  world_start(&w);
  ff_body near = ff_model_body_find(w.model, "near"), far = ff_model_body_find(w.model, "far");
  double force = 0;
  for (int k = 0; k < 500; k++) {
    assert_int_equal(ff_sim_step(w.sim), FF_OK);
    ff_body_state a = ff_sim_body(w.sim, near), b = ff_sim_body(w.sim, far);
    ff_vec3 rope = v3_sub(b.position, a.position), parting = v3_sub(b.velocity, a.velocity);
    assert_close(v3_dot(a.position, a.velocity), 0, 1e-13);
    assert_close(v3_dot(rope, parting), 0, 1e-13);
    force = ff_sim_contact_count(w.sim) > 0 ? fmax(force, ff_sim_contact(w.sim, 0).force_n) : force;
  }
  ff_audit audit = ff_sim_audit(w.sim);
  assert_true(force > 20);
  assert_true(audit.energy_residual < 1e-9 * audit.energy_scale);
  world_end(&w);
}

/* A mechanism with more conditions than freedoms, at long steps. */
static void quasi_rigid_takes_redundant_hinges(void **state) {
  (void)state;
  world w = {.scene = scene_new(9.81, "quasi-rigid", 5e-3)};
  add_four_bar(w.scene);
  world_start(&w);
  assert_int_equal(world_advance(&w, 2), FF_OK);
  ff_body_state low = ff_sim_body(w.sim, ff_model_body_find(w.model, "low"));
  assert_close(v3_norm(low.omega), 0, 1e-8);
  assert_close(hypot(low.position.x - 0.5, low.position.z), 1, 1e-9);
  assert_int_equal(ff_sim_solver(w.sim).cut_steps, 0);
  world_end(&w);
}

/* Two boxes welded together stand on a floor and bear a bob that is welded to one of them:
 * contacts and constraints in one problem. At rest forces are what statics says. */
static void contacts_and_constraints_are_solved_together(void **state) {
  (void)state;
  world w = {.scene = scene_new(9.81, "quasi-rigid", 1e-3)};
  scene_floor(w.scene, "floor");
  const char *names[] = {"k", "c", "max_deflection"}, *friction[] = {"mu"};
  double values[] = {1e5, 500, 0.005}, mu[] = {0.5};
  ff_contact_def contact = ff_contact_def_default();
  contact.normal = (ff_law_choice){"quasi-rigid", names, values, 3};
  contact.friction = (ff_law_choice){"ellipsoidal", friction, mu, 1};
  for (int i = 0; i < 2; i++) {
    ff_body_def half = ff_body_def_default();
    half.name = i == 0 ? "left" : "right";
    half.mass = 3;
    half.position = v3(i == 0 ? -0.25 : 0.25, 0, 0.1);
    scene_solid(w.scene, &half, FF_BOX, v3(0.25, 0.2, 0.1));
    contact.a = half.name;
    contact.b = "floor";
    assert_int_equal(ff_scene_add_contact(w.scene, &contact), FF_OK);
  }
  ff_body body;
  ff_body_def def = bob("bob", v3(0.8, 0, 0.7));
  assert_int_equal(ff_scene_add_body(&body, w.scene, &def), FF_OK);
  ff_constraint_def weld = ff_constraint_def_default();
  weld.name = "glue";
  weld.kind = FF_CONSTRAINT_WELD;
  weld.a = "right";
  weld.b = "left";
  add_constraint(w.scene, weld);
  weld.name = "arm"; /* out over the edge */
  weld.a = "bob";
  weld.b = "right";
  add_constraint(w.scene, weld);
  world_start(&w);
  assert_int_equal(world_advance(&w, 1), FF_OK);
  double sum = 0;
  for (int i = 0; i < ff_sim_contact_count(w.sim); i++) {
    sum += ff_sim_contact(w.sim, i).force_n;
  }
  assert_near(sum, 8 * 9.81, 1e-7);
  ff_constraint_state arm = ff_sim_constraint(w.sim, CONSTRAINT(2));
  assert_near(arm.force.z, 2 * 9.81, 1e-7);
  assert_true(arm.error < 1e-12 && arm.angle < 1e-12);
  ff_audit audit = ff_sim_audit(w.sim);
  assert_true(audit.verdict != FF_VERDICT_CONTACT);
  assert_true(audit.momentum_residual < 1e-9);
  world_end(&w);
}

/* ---- at rest, and names
 * --------------------------------------------------------------------------- */

/* A beam out of a wall: the weld bears its weight, and weight times arm. */
static void a_beam_hangs_on_its_weld(void **state) {
  (void)state;
  world w = {.scene = scene_new(9.81, "rk4", 1e-3)};
  ff_body body;
  add_fixed(w.scene, "wall");
  ff_body_def def = bob("beam", v3(0.7, 0, 0));
  assert_int_equal(ff_scene_add_body(&body, w.scene, &def), FF_OK);
  ff_constraint_def weld = ff_constraint_def_default();
  weld.name = "root";
  weld.kind = FF_CONSTRAINT_WELD;
  weld.a = "beam";
  weld.b = "wall";
  weld.at = v3(0, 0, 0);
  add_constraint(w.scene, weld);
  world_start(&w);
  assert_int_equal(world_advance(&w, 0.1), FF_OK);
  assert_close(channel(w.sim, w.model, "constraint.root.force.z"), 2 * 9.81, 1e-10);
  assert_close(channel(w.sim, w.model, "constraint.root.moment.y"), -2 * 9.81 * 0.7, 1e-10);
  assert_close(channel(w.sim, w.model, "constraint.root.force.x"), 0, 1e-10);
  assert_close(channel(w.sim, w.model, "constraint.root.error"), 0, 1e-15);
  assert_close(channel(w.sim, w.model, "constraint.root.angle"), 0, 1e-15);
  ff_constraint_info info = ff_model_constraint_info(w.model, CONSTRAINT(1));
  assert_string_equal(info.name, "root");
  assert_close(info.anchor_a.x, -0.7, 1e-15);
  world_end(&w);
}

/* A body that was put elsewhere is drawn back by the next step; one out of reach is a status. */
static void a_body_put_elsewhere_is_drawn_back(void **state) {
  (void)state;
  world w = {.scene = scene_new(0, "rk4", 1e-3)};
  ff_body body;
  add_fixed(w.scene, "wall");
  ff_body_def def = bob("bob", v3(1, 0, 0));
  assert_int_equal(ff_scene_add_body(&body, w.scene, &def), FF_OK);
  ff_constraint_def rod_of_1 = ff_constraint_def_default();
  rod_of_1.name = "rod";
  rod_of_1.kind = FF_CONSTRAINT_DISTANCE;
  rod_of_1.a = "bob";
  rod_of_1.b = "wall";
  add_constraint(w.scene, rod_of_1);
  world_start(&w);
  ff_body_state away = ff_sim_body(w.sim, body);
  away.position = v3(0.8, 0.8, 0);
  assert_int_equal(ff_sim_set_body(w.sim, body, &away), FF_OK);
  assert_true(ff_sim_constraint(w.sim, CONSTRAINT(1)).error > 0.1);
  assert_int_equal(ff_sim_step(w.sim), FF_OK);
  assert_close(v3_norm(ff_sim_body(w.sim, body).position), 1, 1e-14);
  world_end(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_the_derivatives_of_the_errors),
      cmocka_unit_test(semidefinite_systems_of_any_rank_are_solved),
      cmocka_unit_test(a_double_pendulum_moves_as_the_tree_does),
      cmocka_unit_test(a_chain_in_space_moves_as_the_tree_does),
      cmocka_unit_test(a_machine_in_free_fall_moves_as_the_tree_does),
      cmocka_unit_test(a_conical_pendulum_goes_round),
      cmocka_unit_test(welded_halves_move_as_one),
      cmocka_unit_test(redundant_hinges_do_no_harm),
      cmocka_unit_test(a_shaken_pendulum_keeps_its_ledger),
      cmocka_unit_test(fixed_steppers_keep_their_order),
      cmocka_unit_test(constraints_give_no_energy),
      cmocka_unit_test(quasi_rigid_keeps_them_too),
      cmocka_unit_test(order_2_of_quasi_rigid_holds_with_constraints),
      cmocka_unit_test(order_2_leaves_velocities_that_fit),
      cmocka_unit_test(quasi_rigid_takes_redundant_hinges),
      cmocka_unit_test(contacts_and_constraints_are_solved_together),
      cmocka_unit_test(a_beam_hangs_on_its_weld),
      cmocka_unit_test(a_body_put_elsewhere_is_drawn_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
