/* Reduction of an angle by multiples of pi / 2. */
#ifndef FF_MATH_PI_REDUCTION_H
#define FF_MATH_PI_REDUCTION_H

#include "math/double_bits.h"

/* x - n pi / 2 in [-pi/4, pi/4] (a little more by rounding) for finite x; n modulo 4. */
typedef struct ff_reduced {
  ff_double2 angle;
  int quarter;
} ff_reduced;
ff_reduced ff_reduce_angle(double x);

#endif
