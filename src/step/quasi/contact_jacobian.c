/* Derivatives of the rows of contacts.
 *
 * A change of the pose of one body changes the depth, moves the point, and turns the contact's
 * frame n, t1, t2 as a whole, by some vector psi. Everything else follows: impulse and moment turn
 * with the frame and grow with the depth; and what is seen from the frame, slip and spin, turns
 * the other way.
 */
#include "math/spatial.h"
#include "math/vec.h"
#include "step/quasi/quasi_rigid.h"

#define NUDGE 1e-6 /* of a body's size, rad: for derivatives of geometry */
/* The same: they serve as long as nothing moved farther. Where they tell how the depth changes, and
 * where that is known and they tell only how point and normal wander. */
#define STALE      1e-5
#define WANDER_OLD 1e-3

/* ---- geometry with the pose of body a -----------------------------------------------------------
 */

static ff_vec3 axis_of(int k) {
  return v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
}

/* The rule of geometry: the depth rate is minus the normal velocity. Points 1 and 3 of a
 * cylinder's rim keep it only together; there the difference must do. */
static bool keeps_rule(const ff_quasi *quasi, const ff_quasi_contact *contact) {
  const ff_near *near = &quasi->state->nears[contact->near];
  bool rounded = contact->touch.spot.kind != FF_SPOT_NONE;
  return rounded ||
         (!contact->fixed && quasi->model->shapes[near->shape_a].geom.kind != FF_CYLINDER);
}

/* Is what was found for other poses of the two still good enough? */
static bool has_slope(const ff_quasi *quasi, const ff_quasi_contact *contact) {
  double way = 0, size = quasi->model->bodies[contact->e.a].bound;
  for (int s = 0; s < 2; s++) {
    const ff_pose *now = &quasi->bodies[s == 0 ? contact->e.a : contact->e.b].end.pose;
    way += ff_quasi_way_between(&contact->slope_at[s], now, size);
  }
  return contact->sloped && way < (keeps_rule(quasi, contact) ? WANDER_OLD : STALE) * size;
}

/* Body a of a contact, shifted along or turned about axis k. */
static ff_pose moved(const ff_quasi *quasi, const ff_quasi_contact *contact, int k, double by) {
  ff_pose pose = quasi->bodies[contact->e.a].end.pose;
  if (k < 3) {
    pose.position = v3_axpy(pose.position, by, axis_of(k));
  } else {
    pose.orientation = q_mul(q_exp(v3_scale(by, axis_of(k))), pose.orientation);
  }
  return pose;
}

/* All touches of its pair then. */
static int touches_moved(const ff_quasi *quasi, const ff_quasi_contact *contact, int k, double by,
                         ff_touch out[FF_TOUCH_MAX]) {
  ff_pose pose = moved(quasi, contact, k, by);
  return ff_quasi_touches_at(quasi, contact->near, &pose, &quasi->bodies[contact->e.b].end.pose,
                             out);
}

static void set_slope(ff_quasi_contact *contact, int k, double depth, ff_vec3 point,
                      ff_vec3 normal) {
  ff_quasi_slope *slope = &contact->slope[k / 3];
  double *depths[3] = {&slope->depth.x, &slope->depth.y, &slope->depth.z};
  *depths[k % 3] = depth;
  m3_set_column(&slope->point, k % 3, point);
  m3_set_column(&slope->normal, k % 3, normal);
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
    const ff_touch *to = ff_quasi_find_touch(quasi, &contacts[i], up, more);
    const ff_touch *from =
        both ? ff_quasi_find_touch(quasi, &contacts[i], down, less) : &contacts[i].touch;
    double by = scale / size;
    bool there = to && from && isfinite(from->depth);
    ff_vec3 none = v3(0, 0, 0);
    set_slope(&contacts[i], k, there ? by * (to->depth - from->depth) : 0,
              there ? v3_scale(by, v3_sub(to->point, from->point)) : none,
              there ? v3_scale(by, v3_sub(to->normal, from->normal)) : none);
    contacts[i].slope[k / 3].turns = true;
  }
}

