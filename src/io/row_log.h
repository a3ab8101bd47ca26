/* Log of a recording under way: FILE.part, which only grows and can be read at any time.
 *
 * Blocks, each with its length and checksum: a head (texts of the recording and names of its
 * channels), then rows. A block that was cut off by a crash ends the log; all before it is good. */
#ifndef FF_IO_ROW_LOG_H
#define FF_IO_ROW_LOG_H

#include "footfall/io.h"
#include "io/tables.h"

typedef struct ff_row_log ff_row_log;

/* Starts a log. */
ff_status ff_row_log_create(ff_row_log **out, const char *path, const ff_recording_info *info,
                            ff_report *report);
/* Goes on with a log of this recording after its first `keep` bytes. */
ff_status ff_row_log_resume(ff_row_log **out, const char *path, const ff_recording_info *info,
                            size_t keep, ff_report *report);
/* Rows go to the file when a block is full, or when flushed. */
ff_status ff_row_log_add(ff_row_log *log, const double *row);
ff_status ff_row_log_flush(ff_row_log *log);
/* Rows of a table, which go to the file as one block. */
ff_status ff_row_log_add_to(ff_row_log *log, ff_table_kind table, const void *rows, size_t count);
/* Gives the rows of the tables in the first `size` bytes of a log to a recorder. */
ff_status ff_row_log_replay(const char *path, size_t size, ff_recorder *recorder,
                            ff_report *report);
/* Bytes of the file after a flush. */
size_t ff_row_log_size(const ff_row_log *log);
/* Closes and frees it. remove: the recording is complete, or nothing is to stay. */
void ff_row_log_close(ff_row_log *log, bool remove);

#endif
