/* footfall validate SET: a fit of public measurements, with published figures. */
#include <argp.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fit.h"
#include "say.h"

enum { THREADS = 256, CURVES, DATA, JUDGE, LAWS, NO_FIT };

typedef struct validate_job {
  const char *set, *data, *judge, *report;
  ff_cli_list laws;
  char *law_text;
  bool json, keep;
  int threads, curves;
} validate_job;

static volatile int validate_stop;

static void validate_interrupt(int signal_number) {
  (void)signal_number;
  validate_stop = 1;
}

static int validate_count(struct argp_state *state, const char *text, int most) {
  char *end;
  long value = strtol(text, &end, 10);
  if (*end || end == text || value < 0 || value > most) {
    argp_error(state, "'%s' is not a number from 0 to %d", text, most);
  }
  return (int)value;
}

/* "a,b" as a list. */
static void validate_read_laws(validate_job *job, const char *text) {
  free(job->law_text);
  job->law_text = strdup(text);
  char *rest = job->law_text;
  for (char *item; rest && (item = strsep(&rest, ","));) {
    ff_cli_list_add(&job->laws, item);
  }
}

static error_t validate_parse(int key, char *value, struct argp_state *state) {
  validate_job *job = state->input;
  switch (key) {
    case 'j': job->json = true; return 0;
    case 'r': job->report = value; return 0;
    case DATA: job->data = value; return 0;
    case JUDGE: job->judge = value; return 0;
    case LAWS: validate_read_laws(job, value); return 0;
    case NO_FIT: job->keep = true; return 0;
    case THREADS: job->threads = validate_count(state, value, 64); return 0;
    case CURVES: job->curves = validate_count(state, value, 100000); return 0;
    case ARGP_KEY_ARG:
      if (job->set) {
        argp_error(state, "one set at a time");
      }
      job->set = value;
      return 0;
    case ARGP_KEY_END:
      if (job->set && !job->data) {
        argp_error(state, "--data is missing: the folder of the measurements");
      }
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option validate_options[] = {
    {"data", DATA, "FOLDER", 0, "measurements: the originals or tables", 0},
    {"judge", JUDGE, "FOLDER", 0, "judge on these; all of --data are fitted", 0},
    {"laws", LAWS, "A,B", 0, "only these laws of the set", 0},
    {"no-fit", NO_FIT, NULL, 0, "take the values of the set instead of fitting", 0},
    {"report", 'r', "FILE.html", 0, "write a page: errors, published figures, curves", 0},
    {"json", 'j', NULL, 0, "print everything as JSON", 0},
    {"curves", CURVES, "N", 0, "with --json: curves of the first N trajectories (default 0)", 0},
    {"threads", THREADS, "N", 0, "trajectories at once (default: all cores); same results", 0},
    {0},
};

static const struct argp validate_parser = {
    .options = validate_options,
    .parser = validate_parse,
    .args_doc = "[SET]",
    .doc = "Fits laws to a part of a set of public measurements, judges them on the rest, and "
           "shows the errors beside those that others have published. Without SET: lists the "
           "sets and where their data are.\v"
           "Examples:\n"
           "  footfall validate\n"
           "  footfall validate cube-tosses --data tosses --report cube.html\n"
           "  footfall validate cube-tosses --data tosses --judge other --laws "
           "layer\n" FF_CLI_EXITS};

static int validate_list(void) {
  for (int i = 0; ff_set_at(i).name; i++) {
    ff_set set = ff_set_at(i);
    ff_cli_say(stdout, "%-16s %s\n%-16s %s\n", set.name, set.title, "", set.origin);
  }
  return FF_EXIT_GOOD;
}

static ff_status validate_print(const validate_job *job, const ff_fit *fit, ff_report *report) {
  if (job->report) {
    ff_status status = ff_fit_page(fit, job->report, report);
    if (status != FF_OK) {
      return status;
    }
  }
  if (job->json) {
    ff_json json = {.out = stdout};
    ff_json_open(&json, NULL, '{');
    ff_fit_write(fit, &json, job->curves);
    ff_json_close(&json, '}');
  } else {
    ff_fit_print(fit, stdout);
  }
  return FF_OK;
}

/* Load and solve in a folder that exists. */
static int validate_run(const validate_job *job, const char *folder) {
  char path[FF_SET_PATH_MAX];
  ff_fit *fit = NULL;
  ff_report report = {0};
  ff_status status = ff_set_prepare(path, job->set, job->data, job->judge, folder, &report);
  status = status == FF_OK ? ff_fit_load(&fit, path, &report) : status;
  status = status == FF_OK && job->laws.count > 0
               ? ff_fit_choose_laws(fit, job->laws.items, job->laws.count, &report)
               : status;
  if (status != FF_OK) {
    ff_fit_destroy(&fit);
    return ff_cli_fail_reading(status, &report);
  }
  if (job->keep) {
    ff_fit_keep_values(fit);
  }
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  int threads = job->threads > 0 ? job->threads : cores > 64 ? 64 : cores < 1 ? 1 : (int)cores;
  struct sigaction action = {.sa_handler = validate_interrupt};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  status = ff_fit_solve_shown(fit, threads, &validate_stop, &report);
  status = status == FF_OK ? validate_print(job, fit, &report) : status;
  ff_fit_destroy(&fit);
  if (status == FF_CANCELLED && validate_stop) {
    return FF_EXIT_INTERRUPTED;
  }
  return status == FF_OK ? FF_EXIT_GOOD : ff_cli_fail(status, &report);
}

int ff_cli_validate(int argc, char **argv) {
  validate_job job = {0};
  char folder[FF_CLI_FOLDER];
  ff_report report = {0};
  ff_cli_parse(&validate_parser, argc, argv, &job);
  int code = FF_EXIT_GOOD;
  if (!job.set) {
    code = validate_list();
  } else {
    ff_status status = ff_cli_make_folder(folder, &report);
    code = status == FF_OK ? validate_run(&job, folder) : ff_cli_fail(status, &report);
    if (status == FF_OK) {
      ff_set_remove(folder);
    }
  }
  ff_cli_list_free(&job.laws);
  free(job.law_text);
  return code;
}
