/* Contacts of a quasi-rigid step: who takes part. */
#include "math/vec.h"
#include "step/quasi_rigid.h"

#include <string.h>

/* ---- gathering ------------------------------------------------------------------------- */

/* How much nearer the two can come in the step, whatever their direction. */
static double reach(const ff_quasi *quasi, const ff_quasi_body *a, const ff_quasi_body *b) {
  double sum = 0;
  const ff_quasi_body *pair[2] = {a, b};
  for (int s = 0; s < 2; s++) {
    double bound = quasi->model->bodies[pair[s]->id].bound;
    if (quasi->model->bodies[pair[s]->id].kind == FF_BODY_FIXED) {
      continue;
    }
    sum += v3_norm(pair[s]->end.velocity) + v3_norm(pair[s]->v0);
    sum += isfinite(bound) ? bound * v3_norm(pair[s]->end.omega) : 0;
  }
  return quasi->h * quasi->widen * sum;
}

/* Points of a pair of shapes at the end of the step. */
static int touches_of(const ff_quasi *quasi, const ff_near *near, double margin, ff_touch *out) {
  const ff_model_shape *shapes = quasi->model->shapes;
  return ff_near_touch(quasi->model, near, &quasi->bodies[shapes[near->shape_a].body].end.pose,
                       &quasi->bodies[shapes[near->shape_b].body].end.pose, margin, out);
}

/* Mass that friction's projection weighs speeds with: that of the pair. */
static double weight_of(const ff_model *model, int a, int b) {
  return 1 / (model->bodies[a].inv_mass + model->bodies[b].inv_mass);
}

bool ff_quasi_touch_before(const ff_quasi *quasi, const ff_quasi_contact *contact, ff_touch *out) {
  const ff_near *near = &quasi->state->nears[contact->near];
  const ff_quasi_body *a = &quasi->bodies[contact->e.a], *b = &quasi->bodies[contact->e.b];
  if (contact->touch.spot.kind != FF_SPOT_NONE) {
    *out = contact->touch;
    ff_near_look(quasi->model, near, &(ff_pose){a->x, a->q}, &(ff_pose){b->x, b->q}, out);
    return true;
  }
  ff_touch touches[FF_TOUCH_MAX];
  int count = ff_near_touch(quasi->model, near, &(ff_pose){a->x, a->q}, &(ff_pose){b->x, b->q},
                            INFINITY, touches);
  const ff_touch *found = ff_quasi_find_touch(quasi, contact, touches, count);
  *out = found ? *found : contact->touch;
  /* a name that nobody had is far away: farther than anything moves in a step */
  return found && found->depth > contact->touch.depth - 2 * reach(quasi, a, b);
}

const ff_point *ff_quasi_known(const ff_quasi *quasi, const ff_quasi_contact *contact,
                               ff_point *room) {
  if (contact->memory >= 0) {
    return &quasi->state->points[contact->memory];
  }
  *room = (ff_point){0};
  ff_quasi_layer_start(contact->layer, contact->began, room);
  return room;
}

/* What the look before found of a contact, or of one in its place; NULL: there was none. */
static const double *found_of(const ff_quasi *quasi, const ff_quasi_contact *contact) {
  const ff_near *near = &quasi->state->nears[contact->near];
  const ff_quasi_found *own = &quasi->found[contact->point];
  const ff_spot *spot = &contact->touch.spot;
  if (!quasi->looked) {
    return NULL;
  }
  for (int i = 0; ff_spot_lasts(spot) && i < near->point_count; i++) {
    const ff_quasi_found *found = &quasi->found[near->first_point + i];
    if (found->look == quasi->looks && ff_spot_is_same(&found->touch.spot, spot)) {
      return found->z;
    }
  }
  return own->look == quasi->looks ? own->z : NULL;
}

/* Friction of the step before, seen along the tangents of now, and where impulses are bound for if
 * they go on changing as they did. */
