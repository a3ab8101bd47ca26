/* Table of numbers, as text, CSV or JSON. */
#ifndef FF_CLI_TABLE_H
#define FF_CLI_TABLE_H

#include "json.h"

enum { FF_TABLE_COLUMNS = 16 };

typedef struct ff_cli_table {
  const char *names[FF_TABLE_COLUMNS]; /* column names, not copied */
  int columns;
  int rows, capacity;
  double *cells; /* rows x columns */
} ff_cli_table;

void ff_cli_table_column(ff_cli_table *table, const char *name); /* before the first row */
void ff_cli_table_add(ff_cli_table *table, const double *row);
void ff_cli_table_free(ff_cli_table *table);

void ff_cli_table_text(const ff_cli_table *table, FILE *out); /* aligned, ten digits */
void ff_cli_table_csv(const ff_cli_table *table, FILE *out);  /* all digits */
/* A list of objects. */
void ff_cli_table_json(const ff_cli_table *table, ff_json *json, const char *key);

#endif
