/* The run loop: steps, samples and recordings of a scene from its start, or from a checkpoint, to
 * its end. */
#include "run/run.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/report.h"
#include "footfall/stepper.h"
#include "io/recorder.h"
#include "sim/channels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static double run_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

ff_run_options ff_run_options_default(void) {
  return (ff_run_options){.checkpoint_every = 60, .flush_every = 1, .threads = 1};
}

/* ---- channels -------------------------------------------------------------------------------- */

static bool run_is_chosen(const ff_run_def *def, const char *name, bool *used) {
  bool chosen = def->channel_count == 0;
  for (int i = 0; i < def->channel_count; i++) {
    if (ff_channel_matches(name, def->channels[i])) {
      used[i] = true;
      chosen = true;
    }
  }
  return chosen && strcmp(name, "time") != 0; /* always recorded */
}

/* A glob that matches no channel is an error, most likely a typing mistake. */
static ff_status run_check_globs(const ff_run_def *def, const bool *used, ff_report *report) {
  for (int i = 0; i < def->channel_count; i++) {
    if (!used[i] && !ff_channel_matches("time", def->channels[i])) {
      ff_report_what(report, "'%.100s' matches no channel", def->channels[i]);
      ff_report_key(report, "record.channels");
      ff_report_expected(report, "the channels listed by `footfall check SCENE --channels`");
      return FF_ERROR_INPUT;
    }
  }
  return FF_OK;
}

ff_status ff_run_choose_channels(ff_run *run, ff_report *report) {
  const ff_run_def *def = ff_model_run(run->model);
  size_t all = (size_t)ff_model_channel_count(run->model);
  run->channels = ff_alloc(all, sizeof *run->channels);
  run->about = ff_alloc(all, sizeof *run->about);
  run->names = ff_alloc(all + 1, sizeof *run->names);
  run->units = ff_alloc(all + 1, sizeof *run->units);
  run->row = ff_alloc(all + 1, sizeof *run->row);
  bool *used = ff_alloc((size_t)def->channel_count, sizeof *used);
  if (!run->channels || !run->about || !run->names || !run->units || !run->row || !used) {
    ff_free(used);
    return FF_ERROR_MEMORY;
  }
  run->names[0] = "time";
  run->units[0] = "s";
  int count = 1;
  for (int i = 0; i < (int)all; i++) {
    ff_channel channel = ff_model_channel(run->model, i);
    if (run_is_chosen(def, channel.name, used)) {
      run->channels[count - 1] = i;
      run->about[count - 1] = channel;
      run->names[count] = run->about[count - 1].name;
      run->units[count] = run->about[count - 1].unit;
      count++;
    }
  }
  run->counts.channels = count;
  ff_status status = run_check_globs(def, used, report);
  ff_free(used);
  return status;
}

ff_recording_info ff_run_info(const ff_run *run) {
  return (ff_recording_info){.scene = ff_scene_source(run->scene),
                             .file = ff_scene_file(run->scene),
                             .summary = "",
                             .names = run->names,
                             .units = run->units,
                             .count = run->counts.channels,
                             .bodies = run->bodies,
                             .body_count = ff_model_body_count(run->model),
                             .contacts = run->contact_table};
}

/* ---- life ------------------------------------------------------------------------------------ */

ff_status ff_run_take_text(char **to, const char *text) {
  *to = ff_strdup(text);
  return *to ? FF_OK : FF_ERROR_MEMORY;
}

static void run_note_event(void *context, const ff_event *event) {
  ff_run *run = context;
  run->counts.touches += event->kind == FF_EVENT_TOUCH;
  run->counts.lifts += event->kind == FF_EVENT_LIFT;
  if (run->event_count < FF_RUN_EVENTS) {
    run->events[run->event_count++] = *event;
  }
  if (run->output_count == 0) {
    return;
  }
  if (ff_grow((void **)&run->pending, run->pending_count, &run->pending_capacity,
              sizeof *run->pending)) {
    run->pending[run->pending_count++] = *event;
  } else {
    run->lost_event = true;
  }
}

