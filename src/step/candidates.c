#include "step/candidates.h"

#include "math/vec.h"
#include "step/robots.h"

#include <limits.h>
#include <string.h>

bool ff_candidates_stale(const ff_model *model, const ff_state *state, double t, const double *y) {
  if (!state->listed) {
    return true;
  }
  ff_robots_place(model, state, y);
  for (int i = 0; i < model->body_count; i++) {
    const ff_model_body *body = &model->bodies[i];
    if (body->kind == FF_BODY_FIXED || body->shape_count == 0) {
      continue;
    }
    if (body->robot >= 0) {
      if (ff_candidates_left(state, i, state->bodies[i].pose.position)) {
        return true;
      }
      continue;
    }
    ff_vec3 now = body->slot >= 0 ? v3_load(y + (size_t)body->slot * FF_Y_BODY)
                                  : ff_motion_at(body, t).pose.position;
    if (ff_candidates_left(state, i, now)) {
      return true;
    }
  }
  return false;
}

void ff_candidates_wish(const ff_model *model, ff_state *state, double step) {
  double smallest = INFINITY;
  for (int i = 0; i < model->body_count; i++) {
    const ff_model_body *body = &model->bodies[i];
    if ((body->slot >= 0 || body->robot >= 0) && body->bound > 0) {
      smallest = fmin(smallest, body->bound);
    }
  }
  double least = isfinite(smallest) ? 0.1 * smallest : 0;
  double pull = step * v3_norm(model->run.gravity);
  for (int i = 0; i < model->body_count; i++) {
    bool fixed = model->bodies[i].kind == FF_BODY_FIXED;
    double speed = v3_norm(state->bodies[i].velocity);
    state->wish[i] = fixed ? 0 : least + 4 * step * (speed + pull);
  }
}

void ff_candidates_wish_more(const ff_model *model, ff_state *state, double times) {
  for (int i = 0; i < model->body_count; i++) {
    state->wish[i] = times * state->reach[i];
  }
}

/* ---- adding ------------------------------------------------------------------------- */

/* Adds a pair of shapes; false when the capacity is used up. */
static bool add_shape_pair(const ff_model *model, ff_state *state, int a, int b, int rules) {
  int points = ff_binding_points(&model->bindings[rules], model->shapes[a].geom.kind,
                                 model->shapes[b].geom.kind);
  if (state->near_count == state->near_capacity ||
      state->point_count + points > state->point_capacity) {
    return false;
  }
  state->nears[state->near_count++] = (ff_near){.shape_a = a,
                                                .shape_b = b,
                                                .binding = rules,
                                                .first_point = state->point_count,
                                                .point_count = points};
  memset(&state->points[state->point_count], 0, (size_t)points * sizeof *state->points);
  state->point_count += points;
  return true;
}

/* Adds the pairs of shapes of two bodies; with floors: those with a half-space, else the
 * others. Returns false when the capacity is used up. */
static bool add_nears(const ff_model *model, ff_state *state, int a, int b, bool floors,
                      bool swapped) {
  const ff_model_body *ba = &model->bodies[a], *bb = &model->bodies[b];
  for (int i = ba->first_shape; i < ba->first_shape + ba->shape_count; i++) {
    for (int j = bb->first_shape; j < bb->first_shape + bb->shape_count; j++) {
      const ff_model_shape *sa = &model->shapes[i], *sb = &model->shapes[j];
      int entry = sa->class_index * model->class_count + sb->class_index;
      bool floor = sa->geom.kind == FF_HALF_SPACE || sb->geom.kind == FF_HALF_SPACE;
      if (model->class_table[entry] < 0 || floor != floors ||
          model->class_swapped[entry] != swapped) {
        continue;
      }
      if (!add_shape_pair(model, state, swapped ? j : i, swapped ? i : j,
                          model->class_table[entry])) {
        return false;
      }
    }
  }
  return true;
}

/* Which of two bodies is a depends on their shapes: those of several may meet in both orders, which
 * is two meets. */
