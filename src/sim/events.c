/* Events of body pairs and joints, and what the whole run amounts to. */
#include "base/team.h"
#include "math/vec.h"
#include "sim/sim.h"
#include "step/peaks.h"
#include "tree/tree.h"

#include <string.h>

/* ---- joints at their limits ------------------------------------------------------------------ */

/* The joints with a limit; counted only if out is NULL. */
static int stops_list(const ff_model *model, ff_stop *out) {
  int count = 0;
  for (int r = 0; r < model->robot_count; r++) {
    const ff_model_robot *robot = &model->robots[r];
    for (int k = 0; k < robot->joint_count; k++) {
      ff_joint_info joint = ff_model_joint_info(model, (ff_joint_id){.robot = r + 1, .id = k + 1});
      if (joint.q_at < 0 || joint.follows || !(isfinite(joint.lower) || isfinite(joint.upper))) {
        continue;
      }
      if (out) {
        out[count] = (ff_stop){.robot = r,
                               .joint = k,
                               .q_at = robot->q_at + joint.q_at,
                               .v_at = robot->v_at + joint.v_at,
                               .lower = joint.lower,
                               .upper = joint.upper};
        for (int i = 1; i < robot->tree->count; i++) {
          const ff_tree_link_data *link = &robot->tree->links[i];
          if (ff_link_owns(link) && link->v_count == 1 && link->v_at == joint.v_at) {
            out[count].link = i;
          }
        }
      }
      count++;
    }
  }
  return count;
}

ff_status ff_sim_take_events(ff_sim *sim) {
  const ff_model *model = sim->model;
  int count = stops_list(model, NULL);
  sim->travel = ff_arena_take(&sim->arena, (size_t)model->body_count, sizeof *sim->travel);
  sim->stops = ff_arena_take(&sim->arena, (size_t)count, sizeof *sim->stops);
  sim->stopped = ff_arena_take(&sim->arena, (size_t)count, sizeof *sim->stopped);
  if (!sim->travel || !sim->stops || !sim->stopped) {
    return FF_ERROR_MEMORY;
  }
  sim->stop_count = stops_list(model, sim->stops);
  return FF_OK;
}

static bool stop_is_reached(const ff_sim *sim, const ff_stop *stop) {
  double q = sim->state.y[stop->q_at];
  return q >= stop->upper || q <= stop->lower;
}

/* ---- telling --------------------------------------------------------------------------------- */

static void event_tell(ff_sim *sim, const ff_event *event) {
  sim->record.events[event->kind]++;
  if (sim->on_event) {
    sim->on_event(sim->event_context, event);
  }
}

static void event_tell_pair(ff_sim *sim, const ff_meet *meet, ff_event_kind kind, double time,
                            double speed) {
  ff_event event = {.time = time,
                    .kind = kind,
                    .a = ff_body_id(sim->model, meet->a),
                    .b = ff_body_id(sim->model, meet->b),
                    .speed = speed};
  if (kind == FF_EVENT_LIFT) {
    event.peak_force = meet->peak_force;
    event.peak_time = meet->peak_time;
    event.peak_depth = meet->peak_depth;
    event.impulse = meet->impulse;
  }
  event_tell(sim, &event);
}

