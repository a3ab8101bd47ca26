/* Convex shapes on one another: against constructions, brute force and each other. */
#include "geom/distance.h"
#include "geom_fixture.h"
#include "worlds.h"

/* The deepest touch; shapes that may have several points have a place for each. */
static ff_sample touch_of(ff_geom a, ff_pose pose_a, ff_geom b, ff_pose pose_b) {
  ff_sample out[FF_SAMPLES_MAX];
  int count = contact_samples(&a, &pose_a, &b, &pose_b, INFINITY, out), best = 0;
  assert_in_range(count, 1, ff_manifold_limit(a.kind, b.kind));
  for (int i = 1; i < count; i++) {
    best = out[i].depth > out[best].depth ? i : best;
  }
  return out[best];
}

static ff_distance distance_of(ff_geom a, ff_pose pose_a, ff_geom b, ff_pose pose_b) {
  ff_distance out;
  ff_distance_query(&out, &a, &pose_a, &b, &pose_b, INFINITY);
  return out;
}

static double between(ff_vec3 a, ff_vec3 b) {
  return v3_norm(v3_sub(a, b));
}

/* ---- ellipsoids ------------------------------------------------------------------------- */

/* From the centre to the farthest point along n. */
static ff_vec3 farthest(ff_vec3 s, ff_quat q, ff_vec3 n) {
  ff_vec3 sm = v3_mul(s, q_unrotate(q, n));
  return q_rotate(q, v3_scale(1 / v3_norm(sm), v3_mul(s, sm)));
}

static ff_geom random_egg(uint64_t *seed, double ratio) {
  double a = pow(ratio, -ff_random(seed)), b = pow(ratio, -ff_random(seed));
  return (ff_geom){.kind = FF_ELLIPSOID, .size = {0.5, 0.5 * a, 0.5 * b}};
}

/* Smallest radius of curvature an ellipsoid has anywhere. */
static double sharpest(const ff_geom *egg) {
  double low = fmin(egg->size.x, fmin(egg->size.y, egg->size.z));
  double high = fmax(egg->size.x, fmax(egg->size.y, egg->size.z));
  return low * low / high;
}

/* Two ellipsoids put so that their nearest points are p -+ gap/2 along n. */
static void check_pair(uint64_t *seed, double ratio, double gap_low, double gap_high, bool inside) {
  ff_geom a = random_egg(seed, ratio), b = random_egg(seed, ratio);
  ff_vec3 n = v3_unit(random_vec(seed, 1)), p = random_vec(seed, 1);
  ff_quat qa = q_exp(random_vec(seed, 3)), qb = q_exp(random_vec(seed, 3));
  double gap = pow(10, ff_random_in(seed, gap_low, gap_high));
  gap = inside ? -0.3 * fmin(1, gap) * fmin(sharpest(&a), sharpest(&b)) : gap;
  ff_pose pose_a = {v3_sub(v3_axpy(p, 0.5 * gap, n), farthest(a.size, qa, v3_neg(n))), qa};
  ff_pose pose_b = {v3_sub(v3_axpy(p, -0.5 * gap, n), farthest(b.size, qb, n)), qb};
  ff_sample t = touch_of(a, pose_a, b, pose_b);
  double far = 1 + fabs(gap);
  /* Rounding of positions moves the points where they are flat: by up to 1/curvature. */
  double round = 0.5 / fmin(sharpest(&a), sharpest(&b));
  assert_close(t.depth, -gap, 1e-14 * far);
  assert_close(between(t.normal, n), 0, 1e-13 * far * round / fmax(gap, 1));
  assert_close(between(t.point, p), 0, 1e-13 * far * round);
  assert_close(v3_norm(t.normal), 1, 1e-15);
}

static void ellipsoids_far_apart_and_near(void **state) {
  (void)state;
  uint64_t seed = 31;
  for (int i = 0; i < 4000; i++) {
    check_pair(&seed, 3, -9, 2, false);
    check_pair(&seed, 50, -9, 2, false);
  }
}

static void ellipsoids_layer_deep(void **state) {
  (void)state;
  uint64_t seed = 33;
  for (int i = 0; i < 4000; i++) {
    check_pair(&seed, 3, -6, 0, true);
    check_pair(&seed, 50, -6, 0, true);
  }
}

