/* Contact Jacobian: derivatives of the rows of contacts.
 *
 * A change of the pose of one body changes the depth, moves the point, and turns the contact frame
 * n, t1, t2 as a whole, by a vector psi. Everything else follows: impulse and moment turn with the
 * frame and grow with the depth; slip and spin, as seen from the frame, turn the other way.
 */

#include "math/spatial.h"
#include "step/quasi/residual.h"

#include "math/vec.h"
#include "step/quasi/bilateral_constraints.h"
#include "step/quasi/contact_geometry.h"
#include "step/quasi/layer.h"
#include "step/quasi/residual.h"

/* ---- contact frame by the pose of either body ------------------------------------------- */

/* Derivative of depth, point and frame by translations or by rotations of a body (columns). */
typedef struct frame_slope {
  ff_vec3 depth; /* a row */
  ff_mat3 point;
  bool turns; /* turn is not zero, and set */
  ff_mat3 turn;
} frame_slope;

/* By the pose of body a; t1 follows an axis of b, which is at rest. */
static void frame_slope_a(const quasi_problem *problem, const quasi_contact *contact,
                          frame_slope out[2]) {
  const ff_touch *touch = &contact->touch;
  ff_vec3 n = touch->normal, t1 = touch->t1, t2 = v3_cross(n, t1);
  ff_vec3 axis =
      q_rotate(problem->bodies[contact->e.b].end.pose.orientation, contact->tangent_axis);
  ff_vec3 arm = v3_sub(touch->point, problem->bodies[contact->e.a].end.pose.position);
  ff_vec3 about = v3_axpy(t1, v3_dot(axis, n) / v3_dot(axis, t1), n);
  bool follows = ff_quasi_depth_follows_normal(problem, contact);
  for (int g = 0; g < 2; g++) {
    const quasi_geometry_slope *slope = &contact->slope[g];
    out[g].depth = !follows ? slope->depth : g == 0 ? v3_neg(n) : v3_cross(n, arm);
    out[g].point = slope->point;
    out[g].turns = slope->normal_turns;
    if (slope->normal_turns) {
      out[g].turn = (ff_mat3){{{0}}};
      m3_outer_add(&out[g].turn, 1, t2, m3_tmul(slope->normal, t1));
      m3_outer_add(&out[g].turn, -1, about, m3_tmul(slope->normal, t2));
    }
  }
}

/* By the pose of body b: the opposite motion of a, and then one of both together. */
static void frame_slope_b(const quasi_problem *problem, const quasi_contact *contact,
                          const frame_slope from[2], frame_slope out[2]) {
  const ff_pose *a = &problem->bodies[contact->e.a].end.pose;
  const ff_pose *b = &problem->bodies[contact->e.b].end.pose;
  ff_vec3 apart = v3_sub(a->position, b->position);
  const ff_mat3 one = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, none = {{{0}}};
  ff_mat3 turn[2] = {from[0].turns ? from[0].turn : none, from[1].turns ? from[1].turn : none};
  ff_mat3 arm = m3_skew(v3_sub(b->position, contact->touch.point));
  out[0] = (frame_slope){.depth = v3_neg(from[0].depth),
                         .point = m3_sub(one, from[0].point),
                         .turns = from[0].turns,
                         .turn = m3_sub(none, turn[0])};
  out[1].depth = v3_sub(v3_cross(from[0].depth, apart), from[1].depth);
  out[1].point = m3_sub(m3_add(arm, m3_times_skew(from[0].point, apart)), from[1].point);
  out[1].turns = true;
  out[1].turn = m3_sub(m3_add(one, m3_times_skew(turn[0], apart)), turn[1]);
}

/* ---- columns of the bodies' unknowns ---------------------------------------------------- */

/* Point of linearisation of a contact. */
typedef struct contact_point_data {
  const quasi_problem *problem;
  quasi_contact *contact;
  const quasi_body *body[2];
  ff_vec3 n, t1, t2, arm[2];
  ff_vec3 impulse, moment, slip;
  ff_vec3 spins;               /* angular velocity of a relative to b */
  double unit[3];              /* of y; 0 unless it slips */
  double shrink;               /* factor of the projection */
  double swell;                /* derivative of its radius by p_n; 0 unless it slips */
  double (*j)[QUASI_ROWS_MAX]; /* the result */
} contact_point_data;

/* Three unknowns of a body: its velocity, or its momentum. */
typedef struct unknown_slope {
  bool is_velocity;
  double shift;   /* s, translation by velocity */
  ff_mat3 spin;   /* derivative of the angular velocity by momentum */
  frame_slope by; /* of the contact frame */
} unknown_slope;

