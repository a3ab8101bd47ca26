/* Error-controlled integration that lands on every touch-down, lift-off and kink.
 *
 * Between events each contact point is held open or closed, so that the integrator only ever
 * sees a smooth motion; it is switched where its depth crosses zero. Where a law has a kink, as a
 * clamp or the change from stick to slip, a step ends too.
 *
 * Samples of a manifold come and go within a step: a new one takes over the point, and with it the
 * side, of one that vanished at its place; any other has the side of its depth, without an event,
 * until the step ends. Forces do not jump there, so nothing needs to be located.
 */
#include "math/vec.h"
#include "step/candidates.h"
#include "step/constraints.h"
#include "step/forces.h"
#include "step/frame.h"
#include "step/peaks.h"
#include "step/samples.h"
#include "step/stepper.h"

#include <float.h>
#include <string.h>

#define AHEAD 2 /* times the step: how far pairs are looked at */

enum {
  RETRIES = 40,         /* times the list may be widened before a step is given up */
  EVENTS_PER_POINT = 3, /* depth, and the kinks of both laws */
  A_WHILE = 2000        /* steps: no touch-down takes as many */
};
#define NEVER        1e9 /* steps of a run: at that pace it has no end */
#define FLIGHT_STEPS 10  /* times max_step: longest step in free flight, */
#define FLIGHT_TURN  0.3 /* rad, in which no body turns by more */

/* ---- what the integrator calls ----------------------------------------------------- */

/* Do rates depend on nothing but time and solution? Joint orders, applied forces and phases of
 * drives may change between steps. */
static bool is_autonomous(const ff_work *work) {
  const ff_model *model = work->model;
  return model->robot_count == 0 && model->constraint_count == 0 && model->drive_count == 0 &&
         work->state->applied_count == 0;
}

/* Once it is cancelled there are no rates anywhere, and the integrator soon gives up. */
static int adaptive_rates(void *context, double t, const double *y, double *dy) {
  ff_work *work = context;
  ff_state *state = work->state;
  size_t bytes = (size_t)ff_state_used(work->model, state) * sizeof *y;
  if (work->rated == t && memcmp(y, state->y, bytes) == 0) { /* the end of the step before */
    memcpy(dy, work->rates, bytes);
    work->rated = NAN;
    return 0;
  }
  work->rated = NAN;
  return ff_is_cancelled(&work->cancelled) || ff_rates(work->model, state, t, y, dy);
}

static int adaptive_project(void *context, double t, double *y) {
  ff_work *work = context;
  return ff_constraints_project(work->model, work->state, t, y) ? 0 : 1;
}

/* Depth of a point; or a constant on its side while it has no sample, or one that is new. An open
 * point closes above the rounding error of a depth, and opens again below minus that: surfaces that
 * fly side by side at depth 0 would change sides in every step. */
static double depth_event(const ff_point *point, bool closed) {
  bool sided = point->known && ff_point_is_found(point);
  if (!sided && !ff_point_is_plain(point)) {
    return closed ? 1 : -1;
  }
  double rounding = 16 * DBL_EPSILON * v3_norm(point->point);
  return point->patch.depth + (closed ? rounding : -rounding);
}

/* Depth of every point, then the kink functions of every closed one, as the points are. */
static void read_events(void *context, double *g) {
  const ff_work *work = context;
  const ff_state *state = work->state;
  int n = state->point_count;
  for (int i = 0; i < n; i++) {
    const ff_sided_point *side = ff_sided_point_of(state, &state->points[i]);
    g[i] = depth_event(&state->points[i], side->closed);
    g[n + i] = side->closed ? side->kink : 1;
    g[2 * n + i] = side->closed ? side->friction_kink : 1;
  }
}

static void adaptive_events(void *context, double t, const double *y, double *g) {
  ff_work *work = context;
  ff_state *state = work->state;
  if (is_autonomous(work)) { /* peaks and the next step want rates at the end of this one */
    work->rated = ff_rates(work->model, state, t, y, work->rates) == 0 ? t : NAN;
  } else {
    ff_forces_update(work->model, state, t, y, NULL, NULL);
  }
  read_events(work, g);
}

