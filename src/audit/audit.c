#include "audit/audit.h"

#include "audit/contacts.h"
#include "base/team.h"
#include "math/vec.h"

#include <string.h>

/* ---- energy and momentum --------------------------------------------------------------------- */

/* A loop over chunks of bodies or shape pairs. */
typedef struct audit_job {
  const ff_model *model;
  const ff_state *state;
  int chunk;                     /* items of a chunk */
  double (*sums)[FF_CHUNK_SUMS]; /* of each chunk, from number first_chunk on */
  int first_chunk;
} audit_job;

static double *audit_sums_of(const audit_job *job, int first) {
  return job->sums[first / job->chunk - job->first_chunk];
}

/* Sums over all items, those of the chunks added up in their order. team NULL: writes nothing to
 * the state. */
static void audit_sum(audit_job *job, ff_team_body *part, int count, ff_team *team,
                      double out[FF_CHUNK_SUMS]) {
  double one[1][FF_CHUNK_SUMS];
  int chunks = ff_chunks_of(count, job->chunk);
  memset(out, 0, FF_CHUNK_SUMS * sizeof *out);
  job->sums = team ? job->state->sums : one;
  job->first_chunk = 0;
  if (team) {
    ff_team_for(team, part, job, count, job->chunk);
  }
  for (int k = 0; k < chunks; k++) {
    if (!team) {
      int first = k * job->chunk, end = first + job->chunk;
      job->first_chunk = k;
      part(job, first, end < count ? end : count);
    }
    for (int i = 0; i < FF_CHUNK_SUMS; i++) {
      out[i] += audit_sums_of(job, k * job->chunk)[i];
    }
  }
}

/* Sums of a chunk of free bodies: kinetic energy, energy of gravity, linear and angular momentum.
 */
