/* Overlap of shapes with half-spaces: against references of 50 digits, against itself, and
 * at the edges of what makes sense. */
#include "geom/overlap.h"
#include "testing.h"

static const ff_geom geoms[] = {
    {.kind = FF_SPHERE, .size = {0.3, 0, 0}},     {.kind = FF_ELLIPSOID, .size = {0.2, 0.5, 0.35}},
    {.kind = FF_BOX, .size = {0.2, 0.5, 0.35}},   {.kind = FF_CAPSULE, .size = {0.2, 0.4, 0}},
    {.kind = FF_CYLINDER, .size = {0.3, 0.4, 0}},
};
enum { GEOMS = sizeof geoms / sizeof *geoms };

static ff_vec3 random_normal(uint64_t *seed) {
  ff_vec3 v;
  do {
    v = v3(ff_random_in(seed, -1, 1), ff_random_in(seed, -1, 1), ff_random_in(seed, -1, 1));
  } while (v3_norm(v) < 0.1 || v3_norm(v) > 1);
  return v3_unit(v);
}

static ff_slab overlap_at(const ff_geom *geom, ff_vec3 normal, double depth) {
  ff_slab out;
  ff_geom_overlap(geom, &(ff_cut){normal, depth, 2 * ff_geom_reach(geom, normal) - depth}, &out);
  return out;
}

static double matrix_size(const ff_mat3 *a) {
  double size = 0;
  for (int i = 0; i < 9; i++) {
    size = fmax(size, fabs(a->m[i / 3][i % 3]));
  }
  return size;
}

static void assert_matrix(const ff_mat3 *a, const ff_mat3 *b, double relative) {
  double tolerance = relative * matrix_size(b);
  for (int i = 0; i < 9; i++) {
    assert_close(a->m[i / 3][i % 3], b->m[i / 3][i % 3], tolerance);
  }
}

/* ---- references -------------------------------------------------------------------------- */

static void check_reference(ff_shape_kind kind, const double *v) {
  ff_geom geom = {.kind = kind, .size = v3_load(v)};
  ff_vec3 given = v3_load(v + 3), point = v3_load(v + 6);
  ff_cut cut = ff_geom_cut(&geom, given, point);
  ff_slab slab;
  ff_geom_overlap(&geom, &cut, &slab);
  ff_mat3 moments = ff_overlap_moments(&slab.spread);
  ff_mat3 expected = {{{v[13], v[16], v[17]}, {v[16], v[14], v[18]}, {v[17], v[18], v[15]}}};
  assert_near(slab.volume, v[9], 1e-12);
  assert_matrix(&moments, &expected, 1e-12);
  ff_vec3 off = v3_sub(slab.centroid, v3_load(v + 10));
  assert_close(v3_norm(off), 0, 1e-12 * v3_norm(v3_load(v + 10)));
  double depth = v3_dot(v3_sub(point, v3_load(v + 10)), cut.normal);
  assert_close(slab.centroid_depth, depth, 1e-15 + 1e-12 * depth);
}

static void references_of_fifty_digits(void **state) {
  (void)state;
  FILE *in = fopen(FF_SOURCE_DIR "/tests/overlap_reference.csv", "r");
  assert_non_null(in);
  char line[1024];
  int cases = 0;
  assert_non_null(fgets(line, sizeof line, in)); /* the names */
  while (fgets(line, sizeof line, in)) {
    double v[19];
    char *at = strchr(line, ',');
    assert_non_null(at);
    *at++ = '\0';
    for (int i = 0; i < 19; i++) {
      v[i] = strtod(at, &at);
      at += *at == ',';
    }
    for (int kind = 0; kind < FF_SHAPE_KIND_COUNT; kind++) {
      if (strcmp(ff_shape_kind_name((ff_shape_kind)kind), line) == 0) {
        check_reference((ff_shape_kind)kind, v);
        cases++;
      }
    }
  }
  fclose(in);
  assert_int_equal(cases, 168);
}

/* ---- the overlap against itself ------------------------------------------------------------ */

static ff_mat3 times(double factor, ff_mat3 a) {
  for (int i = 0; i < 9; i++) {
    a.m[i / 3][i % 3] *= factor;
  }
  return a;
}

