/* Contact points and samples: how many, which, where, how deep, how curved. */
#include "geom_fixture.h"

static const ff_geom ground = {.kind = FF_HALF_SPACE, .size = {0, 0, 0}};
static const ff_pose level = {{0, 0, 0}, {1, 0, 0, 0}};

/* Touches of a shape on level ground, its lowest point 1 mm deep, turned about x and then y. */
static int press(ff_shape_kind kind, ff_vec3 size, double about_x, double about_y,
                 ff_sample out[FF_SAMPLES_MAX]) {
  ff_geom shape = {.kind = kind, .size = size};
  ff_pose pose = {v3(0, 0, 0), q_mul(q_exp(v3(0, about_y, 0)), q_exp(v3(about_x, 0, 0)))};
  int count = contact_samples(&shape, &pose, &ground, &level, INFINITY, out);
  double deepest = -INFINITY;
  for (int i = 0; i < count; i++) {
    deepest = fmax(deepest, out[i].depth);
  }
  pose.position.z = deepest - 1e-3;
  return contact_samples(&shape, &pose, &ground, &level, 0, out);
}

static void sphere_has_one_point(void **state) {
  (void)state;
  ff_sample touch[FF_SAMPLES_MAX];
  assert_int_equal(press(FF_SPHERE, v3(0.3, 0, 0), 0.4, 0.2, touch), 1);
  assert_close(touch[0].depth, 1e-3, 1e-16);
  assert_close(touch[0].point.z, -1e-3, 1e-16);
  assert_near(touch[0].curvature[0], 1 / 0.3, 1e-15);
  assert_near(touch[0].curvature[1], 1 / 0.3, 1e-15);
}

static void box_has_four_two_or_one(void **state) {
  (void)state;
  ff_sample touch[FF_SAMPLES_MAX];
  ff_vec3 size = v3(0.2, 0.3, 0.4);
  assert_int_equal(press(FF_BOX, size, 0, 0, touch), 4);
  for (int i = 0; i < 4; i++) { /* the lower face: bit of z not set */
    assert_int_equal(touch[i].id.a, i);
    assert_close(touch[i].point.x, i & 1 ? 0.2 : -0.2, 1e-16);
    assert_close(touch[i].point.y, i & 2 ? 0.3 : -0.3, 1e-16);
    assert_close(touch[i].depth, 1e-3, 1e-16);
    assert_true(isinf(touch[i].curvature[0]) && isinf(touch[i].curvature[1]));
  }
  assert_int_equal(press(FF_BOX, size, ff_pi / 4, 0, touch), 2);
  /* turned about x: y rises, so the edge at -y, -z is down */
  assert_int_equal(touch[0].id.a, 0);
  assert_int_equal(touch[1].id.a, 1);
  assert_int_equal(press(FF_BOX, size, 0.5, 0.5, touch), 1);
}

static void capsule_has_two_lying_one_standing(void **state) {
  (void)state;
  ff_sample touch[FF_SAMPLES_MAX];
  ff_vec3 size = v3(0.2, 0.5, 0);
  assert_int_equal(press(FF_CAPSULE, size, 0, ff_pi / 2, touch), 2);
  assert_int_equal(touch[0].id.a, 0);
  assert_int_equal(touch[1].id.a, 1);
  assert_close(touch[0].point.x, -0.5, 1e-15);
  assert_close(touch[1].point.x, 0.5, 1e-15);
  assert_near(touch[1].curvature[0], 5, 1e-15);
  assert_int_equal(press(FF_CAPSULE, size, 0, 0, touch), 1);
  assert_int_equal(touch[0].id.a, 0);
  assert_int_equal(press(FF_CAPSULE, size, ff_pi, 0, touch), 1);
  assert_int_equal(touch[0].id.a, 1);
}

static double sum_of_weights(const ff_sample *samples, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++) {
    sum += samples[i].weight;
  }
  return sum;
}

static void cylinder_has_four_two_or_one(void **state) {
  (void)state;
  ff_sample at[FF_SAMPLES_MAX];
  ff_vec3 size = v3(0.3, 0.4, 0);
  for (int over = 0; over < 2; over++) { /* standing on either cap: corners of the fixed prism */
    assert_int_equal(press(FF_CYLINDER, size, over * ff_pi, 0, at), 4);
    for (int i = 0; i < 4; i++) {
      assert_close(fabs(at[i].point.x), 0.3 * sqrt(0.5), 1e-15);
      assert_close(fabs(at[i].point.y), 0.3 * sqrt(0.5), 1e-15);
      assert_close(at[i].depth, 1e-3, 1e-15);
      assert_close(at[i].weight, 1, 0);
    }
  }
  assert_int_equal(press(FF_CYLINDER, size, ff_pi / 2, 0, at), 2);
  assert_close(at[0].weight, 1, 0);
  assert_close(at[1].weight, 1, 0);
  assert_int_equal(press(FF_CYLINDER, size, 0.5, 0, at), 1);
  assert_close(at[0].weight, 1, 0);
  assert_true(isinf(at[0].curvature[0]) && isinf(at[0].curvature[1]));
}