static void remember(const ff_quasi *quasi, const ff_point *p, ff_quasi_contact *contact) {
  ff_vec3 n = contact->touch.normal, t1 = contact->touch.t1, t2 = v3_cross(n, t1);
  int order = ff_predictor_order(&p->trend[0]);
  ff_vec3 force = ff_predictor_next(&p->trend[0], order),
          others = ff_predictor_next(&p->trend[1], order);
  const double before[3] = {v3_dot(p->force, t1), v3_dot(p->force, t2), v3_dot(p->moment, n)};
  const double expected[3] = {v3_dot(force, t1), v3_dot(force, t2), others.x};
  for (int i = 0; i < 3; i++) {
    double e = contact->cone->e[i], scale = e > 0 ? quasi->h / e : 0;
    contact->e.before[1 + i] = scale * before[i];
    contact->e.guess[1 + i] = scale * expected[i];
  }
  contact->e.before[0] = quasi->h * p->force_core;
  contact->e.guess[0] = p->force_core > 0 ? quasi->h * greater(others.y, 0) : 0;
  const double *found = found_of(quasi, contact);
  if (found) {
    memcpy(contact->e.guess, found, 4 * sizeof *found);
  }
}

static bool is_across(ff_vec3 axis, ff_quat b, ff_vec3 normal) {
  return v3_dot(axis, axis) > 0 && fabs(v3_dot(q_rotate(b, axis), normal)) < 0.5;
}

/* The axis of b that t1 follows, where the two tangents are not alike: x of its body frame, or y
 * where x is nearly normal. Else, and on a half-space, that of the step before (0: none) as long as
 * it serves, or the t1 that there is: turned back and forth in every step this would not stay the
 * same to the last bit, and what lies still could not repeat itself. */
static ff_vec3 axis_of(const ff_quasi *quasi, const ff_quasi_contact *contact, ff_vec3 before,
                       ff_quat b) {
  const ff_model_shape *shape = &quasi->model->shapes[quasi->state->nears[contact->near].shape_b];
  bool alike = contact->cone->e[0] == contact->cone->e[1] && !contact->layer->sheared;
  if (alike || shape->geom.kind == FF_HALF_SPACE) {
    bool serves = is_across(before, b, contact->touch.normal);
    return serves ? before : q_unrotate(b, contact->touch.t1);
  }
  ff_quat frame = quasi->model->bodies[shape->body].frame.orientation;
  ff_vec3 x = q_unrotate(frame, v3(1, 0, 0)), y = q_unrotate(frame, v3(0, 1, 0));
  return fabs(v3_dot(q_rotate(b, x), contact->touch.normal)) < 0.8 ? x : y;
}

static bool add_contact(ff_quasi *quasi, const ff_meet *meet, int near, const ff_touch *touch,
                        int point, int memory, double began) {
  const ff_near *n = &quasi->state->nears[near];
  const ff_binding *binding = &quasi->model->bindings[n->binding];
  if (quasi->contact_count == quasi->contact_capacity) {
    return false;
  }
  ff_quasi_contact *contact = &quasi->contacts[quasi->contact_count++];
  const ff_quasi_body *a = &quasi->bodies[meet->a], *b = &quasi->bodies[meet->b];
  ff_quasi_element *e = &contact->e;
  if (e->a != meet->a || e->b != meet->b) {
    quasi->group_count = -1;
  }
  e->a = meet->a;
  e->b = meet->b;
  e->joint = false;
  e->rows = binding->cone.mu > 0 ? 4 : 1; /* without friction only the core's */
  e->mass = weight_of(quasi->model, a->id, b->id);
  for (int i = 0; i < 4; i++) {
    e->lower[i] = i == 0 ? 0 : -INFINITY;
    e->z[i] = 0;
  }
  contact->point = point;
  contact->near = near;
  contact->layer = &binding->layer;
  contact->cone = &binding->cone;
  contact->memory = memory;
  contact->began = began;
  ff_point room;
  const ff_point *known = ff_quasi_known(quasi, contact, &room);
  ff_quasi_layer_prepare(quasi, contact->layer, known, touch->t1,
                         v3_cross(touch->normal, touch->t1), 1, &contact->state);
  contact->theta = 1;
  contact->weight = e->mass;
  contact->touch = *touch;
  contact->axis = axis_of(quasi, contact, known->axis, b->end.pose.orientation);
  contact->flown = touch->depth;
  contact->sloped = contact->fixed = contact->unseen = false;
  contact->p_ns = 0;
  remember(quasi, known, contact);
  return true;
}