typedef void overlap_check(const ff_geom *geom, ff_vec3 normal, double depth);

/* Every shape at many tilts and depths, up to complete overlap. */
static void each_cut(overlap_check *check) {
  uint64_t seed = 11;
  for (int i = 0; i < GEOMS; i++) {
    for (int k = 0; k < 200; k++) {
      ff_vec3 normal = random_normal(&seed);
      check(&geoms[i], normal, ff_random_in(&seed, 0.01, 1.99) * ff_geom_reach(&geoms[i], normal));
    }
  }
}

/* Volume grows by the section, volume times depth of the centroid by the volume: the second is
 * what makes the overlap a potential. Differences over 1e-5: truncation below 1e-9. */
static void check_growth(const ff_geom *geom, ff_vec3 normal, double depth) {
  double h = 1e-5 * depth;
  ff_slab here = overlap_at(geom, normal, depth);
  ff_slab more = overlap_at(geom, normal, depth + h), less = overlap_at(geom, normal, depth - h);
  assert_near((more.volume - less.volume) / (2 * h), here.area, 1e-6);
  double energy = more.volume * more.centroid_depth - less.volume * less.centroid_depth;
  assert_near(energy / (2 * h), here.volume, 1e-6);
}

static void volume_times_centroid_depth_is_a_potential(void **state) {
  (void)state;
  each_cut(check_growth);
}

/* Turning the plane about the centroid does not change that potential. */
static void check_turning(const ff_geom *geom, ff_vec3 normal, double depth) {
  ff_slab here = overlap_at(geom, normal, depth);
  ff_vec3 axis = v3_orthogonal(normal);
  double height = depth - ff_geom_reach(geom, normal), h = 1e-5, energy[2];
  ff_vec3 point = v3_axpy(here.centroid, height - v3_dot(normal, here.centroid), normal);
  for (int i = 0; i < 2; i++) {
    ff_quat turn = q_exp(v3_scale(i ? h : -h, axis));
    ff_vec3 arm = q_rotate(turn, v3_sub(point, here.centroid));
    ff_cut cut = ff_geom_cut(geom, q_rotate(turn, normal), v3_add(here.centroid, arm));
    ff_slab slab;
    ff_geom_overlap(geom, &cut, &slab);
    energy[i] = slab.volume * slab.centroid_depth;
  }
  double scale = here.volume * ff_geom_bound(geom);
  assert_close((energy[1] - energy[0]) / (2 * h), 0, 1e-7 * scale);
}

static void the_force_acts_at_the_centroid(void **state) {
  (void)state;
  each_cut(check_turning);
}

/* Below and above the plane make the whole. */
static void check_whole(const ff_geom *geom, ff_vec3 normal, double depth) {
  ff_slab below = overlap_at(geom, normal, depth);
  ff_slab above = overlap_at(geom, v3_neg(normal), 2 * ff_geom_reach(geom, normal) - depth);
  double whole = ff_geom_volume(geom);
  assert_near(below.volume + above.volume, whole, 1e-13);
  ff_vec3 first =
      v3_add(v3_scale(below.volume, below.centroid), v3_scale(above.volume, above.centroid));
  assert_close(v3_norm(first), 0, 1e-13 * whole * ff_geom_bound(geom));
  assert_near(below.area, above.area, 1e-9);
}

static void parts_make_the_whole(void **state) {
  (void)state;
  each_cut(check_whole);
}

/* The spread lies in the plane, and no direction in it has a negative one. */
static void check_spread(const ff_geom *geom, ff_vec3 normal, double depth) {
  ff_slab slab = overlap_at(geom, normal, depth);
  double size = matrix_size(&slab.spread);
  assert_close(v3_norm(m3_mul(slab.spread, normal)), 0, 1e-14 * size);
  ff_vec3 t1 = v3_orthogonal(normal), t2 = v3_cross(normal, t1);
  ff_overlap seen = ff_overlap_seen(&slab, t1, t2);
  assert_near(seen.second[0][0], seen.second[1][1] + seen.second[2][2], 1e-14);
  assert_true(seen.second[1][1] * seen.second[2][2] > seen.second[1][2] * seen.second[1][2]);
}

