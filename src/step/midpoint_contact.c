#include "step/midpoint_contact.h"

#include "base/memory.h"
#include "math/vec.h"
#include "step/crowd_solver.h"
#include "step/forces.h"
#include "step/frame.h"
#include "step/midpoint_law.h"
#include "step/robots.h"
#include "step/rows.h"
#include "step/samples.h"
#include "step/sleep.h"

#include <string.h>

enum {
  TURNS = 60,  /* most turns round the contacts */
  NEWTONS = 60 /* most iterations for one slip */
};
/* Changes of forces, over the largest, that end the turns. What is left is where the next step
 * starts from, and it gets less with the step; only bristles keep it. */
#define SETTLED  1e-3
#define KEPT     1e-9
#define EXACT    0.1   /* of these: a single force */
#define ROUGH    1e-3  /* of a slip, if it gets no nearer */
#define SHORTEST 1e-6  /* share of a step of Newton's method */
#define SAME     1e-13 /* of a depth: no other */

/* One contact. Triples are along its normal row (push), t1 and t2. */
typedef struct entry {
  ff_midpoint_law law;
  const ff_near *near;
  int point;
  ff_contact_bodies bodies;
  int row;             /* of its rows along n, t1, t2 */
  double w[9];         /* 1/kg, of the point itself: 3 x 3 */
  double speed[3];     /* m/s, of a against b at the start */
  double free_slip[2]; /* m/s, at the end, without its own friction */
  ff_patch patch;      /* depth, depth rate and slip of the middle */
  ff_normal normal;
  double elastic; /* N, the part of the normal force that is stored */
  ff_friction friction;
  double force[3];         /* N, as the other contacts feel it */
  ff_midpoint_point *held; /* of the step before; at the end of this one */
} entry;

/* What finished contacts add up: of a chunk of them, or of all. */
typedef struct finish_sums {
  double ledger[FF_Y_LEDGER];
  double stiffness, damping; /* 1/s^2, 1/s: largest, as in ff_state */
  double error, largest;     /* N: largest error of the forces of crowds, and normal force */
} finish_sums;

struct ff_midpoint {
  double half;    /* s, half the step */
  double settled; /* SETTLED, or KEPT if a contact has a memory */
  ff_arena arena;
  ff_rows rows;
  double *reached; /* what has changed the velocities until the middle, see step/rows.h */
  entry *entries;
  ff_wrench *outside; /* body_count: applied forces and drives */
  int *shares;        /* contacts of each mover */
  int unshared;       /* the same of all that does not move */
  int count;
  ff_crowd crowd;      /* contacts of large islands */
  finish_sums *chunks; /* of those, FF_CROWD_CHUNK each */
};

/* ---- life ------------------------------------------------------------------------------ */

ff_status ff_midpoint_create(ff_midpoint **out, const ff_model *model, ff_state *state) {
  *out = NULL;
  if (!model->midpoint) {
    return FF_OK;
  }
  ff_midpoint *mid = *out = ff_alloc(1, sizeof *mid);
  if (!mid) {
    return FF_ERROR_MEMORY;
  }
  *mid = (ff_midpoint){0};
  ff_arena *arena = &mid->arena;
  ff_rows_limits limits = ff_rows_limits_of(model, state);
  mid->reached = ff_arena_take(arena, (size_t)limits.size, sizeof *mid->reached);
  mid->entries = ff_arena_take(arena, (size_t)limits.contacts, sizeof *mid->entries);
  mid->outside = ff_arena_take(arena, (size_t)model->body_count, sizeof *mid->outside);
  mid->shares = ff_arena_take(arena, (size_t)ff_mover_count(model), sizeof *mid->shares);
  mid->chunks =
      ff_arena_take(arena, (size_t)limits.contacts / FF_CROWD_CHUNK + 1, sizeof *mid->chunks);
  bool room = mid->reached && mid->entries && mid->outside && mid->shares && mid->chunks;
  ff_status status = room ? ff_rows_make(&mid->rows, model, arena, limits) : FF_ERROR_MEMORY;
  return status == FF_OK ? ff_crowd_make(&mid->crowd, arena, model, limits.contacts) : status;
}

void ff_midpoint_destroy(ff_midpoint *mid) {
  if (mid) {
    ff_arena_free(&mid->arena);
    ff_free(mid);
  }
}

/* ---- the contacts ---------------------------------------------------------------------- */

static ff_contact_bodies contact_bodies_of(const ff_state *state, const ff_meet *meet,
                                           const ff_point *point) {
  const ff_body_motion *a = &state->bodies[meet->a], *b = &state->bodies[meet->b];
  ff_contact_bodies out = {.a = meet->a, .b = meet->b};
  out.arm_a = v3_sub(point->point, a->pose.position);
  out.arm_b = v3_sub(point->point, b->pose.position);
  out.velocity_b = v3_add(b->velocity, v3_cross(b->omega, out.arm_b));
  return out;
}

/* Changes the force that acts throughout the step. */
static void change_entry_force(ff_midpoint *mid, entry *e, const double change[3]) {
  double impulse[3];
  for (int d = 0; d < 3; d++) {
    impulse[d] = mid->half * change[d];
    e->force[d] += change[d];
  }
  ff_rows_hit(&mid->rows, e->row, impulse, mid->reached);
}

