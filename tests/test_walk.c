/* Walking patterns: the pendulum's control, then the humanoid of scenes/robots step by step. */
#include "footfall/robot.h"
#include "footfall/walk.h"
#include "testing.h"

#include "base/memory.h"
#include "math/vec.h"

enum { COORDINATES = 40 };

/* ---- the pendulum ---------------------------------------------------------------------------- */

static ff_preview *preview_of(double horizon) {
  ff_preview_def def = ff_preview_def_default();
  def.horizon = horizon;
  ff_preview *preview = NULL;
  assert_int_equal(ff_preview_create(&preview, &def, NULL), FF_OK);
  return preview;
}

static double zmp_of(const ff_pendulum *x) {
  return x->position - 0.245 / 9.81 * x->acceleration;
}

/* P = A'PA + Q - A'PB (R + B'PB)^-1 B'PA, with matrices written down once more. */
static void riccati_equation_holds(void **state) {
  (void)state;
  double t = 5e-3, arm = 0.245 / 9.81;
  const double c[3] = {1, 0, -arm}, plain[3][3] = {{1, t, t * t / 2}, {0, 1, t}, {0, 0, 1}};
  const double input[3] = {t * t * t / 6, t * t / 2, t};
  double a[4][4] = {{1}}, b[4] = {0}, pa[4][4], pb[4] = {0}, bpa[4] = {0}, whole = 1e-6;
  for (int i = 0; i < 3; i++) {
    b[i + 1] = input[i];
    b[0] += c[i] * input[i];
    for (int j = 0; j < 3; j++) {
      a[i + 1][j + 1] = plain[i][j];
      a[0][j + 1] += c[i] * plain[i][j];
    }
  }
  ff_preview *preview = preview_of(1.2);
  ff_preview_gains g = ff_preview_gains_of(preview);
  double largest = 0;
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      assert_true(g.riccati[4 * i + j] == g.riccati[4 * j + i]);
      largest = fmax(largest, fabs(g.riccati[4 * i + j]));
      pb[i] += g.riccati[4 * i + j] * b[j];
      pa[i][j] = 0;
      for (int k = 0; k < 4; k++) {
        pa[i][j] += g.riccati[4 * i + k] * a[k][j];
      }
    }
    whole += pb[i] * b[i];
  }
  for (int j = 0; j < 4; j++) {
    for (int i = 0; i < 4; i++) {
      bpa[j] += b[i] * pa[i][j];
    }
    assert_near(j == 0 ? g.integral : g.state[j - 1], bpa[j] / whole, 1e-9);
  }
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      double right = (i + j == 0) - bpa[i] * bpa[j] / whole;
      for (int k = 0; k < 4; k++) {
        right += a[k][i] * pa[k][j];
      }
      assert_close(right, g.riccati[4 * i + j], 1e-11 * largest); /* cancels three digits */
    }
  }
  assert_true(g.residual < 1e-13);
  ff_preview_destroy(&preview);
}

/* A reference that never changes asks for nothing: all gains together balance the position's.
 * Within 1.2 s all but a thousandth of them, within 6 s all. */
static void gains_ahead_add_up(void **state) {
  (void)state;
  ff_preview *near = preview_of(1.2), *far = preview_of(6);
  ff_preview_gains g = ff_preview_gains_of(near), f = ff_preview_gains_of(far);
  double sum = 0;
  for (int j = 0; j < g.count; j++) {
    sum += g.ahead[j];
  }
  assert_int_equal(g.count, 240);
  assert_near(sum, -g.state[0], 1e-12);
  assert_close(g.ahead[0], -g.integral, 0);
  assert_true(fabs(g.tail) < 1e-3 * g.state[0]);
  assert_true(fabs(f.tail) < 1e-9 * f.state[0]);
  ff_preview_destroy(&near);
  ff_preview_destroy(&far);
}

