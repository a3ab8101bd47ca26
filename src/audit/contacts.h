/* Residuals of the contact conditions of solved contacts.
 *
 * Geometry and relative motion are recomputed from the poses of the bodies; forces are those
 * applied to them. Nothing is taken from the solver. */
#ifndef FF_AUDIT_CONTACTS_H
#define FF_AUDIT_CONTACTS_H

#include "model/state.h"

/* A contact point at the end of a step. */
typedef struct ff_contact_load {
  double layer;     /* N, along the normal, borne by the compliant layer */
  double core;      /* N, borne by the rigid core, or a rigid surface */
  double left;      /* m, deflection of the layer beyond the overlap (recovering); 0: in contact */
  double core_gap;  /* m, gap between the cores; INFINITY: no core */
  double stiffness; /* N/m, converts lengths to forces */
  double friction[3]; /* N, N, N m: on a along t1, t2, about the normal */
  double slip[3];     /* m/s, m/s, rad/s: of a relative to b, in the same directions */
  ff_cone cone;
} ff_contact_load;

/* Residuals of one contact; all >= 0, and 0 in theory. */
ff_contact_residual ff_audit_contact(const ff_contact_load *load);

/* Worst residuals over all points, component by component; and the largest normal force, N. Zero
 * under steppers that do not solve for impulses. */
ff_contact_residual ff_audit_contacts(const ff_model *model, const ff_state *state,
                                      double *largest);

#endif
