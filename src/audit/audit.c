#include "audit/audit.h"

#include "audit/contacts.h"
#include "math/vec.h"

#include <string.h>

/* ---- energy and momentum --------------------------------------------------------------------- */

static void audit_add_bodies(const ff_model *model, const ff_state *state, ff_energy *energy,
                             ff_momentum *momentum) {
  double kinetic = 0, gravity = 0;
  ff_vec3 linear = v3(0, 0, 0), angular = linear;
  for (int slot = 0; slot < model->free_count; slot++) {
    int i = model->free_bodies[slot];
    const ff_model_body *body = &model->bodies[i];
    const double *y = ff_state_body(state, slot);
    ff_vec3 x = v3_load(y + FF_Y_X), v = v3_load(y + FF_Y_V), l = v3_load(y + FF_Y_L);
    ff_vec3 omega = ff_body_omega(body, state->bodies[i].pose.orientation, l);
    ff_vec3 p = v3_scale(body->mass, v);
    kinetic += 0.5 * (v3_dot(v, p) + v3_dot(omega, l));
    gravity -= body->mass * v3_dot(model->run.gravity, x);
    linear = v3_add(linear, p);
    angular = v3_add(angular, v3_add(v3_cross(x, p), l));
  }
  energy->kinetic = kinetic;
  energy->gravity = gravity;
  momentum->linear = linear;
  momentum->angular = angular;
}

static void audit_add_robots(const ff_model *model, const ff_state *state, ff_energy *energy,
                             ff_momentum *momentum) {
  for (int i = 0; i < model->robot_count; i++) {
    ff_tree_motion motion = ff_tree_whole(state->robots[i].work, model->run.gravity);
    energy->kinetic += motion.kinetic;
    energy->gravity += motion.gravity;
    energy->spring_joint += state->robots[i].stored;
    momentum->linear = v3_add(momentum->linear, motion.linear);
    ff_vec3 angular = v3_add(motion.angular, v3_cross(motion.com, motion.linear));
    momentum->angular = v3_add(momentum->angular, angular);
  }
}

static void audit_add_losses(const ff_state *state, ff_energy *out) {
  double normal = 0, tangent = 0, unpaid = 0, unpaid_tangent = 0;
  for (int i = 0; i < state->point_count; i++) {
    const ff_point *point = &state->points[i];
    normal += point->energy_n;
    tangent += point->energy_t;
    unpaid += point->normal_unpaid ? point->energy_n : 0;
    unpaid_tangent += point->unpaid ? point->energy_t : 0;
  }
  out->spring_normal = normal;
  out->spring_tangent = tangent;
  const double *ledger = ff_state_ledger(state);
  memcpy(out->lost, ledger + FF_Y_LOST, sizeof out->lost);
  /* Energy paid into the storage of friction and no longer stored is dissipated. */
  out->lost[FF_LOST_TANGENT] += ledger[FF_Y_PAID] - (tangent - unpaid_tangent);
  out->lost[FF_LOST_DEPTH] += ledger[FF_Y_UNPAID] - (unpaid + unpaid_tangent);
  out->work = ledger[FF_Y_WORK];
}

/* Energies and momenta; momentum residuals relative to zero. */
static void audit_evaluate(const ff_model *model, const ff_state *state, ff_energy *energy,
                           ff_momentum *momentum) {
  energy->spring_joint = 0;
  audit_add_bodies(model, state, energy, momentum);
  audit_add_robots(model, state, energy, momentum);
  audit_add_losses(state, energy);
  const double *ledger = ff_state_ledger(state);
  momentum->linear_residual = v3_sub(momentum->linear, v3_load(ledger + FF_Y_IMPULSE));
  momentum->angular_residual = v3_sub(momentum->angular, v3_load(ledger + FF_Y_ANGULAR));
}

