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

/* Mass that friction's projection weighs speeds with: that of the pair. */
static double weight_of(const ff_model *model, int a, int b) {
  return 1 / (model->bodies[a].inv_mass + model->bodies[b].inv_mass);
}

/* Points of a pair of shapes at the end of the step. */
static int touches_of(const ff_quasi *quasi, const ff_near *near, double margin, ff_touch *out) {
  const ff_model_shape *shapes = quasi->model->shapes;
  return ff_near_touch(quasi->model, near, &quasi->bodies[shapes[near->shape_a].body].end.pose,
                       &quasi->bodies[shapes[near->shape_b].body].end.pose, margin, out);
}

/* The same where it starts. */
static int touches_before(const ff_quasi *quasi, const ff_near *near, double margin,
                          ff_touch *out) {
  const ff_quasi_body *a = &quasi->bodies[quasi->model->shapes[near->shape_a].body];
  const ff_quasi_body *b = &quasi->bodies[quasi->model->shapes[near->shape_b].body];
  ff_pose pose_a = {a->x, a->q}, pose_b = {b->x, b->q};
  return ff_near_touch(quasi->model, near, &pose_a, &pose_b, margin, out);
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
  int count = touches_before(quasi, near, INFINITY, touches);
  const ff_touch *found = ff_quasi_find_touch(quasi, contact, touches, count);
  *out = found ? *found : contact->touch;
  /* a name that nobody had is far away: farther than anything moves in a step */
  return found && found->depth > contact->touch.depth - 2 * reach(quasi, a, b);
}

/* Friction of the step before, seen along the tangents of now, and where impulses are bound for if
 * they go on changing as they did. */
static void remember(const ff_quasi *quasi, ff_quasi_contact *contact) {
  const ff_point *p = &quasi->state->points[contact->memory];
  ff_vec3 n = contact->touch.normal, t1 = contact->touch.t1, t2 = v3_cross(n, t1);
  int order = ff_trend_order(&p->trend[0]);
  ff_vec3 force = ff_trend_next(&p->trend[0], order), others = ff_trend_next(&p->trend[1], order);
  const double before[3] = {v3_dot(p->force, t1), v3_dot(p->force, t2), v3_dot(p->moment, n)};
  const double expected[3] = {v3_dot(force, t1), v3_dot(force, t2), others.x};
  for (int i = 0; i < 3; i++) {
    double e = contact->cone->e[i], scale = e > 0 ? quasi->h / e : 0;
    contact->e.before[1 + i] = scale * before[i];
    contact->e.guess[1 + i] = scale * expected[i];
  }
  contact->e.before[0] = quasi->h * p->force_core;
  contact->e.guess[0] = p->force_core > 0 ? quasi->h * greater(others.y, 0) : 0;
  const ff_quasi_found *found = &quasi->found[contact->point];
  if (quasi->looked && found->look == quasi->looks) {
    memcpy(contact->e.guess, found->z, sizeof found->z);
  }
}

/* Has a shape edges, so that parts of it that touch give way to others? */
static bool has_edges(const ff_model_shape *shape) {
  switch (shape->geom.kind) {
    case FF_BOX:
    case FF_POLYHEDRON:
    case FF_CYLINDER:
    case FF_INTERSECTION:
    case FF_CAPSULE: return true; /* its ends are where lines along it begin */
    default: return false;
  }
}

/* Edges on both sides? On a half-space only those of a cylinder run about. */
static bool is_flat(const ff_quasi *quasi, const ff_near *near) {
  const ff_model_shape *a = &quasi->model->shapes[near->shape_a];
  const ff_model_shape *b = &quasi->model->shapes[near->shape_b];
  bool rim = a->geom.kind == FF_CYLINDER && b->geom.kind == FF_HALF_SPACE;
  bool cut = a->geom.kind == FF_INTERSECTION || b->geom.kind == FF_INTERSECTION;
  double round = quasi->model->bindings[near->binding].round;
  return rim ||
         (has_edges(a) && has_edges(b) && (!cut || ff_geom_is_rounded(&a->geom, &b->geom, round)));
}