/* All but the energy at the start of the step. */
static ff_midpoint_law law_at_start(const ff_model *model, const ff_near *near,
                                    const ff_point *point, double half) {
  ff_midpoint_law out = {.binding = &model->bindings[near->binding],
                         .plain = ff_point_is_plain(point),
                         .weight = point->weight,
                         .pace = point->pace,
                         .weight_depth = point->patch.depth,
                         .weight_most = INFINITY,
                         .depth = point->patch.depth - half * point->patch.depth_rate};
  const ff_law *law = out.binding->normal;
  out.pulls = law->traits(&out.binding->normal_params) & FF_LAW_PULLS;
  out.weight_slope = out.plain ? 0 : ff_point_weight_slope(point);
  double change = fabs(half * point->patch.depth_rate);
  out.fleeting =
      point->pace > FF_MIDPOINT_FLEETING && change > FF_MIDPOINT_FAR * point->patch.depth;
  out.depth = out.fleeting ? point->patch.depth : out.depth;
  return out;
}

ff_midpoint_law ff_midpoint_law_of(const ff_model *model, const ff_near *near,
                                   const ff_point *point, double half, ff_patch *patch) {
  ff_midpoint_law out = law_at_start(model, near, point, half);
  *patch = point->patch;
  out.energy = out.binding->overlaps ? 0 : ff_midpoint_energy(&out, patch, out.depth);
  return out;
}

/* Bound of the weight of a sample at other depths. Samples of a pair fade into the pair as a whole
 * where it is deep (geom/manifold.h); a fast impact may be evaluated so deep, and continued with
 * the slope of the weight a sample would get more than it has without fading. */
static double sample_weight_bound(const ff_state *state, const ff_near *near,
                                  const ff_point *point) {
  double all = 0, whole = 0;
  for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
    const ff_point *other = &state->points[i];
    double weight = ff_point_is_found(other) ? other->weight : 0;
    all += weight;
    whole += other->id.kind == FF_PAIR_WHOLE ? weight : 0;
  }
  if (point->id.kind == FF_PAIR_WHOLE) {
    return all;
  }
  return whole > 0 && whole < all ? point->weight / (1 - whole / all) : INFINITY;
}

ff_midpoint_law ff_midpoint_crowd_law_of(const ff_model *model, const ff_state *state,
                                         const ff_near *near, const ff_point *point, double half,
                                         ff_patch *patch) {
  ff_midpoint_law out = law_at_start(model, near, point, half);
  out.discrete = out.binding->normal->gradient && !out.fleeting;
  if (!out.plain && out.weight_slope != 0) {
    out.weight_most = sample_weight_bound(state, near, point);
  }
  if (!out.discrete || !out.plain) { /* else the law knows it */
    *patch = point->patch;
    out.energy = ff_midpoint_energy(&out, patch, out.depth);
  }
  return out;
}

static void add_midpoint_entry(ff_midpoint *mid, const ff_model *model, ff_state *state,
                               const ff_crowd_link *link, double *ledger) {
  const ff_point *point = &state->points[link->point];
  const ff_meet *meet = &state->meets[link->meet];
  const ff_row_axes axes = ff_row_axes_of(point);
  entry *e = &mid->entries[mid->count++];
  e->near = &state->nears[link->near];
  e->point = link->point;
  e->law = ff_midpoint_law_of(model, e->near, point, mid->half, &e->patch);
  mid->settled = ff_binding_has_bristles(e->law.binding) ? KEPT : mid->settled;
  e->friction.normal_force = e->force[0] = e->force[1] = e->force[2] = 0;
  e->bodies = contact_bodies_of(state, meet, point);
  if (ff_model_is_crowd(model) && point->patch.depth > 0 && !ff_point_is_plain(point)) {
    ff_normal normal;
    e->law.binding->normal->normal(&e->law.binding->normal_params, &e->patch, &normal);
    ff_contact_push_by_weight(model, state, &e->bodies, point, normal.energy, ledger);
  }
  e->row = ff_rows_add(&mid->rows, model, state, meet->a, meet->b, &axes);
  e->speed[0] = -e->patch.depth_rate / e->law.pace;
  e->speed[1] = e->patch.slip[0];
  e->speed[2] = e->patch.slip[1];
}

/* Lists the contacts, and counts those of each mover. */
static void list_contacts(ff_midpoint *mid, const ff_model *model, const ff_state *state) {
  ff_crowd_order *order = &mid->crowd.order;
  order->count = 0;
  memset(mid->shares, 0, (size_t)ff_mover_count(model) * sizeof *mid->shares);
  int active = ff_state_active_count(state);
  for (int k = 0; k < active; k++) {
    const ff_meet *meet = ff_state_active(state, k);
    int m = (int)(meet - state->meets);
    int a = ff_mover_of(model, meet->a), b = ff_mover_of(model, meet->b);
    for (int n = meet->first_near; n < meet->first_near + meet->near_count; n++) {
      const ff_near *near = &state->nears[n];
      const ff_binding *binding = &model->bindings[near->binding];
      if (!ff_model_holds(model, binding)) {
        continue;
      }
      bool known =
          !binding->overlaps && (binding->frictionless || binding->friction->friction_held);
      bool apart = !known || a >= model->free_count || b >= model->free_count;
      for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
        if (state->points[i].touching) {
          order->links[order->count++] = (ff_crowd_link){m, n, i, a, b, apart};
          *(a >= 0 ? &mid->shares[a] : &mid->unshared) += 1;
          *(b >= 0 ? &mid->shares[b] : &mid->unshared) += 1;
        }
      }
    }
  }
}

