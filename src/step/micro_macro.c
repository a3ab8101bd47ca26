/* micro-macro: elastic parts by forces, rigid ones by impulses, at steps of milliseconds
 * [Sugihara03].
 *
 * A step goes from velocities to velocities with the contacts and the inertia of its start, then
 * moves everything along the new velocities: symplectic Euler of first order, as in the paper.
 * What touches nothing falls exactly.
 *
 * Departures, each of which an option undoes (docs/micro-macro.md): micro forces are implicit;
 * friction of elastic parts sticks; rigid parts act before they are entered, give back what
 * sticking points creep, and are left by position correction; where the friction of a solution
 * would tear a point loose, or turn its slip around, impulses are solved for again with that known,
 * instead of being modified only.
 */
#include "step/micro_macro.h"

#include "base/memory.h"
#include "math/vec.h"
#include "step/candidates.h"
#include "step/detection.h"
#include "step/forces.h"
#include "step/robots.h"
#include "step/rotation.h"
#include "step/samples.h"
#include "step/sleep.h"
#include "step/stepper.h"

#include <string.h>

enum {
  SIZE_LIMIT = 600,  /* coordinates of one island that is no crowd, and unknowns; dense matrices are
                        the wrong tool beyond */
  LIFTS = 4,         /* times that positions are corrected after a step */
  FOLDS = 12,        /* times that the friction of elastic parts is settled anew, */
  FOLDS_PRINTED = 3, /* and in the printed form */
  QP_ITERATIONS = 100
};

/* ---- life ------------------------------------------------------------------------------- */

static void micro_destroy(ff_work *work) {
  if (work->micro) {
    ff_qp_destroy(&work->micro->qp);
    ff_arena_free(&work->micro->arena);
    ff_free(work->micro);
    work->micro = NULL;
  }
}

static int at_most(double wanted, int limit) {
  return wanted < 1 ? 1 : wanted < limit ? (int)wanted : limit;
}

/* Places of the movers' changes; how many coordinates there are. */
static int place_changes(ff_micro *micro) {
  int sum = 0;
  for (int i = 0; i < ff_mover_count(micro->model); i++) {
    micro->change_at[i] = sum;
    sum += ff_mover_size(micro->model, i);
  }
  return sum;
}

static bool make_lists(ff_micro *micro) {
  size_t movers = (size_t)ff_mover_count(micro->model) + 1;
  size_t contacts = (size_t)micro->contact_capacity;
  ff_arena *arena = &micro->arena;
  micro->contacts = ff_arena_take(arena, contacts, sizeof *micro->contacts);
  micro->unsorted = ff_arena_take(arena, contacts, sizeof *micro->unsorted);
  micro->held = ff_arena_take(arena, contacts, sizeof *micro->held);
  micro->held_own = ff_arena_take(arena, contacts, sizeof *micro->held_own);
  micro->island = ff_arena_take(arena, movers, sizeof *micro->island);
  micro->movers = ff_arena_take(arena, movers, sizeof *micro->movers);
  micro->mover_start = ff_arena_take(arena, movers + 1, sizeof *micro->mover_start);
  micro->contact_start = ff_arena_take(arena, movers + 1, sizeof *micro->contact_start);
  micro->change_at = ff_arena_take(arena, movers, sizeof *micro->change_at);
  micro->shares = ff_arena_take(arena, movers, sizeof *micro->shares);
  micro->in_crowd = ff_arena_take(arena, movers, sizeof *micro->in_crowd);
  micro->places = ff_arena_take(arena, (size_t)micro->model->body_count, sizeof *micro->places);
  return micro->contacts && micro->unsorted && micro->held && micro->held_own && micro->island &&
         micro->movers && micro->mover_start && micro->contact_start && micro->change_at &&
         micro->shares && micro->in_crowd && micro->places;
}

static bool make_programme(ff_micro *micro) {
  size_t n = (size_t)micro->unknown_limit;
  ff_arena *arena = &micro->arena;
  double **vectors[] = {&micro->target, &micro->gradient, &micro->lower, &micro->x, &micro->miss};
  bool room = true;
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = ff_arena_take(arena, n, sizeof(double));
    room = room && *vectors[i];
  }
  micro->columns = ff_arena_take(arena, n * n, sizeof(double));
  micro->hessian = ff_arena_take(arena, n * n, sizeof(double));
  micro->factor = ff_arena_take(arena, n * n, sizeof(double));
  micro->eases = ff_arena_take(arena, n * n, sizeof(double));
  micro->picked = ff_arena_take(arena, n, sizeof(int));
  micro->chain = ff_arena_take(arena, n, sizeof(int));
  for (int i = 0; micro->chain && i < micro->unknown_limit; i++) {
    micro->chain[i] = i - 1;
  }
  return room && micro->columns && micro->hessian && micro->factor && micro->eases &&
         micro->picked && micro->chain;
}

