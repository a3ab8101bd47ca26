/* One island of the step as a complementarity problem.
 *
 * Rows, with everything at the end of the step:
 *   body      m (v - v_free) - sum P_world = 0,   L - L_free - sum (arm x P_world + moment) = 0
 *   core      0 <= p_nr,  delta_max - depth >= 0,  one of them zero       [Chakraborty07 eq. 13]
 *   friction  P = proj(P - rho w): the point of the ball of radius mu p_n next to P - rho w, with w
 * the slip in the ellipsoid's units. This says, without a multiplier that would be undetermined
 *             where p_n = 0, that of all friction allowed P dissipates most [Chakraborty07 eq. 4].
 * Several contacts that stick on one body ask for more than it can give: its corners would all have
 * to be without slip while it tips. So there w gets a part SOFT (P - P_before) / rho, zero as soon
 * as nothing changes; it also says which of the many ways to share a load is taken. The layer's
 * impulse is no unknown: p_ns = (h K + C) max(0, depth - relaxed), from p_ns = h K delta + C (delta
 * - delta_before) >= 0 [Chakraborty07 eq. 14], where relaxed = C delta_before / (h K + C) is the
 * deflection at which the layer stops to push.
 */
#include "step/quasi_rigid.h"

#include "math/vec.h"
#include "step/rotation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PER_BODY = 6, PER_CONTACT = 4 };
#define SOFT  1e-6 /* tangential give of contacts that share a body's load in more ways than one */
#define NUDGE 1e-6 /* of a body's size, rad: for derivatives of the closest points */

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

void ff_quasi_move(const ff_quasi *quasi, ff_quasi_body *body, ff_vec3 v, ff_vec3 l) {
  const ff_model_body *m = &quasi->model->bodies[body->id];
  ff_quat q = q_unit(ff_rotate_freely(m, body->q, l, quasi->h));
  body->end.pose = (ff_pose){v3_axpy(body->x, quasi->h, v), q};
  body->end.velocity = v;
  body->momentum = l;
  body->inv_inertia = world_inverse(m, q);
  body->end.omega = m3_mul(body->inv_inertia, l);
}

/* ---- contacts --------------------------------------------------------------------------- */

static ff_touch touch_at(const ff_quasi *quasi, const ff_quasi_contact *contact,
                         const ff_pose *body_a, const ff_pose *body_b) {
  const ff_near *near = &quasi->state->nears[contact->near];
  const ff_model_shape *a = &quasi->model->shapes[near->shape_a];
  const ff_model_shape *b = &quasi->model->shapes[near->shape_b];
  ff_pose pose_a = pose_mul(*body_a, a->pose), pose_b = pose_mul(*body_b, b->pose);
  ff_touch touches[FF_TOUCH_MAX];
  int feature = contact->point - near->first_point;
  /* With no margin every feature has its point, in order. */
  ff_geom_touch(&a->geom, &pose_a, &b->geom, &pose_b, INFINITY, touches);
  return touches[feature];
}

/* N s/m: impulse of the layer for each metre that it yields. */
static double layer_slope(const ff_quasi *quasi, const ff_quasi_contact *contact) {
  return quasi->h * contact->layer->stiffness + contact->layer->damping;
}

void ff_quasi_look(const ff_quasi *quasi, ff_quasi_contact *contact) {
  const ff_pose *a = &quasi->bodies[contact->a].end.pose, *b = &quasi->bodies[contact->b].end.pose;
  contact->touch = touch_at(quasi, contact, a, b);
  contact->p_ns = layer_slope(quasi, contact) * fmax(0, contact->touch.depth - contact->relaxed);
}

static ff_vec3 second_tangent(const ff_touch *touch) {
  return v3_cross(touch->normal, touch->t1);
}

ff_vec3 ff_quasi_slip(const ff_quasi *quasi, const ff_quasi_contact *contact, bool start,
                      double *spin) {
  const ff_quasi_body *a = &quasi->bodies[contact->a], *b = &quasi->bodies[contact->b];
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
  const double *e = contact->cone->e;
  ff_vec3 out = v3_scale(contact->p_ns + contact->p_nr, touch->normal);
  out = v3_axpy(out, e[0] * contact->p[0], touch->t1);
  out = v3_axpy(out, e[1] * contact->p[1], second_tangent(touch));
  *moment = v3_scale(e[2] * contact->p[2], touch->normal);
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
  const double *e = contact->cone->e;
  const double w[3] = {e[0] * v3_dot(contact->touch.t1, slip),
                       e[1] * v3_dot(second_tangent(&contact->touch), slip), e[2] * spin};
  projection out = {.radius = quasi->rough * contact->cone->mu *
                              (contact->p_ns + fmax(contact->p_nr, 0))};
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    double give = contact->soft * (contact->p[i] - contact->before[i]);
    out.y[i] = e[i] > 0 ? contact->p[i] - contact->weight * w[i] - give : 0;
    sum += out.y[i] * out.y[i];
  }
  out.length = sqrt(sum);
  out.slips = out.length > out.radius;
  return out;
}

