/* Depth must change as the bodies move at the point: else forces at it make energy. */
#include "geom_fixture.h"

enum { TRIALS = 200 };
/* Central differences: rounding 1e-16 / STEP = 1e-10, truncation of order STEP^2, but for
 * the energy of a point that is just touching, with its third derivative unbounded,
 * STEP^1.5 = 1e-9. */
static const double STEP = 1e-6;
static const double TOLERANCE = 1e-8;

typedef struct moving {
  ff_pose pose;
  ff_vec3 velocity, omega; /* of the frame's origin, world */
} moving;

static moving random_moving(uint64_t *seed) {
  moving m;
  m.pose = random_pose(seed, 0.5);
  m.velocity = random_vec(seed, 1);
  m.omega = random_vec(seed, 1);
  return m;
}

static ff_pose after(const moving *m, double time) {
  return (ff_pose){v3_axpy(m->pose.position, time, m->velocity),
                   q_mul(q_exp(v3_scale(time, m->omega)), m->pose.orientation)};
}

static int touches_after(const geom_pair *pair, const moving *a, const moving *b, double time,
                         ff_touch *out) {
  ff_pose pose_a = after(a, time), pose_b = after(b, time);
  return ff_geom_touch(&pair->a, &pose_a, &pair->b, &pose_b, INFINITY, out);
}

static ff_vec3 velocity_at(const moving *m, ff_vec3 point) {
  return v3_add(m->velocity, v3_cross(m->omega, v3_sub(point, m->pose.position)));
}

/* Normal velocity of a relative to b, positive when parting. */
static double parting(const moving *a, const moving *b, const ff_touch *touch) {
  return v3_dot(touch->normal, v3_sub(velocity_at(a, touch->point), velocity_at(b, touch->point)));
}

static bool wanders(const geom_pair *pair, int feature) {
  return pair->a.kind == FF_CYLINDER && feature % 2 == 1;
}

static void depth_rate_is_minus_the_normal_velocity(void **state) {
  (void)state;
  uint64_t seed = 11;
  for (int i = 0; i < GEOM_PAIRS * TRIALS; i++) {
    const geom_pair *pair = &geom_pairs[i % GEOM_PAIRS];
    moving a = random_moving(&seed), b = random_moving(&seed);
    ff_touch now[FF_TOUCH_MAX], before[FF_TOUCH_MAX], later[FF_TOUCH_MAX];
    int count = touches_after(pair, &a, &b, 0, now);
    touches_after(pair, &a, &b, -STEP, before);
    touches_after(pair, &a, &b, STEP, later);
    assert_int_equal(count, ff_geom_touch_limit(pair->a.kind, pair->b.kind));
    for (int k = 0; k < count; k++) {
      double rate = (later[k].depth - before[k].depth) / (2 * STEP);
      if (!wanders(pair, now[k].feature)) {
        assert_close(rate, -parting(&a, &b, &now[k]), TOLERANCE);
      }
    }
  }
}

enum { RIM_POINTS = 8 }; /* of a cylinder on a half-space */

static void side_points_of_a_rim_keep_the_rule_together(void **state) {
  (void)state;
  uint64_t seed = 13;
  const geom_pair *pair = &geom_pairs[4];
  for (int i = 0; i < TRIALS; i++) {
    moving a = random_moving(&seed), b = random_moving(&seed);
    ff_touch now[FF_TOUCH_MAX], before[FF_TOUCH_MAX], later[FF_TOUCH_MAX];
    touches_after(pair, &a, &b, 0, now);
    touches_after(pair, &a, &b, -STEP, before);
    touches_after(pair, &a, &b, STEP, later);
    for (int k = 1; k < RIM_POINTS; k += 4) {
      assert_true(now[k].depth == now[k + 2].depth);
      double rate = (later[k].depth - before[k].depth) / (2 * STEP);
      double mean = 0.5 * (parting(&a, &b, &now[k]) + parting(&a, &b, &now[k + 2]));
      assert_close(rate, -mean, TOLERANCE);
    }
  }
}

/* Energy of springs with force depth^1.5 at every point. */
static double stored_after(const geom_pair *pair, const moving *a, const moving *b, double time) {
  ff_touch touch[FF_TOUCH_MAX];
  int count = touches_after(pair, a, b, time, touch);
  double sum = 0;
  for (int k = 0; k < count; k++) {
    sum += 0.4 * pow(fmax(touch[k].depth, 0), 2.5);
  }
  return sum;
}

static void check_power(const geom_pair *pair, const moving *a, const moving *b) {
  ff_touch touch[FF_TOUCH_MAX];
  int count = touches_after(pair, a, b, 0, touch);
  double power = 0;
  for (int k = 0; k < count; k++) {
    power += pow(fmax(touch[k].depth, 0), 1.5) * parting(a, b, &touch[k]);
  }
  double rate = (stored_after(pair, a, b, STEP) - stored_after(pair, a, b, -STEP)) / (2 * STEP);
  assert_close(power, -rate, TOLERANCE);
}

static void elastic_power_is_the_loss_of_stored_energy(void **state) {
  (void)state;
  uint64_t seed = 17;
  for (int i = 0; i < GEOM_PAIRS * TRIALS; i++) {
    moving a = random_moving(&seed), b = random_moving(&seed);
    check_power(&geom_pairs[i % GEOM_PAIRS], &a, &b);
  }
}

/* A cylinder that all but stands, or stands, where its deepest direction is undecided. */
static void elastic_power_closes_near_upright(void **state) {
  (void)state;
  uint64_t seed = 19;
  const double tilts[] = {0, 1e-14, 1e-11, 1e-8, 1e-3, 0.1, 1.5707963};
  for (int i = 0; i < 7 * TRIALS; i++) {
    moving a = random_moving(&seed), b = random_moving(&seed);
    b.pose = (ff_pose){v3(0, 0, 0), q_identity()};
    a.pose.position.z = ff_random_in(&seed, 0.2, 0.39);
    ff_quat lean = q_exp(v3(tilts[i % 7], 0, 0));
    a.pose.orientation = q_mul(lean, q_exp(v3(0, 0, ff_random_in(&seed, -3, 3))));
    check_power(&geom_pairs[4], &a, &b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(depth_rate_is_minus_the_normal_velocity),
      cmocka_unit_test(side_points_of_a_rim_keep_the_rule_together),
      cmocka_unit_test(elastic_power_is_the_loss_of_stored_energy),
      cmocka_unit_test(elastic_power_closes_near_upright),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