static void pendulum_rests_over_its_reference(void **state) {
  (void)state;
  double reference[241];
  for (int i = 0; i < 241; i++) {
    reference[i] = 0.3;
  }
  ff_preview *preview = preview_of(1.2);
  ff_pendulum x = {.position = 0.3};
  for (int k = 0; k < 2000; k++) {
    ff_preview_steer(preview, &x, reference);
    assert_true(x.jerk == 0);
    x = ff_pendulum_after(&x, 5e-3);
  }
  assert_true(x.position == 0.3);
  ff_preview_destroy(&preview);
}

enum { RUN = 1600, AHEAD = 1200 };

/* A step of the reference in the middle: it moves before, and arrives. */
static void run_step(ff_preview *preview, const double *reference, ff_pendulum *path) {
  ff_pendulum x = {0};
  for (int k = 0; k < RUN; k++) {
    ff_preview_steer(preview, &x, reference + k);
    path[k] = x;
    x = ff_pendulum_after(&x, 5e-3);
  }
}

static void pendulum_moves_before_the_step(void **state) {
  (void)state;
  static double reference[RUN + AHEAD + 1];
  static ff_pendulum path[RUN];
  for (int k = 0; k <= RUN + AHEAD; k++) {
    reference[k] = k < RUN / 2 ? 0 : 0.1;
  }
  ff_preview *preview = preview_of(1.2);
  run_step(preview, reference, path);
  assert_close(path[RUN / 2 - 240].position, 0, 1e-4);
  assert_close(path[RUN / 2].position, 0.05, 0.005); /* half way: as much before as after */
  for (int k = 0; k < RUN; k++) {
    double off = zmp_of(&path[k]) - reference[k];
    assert_true(fabs(off) < (abs(k - RUN / 2) < 40 ? 0.06 : 0.003));
  }
  assert_close(path[RUN - 1].position, 0.1, 1e-8);
  ff_preview_destroy(&preview);
}

/* No other jerk does better: the sum that is to be minimal does not change to first order when the
 * jerk is varied so that the pendulum ends where it did (third differences of a hat do). */
static void jerk_is_optimal(void **state) {
  (void)state;
  static double reference[RUN + AHEAD + 1], vary[RUN];
  static ff_pendulum path[RUN];
  for (int k = 0; k <= RUN + AHEAD; k++) {
    reference[k] = k < RUN / 2 ? 0 : 0.1;
  }
  ff_preview *preview = preview_of(AHEAD * 5e-3);
  run_step(preview, reference, path);
  for (int at = 500; at < 1100; at += 37) {
    memset(vary, 0, sizeof vary);
    for (int k = -20; k <= 20; k++) {
      double hat = 1 - abs(k) / 21.0;
      vary[at + k] += hat;
      vary[at + k + 1] -= 3 * hat;
      vary[at + k + 2] += 3 * hat;
      vary[at + k + 3] -= hat;
    }
    ff_pendulum x = {0};
    double change = 0, terms = 0;
    for (int k = 1; k < RUN; k++) {
      x.jerk = vary[k - 1];
      x = ff_pendulum_after(&x, 5e-3);
      double error = (zmp_of(&path[k]) - reference[k]) * zmp_of(&x);
      double effort = 1e-6 * (path[k].jerk - path[k - 1].jerk) * (vary[k] - vary[k - 1]);
      change += error + effort;
      terms += fabs(error) + fabs(effort);
    }
    assert_close(change, 0, 1e-7 * terms); /* jerks are sums of large gains times small errors */
  }
  ff_preview_destroy(&preview);
}

/* ---- the robot --------------------------------------------------------------------------------
 */

typedef struct robot {
  ff_robot *urdf;
  ff_tree *tree;
  ff_tree_work *work;
  ff_walk_def def;
} robot;

static int find(const ff_tree *tree, const char *name) {
  for (int i = 1; i <= ff_tree_link_count(tree); i++) {
    if (strcmp(ff_tree_link(tree, i).name, name) == 0) {
      return i;
    }
  }
  fail_msg("no link %s", name);
  return 0;
}