static void audit_sum_bodies(void *context, int first, int end) {
  const audit_job *job = context;
  const ff_model *model = job->model;
  const ff_state *state = job->state;
  double kinetic = 0, gravity = 0;
  ff_vec3 linear = v3(0, 0, 0), angular = linear;
  for (int slot = first; slot < end; slot++) {
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
  double *to = audit_sums_of(job, first);
  to[0] = kinetic;
  to[1] = gravity;
  v3_store(to + 2, linear);
  v3_store(to + 5, angular);
}

static void audit_add_bodies(const ff_model *model, const ff_state *state, ff_team *team,
                             ff_energy *energy, ff_momentum *momentum) {
  audit_job job = {.model = model, .state = state, .chunk = FF_BODIES_CHUNK};
  double sums[FF_CHUNK_SUMS];
  audit_sum(&job, audit_sum_bodies, model->free_count, team, sums);
  energy->kinetic = sums[0];
  energy->gravity = sums[1];
  momentum->linear = v3_load(sums + 2);
  momentum->angular = v3_load(sums + 5);
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

/* Energies stored by a chunk of shape pairs: normal, tangential, and of both what is not paid. */
static void audit_sum_pairs(void *context, int first, int end) {
  const audit_job *job = context;
  const ff_state *state = job->state;
  double normal = 0, tangent = 0, unpaid = 0, unpaid_tangent = 0;
  for (int n = first; n < end; n++) {
    const ff_near *near = &state->nears[n];
    for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
      const ff_point *point = &state->points[i];
      normal += point->energy_n;
      tangent += point->energy_t;
      unpaid += point->normal_unpaid ? point->energy_n : 0;
      unpaid_tangent += point->unpaid ? point->energy_t : 0;
    }
  }
  double *to = audit_sums_of(job, first);
  to[0] = normal;
  to[1] = tangent;
  to[2] = unpaid;
  to[3] = unpaid_tangent;
  memset(to + 4, 0, 4 * sizeof *to);
}

static void audit_add_losses(const ff_state *state, ff_team *team, ff_energy *out) {
  audit_job job = {.state = state, .chunk = FF_NEARS_CHUNK};
  double sums[FF_CHUNK_SUMS];
  audit_sum(&job, audit_sum_pairs, state->near_count, team, sums);
  double normal = sums[0], tangent = sums[1], unpaid = sums[2], unpaid_tangent = sums[3];
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
static void audit_evaluate(const ff_model *model, const ff_state *state, ff_team *team,
                           ff_energy *energy, ff_momentum *momentum) {
  energy->spring_joint = 0;
  audit_add_bodies(model, state, team, energy, momentum);
  audit_add_robots(model, state, energy, momentum);
  audit_add_losses(state, team, energy);
  const double *ledger = ff_state_ledger(state);
  momentum->linear_residual = v3_sub(momentum->linear, v3_load(ledger + FF_Y_IMPULSE));
  momentum->angular_residual = v3_sub(momentum->angular, v3_load(ledger + FF_Y_ANGULAR));
}

/* Sum of all entries, stored + lost - work, constant in theory: in two interleaved chains for
 * instruction-level parallelism. */
static double audit_total(const ff_energy *energy) {
  double total = energy->kinetic + energy->gravity, other = energy->spring_normal - energy->work;
  const double *lost = energy->lost;
  for (int i = FF_LOSS_COUNT % 2; i < FF_LOSS_COUNT; i += 2) {
    total += lost[i];
    other += lost[i + 1];
  }
  total += FF_LOSS_COUNT % 2 > 0 ? lost[0] : 0;
  return (total + energy->spring_tangent) + (other + energy->spring_joint);
}

static double audit_stored(const ff_energy *energy) {
  return energy->spring_normal + energy->spring_tangent + energy->spring_joint;
}

/* ---- over a run ------------------------------------------------------------------------------ */

void ff_auditor_keep(ff_auditor *auditor, const ff_model *model, ff_keep *keep) {
  ff_keep_block(keep, "audit", auditor, 1, offsetof(ff_auditor, impact_count));
  ff_keep_count(keep, "audit.impact_count", &auditor->impact_count, FF_WATCHES);
  ff_keep_count(keep, "audit.grip_count", &auditor->grip_count, FF_GRIP_WATCHES);
  ff_keep_count(keep, "audit.found_count", &auditor->found.count, FF_FINDINGS_MOST);
  ff_keep_block(keep, "audit.impacts", auditor->impacts, auditor->impact_count,
                sizeof *auditor->impacts);
  ff_keep_block(keep, "audit.grips", auditor->grips, auditor->grip_count, sizeof *auditor->grips);
  ff_keep_block(keep, "audit.paths", auditor->paths, model->free_count, sizeof *auditor->paths);
  ff_keep_block(keep, "audit.found", auditor->found.items, auditor->found.count,
                sizeof *auditor->found.items);
}

void ff_peak_raise(ff_peak *peak, double value, double t, bool over) {
  if (value > peak->value) {
    peak->value = value;
    peak->time = t;
  }
  if (over && isnan(peak->first)) {
    peak->first = t;
  }
}

/* Weights times bounding radii, J: how much energy the scene exchanges when all moves its size. */
static double audit_fall(const ff_model *model) {
  double sum = 0;
  for (int slot = 0; slot < model->free_count; slot++) {
    const ff_model_body *body = &model->bodies[model->free_bodies[slot]];
    sum += body->mass * body->bound;
  }
  for (int r = 0; r < model->robot_count; r++) {
    const ff_model_robot *robot = &model->robots[r];
    double bounds = 0;
    int solid = 0;
    for (int i = robot->first_body; i < robot->first_body + robot->link_count; i++) {
      bounds += model->bodies[i].bound;
      solid += model->bodies[i].bound > 0;
    }
    sum += solid > 0 ? ff_tree_mass(robot->tree) * bounds / solid : 0;
  }
  return sum * v3_norm(model->run.gravity);
}

/* Losses that laws of this model may give back. */
static unsigned audit_may_give(const ff_model *model) {
  unsigned out = 1u << FF_LOST_DEPTH | 1u << FF_LOST_STEP;
  for (int i = 0; i < model->binding_count; i++) {
    const ff_binding *binding = &model->bindings[i];
    const ff_law *normal = binding->normal;
    unsigned traits = normal->traits ? normal->traits(&binding->normal_params) : 0;
    out |= traits & FF_LAW_FEEDS ? 1u << FF_LOST_NORMAL : 0;
  }
  return out;
}

/* Numbers beyond all reason, or none: comparisons with them would pass. */
static void audit_check_finite(ff_auditor *auditor, const ff_energy *energy,
                               const ff_momentum *momentum, double t) {
  double largest = 0, sum = 0;
  const double numbers[] = {energy->kinetic,        energy->gravity,     energy->spring_normal,
                            energy->spring_tangent, energy->work,        momentum->linear.x,
                            momentum->linear.y,     momentum->linear.z,  momentum->angular.x,
                            momentum->angular.y,    momentum->angular.z, energy->spring_joint};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    largest = greater(largest, fabs(numbers[i]));
    sum += numbers[i];
  }
  for (int i = 0; i < FF_LOSS_COUNT; i++) {
    largest = greater(largest, fabs(energy->lost[i]));
    sum += energy->lost[i];
  }
  if (!(largest <= FF_LIMIT_NUMBER) || isnan(sum)) {
    ff_found_add(&auditor->found, FF_FINDING_NON_FINITE, -1, -1, t, isnan(sum) ? NAN : largest,
                 FF_LIMIT_NUMBER);
  }
}

void ff_auditor_start(ff_auditor *auditor, const ff_model *model, const ff_state *state) {
  ff_path_watch *paths = auditor->paths;
  memset(auditor, 0, sizeof *auditor);
  memset(paths, 0, (size_t)model->free_count * sizeof *paths);
  auditor->paths = paths;
  ff_peak *const peaks[] = {&auditor->residual,      &auditor->created,     &auditor->undone,
                            &auditor->taken,         &auditor->cancels,     &auditor->coarse,
                            &auditor->contact_share, &auditor->crowd_share, &auditor->solver};
  for (size_t i = 0; i < sizeof peaks / sizeof *peaks; i++) {
    peaks[i]->first = NAN;
  }
  ff_momentum momentum;
  ff_energy *start = &auditor->start;
  audit_evaluate(model, state, NULL, start, &momentum);
  start->residual = audit_total(start);
  memcpy(auditor->most, start->lost, sizeof auditor->most);
  auditor->may_give = audit_may_give(model);
  auditor->fall = audit_fall(model);
  auditor->scale =
      greater(greater(start->kinetic, fabs(audit_stored(start))), FF_LIMIT_FLOOR * auditor->fall);
  audit_check_finite(auditor, start, &momentum, state->t);
  /* Contents of the ledger at the start are the reference. */
  auditor->start_linear = momentum.linear_residual;
  auditor->start_angular = momentum.angular_residual;
  auditor->now = auditor->next_notes = auditor->next_window = state->t;
}

void ff_auditor_overlap(ff_auditor *auditor, int a, int b, double depth) {
  ff_found_add(&auditor->found, FF_FINDING_START_OVERLAP, a, b, 0, depth, 0);
}

/* Current energies and momenta, with residuals relative to the start. */
static void audit_compare(const ff_auditor *auditor, const ff_model *model, const ff_state *state,
                          ff_team *team, ff_energy *energy, ff_momentum *momentum) {
  audit_evaluate(model, state, team, energy, momentum);
  energy->residual = audit_total(energy) - auditor->start.residual;
  momentum->linear_residual = v3_sub(momentum->linear_residual, auditor->start_linear);
  momentum->angular_residual = v3_sub(momentum->angular_residual, auditor->start_angular);
}

ff_energy ff_auditor_energy(const ff_auditor *auditor, const ff_model *model,
                            const ff_state *state) {
  ff_energy energy;
  ff_momentum momentum;
  audit_compare(auditor, model, state, NULL, &energy, &momentum);
  return energy;
}

ff_momentum ff_auditor_momentum(const ff_auditor *auditor, const ff_model *model,
                                const ff_state *state) {
  ff_energy energy;
  ff_momentum momentum;
  audit_compare(auditor, model, state, NULL, &energy, &momentum);
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

/* Sweeps over a large island end where no force changes by more than its accuracy; they converge by
 * a factor of up to 0.9 each, so that its error may be ten times that. */
static double audit_contact_limit(const ff_model *model, bool crowd) {
  double most = model->stepper->contact_tolerance;
  return crowd ? greater(FF_LIMIT_CROWD * model->run.stepper.accuracy, most) : most;
}

/* Residual of solved contacts relative to the largest force in the step, but to at least a
 * thousandth of the largest force so far, or of a body's weight: where a contact has just begun or
 * ended, all forces are as small as rounding, also of momentum. */
static void audit_check_contacts(ff_auditor *auditor, const ff_model *model, const ff_state *state,
                                 double h) {
  double force;
  ff_contact_residual now = ff_audit_contacts(model, state, &force), *worst = &auditor->worst;
  now.solver = state->crowd_residual;
  auditor->contact = now;
  worst->solver = greater(worst->solver, now.solver);
  ff_peak_raise(&auditor->solver, now.solver, state->t, now.solver > FF_LIMIT_SOLVER);
  worst->complementarity = greater(worst->complementarity, now.complementarity);
  worst->cone = greater(worst->cone, now.cone);
  worst->dissipation = greater(worst->dissipation, now.dissipation);
  worst->penetration = greater(worst->penetration, now.penetration);
  double wrong = greater(now.complementarity, now.cone);
  auditor->contact_force = greater(auditor->contact_force, force);
  if (wrong > 0) {
    double floor = 1e-3 * greater(auditor->contact_force, audit_mean_weight(model));
    floor = greater(floor, 1e-5 * audit_stopping_force(model, state, h));
    double share = wrong / greater(greater(force, floor), wrong);
    bool crowd = state->crowd_accuracy > 0;
    ff_peak_raise(crowd ? &auditor->crowd_share : &auditor->contact_share, share, state->t,
                  share > audit_contact_limit(model, crowd));
  }
}

/* Step times frequency of a contact, rad: through an impact a midpoint-implicit contact is of
 * second order, and late by a twelfth of its square. */
static double audit_coarse_limit(const ff_model *model) {
  return model->midpoint ? 0.5 * FF_COARSE_STEP : FF_COARSE_STEP;
}

/* Limit for what energy does, of the energy exchanged: a scene that allows more than its stepper's
 * tolerance allows as many times more here. */
static double audit_limit(const ff_model *model, double limit) {
  return limit * greater(1, model->run.energy_tolerance / model->stepper->energy_tolerance);
}

/* Scale of all energies: what is exchanged between kinetic energy, gravity, storage and the
 * outside. Losses do not count: such as cancel each other could make it as large as they like. */
static void audit_raise_scale(ff_auditor *auditor, const ff_energy *now) {
  const ff_energy *start = &auditor->start;
  double moved = greater(now->kinetic, fabs(now->gravity - start->gravity));
  double other = greater(fabs(audit_stored(now)), fabs(now->work - start->work));
  auditor->scale = greater(auditor->scale, greater(moved, other));
}

static void audit_check_energy(ff_auditor *auditor, const ff_model *model, const ff_energy *now,
                               double t) {
  const ff_energy *start = &auditor->start;
  double scale = auditor->scale, sum = 0, largest = 0;
  double created = (now->kinetic - start->kinetic) + (now->gravity - start->gravity) +
                   (audit_stored(now) - audit_stored(start)) - (now->work - start->work);
  double undone = 0;
  for (int i = 0; i < FF_LOSS_COUNT; i++) {
    double lost = now->lost[i] - start->lost[i];
    bool gives = auditor->may_give >> i & 1;
    auditor->most[i] = greater(auditor->most[i], now->lost[i]);
    undone = greater(undone, gives ? 0 : auditor->most[i] - now->lost[i]);
    created += gives && i != FF_LOST_STEP ? lost : 0;
    sum += lost;
    largest = greater(largest, fabs(lost));
  }
  double residual = fabs(now->residual),
         taken = fabs(now->lost[FF_LOST_STEP] - start->lost[FF_LOST_STEP]);
  auditor->given = greater(auditor->given, start->lost[FF_LOST_STEP] - now->lost[FF_LOST_STEP]);
  double all = greater(scale, fabs(sum)), share = all > 0 ? largest / all : 0;
  ff_peak_raise(&auditor->residual, residual, t, residual > model->run.energy_tolerance * scale);
  ff_peak_raise(&auditor->created, created, t,
                created > audit_limit(model, FF_LIMIT_CREATED) * scale);
  ff_peak_raise(&auditor->undone, undone, t, undone > audit_limit(model, FF_LIMIT_UNDONE) * scale);
  ff_peak_raise(&auditor->taken, taken, t, taken > audit_limit(model, FF_LIMIT_STEP) * scale);
  ff_peak_raise(&auditor->cancels, share, t, share > FF_LIMIT_CANCELS);
}

void ff_auditor_update(ff_auditor *auditor, const ff_model *model, ff_state *state,
                       const ff_body_motion *before, double h) {
  ff_energy energy;
  ff_momentum momentum;
  bool fixed = model->stepper->fixed_step;
  audit_compare(auditor, model, state, state->team, &energy, &momentum);
  audit_check_finite(auditor, &energy, &momentum, state->t);
  audit_raise_scale(auditor, &energy);
  audit_check_energy(auditor, model, &energy, state->t);
  ff_vec3 linear = momentum.linear_residual, angular = momentum.angular_residual;
  auditor->momentum2 = greater(auditor->momentum2, v3_dot(linear, linear));
  auditor->angular2 = greater(auditor->angular2, v3_dot(angular, angular));
  auditor->fastest = greater(auditor->fastest, state->stiffness);
  auditor->damping = greater(auditor->damping, state->damping);
  auditor->stiff_steps += !fixed && h * state->damping > FF_COARSE_STEP;
  if (fixed) {
    double turn = h * greater(sqrt(state->stiffness), state->damping);
    ff_peak_raise(&auditor->coarse, turn, state->t, turn > audit_coarse_limit(model));
  }
  audit_check_contacts(auditor, model, state, h);
  if (fixed && !state->divided) {
    ff_audit_paths(auditor, model, state, before, h);
  }
  auditor->now = state->t;
  ff_audit_pairs(auditor, model, state, before, h);
  if (state->t >= auditor->next_window) {
    ff_audit_creep(auditor, model, state);
  }
  if (state->t >= auditor->next_notes) {
    ff_audit_notes(auditor, model, state);
  }
}

/* ---- verdict --------------------------------------------------------------------------------- */

/* Adds a peak that is over its limit, both divided by the scale. */
static void audit_add_peak(ff_found_list *out, ff_finding_kind kind, const ff_peak *peak,
                           double scale, double limit) {
  if (peak->value > limit * scale) {
    ff_found_since(out, kind, -1, -1, isnan(peak->first) ? peak->time : peak->first, peak->time,
                   peak->value / scale, limit);
  }
}

void ff_auditor_findings(const ff_auditor *auditor, const ff_model *model, ff_found_list *out) {
  double scale = auditor->scale;
  *out = auditor->found;
  audit_add_peak(out, FF_FINDING_ENERGY, &auditor->residual, scale, model->run.energy_tolerance);
  audit_add_peak(out, FF_FINDING_CREATED, &auditor->created, scale,
                 audit_limit(model, FF_LIMIT_CREATED));
  audit_add_peak(out, FF_FINDING_UNDONE, &auditor->undone, scale,
                 audit_limit(model, FF_LIMIT_UNDONE));
  audit_add_peak(out, FF_FINDING_CANCELS, &auditor->cancels, 1, FF_LIMIT_CANCELS);
  if (auditor->taken.value > FF_LIMIT_STEP_FALL * auditor->fall) {
    audit_add_peak(out, FF_FINDING_STEP_LOSS, &auditor->taken, scale,
                   audit_limit(model, FF_LIMIT_STEP));
  }
  audit_add_peak(out, FF_FINDING_COARSE, &auditor->coarse, 1, audit_coarse_limit(model));
  audit_add_peak(out, FF_FINDING_CONTACT, &auditor->contact_share, 1,
                 audit_contact_limit(model, false));
  audit_add_peak(out, FF_FINDING_CONTACT, &auditor->crowd_share, 1,
                 audit_contact_limit(model, true));
  audit_add_peak(out, FF_FINDING_SOLVER, &auditor->solver, 1, FF_LIMIT_SOLVER);
  ff_audit_path_findings(auditor, model, auditor->now, out);
  if (!auditor->touched && model->binding_count > 0) {
    ff_found_add(out, FF_FINDING_UNTOUCHED, -1, -1, 0, 0, 0);
  }
  ff_found_sort(out);
}

ff_audit ff_auditor_verdict(const ff_auditor *auditor, const ff_model *model) {
  double rate = greater(sqrt(auditor->fastest), auditor->damping); /* 1/s */
  double gained = greater(auditor->created.value, greater(auditor->undone.value, auditor->given));
  ff_audit out = {.energy_scale = auditor->scale,
                  .energy_residual = auditor->residual.value,
                  .energy_gained = gained,
                  .momentum_residual = sqrt(auditor->momentum2),
                  .angular_residual = sqrt(auditor->angular2),
                  .coarseness = auditor->coarse.value,
                  .needed_step = FF_FINE_STEP / rate,
                  .stiff_steps = auditor->stiff_steps,
                  .contact = auditor->worst,
                  .contact_force = auditor->contact_force};
  ff_found_list found;
  ff_auditor_findings(auditor, model, &found);
  out.verdict = ff_found_verdict(&found);
  return out;
}