/* Contacts of large islands go to the crowd solver, the others become entries. */
static void gather_entries(ff_midpoint *mid, const ff_model *model, ff_state *state,
                           double *ledger) {
  ff_crowd_order *order = &mid->crowd.order;
  mid->count = 0;
  mid->settled = SETTLED;
  list_contacts(mid, model, state);
  ff_rows_begin(&mid->rows, model, state, NULL, 0, false);
  ff_crowd_sort(order);
  for (int i = order->large_count; i < order->count; i++) {
    add_midpoint_entry(mid, model, state, &order->links[order->order[i]], ledger);
  }
}

/* Largest rate of slip that a tangential force of 1 N can bring: the greater eigenvalue of the
 * 2 x 2 inverse mass along t1 and t2. */
static double tangent_mobility(const entry *e) {
  double half = 0.5 * (e->w[4] - e->w[8]);
  return 0.5 * (e->w[4] + e->w[8]) + sqrt(half * half + e->w[5] * e->w[7]);
}

/* Half the impulse of all other forces, of the movers that have contacts. */
static void load_external_impulses(const ff_midpoint *mid, const ff_model *model, ff_state *state) {
  for (int k = 0; k < mid->rows.block_count; k++) {
    const ff_row_block *block = &mid->rows.blocks[k];
    double *to = mid->reached + block->first;
    if (block->mover >= model->free_count) {
      ff_robot_impulse(model, state, block->mover - model->free_count, mid->half, to);
      continue;
    }
    int i = model->free_bodies[block->mover];
    if (ff_sleep_holds(model, state, i)) {
      memset(to, 0, 6 * sizeof *to);
      continue;
    }
    const ff_model_body *body = &model->bodies[i];
    const ff_wrench *wrench = &state->wrenches[i];
    ff_quat q = state->bodies[i].pose.orientation;
    ff_vec3 torque = body->round ? wrench->torque : q_unrotate(q, wrench->torque);
    ff_vec3 force = v3_axpy(wrench->force, body->mass, model->run.gravity);
    v3_store(to, v3_scale(mid->half, torque));
    v3_store(to + 3, v3_scale(mid->half, force));
  }
}

/* Contact Jacobian and inertia, and the velocities without contact forces. */
static bool factor_entry_rows(ff_midpoint *mid, const ff_model *model, ff_state *state) {
  load_external_impulses(mid, model, state);
  ff_rows_soften(&mid->rows);
  if (!ff_rows_factor(&mid->rows)) {
    return false;
  }
  ff_rows_reach(&mid->rows, mid->reached);
  return true;
}

static int crowd_of(const ff_midpoint *mid, const ff_model *model, int body) {
  int mover = ff_mover_of(model, body);
  return mover >= 0 ? mid->shares[mover] : 0;
}

/* All contacts are known: how many share their bodies, and the forces of the step before. */
static void warm_start_entries(ff_midpoint *mid, const ff_model *model, ff_state *state) {
  for (int i = 0; i < mid->count; i++) {
    entry *e = &mid->entries[i];
    int a = crowd_of(mid, model, e->bodies.a), b = crowd_of(mid, model, e->bodies.b);
    ff_rows_delassus(&mid->rows, e->row, e->row, e->w);
    e->held = ff_midpoint_point_of(state, &state->points[e->point]);
    e->held->ahead = (ff_ahead){mid->half, tangent_mobility(e), a > b ? a : b};
    change_entry_force(mid, e, e->held->force);
  }
}

/* ---- one contact ----------------------------------------------------------------------- */

/* Velocity of a against b along n, t1 and t2 in the middle. */
static void entry_velocity(const ff_midpoint *mid, const entry *e, double v[3]) {
  ff_rows_speed(&mid->rows, e->row, mid->reached, v);
  for (int d = 0; d < 3; d++) {
    v[d] += e->speed[d];
  }
}

/* ---- friction of one contact -------------------------------------------------------------- */

/* The slip at the end of the step if friction is `force`. */
static void end_slip(const ff_midpoint *mid, const entry *e, const double force[2], double out[2]) {
  double h = 2 * mid->half;
  out[0] = e->free_slip[0] + h * (e->w[4] * force[0] + e->w[5] * force[1]);
  out[1] = e->free_slip[1] + h * (e->w[7] * force[0] + e->w[8] * force[1]);
}

/* Friction at patch.slip, and how far that is from the slip it leaves. */
static double slip_residual(const ff_midpoint *mid, entry *e, const double *memory,
                            double miss[2]) {
  const ff_binding *binding = e->law.binding;
  binding->friction->friction(&binding->friction_params, &e->patch, &e->normal, memory,
                              &e->friction);
  end_slip(mid, e, e->friction.force, miss);
  miss[0] -= e->patch.slip[0];
  miss[1] -= e->patch.slip[1];
  return sqrt(miss[0] * miss[0] + miss[1] * miss[1]);
}

