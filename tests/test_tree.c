/* Identities of tree dynamics at random states of random trees of all kinds of joints. */
#include "trees.h"

static const ff_vec3 gravity = {0.3, -0.2, -9.81};

/* Trees of 1, 8, 33 and 100 links, each starting with another kind of joint; then the same with
 * joints that follow others. */
static const int sizes[] = {1, 8, 33, 100};
#define COUNT(array) (sizeof(array) / sizeof *(array))

typedef void (*state_test)(tree_state *s, uint64_t *seed);

static void for_random_states(state_test test) {
  uint64_t seed = 20240607;
  for (size_t i = 0; i < 2 * COUNT(sizes); i++) {
    for (int first = 1; first < FF_JOINT_KIND_COUNT; first++) {
      bool follow = i >= COUNT(sizes);
      ff_tree *tree = random_tree(&seed, sizes[i % COUNT(sizes)], (ff_joint_kind)first, follow);
      tree_state s = random_state(&seed, tree);
      test(&s, &seed);
      free_state(&s);
      ff_tree_destroy(&tree);
    }
  }
}

static ff_tree_wrench *random_wrenches(uint64_t *seed, const ff_tree *tree) {
  int count = ff_tree_link_count(tree);
  ff_tree_wrench *w = calloc((size_t)count, sizeof *w);
  for (int i = 0; i < count; i++) {
    w[i] = (ff_tree_wrench){random_vector(seed, 5), random_vector(seed, 1)};
  }
  return w;
}

static void forward_undoes_inverse(tree_state *s, uint64_t *seed) {
  ff_tree_wrench *w = random_wrenches(seed, s->tree);
  double *tau = tree_numbers((size_t)s->n);
  ff_tree_inverse_dynamics(s->work, s->a, gravity, w, tau);
  assert_true(ff_tree_forward_dynamics(s->work, tau, gravity, w, tau));
  for (int k = 0; k < s->n; k++) {
    assert_close(tau[k], s->a[k], 1e-10); /* a is of size 1 */
  }
  free(tau);
  free(w);
}

static void inertia_columns_are_inverse_dynamics(tree_state *s, uint64_t *seed) {
  (void)seed;
  size_t n = (size_t)s->n;
  double *h = tree_numbers(n * n), *column = tree_numbers(n), *unit = tree_numbers(n);
  ff_tree_update(s->work, s->q, NULL);
  ff_tree_inertia(s->work, h);
  double scale = largest(h, n * n);
  for (size_t k = 0; k < n; k++) {
    unit[k] = 1;
    ff_tree_inverse_dynamics(s->work, unit, v3(0, 0, 0), NULL, column);
    unit[k] = 0;
    for (size_t i = 0; i < n; i++) {
      assert_close(h[i * n + k], column[i], 1e-10 * scale);
    }
  }
  free(h);
  free(column);
  free(unit);
}

/* L^T L is H, and solving with it is what ABA does. */
static void factor_solves(tree_state *s, uint64_t *seed) {
  size_t n = (size_t)s->n;
  double *h = tree_numbers(n * n), *x = tree_numbers(n), *zero = tree_numbers(n);
  double *tau = tree_numbers(n);
  for (size_t k = 0; k < n; k++) {
    tau[k] = ff_random_in(seed, -1, 1);
  }
  ff_tree_inertia(s->work, h);
  assert_true(ff_tree_factor(s->tree, h));
  ff_tree_inverse_dynamics(s->work, zero, gravity, NULL, x);
  for (size_t k = 0; k < n; k++) {
    x[k] = tau[k] - x[k];
  }
  ff_tree_solve(s->tree, h, x);
  assert_true(ff_tree_forward_dynamics(s->work, tau, gravity, NULL, tau));
  double scale = largest(tau, n);
  for (size_t k = 0; k < n; k++) {
    assert_close(x[k], tau[k], 1e-10 * (1 + scale));
  }
  free(h);
  free(x);
  free(zero);
  free(tau);
}

static void place_of_link(tree_state *s, const void *context, double *out) {
  int link = *(const int *)context;
  ff_pose pose = ff_tree_pose(s->work, link);
  ff_vec3 point = pose_point(pose, v3(0.1, -0.2, 0.3));
  v3_store(out, point);
  ff_mat3 turn = q_matrix(pose.orientation);
  memcpy(out + 3, turn.m, sizeof turn.m);
}

