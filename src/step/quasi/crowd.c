#include "step/quasi/crowd.h"

#include "math/vec.h"
#include "step/quasi/contact_geometry.h"
#include "step/quasi/impacts.h"
#include "step/quasi/layer.h"
#include "step/quasi/residual.h"
#include "step/quasi/step.h"

#include <string.h>

enum {
  SWEEPS = 200,      /* most */
  NORMAL_STEPS = 20, /* of Newton's method for a layer that is not linear */
  CONE_STEPS = 8     /* the same for friction at the limit of its cone */
};
/* h rate, up to which a layer presses with its mean force over the step: its energy is kept. Others
 * have no impacts to follow, and press with the force of the end. The rate holds the damping, so
 * this is an oscillation of 2 to 3 rad in a step, critically damped. */
#define RESOLVED   10.0
#define EXACT      0.1   /* of the accuracy: a single normal impulse */
#define CONE_EXACT 1e-9  /* of the radius: a single friction impulse */
#define ROUNDING   1e-12 /* of the trace of a Delassus block */

ff_status ff_quasi_create_crowd(quasi_crowd *crowd, ff_arena *arena, const ff_model *model,
                                int contact_capacity) {
  size_t contacts = (size_t)contact_capacity, bodies = (size_t)model->free_count + 1;
  *crowd = (quasi_crowd){0};
  crowd->contacts = ff_arena_take(arena, contacts, sizeof *crowd->contacts);
  crowd->bodies.at = ff_arena_take(arena, bodies, sizeof *crowd->bodies.at);
  crowd->bodies.inertia = ff_arena_take(arena, bodies, sizeof *crowd->bodies.inertia);
  crowd->chunks = ff_arena_take(arena, ff_crowd_chunks(contact_capacity), sizeof *crowd->chunks);
  bool room = crowd->contacts && crowd->bodies.at && crowd->bodies.inertia && crowd->chunks;
  return room ? ff_crowd_order_make(&crowd->order, arena, contact_capacity, model->free_count, 1)
              : FF_ERROR_MEMORY;
}

void ff_quasi_order_crowds(quasi_step *step) {
  const quasi_problem *problem = &step->problem;
  ff_crowd_order *order = &step->crowd.order;
  order->count = 0;
  for (int k = 0; k < problem->contact_count; k++) {
    const quasi_contact *contact = &problem->contacts[k];
    if (contact->in_crowd) {
      order->links[order->count++] = (ff_crowd_link){.point = k,
                                                     .a = problem->bodies[contact->e.a].node,
                                                     .b = problem->bodies[contact->e.b].node};
    }
  }
  ff_crowd_sort(order);
}

/* ---- geometry of the middle -------------------------------------------------------------- */

/* Where a body is in the middle of the step by its velocity at the start: about this place
 * angular momentum is conserved (quasi_pivot, order 2). */
static void place_in_middle(const quasi_problem *problem, quasi_body *body) {
  if (problem->model->bodies[body->id].kind == FF_BODY_FIXED) {
    body->middle = body->end.pose;
    return;
  }
  const ff_pose *end = body->node >= 0 ? &body->free_end : &body->end.pose;
  ff_quat p = body->start.pose.orientation, q = end->orientation;
  body->middle.position =
      v3_axpy(body->start.pose.position, 0.5 * problem->h, body->start.velocity);
  if (body->node < 0) {
    body->middle.position = v3_scale(0.5, v3_add(body->start.pose.position, end->position));
  }
  body->middle.orientation = q_unit((ff_quat){p.w + q.w, p.x + q.x, p.y + q.y, p.z + q.z});
}

void ff_quasi_place_crowd(quasi_problem *problem, int island) {
  for (int k = problem->first_element[island]; k < problem->first_element[island + 1]; k++) {
    const quasi_element *e = problem->elements[k];
    place_in_middle(problem, &problem->bodies[e->a]);
    place_in_middle(problem, &problem->bodies[e->b]);
  }
}