/* Newton's step: (1 - h W F') step = miss. False: singular. */
static bool slip_newton_step(const ff_midpoint *mid, const entry *e, const double miss[2],
                             double step[2]) {
  double h = 2 * mid->half, m[2][2];
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 2; j++) {
      const double *w = e->w + 4 + 3 * i;
      m[i][j] = (i == j) - h * (w[0] * e->friction.d_slip[0][j] + w[1] * e->friction.d_slip[1][j]);
    }
  }
  double det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
  step[0] = (m[1][1] * miss[0] - m[0][1] * miss[1]) / det;
  step[1] = (m[0][0] * miss[1] - m[1][0] * miss[0]) / det;
  return det > 0;
}

/* Looks for the slip from where patch.slip is, each step no longer than it helps. */
static bool find_slip(const ff_midpoint *mid, entry *e, const double *memory) {
  double *slip = e->patch.slip, miss[2], step[2];
  double size = sqrt(e->free_slip[0] * e->free_slip[0] + e->free_slip[1] * e->free_slip[1]);
  double off = slip_residual(mid, e, memory, miss);
  for (int i = 0; i < NEWTONS && off > EXACT * mid->settled * size; i++) {
    if (!slip_newton_step(mid, e, miss, step)) {
      return false;
    }
    const double from[2] = {slip[0], slip[1]};
    double before = off, share = 1;
    do {
      slip[0] = from[0] + share * step[0];
      slip[1] = from[1] + share * step[1];
      off = slip_residual(mid, e, memory, miss);
      share *= 0.5;
    } while (!(off < before) && share > SHORTEST);
    if (!(off < before)) {
      return before <= ROUGH * size;
    }
  }
  return true;
}

/* A law of the slip alone: its force at the slip that it leaves at the end of the step, so that
 * what is to stick comes to rest. Where falling friction leaves several, the one that is next to
 * what the force before leaves. */
static void solve_slip(const ff_midpoint *mid, entry *e, const double *memory) {
  end_slip(mid, e, e->force + 1, e->patch.slip);
  if (!find_slip(mid, e, memory)) {
    e->patch.slip[0] = e->patch.slip[1] = 0;
    find_slip(mid, e, memory);
  }
}

static void solve_entry_friction(const ff_midpoint *mid, entry *e, const double *memory) {
  const ff_law *law = e->law.binding->friction;
  const void *params = &e->law.binding->friction_params;
  ff_patch *patch = &e->patch;
  double depth = patch->depth;
  patch->depth = greater(FF_AT_SURFACE, ff_midpoint_friction_depth(&e->law, depth));
  if (law->friction_held) {
    law->friction_held(params, patch, &e->normal, memory, &e->held->ahead, &e->friction);
  } else if (!e->law.binding->frictionless && e->normal.force > 0) {
    solve_slip(mid, e, memory);
  } else {
    memset(&e->friction, 0, sizeof e->friction);
  }
  patch->depth = depth;
}

/* How easily a moment about the normal changes the spin, 1/(kg m^2). */
static double spin_mobility(const ff_midpoint *mid, const ff_model *model, const ff_state *state,
                            const entry *e, ff_vec3 axis) {
  const int bodies[2] = {e->bodies.a, e->bodies.b};
  double ease = 0;
  for (int s = 0; s < 2; s++) {
    const ff_model_body *body = &model->bodies[bodies[s]];
    if (body->slot >= 0) {
      ff_vec3 n = q_unrotate(state->bodies[bodies[s]].pose.orientation, axis);
      ease += v3_dot(n, v3_mul(body->inv_inertia, n));
    }
    ease += ff_rows_turn_mobility(&mid->rows, e->row, s, axis);
  }
  return ease;
}

/* Friction of spinning does not turn a spin around within the step, nor do all that share the
 * bodies; it takes what the mean of the spin before and after does. */
static void brake_spin(const ff_midpoint *mid, const ff_model *model, const ff_state *state,
                       entry *e) {
  const ff_point *point = &state->points[e->point];
  double *moment = &e->friction.moment[0], spin = e->patch.spin;
  if (*moment == 0) {
    return;
  }
  double own =
      mid->half * e->held->ahead.crowd * spin_mobility(mid, model, state, e, point->normal);
  double most = fabs(spin) / (2 * own);
  *moment = fabs(*moment) > most ? copysign(most, *moment) : *moment;
  e->friction.lost[FF_LOST_SPIN] = greater(0, -*moment * (spin + own * *moment));
}

/* The slip without friction, as the law wants it: in the middle, with its own way to undo its own
 * force; or at the end, to which the middle is half the way. */
static void undo_friction(const ff_midpoint *mid, entry *e, const double slip[2]) {
  double own = e->held->ahead.half * e->held->ahead.ease;
  for (int i = 0; i < 2; i++) {
    const double *w = e->w + 4 + 3 * i;
    double bare = slip[i] - mid->half * (w[0] * e->force[1] + w[1] * e->force[2]);
    e->patch.slip[i] = slip[i] - own * e->force[1 + i];
    e->free_slip[i] = 2 * bare - e->speed[1 + i];
  }
}

