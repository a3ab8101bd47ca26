/* Reading of a fit: its file, its scene, its data. */
#include "base/file.h"
#include "base/memory.h"
#include "base/report.h"
#include "footfall/io.h"
#include "io/measured.h"
#include "io/scene_reader.h"
#include "study/fit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FILES_MAX = 10000, SETTINGS_MAX = 64 };

/* A data section: files, their columns of time and trajectory, settings of the scene. */
typedef struct fit_source {
  const char *files[FILES_MAX];
  int file_count;
  const char *time, *split;
  double start, rate;
  int limit, skip;
  const char *keys[SETTINGS_MAX], *values[SETTINGS_MAX];
  int setting_count;
} fit_source;

static char *fit_print(ff_arena *arena, const char *a, const char *b, const char *c) {
  size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
  char *out = ff_arena_take(arena, size, 1);
  if (out) {
    snprintf(out, size, "%s%s%s", a, b, c);
  }
  return out;
}

/* ---- parameters ------------------------------------------------------------------------------ */

/* One text, or a list of texts, under a key. */
static int fit_read_texts(ff_reader *reader, const ff_node *map, const char *key, int most,
                          const char **out) {
  const ff_node *node = ff_reader_enter(reader, map, key);
  int count = 0;
  if (!node) {
    return 0;
  }
  if (node->kind == FF_NODE_SCALAR) {
    out[count++] = node->text;
  } else if (node->kind == FF_NODE_LIST && node->count > 0 && node->count <= most) {
    for (const ff_node *at = node->first; at && reader->status == FF_OK; at = at->next) {
      if (at->kind == FF_NODE_SCALAR) {
        out[count++] = at->text;
      } else {
        ff_reader_fail(reader, at, "must be a text");
      }
    }
  } else {
    ff_reader_fail(reader, node, "must be a text or a list of 1 to %d texts", most);
  }
  ff_reader_leave(reader);
  return count;
}

static void fit_read_parameter(ff_reader *reader, const ff_node *node, ff_fit_parameter *out) {
  static const char *const keys[] = {"path", "start", "bounds", "scale", "each"};
  static const char *const scales[] = {"linear", "log"};
  int scale = 0;
  double bounds[2] = {NAN, NAN};
  *out = (ff_fit_parameter){.name = node->key->text, .start = NAN};
  if (!ff_reader_map(reader, node, keys, FF_COUNT(keys))) {
    return;
  }
  out->path_count = fit_read_texts(reader, node, "path", FF_FIT_PATHS_MAX, out->paths);
  ff_reader_require(reader, node, "bounds");
  const ff_node *list = ff_reader_enter(reader, node, "bounds");
  if (list) {
    ff_read_numbers(reader, list, 2, FF_ALLOW_ANGLE | FF_ALLOW_RATE, bounds);
    ff_reader_leave(reader);
  }
  ff_get_number(reader, node, "start", FF_ALLOW_ANGLE | FF_ALLOW_RATE, &out->start);
  ff_get_word(reader, node, "scale", "scale", scales, 2, &scale);
  ff_get_flag(reader, node, "each", &out->each);
  out->log = scale == 1;
  out->low = bounds[0];
  out->high = bounds[1];
  if (reader->status != FF_OK) {
    return;
  }
  if (!(out->low < out->high)) {
    ff_reader_fail(reader, node, "bounds: the first must be less than the second");
  } else if (out->log && !(out->low > 0)) {
    ff_reader_fail(reader, node, "scale: log needs bounds greater than 0");
  }
  if (isnan(out->start)) {
    out->start = out->log ? sqrt(out->low * out->high) : 0.5 * (out->low + out->high);
  } else if (!(out->start >= out->low && out->start <= out->high)) {
    ff_reader_fail(reader, node, "start must lie within the bounds");
  }
}

/* Appends the parameters under `parameters` to a list. */
static void fit_read_parameters(ff_reader *reader, const ff_node *map, ff_fit_parameter *list,
                                int *count) {
  const ff_node *node = ff_reader_enter(reader, map, "parameters");
  if (!node) {
    return;
  }
  if (node->kind != FF_NODE_MAP || node->count + *count > FF_FIT_PARAMETERS_MAX) {
    ff_reader_fail(reader, node, "must map at most %d names to parameters", FF_FIT_PARAMETERS_MAX);
  }
  for (const ff_node *at = node->first; at && reader->status == FF_OK; at = at->next) {
    ff_reader_step(reader, at, 0);
    for (int i = 0; i < *count; i++) {
      if (strcmp(list[i].name, at->key->text) == 0) {
        ff_reader_fail(reader, at, "another parameter has this name");
      }
    }
    fit_read_parameter(reader, at, &list[(*count)++]);
    ff_reader_leave(reader);
  }
  ff_reader_leave(reader);
}

