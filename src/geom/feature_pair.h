/* Depth of a feature pair of two polyhedra along a given normal, and its derivatives.
 *
 * n: normal of the pair, unit, b to a. Derivatives are with shifts of a, with turns of a about the
 * contact point at a constant n, and with n. */
#ifndef FF_GEOM_FEATURE_PAIR_H
#define FF_GEOM_FEATURE_PAIR_H

#include "math/vec.h"

typedef struct ff_feature_depth {
  double depth;      /* m, t: along n; < 0: apart */
  ff_vec3 point;     /* m, halfway between both surfaces along n */
  ff_vec3 normal;    /* unit, b to a: of the face, or of both edges */
  ff_vec3 shift;     /* 1 */
  ff_vec3 turn;      /* m/rad */
  ff_vec3 by_normal; /* m */
} ff_feature_depth;

/* The least slope between a face, or two edges, and n that depths are divided by: features that
 * stand steeper than this carry next to no weight. */
#define FF_FEATURE_STEEP 1e-9

/* Vertex p of a over the face of b through x with outward normal u: t = u.(x - p) / u.n. */
static inline ff_feature_depth ff_vertex_face_depth(ff_vec3 n, ff_vec3 p, ff_vec3 u, ff_vec3 x) {
  double slope = greater(v3_dot(u, n), FF_FEATURE_STEEP);
  ff_feature_depth out = {.depth = v3_dot(u, v3_sub(x, p)) / slope, .normal = u};
  out.point = v3_axpy(p, 0.5 * out.depth, n);
  out.shift = v3_scale(-1 / slope, u);
  out.turn = v3_cross(v3_scale(-0.5 * out.depth, n), out.shift); /* p - point */
  out.by_normal = v3_scale(out.depth, out.shift);
  return out;
}

/* Vertex q of b under the face of a through x with outward normal u: t = u.(x - q) / -u.n. As a
 * turns about q, u.(x - q) does not change, but u.n does. */
static inline ff_feature_depth ff_face_vertex_depth(ff_vec3 n, ff_vec3 u, ff_vec3 x, ff_vec3 q) {
  double slope = greater(-v3_dot(u, n), FF_FEATURE_STEEP);
  ff_feature_depth out = {.depth = v3_dot(u, v3_sub(x, q)) / slope, .normal = v3_neg(u)};
  out.point = v3_axpy(q, -0.5 * out.depth, n);
  out.shift = v3_scale(1 / slope, u);
  out.turn = v3_cross(v3_scale(0.5 * out.depth, n), out.shift); /* q - point */
  out.turn = v3_axpy(out.turn, out.depth / slope, v3_cross(u, n));
  out.by_normal = v3_scale(out.depth, out.shift);
  return out;
}

/* Edge of a through p along e across the edge of b through q along f: with m = e x f
 * t = m.(q - p) / m.n. As a turns about where the edges cross, t does not change. */
static inline ff_feature_depth ff_edge_edge_depth(ff_vec3 n, ff_vec3 p, ff_vec3 e, ff_vec3 q,
                                                  ff_vec3 f) {
  ff_vec3 m = v3_cross(e, f), apart = v3_sub(q, p);
  double across = v3_dot(m, n), least = FF_FEATURE_STEEP * v3_norm(e) * v3_norm(f);
  double sign = across < 0 ? -1 : 1;
  across = fabs(across) < least ? sign * least : across;
  ff_feature_depth out = {.depth = v3_dot(m, apart) / across};
  double along = v3_dot(v3_cross(apart, f), n) / across;
  out.normal = v3_scale(sign / greater(v3_norm(m), least), m);
  out.point = v3_axpy(v3_axpy(p, lesser(greater(along, 0), 1), e), 0.5 * out.depth, n);
  out.shift = v3_scale(-1 / across, m);
  out.turn = v3_cross(v3_scale(-0.5 * out.depth, n), out.shift);
  out.by_normal = v3_scale(out.depth, out.shift);
  return out;
}

#endif
