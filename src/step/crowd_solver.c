#include "step/crowd_solver.h"

#include "math/vec.h"
#include "step/forces.h"
#include "step/samples.h"

#include <string.h>

enum {
  TURNS = 60, /* most sweeps */
  CHUNK = 64  /* contacts of a colour that a thread solves at once */
};
#define SETTLED 1e-2 /* changes of forces over the largest that end the sweeps, */
#define KEPT    1e-3 /* if a contact has a bristle */
#define EXACT   0.1  /* of it: a single normal force */
#define STILL   0.2  /* of it: change of a force that is not worth solving for */

ff_status ff_crowd_make(ff_crowd *out, ff_arena *arena, const ff_model *model,
                        int contact_capacity) {
  size_t contacts = (size_t)contact_capacity, bodies = (size_t)model->free_count + 1;
  *out = (ff_crowd){0};
  out->contacts = ff_arena_take(arena, contacts, sizeof *out->contacts);
  out->bodies = ff_arena_take(arena, bodies, sizeof *out->bodies);
  out->inertia = ff_arena_take(arena, bodies, sizeof *out->inertia);
  out->changes = ff_arena_take(arena, contacts / CHUNK + 1, sizeof *out->changes);
  out->largest = ff_arena_take(arena, contacts / CHUNK + 1, sizeof *out->largest);
  bool room = out->contacts && out->bodies && out->inertia && out->changes && out->largest;
  return room ? ff_crowd_order_make(&out->order, arena, contact_capacity,
                                    model->free_count + model->robot_count)
              : FF_ERROR_MEMORY;
}

/* ---- loading --------------------------------------------------------------------------------- */

static ff_vec3 inverse_times(const ff_crowd *crowd, int body, ff_vec3 torque) {
  double round = crowd->bodies[body].inverse;
  if (round > 0) {
    return v3_scale(round, torque);
  }
  const double *i = crowd->inertia[body];
  return v3(i[0] * torque.x + i[3] * torque.y + i[4] * torque.z,
            i[3] * torque.x + i[1] * torque.y + i[5] * torque.z,
            i[4] * torque.x + i[5] * torque.y + i[2] * torque.z);
}

/* Inverse inertia in world axes. */
static void load_inertia(ff_quat q, ff_vec3 inverse, double out[6]) {
  ff_vec3 x = q_rotate(q, v3(1, 0, 0)), y = q_rotate(q, v3(0, 1, 0)), z = q_rotate(q, v3(0, 0, 1));
  ff_vec3 u = v3_scale(inverse.x, x), v = v3_scale(inverse.y, y), w = v3_scale(inverse.z, z);
  out[0] = u.x * x.x + v.x * y.x + w.x * z.x;
  out[1] = u.y * x.y + v.y * y.y + w.y * z.y;
  out[2] = u.z * x.z + v.z * y.z + w.z * z.z;
  out[3] = u.x * x.y + v.x * y.y + w.x * z.y;
  out[4] = u.x * x.z + v.x * y.z + w.x * z.z;
  out[5] = u.y * x.z + v.y * y.z + w.y * z.z;
}

/* A body under all forces but those of the contacts. */
static void load_body(ff_crowd *crowd, const ff_model *model, const ff_state *state, int slot) {
  int i = model->free_bodies[slot];
  const ff_model_body *body = &model->bodies[i];
  const ff_wrench *wrench = &state->wrenches[i];
  ff_crowd_body *to = &crowd->bodies[slot];
  to->inv_mass = body->inv_mass;
  to->inverse = body->round ? body->inv_inertia.x : 0;
  if (!body->round) {
    load_inertia(state->bodies[i].pose.orientation, body->inv_inertia, crowd->inertia[slot]);
  }
  to->dv = v3_scale(crowd->half, v3_axpy(model->run.gravity, body->inv_mass, wrench->force));
  to->dw = v3_scale(crowd->half, inverse_times(crowd, slot, wrench->torque));
}

