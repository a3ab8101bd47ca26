/* Midpoint-implicit contact (discrete gradient), for `symplectic-euler`: laws too stiff for an
 * explicit step, or meant to keep their energy.
 *
 * Bodies fly half the step; there the contact forces are solved for, which act throughout the step
 * and are those of the laws at the motion they cause. The elastic part of a normal force is the
 * discrete gradient of the energy over the depths z0, z1 at both ends of the step,
 *   [V(z1) - V(z0)] / (z1 - z0),    V(z) = (w + w' (z - z_m)) E(z),
 * w the weight of the contact sample where it was evaluated (z_m), w' its slope with the depth, E
 * the energy of the law; what else changes the weight acts as it is (step/forces.c). Friction and
 * damping are those of the middle. So the work of the forces is, to rounding, what laws store and
 * lose, no stiffness needs a short step, and a body at rest stays where it is. Contacts that share
 * a body or a robot are solved by Gauss-Seidel sweeps, starting from the forces of the step before;
 * those of large islands of free bodies by colour, to a coarser tolerance (step/crowd_solver.h).
 *
 * Friction that is a law of the slip alone goes by the slip at the end of the step: what is to go
 * from slipping to sticking within a millimetre a second comes to rest in one, and does not ring.
 */
#ifndef FF_STEP_MIDPOINT_CONTACT_H
#define FF_STEP_MIDPOINT_CONTACT_H

#include "base/team.h"
#include "footfall/sim.h"
#include "model/state.h"

typedef struct ff_midpoint ff_midpoint;

/* What `symplectic-euler` keeps of a midpoint-implicit contact point from its last step. */
typedef struct ff_midpoint_point {
  double force[3]; /* N along push, t1 and t2 */
  ff_mode mode;    /* of friction */
  ff_ahead ahead;  /* input of the friction law */
} ff_midpoint_point;
static inline ff_midpoint_point *ff_midpoint_point_of(const ff_state *state,
                                                      const ff_point *point) {
  return ff_state_own_point(state, point);
}

/* *out is NULL if no contact of the model is midpoint-implicit. */
ff_status ff_midpoint_create(ff_midpoint **out, const ff_model *model, ff_state *state);
void ff_midpoint_destroy(ff_midpoint *hold);

/* In the middle of a step of length h: evaluates all forces at time t and y, whose positions are
 * those of the middle and whose velocities those of the start, and solves the contacts. Fills
 * wrenches, accelerations of robots that touch, and the rates of memory and ledger; adds to info
 * what large islands took, whose work the team (NULL: none) shares. False if a robot's inertia is
 * not positive, or if there was no capacity for contact points (state->lacking). */
bool ff_midpoint_solve(ff_midpoint *hold, const ff_model *model, ff_state *state, double t,
                       double *rates, double h, ff_team *team, ff_solver_info *info);

#endif
