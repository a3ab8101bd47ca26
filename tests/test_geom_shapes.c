/* Polyhedra, superellipsoids and intersections: made, weighed, and set down on a half-space. */
#include "footfall/footfall.h"
#include "geom/hull.h"
#include "geom/implicit.h"
#include "geom/parts.h"
#include "scene_text.h"
#include "solids.h"

/* ---- polyhedra --------------------------------------------------------------------------- */

static void test_a_box_of_vertices_is_a_box(void **state) {
  (void)state;
  ff_arena arena = {0};
  ff_pose frame;
  ff_geom hull = solid_polyhedron(&arena, solid_cube, 8, &frame),
          box = {.kind = FF_BOX, .size = {.2, .5, .35}};
  assert_int_equal(hull.hull->vertex_count, 8);
  assert_int_equal(hull.hull->face_count, 6);
  assert_int_equal(hull.hull->edge_count, 12);
  assert_near(ff_geom_volume(&hull), ff_geom_volume(&box), 1e-14);
  ff_vec3 i = ff_geom_inertia(&hull), j = ff_geom_inertia(&box);
  assert_near(i.x, j.x, 1e-14);
  assert_near(i.y, j.y, 1e-14);
  assert_near(i.z, j.z, 1e-14);
  assert_near(ff_geom_bound(&hull), ff_geom_bound(&box), 1e-14);
  assert_near(ff_geom_thickness(&hull), .2, 1e-14);
  ff_arena_free(&arena);
}

/* A tetrahedron of known volume: mapped, moved, and found again. */
static void test_tetrahedron_mass(void **state) {
  (void)state;
  ff_arena arena = {0};
  ff_pose frame;
  const ff_vec3 tips[5] = {{5, 7, 9}, {6, 7, 9}, {5, 9, 9}, {5, 7, 12}, {5.2, 7.4, 9.6}};
  ff_geom hull = solid_polyhedron(&arena, tips, 5, &frame);
  assert_int_equal(hull.hull->vertex_count, 4); /* the fifth is inside */
  assert_near(ff_geom_volume(&hull), 1, 1e-13);
  assert_near(frame.position.x, 5.25, 1e-14);
  assert_near(frame.position.y, 7.5, 1e-14);
  assert_near(frame.position.z, 9.75, 1e-14);
  /* mean x^2 about the centroid is 3/80 a^2; the sum of the moments is twice that of squares */
  ff_vec3 i = ff_geom_inertia(&hull);
  assert_near(i.x + i.y + i.z, 2 * 3.0 / 80 * (1 + 4 + 9), 1e-13);
  for (int k = 0; k < 4; k++) {
    assert_close(ff_hull_above(hull.hull, hull.hull->vertices[k]), 0, 1e-14);
  }
  ff_arena_free(&arena);
}

/* Every edge has two faces, every face its vertices in its plane, and none is above it. */
static void test_random_hulls_are_closed(void **state) {
  (void)state;
  uint64_t seed = 77;
  for (int round = 0; round < 60; round++) {
    ff_arena arena = {0};
    ff_pose frame;
    ff_vec3 points[120];
    int count = 4 + (int)ff_random_in(&seed, 0, 116);
    for (int i = 0; i < count; i++) {
      points[i] = random_vec(&seed, 1);
    }
    const ff_geom geom = solid_polyhedron(&arena, points, count, &frame);
    const ff_hull *hull = geom.hull;
    assert_int_equal(hull->vertex_count - hull->edge_count + hull->face_count, 2); /* Euler */
    for (int f = 0; f < hull->face_count; f++) {
      for (int i = 0; i < hull->vertex_count; i++) {
        assert_true(v3_dot(hull->normal[f], hull->vertices[i]) < hull->offset[f] + 1e-12);
      }
    }
    for (int i = 0; i < count; i++) {
      ff_vec3 local = q_unrotate(frame.orientation, v3_sub(points[i], frame.position));
      assert_true(ff_hull_above(hull, local) < 1e-12);
    }
    ff_arena_free(&arena);
  }
}

