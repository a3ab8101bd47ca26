/* Time steppers: the functions of each row of model/stepper_rows.h, one file each. */
#ifndef FF_STEP_STEPPER_H
#define FF_STEP_STEPPER_H

#include "model/state.h"
#include "solve/ode.h"
#include "step/midpoint_contact.h"

#include <stdatomic.h>

/* Why a step failed, as far as is known. */
typedef enum ff_trouble_kind {
  FF_TROUBLE_OTHER,    /* numbers that are not finite, constraints that cannot be kept */
  FF_TROUBLE_UNSOLVED, /* an island has no solution that was found; */
  FF_TROUBLE_THROWN,   /* only one that multiplies the energy, */
  FF_TROUBLE_CHANGING, /* or after which other parts of flat shapes touch, again and again */
  FF_TROUBLE_PASSED,   /* two shapes would pass through each other */
  FF_TROUBLE_CRAWLING, /* steps have become so short that the run would never end */
  FF_TROUBLE_NO_TIME   /* the next instant is not after the present one */
} ff_trouble_kind;

typedef struct ff_trouble {
  ff_trouble_kind kind;
  int a, b;             /* bodies, of the contact or constraint that is farthest off; -1: none */
  int bodies, contacts; /* of the island */
  double step;          /* s, the part of the step that was tried last */
  bool spent;           /* the effort that a step may take was used up */
} ff_trouble;

/* What a stepper works on. */
typedef struct ff_work {
  const ff_model *model;
  ff_state *state;
  double *rates;            /* dy/dt: size */
  double *before;           /* y at the start of the step: size */
  double *stage, *sum;      /* size; of steppers with stages only */
  ff_ode *ode;              /* `adaptive` */
  ff_midpoint *midpoint;    /* `symplectic-euler`: midpoint-implicit contacts; NULL: none */
  struct quasi_step *quasi; /* `quasi-rigid` */
  struct ff_micro *micro;   /* `micro-macro` */
  struct ff_team *team;     /* threads that share a step's work; NULL: one does all */
  atomic_bool cancelled; /* set from outside at any time: the step then ends in its initial state */
  long steps, events;
  bool sampled; /* a sample may be taken inside the coming step */
  struct {      /* what a sample inside a step of `adaptive` puts aside */
    double t, *y;
    long evaluations;
  } aside;
  double rated; /* s, `adaptive`: the state and its rates are those of the solution then; NAN */
  long marked_steps;     /* `adaptive`: how far it was a while ago, in steps */
  double marked_t;       /* and in time */
  ff_solver_info solver; /* `quasi-rigid`, `micro-macro` */
  ff_trouble trouble;    /* of the last step that failed */
} ff_work;

typedef struct ff_stepper {
  bool staged;       /* needs work->stage and work->sum */
  bool pooled;       /* contact points are taken as pairs touch; see ff_state_take_points */
  size_t point_size; /* bytes of its own data of each contact point (ff_state_own_point) */
  ff_status (*create)(ff_work *work); /* may be NULL */
  void (*destroy)(ff_work *work);     /* may be NULL */
  void (*reset)(ff_work *work);       /* forgets what was; may be NULL */
  /* The capacity for contacts in work->state has grown: makes as much room in the stepper's own
   * memory. On failure that is as before. May be NULL: nothing depends on it. */
  ff_status (*grow)(ff_work *work);
  /* Lists memory of its own that decides later steps (base/keep.h); may be NULL: all that matters
   * is in the state and in ff_work. */
  void (*keep)(ff_work *work, ff_keep *keep);
  /* After the state was changed from outside: brings contacts and forces up to date. */
  ff_status (*refresh)(ff_work *work);
  /* From the state's time to t_end in one step; an adaptive one goes as far as it trusts,
   * or to the next event. On failure the state is as before. What may take long looks whether it
   * was cancelled, and then fails with FF_CANCELLED. */
  ff_status (*step)(ff_work *work, double t_end);
  /* Longest that the next step can be, s; NULL: the requested end. */
  double (*longest)(const ff_work *work);
  /* Samples inside the last step, if work->sampled was set before it: enter makes the state, except
   * audit and events, that of the solution at a time inside; leave makes it that of the end again.
   * enter is false where the rates are undefined; leave is due all the same. NULL: channels are
   * interpolated between the ends. */
  bool (*enter)(ff_work *work, double t);
  void (*leave)(ff_work *work);
} ff_stepper;

#define FF_STEPPER_ROW(id, ...) extern const ff_stepper ff_stepper_##id;
#include "model/stepper_rows.h"
#undef FF_STEPPER_ROW

const ff_stepper *ff_stepper_of(const ff_model *model);

ff_status ff_work_make(ff_work *work, const ff_model *model, ff_state *state);
void ff_work_free(ff_work *work);
/* Lists what decides later steps, the stepper's own memory included. */
void ff_work_keep(ff_work *work, ff_keep *keep);
static inline bool ff_is_cancelled(const atomic_bool *flag) {
  return atomic_load_explicit(flag, memory_order_relaxed);
}
/* Capacity for a pair list of this size, in the state and in the stepper. FF_ERROR_MEMORY, or
 * FF_ERROR_CAPACITY beyond the limit that the scene sets: nothing has changed. */
ff_status ff_work_reserve(ff_work *work, ff_list_size wanted);
/* New pair list (ff_candidates_update), for which capacity grows as needed. */
ff_status ff_work_list(ff_work *work);
/* Capacity for the points that the last evaluation lacked, which must then be repeated. False: it
 * lacked none. status: FF_OK if there is capacity now. */
bool ff_work_lacked_points(ff_work *work, ff_status *status);
/* Sets y back to work->before, at the start of the step. */
void ff_work_restore(ff_work *work);
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
