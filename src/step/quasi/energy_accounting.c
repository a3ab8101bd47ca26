/* Energy accounting of a quasi-rigid step: forces, stored energies and losses.
 *
 * An impulse p takes -p . (v0 + v1) / 2 from the kinetic energy, whatever happens in between. For
 * friction and cores that is their dissipation. A layer and gravity store or return what follows
 * from the displacement: x moves with v1 and not with the mean of v0 and v1, and the layer pushes
 * with the force of the end and not with that on the way. These differences, and the change of a
 * spinning body's energy by rotating with the momentum of the end, are the losses of the step. They
 * are computed one by one, from states and geometry. The ledger's residual is then the difference
 * between the change of a contact's depth and the displacement along its normal by its arms.
 */
#include "step/quasi/energy_accounting.h"

#include "math/vec.h"
#include "step/quasi/contact_geometry.h"
#include "step/quasi/layer.h"
#include "step/quasi/residual.h"
#include "step/sleep.h"

#include <string.h>

#define MULTIPLIED 10 /* valid solutions of random hard steps gain up to 4.4 times */

void ff_quasi_book_external(const quasi_problem *problem, const quasi_body *pushed,
                            const quasi_body *pusher, ff_vec3 at, quasi_time when, ff_vec3 impulse,
                            ff_vec3 moment, double *ledger) {
  ff_vec3 arm = v3_sub(at, quasi_centre(pushed, when));
  arm = v3_add(quasi_pivot(problem, pushed), arm);
  ff_vec3 lever = v3_sub(at, quasi_centre(pusher, when));
  ff_vec3 v = v3_scale(0.5, v3_add(pusher->start.velocity, pusher->end.velocity));
  ff_vec3 w = v3_scale(0.5, v3_add(pusher->start.omega, pusher->end.omega));
  ff_ledger_push(ledger, arm, impulse, moment, v3_add(v, v3_cross(w, lever)), w);
}

/* ---- losses of contacts ----------------------------------------------------------------- */

/* Losses of a share of a contact's impulses, at the geometry of the end or of the start: impulse
 * times the mean of the relative velocities before and after. closing: m/s, rate of the depth by
 * the displacement. */
static void book_impulses(const quasi_problem *problem, const quasi_contact *contact, bool start,
                          double share, double closing, double *lost) {
  const ff_touch *touch = start ? &contact->touch_start : &contact->touch;
  ff_vec3 v[2], w[2];
  for (int s = 0; s < 2; s++) {
    const quasi_body *body = quasi_side(problem, &contact->e, s);
    w[s] = v3_add(body->start.omega, body->end.omega);
    v[s] = v3_add(v3_add(body->start.velocity, body->end.velocity),
                  v3_cross(w[s], quasi_arm(contact, body, start)));
  }
  ff_vec3 n = touch->normal, t2 = v3_cross(n, touch->t1), slip = v3_scale(0.5, v3_sub(v[0], v[1]));
  double spin = 0.5 * v3_dot(n, v3_sub(w[0], w[1])), normal = v3_dot(n, slip);
  const double *e = contact->cone->e, *p = contact->e.z + 1;
  lost[FF_LOST_SLIP] -=
      share * (e[0] * p[0] * v3_dot(touch->t1, slip) + e[1] * p[1] * v3_dot(t2, slip));
  lost[FF_LOST_SPIN] -= share * e[2] * p[2] * spin;
  lost[FF_LOST_IMPACT] -= share * contact->e.z[0] * normal;
  /* what stops at a core is stopped by it, also if its layer pushes in the same step; order 1 books
   * as published */
  bool stops = problem->model->run.stepper.order == 2 && quasi_core_bears(problem, contact);
  lost[stops ? FF_LOST_IMPACT : FF_LOST_STEP] -= share * contact->p_ns * (normal + closing);
}

/* m/s, rate of the depth by the mean velocities of the bodies, at the geometry of the end or of the
 * start. */
static double closing_speed(const quasi_problem *problem, const quasi_contact *contact,
                            const ff_vec3 v[2], const ff_vec3 w[2], const ff_touch *touch,
                            quasi_time when) {
  ff_vec3 at[2];
  for (int s = 0; s < 2; s++) {
    const quasi_body *body = quasi_side(problem, &contact->e, s);
    ff_vec3 arm = v3_sub(touch->point, quasi_centre(body, when));
    at[s] = v3_add(v[s], v3_cross(w[s], arm));
  }
  return -v3_dot(touch->normal, v3_sub(at[0], at[1]));
}