/* The axis of b that t1 follows, where the two tangents are not alike: x of its body frame, or y
 * where x is nearly normal. Else, and on a half-space, the t1 that geometry gave. */
static ff_vec3 axis_of(const ff_quasi *quasi, const ff_quasi_contact *contact, ff_quat b) {
  const ff_model_shape *shape = &quasi->model->shapes[quasi->state->nears[contact->near].shape_b];
  bool alike = contact->cone->e[0] == contact->cone->e[1] && !contact->layer->sheared;
  if (alike || shape->geom.kind == FF_HALF_SPACE) {
    return q_unrotate(b, contact->touch.t1);
  }
  ff_quat frame = quasi->model->bodies[shape->body].frame.orientation;
  ff_vec3 x = q_unrotate(frame, v3(1, 0, 0)), y = q_unrotate(frame, v3(0, 1, 0));
  return fabs(v3_dot(q_rotate(b, x), contact->touch.normal)) < 0.8 ? x : y;
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
  contact->axis = axis_of(quasi, contact, at_b.orientation);
}

static bool add_contact(ff_quasi *quasi, const ff_meet *meet, int near, const ff_touch *touch,
                        int memory) {
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
  contact->point = n->first_point + touch->feature;
  contact->near = near;
  contact->layer = &binding->layer;
  contact->cone = &binding->cone;
  contact->memory = memory;
  const ff_point *known = &quasi->state->points[memory];
  ff_quasi_layer_prepare(quasi, contact->layer, known, touch->t1,
                         v3_cross(touch->normal, touch->t1), 1, &contact->state);
  contact->theta = 1;
  contact->weight = e->mass;
  contact->touch = *touch;
  contact->axis = axis_of(quasi, contact, b->end.pose.orientation);
  contact->flown = touch->depth;
  contact->sloped = contact->fixed = contact->unseen = false;
  contact->p_ns = 0;
  remember(quasi, contact);
  return true;
}

/* Touches of a pair of flat shapes where it was seen, and what free flight adds to them. */
static int merge(ff_touch *touches, int count, const ff_touch *more, int more_count, bool *late) {
  ff_touch both[FF_TOUCH_MAX];
  int total = 0;
  for (int feature = 0; feature < FF_TOUCH_MAX; feature++) {
    const ff_touch *found = NULL;
    for (int i = 0; i < more_count; i++) {
      found = more[i].feature == feature ? &more[i] : found;
    }
    late[total] = true;
    for (int i = 0; i < count; i++) {
      late[total] = late[total] && touches[i].feature != feature;
      found = touches[i].feature == feature ? &touches[i] : found;
    }
    if (found) {
      both[total++] = *found;
    }
  }
  memcpy(touches, both, (size_t)total * sizeof *both);
  return total;
}

static bool has_feature(const ff_touch *touches, int count, int feature) {
  bool has = false;
  for (int i = 0; i < count; i++) {
    has = has || touches[i].feature == feature;
  }
  return has;
}

/* The point that a touch of flat shapes goes on from: its own; or, if that was not there before,
 * the nearest of those that have gone and were next to it. Names change with the face that gives
 * them.
 */
static int memory_of(const ff_quasi *quasi, const ff_near *near, const ff_touch *touches, int count,
                     int i) {
  const ff_point *points = &quasi->state->points[near->first_point];
  int best = touches[i].feature;
  const ff_model_shape *shape = &quasi->model->shapes[near->shape_a];
  double nearest = 0.05 * quasi->model->bodies[shape->body].bound;
  for (int k = 0; !points[touches[i].feature].touching && k < near->point_count; k++) {
    double way = v3_norm(v3_sub(points[k].point, touches[i].point));
    if (points[k].touching && way < nearest && !has_feature(touches, count, k)) {
      nearest = way;
      best = k;
    }
  }
  return near->first_point + best;
}

/* Is what free flight adds at the same place as one of the others gets to? Two that are one would
 * share their load in no particular way. */
