/* Solver of the quasi-rigid problem: semismooth Newton's method, its linear systems, and the
 * fallbacks of small islands. */
#ifndef FF_STEP_QUASI_SOLVER_H
#define FF_STEP_QUASI_SOLVER_H

#include "base/effort.h"
#include "base/memory.h"
#include "base/team.h"
#include "solve/blocks.h"
#include "solve/krylov.h"
#include "step/quasi/problem.h"
#include "step/quasi/robot.h"
#include "step/stepper.h"

/* Schur contribution of an element to one of its bodies: its unknowns eliminated. In large islands
 * those of a body are contiguous. */
typedef struct quasi_schur {
  long factor;           /* number of the factorisation it is part of */
  double *off_diagonal;  /* block of the matrix that coupling is added to; two free bodies only */
  bool idle;             /* its element is, and nothing else is set */
  double rhs[6];         /* N s, N m s: right-hand side */
  double diagonal[6][6]; /* by the unknowns of that body, */
  double coupling[6][6]; /* and of the other one */
} quasi_schur;

typedef struct quasi_solver {
  quasi_problem *problem;
  ff_team *const *team;         /* threads; NULL: serial */
  const atomic_bool *cancelled; /* by the caller, at any time */
  long work_limit;              /* ff_effort at which the solve gives up */
  /* Newton's method; vectors of all nodes, rows as ff_blocks_row: */
  double *x, *r;          /* unknowns, residual */
  double *base, *step;    /* start and direction of the line search */
  double *best;           /* last solution of a continuation */
  double step_length;     /* of the line search */
  double *row_scale;      /* node_limit x 2: magnitude of the terms of r */
  quasi_norm *norms;      /* of the elements' rows, chunk by chunk */
  double start_tolerance; /* residual at which the initial guess is accepted as it is */
  bool stick_first;       /* friction that would reverse is first set to zero */
  atomic_bool stuck;      /* there was some in the last linear system */
  long iterations;        /* of this island */
  int starts;             /* runs of Newton's method on this island */
  double residual;        /* relative, where the last one ended */
  /* linear systems */
  ff_blocks *blocks;
  quasi_schur *schur;    /* two for each element: by sides in large islands, else by element */
  int first_schur;       /* of this island */
  double regularisation; /* 1, of friction and shared loads in the linear system */
  double heaviest;       /* kg, of the island */
  atomic_bool singular;  /* an element's own block is */
  int *first_side;       /* node_limit + 2: sides of elements by the node of their body; */
  int *sides;            /* twice the index of the member, plus 1 for body b */
  int *across;           /* column of the other body in Krylov vectors; -1: none */
  /* reused factorisation */
  long factors;         /* number of factorisations so far */
  quasi_factor_key key; /* of the last one */
  long first_factor;    /* the earliest that is still valid */
  long orderings;       /* ff_blocks_orders of these */
  /* Krylov solve of large islands; NULL if the model has too few bodies */
  ff_krylov *krylov;
  const double *krylov_in;
  double *krylov_out;
  double *krylov_x, *krylov_weights;
  double (*diagonal)[6][6]; /* free_count: diagonal blocks of the matrix */
  bool rhs_only;            /* the matrix is assembled already */
} quasi_solver;

/* Is the work limit reached, or the step cancelled? */
static inline bool quasi_must_stop(const quasi_solver *solver) {
  return ff_effort > solver->work_limit || ff_is_cancelled(solver->cancelled);
}
/* Rows, row scales and Newton step of a solved body, which may be a link. */
static inline double *quasi_body_rows(const quasi_solver *solver, const quasi_body *body) {
  return body->link ? body->link->rows : solver->r + ff_blocks_row(solver->blocks, body->node);
}
static inline double *quasi_body_scale(const quasi_solver *solver, const quasi_body *body) {
  return body->link ? body->link->scale : solver->row_scale + 2 * body->node;
}
static inline double *quasi_body_step(const quasi_solver *solver, const quasi_body *body) {
  return body->link ? body->link->step : solver->step + ff_blocks_row(solver->blocks, body->node);
}

