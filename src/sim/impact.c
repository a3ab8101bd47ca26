/* One impact under any normal law, by adaptive integration with located events.
 *
 * Unknowns are scaled: depth by `length`, velocity by the speed at the touch, time by their
 * quotient, so that tolerances mean the same for a pebble and a ship.
 */
#include "footfall/impact.h"

#include "base/report.h"
#include "solve/ode.h"

#include <float.h>
#include <math.h>

enum { DEPTH, VELOCITY, LOST, UNKNOWNS };
enum { OUT, TURN, PEAK, CREEP, KINK, EVENTS };
enum { STEP_LIMIT = 2000000 };

typedef struct strike {
  const ff_law *law;
  const ff_law_params *params;
  double mass, speed, gravity;
  double length, time; /* scales, m and s */
} strike;

/* ---- the equation of motion ------------------------------------------------------------ */

static ff_patch patch_at(const strike *hit, const double *y) {
  return (ff_patch){.depth = y[DEPTH] * hit->length, .depth_rate = y[VELOCITY] * hit->speed};
}

static ff_normal force_at(const strike *hit, const double *y) {
  ff_patch patch = patch_at(hit, y);
  ff_normal normal;
  ff_law_normal(hit->law, hit->params, &patch, &normal);
  return normal;
}

static int rates(void *context, double t, const double *y, double *dy) {
  (void)t;
  const strike *hit = context;
  ff_normal normal = force_at(hit, y);
  dy[DEPTH] = y[VELOCITY];
  dy[VELOCITY] = (hit->gravity - normal.force / hit->mass) * hit->time / hit->speed;
  /* In units of mass speed^2. */
  dy[LOST] = (normal.force - normal.elastic) * y[VELOCITY] * hit->length /
             (hit->mass * hit->speed * hit->speed);
  return isfinite(dy[VELOCITY]) && isfinite(dy[LOST]) ? 0 : 1;
}

/* Kinetic and stored energy left of what there was, far below any body that comes off. */
static double creep(const strike *hit, const double *y, const ff_normal *normal) {
  double energy = hit->mass * hit->speed * hit->speed;
  return 0.5 * y[VELOCITY] * y[VELOCITY] + normal->energy / energy - 1e-24;
}

static void events(void *context, double t, const double *y, double *g) {
  (void)t;
  const strike *hit = context;
  ff_normal normal = force_at(hit, y);
  ff_patch patch = patch_at(hit, y);
  double acceleration = hit->gravity - normal.force / hit->mass;
  g[OUT] = y[DEPTH];
  g[TURN] = y[VELOCITY];
  g[PEAK] = normal.d_depth * patch.depth_rate + normal.d_rate * acceleration;
  g[CREEP] = hit->gravity > 0.0 ? 1.0 : creep(hit, y, &normal);
  g[KINK] = hit->law->kink ? hit->law->kink(hit->params, &patch) : 1.0;
}

/* ---- following one impact ----------------------------------------------------------------- */

/* The force just inside contact, where a law may step. */
static void start(const strike *hit, ff_ode *ode, ff_impact *out) {
  double *y = ff_ode_state(ode);
  y[DEPTH] = DBL_MIN;
  y[VELOCITY] = 1.0;
  y[LOST] = 0.0;
  out->force_max = force_at(hit, y).force;
  out->velocity_force_max = hit->speed;
  double g[EVENTS];
  events((void *)hit, 0.0, y, g);
  for (int i = 0; i < EVENTS; i++) {
    ff_ode_sides(ode)[i] = g[i] < 0.0 ? -1 : 1;
  }
  y[DEPTH] = 0.0;
  ff_ode_restart(ode, 0.0, EVENTS);
}

static void note_peak(const strike *hit, ff_ode *ode, ff_impact *out) {
  const double *y = ff_ode_state(ode);
  double force = force_at(hit, y).force;
  if (force > out->force_max) {
    out->force_max = force;
    out->time_force_max = ff_ode_time(ode) * hit->time;
    out->depth_force_max = y[DEPTH] * hit->length;
    out->velocity_force_max = y[VELOCITY] * hit->speed;
  }
}

static void finish(const strike *hit, ff_ode *ode, ff_impact *out) {
  const double *y = ff_ode_state(ode);
  double energy = hit->mass * hit->speed * hit->speed;
  out->time_clear = ff_ode_time(ode) * hit->time;
  if (isnan(out->duration)) {
    out->duration = out->time_clear;
  }
  out->restitution = -y[VELOCITY];
  out->speed_out = -y[VELOCITY] * hit->speed;
  out->energy_lost = energy * y[LOST];
}

/* Depth at which the law, at this depth rate, does at least so much of what counts. */
static double depth_where(const strike *hit, double rate, double goal,
                          double (*measure)(const ff_patch *, const ff_normal *)) {
  double low = log(1e-100), high = log(1e100);
  for (int i = 0; i < 200; i++) {
    double middle = 0.5 * (low + high);
    ff_patch patch = {.depth = exp(middle), .depth_rate = rate};
    ff_normal normal;
    ff_law_normal(hit->law, hit->params, &patch, &normal);
    *(measure(&patch, &normal) < goal ? &low : &high) = middle;
  }
  return exp(high);
}

