/* Runs of built-in scenes. */
#include "papers/paper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EVENTS_KEPT = 256, PATH = 700 };

/* A run in progress. */
typedef struct attempt {
  ff_reproduction *study;
  const ff_trial *trial;
  ff_scene *scene;
  ff_model *model;
  ff_sim *sim;
  ff_recorder *recorder; /* NULL: none */
  char file[PATH];       /* of the recorder */
  bool laid_out;         /* files that the scene refers to, below the study's scratch folder */
  int all;               /* channels of the model */
  long samples;          /* of the trial, varied */
  double *row;           /* time and those recorded */
  int *wanted;           /* indices of the trial's channels */
  int *recorded;         /* and of the recorder's */
  int recorded_count;
  double *time, **columns;
  ff_event *events;
  ff_trace *trace;
} attempt;

/* ---- failures -------------------------------------------------------------------------------- */

/* Files that scenes refer to: robots, by their names relative to scenes/. */
static const char scenes[] = "scenes/";

static bool is_beside(const ff_builtin *file) {
  return strncmp(file->path, "scenes/robots/", strlen("scenes/robots/")) == 0;
}

/* Temporary path of such a file. */
static void path_beside(const attempt *a, const char *name, char path[PATH]) {
  snprintf(path, PATH, "%s/%s", a->study->scratch, name);
}

static void take_away(const attempt *a) {
  char path[PATH];
  for (int i = 0; a->laid_out && i < ff_builtin_count; i++) {
    if (is_beside(&ff_builtins[i])) {
      path_beside(a, ff_builtins[i].path + strlen(scenes), path);
      remove(path);
    }
  }
  if (a->laid_out) {
    path_beside(a, "robots", path);
    rmdir(path);
  }
}

static void clean_up(attempt *a) {
  take_away(a);
  ff_recorder_abandon(&a->recorder);
  if (a->file[0]) {
    remove(a->file);
  }
  if (a->sim) {
    ff_sim_destroy(&a->sim);
  }
  ff_model_destroy(&a->model);
  ff_scene_destroy(&a->scene);
}

static void need(attempt *a, ff_status status, ff_report *report) {
  if (status != FF_OK) {
    if (!report->what[0]) {
      ff_report why = {0};
      if (a->sim) {
        ff_sim_failure(a->sim, &why);
      }
      snprintf(report->what, sizeof report->what, "%s: %s: %.400s", a->trial->scene,
               ff_status_text(status), why.what);
    }
    clean_up(a);
    a->study->fail(a->study->context, status, report);
  }
}

/* ---- scenes ---------------------------------------------------------------------------------- */

const char *ff_reproduction_scene(ff_reproduction *study, const char *path) {
  for (int i = 0; i < ff_builtin_count; i++) {
    if (strcmp(ff_builtins[i].path, path) == 0) {
      return ff_builtins[i].text;
    }
  }
  ff_report report = {0};
  snprintf(report.what, sizeof report.what, "there is no built-in scene '%.200s'", path);
  study->fail(study->context, FF_ERROR_INPUT, &report);
  return "";
}

static bool write_file(const char *path, const char *text) {
  FILE *out = fopen(path, "w");
  bool written = out && fputs(text, out) >= 0;
  return out && fclose(out) == 0 && written;
}

/* Scenes refer to robots by file: the built-in ones are written to a folder. */
static bool lay_out(attempt *a) {
  char path[PATH];
  a->laid_out = true; /* even if incomplete */
  path_beside(a, "robots", path);
  bool good = mkdir(path, 0700) == 0;
  for (int i = 0; good && i < ff_builtin_count; i++) {
    if (is_beside(&ff_builtins[i])) {
      path_beside(a, ff_builtins[i].path + strlen(scenes), path);
      good = write_file(path, ff_builtins[i].text);
    }
  }
  return good;
}

