/* quasi-rigid: backward Euler with the geometry of the end of the step [Chakraborty07].
 *
 * A step asks for velocities and impulses such that, where they bring the bodies, the layers are
 * pressed as the impulses say, no core enters another, and friction dissipates all it may. Nothing
 * of it is linearised: the bodies do not sink in at large steps, and what rolls goes on rolling.
 *
 * Departures from the paper: fewer unknowns (see quasi_problem.c); angular momentum is the
 * unknown and not angular velocity, and bodies turn freely in between by the splitting of
 * rotation.h, so that fast spin is stable where an explicit gyroscopic term is not.
 *
 * A step in which two finite shapes would pass through each other is cut, as one that is not
 * solved.
 *
 * Ways out, in this order: free flight, if it violates nothing; the island's problem from a warm
 * start, a cold one, from a smooth surface that grows rough, and with friction weighed differently;
 * half the step, and half of that; at last a status, with the state as it was.
 */
#include "step/quasi_rigid.h"

#include "base/memory.h"
#include "math/vec.h"
#include "step/candidates.h"
#include "step/forces.h"
#include "step/stepper.h"

#include <string.h>

enum {
  UNKNOWN_LIMIT = 600, /* of one island; beyond, the dense solver is the wrong tool */
  HALVINGS = 8,
  LOOKS = 6 /* times the list of candidates is made anew in one step */
};
#define TOLERANCE 1e-11

/* ---- life ------------------------------------------------------------------------------- */

static void destroy(ff_work *work) {
  if (work->quasi) {
    ff_ncp_destroy(work->quasi->ncp);
    ff_arena_free(&work->quasi->arena);
    ff_free(work->quasi);
    work->quasi = NULL;
  }
}

static ff_status create_ncp(ff_quasi *quasi) {
  ff_ncp_def def = ff_ncp_def_default();
  def.size = quasi->unknown_limit;
  def.residual = ff_quasi_residual;
  def.jacobian = ff_quasi_jacobian;
  def.context = quasi;
  def.method = FF_NCP_MIN;
  def.tolerance = TOLERANCE;
  def.max_iterations = 300;
  return ff_ncp_create(&quasi->ncp, &def, NULL);
}

static ff_status create(ff_work *work) {
  const ff_model *model = work->model;
  ff_quasi *quasi = ff_alloc(1, sizeof *quasi);
  if (!quasi) {
    return FF_ERROR_MEMORY;
  }
  work->quasi = quasi;
  *quasi = (ff_quasi){.model = model, .state = work->state};
  quasi->contact_capacity = work->state->point_capacity;
  double most = 6.0 * model->free_count + 4.0 * quasi->contact_capacity;
  quasi->unknown_limit = most < UNKNOWN_LIMIT ? (int)fmax(most, 1) : UNKNOWN_LIMIT;
  size_t contacts = (size_t)quasi->contact_capacity, unknowns = (size_t)quasi->unknown_limit;
  quasi->bodies = ff_arena_take(&quasi->arena, (size_t)model->body_count, sizeof *quasi->bodies);
  quasi->contacts = ff_arena_take(&quasi->arena, contacts, sizeof *quasi->contacts);
  quasi->members = ff_arena_take(&quasi->arena, contacts, sizeof *quasi->members);
  quasi->z = ff_arena_take(&quasi->arena, unknowns, sizeof *quasi->z);
  quasi->lower = ff_arena_take(&quasi->arena, unknowns, sizeof *quasi->lower);
  quasi->good = ff_arena_take(&quasi->arena, unknowns, sizeof *quasi->good);
  quasi->held_nears =
      ff_arena_take(&quasi->arena, (size_t)work->state->near_capacity, sizeof(ff_near));
  quasi->held_points = ff_arena_take(&quasi->arena, contacts, sizeof(ff_point));
  bool room = quasi->held_nears && quasi->held_points && quasi->bodies && quasi->contacts &&
              quasi->members && quasi->z && quasi->lower && quasi->good;
  return room ? create_ncp(quasi) : FF_ERROR_MEMORY;
}

/* ---- one step ------------------------------------------------------------------------------ */

