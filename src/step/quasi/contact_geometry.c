/* Contact geometry for the quasi-rigid stepper: queries, contacts at the current iterate, and their
 * derivatives, analytic where geometry has them and by finite differences elsewhere. */
#include "step/quasi/contact_geometry.h"

#include "math/spatial.h"
#include "math/vec.h"
#include "step/quasi/layer.h"

#include <float.h>

#define ROUNDING       8.0   /* units in the last place of a depth in closed form */
#define ITERATED       1e-11 /* relative error of a depth found by iteration */
#define DIFFERENCE     1e-6  /* of a body's size, rad: step of central differences */
#define REUSE_DEPTH    1e-5  /* of a body's size: finite differences are reused for motions below */
#define REUSE_FRAME    1e-3  /* the same where they give point and normal only, not the depth */
#define STEEP          0.02  /* cosine between features and normal: steeper ones bear nothing */
#define SAME_DIRECTION 1e-15 /* an axis this close to the tangent plane lies in it */

/* ---- queries ---------------------------------------------------------------------------- */

bool ff_quasi_pair_has_samples(const quasi_problem *problem, const ff_near *pair) {
  return ff_manifold_has_features(problem->model->shapes[pair->shape_a].geom.kind,
                                  problem->model->shapes[pair->shape_b].geom.kind);
}

/* The two shapes of a pair with their bodies at these poses. */
typedef struct shape_pair_at {
  const ff_geom *a, *b;
  const ff_pose *pose_a, *pose_b;
  ff_pose workspace[2];
} shape_pair_at;

static void place_shapes(shape_pair_at *out, const quasi_problem *problem, const ff_near *pair,
                         const ff_pose *body_a, const ff_pose *body_b) {
  const ff_model_shape *a = &problem->model->shapes[pair->shape_a];
  const ff_model_shape *b = &problem->model->shapes[pair->shape_b];
  out->a = &a->geom;
  out->b = &b->geom;
  out->pose_a = ff_shape_at(a, body_a, &out->workspace[0]);
  out->pose_b = ff_shape_at(b, body_b, &out->workspace[1]);
}

/* Samples with ids. Solved contacts push along the direction that depths are measured along, which
 * is one for all samples of a pair and continuous, where those of single features change from one
 * to the next. */
static int list_samples(const ff_manifold *from, ff_touch out[FF_TOUCH_MAX]) {
  int count = 0;
  for (int i = 0; i < from->count; i++) {
    const ff_sample *sample = &from->samples[i];
    if (sample->weight > QUASI_LIGHT && v3_dot(sample->normal, sample->along) > STEEP) {
      out[count++] = (ff_touch){.id = sample->id,
                                .feature = -1,
                                .point = sample->point,
                                .normal = sample->along,
                                .t1 = v3_orthogonal(sample->along),
                                .depth = sample->depth,
                                .weight = sample->weight,
                                .d_weight = sample->d_weight,
                                .d_depth = sample->d_depth,
                                .spin = {from->spin[0], from->spin[1]},
                                .curvature = {INFINITY, INFINITY}};
    }
  }
  return count;
}

/* Numbered points; the one of a pair at a seam has number 0. */
static int list_points(const ff_manifold *from, ff_touch out[FF_TOUCH_MAX]) {
  for (int i = 0; i < from->count; i++) {
    const ff_sample *at = &from->samples[i];
    out[i] = (ff_touch){.feature = at->id.kind == FF_PAIR_POINT ? at->id.a : 0,
                        .point = at->point,
                        .normal = at->normal,
                        .t1 = at->t1,
                        .depth = at->depth,
                        .weight = at->weight,
                        .curvature = {at->curvature[0], at->curvature[1]}};
  }
  return from->count;
}

int ff_quasi_touches(const quasi_problem *problem, const ff_near *pair, const ff_pose *body_a,
                     const ff_pose *body_b, double margin, ff_touch out[FF_TOUCH_MAX]) {
  shape_pair_at at;
  ff_manifold found;
  place_shapes(&at, problem, pair, body_a, body_b);
  ff_manifold_find(at.a, at.pose_a, at.b, at.pose_b, margin, &found);
  if (ff_quasi_pair_has_samples(problem, pair)) {
    return list_samples(&found, out);
  }
  int count = list_points(&found, out);
  if (problem->model->run.stepper.geometry == FF_GEOMETRY_LEVEL_SETS && count == 1) {
    ff_level_sets_touch(at.a, at.pose_a, at.b, at.pose_b, out);
  }
  return count;
}

