/* Impacts that a step of order 2 must resolve in time. */
#ifndef FF_STEP_QUASI_IMPACTS_H
#define FF_STEP_QUASI_IMPACTS_H

#include "step/quasi/step.h"

/* 1, largest product of a contact's rate and the step at which an impact is resolved: 6 steps from
 * touch to release. */
#define QUASI_RESOLVED 0.5

/* 1/s, rate of a contact: sqrt(k / m) + c / m, with m the effective mass of both bodies along the
 * normal. */
double ff_quasi_contact_rate(const quasi_problem *problem, const quasi_contact *contact);
/* Is there an impact among the contacts of an island, at the current iterate, that a step of this
 * length does not resolve? Then wanted_h of the step is the length to try. */
bool ff_quasi_impact_unresolved(quasi_step *step, int island);
/* Does an impact reach a core within the step, in the current solution of order 2? A step of order
 * 1 takes all of it there. Then wanted_h is the time until that. */
bool ff_quasi_core_ahead(quasi_step *step, int island);
/* After a step to time `end` is solved: how long, and with which steps, impacts go on. */
void ff_quasi_follow_impacts(quasi_step *step, double end);

#endif
