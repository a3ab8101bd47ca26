/* Residual of the quasi-rigid problem: free bodies, and contacts as elements.
 *
 * Rows, with everything at the end of the step:
 *   body      m (v - v_free) - sum P_world = 0,   L - L_free - sum (arm x P_world + moment) = 0
 *   core      0 <= p_nr,  (delta_max - depth) / h >= 0,  one of them zero  [Chakraborty07 eq. 13]
 *   friction  P = proj(P - rho w): projection on the ball of radius mu p_n, with w the slip in the
 *             ellipsoid's units. Equivalent to maximum dissipation over all P allowed
 *             [Chakraborty07 eq. 4], without a multiplier, which would be undetermined at p_n = 0.
 * Several sticking contacts of one body are overdetermined: its corners cannot all be without slip
 * while it tips. There w is regularised by friction_compliance (P - P_before) / rho, which vanishes
 * in equilibrium and selects one of the many ways to share a load.
 *
 * The layer's impulse is not an unknown but follows from the depth (layer.c).
 *
 * Order 2: bodies move with the mean of their velocities at start and end, the spring's force is
 * its discrete gradient, and impulses act half at the geometry of the start and half at that of the
 * end. An island in which a core bears a load takes a step of order 1: core impulses have no mean.
 */
#include "step/quasi/residual.h"

#include "math/vec.h"
#include "step/quasi/bilateral_constraints.h"
#include "step/quasi/contact_geometry.h"
#include "step/quasi/impacts.h"
#include "step/quasi/layer.h"
#include "step/rotation.h"

#include <string.h>

/* ---- free bodies ------------------------------------------------------------------------ */

/* R diag(inv_inertia) R^T */
static inline ff_mat3 world_inverse_inertia(const ff_model_body *body, ff_quat q) {
  double inverse = body->inv_inertia.x;
  if (body->round) {
    return (ff_mat3){{{inverse, 0, 0}, {0, inverse, 0}, {0, 0, inverse}}};
  }
  if (body->top >= 0) {
    ff_vec3 a = ff_body_axis(body, q), b = v3_scale(ff_body_more_along(body), a);
    double xy = b.x * a.y, xz = b.x * a.z, yz = b.y * a.z;
    inverse = ff_body_across(body);
    return (ff_mat3){{{inverse + b.x * a.x, xy, xz},
                      {xy, inverse + b.y * a.y, yz},
                      {xz, yz, inverse + b.z * a.z}}};
  }
  ff_mat3 r = q_matrix(q);
  ff_vec3 d = body->inv_inertia, x = v3(r.m[0][0], r.m[0][1], r.m[0][2]),
          y = v3(r.m[1][0], r.m[1][1], r.m[1][2]), z = v3(r.m[2][0], r.m[2][1], r.m[2][2]);
  ff_vec3 dx = v3_mul(d, x), dy = v3_mul(d, y), dz = v3_mul(d, z);
  double xy = v3_dot(dx, y), xz = v3_dot(dx, z), yz = v3_dot(dy, z);
  return (ff_mat3){{{v3_dot(dx, x), xy, xz}, {xy, v3_dot(dy, y), yz}, {xz, yz, v3_dot(dz, z)}}};
}

void ff_quasi_move_body(const quasi_problem *problem, quasi_body *body, ff_vec3 v, ff_vec3 l) {
  const ff_model_body *m = &problem->model->bodies[body->id];
  double theta = body->theta;
  ff_vec3 mean_v = v3_axpy(v3_scale(theta, v), 1 - theta, body->start.velocity);
  ff_vec3 mean_l = v3_axpy(v3_scale(theta, l), 1 - theta, body->l0);
  bool turns = mean_l.x != 0 || mean_l.y != 0 || mean_l.z != 0;
  ff_quat q =
      turns ? q_renormalise(ff_rotate_freely(m, body->start.pose.orientation, mean_l, problem->h),
                            body->start.pose.orientation)
            : body->start.pose.orientation;
  body->end.pose = (ff_pose){v3_axpy(body->start.pose.position, problem->h, mean_v), q};
  body->end.velocity = v;
  body->l = l;
  body->inv_inertia = world_inverse_inertia(m, q);
  body->end.omega = m3_mul(body->inv_inertia, l);
  body->moved = true;
}

/* A free body rotates freely with its mean momentum: mean of the angular velocities of that at both
 * ends. */
