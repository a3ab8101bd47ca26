#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Test hooks: thread-local, so that sims on other threads are not affected. */
static _Thread_local long alloc_count;
static _Thread_local long alloc_fail_at;

/* Blocks of this size and more come zeroed from the system: capacity that is never used takes no
 * memory and no time. */
enum { ALIGNMENT = 64, LARGE = 1 << 20 };

static int alloc_must_fail(void) {
  alloc_count++;
  if (alloc_fail_at > 0 && --alloc_fail_at == 0) {
    return 1;
  }
  return 0;
}

/* Stores the pointer from the C library right before the block. */
static void *alloc_place(char *given, char *block) {
  memcpy(block - sizeof given, &given, sizeof given);
  return block;
}

void *ff_alloc(size_t count, size_t size) {
  if (alloc_must_fail() || (size != 0 && count > (SIZE_MAX - 3 * ALIGNMENT) / size)) {
    return NULL;
  }
  size_t bytes = count * size;
  bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  bytes = bytes ? bytes : ALIGNMENT;
  bool large = bytes >= LARGE;
  char *given =
      large ? calloc(1, bytes + 2 * ALIGNMENT) : aligned_alloc(ALIGNMENT, bytes + ALIGNMENT);
  if (!given) {
    return NULL;
  }
  if (large) {
    return alloc_place(given, given + 2 * ALIGNMENT - (uintptr_t)given % ALIGNMENT);
  }
  memset(given, 0, bytes + ALIGNMENT);
  return alloc_place(given, given + ALIGNMENT);
}

void *ff_resize(void *block, size_t old_count, size_t new_count, size_t size) {
  void *fresh = ff_alloc(new_count, size);
  if (fresh && block) {
    memcpy(fresh, block, (old_count < new_count ? old_count : new_count) * size);
    ff_free(block);
  }
  return fresh;
}

bool ff_grow(void **list, size_t count, size_t *capacity, size_t size) {
  if (count < *capacity) {
    return true;
  }
  size_t larger = *capacity ? 2 * *capacity : 16;
  void *fresh = ff_resize(*list, count, larger, size);
  if (fresh) {
    *list = fresh;
    *capacity = larger;
  }
  return fresh != NULL;
}

void ff_free(void *block) {
  if (block) {
    char *given;
    memcpy(&given, (char *)block - sizeof given, sizeof given);
    free(given);
  }
}

char *ff_strdup(const char *text) {
  if (!text) {
    return NULL;
  }
  size_t length = strlen(text) + 1;
  char *copy = ff_alloc(length, 1);
  if (copy) {
    memcpy(copy, text, length);
  }
  return copy;
}

/* Not by ff_alloc: zeroing a block that nobody uses took a quarter of a short run. */
bool ff_memory_is_there(size_t bytes) {
  if (alloc_must_fail()) {
    return false;
  }
  void *block = aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
  free(block);
  return block != NULL;
}

void ff_alloc_fail_at(long n) {
  alloc_fail_at = n;
}

long ff_alloc_count(void) {
  return alloc_count;
}
