/* Sensor quantities of bodies and robots. */
#ifndef FF_SIM_SENSORS_H
#define FF_SIM_SENSORS_H

#include "sim/sim.h"

enum { FF_SENSE_LOAD = 10, FF_SENSE_ROBOT = 15 };

/* All contacts of a body, in world axes: force, moment about its origin, centre of pressure in the
 * xy-plane of its frame (NAN: no load), and the free moment about the normal of that plane there.
 */
void ff_sense_load(const ff_sim *sim, int body, double out[FF_SENSE_LOAD]);
/* Robot: centre of mass, its velocity, angular momentum about it; centre of pressure of its
 * contacts and zero-moment point, both in the plane through the world's origin orthogonal to
 * gravity (NAN: no load). */
void ff_sense_robot(const ff_sim *sim, int robot, double out[FF_SENSE_ROBOT]);

#endif