static robot humanoid;

static int set_up(void **state) {
  (void)state;
  robot *r = &humanoid;
  if (ff_robot_load(&r->urdf, FF_SOURCE_DIR "/scenes/robots/humanoid.urdf", NULL, NULL) ||
      ff_robot_tree(&r->tree, r->urdf, FF_JOINT_FREE, NULL) ||
      ff_tree_work_create(&r->work, r->tree)) {
    return 1;
  }
  r->def = ff_walk_def_default();
  r->def.tree = r->tree;
  r->def.left_foot = find(r->tree, "left_foot");
  r->def.right_foot = find(r->tree, "right_foot");
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  ff_tree_work_destroy(&humanoid.work);
  ff_tree_destroy(&humanoid.tree);
  ff_robot_destroy(&humanoid.urdf);
  return 0;
}

static ff_walk *walk_of(const ff_walk_def *def, ff_walk_step step, int count) {
  ff_walk_step steps[32] = {{0, 0, 0, 0}};
  for (int i = 0; i < count; i++) {
    steps[i] = step;
  }
  ff_walk *walk = NULL;
  ff_report report = {.line = 0};
  if (ff_walk_build(&walk, def, steps, count, &report) != FF_OK) {
    char text[512];
    ff_report_text(&report, text, sizeof text);
    fail_msg("%s", text);
  }
  return walk;
}

static const ff_walk_step straight = {0.04, 0, 0, 0};

/* Zero-moment point of the whole tree at a time, from its coordinates alone. */
static ff_vec3 tree_zmp(const ff_walk *walk, double time) {
  double q[COORDINATES], before[COORDINATES], v[COORDINATES], after[COORDINATES], h = 1e-4;
  ff_walk_joints(walk, time - h, q, before);
  ff_walk_joints(walk, time + h, q, after);
  ff_walk_joints(walk, time, q, v);
  for (int i = 0; i < ff_tree_v_count(humanoid.tree); i++) {
    after[i] = (after[i] - before[i]) / (2 * h);
  }
  ff_tree_update(humanoid.work, q, v);
  return ff_tree_zero_moment_point(humanoid.work, after, v3(0, 0, -9.81), v3(0, 0, 0), v3(0, 0, 1));
}

/* Least margin of the tree's zero-moment point, and its largest distance from the plan's. */
typedef struct support {
  double margin, cart_margin, off;
} support;

static support measure(const ff_walk *walk) {
  support s = {1, 1, 0};
  for (double t = 0.01; t < ff_walk_duration(walk) - 0.01; t += 0.0131) {
    ff_walk_state at = ff_walk_at(walk, t);
    ff_vec3 zmp = tree_zmp(walk, t);
    ff_vec3 cart = v3_axpy(at.com, -at.com.z / 9.81, at.com_acceleration);
    s.margin = fmin(s.margin, ff_walk_margin(walk, t, zmp));
    s.cart_margin = fmin(s.cart_margin, ff_walk_margin(walk, t, cart));
    s.off = fmax(s.off, hypot(zmp.x - at.zmp.x, zmp.y - at.zmp.y));
  }
  return s;
}

/* Soles are 60 mm wide, so that no margin can be above 30 mm. */
static void zmp_stays_in_the_support(void **state) {
  (void)state;
  const ff_walk_step kinds[] = {
      straight, {-0.03, 0, 0, 0}, {0.03, 0, 0.15, 0}, {0, 0, -0.3, 0}, {0.02, 0.02, 0, 0.7}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    ff_walk *walk = walk_of(&humanoid.def, kinds[i], 4);
    support s = measure(walk);
    assert_true(s.margin > 0.025);
    assert_true(s.cart_margin > 0.015);
    assert_true(s.off < 0.004);
    ff_walk_destroy(&walk);
  }
}

