/* Selection of samples of a long recording that preserves the extremes of every channel. */
#ifndef FF_IO_REDUCE_H
#define FF_IO_REDUCE_H

#include "footfall/status.h"

typedef struct ff_reduction {
  long *rows;     /* ascending; NULL: all */
  long count;     /* number of rows kept */
  long stretches; /* intervals of equal length, each with every column's extremes kept; 0: none */
} ff_reduction;

/* Keeps at most limit rows (at least 2): the first and the last, and in each stretch the rows where
 * each column is minimal, maximal, and first not a number. If there are too many columns even for
 * the extremes of the whole, rows are evenly spaced instead. FF_ERROR_MEMORY, or FF_OK. Free rows
 * with ff_free. */
ff_status ff_reduce_rows(ff_reduction *out, const double *const *columns, int column_count,
                         long rows, long limit);

#endif
