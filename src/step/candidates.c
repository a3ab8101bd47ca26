#include "step/candidates.h"

#include "base/team.h"
#include "math/vec.h"
#include "step/robots.h"

#include <limits.h>
#include <stdatomic.h>
#include <string.h>

enum {
  STEPS_AHEAD = 4,      /* that a list of few bodies is made for, */
  STEPS_AHEAD_MANY = 8, /* and one of many */
  FEW_BODIES = 32       /* up to here skins are isotropic: the pair list is short anyway */
};

static int steps_ahead(const ff_model *model) {
  return model->moved_count <= FEW_BODIES ? STEPS_AHEAD : STEPS_AHEAD_MANY;
}

typedef struct stale_job {
  const ff_model *model;
  const ff_state *state;
  const double *y;
  atomic_bool stale;
} stale_job;

static void look_for_stale(void *context, int first, int end) {
  stale_job *job = context;
  for (int slot = first; slot < end; slot++) {
    const double *at = job->y + (size_t)slot * FF_Y_BODY;
    ff_pose pose = {v3_load(at + FF_Y_X),
                    {at[FF_Y_Q], at[FF_Y_Q + 1], at[FF_Y_Q + 2], at[FF_Y_Q + 3]}};
    if (ff_candidates_left(job->state, job->model->free_bodies[slot], &pose)) {
      atomic_store_explicit(&job->stale, true, memory_order_relaxed);
      return;
    }
  }
}

bool ff_candidates_stale(const ff_model *model, const ff_state *state, double t, const double *y) {
  if (!state->listed) {
    return true;
  }
  stale_job job = {.model = model, .state = state, .y = y};
  ff_team_for(state->team, look_for_stale, &job, model->free_count, FF_BODIES_CHUNK);
  if (atomic_load(&job.stale)) {
    return true;
  }
  for (int k = 0; k < state->guided_count; k++) {
    int i = state->guided_bodies[k];
    ff_body_motion motion = ff_motion_at(&model->bodies[i], t);
    if (ff_candidates_left(state, i, &motion.pose)) {
      return true;
    }
  }
  ff_robots_place(model, state, t, y);
  for (int r = 0; r < model->robot_count; r++) {
    const ff_model_robot *robot = &model->robots[r];
    for (int i = robot->first_body; i < robot->first_body + robot->link_count; i++) {
      if (ff_candidates_left(state, i, &state->bodies[i].pose)) {
        return true;
      }
    }
  }
  return false;
}

void ff_candidates_wish(const ff_model *model, ff_state *state, double step) {
  const bool few = model->moved_count <= FEW_BODIES;
  const double ahead = steps_ahead(model) * step, pull = step * v3_norm(model->run.gravity);
  for (int i = 0; i < model->body_count; i++) {
    const ff_body_motion *motion = &state->bodies[i];
    if (state->sway[i] < 0) {
      continue;
    }
    double any_way = few ? v3_norm(motion->velocity) : 0;
    double turning = state->sway[i] * v3_norm(motion->omega);
    state->wish[i] = state->least_skin + ahead * (pull + turning + any_way);
    state->wish_way[i] = few ? v3(0, 0, 0) : v3_scale(ahead, motion->velocity);
  }
}

void ff_candidates_wish_more(const ff_model *model, ff_state *state, double times) {
  for (int i = 0; i < model->body_count; i++) {
    if (state->sway[i] >= 0) {
      state->wish[i] = times * state->reach[i];
      state->wish_way[i] = v3_scale(times, state->way[i]);
    }
  }
}

/* ---- adding ------------------------------------------------------------------------- */

/* Adds a pair of shapes; beyond the capacity it is only counted. In a pooled state it has no points
 * yet. */
