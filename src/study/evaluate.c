/* One run of a study: model, simulation, measures. */
#include "base/memory.h"
#include "footfall/io.h"
#include "footfall/stepper.h"
#include "study/study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- parameters of a run --------------------------------------------------------------------- */

static long study_grid_level(const ff_study *study, long run, int parameter) {
  for (int i = study->vary_count - 1; i > parameter; i--) {
    run /= study->varies[i].count;
  }
  return run % study->varies[parameter].count;
}

double ff_study_value(const ff_study *study, long run, int parameter, char *text) {
  const ff_vary *vary = &study->varies[parameter];
  double value;
  if (study->design.kind == FF_DESIGN_GRID) {
    value = ff_vary_level(vary, study_grid_level(study, run, parameter));
  } else {
    double u = ff_design_coordinate(&study->design, study->vary_count, run, parameter);
    value = ff_vary_quantile(vary, u);
  }
  char number[FF_NUMBER_SIZE];
  const char *shown = ff_number_text(value, number);
  if (vary->kind == FF_VARY_VALUES) {
    shown = vary->values[(long)value];
    if (!ff_number_read(shown, &value)) {
      value = NAN;
    }
  }
  if (text) {
    snprintf(text, FF_STUDY_TEXT, "%s", shown);
  }
  return value;
}

ff_status ff_study_build(const ff_study *study, long run, ff_scene **scene, ff_model **model,
                         ff_report *report) {
  int count = 0, most = study->vary_count * FF_STUDY_PATHS_MAX;
  ff_arena arena = {0};
  const char **overrides = ff_arena_take(&arena, (size_t)most, sizeof *overrides);
  ff_status status = overrides ? FF_OK : FF_ERROR_MEMORY;
  *scene = NULL;
  *model = NULL;
  for (int i = 0; i < study->vary_count && status == FF_OK; i++) {
    const ff_vary *vary = &study->varies[i];
    char value[FF_STUDY_TEXT];
    ff_study_value(study, run, i, value);
    for (int k = 0; k < vary->path_count && status == FF_OK; k++) {
      size_t size = strlen(vary->paths[k]) + strlen(value) + 2;
      char *text = ff_arena_take(&arena, size, 1);
      status = text ? FF_OK : FF_ERROR_MEMORY;
      if (text) {
        snprintf(text, size, "%s=%s", vary->paths[k], value);
        overrides[count++] = text;
      }
    }
  }
  if (status == FF_OK) {
    status = ff_scene_parse(scene, study->document.scene_text, study->document.scene_size,
                            study->document.scene_file, overrides, count, report);
  }
  ff_arena_free(&arena);
  if (status == FF_OK) {
    status = ff_model_build(model, *scene, report);
  }
  if (status != FF_OK) {
    ff_scene_destroy(scene);
  }
  return status;
}

/* ---- measures over the samples --------------------------------------------------------------- */

typedef struct gauge {
  const ff_measure *measure;
  double last, last_time;  /* previous sample in the window; NAN: none */
  double best, best_time;  /* extremum so far, and when */
  double integral, square; /* trapezoidal rule over time: x, x^2 */
  double start_time;       /* s, of the first sample in the window */
  double found;            /* value at an instant, or time of a crossing; NAN: not yet */
  double event_time;       /* s; NAN: not yet */
  int events;              /* of this kind so far */
} gauge;

/* Is value better than the best so far? */
static bool gauge_improves(const gauge *g, double value) {
  switch (g->measure->take) {
    case FF_TAKE_MIN:
    case FF_TAKE_TIME_OF_MIN: return value < g->best;
    case FF_TAKE_LARGEST: return fabs(value) > g->best;
    default: return value > g->best;
  }
}

/* Linear interpolation between the previous sample and this one. */
static double gauge_between(const gauge *g, double time, double value, double at) {
  double step = time - g->last_time;
  return step > 0 ? g->last + (value - g->last) * ((at - g->last_time) / step) : value;
}

static void gauge_find_instant(gauge *g, double time, double value) {
  const ff_measure *m = g->measure;
  double at = m->at_event ? g->event_time : m->time;
  if (isnan(g->found) && at <= time) {
    g->found = isnan(g->last_time) ? value : gauge_between(g, time, value, at);
  }
}

