/* Where a ray enters a convex shape. */
#include "geom/implicit.h"
#include "math/vec.h"

enum { RAY_ROUNDS = 200 };
/* Surface: values below this fraction of the distance scale. */
#define RAY_NEAR 1e-13

/* Part of the ray in the ball about the origin that holds the shape; false: none. */
static bool ray_clip(const ff_geom *geom, ff_vec3 origin, ff_vec3 direction, double *from,
                     double *to) {
  double radius = ff_geom_bound(geom) * (1 + 1e-9);
  if (!isfinite(radius)) {
    return true;
  }
  double along = -v3_dot(origin, direction);
  ff_vec3 miss = v3_axpy(origin, along, direction);
  double half = radius * radius - v3_dot(miss, miss);
  if (!(half >= 0)) {
    return false;
  }
  *from = fmax(*from, along - sqrt(half));
  *to = fmin(*to, along + sqrt(half));
  return *from <= *to;
}

/* Newton's method on the largest rule value along the ray. It is convex, so that tangents are below
 * it and their roots never beyond the first of its own: the iterates increase towards that. */
bool ff_geom_ray(const ff_geom *geom, ff_vec3 origin, ff_vec3 direction, double range,
                 double *distance, ff_vec3 *normal) {
  double at = 0, end = range;
  if (!ray_clip(geom, origin, direction, &at, &end)) {
    return false;
  }
  double scale = isfinite(ff_geom_bound(geom)) ? ff_geom_bound(geom) : 0;
  for (int round = 0; round < RAY_ROUNDS && at <= end; round++) {
    ff_vec3 x = v3_axpy(origin, at, direction);
    int worst;
    double value = ff_geom_value(geom, x, &worst);
    ff_rule rule;
    ff_geom_rule(geom, worst, x, &rule);
    double rate = v3_dot(rule.slope, direction);
    double near = RAY_NEAR * (scale + fabs(at) + v3_norm(x));
    if (value <= near) {
      *distance = at;
      *normal = v3_unit(rule.slope);
      return true;
    }
    if (!(rate < 0)) {
      return false;
    }
    double next = at - value / rate;
    if (!(next > at)) { /* to rounding */
      *distance = at;
      *normal = v3_unit(rule.slope);
      return true;
    }
    at = next;
  }
  return false;
}