/* Bodies at the start, and at the end of a step without contact. */
static void fly(ff_quasi *quasi, double t, double h) {
  const ff_model *model = quasi->model;
  quasi->h = h;
  ff_forces_outside(model, quasi->state, t, quasi->state->y, NULL);
  for (int i = 0; i < model->body_count; i++) {
    const ff_body_motion *now = &quasi->state->bodies[i];
    ff_quasi_body *body = &quasi->bodies[i];
    *body = (ff_quasi_body){.id = i,
                            .unknown = -1,
                            .x = now->pose.position,
                            .q = now->pose.orientation,
                            .v0 = now->velocity,
                            .w0 = now->omega};
    int slot = model->bodies[i].slot;
    if (slot < 0) {
      body->end = ff_motion_at(&model->bodies[i], t + h);
      body->v0 = body->end.velocity; /* it is what it is: no impulse changes it */
      body->w0 = body->end.omega;
      continue;
    }
    const ff_wrench *wrench = &quasi->state->wrenches[i];
    ff_vec3 pull = v3_axpy(model->run.gravity, model->bodies[i].inv_mass, wrench->force);
    body->v = v3_axpy(now->velocity, h, pull);
    body->l = v3_axpy(v3_load(ff_state_body(quasi->state, slot) + FF_Y_L), h, wrench->torque);
    ff_quasi_move(quasi, body, body->v, body->l);
  }
}

/* Does free flight press a layer or a core of this contact? */
static bool is_pressed(ff_quasi *quasi, ff_quasi_contact *contact) {
  ff_quasi_look(quasi, contact);
  return contact->p_ns > 0 || contact->touch.depth > contact->layer->max_deflection;
}

/* Solves every island that needs it. */
static ff_status solve_islands(ff_quasi *quasi) {
  const ff_model *model = quasi->model;
  for (int slot = 0; slot < model->free_count; slot++) {
    bool needed = false;
    for (int k = 0; k < quasi->contact_count; k++) {
      ff_quasi_contact *contact = &quasi->contacts[k];
      needed = (contact->island == slot && is_pressed(quasi, contact)) || needed;
    }
    quasi->island = slot;
    if (needed && !ff_quasi_solve(quasi)) {
      return quasi->size > quasi->unknown_limit ? FF_ERROR_CAPACITY : FF_ERROR_STEP;
    }
  }
  return FF_OK;
}

/* Gravity and applied forces, as they act in the step: at the place where it starts. */
static void book_outside(ff_work *work, double h) {
  ff_state *state = work->state;
  double *ledger = ff_state_ledger(state), rates[FF_Y_LEDGER];
  ff_forces_outside(work->model, state, state->t, state->y, rates);
  for (int i = 0; i < FF_Y_LEDGER; i++) {
    ledger[i] += h * rates[i];
  }
  for (int slot = 0; slot < work->model->free_count; slot++) {
    const ff_model_body *body = &work->model->bodies[work->model->free_bodies[slot]];
    ff_vec3 weight = v3_scale(h * body->mass, work->model->run.gravity);
    ff_vec3 x = v3_load(ff_state_body(state, slot) + FF_Y_X);
    double *to = ledger + FF_Y_IMPULSE;
    v3_store(to, v3_add(v3_load(to), weight));
    to = ledger + FF_Y_ANGULAR;
    v3_store(to, v3_add(v3_load(to), v3_cross(x, weight)));
  }
}

/* Is what was found a state one can go on from? */
static bool is_finite(const ff_quasi *quasi) {
  for (int slot = 0; slot < quasi->model->free_count; slot++) {
    const ff_quasi_body *body = &quasi->bodies[quasi->model->free_bodies[slot]];
    if (!v3_finite(body->end.pose.position) || !v3_finite(body->end.velocity) ||
        !v3_finite(body->momentum) || !isfinite(q_norm(body->end.pose.orientation))) {
      return false;
    }
  }
  return true;
}

/* Did a body leave what the list of candidates covers? */
static bool is_far(const ff_quasi *quasi) {
  const ff_state *state = quasi->state;
  for (int i = 0; i < quasi->model->body_count; i++) {
    ff_vec3 moved = v3_sub(quasi->bodies[i].end.pose.position, state->listed_at[i]);
    if (!(v3_norm(moved) <= 0.5 * state->skin)) {
      return true;
    }
  }
  return false;
}

/* Takes the solution over. */
static void arrive(ff_work *work, double h) {
  const ff_quasi *quasi = work->quasi;
  ff_state *state = work->state;
  book_outside(work, h);
  for (int slot = 0; slot < work->model->free_count; slot++) {
    const ff_quasi_body *body = &quasi->bodies[work->model->free_bodies[slot]];
    double *y = ff_state_body(state, slot);
    ff_quat q = body->end.pose.orientation;
    v3_store(y + FF_Y_X, body->end.pose.position);
    y[FF_Y_Q] = q.w;
    v3_store(y + FF_Y_Q + 1, v3(q.x, q.y, q.z));
    v3_store(y + FF_Y_V, body->end.velocity);
    v3_store(y + FF_Y_L, body->momentum);
  }
  ff_quasi_book(work->quasi);
}