static void corrections_bring_the_tree_to_its_plan(void **state) {
  (void)state;
  ff_walk_def def = humanoid.def;
  double off[3];
  for (def.corrections = 0; def.corrections < 3; def.corrections++) {
    ff_walk *walk = walk_of(&def, straight, 4);
    off[def.corrections] = measure(walk).off;
    ff_walk_destroy(&walk);
  }
  assert_true(off[0] > 0.01); /* the legs in the air are no pendulum */
  assert_true(off[1] < 0.3 * off[0] && off[2] < 0.15 * off[0]);
}

/* ---- following the plan ------------------------------------------------------------------------
 */

static double pose_error(ff_pose a, ff_pose b) {
  return v3_norm(v3_sub(a.position, b.position)) +
         v3_norm(q_log(q_mul(q_conj(a.orientation), b.orientation)));
}

/* Forward kinematics of the angles that come out give back what went in. */
static void angles_put_feet_and_mass_in_their_places(void **state) {
  (void)state;
  const int feet[2] = {humanoid.def.left_foot, humanoid.def.right_foot};
  ff_walk *walk = walk_of(&humanoid.def, (ff_walk_step){0.03, 0.005, 0.15, 0}, 5);
  double q[COORDINATES], v[COORDINATES];
  for (double t = 0; t < ff_walk_duration(walk); t += 0.00713) {
    ff_walk_state at = ff_walk_at(walk, t);
    ff_walk_joints(walk, t, q, v);
    ff_tree_update(humanoid.work, q, v);
    for (int f = 0; f < 2; f++) {
      assert_true(pose_error(ff_tree_pose(humanoid.work, feet[f]), at.foot[f].pose) < 1e-12);
      ff_vec3 moves = ff_tree_velocity(humanoid.work, feet[f]);
      ff_vec3 turns = ff_tree_omega(humanoid.work, feet[f]);
      /* rates of up to 6 rad/s, to 1e-7 each */
      assert_close(v3_norm(v3_sub(moves, at.foot[f].velocity)), 0, 1e-6);
      assert_close(v3_norm(v3_sub(turns, v3(0, 0, at.foot[f].yaw_rate))), 0, 1e-6);
    }
    assert_true(pose_error(ff_tree_pose(humanoid.work, 1), at.trunk) < 1e-14);
    ff_tree_motion whole = ff_tree_whole(humanoid.work, v3(0, 0, 0));
    /* exact at samples; between them the spline is off by (5 ms)^4 / 384 times some thousands */
    assert_close(v3_norm(v3_sub(whole.com, at.com)), 0, 2e-8);
    assert_close(v3_norm(v3_sub(whole.velocity, at.com_velocity)), 0, 1e-4);
  }
  ff_walk_destroy(&walk);
}

static void mass_is_exact_at_samples(void **state) {
  (void)state;
  ff_walk *walk = walk_of(&humanoid.def, straight, 3);
  double q[COORDINATES];
  for (int k = 0; k * 5e-3 < ff_walk_duration(walk); k++) {
    ff_walk_joints(walk, k * 5e-3, q, NULL);
    ff_tree_update(humanoid.work, q, NULL);
    ff_vec3 com = ff_tree_whole(humanoid.work, v3(0, 0, 0)).com;
    assert_true(v3_norm(v3_sub(com, ff_walk_at(walk, k * 5e-3).com)) < 1e-12);
  }
  ff_walk_destroy(&walk);
}

/* No jump of any rate: what changes in a tenth of a millisecond is what bounded accelerations
 * change. Phases begin at multiples of 0.02 s, which the times tried straddle. */
