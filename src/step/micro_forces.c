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
 * Friction, conventional and literal: kinetic, mu f against the slip, none at slips below the
 * stepper's slip speed, as printed. Implicit: it sticks on a spring k_t = 0.8 k and a damper c_t of
 * 0.3 of critical damping, in series with a clutch that slips at the friction cone,
 *   F = -(c_t + k_t h / 2) v - k_t u     v = (v_0 + v_1) / 2,   u <- u + h v     sticks
 *   F = -mu f d                          d the direction of the former           slips
 * Impulses work along the mean v of the slips at both ends of the step, so F takes what spring,
 * damper and clutch store and lose, and creates nothing. The history variable is sqrt(k_t) u: the
 * energy of the spring does not depend on a k_t that changes.
 */
#include "math/vec.h"
#include "step/micro_macro.h"

/* Friction may be so much larger than the normal force allows before it is solved for anew. */
#define EXCESS 1.001
#define SHARE  0.8 /* of the normal stiffness: tangential spring */
#define RATIO  0.3 /* of critical damping: its damper */

static bool is_implicit(const ff_micro *micro) {
  return micro->model->micro == FF_MICRO_IMPLICIT;
}

/* A stiff contact limits the step of what is not implicit: the audit wants to know. */
static void note_micro_stiffness(const ff_micro *micro, const ff_micro_contact *contact) {
  double ease[9];
  ff_state *state = micro->state;
  ff_rows_delassus(&micro->rows, contact->row, contact->row, ease);
  state->stiffness = fmax(state->stiffness, ease[0] * contact->stiffness);
  state->damping = fmax(state->damping, ease[0] * contact->damping);
}

static int crowd_at(const ff_micro *micro, int body) {
  int mover = ff_mover_of(micro->model, body);
  return mover >= 0 ? micro->shares[mover] : 0;
}

/* Friction of an elastic part that sticks: spring and damper, no stiffer than the step resolves
 * together with the other contacts of the bodies, so that nothing rings. */
static void prepare_stick(const ff_micro *micro, ff_micro_contact *contact, double slip) {
  int a = crowd_at(micro, contact->a), b = crowd_at(micro, contact->b);
  double half = 0.5 * micro->h, ease = contact->mobility * (a > b ? a : b), eased = half * ease;
  bool covered = contact->ground->thickness < INFINITY; /* a membrane has a mu of its own */
  double k = SHARE * contact->stiffness, damping = 0;
  contact->limit =
      covered || slip > contact->grip->v_t ? contact->ground->mu : contact->grip->mu_static;
  if (ease > 0) {
    k = k * half * eased > 1 ? 1 / (half * eased) : k;
    damping = 2 * RATIO * sqrt(k / ease);
    damping = damping * eased > 1 ? 1 / eased : damping;
  }
  contact->root = sqrt(k);
  contact->resist = damping + half * k;
  contact->share = 0.5;
}

/* Friction of the elastic part at the slip at the end of the step. */
static double stick_force(const ff_micro_contact *contact, int k) {
  double slip = (1 - contact->share) * contact->speed[1 + k] + contact->share * contact->end[1 + k];
  return -contact->resist * slip - contact->root * contact->memory[k];
}

double ff_micro_stretch(const ff_micro *micro, const ff_micro_contact *contact, int k) {
  if (!contact->soft || !is_implicit(micro) || !(contact->root > 0)) {
    return 0;
  }
  return -(contact->force[1 + k] + contact->root * contact->memory[k]) / contact->resist;
}

