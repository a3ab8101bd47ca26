/* File output and input; nothing else in the library opens files. A file is written under a
 * temporary name beside its target and renamed when it is complete: until then an old file of that
 * name stays, and a failure leaves no partial file. */
#ifndef FF_BASE_FILE_H
#define FF_BASE_FILE_H

#include "footfall/status.h"

typedef struct ff_file ff_file;

/* Opens a temporary file in the target's folder. Path "-" is the standard output, written directly.
 * FF_ERROR_FILE (and a report, which may be NULL) if it cannot be opened. */
ff_status ff_file_create(ff_file **out, const char *path, ff_report *report);
/* Buffered write. After a failure every further write fails too, and commit reports the reason. */
ff_status ff_file_write(ff_file *file, const void *bytes, size_t size);
/* The first is committed and abandoned together with the second, which it owns from then on: both
 * appear, or both old files stay (after kill -9 between the two renames the second may be new and
 * the first old). Neither grows. */
void ff_file_join(ff_file *file, ff_file *second);
/* Flushes, syncs and renames; frees the file either way. On failure no file is left. */
ff_status ff_file_commit(ff_file *file, ff_report *report);
/* Removes the temporary file and frees. NULL is allowed. */
void ff_file_abandon(ff_file *file);

/* A file that grows under its own name and can be read at any time. Its first `keep` bytes stay,
 * all after them is cut off; 0: a new file. FF_ERROR_FILE if it is shorter. Commit closes it and
 * leaves it even after a failure; abandon removes it. */
ff_status ff_file_grow(ff_file **out, const char *path, size_t keep, ff_report *report);
/* Hands everything written so far to the operating system. */
ff_status ff_file_flush(ff_file *file);
/* Removes a file; one that does not exist is not an error. */
void ff_file_remove(const char *path);

/* Reads a whole file of at most limit bytes; *out gets a final NUL that size does not count
 * and is freed with ff_free. FF_ERROR_FILE if unreadable, FF_ERROR_INPUT if too large. */
ff_status ff_file_read(char **out, size_t *size, const char *path, size_t limit, ff_report *report);
/* Size in bytes of a readable regular file, for a library that reads by path. */
ff_status ff_file_size(size_t *size, const char *path, ff_report *report);
/* Checksum of its first `size` bytes; tail takes the tail_size bytes after them. */
ff_status ff_file_checksum(const char *path, size_t size, uint64_t *sum, void *tail,
                           size_t tail_size, ff_report *report);

/* Removes temporary files beside this path whose writer was killed. */
void ff_file_remove_stale(const char *path);

/* For tests, per thread: fail the n-th operation (open, write, sync, rename, read) from now
 * on (0: never), and count them. */
void ff_file_fail_at(long n);
long ff_file_operations(void);

#endif