/* How the normal of a contact that keeps its place changes as a turns about an axis. */
static ff_vec3 fixed_turn(const ff_quasi_contact *contact, ff_quat a, ff_quat b, ff_vec3 axis) {
  ff_vec3 n = contact->touch.normal;
  if (contact->touch.turns != FF_TURNS_WITH_BOTH) {
    return contact->touch.turns == FF_TURNS_WITH_A ? v3_cross(axis, n) : v3(0, 0, 0);
  }
  ff_vec3 u = q_rotate(a, contact->edges[0]), w = q_rotate(b, contact->edges[1]);
  ff_vec3 change = v3_scale(1 / v3_norm(v3_cross(u, w)), v3_cross(v3_cross(axis, u), w));
  return v3_axpy(change, -v3_dot(n, change), n);
}

/* The same of a contact that keeps its place on a. */
static void fixed_slopes(const ff_quasi *quasi, ff_quasi_contact *contact) {
  const ff_pose *a = &quasi->bodies[contact->e.a].end.pose;
  const ff_pose *b = &quasi->bodies[contact->e.b].end.pose;
  ff_vec3 arm = q_rotate(a->orientation, contact->on_a), n = contact->touch.normal;
  ff_vec3 off = v3_sub(v3_add(a->position, arm), pose_point(*b, contact->on_b));
  for (int k = 0; k < FF_QUASI_BODY; k++) {
    ff_vec3 axis = axis_of(k), motion = k < 3 ? axis : v3_cross(axis, arm);
    ff_vec3 turn = k < 3 ? v3(0, 0, 0) : fixed_turn(contact, a->orientation, b->orientation, axis);
    set_slope(contact, k, -v3_dot(n, motion) - v3_dot(turn, off), v3_scale(0.5, motion), turn);
    contact->slope[k / 3].turns = k >= 3;
  }
}

/* The same between parts of rounded shapes, by differences, where they are not known. */
static void spot_slopes(const ff_quasi *quasi, ff_quasi_contact *contact) {
  const ff_near *near = &quasi->state->nears[contact->near];
  double size = quasi->model->bodies[contact->e.a].bound;
  for (int k = 0; k < FF_QUASI_BODY; k++) {
    ff_touch up = contact->touch, down = contact->touch;
    const ff_pose *b = &quasi->bodies[contact->e.b].end.pose;
    double step = k < 3 ? NUDGE * size : NUDGE, scale = 0.5 / step;
    ff_pose more = moved(quasi, contact, k, step), less = moved(quasi, contact, k, -step);
    ff_near_look(quasi->model, near, &more, b, &up);
    ff_near_look(quasi->model, near, &less, b, &down);
    set_slope(contact, k, scale * (up.depth - down.depth),
              v3_scale(scale, v3_sub(up.point, down.point)),
              v3_scale(scale, v3_sub(up.normal, down.normal)));
    contact->slope[k / 3].turns = true;
  }
}

