/* Design: parameters of the Hunt-Crossley law for a desired impact. */
#include "base/report.h"
#include "footfall/impact.h"
#include "law/impact_check.h"
#include "law/impact_curve.h"
#include "law/impact_peak.h"
#include "math/vec.h"

/* A result out of the floating-point range is an error, not an infinity or a zero. */
static ff_status design_set_result(double *out, double value, const char *key, ff_report *report) {
  if (!isfinite(value) || value <= 0.0) {
    ff_status status = ff_report_what(report, "no solution within the floating-point range");
    ff_report_key(report, "%s", key);
    return status;
  }
  *out = value;
  return FF_OK;
}

/* ---- alpha from restitution ------------------------------------------------------------------ */

/* y = 3/2 alpha speed with h(y) = e^2 h(-e y), written 1 - e^2 = (1 - h(y)) - e^2 (1 - h(-e y)):
 * both terms grow with y and none cancels as e approaches 1. For e > 1/2, where e y < 3/4. */
static double design_solve_elastic(double e) {
  double goal = (1.0 - e) * (1.0 + e);
  double y = 1.5 * (1.0 - e);
  for (int i = 0; i < 60; i++) {
    double gap_in = ff_impact_one_minus_h(y), gap_out = ff_impact_one_minus_h(-e * y);
    double excess = gap_in - e * e * gap_out - goal;
    /* y d/dy (1 - h(y)) = 2 (y/(1+y) - (1 - h(y))), and the same at -e y. */
    double slope = 2.0 * (y / (1.0 + y) - gap_in) + e * e * 2.0 * (e * y / (1.0 - e * y) + gap_out);
    double step = excess * y / slope;
    y = fmin(y - step, 0.999 / e);
    if (fabs(step) <= 1e-16 * y) {
      break;
    }
  }
  return y;
}

/* For e <= 1/2, where e y approaches 1: 1 - e y = exp(-p), and Newton's method on p + exp(-p) - 1 =
 * y - log(1+y) with y = (1 - exp(-p)) / e. */
static double design_solve_plastic(double e) {
  double p = 1.0 / e - ff_log1p(1.0 / e) + 1.0;
  for (int i = 0; i < 60; i++) {
    double y = -ff_expm1(-p) / e;
    double excess = p + ff_expm1(-p) - (y - ff_log1p(y));
    double slope = -ff_expm1(-p) - y / (1.0 + y) * ff_exp(-p) / e;
    double step = excess / slope;
    p -= step;
    if (fabs(step) <= 1e-16 * p) {
      break;
    }
  }
  return -ff_expm1(-p) / e;
}

ff_status ff_impact_design_alpha(double *alpha, double restitution, double speed,
                                 ff_report *report) {
  ff_status status = ff_check_positive("speed", speed, report);
  if (status != FF_OK) {
    return status;
  }
  if (!(restitution > 0.0 && restitution <= 1.0)) {
    status = ff_report_what(report,
                            "no alpha gives restitution %g: damping dissipates energy, so it is at "
                            "most 1, and every impact separates, so it is more than 0",
                            restitution);
    ff_report_key(report, "restitution");
    return status;
  }
  if (restitution == 1.0) {
    *alpha = 0.0;
    return FF_OK;
  }
  double y =
      restitution > 0.5 ? design_solve_elastic(restitution) : design_solve_plastic(restitution);
  return design_set_result(alpha, y / 1.5 / speed, "restitution", report);
}

/* ---- k from depth or force ------------------------------------------------------------------- */

/* k depth_max^(n+1): the contour at velocity 0 [Marhefka96 eq. 19]. */
static double design_stored_energy(const ff_hunt_crossley_impact *given) {
  double h = ff_impact_h(1.5 * given->alpha * given->speed);
  return (given->n + 1.0) * 0.5 * given->mass * given->speed * given->speed * h;
}

ff_status ff_impact_design_k_depth(double *k, const ff_hunt_crossley_impact *given, double depth,
                                   ff_report *report) {
  ff_status status = ff_check_hunt_crossley(given, report);
  if (status == FF_OK) {
    status = ff_check_positive("depth", depth, report);
  }
  if (status != FF_OK) {
    return status;
  }
  return design_set_result(k, design_stored_energy(given) * ff_pow(depth, -(given->n + 1.0)),
                           "depth", report);
}

ff_status ff_impact_design_k_force(double *k, const ff_hunt_crossley_impact *given, double force,
                                   ff_report *report) {
  ff_status status = ff_check_hunt_crossley(given, report);
  if (status == FF_OK) {
    status = ff_check_positive("force", force, report);
  }
  if (status != FF_OK) {
    return status;
  }
  /* force = k (depth_max d)^n (1 + y) with depth_max = (stored / k)^(1/(n+1)), so that
   * k = stored (force / (stored d^n (1 + y)))^(n+1). */
  ff_impact_peak peak = ff_impact_peak_find(given->n, 1.5 * given->alpha * given->speed);
  double per_depth = design_stored_energy(given) * ff_pow(peak.depth, given->n) * (1.0 + peak.y);
  return design_set_result(
      k, design_stored_energy(given) * ff_pow(force / per_depth, given->n + 1.0), "force", report);
}