/* No two points are nearer than those found. */
static void ellipsoids_against_brute_force(void **state) {
  (void)state;
  uint64_t seed = 35;
  for (int i = 0; i < 200; i++) {
    ff_geom a = random_egg(&seed, 10), b = random_egg(&seed, 10);
    ff_pose pose_a = random_pose(&seed, 2), pose_b = random_pose(&seed, 2);
    ff_sample t = touch_of(a, pose_a, b, pose_b);
    for (int k = 0; t.depth < 0 && k < 100; k++) {
      ff_vec3 p = pose_point(pose_a, v3_mul(a.size, v3_unit(random_vec(&seed, 1))));
      ff_vec3 q = pose_point(pose_b, v3_mul(b.size, v3_unit(random_vec(&seed, 1))));
      assert_true(between(p, q) >= -t.depth - 1e-14);
    }
  }
}

static void round_ellipsoids_are_spheres(void **state) {
  (void)state;
  uint64_t seed = 37;
  for (int i = 0; i < 200; i++) {
    ff_geom a = {.kind = FF_ELLIPSOID, .size = {0.3, 0.3, 0.3}},
            b = {.kind = FF_ELLIPSOID, .size = {0.5, 0.5, 0.5}};
    ff_geom ball_a = {.kind = FF_SPHERE, .size = {0.3, 0, 0}},
            ball_b = {.kind = FF_SPHERE, .size = {0.5, 0, 0}};
    ff_pose pose_a = random_pose(&seed, 0.5), pose_b = random_pose(&seed, 0.5);
    ff_sample eggs = touch_of(a, pose_a, b, pose_b), mixed = touch_of(ball_a, pose_a, b, pose_b);
    ff_sample balls = touch_of(ball_a, pose_a, ball_b, pose_b);
    assert_close(eggs.depth, balls.depth, 1e-15);
    assert_close(mixed.depth, balls.depth, 1e-15);
    assert_close(between(eggs.normal, balls.normal), 0, 1e-14);
    assert_near(eggs.curvature[0], balls.curvature[0], 1e-13);
    assert_near(eggs.curvature[1], balls.curvature[1], 1e-13);
  }
}

/* A huge sphere is a half-space. */
static void ellipsoid_on_a_huge_ball_is_on_a_floor(void **state) {
  (void)state;
  uint64_t seed = 39;
  const double huge = 1e6;
  for (int i = 0; i < 100; i++) {
    ff_geom egg = random_egg(&seed, 5), ball = {.kind = FF_SPHERE, .size = {huge, 0, 0}},
            floor = {.kind = FF_HALF_SPACE, .size = {0, 0, 0}};
    ff_pose pose = random_pose(&seed, 0), level = {v3(0, 0, 0), q_identity()};
    pose.position = v3(0, 0, ff_random_in(&seed, 0.3, 1));
    ff_pose below = {v3(0, 0, -huge), q_identity()};
    ff_sample on_floor = touch_of(egg, pose, floor, level),
              on_ball = touch_of(ball, below, egg, pose);
    /* the ball falls away by x^2 / 2 R = 1e-7 at the edge of the egg */
    assert_close(on_ball.depth, on_floor.depth, 2e-7);
    assert_close(on_ball.normal.z, -1, 1e-12);
    assert_near(on_ball.curvature[0], on_floor.curvature[0], 1e-4);
  }
}

static void one_inside_the_other_finds_a_way_out(void **state) {
  (void)state;
  ff_geom a = {.kind = FF_ELLIPSOID, .size = {0.1, 0.2, 0.3}},
          b = {.kind = FF_ELLIPSOID, .size = {0.5, 0.4, 0.2}};
  ff_pose centre = {v3(1, 2, 3), q_identity()};
  ff_sample t = touch_of(a, centre, b, centre);
  /* along z: 0.3 + 0.2 = 0.5; along x: 0.6; along y: 0.6; slantwise it is a little less */
  assert_true(t.depth > 0.4 && t.depth <= 0.5 + 1e-12);
  assert_true(v3_finite(t.point) && v3_finite(t.t1));
}

/* ---- balls on solids ------------------------------------------------------------------------- */

static const ff_pose level = {{0, 0, 0}, {1, 0, 0, 0}};

static ff_sample ball_at(ff_geom solid, double x, double y, double z) {
  return touch_of((ff_geom){.kind = FF_SPHERE, .size = {0.5, 0, 0}},
                  (ff_pose){v3(x, y, z), q_identity()}, solid, level);
}

