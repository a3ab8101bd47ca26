/* What a fit has found, for callers. */
#include "study/fit.h"

#include <math.h>

const char *ff_fit_name(const ff_fit *fit) {
  return fit ? fit->name : "";
}

int ff_fit_law_count(const ff_fit *fit) {
  return fit ? fit->law_count : 0;
}

int ff_fit_trajectory_count(const ff_fit *fit) {
  return fit ? fit->trajectory_count : 0;
}

static bool fit_has_trajectory(const ff_fit *fit, int trajectory) {
  return fit && trajectory >= 0 && trajectory < fit->trajectory_count;
}

const char *ff_fit_trajectory_name(const ff_fit *fit, int trajectory) {
  return fit_has_trajectory(fit, trajectory) ? fit->trajectories[trajectory].name : "";
}

bool ff_fit_trajectory_held_out(const ff_fit *fit, int trajectory) {
  return fit_has_trajectory(fit, trajectory) && fit->trajectories[trajectory].held_out;
}

double ff_fit_trajectory_rms(const ff_fit *fit, int law, int trajectory) {
  bool known = fit_has_trajectory(fit, trajectory) && law >= 0 && law < fit->law_count;
  return known && fit->laws[law].rms ? fit->laws[law].rms[trajectory] : NAN;
}

ff_fit_outcome ff_fit_outcome_of(const ff_fit *fit, int law) {
  bool known = fit && law >= 0 && law < fit->law_count;
  return known ? fit->laws[law].outcome : (ff_fit_outcome){.law = ""};
}

int ff_fit_curve_count(const ff_fit *fit) {
  return fit ? fit->parts : 0;
}

ff_fit_curve ff_fit_curve_of(const ff_fit *fit, int law, int trajectory, int curve) {
  static const char *const turns[] = {"rotation x", "rotation y", "rotation z"};
  ff_fit_curve out = {.label = "", .unit = ""};
  bool known = fit_has_trajectory(fit, trajectory) && law >= 0 && law < fit->law_count;
  if (!known || curve < 0 || curve >= fit->parts || !fit->laws[law].computed) {
    return out;
  }
  const ff_fit_trajectory *at = &fit->trajectories[trajectory];
  int part = curve, i = 0;
  while (part >= fit->items[i].parts) {
    part -= fit->items[i++].parts;
  }
  const ff_fit_item *item = &fit->items[i];
  bool turn = item->kind == FF_FIT_ORIENTATION;
  out.label = turn ? turns[part] : item->columns[part];
  out.unit = item->unit;
  out.noise = item->noise;
  out.rows = at->rows;
  out.time = at->time;
  out.measured = turn ? NULL : at->measured + item->at + part;
  out.measured_stride = fit->width;
  out.computed = fit->laws[law].computed[trajectory] + curve;
  out.computed_stride = fit->parts;
  return out;
}