static void velocities_are_continuous(void **state) {
  (void)state;
  ff_walk *walk = walk_of(&humanoid.def, (ff_walk_step){0.03, 0, 0.1, 0}, 4);
  double q[COORDINATES], before[COORDINATES], after[COORDINATES];
  int count = ff_tree_v_count(humanoid.tree);
  double last = ff_walk_duration(walk);
  for (int k = 1; k * 0.01 < last - 0.01; k++) {
    ff_walk_joints(walk, k * 0.01 - 5e-5, q, before);
    ff_walk_joints(walk, k * 0.01 + 5e-5, q, after);
    ff_walk_state low = ff_walk_at(walk, k * 0.01 - 5e-5), high = ff_walk_at(walk, k * 0.01 + 5e-5);
    for (int i = 0; i < count; i++) {
      assert_true(fabs(after[i]) < 8); /* the actuators' limit */
      assert_close(after[i], before[i], 1e-4 * 400);
    }
    assert_close(v3_norm(v3_sub(high.com_velocity, low.com_velocity)), 0, 1e-4 * 5);
    assert_close(v3_norm(v3_sub(high.com_acceleration, low.com_acceleration)), 0, 1e-4 * 200);
  }
  ff_walk_destroy(&walk);
}

/* Once it is under way, two steps are like the next two, and moved by two lengths. */
static void path_is_bounded_and_periodic(void **state) {
  (void)state;
  ff_walk *walk = walk_of(&humanoid.def, straight, 14);
  double sway = 0;
  for (double t = 4.5; t < 5.5; t += 0.0171) {
    ff_walk_state one = ff_walk_at(walk, t), two = ff_walk_at(walk, t + 1);
    assert_close(two.com.x - one.com.x, 0.08, 2e-5); /* ends are e^-6.4t away in each way */
    assert_close(two.com.y, one.com.y, 2e-5);
    assert_close(v3_norm(v3_sub(two.com_velocity, one.com_velocity)), 0, 2e-4);
    assert_close(two.foot[0].pose.position.x - one.foot[0].pose.position.x, 0.08, 1e-12);
  }
  for (double t = 0; t < ff_walk_duration(walk); t += 0.01) {
    ff_walk_state at = ff_walk_at(walk, t);
    sway = fmax(sway, fabs(at.com.y));
    double middle = 0.5 * (at.foot[0].pose.position.x + at.foot[1].pose.position.x) + 0.01;
    assert_true(fabs(at.com.x - middle) < 0.04);
  }
  assert_true(sway > 0.005 && sway < 0.039); /* never above the middle of a foot */
  ff_walk_destroy(&walk);
}

/* Without corrections nothing is done before the first step is in sight. */
static void waits_for_what_it_can_see(void **state) {
  (void)state;
  ff_walk_def def = humanoid.def;
  def.corrections = 0;
  ff_walk *walk = walk_of(&def, straight, 1);
  ff_walk_state first = ff_walk_at(walk, 0), at = ff_walk_at(walk, 0.295);
  assert_close(v3_norm(v3_sub(at.com, first.com)), 0, 1e-15);
  at = ff_walk_at(walk, 0.5);
  assert_true(v3_norm(v3_sub(at.com, first.com)) > 1e-7);
  ff_walk_destroy(&walk);
}

static void starts_and_stops_at_rest(void **state) {
  (void)state;
  ff_walk *walk = walk_of(&humanoid.def, straight, 4);
  double end = ff_walk_duration(walk), q[COORDINATES], v[COORDINATES];
  assert_close(end, 1.5 + 5 * 0.5 + 0.12 + 1.5, 1e-12);
  ff_walk_joints(walk, 0, q, v);
  for (int i = 0; i < ff_tree_v_count(humanoid.tree); i++) {
    assert_close(v[i], 0, 1e-9);
  }
  ff_walk_joints(walk, 0.1, q, v);
  for (int i = 0; i < ff_tree_v_count(humanoid.tree); i++) {
    assert_close(v[i], 0, 1e-4); /* corrections see what comes at 1.5 s, as e^-(6.4 * 1.4) */
  }
  ff_walk_joints(walk, end - 1e-3, q, v);
  for (int i = 0; i < ff_tree_v_count(humanoid.tree); i++) {
    assert_close(v[i], 0, 5e-4); /* e^-(6.4 * 1.5) of a few rad/s */
  }
  ff_walk_state last = ff_walk_at(walk, end), first = ff_walk_at(walk, 0);
  assert_close(last.com.x - first.com.x, 0.16, 1e-5);
  assert_close(last.com.y, 0, 1e-5);
  assert_close(v3_norm(last.com_velocity), 0, 2e-5);
  ff_walk_state later = ff_walk_at(walk, end + 100), earlier = ff_walk_at(walk, -100);
  assert_memory_equal(&later.com, &last.com, sizeof last.com);
  assert_memory_equal(&earlier.com, &first.com, sizeof first.com);
  assert_close(v3_norm(later.com_velocity), 0, 0);
  ff_walk_destroy(&walk);
}

