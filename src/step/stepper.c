#include "step/stepper.h"

#include "base/team.h"

#include "math/vec.h"
#include "step/candidates.h"
#include "step/constraints.h"
#include "step/forces.h"
#include "step/frame.h"
#include "step/robots.h"
#include "step/samples.h"

#include <string.h>

#define FF_STEPPER_ROW(id, ...) &ff_stepper_##id,
static const ff_stepper *const steppers[] = {
#include "model/stepper_rows.h"
};

const ff_stepper *ff_stepper_of(const ff_model *model) {
  return steppers[ff_stepper_index(model->stepper)];
}

ff_status ff_work_make(ff_work *work, const ff_model *model, ff_state *state, ff_arena *arena) {
  *work = (ff_work){.model = model, .state = state};
  size_t size = (size_t)state->size;
  const ff_stepper *stepper = ff_stepper_of(model);
  double *room = ff_arena_take(arena, (stepper->staged ? 4 : 2) * size, sizeof *room);
  if (!room) {
    return FF_ERROR_MEMORY;
  }
  work->rates = room;
  work->before = room + size;
  if (stepper->staged) {
    work->stage = room + 2 * size;
    work->sum = room + 3 * size;
  }
  return stepper->create ? stepper->create(work) : FF_OK;
}

void ff_work_free(ff_work *work) {
  const ff_stepper *stepper = work->model ? ff_stepper_of(work->model) : NULL;
  if (stepper && stepper->destroy) {
    stepper->destroy(work);
  }
  ff_team_destroy(work->team);
}

void ff_work_keep(ff_work *work, ff_keep *keep) {
  ff_state *state = work->state;
  const ff_stepper *stepper = ff_stepper_of(work->model);
  ff_keep_numbers(keep, "rates", work->rates + state->memory_at, state->size - state->memory_at);
  ff_keep_block(keep, "steps", &work->steps, 1, sizeof work->steps);
  ff_keep_block(keep, "events", &work->events, 1, sizeof work->events);
  ff_keep_block(keep, "marked_steps", &work->marked_steps, 1, sizeof work->marked_steps);
  ff_keep_numbers(keep, "marked_time", &work->marked_t, 1);
  ff_keep_block(keep, "solver", &work->solver, 1, sizeof work->solver);
  if (stepper->keep) {
    stepper->keep(work, keep);
  }
}

ff_status ff_work_refresh(ff_work *work) {
  const ff_model *model = work->model;
  ff_state *state = work->state;
  if (ff_candidates_stale(model, state, state->t, state->y)) {
    ff_bodies_update(model, state, state->t, state->y);
    ff_candidates_wish(model, state, model->run.stepper.step);
    ff_status status = ff_candidates_update(model, state);
    if (status != FF_OK) {
      return status;
    }
  }
  if (model->midpoint) { /* rates are those of the middle of the step to come */
    ff_forces_update(model, state, state->t, state->y, NULL, NULL);
  } else {
    ff_forces_update(model, state, state->t, state->y, work->rates + state->memory_at,
                     work->rates + state->ledger_at);
  }
  return FF_OK;
}

void ff_work_drop_memory(ff_work *work, int point) {
  double *memory = ff_state_memory(work->model, work->state, point);
  memset(memory, 0, (size_t)work->model->memory_count * sizeof *memory);
}

/* 0, or NAN from an infinity or a NAN. Two sums, that need not wait for each other. */
static double nothing(const double *y, int count) {
  double sum = count % 2 > 0 ? 0 * y[0] : 0, other = 0;
  for (int i = count % 2; i < count; i += 2) {
    sum += 0 * y[i];
    other += 0 * y[i + 1];
  }
  return sum + other;
}

bool ff_work_tidy(ff_work *work) {
  const ff_model *model = work->model;
  ff_state *state = work->state;
  double sum = nothing(state->y, ff_state_memory_end(model, state));
  sum += nothing(state->y + state->ledger_at, FF_Y_LEDGER);
  for (int slot = 0; slot < model->free_count; slot++) {
    double *q = ff_state_body(state, slot) + FF_Y_Q;
    ff_quat unit = q_unit((ff_quat){q[0], q[1], q[2], q[3]});
    q[0] = unit.w;
    v3_store(q + 1, v3(unit.x, unit.y, unit.z));
    sum += 0 * unit.w; /* one of length 0 */
  }
  ff_robots_tidy(model, state);
  return sum == 0;
}

/* Points that carry memory: those that touched at the start of the step but no longer, or whose
 * normal has jumped, drop it; the others carry their frame on. */
static void tend_memory(ff_work *work) {
  ff_state *state = work->state;
  for (int i = 0; i < state->point_count; i++) {
    if (!state->points[i].touching) { /* also what touched only inside the step */
      ff_work_drop_memory(work, i);
    }
  }
  for (int n = 0; n < state->near_count; n++) {
    const ff_near *near = &state->nears[n];
    for (int i = near->first_point;
         ff_frame_wanders(work->model, near) && i < near->first_point + near->point_count; i++) {
      if (ff_frame_jumped(work->model, state, near, &state->points[i])) {
        ff_work_drop_memory(work, i);
      }
    }
  }
  ff_frame_anchor(work->model, state);
}

ff_status ff_work_finish(ff_work *work, double t_before) {
  ff_state *state = work->state;
  const ff_stepper *stepper = ff_stepper_of(work->model);
  bool good = ff_work_tidy(work) && ff_constraints_project(work->model, state, state->t, state->y);
  ff_status status = good ? stepper->refresh(work) : FF_ERROR_STEP;
  if (status != FF_OK) {
    memcpy(state->y, work->before, (size_t)state->size * sizeof *state->y);
    state->t = t_before;
    stepper->refresh(work);
    return status;
  }
  if (work->model->memory_count > 0) {
    tend_memory(work);
  }
  ff_samples_forget(work->model, state);
  work->steps++;
  return FF_OK;
}
