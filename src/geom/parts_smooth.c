/* The support of an intersection whose edges and faces are a little blunt.
 *
 * Instead of the farthest point along d, the one where d.x + mu sum log(-f_i(x)) is largest, over
 * all rules f_i of the shape. That largest value is a convex function of d whose slope is the
 * point: so force and moment there are what a depth counted by it asks for. The point goes across a
 * face as that tilts by about mu over its size, where the farthest one would leap. Found by
 * Newton's method, which is safe on such functions, with mu made smaller bit by bit [Nesterov94].
 */
#include "geom/implicit.h"
#include "geom/parts.h"
#include "math/spatial.h"
#include "math/vec.h"

enum { ROUNDS = 60 };

/* Slope and second derivative (with the sign turned) of the function at x; false: x is outside. */
static bool barrier_derivatives(const ff_geom *geom, ff_vec3 x, ff_vec3 d, double mu,
                                ff_vec3 *slope, ff_mat3 *bend) {
  *slope = d;
  *bend = (ff_mat3){{{0}}};
  for (int k = 0; k < geom->parts->rule_count; k++) {
    ff_rule rule;
    ff_geom_rule(geom, k, x, &rule);
    if (!(rule.value < 0)) {
      return false;
    }
    double pull = mu / -rule.value;
    *slope = v3_axpy(*slope, -pull, rule.slope);
    m3_outer_add(bend, pull / -rule.value, rule.slope, rule.slope);
    *bend = m3_add(*bend, m3_scale(pull, rule.bend));
  }
  return true;
}

/* Of a positive definite matrix. */
static ff_vec3 solve_cholesky(const ff_mat3 *m, ff_vec3 right) {
  const double(*a)[3] = m->m;
  double l00 = sqrt(a[0][0]), l10 = a[1][0] / l00, l20 = a[2][0] / l00;
  double l11 = sqrt(a[1][1] - l10 * l10), l21 = (a[2][1] - l20 * l10) / l11;
  double l22 = sqrt(a[2][2] - l20 * l20 - l21 * l21);
  double y0 = right.x / l00, y1 = (right.y - l10 * y0) / l11;
  double y2 = (right.z - l20 * y0 - l21 * y1) / l22, z = y2 / l22;
  double y = (y1 - l21 * z) / l11;
  return v3((y0 - l10 * y - l20 * z) / l00, y, z);
}

static ff_vec3 maximise_barrier(const ff_geom *geom, ff_vec3 x, ff_vec3 d, double mu) {
  for (int round = 0; round < ROUNDS; round++) {
    ff_vec3 slope;
    ff_mat3 bend;
    barrier_derivatives(geom, x, d, mu, &slope, &bend);
    ff_vec3 step = solve_cholesky(&bend, slope);
    double gain = sqrt(fmax(v3_dot(slope, step), 0) / mu);
    if (!v3_finite(step) || gain < 1e-13) {
      break;
    }
    double share = gain > 0.25 ? 1 / (1 + gain) : 1;
    while (share > 1e-12 && !(ff_geom_value(geom, v3_axpy(x, share, step), NULL) < 0)) {
      share *= 0.5;
    }
    x = v3_axpy(x, share, step);
  }
  return x;
}

ff_vec3 ff_parts_smooth(const ff_geom *geom, ff_vec3 direction, double mu, double *reach) {
  ff_vec3 x = v3(0, 0, 0);
  double size = geom->parts->inside;
  for (double loose = size; loose > mu; loose *= 0.1) {
    x = maximise_barrier(geom, x, direction, loose);
  }
  x = maximise_barrier(geom, x, direction, mu);
  /* so that on the middle of a face it is about what it would be without */
  *reach = v3_dot(direction, x) + mu * (1 + ff_log(size / mu));
  for (int k = 0; k < geom->parts->rule_count; k++) {
    ff_rule rule;
    ff_geom_rule(geom, k, x, &rule);
    *reach += mu * ff_log(-rule.value / size);
  }
  return x;
}