static double yaw_of(ff_pose pose) {
  return 2 * atan2(pose.orientation.z, pose.orientation.w);
}

/* Six steps of 0.25 rad on a circle: forward and turn at each, so a polygon of chords. */
static void turns(void **state) {
  (void)state;
  ff_walk *walk = walk_of(&humanoid.def, (ff_walk_step){0.03, 0, 0.25, 0}, 6);
  ff_walk_state at = ff_walk_at(walk, ff_walk_duration(walk));
  double x = 0, y = 0;
  for (int k = 0; k < 6; k++) {
    x += 0.03 * cos(0.25 * k);
    y += 0.03 * sin(0.25 * k);
  }
  assert_close(yaw_of(at.trunk), 1.5, 1e-12);
  assert_close(yaw_of(at.foot[0].pose), 1.5, 1e-12);
  assert_close(yaw_of(at.foot[1].pose), 1.5, 1e-12);
  assert_close(at.zmp.x, x, 1e-12);
  assert_close(at.zmp.y, y, 1e-12);
  assert_close(at.com.x, x, 1e-5);
  assert_close(at.com.y, y, 1e-5);
  ff_vec3 apart = v3_sub(at.foot[0].pose.position, at.foot[1].pose.position);
  assert_close(v3_norm(apart), 0.078, 1e-12); /* the hips' distance */
  ff_walk_destroy(&walk);
}

static void feet_on_the_ground_stay_there(void **state) {
  (void)state;
  ff_walk *walk = walk_of(&humanoid.def, straight, 4);
  double highest = 0;
  ff_walk_state last = ff_walk_at(walk, 0);
  for (double t = 0; t < ff_walk_duration(walk); t += 0.002) {
    ff_walk_state at = ff_walk_at(walk, t);
    assert_true(at.foot[0].down || at.foot[1].down);
    for (int f = 0; f < 2; f++) {
      double height = at.foot[f].pose.position.z - 0.03;
      highest = fmax(highest, height);
      assert_true(height >= -1e-17);
      assert_true(!at.foot[f].down || (fabs(height) < 1e-17 && at.foot[f].velocity.x == 0));
      if (at.foot[f].down && last.foot[f].down) {
        assert_memory_equal(&at.foot[f].pose, &last.foot[f].pose, sizeof(ff_pose));
      }
    }
    last = at;
  }
  assert_close(highest, 0.02, 1e-5);
  ff_walk_destroy(&walk);
}

static void stands_without_steps(void **state) {
  (void)state;
  ff_walk *walk = walk_of(&humanoid.def, straight, 0);
  for (double t = 0; t < ff_walk_duration(walk); t += 0.1) {
    ff_vec3 zmp = tree_zmp(walk, t);
    assert_close(hypot(zmp.x, zmp.y), 0, 1e-9);
    assert_true(ff_walk_at(walk, t).foot[0].down && ff_walk_at(walk, t).foot[1].down);
  }
  ff_walk_destroy(&walk);
}

