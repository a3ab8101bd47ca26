#include "step/samples.h"

#include "base/team.h"
#include "geom/seam.h"
#include "math/vec.h"
#include "model/steppers.h"

#include <stdatomic.h>
#include <string.h>

#define SAME_PLACE   1e-3 /* of the smaller shape: samples this near one another are at one place */
#define CERTAIN      1e-9 /* of the sizes: shapes that are farther apart along an axis do not touch */
#define LEAST_PACE   1e-6 /* of a depth that changes as a body shifts */
#define FASTEST_PACE 100  /* of one that can be foretold over a step */

/* ---- which sample goes where -------------------------------------------------------------------
 */

/* The point that bears a feature id; -1: none. */
static int slot_of_id(const ff_near *near, const ff_point *points, ff_feature_pair id) {
  for (int i = 0; i < near->point_count; i++) {
    if (ff_feature_pair_equal(points[i].id, id)) {
      return i;
    }
  }
  return -1;
}

/* A point for a new id at this place (m, in b's principal frame): the nearest one whose sample has
 * vanished there; else a free one; else, if more ids have come than there are points, one whose
 * sample was open, which has no memory. */
static ff_point *point_for_new(const ff_state *state, const ff_near *near, const bool *used,
                               ff_vec3 place, double size) {
  ff_point *points = &state->points[near->first_point];
  double nearest = SAME_PLACE * size;
  ff_point *same = NULL, *free_one = NULL, *open_one = NULL, *unused = NULL;
  for (int i = near->point_count - 1; i >= 0; i--) {
    ff_point *point = &points[i];
    if (used[i]) {
      continue;
    }
    unused = point;
    bool closed = state->frozen && ff_sided_point_of(state, point)->closed;
    open_one = closed ? open_one : point;
    if (point->id.kind == FF_PAIR_NONE) {
      free_one = point;
      continue;
    }
    double way = v3_norm(v3_sub(point->place, place));
    if (way <= nearest) {
      nearest = way;
      same = point;
    }
  }
  if (same || free_one) {
    return same ? same : free_one;
  }
  unused = open_one ? open_one : unused;
  unused->known = false;
  return unused;
}

/* Points that every new id needs to find a free one. Points of half-spaces and smooth shapes have
 * numbers. */
static int points_wanted(const ff_state *state, const ff_near *near, const ff_manifold *from) {
  const ff_point *points = &state->points[near->first_point];
  int wanted = 0, taken = 0;
  for (int i = 0; i < near->point_count; i++) {
    taken += points[i].id.kind != FF_PAIR_NONE;
  }
  for (int i = 0; i < from->count; i++) {
    ff_feature_pair id = from->samples[i].id;
    int needs = id.kind == FF_PAIR_POINT           ? id.a + 1
                : slot_of_id(near, points, id) < 0 ? ++taken
                                                   : 0;
    wanted = needs > wanted ? needs : wanted;
  }
  return wanted;
}

/* The point of each sample. */
static void match_samples(const ff_model *model, ff_state *state, const ff_near *near,
                          const ff_manifold *from, ff_point *to[FF_SAMPLES_MAX],
                          ff_vec3 places[FF_SAMPLES_MAX]) {
  const ff_model_shape *a = &model->shapes[near->shape_a], *b = &model->shapes[near->shape_b];
  const ff_pose *frame = &state->bodies[b->body].pose;
  ff_point *points = &state->points[near->first_point];
  bool used[FF_SAMPLES_MAX] = {false}, all = true;
  for (int i = 0; i < from->count; i++) {
    const ff_sample *sample = &from->samples[i];
    int slot = slot_of_id(near, points, sample->id);
    places[i] = q_unrotate(frame->orientation, v3_sub(sample->point, frame->position));
    to[i] = slot >= 0 ? &points[slot] : NULL;
    all = all && slot >= 0;
    if (slot >= 0) {
      used[slot] = true;
    }
  }
  for (int i = 0; !all && i < from->count; i++) {
    if (!to[i]) {
      to[i] = point_for_new(state, near, used, places[i], lesser(a->bound, b->bound));
      used[to[i] - points] = true;
    }
  }
}

/* ---- storing -----------------------------------------------------------------------------------
 */