/* The normal force, and in v what its change does to the slip at once. */
static double solve_entry_normal(const ff_midpoint *mid, entry *e, double v[3]) {
  double beside = e->friction.normal_force;
  double rate = -(v[0] - mid->half * e->w[0] * (e->force[0] - beside));
  double f = ff_midpoint_normal(&e->law, mid->half, mid->half * e->w[0], rate, e->force[0] - beside,
                                EXACT * mid->settled, EXACT * mid->settled, &e->patch, &e->normal,
                                &e->elastic);
  double kick = mid->half * (f + beside - e->force[0]);
  e->normal.force = f;
  v[1] += e->w[3] * kick;
  v[2] += e->w[6] * kick;
  return f;
}

/* Solves one contact for its own force while the others stay. Returns how much it changed. */
static double solve_entry(ff_midpoint *mid, const ff_model *model, ff_state *state, entry *e) {
  double v[3];
  entry_velocity(mid, e, v);
  double f = solve_entry_normal(mid, e, v);
  undo_friction(mid, e, v + 1);
  const double *memory = ff_state_memory(model, state, e->point);
  solve_entry_friction(mid, e, ff_frame_memory(&state->points[e->point], memory));
  brake_spin(mid, model, state, e);
  const double change[3] = {f + e->friction.normal_force - e->force[0],
                            e->friction.force[0] - e->force[1], e->friction.force[1] - e->force[2]};
  change_entry_force(mid, e, change);
  return greater(fabs(change[0]), greater(fabs(change[1]), fabs(change[2])));
}

/* ---- all contacts ------------------------------------------------------------------------- */

static void sweep_entries(ff_midpoint *mid, const ff_model *model, ff_state *state) {
  for (int turn = 0; turn < TURNS; turn++) {
    double change = 0, most = 0;
    for (int i = 0; i < mid->count; i++) {
      entry *e = &mid->entries[i];
      change = greater(change, solve_entry(mid, model, state, e));
      most =
          greater(most, greater(fabs(e->force[0]), greater(fabs(e->force[1]), fabs(e->force[2]))));
    }
    if (!(change > mid->settled * most)) {
      break;
    }
  }
}

/* ---- what comes of it ------------------------------------------------------------------ */

/* Impacts slower than what gravity gives in this many steps count as rest. */
#define REST_STEPS 2

/* An impact that is too stiff for the step cannot be followed, however well the contact is held; a
 * load that rests can, since its force is that of the whole step. Edges that are nearly parallel
 * have a sample whose depth changes much faster than the bodies approach, and whose weight vanishes
 * as fast: the pair is as stiff as samples at the pace of the bodies. */
static void note_entry_stiffness(const ff_midpoint *mid, const ff_model *model,
                                 const ff_state *state, const entry *e, double speed,
                                 finish_sums *sums) {
  double pace = greater(1, e->law.pace);
  double start = state->points[e->point].patch.depth_rate / pace;
  double fastest = greater(fabs(speed), fabs(start));
  if (fastest <= REST_STEPS * 2 * mid->half * v3_norm(model->run.gravity)) {
    return;
  }
  double stiff =
      lesser(e->normal.d_depth / (pace * pace), 4 * e->normal.elastic / (pace * e->patch.depth));
  sums->stiffness = greater(sums->stiffness, e->patch.depth > 0 ? e->w[0] * stiff : 0);
  sums->damping = greater(sums->damping, e->w[0] * e->normal.d_rate / (pace * pace));
}

/* The memory goes with the slip that all forces together leave, and so do the losses. All but what
 * the contact pushes. */
static void finish_entry(const ff_midpoint *mid, const ff_model *model, ff_state *state, entry *e,
                         const double v[3], double *rates, finish_sums *sums) {
  ff_point *point = &state->points[e->point];
  double *ledger = sums->ledger;
  size_t at = (size_t)e->point * (size_t)model->memory_count;
  double *memory_rate = model->memory_count > 0 ? rates + state->memory_at + at : NULL;
  ff_friction *friction = &e->friction;
  double elsewhere = fabs(e->law.depth - mid->half * e->law.pace * v[0] - e->patch.depth);
  if (e->law.binding->overlaps || !(elsewhere <= SAME * e->patch.depth)) {
    ff_midpoint_force(&e->law, mid->half, -v[0], &e->patch, &e->normal,
                      &e->elastic); /* its elastic part, as it came out */
  }
  note_entry_stiffness(mid, model, state, e, v[0], sums);
  double f = e->force[0] - friction->normal_force;
  double own = e->held->ahead.half * e->held->ahead.ease;
  for (int i = 0; i < 2; i++) {
    if (e->law.binding->friction->friction_held) {
      double late = v[1 + i] - (e->patch.slip[i] + own * friction->force[i]);
      friction->memory_rate[i] += friction->memory_per_slip * late;
      friction->lost[FF_LOST_TANGENT] -= friction->force[i] * late;
    } else { /* its loss is that of the end */
      friction->lost[FF_LOST_SLIP] -= friction->force[i] * (v[1 + i] - e->patch.slip[i]);
    }
  }
  point->force = v3_scale(f, point->push);
  point->moment = v3_axpy(v3_scale(e->normal.moment[0], point->t1), e->normal.moment[1], point->t2);
  if (!e->law.plain) {
    point->moment = v3_axpy(point->moment, f, point->lever);
  }
  ff_friction_note(model, e->law.binding, point, friction, memory_rate, ledger);
  const double *roll = point->patch.roll;
  ledger[FF_Y_LOST + FF_LOST_NORMAL] += (f - e->elastic) * -v[0];
  ledger[FF_Y_UNPAID] += e->law.binding->normal_unpaid ? e->elastic * -v[0] : 0;
  ledger[FF_Y_LOST + FF_LOST_ROLLING] -=
      e->normal.moment[0] * roll[0] + e->normal.moment[1] * roll[1];
  memcpy(e->held->force, e->force, sizeof e->force);
  e->held->mode = friction->mode;
}

