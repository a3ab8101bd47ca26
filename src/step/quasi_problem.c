/* The rows of the problem: bodies, and contacts as elements.
 *
 * Rows, with everything at the end of the step:
 *   body      m (v - v_free) - sum P_world = 0,   L - L_free - sum (arm x P_world + moment) = 0
 *   core      0 <= p_nr,  (delta_max - depth) / h >= 0,  one of them zero  [Chakraborty07 eq. 13]
 *   friction  P = proj(P - rho w): the point of the ball of radius mu p_n next to P - rho w, with w
 *             the slip in the ellipsoid's units. This says, without a multiplier that would be
 *             undetermined where p_n = 0, that of all friction allowed P dissipates most
 *             [Chakraborty07 eq. 4].
 * Several contacts that stick on one body ask for more than it can give: its corners would all have
 * to be without slip while it tips. So there w gets a part SOFT (P - P_before) / rho, zero as soon
 * as nothing changes; it also says which of the many ways to share a load is taken.
 *
 * The layer's impulse is no unknown but follows from the depth: see quasi_layer.c.
 *
 * Order 2: bodies move with the mean of their velocities at start and end, and the spring's force
 * is the one that pays for its energy; everything else is as before, at the end of the step. Where
 * a core bears a load the step is one of order 1: its impulses have no mean.
 */
#include "step/quasi_rigid.h"

#include "math/vec.h"
#include "step/rotation.h"

#include <float.h>
#include <string.h>

#define NUDGE 1e-6 /* of a body's size, rad: for derivatives */
#define STALE 1e-5 /* the same: slopes of geometry serve as long as nothing moved farther */
#define NOISE 8.0  /* units in the last place that geometry may be off by */

/* ---- bodies ---------------------------------------------------------------------------- */

static ff_mat3 world_inverse(const ff_model_body *body, ff_quat q) {
  ff_mat3 r = q_matrix(q), out;
  const double d[3] = {body->inv_inertia.x, body->inv_inertia.y, body->inv_inertia.z};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int k = 0; k < 3; k++) {
        sum += r.m[i][k] * d[k] * r.m[j][k];
      }
      out.m[i][j] = out.m[j][i] = sum;
    }
  }
  return out;
}

/* How far a pose is from another, at most, for points within this radius. */
static double way_between(const ff_pose *from, const ff_pose *to, double radius) {
  ff_quat turn = q_mul(to->orientation, q_conj(from->orientation));
  double half_sine = v3_norm(v3(turn.x, turn.y, turn.z));
  return v3_norm(v3_sub(to->position, from->position)) + 2 * radius * half_sine;
}

void ff_quasi_move(const ff_quasi *quasi, ff_quasi_body *body, ff_vec3 v, ff_vec3 l) {
  const ff_model_body *m = &quasi->model->bodies[body->id];
  double theta = body->theta;
  ff_vec3 mean_v = v3_axpy(v3_scale(theta, v), 1 - theta, body->v0);
  ff_vec3 mean_l = v3_axpy(v3_scale(theta, l), 1 - theta, body->l0);
  ff_quat q = q_unit(ff_rotate_freely(m, body->q, mean_l, quasi->h));
  body->end.pose = (ff_pose){v3_axpy(body->x, quasi->h, mean_v), q};
  body->end.velocity = v;
  body->momentum = l;
  body->inv_inertia = world_inverse(m, q);
  body->end.omega = m3_mul(body->inv_inertia, l);
  body->strayed = way_between(&body->flown, &body->end.pose, m->bound);
}

/* With x1 = x0 + h ((1 - theta) v0 + theta v1) and m (v1 - v0) = p the change is
 * (x0 + (1 - theta) h v0) x p. */
ff_vec3 ff_quasi_pivot(const ff_quasi *quasi, const ff_quasi_body *body) {
  return v3_axpy(body->x, (1 - body->theta) * quasi->h, body->v0);
}

/* How the end of a body turns with its momentum. */
static void find_turned(const ff_quasi *quasi, ff_quasi_body *body) {
  double theta = body->theta;
  ff_vec3 mean = v3_axpy(v3_scale(theta, body->momentum), 1 - theta, body->l0);
  body->turned = ff_rotate_slope(&quasi->model->bodies[body->id], body->q, mean, quasi->h);
  for (int i = 0; theta != 1 && i < 9; i++) {
    body->turned.m[i / 3][i % 3] *= theta;
  }
}

