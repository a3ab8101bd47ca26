/* Value types shared by the whole interface.
 *
 * SI units, double precision, right-handed frames. A quaternion transforms body coordinates into
 * world coordinates: x_world = q * x_body * conj(q).
 */
#ifndef FOOTFALL_TYPES_H
#define FOOTFALL_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ff_vec3 {
  double x, y, z;
} ff_vec3;

typedef struct ff_quat {
  double w, x, y, z; /* unit, scalar first */
} ff_quat;

typedef struct ff_mat3 {
  double m[3][3]; /* row, column */
} ff_mat3;

/* A frame: position of its origin and orientation, relative to the parent. */
typedef struct ff_pose {
  ff_vec3 position;    /* m */
  ff_quat orientation; /* unit */
} ff_pose;

/* Handles are small typed numbers; id 0 is "none". */
typedef struct ff_body {
  int id;
} ff_body;

typedef struct ff_shape {
  int id;
} ff_shape;

#ifdef __cplusplus
}
#endif
#endif