static ff_status micro_create(ff_work *work) {
  ff_micro *micro = ff_alloc(1, sizeof *micro);
  if (!micro) {
    return FF_ERROR_MEMORY;
  }
  work->micro = micro;
  *micro = (ff_micro){.model = work->model,
                      .state = work->state,
                      .info = &work->solver,
                      .cancelled = &work->cancelled,
                      .team = &work->team};
  micro->contact_capacity = work->state->point_capacity;
  micro->unknown_limit = at_most(3.0 * micro->contact_capacity, SIZE_LIMIT);
  if (!make_lists(micro) || !make_programme(micro) || ff_micro_create_crowd(micro) != FF_OK) {
    return FF_ERROR_MEMORY;
  }
  int coordinates = place_changes(micro);
  int size = at_most(coordinates, SIZE_LIMIT);
  micro->change = ff_arena_take(&micro->arena, (size_t)coordinates, sizeof(double));
  micro->base = ff_arena_take(&micro->arena, (size_t)size, sizeof(double));
  micro->folded = ff_arena_take(&micro->arena, (size_t)size, sizeof(double));
  micro->reached = ff_arena_take(&micro->arena, (size_t)size, sizeof(double));
  if (!micro->change || !micro->base || !micro->folded || !micro->reached) {
    return FF_ERROR_MEMORY;
  }
  ff_qp_def def = ff_qp_def_default();
  def.size = def.rows = micro->unknown_limit;
  def.max_iterations = QP_ITERATIONS;
  def.tolerance = 1e-9;
  ff_rows_limits limits = {.size = size,
                           .contacts = micro->unknown_limit / 3,
                           .matrices = (size_t)size * (size_t)size,
                           .numbers = (size_t)micro->unknown_limit * (size_t)size,
                           .stiffens = true};
  ff_status status = ff_rows_make(&micro->rows, work->model, &micro->arena, limits);
  return status == FF_OK ? ff_qp_create(&micro->qp, &def, NULL) : status;
}

static ff_status micro_grow(ff_work *work) {
  ff_micro *before = work->micro;
  work->micro = NULL;
  ff_status status = micro_create(work);
  ff_micro *grown = work->micro;
  if (status == FF_OK) { /* what a step needs after a new pair list */
    size_t points = (size_t)before->contact_capacity;
    grown->h = before->h;
    memcpy(grown->held, before->held, points * sizeof *grown->held);
    memcpy(grown->held_own, before->held_own, points * sizeof *grown->held_own);
  }
  work->micro = status == FF_OK ? before : grown; /* the one to drop */
  micro_destroy(work);
  work->micro = status == FF_OK ? grown : before;
  return status;
}

/* ---- an island ------------------------------------------------------------------------------- */

/* Generalised impulse of a free body without contacts, in its coordinates; turning bodies
 * resist. */
static void micro_body_impulse(const ff_micro *micro, int slot, double *to) {
  int id = micro->model->free_bodies[slot];
  const ff_model_body *body = &micro->model->bodies[id];
  const ff_wrench *wrench = &micro->state->wrenches[id];
  ff_vec3 momentum = v3_load(ff_state_body(micro->state, slot) + FF_Y_L);
  ff_vec3 gyro = v3_cross(micro->state->bodies[id].omega, momentum);
  ff_vec3 force = v3_axpy(wrench->force, body->mass, micro->model->run.gravity);
  ff_vec3 torque = v3_sub(wrench->torque, gyro);
  torque = body->round ? torque : q_unrotate(micro->state->bodies[id].pose.orientation, torque);
  if (ff_sleep_holds(micro->model, micro->state, id)) {
    memset(to, 0, 6 * sizeof *to);
    return;
  }
  v3_store(to, v3_scale(micro->h, torque));
  v3_store(to + 3, v3_scale(micro->h, force));
}

/* Does a contact join two movers, or two links of one? */
static bool is_tied(const ff_micro *micro) {
  for (int k = 0; k < micro->member_count; k++) {
    const ff_micro_contact *contact = &micro->members[k];
    if (ff_mover_of(micro->model, contact->a) >= 0 && ff_mover_of(micro->model, contact->b) >= 0) {
      return true;
    }
  }
  return false;
}

