/* Large islands of free bodies under `micro-macro`: coloured block Gauss-Seidel
 * (step/crowd_sweep.h).
 *
 * A contact is solved for the impulses of its elastic and its rigid part while the others stay.
 * Laws and corrections are those of small islands with `micro: implicit` and `corrections: true`,
 * with complementarity and the friction cone in place of the programme:
 *   elastic   spring and damper at the end of the step; friction sticks up to its cone
 *   rigid     0 <= p _|_ v_n - wanted >= 0; friction of largest dissipation in its cone
 * The sweeps end where no impulse changes by more than stepper.accuracy of the largest one. The
 * ledger books the impulses that act. */
#ifndef FF_STEP_MICRO_CROWD_H
#define FF_STEP_MICRO_CROWD_H

#include "base/arena.h"
#include "footfall/sim.h"
#include "step/crowd_bodies.h"
#include "step/crowd_sweep.h"

struct ff_micro;

/* A contact in a solve. Triples are along its normal row, t1 and t2. */
typedef struct ff_micro_crowd_contact {
  ff_crowd_frame frame;
  int of;          /* in ff_micro.contacts */
  bool has_lever;  /* of the normal row */
  double w[6];     /* 1/kg, Delassus block: nn, n1, n2, 11, 12, 22 */
  double start[3]; /* m/s, of a against b at the start; of a position correction 0 */
  /* elastic part */
  double spring; /* N, at the depth of the start */
  double rate;   /* N s/m, of the spring by the velocity of the end; 0: no elastic part */
  double damper; /* N s/m, unless it would make the contact pull: */
  bool undamped; /* then it does not act, */
  int returns;   /* times that it was switched on again in this step; limited, so that sweeps end */
  double grip;   /* kg, friction impulse of the spring that sticks, over the slip of the end */
  double stick[2]; /* N s, of that friction what does not depend on the end */
  double limit;    /* 1, friction coefficient */
  /* rigid part */
  double room;      /* m along the normal row; INFINITY: there is none */
  double leave;     /* m/s, least normal velocity at the end */
  bool bounces;     /* with restitution: */
  bool admitted;    /* it takes part from where the contact would enter on */
  double mu;        /* 1 */
  double target[2]; /* m/s, slip at the end if it sticks */
  /* solution */
  double soft[3], hit[3]; /* N s, of the elastic and of the rigid part */
  bool soft_slides, hit_slides;
  double left[3]; /* m/s, velocity that its last solution left */
} ff_micro_crowd_contact;

typedef struct ff_micro_crowd {
  ff_crowd_order order; /* links: point is the number of a contact in ff_micro.contacts */
  ff_micro_crowd_contact *contacts;
  ff_crowd_bodies bodies; /* changes until the end of the step */
  ff_crowd_change *chunks;
  double residual; /* 1, of the step: bound on the error of an impulse, over the largest one */
} ff_micro_crowd;

ff_status ff_micro_create_crowd(struct ff_micro *micro);
/* Lists and colours the contacts of islands that are solved as crowds; they are then in_crowd. */
void ff_micro_order_crowds(struct ff_micro *micro);
/* Forces and impulses of all crowds. */
void ff_micro_solve_crowds(struct ff_micro *micro);
/* Displaces the bodies of crowds out of rigid parts (step/micro_positions.c). */
void ff_micro_displace_crowds(struct ff_micro *micro);

#endif