/* m, depth at the start: that of the state, unless the contact is new there. */
static double crowd_start_depth(const quasi_problem *problem, const quasi_contact *contact) {
  const ff_point *point =
      contact->inherits >= 0 ? &problem->state->points[contact->inherits] : NULL;
  if (point && point->touching && ff_feature_pair_equal(point->id, contact->touch.id)) {
    return point->patch.depth;
  }
  ff_touch start;
  return ff_quasi_touch_at_start(problem, contact, &start) ? start.depth : -INFINITY;
}

void ff_quasi_begin_crowd_contact(const quasi_problem *problem, quasi_contact *contact,
                                  double theta) {
  const quasi_body *a = &problem->bodies[contact->e.a], *b = &problem->bodies[contact->e.b];
  ff_touch *early = &contact->touch_start;
  quasi_layer *layer = &contact->layer_state;
  contact->in_middle = true;
  contact->at_start = ff_quasi_touch_at(problem, contact, &a->middle, &b->middle, early);
  early->t1 = ff_quasi_tangent(contact, b->middle.orientation, early->normal);
  contact->rate = ff_quasi_contact_rate(problem, contact);
  contact->resolved = theta < 1 && problem->h * contact->rate <= RESOLVED;
  double layer_theta = contact->resolved ? theta : 1;
  if (layer_theta != contact->layer_theta) {
    ff_layer_point fresh;
    const ff_layer_point *before = ff_quasi_inherited_layer(problem, contact, &fresh);
    contact->layer_theta = layer_theta;
    ff_quasi_layer_begin(problem, contact->layer, before, early->t1,
                         v3_cross(early->normal, early->t1), layer_theta, layer);
  }
  layer->depth_start = crowd_start_depth(problem, contact);
  contact->start_share = 1;
  contact->slid_at_start = false;
  contact->friction_mass = contact->e.mass;
  contact->damping = 0;
  if (theta < 1 && !contact->resolved && layer->depth_start > 0 &&
      layer->depth_start >= (1 - 1e-9) * layer->deflection_start) {
    contact->damping = 0.5 * problem->h * layer->slope[0];
  }
}

/* ---- loading --------------------------------------------------------------------------------- */

/* Velocity of a against b in the frame of a contact; start: at the start of the step, else at the
 * end without contacts. */
static void frame_velocity(const quasi_problem *problem, const quasi_contact *contact,
                           const ff_crowd_frame *frame, bool start, double out[4]) {
  const quasi_body *a = &problem->bodies[contact->e.a], *b = &problem->bodies[contact->e.b];
  ff_vec3 turn_a = start ? a->start.omega : a->end.omega,
          turn_b = start ? b->start.omega : b->end.omega;
  ff_vec3 v_a = v3_add(start ? a->start.velocity : a->end.velocity, v3_cross(turn_a, frame->arm_a));
  ff_vec3 v_b = v3_add(start ? b->start.velocity : b->end.velocity, v3_cross(turn_b, frame->arm_b));
  ff_vec3 v = v3_sub(v_a, v_b);
  for (int i = 0; i < 3; i++) {
    out[i] = v3_dot(frame->axes[i], v);
  }
  out[3] = v3_dot(frame->axes[0], v3_sub(turn_a, turn_b));
}

/* Delassus block of friction in units of its ellipsoid. */
static void load_friction_block(const quasi_crowd *crowd, quasi_crowd_contact *c) {
  const ff_crowd_frame *f = &c->frame;
  ff_vec3 n = f->axes[0];
  ff_vec3 a = ff_crowd_turn(&crowd->bodies, f->a, n), b = ff_crowd_turn(&crowd->bodies, f->b, n);
  ff_vec3 way = v3_sub(v3_cross(a, f->arm_a), v3_cross(v3_neg(b), f->arm_b));
  const double *e = c->e;
  for (int i = 0; i < 3; i++) {
    c->turned[i] = v3_dot(f->axes[i], way);
  }
  double spin = v3_dot(n, v3_add(a, b));
  const double block[6] = {e[0] * e[0] * c->w[3],      e[0] * e[1] * c->w[4],
                           e[1] * e[1] * c->w[5],      e[0] * e[2] * c->turned[1],
                           e[1] * e[2] * c->turned[2], e[2] * e[2] * spin};
  static const int of[6] = {0, -1, 1, -1, -1, 2};
  for (int i = 0; i < 6; i++) {
    c->block[i] = block[i];
    if (of[i] >= 0) { /* what has no part in friction stays 0 */
      c->block[i] = e[of[i]] > 0 ? block[i] + c->resist : 1;
    }
  }
}

