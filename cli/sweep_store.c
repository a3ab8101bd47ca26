/* Results of a sweep in a SQLite database. */
#include "say.h"
#include "sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { APPLICATION = 0x46465357, FORMAT = 1 }; /* "FFSW" */

struct ff_sweep_store {
  sqlite3 *db;
  sqlite3_stmt *insert;
  char path[1024];
};

/* ---- errors ---------------------------------------------------------------------------------- */

static ff_status sweep_store_fail(const ff_sweep_store *store, ff_report *report) {
  int code = sqlite3_errcode(store->db);
  memset(report, 0, sizeof *report);
  snprintf(report->file, sizeof report->file, "%.511s", store->path);
  snprintf(report->what, sizeof report->what, "%s", sqlite3_errmsg(store->db));
  if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT) {
    snprintf(report->what, sizeof report->what, "is not a store of results, or is damaged (%s)",
             sqlite3_errmsg(store->db));
    return FF_ERROR_INPUT;
  }
  if (code == SQLITE_CANTOPEN) { /* of its journal: the database itself could be opened */
    snprintf(report->what, sizeof report->what,
             "files beside it (-wal, -shm) cannot be written: is the disk full, or the folder "
             "read-only?");
  }
  return code == SQLITE_NOMEM ? FF_ERROR_MEMORY : FF_ERROR_FILE;
}

static ff_status sweep_store_refuse(const ff_sweep_store *store, const char *what,
                                    ff_report *report) {
  memset(report, 0, sizeof *report);
  snprintf(report->file, sizeof report->file, "%.511s", store->path);
  snprintf(report->what, sizeof report->what, "%s", what);
  return FF_ERROR_INPUT;
}

static ff_status sweep_store_do(ff_sweep_store *store, const char *sql, ff_report *report) {
  return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK
             ? FF_OK
             : sweep_store_fail(store, report);
}

