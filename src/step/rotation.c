#include "step/rotation.h"

#include "math/vec.h"

/* Turns the body about its own axis k for time h as if that were the only one: the body's
 * orientation turns one way, the angular momentum seen from the body the other. */
static void turn(ff_quat *q, double momentum[3], const double inv_inertia[3], int k, double h) {
  double angle = h * momentum[k] * inv_inertia[k];
  double c = cos(0.5 * angle), s = sin(0.5 * angle);
  ff_quat by = {c, k == 0 ? s : 0, k == 1 ? s : 0, k == 2 ? s : 0};
  *q = q_mul(*q, by);
  /* cos and sin of the whole angle from those of its half */
  double cc = c * c - s * s, ss = 2 * s * c;
  int i = (k + 1) % 3, j = (k + 2) % 3;
  double mi = momentum[i], mj = momentum[j];
  momentum[i] = cc * mi + ss * mj;
  momentum[j] = cc * mj - ss * mi;
}

ff_quat ff_rotate_freely(const ff_model_body *body, ff_quat q, ff_vec3 momentum, double h) {
  if (body->round) {
    return q_mul(q_exp(v3_scale(h * body->inv_inertia.x, momentum)), q);
  }
  ff_vec3 seen = q_unrotate(q, momentum);
  double m[3] = {seen.x, seen.y, seen.z};
  const double inv[3] = {body->inv_inertia.x, body->inv_inertia.y, body->inv_inertia.z};
  turn(&q, m, inv, 0, 0.5 * h);
  turn(&q, m, inv, 1, 0.5 * h);
  turn(&q, m, inv, 2, h);
  turn(&q, m, inv, 1, 0.5 * h);
  turn(&q, m, inv, 0, 0.5 * h);
  return q;
}