int ff_quasi_touches_at_end(const quasi_problem *problem, const ff_near *pair, double margin,
                            ff_touch out[FF_TOUCH_MAX]) {
  const ff_model_shape *shapes = problem->model->shapes;
  return ff_quasi_touches(problem, pair, &problem->bodies[shapes[pair->shape_a].body].end.pose,
                          &problem->bodies[shapes[pair->shape_b].body].end.pose, margin, out);
}

int ff_quasi_touches_at_start(const quasi_problem *problem, const ff_near *pair, double margin,
                              ff_touch out[FF_TOUCH_MAX]) {
  const ff_model_shape *shapes = problem->model->shapes;
  const quasi_body *a = &problem->bodies[shapes[pair->shape_a].body];
  const quasi_body *b = &problem->bodies[shapes[pair->shape_b].body];
  return ff_quasi_touches(problem, pair, &a->start.pose, &b->start.pose, margin, out);
}

void ff_quasi_evaluate_features(const quasi_problem *problem, const ff_near *pair,
                                const ff_pose *body_a, const ff_pose *body_b, ff_touch *touch) {
  shape_pair_at at;
  ff_manifold manifold;
  place_shapes(&at, problem, pair, body_a, body_b);
  manifold.count = 1;
  manifold.samples[0].id = touch->id;
  manifold.spin[0] = touch->spin[0];
  manifold.spin[1] = touch->spin[1];
  ff_manifold_evaluate(at.a, at.pose_a, at.b, at.pose_b, &manifold, NULL);
  touch->point = manifold.samples[0].point;
  touch->normal = manifold.samples[0].along;
  touch->depth = manifold.samples[0].depth;
}

const ff_touch *ff_quasi_find_touch(const quasi_problem *problem, const quasi_contact *contact,
                                    const ff_touch *touches, int count) {
  int feature = contact->point - problem->state->nears[contact->pair].first_point;
  for (int i = 0; i < count; i++) {
    if (touches[i].feature == feature) {
      return &touches[i];
    }
  }
  return NULL;
}

double ff_quasi_approach(const quasi_problem *problem, const quasi_body *a, const quasi_body *b) {
  double sum = 0;
  const quasi_body *pair[2] = {a, b};
  for (int s = 0; s < 2; s++) {
    double bound = problem->model->bodies[pair[s]->id].bound;
    if (problem->model->bodies[pair[s]->id].kind == FF_BODY_FIXED) {
      continue;
    }
    sum += v3_norm(pair[s]->end.velocity) + v3_norm(pair[s]->start.velocity);
    sum += isfinite(bound) ? bound * v3_norm(pair[s]->end.omega) : 0;
  }
  return problem->h * sum;
}

/* m, bound on the distance of a body's points, within this radius, between two poses. */
static double pose_distance(const ff_pose *from, const ff_pose *to, double radius) {
  ff_quat turn = q_mul(to->orientation, q_conj(from->orientation));
  double half_sine = v3_norm(v3(turn.x, turn.y, turn.z));
  return v3_norm(v3_sub(to->position, from->position)) + 2 * radius * half_sine;
}

/* ---- a contact during the step ---------------------------------------------------------- */

ff_vec3 ff_quasi_tangent(const quasi_contact *contact, ff_quat b, ff_vec3 normal) {
  ff_vec3 axis = q_rotate(b, contact->tangent_axis);
  double out = v3_dot(axis, normal);
  return fabs(out) < SAME_DIRECTION ? axis : v3_unit(v3_axpy(axis, -out, normal));
}

ff_vec3 ff_quasi_tangent_axis(const quasi_problem *problem, const quasi_contact *contact,
                              ff_vec3 before, ff_quat b) {
  const ff_near *pair = &problem->state->nears[contact->pair];
  const ff_model_shape *shape = &problem->model->shapes[pair->shape_b];
  ff_vec3 n = contact->touch.normal;
  bool equal = contact->cone->e[0] == contact->cone->e[1] && !contact->layer->sheared;
  if (equal || shape->geom.kind == FF_HALF_SPACE) {
    bool serves = v3_dot(before, before) > 0 && fabs(v3_dot(q_rotate(b, before), n)) < 0.5;
    return serves ? before : q_unrotate(b, contact->touch.t1);
  }
  ff_quat frame = problem->model->bodies[shape->body].frame.orientation;
  ff_vec3 x = q_unrotate(frame, v3(1, 0, 0)), y = q_unrotate(frame, v3(0, 1, 0));
  return fabs(v3_dot(q_rotate(b, x), n)) < 0.8 ? x : y;
}

