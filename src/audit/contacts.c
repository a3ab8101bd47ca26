#include "audit/contacts.h"

#include "math/vec.h"

/* ---- contact residuals ----------------------------------------------------------------------- */

/* |min(force, stiffness * gap)|: 0 if both are nonnegative and one of them is 0. */
static double complementarity_residual(double force, double stiffness, double gap) {
  return fabs(lesser(force, isfinite(gap) ? stiffness * gap : INFINITY));
}

ff_contact_residual ff_audit_contact(const ff_contact_load *load) {
  /* [Chakraborty07 eq. 13] */
  double layer = complementarity_residual(load->layer, load->stiffness, load->left);
  double core = complementarity_residual(load->core, load->stiffness, load->core_gap);
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

static ff_vec3 audit_velocity_at(const ff_body_motion *body, ff_vec3 point) {
  return v3_add(body->velocity, v3_cross(body->omega, v3_sub(point, body->pose.position)));
}

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

static ff_contact_load audit_contact_load(const ff_model *model, const ff_state *state,
                                          const ff_near *near, const ff_point *point,
                                          const ff_touch *touch) {
  const ff_binding *binding = &model->bindings[near->binding];
  const ff_body_motion *a = &state->bodies[model->shapes[near->shape_a].body];
  const ff_body_motion *b = &state->bodies[model->shapes[near->shape_b].body];
  ff_vec3 t1 = audit_friction_axis(&binding->cone, point->t1, touch),
          t2 = v3_cross(touch->normal, t1);
  ff_vec3 slip = v3_sub(audit_velocity_at(a, touch->point), audit_velocity_at(b, touch->point));
  slip = v3_add(slip, point->shear_rate);
  double spin = v3_dot(touch->normal, v3_sub(a->omega, b->omega));
  return (ff_contact_load){.layer = v3_dot(touch->normal, point->force) - point->force_core,
                           .core = point->force_core,
                           .left = lesser(point->deflection - touch->depth, point->left),
                           .core_gap = binding->layer.max_deflection - touch->depth,
                           .stiffness = binding->layer.stiffness,
                           .friction = {v3_dot(t1, point->force), v3_dot(t2, point->force),
                                        v3_dot(touch->normal, point->moment)},
                           .slip = {v3_dot(t1, slip), v3_dot(t2, slip), spin + point->spin_rate},
                           .cone = binding->cone};
}

static ff_contact_residual worse_residual(ff_contact_residual a, ff_contact_residual b) {
  return (ff_contact_residual){greater(a.complementarity, b.complementarity),
                               greater(a.cone, b.cone), greater(a.dissipation, b.dissipation),
                               greater(a.penetration, b.penetration)};
}

/* Contact points of two shapes at their current poses; separated ones too if there is a force
 * between them without a feature pair. */
static int audit_contact_points(const ff_model *model, const ff_near *near, const ff_point *points,
                                const ff_pose *a, const ff_pose *b, ff_touch out[FF_TOUCH_MAX]) {
  double margin = 0;
  for (int i = 0; i < near->point_count; i++) {
    bool pushes =
        points[i].spot.kind == FF_SPOT_NONE && v3_dot(points[i].force, points[i].force) > 0;
    margin = pushes ? INFINITY : margin;
  }
  return ff_near_touch(model, near, a, b, margin, out);
}

/* Contact point of a feature pair of rounded shapes at their current poses. Features that no longer
 * face each other bear nothing. */
static ff_touch audit_feature_contact(const ff_model *model, const ff_near *near,
                                      const ff_point *point, const ff_pose *a, const ff_pose *b) {
  ff_touch out = {.spot = point->spot, .normal = point->normal, .point = point->point};
  bool there = ff_near_look(model, near, a, b, &out);
  out.depth = there ? out.depth : -INFINITY;
  return out;
}

/* Contact points closer than this, relative to the size of a body, are the same. */
#define SAME 1e-3

/* State of a contact point: that with its feature pair, or at the same place. NULL: none. */
static const ff_point *audit_point_state(const ff_near *near, const ff_point *points, double size,
                                         const ff_touch *touch) {
  const ff_point *found = NULL;
  if (!ff_spot_lasts(&touch->spot)) {
    const ff_point *named = &points[touch->feature];
    return named->touching && named->spot.kind != touch->spot.kind ? NULL : named;
  }
  for (int i = 0; i < near->point_count; i++) {
    const ff_point *point = &points[i];
    if (point->touching && ff_spot_is_same(&point->spot, &touch->spot)) {
      return point;
    }
    bool close = v3_norm(v3_sub(point->point, touch->point)) < SAME * size;
    found = point->touching && ff_spot_lasts(&point->spot) && close ? point : found;
  }
  return found;
}

/* Worst residual of a shape pair: of all contact points that geometry finds now, and of solved
 * feature pairs that it does not find. */
static ff_contact_residual audit_check_pair(const ff_model *model, const ff_state *state,
                                            const ff_near *near, double *largest) {
  static const ff_point nobody = {.left = INFINITY};
  const ff_model_shape *shape_a = &model->shapes[near->shape_a];
  const ff_pose *a = &state->bodies[shape_a->body].pose;
  const ff_pose *b = &state->bodies[model->shapes[near->shape_b].body].pose;
  const ff_point *points = &state->points[near->first_point];
  ff_contact_residual out = {0};
  ff_touch touches[FF_TOUCH_MAX];
  bool seen[FF_TOUCH_MAX] = {false};
  int count = audit_contact_points(model, near, points, a, b, touches);
  for (int i = 0; i < count; i++) {
    if (touches[i].spot.kind != FF_SPOT_NONE && !(touches[i].depth > 0)) {
      continue; /* their forces are checked below */
    }
    const ff_point *point =
        audit_point_state(near, points, model->bodies[shape_a->body].bound, &touches[i]);
    ff_contact_load load =
        audit_contact_load(model, state, near, point ? point : &nobody, &touches[i]);
    out = worse_residual(out, ff_audit_contact(&load));
    *largest = greater(*largest, load.layer + load.core);
    if (point && ff_spot_is_same(&point->spot, &touches[i].spot)) {
      seen[point - points] = true;
    }
  }
  for (int i = 0; i < near->point_count; i++) {
    if (points[i].touching && !seen[i] && points[i].spot.kind != FF_SPOT_NONE) {
      ff_touch touch = audit_feature_contact(model, near, &points[i], a, b);
      ff_contact_load load = audit_contact_load(model, state, near, &points[i], &touch);
      out = worse_residual(out, ff_audit_contact(&load));
      *largest = greater(*largest, load.layer + load.core);
    }
  }
  return out;
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

/* The same for steppers that read the manifold. */
static ff_contact_residual residual_of_samples(const ff_model *model, const ff_state *state,
                                               const ff_near *near, double *largest) {
  static const ff_point nobody = {.left = INFINITY};
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
    const ff_point *point = point_of_sample(near, points, sample->id);
    ff_touch touch = {
        .point = sample->point, .normal = sample->normal, .t1 = sample->t1, .depth = sample->depth};
    ff_contact_load load = audit_contact_load(model, state, near, point ? point : &nobody, &touch);
    load.stiffness *= sample->weight;
    out = worse_residual(out, ff_audit_contact(&load));
    *largest = greater(*largest, load.layer + load.core);
  }
  return out;
}

/* Places where two polyhedra overlap now and less weight was solved for, by more than MISSED, are
 * checked as open contacts. */
#define SAME_PLACE 1e-2 /* of a body's size: weights of samples this close count together */
#define MISSED     0.5  /* law units */

/* Weight of all samples of a manifold near a place less that of points which touch there. */
static double missed_weight(const ff_manifold *now, const ff_near *near, const ff_point *points,
                            ff_vec3 place, double close) {
  double sum = 0;
  for (int k = 0; k < now->count; k++) {
    bool here = v3_norm(v3_sub(now->samples[k].point, place)) < close;
    sum += here ? now->samples[k].weight : 0;
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
  ff_vec3 on[2];
  bool on_surface = true;
  for (int s = 0; s < 2; s++) {
    const ff_model_shape *shape = &model->shapes[s ? near->shape_b : near->shape_a];
    const ff_pose *body = &state->bodies[shape->body].pose;
    ff_pose workspace;
    on[s] = pose_point(*body, point->tied[s]);
    on_surface =
        on_surface && is_on_surface(&shape->geom, ff_shape_at(shape, body, &workspace), on[s]);
  }
  if (on_surface) {
    at->point = v3_scale(0.5, v3_add(on[0], on[1]));
    at->normal = at->along = point->normal;
    at->depth = v3_dot(point->normal, v3_sub(on[1], on[0]));
  }
}

/* Samples that `quasi-rigid` solved for, each by its own feature pair where that is now. They push
 * along the direction that depths are measured along, with the weights of the start of the step. */
static ff_contact_residual residual_of_solved_samples(const ff_model *model, const ff_state *state,
                                                      const ff_near *near, double *largest) {
  static const ff_point open = {.left = INFINITY};
  const ff_model_shape *a = &model->shapes[near->shape_a], *b = &model->shapes[near->shape_b];
  const ff_point *points = &state->points[near->first_point];
  ff_pose workspace_a, workspace_b;
  const ff_pose *pose_a = ff_shape_at(a, &state->bodies[a->body].pose, &workspace_a);
  const ff_pose *pose_b = ff_shape_at(b, &state->bodies[b->body].pose, &workspace_b);
  const ff_point *loaded[FF_SAMPLES_MAX];
  ff_manifold one;
  ff_contact_residual out = {0};
  ff_manifold solved, now;
  solved.count = 0;
  for (int i = 0; i < near->point_count; i++) {
    if (points[i].touching) {
      one.count = 1;
      one.samples[0].id = points[i].id;
      one.spin[0] = points[i].prism[0];
      one.spin[1] = points[i].prism[1];
      ff_manifold_evaluate(&a->geom, pose_a, &b->geom, pose_b, &one, NULL);
      if (points[i].id.kind == FF_PAIR_WHOLE) {
        audit_tied_sample(model, state, near, &points[i], &one.samples[0]);
      }
      loaded[solved.count] = &points[i];
      solved.samples[solved.count++] = one.samples[0];
    }
  }
  ff_manifold_find(&a->geom, pose_a, &b->geom, pose_b, 0, &now);
  for (int i = 0; i < solved.count + now.count; i++) {
    bool known = i < solved.count;
    const ff_sample *at = known ? &solved.samples[i] : &now.samples[i - solved.count];
    double weight = known ? loaded[i]->weight
                          : missed_weight(&now, near, points, at->point,
                                          SAME_PLACE * model->bodies[a->body].bound);
    if (!known && !(weight > MISSED)) {
      continue;
    }
    ff_touch touch = {.point = at->point,
                      .normal = at->along,
                      .t1 = v3_orthogonal(at->along),
                      .depth = at->depth};
    ff_contact_load load =
        audit_contact_load(model, state, near, known ? loaded[i] : &open, &touch);
    load.stiffness *= weight;
    out = worse_residual(out, ff_audit_contact(&load));
    *largest = greater(*largest, load.layer + load.core);
  }
  return out;
}

/* Worst residual of a shape pair. */
static ff_contact_residual residual_of_pair(const ff_model *model, const ff_state *state,
                                            const ff_near *near, double *largest) {
  if (!model->stepper->rounds_edges) {
    return residual_of_samples(model, state, near, largest);
  }
  bool polyhedral = ff_manifold_has_features(model->shapes[near->shape_a].geom.kind,
                                             model->shapes[near->shape_b].geom.kind);
  return polyhedral ? residual_of_solved_samples(model, state, near, largest)
                    : audit_check_pair(model, state, near, largest);
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