/* Normals turn and arms move in a step: the depth changes by the mean of the rates at start and
 * end. Impulses that act at both use one each. began: the touch at the start, if it was there. */
static void book_contact_losses(const quasi_problem *problem, const quasi_contact *contact,
                                const ff_touch *began, double *ledger) {
  ff_vec3 v[2], w[2];
  for (int s = 0; s < 2; s++) {
    ff_quasi_mean_velocity(problem, quasi_side(problem, &contact->e, s), &v[s], &w[s]);
  }
  double *lost = ledger + FF_Y_LOST, share = contact->start_share;
  if (contact->in_middle) {
    double grows = closing_speed(problem, contact, v, w, &contact->touch_start, QUASI_MIDDLE);
    if (contact->touch.id.kind != FF_PAIR_NONE && contact->p_ns > 0) {
      grows = (contact->touch.depth - contact->layer_state.depth_start) / problem->h;
    }
    book_impulses(problem, contact, true, 1, grows, lost);
    return;
  }
  double end = closing_speed(problem, contact, v, w, &contact->touch, QUASI_END);
  if (share > 0) {
    double start = closing_speed(problem, contact, v, w, &contact->touch_start, QUASI_START);
    double more = 0;
    if (contact->touch.id.kind != FF_PAIR_NONE) { /* not minus the normal velocity */
      double grows = (contact->touch.depth - contact->touch_start.depth) / problem->h;
      more = grows - share * start - (1 - share) * end;
    }
    book_impulses(problem, contact, false, 1 - share, end + more, lost);
    book_impulses(problem, contact, true, share, start + more, lost);
  } else {
    double start = began ? closing_speed(problem, contact, v, w, began, QUASI_START) : end;
    double grows = 0.5 * (end + start);
    if (contact->touch.id.kind != FF_PAIR_NONE && began) { /* not minus the normal velocity */
      grows = (contact->touch.depth - began->depth) / problem->h;
    }
    book_impulses(problem, contact, false, 1, grows, lost);
  }
}

/* Regularised friction is a spring in series with the slip: its energy is stored, not lost. */
static void book_friction_compliance(const quasi_contact *contact, ff_point *point,
                                     ff_layer_point *own, double *ledger) {
  const double *e = contact->cone->e, *p = contact->e.z + 1, *before = contact->e.z_before + 1;
  double *lost = ledger + FF_Y_LOST, rate[3] = {0};
  double compliance = contact->friction_compliance / contact->friction_mass;
  for (int i = 0; i < 3 && contact->e.rows > 1; i++) {
    double yield = compliance * (p[i] - before[i]), paid = p[i] * yield;
    ledger[FF_Y_PAID] += paid;
    lost[i < 2 ? FF_LOST_SLIP : FF_LOST_SPIN] -= paid;
    point->energy_t += 0.5 * compliance * p[i] * p[i];
    rate[i] = e[i] > 0 ? yield / e[i] : 0;
  }
  own->shear_rate = v3_axpy(v3_axpy(own->shear_rate, rate[0], point->t1), rate[1], point->t2);
  own->spin_rate = rate[2];
}

/* The layer after the step, and the loss of the step by its force: work on the change of depth that
 * is neither stored nor lost in the damper. */
static void finish_layer(const quasi_problem *problem, const ff_layer *layer,
                         const quasi_contact *contact, ff_point *point, ff_layer_point *own,
                         double deepened, double *ledger) {
  double *lost = ledger + FF_Y_LOST, stored = point->energy_n, damped = lost[FF_LOST_NORMAL];
  own->shear_rate = v3(0, 0, 0);
  own->spin_rate = 0;
  double paid = contact && contact->p_ns > 0 ? contact->p_ns * deepened / problem->h : 0;
  ff_quasi_layer_finish(problem, layer, contact, paid, point, own, ledger);
  lost[FF_LOST_STEP] += paid - (point->energy_n - stored) - (lost[FF_LOST_NORMAL] - damped);
}

