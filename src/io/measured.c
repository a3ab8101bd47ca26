#include "io/measured.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/report.h"
#include "footfall/io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

enum { COLUMNS_MAX = 10000 };
static const size_t size_max = (size_t)1 << 30;

typedef enum measured_form { FORM_CSV, FORM_STO, FORM_TRC, FORM_FORCES } measured_form;

/* The text, cut into lines and cells in place. */
typedef struct measured_text {
  char *at;
  int line; /* of the text before `at` */
  const char *path;
  char separator; /* ',' ';' '\t', or ' ' for any white space */
  ff_report *report;
} measured_text;

static ff_status measured_fail(const measured_text *in, const char *what, const char *cell) {
  ff_report_what(in->report, cell ? "%s: '%.60s'" : "%s", what, cell);
  if (in->report) {
    snprintf(in->report->file, sizeof in->report->file, "%s", in->path);
    in->report->line = in->line;
  }
  return FF_ERROR_INPUT;
}

/* Next line, terminated; NULL at the end. */
static char *measured_line(measured_text *in) {
  if (!*in->at) {
    return NULL;
  }
  char *line = in->at;
  size_t length = strcspn(line, "\r\n");
  in->at += length;
  in->at += *in->at == '\r' && in->at[1] == '\n' ? 2 : *in->at != '\0';
  line[length] = '\0';
  in->line++;
  return line;
}

static bool measured_is_blank(const char *line) {
  return line[strspn(line, " \t,;")] == '\0';
}

/* Next cell of a line, without spaces and quotes around it; NULL at the end. */
static char *measured_cell(char **rest, char separator) {
  char *cell = *rest;
  if (!cell) {
    return NULL;
  }
  if (separator == ' ') {
    cell += strspn(cell, " \t");
    if (!*cell) {
      return NULL;
    }
  }
  const char stop[] = {separator == ' ' ? '\t' : separator, separator == ' ' ? ' ' : '\0', '\0'};
  size_t length = strcspn(cell, stop);
  *rest = cell[length] ? cell + length + 1 : NULL;
  cell[length] = '\0';
  cell += strspn(cell, " \t\"");
  size_t end = strlen(cell);
  while (end > 0 && strchr(" \t\"", cell[end - 1])) {
    cell[--end] = '\0';
  }
  return cell;
}

static int measured_count_cells(const char *line, char separator) {
  char *copy = ff_strdup(line), *rest = copy;
  int count = 0;
  while (copy && measured_cell(&rest, separator)) {
    count++;
  }
  ff_free(copy);
  return count;
}

/* ---- headers --------------------------------------------------------------------------------- */

static ff_status measured_names(measured_text *in, ff_measured *out, char *line) {
  int count = measured_count_cells(line, in->separator);
  if (count < 2 || count > COLUMNS_MAX) {
    return measured_fail(in, "needs a line with the names of two columns or more", NULL);
  }
  out->names = ff_arena_take(&out->arena, (size_t)count, sizeof *out->names);
  if (!out->names) {
    return FF_ERROR_MEMORY;
  }
  for (char *rest = line, *cell; (cell = measured_cell(&rest, in->separator));) {
    out->names[out->count] = ff_arena_text(&out->arena, cell, strlen(cell));
    if (!out->names[out->count++]) {
      return FF_ERROR_MEMORY;
    }
  }
  return FF_OK;
}

static ff_status measured_csv_header(measured_text *in, ff_measured *out) {
  char *line = measured_line(in);
  while (line && (measured_is_blank(line) || line[0] == '#')) {
    line = measured_line(in);
  }
  if (!line) {
    return measured_fail(in, "is empty", NULL);
  }
  in->separator = strchr(line, ',')    ? ','
                  : strchr(line, ';')  ? ';'
                  : strchr(line, '\t') ? '\t'
                                       : ' ';
  return measured_names(in, out, line);
}

/* OpenSim: lines of text up to `endheader`, then the names. */
static ff_status measured_sto_header(measured_text *in, ff_measured *out) {
  char *line;
  while ((line = measured_line(in)) && strncasecmp(line, "endheader", 9) != 0) {
    if (strncasecmp(line, "inDegrees", 9) == 0) {
      out->degrees = strstr(line, "yes") || strstr(line, "Yes") || strstr(line, "YES");
    }
  }
  while (line && (line = measured_line(in)) && measured_is_blank(line)) {
  }
  in->separator = ' ';
  return line ? measured_names(in, out, line)
              : measured_fail(in, "has no line 'endheader' with names after it", NULL);
}

