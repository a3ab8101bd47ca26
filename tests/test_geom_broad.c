/* The broad phase against looking at every pair. */
#include "base/memory.h"
#include "geom/broad.h"
#include "geom_fixture.h"

enum { MOST = 300, CAPACITY = MOST * (MOST - 1) / 2 };

typedef struct crowd {
  int count;
  ff_vec3 centre[MOST], velocity[MOST];
  double radius[MOST];
} crowd;

static crowd make_crowd(uint64_t *seed, int count, ff_vec3 extent, double radius) {
  crowd c = {.count = count};
  for (int i = 0; i < count; i++) {
    c.centre[i] = v3_mul(extent, random_vec(seed, 1));
    c.velocity[i] = random_vec(seed, 0.05);
    c.radius[i] = radius * ff_random_in(seed, 0.2, 1);
  }
  return c;
}

static void move(crowd *c) {
  for (int i = 0; i < c->count; i++) {
    c->centre[i] = v3_add(c->centre[i], c->velocity[i]);
  }
}

static int brute_force(const crowd *c, ff_broad_pair *out) {
  int found = 0;
  for (int i = 0; i < c->count; i++) {
    for (int j = i + 1; j < c->count; j++) {
      ff_vec3 apart = v3_sub(c->centre[i], c->centre[j]);
      double sum = c->radius[i] + c->radius[j];
      if (v3_dot(apart, apart) <= sum * sum) {
        out[found++] = (ff_broad_pair){i, j};
      }
    }
  }
  return found;
}

static ff_broad_pair expected[CAPACITY], actual[CAPACITY];

/* Same pairs, same order; returns how many. */
static int compare(ff_broad *broad, const crowd *c) {
  int count = brute_force(c, expected);
  assert_int_equal(ff_broad_pairs(broad, c->centre, c->radius, actual, CAPACITY), count);
  for (int k = 0; k < count; k++) {
    assert_int_equal(actual[k].i, expected[k].i);
    assert_int_equal(actual[k].j, expected[k].j);
  }
  return count;
}

static void compare_while_moving(uint64_t seed, int count, ff_vec3 extent, double radius) {
  crowd c = make_crowd(&seed, count, extent, radius);
  ff_broad *broad;
  assert_int_equal(ff_broad_create(&broad, count), FF_OK);
  int pairs = 0;
  for (int step = 0; step < 60; step++) {
    pairs += compare(broad, &c);
    move(&c);
  }
  assert_true(pairs > 0);
  ff_broad_destroy(broad);
}

static void same_as_brute_force_in_a_cloud(void **state) {
  (void)state;
  compare_while_moving(31, MOST, v3(1, 1, 1), 0.2);
  compare_while_moving(33, 17, v3(1, 1, 1), 0.8);
}

static void same_as_brute_force_in_rows_and_planes(void **state) {
  (void)state;
  compare_while_moving(35, MOST, v3(5, 0.01, 0.01), 0.1); /* the axis changes as they fly apart */
  compare_while_moving(37, MOST, v3(0.01, 0.01, 5), 0.1);
  compare_while_moving(39, MOST, v3(0.01, 3, 3), 0.2);
}

static void same_as_brute_force_when_all_overlap(void **state) {
  (void)state;
  compare_while_moving(41, 100, v3(0.1, 0.1, 0.1), 5);
}

/* Ties everywhere: a lattice whose neighbours just touch, with exact numbers. */
static void lattice_neighbours_touch(void **state) {
  (void)state;
  crowd c = {.count = 216};
  for (int i = 0; i < 216; i++) {
    c.centre[i] = v3(i % 6, (i / 6) % 6, i / 36);
    c.radius[i] = 0.5;
  }
  ff_broad *broad;
  assert_int_equal(ff_broad_create(&broad, c.count), FF_OK);
  assert_int_equal(compare(broad, &c), 3 * 5 * 36);
  ff_broad_destroy(broad);
}

static void one_giant_among_many(void **state) {
  (void)state;
  uint64_t seed = 43;
  crowd c = make_crowd(&seed, MOST, v3(2, 2, 2), 0.1);
  c.radius[7] = 10;
  ff_broad *broad;
  assert_int_equal(ff_broad_create(&broad, c.count), FF_OK);
  assert_true(compare(broad, &c) >= MOST - 1);
  c.radius[7] = 1.5; /* and a few, some of which overlap */
  c.radius[20] = 2;
  c.radius[33] = 0.7;
  for (int step = 0; step < 20; step++) {
    assert_true(compare(broad, &c) > MOST / 4);
    move(&c);
  }
  ff_broad_destroy(broad);
}

