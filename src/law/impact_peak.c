#include "law/impact_peak.h"

#include "law/impact_curve.h"
#include "math/vec.h"

/* The force k x^n (1 + y) is largest where n v = 3/2 alpha (k/m) x^(n+1). With the contour
 * of impact_curve.h, E = y_in^2/2 h(y_in) and y = E f,
 *
 *   c f + E f^2/2 h(E f) = 1,   c = n / (n+1),
 *
 * whose first term is (depth/depth_max)^(n+1) and whose second is (w/w_i)^2. There is no division
 * by alpha: alpha = 0 gives f = 1/c and the peak at the deepest point. */
ff_impact_peak ff_impact_peak_find(double n, double y_in) {
  double c = n / (n + 1.0);
  double energy_per_y = 0.5 * y_in * ff_impact_h(y_in);
  double energy = y_in * energy_per_y;
  double f = 1.0 / c; /* convex, starting above the root: Newton iterates decrease */
  for (int i = 0; i < 60; i++) {
    double y = energy * f;
    double excess = c * f + 0.5 * y * f * ff_impact_h(y) - 1.0;
    double step = excess / (c + y / (1.0 + y));
    f -= step;
    if (fabs(step) <= 1e-16 * f) {
      break;
    }
  }
  double y = energy * f;
  double turned = 0.5 * y * f * ff_impact_h(y); /* 1 - (depth/depth_max)^(n+1) */
  double sine2 = -ff_expm1(2.0 / (n + 1.0) * ff_log1p(-turned));
  return (ff_impact_peak){
      .y = y,
      .velocity = energy_per_y * f,
      .depth = ff_pow(c * f, 1.0 / (n + 1.0)),
      .eta = ff_asin(sqrt(sine2)),
  };
}