/* ---- laws ------------------------------------------------------------------------------------ */

/* Keys of the scene and their values as text, under `set`. */
static int fit_read_set(ff_reader *reader, const ff_node *map, const char **keys,
                        const char **values) {
  const ff_node *node = ff_reader_enter(reader, map, "set");
  int count = 0;
  if (!node) {
    return 0;
  }
  if (node->kind != FF_NODE_MAP || node->count > SETTINGS_MAX) {
    ff_reader_fail(reader, node, "must map at most %d keys of the scene to values", SETTINGS_MAX);
  }
  for (const ff_node *at = node->first; at && reader->status == FF_OK; at = at->next) {
    if (at->kind == FF_NODE_SCALAR) {
      keys[count] = at->key->text;
      values[count++] = at->text;
    } else {
      ff_reader_fail(reader, at, "must be one number or word; set each of several by its own key");
    }
  }
  ff_reader_leave(reader);
  return count;
}

static void fit_read_law(ff_reader *reader, const ff_node *node, const ff_fit_law *common,
                         ff_fit_law *out) {
  static const char *const known[] = {"set", "parameters"};
  const char *keys[SETTINGS_MAX], *values[SETTINGS_MAX];
  out->name = node ? node->key->text : "scene";
  out->parameters = ff_arena_take(reader->arena, FF_FIT_PARAMETERS_MAX, sizeof *out->parameters);
  out->settings = ff_arena_take(reader->arena, SETTINGS_MAX, sizeof *out->settings);
  if (!out->parameters || !out->settings) {
    ff_reader_take(reader, FF_ERROR_MEMORY);
    return;
  }
  memcpy(out->parameters, common->parameters,
         (size_t)common->parameter_count * sizeof *out->parameters);
  out->parameter_count = common->parameter_count;
  if (!node || !ff_reader_map(reader, node, known, FF_COUNT(known))) {
    return;
  }
  int count = fit_read_set(reader, node, keys, values);
  for (int i = 0; i < count; i++) {
    out->settings[i] = fit_print(reader->arena, keys[i], "=", values[i]);
    ff_reader_take(reader, out->settings[i] ? FF_OK : FF_ERROR_MEMORY);
  }
  out->setting_count = count;
  fit_read_parameters(reader, node, out->parameters, &out->parameter_count);
}

static void fit_read_laws(ff_reader *reader, const ff_node *root, ff_fit *fit) {
  ff_fit_parameter list[FF_FIT_PARAMETERS_MAX];
  ff_fit_law common = {.parameters = list};
  fit_read_parameters(reader, root, list, &common.parameter_count);
  const ff_node *node = ff_reader_enter(reader, root, "laws");
  int count = node ? node->count : 1;
  if (node && (node->kind != FF_NODE_MAP || count < 1 || count > FF_FIT_LAWS_MAX)) {
    ff_reader_fail(reader, node, "must map 1 to %d names to laws", FF_FIT_LAWS_MAX);
  }
  fit->laws = ff_arena_take(reader->arena, (size_t)count, sizeof *fit->laws);
  ff_reader_take(reader, fit->laws ? FF_OK : FF_ERROR_MEMORY);
  for (const ff_node *at = node ? node->first : NULL; at && reader->status == FF_OK;
       at = at->next) {
    ff_reader_step(reader, at, 0);
    fit_read_law(reader, at, &common, &fit->laws[fit->law_count++]);
    ff_reader_leave(reader);
  }
  if (node) {
    ff_reader_leave(reader);
  } else if (reader->status == FF_OK) {
    fit_read_law(reader, NULL, &common, &fit->laws[fit->law_count++]);
  }
  for (int i = 0; i < fit->law_count && reader->status == FF_OK; i++) {
    if (fit->laws[i].parameter_count == 0) {
      ff_reader_fail(reader, root, "no parameters to fit for the law %.60s", fit->laws[i].name);
    }
  }
}

/* ---- compared quantities --------------------------------------------------------------------- */