static bool add_body_pair(const ff_model *model, ff_state *state, int i, int j, bool floors) {
  for (int swapped = 0; swapped < 2; swapped++) {
    int first = state->near_count;
    if (!add_nears(model, state, i, j, floors, swapped)) {
      return false; /* there is room for as many meets as nears, and none has less than one */
    }
    if (state->near_count > first) {
      state->meets[state->meet_count++] = (ff_meet){.a = swapped ? j : i,
                                                    .b = swapped ? i : j,
                                                    .first_near = first,
                                                    .near_count = state->near_count - first};
    }
  }
  return true;
}

/* Is a finite body within the margin of some half-space of another? */
static bool near_floor(const ff_model *model, const ff_state *state, int body, int floor,
                       double margin) {
  if (model->bodies[floor].kind == FF_BODY_PRESCRIBED) {
    return true; /* a plane that turns sweeps far: always look */
  }
  const ff_model_body *b = &model->bodies[floor];
  for (int i = b->first_shape; i < b->first_shape + b->shape_count; i++) {
    if (model->shapes[i].geom.kind == FF_HALF_SPACE) {
      ff_pose pose = pose_mul(state->bodies[floor].pose, model->shapes[i].pose);
      ff_vec3 normal = q_rotate(pose.orientation, v3(0, 0, 1));
      double height = v3_dot(normal, v3_sub(state->bodies[body].pose.position, pose.position));
      if (height - model->bodies[body].bound < margin) {
        return true;
      }
    }
  }
  return false;
}

static bool add_floor_meets(const ff_model *model, ff_state *state, double times) {
  for (int f = 0; f < model->moved_count; f++) {
    int i = model->moved_bodies[f];
    for (int j = 0; j < model->body_count; j++) {
      double margin = times * (state->wish[i] + state->wish[j]);
      if (model->bodies[j].infinite && near_floor(model, state, i, j, margin) &&
          !add_body_pair(model, state, i, j, true)) {
        return false;
      }
    }
  }
  return true;
}

static bool add_free_meets(const ff_model *model, ff_state *state, double times) {
  if (!state->broad) {
    return true;
  }
  for (int k = 0; k < state->finite_count; k++) {
    int body = state->finite_bodies[k];
    state->centres[k] = state->bodies[body].pose.position;
    state->radii[k] = model->bodies[body].bound + times * state->wish[body];
  }
  int count = ff_broad_pairs(state->broad, state->centres, state->radii, state->broad_pairs,
                             state->meet_capacity);
  if (count > state->meet_capacity) {
    return false;
  }
  for (int k = 0; k < count; k++) {
    int i = state->finite_bodies[state->broad_pairs[k].i];
    int j = state->finite_bodies[state->broad_pairs[k].j];
    if (!add_body_pair(model, state, i, j, false)) {
      return false;
    }
  }
  return true;
}

/* ---- keeping what stays ---------------------------------------------------------------- */

static void swap_lists(ff_state *state) {
  ff_meet *meets = state->meets;
  ff_near *nears = state->nears;
  ff_point *points = state->points;
  state->meets = state->old_meets;
  state->nears = state->old_nears;
  state->points = state->old_points;
  state->old_meets = meets;
  state->old_nears = nears;
  state->old_points = points;
}

/* Memory of the contact points goes aside while the list is made. */
static void put_memory_aside(const ff_model *model, ff_state *state) {
  size_t memory = (size_t)state->point_count * (size_t)model->memory_count;
  if (memory > 0) {
    memcpy(state->old_memory, state->y + state->memory_at, memory * sizeof(double));
    memset(state->y + state->memory_at, 0, memory * sizeof(double));
  }
}

/* Bodies in the order in which the parts of the list are sorted. */
static long order(const ff_meet *meet, int body_count) {
  long low = meet->a < meet->b ? meet->a : meet->b;
  long high = meet->a < meet->b ? meet->b : meet->a;
  return 2 * (low * body_count + high) + (meet->a > meet->b);
}