/* Ties a contact to the two bodies where it was seen: before they flew, or after. */
static void fix(const ff_quasi *quasi, ff_quasi_contact *contact, bool flown) {
  const ff_quasi_body *a = &quasi->bodies[contact->e.a], *b = &quasi->bodies[contact->e.b];
  ff_pose at_a = flown ? a->end.pose : a->seen, at_b = flown ? b->end.pose : b->seen;
  double half = 0.5 * contact->touch.depth;
  ff_vec3 of_a = v3_axpy(contact->touch.point, -half, contact->touch.normal);
  ff_vec3 of_b = v3_axpy(contact->touch.point, half, contact->touch.normal);
  contact->fixed = true;
  contact->on_a = q_unrotate(at_a.orientation, v3_sub(of_a, at_a.position));
  contact->on_b = q_unrotate(at_b.orientation, v3_sub(of_b, at_b.position));
  ff_quat owner = contact->touch.turns == FF_TURNS_WITH_A ? at_a.orientation : at_b.orientation;
  contact->out_of = q_unrotate(owner, contact->touch.normal);
  contact->edges[0] = q_unrotate(at_a.orientation, contact->touch.edge_a);
  contact->edges[1] = q_unrotate(at_b.orientation, contact->touch.edge_b);
  ff_vec3 none = v3(0, 0, 0); /* the t1 of parts is geometry's, the same wherever they are again */
  contact->axis = axis_of(quasi, contact, none, at_b.orientation);
}

bool ff_quasi_add_fixed(ff_quasi *quasi, const ff_meet *meet, int near, const ff_touch *touch,
                        int slot, int memory, double began, bool flown) {
  int point = quasi->state->nears[near].first_point + slot;
  if (!add_contact(quasi, meet, near, touch, point, memory, began)) {
    return false;
  }
  ff_quasi_contact *contact = &quasi->contacts[quasi->contact_count - 1];
  fix(quasi, contact, flown);
  ff_quasi_look(quasi, contact, 1);
  contact->flown = contact->touch.depth;
  return true;
}

/* The only point that a pair can have takes part, wherever free flight leads, if it pushed in the
 * step before; where it was then says all that is asked of it now. */
static bool goes_on(const ff_quasi *quasi, const ff_near *near, ff_touch *out) {
  const ff_point *p = &quasi->state->points[near->first_point];
  if (near->point_count != 1 || !(p->force_n > 0 && p->patch.depth > 0) ||
      quasi->gain_end != quasi->state->t) {
    return false;
  }
  *out = (ff_touch){.point = p->point, .normal = p->normal, .t1 = p->t1, .depth = p->patch.depth};
  return true;
}

static bool gather_near(ff_quasi *quasi, const ff_meet *meet, int n) {
  const ff_near *near = &quasi->state->nears[n];
  ff_touch before;
  if (goes_on(quasi, near, &before)) {
    bool added = add_contact(quasi, meet, n, &before, near->first_point, near->first_point, 0);
    if (added) {
      quasi->contacts[quasi->contact_count - 1].unseen = true;
    }
    return added;
  }
  double margin =
      quasi->wanted[n] ? INFINITY : reach(quasi, &quasi->bodies[meet->a], &quasi->bodies[meet->b]);
  if (ff_quasi_is_flat(quasi, near)) {
    return ff_quasi_gather_flat(quasi, meet, n, margin);
  }
  ff_touch touches[FF_TOUCH_MAX];
  int count = touches_of(quasi, near, margin, touches);
  for (int i = 0; i < count; i++) {
    int point = near->first_point + touches[i].feature;
    if (!add_contact(quasi, meet, n, &touches[i], point, point, 0)) {
      return false;
    }
  }
  return true;
}

