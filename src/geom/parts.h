/* Convex bodies that are the intersection of others. */
#ifndef FF_GEOM_PARTS_H
#define FF_GEOM_PARTS_H

#include "geom/geom.h"

struct ff_parts {
  int count;
  const ff_geom *geoms;
  const ff_pose *poses;  /* in the frame of the whole, whose origin is its centroid */
  const int *first_rule; /* count + 1, see geom/implicit.h */
  int rule_count;
  double volume;         /* m^3, to about 1e-5 of it, as the inertia */
  ff_vec3 inertia;       /* m^5, of unit density, principal */
  double bound;          /* m */
  double inside;         /* m, radius of the ball about the origin that fits in */
  const ff_hull *facets; /* hull of corners on the rims of flat faces; NULL: there is none */
  ff_pose facets_pose;
};

/* The members must be whole in their own frames, as ff_geom_make gives them; poses are where these
 * are in the frame of the definition. */
ff_status ff_parts_make(ff_parts *out, ff_vec3 *extent, ff_pose *frame, const ff_geom *geoms,
                        ff_pose *poses, int count, ff_arena *arena, ff_report *report);

/* Gives an intersection that has flat faces its facets. */
ff_status ff_parts_find_facets(ff_parts *parts, ff_arena *arena);

/* As ff_geom_support, by an interior-point method: to about 1e-12 of its size where the
 * surface is smooth or a corner. Of a flat face that lies across the direction it gives a point in
 * the middle. */
ff_vec3 ff_parts_support(const ff_geom *geom, ff_vec3 direction);

#endif
