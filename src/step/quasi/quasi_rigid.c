/* quasi-rigid: implicit steps with the geometry of the end of the step [Chakraborty07].
 *
 * A step solves for velocities and impulses such that, where they bring the bodies, the layers are
 * compressed as the impulses say, no core enters another, and friction dissipates the maximum.
 * Nothing of it is linearised: bodies do not sink in at large steps, and rolling is kept.
 *
 * Departures from the paper: fewer unknowns (problem.h); angular momentum is the unknown and not
 * angular velocity, and bodies rotate freely in between (rotation.h), so that fast spin is stable
 * where an explicit gyroscopic term is not.
 *
 * One step: free flight -> contact selection (contact_selection.c) -> islands, each solved by
 * Newton's method (islands.c, newton.c) -> checks of the end, with another pass if contacts were
 * missed -> energy accounting, state.
 *
 * A step that is not solved, or in which two finite shapes pass through each other, is halved, up
 * to eight times; then it fails, with the state as it was. In order 2 steps are cut where there are
 * impacts (impacts.c).
 */
#include "base/memory.h"
#include "math/pairs.h"
#include "math/vec.h"
#include "step/candidates.h"
#include "step/forces.h"
#include "step/quasi/bilateral_constraints.h"
#include "step/quasi/energy_accounting.h"
#include "step/quasi/impacts.h"
#include "step/quasi/layer.h"
#include "step/quasi/residual.h"
#include "step/quasi/step.h"
#include "step/robots.h"
#include "step/sleep.h"

#include <float.h>
#include <string.h>

enum {
  WORK_LIMIT = 12000000,    /* ff_effort of a step, about a second; */
  WORK_PER_CONTACT = 10000, /* plus this for each contact; */
  WORK_LEAST = 1000,        /* with less no substep is tried */
  RESELECTIONS = 4,         /* of feature pairs in one substep */
  PASSES = 6                /* in one substep, beside these */
};
#define MARGIN   0.25        /* of the motion in the step */
#define SHORTEST (1.0 / 256) /* of a step: shares up to this are halved if they are not solved */

/* ---- free flight ------------------------------------------------------------------------ */

/* Are there applied forces, drives or robots? */
static bool has_external_forces(const ff_model *model, const ff_state *state) {
  return ff_model_is_driven(model) || model->robot_count > 0 || state->applied_count > 0;
}

/* A body at the start of the step. Its end is set by free flight, or given. */
static void begin_body(const quasi_step *step, int i) {
  const ff_body_motion *now = &step->problem.state->bodies[i];
  quasi_body *body = &step->problem.bodies[i];
  body->link = NULL;
  body->solved = false;
  body->feature_pose = step->reselections > 0 ? body->end.pose : now->pose;
  if (step->repeated) {
    body->previous_v = body->end.velocity;
    body->previous_l = body->l;
  }
  body->start = *now;
  body->theta = step->problem.model->run.stepper.order == 2 ? 0.5 : 1;
  body->moved = false;
}

/* Bodies at the start and at the end of a step of length h without contacts. False: the inertia of
 * a robot is not positive definite. */
static bool fly_freely(quasi_step *step, double t, double h) {
  quasi_problem *problem = &step->problem;
  const ff_model *model = problem->model;
  ff_state *state = problem->state;
  problem->h = h;
  problem->gravity_dv = h * v3_norm(model->run.gravity);
  if (model->robot_count > 0) { /* an earlier pass left them elsewhere */
    ff_robots_place(model, state, t, state->y);
  }
  ff_forces_outside(model, state, t,
                    has_external_forces(model, state) ? step->external_rates : NULL);
  for (int i = 0; i < model->body_count; i++) {
    const ff_model_body *of = &model->bodies[i];
    quasi_body *body = &problem->bodies[i];
    if (of->kind == FF_BODY_FIXED) {
      continue;
    }
    begin_body(step, i);
    if (ff_sleep_holds(model, state, i)) {
      ff_quasi_hold_body(problem, i);
      continue;
    }
    if (of->kind == FF_BODY_FREE) {
      body->node = of->slot;
      const ff_wrench *wrench = &state->wrenches[i];
      ff_vec3 acceleration = v3_axpy(model->run.gravity, of->inv_mass, wrench->force);
      body->v_free = v3_axpy(body->start.velocity, h, acceleration);
      body->l0 = v3_load(ff_state_body(state, of->slot) + FF_Y_L);
      body->l_free = v3_axpy(body->l0, h, wrench->torque);
      ff_quasi_move_body(problem, body, body->v_free, body->l_free);
      body->free_end = body->end.pose;
      body->moved = false;
    } else if (of->kind == FF_BODY_PRESCRIBED) {
      body->end = ff_motion_at(of, t + h);
      if (model->run.stepper.order != 2) { /* order 1 uses the velocity of the end only */
        body->start.velocity = body->end.velocity;
        body->start.omega = body->end.omega;
      }
    }
  }
  return model->robot_count == 0 || ff_quasi_fly_robots(problem, t);
}

