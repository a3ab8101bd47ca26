/* Nearest points where they are hard to find: needles and plates, creases, parallel faces, sizes
 * that differ by thousands, touching to the last digit. */
#include "geom/distance.h"
#include "geom/implicit.h"
#include "solids.h"

static double spread(uint64_t *seed, double low, double high) {
  return exp(ff_random_in(seed, log(low), log(high)));
}

static int pick(uint64_t *seed, int count) {
  int k = (int)(ff_random(seed) * count);
  return k < count ? k : count - 1;
}

static double exponent(uint64_t *seed) {
  static const double hard[] = {FF_EXPONENT_MIN, 1.5, 2, 2 + 1e-7, 8, FF_EXPONENT_MAX};
  return pick(seed, 2) ? hard[pick(seed, 6)] : spread(seed, FF_EXPONENT_MIN, FF_EXPONENT_MAX);
}

/* Axes to 1:50. */
static ff_geom hostile(uint64_t *seed, ff_arena *arena, double size) {
  static const ff_shape_kind kinds[] = {FF_SPHERE,         FF_ELLIPSOID, FF_BOX,
                                        FF_CAPSULE,        FF_CYLINDER,  FF_SUPERELLIPSOID,
                                        FF_SUPERELLIPSOID, FF_POLYHEDRON};
  ff_geom out = {.kind = kinds[pick(seed, 8)]};
  out.size.x = size * spread(seed, 0.02, 1);
  out.size.y = size * spread(seed, 0.02, 1);
  out.size.z = size * spread(seed, 0.02, 1);
  out.exponents[0] = exponent(seed);
  out.exponents[1] = exponent(seed);
  if (out.kind == FF_POLYHEDRON) { /* a prism on a regular polygon */
    ff_vec3 at[24];
    ff_pose frame;
    int sides = 3 + pick(seed, 9);
    for (int i = 0; i < 2 * sides; i++) {
      double turn = 2 * ff_pi * (i / 2) / sides, z = i % 2 ? out.size.z : -out.size.z;
      at[i] = v3(out.size.x * cos(turn), out.size.x * sin(turn), z);
    }
    out = solid_polyhedron(arena, at, 2 * sides, &frame);
  }
  return out;
}

/* Any, along the axes, or nearly so. */
static ff_quat orientation(uint64_t *seed) {
  int how = pick(seed, 3);
  if (how == 0) {
    return q_exp(random_vec(seed, 3));
  }
  ff_quat q = q_mul(q_exp(v3(ff_pi / 2 * pick(seed, 4), 0, 0)), q_exp(v3(0, 0, ff_pi / 2)));
  return how == 1 ? q : q_mul(q_exp(random_vec(seed, pow(10, -1 - pick(seed, 14)))), q);
}

static ff_vec3 direction(uint64_t *seed, ff_quat q) {
  ff_vec3 axis = v3(0, pick(seed, 2), 1);
  int how = pick(seed, 3);
  return how == 0 ? v3_unit(random_vec(seed, 1)) : v3_unit(how == 1 ? axis : q_rotate(q, axis));
}

static ff_vec3 farthest(const ff_geom *geom, const ff_pose *pose, ff_vec3 n) {
  return pose_point(*pose, ff_geom_support(geom, q_unrotate(pose->orientation, n)));
}

/* Both put so that their farthest points across n are a gap apart along it: that is their distance.
 */
static double put_apart(uint64_t *seed, const ff_geom *a, ff_pose *pa, const ff_geom *b,
                        ff_pose *pb) {
  pa->orientation = orientation(seed);
  pb->orientation = orientation(seed);
  pb->position = random_vec(seed, pick(seed, 2) ? 0 : 1);
  pa->position = v3(0, 0, 0);
  double size = fmin(ff_geom_bound(a), ff_geom_bound(b));
  double gap = pick(seed, 3) ? size * spread(seed, 1e-15, 10) : 0;
  ff_vec3 n = direction(seed, pb->orientation);
  ff_vec3 on_a = farthest(a, pa, v3_neg(n)), on_b = farthest(b, pb, n);
  pa->position = v3_sub(v3_axpy(on_b, gap, n), on_a);
  return gap;
}

static void check_mirrored(const ff_distance *at, const ff_distance *back) {
  assert_true(at->gap == back->gap);
  assert_true(v3_norm(v3_add(at->normal, back->normal)) == 0);
  assert_true(v3_norm(v3_sub(at->on_a, back->on_b)) == 0);
}

