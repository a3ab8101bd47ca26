/* One impact under any normal law, by adaptive integration with event location.
 *
 * Unknowns are scaled: depth by `length`, velocity by the impact speed, time by their quotient, so
 * that tolerances mean the same at any scale. */
#include "footfall/impact.h"

#include "base/report.h"
#include "law/impact_check.h"
#include "math/elementary.h"
#include "solve/ode.h"

#include <float.h>
#include <math.h>

enum { DEPTH, VELOCITY, LOST, UNKNOWNS };
enum { OUT, TURN, PEAK, CREEP, KINK, EVENTS };
enum { STEP_LIMIT = 500000 };

#define TOLERANCE 1e-14 /* absolute, of scaled unknowns */

typedef struct strike {
  const ff_law *law;
  const ff_law_params *params;
  double mass, speed, gravity;
  double length, time; /* scales, m and s */
  ff_patch rest;       /* equilibrium under the weight */
  double rest_energy;  /* J, of spring and weight in equilibrium */
  double touch_kink;   /* the law's kink function at touch */
  double kink_side;    /* its current side, +1 or -1; 0 before the touch */
} strike;

/* ---- equation of motion ---------------------------------------------------------------------- */

static ff_patch impact_patch_at(const strike *hit, const double *y) {
  return (ff_patch){.depth = y[DEPTH] * hit->length, .depth_rate = y[VELOCITY] * hit->speed};
}

/* The law inside contact, extended by its value at touch: trial stages of a step that ends at the
 * surface may lie slightly outside, where the force must not be switched off. */
static ff_normal impact_force_at(const strike *hit, const double *y) {
  ff_patch patch = impact_patch_at(hit, y);
  patch.depth = fmax(patch.depth, DBL_MIN);
  ff_normal normal;
  ff_law_normal(hit->law, hit->params, &patch, &normal);
  return normal;
}

static int impact_rates(void *context, double t, const double *y, double *dy) {
  (void)t;
  const strike *hit = context;
  ff_normal normal = impact_force_at(hit, y);
  dy[DEPTH] = y[VELOCITY];
  dy[VELOCITY] = (hit->gravity - normal.force / hit->mass) * hit->time / hit->speed;
  /* In units of mass speed^2. */
  dy[LOST] = (normal.force - normal.elastic) * y[VELOCITY] * hit->length /
             (hit->mass * hit->speed * hit->speed);
  return isfinite(dy[VELOCITY]) && isfinite(dy[LOST]) ? 0 : 1;
}

/* Energy above that in equilibrium, in units of mass speed^2, minus a threshold: without gravity
 * far below that of any separating body, with it near rounding. */
static double impact_creep(const strike *hit, const double *y, const ff_normal *normal) {
  double unit = hit->mass * hit->speed * hit->speed, weight = hit->mass * hit->gravity;
  double potential = normal->energy - weight * y[DEPTH] * hit->length - hit->rest_energy;
  double none = weight > 0.0 ? 1e-10 * (1.0 + fabs(hit->rest_energy) / unit) : 1e-60;
  return 0.5 * y[VELOCITY] * y[VELOCITY] + potential / unit - none;
}

/* The law's kink function, minus a rounding threshold: where it approaches zero and stays there, as
 * at the limit velocity, rounding must not count as a crossing. Half the velocity gives its
 * magnitude. */
static double impact_kink_at(const strike *hit, ff_patch patch) {
  if (!hit->law->kink) {
    return 1.0;
  }
  double kink = hit->law->kink(hit->params, &patch);
  patch.depth_rate *= 0.5;
  double size = fabs(hit->law->kink(hit->params, &patch));
  return kink + 4.0 * DBL_EPSILON * size * hit->kink_side;
}

static void impact_events(void *context, double t, const double *y, double *g) {
  (void)t;
  const strike *hit = context;
  ff_normal normal = impact_force_at(hit, y);
  ff_patch patch = impact_patch_at(hit, y);
  double acceleration = hit->gravity - normal.force / hit->mass;
  g[OUT] = y[DEPTH];
  g[TURN] = y[VELOCITY];
  /* The force rate may jump at a kink. Scaled down, it never takes precedence over the kink itself,
   * on which a step can land. On the way out no force can exceed the earlier peak, and at the limit
   * velocity its rate is rounding: the sign is kept. */
  double rate = 1e-30 * (normal.d_depth * patch.depth_rate + normal.d_rate * acceleration);
  g[PEAK] = y[VELOCITY] < 0.0 ? -fabs(rate) : rate;
  g[CREEP] = impact_creep(hit, y, &normal);
  g[KINK] = impact_kink_at(hit, patch);
}

/* ---- integration ----------------------------------------------------------------------------- */

