/* Principal axes of a symmetric 3 x 3 matrix. */
#ifndef FF_MATH_EIGEN_H
#define FF_MATH_EIGEN_H

#include "footfall/types.h"

/* a = R diag(values) R^T with a rotation R (det +1), returned as a quaternion. A matrix
 * that is diagonal already keeps its axes and their order. */
ff_vec3 ff_eigen(ff_mat3 a, ff_quat *axes);

#endif
