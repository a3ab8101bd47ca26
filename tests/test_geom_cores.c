/* Cores of hulls. */
#include "geom/hull.h"
#include "solids.h"

/* ---- cores ------------------------------------------------------------------------------- */

static void a_box_of_vertices_has_a_box_as_core(void **state) {
  (void)state;
  ff_arena arena = {0};
  ff_pose frame;
  ff_geom hull = solid_polyhedron(&arena, solid_cube, 8, &frame);
  assert_int_equal(ff_hull_erode_inner((ff_hull *)hull.hull, 0.05 / hull.hull->inside, &arena),
                   FF_OK);
  const ff_hull *core = hull.hull->inner;
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
    assert_int_equal(ff_hull_erode_inner((ff_hull *)geom.hull, 0.4, &arena), FF_OK);
    const ff_hull *core = geom.hull->inner;
    assert_non_null(core);
    assert_int_equal(core->vertex_count - core->edge_count + core->face_count, 2);
    for (int i = 0; i < core->vertex_count; i++) {
      int on = 0;
      for (int f = 0; f < geom.hull->face_count; f++) {
        double over = v3_dot(geom.hull->normal[f], core->vertices[i]) - geom.hull->offset[f] +
                      geom.hull->inner_depth;
        assert_true(over < 1e-6); /* corners that are one lie between what they were */
        on += over > -1e-6;
      }
      assert_true(on >= 3);
    }
    ff_arena_free(&arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_box_of_vertices_has_a_box_as_core),
      cmocka_unit_test(cores_of_random_hulls_are_closed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
