/* Errors of a fit in units of the user, and the figures that others have published. */
#include "study/fit_read.h"

#include "base/report.h"

#include <math.h>
#include <string.h>

enum { ERRORS_MAX = 16, PUBLISHED_MAX = 32 };

/* ---- reading --------------------------------------------------------------------------------- */

/* Residuals of a row whose columns are named: of an orientation all three or none. */
static void fit_find_parts(ff_reader *reader, const ff_node *node, const ff_fit *fit,
                           const char **names, int count, ff_fit_error_def *out) {
  out->parts = ff_arena_take(reader->arena, (size_t)fit->parts, sizeof *out->parts);
  if (!out->parts) {
    ff_reader_take(reader, FF_ERROR_MEMORY);
    return;
  }
  for (int n = 0; n < count && reader->status == FF_OK; n++) {
    int first = 0, before = out->part_count;
    bool found = false;
    for (int i = 0; i < fit->item_count; first += fit->items[i++].parts) {
      const ff_fit_item *item = &fit->items[i];
      bool turn = item->kind == FF_FIT_ORIENTATION;
      for (int k = 0; k < item->columns_count; k++) {
        if (strcmp(item->columns[k], names[n]) != 0) {
          continue;
        }
        found = true;
        for (int part = turn ? 0 : k; k == 0 || !turn; part++) {
          out->parts[out->part_count++] = first + part;
          if (!turn || part == 2) {
            break;
          }
        }
      }
    }
    if (!found || out->part_count - before > 3 || out->part_count > fit->parts) {
      ff_reader_fail(reader, node, "'%.60s' is not a compared column, or is named twice", names[n]);
    }
  }
}

static void fit_read_error(ff_reader *reader, const ff_node *node, void *context) {
  static const char *const keys[] = {"name", "unit", "columns", "take", "scale", "over"};
  static const char *const takes[] = {"mean", "rms", "end"};
  ff_fit *fit = context;
  const char *columns[4 * FF_FIT_ITEMS_MAX];
  int take = 0;
  ff_fit_error_def *out = &fit->errors[fit->error_count++];
  *out = (ff_fit_error_def){.unit = "", .scale = 1};
  if (!ff_reader_map(reader, node, keys, FF_COUNT(keys))) {
    return;
  }
  ff_reader_require(reader, node, "name");
  ff_reader_require(reader, node, "columns");
  ff_get_text(reader, node, "name", &out->name);
  ff_get_text(reader, node, "unit", &out->unit);
  ff_get_word(reader, node, "take", "error", takes, FF_COUNT(takes), &take);
  ff_get_number(reader, node, "scale", 0, &out->scale);
  ff_get_text(reader, node, "over", &out->over);
  out->take = (ff_fit_take)take;
  out->over_at = fit->divisor_count;
  fit->divisor_count += out->over != NULL;
  int count = ff_read_texts(reader, node, "columns", 4 * FF_FIT_ITEMS_MAX, columns);
  if (reader->status == FF_OK) {
    fit_find_parts(reader, node, fit, columns, count, out);
  }
}

/* Is the list of this key at most so long? */
static bool fit_has_list(ff_reader *reader, const ff_node *root, const char *key, int most) {
  const ff_node *node = ff_tree_find(root, key);
  if (!node || reader->status != FF_OK) {
    return false;
  }
  if (node->kind != FF_NODE_LIST || node->count > most) {
    ff_reader_fail(reader, node, "must be a list of at most %d", most);
  }
  return reader->status == FF_OK;
}

void ff_fit_read_errors(ff_reader *reader, const ff_node *root, ff_fit *fit) {
  if (fit_has_list(reader, root, "errors", ERRORS_MAX)) {
    fit->errors = ff_arena_take(reader->arena, ERRORS_MAX, sizeof *fit->errors);
    ff_reader_take(reader, fit->errors ? FF_OK : FF_ERROR_MEMORY);
    ff_reader_each(reader, root, "errors", fit_read_error, fit);
  }
}

static void fit_read_figures(ff_reader *reader, const ff_node *node, void *context) {
  const char *keys[2 + ERRORS_MAX] = {"name", "source"};
  ff_fit *fit = context;
  ff_fit_published_def *out = &fit->published[fit->published_count++];
  *out = (ff_fit_published_def){.source = ""};
  out->values = ff_arena_take(reader->arena, ERRORS_MAX, sizeof *out->values);
  for (int i = 0; i < fit->error_count; i++) {
    keys[2 + i] = fit->errors[i].name;
  }
  if (!out->values) {
    ff_reader_take(reader, FF_ERROR_MEMORY);
  } else if (ff_reader_map(reader, node, keys, 2 + fit->error_count)) {
    ff_reader_require(reader, node, "name");
    ff_get_text(reader, node, "name", &out->name);
    ff_get_text(reader, node, "source", &out->source);
    for (int i = 0; i < fit->error_count; i++) {
      out->values[i] = NAN;
      ff_get_number(reader, node, fit->errors[i].name, 0, &out->values[i]);
    }
  }
}