/* ---- checks of the end ------------------------------------------------------------------ */

static bool end_is_finite(const quasi_problem *problem) {
  const ff_model *model = problem->model;
  double sum = 0; /* NAN by an infinity or a NAN */
  for (int slot = 0; slot < model->free_count; slot++) {
    const quasi_body *body = &problem->bodies[model->free_bodies[slot]];
    ff_vec3 x = body->end.pose.position, v = body->end.velocity, l = body->l;
    ff_quat q = body->end.pose.orientation;
    sum += (0 * x.x + 0 * x.y + 0 * x.z) + (0 * v.x + 0 * v.y + 0 * v.z);
    sum += (0 * l.x + 0 * l.y + 0 * l.z) + (0 * q.w + 0 * q.x + 0 * q.y + 0 * q.z);
  }
  for (int r = 0; r < model->robot_count; r++) {
    const quasi_robot *robot = &problem->robots[r];
    for (int k = 0; k < model->robots[r].v_count; k++) {
      sum += 0 * robot->u[k];
    }
    for (int k = 0; k < model->robots[r].q_count; k++) {
      sum += 0 * robot->q[k];
    }
  }
  return sum == 0;
}

/* Has a body left the range of the pair list, in free flight or (moved_only) by its contacts? */
static bool left_pair_list(const quasi_problem *problem, bool moved_only) {
  for (int i = 0; i < problem->model->body_count; i++) {
    const quasi_body *body = &problem->bodies[i];
    bool moves = problem->model->bodies[i].kind != FF_BODY_FIXED && (!moved_only || body->moved);
    if (moves && ff_candidates_left(problem->state, i, &body->end.pose)) {
      return true;
    }
  }
  return !problem->state->listed;
}

/* ---- backup ----------------------------------------------------------------------------- */

/* Saves the state for a step that fails. Steps that succeed at once do without. */
static void save_backup(ff_work *work) {
  quasi_step *step = work->quasi;
  const ff_state *state = work->state;
  if (!step->has_backup) {
    step->has_backup = true;
    step->backup_count = state->near_count;
    memcpy(work->before, state->y, (size_t)state->size * sizeof *state->y);
    memcpy(step->backup_nears, state->nears, (size_t)state->near_count * sizeof *state->nears);
    memcpy(step->backup_points, state->points, (size_t)state->point_count * sizeof *state->points);
    memcpy(step->backup_layers, state->own_points,
           (size_t)state->point_count * sizeof *step->backup_layers);
  }
}

/* The state as it was at t; the pair list may be another. */
static void restore_backup(ff_work *work, double t) {
  const quasi_step *step = work->quasi;
  ff_state *state = work->state;
  memcpy(state->y, work->before, (size_t)state->size * sizeof *state->y);
  state->t = t;
  state->active_count = -1;
  for (int n = 0; n < state->near_count; n++) {
    const ff_near *to = &state->nears[n];
    for (int k = 0; k < step->backup_count; k++) {
      const ff_near *from = &step->backup_nears[k];
      if (from->shape_a == to->shape_a && from->shape_b == to->shape_b) {
        ff_point *points = &state->points[to->first_point];
        state->nears[n].clear = from->clear;
        memcpy(points, &step->backup_points[from->first_point],
               (size_t)to->point_count * sizeof *points);
        memcpy(ff_state_layer_point(state, points), &step->backup_layers[from->first_point],
               (size_t)to->point_count * sizeof(ff_layer_point));
      }
    }
  }
}

