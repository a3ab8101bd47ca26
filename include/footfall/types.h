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

/* Handles are small typed numbers, counted from 1; id 0 is "none". `of` tells the models they are
 * of: those with the same bodies, shapes, robots and constraints, by name and in the same order. An
 * id of another model is refused like one that does not exist. 0: of any, as ids of a scene and ids
 * that were typed in. */
typedef struct ff_body {
  int id;
  unsigned of;
} ff_body;

typedef struct ff_shape {
  int id;
  unsigned of;
} ff_shape;

typedef struct ff_constraint_id {
  int id;
  unsigned of;
} ff_constraint_id;

/* A robot of a model; ff_robot is a robot's file. */
typedef struct ff_robot_id {
  int id;
  unsigned of;
} ff_robot_id;

/* An axis of a joint of a robot. */
typedef struct ff_joint_id {
  int robot, id;
  unsigned of;
} ff_joint_id;

#ifdef __cplusplus
}
#endif
#endif