static void ball_on_a_box(void **state) {
  (void)state;
  ff_geom box = {.kind = FF_BOX, .size = {1, 2, 3}};
  ff_sample face = ball_at(box, 0.3, 0.4, 3.4);
  assert_close(face.depth, 0.1, 1e-15);
  assert_close(between(face.point, v3(0.3, 0.4, 2.95)), 0, 1e-15);
  assert_true(face.normal.z == 1 && face.curvature[0] == 2 && face.curvature[1] == 2);
  ff_sample edge = ball_at(box, 1.3, 0, 3.4); /* 3-4-5 */
  assert_close(edge.depth, 0, 1e-15);
  assert_close(between(edge.normal, v3(0.6, 0, 0.8)), 0, 1e-15);
  assert_true(isinf(edge.curvature[0]) && edge.curvature[1] == 2);
  ff_sample corner = ball_at(box, -1.1, -2.2, -3.2);
  assert_close(corner.depth, 0.5 - 0.3, 1e-15);
  assert_close(between(corner.normal, v3(-1 / 3.0, -2 / 3.0, -2 / 3.0)), 0, 1e-14);
  assert_true(isinf(corner.curvature[0]) && isinf(corner.curvature[1]));
  ff_sample inside = ball_at(box, -0.9, 0, 0);
  assert_close(inside.depth, 0.6, 1e-15);
  assert_true(inside.normal.x == -1);
}

static void ball_on_a_cylinder(void **state) {
  (void)state;
  ff_geom can = {.kind = FF_CYLINDER, .size = {1, 2, 0}};
  ff_sample side = ball_at(can, 0, 1.4, 0.3);
  assert_close(side.depth, 0.1, 1e-15);
  assert_true(side.normal.y == 1 && side.curvature[0] == 3 && side.curvature[1] == 2);
  ff_sample cap = ball_at(can, 0.3, 0.4, -2.25);
  assert_close(cap.depth, 0.25, 1e-15);
  assert_true(cap.normal.z == -1 && cap.curvature[0] == 2);
  ff_sample rim = ball_at(can, 1.3, 0, 2.4);
  assert_close(rim.depth, 0, 1e-15);
  assert_close(between(rim.normal, v3(0.6, 0, 0.8)), 0, 1e-15);
  assert_true(isinf(rim.curvature[0]));
  assert_close(rim.curvature[1], 2.6, 1e-15);
  assert_close(ball_at(can, 0, 0, 1.8).depth, 0.7, 1e-15); /* inside, near the cap */
  assert_close(ball_at(can, 0.9, 0, 0).depth, 0.6, 1e-15); /* inside, near the side */
}

static void ball_on_a_capsule(void **state) {
  (void)state;
  ff_geom pill = {.kind = FF_CAPSULE, .size = {0.5, 2, 0}};
  ff_sample side = ball_at(pill, 0.9, 0, 1);
  assert_close(side.depth, 0.1, 1e-15);
  assert_true(side.normal.x == 1 && side.curvature[0] == 4 && side.curvature[1] == 2);
  ff_sample end = ball_at(pill, 0, 0.6, 2.8);
  assert_close(end.depth, 0, 1e-15);
  assert_true(end.curvature[0] == 4 && end.curvature[1] == 4);
  ff_sample on_axis = ball_at(pill, 0, 0, 0);
  assert_close(on_axis.depth, 1, 1e-15);
  assert_true(v3_finite(on_axis.point));
}

/* ---- capsules ----------------------------------------------------------------------------------
 */

static void capsules_crossing_and_end_on(void **state) {
  (void)state;
  ff_geom a = {.kind = FF_CAPSULE, .size = {0.25, 2, 0}},
          b = {.kind = FF_CAPSULE, .size = {0.5, 1, 0}};
  ff_quat flat = q_exp(v3(0, ff_pi / 2, 0)); /* its axis is x */
  ff_distance cross = distance_of(a, (ff_pose){v3(0, 0.7, 0), flat}, b, level);
  assert_close(cross.gap, -0.05, 1e-15);
  assert_close(between(cross.normal, v3(0, 1, 0)), 0, 1e-15);
  ff_distance ends = distance_of(a, (ff_pose){v3(0, 0, 3.7), q_identity()}, b, level);
  assert_close(ends.gap, -0.05, 1e-15);
  assert_close(ends.normal.z, 1, 1e-15);
  ff_distance through = distance_of(a, (ff_pose){v3(0, 0, 0), flat}, b, level);
  assert_close(through.gap, -0.75, 1e-15);
  assert_close(fabs(through.normal.y), 1, 1e-15);
}

