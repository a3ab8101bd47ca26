#include "model/names.h"

#include <stdlib.h>
#include <string.h>

typedef struct entry {
  const char *name;
  int index;
} entry;

static int compare_names(const void *a, const void *b) {
  const entry *x = a, *y = b;
  int order = strcmp(x->name, y->name);
  return order ? order : x->index - y->index;
}

bool ff_names_make(ff_names *out, ff_arena *arena, const char *const *names, int count) {
  entry *entries = ff_arena_take(arena, (size_t)count, sizeof *entries);
  out->order = ff_arena_take(arena, (size_t)count, sizeof *out->order);
  if (!entries || !out->order) {
    return false;
  }
  for (int i = 0; i < count; i++) {
    entries[i] = (entry){names[i], i};
  }
  qsort(entries, (size_t)count, sizeof *entries, compare_names);
  for (int i = 0; i < count; i++) {
    out->order[i] = entries[i].index;
  }
  out->names = names;
  out->count = count;
  return true;
}

int ff_names_find(const ff_names *names, const char *name) {
  int low = 0, high = names->count; /* first entry not before name */
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (strcmp(names->names[names->order[middle]], name) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  bool found = low < names->count && strcmp(names->names[names->order[low]], name) == 0;
  return found ? names->order[low] : -1;
}

int ff_names_twin(const ff_names *names) {
  for (int i = 1; i < names->count; i++) {
    if (strcmp(names->names[names->order[i - 1]], names->names[names->order[i]]) == 0) {
      return names->order[i];
    }
  }
  return -1;
}
