/* Events: touch-downs and lift-offs of body pairs. */
#include "math/vec.h"
#include "sim/sim.h"
#include "step/peaks.h"

void ff_sim_init_contacts(ff_sim *sim) {
  for (int m = 0; m < sim->state.meet_count; m++) {
    ff_meet *meet = &sim->state.meets[m];
    meet->touching = ff_meet_summary_of(&sim->state, meet).touching;
  }
}

static void event_report(ff_sim *sim, ff_meet *meet, ff_event_kind kind, double time,
                         double speed) {
  ff_event event = {.time = time,
                    .kind = kind,
                    .a = {meet->a + 1},
                    .b = {meet->b + 1},
                    .speed = speed,
                    .peak_force = meet->peak_force,
                    .peak_time = meet->peak_time,
                    .peak_depth = meet->peak_depth};
  if (sim->on_event) {
    sim->on_event(sim->event_context, &event);
  }
}

static void event_update_peak(ff_meet *meet, double force, double time) {
  if (force > meet->peak_force) {
    meet->peak_force = force;
    meet->peak_time = time;
  }
}

static void event_update_pair(ff_sim *sim, ff_meet *meet, double h) {
  ff_meet_summary now = ff_meet_summary_of(&sim->state, meet);
  if (!now.touching && !meet->touching) {
    return;
  }
  double t = sim->state.t;
  /* A touch-down that no step ended at is seen late: go back along the approach, at most one step.
   */
  bool unlocated = !sim->model->stepper->locates_events;
  if (now.touching && !meet->touching) {
    double late = unlocated && now.depth_rate > 0 ? fmin(now.depth / now.depth_rate, h) : 0;
    meet->peak_force = meet->peak_depth = 0;
    meet->peak_time = meet->touch_time = t - late;
    event_report(sim, meet, FF_EVENT_TOUCH, t - late, now.depth_rate);
  }
  event_update_peak(meet, meet->crest_force, meet->crest_time);
  event_update_peak(meet, now.force, t);
  meet->peak_depth = fmax(meet->peak_depth, fmax(meet->crest_depth, now.depth));
  if (!now.touching && meet->touching) {
    event_report(sim, meet, FF_EVENT_LIFT, t, -now.depth_rate);
  }
  meet->touching = now.touching;
}

void ff_sim_report_events(ff_sim *sim, double h) {
  for (int m = 0; m < sim->state.meet_count; m++) {
    event_update_pair(sim, &sim->state.meets[m], h);
  }
}

void ff_sim_on_event(ff_sim *sim, ff_event_fn fn, void *context) {
  if (sim) {
    sim->on_event = fn;
    sim->event_context = context;
  }
}