static void right_foot_first_is_the_mirror_image(void **state) {
  (void)state;
  ff_walk_def def = humanoid.def;
  ff_walk *left = walk_of(&def, straight, 3);
  def.first = FF_WALK_RIGHT;
  ff_walk *right = walk_of(&def, straight, 3);
  for (double t = 0; t < ff_walk_duration(left); t += 0.0213) {
    ff_walk_state a = ff_walk_at(left, t), b = ff_walk_at(right, t);
    assert_close(a.com.x, b.com.x, 1e-9);
    assert_close(a.com.y, -b.com.y, 1e-9);
    assert_close(a.trunk.position.z, b.trunk.position.z, 1e-9);
  }
  ff_walk_destroy(&left);
  ff_walk_destroy(&right);
}

static void margin_is_a_distance(void **state) {
  (void)state;
  ff_walk *walk = walk_of(&humanoid.def, straight, 1);
  /* both soles: 0.1 by 0.078 + 0.06, about the origin */
  assert_close(ff_walk_margin(walk, 0, v3(0, 0, 0)), 0.05, 1e-12);
  assert_close(ff_walk_margin(walk, 0, v3(0, 0.05, 0)), 0.019, 1e-12);
  assert_close(ff_walk_margin(walk, 0, v3(0.08, 0, 0)), -0.03, 1e-12);
  /* the right one alone */
  assert_close(ff_walk_margin(walk, 1.8, v3(0, -0.039, 0)), 0.03, 1e-12);
  assert_close(ff_walk_margin(walk, 1.8, v3(0, 0, 0)), -0.009, 1e-12);
  ff_walk_destroy(&walk);
}

/* ---- what it refuses ---------------------------------------------------------------------------
 */

static void limits_are_respected(void **state) {
  (void)state;
  ff_walk *walk = walk_of(&humanoid.def, (ff_walk_step){0.03, 0, 0.2, 0}, 4);
  double q[COORDINATES];
  for (double t = 0; t < ff_walk_duration(walk); t += 0.0113) {
    ff_walk_joints(walk, t, q, NULL);
    for (int i = 2; i <= ff_tree_link_count(humanoid.tree); i++) {
      ff_link_info info = ff_tree_link(humanoid.tree, i);
      ff_joint_def joint = ff_robot_link_info(humanoid.urdf, i).def.joint;
      assert_true(info.q_count == 0 ||
                  (q[info.q_at] >= joint.lower && q[info.q_at] <= joint.upper));
    }
  }
  ff_walk_destroy(&walk);
}

/* The same robot with a knee that bends to 0.5 rad only. */
static void stiff_knee_is_named(void **state) {
  (void)state;
  ff_link_def links[COORDINATES];
  int count = ff_robot_link_count(humanoid.urdf), knee = find(humanoid.tree, "left_shank");
  for (int i = 0; i < count; i++) {
    links[i] = ff_robot_link_info(humanoid.urdf, i + 1).def;
  }
  links[0].joint.kind = FF_JOINT_FREE;
  links[knee - 1].joint.upper = 0.5;
  ff_tree *tree = NULL;
  assert_int_equal(ff_tree_build(&tree, links, count, NULL), FF_OK);
  ff_walk_def def = humanoid.def;
  def.tree = tree;
  ff_walk *walk = NULL;
  ff_report report;
  assert_int_equal(ff_walk_build(&walk, &def, &straight, 1, &report), FF_ERROR_INPUT);
  assert_null(walk);
  assert_non_null(strstr(report.what, "left_shank"));
  ff_tree_destroy(&tree);
}

static void refused(const ff_walk_def *def, ff_walk_step step, int count, const char *key) {
  ff_walk *walk = NULL;
  ff_report report = {.line = 0};
  assert_int_equal(ff_walk_build(&walk, def, &step, count, &report), FF_ERROR_INPUT);
  assert_null(walk);
  assert_string_equal(report.key, key);
  assert_int_equal(ff_walk_build(&walk, def, &step, count, NULL), FF_ERROR_INPUT);
}

