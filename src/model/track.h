/* Measured motion: a natural cubic spline through poses. See ff_track_def. */
#ifndef FF_MODEL_TRACK_H
#define FF_MODEL_TRACK_H

#include "footfall/scene.h"

enum { FF_TRACK_WIDTH = 7 }; /* x y z, qw qx qy qz */

typedef struct ff_track {
  ff_table poses;      /* signs of the quaternions continuous */
  const double *bends; /* second derivatives at the rows: rows x FF_TRACK_WIDTH */
} ff_track;

/* Pose and its derivatives, world. */
typedef struct ff_track_point {
  ff_pose pose;
  ff_vec3 velocity, omega;       /* m/s, rad/s */
  ff_vec3 acceleration, angular; /* m/s^2, rad/s^2 */
} ff_track_point;

ff_track_point ff_track_at(const ff_track *track, double t);

/* Unit quaternions of neighbours in the same half; false if one is zero. rows x (1 + width). */
bool ff_track_align(double *values, int rows);
/* Second derivatives at the rows of the natural spline through rows x (1 + width) numbers with
 * increasing times; bends: rows x width; work: rows numbers. */
void ff_track_bends(const double *values, int rows, int width, double *bends, double *work);
/* Values and first and second derivatives of the spline at t; linear beyond its ends. rows >= 2. */
void ff_track_spline(const double *values, const double *bends, int rows, int width, double t,
                     double *value, double *rate, double *bend);

#endif
