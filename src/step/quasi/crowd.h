/* Large islands of free bodies: coloured block Gauss-Seidel (step/crowd_sweep.h) with the laws of
 * layers and cones.
 *
 * Bodies move as in every step of the island's theta. Impulses act at the geometry of the middle of
 * the step, where the velocities of its start lead: of second order, and constant while the island
 * is solved. A contact is solved for the impulse of its layer and core, and for friction in its
 * ellipsoid, which is that of the slip at the end. The sweeps end where no impulse changes by more
 * than stepper.accuracy of the largest one; the ledger books the impulses that act. */
#ifndef FF_STEP_QUASI_CROWD_H
#define FF_STEP_QUASI_CROWD_H

#include "base/arena.h"
#include "step/crowd_bodies.h"
#include "step/crowd_sweep.h"
#include "step/quasi/problem.h"

struct quasi_step;

/* A contact in a solve. Components: along the normal, t1, t2, and about the normal. */
typedef struct quasi_crowd_contact {
  ff_crowd_frame frame;
  quasi_contact *of;
  bool linear;      /* its layer's impulse is slope (depth - relaxed) - damping v, or none */
  bool on_core;     /* its core bears a part of the load */
  bool slides;      /* friction is at the limit of its cone */
  double w[6];      /* 1/kg, Delassus block: nn, n1, n2, 11, 12, 22 */
  double turned[3]; /* 1/(kg m), what a moment about the normal does along n, t1, t2 */
  double free[4];   /* m/s, rad/s: of a against b at the end without contacts */
  double depth;     /* m, at the end without contacts */
  double slope, relaxed, damping; /* of the layer, see quasi_layer and quasi_contact */
  double core;                    /* m, depth that the core allows; INFINITY: no core */
  double mu, e[3];                /* of the friction cone */
  double
      block[6];  /* 1/kg, Delassus block of friction in units of its ellipsoid: 11 12 22 13 23 33 */
  bool diagonal; /* it is, of round bodies */
  double resist; /* 1/kg, friction compliance */
  double before[3]; /* N s, friction of the step before */
  double lambda;    /* 1/kg, slip over friction where it slides */
  double p[4];      /* N s, impulse; friction in units of the ellipsoid */
  double left[4];   /* m/s, rad/s: what its last solution left of the free velocities */
} quasi_crowd_contact;

typedef struct quasi_crowd {
  ff_crowd_order order;   /* links: point is the number of a contact of the problem */
  ff_crowd_bodies bodies; /* changes until the end of the step */
  quasi_crowd_contact *contacts;
  ff_crowd_change *chunks;
  double way;      /* s, theta h: of the depth by the velocity at the end */
  double residual; /* 1, largest of this step, from states and forces */
  double settled;  /* 1, relative change of impulses that ends the sweeps */
} quasi_crowd;

ff_status ff_quasi_create_crowd(quasi_crowd *crowd, ff_arena *arena, const ff_model *model,
                                int contact_capacity);
/* Lists and colours the contacts of islands that are solved as crowds. */
void ff_quasi_order_crowds(struct quasi_step *step);
/* Places of the bodies of an island in the middle of the step. */
void ff_quasi_place_crowd(quasi_problem *problem, int island);
/* Solves an island, named by its lowest node, that set_island_theta has prepared: impulses of its
 * contacts, ends of its bodies, and geometry there. */
void ff_quasi_solve_crowd(struct quasi_step *step, int island);
/* Prepares a contact: geometry of the middle, layer, rates. */
void ff_quasi_begin_crowd_contact(const quasi_problem *problem, quasi_contact *contact,
                                  double theta);

#endif
