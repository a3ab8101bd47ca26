/* quasi-rigid: implicit steps with the geometry of the end of the step [Chakraborty07].
 *
 * A step asks for velocities and impulses such that, where they bring the bodies, the layers are
 * pressed as the impulses say, no core enters another, and friction dissipates all it may. Nothing
 * of it is linearised: the bodies do not sink in at large steps, and what rolls goes on rolling.
 *
 * Departures from the paper: fewer unknowns (see quasi_problem.c); angular momentum is the
 * unknown and not angular velocity, and bodies turn freely in between as rotation.h has it, so
 * that fast spin is stable where an explicit gyroscopic term is not.
 *
 * A step in which two finite shapes would pass through each other is cut, as one that is not
 * solved.
 *
 * Ways out, in this order: free flight, if it violates nothing; the ways of quasi_solve.c; half the
 * step, and half of that; at last a status, with the state as it was.
 */
#include "step/quasi_rigid.h"

#include "base/memory.h"
#include "math/pairs.h"
#include "math/vec.h"
#include "step/candidates.h"
#include "step/forces.h"
#include "step/robots.h"

#include <float.h>
#include <string.h>

enum {
  EFFORT = 12000000,   /* that a step may take, about a second; */
  MORE_EFFORT = 10000, /* for each contact this much more; */
  LEAST_EFFORT = 1000, /* with less there is no use in beginning */
  HALVINGS = 8,
  CHOICES = 4, /* times the parts of flat shapes that meet are chosen anew */
  LOOKS = 6    /* times the list of candidates is made anew in one step */
};

/* ---- one step ------------------------------------------------------------------------------ */

/* Is there anything that pushes beside gravity and contacts? */
static bool is_pushed(const ff_model *model) {
  return model->force_count > 0 || model->drive_count > 0 || model->robot_count > 0;
}

/* A body where the step starts. What is not set here is set by who moves it, or asked of nobody
 * else. */
static void start_body(const ff_quasi *quasi, int i) {
  const ff_body_motion *now = &quasi->state->bodies[i];
  ff_quasi_body *body = &quasi->bodies[i];
  body->link = NULL;
  body->solved = false;
  body->seen = quasi->again > 0 ? body->end.pose : now->pose;
  if (quasi->looked) {
    body->found_v = body->end.velocity;
    body->found_l = body->momentum;
  }
  body->x = now->pose.position;
  body->q = now->pose.orientation;
  body->v0 = now->velocity;
  body->w0 = now->omega;
  body->theta = quasi->model->run.stepper.order == 2 ? 0.5 : 1;
  body->strayed = false;
}

/* Bodies that never move are where they are for good. */
static void start_bodies(const ff_quasi *quasi) {
  for (int i = 0; i < quasi->model->body_count; i++) {
    ff_quasi_body *body = &quasi->bodies[i];
    body->id = i;
    body->node = ff_mover_of(quasi->model, i);
    if (quasi->model->bodies[i].kind == FF_BODY_FIXED) {
      start_body(quasi, i);
      body->end = quasi->state->bodies[i];
    }
  }
}

static void fly_free(const ff_quasi *quasi, int i) {
  const ff_model_body *of = &quasi->model->bodies[i];
  const ff_wrench *wrench = &quasi->state->wrenches[i];
  ff_quasi_body *body = &quasi->bodies[i];
  ff_vec3 pull = v3_axpy(quasi->model->run.gravity, of->inv_mass, wrench->force);
  body->v = v3_axpy(body->v0, quasi->h, pull);
  body->l0 = v3_load(ff_state_body(quasi->state, of->slot) + FF_Y_L);
  body->l = v3_axpy(body->l0, quasi->h, wrench->torque);
  ff_quasi_fly(quasi, body);
}

/* Bodies at the start, where the state shows them, and at the end of a step without contact. False:
 * a robot has no inertia. */