/* ---- contacts --------------------------------------------------------------------------- */

int ff_quasi_alike(const ff_quasi *quasi, const ff_quasi_contact *contact) {
  const ff_quasi_contact *end = quasi->contacts + quasi->contact_count, *next = contact + 1;
  while (next < end && next->near == contact->near) {
    next++;
  }
  return (int)(next - contact);
}

/* Every feature's point of a pair of shapes, with the bodies at these poses. */
static int touches_at(const ff_quasi *quasi, int near, const ff_pose *body_a, const ff_pose *body_b,
                      ff_touch out[FF_TOUCH_MAX]) {
  const ff_near *n = &quasi->state->nears[near];
  const ff_model_shape *a = &quasi->model->shapes[n->shape_a];
  const ff_model_shape *b = &quasi->model->shapes[n->shape_b];
  ff_pose pose_a = pose_mul(*body_a, a->pose), pose_b = pose_mul(*body_b, b->pose);
  return ff_geom_touch(&a->geom, &pose_a, &b->geom, &pose_b, INFINITY, out);
}

/* The touch of a contact among those of its pair; NULL: the pair has it no longer. */
static const ff_touch *find_touch(const ff_quasi *quasi, const ff_quasi_contact *contact,
                                  const ff_touch *touches, int count) {
  int feature = contact->point - quasi->state->nears[contact->near].first_point;
  for (int i = 0; i < count; i++) {
    if (touches[i].feature == feature) {
      return &touches[i];
    }
  }
  return NULL;
}

/* An axis seen in the tangent plane; its length there is told, too. */
static ff_vec3 tangent(ff_vec3 axis, ff_vec3 normal, double *length) {
  ff_vec3 u = v3_axpy(axis, -v3_dot(axis, normal), normal);
  *length = v3_norm(u);
  return v3_scale(1 / *length, u);
}

/* Are the contacts of a pair so far from pressing that nobody need look? */
static bool are_far(const ff_quasi *quasi, const ff_quasi_contact *contacts, int count) {
  double way = quasi->bodies[contacts->e.a].strayed + quasi->bodies[contacts->e.b].strayed;
  for (int i = 0; i < count; i++) {
    const double *z = contacts[i].e.z;
    if (!(contacts[i].flown + way < 0) || z[0] != 0 || z[1] != 0 || z[2] != 0 || z[3] != 0) {
      return false;
    }
  }
  return true;
}

/* The normal of a contact that keeps its place. */
static ff_vec3 fixed_normal(const ff_quasi_contact *contact, ff_quat a, ff_quat b) {
  switch (contact->touch.turns) {
    case FF_TURNS_WITH_A: return q_rotate(a, contact->out_of);
    case FF_TURNS_WITH_BOTH:
      return v3_unit(v3_cross(q_rotate(a, contact->edges[0]), q_rotate(b, contact->edges[1])));
    case FF_TURNS_WITH_B: break;
  }
  return q_rotate(b, contact->out_of);
}

/* How it changes as a turns about an axis. */
static ff_vec3 fixed_turn(const ff_quasi_contact *contact, ff_quat a, ff_quat b, ff_vec3 axis) {
  ff_vec3 n = contact->touch.normal;
  if (contact->touch.turns != FF_TURNS_WITH_BOTH) {
    return contact->touch.turns == FF_TURNS_WITH_A ? v3_cross(axis, n) : v3(0, 0, 0);
  }
  ff_vec3 u = q_rotate(a, contact->edges[0]), w = q_rotate(b, contact->edges[1]);
  ff_vec3 change = v3_scale(1 / v3_norm(v3_cross(u, w)), v3_cross(v3_cross(axis, u), w));
  return v3_axpy(change, -v3_dot(n, change), n);
}

