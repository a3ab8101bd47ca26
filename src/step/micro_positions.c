/* Position correction of `micro-macro`: rigid parts are not entered.
 *
 * Impulses keep contacts from entering along their straight paths; the curvature of paths, and
 * regularisation, still let them. Bodies and robots that are inside are moved out by the least
 * displacement in the norm of the inertia H, whose components along the normals are at least the
 * depths, and which does not shift the points that press sideways,
 *   dq = H^-1 J^T x,   0 <= x_n  _|_  J_n dq - depth >= 0,   J_t dq = 0 where x_n > 0
 * by projected Gauss-Seidel. Velocities stay. What this does to the energy is the step's. */
#include "math/vec.h"
#include "step/detection.h"
#include "step/forces.h"
#include "step/micro_macro.h"
#include "step/sleep.h"
#include "tree/tree.h"

#include <string.h>

enum { SWEEPS = 50 };
#define SLOP   1e-5 /* of the smaller shape: a contact is left this deep, or it would be none */
#define THIN   1e-3 /* of the thinner shape: but not deeper than this */
#define INSIDE 30   /* times the slop: positions are corrected */
#define ENOUGH 1e-3 /* of the largest depth: changes that end the sweeps */

double ff_micro_slop(const ff_model *model, const ff_near *near) {
  const ff_model_shape *a = &model->shapes[near->shape_a], *b = &model->shapes[near->shape_b];
  double slop = SLOP * lesser(a->bound, b->bound), thin = THIN * lesser(a->thickness, b->thickness);
  return lesser(slop, thin);
}

static bool pair_is_inside(const ff_model *model, const ff_state *state, const ff_near *near) {
  double most = model->bindings[near->binding].ground.thickness;
  most += INSIDE * ff_micro_slop(model, near);
  for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
    if (state->points[i].patch.depth > most) {
      return true;
    }
  }
  return false;
}

bool ff_micro_is_inside(const ff_model *model, const ff_state *state) {
  int active = ff_state_active_count(state);
  for (int k = 0; k < active; k++) {
    const ff_meet *meet = ff_state_active(state, k);
    int nears = ff_sleep_skips(state, meet) ? 0 : meet->near_count;
    for (int n = meet->first_near; n < meet->first_near + nears; n++) {
      if (pair_is_inside(model, state, &state->nears[n])) {
        return true;
      }
    }
  }
  return false;
}

/* Displacements of the island at hand, times L, into reached. False: the inertia is not positive.
 */
static bool solve_displacement(ff_micro *micro) {
  double largest = 0, change = INFINITY;
  memset(micro->reached, 0, (size_t)micro->rows.size * sizeof(double));
  ff_rows_soften(&micro->rows);
  if (!ff_rows_factor(&micro->rows)) {
    return false;
  }
  for (int k = 0; k < micro->member_count; k++) {
    ff_micro_contact *contact = &micro->members[k];
    double ease[9];
    ff_rows_delassus(&micro->rows, contact->row, contact->row, ease);
    contact->force[0] = -contact->room; /* displacement along the normal row */
    for (int d = 0; d < 3; d++) {
      contact->end[d] = ease[4 * d];
    }
    contact->impulse[0] = 0;
    largest = greater(largest, contact->force[0]);
  }
  for (int sweep = 0; sweep < SWEEPS && change > ENOUGH * largest; sweep++) {
    change = 0;
    for (int k = 0; k < micro->member_count; k++) {
      ff_micro_contact *contact = &micro->members[k];
      double moved[3], more[3] = {0};
      ff_rows_speed(&micro->rows, contact->row, micro->reached, moved);
      double wanted = contact->impulse[0] + (contact->force[0] - moved[0]) / contact->end[0];
      more[0] = greater(0, wanted) - contact->impulse[0];
      contact->impulse[0] += more[0];
      for (int d = 1; d < 3 && contact->impulse[0] > 0; d++) { /* not sideways */
        more[d] = -moved[d] / contact->end[d];
      }
      ff_rows_hit(&micro->rows, contact->row, more, micro->reached);
      for (int d = 0; d < 3; d++) {
        change = greater(change, fabs(more[d]) * contact->end[d]);
      }
    }
  }
  ff_rows_settle(&micro->rows, micro->reached);
  return true;
}