/* However a cylinder leans, each cap has corners of weight four, its deepest sample is its lowest
 * point, and samples lie on its rims. */
static void samples_of_a_leaning_cylinder(void **state) {
  (void)state;
  const double tilts[] = {0, 1e-13, 1e-9, 1e-6, 5e-4, 0.005, 0.018, 0.3, 1.57, 3.1};
  ff_geom can = {.kind = FF_CYLINDER, .size = {0.3, 0.4, 0}};
  for (int i = 0; i < 10; i++) {
    ff_pose pose = {v3(0.1, 0.2, 0.3), q_exp(v3(0.6 * tilts[i], 0.8 * tilts[i], 0))};
    ff_vec3 low =
        pose_point(pose, ff_geom_support(&can, q_unrotate(pose.orientation, v3(0, 0, -1))));
    ff_sample at[FF_SAMPLES_MAX];
    int count = contact_samples(&can, &pose, &ground, &level, INFINITY, at);
    double deepest = -INFINITY;
    for (int k = 0; k < count; k++) {
      ff_vec3 place = v3_axpy(at[k].point, -0.5 * at[k].depth, v3(0, 0, 1));
      ff_vec3 arm = q_unrotate(pose.orientation, v3_sub(place, pose.position));
      deepest = fmax(deepest, at[k].depth);
      assert_close(fabs(arm.z), 0.4, 1e-15);
      assert_close(sqrt(arm.x * arm.x + arm.y * arm.y), 0.3, 1e-15);
      assert_close(at[k].depth, -place.z, 1e-15);
    }
    /* the fixed prism of one that stands leaves up to 0.3 r (1 - cos 45 deg) of the tilt */
    bool turned = tilts[i] > 0.02;
    assert_close(deepest, -low.z, turned ? 1e-15 : 0.1 * tilts[i] + 1e-15);
    assert_close(sum_of_weights(at, count), 8, 1e-12);
  }
}

static void ellipsoid_point_is_the_lowest(void **state) {
  (void)state;
  uint64_t seed = 5;
  ff_geom egg = {.kind = FF_ELLIPSOID, .size = {0.2, 0.5, 0.35}};
  for (int i = 0; i < 100; i++) {
    ff_pose pose = random_pose(&seed, 1);
    ff_sample touch[FF_SAMPLES_MAX];
    assert_int_equal(contact_samples(&egg, &pose, &ground, &level, INFINITY, touch), 1);
    assert_close(touch[0].depth, -touch[0].point.z, 1e-15);
    ff_vec3 p = q_unrotate(pose.orientation, v3_sub(touch[0].point, pose.position));
    ff_vec3 q = v3(p.x / 0.2, p.y / 0.5, p.z / 0.35);
    assert_close(v3_dot(q, q), 1, 1e-14); /* on the surface */
    for (int k = 0; k < 50; k++) {        /* and no other point of it is lower */
      ff_vec3 other = v3_mul(egg.size, v3_unit(random_vec(&seed, 1)));
      assert_true(pose_point(pose, other).z >= touch[0].point.z - 1e-15);
    }
  }
}

static void ellipsoid_curvature_at_the_ends_of_its_axes(void **state) {
  (void)state;
  ff_sample touch[FF_SAMPLES_MAX];
  ff_vec3 s = v3(0.2, 0.5, 0.35);
  /* at the end of semi-axis c: c/a^2 and c/b^2 */
  press(FF_ELLIPSOID, s, 0, 0, touch);
  assert_near(touch[0].curvature[0], 0.35 / 0.04, 1e-14);
  assert_near(touch[0].curvature[1], 0.35 / 0.25, 1e-14);
  press(FF_ELLIPSOID, s, ff_pi / 2, 0, touch);
  assert_near(touch[0].curvature[0], 0.5 / 0.04, 1e-14);
  assert_near(touch[0].curvature[1], 0.5 / 0.1225, 1e-14);
  press(FF_ELLIPSOID, s, 0, ff_pi / 2, touch);
  assert_near(touch[0].curvature[0], 0.2 / 0.1225, 1e-14);
  assert_near(touch[0].curvature[1], 0.2 / 0.25, 1e-14);
}