/* J v is the velocity of the point and of the axes, by differences of poses. */
static void jacobian_is_rate_of_pose(tree_state *s, uint64_t *seed) {
  int link = 1 + (int)(ff_random(seed) * ff_tree_link_count(s->tree));
  size_t n = (size_t)s->n;
  double rate[12], *j = tree_numbers(6 * n), moved[6] = {0};
  tree_rate(s, place_of_link, &link, rate, 12);
  ff_pose pose = ff_tree_pose(s->work, link);
  ff_tree_jacobian(s->work, link, pose_point(pose, v3(0.1, -0.2, 0.3)), j);
  for (size_t row = 0; row < 6; row++) {
    for (size_t k = 0; k < n; k++) {
      moved[row] += j[row * n + k] * s->v[k];
    }
  }
  ff_vec3 omega = v3_load(moved);
  ff_mat3 turn = q_matrix(pose.orientation);
  for (int k = 0; k < 3; k++) {
    assert_close(moved[3 + k], rate[k], 1e-10 * (1 + v3_norm(omega)));
    ff_vec3 axis = v3(turn.m[0][k], turn.m[1][k], turn.m[2][k]);
    ff_vec3 expected = v3_cross(omega, axis);
    ff_vec3 found = v3(rate[3 + k], rate[6 + k], rate[9 + k]);
    assert_close(v3_norm(v3_sub(found, expected)), 0, 1e-10 * (1 + v3_norm(omega)));
  }
  assert_close(v3_norm(v3_sub(ff_tree_omega(s->work, link), omega)), 0,
               1e-12 * (1 + v3_norm(omega)));
  free(j);
}

static void jacobian_of_link(tree_state *s, const void *context, double *out) {
  int link = *(const int *)context;
  ff_vec3 point = pose_point(ff_tree_pose(s->work, link), v3(0.1, -0.2, 0.3));
  ff_tree_jacobian(s->work, link, point, out);
}

static void jacobian_rate_is_its_rate(tree_state *s, uint64_t *seed) {
  int link = 1 + (int)(ff_random(seed) * ff_tree_link_count(s->tree));
  size_t n = (size_t)s->n;
  double *rate = tree_numbers(6 * n), *by_differences = tree_numbers(6 * n);
  tree_rate(s, jacobian_of_link, &link, by_differences, 6 * n);
  ff_vec3 point = pose_point(ff_tree_pose(s->work, link), v3(0.1, -0.2, 0.3));
  ff_tree_jacobian_rate(s->work, link, point, rate);
  for (size_t k = 0; k < 6 * n; k++) {
    assert_close(rate[k], by_differences[k], 1e-10 * (1 + largest(rate, 6 * n)));
  }
  free(rate);
  free(by_differences);
}

static void inertia_of_state(tree_state *s, const void *context, double *out) {
  (void)context;
  ff_tree_inertia(s->work, out);
}

/* dH/dt - 2 C is skew, and C v is what RNEA finds beyond gravity. */
static void coriolis_is_skew(tree_state *s, uint64_t *seed) {
  (void)seed;
  size_t n = (size_t)s->n;
  double *c = tree_numbers(n * n), *rate = tree_numbers(n * n);
  double *bias = tree_numbers(n), *zero = tree_numbers(n);
  tree_rate(s, inertia_of_state, NULL, rate, n * n);
  ff_tree_coriolis(s->work, c);
  ff_tree_inverse_dynamics(s->work, zero, v3(0, 0, 0), NULL, bias);
  double scale = 1 + largest(rate, n * n);
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (size_t j = 0; j < n; j++) {
      double m = rate[i * n + j] - 2 * c[i * n + j], t = rate[j * n + i] - 2 * c[j * n + i];
      assert_close(m + t, 0, 1e-10 * scale);
      sum += c[i * n + j] * s->v[j];
    }
    assert_close(sum, bias[i], 1e-10 * (1 + largest(bias, n)));
  }
  free(c);
  free(rate);
  free(bias);
  free(zero);
}

static void whole_of_state(tree_state *s, const void *context, double *out) {
  (void)context;
  ff_tree_motion m = ff_tree_whole(s->work, gravity);
  out[0] = m.kinetic + m.gravity;
  v3_store(out + 1, m.com);
  v3_store(out + 4, m.linear);
  v3_store(out + 7, v3_add(m.angular, v3_cross(m.com, m.linear)));
}