static void moments_belong_to_the_plane(void **state) {
  (void)state;
  each_cut(check_spread);
}

/* Lengths times 1000: nothing depends on the unit. */
static void check_scale(const ff_geom *geom, ff_vec3 normal, double depth) {
  ff_geom large = {.kind = geom->kind, .size = v3_scale(1000, geom->size)};
  ff_slab a = overlap_at(geom, normal, depth), b = overlap_at(&large, normal, 1000 * depth);
  assert_near(b.volume, 1e9 * a.volume, 1e-13);
  ff_mat3 expected = times(1e15, a.spread);
  assert_matrix(&b.spread, &expected, 1e-12);
}

static void lengths_scale(void **state) {
  (void)state;
  each_cut(check_scale);
}

/* Height and lean in columns along the normal; their kinks at the rim leave some 1e-3. */
static void check_rise(const ff_geom *geom, ff_vec3 normal, double depth) {
  enum { SIDE = 120 };
  static int skip = 0;
  if (skip++ % 20 != 0) { /* it is slow: a few will do */
    return;
  }
  ff_slab slab = overlap_at(geom, normal, depth);
  ff_vec3 t1 = v3_orthogonal(normal), t2 = v3_cross(normal, t1);
  double reach = 2 * ff_geom_bound(geom), step = 2 * reach / SIDE, nn = 0, n1 = 0, n2 = 0;
  for (int k = 0; k < SIDE * SIDE; k++) {
    double a = (k % SIDE + 0.5) * step - reach, b = (k / SIDE + 0.5) * step - reach;
    double from, to;
    ff_vec3 at = v3_axpy(v3_axpy(slab.centroid, a, t1), b, t2);
    if (ff_geom_line(geom, at, normal, &from, &to) && from < slab.centroid_depth) {
      to = fmin(to, slab.centroid_depth);
      double first = 0.5 * (to * to - from * from);
      nn += step * step * (to * to * to - from * from * from) / 3;
      n1 += step * step * first * a;
      n2 += step * step * first * b;
    }
  }
  double size = v3_norm(slab.rise) + matrix_size(&slab.spread);
  assert_close(v3_dot(slab.rise, normal), nn, 0.02 * size);
  assert_close(v3_dot(slab.rise, t1), n1, 0.02 * size);
  assert_close(v3_dot(slab.rise, t2), n2, 0.02 * size);
}

static void height_and_lean_add_up(void **state) {
  (void)state;
  each_cut(check_rise);
}

/* ---- one shape seen as another ----------------------------------------------------------------
 */

static void a_sphere_is_a_round_ellipsoid(void **state) {
  (void)state;
  uint64_t seed = 3;
  ff_geom sphere = {.kind = FF_SPHERE, .size = {0.3, 0, 0}},
          round = {.kind = FF_ELLIPSOID, .size = {0.3, 0.3, 0.3}};
  for (int i = 0; i < 100; i++) {
    ff_vec3 normal = random_normal(&seed);
    double depth = ff_random_in(&seed, 0, 0.7);
    ff_slab a = overlap_at(&sphere, normal, depth), b = overlap_at(&round, normal, depth);
    assert_near(a.volume, b.volume, 1e-14);
    assert_matrix(&a.spread, &b.spread, 1e-13);
  }
}

/* A capsule with next to no straight part is a sphere. */
static void a_short_capsule_is_a_sphere(void **state) {
  (void)state;
  uint64_t seed = 5;
  ff_geom sphere = {.kind = FF_SPHERE, .size = {0.3, 0, 0}},
          shorty = {.kind = FF_CAPSULE, .size = {0.3, 1e-16, 0}};
  for (int i = 0; i < 100; i++) {
    ff_vec3 normal = random_normal(&seed);
    double depth = ff_random_in(&seed, 0, 0.6);
    ff_slab a = overlap_at(&sphere, normal, depth), b = overlap_at(&shorty, normal, depth);
    assert_near(b.volume, a.volume, 1e-13);
    assert_near(b.area, a.area, 1e-9);
    assert_matrix(&b.spread, &a.spread, 1e-12);
  }
}