/* Force plates: lines of text up to the names, which begin with `#Sample`. */
static ff_status measured_forces_header(measured_text *in, ff_measured *out) {
  char *line;
  while ((line = measured_line(in)) && strncasecmp(line, "#Sample", 7) != 0) {
  }
  in->separator = '\t';
  return line ? measured_names(in, out, line + 1)
              : measured_fail(in, "has no line '#Sample ...' with names", NULL);
}

/* Factor from the units of the file to m; 0: not known. */
static double measured_trc_unit(char *keys, char *values) {
  char *key, *value;
  while ((key = measured_cell(&keys, '\t')) && (value = measured_cell(&values, '\t'))) {
    if (strcmp(key, "Units") == 0) {
      return strcmp(value, "mm") == 0   ? 1e-3
             : strcmp(value, "cm") == 0 ? 1e-2
             : strcmp(value, "m") == 0  ? 1
                                        : 0;
    }
  }
  return 0;
}

/* Frame#, Time, then a name above each three columns. */
static ff_status measured_trc_names(measured_text *in, ff_measured *out, char *line) {
  int most = 2 + 3 * measured_count_cells(line, '\t'), column = 0;
  out->names = ff_arena_take(&out->arena, (size_t)most, sizeof *out->names);
  if (!out->names) {
    return FF_ERROR_MEMORY;
  }
  for (char *rest = line, *cell; (cell = measured_cell(&rest, '\t')); column++) {
    if (!cell[0]) {
      continue;
    }
    char name[300];
    int parts = column < 2 ? 1 : 3;
    for (int k = 0; k < parts; k++) {
      int size = column < 2 ? snprintf(name, sizeof name, "%s", column == 0 ? "frame" : "time")
                            : snprintf(name, sizeof name, "%.250s.%c", cell, "xyz"[k]);
      out->names[out->count] = ff_arena_text(&out->arena, name, (size_t)size);
      if (!out->names[out->count++]) {
        return FF_ERROR_MEMORY;
      }
    }
  }
  return out->count > 2 ? FF_OK : measured_fail(in, "names no markers", NULL);
}