/* Initial force just inside contact, where a law may jump. */
static void impact_start(strike *hit, ff_ode *ode, ff_impact *out) {
  double *y = ff_ode_state(ode);
  y[DEPTH] = DBL_MIN;
  y[VELOCITY] = 1.0;
  y[LOST] = 0.0;
  out->force_max = impact_force_at(hit, y).force;
  out->velocity_force_max = hit->speed;
  double g[EVENTS];
  impact_events(hit, 0.0, y, g);
  hit->touch_kink = g[KINK];
  hit->kink_side = g[KINK] < 0.0 ? -1.0 : 1.0;
  for (int i = 0; i < EVENTS; i++) {
    ff_ode_sides(ode)[i] = g[i] < 0.0 ? -1 : 1;
  }
  y[DEPTH] = 0.0;
  ff_ode_restart(ode, 0.0, EVENTS);
}

static void impact_set_peak(const strike *hit, ff_ode *ode, ff_impact *out) {
  const double *y = ff_ode_state(ode);
  double force = impact_force_at(hit, y).force;
  if (force > out->force_max) {
    out->force_max = force;
    out->time_force_max = ff_ode_time(ode) * hit->time;
    out->depth_force_max = y[DEPTH] * hit->length;
    out->velocity_force_max = y[VELOCITY] * hit->speed;
  }
}

/* Does the clamp cut a tensile force, or only the rounding of a vanishing one? */
static bool impact_clamp_holds(const strike *hit, const double *y) {
  ff_patch patch = impact_patch_at(hit, y);
  patch.depth = fmax(patch.depth, DBL_MIN);
  return fabs(hit->law->kink(hit->params, &patch)) > 1e-12 * fabs(hit->touch_kink);
}

/* Is the end of the force known less accurately than 1e-7? The two cancelling forces are rounded;
 * the resulting error in time grows with the time left to the surface. */
static bool impact_is_fading(double duration, double time_clear) {
  return 400.0 * DBL_EPSILON * (time_clear - duration) > 1e-7 * duration;
}

static void impact_finish(const strike *hit, ff_ode *ode, ff_impact *out) {
  const double *y = ff_ode_state(ode);
  double energy = hit->mass * hit->speed * hit->speed;
  out->time_clear = ff_ode_time(ode) * hit->time;
  if (isnan(out->duration) || !impact_clamp_holds(hit, y)) {
    out->duration = out->time_clear;
  } else if (impact_is_fading(out->duration, out->time_clear)) {
    out->duration = NAN;
  }
  out->restitution = -y[VELOCITY];
  out->speed_out = -y[VELOCITY] * hit->speed;
  out->energy_lost = energy * y[LOST];
}

/* Energy only decreases: a body that turns inward again before it separates, or is nearly at rest,
 * stays in contact. Its final energy is that of the spring under the weight. */
static void impact_stay(const strike *hit, ff_impact *out) {
  double weight = hit->mass * hit->gravity;
  out->restitution = 0.0;
  out->speed_out = 0.0;
  out->energy_lost = 0.5 * hit->mass * hit->speed * hit->speed - hit->rest_energy;
  out->duration = INFINITY;
  out->time_clear = INFINITY;
  if (out->depth_max == 0.0) { /* never turned: sinks into equilibrium */
    out->depth_max = hit->rest.depth;
    out->time_depth_max = INFINITY;
  }
  if (weight > out->force_max) {
    out->force_max = weight;
    out->time_force_max = INFINITY;
    out->depth_force_max = hit->rest.depth;
    out->velocity_force_max = 0.0;
  }
}

/* Handles one event; false: the impact is over. */
static bool impact_handle_event(strike *hit, ff_ode *ode, ff_impact *out) {
  const double *y = ff_ode_state(ode);
  switch (ff_ode_event(ode)) {
    case OUT: impact_finish(hit, ode, out); return false;
    case TURN:
      if (y[VELOCITY] > 0.0) {
        impact_stay(hit, out);
        return false;
      }
      out->depth_max = y[DEPTH] * hit->length;
      out->time_depth_max = ff_ode_time(ode) * hit->time;
      return true;
    case PEAK: impact_set_peak(hit, ode, out); return true;
    case KINK:
      hit->kink_side = -hit->kink_side;
      impact_set_peak(hit, ode, out);
      /* A clamp that engages ends the force, unless it releases again. */
      out->duration =
          impact_force_at(hit, y).force == 0.0 ? ff_ode_time(ode) * hit->time : (double)NAN;
      return true;
    default: impact_stay(hit, out); return false; /* CREEP: at rest */
  }
}

/* Limits steps to a fraction of the way to the surface, where the force may lack high derivatives
 * and the error estimate would fail. */
static double impact_step_end(ff_ode *ode) {
  const double *y = ff_ode_state(ode);
  double t = ff_ode_time(ode);
  return t + 0.25 * fabs(y[DEPTH] / y[VELOCITY]) + fmax(1e-6, 1e-9 * t);
}

/* A heavily damped body returns very slowly, and its force is a difference of two large ones: after
 * the turning point tolerances follow the motion, however small. Under gravity it may turn again,
 * where the velocity has no significant digits left. */
static void impact_tighten(const strike *hit, ff_ode *ode, const ff_impact *out) {
  if (hit->gravity == 0.0 && out->depth_max > 0.0) {
    const double *y = ff_ode_state(ode);
    ff_ode_set_atol(ode, DEPTH, TOLERANCE * fabs(y[DEPTH]));
    ff_ode_set_atol(ode, VELOCITY, TOLERANCE * fabs(y[VELOCITY]));
  }
}