static void add_shape_pair(const ff_model *model, ff_state *state, int a, int b, int rules) {
  int points = state->pooled
                   ? 0
                   : ff_binding_points(&model->bindings[rules], model->shapes[a].geom.kind,
                                       model->shapes[b].geom.kind);
  const ff_model_shape *sa = &model->shapes[a], *sb = &model->shapes[b];
  if (state->near_count < state->near_capacity &&
      state->point_count <= state->point_capacity - points) {
    state->nears[state->near_count] = (ff_near){.shape_a = a,
                                                .shape_b = b,
                                                .binding = rules,
                                                .first_point = state->point_count,
                                                .point_count = points,
                                                .clear = state->pooled,
                                                .centred = sa->centred && sb->centred,
                                                .reach = sa->bound + sb->bound};
    ff_state_clear_points(state, state->point_count, points);
  }
  state->near_count++;
  state->point_count += points;
}

/* Binding of two shapes, the first of which is the b of the pair if swapped; -1: none. */
static int binding_of(const ff_model *model, int i, int j, bool swapped) {
  int entry = model->shapes[i].class_index * model->class_count + model->shapes[j].class_index;
  return model->class_swapped[entry] == swapped ? model->class_table[entry] : -1;
}

/* Ends a body pair whose shape pairs begin at first_near. */
static void add_meet(ff_state *state, int i, int j, bool swapped, int first_near) {
  if (state->near_count == first_near) {
    return;
  }
  if (state->meet_count < state->meet_capacity) {
    state->meets[state->meet_count] = (ff_meet){.a = swapped ? j : i,
                                                .b = swapped ? i : j,
                                                .first_near = first_near,
                                                .near_count = state->near_count - first_near};
  }
  state->meet_count++;
}

/* ---- half-spaces ----------------------------------------------------------------------------- */

/* The shapes of a body with the half-spaces of another. Which of them is a depends on their shapes:
 * those of several may meet in both orders, which is two body pairs. */
static void add_floor_pair(const ff_model *model, ff_state *state, int i, int j) {
  const ff_model_body *bi = &model->bodies[i], *bj = &model->bodies[j];
  for (int swapped = 0; swapped < 2; swapped++) {
    int first = state->near_count;
    for (int s = bi->first_shape; s < bi->first_shape + bi->shape_count; s++) {
      for (int t = bj->first_shape; t < bj->first_shape + bj->shape_count; t++) {
        int binding = binding_of(model, s, t, swapped);
        bool floor = model->shapes[s].geom.kind == FF_HALF_SPACE ||
                     model->shapes[t].geom.kind == FF_HALF_SPACE;
        if (floor && binding >= 0) {
          add_shape_pair(model, state, swapped ? t : s, swapped ? s : t, binding);
        }
      }
    }
    add_meet(state, i, j, swapped, first);
  }
}

/* Where the half-spaces are, by body. Returns their number. */
static int place_planes(const ff_model *model, ff_state *state) {
  int count = 0;
  for (int k = 0; k < state->floor_count; k++) {
    const ff_model_body *body = &model->bodies[state->floor_bodies[k]];
    for (int i = body->first_shape; i < body->first_shape + body->shape_count; i++) {
      if (model->shapes[i].geom.kind == FF_HALF_SPACE) {
        ff_pose pose = pose_mul(state->bodies[state->floor_bodies[k]].pose, model->shapes[i].pose);
        state->planes[count++] = (ff_plane){.body = state->floor_bodies[k],
                                            .point = pose.position,
                                            .normal = q_rotate(pose.orientation, v3(0, 0, 1))};
      }
    }
  }
  return count;
}

/* Is a finite body within its skins of a half-space of another? */
static bool near_plane(const ff_model *model, const ff_state *state, int body,
                       const ff_plane *plane, double times) {
  if (model->bodies[plane->body].kind == FF_BODY_PRESCRIBED) {
    return true; /* a plane that turns sweeps far: always look */
  }
  double margin = times * (state->wish[body] + state->wish[plane->body]);
  ff_vec3 way = v3_sub(state->wish_way[body], state->wish_way[plane->body]);
  double height = v3_dot(plane->normal, v3_sub(state->bodies[body].pose.position, plane->point));
  double falls = times * greater(0, -v3_dot(plane->normal, way));
  return height - model->bodies[body].bound < margin + falls;
}

