/* Shared by the files of this paper. Depth and velocity are positive into the ground. */
#ifndef FF_PAPERS_MARHEFKA_H
#define FF_PAPERS_MARHEFKA_H

#include "papers/paper.h"

/* Relative tolerance for simulated numbers against exact ones. */
#define SAME 1e-7

enum { DEPTH, RATE, FORCE, STRIKE_CHANNELS };

/* One impact: simulated in the scene impact.yaml, and in closed form. */
typedef struct strike {
  ff_hunt_crossley_impact given;
  ff_impact exact;
  ff_impact found;       /* from the events and the energy ledger of the run */
  const ff_trace *trace; /* DEPTH, RATE, FORCE, from the touch to the exact end */
  double area;           /* J, of the loop: force times depth rate, integrated over the samples */
  double force_min;      /* N, in the samples */
  double poisson;        /* 1, impulse of restitution over that of compression, Eq. 2 */
} strike;

strike strike_make(ff_reproduction *study, ff_hunt_crossley_impact given, long samples);
/* Force of the law at a velocity of the impact, exact. */
double strike_force(const strike *s, double velocity);
/* The exact path, from the touch to the end: count velocities, depths and forces. */
void strike_path(const strike *s, int count, double *velocity, double *depth, double *force);
/* Largest difference of a number between simulation and closed form, relative. */
double strike_error(const strike *s);
/* Reports all its numbers under keys that start with name. */
void strike_report(ff_reproduction *study, const strike *s, const char *name);

extern const ff_paper_claim marhefka_claims[];
extern const ff_paper_part marhefka_linear;
extern const ff_paper_part marhefka_hertz; /* n = 3/2 under static load */
extern const ff_paper_part marhefka_phase; /* Figs. 2 and 3 */
extern const ff_paper_part marhefka_loops; /* Figs. 4 to 7 */
extern const ff_paper_part marhefka_foot;  /* Fig. 8 */

#endif