/* The model with another step: of an error-controlled stepper of order 8 by its tolerance. */
static void vary_step(attempt *a, ff_report *report) {
  ff_run_def run = *ff_model_run(a->model);
  double factor = a->study->variation.step;
  if (strcmp(run.stepper.kind, "adaptive") == 0) {
    run.stepper.rtol = fmax(run.stepper.rtol * pow(factor, 8), fmin(run.stepper.rtol, 1e-12));
  } else {
    run.stepper.step *= factor;
  }
  need(a, ff_scene_set_run(a->scene, &run), report);
  ff_model_destroy(&a->model);
  a->model = NULL;
  need(a, ff_model_build(&a->model, a->scene, report), report);
}

static void load(attempt *a, ff_report *report) {
  const ff_trial *trial = a->trial;
  const char *text = ff_reproduction_scene(a->study, trial->scene), *path = trial->scene;
  if (strstr(text, "urdf:")) {
    need(a, lay_out(a) ? FF_OK : FF_ERROR_FILE, report);
    path =
        ff_reproduction_text(a->study, "%s/%s", a->study->scratch, strrchr(trial->scene, '/') + 1);
  }
  need(a, ff_scene_parse(&a->scene, text, strlen(text), path, trial->set, trial->set_count, report),
       report);
  need(a, ff_model_build(&a->model, a->scene, report), report);
  if (!trial->as_given && a->study->variation.step != 1) {
    vary_step(a, report);
  }
  need(a, ff_sim_create(&a->sim, a->model), report);
}

/* ---- channels -------------------------------------------------------------------------------- */

static int channel_index(const attempt *a, const char *name) {
  for (int i = 0; i < a->all; i++) {
    ff_channel channel = ff_model_channel(a->model, i);
    if (strcmp(channel.name, name) == 0) {
      return i;
    }
  }
  return -1;
}

static void make_room(attempt *a, ff_report *report) {
  ff_reproduction *study = a->study;
  const ff_trial *trial = a->trial;
  a->samples = trial->as_given || trial->samples <= 2
                   ? trial->samples
                   : ff_reproduction_samples(study, trial->samples);
  a->all = ff_model_channel_count(a->model);
  a->row = ff_reproduction_alloc(study, a->all + 1, sizeof *a->row);
  a->wanted = ff_reproduction_alloc(study, trial->channel_count + 1, sizeof *a->wanted);
  a->columns = ff_reproduction_alloc(study, trial->channel_count + 1, sizeof *a->columns);
  a->time = ff_reproduction_alloc(study, a->samples, sizeof *a->time);
  a->events = ff_reproduction_alloc(study, EVENTS_KEPT, sizeof *a->events);
  a->trace = ff_reproduction_alloc(study, 1, sizeof *a->trace);
  for (int c = 0; c < trial->channel_count; c++) {
    a->columns[c] = ff_reproduction_alloc(study, a->samples, sizeof *a->columns[c]);
    a->wanted[c] = channel_index(a, trial->channels[c]);
    if (a->wanted[c] < 0) {
      snprintf(report->what, sizeof report->what, "%s: there is no channel '%.100s'", trial->scene,
               trial->channels[c]);
      need(a, FF_ERROR_INPUT, report);
    }
  }
}

/* ---- recording of a replay ------------------------------------------------------------------- */

static bool is_kept(const ff_trial *trial, const char *name) {
  bool kept = !trial->kept;
  for (int i = 0; i < trial->kept_count && !kept; i++) {
    kept = ff_channel_matches(name, trial->kept[i]);
  }
  return kept;
}