/* History variables turn with a normal that does not go straight from its anchor: an effect of
 * second order in the turn of a step, for which large islands are not accurate enough. */
static void turn_entry_memory(const ff_model *model, const ff_state *state, const entry *e,
                              double *rates) {
  size_t at = (size_t)e->point * (size_t)model->memory_count;
  if (model->memory_count > 0 && ff_frame_wanders(model, e->near)) {
    ff_frame_turn_back(model, state, e->near, &state->points[e->point],
                       ff_state_memory(model, state, e->point), rates + state->memory_at + at);
  }
}

/* Bodies of a contact of a large island; b's velocity is of use only if b is not free. */
static ff_contact_bodies crowd_contact_bodies(const ff_model *model, const ff_state *state,
                                              const ff_meet *meet, const ff_crowd_frame *frame) {
  ff_contact_bodies out = {
      .a = meet->a, .b = meet->b, .arm_a = frame->arm_a, .arm_b = frame->arm_b};
  if (!ff_body_is_inside(&model->bodies[meet->b])) {
    const ff_body_motion *b = &state->bodies[meet->b];
    out.velocity_b = v3_add(b->velocity, v3_cross(b->omega, frame->arm_b));
  }
  return out;
}

/* A contact of a large island: its laws once more at what its last solution saw, for what memory
 * and ledger need of them. Runs on several threads: writes to its own point, memory and sums only.
 * What it pushes follows in push_crowd_chunk. */
static void finish_crowd_contact(const ff_midpoint *mid, const ff_model *model, ff_state *state,
                                 const ff_crowd_contact *c, const double v[3], entry *e,
                                 double *rates, finish_sums *sums) {
  const ff_crowd_link *link = &mid->crowd.order.links[c->link];
  const ff_point *point = &state->points[link->point];
  memset(&e->normal, 0, sizeof e->normal);
  memset(&e->friction, 0, sizeof e->friction);
  e->law = c->law;
  e->near = &state->nears[link->near];
  e->point = link->point;
  e->bodies = crowd_contact_bodies(model, state, &state->meets[link->meet], &c->frame);
  e->patch = point->patch;
  e->held = c->held;
  e->w[0] = c->w[0];
  memcpy(e->force, c->force, sizeof e->force);
  ff_midpoint_force(&e->law, mid->half, -v[0], &e->patch, &e->normal, &e->elastic);
  e->normal.force = c->force[0] - c->beside;
  memcpy(e->patch.slip, c->slip, sizeof c->slip);
  if (!e->law.binding->frictionless) {
    solve_entry_friction(mid, e, c->memory);
  }
  e->friction.normal_force = c->beside;
  memcpy(e->friction.force, c->force + 1, sizeof e->friction.force);
  finish_entry(mid, model, state, e, v, rates, sums);
}

typedef struct finish_job {
  const ff_midpoint *mid;
  const ff_model *model;
  ff_state *state;
  double *rates;
  int first; /* of the contacts of a colour */
} finish_job;

static void finish_crowd_chunk(void *context, int first, int end) {
  const finish_job *job = context;
  finish_sums *sums = &job->mid->chunks[first / FF_CROWD_CHUNK];
  entry scratch = {.row = -1};
  memset(sums, 0, sizeof *sums);
  for (int i = first; i < end; i++) {
    const ff_crowd_contact *c = &job->mid->crowd.contacts[i];
    if (c->idle) {
      memset(c->held->force, 0, sizeof c->held->force);
      c->held->mode = FF_OPEN;
      continue;
    }
    double v[3];
    ff_crowd_velocity(&job->mid->crowd, c, v);
    sums->error = greater(sums->error, ff_crowd_error(&job->mid->crowd, c, v));
    sums->largest = greater(sums->largest, fabs(c->force[0]));
    finish_crowd_contact(job->mid, job->model, job->state, c, v, &scratch, job->rates, sums);
  }
}

/* What a contact of a large island pushes: its force, and by its weight. */
typedef struct crowd_push {
  ff_contact_bodies bodies;
  ff_vec3 point, force, moment; /* world */
} crowd_push;

static crowd_push crowd_push_of(const finish_job *job, const ff_crowd_contact *c) {
  const ff_crowd_link *link = &job->mid->crowd.order.links[c->link];
  const ff_point *point = &job->state->points[link->point];
  crowd_push out = {.bodies = contact_bodies_of(job->state, &job->state->meets[link->meet], point),
                    .point = point->point,
                    .force = point->force,
                    .moment = point->moment};
  if (c->shares) {
    ff_gradient rest = ff_point_weight_rest(point);
    out.force = v3_axpy(out.force, -c->energy, rest.shift);
    out.moment = v3_axpy(out.moment, -c->energy, rest.turn);
  }
  return out;
}