bool ff_micro_add_rows(ff_micro *micro, const int *movers, int count) {
  const ff_model *model = micro->model;
  ff_rows_begin(&micro->rows, model, micro->state, movers, count, is_tied(micro));
  for (int k = 0; k < micro->member_count; k++) {
    ff_micro_contact *contact = &micro->members[k];
    ff_row_axes at = ff_row_axes_of(&micro->state->points[contact->point]);
    contact->row = ff_rows_add(&micro->rows, model, micro->state, contact->a, contact->b, &at);
    if (contact->row < 0) {
      return false;
    }
  }
  return true;
}

/* Inertia, rows and impulse of the island that is at hand. */
static bool assemble_micro_island(ff_micro *micro, const int *movers, int count) {
  const ff_model *model = micro->model;
  double *to = micro->base;
  for (int k = 0; k < count; k++) {
    int size = ff_mover_size(model, movers[k]);
    if (to - micro->base + size > micro->rows.limits.size) {
      return false;
    }
    if (movers[k] < model->free_count) {
      micro_body_impulse(micro, movers[k], to);
    } else {
      int r = movers[k] - model->free_count; /* [Sugihara03 eq. 21, with all of b] */
      ff_robot_look_ahead(model, micro->state, r, micro->h, micro->h);
      ff_robot_impulse(model, micro->state, r, micro->h, to);
    }
    to += size;
  }
  return ff_micro_add_rows(micro, movers, count);
}

/* Speeds of the contacts with all that is known to act. */
static void evaluate_end_speeds(ff_micro *micro) {
  for (int k = 0; k < micro->member_count; k++) {
    ff_micro_contact *contact = &micro->members[k];
    ff_rows_speed(&micro->rows, contact->row, micro->reached, contact->end);
    for (int i = 0; i < 3; i++) {
      contact->end[i] += contact->speed[i];
    }
  }
}

/* Elastic parts as they are now go into inertia and impulse. False: the inertia is not positive. */
static bool fold_elastic_parts(ff_micro *micro) {
  memcpy(micro->folded, micro->base, (size_t)micro->rows.size * sizeof(double));
  ff_rows_soften(&micro->rows);
  ff_micro_fold(micro, micro->folded);
  if (!ff_rows_factor(&micro->rows)) {
    return false;
  }
  ff_rows_reach(&micro->rows, micro->folded);
  memcpy(micro->reached, micro->folded, (size_t)micro->rows.size * sizeof(double));
  evaluate_end_speeds(micro);
  ff_macro_admit(micro);
  ff_macro_ease(micro);
  return true;
}

/* Impulses with elastic parts as they were folded in. */
static ff_status solve_once(ff_micro *micro) {
  memcpy(micro->reached, micro->folded, (size_t)micro->rows.size * sizeof(double));
  evaluate_end_speeds(micro);
  bool hard = false;
  for (int k = 0; k < micro->member_count; k++) {
    hard = hard || micro->members[k].hard;
  }
  ff_status status = hard ? ff_macro_solve(micro) : FF_OK;
  if (hard) {
    evaluate_end_speeds(micro);
  }
  return status;
}

/* Solves until elastic parts do not pull, their friction is what they bear, and stick and slip
 * are settled; the last two only so often. Where elastic parts may stay as they are, nothing is
 * factored anew. */
static ff_status settle_micro_island(ff_micro *micro) {
  const ff_stepper_def *def = &micro->model->run.stepper;
  int passes = def->passes, folds = 0, most = def->corrections ? FOLDS : FOLDS_PRINTED;
  for (bool stays = false, revised = true; !stays || revised;) {
    ff_status status = stays || fold_elastic_parts(micro) ? solve_once(micro) : FF_ERROR_STEP;
    status = ff_is_cancelled(micro->cancelled) ? FF_CANCELLED : status;
    if (status != FF_OK) {
      return status;
    }
    revised = passes-- > 0 && ff_macro_revise(micro);
    if (!revised && ff_macro_modify(micro)) {
      evaluate_end_speeds(micro);
    }
    stays = ff_micro_settle(micro, folds++ >= most);
    stays = !ff_macro_admit(micro) && stays;
  }
  return FF_OK;
}

