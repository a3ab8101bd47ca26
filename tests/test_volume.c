/* Overlaps as the public interface and `footfall volume` tell them. */
#include "footfall/footfall.h"
#include "program.h"

static const ff_volume_def solids[] = {
    {.kind = FF_SPHERE, .size = {0.3, 0, 0}, .point = {0, 0.1, -0.1}, .normal = {1, 2, 3}},
    {.kind = FF_ELLIPSOID,
     .size = {0.12, 0.05, 0.03},
     .point = {0, 0, -0.02},
     .normal = {6, -3, 7}},
    {.kind = FF_BOX, .size = {0.2, 0.5, 0.35}, .point = {0.1, 0, -0.2}, .normal = {0.2, -0.5, 0.3}},
    {.kind = FF_CAPSULE, .size = {0.2, 0.4, 0}, .point = {0, 0, -0.3}, .normal = {-1, 1, 0.5}},
    {.kind = FF_CYLINDER,
     .size = {0.3, 0.4, 0},
     .point = {0, 0.1, 0.1},
     .normal = {0.3, 0.1, -0.9}},
};
enum { SOLIDS = sizeof solids / sizeof *solids };

static double dot(ff_vec3 a, ff_vec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
static ff_vec3 axis_of(const ff_mat3 *frame, int row) {
  return (ff_vec3){frame->m[row][0], frame->m[row][1], frame->m[row][2]};
}
static ff_vec3 along(ff_vec3 p, double s, ff_vec3 d) {
  return (ff_vec3){p.x + s * d.x, p.y + s * d.y, p.z + s * d.z};
}
static ff_vec3 apply(const ff_mat3 *a, ff_vec3 v) {
  return (ff_vec3){dot(axis_of(a, 0), v), dot(axis_of(a, 1), v), dot(axis_of(a, 2), v)};
}

static ff_volume compute(const ff_volume_def *def) {
  ff_volume out;
  assert_int_equal(ff_volume_compute(&out, def, NULL), FF_OK);
  return out;
}

static void the_frame_turns_one_matrix_into_the_other(void **state) {
  (void)state;
  for (int i = 0; i < SOLIDS; i++) {
    ff_volume v = compute(&solids[i]);
    for (int a = 0; a < 3; a++) {
      for (int b = 0; b < 3; b++) {
        ff_vec3 ea = axis_of(&v.frame, a), eb = axis_of(&v.frame, b);
        assert_close(dot(ea, eb), a == b, 1e-15 * 4);
        assert_close(dot(ea, apply(&v.J_body, eb)), v.J_contact.m[a][b],
                     1e-14 * v.J_contact.m[2][2]);
      }
    }
    assert_near(v.J_contact.m[2][2], v.J_contact.m[0][0] + v.J_contact.m[1][1], 1e-14);
  }
}

/* The patch in squares: thickness adds up to the volume, and its moments to J. The kinks of the
 * thickness at the rim leave an error of the order of a square over the whole, squared. */
static void thickness_adds_up(void **state) {
  (void)state;
  enum { SIDE = 400 };
  for (int i = 0; i < SOLIDS; i++) {
    ff_volume v = compute(&solids[i]);
    ff_vec3 x = axis_of(&v.frame, 0), y = axis_of(&v.frame, 1);
    double reach = 1.0, step = 2 * reach / SIDE, volume = 0, j = 0, first = 0;
    for (int k = 0; k < SIDE * SIDE; k++) {
      double a = (k % SIDE + 0.5) * step - reach, b = ((double)(k / SIDE) + 0.5) * step - reach;
      if (solids[i].kind == FF_ELLIPSOID) { /* a smaller window for a smaller thing */
        a *= 0.2;
        b *= 0.2;
      }
      double piece = step * step * (solids[i].kind == FF_ELLIPSOID ? 0.04 : 1);
      double thickness = ff_volume_thickness(&solids[i], along(along(v.centroid, a, x), b, y));
      volume += piece * thickness;
      first += piece * thickness * a;
      j += piece * thickness * (a * a + b * b);
    }
    assert_near(volume, v.volume, 2e-3);
    assert_close(first, 0, 2e-3 * v.volume * sqrt(v.J_contact.m[2][2] / v.volume));
    assert_near(j, v.J_contact.m[2][2], 2e-3);
  }
}

/* Checks an outline: its arcs close, lie in the plane and go around the normal, and the area they
 * hold is that of the section; in the limit of fine steps, whose error falls with their square. */
static void check_outline(const ff_volume_def *def, const ff_volume *v, const ff_arc *arcs,
                          int count) {
  enum { STEPS = 400 };
  ff_vec3 normal = axis_of(&v->frame, 2), hub = arcs[0].start;
  double area = 0, size = sqrt(v->area);
  for (int i = 0; i < count; i++) {
    ff_vec3 end = ff_arc_at(&arcs[i], 1), next = arcs[(i + 1) % count].start;
    ff_vec3 gap = along(end, -1, next);
    assert_close(sqrt(dot(gap, gap)), 0, 1e-7 * size); /* two roots of rounding meet there */
    for (int k = 0; k < STEPS; k++) {
      ff_vec3 a = ff_arc_at(&arcs[i], (double)k / STEPS);
      ff_vec3 b = along(ff_arc_at(&arcs[i], (k + 1.0) / STEPS), -1, hub);
      assert_close(dot(normal, along(a, -1, def->point)), 0, 1e-12);
      a = along(a, -1, hub);
      ff_vec3 cross = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
      area += 0.5 * dot(cross, normal);
    }
  }
  assert_near(area, v->area, 1e-4);
}

/* Standing, leaning and lying, from a touch to nearly all below. */
static void outlines_hold_the_section(void **state) {
  (void)state;
  static const ff_vec3 normals[] = {{0, 0, 1},  {1, 0, 0},      {0.6, 0.8, 0},   {1, -2, 3},
                                    {3, 1, -2}, {1, 1e-3, 0.1}, {0.02, 0.01, -1}};
  for (int i = 0; i < SOLIDS; i++) {
    for (size_t k = 0; k < sizeof normals / sizeof *normals; k++) {
      ff_volume_def def = solids[i];
      def.normal = normals[k];
      def.point = (ff_vec3){0, 0, 0};
      double reach = compute(&def).depth, size = sqrt(dot(def.normal, def.normal));
      for (double part = 1e-3; part < 2; part *= 1.7) {
        def.point = along((ff_vec3){0, 0, 0}, (part - 1) * reach / size, def.normal);
        ff_volume v = compute(&def);
        ff_arc arcs[8];
        int count = ff_volume_outline(&def, arcs, 8);
        assert_true(count >= 1 && count <= 8);
        check_outline(&def, &v, arcs, count);
      }
    }
  }
}

/* Just inside of the outline there is something below, just outside nothing or less. */
static void the_outline_is_where_plane_and_surface_meet(void **state) {
  (void)state;
  for (int i = 0; i < SOLIDS; i++) {
    ff_volume v = compute(&solids[i]);
    ff_arc arcs[8];
    int count = ff_volume_outline(&solids[i], arcs, 8);
    ff_vec3 middle = {0, 0, 0};
    for (int k = 0; k < count * 8; k++) {
      middle = along(middle, 0.125 / count, ff_arc_at(&arcs[k / 8], k % 8 / 8.0));
    }
    for (int k = 0; k < count * 8; k++) {
      ff_vec3 at = ff_arc_at(&arcs[k / 8], k % 8 / 8.0), in = along(middle, -1, at);
      double there = ff_volume_thickness(&solids[i], along(at, 1e-3, in));
      assert_true(there > ff_volume_thickness(&solids[i], along(at, -1e-3, in)));
      assert_true(there > 0 && v.area > 0);
    }
  }
}

static void a_cube_by_its_corners_is_a_box(void **state) {
  (void)state;
  const ff_volume_def *def = &solids[2];
  static const int corners[24] = {0, 1, 3, 2, 4, 5, 7, 6, 0, 1, 5, 4,
                                  2, 3, 7, 6, 0, 2, 6, 4, 1, 3, 7, 5};
  static const int sizes[6] = {4, 4, 4, 4, 4, 4};
  ff_vec3 vertices[8];
  for (int i = 0; i < 8; i++) {
    vertices[i] = (ff_vec3){i & 1 ? 0.2 : -0.2, i & 2 ? 0.5 : -0.5, i & 4 ? 0.35 : -0.35};
  }
  ff_volume_solid solid = {vertices, 8, corners, sizes, 6};
  ff_volume box = compute(def), cube;
  assert_int_equal(ff_volume_polyhedron(&cube, def, &solid, NULL), FF_OK);
  assert_near(cube.volume, box.volume, 1e-14);
  assert_near(cube.depth, box.depth, 1e-14);
  assert_near(cube.centroid.y, box.centroid.y, 1e-13);
  assert_near(cube.J_body.m[0][1], box.J_body.m[0][1], 1e-12);
  ff_arc sides[6];
  int count = ff_volume_polyhedron_outline(def, &solid, sides, 6);
  assert_int_equal(count, ff_volume_outline(def, (ff_arc[8]){{.turn = 0}}, 8));
  check_outline(def, &cube, sides, count);
  for (double a = -0.6; a < 0.6; a += 0.11) {
    ff_vec3 at = along(cube.centroid, a, (ff_vec3){0.3, -0.8, 0.5});
    assert_close(ff_volume_polyhedron_thickness(def, &solid, at), ff_volume_thickness(def, at),
                 1e-14);
  }
  ff_report report;
  int bad[24];
  memcpy(bad, corners, sizeof bad);
  bad[5] = 8;
  solid.corners = bad;
  assert_int_equal(ff_volume_polyhedron(&cube, def, &solid, &report), FF_ERROR_INPUT);
  assert_string_equal(report.key, "faces");
}

static void expect_refusal(ff_volume_def def, const char *key) {
  ff_report report;
  ff_volume out;
  assert_int_equal(ff_volume_compute(&out, &def, &report), FF_ERROR_INPUT);
  assert_string_equal(report.key, key);
}

static void what_makes_no_sense_is_refused(void **state) {
  (void)state;
  ff_volume_def good = solids[1], bad = good;
  bad.size.y = 0;
  expect_refusal((ff_volume_def){.kind = FF_POLYHEDRON, .size = {1, 1, 1}, .normal = {0, 0, 1}},
                 "shape"); /* it has calls of its own */
  expect_refusal(bad, "size");
  bad.size.y = NAN;
  expect_refusal(bad, "size");
  bad = good;
  bad.normal = (ff_vec3){0, 0, 0};
  expect_refusal(bad, "normal");
  bad.normal = (ff_vec3){NAN, 0, 1};
  expect_refusal(bad, "normal");
  bad = good;
  bad.point.x = INFINITY;
  expect_refusal(bad, "point");
  bad = solids[2];
  bad.printed = true;
  expect_refusal(bad, "printed");
  bad = good;
  bad.kind = FF_HALF_SPACE;
  expect_refusal(bad, "shape");
}

static void apart_and_complete(void **state) {
  (void)state;
  for (int i = 0; i < SOLIDS; i++) {
    ff_volume_def def = solids[i];
    def.point = along((ff_vec3){0, 0, 0}, -9, def.normal);
    ff_volume v = compute(&def);
    assert_true(v.volume == 0 && v.depth < 0 && v.J_contact.m[2][2] == 0);
    assert_int_equal(ff_volume_outline(&def, NULL, 0), 0);
    def.point = along((ff_vec3){0, 0, 0}, 9, def.normal);
    v = compute(&def);
    assert_true(v.volume > 0 && dot(v.centroid, v.centroid) == 0);
  }
}

/* ---- the verb -------------------------------------------------------------------------------- */

static double number_after(const char *text, const char *key) {
  const char *at = strstr(text, key);
  assert_non_null(at);
  return strtod(at + strcspn(at, "-.0123456789"), NULL);
}

static void the_verb_prints_json(void **state) {
  (void)state;
  char out[8192];
  static const char plane[] = "--normal 6,-3,7 --point 0,0,-.02";
  char arguments[256];
  snprintf(arguments, sizeof arguments, "ellipsoid --axes .12,.05,.03 %s --json", plane);
  assert_int_equal(call("volume", arguments, out, sizeof out), 0);
  ff_volume v = compute(&solids[1]);
  assert_true(number_after(out, "\"volume\":") == v.volume);
  assert_true(number_after(out, "\"centroid\":") == v.centroid.x);
  assert_true(number_after(out, "\"J_body\":") == v.J_body.m[0][0]);
  assert_true(number_after(out, "\"J_contact\":") == v.J_contact.m[0][0]);
  assert_true(number_after(out, "\"frame\":") == v.frame.m[0][0]);
  snprintf(arguments, sizeof arguments, "ellipsoid --axes .12,.05,.03 %s --json --printed-J",
           plane);
  assert_int_equal(call("volume", arguments, out, sizeof out), 0);
  ff_volume_def printed = solids[1];
  printed.printed = true;
  assert_true(number_after(out, "\"J_body\":") == compute(&printed).J_body.m[0][0]);
  assert_true(number_after(out, "\"J_body\":") != v.J_body.m[0][0]);
}

static void the_verb_refuses(void **state) {
  (void)state;
  static const char *const bad[] = {
      "",
      "pyramid --normal 0,0,1 --point 0,0,0",
      "sphere --normal 0,0,1 --point 0,0,0",
      "sphere --axes 1,1,1 --normal 0,0,1 --point 0,0,0",
      "sphere --radius 1 --normal 0,0,0 --point 0,0,0",
      "sphere --radius 1 --normal 0,0,1,2 --point 0,0,0",
      "sphere --radius 1 --normal 0,0,1",
      "sphere --radius nan --normal 0,0,1 --point 0,0,0",
      "box --size 1,1,1 --normal 0,0,1 --point 0,0,0 --printed-J",
      "ellipsoid --axes 1,0,1 --normal 0,0,1 --point 0,0,0",
  };
  char out[8192];
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_int_equal(call("volume", bad[i], out, sizeof out), 2);
    assert_non_null(strstr(out, "footfall"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_frame_turns_one_matrix_into_the_other),
      cmocka_unit_test(thickness_adds_up),
      cmocka_unit_test(the_outline_is_where_plane_and_surface_meet),
      cmocka_unit_test(outlines_hold_the_section),
      cmocka_unit_test(a_cube_by_its_corners_is_a_box),
      cmocka_unit_test(what_makes_no_sense_is_refused),
      cmocka_unit_test(apart_and_complete),
      cmocka_unit_test(the_verb_prints_json),
      cmocka_unit_test(the_verb_refuses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
