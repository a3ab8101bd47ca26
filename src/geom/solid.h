/* A box or a hull as corners, edges and faces, in its own frame. */
#ifndef FF_GEOM_SOLID_H
#define FF_GEOM_SOLID_H

#include "geom/hull.h"
#include "math/vec.h"

typedef struct ff_solid {
  int vertex_count, edge_count, face_count;
  ff_vec3 corner[8];   /* of a box */
  const ff_hull *hull; /* NULL: a box */
  ff_vec3 size;        /* of a box */
} ff_solid;

static inline bool ff_geom_is_solid(ff_shape_kind kind) {
  return kind == FF_BOX || kind == FF_POLYHEDRON;
}

/* Of a box or a polyhedron. */
void ff_solid_of(ff_solid *out, const ff_geom *geom);
/* The same without what is next to its surface; returns by how much (m) it is smaller, which is 0
 * for hulls that are too thin. */
double ff_solid_core(ff_solid *out, const ff_geom *geom);

/* Edge k of a box runs along axis k / 4. */
void ff_solid_edge(const ff_solid *of, int k, int ends[2]);

static inline ff_vec3 ff_solid_vertex(const ff_solid *of, int k) {
  return of->hull ? of->hull->vertices[k] : of->corner[k];
}

/* The name of what touches there, one of eight. */
static inline int ff_solid_slot(const ff_solid *of, int vertex) {
  return of->hull ? of->hull->colour[vertex] : vertex;
}

static inline ff_vec3 ff_solid_normal(const ff_solid *of, int face) {
  if (of->hull) {
    return of->hull->normal[face];
  }
  double n[3] = {0, 0, 0};
  n[face / 2] = face % 2 ? 1 : -1;
  return v3_load(n);
}

/* How deep a point is below a face. */
static inline double ff_solid_below(const ff_solid *of, int face, ff_vec3 at) {
  if (of->hull) {
    return of->hull->offset[face] - v3_dot(of->hull->normal[face], at);
  }
  const double x[3] = {at.x, at.y, at.z}, s[3] = {of->size.x, of->size.y, of->size.z};
  return s[face / 2] - (face % 2 ? x[face / 2] : -x[face / 2]);
}

#endif
