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

/* Polygons of a geometry: lists of numbers, `stride` for each corner, of which the one at `offset`
 * counts points. */
typedef struct ff_dae_faces {
  int geometry;
  const char *material; /* symbol, bound by the instance */
  size_t first, count;  /* range of the corners' numbers in the array of all numbers */
  size_t sizes,
      sizes_count; /* range of the numbers of corners of each polygon; none: see corners */
  int corners;     /* of each polygon; 0: one polygon with all */
  int stride, offset;
} ff_dae_faces;

/* A material of an instance by its symbol; a material's effect; an effect's colour. */
typedef struct ff_dae_binding {
  int part;
  const char *symbol, *target;
} ff_dae_binding;
typedef struct ff_dae_material {
  const char *id, *effect;
} ff_dae_material;
typedef struct ff_dae_effect {
  const char *id;
  float rgba[4]; /* alpha below 0: none */
} ff_dae_effect;

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
  ff_dae_faces *faces; /* ordered by geometry */
  ff_dae_binding *bindings;
  ff_dae_material *materials;
  ff_dae_effect *effects;
  int faces_count, binding_count, material_count, effect_count;
} ff_dae;

enum { FF_DAE_LISTS_MAX = 100000, FF_DAE_POINTS_MAX = 20000000 };

static inline ff_dae_place ff_dae_here(void) {
  return (ff_dae_place){{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0, 0, 0}};
}
/* Composition: b in the frame of a. */
static inline ff_dae_place ff_dae_placed(ff_dae_place a, ff_dae_place b) {
  return (ff_dae_place){m3_product(a.turn, b.turn), v3_add(m3_mul(a.turn, b.shift), a.shift)};
}

/* Adds all points of the scene to the mesh, and faces if it wants them; if the scene has none,
 * those of all geometries, untransformed. */
ff_status ff_dae_show(const ff_dae *dae, ff_mesh *mesh);
/* Adds the faces of a geometry whose first point is number `base` of the mesh. part: the instance
 * that binds its materials; -1: none. */
ff_status ff_dae_show_faces(const ff_dae *dae, int geometry, int part, size_t base, ff_mesh *mesh);

#endif