/* ---- steps without events ---------------------------------------------------------------- */

/* Notes depths and kinks at the start of a step, where the state is. */
static void note_start(ff_work *work) {
  ff_state *state = work->state;
  for (int i = 0; i < state->point_count; i++) {
    const ff_point *point = &state->points[i];
    ff_sided_point *side = ff_sided_point_of(state, point);
    bool found = ff_point_is_found(point);
    side->depth = found ? point->patch.depth : NAN;
    side->rate = found ? point->patch.depth_rate : NAN;
    side->kinks[0] = side->kink;
    side->kinks[1] = side->friction_kink;
  }
}

/* Does a depth keep its sign over a step of h? By the control points of the cubic that has the
 * depths and rates of both ends, which lies in their hull. */
static bool depth_keeps_side(const ff_point *point, const ff_sided_point *side, double h) {
  const double values[4] = {side->depth, side->depth + h * side->rate / 3,
                            point->patch.depth - h * point->patch.depth_rate / 3,
                            point->patch.depth};
  bool above = true, below = true;
  for (int k = 0; k < 4; k++) {
    above = above && values[k] > 0;
    below = below && values[k] < 0;
  }
  return side->closed ? above : below;
}

/* A kink function that changes by little, compared with its value, stays on its side. */
static bool kink_keeps_side(double before, double now) {
  return fabs(now - before) <= 0.25 * lesser(fabs(before), fabs(now));
}

static bool adaptive_quiet(void *context, double t0, double t1) {
  const ff_work *work = context;
  const ff_state *state = work->state;
  for (int i = 0; i < state->point_count; i++) {
    const ff_point *point = &state->points[i];
    const ff_sided_point *side = ff_sided_point_of(state, point);
    bool found = ff_point_is_found(point);
    if (!found && isnan(side->depth)) {
      continue;
    }
    if (!found || !depth_keeps_side(point, side, t1 - t0) ||
        (side->closed && !(kink_keeps_side(side->kinks[0], side->kink) &&
                           kink_keeps_side(side->kinks[1], side->friction_kink)))) {
      return false;
    }
  }
  return true;
}

/* Does only gravity act? Then the solution is a polynomial, except for turning bodies. */
static bool flies(const ff_work *work) {
  const ff_state *state = work->state;
  if (!is_autonomous(work)) {
    return false;
  }
  for (int i = 0; i < state->point_count; i++) {
    if (ff_sided_point_of(state, &state->points[i])->closed) {
      return false;
    }
  }
  return true;
}

/* Longest step (s): in flight longer than max_step, as long as bodies turn by little. */
static double longest_step(const ff_work *work) {
  const ff_model *model = work->model;
  double longest = model->run.stepper.max_step, fastest = 0;
  if (!flies(work)) {
    return longest;
  }
  for (int i = 0; i < model->body_count; i++) {
    fastest = fmax(fastest, v3_norm(work->state->bodies[i].omega));
  }
  double turn = fastest > 0 ? FLIGHT_TURN / fastest : INFINITY;
  return fmax(longest, fmin(FLIGHT_STEPS * longest, turn));
}

/* ---- life ------------------------------------------------------------------------------ */

/* Absolute tolerances: atol times what is natural for each unknown. */
static void set_tolerances(const ff_model *model, const ff_state *state, double *atol) {
  double tolerance = model->run.stepper.atol;
  double total = 0, size = 0;
  for (int slot = 0; slot < model->free_count; slot++) {
    const ff_model_body *body = &model->bodies[model->free_bodies[slot]];
    double length = body->bound > 0 ? body->bound : 1;
    double inertia = fmax(body->inertia.x, fmax(body->inertia.y, body->inertia.z));
    double *to = atol + (size_t)slot * FF_Y_BODY;
    for (int k = 0; k < FF_Y_BODY; k++) {
      to[k] = tolerance * (k < FF_Y_Q ? length : k < FF_Y_L ? 1 : inertia / length);
    }
    total += body->mass;
    size = fmax(size, length);
  }
  for (int i = 0; i < model->robot_count; i++) {
    total += ff_tree_mass(model->robots[i].tree);
    size = fmax(size, 1);
  }
  for (int i = FF_Y_BODY * model->free_count; i < state->ledger_at; i++) {
    atol[i] = tolerance; /* rad, m and their rates */
  }
  for (int i = state->ledger_at; i < state->memory_at; i++) {
    atol[i] = tolerance * (total > 0 ? total : 1); /* J and N s of a body at 1 m/s */
  }
  for (int i = state->memory_at; i < state->size; i++) {
    atol[i] = tolerance * (size > 0 ? size : 1);
  }
}

