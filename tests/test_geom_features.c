/* Closest features of boxes and polyhedra, and derivatives of the normal that follow from them. */
#include "geom/distance.h"
#include "geom/hull.h"
#include "geom/implicit.h"
#include "solids.h"

/* The gap between the planes across n that touch the two. */
static double gap_along(const ff_geom *a, const ff_pose *pa, const ff_geom *b, const ff_pose *pb,
                        ff_vec3 n) {
  ff_vec3 on_a = pose_point(*pa, ff_geom_support(a, q_unrotate(pa->orientation, v3_neg(n))));
  ff_vec3 on_b = pose_point(*pb, ff_geom_support(b, q_unrotate(pb->orientation, n)));
  return v3_dot(n, v3_sub(on_a, on_b));
}

enum { POLYHEDRAL = 4 };

static void make_shapes(ff_arena *arena, ff_geom out[POLYHEDRAL]) {
  static const ff_vec3 tetrahedron[4] = {{0, 0, .5}, {.4, 0, -.2}, {-.3, .4, -.2}, {-.3, -.3, -.1}};
  ff_geom solids[SOLIDS];
  ff_pose frame;
  solids_make(arena, solids);
  out[0] = solids[2]; /* box */
  out[1] = solids[7]; /* hull of random points */
  out[2] = solids[9]; /* box as a polyhedron */
  out[3] = solid_polyhedron(arena, tetrahedron, 4, &frame);
}

/* Any pose; or b's orientation nearly, with a's face over b's; moved to a given gap along n. */
static double put_at_gap(uint64_t *seed, const ff_geom *a, ff_pose *pa, const ff_geom *b,
                         ff_pose *pb, int how) {
  *pa = random_pose(seed, 1);
  *pb = random_pose(seed, 0.2);
  ff_vec3 n = v3_unit(random_vec(seed, 1));
  if (how > 0) {
    double tilt = pow(10, -ff_random_in(seed, 0, 15));
    pa->orientation = q_mul(q_exp(random_vec(seed, tilt)), pb->orientation);
    n = q_axis_z(pb->orientation);
    pa->position = v3_add(pb->position, q_rotate(pb->orientation, random_vec(seed, .5)));
  }
  ff_distance at;
  ff_distance_query(&at, a, pa, b, pb, INFINITY);
  double gap = pow(10, -ff_random_in(seed, 0, 6));
  for (int k = 0; k < 3; k++) { /* along the normal, as it changes on the way */
    pa->position = v3_axpy(pa->position, gap - at.gap, at.gap < 0 ? n : at.normal);
    ff_distance_query(&at, a, pa, b, pb, INFINITY);
  }
  return at.gap;
}

static bool is_edge(const ff_geom *geom, const ff_pose *pose, ff_vec3 edge) {
  ff_vec3 e = q_unrotate(pose->orientation, edge);
  if (geom->kind == FF_BOX) {
    return fmax(fabs(e.x), fmax(fabs(e.y), fabs(e.z))) > 1 - 1e-14;
  }
  bool found = false;
  for (int k = 0; k < geom->hull->edge_count; k++) {
    const int *ends = geom->hull->edges[k].vertex;
    ff_vec3 d = v3_unit(v3_sub(geom->hull->vertices[ends[1]], geom->hull->vertices[ends[0]]));
    found = found || fabs(v3_dot(d, e)) > 1 - 1e-14;
  }
  return found;
}

/* The features say what the normal is. */
static void check_normal(const ff_distance *at, const ff_geom *a, const ff_pose *pa,
                         const ff_geom *b, const ff_pose *pb) {
  ff_feature_kind ka = at->kind_a, kb = at->kind_b;
  assert_true(ka != FF_FEATURE_NONE && kb != FF_FEATURE_NONE);
  if (ka == FF_FEATURE_FACE || kb == FF_FEATURE_FACE) {
    const ff_geom *of = ka == FF_FEATURE_FACE ? a : b;
    const ff_pose *pose = ka == FF_FEATURE_FACE ? pa : pb;
    assert_int_equal(ka == FF_FEATURE_FACE ? kb : ka, FF_FEATURE_VERTEX);
    double aligned = -1;
    for (int k = 0; k < ff_geom_rule_count(of); k++) {
      ff_rule face;
      ff_geom_rule(of, k, v3(0, 0, 0), &face);
      ff_vec3 n = q_rotate(pose->orientation, face.slope);
      aligned = fmax(aligned, v3_dot(n, at->normal) * (ka == FF_FEATURE_FACE ? -1 : 1));
    }
    assert_true(aligned > 1 - 1e-14);
  }
  if (ka == FF_FEATURE_EDGE) {
    assert_true(is_edge(a, pa, at->edge_a));
    assert_close(v3_dot(at->normal, at->edge_a), 0, 1e-12);
  }
  if (kb == FF_FEATURE_EDGE) {
    assert_true(is_edge(b, pb, at->edge_b));
    assert_close(v3_dot(at->normal, at->edge_b), 0, 1e-12);
  }
}