/* Where a point of one body and a plane of the other are now. */
static void look_at_fixed(const ff_quasi *quasi, ff_quasi_contact *contact) {
  const ff_pose *a = &quasi->bodies[contact->e.a].end.pose;
  const ff_pose *b = &quasi->bodies[contact->e.b].end.pose;
  ff_vec3 at_a = pose_point(*a, contact->on_a), at_b = pose_point(*b, contact->on_b);
  ff_touch *touch = &contact->touch;
  double length;
  touch->normal = fixed_normal(contact, a->orientation, b->orientation);
  touch->t1 = tangent(q_rotate(b->orientation, contact->axis), touch->normal, &length);
  touch->point = v3_scale(0.5, v3_add(at_a, at_b));
  touch->depth = -v3_dot(touch->normal, v3_sub(at_a, at_b));
  ff_quasi_press(quasi, contact);
}

void ff_quasi_look(const ff_quasi *quasi, ff_quasi_contact *contacts, int count) {
  for (int i = 0; contacts->fixed && i < count; i++) {
    look_at_fixed(quasi, &contacts[i]);
  }
  if (contacts->fixed) {
    return;
  }
  const ff_pose *a = &quasi->bodies[contacts->e.a].end.pose;
  const ff_pose *b = &quasi->bodies[contacts->e.b].end.pose;
  ff_touch touches[FF_TOUCH_MAX];
  bool far = are_far(quasi, contacts, count);
  int found = far ? 0 : touches_at(quasi, contacts->near, a, b, touches);
  for (int i = 0; i < count; i++) {
    ff_quasi_contact *contact = &contacts[i];
    const ff_touch *touch = find_touch(quasi, contact, touches, found);
    double length;
    if (touch) {
      contact->touch = *touch;
      contact->touch.t1 = tangent(q_rotate(b->orientation, contact->axis), touch->normal, &length);
    } else {
      contact->touch.depth = -INFINITY;
    }
    ff_quasi_press(quasi, contact);
  }
}

static ff_vec3 second_tangent(const ff_touch *touch) {
  return v3_cross(touch->normal, touch->t1);
}

ff_vec3 ff_quasi_slip(const ff_quasi *quasi, const ff_quasi_contact *contact, bool start,
                      double *spin) {
  const ff_quasi_body *a = &quasi->bodies[contact->e.a], *b = &quasi->bodies[contact->e.b];
  ff_vec3 arm_a = v3_sub(contact->touch.point, a->end.pose.position);
  ff_vec3 arm_b = v3_sub(contact->touch.point, b->end.pose.position);
  ff_vec3 w_a = start ? a->w0 : a->end.omega, w_b = start ? b->w0 : b->end.omega;
  ff_vec3 v_a = v3_add(start ? a->v0 : a->end.velocity, v3_cross(w_a, arm_a));
  ff_vec3 v_b = v3_add(start ? b->v0 : b->end.velocity, v3_cross(w_b, arm_b));
  *spin = v3_dot(contact->touch.normal, v3_sub(w_a, w_b));
  return v3_sub(v_a, v_b);
}

ff_vec3 ff_quasi_impulse(const ff_quasi_contact *contact, ff_vec3 *moment) {
  const ff_touch *touch = &contact->touch;
  const double *e = contact->cone->e, *p = contact->e.z + 1;
  ff_vec3 out = v3_scale(contact->p_ns + contact->e.z[0], touch->normal);
  out = v3_axpy(out, e[0] * p[0], touch->t1);
  out = v3_axpy(out, e[1] * p[1], second_tangent(touch));
  *moment = v3_scale(e[2] * p[2], touch->normal);
  return out;
}

/* ---- friction ------------------------------------------------------------------------------ */

/* y = P - rho w, and how it is projected. */
typedef struct projection {
  double y[3], length, radius;
  bool slips; /* y is outside the ball */
} projection;

static projection project(const ff_quasi *quasi, const ff_quasi_contact *contact) {
  double spin;
  ff_vec3 slip = ff_quasi_slip(quasi, contact, false, &spin);
  const double *e = contact->cone->e, *p = contact->e.z + 1;
  double w[3] = {e[0] * v3_dot(contact->touch.t1, slip),
                 e[1] * v3_dot(second_tangent(&contact->touch), slip), e[2] * spin};
  projection out = {.radius = quasi->rough * contact->cone->mu *
                              (contact->p_ns + fmax(contact->e.z[0], 0))};
  double sum = 0, shear[2];
  if (contact->layer->series) {
    ff_quasi_shear(contact, shear);
    w[0] += e[0] * (shear[0] - contact->state.before[0]) / quasi->h;
    w[1] += e[1] * (shear[1] - contact->state.before[1]) / quasi->h;
  }
  for (int i = 0; i < 3; i++) {
    double give = contact->soft * (p[i] - contact->before[i]);
    out.y[i] = e[i] > 0 ? p[i] - contact->weight * w[i] - give : 0;
    sum += out.y[i] * out.y[i];
  }
  out.length = sqrt(sum);
  out.slips = out.length > out.radius;
  return out;
}