bool ff_quasi_gather(ff_quasi *quasi) {
  quasi->contact_count = 0;
  for (int m = 0; m < quasi->state->meet_count; m++) {
    const ff_meet *meet = &quasi->state->meets[m];
    for (int n = meet->first_near; n < meet->first_near + meet->near_count; n++) {
      if (!gather_near(quasi, meet, n)) {
        return false;
      }
    }
  }
  ff_quasi_gather_joints(quasi);
  return ff_quasi_group(quasi);
}

/* Is the body of a shape elsewhere than when contacts were gathered? */
static bool has_strayed(const ff_quasi *quasi, int shape) {
  return quasi->bodies[quasi->model->shapes[shape].body].strayed;
}

bool ff_quasi_missed(ff_quasi *quasi) {
  bool missed = false;
  int next = 0; /* contacts come in the order of their points */
  for (int n = 0; n < quasi->state->near_count; n++) {
    const ff_near *near = &quasi->state->nears[n];
    const ff_quasi_contact *first = quasi->contacts + next;
    int known = next < quasi->contact_count && first->near == n ? ff_quasi_alike(quasi, first) : 0;
    next += known;
    bool flown = !has_strayed(quasi, near->shape_a) && !has_strayed(quasi, near->shape_b);
    if (flown || known == near->point_count || (known > 0 && first->fixed)) {
      continue;
    }
    ff_touch touches[FF_TOUCH_MAX];
    int count = touches_of(quasi, near, 0, touches);
    for (int i = 0, k = 0; i < count; i++) {
      while (k < known && first[k].point < near->first_point + touches[i].feature) {
        k++;
      }
      if (k == known || first[k].point != near->first_point + touches[i].feature) {
        missed = quasi->wanted[n] = true;
      }
    }
  }
  return missed;
}

/* ---- passing through ------------------------------------------------------------------------ */

/* A pose on the straight way from start to end. */
static ff_pose on_the_way(const ff_quasi_body *body, double share) {
  ff_vec3 path = v3_sub(body->end.pose.position, body->x);
  return (ff_pose){v3_axpy(body->x, share, path), body->end.pose.orientation};
}

static bool near_is_skipped(const ff_quasi *quasi, const ff_near *near) {
  const ff_model_shape *a = &quasi->model->shapes[near->shape_a];
  const ff_model_shape *b = &quasi->model->shapes[near->shape_b];
  const ff_quasi_body *body_a = &quasi->bodies[a->body], *body_b = &quasi->bodies[b->body];
  double stride = 0.5 * (a->thickness + b->thickness);
  if (isinf(stride)) { /* nobody gets behind a half-space */
    return false;
  }
  ff_vec3 path_a = v3_sub(body_a->end.pose.position, body_a->x);
  ff_vec3 path_b = v3_sub(body_b->end.pose.position, body_b->x), path = v3_sub(path_a, path_b);
  if (!(v3_dot(path, path) >= stride * stride)) {
    return false;
  }
  int looks = (int)fmin(v3_norm(path) / stride, 10000);
  ff_touch first[FF_TOUCH_MAX], last[FF_TOUCH_MAX];
  bool meets = false;
  for (int k = 1; k <= looks && !meets && !ff_quasi_must_end(quasi); k++) {
    double share = k / (looks + 1.0);
    ff_pose at_a = on_the_way(body_a, share), at_b = on_the_way(body_b, share);
    meets = ff_near_touch(quasi->model, near, &at_a, &at_b, 0, first) > 0;
  }
  /* Past each other, or so far in that they would part on the other side. */
  return meets &&
         (touches_of(quasi, near, 0, last) == 0 || v3_dot(first[0].normal, last[0].normal) < 0.5);
}

bool ff_quasi_skipped(const ff_quasi *quasi) {
  for (int n = 0; n < quasi->state->near_count; n++) {
    const ff_near *near = &quasi->state->nears[n];
    if (near_is_skipped(quasi, near) || ff_quasi_must_end(quasi)) {
      *quasi->trouble = (ff_trouble){.kind = FF_TROUBLE_PASSED,
                                     .a = quasi->model->shapes[near->shape_a].body,
                                     .b = quasi->model->shapes[near->shape_b].body};
      return true;
    }
  }
  return false;
}
