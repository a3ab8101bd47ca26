/* Finding things by name: a sorted index over an array of names. */
#ifndef FF_MODEL_NAMES_H
#define FF_MODEL_NAMES_H

#include "base/arena.h"

#include <stdbool.h>

typedef struct ff_names {
  const char *const *names; /* in their own order */
  int *order;               /* sorted */
  int count;
} ff_names;

/* False when memory is out. */
bool ff_names_make(ff_names *out, ff_arena *arena, const char *const *names, int count);
/* Index of a name, -1 if unknown. Of equal names the first. */
int ff_names_find(const ff_names *names, const char *name);
/* Index of the second of two equal names; -1 if all differ. */
int ff_names_twin(const ff_names *names);

#endif