static void capsules_against_brute_force(void **state) {
  (void)state;
  uint64_t seed = 41;
  for (int i = 0; i < 300; i++) {
    ff_geom a = {.kind = FF_CAPSULE, .size = {0.1, ff_random_in(&seed, 0.01, 1), 0}};
    ff_geom b = {.kind = FF_CAPSULE, .size = {0.2, ff_random_in(&seed, 0.01, 1), 0}};
    ff_pose pose_a = random_pose(&seed, 1), pose_b = random_pose(&seed, 1);
    if (i % 4 == 0) { /* all but parallel */
      pose_b.orientation =
          q_mul(q_exp(random_vec(&seed, pow(10, -1 - i % 14))), pose_a.orientation);
    }
    ff_distance t = distance_of(a, pose_a, b, pose_b);
    double least = INFINITY;
    for (int k = 0; k <= 40 * 41; k++) {
      double s = (k % 41 - 20) / 20.0, u = (k / 41 - 20) / 20.0;
      ff_vec3 p = pose_point(pose_a, v3(0, 0, s * a.size.y));
      least = fmin(least, between(p, pose_point(pose_b, v3(0, 0, u * b.size.y))));
    }
    assert_true(0.3 + t.gap <= least + 1e-14);
    assert_true(0.3 + t.gap >= least - 0.08); /* the grid is 0.05 wide */
  }
}

/* ---- in a run
 * ------------------------------------------------------------------------------------ */

/* Two bodies collide off centre without friction or damping: all energy and momentum stay. */
static void collide(ff_shape_kind kind_a, ff_vec3 size_a, ff_shape_kind kind_b, ff_vec3 size_b) {
  world w = {.scene = scene_new(0, "adaptive", NAN)};
  scene_collision(w.scene, kind_a, size_a, kind_b, size_b);
  world_start(&w);
  assert_int_equal(world_advance(&w, 0.6), FF_OK);
  ff_audit audit = ff_sim_audit(w.sim);
  ff_body_state a = ff_sim_body(w.sim, (ff_body){.id = 1});
  assert_true(a.velocity.x < 0.5); /* they did meet */
  assert_true(audit.events >= 2);
  assert_true(audit.energy_residual < 1e-8 * audit.energy_scale);
  assert_true(audit.momentum_residual < 1e-11 && audit.angular_residual < 1e-11);
  world_end(&w);
}

static void collisions_keep_energy_and_momentum(void **state) {
  (void)state;
  const ff_vec3 egg = {0.1, 0.2, 0.15}, ball = {0.15, 0, 0}, pill = {0.1, 0.15, 0};
  const ff_vec3 box = {0.1, 0.2, 0.15}, can = {0.15, 0.1, 0};
  collide(FF_ELLIPSOID, egg, FF_ELLIPSOID, egg);
  collide(FF_ELLIPSOID, egg, FF_SPHERE, ball); /* in the order geometry does not take */
  collide(FF_CAPSULE, pill, FF_CAPSULE, pill);
  collide(FF_CAPSULE, pill, FF_SPHERE, ball);
  collide(FF_BOX, box, FF_SPHERE, ball);
  collide(FF_SPHERE, ball, FF_CYLINDER, can);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ellipsoids_far_apart_and_near),
      cmocka_unit_test(ellipsoids_layer_deep),
      cmocka_unit_test(ellipsoids_against_brute_force),
      cmocka_unit_test(round_ellipsoids_are_spheres),
      cmocka_unit_test(ellipsoid_on_a_huge_ball_is_on_a_floor),
      cmocka_unit_test(one_inside_the_other_finds_a_way_out),
      cmocka_unit_test(ball_on_a_box),
      cmocka_unit_test(ball_on_a_cylinder),
      cmocka_unit_test(ball_on_a_capsule),
      cmocka_unit_test(capsules_crossing_and_end_on),
      cmocka_unit_test(capsules_against_brute_force),
      cmocka_unit_test(collisions_keep_energy_and_momentum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
