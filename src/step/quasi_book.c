/* What is told of a quasi-rigid step afterwards: forces, energies and losses.
 *
 * An impulse p takes -p . (v0 + v1) / 2 from the kinetic energy, whatever happens in between. For
 * friction and cores that is what they dissipate. A layer and gravity give back or store what
 * follows from the way: x moves with v1 and not with the mean of v0 and v1, and the layer pushes
 * with the force of the end and not with that on the way. These differences, and what turning
 * with the momentum of the end does to the energy of a spinning body, are what the step takes by
 * itself. They are computed one by one, from states and geometry. What the ledger lacks then is how
 * far the way that a contact's depth went is from the one that its normal and its arms of the end
 * tell of.
 */
#include "math/vec.h"
#include "step/quasi_rigid.h"

#include <string.h>

static void show(const ff_quasi *quasi, const ff_quasi_contact *contact, ff_point *point) {
  const ff_touch *touch = &contact->touch;
  double spin, h = quasi->h;
  ff_vec3 slip = ff_quasi_slip(quasi, contact, &spin), moment;
  ff_vec3 impulse = ff_quasi_impulse(contact, touch, &moment),
          t2 = v3_cross(touch->normal, touch->t1);
  ff_vec3 turning =
      v3_sub(quasi->bodies[contact->e.a].end.omega, quasi->bodies[contact->e.b].end.omega);
  const double *p = contact->e.z + 1;
  double p_n = contact->p_ns + contact->e.z[0];
  point->spot = touch->spot;
  point->point = touch->point;
  point->normal = touch->normal;
  point->t1 = touch->t1;
  point->axis = contact->axis;
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
  point->force_core = contact->e.z[0] / h;
  bool second = quasi->bodies[contact->e.a].theta < 1 || quasi->bodies[contact->e.b].theta < 1;
  point->left = second ? fmax(contact->state.deflected - contact->state.start, 0) : INFINITY;
  point->force_t[0] = contact->cone->e[0] * p[0] / h;
  point->force_t[1] = contact->cone->e[1] * p[1] / h;
  point->force = v3_scale(1 / h, impulse);
  point->moment = v3_scale(1 / h, moment);
  ff_predictor_add(&point->trend[0], point->force);
  ff_predictor_add(&point->trend[1], v3(contact->cone->e[2] * p[2] / h, point->force_core, 0));
  memcpy(point->impulse, contact->e.z, sizeof point->impulse);
  bool sticks = contact->cone->mu * p_n > 0 && !contact->to.slips;
  point->mode = !point->touching ? FF_OPEN : sticks ? FF_STICK : FF_SLIP;
}

/* How the bodies of a contact move on the way. */
typedef struct ways {
  const ff_quasi_body *body[2];
  ff_vec3 v[2], w[2]; /* m/s, rad/s */
} ways;

/* m/s, how the depth grows then, if the contact is as it was at the start or is at the end. */
static double closing(const ways *on, const ff_touch *touch, bool start) {
  ff_vec3 way = v3(0, 0, 0);
  for (int s = 0; s < 2; s++) {
    const ff_quasi_body *body = on->body[s];
    ff_vec3 arm = v3_sub(touch->point, start ? body->x : body->end.pose.position);
    ff_vec3 v = v3_add(on->v[s], v3_cross(on->w[s], arm));
    way = s == 0 ? v : v3_sub(way, v);
  }
  return -v3_dot(touch->normal, way);
}

/* A share of the impulses, with the depth growing so on the way. The two move against one another
 * with the mean of before and after. */
static void book_share(const ff_quasi *quasi, const ff_quasi_contact *contact, bool start,
                       double share, double grows, double *lost) {
  const ff_touch *touch = start ? &contact->at_start : &contact->touch;
  ff_vec3 v[2], w[2];
  for (int s = 0; s < 2; s++) {
    const ff_quasi_body *body = &quasi->bodies[s == 0 ? contact->e.a : contact->e.b];
    w[s] = v3_add(body->w0, body->end.omega);
    v[s] = v3_add(v3_add(body->v0, body->end.velocity),
                  v3_cross(w[s], ff_quasi_arm(contact, body, start)));
  }
  ff_vec3 n = touch->normal, t2 = v3_cross(n, touch->t1), slip = v3_scale(0.5, v3_sub(v[0], v[1]));
  double spin = 0.5 * v3_dot(n, v3_sub(w[0], w[1])), normal = v3_dot(n, slip);
  const double *e = contact->cone->e, *p = contact->e.z + 1;
  lost[FF_LOST_SLIP] -=
      share * (e[0] * p[0] * v3_dot(touch->t1, slip) + e[1] * p[1] * v3_dot(t2, slip));
  lost[FF_LOST_SPIN] -= share * e[2] * p[2] * spin;
  lost[FF_LOST_IMPACT] -= share * contact->e.z[0] * normal;
  lost[FF_LOST_STEP] -= share * contact->p_ns * (normal + grows);
}