/* Sums of all entries, in two interleaved chains for instruction-level parallelism. */
typedef struct sums {
  double total; /* stored + lost - work: constant in theory */
  double moved; /* energy exchanged: kinetic, or dissipated; excludes gravity, whose zero is
                   arbitrary */
} sums;

static sums audit_sum(const ff_energy *energy) {
  double tangent = energy->spring_tangent, joint = energy->spring_joint;
  double total = energy->kinetic + energy->gravity, other = energy->spring_normal - energy->work;
  double moved = energy->kinetic, more = fabs(energy->spring_normal);
  const double *lost = energy->lost;
  for (int i = FF_LOSS_COUNT % 2; i < FF_LOSS_COUNT; i += 2) {
    total += lost[i];
    other += lost[i + 1];
    moved += fabs(lost[i]);
    more += fabs(lost[i + 1]);
  }
  if (FF_LOSS_COUNT % 2 > 0) {
    total += lost[0];
    moved += fabs(lost[0]);
  }
  return (sums){.total = (total + tangent) + (other + joint),
                .moved = (moved + fabs(tangent)) + (more + fabs(joint))};
}

/* ---- over a run ------------------------------------------------------------------------------ */

void ff_auditor_keep(ff_auditor *auditor, ff_keep *keep) {
  ff_keep_block(keep, "audit", auditor, 1, sizeof *auditor);
}

void ff_auditor_start(ff_auditor *auditor, const ff_model *model, const ff_state *state) {
  *auditor = (ff_auditor){0};
  ff_energy energy;
  ff_momentum momentum;
  audit_evaluate(model, state, &energy, &momentum);
  sums all = audit_sum(&energy);
  auditor->start_total = all.total;
  auditor->scale = all.moved;
  /* Contents of the ledger at the start are the reference. */
  auditor->start_linear = momentum.linear_residual;
  auditor->start_angular = momentum.angular_residual;
}

/* Current energies and momenta, with residuals relative to the start. */
static sums audit_compare(const ff_auditor *auditor, const ff_model *model, const ff_state *state,
                          ff_energy *energy, ff_momentum *momentum) {
  audit_evaluate(model, state, energy, momentum);
  sums all = audit_sum(energy);
  energy->residual = all.total - auditor->start_total;
  momentum->linear_residual = v3_sub(momentum->linear_residual, auditor->start_linear);
  momentum->angular_residual = v3_sub(momentum->angular_residual, auditor->start_angular);
  return all;
}

ff_energy ff_auditor_energy(const ff_auditor *auditor, const ff_model *model,
                            const ff_state *state) {
  ff_energy energy;
  ff_momentum momentum;
  audit_compare(auditor, model, state, &energy, &momentum);
  return energy;
}

ff_momentum ff_auditor_momentum(const ff_auditor *auditor, const ff_model *model,
                                const ff_state *state) {
  ff_energy energy;
  ff_momentum momentum;
  audit_compare(auditor, model, state, &energy, &momentum);
  return momentum;
}

/* Mean weight of the free bodies, N. */
static double audit_mean_weight(const ff_model *model) {
  double mass = 0;
  for (int slot = 0; slot < model->free_count; slot++) {
    mass += model->bodies[model->free_bodies[slot]].mass;
  }
  return model->free_count > 0 ? mass / model->free_count * v3_norm(model->run.gravity) : 0;
}

/* Largest force that would stop a free body within the step, N. */
static double audit_stopping_force(const ff_model *model, const ff_state *state, double h) {
  double momentum = 0;
  for (int slot = 0; slot < model->free_count; slot++) {
    int i = model->free_bodies[slot];
    momentum = greater(momentum, model->bodies[i].mass * v3_norm(state->bodies[i].velocity));
  }
  return h > 0 ? momentum / h : 0;
}

/* Residual of solved contacts relative to the largest force in the step, but to at least a
 * thousandth of the largest force so far, or of a body's weight: where a contact has just begun or
 * ended, all forces are as small as rounding, also of momentum. */