static void open_recorder(attempt *a, ff_report *report) {
  ff_reproduction *study = a->study;
  a->recorded = ff_reproduction_alloc(study, a->all + 1, sizeof *a->recorded);
  const char **names = ff_reproduction_alloc(study, a->all + 1, sizeof *names);
  const char **units = ff_reproduction_alloc(study, a->all + 1, sizeof *units);
  names[0] = "time";
  units[0] = "s";
  for (int i = 0; i < a->all; i++) {
    ff_channel channel = ff_model_channel(a->model, i);
    if (is_kept(a->trial, channel.name)) {
      a->recorded[a->recorded_count++] = i;
      names[a->recorded_count] = ff_reproduction_text(study, "%s", channel.name);
      units[a->recorded_count] = channel.unit;
    }
  }
  ff_recording_info info = {.scene = ff_scene_source(a->scene),
                            .summary = "",
                            .names = names,
                            .units = units,
                            .count = a->recorded_count + 1,
                            .file = ff_scene_file(a->scene)};
  path_beside(a, "run.h5", a->file);
  need(a, ff_recorder_create(&a->recorder, a->file, &info, report), report);
}

static void close_recorder(attempt *a, ff_report *report) {
  ff_recorder *recorder = a->recorder;
  a->recorder = NULL;
  need(a, ff_recorder_close(&recorder, NULL, report), report);
  ff_recording *recording;
  need(a, ff_recording_open(&recording, a->file, report), report);
  ff_status status = ff_page_add_run(&a->trace->run, a->study->page, recording);
  ff_recording_close(&recording);
  need(a, status, report);
}

/* ---- running --------------------------------------------------------------------------------- */

static void note_event(void *context, const ff_event *event) {
  attempt *a = context;
  bool pair = event->kind == FF_EVENT_TOUCH || event->kind == FF_EVENT_LIFT;
  if (pair && a->trace->event_count < EVENTS_KEPT) {
    a->events[a->trace->event_count++] = *event;
  }
}

static void sample(attempt *a, long row, ff_report *report) {
  a->time[row] = ff_sim_time(a->sim);
  for (int c = 0; c < a->trial->channel_count; c++) {
    ff_sim_read(a->sim, &a->wanted[c], 1, &a->columns[c][row]);
  }
  if (a->trial->watch) {
    a->trial->watch(a->trial->context, a->sim, row);
  }
  if (a->recorder) {
    a->row[0] = a->time[row];
    ff_sim_read(a->sim, a->recorded, a->recorded_count, a->row + 1);
    need(a, ff_recorder_add(a->recorder, a->row), report);
  }
}

static void advance(attempt *a, ff_report *report) {
  const ff_trial *trial = a->trial;
  double duration = ff_model_run(a->model)->duration;
  double span = trial->span > 0 ? trial->span : duration;
  ff_sim_on_event(a->sim, note_event, a);
  for (long row = 0; row < a->samples; row++) {
    double t = row == a->samples - 1 ? span : span * (double)row / (double)(a->samples - 1);
    ff_status status = ff_sim_advance(a->sim, t);
    if (status == FF_ERROR_STEP && trial->may_fail) {
      return;
    }
    need(a, status, report);
    sample(a, row, report);
    a->trace->rows++;
  }
  need(a, ff_sim_advance(a->sim, duration), report);
}

const ff_trace *ff_reproduction_run(ff_reproduction *study, const ff_trial *trial) {
  attempt a = {.study = study, .trial = trial};
  ff_report report = {0};
  load(&a, &report);
  make_room(&a, &report);
  if (trial->replay && study->replays) {
    open_recorder(&a, &report);
  }
  advance(&a, &report);
  if (a.recorder) {
    close_recorder(&a, &report);
  }
  ff_trace *trace = a.trace;
  trace->time = a.time;
  trace->channels = (const double *const *)a.columns;
  trace->events = a.events;
  trace->audit = ff_sim_audit(a.sim);
  trace->solver = ff_sim_solver(a.sim);
  trace->energy = ff_sim_energy(a.sim);
  clean_up(&a);
  return trace;
}

const ff_event *ff_trace_event(const ff_trace *trace, ff_event_kind kind) {
  for (int i = trace->event_count - 1; i >= 0; i--) {
    if (trace->events[i].kind == kind) {
      return &trace->events[i];
    }
  }
  return NULL;
}
