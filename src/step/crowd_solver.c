#include "step/crowd_solver.h"

#include "math/vec.h"
#include "step/forces.h"
#include "step/frame.h"
#include "step/samples.h"
#include "step/sleep.h"

#include <string.h>

enum { TURNS = 60 /* most sweeps */ };
/* Changes of forces over the largest of the island that end the sweeps; if a contact has a bristle,
 * which keeps what is left: in islands of FF_CROWD_LEAST contacts or more, and in others. */
#define SETTLED    1e-2
#define KEPT       1e-3
#define KEPT_SMALL 1e-6
#define EXACT      0.1 /* of it: a single normal force */

ff_status ff_crowd_make(ff_crowd *out, ff_arena *arena, const ff_model *model,
                        int contact_capacity) {
  size_t contacts = (size_t)contact_capacity, bodies = (size_t)model->free_count + 1;
  *out = (ff_crowd){0};
  out->contacts = ff_arena_take(arena, contacts, sizeof *out->contacts);
  out->bodies.at = ff_arena_take(arena, bodies, sizeof *out->bodies.at);
  out->bodies.inertia = ff_arena_take(arena, bodies, sizeof *out->bodies.inertia);
  out->chunks = ff_arena_take(arena, ff_crowd_chunks(contact_capacity), sizeof *out->chunks);
  bool room = out->contacts && out->bodies.at && out->bodies.inertia && out->chunks;
  return room ? ff_crowd_order_make(&out->order, arena, contact_capacity,
                                    model->free_count + model->robot_count,
                                    ff_model_is_crowd(model) ? 1 : FF_CROWD_LEAST)
              : FF_ERROR_MEMORY;
}

/* ---- loading --------------------------------------------------------------------------------- */

/* A body under all forces but those of the contacts. */
static void load_body(ff_crowd *crowd, const ff_model *model, const ff_state *state, int slot) {
  int i = model->free_bodies[slot];
  const ff_wrench *wrench = &state->wrenches[i];
  ff_crowd_body *to = &crowd->bodies.at[slot];
  ff_crowd_load_body(&crowd->bodies, model, slot, state->bodies[i].pose.orientation);
  if (ff_sleep_holds(model, state, i)) { /* as if it were fixed */
    to->inv_mass = to->inverse = 0;
    memset(crowd->bodies.inertia[slot], 0, sizeof *crowd->bodies.inertia);
    return;
  }
  to->dv = v3_scale(crowd->half, v3_axpy(model->run.gravity, to->inv_mass, wrench->force));
  to->dw = v3_scale(crowd->half, ff_crowd_turn(&crowd->bodies, slot, wrench->torque));
}

/* Largest rate of slip that a tangential force of 1 N can bring: the greater eigenvalue of the
 * 2 x 2 block along t1 and t2. */
static double tangent_ease(const double w[6]) {
  double half = 0.5 * (w[3] - w[5]);
  return 0.5 * (w[3] + w[5]) + sqrt(half * half + w[4] * w[4]);
}

