/* Polyhedra pressed into one another, so that what a law stores is a function of their poses.
 *
 * Of each body the edges of its core (see ff_geom_touch_rounded) go through the other. Along an
 * edge let t(s) be the depth inside the other's faces, the least over them: a concave line of
 * straight pieces, whose slopes are between -1 and 1. A law that stores E(t) at a point stores
 *   U = 1/4 sum over edges of the sum over corners of t of (how much t turns there) E(t)
 * where beyond its ends an edge goes on with slopes 1 and -1. t changes continuously with the
 * poses, and so do the places where it turns and, summed up next to one another, how much: nothing
 * leaps when a corner slides over an edge, when faces come to lie on one another, when the shortest
 * way out changes. A corner of a box on a face has a share of 1, its three edges together, as on a
 * half-space; it goes over to two crossings of edges with half as much each.
 */
#ifndef FF_GEOM_PRESS_H
#define FF_GEOM_PRESS_H

#include "geom/geom.h"

enum {
  FF_PRESS_WHOLE = 16, /* names: eight for corners of a, eight for those of b, and the pair's own */
  FF_PRESS_SLOTS
};

/* One corner of one t, or one foot of one body on another (geom/feet.h). */
typedef struct ff_press {
  ff_vec3 point;  /* m, world */
  ff_vec3 normal; /* unit, world, from b into a */
  double depth;   /* m, t; < 0: apart, and told for the name's sake only */
  double share;   /* of the law's energy that is stored */
  double push;    /* of the law's force that acts along the normal */
  ff_vec3 couple; /* N m on a for each N of the law: the point wanders over the bodies */
  ff_vec3 pull;   /* N on a for each J of the law, */
  ff_vec3 swing;  /* and N m: shares change as bodies move and turn */
  int slot;       /* the corner it is next to */
  bool idle;      /* told for the name's sake only: others bear the load */
} ff_press;

/* Who wants to know. */
typedef struct ff_press_to {
  void (*fn)(void *context, const ff_press *press);
  double (*energy)(void *context, double depth); /* J, that the law stores at a depth */
  void *context;
} ff_press_to;

bool ff_geom_can_press(ff_shape_kind a, ff_shape_kind b);

/* Calls to->fn for each, and for corners that are apart by less than the margin (m). */
void ff_geom_press(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b, const ff_pose *pose_b,
                   double margin, const ff_press_to *to);

#endif