/* Impulses of a fixed or prescribed body. */
static void book_outside_contact(const quasi_problem *problem, const quasi_contact *contact,
                                 double *ledger) {
  const quasi_body *a = &problem->bodies[contact->e.a], *b = &problem->bodies[contact->e.b];
  bool a_inside = a->node >= 0;
  if (a_inside && b->node >= 0) {
    return;
  }
  for (int start = 0; start <= (contact->start_share > 0); start++) {
    const ff_touch *touch = start ? &contact->touch_start : &contact->touch;
    double share = start ? contact->start_share : 1 - contact->start_share;
    share = a_inside ? share : -share;
    ff_vec3 moment, impulse = v3_scale(share, quasi_impulse(contact, touch, &moment));
    ff_quasi_book_external(problem, a_inside ? a : b, a_inside ? b : a, touch->point,
                           start ? quasi_early(contact) : QUASI_END, impulse,
                           v3_scale(share, moment), ledger);
  }
}

/* The force of a sample's gradients takes what its layer stores less: as a loss of the step, where
 * the change of the stored energy is booked. */
static void book_gradient_force(const quasi_problem *problem, const quasi_contact *contact,
                                double *ledger) {
  ff_vec3 impulse = v3_scale(problem->h, contact->gradient_force);
  ff_vec3 moment = v3_scale(problem->h, contact->gradient_moment);
  if (!(v3_dot(impulse, impulse) + v3_dot(moment, moment) > 0)) {
    return;
  }
  const quasi_body *a = &problem->bodies[contact->e.a], *b = &problem->bodies[contact->e.b];
  double work = 0;
  for (int s = 0; s < 2; s++) {
    const quasi_body *body = s == 0 ? a : b;
    ff_vec3 w = v3_add(body->start.omega, body->end.omega),
            v = v3_add(body->start.velocity, body->end.velocity);
    v = v3_add(v, v3_cross(w, v3_sub(contact->gradient_point, body->start.pose.position)));
    work += (s == 0 ? 0.5 : -0.5) * (v3_dot(impulse, v) + v3_dot(moment, w));
  }
  ledger[FF_Y_LOST + FF_LOST_STEP] -= work;
  bool a_inside = a->node >= 0;
  if (!a_inside || b->node < 0) {
    double sign = a_inside ? 1 : -1;
    ff_quasi_book_external(problem, a_inside ? a : b, a_inside ? b : a, contact->gradient_point,
                           QUASI_START, v3_scale(sign, impulse), v3_scale(sign, moment), ledger);
  }
}

/* ---- points of the state ---------------------------------------------------------------- */

/* Geometry, relative motion and forces of a contact. */
static void write_point(const quasi_problem *problem, const quasi_contact *contact, ff_point *point,
                        ff_layer_point *own) {
  const ff_touch *touch = &contact->touch;
  const quasi_body *a = &problem->bodies[contact->e.a], *b = &problem->bodies[contact->e.b];
  double spin, h = problem->h;
  ff_vec3 slip = quasi_slip(problem, contact, &spin), moment;
  ff_vec3 impulse = quasi_impulse(contact, touch, &moment), t2 = v3_cross(touch->normal, touch->t1);
  ff_vec3 turning = v3_sub(a->end.omega, b->end.omega);
  const double *p = contact->e.z + 1;
  double p_n = contact->p_ns + contact->e.z[0];
  point->id = touch->id;
  point->weight = touch->weight;
  own->prism[0] = touch->spin[0];
  own->prism[1] = touch->spin[1];
  own->tied[0] = contact->on_a;
  own->tied[1] = contact->on_b;
  point->point = touch->point;
  point->normal = touch->normal;
  point->t1 = touch->t1;
  point->axis = contact->tangent_axis;
  point->t2 = t2;
  point->patch = (ff_patch){.depth = touch->depth,
                            .depth_rate = -v3_dot(touch->normal, slip),
                            .slip = {v3_dot(touch->t1, slip), v3_dot(t2, slip)},
                            .spin = spin,
                            .roll = {v3_dot(touch->t1, turning), v3_dot(t2, turning)},
                            .curvature = {touch->curvature[0], touch->curvature[1]}};
  point->known = true;
  point->touching = p_n > 0 || touch->depth > 0;
  point->force_n = p_n / h;
  point->force_core = quasi_core_bears(problem, contact) ? contact->e.z[0] / h : 0;
  const quasi_layer *layer = &contact->layer_state;
  bool second = a->theta < 1 || b->theta < 1;
  own->left = second ? fmax(layer->deflection_start - layer->depth_start, 0) : INFINITY;
  point->force_t[0] = contact->cone->e[0] * p[0] / h;
  point->force_t[1] = contact->cone->e[1] * p[1] / h;
  point->force = v3_scale(1 / h, impulse);
  point->moment = v3_scale(1 / h, moment);
  ff_predictor_add(&own->predictor[0], point->force);
  ff_predictor_add(&own->predictor[1], v3(contact->cone->e[2] * p[2] / h, point->force_core, 0));
  memcpy(own->impulse, contact->e.z, sizeof own->impulse);
  bool sticks = contact->cone->mu * p_n > 0 && !contact->projection.slips;
  point->mode = !point->touching ? FF_OPEN : sticks ? FF_STICK : FF_SLIP;
}