/* Height of the ellipsoid's surface above the lowest point's tangent plane at a small
 * sideways step u from it, along the vertical: the lower root of a quadratic. */
static double rise(const ff_geom *egg, const ff_pose *pose, ff_vec3 lowest, ff_vec3 u) {
  ff_vec3 s = egg->size, inverse = v3(1 / s.x, 1 / s.y, 1 / s.z);
  ff_vec3 from = v3_sub(v3_add(lowest, u), pose->position);
  ff_vec3 p = v3_mul(inverse, q_unrotate(pose->orientation, from));
  ff_vec3 d = v3_mul(inverse, q_unrotate(pose->orientation, v3(0, 0, 1)));
  double a = v3_dot(d, d), b = v3_dot(p, d), c = v3_dot(p, p) - 1;
  return c / (-b + sqrt(b * b - a * c));
}

/* The second differences of that height are the curvature matrix. */
static void ellipsoid_curvature_against_finite_differences(void **state) {
  (void)state;
  uint64_t seed = 7;
  ff_geom egg = {.kind = FF_ELLIPSOID, .size = {0.2, 0.5, 0.35}};
  const double h = 1e-4; /* fourth derivatives of order 1e3: truncation 1e-5; rounding 1e-8 */
  for (int i = 0; i < 100; i++) {
    ff_pose pose = random_pose(&seed, 1);
    ff_sample touch[FF_SAMPLES_MAX];
    contact_samples(&egg, &pose, &ground, &level, INFINITY, touch);
    ff_vec3 p = touch[0].point;
    double xx = (rise(&egg, &pose, p, v3(h, 0, 0)) + rise(&egg, &pose, p, v3(-h, 0, 0))) / (h * h);
    double yy = (rise(&egg, &pose, p, v3(0, h, 0)) + rise(&egg, &pose, p, v3(0, -h, 0))) / (h * h);
    double up = rise(&egg, &pose, p, v3(h, h, 0)) + rise(&egg, &pose, p, v3(-h, -h, 0));
    double across = rise(&egg, &pose, p, v3(h, -h, 0)) + rise(&egg, &pose, p, v3(-h, h, 0));
    double xy = (up - across) / (4 * h * h);
    double middle = (xx + yy) / 2, spread = sqrt((xx - yy) * (xx - yy) / 4 + xy * xy);
    assert_near(touch[0].curvature[0], middle + spread, 1e-5);
    assert_near(touch[0].curvature[1], middle - spread, 1e-5);
  }
}

static void round_ellipsoid_is_a_sphere(void **state) {
  (void)state;
  uint64_t seed = 9;
  ff_geom round = {.kind = FF_ELLIPSOID, .size = {0.3, 0.3, 0.3}},
          ball = {.kind = FF_SPHERE, .size = {0.3, 0, 0}};
  for (int i = 0; i < 100; i++) {
    ff_pose pose = random_pose(&seed, 1), plane = random_pose(&seed, 1);
    ff_sample as_egg[FF_SAMPLES_MAX], as_ball[FF_SAMPLES_MAX];
    assert_int_equal(contact_samples(&round, &pose, &ground, &plane, INFINITY, as_egg), 1);
    assert_int_equal(contact_samples(&ball, &pose, &ground, &plane, INFINITY, as_ball), 1);
    assert_close(as_egg[0].depth, as_ball[0].depth, 1e-15);
    assert_close(v3_norm(v3_sub(as_egg[0].point, as_ball[0].point)), 0, 1e-15);
    assert_near(as_egg[0].curvature[0], 1 / 0.3, 1e-14);
    assert_near(as_egg[0].curvature[1], 1 / 0.3, 1e-14);
    assert_true(as_egg[0].curvature[0] >= as_egg[0].curvature[1]);
  }
}

static void spheres_meet_in_the_middle_of_the_overlap(void **state) {
  (void)state;
  ff_geom a = {.kind = FF_SPHERE, .size = {0.3, 0, 0}},
          b = {.kind = FF_SPHERE, .size = {0.5, 0, 0}};
  ff_pose pose_a = {v3(1.7, 2, 3), q_identity()}, pose_b = {v3(1, 2, 3), q_exp(v3(1, 1, 1))};
  ff_sample touch[FF_SAMPLES_MAX];
  assert_int_equal(contact_samples(&a, &pose_a, &b, &pose_b, 0, touch), 1);
  assert_close(touch[0].depth, 0.1, 1e-15);
  assert_close(v3_norm(v3_sub(touch[0].normal, v3(1, 0, 0))), 0, 1e-15);
  /* a reaches down to 1.4, b up to 1.5 */
  assert_close(v3_norm(v3_sub(touch[0].point, v3(1.45, 2, 3))), 0, 1e-15);
  assert_near(touch[0].curvature[0], 1 / 0.3 + 2, 1e-15);
  assert_near(touch[0].curvature[1], 1 / 0.3 + 2, 1e-15);
}

