/* Steps of high order are long: the largest force of an impact falls between two of them. Where a
 * rate turns from positive to negative within a step, its zero is found on the solution
 * itself, which the integrator can give anywhere inside the step.
 */
#include "step/peaks.h"

#include "math/vec.h"
#include "step/forces.h"

enum { ROUNDS = 30, NEWTONS = 8 };

/* A zero of a rate matters this little, relative to the step, since it enters the peak to the third
 * power; on the dense output; and a peak, relative to the largest so far. */
#define TIME_TOLERANCE  1e-5
#define ROUGH_TOLERANCE 1e-3
#define VALUE_TOLERANCE 1e-10
/* Differences along the motion, relative to the step: small against how a force bends within
 * a step, large against rounding. */
#define DIFFERENCE 1e-4

ff_meet_summary ff_meet_summary_of(const ff_state *state, const ff_meet *meet) {
  ff_meet_summary out = {.depth = -INFINITY};
  for (int n = meet->first_near; n < meet->first_near + meet->near_count; n++) {
    const ff_near *near = &state->nears[n];
    for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
      const ff_point *point = &state->points[i];
      out.touching = out.touching || point->touching;
      out.force += point->force_n;
      out.core += point->force_core;
      if (point->touching && out.mode != FF_STICK) {
        out.mode = point->mode;
      }
      if (point->patch.depth > out.depth) {
        out.depth = point->patch.depth;
        out.depth_rate = point->patch.depth_rate;
      }
    }
  }
  return out;
}

/* ---- values and rates along the motion ----------------------------------------------------- */

typedef struct slope {
  double value, rate;
} slope;

/* Where on the motion: a state, and the length of the step it belongs to. */
typedef struct place {
  double t;
  const double *y;
  double length;
} place;

/* Forces a little further along the motion, whose rates are in work->rates. */
static void go_ahead(ff_work *work, const place *at, double part) {
  double ahead = part * at->length;
  for (int i = 0; i < ff_state_used(work->model, work->state); i++) {
    work->sum[i] = at->y[i] + ahead * work->rates[i];
  }
  ff_forces_update(work->model, work->state, at->t + ahead, work->sum, NULL, NULL);
}

/* Fills `force`, `depth` and their rates in meets first .. end-1; the rate of force by a backward
 * or a central difference. */
static bool measure_pairs(ff_work *work, const place *at, ff_meet *first, const ff_meet *end,
                          bool central) {
  ff_state *state = work->state;
  bool rated = at->y == state->y && work->rated == at->t;
  if (!rated && ff_rates(work->model, state, at->t, at->y, work->rates) != 0) {
    return false;
  }
  work->rated = NAN; /* forces are looked at elsewhere now */
  for (ff_meet *meet = first; meet < end; meet++) {
    ff_meet_summary now = ff_meet_summary_of(state, meet);
    meet->force = now.force;
    meet->depth = now.depth;
    meet->depth_rate = now.depth_rate;
  }
  go_ahead(work, at, -DIFFERENCE);
  for (ff_meet *meet = first; meet < end; meet++) {
    double rise = meet->force - ff_meet_summary_of(state, meet).force;
    meet->force_rate = rise / (DIFFERENCE * at->length);
  }
  if (central) {
    go_ahead(work, at, DIFFERENCE);
    for (ff_meet *meet = first; meet < end; meet++) {
      double rise = ff_meet_summary_of(state, meet).force - meet->force;
      meet->force_rate = 0.5 * (meet->force_rate + rise / (DIFFERENCE * at->length));
    }
  }
  return true;
}

/* What is to be the largest: of one meet, its force or its depth. */
typedef struct climb {
  ff_work *work;
  const ff_meet *meet;
  bool of_force, rough; /* rough: on the dense output */
  double t0, t1;        /* the step */
} climb;

static slope slope_of(const climb *c, const ff_meet *meet) {
  return c->of_force ? (slope){meet->force, meet->force_rate}
                     : (slope){meet->depth, meet->depth_rate};
}

