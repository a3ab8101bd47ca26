/* Contact manifold of two convex shapes: contact samples with feature ids, depths, weights and
 * their derivatives. Every stepper and the audit read this one.
 *
 * Boxes and polyhedra:
 *   core     the shape eroded by a margin of 2 % of its half thickness, or more where shapes
 *            overlap deeper (geom/core_distance.h); only the normal is taken from it
 *   n        normal, unit, b to a: direction of the distance g of the two cores, unique while g > 0
 *   D        pair depth: minus the signed distance of the shapes (minimum translation)
 *   h(x)     relative height, seen along n: lower side of A minus upper side of B, over the overlap
 *            of the two shadows; h is convex, and K is its epigraph, with vertical walls
 *   samples  the vertices of K: a vertex of A over a face of B, a vertex of B under a face of A, or
 *            an edge of A across an edge of B
 *   t        depth of a sample along n, -h there; its depth d = min(t, D)
 *   w        weight: solid angle of the normal cone of K over that of a quarter of a hemisphere
 *            (geom/cone_weight.h); all weights of a pair sum to N
 *
 * A law that stores E(d) at a depth stores U = sum of w E(d), a continuous function of the poses:
 * the solid angles of a convex body change continuously, and where samples split or merge they have
 * one place and depth. Where cores can be eroded no further and come to overlap (g < r / 4, r the
 * sum of both margins) the samples fade into the pair as a whole, a sample of weight N at depth D:
 *   U = (1 - s) sum w E(d) + s N E(D)    with s = smoothstep(1 - 4 g / r)
 * so that it does not matter there which of several minimum translations is taken.
 *
 * Cylinders and intersections: the same of polyhedra inside them, see geom/facets.h. Capsules: of
 * their axis, with weights of 1 at its ends, see geom/overlay.c; two capsules: manifold_capsules.c.
 * Such shapes can overlap by more than the depths of their samples: then weights are raised, and
 * what is still missing goes to samples of prisms with more sides, of cylinders, and then to the
 * pair as a whole, see ff_whole_weight in geom/manifold_parts.h. Body wholly on a face: the points
 * and the force that it has on a half-space.
 *
 * Half-spaces as B: K is bounded by the lower side of the facets of A (manifold_plane.c). Smooth
 * shapes with anything, boxes and capsules on half-spaces: numbered points with a weight of 1.
 */
#ifndef FF_GEOM_MANIFOLD_H
#define FF_GEOM_MANIFOLD_H

#include "geom/distance.h"
#include "geom/geom.h"

enum { FF_SAMPLES_MAX = 32 }; /* of a pair; see geom/overlay.h if there are more */

/* Law units of a pair with flat faces: a rectangle on a face has four samples of weight 1. */
#define FF_LAW_UNITS_FLAT 4.0

typedef struct ff_sample {
  ff_feature_pair id;
  ff_vec3 point;        /* m, world: halfway between both surfaces, along the normal of the pair */
  ff_vec3 normal;       /* unit, world, b to a: of the feature pair; about along -d_depth.shift */
  ff_vec3 along;        /* unit, world, b to a: depths are measured along it */
  ff_vec3 t1;           /* unit, world, tangent */
  double depth;         /* m; < 0: apart */
  double weight;        /* law units */
  double curvature[2];  /* 1/m, relative principal curvatures; INFINITY at vertices and edges */
  ff_gradient d_depth;  /* 1, m/rad */
  ff_gradient d_weight; /* 1/m, 1/rad */
} ff_sample;

typedef struct ff_manifold {
  ff_vec3 normal;   /* unit, world, b to a: of the cores, or of the minimum translation */
  double depth;     /* m, D; < 0: minus the distance, NAN: not needed */
  double gap;       /* m, g: distance of the cores */
  double law_units; /* N; 0: points with a weight of 1 each */
  double blend;     /* s: 0 samples only, 1 the pair as a whole */
  double spin[2];   /* rad, angle about the axis of a prism that is turned towards the contact, of a
                       and of b (geom/facets.h); NAN: there is none */
  int count;
  ff_sample samples[FF_SAMPLES_MAX]; /* in the order of kind, a, b */
} ff_manifold;

/* Samples with depth > -margin (m); a and b in the order of
 * ff_manifold_in_order. Returns their
 * number. */
int ff_manifold_find(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                     const ff_pose *pose_b, double margin, ff_manifold *out);

/* Derivatives with shifts of a (1, 1/m) and turns of a about its origin (m/rad, 1/rad), b being at
 * rest; column j along or about world axis j. */
typedef struct ff_sample_rates {
  ff_mat3 point[2]; /* of the point */
  ff_mat3 along[2]; /* of the direction that depths are measured along */
} ff_sample_rates;

/* Evaluates the samples with the ids of io at other poses: all of them but their weights, whether
 * or not they are vertices of K there. Not of pairs of numbered points. What a solver asks for
 * again and again. Prisms with a known spin stay as they are in their bodies, others turn towards
 * the contact. rates: of each sample; NULL: not wanted. False: no rates are known of this pair.
 */
bool ff_manifold_evaluate(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                          const ff_pose *pose_b, ff_manifold *io, ff_sample_rates *rates);

/* Derivatives of the normal of a sample, with shifts of a (1/m) and turns of a about its origin
 * (1/rad), b being at rest. Zero where they are not known: of edges that cross, and where shapes
 * are so deep that the normal is not unique. */
void ff_sample_normal_rates(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                            const ff_pose *pose_b, ff_feature_pair id, ff_vec3 normal,
                            ff_mat3 out[2]);

/* Is this the order in which two kinds of shapes are given? A half-space is always b. */
bool ff_manifold_in_order(ff_shape_kind a, ff_shape_kind b);

/* Can samples of a pair of these kinds (in order) be evaluated at other poses? Others have numbered
 * points with a weight of 1. */
bool ff_manifold_has_features(ff_shape_kind a, ff_shape_kind b);

/* Most samples a pair of these kinds can have, in either order; 0: two half-spaces. */
int ff_manifold_limit(ff_shape_kind a, ff_shape_kind b);

#endif
