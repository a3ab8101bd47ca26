/* What is told of a quasi-rigid step afterwards: forces, energies and losses. */
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

/* What impulses on the way from the old to the new velocity take from the kinetic energy is
 * impulse times the mean of both: exact for translation. */
static void book_losses(const ff_quasi *quasi, const ff_quasi_contact *contact, double *ledger) {
  double spin[2];
  ff_vec3 before = ff_quasi_slip(quasi, contact, true, &spin[0]);
  ff_vec3 mean = v3_scale(0.5, v3_add(before, ff_quasi_slip(quasi, contact, false, &spin[1])));
  const ff_touch *touch = &contact->touch;
  const double *e = contact->cone->e, *p = contact->e.z + 1;
  ff_vec3 t2 = v3_cross(touch->normal, touch->t1);
  double slid = e[0] * p[0] * v3_dot(touch->t1, mean) + e[1] * p[1] * v3_dot(t2, mean);
  ledger[FF_Y_LOST + FF_LOST_SLIP] -= slid;
  ledger[FF_Y_LOST + FF_LOST_SPIN] -= e[2] * p[2] * 0.5 * (spin[0] + spin[1]);
  ledger[FF_Y_LOST + FF_LOST_IMPACT] -= contact->e.z[0] * v3_dot(touch->normal, mean);
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

void ff_quasi_book(ff_quasi *quasi) {
  ff_state *state = quasi->state;
  rename_points(quasi);
  double *ledger = ff_state_ledger(state);
  int next = 0; /* contacts come in the order of their points */
  for (int n = 0; n < state->near_count; n++) {
    const ff_layer *layer = &quasi->model->bindings[state->nears[n].binding].layer;
    int end = state->nears[n].first_point + state->nears[n].point_count;
    for (int i = state->nears[n].first_point; i < end; i++) {
      ff_point *point = &state->points[i];
      const ff_quasi_contact *contact = NULL;
      if (next < quasi->contact_count && quasi->contacts[next].point == i) {
        contact = &quasi->contacts[next++];
        show(quasi, contact, point);
        book_losses(quasi, contact, ledger);
        book_outside(quasi, contact, ledger);
      } else {
        release(point);
      }
      ff_quasi_layer_settle(quasi, layer, contact, point, ledger);
    }
  }
}