/* One step as it is. On failure the state is as before. */
static ff_status try_step(ff_work *work, double end) {
  ff_quasi *quasi = work->quasi;
  ff_state *state = work->state;
  quasi->widen = 1;
  for (int look = 0; look < LOOKS; look++) {
    fly(quasi, state->t, end - state->t);
    ff_status status = ff_quasi_gather(quasi) ? solve_islands(quasi) : FF_ERROR_CAPACITY;
    if (status != FF_OK) {
      return status;
    }
    if (!is_finite(quasi)) {
      return FF_ERROR_STEP;
    }
    if (is_far(quasi)) {
      status = ff_candidates_update(work->model, state, 4 * state->skin);
      if (status != FF_OK) {
        return status;
      }
    } else if (ff_quasi_missed(quasi)) {
      quasi->widen *= 4;
    } else if (ff_quasi_skipped(quasi)) {
      return FF_ERROR_STEP;
    } else {
      arrive(work, quasi->h);
      state->t = end;
      ff_bodies_update(work->model, state, end, state->y);
      return FF_OK;
    }
  }
  return FF_ERROR_STEP;
}

/* ---- the stepper ------------------------------------------------------------------------------
 */

static ff_status list_candidates(ff_work *work) {
  ff_state *state = work->state;
  ff_bodies_update(work->model, state, state->t, state->y);
  if (!ff_candidates_stale(work->model, state, state->t, state->y)) {
    return FF_OK;
  }
  double skin = ff_candidates_skin(work->model, state, work->model->run.stepper.step);
  return ff_candidates_update(work->model, state, skin);
}

/* The layer of a point that nobody knows yet is as deep as the bodies overlap. */
static void know(ff_point *point, const ff_quasi_contact *contact) {
  if (!point->known) {
    double depth = contact ? contact->touch.depth : 0;
    *point = (ff_point){.known = true, .touching = contact != NULL, .deflection = depth};
    point->patch.depth = contact ? depth : -INFINITY;
    point->energy_n = contact ? 0.5 * contact->layer->stiffness * depth * depth : 0;
  }
}

/* Contacts at the present state. */
static ff_status refresh(ff_work *work) {
  ff_state *state = work->state;
  ff_quasi *quasi = work->quasi;
  ff_status status = list_candidates(work);
  if (status != FF_OK) {
    return status;
  }
  quasi->widen = 0;
  fly(quasi, state->t, 0);
  quasi->h = work->model->run.stepper.step;
  if (!ff_quasi_gather(quasi)) {
    return FF_ERROR_CAPACITY;
  }
  for (int k = 0; k < quasi->contact_count; k++) {
    know(&state->points[quasi->contacts[k].point], &quasi->contacts[k]);
  }
  for (int i = 0; i < state->point_count; i++) {
    know(&state->points[i], NULL);
  }
  return FF_OK;
}

/* What a step that fails must give back beside y. */
static void hold(ff_quasi *quasi) {
  const ff_state *state = quasi->state;
  quasi->held_count = state->near_count;
  memcpy(quasi->held_nears, state->nears, (size_t)state->near_count * sizeof *state->nears);
  memcpy(quasi->held_points, state->points, (size_t)state->point_count * sizeof *state->points);
}

static void give_back(ff_quasi *quasi) {
  const ff_state *state = quasi->state;
  for (int n = 0; n < state->near_count; n++) {
    const ff_near *to = &state->nears[n];
    for (int k = 0; k < quasi->held_count; k++) {
      const ff_near *from = &quasi->held_nears[k];
      if (from->shape_a == to->shape_a && from->shape_b == to->shape_b) {
        memcpy(&state->points[to->first_point], &quasi->held_points[from->first_point],
               (size_t)to->point_count * sizeof *state->points);
      }
    }
  }
}

/* A step, in halves if it must be: done and size count parts of 2^-HALVINGS. */
static ff_status step(ff_work *work, double t_end) {
  ff_state *state = work->state;
  double t = state->t, whole = t_end - t;
  const long parts = 1L << HALVINGS;
  long done = 0, size = parts;
  memcpy(work->before, state->y, (size_t)state->size * sizeof *state->y);
  ff_status status = list_candidates(work);
  hold(work->quasi);
  while (status == FF_OK && done < parts) {
    double end = t + whole * (double)(done + size) / (double)parts;
    status = try_step(work, done + size == parts ? t_end : end);
    if (status == FF_OK) {
      done += size;
    } else if (status == FF_ERROR_STEP && size > 1) {
      size /= 2;
      status = FF_OK;
    }
  }
  if (status != FF_OK) {
    memcpy(state->y, work->before, (size_t)state->size * sizeof *state->y);
    state->t = t;
    give_back(work->quasi);
    ff_bodies_update(work->model, state, t, state->y);
    return status;
  }
  work->steps++;
  return FF_OK;
}

const ff_stepper ff_stepper_quasi_rigid = {
    .name = "quasi-rigid",
    .order = 1,
    .create = create,
    .destroy = destroy,
    .refresh = refresh,
    .step = step,
};
