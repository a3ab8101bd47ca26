/* footfall run SCENE: runs and records it, and prints a verdict. */
#include <argp.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "progress.h"
#include "say.h"
#include "summary.h"

enum {
  EVENTS_KEPT = 10000, /* in a recording's summary; all are counted */
  FEW_THREADS = 8,     /* default limit */
  MOST_THREADS = 64
};

typedef struct run_job {
  const char *path;   /* of the scene */
  const char *report; /* page to write; NULL: none */
  ff_cli_list overrides, outputs;
  bool json, quiet;
  int threads; /* 0: number of processors */

  ff_scene *scene;
  ff_model *model;
  ff_sim *sim;
  ff_sampler *sampler;
  int *channels;      /* model channels to record */
  ff_channel *about;  /* their names and units */
  const char **names; /* time, then those */
  const char **units;
  int count;   /* with time */
  double *row; /* count values */
  ff_recorder **recorders;
  int recorder_count;
  long samples, touches, lifts;
  ff_event *events; /* the first EVENTS_KEPT */
  int event_count;
  char scratch[FF_CLI_FOLDER]; /* of a recording made only for the report; "" if none */
  char scratch_file[FF_CLI_FOLDER + 8];
} run_job;

/* ---- arguments ------------------------------------------------------------------------------- */

static bool run_has_extension(const char *name, const char *ending) {
  size_t length = strlen(name), tail = strlen(ending);
  return length > tail && strcmp(name + length - tail, ending) == 0;
}

static bool run_to_stdout(const run_job *job) {
  for (int i = 0; i < job->outputs.count; i++) {
    if (strcmp(job->outputs.items[i], "-") == 0) {
      return true;
    }
  }
  return false;
}

static int run_parse_threads(struct argp_state *state, const char *text) {
  char *end;
  long count = strtol(text, &end, 10);
  if (*text == '\0' || *end != '\0' || count < 1 || count > MOST_THREADS) {
    argp_error(state, "--threads: expected a number from 1 to %d, got '%s'", MOST_THREADS, text);
  }
  return (int)count;
}

static error_t run_parse(int key, char *value, struct argp_state *state) {
  run_job *job = state->input;
  switch (key) {
    case 'c':
      if (strcmp(value, "-") != 0 && !run_has_extension(value, ".csv")) {
        argp_error(state, "--csv: expected a name that ends in .csv, or -, got '%s'", value);
      }
      /* fallthrough */
    case 'o': ff_cli_list_add(&job->outputs, value); return 0;
    case 's': ff_cli_list_add(&job->overrides, value); return 0;
    case 'j': job->json = true; return 0;
    case 'q': job->quiet = true; return 0;
    case 't': job->threads = run_parse_threads(state, value); return 0;
    case 'r': job->report = value; return 0;
    case ARGP_KEY_ARG:
      if (job->path) {
        argp_error(state, "one scene at a time");
      }
      job->path = value;
      return 0;
    case ARGP_KEY_END:
      if (!job->path) {
        argp_error(state, "no scene given");
      }
      if (job->json && run_to_stdout(job)) {
        argp_error(state, "--json and a recording cannot both go to the standard output");
      }
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "record into FILE.csv, FILE.h5 or FILE.sto; may be repeated", 0},
    {"csv", 'c', "FILE.csv", 0, "record into FILE.csv; - is the standard output", 0},
    {"report", 'r', "FILE.html", 0, "write one page with 3-D replay, plots and ledger", 0},
    {"set", 's', "PATH=VALUE", 0, "override a value of the scene; may be repeated", 0},
    {"threads", 't', "N", 0,
     "threads that share the steps of large islands, 1 to 64; results are the same (default: one "
     "per "
     "processor, at most 8)",
     0},
    {"json", 'j', NULL, 0, "print the summary as JSON", 0},
    {"quiet", 'q', NULL, 0, "no progress bar and no summary", 0},
    {0},
};

static const struct argp parser = {
    .options = options,
    .parser = run_parse,
    .args_doc = "SCENE",
    .doc = "Runs a scene and prints its energy ledger and a verdict.\v"
           "Examples:\n"
           "  footfall run scenes/bouncing-ball.yaml\n"
           "  footfall run ball.yaml -o ball.h5 --set stepper.rtol=1e-12\n"
           "  footfall run ball.yaml --report ball.html\n"
           "  footfall run ball.yaml --csv - | head\n" FF_CLI_EXITS};

