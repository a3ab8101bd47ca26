/* The flat or straight part of a shape that faces a direction: what it lies on others with. */
#ifndef FF_GEOM_FLAT_H
#define FF_GEOM_FLAT_H

#include "geom/geom.h"

enum { FF_FLAT_MAX = 24 };

typedef struct ff_flat {
  int part;                /* which one of the shape: a face of a box (2 axis + up) or polyhedron,
                              after these its edges; a cylinder's caps (0 at -z, 1), its side (2);
                              a flat face of an intersection's core */
  int count;               /* corners: 0 none, 2 a line, 3 and more a face */
  ff_vec3 at[FF_FLAT_MAX]; /* m, world, counterclockwise seen from outside; of a line on its axis */
  int slot[FF_FLAT_MAX];   /* name of the contact point that belongs to the corner; -1: none */
  int corner[FF_FLAT_MAX]; /* of a box or polyhedron: which of its corners */
  ff_vec3 normal;          /* unit, outward, of a face; along a line */
  double radius;           /* m, of what is round about a line; 0 for faces */
  bool sharp;              /* the line ends in rims and not in balls */
  double rim;              /* m, radius of a round face; 0 for others */
  bool round;              /* it ends in a circle, and corners are only some of its points; else
                              in straight edges between them */
} ff_flat;

/* direction: unit, world, outward. */
void ff_flat_find(ff_flat *out, const ff_geom *geom, const ff_pose *pose, ff_vec3 direction);

/* The part of a box, polyhedron, cylinder, capsule or core of an intersection (then -1: none) that
 * faces a direction, */
int ff_flat_facing(const ff_geom *geom, const ff_pose *pose, ff_vec3 direction);
/* the edge of a box or polyhedron that does so most, */
int ff_flat_facing_edge(const ff_geom *geom, const ff_pose *pose, ff_vec3 direction);
/* and that part, whatever it faces. Caps then are round, and corners stay where they are on the
 * body; the name of the first is that of a fifth point, the dome, which is the end of the line when
 * the cylinder lies down; it gets that of the other end. */
void ff_flat_take(ff_flat *out, const ff_geom *geom, const ff_pose *pose, int part);

/* Corners of a box or polyhedron and ends of a capsule, and edges of these and of cylinders (as
 * parts: rims are those of caps), that reach as far as low (m) along a direction, both in the
 * shape's frame. Returns how many, up to the limit. */
int ff_flat_corners(const ff_geom *geom, ff_vec3 direction, double low, int *out, int limit);
int ff_flat_edges(const ff_geom *geom, ff_vec3 direction, double low, int *out, int limit);
/* Where such a corner is, in the shape's frame. */
ff_vec3 ff_flat_corner(const ff_geom *geom, int corner);

/* The middle of a round face. */
ff_vec3 ff_flat_middle(const ff_flat *flat);
/* Twice the area of a face; 0 of a line. */
double ff_flat_area(const ff_flat *flat);
/* Outward from a corner, along the face: well inside what is farthest there. */
ff_vec3 ff_flat_outward(const ff_flat *flat, int corner);
/* Is the point inside the face, seen along its normal, or next to it by less than slack? */
bool ff_flat_covers(const ff_flat *flat, ff_vec3 point, double slack);

#endif
