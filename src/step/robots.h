/* Robots among the bodies: their links take part in contacts, their joints move them. */
#ifndef FF_STEP_ROBOTS_H
#define FF_STEP_ROBOTS_H

#include "model/state.h"

/* Kinematics of all robots from y; sets the poses and velocities of their links' bodies. */
void ff_robots_place(const ff_model *model, const ff_state *state, const double *y);
/* Forces of drives and of the joints themselves at the state placed last; with a ledger, their
 * work and losses. */
void ff_robots_load(const ff_model *model, ff_state *state, double t, const double *y,
                    double *ledger);
/* dq/dt and dv/dt into dy, and what ground and gravity give into its ledger. Returns nonzero if
 * they are not finite. */
int ff_robots_rates(const ff_model *model, const ff_state *state, const double *y, double *dy);
/* A step of symplectic Euler from forces that are fresh: v by the acceleration, q by the new v.
 * Drives act as they will at its end. False if a robot's inertia is not positive. */
bool ff_robots_step(const ff_model *model, ff_state *state, double h);
/* Unit quaternions. */
void ff_robots_tidy(const ff_model *model, ff_state *state);

#endif
