#include "step/constraints.h"

#include "math/vec.h"
#include "solve/semidefinite.h"
#include "step/forces.h"

#include <string.h>

enum { ROUNDS = 10 };   /* of Newton's method for places */
#define ROUNDING  1e-15 /* of the lengths and speeds around a constraint: as good as kept */
#define TORN_AWAY 1e-9  /* of the same: not kept */

/* ---- a cluster as a linear system --------------------------------------------------------- */

static const ff_model_constraint *member(const ff_model *model, const ff_model_cluster *cluster,
                                         int k) {
  return &model->constraints[model->constraint_order[cluster->first + k]];
}

static ff_constraint_rows *rows_of(const ff_model *model, const ff_state *state,
                                   const ff_model_cluster *cluster, int k) {
  return &state->constraint_rows[model->constraint_order[cluster->first + k]];
}

static void evaluate_cluster(const ff_model *model, const ff_state *state,
                             const ff_model_cluster *cluster) {
  for (int k = 0; k < cluster->count; k++) {
    const ff_model_constraint *c = member(model, cluster, k);
    ff_constraint_evaluate(c, &state->bodies[c->a], &state->bodies[c->b],
                           rows_of(model, state, cluster, k));
  }
}

/* I^-1 torque, world */
static ff_vec3 turned(const ff_model *model, const ff_state *state, int body, ff_vec3 torque) {
  ff_quat q = state->bodies[body].pose.orientation;
  return q_rotate(q, v3_mul(model->bodies[body].inv_inertia, q_unrotate(q, torque)));
}

/* What multiplier row of one side's constraint does to its body. */
typedef struct pull {
  ff_vec3 force, torque;
} pull;

static pull pull_of(const ff_constraint_rows *rows, int row, int side) {
  return side == 0 ? (pull){rows->along[row], rows->turn_a[row]}
                   : (pull){v3_neg(rows->along[row]), rows->turn_b[row]};
}

/* Adds to the matrix how row i of constraint k moves the rows of l by body. */
static void couple(const ff_constraint_rows *l, int side, int first, ff_vec3 v, ff_vec3 w,
                   double *column, size_t stride) {
  for (int j = 0; j < l->count; j++) {
    pull p = pull_of(l, j, side);
    column[(size_t)(first + j) * stride] += v3_dot(p.force, v) + v3_dot(p.torque, w);
  }
}

/* A = J M^-1 J^T, its lower triangle: of each row what a unit of it does to those from it on. */
static void fill_matrix(const ff_model *model, const ff_state *state,
                        const ff_model_cluster *cluster) {
  size_t n = (size_t)cluster->rows;
  memset(state->constraint_matrix, 0, n * n * sizeof(double));
  for (int k = 0, at = 0; k < cluster->count; at += rows_of(model, state, cluster, k++)->count) {
    const ff_constraint_rows *rows = rows_of(model, state, cluster, k);
    const ff_model_constraint *c = member(model, cluster, k);
    for (int i = 0; i < 2 * rows->count; i++) {
      int side = i % 2, row = i / 2, body = side == 0 ? c->a : c->b;
      if (model->bodies[body].slot < 0) {
        continue;
      }
      pull p = pull_of(rows, row, side);
      ff_vec3 v = v3_scale(model->bodies[body].inv_mass, p.force);
      ff_vec3 w = turned(model, state, body, p.torque);
      double *column = state->constraint_matrix + (size_t)(at + row);
      for (int l = k, to = at; l < cluster->count;
           to += rows_of(model, state, cluster, l++)->count) {
        const ff_model_constraint *other = member(model, cluster, l);
        if (other->a == body || other->b == body) {
          couple(rows_of(model, state, cluster, l), other->b == body, to, v, w, column, n);
        }
      }
    }
  }
}

/* Solves A x = constraint_x for the cluster; the multipliers are then in constraint_x. */
static void solve_cluster(const ff_model *model, const ff_state *state,
                          const ff_model_cluster *cluster) {
  int n = cluster->rows;
  fill_matrix(model, state, cluster);
  double *x = state->constraint_x, *scale = x + n, *spare = x + 2 * n;
  int rank = ff_semidefinite_factor(n, state->constraint_matrix, state->constraint_pivots, scale);
  ff_semidefinite_solve(n, rank, state->constraint_matrix, state->constraint_pivots, scale, x,
                        spare);
}

/* ---- forces -----------------------------------------------------------------------------------
 */

