/* Half-space: all below the xy-plane. */
#include "geom/shape.h"

static ff_vec3 half_space_support(const ff_geom *geom, ff_vec3 n) {
  (void)geom;
  (void)n;
  return v3(0, 0, 0); /* there is none */
}

static double half_space_curvature(const ff_geom *geom, const ff_geom *other) {
  (void)geom;
  (void)other;
  return 0;
}

static double half_space_mean_curvature(const ff_geom *geom) {
  (void)geom;
  return 0;
}

static void half_space_rule(const ff_geom *geom, int rule, ff_vec3 x, ff_rule *out) {
  (void)geom;
  (void)rule;
  ff_rule_flat(v3(0, 0, 1), 0, x, out);
}

const ff_shape_ops ff_shape_half_space = {.name = "half-space",
                                          .support = half_space_support,
                                          .curvature = half_space_curvature,
                                          .mean_curvature = half_space_mean_curvature,
                                          .rules = 1,
                                          .rule = half_space_rule};
