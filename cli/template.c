/* Pages that the program holds, filled with data. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "papers/paper.h"

static const char *template_text(const char *path) {
  for (int i = 0; i < ff_builtin_count; i++) {
    if (strcmp(ff_builtins[i].path, path) == 0) {
      return ff_builtins[i].text;
    }
  }
  return "";
}

/* JSON inside a script element: "<" must not end it. */
static void template_escape(const char *text, FILE *out) {
  for (; *text; text++) {
    if (*text == '<') {
      fputs("\\u003c", out);
    } else {
      fputc(*text, out);
    }
  }
}

ff_status ff_cli_write_template(const char *page, const char *json, const char *path,
                                ff_report *report) {
  static const char mark[] = "/*DATA*/";
  const char *text = template_text(page), *at = strstr(text, mark);
  char temporary[4096];
  if (!at) {
    return FF_ERROR_MEMORY;
  }
  snprintf(temporary, sizeof temporary, "%s.part", path);
  FILE *out = fopen(temporary, "w");
  bool failed = !out;
  if (out) {
    fwrite(text, 1, (size_t)(at - text), out);
    template_escape(json, out);
    fputs(at + strlen(mark), out);
    failed = ferror(out) != 0;
    failed = fclose(out) != 0 || failed;
  }
  if (!failed && rename(temporary, path) == 0) {
    return FF_OK;
  }
  memset(report, 0, sizeof *report);
  snprintf(report->file, sizeof report->file, "%.511s", path);
  snprintf(report->what, sizeof report->what, "cannot be written: %s", strerror(errno));
  unlink(temporary);
  return FF_ERROR_FILE;
}
