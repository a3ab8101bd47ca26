/* Convex polyhedra as vertices, edges and faces with their adjacency. */
#ifndef FF_GEOM_POLYTOPE_H
#define FF_GEOM_POLYTOPE_H

#include "geom/hull.h"
#include "math/vec.h"

/* By Euler a hull of n vertices has at most 2 n - 4 faces. */
enum {
  FF_POLYTOPE_VERTICES = FF_POLYHEDRON_VERTICES_MAX,
  FF_POLYTOPE_FACES = 2 * FF_POLYTOPE_VERTICES
};

/* A polyhedron placed in some frame. */
typedef struct ff_polytope {
  const ff_topology *topology;
  ff_vec3 vertex[FF_POLYTOPE_VERTICES]; /* m */
  ff_vec3 normal[FF_POLYTOPE_FACES];    /* unit, outward */
} ff_polytope;

/* Of a box: the bits of a vertex are its sides along x, y and z; face 2 axis + positive side. */
extern const ff_topology ff_box_topology;

/* A box or polyhedron, turned by a matrix and then shifted. */
void ff_polytope_place(ff_polytope *out, const ff_geom *geom, ff_mat3 turn, ff_vec3 shift);

#endif
