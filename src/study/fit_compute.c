/* One trajectory of a fit: scene with its settings, simulation, measurement model. */
#include "base/memory.h"
#include "base/report.h"
#include "footfall/io.h"
#include "math/vec.h"
#include "study/fit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double ff_fit_number_value(const ff_fit_law *law, const ff_fit_number *number,
                           const double *values) {
  for (int i = 0; number->parameter && i < law->parameter_count; i++) {
    if (strcmp(law->parameters[i].name, number->parameter) == 0) {
      return values[i];
    }
  }
  return number->value;
}

/* ---- scene ----------------------------------------------------------------------------------- */

/* Settings of law, trajectory and parameters, and the duration. */
static ff_status fit_list_settings(const ff_fit *fit, const ff_fit_law *law,
                                   const ff_fit_trajectory *at, const double *values, double end,
                                   ff_arena *arena, const char ***out, int *count) {
  size_t most = (size_t)(law->setting_count + at->setting_count + 1) +
                (size_t)law->parameter_count * FF_FIT_PATHS_MAX;
  const char **list = ff_arena_take(arena, most, sizeof *list);
  char number[FF_NUMBER_SIZE];
  (void)fit;
  *count = 0;
  *out = list;
  for (int i = 0; list && i < law->setting_count; i++) {
    list[(*count)++] = law->settings[i];
  }
  for (int i = 0; list && i < at->setting_count; i++) {
    list[(*count)++] = at->settings[i];
  }
  for (int i = 0; list && i < law->parameter_count; i++) {
    for (int k = 0; k < law->parameters[i].path_count; k++) {
      const char *path = law->parameters[i].paths[k];
      size_t size = strlen(path) + FF_NUMBER_SIZE + 2;
      char *text = ff_arena_take(arena, size, 1);
      if (!text) {
        return FF_ERROR_MEMORY;
      }
      snprintf(text, size, "%s=%s", path, ff_number_text(values[i], number));
      list[(*count)++] = text;
    }
  }
  char *duration = ff_arena_take(arena, FF_NUMBER_SIZE + 16, 1);
  if (!list || !duration) {
    return FF_ERROR_MEMORY;
  }
  snprintf(duration, FF_NUMBER_SIZE + 16, "duration=%s", ff_number_text(end, number));
  list[(*count)++] = duration;
  return FF_OK;
}

static ff_status fit_build(const ff_fit *fit, const ff_fit_law *law, const ff_fit_trajectory *at,
                           const double *values, double end, ff_model **model, ff_report *report) {
  ff_arena arena = {0};
  const char **settings;
  int count;
  ff_scene *scene = NULL;
  *model = NULL;
  ff_status status = fit_list_settings(fit, law, at, values, end, &arena, &settings, &count);
  if (status == FF_OK) {
    status = ff_scene_parse(&scene, fit->document.scene_text, fit->document.scene_size,
                            fit->document.scene_file, settings, count, report);
  }
  status = status == FF_OK ? ff_model_build(model, scene, report) : status;
  ff_scene_destroy(&scene);
  ff_arena_free(&arena);
  return status;
}

/* ---- first state ----------------------------------------------------------------------------- */

/* Turns vectors of the scene's world into the axes of the measurement. */
static ff_quat fit_frame(const ff_fit_law *law, const ff_fit_item *item, const double *values) {
  double turn[3];
  for (int k = 0; k < 3; k++) {
    turn[k] = ff_fit_number_value(law, &item->frame[k], values);
  }
  return q_exp(v3_load(turn));
}

/* Poses of the body in the first rows, by the inverse of the measurement model. */
static void fit_flight_rows(const ff_fit *fit, const ff_fit_law *law, const ff_fit_trajectory *at,
                            const double *values, ff_flight_row *rows) {
  for (long r = 0; r < at->flight; r++) {
    rows[r] = (ff_flight_row){at->time[r], {NAN, NAN, NAN}, {NAN, NAN, NAN, NAN}};
  }
  for (int i = 0; i < fit->item_count; i++) {
    const ff_fit_item *item = &fit->items[i];
    if (item->kind == FF_FIT_CHANNEL || strcmp(item->of, fit->first_state) != 0) {
      continue;
    }
    double scale = ff_fit_number_value(law, &item->scale, values), offset[3];
    double delay = ff_fit_number_value(law, &item->delay, values);
    ff_quat frame = fit_frame(law, item, values);
    for (int k = 0; k < 3; k++) {
      offset[k] = ff_fit_number_value(law, &item->offset[k], values);
    }
    for (long r = 0; r < at->flight; r++) {
      const double *m = at->measured + r * fit->width + item->at;
      rows[r].time = at->time[r] + delay;
      if (item->kind == FF_FIT_POSITION) {
        ff_vec3 p = v3(m[0] - offset[0], m[1] - offset[1], m[2] - offset[2]);
        rows[r].position = v3_scale(1 / scale, q_unrotate(frame, p));
      } else if (isfinite(m[0] + m[1] + m[2] + m[3])) {
        rows[r].orientation = q_mul(q_conj(frame), q_unit((ff_quat){m[0], m[1], m[2], m[3]}));
      }
    }
  }
}

