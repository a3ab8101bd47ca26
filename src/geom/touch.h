/* Inside geometry: one function a pair of kinds, collected in touch.c. */
#ifndef FF_GEOM_TOUCH_H
#define FF_GEOM_TOUCH_H

#include "geom/geom.h"
#include "math/vec.h"

/* As ff_geom_touch, for one pair of kinds. */
typedef int ff_touch_pair(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                          const ff_pose *pose_b, double margin, ff_touch *out);

ff_touch_pair ff_touch_sphere_plane;
ff_touch_pair ff_touch_ellipsoid_plane;
ff_touch_pair ff_touch_box_plane;
ff_touch_pair ff_touch_capsule_plane;
ff_touch_pair ff_touch_cylinder_plane;
ff_touch_pair ff_touch_superellipsoid_plane;
ff_touch_pair ff_touch_polyhedron_plane;
ff_touch_pair ff_touch_intersection_plane;
ff_touch_pair ff_touch_sphere_sphere;
ff_touch_pair ff_touch_ellipsoid_ellipsoid; /* either may be a sphere */
ff_touch_pair ff_touch_sphere_capsule;
ff_touch_pair ff_touch_sphere_box;
ff_touch_pair ff_touch_sphere_cylinder;

/* Any two finite shapes, and the most points they have. */
ff_touch_pair ff_touch_convex;
int ff_touch_convex_limit(ff_shape_kind a, ff_shape_kind b);

/* Boxes with rounded edges. */
int ff_touch_boxes(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b, const ff_pose *pose_b,
                   double round, double margin, ff_touch *out);

/* The axes of a frame in the world: columns of q_matrix, one at a time. */
static inline ff_vec3 q_axis_x(ff_quat q) {
  return v3(1.0 - 2.0 * (q.y * q.y + q.z * q.z), 2.0 * (q.x * q.y + q.w * q.z),
            2.0 * (q.x * q.z - q.w * q.y));
}
static inline ff_vec3 q_axis_y(ff_quat q) {
  return v3(2.0 * (q.x * q.y - q.w * q.z), 1.0 - 2.0 * (q.x * q.x + q.z * q.z),
            2.0 * (q.y * q.z + q.w * q.x));
}
static inline ff_vec3 q_axis_z(ff_quat q) {
  return v3(2.0 * (q.x * q.z + q.w * q.y), 2.0 * (q.y * q.z - q.w * q.x),
            1.0 - 2.0 * (q.x * q.x + q.y * q.y));
}

#endif