/* Number or name of a parameter that every law has. */
static void fit_take_number(ff_reader *reader, const ff_node *node, const ff_fit *fit,
                            ff_fit_number *out) {
  if (node->kind == FF_NODE_SCALAR && ff_number_read(node->text, &out->value)) {
    return;
  }
  out->parameter = node->kind == FF_NODE_SCALAR ? node->text : "";
  for (int i = 0; i < fit->law_count; i++) {
    bool known = false;
    for (int k = 0; k < fit->laws[i].parameter_count; k++) {
      known = known || strcmp(fit->laws[i].parameters[k].name, out->parameter) == 0;
    }
    if (!known) {
      ff_reader_fail(reader, node, "must be a number or the name of a parameter");
      return;
    }
  }
}

static void fit_get_number(ff_reader *reader, const ff_node *map, const char *key,
                           const ff_fit *fit, ff_fit_number *out) {
  const ff_node *node = ff_reader_enter(reader, map, key);
  if (node) {
    fit_take_number(reader, node, fit, out);
    ff_reader_leave(reader);
  }
}

static void fit_get_offset(ff_reader *reader, const ff_node *map, const ff_fit *fit,
                           ff_fit_item *item) {
  const ff_node *node = ff_reader_enter(reader, map, "offset");
  if (!node) {
    return;
  }
  if (node->kind == FF_NODE_SCALAR) {
    fit_take_number(reader, node, fit, &item->offset[0]);
    item->offset[1] = item->offset[2] = item->offset[0];
  } else {
    int k = 0;
    for (const ff_node *at = node->first; at && k < 3; at = at->next) {
      fit_take_number(reader, at, fit, &item->offset[k++]);
    }
    if (k != item->parts || node->count != item->parts) {
      ff_reader_fail(reader, node, "must be a list of %d", item->parts);
    }
  }
  ff_reader_leave(reader);
}

static void fit_read_item(ff_reader *reader, const ff_node *node, void *context) {
  static const char *const keys[] = {"columns", "channel", "position", "orientation",
                                     "noise",   "scale",   "offset",   "delay"};
  static const char *const of[] = {"channel", "position", "orientation"};
  ff_fit *fit = context;
  ff_fit_item *item = &fit->items[fit->item_count++];
  *item = (ff_fit_item){.noise = NAN, .scale = {.value = 1}, .unit = ""};
  if (!ff_reader_map(reader, node, keys, FF_COUNT(keys))) {
    return;
  }
  int given = 0;
  for (int i = 0; i < 3; i++) {
    if (ff_tree_find(node, of[i])) {
      item->kind = (ff_fit_kind)i;
      ff_get_text(reader, node, of[i], &item->of);
      given++;
    }
  }
  ff_reader_require(reader, node, "columns");
  ff_reader_require(reader, node, "noise");
  item->columns_count = fit_read_texts(reader, node, "columns", 4, item->columns);
  ff_get_number(reader, node, "noise", FF_ALLOW_ANGLE, &item->noise);
  static const int wanted[] = {1, 3, 4};
  if (reader->status == FF_OK && given != 1) {
    ff_reader_fail(reader, node, "needs one of channel, position (of a body) and orientation");
  } else if (reader->status == FF_OK && item->columns_count != wanted[item->kind]) {
    ff_reader_fail(reader, node, "%s: needs %d columns", of[item->kind], wanted[item->kind]);
  } else if (reader->status == FF_OK && !(item->noise > 0)) {
    ff_reader_fail(reader, node, "noise must be greater than 0");
  }
  item->parts = item->columns_count == 4 ? 3 : item->columns_count;
  fit_get_number(reader, node, "scale", fit, &item->scale);
  fit_get_number(reader, node, "delay", fit, &item->delay);
  fit_get_offset(reader, node, fit, item);
  item->at = fit->width;
  fit->width += item->columns_count;
  fit->parts += item->parts;
}

static void fit_read_items(ff_reader *reader, const ff_node *root, ff_fit *fit) {
  const ff_node *node = ff_tree_find(root, "compare");
  ff_reader_require(reader, root, "compare");
  if (!node || reader->status != FF_OK) {
    return;
  }
  if (node->kind != FF_NODE_LIST || node->count < 1 || node->count > FF_FIT_ITEMS_MAX) {
    ff_reader_fail(reader, node, "must be a list of 1 to %d quantities", FF_FIT_ITEMS_MAX);
    return;
  }
  fit->items = ff_arena_take(reader->arena, (size_t)node->count, sizeof *fit->items);
  ff_reader_take(reader, fit->items ? FF_OK : FF_ERROR_MEMORY);
  ff_reader_each(reader, root, "compare", fit_read_item, fit);
}

