/* Volume, inertia, bounds and size checks of shapes. */
#include "geom/geom.h"
#include "math/vec.h"
#include "testing.h"

/* The section of a shape at height z: its area, and its integrals of x^2 and y^2. */
typedef struct section {
  double area, xx, yy;
} section;

static section ellipse(double a, double b) {
  double area = ff_pi * a * b;
  return (section){area, area * a * a / 4, area * b * b / 4};
}

static section section_at(const ff_geom *geom, double z) {
  ff_vec3 s = geom->size;
  double t, over;
  switch (geom->kind) {
    case FF_SPHERE: t = sqrt(s.x * s.x - z * z); return ellipse(t, t);
    case FF_ELLIPSOID: t = sqrt(1 - z * z / (s.z * s.z)); return ellipse(t * s.x, t * s.y);
    case FF_BOX:
      return (section){4 * s.x * s.y, 4 * s.x * s.y * s.x * s.x / 3, 4 * s.x * s.y * s.y * s.y / 3};
    case FF_CAPSULE:
      over = fmax(fabs(z) - s.y, 0);
      t = sqrt(s.x * s.x - over * over);
      return ellipse(t, t);
    default: return ellipse(s.x, s.x);
  }
}

typedef struct mass {
  double volume, xx, yy, zz; /* integrals of 1, x^2, y^2, z^2 */
} mass;

/* Adds the part between low and high by three-point Gauss quadrature, which is exact for
 * polynomials of degree 5: the sections are at most of degree 4 in z. */
static void integrate(const ff_geom *geom, double low, double high, mass *sum) {
  const double node[3] = {-sqrt(0.6), 0, sqrt(0.6)}, weight[3] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
  double half = 0.5 * (high - low);
  for (int i = 0; i < 3; i++) {
    double z = 0.5 * (low + high) + half * node[i], w = half * weight[i];
    section cut = section_at(geom, z);
    sum->volume += w * cut.area;
    sum->xx += w * cut.xx;
    sum->yy += w * cut.yy;
    sum->zz += w * z * z * cut.area;
  }
}

static mass integral_of(const ff_geom *geom) {
  ff_vec3 s = geom->size;
  double flat = geom->kind == FF_CAPSULE ? s.y : 0; /* the section has a kink there */
  double top = geom->kind == FF_SPHERE                              ? s.x
               : geom->kind == FF_CAPSULE                           ? s.x + s.y
               : geom->kind == FF_BOX || geom->kind == FF_ELLIPSOID ? s.z
                                                                    : s.y;
  mass sum = {0};
  integrate(geom, -top, -flat, &sum);
  integrate(geom, -flat, flat, &sum);
  integrate(geom, flat, top, &sum);
  return sum;
}

static const ff_geom solids[] = {
    {.kind = FF_SPHERE, .size = {0.3, 0, 0}},     {.kind = FF_ELLIPSOID, .size = {0.1, 0.7, 0.4}},
    {.kind = FF_BOX, .size = {0.5, 0.02, 1.1}},   {.kind = FF_CAPSULE, .size = {0.2, 0.6, 0}},
    {.kind = FF_CAPSULE, .size = {0.6, 0.05, 0}}, {.kind = FF_CYLINDER, .size = {0.25, 0.9, 0}},
};
enum { SOLIDS = sizeof solids / sizeof solids[0] };

static void mass_is_the_integral_over_sections(void **state) {
  (void)state;
  for (int i = 0; i < SOLIDS; i++) {
    mass sum = integral_of(&solids[i]);
    ff_vec3 inertia = ff_geom_inertia(&solids[i]);
    /* the quadrature is exact: rounding only */
    assert_near(ff_geom_volume(&solids[i]), sum.volume, 1e-14);
    assert_near(inertia.x, sum.yy + sum.zz, 1e-14);
    assert_near(inertia.y, sum.zz + sum.xx, 1e-14);
    assert_near(inertia.z, sum.xx + sum.yy, 1e-14);
  }
}

static void known_values_of_textbooks(void **state) {
  (void)state;
  ff_geom ball = {.kind = FF_SPHERE, .size = {2, 0, 0}};
  assert_near(ff_geom_volume(&ball), 32 * ff_pi / 3, 1e-15);
  assert_near(ff_geom_inertia(&ball).y, 0.4 * 4 * 32 * ff_pi / 3, 1e-15);
  ff_geom cube = {.kind = FF_BOX, .size = {0.5, 0.5, 0.5}};
  assert_near(ff_geom_volume(&cube), 1, 1e-15);
  assert_near(ff_geom_inertia(&cube).x, 1.0 / 6, 1e-15);
  ff_geom rod = {.kind = FF_CYLINDER,
                 .size = {1e-6, 0.5, 0}}; /* m l^2 / 12 as the radius vanishes */
  assert_near(ff_geom_inertia(&rod).x / ff_geom_volume(&rod), 1.0 / 12, 1e-11);
  assert_near(ff_geom_inertia(&rod).z / ff_geom_volume(&rod), 0.5e-12, 1e-15);
}

