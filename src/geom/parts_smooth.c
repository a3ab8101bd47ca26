/* Support points of an intersection whose flat places are domed, so that these points change
 * smoothly with the direction.
 *
 * A rule f that is flat along some directions becomes f + mu/2 (x - c)^T B (x - c): a paraboloid
 * that touches the flat place in its middle c, and is about mu below it at its rim. All other rules
 * are left as they are, so that where one of them bounds the body alone, depth and point are the
 * exact ones. Without flat places the body is strictly convex: its support function is once
 * differentiable, and the slope is the point, so that force and moment there are those of one
 * potential. The point goes across a face as that tilts by mu over its size, where the farthest one
 * of the sharp body would jump.
 *
 * The largest d.x is found by an interior-point method: Newton's method on
 * d.x + beta sum log(-f_i(x)), with beta made smaller bit by bit [Nesterov94]. What is left of beta
 * in the end shifts the depth by about BARRIER times the size of the body.
 */
#include "geom/implicit.h"
#include "geom/parts.h"
#include "math/spatial.h"
#include "math/vec.h"

#include <string.h>

enum { ROUNDS = 60 };

#define BARRIER 1e-10 /* last beta, of the radius of the ball inside */
#define MIDDLE  1e-5  /* the same for middles of faces: their analytic centres to about this */

/* ---- domes --------------------------------------------------------------------------------- */

static void domed_rule(const ff_geom *geom, int k, ff_vec3 x, double mu, ff_rule *out) {
  const ff_dome *dome = &geom->parts->domes[k];
  ff_geom_rule(geom, k, x, out);
  if (dome->domed) {
    ff_vec3 off = v3_sub(x, dome->middle), pull = m3_mul(dome->bend, off);
    out->value += 0.5 * mu * v3_dot(off, pull);
    out->slope = v3_axpy(out->slope, mu, pull);
    out->bend = m3_add(out->bend, m3_scale(mu, dome->bend));
  }
}

static bool is_in_domes(const ff_geom *geom, ff_vec3 x, double mu) {
  bool inside = true;
  for (int k = 0; k < geom->parts->rule_count && inside; k++) {
    ff_rule rule;
    domed_rule(geom, k, x, mu, &rule);
    inside = rule.value < 0;
  }
  return inside;
}

/* ---- the interior-point method -------------------------------------------------------------- */