/* ---- data ------------------------------------------------------------------------------------ */

static void fit_read_source(ff_reader *reader, const ff_node *node, fit_source *out) {
  static const char *const keys[] = {"files", "time", "rate",  "start",
                                     "split", "set",  "limit", "skip"};
  *out = (fit_source){.start = NAN, .rate = NAN};
  if (!ff_reader_map(reader, node, keys, FF_COUNT(keys))) {
    return;
  }
  ff_reader_require(reader, node, "files");
  out->file_count = fit_read_texts(reader, node, "files", FILES_MAX, out->files);
  ff_get_text(reader, node, "time", &out->time);
  ff_get_text(reader, node, "split", &out->split);
  ff_get_number(reader, node, "start", 0, &out->start);
  ff_get_number(reader, node, "rate", 0, &out->rate);
  ff_get_count(reader, node, "limit", FF_FIT_TRAJECTORIES_MAX, &out->limit);
  ff_get_count(reader, node, "skip", FF_FIT_TRAJECTORIES_MAX, &out->skip);
  out->setting_count = fit_read_set(reader, node, out->keys, out->values);
}

/* "key=value" with {file} and {name} replaced. */
static const char *fit_setting(ff_arena *arena, const char *key, const char *value,
                               const char *file, const char *name) {
  const char *text = fit_print(arena, key, "=", value);
  static const char *const marks[] = {"{file}", "{name}"};
  const char *const with[] = {file, name};
  for (int i = 0; i < 2 && text; i++) {
    const char *at = strstr(text, marks[i]);
    if (at) {
      char *head = ff_arena_text(arena, text, (size_t)(at - text));
      text = head ? fit_print(arena, head, with[i], at + strlen(marks[i])) : NULL;
    }
  }
  return text;
}

