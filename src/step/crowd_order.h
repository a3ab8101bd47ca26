/* Order in which contacts are solved: by island, and in large islands by colour.
 *
 * Contacts that share no mover may be solved at the same time. In a large island each contact gets
 * the lowest colour that no contact of its movers has, in the order of the list; those of robots,
 * and what 63 colours do not suffice for, come last and are solved one after the other. The order
 * depends on the list only, never on the number of threads [Fratarcangeli16]. */
#ifndef FF_STEP_CROWD_ORDER_H
#define FF_STEP_CROWD_ORDER_H

#include "base/arena.h"
#include "footfall/status.h"

#include <stdbool.h>
#include <stdint.h>

enum {
  FF_CROWD_LEAST = 64,  /* contacts of a large island */
  FF_CROWD_COLOURS = 64 /* the last one is solved serially */
};

/* Movers of a contact; -1: does not move. */
typedef struct ff_crowd_link {
  int a, b;
} ff_crowd_link;

typedef struct ff_crowd_island {
  int first, count; /* in order */
  int colours;      /* first of its FF_CROWD_COLOURS + 1 starts in colour_start; -1: not large */
} ff_crowd_island;

typedef struct ff_crowd {
  ff_crowd_link *links; /* contact_capacity, filled by the caller */
  int *order;           /* contact_capacity: contacts */
  ff_crowd_island *islands;
  int island_count;
  int *colour_start;
  /* workspace */
  int *spare;           /* contact_capacity */
  unsigned char *shade; /* contact_capacity: colours */
  int *parent;          /* mover_count */
  int *island_of;       /* mover_count */
  uint64_t *mask;       /* mover_count: colours in use */
  int mover_count, free_count;
} ff_crowd;

/* Movers from free_count on are robots. */
ff_status ff_crowd_make(ff_crowd *out, ff_arena *arena, int contact_capacity, int mover_count,
                        int free_count);
/* Sorts contacts 0 .. count-1. */
void ff_crowd_sort(ff_crowd *crowd, int count);

#endif
