/* Closest features of two polyhedral shapes: from witness points that GJK or EPA has found, the
 * vertices, edges and faces that these lie on, and from those normal and distance to rounding. */
#include "geom/distance_parts.h"
#include "geom/hull.h"
#include "math/vec.h"

#define ON_FEATURE 1e-12 /* of the size: a point this near to a feature is on it */
#define CONFIRMED  1e-13 /* of the size: what the gap along the normal may fall short of */
#define ALIGNED    1e-9  /* 1 - cosine of normals that may be the same */
#define LEVEL      1e-9  /* of the size: what is lower than the farthest vertex by less is level */

enum { EDGES_AT_POINT = 32 };

/* Middle, unit direction and half length, in world axes from the origin of b. */
typedef struct segment {
  ff_vec3 middle, along;
  double half;
} segment;

/* Features of one shape at a witness point, or level with it. */
typedef struct point_features {
  ff_vec3 face; /* unit, outward: of all faces the one along the normal */
  double aligned;
  segment edges[EDGES_AT_POINT];
  int edge_count;
} point_features;

static void segment_ends(const ff_geom *geom, int edge, ff_vec3 *from, ff_vec3 *to) {
  if (geom->kind == FF_POLYHEDRON) {
    const int *ends = geom->hull->edges[edge].vertex;
    *from = geom->hull->vertices[ends[0]];
    *to = geom->hull->vertices[ends[1]];
    return;
  }
  double end[3], half[3]; /* edges 0..3 of a box are along x, and so on */
  int axis = edge / 4;
  v3_store(half, geom->size);
  end[(axis + 1) % 3] = edge & 1 ? half[(axis + 1) % 3] : -half[(axis + 1) % 3];
  end[(axis + 2) % 3] = edge & 2 ? half[(axis + 2) % 3] : -half[(axis + 2) % 3];
  end[axis] = -half[axis];
  *from = v3_load(end);
  end[axis] = half[axis];
  *to = v3_load(end);
}

static void aligned_face(point_features *out, const ff_geom *geom, ff_quat q, ff_vec3 outward) {
  const ff_hull *hull = geom->kind == FF_POLYHEDRON ? geom->hull : NULL;
  ff_vec3 d = q_unrotate(q, outward), face = d;
  out->aligned = -INFINITY;
  for (int k = 0; k < (hull ? hull->face_count : 3); k++) {
    ff_vec3 axis = v3(k == 0, k == 1, k == 2);
    ff_vec3 n = hull ? hull->normal[k] : v3_scale(v3_dot(axis, d) < 0 ? -1 : 1, axis);
    double aligned = v3_dot(n, d);
    face = aligned > out->aligned ? n : face;
    out->aligned = greater(aligned, out->aligned);
  }
  out->face = q_rotate(q, face);
}

/* Edges through the witness point; level: those with an end as far along outward. */
static void edges_at_point(point_features *out, const ff_geom *geom, ff_quat q, ff_vec3 origin,
                           ff_vec3 at, ff_vec3 outward, double size, bool level) {
  ff_vec3 x = q_unrotate(q, v3_sub(at, origin)), d = q_unrotate(q, outward);
  int count = geom->kind == FF_POLYHEDRON ? geom->hull->edge_count : 12;
  double high = v3_dot(d, ff_geom_support(geom, d)) - LEVEL * size;
  out->edge_count = 0;
  for (int e = 0; e < count && out->edge_count < EDGES_AT_POINT; e++) {
    ff_vec3 from, to;
    segment_ends(geom, e, &from, &to);
    ff_vec3 edge = v3_sub(to, from), off = v3_sub(x, from);
    double square = v3_dot(edge, edge), t = fmax(0, fmin(1, v3_dot(off, edge) / square));
    off = v3_axpy(off, -t, edge);
    if (level ? v3_dot(d, from) > high || v3_dot(d, to) > high
              : v3_dot(off, off) < ON_FEATURE * ON_FEATURE * size * size) {
      ff_vec3 middle = v3_scale(0.5, v3_add(from, to));
      double length = sqrt(square);
      out->edges[out->edge_count++] =
          (segment){v3_add(origin, q_rotate(q, middle)), q_rotate(q, v3_scale(1 / length, edge)),
                    0.5 * length};
    }
  }
}

static bool is_inside(const ff_geom *geom, ff_quat q, ff_vec3 from_origin, double size) {
  ff_vec3 x = q_unrotate(q, from_origin);
  double out =
      fmax(fabs(x.x) - geom->size.x, fmax(fabs(x.y) - geom->size.y, fabs(x.z) - geom->size.z));
  return (geom->kind == FF_BOX ? out : ff_hull_above(geom->hull, x)) <= ON_FEATURE * size;
}