static void test_reduce_keeps_what_stands_out(void **state) {
  (void)state;
  uint64_t seed = 5;
  ff_vec3 points[500], few[32];
  for (int i = 0; i < 500; i++) {
    points[i] = v3_unit(random_vec(&seed, 1));
  }
  int count;
  double error, coarser;
  ff_report report;
  assert_int_equal(ff_hull_reduce(few, &count, 16, points, 500, &coarser, &report), FF_OK);
  assert_int_equal(count, 16);
  assert_int_equal(ff_hull_reduce(few, &count, 32, points, 500, &error, &report), FF_OK);
  assert_int_equal(count, 32);
  assert_true(error > 0 && error < coarser && error < 0.3);
  ff_arena arena = {0};
  ff_pose frame;
  ff_geom hull = solid_polyhedron(&arena, few, count, &frame);
  double most = 0;
  for (int i = 0; i < 500; i++) {
    ff_vec3 local = q_unrotate(frame.orientation, v3_sub(points[i], frame.position));
    most = fmax(most, ff_hull_above(hull.hull, local));
  }
  assert_near(most, error, 1e-9);
  ff_arena_free(&arena);
  /* enough room: nothing is lost */
  assert_int_equal(ff_hull_reduce(few, &count, 32, solid_cube, 8, &error, &report), FF_OK);
  assert_int_equal(count, 8);
  assert_true(error == 0);
}

/* A box as tools write it: every face cut into many triangles, in single precision. */
static void test_reduce_finds_the_corners_of_a_fine_mesh(void **state) {
  (void)state;
  ff_vec3 points[6 * 21 * 21], few[64];
  int count = 0;
  for (int face = 0; face < 6; face++) {
    for (int k = 0; k < 21 * 21; k++) {
      double u = k % 21 / 10.0 - 1, v = k / 21 / 10.0 - 1, w = face % 2 ? 1 : -1;
      ff_vec3 p = face < 2 ? v3(u, v, w) : face < 4 ? v3(u, w, v) : v3(w, u, v);
      points[count++] = v3((float)(0.3 * p.x + 0.1), (float)(0.1 * p.y), (float)(0.7 * p.z));
    }
  }
  double error;
  ff_report report;
  assert_int_equal(ff_hull_reduce(few, &count, 64, points, 6 * 21 * 21, &error, &report), FF_OK);
  assert_int_equal(count, 8);
  assert_true(error == 0);
  for (int i = 0; i < 8; i++) {
    assert_near(fabs(few[i].x - 0.1) + fabs(few[i].y) + fabs(few[i].z), 1.1, 1e-6);
  }
}

static void test_flat_points_are_refused(void **state) {
  (void)state;
  ff_arena arena = {0};
  ff_pose frame;
  ff_geom geom;
  ff_report report = {0};
  ff_vec3 flat[5] = {{0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}, {.5, .5, 1}};
  ff_vec3 one[4] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
  ff_vec3 wild[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, NAN}};
  const ff_vec3 *bad[] = {flat, one, wild};
  for (int i = 0; i < 3; i++) {
    ff_shape_def def = ff_shape_def_default();
    def.kind = FF_POLYHEDRON;
    def.vertices = bad[i];
    def.vertex_count = 4;
    assert_int_equal(ff_geom_make(&geom, &frame, &arena, &def, &report), FF_ERROR_INPUT);
    assert_true(report.what[0] != 0);
  }
  ff_arena_free(&arena);
}

/* ---- superellipsoids --------------------------------------------------------------------- */

static void test_exponents_two_make_an_ellipsoid(void **state) {
  (void)state;
  ff_geom super = {.kind = FF_SUPERELLIPSOID, .size = {.2, .5, .35}, .exponents = {2, 2}},
          egg = {.kind = FF_ELLIPSOID, .size = {.2, .5, .35}};
  assert_near(ff_geom_volume(&super), ff_geom_volume(&egg), 1e-14);
  ff_vec3 i = ff_geom_inertia(&super), j = ff_geom_inertia(&egg);
  assert_near(i.x, j.x, 1e-14);
  assert_near(i.y, j.y, 1e-14);
  assert_near(i.z, j.z, 1e-14);
  uint64_t seed = 3;
  for (int k = 0; k < 100; k++) {
    ff_vec3 n = random_vec(&seed, 1), p = ff_geom_support(&super, n), q = ff_geom_support(&egg, n);
    assert_close(v3_norm(v3_sub(p, q)), 0, 1e-15);
  }
}