/* The history decides about the axis and the order, never about the answer: spheres that
 * touch to the last bit are found after any history, as ff_geom_touch finds them. */
static void history_does_not_matter(void **state) {
  (void)state;
  uint64_t seed = 45;
  ff_broad *broad;
  assert_int_equal(ff_broad_create(&broad, 2), FF_OK);
  for (int i = 0; i < 20000; i++) {
    crowd c = make_crowd(&seed, 2, v3(10, 10, 10), 1);
    ff_vec3 direction = i % 2 ? v3(0, 0, 1) : v3_unit(random_vec(&seed, 1));
    c.centre[1] = v3_axpy(c.centre[0], c.radius[0] + c.radius[1], direction);
    int listed = compare(broad, &c);
    ff_geom a = {.kind = FF_SPHERE, .size = {c.radius[0], 0, 0}},
            b = {.kind = FF_SPHERE, .size = {c.radius[1], 0, 0}};
    ff_pose pose_a = {c.centre[0], q_identity()}, pose_b = {c.centre[1], q_identity()};
    ff_touch touch[FF_TOUCH_MAX];
    assert_true(listed >= ff_geom_touch(&a, &pose_a, &b, &pose_b, 0, touch));
  }
  ff_broad_destroy(broad);
}

static void too_many_pairs_are_counted_and_not_written(void **state) {
  (void)state;
  uint64_t seed = 47;
  crowd c = make_crowd(&seed, 10, v3(0.1, 0.1, 0.1), 5);
  ff_broad *broad;
  assert_int_equal(ff_broad_create(&broad, c.count), FF_OK);
  ff_broad_pair out[8] = {[7] = {-1, -1}};
  assert_int_equal(ff_broad_pairs(broad, c.centre, c.radius, out, 7), 45);
  assert_int_equal(out[7].i, -1);
  assert_int_equal(ff_broad_pairs(broad, c.centre, c.radius, NULL, 0), 45);
  ff_broad_destroy(broad);
}

static void none_and_one_have_no_pairs(void **state) {
  (void)state;
  ff_vec3 centre = {0, 0, 0};
  double radius = 1;
  for (int count = 0; count < 2; count++) {
    ff_broad *broad;
    assert_int_equal(ff_broad_create(&broad, count), FF_OK);
    assert_int_equal(ff_broad_pairs(broad, &centre, &radius, NULL, 0), 0);
    ff_broad_destroy(broad);
  }
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  ff_broad *broad;
  long before = ff_alloc_count();
  assert_int_equal(ff_broad_create(&broad, 5), FF_OK);
  ff_broad_destroy(broad);
  long allocations = ff_alloc_count() - before;
  assert_true(allocations > 0);
  for (long n = 1; n <= allocations; n++) {
    ff_alloc_fail_at(n);
    assert_int_equal(ff_broad_create(&broad, 5), FF_ERROR_MEMORY);
    ff_alloc_fail_at(0);
    assert_null(broad);
  }
}

static void a_call_allocates_nothing(void **state) {
  (void)state;
  uint64_t seed = 49;
  crowd c = make_crowd(&seed, MOST, v3(1, 1, 1), 0.2);
  ff_broad *broad;
  assert_int_equal(ff_broad_create(&broad, c.count), FF_OK);
  long before = ff_alloc_count();
  ff_broad_pairs(broad, c.centre, c.radius, actual, CAPACITY);
  assert_int_equal(ff_alloc_count(), before);
  ff_broad_destroy(broad);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_as_brute_force_in_a_cloud),
      cmocka_unit_test(same_as_brute_force_in_rows_and_planes),
      cmocka_unit_test(same_as_brute_force_when_all_overlap),
      cmocka_unit_test(lattice_neighbours_touch),
      cmocka_unit_test(one_giant_among_many),
      cmocka_unit_test(history_does_not_matter),
      cmocka_unit_test(too_many_pairs_are_counted_and_not_written),
      cmocka_unit_test(none_and_one_have_no_pairs),
      cmocka_unit_test(every_allocation_may_fail),
      cmocka_unit_test(a_call_allocates_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