/* Face of b under a vertex of a, or of a over one of b: the farthest vertex, or, of those that are
 * equally far, where the witness point is. */
static bool take_face(ff_distance *out, const ff_two *two, const point_features *of, bool of_a,
                      const ff_rough *rough) {
  ff_vec3 n = of_a ? v3_neg(of->face) : of->face;
  ff_corner far = ff_two_support(two, v3_neg(n));
  ff_distance found = {.normal = n, .gap = v3_dot(n, far.w), .settled = true};
  if (!(1 - of->aligned < ALIGNED) || !(found.gap > rough->gap - CONFIRMED * two->size)) {
    return false;
  }
  found.kind_a = of_a ? FF_FEATURE_FACE : FF_FEATURE_VERTEX;
  found.kind_b = of_a ? FF_FEATURE_VERTEX : FF_FEATURE_FACE;
  for (int try = 0; try < 2; try++) {
    found.on_a = try ? rough->on_a : far.a;
    found.on_b = try ? rough->on_b : far.b;
    if (of_a) {
      found.on_a = v3_axpy(found.on_b, found.gap, n);
    } else {
      found.on_b = v3_axpy(found.on_a, -found.gap, n);
    }
    if (of_a ? is_inside(two->a, two->q_a, v3_sub(found.on_a, two->apart), two->size)
             : is_inside(two->b, two->q_b, found.on_b, two->size)) {
      *out = found;
      return true;
    }
  }
  return false;
}

/* Closest points of two edges that are apart: vertices where these are at an end. */
static void take_edges_apart(ff_distance *out, const segment *a, const segment *b) {
  double s, t;
  ff_closest_on_segments(v3_sub(a->middle, b->middle), a->along, a->half, b->along, b->half, &s,
                         &t);
  ff_vec3 on_a = v3_axpy(a->middle, s, a->along), on_b = v3_axpy(b->middle, t, b->along);
  ff_vec3 across = v3_cross(a->along, b->along), n = v3_sub(on_a, on_b);
  bool in_a = fabs(s) < a->half, in_b = fabs(t) < b->half;
  double sine2 = v3_dot(across, across);
  if (in_a && in_b && sine2 > 1e-20) {
    n = v3_scale((v3_dot(across, n) < 0 ? -1 : 1) / sqrt(sine2), across);
  } else {
    in_a = in_a && !in_b; /* edges side by side: as if a's point were a vertex */
    n = in_a ? v3_axpy(n, -v3_dot(n, a->along), a->along) : n;
    n = in_b ? v3_axpy(n, -v3_dot(n, b->along), b->along) : n;
    n = v3_unit(n);
  }
  double gap = v3_dot(n, v3_sub(on_a, on_b));
  if (gap < out->gap) {
    *out = (ff_distance){.normal = n, .gap = gap, .on_a = on_a, .on_b = v3_axpy(on_a, -gap, n)};
    out->kind_a = in_a ? FF_FEATURE_EDGE : FF_FEATURE_VERTEX;
    out->kind_b = in_b ? FF_FEATURE_EDGE : FF_FEATURE_VERTEX;
    out->edge_a = a->along;
    out->edge_b = b->along;
  }
}

/* Crossing edges of overlapping shapes. */
static void take_edges_deep(ff_distance *out, const ff_two *two, const segment *a, const segment *b,
                            ff_vec3 rough) {
  ff_vec3 across = v3_cross(a->along, b->along);
  double sine2 = v3_dot(across, across);
  ff_vec3 n = v3_scale((v3_dot(across, rough) < 0 ? -1 : 1) / sqrt(sine2), across);
  if (!(sine2 > 1e-20) || !(1 - v3_dot(n, rough) < ALIGNED)) {
    return;
  }
  double s, t, gap = v3_dot(n, ff_two_support(two, v3_neg(n)).w);
  ff_closest_on_segments(v3_sub(a->middle, b->middle), a->along, a->half, b->along, b->half, &s,
                         &t);
  if (gap > out->gap) {
    ff_vec3 on_a = v3_axpy(a->middle, s, a->along);
    *out = (ff_distance){.normal = n, .gap = gap, .on_a = on_a, .on_b = v3_axpy(on_a, -gap, n)};
    out->kind_a = out->kind_b = FF_FEATURE_EDGE;
    out->edge_a = a->along;
    out->edge_b = b->along;
  }
}