/* Volume and moments against sections of thin slices. */
static void test_superellipsoid_mass(void **state) {
  (void)state;
  const double exponents[][2] = {{1.2, 3}, {4, 1.5}, {8, 8}, {20, 20}, {1.1, 1.1}};
  for (int e = 0; e < 5; e++) {
    ff_geom geom = {.kind = FF_SUPERELLIPSOID,
                    .size = {.2, .5, .35},
                    .exponents = {exponents[e][0], exponents[e][1]}};
    double volume = 0, xx = 0, zz = 0;
    int n = 400;
    for (int i = 0; i < n; i++) { /* finer towards the rim, where sections shrink fast */
      double u = (i + 0.5) / n, z = 1 - pow(1 - u, 3), dz = 3 * pow(1 - u, 2) / n;
      double r = pow(1 - pow(z, exponents[e][1]), 1 / exponents[e][1]), area = 0, axx = 0;
      for (int j = 0; j < n; j++) {
        double v = (j + 0.5) / n, x = 1 - pow(1 - v, 3), dx = 3 * pow(1 - v, 2) / n;
        double y = pow(1 - pow(x, exponents[e][0]), 1 / exponents[e][0]);
        area += y * dx;
        axx += x * x * y * dx;
      }
      volume += dz * r * r * area;
      xx += dz * pow(r, 4) * axx;
      zz += dz * z * z * r * r * area;
    }
    double scale = 8 * .2 * .5 * .35;
    ff_vec3 i = ff_geom_inertia(&geom);
    assert_near(ff_geom_volume(&geom), scale * volume, 5e-4); /* of the slices */
    assert_near(0.5 * (i.y + i.z - i.x), scale * .04 * xx, 5e-4);
    assert_near(0.5 * (i.x + i.y - i.z), scale * .35 * .35 * zz, 5e-4);
  }
}

/* ---- intersections ------------------------------------------------------------------------- */

static void test_half_a_ball(void **state) {
  (void)state;
  ff_arena arena = {0};
  ff_pose frame;
  ff_shape_def members[2] = {solid_member(FF_SPHERE, v3(.3, 0, 0), v3(1, 2, 3), v3(0, 0, 0)),
                             solid_member(FF_HALF_SPACE, v3(0, 0, 0), v3(1, 2, 3), v3(0, 0, 0))};
  ff_geom dome = solid_intersection(&arena, members, 2, &frame);
  double volume = 2.0 / 3 * ff_pi * .027;
  assert_near(ff_geom_volume(&dome), volume, 1e-5); /* what is promised */
  assert_close(frame.position.x, 1, 1e-6);
  assert_close(frame.position.z, 3 - 3.0 / 8 * .3, 1e-5 * .3);
  ff_vec3 i = ff_geom_inertia(&dome);
  double across = (2.0 / 5 - 9.0 / 64) * volume * .09, along = 2.0 / 5 * volume * .09;
  assert_near(i.x + i.y + i.z, 2 * across + along, 2e-5);
  ff_arena_free(&arena);
}

/* The part that two balls share, and a ball that is all inside a box. */
static void test_lens_and_whole_ball(void **state) {
  (void)state;
  ff_arena arena = {0};
  ff_pose frame;
  ff_shape_def lens[2] = {solid_member(FF_SPHERE, v3(1, 0, 0), v3(0, 0, -.8), v3(0, 0, 0)),
                          solid_member(FF_SPHERE, v3(1, 0, 0), v3(0, 0, .8), v3(0, 0, 0))};
  ff_geom geom = solid_intersection(&arena, lens, 2, &frame);
  assert_near(ff_geom_volume(&geom), 2 * ff_pi * .04 * (3 - .2) / 3, 1e-5);
  assert_true(ff_geom_bound(&geom) < 0.9); /* .6 is the rim, and a box holds it */
  ff_shape_def whole[2] = {solid_member(FF_SPHERE, v3(1, 0, 0), v3(0, 0, 0), v3(0, 0, 0)),
                           solid_member(FF_BOX, v3(2, 2, 2), v3(0, 0, 0), v3(.3, .2, .1))};
  geom = solid_intersection(&arena, whole, 2, &frame);
  assert_near(ff_geom_volume(&geom), 4.0 / 3 * ff_pi, 1e-7);
  ff_arena_free(&arena);
}

static void test_nothing_in_common_is_refused(void **state) {
  (void)state;
  ff_arena arena = {0};
  ff_pose frame;
  ff_geom geom;
  ff_report report = {0};
  ff_shape_def apart[2] = {solid_member(FF_SPHERE, v3(1, 0, 0), v3(0, 0, -1.1), v3(0, 0, 0)),
                           solid_member(FF_SPHERE, v3(1, 0, 0), v3(0, 0, 1.1), v3(0, 0, 0))};
  ff_shape_def endless[2] = {solid_member(FF_HALF_SPACE, v3(0, 0, 0), v3(0, 0, 1), v3(0, 0, 0)),
                             solid_member(FF_HALF_SPACE, v3(0, 0, 0), v3(0, 0, 1), v3(1, 0, 0))};
  ff_shape_def def = ff_shape_def_default();
  def.kind = FF_INTERSECTION;
  def.member_count = 2;
  def.members = apart;
  assert_int_equal(ff_geom_make(&geom, &frame, &arena, &def, &report), FF_ERROR_INPUT);
  assert_non_null(strstr(report.what, "in common"));
  def.members = endless;
  assert_int_equal(ff_geom_make(&geom, &frame, &arena, &def, &report), FF_ERROR_INPUT);
  assert_non_null(strstr(report.what, "half-space"));
  def.member_count = 1;
  assert_int_equal(ff_geom_make(&geom, &frame, &arena, &def, &report), FF_ERROR_INPUT);
  ff_arena_free(&arena);
}