/* Round bodies: what is not on the diagonal is rounding. */
static void find_diagonal_block(quasi_crowd_contact *c) {
  double *b = c->block;
  double most = ROUNDING * (b[0] + b[2] + b[5]);
  c->diagonal = fabs(b[1]) <= most && fabs(b[3]) <= most && fabs(b[4]) <= most;
  if (c->diagonal) {
    b[1] = b[3] = b[4] = 0;
  }
}

/* Impulses of the step before along the frame of the middle. */
static void warm_start_crowd(const quasi_problem *problem, quasi_crowd_contact *c) {
  const quasi_contact *contact = c->of;
  memcpy(c->p + 1, contact->e.z_before + 1, 3 * sizeof *c->p);
  c->p[0] = 0;
  if (contact->inherits >= 0) {
    c->p[0] = problem->h * problem->state->points[contact->inherits].force_n;
  }
  for (int i = 0; i < 3; i++) {
    c->p[1 + i] = c->mu > 0 && c->e[i] > 0 ? c->p[1 + i] : 0;
  }
}

static void load_crowd_contact(quasi_crowd *crowd, const quasi_problem *problem, int index) {
  const ff_crowd_link *link = &crowd->order.links[crowd->order.order[index]];
  quasi_contact *contact = &problem->contacts[link->point];
  const ff_touch *touch = &contact->touch_start;
  quasi_crowd_contact *c = &crowd->contacts[index];
  const quasi_layer *layer = &contact->layer_state;
  double start[4];
  *c = (quasi_crowd_contact){.of = contact};
  c->frame.a = link->a >= 0 ? link->a : problem->model->free_count;
  c->frame.b = link->b >= 0 ? link->b : problem->model->free_count;
  c->frame.axes[0] = touch->normal;
  c->frame.axes[1] = touch->t1;
  c->frame.axes[2] = v3_cross(touch->normal, touch->t1);
  c->frame.arm_a = quasi_arm(contact, &problem->bodies[contact->e.a], true);
  c->frame.arm_b = quasi_arm(contact, &problem->bodies[contact->e.b], true);
  c->mu = contact->e.rows > 1 ? contact->cone->mu : 0;
  memcpy(c->e, contact->cone->e, sizeof c->e);
  memcpy(c->before, contact->e.z_before + 1, sizeof c->before);
  c->resist = contact->friction_compliance / contact->friction_mass;
  ff_crowd_load_block(&crowd->bodies, &c->frame, c->w);
  load_friction_block(crowd, c);
  find_diagonal_block(c);
  frame_velocity(problem, contact, &c->frame, true, start);
  frame_velocity(problem, contact, &c->frame, false, c->free);
  c->depth = layer->depth_start - (problem->h - crowd->way) * start[0] - crowd->way * c->free[0];
  c->linear = contact->layer->stiffness_b == 0 && !contact->resolved;
  c->slope = layer->slope[0];
  c->relaxed = layer->relaxed;
  c->damping = contact->damping;
  c->core = quasi_has_core(contact) ? contact->core_depth : INFINITY;
  c->left[0] = INFINITY;
  warm_start_crowd(problem, c);
}

/* ---- one contact ----------------------------------------------------------------------------- */

static void crowd_velocity(const quasi_crowd *crowd, const quasi_crowd_contact *c, double v[4]) {
  const ff_crowd_frame *f = &c->frame;
  const ff_crowd_body *a = &crowd->bodies.at[f->a], *b = &crowd->bodies.at[f->b];
  ff_vec3 way =
      v3_add(v3_sub(a->dv, b->dv), v3_sub(v3_cross(a->dw, f->arm_a), v3_cross(b->dw, f->arm_b)));
  v[0] = c->free[0] + v3_dot(f->axes[0], way);
  v[1] = c->free[1] + v3_dot(f->axes[1], way);
  v[2] = c->free[2] + v3_dot(f->axes[2], way);
  v[3] = c->free[3] + v3_dot(f->axes[0], v3_sub(a->dw, b->dw));
}

