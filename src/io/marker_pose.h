/* Pose of a rigid body from markers. */
#ifndef FF_IO_MARKER_POSE_H
#define FF_IO_MARKER_POSE_H

#include "footfall/types.h"

/* The pose that brings count points of the body frame nearest to measured ones, in the sense of
 * least squares: Horn, "Closed-form solution of absolute orientation using unit quaternions",
 * J. Opt. Soc. Am. A 4 (1987). False with fewer than 3 points, or if they lie on a line. */
bool ff_marker_pose(ff_pose *out, const ff_vec3 *local, const ff_vec3 *world, int count);

#endif