static void store_sample(ff_point *to, const ff_sample *from) {
  to->id = from->id;
  to->point = from->point;
  to->normal = to->push = from->normal;
  to->t1 = from->t1;
  to->t2 = v3_cross(from->normal, from->t1);
  to->patch.depth = from->depth;
  to->patch.curvature[0] = from->curvature[0];
  to->patch.curvature[1] = from->curvature[1];
  to->weight = to->pace = 1;
  if (ff_point_is_plain(to)) {
    return;
  }
  double pace = v3_norm(from->d_depth.shift);
  to->weight = from->weight;
  to->d_weight = from->d_weight;
  to->lever = v3(0, 0, 0);
  if (pace > LEAST_PACE) {
    to->pace = pace;
    to->push = v3_scale(-1 / pace, from->d_depth.shift);
    to->lever = v3_scale(-1 / pace, from->d_depth.turn);
  }
}

/* Edges that are nearly parallel cross at a point that runs along them as the bodies shift: its
 * depth and all weights of the pair change too fast to be foretold over a step. Midpoint-implicit
 * contacts then take the weights for constant, and such a depth for that of a point that stays:
 * samples that exchange weight have about the same depth, and store together about as much. Next to
 * corners depths differ, and the energy is off by the exchange, so that only the fastest are meant.
 */
static void steady_crossings(const ff_manifold *found, ff_point *const to[FF_SAMPLES_MAX]) {
  bool fast = false;
  for (int i = 0; i < found->count; i++) {
    fast = fast || to[i]->pace > FASTEST_PACE;
  }
  for (int i = 0; fast && i < found->count; i++) {
    ff_point *at = to[i];
    at->d_weight = (ff_gradient){{0, 0, 0}, {0, 0, 0}};
    if (at->pace > FASTEST_PACE) {
      at->pace = 1;
      at->normal = at->push = found->samples[i].along;
      at->lever = v3(0, 0, 0);
      at->t1 = v3_orthogonal(at->normal);
      at->t2 = v3_cross(at->normal, at->t1);
    }
  }
}

/* The centroid of the overlap of a shape with a half-space. */
static void store_overlap(ff_state *state, const ff_near *near, const ff_binding *binding,
                          const ff_geom *a, const ff_pose *pose_a, const ff_pose *pose_b) {
  ff_point *to = &state->points[near->first_point];
  ff_patch *patch = &to->patch;
  ff_touch at;
  patch->edges = binding->edges ? state->edges : NULL;
  patch->edge_count = ff_geom_touch_overlap(a, pose_a, pose_b, binding->printed_J, &at,
                                            &patch->overlap, binding->edges ? state->edges : NULL);
  const ff_sample sample = {.id = {.kind = FF_PAIR_POINT},
                            .point = at.point,
                            .normal = at.normal,
                            .t1 = at.t1,
                            .depth = at.depth,
                            .curvature = {at.curvature[0], at.curvature[1]}};
  store_sample(to, &sample);
}

/* Separating axis of the last query: does it still part the shapes by more than the margin? Of
 * half-spaces, and at an infinite margin, no axis is kept. */
static bool still_apart(const ff_near *near, const ff_geom *a, const ff_pose *pose_a,
                        const ff_geom *b, const ff_pose *pose_b, ff_quat frame, double margin) {
  if (!(v3_dot(near->apart, near->apart) > 0)) {
    return false;
  }
  ff_vec3 n = q_rotate(frame, near->apart);
  ff_vec3 low = ff_geom_support(a, q_unrotate(pose_a->orientation, v3_neg(n)));
  ff_vec3 high = ff_geom_support(b, q_unrotate(pose_b->orientation, n));
  double gap = v3_dot(n, v3_sub(pose_point(*pose_a, low), pose_point(*pose_b, high)));
  return gap > margin + CERTAIN * (ff_geom_bound(a) + ff_geom_bound(b));
}

/* Samples at a seam that belong to a neighbour weigh nothing. */
static void drop_weightless(ff_manifold *io) {
  int count = 0;
  for (int i = 0; i < io->count; i++) {
    if (io->samples[i].weight > 0) {
      io->samples[count++] = io->samples[i];
    }
  }
  io->count = count;
}

