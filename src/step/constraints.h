/* Constraints under the steppers that work with forces.
 *
 * Their forces are those that leave the second derivative of every condition zero, solved for
 * exactly in each evaluation of forces; they do no work. What integration lets the bodies drift
 * apart is taken back after each step: by the smallest shift in the metric of the masses, and
 * by the smallest impulse.
 */
#ifndef FF_STEP_CONSTRAINTS_H
#define FF_STEP_CONSTRAINTS_H

#include "model/state.h"

/* After everything else that pushes, at the state that the bodies show: adds the constraints'
 * forces to the wrenches, and to the ledger (may be NULL) what comes from outside. */
void ff_constraints_push(const ff_model *model, ff_state *state, double t, double *ledger);

/* Brings y (the whole of it, at time t) back to where all constraints hold. False: they cannot be
 * reached from there; y may then be anything. */
bool ff_constraints_project(const ff_model *model, ff_state *state, double t, double *y);

/* Takes from the velocities in y, which are those that the state's bodies show, what violates
 * a cluster's constraints, by the smallest impulses; what these bring in from outside is added to
 * the ledger in y. They are in constraint_x then. Returns J, what they take from the kinetic
 * energy. */
double ff_constraints_calm(const ff_model *model, const ff_state *state,
                           const ff_model_cluster *cluster, double *y);

#endif