/* ---- end of the step -------------------------------------------------------------------- */

/* No pair takes part at any distance. */
static void clear_wanted(quasi_step *step) {
  size_t pairs = (size_t)step->problem.state->near_count;
  memset(step->wanted, 0, pairs * sizeof *step->wanted);
}

/* Pair list with a range that covers the motion of this step. */
static ff_status widen_pair_list(ff_work *work) {
  quasi_step *step = work->quasi;
  double *skin = work->state->wish;
  save_backup(work);
  ff_candidates_wish(work->model, work->state, step->problem.h);
  for (int i = 0; i < work->model->body_count; i++) {
    const quasi_body *body = &step->problem.bodies[i];
    skin[i] =
        fmax(skin[i], 1.5 * v3_norm(v3_sub(body->end.pose.position, body->start.pose.position)));
  }
  ff_status status = ff_work_list(work);
  clear_wanted(step);
  step->pass++; /* points have other indices now: results of earlier passes are void */
  return status;
}

/* Robots at the state, with all forces on them: for sensors. */
static void update_robots(ff_work *work) {
  const ff_model *model = work->model;
  ff_state *state = work->state;
  if (model->robot_count == 0) {
    return;
  }
  ff_robots_place(model, state, state->t, state->y);
  ff_forces_outside(model, state, state->t, NULL);
  ff_robots_load(model, state, state->t, state->y, NULL);
  for (int m = 0; m < state->meet_count; m++) {
    const ff_meet *meet = &state->meets[m];
    const ff_near *first = &state->nears[meet->first_near], *end = first + meet->near_count;
    for (const ff_near *near = first; near < end; near++) {
      for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
        const ff_point *p = &state->points[i];
        ff_contact_bodies bodies = {.a = meet->a, .b = meet->b};
        bodies.arm_a = v3_sub(p->point, state->bodies[meet->a].pose.position);
        bodies.arm_b = v3_sub(p->point, state->bodies[meet->b].pose.position);
        if (p->touching) {
          ff_contact_push(model, state, &bodies, p->point, p->force, p->moment, NULL);
        }
      }
    }
  }
  for (int k = 0; k < model->constraint_count; k++) {
    const ff_model_constraint *c = &model->constraints[k];
    const ff_state_constraint *now = &state->constraints[k];
    const ff_body_motion *a = &state->bodies[c->a], *b = &state->bodies[c->b];
    ff_constraint_rows rows;
    ff_constraint_evaluate(c, a, b, &rows);
    ff_contact_bodies bodies = {.a = c->a, .b = c->b};
    bodies.arm_a = v3_sub(rows.point_a, a->pose.position);
    bodies.arm_b = v3_sub(rows.point_a, b->pose.position);
    ff_contact_push(model, state, &bodies, rows.point_a, now->force, now->moment, NULL);
  }
}

/* Change of velocity and momentum by contacts, for the warm start of the next step. */
static void update_predictor(quasi_step *step, double end) {
  const quasi_problem *problem = &step->problem;
  double scale = 1 / problem->h;
  for (int slot = 0; slot < problem->model->free_count; slot++) {
    const quasi_body *body = quasi_node_body(problem, slot);
    ff_predictor *gain = &step->predictor[2 * slot];
    ff_vec3 v = v3_sub(body->end.velocity, body->v_free), l = v3_sub(body->l, body->l_free);
    if (v3_dot(v, v) + v3_dot(l, l) > 0) {
      ff_predictor_add(&gain[0], v3_scale(scale, v));
      ff_predictor_add(&gain[1], v3_scale(scale, l));
    } else { /* free flight */
      memset(gain, 0, 2 * sizeof *gain);
    }
  }
  step->predictor_end = end;
  step->h_before = problem->h;
}

