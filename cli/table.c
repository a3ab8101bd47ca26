#include "table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

void ff_cli_table_column(ff_cli_table *table, const char *name) {
  assert(table->columns < FF_TABLE_COLUMNS && table->rows == 0);
  table->names[table->columns++] = name;
}

void ff_cli_table_add(ff_cli_table *table, const double *row) {
  size_t width = (size_t)table->columns;
  if (table->rows == table->capacity) {
    int capacity = table->capacity ? 2 * table->capacity : 16;
    double *grown = ff_cli_alloc(capacity * table->columns, sizeof *grown);
    if (table->cells) {
      memcpy(grown, table->cells, (size_t)table->rows * width * sizeof *grown);
    }
    free(table->cells);
    table->cells = grown;
    table->capacity = capacity;
  }
  memcpy(table->cells + (size_t)table->rows++ * width, row, width * sizeof *row);
}

void ff_cli_table_free(ff_cli_table *table) {
  free(table->cells);
  *table = (ff_cli_table){0};
}

static double cell(const ff_cli_table *table, int row, int column) {
  return table->cells[(size_t)row * (size_t)table->columns + (size_t)column];
}

void ff_cli_table_text(const ff_cli_table *table, FILE *out) {
  for (int j = 0; j < table->columns; j++) {
    fprintf(out, "%s%17s", j ? " " : "", table->names[j]);
  }
  fputc('\n', out);
  for (int i = 0; i < table->rows; i++) {
    for (int j = 0; j < table->columns; j++) {
      fprintf(out, "%s%17.10g", j ? " " : "", cell(table, i, j));
    }
    fputc('\n', out);
  }
}

void ff_cli_table_csv(const ff_cli_table *table, FILE *out) {
  char text[FF_NUMBER_SIZE];
  for (int j = 0; j < table->columns; j++) {
    fprintf(out, "%s%s", j ? "," : "", table->names[j]);
  }
  fputc('\n', out);
  for (int i = 0; i < table->rows; i++) {
    for (int j = 0; j < table->columns; j++) {
      fprintf(out, "%s%s", j ? "," : "", ff_number_text(cell(table, i, j), text));
    }
    fputc('\n', out);
  }
}

void ff_cli_table_json(const ff_cli_table *table, ff_json *json, const char *key) {
  ff_json_open(json, key, '[');
  for (int i = 0; i < table->rows; i++) {
    ff_json_open(json, NULL, '{');
    for (int j = 0; j < table->columns; j++) {
      ff_json_number(json, table->names[j], cell(table, i, j));
    }
    ff_json_close(json, '}');
  }
  ff_json_close(json, ']');
}
