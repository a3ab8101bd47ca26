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
 * Order 2: bodies move with the mean of their velocities at start and end, the spring's force is
 * the one that pays for its energy, and impulses act half where the contact is at the start and
 * half where it is at the end. Where a core bears a load the step is one of order 1: its impulses
 * have no mean.
 */
#include "step/quasi_rigid.h"

#include "math/vec.h"
#include "step/rotation.h"

#include <float.h>
#include <string.h>

#define NOISE 8.0   /* units in the last place that geometry may be off by */
#define FOUND 1e-11 /* of the size: the same where nearest points are found bit by bit */

/* ---- bodies ---------------------------------------------------------------------------- */

/* turn diag(inv_inertia) turn^T */
static inline ff_mat3 world_inverse(const ff_model_body *body, ff_quat q) {
  double ease = body->inv_inertia.x;
  if (body->round) {
    return (ff_mat3){{{ease, 0, 0}, {0, ease, 0}, {0, 0, ease}}};
  }
  if (body->top >= 0) {
    ff_vec3 a = ff_body_axis(body, q), b = v3_scale(ff_body_more_along(body), a);
    double xy = b.x * a.y, xz = b.x * a.z, yz = b.y * a.z;
    ease = ff_body_across(body);
    return (ff_mat3){
        {{ease + b.x * a.x, xy, xz}, {xy, ease + b.y * a.y, yz}, {xz, yz, ease + b.z * a.z}}};
  }
  ff_mat3 r = q_matrix(q);
  ff_vec3 d = body->inv_inertia, x = v3(r.m[0][0], r.m[0][1], r.m[0][2]),
          y = v3(r.m[1][0], r.m[1][1], r.m[1][2]), z = v3(r.m[2][0], r.m[2][1], r.m[2][2]);
  ff_vec3 dx = v3_mul(d, x), dy = v3_mul(d, y), dz = v3_mul(d, z);
  double xy = v3_dot(dx, y), xz = v3_dot(dx, z), yz = v3_dot(dy, z);
  return (ff_mat3){{{v3_dot(dx, x), xy, xz}, {xy, v3_dot(dy, y), yz}, {xz, yz, v3_dot(dz, z)}}};
}

double ff_quasi_way_between(const ff_pose *from, const ff_pose *to, double radius) {
  ff_quat turn = q_mul(to->orientation, q_conj(from->orientation));
  double half_sine = v3_norm(v3(turn.x, turn.y, turn.z));
  return v3_norm(v3_sub(to->position, from->position)) + 2 * radius * half_sine;
}

static inline void place(const ff_quasi *quasi, ff_quasi_body *body, ff_vec3 v, ff_vec3 l) {
  const ff_model_body *m = &quasi->model->bodies[body->id];
  double theta = body->theta;
  ff_vec3 mean_v = v3_axpy(v3_scale(theta, v), 1 - theta, body->v0);
  ff_vec3 mean_l = v3_axpy(v3_scale(theta, l), 1 - theta, body->l0);
  bool turns = mean_l.x != 0 || mean_l.y != 0 || mean_l.z != 0;
  ff_quat q =
      turns ? q_renormalise(ff_rotate_freely(m, body->q, mean_l, quasi->h), body->q) : body->q;
  body->end.pose = (ff_pose){v3_axpy(body->x, quasi->h, mean_v), q};
  body->end.velocity = v;
  body->momentum = l;
  body->inv_inertia = world_inverse(m, q);
  body->end.omega = m3_mul(body->inv_inertia, l);
}

void ff_quasi_move(const ff_quasi *quasi, ff_quasi_body *body, ff_vec3 v, ff_vec3 l) {
  place(quasi, body, v, l);
  body->strayed = true;
}

void ff_quasi_fly(const ff_quasi *quasi, ff_quasi_body *body) {
  place(quasi, body, body->v, body->l);
  body->flown = body->end.pose;
  body->strayed = false;
}