static void add_floor_meets(const ff_model *model, ff_state *state, double times) {
  int planes = state->floor_count > 0 ? place_planes(model, state) : 0;
  for (int f = 0; f < model->moved_count && planes > 0; f++) {
    int i = model->moved_bodies[f];
    for (int k = 0, next; k < planes; k = next) {
      int floor = state->planes[k].body;
      bool near = false;
      for (next = k; next < planes && state->planes[next].body == floor; next++) {
        near = near || near_plane(model, state, i, &state->planes[next], times);
      }
      if (near) {
        add_floor_pair(model, state, i, floor);
      }
    }
  }
}

/* ---- finite shapes --------------------------------------------------------------------------- */

/* Bounding sphere of a shape that moves, swept along the way that its body is expected to go. */
static void sweep_shape(const ff_model *model, ff_state *state, int k, double times) {
  const ff_finite *finite = &state->finite[k];
  const ff_model_shape *shape = &model->shapes[finite->shape];
  const ff_pose *pose = &state->bodies[finite->body].pose;
  double r = shape->bound + times * state->wish[finite->body];
  ff_vec3 centre = shape->centred ? pose->position : pose_point(*pose, shape->pose.position);
  ff_vec3 way = v3_scale(times, state->wish_way[finite->body]);
  ff_vec3 size = v3(r + greater(0, way.x), r + greater(0, way.y), r + greater(0, way.z));
  state->boxes[k].high = v3_add(centre, size);
  size = v3(r + greater(0, -way.x), r + greater(0, -way.y), r + greater(0, -way.z));
  state->boxes[k].low = v3_sub(centre, size);
}

/* Bounds of a shape that stays where it is. */
static ff_box box_at_rest(const ff_model_shape *shape, const ff_pose *body) {
  ff_pose room;
  const ff_pose *pose = ff_shape_at(shape, body, &room);
  static const ff_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  double low[3], high[3];
  for (int d = 0; d < 3; d++) {
    ff_vec3 along = q_unrotate(pose->orientation, axes[d]);
    ff_vec3 top = pose_point(*pose, ff_geom_support(&shape->geom, along));
    ff_vec3 end = pose_point(*pose, ff_geom_support(&shape->geom, v3_neg(along)));
    double slack = 1e-9 * (shape->bound + fabs(v3_dot(axes[d], pose->position)));
    high[d] = v3_dot(axes[d], top) + slack;
    low[d] = v3_dot(axes[d], end) - slack;
  }
  return (ff_box){v3_load(low), v3_load(high)};
}

static void fill_boxes(const ff_model *model, ff_state *state, double times) {
  for (int k = 0; k < state->finite_count; k++) {
    const ff_finite *finite = &state->finite[k];
    if (model->bodies[finite->body].kind != FF_BODY_FIXED) {
      sweep_shape(model, state, k, times);
    } else if (!state->listed) {
      state->boxes[k] =
          box_at_rest(&model->shapes[finite->shape], &state->bodies[finite->body].pose);
    }
  }
}

/* Are the bounding spheres of two shapes apart, wherever on their ways they are? Boxes overlap more
 * often. */
static bool spheres_apart(const ff_model *model, const ff_state *state, const ff_finite *a,
                          const ff_finite *b, double times) {
  const ff_model_shape *sa = &model->shapes[a->shape], *sb = &model->shapes[b->shape];
  const ff_pose *at_a = &state->bodies[a->body].pose, *at_b = &state->bodies[b->body].pose;
  ff_vec3 ca = sa->centred ? at_a->position : pose_point(*at_a, sa->pose.position);
  ff_vec3 cb = sb->centred ? at_b->position : pose_point(*at_b, sb->pose.position);
  double ways = v3_norm(state->wish_way[a->body]) + v3_norm(state->wish_way[b->body]);
  double reach =
      sa->bound + sb->bound + times * (state->wish[a->body] + state->wish[b->body] + ways);
  ff_vec3 apart = v3_sub(ca, cb);
  return v3_dot(apart, apart) > reach * reach * (1 + 1e-12);
}