bool ff_micro_choose(ff_micro *micro, int island) {
  micro->members = micro->contacts + micro->contact_start[island];
  micro->member_count = micro->contact_start[island + 1] - micro->contact_start[island];
  return micro->member_count > 0;
}

/* During an impact velocities change along unknown paths: what the impulses of the island take is
 * the loss of the impact, friction included. */
static void spread_impact(ff_micro *micro) {
  bool impact = false;
  for (int k = 0; k < micro->member_count; k++) {
    const ff_micro_contact *contact = &micro->members[k];
    impact = impact || (contact->impact && contact->impulse[0] > 0);
  }
  for (int k = 0; k < micro->member_count; k++) {
    micro->members[k].impact = impact;
  }
}

static ff_status solve_micro_island(ff_micro *micro, int island) {
  int first = micro->mover_start[island], count = micro->mover_start[island + 1] - first;
  if (!ff_micro_choose(micro, island)) {
    return FF_OK;
  }
  if (!assemble_micro_island(micro, micro->movers + first, count)) {
    return FF_ERROR_CAPACITY;
  }
  ff_micro_meet(micro, micro->members, micro->member_count);
  ff_status status = settle_micro_island(micro);
  if (status != FF_OK) {
    return status;
  }
  spread_impact(micro);
  ff_rows_settle(&micro->rows, micro->reached);
  for (int k = first; k < first + count; k++) {
    int mover = micro->movers[k];
    size_t size = (size_t)ff_mover_size(micro->model, mover);
    memcpy(micro->change + micro->change_at[mover], micro->reached + micro->rows.first[mover],
           size * sizeof(double));
  }
  return FF_OK;
}

/* ---- moving -------------------------------------------------------------------------------- */

static bool is_touched(const ff_micro *micro, int mover) {
  int island = micro->island[mover];
  return micro->contact_start[island + 1] > micro->contact_start[island];
}

static void move_micro_body(ff_micro *micro, int slot) {
  ff_state *state = micro->state;
  int id = micro->model->free_bodies[slot];
  const ff_model_body *body = &micro->model->bodies[id];
  const ff_wrench *wrench = &state->wrenches[id];
  ff_vec3 g = micro->model->run.gravity;
  double *y = ff_state_body(state, slot), *ledger = ff_state_ledger(state), h = micro->h;
  ff_vec3 x = v3_load(y + FF_Y_X), weight = v3_scale(body->mass, g);
  ff_vec3 before = v3_load(y + FF_Y_V);
  ff_vec3 v = v3_axpy(before, h, v3_axpy(g, body->inv_mass, wrench->force));
  ff_vec3 momentum = v3_axpy(v3_load(y + FF_Y_L), h, wrench->torque);
  ff_vec3 path = v3_scale(h, v);
  if (is_touched(micro, slot)) { /* gravity pushes along the mean of the velocities */
    ledger[FF_Y_LOST + FF_LOST_STEP] += 0.5 * h * v3_dot(weight, v3_sub(v, before));
  } else { /* a fall is exact */
    path = v3_axpy(path, -0.5 * h * h, g);
  }
  /* in the middle of a fall; where the contacts are, at its start */
  ff_vec3 at = is_touched(micro, slot) ? x : v3_axpy(x, 0.5, path);
  ff_ledger_impulse(ledger, v3_scale(h, weight), v3_scale(h, v3_cross(at, weight)));
  ff_quat q = {y[FF_Y_Q], y[FF_Y_Q + 1], y[FF_Y_Q + 2], y[FF_Y_Q + 3]};
  q = ff_rotate_freely(body, q, momentum, h);
  v3_store(y + FF_Y_X, v3_add(x, path));
  y[FF_Y_Q] = q.w;
  v3_store(y + FF_Y_Q + 1, v3(q.x, q.y, q.z));
  v3_store(y + FF_Y_V, v);
  v3_store(y + FF_Y_L, momentum);
}

/* Power of gravity (W) at these joint velocities; tau of the robot is scratch. */
static double robot_gravity_power(const ff_model *model, ff_state *state, int r, const double *v) {
  ff_state_robot *robot = &state->robots[r];
  double power = 0;
  for (int pass = 0; pass < 2; pass++) {
    ff_vec3 gravity = pass == 0 ? model->run.gravity : v3(0, 0, 0);
    ff_tree_inverse_dynamics(robot->work, NULL, gravity, NULL, robot->tau);
    for (int i = 0; i < model->robots[r].v_count; i++) {
      power += (pass == 0 ? -1 : 1) * robot->tau[i] * v[i];
    }
  }
  return power;
}

