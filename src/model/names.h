/* Lookup by name: a sorted index over an array of names. */
#ifndef FF_MODEL_NAMES_H
#define FF_MODEL_NAMES_H

#include "base/arena.h"

#include <stdbool.h>

typedef struct ff_names {
  const char *const *names; /* in the original order */
  int *order;               /* sorted order */
  int count;
} ff_names;

/* False if out of memory. */
bool ff_names_make(ff_names *out, ff_arena *arena, const char *const *names, int count);
/* Index of a name, -1 if unknown; of equal names the first. */
int ff_names_find(const ff_names *names, const char *name);
/* Index of the second of two equal names; -1 if all are distinct. */
int ff_names_twin(const ff_names *names);

#endif