/* Names for the tables, and whether there is one of contacts. */
static ff_status run_plan_tables(ff_run *run) {
  const ff_run_def *def = ff_model_run(run->model);
  int count = ff_model_body_count(run->model);
  run->contact_table = def->contact_table == FF_CONTACT_TABLE_YES ||
                       (def->contact_table == FF_CONTACT_TABLE_AUTO &&
                        ff_model_pair_count(run->model) > FF_CONTACT_CHANNEL_PAIRS);
  run->bodies = ff_alloc((size_t)count, sizeof *run->bodies);
  for (int i = 0; run->bodies && i < count; i++) {
    run->bodies[i] = ff_model_body_name(run->model, (ff_body){.id = i + 1});
  }
  return run->bodies ? FF_OK : FF_ERROR_MEMORY;
}

ff_status ff_run_build(ff_run *run, ff_report *report) {
  ff_status status = ff_model_build(&run->model, run->scene, report);
  status = status == FF_OK ? ff_run_choose_channels(run, report) : status;
  status = status == FF_OK ? run_plan_tables(run) : status;
  status = status == FF_OK ? ff_sim_create(&run->sim, run->model) : status;
  if (status == FF_OK && run->options.threads < 0) {
    ff_sim_set_threads(run->sim, -run->options.threads);
  } else if (status == FF_OK) {
    status = ff_sim_set_threads(run->sim, run->options.threads);
  }
  if (status == FF_OK) {
    bool recorded = run->output_count > 0 || run->options.keep;
    int count = recorded ? run->counts.channels - 1 : 0;
    status = ff_sampler_create(&run->sampler, run->sim, run->channels, count);
  }
  run->events = status == FF_OK ? ff_alloc(FF_RUN_EVENTS, sizeof *run->events) : NULL;
  if (status == FF_OK && !run->events) {
    status = FF_ERROR_MEMORY;
  }
  if (status == FF_OK) {
    ff_sim_on_event(run->sim, run_note_event, run);
    ff_sim_watch_stop(run->sim, &run->stop);
  }
  return status;
}

static bool run_is_file(const char *output) {
  return strcmp(output, "-") != 0;
}

static ff_status run_take_options(ff_run *run, const ff_run_options *options, ff_report *report) {
  run->options = options ? *options : ff_run_options_default();
  const ff_run_options *own = &run->options;
  if (own->output_count < 0 || (own->output_count > 0 && !own->outputs) ||
      !(own->checkpoint_every >= 0) || !(own->flush_every >= 0)) {
    return ff_report_what(report, "an option of the run is out of range");
  }
  run->outputs = ff_alloc((size_t)own->output_count, sizeof *run->outputs);
  ff_status status = run->outputs ? FF_OK : FF_ERROR_MEMORY;
  for (int i = 0; i < own->output_count && status == FF_OK; i++) {
    if (!own->outputs[i] || (own->checkpoint && !run_is_file(own->outputs[i]))) {
      return ff_report_what(report, "a run with a checkpoint cannot record to standard output");
    }
    status = ff_run_take_text(&run->outputs[i], own->outputs[i]);
    run->output_count += status == FF_OK;
  }
  return status == FF_OK && own->checkpoint ? ff_run_take_text(&run->checkpoint, own->checkpoint)
                                            : status;
}

/* FILE.part of the first output that is a file. */
static ff_status run_name_log(ff_run *run) {
  for (int i = 0; i < run->output_count && !run->log_path; i++) {
    if (run_is_file(run->outputs[i])) {
      size_t size = strlen(run->outputs[i]) + sizeof ".part";
      run->log_path = ff_alloc(size, 1);
      if (!run->log_path) {
        return FF_ERROR_MEMORY;
      }
      snprintf(run->log_path, size, "%s.part", run->outputs[i]);
    }
  }
  return FF_OK;
}

static ff_status run_open_recorders(ff_run *run, ff_report *report) {
  ff_recording_info info = ff_run_info(run);
  run->recorders = ff_alloc((size_t)run->output_count, sizeof *run->recorders);
  ff_status status = run->recorders ? FF_OK : FF_ERROR_MEMORY;
  for (int i = 0; i < run->output_count && status == FF_OK; i++) {
    if (run_is_file(run->outputs[i])) {
      ff_file_remove_stale(run->outputs[i]);
    }
    status = ff_recorder_create(&run->recorders[i], run->outputs[i], &info, report);
    run->recorder_count += status == FF_OK;
  }
  return status;
}