/* ---- the rows ------------------------------------------------------------------------------- */

static bool has_core(const ff_quasi_contact *contact) {
  return isfinite(contact->layer->max_deflection);
}

/* Nothing presses, and nothing is left of what did. */
static bool is_idle(const ff_quasi_contact *contact) {
  const double *z = contact->e.z;
  return contact->p_ns == 0 && z[0] == 0 && z[1] == 0 && z[2] == 0 && z[3] == 0 &&
         contact->touch.depth < contact->layer->max_deflection;
}

/* Returns whether it slips. */
static bool own_rows(const ff_quasi *quasi, ff_quasi_contact *contact, double *f) {
  const double *z = contact->e.z;
  double room = contact->layer->max_deflection - contact->touch.depth;
  f[0] = has_core(contact) ? room / quasi->h : z[0] / contact->e.mass;
  projection to = project(quasi, contact);
  double shrink = to.slips ? to.radius / to.length : 1;
  for (int i = 0; i < 3; i++) {
    f[1 + i] = (z[1 + i] - shrink * to.y[i]) / contact->weight;
  }
  return to.slips;
}

/* What the rows are measured by, and the rounding that geometry brings into them. Rows of friction
 * that slips compare impulses, others speeds. */
static void measure(const ff_quasi *quasi, ff_quasi_contact *contact, double push, double twist,
                    bool slips) {
  const ff_quasi_body *pair[2] = {&quasi->bodies[contact->e.a], &quasi->bodies[contact->e.b]};
  ff_quasi_element *e = &contact->e;
  double reach = v3_norm(contact->touch.point), arm = 0;
  double speed = quasi->h * v3_norm(quasi->model->run.gravity);
  for (int s = 0; s < 2; s++) {
    double radius = v3_norm(v3_sub(contact->touch.point, pair[s]->end.pose.position));
    radius = pair[s]->solved ? radius : 0;
    arm = fmax(arm, radius);
    speed += v3_norm(pair[s]->v0) + v3_norm(pair[s]->end.velocity) +
             radius * (v3_norm(pair[s]->w0) + v3_norm(pair[s]->end.omega));
  }
  double noise = NOISE * DBL_EPSILON * (reach + arm);
  e->push = push;
  e->twist = arm * push + twist;
  e->push_noise = contact->stiff * noise;
  e->twist_noise = arm * e->push_noise;
  for (int i = 0; i < e->rows; i++) {
    e->size[i] = i > 0 && slips ? fmin(speed, fmax(push / contact->weight, 1e-3 * speed)) : speed;
    e->noise[i] = (i > 0 ? 0 : noise / quasi->h) + e->push_noise / e->mass;
  }
}

static void contact_rows(const ff_quasi *quasi, ff_quasi_contact *contact) {
  ff_quasi_element *e = &contact->e;
  e->idle = is_idle(contact);
  if (e->idle) {
    memset(e->f, 0, sizeof e->f);
    e->push = e->twist = e->push_noise = e->twist_noise = 0;
    return;
  }
  ff_vec3 moment, impulse = ff_quasi_impulse(contact, &moment);
  for (int s = 0; s < 2; s++) {
    const ff_quasi_body *body = &quasi->bodies[s == 0 ? e->a : e->b];
    ff_vec3 arm = v3_sub(contact->touch.point, body->end.pose.position);
    double sign = s == 0 ? -1 : 1;
    v3_store(e->f + 6 * s, v3_scale(sign, impulse));
    v3_store(e->f + 6 * s + 3, v3_scale(sign, v3_add(v3_cross(arm, impulse), moment)));
  }
  bool slips = own_rows(quasi, contact, e->f + 12);
  measure(quasi, contact, v3_norm(impulse), v3_norm(moment), slips);
}