/* Level boxes and standing or lying cylinders: prisms, by hand. */
static void level_shapes_are_prisms(void **state) {
  (void)state;
  ff_geom box = {.kind = FF_BOX, .size = {0.2, 0.5, 0.35}},
          can = {.kind = FF_CYLINDER, .size = {0.3, 0.4, 0}};
  for (int sign = -1; sign < 2; sign += 2) {
    ff_slab a = overlap_at(&box, v3(0, 0, sign), 0.1);
    assert_near(a.volume, 0.4 * 1.0 * 0.1, 1e-14);
    assert_near(a.area, 0.4, 1e-14);
    assert_near(a.centroid.z, -sign * 0.3, 1e-14);
    assert_near(a.spread.m[0][0], a.volume * 0.16 / 12, 1e-13);
    assert_near(a.spread.m[1][1], a.volume * 1.0 / 12, 1e-13);
    ff_slab b = overlap_at(&can, v3(0, 0, sign), 0.1);
    assert_near(b.volume, ff_pi * 0.09 * 0.1, 1e-14);
    assert_near(b.area, ff_pi * 0.09, 1e-13);
    assert_near(b.spread.m[0][0], b.volume * 0.09 / 4, 1e-13);
    assert_near(b.spread.m[1][1], b.volume * 0.09 / 4, 1e-13);
  }
  /* Lying, half in: half a cylinder. */
  ff_slab half = overlap_at(&can, v3(0.6, 0.8, 0), 0.3);
  assert_near(half.volume, ff_pi * 0.09 * 0.8 / 2, 1e-14);
  assert_near(half.area, 0.6 * 0.8, 1e-13);
  assert_near(half.centroid_depth, 4 * 0.3 / (3 * ff_pi), 1e-14);
}

/* ---- polyhedra ----------------------------------------------------------------------------------
 */

/* A pyramid upside down on its tip: similar pyramids all the way. */
static void a_pyramid_is_clipped(void **state) {
  (void)state;
  static const ff_vec3 vertices[5] = {{1, 1, 2}, {-1, 1, 2}, {-1, -1, 2}, {1, -1, 2}, {0, 0, 0}};
  static const int corners[16] = {0, 1, 2, 3, 0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4};
  static const int sizes[5] = {4, 3, 3, 3, 3};
  ff_polyhedron pyramid = {vertices, 5, corners, sizes, 5};
  for (double height = 1e-6; height < 2; height *= 3) {
    double depths[5], side = height; /* of the section */
    for (int i = 0; i < 5; i++) {
      depths[i] = height - vertices[i].z;
    }
    ff_slab slab;
    ff_overlap_polyhedron(&pyramid, depths, v3(0, 0, 1), &slab);
    assert_near(slab.volume, side * side * height / 3, 1e-13);
    assert_near(slab.area, side * side, 1e-13);
    assert_near(slab.centroid.z, 0.75 * height, 1e-13);
    assert_near(slab.centroid_depth, 0.25 * height, 1e-12);
    assert_near(slab.spread.m[0][0], slab.volume * side * side / 20, 1e-13);
  }
}

/* ---- [Brown18 eq. 37] -------------------------------------------------------------------------
 */

/* The notes' example: exact 6.61191e-9, printed 6.29323e-9, volume 2.11115026e-5. */
static void equation_37_falls_short_for_tilted_planes(void **state) {
  (void)state;
  ff_geom geom = {.kind = FF_ELLIPSOID, .size = {0.12, 0.05, 0.03}};
  ff_vec3 normal = v3_unit(v3(0.6, -0.3, 0.7));
  double reach = ff_geom_reach(&geom, normal);
  ff_cut cut = {normal, 0.2 * reach, 1.8 * reach};
  ff_slab slab;
  ff_mat3 printed;
  ff_geom_overlap(&geom, &cut, &slab);
  ff_overlap_spread_printed(&geom, &cut, &printed);
  ff_mat3 exact_j = ff_overlap_moments(&slab.spread), printed_j = ff_overlap_moments(&printed);
  assert_near(slab.volume, 2.11115026e-5, 5e-9);
  assert_near(v3_dot(normal, m3_mul(exact_j, normal)), 6.61191e-9, 1e-6);
  assert_near(v3_dot(normal, m3_mul(printed_j, normal)), 6.29323e-9, 1e-6);
}

