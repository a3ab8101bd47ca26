/* Compliant layer of a contact: impulse by depth, and its state after the step. */
#ifndef FF_STEP_QUASI_LAYER_H
#define FF_STEP_QUASI_LAYER_H

#include "step/quasi/problem.h"

/* State of the layer at the start of a step of length h, from that before; springs act with theta
 * of their force at the end and 1 - theta of that at the start. */
void ff_quasi_layer_begin(const quasi_problem *problem, const ff_layer *layer,
                          const ff_layer_point *point, ff_vec3 t1, ff_vec3 t2, double theta,
                          quasi_layer *out);
/* The layer times the weight of a sample. */
void ff_quasi_layer_scale(ff_layer *out, const ff_layer *layer, double weight);
/* Mean force of a spring over a step from depth a to depth b (discrete gradient): change of energy
 * over distance. It conserves energy, also where contact begins or ends within the step. slope:
 * N/m, by b. */
double ff_quasi_mean_spring_force(double k, double a, double b, double *slope);
/* N s, impulse of the layer of a contact at a depth (m) with its current friction, without the
 * damping of stiff layers; < 0: it would pull. slope: N s/m, by the depth. */
double ff_quasi_layer_impulse(const quasi_problem *problem, const quasi_contact *contact,
                              double depth, double *slope);
/* p_ns and p_ns_slope at the current depth and friction. */
void ff_quasi_layer_press(const quasi_problem *problem, quasi_contact *contact);
/* m, tangential deflection along t1 and t2 at the same. */
void ff_quasi_layer_shear(const quasi_contact *contact, double out[2]);
/* A layer of a new contact, in equilibrium at this depth. */
void ff_quasi_layer_init(const ff_layer *layer, double depth, ff_layer_point *own);
/* The energies of the point: those that its layer stores with this tangential deflection. */
void ff_quasi_layer_store(const ff_layer *layer, const ff_layer_point *own, const double shear[2],
                          ff_point *point);
/* The layer after the step: compressed to the depth, or (no contact, or an open one) recovering.
 * paid: J, work on it in the step. */
void ff_quasi_layer_finish(const quasi_problem *problem, const ff_layer *layer,
                           const quasi_contact *contact, double paid, ff_point *point,
                           ff_layer_point *own, double *ledger);

#endif
