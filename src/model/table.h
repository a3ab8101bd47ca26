/* Tables over time: piecewise linear, constant outside. See ff_table. */
#ifndef FF_MODEL_TABLE_H
#define FF_MODEL_TABLE_H

#include "footfall/scene.h"

/* Value at time t: width numbers. Zero for an empty table. */
void ff_table_value(const ff_table *table, double t, double *out);
/* Integral from 0 to t, exact. */
void ff_table_integral(const ff_table *table, double t, double *out);
/* Slope at time t, from the right: width numbers. Zero for an empty table. */
void ff_table_slopes(const ff_table *table, double t, double *out);
/* Slope of a table of width 1. */
double ff_table_slope(const ff_table *table, double t);
/* Time of a row. */
double ff_table_time(const ff_table *table, int i);
/* Checks times and values: NULL, or the error. */
const char *ff_table_check(const ff_table *table, int width);

#endif