/* Rows first .. end - 1 of a table as a trajectory. */
static void fit_add_trajectory(ff_reader *reader, ff_fit *fit, const fit_source *from,
                               const char *file, const ff_measured *data, const int *columns,
                               int time, long first, long end, const char *name) {
  ff_fit_trajectory *to = &fit->trajectories[fit->trajectory_count];
  ff_arena *arena = reader->arena;
  *to = (ff_fit_trajectory){.rows = end - first, .setting_count = from->setting_count};
  to->name = ff_arena_text(arena, name, strlen(name));
  to->time = ff_arena_take(arena, (size_t)to->rows, sizeof *to->time);
  to->measured = ff_arena_take(arena, (size_t)(to->rows * fit->width), sizeof *to->measured);
  to->settings = ff_arena_take(arena, (size_t)from->setting_count, sizeof *to->settings);
  if (!to->name || !to->time || !to->measured || !to->settings) {
    ff_reader_take(reader, FF_ERROR_MEMORY);
    return;
  }
  for (int i = 0; i < from->setting_count; i++) {
    to->settings[i] = fit_setting(arena, from->keys[i], from->values[i], file, to->name);
    ff_reader_take(reader, to->settings[i] ? FF_OK : FF_ERROR_MEMORY);
  }
  double zero = isnan(from->start) ? data->values[first * data->count + time] : from->start;
  for (long r = 0; r < to->rows; r++) {
    const double *row = data->values + (first + r) * data->count;
    to->time[r] = isnan(from->rate) ? row[time] - zero : (double)r / from->rate;
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
    const char *path = fit_print(reader->arena, rooted ? "" : fit->folder, from->files[i], "");
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

static void fit_read_data(ff_reader *reader, const ff_node *root, ff_fit *fit) {
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

/* ---- the rest -------------------------------------------------------------------------------- */

static void fit_read_first_state(ff_reader *reader, const ff_node *root, ff_fit *fit) {
  static const char *const keys[] = {"body", "until"};
  const ff_node *node = ff_reader_enter(reader, root, "first-state");
  if (!node) {
    return;
  }
  if (ff_reader_map(reader, node, keys, FF_COUNT(keys))) {
    ff_reader_require(reader, node, "body");
    ff_get_text(reader, node, "body", &fit->first_state);
    ff_get_number(reader, node, "until", 0, &fit->first_until);
  }
  bool placed = false, turned = false;
  for (int i = 0; i < fit->item_count && fit->first_state; i++) {
    bool same = fit->items[i].of && strcmp(fit->items[i].of, fit->first_state) == 0;
    placed = placed || (same && fit->items[i].kind == FF_FIT_POSITION);
    turned = turned || (same && fit->items[i].kind == FF_FIT_ORIENTATION);
  }
  if (reader->status == FF_OK && !(placed && turned)) {
    ff_reader_fail(reader, node, "position and orientation of this body must be compared");
  }
  ff_reader_leave(reader);
}

static void fit_read_loss(ff_reader *reader, const ff_node *root, ff_fit *fit) {
  static const char *const keys[] = {"kind", "scale"};
  static const char *const kinds[] = {"square", "soft-l1", "huber", "cauchy"};
  int kind = 0;
  const ff_node *node = ff_reader_enter(reader, root, "loss");
  if (!node) {
    return;
  }
  if (ff_reader_map(reader, node, keys, FF_COUNT(keys))) {
    ff_get_word(reader, node, "kind", "loss", kinds, FF_COUNT(kinds), &kind);
    ff_get_number(reader, node, "scale", 0, &fit->loss_scale);
    if (reader->status == FF_OK && !(fit->loss_scale > 0)) {
      ff_reader_fail(reader, node, "scale must be greater than 0");
    }
  }
  fit->loss = (ff_fit_loss)kind;
  ff_reader_leave(reader);
}

/* A share of the trajectories, evenly spread, or their names. */
static void fit_read_held_out(ff_reader *reader, const ff_node *root, ff_fit *fit) {
  const ff_node *node = ff_reader_enter(reader, root, "hold-out");
  double share = 0;
  int left = 0;
  if (node && node->kind == FF_NODE_SCALAR) {
    share = ff_read_number(reader, node, 0);
    if (reader->status == FF_OK && !(share >= 0 && share < 1)) {
      ff_reader_fail(reader, node, "must be a share from 0 to less than 1, or a list of names");
    }
  }
  for (int i = 0; i < fit->trajectory_count; i++) {
    ff_fit_trajectory *at = &fit->trajectories[i];
    at->held_out = floor(share * (i + 1)) > floor(share * i);
    for (const ff_node *n = node && node->kind == FF_NODE_LIST ? node->first : NULL; n;
         n = n->next) {
      at->held_out |= n->kind == FF_NODE_SCALAR && strcmp(n->text, at->name) == 0;
    }
    at->fold = fit->folds > 0 && !at->held_out ? left % fit->folds : -1;
    left += !at->held_out;
  }
  if (reader->status == FF_OK && left == 0) {
    ff_reader_fail(reader, node ? node : root, "leaves no trajectory for the fit");
  } else if (reader->status == FF_OK && fit->folds > left) {
    ff_reader_fail(reader, root, "folds: more than the %d trajectories of the fit", left);
  }
  if (node) {
    ff_reader_leave(reader);
  }
}

static void fit_read_scene(ff_reader *reader, const ff_node *root, ff_fit *fit) {
  const char *name = NULL;
  ff_reader_require(reader, root, "scene");
  ff_get_text(reader, root, "scene", &name);
  if (!name) {
    return;
  }
  fit->scene_file = fit_print(reader->arena, name[0] == '/' ? "" : fit->folder, name, "");
  char *text = NULL;
  ff_report why = {0};
  ff_status status = fit->scene_file ? ff_file_read(&text, &fit->scene_size, fit->scene_file,
                                                    FF_SCENE_BYTES_MAX, &why)
                                     : FF_ERROR_MEMORY;
  if (status == FF_OK) {
    fit->scene_text = ff_arena_text(reader->arena, text, fit->scene_size);
    ff_reader_take(reader, fit->scene_text ? FF_OK : FF_ERROR_MEMORY);
    ff_free(text);
  } else if (status == FF_ERROR_MEMORY) {
    ff_reader_take(reader, status);
  } else {
    ff_reader_fail(reader, ff_tree_find(root, "scene"), "the scene %.200s cannot be read: %.150s",
                   fit->scene_file, why.what);
  }
}

/* Every trajectory must have rows to compare and compute once, and the first state be found. */
static ff_status fit_check(ff_fit *fit, ff_report *report) {
  ff_status status = FF_OK;
  double values[FF_FIT_PARAMETERS_MAX];
  for (int i = 0; i < fit->trajectory_count && status == FF_OK; i++) {
    ff_fit_trajectory *at = &fit->trajectories[i];
    if (at->rows < 2 || ff_fit_residuals(fit, at, NULL, NULL, NULL) == 0) {
      status = ff_report_what(report, "trajectory %.100s has nothing to compare", at->name);
      ff_report_key(report, "data");
    } else if (fit->first_state) {
      status = ff_fit_find_flight(fit, at, report);
    }
  }
  for (int l = 0; l < fit->law_count && status == FF_OK; l++) {
    const ff_fit_law *law = &fit->laws[l];
    const ff_fit_trajectory *at = &fit->trajectories[0];
    double *computed = ff_alloc((size_t)(at->rows * fit->parts), sizeof *computed);
    for (int i = 0; i < law->parameter_count; i++) {
      values[i] = law->parameters[i].start;
    }
    status = computed ? ff_fit_compute(fit, law, at, values, computed, report) : FF_ERROR_MEMORY;
    status = status == FF_ERROR_STEP ? FF_OK : status; /* other parameters may succeed */
    ff_free(computed);
  }
  return status;
}

static ff_status fit_read(ff_fit *fit, const ff_node *root, ff_report *report) {
  static const char *const keys[] = {
      "fit",  "name",        "scene",  "parameters", "laws",     "compare", "data",  "window",
      "loss", "first-state", "starts", "folds",      "hold-out", "step",    "limit", "samples"};
  ff_reader reader = {.arena = &fit->arena, .report = report};
  double version = 1, window[2] = {-INFINITY, INFINITY};
  if (ff_reader_map(&reader, root, keys, FF_COUNT(keys))) {
    ff_reader_require(&reader, root, "fit");
    ff_get_number(&reader, root, "fit", 0, &version);
    if (version != 1) {
      ff_reader_fail(&reader, root, "this program reads fits of version 1, not %g", version);
    }
    ff_get_text(&reader, root, "name", &fit->name);
    ff_get_count(&reader, root, "samples", 100000, &fit->samples);
    ff_get_count(&reader, root, "starts", 10000, &fit->starts);
    ff_get_count(&reader, root, "folds", 1000, &fit->folds);
    ff_get_count(&reader, root, "limit", 100000, &fit->limit);
    ff_get_number(&reader, root, "step", 0, &fit->step);
    const ff_node *node = ff_reader_enter(&reader, root, "window");
    if (node) {
      ff_read_numbers(&reader, node, 2, FF_ALLOW_INFINITE, window);
      ff_reader_leave(&reader);
    }
    fit->from = window[0];
    fit->to = window[1];
    fit_read_scene(&reader, root, fit);
    fit_read_laws(&reader, root, fit);
    fit_read_items(&reader, root, fit);
    fit_read_loss(&reader, root, fit);
    if (reader.status == FF_OK) {
      fit_read_data(&reader, root, fit);
    }
    if (reader.status == FF_OK) {
      fit_read_first_state(&reader, root, fit);
      fit_read_held_out(&reader, root, fit);
    }
    if (reader.status == FF_OK && !(fit->step > 0 && fit->step < 0.1)) {
      ff_reader_fail(&reader, root, "step must be greater than 0 and less than 0.1");
    }
  }
  return reader.status == FF_OK ? fit_check(fit, report) : reader.status;
}

ff_status ff_fit_load(ff_fit **out, const char *path, ff_report *report) {
  char *text;
  size_t size;
  *out = NULL;
  if (report) {
    memset(report, 0, sizeof *report);
  }
  ff_status status = ff_file_read(&text, &size, path, FF_SCENE_BYTES_MAX, report);
  if (status != FF_OK) {
    return status;
  }
  ff_fit *fit = ff_alloc(1, sizeof *fit);
  status = FF_ERROR_MEMORY;
  if (fit) {
    const char *slash = strrchr(path, '/');
    *fit = (ff_fit){.starts = 1, .step = 1e-4, .limit = 200, .loss_scale = 1, .first_until = NAN};
    fit->file = fit->name = ff_arena_text(&fit->arena, path, strlen(path));
    fit->folder = ff_arena_text(&fit->arena, path, slash ? (size_t)(slash - path) + 1 : 0);
    ff_node *root;
    if (fit->file && fit->folder) {
      status = ff_tree_read(&root, &fit->arena, text, size, fit->file, report);
      status = status == FF_OK ? fit_read(fit, root, report) : status;
    }
  }
  ff_free(text);
  if (status == FF_OK) {
    *out = fit;
  } else {
    ff_fit_destroy(&fit);
  }
  return status;
}

void ff_fit_destroy(ff_fit **at) {
  ff_fit *fit = at ? *at : NULL;
  if (fit) {
    *at = NULL;
    ff_arena arena = fit->arena;
    ff_free(fit);
    ff_arena_free(&arena);
  }
}
