/* Sets of measurements: their files in the layouts that their authors publish, made into tables. */
#ifndef FF_STUDY_SET_H
#define FF_STUDY_SET_H

#include "footfall/validate.h"

#include <stdio.h>

/* Texts of sets/, made at build time. */
typedef struct ff_set_text {
  const char *path; /* "sets/cube-tosses.yaml" */
  const char *text;
} ff_set_text;
extern const ff_set_text ff_set_texts[];
extern const int ff_set_text_count;

/* A table that is written as CSV. */
typedef struct ff_set_table {
  FILE *out; /* in memory */
  char *text;
  size_t size;
} ff_set_table;

ff_status ff_set_table_open(ff_set_table *table, const char *names);
/* One row; numbers with all digits, NAN as an empty cell. */
void ff_set_table_row(ff_set_table *table, const double *values, int count);
/* Writes folder/name and frees. */
ff_status ff_set_table_close(ff_set_table *table, const char *folder, const char *name,
                             ff_report *report);

void ff_set_table_drop(ff_set_table *table); /* frees, writes nothing */

/* Names of the files of a folder that end so (or in the same with .gz), sorted as numbers in them
 * grow; freed with ff_set_free_names. FF_ERROR_FILE: no such folder. */
ff_status ff_set_list(const char *folder, const char *ending, char ***names, int *count,
                      ff_report *report);
void ff_set_free_names(char **names, int count);
/* folder/name into a buffer. */
enum { FF_SET_PATH = 4096 };
void ff_set_path(char out[FF_SET_PATH], const char *folder, const char *name);

/* Data of a folder as tables in `work`: named PREFIX.csv, or PREFIX-1.csv and so on. */
typedef ff_status (*ff_set_loader)(const char *folder, const char *work, const char *prefix,
                                   ff_report *report);
ff_status ff_set_load_tosses(const char *folder, const char *work, const char *prefix,
                             ff_report *report);
ff_status ff_set_load_ellipse(const char *folder, const char *work, const char *prefix,
                              ff_report *report);
ff_status ff_set_load_square(const char *folder, const char *work, const char *prefix,
                             ff_report *report);
ff_status ff_set_load_stances(const char *folder, const char *work, const char *prefix,
                              ff_report *report);

/* A vector of numbers in a field of an element of a MATLAB struct array. */
typedef void (*ff_matlab_field)(void *context, int element, const char *field, const double *values,
                                int count);
/* Reads the first struct array of a MATLAB 5 file. */
ff_status ff_matlab_read(const char *path, ff_matlab_field take, void *context, ff_report *report);

#endif
