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

static void show(const ff_quasi *quasi, const ff_quasi_contact *contact, ff_point *point) {
  const ff_touch *touch = &contact->touch;
  double spin, h = quasi->h;
  ff_vec3 slip = ff_quasi_slip(quasi, contact, false, &spin), moment;
  ff_vec3 impulse = ff_quasi_impulse(contact, &moment), t2 = v3_cross(touch->normal, touch->t1);
  ff_vec3 turning =
      v3_sub(quasi->bodies[contact->e.a].end.omega, quasi->bodies[contact->e.b].end.omega);
  const double *p = contact->e.z + 1;
  double p_n = contact->p_ns + contact->e.z[0];
  point->point = touch->point;
  point->normal = touch->normal;
  point->t1 = touch->t1;
  point->t2 = t2;
  point->patch = (ff_patch){.depth = touch->depth,
                            .depth_rate = -v3_dot(touch->normal, slip),
                            .slip = {v3_dot(touch->t1, slip), v3_dot(t2, slip)},
                            .spin = spin,
                            .roll = {v3_dot(touch->t1, turning), v3_dot(t2, turning)},
                            .curvature = {touch->curvature[0], touch->curvature[1]}};
  point->known = true;
  point->touching = p_n > 0 || touch->depth > 0;
  point->force_before = point->force;
  point->moment_before = point->moment;
  point->core_before = point->force_core;
  point->force_n = p_n / h;
  point->force_core = contact->e.z[0] / h;
  bool second = quasi->bodies[contact->e.a].theta < 1 || quasi->bodies[contact->e.b].theta < 1;
  point->left = second ? fmax(contact->state.deflected - contact->state.start, 0) : INFINITY;
  point->force_t[0] = contact->cone->e[0] * p[0] / h;
  point->force_t[1] = contact->cone->e[1] * p[1] / h;
  point->force = v3_scale(1 / h, impulse);
  point->moment = v3_scale(1 / h, moment);
  bool sticks = contact->cone->mu * p_n > 0 && !ff_quasi_project(quasi, contact).slips;
  point->mode = !point->touching ? FF_OPEN : sticks ? FF_STICK : FF_SLIP;
}

/* How the two move against one another at the contact. */
typedef struct pace {
  ff_vec3 slip; /* m/s */
  double spin;  /* rad/s */
} pace;

/* The mean of before and after. */
static pace mean_pace(const ff_quasi *quasi, const ff_quasi_contact *contact) {
  double spin[2];
  ff_vec3 before = ff_quasi_slip(quasi, contact, true, &spin[0]);
  ff_vec3 after = ff_quasi_slip(quasi, contact, false, &spin[1]);
  return (pace){v3_scale(0.5, v3_add(before, after)), 0.5 * (spin[0] + spin[1])};
}

/* Speed at which the depth grows on the way, as the normal and the arms of the end have it. */
static double closing(const ff_quasi *quasi, const ff_quasi_contact *contact) {
  ff_vec3 slip = v3(0, 0, 0);
  for (int s = 0; s < 2; s++) {
    const ff_quasi_body *body = &quasi->bodies[s == 0 ? contact->e.a : contact->e.b];
    ff_vec3 arm = v3_sub(contact->touch.point, body->end.pose.position), v, w;
    ff_quasi_on_the_way(quasi, body, &v, &w);
    slip = v3_axpy(slip, s == 0 ? 1 : -1, v3_add(v, v3_cross(w, arm)));
  }
  return -v3_dot(contact->touch.normal, slip);
}

static void book_losses(const ff_quasi *quasi, const ff_quasi_contact *contact, double *ledger) {
  pace mean = mean_pace(quasi, contact);
  const ff_touch *touch = &contact->touch;
  const double *e = contact->cone->e, *p = contact->e.z + 1;
  ff_vec3 t2 = v3_cross(touch->normal, touch->t1);
  double slid = e[0] * p[0] * v3_dot(touch->t1, mean.slip) + e[1] * p[1] * v3_dot(t2, mean.slip);
  double opened = v3_dot(touch->normal, mean.slip);
  ledger[FF_Y_LOST + FF_LOST_SLIP] -= slid;
  ledger[FF_Y_LOST + FF_LOST_SPIN] -= e[2] * p[2] * mean.spin;
  ledger[FF_Y_LOST + FF_LOST_IMPACT] -= contact->e.z[0] * opened;
  if (contact->p_ns > 0) {
    ledger[FF_Y_LOST + FF_LOST_STEP] -= contact->p_ns * (opened + closing(quasi, contact));
  }
}