/* Accelerations without constraints. */
static pull acceleration(const ff_model *model, const ff_state *state, int body, double t) {
  const ff_model_body *b = &model->bodies[body];
  pull out;
  if (b->slot < 0) {
    ff_motion_acceleration(b, t, &out.force, &out.torque);
    return out;
  }
  const ff_body_motion *motion = &state->bodies[body];
  const ff_wrench *wrench = &state->wrenches[body];
  ff_quat q = motion->pose.orientation;
  ff_vec3 momentum = q_rotate(q, v3_mul(b->inertia, q_unrotate(q, motion->omega)));
  out.force = v3_axpy(model->run.gravity, b->inv_mass, wrench->force);
  out.torque =
      turned(model, state, body, v3_sub(wrench->torque, v3_cross(motion->omega, momentum)));
  return out;
}

/* What each row's second derivative lacks to be zero. */
static void fill_lacking(const ff_model *model, const ff_state *state,
                         const ff_model_cluster *cluster, double t) {
  double *x = state->constraint_x;
  for (int k = 0; k < cluster->count; k++) {
    const ff_model_constraint *c = member(model, cluster, k);
    const ff_constraint_rows *rows = rows_of(model, state, cluster, k);
    pull a = acceleration(model, state, c->a, t), b = acceleration(model, state, c->b, t);
    ff_vec3 apart = v3_sub(a.force, b.force);
    for (int i = 0; i < rows->count; i++) {
      *x++ = -(rows->bias[i] + v3_dot(rows->along[i], apart) + v3_dot(rows->turn_a[i], a.torque) +
               v3_dot(rows->turn_b[i], b.torque));
    }
  }
}

/* The bodies of a constraint as ff_contact_push knows them. */
static ff_contact_bodies bodies_of(const ff_state *state, const ff_model_constraint *c,
                                   const ff_constraint_rows *rows) {
  const ff_body_motion *b = &state->bodies[c->b];
  ff_contact_bodies out = {.a = c->a, .b = c->b};
  out.arm_a = v3_sub(rows->point_a, state->bodies[c->a].pose.position);
  out.arm_b = v3_sub(rows->point_b, b->pose.position);
  out.velocity_b = v3_add(b->velocity, v3_cross(b->omega, out.arm_b));
  return out;
}

void ff_constraints_push(const ff_model *model, ff_state *state, double t, double *ledger) {
  double share = state->half_constraints ? 0.5 : 1;
  for (int i = 0; i < model->cluster_count; i++) {
    const ff_model_cluster *cluster = &model->clusters[i];
    evaluate_cluster(model, state, cluster);
    fill_lacking(model, state, cluster, t);
    solve_cluster(model, state, cluster);
    const double *multipliers = state->constraint_x;
    for (int k = 0; k < cluster->count; k++) {
      int index = model->constraint_order[cluster->first + k];
      const ff_constraint_rows *rows = &state->constraint_rows[index];
      ff_state_constraint *to = &state->constraints[index];
      to->error = ff_constraint_errors(rows, &to->angle);
      to->force = ff_constraint_force(rows, multipliers, &to->moment);
      ff_contact_bodies bodies = bodies_of(state, member(model, cluster, k), rows);
      ff_contact_push(model, state, &bodies, rows->point_a, v3_scale(share, to->force),
                      v3_scale(share, to->moment), ledger);
      multipliers += rows->count;
    }
  }
}

/* ---- drift --------------------------------------------------------------------------------------
 */

/* Numbers of the size that rounding errors of a row come from. */
static double size_of(const ff_state *state, const ff_model_constraint *c,
                      const ff_constraint_rows *rows, int row, bool speed) {
  const ff_body_motion *a = &state->bodies[c->a], *b = &state->bodies[c->b];
  if (row >= rows->places) {
    return speed ? v3_norm(a->omega) + v3_norm(b->omega) : 1;
  }
  double arm_a = v3_norm(v3_sub(rows->point_a, a->pose.position));
  double arm_b = v3_norm(v3_sub(rows->point_b, b->pose.position));
  return speed ? v3_norm(a->velocity) + v3_norm(b->velocity) + arm_a * v3_norm(a->omega) +
                     arm_b * v3_norm(b->omega)
               : v3_norm(a->pose.position) + v3_norm(b->pose.position) + arm_a + arm_b;
}

/* Errors or rates of a cluster as the right-hand side that takes them back. Returns the largest, of
 * the size of the numbers around it. */
static double fill_drift(const ff_model *model, const ff_state *state,
                         const ff_model_cluster *cluster, bool speed) {
  double *x = state->constraint_x, largest = 0;
  evaluate_cluster(model, state, cluster);
  for (int k = 0; k < cluster->count; k++) {
    const ff_constraint_rows *rows = rows_of(model, state, cluster, k);
    for (int i = 0; i < rows->count; i++) {
      double off = speed ? rows->rate[i] : rows->error[i];
      double size = size_of(state, member(model, cluster, k), rows, i, speed);
      *x++ = -off;
      largest = fmax(largest, off == 0 ? 0 : fabs(off) / size);
    }
  }
  return largest;
}