static bool move_robot(ff_micro *micro, int r) {
  const ff_model *model = micro->model;
  ff_state *state = micro->state;
  int mover = model->free_count + r;
  if (!is_touched(micro, mover)) {
    return ff_robot_step(model, state, r, micro->h);
  }
  const double *change = micro->change + micro->change_at[mover];
  ff_state_robot *robot = &state->robots[r];
  const double *v = state->y + model->robots[r].v_at;
  for (int i = 0; i < model->robots[r].v_count; i++) {
    robot->a[i] = change[i] / micro->h;
    robot->path[i] = v[i] + micro->h * robot->a[i];
  }
  /* as of bodies: gravity pushes along the mean of the velocities */
  ff_state_ledger(state)[FF_Y_LOST + FF_LOST_STEP] +=
      0.5 * micro->h * robot_gravity_power(model, state, r, change);
  robot->solved = true;
  ff_robot_move(model, state, r, micro->h, micro->h);
  return true;
}

/* ---- the stepper ------------------------------------------------------------------------------
 */

/* All that acts on bodies and robots without contacts. */
static void load_micro_forces(ff_work *work) {
  ff_state *state = work->state;
  double *ledger = work->rates + state->ledger_at;
  ff_forces_outside(work->model, state, state->t, ledger);
  ff_micro_push_weights(work->model, state, ledger);
  ff_robots_load(work->model, state, state->t, state->y, ledger);
}

/* Velocities of all islands. The state stays as it is. */
static ff_status solve_micro_islands(ff_work *work) {
  ff_micro *micro = work->micro;
  ff_status status = FF_OK;
  ff_micro_gather(micro);
  for (int i = 0; i < ff_mover_count(work->model) && status == FF_OK; i++) {
    status = micro->in_crowd[i] ? FF_OK : solve_micro_island(micro, i);
  }
  if (status == FF_OK) {
    ff_micro_solve_crowds(micro);
  }
  for (int r = 0; status != FF_OK && r < work->model->robot_count; r++) {
    ff_robot_drop(work->model, work->state, r);
  }
  return status;
}

static bool move_all(ff_work *work) {
  ff_micro *micro = work->micro;
  double *ledger = ff_state_ledger(work->state);
  double *rates = work->rates + work->state->ledger_at;
  ff_micro_book(micro, rates);
  for (int i = 0; i < FF_Y_LEDGER; i++) {
    ledger[i] += micro->h * rates[i];
  }
  for (int slot = 0; slot < work->model->free_count; slot++) {
    if (!ff_sleep_holds_slot(work->model, work->state, slot)) {
      move_micro_body(micro, slot);
    }
  }
  bool good = true;
  for (int r = 0; r < work->model->robot_count; r++) {
    good = move_robot(micro, r) && good;
  }
  return good;
}

/* A contact that an impulse stopped before it overlapped touches, too. */
static void show_early_impacts(ff_state *state) {
  int active = ff_state_active_count(state);
  for (int k = 0; k < active; k++) {
    const ff_meet *meet = ff_state_active(state, k);
    for (int n = meet->first_near; n < meet->first_near + meet->near_count; n++) {
      const ff_near *near = &state->nears[n];
      for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
        ff_point *point = &state->points[i];
        if (!point->touching && ff_point_is_found(point) && point->force_n > 0) {
          point->touching = true;
          ff_contact_motion(state, meet, point);
        }
      }
    }
  }
}

/* Bodies where the state is now, and pairs that are near there. */
static ff_status list_micro_pairs(ff_work *work) {
  ff_state *state = work->state;
  bool stale = ff_candidates_stale(work->model, state, state->t, state->y);
  ff_bodies_update(work->model, state, state->t, state->y);
  if (!stale) {
    return FF_OK;
  }
  ff_candidates_wish(work->model, state, work->model->run.stepper.step);
  return ff_work_list(work);
}

/* Contact points where the bodies are, and the energy of their elastic parts. */
static ff_status find_micro_points(ff_work *work) {
  ff_state *state = work->state;
  ff_status status = FF_OK;
  bool lacked;
  do {
    ff_contacts_find(work->model, state);
    lacked = ff_work_lacked_points(work, &status);
    state->evaluations += lacked; /* of forces: none was taken back */
  } while (lacked && status == FF_OK);
  ff_samples_forget(work->model, state);
  ff_micro_store(work->model, state);
  return status;
}