/* Sorts pairs of the same first body by second body; those of the same bodies stay in order. */
static void sort_by_body(const ff_finite *finite, ff_broad_pair *pairs, int count) {
  for (int k = 1; k < count; k++) {
    ff_broad_pair held = pairs[k];
    int at = k;
    for (; at > 0 && finite[pairs[at - 1].j].body > finite[held.j].body; at--) {
      pairs[at] = pairs[at - 1];
    }
    pairs[at] = held;
  }
}

/* Pairs of shapes of two bodies, first .. end-1. */
static void add_free_pair(const ff_model *model, ff_state *state, const ff_broad_pair *first,
                          const ff_broad_pair *end, double times) {
  int i = state->finite[first->i].body, j = state->finite[first->j].body;
  for (int swapped = 0; swapped < 2; swapped++) {
    int near = state->near_count;
    for (const ff_broad_pair *pair = first; pair < end; pair++) {
      const ff_finite *a = &state->finite[pair->i], *b = &state->finite[pair->j];
      int binding = binding_of(model, a->shape, b->shape, swapped);
      if (binding >= 0 && !spheres_apart(model, state, a, b, times)) {
        add_shape_pair(model, state, swapped ? b->shape : a->shape, swapped ? a->shape : b->shape,
                       binding);
      }
    }
    add_meet(state, i, j, swapped, near);
  }
}

static ff_status add_free_meets(const ff_model *model, ff_state *state, double times) {
  if (!state->broad) {
    return FF_OK;
  }
  ff_broad_pair *pairs;
  int count;
  fill_boxes(model, state, times);
  ff_status status = ff_broad_find(state->broad, state->boxes, state->groups, &pairs, &count);
  const ff_finite *finite = state->finite;
  for (int k = 0, next; status == FF_OK && k < count; k = next) {
    for (next = k + 1; next < count && finite[pairs[next].i].body == finite[pairs[k].i].body;) {
      next++;
    }
    if (pairs[k].i != pairs[next - 1].i) {
      sort_by_body(finite, &pairs[k], next - k);
    }
    for (int first = k, end; first < next; first = end) {
      for (end = first + 1;
           end < next && finite[pairs[end].j].body == finite[pairs[first].j].body;) {
        end++;
      }
      add_free_pair(model, state, &pairs[first], &pairs[end], times);
    }
  }
  return status;
}

/* ---- keeping what stays ---------------------------------------------------------------- */

static void swap_lists(ff_state *state) {
  ff_meet *meets = state->meets;
  ff_near *nears = state->nears;
  state->meets = state->old_meets;
  state->nears = state->old_nears;
  state->old_meets = meets;
  state->old_nears = nears;
  ff_state_swap_points(state);
}

