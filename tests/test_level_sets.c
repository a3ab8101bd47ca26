/* Contact of ellipsoids by level sets [Chakraborty07 eqs. 9, 11, 12]. */
#include "geom/geom.h"
#include "math/vec.h"
#include "testing.h"

static ff_geom ellipsoid(double a, double b, double c) {
  return (ff_geom){.kind = FF_ELLIPSOID, .size = {a, b, c}};
}

/* Value of an ellipsoid's quadric at a point, 1 on its surface. */
static double level(const ff_geom *geom, const ff_pose *pose, ff_vec3 at) {
  ff_vec3 p = q_unrotate(pose->orientation, v3_sub(at, pose->position));
  ff_vec3 s = geom->size;
  return p.x * p.x / (s.x * s.x) + p.y * p.y / (s.y * s.y) + p.z * p.z / (s.z * s.z);
}

/* Along a line of centres the closed form is that of two spheres. */
static void spheres_touch_as_ever(void **state) {
  (void)state;
  ff_geom a = {.kind = FF_SPHERE, .size = {0.3, 0, 0}},
          b = {.kind = FF_SPHERE, .size = {0.2, 0, 0}};
  ff_pose at_a = {{0.1, 0.2, 0.45}, {1, 0, 0, 0}}, at_b = {{0.1, 0.2, 0}, {1, 0, 0, 0}};
  ff_touch touch = {.depth = 0.05};
  assert_true(ff_level_sets_touch(&a, &at_a, &b, &at_b, &touch));
  assert_close(touch.depth, 0.05, 1e-14);
  assert_close(touch.normal.z, 1, 1e-14);
  assert_close(touch.point.z, 0.175, 1e-14);
}

/* The two ends of the depth lie on both surfaces, the normal is that of b's level set there, and no
 * point of a lies on a deeper one. */
static void the_point_of_a_lies_on_the_deepest_level_of_b(void **state) {
  (void)state;
  ff_geom a = ellipsoid(0.1, 0.05, 0.03), b = ellipsoid(0.04, 0.12, 0.05);
  ff_pose at_a = {{-0.085, 0.02, 0.01}, q_exp(v3(0.3, -0.5, 0.2))};
  ff_pose at_b = {{0.02, 0.03, 0}, q_exp(v3(-0.1, 0.4, 0.7))};
  ff_touch touch = {.depth = 1e-3};
  assert_true(ff_level_sets_touch(&a, &at_a, &b, &at_b, &touch));
  assert_true(touch.depth > 0);
  ff_vec3 of_a = v3_axpy(touch.point, -0.5 * touch.depth, touch.normal);
  ff_vec3 of_b = v3_axpy(touch.point, 0.5 * touch.depth, touch.normal);
  assert_close(level(&a, &at_a, of_a), 1, 1e-12);
  assert_close(level(&b, &at_b, of_b), 1, 1e-12);
  double deepest = level(&b, &at_b, of_a);
  for (int i = 0; i < 2000; i++) {
    double u = -1 + 2 * (i + 0.5) / 2000, turn = 2.399963 * i, r = sqrt(1 - u * u);
    ff_vec3 p = v3(0.1 * r * cos(turn), 0.05 * r * sin(turn), 0.03 * u);
    ff_vec3 at = v3_add(at_a.position, q_rotate(at_a.orientation, p));
    assert_true(level(&b, &at_b, at) > deepest - 1e-12);
  }
  const double h = 1e-6; /* the level rises fastest along the normal */
  for (int k = 0; k < 3; k++) {
    ff_vec3 axis = v3(k == 0, k == 1, k == 2);
    double slope =
        (level(&b, &at_b, v3_axpy(of_a, h, axis)) - level(&b, &at_b, v3_axpy(of_a, -h, axis))) /
        (2 * h);
    double along = (level(&b, &at_b, v3_axpy(of_a, h, touch.normal)) -
                    level(&b, &at_b, v3_axpy(of_a, -h, touch.normal))) /
                   (2 * h);
    assert_close(slope, along * v3_dot(axis, touch.normal), 1e-6 * along);
  }
}

static void other_shapes_and_gaps_are_left_alone(void **state) {
  (void)state;
  ff_geom a = ellipsoid(0.1, 0.05, 0.03), box = {.kind = FF_BOX, .size = {0.1, 0.1, 0.1}};
  ff_pose at_a = {{0, 0, 0.12}, {1, 0, 0, 0}}, at_b = {{0, 0, 0}, {1, 0, 0, 0}};
  ff_touch touch = {.depth = 0.01}, apart = {.depth = -0.01};
  assert_false(ff_level_sets_touch(&a, &at_a, &box, &at_b, &touch));
  assert_false(ff_level_sets_touch(&a, &at_a, &a, &at_b, &apart));
  assert_close(touch.depth, 0.01, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spheres_touch_as_ever),
      cmocka_unit_test(the_point_of_a_lies_on_the_deepest_level_of_b),
      cmocka_unit_test(other_shapes_and_gaps_are_left_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