static bool fly(ff_quasi *quasi, double t, double h) {
  const ff_model *model = quasi->model;
  quasi->h = h;
  quasi->fall = h * v3_norm(model->run.gravity);
  if (model->robot_count > 0) { /* who was looked at elsewhere before */
    ff_robots_place(model, quasi->state, quasi->state->y);
  }
  ff_forces_outside(model, quasi->state, t, is_pushed(model) ? quasi->outside : NULL);
  for (int i = 0; i < model->body_count; i++) {
    ff_quasi_body *body = &quasi->bodies[i];
    ff_body_kind kind = model->bodies[i].kind;
    if (kind == FF_BODY_FIXED) {
      continue;
    }
    start_body(quasi, i);
    if (kind == FF_BODY_FREE) {
      fly_free(quasi, i);
    } else if (kind == FF_BODY_PRESCRIBED) {
      body->end = ff_motion_at(&model->bodies[i], t + h);
      if (model->run.stepper.order != 2) { /* order 1 knows the end only */
        body->v0 = body->end.velocity;
        body->w0 = body->end.omega;
      }
    }
  }
  return model->robot_count == 0 || ff_quasi_fly_robots(quasi, t);
}

/* Gravity and applied forces, as they act in the step: at the place where it starts. */
static void book_outside(ff_work *work, double h) {
  ff_state *state = work->state;
  double *ledger = work->quasi->booked, *rates = work->quasi->outside;
  if (work->model->robot_count > 0) { /* the solution is where they were looked at last */
    ff_robots_place(work->model, state, state->y);
    ff_robots_load(work->model, state, state->t, state->y, rates);
  }
  memset(ledger, 0, FF_Y_LEDGER * sizeof *ledger);
  for (int i = 0; is_pushed(work->model) && i < FF_Y_LEDGER; i++) {
    ledger[i] = h * rates[i];
  }
  for (int slot = 0; slot < work->model->free_count; slot++) {
    const ff_model_body *body = &work->model->bodies[work->model->free_bodies[slot]];
    ff_vec3 weight = v3_scale(h * body->mass, work->model->run.gravity);
    ff_vec3 x = ff_quasi_pivot(work->quasi, ff_quasi_node(work->quasi, slot));
    double *to = ledger + FF_Y_IMPULSE;
    v3_store(to, v3_add(v3_load(to), weight));
    to = ledger + FF_Y_ANGULAR;
    v3_store(to, v3_add(v3_load(to), v3_cross(x, weight)));
  }
}

/* Is what was found a state one can go on from? */
static bool is_finite(const ff_quasi *quasi) {
  double sum = 0; /* NAN by an infinity or a NAN */
  for (int slot = 0; slot < quasi->model->free_count; slot++) {
    const ff_quasi_body *body = &quasi->bodies[quasi->model->free_bodies[slot]];
    ff_vec3 x = body->end.pose.position, v = body->end.velocity, l = body->momentum;
    ff_quat q = body->end.pose.orientation;
    sum += (0 * x.x + 0 * x.y + 0 * x.z) + (0 * v.x + 0 * v.y + 0 * v.z);
    sum += (0 * l.x + 0 * l.y + 0 * l.z) + (0 * q.w + 0 * q.x + 0 * q.y + 0 * q.z);
  }
  for (int r = 0; r < quasi->model->robot_count; r++) {
    const ff_quasi_robot *robot = &quasi->robots[r];
    for (int k = 0; k < quasi->model->robots[r].v_count; k++) {
      sum += 0 * robot->u[k];
    }
    for (int k = 0; k < quasi->model->robots[r].q_count; k++) {
      sum += 0 * robot->q[k];
    }
  }
  return sum == 0;
}

