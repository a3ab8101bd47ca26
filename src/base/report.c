#include "base/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *ff_status_text(ff_status status) {
  switch (status) {
    case FF_OK: return "ok";
    case FF_ERROR_INPUT: return "bad input";
    case FF_ERROR_MEMORY: return "out of memory";
    case FF_ERROR_FILE: return "file could not be read or written";
    case FF_ERROR_STEP: return "step could not be completed";
    case FF_ERROR_CAPACITY: return "more contacts at once than capacity.contacts allows";
    case FF_CANCELLED: return "cancelled";
  }
  return "unknown status";
}

ff_status ff_report_what(ff_report *report, const char *format, ...) {
  if (report) {
    memset(report, 0, sizeof *report);
    va_list args;
    va_start(args, format);
    vsnprintf(report->what, sizeof report->what, format, args);
    va_end(args);
  }
  return FF_ERROR_INPUT;
}

void ff_report_key(ff_report *report, const char *format, ...) {
  if (report) {
    va_list args;
    va_start(args, format);
    vsnprintf(report->key, sizeof report->key, format, args);
    va_end(args);
  }
}

void ff_report_expected(ff_report *report, const char *format, ...) {
  if (report) {
    va_list args;
    va_start(args, format);
    vsnprintf(report->expected, sizeof report->expected, format, args);
    va_end(args);
  }
}

/* Appends to a terminated text; truncates what does not fit. */
static void report_append(char *text, size_t size, const char *more) {
  size_t used = strlen(text);
  snprintf(text + used, size - used, "%s", more);
}

ff_status ff_report_unknown(ff_report *report, const char *noun, const char *word,
                            const char *const *known, int count) {
  ff_report_what(report, "unknown %s '%.80s'", noun, word);
  if (report) {
    for (int i = 0; i < count; i++) {
      report_append(report->expected, sizeof report->expected, i ? ", " : "");
      report_append(report->expected, sizeof report->expected, known[i]);
    }
    int nearest = ff_nearest_word(word, known, count);
    if (nearest >= 0) {
      snprintf(report->nearest, sizeof report->nearest, "%s", known[nearest]);
    }
  }
  return FF_ERROR_INPUT;
}

enum { WORD_MAX = 64 };

/* Levenshtein distance of two short words. */
static int edit_distance(const char *a, const char *b) {
  int row[WORD_MAX + 1];
  int na = (int)strlen(a);
  int nb = (int)strlen(b);
  if (na > WORD_MAX || nb > WORD_MAX) {
    return WORD_MAX;
  }
  for (int j = 0; j <= nb; j++) {
    row[j] = j;
  }
  for (int i = 1; i <= na; i++) {
    int diagonal = row[0];
    row[0] = i;
    for (int j = 1; j <= nb; j++) {
      int substitute = diagonal + (a[i - 1] != b[j - 1]);
      int best = row[j] + 1 < row[j - 1] + 1 ? row[j] + 1 : row[j - 1] + 1;
      diagonal = row[j];
      row[j] = best < substitute ? best : substitute;
    }
  }
  return row[nb];
}

/* Index of the only known word that starts with word, or of which it is a part; -1: none, or
 * several. */
static int find_unique_part(const char *word, const char *const *known, int count, bool start) {
  int found = -1;
  for (int i = 0; strlen(word) >= 3 && i < count; i++) {
    const char *at = strstr(known[i], word);
    if (at && (at == known[i] || !start)) {
      if (found >= 0) {
        return -1;
      }
      found = i;
    }
  }
  return found;
}

int ff_nearest_word(const char *word, const char *const *known, int count) {
  /* A suggestion is given if at most about a third of the word differs or is missing. */
  int limit = 1 + (int)strlen(word) / 3;
  int nearest = find_unique_part(word, known, count, true);
  if (nearest >= 0) {
    return nearest;
  }
  for (int i = 0; i < count; i++) {
    int distance = edit_distance(word, known[i]);
    if (distance <= limit && (nearest < 0 || distance < limit)) {
      nearest = i;
      limit = distance;
    }
  }
  return nearest >= 0 ? nearest : find_unique_part(word, known, count, false);
}

size_t ff_report_text(const ff_report *report, char *text, size_t size) {
  char all[4096] = "";
  char number[64];
  report_append(all, sizeof all, report->file);
  if (report->line > 0) {
    snprintf(number, sizeof number, report->column > 0 ? "%s%d:%d" : "%s%d",
             report->file[0] ? ":" : "line ", report->line, report->column);
    report_append(all, sizeof all, number);
  }
  if (all[0]) {
    report_append(all, sizeof all, ": ");
  }
  if (report->key[0]) {
    report_append(all, sizeof all, report->key);
    report_append(all, sizeof all, ": ");
  }
  report_append(all, sizeof all, report->what);
  if (report->nearest[0]) {
    report_append(all, sizeof all, "; did you mean '");
    report_append(all, sizeof all, report->nearest);
    report_append(all, sizeof all, "'?");
  }
  if (report->expected[0]) {
    report_append(all, sizeof all, report->nearest[0] ? " Allowed: " : "; allowed: ");
    report_append(all, sizeof all, report->expected);
  }
  return (size_t)snprintf(text, size, "%s", all);
}