/* In the floor part the free body comes first. */
static long floor_order(const ff_meet *meet, int body_count) {
  return (long)meet->a * body_count + meet->b;
}

static void keep_pair(const ff_model *model, ff_state *state, const ff_meet *old, ff_meet *fresh) {
  int first_near = fresh->first_near;
  const ff_near *from = &state->old_nears[old->first_near];
  const ff_near *to = &state->nears[first_near];
  int points = 0;
  for (int i = 0; i < fresh->near_count; i++) {
    points += to[i].point_count;
  }
  *fresh = *old;
  fresh->first_near = first_near;
  memcpy(&state->points[to->first_point], &state->old_points[from->first_point],
         (size_t)points * sizeof(ff_point));
  size_t width = (size_t)model->memory_count;
  if (width > 0) {
    memcpy(ff_state_memory(model, state, to->first_point),
           state->old_memory + (size_t)from->first_point * width,
           (size_t)points * width * sizeof(double));
  }
}

/* Bodies that are far apart again: what their layers still hold while they recover, dampers will
 * take. */
static void book_lost_pair(const ff_state *state, const ff_meet *old) {
  const ff_near *first = &state->old_nears[old->first_near], *end = first + old->near_count;
  double *lost = ff_state_ledger(state) + FF_Y_LOST;
  for (const ff_near *near = first; near < end; near++) {
    for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
      const ff_point *point = &state->old_points[i];
      if (!point->touching) {
        lost[FF_LOST_NORMAL] += point->energy_n;
        lost[FF_LOST_TANGENT] += point->energy_t;
      }
    }
  }
}

/* Walks an old and a new part of the list side by side. */
static void keep_part(const ff_model *model, ff_state *state, int old, int old_end, int fresh,
                      int fresh_end, long (*key)(const ff_meet *, int)) {
  while (old < old_end) {
    long k0 = key(&state->old_meets[old], model->body_count);
    long k1 = fresh < fresh_end ? key(&state->meets[fresh], model->body_count) : LONG_MAX;
    if (k0 == k1) {
      keep_pair(model, state, &state->old_meets[old], &state->meets[fresh]);
    } else if (k0 < k1) {
      book_lost_pair(state, &state->old_meets[old]);
    }
    old += k0 <= k1;
    fresh += k1 <= k0;
  }
}

/* How much further to look while nothing is near: so that one who flies looks less often. */
enum { LOOK_FURTHER = 8 };

/* Fills the list, for some times the wish; false when it is full. */
static bool fill_pair_list(const ff_model *model, ff_state *state, double times) {
  state->meet_count = state->near_count = state->point_count = 0;
  bool room = add_floor_meets(model, state, times);
  state->floor_meets = state->meet_count;
  return room && add_free_meets(model, state, times);
}

ff_status ff_candidates_update(const ff_model *model, ff_state *state) {
  const ff_state before = *state;
  put_memory_aside(model, state);
  swap_lists(state);
  bool alone = before.near_count == 0 && fill_pair_list(model, state, LOOK_FURTHER) &&
               state->near_count == 0;
  if (!alone && !fill_pair_list(model, state, 1)) {
    *state = before; /* the old arrays were not touched */
    size_t memory = (size_t)state->point_count * (size_t)model->memory_count;
    if (memory > 0) {
      memcpy(state->y + state->memory_at, state->old_memory, memory * sizeof(double));
    }
    return FF_ERROR_CAPACITY;
  }
  keep_part(model, state, 0, before.floor_meets, 0, state->floor_meets, floor_order);
  keep_part(model, state, before.floor_meets, before.meet_count, state->floor_meets,
            state->meet_count, order);
  state->listed = true;
  for (int i = 0; i < model->body_count; i++) {
    state->reach[i] = (alone ? LOOK_FURTHER : 1) * state->wish[i];
    state->listed_at[i] = state->bodies[i].pose.position;
  }
  return FF_OK;
}
