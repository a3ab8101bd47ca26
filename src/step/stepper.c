#include "step/stepper.h"

#include "base/memory.h"
#include "base/team.h"
#include "math/vec.h"
#include "step/candidates.h"
#include "step/constraints.h"
#include "step/forces.h"
#include "step/frame.h"
#include "step/robots.h"
#include "step/samples.h"

#include <string.h>

enum { POINTS_MOST = 400000000 }; /* contact points of a pair list */

#define FF_STEPPER_ROW(id, ...) &ff_stepper_##id,
static const ff_stepper *const steppers[] = {
#include "model/stepper_rows.h"
};

const ff_stepper *ff_stepper_of(const ff_model *model) {
  return steppers[ff_stepper_index(model->stepper)];
}

/* ---- life ------------------------------------------------------------------------------------ */

/* Vectors of the size of y; what they held, old_size numbers, goes with them. */
static ff_status work_make_vectors(ff_work *work, size_t old_size) {
  size_t size = (size_t)work->state->size, count = ff_stepper_of(work->model)->staged ? 4 : 2;
  double **vectors[] = {&work->rates, &work->before, &work->stage, &work->sum};
  double *room = ff_alloc(count * size, sizeof *room);
  if (!room) {
    return FF_ERROR_MEMORY;
  }
  for (size_t i = 0; i < count; i++) {
    if (old_size > 0) {
      memcpy(room + i * size, *vectors[i], old_size * sizeof *room);
    }
    *vectors[i] = room + i * size;
  }
  return FF_OK;
}

ff_status ff_work_make(ff_work *work, const ff_model *model, ff_state *state) {
  *work = (ff_work){.model = model, .state = state};
  const ff_stepper *stepper = ff_stepper_of(model);
  ff_status status = work_make_vectors(work, 0);
  return status == FF_OK && stepper->create ? stepper->create(work) : status;
}

/* All or nothing: the arrays of the state, the vectors, and what the stepper has for contacts. */
static ff_status work_grow(ff_work *work, ff_list_size size) {
  ff_state *state = work->state, before = *state;
  const ff_stepper *stepper = ff_stepper_of(work->model);
  double *const rates = work->rates, *const start = work->before;
  double *const stage = work->stage, *const sum = work->sum;
  ff_status status = ff_state_grow(state, work->model, size);
  if (status != FF_OK) {
    return status;
  }
  status = state->size > before.size ? work_make_vectors(work, (size_t)before.size) : FF_OK;
  if (status == FF_OK && stepper->grow) {
    status = stepper->grow(work);
  }
  if (status != FF_OK) {
    ff_arena_free(&state->room);
    *state = before;
    if (work->rates != rates) {
      ff_free(work->rates);
    }
    work->rates = rates;
    work->before = start;
    work->stage = stage;
    work->sum = sum;
    return status;
  }
  ff_arena_free(&before.room);
  if (work->rates != rates) {
    ff_free(rates);
  }
  return FF_OK;
}

/* More than is wanted, so that a list that grows step by step does not grow the arrays in each:
 * twice as much of few, a quarter more of many. */
static int with_spare(int wanted, int capacity, int limit) {
  enum { MANY = 10000 };
  double share = capacity <= 16 ? 0.125 : wanted < MANY ? 1 : 0.25;
  double more = wanted + share * wanted + 8;
  return wanted <= capacity ? capacity : (int)fmin(more, limit);
}

ff_status ff_work_reserve(ff_work *work, ff_list_size wanted) {
  const ff_state *state = work->state;
  int limit = work->model->run.contact_capacity;
  limit = limit > 0 ? limit : POINTS_MOST;
  if (wanted.points > limit) {
    return FF_ERROR_CAPACITY;
  }
  ff_list_size size = {with_spare(wanted.meets, state->meet_capacity, limit),
                       with_spare(wanted.nears, state->near_capacity, limit),
                       with_spare(wanted.points, state->point_capacity, limit)};
  bool fits = size.meets == state->meet_capacity && size.nears == state->near_capacity &&
              size.points == state->point_capacity;
  return fits ? FF_OK : work_grow(work, size);
}