bool ff_fit_first_state(const ff_fit *fit, const ff_fit_law *law, const ff_fit_trajectory *at,
                        const double *values, const ff_model *model, ff_body_state *out) {
  ff_body body = ff_model_body_find(model, fit->first_state);
  ff_body_info info = ff_model_body_info(model, body);
  ff_flight_row *rows = ff_alloc((size_t)at->flight, sizeof *rows);
  if (!rows) {
    return false;
  }
  fit_flight_rows(fit, law, at, values, rows);
  bool good = ff_flight_state(out, rows, (int)at->flight, &info, ff_model_run(model)->gravity);
  ff_free(rows);
  return good;
}

typedef struct fit_touch {
  ff_body body;
  double time;
} fit_touch;

static void fit_note_touch(void *context, const ff_event *event) {
  fit_touch *touch = context;
  bool mine = event->a.id == touch->body.id || event->b.id == touch->body.id;
  if (event->kind == FF_EVENT_TOUCH && mine && isnan(touch->time)) {
    touch->time = event->time;
  }
}

/* Time of the first touch of a flight that starts with the present rows; the last time if none. */
static ff_status fit_touch_time(ff_fit *fit, ff_fit_trajectory *at, const double *values,
                                double *time, ff_report *report) {
  ff_model *model;
  ff_sim *sim = NULL;
  ff_body_state state;
  double end = at->time[at->rows - 1];
  ff_status status = fit_build(fit, &fit->laws[0], at, values, end, &model, report);
  if (status == FF_OK && !ff_fit_first_state(fit, &fit->laws[0], at, values, model, &state)) {
    status = ff_report_what(report, "trajectory %.100s: its first rows give no state", at->name);
  }
  status = status == FF_OK ? ff_sim_create(&sim, model) : status;
  if (status == FF_OK) {
    fit_touch touch = {ff_model_body_find(model, fit->first_state), NAN};
    status = ff_sim_set_body(sim, touch.body, &state);
    ff_sim_on_event(sim, fit_note_touch, &touch);
    while (status == FF_OK && isnan(touch.time) && ff_sim_time(sim) < end) {
      status = ff_sim_step(sim);
    }
    *time = isnan(touch.time) ? end : touch.time;
  }
  ff_sim_destroy(&sim);
  ff_model_destroy(&model);
  return status;
}

static long fit_rows_before(const ff_fit_trajectory *at, double time) {
  long rows = 0;
  while (rows < at->rows && at->time[rows] < time) {
    rows++;
  }
  return rows < 4 ? (at->rows < 4 ? at->rows : 4) : rows;
}

ff_status ff_fit_find_flight(ff_fit *fit, ff_fit_trajectory *at, ff_report *report) {
  enum { FIRST = 6, PASSES = 3 };
  if (!isnan(fit->first_until)) {
    at->flight = fit_rows_before(at, fit->first_until);
    return FF_OK;
  }
  double values[FF_FIT_PARAMETERS_MAX], time = 0;
  for (int i = 0; i < fit->laws[0].parameter_count; i++) {
    values[i] = fit->laws[0].parameters[i].start;
  }
  at->flight = at->rows < FIRST ? at->rows : FIRST;
  ff_status status = FF_OK;
  for (int pass = 0; pass < PASSES && status == FF_OK; pass++) {
    status = fit_touch_time(fit, at, values, &time, report);
    at->flight = fit_rows_before(at, time);
  }
  return status;
}

/* ---- samples --------------------------------------------------------------------------------- */

typedef struct fit_sample {
  double time;
  int item;
  long row;
} fit_sample;

static int fit_compare_samples(const void *a, const void *b) {
  const fit_sample *x = a, *y = b;
  int later = (x->time > y->time) - (x->time < y->time);
  int row = (x->row > y->row) - (x->row < y->row);
  return later ? later : row ? row : x->item - y->item;
}