/* ---- channels -------------------------------------------------------------------------------- */

static bool run_is_chosen(const ff_run_def *run, const char *name, bool *used) {
  bool chosen = run->channel_count == 0;
  for (int i = 0; i < run->channel_count; i++) {
    if (ff_channel_matches(name, run->channels[i])) {
      used[i] = true;
      chosen = true;
    }
  }
  return chosen && strcmp(name, "time") != 0; /* always recorded */
}

/* A glob that matches no channel is an error, most likely a typing mistake. */
static ff_status run_check_globs(const ff_run_def *run, const bool *used, ff_report *report) {
  for (int i = 0; i < run->channel_count; i++) {
    if (!used[i] && !ff_channel_matches("time", run->channels[i])) {
      *report = (ff_report){0};
      snprintf(report->key, sizeof report->key, "record.channels");
      snprintf(report->what, sizeof report->what, "'%.100s' matches no channel", run->channels[i]);
      snprintf(report->expected, sizeof report->expected,
               "the channels listed by `footfall check SCENE --channels`");
      return FF_ERROR_INPUT;
    }
  }
  return FF_OK;
}

static ff_status run_choose_channels(run_job *job, ff_report *report) {
  const ff_run_def *run = ff_model_run(job->model);
  int all = ff_model_channel_count(job->model);
  job->channels = ff_cli_alloc(all, sizeof *job->channels);
  job->about = ff_cli_alloc(all, sizeof *job->about);
  job->names = ff_cli_alloc(all + 1, sizeof *job->names);
  job->units = ff_cli_alloc(all + 1, sizeof *job->units);
  job->row = ff_cli_alloc(all + 1, sizeof *job->row);
  bool *used = ff_cli_alloc(run->channel_count, sizeof *used);
  job->names[0] = "time";
  job->units[0] = "s";
  job->count = 1;
  for (int i = 0; i < all; i++) {
    ff_channel channel = ff_model_channel(job->model, i);
    if (run_is_chosen(run, channel.name, used)) {
      int at = job->count++;
      job->channels[at - 1] = i;
      job->about[at - 1] = channel;
      job->names[at] = job->about[at - 1].name;
      job->units[at] = job->about[at - 1].unit;
    }
  }
  ff_status status = run_check_globs(run, used, report);
  free(used);
  return status;
}

/* Before anything is computed. */
static ff_status run_check_outputs(const run_job *job, ff_report *report) {
  ff_cli_list written = {0}, read = {0};
  for (int i = 0; i < job->outputs.count; i++) {
    ff_cli_list_add(&written, job->outputs.items[i]);
  }
  if (job->report) {
    ff_cli_list_add(&written, job->report);
  }
  for (int i = 0; i < ff_scene_read_count(job->scene); i++) {
    ff_cli_list_add(&read, ff_scene_read_file(job->scene, i));
  }
  ff_status status = ff_cli_check_outputs(&written, &read, report);
  ff_cli_list_free(&written);
  ff_cli_list_free(&read);
  return status;
}

static ff_status run_open_recorders(run_job *job, ff_report *report) {
  ff_recording_info info = {.scene = ff_scene_source(job->scene),
                            .file = ff_scene_file(job->scene),
                            .summary = "",
                            .names = job->names,
                            .units = job->units,
                            .count = job->count};
  job->recorders = ff_cli_alloc(job->outputs.count, sizeof(ff_recorder *));
  for (int i = 0; i < job->outputs.count; i++) {
    ff_status status = ff_recorder_create(&job->recorders[i], job->outputs.items[i], &info, report);
    if (status != FF_OK) {
      return status;
    }
    job->recorder_count++;
  }
  return FF_OK;
}

static void run_abandon_recorders(run_job *job) {
  for (int i = 0; i < job->recorder_count; i++) {
    ff_recorder_abandon(job->recorders[i]);
  }
  job->recorder_count = 0;
}

/* Adds a row to every recording; a failed one reports the reason when it is closed. */
static ff_status run_record(run_job *job, double t, ff_report *report) {
  if (job->recorder_count == 0) {
    return FF_OK;
  }
  job->row[0] = t;
  for (int i = 0; i < job->recorder_count; i++) {
    ff_status status = ff_recorder_add(job->recorders[i], job->row);
    if (status != FF_OK) {
      ff_recorder_close(job->recorders[i], NULL, report);
      job->recorders[i] = NULL;
      return status;
    }
  }
  job->samples++;
  return FF_OK;
}

