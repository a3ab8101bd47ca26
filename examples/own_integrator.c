/* A Footfall law inside somebody else's integrator: a ball is thrown onto the floor by a loop of
 * velocity-Verlet steps, and what comes back is held against the exact restitution. */
#include <footfall/impact.h>
#include <footfall/law.h>
#include <math.h>
#include <stdio.h>

static double contact_force(const ff_law *law, const ff_law_params *params, double x, double v) {
  ff_patch patch = {.depth = x, .depth_rate = v};
  ff_normal normal;
  ff_law_normal(law, params, &patch, &normal);
  return normal.force;
}

int main(void) {
  const double mass = 0.2, speed = 2.0, alpha = 0.3, h = 1e-7;
  const ff_law *law = ff_law_find(FF_LAW_NORMAL, "hunt-crossley");
  ff_law_params params;
  ff_law_params_default(law, &params);
  if (ff_law_params_set(law, &params, "k", 1e6, NULL) != FF_OK ||
      ff_law_params_set(law, &params, "alpha", alpha, NULL) != FF_OK ||
      ff_law_params_resolve(law, &params, NULL, NULL) != FF_OK) {
    return 2;
  }
  double x = 0, v = speed, peak = 0;
  do {
    double half = v - 0.5 * h / mass * contact_force(law, &params, x, v);
    x += h * half;
    double force = contact_force(law, &params, x, half);
    v = half - 0.5 * h / mass * force;
    peak = fmax(peak, force);
  } while (x > 0);
  double found = -v / speed, exact = ff_impact_restitution(alpha * speed);
  printf("restitution %.8f, exact %.8f, peak force %.3f N\n", found, exact, peak);
  return fabs(found - exact) < 1e-6 ? 0 : 1;
}