void ff_fit_read_published(ff_reader *reader, const ff_node *root, ff_fit *fit) {
  if (fit_has_list(reader, root, "published", PUBLISHED_MAX)) {
    fit->published = ff_arena_take(reader->arena, PUBLISHED_MAX, sizeof *fit->published);
    ff_reader_take(reader, fit->published ? FF_OK : FF_ERROR_MEMORY);
    ff_reader_each(reader, root, "published", fit_read_figures, fit);
  }
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Norm of measured - computed over the columns of an error, in row r; NAN: a value is missing. */
static double fit_row_error(const ff_fit *fit, const ff_fit_trajectory *at,
                            const ff_fit_error_def *error, const double *computed, long r) {
  double sum = 0;
  for (int n = 0; n < error->part_count; n++) {
    int part = error->parts[n], i = 0;
    while (part >= fit->items[i].parts) {
      part -= fit->items[i++].parts;
    }
    const ff_fit_item *item = &fit->items[i];
    const double *m = at->measured + r * fit->width + item->at;
    bool turn = item->kind == FF_FIT_ORIENTATION;
    double was = turn ? 0 * (m[0] + m[1] + m[2] + m[3]) : m[part];
    double off = was - computed[r * fit->parts + error->parts[n]];
    sum += off * off;
  }
  return sqrt(sum);
}

void ff_fit_take_errors(const ff_fit *fit, const ff_fit_trajectory *at, const double *computed,
                        double *errors) {
  for (int e = 0; e < fit->error_count; e++) {
    const ff_fit_error_def *error = &fit->errors[e];
    double sum = 0, last = NAN;
    long count = 0;
    for (long r = 0; r < at->rows; r++) {
      double off = fit_row_error(fit, at, error, computed, r);
      if (at->time[r] >= fit->from && at->time[r] <= fit->to && !isnan(off)) {
        sum += error->take == FF_FIT_RMS ? off * off : off;
        last = off;
        count++;
      }
    }
    double mean = count > 0 ? sum / (double)count : NAN;
    double value = error->take == FF_FIT_RMS ? sqrt(mean) : error->take == FF_FIT_END ? last : mean;
    errors[e] = value * error->scale / (error->over ? at->divisors[error->over_at] : 1);
  }
}

/* ---- for callers ----------------------------------------------------------------------------- */

int ff_fit_error_count(const ff_fit *fit) {
  return fit ? fit->error_count : 0;
}

double ff_fit_trajectory_error(const ff_fit *fit, int law, int error, int trajectory) {
  bool known = fit && law >= 0 && law < fit->law_count && error >= 0 && error < fit->error_count &&
               trajectory >= 0 && trajectory < fit->trajectory_count;
  return known && fit->laws[law].errors
             ? fit->laws[law].errors[trajectory * fit->error_count + error]
             : NAN;
}

/* Mean over fitted or held-out trajectories, and its standard error. */
static void fit_mean_error(const ff_fit *fit, int law, int error, bool held, double *mean,
                           double *deviation) {
  double sum = 0, square = 0;
  int count = 0;
  *mean = *deviation = NAN;
  for (int pass = 0; pass < 2; pass++) {
    count = 0;
    for (int i = 0; i < fit->trajectory_count; i++) {
      double value = ff_fit_trajectory_error(fit, law, error, i);
      if (fit->trajectories[i].held_out == held) {
        count++;
        sum += pass == 0 ? value : 0;
        square += pass == 1 ? (value - *mean) * (value - *mean) : 0;
      }
    }
    *mean = count > 0 ? sum / count : NAN;
  }
  *deviation = count > 1 ? sqrt(square / (count - 1) / count) : NAN;
}

ff_fit_error ff_fit_error_of(const ff_fit *fit, int law, int error) {
  ff_fit_error out = {.name = "", .unit = ""};
  if (fit && error >= 0 && error < fit->error_count) {
    out.name = fit->errors[error].name;
    out.unit = fit->errors[error].unit;
    fit_mean_error(fit, law, error, false, &out.fitted, &out.fitted_error);
    fit_mean_error(fit, law, error, true, &out.held_out, &out.held_out_error);
  }
  return out;
}

ff_fit_published ff_fit_published_of(const ff_fit *fit, int index) {
  bool known = fit && index >= 0 && index < fit->published_count;
  return known ? (ff_fit_published){fit->published[index].name, fit->published[index].source,
                                    fit->published[index].values}
               : (ff_fit_published){0};
}
