/* Weight of a contact sample: solid angle of the normal cone of K (geom/manifold.h) there.
 *
 *   w = N (omega(C) - omega(L C) / sigma) / (2 pi (1 - 1 / sigma))
 * C is spanned by the outward normals of the facets of K that meet in the sample, L stretches it by
 * sigma along z, omega is the solid angle. The cones of all samples tile the lower half sphere, so
 * weights sum to N. The second term takes weight off nearly horizontal directions: without it the
 * energy would have a crease where a body lies flat. */
#ifndef FF_GEOM_CONE_WEIGHT_H
#define FF_GEOM_CONE_WEIGHT_H

#include "math/vec.h"

enum { FF_CONE_VECTORS = 260 }; /* faces around a vertex, and two walls */

/* A generator of the cone, not unit, and which parts of the bodies it depends on. z is along the
 * normal of the pair. */
typedef struct ff_cone_vector {
  ff_vec3 v;
  ff_vec3 of_a, of_b; /* face: unit normals of a and b; wall: edge of a or b, the other is 0 */
  bool wall;
} ff_cone_vector;

/* Derivative of a weight. */
typedef struct ff_cone_rate {
  ff_vec3 turn;   /* per rad of a, at a constant normal of the pair */
  ff_vec3 normal; /* per change of the normal of the pair */
} ff_cone_rate;

/* Facet of K where a lower face of a, normal u, is over an upper face of b, normal w. */
static inline ff_cone_vector ff_cone_facet(ff_vec3 u, ff_vec3 w) {
  return (ff_cone_vector){
      .v = v3(w.z * u.x - u.z * w.x, w.z * u.y - u.z * w.y, u.z * w.z), .of_a = u, .of_b = w};
}
/* Vertical wall of K over a silhouette edge of a, or of b: outward from the shadow. along: the
 * edge, counterclockwise about the lower face of a or the upper face of b. */
static inline ff_cone_vector ff_cone_wall_a(ff_vec3 along) {
  return (ff_cone_vector){.v = v3(-along.y, along.x, 0), .of_a = along, .wall = true};
}
static inline ff_cone_vector ff_cone_wall_b(ff_vec3 along) {
  return (ff_cone_vector){.v = v3(along.y, -along.x, 0), .of_b = along, .wall = true};
}

/* Weight over N of the cone with these generators, in their order around it; rate may be NULL. */
double ff_cone_weight(const ff_cone_vector *vectors, int count, ff_cone_rate *rate);

#endif