static void features_and_gaps(void **state) {
  (void)state;
  ff_arena arena = {0};
  ff_geom shapes[POLYHEDRAL];
  make_shapes(&arena, shapes);
  uint64_t seed = 41;
  int kinds[4][4] = {0}, unconfirmed = 0, count = 0;
  for (int i = 0; i < 32000; i++) {
    const ff_geom *a = &shapes[i % POLYHEDRAL], *b = &shapes[i / POLYHEDRAL % POLYHEDRAL];
    ff_pose pa, pb;
    double size = ff_geom_bound(a) + ff_geom_bound(b);
    if (!(put_at_gap(&seed, a, &pa, b, &pb, i / 16 % 2) > 1e-8)) {
      continue;
    }
    ff_distance at;
    ff_distance_query(&at, a, &pa, b, &pb, INFINITY);
    count++;
    kinds[at.kind_a][at.kind_b]++;
    if (at.kind_a == FF_FEATURE_NONE) {
      unconfirmed++;
      print_message("%d: kinds %d %d gap %g\n", i, a->kind, b->kind, at.gap);
      continue;
    }
    check_normal(&at, a, &pa, b, &pb);
    /* a separating plane at this distance, and two points at it: that is the distance */
    ff_vec3 r = v3_axpy(v3_sub(at.on_a, at.on_b), -at.gap, at.normal);
    assert_close(v3_norm(r), 0, 1e-14 * size);
    ff_vec3 la = q_unrotate(pa.orientation, v3_sub(at.on_a, pa.position));
    ff_vec3 lb = q_unrotate(pb.orientation, v3_sub(at.on_b, pb.position));
    double off = fmax(fabs(ff_geom_value(a, la, NULL)), fabs(ff_geom_value(b, lb, NULL)));
    double fall = at.gap - gap_along(a, &pa, b, &pb, at.normal);
    if (!(fabs(fall) < 1e-12 * size) || !(off < 1e-12 * size)) {
      print_message("%d: shapes %d %d features %d %d gap %g off %g fall %g\n", i, i % POLYHEDRAL,
                    i / POLYHEDRAL % POLYHEDRAL, at.kind_a, at.kind_b, at.gap, off, fall);
    }
    assert_close(off, 0, 1e-12 * size);
    assert_close(fall, 0, 1e-12 * size);
  }
  print_message("of %d: V-F %d, F-V %d, E-E %d, V-E %d, E-V %d, V-V %d, not known %d\n", count,
                kinds[1][3], kinds[3][1], kinds[2][2], kinds[1][2], kinds[2][1], kinds[1][1],
                unconfirmed);
  assert_true(count > 20000);
  assert_int_equal(unconfirmed, 0);
  ff_arena_free(&arena);
}