/* Starts the ledger of the step with gravity and applied forces, which act as at the start. */
static void begin_ledger(ff_work *work, double h) {
  const ff_model *model = work->model;
  ff_state *state = work->state;
  quasi_step *step = work->quasi;
  double *ledger = step->ledger, *rates = step->external_rates;
  if (model->robot_count > 0) { /* they are at the end now */
    ff_robots_place(model, state, state->t, state->y);
    ff_robots_load(model, state, state->t, state->y, rates);
  }
  memset(ledger, 0, FF_Y_LEDGER * sizeof *ledger);
  for (int i = 0; has_external_forces(model, state) && i < FF_Y_LEDGER; i++) {
    ledger[i] = h * rates[i];
  }
  for (int slot = 0; slot < model->free_count; slot++) {
    if (ff_sleep_holds_slot(model, state, slot)) {
      continue;
    }
    const ff_model_body *body = &model->bodies[model->free_bodies[slot]];
    ff_vec3 weight = v3_scale(h * body->mass, model->run.gravity);
    ff_vec3 x = quasi_pivot(&step->problem, quasi_node_body(&step->problem, slot));
    ff_ledger_impulse(ledger, weight, v3_cross(x, weight));
  }
}

/* Adds the ledger of the step in one sum for each line: weights and the forces that bear them
 * cancel before they are rounded. */
static void add_ledger(const quasi_step *step) {
  ff_take_off(ff_state_ledger(step->problem.state), -1, step->ledger, FF_Y_LEDGER);
}

/* Writes the solution to the state, and the ledger. */
static void finish_step(ff_work *work, double h, double end) {
  quasi_step *step = work->quasi;
  const quasi_problem *problem = &step->problem;
  ff_state *state = work->state;
  bool unchanged = step->autonomous && ff_quasi_bodies_unchanged(problem);
  if (unchanged) {
    save_backup(work);
  }
  bool crowd = problem->has_crowd && !quasi_is_exact(problem->model);
  state->crowd_accuracy = crowd ? quasi_accuracy(problem->model) : 0;
  state->crowd_residual = crowd ? step->crowd.residual : 0;
  update_predictor(step, end);
  begin_ledger(work, h);
  for (int i = 0; i < work->model->body_count; i++) {
    const quasi_body *body = &problem->bodies[i];
    ff_body_kind kind = work->model->bodies[i].kind;
    if (kind == FF_BODY_FREE || kind == FF_BODY_PRESCRIBED) {
      state->bodies[i] = body->end;
    }
    if (kind != FF_BODY_FREE) {
      continue;
    }
    double *y = ff_state_body(state, work->model->bodies[i].slot);
    ff_quat q = body->end.pose.orientation;
    v3_store(y + FF_Y_X, body->end.pose.position);
    y[FF_Y_Q] = q.w;
    v3_store(y + FF_Y_Q + 1, v3(q.x, q.y, q.z));
    v3_store(y + FF_Y_V, body->end.velocity);
    v3_store(y + FF_Y_L, body->l);
  }
  for (int r = 0; r < work->model->robot_count; r++) {
    ff_quasi_finish_robot(problem, r, step->ledger);
  }
  ff_quasi_finish_contacts(problem, step->ledger);
  ff_quasi_finish_constraints(problem, step->ledger);
  ff_quasi_project_velocities(problem, end, step->ledger);
  add_ledger(step);
  step->unchanged = unchanged && ff_quasi_points_unchanged(step);
  state->t = end;
  update_robots(work);
}

/* ---- a substep -------------------------------------------------------------------------- */

/* Failure reason that is not one of a single contact. */
static ff_status fail_step(const quasi_step *step, ff_trouble_kind kind) {
  *step->failure = (ff_trouble){.kind = kind, .a = -1, .b = -1};
  return FF_ERROR_STEP;
}

/* Keeps the solution of a pass as the initial guess of the next one. */
static void keep_pass(quasi_step *step) {
  const quasi_problem *problem = &step->problem;
  step->repeated = true;
  step->pass++;
  for (int k = 0; k < problem->contact_count; k++) {
    const quasi_contact *contact = &problem->contacts[k];
    quasi_pass_result *result = &step->results[contact->point];
    result->pass = step->pass;
    memcpy(result->z, contact->e.z, sizeof result->z);
    result->touch = contact->touch;
    result->pressed = contact->p_ns > 0 || contact->e.z[0] > 0;
  }
}

