#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Test hooks: thread-local, so that sims on other threads are not affected. */
static _Thread_local long alloc_count;
static _Thread_local long alloc_fail_at;

enum { ALIGNMENT = 64 };

static int alloc_must_fail(void) {
  alloc_count++;
  if (alloc_fail_at > 0 && --alloc_fail_at == 0) {
    return 1;
  }
  return 0;
}

void *ff_alloc(size_t count, size_t size) {
  if (alloc_must_fail() || (size != 0 && count > (SIZE_MAX - ALIGNMENT) / size)) {
    return NULL;
  }
  size_t bytes = count * size;
  bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  bytes = bytes ? bytes : ALIGNMENT;
  void *block = aligned_alloc(ALIGNMENT, bytes);
  if (block) {
    memset(block, 0, bytes);
  }
  return block;
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
  free(block);
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

void ff_alloc_fail_at(long n) {
  alloc_fail_at = n;
}

long ff_alloc_count(void) {
  return alloc_count;
}
