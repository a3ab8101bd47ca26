/* Choosing samples of a long recording so that nothing a plot would show is lost. */
#ifndef FF_IO_REDUCE_H
#define FF_IO_REDUCE_H

#include "footfall/status.h"

typedef struct ff_reduction {
  long *rows;     /* ascending; NULL: all */
  long count;     /* of rows kept */
  long stretches; /* pieces of equal length, each with every column's extremes kept; 0: none */
} ff_reduction;

/* Keeps at most limit rows (at least 2): the first and last of all, and in each stretch the
 * rows where each column is least, greatest, and first not a number. Where there are so many
 * columns that not even the extremes of the whole fit, rows are evenly spaced instead.
 * FF_ERROR_MEMORY, or FF_OK. Free rows with ff_free. */
ff_status ff_reduce_rows(ff_reduction *out, const double *const *columns, int column_count,
                         long rows, long limit);

#endif
