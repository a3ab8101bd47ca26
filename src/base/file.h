/* The only place that writes files. A file is written beside its target under a name of
 * its own and takes the target's name when it is complete: until then an old file of that
 * name stays, and after a failure nothing half-written does. */
#ifndef FF_BASE_FILE_H
#define FF_BASE_FILE_H

#include "footfall/status.h"

typedef struct ff_file ff_file;

/* Opens a temporary file in the target's folder. Path "-" is the standard output, which is
 * written as it comes. FF_ERROR_FILE (and a report, which may be NULL) if it cannot be. */
ff_status ff_file_create(ff_file **out, const char *path, ff_report *report);
/* Buffered. After a failure every further write fails too, and commit says why. */
ff_status ff_file_write(ff_file *file, const void *bytes, size_t size);
/* Flushes, syncs and renames; frees the file either way. On failure no file is left. */
ff_status ff_file_commit(ff_file *file, ff_report *report);
/* Gives up: removes the temporary file and frees. NULL is fine. */
void ff_file_abandon(ff_file *file);

/* Reads a whole file of at most limit bytes; *out gets a final NUL that size does not count
 * and is freed with ff_free. FF_ERROR_FILE if unreadable, FF_ERROR_INPUT if too large. */
ff_status ff_file_read(char **out, size_t *size, const char *path, size_t limit, ff_report *report);
/* Size in bytes of a regular file that can be read, for a library that reads by path. */
ff_status ff_file_size(size_t *size, const char *path, ff_report *report);

/* For tests, per thread: fail the n-th operation (open, write, sync, rename, read) from now
 * on (0: never), and count them. */
void ff_file_fail_at(long n);
long ff_file_operations(void);

#endif