/* ---- rules and support ------------------------------------------------------------------------
 */

static void test_rules_have_their_derivatives(void **state) {
  (void)state;
  ff_arena arena = {0};
  ff_geom geoms[SOLIDS];
  solids_make(&arena, geoms);
  uint64_t seed = 31;
  for (int g = 0; g < SOLIDS; g++) {
    for (int round = 0; round < 30; round++) {
      ff_vec3 x = random_vec(&seed, .5), d = v3_unit(random_vec(&seed, 1));
      for (int k = 0; k < ff_geom_rule_count(&geoms[g]); k++) {
        ff_rule at, more, less;
        double step = 1e-5;
        ff_geom_rule(&geoms[g], k, x, &at);
        ff_geom_rule(&geoms[g], k, v3_axpy(x, step, d), &more);
        ff_geom_rule(&geoms[g], k, v3_axpy(x, -step, d), &less);
        double scale = 1 + v3_norm(m3_mul(at.bend, d));
        assert_close(v3_dot(at.slope, d), (more.value - less.value) / (2 * step), 1e-6 * scale);
        ff_vec3 turned = v3_scale(0.5 / step, v3_sub(more.slope, less.slope));
        /* powers below 2 bend ever more towards the planes of symmetry */
        double flat = fmin(fabs(x.x), fmin(fabs(x.y), fabs(x.z)));
        if (flat > 0.02) {
          assert_close(v3_norm(v3_sub(m3_mul(at.bend, d), turned)), 0, 1e-5 * scale);
        }
      }
    }
  }
  ff_arena_free(&arena);
}

/* The support point is inside, and no other point of the surface is farther. */
static void test_support_is_farthest(void **state) {
  (void)state;
  ff_arena arena = {0};
  ff_geom geoms[SOLIDS];
  solids_make(&arena, geoms);
  uint64_t seed = 41;
  for (int g = 0; g < SOLIDS; g++) {
    double size = ff_geom_bound(&geoms[g]);
    for (int round = 0; round < 40; round++) {
      ff_vec3 n = v3_unit(random_vec(&seed, 1)), p = ff_geom_support(&geoms[g], n);
      assert_close(ff_geom_value(&geoms[g], p, NULL), 0, 1e-11 * size);
      double far = v3_dot(n, p);
      assert_true(v3_norm(p) < size * (1 + 1e-9));
      for (int k = 0; k < 300; k++) {
        ff_vec3 u = v3_unit(k % 2 ? random_vec(&seed, 1) : v3_axpy(p, 0.2, random_vec(&seed, .5)));
        ff_vec3 q = v3_scale(ff_geom_exit(&geoms[g], v3(0, 0, 0), u, NULL), u);
        assert_close(ff_geom_value(&geoms[g], q, NULL), 0, 1e-11 * size);
        assert_true(v3_dot(n, q) < far + 1e-11 * size);
      }
    }
  }
  ff_arena_free(&arena);
}

/* ---- on a half-space ---------------------------------------------------------------------------
 */

static const ff_sample *sample_of(const ff_sample *samples, int count, ff_feature_pair id) {
  for (int i = 0; i < count; i++) {
    if (ff_feature_pair_equal(samples[i].id, id)) {
      return &samples[i];
    }
  }
  return NULL;
}

/* Some sample is as deep as the lowest point, or the pair as a whole is; depths change by their
 * gradients. */