/* Power of joints and outside forces is the rate of energy; the centre of mass moves with the
 * momentum. */
static void power_balances(tree_state *s, uint64_t *seed) {
  ff_tree_wrench *w = random_wrenches(seed, s->tree);
  double rate[10], *tau = tree_numbers((size_t)s->n), power = 0, size = 1;
  tree_rate(s, whole_of_state, NULL, rate, 10);
  ff_tree_inverse_dynamics(s->work, s->a, gravity, w, tau);
  for (int k = 0; k < s->n; k++) {
    power += tau[k] * s->v[k];
    size += fabs(tau[k] * s->v[k]);
  }
  for (int i = 1; i <= ff_tree_link_count(s->tree); i++) {
    power += v3_dot(w[i - 1].force, ff_tree_velocity(s->work, i)) +
             v3_dot(w[i - 1].torque, ff_tree_omega(s->work, i));
  }
  assert_close(rate[0], power, 1e-10 * size);
  ff_tree_motion m = ff_tree_whole(s->work, gravity);
  assert_close(v3_norm(v3_sub(v3_load(rate + 1), m.velocity)), 0,
               1e-10 * (1 + v3_norm(m.velocity)));
  free(tau);
  free(w);
}

/* Of a tree that floats: what comes from outside is the rate of momentum, whatever the joints do.
 */
static void momentum_balances(tree_state *s, uint64_t *seed) {
  if (ff_tree_link(s->tree, 1).kind != FF_JOINT_FREE) {
    return;
  }
  ff_tree_wrench *w = random_wrenches(seed, s->tree);
  double *tau = tree_numbers((size_t)s->n);
  for (int k = 6; k < s->n; k++) {
    tau[k] = ff_random_in(seed, -1, 1);
  }
  assert_true(ff_tree_forward_dynamics(s->work, tau, gravity, w, s->a));
  double rate[10];
  tree_rate(s, whole_of_state, NULL, rate, 10);
  ff_tree_motion m = ff_tree_whole(s->work, gravity);
  ff_vec3 weight = v3_scale(ff_tree_mass(s->tree), gravity);
  ff_vec3 force = weight, torque = v3_cross(m.com, weight);
  for (int i = 1; i <= ff_tree_link_count(s->tree); i++) {
    ff_vec3 at = ff_tree_pose(s->work, i).position;
    force = v3_add(force, w[i - 1].force);
    torque = v3_add(torque, v3_add(w[i - 1].torque, v3_cross(at, w[i - 1].force)));
  }
  double scale = 1 + v3_norm(force) + v3_norm(torque);
  assert_close(v3_norm(v3_sub(v3_load(rate + 4), force)), 0, 1e-10 * scale);
  assert_close(v3_norm(v3_sub(v3_load(rate + 7), torque)), 0, 1e-10 * scale);
  free(tau);
  free(w);
}

#define RANDOM_TEST(name)                                                                          \
  static void test_##name(void **state) {                                                          \
    (void)state;                                                                                   \
    for_random_states(name);                                                                       \
  }
RANDOM_TEST(forward_undoes_inverse)
RANDOM_TEST(inertia_columns_are_inverse_dynamics)
RANDOM_TEST(factor_solves)
RANDOM_TEST(jacobian_is_rate_of_pose)
RANDOM_TEST(jacobian_rate_is_its_rate)
RANDOM_TEST(coriolis_is_skew)
RANDOM_TEST(power_balances)

/* Every tree here floats, so that the balance is looked at. */
static void test_momentum_balances(void **state) {
  (void)state;
  uint64_t seed = 77;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    ff_link_def links[TREE_MOST];
    for (int k = 0; k < sizes[i]; k++) {
      ff_joint_kind kind = k == 0 ? FF_JOINT_FREE : (ff_joint_kind)(k % FF_JOINT_FREE);
      links[k] = random_link(&seed, k == 0 ? 0 : 1 + k / 2, kind);
    }
    ff_tree *tree = NULL;
    assert_int_equal(ff_tree_build(&tree, links, sizes[i], NULL), FF_OK);
    tree_state s = random_state(&seed, tree);
    momentum_balances(&s, &seed);
    free_state(&s);
    ff_tree_destroy(&tree);
  }
}

