#include "step/rotation.h"

#include "math/vec.h"

/* A body on its way: orientation, angular momentum seen from it, and how both change with the
 * momentum at the start, seen from the body there: column j with component j. */
typedef struct turning {
  double q[4];
  double m[3], inv_inertia[3];
  double dm[3][3], turned[3][3]; /* turned: about the body's axes */
} turning;

/* Rows i and j of a vector or matrix, seen from a body that turned in their plane. */
static inline void seen_turned(double *i, double *j, double c, double s) {
  double before = *i;
  *i = c * before + s * *j;
  *j = c * *j - s * before;
}

/* Turns the body about its own axis k for time h as if that were the only one: the body's
 * orientation turns one way, the angular momentum seen from the body the other. */
static inline void turn(turning *at, int k, double h, bool derive) {
  static const int next[] = {1, 2, 0};
  int i = next[k], j = next[i];
  double rate = h * at->inv_inertia[k], angle = rate * at->m[k], c, s;
  q_half(angle * angle, &c, &s);
  s *= angle;
  seen_turned(&at->q[1 + i], &at->q[1 + j], c, s);
  seen_turned(&at->q[1 + k], &at->q[0], c, s);
  /* cos and sin of the whole angle from those of its half */
  double cc = c * c - s * s, ss = 2 * s * c;
  seen_turned(&at->m[i], &at->m[j], cc, ss);
  for (int n = 0; derive && n < 3; n++) {
    double more = rate * at->dm[k][n];
    seen_turned(&at->dm[i][n], &at->dm[j][n], cc, ss);
    at->dm[i][n] += more * at->m[j];
    at->dm[j][n] -= more * at->m[i];
    seen_turned(&at->turned[i][n], &at->turned[j][n], cc, ss);
    at->turned[k][n] += more;
  }
}

/* Half a turn about x and y, one about z, and the halves again. */
static inline turning turns(const ff_model_body *body, ff_quat q, ff_vec3 momentum, double h,
                            bool derive) {
  turning at = {.q = {q.w, q.x, q.y, q.z}, .dm = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  v3_store(at.m, q_unrotate(q, momentum));
  v3_store(at.inv_inertia, body->inv_inertia);
  turn(&at, 0, 0.5 * h, derive);
  turn(&at, 1, 0.5 * h, derive);
  turn(&at, 2, h, derive);
  turn(&at, 1, 0.5 * h, derive);
  turn(&at, 0, 0.5 * h, derive);
  return at;
}

static ff_quat orientation(const turning *at) {
  return (ff_quat){at->q[0], at->q[1], at->q[2], at->q[3]};
}

ff_quat ff_rotate_freely(const ff_model_body *body, ff_quat q, ff_vec3 momentum, double h) {
  if (body->round) {
    return q_mul(q_exp(v3_scale(h * body->inv_inertia.x, momentum)), q);
  }
  turning end = turns(body, q, momentum, h, false);
  return orientation(&end);
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

ff_mat3 ff_rotate_slope(const ff_model_body *body, ff_quat q, ff_vec3 momentum, double h) {
  double ease = h * body->inv_inertia.x;
  ff_mat3 out;
  if (body->round) {
    out = exp_slope(v3_scale(ease, momentum));
    for (int i = 0; i < 9; i++) {
      out.m[i / 3][i % 3] *= ease;
    }
    return out;
  }
  turning end = turns(body, q, momentum, h, true);
  ff_mat3 from = q_matrix(q), to = q_matrix(orientation(&end)), seen;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      seen.m[i][j] = end.turned[i][0] * from.m[j][0] + end.turned[i][1] * from.m[j][1] +
                     end.turned[i][2] * from.m[j][2];
    }
  }
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      out.m[i][j] =
          to.m[i][0] * seen.m[0][j] + to.m[i][1] * seen.m[1][j] + to.m[i][2] * seen.m[2][j];
    }
  }
  return out;
}