static ff_status measured_trc_header(measured_text *in, ff_measured *out, double *unit) {
  char *lines[5] = {0};
  for (int i = 0; i < 5; i++) {
    lines[i] = measured_line(in);
  }
  if (!lines[4] || strncmp(lines[0], "PathFileType", 12) != 0) {
    return measured_fail(in, "is not a .trc file: its first line is not 'PathFileType ...'", NULL);
  }
  in->separator = '\t';
  *unit = measured_trc_unit(lines[1], lines[2]);
  if (*unit == 0) {
    return measured_fail(in, "needs Units of mm, cm or m in its header", NULL);
  }
  return measured_trc_names(in, out, lines[3]);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool measured_number(const char *cell, double *value) {
  bool missing = !cell[0] || strcasecmp(cell, "nan") == 0 || strcasecmp(cell, "na") == 0;
  *value = NAN;
  return missing || ff_number_read(cell, value);
}

static ff_status measured_row(measured_text *in, ff_measured *out, char *line, double *row) {
  char *rest = line;
  for (int i = 0; i < out->count; i++) {
    const char *cell = measured_cell(&rest, in->separator);
    if (!cell && in->separator != '\t') {
      return measured_fail(in, "the line has fewer cells than there are names", NULL);
    }
    if (!measured_number(cell ? cell : "", &row[i])) {
      return measured_fail(in, "must be a number", cell);
    }
  }
  return rest && !measured_is_blank(rest)
             ? measured_fail(in, "the line has more cells than there are names", NULL)
             : FF_OK;
}

static ff_status measured_rows(measured_text *in, ff_measured *out) {
  long most = 1;
  for (const char *at = in->at; *at; at++) {
    most += *at == '\n' || *at == '\r';
  }
  if ((size_t)most > size_max / (size_t)out->count) {
    return measured_fail(in, "has too many cells", NULL);
  }
  out->values = ff_arena_take(&out->arena, (size_t)most * (size_t)out->count, sizeof *out->values);
  if (!out->values) {
    return FF_ERROR_MEMORY;
  }
  ff_status status = FF_OK;
  for (char *line; status == FF_OK && (line = measured_line(in));) {
    if (!measured_is_blank(line) && line[0] != '#') {
      status = measured_row(in, out, line, out->values + out->rows * out->count);
      out->rows++;
    }
  }
  return status == FF_OK && out->rows == 0 ? measured_fail(in, "has no rows", NULL) : status;
}

static void measured_scale(ff_measured *out, double unit) {
  for (long r = 0; r < out->rows; r++) {
    for (int i = 2; i < out->count; i++) {
      out->values[r * out->count + i] *= unit;
    }
  }
}

/* ---- file ------------------------------------------------------------------------------------ */

static bool measured_ends(const char *path, const char *ending) {
  size_t n = strlen(path), m = strlen(ending);
  n -= n > 3 && strcasecmp(path + n - 3, ".gz") == 0 ? 3 : 0;
  return n > m && strncasecmp(path + n - m, ending, m) == 0;
}

/* A text in gzip's format is replaced by its contents. */
static ff_status measured_inflate(char **text, size_t *size, const char *path, ff_report *report) {
  if (*size < 18 || (unsigned char)(*text)[0] != 0x1f || (unsigned char)(*text)[1] != 0x8b) {
    return FF_OK;
  }
  const unsigned char *end = (const unsigned char *)*text + *size - 4; /* length modulo 2^32 */
  size_t length = end[0] | (size_t)end[1] << 8 | (size_t)end[2] << 16 | (size_t)end[3] << 24;
  char *out = length < size_max ? ff_alloc(length + 1, 1) : NULL;
  if (!out) {
    return FF_ERROR_MEMORY;
  }
  z_stream stream = {.next_in = (Bytef *)*text,
                     .avail_in = (uInt)*size,
                     .next_out = (Bytef *)out,
                     .avail_out = (uInt)length};
  bool whole = inflateInit2(&stream, 15 + 16) == Z_OK && inflate(&stream, Z_FINISH) == Z_STREAM_END;
  inflateEnd(&stream);
  if (!whole || stream.total_out != length) {
    ff_free(out);
    measured_text in = {.path = path, .report = report};
    return measured_fail(&in, "is not a whole gzip file", NULL);
  }
  ff_free(*text);
  *text = out;
  *size = length;
  return FF_OK;
}

static measured_form measured_form_of(const char *path) {
  bool sto = measured_ends(path, ".sto") || measured_ends(path, ".mot");
  return sto                              ? FORM_STO
         : measured_ends(path, ".trc")    ? FORM_TRC
         : measured_ends(path, ".forces") ? FORM_FORCES
                                          : FORM_CSV;
}

static ff_status measured_parse(ff_measured *out, measured_text *in, measured_form form) {
  double unit = 1;
  if (strncmp(in->at, "\xef\xbb\xbf", 3) == 0) {
    in->at += 3; /* byte order mark */
  }
  ff_status status = form == FORM_CSV      ? measured_csv_header(in, out)
                     : form == FORM_STO    ? measured_sto_header(in, out)
                     : form == FORM_FORCES ? measured_forces_header(in, out)
                                           : measured_trc_header(in, out, &unit);
  status = status == FF_OK ? measured_rows(in, out) : status;
  if (status == FF_OK && form == FORM_TRC) {
    measured_scale(out, unit);
  }
  return status;
}

ff_status ff_measured_read(ff_measured *out, const char *path, ff_report *report) {
  *out = (ff_measured){0};
  char *text;
  size_t size;
  ff_status status = ff_file_read(&text, &size, path, size_max, report);
  if (status != FF_OK) {
    return status;
  }
  status = measured_inflate(&text, &size, path, report);
  if (status != FF_OK) {
    ff_free(text);
    return status;
  }
  measured_text in = {.at = text, .path = path, .report = report};
  out->file = ff_arena_text(&out->arena, path, strlen(path));
  if (strlen(text) != size) {
    status = measured_fail(&in, "is not a text", NULL);
  } else {
    status = out->file ? measured_parse(out, &in, measured_form_of(path)) : FF_ERROR_MEMORY;
  }
  ff_free(text);
  if (status != FF_OK) {
    ff_measured_free(out);
  }
  return status;
}

void ff_measured_free(ff_measured *measured) {
  ff_arena_free(&measured->arena);
  *measured = (ff_measured){0};
}

int ff_measured_find(const ff_measured *measured, const char *name, ff_report *report) {
  for (int i = 0; i < measured->count; i++) {
    if (strcmp(measured->names[i], name) == 0) {
      return i;
    }
  }
  ff_report_unknown(report, "column", name, measured->names, measured->count);
  return -1;
}

int ff_measured_time(const ff_measured *measured, const char *name, ff_report *report) {
  static const char *const usual[] = {"time", "t", "t_s", "Time", "time_s"};
  if (name) {
    return ff_measured_find(measured, name, report);
  }
  for (size_t k = 0; k < sizeof usual / sizeof *usual; k++) {
    for (int i = 0; i < measured->count; i++) {
      if (strcmp(measured->names[i], usual[k]) == 0) {
        return i;
      }
    }
  }
  return 0;
}
