#include "audit/contacts.h"

#include "geom/manifold.h"
#include "math/vec.h"
#include "model/steppers.h"

#define SAME_PLACE 1e-2 /* of a body's size: weights of samples this close count together */
#define MISSED     0.5  /* law units */

/* ---- contact residuals ----------------------------------------------------------------------- */

/* |min(force, stiffness * gap)|: 0 if both are nonnegative and one of them is 0. */
static double complementarity_residual(double force, double stiffness, double gap) {
  return fabs(lesser(force, isfinite(gap) ? stiffness * gap : INFINITY));
}

ff_contact_residual ff_audit_contact(const ff_contact_load *load) {
  /* [Chakraborty07 eq. 13] */
  double layer = complementarity_residual(load->layer, load->stiffness, load->left);
  /* cores that overlap may press; by how much they overlap is the penetration */
  double core = complementarity_residual(load->core, load->stiffness, greater(load->core_gap, 0));
  if (!isfinite(load->core_gap)) {
    core = fabs(load->core); /* no core there to bear it */
  }
  /* Friction and slip in units of the ellipsoid [Chakraborty07 eq. 4]: maximal dissipation is -mu N
   * |w|, attained only within the cone and against the slip. */
  double push = 0, speed = 0, power = 0;
  for (int i = 0; i < 3; i++) {
    double e = load->cone.e[i];
    push += e > 0 ? load->friction[i] / e * (load->friction[i] / e) : 0;
    speed += e * load->slip[i] * (e * load->slip[i]);
    power += load->friction[i] * load->slip[i];
  }
  double most = load->cone.mu * greater(load->layer + load->core, 0);
  return (ff_contact_residual){.complementarity = greater(layer, core),
                               .cone = greater(sqrt(push) - most, 0),
                               .dissipation = fabs(most * sqrt(speed) + power),
                               .penetration = greater(-load->core_gap, 0)};
}

/* ---- all contacts ---------------------------------------------------------------------------- */

/* Friction axis of the contact for an ellipsoid with different axes; else geometry's t1, an
 * arbitrary tangent. */
static ff_vec3 audit_friction_axis(const ff_cone *cone, ff_vec3 t1, const ff_touch *touch) {
  if (cone->e[0] == cone->e[1]) {
    return touch->t1;
  }
  ff_vec3 u = v3_axpy(t1, -v3_dot(t1, touch->normal), touch->normal);
  double length = v3_norm(u);
  return length > 0 ? v3_scale(1 / length, u) : touch->t1;
}

/* The layer of a point; NULL: of a place that no point was solved for. Without layers of its own,
 * as under `micro-macro`, a point is as deep as it was solved for. */
static ff_layer_point audit_layer(const ff_model *model, const ff_state *state,
                                  const ff_point *point) {
  if (!point) {
    return (ff_layer_point){.left = INFINITY};
  }
  return ff_stepper_uses_layers(model->stepper)
             ? *ff_state_layer_point(state, point)
             : (ff_layer_point){.deflection = greater(point->patch.depth, 0)};
}

/* Of a point that was solved for, NULL: none, at the place of a touch. */
static ff_contact_load audit_contact_load(const ff_model *model, const ff_state *state,
                                          const ff_near *near, const ff_point *solved,
                                          const ff_touch *touch) {
  static const ff_point open = {.mode = FF_OPEN};
  const ff_point *point = solved ? solved : &open;
  const ff_layer_point layer = audit_layer(model, state, solved);
  const ff_binding *binding = &model->bindings[near->binding];
  const ff_body_motion *a = &state->bodies[model->shapes[near->shape_a].body];
  const ff_body_motion *b = &state->bodies[model->shapes[near->shape_b].body];
  ff_vec3 t1 = audit_friction_axis(&binding->cone, point->t1, touch),
          t2 = v3_cross(touch->normal, t1);
  ff_vec3 slip = v3_sub(ff_motion_velocity(a, touch->point), ff_motion_velocity(b, touch->point));
  slip = v3_add(slip, layer.shear_rate);
  double spin = v3_dot(touch->normal, v3_sub(a->omega, b->omega));
  return (ff_contact_load){.layer = v3_dot(touch->normal, point->force) - point->force_core,
                           .core = point->force_core,
                           .left = lesser(layer.deflection - touch->depth, layer.left),
                           .core_gap = binding->layer.max_deflection - touch->depth,
                           .stiffness = binding->layer.stiffness,
                           .friction = {v3_dot(t1, point->force), v3_dot(t2, point->force),
                                        v3_dot(touch->normal, point->moment)},
                           .slip = {v3_dot(t1, slip), v3_dot(t2, slip), spin + layer.spin_rate},
                           .cone = binding->cone};
}