static ff_status run_open_kept(ff_run *run) {
  ff_recording_info info = ff_run_info(run);
  return run->options.keep ? ff_recording_create(&run->kept, &info) : FF_OK;
}

ff_status ff_run_create(ff_run **out, const ff_scene *scene, const ff_run_options *options,
                        ff_report *report) {
  if (!out) {
    return FF_ERROR_INPUT;
  }
  *out = NULL;
  if (!scene) {
    return ff_report_what(report, "there is no scene");
  }
  ff_run *run = ff_alloc(1, sizeof *run);
  if (!run) {
    return FF_ERROR_MEMORY;
  }
  run->scene = scene;
  ff_status status = run_take_options(run, options, report);
  status = status == FF_OK ? ff_run_build(run, report) : status;
  status = status == FF_OK ? run_name_log(run) : status;
  status = status == FF_OK ? run_open_recorders(run, report) : status;
  status = status == FF_OK ? run_open_kept(run) : status;
  if (status == FF_OK && run->log_path) {
    ff_recording_info info = ff_run_info(run);
    status = ff_row_log_create(&run->log, run->log_path, &info, report);
  }
  if (status != FF_OK) {
    ff_run_destroy(&run);
    return status;
  }
  *out = run;
  return FF_OK;
}

/* Rows of the log up to the checkpoint, into the recorders. */
static ff_status run_replay_log(ff_run *run, ff_report *report) {
  ff_recording *recording;
  ff_status status = ff_recording_open(&recording, run->log_path, report);
  if (status != FF_OK) {
    return status == FF_ERROR_FILE
               ? ff_report_what(report,
                                "the recording that the run goes on with is missing: "
                                "'%.300s' cannot be read",
                                run->log_path)
               : status;
  }
  const ff_recording_info *about = ff_recording_about(recording);
  bool same =
      about->count == run->counts.channels && ff_recording_rows(recording) >= run->counts.samples;
  for (int i = 0; same && i < about->count; i++) {
    same = strcmp(about->names[i], run->names[i]) == 0;
  }
  if (!same) {
    status =
        ff_report_what(report, "'%.300s' is not the recording of this checkpoint", run->log_path);
  }
  for (long k = 0; status == FF_OK && k < run->counts.samples; k++) {
    for (int i = 0; i < about->count; i++) {
      run->row[i] = ff_recording_column(recording, i)[k];
    }
    for (int i = 0; i < run->recorder_count && status == FF_OK; i++) {
      status = ff_recorder_add(run->recorders[i], run->row);
    }
    status = status == FF_OK && run->kept ? ff_recording_add(run->kept, run->row) : status;
  }
  ff_recording_close(&recording);
  return status;
}

ff_status ff_run_resume(ff_run **out, const char *checkpoint, const ff_run_options *options,
                        ff_report *report) {
  if (!out) {
    return FF_ERROR_INPUT;
  }
  *out = NULL;
  if (!checkpoint) {
    return ff_report_what(report, "there is no checkpoint");
  }
  ff_run *run = ff_alloc(1, sizeof *run);
  if (!run) {
    return FF_ERROR_MEMORY;
  }
  ff_run_options own = options ? *options : ff_run_options_default();
  own.outputs = NULL;
  own.output_count = 0;
  own.checkpoint = checkpoint;
  size_t log_size = 0;
  ff_status status = run_take_options(run, &own, report);
  status = status == FF_OK ? ff_run_read_checkpoint(run, checkpoint, &log_size, report) : status;
  status = status == FF_OK ? run_name_log(run) : status;
  status = status == FF_OK ? run_open_recorders(run, report) : status;
  status = status == FF_OK ? run_open_kept(run) : status;
  if (status == FF_OK && run->log_path) {
    ff_recording_info info = ff_run_info(run);
    status = run_replay_log(run, report);
    for (int i = 0; i < run->recorder_count && status == FF_OK; i++) {
      status = ff_row_log_replay(run->log_path, log_size, run->recorders[i], report);
    }
    status = status == FF_OK ? ff_row_log_resume(&run->log, run->log_path, &info, log_size, report)
                             : status;
  }
  if (status != FF_OK) {
    ff_row_log_close(run->log, false);
    run->log = NULL;
    ff_run_destroy(&run);
    return status;
  }
  *out = run;
  return FF_OK;
}