void ff_quasi_mean_velocity(const quasi_problem *problem, const quasi_body *body, ff_vec3 *v,
                            ff_vec3 *w) {
  const ff_model_body *m = &problem->model->bodies[body->id];
  double theta = body->theta;
  *v = v3_axpy(v3_scale(theta, body->end.velocity), 1 - theta, body->start.velocity);
  *w = v3_axpy(v3_scale(theta, body->end.omega), 1 - theta, body->start.omega);
  if (m->slot >= 0) {
    ff_vec3 l = v3_axpy(v3_scale(theta, body->l), 1 - theta, body->l0);
    ff_vec3 start = q_rotate(body->start.pose.orientation,
                             v3_mul(m->inv_inertia, q_unrotate(body->start.pose.orientation, l)));
    ff_vec3 end = m3_mul(body->inv_inertia, l);
    *w = v3_scale(0.5, v3_add(start, end));
  } else if (body->link) { /* moves along arcs about its joints */
    ff_quat turn = q_mul(body->end.pose.orientation, q_conj(body->start.pose.orientation));
    *v = v3_scale(1 / problem->h, v3_sub(body->end.pose.position, body->start.pose.position));
    *w = v3_scale(1 / problem->h, q_log(turn));
  }
}

void ff_quasi_rotation_jacobians(const quasi_problem *problem, int first, int end) {
  for (int i = first; i < end; i++) {
    quasi_body *body = quasi_node_body(problem, problem->solved_nodes[i]);
    if (!body) {
      continue;
    }
    double theta = body->theta;
    ff_vec3 mean = v3_axpy(v3_scale(theta, body->l), 1 - theta, body->l0);
    ff_mat3 *to = &body->rotation_jacobian;
    *to = ff_rotate_slope(&problem->model->bodies[body->id], body->start.pose.orientation, mean,
                          problem->h);
    for (int k = 0; theta != 1 && k < 9; k++) {
      to->m[k / 3][k % 3] *= theta;
    }
  }
}

/* ---- a contact at the start ------------------------------------------------------------- */

const ff_layer_point *ff_quasi_inherited_layer(const quasi_problem *problem,
                                               const quasi_contact *contact,
                                               ff_layer_point *fresh) {
  if (contact->inherits >= 0) {
    return ff_state_layer_point(problem->state, &problem->state->points[contact->inherits]);
  }
  *fresh = (ff_layer_point){0};
  ff_quasi_layer_init(contact->layer, contact->initial_depth, fresh);
  return fresh;
}

/* Direction of slip at the start. */
static void find_start_slip(const quasi_problem *problem, quasi_contact *contact) {
  const quasi_body *a = &problem->bodies[contact->e.a], *b = &problem->bodies[contact->e.b];
  const ff_touch *touch = &contact->touch_start;
  ff_vec3 slip = v3_sub(quasi_velocity(contact, a, true), quasi_velocity(contact, b, true));
  ff_vec3 t2 = v3_cross(touch->normal, touch->t1);
  const double *e = contact->cone->e;
  double w[3] = {e[0] * v3_dot(touch->t1, slip), e[1] * v3_dot(t2, slip),
                 e[2] * v3_dot(touch->normal, v3_sub(a->start.omega, b->start.omega))};
  double size = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
  contact->slid_at_start = size > 0 && contact->start_share > 0;
  for (int i = 0; contact->slid_at_start && i < 3; i++) {
    contact->slip_start[i] = w[i] / size;
  }
}

void ff_quasi_begin_contact(const quasi_problem *problem, quasi_contact *contact, double theta) {
  const quasi_layer *layer = &contact->layer_state;
  ff_vec3 t2 = v3_cross(contact->touch.normal, contact->touch.t1);
  bool order_2 = problem->model->run.stepper.order == 2; /* theta may be 1 */
  contact->rate = order_2 ? ff_quasi_contact_rate(problem, contact) : 0;
  contact->resolved = theta < 1 && problem->h * contact->rate <= QUASI_RESOLVED;
  contact->start_share = contact->damping = 0;
  contact->slid_at_start = false;
  double layer_theta = contact->resolved ? theta : 1;
  if (layer_theta != contact->layer_theta || contact->layer->sheared) {
    ff_layer_point fresh;
    const ff_layer_point *before = ff_quasi_inherited_layer(problem, contact, &fresh);
    contact->layer_theta = layer_theta;
    ff_quasi_layer_begin(problem, contact->layer, before, contact->touch.t1, t2, layer_theta,
                         &contact->layer_state);
  }
  contact->friction_mass = contact->e.mass;
  if (contact->layer->series) { /* the layer shears by as much per impulse */
    double yield = greater(layer->compliance[0][0], layer->compliance[1][1]);
    contact->friction_mass /= 1 + contact->e.mass * yield / problem->h;
  }
  if (order_2) {
    ff_touch *start = &contact->touch_start;
    contact->at_start = ff_quasi_touch_at_start(problem, contact, start);
    start->t1 = ff_quasi_tangent(contact, problem->bodies[contact->e.b].start.pose.orientation,
                                 start->normal);
    contact->layer_state.depth_start = contact->at_start ? start->depth : -INFINITY;
  }
  if (theta < 1) {
    bool turns_little = v3_dot(contact->touch_start.normal, contact->touch.normal) > 0.5;
    contact->start_share = contact->at_start && turns_little ? 1 - theta : 0;
    find_start_slip(problem, contact);
    if (!contact->resolved && layer->depth_start > 0 &&
        layer->depth_start >= (1 - 1e-9) * layer->deflection_start) {
      contact->damping = 0.5 * problem->h * layer->slope[0];
    }
  }
}

