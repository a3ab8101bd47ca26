/* Bodies that stand, lie or lean on one another with feet, so that what a law stores is a function
 * of their poses; boxes and polyhedra on one another have more to them, see geom/press.h.
 *
 * A foot is a place of one body whose depth t in the other changes continuously with the poses:
 *   corners     of boxes and polyhedra
 *   crossings   of their edges with the axis of a cylinder or capsule: where they are nearest to
 *               it. Their share falls off smoothly towards the ends of the edge, and as edge and
 *               axis become parallel
 *   ends        of capsules, as balls
 *   caps        of cylinders: the deepest place, or eight on the rim with half a share each,
 *               whichever stores more
 *   cut faces   of intersections: eight on the rim, as of a cap
 * Beside them there is the pair's own depth D, the shortest way out, in which no foot is deeper. A
 * law that stores E stores
 *   U = max(sum over feet of share E(t), E(D))
 * where a max of continuous functions is one, too: nothing leaps when feet come and go. What lies
 * or stands on a face has the points that it has on a half-space, what leans or crosses has one.
 * Feet are a little inside of the bodies, as the corners in geom/press.h, so that bodies of one
 * size can stand flush on one another.
 */
#ifndef FF_GEOM_FEET_H
#define FF_GEOM_FEET_H

#include "geom/press.h"

enum { FF_CAP_FEET = 8 };

bool ff_geom_has_feet(ff_shape_kind a, ff_shape_kind b);

/* As ff_geom_press, but not for margins between 0 and INFINITY. */
void ff_feet_press(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b, const ff_pose *pose_b,
                   double margin, const ff_press_to *to);

#endif