/* Of a smooth solid or a corner on a half-space: it moves with a, and wanders. False: unknown. */
static bool plane_slopes(const ff_quasi *quasi, ff_quasi_contact *contact) {
  const ff_near *near = &quasi->state->nears[contact->near];
  const ff_model_shape *a = &quasi->model->shapes[near->shape_a];
  const ff_model_shape *b = &quasi->model->shapes[near->shape_b];
  const ff_pose *at = &quasi->bodies[contact->e.a].end.pose;
  ff_quat q = q_mul(at->orientation, a->pose.orientation);
  ff_vec3 n = contact->touch.normal, arm = v3_sub(contact->touch.point, at->position);
  ff_mat3 wander;
  if (b->geom.kind != FF_HALF_SPACE || !ff_geom_wander(&a->geom, q, n, &wander)) {
    return false;
  }
  contact->slope[0].point = (ff_mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  contact->slope[1].point = m3_add(m3_skew(v3_neg(arm)), wander);
  contact->slope[0].turns = contact->slope[1].turns = false;
  return true;
}

/* Of a smooth solid on another, or between parts of rounded shapes: turned about its body's centre,
 * a shape is shifted as well. False: unknown. */
static bool known_slopes(const ff_quasi *quasi, ff_quasi_contact *contact) {
  const ff_near *near = &quasi->state->nears[contact->near];
  const ff_model_shape *a = &quasi->model->shapes[near->shape_a];
  const ff_model_shape *b = &quasi->model->shapes[near->shape_b];
  ff_pose on = quasi->bodies[contact->e.a].end.pose, at_a = pose_mul(on, a->pose);
  ff_pose at_b = pose_mul(quasi->bodies[contact->e.b].end.pose, b->pose);
  const ff_touch *touch = &contact->touch;
  ff_touch_slopes slopes;
  bool known = touch->spot.kind != FF_SPOT_NONE
                   ? ff_touch_slopes_at(&a->geom, &at_a, &b->geom, &at_b,
                                        quasi->model->bindings[near->binding].round, touch, &slopes)
                   : ff_geom_slopes(&a->geom, &at_a, &b->geom, &at_b, touch->normal, &slopes);
  if (!known) {
    return false;
  }
  ff_vec3 arm = v3_sub(at_a.position, on.position);
  contact->slope[0].point = slopes.point[0];
  contact->slope[0].normal = slopes.normal[0];
  contact->slope[1].point = m3_sub(slopes.point[1], m3_times_skew(slopes.point[0], arm));
  contact->slope[1].normal = m3_sub(slopes.normal[1], m3_times_skew(slopes.normal[0], arm));
  contact->slope[0].turns = contact->slope[1].turns = true;
  return true;
}

/* With the pose of body a. One look serves all contacts of the pair. */
void ff_quasi_pair_slopes(const ff_quasi *quasi, ff_quasi_contact *contacts, int count) {
  bool known = true;
  for (int i = 0; i < count && known; i++) {
    if (!contacts->fixed) {
      known = plane_slopes(quasi, &contacts[i]) || known_slopes(quasi, &contacts[i]);
    } else if (contacts[i].touch.spot.kind == FF_SPOT_NONE) {
      fixed_slopes(quasi, &contacts[i]);
    } else if (!known_slopes(quasi, &contacts[i])) {
      spot_slopes(quasi, &contacts[i]);
    }
  }
  if (known || has_slope(quasi, contacts)) {
    return;
  }
  for (int k = 0; k < FF_QUASI_BODY; k++) {
    find_slope(quasi, contacts, count, k);
  }
  contacts->sloped = true;
  contacts->slope_at[0] = quasi->bodies[contacts->e.a].end.pose;
  contacts->slope_at[1] = quasi->bodies[contacts->e.b].end.pose;
}

/* ---- the contact with the pose of either body ---------------------------------------------------
 */

/* With shifts or turns of a body, column by column. */
typedef struct change {
  ff_vec3 depth; /* a row */
  ff_mat3 point;
  bool turns; /* the frame does: */
  ff_mat3 turn;
} change;

/* With those of body a; t1 follows an axis of b, which is at rest. */
static void change_with_a(const ff_quasi *quasi, const ff_quasi_contact *contact, change out[2]) {
  const ff_touch *touch = &contact->touch;
  ff_vec3 n = touch->normal, t1 = touch->t1, t2 = v3_cross(n, t1);
  ff_vec3 axis = q_rotate(quasi->bodies[contact->e.b].end.pose.orientation, contact->axis);
  ff_vec3 arm = v3_sub(touch->point, quasi->bodies[contact->e.a].end.pose.position);
  ff_vec3 about = v3_axpy(t1, v3_dot(axis, n) / v3_dot(axis, t1), n);
  bool rule = keeps_rule(quasi, contact);
  for (int g = 0; g < 2; g++) {
    const ff_quasi_slope *slope = &contact->slope[g];
    out[g].depth = !rule ? slope->depth : g == 0 ? v3_neg(n) : v3_cross(n, arm);
    out[g].point = slope->point;
    out[g].turns = slope->turns;
    if (slope->turns) {
      out[g].turn = (ff_mat3){{{0}}};
      m3_outer_add(&out[g].turn, 1, t2, m3_tmul(slope->normal, t1));
      m3_outer_add(&out[g].turn, -1, about, m3_tmul(slope->normal, t2));
    }
  }
}

/* With those of body b: moving a the other way and then both together. */
static void change_with_b(const ff_quasi *quasi, const ff_quasi_contact *contact,
                          const change from[2], change out[2]) {
  const ff_pose *a = &quasi->bodies[contact->e.a].end.pose;
  const ff_pose *b = &quasi->bodies[contact->e.b].end.pose;
  ff_vec3 apart = v3_sub(a->position, b->position);
  const ff_mat3 one = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, none = {{{0}}};
  ff_mat3 turn[2] = {from[0].turns ? from[0].turn : none, from[1].turns ? from[1].turn : none};
  ff_mat3 arm = m3_skew(v3_sub(b->position, contact->touch.point));
  out[0] = (change){.depth = v3_neg(from[0].depth),
                    .point = m3_sub(one, from[0].point),
                    .turns = from[0].turns,
                    .turn = m3_sub(none, turn[0])};
  out[1].depth = v3_sub(v3_cross(from[0].depth, apart), from[1].depth);
  out[1].point = m3_sub(m3_add(arm, m3_times_skew(from[0].point, apart)), from[1].point);
  out[1].turns = true;
  out[1].turn = m3_sub(m3_add(one, m3_times_skew(turn[0], apart)), turn[1]);
}

/* ---- columns ----------------------------------------------------------------------------------
 */

/* What all columns of a contact need. */
typedef struct linear {
  const ff_quasi *quasi;
  ff_quasi_contact *contact;
  const ff_quasi_body *body[2];
  ff_vec3 n, t1, t2, arm[2];
  ff_vec3 impulse, moment, slip, spins; /* spins: angular velocity of a against b */
  bool slips;
  double unit[3], shrink, swell; /* of the projection; swell: what its radius grows by with p_n */
  const ff_quasi_projection *to;
  double (*j)[FF_QUASI_ROWS]; /* what is asked for */
} linear;

static void start_linear(const ff_quasi *quasi, ff_quasi_contact *contact, ff_quasi_matrix j,
                         linear *out) {
  const ff_quasi_projection *to = &contact->to;
  out->quasi = quasi;
  out->contact = contact;
  out->j = j;
  out->body[0] = &quasi->bodies[contact->e.a];
  out->body[1] = &quasi->bodies[contact->e.b];
  out->n = contact->touch.normal;
  out->t1 = contact->touch.t1;
  out->t2 = v3_cross(out->n, out->t1);
  out->impulse = contact->impulse;
  out->moment = contact->moment;
  out->slip = contact->slip;
  out->spins = v3_sub(out->body[0]->end.omega, out->body[1]->end.omega);
  for (int s = 0; s < 2; s++) {
    out->arm[s] = v3_sub(contact->touch.point, out->body[s]->end.pose.position);
  }
  out->to = to;
  out->slips = to->slips;
  out->shrink = to->slips ? to->radius / to->length : 1;
  out->swell = to->slips ? quasi->rough * contact->cone->mu : 0;
  for (int i = 0; i < 3; i++) {
    out->unit[i] = to->slips ? to->y[i] / to->length : 0;
  }
}

/* What three unknowns of a body do to it and to the contact. */
typedef struct motion {
  bool shifts;  /* they are its velocity, and shift it by this in a step; */
  double shift; /* else they turn it, and change its angular velocity: */
  ff_mat3 spin;
  change by;
} motion;

/* Rows of the friction's own three, from those of y = P - rho w: what the projection does. */
static void project_columns(const linear *at, const ff_vec3 y[3], ff_vec3 p_n, int column) {
  double(*j)[FF_QUASI_ROWS] = at->j + 13, scale = 1 / at->contact->weight;
  ff_vec3 swell = v3_scale(at->swell, p_n);
  if (at->slips) {
    ff_vec3 along =
        v3_axpy(v3_axpy(v3_scale(at->unit[0], y[0]), at->unit[1], y[1]), at->unit[2], y[2]);
    swell = v3_axpy(swell, -at->shrink, along);
  }
  for (int i = 0; i < 3; i++) {
    ff_vec3 projected = v3_axpy(v3_scale(at->shrink, y[i]), at->unit[i], swell);
    v3_store(&j[i][column], v3_scale(-scale, projected));
  }
}

/* Slip along a direction of the frame, as the body moves. */
static ff_vec3 slip_row(const linear *at, int side, const motion *m, ff_vec3 t) {
  double sign = side == 0 ? 1 : -1;
  ff_vec3 row = m3_tmul(m->by.point, v3_cross(t, at->spins));
  if (m->shifts) {
    ff_vec3 swept = v3_cross(t, at->body[side]->end.omega);
    row = v3_axpy(row, sign, v3_axpy(t, -m->shift, swept));
  } else {
    row = v3_axpy(row, sign, m3_tmul(m->spin, v3_cross(at->arm[side], t)));
  }
  return m->by.turns ? v3_sub(row, m3_tmul(m->by.turn, v3_cross(at->slip, t))) : row;
}

static ff_vec3 spin_row(const linear *at, int side, const motion *m) {
  ff_vec3 row = m->shifts ? v3(0, 0, 0) : m3_tmul(m->spin, at->n);
  row = side == 0 ? row : v3_neg(row);
  return m->by.turns ? v3_sub(row, m3_tmul(m->by.turn, v3_cross(at->spins, at->n))) : row;
}

static void turn_columns(const double turn[3][3], ff_vec3 y[3]) {
  const ff_vec3 from[3] = {y[0], y[1], y[2]};
  for (int i = 0; i < 3; i++) {
    y[i] = v3_scale(turn[i][0], from[0]);
    y[i] = v3_axpy(v3_axpy(y[i], turn[i][1], from[1]), turn[i][2], from[2]);
  }
}

/* In the contact's own rows. */
static void own_columns(const linear *at, int side, const motion *m, int column) {
  const ff_quasi_contact *contact = at->contact;
  const double *e = contact->cone->e, h = at->quasi->h;
  double core = ff_quasi_has_core(contact) ? -1 / h : 0;
  v3_store(&at->j[12][column], v3_scale(core, m->by.depth));
  if (contact->e.rows == 1) {
    return;
  }
  ff_vec3 y[3] = {slip_row(at, side, m, at->t1), slip_row(at, side, m, at->t2),
                  spin_row(at, side, m)};
  for (int i = 0; contact->layer->series && i < 2; i++) {
    const ff_quasi_layer *layer = &contact->state;
    double lean = layer->ease[i][0] * layer->leans[0] + layer->ease[i][1] * layer->leans[1];
    y[i] = v3_axpy(y[i], -lean / h, m->by.depth);
  }
  for (int i = 0; i < 3; i++) {
    y[i] = v3_scale(-contact->weight * e[i], y[i]);
  }
  if (at->to->turned) {
    turn_columns(at->to->turn, y);
  }
  project_columns(at, y, v3_scale(contact->stiff, m->by.depth), column);
}

static void store_block(ff_quasi_matrix j, int row, int column, double sign, const ff_mat3 *m) {
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      j[row + i][column + k] = sign * m->m[i][k];
    }
  }
}

