/* Convex polyhedra, compiled from their vertices. */
#ifndef FF_GEOM_HULL_H
#define FF_GEOM_HULL_H

#include "geom/geom.h"

typedef struct ff_hull_edge {
  int vertex[2], face[2];
} ff_hull_edge;

/* Adjacency. edges[k].face[0] lies to the left of vertex[0] -> vertex[1] seen from outside. Edges
 * around face f: side[side_start[f]] up to side[side_start[f + 1]]. Faces around vertex v,
 * counterclockwise seen from outside: ring[ring_start[v]] up to ring[ring_start[v + 1]], where
 * ring_edge[j] is the edge between face ring[j] and the next one of the ring. */
typedef struct ff_topology {
  int vertex_count, edge_count, face_count;
  const ff_hull_edge *edges;
  const int *side_start, *side;
  const int *ring_start, *ring, *ring_edge;
} ff_topology;

struct ff_hull {
  const ff_vec3 *vertices;
  int vertex_count;
  const int *corners;    /* vertices of all faces, one face after another, counterclockwise */
  const int *face_size;  /* corners of each face */
  const int *face_start; /* where they begin */
  const ff_vec3 *normal; /* unit, outward, of each face */
  const double *offset;  /* m: normal . x on the face */
  int face_count;
  const ff_hull_edge *edges;
  int edge_count;
  double volume;        /* m^3 */
  ff_vec3 inertia;      /* m^5, of unit density, principal */
  double bound;         /* m */
  double inside;        /* m, radius of the ball about the origin that fits in */
  const ff_hull *inner; /* core that the manifold takes the normal from, see geom/facets.h */
  double inner_depth;   /* m, how far its faces are inside, at least */
  double inner_reach;   /* m, how far vertices of the hull are outside of it, at most */
  ff_topology topology; /* not of a core */
  /* Of a core: velocity of each vertex, per m that all faces move inwards, and how far (m) they may
   * move until an edge vanishes. Beyond that the core shrinks towards the origin. */
  const ff_vec3 *way;
  double way_until;
};

/* The hull of points, in its principal frame, which *frame says where it is. */
ff_status ff_hull_make(ff_hull *out, ff_pose *frame, ff_arena *arena, const ff_vec3 *points,
                       int count, ff_report *report);

/* Corners of the convex hull of count points, in order of the points; in the arena. */
ff_status ff_hull_corners(ff_vec3 **out, int *corner_count, ff_arena *arena, const ff_vec3 *points,
                          size_t count, ff_report *report);

/* Gives a hull its inner core: eroded by this part of its half thickness, or,
 * where that fails, scaled down. */
ff_status ff_hull_erode_inner(ff_hull *hull, double part, ff_arena *arena);

/* Moves a hull without core to where its frame is: its inertia is that of the frame before. */
void ff_hull_place(ff_hull *hull, ff_pose frame);

/* How far a point stands out of the hull: < 0 inside. */
double ff_hull_above(const ff_hull *hull, ff_vec3 point);

#endif