/* Material points and normal of a contact's touch, with the bodies at these poses. */
static void tie_to_points(quasi_contact *contact, ff_pose at_a, ff_pose at_b) {
  const ff_touch *touch = &contact->touch;
  ff_vec3 half = v3_scale(0.5, v3_axpy(touch->offset, -touch->depth, touch->normal));
  ff_vec3 of_a = v3_add(touch->point, half), of_b = v3_sub(touch->point, half);
  contact->on_a = q_unrotate(at_a.orientation, v3_sub(of_a, at_a.position));
  contact->on_b = q_unrotate(at_b.orientation, v3_sub(of_b, at_b.position));
  contact->normal_local = q_unrotate(at_b.orientation, touch->normal);
}

void ff_quasi_tie_at_start(const quasi_problem *problem, quasi_contact *contact) {
  const quasi_body *a = &problem->bodies[contact->e.a], *b = &problem->bodies[contact->e.b];
  tie_to_points(contact, a->start.pose, b->start.pose);
  contact->tied = true;
}

void ff_quasi_fix_contact(const quasi_problem *problem, quasi_contact *contact, bool at_free_end) {
  const quasi_body *a = &problem->bodies[contact->e.a], *b = &problem->bodies[contact->e.b];
  ff_pose at_a = at_free_end ? a->end.pose : a->feature_pose;
  ff_pose at_b = at_free_end ? b->end.pose : b->feature_pose;
  contact->fixed = true;
  tie_to_points(contact, at_a, at_b);
  ff_vec3 none = v3(0, 0, 0); /* t1 of a feature pair is the same whenever it occurs */
  contact->tangent_axis = ff_quasi_tangent_axis(problem, contact, none, at_b.orientation);
}

/* Point, normal and depth of a contact that is tied to a point of each body, at these poses. */
static void evaluate_tied(const quasi_contact *contact, const ff_pose *a, const ff_pose *b,
                          ff_touch *touch) {
  ff_vec3 at_a = pose_point(*a, contact->on_a), at_b = pose_point(*b, contact->on_b);
  touch->normal = q_rotate(b->orientation, contact->normal_local);
  touch->point = v3_scale(0.5, v3_add(at_a, at_b));
  touch->depth = -v3_dot(touch->normal, v3_sub(at_a, at_b));
  touch->offset = v3_axpy(v3_sub(at_a, at_b), touch->depth, touch->normal);
}

/* Is it evaluated at a point of each body: with explicit geometry, or as a pair as a whole, whose
 * witness points may jump? On a half-space that is the lowest point, which is evaluated. */
static bool is_tied_contact(const quasi_problem *problem, const quasi_contact *contact) {
  const ff_near *pair = &problem->state->nears[contact->pair];
  return contact->tied || (contact->touch.id.kind == FF_PAIR_WHOLE &&
                           problem->model->shapes[pair->shape_b].geom.kind != FF_HALF_SPACE);
}

static bool same_angle(double s, double t) {
  return s == t || (isnan(s) && isnan(t));
}

/* Number of the first contacts of a pair that are evaluated together: a pair as a whole alone,
 * others with the same prisms. */
static int count_together(const quasi_contact *contacts, int count) {
  int n = 1;
  const double *spin = contacts->touch.spin;
  while (n < count && contacts->touch.id.kind != FF_PAIR_WHOLE &&
         contacts[n].touch.id.kind != FF_PAIR_WHOLE && !contacts[n].tied &&
         same_angle(contacts[n].touch.spin[0], spin[0]) &&
         same_angle(contacts[n].touch.spin[1], spin[1])) {
    n++;
  }
  return n;
}

/* Samples of contacts of a pair at the ends of the bodies; rates: may be NULL. False: these are not
 * known. */
