/* Contents of a COLLADA file: geometries, and the nodes that instantiate them. */
#ifndef FF_IO_MESH_DAE_H
#define FF_IO_MESH_DAE_H

#include "io/mesh.h"
#include "math/spatial.h"

/* Affine map x -> turn x + shift; turn may scale. */
typedef struct ff_dae_place {
  ff_mat3 turn;
  ff_vec3 shift;
} ff_dae_place;

/* Numbers of a geometry: positions, normals, ... */
typedef struct ff_dae_source {
  const char *id;
  size_t first, count; /* range in the array of all numbers */
  int stride;
} ff_dae_source;

typedef struct ff_dae_geometry {
  const char *id;
  const char *positions; /* id of the source of its positions */
  int first, end;        /* range of its sources */
} ff_dae_geometry;

/* Instance in a node: a geometry, or another node with its subtree. */
typedef struct ff_dae_part {
  const char *id;
  bool is_node;
  int next; /* next instance of the same node, -1: none */
} ff_dae_part;

typedef struct ff_dae_node {
  const char *id;
  ff_dae_place at;     /* relative to the parent node */
  int parent;          /* -1: the root */
  int end;             /* one past the last descendant */
  int part, last_part; /* first and last instance; -1: none */
  int depth;           /* nesting depth of elements */
  bool hidden;         /* in a library: used only through instances */
} ff_dae_node;

typedef struct ff_dae {
  double meter;
  const double *numbers;
  ff_dae_source *sources;
  ff_dae_geometry *geometries;
  ff_dae_part *parts;
  ff_dae_node *nodes; /* in file order; 0 is the root, the parent of all others */
  int source_count, geometry_count, part_count, node_count;
} ff_dae;

enum { FF_DAE_LISTS_MAX = 100000, FF_DAE_POINTS_MAX = 20000000 };

static inline ff_dae_place ff_dae_here(void) {
  return (ff_dae_place){{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0, 0, 0}};
}
/* Composition: b in the frame of a. */
static inline ff_dae_place ff_dae_placed(ff_dae_place a, ff_dae_place b) {
  return (ff_dae_place){m3_product(a.turn, b.turn), v3_add(m3_mul(a.turn, b.shift), a.shift)};
}

/* Calls `add` for all points of the scene; if the scene has none, for those of all geometries,
 * untransformed. */
ff_status ff_dae_show(const ff_dae *dae, ff_mesh_add add, void *to, ff_report *report);

#endif
