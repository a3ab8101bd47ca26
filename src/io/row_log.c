#include "io/row_log.h"

#include "base/checksum.h"
#include "base/memory.h"
#include "base/report.h"
#include "io/recorder.h"

#include <string.h>

enum { LOG_ROWS_BYTES = 1 << 16, LOG_HEAD = 1, LOG_ROWS = 2, LOG_TABLES = 3 };
static const size_t log_bytes_max = (size_t)1 << (sizeof(size_t) > 4 ? 40 : 31);

typedef struct log_block {
  char mark[4]; /* "ffb1" */
  uint32_t kind;
  uint64_t size;     /* bytes that follow */
  uint64_t checksum; /* of all above, and of those */
} log_block;

struct ff_row_log {
  ff_file *file;
  size_t size; /* bytes of all blocks written */
  int count;   /* channels */
  double *rows;
  int held, capacity; /* rows */
};

static uint64_t log_checksum(const log_block *block, const void *bytes) {
  return ff_checksum(ff_checksum(0, block, offsetof(log_block, checksum)), bytes,
                     (size_t)block->size);
}

static ff_status log_write_block(ff_row_log *log, uint32_t kind, const void *bytes, size_t size) {
  log_block block = {.mark = {'f', 'f', 'b', '1'}, .kind = kind, .size = size};
  block.checksum = log_checksum(&block, bytes);
  ff_status status = ff_file_write(log->file, &block, sizeof block);
  status = status == FF_OK ? ff_file_write(log->file, bytes, size) : status;
  log->size += sizeof block + size;
  return status;
}

/* ---- head ------------------------------------------------------------------------------------ */

/* Texts of the head, each with its NUL: version, scene, file, then name and unit of each channel.
 * Written to out unless NULL; returns the bytes. */
static size_t log_pack_head(const ff_recording_info *info, char *out) {
  size_t used = 0;
  for (int i = 0; i < 3 + 2 * info->count; i++) {
    const char *const first[3] = {FOOTFALL_VERSION, info->scene, info->file};
    const char *text = i < 3 ? first[i] : (i % 2 ? info->names : info->units)[(i - 3) / 2];
    size_t size = strlen(text ? text : "") + 1;
    if (out) {
      memcpy(out + used, text ? text : "", size);
    }
    used += size;
  }
  return used;
}

static ff_status log_make(ff_row_log **out, const ff_recording_info *info) {
  ff_row_log *log = *out = ff_alloc(1, sizeof *log);
  if (!log) {
    return FF_ERROR_MEMORY;
  }
  size_t row = (size_t)info->count * sizeof(double);
  log->count = info->count;
  log->capacity = row < LOG_ROWS_BYTES ? (int)(LOG_ROWS_BYTES / row) : 1;
  log->rows = ff_alloc((size_t)log->capacity * (size_t)log->count, sizeof *log->rows);
  return log->rows ? FF_OK : FF_ERROR_MEMORY;
}

void ff_row_log_close(ff_row_log *log, bool remove) {
  if (log) {
    if (log->file && remove) {
      ff_file_abandon(log->file);
    } else if (log->file) {
      ff_row_log_flush(log);
      ff_file_commit(log->file, NULL);
    }
    ff_free(log->rows);
    ff_free(log);
  }
}

/* Closes a file in which a write failed, with the reason. */
static ff_status log_fail(ff_row_log *log, ff_status status, ff_report *report) {
  if (status == FF_ERROR_FILE && log->file) {
    ff_file_commit(log->file, report);
    log->file = NULL;
  }
  return status;
}

ff_status ff_row_log_create(ff_row_log **out, const char *path, const ff_recording_info *info,
                            ff_report *report) {
  ff_status status = log_make(out, info);
  size_t size = log_pack_head(info, NULL);
  char *head = status == FF_OK ? ff_alloc(size, 1) : NULL;
  status = head ? ff_file_grow(&(*out)->file, path, 0, report) : FF_ERROR_MEMORY;
  if (status == FF_OK) {
    log_pack_head(info, head);
    status = log_write_block(*out, LOG_HEAD, head, size);
    status = status == FF_OK ? ff_file_flush((*out)->file) : status;
    status = log_fail(*out, status, report);
  }
  ff_free(head);
  if (status != FF_OK) {
    ff_row_log_close(*out, true);
    *out = NULL;
  }
  return status;
}

ff_status ff_row_log_resume(ff_row_log **out, const char *path, const ff_recording_info *info,
                            size_t keep, ff_report *report) {
  ff_status status = log_make(out, info);
  status = status == FF_OK ? ff_file_grow(&(*out)->file, path, keep, report) : status;
  if (status != FF_OK) {
    ff_row_log_close(*out, false);
    *out = NULL;
    return status;
  }
  (*out)->size = keep;
  return FF_OK;
}

/* ---- rows ------------------------------------------------------------------------------------ */

ff_status ff_row_log_flush(ff_row_log *log) {
  ff_status status = FF_OK;
  if (log->held > 0) {
    size_t bytes = (size_t)log->held * (size_t)log->count * sizeof *log->rows;
    status = log_write_block(log, LOG_ROWS, log->rows, bytes);
    log->held = 0;
  }
  return status == FF_OK ? ff_file_flush(log->file) : status;
}

ff_status ff_row_log_add(ff_row_log *log, const double *row) {
  memcpy(log->rows + (size_t)log->held * (size_t)log->count, row, (size_t)log->count * sizeof *row);
  return ++log->held == log->capacity ? ff_row_log_flush(log) : FF_OK;
}