/* Applies a change of the impulses. */
static void hit_crowd(quasi_crowd *crowd, const quasi_crowd_contact *c, const double change[4]) {
  const double p[3] = {change[0], c->e[0] * change[1], c->e[1] * change[2]};
  ff_crowd_hit(&crowd->bodies, &c->frame, p);
  if (change[3] != 0) {
    ff_vec3 moment = v3_scale(c->e[2] * change[3], c->frame.axes[0]);
    ff_crowd_body *a = &crowd->bodies.at[c->frame.a], *b = &crowd->bodies.at[c->frame.b];
    if (a->inv_mass > 0) {
      a->dw = v3_add(a->dw, ff_crowd_turn(&crowd->bodies, c->frame.a, moment));
    }
    if (b->inv_mass > 0) {
      b->dw = v3_sub(b->dw, ff_crowd_turn(&crowd->bodies, c->frame.b, moment));
    }
  }
}

/* N s, impulse of a layer that is not linear in its depth: the root of its law less itself, which
 * falls, by Newton's method within a bracket. */
static double bracket_layer_impulse(const quasi_crowd *crowd, const quasi_problem *problem,
                                    const quasi_crowd_contact *c, double depth, double v) {
  double low = 0, high = INFINITY, x = c->p[0];
  for (int k = 0; k < NORMAL_STEPS; k++) {
    double slope, more = c->w[0] * (x - c->p[0]);
    double law = ff_quasi_layer_impulse(problem, c->of, depth - crowd->way * more, &slope);
    law = greater(law - c->damping * (v + more), 0);
    double gap = law - x, steep = law > 0 ? c->w[0] * (slope * crowd->way + c->damping) : 0;
    double next = x + gap / (1 + steep);
    low = gap > 0 ? x : low;
    high = gap > 0 ? high : x;
    if (fabs(gap) <= EXACT * crowd->settled * fabs(x)) {
      return greater(next, 0);
    }
    bool inside = next >= low && next <= high;
    x = inside ? next : isfinite(high) ? 0.5 * (low + high) : 2 * low;
  }
  return x;
}

/* N s, normal impulse at the normal velocity v under the present one: of the layer, or so that the
 * core is not entered. */
static double solve_crowd_normal(const quasi_crowd *crowd, const quasi_problem *problem,
                                 quasi_crowd_contact *c, double v) {
  double depth = c->depth - crowd->way * (v - c->free[0]), p = c->p[0];
  if (c->linear) {
    double gap = c->slope * (depth - c->relaxed) - c->damping * v - p;
    p += gap / (1 + c->w[0] * (c->slope * crowd->way + c->damping));
    p = greater(p, 0);
  } else {
    p = bracket_layer_impulse(crowd, problem, c, depth, v);
  }
  double entered = depth - crowd->way * c->w[0] * (p - c->p[0]) - c->core;
  c->on_core = entered > 0;
  return entered > 0 ? p + entered / (crowd->way * c->w[0]) : p;
}

/* Inverse of a symmetric 3 x 3 matrix plus lambda, both as 11 12 22 13 23 33. */
static void invert_shifted(const quasi_crowd_contact *c, double lambda, double out[6]) {
  const double a[6] = {c->block[0] + lambda, c->block[1], c->block[2] + lambda,
                       c->block[3],          c->block[4], c->block[5] + lambda};
  if (c->diagonal) {
    out[0] = 1 / a[0];
    out[2] = 1 / a[2];
    out[5] = 1 / a[5];
    out[1] = out[3] = out[4] = 0;
    return;
  }
  double c00 = a[2] * a[5] - a[4] * a[4], c01 = a[3] * a[4] - a[1] * a[5];
  double c02 = a[1] * a[4] - a[3] * a[2];
  double scale = 1 / (a[0] * c00 + a[1] * c01 + a[3] * c02);
  out[0] = scale * c00;
  out[1] = scale * c01;
  out[2] = scale * (a[0] * a[5] - a[3] * a[3]);
  out[3] = scale * c02;
  out[4] = scale * (a[1] * a[3] - a[0] * a[4]);
  out[5] = scale * (a[0] * a[2] - a[1] * a[1]);
}

