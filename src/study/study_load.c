/* Reading of a study. */
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "footfall/io.h"
#include "io/scene_reader.h"
#include "study/study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- parameters ------------------------------------------------------------------------------ */

/* Items of a list, as YAML text. */
static void study_read_values(ff_reader *reader, const ff_node *list, ff_vary *vary) {
  if (list->kind != FF_NODE_LIST || list->count == 0) {
    ff_reader_fail(reader, list, "must be a list of values");
    return;
  }
  if (!ff_reader_list(reader, list, FF_STUDY_VALUES_MAX)) {
    return;
  }
  vary->kind = FF_VARY_VALUES;
  vary->values = ff_arena_take(reader->arena, (size_t)list->count, sizeof *vary->values);
  if (!vary->values) {
    ff_reader_take(reader, FF_ERROR_MEMORY);
    return;
  }
  for (const ff_node *at = list->first; at; at = at->next) {
    if (at->kind != FF_NODE_SCALAR || !at->text[0] || strlen(at->text) >= FF_STUDY_TEXT) {
      ff_reader_fail(reader, at, "must be a number or a word of less than %d bytes", FF_STUDY_TEXT);
      return;
    }
    vary->values[vary->count++] = at->text;
  }
}

static void study_read_range(ff_reader *reader, const ff_node *node, ff_vary *vary) {
  static const char *const scales[] = {"linear", "log"};
  int scale = 0;
  ff_reader_require(reader, node, "from");
  ff_reader_require(reader, node, "to");
  ff_get_number(reader, node, "from", FF_ALLOW_ANGLE | FF_ALLOW_RATE, &vary->a);
  ff_get_number(reader, node, "to", FF_ALLOW_ANGLE | FF_ALLOW_RATE, &vary->b);
  ff_get_count(reader, node, "count", FF_STUDY_VALUES_MAX, &vary->count);
  ff_get_word(reader, node, "scale", "scale", scales, FF_COUNT(scales), &scale);
  vary->kind = scale ? FF_VARY_LOG_RANGE : FF_VARY_RANGE;
  if (reader->status == FF_OK && scale && !(vary->a > 0 && vary->b > 0)) {
    ff_reader_fail(reader, node, "scale: log needs from and to greater than 0");
  }
}

/* {normal: [mean, deviation]} and its kin. */
static void study_read_distribution(ff_reader *reader, const ff_node *node, const char *key,
                                    ff_vary *vary) {
  double p[3] = {0};
  const ff_node *list = ff_reader_enter(reader, node, key);
  ff_read_numbers(reader, list, strcmp(key, "triangular") == 0 ? 3 : 2,
                  FF_ALLOW_ANGLE | FF_ALLOW_RATE, p);
  vary->a = p[0];
  vary->b = p[1];
  vary->c = p[2];
  if (reader->status != FF_OK) {
    return;
  }
  if (strcmp(key, "normal") == 0) {
    vary->kind = FF_VARY_NORMAL;
    if (!(p[1] >= 0)) {
      ff_reader_fail(reader, list, "[mean, deviation]: the deviation must not be negative");
    }
  } else if (strcmp(key, "lognormal") == 0) {
    vary->kind = FF_VARY_LOG_NORMAL;
    if (!(p[0] > 0 && p[1] >= 0)) {
      ff_reader_fail(reader, list, "[median, sigma]: median > 0, sigma >= 0");
    }
  } else if (strcmp(key, "triangular") == 0) {
    vary->kind = FF_VARY_TRIANGULAR;
    if (!(p[0] <= p[1] && p[1] <= p[2] && p[0] < p[2])) {
      ff_reader_fail(reader, list, "[least, mode, largest] must be in this order");
    }
  } else {
    vary->kind = strcmp(key, "log-uniform") == 0 ? FF_VARY_LOG_RANGE : FF_VARY_RANGE;
    if (vary->kind == FF_VARY_LOG_RANGE && !(p[0] > 0 && p[1] > 0)) {
      ff_reader_fail(reader, list, "[from, to] must be greater than 0");
    }
  }
  ff_reader_leave(reader);
}

/* The keys of the scene: `path`, one or a list, as in a fit; `paths`; else the name itself. */
static void study_read_paths(ff_reader *reader, const ff_node *node, ff_vary *vary) {
  bool several = ff_tree_find(node, "paths") != NULL;
  if (several && ff_tree_find(node, "path")) {
    ff_reader_fail(reader, node, "has both path and paths");
  }
  vary->path_count =
      ff_read_texts(reader, node, several ? "paths" : "path", FF_STUDY_PATHS_MAX, vary->paths);
  if (vary->path_count == 0) {
    vary->paths[vary->path_count++] = vary->name;
  }
}

