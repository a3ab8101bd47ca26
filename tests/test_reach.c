/* Inverse kinematics: general by damped least squares, closed form for the leg of six axes. */
#include "trees.h"

static const ff_leg leg = {0.10, 0.11};

/* The leg as a tree; link 6 is the foot. */
static ff_tree *leg_tree(void) {
  const ff_vec3 axes[6] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 1, 0}, {0, 1, 0}, {1, 0, 0}};
  ff_link_def links[6];
  for (int i = 0; i < 6; i++) {
    links[i] = ff_link_def_default();
    links[i].parent = i;
    links[i].joint.kind = FF_JOINT_REVOLUTE;
    links[i].joint.axis = axes[i];
    links[i].mass = 1;
    links[i].inertia = (ff_mat3){{{0.1, 0, 0}, {0, 0.1, 0}, {0, 0, 0.1}}};
  }
  links[3].joint.frame.position = v3(0, 0, -leg.thigh);
  links[4].joint.frame.position = v3(0, 0, -leg.shank);
  ff_tree *tree = NULL;
  assert_int_equal(ff_tree_build(&tree, links, 6, NULL), FF_OK);
  return tree;
}

/* Angles of a leg that walks, climbs and squats. */
static void random_angles(uint64_t *seed, double q[6]) {
  const double low[6] = {-1.5, -0.8, -1.8, 0.05, -1.2, -0.8};
  const double high[6] = {1.5, 0.8, 1.0, 2.6, 1.2, 0.8};
  for (int k = 0; k < 6; k++) {
    q[k] = ff_random_in(seed, low[k], high[k]);
  }
}

static void assert_same_pose(ff_pose a, ff_pose b, double tolerance) {
  assert_close(v3_norm(v3_sub(a.position, b.position)), 0, tolerance);
  ff_quat turn = q_mul(q_conj(a.orientation), b.orientation);
  assert_close(v3_norm(q_log(q_unit(turn))), 0, tolerance);
}

static void test_leg_pose_is_that_of_its_tree(void **state) {
  (void)state;
  uint64_t seed = 3;
  ff_tree *tree = leg_tree();
  tree_state s = random_state(&seed, tree);
  for (int i = 0; i < 20; i++) {
    random_angles(&seed, s.q);
    ff_tree_update(s.work, s.q, NULL);
    assert_same_pose(ff_leg_pose(&leg, s.q), ff_tree_pose(s.work, 6), 1e-14);
  }
  free_state(&s);
  ff_tree_destroy(&tree);
}

static void test_leg_angles_invert_its_pose(void **state) {
  (void)state;
  uint64_t seed = 4;
  for (int i = 0; i < 1000; i++) {
    double q[6], found[6];
    random_angles(&seed, q);
    ff_pose foot = ff_leg_pose(&leg, q);
    assert_true(ff_leg_angles(&leg, foot, found));
    assert_same_pose(ff_leg_pose(&leg, found), foot, 1e-12);
    /* The same angles, unless the hip stands below the sole (then the roll goes the other way). */
    ff_vec3 hip = q_unrotate(foot.orientation, v3_neg(foot.position));
    for (int k = 0; k < 6 && hip.z > 0.01; k++) {
      assert_close(found[k], q[k], 1e-9); /* knee angles near 0 lose half the digits */
    }
  }
}

/* Too far: says so, and points there with the leg stretched and the foot as wanted. */
static void test_leg_out_of_reach(void **state) {
  (void)state;
  ff_pose foot = {{0.1, 0.05, -0.4}, q_exp(v3(0.1, 0.2, 0.3))};
  double q[6];
  assert_false(ff_leg_angles(&leg, foot, q));
  assert_close(q[3], 0, 0);
  ff_pose got = ff_leg_pose(&leg, q);
  ff_vec3 wanted = v3_scale(0.21 / v3_norm(foot.position), foot.position);
  assert_close(v3_norm(v3_sub(got.position, wanted)), 0, 1e-12);
  assert_same_pose((ff_pose){wanted, foot.orientation}, got, 1e-12);
}

