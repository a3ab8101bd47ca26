/* Reading of a fit: its file, its scene, its data. */
#include "base/memory.h"
#include "base/report.h"
#include "footfall/io.h"
#include "study/fit_read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* Number in [0, 1) that follows from a name alone: FNV-1a, then the finaliser of splitmix64. */
static double fit_name_share(const char *name) {
  uint64_t hash = 0xcbf29ce484222325U;
  for (; *name; name++) {
    hash = (hash ^ (unsigned char)*name) * 0x100000001b3U;
  }
  hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9U;
  hash = (hash ^ hash >> 27) * 0x94d049bb133111ebU;
  return (double)((hash ^ hash >> 31) >> 11) * 0x1p-53;
}

/* A share of the trajectories, evenly spread; {share, by: name}: by their names, so that other
 * trajectories change nothing; or their names. */
static void fit_read_held_out(ff_reader *reader, const ff_node *root, ff_fit *fit) {
  static const char *const keys[] = {"share", "by"};
  static const char *const by[] = {"order", "name"};
  const ff_node *node = ff_reader_enter(reader, root, "hold-out");
  double share = 0;
  int left = 0, way = 0;
  if (node && node->kind == FF_NODE_SCALAR) {
    share = ff_read_number(reader, node, 0);
  } else if (node && node->kind == FF_NODE_MAP && ff_reader_map(reader, node, keys, 2)) {
    ff_reader_require(reader, node, "share");
    ff_get_number(reader, node, "share", 0, &share);
    ff_get_word(reader, node, "by", "way to hold out", by, FF_COUNT(by), &way);
  }
  if (node && reader->status == FF_OK && !(share >= 0 && share < 1)) {
    ff_reader_fail(reader, node, "must be a share from 0 to less than 1, or a list of names");
  }
  for (int i = 0; i < fit->trajectory_count; i++) {
    ff_fit_trajectory *at = &fit->trajectories[i];
    at->held_out |=
        way == 1 ? fit_name_share(at->name) < share : floor(share * (i + 1)) > floor(share * i);
    for (const ff_node *n = node && node->kind == FF_NODE_LIST ? node->first : NULL; n;
         n = n->next) {
      at->held_out |= n->kind == FF_NODE_SCALAR && strcmp(n->text, at->name) == 0;
    }
    at->fold = fit->folds > 0 && !at->held_out ? left % fit->folds : -1;
    left += !at->held_out;
  }
  if (left == 0 && way == 1 && fit->trajectory_count > 0) { /* few: one is fitted all the same */
    fit->trajectories[0].held_out = false;
    left = 1;
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

/* Every trajectory must have rows to compare and compute once, and the first state be found. */
static ff_status fit_check(ff_fit *fit, ff_report *report) {
  ff_status status = FF_OK;
  double values[FF_FIT_PARAMETERS_MAX];
  for (int i = 0; i < fit->trajectory_count && status == FF_OK; i++) {
    ff_fit_trajectory *at = &fit->trajectories[i];
    if (ff_fit_residuals(fit, at, NULL, NULL, NULL) == 0) {
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
  static const char *const keys[] = {"fit",     "name",   "scene",    "parameters", "laws",
                                     "compare", "data",   "window",   "loss",       "first-state",
                                     "starts",  "folds",  "hold-out", "step",       "limit",
                                     "samples", "source", "errors",   "published"};
  ff_reader reader = {.arena = &fit->arena, .report = report};
  double window[2] = {-INFINITY, INFINITY};
  if (ff_reader_map(&reader, root, keys, FF_COUNT(keys))) {
    ff_document_check_version(&reader, root, "fit");
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
    ff_document_read_scene(&reader, root, &fit->document);
    ff_fit_read_laws(&reader, root, fit);
    ff_fit_read_items(&reader, root, fit);
    ff_fit_read_errors(&reader, root, fit);
    ff_fit_read_published(&reader, root, fit);
    ff_get_text(&reader, root, "source", &fit->source);
    fit_read_loss(&reader, root, fit);
    if (reader.status == FF_OK) {
      ff_fit_read_data(&reader, root, fit);
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
  ff_fit *fit = ff_alloc(1, sizeof *fit);
  ff_node *root;
  *out = NULL;
  if (!fit) {
    return FF_ERROR_MEMORY;
  }
  *fit = (ff_fit){.starts = 1, .step = 1e-4, .limit = 200, .loss_scale = 1, .first_until = NAN};
  ff_status status = ff_document_read(&fit->document, &fit->arena, path, &root, report);
  fit->name = fit->document.file;
  status = status == FF_OK ? fit_read(fit, root, report) : status;
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