/* Three columns of the friction rows, from those of y = P - rho w, by the projection. */
static void project_columns(const contact_point_data *at, const ff_vec3 y[3], ff_vec3 p_n,
                            int column) {
  double(*j)[QUASI_ROWS_MAX] = at->j + 13, scale = 1 / at->contact->friction_mass;
  ff_vec3 swell = v3_scale(at->swell, p_n);
  if (at->contact->projection.slips) {
    ff_vec3 along =
        v3_axpy(v3_axpy(v3_scale(at->unit[0], y[0]), at->unit[1], y[1]), at->unit[2], y[2]);
    swell = v3_axpy(swell, -at->shrink, along);
  }
  for (int i = 0; i < 3; i++) {
    ff_vec3 projected = v3_axpy(v3_scale(at->shrink, y[i]), at->unit[i], swell);
    v3_store(&j[i][column], v3_scale(-scale, projected));
  }
}

/* Derivative of the slip along a direction t of the frame. */
static ff_vec3 slip_slope(const contact_point_data *at, int side, const unknown_slope *m,
                          ff_vec3 t) {
  double sign = side == 0 ? 1 : -1;
  ff_vec3 row = m3_tmul(m->by.point, v3_cross(t, at->spins));
  if (m->is_velocity) {
    ff_vec3 swept = v3_cross(t, at->body[side]->end.omega);
    row = v3_axpy(row, sign, v3_axpy(t, -m->shift, swept));
  } else {
    row = v3_axpy(row, sign, m3_tmul(m->spin, v3_cross(at->arm[side], t)));
  }
  return m->by.turns ? v3_sub(row, m3_tmul(m->by.turn, v3_cross(at->slip, t))) : row;
}

/* Derivative of the layer's impulse. */
static ff_vec3 layer_slope(const contact_point_data *at, int side, const unknown_slope *m) {
  const quasi_contact *contact = at->contact;
  ff_vec3 out = v3_scale(contact->p_ns_slope, m->by.depth);
  return contact->p_ns_damping > 0
             ? v3_axpy(out, -contact->p_ns_damping, slip_slope(at, side, m, at->n))
             : out;
}

/* Columns in the contact's own rows; p_n: derivative of the layer's impulse. */
static void own_row_columns(const contact_point_data *at, int side, const unknown_slope *m,
                            ff_vec3 p_n, int column) {
  const quasi_contact *contact = at->contact;
  const quasi_layer *layer = &contact->layer_state;
  const double *e = contact->cone->e, h = at->problem->h;
  double core = quasi_has_core(contact) ? -1 / h : 0;
  v3_store(&at->j[12][column], v3_scale(core, m->by.depth));
  if (contact->e.rows == 1) {
    return;
  }
  ff_vec3 spin = m->is_velocity ? v3(0, 0, 0) : m3_tmul(m->spin, at->n);
  spin = side == 0 ? spin : v3_neg(spin);
  spin = m->by.turns ? v3_sub(spin, m3_tmul(m->by.turn, v3_cross(at->spins, at->n))) : spin;
  ff_vec3 y[3] = {slip_slope(at, side, m, at->t1), slip_slope(at, side, m, at->t2), spin};
  for (int i = 0; contact->layer->series && i < 2; i++) {
    double lean =
        layer->compliance[i][0] * layer->coupling[0] + layer->compliance[i][1] * layer->coupling[1];
    y[i] = v3_axpy(y[i], -lean / h, m->by.depth);
  }
  for (int i = 0; i < 3; i++) {
    y[i] = v3_scale(-contact->friction_mass * e[i], y[i]);
  }
  if (contact->projection.turned) {
    const double(*turn)[3] = contact->projection.turn;
    const ff_vec3 from[3] = {y[0], y[1], y[2]};
    for (int i = 0; i < 3; i++) {
      y[i] = v3_scale(turn[i][0], from[0]);
      y[i] = v3_axpy(v3_axpy(y[i], turn[i][1], from[1]), turn[i][2], from[2]);
    }
  }
  project_columns(at, y, p_n, column);
}

static void store_block(quasi_jacobian j, int row, int column, double sign, const ff_mat3 *m) {
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      j[row + i][column + k] = sign * m->m[i][k];
    }
  }
}

/* Columns in the rows of both bodies. The impulse grows with the depth and turns with the frame;
 * its torque changes with it, with the moment, and with the arm from the body's centre. */