static void spheres_in_one_place_part_upwards(void **state) {
  (void)state;
  ff_geom a = {.kind = FF_SPHERE, .size = {0.3, 0, 0}},
          b = {.kind = FF_SPHERE, .size = {0.5, 0, 0}};
  ff_sample touch[FF_SAMPLES_MAX];
  assert_int_equal(contact_samples(&a, &level, &b, &level, 0, touch), 1);
  assert_true(touch[0].normal.z == 1 && v3_finite(touch[0].point) && v3_finite(touch[0].t1));
  assert_close(touch[0].depth, 0.8, 1e-15);
}

static void frames_are_orthonormal_and_lie_on_b(void **state) {
  (void)state;
  uint64_t seed = 21;
  for (int i = 0; i < 50 * GEOM_PAIRS; i++) {
    const geom_pair *pair = &geom_pairs[i % GEOM_PAIRS];
    ff_pose a = random_pose(&seed, 0.5), b = random_pose(&seed, 0.5);
    ff_sample touch[FF_SAMPLES_MAX];
    int count = contact_samples(&pair->a, &a, &pair->b, &b, INFINITY, touch);
    for (int k = 0; k < count; k++) {
      assert_close(v3_norm(touch[k].normal), 1, 1e-15);
      assert_close(v3_norm(touch[k].t1), 1, 1e-15);
      assert_close(v3_dot(touch[k].normal, touch[k].t1), 0, 1e-15);
      if (pair->b.kind == FF_HALF_SPACE) { /* the axes of its frame: they turn with it */
        ff_vec3 up = q_rotate(b.orientation, v3(0, 0, 1));
        ff_vec3 t1 = q_rotate(b.orientation, v3(1, 0, 0));
        assert_close(v3_norm(v3_sub(touch[k].normal, up)), 0, 1e-15);
        assert_close(v3_norm(v3_sub(touch[k].t1, t1)), 0, 1e-15);
      }
    }
  }
}

static void common_motion_changes_nothing(void **state) {
  (void)state;
  uint64_t seed = 23;
  for (int i = 0; i < 50 * GEOM_PAIRS; i++) {
    const geom_pair *pair = &geom_pairs[i % GEOM_PAIRS];
    ff_pose a = random_pose(&seed, 0.5), b = random_pose(&seed, 0.5);
    ff_pose move = random_pose(&seed, 2), moved_a = pose_mul(move, a), moved_b = pose_mul(move, b);
    ff_sample here[FF_SAMPLES_MAX], there[FF_SAMPLES_MAX];
    int count = contact_samples(&pair->a, &a, &pair->b, &b, 0.1, here);
    assert_int_equal(contact_samples(&pair->a, &moved_a, &pair->b, &moved_b, 0.1, there), count);
    for (int k = 0; k < count; k++) { /* lengths of order 1: a few roundings */
      assert_int_equal(here[k].id.a, there[k].id.a);
      assert_close(there[k].depth, here[k].depth, 2e-14);
      assert_close(v3_norm(v3_sub(there[k].point, pose_point(move, here[k].point))), 0, 2e-14);
      ff_vec3 normal = q_rotate(move.orientation, here[k].normal);
      assert_close(v3_norm(v3_sub(there[k].normal, normal)), 0, 2e-14);
      if (isfinite(here[k].curvature[0])) {
        assert_near(there[k].curvature[0], here[k].curvature[0], 1e-13);
        assert_near(there[k].curvature[1], here[k].curvature[1], 1e-13);
      }
    }
  }
}

/* What a margin returns are the points of a wider one that are deep enough, in order. */
static void margin_cuts_and_features_ascend(void **state) {
  (void)state;
  uint64_t seed = 25;
  for (int i = 0; i < 100 * GEOM_PAIRS; i++) {
    const geom_pair *pair = &geom_pairs[i % GEOM_PAIRS];
    if (ff_manifold_has_features(pair->a.kind, pair->b.kind)) {
      continue; /* ids are those of features */
    }
    ff_pose a = random_pose(&seed, 0.5), b = random_pose(&seed, 0.5);
    double margin = ff_random_in(&seed, -0.2, 0.5);
    ff_sample all[FF_SAMPLES_MAX], near[FF_SAMPLES_MAX];
    int total = contact_samples(&pair->a, &a, &pair->b, &b, INFINITY, all);
    int count = contact_samples(&pair->a, &a, &pair->b, &b, margin, near), expected = 0;
    for (int k = 0; k < total; k++) {
      assert_int_equal(all[k].id.a, k);
      if (all[k].depth > -margin) {
        assert_true(expected < count);
        assert_int_equal(near[expected].id.a, k);
        assert_true(near[expected].depth == all[k].depth);
        expected++;
      }
    }
    assert_int_equal(count, expected);
  }
}