/* Names of the channels of an item, at most 4. */
static int fit_item_channels(const ff_fit_item *item, char names[4][FF_FIT_TEXT]) {
  static const char axes[] = {'w', 'x', 'y', 'z'};
  if (item->kind == FF_FIT_CHANNEL) {
    snprintf(names[0], FF_FIT_TEXT, "%s", item->of);
    return 1;
  }
  bool turn = item->kind == FF_FIT_ORIENTATION;
  for (int k = 0; k < item->columns_count; k++) {
    snprintf(names[k], FF_FIT_TEXT, "body.%.200s.%s.%c", item->of,
             turn ? "orientation" : "position", axes[turn ? k : k + 1]);
  }
  return item->columns_count;
}

static ff_status fit_unknown_channel(const ff_model *model, const char *name, ff_report *report) {
  int count = ff_model_channel_count(model);
  const char **names = ff_alloc((size_t)count + 1, sizeof *names);
  ff_channel *all = ff_alloc((size_t)count + 1, sizeof *all);
  ff_status status = FF_ERROR_MEMORY;
  if (names && all) {
    for (int i = 0; i < count; i++) {
      all[i] = ff_model_channel(model, i);
      names[i] = all[i].name;
    }
    status = ff_report_unknown(report, "channel", name, names, count);
  }
  ff_free(names);
  ff_free(all);
  return status;
}

/* Channels of all items, in their order. */
static ff_status fit_find_channels(const ff_fit *fit, const ff_model *model, int *out,
                                   ff_report *report) {
  int count = ff_model_channel_count(model);
  for (int i = 0; i < fit->item_count; i++) {
    char names[4][FF_FIT_TEXT];
    int parts = fit_item_channels(&fit->items[i], names);
    for (int k = 0; k < parts; k++) {
      int *found = &out[fit->items[i].at + k];
      *found = -1;
      for (int c = 0; c < count && *found < 0; c++) {
        *found = strcmp(ff_model_channel(model, c).name, names[k]) == 0 ? c : -1;
      }
      if (*found < 0) {
        return fit_unknown_channel(model, names[k], report);
      }
    }
  }
  return FF_OK;
}

/* Measurement model for one item and row. */
static void fit_measure(const ff_fit_item *item, double scale, const double *offset, ff_quat frame,
                        const double *measured, const double *channels, double *out) {
  if (item->kind == FF_FIT_POSITION) {
    ff_vec3 turned = q_rotate(frame, v3_load(channels));
    v3_store(out, v3_axpy(v3_load(offset), scale, turned));
    return;
  }
  if (item->kind != FF_FIT_ORIENTATION) {
    out[0] = scale * channels[0] + offset[0];
    return;
  }
  ff_quat was = {measured[0], measured[1], measured[2], measured[3]};
  ff_quat is = {channels[0], channels[1], channels[2], channels[3]};
  ff_vec3 off = q_log(q_mul(q_mul(frame, is), q_conj(q_unit(was))));
  v3_store(out, isfinite(q_norm(was)) ? off : v3(0, 0, 0));
}

static ff_status fit_run(const ff_fit *fit, const ff_fit_law *law, const ff_fit_trajectory *at,
                         const double *values, ff_sim *sim, const int *channels, double end,
                         fit_sample *samples, double *computed) {
  double row[4 * FF_FIT_ITEMS_MAX], scale[FF_FIT_ITEMS_MAX], offset[FF_FIT_ITEMS_MAX][3];
  long count = 0, first = 0;
  ff_quat frame[FF_FIT_ITEMS_MAX];
  int part[FF_FIT_ITEMS_MAX], parts = 0;
  for (int i = 0; i < fit->item_count; i++) {
    const ff_fit_item *item = &fit->items[i];
    double delay = ff_fit_number_value(law, &item->delay, values);
    scale[i] = ff_fit_number_value(law, &item->scale, values);
    for (int k = 0; k < 3; k++) {
      offset[i][k] = ff_fit_number_value(law, &item->offset[k], values);
    }
    frame[i] = fit_frame(law, item, values);
    part[i] = parts;
    parts += item->parts;
    for (long r = 0; r < at->rows; r++) {
      double t = at->time[r] + delay;
      samples[count++] = (fit_sample){t < 0 ? 0 : t > end ? end : t, i, r};
    }
  }
  qsort(samples, (size_t)count, sizeof *samples, fit_compare_samples);
  ff_sampler *sampler = NULL;
  ff_status status = ff_sampler_create(&sampler, sim, channels, fit->width);
  for (; first < count && status == FF_OK; first++) {
    const fit_sample *s = &samples[first];
    if (first == 0 || s->time != samples[first - 1].time) {
      status = fit->stop && *fit->stop ? FF_CANCELLED : ff_sampler_at(sampler, s->time, end, row);
    }
    const ff_fit_item *item = &fit->items[s->item];
    fit_measure(item, scale[s->item], offset[s->item], frame[s->item],
                at->measured + s->row * fit->width + item->at, row + item->at,
                computed + s->row * fit->parts + part[s->item]);
  }
  ff_sampler_destroy(&sampler);
  return status;
}

