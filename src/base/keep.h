/* Memory that decides the future of a run, copied out and back.
 *
 * Every module lists its blocks in one function, which serves both directions:
 *
 *   void ff_thing_keep(ff_thing *thing, ff_keep *keep) {
 *     ff_keep_count(keep, "thing.count", &thing->count, thing->capacity);
 *     ff_keep_block(keep, "thing.list", thing->list, thing->count, sizeof *thing->list);
 *   }
 *
 * A count is kept before the blocks that depend on it. Scratch memory is not listed; neither are
 * pointers, which are different in another sim. */
#ifndef FF_BASE_KEEP_H
#define FF_BASE_KEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ff_keep_mode {
  FF_KEEP_SAVE, /* memory -> data; beyond the capacity only counted */
  FF_KEEP_LOAD  /* data -> memory */
} ff_keep_mode;

typedef enum ff_keep_kind { FF_KEEP_DOUBLES, FF_KEEP_INTS, FF_KEEP_BYTES } ff_keep_kind;

/* A block within the data. */
typedef struct ff_keep_part {
  const char *name; /* static text */
  size_t at, count; /* byte of the data, elements */
  size_t size;      /* of an element, bytes */
  ff_keep_kind kind;
} ff_keep_part;

typedef struct ff_keep {
  ff_keep_mode mode;
  unsigned char *data;
  size_t used, capacity; /* bytes */
  ff_keep_part *parts;   /* of a save; beyond the capacity only counted */
  int part_count, part_capacity;
  bool bad; /* of a load: the data do not fit the memory; what follows is not loaded */
} ff_keep;

/* A block of count elements. */
void ff_keep_any(ff_keep *keep, const char *name, void *memory, size_t count, size_t size,
                 ff_keep_kind kind);
/* A count from 0 to most. */
void ff_keep_count(ff_keep *keep, const char *name, int *count, int most);

static inline void ff_keep_numbers(ff_keep *keep, const char *name, double *memory, int count) {
  ff_keep_any(keep, name, memory, (size_t)count, sizeof *memory, FF_KEEP_DOUBLES);
}
static inline void ff_keep_ints(ff_keep *keep, const char *name, int *memory, int count) {
  ff_keep_any(keep, name, memory, (size_t)count, sizeof *memory, FF_KEEP_INTS);
}
/* Structs: compared byte by byte. */
static inline void ff_keep_block(ff_keep *keep, const char *name, void *memory, int count,
                                 size_t size) {
  ff_keep_any(keep, name, memory, (size_t)count, size, FF_KEEP_BYTES);
}

#endif
