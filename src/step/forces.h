/* Forces and rates: what every stepper asks for. */
#ifndef FF_STEP_FORCES_H
#define FF_STEP_FORCES_H

#include "model/state.h"

/* The bodies of a contact point. */
typedef struct ff_contact_bodies {
  int a, b;
  ff_vec3 arm_a, arm_b; /* m, from the centres of mass to the point */
  ff_vec3 velocity_b;   /* m/s, of b at the point */
} ff_contact_bodies;

/* Depth that stands for the surface: so small that nothing acts, and that the ratios of what
 * vanishes there are still right. */
#define FF_AT_SURFACE 1e-60 /* m */

/* Poses and velocities of all bodies from y at time t. */
void ff_bodies_update(const ff_model *model, ff_state *state, double t, const double *y);

/* Applied forces and drives alone, without contacts, on bodies that are up to date; ledger_rate may
 * be NULL. */
void ff_forces_outside(const ff_model *model, ff_state *state, double t, double *ledger_rate);

/* Everything that pushes, at time t and y: fills bodies, points and wrenches of the state.
 * If memory_rate is not NULL it receives the rates of the contact memory, and ledger_rate
 * those of the ledger (FF_Y_LEDGER numbers, overwritten). */
void ff_forces_update(const ff_model *model, ff_state *state, double t, const double *y,
                      double *memory_rate, double *ledger_rate);

/* The same after ff_forces_outside: contacts and joints. */
void ff_forces_contacts(const ff_model *model, ff_state *state, double t, const double *y,
                        double *memory_rate, double *ledger_rate);

/* Adds to the rates that ff_forces_update has given those of the bodies, and gravity to the
 * ledger. Returns nonzero if they are not finite. */
int ff_rates_of_bodies(const ff_model *model, const ff_state *state, const double *y, double *dy);

/* 1/m_eff of a link (its body's ease and orientation) along a direction at the end of an arm, as
 * it hangs in its robot at the start. */
double ff_link_ease(const double *ease, ff_quat turn, ff_vec3 arm, ff_vec3 direction);

/* Relative motion of a and b at a point, in its coordinates: fills its patch. */
ff_contact_bodies ff_contact_motion(const ff_state *state, const ff_meet *meet, ff_point *point);

/* Largest frequency (rad/s) that a touching point can reach in the impact it is in: that of its law
 * where the law stores what it stores now and the energy of the approach or rebound. 0: it has no
 * force law. */
double ff_contact_frequency(const ff_model *model, const ff_state *state, const ff_meet *meet,
                            const ff_near *near, const ff_point *point);

/* Bound on 1/m_eff (1/kg) of a contact point along its tangents; 0: of links, where it is unknown.
 */
double ff_contact_tangent_ease(const ff_model *model, const ff_state *state, const ff_meet *meet,
                               const ff_point *point);

/* From a normal law to a contact point that is a weighted sample: force along `push`, stored
 * energy, derivatives of the force with the distance and velocity along it. */
void ff_normal_weigh(ff_normal *normal, double weight, double pace);

/* How the weight of a sample changes with its depth, 1/m: grad w = slope grad depth + a rest that
 * shifts of a along `push` do not feel. */
double ff_point_weight_slope(const ff_point *point);
/* That rest; its turn about the point. */
ff_gradient ff_point_weight_rest(const ff_point *point);
/* A changing weight works by the energy E (J) of the law at the depth: of -E grad w the part along
 * grad depth is solved for with the normal force of a midpoint-implicit contact; the rest is this.
 */
void ff_contact_push_by_weight(const ff_model *model, ff_state *state,
                               const ff_contact_bodies *bodies, const ff_point *point,
                               double energy, double *ledger);

/* A friction law's answer: into the point, the rates of its memory and of the ledger. */
void ff_friction_note(const ff_model *model, const ff_binding *binding, ff_point *point,
                      const ff_friction *friction, double *memory_rate, double *ledger);

/* A force and a moment (on a, world) at a point: pushes both bodies, and books in the ledger (may
 * be NULL) what comes from outside. */
void ff_contact_push(const ff_model *model, ff_state *state, const ff_contact_bodies *bodies,
                     ff_vec3 point, ff_vec3 force, ff_vec3 moment, double *ledger);

/* The same in two parts: of free bodies alone, and of all others with the ledger. */
void ff_contact_push_free(const ff_model *model, ff_state *state, const ff_contact_bodies *bodies,
                          ff_vec3 force, ff_vec3 moment);
void ff_contact_push_others(const ff_model *model, ff_state *state, const ff_contact_bodies *bodies,
                            ff_vec3 point, ff_vec3 force, ff_vec3 moment, double *ledger);

/* dy/dt of the whole state vector. Returns nonzero if it is not finite. */
int ff_rates(const ff_model *model, ff_state *state, double t, const double *y, double *dy);

#endif
