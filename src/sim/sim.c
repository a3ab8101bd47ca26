#include "sim/sim.h"

#include "base/memory.h"
#include "base/team.h"
#include "math/vec.h"
#include "sim/sampler.h"
#include "step/sweep.h"

#include <string.h>

/* ---- life ------------------------------------------------------------------------- */

/* Bodies that overlap at the start are a finding. */
static void sim_note_overlaps(ff_sim *sim) {
  enum { MOST = 16 };
  ff_intrusion pairs[MOST];
  int count = ff_sim_intrusions(sim, pairs, MOST);
  for (int i = 0; i < count && i < MOST; i++) {
    const ff_intrusion *pair = &pairs[i];
    ff_auditor_overlap(&sim->auditor, pair->a.id - 1, pair->b.id - 1, pair->depth);
  }
}

static ff_status sim_start(ff_sim *sim) {
  if (sim->stepper->reset) {
    sim->stepper->reset(&sim->work);
  }
  ff_state_reset(&sim->state, sim->model);
  ff_sim_reset_controllers(sim);
  sim->work.steps = sim->work.events = 0;
  sim->last_step = 0;
  sim->work.solver = (ff_solver_info){0};
  ff_status status = sim->stepper->refresh(&sim->work);
  ff_auditor_start(&sim->auditor, sim->model, &sim->state);
  sim_note_overlaps(sim);
  ff_sim_init_contacts(sim);
  return status;
}

ff_status ff_sim_create(ff_sim **out, const ff_model *model) {
  if (!out) {
    return FF_ERROR_INPUT;
  }
  *out = NULL;
  if (!model) {
    return FF_ERROR_INPUT;
  }
  ff_sim *sim = ff_alloc(1, sizeof *sim);
  if (!sim) {
    return FF_ERROR_MEMORY;
  }
  sim->base = model;
  sim->own = *model;
  model = sim->model = &sim->own;
  sim->stepper = ff_stepper_of(model);
  bool pooled = sim->stepper->pooled || ff_model_is_ground_crowd(model);
  ff_status status =
      ff_state_make(&sim->state, model, sim->stepper->point_size, pooled, &sim->arena);
  if (status == FF_OK) {
    status = ff_work_make(&sim->work, model, &sim->state);
  }
  if (status == FF_OK) {
    sim->before = ff_arena_take(&sim->arena, (size_t)model->body_count, sizeof *sim->before);
    sim->auditor.paths =
        ff_arena_take(&sim->arena, (size_t)model->free_count, sizeof *sim->auditor.paths);
    bool room = sim->before && sim->auditor.paths;
    status = room ? ff_sim_take_controllers(sim) : FF_ERROR_MEMORY;
  }
  status = status == FF_OK ? ff_sim_take_events(sim) : status;
  if (status == FF_OK) {
    sim->structure = ff_sim_structure(model, &sim->state);
    status = sim_start(sim);
  }
  if (status != FF_OK) {
    ff_sim_destroy(&sim);
    return status;
  }
  *out = sim;
  return FF_OK;
}

void ff_sim_destroy(ff_sim **at) {
  ff_sim *sim = at ? *at : NULL;
  if (sim) {
    *at = NULL;
    ff_sim_drop_controllers(sim);
    ff_work_free(&sim->work);
    ff_settings_free(sim);
    ff_state_free(&sim->state);
    ff_arena_free(&sim->arena);
    ff_free(sim);
  }
}

ff_status ff_sim_reset(ff_sim *sim) {
  return sim ? sim_start(sim) : FF_ERROR_INPUT;
}

ff_status ff_sim_set_threads(ff_sim *sim, int threads) {
  ff_team *team = NULL;
  if (!sim || threads < 1 || threads > FF_TEAM_MOST) {
    return FF_ERROR_INPUT;
  }
  ff_status status = threads > 1 ? ff_team_create(&team, threads) : FF_OK;
  if (status == FF_OK) {
    ff_team_destroy(sim->work.team);
    sim->work.team = sim->state.team = team;
  }
  return status;
}

/* ---- stepping -------------------------------------------------------------------------------- */

double ff_sim_time(const ff_sim *sim) {
  return sim ? sim->state.t : NAN;
}

/* Next point k * step of the fixed step's grid that lies clearly after t. */
static double sim_next_grid(double t, double step) {
  double next = step * (floor(t / step * (1 + 1e-12)) + 1);
  return next - t > 1e-6 * step ? next : next + step;
}

