/* Contacts held over a step: laws too stiff to be followed by it, or meant to keep their energy.
 *
 * The bodies fly half the step, and there the contacts are solved: forces that act throughout the
 * step and are the laws' own for the motion they leave. Of the normal force the elastic part is
 * what the spring gives over the depths that the step passes, [V(z1) - V(z0)] / (z1 - z0); friction
 * and damping are those of the middle. So what forces take is, to the last bits, what laws store
 * and lose, no stiffness needs a short step, and a body at rest stays where it is. Contacts that
 * share a body or a robot feel each other: they are solved in turns, starting from the forces of
 * the step before, until nothing changes.
 *
 * Laws without a memory, of things that no spring but contacts holds, may as well be held at the
 * start of the step, where everything has been looked at already, for a path along the mean of old
 * and new velocity: one look less, and of first order where bodies turn.
 *
 * Friction that is a law of the slip alone goes by the slip at the end of the step: what is to go
 * from slipping to sticking within a millimetre a second comes to rest in one, and does not ring.
 */
#ifndef FF_STEP_MIDPOINT_CONTACT_H
#define FF_STEP_MIDPOINT_CONTACT_H

#include "model/state.h"

typedef struct ff_midpoint ff_midpoint;

/* *out is NULL if no contact of the model is held; else the state leaves to the calls below what
 * its `holding` says. */
ff_status ff_midpoint_create(ff_midpoint **out, const ff_model *model, ff_state *state);
void ff_midpoint_destroy(ff_midpoint *hold);

/* In the middle of a step of length h: evaluates all forces at time t and y, whose positions are
 * those of the middle and whose velocities those of the start, and solves the held contacts. Fills
 * wrenches, accelerations of robots that touch, and the rates of memory and ledger. False if a
 * robot's inertia is not positive. */
bool ff_midpoint_solve_in_middle(ff_midpoint *hold, const ff_model *model, ff_state *state,
                                 double t, double *rates, double h);

/* At the start of a step of length h, all forces and rates being fresh: solves the held contacts.
 * Wrenches, accelerations and paths of robots that touch, and the ledger's rates become those of
 * the step. False as above. */
bool ff_midpoint_solve_at_start(ff_midpoint *hold, const ff_model *model, ff_state *state,
                                double *rates, double h);

#endif
