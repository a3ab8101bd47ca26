/* Which of many bodies may touch: pairs of bounding spheres that overlap.
 *
 * Sort and sweep along the axis on which the centres spread most, in strips across the
 * second one as wide as the largest sphere: linear in the number of spheres when they are of
 * a size and spread over a plane, of the power 1.2 in a cloud. A few that are much larger than the
 * rest are looked at apart. The order is kept from call to call, so that sorting
 * costs next to nothing while bodies move little.
 * The answer depends on the spheres of this call alone, never on the calls before it.
 */
#ifndef FF_GEOM_BROAD_H
#define FF_GEOM_BROAD_H

#include "footfall/status.h"

typedef struct ff_broad ff_broad;

typedef struct ff_broad_pair {
  int i, j; /* i < j */
} ff_broad_pair;

/* For this many spheres. Allocates all that ff_broad_pairs will need. */
ff_status ff_broad_create(ff_broad **out, int count);
void ff_broad_destroy(ff_broad *broad); /* NULL is fine */

/* Pairs whose centres are no farther apart than their radii together, ordered by i and
 * then by j. Spheres must be finite: what has no bound (a half-space) is not put in. To
 * find what is within a margin, add half of it to every radius; with margin 0, no pair of
 * spheres for which ff_geom_touch finds a point is missed to rounding. Returns how many
 * there are; if that is more than capacity, what out holds is of no use. */
int ff_broad_pairs(ff_broad *broad, const ff_vec3 *centre, const double *radius, ff_broad_pair *out,
                   int capacity);

#endif