/* An integrator of the state's size, starting at the state's y. */
static ff_status make_integrator(ff_work *work, ff_ode **out) {
  ff_state *state = work->state;
  set_tolerances(work->model, state, work->sum);
  ff_ode_def def = {.size = state->size,
                    .event_limit = EVENTS_PER_POINT * state->point_capacity,
                    .rtol = work->model->run.stepper.rtol,
                    .max_step = work->model->run.stepper.max_step,
                    .atol = work->sum,
                    .rates = adaptive_rates,
                    .events = adaptive_events,
                    .quiet = adaptive_quiet,
                    .watch = read_events,
                    .project = work->model->constraint_count > 0 ? adaptive_project : NULL,
                    .context = work};
  ff_status status = ff_ode_create(out, &def);
  if (status == FF_OK) {
    memcpy(ff_ode_state(*out), state->y, (size_t)state->size * sizeof *state->y);
    state->y = ff_ode_state(*out);
  }
  return status;
}

static ff_status adaptive_create(ff_work *work) {
  work->state->frozen = true;
  work->state->ahead = INFINITY;
  return make_integrator(work, &work->ode);
}

static ff_status adaptive_grow(ff_work *work) {
  ff_ode *grown;
  ff_status status = make_integrator(work, &grown);
  if (status == FF_OK) {
    ff_ode_follow(grown, work->ode);
    ff_ode_destroy(work->ode);
    work->ode = grown;
  }
  return status;
}

static void adaptive_destroy(ff_work *work) {
  ff_ode_destroy(work->ode);
  work->ode = NULL;
}

static void adaptive_reset(ff_work *work) {
  ff_ode_reset(work->ode);
  work->marked_steps = 0;
  work->marked_t = 0;
}

static void adaptive_keep(ff_work *work, ff_keep *keep) {
  ff_state *state = work->state;
  if (keep->mode == FF_KEEP_LOAD) {
    ff_ode_resize(work->ode, ff_state_used(work->model, state));
  }
  ff_ode_keep(work->ode, keep);
  ff_keep_numbers(keep, "rated", &work->rated, 1);
  ff_keep_numbers(keep, "rates_at_end", work->rates, ff_state_used(work->model, state));
  ff_keep_block(keep, "sampled", &work->sampled, 1, sizeof work->sampled);
  if (work->sampled && !keep->bad) {
    ff_keep_block(keep, "sampled.point", state->old_points, state->point_count,
                  sizeof *state->old_points);
    ff_keep_block(keep, "sampled.own_point", state->old_own_points, state->point_count,
                  state->own_size);
  }
}

/* ---- steps -------------------------------------------------------------------------------- */

/* Gives every new point the side it is on, and frees those whose samples have vanished. True if
 * there are new ones. */
static bool take_sides(ff_work *work, bool *dropped) {
  ff_state *state = work->state;
  bool fresh = false;
  *dropped = ff_samples_forget(work->model, state);
  for (int i = 0; i < state->point_count; i++) {
    ff_point *point = &state->points[i];
    if (!point->known && ff_point_is_found(point)) {
      point->known = fresh = true;
      ff_sided_point_of(state, point)->closed = point->patch.depth > 0;
    }
  }
  signed char *side = ff_ode_sides(work->ode);
  int n = state->point_count;
  for (int i = 0; i < n; i++) {
    const ff_sided_point *point = ff_sided_point_of(state, &state->points[i]);
    side[i] = point->closed ? 1 : -1;
    side[n + i] = point->closed && point->kink < 0 ? -1 : 1;
    side[2 * n + i] = point->closed && point->friction_kink < 0 ? -1 : 1;
  }
  return fresh;
}

