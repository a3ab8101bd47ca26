/* Bilateral constraints in the quasi-rigid step: equations g = 0 at its end, with impulses along
 * the derivatives of g there [Chakraborty07, Sec. Dynamic model: "bilateral constraints"].
 *
 * Rows are g / h, so that they are speeds; angles are scaled to distances with a length of the
 * bodies.
 *
 * Order 2: bodies move with the mean of their velocities at start and end, and half of each impulse
 * acts along the derivatives of the start. Then g = 0 holds for the mean only: a velocity that
 * violates g' = 0 would be reversed in every step. The step leaves one of second order, which the
 * smallest impulses remove at the end (velocity projection). With links of robots the equation is
 * g + h g' / 2 = 0 instead, which leaves a g of second order and nothing to remove.
 */
#include "step/quasi/bilateral_constraints.h"

#include "math/vec.h"
#include "step/constraints.h"
#include "step/forces.h"
#include "step/quasi/energy_accounting.h"

#include <float.h>
#include <string.h>

#define ANGLE_STEP 1e-6 /* rad, and of the length: central differences */
#define ROUNDINGS  8    /* in a row */

/* ---- start of the step ------------------------------------------------------------------ */

/* m, lever of a constraint. */
static double constraint_length(const ff_model *model, const ff_model_constraint *c) {
  double length = v3_norm(c->anchor_a) + v3_norm(c->anchor_b) + c->length;
  const int bodies[2] = {c->a, c->b};
  for (int s = 0; s < 2; s++) {
    const ff_model_body *body = &model->bodies[bodies[s]];
    double inertia = fmax(body->inertia.x, fmax(body->inertia.y, body->inertia.z));
    length = fmax(length, body->mass > 0 ? sqrt(inertia / body->mass) : 0);
  }
  return length;
}

void ff_quasi_begin_constraints(const quasi_problem *problem, bool again) {
  const ff_model *model = problem->model;
  for (int k = 0; k < model->constraint_count; k++) {
    const ff_model_constraint *c = &model->constraints[k];
    const ff_state_constraint *was = &problem->state->constraints[k];
    quasi_constraint *constraint = &problem->constraints[k];
    quasi_element *e = &constraint->e;
    e->a = c->a;
    e->b = c->b;
    e->is_constraint = true;
    e->idle = false;
    e->rows = ff_constraint_row_count(c->kind);
    e->mass = 1 / (model->bodies[c->a].inv_mass + model->bodies[c->b].inv_mass);
    constraint->constraint = k;
    constraint->start_share = constraint->ahead = 0;
    constraint->length = constraint_length(model, c);
    for (int i = 0; i < e->rows; i++) {
      e->lower[i] = -INFINITY;
    }
    /* impulses of the step before along the present rows; the moments' axes are unit vectors,
     * nearly orthogonal */
    ff_constraint_rows rows;
    ff_constraint_evaluate(c, &problem->bodies[c->a].end, &problem->bodies[c->b].end, &rows);
    for (int i = 0; i < rows.count; i++) {
      e->z_before[i] = e->z_predicted[i] =
          i < rows.places ? problem->h * v3_dot(rows.along[i], was->force)
                          : problem->h * v3_dot(rows.turn_a[i], was->moment) / constraint->length;
    }
    if (again) {
      memcpy(e->z_predicted, e->z, sizeof e->z);
    }
  }
}

void ff_quasi_begin_constraint(const quasi_problem *problem, quasi_constraint *constraint,
                               double theta) {
  const quasi_body *a = &problem->bodies[constraint->e.a], *b = &problem->bodies[constraint->e.b];
  constraint->start_share = 1 - theta;
  constraint->ahead = theta < 1 && (a->link || b->link) ? 0.5 * problem->h : 0;
  ff_constraint_evaluate(&problem->model->constraints[constraint->constraint], &a->start, &b->start,
                         &constraint->rows_start);
}