/* Shifts and turns a body; or changes its velocity and momentum. */
static void nudge(const ff_model *model, const ff_state *state, int body, pull by, bool speed,
                  double *y) {
  const ff_model_body *b = &model->bodies[body];
  if (b->slot < 0) {
    return;
  }
  double *mine = y + (size_t)b->slot * FF_Y_BODY;
  double *linear = mine + (speed ? FF_Y_V : FF_Y_X), *q = mine + FF_Y_Q;
  v3_store(linear, v3_axpy(v3_load(linear), b->inv_mass, by.force));
  if (speed) {
    v3_store(mine + FF_Y_L, v3_add(v3_load(mine + FF_Y_L), by.torque));
  } else {
    ff_quat turn = q_exp(turned(model, state, body, by.torque));
    ff_quat to = q_mul(turn, (ff_quat){q[0], q[1], q[2], q[3]});
    q[0] = to.w;
    v3_store(q + 1, v3(to.x, to.y, to.z));
  }
}

/* What impulses on bodies that are not free bring into the system. */
static void book_constraint_impulse(const ff_model *model, const ff_state *state,
                                    const ff_model_constraint *c, const ff_constraint_rows *rows,
                                    const double *multipliers, double *ledger) {
  bool a_free = model->bodies[c->a].slot >= 0, b_free = model->bodies[c->b].slot >= 0;
  if (a_free && b_free) {
    return;
  }
  double sign = a_free ? 1 : -1;
  const ff_body_motion *by = &state->bodies[a_free ? c->b : c->a];
  ff_vec3 moment, impulse = v3_scale(sign, ff_constraint_force(rows, multipliers, &moment));
  moment = v3_scale(sign, moment);
  ff_vec3 speed = ff_motion_velocity(by, a_free ? rows->point_b : rows->point_a);
  ff_ledger_push(ledger, rows->point_a, impulse, moment, speed, by->omega);
}

static void apply(const ff_model *model, const ff_state *state, const ff_model_cluster *cluster,
                  bool speed, double *y) {
  const double *multipliers = state->constraint_x;
  for (int k = 0; k < cluster->count; k++) {
    const ff_model_constraint *c = member(model, cluster, k);
    const ff_constraint_rows *rows = rows_of(model, state, cluster, k);
    for (int side = 0; side < 2; side++) {
      pull sum = {{0, 0, 0}, {0, 0, 0}};
      for (int i = 0; i < rows->count; i++) {
        pull p = pull_of(rows, i, side);
        sum.force = v3_axpy(sum.force, multipliers[i], p.force);
        sum.torque = v3_axpy(sum.torque, multipliers[i], p.torque);
      }
      nudge(model, state, side == 0 ? c->a : c->b, sum, speed, y);
    }
    if (speed) {
      book_constraint_impulse(model, state, c, rows, multipliers, y + state->ledger_at);
    }
    multipliers += rows->count;
  }
}

/* One round over all clusters. Returns the largest that was off, relative. */
static double correct(const ff_model *model, ff_state *state, double t, double *y, bool speed) {
  double largest = 0;
  ff_bodies_update(model, state, t, y);
  for (int i = 0; i < model->cluster_count; i++) {
    const ff_model_cluster *cluster = &model->clusters[i];
    double off = fill_drift(model, state, cluster, speed);
    if (off > ROUNDING) {
      solve_cluster(model, state, cluster);
      apply(model, state, cluster, speed, y);
    }
    largest = off > largest || isnan(off) ? off : largest;
  }
  return largest;
}

/* The mean of a row's rate before and after, which is zero, times its impulse. */
double ff_constraints_calm(const ff_model *model, const ff_state *state,
                           const ff_model_cluster *cluster, double *y) {
  const double *multipliers = state->constraint_x;
  double taken = 0;
  fill_drift(model, state, cluster, true);
  solve_cluster(model, state, cluster);
  apply(model, state, cluster, true, y);
  for (int k = 0; k < cluster->count; k++) {
    const ff_constraint_rows *rows = rows_of(model, state, cluster, k);
    for (int i = 0; i < rows->count; i++) {
      taken -= 0.5 * *multipliers++ * rows->rate[i];
    }
  }
  return taken;
}

bool ff_constraints_project(const ff_model *model, ff_state *state, double t, double *y) {
  if (model->cluster_count == 0) {
    return true;
  }
  double off = INFINITY, before = INFINITY;
  for (int round = 0; round < ROUNDS && off > ROUNDING; round++) {
    before = off;
    off = correct(model, state, t, y, false);
    if (!(off < before) && off < 16 * ROUNDING) {
      break; /* as near as numbers go */
    }
  }
  if (!(off < TORN_AWAY)) {
    return false;
  }
  correct(model, state, t, y, true);
  ff_bodies_update(model, state, t, y);
  return true;
}
