/* Nearest points of every two finite shapes, against a search that knows support points only. */
#include "geom/implicit.h"
#include "geom/distance.h"
#include "solids.h"

/* The gap between the planes across n that touch the two. */
static double gap_along(const ff_geom *a, const ff_pose *pa, const ff_geom *b, const ff_pose *pb,
                        ff_vec3 n) {
  ff_vec3 on_a = pose_point(*pa, ff_geom_support(a, q_unrotate(pa->orientation, v3_neg(n))));
  ff_vec3 on_b = pose_point(*pb, ff_geom_support(b, q_unrotate(pb->orientation, n)));
  return v3_dot(n, v3_sub(on_a, on_b));
}

/* The largest gap over all directions: many tries, the best refined by smaller and smaller steps.
 */
static double largest_gap(const ff_geom *a, const ff_pose *pa, const ff_geom *b, const ff_pose *pb,
                          int tries, uint64_t *seed) {
  double best = -INFINITY;
  ff_vec3 at = v3(0, 0, 1);
  for (int i = 0; i < tries; i++) {
    ff_vec3 n = v3_unit(random_vec(seed, 1));
    double gap = gap_along(a, pa, b, pb, n);
    at = gap > best ? n : at;
    best = fmax(best, gap);
  }
  double step = 0.3;
  for (int i = 0; i < tries; i++) {
    ff_vec3 n = v3_unit(v3_axpy(at, step, random_vec(seed, 1)));
    double gap = gap_along(a, pa, b, pb, n);
    if (gap > best) {
      best = gap;
      at = n;
    } else {
      step = fmax(step * 0.985, 1e-8);
    }
  }
  return best;
}

static int unsettled, looks;

static void check_pair(const ff_geom *a, const ff_geom *b, uint64_t *seed, double reach,
                       int tries) {
  ff_pose pa = random_pose(seed, reach), pb = random_pose(seed, 0.2);
  double size = ff_geom_bound(a) + ff_geom_bound(b);
  ff_distance at, back;
  ff_distance_query(&at, a, &pa, b, &pb, INFINITY);
  ff_distance_query(&back, b, &pb, a, &pa, INFINITY);
  looks++;
  unsettled += !at.settled;
  double tolerance = at.settled ? 1e-10 * size : 2e-4 * size;
  assert_close(v3_norm(at.normal), 1, 1e-14);
  /* both points on their planes and on their surfaces, on one line along the normal */
  assert_close(gap_along(a, &pa, b, &pb, at.normal), at.gap, tolerance);
  ff_vec3 r = v3_axpy(v3_sub(at.on_a, at.on_b), -at.gap, at.normal);
  assert_close(v3_norm(r), 0, at.settled ? 1e-10 * size : 0.05 * size);
  ff_vec3 la = q_unrotate(pa.orientation, v3_sub(at.on_a, pa.position));
  ff_vec3 lb = q_unrotate(pb.orientation, v3_sub(at.on_b, pb.position));
  assert_close(ff_geom_value(a, la, NULL), 0, at.settled ? 1e-10 * size : 0.02 * size);
  assert_close(ff_geom_value(b, lb, NULL), 0, at.settled ? 1e-10 * size : 0.02 * size);
  /* no direction has a larger gap */
  double most = largest_gap(a, &pa, b, &pb, tries, seed);
  if (most > at.gap + tolerance) {
    print_error("kinds %d %d: gap %.12g, search %.12g settled %d\n", a->kind, b->kind, at.gap, most,
                at.settled);
  }
  assert_true(most <= at.gap + tolerance);
  /* the other way round it is the same */
  assert_close(back.gap, at.gap, fmax(tolerance, back.settled ? 0 : 2e-4 * size));
}

static void test_every_pair_against_search(void **state) {
  (void)state;
  ff_arena arena = {0};
  ff_geom geoms[SOLIDS];
  solids_make(&arena, geoms);
  uint64_t seed = 97;
  for (int i = 0; i < SOLIDS; i++) {
    for (int j = 0; j < SOLIDS; j++) {
      bool slow = geoms[i].kind == FF_INTERSECTION || geoms[j].kind == FF_INTERSECTION;
      for (int round = 0; round < (slow ? 6 : 12); round++) {
        check_pair(&geoms[i], &geoms[j], &seed, round % 3 == 0 ? 1.0 : 0.5, slow ? 150 : 600);
      }
    }
  }
  print_message("%d of %d not settled\n", unsettled, looks);
  assert_int_equal(unsettled, 0);
  ff_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_pair_against_search),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
