/* Audit: what a run shows of its own errors, from states, forces and geometry alone.
 *
 *   audit.c     energy and momentum balances
 *   contacts.c  conditions of solved contacts
 *   pairs.c     overlaps, shapes that passed through each other, restitution of impacts
 *   creep.c     drift of contacts that stick
 *   paths.c     positions against the integral of the velocities
 *   notes.c     what may surprise without being wrong
 *   findings.c  the table of findings */
#ifndef FF_AUDIT_AUDIT_H
#define FF_AUDIT_AUDIT_H

#include "audit/findings.h"
#include "model/state.h"

/* Largest value so far. */
typedef struct ff_peak {
  double value, time;
  double first; /* s, when it first was over its limit; NAN: never */
} ff_peak;

/* A central impact of two bodies that nothing else touches. */
typedef struct ff_impact_watch {
  int a, b;
  double since, approach;   /* s, m/s */
  double latest;            /* s, when it must have ended */
  double least, most, core; /* 1, restitution of its law; m, depth of the core */
  ff_vec3 normal;           /* world, from b into a, as it began */
  double slide;             /* m/s, speed along the surface as it began, */
  double turned;            /* rad, and by how much the normal has turned since */
} ff_impact_watch;
enum { FF_WATCHES = 16 };

/* A contact point that sticks, at the start of a window. */
typedef struct ff_grip_watch {
  int shape_a, shape_b;
  ff_feature_pair id;
  int windows;        /* in which it has crept, one after another */
  ff_vec3 on_a, on_b; /* m, its place in both bodies */
  ff_quat turn;       /* orientation of a in b */
  ff_vec3 deflection; /* m, of the friction law's spring, in b's frame */
  ff_vec3 velocity;   /* m/s, of b there, world */
  ff_vec3 drift;      /* m, in b's frame, of the window before */
  double rate;        /* m/s, least of those windows */
} ff_grip_watch;
enum { FF_GRIP_WATCHES = 64 };

/* A free body since the start. */
typedef struct ff_path_watch {
  ff_vec3 lag;    /* m, its displacement less the integral of its velocity */
  double way;     /* m, length of its path */
  ff_vec3 rate;   /* m/s^2, mean acceleration of the last step */
  double jump;    /* m, change of that times h^2 in the last step */
  ff_vec3 jumps2; /* m^2, sums of squares of (change of that times h^2) along x, y, z */
  double h;       /* s, length of the last step; 0: none */
} ff_path_watch;

/* Auditor of a run: reference values and worst residuals. */
typedef struct ff_auditor {
  ff_energy start;                     /* residual: sum of all entries */
  ff_vec3 start_linear, start_angular; /* kg m/s, kg m^2/s */
  double fall;       /* J, weights of all that moves times the bounding radii: 0 without gravity */
  double scale;      /* J, energy exchanged so far */
  unsigned may_give; /* bits of losses that may fall: laws that are FF_LAW_FEEDS or _UNPAID */
  int touched;       /* anything has */
  ff_peak residual, created, undone, taken, cancels; /* J; cancels: 1 */
  double most[FF_LOSS_COUNT];                        /* J, largest value of each loss */
  double given;                                      /* J, largest -lost.step */
  double momentum2, angular2; /* kg^2 m^2/s^2, kg^2 m^4/s^2: worst momentum residuals, squared */
  double fastest;             /* 1/s^2, squared frequency of the stiffest contact */
  double damping;             /* 1/s, strongest contact damping */
  ff_peak coarse;             /* rad, fixed step times the rate of a contact in it */
  long stiff_steps;           /* steps of error-controlled steppers that damping kept short */
  ff_contact_residual contact, worst; /* after the last step; worst so far */
  ff_peak contact_share; /* 1, force residual of a step relative to the largest force in it */
  ff_peak crowd_share;   /* 1, the same in steps with islands that are not solved exactly, */
  ff_peak solver;        /* 1, and how far their forces are from their laws */
  double contact_force;  /* N, largest so far */
  double now;            /* s, end of the last step */
  double next_notes;     /* s, time of the next check of notes.c */
  double next_window;    /* s, when the windows of creep.c end */
  int impact_count, grip_count;
  ff_impact_watch impacts[FF_WATCHES];
  ff_grip_watch grips[FF_GRIP_WATCHES];
  ff_found_list found;  /* those that are not computed from the above */
  ff_path_watch *paths; /* of the owner: free_count */
} ff_auditor;

void ff_auditor_start(ff_auditor *auditor, const ff_model *model, const ff_state *state);
/* Lists all of it. */
void ff_auditor_keep(ff_auditor *auditor, const ff_model *model, ff_keep *keep);
/* Checks the state after each step of length h; before: motion of the bodies at its start. */
void ff_auditor_update(ff_auditor *auditor, const ff_model *model, ff_state *state,
                       const ff_body_motion *before, double h);
/* Two bodies that overlap at the start. */
void ff_auditor_overlap(ff_auditor *auditor, int a, int b, double depth);
/* Energies and momenta of the current state; residuals relative to the start. */
ff_energy ff_auditor_energy(const ff_auditor *auditor, const ff_model *model,
                            const ff_state *state);
ff_momentum ff_auditor_momentum(const ff_auditor *auditor, const ff_model *model,
                                const ff_state *state);
/* All findings, sorted. */
void ff_auditor_findings(const ff_auditor *auditor, const ff_model *model, ff_found_list *out);
/* Fills the audit except its counts. */
ff_audit ff_auditor_verdict(const ff_auditor *auditor, const ff_model *model);

/* ---- parts ----------------------------------------------------------------------------------- */

/* Raises a peak; over: it is over its limit now. */
void ff_peak_raise(ff_peak *peak, double value, double t, bool over);

void ff_audit_pairs(ff_auditor *auditor, const ff_model *model, ff_state *state,
                    const ff_body_motion *before, double h);
void ff_audit_creep(ff_auditor *auditor, const ff_model *model, ff_state *state);
void ff_audit_paths(ff_auditor *auditor, const ff_model *model, const ff_state *state,
                    const ff_body_motion *before, double h);
/* Adds the findings at time t. */
void ff_audit_path_findings(const ff_auditor *auditor, const ff_model *model, double t,
                            ff_found_list *out);
void ff_audit_notes(ff_auditor *auditor, const ff_model *model, const ff_state *state);

#endif