/* Central differences; a kink within the step is told by features that change. */
static void rates_of_normals(void **state) {
  (void)state;
  ff_arena arena = {0};
  ff_geom shapes[POLYHEDRAL];
  make_shapes(&arena, shapes);
  uint64_t seed = 43;
  int checked = 0, kinds[4][4] = {0};
  for (int i = 0; i < 16000; i++) {
    const ff_geom *a = &shapes[i % POLYHEDRAL], *b = &shapes[i / POLYHEDRAL % POLYHEDRAL];
    ff_pose pa = random_pose(&seed, 1), pb = random_pose(&seed, 0.2);
    ff_distance at, end[2];
    ff_distance_query(&at, a, &pa, b, &pb, INFINITY);
    ff_mat3 rate[2];
    if (!(at.gap > 0.01)) {
      continue;
    }
    assert_true(ff_normal_rates(&at, pa.position, &rate[0], &rate[1]));
    for (int k = 0; k < 6; k++) {
      ff_vec3 axis = v3(k % 3 == 0, k % 3 == 1, k % 3 == 2), dn[2];
      const double steps[2] = {1e-4 * at.gap, 2e-4 * at.gap};
      bool same = true;
      for (int size = 0; size < 2; size++) {
        for (int side = 0; side < 2; side++) {
          ff_pose moved = pa;
          ff_vec3 by = v3_scale(side ? steps[size] : -steps[size], axis);
          moved.position = k < 3 ? v3_add(pa.position, by) : pa.position;
          moved.orientation = k < 3 ? pa.orientation : q_mul(q_exp(by), pa.orientation);
          ff_distance_query(&end[side], a, &moved, b, &pb, INFINITY);
          same = same && end[side].kind_a == at.kind_a && end[side].kind_b == at.kind_b &&
                 v3_norm(v3_sub(end[side].edge_b, at.edge_b)) == 0;
        }
        dn[size] = v3_scale(0.5 / steps[size], v3_sub(end[1].normal, end[0].normal));
      }
      ff_vec3 slope = v3_axpy(v3_scale(4. / 3, dn[0]), -1. / 3, dn[1]); /* fourth order */
      ff_vec3 want = v3_load(
          (double[3]){rate[k / 3].m[0][k % 3], rate[k / 3].m[1][k % 3], rate[k / 3].m[2][k % 3]});
      double off = v3_norm(v3_sub(slope, want)), scale = 1 + v3_norm(want);
      double smooth = v3_norm(v3_sub(dn[0], dn[1])); /* of one vertex or another: a kink */
      if (same && smooth < 1e-4 * scale) {
        checked++;
        kinds[at.kind_a][at.kind_b]++;
        if (!(off < 1e-6 * scale)) {
          print_message("%d: features %d %d, column %d, off %g of %g\n", i, at.kind_a, at.kind_b, k,
                        off, scale);
        }
        assert_close(off, 0, 1e-6 * scale);
      }
    }
  }
  print_message("%d derivatives: V-F %d, F-V %d, E-E %d, V-E %d, E-V %d, V-V %d\n", checked,
                kinds[1][3], kinds[3][1], kinds[2][2], kinds[1][2], kinds[2][1], kinds[1][1]);
  assert_true(checked > 20000);
  ff_arena_free(&arena);
}

/* Faces parallel to rounding, at small gaps: the normal is a face normal, not a cross product of
 * edges that are all but parallel. */
static void flush_faces(void **state) {
  (void)state;
  uint64_t seed = 47;
  ff_geom a = {.kind = FF_BOX, .size = {.2, .5, .35}}, b = {.kind = FF_BOX, .size = {.3, .1, .25}};
  for (int i = 0; i < 20000; i++) {
    ff_pose pb = random_pose(&seed, 1), pa = pb;
    double turn = i % 2 ? ff_random_in(&seed, 0, 1) : 0;
    double gap = (i % 3 ? 1 : -1) * pow(10, -ff_random_in(&seed, 2, 6));
    pa.orientation = q_unit(q_mul(pb.orientation, q_exp(v3(0, 0, turn))));
    ff_vec3 over = v3(ff_random_in(&seed, -.3, .3), ff_random_in(&seed, -.3, .3), .6 + gap);
    pa.position = pose_point(pb, over);
    ff_distance at;
    ff_distance_query(&at, &a, &pa, &b, &pb, INFINITY);
    assert_true(at.kind_a == FF_FEATURE_FACE || at.kind_b == FF_FEATURE_FACE);
    assert_close(at.gap, gap, 1e-14);
    assert_close(v3_dot(at.normal, q_axis_z(pb.orientation)), 1, 1e-14);
    ff_vec3 la = q_unrotate(pa.orientation, v3_sub(at.on_a, pa.position));
    ff_vec3 lb = q_unrotate(pb.orientation, v3_sub(at.on_b, pb.position));
    assert_close(fmax(fabs(ff_geom_value(&a, la, NULL)), fabs(ff_geom_value(&b, lb, NULL))), 0,
                 1e-14);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(features_and_gaps),
      cmocka_unit_test(rates_of_normals),
      cmocka_unit_test(flush_faces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