/* On the way normals turn and arms move: the depth grows by the mean of what start and end tell.
 * Impulses that act at both know one each. began: the contact at the start, if it was there. */
static void book_losses(const ff_quasi *quasi, const ff_quasi_contact *contact,
                        const ff_touch *began, double *ledger) {
  ways on;
  for (int s = 0; s < 2; s++) {
    on.body[s] = &quasi->bodies[s == 0 ? contact->e.a : contact->e.b];
    ff_quasi_on_the_way(quasi, on.body[s], &on.v[s], &on.w[s]);
  }
  double end = closing(&on, &contact->touch, false), *lost = ledger + FF_Y_LOST;
  if (contact->early > 0) {
    double start = closing(&on, &contact->at_start, true);
    book_share(quasi, contact, false, 1 - contact->early, end, lost);
    book_share(quasi, contact, true, contact->early, start, lost);
  } else {
    double start = began ? closing(&on, began, true) : end;
    book_share(quasi, contact, false, 1, 0.5 * (end + start), lost);
  }
}

/* Friction that gives way before it slides is a spring, and stores what that took. */
static void book_give(const ff_quasi_contact *contact, ff_point *point, double *ledger) {
  const double *e = contact->cone->e, *p = contact->e.z + 1, *before = contact->e.before + 1;
  double *lost = ledger + FF_Y_LOST, ease = contact->soft / contact->weight, rate[3] = {0};
  for (int i = 0; i < 3 && contact->e.rows > 1; i++) {
    double gives = ease * (p[i] - before[i]), paid = p[i] * gives;
    ledger[FF_Y_PAID] += paid;
    lost[i < 2 ? FF_LOST_SLIP : FF_LOST_SPIN] -= paid;
    point->energy_t += 0.5 * ease * p[i] * p[i];
    rate[i] = e[i] > 0 ? gives / e[i] : 0;
  }
  point->shear_rate = v3_axpy(v3_axpy(point->shear_rate, rate[0], point->t1), rate[1], point->t2);
  point->spin_rate = rate[2];
}

/* A layer that settles, and what the step makes of its force: of what that did on the way, what is
 * neither stored nor lost in the damper. */
static void settle(const ff_quasi *quasi, const ff_layer *layer, const ff_quasi_contact *contact,
                   ff_point *point, double deeper, double *ledger) {
  double *lost = ledger + FF_Y_LOST, stored = point->energy_n, damped = lost[FF_LOST_NORMAL];
  point->shear_rate = v3(0, 0, 0);
  point->spin_rate = 0;
  ff_quasi_layer_settle(quasi, layer, contact, point, ledger);
  double paid = contact && contact->p_ns > 0 ? contact->p_ns * deeper / quasi->h : 0;
  lost[FF_LOST_STEP] += paid - (point->energy_n - stored) - (lost[FF_LOST_NORMAL] - damped);
}

/* Gravity on the way and at its ends, and a spin that turns. */
static void book_bodies(const ff_quasi *quasi, double *ledger) {
  const ff_model *model = quasi->model;
  for (int slot = 0; slot < model->free_count; slot++) {
    const ff_quasi_body *body = &quasi->bodies[model->free_bodies[slot]];
    const ff_body_motion *end = &body->end;
    ff_vec3 mean = v3_scale(0.5, v3_add(body->v0, end->velocity));
    ff_vec3 ahead = v3_axpy(v3_sub(end->pose.position, body->x), -quasi->h, mean);
    double gyro = 0.5 * (v3_dot(body->l0, end->omega) - v3_dot(body->momentum, body->w0));
    ledger[FF_Y_LOST + FF_LOST_STEP] +=
        model->bodies[body->id].mass * v3_dot(model->run.gravity, ahead) - gyro;
  }
}

/* The impulse that one body gives another, as far as it acts at the end or at the start. */
static void book_push(const ff_quasi *quasi, const ff_quasi_contact *contact,
                      const ff_quasi_body *pushed, const ff_quasi_body *pusher, bool start,
                      double share, double *ledger) {
  const ff_touch *touch = start ? &contact->at_start : &contact->touch;
  ff_vec3 moment, impulse = v3_scale(share, ff_quasi_impulse(contact, touch, &moment));
  moment = v3_scale(share, moment);
  ff_vec3 arm = v3_add(ff_quasi_pivot(quasi, pushed), ff_quasi_arm(contact, pushed, start));
  double *to = ledger + FF_Y_IMPULSE;
  v3_store(to, v3_add(v3_load(to), impulse));
  to = ledger + FF_Y_ANGULAR;
  v3_store(to, v3_add(v3_load(to), v3_add(v3_cross(arm, impulse), moment)));
  ff_vec3 lever = ff_quasi_arm(contact, pusher, start);
  ff_vec3 v = v3_scale(0.5, v3_add(pusher->v0, pusher->end.velocity));
  ff_vec3 w = v3_scale(0.5, v3_add(pusher->w0, pusher->end.omega));
  ledger[FF_Y_WORK] += v3_dot(impulse, v3_add(v, v3_cross(w, lever))) + v3_dot(moment, w);
}