static bool evaluate_together(const quasi_problem *problem, const quasi_contact *contacts,
                              int count, ff_manifold *out, ff_sample_rates *rates) {
  shape_pair_at at;
  place_shapes(&at, problem, &problem->state->nears[contacts->pair],
               &problem->bodies[contacts->e.a].end.pose, &problem->bodies[contacts->e.b].end.pose);
  out->count = count;
  out->spin[0] = contacts->touch.spin[0];
  out->spin[1] = contacts->touch.spin[1];
  for (int i = 0; i < count; i++) {
    out->samples[i].id = contacts[i].touch.id;
  }
  return ff_manifold_evaluate(at.a, at.pose_a, at.b, at.pose_b, out, rates);
}

/* Contacts whose feature pairs, or points of the bodies, are constant over the step. */
static void evaluate_samples(const quasi_problem *problem, quasi_contact *contacts, int count) {
  const ff_pose *a = &problem->bodies[contacts->e.a].end.pose;
  const ff_pose *b = &problem->bodies[contacts->e.b].end.pose;
  ff_manifold manifold;
  for (int first = 0; first < count;) {
    int n = 1;
    if (is_tied_contact(problem, &contacts[first])) {
      evaluate_tied(&contacts[first], a, b, &contacts[first].touch);
    } else {
      n = count_together(contacts + first, count - first);
      evaluate_together(problem, contacts + first, n, &manifold, NULL);
      for (int i = 0; i < n; i++) {
        ff_touch *touch = &contacts[first + i].touch;
        touch->point = manifold.samples[i].point;
        touch->normal = manifold.samples[i].along;
        touch->depth = manifold.samples[i].depth;
      }
    }
    for (int i = 0; i < n; i++, first++) {
      ff_touch *touch = &contacts[first].touch;
      touch->t1 = ff_quasi_tangent(&contacts[first], b->orientation, touch->normal);
      ff_quasi_layer_press(problem, &contacts[first]);
    }
  }
}

/* Are all contacts of a pair certainly open, by their depths at the end of free flight? */
static bool pair_is_apart(const quasi_problem *problem, const quasi_contact *contacts, int count) {
  double nearest = -INFINITY;
  for (int i = 0; i < count; i++) {
    const double *z = contacts[i].e.z;
    bool pressed = contacts[i].layer_state.depth_start > 0; /* order 2: force on part of the way */
    nearest = greater(nearest, contacts[i].depth_free);
    if (pressed || nearest >= 0 || z[0] != 0 || z[1] != 0 || z[2] != 0 || z[3] != 0) {
      return false;
    }
  }
  for (int s = 0; s < 2; s++) { /* plus what the bodies moved since then */
    const quasi_body *body = quasi_side(problem, &contacts->e, s);
    double radius = problem->model->bodies[body->id].bound;
    nearest += body->moved ? pose_distance(&body->free_end, &body->end.pose, radius) : 0;
  }
  return nearest < 0;
}

void ff_quasi_evaluate_contacts(const quasi_problem *problem, quasi_contact *contacts, int count) {
  if (is_tied_contact(problem, contacts) || contacts->touch.id.kind != FF_PAIR_NONE) {
    evaluate_samples(problem, contacts, count);
    return;
  }
  const ff_near *pair = &problem->state->nears[contacts->pair];
  const ff_pose *a = &problem->bodies[contacts->e.a].end.pose;
  const ff_pose *b = &problem->bodies[contacts->e.b].end.pose;
  ff_touch touches[FF_TOUCH_MAX];
  bool apart = pair_is_apart(problem, contacts, count);
  int found = apart ? 0 : ff_quasi_touches(problem, pair, a, b, INFINITY, touches);
  for (int i = 0; i < count; i++) {
    quasi_contact *contact = &contacts[i];
    const ff_touch *touch = ff_quasi_find_touch(problem, contact, touches, found);
    if (touch) {
      double weight = contact->touch.weight; /* constant over the step */
      contact->touch = *touch;
      contact->touch.weight = weight;
      contact->touch.t1 = ff_quasi_tangent(contact, b->orientation, touch->normal);
    } else {
      contact->touch.depth = -INFINITY;
    }
    ff_quasi_layer_press(problem, contact);
  }
}

