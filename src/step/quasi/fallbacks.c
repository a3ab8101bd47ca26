/* Fallbacks for islands that Newton's method solves neither from the predictor nor from free
 * flight.
 *
 * Perturbed restarts: at a kink of the rows Newton's method may alternate between two active sets
 * near the solution. From a point that is displaced a little it finds another way.
 *
 * Random starts, for an island of one body: a needle that is hit at its tip turns by radians in one
 * step, and there are many solutions far from any guess.
 *
 * Friction homotopy, for large islands and robots: friction coefficients grow from 0 to their
 * values, in steps as large as Newton's method follows.
 */
#include "math/vec.h"
#include "step/quasi/energy_accounting.h"
#include "step/quasi/solver.h"

#include <stdint.h>
#include <string.h>

enum { PERTURBATIONS = 12, CANDIDATES = 128 };
#define SMALLEST_PERTURBATION 1e-6 /* of the effect of an impact */
#define PERTURBATION_GROWTH   3.0

void ff_quasi_guess_free_flight(quasi_solver *solver) {
  const quasi_problem *problem = solver->problem;
  for (int i = 0; i < problem->node_count; i++) {
    int node = problem->solved_nodes[i];
    double *x = solver->x + ff_blocks_row(solver->blocks, node);
    const quasi_body *body = quasi_node_body(problem, node);
    if (!body) {
      ff_quasi_robot_guess(problem, quasi_node_robot(problem, node), false, x);
      continue;
    }
    v3_store(x, body->v_free);
    v3_store(x + 3, body->l_free);
  }
  for (int k = 0; k < problem->member_count; k++) {
    quasi_element *e = problem->members[k];
    for (int i = 0; i < e->rows; i++) {
      e->z[i] = 0;
    }
  }
}

bool ff_quasi_is_spurious(const quasi_problem *problem) {
  return problem->node_count == 1 && ff_quasi_multiplies_energy(problem);
}

/* ---- perturbed restarts and random starts ----------------------------------------------- */

/* Pseudo-random numbers from -1 to 1, a fixed sequence (linear congruential generator). */
static double draw_number(uint64_t *seed) {
  *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

static ff_vec3 draw_vector(uint64_t *seed) {
  double x = draw_number(seed), y = draw_number(seed);
  return v3(x, y, draw_number(seed));
}

/* m/s, speed of an impact: of a body's centre and of its surface by rotation. */
static double approach_speed(const quasi_problem *problem, const quasi_body *body) {
  return v3_norm(body->v_free) +
         problem->model->bodies[body->id].bound * v3_norm(body->start.omega);
}

bool ff_quasi_perturbed_restarts(quasi_solver *solver) {
  const quasi_problem *problem = solver->problem;
  uint64_t seed = 1;
  double share = SMALLEST_PERTURBATION;
  for (int n = 0; n <= PERTURBATIONS && !quasi_must_stop(solver); n++) {
    if (ff_quasi_newton(solver) && !ff_quasi_is_spurious(problem)) {
      return true;
    }
    for (int i = 0; i < problem->node_count; i++) {
      const quasi_body *body = quasi_node_body(problem, problem->solved_nodes[i]);
      const ff_model_body *of = &problem->model->bodies[body->id];
      double *x = solver->x + ff_blocks_row(solver->blocks, problem->solved_nodes[i]);
      double speed = share * (approach_speed(problem, body) + problem->gravity_dv);
      v3_store(x, v3_axpy(v3_load(x), speed, draw_vector(&seed)));
      v3_store(x + 3, v3_axpy(v3_load(x + 3), of->mass * of->bound * speed, draw_vector(&seed)));
    }
    share *= PERTURBATION_GROWTH;
  }
  return false;
}

/* Random guess for an island of one body, within the effect of an impact. Angular momentum up to
 * that of the body's full leverage, or of its energy, which is far less about a thin axis. */
static void random_guess(quasi_solver *solver, bool levered, uint64_t *seed) {
  const quasi_problem *problem = solver->problem;
  const quasi_body *body = quasi_node_body(problem, problem->solved_nodes[0]);
  const ff_model_body *of = &problem->model->bodies[body->id];
  double *x = solver->x + ff_blocks_row(solver->blocks, body->node);
  double share = draw_number(seed), fast = share * share * approach_speed(problem, body);
  ff_vec3 push = v3_scale(2 * fast, draw_vector(seed)), turn = draw_vector(seed);
  if (levered) {
    turn = v3_scale(of->mass * of->bound, turn);
  } else {
    ff_vec3 most = v3_scale(of->mass, of->inertia); /* (momentum over fast)^2 of that energy */
    turn = q_rotate(body->start.pose.orientation,
                    v3_mul(v3(sqrt(most.x), sqrt(most.y), sqrt(most.z)), turn));
  }
  ff_quasi_guess_free_flight(solver);
  v3_store(x, v3_add(v3_load(x), push));
  v3_store(x + 3, v3_axpy(v3_load(x + 3), fast, turn));
}

/* Of this many levered guesses the one with the least residual: an evaluation costs a hundredth of
 * a run of Newton's method that fails. */
static void best_random_guess(quasi_solver *solver, int count, uint64_t *seed) {
  uint64_t best = *seed;
  double least = INFINITY;
  for (int k = 0; k < count; k++) {
    uint64_t from = *seed;
    random_guess(solver, true, seed);
    double residual = ff_quasi_evaluate(solver).energy;
    best = residual < least ? from : best;
    least = lesser(residual, least);
  }
  random_guess(solver, true, &best);
}

bool ff_quasi_random_starts(quasi_solver *solver) {
  uint64_t seed = 1;
  bool solved = false;
  for (int k = 2; !solved && !quasi_must_stop(solver); k++) {
    /* some steps need the one kind, some the other; candidates grow in number */
    if (k % 2 == 0) {
      best_random_guess(solver, k < 2 * CANDIDATES ? k / 2 : CANDIDATES, &seed);
    } else {
      random_guess(solver, false, &seed);
    }
    solved = ff_quasi_newton(solver) && !ff_quasi_is_spurious(solver->problem);
  }
  return solved;
}

/* ---- friction homotopy ------------------------------------------------------------------ */

/* Saves or restores the unknowns. */
static void copy_solution(quasi_solver *solver, bool save) {
  const quasi_problem *problem = solver->problem;
  for (int i = 0; i < problem->node_count; i++) {
    int node = problem->solved_nodes[i], row = ff_blocks_row(solver->blocks, node);
    double *from = save ? solver->x : solver->best, *to = save ? solver->best : solver->x;
    memcpy(to + row, from + row, (size_t)ff_mover_size(problem->model, node) * sizeof *to);
  }
  for (int k = 0; k < problem->member_count; k++) {
    quasi_element *e = problem->members[k];
    memcpy(save ? e->z_saved : e->z, save ? e->z : e->z_saved, sizeof e->z);
  }
}

bool ff_quasi_friction_homotopy(quasi_solver *solver) {
  double solved = -1, stride = 0.2;
  while (solved < 1 && stride > 1e-3 && !quasi_must_stop(solver)) {
    solver->problem->friction_factor = solved < 0 ? 0 : fmin(solved + stride, 1);
    if (ff_quasi_newton(solver)) {
      solved = solver->problem->friction_factor;
      stride *= 1.5;
      copy_solution(solver, true);
    } else if (solved < 0) {
      break;
    } else {
      stride *= 0.4;
      copy_solution(solver, false);
    }
  }
  solver->problem->friction_factor = 1;
  return solved == 1;
}