static void bad_input_is_named(void **state) {
  (void)state;
  refused(&humanoid.def, (ff_walk_step){0.3, 0, 0, 0}, 1, "steps"); /* out of reach */
  refused(&humanoid.def, (ff_walk_step){0, 0, 0, 0.1}, 1, "steps[0]");
  refused(&humanoid.def, (ff_walk_step){NAN, 0, 0, 0}, 1, "steps[0]");
  refused(&humanoid.def, straight, -1, "count");
  ff_walk_def def = humanoid.def;
  def.height = 0;
  refused(&def, straight, 1, "height");
  def = humanoid.def;
  def.sample = NAN;
  refused(&def, straight, 1, "sample");
  def = humanoid.def;
  def.lift = -1;
  refused(&def, straight, 1, "lift");
  def = humanoid.def;
  def.left_foot = find(humanoid.tree, "left_forearm");
  refused(&def, straight, 1, "left_foot");
  def.left_foot = 1000;
  refused(&def, straight, 1, "left_foot");
  def = humanoid.def;
  def.horizon = 1e-3;
  refused(&def, straight, 1, "horizon");
}

static void preview_definition_is_checked(void **state) {
  (void)state;
  ff_preview_def def = ff_preview_def_default();
  ff_preview *preview = NULL;
  ff_report report;
  def.jerk_weight = 0;
  assert_int_equal(ff_preview_create(&preview, &def, &report), FF_ERROR_INPUT);
  assert_string_equal(report.key, "jerk_weight");
  assert_null(preview);
}

/* ---- memory ------------------------------------------------------------------------------------
 */

static void sampling_takes_no_memory(void **state) {
  (void)state;
  ff_walk *walk = walk_of(&humanoid.def, straight, 1);
  double q[COORDINATES], v[COORDINATES];
  long before = ff_alloc_count();
  ff_walk_at(walk, 1.7);
  ff_walk_joints(walk, 1.7, q, v);
  ff_walk_margin(walk, 1.7, v3(0, 0, 0));
  assert_int_equal(ff_alloc_count(), before);
  ff_walk_destroy(&walk);
}

static void survives_lack_of_memory(void **state) {
  (void)state;
  ff_walk_def def = humanoid.def;
  def.sample = 0.02;
  def.corrections = 1;
  ff_status status = FF_ERROR_MEMORY;
  for (long n = 1; status != FF_OK; n++) {
    ff_walk *walk = NULL;
    ff_alloc_fail_at(n);
    status = ff_walk_build(&walk, &def, &straight, 1, NULL);
    ff_alloc_fail_at(0);
    assert_true(status == FF_OK ? walk != NULL : status == FF_ERROR_MEMORY && !walk);
    ff_walk_destroy(&walk);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(riccati_equation_holds),
      cmocka_unit_test(gains_ahead_add_up),
      cmocka_unit_test(pendulum_rests_over_its_reference),
      cmocka_unit_test(pendulum_moves_before_the_step),
      cmocka_unit_test(jerk_is_optimal),
      cmocka_unit_test(zmp_stays_in_the_support),
      cmocka_unit_test(corrections_bring_the_tree_to_its_plan),
      cmocka_unit_test(angles_put_feet_and_mass_in_their_places),
      cmocka_unit_test(mass_is_exact_at_samples),
      cmocka_unit_test(velocities_are_continuous),
      cmocka_unit_test(path_is_bounded_and_periodic),
      cmocka_unit_test(waits_for_what_it_can_see),
      cmocka_unit_test(starts_and_stops_at_rest),
      cmocka_unit_test(turns),
      cmocka_unit_test(feet_on_the_ground_stay_there),
      cmocka_unit_test(stands_without_steps),
      cmocka_unit_test(right_foot_first_is_the_mirror_image),
      cmocka_unit_test(margin_is_a_distance),
      cmocka_unit_test(limits_are_respected),
      cmocka_unit_test(stiff_knee_is_named),
      cmocka_unit_test(bad_input_is_named),
      cmocka_unit_test(preview_definition_is_checked),
      cmocka_unit_test(sampling_takes_no_memory),
      cmocka_unit_test(survives_lack_of_memory),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
