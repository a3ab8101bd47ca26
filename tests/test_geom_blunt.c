/* Cores of hulls, and shapes with flat places on a half-space that are blunt. */
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

/* ---- blunt ------------------------------------------------------------------------------------
 */

static ff_pose moved(ff_pose pose, ff_vec3 shift, ff_vec3 turn, double by) {
  return (ff_pose){v3_axpy(pose.position, by, shift),
                   q_mul(q_exp(v3_scale(by, turn)), pose.orientation)};
}

/* Blunt shapes on a plane: the depth is a smooth function whose slope is the point, also where they
 * stand on a flat side. */
static void blunt_shapes_rock_without_a_leap(void **state) {
  (void)state;
  ff_arena arena = {0};
  ff_geom solids[SOLIDS];
  solids_make(&arena, solids);
  const ff_pose ground = {{0, 0, 0}, {1, 0, 0, 0}};
  const ff_geom plane = {.kind = FF_HALF_SPACE};
  static const int kinds[] = {4, 5, 8};
  for (int k = 0; k < 3; k++) {
    const ff_geom *a = &solids[kinds[k]];
    for (int i = -20; i <= 20; i++) {
      ff_pose at = {{0, 0, .4}, q_exp(v3(1e-4 * i, 0, 0))};
      ff_touch here[FF_TOUCH_MAX], up[FF_TOUCH_MAX], down[FF_TOUCH_MAX];
      ff_pose more = moved(at, v3(0, 0, 0), v3(1, 0, 0), 1e-7);
      ff_pose less = moved(at, v3(0, 0, 0), v3(1, 0, 0), -1e-7);
      int count = ff_geom_touch_blunt(a, &at, &plane, &ground, 0.02, INFINITY, here);
      assert_int_equal(ff_geom_touch_blunt(a, &more, &plane, &ground, 0.02, INFINITY, up), count);
      assert_int_equal(ff_geom_touch_blunt(a, &less, &plane, &ground, 0.02, INFINITY, down), count);
      for (int n = 0; n < count; n++) {
        assert_close(here[n].weight, 1, 0);
      }
      double rate = (up[0].depth - down[0].depth) / 2e-7;
      assert_close(rate, -here[0].point.y, 1e-5);
    }
  }
  ff_arena_free(&arena);
}

static double blunt_depth(const ff_geom *geom, ff_quat turn, double layer, ff_touch *deepest) {
  const ff_pose ground = {{0, 0, 0}, {1, 0, 0, 0}}, at = {{0, 0, 0}, turn};
  const ff_geom plane = {.kind = FF_HALF_SPACE};
  ff_touch out[FF_TOUCH_MAX];
  assert_true(ff_geom_touch_blunt(geom, &at, &plane, &ground, layer, INFINITY, out) > 0);
  *deepest = out[0];
  return out[0].depth;
}

static const double layers[] = {0.01, 0.02, 0.05, 0.1, 0.2}; /* of the radius of 1 m */

/* A ball cut off above, by members of other sizes: below it is a ball for any layer. */
static void a_member_alone_is_as_deep_as_without_the_others(void **state) {
  (void)state;
  ff_shape_def cuts[4][2] = {
      {[1] = solid_member(FF_BOX, v3(4, 4, 2), v3(0, 0, -1.5), v3(0, 0, 0))},
      {[1] = solid_member(FF_BOX, v3(40, 40, 20), v3(0, 0, -19.5), v3(0, 0, 0))},
      {[1] = solid_member(FF_ELLIPSOID, v3(3, 3, 2), v3(0, 0, -1.5), v3(0, 0, 0))},
      {[1] = solid_member(FF_HALF_SPACE, v3(0, 0, 0), v3(0, 0, .5), v3(0, 0, 0))}};
  for (int c = 0; c < 4; c++) {
    ff_arena arena = {0};
    ff_pose frame;
    cuts[c][0] = solid_member(FF_SPHERE, v3(1, 0, 0), v3(0, 0, 0), v3(0, 0, 0));
    ff_geom geom = solid_intersection(&arena, cuts[c], 2, &frame);
    for (int l = 0; l < 5; l++) {
      for (int i = -8; i <= 8; i++) {
        ff_quat turn = q_mul(q_exp(v3(.1 * i, .03 * i, 0)), frame.orientation);
        ff_vec3 middle = v3_neg(q_rotate(q_mul(turn, q_conj(frame.orientation)), frame.position));
        ff_touch touch; /* its origin is the centroid, the ball's middle is elsewhere */
        assert_close(blunt_depth(&geom, turn, layers[l], &touch), 1 - middle.z, 1e-9);
        assert_close(touch.point.x, middle.x, 1e-6);
        assert_close(touch.point.y, middle.y, 1e-6);
      }
    }
    ff_arena_free(&arena);
  }
}

