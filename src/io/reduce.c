#include "io/reduce.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

/* Marks the minimum, the maximum and the first NAN of a column within [from, to). */
static void reduce_mark_extremes(unsigned char *kept, const double *column, long from, long to) {
  long least = -1, greatest = -1, gap = -1;
  for (long i = from; i < to; i++) {
    double value = column[i];
    if (isnan(value)) {
      gap = gap < 0 ? i : gap;
      continue;
    }
    least = least < 0 || value < column[least] ? i : least;
    greatest = greatest < 0 || value > column[greatest] ? i : greatest;
  }
  if (least >= 0) {
    kept[least] = kept[greatest] = 1;
  }
  if (gap >= 0) {
    kept[gap] = 1;
  }
}

/* Marks rows for a number of stretches; returns the number of rows. */
static long reduce_mark(unsigned char *kept, const double *const *columns, int column_count,
                        long rows, long stretches) {
  memset(kept, 0, (size_t)rows);
  kept[0] = kept[rows - 1] = 1;
  for (long s = 0; s < stretches; s++) {
    long from = (long)((int64_t)rows * s / stretches);
    long to = (long)((int64_t)rows * (s + 1) / stretches);
    for (int c = 0; c < column_count; c++) {
      reduce_mark_extremes(kept, columns[c], from, to);
    }
  }
  long count = 0;
  for (long i = 0; i < rows; i++) {
    count += kept[i];
  }
  return count;
}

/* Marks evenly spaced rows including both ends; returns their number. */
static long reduce_mark_evenly(unsigned char *kept, long rows, long limit) {
  memset(kept, 0, (size_t)rows);
  for (long k = 0; k < limit; k++) {
    kept[(int64_t)(rows - 1) * k / (limit - 1)] = 1;
  }
  return limit;
}

/* Largest number of stretches whose rows stay within the limit, found by iteration in proportion:
 * columns that peak together share rows, so the number cannot be computed beforehand. */
static long reduce_choose_stretches(unsigned char *kept, long *count, const double *const *columns,
                                    int column_count, long rows, long limit) {
  long stretches = limit / 2 > 1 ? limit / 2 : 1;
  for (;;) {
    *count = reduce_mark(kept, columns, column_count, rows, stretches);
    if (*count <= limit) {
      return stretches;
    }
    if (stretches == 1) {
      *count = reduce_mark_evenly(kept, rows, limit);
      return 0;
    }
    double share = 0.95 * (double)limit / (double)*count;
    stretches = (long)((double)stretches * share);
    stretches = stretches > 1 ? stretches : 1;
  }
}

ff_status ff_reduce_rows(ff_reduction *out, const double *const *columns, int column_count,
                         long rows, long limit) {
  limit = limit > 2 ? limit : 2;
  *out = (ff_reduction){.count = rows, .stretches = rows};
  if (rows <= limit || rows < 3) {
    return FF_OK;
  }
  unsigned char *kept = ff_alloc((size_t)rows, 1);
  if (!kept) {
    return FF_ERROR_MEMORY;
  }
  out->stretches = reduce_choose_stretches(kept, &out->count, columns, column_count, rows, limit);
  out->rows = ff_alloc((size_t)out->count, sizeof *out->rows);
  if (!out->rows) {
    ff_free(kept);
    return FF_ERROR_MEMORY;
  }
  long at = 0;
  for (long i = 0; i < rows; i++) {
    if (kept[i]) {
      out->rows[at++] = i;
    }
  }
  ff_free(kept);
  return FF_OK;
}
