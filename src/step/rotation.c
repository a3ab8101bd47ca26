#include "step/rotation.h"

#include "math/spatial.h"
#include "math/vec.h"

#include <string.h>

/* A body on its way: orientation, and angular momentum seen from it. */
typedef struct turning {
  double w, q[3], m[3];
} turning;

/* Entries i and j of a vector, seen from a body that turned in their plane. */
static inline void seen_turned(double *i, double *j, double c, double s) {
  double before = *i, other = *j;
  *i = c * before + s * other;
  *j = c * other - s * before;
}

/* Turns the body about its own axis k by rate times its momentum there, as if that were the only
 * one: the body's orientation turns one way, the angular momentum seen from the body the other.
 * Tells cos and sin of the angle. */
static inline void turn(turning *at, int k, double rate, double *cc, double *ss) {
  int i = (k + 1) % 3, j = (k + 2) % 3;
  double angle = rate * at->m[k], c, s;
  q_half(angle * angle, &c, &s);
  s *= angle;
  seen_turned(&at->q[i], &at->q[j], c, s);
  seen_turned(&at->q[k], &at->w, c, s);
  *cc = 1 - 2 * s * s;
  *ss = 2 * s * c;
  seen_turned(&at->m[i], &at->m[j], *cc, *ss);
}

static inline turning start_turning(ff_quat q, ff_vec3 momentum) {
  ff_vec3 m = q_unrotate(q, momentum);
  return (turning){q.w, {q.x, q.y, q.z}, {m.x, m.y, m.z}};
}

static inline ff_quat orientation(const turning *at) {
  return (ff_quat){at->w, at->q[0], at->q[1], at->q[2]};
}

/* Angles of turns for each unit of momentum. */
static inline void find_rates(const ff_model_body *body, double h, double rates[3]) {
  rates[0] = 0.5 * h * body->inv_inertia.x;
  rates[1] = 0.5 * h * body->inv_inertia.y;
  rates[2] = h * body->inv_inertia.z;
}

ff_quat ff_rotate_split(const ff_model_body *body, const ff_quat *q, const ff_vec3 *momentum,
                        double h) {
  turning at = start_turning(*q, *momentum);
  double rates[3], c, s;
  find_rates(body, h, rates);
  /* half a turn about x and y, one about z, and the halves again */
  turn(&at, 0, rates[0], &c, &s);
  turn(&at, 1, rates[1], &c, &s);
  turn(&at, 2, rates[2], &c, &s);
  turn(&at, 1, rates[1], &c, &s);
  turn(&at, 0, rates[0], &c, &s);
  return orientation(&at);
}

/* Of q_exp: 1 + a [r] + b [r]^2, with [r] the cross product by the rotation vector r. */
static ff_mat3 exp_slope(ff_vec3 r) {
  double angle2 = v3_dot(r, r), c, half_sinc;
  q_half(angle2, &c, &half_sinc);
  double a = 2 * half_sinc * half_sinc, b;
  if (angle2 < 1e-2) { /* (angle - sin(angle)) / angle^3 */
    b = 1.0 / 6 - angle2 * (1.0 / 120 - angle2 * (1.0 / 5040 - angle2 * (1.0 / 362880)));
  } else {
    b = (1 - 2 * half_sinc * c) / angle2;
  }
  double d = 1 - b * angle2;
  return (ff_mat3){{{d + b * r.x * r.x, b * r.x * r.y - a * r.z, b * r.x * r.z + a * r.y},
                    {b * r.x * r.y + a * r.z, d + b * r.y * r.y, b * r.y * r.z - a * r.x},
                    {b * r.x * r.z - a * r.y, b * r.y * r.z + a * r.x, d + b * r.z * r.z}}};
}

/* Of turns, column j with component j of the momentum in the world, seen from the body: */
typedef struct turns_slope {
  double momentum[3][3]; /* how the momentum seen from it changes, */
  double turned[3][3];   /* and how it is turned more */
} turns_slope;

static inline void turn_slope(turns_slope *to, turning *at, int k, double rate) {
  int i = (k + 1) % 3, j = (k + 2) % 3;
  double(*dm)[3] = to->momentum, (*turned)[3] = to->turned, c, s;
  turn(at, k, rate, &c, &s);
  for (int col = 0; col < 3; col++) {
    double more = rate * dm[k][col];
    seen_turned(&dm[i][col], &dm[j][col], c, s);
    dm[i][col] += more * at->m[j];
    dm[j][col] -= more * at->m[i];
    seen_turned(&turned[i][col], &turned[j][col], c, s);
    turned[k][col] += more;
  }
}

/* Of turning about the momentum. */
static ff_mat3 round_slope(double ease, ff_vec3 momentum) {
  ff_mat3 out = exp_slope(v3_scale(ease, momentum));
  for (int i = 0; i < 9; i++) {
    out.m[i / 3][i % 3] *= ease;
  }
  return out;
}

/* More momentum along the axis turns a top about where the axis has gone by then. */
static ff_mat3 top_slope(const ff_model_body *body, ff_quat q, ff_vec3 momentum, double h) {
  double across = h * ff_body_across(body), along = h * ff_body_more_along(body);
  ff_mat3 out = round_slope(across, momentum);
  ff_vec3 from = ff_body_axis(body, q), to = q_rotate(q_exp(v3_scale(across, momentum)), from);
  const double rows[3] = {along * to.x, along * to.y, along * to.z};
  for (int i = 0; i < 3; i++) {
    out.m[i][0] += rows[i] * from.x;
    out.m[i][1] += rows[i] * from.y;
    out.m[i][2] += rows[i] * from.z;
  }
  return out;
}

ff_mat3 ff_rotate_slope(const ff_model_body *body, ff_quat q, ff_vec3 momentum, double h) {
  if (body->round) {
    return round_slope(h * body->inv_inertia.x, momentum);
  }
  if (body->top >= 0) {
    return top_slope(body, q, momentum, h);
  }
  turning at = start_turning(q, momentum);
  ff_mat3 from = m3_transpose(q_matrix(q)), turned;
  turns_slope slope = {.turned = {{0}}};
  double rates[3];
  memcpy(slope.momentum, from.m, sizeof slope.momentum);
  find_rates(body, h, rates);
  turn_slope(&slope, &at, 0, rates[0]);
  turn_slope(&slope, &at, 1, rates[1]);
  turn_slope(&slope, &at, 2, rates[2]);
  turn_slope(&slope, &at, 1, rates[1]);
  turn_slope(&slope, &at, 0, rates[0]);
  memcpy(turned.m, slope.turned, sizeof turned.m);
  return m3_product(q_matrix(orientation(&at)), turned);
}