/* The general way finds what the closed form does. */
static void test_reach_agrees_with_leg(void **state) {
  (void)state;
  uint64_t seed = 5;
  ff_tree *tree = leg_tree();
  tree_state s = random_state(&seed, tree);
  for (int i = 0; i < 100; i++) {
    double q[6], found[6] = {0, 0, -0.3, 0.6, -0.3, 0};
    random_angles(&seed, q);
    q[3] = fmax(q[3], 0.3);
    for (int k = 0; k < 6; k++) {
      found[k] = q[k] + ff_random_in(&seed, -0.2, 0.2);
    }
    ff_reach_def def = ff_reach_def_default();
    def.link = 6;
    def.target = ff_leg_pose(&leg, q);
    ff_reach_info info = ff_tree_reach(s.work, &def, found);
    assert_true(info.reached);
    assert_same_pose(ff_tree_pose(s.work, 6), def.target, 1e-8); /* 1e-10 over 0.1 m a rad */
  }
  free_state(&s);
  ff_tree_destroy(&tree);
}

/* Any tree reaches a pose it can have, from a posture not far away. */
static void test_reach_in_random_trees(void **state) {
  (void)state;
  uint64_t seed = 6;
  for (int i = 0; i < 20; i++) {
    ff_tree *tree = random_tree(&seed, 30, (ff_joint_kind)(1 + i % 7), i % 2 == 1);
    tree_state s = random_state(&seed, tree);
    ff_reach_def def = ff_reach_def_default();
    def.link = 30;
    def.point = v3(0.1, 0.2, 0.3);
    ff_pose pose = ff_tree_pose(s.work, 30);
    def.target = (ff_pose){pose_point(pose, def.point), pose.orientation};
    ff_tree_q_move(tree, s.q, s.v, 0.4);
    ff_reach_info info = ff_tree_reach(s.work, &def, s.q);
    assert_true(info.reached);
    assert_close(info.position_error, 0, 1e-10);
    free_state(&s);
    ff_tree_destroy(&tree);
  }
}

/* A planar arm of two links of 1 m that may not bend past a limit, and a wall of reach. */
static void test_reach_keeps_limits_and_says_when_it_cannot(void **state) {
  (void)state;
  ff_link_def links[3] = {ff_link_def_default(), ff_link_def_default(), ff_link_def_default()};
  for (int i = 0; i < 3; i++) {
    links[i].parent = i;
    links[i].joint.kind = i < 2 ? FF_JOINT_REVOLUTE : FF_JOINT_FIXED;
    links[i].joint.frame.position = v3(i > 0, 0, 0);
    links[i].mass = 1;
    links[i].com = v3(0.5, 0, 0);
  }
  links[1].joint.lower = 0.2;
  links[1].joint.upper = 1.0;
  ff_tree *tree = NULL;
  ff_tree_work *work = NULL;
  assert_int_equal(ff_tree_build(&tree, links, 3, NULL), FF_OK);
  assert_int_equal(ff_tree_work_create(&work, tree), FF_OK);
  ff_reach_def def = ff_reach_def_default();
  def.link = 3;
  def.position_only = true;
  def.target.position = v3(1.3, 1.3, 0);
  double q[2] = {0, 0.5};
  ff_reach_info info = ff_tree_reach(work, &def, q);
  assert_true(info.reached);
  assert_close(hypot(1 + cos(q[1]), sin(q[1])), 1.3 * sqrt(2.0), 1e-9);
  def.target.position = v3(3, 0, 0); /* too far: stretched as far as the limit lets it */
  def.most = 5000;                   /* what cannot be reached is approached slowly */
  info = ff_tree_reach(work, &def, q);
  assert_false(info.reached);
  assert_close(q[1], 0.2, 1e-6);
  assert_close(info.position_error, 3 - hypot(1 + cos(0.2), sin(0.2)), 1e-6);
  /* Joints before the root stay where they are. */
  double before = q[0];
  def.root = 1;
  ff_tree_reach(work, &def, q);
  assert_true(q[0] == before);
  ff_tree_work_destroy(&work);
  ff_tree_destroy(&tree);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_leg_pose_is_that_of_its_tree),
      cmocka_unit_test(test_leg_angles_invert_its_pose),
      cmocka_unit_test(test_leg_out_of_reach),
      cmocka_unit_test(test_reach_agrees_with_leg),
      cmocka_unit_test(test_reach_in_random_trees),
      cmocka_unit_test(test_reach_keeps_limits_and_says_when_it_cannot),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
