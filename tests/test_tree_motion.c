/* Trees that move as the closed forms say: pendulums and the top. */
#include "trees.h"

static const ff_vec3 gravity = {0, 0, -9.81};

enum { MOST = 16 };

typedef struct mover {
  const ff_tree *tree;
  ff_tree_work *work;
  double q[MOST], v[MOST];
} mover;

static void rates(mover *m, const double *q, const double *v, double *dq, double *dv) {
  double tau[MOST] = {0};
  ff_tree_update(m->work, q, v);
  assert_true(ff_tree_forward_dynamics(m->work, tau, gravity, NULL, dv));
  ff_tree_q_rate(m->tree, q, v, dq);
}

/* The classical Runge-Kutta method on q and v. */
static void advance(mover *m, double t, int steps) {
  static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  int nq = ff_tree_q_count(m->tree), n = ff_tree_v_count(m->tree);
  double h = t / steps;
  for (int i = 0; i < steps; i++) {
    double dq[MOST] = {0}, dv[MOST] = {0}, q[MOST], v[MOST], sum_q[MOST] = {0}, sum_v[MOST] = {0};
    for (int stage = 0; stage < 4; stage++) {
      for (int k = 0; k < nq; k++) {
        q[k] = m->q[k] + at[stage] * h * dq[k];
      }
      for (int k = 0; k < n; k++) {
        v[k] = m->v[k] + at[stage] * h * dv[k];
      }
      rates(m, q, v, dq, dv);
      for (int k = 0; k < nq; k++) {
        sum_q[k] += weight[stage] * h * dq[k];
      }
      for (int k = 0; k < n; k++) {
        sum_v[k] += weight[stage] * h * dv[k];
      }
    }
    for (int k = 0; k < nq; k++) {
      m->q[k] += sum_q[k];
    }
    for (int k = 0; k < n; k++) {
      m->v[k] += sum_v[k];
    }
  }
}

static mover start(const ff_link_def *links, int count) {
  ff_tree *tree = NULL;
  mover m = {.tree = NULL};
  assert_int_equal(ff_tree_build(&tree, links, count, NULL), FF_OK);
  m.tree = tree;
  assert_int_equal(ff_tree_work_create(&m.work, tree), FF_OK);
  ff_tree_neutral(tree, m.q);
  return m;
}

static void stop(mover *m) {
  ff_tree_work_destroy(&m->work);
  ff_tree *tree = (ff_tree *)m->tree;
  ff_tree_destroy(&tree);
}

static ff_link_def pendulum(double mass, double length, double inertia) {
  ff_link_def link = ff_link_def_default();
  link.joint.kind = FF_JOINT_REVOLUTE;
  link.joint.axis = v3(0, 1, 0);
  link.mass = mass;
  link.com = v3(0, 0, -length);
  for (int k = 0; k < 3; k++) {
    link.inertia.m[k][k] = inertia;
  }
  return link;
}

/* Period of a pendulum of any amplitude through the arithmetic-geometric mean. */
static double period(double reduced_length, double amplitude) {
  double a = 1, g = cos(0.5 * amplitude);
  for (int i = 0; i < 8; i++) {
    double mean = 0.5 * (a + g);
    g = sqrt(a * g);
    a = mean;
  }
  return 2 * ff_pi * sqrt(reduced_length / 9.81) / a;
}

/* After a period it is back, after half of one on the other side. */
static void test_pendulum_of_any_amplitude(void **state) {
  (void)state;
  const double amplitudes[] = {0.1, 1.0, 2.5};
  for (int i = 0; i < 3; i++) {
    ff_link_def link = pendulum(0.7, 0.4, 0);
    mover m = start(&link, 1);
    m.q[0] = amplitudes[i];
    double t = period(0.4, amplitudes[i]);
    advance(&m, 0.5 * t, 2000);
    assert_close(m.q[0], -amplitudes[i], 1e-9);
    advance(&m, 0.5 * t, 2000);
    assert_close(m.q[0], amplitudes[i], 1e-9);
    assert_close(m.v[0], 0, 1e-8);
    stop(&m);
  }
}

