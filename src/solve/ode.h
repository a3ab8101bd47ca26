/* Ordinary differential equations with event location.
 *
 * Integration is ARKODE's explicit Runge-Kutta (SUNDIALS) with the pair 8(7) of Prince and Dormand.
 * Events are zeros of functions g_i(t, y). ARKODE's dense output brackets them, and the step that
 * contains the first one is repeated so that it ends on it: an event is as accurate as the
 * solution, not as its interpolant. */
#ifndef FF_SOLVE_ODE_H
#define FF_SOLVE_ODE_H

#include "base/keep.h"
#include "footfall/status.h"

/* dy/dt; nonzero: undefined there, try a smaller step. */
typedef int (*ff_ode_rates)(void *context, double t, const double *y, double *dy);
/* Projects a solution onto its constraints after each step; nonzero: failed, try a smaller step. */
typedef int (*ff_ode_project)(void *context, double t, double *y);
/* Event functions g. */
typedef void (*ff_ode_events)(void *context, double t, const double *y, double *g);

/* After the events at the end of a step: is it known that none crosses zero inside? */
typedef bool (*ff_ode_quiet)(void *context, double t0, double t1);

/* Event functions where the rates were evaluated last, at no cost. */
typedef void (*ff_ode_watch)(void *context, double *g);

typedef struct ff_ode_def {
  int size;           /* unknowns */
  int event_limit;    /* most event functions at once */
  double rtol;        /* relative tolerance of each unknown */
  double max_step;    /* largest step; INFINITY: no limit */
  const double *atol; /* absolute tolerance of each unknown; copied */
  ff_ode_rates rates;
  ff_ode_events events;   /* NULL: no events */
  ff_ode_quiet quiet;     /* NULL: it is never known */
  ff_ode_watch watch;     /* NULL: events are not looked at in the stages of a step */
  ff_ode_project project; /* NULL: no projection */
  void *context;
} ff_ode_def;

typedef struct ff_ode ff_ode;

ff_status ff_ode_create(ff_ode **out, const ff_ode_def *def);
void ff_ode_destroy(ff_ode *ode);

/* The current solution: the caller may change it and the events between advances, and then calls
 * ff_ode_restart. */
double ff_ode_time(const ff_ode *ode);
double *ff_ode_state(ff_ode *ode); /* size values */
/* Side of each event function: +1 while g >= 0 is expected, -1 while g <= 0. */
signed char *ff_ode_sides(ff_ode *ode);
void ff_ode_restart(ff_ode *ode, double t, int event_count);
/* Unknowns in use from now on: the first of those that there is memory for. */
void ff_ode_resize(ff_ode *ode, int size);
/* Makes an integrator with more memory go on where another is. */
void ff_ode_follow(ff_ode *ode, const ff_ode *before);
/* Another absolute tolerance for one unknown, from the next step on. */
void ff_ode_set_atol(ff_ode *ode, int unknown, double atol);
/* Longest step from now on (s), in place of max_step. */
void ff_ode_limit(ff_ode *ode, double longest);
/* First try of the next step after a restart (s). */
void ff_ode_suggest(ff_ode *ode, double step);
/* Resets the integrator: what follows repeats a first run to the bit. */
void ff_ode_reset(ff_ode *ode);

/* Lists all that decides later steps except the solution itself. */
void ff_ode_keep(ff_ode *ode, ff_keep *keep);

typedef enum ff_ode_outcome {
  FF_ODE_STEPPED, /* one step was taken */
  FF_ODE_REACHED, /* t_stop was reached */
  FF_ODE_EVENT, /* an event was located: see ff_ode_event; its side is flipped, and the solution is
                   restarted there */
  FF_ODE_FAILED /* no step could be taken; the solution is the last valid one */
} ff_ode_outcome;

/* Longest that the next step can be. */
double ff_ode_longest(const ff_ode *ode);
/* Takes one step, at most to t_stop and at most to the first event. */
ff_ode_outcome ff_ode_step(ff_ode *ode, double t_stop);
/* Steps until t_stop or the first event. */
ff_ode_outcome ff_ode_advance(ff_ode *ode, double t_stop);
/* Index of the event function whose zero was located last. */
int ff_ode_event(const ff_ode *ode);

/* The solution at a time inside the step just taken, as accurate as the solution itself; changes
 * nothing. False where the rates are undefined. */
bool ff_ode_inside(ff_ode *ode, double t, double *y);

/* The same by cubic Hermite interpolation, without evaluations; false where that does not reach. */
bool ff_ode_dense(ff_ode *ode, double t, double *y);

long ff_ode_steps(const ff_ode *ode);       /* steps taken since creation or reset */
long ff_ode_evaluations(const ff_ode *ode); /* rate evaluations since creation or reset */

#endif