/* Forces at the present state, with every new point on the side it is on. */
static void restart(ff_work *work) {
  ff_state *state = work->state;
  work->rated = NAN;
  bool dropped;
  ff_forces_update(work->model, state, state->t, state->y, NULL, NULL);
  if (take_sides(work, &dropped)) {
    ff_forces_update(work->model, state, state->t, state->y, NULL, NULL);
    take_sides(work, &dropped); /* those of the kinks */
  }
  ff_ode_resize(work->ode, ff_state_used(work->model, state));
  ff_ode_restart(work->ode, state->t, EVENTS_PER_POINT * state->point_count);
}

/* After a step without an event: samples that have come or gone in it. */
static void renew_samples(ff_work *work) {
  ff_state *state = work->state;
  bool changed = false, dropped;
  for (int i = 0; i < state->point_count && !changed; i++) {
    const ff_point *point = &state->points[i];
    bool matched = point->id.kind != FF_PAIR_NONE && !ff_point_is_plain(point);
    changed = matched && point->known != ff_point_is_found(point);
  }
  if (changed) {
    work->rated = NAN;
    take_sides(work, &dropped);
    if (dropped) {
      restart(work);
    }
  }
}

/* With the wish that the state has. */
static ff_status list_again(ff_work *work) {
  ff_state *state = work->state;
  ff_bodies_update(work->model, state, state->t, state->y);
  ff_status status = ff_work_list(work);
  restart(work);
  return status;
}

/* Longest look-ahead of the pair list; steps themselves have no such limit. */
static const double longest_look = 0.1; /* s */

static ff_status list_until(ff_work *work, double t_end) {
  double ahead = fmin(t_end - work->state->t, work->model->run.stepper.max_step);
  ahead = fmin(ahead, longest_look);
  ff_bodies_update(work->model, work->state, work->state->t, work->state->y);
  ff_candidates_wish(work->model, work->state, ahead);
  return list_again(work);
}

static ff_status adaptive_refresh(ff_work *work) {
  return list_until(work, INFINITY);
}

/* A point met its surface: switch it. A kink needs no more than the restart. */
static void switch_point(ff_work *work, int event) {
  ff_state *state = work->state;
  if (event < state->point_count) {
    ff_point *point = &state->points[event];
    ff_sided_point_of(state, point)->closed = ff_ode_sides(work->ode)[event] > 0;
    point->known = true;
    if (work->model->memory_count > 0) { /* memory begins empty and ends with the contact */
      ff_work_drop_memory(work, event);
      point->axis = v3(0, 0, 0);
      point->turned = false;
    }
  }
  work->events++;
}

static void restore_adaptive_state(ff_work *work, double t) {
  ff_state *state = work->state;
  memcpy(state->y, work->before, (size_t)state->size * sizeof *state->y);
  state->t = t;
  restart(work);
}

static ff_status fail_adaptive_step(ff_work *work, double t) {
  work->trouble = (ff_trouble){.kind = FF_TROUBLE_OTHER};
  restore_adaptive_state(work, t);
  return ff_is_cancelled(&work->cancelled) ? FF_CANCELLED : FF_ERROR_STEP;
}

/* Forces at the end of the step, and rates for the next one. */
static void rate_end(ff_work *work) {
  ff_state *state = work->state;
  if (work->rated == state->t) {
    return;
  }
  if (!is_autonomous(work)) {
    ff_forces_update(work->model, state, state->t, state->y, NULL, NULL);
  } else if (ff_rates(work->model, state, state->t, state->y, work->rates) == 0) {
    work->rated = state->t;
  }
}

/* Would the run take for ever at the pace of the last while? Where a force leaps back as soon as it
 * has moved the bodies a little, no step is short enough. */
static bool crawls(ff_work *work) {
  double pace = (work->state->t - work->marked_t) / A_WHILE;
  if (work->steps - work->marked_steps < A_WHILE) {
    return false;
  }
  work->marked_steps = work->steps;
  work->marked_t = work->state->t;
  work->trouble = (ff_trouble){.kind = FF_TROUBLE_CRAWLING, .a = -1, .b = -1, .step = pace};
  return pace < work->model->run.duration / NEVER;
}