static void symmetric_times(const double a[6], const double x[3], double out[3]) {
  out[0] = a[0] * x[0] + a[1] * x[1] + a[3] * x[2];
  out[1] = a[1] * x[0] + a[2] * x[1] + a[4] * x[2];
  out[2] = a[3] * x[0] + a[4] * x[1] + a[5] * x[2];
}

/* Friction within the ball of this radius (N s) that dissipates the maximum: minimises
 * q.A q / 2 + b.q, so that the slip A q + b is -lambda q with lambda >= 0, and 0 inside. lambda by
 * Newton's method for 1/|q| = 1/radius, which is nearly linear in it [More83]. */
static void solve_crowd_friction(quasi_crowd_contact *c, const double b[3], double radius,
                                 double q[3]) {
  double inverse[6], minus[3] = {-b[0], -b[1], -b[2]}, turned[3];
  double lambda = c->slides ? c->lambda : 0;
  c->slides = c->mu > 0 && !(radius > 0);
  if (!(radius > 0)) {
    q[0] = q[1] = q[2] = c->lambda = 0;
    return;
  }
  for (int k = 0; k < CONE_STEPS; k++) {
    invert_shifted(c, lambda, inverse);
    symmetric_times(inverse, minus, q);
    double size2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2], size = sqrt(size2);
    if (lambda == 0 && size <= radius) {
      c->lambda = 0;
      return;
    }
    if (fabs(size - radius) <= CONE_EXACT * radius) {
      break;
    }
    symmetric_times(inverse, q, turned);
    double bend = q[0] * turned[0] + q[1] * turned[1] + q[2] * turned[2];
    lambda = greater(lambda + (size - radius) / radius * size2 / bend, 0);
  }
  double size = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]), scale = radius / size;
  for (int i = 0; i < 3 && size > radius; i++) {
    q[i] *= scale;
  }
  c->slides = lambda > 0;
  c->lambda = lambda;
}

/* Would the impulse change by less than `still` (N s) if the contact were solved again? */
static bool crowd_is_settled(const quasi_crowd_contact *c, const double v[4], double still) {
  return fabs(v[0] - c->left[0]) <= still * c->w[0] && fabs(v[1] - c->left[1]) <= still * c->w[3] &&
         fabs(v[2] - c->left[2]) <= still * c->w[5] &&
         c->e[2] * fabs(v[3] - c->left[3]) <= still * c->block[5];
}

/* Solves one contact for its own impulse while the others stay. Returns how much it changed. */
static double solve_crowd_contact(quasi_crowd *crowd, const quasi_problem *problem,
                                  quasi_crowd_contact *c, double still) {
  double v[4], change[4] = {0};
  crowd_velocity(crowd, c, v);
  if (crowd_is_settled(c, v, still)) {
    return 0;
  }
  change[0] = solve_crowd_normal(crowd, problem, c, v[0]) - c->p[0];
  c->p[0] += change[0];
  if (c->mu > 0) {
    double b[3], q[3];
    symmetric_times(c->block, c->p + 1, b);
    for (int i = 0; i < 3; i++) { /* slip with the new normal impulse, without own friction */
      double along = i < 2 ? c->w[1 + i] : c->turned[0];
      double slip = c->e[i] * (v[1 + i] + along * change[0]);
      b[i] = c->e[i] > 0 ? slip + c->resist * (c->p[1 + i] - c->before[i]) - b[i] : 0;
    }
    solve_crowd_friction(c, b, c->mu * c->p[0], q);
    for (int i = 0; i < 3; i++) {
      change[1 + i] = q[i] - c->p[1 + i];
      c->p[1 + i] = q[i];
    }
  }
  hit_crowd(crowd, c, change);
  crowd_velocity(crowd, c, c->left);
  double most = 0;
  for (int i = 0; i < 4; i++) {
    most = greater(most, fabs(change[i]));
  }
  return most;
}

/* ---- an island ------------------------------------------------------------------------------- */