/* Slope and second derivative (with the sign turned) of the function at x, which is inside. */
static void barrier_derivatives(const ff_geom *geom, ff_vec3 x, ff_vec3 d, double mu, double beta,
                                ff_vec3 *slope, ff_mat3 *bend) {
  *slope = d;
  *bend = (ff_mat3){{{0}}};
  for (int k = 0; k < geom->parts->rule_count; k++) {
    ff_rule rule;
    domed_rule(geom, k, x, mu, &rule);
    double pull = beta / -rule.value;
    *slope = v3_axpy(*slope, -pull, rule.slope);
    m3_outer_add(bend, pull / -rule.value, rule.slope, rule.slope);
    *bend = m3_add(*bend, m3_scale(pull, rule.bend));
  }
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

/* Until Newton's decrement is small, or at rounding and no longer falls. */
static ff_vec3 maximise_barrier(const ff_geom *geom, ff_vec3 x, ff_vec3 d, double mu, double beta,
                                double enough) {
  double before = INFINITY;
  for (int round = 0; round < ROUNDS; round++) {
    ff_vec3 slope;
    ff_mat3 bend;
    barrier_derivatives(geom, x, d, mu, beta, &slope, &bend);
    ff_vec3 step = solve_cholesky(&bend, slope);
    double gain = sqrt(fmax(v3_dot(slope, step), 0) / beta);
    if (!v3_finite(step) || gain < enough || (before < 1e-3 && gain > 0.5 * before)) {
      break;
    }
    before = gain;
    double share = gain > 0.25 ? 1 / (1 + gain) : 1;
    while (share > 1e-12 && !is_in_domes(geom, v3_axpy(x, share, step), mu)) {
      share *= 0.5;
    }
    x = v3_axpy(x, share, step);
  }
  return x;
}

/* From the middle of the body to the maximum for the last beta. */
static ff_vec3 follow_path(const ff_geom *geom, ff_vec3 d, double mu, double last) {
  ff_vec3 x = v3(0, 0, 0);
  for (double beta = geom->parts->inside; beta > 2 * last; beta *= 0.1) {
    x = maximise_barrier(geom, x, d, mu, beta, 0.1);
  }
  return maximise_barrier(geom, x, d, mu, last, 1e-12);
}

/* ---- making domes --------------------------------------------------------------------------- */

/* B of a plane with normal n: the inverse of the shadow on it of the ellipsoid with these semi-axes
 * squared, so that the paraboloid is nowhere in the body farther below the plane than a few mu. */
static ff_mat3 plane_dome(ff_vec3 n, ff_vec3 squares) {
  ff_vec3 u = v3_orthogonal(n), v = v3_cross(n, u);
  double uu = v3_dot(u, v3_mul(squares, u)), uv = v3_dot(u, v3_mul(squares, v)),
         vv = v3_dot(v, v3_mul(squares, v)), per = 1 / (uu * vv - uv * uv);
  ff_mat3 out = {{{0}}};
  m3_outer_add(&out, per * vv, u, u);
  m3_outer_add(&out, -per * uv, u, v);
  m3_outer_add(&out, -per * uv, v, u);
  m3_outer_add(&out, per * uu, v, v);
  return out;
}

/* Of a rule of a member: planes, straight sides, and superellipsoids, which are flat at poles. */
static ff_dome dome_of(const ff_geom *whole, int member, int k, ff_vec3 squares) {
  const ff_parts *parts = whole->parts;
  const ff_geom *geom = &parts->geoms[member];
  ff_dome out = {.domed = true};
  ff_rule rule;
  ff_geom_rule(whole, k, v3(0, 0, 0), &rule);
  if (geom->kind == FF_SUPERELLIPSOID) {
    out.domed = fmax(geom->exponents[0], geom->exponents[1]) > 2;
    out.bend = (ff_mat3){{{1 / squares.x, 0, 0}, {0, 1 / squares.y, 0}, {0, 0, 1 / squares.z}}};
  } else if (ff_rule_is_flat(&rule)) {
    out.bend = plane_dome(rule.slope, squares);
    out.middle = follow_path(whole, rule.slope, 0, MIDDLE * parts->inside);
  } else if (geom->kind == FF_CYLINDER || geom->kind == FF_CAPSULE) {
    ff_vec3 axis = q_axis_z(parts->poses[member].orientation);
    m3_outer_add(&out.bend, 1 / v3_dot(axis, v3_mul(squares, axis)), axis, axis);
  } else {
    out.domed = false;
  }
  return out;
}

ff_status ff_parts_find_domes(ff_parts *parts, ff_vec3 extent, ff_arena *arena) {
  const ff_geom whole = {.kind = FF_INTERSECTION, .parts = parts};
  size_t count = (size_t)parts->rule_count;
  ff_dome *domes = ff_arena_take(arena, count, sizeof *domes);
  if (!domes) {
    return FF_ERROR_MEMORY;
  }
  memset(domes, 0, count * sizeof *domes);
  parts->domes = domes;
  for (int i = 0; i < parts->count; i++) {
    for (int k = parts->first_rule[i]; k < parts->first_rule[i + 1]; k++) {
      domes[k] = dome_of(&whole, i, k, v3_mul(extent, extent));
    }
  }
  return FF_OK;
}

/* ---- support points -------------------------------------------------------------------------- */

ff_vec3 ff_parts_smooth(const ff_geom *geom, ff_vec3 direction, double mu, double *reach) {
  double size = geom->parts->inside, last = BARRIER * size;
  ff_vec3 x = follow_path(geom, direction, mu, last);
  /* so that where one rule alone bounds the body it is what it would be without the barrier: each
   * value counts over what it is in the middle, which leaves next to nothing of far ones */
  *reach = v3_dot(direction, x) + last * (1 + ff_log(size / last));
  for (int k = 0; k < geom->parts->rule_count; k++) {
    ff_rule rule, middle;
    domed_rule(geom, k, x, mu, &rule);
    domed_rule(geom, k, v3(0, 0, 0), mu, &middle);
    *reach += last * ff_log(rule.value / middle.value);
  }
  return x;
}
