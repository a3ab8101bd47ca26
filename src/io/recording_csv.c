/* Readers of CSV, for files of recorder_csv.c and of other programs, and of OpenSim's .sto: lines
 * of a header, "endheader", then a table with tabs. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/report.h"
#include "io/recorder.h"

/* Largest size: the file is read into memory. */
static const size_t size_max = (size_t)1 << 31;

/* The text, split in place. */
typedef struct csv {
  char *at, *line_start;
  const char *ends; /* what ends a cell: the separator, then the ends of lines */
  const char *path;
  long line;
  ff_report *report;
} csv;

static ff_status csv_report(const csv *in, const char *what) {
  ff_recording_bad(in->report, in->path, what);
  if (in->report) {
    in->report->line = (int)in->line;
    in->report->column = (int)(in->at - in->line_start) + 1;
  }
  return FF_ERROR_INPUT;
}

/* Unquotes a cell and moves to the separator after it; NULL if the quote is not closed. */
static char *csv_unquote(csv *in) {
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

/* Next cell as a terminated text; *last: the line ends with it. NULL: invalid. */
static char *csv_next_cell(csv *in, bool *last) {
  char *cell = in->at;
  if (*cell == '"') {
    cell = csv_unquote(in);
  } else {
    in->at += strcspn(in->at, in->ends);
  }
  if (!cell || !strchr(in->ends, *in->at)) {
    return NULL; /* strchr also finds the terminating NUL */
  }
  *last = *in->at != in->ends[0];
  char *end = in->at;
  in->at += *end == '\r' && end[1] == '\n' ? 2 : *end != '\0';
  *end = '\0';
  if (*last) {
    in->line_start = in->at;
    in->line++;
  }
  return cell;
}

/* Number of cells of the first line: separators outside quotes, plus one. */
static long csv_count_names(const char *text, char separator) {
  long count = 1;
  bool quoted = false;
  for (; *text && (quoted || (*text != '\n' && *text != '\r')); text++) {
    quoted = quoted != (*text == '"');
    count += *text == separator && !quoted;
  }
  return count;
}

static ff_status csv_read_names(csv *in, ff_recording *recording) {
  long count = csv_count_names(in->at, in->ends[0]);
  if (count > FF_RECORDING_CHANNELS_MAX) {
    return csv_report(in, "has too many columns for a recording");
  }
  ff_status status = ff_recording_reserve(recording, (int)count);
  bool last = false;
  for (int i = 0; i < count && status == FF_OK; i++) {
    csv before = *in;
    const char *name = csv_next_cell(in, &last);
    if (!name || last != (i + 1 == count)) {
      return csv_report(&before, "has an unclosed quote");
    }
    if (i == 0 && strcmp(name, "time") != 0) {
      return csv_report(
          &before, "is not a recording: its first column is not 'time' (s); name the others as "
                   "channels, as in the first line of footfall run -o FILE.csv");
    }
    recording->names[i] = ff_strdup(name);
    recording->units[i] = ff_strdup("");
    status = recording->names[i] && recording->units[i] ? FF_OK : FF_ERROR_MEMORY;
  }
  return status;
}

static long csv_count_lines(const char *text) {
  long lines = 0;
  for (const char *at = text; *at; at++) {
    lines += *at == '\n';
    lines += *at != '\n' && at[1] == '\0'; /* the last line may be unterminated */
  }
  return lines;
}

/* A cell takes at least two bytes, so memory is proportional to the file. */
static ff_status csv_reserve_rows(csv *in, ff_recording *recording) {
  long rows = csv_count_lines(in->at);
  if (rows > (long)strlen(in->at) / (2L * recording->info.count) + 1) {
    return csv_report(in, "has lines with fewer cells than there are names");
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

static ff_status csv_read_rows(csv *in, ff_recording *recording) {
  for (long row = 0; row < recording->rows; row++) {
    for (int i = 0; i < recording->info.count; i++) {
      csv before = *in;
      bool last = false;
      const char *cell = csv_next_cell(in, &last);
      if (!cell || !ff_number_read(cell, &recording->columns[i][row])) {
        return csv_report(&before, "must be a number");
      }
      if (last != (i + 1 == recording->info.count)) {
        return csv_report(&before, last ? "line has fewer cells than there are names"
                                        : "line has more cells than there are names");
      }
    }
  }
  return *in->at ? csv_report(in, "line endings differ") : FF_OK;
}

static ff_status csv_read_text(csv *in, ff_recording *recording, size_t size) {
  if (strlen(in->at) != size) {
    in->at += strlen(in->at);
    in->line_start = in->at;
    in->line = 0;
    return csv_report(in, "is not a text");
  }
  recording->scene = ff_strdup("");
  recording->summary = ff_strdup("");
  ff_status status = recording->scene && recording->summary ? FF_OK : FF_ERROR_MEMORY;
  if (status == FF_OK) {
    status = csv_read_names(in, recording);
  }
  if (status == FF_OK) {
    status = csv_reserve_rows(in, recording);
  }
  return status == FF_OK ? csv_read_rows(in, recording) : status;
}

/* The units of ground reactions, as recorder_sto.c writes them. */
static ff_status sto_add_units(ff_recording *recording) {
  static const char *const units[][2] = {
      {"ground_force_v", "N"}, {"ground_force_p", "m"}, {"ground_torque_", "N m"}, {"time", "s"}};
  for (int i = 0; i < recording->info.count; i++) {
    for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
      if (strstr(recording->names[i], units[k][0])) {
        char *unit = ff_strdup(units[k][1]);
        if (!unit) {
          return FF_ERROR_MEMORY;
        }
        ff_free(recording->units[i]);
        recording->units[i] = unit;
      }
    }
  }
  return FF_OK;
}

/* Moves to the table. */
static ff_status sto_pass_header(csv *in) {
  static const char end[] = "endheader";
  for (char *line = in->at; *line;) {
    size_t length = strcspn(line, "\r\n");
    bool last = length == sizeof end - 1 && strncmp(line, end, length) == 0;
    line += length;
    line += line[0] == '\r' && line[1] == '\n' ? 2 : line[0] != '\0';
    in->line++;
    if (last) {
      in->at = in->line_start = line;
      return FF_OK;
    }
  }
  in->line = 1;
  return csv_report(in, "has no line 'endheader'");
}

static ff_status recording_read_table(ff_recording *recording, const char *path, bool sto,
                                      ff_report *report) {
  char *text;
  size_t size;
  ff_status status = ff_file_read(&text, &size, path, size_max, report);
  if (status != FF_OK) {
    return status;
  }
  csv in = {.at = text,
            .line_start = text,
            .ends = sto ? "\t\r\n" : ",\r\n",
            .path = path,
            .line = 1,
            .report = report};
  status = sto ? sto_pass_header(&in) : FF_OK;
  status = status == FF_OK ? csv_read_text(&in, recording, size - (size_t)(in.at - text)) : status;
  ff_free(text);
  return status == FF_OK && sto ? sto_add_units(recording) : status;
}

ff_status ff_recording_read_csv(ff_recording *recording, const char *path, ff_report *report) {
  return recording_read_table(recording, path, false, report);
}

ff_status ff_recording_read_sto(ff_recording *recording, const char *path, ff_report *report) {
  return recording_read_table(recording, path, true, report);
}