/* Delassus block of the contact. */
static void load_block(const ff_crowd *crowd, ff_crowd_contact *c) {
  const ff_crowd_body *a = &crowd->bodies[c->a], *b = &crowd->bodies[c->b];
  ff_vec3 turn[3], way[3], turn_b[3], way_b[3];
  for (int k = 0; k < 3; k++) {
    ff_vec3 lever = k == 0 ? c->lever : v3(0, 0, 0);
    turn[k] = v3_add(v3_cross(c->arm_a, c->axes[k]), lever);
    turn_b[k] = v3_add(v3_cross(c->arm_b, c->axes[k]), lever);
    way[k] = inverse_times(crowd, c->a, turn[k]);
    way_b[k] = inverse_times(crowd, c->b, turn_b[k]);
  }
  static const int rows[6] = {0, 0, 0, 1, 1, 2}, columns[6] = {0, 1, 2, 1, 2, 2};
  double mass = a->inv_mass + b->inv_mass;
  for (int k = 0; k < 6; k++) {
    int i = rows[k], j = columns[k];
    c->w[k] = mass * v3_dot(c->axes[i], c->axes[j]) + v3_dot(turn[i], way[j]) +
              v3_dot(turn_b[i], way_b[j]);
  }
}

/* Applies impulses (N s) along the axes. */
static inline void hit_bodies(ff_crowd *crowd, const ff_crowd_contact *c, const double p[3]) {
  ff_vec3 push = v3_add(v3_scale(p[0], c->axes[0]),
                        v3_add(v3_scale(p[1], c->axes[1]), v3_scale(p[2], c->axes[2])));
  ff_crowd_body *a = &crowd->bodies[c->a], *b = &crowd->bodies[c->b];
  if (a->inv_mass > 0) {
    ff_vec3 turn = v3_axpy(v3_cross(c->arm_a, push), p[0], c->lever);
    a->dv = v3_axpy(a->dv, a->inv_mass, push);
    a->dw = v3_add(a->dw, inverse_times(crowd, c->a, turn));
  }
  if (b->inv_mass > 0) {
    ff_vec3 turn = v3_axpy(v3_cross(c->arm_b, push), p[0], c->lever);
    b->dv = v3_axpy(b->dv, -b->inv_mass, push);
    b->dw = v3_sub(b->dw, inverse_times(crowd, c->b, turn));
  }
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
  c->a = link->a >= 0 ? link->a : model->free_count;
  c->b = link->b >= 0 ? link->b : model->free_count;
  c->axes[0] = point->push;
  c->axes[1] = point->t1;
  c->axes[2] = point->t2;
  c->arm_a = v3_sub(point->point, state->bodies[meet->a].pose.position);
  c->arm_b = v3_sub(point->point, state->bodies[meet->b].pose.position);
  c->law = ff_midpoint_law_of(model, &state->nears[link->near], point, crowd->half, patch);
  c->lever = c->law.plain ? v3(0, 0, 0) : point->lever;
  c->speed[0] = -point->patch.depth_rate / c->law.pace;
  c->speed[1] = point->patch.slip[0];
  c->speed[2] = point->patch.slip[1];
  memcpy(c->curvature, point->patch.curvature, sizeof c->curvature);
  memcpy(c->roll, point->patch.roll, sizeof c->roll);
  c->spin = point->patch.spin;
  c->held = ff_midpoint_point_of(state, point);
  c->memory = ff_state_memory(model, state, link->point);
  memcpy(c->force, c->held->force, sizeof c->force);
  c->beside = 0;
  c->left[0] = INFINITY;
  load_block(crowd, c);
  int of_a = link->a >= 0 ? shares[link->a] : 0, of_b = link->b >= 0 ? shares[link->b] : 0;
  c->held->ahead = (ff_ahead){crowd->half, tangent_ease(c->w), of_a > of_b ? of_a : of_b};
}

void ff_crowd_load(ff_crowd *crowd, const ff_model *model, ff_state *state, const int *shares) {
  ff_patch patch = {0};
  crowd->settled = SETTLED;
  for (int slot = 0; slot < model->free_count; slot++) {
    load_body(crowd, model, state, slot);
  }
  for (int i = 0; i < crowd->order.large_count; i++) {
    load_contact(crowd, model, state, i, shares, &patch);
    bool kept = ff_binding_has_bristles(crowd->contacts[i].law.binding);
    crowd->settled = kept ? KEPT : crowd->settled;
  }
  for (int i = 0; i < crowd->order.large_count; i++) {
    const ff_crowd_contact *c = &crowd->contacts[i];
    const double impulse[3] = {crowd->half * c->force[0], crowd->half * c->force[1],
                               crowd->half * c->force[2]};
    hit_bodies(crowd, c, impulse);
  }
}

/* ---- one contact ----------------------------------------------------------------------------- */