static ff_contact_residual worse_residual(ff_contact_residual a, ff_contact_residual b) {
  return (ff_contact_residual){.complementarity = greater(a.complementarity, b.complementarity),
                               .cone = greater(a.cone, b.cone),
                               .dissipation = greater(a.dissipation, b.dissipation),
                               .penetration = greater(a.penetration, b.penetration)};
}

/* The point of a sample; NULL: none bears its id. */
static const ff_point *point_of_sample(const ff_near *near, const ff_point *points,
                                       ff_feature_pair id) {
  for (int i = 0; i < near->point_count; i++) {
    if (ff_feature_pair_equal(points[i].id, id)) {
      return &points[i];
    }
  }
  return NULL;
}

/* Worst residual of a shape pair: of all samples that geometry finds now, and of separated ones too
 * if there is a force. numbered: points have no ids but the numbers of the samples, and the weights
 * that were solved with. */
static ff_contact_residual residual_of_samples(const ff_model *model, const ff_state *state,
                                               const ff_near *near, bool numbered,
                                               double *largest) {
  const ff_model_shape *a = &model->shapes[near->shape_a], *b = &model->shapes[near->shape_b];
  const ff_point *points = &state->points[near->first_point];
  ff_contact_residual out = {0};
  ff_pose room_a, room_b;
  ff_manifold found;
  double margin = 0;
  for (int i = 0; i < near->point_count; i++) {
    margin = v3_dot(points[i].force, points[i].force) > 0 ? INFINITY : margin;
  }
  ff_manifold_find(&a->geom, ff_shape_at(a, &state->bodies[a->body].pose, &room_a), &b->geom,
                   ff_shape_at(b, &state->bodies[b->body].pose, &room_b), margin, &found);
  for (int i = 0; i < found.count; i++) {
    const ff_sample *sample = &found.samples[i];
    int number = sample->id.kind == FF_PAIR_POINT ? sample->id.a : 0;
    const ff_point *point = numbered ? &points[number] : point_of_sample(near, points, sample->id);
    double weight = numbered && point->touching ? point->weight : sample->weight;
    bool light = numbered && !point->touching && !(weight > MISSED);
    if (light || !(weight > 0)) {
      continue; /* it belongs to the neighbour at a seam */
    }
    ff_touch touch = {
        .point = sample->point, .normal = sample->normal, .t1 = sample->t1, .depth = sample->depth};
    ff_contact_load load = audit_contact_load(model, state, near, point, &touch);
    load.stiffness *= weight;
    out = worse_residual(out, ff_audit_contact(&load));
    *largest = greater(*largest, load.layer + load.core);
  }
  return out;
}

/* Weight of all samples near a place less that of points which touch there. */
static double missed_weight(const ff_touch *now, int count, const ff_near *near,
                            const ff_point *points, ff_vec3 place, double close) {
  double sum = 0;
  for (int k = 0; k < count; k++) {
    sum += v3_norm(v3_sub(now[k].point, place)) < close ? now[k].weight : 0;
  }
  for (int k = 0; k < near->point_count; k++) {
    bool here = v3_norm(v3_sub(points[k].point, place)) < close;
    sum -= here && points[k].touching ? points[k].weight : 0;
  }
  return sum;
}

/* Does a point lie on the surface of a shape, to ON_SURFACE of its size? */
#define ON_SURFACE 1e-6
static bool is_on_surface(const ff_geom *geom, const ff_pose *pose, ff_vec3 point) {
  const ff_geom ball = {.kind = FF_SPHERE, .size = {1e-3 * ff_geom_thickness(geom), 0, 0}};
  const ff_pose at = {point, {1, 0, 0, 0}};
  ff_distance distance;
  ff_distance_query(&distance, &ball, &at, geom, pose, INFINITY);
  return fabs(distance.gap + ball.size.x) < ON_SURFACE * ff_geom_bound(geom);
}

/* A pair as a whole is solved for with a point of each body and a normal that turns with b, since
 * its witness points jump. That is right if these points are on the surfaces. */
static void audit_tied_sample(const ff_model *model, const ff_state *state, const ff_near *near,
                              const ff_point *point, ff_sample *at) {
  const ff_vec3 *tied = ff_state_layer_point(state, point)->tied;
  ff_vec3 on[2];
  bool on_surface = true;
  for (int s = 0; s < 2; s++) {
    const ff_model_shape *shape = &model->shapes[s ? near->shape_b : near->shape_a];
    const ff_pose *body = &state->bodies[shape->body].pose;
    ff_pose workspace;
    on[s] = pose_point(*body, tied[s]);
    on_surface =
        on_surface && is_on_surface(&shape->geom, ff_shape_at(shape, body, &workspace), on[s]);
  }
  if (on_surface) {
    at->point = v3_scale(0.5, v3_add(on[0], on[1]));
    at->normal = at->along = point->normal;
    at->depth = v3_dot(point->normal, v3_sub(on[1], on[0]));
  }
}