bool ff_quasi_touch_at(const quasi_problem *problem, const quasi_contact *contact,
                       const ff_pose *at_a, const ff_pose *at_b, ff_touch *out) {
  const ff_near *pair = &problem->state->nears[contact->pair];
  *out = contact->touch;
  if (is_tied_contact(problem, contact)) {
    evaluate_tied(contact, at_a, at_b, out);
    return true;
  }
  if (contact->touch.id.kind != FF_PAIR_NONE) {
    ff_quasi_evaluate_features(problem, pair, at_a, at_b, out);
    return true;
  }
  ff_touch touches[FF_TOUCH_MAX];
  int count = ff_quasi_touches(problem, pair, at_a, at_b, INFINITY, touches);
  const ff_touch *found = ff_quasi_find_touch(problem, contact, touches, count);
  *out = found ? *found : contact->touch;
  return found != NULL;
}

bool ff_quasi_touch_at_start(const quasi_problem *problem, const quasi_contact *contact,
                             ff_touch *out) {
  const quasi_body *a = &problem->bodies[contact->e.a], *b = &problem->bodies[contact->e.b];
  bool found = ff_quasi_touch_at(problem, contact, &a->start.pose, &b->start.pose, out);
  bool sample = contact->touch.id.kind != FF_PAIR_NONE || contact->tied;
  /* a feature that was not there is farther away than anything moves in a step */
  return found &&
         (sample || out->depth > contact->touch.depth - 2 * ff_quasi_approach(problem, a, b));
}

double ff_quasi_geometry_noise(const quasi_problem *problem, const quasi_contact *contact) {
  const ff_near *pair = &problem->state->nears[contact->pair];
  ff_shape_kind a = problem->model->shapes[pair->shape_a].geom.kind;
  ff_shape_kind b = problem->model->shapes[pair->shape_b].geom.kind;
  bool iterated = b != FF_HALF_SPACE && (a == FF_INTERSECTION || b == FF_INTERSECTION ||
                                         a == FF_SUPERELLIPSOID || b == FF_SUPERELLIPSOID);
  return iterated ? ITERATED : ROUNDING * DBL_EPSILON;
}

/* ---- derivatives by the pose of body a -------------------------------------------------- */

/* Two smooth bodies with normals of level sets: depth and normal are not conjugate. */
static bool has_level_sets(const quasi_problem *problem, const quasi_contact *contact) {
  const ff_near *pair = &problem->state->nears[contact->pair];
  return problem->model->run.stepper.geometry == FF_GEOMETRY_LEVEL_SETS &&
         problem->model->shapes[pair->shape_b].geom.kind != FF_HALF_SPACE;
}

bool ff_quasi_depth_follows_normal(const quasi_problem *problem, const quasi_contact *contact) {
  return !contact->tied && !has_level_sets(problem, contact) &&
         contact->touch.id.kind == FF_PAIR_NONE;
}

static ff_vec3 unit_axis(int k) {
  return v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
}

/* Pose of a contact's body a, translated along (k < 3) or rotated about world axis k % 3. */
static ff_pose displaced_pose(const quasi_problem *problem, const quasi_contact *contact, int k,
                              double by) {
  ff_pose pose = problem->bodies[contact->e.a].end.pose;
  if (k < 3) {
    pose.position = v3_axpy(pose.position, by, unit_axis(k));
  } else {
    pose.orientation = q_mul(q_exp(v3_scale(by, unit_axis(k))), pose.orientation);
  }
  return pose;
}

static void set_slope(quasi_contact *contact, int k, double depth, ff_vec3 point, ff_vec3 normal) {
  quasi_geometry_slope *slope = &contact->slope[k / 3];
  double *depths[3] = {&slope->depth.x, &slope->depth.y, &slope->depth.z};
  *depths[k % 3] = depth;
  m3_set_column(&slope->point, k % 3, point);
  m3_set_column(&slope->normal, k % 3, normal);
}

/* Finite differences of a whole pair by displacement k: central ones on half-spaces, where queries
 * are cheap; else one-sided, with an error of 1e-7 of the body's size over its radius of curvature.
 */