/* After a step that stays: switches the point of its event, or renews contact samples. */
static void finish_adaptive_step(ff_work *work, bool event) {
  ff_state *state = work->state;
  const ff_model *model = work->model;
  if (work->sampled) { /* the points as they are inside the step, before anything is switched */
    size_t points = (size_t)state->point_count;
    memcpy(state->old_points, state->points, points * sizeof *state->points);
    memcpy(state->old_own_points, state->own_points, points * state->own_size);
  }
  if (event) {
    switch_point(work, ff_ode_event(work->ode));
    restart(work);
    if (flies(work)) {
      ff_ode_suggest(work->ode, model->run.stepper.max_step);
    }
  } else {
    rate_end(work);
    renew_samples(work);
    if (model->memory_count > 0 && ff_frame_leans(model, state)) {
      ff_frame_anchor(model, state);
      restart(work);
    }
  }
  work->steps++;
}

static ff_status adaptive_step(ff_work *work, double t_end) {
  ff_state *state = work->state;
  const ff_model *model = work->model;
  double t = state->t;
  if (crawls(work)) {
    return FF_ERROR_STEP;
  }
  if (ff_candidates_stale(model, state, t, state->y)) {
    ff_status status = list_until(work, t_end);
    if (status != FF_OK) {
      return status;
    }
  }
  memcpy(work->before, state->y, (size_t)state->size * sizeof *state->y);
  for (int tries = 0; tries < RETRIES; tries++) {
    ff_ode_limit(work->ode, longest_step(work));
    note_start(work);
    state->ahead = AHEAD * fmin(ff_ode_longest(work->ode), t_end - state->t);
    ff_ode_outcome outcome = ff_ode_step(work->ode, t_end);
    if (outcome == FF_ODE_FAILED) {
      return fail_adaptive_step(work, t);
    }
    state->t = ff_ode_time(work->ode);
    /* Farther than the list reaches: a touch may be missing. Look farther, step again. */
    if (ff_candidates_stale(model, state, state->t, state->y)) {
      restore_adaptive_state(work, t);
      ff_candidates_wish_more(model, state, 4);
      ff_status status = list_again(work);
      if (status != FF_OK) {
        return status;
      }
      continue;
    }
    ff_peaks_find(work, t);
    if (ff_is_cancelled(&work->cancelled)) { /* peaks need rates, too */
      return fail_adaptive_step(work, t);
    }
    finish_adaptive_step(work, outcome == FF_ODE_EVENT);
    return FF_OK;
  }
  return fail_adaptive_step(work, t);
}

static double adaptive_longest(const ff_work *work) {
  return ff_ode_longest(work->ode);
}

/* ---- samples inside a step ---------------------------------------------------------------- */

/* The points of the last step, which adaptive_step has copied, and the solution in it. */
static bool adaptive_enter(ff_work *work, double t) {
  ff_state *state = work->state;
  work->aside.t = state->t;
  work->aside.y = state->y;
  work->aside.evaluations = state->evaluations;
  ff_state_swap_points(state);
  bool good = ff_ode_inside(work->ode, t, work->stage);
  state->t = t;
  state->y = work->stage;
  if (good) {
    ff_forces_update(work->model, state, t, state->y, NULL, NULL);
  }
  return good;
}

static void adaptive_leave(ff_work *work) {
  ff_state *state = work->state;
  ff_state_swap_points(state);
  state->t = work->aside.t;
  state->y = work->aside.y;
  ff_forces_update(work->model, state, state->t, state->y, NULL, NULL);
  state->evaluations = work->aside.evaluations; /* those of the integration are counted */
}

const ff_stepper ff_stepper_adaptive = {
    .staged = true,
    .point_size = sizeof(ff_sided_point),
    .create = adaptive_create,
    .destroy = adaptive_destroy,
    .reset = adaptive_reset,
    .grow = adaptive_grow,
    .keep = adaptive_keep,
    .refresh = adaptive_refresh,
    .step = adaptive_step,
    .longest = adaptive_longest,
    .enter = adaptive_enter,
    .leave = adaptive_leave,
};