/* Free flight, with a pair list whose range covers it. */
static ff_status fly_in_range(ff_work *work, double h) {
  quasi_step *step = work->quasi;
  if (!fly_freely(step, work->state->t, h)) {
    return fail_step(step, FF_TROUBLE_OTHER);
  }
  if (!left_pair_list(&step->problem, false)) {
    return FF_OK;
  }
  ff_status status = widen_pair_list(work);
  if (status != FF_OK) {
    return status;
  }
  return left_pair_list(&step->problem, false) ? fail_step(step, FF_TROUBLE_OTHER) : FF_OK;
}

/* One substep of length h to time `end`. On failure the state is as before. strict: it fails if the
 * features of its end are not those that were solved for. */
static ff_status try_substep(ff_work *work, double h, double end, bool strict) {
  quasi_step *step = work->quasi;
  quasi_problem *problem = &step->problem;
  const ff_stepper_def *def = &work->model->run.stepper;
  long fallbacks = step->info->fallbacks;
  problem->margin_factor = MARGIN;
  step->reselections = 0;
  step->repeated = false;
  step->wanted_h = h;
  clear_wanted(step);
  for (int pass = 0; pass < PASSES + step->reselections; pass++) {
    ff_status flight = fly_in_range(work, h);
    if (flight != FF_OK) {
      return flight;
    }
    if (!ff_quasi_select_contacts(step)) {
      return FF_ERROR_CAPACITY;
    }
    if (ff_quasi_wake_pushed(step, false)) {
      pass--; /* each wakes one island and more */
      continue;
    }
    if (!ff_quasi_solve_islands(step)) {
      return FF_ERROR_STEP;
    }
    if (ff_quasi_wake_pushed(step, true)) {
      pass--;
      continue;
    }
    bool hard = step->info->fallbacks > fallbacks || h < 0.75 * def->step;
    if (!end_is_finite(problem)) {
      return fail_step(step, FF_TROUBLE_OTHER);
    }
    if (hard && ff_quasi_multiplies_energy(problem)) {
      return fail_step(step, FF_TROUBLE_THROWN);
    }
    if (step->moved && left_pair_list(problem, true)) {
      ff_status status = widen_pair_list(work);
      if (status != FF_OK) {
        return status;
      }
    } else if (step->moved && ff_quasi_missed_contacts(step)) {
      problem->margin_factor *= pass > 1 ? 4 : 1; /* else those that were missed suffice */
      keep_pass(step);
    } else if (ff_quasi_passed_through(step)) {
      return FF_ERROR_STEP;
    } else if ((strict || step->reselections < RESELECTIONS) &&
               ff_quasi_samples_changed(problem, step->reselections)) {
      keep_pass(step);
      if (++step->reselections > RESELECTIONS) {
        return fail_step(step, FF_TROUBLE_CHANGING);
      }
    } else {
      if (def->order == 2) {
        ff_quasi_follow_impacts(step, end);
      }
      finish_step(work, problem->h, end);
      return FF_OK;
    }
  }
  return fail_step(step, FF_TROUBLE_CHANGING);
}

/* Share of a step that impacts which go on allow. */
static double impact_share(const quasi_step *step, double t, double whole) {
  return t < step->impact_end && step->impact_h < whole ? step->impact_h / whole : 1;
}

/* A share of the step to try: as large as attempts were solved, and as impacts allow. What is left
 * is not cut into pieces of very different length. */
static double next_share(const quasi_step *step, double t, double whole, double left, double size) {
  double share = lesser(lesser(left, size), impact_share(step, t, whole));
  return share < left && left < 1.5 * share ? 0.5 * left : share;
}

/* To t_end in substeps. size: largest share of the whole that was not cut for want of a solution.
 * False in *once: there were several. */