static void difference_pair(const quasi_problem *problem, quasi_contact *contacts, int count,
                            int k) {
  const ff_near *pair = &problem->state->nears[contacts->pair];
  const ff_pose *b = &problem->bodies[contacts->e.b].end.pose;
  bool central = problem->model->shapes[pair->shape_b].geom.kind == FF_HALF_SPACE;
  double step = central ? DIFFERENCE : 0.1 * DIFFERENCE, scale = (central ? 0.5 : 1) / step;
  double size = k < 3 ? problem->model->bodies[contacts->e.a].bound : 1, by = scale / size;
  ff_touch up[FF_TOUCH_MAX], down[FF_TOUCH_MAX];
  ff_pose pose = displaced_pose(problem, contacts, k, step * size);
  int more = ff_quasi_touches(problem, pair, &pose, b, INFINITY, up), less = 0;
  if (central) {
    pose = displaced_pose(problem, contacts, k, -step * size);
    less = ff_quasi_touches(problem, pair, &pose, b, INFINITY, down);
  }
  for (int i = 0; i < count; i++) {
    const ff_touch *to = ff_quasi_find_touch(problem, &contacts[i], up, more);
    const ff_touch *from =
        central ? ff_quasi_find_touch(problem, &contacts[i], down, less) : &contacts[i].touch;
    bool there = to && from && isfinite(from->depth);
    ff_vec3 none = v3(0, 0, 0);
    set_slope(&contacts[i], k, there ? by * (to->depth - from->depth) : 0,
              there ? v3_scale(by, v3_sub(to->point, from->point)) : none,
              there ? v3_scale(by, v3_sub(to->normal, from->normal)) : none);
    contacts[i].slope[k / 3].normal_turns = true;
  }
}

/* Analytic: a point of a over a plane that turns with b. */
static void differentiate_tied(const quasi_problem *problem, quasi_contact *contact) {
  const ff_pose *a = &problem->bodies[contact->e.a].end.pose;
  ff_vec3 arm = q_rotate(a->orientation, contact->on_a), n = contact->touch.normal;
  for (int k = 0; k < QUASI_DOF; k++) {
    ff_vec3 axis = unit_axis(k), motion = k < 3 ? axis : v3_cross(axis, arm);
    set_slope(contact, k, -v3_dot(n, motion), v3_scale(0.5, motion), v3(0, 0, 0));
    contact->slope[k / 3].normal_turns = false;
  }
}

/* Analytic: a smooth solid or a vertex on a half-space. The point moves with a, and over its
 * surface. False: not known. */