static void push_crowd_contacts(const finish_job *job, int first, int end) {
  for (int i = first; i < end; i++) {
    const ff_crowd_contact *c = &job->mid->crowd.contacts[i];
    if (!c->idle) {
      crowd_push push = crowd_push_of(job, c);
      ff_contact_push_free(job->model, job->state, &push.bodies, push.force, push.moment);
    }
  }
}

/* Contacts of one colour share no free body. */
static void push_crowd_chunk(void *context, int first, int end) {
  const finish_job *job = context;
  push_crowd_contacts(job, job->first + first, job->first + end);
}

enum {
  SMALL = 4 * FF_CROWD_CHUNK,
  ISLANDS = 4
}; /* contacts; islands that a thread takes at once */

static bool is_small_island(const ff_crowd_island *island) {
  return island->colours >= 0 && island->count < SMALL;
}

static void push_small_islands(void *context, int first, int end) {
  const finish_job *job = context;
  for (int i = first; i < end; i++) {
    const ff_crowd_island *island = &job->mid->crowd.order.islands[i];
    if (is_small_island(island)) {
      push_crowd_contacts(job, island->first, island->first + island->count);
    }
  }
}

static void push_large_island(finish_job *job, const ff_crowd_island *island, ff_team *team) {
  const int *start = job->mid->crowd.order.colour_start + island->colours;
  for (int k = 0; k < FF_CROWD_COLOURS && start[k] < island->count; k++) {
    bool serial = k == FF_CROWD_COLOURS - 1; /* these may share bodies */
    job->first = island->first + start[k];
    ff_team_for(serial ? NULL : team, push_crowd_chunk, job, start[k + 1] - start[k],
                FF_CROWD_CHUNK);
  }
}

/* Contacts of the crowd solver. Threads share their laws, and what they push by island or colour;
 * sums are those of chunks in their order. */
static void finish_crowd(const ff_midpoint *mid, const ff_model *model, ff_state *state,
                         double *rates, ff_team *team, finish_sums *sums) {
  finish_job job = {mid, model, state, rates, 0};
  const ff_crowd_order *order = &mid->crowd.order;
  int count = order->large_count;
  ff_team_for(team, finish_crowd_chunk, &job, count, FF_CROWD_CHUNK);
  for (int k = 0; k * FF_CROWD_CHUNK < count; k++) {
    const finish_sums *chunk = &mid->chunks[k];
    for (int i = 0; i < FF_Y_LEDGER; i++) {
      sums->ledger[i] += chunk->ledger[i];
    }
    sums->stiffness = greater(sums->stiffness, chunk->stiffness);
    sums->damping = greater(sums->damping, chunk->damping);
    sums->error = greater(sums->error, chunk->error);
    sums->largest = greater(sums->largest, chunk->largest);
  }
  state->crowd_residual = sums->largest > 0 ? sums->error / sums->largest : 0;
  if (count > 0) {
    ff_team_for(team, push_small_islands, &job, order->island_count, ISLANDS);
  }
  for (int i = 0; count > 0 && i < order->island_count; i++) {
    const ff_crowd_island *island = &order->islands[i];
    if (island->colours >= 0 && !is_small_island(island)) {
      push_large_island(&job, island, team);
    }
  }
  for (int i = 0; i < count; i++) {
    const ff_crowd_contact *c = &mid->crowd.contacts[i];
    const ff_crowd_link *link = &order->links[c->link];
    if (!c->idle && (link->a < 0 || link->b < 0)) {
      crowd_push push = crowd_push_of(&job, c);
      ff_contact_push_others(model, state, &push.bodies, push.point, push.force, push.moment,
                             sums->ledger);
    }
  }
}

/* Work of applied forces and drives is booked at the velocities of the start; those of the middle,
 * under all forces, make it what the bodies feel. */
static void correct_external_work(const ff_midpoint *mid, const ff_model *model,
                                  const ff_state *state, double *ledger) {
  for (int slot = 0; slot < model->free_count; slot++) {
    int i = model->free_bodies[slot];
    const ff_model_body *body = &model->bodies[i];
    const ff_wrench *all = &state->wrenches[i], *outside = &mid->outside[i];
    ff_quat q = state->bodies[i].pose.orientation;
    ff_vec3 a = v3_axpy(model->run.gravity, body->inv_mass, all->force);
    ff_vec3 spin = q_rotate(q, v3_mul(body->inv_inertia, q_unrotate(q, all->torque)));
    ledger[FF_Y_WORK] += mid->half * (v3_dot(outside->force, a) + v3_dot(outside->torque, spin));
  }
}

