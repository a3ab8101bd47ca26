/* Vertices of K (geom/manifold.h): the overlay of the lower side of one polyhedron and the upper
 * side of another, both seen along z. */
#ifndef FF_GEOM_OVERLAY_H
#define FF_GEOM_OVERLAY_H

#include "geom/cone_weight.h"
#include "geom/feature_pair.h"
#include "geom/manifold.h"
#include "geom/polytope.h"

/* A vertex of K, in the frame of the contact. */
typedef struct ff_overlay_sample {
  ff_feature_pair id;
  ff_feature_depth at;
  double weight;          /* over N */
  ff_cone_rate d_weight;  /* derivatives of the weight: turns about the origin, */
  ff_vec3 d_weight_shift; /* 1/m; 0 unless it has the weight of samples that were dropped */
} ff_overlay_sample;

/* Samples with depth > -margin. Returns their number, at most limit: the deepest if there are
 * more, of which the shallowest has the weight of the others, see overlay.c. */
int ff_overlay(const ff_polytope *a, const ff_polytope *b, double margin, int limit,
               ff_overlay_sample *out);

/* The same of a over the plane z = 0, of which vertices of a only are samples. */
int ff_overlay_plane(const ff_polytope *a, double margin, int limit, ff_overlay_sample *out);

/* The same of a segment over b, in place of a: vertices 0 and 1 are its ends, edge 0 is all of it.
 * Weights over N = 2; they sum to 1, or to less where the segment leans by more than 30 degrees: to
 * the weight of *fade. */
int ff_overlay_segment(const ff_vec3 ends[2], const ff_polytope *b, double margin, int limit,
                       ff_overlay_sample *out, ff_overlay_sample *fade);

#endif
