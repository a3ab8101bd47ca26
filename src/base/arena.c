#include "base/arena.h"

#include "base/memory.h"

#include <stdint.h>
#include <string.h>

struct ff_arena_block {
  _Alignas(64) ff_arena_block *next;
  size_t used, size; /* bytes of data */
  _Alignas(64) unsigned char data[];
};

enum { BLOCK_SIZE = 1 << 14, SMALL_ALIGN = 16, LARGE_ALIGN = 64 };

static size_t arena_round_up(size_t n, size_t to) {
  return (n + to - 1) / to * to;
}

static void *arena_take_bytes(ff_arena *arena, size_t bytes, size_t align) {
  ff_arena_block *block = arena->blocks;
  size_t start = block ? arena_round_up(block->used, align) : 0;
  if (!block || start > block->size || block->size - start < bytes) {
    size_t capacity = bytes > BLOCK_SIZE ? bytes : BLOCK_SIZE;
    block = ff_alloc(1, sizeof *block + capacity);
    if (!block) {
      return NULL;
    }
    block->next = arena->blocks;
    block->size = capacity;
    arena->blocks = block;
    start = 0;
  }
  block->used = start + bytes;
  return block->data + start;
}

void *ff_arena_take(ff_arena *arena, size_t count, size_t size) {
  if (size != 0 && count > (SIZE_MAX / 2) / size) {
    return NULL;
  }
  return arena_take_bytes(arena, count * size,
                          count * size >= LARGE_ALIGN ? LARGE_ALIGN : SMALL_ALIGN);
}

bool ff_arena_take_all(ff_arena *arena, const ff_arena_array *arrays, size_t count) {
  for (size_t i = 0; i < count; i++) {
    void *array = ff_arena_take(arena, arrays[i].count, arrays[i].size);
    if (!array) {
      return false;
    }
    memcpy(arrays[i].to, &array, sizeof array);
  }
  return true;
}

char *ff_arena_text(ff_arena *arena, const char *text, size_t size) {
  char *copy = size < SIZE_MAX / 2 ? arena_take_bytes(arena, size + 1, 1)
                                   : NULL; /* no padding between texts */
  if (copy) {
    memcpy(copy, text, size);
  }
  return copy;
}

void ff_arena_free(ff_arena *arena) {
  for (ff_arena_block *block = arena->blocks; block;) {
    ff_arena_block *next = block->next;
    ff_free(block);
    block = next;
  }
  arena->blocks = NULL;
}