static long sweep_store_number(ff_sweep_store *store, const char *sql) {
  sqlite3_stmt *query;
  long value = 0;
  if (sqlite3_prepare_v2(store->db, sql, -1, &query, NULL) == SQLITE_OK &&
      sqlite3_step(query) == SQLITE_ROW) {
    value = (long)sqlite3_column_int64(query, 0);
  }
  sqlite3_finalize(query);
  return value;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* SQL text that grows. */
typedef struct sweep_sql {
  char *text;
  size_t size;
  FILE *out;
} sweep_sql;

static void sweep_sql_open(sweep_sql *sql) {
  sql->out = open_memstream(&sql->text, &sql->size);
  if (!sql->out) {
    exit(ff_cli_fail(FF_ERROR_MEMORY, NULL));
  }
}

static const char *sweep_sql_close(sweep_sql *sql) {
  if (fclose(sql->out) != 0) {
    exit(ff_cli_fail(FF_ERROR_MEMORY, NULL));
  }
  return sql->text;
}

static void sweep_sql_name(sweep_sql *sql, const char *prefix, const char *name) {
  fprintf(sql->out, ", \"%s", prefix);
  for (; *name; name++) {
    if (*name == '"') {
      fputc('"', sql->out);
    }
    fputc(*name, sql->out);
  }
  fputc('"', sql->out);
}

static ff_status sweep_store_set(ff_sweep_store *store, const char *key, const char *value,
                                 ff_report *report) {
  sqlite3_stmt *insert;
  if (sqlite3_prepare_v2(store->db, "INSERT INTO study VALUES (?, ?)", -1, &insert, NULL) !=
      SQLITE_OK) {
    return sweep_store_fail(store, report);
  }
  sqlite3_bind_text(insert, 1, key, -1, SQLITE_STATIC);
  sqlite3_bind_text(insert, 2, value, -1, SQLITE_STATIC);
  ff_status status = sqlite3_step(insert) == SQLITE_DONE ? FF_OK : sweep_store_fail(store, report);
  sqlite3_finalize(insert);
  return status;
}

/* Value of a key of table study, to be freed; NULL: none. */
static char *sweep_store_get(ff_sweep_store *store, const char *key) {
  sqlite3_stmt *query;
  char *value = NULL;
  if (sqlite3_prepare_v2(store->db, "SELECT value FROM study WHERE key = ?", -1, &query, NULL) ==
      SQLITE_OK) {
    sqlite3_bind_text(query, 1, key, -1, SQLITE_STATIC);
    if (sqlite3_step(query) == SQLITE_ROW) {
      value = strdup((const char *)sqlite3_column_text(query, 0));
    }
  }
  sqlite3_finalize(query);
  return value;
}

static ff_status sweep_store_describe(ff_sweep_store *store, const ff_study *study,
                                      ff_report *report) {
  char number[32], key[32];
  snprintf(number, sizeof number, "%016" PRIx64, ff_study_fingerprint(study));
  ff_status status = sweep_store_set(store, "fingerprint", number, report);
  status =
      status == FF_OK ? sweep_store_set(store, "study", ff_study_source(study), report) : status;
  status = status == FF_OK ? sweep_store_set(store, "scene", ff_study_scene_file(study), report)
                           : status;
  long numbers[] = {ff_study_run_count(study), ff_study_parameter_count(study),
                    ff_study_measure_count(study), ff_study_saltelli_base(study)};
  const char *const keys[] = {"runs", "parameters", "measures", "saltelli"};
  for (int i = 0; i < 4 && status == FF_OK; i++) {
    snprintf(number, sizeof number, "%ld", numbers[i]);
    status = sweep_store_set(store, keys[i], number, report);
  }
  for (int i = 0; i < ff_study_parameter_count(study) && status == FF_OK; i++) {
    const char *path;
    for (int k = 0; (path = ff_study_parameter_path(study, i, k)) && status == FF_OK; k++) {
      snprintf(key, sizeof key, "path.%d.%d", i, k);
      status = sweep_store_set(store, key, path, report);
    }
  }
  for (int i = 0; i < ff_study_measure_count(study) && status == FF_OK; i++) {
    snprintf(key, sizeof key, "unit.%d", i);
    status = sweep_store_set(store, key, ff_study_measure_unit(study, i), report);
  }
  return status;
}

static ff_status sweep_store_create(ff_sweep_store *store, const ff_study *study,
                                    ff_report *report) {
  sweep_sql sql;
  sweep_sql_open(&sql);
  fprintf(sql.out,
          "BEGIN IMMEDIATE; PRAGMA application_id = %d; PRAGMA user_version = %d;"
          "CREATE TABLE study (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
          "CREATE TABLE runs (run INTEGER PRIMARY KEY, status TEXT NOT NULL, verdict TEXT,"
          " reason TEXT, end REAL, seconds REAL",
          APPLICATION, FORMAT);
  for (int i = 0; i < ff_study_parameter_count(study); i++) {
    sweep_sql_name(&sql, "p:", ff_study_parameter_name(study, i));
  }
  for (int i = 0; i < ff_study_measure_count(study); i++) {
    sweep_sql_name(&sql, "m:", ff_study_measure_name(study, i));
  }
  fputs(");", sql.out);
  ff_status status = sweep_store_do(store, sweep_sql_close(&sql), report);
  free(sql.text);
  status = status == FF_OK ? sweep_store_describe(store, study, report) : status;
  return status == FF_OK ? sweep_store_do(store, "COMMIT", report) : status;
}

static ff_status sweep_store_check(ff_sweep_store *store, const ff_study *study,
                                   ff_report *report) {
  char *stored = sweep_store_get(store, "fingerprint"), mine[32];
  ff_status status = FF_OK;
  snprintf(mine, sizeof mine, "%016" PRIx64, ff_study_fingerprint(study));
  if (!stored || strcmp(stored, mine) != 0) {
    status = sweep_store_refuse(
        store,
        "holds results of another study: the study, its scene or a file of the scene has changed "
        "since; use another --store",
        report);
  }
  free(stored);
  return status;
}

static ff_status sweep_store_prepare(ff_sweep_store *store, const ff_study *study,
                                     ff_report *report) {
  sweep_sql sql;
  sweep_sql_open(&sql);
  fputs("INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?", sql.out);
  for (int i = ff_study_parameter_count(study) + ff_study_measure_count(study); i > 0; i--) {
    fputs(", ?", sql.out);
  }
  fputs(")", sql.out);
  int code = sqlite3_prepare_v2(store->db, sweep_sql_close(&sql), -1, &store->insert, NULL);
  free(sql.text);
  return code == SQLITE_OK ? FF_OK : sweep_store_fail(store, report);
}

/* SQLite does not tell why a file cannot be opened: after a failure it tries again to read it. */
static ff_status sweep_store_try(const ff_sweep_store *store, bool create, ff_report *report) {
  int file = open(store->path, create ? O_RDWR | O_CREAT : O_RDWR, 0666), error = errno;
  if (file >= 0) {
    close(file);
    return FF_OK;
  }
  char what[128];
  bool machine = error == ENOSPC || error == EDQUOT || error == EIO || error == ENFILE ||
                 error == EMFILE || error == ENOMEM;
  snprintf(what, sizeof what, "cannot be opened: %s", strerror(error));
  ff_status status = sweep_store_refuse(store, what, report);
  return machine ? FF_ERROR_FILE : status;
}

static ff_status sweep_store_begin(ff_sweep_store *store, const ff_study *study,
                                   ff_report *report) {
  ff_status status = sweep_store_try(store, study != NULL, report);
  if (status != FF_OK) {
    return status;
  }
  int flags = study ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READWRITE;
  if (sqlite3_open_v2(store->path, &store->db, flags, NULL) != SQLITE_OK) {
    if (!store->db) {
      return FF_ERROR_MEMORY;
    }
    return sweep_store_fail(store, report);
  }
  sqlite3_busy_timeout(store->db, 10000);
  status = sweep_store_do(
      store, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY",
      report);
  if (status != FF_OK) {
    return status;
  }
  bool empty = sweep_store_number(store, "SELECT count(*) FROM sqlite_master") == 0;
  if (empty && study) {
    status = sweep_store_create(store, study, report);
  } else if (sweep_store_number(store, "PRAGMA application_id") != APPLICATION) {
    status = sweep_store_refuse(store, "is not a store of `footfall sweep`", report);
  } else if (sweep_store_number(store, "PRAGMA user_version") != FORMAT) {
    status = sweep_store_refuse(store, "was written by a newer version of this program", report);
  } else if (study) {
    status = sweep_store_check(store, study, report);
  }
  return status == FF_OK && study ? sweep_store_prepare(store, study, report) : status;
}

ff_status ff_sweep_store_open(ff_sweep_store **out, const char *path, const ff_study *study,
                              ff_report *report) {
  ff_sweep_store *store = ff_cli_alloc(1, sizeof *store);
  snprintf(store->path, sizeof store->path, "%s", path);
  ff_status status = sweep_store_begin(store, study, report);
  if (status != FF_OK) {
    ff_sweep_store_close(store);
    store = NULL;
  }
  *out = store;
  return status;
}

void ff_sweep_store_close(ff_sweep_store *store) {
  if (store) {
    sqlite3_finalize(store->insert);
    sqlite3_close(store->db);
    free(store);
  }
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void sweep_store_bind_number(sqlite3_stmt *insert, int at, double value) {
  if (isnan(value)) {
    sqlite3_bind_null(insert, at);
  } else {
    sqlite3_bind_double(insert, at, value);
  }
}

static ff_status sweep_store_add_row(ff_sweep_store *store, const ff_study *study,
                                     const ff_sweep_row *row, ff_report *report) {
  sqlite3_stmt *insert = store->insert;
  const ff_study_result *result = &row->result;
  bool ok = result->status == FF_OK, good = ok && result->verdict == FF_VERDICT_GOOD;
  int at = 1;
  sqlite3_bind_int64(insert, at++, row->run);
  sqlite3_bind_text(insert, at++, ok ? "done" : "failed", -1, SQLITE_STATIC);
  if (ok) {
    sqlite3_bind_text(insert, at++, good ? "good" : "not good", -1, SQLITE_STATIC);
  } else {
    sqlite3_bind_null(insert, at++);
  }
  sqlite3_bind_text(insert, at++, result->reason, -1, SQLITE_STATIC);
  sqlite3_bind_double(insert, at++, result->end);
  sqlite3_bind_double(insert, at++, row->seconds);
  for (int i = 0; i < ff_study_parameter_count(study); i++) {
    char text[FF_STUDY_TEXT];
    double value = ff_study_parameter(study, row->run, i, text);
    if (isnan(value)) {
      sqlite3_bind_text(insert, at++, text, -1, SQLITE_TRANSIENT);
    } else {
      sqlite3_bind_double(insert, at++, value);
    }
  }
  for (int i = 0; i < ff_study_measure_count(study); i++) {
    sweep_store_bind_number(insert, at++, row->measures[i]);
  }
  ff_status status = sqlite3_step(insert) == SQLITE_DONE ? FF_OK : sweep_store_fail(store, report);
  sqlite3_reset(insert);
  return status;
}

ff_status ff_sweep_store_add(ff_sweep_store *store, const ff_study *study,
                             const ff_sweep_row *const *rows, int count, ff_report *report) {
  ff_status status = count > 0 ? sweep_store_do(store, "BEGIN IMMEDIATE", report) : FF_OK;
  for (int i = 0; i < count && status == FF_OK; i++) {
    status = sweep_store_add_row(store, study, rows[i], report);
  }
  if (status == FF_OK && count > 0) {
    status = sweep_store_do(store, "COMMIT", report);
  }
  if (status != FF_OK) {
    sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
  }
  return status;
}

ff_status ff_sweep_store_done(ff_sweep_store *store, unsigned char *done, long runs,
                              ff_report *report) {
  sqlite3_stmt *query;
  if (sqlite3_prepare_v2(store->db, "SELECT run FROM runs", -1, &query, NULL) != SQLITE_OK) {
    return sweep_store_fail(store, report);
  }
  int code;
  while ((code = sqlite3_step(query)) == SQLITE_ROW) {
    sqlite3_int64 run = sqlite3_column_int64(query, 0);
    if (run >= 0 && run < runs) {
      done[run] = 1;
    }
  }
  ff_status status = code == SQLITE_DONE ? FF_OK : sweep_store_fail(store, report);
  sqlite3_finalize(query);
  return status;
}

ff_status ff_sweep_store_forget_failed(ff_sweep_store *store, ff_report *report) {
  return sweep_store_do(store, "DELETE FROM runs WHERE status = 'failed'", report);
}

ff_status ff_sweep_store_count(ff_sweep_store *store, ff_sweep_counts *out, ff_report *report) {
  sqlite3_stmt *query;
  *out = (ff_sweep_counts){0};
  if (sqlite3_prepare_v2(store->db,
                         "SELECT count(*), coalesce(sum(verdict = 'good'), 0),"
                         " coalesce(sum(verdict = 'not good'), 0),"
                         " coalesce(sum(status = 'failed'), 0) FROM runs",
                         -1, &query, NULL) != SQLITE_OK) {
    return sweep_store_fail(store, report);
  }
  ff_status status = sqlite3_step(query) == SQLITE_ROW ? FF_OK : sweep_store_fail(store, report);
  if (status == FF_OK) {
    *out = (ff_sweep_counts){
        (long)sqlite3_column_int64(query, 0), (long)sqlite3_column_int64(query, 1),
        (long)sqlite3_column_int64(query, 2), (long)sqlite3_column_int64(query, 3)};
  }
  sqlite3_finalize(query);
  return status;
}

long ff_sweep_store_runs(ff_sweep_store *store) {
  return sweep_store_number(store, "SELECT CAST(value AS INTEGER) FROM study WHERE key = 'runs'");
}

/* ---- export ---------------------------------------------------------------------------------- */

static void sweep_csv_text(FILE *out, const char *text) {
  if (!strpbrk(text, ",\"\n\r")) {
    fputs(text, out);
    return;
  }
  fputc('"', out);
  for (; *text; text++) {
    if (*text == '"') {
      fputc('"', out);
    }
    fputc(*text, out);
  }
  fputc('"', out);
}

static void sweep_csv_cell(FILE *out, sqlite3_stmt *query, int column) {
  char number[FF_NUMBER_SIZE];
  switch (sqlite3_column_type(query, column)) {
    case SQLITE_NULL: break;
    case SQLITE_INTEGER:
      fprintf(out, "%lld", (long long)sqlite3_column_int64(query, column));
      break;
    case SQLITE_FLOAT:
      fputs(ff_number_text(sqlite3_column_double(query, column), number), out);
      break;
    default: sweep_csv_text(out, (const char *)sqlite3_column_text(query, column)); break;
  }
}

/* Columns of table runs: run, status, verdict, reason, end, seconds, parameters, measures. */
enum { COLUMN_SECONDS = 5, COLUMN_FIRST = 6 };

/* Columns in the order of the CSV: run, parameters, measures, status, verdict, reason, times. */
static int sweep_csv_columns(sqlite3_stmt *query, bool times, int *order) {
  int count = 0;
  order[count++] = 0;
  for (int i = COLUMN_FIRST; i < sqlite3_column_count(query); i++) {
    order[count++] = i;
  }
  for (int i = 1; i < COLUMN_SECONDS; i++) {
    order[count++] = i;
  }
  if (times) {
    order[count++] = COLUMN_SECONDS;
  }
  return count;
}

ff_status ff_sweep_store_export(ff_sweep_store *store, FILE *out, bool times, ff_report *report) {
  sqlite3_stmt *query;
  if (sqlite3_prepare_v2(store->db, "SELECT * FROM runs ORDER BY run", -1, &query, NULL) !=
      SQLITE_OK) {
    return sweep_store_fail(store, report);
  }
  int *order = ff_cli_alloc(sqlite3_column_count(query) + 1, sizeof *order);
  int count = sweep_csv_columns(query, times, order), code;
  for (int i = 0; i < count; i++) {
    const char *name = sqlite3_column_name(query, order[i]);
    fputs(i ? "," : "", out);
    sweep_csv_text(out, order[i] >= COLUMN_FIRST ? name + 2 : name);
  }
  fputc('\n', out);
  while ((code = sqlite3_step(query)) == SQLITE_ROW && !ferror(out)) {
    for (int i = 0; i < count; i++) {
      fputs(i ? "," : "", out);
      sweep_csv_cell(out, query, order[i]);
    }
    fputc('\n', out);
  }
  ff_status status = code == SQLITE_DONE || ferror(out) ? FF_OK : sweep_store_fail(store, report);
  sqlite3_finalize(query);
  free(order);
  return status;
}

/* ---- whole table ----------------------------------------------------------------------------- */

static long sweep_store_whole(ff_sweep_store *store, const char *key) {
  char *text = sweep_store_get(store, key);
  long value = text ? strtol(text, NULL, 10) : 0;
  free(text);
  return value;
}

static char *sweep_copy(const char *text) {
  char *copy = strdup(text ? text : "");
  if (!copy) {
    exit(ff_cli_fail(FF_ERROR_MEMORY, NULL));
  }
  return copy;
}

static void sweep_table_names(ff_sweep_store *store, sqlite3_stmt *query, ff_sweep_table *table) {
  int columns = table->parameters + table->measures;
  table->names = ff_cli_alloc(columns + 1, sizeof(*table->names));
  table->units = ff_cli_alloc(columns + 1, sizeof(*table->units));
  for (int i = 0; i < columns; i++) {
    char key[32];
    snprintf(key, sizeof key, "unit.%d", i - table->parameters);
    char *unit = i < table->parameters ? NULL : sweep_store_get(store, key);
    table->names[i] = sweep_copy(sqlite3_column_name(query, COLUMN_FIRST + i) + 2);
    table->units[i] = sweep_copy(unit);
    free(unit);
  }
}

/* Keys of the scene of each parameter, separated by line feeds. */
static void sweep_table_paths(ff_sweep_store *store, ff_sweep_table *table) {
  table->paths = ff_cli_alloc(table->parameters + 1, sizeof(*table->paths));
  for (int i = 0; i < table->parameters; i++) {
    sweep_sql all;
    char key[32], *path = NULL;
    sweep_sql_open(&all);
    for (int k = 0; k == 0 || path; k++) {
      snprintf(key, sizeof key, "path.%d.%d", i, k);
      path = sweep_store_get(store, key);
      if (path) {
        fprintf(all.out, "%s%s", k ? "\n" : "", path);
      }
      free(path);
    }
    sweep_sql_close(&all);
    table->paths[i] = all.text;
  }
}

static void sweep_table_row(ff_sweep_table *table, sqlite3_stmt *query, long row) {
  const char *verdict = (const char *)sqlite3_column_text(query, 2);
  table->run[row] = (long)sqlite3_column_int64(query, 0);
  table->state[row] = !verdict ? 2 : strcmp(verdict, "good") == 0 ? 0 : 1;
  if (table->state[row]) {
    table->reasons[row] = sweep_copy((const char *)sqlite3_column_text(query, 3));
  }
  for (int i = 0; i < table->parameters + table->measures; i++) {
    int type = sqlite3_column_type(query, COLUMN_FIRST + i);
    bool number = type == SQLITE_FLOAT || type == SQLITE_INTEGER;
    table->cells[(long)i * table->rows + row] =
        number ? sqlite3_column_double(query, COLUMN_FIRST + i) : NAN;
    if (i < table->parameters && type == SQLITE_TEXT) {
      table->texts[(long)i * table->rows + row] =
          sweep_copy((const char *)sqlite3_column_text(query, COLUMN_FIRST + i));
    }
  }
}

ff_status ff_sweep_store_read(ff_sweep_store *store, ff_sweep_table *out, ff_report *report) {
  sqlite3_stmt *query;
  ff_sweep_table table = {.rows = sweep_store_number(store, "SELECT count(*) FROM runs"),
                          .parameters = (int)sweep_store_whole(store, "parameters"),
                          .measures = (int)sweep_store_whole(store, "measures"),
                          .total = sweep_store_whole(store, "runs"),
                          .saltelli = sweep_store_whole(store, "saltelli"),
                          .study = sweep_store_get(store, "study"),
                          .scene = sweep_store_get(store, "scene")};
  if (sqlite3_prepare_v2(store->db, "SELECT * FROM runs ORDER BY run", -1, &query, NULL) !=
          SQLITE_OK ||
      sqlite3_column_count(query) != COLUMN_FIRST + table.parameters + table.measures) {
    sqlite3_finalize(query);
    return sweep_store_refuse(store, "is damaged: its table of runs does not fit its study",
                              report);
  }
  size_t rows = (size_t)table.rows + 1, columns = (size_t)(table.parameters + table.measures);
  table.cells = calloc(rows * columns + 1, sizeof *table.cells);
  table.texts = calloc(rows * (size_t)table.parameters + 1, sizeof(*table.texts));
  table.run = calloc(rows, sizeof *table.run);
  table.state = calloc(rows, 1);
  table.reasons = calloc(rows, sizeof(*table.reasons));
  if (!table.cells || !table.texts || !table.run || !table.state || !table.reasons) {
    exit(ff_cli_fail(FF_ERROR_MEMORY, NULL));
  }
  sweep_table_names(store, query, &table);
  sweep_table_paths(store, &table);
  long row = 0;
  while (row < table.rows && sqlite3_step(query) == SQLITE_ROW) {
    sweep_table_row(&table, query, row++);
  }
  sqlite3_finalize(query);
  *out = table;
  return row == table.rows ? FF_OK : sweep_store_fail(store, report);
}

static void sweep_free_texts(char **texts, long count) {
  for (long i = 0; texts && i < count; i++) {
    free(texts[i]);
  }
  free(texts);
}

void ff_sweep_table_free(ff_sweep_table *table) {
  int columns = table->parameters + table->measures;
  sweep_free_texts(table->names, columns);
  sweep_free_texts(table->units, columns);
  sweep_free_texts(table->paths, table->parameters);
  sweep_free_texts(table->texts, (long)table->parameters * table->rows);
  sweep_free_texts(table->reasons, table->rows);
  free(table->cells);
  free(table->run);
  free(table->state);
  free(table->study);
  free(table->scene);
}
