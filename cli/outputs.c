/* Files that are written must not be files that are read, nor each other. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

/* Where a name will be once it is written: links followed, or of a file that is not there yet those
 * of its folder. False: there is no such folder, and writing will say so. */
static bool whereabouts(const char *name, char out[PATH_MAX]) {
  char folder[PATH_MAX];
  if (realpath(name, out)) {
    return true;
  }
  const char *slash = strrchr(name, '/'), *last = slash ? slash + 1 : name;
  size_t length = slash ? (size_t)(slash - name) : 0;
  if (length >= sizeof folder) {
    return false;
  }
  memcpy(folder, name, length);
  folder[length] = '\0';
  char real[PATH_MAX];
  if (!realpath(slash == name ? "/" : length > 0 ? folder : ".", real)) {
    return false;
  }
  int size = snprintf(out, PATH_MAX, "%s/%s", real, last);
  return size < PATH_MAX;
}

static bool is_same(const char *a, const char *b) {
  char at_a[PATH_MAX], at_b[PATH_MAX];
  struct stat of_a, of_b;
  if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0) {
    return strcmp(a, b) == 0;
  }
  if (stat(a, &of_a) == 0 && stat(b, &of_b) == 0) {
    return of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
  }
  return whereabouts(a, at_a) && whereabouts(b, at_b) && strcmp(at_a, at_b) == 0;
}

static ff_status refuse(ff_report *report, const char *name, const char *what, const char *other) {
  *report = (ff_report){0};
  snprintf(report->file, sizeof report->file, "%s", name);
  snprintf(report->what, sizeof report->what, "would overwrite %s '%.300s': choose another name",
           what, other);
  return FF_ERROR_INPUT;
}

ff_status ff_cli_check_outputs(const ff_cli_list *written, const ff_cli_list *read,
                               ff_report *report) {
  for (int i = 0; i < written->count; i++) {
    for (int k = 0; k < read->count; k++) {
      if (is_same(written->items[i], read->items[k])) {
        return refuse(report, written->items[i], "a file that is read,", read->items[k]);
      }
    }
    for (int k = 0; k < i; k++) {
      if (is_same(written->items[i], written->items[k])) {
        return refuse(report, written->items[i], "another output,", written->items[k]);
      }
    }
  }
  return FF_OK;
}
