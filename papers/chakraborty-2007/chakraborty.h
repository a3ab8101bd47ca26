/* Parts of the reproduction of [Chakraborty07], and shared functions. */
#ifndef FF_PAPERS_CHAKRABORTY_H
#define FF_PAPERS_CHAKRABORTY_H

#include "papers/paper.h"

#define CHAKRABORTY_STEP 1e-4 /* s, of the paper */

extern const ff_paper_claim chakraborty_claims[];

/* Example 1, Figs. 4 and 5: the disc, its exact motion, steps of several sizes. */
extern const ff_paper_part chakraborty_disc;
/* Example 2, Figs. 6 and 7: the ellipsoid, both interpretations of K, flat and tilted. */
extern const ff_paper_part chakraborty_ellipsoid;
/* A rolling disc, and two ellipsoids that collide. */
extern const ff_paper_part chakraborty_others;
/* The layer along the surface; objects that are intersections. */
extern const ff_paper_part chakraborty_layer;
/* Geometrically implicit against explicit: rolling, curved pairs, fast spin. */
extern const ff_paper_part chakraborty_headline;
/* Statistics of the solver in all of these runs. */
extern const ff_paper_part chakraborty_solver;

/* A run sampled at every step, with the forces of layer and core. */
typedef struct fall_part {
  const ff_trace *trace;
  double step;                                      /* s */
  double *spring, *core;                            /* N, at each sample */
  double touch, deepest, peak;                      /* s, m, N of the layer */
  double core_time, core_impulse, core_peak, after; /* s (NAN: none), N s, N; s, end of it */
} fall_part;

/* Splits the normal force into that of a layer of stiffness k and damping c at this depth, and the
 * rest. */
void fall_take_apart(ff_reproduction *study, fall_part *out, const double *depth,
                     const double *force, double k, double c);

/* One curve over time: every tenth sample, and all around jumps. */
void fall_curve(ff_reproduction *study, const fall_part *fall, const char *name,
                const double *values);

/* Result of chakraborty_solver: each run is added to it. The name is stored by address. */
typedef struct solver_part solver_part;
void solver_note(solver_part *part, const char *name, const ff_trace *trace);

/* Exact motion of the disc of example 1 that falls on a layer with or without a core. */
typedef struct exact_disc {
  double height, speed; /* m, m/s upwards */
  double energy;        /* J, with the layer's */
  double force;         /* N, of the layer */
} exact_disc;

exact_disc exact_disc_at(double max_deflection, double t);
/* Time and impulse of the first impact on the core; NAN: none. */
double exact_disc_core(double max_deflection, double *impulse);
double exact_disc_deepest(void); /* m, without a core */

#endif
