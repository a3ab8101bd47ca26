/* Shapes with rounded edges: cores, and points that keep the parts they lie between. */
#include "geom/distance.h"
#include "geom/hull.h"
#include "geom/touch.h"
#include "solids.h"

/* ---- cores ------------------------------------------------------------------------------- */

static void a_box_of_vertices_has_a_box_as_core(void **state) {
  (void)state;
  ff_arena arena = {0};
  ff_pose frame;
  ff_geom hull = solid_polyhedron(&arena, solid_cube, 8, &frame);
  assert_int_equal(ff_geom_prepare(&hull, 0.05, &arena), FF_OK);
  const ff_hull *core = hull.hull->core;
  assert_non_null(core);
  assert_int_equal(core->vertex_count, 8);
  assert_int_equal(core->edge_count, 12);
  assert_int_equal(core->face_count, 6);
  double half[3] = {hull.size.x - 0.05, hull.size.y - 0.05, hull.size.z - 0.05};
  for (int i = 0; i < 8; i++) {
    assert_close(fabs(core->vertices[i].x), half[0], 1e-14);
    assert_close(fabs(core->vertices[i].y), half[1], 1e-14);
    assert_close(fabs(core->vertices[i].z), half[2], 1e-14);
  }
  ff_arena_free(&arena);
}

/* Every corner is on three faces that moved inwards, and inside all others. */
static void cores_of_random_hulls_are_closed(void **state) {
  (void)state;
  uint64_t seed = 5;
  for (int round = 0; round < 40; round++) {
    ff_arena arena = {0};
    ff_vec3 points[60];
    int count = 5 + (int)(55 * ff_random(&seed));
    for (int i = 0; i < count; i++) {
      points[i] = random_vec(&seed, .5);
    }
    ff_pose frame;
    ff_geom geom = solid_polyhedron(&arena, points, count, &frame);
    assert_int_equal(ff_geom_prepare(&geom, 0.4 * geom.hull->inside, &arena), FF_OK);
    const ff_hull *core = geom.hull->core;
    assert_non_null(core);
    assert_int_equal(core->vertex_count - core->edge_count + core->face_count, 2);
    for (int i = 0; i < core->vertex_count; i++) {
      int on = 0;
      for (int f = 0; f < geom.hull->face_count; f++) {
        double over = v3_dot(geom.hull->normal[f], core->vertices[i]) - geom.hull->offset[f] +
                      geom.hull->core_depth;
        assert_true(over < 1e-6); /* corners that are one lie between what they were */
        on += over > -1e-6;
      }
      assert_true(on >= 3);
    }
    ff_arena_free(&arena);
  }
}

/* A core that would be nothing is none. */
static void too_much_erosion_leaves_a_hull_sharp(void **state) {
  (void)state;
  ff_arena arena = {0};
  ff_pose frame;
  ff_geom hull = solid_polyhedron(&arena, solid_cube, 8, &frame);
  assert_int_equal(ff_hull_erode((ff_hull *)hull.hull, 1, &arena), FF_OK);
  assert_null(hull.hull->core);
  ff_arena_free(&arena);
}

/* ---- spots ------------------------------------------------------------------------------------
 */

static ff_pose moved(ff_pose pose, ff_vec3 shift, ff_vec3 turn, double by) {
  return (ff_pose){v3_axpy(pose.position, by, shift),
                   q_mul(q_exp(v3_scale(by, turn)), pose.orientation)};
}

/* What is seen again is what was seen, and gets deeper as fast as the bodies close there. */
static void check_spot(const ff_geom *a, ff_pose at, const ff_geom *b, ff_pose other, double round,
                       const ff_touch *touch, uint64_t *seed) {
  ff_touch same = *touch, up = *touch, down = *touch;
  assert_true(ff_touch_look(a, &at, b, &other, round, &same));
  assert_close(same.depth, touch->depth, 1e-9);
  assert_true(v3_norm(v3_sub(same.normal, touch->normal)) < 1e-7);
  ff_vec3 shift = random_vec(seed, 1), turn = random_vec(seed, 1);
  ff_pose more = moved(at, shift, turn, 1e-6), less = moved(at, shift, turn, -1e-6);
  ff_touch_look(a, &more, b, &other, round, &up);
  ff_touch_look(a, &less, b, &other, round, &down);
  ff_vec3 speed = v3_add(shift, v3_cross(turn, v3_sub(touch->point, at.position)));
  /* second differences, and points that are found to about the root of rounding */
  assert_close((up.depth - down.depth) / 2e-6, -v3_dot(touch->normal, speed), 2e-4);
}

