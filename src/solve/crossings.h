/* Where event functions change sign inside a step, as far as the stages of an explicit Runge-Kutta
 * method show: a step that fails since it passes a kink is tried again with an end next to it,
 * instead of many times a little shorter. */
#ifndef FF_SOLVE_CROSSINGS_H
#define FF_SOLVE_CROSSINGS_H

#include <stdbool.h>

typedef struct ff_crossings {
  double *value;                   /* count: event functions at a stage */
  double *before_t, *before_value; /* s and value at the last stage on the right side, */
  double *after_t, *after_value;   /* and at the first on the wrong one; INFINITY: none */
  int count;
} ff_crossings;

/* Of at most limit event functions. False: no memory. */
bool ff_crossings_create(ff_crossings *of, int limit);
void ff_crossings_destroy(ff_crossings *of);

/* A step of count event functions begins. */
void ff_crossings_begin(ff_crossings *of, int count);
/* The values at a stage are in of->value; side: +1 or -1, as expected. */
void ff_crossings_see(ff_crossings *of, double t, const signed char *side);
/* Just past the first crossing, s; INFINITY: none was seen. */
double ff_crossings_first(const ff_crossings *of);

#endif