/* Robots go on as all forces and moments together make them, along the velocity of the middle. */
static void move_robots(const ff_midpoint *mid, const ff_model *model, ff_state *state) {
  for (int i = 0; i < mid->count; i++) {
    const entry *e = &mid->entries[i];
    ff_vec3 moment = state->points[e->point].moment;
    if (v3_dot(moment, moment) > 0) {
      ff_rows_turn(&mid->rows, e->row, v3_scale(mid->half, moment), mid->reached);
    }
  }
  ff_rows_settle(&mid->rows, mid->reached);
  for (int k = 0; k < mid->rows.block_count; k++) {
    const ff_row_block *block = &mid->rows.blocks[k];
    int r = block->mover - model->free_count;
    for (int i = 0; r >= 0 && i < block->size; i++) {
      double change = mid->reached[block->first + i];
      state->robots[r].a[i] = change / mid->half;
      state->robots[r].path[i] = state->y[model->robots[r].v_at + i] + change;
      state->robots[r].solved = true;
    }
  }
}

/* Wakes a body of a pair that sleeps while the other does not. */
static void wake_pressed(const ff_model *model, ff_state *state, const ff_meet *meet) {
  bool a = ff_sleep_holds(model, state, meet->a), b = ff_sleep_holds(model, state, meet->b);
  if (a != b) {
    ff_sleep_wake(model, state, a ? meet->a : meet->b);
    state->sleep.woke = true;
  }
}

/* Wakes what a body that is awake presses. False: nothing was asleep of it. */
static bool wake_pressed_bodies(const ff_midpoint *mid, const ff_model *model, ff_state *state) {
  const ff_crowd_order *order = &mid->crowd.order;
  for (int i = 0; i < order->count; i++) {
    const double *f = i < order->large_count ? mid->crowd.contacts[i].force
                                             : mid->entries[i - order->large_count].force;
    if (f[0] != 0 || f[1] != 0 || f[2] != 0) {
      wake_pressed(model, state, &state->meets[order->links[order->order[i]].meet]);
    }
  }
  int active = ff_state_active_count(state);
  for (int k = 0; k < active; k++) { /* contacts whose forces are explicit */
    const ff_meet *meet = ff_state_active(state, k);
    const ff_near *near = &state->nears[meet->first_near];
    for (int n = 0; n < meet->near_count; n++, near++) {
      bool held = ff_model_holds(model, &model->bindings[near->binding]);
      for (int i = near->first_point; !held && i < near->first_point + near->point_count; i++) {
        const ff_vec3 f = state->points[i].force;
        if (state->points[i].touching && v3_dot(f, f) > 0) {
          wake_pressed(model, state, meet);
        }
      }
    }
  }
  return state->sleep.woke;
}

/* Solves the contacts of the state as it stands. */
static bool solve_entries(ff_midpoint *mid, const ff_model *model, ff_state *state, double *rates,
                          double h, ff_team *team, ff_solver_info *info) {
  mid->half = mid->crowd.half = 0.5 * h;
  gather_entries(mid, model, state, rates + state->ledger_at);
  if (!factor_entry_rows(mid, model, state)) {
    return false;
  }
  warm_start_entries(mid, model, state);
  sweep_entries(mid, model, state);
  if (mid->crowd.order.large_count > 0) {
    ff_crowd_load(&mid->crowd, model, state, mid->shares, team);
    ff_crowd_solve(&mid->crowd, team, info);
  }
  if (state->sleep.count > 0 && wake_pressed_bodies(mid, model, state)) {
    return false;
  }
  finish_sums sums = {.stiffness = state->stiffness, .damping = state->damping};
  memcpy(sums.ledger, rates + state->ledger_at, sizeof sums.ledger);
  finish_crowd(mid, model, state, rates, team, &sums);
  for (int i = 0; i < mid->count; i++) {
    entry *e = &mid->entries[i];
    ff_point *point = &state->points[e->point];
    double v[3];
    entry_velocity(mid, e, v);
    finish_entry(mid, model, state, e, v, rates, &sums);
    ff_contact_push(model, state, &e->bodies, point->point, point->force, point->moment,
                    sums.ledger);
    turn_entry_memory(model, state, e, rates);
  }
  memcpy(rates + state->ledger_at, sums.ledger, sizeof sums.ledger);
  state->stiffness = sums.stiffness;
  state->damping = sums.damping;
  if (model->robot_count > 0) {
    move_robots(mid, model, state);
  }
  return true;
}

bool ff_midpoint_solve(ff_midpoint *mid, const ff_model *model, ff_state *state, double t,
                       double *rates, double h, ff_team *team, ff_solver_info *info) {
  double *ledger = rates + state->ledger_at;
  size_t bytes = (size_t)model->body_count * sizeof *state->wrenches;
  state->middle = true;
  ff_bodies_update(model, state, t, state->y);
  ff_forces_outside(model, state, t, ledger);
  bool driven = ff_model_is_driven(model) || state->applied_count > 0;
  if (driven) {
    memcpy(mid->outside, state->wrenches, bytes);
  }
  ff_forces_contacts(model, state, t, state->y, rates + state->memory_at, ledger);
  state->middle = false;
  if (state->lacking > 0) {
    return false;
  }
  for (int r = 0; r < model->robot_count; r++) {
    ff_robot_look_ahead(model, state, r, h, 0.5 * h);
  }
  if (!solve_entries(mid, model, state, rates, h, team, info)) {
    return false;
  }
  if (driven) {
    correct_external_work(mid, model, state, ledger);
  }
  return true;
}