static void body_row_columns(const contact_point_data *at, int side, const unknown_slope *m,
                             ff_vec3 p_n, int column) {
  const quasi_contact *contact = at->contact;
  ff_mat3 force = {{{0}}}, torque = m3_skew_times(v3_neg(at->impulse), m->by.point);
  m3_outer_add(&force, 1, at->n, p_n);
  if (m->by.turns) {
    force = m3_add(force, m3_skew_times(v3_neg(at->impulse), m->by.turn));
    torque = m3_add(torque, m3_skew_times(v3_neg(at->moment), m->by.turn));
  }
  for (int s = 0; s < 2; s++) {
    if (!at->body[s]->solved) {
      continue;
    }
    ff_mat3 push = force, turn = m3_add(torque, m3_skew_times(at->arm[s], force));
    if (s == side && m->is_velocity) {
      turn = m3_add(turn, m3_skew(v3_scale(m->shift, at->impulse)));
    }
    if (contact->start_share > 0) {
      ff_vec3 n = contact->touch_start.normal, arm = quasi_arm(contact, at->body[s], true);
      push = m3_scale(1 - contact->start_share, push);
      turn = m3_scale(1 - contact->start_share, turn);
      m3_outer_add(&push, contact->start_share, n, p_n);
      m3_outer_add(&turn, contact->start_share, v3_cross(arm, n), p_n);
    }
    double sign = s == 0 ? -1 : 1;
    store_block(at->j, 6 * s, column, sign, &push);
    store_block(at->j, 6 * s + 3, column, sign, &turn);
  }
}

/* Columns of a body: of its velocity (g = 0), which translates it by theta h, and of its momentum:
 * w = I^-1 L, and I turns with the body. */
static void body_columns(const contact_point_data *at, int side, const frame_slope by[2]) {
  const quasi_body *body = at->body[side];
  const ff_mat3 *rotation = &body->rotation_jacobian;
  for (int g = 0; g < 2; g++) {
    unknown_slope m;
    m.is_velocity = g == 0;
    m.shift = at->problem->theta * at->problem->h;
    m.by.turns = by[g].turns;
    if (g == 0) {
      m.by.depth = v3_scale(m.shift, by[g].depth);
      m.by.point = m3_scale(m.shift, by[g].point);
      if (by[g].turns) {
        m.by.turn = m3_scale(m.shift, by[g].turn);
      }
    } else {
      ff_mat3 held = m3_skew_times(body->l, *rotation);
      for (int i = 0; i < 3; i++) {
        held.m[i][i] += 1;
      }
      m.spin =
          m3_sub(m3_product(body->inv_inertia, held), m3_skew_times(body->end.omega, *rotation));
      m.by.depth = m3_tmul(*rotation, by[g].depth);
      m.by.point = m3_product(by[g].point, *rotation);
      if (by[g].turns) {
        m.by.turn = m3_product(by[g].turn, *rotation);
      }
    }
    ff_vec3 p_n = layer_slope(at, side, &m);
    own_row_columns(at, side, &m, p_n, 6 * side + 3 * g);
    body_row_columns(at, side, &m, p_n, 6 * side + 3 * g);
  }
}

/* ---- columns of the contact's own unknowns ---------------------------------------------- */

/* In the rows of body s, for the share that acts at the end or at the start; pulled: normal impulse
 * of a sheared layer by friction. */
static void impulse_columns(const contact_point_data *at, int s, bool start, double share,
                            const double pulled[2]) {
  const ff_touch *touch = start ? &at->contact->touch_start : &at->contact->touch;
  const double *e = at->contact->cone->e;
  ff_vec3 n = touch->normal, t2 = v3_cross(n, touch->t1);
  ff_vec3 arm = quasi_arm(at->contact, at->body[s], start);
  const ff_vec3 push[4] = {n, v3_axpy(v3_scale(e[0], touch->t1), pulled[0], n),
                           v3_axpy(v3_scale(e[1], t2), pulled[1], n), v3(0, 0, 0)};
  double sign = s == 0 ? -share : share;
  for (int k = 0; k < at->contact->e.rows; k++) {
    ff_vec3 torque = v3_cross(arm, push[k]);
    torque = k == 3 ? v3_axpy(torque, e[2], n) : torque;
    double column[6];
    v3_store(column, v3_scale(sign, push[k]));
    v3_store(column + 3, v3_scale(sign, torque));
    for (int i = 0; i < 6; i++) {
      double *to = &at->j[6 * s + i][12 + k];
      *to = (start ? *to : 0) + column[i];
    }
  }
}