/* ---- their derivatives ------------------------------------------------------------------------
 */

/* How a contact changes with one unknown: rates of everything the rows are made of. */
typedef struct change {
  double depth, spin, p_ns, p_nr, p[3];
  ff_vec3 point, normal, t1, t2;
  ff_vec3 x[2]; /* of the centres of a and b */
  ff_vec3 slip;
} change;

typedef change by_pose[FF_QUASI_BODY];

/* Is what was found for other poses of the two still good enough? */
static bool has_slope(const ff_quasi *quasi, const ff_quasi_contact *contact) {
  double way = 0, size = quasi->model->bodies[contact->e.a].bound;
  for (int s = 0; s < 2; s++) {
    const ff_pose *now = &quasi->bodies[s == 0 ? contact->e.a : contact->e.b].end.pose;
    way += way_between(&contact->slope_at[s], now, size);
  }
  return contact->sloped && way < STALE * size;
}

/* All touches of a pair when body a is shifted along, or turned about, axis k. */
static int touches_moved(const ff_quasi *quasi, const ff_quasi_contact *contact, int k, double by,
                         ff_touch out[FF_TOUCH_MAX]) {
  ff_vec3 axis = v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
  ff_pose pose = quasi->bodies[contact->e.a].end.pose;
  if (k < 3) {
    pose.position = v3_axpy(pose.position, by, axis);
  } else {
    pose.orientation = q_mul(q_exp(v3_scale(by, axis)), pose.orientation);
  }
  return touches_at(quasi, contact->near, &pose, &quasi->bodies[contact->e.b].end.pose, out);
}

/* Slopes of one kind, by differences: central ones on half-spaces, where they cost next to nothing;
 * else to one side, right to 1e-7 of the body's size over its radius of curvature. */
static void find_slope(const ff_quasi *quasi, ff_quasi_contact *contacts, int count, int k) {
  const ff_near *near = &quasi->state->nears[contacts->near];
  bool both = quasi->model->shapes[near->shape_b].geom.kind == FF_HALF_SPACE;
  double step = both ? NUDGE : 0.1 * NUDGE, scale = (both ? 0.5 : 1) / step;
  double size = k < 3 ? quasi->model->bodies[contacts->e.a].bound : 1;
  ff_touch up[FF_TOUCH_MAX], down[FF_TOUCH_MAX];
  int more = touches_moved(quasi, contacts, k, step * size, up);
  int less = both ? touches_moved(quasi, contacts, k, -step * size, down) : 0;
  for (int i = 0; i < count; i++) {
    const ff_touch *to = find_touch(quasi, &contacts[i], up, more);
    const ff_touch *from = both ? find_touch(quasi, &contacts[i], down, less) : &contacts[i].touch;
    ff_quasi_slope *slope = &contacts[i].slope[k];
    *slope = (ff_quasi_slope){.depth = 0};
    if (to && from && isfinite(from->depth)) {
      slope->depth = scale / size * (to->depth - from->depth);
      slope->point = v3_scale(scale / size, v3_sub(to->point, from->point));
      slope->normal = v3_scale(scale / size, v3_sub(to->normal, from->normal));
    }
  }
}

/* The same of a contact that keeps its place on a. */
static void fixed_slopes(const ff_quasi *quasi, ff_quasi_contact *contact) {
  const ff_pose *a = &quasi->bodies[contact->e.a].end.pose;
  const ff_pose *b = &quasi->bodies[contact->e.b].end.pose;
  ff_vec3 arm = q_rotate(a->orientation, contact->on_a), n = contact->touch.normal;
  ff_vec3 off = v3_sub(v3_add(a->position, arm), pose_point(*b, contact->on_b));
  for (int k = 0; k < FF_QUASI_BODY; k++) {
    ff_vec3 axis = v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    ff_vec3 motion = k < 3 ? axis : v3_cross(axis, arm);
    ff_vec3 turn = k < 3 ? v3(0, 0, 0) : fixed_turn(contact, a->orientation, b->orientation, axis);
    contact->slope[k] = (ff_quasi_slope){.depth = -v3_dot(n, motion) - v3_dot(turn, off),
                                         .point = v3_scale(0.5, motion),
                                         .normal = turn};
  }
}

