#include "step/sleep.h"

#include "base/union_find.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

/* ---- waking ---------------------------------------------------------------------------------- */

void ff_sleep_wake(const ff_model *model, ff_state *state, int body) {
  ff_sleep *sleep = &state->sleep;
  int group = sleep->group[model->bodies[body].slot];
  for (int slot = 0; slot < model->free_count; slot++) {
    bool *still = &sleep->still[model->free_bodies[slot]];
    if (*still && sleep->group[slot] == group) {
      *still = false;
      sleep->rest[slot] = 0;
      sleep->count--;
    }
  }
}

/* Does a prescribed body keep its place in the step? */
static bool prescribed_rests(const ff_model_body *body, double t, double t_end) {
  ff_body_motion now = ff_motion_at(body, t), end = ff_motion_at(body, t_end);
  ff_vec3 way = v3_sub(end.pose.position, now.pose.position);
  ff_quat p = now.pose.orientation, q = end.pose.orientation;
  double speed = v3_dot(now.velocity, now.velocity) + v3_dot(now.omega, now.omega) +
                 v3_dot(end.velocity, end.velocity) + v3_dot(end.omega, end.omega);
  return speed == 0 && v3_dot(way, way) == 0 && p.w == q.w && p.x == q.x && p.y == q.y &&
         p.z == q.z;
}

bool ff_sleep_begin(const ff_model *model, ff_state *state, double t_end) {
  ff_sleep *sleep = &state->sleep;
  bool quiet = sleep->still && sleep->count == model->free_count && model->robot_count == 0;
  for (int i = 0; sleep->still && i < model->body_count; i++) {
    const ff_model_body *body = &model->bodies[i];
    if (body->kind == FF_BODY_FIXED) {
      sleep->still[i] = true;
    } else if (body->kind == FF_BODY_PRESCRIBED) {
      sleep->still[i] = prescribed_rests(body, state->t, t_end);
      quiet = quiet && sleep->still[i];
    }
    if (ff_sleep_holds(model, state, i) && state->applied_count > 0 &&
        ff_applied_acts(&state->applied[i])) {
      ff_sleep_wake(model, state, i);
      quiet = false;
    }
  }
  return quiet;
}

/* ---- falling asleep -------------------------------------------------------------------------- */

/* Longer at rest, or no longer. True: long enough to sleep. */
static bool count_rest(const ff_model *model, ff_state *state, int slot, double h) {
  const ff_stepper_def *def = &model->run.stepper;
  int id = model->free_bodies[slot];
  const ff_body_motion *motion = &state->bodies[id];
  double *rest = &state->sleep.rest[slot];
  double speed = v3_norm(motion->velocity) + v3_norm(motion->omega) * model->bodies[id].bound;
  *rest = speed <= def->sleep_speed ? *rest + h : isfinite(*rest) ? 0 : *rest;
  return *rest >= def->sleep;
}

/* Does a pair of bodies press on each other, or overlap? */
static bool pair_presses(const ff_state *state, const ff_meet *meet) {
  for (int n = meet->first_near; n < meet->first_near + meet->near_count; n++) {
    const ff_near *near = &state->nears[n];
    for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
      if (state->points[i].touching &&
          (state->points[i].patch.depth > 0 || state->points[i].force_n != 0)) {
        return true;
      }
    }
  }
  return false;
}

/* Groups of awake bodies that press on each other. What may keep a group awake or bears it is noted
 * at its lowest slot. */
static void group_resting(const ff_model *model, ff_state *state) {
  ff_sleep *sleep = &state->sleep;
  int active = ff_state_active_count(state);
  for (int pass = 0; pass < 2; pass++) { /* joins groups, then notes */
    for (int k = 0; k < active; k++) {
      const ff_meet *meet = ff_state_active(state, k);
      int a = model->bodies[meet->a].slot, b = model->bodies[meet->b].slot;
      if (ff_sleep_skips(state, meet) || !pair_presses(state, meet)) {
        continue;
      }
      bool stills[2] = {sleep->still[meet->a], sleep->still[meet->b]};
      if (pass == 0 && a >= 0 && b >= 0 && !stills[0] && !stills[1]) {
        ff_set_unite(sleep->group, a, b);
      }
      for (int s = 0; s < 2 && pass == 1; s++) {
        int slot = s == 0 ? a : b, other = s == 0 ? b : a;
        if (slot >= 0 && !stills[s]) {
          int root = ff_set_root(sleep->group, slot);
          bool fixed = other < 0 && stills[1 - s];
          sleep->borne[root] = sleep->borne[root] || fixed;
          sleep->kept[root] =
              sleep->kept[root] || (other < 0 && !fixed) || (other >= 0 && stills[1 - s]);
        }
      }
    }
  }
}

/* Velocity and momentum of a body become 0: what that takes is the step's, and an impulse from
 * outside. */
static void freeze_body(const ff_model *model, ff_state *state, int slot) {
  int id = model->free_bodies[slot];
  double *y = ff_state_body(state, slot), *ledger = ff_state_ledger(state);
  ff_vec3 v = v3_load(y + FF_Y_V), l = v3_load(y + FF_Y_L), x = v3_load(y + FF_Y_X);
  double mass = model->bodies[id].mass;
  ledger[FF_Y_LOST + FF_LOST_STEP] +=
      0.5 * (mass * v3_dot(v, v) + v3_dot(state->bodies[id].omega, l));
  ff_ledger_impulse(ledger, v3_scale(-mass, v), v3_scale(-mass, v3_cross(x, v)));
  ff_ledger_impulse(ledger, v3(0, 0, 0), v3_neg(l));
  v3_store(y + FF_Y_V, v3(0, 0, 0));
  v3_store(y + FF_Y_L, v3(0, 0, 0));
  state->bodies[id].velocity = state->bodies[id].omega = v3(0, 0, 0);
  state->sleep.still[id] = true;
  state->sleep.count++;
}

void ff_sleep_end(const ff_model *model, ff_state *state, double h) {
  ff_sleep *sleep = &state->sleep;
  bool any = false;
  for (int slot = 0; sleep->still && slot < model->free_count; slot++) {
    bool awake = !sleep->still[model->free_bodies[slot]];
    any = (awake && count_rest(model, state, slot, h)) || any;
  }
  if (!any) {
    return;
  }
  for (int slot = 0; slot < model->free_count; slot++) {
    if (!sleep->still[model->free_bodies[slot]]) {
      sleep->group[slot] = slot;
      sleep->borne[slot] = sleep->kept[slot] = false;
    }
  }
  group_resting(model, state);
  for (int slot = 0; slot < model->free_count; slot++) {
    if (!sleep->still[model->free_bodies[slot]]) {
      int root = sleep->group[slot] = ff_set_root(sleep->group, slot);
      sleep->kept[root] = sleep->kept[root] || sleep->rest[slot] < model->run.stepper.sleep;
    }
  }
  for (int slot = 0; slot < model->free_count; slot++) {
    int root = sleep->group[slot];
    if (!sleep->still[model->free_bodies[slot]] && sleep->borne[root] && !sleep->kept[root]) {
      freeze_body(model, state, slot);
    }
  }
}