static void event_update_stop(ff_sim *sim, int index, double h) {
  const ff_stop *stop = &sim->stops[index];
  bool reached = stop_is_reached(sim, stop);
  if (reached && !sim->stopped[index]) {
    double q = sim->state.y[stop->q_at], v = sim->state.y[stop->v_at];
    double beyond = q >= stop->upper ? q - stop->upper : stop->lower - q;
    double speed = q >= stop->upper ? v : -v;
    double late = speed > 0 ? fmin(beyond / speed, h) : 0;
    const ff_model_robot *robot = &sim->model->robots[stop->robot];
    event_tell(sim, &(ff_event){.time = sim->state.t - late,
                                .kind = FF_EVENT_STOP,
                                .a = ff_body_id(sim->model, robot->first_body + stop->link - 1),
                                .joint = {stop->robot + 1, stop->joint + 1, sim->model->mark},
                                .speed = speed});
  }
  sim->stopped[index] = reached;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static ff_extreme extreme_of(const ff_sim *sim, double value, double time, const ff_meet *meet) {
  return (ff_extreme){value, time, ff_body_id(sim->model, meet->a),
                      ff_body_id(sim->model, meet->b)};
}

static void extreme_raise(const ff_sim *sim, ff_extreme *extreme, double value, double time,
                          const ff_meet *meet) {
  if (value > extreme->value) {
    *extreme = extreme_of(sim, value, time, meet);
  }
}

static void event_update_peak(ff_meet *meet, double force, double time) {
  if (force > meet->peak_force) {
    meet->peak_force = force;
    meet->peak_time = time;
  }
}

/* Changes within a contact that goes on. */
static void event_update_contact(ff_sim *sim, const ff_meet *meet, const ff_meet_summary *now) {
  double t = sim->state.t;
  if (now->mode == FF_SLIP && meet->mode == FF_STICK) {
    event_tell_pair(sim, meet, FF_EVENT_SLIP, t, now->depth_rate);
  } else if (now->mode == FF_STICK && meet->mode == FF_SLIP) {
    event_tell_pair(sim, meet, FF_EVENT_STICK, t, now->depth_rate);
  }
  if (meet->press != 0 && now->force == 0) {
    event_tell_pair(sim, meet, FF_EVENT_FORCE_END, t, now->depth_rate);
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
    meet->peak_force = meet->peak_depth = meet->impulse = 0;
    meet->peak_time = meet->touch_time = t - late;
    meet->mode = FF_OPEN;
    meet->on_core = false;
    meet->press = 0;
    event_tell_pair(sim, meet, FF_EVENT_TOUCH, t - late, now.depth_rate);
    sim->record.touch = extreme_of(sim, now.depth_rate, t - late, meet);
  } else if (now.touching) {
    event_update_contact(sim, meet, &now);
  }
  if (now.core > 0 && !meet->on_core) {
    event_tell_pair(sim, meet, FF_EVENT_CORE, t, now.depth_rate);
  }
  event_update_peak(meet, meet->crest_force, meet->crest_time);
  event_update_peak(meet, now.force, t);
  meet->peak_depth = fmax(meet->peak_depth, fmax(meet->crest_depth, now.depth));
  /* Solved forces are means over the step. */
  meet->impulse += h * (ff_model_solves(sim->model) ? now.force : (meet->press + now.force) / 2);
  extreme_raise(sim, &sim->record.force, meet->peak_force, meet->peak_time, meet);
  extreme_raise(sim, &sim->record.depth, meet->peak_depth, t, meet);
  extreme_raise(sim, &sim->record.impulse, meet->impulse, meet->touch_time, meet);
  if (!now.touching && meet->touching) { /* points that have gone have no rate any more */
    double rate = now.depth_rate != 0 ? now.depth_rate : meet->rate;
    event_tell_pair(sim, meet, FF_EVENT_LIFT, t, -rate);
  }
  meet->rate = now.depth_rate;
  meet->touching = now.touching;
  meet->press = now.force;
  meet->on_core = now.core > 0;
  meet->mode = now.mode;
}

/* ---- all ------------------------------------------------------------------------------------- */

void ff_sim_init_contacts(ff_sim *sim) {
  for (int m = 0; m < sim->state.meet_count; m++) {
    ff_meet *meet = &sim->state.meets[m];
    ff_meet_summary now = ff_meet_summary_of(&sim->state, meet);
    meet->touching = now.touching;
    meet->press = now.force;
    meet->on_core = now.core > 0;
    meet->mode = now.mode;
    meet->impulse = 0;
  }
  const ff_extreme none = {.time = NAN};
  sim->record = (ff_record){none, none, none, none, {0}};
  memset(sim->travel, 0, (size_t)sim->model->body_count * sizeof *sim->travel);
  for (int i = 0; i < sim->stop_count; i++) {
    sim->stopped[i] = stop_is_reached(sim, &sim->stops[i]);
  }
}

static void add_travel(void *context, int first, int end) {
  ff_sim *sim = context;
  for (int k = first; k < end; k++) {
    int i = sim->model->moved_bodies[k];
    ff_vec3 moved = v3_sub(sim->state.bodies[i].pose.position, sim->before[i].pose.position);
    sim->travel[i] += v3_norm(moved);
  }
}

void ff_sim_report_events(ff_sim *sim, double h) {
  int active = ff_state_active_count(&sim->state);
  for (int k = 0; k < active; k++) {
    event_update_pair(sim, ff_state_active(&sim->state, k), h);
  }
  for (int i = 0; i < sim->stop_count; i++) {
    event_update_stop(sim, i, h);
  }
  ff_team_for(sim->state.team, add_travel, sim, sim->model->moved_count, FF_BODIES_CHUNK);
}

void ff_sim_on_event(ff_sim *sim, ff_event_fn fn, void *context) {
  if (sim) {
    sim->on_event = fn;
    sim->event_context = context;
  }
}

/* ---- results --------------------------------------------------------------------------------- */

double ff_sim_travelled(const ff_sim *sim, ff_body body) {
  bool known = sim && ff_model_has_body(sim->model, body);
  return known ? sim->travel[body.id - 1] : NAN;
}

ff_results ff_sim_results(const ff_sim *sim) {
  const ff_extreme none = {.time = NAN};
  ff_results out = {none, none, none, none, none, {0}, {0}};
  if (!sim) {
    return out;
  }
  const ff_record *record = &sim->record;
  out.force = record->force;
  out.impulse = record->impulse;
  out.depth = record->depth;
  out.touch = record->touch;
  memcpy(out.events, record->events, sizeof out.events);
  for (int i = 0; i < sim->model->body_count; i++) {
    if (sim->travel[i] > out.travel.value) {
      out.travel =
          (ff_extreme){sim->travel[i], sim->state.t, ff_body_id(sim->model, i), (ff_body){0}};
    }
  }
  return out;
}