/* Kinetic energy before contact, that of the start or of free flight, and after. */
static void weigh_motion(const ff_quasi *quasi, double *before, double *after) {
  double start = 0, flown = 0;
  for (int slot = 0; slot < quasi->model->free_count; slot++) {
    int id = quasi->model->free_bodies[slot];
    const ff_quasi_body *body = &quasi->bodies[id];
    ff_vec3 v = body->end.velocity, spin = m3_mul(body->inv_inertia, body->l);
    double mass = quasi->model->bodies[id].mass;
    start += 0.5 * (mass * v3_dot(body->v0, body->v0) + v3_dot(body->w0, body->l0));
    flown += 0.5 * (mass * v3_dot(body->v, body->v) + v3_dot(spin, body->l));
    *after += 0.5 * (mass * v3_dot(v, v) + v3_dot(body->end.omega, body->momentum));
  }
  *before = greater(start, flown);
}

/* Do contacts multiply the energy? Asked where a step was hard to solve, or had to be cut. Without
 * rebound they give back no more than layers had stored. But a body that is turned by many radians
 * in a step can end in a pose that keeps all conditions and that only a huge impulse leads to, and
 * a core that is found deep in another in a fraction of a step is shot out of it: such a solution
 * is none. Robots and bodies that move as told can give energy. */
#define THROWN 10 /* times; whole solutions of hard steps at random gain up to 4.4 */
bool ff_quasi_is_thrown(const ff_quasi *quasi) {
  const ff_model *model = quasi->model;
  for (int b = 0; b < model->body_count; b++) {
    const ff_quasi_body *body = &quasi->bodies[b];
    if (model->bodies[b].kind == FF_BODY_LINK ||
        (model->bodies[b].kind == FF_BODY_PRESCRIBED &&
         v3_dot(body->v0, body->v0) + v3_dot(body->w0, body->w0) > 0)) {
      return false;
    }
  }
  double before = 0, after = 0;
  weigh_motion(quasi, &before, &after);
  for (int i = 0; i < quasi->state->point_count; i++) {
    before += quasi->state->points[i].energy_n + quasi->state->points[i].energy_t;
  }
  return after > THROWN * before;
}

/* Did a body leave what the list of candidates covers, by its flight or by straying from that? */
static bool is_far(const ff_quasi *quasi, bool straying) {
  for (int i = 0; i < quasi->model->body_count; i++) {
    const ff_quasi_body *body = &quasi->bodies[i];
    bool moved = quasi->model->bodies[i].kind != FF_BODY_FIXED && (!straying || body->strayed);
    if (moved && ff_candidates_left(quasi->state, i, body->end.pose.position)) {
      return true;
    }
  }
  return !quasi->state->listed;
}

static void want_none(ff_quasi *quasi) {
  memset(quasi->wanted, 0, (size_t)quasi->state->near_count * sizeof *quasi->wanted);
}

/* Keeps what a step that fails must give back. Steps that go well at once need not. */
static void hold(ff_work *work) {
  ff_quasi *quasi = work->quasi;
  const ff_state *state = work->state;
  if (!quasi->held) {
    quasi->held = true;
    quasi->held_count = state->near_count;
    memcpy(work->before, state->y, (size_t)state->size * sizeof *state->y);
    memcpy(quasi->held_nears, state->nears, (size_t)state->near_count * sizeof *state->nears);
    memcpy(quasi->held_points, state->points, (size_t)state->point_count * sizeof *state->points);
  }
}

/* A list that covers the step from where it starts. */
static ff_status list_wider(ff_work *work) {
  ff_quasi *quasi = work->quasi;
  double *wish = work->state->wish;
  hold(work);
  ff_candidates_wish(work->model, work->state, quasi->h);
  for (int i = 0; i < work->model->body_count; i++) {
    double way = v3_norm(v3_sub(quasi->bodies[i].end.pose.position, quasi->bodies[i].x));
    wish[i] = fmax(wish[i], 1.5 * way);
  }
  ff_status status = ff_candidates_update(work->model, work->state);
  want_none(quasi);
  quasi->looks++; /* points have other names now */
  return status;
}