bool ff_closest_features(ff_distance *out, const ff_two *two, const ff_rough *rough) {
  point_features a, b;
  ff_vec3 n = rough->normal, none = v3(0, 0, 0);
  bool apart = rough->gap > LEVEL * two->size;
  aligned_face(&a, two->a, two->q_a, v3_neg(n));
  aligned_face(&b, two->b, two->q_b, n);
  if (take_face(out, two, &a, true, rough) || take_face(out, two, &b, false, rough)) {
    return true;
  }
  for (int level = 0; level < 2; level++) {
    ff_distance best = {.gap = apart ? INFINITY : -INFINITY};
    edges_at_point(&a, two->a, two->q_a, two->apart, rough->on_a, v3_neg(n), two->size, level);
    edges_at_point(&b, two->b, two->q_b, none, rough->on_b, n, two->size, level);
    for (int k = 0; k < a.edge_count * b.edge_count; k++) {
      const segment *of_a = &a.edges[k / b.edge_count], *of_b = &b.edges[k % b.edge_count];
      if (apart) {
        take_edges_apart(&best, of_a, of_b);
      } else {
        take_edges_deep(&best, two, of_a, of_b, n);
      }
    }
    double least = apart ? best.gap : rough->gap; /* what the gap along the normal must be */
    double gap = v3_dot(best.normal, ff_two_support(two, v3_neg(best.normal)).w);
    if (best.kind_a != FF_FEATURE_NONE && gap > least - CONFIRMED * two->size) {
      *out = best;
      out->settled = true;
      return true;
    }
  }
  return false;
}

/* Derivative of n = w / |w| for a change dw of w across the edge, that has no part along it. */
static ff_vec3 normal_turn(ff_vec3 n, ff_vec3 edge, ff_vec3 dw, double gap) {
  dw = v3_axpy(dw, -v3_dot(edge, dw), edge);
  return v3_scale(1 / gap, v3_axpy(dw, -v3_dot(n, dw), n));
}

bool ff_normal_rates(const ff_distance *at, ff_vec3 origin_a, ff_mat3 *shift, ff_mat3 *turn) {
  ff_feature_kind a = at->kind_a, b = at->kind_b;
  ff_vec3 n = at->normal, none = v3(0, 0, 0), across = v3_cross(at->edge_a, at->edge_b);
  *shift = *turn = (ff_mat3){0};
  for (int j = 0; j < 3; j++) {
    ff_vec3 axis = v3(j == 0, j == 1, j == 2), dx = none, dw = none;
    if (a == FF_FEATURE_FACE) {
      dw = v3_cross(axis, n);
    } else if (a == FF_FEATURE_EDGE && b == FF_FEATURE_EDGE) {
      dw = v3_cross(v3_cross(axis, at->edge_a), at->edge_b);
      dw = v3_scale(1 / v3_dot(across, n), v3_axpy(dw, -v3_dot(n, dw), n));
    } else if (a == FF_FEATURE_EDGE) { /* in a's frame the vertex of b moves */
      dx = normal_turn(n, at->edge_a, axis, at->gap);
      dw = normal_turn(n, at->edge_a, v3_cross(axis, v3_sub(at->on_b, origin_a)), at->gap);
      dw = v3_add(dw, v3_cross(axis, n));
    } else if (b != FF_FEATURE_FACE) {
      ff_vec3 edge = b == FF_FEATURE_EDGE ? at->edge_b : none;
      dx = normal_turn(n, edge, axis, at->gap);
      dw = normal_turn(n, edge, v3_cross(axis, v3_sub(at->on_a, origin_a)), at->gap);
    }
    m3_set_column(shift, j, dx);
    m3_set_column(turn, j, dw);
  }
  return a != FF_FEATURE_NONE && b != FF_FEATURE_NONE;
}

ff_vec3 ff_normal_rate_apart(const ff_distance *at, ff_vec3 apart) {
  ff_feature_kind a = at->kind_a, b = at->kind_b;
  ff_vec3 none = {0, 0, 0};
  if (a == FF_FEATURE_FACE || b == FF_FEATURE_FACE ||
      (a == FF_FEATURE_EDGE && b == FF_FEATURE_EDGE)) {
    return none;
  }
  ff_vec3 edge = a == FF_FEATURE_EDGE ? at->edge_a : b == FF_FEATURE_EDGE ? at->edge_b : none;
  return normal_turn(at->normal, edge, apart, at->gap);
}