static void study_read_vary(ff_reader *reader, const ff_node *node, ff_vary *vary) {
  static const char *const keys[] = {"path",      "paths",       "values",     "from",
                                     "to",        "count",       "scale",      "normal",
                                     "lognormal", "log-uniform", "triangular", "uniform"};
  static const char *const kinds[] = {"normal", "lognormal", "log-uniform", "triangular",
                                      "uniform"};
  vary->name = node->key->text;
  if (node->kind == FF_NODE_LIST) {
    vary->paths[vary->path_count++] = vary->name;
    study_read_values(reader, node, vary);
    return;
  }
  if (!ff_reader_map(reader, node, keys, FF_COUNT(keys))) {
    return;
  }
  study_read_paths(reader, node, vary);
  const char *kind = NULL;
  int given = (ff_tree_find(node, "values") != NULL) +
              (ff_tree_find(node, "from") || ff_tree_find(node, "to"));
  for (int i = 0; i < FF_COUNT(kinds); i++) {
    if (ff_tree_find(node, kinds[i])) {
      kind = kinds[i];
      given++;
    }
  }
  if (given != 1) {
    ff_reader_fail(reader, node,
                   "needs one of: a list of values, from and to (with count), uniform, "
                   "log-uniform, normal, lognormal, triangular");
  } else if (kind) {
    study_read_distribution(reader, node, kind, vary);
  } else if (ff_tree_find(node, "values")) {
    const ff_node *list = ff_reader_enter(reader, node, "values");
    study_read_values(reader, list, vary);
    ff_reader_leave(reader);
  } else {
    study_read_range(reader, node, vary);
  }
}

static void study_read_varies(ff_reader *reader, const ff_node *root, ff_study *study) {
  const ff_node *node = ff_reader_enter(reader, root, "vary");
  if (!node) {
    return;
  }
  if (node->kind != FF_NODE_MAP || node->count == 0 || node->count > FF_STUDY_PARAMETERS_MAX) {
    ff_reader_fail(reader, node, "must map 1 to %d keys of the scene to values",
                   FF_STUDY_PARAMETERS_MAX);
  } else {
    study->varies = ff_arena_take(reader->arena, (size_t)node->count, sizeof *study->varies);
    ff_reader_take(reader, study->varies ? FF_OK : FF_ERROR_MEMORY);
    for (const ff_node *at = node->first; at && reader->status == FF_OK; at = at->next) {
      ff_reader_step(reader, at, 0);
      study_read_vary(reader, at, &study->varies[study->vary_count++]);
      ff_reader_leave(reader);
    }
  }
  ff_reader_leave(reader);
}

/* ---- design ---------------------------------------------------------------------------------- */

static void study_count_grid(ff_reader *reader, const ff_node *node, ff_study *study) {
  study->runs = 1;
  for (int i = 0; i < study->vary_count && reader->status == FF_OK; i++) {
    const ff_vary *vary = &study->varies[i];
    if (vary->count == 0) {
      ff_reader_fail(reader, node,
                     "a grid needs levels, and '%s' has none: give it a list or a count, or "
                     "write design: {kind: sobol, samples: 1000}",
                     vary->name);
    } else if (study->runs > FF_STUDY_RUNS_MAX / vary->count) {
      ff_reader_fail(reader, node, "the grid has more than %ld runs", FF_STUDY_RUNS_MAX);
    } else {
      study->runs *= vary->count;
    }
  }
}

static void study_count_samples(ff_reader *reader, const ff_node *node, ff_study *study) {
  ff_design *design = &study->design;
  int dimensions = study->vary_count * (design->kind == FF_DESIGN_SALTELLI ? 2 : 1);
  long blocks = design->kind == FF_DESIGN_SALTELLI ? study->vary_count + 2 : 1;
  if (design->samples < 1 || design->samples > FF_STUDY_RUNS_MAX / blocks) {
    ff_reader_fail(reader, node, "samples must be from 1 to %ld", FF_STUDY_RUNS_MAX / blocks);
  } else if (design->kind == FF_DESIGN_SOBOL && dimensions > FF_SOBOL_DIMENSIONS) {
    ff_reader_fail(reader, node,
                   "a Sobol sequence varies at most %d parameters; use latin-hypercube",
                   FF_SOBOL_DIMENSIONS);
  }
  study->runs = design->samples * blocks;
}