ff_status ff_row_log_add_to(ff_row_log *log, ff_table_kind table, const void *rows, size_t count) {
  return count > 0 ? log_write_block(log, LOG_TABLES + (uint32_t)table, rows,
                                     count * ff_table_row_size(table))
                   : FF_OK;
}

size_t ff_row_log_size(const ff_row_log *log) {
  return log->size;
}

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct log_reader {
  const char *bytes;
  size_t size, at;
} log_reader;

/* The next whole block; false: there is none. */
static bool log_next(log_reader *in, log_block *block, const char **payload) {
  if (in->size - in->at < sizeof *block) {
    return false;
  }
  memcpy(block, in->bytes + in->at, sizeof *block);
  *payload = in->bytes + in->at + sizeof *block;
  if (memcmp(block->mark, "ffb1", 4) != 0 || block->size > in->size - in->at - sizeof *block ||
      block->checksum != log_checksum(block, *payload)) {
    return false;
  }
  in->at += sizeof *block + (size_t)block->size;
  return true;
}

/* The next text of a head; NULL: there is none. */
static char *log_take_text(const char **at, const char *end) {
  const char *text = *at, *stop = text < end ? memchr(text, 0, (size_t)(end - text)) : NULL;
  *at = stop ? stop + 1 : end;
  return stop ? ff_strdup(text) : NULL;
}

static ff_status log_read_head(ff_recording *recording, const log_block *block, const char *head,
                               const char *path, ff_report *report) {
  const char *at = head, *end = head + block->size;
  int texts = 0;
  for (size_t i = 0; i < block->size && texts < 3 + 2 * FF_RECORDING_CHANNELS_MAX; i++) {
    texts += head[i] == 0;
  }
  if (texts < 5 || (texts - 3) % 2 != 0) {
    return ff_recording_bad(report, path, "is not the log of a recording");
  }
  ff_free(log_take_text(&at, end)); /* version */
  recording->scene = log_take_text(&at, end);
  recording->file = log_take_text(&at, end);
  recording->summary = ff_strdup("");
  recording->incomplete = ff_strdup("the run is under way, or was killed");
  ff_status status = ff_recording_reserve(recording, (texts - 3) / 2);
  for (int i = 0; i < recording->info.count && status == FF_OK; i++) {
    recording->names[i] = log_take_text(&at, end);
    recording->units[i] = log_take_text(&at, end);
    status = recording->names[i] && recording->units[i] ? FF_OK : FF_ERROR_MEMORY;
  }
  bool all = recording->scene && recording->file && recording->summary && recording->incomplete;
  return all ? status : FF_ERROR_MEMORY;
}

static ff_status log_read_rows(ff_recording *recording, log_reader in) {
  size_t width = (size_t)recording->info.count, row = width * sizeof(double);
  log_block block;
  const char *payload;
  size_t rows = 0, at = 0;
  for (log_reader count = in; log_next(&count, &block, &payload);) {
    rows += block.kind == LOG_ROWS ? (size_t)block.size / row : 0;
  }
  for (size_t i = 0; i < width; i++) {
    recording->columns[i] = ff_alloc(rows, sizeof(double));
    if (!recording->columns[i]) {
      return FF_ERROR_MEMORY;
    }
  }
  while (log_next(&in, &block, &payload)) {
    for (size_t k = 0; block.kind == LOG_ROWS && k < (size_t)block.size / row; k++, at++) {
      for (size_t i = 0; i < width; i++) {
        memcpy(&recording->columns[i][at], payload + k * row + i * sizeof(double), sizeof(double));
      }
    }
  }
  recording->rows = (long)rows;
  return FF_OK;
}

ff_status ff_recording_read_log(ff_recording *recording, const char *path, ff_report *report) {
  char *bytes;
  log_reader in = {0};
  ff_status status = ff_file_read(&bytes, &in.size, path, log_bytes_max, report);
  if (status != FF_OK) {
    return status;
  }
  in.bytes = bytes;
  log_block block;
  const char *payload;
  if (log_next(&in, &block, &payload) && block.kind == LOG_HEAD) {
    status = log_read_head(recording, &block, payload, path, report);
    status = status == FF_OK ? log_read_rows(recording, in) : status;
  } else {
    status = ff_recording_bad(report, path, "is not the log of a recording");
  }
  ff_free(bytes);
  return status;
}

static ff_status log_replay_block(const log_block *block, const char *payload,
                                  ff_recorder *recorder) {
  ff_table_kind kind = (ff_table_kind)(block->kind - LOG_TABLES);
  if (block->kind < LOG_TABLES || kind >= FF_TABLE_COUNT) {
    return FF_OK;
  }
  union {
    ff_event_row event;
    ff_contact_row contact;
  } row;
  size_t size = ff_table_row_size(kind);
  ff_status status = FF_OK;
  for (size_t at = 0; at + size <= block->size && status == FF_OK; at += size) {
    memcpy(&row, payload + at, size);
    status = ff_recorder_add_to(recorder, kind, &row);
  }
  return status;
}

ff_status ff_row_log_replay(const char *path, size_t size, ff_recorder *recorder,
                            ff_report *report) {
  char *bytes;
  log_reader in = {0};
  ff_status status = ff_file_read(&bytes, &in.size, path, log_bytes_max, report);
  if (status != FF_OK) {
    return status;
  }
  in.bytes = bytes;
  in.size = in.size < size ? in.size : size;
  log_block block;
  const char *payload;
  while (status == FF_OK && log_next(&in, &block, &payload)) {
    status = log_replay_block(&block, payload, recorder);
  }
  ff_free(bytes);
  return status;
}
