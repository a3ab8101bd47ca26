/* Files of sets: lists of a folder, tables that are written. */
#include "base/file.h"
#include "base/memory.h"
#include "base/report.h"
#include "footfall/io.h"
#include "study/set.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void ff_set_path(char out[FF_SET_PATH], const char *folder, const char *name) {
  snprintf(out, FF_SET_PATH, "%s/%s", folder, name);
}

static bool set_ends(const char *name, const char *ending) {
  size_t n = strlen(name), m = strlen(ending);
  n -= n > 3 && strcmp(name + n - 3, ".gz") == 0 ? 3 : 0;
  return n > m && strncmp(name + n - m, ending, m) == 0;
}

/* Numbers at the start of names in their order, then by letters: 2.pt before 10.pt. */
static int set_compare_names(const void *a, const void *b) {
  const char *x = *(char *const *)a, *y = *(char *const *)b;
  long p = strtol(x, NULL, 10), q = strtol(y, NULL, 10);
  return p != q ? (p > q) - (p < q) : strcmp(x, y);
}

void ff_set_free_names(char **names, int count) {
  for (int i = 0; i < count; i++) {
    ff_free(names[i]);
  }
  ff_free(names);
}

ff_status ff_set_list(const char *folder, const char *ending, char ***names, int *count,
                      ff_report *report) {
  DIR *list = opendir(folder);
  int capacity = 0;
  *names = NULL;
  *count = 0;
  if (!list) {
    ff_report_what(report, "cannot be read: %s", strerror(errno));
    if (report) {
      snprintf(report->file, sizeof report->file, "%.500s", folder);
    }
    return FF_ERROR_FILE;
  }
  ff_status status = FF_OK;
  for (struct dirent *at; status == FF_OK && (at = readdir(list));) {
    if (!set_ends(at->d_name, ending)) {
      continue;
    }
    if (*count == capacity) {
      capacity = capacity ? 2 * capacity : 64;
      char **more = ff_alloc((size_t)capacity, sizeof *more);
      if (more && *names) {
        memcpy(more, *names, (size_t)*count * sizeof *more);
      }
      status = more ? FF_OK : FF_ERROR_MEMORY;
      if (more) {
        ff_free(*names);
        *names = more;
      }
    }
    if (status == FF_OK) {
      (*names)[*count] = ff_strdup(at->d_name);
      status = (*names)[(*count)++] ? FF_OK : FF_ERROR_MEMORY;
    }
  }
  closedir(list);
  if (status != FF_OK) {
    ff_set_free_names(*names, *count);
    *names = NULL;
    *count = 0;
  } else if (*count > 0) {
    qsort(*names, (size_t)*count, sizeof **names, set_compare_names);
  }
  return status;
}

ff_status ff_set_table_open(ff_set_table *table, const char *names) {
  *table = (ff_set_table){0};
  table->out = open_memstream(&table->text, &table->size);
  if (!table->out) {
    return FF_ERROR_MEMORY;
  }
  fprintf(table->out, "%s\n", names);
  return FF_OK;
}

void ff_set_table_row(ff_set_table *table, const double *values, int count) {
  char number[FF_NUMBER_SIZE];
  for (int i = 0; i < count; i++) {
    fprintf(table->out, "%s%s", i > 0 ? "," : "",
            isnan(values[i]) ? "" : ff_number_text(values[i], number));
  }
  fputc('\n', table->out);
}

ff_status ff_set_table_close(ff_set_table *table, const char *folder, const char *name,
                             ff_report *report) {
  char path[FF_SET_PATH];
  ff_file *file = NULL;
  ff_set_path(path, folder, name);
  ff_status status = fclose(table->out) == 0 ? FF_OK : FF_ERROR_MEMORY;
  status = status == FF_OK ? ff_file_create(&file, path, report) : status;
  if (status == FF_OK) {
    ff_file_write(file, table->text, table->size);
    status = ff_file_commit(file, report);
  }
  free(table->text);
  *table = (ff_set_table){0};
  return status;
}

void ff_set_table_drop(ff_set_table *table) {
  fclose(table->out);
  free(table->text);
  *table = (ff_set_table){0};
}
