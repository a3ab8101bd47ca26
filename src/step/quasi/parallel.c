/* Parallel loops over bodies and elements of large islands.
 *
 * Chunks are the same for any number of threads. What elements add to bodies is collected body by
 * body, in the order of the elements: no two threads write to the same place, and every sum has a
 * fixed order.
 */
#include "base/team.h"
#include "step/quasi/solver.h"

#include <string.h>

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
