/* Reads the CSV that recorder_csv.c writes, or another program after it. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/report.h"
#include "io/recorder.h"

/* A CSV is held in memory while it is read. */
static const size_t size_max = (size_t)1 << 31;

/* The text, cut up in place while it is read. */
typedef struct csv {
  char *at, *line_start;
  const char *path;
  long line;
  ff_report *report;
} csv;

static ff_status bad(const csv *in, const char *what) {
  ff_recording_bad(in->report, in->path, what);
  if (in->report) {
    in->report->line = (int)in->line;
    in->report->column = (int)(in->at - in->line_start) + 1;
  }
  return FF_ERROR_INPUT;
}

/* Takes the quotes off a cell and moves to the separator after it; NULL if not closed. */
static char *unquote(csv *in) {
  char *cell = in->at, *to = in->at, *from = in->at + 1;
  while (*from && (*from != '"' || from[1] == '"')) {
    from += *from == '"';
    *to++ = *from++;
  }
  if (*from != '"') {
    return NULL;
  }
  *to = '\0';
  in->at = from + 1;
  return cell;
}

/* Next cell as a text of its own; *last tells whether its line ends with it. NULL: bad. */
static char *next_cell(csv *in, bool *last) {
  char *cell = in->at;
  if (*cell == '"') {
    cell = unquote(in);
  } else {
    in->at += strcspn(in->at, ",\r\n");
  }
  if (!cell || !strchr(",\r\n", *in->at)) {
    return NULL; /* strchr finds the final NUL too */
  }
  *last = *in->at != ',';
  char *end = in->at;
  in->at += *end == '\r' && end[1] == '\n' ? 2 : *end != '\0';
  *end = '\0';
  if (*last) {
    in->line_start = in->at;
    in->line++;
  }
  return cell;
}

/* How many cells the first line has: commas outside quotes, and one. */
static long count_names(const char *text) {
  long count = 1;
  bool quoted = false;
  for (; *text && (quoted || (*text != '\n' && *text != '\r')); text++) {
    quoted = quoted != (*text == '"');
    count += *text == ',' && !quoted;
  }
  return count;
}

static ff_status read_names(csv *in, ff_recording *recording) {
  long count = count_names(in->at);
  if (count > FF_RECORDING_CHANNELS_MAX) {
    return bad(in, "has too many columns for a recording");
  }
  ff_status status = ff_recording_reserve(recording, (int)count);
  bool last = false;
  for (int i = 0; i < count && status == FF_OK; i++) {
    csv before = *in;
    const char *name = next_cell(in, &last);
    if (!name || last != (i + 1 == count)) {
      return bad(&before, "has a broken quote");
    }
    if (i == 0 && strcmp(name, "time") != 0) {
      return bad(&before, "is no recording: its first column is not 'time'");
    }
    recording->names[i] = ff_strdup(name);
    recording->units[i] = ff_strdup("");
    status = recording->names[i] && recording->units[i] ? FF_OK : FF_ERROR_MEMORY;
  }
  return status;
}

static long count_lines(const char *text) {
  long lines = 0;
  for (const char *at = text; *at; at++) {
    lines += *at == '\n';
    lines += *at != '\n' && at[1] == '\0'; /* the last line may lack its end */
  }
  return lines;
}

/* A cell takes two bytes at least, so memory stays in proportion to the file. */
static ff_status reserve_rows(csv *in, ff_recording *recording) {
  long rows = count_lines(in->at);
  if (rows > (long)strlen(in->at) / (2L * recording->info.count) + 1) {
    return bad(in, "has lines with fewer cells than there are names");
  }
  recording->rows = rows;
  for (int i = 0; i < recording->info.count; i++) {
    recording->columns[i] = ff_alloc((size_t)rows, sizeof(double));
    if (!recording->columns[i]) {
      return FF_ERROR_MEMORY;
    }
  }
  return FF_OK;
}

static ff_status read_rows(csv *in, ff_recording *recording) {
  for (long row = 0; row < recording->rows; row++) {
    for (int i = 0; i < recording->info.count; i++) {
      csv before = *in;
      bool last = false;
      const char *cell = next_cell(in, &last);
      if (!cell || !ff_number_read(cell, &recording->columns[i][row])) {
        return bad(&before, "must be a number");
      }
      if (last != (i + 1 == recording->info.count)) {
        return bad(&before, last ? "line has fewer cells than there are names"
                                 : "line has more cells than there are names");
      }
    }
  }
  return *in->at ? bad(in, "lines end in several ways") : FF_OK;
}

static ff_status read_text(csv *in, ff_recording *recording, size_t size) {
  if (strlen(in->at) != size) {
    in->at += strlen(in->at);
    in->line_start = in->at;
    in->line = 0;
    return bad(in, "is not a text");
  }
  recording->scene = ff_strdup("");
  recording->summary = ff_strdup("");
  ff_status status = recording->scene && recording->summary ? FF_OK : FF_ERROR_MEMORY;
  if (status == FF_OK) {
    status = read_names(in, recording);
  }
  if (status == FF_OK) {
    status = reserve_rows(in, recording);
  }
  return status == FF_OK ? read_rows(in, recording) : status;
}

ff_status ff_recording_read_csv(ff_recording *recording, const char *path, ff_report *report) {
  char *text;
  size_t size;
  ff_status status = ff_file_read(&text, &size, path, size_max, report);
  if (status == FF_OK) {
    csv in = {.at = text, .line_start = text, .path = path, .line = 1, .report = report};
    status = read_text(&in, recording, size);
    ff_free(text);
  }
  return status;
}
