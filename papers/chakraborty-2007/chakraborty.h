/* Parts of the reproduction of [Chakraborty07]: each computes, then tells claims, then shows
 * figures. */
#ifndef FF_PAPERS_CHAKRABORTY_H
#define FF_PAPERS_CHAKRABORTY_H

#include "papers/paper.h"

/* A run sampled at every step, and what the layer and the core bear in each. */
typedef struct fall_part {
  const ff_trace *trace;
  double step;                                      /* s */
  double *spring, *core;                            /* N, at each sample */
  double touch, deepest, peak;                      /* s, m, N of the layer */
  double core_time, core_impulse, core_peak, after; /* s (NAN: none), N s, N; s, end of it */
} fall_part;

/* Takes the normal force apart: what a layer of stiffness k and damping c explains by the depth,
 * and the rest. */
void fall_take_apart(ff_study *study, fall_part *out, const double *depth, const double *force,
                     double k, double c);

/* One curve against time: every tenth sample, and all where it jumps. */
void fall_curve(ff_study *study, const fall_part *fall, const char *name, const double *values);

/* How the solver fared in all of these runs: told of each, shown at the end. */
typedef struct solver_part solver_part;
solver_part *solver_begin(ff_study *study);
/* The name is kept by address. */
void solver_note(solver_part *part, const char *name, const ff_trace *trace);
void solver_tell(ff_study *study, const solver_part *part);
void solver_show(ff_study *study, const solver_part *part);

/* Example 1, Figs. 4 and 5: the disc, its exact motion, steps of several sizes. */
typedef struct disc_part disc_part;
disc_part *disc_compute(ff_study *study, solver_part *solver);
void disc_tell(ff_study *study, const disc_part *part);
void disc_show(ff_study *study, const disc_part *part);

/* The exact motion of the disc of example 1 that falls on a layer with or without a core. */
typedef struct exact_disc {
  double height, speed; /* m, m/s upwards */
  double energy;        /* J, with the layer's */
  double force;         /* N, of the layer */
} exact_disc;

exact_disc exact_disc_at(double max_deflection, double t);
/* When the core is hit first, and how hard; NAN: never. */
double exact_disc_core(double max_deflection, double *impulse);
double exact_disc_deepest(void); /* m, without a core */

/* Example 2, Figs. 6 and 7: the ellipsoid, both readings of K, flat and tilted. */
typedef struct ellipsoid_part ellipsoid_part;
ellipsoid_part *ellipsoid_compute(ff_study *study, solver_part *solver);
void ellipsoid_tell(ff_study *study, const ellipsoid_part *part);
void ellipsoid_show(ff_study *study, const ellipsoid_part *part);

/* A rolling disc, and two ellipsoids that collide. */
typedef struct others_part others_part;
others_part *others_compute(ff_study *study, solver_part *solver);
void others_tell(ff_study *study, const others_part *part);
void others_show(ff_study *study, const others_part *part);

#endif
