/* Inside geometry: one function a pair of kinds, collected in touch.c. */
#ifndef FF_GEOM_TOUCH_H
#define FF_GEOM_TOUCH_H

#include "geom/geom.h"
#include "math/vec.h"

ff_touch_pair ff_touch_sphere_plane;
ff_touch_pair ff_touch_ellipsoid_plane;
ff_touch_pair ff_touch_box_plane;
ff_touch_pair ff_touch_capsule_plane;
ff_touch_pair ff_touch_cylinder_plane;
ff_touch_pair ff_touch_superellipsoid_plane;
/* Some of these, with flat places a little domed: by about this much (m). */
int ff_touch_intersection_blunt(const ff_geom *a, const ff_pose *pose_a, const ff_pose *pose_b,
                                double blunt, double margin, ff_touch *out);
int ff_touch_superellipsoid_blunt(const ff_geom *a, const ff_pose *pose_a, const ff_pose *pose_b,
                                  double blunt, double margin, ff_touch *out);
ff_touch_pair ff_touch_intersection_plane;
ff_touch_pair ff_touch_sphere_sphere;
ff_touch_pair ff_touch_ellipsoid_ellipsoid; /* either may be a sphere */
ff_touch_pair ff_touch_sphere_capsule;
ff_touch_pair ff_touch_sphere_box;
ff_touch_pair ff_touch_sphere_cylinder;

/* Any finite shape on a smooth one: one point. */
ff_touch_pair ff_touch_convex;

#endif
