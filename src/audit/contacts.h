/* Contacts that were solved for: does what came out keep the conditions it was to keep?
 *
 * Geometry and relative motion are computed anew from where the bodies are; forces are those that
 * pushed them. Nothing is asked of the solver.
 */
#ifndef FF_AUDIT_CONTACTS_H
#define FF_AUDIT_CONTACTS_H

#include "model/state.h"

/* One contact point as it stands at the end of a step. */
typedef struct ff_contact_load {
  double layer;       /* N, along the normal, what the compliant layer bears */
  double core;        /* N, what the rigid core, or a rigid surface, bears */
  double left;        /* m, by how much the layer is still pressed beyond the overlap; 0: pressed */
  double room;        /* m, that is left before the cores meet; INFINITY: no core */
  double stiffness;   /* N/m, to weigh metres against newtons */
  double friction[3]; /* N, N, N m: on a along t1, t2, about the normal */
  double slip[3];     /* m/s, m/s, rad/s: of a against b, the same directions */
  ff_cone cone;
} ff_contact_load;

/* How far one contact is from what it should be; all >= 0, and 0 in theory. */
ff_contact_residual ff_audit_contact(const ff_contact_load *load);

/* The worst of all points, one by one; and the largest normal force, N. Zero under steppers that
 * do not solve for impulses. */
ff_contact_residual ff_audit_contacts(const ff_model *model, const ff_state *state,
                                      double *largest);

#endif
