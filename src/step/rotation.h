/* Free rotation of a rigid body. */
#ifndef FF_STEP_ROTATION_H
#define FF_STEP_ROTATION_H

#include "math/vec.h"
#include "model/model.h"

/* q times a turn about x, y or z, given by cos and sin of half its angle. */
static inline ff_quat ff_turn_about(int axis, ff_quat q, double c, double s) {
  switch (axis) {
    case 0:
      return (ff_quat){c * q.w - s * q.x, c * q.x + s * q.w, c * q.y + s * q.z, c * q.z - s * q.y};
    case 1:
      return (ff_quat){c * q.w - s * q.y, c * q.x - s * q.z, c * q.y + s * q.w, c * q.z + s * q.x};
    default:
      return (ff_quat){c * q.w - s * q.z, c * q.x + s * q.y, c * q.y - s * q.x, c * q.z + s * q.w};
  }
}

/* A top turns about its momentum as if it were round, and while it does so about its own axis. */
static inline ff_quat ff_rotate_top(const ff_model_body *body, ff_quat q, ff_vec3 momentum,
                                    double h) {
  double angle = h * ff_body_more_along(body) * v3_dot(ff_body_axis(body, q), momentum), c, s;
  q_half(angle * angle, &c, &s);
  ff_quat led = q_mul(q_exp(v3_scale(h * ff_body_across(body), momentum)), q);
  return ff_turn_about(body->top, led, c, s * angle);
}

/* Others: by the symplectic splitting into turns about the principal axes, of second order. */
ff_quat ff_rotate_split(const ff_model_body *body, const ff_quat *q, const ff_vec3 *momentum,
                        double h);

/* Orientation after time h of a body that turns freely with angular momentum (world, constant).
 * Exact for round bodies and tops. Inlined: passing the result by value would
 * stall on store forwarding. */
static inline ff_quat ff_rotate_freely(const ff_model_body *body, ff_quat q, ff_vec3 momentum,
                                       double h) {
  if (body->round) {
    return q_mul(q_exp(v3_scale(h * body->inv_inertia.x, momentum)), q);
  }
  return body->top >= 0 ? ff_rotate_top(body, q, momentum, h)
                        : ff_rotate_split(body, &q, &momentum, h);
}
/* How that end turns with the momentum, both seen from the world. */
ff_mat3 ff_rotate_slope(const ff_model_body *body, ff_quat q, ff_vec3 momentum, double h);

#endif
