/* How forces at contact points move bodies and robots in the middle of a step.
 *
 * A force that acts throughout a step of length h has changed velocities by half of its impulse in
 * the middle. Here are those velocities, of free bodies as they are and of robots as generalised
 * ones, and for each contact and side the rows J of its point and what a unit of force does,
 * H^-1 J^T: contacts that share a body or a robot feel each other exactly.
 */
#ifndef FF_STEP_SIDES_H
#define FF_STEP_SIDES_H

#include "model/state.h"

typedef struct ff_sides ff_sides;

/* One body of a contact, seen along three directions of the world. */
typedef struct ff_side {
  int body, robot;     /* robot -1: none */
  bool moved, still;   /* forces change its velocity, else w = 0; it has none and never will */
  double sign;         /* 1: forces are those on this body; -1: on the other */
  ff_vec3 arm;         /* m, from its centre of mass to the point */
  double w[3][3];      /* 1/kg: change of velocity for a unit of impulse; symmetric */
  ff_vec3 spin[3];     /* free bodies: rad/s for a unit of impulse, with sign */
  const double *row;   /* robots: J, 3 x v_count */
  const double *moves; /* robots: H^-1 J^T as rows, 3 x v_count */
} ff_side;

ff_status ff_sides_create(ff_sides **out, const ff_model *model, const ff_state *state);
void ff_sides_destroy(ff_sides *sides);

/* Velocities in the middle of a step of 2 half seconds under the state's wrenches, gravity, and
 * the robots' present accelerations; forgets all sides. Robots' added inertia must be set. */
void ff_sides_start(ff_sides *sides, const ff_model *model, const ff_state *state, double half);

/* A body at a point and its three directions. */
void ff_sides_side(ff_side *out, ff_sides *sides, const ff_model *model, const ff_state *state,
                   int body, double sign, ff_vec3 point, const ff_vec3 dirs[3]);

/* Adds sign times the point's velocity along the directions. */
void ff_sides_velocity(const ff_sides *sides, const ff_side *side, const ff_vec3 dirs[3],
                       double out[3]);
/* A force f along the directions acts throughout the step. */
void ff_sides_push(ff_sides *sides, const ff_model *model, const ff_side *side,
                   const ff_vec3 dirs[3], const double f[3]);

/* Velocities of a body that is no link. */
ff_body_motion ff_sides_body(const ff_sides *sides, int body);

#endif