static ff_status take_substeps(ff_work *work, double whole, double t_end, double *size,
                               bool *once) {
  quasi_step *step = work->quasi;
  const double t = work->state->t;
  double done = 0, share = next_share(step, t, whole, 1, *size);
  double shortest = SHORTEST * impact_share(step, t, whole);
  long last = ff_effort + WORK_LIMIT + WORK_PER_CONTACT * (long)step->problem.contact_count;
  ff_status status = FF_OK;
  *once = true;
  while (status == FF_OK && done < 1) {
    bool arrives = share == 1 - done;
    double h = whole * share, end = arrives ? t_end : t + whole * (done + share);
    long before = ff_effort;
    step->solver.work_limit = ff_effort + 2 * (last - ff_effort) / 3; /* the rest: smaller ones */
    status = try_substep(work, h, end, share > 1.0 / 16);
    *once = *once && done == 0 && share == 1;
    if (status == FF_OK) {
      done = arrives ? 1 : done + share;
      last += ff_effort - before; /* the limit is one for each substep */
      share = next_share(step, work->state->t, whole, 1 - done, *size);
      shortest = SHORTEST * impact_share(step, work->state->t, whole);
    } else if (status == FF_ERROR_STEP && step->wanted_h < h) { /* an impact */
      save_backup(work);
      share = step->wanted_h / whole;
      shortest = lesser(shortest, SHORTEST * share);
      status = FF_OK;
    } else if (status == FF_ERROR_STEP && !step->prisms_fixed &&
               ff_quasi_has_prisms(&step->problem)) {
      step->prisms_fixed = true;
      status = FF_OK;
    } else if (status == FF_ERROR_STEP && share > shortest && last - ff_effort > WORK_LEAST &&
               !ff_is_cancelled(&work->cancelled)) {
      save_backup(work);
      share *= 0.5;
      *size = share;
      step->cuts++;
      status = FF_OK;
    }
  }
  return status;
}

/* ---- the stepper ------------------------------------------------------------------------ */

/* Lets bodies at rest fall asleep after a step of length h. Asleep, they are of no island. */
static void end_sleep(ff_work *work, double h) {
  int asleep = work->state->sleep.count;
  ff_sleep_end(work->model, work->state, h);
  if (work->state->sleep.count != asleep) {
    work->quasi->unchanged = false;
    work->quasi->problem.grouped_contacts = -1;
  }
}

/* Wakes what a force is applied to. True: all sleeps on. */
static bool begin_sleep(ff_work *work, double t_end) {
  int asleep = work->state->sleep.count;
  bool quiet = ff_sleep_begin(work->model, work->state, t_end);
  if (work->state->sleep.count != asleep) {
    work->quasi->unchanged = false;
    work->quasi->problem.grouped_contacts = -1;
  }
  return quiet;
}

static ff_status quasi_rigid_step(ff_work *work, double t_end) {
  quasi_step *step = work->quasi;
  const double t = work->state->t, nominal = work->model->run.stepper.step;
  /* the nominal length, if the times differ from it by rounding only: else all steps would differ
   * in their last digits */
  double h = t_end - t;
  h = fabs(h - nominal) <= 4 * DBL_EPSILON * t_end ? nominal : h;
  if (begin_sleep(work, t_end)) {
    work->state->t = step->predictor_end = t_end;
    work->steps++;
    return FF_OK;
  }
  if (step->unchanged && h == step->problem.h) { /* the same step again */
    add_ledger(step);
    work->state->t = step->predictor_end = t_end;
    work->solver.problems += step->slept_solves;
    work->solver.repeated++;
    work->steps++;
    end_sleep(work, h);
    return FF_OK;
  }
  const long problems = work->solver.problems, before = ff_effort;
  const long most = WORK_LIMIT + WORK_PER_CONTACT * (long)step->problem.contact_count;
  double size = 1;
  bool once;
  step->unchanged = step->has_backup = step->prisms_fixed = false;
  step->solver.first_factor = step->solver.factors + 1; /* none of an earlier step: see keep */
  ff_status status = take_substeps(work, h, t_end, &size, &once);
  work->solver.effort = fmax(work->solver.effort, (double)(ff_effort - before) / (double)most);
  if (status != FF_OK) {
    work->trouble.step = step->problem.h;
    work->trouble.spent = ff_effort > step->solver.work_limit;
    if (step->has_backup) {
      restore_backup(work, t);
    }
    ff_bodies_update(work->model, work->state, t, work->state->y);
    update_robots(work);
    return ff_is_cancelled(&work->cancelled) ? FF_CANCELLED : status;
  }
  work->steps++;
  work->solver.cut_steps += size < 1;
  work->solver.impact_steps += size == 1 && !once;
  step->unchanged = step->unchanged && once;
  work->state->divided = !once;
  step->slept_solves = work->solver.problems - problems;
  end_sleep(work, h);
  return FF_OK;
}

