/* Shapes with rounded edges: how deep they are, and that this moves as they do. */
#include "geom_fixture.h"

static const ff_geom card = {.kind = FF_BOX, .size = {.0015, .03, .044}};
static const ff_geom brick = {.kind = FF_BOX, .size = {.02, .03, .05}};
static const double ROUND = 3e-4;

static double deepest(const ff_pose *a, const ff_pose *b) {
  ff_touch out[FF_TOUCH_MAX];
  int count = ff_geom_touch_rounded(&card, a, &brick, b, ROUND, INFINITY, out);
  double depth = -INFINITY;
  for (int i = 0; i < count; i++) {
    depth = fmax(depth, out[i].depth);
  }
  return depth;
}

/* A pair that just touches: a is moved along the line of centres until it does. */
static bool touching_pair(uint64_t *seed, ff_pose *a, ff_pose *b) {
  *a = random_pose(seed, 0);
  *b = random_pose(seed, 0);
  ff_vec3 way = v3_unit(random_vec(seed, 1));
  double near = 0.02, far = 0.2;
  for (int i = 0; i < 40; i++) {
    double middle = 0.5 * (near + far);
    a->position = v3_scale(middle, way);
    *(deepest(a, b) > 1e-4 ? &near : &far) = middle;
  }
  return far - near < 1e-9;
}

/* Where parts that touch give way to others they are as deep. Jumps remain where the deepest point
 * is one that no corner names. */
static void depth_is_continuous(void **state) {
  (void)state;
  uint64_t seed = 5;
  int jumps = 0;
  for (int trial = 0; trial < 300; trial++) {
    ff_pose a, b;
    assert_true(touching_pair(&seed, &a, &b));
    ff_vec3 turn = random_vec(&seed, 1e-3), shift = random_vec(&seed, 1e-4);
    double last = deepest(&a, &b), steps = 50;
    for (int k = 1; k <= steps; k++) {
      a.position = v3_axpy(a.position, 1 / steps, shift);
      a.orientation = q_mul(q_exp(v3_scale(1 / steps, turn)), a.orientation);
      double now = deepest(&a, &b), most = (v3_norm(shift) + 0.06 * v3_norm(turn)) / steps;
      jumps += !(fabs(now - last) < 1.01 * most);
      last = now;
    }
  }
  assert_true(jumps <= 3); /* 1 of 15000 */
}

/* Of every point between the same parts of the two. */
static void depth_rate_is_minus_the_normal_velocity(void **state) {
  (void)state;
  uint64_t seed = 6;
  const double step = 1e-7; /* of normals that turn within 1e-4: truncation 1e-6 */
  for (int trial = 0; trial < 300; trial++) {
    ff_pose a, b;
    assert_true(touching_pair(&seed, &a, &b));
    ff_touch now[FF_TOUCH_MAX];
    ff_vec3 v = random_vec(&seed, 1), w = random_vec(&seed, 1);
    int count = ff_geom_touch_rounded(&card, &a, &brick, &b, ROUND, 0, now);
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
      ff_touch up = now[i], down = now[i];
      ff_pose later = {v3_axpy(a.position, step, v),
                       q_mul(q_exp(v3_scale(step, w)), a.orientation)};
      ff_pose before = {v3_axpy(a.position, -step, v),
                        q_mul(q_exp(v3_scale(-step, w)), a.orientation)};
      ff_touch_look(&card, &later, &brick, &b, ROUND, &up);
      ff_touch_look(&card, &before, &brick, &b, ROUND, &down);
      ff_vec3 motion = v3_add(v, v3_cross(w, v3_sub(now[i].point, a.position)));
      assert_close((up.depth - down.depth) / (2 * step), -v3_dot(now[i].normal, motion), 1e-5);
    }
  }
}

/* Flat on one another they are sharp boxes; edge on edge the normal lies between. */
static void rounded_where_it_matters(void **state) {
  (void)state;
  ff_touch out[FF_TOUCH_MAX];
  ff_pose b = {{0, 0, 0}, {1, 0, 0, 0}}, a = {{0, 0, .1 - 1e-5}, {1, 0, 0, 0}};
  assert_int_equal(ff_geom_touch_rounded(&brick, &a, &brick, &b, ROUND, 0, out), 4);
  for (int i = 0; i < 4; i++) {
    assert_close(out[i].depth, 1e-5, 1e-15);
    assert_close(out[i].normal.z, 1, 1e-15);
  }
  double lean = 0.35, gap = ROUND * (cos(lean) + sin(lean) - 1); /* what rounding takes off */
  double aside = .044 * sin(lean) + .0015 * cos(lean) - gap - 1e-5;
  ff_pose left = {{-aside, 0, 0}, q_exp(v3(0, lean, 0))},
          right = {{aside, 0, 0}, q_exp(v3(0, -lean, 0))};
  assert_int_equal(ff_geom_touch_rounded(&card, &left, &card, &right, ROUND, 0, out), 2);
  for (int i = 0; i < 2; i++) {
    assert_close(out[i].depth, 2e-5, 1e-12);
    assert_close(out[i].normal.x, -1, 1e-12);
  }
}

/* A cylinder that rocks on a face through the level: no depth leaps and each moves as its point
 * does, whether it stands, leans or lies. */
static void caps_rock_through_the_level(void **state) {
  (void)state;
  const ff_geom can = {.kind = FF_CYLINDER, .size = {.04, .05, 0}};
  const ff_geom block = {.kind = FF_BOX, .size = {.1, .1, .05}};
  const ff_pose b = {{0, 0, 0}, {1, 0, 0, 0}};
  const double step = 1e-6, most = ROUND / 40; /* the dome bends within 1e-4 of the radius */
  uint64_t seed = 8;
  for (int trial = 0; trial < 60; trial++) {
    double lean = trial % 3 == 0 ? most : trial % 3 == 1 ? 0.1 : 1.6;
    ff_vec3 turn = random_vec(&seed, lean), spin = random_vec(&seed, 1);
    turn.z = 0;
    ff_touch now[FF_TOUCH_MAX], then[FF_TOUCH_MAX];
    ff_pose at = {{.01, 0, .2}, q_exp(turn)}, next;
    int count = ff_geom_touch_rounded(&can, &at, &block, &b, ROUND, INFINITY, now);
    double deepest = -INFINITY;
    for (int i = 0; i < count; i++) {
      deepest = fmax(deepest, now[i].depth);
    }
    at.position.z += deepest - 1e-4; /* now it touches */
    next = (ff_pose){at.position, q_mul(q_exp(v3_scale(step, spin)), at.orientation)};
    assert_int_equal(ff_geom_touch_rounded(&can, &at, &block, &b, ROUND, INFINITY, now), 8);
    assert_int_equal(ff_geom_touch_rounded(&can, &next, &block, &b, ROUND, INFINITY, then), 8);
    for (int i = 0; i < 8; i++) {
      ff_vec3 motion = v3_cross(spin, v3_sub(now[i].point, at.position));
      if (now[i].depth > -0.1) { /* and not out of reach */
        assert_close((then[i].depth - now[i].depth) / step, -v3_dot(now[i].normal, motion), 2e-4);
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(depth_is_continuous),
      cmocka_unit_test(depth_rate_is_minus_the_normal_velocity),
      cmocka_unit_test(caps_rock_through_the_level),
      cmocka_unit_test(rounded_where_it_matters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