static double measure_force(const ff_patch *patch, const ff_normal *normal) {
  (void)patch;
  return normal->force;
}

static double measure_work(const ff_patch *patch, const ff_normal *normal) {
  return normal->force * patch->depth;
}

/* Turned outward and inward again without coming off: since energy only goes, it stays, and
 * what is left in the end is the spring under the weight. */
static void stay(const strike *hit, ff_impact *out) {
  double weight = hit->mass * hit->gravity;
  ff_patch rest = {.depth = depth_where(hit, 0.0, weight, measure_force)};
  ff_normal normal;
  ff_law_normal(hit->law, hit->params, &rest, &normal);
  out->restitution = 0.0;
  out->speed_out = 0.0;
  out->energy_lost =
      0.5 * hit->mass * hit->speed * hit->speed + weight * rest.depth - normal.energy;
  out->duration = INFINITY;
  out->time_clear = INFINITY;
}

/* Handles one event; false: the impact is over. */
static bool handle(const strike *hit, ff_ode *ode, ff_impact *out) {
  const double *y = ff_ode_state(ode);
  switch (ff_ode_event(ode)) {
    case OUT: finish(hit, ode, out); return false;
    case TURN:
      if (y[VELOCITY] > 0.0) {
        stay(hit, out);
        return false;
      }
      out->depth_max = y[DEPTH] * hit->length;
      out->time_depth_max = ff_ode_time(ode) * hit->time;
      return true;
    case PEAK: note_peak(hit, ode, out); return true;
    case KINK:
      note_peak(hit, ode, out);
      /* A clamp that takes hold ends the force for good, unless it lets go again. */
      out->duration = force_at(hit, y).force == 0.0 ? ff_ode_time(ode) * hit->time : (double)NAN;
      return true;
    default: return false;
  }
}

static ff_status follow(const strike *hit, ff_ode *ode, ff_impact *out, ff_report *report) {
  start(hit, ode, out);
  while (ff_ode_steps(ode) < STEP_LIMIT) {
    switch (ff_ode_step(ode, 1e12)) {
      case FF_ODE_STEPPED: break;
      case FF_ODE_EVENT:
        if (ff_ode_event(ode) == CREEP) {
          return ff_report_what(report, "the body creeps back and never separates");
        }
        if (!handle(hit, ode, out)) {
          return FF_OK;
        }
        break;
      default: ff_report_what(report, "the motion could not be integrated"); return FF_ERROR_STEP;
    }
  }
  ff_report_what(report, "no separation within %d steps", STEP_LIMIT);
  return FF_ERROR_STEP;
}

/* ---- the call ----------------------------------------------------------------------------- */

static ff_status check_number(const char *key, double value, bool zero_too, ff_report *report) {
  if (isfinite(value) && (value > 0.0 || (zero_too && value == 0.0))) {
    return FF_OK;
  }
  ff_report_what(report, "must be finite and %s 0, got %g", zero_too ? "at least" : "greater than",
                 value);
  ff_report_key(report, "%s", key);
  return FF_ERROR_INPUT;
}

static ff_status check(const strike *hit, ff_report *report) {
  ff_status status = check_number("mass", hit->mass, false, report);
  if (status == FF_OK) {
    status = check_number("speed", hit->speed, false, report);
  }
  if (status == FF_OK) {
    status = check_number("gravity", hit->gravity, true, report);
  }
  if (status == FF_OK && hit->law->kind != FF_LAW_NORMAL) {
    status = ff_report_what(report, "'%s' is no normal law", hit->law->name);
  }
  if (status == FF_OK && hit->law->traits &&
      (hit->law->traits(hit->params) & FF_LAW_WANTS_OVERLAP)) {
    status = ff_report_what(report, "'%s' depends on the bodies' shapes", hit->law->name);
  }
  return status;
}

ff_status ff_impact_simulate(ff_impact *out, const ff_law *law, const ff_law_params *params,
                             double mass, double speed, double gravity, ff_report *report) {
  strike hit = {law, params, mass, speed, gravity, NAN, NAN};
  ff_status status = check(&hit, report);
  if (status != FF_OK) {
    return status;
  }
  /* The depth that takes the energy of the touch sets the scale. */
  hit.length = depth_where(&hit, speed, 0.5 * mass * speed * speed, measure_work);
  hit.time = hit.length / speed;
  const double atol[UNKNOWNS] = {1e-14, 1e-14, 1e-14};
  ff_ode_def def = {.size = UNKNOWNS,
                    .event_limit = EVENTS,
                    .rtol = 1e-13,
                    .max_step = INFINITY,
                    .atol = atol,
                    .rates = rates,
                    .events = events,
                    .context = &hit};
  ff_ode *ode;
  status = ff_ode_create(&ode, &def);
  if (status != FF_OK) {
    return status;
  }
  ff_impact impact = {.duration = NAN};
  status = follow(&hit, ode, &impact, report);
  if (status == FF_OK) {
    *out = impact;
  }
  ff_ode_destroy(ode);
  return status;
}