/* In the rows of body s: this force, which changes, and its torque about the body's centre. */
static void body_columns(const linear *at, int s, int column, const ff_mat3 *force,
                         const ff_mat3 *torque) {
  double sign = s == 0 ? -1 : 1;
  store_block(at->j, 6 * s, column, sign, force);
  store_block(at->j, 6 * s + 3, column, sign * at->quasi->turns, torque);
}

/* In the rows of both bodies. The impulse grows with the depth and turns with the frame; its torque
 * changes with it, with the moment, and with where it acts as seen from the body. */
static void bodies_columns(const linear *at, int side, const motion *m, int column) {
  const ff_quasi_contact *contact = at->contact;
  ff_vec3 p_n = v3_scale(contact->stiff, m->by.depth);
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
    if (s == side && m->shifts) {
      turn = m3_add(turn, m3_skew(v3_scale(m->shift, at->impulse)));
    }
    if (contact->early > 0) {
      ff_vec3 n = contact->at_start.normal, arm = ff_quasi_arm(contact, at->body[s], true);
      push = m3_scale(1 - contact->early, push);
      turn = m3_scale(1 - contact->early, turn);
      m3_outer_add(&push, contact->early, n, p_n);
      m3_outer_add(&turn, contact->early, v3_cross(arm, n), p_n);
    }
    body_columns(at, s, column, &push, &turn);
  }
}

