/* How a touch between two parts changes as a moves, b being at rest: what all kinds of parts have
 * in common. */
#ifndef FF_GEOM_SLOPES_H
#define FF_GEOM_SLOPES_H

#include "geom/touch.h"

/* A point of one body that touches a side of the other. The side is bent as told, in world axes;
 * the point is where the touch is seen from along the normal, or, if it wanders over its body as
 * that turns (wander: m/rad, column j about world axis j; else NULL), where it would be if it did
 * not. */
bool ff_slopes_of_tip(ff_touch_slopes *out, const ff_touch *touch, ff_vec3 origin, bool of_a,
                      ff_vec3 at, const ff_bend *bend, const ff_mat3 *wander);

/* A straight edge or a rim, where it is nearest to another. */
typedef struct ff_line {
  ff_vec3 at;    /* m, there */
  ff_vec3 along; /* unit */
  ff_vec3 bend;  /* 1/m, what along turns by as one goes on; 0 of straight ones */
} ff_line;

/* Two of them that cross. False: they go side by side, where anything may be. */
bool ff_slopes_of_lines(ff_touch_slopes *out, const ff_touch *touch, ff_vec3 origin,
                        const ff_line *a, const ff_line *b);

/* Ends of straight edges that are nearest to an edge (along, unit), or to its end (0). */
bool ff_slopes_of_ends(ff_touch_slopes *out, const ff_touch *touch, ff_vec3 origin, bool of_a,
                       ff_vec3 at, ff_vec3 along, double distance);

#endif
