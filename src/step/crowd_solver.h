/* Midpoint-implicit contacts of large islands of free bodies (step/midpoint_contact.h): block
 * Gauss-Seidel by colour (step/crowd_order.h) on compact data, warm-started, shared by threads.
 *
 * The sweeps end where no force changes by more than a share of the largest force of the island.
 * The ledger books the forces that act, so it closes whatever that share is. */
#ifndef FF_STEP_CROWD_SOLVER_H
#define FF_STEP_CROWD_SOLVER_H

#include "base/team.h"
#include "footfall/sim.h"
#include "model/state.h"
#include "step/crowd_bodies.h"
#include "step/crowd_sweep.h"
#include "step/midpoint_contact.h"
#include "step/midpoint_law.h"

/* A contact in a solve; triples are along push, t1 and t2. */
typedef struct ff_crowd_contact {
  ff_crowd_frame frame;
  int link;        /* in ff_crowd_order.links */
  bool idle;       /* open throughout the step; no force */
  double w[6];     /* 1/kg, Delassus block: nn, n1, n2, 11, 12, 22 */
  double speed[3]; /* m/s, of a against b at the start */
  ff_midpoint_law law;
  double curvature[2], spin, roll[2]; /* as in ff_patch */
  ff_midpoint_point *held;
  const double *memory; /* of the friction law */
  double force[3];      /* N */
  double beside;        /* N, of the friction law, along push */
  double rate;          /* m/s, of the depth where the normal law was evaluated last */
  double left[3];       /* m/s, velocity of a against b that its last solution left */
  double slip[2];       /* m/s, the same of the friction law, as it wants it */
  bool shares;          /* its weight changes with more than its depth: with the rest of grad w; */
  ff_gradient rest;     /* 1/m, 1/rad; turn about the point */
  double energy;        /* J, of the law: force and moment on a are -energy times the rest */
} ff_crowd_contact;

typedef struct ff_crowd {
  ff_crowd_order order;
  ff_crowd_contact *contacts; /* of the large islands, in their order */
  ff_crowd_bodies bodies;     /* changes until the middle of the step */
  double half;                /* s, half the step */
  double settled;          /* 1, relative change of forces that ends the sweeps of large islands, */
  double settled_small;    /* and of others */
  double exact, near;      /* 1, of a single normal force: ff_midpoint_normal */
  ff_crowd_change *chunks; /* of a colour: N */
} ff_crowd;

ff_status ff_crowd_make(ff_crowd *out, ff_arena *arena, const ff_model *model,
                        int contact_capacity);
/* Contacts and bodies of the large islands of the order, under all other forces and the forces of
 * the step before. shares: contacts of each mover. */
void ff_crowd_load(ff_crowd *crowd, const ff_model *model, ff_state *state, const int *shares,
                   ff_team *team);
/* Solves them; adds to info what it took. */
void ff_crowd_solve(ff_crowd *crowd, ff_team *team, ff_solver_info *info);
/* N, bound on the error of the forces of a contact that moves at v (m/s) in the solution: they
 * follow its velocity, which has changed since it was solved last, by at most the inverse of its
 * Delassus block. */
double ff_crowd_error(const ff_crowd *crowd, const ff_crowd_contact *contact, const double v[3]);
/* Velocity of a against b along the axes in the middle of the step. */
void ff_crowd_velocity(const ff_crowd *crowd, const ff_crowd_contact *contact, double v[3]);

#endif
