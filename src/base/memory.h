/* Allocation; nothing else in the library allocates. Memory is zeroed and counted, and tests can
 * make an allocation fail. */
#ifndef FF_BASE_MEMORY_H
#define FF_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* count * size bytes, zeroed, 64-byte aligned; NULL if impossible (also on overflow). */
void *ff_alloc(size_t count, size_t size);
/* Grows or shrinks a block of ff_alloc; new bytes are zero. On failure the old block stays. */
void *ff_resize(void *block, size_t old_count, size_t new_count, size_t size);
/* Ensures capacity for count + 1 elements; a full list doubles. False: out of memory, the list is
 * unchanged. */
bool ff_grow(void **list, size_t count, size_t *capacity, size_t size);
void ff_free(void *block);
/* Copy of a string; NULL if text is NULL or memory is exhausted. */
char *ff_strdup(const char *text);

/* Are `bytes` bytes available now? Checked before calls of libraries that crash without memory. */
bool ff_memory_is_there(size_t bytes);

/* For tests, per thread: fails the n-th allocation from now on (0: never), and counts allocations.
 */
void ff_alloc_fail_at(long n);
long ff_alloc_count(void);

#endif