static void load_contact(ff_crowd *crowd, const ff_model *model, ff_state *state, int index,
                         const int *shares, ff_patch *patch) {
  const ff_crowd_link *link = &crowd->order.links[crowd->order.order[index]];
  const ff_point *point = &state->points[link->point];
  const ff_meet *meet = &state->meets[link->meet];
  ff_crowd_contact *c = &crowd->contacts[index];
  c->link = crowd->order.order[index];
  c->frame.a = link->a >= 0 ? link->a : model->free_count;
  c->frame.b = link->b >= 0 ? link->b : model->free_count;
  c->frame.axes[0] = point->push;
  c->frame.axes[1] = point->t1;
  c->frame.axes[2] = point->t2;
  c->frame.arm_a = v3_sub(point->point, state->bodies[meet->a].pose.position);
  c->frame.arm_b = v3_sub(point->point, state->bodies[meet->b].pose.position);
  c->law =
      ff_midpoint_crowd_law_of(model, state, &state->nears[link->near], point, crowd->half, patch);
  c->frame.lever = c->law.plain ? v3(0, 0, 0) : point->lever;
  c->speed[0] = -point->patch.depth_rate / c->law.pace;
  c->speed[1] = point->patch.slip[0];
  c->speed[2] = point->patch.slip[1];
  memcpy(c->curvature, point->patch.curvature, sizeof c->curvature);
  memcpy(c->roll, point->patch.roll, sizeof c->roll);
  c->spin = point->patch.spin;
  c->held = ff_midpoint_point_of(state, point);
  c->memory = ff_frame_memory(point, ff_state_memory(model, state, link->point));
  memcpy(c->force, c->held->force, sizeof c->force);
  c->beside = c->energy = 0;
  c->shares = ff_model_is_crowd(model) && !c->law.plain;
  if (c->shares) {
    c->rest = ff_point_weight_rest(point);
  }
  c->left[0] = INFINITY;
  ff_crowd_load_block(&crowd->bodies, &c->frame, c->w);
  int of_a = link->a >= 0 ? shares[link->a] : 0, of_b = link->b >= 0 ? shares[link->b] : 0;
  c->held->ahead = (ff_ahead){crowd->half, tangent_ease(c->w), of_a > of_b ? of_a : of_b};
}

/* What the loading of bodies and contacts reads. */
typedef struct load_job {
  ff_crowd *crowd;
  const ff_model *model;
  ff_state *state;
  const int *shares;
} load_job;

static void load_bodies(void *context, int first, int end) {
  const load_job *job = context;
  for (int slot = first; slot < end; slot++) {
    load_body(job->crowd, job->model, job->state, slot);
  }
}

static void load_contacts(void *context, int first, int end) {
  const load_job *job = context;
  ff_patch patch = {0};
  for (int i = first; i < end; i++) {
    load_contact(job->crowd, job->model, job->state, i, job->shares, &patch);
  }
}

void ff_crowd_load(ff_crowd *crowd, const ff_model *model, ff_state *state, const int *shares,
                   ff_team *team) {
  load_job job = {crowd, model, state, shares};
  bool kept = false;
  ff_team_for(team, load_bodies, &job, model->free_count, FF_CROWD_CHUNK);
  ff_team_for(team, load_contacts, &job, crowd->order.large_count, FF_CROWD_CHUNK);
  for (int i = 0; i < crowd->order.large_count; i++) {
    kept = kept || ff_binding_has_bristles(crowd->contacts[i].law.binding);
  }
  crowd->settled = kept ? KEPT : SETTLED;
  crowd->settled_small = kept ? KEPT_SMALL : SETTLED;
  crowd->exact = EXACT * crowd->settled_small;
  crowd->near = sqrt(crowd->exact); /* Newton's method squares what it is off */
  for (int i = 0; i < crowd->order.large_count; i++) {
    const ff_crowd_contact *c = &crowd->contacts[i];
    const double impulse[3] = {crowd->half * c->force[0], crowd->half * c->force[1],
                               crowd->half * c->force[2]};
    ff_crowd_hit(&crowd->bodies, &c->frame, impulse);
  }
}

/* ---- one contact ----------------------------------------------------------------------------- */

void ff_crowd_velocity(const ff_crowd *crowd, const ff_crowd_contact *c, double v[3]) {
  const ff_crowd_frame *at = &c->frame;
  const ff_crowd_body *a = &crowd->bodies.at[at->a], *b = &crowd->bodies.at[at->b];
  ff_vec3 way =
      v3_add(v3_sub(a->dv, b->dv), v3_sub(v3_cross(a->dw, at->arm_a), v3_cross(b->dw, at->arm_b)));
  v[0] = c->speed[0] + v3_dot(at->axes[0], way);
  v[1] = c->speed[1] + v3_dot(at->axes[1], way);
  v[2] = c->speed[2] + v3_dot(at->axes[2], way);
  if (!c->law.plain) {
    v[0] += v3_dot(at->lever, v3_sub(a->dw, b->dw));
  }
}

/* Friction (N, along t1 and t2) at the slip v (m/s, under all forces) of a contact with this normal
 * force; what the law adds to that goes into c->beside. */
