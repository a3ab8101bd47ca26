#include "model/table.h"

#include <math.h>
#include <string.h>

static const double *table_row(const ff_table *table, int i) {
  return table->values + (size_t)i * (size_t)(table->width + 1);
}

/* Last row not later than t; -1 if t is before the first. */
static int table_row_before(const ff_table *table, double t) {
  int low = -1, high = table->rows;
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if (table_row(table, middle)[0] <= t) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

static void table_fill(double *out, int count, double value) {
  for (int i = 0; i < count; i++) {
    out[i] = value;
  }
}

void ff_table_value(const ff_table *table, double t, double *out) {
  if (table->rows == 0) {
    table_fill(out, table->width, 0.0);
    return;
  }
  if (table->rows == 1) {
    memcpy(out, table_row(table, 0) + 1, (size_t)table->width * sizeof *out);
    return;
  }
  int i = table_row_before(table, t);
  const double *r0 = table_row(table, i < 0 ? 0 : i);
  const double *r1 = table_row(table, i + 1 < table->rows ? i + 1 : table->rows - 1);
  double span = r1[0] - r0[0];
  double s = span > 0 ? (t - r0[0]) / span : 0.0;
  for (int k = 1; k <= table->width; k++) {
    out[k - 1] = r0[k] + s * (r1[k] - r0[k]);
  }
}

/* Integral from the first breakpoint to t. */
static void table_integral_from_first(const ff_table *table, double t, double *out) {
  const double *first = table_row(table, 0);
  if (t <= first[0]) {
    for (int k = 1; k <= table->width; k++) {
      out[k - 1] = first[k] * (t - first[0]);
    }
    return;
  }
  table_fill(out, table->width, 0.0);
  for (int i = 0; i < table->rows && table_row(table, i)[0] < t; i++) {
    const double *r0 = table_row(table, i);
    bool last = i + 1 == table->rows;
    const double *r1 = last ? r0 : table_row(table, i + 1);
    double end = last || t < r1[0] ? t : r1[0];
    double span = r1[0] - r0[0];
    double s = span > 0 ? (end - r0[0]) / span : 0.0;
    for (int k = 1; k <= table->width; k++) {
      out[k - 1] += (end - r0[0]) * (r0[k] + 0.5 * s * (r1[k] - r0[k]));
    }
  }
}

void ff_table_integral(const ff_table *table, double t, double *out) {
  table_fill(out, table->width, 0.0);
  if (table->rows == 0) {
    return;
  }
  double at_zero[3];
  table_integral_from_first(table, t, out);
  table_integral_from_first(table, 0.0, at_zero);
  for (int k = 0; k < table->width; k++) {
    out[k] -= at_zero[k];
  }
}

double ff_table_time(const ff_table *table, int i) {
  return table_row(table, i)[0];
}

const char *ff_table_check(const ff_table *table, int width) {
  if (table->rows == 0) {
    return NULL;
  }
  if (table->width != width) {
    return width == 1   ? "each row must be [t, value]"
           : width == 3 ? "each row must be [t, x, y, z]"
                        : "each row must be [t, x, y, z, qw, qx, qy, qz]";
  }
  for (int i = 0; i < table->rows; i++) {
    for (int k = 0; k <= width; k++) {
      if (!isfinite(table_row(table, i)[k])) {
        return "every number must be finite";
      }
    }
    if (i > 0 && table_row(table, i)[0] <= table_row(table, i - 1)[0]) {
      return "times must increase";
    }
  }
  return NULL;
}

void ff_table_slopes(const ff_table *table, double t, double *out) {
  int i = table->rows > 1 ? table_row_before(table, t) : -1;
  table_fill(out, table->width, 0.0);
  if (i < 0 || i + 1 >= table->rows) {
    return;
  }
  const double *r0 = table_row(table, i), *r1 = table_row(table, i + 1);
  for (int k = 1; k <= table->width; k++) {
    out[k - 1] = (r1[k] - r0[k]) / (r1[0] - r0[0]);
  }
}

double ff_table_slope(const ff_table *table, double t) {
  double slope = 0;
  ff_table_slopes(table, t, &slope);
  return slope;
}