static void pairs_put_apart(void **state) {
  (void)state;
  uint64_t seed = 3;
  int unsettled = 0;
  for (int i = 0; i < 600; i++) {
    ff_arena arena = {0};
    double size = spread(&seed, 1e-3, 10);
    ff_geom a = hostile(&seed, &arena, size);
    ff_geom b = hostile(&seed, &arena, pick(&seed, 2) ? size : spread(&seed, 1e-3, 10));
    ff_pose pa, pb;
    double gap = put_apart(&seed, &a, &pa, &b, &pb);
    double scale = ff_geom_bound(&a) + ff_geom_bound(&b) + gap;
    ff_distance at, back;
    ff_distance_query(&at, &a, &pa, &b, &pb, INFINITY);
    ff_distance_query(&back, &b, &pb, &a, &pa, INFINITY);
    unsettled += !at.settled;
    bool boxes = a.kind == FF_BOX && b.kind == FF_BOX;
    double tolerance = (boxes ? 1e-13 : 1e-10) * scale;
    if (!(fabs(at.gap - gap) <= tolerance)) {
      print_error("%d: kinds %d %d, off by %g of the size\n", i, a.kind, b.kind,
                  (at.gap - gap) / scale);
    }
    assert_close(at.gap, gap, tolerance);
    ff_vec3 r = v3_axpy(v3_sub(at.on_a, at.on_b), -at.gap, at.normal);
    assert_close(v3_norm(r), 0, 1e-9 * scale);
    if (a.kind != FF_BOX || b.kind != FF_BOX) {
      check_mirrored(&at, &back);
    }
    ff_arena_free(&arena);
  }
  print_message("%d of 600 not settled\n", unsettled);
  assert_int_equal(unsettled, 0);
}

/* Overlapping: no direction has a larger gap, nearby or anywhere. */
static void pairs_inside_one_another(void **state) {
  (void)state;
  uint64_t seed = 5;
  for (int i = 0; i < 200; i++) {
    ff_arena arena = {0};
    ff_geom a = hostile(&seed, &arena, 1), b = hostile(&seed, &arena, spread(&seed, .3, 3));
    double size = ff_geom_bound(&a) + ff_geom_bound(&b);
    ff_pose pb = {{0, 0, 0}, orientation(&seed)};
    ff_pose pa = {random_vec(&seed, pick(&seed, 3) ? 0.2 : 0), orientation(&seed)};
    ff_distance at;
    ff_distance_query(&at, &a, &pa, &b, &pb, INFINITY);
    double tolerance = at.settled ? 1e-9 : 1e-6;
    for (int k = 0; k < 60 && at.gap < 0; k++) {
      ff_vec3 n = v3_axpy(random_vec(&seed, pow(10, -k % 10)), k % 6 ? 1 : 0, at.normal);
      n = v3_unit(n);
      double gap = v3_dot(n, v3_sub(farthest(&a, &pa, v3_neg(n)), farthest(&b, &pb, n)));
      assert_true(gap <= at.gap + tolerance * size);
    }
    ff_arena_free(&arena);
  }
}

/* Put inside one another by a little along some direction: the way out is no longer than that. */
static void pairs_layer_deep(void **state) {
  (void)state;
  uint64_t seed = 13;
  for (int i = 0; i < 500; i++) {
    ff_arena arena = {0};
    ff_geom a = hostile(&seed, &arena, 1), b = hostile(&seed, &arena, spread(&seed, .1, 10));
    ff_pose pa, pb;
    put_apart(&seed, &a, &pa, &b, &pb);
    ff_vec3 n = direction(&seed, pb.orientation);
    double thin = fmin(ff_geom_thickness(&a), ff_geom_thickness(&b));
    double depth = thin * spread(&seed, 1e-9, 1e-1);
    double gap = v3_dot(n, v3_sub(farthest(&a, &pa, v3_neg(n)), farthest(&b, &pb, n)));
    pa.position = v3_axpy(pa.position, -depth - gap, n);
    ff_distance at;
    ff_distance_query(&at, &a, &pa, &b, &pb, INFINITY);
    assert_true(at.gap >= -depth - 1e-10 * (ff_geom_bound(&a) + ff_geom_bound(&b)));
    ff_arena_free(&arena);
  }
}