static void gauge_find_crossing(gauge *g, double time, double value) {
  double sign = g->measure->take == FF_TAKE_TIME_ABOVE ? 1 : -1, level = g->measure->value;
  if (!isnan(g->found) || !(sign * (value - level) >= 0)) {
    return;
  }
  bool inside = isnan(g->last_time) || value == g->last;
  g->found =
      inside ? time : g->last_time + (time - g->last_time) * (level - g->last) / (value - g->last);
}

static void gauge_add(gauge *g, double time, double value) {
  const ff_measure *m = g->measure;
  if (m->take == FF_TAKE_AT) {
    gauge_find_instant(g, time, value);
  } else if (time < m->from || time > m->to) {
    return;
  } else if (m->take == FF_TAKE_TIME_ABOVE || m->take == FF_TAKE_TIME_BELOW) {
    gauge_find_crossing(g, time, value);
  }
  if (isnan(g->last_time)) {
    g->start_time = time;
    g->found = m->take == FF_TAKE_START ? value : g->found;
  } else {
    double step = time - g->last_time;
    g->integral += 0.5 * step * (g->last + value);
    g->square += 0.5 * step * (g->last * g->last + value * value);
  }
  if (isnan(g->best_time) || gauge_improves(g, value)) {
    g->best = m->take == FF_TAKE_LARGEST ? fabs(value) : value;
    g->best_time = time;
  }
  g->last = value;
  g->last_time = time;
}

static double gauge_value(const gauge *g) {
  double duration = g->last_time - g->start_time;
  switch (g->measure->take) {
    case FF_TAKE_END: return g->last;
    case FF_TAKE_MAX:
    case FF_TAKE_MIN:
    case FF_TAKE_LARGEST: return g->best;
    case FF_TAKE_MEAN: return duration > 0 ? g->integral / duration : g->last;
    case FF_TAKE_RMS: return duration > 0 ? sqrt(g->square / duration) : fabs(g->last);
    case FF_TAKE_INTEGRAL: return isnan(g->last_time) ? NAN : g->integral;
    case FF_TAKE_TIME_OF_MAX:
    case FF_TAKE_TIME_OF_MIN: return g->best_time;
    case FF_TAKE_START:
    case FF_TAKE_TIME_ABOVE:
    case FF_TAKE_TIME_BELOW:
    case FF_TAKE_AT:
    case FF_TAKE_KINDS: break;
  }
  return g->found;
}

/* ---- one run --------------------------------------------------------------------------------- */

typedef struct trial {
  const ff_study *study;
  const ff_model *model;
  ff_sim *sim;
  gauge *gauges; /* one per measure; unused for expressions */
  int *channels; /* model channel of each measure with a channel */
  double *row;
  int count; /* of channels */
} trial;

static bool trial_is_pair(const trial *t, const ff_measure *m, const ff_event *event) {
  if (!m->body[0]) {
    return true;
  }
  int a = ff_model_body_find(t->model, m->body[0]).id;
  int b = ff_model_body_find(t->model, m->body[1]).id;
  return (event->a.id == a && event->b.id == b) || (event->a.id == b && event->b.id == a);
}

static void trial_note_event(void *context, const ff_event *event) {
  trial *t = context;
  for (int i = 0; i < t->study->measure_count; i++) {
    const ff_measure *m = &t->study->measures[i];
    gauge *g = &t->gauges[i];
    if (m->at_event && m->event == event->kind && trial_is_pair(t, m, event) &&
        ++g->events == m->number) {
      g->event_time = event->time;
    }
  }
}

/* Samples lie at multiples of record.every and at the end; without it at every step, or at each
 * thousandth of the duration if steps have no fixed length. */
static double trial_sample_time(const ff_run_def *run, long k) {
  double every = run->record_every;
  if (!(every > 0)) {
    bool fixed = ff_stepper_find(run->stepper.kind)->fixed_step;
    every = fixed ? run->stepper.step : run->duration / 1000;
  }
  double t = (double)k * every;
  return t < run->duration - 1e-9 * every ? t : run->duration;
}