static bool differentiate_on_plane(const quasi_problem *problem, quasi_contact *contact) {
  const ff_near *pair = &problem->state->nears[contact->pair];
  const ff_model_shape *a = &problem->model->shapes[pair->shape_a];
  const ff_model_shape *b = &problem->model->shapes[pair->shape_b];
  const ff_pose *at = &problem->bodies[contact->e.a].end.pose;
  ff_quat q = q_mul(at->orientation, a->pose.orientation);
  ff_vec3 n = contact->touch.normal, arm = v3_sub(contact->touch.point, at->position);
  ff_mat3 on_surface;
  if (b->geom.kind != FF_HALF_SPACE || !ff_geom_wander(&a->geom, q, n, &on_surface)) {
    return false;
  }
  contact->slope[0].point = (ff_mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  contact->slope[1].point = m3_add(m3_skew(v3_neg(arm)), on_surface);
  contact->slope[0].normal_turns = contact->slope[1].normal_turns = false;
  return true;
}

/* Analytic: two smooth solids. Rotated about its body's centre, a
 * shape is translated as well. False: not known. */
static bool differentiate_pair(const quasi_problem *problem, quasi_contact *contact) {
  const ff_near *pair = &problem->state->nears[contact->pair];
  const ff_model_shape *a = &problem->model->shapes[pair->shape_a];
  const ff_model_shape *b = &problem->model->shapes[pair->shape_b];
  ff_pose on = problem->bodies[contact->e.a].end.pose, at_a = pose_mul(on, a->pose);
  ff_pose at_b = pose_mul(problem->bodies[contact->e.b].end.pose, b->pose);
  ff_touch_slopes slopes;
  if (!ff_geom_slopes(&a->geom, &at_a, &b->geom, &at_b, contact->touch.normal, &slopes)) {
    return false;
  }
  ff_vec3 arm = v3_sub(at_a.position, on.position);
  contact->slope[0].point = slopes.point[0];
  contact->slope[0].normal = slopes.normal[0];
  contact->slope[1].point = m3_sub(slopes.point[1], m3_times_skew(slopes.point[0], arm));
  contact->slope[1].normal = m3_sub(slopes.normal[1], m3_times_skew(slopes.normal[0], arm));
  contact->slope[0].normal_turns = contact->slope[1].normal_turns = true;
  return true;
}

/* Pose of a sample's shape a displaced: of a pair as a whole, by central differences. */
static void difference_samples(const quasi_problem *problem, quasi_contact *contact) {
  const ff_near *pair = &problem->state->nears[contact->pair];
  const ff_pose *b = &problem->bodies[contact->e.b].end.pose;
  double size = problem->model->bodies[contact->e.a].bound;
  for (int k = 0; k < QUASI_DOF; k++) {
    ff_touch up = contact->touch, down = contact->touch;
    double step = k < 3 ? DIFFERENCE * size : DIFFERENCE, scale = 0.5 / step;
    ff_pose more = displaced_pose(problem, contact, k, step);
    ff_pose less = displaced_pose(problem, contact, k, -step);
    ff_quasi_evaluate_features(problem, pair, &more, b, &up);
    ff_quasi_evaluate_features(problem, pair, &less, b, &down);
    set_slope(contact, k, scale * (up.depth - down.depth),
              v3_scale(scale, v3_sub(up.point, down.point)),
              v3_scale(scale, v3_sub(up.normal, down.normal)));
  }
}

/* Samples of a manifold: depths by their gradients, points and normals analytic where they are
 * known. Rotated about its body's centre, a shape is translated as well. */
static void differentiate_together(const quasi_problem *problem, quasi_contact *contacts,
                                   int count) {
  const ff_pose *on = &problem->bodies[contacts->e.a].end.pose;
  const ff_near *pair = &problem->state->nears[contacts->pair];
  ff_pose workspace;
  ff_manifold manifold;
  ff_sample_rates rates[FF_SAMPLES_MAX];
  bool known = evaluate_together(problem, contacts, count, &manifold, rates);
  ff_vec3 origin = ff_shape_at(&problem->model->shapes[pair->shape_a], on, &workspace)->position;
  ff_vec3 arm = v3_sub(origin, on->position);
  for (int i = 0; i < count; i++) {
    quasi_geometry_slope *slope = contacts[i].slope;
    const ff_sample *sample = &manifold.samples[i];
    if (known) {
      slope[0].point = rates[i].point[0];
      slope[0].normal = rates[i].along[0];
      slope[1].point = m3_sub(rates[i].point[1], m3_times_skew(rates[i].point[0], arm));
      slope[1].normal = m3_sub(rates[i].along[1], m3_times_skew(rates[i].along[0], arm));
    } else {
      difference_samples(problem, &contacts[i]);
    }
    slope[0].depth = sample->d_depth.shift;
    slope[1].depth = v3_add(sample->d_depth.turn,
                            v3_cross(v3_sub(sample->point, on->position), sample->d_depth.shift));
    slope[0].normal_turns = slope[1].normal_turns = true;
  }
}

static void differentiate_samples(const quasi_problem *problem, quasi_contact *contacts,
                                  int count) {
  for (int first = 0; first < count;) {
    int n = 1;
    if (is_tied_contact(problem, &contacts[first])) {
      differentiate_tied(problem, &contacts[first]);
    } else {
      n = count_together(contacts + first, count - first);
      differentiate_together(problem, contacts + first, n);
    }
    first += n;
  }
}

void ff_quasi_geometry_slopes(const quasi_problem *problem, quasi_contact *contacts, int count) {
  if (is_tied_contact(problem, contacts) || contacts->touch.id.kind != FF_PAIR_NONE) {
    differentiate_samples(problem, contacts, count);
    return;
  }
  bool known = !has_level_sets(problem, contacts);
  for (int i = 0; i < count && known; i++) {
    known =
        differentiate_on_plane(problem, &contacts[i]) || differentiate_pair(problem, &contacts[i]);
  }
  if (known) {
    return;
  }
  const ff_pose *ends[2] = {&problem->bodies[contacts->e.a].end.pose,
                            &problem->bodies[contacts->e.b].end.pose};
  double way = 0, size = problem->model->bodies[contacts->e.a].bound;
  for (int s = 0; s < 2; s++) {
    way += pose_distance(&contacts->slope_at[s], ends[s], size);
  }
  bool exact_depth = ff_quasi_depth_follows_normal(problem, contacts);
  if (contacts->has_slope && way < (exact_depth ? REUSE_FRAME : REUSE_DEPTH) * size) {
    return;
  }
  for (int k = 0; k < QUASI_DOF; k++) {
    difference_pair(problem, contacts, count, k);
  }
  contacts->has_slope = true;
  contacts->slope_at[0] = *ends[0];
  contacts->slope_at[1] = *ends[1];
}