static ff_touch touch_of_sample(const ff_sample *at) {
  return (ff_touch){.point = at->point,
                    .normal = at->along,
                    .t1 = v3_orthogonal(at->along),
                    .depth = at->depth,
                    .weight = at->weight};
}

/* The sample of a contact point where it is now. */
static ff_touch audit_solved_sample(const ff_model *model, const ff_state *state,
                                    const ff_near *near, const ff_point *point) {
  const ff_model_shape *a = &model->shapes[near->shape_a], *b = &model->shapes[near->shape_b];
  ff_pose workspace_a, workspace_b;
  const ff_pose *pose_a = ff_shape_at(a, &state->bodies[a->body].pose, &workspace_a);
  const ff_pose *pose_b = ff_shape_at(b, &state->bodies[b->body].pose, &workspace_b);
  ff_manifold one;
  one.count = 1;
  one.samples[0].id = point->id;
  const double *prism = ff_state_layer_point(state, point)->prism;
  one.spin[0] = prism[0];
  one.spin[1] = prism[1];
  ff_manifold_evaluate(&a->geom, pose_a, &b->geom, pose_b, &one, NULL);
  if (point->id.kind == FF_PAIR_WHOLE && b->geom.kind != FF_HALF_SPACE) {
    audit_tied_sample(model, state, near, point, &one.samples[0]);
  }
  return touch_of_sample(&one.samples[0]);
}

/* Samples of two shapes that overlap now. */
static int audit_samples_now(const ff_model *model, const ff_state *state, const ff_near *near,
                             ff_touch out[FF_TOUCH_MAX]) {
  const ff_model_shape *a = &model->shapes[near->shape_a], *b = &model->shapes[near->shape_b];
  const ff_pose *body_a = &state->bodies[a->body].pose, *body_b = &state->bodies[b->body].pose;
  ff_pose workspace_a, workspace_b;
  ff_manifold now;
  ff_manifold_find(&a->geom, ff_shape_at(a, body_a, &workspace_a), &b->geom,
                   ff_shape_at(b, body_b, &workspace_b), 0, &now);
  for (int i = 0; i < now.count; i++) {
    out[i] = touch_of_sample(&now.samples[i]);
  }
  return now.count;
}

/* Samples that `quasi-rigid` solved for, each by its own id where that is now. They push along the
 * direction that depths are measured along, with the weights of the start of the step. */
static ff_contact_residual residual_of_solved_samples(const ff_model *model, const ff_state *state,
                                                      const ff_near *near, double *largest) {
  const ff_point *points = &state->points[near->first_point];
  double close = SAME_PLACE * model->bodies[model->shapes[near->shape_a].body].bound;
  ff_contact_residual out = {0};
  ff_touch now[FF_TOUCH_MAX];
  int count = audit_samples_now(model, state, near, now);
  for (int i = 0; i < near->point_count + count; i++) {
    bool known = i < near->point_count;
    const ff_point *point = known ? &points[i] : NULL;
    if (known && !point->touching) {
      continue;
    }
    ff_touch touch =
        known ? audit_solved_sample(model, state, near, point) : now[i - near->point_count];
    double weight =
        known ? point->weight : missed_weight(now, count, near, points, touch.point, close);
    if (!known && !(weight > MISSED)) {
      continue;
    }
    ff_contact_load load = audit_contact_load(model, state, near, point, &touch);
    load.stiffness *= weight;
    out = worse_residual(out, ff_audit_contact(&load));
    *largest = greater(*largest, load.layer + load.core);
  }
  return out;
}

/* Worst residual of a shape pair. */
static ff_contact_residual residual_of_pair(const ff_model *model, const ff_state *state,
                                            const ff_near *near, double *largest) {
  ff_shape_kind a = model->shapes[near->shape_a].geom.kind;
  ff_shape_kind b = model->shapes[near->shape_b].geom.kind;
  bool layers = ff_stepper_uses_layers(model->stepper);
  return layers && ff_manifold_has_features(a, b)
             ? residual_of_solved_samples(model, state, near, largest)
             : residual_of_samples(model, state, near, layers, largest);
}

ff_contact_residual ff_audit_contacts(const ff_model *model, const ff_state *state,
                                      double *largest) {
  ff_contact_residual out = {0};
  *largest = 0;
  if (!ff_model_solves(model)) {
    return out;
  }
  for (int n = 0; n < state->near_count; n++) {
    out = worse_residual(out, residual_of_pair(model, state, &state->nears[n], largest));
  }
  return out;
}
