/* Distance query: signed distance, normal and witness points of two finite convex shapes.
 *
 * For a unit vector n from b into a let g(n) be the gap between the planes across n that touch the
 * two. The largest g is their signed distance: their distance, or, where they overlap, minus the
 * length of the minimum translation that parts them. Two boxes: separating axes [Gottschalk96].
 * Else GJK or EPA on the Minkowski difference [Gilbert88, vandenBergen01]; of polyhedra the closest
 * features then give n to rounding; where a surface is curved, Newton's method on [Chakraborty07
 * eq. 9]
 *   x_a - x_b = g n,  -n = sum alpha_i grad f_i(x_a),  n = sum beta_j grad h_j(x_b),
 *   f_i(x_a) = 0,  h_j(x_b) = 0,  |n| = 1
 * with f and h the rules (geom/implicit.h) that bound a and b there, and where that does not
 * converge cutting planes [Kelley60]. Differentiated, the same conditions give derivatives.
 */
#ifndef FF_GEOM_DISTANCE_H
#define FF_GEOM_DISTANCE_H

#include "geom/geom.h"

enum { FF_DISTANCE_RULES = 3 };

typedef enum ff_feature_kind {
  FF_FEATURE_NONE, /* not known, or the shape is not polyhedral */
  FF_FEATURE_VERTEX,
  FF_FEATURE_EDGE,
  FF_FEATURE_FACE
} ff_feature_kind;

typedef struct ff_distance {
  ff_vec3 normal;     /* unit, world, from b into a */
  double gap;         /* m, signed distance; < 0: minus the minimum translation */
  ff_vec3 on_a, on_b; /* m, world, witness points: on_a - on_b = gap normal */
  bool settled;       /* to rounding, or gap and normal at least to 1e-11 of the size */
  /* Active surface rules and their multipliers alpha, beta; count 0: not known. */
  int rules_a[FF_DISTANCE_RULES], count_a;
  int rules_b[FF_DISTANCE_RULES], count_b;
  double pull_a[FF_DISTANCE_RULES], pull_b[FF_DISTANCE_RULES];
  /* Closest features of two boxes or polyhedra, also where they overlap: the features that meet
   * after the minimum translation. A FACE has a VERTEX opposite, even if faces are parallel: the
   * normal is that of the FACE's side. Edge directions, unit, world, where the kind is EDGE. */
  ff_feature_kind kind_a, kind_b;
  ff_vec3 edge_a, edge_b;
} ff_distance;

/* beyond: gaps larger than this need not be exact; the gap given is then larger, too, but may be
 * less than the distance, and nothing else is exact. */
void ff_distance_query(ff_distance *out, const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                       const ff_pose *pose_b, double beyond);

/* Derivative of the normal as a moves, b at rest, from the closest features: dn = shift dx + turn
 * dw, with dx a displacement of a (shift: 1/m) and dw a rotation vector, world axes, about
 * origin_a, a point fixed in a (turn: 1/rad). False: no closest features known. */
bool ff_normal_rates(const ff_distance *at, ff_vec3 origin_a, ff_mat3 *shift, ff_mat3 *turn);

/* Change of the normal if the features of a move by `apart` (m) without a turn, to first order. */
ff_vec3 ff_normal_rate_apart(const ff_distance *at, ff_vec3 apart);

/* Derivatives as a moves: along x, y, z (per m) and about x, y, z through its origin (per rad),
 * world axes. As b moves: the same with the sign turned, plus the common motion. */
typedef struct ff_distance_rate {
  double gap;
  ff_vec3 normal, on_a, on_b;
} ff_distance_rate;

/* From the active rules. False where the result is not smooth or not unique: faces on faces,
 * parallel axes. */
bool ff_distance_rates(ff_distance_rate out[6], const ff_distance *at, const ff_geom *a,
                       const ff_pose *pose_a, const ff_geom *b, const ff_pose *pose_b);

#endif
