/* Parameters and laws of a fit. */
#include "study/fit_read.h"

#include "base/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

char *ff_fit_print_text(ff_arena *arena, const char *a, const char *b, const char *c) {
  size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
  char *out = ff_arena_take(arena, size, 1);
  if (out) {
    snprintf(out, size, "%s%s%s", a, b, c);
  }
  return out;
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
  out->path_count = ff_read_texts(reader, node, "path", FF_FIT_PATHS_MAX, out->paths);
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
int ff_fit_read_set(ff_reader *reader, const ff_node *map, const char **keys, const char **values) {
  const ff_node *node = ff_reader_enter(reader, map, "set");
  int count = 0;
  if (!node) {
    return 0;
  }
  if (node->kind != FF_NODE_MAP || node->count > FF_FIT_SETTINGS_MAX) {
    ff_reader_fail(reader, node, "must map at most %d keys of the scene to values",
                   FF_FIT_SETTINGS_MAX);
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
  const char *keys[FF_FIT_SETTINGS_MAX], *values[FF_FIT_SETTINGS_MAX];
  out->name = node ? node->key->text : "scene";
  out->parameters = ff_arena_take(reader->arena, FF_FIT_PARAMETERS_MAX, sizeof *out->parameters);
  out->settings = ff_arena_take(reader->arena, FF_FIT_SETTINGS_MAX, sizeof *out->settings);
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
  int count = ff_fit_read_set(reader, node, keys, values);
  for (int i = 0; i < count; i++) {
    out->settings[i] = ff_fit_print_text(reader->arena, keys[i], "=", values[i]);
    ff_reader_take(reader, out->settings[i] ? FF_OK : FF_ERROR_MEMORY);
  }
  out->setting_count = count;
  fit_read_parameters(reader, node, out->parameters, &out->parameter_count);
}

void ff_fit_read_laws(ff_reader *reader, const ff_node *root, ff_fit *fit) {
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