static ff_crowd_change solve_crowd_contacts(void *context, int first, int end, double still) {
  quasi_step *step = context;
  ff_crowd_change out = {0};
  for (int i = first; i < end; i++) {
    quasi_crowd_contact *c = &step->crowd.contacts[i];
    double change = solve_crowd_contact(&step->crowd, &step->problem, c, still);
    out.change = greater(out.change, change);
    out.strict = out.strict || c->on_core; /* cores do not yield to errors of other forces */
    out.most = greater(out.most, c->p[0]); /* friction is less, for mu < 1 */
  }
  return out;
}

static void load_crowd_contacts(void *context, int first, int end) {
  quasi_step *step = context;
  int at = step->crowd_island->first;
  for (int i = at + first; i < at + end; i++) {
    load_crowd_contact(&step->crowd, &step->problem, i);
  }
}

/* The solution of a contact: its impulses, and what they do to its bodies. */
static void store_crowd_contact(const quasi_crowd *crowd, const quasi_problem *problem,
                                const quasi_crowd_contact *c) {
  quasi_contact *contact = c->of;
  double v[4], slope, *z = contact->e.z;
  crowd_velocity(crowd, c, v);
  double depth = c->depth - crowd->way * (v[0] - c->free[0]);
  contact->p_ns = c->p[0];
  if (c->on_core) { /* what the layer does not bear */
    double layer = ff_quasi_layer_impulse(problem, contact, lesser(depth, c->core), &slope);
    contact->p_ns = lesser(greater(layer - c->damping * v[0], 0), c->p[0]);
  }
  z[0] = c->p[0] - contact->p_ns;
  memcpy(z + 1, c->p + 1, 3 * sizeof *z);
  contact->projection.slips = c->slides;
  contact->e.idle = c->p[0] == 0;
}

/* Momenta of the ends of the bodies, contact by contact in the order of the list: what the sweeps
 * added up differs by rounding. */
static void add_crowd_impulses(quasi_step *step) {
  quasi_problem *problem = &step->problem;
  for (int i = 0; i < problem->node_count; i++) {
    quasi_body *body = quasi_node_body(problem, problem->solved_nodes[i]);
    body->end.velocity = body->v_free;
    body->l = body->l_free;
  }
  for (int k = 0; k < problem->member_count; k++) {
    quasi_contact *contact = quasi_contact_of(problem->members[k]);
    ff_vec3 moment, impulse = quasi_impulse(contact, &contact->touch_start, &moment);
    for (int s = 0; s < 2 && !contact->e.idle; s++) {
      quasi_body *body = &problem->bodies[s == 0 ? contact->e.a : contact->e.b];
      if (body->node >= 0) {
        double sign = s == 0 ? 1 : -1;
        ff_vec3 turn = v3_add(v3_cross(quasi_arm(contact, body, true), impulse), moment);
        double inverse = problem->model->bodies[body->id].inv_mass;
        body->end.velocity = v3_axpy(body->end.velocity, sign * inverse, impulse);
        body->l = v3_axpy(body->l, sign, turn);
      }
    }
  }
}

static void move_crowd_bodies(void *context, int first, int end) {
  quasi_step *step = context;
  const quasi_problem *problem = &step->problem;
  for (int i = first; i < end; i++) {
    quasi_body *body = quasi_node_body(problem, problem->solved_nodes[i]);
    ff_quasi_move_body(problem, body, body->end.velocity, body->l);
  }
}

/* Geometry at the end; the impulses stay those that act. */
static void evaluate_crowd_ends(void *context, int first, int end) {
  quasi_step *step = context;
  const quasi_problem *problem = &step->problem;
  ff_quasi_whole_pairs(problem, &first, &end);
  for (int k = first, count; k < end; k += count) {
    quasi_contact *contacts = quasi_contact_of(problem->members[k]);
    double acting[FF_TOUCH_MAX];
    count = quasi_pair_size(problem, contacts);
    for (int i = 0; i < count; i++) {
      acting[i] = contacts[i].p_ns;
      contacts[i].depth_free = acting[i] > 0 ? INFINITY : contacts[i].depth_free; /* not skipped */
    }
    ff_quasi_evaluate_contacts(problem, contacts, count);
    for (int i = 0; i < count; i++) {
      contacts[i].p_ns = acting[i];
    }
  }
}

