/* Energy accounting of a quasi-rigid step: forces, stored energies and losses. */
#ifndef FF_STEP_QUASI_ENERGY_ACCOUNTING_H
#define FF_STEP_QUASI_ENERGY_ACCOUNTING_H

#include "step/quasi/problem.h"

/* Writes contact forces and layer states to the state; losses and external impulses of bodies and
 * contacts to the ledger. */
void ff_quasi_finish_contacts(const quasi_problem *problem, double *ledger);
/* Adds an impulse and a moment that a body outside of the system (fixed or prescribed) exerts on
 * one inside, at a point where it is at a time of the step: momentum, angular momentum, work. */
void ff_quasi_book_external(const quasi_problem *problem, const quasi_body *pushed,
                            const quasi_body *pusher, ff_vec3 at, quasi_time when, ff_vec3 impulse,
                            ff_vec3 moment, double *ledger);
/* Do contacts multiply the kinetic energy? Then a solution is rejected: without restitution they
 * return no more than layers had stored. A body that turns by many radians in a step can end in a
 * pose that satisfies all conditions and that only a huge impulse leads to, and a core that starts
 * deep in another is shot out of it in a short step. Robots and moving prescribed bodies can supply
 * energy: false. */
bool ff_quasi_multiplies_energy(const quasi_problem *problem);

#endif
