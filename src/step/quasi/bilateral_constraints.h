/* Bilateral constraints in the quasi-rigid problem. */
#ifndef FF_STEP_QUASI_BILATERAL_CONSTRAINTS_H
#define FF_STEP_QUASI_BILATERAL_CONSTRAINTS_H

#include "step/quasi/problem.h"

/* The constraints of this step. again: z is the solution of the previous pass, and the warm start.
 */
void ff_quasi_begin_constraints(const quasi_problem *problem, bool again);
/* Prepares a constraint for bodies that move with this theta. */
void ff_quasi_begin_constraint(const quasi_problem *problem, quasi_constraint *constraint,
                               double theta);
/* f of a constraint, and its Jacobian (j may be NULL), at the ends of its bodies. */
void ff_quasi_constraint_residual(const quasi_problem *problem, quasi_constraint *constraint,
                                  quasi_jacobian j);
/* Writes forces and errors of the constraints to the state, their energy to the ledger. */
void ff_quasi_finish_constraints(const quasi_problem *problem, double *ledger);
/* Order 2: projects the velocities of the end, at time t, on the constraints. */
void ff_quasi_project_velocities(const quasi_problem *problem, double t, double *ledger);

#endif