/* ---- residual and Jacobian -------------------------------------------------------------- */

/* Adds minus an impulse along row i to the rows of the bodies: shared between the directions of the
 * end and of the start. */
static void add_constraint_impulse(const quasi_constraint *constraint,
                                   const ff_constraint_rows *end, int i, double impulse,
                                   double *f) {
  double start = constraint->start_share;
  for (int pass = 0; pass <= (start > 0); pass++) {
    const ff_constraint_rows *rows = pass == 0 ? end : &constraint->rows_start;
    double share = (pass == 0 ? 1 - start : start) * impulse;
    v3_store(f, v3_axpy(v3_load(f), -share, rows->along[i]));
    v3_store(f + 3, v3_axpy(v3_load(f + 3), -share, rows->turn_a[i]));
    v3_store(f + 6, v3_axpy(v3_load(f + 6), share, rows->along[i]));
    v3_store(f + 9, v3_axpy(v3_load(f + 9), -share, rows->turn_b[i]));
  }
}

/* f with the bodies at these ends. */
static void constraint_rows_at(const quasi_problem *problem, const quasi_constraint *constraint,
                               const ff_body_motion *a, const ff_body_motion *b, double *f,
                               ff_constraint_rows *rows) {
  const quasi_element *e = &constraint->e;
  ff_constraint_evaluate(&problem->model->constraints[constraint->constraint], a, b, rows);
  memset(f, 0, QUASI_ROWS_MAX * sizeof *f);
  for (int i = 0; i < e->rows; i++) {
    double length = i < rows->places ? 1 : constraint->length;
    add_constraint_impulse(constraint, rows, i, length * e->z[i], f);
    f[12 + i] = length * rows->error[i] / problem->h;
    if (constraint->ahead > 0) {
      f[12 + i] += length * constraint->ahead / problem->h *
                   (v3_dot(rows->along[i], v3_sub(a->velocity, b->velocity)) +
                    v3_dot(rows->turn_a[i], a->omega) + v3_dot(rows->turn_b[i], b->omega));
    }
  }
}

/* Magnitudes of the terms of the rows, and their rounding error. */
static void scale_constraint(const quasi_problem *problem, quasi_constraint *constraint, int rows) {
  quasi_element *e = &constraint->e;
  double sum = 0, far = constraint->length, speed = problem->gravity_dv;
  for (int s = 0; s < 2; s++) {
    const quasi_body *body = quasi_side(problem, e, s);
    speed += v3_norm(body->start.velocity) + v3_norm(body->end.velocity) +
             constraint->length * v3_norm(body->end.omega);
    far = fmax(far, v3_norm(body->end.pose.position));
  }
  double noise = ROUNDINGS * DBL_EPSILON * (far + constraint->length) / problem->h;
  for (int i = 0; i < rows; i++) {
    sum += fabs(e->z[i]);
    e->row_scale[i] = speed;
    e->row_noise[i] = noise;
  }
  e->force_scale = sum;
  e->moment_scale = constraint->length * sum;
  e->force_noise = e->moment_noise = 0;
}

/* Adds the derivatives of the rows of its own by the velocities of a body, which are there in order
 * 2 with links. */
static void add_velocity_columns(const quasi_problem *problem, const quasi_constraint *constraint,
                                 const ff_constraint_rows *rows, int side, quasi_jacobian j) {
  const quasi_body *body = quasi_side(problem, &constraint->e, side);
  for (int i = 0; i < constraint->e.rows; i++) {
    double scale = (i < rows->places ? 1 : constraint->length) * constraint->ahead / problem->h;
    ff_vec3 turn = m3_tmul(body->inv_inertia, side == 0 ? rows->turn_a[i] : rows->turn_b[i]);
    double columns[6];
    v3_store(columns, v3_scale(side == 0 ? scale : -scale, rows->along[i]));
    v3_store(columns + 3, v3_scale(scale, turn));
    for (int k = 0; k < 6; k++) {
      j[12 + i][6 * side + k] += columns[k];
    }
  }
}

