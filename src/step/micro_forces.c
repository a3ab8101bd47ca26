/* Micro forces: of elastic parts, by spring and damper.
 *
 *   conventional  f = k d + c d'           d' > 0, else k d               [Sugihara03 eq. 13]
 *   literal       f = k (d + d' h) + c d'  d' > 0, else k (d + d' h)      [Sugihara03 eq. 14]
 *   implicit      the same as literal with d' of the end of the step
 *
 * never pulling. d' = -(n . v). Literal, the damping k h + c is explicit, and with light links it
 * is c h / m and not k h^2 / m that diverges. Implicit, the part of the force that depends on the
 * new velocity goes to the other side: H becomes H + h (c + k h) J^T J.
 *
 * Friction is kinetic, mu f against the slip. Conventional and literal have none at slips below
 * the stepper's slip speed, as printed; implicit, it rises in proportion to the slip at the end
 * of the step up to v_t.
 */
#include "math/vec.h"
#include "step/micro_macro.h"

/* Friction may be so much larger than the normal force allows before it is solved for anew. */
#define EXCESS 1.001

static bool is_implicit(const ff_micro *micro) {
  return micro->model->micro == FF_MICRO_IMPLICIT;
}

static double slip_speed(const double speed[3]) {
  return ff_hypot(speed[1], speed[2]);
}

/* Eqs. 13 and 14 with what is known at the start. */
static void push_known(ff_micro_contact *contact) {
  const ff_ground *ground = contact->ground;
  double f = contact->per_depth * contact->depth - contact->damping * contact->speed[0];
  contact->force[0] = fmax(f, 0);
  contact->force[1] = -ground->mu * contact->force[0] * contact->slip[0];
  contact->force[2] = -ground->mu * contact->force[0] * contact->slip[1];
}

/* A stiff contact limits the step of what is not implicit: the audit wants to know. */
static void note_micro_stiffness(const ff_micro *micro, const ff_micro_contact *contact) {
  double ease[9];
  ff_state *state = micro->state;
  ff_rows_ease(&micro->rows, contact->row, contact->row, ease);
  state->stiffness = fmax(state->stiffness, ease[0] * contact->stiffness);
  state->damping = fmax(state->damping, ease[0] * contact->damping);
}

void ff_micro_meet(ff_micro *micro) {
  const ff_stepper_def *def = &micro->model->run.stepper;
  double ahead = micro->model->micro == FF_MICRO_CONVENTIONAL ? 0 : micro->h;
  for (int k = 0; k < micro->member_count; k++) {
    ff_micro_contact *contact = &micro->members[k];
    const ff_ground *ground = contact->ground;
    contact->hard = contact->depth > ground->thickness;
    double slip = slip_speed(contact->speed);
    contact->slides = slip > def->slip_speed;
    contact->mu = contact->grip->mu_kinetic;
    contact->slip[0] = contact->slides ? contact->speed[1] / slip : 0;
    contact->slip[1] = contact->slides ? contact->speed[2] / slip : 0;
    contact->soft = ground->stiffness > 0 && !(def->exclusive && contact->hard);
    if (!contact->soft) {
      continue;
    }
    contact->damping = ahead * contact->stiffness + (contact->speed[0] < 0 ? contact->damper : 0);
    if (is_implicit(micro)) {
      /* the normal force that friction goes by: that of the step before, or of the spring */
      double before = ff_micro_point_of(micro->state, contact->point)->soft_force;
      double load = before > 0 ? before : contact->per_depth * contact->depth;
      contact->drag = ground->mu * load / fmax(slip, contact->grip->v_t);
    } else {
      push_known(contact);
    }
  }
}

/* The part of the forces that is known goes to the impulse, the part that depends on the new
 * velocity to the inertia. */
static void fold_contact(ff_micro *micro, const ff_micro_contact *contact, double *push) {
  double h = micro->h, impulse[3], weights[3];
  for (int i = 0; i < 3; i++) {
    impulse[i] = h * contact->force[i];
    if (is_implicit(micro)) {
      weights[i] = h * (i == 0 ? contact->damping : contact->drag);
      impulse[i] = -weights[i] * contact->speed[i];
    }
  }
  if (is_implicit(micro)) {
    impulse[0] += h * contact->per_depth * contact->depth;
    ff_rows_stiffen(&micro->rows, contact->row, weights);
  }
  ff_rows_push(&micro->rows, contact->row, impulse, push);
}

void ff_micro_fold(ff_micro *micro, double *push) {
  for (int k = 0; k < micro->member_count; k++) {
    if (micro->members[k].soft) {
      fold_contact(micro, &micro->members[k], push);
    }
  }
}

/* A fold that pulls is undone: first its damper, which acts only on the way in, then all of it. */
static bool undo_pulling_fold(ff_micro_contact *contact, double h) {
  double spring = h * contact->stiffness;
  if (contact->force[0] >= 0) {
    return false;
  }
  if (contact->damping > spring) {
    contact->damping = spring;
  } else {
    contact->soft = false;
    contact->force[0] = contact->force[1] = contact->force[2] = 0;
  }
  return true;
}

/* Friction that is more than the normal force allows is made less. */
static bool ease_off(ff_micro_contact *contact) {
  double most = contact->ground->mu * contact->force[0];
  double friction = ff_hypot(contact->force[1], contact->force[2]);
  if (friction <= EXCESS * most) {
    return false;
  }
  contact->drag *= most / friction;
  return true;
}

bool ff_micro_settle(ff_micro *micro, bool last) {
  bool stays = true;
  for (int k = 0; k < micro->member_count; k++) {
    ff_micro_contact *contact = &micro->members[k];
    if (!contact->soft) {
      continue;
    }
    if (!is_implicit(micro)) {
      note_micro_stiffness(micro, contact);
      continue;
    }
    contact->force[0] = contact->per_depth * contact->depth - contact->damping * contact->end[0];
    contact->force[1] = -contact->drag * contact->end[1];
    contact->force[2] = -contact->drag * contact->end[2];
    bool pulled = undo_pulling_fold(contact, micro->h);
    stays = !(pulled || (!last && ease_off(contact))) && stays;
  }
  return stays;
}
