/* Audit: energy and momentum balances, recomputed from states and forces. */
#ifndef FF_AUDIT_AUDIT_H
#define FF_AUDIT_AUDIT_H

#include "model/state.h"

/* Auditor of a run: reference values and worst residuals. */
typedef struct ff_auditor {
  double start_total;                  /* J */
  ff_vec3 start_linear, start_angular; /* kg m/s, kg m^2/s */
  double scale, residual;              /* J, worst so far */
  double momentum2, angular2; /* kg^2 m^2/s^2, kg^2 m^4/s^2: worst momentum residuals, squared */
  double most_lost, gained;   /* J, largest total loss so far, and its decrease since */
  double fastest;             /* 1/s^2, squared frequency of the stiffest contact */
  double damping;             /* 1/s, strongest contact damping */
  double coarseness;          /* rad, largest product of a fixed step and the frequency in it */
  long stiff_steps;           /* steps of error-controlled steppers that damping kept short */
  ff_contact_residual contact, worst; /* after the last step; worst so far */
  double contact_share; /* 1, worst force residual of a step relative to the largest force in it */
  double contact_force; /* N, largest so far */
} ff_auditor;

void ff_auditor_start(ff_auditor *auditor, const ff_model *model, const ff_state *state);
/* Lists all of it. */
void ff_auditor_keep(ff_auditor *auditor, ff_keep *keep);
/* Checks the state after each step of length h; fixed: a fixed-step stepper. */
void ff_auditor_update(ff_auditor *auditor, const ff_model *model, const ff_state *state, double h,
                       bool fixed);
/* Energies and momenta of the current state; residuals relative to the start. */
ff_energy ff_auditor_energy(const ff_auditor *auditor, const ff_model *model,
                            const ff_state *state);
ff_momentum ff_auditor_momentum(const ff_auditor *auditor, const ff_model *model,
                                const ff_state *state);
/* Fills the audit except its counts. */
ff_audit ff_auditor_verdict(const ff_auditor *auditor, const ff_model *model);

#endif
