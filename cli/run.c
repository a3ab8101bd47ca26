/* footfall run SCENE: runs and records it, and prints a verdict. */
#include <argp.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "certify.h"
#include "cli.h"
#include "progress.h"
#include "say.h"
#include "summary.h"
#include "watch.h"

enum {
  FEW_THREADS = 8, /* default limit */
  MOST_THREADS = 64,
  KEY_CHECKPOINT = 256,
  KEY_EVERY,
  KEY_RESUME,
  KEY_CERTIFY,
  KEY_LIVE,
  KEY_WATCH
};

typedef struct run_job {
  const char *path;   /* of the scene */
  const char *report; /* page to write; NULL: none */
  const char *resume; /* checkpoint to go on from; NULL: none */
  ff_cli_list overrides, outputs;
  bool json, quiet, certify, live, watched;
  ff_finding certificate;
  ff_run_options options;
  ff_scene *scene;
  ff_run *run;
  ff_watch *watch; /* NULL: not watched */
  ff_progress progress;
  char *summary;               /* last text of run_summarise */
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

static const char *run_hdf5_output(const run_job *job) {
  for (int i = 0; i < job->outputs.count; i++) {
    if (run_has_extension(job->outputs.items[i], ".h5")) {
      return job->outputs.items[i];
    }
  }
  return NULL;
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
    case 't': job->options.threads = run_parse_threads(state, value); return 0;
    case KEY_CHECKPOINT: job->options.checkpoint = value; return 0;
    case KEY_EVERY:
      if (!ff_number_read(value, &job->options.checkpoint_every) ||
          !(job->options.checkpoint_every >= 0)) {
        argp_error(state, "--checkpoint-every: expected a number of seconds, got '%s'", value);
      }
      return 0;
    case KEY_CERTIFY: job->certify = true; return 0;
    case KEY_LIVE: job->live = true; return 0;
    case KEY_WATCH: job->watched = true; return 0;
    case KEY_RESUME: job->resume = value; return 0;
    case 'r': job->report = value; return 0;
    case ARGP_KEY_ARG:
      if (job->path) {
        argp_error(state, "one scene at a time");
      }
      job->path = value;
      return 0;
    case ARGP_KEY_END:
      if (!job->path && !job->resume) {
        argp_error(state, "no scene given");
      }
      if (job->resume && (job->path || job->outputs.count > 0 || job->overrides.count > 0 ||
                          job->options.checkpoint)) {
        argp_error(state, "--resume goes on with the scene and the outputs of its checkpoint");
      }
      if (job->live && (!job->report || job->resume)) {
        argp_error(state, "--live needs a scene and --report FILE.html");
      }
      if (job->certify && job->resume) {
        argp_error(state, "--certify runs a scene from its start, --resume does not");
      }
      if (job->options.checkpoint && run_to_stdout(job)) {
        argp_error(state, "--checkpoint and a recording to the standard output do not go together");
      }
      if (job->options.checkpoint && job->report && !run_hdf5_output(job)) {
        argp_error(state, "--checkpoint with --report needs a recording, as in -o FILE.h5");
      }
      if (job->json && run_to_stdout(job)) {
        argp_error(state, "--json and a recording cannot both go to the standard output");
      }
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0,
     "record into FILE.csv, FILE.h5, FILE.sto, or FILE.mot with FILE.xml (external loads of "
     "OpenSim); may be repeated",
     0},
    {"csv", 'c', "FILE.csv", 0, "record into FILE.csv; - is the standard output", 0},
    {"report", 'r', "FILE.html", 0, "write one page with 3-D replay, plots and ledger", 0},
    {"live", KEY_LIVE, NULL, 0,
     "put the engine and the scene into the report: parameters can be changed and bodies pushed "
     "there",
     0},
    {"watch", KEY_WATCH, NULL, 0,
     "follow the run in a browser: prints the address of a page on this machine", 0},
    {"set", 's', "PATH=VALUE", 0, "override a value of the scene; may be repeated", 0},
    {"threads", 't', "N", 0,
     "threads that share the steps of large islands, 1 to 64; results are the same (default: one "
     "per "
     "processor, at most 8)",
     0},
    {"checkpoint", KEY_CHECKPOINT, "FILE", 0,
     "write a checkpoint into FILE now and then, and when stopped", 0},
    {"checkpoint-every", KEY_EVERY, "SECONDS", 0, "time between checkpoints (default: 60)", 0},
    {"resume", KEY_RESUME, "FILE", 0, "go on from a checkpoint, with its scene and outputs", 0},
    {"certify", KEY_CERTIFY, NULL, 0,
     "also run with half the step (adaptive: a tenth of rtol), and fail if bodies move otherwise",
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
           "  footfall run ball.yaml --report ball.html --live\n"
           "  footfall run ball.yaml --watch\n"
           "  footfall run ball.yaml --csv - | head\n"
           "  footfall run foot.yaml -o grf.mot           (and grf.xml, for OpenSim)\n"
           "  footfall run long.yaml -o long.h5 --checkpoint long.ckpt\n"
           "  footfall run --resume long.ckpt\n" FF_CLI_EXITS};

/* ---- run ------------------------------------------------------------------------------------- */

/* A recording in .mot comes with an .xml of the same name, which is written to xml. The list keeps
 * pointers to both names. */
static void run_add_written(ff_cli_list *written, const char *output, char xml[PATH_MAX]) {
  ff_cli_list_add(written, output);
  if (run_has_extension(output, ".mot")) {
    snprintf(xml, PATH_MAX, "%.*s.xml", (int)(strlen(output) - strlen(".mot")), output);
    ff_cli_list_add(written, xml);
  }
}

/* Before anything is computed. */
static ff_status run_check_outputs(const run_job *job, ff_report *report) {
  ff_cli_list written = {0}, read = {0};
  char(*xml)[PATH_MAX] = ff_cli_alloc(job->outputs.count, sizeof *xml);
  for (int i = 0; i < job->outputs.count; i++) {
    run_add_written(&written, job->outputs.items[i], xml[i]);
  }
  if (job->report) {
    ff_cli_list_add(&written, job->report);
  }
  if (job->options.checkpoint) {
    ff_cli_list_add(&written, job->options.checkpoint);
  }
  for (int i = 0; i < ff_scene_read_count(job->scene); i++) {
    ff_cli_list_add(&read, ff_scene_read_file(job->scene, i));
  }
  ff_status status = ff_cli_check_outputs(&written, &read, report);
  ff_cli_list_free(&written);
  ff_cli_list_free(&read);
  free(xml);
  return status;
}

static ff_run *_Atomic stoppable; /* NULL: no run */
static volatile sig_atomic_t stopped_by;

static void run_ask_stop(int number) {
  stopped_by = number;
  ff_run_stop(stoppable);
}

/* The first Ctrl-C stops the run in order, a second one immediately. */
static void run_watch_signals(ff_run *run) {
  stoppable = run;
  struct sigaction action = {.sa_handler = run_ask_stop, .sa_flags = (int)SA_RESETHAND};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

/* One thread per available processor, unless a number is asked for. */
static int run_threads(const run_job *job) {
  cpu_set_t set;
  int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  count = count < FEW_THREADS ? count : FEW_THREADS;
  return job->options.threads > 0 ? job->options.threads : -count;
}

static void run_show_progress(void *context, double done) {
  run_job *job = context;
  ff_progress_show(&job->progress, done);
  if (job->watch) {
    ff_watch_update(job->watch, ff_run_recording(job->run));
  }
}

static ff_summary run_summary(const run_job *job, const ff_run *run) {
  ff_run_counts counts = ff_run_count(run);
  return (ff_summary){.scene = job->path ? job->path : ff_scene_file(ff_run_scene(run)),
                      .model = ff_run_model(run),
                      .sim = ff_run_sim(job->run),
                      .touches = counts.touches,
                      .lifts = counts.lifts,
                      .samples = counts.samples,
                      .channels = counts.channels,
                      .incomplete = ff_run_incomplete(run),
                      .certificate = job->certify ? &job->certificate : NULL,
                      .wall = counts.wall};
}

/* The summary for the recordings: without wall time, so that equal runs give equal bytes. */
static const char *run_summarise(void *context, const ff_run *run) {
  run_job *job = context;
  size_t size;
  free(job->summary);
  job->summary = NULL;
  FILE *out = open_memstream(&job->summary, &size);
  if (!out) {
    exit(ff_cli_fail(FF_ERROR_MEMORY, NULL));
  }
  ff_summary summary = run_summary(job, run);
  summary.wall = NAN;
  summary.events = ff_run_events(run, &summary.event_count);
  ff_summary_json(&summary, out);
  fclose(out);
  return job->summary;
}

/* A report is made from a recording. If none was requested, a temporary one is made. */
static ff_status run_prepare_report(run_job *job, ff_report *report) {
  ff_status status = ff_page_check(job->report, report);
  if (status == FF_OK && job->live && !ff_page_live_available(report)) {
    return FF_ERROR_FILE;
  }
  if (status == FF_OK && !job->resume && !run_hdf5_output(job)) {
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

/* ---- end ------------------------------------------------------------------------------------- */

/* The name of the scene for readers. */
static const char *run_source(const run_job *job) {
  return job->path ? job->path : ff_scene_file(ff_run_scene(job->run));
}

static ff_status run_write_report(const run_job *job, ff_report *report) {
  for (int i = 0; i < ff_run_output_count(job->run); i++) {
    const char *output = ff_run_output(job->run, i);
    if (run_has_extension(output, ".h5")) {
      return ff_cli_write_page(output, run_source(job), job->live ? job->scene : NULL, job->report,
                               report);
    }
  }
  snprintf(report->what, sizeof report->what, "a report needs a recording that ends in .h5");
  return FF_ERROR_INPUT;
}

static int run_finish(run_job *job) {
  ff_summary summary = run_summary(job, job->run);
  if (ff_run_output_count(job->run) == 0) { /* kept for the page that follows it only */
    summary.samples = 0;
  }
  ff_report report = {0};
  ff_status status = job->report ? run_write_report(job, &report) : FF_OK;
  if (status != FF_OK) {
    return ff_cli_fail(status, &report);
  }
  bool good = ff_summary_is_good(&summary);
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

/* Says why the run ended early, what was recorded, and how to go on. */
static int run_end_early(const run_job *job, ff_status status, const ff_report *report) {
  if (status != FF_CANCELLED && report->what[0]) {
    return ff_cli_fail(status, report);
  }
  ff_sim *sim = ff_run_sim(job->run);
  char text[1024] = "";
  if (status == FF_CANCELLED) {
    ff_cli_say(stderr, "footfall: stopped at %.9g s", ff_sim_time(sim));
  } else {
    ff_report why;
    ff_sim_failure(sim, &why);
    if (why.what[0]) {
      ff_report_text(&why, text, sizeof text);
    }
    ff_cli_say(stderr, "footfall: %s: at %.9g s: %s%s%s", job->path ? job->path : job->resume,
               ff_sim_time(sim), ff_status_text(status), text[0] ? ": " : "", text);
  }
  long samples = ff_run_count(job->run).samples;
  bool recorded = samples > 0 && ff_run_output_count(job->run) > 0 && !job->scratch[0];
  if (recorded) {
    ff_cli_say(stderr, "; %ld samples were recorded, marked as incomplete", samples);
  }
  const char *checkpoint = job->resume ? job->resume : job->options.checkpoint;
  if (status == FF_CANCELLED && checkpoint) {
    ff_cli_say(stderr, "; footfall run --resume %s goes on", checkpoint);
  }
  fputc('\n', stderr);
  return status == FF_CANCELLED && stopped_by == SIGINT ? FF_EXIT_INTERRUPTED : FF_EXIT_FAILED;
}

static ff_status run_create(run_job *job, ff_report *report) {
  job->options.threads = run_threads(job);
  job->options.progress = run_show_progress;
  job->options.summarise = run_summarise;
  job->options.context = job;
  job->options.keep = job->watched;
  if (job->resume) {
    return ff_run_resume(&job->run, job->resume, &job->options, report);
  }
  job->options.outputs = job->outputs.items;
  job->options.output_count = job->outputs.count;
  return ff_run_create(&job->run, job->scene, &job->options, report);
}

/* One of the two runs to compare ended early. */
static int run_fail_certify(const run_job *job, ff_status status, const ff_report *report) {
  if (report->what[0]) {
    return ff_cli_fail(status, report);
  }
  ff_cli_say(stderr, "footfall: %s: --certify: %s\n", job->path, ff_status_text(status));
  return FF_EXIT_FAILED;
}

static int run_to_end(run_job *job) {
  ff_report report = {0};
  run_watch_signals(job->run);
  job->progress = ff_progress_start(!job->quiet);
  ff_status status = ff_run_execute(job->run, &report);
  ff_progress_end(&job->progress);
  stoppable = NULL;
  int code = status == FF_OK ? run_finish(job) : run_end_early(job, status, &report);
  if (job->watch && status != FF_CANCELLED) {
    fflush(stdout);
    status = ff_watch_finish(job->watch, ff_run_recording(job->run), &stopped_by, &report);
    code = status == FF_OK ? code : ff_cli_fail(status, &report);
  }
  return code;
}

static int run_execute(run_job *job) {
  ff_report report = {0};
  ff_status status = FF_OK;
  if (job->path) {
    status =
        ff_scene_load(&job->scene, job->path, job->overrides.items, job->overrides.count, &report);
    if (status != FF_OK) {
      return ff_cli_fail_reading(status, &report);
    }
    status = run_check_outputs(job, &report);
  }
  status = status == FF_OK && job->report ? run_prepare_report(job, &report) : status;
  if (status == FF_OK && job->watched && !ff_page_available(&report)) {
    status = FF_ERROR_INPUT;
  }
  status = status == FF_OK ? run_create(job, &report) : status;
  if (status != FF_OK) {
    return job->resume ? ff_cli_fail_reading(status, &report) : ff_cli_fail(status, &report);
  }
  if (!job->resume) {
    ff_cli_say_notes(job->scene, "footfall: note: ", stderr);
    ff_cli_warn_intrusions(ff_run_model(job->run), ff_run_sim(job->run),
                           "footfall: WARNING: ", stderr);
  }
  if (job->certify) {
    status = ff_cli_certify(&job->certificate, job->path, &job->overrides, &report);
    if (status != FF_OK) {
      return run_fail_certify(job, status, &report);
    }
  }
  status = job->watched ? ff_watch_start(&job->watch, run_source(job), &report) : status;
  return status == FF_OK ? run_to_end(job) : ff_cli_fail(status, &report);
}

int ff_cli_run(int argc, char **argv) {
  run_job job = {.options = ff_run_options_default()};
  job.options.threads = 0;
  ff_cli_parse(&parser, argc, argv, &job);
  int code = run_execute(&job);
  ff_watch_destroy(&job.watch);
  ff_run_destroy(&job.run);
  run_remove_scratch(&job);
  ff_scene_destroy(&job.scene);
  ff_cli_list_free(&job.overrides);
  ff_cli_list_free(&job.outputs);
  free(job.summary);
  return code;
}