static void equation_37_holds_for_spheres_and_axes(void **state) {
  (void)state;
  static const ff_vec3 axes[3] = {{1, 0, 0}, {0, -1, 0}, {0, 0, 1}};
  ff_geom ellipsoid = {.kind = FF_ELLIPSOID, .size = {0.12, 0.05, 0.03}},
          sphere = {.kind = FF_SPHERE, .size = {0.3, 0, 0}};
  for (int i = 0; i < 4; i++) {
    const ff_geom *geom = i < 3 ? &ellipsoid : &sphere;
    ff_vec3 normal = i < 3 ? axes[i] : v3_unit(v3(1, 2, 3));
    double reach = ff_geom_reach(geom, normal);
    ff_cut cut = {normal, 0.4 * reach, 1.6 * reach};
    ff_slab slab;
    ff_mat3 printed;
    ff_geom_overlap(geom, &cut, &slab);
    ff_overlap_spread_printed(geom, &cut, &printed);
    assert_matrix(&printed, &slab.spread, 1e-13);
  }
}

/* ---- edges -------------------------------------------------------------------------------------
 */

static void apart_there_is_nothing(void **state) {
  (void)state;
  uint64_t seed = 9;
  for (int i = 0; i < GEOMS; i++) {
    ff_vec3 normal = random_normal(&seed);
    for (int k = 0; k < 2; k++) {
      ff_slab slab = overlap_at(&geoms[i], normal, k ? -0.5 : 0);
      assert_true(slab.volume == 0 && slab.area == 0 && slab.centroid_depth == 0);
      assert_true(matrix_size(&slab.spread) == 0);
      assert_near(-v3_dot(slab.centroid, normal), ff_geom_reach(&geoms[i], normal), 1e-14);
    }
  }
}

/* A plane beyond the far side: the whole shape, at its own centre. */
static void complete_overlap_is_the_whole(void **state) {
  (void)state;
  uint64_t seed = 13;
  for (int i = 0; i < GEOMS; i++) {
    ff_vec3 normal = random_normal(&seed);
    double reach = ff_geom_reach(&geoms[i], normal);
    ff_slab touching = overlap_at(&geoms[i], normal, 2 * reach);
    ff_slab far = overlap_at(&geoms[i], normal, 5 * reach);
    assert_near(far.volume, ff_geom_volume(&geoms[i]), 1e-14);
    assert_true(v3_norm(far.centroid) == 0 && far.area == 0);
    assert_near(far.centroid_depth, 4 * reach, 1e-14);
    assert_near(touching.volume, far.volume, 1e-14);
    assert_matrix(&touching.spread, &far.spread, 1e-13);
  }
}

static void nan_comes_out(void **state) {
  (void)state;
  for (int i = 0; i < GEOMS; i++) {
    assert_true(isnan(overlap_at(&geoms[i], v3(0, 0, 1), NAN).volume));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(references_of_fifty_digits),
      cmocka_unit_test(volume_times_centroid_depth_is_a_potential),
      cmocka_unit_test(the_force_acts_at_the_centroid),
      cmocka_unit_test(parts_make_the_whole),
      cmocka_unit_test(moments_belong_to_the_plane),
      cmocka_unit_test(height_and_lean_add_up),
      cmocka_unit_test(lengths_scale),
      cmocka_unit_test(a_sphere_is_a_round_ellipsoid),
      cmocka_unit_test(a_short_capsule_is_a_sphere),
      cmocka_unit_test(level_shapes_are_prisms),
      cmocka_unit_test(a_pyramid_is_clipped),
      cmocka_unit_test(equation_37_falls_short_for_tilted_planes),
      cmocka_unit_test(equation_37_holds_for_spheres_and_axes),
      cmocka_unit_test(apart_there_is_nothing),
      cmocka_unit_test(complete_overlap_is_the_whole),
      cmocka_unit_test(nan_comes_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