/* Breakpoints of tables and phases end every step: multistep data restart after them. */
static ff_status sim_enter_breakpoint(ff_sim *sim) {
  ff_state_enter_phases(&sim->state, sim->model);
  return sim->stepper->refresh(&sim->work);
}

/* Cuts the step that is to end at *end where fast shapes meet in it. */
static ff_status sim_cut_step(ff_sim *sim, double *end) {
  double t = sim->state.t, longest = *end - t;
  if (sim->stepper->longest) {
    longest = lesser(longest, sim->stepper->longest(&sim->work));
  }
  double h = longest;
  ff_status status = ff_sweep_step(&sim->work, &h);
  /* No step for the rest of one, nor one that time cannot tell. */
  if (status == FF_OK && h < (1 - 1e-6) * longest && t + h > t) {
    *end = t + h;
  }
  return status;
}

/* One step, at most to limit; on_grid: limit is a grid point of the fixed step. */
static ff_status sim_step_to(ff_sim *sim, double limit, bool on_grid) {
  double t = sim->state.t, end = limit, tick = INFINITY;
  bool stopped = sim->stop && ff_is_cancelled(sim->stop);
  ff_status status = stopped || ff_is_cancelled(&sim->work.cancelled) ? FF_CANCELLED : FF_OK;
  if (status == FF_OK && ff_sim_is_steered(sim)) {
    status = ff_sim_steer(sim);
    tick = ff_sim_next_tick(sim);
  }
  if (sim->model->stepper->fixed_step) {
    /* No step for the rounding between the limit and the grid, nor between a tick and either. */
    double step = sim->model->run.stepper.step, grid = on_grid ? limit : sim_next_grid(t, step);
    end = limit - grid < 1e-6 * step ? limit : grid;
    tick = fabs(tick - end) < 1e-6 * step ? end : tick;
  }
  double breakpoint =
      sim->model->breakpoint_count > 0 ? ff_model_next_breakpoint(sim->model, t) : INFINITY;
  end = lesser(end, lesser(tick, breakpoint));
  sim->state.stiffness = sim->state.damping = 0;
  sim->state.divided = false;
  sim->last_step = 0;
  ff_team_copy(sim->state.team, sim->before, sim->state.bodies,
               (size_t)sim->model->body_count * sizeof *sim->before);
  if (status == FF_OK && !(end > t)) { /* ticks or steps too short for a time as late as this */
    sim->work.trouble = (ff_trouble){.kind = FF_TROUBLE_NO_TIME, .a = -1, .b = -1};
    return FF_ERROR_STEP;
  }
  status = status == FF_OK ? sim_cut_step(sim, &end) : status;
  sim->work.sampled = sim->sampler;
  if (sim->sampler) {
    ff_sampler_before_step(sim->sampler, end);
  }
  status = status == FF_OK ? sim->stepper->step(&sim->work, end) : status;
  if (status != FF_OK) {
    return status;
  }
  double h = sim->state.t - t;
  sim->last_step = h;
  ff_auditor_update(&sim->auditor, sim->model, &sim->state, sim->before, h);
  ff_sim_report_events(sim, h);
  status = sim->state.t == breakpoint ? sim_enter_breakpoint(sim) : FF_OK;
  if (sim->on_step) {
    sim->on_step(sim->step_context, sim);
  }
  return status;
}

static ff_status sim_steps_to(ff_sim *sim, double t, bool on_grid) {
  ff_status status = FF_OK;
  while (status == FF_OK && sim->state.t < t) {
    status = sim_step_to(sim, t, on_grid);
  }
  return status;
}

/* Stores the status; a cancellation is consumed. */
static ff_status sim_end_with(ff_sim *sim, ff_status status) {
  ff_team_end(sim->work.team);
  if (status == FF_CANCELLED) {
    atomic_store(&sim->work.cancelled, false);
  }
  sim->failed = status;
  return status;
}

ff_status ff_sim_step_to(ff_sim *sim, double limit) {
  ff_team_begin(sim->work.team);
  return sim_end_with(sim, sim_step_to(sim, limit, false));
}

ff_status ff_sim_step(ff_sim *sim) {
  if (!sim) {
    return FF_ERROR_INPUT;
  }
  const ff_stepper_def *stepper = &sim->model->run.stepper;
  double t = sim->state.t;
  bool fixed = sim->model->stepper->fixed_step;
  ff_team_begin(sim->work.team);
  return sim_end_with(sim, fixed ? sim_steps_to(sim, sim_next_grid(t, stepper->step), true)
                                 : sim_step_to(sim, t + stepper->max_step, false));
}