/* A point without a contact is open; its layer recovers. */
static void open_point(ff_point *point, ff_layer_point *own) {
  point->known = true;
  point->touching = false;
  own->left = INFINITY;
  point->force_n = point->force_core = point->force_t[0] = point->force_t[1] = 0;
  point->force = point->moment = v3(0, 0, 0);
  memset(own->predictor, 0, sizeof own->predictor);
  memset(own->impulse, 0, sizeof own->impulse);
  point->mode = FF_OPEN;
  point->patch = (ff_patch){.depth = fmin(point->patch.depth, 0)};
}

/* Moves the state of points to the contacts that inherit it. */
static void inherit_points(const quasi_problem *problem) {
  for (int k = 0; k < problem->contact_count; k++) {
    const quasi_contact *contact = &problem->contacts[k];
    ff_point *to = &problem->state->points[contact->point];
    ff_point *from = contact->inherits < 0 ? to : &problem->state->points[contact->inherits];
    if (to != from) {
      ff_point held = *to;
      *to = *from;
      *from = held;
      ff_layer_point *own_to = ff_state_layer_point(problem->state, to);
      ff_layer_point *own_from = ff_state_layer_point(problem->state, from);
      ff_layer_point held_own = *own_to;
      *own_to = *own_from;
      *own_from = held_own;
    }
  }
}

/* The touch of a contact at the start, for the losses of its layer. False: it was not there. */
static bool find_start_touch(const quasi_problem *problem, const quasi_contact *contact,
                             const ff_point *point, ff_touch *out) {
  if (!(contact->p_ns > 0)) {
    return false;
  }
  if (contact->in_middle) { /* the rest is that of the middle */
    out->depth = contact->layer_state.depth_start;
    return true;
  }
  if (point->touching && contact->touch.id.kind == FF_PAIR_NONE) {
    out->depth = point->patch.depth;
    out->point = point->point;
    out->normal = point->normal;
    return true;
  }
  return ff_quasi_touch_at_start(problem, contact, out); /* its features may be new */
}

/* ---- all ------------------------------------------------------------------------------- */

/* Gravity along the path beyond that of the mean velocities, and gyroscopic terms. */
static void book_flight(const quasi_problem *problem, double *ledger) {
  const ff_model *model = problem->model;
  for (int slot = 0; slot < model->free_count; slot++) {
    const quasi_body *body = &problem->bodies[model->free_bodies[slot]];
    const ff_body_motion *end = &body->end;
    ff_vec3 mean = v3_scale(0.5, v3_add(body->start.velocity, end->velocity));
    ff_vec3 ahead =
        v3_axpy(v3_sub(end->pose.position, body->start.pose.position), -problem->h, mean);
    double gyro = 0.5 * (v3_dot(body->l0, end->omega) - v3_dot(body->l, body->start.omega));
    ledger[FF_Y_LOST + FF_LOST_STEP] +=
        model->bodies[body->id].mass * v3_dot(model->run.gravity, ahead) - gyro;
  }
}

/* Losses of a contact, and its point of the state. Returns by how much it became deeper, m. */
static double finish_contact(const quasi_problem *problem, const quasi_contact *contact,
                             ff_point *point, ff_layer_point *own, double *ledger) {
  if (contact->inherits < 0) { /* energy stored in the point's old state is lost in the step */
    *point = (ff_point){.energy_n = point->energy_n + point->energy_t};
    ff_quasi_inherited_layer(problem, contact, own);
  }
  ff_touch start;
  bool there = find_start_touch(problem, contact, point, &start);
  double spin, deepened;
  deepened = there
                 ? contact->touch.depth - start.depth
                 : -problem->h * v3_dot(contact->touch.normal, quasi_slip(problem, contact, &spin));
  book_contact_losses(problem, contact, there ? &start : NULL, ledger);
  write_point(problem, contact, point, own);
  book_outside_contact(problem, contact, ledger);
  book_gradient_force(problem, contact, ledger);
  return deepened;
}

