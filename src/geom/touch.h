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
ff_touch_pair ff_touch_polyhedron_plane;
ff_touch_pair ff_touch_intersection_plane;
ff_touch_pair ff_touch_sphere_sphere;
ff_touch_pair ff_touch_ellipsoid_ellipsoid; /* either may be a sphere */
ff_touch_pair ff_touch_sphere_capsule;
ff_touch_pair ff_touch_sphere_box;
ff_touch_pair ff_touch_sphere_cylinder;

/* Any two finite shapes, and the most points they have. */
ff_touch_pair ff_touch_convex;
/* The same of cores, with the caps of cylinders domed by about this much (m) and this (m) about
 * both together. */
int ff_touch_blunt(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b, const ff_pose *pose_b,
                   double blunt, double round, double margin, ff_touch *out);
/* Looks again at a touch of the latter, between the same parts. False: they are nowhere now. over:
 * they are over one another. */
bool ff_touch_blunt_look(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                         const ff_pose *pose_b, double blunt, ff_touch *touch, bool *over);
/* How such a touch, swollen to the whole, changes as a moves. False: it is not known. */
bool ff_touch_blunt_slopes(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                           const ff_pose *pose_b, double blunt, const ff_touch *touch,
                           ff_touch_slopes *out);
int ff_touch_convex_limit(ff_shape_kind a, ff_shape_kind b);

/* Radius of rounded edges: as wished, within what a shape can do without looking another. */
double ff_geom_core_margin(const ff_geom *geom, double round);
/* What is left if all within this of the surface goes, of shapes that have such a core. */
void ff_geom_erode(ff_geom *out, const ff_geom *geom, double by);

/* How the way out of a solid turns as a point moves: 1/m, along a direction (unit) across it, and
 * across both. */
typedef struct ff_bend {
  ff_vec3 along;
  double along_it, across;
} ff_bend;

/* How far a point is from a box, polyhedron, cylinder or capsule, in its frame, and which way
 * (unit) out of it; inside (< 0), it came in by this face, see geom/flat.h. bend may be NULL. */
double ff_geom_from(const ff_geom *geom, ff_vec3 point, int face, ff_vec3 *out, ff_bend *bend);

#endif
