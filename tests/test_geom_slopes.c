/* How touches change with the pose of a body, against differences of touches. */
#include "geom/geom.h"
#include "math/vec.h"
#include "solids.h"
#include "testing.h"

static ff_vec3 random_vector(uint64_t *seed, double size) {
  return v3(ff_random_in(seed, -size, size), ff_random_in(seed, -size, size),
            ff_random_in(seed, -size, size));
}

static ff_geom random_solid(uint64_t *seed) {
  double radius = ff_random_in(seed, 0.05, 0.2);
  ff_vec3 axes = v3(radius, ff_random_in(seed, 0.05, 0.2), ff_random_in(seed, 0.05, 0.2));
  bool round = ff_random(seed) < 0.3;
  return (ff_geom){.kind = round ? FF_SPHERE : FF_ELLIPSOID, .size = axes};
}

/* Two that lie in one another by some per cent, or are a little apart. */
static ff_sample meet(uint64_t *seed, const ff_geom *a, ff_pose *at_a, const ff_geom *b,
                      ff_pose *at_b) {
  ff_sample touch[FF_SAMPLES_MAX];
  *at_b = (ff_pose){random_vector(seed, 1), q_exp(random_vector(seed, 2))};
  ff_vec3 away = v3_unit(random_vector(seed, 1));
  *at_a = (ff_pose){v3_axpy(at_b->position, 0.3, away), q_exp(random_vector(seed, 2))};
  assert_int_equal(contact_samples(a, at_a, b, at_b, INFINITY, touch), 1);
  double closer = -touch[0].depth + ff_random_in(seed, -0.01, 0.02);
  at_a->position = v3_axpy(at_a->position, -closer, touch[0].normal);
  assert_int_equal(contact_samples(a, at_a, b, at_b, INFINITY, touch), 1);
  return touch[0];
}

/* Shifted along world axis k, or from 3 on turned about it. */
static ff_pose moved(const ff_pose *from, int k, double by) {
  ff_pose out = *from;
  ff_vec3 axis = v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
  if (k < 3) {
    out.position = v3_axpy(out.position, by, axis);
  } else {
    out.orientation = q_mul(q_exp(v3_scale(by, axis)), out.orientation);
  }
  return out;
}

static void column_is(const ff_mat3 *m, int k, ff_vec3 up, ff_vec3 down, double step, double size) {
  ff_vec3 slope = v3_scale(0.5 / step, v3_sub(up, down));
  const double *expected[3] = {&slope.x, &slope.y, &slope.z};
  for (int i = 0; i < 3; i++) {
    assert_close(m->m[i][k], *expected[i], 2e-7 * size);
  }
}

/* Central differences are right to the square of the step; curvatures of 20 to 80 per metre. */
static void slopes_of_ellipsoids_are_differences(void **state) {
  (void)state;
  uint64_t seed = 11;
  const double step = 1e-6;
  for (int round = 0; round < 500; round++) {
    ff_geom a = random_solid(&seed), b = random_solid(&seed);
    if (!ff_manifold_in_order(a.kind, b.kind)) {
      continue;
    }
    ff_pose at_a, at_b;
    ff_sample touch = meet(&seed, &a, &at_a, &b, &at_b), up[FF_SAMPLES_MAX], down[FF_SAMPLES_MAX];
    ff_touch_slopes slopes;
    assert_true(ff_geom_slopes(&a, &at_a, &b, &at_b, touch.normal, &slopes));
    for (int k = 0; k < 6; k++) {
      ff_pose more = moved(&at_a, k, step), less = moved(&at_a, k, -step);
      contact_samples(&a, &more, &b, &at_b, INFINITY, up);
      contact_samples(&a, &less, &b, &at_b, INFINITY, down);
      column_is(&slopes.point[k / 3], k % 3, up->point, down->point, step, 1);
      column_is(&slopes.normal[k / 3], k % 3, up->normal, down->normal, step, 20);
    }
  }
}

static void other_kinds_are_not_known(void **state) {
  (void)state;
  ff_geom a = {.kind = FF_SPHERE, .size = {1, 1, 1}}, b = {.kind = FF_BOX, .size = {1, 1, 1}};
  ff_pose at = {{0, 0, 0}, {1, 0, 0, 0}};
  ff_touch_slopes slopes;
  assert_false(ff_geom_slopes(&a, &at, &b, &at, v3(0, 0, 1), &slopes));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slopes_of_ellipsoids_are_differences),
      cmocka_unit_test(other_kinds_are_not_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