/* Branches that do not touch keep their zeros in the factor. */
static void test_factor_keeps_branches_apart(void **state) {
  (void)state;
  uint64_t seed = 5;
  ff_link_def links[5];
  for (int i = 0; i < 5; i++) { /* a trunk with two branches of two */
    links[i] = random_link(&seed, i == 0 ? 0 : (i % 2 == 1 ? (i == 1 ? 1 : 2) : (i == 2 ? 1 : 3)),
                           FF_JOINT_REVOLUTE);
  }
  ff_tree *tree = NULL;
  assert_int_equal(ff_tree_build(&tree, links, 5, NULL), FF_OK);
  tree_state s = random_state(&seed, tree);
  double h[25];
  ff_tree_inertia(s.work, h);
  assert_true(ff_tree_factor(tree, h));
  const int apart[][2] = {{2, 1}, {3, 2}, {4, 1}, {4, 3}}; /* links 2,4 and 3,5 are branches */
  for (int i = 0; i < 4; i++) {
    assert_true(h[apart[i][0] * 5 + apart[i][1]] == 0);
  }
  assert_true(h[3 * 5 + 1] != 0 && h[4 * 5 + 2] != 0);
  free_state(&s);
  ff_tree_destroy(&tree);
}

/* The ground's push found by ZMP is where contact forces that carry the tree must act. */
static void test_zero_moment_point_is_centre_of_pressure(void **state) {
  (void)state;
  uint64_t seed = 11;
  ff_tree *tree = random_tree(&seed, 12, FF_JOINT_FREE, false);
  tree_state s = random_state(&seed, tree);
  ff_tree_wrench *w = calloc(12, sizeof *w);
  double *tau = tree_numbers((size_t)s.n);
  w[0] = (ff_tree_wrench){v3(5, -7, 300), v3(3, 4, 5)};
  assert_true(ff_tree_forward_dynamics(s.work, tau, gravity, w, s.a));
  ff_vec3 at = ff_tree_pose(s.work, 1).position;
  ff_vec3 torque = v3_add(w[0].torque, v3_cross(at, w[0].force));
  ff_vec3 origin = v3(0.1, 0.2, -1), up = v3(0, 0, 1);
  ff_vec3 pressed = ff_center_of_pressure(w[0].force, torque, origin, up);
  ff_vec3 zmp = ff_tree_zero_moment_point(s.work, s.a, gravity, origin, up);
  assert_close(v3_norm(v3_sub(pressed, zmp)), 0, 1e-10);
  assert_close(pressed.z, -1, 1e-12);
  assert_true(isnan(ff_center_of_pressure(v3(0, 0, 0), torque, origin, up).x));
  free(w);
  free(tau);
  free_state(&s);
  ff_tree_destroy(&tree);
}

/* Springs, stops and losses: force is minus the slope of what is stored, the rest is lost. */
static void test_joint_loads_balance(void **state) {
  (void)state;
  ff_link_def link = ff_link_def_default();
  link.mass = 1;
  link.joint.kind = FF_JOINT_PRISMATIC;
  link.joint.damping = 0.7;
  link.joint.friction = 0.3;
  link.joint.stiffness = 20;
  link.joint.rest = 0.1;
  link.joint.lower = -0.5;
  link.joint.upper = 0.5;
  link.joint.limit_stiffness = 1000;
  link.joint.limit_dissipation = 0.5;
  ff_tree *tree = NULL;
  assert_int_equal(ff_tree_build(&tree, &link, 1, NULL), FF_OK);
  for (double q = -0.83; q < 0.85; q += 0.1) {
    for (double v = -4; v <= 4; v += 1) {
      double tau = 0, none = 0, before = q - 1e-6, after = q + 1e-6;
      ff_joint_loads loads = ff_tree_joint_loads(tree, &q, &v, &tau);
      double left = ff_tree_joint_loads(tree, &before, &v, &none).stored;
      double right = ff_tree_joint_loads(tree, &after, &v, &none).stored;
      double stored_rate = (right - left) / 2e-6 * v;
      assert_close(-tau * v, stored_rate + loads.lost, 1e-5); /* differences of energy */
      assert_true(loads.lost >= 0);
    }
  }
  ff_tree_destroy(&tree);
}

/* Two wheels geared together by a factor g, the second with a spring and damping of its own, act as
 * one of inertia I1 + g^2 I2. */