/* What bodies that are not free bring into the system: impulse, its moment, and work. */
static void book_outside(const ff_quasi *quasi, const ff_quasi_contact *contact, double *ledger) {
  const ff_quasi_body *a = &quasi->bodies[contact->e.a], *b = &quasi->bodies[contact->e.b];
  bool a_free = a->node >= 0, b_free = b->node >= 0;
  if (a_free && b_free) {
    return;
  }
  for (int start = 0; start <= (contact->early > 0); start++) {
    double share = start ? contact->early : 1 - contact->early;
    book_push(quasi, contact, a_free ? a : b, a_free ? b : a, start, a_free ? share : -share,
              ledger);
  }
}

/* Points that took no part are open; their layers go on recovering. */
static void release(ff_point *point) {
  point->known = true;
  point->touching = false;
  point->left = INFINITY;
  point->force_n = point->force_core = point->force_t[0] = point->force_t[1] = 0;
  point->force = point->moment = v3(0, 0, 0);
  memset(point->trend, 0, sizeof point->trend);
  memset(point->impulse, 0, sizeof point->impulse);
  point->mode = FF_OPEN;
  point->patch = (ff_patch){.depth = fmin(point->patch.depth, 0)};
}

/* Points whose contacts changed names change places. */
static void rename_points(const ff_quasi *quasi) {
  for (int k = 0; k < quasi->contact_count; k++) {
    ff_point *to = &quasi->state->points[quasi->contacts[k].point];
    int memory = quasi->contacts[k].memory;
    ff_point *from = memory < 0 ? to : &quasi->state->points[memory];
    if (to != from) {
      ff_point held = *to;
      *to = *from;
      *from = held;
    }
  }
}

/* A point that nobody knew begins as its contact did. What was stored there is the step's to lose.
 */
static void renew(const ff_quasi *quasi, const ff_quasi_contact *contact, ff_point *point) {
  double stored = point->energy_n + point->energy_t;
  ff_quasi_known(quasi, contact, point);
  point->energy_n = stored;
}

/* The contact where the step starts. False: it was not there then. */
static bool find_start(const ff_quasi *quasi, const ff_quasi_contact *contact,
                       const ff_point *point, ff_touch *out) {
  if (!(contact->p_ns > 0)) {
    return false;
  }
  if (point->touching && contact->touch.spot.kind == FF_SPOT_NONE) {
    out->depth = point->patch.depth;
    out->point = point->point;
    out->normal = point->normal;
    return true;
  }
  return ff_quasi_touch_before(quasi, contact, out); /* parts may be others than in the last step */
}

/* m, how much deeper a contact is than it was at the start. Of one that was not there then: by how
 * fast it gets deeper. */
static double deepened(const ff_quasi *quasi, const ff_quasi_contact *contact,
                       const ff_touch *start) {
  double spin;
  if (start) {
    return contact->touch.depth - start->depth;
  }
  return -quasi->h * v3_dot(contact->touch.normal, ff_quasi_slip(quasi, contact, &spin));
}

void ff_quasi_book(ff_quasi *quasi) {
  ff_state *state = quasi->state;
  double *ledger = quasi->booked;
  int next = 0; /* contacts come in the order of their points */
  rename_points(quasi);
  book_bodies(quasi, ledger);
  for (int n = 0; n < state->near_count; n++) {
    const ff_layer *layer = &quasi->model->bindings[state->nears[n].binding].layer;
    int end = state->nears[n].first_point + state->nears[n].point_count;
    for (int i = state->nears[n].first_point; i < end; i++) {
      ff_point *point = &state->points[i];
      const ff_quasi_contact *contact = NULL;
      ff_touch start;
      double deeper = 0;
      if (next < quasi->contact_count && quasi->contacts[next].point == i) {
        contact = &quasi->contacts[next++];
        if (contact->memory < 0) {
          renew(quasi, contact, point);
        }
        bool there = find_start(quasi, contact, point, &start);
        deeper = deepened(quasi, contact, there ? &start : NULL);
        book_losses(quasi, contact, there ? &start : NULL, ledger);
        show(quasi, contact, point);
        book_outside(quasi, contact, ledger);
      } else if (point->loose) {
        continue;
      } else {
        release(point);
      }
      settle(quasi, layer, contact, point, deeper, ledger);
      if (contact) {
        book_give(contact, point, ledger);
      }
      point->loose = !contact && point->deflection == 0 && v3_dot(point->shear, point->shear) == 0;
    }
  }
}