static void study_read_design(ff_reader *reader, const ff_node *root, ff_study *study) {
  static const char *const keys[] = {"kind", "samples", "seed"};
  static const char *const kinds[] = {"grid", "random", "latin-hypercube", "sobol", "saltelli"};
  const ff_node *node = ff_reader_enter(reader, root, "design");
  int kind = FF_DESIGN_GRID, samples = 0, seed = 1;
  if (node && ff_reader_map(reader, node, keys, FF_COUNT(keys))) {
    ff_reader_require(reader, node, "kind");
    ff_get_word(reader, node, "kind", "design", kinds, FF_COUNT(kinds), &kind);
    ff_get_count(reader, node, "samples", 1000000000, &samples);
    ff_get_count(reader, node, "seed", 2000000000, &seed);
    if (kind == FF_DESIGN_GRID && ff_tree_find(node, "samples")) {
      ff_reader_fail(reader, node, "a grid has no samples: its size follows from the levels");
    }
  }
  study->design = (ff_design){(ff_design_kind)kind, samples, (uint64_t)seed};
  if (reader->status == FF_OK && kind == FF_DESIGN_GRID) {
    study_count_grid(reader, node ? node : root, study);
  } else if (reader->status == FF_OK) {
    study_count_samples(reader, node, study);
  }
  if (node) {
    ff_reader_leave(reader);
  }
}

/* ---- measures -------------------------------------------------------------------------------- */

static void study_read_event(ff_reader *reader, const ff_node *node, ff_measure *measure) {
  static const char *const events[] = {"touch", "lift"};
  int event = 0;
  measure->at_event = true;
  ff_get_word(reader, node, "event", "event", events, FF_COUNT(events), &event);
  measure->event = event ? FF_EVENT_LIFT : FF_EVENT_TOUCH;
  ff_get_count(reader, node, "number", 1000000000, &measure->number);
  if (ff_tree_find(node, "pair")) {
    ff_get_pair(reader, node, "", &measure->body[0], &measure->body[1]);
  }
  if (reader->status == FF_OK && measure->number < 1) {
    ff_reader_fail(reader, node, "events are counted from 1");
  }
}

static void study_read_channel(ff_reader *reader, const ff_node *node, ff_measure *measure) {
  static const char *const takes[FF_TAKE_KINDS] = {
      "end",      "start",       "max",         "min",        "largest",    "mean", "rms",
      "integral", "time-of-max", "time-of-min", "time-above", "time-below", "at"};
  int take = FF_TAKE_END;
  ff_get_text(reader, node, "channel", &measure->channel);
  ff_get_word(reader, node, "take", "measure", takes, FF_TAKE_KINDS, &take);
  measure->take = (ff_take)take;
  ff_get_number(reader, node, "from", 0, &measure->from);
  ff_get_number(reader, node, "to", FF_ALLOW_INFINITE, &measure->to);
  ff_get_number(reader, node, "time", 0, &measure->time);
  ff_get_number(reader, node, "value", FF_ALLOW_ANGLE | FF_ALLOW_RATE, &measure->value);
  bool crossing = take == FF_TAKE_TIME_ABOVE || take == FF_TAKE_TIME_BELOW;
  if (ff_tree_find(node, "event")) {
    study_read_event(reader, node, measure);
  }
  if (reader->status != FF_OK) {
    return;
  }
  if (take == FF_TAKE_AT && isnan(measure->time) == !measure->at_event) {
    ff_reader_fail(reader, node, "take: at needs either time or event");
  } else if (crossing && isnan(measure->value)) {
    ff_reader_fail(reader, node, "take: %s needs a value", takes[take]);
  }
}

static void study_read_expression(ff_reader *reader, const ff_node *node, ff_study *study,
                                  ff_measure *measure) {
  const char *names[FF_STUDY_MEASURES_MAX + FF_STUDY_PARAMETERS_MAX], *text = NULL;
  int count = 0;
  for (int i = 0; i < study->measure_count; i++) {
    names[count++] = study->measures[i].name;
  }
  for (int i = 0; i < study->vary_count; i++) {
    names[count++] = study->varies[i].name;
  }
  ff_get_text(reader, node, "expression", &text);
  if (text) {
    const ff_node *at = ff_tree_find(node, "expression");
    ff_report report;
    ff_status status =
        ff_expression_compile(&measure->expression, reader->arena, text, names, count, &report);
    if (status == FF_ERROR_INPUT && report.nearest[0]) {
      ff_reader_fail(reader, at, "%.300s; did you mean '%s'?", report.what, report.nearest);
    } else if (status == FF_ERROR_INPUT) {
      ff_reader_fail(reader, at, "%.300s; names before it: measures and varied keys", report.what);
    }
    ff_reader_take(reader, status);
  }
}