void ff_micro_displace_body(ff_micro *micro, int slot, ff_vec3 turn, ff_vec3 way) {
  double *y = ff_state_body(micro->state, slot);
  if (ff_sleep_holds_slot(micro->model, micro->state, slot)) {
    return;
  }
  ff_quat q = {y[FF_Y_Q], y[FF_Y_Q + 1], y[FF_Y_Q + 2], y[FF_Y_Q + 3]};
  q = q_unit(q_mul(q_exp(turn), q));
  y[FF_Y_Q] = q.w;
  v3_store(y + FF_Y_Q + 1, v3(q.x, q.y, q.z));
  v3_store(y + FF_Y_X, v3_add(v3_load(y + FF_Y_X), way));
}

/* Coordinates of a mover by its part of the displacement. */
static void displace_mover(ff_micro *micro, int mover) {
  const ff_model *model = micro->model;
  ff_state *state = micro->state;
  const double *by = micro->reached + micro->rows.first[mover];
  if (mover >= model->free_count) {
    const ff_model_robot *robot = &model->robots[mover - model->free_count];
    ff_tree_q_move(robot->tree, state->y + robot->q_at, by, 1);
    return;
  }
  int id = model->free_bodies[mover];
  ff_quat q = state->bodies[id].pose.orientation;
  ff_vec3 turn = model->bodies[id].round ? v3_load(by) : q_rotate(q, v3_load(by));
  ff_micro_displace_body(micro, mover, turn, v3_load(by + 3));
}

/* What a shift of the bodies does to their potential energy and angular momentum, the elastic parts
 * apart; before: where their centres were. */
static void book_displacement(const ff_micro *micro, const ff_vec3 *before) {
  double *ledger = ff_state_ledger(micro->state);
  for (int i = 0; i < micro->model->body_count; i++) {
    const ff_model_body *body = &micro->model->bodies[i];
    const ff_body_motion *motion = &micro->state->bodies[i];
    if (!ff_body_is_moved(body)) {
      continue;
    }
    double mass = 1 / body->inv_mass;
    ff_vec3 shift = v3_sub(motion->pose.position, before[i]);
    ledger[FF_Y_LOST + FF_LOST_STEP] += mass * v3_dot(micro->model->run.gravity, shift);
    double *to = ledger + FF_Y_ANGULAR;
    v3_store(to, v3_axpy(v3_load(to), mass, v3_cross(shift, motion->velocity)));
  }
}

double ff_micro_elastic_energy(const ff_state *state) {
  double sum = 0;
  for (int i = 0; i < state->point_count; i++) {
    sum += state->points[i].energy_n;
  }
  return sum;
}

bool ff_micro_leave(ff_micro *micro, ff_vec3 *places) {
  const ff_model *model = micro->model;
  ff_state *state = micro->state;
  for (int i = 0; i < model->body_count; i++) {
    places[i] = state->bodies[i].pose.position;
  }
  ff_micro_gather(micro);
  for (int island = 0; island < ff_mover_count(model); island++) {
    if (micro->in_crowd[island] || !ff_micro_choose(micro, island)) {
      continue;
    }
    int first = micro->mover_start[island], count = micro->mover_start[island + 1] - first;
    if (!ff_micro_add_rows(micro, micro->movers + first, count) || !solve_displacement(micro)) {
      return false;
    }
    for (int k = first; k < first + count; k++) {
      displace_mover(micro, micro->movers[k]);
    }
  }
  ff_micro_displace_crowds(micro);
  ff_bodies_update(model, state, state->t, state->y);
  book_displacement(micro, places);
  return true;
}