/* Columns of a body: central differences by its pose, times the derivative of the pose. */
static void constraint_columns(const quasi_problem *problem, quasi_constraint *constraint, int side,
                               quasi_jacobian j) {
  quasi_element *e = &constraint->e;
  const quasi_body *pair[2] = {&problem->bodies[e->a], &problem->bodies[e->b]};
  double by_turn[3][QUASI_ROWS_MAX];
  for (int k = 0; k < QUASI_DOF; k++) {
    ff_vec3 axis = v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    double f[2][QUASI_ROWS_MAX], step = k < 3 ? ANGLE_STEP * constraint->length : ANGLE_STEP;
    for (int way = 0; way < 2; way++) {
      ff_body_motion ends[2] = {pair[0]->end, pair[1]->end};
      ff_vec3 by = v3_scale(way == 0 ? step : -step, axis);
      ff_pose *pose = &ends[side].pose;
      if (k < 3) {
        pose->position = v3_add(pose->position, by);
      } else {
        pose->orientation = q_mul(q_exp(by), pose->orientation);
      }
      ff_constraint_rows rows;
      constraint_rows_at(problem, constraint, &ends[0], &ends[1], f[way], &rows);
    }
    for (int i = 0; i < 12 + e->rows; i++) {
      double slope = (f[0][i] - f[1][i]) / (2 * step);
      if (k < 3) {
        j[i][6 * side + k] = problem->h * pair[side]->theta * slope;
      } else {
        by_turn[k - 3][i] = slope;
      }
    }
  }
  const ff_mat3 *turn = &pair[side]->rotation_jacobian;
  for (int i = 0; i < 12 + e->rows; i++) {
    for (int k = 0; k < 3; k++) {
      j[i][6 * side + 3 + k] = by_turn[0][i] * turn->m[0][k] + by_turn[1][i] * turn->m[1][k] +
                               by_turn[2][i] * turn->m[2][k];
    }
  }
}

void ff_quasi_constraint_residual(const quasi_problem *problem, quasi_constraint *constraint,
                                  quasi_jacobian j) {
  quasi_element *e = &constraint->e;
  ff_constraint_rows rows;
  constraint_rows_at(problem, constraint, &problem->bodies[e->a].end, &problem->bodies[e->b].end,
                     e->f, &rows);
  scale_constraint(problem, constraint, rows.count);
  if (!j) {
    return;
  }
  memset(j, 0, sizeof(quasi_jacobian));
  for (int s = 0; s < 2; s++) {
    if (quasi_side(problem, e, s)->solved) {
      constraint_columns(problem, constraint, s, j);
      if (constraint->ahead > 0) {
        add_velocity_columns(problem, constraint, &rows, s, j);
      }
    }
  }
  for (int i = 0; i < e->rows; i++) { /* the rows of bodies are linear in the impulses */
    double length = i < rows.places ? 1 : constraint->length, f[12] = {0};
    add_constraint_impulse(constraint, &rows, i, length, f);
    for (int k = 0; k < 12; k++) {
      j[k][12 + i] = f[k];
    }
  }
}

/* ---- end of the step -------------------------------------------------------------------- */

/* Ledger of a share of the impulses z, at the rows of the end or of the start. They do no work:
 * what they take from the kinetic energy is a loss of the step. */