static void limits_of_one_shape_are_another(void **state) {
  (void)state;
  ff_geom ball = {.kind = FF_SPHERE, .size = {0.3, 0, 0}},
          round = {.kind = FF_ELLIPSOID, .size = {0.3, 0.3, 0.3}};
  ff_geom stub = {.kind = FF_CAPSULE, .size = {0.3, 1e-14, 0}};
  assert_near(ff_geom_volume(&round), ff_geom_volume(&ball), 1e-15);
  assert_near(ff_geom_inertia(&round).z, ff_geom_inertia(&ball).z, 1e-15);
  /* the half length is 3e-14 of the radius */
  assert_near(ff_geom_inertia(&stub).x, ff_geom_inertia(&ball).x, 1e-12);
  assert_near(ff_geom_inertia(&stub).z, ff_geom_inertia(&ball).z, 1e-12);
}

static void half_space_has_no_mass(void **state) {
  (void)state;
  ff_geom ground = {.kind = FF_HALF_SPACE, .size = {1, 1, 1}};
  assert_true(ff_geom_volume(&ground) == 0);
  assert_true(v3_norm(ff_geom_inertia(&ground)) == 0);
}

static void bound_reaches_the_farthest_point(void **state) {
  (void)state;
  const double expected[SOLIDS] = {0.3, 0.7,  sqrt(0.25 + 0.0004 + 1.21),
                                   0.8, 0.65, sqrt(0.0625 + 0.81)};
  for (int i = 0; i < SOLIDS; i++) {
    assert_near(ff_geom_bound(&solids[i]), expected[i], 1e-15);
  }
  ff_geom ground = {.kind = FF_HALF_SPACE, .size = {0, 0, 0}};
  assert_true(isinf(ff_geom_bound(&ground)));
}

static void radius_where_there_is_one(void **state) {
  (void)state;
  ff_geom ground = {.kind = FF_HALF_SPACE, .size = {0, 0, 0}};
  ff_geom ball = {.kind = FF_SPHERE, .size = {0.3, 0, 0}},
          other = {.kind = FF_SPHERE, .size = {0.6, 0, 0}};
  ff_geom pill = {.kind = FF_CAPSULE, .size = {0.2, 1, 0}};
  assert_near(ff_geom_radius(&ball, &ground), 0.3, 1e-15);
  assert_near(ff_geom_radius(&ground, &ball), 0.3, 1e-15);
  assert_near(ff_geom_radius(&pill, &ground), 0.2, 1e-15);
  assert_near(ff_geom_radius(&ball, &other), 0.2, 1e-15); /* 1/(1/0.3 + 1/0.6) */
  assert_true(isnan(ff_geom_radius(&ground, &ground)));
  assert_true(
      isnan(ff_geom_radius(&pill, &ball))); /* another one along the pill than at its ends */
  const ff_shape_kind varying[] = {FF_ELLIPSOID, FF_BOX, FF_CYLINDER};
  for (int i = 0; i < 3; i++) {
    ff_geom shape = {.kind = varying[i], .size = {1, 1, 1}};
    assert_true(isnan(ff_geom_radius(&shape, &ground)));
  }
}

static void check_accepts_good_sizes(void **state) {
  (void)state;
  for (int i = 0; i < SOLIDS; i++) {
    assert_null(ff_geom_check(&solids[i]));
  }
  ff_geom ground = {.kind = FF_HALF_SPACE, .size = {NAN, -1, 0}}; /* has no sizes */
  assert_null(ff_geom_check(&ground));
}

static void check_says_which_size_is_wrong(void **state) {
  (void)state;
  ff_geom flat = {.kind = FF_SPHERE, .size = {0, 0, 0}};
  assert_string_equal(ff_geom_check(&flat), "radius must be greater than 0");
  ff_geom inside_out = {.kind = FF_BOX, .size = {1, -2, 1}};
  assert_string_equal(ff_geom_check(&inside_out), "second half extent must be greater than 0");
  ff_geom endless = {.kind = FF_ELLIPSOID, .size = {1, 1, INFINITY}};
  assert_string_equal(ff_geom_check(&endless), "third semi-axis must be finite");
  ff_geom unknown = {.kind = FF_CYLINDER, .size = {1, NAN, 0}};
  assert_string_equal(ff_geom_check(&unknown), "half height must be finite");
  ff_geom short_pill = {.kind = FF_CAPSULE, .size = {1, 0, 0}};
  assert_string_equal(ff_geom_check(&short_pill), "half length must be greater than 0");
  ff_geom alien = {.kind = FF_SHAPE_KIND_COUNT, .size = {1, 1, 1}};
  assert_string_equal(ff_geom_check(&alien), "kind of shape is not known");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mass_is_the_integral_over_sections),
      cmocka_unit_test(known_values_of_textbooks),
      cmocka_unit_test(limits_of_one_shape_are_another),
      cmocka_unit_test(half_space_has_no_mass),
      cmocka_unit_test(bound_reaches_the_farthest_point),
      cmocka_unit_test(radius_where_there_is_one),
      cmocka_unit_test(check_accepts_good_sizes),
      cmocka_unit_test(check_says_which_size_is_wrong),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