static bool is_there(const ff_quasi *quasi, const ff_near *near, const ff_meet *meet,
                     const ff_touch *touches, const bool *late, int count, int i) {
  const ff_quasi_body *a = &quasi->bodies[meet->a], *b = &quasi->bodies[meet->b];
  double close = 1e-3 * quasi->model->bodies[meet->a].bound;
  for (int k = 0; late[i] && k < count; k++) {
    ff_touch now = touches[k];
    if (late[k] || now.spot.kind == FF_SPOT_NONE) {
      continue;
    }
    ff_near_look(quasi->model, near, &a->end.pose, &b->end.pose, &now);
    if (v3_norm(v3_sub(now.point, touches[i].point)) < close &&
        v3_dot(now.normal, touches[i].normal) > 0.99) {
      return true;
    }
  }
  return false;
}

/* Contacts of flat shapes: where they were seen, and if that was at the start, what free flight
 * adds to them. */
static bool gather_flat(ff_quasi *quasi, const ff_meet *meet, int n, double margin) {
  const ff_near *near = &quasi->state->nears[n];
  ff_touch touches[FF_TOUCH_MAX], end[FF_TOUCH_MAX];
  bool late[FF_TOUCH_MAX + 1];
  int count = ff_near_touch(quasi->model, near, &quasi->bodies[meet->a].seen,
                            &quasi->bodies[meet->b].seen, margin, touches);
  int more = quasi->again && count > 0 ? 0 : touches_of(quasi, near, margin, end);
  count = merge(touches, count, end, more, late);
  for (int i = 0; i < count; i++) {
    if (is_there(quasi, near, meet, touches, late, count, i)) {
      continue;
    }
    if (!add_contact(quasi, meet, n, &touches[i], memory_of(quasi, near, touches, count, i))) {
      return false;
    }
    ff_quasi_contact *contact = &quasi->contacts[quasi->contact_count - 1];
    fix(quasi, contact, late[i]);
    ff_quasi_look(quasi, contact, 1);
    contact->flown = contact->touch.depth;
  }
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
    bool added = add_contact(quasi, meet, n, &before, near->first_point);
    if (added) {
      quasi->contacts[quasi->contact_count - 1].unseen = true;
    }
    return added;
  }
  double margin =
      quasi->wanted[n] ? INFINITY : reach(quasi, &quasi->bodies[meet->a], &quasi->bodies[meet->b]);
  if (is_flat(quasi, near)) {
    return gather_flat(quasi, meet, n, margin);
  }
  ff_touch touches[FF_TOUCH_MAX];
  int count = touches_of(quasi, near, margin, touches);
  for (int i = 0; i < count; i++) {
    if (!add_contact(quasi, meet, n, &touches[i], near->first_point + touches[i].feature)) {
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

/* Is the contact another than what is seen now? Parts that are as deep as one another may have
 * normals that differ by as much as faces that lie on each other lean: friction that holds does not
 * mind. */
static bool is_other(const ff_quasi_contact *contact, const ff_touch *now) {
  const double *p = contact->e.z + 1;
  double used = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
  bool slips = used > (1 - 1e-3) * contact->cone->mu * (contact->p_ns + contact->e.z[0]);
  double turned = v3_norm(v3_sub(now->normal, contact->touch.normal));
  double deeper = fabs(now->depth - contact->touch.depth);
  return !(deeper <= 1e-8 * fabs(contact->touch.depth) && turned <= (slips ? 1e-9 : 1e-2));
}

bool ff_quasi_changed(const ff_quasi *quasi) {
  for (int k = 0; k < quasi->contact_count;) {
    const ff_quasi_contact *first = &quasi->contacts[k];
    int known = ff_quasi_alike(quasi, first);
    k += known;
    if (!first->fixed) {
      continue;
    }
    const ff_near *near = &quasi->state->nears[first->near];
    ff_touch touches[FF_TOUCH_MAX];
    int count = touches_of(quasi, near, INFINITY, touches);
    for (int i = 0, c = 0; i < count; i++) {
      int point = near->first_point + touches[i].feature;
      while (c < known && first[c].point < point) {
        c++;
      }
      bool mine = c < known && first[c].point == point;
      bool pushes = mine && (first[c].p_ns > 0 || first[c].e.z[0] > 0);
      if ((pushes || touches[i].depth > 0) && (!mine || is_other(&first[c], &touches[i]))) {
        return true;
      }
    }
  }
  return false;
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