/* ---- large_islands.c -------------------------------------------------------------------- */

/* Parallel for over 0 .. count - 1, solved nodes or members, in large islands, in chunks of
 * QUASI_CHUNK. Else one chunk. The context of the work is the solver. */
static inline void quasi_for_chunks(quasi_solver *solver, ff_team_body *work, int count) {
  if (solver->problem->is_large) {
    ff_team_for(*solver->team, work, solver, count, QUASI_CHUNK);
  } else {
    work(solver, 0, count);
  }
}
/* Adds an element that is not idle to its solved body s (0: a, 1: b). */
typedef void quasi_side_work(quasi_solver *solver, quasi_element *e, int s);
void ff_quasi_parallel_sides(quasi_solver *solver, quasi_side_work *work);
/* All sides of elements: parallel over bodies, to each in the order of members. */
static inline void quasi_for_sides(quasi_solver *solver, quasi_side_work *work) {
  const quasi_problem *problem = solver->problem;
  if (problem->is_large) {
    ff_quasi_parallel_sides(solver, work);
    return;
  }
  for (int k = 0; k < problem->member_count; k++) {
    quasi_element *e = problem->members[k];
    for (int s = 0; s < 2 && !e->idle; s++) {
      if (quasi_side(problem, e, s)->solved) {
        work(solver, e, s);
      }
    }
  }
}
/* Lists the sides of the island that is to be solved, and places its Schur contributions. */
void ff_quasi_list_sides(quasi_solver *solver);

/* Assembles matrix and right-hand side of a large island from Schur contributions. */
void ff_quasi_assemble_large(quasi_solver *solver, bool rhs_only);
/* GMRES, preconditioned by the incomplete factors: the right-hand side in step becomes the
 * solution. False: not to this relative tolerance; step is unchanged. */
bool ff_quasi_krylov_solve(quasi_solver *solver, double tolerance);

/* ---- schur_complement.c ----------------------------------------------------------------- */

/* Inertia of a free body on the diagonal of its block, which is zero; and its units. */
void ff_quasi_inertia_block(const quasi_solver *solver, const quasi_body *body, double *block);
/* Newton step at the current residual, of this relative size: step and dz. approximate: with
 * incomplete factors. False: singular, or not solved. */
bool ff_quasi_newton_step(quasi_solver *solver, bool approximate, double residual);
/* The same with the factors of an earlier linear system. */
bool ff_quasi_reused_step(quasi_solver *solver, double residual);
/* Are there factors of this island with the same active set? */
bool ff_quasi_can_reuse_factors(const quasi_solver *solver);

/* ---- newton.c --------------------------------------------------------------------------- */

/* Residual at x and z. */
quasi_norm ff_quasi_evaluate(quasi_solver *solver);
/* Semismooth Newton's method from x and z, which then are the solution. */
bool ff_quasi_newton(quasi_solver *solver);
/* QUASI_TOLERANCE: relative residual of a solution; QUASI_START_TOLERANCE: of an initial guess that
 * is not corrected, since its error would remain in every step. */
#define QUASI_TOLERANCE       1e-12
#define QUASI_START_TOLERANCE 1e-14

/* ---- fallbacks.c ------------------------------------------------------------------------ */

/* Initial guess: free flight, and no impulses. */
void ff_quasi_guess_free_flight(quasi_solver *solver);
/* Friction homotopy from x and z: friction coefficients grow from 0 to their values. */
bool ff_quasi_friction_homotopy(quasi_solver *solver);
/* Perturbed restarts of Newton's method, at first from x and z. */
bool ff_quasi_perturbed_restarts(quasi_solver *solver);
/* Newton's method from random guesses for an island of one body, until the work limit is reached.
 */
bool ff_quasi_random_starts(quasi_solver *solver);
/* Islands of one body may have spurious solutions: those that multiply energy are rejected. */
bool ff_quasi_is_spurious(const quasi_problem *problem);

#endif