void ff_run_destroy(ff_run **at) {
  ff_run *run = at ? *at : NULL;
  if (!run) {
    return;
  }
  *at = NULL;
  for (int i = 0; i < run->recorder_count; i++) {
    ff_recorder_abandon(&run->recorders[i]);
  }
  ff_recording_close(&run->kept);
  ff_row_log_close(run->log, true);
  ff_sampler_destroy(&run->sampler);
  ff_sim_destroy(&run->sim);
  ff_model_destroy(&run->model);
  ff_scene_destroy(&run->own_scene);
  for (int i = 0; i < run->output_count; i++) {
    ff_free(run->outputs[i]);
  }
  ff_free(run->outputs);
  ff_free(run->checkpoint);
  ff_free(run->log_path);
  ff_free(run->channels);
  ff_free(run->about);
  ff_free(run->names);
  ff_free(run->units);
  ff_free(run->row);
  ff_free(run->recorders);
  ff_free(run->events);
  ff_free(run->pending);
  ff_free(run->bodies);
  ff_free(run->contacts);
  ff_free(run->table);
  ff_free(run);
}

/* ---- loop ------------------------------------------------------------------------------------ */

/* Time of sample number k. Samples lie at multiples of record.every and at the end; if that is 0 at
 * every step, or at each thousandth of the duration if steps have no fixed length. */
static double run_sample_time(const ff_run_def *def, long k) {
  double every = def->record_every;
  if (!(every > 0)) {
    bool fixed = ff_stepper_find(def->stepper.kind)->fixed_step;
    every = fixed ? def->stepper.step : def->duration / 1000;
  }
  double t = (double)k * every;
  return t < def->duration - 1e-9 * every ? t : def->duration;
}

/* Adds the row to every recording; a failed one reports the reason when it is closed. */
static ff_status run_record(ff_run *run, ff_report *report) {
  ff_status status = FF_OK;
  for (int i = 0; i < run->recorder_count && status == FF_OK; i++) {
    status = ff_recorder_add(run->recorders[i], run->row);
    if (status != FF_OK) {
      ff_recorder_close(&run->recorders[i], NULL, report);
      run->recorders[i] = NULL;
    }
  }
  if (status == FF_OK && run->log && ff_row_log_add(run->log, run->row) != FF_OK) {
    ff_report_what(report, "cannot write '%.300s'", run->log_path);
    status = FF_ERROR_FILE;
  }
  status = status == FF_OK && run->kept ? ff_recording_add(run->kept, run->row) : status;
  run->counts.samples += status == FF_OK && (run->recorder_count > 0 || run->kept);
  return status;
}

/* Events since the last sample, into the tables. */
static ff_status run_record_events(ff_run *run) {
  ff_status status = run->lost_event ? FF_ERROR_MEMORY : FF_OK;
  for (int i = 0; i < run->recorder_count && status == FF_OK; i++) {
    status = ff_recorder_add_events(run->recorders[i], run->pending, (long)run->pending_count);
  }
  for (size_t k = 0; run->log && k < run->pending_count && status == FF_OK; k++) {
    ff_event_row row = ff_event_row_of(&run->pending[k]);
    status = ff_row_log_add_to(run->log, FF_TABLE_EVENTS, &row, 1);
  }
  run->pending_count = 0;
  return status;
}

static bool run_reserve_contacts(ff_run *run, size_t count) {
  if (count > run->contact_capacity) {
    size_t capacity = 2 * count;
    ff_free(run->contacts);
    ff_free(run->table);
    run->contacts = ff_alloc(capacity, sizeof *run->contacts);
    run->table = ff_alloc(capacity, sizeof *run->table);
    run->contact_capacity = run->contacts && run->table ? capacity : 0;
  }
  return count <= run->contact_capacity;
}