bool ff_work_lacked_points(ff_work *work, ff_status *status) {
  ff_state *state = work->state;
  ff_list_size wanted = {state->meet_count, state->near_count, state->point_count + state->lacking};
  if (state->lacking == 0) {
    return false;
  }
  state->lacking = 0;
  state->evaluations--;
  ff_frame_undo(state);
  *status = ff_work_reserve(work, wanted);
  return true;
}

void ff_work_restore(ff_work *work) {
  ff_state *state = work->state;
  memcpy(state->y, work->before, (size_t)state->size * sizeof *state->y);
  ff_state_repeat_moves(work->model, state);
}

ff_status ff_work_list(ff_work *work) {
  ff_status status = ff_candidates_update(work->model, work->state);
  if (status == FF_ERROR_CAPACITY) {
    status = ff_work_reserve(work, work->state->wanted);
    status = status == FF_OK ? ff_candidates_update(work->model, work->state) : status;
  }
  return status;
}

void ff_work_free(ff_work *work) {
  const ff_stepper *stepper = work->model ? ff_stepper_of(work->model) : NULL;
  if (stepper && stepper->destroy) {
    stepper->destroy(work);
  }
  ff_team_destroy(work->team);
  ff_free(work->rates);
}

void ff_work_keep(ff_work *work, ff_keep *keep) {
  ff_state *state = work->state;
  const ff_stepper *stepper = ff_stepper_of(work->model);
  ff_keep_numbers(keep, "rates", work->rates + state->ledger_at,
                  ff_state_used(work->model, state) - state->ledger_at);
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
    ff_status status = ff_work_list(work);
    if (status != FF_OK) {
      return status;
    }
  }
  ff_status status = FF_OK;
  do { /* rates of midpoint-implicit contacts are those of the middle of the step to come */
    double *rates = model->midpoint ? NULL : work->rates;
    ff_forces_update(model, state, state->t, state->y, rates ? rates + state->memory_at : NULL,
                     rates ? rates + state->ledger_at : NULL);
  } while (ff_work_lacked_points(work, &status) && status == FF_OK);
  return status;
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

/* Free bodies: unit quaternions, and `nothing` of their numbers. */
static void tidy_bodies(void *context, int first, int end) {
  const ff_work *work = context;
  double sum = nothing(ff_state_body(work->state, first), (end - first) * FF_Y_BODY);
  for (int slot = first; slot < end; slot++) {
    double *q = ff_state_body(work->state, slot) + FF_Y_Q;
    ff_quat unit = q_unit((ff_quat){q[0], q[1], q[2], q[3]});
    q[0] = unit.w;
    v3_store(q + 1, v3(unit.x, unit.y, unit.z));
    sum += 0 * unit.w; /* one of length 0 */
  }
  work->state->sums[first / FF_BODIES_CHUNK][0] = sum;
}

bool ff_work_tidy(ff_work *work) {
  const ff_model *model = work->model;
  ff_state *state = work->state;
  int bodies = FF_Y_BODY * model->free_count;
  double sum = nothing(state->y + bodies, ff_state_used(model, state) - bodies);
  ff_team_for(state->team, tidy_bodies, work, model->free_count, FF_BODIES_CHUNK);
  for (int k = 0; k < ff_chunks_of(model->free_count, FF_BODIES_CHUNK); k++) {
    sum += state->sums[k][0];
  }
  ff_robots_tidy(model, state);
  return sum == 0;
}

static void drop_open_memory(void *context, int first, int end) {
  ff_work *work = context;
  for (int i = first; i < end; i++) {
    if (!work->state->points[i].touching) { /* also what touched only inside the step */
      ff_work_drop_memory(work, i);
    }
  }
}

/* Points that carry memory: those that touched at the start of the step but no longer drop it,
 * the others carry their frame on. */
static void tend_memory(ff_work *work) {
  ff_team_for(work->team, drop_open_memory, work, work->state->point_count, FF_NEARS_CHUNK);
  ff_frame_anchor(work->model, work->state);
}

ff_status ff_work_finish(ff_work *work, double t_before) {
  ff_state *state = work->state;
  const ff_stepper *stepper = ff_stepper_of(work->model);
  bool good = ff_work_tidy(work) && ff_constraints_project(work->model, state, state->t, state->y);
  ff_status status = good ? stepper->refresh(work) : FF_ERROR_STEP;
  if (status != FF_OK) {
    ff_work_restore(work);
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