/* Stores the samples of a manifold. */
static void store_manifold(const ff_model *model, ff_state *state, const ff_near *near,
                           const ff_manifold *found) {
  ff_point *points = &state->points[near->first_point];
  if (found->count > 0 && found->samples[0].id.kind == FF_PAIR_POINT) {
    for (int i = 0; i < found->count; i++) {
      store_sample(&points[found->samples[i].id.a], &found->samples[i]);
    }
    return;
  }
  ff_point *to[FF_SAMPLES_MAX];
  ff_vec3 places[FF_SAMPLES_MAX];
  match_samples(model, state, near, found, to, places);
  for (int i = 0; i < found->count; i++) {
    store_sample(to[i], &found->samples[i]);
    to[i]->place = places[i];
  }
  if (ff_model_holds(model, &model->bindings[near->binding])) {
    steady_crossings(found, to);
  }
}

/* Contact points of a pair in a pooled state. False: it has fewer, and may not or cannot get more;
 * *later: it may not. */
static bool reserve_points(const ff_model *model, ff_state *state, ff_near *near, int wanted,
                           bool alone, bool *later) {
  *later = !alone && wanted > near->point_count;
  return !*later && ff_state_take_points(model, state, near, wanted);
}

bool ff_samples_find(const ff_model *model, ff_state *state, ff_near *near, double margin,
                     bool alone) {
  const ff_model_shape *a = &model->shapes[near->shape_a], *b = &model->shapes[near->shape_b];
  const ff_binding *binding = &model->bindings[near->binding];
  ff_pose room_a, room_b;
  const ff_pose *pose_a = ff_shape_at(a, &state->bodies[a->body].pose, &room_a);
  const ff_pose *pose_b = ff_shape_at(b, &state->bodies[b->body].pose, &room_b);
  bool later = false;
  if (binding->overlaps) {
    if (alone && (!state->pooled || ff_state_take_points(model, state, near, 1))) {
      store_overlap(state, near, binding, &a->geom, pose_a, pose_b);
    }
    return alone;
  }
  ff_quat frame = state->bodies[b->body].pose.orientation;
  if (still_apart(near, &a->geom, pose_a, &b->geom, pose_b, frame, margin)) {
    return true;
  }
  bool seams = ff_pair_has_seams(&a->geom, &b->geom);
  ff_manifold found;
  found.normal = v3(0, 0, 0);
  ff_manifold_find(&a->geom, pose_a, &b->geom, pose_b, margin, &found);
  bool keeps = found.count == 0 && b->geom.kind != FF_HALF_SPACE && !seams && isfinite(margin);
  near->apart = keeps ? q_unrotate(frame, found.normal) : v3(0, 0, 0);
  if (seams) {
    drop_weightless(&found);
  }
  if (!state->pooled ||
      reserve_points(model, state, near, points_wanted(state, near, &found), alone, &later)) {
    store_manifold(model, state, near, &found);
  }
  return !later;
}

/* ---- between steps ------------------------------------------------------------------------------
 */

typedef struct forget_job {
  const ff_model *model;
  ff_state *state;
  atomic_bool dropped; /* memory that was not zero */
} forget_job;

static void forget_samples(void *context, int first, int end) {
  forget_job *job = context;
  const ff_model *model = job->model;
  ff_state *state = job->state;
  size_t width = (size_t)model->memory_count;
  bool dropped = false;
  for (int i = first; i < end; i++) {
    ff_point *point = &state->points[i];
    bool matched = point->id.kind != FF_PAIR_NONE && !ff_point_is_plain(point);
    if (!matched || ff_point_is_found(point)) {
      continue;
    }
    double *memory = ff_state_memory(model, state, i);
    for (size_t k = 0; k < width; k++) {
      dropped = dropped || memory[k] != 0;
      memory[k] = 0;
    }
    point->id = (ff_feature_pair){FF_PAIR_NONE, 0, 0};
    point->axis = v3(0, 0, 0);
    point->turned = false;
    point->known = false;
    if (state->own_size > 0) {
      memset(ff_state_own_point(state, point), 0, state->own_size);
    }
    if (ff_stepper_uses_ground(model->stepper)) {
      point->energy_t = 0;
    }
  }
  if (dropped) {
    atomic_store_explicit(&job->dropped, true, memory_order_relaxed);
  }
}

bool ff_samples_forget(const ff_model *model, ff_state *state) {
  forget_job job = {.model = model, .state = state};
  ff_team_for(state->team, forget_samples, &job, state->point_count, FF_NEARS_CHUNK);
  return atomic_load(&job.dropped);
}
