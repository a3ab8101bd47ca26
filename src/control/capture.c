/* Capture point x = c + c' / omega of the linear inverted pendulum. It diverges from the
 * zero-moment point, x' = omega (x - z), so that a given path of z has exactly one path of x with a
 * given end: integrated backwards in time. */
#include "control/controller.h"
#include "math/elementary.h"

ff_vec3 ff_capture_desired(const ff_span *spans, int count, ff_vec3 last, double omega) {
  ff_vec3 x = last;
  for (int k = count - 1; k >= 0; k--) {
    double wt = omega * spans[k].time, fade = ff_exp(-wt);
    /* omega times the integral of exp(-omega t) t / time */
    double slope = wt > 1e-6 ? (1 - fade * (1 + wt)) / wt : 0.5 * wt;
    ff_vec3 rise = v3_sub(spans[k].to, spans[k].from);
    x = v3_axpy(v3_axpy(v3_scale(fade, x), 1 - fade, spans[k].from), slope, rise);
  }
  return x;
}

ff_vec3 ff_capture_remaining(ff_vec3 error, ff_vec3 zmp, const ff_support *support, double omega,
                             double gain, double time) {
  enum { PARTS = 16 };
  double grow = ff_exp(omega * time / PARTS);
  for (int k = 0; k < PARTS && time > 0; k++) {
    ff_vec3 pushed = ff_support_nearest(support, v3_axpy(zmp, gain, error));
    ff_vec3 against = v3_sub(pushed, zmp);
    /* for a part of the time the zero-moment point is saturated */
    error = v3_add(against, v3_scale(grow, v3_sub(error, against)));
  }
  return error;
}