/* ---- the residual --------------------------------------------------------------------------- */

/* Takes the unknowns of the island over into its bodies and contacts. */
static void take(ff_quasi *quasi, const double *z) {
  for (int i = 0; i < quasi->model->body_count; i++) {
    ff_quasi_body *body = &quasi->bodies[i];
    if (body->unknown >= 0) {
      const double *mine = z + body->unknown;
      ff_quasi_move(quasi, body, v3_load(mine), v3_load(mine + 3));
    }
  }
  for (int k = 0; k < quasi->member_count; k++) {
    ff_quasi_contact *contact = &quasi->contacts[quasi->members[k]];
    const double *mine = z + contact->unknown;
    contact->p_nr = mine[0];
    memcpy(contact->p, mine + 1, sizeof contact->p);
    ff_quasi_look(quasi, contact);
  }
}

static void add(double *to, double sign, ff_vec3 v) {
  v3_store(to, v3_axpy(v3_load(to), sign, v));
}

/* Pushes a body: -sign impulse in its rows. */
static void push(const ff_quasi_body *body, double *f, double sign, ff_vec3 point, ff_vec3 impulse,
                 ff_vec3 moment) {
  if (body->unknown >= 0) {
    ff_vec3 arm = v3_sub(point, body->end.pose.position);
    add(f + body->unknown, -sign, impulse);
    add(f + body->unknown + 3, -sign, v3_add(v3_cross(arm, impulse), moment));
  }
}

static void contact_rows(const ff_quasi *quasi, const ff_quasi_contact *contact, double *f) {
  double *mine = f + contact->unknown;
  bool core = isfinite(contact->layer->max_deflection);
  mine[0] = core ? contact->layer->max_deflection - contact->touch.depth : contact->p_nr;
  projection to = project(quasi, contact);
  double shrink = to.slips ? to.radius / to.length : 1;
  for (int i = 0; i < 3; i++) {
    mine[1 + i] = (contact->p[i] - shrink * to.y[i]) / contact->weight;
  }
}

int ff_quasi_residual(void *context, const double *z, double *f) {
  ff_quasi *quasi = context;
  take(quasi, z);
  for (int i = 0; i < quasi->model->body_count; i++) {
    const ff_quasi_body *body = &quasi->bodies[i];
    if (body->unknown >= 0) {
      double mass = quasi->model->bodies[body->id].mass;
      v3_store(f + body->unknown, v3_scale(mass, v3_sub(body->end.velocity, body->v)));
      v3_store(f + body->unknown + 3, v3_sub(body->momentum, body->l));
    }
  }
  for (int k = 0; k < quasi->member_count; k++) {
    const ff_quasi_contact *contact = &quasi->contacts[quasi->members[k]];
    ff_vec3 moment, impulse = ff_quasi_impulse(contact, &moment);
    push(&quasi->bodies[contact->a], f, 1, contact->touch.point, impulse, moment);
    push(&quasi->bodies[contact->b], f, -1, contact->touch.point, impulse, moment);
    contact_rows(quasi, contact, f);
  }
  return 0;
}

/* ---- the Jacobian ------------------------------------------------------------------------------
 */

/* By how much the end of a body is turned when its momentum is another: in a step of a radian that
 * is far from h / I. Column by column. */
static void find_turned(const ff_quasi *quasi, ff_quasi_body *body) {
  const ff_model_body *m = &quasi->model->bodies[body->id];
  double ease = fmax(m->inv_inertia.x, fmax(m->inv_inertia.y, m->inv_inertia.z));
  double step = NUDGE / (quasi->h * ease);
  for (int k = 0; k < 3; k++) {
    ff_vec3 axis = v3(k == 0, k == 1, k == 2);
    ff_quat more = ff_rotate_freely(m, body->q, v3_axpy(body->momentum, step, axis), quasi->h);
    ff_quat less = ff_rotate_freely(m, body->q, v3_axpy(body->momentum, -step, axis), quasi->h);
    ff_quat by = q_mul(more, q_conj(less));
    double scale = (by.w < 0 ? -1 : 1) / step; /* 2 sin(angle/2) over both steps */
    body->turned.m[0][k] = scale * by.x;
    body->turned.m[1][k] = scale * by.y;
    body->turned.m[2][k] = scale * by.z;
  }
}

