#include "step/frame.h"

#include "math/vec.h"

bool ff_frame_wanders(const ff_model *model, const ff_near *near) {
  return model->bindings[near->binding].friction->memory_count >= 2 &&
         model->shapes[near->shape_b].geom.kind != FF_HALF_SPACE;
}

static const ff_body_motion *body_b(const ff_model *model, const ff_state *state,
                                    const ff_near *near) {
  return &state->bodies[model->shapes[near->shape_b].body];
}

static bool has_axis(const ff_point *point) {
  return v3_dot(point->axis, point->axis) > 0;
}

/* Has the normal turned by more than 30 degrees since the axis (unit, world) was chosen across it?
 */
static bool leans(ff_vec3 axis, ff_vec3 normal) {
  return fabs(v3_dot(axis, normal)) > 0.5;
}

void ff_frame_carry(const ff_model *model, const ff_state *state, const ff_near *near,
                    ff_point *point) {
  ff_quat q = body_b(model, state, near)->pose.orientation;
  if (!has_axis(point)) {
    point->axis = q_unrotate(q, point->t1);
    return;
  }
  ff_vec3 axis = q_rotate(q, point->axis);
  if (leans(axis, point->normal)) { /* another contact: the frame is that of geometry */
    return;
  }
  point->t1 = v3_unit(v3_axpy(axis, -v3_dot(axis, point->normal), point->normal));
  point->t2 = v3_cross(point->normal, point->t1);
}

/* Velocity of a shape's centre. */
static ff_vec3 centre_velocity(const ff_model *model, const ff_state *state, int shape,
                               ff_vec3 *centre) {
  const ff_model_shape *s = &model->shapes[shape];
  const ff_body_motion *body = &state->bodies[s->body];
  *centre = pose_point(body->pose, s->pose.position);
  return v3_add(body->velocity, v3_cross(body->omega, v3_sub(*centre, body->pose.position)));
}

/* How fast the normal turns, seen from body b: that of a face with its body, else that of two
 * spheres. */
static ff_vec3 normal_rate(const ff_model *model, const ff_state *state, const ff_near *near,
                           const ff_point *point) {
  ff_vec3 a, b, normal = point->normal;
  if (point->id.kind == FF_PAIR_VERTEX_FACE) {
    return v3(0, 0, 0);
  }
  if (point->id.kind == FF_PAIR_FACE_VERTEX) {
    const ff_body_motion *body_a = &state->bodies[model->shapes[near->shape_a].body];
    return v3_cross(v3_sub(body_a->omega, body_b(model, state, near)->omega), normal);
  }
  ff_vec3 va = centre_velocity(model, state, near->shape_a, &a);
  ff_vec3 vb = centre_velocity(model, state, near->shape_b, &b);
  ff_vec3 relative = v3_sub(va, vb);
  double distance = v3_norm(v3_sub(a, b));
  ff_vec3 along = v3_scale(v3_dot(relative, normal), normal);
  ff_vec3 turning = v3_cross(body_b(model, state, near)->omega, normal);
  return v3_sub(v3_scale(1 / distance, v3_sub(relative, along)), turning);
}

void ff_frame_turn_back(const ff_model *model, const ff_state *state, const ff_near *near,
                        const ff_point *point, const double *memory, double *memory_rate) {
  ff_vec3 axis = q_rotate(body_b(model, state, near)->pose.orientation, point->axis);
  if (leans(axis, point->normal)) { /* the normal has jumped */
    memory_rate[0] = memory_rate[1] = 0;
    return;
  }
  ff_vec3 rate = normal_rate(model, state, near, point);
  /* t1 = e / |e| with e = axis - (axis.n) n: its rate along t2 */
  double turn = -v3_dot(axis, point->normal) * v3_dot(rate, point->t2) / v3_dot(axis, point->t1);
  memory_rate[0] += turn * memory[1];
  memory_rate[1] -= turn * memory[0];
}

void ff_frame_anchor(const ff_model *model, ff_state *state) {
  for (int n = 0; n < state->near_count; n++) {
    const ff_near *near = &state->nears[n];
    if (!ff_frame_wanders(model, near)) {
      continue;
    }
    ff_quat q = body_b(model, state, near)->pose.orientation;
    for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
      ff_point *point = &state->points[i];
      point->axis = point->touching ? q_unrotate(q, point->t1) : v3(0, 0, 0);
    }
  }
}

bool ff_frame_jumped(const ff_model *model, const ff_state *state, const ff_near *near,
                     const ff_point *point) {
  ff_quat q = body_b(model, state, near)->pose.orientation;
  return point->touching && leans(q_rotate(q, point->axis), point->normal);
}

bool ff_frame_leans(const ff_model *model, const ff_state *state) {
  for (int n = 0; n < state->near_count; n++) {
    const ff_near *near = &state->nears[n];
    if (!ff_frame_wanders(model, near)) {
      continue;
    }
    ff_quat q = body_b(model, state, near)->pose.orientation;
    for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
      const ff_point *point = &state->points[i];
      if (leans(q_rotate(q, point->axis), point->normal)) {
        return true;
      }
    }
  }
  return false;
}