/* ---- run ------------------------------------------------------------------------------------- */

static volatile sig_atomic_t stop_asked;
static ff_sim *_Atomic stoppable; /* NULL: no run */

static void run_ask_stop(int number) {
  (void)number;
  stop_asked = 1;
  ff_sim *sim = stoppable;
  if (sim) {
    ff_sim_cancel(sim);
  }
}

/* The first Ctrl-C stops the run in order, a second one immediately. */
static void run_watch_signals(ff_sim *sim) {
  stoppable = sim;
  struct sigaction action = {.sa_handler = run_ask_stop, .sa_flags = (int)SA_RESETHAND};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

static void run_count_event(void *context, const ff_event *event) {
  run_job *job = context;
  job->touches += event->kind == FF_EVENT_TOUCH;
  job->lifts += event->kind == FF_EVENT_LIFT;
  if (job->event_count < EVENTS_KEPT) {
    job->events[job->event_count++] = *event;
  }
}

/* Time of sample number k. Samples lie at multiples of record.every and at the end; if that is 0 at
 * every step, or at each thousandth of the duration if steps have no fixed length. */
static double run_sample_time(const ff_run_def *run, long k) {
  double every = run->record_every;
  if (!(every > 0)) {
    bool fixed = ff_stepper_find(run->stepper.kind)->fixed_step;
    every = fixed ? run->stepper.step : run->duration / 1000;
  }
  double t = (double)k * every;
  return t < run->duration - 1e-9 * every ? t : run->duration;
}

/* Starts the requested number of threads; by default one per available processor, or a single one
 * if threads cannot be started. */
static ff_status run_start_threads(run_job *job) {
  if (job->threads > 0) {
    return ff_sim_set_threads(job->sim, job->threads);
  }
  cpu_set_t set;
  int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  ff_sim_set_threads(job->sim, count < FEW_THREADS ? count : FEW_THREADS);
  return FF_OK;
}

static ff_status run_advance(run_job *job, ff_report *report) {
  const ff_run_def *run = ff_model_run(job->model);
  ff_progress progress = ff_progress_start(!job->quiet);
  ff_status status = ff_sampler_create(&job->sampler, job->sim, job->channels,
                                       job->recorder_count > 0 ? job->count - 1 : 0);
  double t = 0;
  for (long k = 0; status == FF_OK && !stop_asked && (k == 0 || t < run->duration); k++) {
    t = run_sample_time(run, k);
    status = ff_sampler_at(job->sampler, t, run->duration, job->row + 1);
    if (status == FF_OK) {
      status = run_record(job, t, report);
    }
    ff_progress_show(&progress, t / run->duration);
  }
  ff_progress_end(&progress);
  return status;
}

/* ---- end ------------------------------------------------------------------------------------- */

/* The summary for the recordings. */
static char *run_summary_text(const run_job *job, ff_summary summary) {
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!out) {
    exit(ff_cli_fail(FF_ERROR_MEMORY, NULL));
  }
  summary.wall = NAN;
  summary.events = job->events;
  summary.event_count = job->event_count;
  ff_summary_json(&summary, out);
  fclose(out);
  return text;
}

static ff_status run_close_recorders(run_job *job, const ff_summary *summary, ff_report *report) {
  char *text = run_summary_text(job, *summary);
  ff_status status = FF_OK;
  for (int i = 0; i < job->recorder_count && status == FF_OK; i++) {
    status = ff_recorder_close(job->recorders[i], text, report);
    job->recorders[i] = NULL;
  }
  free(text);
  return status;
}

/* ---- report ---------------------------------------------------------------------------------- */

static const char *run_hdf5_output(const run_job *job) {
  for (int i = 0; i < job->outputs.count; i++) {
    if (run_has_extension(job->outputs.items[i], ".h5")) {
      return job->outputs.items[i];
    }
  }
  return NULL;
}

/* A report is made from a recording. If none was requested, a temporary one is made. */
static ff_status run_prepare_report(run_job *job, ff_report *report) {
  ff_status status = ff_page_check(job->report, report);
  if (status == FF_OK && !run_hdf5_output(job)) {
    status = ff_cli_make_folder(job->scratch, report);
    if (status != FF_OK) {
      return status;
    }
    snprintf(job->scratch_file, sizeof job->scratch_file, "%s/run.h5", job->scratch);
    ff_cli_list_add(&job->outputs, job->scratch_file);
  }
  return status;
}