/* How a contact changes with one unknown: rates of everything the residual is made of. */
typedef struct change {
  double depth, spin, p_ns, p_nr, p[3];
  ff_vec3 point, normal, t1, t2;
  ff_vec3 x[2]; /* of the centres of a and b */
  ff_vec3 slip;
} change;

/* Closest points when body side is shifted along, or turned about, an axis. */
static ff_touch nudged(const ff_quasi *quasi, const ff_quasi_contact *contact, int side, bool turn,
                       ff_vec3 by) {
  ff_pose a = quasi->bodies[contact->a].end.pose, b = quasi->bodies[contact->b].end.pose;
  ff_pose *pose = side == 0 ? &a : &b;
  if (turn) {
    pose->orientation = q_mul(q_exp(by), pose->orientation);
  } else {
    pose->position = v3_add(pose->position, by);
  }
  return touch_at(quasi, contact, &a, &b);
}

/* Derivatives of the closest points with respect to the pose of body side, three shifts and three
 * turns, by central differences: right to 1e-10, which Newton's method does not notice. */
static void nudge(const ff_quasi *quasi, const ff_quasi_contact *contact, int side,
                  change out[PER_BODY]) {
  const ff_quasi_body *moved = &quasi->bodies[side == 0 ? contact->a : contact->b];
  double size = quasi->model->bodies[moved->id].bound;
  for (int k = 0; k < PER_BODY; k++) {
    ff_vec3 axis = v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    double step = k < 3 ? NUDGE * size : NUDGE, scale = 0.5 / step;
    ff_touch more = nudged(quasi, contact, side, k >= 3, v3_scale(step, axis));
    ff_touch less = nudged(quasi, contact, side, k >= 3, v3_scale(-step, axis));
    ff_vec3 arm = v3_sub(contact->touch.point, moved->end.pose.position);
    ff_vec3 motion = k < 3 ? axis : v3_cross(axis, arm);
    out[k] = (change){
        /* exactly: geometry's own rule for the depth rate */
        .depth = (side == 0 ? -1 : 1) * v3_dot(contact->touch.normal, motion),
        .point = v3_scale(scale, v3_sub(more.point, less.point)),
        .normal = v3_scale(scale, v3_sub(more.normal, less.normal)),
        .t1 = v3_scale(scale, v3_sub(more.t1, less.t1)),
        .t2 = v3_scale(scale, v3_sub(second_tangent(&more), second_tangent(&less))),
    };
  }
}

static void add_change(change *to, double s, const change *from) {
  to->depth += s * from->depth;
  to->point = v3_axpy(to->point, s, from->point);
  to->normal = v3_axpy(to->normal, s, from->normal);
  to->t1 = v3_axpy(to->t1, s, from->t1);
  to->t2 = v3_axpy(to->t2, s, from->t2);
}