/* Contacts of the sample, as they were at the end of the step that it lies in. */
static ff_status run_record_contacts(ff_run *run) {
  int count = ff_sim_contacts(run->sim, NULL, 0);
  if (!run_reserve_contacts(run, (size_t)count)) {
    return FF_ERROR_MEMORY;
  }
  ff_sim_contacts(run->sim, run->contacts, count);
  double t = ff_sim_time(run->sim);
  ff_status status = FF_OK;
  for (int i = 0; i < run->recorder_count && status == FF_OK; i++) {
    status = ff_recorder_add_contacts(run->recorders[i], t, run->contacts, count);
  }
  for (int k = 0; k < count; k++) {
    run->table[k] = ff_contact_row_of(&run->contacts[k], t, run->counts.samples - 1);
  }
  return status == FF_OK && run->log
             ? ff_row_log_add_to(run->log, FF_TABLE_CONTACTS, run->table, (size_t)count)
             : status;
}

static ff_status run_record_tables(ff_run *run) {
  ff_status status = run_record_events(run);
  return status == FF_OK && run->contact_table && run->recorder_count > 0 ? run_record_contacts(run)
                                                                          : status;
}

/* Samples up to time `until`. */
static ff_status run_loop(ff_run *run, double start, double until, ff_report *report) {
  const ff_run_def *def = ff_model_run(run->model);
  double flushed = start, checked = start;
  ff_status status = FF_OK;
  bool ended = run->next > 0 && run_sample_time(def, run->next - 1) >= def->duration;
  while (status == FF_OK && !ended) {
    double t = run_sample_time(def, run->next);
    if (t > until) {
      break;
    }
    run->row[0] = t;
    status = atomic_load(&run->stop) ? FF_CANCELLED
                                     : ff_sampler_at(run->sampler, t, def->duration, run->row + 1);
    status = status == FF_OK ? run_record(run, report) : status;
    status = status == FF_OK ? run_record_tables(run) : status;
    if (status != FF_OK) {
      break;
    }
    run->next++;
    ended = t >= def->duration;
    double now = run_clock();
    if (run->log && now - flushed >= run->options.flush_every) {
      flushed = now;
      status = ff_row_log_flush(run->log);
    }
    if (run->checkpoint && !ended && now - checked >= run->options.checkpoint_every) {
      run->counts.wall = run->wall_before + now - start;
      status = ff_run_write_checkpoint(run, report);
      checked = now;
    }
    if (run->options.progress) {
      run->options.progress(run->options.context, t / def->duration);
    }
  }
  return status;
}

/* The state that a failing step began with, as the last sample. */
static void run_record_failure(ff_run *run, ff_report *report) {
  const ff_run_def *def = ff_model_run(run->model);
  double t = ff_sim_time(run->sim);
  if (run->recorder_count > 0 && run->next > 0 && t > run_sample_time(def, run->next - 1)) {
    run->row[0] = t;
    ff_sim_read(run->sim, run->channels, run->counts.channels - 1, run->row + 1);
    if (run_record(run, report) == FF_OK) {
      run_record_tables(run);
    }
  }
}

/* Why the run ended early. */
static void run_explain(ff_run *run, ff_status status, const ff_report *report) {
  char why[sizeof run->incomplete - 80] = "";
  ff_report reason = {0};
  if (status == FF_CANCELLED) {
    snprintf(why, sizeof why, "stopped");
  } else if (report && report->what[0]) {
    ff_report_text(report, why, sizeof why);
  } else {
    ff_sim_failure(run->sim, &reason);
    ff_report_text(&reason, why, sizeof why);
    if (!reason.what[0]) {
      snprintf(why, sizeof why, "%s", ff_status_text(status));
    }
  }
  snprintf(run->incomplete, sizeof run->incomplete, "at %.9g s: %s", ff_sim_time(run->sim), why);
}