/* In other units, and seen from elsewhere, it is the same. */
static void units_and_frames(void **state) {
  (void)state;
  uint64_t seed = 7;
  for (int i = 0; i < 60; i++) {
    ff_arena arena = {0};
    ff_geom a = hostile(&seed, &arena, 1), b = hostile(&seed, &arena, 1);
    ff_pose pa = random_pose(&seed, 1.5), pb = random_pose(&seed, .2),
            elsewhere = random_pose(&seed, 1);
    double size = ff_geom_bound(&a) + ff_geom_bound(&b) + 2;
    ff_distance at, there;
    ff_distance_query(&at, &a, &pa, &b, &pb, INFINITY);
    ff_pose qa = pose_mul(elsewhere, pa), qb = pose_mul(elsewhere, pb);
    ff_distance_query(&there, &a, &qa, &b, &qb, INFINITY);
    assert_close(there.gap, at.gap, (at.settled ? 1e-10 : 1e-6) * size);
    for (int e = -9; e <= 9 && a.kind != FF_POLYHEDRON && b.kind != FF_POLYHEDRON; e += 6) {
      double unit = pow(10, e);
      ff_geom as = a, bs = b;
      as.size = v3_scale(unit, a.size);
      bs.size = v3_scale(unit, b.size);
      qa = (ff_pose){v3_scale(unit, pa.position), pa.orientation};
      qb = (ff_pose){v3_scale(unit, pb.position), pb.orientation};
      ff_distance_query(&there, &as, &qa, &bs, &qb, INFINITY);
      assert_close(there.gap / unit, at.gap, (at.settled ? 1e-10 : 1e-6) * size);
    }
    ff_arena_free(&arena);
  }
}

/* A state that has gone astray must not stop the geometry from returning. */
static void poses_that_are_no_numbers(void **state) {
  (void)state;
  static const double wrong[] = {NAN, INFINITY, -INFINITY, 1e300};
  uint64_t seed = 9;
  for (int i = 0; i < 200; i++) {
    ff_arena arena = {0};
    ff_geom a = hostile(&seed, &arena, 1), b = hostile(&seed, &arena, 1);
    ff_pose pa = random_pose(&seed, 1), pb = random_pose(&seed, 1);
    *(i % 2 ? &pa.position.x : &pa.orientation.y) = wrong[i / 2 % 4];
    ff_distance at;
    ff_sample out[FF_SAMPLES_MAX];
    ff_distance_query(&at, &a, &pa, &b, &pb, INFINITY);
    ff_distance_query(&at, &a, &pa, &a, &pb, INFINITY); /* whose order only the poses decide */
    bool ordered = ff_manifold_in_order(a.kind, b.kind);
    int count = ordered ? contact_samples(&a, &pa, &b, &pb, 0, out)
                        : contact_samples(&b, &pb, &a, &pa, 0, out);
    assert_in_range(count, 0, FF_SAMPLES_MAX);
    ff_arena_free(&arena);
  }
}

/* Intersections with creases: no ray from inside ends farther along the direction. */
static void support_of_creased_intersections(void **state) {
  (void)state;
  uint64_t seed = 11;
  ff_arena arena = {0};
  ff_pose frame;
  ff_shape_def members[2] = {
      solid_member(FF_SUPERELLIPSOID, v3(.8, .3, .5), v3(0, 0, 0), v3(0, 0, 0)),
      solid_member(FF_CAPSULE, v3(.35, .3, 0), v3(.1, 0, 0), v3(.5, .2, 0))};
  members[0].exponents[0] = FF_EXPONENT_MIN;
  members[0].exponents[1] = 12;
  ff_geom geom = solid_intersection(&arena, members, 2, &frame);
  for (int i = 0; i < 40; i++) {
    ff_vec3 u = i < 3 ? v3(i == 0, i == 1, i == 2) : v3_unit(random_vec(&seed, 1));
    ff_vec3 far = ff_geom_support(&geom, u), ray = v3_unit(far);
    assert_true(ff_geom_value(&geom, far, NULL) < 1e-12);
    for (int k = 0; k < 200; k++) {
      ff_vec3 beside = v3_unit(v3_axpy(ray, 1, random_vec(&seed, pow(10, -k % 8))));
      double end = ff_geom_exit(&geom, v3(0, 0, 0), beside, NULL);
      assert_true(end * v3_dot(beside, u) < v3_dot(far, u) + 1e-10);
    }
  }
  ff_arena_free(&arena);
}

/* Just above two the exponent of the norm that bounds it is huge. */
static void bound_of_nearly_an_ellipsoid(void **state) {
  (void)state;
  for (int i = 1; i < 15; i++) {
    ff_geom geom = {.kind = FF_SUPERELLIPSOID, .size = {.17, .08, .14}};
    geom.exponents[0] = geom.exponents[1] = 2 + pow(10, -i);
    assert_close(ff_geom_bound(&geom), .17, 0.002 * pow(10, 1 - i) + 1e-15);
    assert_true(ff_geom_bound(&geom) >= .17);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pairs_put_apart),
      cmocka_unit_test(pairs_inside_one_another),
      cmocka_unit_test(pairs_layer_deep),
      cmocka_unit_test(units_and_frames),
      cmocka_unit_test(poses_that_are_no_numbers),
      cmocka_unit_test(support_of_creased_intersections),
      cmocka_unit_test(bound_of_nearly_an_ellipsoid),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