/* Change with unknown k of body side: it moves the body, and gives it speed. */
static change body_change(const ff_quasi *quasi, const ff_quasi_contact *contact, int side, int k,
                          const change by_pose[PER_BODY]) {
  const ff_quasi_body *pair[2] = {&quasi->bodies[contact->a], &quasi->bodies[contact->b]};
  const ff_quasi_body *body = pair[side];
  double sign = side == 0 ? 1 : -1, h = quasi->h;
  ff_vec3 axis = v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
  change out = {.depth = 0};
  ff_vec3 speed = v3(0, 0, 0), turn = v3(0, 0, 0);
  if (k < 3) {
    add_change(&out, h, &by_pose[k]);
    out.x[side] = v3_scale(h, axis);
    speed = axis;
  } else { /* w = I^-1 L, and I turns with the body */
    ff_vec3 dw = m3_mul(body->inv_inertia, axis), by = m3_mul(body->turned, axis);
    add_change(&out, by.x, &by_pose[3]);
    add_change(&out, by.y, &by_pose[4]);
    add_change(&out, by.z, &by_pose[5]);
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
  bool presses = contact->touch.depth > contact->relaxed;
  out.p_ns = presses ? layer_slope(quasi, contact) * out.depth : 0;
  return out;
}

/* Column of one change in the contact's own rows. */
static void contact_column(const ff_quasi *quasi, const ff_quasi_contact *contact, const change *d,
                           const projection *to, double *column) {
  double *mine = column + contact->unknown;
  bool core = isfinite(contact->layer->max_deflection);
  mine[0] += core ? -d->depth : d->p_nr;
  double spin;
  ff_vec3 slip = ff_quasi_slip(quasi, contact, false, &spin);
  const double *e = contact->cone->e;
  ff_vec3 t2 = second_tangent(&contact->touch);
  const double dw[3] = {e[0] * (v3_dot(d->t1, slip) + v3_dot(contact->touch.t1, d->slip)),
                        e[1] * (v3_dot(d->t2, slip) + v3_dot(t2, d->slip)), e[2] * d->spin};
  double dy[3], along = 0, shrink = to->slips ? to->radius / to->length : 1;
  for (int i = 0; i < 3; i++) {
    dy[i] = e[i] > 0 ? (1 - contact->soft) * d->p[i] - contact->weight * dw[i] : 0;
    along += to->slips ? to->y[i] / to->length * dy[i] : 0;
  }
  double swell = to->slips ? quasi->rough * contact->cone->mu * (d->p_ns + d->p_nr) : 0;
  for (int i = 0; i < 3; i++) {
    double unit = to->slips ? to->y[i] / to->length : 0;
    double projected = shrink * (dy[i] - unit * along) + swell * unit;
    mine[1 + i] += (d->p[i] - projected) / contact->weight;
  }
}

/* Column of one change in the rows of the two bodies. */
static void body_column(const ff_quasi *quasi, const ff_quasi_contact *contact, const change *d,
                        double *column) {
  const ff_touch *touch = &contact->touch;
  const double *e = contact->cone->e;
  double p_n = contact->p_ns + contact->p_nr;
  ff_vec3 moment, impulse = ff_quasi_impulse(contact, &moment);
  ff_vec3 dp = v3_axpy(v3_scale(d->p_ns + d->p_nr, touch->normal), p_n, d->normal);
  dp = v3_axpy(v3_axpy(dp, e[0] * d->p[0], touch->t1), e[0] * contact->p[0], d->t1);
  dp = v3_axpy(v3_axpy(dp, e[1] * d->p[1], second_tangent(touch)), e[1] * contact->p[1], d->t2);
  ff_vec3 dm = v3_axpy(v3_scale(e[2] * d->p[2], touch->normal), e[2] * contact->p[2], d->normal);
  for (int s = 0; s < 2; s++) {
    const ff_quasi_body *body = &quasi->bodies[s == 0 ? contact->a : contact->b];
    if (body->unknown >= 0) {
      double sign = s == 0 ? -1 : 1;
      ff_vec3 arm = v3_sub(touch->point, body->end.pose.position);
      ff_vec3 torque = v3_add(v3_cross(v3_sub(d->point, d->x[s]), impulse), v3_cross(arm, dp));
      add(column + body->unknown, sign, dp);
      add(column + body->unknown + 3, sign, v3_add(torque, dm));
    }
  }
}

static void contact_columns(const ff_quasi *quasi, const ff_quasi_contact *contact, double *j) {
  size_t n = (size_t)quasi->size;
  projection to = project(quasi, contact);
  for (int side = 0; side < 2; side++) {
    const ff_quasi_body *body = &quasi->bodies[side == 0 ? contact->a : contact->b];
    if (body->unknown < 0) {
      continue;
    }
    change by_pose[PER_BODY];
    nudge(quasi, contact, side, by_pose);
    for (int k = 0; k < PER_BODY; k++) {
      change d = body_change(quasi, contact, side, k, by_pose);
      double *column = j + (size_t)(body->unknown + k) * n;
      body_column(quasi, contact, &d, column);
      contact_column(quasi, contact, &d, &to, column);
    }
  }
  for (int k = 0; k < PER_CONTACT; k++) {
    change d = {.p_nr = k == 0, .p = {k == 1, k == 2, k == 3}};
    double *column = j + (size_t)(contact->unknown + k) * n;
    body_column(quasi, contact, &d, column);
    contact_column(quasi, contact, &d, &to, column);
  }
}

int ff_quasi_jacobian(void *context, const double *z, double *j) {
  ff_quasi *quasi = context;
  size_t n = (size_t)quasi->size;
  take(quasi, z);
  memset(j, 0, n * n * sizeof *j);
  for (int i = 0; i < quasi->model->body_count; i++) {
    ff_quasi_body *body = &quasi->bodies[i];
    if (body->unknown >= 0) {
      find_turned(quasi, body);
    }
    for (int k = 0; body->unknown >= 0 && k < PER_BODY; k++) {
      size_t at = (size_t)(body->unknown + k);
      j[at * n + at] = k < 3 ? quasi->model->bodies[body->id].mass : 1;
    }
  }
  for (int k = 0; k < quasi->member_count; k++) {
    contact_columns(quasi, &quasi->contacts[quasi->members[k]], j);
  }
  return 0;
}

/* ---- solving
 * ------------------------------------------------------------------------------------- */

/* Numbers the unknowns of the island; false: too many. */
static bool number(ff_quasi *quasi) {
  int bodies = 0;
  quasi->size = quasi->member_count = 0;
  for (int i = 0; i < quasi->model->body_count; i++) {
    ff_quasi_body *body = &quasi->bodies[i];
    bool mine = quasi->model->bodies[i].slot >= 0 && body->island == quasi->island;
    body->unknown = mine ? quasi->size : -1;
    quasi->size += mine ? PER_BODY : 0;
    bodies += mine;
  }
  for (int k = 0; k < quasi->contact_count; k++) {
    if (quasi->contacts[k].island == quasi->island) {
      quasi->members[quasi->member_count++] = k;
      quasi->contacts[k].unknown = quasi->size;
      quasi->size += PER_CONTACT;
    }
  }
  for (int k = 0; k < quasi->member_count; k++) {
    quasi->contacts[quasi->members[k]].soft = quasi->member_count > bodies ? SOFT : 0;
  }
  return quasi->size <= quasi->unknown_limit;
}

/* Where the search starts: from free flight, or from the velocities and impulses of before. */
static void start_from(const ff_quasi *quasi, bool warm, double *z) {
  for (int i = 0; i < quasi->model->body_count; i++) {
    const ff_quasi_body *body = &quasi->bodies[i];
    if (body->unknown >= 0) {
      int slot = quasi->model->bodies[i].slot;
      const double *y = ff_state_body(quasi->state, slot);
      v3_store(z + body->unknown, warm ? v3_load(y + FF_Y_V) : body->v);
      v3_store(z + body->unknown + 3, warm ? v3_load(y + FF_Y_L) : body->l);
    }
  }
  for (int k = 0; k < quasi->member_count; k++) {
    const ff_quasi_contact *contact = &quasi->contacts[quasi->members[k]];
    double *mine = z + contact->unknown;
    mine[0] = warm ? quasi->h * quasi->state->points[contact->point].force_core : 0;
    for (int i = 0; i < 3; i++) {
      mine[1 + i] = warm ? contact->before[i] : 0;
    }
  }
}

static bool solve_from(ff_quasi *quasi) {
  if (ff_ncp_solve(quasi->ncp, quasi->z).outcome != FF_NCP_SOLVED) {
    return false;
  }
  take(quasi, quasi->z);
  return true;
}

/* Without friction first, then with more and more of it, in steps as large as it goes. */
static bool solve_by_ramp(ff_quasi *quasi) {
  size_t bytes = (size_t)quasi->size * sizeof *quasi->z;
  double good = -1, stride = 0.2;
  start_from(quasi, false, quasi->z);
  memcpy(quasi->good, quasi->z, bytes);
  while (good < 1 && stride > 1e-3) {
    quasi->rough = good < 0 ? 0 : fmin(good + stride, 1);
    if (solve_from(quasi)) {
      good = quasi->rough;
      stride *= 1.5;
      memcpy(quasi->good, quasi->z, bytes);
    } else if (good < 0) {
      break;
    } else {
      stride *= 0.4;
      memcpy(quasi->z, quasi->good, bytes);
    }
  }
  quasi->rough = 1;
  return good == 1;
}

/* One way after the other. */
static bool solve_somehow(ff_quasi *quasi) {
  static const double weights[] = {1, 30, 1.0 / 30};
  quasi->rough = 1;
  for (int i = 0; i < 3; i++) {
    double factor = i == 0 ? 1 : weights[i] / weights[i - 1];
    for (int k = 0; k < quasi->member_count; k++) {
      quasi->contacts[quasi->members[k]].weight *= factor;
    }
    for (int cold = i > 0; cold < 2; cold++) {
      start_from(quasi, !cold, quasi->z);
      if (solve_from(quasi)) {
        return true;
      }
    }
    if (solve_by_ramp(quasi)) {
      return true;
    }
  }
  return false;
}

bool ff_quasi_solve(ff_quasi *quasi) {
  if (!number(quasi)) {
    return false;
  }
  for (int i = 0; i < quasi->size; i++) {
    quasi->lower[i] = -INFINITY;
  }
  for (int k = 0; k < quasi->member_count; k++) {
    quasi->lower[quasi->contacts[quasi->members[k]].unknown] = 0;
  }
  return ff_ncp_resize(quasi->ncp, quasi->size, quasi->lower, NULL) == FF_OK &&
         solve_somehow(quasi);
}