static ff_status micro_refresh(ff_work *work) {
  ff_status status = list_micro_pairs(work);
  status = status == FF_OK ? find_micro_points(work) : status;
  show_early_impacts(work->state);
  return status;
}

static void restore_micro_state(ff_work *work, double t) {
  ff_work_restore(work);
  work->state->t = t;
  micro_refresh(work);
}

/* Out of rigid parts, in as many passes as the curvature of the shapes may need; not in the printed
 * form of the model. False: not possible. */
static bool leave_rigid_parts(ff_work *work) {
  const ff_model *model = work->model;
  for (int pass = 0; pass < LIFTS && model->run.stepper.corrections; pass++) {
    if (!ff_micro_is_inside(model, work->state)) {
      return true;
    }
    double stored = ff_micro_elastic_energy(work->state);
    if (!ff_micro_leave(work->micro, work->micro->places) || !ff_work_tidy(work) ||
        find_micro_points(work) != FF_OK) {
      return false;
    }
    stored -= ff_micro_elastic_energy(work->state);
    ff_state_ledger(work->state)[FF_Y_LOST + FF_LOST_STEP] += stored;
  }
  return true;
}

/* Wakes what a body that is awake pushes. False: nothing of it was asleep. */
static bool wake_pushed_bodies(ff_micro *micro) {
  const ff_model *model = micro->model;
  ff_state *state = micro->state;
  bool woke = false;
  for (int k = 0; k < micro->contact_count; k++) {
    const ff_micro_contact *c = &micro->contacts[k];
    bool a = ff_sleep_holds(model, state, c->a), b = ff_sleep_holds(model, state, c->b);
    bool pushes = c->force[0] != 0 || c->force[1] != 0 || c->force[2] != 0 || c->impulse[0] != 0;
    if (a != b && pushes) {
      ff_sleep_wake(model, state, a ? c->a : c->b);
      woke = true;
    }
  }
  return woke;
}

static ff_status micro_step(ff_work *work, double t_end) {
  ff_state *state = work->state;
  ff_micro *micro = work->micro;
  double t = state->t;
  micro->h = t_end - t;
  state->move_count = 0;
  if (ff_sleep_begin(work->model, state, t_end)) {
    state->t = t_end;
    work->steps++;
    return FF_OK;
  }
  memcpy(work->before, state->y, (size_t)state->size * sizeof *state->y);
  ff_status status;
  do {
    load_micro_forces(work);
    status = solve_micro_islands(work);
  } while (status == FF_OK && state->sleep.count > 0 && wake_pushed_bodies(micro));
  if (status != FF_OK) {
    return status;
  }
  if (!move_all(work) || !ff_work_tidy(work)) {
    restore_micro_state(work, t);
    return FF_ERROR_STEP;
  }
  size_t bytes = (size_t)state->point_count * sizeof *state->points;
  size_t own_bytes = (size_t)state->point_count * sizeof *micro->held_own;
  /* Only a new pair list may fail; robots are placed anew when it is asked for. */
  if (work->model->robot_count > 0 || ff_candidates_stale(work->model, state, t_end, state->y)) {
    memcpy(micro->held, state->points, bytes);
    memcpy(micro->held_own, state->own_points, own_bytes);
  }
  ff_micro_show(micro);
  bool crowd = micro->crowd.order.large_count > 0;
  state->crowd_accuracy = crowd ? work->model->run.stepper.accuracy : 0;
  state->crowd_residual = crowd ? micro->crowd.residual : 0;
  state->t = t_end;
  status = list_micro_pairs(work);
  if (status != FF_OK) {
    memcpy(state->points, micro->held, bytes); /* the list is still the old one */
    memcpy(state->own_points, micro->held_own, own_bytes);
    restore_micro_state(work, t);
    return status;
  }
  status = find_micro_points(work);
  if (status != FF_OK) {
    restore_micro_state(work, t);
    return status;
  }
  show_early_impacts(state);
  if (!leave_rigid_parts(work)) {
    restore_micro_state(work, t);
    return FF_ERROR_STEP;
  }
  ff_sleep_end(work->model, state, t_end - t); /* micro may have grown */
  work->steps++;
  return FF_OK;
}

const ff_stepper ff_stepper_micro_macro = {
    .point_size = sizeof(ff_micro_point),
    .create = micro_create,
    .destroy = micro_destroy,
    .grow = micro_grow,
    .refresh = micro_refresh,
    .step = micro_step,
};