/* Names of parameters and measures head the columns of an export. */
static void study_check_name(ff_reader *reader, const ff_node *node, const ff_study *study) {
  static const char *const columns[] = {"run", "status", "verdict", "reason", "end", "seconds"};
  const char *name = node->key->text;
  for (int i = 0; i < FF_COUNT(columns); i++) {
    if (strcmp(name, columns[i]) == 0) {
      ff_reader_fail(reader, node, "'%s' is a column of every export: choose another name", name);
    }
  }
  for (int i = 0; i < study->vary_count; i++) {
    if (strcmp(name, study->varies[i].name) == 0) {
      ff_reader_fail(reader, node, "a parameter has this name");
    }
  }
}

static void study_read_measure(ff_reader *reader, const ff_node *node, ff_study *study) {
  static const char *const keys[] = {"channel", "take",  "from", "to",     "time",
                                     "value",   "event", "pair", "number", "expression"};
  ff_measure measure = {.name = node->key->text,
                        .unit = "",
                        .from = 0,
                        .to = INFINITY,
                        .time = NAN,
                        .value = NAN,
                        .number = 1};
  if (!ff_reader_map(reader, node, keys, FF_COUNT(keys))) {
    return;
  }
  bool channel = ff_tree_find(node, "channel") != NULL;
  if (channel == (ff_tree_find(node, "expression") != NULL)) {
    ff_reader_fail(reader, node, "needs either a channel or an expression");
  } else if (channel) {
    study_read_channel(reader, node, &measure);
  } else {
    study_read_expression(reader, node, study, &measure);
  }
  study->measures[study->measure_count++] = measure;
}

static void study_read_measures(ff_reader *reader, const ff_node *root, ff_study *study) {
  const ff_node *node = ff_reader_enter(reader, root, "measure");
  if (!node) {
    return;
  }
  if (node->kind != FF_NODE_MAP || node->count > FF_STUDY_MEASURES_MAX) {
    ff_reader_fail(reader, node, "must map at most %d names to measures", FF_STUDY_MEASURES_MAX);
  } else if (node->count > 0) {
    study->measures = ff_arena_take(reader->arena, (size_t)node->count, sizeof *study->measures);
    ff_reader_take(reader, study->measures ? FF_OK : FF_ERROR_MEMORY);
    for (const ff_node *at = node->first; at && reader->status == FF_OK; at = at->next) {
      ff_reader_step(reader, at, 0);
      study_check_name(reader, at, study);
      study_read_measure(reader, at, study);
      ff_reader_leave(reader);
    }
  }
  ff_reader_leave(reader);
}

/* ---- checks against the scene ---------------------------------------------------------------- */

static uint64_t study_hash(uint64_t hash, const void *bytes, size_t size) {
  const unsigned char *byte = bytes; /* FNV-1a */
  for (size_t i = 0; i < size; i++) {
    hash = (hash ^ byte[i]) * 0x100000001b3U;
  }
  return hash;
}

static ff_status study_take_fingerprint(ff_study *study, const ff_scene *scene, ff_report *report) {
  uint64_t hash =
      study_hash(0xcbf29ce484222325U, study->document.source, strlen(study->document.source));
  hash = study_hash(hash, study->document.scene_text, study->document.scene_size);
  ff_status status = FF_OK;
  for (int i = 0; i < ff_scene_read_count(scene) && status == FF_OK; i++) {
    char *text;
    size_t size;
    status = ff_file_read(&text, &size, ff_scene_read_file(scene, i), (size_t)1 << 32, report);
    if (status == FF_OK) {
      hash = study_hash(hash, text, size);
      ff_free(text);
    }
  }
  study->fingerprint = hash;
  return status;
}

