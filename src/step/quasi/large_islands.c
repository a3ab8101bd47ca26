/* Large islands: parallel loops over bodies and elements, and a preconditioned Krylov solve.
 *
 * Chunks are the same for any number of threads. What elements add to bodies is collected body by
 * body, in the order of the elements: no two threads write to the same place, and every sum has a
 * fixed order.
 *
 * Elimination couples ever more bodies, and complete factors grow faster than the island. But the
 * coupling of distant bodies through many others is weak: products of blocks that are not much
 * larger than inertia are dropped (incomplete LU), and the factors grow in proportion to the
 * island. Such factors solve the system to a few per cent, and as preconditioner of a few GMRES
 * iterations to the tolerance needed (solve/krylov.h).
 *
 * The matrix is stored by rows: the diagonal block of each body, and contiguously the Schur
 * contributions of its elements.
 */
#include "base/team.h"
#include "math/pairs.h"
#include "step/quasi/solver.h"

#include <string.h>

/* ---- parallel loops -------------------------------------------------------------------------- */

typedef struct parallel_work {
  quasi_solver *solver;
  quasi_side_work *side;
} parallel_work;

static void run_sides(void *context, int first, int end) {
  const parallel_work *work = context;
  quasi_solver *solver = work->solver;
  const quasi_problem *problem = solver->problem;
  for (int i = first; i < end; i++) {
    int node = problem->solved_nodes[i];
    for (int k = solver->first_side[node]; k < solver->first_side[node + 1]; k++) {
      quasi_element *e = problem->members[solver->sides[k] / 2];
      if (!e->idle) {
        work->side(solver, e, solver->sides[k] % 2);
      }
    }
  }
}

void ff_quasi_parallel_sides(quasi_solver *solver, quasi_side_work *work) {
  parallel_work context = {.solver = solver, .side = work};
  ff_team_for(*solver->team, run_sides, &context, solver->problem->node_count, QUASI_CHUNK);
}

void ff_quasi_list_sides(quasi_solver *solver) {
  const quasi_problem *problem = solver->problem;
  int *start = solver->first_side, nodes = problem->node_limit;
  if (!problem->is_large) {
    for (int k = 0; k < problem->member_count; k++) {
      problem->members[k]->schur[0] = solver->first_schur + 2 * k;
      problem->members[k]->schur[1] = solver->first_schur + 2 * k + 1;
    }
    return;
  }
  for (int i = 0; i < problem->node_count; i++) {
    quasi_node_body(problem, problem->solved_nodes[i])->column = QUASI_DOF * i;
  }
  memset(start, 0, ((size_t)nodes + 2) * sizeof *start);
  for (int pass = 0; pass < 2; pass++) { /* counting sort: counted two places ahead, then filled */
    for (int k = 0; k < problem->member_count; k++) {
      quasi_element *e = problem->members[k];
      for (int s = 0; s < 2; s++) {
        const quasi_body *body = quasi_side(problem, e, s), *other = quasi_side(problem, e, 1 - s);
        if (body->solved && pass == 0) {
          start[body->node + 2]++;
        } else if (body->solved) {
          int at = start[body->node + 1]++;
          solver->sides[at] = 2 * k + s;
          solver->across[at] = other->solved ? other->column : -1;
          e->schur[s] = solver->first_schur + at;
        }
      }
    }
    for (int i = 2; pass == 0 && i <= nodes; i++) {
      start[i] += start[i - 1];
    }
  }
}

/* ---- assembly --------------------------------------------------------------------------- */

