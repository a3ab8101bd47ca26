/* Jacobians of the elements' rows. */
#ifndef FF_STEP_QUASI_CONTACT_JACOBIAN_H
#define FF_STEP_QUASI_CONTACT_JACOBIAN_H

#include "step/quasi/problem.h"

/* Receives the Jacobian of an element, and may overwrite it. */
typedef void quasi_jacobian_sink(void *context, quasi_element *e, quasi_jacobian j);
/* Jacobians of members first .. end - 1 that are not idle, where their residuals were evaluated. */
void ff_quasi_element_jacobians(const quasi_problem *problem, int first, int end,
                                quasi_jacobian_sink *sink, void *context);

#endif
