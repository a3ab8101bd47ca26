/* Where a part of one shape's flat or straight side touches a part of another's: see
 * touch_convex.c.
 */
#ifndef FF_GEOM_SPOTS_H
#define FF_GEOM_SPOTS_H

#include "geom/distance.h"
#include "geom/flat.h"

/* The touch of a spot between two such sides, where they are now. blunt: m, how much caps are
 * domed; toward: which way the normal goes, about. at: m, where it is, seen along the normal;
 * beside: edges whose lines cross, but beside one of them. False: there is no such place. */
bool ff_spot_place(const ff_flat *a, const ff_flat *b, const ff_spot *spot, double blunt,
                   ff_vec3 toward, ff_touch *out, ff_vec3 *at, bool *beside);

/* The same of a corner of one shape beside the other. */
void ff_spot_place_corner(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                          const ff_pose *pose_b, const ff_spot *spot, ff_touch *out);

/* How these touches, swollen or not, change as a moves, turning about this origin. False: it is not
 * known. */
bool ff_spot_slopes(const ff_flat *a, const ff_flat *b, const ff_touch *touch, double blunt,
                    ff_vec3 origin, ff_touch_slopes *out);
bool ff_spot_corner_slopes(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                           const ff_pose *pose_b, const ff_touch *touch, ff_touch_slopes *out);

/* Of boxes, polyhedra, cylinders and capsules that are apart: finds the corner of one, or the edge
 * of each, with which they are nearest. False: there is none; a rim is nearest to a face. */
bool ff_spot_nearest(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                     const ff_pose *pose_b, const ff_distance *near, ff_touch *out);

#endif