/* Matrix and right-hand side of solved nodes. */
static void assemble_chunk(void *context, int first, int end) {
  enum { NUMBERS = QUASI_DOF * QUASI_DOF };
  quasi_solver *solver = context;
  for (int i = first; i < end; i++) {
    int node = solver->problem->solved_nodes[i], row = ff_blocks_row(solver->blocks, node);
    double *diagonal = solver->diagonal[node][0], rhs[QUASI_DOF];
    for (int k = 0; k < QUASI_DOF; k++) {
      rhs[k] = -solver->r[row + k];
    }
    if (!solver->rhs_only) {
      memset(diagonal, 0, NUMBERS * sizeof *diagonal);
      ff_quasi_inertia_block(solver, quasi_node_body(solver->problem, node), diagonal);
    }
    for (int p = solver->first_side[node]; p < solver->first_side[node + 1]; p++) {
      const quasi_schur *schur = &solver->schur[solver->first_schur + p];
      if (schur->idle) {
        continue;
      }
      ff_take_off(rhs, -1, schur->rhs, QUASI_DOF);
      if (!solver->rhs_only) {
        ff_take_off(diagonal, -1, schur->diagonal[0], NUMBERS);
      }
      if (!solver->rhs_only && solver->across[p] >= 0) {
        ff_take_off(schur->off_diagonal, -1, schur->coupling[0], NUMBERS);
      }
    }
    if (!solver->rhs_only) {
      memcpy(ff_blocks_at(solver->blocks, node, node), diagonal, NUMBERS * sizeof *diagonal);
    }
    memcpy(solver->step + row, rhs, sizeof rhs);
  }
}

void ff_quasi_assemble_large(quasi_solver *solver, bool rhs_only) {
  solver->rhs_only = rhs_only;
  quasi_for_chunks(solver, assemble_chunk, solver->problem->node_count);
}

/* ---- solution --------------------------------------------------------------------------- */

/* Unknowns of the island's bodies: from a vector of all nodes to a contiguous one, or back. */
static void copy_contiguous(const quasi_solver *solver, double *all, double *contiguous,
                            bool back) {
  const quasi_problem *problem = solver->problem;
  for (int i = 0; i < problem->node_count; i++) {
    double *a = all + ff_blocks_row(solver->blocks, problem->solved_nodes[i]);
    double *c = contiguous + QUASI_DOF * i;
    memcpy(back ? a : c, back ? c : a, QUASI_DOF * sizeof *a);
  }
}

static inline void add_block_product(double out[6], double block[6][6], const double *x) {
  for (int i = 0; i < QUASI_DOF; i++) {
    out[i] += ff_dot(block[i], x, QUASI_DOF);
  }
}

static void multiply_chunk(void *context, int first, int end) {
  quasi_solver *solver = context;
  const double *x = solver->krylov_in;
  for (int i = first; i < end; i++) {
    int node = solver->problem->solved_nodes[i];
    double sum[6] = {0};
    add_block_product(sum, solver->diagonal[node], x + QUASI_DOF * i);
    for (int p = solver->first_side[node]; p < solver->first_side[node + 1]; p++) {
      quasi_schur *schur = &solver->schur[solver->first_schur + p];
      if (solver->across[p] >= 0 && !schur->idle) {
        add_block_product(sum, schur->coupling, x + solver->across[p]);
      }
    }
    memcpy(solver->krylov_out + QUASI_DOF * i, sum, sizeof sum);
  }
}

static void multiply_large(void *context, const double *x, double *out) {
  quasi_solver *solver = context;
  solver->krylov_in = x;
  solver->krylov_out = out;
  quasi_for_chunks(solver, multiply_chunk, solver->problem->node_count);
}

static void precondition_large(void *context, double *x) {
  quasi_solver *solver = context;
  copy_contiguous(solver, solver->step, x, true);
  ff_blocks_solve(solver->blocks, solver->step, *solver->team);
  copy_contiguous(solver, solver->step, x, false);
}

/* The residual's norm is a kinetic energy: momenta over mass, angular ones at the body's size. */
bool ff_quasi_krylov_solve(quasi_solver *solver, double tolerance) {
  const quasi_problem *problem = solver->problem;
  for (int i = 0; i < problem->node_count; i++) {
    const quasi_body *body = quasi_node_body(problem, problem->solved_nodes[i]);
    const ff_model_body *model = &problem->model->bodies[body->id];
    for (int k = 0; k < QUASI_DOF; k++) {
      double unit = model->mass * (k < 3 ? 1 : model->bound);
      solver->krylov_weights[QUASI_DOF * i + k] = model->mass / (unit * unit);
    }
  }
  ff_krylov_problem system = {.context = solver,
                              .size = QUASI_DOF * problem->node_count,
                              .weights = solver->krylov_weights,
                              .times = multiply_large,
                              .divide = precondition_large};
  copy_contiguous(solver, solver->step, solver->krylov_x, false);
  bool good = ff_krylov_solve(solver->krylov, &system, solver->krylov_x, tolerance);
  copy_contiguous(solver, solver->step, solver->krylov_x, true);
  return good;
}
