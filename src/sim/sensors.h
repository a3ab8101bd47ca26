/* Sensor quantities of bodies and robots. */
#ifndef FF_SIM_SENSORS_H
#define FF_SIM_SENSORS_H

#include "sim/sim.h"

/* All contacts of a body together, in world axes. */
typedef struct ff_load {
  ff_vec3 force;      /* N, on the body */
  ff_vec3 moment;     /* N m, about the body's origin */
  ff_vec3 cop;        /* m, centre of pressure in the xy-plane of its frame; NAN: nothing presses */
  double free_moment; /* N m, free moment there, about the normal of that plane */
} ff_load;

/* A robot as a whole, in world axes. The last two points lie in the plane through the world's
 * origin at right angles to gravity and are NAN if nothing presses. */
typedef struct ff_robot_motion {
  ff_vec3 com;      /* m, centre of mass */
  ff_vec3 velocity; /* m/s, of it */
  ff_vec3 angular;  /* kg m^2/s, angular momentum about it */
  ff_vec3 cop;      /* m, centre of pressure of what touches the robot */
  ff_vec3 zmp;      /* m, zero-moment point */
} ff_robot_motion;

ff_load ff_sense_load(const ff_sim *sim, int body);
ff_robot_motion ff_sense_robot(const ff_sim *sim, int robot);

#endif