static void margin_is_exclusive(void **state) {
  (void)state;
  ff_geom ball = {.kind = FF_SPHERE, .size = {0.5, 0, 0}};
  ff_pose above = {v3(0, 0, 0.75), q_identity()}; /* depth -0.25, exactly */
  ff_sample touch[FF_SAMPLES_MAX];
  assert_int_equal(contact_samples(&ball, &above, &ground, &level, 0.25, touch), 0);
  assert_int_equal(contact_samples(&ball, &above, &ground, &level, 0.2500001, touch), 1);
}

/* A feature stays with its corner while the box rolls from one face over an edge. */
static void features_stay_with_the_shape(void **state) {
  (void)state;
  ff_geom box = {.kind = FF_BOX, .size = {0.2, 0.3, 0.4}};
  for (int i = 0; i < 100; i++) {
    ff_pose pose = {v3(0, 0, 0.3), q_exp(v3(0.02 * i, 0.01 * i, 0))};
    ff_sample touch[FF_SAMPLES_MAX];
    int count = contact_samples(&box, &pose, &ground, &level, 0, touch);
    assert_true(count > 0);
    for (int k = 0; k < count; k++) {
      int f = touch[k].id.a;
      ff_vec3 corner = v3(f & 1 ? 0.2 : -0.2, f & 2 ? 0.3 : -0.3, f & 4 ? 0.4 : -0.4);
      assert_close(v3_norm(v3_sub(touch[k].point, pose_point(pose, corner))), 0, 1e-15);
    }
  }
}

static void kinds_that_can_touch(void **state) {
  (void)state;
  for (int a = 0; a < FF_SHAPE_KIND_COUNT; a++) {
    for (int b = 0; b < FF_SHAPE_KIND_COUNT; b++) {
      bool can = ff_manifold_limit((ff_shape_kind)a, (ff_shape_kind)b) > 0;
      assert_int_equal(can, a != FF_HALF_SPACE || b != FF_HALF_SPACE);
      int orders = ff_manifold_in_order((ff_shape_kind)a, (ff_shape_kind)b) +
                   ff_manifold_in_order((ff_shape_kind)b, (ff_shape_kind)a);
      assert_true(!can || orders == (a == b ? 2 : 1)); /* each pair in one order only */
      int limit = ff_manifold_limit((ff_shape_kind)a, (ff_shape_kind)b);
      assert_int_equal(limit > 0, can);
      assert_int_equal(limit, ff_manifold_limit((ff_shape_kind)b, (ff_shape_kind)a));
      assert_true(limit <= FF_SAMPLES_MAX);
    }
  }
  assert_int_equal(ff_manifold_limit(FF_BOX, FF_HALF_SPACE), 8);
  assert_int_equal(ff_manifold_limit(FF_CAPSULE, FF_HALF_SPACE), 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sphere_has_one_point),
      cmocka_unit_test(box_has_four_two_or_one),
      cmocka_unit_test(capsule_has_two_lying_one_standing),
      cmocka_unit_test(cylinder_has_four_two_or_one),
      cmocka_unit_test(samples_of_a_leaning_cylinder),
      cmocka_unit_test(ellipsoid_point_is_the_lowest),
      cmocka_unit_test(ellipsoid_curvature_at_the_ends_of_its_axes),
      cmocka_unit_test(ellipsoid_curvature_against_finite_differences),
      cmocka_unit_test(round_ellipsoid_is_a_sphere),
      cmocka_unit_test(spheres_meet_in_the_middle_of_the_overlap),
      cmocka_unit_test(spheres_in_one_place_part_upwards),
      cmocka_unit_test(frames_are_orthonormal_and_lie_on_b),
      cmocka_unit_test(common_motion_changes_nothing),
      cmocka_unit_test(margin_cuts_and_features_ascend),
      cmocka_unit_test(margin_is_exclusive),
      cmocka_unit_test(features_stay_with_the_shape),
      cmocka_unit_test(kinds_that_can_touch),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
