/* footfall fit FIT.yaml: parameters from measurements. */
#include "fit.h"
#include "progress.h"

#include <argp.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 256, CURVES, NO_FIT };

typedef struct fit_job {
  const char *path, *report;
  bool json, keep;
  int threads, curves;
} fit_job;

static volatile int fit_stop;

static void fit_interrupt(int signal_number) {
  (void)signal_number;
  fit_stop = 1;
}

static int fit_count(struct argp_state *state, const char *text, int most) {
  char *end;
  long value = strtol(text, &end, 10);
  if (*end || end == text || value < 0 || value > most) {
    argp_error(state, "'%s' is not a number from 0 to %d", text, most);
  }
  return (int)value;
}

static error_t fit_parse(int key, char *value, struct argp_state *state) {
  fit_job *job = state->input;
  switch (key) {
    case 'j': job->json = true; return 0;
    case 'r': job->report = value; return 0;
    case NO_FIT: job->keep = true; return 0;
    case THREADS: job->threads = fit_count(state, value, 64); return 0;
    case CURVES: job->curves = fit_count(state, value, 100000); return 0;
    case ARGP_KEY_ARG:
      if (job->path) {
        argp_error(state, "one fit at a time");
      }
      job->path = value;
      return 0;
    case ARGP_KEY_END:
      if (!job->path) {
        argp_error(state, "no fit given");
      }
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option fit_options[] = {
    {"report", 'r', "FILE.html", 0, "write a page: parameters, criteria, measured and computed", 0},
    {"no-fit", NO_FIT, NULL, 0, "judge the values that parameters start with", 0},
    {"json", 'j', NULL, 0, "print everything as JSON", 0},
    {"curves", CURVES, "N", 0, "with --json: curves of the first N trajectories (default 0)", 0},
    {"threads", THREADS, "N", 0, "trajectories at once (default: all cores); same results", 0},
    {0},
};

static const struct argp fit_parser = {
    .options = fit_options,
    .parser = fit_parse,
    .args_doc = "FIT.yaml",
    .doc = "Fits parameters of a scene, and of how it was measured, to measured trajectories by "
           "bounded least squares. Prints estimates with intervals of 95 %, warnings of what the "
           "data do not determine, errors on data that were held out, and, of several laws, the "
           "best. docs/fits.md describes the file.\v"
           "Examples:\n"
           "  footfall fit ball.yaml --report ball.html\n" FF_CLI_EXITS};

static void fit_say_progress(void *context, const ff_fit_progress *at) {
  char text[200], error[40] = "";
  if (!isnan(at->error)) {
    snprintf(error, sizeof error, ", error %.3g x noise", at->error);
  }
  snprintf(text, sizeof text, "%.40s (%d of %d): %s, %d evaluations%s", at->law, at->law_number,
           at->law_count, at->stage, at->evaluations, error);
  ff_progress_say(context, text);
}

ff_status ff_fit_solve_shown(ff_fit *fit, int threads, const volatile int *stop,
                             ff_report *report) {
  ff_progress progress = ff_progress_start(true);
  ff_fit_watch(fit, fit_say_progress, &progress);
  ff_status status = ff_fit_solve(fit, threads, stop, report);
  ff_fit_watch(fit, NULL, NULL);
  ff_progress_end(&progress);
  return status;
}

int ff_cli_fit(int argc, char **argv) {
  fit_job job = {0};
  ff_cli_parse(&fit_parser, argc, argv, &job);
  ff_fit *fit;
  ff_report report = {0};
  if (job.report) { /* read before it is written */
    ff_cli_list written = {0}, read = {0};
    ff_cli_list_add(&written, job.report);
    ff_cli_list_add(&read, job.path);
    ff_status same = ff_cli_check_outputs(&written, &read, &report);
    ff_cli_list_free(&written);
    ff_cli_list_free(&read);
    if (same != FF_OK) {
      return ff_cli_fail(same, &report);
    }
  }
  ff_status status = ff_fit_load(&fit, job.path, &report);
  if (status != FF_OK) {
    return ff_cli_fail_reading(status, &report);
  }
  if (job.keep) {
    ff_fit_keep_values(fit);
  }
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  int threads = job.threads > 0 ? job.threads : cores > 64 ? 64 : cores < 1 ? 1 : (int)cores;
  struct sigaction action = {.sa_handler = fit_interrupt};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  status = ff_fit_solve_shown(fit, threads, &fit_stop, &report);
  if (status == FF_OK && job.report) {
    status = ff_fit_page(fit, job.report, &report);
  }
  if (status == FF_OK && job.json) {
    ff_json json = {.out = stdout};
    ff_json_open(&json, NULL, '{');
    ff_fit_write(fit, &json, job.curves);
    ff_json_close(&json, '}');
    fputs("\n", stdout);
  } else if (status == FF_OK) {
    ff_fit_print(fit, stdout);
  }
  ff_fit_destroy(&fit);
  if (status == FF_CANCELLED && fit_stop) {
    return FF_EXIT_INTERRUPTED;
  }
  return status == FF_OK ? FF_EXIT_GOOD : ff_cli_fail(status, &report);
}