static void solve_friction(ff_crowd_contact *c, const double v[2], const ff_normal *normal,
                           ff_patch *patch, double force[2]) {
  const ff_binding *binding = c->law.binding;
  const ff_law *law = binding->friction;
  double own = c->held->ahead.half * c->held->ahead.ease;
  for (int i = 0; i < 2; i++) {
    c->slip[i] = patch->slip[i] = v[i] - own * c->force[1 + i];
  }
  if (binding->frictionless) {
    force[0] = force[1] = 0;
    return;
  }
  patch->depth = greater(FF_AT_SURFACE, ff_midpoint_friction_depth(&c->law, patch->depth));
  patch->spin = c->spin;
  if (law->force_held) {
    law->force_held(&binding->friction_params, patch, normal, c->memory, &c->held->ahead, force);
    return;
  }
  ff_friction friction;
  law->friction_held(&binding->friction_params, patch, normal, c->memory, &c->held->ahead,
                     &friction);
  force[0] = friction.force[0];
  force[1] = friction.force[1];
  c->beside = friction.normal_force;
}

/* Is a contact without force open throughout the step, and stays so at velocity v? */
static bool is_idle(const ff_crowd_contact *c, const double v[3], double half) {
  const double *f = c->force;
  double end = c->law.depth - 2 * half * v[0] * c->law.pace;
  return f[0] == 0 && f[1] == 0 && f[2] == 0 && c->law.depth <= 0 && end <= 0 && !c->law.pulls;
}

/* Would the force change by less than this (N) if the contact were solved again? The velocity has
 * changed by so much since; own force changes it by at least `least` per N. */
static bool is_settled(const ff_crowd_contact *c, const double v[3], double half, double change) {
  double most = change * half;
  return fabs(v[0] - c->left[0]) <= most * c->w[0] && fabs(v[1] - c->left[1]) <= most * c->w[3] &&
         fabs(v[2] - c->left[2]) <= most * c->w[5];
}

/* The rest of grad w acts with this energy (J) of the law. Returns the force (N) at the point, and
 * of its moment at the arms, by which that changes. */
static double push_by_weight(ff_crowd *crowd, ff_crowd_contact *c, double energy) {
  double change = c->energy - energy;
  if (change == 0) {
    return 0;
  }
  double arm2 =
      greater(v3_dot(c->frame.arm_a, c->frame.arm_a), v3_dot(c->frame.arm_b, c->frame.arm_b));
  double push2 = v3_dot(c->rest.shift, c->rest.shift) + v3_dot(c->rest.turn, c->rest.turn) / arm2;
  double impulse = crowd->half * change;
  c->energy = energy;
  ff_crowd_push(&crowd->bodies, &c->frame, v3_scale(impulse, c->rest.shift),
                v3_scale(impulse, c->rest.turn));
  return fabs(change) * sqrt(push2);
}

/* Solves one contact for its own force while the others stay. Returns how much it changed. A
 * contact whose force would change by less than `still` (N) stays as it is. */
