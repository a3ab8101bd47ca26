/* The only place that allocates. Zeroed memory, counted, and able to fail on purpose. */
#ifndef FF_BASE_MEMORY_H
#define FF_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* count * size bytes, zeroed, 64-byte aligned; NULL if impossible (also on overflow). */
void *ff_alloc(size_t count, size_t size);
/* Grows or shrinks what ff_alloc gave; new bytes are zero. The old block stays on failure. */
void *ff_resize(void *block, size_t old_count, size_t new_count, size_t size);
/* Room for one more behind so many in a list: a full one doubles. False: memory is out, and the
 * list as it was. */
bool ff_grow(void **list, size_t count, size_t *room, size_t size);
void ff_free(void *block);
/* Copy of a string; NULL if text is NULL or memory is out. */
char *ff_strdup(const char *text);

/* Could so many bytes be had now? Asked before a library is called that does not survive without.
 */
bool ff_memory_is_there(size_t bytes);

/* For tests, per thread: fail the n-th allocation from now on (0: never), and count. */
void ff_alloc_fail_at(long n);
long ff_alloc_count(void);

#endif