static void run_remove_scratch(const run_job *job) {
  if (job->scratch[0]) {
    unlink(job->scratch_file);
    rmdir(job->scratch);
  }
}

static int run_finish(run_job *job, double wall) {
  ff_summary summary = {.scene = job->path,
                        .model = job->model,
                        .sim = job->sim,
                        .touches = job->touches,
                        .lifts = job->lifts,
                        .samples = job->samples,
                        .channels = job->count,
                        .wall = wall};
  ff_report report = {0};
  ff_status status = run_close_recorders(job, &summary, &report);
  if (status == FF_OK && job->report) {
    status = ff_cli_write_page(run_hdf5_output(job), job->path, job->report, &report);
  }
  if (status != FF_OK) {
    return ff_cli_fail(status, &report);
  }
  bool good = ff_sim_audit(job->sim).verdict == FF_VERDICT_GOOD;
  if (job->json) {
    ff_summary_json(&summary, stdout);
  } else if (!job->quiet) {
    ff_summary_text(&summary, run_to_stdout(job) ? stderr : stdout);
  }
  if (!good && (job->json || job->quiet)) {
    fputs("footfall: ", stderr);
    ff_summary_verdict(&summary, stderr);
  }
  return good ? FF_EXIT_GOOD : FF_EXIT_FAILED;
}

static int run_fail_step(const run_job *job, ff_status status, const ff_report *report) {
  if (report->what[0]) {
    return ff_cli_fail(status, report);
  }
  ff_report why;
  char text[1024] = "";
  ff_sim_failure(job->sim, &why);
  if (why.what[0]) {
    ff_report_text(&why, text, sizeof text);
  }
  ff_cli_say(stderr, "footfall: %s: at %.9g s: %s%s%s\n", job->path, ff_sim_time(job->sim),
             ff_status_text(status), text[0] ? ": " : "", text);
  return FF_EXIT_FAILED;
}

static int run_execute(run_job *job) {
  ff_report report = {0};
  int code = ff_cli_load(&job->scene, &job->model, job->path, &job->overrides);
  if (code != FF_EXIT_GOOD) {
    return code;
  }
  ff_status status = run_check_outputs(job, &report);
  status = status == FF_OK ? run_choose_channels(job, &report) : status;
  status = status == FF_OK && job->report ? run_prepare_report(job, &report) : status;
  status = status == FF_OK ? ff_sim_create(&job->sim, job->model) : status;
  status = status == FF_OK ? run_start_threads(job) : status;
  status = status == FF_OK ? run_open_recorders(job, &report) : status;
  if (status != FF_OK) {
    return ff_cli_fail(status, &report);
  }
  ff_cli_warn_intrusions(job->model, job->sim, "footfall: WARNING: ", stderr);
  job->events = ff_cli_alloc(EVENTS_KEPT, sizeof *job->events);
  run_watch_signals(job->sim);
  ff_sim_on_event(job->sim, run_count_event, job);
  double start = ff_wall_clock();
  status = run_advance(job, &report);
  stoppable = NULL;
  if (status != FF_OK && status != FF_CANCELLED) {
    return run_fail_step(job, status, &report);
  }
  if (stop_asked) {
    ff_cli_say(stderr, "footfall: stopped at %.9g s; nothing was recorded\n",
               ff_sim_time(job->sim));
    return FF_EXIT_FAILED;
  }
  return run_finish(job, ff_wall_clock() - start);
}

int ff_cli_run(int argc, char **argv) {
  run_job job = {0};
  ff_cli_parse(&parser, argc, argv, &job);
  int code = run_execute(&job);
  run_abandon_recorders(&job);
  run_remove_scratch(&job);
  ff_sampler_destroy(job.sampler);
  ff_sim_destroy(job.sim);
  ff_model_destroy(job.model);
  ff_scene_destroy(job.scene);
  ff_cli_list_free(&job.overrides);
  ff_cli_list_free(&job.outputs);
  free(job.channels);
  free(job.about);
  free(job.names);
  free(job.units);
  free(job.row);
  free(job.recorders);
  free(job.events);
  return code;
}