static slope climb_slope_at(const climb *c, double t) {
  ff_meet copy = *c->meet;
  place at = {t, c->work->stage, c->t1 - c->t0};
  bool good = ((c->rough && ff_ode_dense(c->work->ode, t, c->work->stage)) ||
               ff_ode_inside(c->work->ode, t, c->work->stage)) &&
              measure_pairs(c->work, &at, &copy, &copy + 1, !c->rough);
  return good ? slope_of(c, &copy) : (slope){NAN, NAN};
}

/* ---- the climb ----------------------------------------------------------------------------- */

/* Can the value have exceeded what it was before? It lies below its tangents while it bends
 * down, as it does about a peak. */
static bool may_exceed(slope end, double length, double before) {
  return end.rate < 0 && end.value - end.rate * length > before * (1 + VALUE_TOLERANCE);
}

/* An end of the stretch in which the rate changes sign. */
typedef struct foot {
  double t, rate;
} foot;

/* Zero of the rate: false position, with the Illinois rule against an end that stays. Returns its
 * time, and the slope of the rate there. */
static double zero_of_rate(const climb *c, foot low, foot high, double *curvature) {
  foot last = low;
  double t = c->t0;
  int side = 0;
  for (int round = 0; round < ROUNDS; round++) {
    double next = low.t + (high.t - low.t) * low.rate / (low.rate - high.rate);
    bool settled = fabs(next - t) <= ROUGH_TOLERANCE * (c->t1 - c->t0);
    t = next;
    foot here = {t, climb_slope_at(c, t).rate};
    *curvature = (here.rate - last.rate) / (here.t - last.t);
    last = here;
    if (settled || here.rate == 0 || isnan(here.rate)) {
      break;
    }
    bool rising = here.rate > 0;
    *(rising ? &low : &high) = here;
    if (side == (rising ? 1 : -1)) {
      (rising ? &high : &low)->rate *= 0.5;
    }
    side = rising ? 1 : -1;
  }
  return t - last.rate / *curvature;
}

/* The largest value and its time: on the dense output, then by Newton's method on the solution
 * itself, with the slope of the former. */
static slope top(const climb *c, foot low, foot high, double *time) {
  climb rough = *c;
  double curvature = NAN;
  rough.rough = true;
  double t = zero_of_rate(&rough, low, high, &curvature);
  slope here = {NAN, NAN};
  for (int round = 0; round < NEWTONS && t >= low.t && t <= high.t; round++) {
    here = climb_slope_at(c, t);
    double change = -here.rate / curvature;
    bool last = !(fabs(change) > TIME_TOLERANCE * (c->t1 - c->t0));
    here.value -= last ? 0.5 * curvature * change * change : 0; /* top of the parabola */
    t += change;
    *time = t;
    if (last) {
      break;
    }
  }
  return here;
}

/* The largest value inside the step and when; NAN if an end of the step is larger, or if it
 * does not exceed what was before. */
static double find(const climb *c, double before, double *time) {
  slope end = slope_of(c, c->meet);
  if (!may_exceed(end, c->t1 - c->t0, before)) {
    return NAN;
  }
  slope start = climb_slope_at(c, c->t0);
  if (!(start.rate > 0)) {
    return NAN;
  }
  return top(c, (foot){c->t0, start.rate}, (foot){c->t1, end.rate}, time).value;
}

static bool anything_touches(const ff_state *state) {
  for (int m = 0; m < state->meet_count; m++) {
    if (state->meets[m].touching) {
      return true;
    }
  }
  return false;
}

void ff_peaks_find(ff_work *work, double t_before) {
  ff_state *state = work->state;
  ff_meet *first = state->meets, *end = state->meets + state->meet_count;
  for (ff_meet *meet = first; meet < end; meet++) {
    meet->crest_force = meet->crest_depth = NAN;
  }
  place at = {state->t, state->y, state->t - t_before};
  if (!(at.length > 0) || !anything_touches(state) ||
      !measure_pairs(work, &at, first, end, false)) {
    return;
  }
  for (ff_meet *meet = first; meet < end; meet++) {
    if (meet->touching) {
      double time;
      climb c = {work, meet, true, false, t_before, state->t};
      meet->crest_force = find(&c, meet->peak_force, &meet->crest_time);
      c.of_force = false;
      meet->crest_depth = find(&c, meet->peak_depth, &time);
    }
  }
}