static ff_status impact_integrate(strike *hit, ff_ode *ode, ff_impact *out, ff_report *report) {
  impact_start(hit, ode, out);
  for (int step = 0; step < STEP_LIMIT; step++) {
    ff_ode_outcome outcome = ff_ode_step(ode, impact_step_end(ode));
    if (outcome == FF_ODE_FAILED) {
      ff_report_what(report, "the motion could not be integrated");
      return FF_ERROR_STEP;
    }
    if (outcome == FF_ODE_STEPPED || outcome == FF_ODE_REACHED) {
      impact_tighten(hit, ode, out);
    }
    if (outcome == FF_ODE_EVENT) {
      if (ff_ode_event(ode) == CREEP && hit->gravity == 0.0) {
        return ff_report_what(report, "the body creeps back and never separates, or "
                                      "with less than 1e-30 of its speed");
      }
      if (!impact_handle_event(hit, ode, out)) {
        return FF_OK;
      }
    }
  }
  ff_report_what(report, "no separation within %d steps", STEP_LIMIT);
  return FF_ERROR_STEP;
}

/* ---- interface ------------------------------------------------------------------------------- */

static ff_status impact_check_law(const strike *hit, ff_report *report) {
  ff_status status = ff_check_positive("mass", hit->mass, report);
  if (status == FF_OK) {
    status = ff_check_positive("speed", hit->speed, report);
  }
  if (status == FF_OK) {
    status = ff_check_at_least("gravity", hit->gravity, 0.0, report);
  }
  if (status == FF_OK && hit->law->kind != FF_LAW_NORMAL) {
    status = ff_report_what(report, "'%s' is not a normal law", hit->law->name);
  }
  if (status == FF_OK && hit->law->traits &&
      (hit->law->traits(hit->params) & FF_LAW_WANTS_OVERLAP)) {
    status = ff_report_what(report, "'%s' depends on the bodies' shapes", hit->law->name);
  }
  if (status == FF_OK && hit->law->traits && (hit->law->traits(hit->params) & FF_LAW_CORE)) {
    status = ff_report_what(report, "'%s' with a rigid core has no force formula", hit->law->name);
  }
  return status;
}

/* Depth at which the measure, at this depth rate, reaches the goal. */
static double impact_depth_where(const strike *hit, double rate, double goal,
                                 double (*measure)(const ff_patch *, const ff_normal *)) {
  double low = ff_log(1e-100), high = ff_log(1e100);
  for (int i = 0; i < 200; i++) {
    double middle = 0.5 * (low + high);
    ff_patch patch = {.depth = ff_exp(middle), .depth_rate = rate};
    ff_normal normal;
    ff_law_normal(hit->law, hit->params, &patch, &normal);
    *(measure(&patch, &normal) < goal ? &low : &high) = middle;
  }
  return ff_exp(high);
}

static double impact_measure_force(const ff_patch *patch, const ff_normal *normal) {
  (void)patch;
  return normal->force;
}

static double impact_measure_work(const ff_patch *patch, const ff_normal *normal) {
  return normal->force * patch->depth;
}

/* Scales and equilibrium. */
static void impact_set_scales(strike *hit) {
  double energy = 0.5 * hit->mass * hit->speed * hit->speed, weight = hit->mass * hit->gravity;
  /* Length scale: the depth that absorbs the energy of the impact. */
  hit->length = impact_depth_where(hit, hit->speed, energy, impact_measure_work);
  hit->time = hit->length / hit->speed;
  if (weight > 0.0) {
    hit->rest.depth = impact_depth_where(hit, 0.0, weight, impact_measure_force);
    ff_normal normal;
    ff_law_normal(hit->law, hit->params, &hit->rest, &normal);
    hit->rest_energy = normal.energy - weight * hit->rest.depth;
  }
}

ff_status ff_impact_simulate(ff_impact *out, const ff_law *law, const ff_law_params *params,
                             double mass, double speed, double gravity, ff_report *report) {
  strike hit = {.law = law, .params = params, .mass = mass, .speed = speed, .gravity = gravity};
  ff_status status = impact_check_law(&hit, report);
  if (status != FF_OK) {
    return status;
  }
  impact_set_scales(&hit);
  const double atol[UNKNOWNS] = {TOLERANCE, TOLERANCE, TOLERANCE};
  ff_ode_def def = {.size = UNKNOWNS,
                    .event_limit = EVENTS,
                    .rtol = 1e-13,
                    .max_step = INFINITY,
                    .atol = atol,
                    .rates = impact_rates,
                    .events = impact_events,
                    .context = &hit};
  ff_ode *ode;
  status = ff_ode_create(&ode, &def);
  if (status != FF_OK) {
    return status;
  }
  ff_impact impact = {.duration = NAN};
  status = impact_integrate(&hit, ode, &impact, report);
  if (status == FF_OK) {
    *out = impact;
  }
  ff_ode_destroy(ode);
  return status;
}