static ff_status study_check_channel(ff_study *study, ff_measure *measure, const ff_model *model,
                                     ff_report *report) {
  int count = ff_model_channel_count(model);
  for (int i = 0; i < count; i++) {
    ff_channel channel = ff_model_channel(model, i);
    if (strcmp(channel.name, measure->channel) == 0) {
      bool time = measure->take >= FF_TAKE_TIME_OF_MAX && measure->take <= FF_TAKE_TIME_BELOW;
      bool same = measure->take != FF_TAKE_INTEGRAL;
      measure->unit = time ? "s" : same ? channel.unit : "";
      return FF_OK;
    }
  }
  const char **names = ff_alloc((size_t)count + 1, sizeof *names);
  ff_channel *all = ff_alloc((size_t)count + 1, sizeof *all);
  ff_status status = FF_ERROR_MEMORY;
  if (names && all) {
    for (int i = 0; i < count; i++) {
      all[i] = ff_model_channel(model, i);
      names[i] = all[i].name;
    }
    status = ff_report_unknown(report, "channel", measure->channel, names, count);
    ff_report_key(report, "measure.%s.channel", measure->name);
    ff_tree_place(report, &(ff_node){.file = study->document.file});
  }
  ff_free(names);
  ff_free(all);
  return status;
}

/* Builds the first of some runs that can be built: a run that cannot is a failed row of the sweep,
 * but if none of these can, the study is wrong. The report is of run 0. */
static ff_status study_build_one(const ff_study *study, ff_scene **scene, ff_model **model,
                                 ff_report *report) {
  enum { TRIES = 32 };
  long tries = study->runs < TRIES ? study->runs : TRIES;
  ff_status first = ff_study_build(study, 0, scene, model, report), status = first;
  for (long i = 1; i < tries && status == FF_ERROR_INPUT; i++) {
    ff_report why = {0};
    long run = (long)((double)i * (double)study->runs / (double)tries);
    status = ff_study_build(study, run, scene, model, &why);
  }
  if (status == FF_OK && first != FF_OK && report) {
    memset(report, 0, sizeof *report);
  }
  return status == FF_OK ? FF_OK : first;
}

/* Some run must build, and have the channels and bodies that are measured. */
static ff_status study_check_scene(ff_study *study, ff_report *report) {
  ff_scene *scene;
  ff_model *model;
  ff_status status = study_build_one(study, &scene, &model, report);
  if (status == FF_OK) {
    status = study_take_fingerprint(study, scene, report);
  }
  for (int i = 0; i < study->measure_count && status == FF_OK; i++) {
    ff_measure *measure = &study->measures[i];
    status = measure->channel ? study_check_channel(study, measure, model, report) : FF_OK;
    for (int k = 0; k < 2 && status == FF_OK && measure->body[k]; k++) {
      if (ff_model_body_find(model, measure->body[k]).id == 0) {
        status = ff_report_what(report, "no body is named '%.80s'", measure->body[k]);
        ff_report_key(report, "measure.%s.pair", measure->name);
        ff_tree_place(report, &(ff_node){.file = study->document.file});
      }
    }
  }
  ff_model_destroy(&model);
  ff_scene_destroy(&scene);
  return status;
}

/* ---- document -------------------------------------------------------------------------------- */

static ff_status study_read(ff_study *study, const ff_node *root, ff_report *report) {
  static const char *const keys[] = {"study", "name", "scene", "vary", "design", "measure"};
  ff_reader reader = {.arena = &study->arena, .report = report};
  if (ff_reader_map(&reader, root, keys, FF_COUNT(keys))) {
    ff_document_check_version(&reader, root, "study");
    ff_document_read_scene(&reader, root, &study->document);
    ff_reader_require(&reader, root, "vary");
    study_read_varies(&reader, root, study);
    study_read_design(&reader, root, study);
    study_read_measures(&reader, root, study);
  }
  return reader.status == FF_OK ? study_check_scene(study, report) : reader.status;
}

ff_status ff_study_load(ff_study **out, const char *path, ff_report *report) {
  ff_study *study = ff_alloc(1, sizeof *study);
  ff_node *root;
  *out = NULL;
  if (!study) {
    return FF_ERROR_MEMORY;
  }
  ff_status status = ff_document_read(&study->document, &study->arena, path, &root, report);
  status = status == FF_OK ? study_read(study, root, report) : status;
  if (status == FF_OK) {
    *out = study;
  } else {
    ff_study_destroy(&study);
  }
  return status;
}

void ff_study_destroy(ff_study **at) {
  ff_study *study = at ? *at : NULL;
  if (study) {
    *at = NULL;
    ff_arena arena = study->arena;
    ff_free(study);
    ff_arena_free(&arena);
  }
}