/* Pairs of shapes with edges next to one another, in random directions. */
static void spots_keep_the_rule_of_geometry(void **state) {
  (void)state;
  ff_arena arena = {0};
  ff_geom solids[SOLIDS];
  static const int edged[] = {2, 3, 4, 7, 9, 8}; /* box, capsule, cylinder, hulls, intersection */
  const double round = 0.02;
  solids_make(&arena, solids);
  assert_int_equal(ff_geom_prepare(&solids[7], round, &arena), FF_OK);
  assert_int_equal(ff_geom_prepare(&solids[9], round, &arena), FF_OK);
  assert_int_equal(ff_geom_prepare(&solids[8], round, &arena), FF_OK);
  uint64_t seed = 3;
  int seen = 0;
  for (int k = 0; k < 36; k++) {
    const ff_geom *a = &solids[edged[k / 6]], *b = &solids[edged[k % 6]];
    for (int i = 0; ff_geom_in_order(a->kind, b->kind) && i < 40; i++) {
      ff_pose at = random_pose(&seed, .9), other = random_pose(&seed, .1);
      ff_touch touches[FF_TOUCH_MAX];
      int count = ff_geom_touch_rounded(a, &at, b, &other, round, 0.3, touches);
      for (int t = 0; t < count; t++) {
        if (touches[t].spot.kind != FF_SPOT_NONE) {
          check_spot(a, at, b, other, round, &touches[t], &seed);
          seen++;
        }
      }
    }
  }
  assert_true(seen > 300);
  ff_arena_free(&arena);
}

/* The end of a capsule touches a face as long as it is over it. */
static void spots_are_left_behind(void **state) {
  (void)state;
  const ff_geom box = {.kind = FF_BOX, .size = {1, 1, 0.5}};
  const ff_geom rod = {.kind = FF_CAPSULE, .size = {0.2, 0.6, 0}};
  ff_pose low = {{0, 0, 0}, {1, 0, 0, 0}};
  ff_pose lying = {{0.5, 0, 0.699}, q_exp(v3(0, ff_pi / 2, 0))};
  ff_touch end;
  ff_touch touches[FF_TOUCH_MAX];
  assert_int_equal(ff_geom_touch_rounded(&rod, &lying, &box, &low, 0.02, 0, touches), 2);
  for (int i = 0; i < 2; i++) {
    end = touches[i];
    assert_true(ff_touch_look(&rod, &lying, &box, &low, 0.02, &end));
  }
  lying.position.y = 1.1; /* beside the face, which both ends are above no longer */
  for (int i = 0; i < 2; i++) {
    end = touches[i];
    assert_false(ff_touch_look(&rod, &lying, &box, &low, 0.02, &end));
  }
}

/* m, by how much the deepest of all points is less deep than two shapes are where they are nearest;
 * < 0: their cores overlap, or are farther apart than the rounding reaches. */
static double unseen(const ff_geom *a, const ff_pose *at, const ff_geom *b, const ff_pose *other,
                     double round) {
  double radii = ff_geom_core_margin(a, round) + ff_geom_core_margin(b, round), deepest = -INFINITY;
  ff_geom core_a, core_b;
  ff_geom_erode(&core_a, a, ff_geom_core_margin(a, round));
  ff_geom_erode(&core_b, b, ff_geom_core_margin(b, round));
  ff_distance near;
  ff_distance_query(&near, &core_a, at, &core_b, other, INFINITY);
  if (!(near.gap > 0 && near.gap < radii)) {
    return -1;
  }
  ff_touch touches[FF_TOUCH_MAX];
  int count = ff_geom_touch_rounded(a, at, b, other, round, radii, touches);
  for (int i = 0; i < count; i++) {
    deepest = fmax(deepest, touches[i].depth);
  }
  return fabs(radii - near.gap - deepest);
}

/* A cylinder on its side that reaches over the rim of another at both ends is as deep as the circle
 * of that says, whether it lies flat on the cap or leans. */
static void rims_are_round_wherever_they_cross(void **state) {
  (void)state;
  const ff_geom can = {.kind = FF_CYLINDER, .size = {.05, .05, 0}};
  const ff_geom roll = {.kind = FF_CYLINDER, .size = {.03, .06, 0}};
  const ff_pose other = {{0, 0, 0}, {1, 0, 0, 0}};
  for (int i = 0; i < 400; i++) {
    double lean = 2.5e-4 * i, turn = 0.1 * i, off = .04 * sin(.7 * i);
    ff_vec3 beside = v3(-off * sin(turn), off * cos(turn), 0);
    ff_quat lies = q_mul(q_exp(v3(0, 0, turn)), q_exp(v3(0, ff_pi / 2 - lean, 0)));
    ff_pose at = {v3_add(beside, v3(0, 0, .079)), lies};
    for (int k = 0; k < 100 && unseen(&roll, &at, &can, &other, 3e-4) < 0; k++) {
      at.position.z += 1e-4; /* until the cores are apart */
    }
    double depth = unseen(&roll, &at, &can, &other, 3e-4);
    assert_true(depth >= 0);
    assert_true(depth < 1e-9);
  }
}

/* Blunt shapes on a plane: the depth is a smooth function whose slope is the point, also where they
 * stand on a flat side. */