void ff_micro_meet(const ff_micro *micro, ff_micro_contact *contacts, int count) {
  const ff_stepper_def *def = &micro->model->run.stepper;
  double ahead = micro->model->micro == FF_MICRO_CONVENTIONAL ? 0 : micro->h;
  for (int k = 0; k < count; k++) {
    ff_micro_contact *contact = &contacts[k];
    const ff_ground *ground = contact->ground;
    bool inside = contact->depth > ground->thickness;
    contact->hard = inside && !def->corrections;
    contact->impact = -contact->speed[0] > 2 * micro->h * v3_norm(micro->model->run.gravity);
    double slip = ff_hypot(contact->speed[1], contact->speed[2]);
    contact->slides = slip > def->slip_speed;
    contact->mu = contact->grip->mu_kinetic;
    contact->slip[0] = contact->slides ? contact->speed[1] / slip : 0;
    contact->slip[1] = contact->slides ? contact->speed[2] / slip : 0;
    bool reached = contact->depth > 0 || contact->early;
    contact->soft = ground->stiffness > 0 && reached && !(def->exclusive && inside);
    if (!contact->soft) {
      continue;
    }
    bool damped = contact->speed[0] < 0 && contact->depth > 0;
    contact->damping = ahead * contact->stiffness + (damped ? contact->damper : 0);
    if (is_implicit(micro) && contact->sticks) {
      prepare_stick(micro, contact, slip);
    } else if (is_implicit(micro)) {
      /* Friction that is a law of the slip: mu f at the slip at the end of the step, in proportion
       * to it up to v_t. f is the normal force of the step before, or of the spring. */
      double before =
          ff_state_micro_point(micro->state, &micro->state->points[contact->point])->soft_force;
      double load = before > 0 ? before : contact->per_depth * contact->depth;
      contact->limit = ground->mu;
      contact->resist = contact->limit * load / fmax(slip, contact->grip->v_t);
      contact->share = 1;
    } else { /* eqs. 13 and 14 with what is known at the start */
      double f = contact->per_depth * contact->depth - contact->damping * contact->speed[0];
      contact->force[0] = fmax(f, 0);
      contact->force[1] = -ground->mu * contact->force[0] * contact->slip[0];
      contact->force[2] = -ground->mu * contact->force[0] * contact->slip[1];
    }
  }
}

/* The part of the forces that is known goes to the impulse, the part that depends on the new
 * velocity to the inertia. */
static void fold_contact(ff_micro *micro, const ff_micro_contact *contact, double *push) {
  double h = micro->h, impulse[3], weights[3] = {0, 0, 0};
  for (int i = 0; i < 3; i++) {
    impulse[i] = h * contact->force[i];
  }
  if (is_implicit(micro)) {
    weights[0] = h * contact->damping;
    impulse[0] = h * contact->per_depth * contact->depth - weights[0] * contact->speed[0];
    for (int i = 0; i < 2 && !contact->slips; i++) {
      double known = contact->resist * contact->speed[1 + i] + contact->root * contact->memory[i];
      weights[1 + i] = contact->share * h * contact->resist;
      impulse[1 + i] = -h * known;
    }
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

/* Viscous friction beyond mu f becomes less viscous. */
static bool settle_viscous(ff_micro_contact *contact, bool last) {
  contact->force[1] = stick_force(contact, 0);
  contact->force[2] = stick_force(contact, 1);
  double most = contact->limit * contact->force[0];
  double friction = ff_hypot(contact->force[1], contact->force[2]);
  if (last || friction <= EXCESS * most) {
    return false;
  }
  contact->resist *= most / friction;
  return true;
}

/* Clutch of the elastic part's friction: at most mu f, along the force that would stick. It sticks
 * again where that force is the lesser one, twice at most. False: friction is that of the solution;
 * it must be, once this is the last. */
static bool settle_friction(ff_micro_contact *contact, bool last) {
  const double stick[2] = {stick_force(contact, 0), stick_force(contact, 1)};
  double most = contact->limit * contact->force[0], size = ff_hypot(stick[0], stick[1]);
  double scale = contact->slips ? 1 : EXCESS, before[2] = {contact->force[1], contact->force[2]};
  bool slips = size > scale * most && size > 0;
  if (contact->slips && (last || (!slips && contact->returns++ >= 2))) {
    return false;
  }
  slips = slips && !last;
  double of = slips ? most / size : 1;
  contact->force[1] = of * stick[0];
  contact->force[2] = of * stick[1];
  bool same = slips == contact->slips;
  double change = ff_hypot(contact->force[1] - before[0], contact->force[2] - before[1]);
  contact->slips = slips;
  return !same || (slips && change > (EXCESS - 1) * most);
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
    bool pulled = undo_pulling_fold(contact, micro->h);
    bool slipped = !pulled && (contact->sticks ? settle_friction(contact, last)
                                               : settle_viscous(contact, last));
    stays = !(pulled || slipped) && stays;
  }
  return stays;
}