/* What contacts did to the bodies, so that the next step can start from it. */
static void learn(ff_quasi *quasi, double end) {
  double scale = 1 / quasi->h;
  for (int slot = 0; slot < quasi->model->free_count; slot++) {
    const ff_quasi_body *body = ff_quasi_node(quasi, slot);
    ff_predictor *gain = &quasi->gain[2 * slot];
    ff_vec3 v = v3_sub(body->end.velocity, body->v), l = v3_sub(body->momentum, body->l);
    if (v3_dot(v, v) + v3_dot(l, l) > 0) {
      ff_predictor_add(&gain[0], v3_scale(scale, v));
      ff_predictor_add(&gain[1], v3_scale(scale, l));
    } else { /* it flew: what was before is over */
      memset(gain, 0, 2 * sizeof *gain);
    }
  }
  quasi->gain_end = end;
  quasi->h_before = quasi->h;
}

/* In one sum for each line: weights and what bears them cancel before they are rounded. */
static void add_booked(const ff_quasi *quasi) {
  ff_take_off(ff_state_ledger(quasi->state), -1, quasi->booked, FF_Y_LEDGER);
}

/* The answer of the step before, once more: see quasi_rest.c. */
static void repeat(ff_work *work, double t_end) {
  add_booked(work->quasi);
  work->state->t = work->quasi->gain_end = t_end;
  work->solver.problems += work->quasi->answered;
  work->solver.repeated++;
  work->steps++;
}

/* Takes the solution over. */
static void arrive(ff_work *work, double h, double end) {
  ff_quasi *quasi = work->quasi;
  ff_state *state = work->state;
  bool same = quasi->timeless && ff_quasi_same_bodies(quasi);
  if (same) {
    hold(work);
  }
  learn(quasi, end);
  book_outside(work, h);
  for (int i = 0; i < work->model->body_count; i++) {
    const ff_quasi_body *body = &quasi->bodies[i];
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
    v3_store(y + FF_Y_L, body->momentum);
  }
  for (int r = 0; r < work->model->robot_count; r++) {
    ff_quasi_settle_robot(quasi, r);
  }
  ff_quasi_book(quasi);
  ff_quasi_book_joints(quasi);
  ff_quasi_calm_joints(quasi, end);
  add_booked(quasi);
  quasi->same = same && ff_quasi_same_points(quasi);
}

/* What constraints push with. */
static void push_constraints(const ff_model *model, ff_state *state) {
  for (int k = 0; k < model->constraint_count; k++) {
    const ff_model_constraint *c = &model->constraints[k];
    const ff_body_motion *a = &state->bodies[c->a], *b = &state->bodies[c->b];
    ff_constraint_rows rows;
    ff_constraint_evaluate(c, a, b, &rows);
    ff_contact_bodies bodies = {.a = c->a, .b = c->b};
    bodies.arm_a = v3_sub(rows.point_a, a->pose.position);
    bodies.arm_b = v3_sub(rows.point_a, b->pose.position);
    ff_contact_push(model, state, &bodies, rows.point_a, state->constraints[k].force,
                    state->constraints[k].moment, NULL);
  }
}

/* Robots where the state has them now, with all that pushes them: what sensors ask. */
static void show_robots(ff_work *work) {
  const ff_model *model = work->model;
  ff_state *state = work->state;
  if (model->robot_count == 0) {
    return;
  }
  ff_robots_place(model, state, state->y);
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
  push_constraints(model, state);
}

/* The attempt failed, and not because of one contact. */
static ff_status fail(const ff_quasi *quasi, ff_trouble_kind kind) {
  *quasi->trouble = (ff_trouble){.kind = kind, .a = -1, .b = -1};
  return FF_ERROR_STEP;
}

/* The next look at the step goes on from what this one found. */
static void look_again(ff_quasi *quasi) {
  quasi->looked = true;
  quasi->looks++;
  for (int k = 0; k < quasi->contact_count; k++) {
    ff_quasi_found *found = &quasi->found[quasi->contacts[k].point];
    found->look = quasi->looks;
    memcpy(found->z, quasi->contacts[k].e.z, sizeof found->z);
    found->touch = quasi->contacts[k].touch;
    found->pressed = quasi->contacts[k].p_ns > 0 || quasi->contacts[k].e.z[0] > 0;
  }
}

