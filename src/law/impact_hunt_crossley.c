/* The Hunt-Crossley impact in closed form, after [Marhefka96] and beyond it.
 *
 *   paper  here              unit
 *   x      depth             m
 *   v      velocity          m/s
 *   v_i    speed             m/s
 *   e      restitution       1
 *   alpha  alpha, alpha_restitution  s/m
 *   k, n   k, n              N/m^n, 1
 *
 * With the curve h of impact_curve.h and v = w y/q (w is the velocity without damping: w^2/2 is the
 * kinetic term), the contour of an impact reads
 *
 *   (depth / depth_max)^(n+1) + (w / w_i)^2 = 1,   w_i = speed sqrt(h(3/2 alpha speed)),
 *
 * a circle for any damping. Compression and restitution are its two halves, and may each have
 * their own alpha: that is the paper's future work, and restitution still depends on alpha speed
 * alone.
 *
 * Departures: eq. 19 has a negative radicand under each of its two roots; here both factors are
 * under one root, in a form that does not divide by alpha.
 */
#include "footfall/impact.h"
#include "law/impact_check.h"
#include "law/impact_curve.h"
#include "law/impact_peak.h"
#include "math/quadrature.h"
#include "math/vec.h"

ff_hunt_crossley_impact ff_hunt_crossley_impact_default(void) {
  return (ff_hunt_crossley_impact){
      .mass = NAN, .k = NAN, .n = 1.5, .alpha = 0.0, .alpha_restitution = NAN, .speed = NAN};
}

static double alpha_back(const ff_hunt_crossley_impact *given) {
  return isnan(given->alpha_restitution) ? given->alpha : given->alpha_restitution;
}

/* ---- restitution ----------------------------------------------------------------------------- */

double ff_impact_restitution_split(double alpha_speed, double alpha_restitution_speed) {
  if (!(alpha_speed >= 0.0) || !(alpha_restitution_speed >= 0.0)) {
    return NAN;
  }
  /* w_i in units of speed, then back to a velocity on the other half of the circle. */
  double w = sqrt(ff_impact_h(1.5 * alpha_speed));
  return w * ff_impact_ratio(-1.5 * alpha_restitution_speed * w);
}

double ff_impact_restitution(double alpha_speed) {
  return ff_impact_restitution_split(alpha_speed, alpha_speed);
}

/* 1 - e^2 without cancellation: (h(y_o) - h(y_i)) / h(y_o), both from 1 - h. */
static double lost_fraction(const ff_hunt_crossley_impact *given, double restitution) {
  double y_in = 1.5 * given->alpha * given->speed;
  double y_out = -1.5 * alpha_back(given) * restitution * given->speed;
  if (y_out < -0.5) {
    return 1.0 - restitution * restitution; /* restitution < 0.9: no cancellation */
  }
  double gap = ff_impact_one_minus_h(y_out);
  return (ff_impact_one_minus_h(y_in) - gap) / (1.0 - gap);
}

/* ---- phase plane ----------------------------------------------------------------------------- */

double ff_impact_limit_velocity(double alpha) {
  return -2.0 / (3.0 * alpha);
}

/* [Marhefka96 eq. 22] */
bool ff_impact_sticks(double alpha, double velocity) {
  return 1.0 + 1.5 * alpha * velocity < 0.0;
}

/* Decrease of v^2/2 h(a v) from velocity v0 to v, both on the same side of the limit -1/a: as a
 * difference where the two are far apart, else in a form that keeps the digits of v0 - v and is
 * valid beyond the limit too. */
static double kinetic_drop(double v0, double v, double a) {
  double z = (v0 - v) / (1.0 + a * v);
  if (a * z > 1.0 && 1.0 + a * v > 0.0) {
    return 0.5 * (v0 * v0 * ff_impact_h(a * v0) - v * v * ff_impact_h(a * v));
  }
  return 0.5 * z * z * ff_impact_h(a * z) + z * v;
}