static void quasi_rigid_keep(ff_work *work, ff_keep *keep) {
  quasi_step *step = work->quasi;
  ff_keep_block(keep, "predictor", step->predictor, 2 * work->model->free_count,
                sizeof *step->predictor);
  ff_keep_numbers(keep, "predictor.end", &step->predictor_end, 1);
  ff_keep_numbers(keep, "step", &step->problem.h, 1);
  ff_keep_numbers(keep, "step.before", &step->h_before, 1);
  ff_keep_numbers(keep, "impact.step", &step->impact_h, 1);
  ff_keep_numbers(keep, "impact.end", &step->impact_end, 1);
  ff_keep_count(keep, "step.contacts", &step->problem.contact_count,
                step->problem.contact_capacity);
  ff_keep_block(keep, "asleep", &step->unchanged, 1, sizeof step->unchanged);
  ff_keep_block(keep, "asleep.solves", &step->slept_solves, 1, sizeof step->slept_solves);
  ff_keep_numbers(keep, "asleep.ledger", step->ledger, FF_Y_LEDGER);
}

/* State of a point that is new: its layer is compressed by the overlap of the bodies. */
static void init_point(const ff_state *state, ff_point *point, const quasi_contact *contact) {
  ff_layer_point *own = ff_state_layer_point(state, point);
  if (point->known) {
    return;
  }
  *point = (ff_point){.known = true, .touching = contact != NULL};
  *own = (ff_layer_point){.left = INFINITY};
  point->patch.depth = contact ? contact->touch.depth : -INFINITY;
  if (contact) {
    point->point = contact->touch.point; /* the ledger of the first step needs the start */
    point->normal = contact->touch.normal;
    point->id = contact->touch.id;
    point->weight = contact->touch.weight;
    own->prism[0] = contact->touch.spin[0];
    own->prism[1] = contact->touch.spin[1];
    own->tied[0] = contact->on_a;
    own->tied[1] = contact->on_b;
    ff_quasi_layer_init(contact->layer, contact->touch.depth, own);
    ff_quasi_layer_store(contact->layer, own, (const double[2]){0, 0}, point);
  }
}

/* Contacts at the present state, which was set from outside: no history counts. */
static ff_status quasi_rigid_refresh(ff_work *work) {
  ff_state *state = work->state;
  quasi_step *step = work->quasi;
  quasi_problem *problem = &step->problem;
  const ff_model *model = work->model;
  ff_bodies_update(model, state, state->t, state->y);
  if (ff_candidates_stale(model, state, state->t, state->y)) {
    ff_candidates_wish(model, state, model->run.stepper.step);
    ff_status status = ff_work_list(work);
    if (status != FF_OK) {
      return status;
    }
  }
  memset(step->predictor, 0, 2 * (size_t)model->free_count * sizeof *step->predictor);
  step->predictor_end = NAN;
  state->active_count = -1;
  step->impact_h = INFINITY;
  step->impact_end = -INFINITY;
  step->reselections = 0;
  step->repeated = step->unchanged = false;
  step->solver.first_factor = step->solver.factors + 1;
  for (int i = 0; i < model->body_count; i++) {
    quasi_body *body = &problem->bodies[i];
    body->id = i;
    body->node = ff_mover_of(model, i);
    if (model->bodies[i].kind == FF_BODY_FIXED) {
      begin_body(step, i);
      body->end = state->bodies[i];
    }
  }
  problem->margin_factor = 0;
  clear_wanted(step);
  fly_freely(step, state->t, 0);
  problem->h = step->h_before = model->run.stepper.step;
  if (!ff_quasi_select_contacts(step)) {
    return FF_ERROR_CAPACITY;
  }
  for (int k = 0; k < problem->contact_count; k++) {
    init_point(state, &state->points[problem->contacts[k].point], &problem->contacts[k]);
  }
  for (int i = 0; i < state->point_count; i++) {
    init_point(state, &state->points[i], NULL);
  }
  return FF_OK;
}

const ff_stepper ff_stepper_quasi_rigid = {
    .point_size = sizeof(ff_layer_point),
    .create = ff_quasi_create,
    .destroy = ff_quasi_destroy,
    .grow = ff_quasi_grow,
    .keep = quasi_rigid_keep,
    .refresh = quasi_rigid_refresh,
    .step = quasi_rigid_step,
};