ff_status ff_sim_advance(ff_sim *sim, double t) {
  if (!sim || !isfinite(t)) {
    return FF_ERROR_INPUT;
  }
  ff_team_begin(sim->work.team);
  return sim_end_with(sim, sim_steps_to(sim, t, false));
}

const ff_model *ff_sim_model(const ff_sim *sim) {
  return sim ? sim->model : NULL;
}

void ff_sim_watch_stop(ff_sim *sim, const atomic_bool *stop) {
  sim->stop = stop;
}

void ff_sim_cancel(ff_sim *sim) {
  if (sim) {
    atomic_store(&sim->work.cancelled, true);
  }
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static bool sim_has_body(const ff_sim *sim, ff_body body) {
  return sim && ff_model_has_body(sim->model, body);
}

ff_body_state ff_body_state_of(const ff_model_body *body, const ff_body_motion *motion) {
  ff_body_state out = {.omega = motion->omega};
  out.orientation = q_mul(motion->pose.orientation, q_conj(body->frame.orientation));
  ff_vec3 arm = q_rotate(out.orientation, v3_neg(body->frame.position));
  out.position = v3_add(motion->pose.position, arm);
  out.velocity = v3_add(motion->velocity, v3_cross(motion->omega, arm));
  return out;
}

ff_status ff_sim_set_body(ff_sim *sim, ff_body body, const ff_body_state *state) {
  if (!sim_has_body(sim, body) || !state || sim->model->bodies[body.id - 1].slot < 0) {
    return FF_ERROR_INPUT;
  }
  double norm = q_norm(state->orientation);
  if (!v3_finite(state->position) || !v3_finite(state->velocity) || !v3_finite(state->omega) ||
      !isfinite(norm) || norm == 0) {
    return FF_ERROR_INPUT;
  }
  const ff_model_body *b = &sim->model->bodies[body.id - 1];
  ff_pose pose = pose_mul((ff_pose){state->position, q_unit(state->orientation)}, b->frame);
  ff_vec3 arm = v3_sub(pose.position, state->position);
  ff_vec3 spin = q_unrotate(pose.orientation, state->omega);
  double *y = ff_state_body(&sim->state, b->slot);
  v3_store(y + FF_Y_X, pose.position);
  y[FF_Y_Q] = pose.orientation.w;
  v3_store(y + FF_Y_Q + 1, v3(pose.orientation.x, pose.orientation.y, pose.orientation.z));
  v3_store(y + FF_Y_V, v3_add(state->velocity, v3_cross(state->omega, arm)));
  v3_store(y + FF_Y_L, q_rotate(pose.orientation, v3_mul(b->inertia, spin)));
  return ff_sim_take_change(sim);
}

ff_body_state ff_sim_body(const ff_sim *sim, ff_body body) {
  if (!sim_has_body(sim, body)) {
    const ff_vec3 none = {NAN, NAN, NAN};
    return (ff_body_state){none, {NAN, NAN, NAN, NAN}, none, none};
  }
  return ff_body_state_of(&sim->model->bodies[body.id - 1], &sim->state.bodies[body.id - 1]);
}

bool ff_sim_is_asleep(const ff_sim *sim, ff_body body) {
  if (!sim_has_body(sim, body) || !sim->state.sleep.still) {
    return false;
  }
  return sim->model->bodies[body.id - 1].slot >= 0 && sim->state.sleep.still[body.id - 1];
}

int ff_sim_asleep_count(const ff_sim *sim) {
  return sim ? sim->state.sleep.count : 0;
}

/* ---- contacts ---------------------------------------------------------------------------- */

int ff_sim_contact_count(const ff_sim *sim) {
  int count = 0;
  for (int i = 0; sim && i < sim->state.point_count; i++) {
    count += sim->state.points[i].touching;
  }
  return count;
}

static ff_contact sim_make_contact(const ff_sim *sim, const ff_meet *meet, const ff_near *near,
                                   int index) {
  const ff_point *point = &sim->state.points[index];
  return (ff_contact){.a = ff_body_id(sim->model, meet->a),
                      .b = ff_body_id(sim->model, meet->b),
                      .shape_a = ff_shape_id(sim->model, near->shape_a),
                      .shape_b = ff_shape_id(sim->model, near->shape_b),
                      .feature = index - near->first_point,
                      .point = point->point,
                      .normal = point->normal,
                      .t1 = point->t1,
                      .t2 = point->t2,
                      .patch = point->patch,
                      .force = point->force,
                      .moment = point->moment,
                      .force_n = point->force_n,
                      .force_t1 = point->force_t[0],
                      .force_t2 = point->force_t[1],
                      .mode = point->mode};
}

ff_contact ff_sim_contact(const ff_sim *sim, int index) {
  const ff_state *state = sim ? &sim->state : NULL;
  for (int m = 0; state && index >= 0 && m < state->meet_count; m++) {
    const ff_meet *meet = &state->meets[m];
    for (int n = meet->first_near; n < meet->first_near + meet->near_count; n++) {
      const ff_near *near = &state->nears[n];
      for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
        if (state->points[i].touching && index-- == 0) {
          return sim_make_contact(sim, meet, near, i);
        }
      }
    }
  }
  return (ff_contact){0};
}