/* ---- friction --------------------------------------------------------------------------- */

static double friction_dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Slip direction of friction in order 2: between those of the start and the end, a and b, since
 * friction acts all through the step. A slip that comes to rest has none at its end, and friction
 * is free to stick; one that reverses takes over its new direction continuously: with
 * c = max(a.b, 0) a + b and d along it, w = |w| d. Its derivative by w is
 * d b^T + (1 - d d^T) (1 + a a^T) (1 - b b^T) / |c|. */
static void turn_slip(const quasi_contact *contact, double w[3], quasi_projection *out) {
  const double *a = contact->slip_start;
  double size = sqrt(friction_dot(w, w)), same = friction_dot(a, w) / size, b[3], d[3];
  if (!(same > 0)) {
    return;
  }
  for (int i = 0; i < 3; i++) {
    b[i] = w[i] / size;
    d[i] = same * a[i] + b[i];
  }
  double c = sqrt(friction_dot(d, d)), turn[3][3];
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

/* N s, radius mu p_n of the friction ball. */
static double friction_radius(const quasi_problem *problem, const quasi_contact *contact) {
  return problem->friction_factor * contact->cone->mu *
         (contact->p_ns + greater(contact->e.z[0], 0));
}

/* Slip, y = P - rho w, and whether it is outside of the ball. */
static void project_friction(const quasi_problem *problem, quasi_contact *contact) {
  double spin;
  ff_vec3 slip = contact->slip = quasi_slip(problem, contact, &spin);
  ff_vec3 t1 = contact->touch.t1, t2 = v3_cross(contact->touch.normal, t1);
  const double *e = contact->cone->e, *p = contact->e.z + 1;
  double w[3] = {e[0] * v3_dot(t1, slip), e[1] * v3_dot(t2, slip), e[2] * spin};
  quasi_projection *to = &contact->projection;
  to->radius = friction_radius(problem, contact);
  to->turned = false;
  double sum = 0, shear[2];
  if (contact->layer->series) {
    ff_quasi_layer_shear(contact, shear);
    w[0] += e[0] * (shear[0] - contact->layer_state.shear_start[0]) / problem->h;
    w[1] += e[1] * (shear[1] - contact->layer_state.shear_start[1]) / problem->h;
  } else if (contact->slid_at_start) {
    turn_slip(contact, w, to);
  }
  for (int i = 0; i < 3; i++) {
    double regularisation = contact->friction_compliance * (p[i] - contact->e.z_before[1 + i]);
    to->y[i] = e[i] > 0 ? p[i] - contact->friction_mass * w[i] - regularisation : 0;
    sum += to->y[i] * to->y[i];
  }
  to->length = sqrt(sum);
  to->slips = to->length > to->radius;
}

/* ---- rows of a contact ------------------------------------------------------------------ */

/* Magnitudes of the terms of a contact's rows, and the rounding error of geometry in them. Rows of
 * slipping friction compare impulses, others speeds. */
static void scale_contact(const quasi_problem *problem, quasi_contact *contact) {
  quasi_element *e = &contact->e;
  double force = v3_norm(contact->impulse), moment = v3_norm(contact->moment);
  double reach = v3_norm(contact->touch.point), arm = 0, speed = problem->gravity_dv;
  for (int s = 0; s < 2; s++) {
    const quasi_body *body = quasi_side(problem, e, s);
    speed += v3_norm(body->start.velocity) + v3_norm(body->end.velocity);
    if (body->solved) {
      double radius = v3_norm(v3_sub(contact->touch.point, body->end.pose.position));
      arm = greater(arm, radius);
      speed += radius * (v3_norm(body->start.omega) + v3_norm(body->end.omega));
    }
  }
  double noise = ff_quasi_geometry_noise(problem, contact) * (reach + arm);
  e->force_scale = force;
  e->moment_scale = arm * force + moment;
  e->force_noise = contact->p_ns_slope * noise;
  e->moment_noise = arm * e->force_noise;
  double size = speed, rounding = e->force_noise / e->mass;
  if (contact->projection.slips) {
    size = lesser(speed, greater(force / contact->friction_mass, 1e-3 * speed));
  }
  for (int i = 0; i < e->rows; i++) {
    e->row_scale[i] = i > 0 ? size : speed;
    e->row_noise[i] = rounding + (i > 0 ? 0 : noise / problem->h);
  }
}

/* Rows of body s: minus the impulse, and its moment about the body's centre. */
static void contact_body_rows(const quasi_problem *problem, const quasi_contact *contact, int s,
                              double *f) {
  const quasi_body *body = quasi_side(problem, &contact->e, s);
  ff_vec3 arm = quasi_arm(contact, body, false);
  double sign = (s == 0 ? -1 : 1) * (1 - contact->start_share);
  v3_store(f, v3_scale(sign, contact->impulse));
  ff_vec3 torque = v3_add(v3_cross(arm, contact->impulse), contact->moment);
  v3_store(f + 3, v3_scale(sign, torque));
  if (contact->start_share > 0) { /* the share that acts at the geometry of the start */
    ff_vec3 moment, impulse = quasi_impulse(contact, &contact->touch_start, &moment);
    torque = v3_add(v3_cross(quasi_arm(contact, body, true), impulse), moment);
    sign = s == 0 ? -contact->start_share : contact->start_share;
    v3_store(f, v3_axpy(v3_load(f), sign, impulse));
    v3_store(f + 3, v3_axpy(v3_load(f + 3), sign, torque));
  }
}

static void contact_residual(const quasi_problem *problem, quasi_contact *contact) {
  quasi_element *e = &contact->e;
  const double *z = e->z;
  e->idle = contact->p_ns == 0 && z[0] == 0 && z[1] == 0 && z[2] == 0 && z[3] == 0 &&
            contact->touch.depth < contact->core_depth;
  if (e->idle) {
    memset(e->f, 0, sizeof e->f);
    e->force_scale = e->moment_scale = e->force_noise = e->moment_noise = 0;
    return;
  }
  contact->impulse = quasi_impulse(contact, &contact->touch, &contact->moment);
  for (int s = 0; s < 2; s++) {
    if (quasi_side(problem, e, s)->solved) {
      contact_body_rows(problem, contact, s, e->f + 6 * s);
    }
  }
  double *own = e->f + 12, gap = contact->core_depth - contact->touch.depth;
  own[0] = quasi_has_core(contact) ? gap / problem->h : z[0] / e->mass;
  contact->projection.slips = false;
  if (e->rows > 1) {
    project_friction(problem, contact);
    const quasi_projection *to = &contact->projection;
    double shrink = to->slips ? to->radius / to->length : 1, scale = 1 / contact->friction_mass;
    for (int i = 0; i < 3; i++) {
      own[1 + i] = scale * (z[1 + i] - shrink * to->y[i]);
    }
  }
  scale_contact(problem, contact);
}

bool ff_quasi_stick_first(quasi_element *e) {
  quasi_contact *contact = quasi_contact_of(e);
  if (!contact || e->rows == 1) {
    return false;
  }
  const double *y = contact->projection.y, *p = e->z + 1;
  if (!contact->projection.slips || friction_dot(y, p) >= 0) {
    return false;
  }
  contact->projection.slips = false;
  for (int i = 0; i < 3; i++) {
    e->equation[1 + i] = (p[i] - y[i]) / contact->friction_mass;
  }
  return true;
}

/* ---- all elements ----------------------------------------------------------------------- */

void ff_quasi_whole_pairs(const quasi_problem *problem, int *first, int *end) {
  for (int pass = 0; pass < 2; pass++) {
    int *at = pass == 0 ? first : end;
    while (*first<*end && * at> 0 && *at < problem->member_count) {
      const quasi_contact *before = quasi_contact_of(problem->members[*at - 1]);
      const quasi_contact *here = quasi_contact_of(problem->members[*at]);
      if (!before || !here || before->pair != here->pair) {
        break;
      }
      ++*at;
    }
  }
}

void ff_quasi_element_residuals(const quasi_problem *problem, int first, int end) {
  for (int k = first, count; k < end; k += count) {
    quasi_contact *contacts = quasi_contact_of(problem->members[k]);
    count = contacts ? quasi_pair_size(problem, contacts) : 1;
    if (!contacts) {
      ff_quasi_constraint_residual(problem, (quasi_constraint *)problem->members[k], NULL);
      continue;
    }
    ff_quasi_evaluate_contacts(problem, contacts, count);
    for (int i = 0; i < count; i++) {
      quasi_contact *contact = &contacts[i];
      const quasi_layer *layer = &contact->layer_state;
      /* a layer whose push depends on friction has no cone that is known beforehand */
      if (problem->project_friction && layer->pull[0] == 0 && layer->pull[1] == 0) {
        double *p = contact->e.z + 1, length = sqrt(friction_dot(p, p));
        double radius = friction_radius(problem, contact);
        for (int m = 0; length > radius && m < 3; m++) {
          p[m] *= radius / length;
        }
      }
      contact_residual(problem, contact);
    }
  }
}
