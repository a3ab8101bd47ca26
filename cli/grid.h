/* Text table: cells wrap between words. */
#ifndef FF_CLI_GRID_H
#define FF_CLI_GRID_H

#include <stdio.h>

enum { FF_GRID_COLUMNS = 8 };

typedef struct ff_grid {
  int columns;
  int widths[FF_GRID_COLUMNS]; /* in characters */
} ff_grid;

void ff_grid_row(const ff_grid *grid, FILE *out, const char *const *cells); /* NULL: empty */
void ff_grid_line(const ff_grid *grid, FILE *out);

#endif