int ff_sim_contacts(const ff_sim *sim, ff_contact *out, int capacity) {
  int count = 0;
  for (int m = 0; sim && m < sim->state.meet_count; m++) {
    const ff_meet *meet = &sim->state.meets[m];
    for (int n = meet->first_near; n < meet->first_near + meet->near_count; n++) {
      const ff_near *near = &sim->state.nears[n];
      for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
        if (sim->state.points[i].touching) {
          if (out && count < capacity) {
            out[count] = sim_make_contact(sim, meet, near, i);
          }
          count++;
        }
      }
    }
  }
  return count;
}

/* ---- constraints ----------------------------------------------------------------------------- */

ff_constraint_state ff_sim_constraint(const ff_sim *sim, ff_constraint_id constraint) {
  if (!sim || !ff_id_fits(sim->model, constraint.id, sim->model->constraint_count, constraint.of)) {
    const ff_vec3 none = {NAN, NAN, NAN};
    return (ff_constraint_state){none, none, NAN, NAN};
  }
  const ff_state_constraint *now = &sim->state.constraints[constraint.id - 1];
  return (ff_constraint_state){now->force, now->moment, now->error, now->angle};
}

/* ---- audit ----------------------------------------------------------------------------------- */

ff_energy ff_sim_energy(const ff_sim *sim) {
  return sim ? ff_auditor_energy(&sim->auditor, sim->model, &sim->state)
             : (ff_energy){.kinetic = NAN, .gravity = NAN, .work = NAN, .residual = NAN};
}

ff_momentum ff_sim_momentum(const ff_sim *sim) {
  const ff_vec3 none = {NAN, NAN, NAN};
  return sim ? ff_auditor_momentum(&sim->auditor, sim->model, &sim->state)
             : (ff_momentum){none, none, none, none};
}

ff_contact_residual ff_sim_contact_residual(const ff_sim *sim) {
  return sim ? sim->auditor.contact : (ff_contact_residual){NAN, NAN, NAN, NAN, NAN};
}

ff_solver_info ff_sim_solver(const ff_sim *sim) {
  return sim ? sim->work.solver : (ff_solver_info){.residual = NAN};
}

ff_audit ff_sim_audit(const ff_sim *sim) {
  if (!sim) {
    return (ff_audit){.verdict = FF_VERDICT_ENERGY, .energy_residual = NAN};
  }
  ff_audit out = ff_auditor_verdict(&sim->auditor, sim->model);
  out.steps = sim->work.steps;
  out.evaluations = sim->state.evaluations;
  out.events = sim->work.events;
  return out;
}

int ff_sim_findings(const ff_sim *sim, ff_finding *out, int capacity) {
  ff_found_list found;
  if (!sim) {
    return 0;
  }
  ff_auditor_findings(&sim->auditor, sim->model, &found);
  for (int i = 0; out && i < found.count && i < capacity; i++) {
    const ff_found *item = &found.items[i];
    ff_finding_info info = ff_finding_describe((ff_finding_kind)item->kind);
    out[i] = (ff_finding){.kind = (ff_finding_kind)item->kind,
                          .failure = ff_found_fails(item),
                          .a = ff_body_id(sim->model, item->a),
                          .b = ff_body_id(sim->model, item->b),
                          .first = item->first,
                          .worst = item->worst,
                          .value = item->value,
                          .limit = item->limit,
                          .unit = info.unit,
                          .advice = info.advice};
  }
  return found.count;
}