/* In its own rows. */
static void own_columns(const contact_point_data *at, const double pulled[2]) {
  const quasi_contact *contact = at->contact;
  const double *e = contact->cone->e;
  double(*j)[QUASI_ROWS_MAX] = at->j + 12;
  for (int k = 0; k < contact->e.rows; k++) {
    j[0][12 + k] = k == 0 && !quasi_has_core(contact) ? 1 / contact->e.mass : 0;
  }
  if (contact->e.rows == 1) {
    return;
  }
  ff_vec3 y[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  double rest = 1 - contact->friction_compliance, scale = 1 / contact->friction_mass;
  y[0].x = e[0] > 0 ? rest : 0;
  y[1].y = e[1] > 0 ? rest : 0;
  y[2].z = e[2] > 0 ? rest : 0;
  if (contact->layer->series) {
    double s = contact->friction_mass / at->problem->h;
    const double(*compliance)[2] = contact->layer_state.compliance;
    y[0].x -= s * e[0] * e[0] * compliance[0][0];
    y[0].y -= s * e[0] * e[1] * compliance[0][1];
    y[1].x -= s * e[1] * e[0] * compliance[1][0];
    y[1].y -= s * e[1] * e[1] * compliance[1][1];
  }
  project_columns(at, y, v3(pulled[0], pulled[1], 0), 13);
  for (int i = 0; i < 3; i++) {
    j[1 + i][12] = -scale * at->swell * at->unit[i];
    j[1 + i][13 + i] += scale;
  }
}

static void contact_jacobian(const quasi_problem *problem, quasi_contact *contact,
                             quasi_jacobian j) {
  const quasi_body *a = &problem->bodies[contact->e.a], *b = &problem->bodies[contact->e.b];
  const quasi_projection *to = &contact->projection;
  ff_vec3 n = contact->touch.normal, t1 = contact->touch.t1;
  double spin;
  contact_point_data at = {.problem = problem,
                           .contact = contact,
                           .j = j,
                           .body = {a, b},
                           .n = n,
                           .t1 = t1,
                           .t2 = v3_cross(n, t1),
                           .arm = {quasi_arm(contact, a, false), quasi_arm(contact, b, false)},
                           .impulse = contact->impulse,
                           .moment = contact->moment,
                           .slip = quasi_slip(problem, contact, &spin),
                           .spins = v3_sub(a->end.omega, b->end.omega),
                           .shrink = 1};
  if (to->slips) {
    at.shrink = to->radius / to->length;
    at.swell = problem->friction_factor * contact->cone->mu;
    for (int i = 0; i < 3; i++) {
      at.unit[i] = to->y[i] / to->length;
    }
  }
  const double *e = contact->cone->e, *pull = contact->layer_state.pull;
  bool pulls = contact->p_ns_slope > 0 && contact->layer->sheared;
  const double pulled[2] = {pulls ? e[0] * pull[0] : 0, pulls ? e[1] * pull[1] : 0};
  frame_slope by[2][2];
  frame_slope_a(problem, contact, by[0]);
  if (at.body[1]->solved) {
    frame_slope_b(problem, contact, by[0], by[1]);
  }
  for (int side = 0; side < 2; side++) {
    if (at.body[side]->solved) {
      body_columns(&at, side, by[side]);
      impulse_columns(&at, side, false, 1 - contact->start_share, pulled);
      if (contact->start_share > 0) {
        impulse_columns(&at, side, true, contact->start_share, pulled);
      }
    }
  }
  own_columns(&at, pulled);
}

/* ---- all elements ----------------------------------------------------------------------- */

void ff_quasi_element_jacobians(const quasi_problem *problem, int first, int end,
                                quasi_jacobian_sink *sink, void *context) {
  quasi_jacobian j;
  for (int k = first, count; k < end; k += count) {
    quasi_element *e = problem->members[k];
    quasi_contact *contacts = quasi_contact_of(e);
    count = contacts ? quasi_pair_size(problem, contacts) : 1;
    if (!contacts) {
      ff_quasi_constraint_residual(problem, (quasi_constraint *)e, j);
      sink(context, e, j);
      continue;
    }
    bool busy = false;
    for (int i = 0; i < count; i++) {
      busy = busy || !contacts[i].e.idle;
    }
    if (busy) {
      ff_quasi_geometry_slopes(problem, contacts, count);
    }
    for (int i = 0; i < count; i++) {
      if (!contacts[i].e.idle) {
        contact_jacobian(problem, &contacts[i], j);
        sink(context, &contacts[i].e, j);
      }
    }
  }
}