static void test_geared_wheels(void **state) {
  (void)state;
  const double g = -3, offset = 0.4, i1 = 0.5, i2 = 0.07;
  ff_link_def links[2] = {ff_link_def_default(), ff_link_def_default()};
  for (int i = 0; i < 2; i++) {
    links[i].joint.kind = FF_JOINT_REVOLUTE;
    links[i].joint.frame.position = v3(i, 0, 0);
    links[i].inertia.m[2][2] = i == 0 ? i2 : i1; /* the one that follows comes first */
    links[i].mass = 1;
  }
  links[0].follows = 2;
  links[0].factor = g;
  links[0].offset = offset;
  links[0].joint.stiffness = 11;
  links[0].joint.damping = 0.8;
  ff_tree *tree = NULL;
  assert_int_equal(ff_tree_build(&tree, links, 2, NULL), FF_OK);
  assert_int_equal(ff_tree_v_count(tree), 1);
  assert_int_equal(ff_tree_link(tree, 1).follows, 2);
  uint64_t seed = 3;
  tree_state s = random_state(&seed, tree);
  double q = s.q[0], v = s.v[0], tau = 0.3;
  ff_joint_loads loads = ff_tree_joint_loads(tree, &q, &v, &tau);
  double angle = g * q + offset, rate = g * v;
  assert_close(tau, 0.3 + g * (-11 * angle - 0.8 * rate), 1e-13);
  assert_close(loads.lost, 0.8 * rate * rate, 1e-14);
  assert_close(loads.stored, 5.5 * angle * angle, 1e-14);
  assert_true(ff_tree_forward_dynamics(s.work, &tau, gravity, NULL, s.a));
  assert_close(s.a[0], tau / (i1 + g * g * i2), 1e-12);
  assert_close(ff_tree_omega(s.work, 1).z, rate, 1e-15);
  free_state(&s);
  ff_tree_destroy(&tree);
}

/* A universal joint is two hinges, a planar one two slides and a hinge, with links without mass
 * between them: the same places, accelerations and forces. */
static void test_joints_of_several_axes_are_chains(void **state) {
  (void)state;
  uint64_t seed = 11;
  ff_link_def links[3], chain[6];
  static const ff_joint_kind kinds[3] = {FF_JOINT_REVOLUTE, FF_JOINT_UNIVERSAL, FF_JOINT_PLANAR};
  for (int i = 0; i < 3; i++) {
    links[i] = random_link(&seed, i, kinds[i]);
    links[i].joint.armature = 0;
    links[i].joint.axis = v3_unit(links[i].joint.axis);
    links[i].joint.axis2 = v3_orthogonal(links[i].joint.axis);
  }
  static const int from[6] = {0, 1, 1, 2, 2, 2}, last[3] = {1, 3, 6};
  for (int k = 0; k < 6; k++) {
    const ff_link_def *link = &links[from[k]];
    bool first = k == 0 || from[k] != from[k - 1], slides = k == 3 || k == 4;
    chain[k] = k + 1 == last[from[k]] ? *link : ff_link_def_default();
    chain[k].parent = k;
    chain[k].joint = ff_link_def_default().joint;
    chain[k].joint.kind = slides ? FF_JOINT_PRISMATIC : FF_JOINT_REVOLUTE;
    chain[k].joint.frame = first ? link->joint.frame : chain[k].joint.frame;
    ff_vec3 y = v3_cross(link->joint.axis, link->joint.axis2);
    chain[k].joint.axis = k == 2 || k == 3 ? link->joint.axis2 : k == 4 ? y : link->joint.axis;
  }
  ff_tree *trees[2] = {NULL, NULL};
  assert_int_equal(ff_tree_build(&trees[0], links, 3, NULL), FF_OK);
  assert_int_equal(ff_tree_build(&trees[1], chain, 6, NULL), FF_OK);
  tree_state a = random_state(&seed, trees[0]), b = random_state(&seed, trees[1]);
  double tau[6] = {1, -2, 0.5, 3, -1, 0.7}, h[2][36];
  ff_tree_update(b.work, a.q, a.v);
  assert_true(ff_tree_forward_dynamics(a.work, tau, gravity, NULL, a.a));
  assert_true(ff_tree_forward_dynamics(b.work, tau, gravity, NULL, b.a));
  ff_tree_inertia(a.work, h[0]);
  ff_tree_inertia(b.work, h[1]);
  for (int k = 0; k < 36; k++) {
    assert_close(h[0][k], h[1][k], 1e-13);
  }
  for (int k = 0; k < 6; k++) {
    assert_close(a.a[k], b.a[k], 1e-11);
  }
  for (int i = 0; i < 3; i++) {
    ff_vec3 apart =
        v3_sub(ff_tree_pose(a.work, i + 1).position, ff_tree_pose(b.work, last[i]).position);
    assert_true(v3_norm(apart) < 1e-14);
  }
  free_state(&a);
  free_state(&b);
  ff_tree_destroy(&trees[0]);
  ff_tree_destroy(&trees[1]);
}

