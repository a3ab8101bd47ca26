/* Page of a sweep: data and sensitivities as JSON inside cli/sweep_page.html. */
#include "json.h"
#include "say.h"
#include "sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_SHOWN = 5000, WORST_SHOWN = 100, BINS_MOST = 32 };

/* ---- sensitivities --------------------------------------------------------------------------- */

typedef struct sweep_moments {
  double mean, variance;
  long count;
} sweep_moments;

static sweep_moments sweep_moments_of(const double *x, long count) {
  sweep_moments m = {0};
  for (long i = 0; i < count; i++) {
    if (isfinite(x[i])) {
      double d = x[i] - m.mean;
      m.mean += d / (double)++m.count;
      m.variance += d * (x[i] - m.mean);
    }
  }
  m.variance = m.count > 1 ? m.variance / (double)m.count : 0;
  return m;
}

typedef struct sweep_pair {
  double x, y;
} sweep_pair;

static int sweep_compare_pairs(const void *a, const void *b) {
  double x = ((const sweep_pair *)a)->x, y = ((const sweep_pair *)b)->x;
  return (x > y) - (x < y);
}

/* First-order index from any sample: variance of the bin means of y over equally filled bins of x,
 * corrected for the variance of a mean; equal x stay in one bin. NAN: too few runs. */
static double sweep_first_order(const double *x, const double *y, long count) {
  sweep_pair *pairs = ff_cli_alloc((int)count + 1, sizeof *pairs);
  long n = 0;
  for (long i = 0; i < count; i++) {
    if (isfinite(x[i]) && isfinite(y[i])) {
      pairs[n++] = (sweep_pair){x[i], y[i]};
    }
  }
  qsort(pairs, (size_t)n, sizeof *pairs, sweep_compare_pairs);
  long bins = (long)sqrt((double)n) < BINS_MOST ? (long)sqrt((double)n) : BINS_MOST;
  double mean = 0, total = 0, between = 0, within = 0;
  for (long i = 0; i < n; i++) {
    mean += pairs[i].y / (double)n;
  }
  for (long i = 0; i < n; i++) {
    total += (pairs[i].y - mean) * (pairs[i].y - mean);
  }
  for (long b = 0, start = 0; b < bins && start < n; b++) {
    long end = (b + 1) * n / bins > start ? (b + 1) * n / bins : start + 1;
    while (end < n && pairs[end].x == pairs[end - 1].x) {
      end++;
    }
    double sum = 0, square = 0, size = (double)(end - start);
    for (long i = start; i < end; i++) {
      sum += pairs[i].y - mean;
      square += (pairs[i].y - mean) * (pairs[i].y - mean);
    }
    between += sum * sum / size;
    within += end - start > 1 ? (square - sum * sum / size) / (size - 1) : 0;
    start = end;
  }
  free(pairs);
  if (n < 20 || !(total > 0)) {
    return NAN;
  }
  double index = (between - within) / total;
  return index < 0 ? 0 : index > 1 ? 1 : index;
}

/* Indices of a complete Saltelli design: first order (Saltelli et al. 2010, Table 2 b) and total
 * (Jansen 1999). */
static void sweep_saltelli(const ff_sweep_table *table, const double *y, int parameter,
                           double *first, double *total) {
  long n = table->saltelli;
  const double *a = y, *b = y + n, *mixed = y + (parameter + 2) * n;
  sweep_moments m = sweep_moments_of(y, 2 * n);
  double top = 0, bottom = 0;
  for (long i = 0; i < n; i++) {
    top += b[i] * (mixed[i] - a[i]);
    bottom += (a[i] - mixed[i]) * (a[i] - mixed[i]);
  }
  *first = m.variance > 0 ? top / (double)n / m.variance : NAN;
  *total = m.variance > 0 ? bottom / (2.0 * (double)n) / m.variance : NAN;
}

/* ---- data ------------------------------------------------------------------------------------ */

/* A parameter with texts is shown by the number of its text, in order of appearance. */
static void sweep_write_texts(const ff_sweep_table *table, int parameter, double *column,
                              ff_json *json) {
  char **texts = table->texts + (long)parameter * table->rows;
  const char *known[1000];
  int count = 0;
  for (long i = 0; i < table->rows; i++) {
    for (int k = 0; texts[i] && isnan(column[i]) && k <= count && k < 1000; k++) {
      if (k == count) {
        known[count++] = texts[i];
      }
      if (strcmp(known[k], texts[i]) == 0) {
        column[i] = k;
        break;
      }
    }
  }
  ff_json_open(json, "texts", '[');
  for (int k = 0; k < count; k++) {
    ff_json_text(json, NULL, known[k]);
  }
  ff_json_close(json, ']');
}

static void sweep_write_column(const ff_sweep_table *table, int column, ff_json *json) {
  double *cells = table->cells + (long)column * table->rows;
  long shown = table->rows < ROWS_SHOWN ? table->rows : ROWS_SHOWN;
  double *values = ff_cli_alloc((int)shown + 1, sizeof *values);
  ff_json_open(json, NULL, '{');
  ff_json_text(json, "name", table->names[column]);
  ff_json_text(json, "unit", table->units[column]);
  ff_json_flag(json, "measure", column >= table->parameters);
  if (column < table->parameters) {
    ff_json_text(json, "paths", table->paths[column]);
    sweep_write_texts(table, column, cells, json);
  }
  sweep_moments m = sweep_moments_of(cells, table->rows);
  ff_json_number(json, "mean", m.count ? m.mean : NAN);
  ff_json_number(json, "deviation", m.count ? sqrt(m.variance) : NAN);
  for (long i = 0; i < shown; i++) {
    values[i] = cells[i * table->rows / shown];
  }
  ff_json_numbers(json, "values", values, (int)shown);
  ff_json_close(json, '}');
  free(values);
}

