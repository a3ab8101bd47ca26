/* Data of a fit: files cut into trajectories. */
#include "study/fit_read.h"

#include "base/memory.h"
#include "base/report.h"
#include "footfall/io.h"
#include "io/measured.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FILES_MAX = 10000 };

/* A data section: files, their columns of time and trajectory, settings of the scene. */
typedef struct fit_source {
  const char *files[FILES_MAX];
  int file_count;
  const char *time, *split;
  double start, rate, at;
  bool held_out;
  int limit, skip;
  const char *keys[FF_FIT_SETTINGS_MAX], *values[FF_FIT_SETTINGS_MAX];
  int setting_count;
} fit_source;
static void fit_read_source(ff_reader *reader, const ff_node *node, fit_source *out) {
  static const char *const keys[] = {"files", "time",  "rate", "start", "split",
                                     "set",   "limit", "skip", "at",    "held-out"};
  *out = (fit_source){.start = NAN, .rate = NAN, .at = NAN};
  if (!ff_reader_map(reader, node, keys, FF_COUNT(keys))) {
    return;
  }
  ff_reader_require(reader, node, "files");
  out->file_count = ff_read_texts(reader, node, "files", FILES_MAX, out->files);
  ff_get_text(reader, node, "time", &out->time);
  ff_get_text(reader, node, "split", &out->split);
  ff_get_number(reader, node, "start", 0, &out->start);
  ff_get_number(reader, node, "rate", 0, &out->rate);
  ff_get_number(reader, node, "at", 0, &out->at);
  ff_get_flag(reader, node, "held-out", &out->held_out);
  ff_get_count(reader, node, "limit", FF_FIT_TRAJECTORIES_MAX, &out->limit);
  ff_get_count(reader, node, "skip", FF_FIT_TRAJECTORIES_MAX, &out->skip);
  out->setting_count = ff_fit_read_set(reader, node, out->keys, out->values);
}

/* Text for a mark: the file's or the trajectory's name, or the value of a column in the first row;
 * NULL: unknown. */
static const char *fit_mark(const char *mark, size_t size, const char *file, const char *name,
                            const ff_measured *data, const double *row, char *number) {
  if (size == 4 && memcmp(mark, "file", 4) == 0) {
    return file;
  }
  if (size == 4 && memcmp(mark, "name", 4) == 0) {
    return name;
  }
  for (int i = 0; i < data->count; i++) {
    if (strlen(data->names[i]) == size && memcmp(data->names[i], mark, size) == 0) {
      return ff_number_text(row[i], number);
    }
  }
  return NULL;
}

/* "key=value" with {file}, {name} and {COLUMN} replaced; other braces are YAML's. */
static const char *fit_setting(ff_arena *arena, const char *key, const char *value,
                               const char *file, const char *name, const ff_measured *data,
                               const double *row) {
  const char *text = ff_fit_print_text(arena, key, "=", value);
  const char *at = text ? strchr(text, '{') : NULL;
  while (text && at) {
    char number[FF_NUMBER_SIZE];
    size_t size = strcspn(at + 1, "{}");
    const char *with =
        at[1 + size] == '}' ? fit_mark(at + 1, size, file, name, data, row, number) : NULL;
    size_t before = (size_t)(at - text);
    if (with) {
      char *head = ff_arena_text(arena, text, before);
      text = head ? ff_fit_print_text(arena, head, with, at + size + 2) : NULL;
      before += strlen(with);
    } else {
      before++;
    }
    at = text ? strchr(text + before, '{') : NULL;
  }
  return text;
}

static int fit_find_column(ff_reader *reader, const ff_measured *data, const char *name) {
  ff_report why = {0};
  int column = ff_measured_find(data, name, &why);
  if (column < 0) {
    ff_reader_fail(reader, &(ff_node){.file = data->file}, "%.150s: %.200s%s%.80s%s", data->file,
                   why.what, why.nearest[0] ? "; did you mean '" : "", why.nearest,
                   why.nearest[0] ? "'?" : "");
  }
  return column;
}

/* Rows first .. end - 1 of a table as a trajectory. */
static void fit_add_trajectory(ff_reader *reader, ff_fit *fit, const fit_source *from,
                               const char *file, const ff_measured *data, const int *columns,
                               int time, long first, long end, const char *name) {
  ff_fit_trajectory *to = &fit->trajectories[fit->trajectory_count];
  ff_arena *arena = reader->arena;
  const double *start = data->values + first * data->count;
  *to = (ff_fit_trajectory){
      .rows = end - first, .setting_count = from->setting_count, .held_out = from->held_out};
  to->name = ff_arena_text(arena, name, strlen(name));
  to->time = ff_arena_take(arena, (size_t)to->rows, sizeof *to->time);
  to->measured = ff_arena_take(arena, (size_t)(to->rows * fit->width), sizeof *to->measured);
  to->settings = ff_arena_take(arena, (size_t)from->setting_count, sizeof *to->settings);
  to->divisors = ff_arena_take(arena, (size_t)fit->divisor_count, sizeof *to->divisors);
  if (!to->name || !to->divisors || !to->time || !to->measured || !to->settings) {
    ff_reader_take(reader, FF_ERROR_MEMORY);
    return;
  }
  for (int i = 0; i < from->setting_count; i++) {
    to->settings[i] =
        fit_setting(arena, from->keys[i], from->values[i], file, to->name, data, start);
    ff_reader_take(reader, to->settings[i] ? FF_OK : FF_ERROR_MEMORY);
  }
  for (int i = 0; i < fit->error_count && reader->status == FF_OK; i++) {
    if (fit->errors[i].over) {
      int column = fit_find_column(reader, data, fit->errors[i].over);
      to->divisors[fit->errors[i].over_at] = column >= 0 ? start[column] : 1;
    }
  }
  double zero = isnan(from->start) ? data->values[first * data->count + time] : from->start;
  for (long r = 0; r < to->rows; r++) {
    const double *row = data->values + (first + r) * data->count;
    to->time[r] = !isnan(from->at)    ? from->at
                  : isnan(from->rate) ? row[time] - zero
                                      : (double)r / from->rate;
    for (int k = 0; k < fit->width; k++) {
      to->measured[r * fit->width + k] = row[columns[k]];
    }
    if (!isfinite(to->time[r]) || (r > 0 && !(to->time[r] > to->time[r - 1]))) {
      ff_reader_fail(reader, &(ff_node){.file = data->file},
                     "times must increase; row %ld does not", first + r + 1);
      return;
    }
  }
  fit->trajectory_count++;
}