/* One step as it is. On failure the state is as before. choosy: rather none than one whose flat
 * shapes touch otherwise at its end than was solved for. */
static ff_status try_step(ff_work *work, double h, double end, bool choosy) {
  ff_quasi *quasi = work->quasi;
  ff_state *state = work->state;
  long fallbacks = quasi->info->fallbacks;
  quasi->widen =
      work->model->run.stepper.order == 2 ? 1 : 0.25; /* with all that touch at the start */
  quasi->again = 0;
  quasi->looked = false;
  want_none(quasi);
  for (int look = 0; look < LOOKS + quasi->again; look++) {
    if (!fly(quasi, state->t, h)) {
      return fail(quasi, FF_TROUBLE_OTHER);
    }
    ff_status status = FF_OK;
    if (is_far(quasi, false)) { /* before it is solved in vain */
      status = list_wider(work);
      status = status == FF_OK && is_far(quasi, false) ? fail(quasi, FF_TROUBLE_OTHER) : status;
    }
    if (status == FF_OK && !ff_quasi_gather(quasi)) {
      status = FF_ERROR_CAPACITY;
    }
    if (status == FF_OK && !ff_quasi_solve_islands(quasi)) {
      status = FF_ERROR_STEP;
    }
    if (status != FF_OK) {
      return status;
    }
    bool hard = quasi->info->fallbacks > fallbacks || h < 0.75 * work->model->run.stepper.step;
    if (!is_finite(quasi)) {
      return fail(quasi, FF_TROUBLE_OTHER);
    }
    if (hard && ff_quasi_is_thrown(quasi)) {
      return fail(quasi, FF_TROUBLE_THROWN);
    }
    if (quasi->strayed && is_far(quasi, true)) {
      status = list_wider(work);
      if (status != FF_OK) {
        return status;
      }
    } else if (quasi->strayed && ff_quasi_missed(quasi)) {
      quasi->widen *= look > 1 ? 4 : 1; /* else those that were missed are enough */
      look_again(quasi);
    } else if (ff_quasi_skipped(quasi)) {
      return FF_ERROR_STEP;
    } else if ((choosy || quasi->again < CHOICES) && ff_quasi_changed(quasi)) {
      look_again(quasi);
      if (++quasi->again > CHOICES) {
        return fail(quasi, FF_TROUBLE_CHANGING);
      }
    } else {
      arrive(work, quasi->h, end);
      state->t = end;
      show_robots(work);
      return FF_OK;
    }
  }
  return fail(quasi, FF_TROUBLE_CHANGING);
}

/* ---- the stepper ------------------------------------------------------------------------------
 */

/* Bodies must be where the state has them. */
static ff_status list_candidates(ff_work *work) {
  ff_state *state = work->state;
  if (!ff_candidates_stale(work->model, state, state->t, state->y)) {
    return FF_OK;
  }
  ff_candidates_wish(work->model, state, work->model->run.stepper.step);
  return ff_candidates_update(work->model, state);
}

/* The layer of a point that nobody knows yet is as deep as the bodies overlap. */
static void know(ff_point *point, const ff_quasi_contact *contact) {
  if (!point->known) {
    double depth = contact ? contact->touch.depth : 0;
    *point = (ff_point){.known = true, .touching = contact != NULL, .left = INFINITY};
    point->patch.depth = contact ? depth : -INFINITY;
    if (contact) {
      point->point = contact->touch.point; /* the ledger of the first step asks where it began */
      point->normal = contact->touch.normal;
      point->spot = contact->touch.spot;
      ff_quasi_layer_start(contact->layer, depth, point);
    }
  }
}

/* Nothing of the steps before tells what comes next. */
static void forget(ff_quasi *quasi) {
  memset(quasi->gain, 0, 2 * (size_t)quasi->model->free_count * sizeof *quasi->gain);
  quasi->gain_end = NAN;
  quasi->again = 0;
  quasi->looked = quasi->same = false;
  quasi->first_factor = quasi->factors + 1;
}