static void test_on_a_half_space(void **state) {
  (void)state;
  ff_arena arena = {0};
  ff_geom geoms[SOLIDS], ground = {.kind = FF_HALF_SPACE};
  solids_make(&arena, geoms);
  uint64_t seed = 51;
  for (int g = 0; g < SOLIDS; g++) {
    for (int round = 0; round < 50; round++) {
      ff_pose pose = random_pose(&seed, .4), plane = random_pose(&seed, .1);
      ff_vec3 spin = random_vec(&seed, 1), speed = random_vec(&seed, 1);
      ff_sample at[FF_SAMPLES_MAX], later[FF_SAMPLES_MAX], before[FF_SAMPLES_MAX];
      ff_manifold found;
      ff_manifold_find(&geoms[g], &pose, &ground, &plane, INFINITY, &found);
      ff_vec3 n = q_rotate(plane.orientation, v3(0, 0, 1));
      ff_vec3 low = ff_geom_support(&geoms[g], q_unrotate(pose.orientation, v3_neg(n)));
      double step = 1e-6;
      ff_pose next = {v3_axpy(pose.position, step, speed),
                      q_mul(q_exp(v3_scale(step, spin)), pose.orientation)};
      ff_pose last = {v3_axpy(pose.position, -step, speed),
                      q_mul(q_exp(v3_scale(-step, spin)), pose.orientation)};
      int count = contact_samples(&geoms[g], &pose, &ground, &plane, INFINITY, at);
      int count_later = contact_samples(&geoms[g], &next, &ground, &plane, INFINITY, later);
      int count_before = contact_samples(&geoms[g], &last, &ground, &plane, INFINITY, before);
      for (int i = 0; i < count; i++) {
        const ff_sample *to = sample_of(later, count_later, at[i].id);
        const ff_sample *from = sample_of(before, count_before, at[i].id);
        ff_vec3 moved = v3_add(speed, v3_cross(spin, v3_sub(at[i].point, pose.position)));
        double rate = v3_dot(at[i].d_depth.shift, moved) + v3_dot(at[i].d_depth.turn, spin);
        if (to && from) {
          assert_close((to->depth - from->depth) / (2 * step), rate, 1e-6);
        }
      }
      ff_vec3 lowest = pose_point(pose, low);
      /* flat sides of superellipsoids are domed by up to 1e-4 of each half extent */
      double domed = geoms[g].kind == FF_SUPERELLIPSOID ? 3e-4 * ff_geom_bound(&geoms[g]) : 1e-12;
      assert_close(found.depth, -v3_dot(n, v3_sub(lowest, plane.position)), domed);
    }
  }
  ff_arena_free(&arena);
}

/* ---- in a scene -------------------------------------------------------------------------------
 */

static void test_scene_of_new_shapes(void **state) {
  (void)state;
  const char *text =
      "footfall: 1\n"
      "materials: {wood: {density: 600}}\n"
      "bodies:\n"
      "  floor: {fixed: true, shape: {half-space: {}}}\n"
      "  wedge: {material: wood, position: [0, 0, 1], shape: {polyhedron: {vertices: [[0, 0, 0], "
      "[1, 0, 0], [0, 2, 0], [0, 0, 3]]}, position: [1, 0, 0]}}\n"
      "  pebble: {material: wood, position: [5, 0, 1],\n"
      "    shape: {superellipsoid: {axes: [.2, .1, .1], exponents: [3, 2.5]}}}\n"
      "  dome: {material: wood, position: [9, 0, 1], shape: {intersection: {members: [\n"
      "    {sphere: {radius: .3}}, {half-space: {normal: [0, 0, -1]}}]}}}\n"
      "contacts: [{pair: ['*', floor], normal: {law: hunt-crossley, k: 1e5, alpha: 1}}]\n";
  ff_model *model = model_of(text, NULL);
  ff_body_info wedge = ff_model_body_info(model, ff_model_body_find(model, "wedge"));
  assert_near(wedge.mass, 600, 1e-13);
  assert_near(wedge.com.x, 1.25, 1e-13);
  ff_body_info dome = ff_model_body_info(model, ff_model_body_find(model, "dome"));
  assert_close(dome.com.z, 3.0 / 8 * .3, 1e-5);
  ff_shape_info shape = ff_model_shape_info(model, (ff_shape){.id = 2});
  assert_int_equal(shape.vertex_count, 4);
  assert_int_equal(shape.face_count, 4);
  assert_near(shape.volume, 1, 1e-13);
  ff_model_destroy(&model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_box_of_vertices_is_a_box),
      cmocka_unit_test(test_tetrahedron_mass),
      cmocka_unit_test(test_random_hulls_are_closed),
      cmocka_unit_test(test_reduce_keeps_what_stands_out),
      cmocka_unit_test(test_reduce_finds_the_corners_of_a_fine_mesh),
      cmocka_unit_test(test_flat_points_are_refused),
      cmocka_unit_test(test_exponents_two_make_an_ellipsoid),
      cmocka_unit_test(test_superellipsoid_mass),
      cmocka_unit_test(test_half_a_ball),
      cmocka_unit_test(test_lens_and_whole_ball),
      cmocka_unit_test(test_nothing_in_common_is_refused),
      cmocka_unit_test(test_rules_have_their_derivatives),
      cmocka_unit_test(test_support_is_farthest),
      cmocka_unit_test(test_on_a_half_space),
      cmocka_unit_test(test_scene_of_new_shapes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
