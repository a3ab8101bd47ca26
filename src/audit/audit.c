#include "audit/audit.h"

#include "audit/contacts.h"
#include "math/vec.h"

/* ---- energy ------------------------------------------------------------------------ */

static void add_bodies(const ff_model *model, const ff_state *state, ff_energy *out) {
  for (int slot = 0; slot < model->free_count; slot++) {
    int i = model->free_bodies[slot];
    const ff_model_body *body = &model->bodies[i];
    const double *y = ff_state_body(state, slot);
    ff_vec3 v = v3_load(y + FF_Y_V);
    out->kinetic += 0.5 * body->mass * v3_dot(v, v);
    out->kinetic += 0.5 * v3_dot(state->bodies[i].omega, v3_load(y + FF_Y_L));
    out->gravity -= body->mass * v3_dot(model->run.gravity, v3_load(y + FF_Y_X));
  }
}

static void add_robots(const ff_model *model, const ff_state *state, ff_energy *out) {
  for (int i = 0; i < model->robot_count; i++) {
    ff_tree_motion motion = ff_tree_whole(state->robots[i].work, model->run.gravity);
    out->kinetic += motion.kinetic;
    out->gravity += motion.gravity;
    out->spring_joint += state->robots[i].stored;
  }
}

ff_energy ff_audit_energy(const ff_model *model, const ff_state *state, double start_total) {
  ff_energy out = {0};
  add_bodies(model, state, &out);
  double paid = 0, unpaid = 0;
  add_robots(model, state, &out);
  for (int i = 0; i < state->point_count; i++) {
    out.spring_normal += state->points[i].energy_n;
    unpaid += state->points[i].normal_unpaid ? state->points[i].energy_n : 0;
    out.spring_tangent += state->points[i].energy_t;
    *(state->points[i].unpaid ? &unpaid : &paid) += state->points[i].energy_t;
  }
  const double *ledger = ff_state_ledger(state);
  for (int i = 0; i < FF_LOSS_COUNT; i++) {
    out.lost[i] = ledger[FF_Y_LOST + i];
  }
  /* What was paid into the springs of friction and they do not hold has been lost. */
  out.lost[FF_LOST_TANGENT] += ledger[FF_Y_PAID] - paid;
  out.lost[FF_LOST_DEPTH] += ledger[FF_Y_UNPAID] - unpaid;
  out.work = ledger[FF_Y_WORK];
  out.residual = ff_energy_total(&out) - start_total;
  return out;
}

double ff_energy_total(const ff_energy *energy) {
  double total = energy->kinetic + energy->gravity + energy->spring_normal + energy->spring_tangent;
  total += energy->spring_joint;
  for (int i = 0; i < FF_LOSS_COUNT; i++) {
    total += energy->lost[i];
  }
  return total - energy->work;
}

/* Energy that is in motion, or was and has gone: gravity's zero is arbitrary and stays out. */
static double moved(const ff_energy *energy) {
  double out = energy->kinetic + fabs(energy->spring_normal) + fabs(energy->spring_tangent);
  out += fabs(energy->spring_joint);
  for (int i = 0; i < FF_LOSS_COUNT; i++) {
    out += fabs(energy->lost[i]);
  }
  return out;
}

/* ---- momentum ------------------------------------------------------------------------- */

ff_momentum ff_audit_momentum(const ff_model *model, const ff_state *state,
                              const ff_momentum *start) {
  ff_momentum out = {0};
  for (int slot = 0; slot < model->free_count; slot++) {
    const double *y = ff_state_body(state, slot);
    ff_vec3 p = v3_scale(model->bodies[model->free_bodies[slot]].mass, v3_load(y + FF_Y_V));
    out.linear = v3_add(out.linear, p);
    out.angular =
        v3_add(out.angular, v3_add(v3_cross(v3_load(y + FF_Y_X), p), v3_load(y + FF_Y_L)));
  }
  for (int i = 0; i < model->robot_count; i++) {
    ff_tree_motion motion = ff_tree_whole(state->robots[i].work, model->run.gravity);
    out.linear = v3_add(out.linear, motion.linear);
    out.angular = v3_add(out.angular, v3_add(motion.angular, v3_cross(motion.com, motion.linear)));
  }
  const double *ledger = ff_state_ledger(state);
  ff_vec3 linear = v3_add(start->linear, v3_load(ledger + FF_Y_IMPULSE));
  ff_vec3 angular = v3_add(start->angular, v3_load(ledger + FF_Y_ANGULAR));
  out.linear_residual = v3_sub(out.linear, linear);
  out.angular_residual = v3_sub(out.angular, angular);
  return out;
}