/* A body with inertia swings as a point at its reduced length; a rotor adds to it. */
static void test_compound_pendulum(void **state) {
  (void)state;
  ff_link_def link = pendulum(0.7, 0.4, 0.03);
  link.joint.armature = 0.02;
  mover m = start(&link, 1);
  m.q[0] = 2.0;
  double reduced = (0.03 + 0.02 + 0.7 * 0.4 * 0.4) / (0.7 * 0.4);
  advance(&m, period(reduced, 2.0), 4000);
  assert_close(m.q[0], 2.0, 1e-9);
  stop(&m);
}

/* Two equal point pendulums at small angles swing in their normal modes. */
static void test_double_pendulum_modes(void **state) {
  (void)state;
  ff_link_def links[2] = {pendulum(1, 1, 0), pendulum(1, 1, 0)};
  links[1].parent = 1;
  links[1].joint.frame.position = v3(0, 0, -1);
  mover m = start(links, 2);
  double size = 1e-5; /* the modes are those of small angles: error of the square */
  m.q[0] = size;
  m.q[1] = size * (sqrt(2.0) - 1); /* the second angle is measured from the first */
  double omega = sqrt(9.81 * (2 - sqrt(2.0)));
  advance(&m, ff_pi / omega, 2000);
  assert_close(m.q[0], -size, 1e-9 * size + size * size * size);
  assert_close(m.q[1], -size * (sqrt(2.0) - 1), 1e-9 * size + size * size * size);
  stop(&m);
}

/* A symmetric top that precesses steadily: m g l = W (I3 w3 - I1 W cos(tilt)), where w3 is the
 * spin along its axis, W the precession, I1 about the pivot. */
static void test_top_precesses_steadily(void **state) {
  (void)state;
  const double mass = 0.5, l = 0.1, side = 4e-3, i3 = 2e-3, tilt = 0.6, precession = 1.7;
  ff_link_def link = ff_link_def_default();
  link.joint.kind = FF_JOINT_SPHERICAL;
  link.mass = mass;
  link.com = v3(0, 0, l);
  link.inertia = (ff_mat3){{{side, 0, 0}, {0, side, 0}, {0, 0, i3}}};
  double i1 = side + mass * l * l;
  double spin = (mass * 9.81 * l / precession + i1 * precession * cos(tilt)) / i3;
  mover m = start(&link, 1);
  ff_quat q = q_exp(v3(tilt, 0, 0));
  memcpy(m.q, &q, sizeof q);
  ff_vec3 omega = q_unrotate(q, v3(0, 0, precession));
  v3_store(m.v, v3(omega.x, omega.y, spin));
  advance(&m, 1.0, 20000);
  ff_tree_update(m.work, m.q, m.v);
  ff_vec3 axis = q_rotate(ff_tree_pose(m.work, 1).orientation, v3(0, 0, 1));
  assert_close(axis.z, cos(tilt), 1e-9);
  /* it started at azimuth -90 degrees */
  assert_close(axis.x, sin(tilt) * sin(precession), 1e-9);
  assert_close(axis.y, -sin(tilt) * cos(precession), 1e-9);
  stop(&m);
}

/* A body on a free joint falls and turns as a free body does: spin about its own axis. */
static void test_free_joint_falls(void **state) {
  (void)state;
  ff_link_def link = pendulum(2, 0.3, 0.1);
  link.joint.kind = FF_JOINT_FREE;
  mover m = start(&link, 1);
  const double spin = 3;
  m.v[1] = spin; /* about y; the centre of mass, 0.3 below the origin, moves at -0.9 along x */
  advance(&m, 1.0, 4000);
  ff_tree_update(m.work, m.q, m.v);
  ff_vec3 com = ff_tree_whole(m.work, gravity).com;
  assert_close(com.x, -0.3 * spin, 1e-9);
  assert_close(com.z, -0.3 - 0.5 * 9.81, 1e-9);
  assert_close(ff_tree_omega(m.work, 1).y, spin, 1e-9);
  stop(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pendulum_of_any_amplitude),
      cmocka_unit_test(test_compound_pendulum),
      cmocka_unit_test(test_double_pendulum_modes),
      cmocka_unit_test(test_top_precesses_steadily),
      cmocka_unit_test(test_free_joint_falls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