static void sweep_write_sensitivities(const ff_sweep_table *table, ff_json *json) {
  bool saltelli = table->saltelli > 0 && table->rows == table->total;
  ff_json_text(json, "method", saltelli ? "saltelli" : "bins");
  ff_json_open(json, "sensitivities", '[');
  for (int m = 0; m < table->measures; m++) {
    const double *y = table->cells + (long)(table->parameters + m) * table->rows;
    ff_json_open(json, NULL, '{');
    ff_json_text(json, "measure", table->names[table->parameters + m]);
    double first[64] = {0}, total[64] = {0};
    for (int p = 0; p < table->parameters && p < 64; p++) {
      first[p] = total[p] = NAN;
      if (saltelli) {
        sweep_saltelli(table, y, p, &first[p], &total[p]);
      } else {
        first[p] = sweep_first_order(table->cells + (long)p * table->rows, y, table->rows);
      }
    }
    ff_json_numbers(json, "first", first, table->parameters);
    ff_json_numbers(json, "total", total, table->parameters);
    ff_json_close(json, '}');
  }
  ff_json_close(json, ']');
}

/* " --set 'key=value'" for every key of a parameter. */
static void sweep_write_settings(const char *paths, const char *value, FILE *out) {
  while (*paths) {
    int length = (int)strcspn(paths, "\n");
    fprintf(out, " --set '%.*s=%s'", length, paths, value);
    paths += length + (paths[length] == '\n');
  }
}

/* The command that runs this point again, with a page. */
static void sweep_write_command(const ff_sweep_table *table, long row, ff_json *json) {
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!out) {
    exit(ff_cli_fail(FF_ERROR_MEMORY, NULL));
  }
  fprintf(out, "footfall run %s", table->scene ? table->scene : "");
  for (int p = 0; p < table->parameters; p++) {
    char number[FF_NUMBER_SIZE];
    const char *word = table->texts[(long)p * table->rows + row];
    sweep_write_settings(
        table->paths[p],
        word ? word : ff_number_text(table->cells[(long)p * table->rows + row], number), out);
  }
  fprintf(out, " --report run-%ld.html", table->run[row]);
  fclose(out);
  ff_json_text(json, "command", text);
  free(text);
}

static void sweep_write_worst(const ff_sweep_table *table, ff_json *json) {
  int shown = 0;
  ff_json_open(json, "worst", '[');
  for (int state = 2; state > 0; state--) {
    for (long i = 0; i < table->rows && shown < WORST_SHOWN; i++) {
      if (table->state[i] == state) {
        ff_json_open(json, NULL, '{');
        ff_json_whole(json, "run", table->run[i]);
        ff_json_text(json, "state", state == 2 ? "failed" : "not good");
        ff_json_text(json, "reason", table->reasons[i]);
        sweep_write_command(table, i, json);
        ff_json_close(json, '}');
        shown++;
      }
    }
  }
  ff_json_close(json, ']');
}

static void sweep_write_data(const ff_sweep_table *table, FILE *out) {
  ff_json json = {.out = out};
  long states[3] = {0}, shown = table->rows < ROWS_SHOWN ? table->rows : ROWS_SHOWN;
  for (long i = 0; i < table->rows; i++) {
    states[table->state[i]]++;
  }
  ff_json_open(&json, NULL, '{');
  ff_json_text(&json, "scene", table->scene);
  ff_json_text(&json, "study", table->study);
  ff_json_whole(&json, "total", table->total);
  ff_json_whole(&json, "rows", table->rows);
  ff_json_whole(&json, "shown", shown);
  ff_json_whole(&json, "good", states[0]);
  ff_json_whole(&json, "notGood", states[1]);
  ff_json_whole(&json, "failed", states[2]);
  double *values = ff_cli_alloc((int)shown + 1, sizeof *values);
  for (long i = 0; i < shown; i++) {
    values[i] = table->state[i * table->rows / shown];
  }
  ff_json_numbers(&json, "states", values, (int)shown);
  for (long i = 0; i < shown; i++) {
    values[i] = (double)table->run[i * table->rows / shown];
  }
  ff_json_numbers(&json, "runs", values, (int)shown);
  free(values);
  ff_json_open(&json, "columns", '[');
  for (int i = 0; i < table->parameters + table->measures; i++) {
    sweep_write_column(table, i, &json);
  }
  ff_json_close(&json, ']');
  sweep_write_sensitivities(table, &json);
  sweep_write_worst(table, &json);
  ff_json_close(&json, '}');
}

/* ---- page ------------------------------------------------------------------------------------ */

ff_status ff_sweep_report(const ff_sweep_table *table, const char *path, ff_report *report) {
  char *data = NULL;
  size_t size;
  FILE *memory = open_memstream(&data, &size);
  if (!memory) {
    return FF_ERROR_MEMORY;
  }
  sweep_write_data(table, memory);
  fclose(memory);
  ff_status status = ff_cli_write_template("cli/sweep_page.html", data, path, report);
  free(data);
  return status;
}
