/* What sensors of a robot would show. */
#ifndef FF_SIM_SENSORS_H
#define FF_SIM_SENSORS_H

#include "sim/sim.h"

enum { FF_SENSE_LOAD = 10, FF_SENSE_ROBOT = 15 };

/* All contacts of a body together, in world axes: force on it, moment about its origin, centre of
 * pressure in the xy-plane of its frame (NAN if nothing presses), and the moment about the normal
 * of that plane there. */
void ff_sense_load(const ff_sim *sim, int body, double out[FF_SENSE_LOAD]);
/* Of a robot: centre of mass, its velocity, angular momentum about it; centre of pressure of what
 * touches it and zero-moment point, both in the plane through the world's origin at right angles
 * to gravity (NAN if nothing presses). */
void ff_sense_robot(const ff_sim *sim, int robot, double out[FF_SENSE_ROBOT]);

#endif
