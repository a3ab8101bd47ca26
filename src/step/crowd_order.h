/* Order in which the contacts of large islands are solved: by island, in it by colour.
 *
 * Contacts of one colour share no moving body and may be solved at the same time. Each contact gets
 * the lowest colour that no contact of its bodies has, in the order of the list; what the colours
 * do not suffice for comes last and is solved serially. The order depends on the list only, never
 * on the number of threads [Fratarcangeli16]. */
#ifndef FF_STEP_CROWD_ORDER_H
#define FF_STEP_CROWD_ORDER_H

#include "base/arena.h"
#include "footfall/status.h"

#include <stdbool.h>
#include <stdint.h>

enum {
  FF_CROWD_LEAST = 64,  /* contacts of a large island, mostly */
  FF_CROWD_COLOURS = 64 /* the last one is solved serially */
};

/* A contact. */
typedef struct ff_crowd_link {
  int meet, near, point; /* in the state */
  int a, b;              /* movers (step/rows.h); -1: does not move */
  bool apart;            /* the crowd solver does not know its laws or its bodies */
} ff_crowd_link;

typedef struct ff_crowd_island {
  int first, count; /* in order */
  int colours;      /* first of its starts in colour_start; -1: not large */
  bool apart;       /* as that of a contact in it */
  int sweeps;       /* of its solution, */
  double residual;  /* 1, and its last change over the largest force */
} ff_crowd_island;

typedef struct ff_crowd_order {
  ff_crowd_link *links; /* contact_capacity, filled by the caller */
  int count;
  int *order; /* contact_capacity: numbers of links; those of large islands come first */
  int large_count;
  ff_crowd_island *islands;
  int island_count;
  int *colour_start; /* 2 * contact_capacity: places within the island, of its colours in turn; the
                      * last one is its count */
  /* workspace */
  int *spare;           /* contact_capacity */
  unsigned char *shade; /* contact_capacity: colours */
  int *parent;          /* mover_count */
  int *island_of;       /* mover_count */
  uint64_t *mask;       /* mover_count: colours in use */
  int mover_count;
  int least; /* contacts of a large island */
} ff_crowd_order;

ff_status ff_crowd_order_make(ff_crowd_order *out, ff_arena *arena, int contact_capacity,
                              int mover_count, int least);
/* Finds and sorts the large islands among the links: `least` contacts or more, none of them apart.
 */
void ff_crowd_sort(ff_crowd_order *crowd);

#endif