/* Memory of the contact points goes aside while the list is made. */
static void put_memory_aside(const ff_model *model, ff_state *state) {
  size_t memory = ff_memory_bytes(model, state);
  if (memory > 0) {
    memcpy(state->old_memory, state->y + state->memory_at, memory);
    memset(state->y + state->memory_at, 0, memory);
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

/* Shape pairs of two bodies are sorted by the shapes of the one that comes first. */
static long near_order(const ff_near *near, int shape_count) {
  long low = near->shape_a < near->shape_b ? near->shape_a : near->shape_b;
  long high = near->shape_a < near->shape_b ? near->shape_b : near->shape_a;
  return low * shape_count + high;
}

static void keep_near(const ff_model *model, ff_state *state, const ff_near *old, ff_near *fresh) {
  fresh->apart = old->apart;
  if (state->pooled) {
    fresh->first_point = state->point_count;
    fresh->point_count = old->point_count;
    fresh->clear = old->clear;
    state->point_count += old->point_count;
  }
  size_t points = (size_t)fresh->point_count, width = (size_t)model->memory_count;
  ff_state_copy_old_points(state, fresh->first_point, old->first_point, fresh->point_count);
  if (width > 0) {
    memcpy(ff_state_memory(model, state, fresh->first_point),
           state->old_memory + (size_t)old->first_point * width, points * width * sizeof(double));
  }
}

/* Shapes that are far apart again: what their layers still hold while they recover, dampers will
 * take. */
static void book_lost_near(const ff_state *state, const ff_near *near) {
  double *lost = ff_state_ledger(state) + FF_Y_LOST;
  for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
    const ff_point *point = &state->old_points[i];
    if (!point->touching) {
      lost[FF_LOST_NORMAL] += point->energy_n;
      lost[FF_LOST_TANGENT] += point->energy_t;
    }
  }
}

static void keep_pair(const ff_model *model, ff_state *state, const ff_meet *old, ff_meet *fresh) {
  const ff_near *from = &state->old_nears[old->first_near], *from_end = from + old->near_count;
  ff_near *to = &state->nears[fresh->first_near], *to_end = to + fresh->near_count;
  while (from < from_end) {
    long k0 = near_order(from, model->shape_count);
    long k1 = to < to_end ? near_order(to, model->shape_count) : LONG_MAX;
    if (k0 == k1) {
      keep_near(model, state, from, to);
    } else if (k0 < k1) {
      book_lost_near(state, from);
    }
    from += k0 <= k1;
    to += k1 <= k0;
  }
  int first_near = fresh->first_near, near_count = fresh->near_count;
  *fresh = *old;
  fresh->first_near = first_near;
  fresh->near_count = near_count;
}

static void book_lost_pair(const ff_state *state, const ff_meet *old) {
  const ff_near *first = &state->old_nears[old->first_near], *end = first + old->near_count;
  for (const ff_near *near = first; near < end; near++) {
    book_lost_near(state, near);
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

/* Reach multiplier while the list is empty: a free-flying body then rebuilds the list less often.
 */
enum { LOOK_FURTHER = 8 };

/* Fills the list, for some times the wish. FF_ERROR_CAPACITY: it does not fit, see wanted. */
static ff_status fill_pair_list(const ff_model *model, ff_state *state, double times) {
  state->meet_count = state->near_count = state->point_count = 0;
  add_floor_meets(model, state, times);
  state->floor_meets = state->meet_count;
  ff_status status = add_free_meets(model, state, times);
  state->wanted = (ff_list_size){state->meet_count, state->near_count, state->point_count};
  bool fits = state->meet_count <= state->meet_capacity &&
              state->near_count <= state->near_capacity &&
              state->point_count <= state->point_capacity;
  return status == FF_OK && !fits ? FF_ERROR_CAPACITY : status;
}

/* The list before, whose arrays were not touched. */
static void take_old_list(const ff_model *model, ff_state *state, const ff_state *before) {
  ff_list_size wanted = state->wanted;
  *state = *before;
  state->wanted = wanted;
  size_t memory = ff_memory_bytes(model, state);
  if (memory > 0) {
    memcpy(state->y + state->memory_at, state->old_memory, memory);
  }
}

ff_status ff_candidates_update(const ff_model *model, ff_state *state) {
  const ff_state before = *state;
  put_memory_aside(model, state);
  swap_lists(state);
  bool alone = before.near_count == 0 && fill_pair_list(model, state, LOOK_FURTHER) == FF_OK &&
               state->near_count == 0;
  ff_status status = alone ? FF_OK : fill_pair_list(model, state, 1);
  if (status != FF_OK) {
    take_old_list(model, state, &before);
    return status;
  }
  state->move_count = 0;
  state->active_count = -1;
  keep_part(model, state, 0, before.floor_meets, 0, state->floor_meets, floor_order);
  keep_part(model, state, before.floor_meets, before.meet_count, state->floor_meets,
            state->meet_count, order);
  state->listed = true;
  /* The list is checked after each step: one step's motion is left to spare. */
  double times = (alone ? LOOK_FURTHER : 1) - 1.0 / steps_ahead(model);
  for (int i = 0; i < model->body_count; i++) {
    if (state->sway[i] >= 0) {
      state->reach[i] = times * state->wish[i];
      state->way[i] = v3_scale(times, state->wish_way[i]);
      state->listed_at[i] = state->bodies[i].pose;
    }
  }
  return FF_OK;
}
