/* Broad phase: which of many shapes may touch. Pairs of boxes that overlap.
 *
 * Boxes are sorted into grids, one for each power of two of their size, by their lower corner. A
 * box looks at the cells around it in its own grid and in those of larger boxes: linear in the
 * number of boxes, whatever their sizes are. Grids are periodic, so that one body that flies away
 * does not make them large. The result depends on the boxes of this call only, never on earlier
 * calls. */
#ifndef FF_GEOM_BROAD_H
#define FF_GEOM_BROAD_H

#include "footfall/status.h"

typedef struct ff_broad ff_broad;

typedef struct ff_box {
  ff_vec3 low, high; /* m, world; finite */
} ff_box;

typedef struct ff_broad_pair {
  int i, j; /* i < j */
} ff_broad_pair;

/* For this many boxes. */
ff_status ff_broad_create(ff_broad **out, int count);
void ff_broad_destroy(ff_broad *broad); /* NULL is allowed */

/* Pairs of boxes that overlap or touch and whose groups differ, ordered by i, then by j. *pairs may
 * be changed, and is valid until the next call. What has no bound (a half-space) is not a box.
 * FF_ERROR_MEMORY: no memory for the pairs. */
ff_status ff_broad_find(ff_broad *broad, const ff_box *boxes, const int *groups,
                        ff_broad_pair **pairs, int *count);

#endif
