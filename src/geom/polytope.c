#include "geom/polytope.h"

static const ff_hull_edge box_edges[12] = {{{0, 1}, {2, 4}}, {{2, 3}, {4, 3}}, {{4, 5}, {5, 2}},
                                           {{6, 7}, {3, 5}}, {{0, 2}, {4, 0}}, {{1, 3}, {1, 4}},
                                           {{4, 6}, {0, 5}}, {{5, 7}, {5, 1}}, {{0, 4}, {0, 2}},
                                           {{1, 5}, {2, 1}}, {{2, 6}, {3, 0}}, {{3, 7}, {1, 3}}};
static const int box_side_start[7] = {0, 4, 8, 12, 16, 20, 24};
static const int box_side[24] = {8,  6, 10, 4, 5, 11, 7, 9, 0, 9, 2, 8,
                                 10, 3, 11, 1, 4, 1,  5, 0, 2, 7, 3, 6};
static const int box_ring_start[9] = {0, 3, 6, 9, 12, 15, 18, 21, 24};
static const int box_ring[24] = {0, 4, 2, 1, 2, 4, 0, 3, 4, 1, 4, 3,
                                 0, 2, 5, 1, 5, 2, 0, 5, 3, 1, 3, 5};
static const int box_ring_edge[24] = {4, 0, 8, 9, 0, 5, 10, 1, 4,  5,  1, 11,
                                      8, 2, 6, 7, 2, 9, 6,  3, 10, 11, 3, 7};

const ff_topology ff_box_topology = {.vertex_count = 8,
                                     .edge_count = 12,
                                     .face_count = 6,
                                     .edges = box_edges,
                                     .side_start = box_side_start,
                                     .side = box_side,
                                     .ring_start = box_ring_start,
                                     .ring = box_ring,
                                     .ring_edge = box_ring_edge};

void ff_polytope_place(ff_polytope *out, const ff_geom *geom, ff_mat3 turn, ff_vec3 shift) {
  if (geom->kind == FF_POLYHEDRON) {
    const ff_hull *hull = geom->hull;
    out->topology = &hull->topology;
    for (int v = 0; v < hull->vertex_count; v++) {
      out->vertex[v] = v3_add(shift, m3_mul(turn, hull->vertices[v]));
    }
    for (int f = 0; f < hull->face_count; f++) {
      out->normal[f] = m3_mul(turn, hull->normal[f]);
    }
    return;
  }
  const double half[3] = {geom->size.x, geom->size.y, geom->size.z};
  ff_vec3 edge[3];
  out->topology = &ff_box_topology;
  for (int k = 0; k < 3; k++) {
    ff_vec3 axis = v3(turn.m[0][k], turn.m[1][k], turn.m[2][k]);
    out->normal[2 * k] = v3_neg(axis);
    out->normal[2 * k + 1] = axis;
    edge[k] = v3_scale(half[k], axis);
  }
  for (int v = 0; v < 8; v++) {
    ff_vec3 at = v3_axpy(shift, v & 1 ? 1 : -1, edge[0]);
    out->vertex[v] = v3_axpy(v3_axpy(at, v & 2 ? 1 : -1, edge[1]), v & 4 ? 1 : -1, edge[2]);
  }
}