/* With the pose of body a. One look serves all contacts of the pair. */
static void find_slopes(const ff_quasi *quasi, ff_quasi_contact *contacts, int count) {
  for (int i = 0; contacts->fixed && i < count; i++) {
    fixed_slopes(quasi, &contacts[i]);
  }
  if (contacts->fixed || has_slope(quasi, contacts)) {
    return;
  }
  for (int k = 0; k < FF_QUASI_BODY; k++) {
    find_slope(quasi, contacts, count, k);
  }
  contacts->sloped = true;
  contacts->slope_at[0] = quasi->bodies[contacts->e.a].end.pose;
  contacts->slope_at[1] = quasi->bodies[contacts->e.b].end.pose;
}

/* The rule of geometry: the depth rate is minus the normal velocity. Points 1 and 3 of a
 * cylinder's rim keep it only together; there the difference must do. */
static bool keeps_rule(const ff_quasi *quasi, const ff_quasi_contact *contact) {
  const ff_near *near = &quasi->state->nears[contact->near];
  return !contact->fixed && quasi->model->shapes[near->shape_a].geom.kind != FF_CYLINDER;
}

/* Change with the pose of body a; t1 follows an axis of b, which is at rest. */
static void change_with_a(const ff_quasi *quasi, const ff_quasi_contact *contact, by_pose out) {
  const ff_touch *touch = &contact->touch;
  const ff_pose *b = &quasi->bodies[contact->e.b].end.pose;
  ff_vec3 n = touch->normal, t1 = touch->t1, axis = q_rotate(b->orientation, contact->axis);
  ff_vec3 arm = v3_sub(touch->point, quasi->bodies[contact->e.a].end.pose.position);
  bool rule = keeps_rule(quasi, contact);
  double length;
  tangent(axis, n, &length);
  for (int k = 0; k < FF_QUASI_BODY; k++) {
    const ff_quasi_slope *slope = &contact->slope[k];
    ff_vec3 along = v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    ff_vec3 motion = k < 3 ? along : v3_cross(along, arm), dn = slope->normal;
    ff_vec3 du = v3_neg(v3_axpy(v3_scale(v3_dot(axis, dn), n), v3_dot(axis, n), dn));
    out[k] = (change){.depth = rule ? -v3_dot(n, motion) : slope->depth,
                      .point = slope->point,
                      .normal = dn,
                      .t1 = v3_scale(1 / length, v3_axpy(du, -v3_dot(t1, du), t1))};
    out[k].t2 = v3_add(v3_cross(dn, t1), v3_cross(n, out[k].t1));
  }
}

static void add_change(change *to, double s, const change *from) {
  to->depth += s * from->depth;
  to->point = v3_axpy(to->point, s, from->point);
  to->normal = v3_axpy(to->normal, s, from->normal);
  to->t1 = v3_axpy(to->t1, s, from->t1);
  to->t2 = v3_axpy(to->t2, s, from->t2);
}

/* Change with the pose of body b: moving a the other way and then both together. */
static void change_with_b(const ff_quasi *quasi, const ff_quasi_contact *contact,
                          const by_pose from, by_pose out) {
  const ff_pose *a = &quasi->bodies[contact->e.a].end.pose;
  const ff_pose *b = &quasi->bodies[contact->e.b].end.pose;
  const ff_touch *touch = &contact->touch;
  ff_vec3 apart = v3_sub(a->position, b->position), arm = v3_sub(touch->point, b->position);
  for (int k = 0; k < FF_QUASI_BODY; k++) {
    ff_vec3 axis = v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    out[k] = (change){.point = k < 3 ? axis : v3_cross(axis, arm)};
    add_change(&out[k], -1, &from[k]);
    if (k >= 3) {
      ff_vec3 swept = v3_cross(axis, apart);
      add_change(&out[k], -swept.x, &from[0]);
      add_change(&out[k], -swept.y, &from[1]);
      add_change(&out[k], -swept.z, &from[2]);
      out[k].normal = v3_add(out[k].normal, v3_cross(axis, touch->normal));
      out[k].t1 = v3_add(out[k].t1, v3_cross(axis, touch->t1));
      out[k].t2 = v3_add(out[k].t2, v3_cross(axis, second_tangent(touch)));
    }
  }
}