/* A layer that settles, and what the step makes of its force: of what that did on the way, what is
 * neither stored nor lost in the damper. */
static void settle(const ff_quasi *quasi, const ff_layer *layer, const ff_quasi_contact *contact,
                   ff_point *point, double deeper, double *ledger) {
  double *lost = ledger + FF_Y_LOST, stored = point->energy_n, damped = lost[FF_LOST_NORMAL];
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

/* What bodies that are not free bring into the system: impulse, its moment, and work. */
static void book_outside(const ff_quasi *quasi, const ff_quasi_contact *contact, double *ledger) {
  const ff_quasi_body *a = &quasi->bodies[contact->e.a], *b = &quasi->bodies[contact->e.b];
  bool a_free = a->node >= 0, b_free = b->node >= 0;
  if (a_free && b_free) {
    return;
  }
  const ff_quasi_body *pushed = a_free ? a : b, *pusher = a_free ? b : a;
  double sign = a_free ? 1 : -1;
  ff_vec3 moment, impulse = v3_scale(sign, ff_quasi_impulse(contact, &moment));
  moment = v3_scale(sign, moment);
  ff_vec3 arm = v3_sub(contact->touch.point, pushed->end.pose.position);
  ff_vec3 angular = v3_add(v3_cross(v3_add(ff_quasi_pivot(quasi, pushed), arm), impulse), moment);
  double *to = ledger + FF_Y_IMPULSE;
  v3_store(to, v3_add(v3_load(to), impulse));
  to = ledger + FF_Y_ANGULAR;
  v3_store(to, v3_add(v3_load(to), angular));
  ff_vec3 lever = v3_sub(contact->touch.point, pusher->end.pose.position);
  ff_vec3 speed = v3_add(pusher->end.velocity, v3_cross(pusher->end.omega, lever));
  ledger[FF_Y_WORK] += v3_dot(impulse, speed) + v3_dot(moment, pusher->end.omega);
}

/* Points that took no part are open; their layers go on recovering. */
static void release(ff_point *point) {
  point->known = true;
  point->touching = false;
  point->left = INFINITY;
  point->force_n = point->force_core = point->force_t[0] = point->force_t[1] = 0;
  point->force = point->moment = point->force_before = point->moment_before = v3(0, 0, 0);
  point->core_before = 0;
  point->mode = FF_OPEN;
  point->patch = (ff_patch){.depth = fmin(point->patch.depth, 0)};
}

/* Points whose contacts changed names change places. */
static void rename_points(const ff_quasi *quasi) {
  for (int k = 0; k < quasi->contact_count; k++) {
    ff_point *to = &quasi->state->points[quasi->contacts[k].point];
    ff_point *from = &quasi->state->points[quasi->contacts[k].memory], held = *to;
    if (to != from) {
      *to = *from;
      *from = held;
    }
  }
}

/* m, how much deeper a contact is than it was at the start. */
static double deepened(const ff_quasi *quasi, const ff_quasi_contact *contact,
                       const ff_point *point) {
  if (!(contact->p_ns > 0)) {
    return 0;
  }
  double before = point->touching ? point->patch.depth : ff_quasi_depth_before(quasi, contact);
  return isfinite(before) ? contact->touch.depth - before : 0;
}

void ff_quasi_book(ff_quasi *quasi) {
  ff_state *state = quasi->state;
  double *ledger = ff_state_ledger(state);
  int next = 0; /* contacts come in the order of their points */
  rename_points(quasi);
  book_bodies(quasi, ledger);
  for (int n = 0; n < state->near_count; n++) {
    const ff_layer *layer = &quasi->model->bindings[state->nears[n].binding].layer;
    int end = state->nears[n].first_point + state->nears[n].point_count;
    for (int i = state->nears[n].first_point; i < end; i++) {
      ff_point *point = &state->points[i];
      const ff_quasi_contact *contact = NULL;
      double deeper = 0;
      if (next < quasi->contact_count && quasi->contacts[next].point == i) {
        contact = &quasi->contacts[next++];
        deeper = deepened(quasi, contact, point);
        show(quasi, contact, point);
        book_losses(quasi, contact, ledger);
        book_outside(quasi, contact, ledger);
      } else {
        release(point);
      }
      settle(quasi, layer, contact, point, deeper, ledger);
    }
  }
}
