/* Memory of the last resort.
 *
 * libfyaml, HDF5 and SUNDIALS crash when an allocation inside them fails. The program therefore has
 * its own malloc, calloc and realloc, which pass everything on to the C library, and serve what
 * fails there from a small reserve, so that the library call completes. The library's own blocks
 * (src/base/memory.c) come from aligned_alloc, or from calloc if they are large; these fail as they
 * should, and the run ends in order with "out of memory". If the reserve runs out, too, the program
 * says so and ends.
 *
 * Sanitizers bring their own allocator. */
#include <features.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FF_OTHER_ALLOCATOR
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FF_OTHER_ALLOCATOR
#endif
#endif

#if defined(__GLIBC__) && !defined(FF_OTHER_ALLOCATOR)
#include <dlfcn.h>
#include <malloc.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

enum {
  RESERVE = 16 << 20, /* bytes; the system provides them when they are used */
  LARGE = 1 << 20,    /* blocks from here on, zeroed, are the library's own */
  HEAD = alignof(max_align_t)
};

/* glibc's allocator, for the time before the next one is known. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void __libc_free(void *block);

typedef struct allocator {
  void *(*malloc)(size_t size);
  void *(*calloc)(size_t count, size_t size);
  void *(*realloc)(void *block, size_t size);
  void (*free)(void *block);
} allocator;

static allocator next = {__libc_malloc, __libc_calloc, __libc_realloc, __libc_free};

static alignas(max_align_t) unsigned char reserve[RESERVE];
static atomic_size_t reserve_used;

/* The next definitions, as of a tool that watches or replaces the allocator. */
__attribute__((constructor)) static void reserve_find_next(void) {
  allocator found;
  *(void **)&found.malloc = dlsym(RTLD_NEXT, "malloc");
  *(void **)&found.calloc = dlsym(RTLD_NEXT, "calloc");
  *(void **)&found.realloc = dlsym(RTLD_NEXT, "realloc");
  *(void **)&found.free = dlsym(RTLD_NEXT, "free");
  if (found.malloc && found.calloc && found.realloc && found.free) {
    next = found;
  }
}

static bool reserve_has(const void *block) {
  uintptr_t at = (uintptr_t)block, start = (uintptr_t)reserve;
  return at >= start && at < start + RESERVE;
}

/* A zeroed block, with its size before it; never returned. */
static void *reserve_take(size_t size) {
  size_t whole = size <= RESERVE ? HEAD + (size + HEAD - 1) / HEAD * HEAD : RESERVE + 1;
  size_t at = atomic_fetch_add(&reserve_used, whole);
  if (whole > RESERVE || at > RESERVE - whole) {
    static const char text[] = "footfall: out of memory\n";
    ssize_t said = write(STDERR_FILENO, text, sizeof text - 1);
    (void)said; /* nothing is left to do if it fails */
    _exit(FF_EXIT_FAILED);
  }
  memcpy(reserve + at, &size, sizeof size);
  return reserve + at + HEAD;
}

void *malloc(size_t size) {
  void *block = next.malloc(size);
  return block ? block : reserve_take(size);
}

void *calloc(size_t count, size_t size) {
  void *block = next.calloc(count, size);
  bool absurd = size > 0 && count > SIZE_MAX / size;
  return block || absurd || count * size >= LARGE ? block : reserve_take(count * size);
}

void *realloc(void *block, size_t size) {
  if (size == 0 && block) {
    free(block);
    return NULL;
  }
  bool own = reserve_has(block);
  void *grown = own ? next.malloc(size) : next.realloc(block, size);
  if (grown && !own) {
    return grown;
  }
  grown = grown ? grown : reserve_take(size);
  if (own) {
    size_t before;
    memcpy(&before, (unsigned char *)block - HEAD, sizeof before);
    memcpy(grown, block, before < size ? before : size);
  } else if (block) {
    memcpy(grown, block, malloc_usable_size(block) < size ? malloc_usable_size(block) : size);
    next.free(block);
  }
  return grown;
}

void free(void *block) {
  if (!reserve_has(block)) {
    next.free(block);
  }
}
#else
typedef int ff_no_reserve; /* a file of C is not empty */
#endif