/* Contacts at the present state. */
static ff_status refresh(ff_work *work) {
  ff_state *state = work->state;
  ff_quasi *quasi = work->quasi;
  ff_bodies_update(work->model, state, state->t, state->y);
  ff_status status = list_candidates(work);
  if (status != FF_OK) {
    return status;
  }
  forget(quasi);
  start_bodies(quasi);
  quasi->widen = 0;
  want_none(quasi);
  fly(quasi, state->t, 0);
  quasi->h = quasi->h_before = work->model->run.stepper.step;
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

/* The state as it was at t. */
static void give_back(ff_work *work, double t) {
  const ff_quasi *quasi = work->quasi;
  ff_state *state = work->state;
  memcpy(state->y, work->before, (size_t)state->size * sizeof *state->y);
  state->t = t;
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

/* The step that was asked for, if the two times tell of it but for their rounding: else all steps
 * would differ from one another in their last digits. */
static double length_of(const ff_model *model, double t, double t_end) {
  double h = t_end - t, step = model->run.stepper.step;
  return fabs(h - step) <= 4 * DBL_EPSILON * t_end ? step : h;
}

/* To t_end in parts, as large as they can be solved: counted in 2^-HALVINGS of the whole. */
static ff_status go_in_parts(ff_work *work, double whole, double t_end, long last, long *size) {
  double t = work->state->t;
  long done = 0, parts = *size;
  ff_status status = FF_OK;
  while (status == FF_OK && done < parts) {
    double end = t + whole * (double)(done + *size) / (double)parts;
    end = done + *size == parts ? t_end : end;
    work->quasi->until =
        ff_effort + 2 * (last - ff_effort) / 3; /* and leaves the rest to smaller parts */
    status = try_step(work, whole * (double)*size / (double)parts, end, *size > parts / 16);
    if (status == FF_OK) {
      done += *size;
    } else if (status == FF_ERROR_STEP && *size > 1 && last - ff_effort > LEAST_EFFORT &&
               !ff_is_cancelled(&work->cancelled)) {
      hold(work);
      *size /= 2;
      work->quasi->cuts++;
      status = FF_OK;
    }
  }
  return status;
}

/* All as it was at t, and what is known of why. */
static ff_status give_up(ff_work *work, double t, ff_status status) {
  work->trouble.step = work->quasi->h;
  work->trouble.spent = ff_effort > work->quasi->until;
  if (work->quasi->held) {
    give_back(work, t);
  }
  ff_bodies_update(work->model, work->state, t, work->state->y);
  show_robots(work);
  return ff_is_cancelled(&work->cancelled) ? FF_CANCELLED : status;
}

static ff_status step(ff_work *work, double t_end) {
  ff_quasi *quasi = work->quasi;
  double t = work->state->t, whole = length_of(work->model, t, t_end);
  if (quasi->same && whole == quasi->h) {
    repeat(work, t_end);
    return FF_OK;
  }
  const long parts = 1L << HALVINGS, problems = work->solver.problems, before = ff_effort;
  long size = parts, most = EFFORT + MORE_EFFORT * (long)quasi->contact_count;
  quasi->same = quasi->held = false;
  ff_status status = go_in_parts(work, whole, t_end, before + most, &size);
  work->solver.effort = fmax(work->solver.effort, (double)(ff_effort - before) / (double)most);
  if (status != FF_OK) {
    return give_up(work, t, status);
  }
  work->steps++;
  work->solver.cut_steps += size < parts;
  quasi->same = quasi->same && size == parts;
  quasi->answered = work->solver.problems - problems;
  return FF_OK;
}

const ff_stepper ff_stepper_quasi_rigid = {
    .name = "quasi-rigid",
    .order = 1,
    .create = ff_quasi_create,
    .destroy = ff_quasi_destroy,
    .refresh = refresh,
    .step = step,
};
