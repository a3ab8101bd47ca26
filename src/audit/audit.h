/* The audit: every joule and every newton second, recomputed from states and forces. */
#ifndef FF_AUDIT_AUDIT_H
#define FF_AUDIT_AUDIT_H

#include "model/state.h"

/* Follows a run and remembers the worst it saw. */
typedef struct ff_auditor {
  double start_total;                  /* J */
  ff_vec3 start_linear, start_angular; /* kg m/s, kg m^2/s */
  double scale, residual;              /* J, worst so far */
  double momentum2, angular2;          /* the same of momentum, squared */
  double most_lost, gained; /* J, of all losses the most at a time, and what came back since */
  double fastest;           /* 1/s^2, stiffest contact seen: its squared frequency */
  double damping;           /* 1/s, strongest contact damping seen */
  double longest;           /* s, longest fixed step taken */
  long stiff_steps;         /* steps of others that damping kept short */
  ff_contact_residual contact, worst; /* after the last step; worst so far */
  double contact_share; /* 1, worst force residual of a step against the largest force in it */
  double contact_force; /* N, largest so far */
} ff_auditor;

void ff_auditor_start(ff_auditor *auditor, const ff_model *model, const ff_state *state);
/* After each step of length h; fixed: the stepper does not choose its own steps. */
void ff_auditor_look(ff_auditor *auditor, const ff_model *model, const ff_state *state, double h,
                     bool fixed);
/* Energies and momenta of the present state; residuals against the start. */
ff_energy ff_auditor_energy(const ff_auditor *auditor, const ff_model *model,
                            const ff_state *state);
ff_momentum ff_auditor_momentum(const ff_auditor *auditor, const ff_model *model,
                                const ff_state *state);
/* Fills all of the audit but the counts. */
ff_audit ff_auditor_verdict(const ff_auditor *auditor, const ff_model *model);

#endif