static void audit_check_contacts(ff_auditor *auditor, const ff_model *model, const ff_state *state,
                                 double h) {
  double force;
  ff_contact_residual now = ff_audit_contacts(model, state, &force), *worst = &auditor->worst;
  auditor->contact = now;
  worst->complementarity = greater(worst->complementarity, now.complementarity);
  worst->cone = greater(worst->cone, now.cone);
  worst->dissipation = greater(worst->dissipation, now.dissipation);
  worst->penetration = greater(worst->penetration, now.penetration);
  double wrong = greater(now.complementarity, now.cone);
  auditor->contact_force = greater(auditor->contact_force, force);
  if (wrong > 0) {
    double floor = 1e-3 * greater(auditor->contact_force, audit_mean_weight(model));
    floor = greater(floor, 1e-5 * audit_stopping_force(model, state, h));
    auditor->contact_share =
        greater(auditor->contact_share, wrong / greater(greater(force, floor), wrong));
  }
}

/* Detects energy gain: neither solved contacts nor the step itself may return dissipated energy.
 * Losses of contacts do not compensate for a net gain of the step. */
static void audit_check_gain(ff_auditor *auditor, const ff_energy *energy) {
  double lost = 0;
  for (int i = 0; i < FF_LOSS_COUNT; i++) {
    lost += energy->lost[i];
  }
  auditor->most_lost = greater(auditor->most_lost, lost);
  auditor->gained = greater(auditor->gained, auditor->most_lost - lost);
  auditor->gained = greater(auditor->gained, -energy->lost[FF_LOST_STEP]);
}

void ff_auditor_update(ff_auditor *auditor, const ff_model *model, const ff_state *state, double h,
                       bool fixed) {
  ff_energy energy;
  ff_momentum momentum;
  sums all = audit_compare(auditor, model, state, &energy, &momentum);
  auditor->scale = greater(auditor->scale, all.moved);
  auditor->residual = greater(auditor->residual, fabs(energy.residual));
  ff_vec3 linear = momentum.linear_residual, angular = momentum.angular_residual;
  auditor->momentum2 = greater(auditor->momentum2, v3_dot(linear, linear));
  auditor->angular2 = greater(auditor->angular2, v3_dot(angular, angular));
  auditor->fastest = greater(auditor->fastest, state->stiffness);
  auditor->damping = greater(auditor->damping, state->damping);
  double rate = greater(sqrt(state->stiffness), state->damping);
  auditor->coarseness = fixed ? greater(auditor->coarseness, h * rate) : 0;
  auditor->stiff_steps += !fixed && h * state->damping > FF_COARSE_STEP;
  audit_check_contacts(auditor, model, state, h);
  if (model->stepper->only_loses) {
    audit_check_gain(auditor, &energy);
  }
}

ff_audit ff_auditor_verdict(const ff_auditor *auditor, const ff_model *model) {
  double rate = greater(sqrt(auditor->fastest), auditor->damping); /* 1/s */
  ff_audit out = {.energy_scale = auditor->scale,
                  .energy_residual = auditor->residual,
                  .energy_gained = auditor->gained,
                  .momentum_residual = sqrt(auditor->momentum2),
                  .angular_residual = sqrt(auditor->angular2),
                  .coarseness = auditor->coarseness,
                  .needed_step = FF_FINE_STEP / rate,
                  .stiff_steps = auditor->stiff_steps,
                  .contact = auditor->worst,
                  .contact_force = auditor->contact_force};
  if (greater(auditor->residual, auditor->gained) > model->run.energy_tolerance * auditor->scale) {
    out.verdict = FF_VERDICT_ENERGY;
  }
  if (out.coarseness > FF_COARSE_STEP) {
    out.verdict = FF_VERDICT_UNDER_RESOLVED;
  }
  if (auditor->contact_share > model->stepper->contact_tolerance) {
    out.verdict = FF_VERDICT_CONTACT;
  }
  return out;
}
