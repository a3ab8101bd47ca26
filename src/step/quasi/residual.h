/* Residual of the problem: motion of free bodies, and rows of contacts. */
#ifndef FF_STEP_QUASI_RESIDUAL_H
#define FF_STEP_QUASI_RESIDUAL_H

#include "step/quasi/problem.h"

/* ---- free bodies ------------------------------------------------------------------------ */

/* End of a free body that has velocity v and angular momentum l there. */
void ff_quasi_move_body(const quasi_problem *problem, quasi_body *body, ff_vec3 v, ff_vec3 l);
/* Mean velocity of a body over the step. */
void ff_quasi_mean_velocity(const quasi_problem *problem, const quasi_body *body, ff_vec3 *v,
                            ff_vec3 *w);
/* rotation_jacobian of solved nodes first .. end - 1. */
void ff_quasi_rotation_jacobians(const quasi_problem *problem, int first, int end);

/* ---- elements --------------------------------------------------------------------------- */

/* The layer that a contact inherits; of a new contact its initial state, in fresh. */
const ff_layer_point *ff_quasi_inherited_layer(const quasi_problem *problem,
                                               const quasi_contact *contact, ff_layer_point *fresh);
/* Prepares a contact for bodies that move with this theta. */
void ff_quasi_begin_contact(const quasi_problem *problem, quasi_contact *contact, double theta);
/* Extends or shrinks members first .. end - 1 to whole pairs of shapes: a chunk with the first
 * contact of a pair has all of them. */
void ff_quasi_whole_pairs(const quasi_problem *problem, int *first, int *end);
/* f of members first .. end - 1, whole pairs, at the ends of their bodies. */
void ff_quasi_element_residuals(const quasi_problem *problem, int first, int end);
/* Friction that would reverse is first set to zero: its row, and the next Jacobian, become those of
 * sticking. Else Newton's method can alternate between the two directions endlessly. False: it
 * would not reverse. */
bool ff_quasi_stick_first(quasi_element *e);

/* ---- contact_jacobian.c ----------------------------------------------------------------- */

/* Receives the Jacobian of an element, and may overwrite it. */
typedef void quasi_jacobian_sink(void *context, quasi_element *e, quasi_jacobian j);
/* Jacobians of members first .. end - 1 that are not idle, where their residuals were evaluated. */
void ff_quasi_element_jacobians(const quasi_problem *problem, int first, int end,
                                quasi_jacobian_sink *sink, void *context);

#endif
