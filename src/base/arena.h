/* Arena allocator: memory is taken piece by piece and freed all at once. */
#ifndef FF_BASE_ARENA_H
#define FF_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ff_arena_block ff_arena_block;

/* Zero-initialised: an empty arena. */
typedef struct ff_arena {
  ff_arena_block *blocks;
} ff_arena;

/* count * size zeroed bytes, 64-byte aligned if large; NULL if out of memory. */
void *ff_arena_take(ff_arena *arena, size_t count, size_t size);
/* An array that is wanted: FF_ARRAY(pointer to it, number of elements). */
typedef struct ff_arena_array {
  void **to;
  size_t count, size;
} ff_arena_array;
#define FF_ARRAY(pointer, count)                                                                   \
  { (void **)&(pointer), count, sizeof *(pointer) }
/* Takes all of a table of arrays. False: out of memory. */
bool ff_arena_take_all(ff_arena *arena, const ff_arena_array *arrays, size_t count);
/* Copy of size bytes of text, terminated. */
char *ff_arena_text(ff_arena *arena, const char *text, size_t size);
void ff_arena_free(ff_arena *arena);

#endif