static void book_constraint(const quasi_problem *problem, const quasi_constraint *constraint,
                            const ff_constraint_rows *rows, const double *z, bool start,
                            double *ledger) {
  const quasi_element *e = &constraint->e;
  const quasi_body *a = &problem->bodies[e->a], *b = &problem->bodies[e->b];
  double share = start ? constraint->start_share : 1 - constraint->start_share;
  if (a->node < 0 || b->node < 0) {
    bool a_inside = a->node >= 0;
    double on = share * (a_inside ? 1 : -1);
    ff_vec3 moment, impulse = v3_scale(on, ff_constraint_force(rows, z, &moment));
    ff_quasi_book_external(problem, a_inside ? a : b, a_inside ? b : a,
                           a_inside ? rows->point_a : rows->point_b,
                           start ? QUASI_START : QUASI_END, impulse, v3_scale(on, moment), ledger);
  }
  ff_vec3 v_a = v3_scale(0.5, v3_add(a->start.velocity, a->end.velocity));
  ff_vec3 v_b = v3_scale(0.5, v3_add(b->start.velocity, b->end.velocity));
  ff_vec3 w_a = v3_scale(0.5, v3_add(a->start.omega, a->end.omega));
  ff_vec3 w_b = v3_scale(0.5, v3_add(b->start.omega, b->end.omega));
  for (int i = 0; i < e->rows; i++) {
    ledger[FF_Y_LOST + FF_LOST_STEP] -=
        share * z[i] *
        (v3_dot(rows->along[i], v3_sub(v_a, v_b)) + v3_dot(rows->turn_a[i], w_a) +
         v3_dot(rows->turn_b[i], w_b));
  }
}

void ff_quasi_finish_constraints(const quasi_problem *problem, double *ledger) {
  for (int k = 0; k < problem->model->constraint_count; k++) {
    const quasi_constraint *constraint = &problem->constraints[k];
    const quasi_element *e = &constraint->e;
    ff_state_constraint *to = &problem->state->constraints[k];
    ff_constraint_rows rows;
    double z[QUASI_OWN_MAX];
    ff_constraint_evaluate(&problem->model->constraints[k], &problem->bodies[e->a].end,
                           &problem->bodies[e->b].end, &rows);
    for (int i = 0; i < e->rows; i++) {
      z[i] = (i < rows.places ? 1 : constraint->length) * e->z[i];
    }
    ff_vec3 moment, impulse = ff_constraint_force(&rows, z, &moment);
    to->error = ff_constraint_errors(&rows, &to->angle);
    to->force = v3_scale(1 / problem->h, impulse);
    to->moment = v3_scale(1 / problem->h, moment);
    book_constraint(problem, constraint, &rows, z, false, ledger);
    if (constraint->start_share > 0) {
      book_constraint(problem, constraint, &constraint->rows_start, z, true, ledger);
    }
  }
}

void ff_quasi_project_velocities(const quasi_problem *problem, double t, double *ledger) {
  const ff_model *model = problem->model;
  ff_state *state = problem->state;
  bool projected = false;
  for (int i = 0; i < model->cluster_count; i++) {
    const ff_model_cluster *cluster = &model->clusters[i];
    const int *indices = &model->constraint_order[cluster->first];
    bool second = true; /* the whole cluster took a step of order 2 */
    for (int k = 0; k < cluster->count && second; k++) {
      const quasi_constraint *of = &problem->constraints[indices[k]];
      second = of->start_share > 0 && of->ahead == 0;
    }
    if (!second) {
      continue;
    }
    ledger[FF_Y_LOST + FF_LOST_STEP] += ff_constraints_calm(model, state, cluster, state->y);
    const double *impulses = state->constraint_x; /* which act in this step, too */
    for (int k = 0; k < cluster->count; k++) {
      const ff_constraint_rows *rows = &state->constraint_rows[indices[k]];
      ff_state_constraint *to = &state->constraints[indices[k]];
      ff_vec3 moment, impulse = ff_constraint_force(rows, impulses, &moment);
      to->force = v3_axpy(to->force, 1 / problem->h, impulse);
      to->moment = v3_axpy(to->moment, 1 / problem->h, moment);
      impulses += rows->count;
    }
    projected = true;
  }
  if (projected) {
    ff_bodies_update(model, state, t, state->y);
  }
}
