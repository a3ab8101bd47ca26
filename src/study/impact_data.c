/* Measured restitutions from a file. */
#include "base/memory.h"
#include "base/report.h"
#include "footfall/fit.h"
#include "footfall/io.h"
#include "io/measured.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Column by one of two names; `otherwise` if there is none. */
static int impact_data_column(const ff_measured *table, const char *a, const char *b,
                              int otherwise) {
  for (int i = 0; i < table->count; i++) {
    if (strcmp(table->names[i], a) == 0 || strcmp(table->names[i], b) == 0) {
      return i;
    }
  }
  return otherwise;
}

static ff_status impact_data_fail(const ff_measured *table, const char *what, ff_report *report) {
  ff_status status = ff_report_what(report, "%s", what);
  if (report) {
    snprintf(report->file, sizeof report->file, "%s", table->file);
  }
  return status;
}

static ff_status impact_data_take(ff_impact_data *out, const ff_measured *table,
                                  ff_report *report) {
  double number;
  int speed = impact_data_column(table, "speed", "v", 0);
  int restitution = impact_data_column(table, "restitution", "e", speed == 1 ? 0 : 1);
  int noise = impact_data_column(table, "noise", "sigma", -1);
  if (ff_number_read(table->names[0], &number) || table->rows > INT_MAX) {
    return impact_data_fail(table, "needs a first line with names: speed,restitution", report);
  }
  size_t rows = (size_t)table->rows;
  out->speed = ff_alloc(rows, sizeof(double));
  out->restitution = ff_alloc(rows, sizeof(double));
  out->noise = noise >= 0 ? ff_alloc(rows, sizeof(double)) : NULL;
  if (!out->speed || !out->restitution || (noise >= 0 && !out->noise)) {
    return FF_ERROR_MEMORY;
  }
  for (long r = 0; r < table->rows; r++) {
    const double *row = table->values + r * table->count;
    bool missing = isnan(row[speed]) || isnan(row[restitution]);
    if (!missing) {
      out->speed[out->count] = row[speed];
      out->restitution[out->count] = row[restitution];
      if (noise >= 0) {
        out->noise[out->count] = row[noise];
      }
      out->count++;
    }
  }
  return out->count > 0 ? FF_OK : impact_data_fail(table, "has no measured impacts", report);
}

ff_status ff_impact_data_read(ff_impact_data *out, const char *path, ff_report *report) {
  ff_measured table;
  *out = (ff_impact_data){0};
  if (report) {
    memset(report, 0, sizeof *report);
  }
  ff_status status = ff_measured_read(&table, path, report);
  if (status != FF_OK) {
    return status;
  }
  status = impact_data_take(out, &table, report);
  ff_measured_free(&table);
  if (status != FF_OK) {
    ff_impact_data_free(out);
  }
  return status;
}

void ff_impact_data_free(ff_impact_data *data) {
  ff_free(data->speed);
  ff_free(data->restitution);
  ff_free(data->noise);
  *data = (ff_impact_data){0};
}