/* Points of a pair of shapes; next: the first contact that is not finished. True: nothing is left
 * of any contact. */
static bool finish_pair(const quasi_problem *problem, const ff_near *near, int *next,
                        double *ledger) {
  const ff_layer *layer = &problem->model->bindings[near->binding].layer;
  bool all_loose = true;
  for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
    ff_point *point = &problem->state->points[i];
    ff_layer_point *own = ff_state_layer_point(problem->state, point);
    bool pressed = *next < problem->contact_count && problem->contacts[*next].point == i;
    const quasi_contact *contact = pressed ? &problem->contacts[(*next)++] : NULL;
    double deepened = 0; /* m */
    if (contact) {
      deepened = finish_contact(problem, contact, point, own, ledger);
    } else if (own->loose) {
      continue;
    } else {
      open_point(point, own);
    }
    ff_layer weighted;
    const ff_layer *of_point = contact ? contact->layer : layer;
    if (!contact && point->weight > 0 && point->weight != 1) {
      ff_quasi_layer_scale(&weighted, layer, point->weight);
      of_point = &weighted;
    }
    finish_layer(problem, of_point, contact, point, own, deepened, ledger);
    if (contact) {
      book_friction_compliance(contact, point, own, ledger);
    }
    own->loose = !contact && own->deflection == 0 && v3_dot(own->shear, own->shear) == 0;
    all_loose = all_loose && own->loose;
  }
  return all_loose;
}

void ff_quasi_finish_contacts(const quasi_problem *problem, double *ledger) {
  ff_state *state = problem->state;
  int next = 0; /* contacts are in the order of their points */
  inherit_points(problem);
  book_flight(problem, ledger);
  state->active_count = 0;
  for (int m = 0; m < state->meet_count; m++) {
    const ff_meet *meet = &state->meets[m];
    bool asleep = ff_sleep_skips(state, meet), active = asleep || meet->touching;
    for (int n = meet->first_near; n < meet->first_near + meet->near_count && !asleep; n++) {
      ff_near *near = &state->nears[n];
      bool pressed = next < problem->contact_count && problem->contacts[next].pair == n;
      if (pressed || !near->clear) {
        near->clear = finish_pair(problem, near, &next, ledger);
        active = true;
      }
    }
    state->active[state->active_count] = m;
    state->active_count += active;
  }
}

bool ff_quasi_multiplies_energy(const quasi_problem *problem) {
  const ff_model *model = problem->model;
  for (int b = 0; b < model->body_count; b++) {
    const quasi_body *body = &problem->bodies[b];
    if (model->bodies[b].kind == FF_BODY_LINK ||
        (model->bodies[b].kind == FF_BODY_PRESCRIBED &&
         v3_dot(body->start.velocity, body->start.velocity) +
                 v3_dot(body->start.omega, body->start.omega) >
             0)) {
      return false;
    }
  }
  double start = 0, flown = 0, after = 0; /* J, kinetic energies */
  for (int slot = 0; slot < model->free_count; slot++) {
    int id = model->free_bodies[slot];
    const quasi_body *body = &problem->bodies[id];
    ff_vec3 v = body->end.velocity, spin = m3_mul(body->inv_inertia, body->l_free);
    double mass = model->bodies[id].mass;
    start += 0.5 * (mass * v3_dot(body->start.velocity, body->start.velocity) +
                    v3_dot(body->start.omega, body->l0));
    flown += 0.5 * (mass * v3_dot(body->v_free, body->v_free) + v3_dot(spin, body->l_free));
    after += 0.5 * (mass * v3_dot(v, v) + v3_dot(body->end.omega, body->l));
  }
  double before = greater(start, flown);
  for (int i = 0; i < problem->state->point_count; i++) {
    before += problem->state->points[i].energy_n + problem->state->points[i].energy_t;
  }
  return after > MULTIPLIED * before;
}
