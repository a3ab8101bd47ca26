#include "step/frame.h"

#include "base/team.h"
#include "math/vec.h"

#include <string.h>

#define TURNED_COSINE 0.86602540378443865 /* 30 degrees: a new contact */
#define LEANS_COSINE  0.96592582628906829 /* 15 degrees: to be anchored */
#define STRAIGHT      1e-9 /* rad: a normal this near its anchor's does not turn the frame */

bool ff_frame_wanders(const ff_model *model, const ff_near *near) {
  return model->bindings[near->binding].friction->memory_count >= 2 &&
         model->shapes[near->shape_b].geom.kind != FF_HALF_SPACE;
}

static ff_quat orientation_b(const ff_model *model, const ff_state *state, const ff_near *near) {
  return state->bodies[model->shapes[near->shape_b].body].pose.orientation;
}

static void anchor_point(ff_point *point, ff_quat q) {
  point->axis = q_unrotate(q, point->t1);
  point->axis_normal = q_unrotate(q, point->normal);
  point->turned = false;
}

void ff_frame_carry(const ff_model *model, const ff_state *state, const ff_near *near,
                    ff_point *point) {
  ff_quat q = orientation_b(model, state, near);
  if (!(v3_dot(point->axis, point->axis) > 0)) {
    anchor_point(point, q);
    point->anchored = true;
    return;
  }
  ff_vec3 n = point->normal, before = q_rotate(q, point->axis_normal);
  double cosine = v3_dot(before, n);
  point->turned = !(cosine > TURNED_COSINE);
  if (point->turned) {
    return;
  }
  /* v -> c v + w x v + w (w.v) / (1 + c), with w = n0 x n and c = n0.n */
  ff_vec3 w = v3_cross(before, n), v = q_rotate(q, point->axis);
  ff_vec3 t1 = v3_add(v3_scale(cosine, v), v3_cross(w, v));
  t1 = v3_axpy(t1, v3_dot(w, v) / (1 + cosine), w);
  point->t1 = v3_unit(v3_axpy(t1, -v3_dot(t1, n), n));
  point->t2 = v3_cross(n, point->t1);
}

const double *ff_frame_memory(const ff_point *point, const double *memory) {
  static const double none[FF_MEMORY_MAX];
  return point->turned ? none : memory;
}

/* How fast the normal of a sample turns, seen from body b. */
static ff_vec3 normal_rate(const ff_model *model, const ff_state *state, const ff_near *near,
                           const ff_point *point) {
  const ff_model_shape *a = &model->shapes[near->shape_a], *b = &model->shapes[near->shape_b];
  const ff_body_motion *body_a = &state->bodies[a->body], *body_b = &state->bodies[b->body];
  ff_pose workspace_a, workspace_b;
  const ff_pose *pose_a = ff_shape_at(a, &body_a->pose, &workspace_a);
  ff_mat3 rate[2];
  ff_sample_normal_rates(&a->geom, pose_a, &b->geom, ff_shape_at(b, &body_b->pose, &workspace_b),
                         point->id, point->normal, rate);
  ff_vec3 shift = v3_sub(ff_motion_velocity(body_a, pose_a->position),
                         ff_motion_velocity(body_b, pose_a->position));
  ff_vec3 turn = v3_sub(body_a->omega, body_b->omega);
  return v3_add(m3_mul(rate[0], shift), m3_mul(rate[1], turn));
}

void ff_frame_turn_back(const ff_model *model, const ff_state *state, const ff_near *near,
                        const ff_point *point, const double *memory, double *memory_rate) {
  ff_vec3 before = q_rotate(orientation_b(model, state, near), point->axis_normal);
  ff_vec3 w = v3_cross(before, point->normal);
  if (point->turned || !(v3_dot(w, w) > STRAIGHT * STRAIGHT)) {
    return;
  }
  /* n.(n0 x n') / (1 + n0.n): rate of t1 along t2 */
  ff_vec3 rate = normal_rate(model, state, near, point);
  double turn = v3_dot(point->normal, v3_cross(before, rate)) / (1 + v3_dot(before, point->normal));
  memory_rate[0] += turn * memory[1];
  memory_rate[1] -= turn * memory[0];
}

typedef struct anchor_job {
  const ff_model *model;
  ff_state *state;
} anchor_job;

static void anchor_pairs(void *context, int first, int end) {
  const anchor_job *job = context;
  const ff_model *model = job->model;
  ff_state *state = job->state;
  size_t memory = (size_t)model->memory_count * sizeof(double);
  for (int n = first; n < end; n++) {
    const ff_near *near = &state->nears[n];
    if (near->point_count == 0 || !ff_frame_wanders(model, near)) {
      continue;
    }
    ff_quat q = orientation_b(model, state, near);
    for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
      ff_point *point = &state->points[i];
      if (point->turned) {
        memset(ff_state_memory(model, state, i), 0, memory);
      }
      if (point->touching) {
        anchor_point(point, q);
      } else {
        point->axis = v3(0, 0, 0);
        point->turned = false;
      }
    }
  }
}

void ff_frame_anchor(const ff_model *model, ff_state *state) {
  anchor_job job = {model, state};
  ff_team_for(state->team, anchor_pairs, &job, state->near_count, FF_NEARS_CHUNK);
}

void ff_frame_undo(ff_state *state) {
  for (int i = 0; i < state->point_count; i++) {
    ff_point *point = &state->points[i];
    point->axis = point->anchored ? v3(0, 0, 0) : point->axis;
  }
}

bool ff_frame_leans(const ff_model *model, const ff_state *state) {
  for (int n = 0; n < state->near_count; n++) {
    const ff_near *near = &state->nears[n];
    if (!ff_frame_wanders(model, near)) {
      continue;
    }
    ff_quat q = orientation_b(model, state, near);
    for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
      const ff_point *point = &state->points[i];
      bool anchored = point->touching && v3_dot(point->axis, point->axis) > 0;
      if (anchored && !(v3_dot(q_rotate(q, point->axis_normal), point->normal) > LEANS_COSINE)) {
        return true;
      }
    }
  }
  return false;
}