static void trial_add_sample(trial *t, double time) {
  for (int i = 0, k = 0; i < t->study->measure_count; i++) {
    if (t->study->measures[i].channel) {
      gauge_add(&t->gauges[i], time, t->row[k++]);
    }
  }
}

static ff_status trial_advance(trial *t, const volatile int *stop) {
  const ff_run_def *run = ff_model_run(t->model);
  ff_sampler *sampler = NULL;
  ff_status status = ff_sampler_create(&sampler, t->sim, t->channels, t->count);
  double time = 0;
  for (long k = 0; status == FF_OK && (k == 0 || time < run->duration); k++) {
    time = trial_sample_time(run, k);
    status = stop && *stop ? FF_CANCELLED : ff_sampler_at(sampler, time, run->duration, t->row);
    if (status == FF_OK) {
      trial_add_sample(t, time);
    }
  }
  ff_sampler_destroy(&sampler);
  return status;
}

static void trial_find_channels(trial *t) {
  int channels = ff_model_channel_count(t->model);
  for (int i = 0; i < t->study->measure_count; i++) {
    const ff_measure *m = &t->study->measures[i];
    t->gauges[i] = (gauge){.measure = m,
                           .last = NAN,
                           .last_time = NAN,
                           .best = NAN,
                           .best_time = NAN,
                           .found = NAN,
                           .event_time = NAN};
    if (m->channel) {
      t->channels[t->count] = -1;
      for (int k = 0; k < channels && t->channels[t->count] < 0; k++) {
        ff_channel channel = ff_model_channel(t->model, k);
        t->channels[t->count] = strcmp(channel.name, m->channel) == 0 ? k : -1;
      }
      t->count++;
    }
  }
}

static void trial_take_measures(const trial *t, long run, double *measures) {
  double values[FF_STUDY_MEASURES_MAX + FF_STUDY_PARAMETERS_MAX];
  for (int i = 0; i < t->study->measure_count; i++) {
    const ff_measure *m = &t->study->measures[i];
    if (m->channel) {
      measures[i] = gauge_value(&t->gauges[i]);
      continue;
    }
    /* An expression sees the measures before it, then the parameters. */
    memcpy(values, measures, (size_t)i * sizeof *values);
    for (int k = 0; k < t->study->vary_count; k++) {
      values[i + k] = ff_study_value(t->study, run, k, NULL);
    }
    measures[i] = ff_expression_value(&m->expression, values);
  }
}

static void trial_explain(const trial *t, ff_study_result *result) {
  ff_report why = {0};
  char text[sizeof result->reason] = "";
  ff_sim_failure(t->sim, &why);
  if (why.what[0]) {
    ff_report_text(&why, text, sizeof text);
  }
  snprintf(result->reason, sizeof result->reason, "at %.9g s: %s%s%.400s", result->end,
           ff_status_text(result->status), text[0] ? ": " : "", text);
}

/* The worst finding: "step loss: ball, floor: 0.5 (limit 0.05) at 0.14 s". */
static void trial_explain_verdict(const trial *t, ff_study_result *result) {
  ff_finding found[1];
  int count = ff_sim_findings(t->sim, found, 1);
  if (count < 1 || !found[0].failure) {
    return;
  }
  const ff_finding *f = &found[0];
  bool pure = strcmp(f->unit, "1") == 0;
  char bodies[200] = "", limit[64] = "";
  if (f->a.id > 0) {
    snprintf(bodies, sizeof bodies, ": %.80s%s%.80s", ff_model_body_name(t->model, f->a),
             f->b.id > 0 ? ", " : "", f->b.id > 0 ? ff_model_body_name(t->model, f->b) : "");
  }
  if (f->limit > 0) {
    snprintf(limit, sizeof limit, " (limit %.3g%s%s)", f->limit, pure ? "" : " ",
             pure ? "" : f->unit);
  }
  snprintf(result->reason, sizeof result->reason, "%s%s: %.3g%s%s%s at %.4g s",
           ff_finding_describe(f->kind).name, bodies, f->value, pure ? "" : " ",
           pure ? "" : f->unit, limit, f->worst);
}

