/* Time steppers: one file each behind one small struct of functions. */
#ifndef FF_STEP_STEPPER_H
#define FF_STEP_STEPPER_H

#include "model/state.h"
#include "solve/ode.h"
#include "step/hold.h"

/* What a stepper works on. */
typedef struct ff_work {
  const ff_model *model;
  ff_state *state;
  double *rates;          /* dy/dt: size */
  double *before;         /* y at the start of the step: size */
  double *stage, *sum;    /* size; of steppers with stages only */
  ff_ode *ode;            /* `adaptive` */
  ff_hold *holds;         /* `symplectic-euler`, NULL if no law is held */
  struct ff_quasi *quasi; /* `quasi-rigid` */
  struct ff_micro *micro; /* `micro-macro` */
  long steps, events;
  ff_solver_info solver; /* `quasi-rigid`, `micro-macro` */
} ff_work;

typedef struct ff_stepper {
  const char *name;
  int order;                          /* of convergence for smooth motion; 0: error-controlled */
  bool adaptive;                      /* chooses its own steps */
  bool staged;                        /* looks at states in between */
  ff_status (*create)(ff_work *work); /* may be NULL */
  void (*destroy)(ff_work *work);     /* may be NULL */
  void (*reset)(ff_work *work);       /* forgets what was; may be NULL */
  /* After the state was changed from outside: brings contacts and forces up to date. */
  ff_status (*refresh)(ff_work *work);
  /* From the state's time to t_end in one step; an adaptive one goes as far as it trusts,
   * or to the next event. On failure the state is as before. */
  ff_status (*step)(ff_work *work, double t_end);
} ff_stepper;

extern const ff_stepper ff_stepper_symplectic_euler;
extern const ff_stepper ff_stepper_rk4;
extern const ff_stepper ff_stepper_adaptive;
extern const ff_stepper ff_stepper_quasi_rigid;
extern const ff_stepper ff_stepper_micro_macro;

const ff_stepper *ff_stepper_of(const ff_model *model);

ff_status ff_work_make(ff_work *work, const ff_model *model, ff_state *state, ff_arena *arena);
void ff_work_free(ff_work *work);
/* refresh of the fixed steppers: contacts, forces and the rates of memory and ledger. */
ff_status ff_work_refresh(ff_work *work);

/* Makes orientations unit again; false if anything is not finite. */
bool ff_work_tidy(ff_work *work);

/* For fixed steppers: ends a step. Makes orientations unit again, checks that all is finite,
 * drops contact memories that ended, and evaluates forces at the new state. On failure
 * goes back to work->before at time t_before. */
ff_status ff_work_finish(ff_work *work, double t_before);

/* Contact memory of a point that opened; the audit sees that what it held is gone. */
void ff_work_drop_memory(ff_work *work, int point);

#endif