/* Half a ball: on the middle of its flat side it is as deep as sharp, and tilted at most by a tenth
 * of the layer less deep. */
static void a_flat_side_is_as_deep_as_sharp(void **state) {
  (void)state;
  ff_arena arena = {0};
  ff_pose frame;
  ff_shape_def half[2] = {solid_member(FF_SPHERE, v3(1, 0, 0), v3(0, 0, 0), v3(0, 0, 0)),
                          solid_member(FF_HALF_SPACE, v3(0, 0, 0), v3(0, 0, 0), v3(0, 0, 0))};
  ff_geom geom = solid_intersection(&arena, half, 2, &frame);
  ff_quat over = q_mul(q_exp(v3(ff_pi, 0, 0)), frame.orientation); /* the flat side down */
  double centroid = fabs(frame.position.z);
  for (int l = 0; l < 5; l++) {
    ff_touch touch;
    assert_close(blunt_depth(&geom, over, layers[l], &touch), centroid, 1e-9);
    for (int i = -30; i <= 30; i++) {
      double tilt = 0.03 * i, sharp = centroid * cos(tilt) + fabs(sin(tilt));
      double depth = blunt_depth(&geom, q_mul(q_exp(v3(0, tilt, 0)), over), layers[l], &touch);
      assert_true(depth < sharp + 1e-9);
      assert_true(depth > sharp - 0.1 * layers[l]);
    }
  }
  ff_arena_free(&arena);
}

/* Points and normals of both caps, their domes and corners, as the cylinder leans: the derivatives
 * by its pose are difference quotients, along and about each axis. */
static void cylinder_slopes_are_differences(void **state) {
  (void)state;
  const ff_geom can = {.kind = FF_CYLINDER, .size = {0.3, 0.4, 0}};
  const ff_pose ground = {{0.1, -0.2, 0.05}, q_exp(v3(0.1, -0.2, 0.3))};
  const double step = 1e-6;
  for (int i = 0; i < 10; i++) {
    ff_pose at = {{0.2, 0.1, 0.5}, q_exp(v3(0.05 * (i % 5), 0.02, 0.4))};
    ff_touch here = {.id.a = (short)(i / 5 * FF_CYLINDER_CAP + i % 5)}, up = here, down = here;
    ff_touch_slopes slopes;
    ff_cylinder_plane_evaluate(&can, &at, &ground, 0.02, &here, &slopes);
    for (int k = 0; k < 6; k++) {
      ff_vec3 axis = v3(k % 3 == 0, k % 3 == 1, k % 3 == 2), none = v3(0, 0, 0);
      ff_vec3 shift = k < 3 ? axis : none, turn = k < 3 ? none : axis;
      ff_pose more = moved(at, shift, turn, step), less = moved(at, shift, turn, -step);
      ff_cylinder_plane_evaluate(&can, &more, &ground, 0.02, &up, NULL);
      ff_cylinder_plane_evaluate(&can, &less, &ground, 0.02, &down, NULL);
      ff_vec3 rate = v3_scale(0.5 / step, v3_sub(up.point, down.point));
      const double *expected[3] = {&rate.x, &rate.y, &rate.z};
      for (int row = 0; row < 3; row++) {
        assert_close(slopes.point[k / 3].m[row][k % 3], *expected[row], 1e-5);
        assert_close(slopes.normal[k / 3].m[row][k % 3], 0, 0);
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_box_of_vertices_has_a_box_as_core),
      cmocka_unit_test(cores_of_random_hulls_are_closed),
      cmocka_unit_test(blunt_shapes_rock_without_a_leap),
      cmocka_unit_test(a_member_alone_is_as_deep_as_without_the_others),
      cmocka_unit_test(a_flat_side_is_as_deep_as_sharp),
      cmocka_unit_test(cylinder_slopes_are_differences),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