/* ---- over a run --------------------------------------------------------------------------- */

void ff_auditor_start(ff_auditor *auditor, const ff_model *model, const ff_state *state) {
  *auditor = (ff_auditor){0};
  ff_energy energy = ff_audit_energy(model, state, 0.0);
  auditor->start_total = ff_energy_total(&energy);
  auditor->scale = moved(&energy);
  ff_momentum momentum = ff_audit_momentum(model, state, &auditor->start);
  auditor->start = momentum;
  /* What the ledger holds already counts as the start's. */
  auditor->start.linear = momentum.linear_residual;
  auditor->start.angular = momentum.angular_residual;
}

/* Mean weight of the free bodies, N. */
static double weight_of_bodies(const ff_model *model) {
  double mass = 0;
  for (int slot = 0; slot < model->free_count; slot++) {
    mass += model->bodies[model->free_bodies[slot]].mass;
  }
  return model->free_count > 0 ? mass / model->free_count * v3_norm(model->run.gravity) : 0;
}

/* Contacts that were solved for, and how much of the forces is wrong: of the largest in the step,
 * but of no less than a thousandth of what there was before, or of a body's weight. At a touch
 * that has hardly begun all force is as small as rounding. */
static void look_at_contacts(ff_auditor *auditor, const ff_model *model, const ff_state *state) {
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
    double floor = 1e-3 * greater(auditor->contact_force, weight_of_bodies(model));
    auditor->contact_share =
        greater(auditor->contact_share, wrong / greater(greater(force, floor), wrong));
  }
}

void ff_auditor_look(ff_auditor *auditor, const ff_model *model, const ff_state *state, double h,
                     bool fixed) {
  ff_energy energy = ff_audit_energy(model, state, auditor->start_total);
  auditor->scale = greater(auditor->scale, moved(&energy));
  auditor->residual = greater(auditor->residual, fabs(energy.residual));
  ff_momentum momentum = ff_audit_momentum(model, state, &auditor->start);
  auditor->momentum = greater(auditor->momentum, v3_norm(momentum.linear_residual));
  auditor->angular = greater(auditor->angular, v3_norm(momentum.angular_residual));
  auditor->fastest = greater(auditor->fastest, state->stiffness);
  auditor->damping = greater(auditor->damping, state->damping);
  auditor->longest = fixed ? greater(auditor->longest, h) : 0;
  look_at_contacts(auditor, model, state);
}

/* Share of the contact forces that may be wrong before a run is not good. */
#define CONTACT_TOLERANCE 1e-6

ff_audit ff_auditor_verdict(const ff_auditor *auditor, const ff_model *model) {
  double rate = greater(sqrt(auditor->fastest), auditor->damping); /* 1/s */
  ff_audit out = {.energy_scale = auditor->scale,
                  .energy_residual = auditor->residual,
                  .momentum_residual = auditor->momentum,
                  .angular_residual = auditor->angular,
                  .coarseness = auditor->longest * rate,
                  .needed_step = FF_FINE_STEP / rate,
                  .contact = auditor->worst,
                  .contact_force = auditor->contact_force};
  if (auditor->residual > model->run.energy_tolerance * auditor->scale) {
    out.verdict = FF_VERDICT_ENERGY;
  }
  if (out.coarseness > FF_COARSE_STEP) {
    out.verdict = FF_VERDICT_UNDER_RESOLVED;
  }
  /* `micro-macro` promises less: its contacts are those of the start of a step. */
  if (model->stepper == FF_STEPPER_QUASI_RIGID && auditor->contact_share > CONTACT_TOLERANCE) {
    out.verdict = FF_VERDICT_CONTACT;
  }
  return out;
}
