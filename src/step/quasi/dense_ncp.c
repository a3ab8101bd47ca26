/* Dense NCP of a small island: bodies first, then elements; solved by ncp.h, which converges where
 * the line search of newton.c ends in a local minimum. */
#include "math/vec.h"
#include "step/quasi/contact_jacobian.h"
#include "step/quasi/residual.h"
#include "step/quasi/solver.h"

#include <string.h>

bool ff_quasi_lay_out_dense(quasi_solver *solver) {
  const quasi_problem *problem = solver->problem;
  int size = QUASI_DOF * problem->node_count;
  for (int k = 0; k < problem->member_count; k++) {
    problem->members[k]->unknown = size;
    size += problem->members[k]->rows;
  }
  if (size > solver->unknown_limit || quasi_has_robot(problem)) {
    return false;
  }
  solver->size = size;
  for (int i = 0; i < QUASI_DOF * problem->node_count; i++) {
    solver->lower[i] = -INFINITY;
  }
  for (int k = 0; k < problem->member_count; k++) {
    const quasi_element *e = problem->members[k];
    memcpy(solver->lower + e->unknown, e->lower, (size_t)e->rows * sizeof(double));
  }
  return true;
}

/* Bodies and elements at z. */
static void set_unknowns(quasi_solver *solver, const double *z) {
  const quasi_problem *problem = solver->problem;
  for (int i = 0; i < problem->node_count; i++) {
    quasi_body *body = quasi_node_body(problem, problem->solved_nodes[i]);
    double *x = solver->x + ff_blocks_row(solver->blocks, body->node);
    memcpy(x, z + QUASI_DOF * i, QUASI_DOF * sizeof *x);
    ff_quasi_move_body(problem, body, v3_load(x), v3_load(x + 3));
    body->column = QUASI_DOF * i;
  }
  for (int k = 0; k < problem->member_count; k++) {
    quasi_element *e = problem->members[k];
    memcpy(e->z, z + e->unknown, (size_t)e->rows * sizeof *z);
  }
}

int ff_quasi_dense_residual(void *context, const double *z, double *f) {
  quasi_solver *solver = context;
  const quasi_problem *problem = solver->problem;
  if (quasi_must_stop(solver)) {
    return 1;
  }
  ff_effort += 5 * problem->member_count;
  set_unknowns(solver, z);
  ff_quasi_element_residuals(problem, 0, problem->member_count);
  for (int i = 0; i < problem->node_count; i++) {
    const quasi_body *body = quasi_node_body(problem, problem->solved_nodes[i]);
    double mass = problem->model->bodies[body->id].mass;
    v3_store(f + body->column, v3_scale(mass, v3_sub(body->end.velocity, body->v_free)));
    v3_store(f + body->column + 3, v3_sub(body->l, body->l_free));
  }
  for (int k = 0; k < problem->member_count; k++) {
    const quasi_element *e = problem->members[k];
    for (int s = 0; s < 2; s++) {
      const quasi_body *body = quasi_side(problem, e, s);
      for (int i = 0; body->solved && i < QUASI_DOF; i++) {
        f[body->column + i] += e->f[6 * s + i];
      }
    }
    memcpy(f + e->unknown, e->f + 12, (size_t)e->rows * sizeof *f);
  }
  return 0;
}

typedef struct dense_matrix {
  const quasi_solver *solver;
  double *j; /* by columns */
} dense_matrix;

static void add_dense_element(void *context, quasi_element *e, quasi_jacobian j) {
  const dense_matrix *to = context;
  size_t n = (size_t)to->solver->size;
  int index[QUASI_ROWS_MAX]; /* in the dense problem; -1: not solved */
  for (int i = 0; i < 12 + e->rows; i++) {
    const quasi_body *body = &to->solver->problem->bodies[i < 6 ? e->a : e->b];
    index[i] = i >= 12 ? e->unknown + i - 12 : body->solved ? body->column + i % 6 : -1;
  }
  for (int i = 0; i < 12 + e->rows; i++) {
    for (int k = 0; k < 12 + e->rows; k++) {
      if (index[i] >= 0 && index[k] >= 0) {
        to->j[(size_t)index[k] * n + (size_t)index[i]] += j[i][k];
      }
    }
  }
}

int ff_quasi_dense_jacobian(void *context, const double *z, double *j) {
  quasi_solver *solver = context;
  const quasi_problem *problem = solver->problem;
  size_t n = (size_t)solver->size;
  if (quasi_must_stop(solver)) {
    return 1;
  }
  ff_effort += 15 * problem->member_count +
               solver->size * solver->size * solver->size / 200; /* the caller factors it */
  set_unknowns(solver, z);
  memset(j, 0, n * n * sizeof *j);
  for (int i = 0; i < problem->node_count; i++) {
    const quasi_body *body = quasi_node_body(problem, problem->solved_nodes[i]);
    for (int k = 0; k < QUASI_DOF; k++) {
      size_t at = (size_t)(body->column + k);
      j[at * n + at] = k < 3 ? problem->model->bodies[body->id].mass : 1;
    }
  }
  ff_quasi_element_residuals(problem, 0, problem->member_count);
  ff_quasi_rotation_jacobians(problem, 0, problem->node_count);
  ff_quasi_element_jacobians(problem, 0, problem->member_count, add_dense_element,
                             &(dense_matrix){.solver = solver, .j = j});
  for (int m = 0; m < problem->member_count; m++) {
    const quasi_element *e = problem->members[m];
    for (int i = e->unknown; e->idle && i < e->unknown + e->rows; i++) {
      j[(size_t)i * n + (size_t)i] = 1 / e->mass;
    }
  }
  return 0;
}

bool ff_quasi_solve_dense(quasi_solver *solver) {
  const quasi_problem *problem = solver->problem;
  for (int i = 0; i < QUASI_DOF * problem->node_count; i++) {
    int node = problem->solved_nodes[i / QUASI_DOF];
    solver->z[i] = solver->x[ff_blocks_row(solver->blocks, node) + i % QUASI_DOF];
  }
  for (int k = 0; k < problem->member_count; k++) {
    const quasi_element *e = problem->members[k];
    memcpy(solver->z + e->unknown, e->z, (size_t)e->rows * sizeof(double));
  }
  if (ff_ncp_resize(solver->ncp, solver->size, solver->lower, NULL) != FF_OK ||
      ff_ncp_solve(solver->ncp, solver->z).outcome != FF_NCP_SOLVED) {
    return false;
  }
  set_unknowns(solver, solver->z);
  return ff_quasi_newton(solver); /* to the tolerance of a solution */
}