static double fit_end(const ff_fit *fit, const ff_fit_law *law, const ff_fit_trajectory *at,
                      const double *values) {
  double latest = 0, last = at->time[at->rows - 1];
  for (int i = 0; i < fit->item_count; i++) {
    latest = fmax(latest, ff_fit_number_value(law, &fit->items[i].delay, values));
  }
  last = last < fit->to ? last : fit->to; /* nothing later is compared */
  return last + latest;
}

ff_status ff_fit_compute(const ff_fit *fit, const ff_fit_law *law, const ff_fit_trajectory *at,
                         const double *values, double *computed, ff_report *report) {
  int channels[4 * FF_FIT_ITEMS_MAX];
  ff_model *model;
  ff_sim *sim = NULL;
  double end = fit_end(fit, law, at, values);
  fit_sample *samples = ff_alloc((size_t)at->rows * (size_t)fit->item_count, sizeof *samples);
  ff_status status =
      samples ? fit_build(fit, law, at, values, end, &model, report) : FF_ERROR_MEMORY;
  if (!samples) {
    return status;
  }
  status = status == FF_OK ? fit_find_channels(fit, model, channels, report) : status;
  status = status == FF_OK ? ff_sim_create(&sim, model) : status;
  if (status == FF_OK && fit->first_state) {
    ff_body_state state;
    status =
        ff_fit_first_state(fit, law, at, values, model, &state)
            ? ff_sim_set_body(sim, ff_model_body_find(model, fit->first_state), &state)
            : ff_report_what(report, "trajectory %.100s: its first rows give no state", at->name);
  }
  if (status == FF_OK) {
    status = fit_run(fit, law, at, values, sim, channels, end, samples, computed);
    if (status == FF_ERROR_STEP) {
      ff_sim_failure(sim, report);
    }
  }
  ff_sim_destroy(&sim);
  ff_model_destroy(&model);
  ff_free(samples);
  return status;
}

/* ---- residuals ------------------------------------------------------------------------------- */

/* r with r^2 = loss(x^2): soft L1 2 (sqrt(1 + s) - 1), Huber, Cauchy log(1 + s), s = (x / c)^2. */
static double fit_lose(ff_fit_loss loss, double c, double x) {
  double s = x / c * (x / c), rho = s;
  switch (loss) {
    case FF_LOSS_SQUARE: return x;
    case FF_LOSS_SOFT_L1: rho = 2 * (sqrt(1 + s) - 1); break;
    case FF_LOSS_HUBER: rho = s <= 1 ? s : 2 * sqrt(s) - 1; break;
    case FF_LOSS_CAUCHY: rho = ff_log1p(s); break;
  }
  return (x < 0 ? -c : c) * sqrt(rho);
}

long ff_fit_residuals(const ff_fit *fit, const ff_fit_trajectory *at, const double *computed,
                      double *residuals, double *squares) {
  long count = 0;
  double sum = 0;
  for (long r = 0; r < at->rows; r++) {
    bool inside = at->time[r] >= fit->from && at->time[r] <= fit->to;
    long place = r * fit->parts;
    for (int i = 0; i < fit->item_count; i++) {
      const ff_fit_item *item = &fit->items[i];
      const double *m = at->measured + r * fit->width + item->at;
      bool turn = item->kind == FF_FIT_ORIENTATION;
      for (int k = 0; k < item->parts; k++, place++) {
        bool there = inside && isfinite(turn ? m[0] + m[1] + m[2] + m[3] : m[k]);
        count += there;
        if (computed) {
          double off = there ? ((turn ? 0 : m[k]) - computed[place]) / item->noise : 0;
          residuals[place] = fit_lose(fit->loss, fit->loss_scale, off);
          sum += off * off;
        }
      }
    }
  }
  if (squares) {
    *squares = sum;
  }
  return count;
}
