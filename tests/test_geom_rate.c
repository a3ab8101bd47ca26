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
                         ff_sample *out) {
  ff_pose pose_a = after(a, time), pose_b = after(b, time);
  return contact_samples(&pair->a, &pose_a, &pair->b, &pose_b, INFINITY, out);
}

static ff_vec3 velocity_at(const moving *m, ff_vec3 point) {
  return v3_add(m->velocity, v3_cross(m->omega, v3_sub(point, m->pose.position)));
}

/* Rate of a quantity of a sample by its gradient. */
static double rate_by(const moving *a, const moving *b, ff_vec3 point, ff_gradient g) {
  ff_vec3 relative = v3_sub(velocity_at(a, point), velocity_at(b, point));
  return v3_dot(g.shift, relative) + v3_dot(g.turn, v3_sub(a->omega, b->omega));
}

static const ff_sample *sample_of(const ff_sample *samples, int count, ff_feature_pair id) {
  for (int i = 0; i < count; i++) {
    if (ff_feature_pair_equal(samples[i].id, id)) {
      return &samples[i];
    }
  }
  return NULL;
}

/* Of numbered points the gradient is minus the normal velocity. */
static void depth_rate_is_that_of_the_gradient(void **state) {
  (void)state;
  uint64_t seed = 11;
  for (int i = 0; i < GEOM_PAIRS * TRIALS; i++) {
    const geom_pair *pair = &geom_pairs[i % GEOM_PAIRS];
    moving a = random_moving(&seed), b = random_moving(&seed);
    ff_sample now[FF_SAMPLES_MAX], before[FF_SAMPLES_MAX], later[FF_SAMPLES_MAX];
    int count = touches_after(pair, &a, &b, 0, now);
    int count_before = touches_after(pair, &a, &b, -STEP, before);
    int count_later = touches_after(pair, &a, &b, STEP, later);
    bool features = ff_manifold_has_features(pair->a.kind, pair->b.kind);
    assert_true(features || count == ff_manifold_limit(pair->a.kind, pair->b.kind));
    for (int k = 0; k < count; k++) {
      const ff_sample *to = sample_of(later, count_later, now[k].id);
      const ff_sample *from = sample_of(before, count_before, now[k].id);
      assert_true(features || (to && from && now[k].d_depth.turn.x == 0));
      if (to && from) {
        double rate = (to->depth - from->depth) / (2 * STEP);
        assert_close(rate, rate_by(&a, &b, now[k].point, now[k].d_depth), TOLERANCE);
      }
    }
  }
}

/* Energy of springs with force depth^1.5, times the weight, at every sample. */
static double stored_after(const geom_pair *pair, const moving *a, const moving *b, double time) {
  ff_sample at[FF_SAMPLES_MAX];
  int count = touches_after(pair, a, b, time, at);
  double sum = 0;
  for (int k = 0; k < count; k++) {
    sum += at[k].weight * 0.4 * pow(fmax(at[k].depth, 0), 2.5);
  }
  return sum;
}

static void check_power(const geom_pair *pair, const moving *a, const moving *b, double step,
                        double tolerance) {
  ff_sample at[FF_SAMPLES_MAX];
  int count = touches_after(pair, a, b, 0, at);
  double power = 0;
  for (int k = 0; k < count; k++) {
    double depth = fmax(at[k].depth, 0), force = pow(depth, 1.5), energy = 0.4 * force * depth;
    power += at[k].weight * force * rate_by(a, b, at[k].point, at[k].d_depth);
    power += energy * rate_by(a, b, at[k].point, at[k].d_weight);
  }
  double rate = (stored_after(pair, a, b, step) - stored_after(pair, a, b, -step)) / (2 * step);
  assert_close(power, rate, tolerance);
}

static void elastic_power_is_the_loss_of_stored_energy(void **state) {
  (void)state;
  uint64_t seed = 17;
  for (int i = 0; i < GEOM_PAIRS * TRIALS; i++) {
    moving a = random_moving(&seed), b = random_moving(&seed);
    check_power(&geom_pairs[i % GEOM_PAIRS], &a, &b, STEP, TOLERANCE);
  }
}

/* A cylinder that all but stands: on its fixed prism, on both, on the turned one. */
static void elastic_power_closes_near_upright(void **state) {
  (void)state;
  uint64_t seed = 19;
  const double tilts[] = {1e-5, 3e-4, 9e-4, 0.0012, 0.0015, 0.0018, 0.003, 0.1, 1.57};
  for (int i = 0; i < 9 * TRIALS; i++) {
    moving a = random_moving(&seed), b = random_moving(&seed);
    b.pose = (ff_pose){v3(0, 0, 0), q_identity()};
    a.pose.position.z = ff_random_in(&seed, 0.3, 0.39);
    ff_quat lean = q_exp(v3(tilts[i % 9], 0, 0));
    a.pose.orientation = q_mul(lean, q_exp(v3(0, 0, ff_random_in(&seed, -3, 3))));
    /* prisms change within 0.001 rad: truncation is about step^2 / 0.001^3 of 0.1 J */
    check_power(&geom_pairs[4], &a, &b, 3e-8, 3e-7);
  }
}

/* Upright, where weights change sides, the energy is continuous. */
static void energy_is_continuous_through_upright(void **state) {
  (void)state;
  uint64_t seed = 29;
  for (int i = 0; i < TRIALS; i++) {
    moving a = random_moving(&seed), b = random_moving(&seed);
    a.pose = (ff_pose){v3(0, 0, ff_random_in(&seed, 0.3, 0.39)), q_identity()};
    b.pose = (ff_pose){v3(0, 0, 0), q_identity()};
    double here = stored_after(&geom_pairs[4], &a, &b, 0);
    assert_close(stored_after(&geom_pairs[4], &a, &b, 1e-9), here, 1e-8 * here + 1e-9 * 2);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(depth_rate_is_that_of_the_gradient),
      cmocka_unit_test(elastic_power_is_the_loss_of_stored_energy),
      cmocka_unit_test(elastic_power_closes_near_upright),
      cmocka_unit_test(energy_is_continuous_through_upright),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
