/* Where two convex shapes are nearest, or deepest in one another.
 *
 * For a unit vector n from b into a let g(n) be the gap between the planes across n that touch the
 * two. The largest g is their distance, and where they overlap its negative is the shortest way
 * out. Found roughly by simplices and polytopes in the difference of the two shapes [Gilbert88,
 * vandenBergen01], for polyhedra exactly, for two boxes by the directions that can part them
 * [Gottschalk96]; then, where a surface is curved, to rounding by Newton's method on the conditions
 * that hold there, and where it does not serve by cutting planes [Kelley60]; the conditions are
 * [Chakraborty07 eq. 9]
 *   x_a - x_b = g n,  -n = sum alpha_i grad f_i(x_a),  n = sum beta_j grad h_j(x_b),
 *   f_i(x_a) = 0,  h_j(x_b) = 0,  |n| = 1
 * with f and h the rules (geom/implicit.h) that bound a and b there. Differentiated, the same
 * conditions say how the answer changes as the bodies move.
 */
#ifndef FF_GEOM_DISTANCE_H
#define FF_GEOM_DISTANCE_H

#include "geom/geom.h"

enum { FF_DISTANCE_RULES = 3 };

typedef struct ff_distance {
  ff_vec3 normal;     /* unit, world, from b into a */
  double gap;         /* m, < 0: they overlap */
  ff_vec3 on_a, on_b; /* m, world: apart by gap along the normal */
  bool settled;       /* to rounding, or gap and normal at least to 1e-11 of the size */
  int rules_a[FF_DISTANCE_RULES], count_a; /* that bound the shapes there; 0: not told */
  int rules_b[FF_DISTANCE_RULES], count_b;
  double pull_a[FF_DISTANCE_RULES], pull_b[FF_DISTANCE_RULES]; /* alpha and beta */
} ff_distance;

/* Of two finite shapes. beyond: gaps larger than this need not be exact; *out may then be rough,
 * with a gap that is larger, too. */
void ff_distance_query(ff_distance *out, const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                     const ff_pose *pose_b, double beyond);

/* How the answer changes as a moves: along x, y, z (per m) and about x, y, z through its origin
 * (per rad), world axes. As b moves it is the same with the sign turned, but for common motion. */
typedef struct ff_distance_rate {
  double gap;
  ff_vec3 normal, on_a, on_b;
} ff_distance_rate;

/* False where the answer is not smooth, or not unique: faces on faces, parallel axes. */
bool ff_distance_rates(ff_distance_rate out[6], const ff_distance *at, const ff_geom *a,
                      const ff_pose *pose_a, const ff_geom *b, const ff_pose *pose_b);

#endif