/* The recordings under their names. lost: a file could not be written. */
static ff_status run_close_recorders(ff_run *run, bool *lost, ff_report *report) {
  const char *text =
      run->options.summarise ? run->options.summarise(run->options.context, run) : "";
  ff_status status = run->kept ? ff_recording_finish(run->kept, text, run->incomplete) : FF_OK;
  for (int i = 0; i < run->recorder_count; i++) {
    if (run->recorders[i] && run->incomplete[0]) {
      ff_recorder_mark(run->recorders[i], run->incomplete);
    }
    if (run->recorders[i]) {
      ff_report why = {0};
      ff_status closed = ff_recorder_close(&run->recorders[i], text ? text : "", &why);
      run->recorders[i] = NULL;
      *lost = *lost || (closed != FF_OK && run_is_file(run->outputs[i]));
      if (status == FF_OK && closed != FF_OK) {
        status = closed;
        if (report) {
          *report = why;
        }
      }
    }
  }
  run->recorder_count = 0;
  return status;
}

ff_status ff_run_advance(ff_run *run, double until, ff_report *report) {
  if (!run || run->executed) {
    return ff_report_what(report, "a run that has been executed goes no further");
  }
  double start = run_clock();
  ff_status status = run_loop(run, start, until, report);
  run->wall_before += run_clock() - start;
  return status;
}

ff_status ff_run_execute(ff_run *run, ff_report *report) {
  if (!run || run->executed) {
    return ff_report_what(report, "a run is executed once");
  }
  ff_report own = {0};
  ff_report *why = report ? report : &own;
  *why = (ff_report){0};
  run->executed = true;
  double start = run_clock();
  ff_status status = run_loop(run, start, INFINITY, why);
  run->counts.wall = run->wall_before + run_clock() - start;
  bool kept = status == FF_CANCELLED && run->checkpoint;
  if (kept) {
    run_record_events(run); /* of the steps after the last sample: they are in the state */
    ff_status saved = ff_run_write_checkpoint(run, why);
    status = saved == FF_OK ? status : saved;
  }
  if (status != FF_OK) {
    run_explain(run, status, why);
    if (status == FF_ERROR_STEP || status == FF_ERROR_CAPACITY) {
      run_record_failure(run, why);
    }
    run_record_events(run); /* those of the steps after the last sample */
  }
  ff_report closing = {0};
  bool lost = false;
  ff_status closed = run_close_recorders(run, &lost, &closing);
  if (status == FF_OK && closed != FF_OK) {
    status = closed;
    *why = closing;
  }
  /* The log has served its purpose, unless the run is to go on or a recording failed. */
  ff_row_log_close(run->log, !lost && !kept);
  run->log = NULL;
  if (status == FF_OK && run->checkpoint) {
    ff_file_remove(run->checkpoint);
  }
  return status;
}

void ff_run_stop(ff_run *run) {
  if (run) {
    atomic_store(&run->stop, true);
    if (!run->checkpoint) { /* nothing resumes here: no need to wait for the end of a step */
      ff_sim_cancel(run->sim);
    }
  }
}

/* ---- queries --------------------------------------------------------------------------------- */

const ff_scene *ff_run_scene(const ff_run *run) {
  return run ? run->scene : NULL;
}

const ff_model *ff_run_model(const ff_run *run) {
  return run ? run->model : NULL;
}

ff_sim *ff_run_sim(ff_run *run) {
  return run ? run->sim : NULL;
}

int ff_run_output_count(const ff_run *run) {
  return run ? run->output_count : 0;
}

const char *ff_run_output(const ff_run *run, int index) {
  return run && index >= 0 && index < run->output_count ? run->outputs[index] : NULL;
}

const ff_recording *ff_run_recording(const ff_run *run) {
  return run ? run->kept : NULL;
}

const char *ff_run_incomplete(const ff_run *run) {
  return run ? run->incomplete : "";
}

ff_run_counts ff_run_count(const ff_run *run) {
  return run ? run->counts : (ff_run_counts){.wall = NAN};
}

const ff_event *ff_run_events(const ff_run *run, int *count) {
  if (count) {
    *count = run ? run->event_count : 0;
  }
  return run ? run->events : NULL;
}
