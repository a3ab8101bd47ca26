/* Robots among the bodies: their links take part in contacts, their joints move them. */
#ifndef FF_STEP_ROBOTS_H
#define FF_STEP_ROBOTS_H

#include "model/state.h"

/* Kinematics of all robots from y at time t; sets the poses and velocities of their links' bodies.
 */
void ff_robots_place(const ff_model *model, const ff_state *state, double t, const double *y);
/* Forces of drives and of the joints themselves at the state placed last; with a ledger, their
 * work and losses. */
void ff_robots_load(const ff_model *model, ff_state *state, double t, const double *y,
                    double *ledger);
/* dq/dt and dv/dt into dy, and what ground and gravity give into its ledger. Returns nonzero if
 * they are not finite. */
int ff_robots_rates(const ff_model *model, const ff_state *state, const double *y, double *dy);
/* Acceleration of a robot under the forces of the last evaluation; NULL if its inertia is not
 * positive. It stays until the next step. */
const double *ff_robot_acceleration(const ff_model *model, const ff_state *state, int robot);
/* A step of symplectic Euler from forces that are fresh: v by the acceleration, q by the new v.
 * Drives act as they will at its end. False if the robot's inertia is not positive. */
bool ff_robot_step(const ff_model *model, ff_state *state, int r, double h);

/* ... and in parts, for steppers that find the acceleration (`a`) on their own and say that it is
 * `solved`. First: what drives and joints will do at the end of the step, which is `rest` away, as
 * added inertia. */
void ff_robot_look_ahead(const ff_model *model, ff_state *state, int r, double h, double rest);
/* Then: the generalised impulse over a time under all that acts; turning links resist. */
void ff_robot_impulse(const ff_model *model, ff_state *state, int r, double time, double *out);
/* Nothing is added to the inertia any more. */
void ff_robot_drop(const ff_model *model, ff_state *state, int r);
/* Books a step that `a` describes, while the state is still that of its start. */
void ff_robot_book(const ff_model *model, ff_state *state, int r, double h, double rest,
                   ff_tree_wrench ground);
/* Last: velocities, coordinates and ledger by the acceleration. One whose contacts are not solved
 * goes by its new velocity, and falls exactly. */
void ff_robot_move(const ff_model *model, ff_state *state, int r, double h, double rest);
/* The same, after finding an acceleration that is not solved. */
bool ff_robot_go(const ff_model *model, ff_state *state, int r, double h, double rest);
/* In the middle of a step, in parts between which contacts may be solved. q for half a step, with
 * the velocities as they are; after a look ahead ... */
void ff_robots_fly(const ff_model *model, ff_state *state, double h);
/* ... v by the acceleration under all wrenches, unless it is solved already, and q for the second
 * half. */
bool ff_robots_fly_on(const ff_model *model, ff_state *state, double h);

/* Unit quaternions. */
void ff_robots_tidy(const ff_model *model, ff_state *state);

#endif
