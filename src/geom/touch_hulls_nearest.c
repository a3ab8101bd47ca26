/* Where the cores of two rounded boxes or polyhedra are nearest. */
#include "geom/distance.h"
#include "geom/hull.h"
#include "geom/touch_hulls.h"

#define LEVEL 1e-6 /* of the size: what may be nearest is not farther than this from a plane */

enum { LEVEL_EDGES = 32 };

static void keep_nearer(ff_core_spot *best, const ff_cores *m, ff_spot spot) {
  ff_core_place at;
  if (ff_core_find_place(&m->a, &m->b, &spot, &at) && !at.beside && at.gap > 0 &&
      at.gap < best->at.gap) {
    *best = (ff_core_spot){.spot = spot, .at = at};
  }
}

/* The ends of the edge of a box along an axis that is farthest along a direction. */
static void farthest_edge(const ff_core *of, ff_vec3 direction, int axis, int ends[2]) {
  ends[0] = 0;
  for (int i = 0; i < 3; i++) {
    ends[0] |= (i != axis && v3_dot(of->axis[i], direction) > 0) << i;
  }
  ends[1] = ends[0] | 1 << axis;
}

/* Of boxes that are apart: of all corners, and of edges along axis i of a and j of b those that are
 * farthest towards the other. */
static ff_core_spot nearest_of_boxes(const ff_cores *m) {
  ff_core_spot best = {.at = {.gap = INFINITY}};
  for (int corner = 0; corner < 8; corner++) {
    keep_nearer(&best, m, (ff_spot){FF_SPOT_CORNER_A, {corner}, {0}});
    keep_nearer(&best, m, (ff_spot){FF_SPOT_CORNER_B, {0}, {corner}});
  }
  for (int k = 0; k < 9; k++) {
    int i = k / 3, j = k % 3;
    ff_vec3 n = v3_cross(m->a.axis[i], m->b.axis[j]);
    n = v3_dot(n, v3_sub(m->a.at, m->b.at)) < 0 ? v3_neg(n) : n;
    ff_spot spot = {.kind = FF_SPOT_EDGES};
    farthest_edge(&m->a, v3_neg(n), i, spot.a);
    farthest_edge(&m->b, n, j, spot.b);
    keep_nearer(&best, m, spot);
  }
  return best;
}

/* Corners and edges of a core that are farthest along a direction, to within a little. */
typedef struct level {
  int corners[LEVEL_EDGES], corner_count;
  int edges[LEVEL_EDGES][2], edge_count;
} level;

static void add_level_edge(level *to, int p, int q) {
  if (to->edge_count < LEVEL_EDGES) {
    to->edges[to->edge_count][0] = p;
    to->edges[to->edge_count++][1] = q;
  }
}

static void find_level(level *to, const ff_core *of, ff_vec3 direction, double slack) {
  bool is_hull = of->geom.kind == FF_POLYHEDRON;
  const ff_hull *hull = of->geom.hull;
  ff_vec3 d = ff_core_local(of, direction);
  double low = v3_dot(d, ff_geom_support(&of->geom, d)) - slack;
  to->corner_count = to->edge_count = 0;
  for (int v = 0; v < (is_hull ? hull->vertex_count : 8); v++) {
    ff_vec3 at = is_hull
                     ? hull->vertices[v]
                     : v3(v & 1 ? of->half[0] : -of->half[0], v & 2 ? of->half[1] : -of->half[1],
                          v & 4 ? of->half[2] : -of->half[2]);
    if (v3_dot(d, at) >= low && to->corner_count < LEVEL_EDGES) {
      to->corners[to->corner_count++] = v;
    }
  }
  for (int e = 0; is_hull && to->corner_count > 1 && e < hull->edge_count; e++) {
    const int *ends = hull->edges[e].vertex;
    if (v3_dot(d, hull->vertices[ends[0]]) >= low && v3_dot(d, hull->vertices[ends[1]]) >= low) {
      add_level_edge(to, ends[0], ends[1]);
    }
  }
  for (int i = 0; !is_hull && i < to->corner_count; i++) {
    for (int k = 0; k < i; k++) {
      int p = to->corners[k], q = to->corners[i], bit = p ^ q;
      if ((bit & (bit - 1)) == 0) {
        add_level_edge(to, p, q);
      }
    }
  }
}

/* Of cores that are apart, with the direction in which they are nearest known. */
static ff_core_spot nearest_of_hulls(const ff_cores *m, ff_vec3 n) {
  ff_core_spot best = {.at = {.gap = INFINITY}};
  level a, b;
  find_level(&a, &m->a, v3_neg(n), LEVEL * m->size);
  find_level(&b, &m->b, n, LEVEL * m->size);
  int face_a = ff_core_facing(&m->a, v3_neg(n)), face_b = ff_core_facing(&m->b, n);
  for (int i = 0; i < a.corner_count; i++) {
    keep_nearer(&best, m, (ff_spot){FF_SPOT_CORNER_A, {a.corners[i]}, {face_b}});
  }
  for (int k = 0; k < b.corner_count; k++) {
    keep_nearer(&best, m, (ff_spot){FF_SPOT_CORNER_B, {face_a}, {b.corners[k]}});
  }
  for (int i = 0; i < a.edge_count; i++) {
    for (int k = 0; k < b.edge_count; k++) {
      ff_spot spot = {
          FF_SPOT_EDGES, {a.edges[i][0], a.edges[i][1]}, {b.edges[k][0], b.edges[k][1]}};
      keep_nearer(&best, m, spot);
    }
  }
  return best;
}

ff_core_spot ff_cores_nearest(const ff_cores *m, const ff_pose *pose_a, const ff_pose *pose_b,
                              double reach) {
  bool boxes = m->a.geom.kind == FF_BOX && m->b.geom.kind == FF_BOX;
  ff_distance near;
  ff_distance_query(&near, &m->a.geom, pose_a, &m->b.geom, pose_b, reach);
  if (!(near.gap > 0 && near.gap < reach)) {
    return (ff_core_spot){.at.gap = near.gap};
  }
  return boxes ? nearest_of_boxes(m) : nearest_of_hulls(m, near.normal);
}