void ff_crowd_velocity(const ff_crowd *crowd, const ff_crowd_contact *c, double v[3]) {
  const ff_crowd_body *a = &crowd->bodies[c->a], *b = &crowd->bodies[c->b];
  ff_vec3 way =
      v3_add(v3_sub(a->dv, b->dv), v3_sub(v3_cross(a->dw, c->arm_a), v3_cross(b->dw, c->arm_b)));
  v[0] = c->speed[0] + v3_dot(c->axes[0], way);
  v[1] = c->speed[1] + v3_dot(c->axes[1], way);
  v[2] = c->speed[2] + v3_dot(c->axes[2], way);
  if (!c->law.plain) {
    v[0] += v3_dot(c->lever, v3_sub(a->dw, b->dw));
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
  patch->depth = greater(FF_AT_SURFACE, patch->depth);
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

/* Would the force change by less than this (N) if the contact were solved again? The velocity has
 * changed by so much since; own force changes it by at least `least` per N. */
static bool is_settled(const ff_crowd_contact *c, const double v[3], double half, double change) {
  double most = change * half;
  return fabs(v[0] - c->left[0]) <= most * c->w[0] && fabs(v[1] - c->left[1]) <= most * c->w[3] &&
         fabs(v[2] - c->left[2]) <= most * c->w[5];
}

/* Solves one contact for its own force while the others stay. Returns how much it changed. A
 * contact whose force would change by less than `still` (N) stays as it is. */
static double solve_contact(ff_crowd *crowd, ff_crowd_contact *c, double still, ff_patch *patch) {
  ff_normal normal;
  double v[3], friction[2], elastic, half = crowd->half;
  ff_crowd_velocity(crowd, c, v);
  if (is_settled(c, v, half, still)) {
    return 0;
  }
  memcpy(patch->curvature, c->curvature, sizeof c->curvature);
  memcpy(patch->roll, c->roll, sizeof c->roll);
  double own = half * c->w[0], guess = c->force[0] - c->beside;
  double f = ff_midpoint_normal(&c->law, half, own, -(v[0] - own * guess), guess,
                                EXACT * crowd->settled, patch, &normal, &elastic);
  double kick = half * (f + c->beside - c->force[0]);
  c->rate = patch->depth_rate;
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
  hit_bodies(crowd, c, impulse);
  return greater(fabs(change[0]), greater(fabs(change[1]), fabs(change[2])));
}

/* ---- all contacts ---------------------------------------------------------------------------- */

/* One colour of an island. */
typedef struct colour_job {
  ff_crowd *crowd;
  ff_crowd_contact *contacts;
  double still; /* N */
} colour_job;

static void solve_chunk(void *context, int first, int end) {
  const colour_job *job = context;
  double change = 0, most = 0;
  ff_patch patch = {0};
  for (int i = first; i < end; i++) {
    ff_crowd_contact *c = &job->contacts[i];
    change = greater(change, solve_contact(job->crowd, c, job->still, &patch));
    most = greater(most, greater(fabs(c->force[0]), greater(fabs(c->force[1]), fabs(c->force[2]))));
  }
  job->crowd->changes[first / CHUNK] = change;
  job->crowd->largest[first / CHUNK] = most;
}

/* Sweeps over an island until its forces have settled. Returns their number. */
static int solve_island(ff_crowd *crowd, ff_team *team, const ff_crowd_island *island,
                        double *residual) {
  const int *start = crowd->order.colour_start + island->colours;
  double change = INFINITY, most = 0;
  int turn = 0;
  for (; turn < TURNS && change > crowd->settled * most; turn++) {
    double still = STILL * crowd->settled * most;
    change = most = 0;
    for (int k = 0; k < FF_CROWD_COLOURS && start[k] < island->count; k++) {
      bool serial = k == FF_CROWD_COLOURS - 1; /* these may share bodies */
      int count = start[k + 1] - start[k];
      colour_job job = {crowd, crowd->contacts + island->first + start[k], still};
      ff_team_for(serial ? NULL : team, solve_chunk, &job, count, CHUNK);
      for (int i = 0; i * CHUNK < count; i++) {
        change = greater(change, crowd->changes[i]);
        most = greater(most, crowd->largest[i]);
      }
    }
  }
  *residual = most > 0 ? change / most : 0;
  return turn;
}

void ff_crowd_solve(ff_crowd *crowd, ff_team *team, ff_solver_info *info) {
  for (int i = 0; i < crowd->order.island_count; i++) {
    const ff_crowd_island *island = &crowd->order.islands[i];
    if (island->colours < 0) {
      continue;
    }
    double residual;
    int turns = solve_island(crowd, team, island, &residual);
    info->problems++;
    info->iterations += turns;
    info->most = turns > info->most ? turns : info->most;
    info->residual = greater(info->residual, residual);
  }
}