/* [Marhefka96 eq. 19], through (depth0, velocity0), with both factors under one root. */
double ff_impact_contour(const ff_hunt_crossley_impact *given, double depth0, double velocity0,
                         double velocity) {
  double in = 1.5 * given->alpha, out = 1.5 * alpha_back(given);
  bool beyond0 = ff_impact_sticks(alpha_back(given), velocity0);
  if (beyond0 != ff_impact_sticks(alpha_back(given), velocity) || 1.0 + out * velocity == 0.0) {
    return NAN;
  }
  /* Compression where velocity > 0, restitution where it is < 0: each with its own damping. */
  double drop = kinetic_drop(fmax(velocity0, 0.0), fmax(velocity, 0.0), in) +
                kinetic_drop(fmin(velocity0, 0.0), fmin(velocity, 0.0), out);
  double power = given->n + 1.0;
  double left = ff_pow(depth0, power) + power * given->mass / given->k * drop;
  double noise =
      1e-14 * power * given->mass / given->k * (velocity0 * velocity0 + velocity * velocity);
  return left >= 0.0 ? ff_pow(left, 1.0 / power) : (left >= -noise ? 0.0 : NAN);
}

double ff_impact_depth(const ff_hunt_crossley_impact *given, double velocity) {
  return velocity <= given->speed ? ff_impact_contour(given, 0.0, given->speed, velocity) : NAN;
}

/* ---- times ----------------------------------------------------------------------------------- */

/* dt = dx/v along the circle. With depth = depth_max cos(eta) the root at the turning point is
 * removed: dt = depth_max/w_i sin(eta) / sqrt(1 - cos(eta)^(n+1)) q/y d eta. */
typedef struct passage {
  double n;
  double q;      /* at touch; positive in compression, negative in restitution */
  double start;  /* eta nearest to the turning point */
  double length; /* pi/2 - start */
} passage;

static double slowness(double x, double one_minus_x, const void *context) {
  const passage *way = context;
  double eta = way->start + way->length * x;
  double sine = ff_sin(eta), depth = ff_sin(way->length * one_minus_x);
  double w2 = sine * sine < 0.5 ? -ff_expm1(0.5 * (way->n + 1.0) * ff_log1p(-sine * sine))
                                : 1.0 - ff_pow(depth, way->n + 1.0);
  double w = sqrt(w2);
  double rate = w > 0.0 ? sine / w : sqrt(2.0 / (way->n + 1.0));
  return rate / ff_impact_ratio(way->q * w);
}

/* Time between the touch and cos(eta) = depth, in units of depth_max / w_i. */
static double passage_time(double n, double q, double eta) {
  passage way = {n, q, eta, 0.5 * ff_pi - eta};
  return way.length * ff_integrate(slowness, &way);
}

/* ---- impact ---------------------------------------------------------------------------------- */

ff_status ff_impact_hunt_crossley(ff_impact *out, const ff_hunt_crossley_impact *given,
                                  ff_report *report) {
  ff_status status = ff_check_hunt_crossley(given, report);
  if (status == FF_OK) {
    status = ff_check_positive("k", given->k, report);
  }
  if (status != FF_OK) {
    return status;
  }
  double n = given->n, in = 1.5 * given->alpha, back = 1.5 * alpha_back(given);
  double w = given->speed * sqrt(ff_impact_h(in * given->speed));
  double e =
      ff_impact_restitution_split(given->alpha * given->speed, alpha_back(given) * given->speed);
  double depth_max = ff_impact_depth(given, 0.0);
  double unit = depth_max / w;
  ff_impact_peak peak = ff_impact_peak_find(n, in * given->speed);
  double time_in = unit * passage_time(n, in * w, 0.0);
  double duration = time_in + unit * passage_time(n, -back * w, 0.0);
  *out = (ff_impact){
      .restitution = e,
      .speed_out = e * given->speed,
      .energy_lost = 0.5 * given->mass * given->speed * given->speed * lost_fraction(given, e),
      .depth_max = depth_max,
      .time_depth_max = time_in,
      .force_max = given->k * ff_pow(depth_max * peak.depth, n) * (1.0 + peak.y),
      .time_force_max = unit * passage_time(n, in * w, peak.eta),
      .depth_force_max = depth_max * peak.depth,
      .velocity_force_max = given->speed * peak.velocity,
      .duration = duration,
      .time_clear = duration,
  };
  return FF_OK;
}