static double solve_contact(ff_crowd *crowd, ff_crowd_contact *c, double still, ff_patch *patch) {
  ff_normal normal;
  double v[3], friction[2], elastic, beside = 0, half = crowd->half;
  ff_crowd_velocity(crowd, c, v);
  c->idle = is_idle(c, v, half);
  if (c->idle || is_settled(c, v, half, still)) {
    return c->idle && c->energy > 0 ? push_by_weight(crowd, c, 0) : 0;
  }
  memcpy(patch->curvature, c->curvature, sizeof c->curvature);
  memcpy(patch->roll, c->roll, sizeof c->roll);
  double own = half * c->w[0], guess = c->force[0] - c->beside;
  double f = ff_midpoint_normal(&c->law, half, own, -(v[0] - own * guess), guess, crowd->exact,
                                crowd->near, patch, &normal, &elastic);
  double kick = half * (f + c->beside - c->force[0]);
  c->rate = patch->depth_rate;
  if (c->shares) {
    double weight = ff_midpoint_weight(&c->law, patch->depth);
    beside = push_by_weight(crowd, c, weight > 0 ? normal.energy / weight : 0);
  }
  normal.force = f;
  v[1] += c->w[1] * kick;
  v[2] += c->w[2] * kick;
  solve_friction(c, v + 1, &normal, patch, friction);
  const double change[3] = {f + c->beside - c->force[0], friction[0] - c->force[1],
                            friction[1] - c->force[2]};
  double impulse[3];
  for (int d = 0; d < 3; d++) {
    c->force[d] += change[d];
    impulse[d] = half * change[d];
  }
  c->left[0] = v[0] + c->w[0] * impulse[0] + c->w[1] * impulse[1] + c->w[2] * impulse[2];
  c->left[1] =
      v[1] - c->w[1] * kick + c->w[1] * impulse[0] + c->w[3] * impulse[1] + c->w[4] * impulse[2];
  c->left[2] =
      v[2] - c->w[2] * kick + c->w[2] * impulse[0] + c->w[4] * impulse[1] + c->w[5] * impulse[2];
  ff_crowd_hit(&crowd->bodies, &c->frame, impulse);
  return greater(greater(beside, fabs(change[0])), greater(fabs(change[1]), fabs(change[2])));
}

/* ---- all contacts ---------------------------------------------------------------------------- */

static ff_crowd_change solve_contacts(void *context, int first, int end, double still) {
  ff_crowd *crowd = context;
  ff_crowd_change out = {0};
  ff_patch patch = {0};
  for (int i = first; i < end; i++) {
    ff_crowd_contact *c = &crowd->contacts[i];
    out.change = greater(out.change, solve_contact(crowd, c, still, &patch));
    out.most = greater(out.most,
                       greater(fabs(c->force[0]), greater(fabs(c->force[1]), fabs(c->force[2]))));
  }
  return out;
}

/* Islands of less than SHARED contacts are solved side by side, ISLANDS at a time; the colours of
 * others are shared. */
enum { SHARED = 4 * FF_CROWD_CHUNK, ISLANDS = 4 };

static void solve_island(ff_crowd *crowd, ff_team *team, ff_crowd_island *island,
                         ff_crowd_change *chunks) {
  const ff_crowd_sweeps sweeps = {.order = &crowd->order,
                                  .team = team,
                                  .solve = solve_contacts,
                                  .context = crowd,
                                  .chunks = chunks,
                                  .settled = island->count < FF_CROWD_LEAST ? crowd->settled_small
                                                                            : crowd->settled,
                                  .most = TURNS};
  island->sweeps = ff_crowd_sweep(&sweeps, island, &island->residual);
}

static void solve_islands(void *context, int first, int end) {
  ff_crowd *crowd = context;
  ff_crowd_change chunks[SHARED / FF_CROWD_CHUNK];
  for (int i = first; i < end; i++) {
    ff_crowd_island *island = &crowd->order.islands[i];
    if (island->colours >= 0 && island->count < SHARED) {
      solve_island(crowd, NULL, island, chunks);
    }
  }
}

void ff_crowd_solve(ff_crowd *crowd, ff_team *team, ff_solver_info *info) {
  ff_crowd_order *order = &crowd->order;
  ff_team_for(team, solve_islands, crowd, order->island_count, ISLANDS);
  for (int i = 0; i < order->island_count; i++) {
    ff_crowd_island *island = &order->islands[i];
    if (island->colours < 0) {
      continue;
    }
    if (island->count >= SHARED) {
      solve_island(crowd, team, island, crowd->chunks);
    }
    info->problems++;
    info->iterations += island->sweeps;
    info->most = island->sweeps > info->most ? island->sweeps : info->most;
    info->residual = greater(info->residual, island->residual);
  }
}

double ff_crowd_error(const ff_crowd *crowd, const ff_crowd_contact *c, const double v[3]) {
  double n = fabs(v[0] - c->left[0]) / c->w[0], t1 = fabs(v[1] - c->left[1]) / c->w[3];
  double t2 = fabs(v[2] - c->left[2]) / c->w[5];
  return greater(n, greater(t1, t2)) / crowd->half;
}