/* With the velocity, which shifts the body by h of it. */
static void move_by_velocity(const change *by, double h, motion *m) {
  m->by.depth = v3_scale(h, by->depth);
  m->by.point = m3_scale(h, by->point);
  if (by->turns) {
    m->by.turn = m3_scale(h, by->turn);
  }
}

/* With the momentum: w = I^-1 L, and I turns with the body. */
static void move_by_momentum(const change *by, const ff_quasi_body *body, motion *m) {
  ff_mat3 held = m3_skew_times(body->momentum, body->turned);
  for (int i = 0; i < 3; i++) {
    held.m[i][i] += 1;
  }
  m->spin =
      m3_sub(m3_product(body->inv_inertia, held), m3_skew_times(body->end.omega, body->turned));
  m->by.depth = m3_tmul(body->turned, by->depth);
  m->by.point = m3_product(by->point, body->turned);
  if (by->turns) {
    m->by.turn = m3_product(by->turn, body->turned);
  }
}

/* Columns of one body: first of its velocity, then of its momentum. */
static void side_columns(const linear *at, int side, const change by[2]) {
  const ff_quasi_body *body = at->body[side];
  for (int g = 0; g < 2; g++) {
    motion m;
    m.shifts = g == 0;
    m.shift = at->quasi->theta * at->quasi->h;
    m.by.turns = by[g].turns;
    if (g == 0) {
      move_by_velocity(&by[g], m.shift, &m);
    } else {
      move_by_momentum(&by[g], body, &m);
    }
    own_columns(at, side, &m, 6 * side + 3 * g);
    bodies_columns(at, side, &m, 6 * side + 3 * g);
  }
}