static bool fit_reserve_trajectory(ff_reader *reader, ff_fit *fit, size_t *capacity) {
  /* Trajectories live in the arena; a full list moves to one twice as long. */
  if ((size_t)fit->trajectory_count < *capacity) {
    return true;
  }
  size_t more = *capacity ? 2 * *capacity : 64;
  ff_fit_trajectory *list = ff_arena_take(reader->arena, more, sizeof *list);
  if (!list) {
    ff_reader_take(reader, FF_ERROR_MEMORY);
    return false;
  }
  if (fit->trajectories) {
    memcpy(list, fit->trajectories, (size_t)fit->trajectory_count * sizeof *list);
  }
  fit->trajectories = list;
  *capacity = more;
  return true;
}

static void fit_cut_file(ff_reader *reader, ff_fit *fit, const fit_source *from, const char *file,
                         const ff_measured *data, size_t *capacity) {
  int columns[4 * FF_FIT_ITEMS_MAX], split = -1;
  ff_report why = {0};
  int time = ff_measured_time(data, from->time, &why);
  if (time < 0) {
    fit_find_column(reader, data, from->time);
  }
  if (from->split) {
    split = fit_find_column(reader, data, from->split);
  }
  for (int i = 0; i < fit->item_count && reader->status == FF_OK; i++) {
    for (int k = 0; k < fit->items[i].columns_count; k++) {
      columns[fit->items[i].at + k] = fit_find_column(reader, data, fit->items[i].columns[k]);
    }
  }
  int taken = 0, skipped = 0;
  const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
  for (long first = 0, end; first < data->rows && reader->status == FF_OK; first = end) {
    double id = split >= 0 ? data->values[first * data->count + split] : 0;
    for (end = first + 1; end < data->rows; end++) {
      if (split >= 0 && data->values[end * data->count + split] != id) {
        break;
      }
    }
    char name[300], number[FF_NUMBER_SIZE];
    snprintf(name, sizeof name, "%.200s%s%s", base, split >= 0 ? ":" : "",
             split >= 0 ? ff_number_text(id, number) : "");
    bool wanted = skipped >= from->skip && (from->limit == 0 || taken < from->limit);
    skipped += !wanted;
    if (wanted && fit_reserve_trajectory(reader, fit, capacity)) {
      taken++;
      fit_add_trajectory(reader, fit, from, file, data, columns, time, first, end, name);
    }
  }
}

static void fit_load_source(ff_reader *reader, const ff_node *node, ff_fit *fit, size_t *capacity) {
  fit_source *from = ff_arena_take(reader->arena, 1, sizeof *from);
  if (!from) {
    ff_reader_take(reader, FF_ERROR_MEMORY);
    return;
  }
  fit_read_source(reader, node, from);
  for (int i = 0; i < from->file_count && reader->status == FF_OK; i++) {
    ff_measured data;
    ff_report why = {0};
    bool rooted = from->files[i][0] == '/';
    const char *path =
        ff_fit_print_text(reader->arena, rooted ? "" : fit->document.folder, from->files[i], "");
    ff_status status = path ? ff_measured_read(&data, path, &why) : FF_ERROR_MEMORY;
    if (status == FF_OK) {
      fit_cut_file(reader, fit, from, from->files[i], &data, capacity);
      ff_measured_free(&data);
    } else if (status == FF_ERROR_MEMORY) {
      ff_reader_take(reader, status);
    } else {
      char line[32] = "";
      if (why.line > 0) {
        snprintf(line, sizeof line, ", line %d", why.line);
      }
      ff_reader_fail(reader, ff_tree_find(node, "files"), "%.150s%s: %.200s", from->files[i], line,
                     why.what);
    }
  }
}

void ff_fit_read_data(ff_reader *reader, const ff_node *root, ff_fit *fit) {
  size_t capacity = 0;
  ff_reader_require(reader, root, "data");
  const ff_node *node = ff_reader_enter(reader, root, "data");
  if (!node) {
    return;
  }
  if (node->kind == FF_NODE_LIST) {
    int i = 0;
    for (const ff_node *at = node->first; at && reader->status == FF_OK; at = at->next) {
      ff_reader_step(reader, at, i++);
      fit_load_source(reader, at, fit, &capacity);
      ff_reader_leave(reader);
    }
  } else {
    fit_load_source(reader, node, fit, &capacity);
  }
  if (reader->status == FF_OK && fit->trajectory_count == 0) {
    ff_reader_fail(reader, node, "has no trajectories");
  }
  ff_reader_leave(reader);
}
