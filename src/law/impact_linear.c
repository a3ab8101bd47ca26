/* Impact on a linear spring and damper in closed form, [Marhefka96 eqs. 3, 4] completed:
 * force k x + b v, any damping ratio, with and without the clamp that forbids tension.
 *
 * In units of time 1/omega, omega = sqrt(k/mass), and with the damping ratio
 * zeta = b / (2 sqrt(k mass)) = cos(phi), the j-th derivative of the depth is
 *
 *   speed omega^(j-1) exp(-zeta t) sin(sin(phi) t + j (pi - phi)) / sin(phi),
 *
 * so that velocity, force and force rate vanish at t = phi, 2 phi and 3 phi - pi, each over
 * sin(phi). phi / sin(phi) runs smoothly through zeta = 1 into the overdamped range, where
 * phi and its sine are imaginary. The force rate has its zero before the touch for
 * zeta > 1/2: then the step b speed at the touch is the largest push.
 */
#include "base/report.h"
#include "footfall/impact.h"
#include "law/impact_check.h"
#include "math/vec.h"

ff_linear_impact ff_linear_impact_default(void) {
  return (ff_linear_impact){.mass = NAN, .k = NAN, .b = 0.0, .speed = NAN, .clamp = true};
}

static ff_status linear_impact_check(const ff_linear_impact *given, ff_report *report) {
  ff_status status = ff_check_positive("mass", given->mass, report);
  if (status == FF_OK) {
    status = ff_check_positive("k", given->k, report);
  }
  if (status == FF_OK) {
    status = ff_check_at_least("b", given->b, 0.0, report);
  }
  if (status == FF_OK) {
    status = ff_check_positive("speed", given->speed, report);
  }
  /* [Marhefka96 eq. 4] has no solution here: the body creeps back and never separates. */
  if (status == FF_OK && !given->clamp && given->b * given->b >= 4.0 * given->k * given->mass) {
    status = ff_report_what(report,
                            "b^2 >= 4 k mass (b = %g, critical %g): without clamp the body "
                            "creeps back and never separates",
                            given->b, 2.0 * sqrt(given->k) * sqrt(given->mass));
    ff_report_expected(report, "a smaller b, or clamp");
    ff_report_key(report, "b");
  }
  return status;
}

/* phi / sin(phi) for zeta = cos(phi) >= 0, overdamped included; 1 at zeta = 1. */
static double angle_over_sine(double zeta) {
  double sine2 = (1.0 - zeta) * (1.0 + zeta);
  if (sine2 > 0.0) {
    double sine = sqrt(sine2);
    return ff_atan2(sine, zeta) / sine;
  }
  if (sine2 < 0.0) {
    double sinh_phi = sqrt(-sine2);
    return ff_asinh(sinh_phi) / sinh_phi;
  }
  return 1.0;
}

/* (3 phi - pi) / sin(phi) for zeta <= 1/2, without subtracting pi: by the triple angle. */
static double peak_time(double zeta) {
  double sine = sqrt((1.0 - zeta) * (1.0 + zeta));
  double rise = (1.0 - 2.0 * zeta) * (1.0 + 2.0 * zeta);
  return ff_atan2(sine * rise, zeta * (3.0 - 4.0 * zeta * zeta)) / sine;
}

/* Largest force: where the force rate is zero, or the jump at touch. */
static void linear_impact_peak(ff_impact *out, const ff_linear_impact *given, double omega,
                               double zeta) {
  if (zeta >= 0.5) {
    out->force_max = given->b * given->speed;
    out->velocity_force_max = given->speed;
    return; /* depth and time stay zero */
  }
  double time = peak_time(zeta);
  double decay = ff_exp(-zeta * time);
  out->time_force_max = time / omega;
  out->force_max = given->mass * omega * given->speed * decay;
  out->depth_force_max = given->speed / omega * decay * (1.0 - 2.0 * zeta) * (1.0 + 2.0 * zeta);
  out->velocity_force_max = given->speed * 2.0 * zeta * decay;
}

ff_status ff_impact_linear(ff_impact *out, const ff_linear_impact *given, ff_report *report) {
  ff_status status = linear_impact_check(given, report);
  if (status != FF_OK) {
    return status;
  }
  double omega = sqrt(given->k / given->mass);
  double zeta = 0.5 * given->b / (sqrt(given->k) * sqrt(given->mass));
  double turn = angle_over_sine(zeta);
  /* Clamped, the force ends where it is zero; the body then coasts out of a depth of (b/k)
   * speed_out. Else depth and contact end together, at half a period. */
  double end = given->clamp ? 2.0 * turn : ff_pi / sqrt((1.0 - zeta) * (1.0 + zeta));
  double coast = given->clamp ? 2.0 * zeta : 0.0;
  double energy = 0.5 * given->mass * given->speed * given->speed;
  *out = (ff_impact){
      .restitution = ff_exp(-zeta * end),
      .speed_out = given->speed * ff_exp(-zeta * end),
      .energy_lost = -energy * ff_expm1(-2.0 * zeta * end),
      .depth_max = given->speed / omega * ff_exp(-zeta * turn),
      .time_depth_max = turn / omega,
      .duration = end / omega,
      .time_clear = (end + coast) / omega,
  };
  linear_impact_peak(out, given, omega, zeta);
  return FF_OK;
}
