/* Tosses of a cube (ContactNets): a table with the columns toss, t_s, px_m .. qz, or the original
 * files, one PyTorch tensor each. */
#include "base/file.h"
#include "base/memory.h"
#include "base/report.h"
#include "io/measured.h"
#include "study/set.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 19 }; /* position, quaternion w x y z, velocity, angular velocity, control */

/* Of the original: unit of length (half the cube's width) and time between frames. */
static const double toss_unit = 0.0524, toss_step = 1.0 / 148;

static const char toss_names[] = "toss,t,x,y,z,qw,qx,qy,qz";

/* The doubles at the end of a file in PyTorch's format of before 1.6, after their number as 8
 * bytes, little-endian; NULL: not such a file. */
static const char *toss_doubles(const char *text, size_t size, long *rows) {
  for (size_t at = 0; at + 8 < size; at++) {
    uint64_t count = 0;
    for (int k = 7; k >= 0; k--) {
      count = count << 8 | (unsigned char)text[at + (size_t)k];
    }
    if (count > 0 && count == (size - at - 8) / 8 && (size - at - 8) % 8 == 0 &&
        count % COLUMNS == 0) {
      *rows = (long)(count / COLUMNS);
      return text + at + 8;
    }
  }
  return NULL;
}

static ff_status toss_read_tensor(const char *path, double toss, ff_set_table *table,
                                  ff_report *report) {
  char *text;
  size_t size;
  long rows = 0;
  ff_status status = ff_file_read(&text, &size, path, (size_t)1 << 28, report);
  if (status != FF_OK) {
    return status;
  }
  const char *data = toss_doubles(text, size, &rows);
  for (long r = 0; data && r < rows; r++) {
    double in[COLUMNS], out[9] = {toss, (double)r * toss_step};
    memcpy(in, data + (size_t)r * sizeof in, sizeof in);
    for (int k = 0; k < 3; k++) {
      out[2 + k] = in[k] * toss_unit;
    }
    memcpy(out + 5, in + 3, 4 * sizeof *in);
    ff_set_table_row(table, out, 9);
  }
  ff_free(text);
  if (!data) {
    status = ff_report_what(report, "is not a toss: a tensor of doubles with %d columns", COLUMNS);
    if (report) {
      snprintf(report->file, sizeof report->file, "%.500s", path);
    }
  }
  return status;
}

/* Rows of a table that has all columns; others are not of this set. */
static ff_status toss_read_table(const char *path, ff_set_table *table, int *found,
                                 ff_report *report) {
  static const char *const names[] = {"toss", "t_s", "px_m", "py_m", "pz_m",
                                      "qw",   "qx",  "qy",   "qz"};
  ff_measured in;
  int columns[9];
  ff_status status = ff_measured_read(&in, path, report);
  if (status != FF_OK) {
    return status;
  }
  bool known = true;
  for (int k = 0; k < 9 && known; k++) {
    columns[k] = ff_measured_find(&in, names[k], NULL);
    known = columns[k] >= 0;
  }
  for (long r = 0; known && r < in.rows; r++) {
    double out[9];
    for (int k = 0; k < 9; k++) {
      out[k] = in.values[r * in.count + columns[k]];
    }
    ff_set_table_row(table, out, 9);
  }
  *found += known;
  ff_measured_free(&in);
  return FF_OK;
}

ff_status ff_set_load_tosses(const char *folder, const char *work, const char *prefix,
                             ff_report *report) {
  char **names, path[FF_SET_PATH], file[64];
  int count, found = 0;
  ff_set_table table;
  ff_status status = ff_set_list(folder, ".pt", &names, &count, report);
  if (status != FF_OK) {
    return status;
  }
  status = ff_set_table_open(&table, toss_names);
  if (status != FF_OK) {
    ff_set_free_names(names, count);
    return status;
  }
  for (int i = 0; i < count && status == FF_OK; i++, found++) {
    ff_set_path(path, folder, names[i]);
    status = toss_read_tensor(path, (double)strtol(names[i], NULL, 10), &table, report);
  }
  ff_set_free_names(names, count);
  names = NULL;
  count = 0;
  status = status == FF_OK ? ff_set_list(folder, ".csv", &names, &count, report) : status;
  for (int i = 0; i < count && status == FF_OK; i++) {
    ff_set_path(path, folder, names[i]);
    status = toss_read_table(path, &table, &found, report);
  }
  ff_set_free_names(names, count);
  snprintf(file, sizeof file, "%.50s.csv", prefix);
  ff_report why = {0};
  ff_status written = ff_set_table_close(&table, work, file, status == FF_OK ? report : &why);
  status = status == FF_OK ? written : status;
  if (status == FF_OK && found == 0) {
    status = ff_report_what(report,
                            "%.300s has no tosses: neither files NUMBER.pt nor a table "
                            "with the columns toss, t_s, px_m ... qz",
                            folder);
  }
  return status;
}