/* Change with unknown k of body side: it moves the body, and gives it speed. */
static change body_change(const ff_quasi *quasi, const ff_quasi_contact *contact, int side, int k,
                          const by_pose poses) {
  const ff_quasi_body *pair[2] = {&quasi->bodies[contact->e.a], &quasi->bodies[contact->e.b]};
  const ff_quasi_body *body = pair[side];
  double sign = side == 0 ? 1 : -1, h = quasi->theta * quasi->h;
  ff_vec3 axis = v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
  change out = {.depth = 0};
  ff_vec3 speed = v3(0, 0, 0), turn = v3(0, 0, 0);
  if (k < 3) {
    add_change(&out, h, &poses[k]);
    out.x[side] = v3_scale(h, axis);
    speed = axis;
  } else { /* w = I^-1 L, and I turns with the body */
    ff_vec3 dw = m3_mul(body->inv_inertia, axis), by = m3_mul(body->turned, axis);
    add_change(&out, by.x, &poses[3]);
    add_change(&out, by.y, &poses[4]);
    add_change(&out, by.z, &poses[5]);
    ff_vec3 swept = m3_mul(body->inv_inertia, v3_cross(by, body->momentum));
    turn = v3_sub(v3_add(dw, v3_cross(by, body->end.omega)), swept);
  }
  ff_vec3 arm = v3_sub(contact->touch.point, body->end.pose.position);
  out.slip = v3_scale(sign, v3_add(speed, v3_cross(turn, arm)));
  for (int s = 0; s < 2; s++) { /* the point moves over both */
    ff_vec3 over = v3_cross(pair[s]->end.omega, v3_sub(out.point, out.x[s]));
    out.slip = v3_axpy(out.slip, s == 0 ? 1 : -1, over);
  }
  ff_vec3 spins = v3_sub(pair[0]->end.omega, pair[1]->end.omega);
  out.spin = sign * v3_dot(contact->touch.normal, turn) + v3_dot(out.normal, spins);
  out.p_ns = contact->stiff * out.depth;
  return out;
}

/* Column of one change in the contact's own rows. */
static void own_column(const ff_quasi *quasi, ff_quasi_contact *contact, const change *d,
                       const projection *to, int column) {
  double(*j)[FF_QUASI_ROWS] = contact->e.j + 12;
  j[0][column] = has_core(contact) ? -d->depth / quasi->h : d->p_nr / contact->e.mass;
  double spin;
  ff_vec3 slip = ff_quasi_slip(quasi, contact, false, &spin);
  const double *e = contact->cone->e;
  ff_vec3 t2 = second_tangent(&contact->touch);
  double dw[3] = {e[0] * (v3_dot(d->t1, slip) + v3_dot(contact->touch.t1, d->slip)),
                  e[1] * (v3_dot(d->t2, slip) + v3_dot(t2, d->slip)), e[2] * d->spin};
  for (int i = 0; contact->layer->series && i < 2; i++) {
    const ff_quasi_layer *at = &contact->state;
    for (int k = 0; k < 2; k++) {
      double load = e[k] * d->p[k] - at->leans[k] * d->depth;
      dw[i] += e[i] * at->ease[i][k] * load / quasi->h;
    }
  }
  double dy[3], along = 0, shrink = to->slips ? to->radius / to->length : 1;
  for (int i = 0; i < 3; i++) {
    dy[i] = e[i] > 0 ? (1 - contact->soft) * d->p[i] - contact->weight * dw[i] : 0;
    along += to->slips ? to->y[i] / to->length * dy[i] : 0;
  }
  double swell = to->slips ? quasi->rough * contact->cone->mu * (d->p_ns + d->p_nr) : 0;
  for (int i = 0; i < 3; i++) {
    double unit = to->slips ? to->y[i] / to->length : 0;
    double projected = shrink * (dy[i] - unit * along) + swell * unit;
    j[1 + i][column] = (d->p[i] - projected) / contact->weight;
  }
}