static void trial_run(trial *t, long run, double *measures, ff_study_result *result,
                      const volatile int *stop) {
  trial_find_channels(t);
  ff_sim_on_event(t->sim, trial_note_event, t);
  result->status = trial_advance(t, stop);
  result->end = ff_sim_time(t->sim);
  if (result->status == FF_OK) {
    trial_take_measures(t, run, measures);
    result->verdict = ff_sim_audit(t->sim).verdict;
    trial_explain_verdict(t, result);
  } else {
    trial_explain(t, result);
  }
}

void ff_study_evaluate(const ff_study *study, long run, double *measures, ff_study_result *result,
                       const volatile int *stop) {
  ff_scene *scene;
  ff_model *model;
  ff_report report = {0};
  ff_arena arena = {0};
  *result = (ff_study_result){0};
  for (int i = 0; i < study->measure_count; i++) {
    measures[i] = NAN;
  }
  result->status = ff_study_build(study, run, &scene, &model, &report);
  if (result->status != FF_OK) {
    ff_report_text(&report, result->reason, sizeof result->reason);
    return;
  }
  size_t count = (size_t)study->measure_count + 1;
  trial t = {.study = study,
             .model = model,
             .gauges = ff_arena_take(&arena, count, sizeof *t.gauges),
             .channels = ff_arena_take(&arena, count, sizeof *t.channels),
             .row = ff_arena_take(&arena, count, sizeof *t.row)};
  result->status = t.gauges && t.channels && t.row ? FF_OK : FF_ERROR_MEMORY;
  if (result->status == FF_OK) {
    result->status = ff_sim_create(&t.sim, model);
  }
  if (result->status == FF_OK) {
    trial_run(&t, run, measures, result, stop);
  } else {
    snprintf(result->reason, sizeof result->reason, "%s", ff_status_text(result->status));
  }
  ff_sim_destroy(&t.sim);
  ff_arena_free(&arena);
  ff_model_destroy(&model);
  ff_scene_destroy(&scene);
}

/* ---- description ----------------------------------------------------------------------------- */

const char *ff_study_source(const ff_study *study) {
  return study ? study->document.source : "";
}

const char *ff_study_scene_file(const ff_study *study) {
  return study ? study->document.scene_file : "";
}

uint64_t ff_study_fingerprint(const ff_study *study) {
  return study ? study->fingerprint : 0;
}

long ff_study_run_count(const ff_study *study) {
  return study ? study->runs : 0;
}

int ff_study_parameter_count(const ff_study *study) {
  return study ? study->vary_count : 0;
}

const char *ff_study_parameter_name(const ff_study *study, int parameter) {
  return study && parameter >= 0 && parameter < study->vary_count ? study->varies[parameter].name
                                                                  : "";
}

const char *ff_study_parameter_path(const ff_study *study, int parameter, int path) {
  bool known = study && parameter >= 0 && parameter < study->vary_count && path >= 0 &&
               path < study->varies[parameter].path_count;
  return known ? study->varies[parameter].paths[path] : NULL;
}

int ff_study_measure_count(const ff_study *study) {
  return study ? study->measure_count : 0;
}

const char *ff_study_measure_name(const ff_study *study, int measure) {
  return study && measure >= 0 && measure < study->measure_count ? study->measures[measure].name
                                                                 : "";
}

const char *ff_study_measure_unit(const ff_study *study, int measure) {
  return study && measure >= 0 && measure < study->measure_count ? study->measures[measure].unit
                                                                 : "";
}

long ff_study_saltelli_base(const ff_study *study) {
  return study && study->design.kind == FF_DESIGN_SALTELLI ? study->design.samples : 0;
}

double ff_study_parameter(const ff_study *study, long run, int parameter, char *text) {
  if (text) {
    text[0] = '\0';
  }
  bool known =
      study && run >= 0 && run < study->runs && parameter >= 0 && parameter < study->vary_count;
  return known ? ff_study_value(study, run, parameter, text) : NAN;
}