/* N s, how far the impulse of a contact is from its laws, by where its bodies were and how they
 * move now: what the layer would take up alone, unless a core bears a part; of friction what the
 * projection of an impulse that would stop the slip onto the cone differs by. */
static double crowd_law_residual(const quasi_crowd *crowd, const quasi_problem *problem,
                                 const quasi_crowd_contact *c) {
  const quasi_contact *contact = c->of;
  const quasi_layer *layer = &contact->layer_state;
  double start[4], end[4], slope, radius = c->mu * c->p[0], y[3], size = 0;
  frame_velocity(problem, contact, &c->frame, true, start);
  frame_velocity(problem, contact, &c->frame, false, end);
  double depth = layer->depth_start - (problem->h - crowd->way) * start[0] - crowd->way * end[0];
  double law = ff_quasi_layer_impulse(problem, contact, depth, &slope) - c->damping * end[0];
  double steep = slope * crowd->way + c->damping;
  double most = fabs(greater(law, 0) - contact->p_ns) / (1 + steep * c->w[0]);
  most = contact->e.z[0] > 0 ? 0 : most;
  if (!(radius > 0)) {
    return most;
  }
  double stop = 1 / greater(c->block[0], c->block[2]); /* kg: one for all components */
  for (int i = 0; i < 3; i++) {
    y[i] = c->p[1 + i] - stop * c->e[i] * end[1 + i];
    size += y[i] * y[i];
  }
  double scale = size > radius * radius ? radius / sqrt(size) : 1;
  for (int i = 0; i < 3; i++) {
    most = greater(most, fabs(c->p[1 + i] - scale * y[i]));
  }
  return most;
}

/* Of all contacts of an island, over the largest impulse. */
static double crowd_residual(const quasi_step *step, const ff_crowd_island *island) {
  double wrong = 0, largest = 0;
  for (int i = island->first; i < island->first + island->count; i++) {
    wrong =
        greater(wrong, crowd_law_residual(&step->crowd, &step->problem, &step->crowd.contacts[i]));
    largest = greater(largest, step->crowd.contacts[i].p[0]);
  }
  return largest > 0 ? wrong / largest : 0;
}

void ff_quasi_solve_crowd(quasi_step *step, int island) {
  quasi_problem *problem = &step->problem;
  quasi_crowd *crowd = &step->crowd;
  const ff_crowd_island *of = &crowd->order.islands[crowd->order.island_of[island]];
  ff_team *team = *step->solver.team;
  step->crowd_island = of;
  crowd->way = problem->theta * problem->h;
  crowd->settled = quasi_accuracy(problem->model);
  for (int i = 0; i < problem->node_count; i++) {
    int slot = problem->solved_nodes[i];
    ff_crowd_load_body(&crowd->bodies, problem->model, slot,
                       quasi_node_body(problem, slot)->end.pose.orientation);
  }
  ff_team_for(team, load_crowd_contacts, step, of->count, FF_CROWD_CHUNK);
  for (int i = of->first; i < of->first + of->count; i++) {
    hit_crowd(crowd, &crowd->contacts[i], crowd->contacts[i].p);
  }
  const ff_crowd_sweeps sweeps = {.order = &crowd->order,
                                  .team = team,
                                  .solve = solve_crowd_contacts,
                                  .context = step,
                                  .chunks = crowd->chunks,
                                  .settled = crowd->settled,
                                  .most = SWEEPS};
  double residual;
  int turns = ff_crowd_sweep(&sweeps, of, &residual);
  for (int i = of->first; i < of->first + of->count; i++) {
    store_crowd_contact(crowd, problem, &crowd->contacts[i]);
  }
  add_crowd_impulses(step);
  ff_team_for(team, move_crowd_bodies, step, problem->node_count, FF_CROWD_CHUNK);
  ff_team_for(team, evaluate_crowd_ends, step, problem->member_count, FF_CROWD_CHUNK);
  ff_effort += 5L * (turns + 10) * of->count;
  crowd->residual = greater(crowd->residual, crowd_residual(step, of));
  step->solver.iterations = turns;
  step->solver.residual = residual;
}