/* Column of one change in the rows of the two bodies. */
static void body_column(const ff_quasi *quasi, ff_quasi_contact *contact, const change *d,
                        int column) {
  const ff_touch *touch = &contact->touch;
  const double *e = contact->cone->e, *p = contact->e.z + 1;
  double p_n = contact->p_ns + contact->e.z[0];
  ff_vec3 moment, impulse = ff_quasi_impulse(contact, &moment);
  ff_vec3 dp = v3_axpy(v3_scale(d->p_ns + d->p_nr, touch->normal), p_n, d->normal);
  dp = v3_axpy(v3_axpy(dp, e[0] * d->p[0], touch->t1), e[0] * p[0], d->t1);
  dp = v3_axpy(v3_axpy(dp, e[1] * d->p[1], second_tangent(touch)), e[1] * p[1], d->t2);
  ff_vec3 dm = v3_axpy(v3_scale(e[2] * d->p[2], touch->normal), e[2] * p[2], d->normal);
  for (int s = 0; s < 2; s++) {
    const ff_quasi_body *body = &quasi->bodies[s == 0 ? contact->e.a : contact->e.b];
    double sign = s == 0 ? -1 : 1, rows[6];
    ff_vec3 arm = v3_sub(touch->point, body->end.pose.position);
    ff_vec3 torque = v3_add(v3_cross(v3_sub(d->point, d->x[s]), impulse), v3_cross(arm, dp));
    v3_store(rows, v3_scale(sign, dp));
    v3_store(rows + 3, v3_scale(sign, v3_add(torque, dm)));
    for (int i = 0; i < 6; i++) {
      contact->e.j[6 * s + i][column] = rows[i];
    }
  }
}

static void contact_columns(const ff_quasi *quasi, ff_quasi_contact *contact) {
  projection to = project(quasi, contact);
  by_pose from[2];
  change_with_a(quasi, contact, from[0]);
  change_with_b(quasi, contact, from[0], from[1]);
  for (int side = 0; side < 2; side++) {
    if (!quasi->bodies[side == 0 ? contact->e.a : contact->e.b].solved) {
      continue;
    }
    for (int k = 0; k < FF_QUASI_BODY; k++) {
      change d = body_change(quasi, contact, side, k, from[side]);
      body_column(quasi, contact, &d, 6 * side + k);
      own_column(quasi, contact, &d, &to, 6 * side + k);
    }
  }
  for (int k = 0; k < contact->e.rows; k++) {
    change d = {.p_nr = k == 0, .p = {k == 1, k == 2, k == 3}};
    bool pulls = contact->stiff > 0 && (k == 1 || k == 2);
    d.p_ns = pulls ? contact->state.pull[k - 1] * contact->cone->e[k - 1] : 0;
    body_column(quasi, contact, &d, 12 + k);
    own_column(quasi, contact, &d, &to, 12 + k);
  }
}

/* Rows of all contacts of a pair of shapes. */
static void pair_rows(const ff_quasi *quasi, ff_quasi_contact *contacts, int count) {
  ff_quasi_look(quasi, contacts, count);
  for (int i = 0; i < count; i++) {
    contact_rows(quasi, &contacts[i]);
  }
}

/* Their derivatives, where the rows were found. */
static void pair_columns(const ff_quasi *quasi, ff_quasi_contact *contacts, int count) {
  bool busy = false;
  for (int i = 0; i < count; i++) {
    busy = busy || !contacts[i].e.idle;
  }
  if (!busy) {
    return;
  }
  find_slopes(quasi, contacts, count);
  for (int i = 0; i < count; i++) {
    if (!contacts[i].e.idle) {
      contact_columns(quasi, &contacts[i]);
    }
  }
}

static void for_members(const ff_quasi *quasi, bool derive) {
  for (int k = 0; k < quasi->member_count;) {
    if (quasi->members[k]->joint) {
      ff_quasi_joint_rows(quasi, (ff_quasi_joint *)quasi->members[k++], derive);
      continue;
    }
    ff_quasi_contact *first = (ff_quasi_contact *)quasi->members[k];
    int count = ff_quasi_alike(quasi, first);
    (derive ? pair_columns : pair_rows)(quasi, first, count);
    k += count;
  }
}

void ff_quasi_rows(const ff_quasi *quasi) {
  for_members(quasi, false);
}

void ff_quasi_columns(const ff_quasi *quasi) {
  for (int i = 0; i < quasi->node_count; i++) {
    find_turned(quasi, ff_quasi_node(quasi, quasi->solved_nodes[i]));
  }
  for_members(quasi, true);
}
