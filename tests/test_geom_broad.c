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

static ff_box boxes[MOST];
static int groups[MOST];

static void fill_boxes(const crowd *c) {
  for (int i = 0; i < c->count; i++) {
    ff_vec3 half = v3(c->radius[i], c->radius[i], c->radius[i]);
    boxes[i] = (ff_box){v3_sub(c->centre[i], half), v3_add(c->centre[i], half)};
    groups[i] = i;
  }
}

static bool overlap_along(double low_a, double high_a, double low_b, double high_b) {
  return low_a <= high_b && low_b <= high_a;
}

static int brute_force(int count, ff_broad_pair *out) {
  int found = 0;
  for (int i = 0; i < count; i++) {
    for (int j = i + 1; j < count; j++) {
      const ff_box *a = &boxes[i], *b = &boxes[j];
      if (groups[i] != groups[j] && overlap_along(a->low.x, a->high.x, b->low.x, b->high.x) &&
          overlap_along(a->low.y, a->high.y, b->low.y, b->high.y) &&
          overlap_along(a->low.z, a->high.z, b->low.z, b->high.z)) {
        out[found++] = (ff_broad_pair){i, j};
      }
    }
  }
  return found;
}

static ff_broad_pair expected[CAPACITY];

/* Same pairs, same order; returns how many. */
static int compare_boxes(ff_broad *broad, int count) {
  int wanted = brute_force(count, expected), found;
  ff_broad_pair *pairs;
  assert_int_equal(ff_broad_find(broad, boxes, groups, &pairs, &found), FF_OK);
  assert_int_equal(found, wanted);
  for (int k = 0; k < found; k++) {
    assert_int_equal(pairs[k].i, expected[k].i);
    assert_int_equal(pairs[k].j, expected[k].j);
  }
  return found;
}

static int compare(ff_broad *broad, const crowd *c) {
  fill_boxes(c);
  return compare_boxes(broad, c->count);
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
  compare_while_moving(35, MOST, v3(5, 0.01, 0.01), 0.1);
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
  assert_int_equal(compare(broad, &c), (16 * 16 * 16 - 216) / 2); /* corners touch, too */
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

/* Spheres that touch to the last bit are found after any history, as the manifold finds them. */
static void history_does_not_matter(void **state) {
  (void)state;
  uint64_t seed = 45;
  ff_broad *broad;
  assert_int_equal(ff_broad_create(&broad, 2), FF_OK);
  for (int i = 0; i < 20000; i++) {
    crowd c = make_crowd(&seed, 2, v3(10, 10, 10), 1);
    ff_vec3 direction = i % 2 ? v3(0, 0, 1) : v3_unit(random_vec(&seed, 1));
    c.centre[1] = v3_axpy(c.centre[0], c.radius[0] + c.radius[1], direction);
    compare(broad, &c);
  }
  ff_broad_destroy(broad);
}

/* Boxes of one body do not collide with each other. */
static void groups_have_no_pairs(void **state) {
  (void)state;
  uint64_t seed = 47;
  crowd c = make_crowd(&seed, MOST, v3(1, 1, 1), 0.3);
  ff_broad *broad;
  assert_int_equal(ff_broad_create(&broad, c.count), FF_OK);
  fill_boxes(&c);
  int all = compare_boxes(broad, c.count);
  for (int i = 0; i < c.count; i++) {
    groups[i] = i / 50;
  }
  int fewer = compare_boxes(broad, c.count);
  assert_true(fewer > 0 && fewer < all);
  ff_broad_destroy(broad);
}

/* Sizes over seven powers of ten, places over twenty, some of them beyond all cells. */
static void sizes_and_places_may_be_extreme(void **state) {
  (void)state;
  uint64_t seed = 51;
  crowd c = make_crowd(&seed, MOST, v3(1, 1, 1), 1);
  ff_broad *broad;
  assert_int_equal(ff_broad_create(&broad, c.count), FF_OK);
  for (int i = 0; i < c.count; i++) {
    c.radius[i] = pow(10, ff_random_in(&seed, -6, 1));
  }
  assert_true(compare(broad, &c) > MOST);
  for (int i = 0; i < c.count; i++) {
    c.centre[i] = v3_scale(pow(10, ff_random_in(&seed, -6, 14)), c.centre[i]);
  }
  c.centre[3].x = 1e300;
  c.centre[4] = v3(-1e300, 1e300, 0);
  c.centre[5] = c.centre[3];
  assert_true(compare(broad, &c) > 1);
  ff_broad_destroy(broad);
}

static void none_and_one_have_no_pairs(void **state) {
  (void)state;
  for (int count = 0; count < 2; count++) {
    ff_broad *broad;
    assert_int_equal(ff_broad_create(&broad, count), FF_OK);
    compare_boxes(broad, count);
    ff_broad_destroy(broad);
  }
}

static ff_status find_once(int count) {
  ff_broad *broad;
  ff_broad_pair *pairs;
  int found;
  ff_status status = ff_broad_create(&broad, count);
  if (status == FF_OK) {
    status = ff_broad_find(broad, boxes, groups, &pairs, &found);
    ff_broad_destroy(broad);
  }
  return status;
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  uint64_t seed = 49;
  crowd c = make_crowd(&seed, 60, v3(1, 1, 1), 0.5);
  fill_boxes(&c);
  long before = ff_alloc_count();
  assert_int_equal(find_once(c.count), FF_OK);
  long allocations = ff_alloc_count() - before;
  assert_true(allocations > 6);
  for (long n = 1; n <= allocations; n++) {
    ff_alloc_fail_at(n);
    ff_status status = find_once(c.count);
    ff_alloc_fail_at(0);
    assert_int_equal(status, FF_ERROR_MEMORY);
  }
}

static void a_second_call_allocates_nothing(void **state) {
  (void)state;
  uint64_t seed = 49;
  crowd c = make_crowd(&seed, MOST, v3(1, 1, 1), 0.2);
  ff_broad *broad;
  assert_int_equal(ff_broad_create(&broad, c.count), FF_OK);
  compare(broad, &c);
  long before = ff_alloc_count();
  compare(broad, &c);
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
      cmocka_unit_test(groups_have_no_pairs),
      cmocka_unit_test(sizes_and_places_may_be_extreme),
      cmocka_unit_test(none_and_one_have_no_pairs),
      cmocka_unit_test(every_allocation_may_fail),
      cmocka_unit_test(a_second_call_allocates_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
