/* User data: a CSV of two columns. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "papers/paper.h"

static const long points_max = 100000; /* limit of a page */

/* The file while it is read. */
typedef struct reader {
  FILE *in;
  const char *path;
  const ff_data_column *columns;
  char *line;
  size_t capacity;
  int number; /* of the line */
  ff_report *report;
} reader;

static ff_status bad(const reader *from, const char *at, const char *key, const char *what) {
  *from->report = (ff_report){.line = from->number, .column = (int)(at - from->line) + 1};
  snprintf(from->report->file, sizeof from->report->file, "%s", from->path);
  snprintf(from->report->key, sizeof from->report->key, "%s", key);
  snprintf(from->report->what, sizeof from->report->what, "%s", what);
  return FF_ERROR_INPUT;
}

/* Next significant line, without its end; NULL: none. */
static char *next_line(reader *from) {
  while (getline(&from->line, &from->capacity, from->in) >= 0) {
    from->number++;
    from->line[strcspn(from->line, "\r\n")] = '\0';
    bool marked = from->number == 1 && strncmp(from->line, "\xEF\xBB\xBF", 3) == 0;
    char *text = from->line + (marked ? 3 : 0); /* byte order mark of UTF-8 */
    if (text[strspn(text, " \t")] && text[0] != '#') {
      return text;
    }
  }
  return NULL;
}

/* Splits a cell off the text, trimmed; *rest is NULL after the last one. */
static char *cut_cell(char **rest) {
  char *cell = *rest + strspn(*rest, " \t"), *comma = strchr(cell, ',');
  char *end = comma ? comma : cell + strlen(cell);
  *rest = comma ? comma + 1 : NULL;
  while (end > cell && strchr(" \t", end[-1])) {
    end--;
  }
  *end = '\0';
  return cell;
}

static ff_status read_header(reader *from) {
  char wanted[256];
  snprintf(wanted, sizeof wanted, "the header must be '%s,%s'", from->columns[0].name,
           from->columns[1].name);
  char *rest = next_line(from);
  if (!rest) {
    from->number = 1;
    return bad(from, from->line, "", wanted);
  }
  for (int i = 0; i < 2; i++) {
    char *cell = rest ? cut_cell(&rest) : from->line;
    if (strcmp(cell, from->columns[i].name) != 0) {
      return bad(from, cell, "", wanted);
    }
  }
  return rest ? bad(from, rest, "", wanted) : FF_OK;
}

static bool in_range(const ff_data_column *column, double value) {
  return isfinite(value) && value <= column->max &&
         (column->open ? value > column->min : value >= column->min);
}

static ff_status read_cell(const reader *from, const ff_data_column *column, const char *cell,
                           double *value) {
  if (ff_number_read(cell, value) && in_range(column, *value)) {
    return FF_OK;
  }
  char what[256], most[64] = "";
  if (isfinite(column->max)) {
    snprintf(most, sizeof most, " and at most %g", column->max);
  }
  snprintf(what, sizeof what, "must be a finite number, %s %g%s; got '%.60s'",
           column->open ? "greater than" : "at least", column->min, most, cell);
  return bad(from, cell, column->name, what);
}

static ff_status read_rows(reader *from, ff_reproduction *study, ff_cloud *points) {
  for (char *rest = next_line(from); rest; rest = next_line(from)) {
    double value[2];
    for (int i = 0; i < 2; i++) {
      char *cell = rest ? cut_cell(&rest) : NULL;
      if (!cell) {
        return bad(from, from->line, from->columns[i].name, "is missing");
      }
      ff_status status = read_cell(from, &from->columns[i], cell, &value[i]);
      if (status != FF_OK) {
        return status;
      }
    }
    if (rest) {
      return bad(from, rest, "", "line has more cells than the header");
    }
    if (points->count == points_max) {
      return bad(from, from->line, "", "there are too many points to show");
    }
    ff_cloud_add(study, points, value[0], value[1]);
  }
  return points->count > 0 ? FF_OK : bad(from, from->line, "", "there is no row below the header");
}

static ff_status unreadable(const char *path, ff_report *report) {
  *report = (ff_report){.what = "cannot be read"};
  snprintf(report->file, sizeof report->file, "%s", path);
  return FF_ERROR_FILE;
}

ff_status ff_reproduction_read(ff_reproduction *study, const ff_paper *paper, const char *path,
                               ff_report *report) {
  if (!paper->data) {
    snprintf(report->what, sizeof report->what, "%s takes no data", paper->key);
    return FF_ERROR_INPUT;
  }
  reader from = {.path = path, .columns = paper->data, .report = report, .in = fopen(path, "r")};
  if (!from.in) {
    return unreadable(path, report);
  }
  const char *slash = strrchr(path, '/');
  ff_data data = {.name = ff_reproduction_text(study, "%s", slash ? slash + 1 : path)};
  ff_status status = read_header(&from);
  if (status == FF_OK) {
    status = read_rows(&from, study, &data.points);
  }
  if (status == FF_OK && !ferror(from.in)) {
    study->data = ff_reproduction_grow(study, study->data, study->data_count, sizeof data);
    study->data[study->data_count++] = data;
  }
  status = ferror(from.in) ? unreadable(path, report) : status;
  fclose(from.in);
  free(from.line);
  return status;
}