/* ---- refusals ------------------------------------------------------------------------------- */

static void expect_refused(const ff_link_def *link, const char *key) {
  ff_tree *tree = NULL;
  ff_report report;
  assert_int_equal(ff_tree_build(&tree, link, 1, &report), FF_ERROR_INPUT);
  assert_null(tree);
  assert_string_equal(report.key, key);
}

static void test_bad_links_are_refused(void **state) {
  (void)state;
  ff_link_def good = ff_link_def_default();
  good.name = "arm";
  good.joint.kind = FF_JOINT_REVOLUTE;
  good.mass = 1;
  good.com = v3(0.1, 0, 0);
  ff_tree *tree = NULL;
  assert_int_equal(ff_tree_build(&tree, &good, 1, NULL), FF_OK);
  ff_tree_destroy(&tree);
  ff_link_def bad = good;
  bad.parent = 1;
  expect_refused(&bad, "links.arm.parent");
  bad = good;
  bad.mass = NAN;
  expect_refused(&bad, "links.arm.mass");
  bad = good;
  bad.joint.axis = v3(0, 0, 0);
  expect_refused(&bad, "links.arm.axis");
  bad = good;
  bad.joint.lower = 2;
  bad.joint.upper = 1;
  expect_refused(&bad, "links.arm.lower");
  bad = good;
  bad.inertia.m[0][1] = 1;
  expect_refused(&bad, "links.arm.inertia");
  bad = good;
  bad.mass = 0; /* nothing to move */
  expect_refused(&bad, "links.arm");
  bad = good;
  bad.follows = 1; /* itself */
  expect_refused(&bad, "links.arm.follows");
  bad.follows = 2; /* nobody */
  expect_refused(&bad, "links.arm.follows");
}

static void test_followers_in_a_circle_are_refused(void **state) {
  (void)state;
  ff_link_def links[3];
  uint64_t seed = 1;
  for (int i = 0; i < 3; i++) {
    links[i] = random_link(&seed, i, FF_JOINT_REVOLUTE);
    links[i].follows = (i + 1) % 3 + 1;
  }
  ff_tree *tree = NULL;
  ff_report report;
  assert_int_equal(ff_tree_build(&tree, links, 3, &report), FF_ERROR_INPUT);
  assert_null(tree);
  links[2].follows = 0; /* now they follow one another to the last */
  assert_int_equal(ff_tree_build(&tree, links, 3, &report), FF_OK);
  assert_int_equal(ff_tree_link(tree, 1).follows, 3);
  ff_tree_destroy(&tree);
  links[2].joint.kind = FF_JOINT_SPHERICAL; /* which has no one angle */
  assert_int_equal(ff_tree_build(&tree, links, 3, &report), FF_ERROR_INPUT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_forward_undoes_inverse),
      cmocka_unit_test(test_inertia_columns_are_inverse_dynamics),
      cmocka_unit_test(test_factor_solves),
      cmocka_unit_test(test_jacobian_is_rate_of_pose),
      cmocka_unit_test(test_jacobian_rate_is_its_rate),
      cmocka_unit_test(test_coriolis_is_skew),
      cmocka_unit_test(test_power_balances),
      cmocka_unit_test(test_momentum_balances),
      cmocka_unit_test(test_factor_keeps_branches_apart),
      cmocka_unit_test(test_zero_moment_point_is_centre_of_pressure),
      cmocka_unit_test(test_joint_loads_balance),
      cmocka_unit_test(test_geared_wheels),
      cmocka_unit_test(test_joints_of_several_axes_are_chains),
      cmocka_unit_test(test_bad_links_are_refused),
      cmocka_unit_test(test_followers_in_a_circle_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