/* It turns freely with the momentum that it moves with: the mean of both ends of that. */
void ff_quasi_on_the_way(const ff_quasi *quasi, const ff_quasi_body *body, ff_vec3 *v, ff_vec3 *w) {
  const ff_model_body *m = &quasi->model->bodies[body->id];
  double theta = body->theta;
  *v = v3_axpy(v3_scale(theta, body->end.velocity), 1 - theta, body->v0);
  *w = v3_axpy(v3_scale(theta, body->end.omega), 1 - theta, body->w0);
  if (m->slot >= 0) {
    ff_vec3 l = v3_axpy(v3_scale(theta, body->momentum), 1 - theta, body->l0);
    ff_vec3 start = q_rotate(body->q, v3_mul(m->inv_inertia, q_unrotate(body->q, l)));
    ff_vec3 end = m3_mul(body->inv_inertia, l);
    *w = v3_scale(0.5, v3_add(start, end));
  } else if (body->link) { /* joints turn it along arcs */
    ff_quat turn = q_mul(body->end.pose.orientation, q_conj(body->q));
    *v = v3_scale(1 / quasi->h, v3_sub(body->end.pose.position, body->x));
    *w = v3_scale(1 / quasi->h, q_log(turn));
  }
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

int ff_quasi_touches_at(const ff_quasi *quasi, int near, const ff_pose *body_a,
                        const ff_pose *body_b, ff_touch out[FF_TOUCH_MAX]) {
  return ff_near_touch(quasi->model, &quasi->state->nears[near], body_a, body_b, INFINITY, out);
}

const ff_touch *ff_quasi_find_touch(const ff_quasi *quasi, const ff_quasi_contact *contact,
                                    const ff_touch *touches, int count) {
  int feature = contact->point - quasi->state->nears[contact->near].first_point;
  for (int i = 0; i < count; i++) {
    if (touches[i].feature == feature) {
      return &touches[i];
    }
  }
  return NULL;
}

/* A unit axis seen in the tangent plane. On half-spaces it lies there: no root, no division. */
static ff_vec3 tangent(ff_vec3 axis, ff_vec3 normal) {
  double out = v3_dot(axis, normal);
  return fabs(out) < 1e-15 ? axis : v3_unit(v3_axpy(axis, -out, normal));
}

/* m, no point of a body is farther than this from where it was when contacts were gathered. */
static double strayed(const ff_quasi *quasi, int body) {
  const ff_quasi_body *it = &quasi->bodies[body];
  double size = quasi->model->bodies[body].bound;
  return it->strayed ? ff_quasi_way_between(&it->flown, &it->end.pose, size) : 0;
}

/* Are the contacts of a pair so far from pressing that nobody need look? */
static bool are_far(const ff_quasi *quasi, const ff_quasi_contact *contacts, int count) {
  double nearest = -INFINITY;
  for (int i = 0; i < count; i++) {
    const double *z = contacts[i].e.z;
    bool pressed = contacts[i].state.start > 0; /* order 2: until it parts */
    nearest = greater(nearest, contacts[i].flown);
    if (pressed || nearest >= 0 || z[0] != 0 || z[1] != 0 || z[2] != 0 || z[3] != 0) {
      return false;
    }
  }
  return nearest + strayed(quasi, contacts->e.a) + strayed(quasi, contacts->e.b) < 0;
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

/* Where a point of one body and a plane of the other are now, or the same parts of both. */
static void look_at_fixed(const ff_quasi *quasi, ff_quasi_contact *contact) {
  const ff_pose *a = &quasi->bodies[contact->e.a].end.pose;
  const ff_pose *b = &quasi->bodies[contact->e.b].end.pose;
  ff_touch *touch = &contact->touch;
  if (touch->spot.kind != FF_SPOT_NONE) {
    ff_near_look(quasi->model, &quasi->state->nears[contact->near], a, b, touch);
  } else {
    ff_vec3 at_a = pose_point(*a, contact->on_a), at_b = pose_point(*b, contact->on_b);
    touch->normal = fixed_normal(contact, a->orientation, b->orientation);
    touch->point = v3_scale(0.5, v3_add(at_a, at_b));
    touch->depth = -v3_dot(touch->normal, v3_sub(at_a, at_b));
  }
  touch->t1 = tangent(q_rotate(b->orientation, contact->axis), touch->normal);
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
  int found = far ? 0 : ff_quasi_touches_at(quasi, contacts->near, a, b, touches);
  for (int i = 0; i < count; i++) {
    ff_quasi_contact *contact = &contacts[i];
    const ff_touch *touch = ff_quasi_find_touch(quasi, contact, touches, found);
    if (touch) {
      contact->touch = *touch;
      contact->touch.t1 = tangent(q_rotate(b->orientation, contact->axis), touch->normal);
    } else {
      contact->touch.depth = -INFINITY;
    }
    ff_quasi_press(quasi, contact);
  }
}

/* The direction in which it slips where the step starts. */
static void find_slid(const ff_quasi *quasi, ff_quasi_contact *contact) {
  const ff_quasi_body *a = &quasi->bodies[contact->e.a], *b = &quasi->bodies[contact->e.b];
  const ff_touch *touch = &contact->at_start;
  ff_vec3 v_a = v3_add(a->v0, v3_cross(a->w0, ff_quasi_arm(contact, a, true)));
  ff_vec3 v_b = v3_add(b->v0, v3_cross(b->w0, ff_quasi_arm(contact, b, true)));
  ff_vec3 slip = v3_sub(v_a, v_b), t2 = v3_cross(touch->normal, touch->t1);
  const double *e = contact->cone->e;
  double w[3] = {e[0] * v3_dot(touch->t1, slip), e[1] * v3_dot(t2, slip),
                 e[2] * v3_dot(touch->normal, v3_sub(a->w0, b->w0))};
  double size = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
  contact->slid = size > 0 && contact->early > 0;
  for (int i = 0; contact->slid && i < 3; i++) {
    contact->slid_along[i] = w[i] / size;
  }
}

void ff_quasi_look_back(const ff_quasi *quasi, ff_quasi_contact *contact, double theta) {
  ff_vec3 t2 = v3_cross(contact->touch.normal, contact->touch.t1);
  contact->early = 0;
  contact->slid = false;
  if (theta != contact->theta || contact->layer->sheared) {
    ff_point room;
    contact->theta = theta;
    ff_quasi_layer_prepare(quasi, contact->layer, ff_quasi_known(quasi, contact, &room),
                           contact->touch.t1, t2, theta, &contact->state);
  }
  if (theta < 1) {
    ff_touch *before = &contact->at_start;
    bool there = ff_quasi_touch_before(quasi, contact, before);
    ff_quat b = quasi->bodies[contact->e.b].q;
    before->t1 = tangent(q_rotate(b, contact->axis), before->normal);
    contact->state.start = there ? before->depth : -INFINITY;
    contact->early = there && v3_dot(before->normal, contact->touch.normal) > 0.5 ? 1 - theta : 0;
    find_slid(quasi, contact);
  }
}

/* ---- friction ------------------------------------------------------------------------------ */

static double dot3(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Friction acts all through the step, so that its direction is to be that of the slip on the way:
 * between those of the start and the end, a and b. A slip that comes to rest has none at its end,
 * and friction is free to hold; one that turns round takes over its new direction bit by bit: with
 * c = max(a.b, 0) a + b and d along it, w = |w| d. With w that changes by
 * d b^T + (1 - d d^T) (1 + a a^T) (1 - b b^T) / |c|. */
static void turn_slip(const ff_quasi_contact *contact, double w[3], ff_quasi_projection *out) {
  const double *a = contact->slid_along;
  double size = sqrt(dot3(w, w)), same = dot3(a, w) / size, b[3], d[3];
  if (!(same > 0)) {
    return;
  }
  for (int i = 0; i < 3; i++) {
    b[i] = w[i] / size;
    d[i] = same * a[i] + b[i];
  }
  double c = sqrt(dot3(d, d)), turn[3][3];
  for (int i = 0; i < 3; i++) {
    d[i] /= c;
    w[i] = size * d[i];
    for (int k = 0; k < 3; k++) { /* (1 + a a^T) (1 - b b^T) */
      turn[i][k] = (i == k) - b[i] * b[k] + a[i] * (a[k] - same * b[k]);
    }
  }
  out->turned = true;
  for (int k = 0; k < 3; k++) {
    double along = d[0] * turn[0][k] + d[1] * turn[1][k] + d[2] * turn[2][k];
    for (int i = 0; i < 3; i++) {
      out->turn[i][k] = d[i] * b[k] + (turn[i][k] - along * d[i]) / c;
    }
  }
}

/* N s, of the ball that P is in. */
static double radius_of(const ff_quasi *quasi, const ff_quasi_contact *contact) {
  return quasi->rough * contact->cone->mu * (contact->p_ns + greater(contact->e.z[0], 0));
}

static void project(const ff_quasi *quasi, ff_quasi_contact *contact) {
  double spin;
  ff_vec3 slip = contact->slip = ff_quasi_slip(quasi, contact, &spin);
  const double *e = contact->cone->e, *p = contact->e.z + 1;
  double w[3] = {e[0] * v3_dot(contact->touch.t1, slip),
                 e[1] * v3_dot(ff_quasi_t2(&contact->touch), slip), e[2] * spin};
  ff_quasi_projection *to = &contact->to;
  to->radius = radius_of(quasi, contact);
  to->turned = false;
  double sum = 0, shear[2];
  if (contact->layer->series) {
    ff_quasi_shear(contact, shear);
    w[0] += e[0] * (shear[0] - contact->state.before[0]) / quasi->h;
    w[1] += e[1] * (shear[1] - contact->state.before[1]) / quasi->h;
  } else if (contact->slid) {
    turn_slip(contact, w, to);
  }
  for (int i = 0; i < 3; i++) {
    double give = contact->soft * (p[i] - contact->e.before[1 + i]);
    to->y[i] = e[i] > 0 ? p[i] - contact->weight * w[i] - give : 0;
    sum += to->y[i] * to->y[i];
  }
  to->length = sqrt(sum);
  to->slips = to->length > to->radius;
}

/* ---- the rows ------------------------------------------------------------------------------- */

bool ff_quasi_has_core(const ff_quasi_contact *contact) {
  return isfinite(contact->layer->max_deflection);
}

/* Nothing presses, and nothing is left of what did. */
static bool is_idle(const ff_quasi_contact *contact) {
  const double *z = contact->e.z;
  return contact->p_ns == 0 && z[0] == 0 && z[1] == 0 && z[2] == 0 && z[3] == 0 &&
         contact->touch.depth < contact->layer->max_deflection;
}

static void own_rows(const ff_quasi *quasi, ff_quasi_contact *contact, double *f) {
  const double *z = contact->e.z;
  double room = contact->layer->max_deflection - contact->touch.depth;
  f[0] = ff_quasi_has_core(contact) ? room / quasi->h : z[0] / contact->e.mass;
  contact->to.slips = false;
  if (contact->e.rows == 1) {
    return;
  }
  project(quasi, contact);
  const ff_quasi_projection *to = &contact->to;
  double shrink = to->slips ? to->radius / to->length : 1, scale = 1 / contact->weight;
  for (int i = 0; i < 3; i++) {
    f[1 + i] = scale * (z[1 + i] - shrink * to->y[i]);
  }
}

/* How exact geometry is, of the size. */
static double noise_of(const ff_quasi *quasi, const ff_quasi_contact *contact) {
  const ff_near *near = &quasi->state->nears[contact->near];
  ff_shape_kind a = quasi->model->shapes[near->shape_a].geom.kind;
  ff_shape_kind b = quasi->model->shapes[near->shape_b].geom.kind;
  bool found = b != FF_HALF_SPACE && (a == FF_INTERSECTION || b == FF_INTERSECTION ||
                                      a == FF_SUPERELLIPSOID || b == FF_SUPERELLIPSOID);
  return found ? FOUND : NOISE * DBL_EPSILON;
}

/* What the rows are measured by, and the rounding that geometry brings into them. Rows of friction
 * that slips compare impulses, others speeds. */
static void measure(const ff_quasi *quasi, ff_quasi_contact *contact) {
  const ff_quasi_body *pair[2] = {&quasi->bodies[contact->e.a], &quasi->bodies[contact->e.b]};
  ff_quasi_element *e = &contact->e;
  double push = v3_norm(contact->impulse), twist = v3_norm(contact->moment);
  double reach = v3_norm(contact->touch.point), arm = 0, speed = quasi->fall;
  for (int s = 0; s < 2; s++) {
    speed += v3_norm(pair[s]->v0) + v3_norm(pair[s]->end.velocity);
    if (pair[s]->solved) {
      double radius = v3_norm(v3_sub(contact->touch.point, pair[s]->end.pose.position));
      arm = greater(arm, radius);
      speed += radius * (v3_norm(pair[s]->w0) + v3_norm(pair[s]->end.omega));
    }
  }
  double noise = noise_of(quasi, contact) * (reach + arm);
  e->push = push;
  e->twist = arm * push + twist;
  e->push_noise = contact->stiff * noise;
  e->twist_noise = arm * e->push_noise;
  double size = speed, rounding = e->push_noise / e->mass;
  if (contact->to.slips) {
    size = lesser(speed, greater(push / contact->weight, 1e-3 * speed));
  }
  for (int i = 0; i < e->rows; i++) {
    e->size[i] = i > 0 ? size : speed;
    e->noise[i] = rounding + (i > 0 ? 0 : noise / quasi->h);
  }
}

/* What acts where the step starts. */
static void add_early(const ff_quasi *quasi, const ff_quasi_contact *contact, int s, double *f) {
  const ff_quasi_body *body = &quasi->bodies[s == 0 ? contact->e.a : contact->e.b];
  ff_vec3 moment, impulse = ff_quasi_impulse(contact, &contact->at_start, &moment);
  ff_vec3 torque = v3_add(v3_cross(ff_quasi_arm(contact, body, true), impulse), moment);
  double sign = s == 0 ? -contact->early : contact->early;
  v3_store(f, v3_axpy(v3_load(f), sign, impulse));
  v3_store(f + 3, v3_axpy(v3_load(f + 3), sign * quasi->turns, torque));
}

static void contact_rows(const ff_quasi *quasi, ff_quasi_contact *contact) {
  ff_quasi_element *e = &contact->e;
  e->idle = is_idle(contact);
  if (e->idle) {
    memset(e->f, 0, sizeof e->f);
    e->push = e->twist = e->push_noise = e->twist_noise = 0;
    return;
  }
  ff_vec3 impulse = ff_quasi_impulse(contact, &contact->touch, &contact->moment);
  contact->impulse = impulse;
  for (int s = 0; s < 2; s++) {
    const ff_quasi_body *body = &quasi->bodies[s == 0 ? e->a : e->b];
    if (!body->solved) {
      continue;
    }
    ff_vec3 arm = ff_quasi_arm(contact, body, false);
    double sign = (s == 0 ? -1 : 1) * (1 - contact->early);
    v3_store(e->f + 6 * s, v3_scale(sign, impulse));
    ff_vec3 torque = v3_add(v3_cross(arm, impulse), contact->moment);
    v3_store(e->f + 6 * s + 3, v3_scale(sign * quasi->turns, torque));
    if (contact->early > 0) {
      add_early(quasi, contact, s, e->f + 6 * s);
    }
  }
  own_rows(quasi, contact, e->f + 12);
  measure(quasi, contact);
}

/* ---- all of them ------------------------------------------------------------------------------
 */

/* Friction that left its cone, as steps along the tangent of it do, goes back to it. Layers whose
 * push depends on friction have no cone that one knows beforehand. */
static void hold_in_cone(const ff_quasi *quasi, ff_quasi_contact *contact) {
  double *p = contact->e.z + 1, length = sqrt(dot3(p, p)), radius = radius_of(quasi, contact);
  bool known = contact->state.pull[0] == 0 && contact->state.pull[1] == 0;
  for (int i = 0; known && length > radius && i < 3; i++) {
    p[i] *= radius / length;
  }
}

/* Rows of all contacts of a pair of shapes. */
static void pair_rows(const ff_quasi *quasi, ff_quasi_contact *contacts, int count) {
  ff_quasi_look(quasi, contacts, count);
  for (int i = 0; i < count; i++) {
    if (quasi->held_in_cones) {
      hold_in_cone(quasi, &contacts[i]);
    }
    contact_rows(quasi, &contacts[i]);
  }
}

/* Does a member go on with the pair of shapes of the one before? Who works on that works on it. */
static bool goes_on(const ff_quasi *quasi, int k) {
  const ff_quasi_element *before = quasi->members[k - 1], *here = quasi->members[k];
  return !before->joint && !here->joint &&
         ((const ff_quasi_contact *)before)->near == ((const ff_quasi_contact *)here)->near;
}

void ff_quasi_whole_pairs(const ff_quasi *quasi, int *first, int *end) {
  while (*first > 0 && *first < *end && goes_on(quasi, *first)) {
    ++*first;
  }
  while (*first < *end && *end < quasi->member_count && goes_on(quasi, *end)) {
    ++*end;
  }
}

void ff_quasi_rows(ff_quasi *quasi, int first, int end) {
  for (int k = first, count; k < end; k += count) {
    ff_quasi_element *e = quasi->members[k];
    count = e->joint ? 1 : ff_quasi_alike(quasi, (ff_quasi_contact *)e);
    if (e->joint) {
      ff_quasi_joint_rows(quasi, (ff_quasi_joint *)e, NULL);
    } else {
      pair_rows(quasi, (ff_quasi_contact *)e, count);
    }
  }
}

/* Derivatives of all contacts of a pair of shapes. */
static void pair_columns(const ff_quasi *quasi, ff_quasi_contact *contacts, int count,
                         ff_quasi_take *take, void *context) {
  bool busy = false;
  ff_quasi_matrix j;
  for (int i = 0; i < count; i++) {
    busy = busy || !contacts[i].e.idle;
  }
  if (busy) {
    ff_quasi_pair_slopes(quasi, contacts, count);
  }
  for (int i = 0; i < count; i++) {
    if (!contacts[i].e.idle) {
      ff_quasi_contact_columns(quasi, &contacts[i], j);
      take(context, &contacts[i].e, j);
    }
  }
}

void ff_quasi_columns(ff_quasi *quasi, int first, int end, ff_quasi_take *take, void *context) {
  ff_quasi_matrix j;
  for (int k = first, count; k < end; k += count) {
    ff_quasi_element *e = quasi->members[k];
    count = e->joint ? 1 : ff_quasi_alike(quasi, (ff_quasi_contact *)e);
    if (e->joint) {
      ff_quasi_joint_rows(quasi, (ff_quasi_joint *)e, j);
      take(context, e, j);
    } else {
      pair_columns(quasi, (ff_quasi_contact *)e, count, take, context);
    }
  }
}

static void find_turns(ff_quasi *quasi, int first, int end) {
  for (int i = first; i < end; i++) {
    ff_quasi_body *body = ff_quasi_node(quasi, quasi->solved_nodes[i]);
    if (body) {
      find_turned(quasi, body);
    }
  }
}

void ff_quasi_turns(ff_quasi *quasi) {
  ff_quasi_share(quasi, find_turns, quasi->node_count);
}

/* Else the next step passes over rest again, if it should rest, for ever. */
bool ff_quasi_rest_first(ff_quasi_element *e) {
  if (e->joint || e->rows == 1) {
    return false;
  }
  ff_quasi_contact *contact = (ff_quasi_contact *)e;
  const double *y = contact->to.y, *p = e->z + 1;
  if (!contact->to.slips || dot3(y, p) >= 0) {
    return false;
  }
  contact->to.slips = false;
  for (int i = 0; i < 3; i++) {
    e->own[1 + i] = (p[i] - y[i]) / contact->weight;
  }
  return true;
}