/* Columns of the contact's own unknowns in the rows of body s, as far as they act in this frame. */
static void push_columns(const linear *at, int s, bool start, double share,
                         const double pulled[2]) {
  const ff_touch *touch = start ? &at->contact->at_start : &at->contact->touch;
  const double *e = at->contact->cone->e;
  ff_vec3 n = touch->normal, t2 = v3_cross(n, touch->t1);
  ff_vec3 arm = ff_quasi_arm(at->contact, at->body[s], start);
  const ff_vec3 push[4] = {n, v3_axpy(v3_scale(e[0], touch->t1), pulled[0], n),
                           v3_axpy(v3_scale(e[1], t2), pulled[1], n), v3(0, 0, 0)};
  double sign = s == 0 ? -share : share;
  for (int k = 0; k < at->contact->e.rows; k++) {
    ff_vec3 torque = v3_cross(arm, push[k]);
    torque = k == 3 ? v3_axpy(torque, e[2], n) : torque;
    double column[6];
    v3_store(column, v3_scale(sign, push[k]));
    v3_store(column + 3, v3_scale(sign * at->quasi->turns, torque));
    for (int i = 0; i < 6; i++) {
      double *to = &at->j[6 * s + i][12 + k];
      *to = (start ? *to : 0) + column[i];
    }
  }
}

/* The same in its own rows. */
static void friction_columns(const linear *at, const double pulls[2]) {
  const ff_quasi_contact *contact = at->contact;
  const double *e = contact->cone->e;
  double(*j)[FF_QUASI_ROWS] = at->j + 12;
  for (int k = 0; k < contact->e.rows; k++) {
    j[0][12 + k] = k == 0 && !ff_quasi_has_core(contact) ? 1 / contact->e.mass : 0;
  }
  if (contact->e.rows == 1) {
    return;
  }
  ff_vec3 y[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  double keep = 1 - contact->soft, scale = 1 / contact->weight;
  const double kept[3] = {e[0] > 0 ? keep : 0, e[1] > 0 ? keep : 0, e[2] > 0 ? keep : 0};
  y[0].x = kept[0];
  y[1].y = kept[1];
  y[2].z = kept[2];
  if (contact->layer->series) {
    double s = contact->weight / at->quasi->h;
    const double(*ease)[2] = contact->state.ease;
    y[0].x -= s * e[0] * e[0] * ease[0][0];
    y[0].y -= s * e[0] * e[1] * ease[0][1];
    y[1].x -= s * e[1] * e[0] * ease[1][0];
    y[1].y -= s * e[1] * e[1] * ease[1][1];
  }
  project_columns(at, y, v3(pulls[0], pulls[1], 0), 13);
  for (int i = 0; i < 3; i++) {
    j[1 + i][12] = -scale * at->swell * at->unit[i];
    j[1 + i][13 + i] += scale;
  }
}

void ff_quasi_contact_columns(const ff_quasi *quasi, ff_quasi_contact *contact, ff_quasi_matrix j) {
  linear at;
  start_linear(quasi, contact, j, &at);
  const double *e = contact->cone->e, *pull = contact->state.pull;
  bool pulls = contact->stiff > 0 && contact->layer->sheared;
  const double pulled[2] = {pulls ? e[0] * pull[0] : 0, pulls ? e[1] * pull[1] : 0};
  change by[2][2];
  change_with_a(quasi, contact, by[0]);
  if (at.body[1]->solved) {
    change_with_b(quasi, contact, by[0], by[1]);
  }
  for (int side = 0; side < 2; side++) {
    if (at.body[side]->solved) {
      side_columns(&at, side, by[side]);
      push_columns(&at, side, false, 1 - contact->early, pulled);
      if (contact->early > 0) {
        push_columns(&at, side, true, contact->early, pulled);
      }
    }
  }
  friction_columns(&at, pulled);
}