static void blunt_shapes_rock_without_a_leap(void **state) {
  (void)state;
  ff_arena arena = {0};
  ff_geom solids[SOLIDS];
  solids_make(&arena, solids);
  const ff_geom plane = {.kind = FF_HALF_SPACE};
  const ff_pose ground = {{0, 0, 0}, {1, 0, 0, 0}};
  static const int kinds[] = {4, 5, 8};
  for (int k = 0; k < 3; k++) {
    const ff_geom *a = &solids[kinds[k]];
    for (int i = -20; i <= 20; i++) {
      ff_pose at = {{0, 0, .4}, q_exp(v3(1e-4 * i, 0, 0))};
      ff_touch here[FF_TOUCH_MAX], up[FF_TOUCH_MAX], down[FF_TOUCH_MAX];
      ff_pose more = moved(at, v3(0, 0, 0), v3(1, 0, 0), 1e-7);
      ff_pose less = moved(at, v3(0, 0, 0), v3(1, 0, 0), -1e-7);
      int count = ff_geom_touch_rounded(a, &at, &plane, &ground, 0.02, INFINITY, here);
      assert_int_equal(ff_geom_touch_rounded(a, &more, &plane, &ground, 0.02, INFINITY, up), count);
      assert_int_equal(ff_geom_touch_rounded(a, &less, &plane, &ground, 0.02, INFINITY, down),
                       count);
      double rate = (up[0].depth - down[0].depth) / 2e-7;
      assert_close(rate, -here[0].point.y, 1e-5);
    }
  }
  ff_arena_free(&arena);
}

/* ---- nothing sinks in unseen ------------------------------------------------------------------
 */

static double gap_of(const ff_geom *a, const ff_pose *at_a, const ff_geom *b, const ff_pose *at_b) {
  ff_distance near;
  ff_distance_query(&near, a, at_a, b, at_b, INFINITY);
  return near.gap;
}

/* b anywhere about a, any way or nearly lined up with it, until the cores are apart by this. */
static ff_pose put_beside(uint64_t *seed, const ff_geom *a, const ff_pose *at_a, const ff_geom *b,
                          double gap) {
  static const ff_vec3 quarters[4] = {
      {0, 0, 0}, {ff_pi / 2, 0, 0}, {0, ff_pi / 2, 0}, {0, 0, ff_pi / 2}};
  double askew = ff_random(seed) < 0.3 ? 3 : pow(10, ff_random_in(seed, -4, -1));
  ff_vec3 way = v3_unit(random_vec(seed, 1));
  ff_pose out = {{0, 0, 0}, q_mul(at_a->orientation, q_exp(quarters[(int)(4 * ff_random(seed))]))};
  out.orientation = q_mul(out.orientation, q_exp(random_vec(seed, askew)));
  double near = 0, far = 3;
  for (int k = 0; k < 45; k++) {
    double middle = 0.5 * (near + far);
    out.position = v3_scale(middle, way);
    bool short_of = gap_of(a, at_a, b, &out) < gap;
    near = short_of ? middle : near;
    far = short_of ? far : middle;
  }
  return out;
}

/* The deepest point is as deep as both radii less the gap of the cores: 0.1 of the radii is what
 * corners of the facing sides may leave out. */
static void nothing_sinks_in_unseen(void **state) {
  (void)state;
  enum { TRIES = 60 };
  const double round = 0.02;
  ff_arena arena = {0};
  ff_geom solids[SOLIDS];
  solids_make(&arena, solids);
  static const int pairs[][2] = {{2, 3}, {3, 3}, {3, 7}, {3, 9}};
  uint64_t seed = 1;
  for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
    const ff_geom *a = &solids[pairs[p][0]], *b = &solids[pairs[p][1]];
    assert_int_equal(ff_geom_prepare(a, round, &arena), FF_OK);
    assert_int_equal(ff_geom_prepare(b, round, &arena), FF_OK);
    ff_geom core_a, core_b;
    double of_a = ff_geom_core_margin(a, round), of_b = ff_geom_core_margin(b, round),
           both = of_a + of_b;
    ff_geom_erode(&core_a, a, of_a);
    ff_geom_erode(&core_b, b, of_b);
    for (int i = 0; i < TRIES; i++) {
      ff_pose at_a = {{0, 0, 0}, q_exp(random_vec(&seed, 3))};
      double gap = both * ff_random_in(&seed, 0.05, 0.8), deepest = -INFINITY;
      ff_pose at_b = put_beside(&seed, &core_a, &at_a, &core_b, gap);
      ff_touch touches[FF_TOUCH_MAX];
      int count = ff_geom_touch_rounded(a, &at_a, b, &at_b, round, 0, touches);
      for (int k = 0; k < count; k++) {
        deepest = fmax(deepest, touches[k].depth);
      }
      assert_close(deepest, both - gap, 0.101 * both);
    }
  }
  ff_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_box_of_vertices_has_a_box_as_core),
      cmocka_unit_test(cores_of_random_hulls_are_closed),
      cmocka_unit_test(too_much_erosion_leaves_a_hull_sharp),
      cmocka_unit_test(spots_keep_the_rule_of_geometry),
      cmocka_unit_test(spots_are_left_behind),
      cmocka_unit_test(rims_are_round_wherever_they_cross),
      cmocka_unit_test(blunt_shapes_rock_without_a_leap),
      cmocka_unit_test(nothing_sinks_in_unseen),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
