/* footfall view RESULT: a recording as a page. */
#include <argp.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "say.h"

typedef struct view_job {
  ff_cli_list paths;  /* of the recordings */
  const char *output; /* NULL: beside it, and opened in a browser */
} view_job;

/* ---- arguments ------------------------------------------------------------------------------- */

static error_t view_parse(int key, char *value, struct argp_state *state) {
  view_job *job = state->input;
  switch (key) {
    case 'o': job->output = value; return 0;
    case ARGP_KEY_ARG:
      if (job->paths.count == FF_PAGE_COMPARE_MOST) {
        argp_error(state, "at most %d recordings are compared", FF_PAGE_COMPARE_MOST);
      }
      ff_cli_list_add(&job->paths, value);
      return 0;
    case ARGP_KEY_END:
      if (job->paths.count == 0) {
        argp_error(state, "no recording given");
      }
      if (job->paths.count > 1 && !job->output) {
        argp_error(state, "a comparison needs -o FILE.html");
      }
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "write the page to FILE without opening a browser", 0},
    {0},
};

static const struct argp parser = {
    .options = options,
    .parser = view_parse,
    .args_doc = "RESULT [RESULT...]",
    .doc =
        "Makes one page of a recording: 3-D replay, plots, energy ledger, contact events. "
        "The page is self-contained: it needs no network and no other file. Without -o it is "
        "written beside the recording (RESULT.html), or into a temporary folder if that "
        "is not possible, and opened in a browser if there is one; its path is printed. Several "
        "recordings, or measured data with columns named as channels (CSV), are compared with the "
        "first: overlaid, with differences.\v"
        "Examples:\n"
        "  footfall view ball.h5\n"
        "  footfall view ball.h5 -o ball.html\n"
        "  footfall view soft.h5 stiff.h5 measured.csv -o compare.html\n" FF_CLI_EXITS};

/* ---- page ------------------------------------------------------------------------------------ */

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

ff_status ff_cli_write_recording(const ff_recording *recording, const char *source,
                                 const ff_scene *live, const char *path, ff_report *report) {
  ff_page *page = NULL;
  ff_status status = ff_page_create(&page, NULL);
  if (status == FF_OK) {
    ff_page_subtitle(page, base_name(source));
    status = ff_page_show_run(page, recording);
  }
  status = status == FF_OK && live ? ff_page_live(page, live, report) : status;
  if (status == FF_OK) {
    status = ff_page_write(page, path, report);
  }
  ff_page_destroy(&page);
  return status;
}

/* Of the recording in the file `recorded`, shown to readers as `source`. */
static ff_status view_write_page(const ff_recording *recording, const char *recorded,
                                 const char *source, const ff_scene *live, const char *path,
                                 ff_report *report) {
  const ff_cli_list written = {.items = &path, .count = 1}, read = {.items = &recorded, .count = 1};
  ff_status status = ff_cli_check_outputs(&written, &read, report);
  return status == FF_OK ? ff_cli_write_recording(recording, source, live, path, report) : status;
}

ff_status ff_cli_write_page(const char *recorded, const char *source, const ff_scene *live,
                            const char *path, ff_report *report) {
  ff_recording *recording;
  ff_status status = ff_recording_open(&recording, recorded, report);
  if (status == FF_OK) {
    status = view_write_page(recording, recorded, source, live, path, report);
    ff_recording_close(&recording);
  }
  return status;
}

/* ---- destination ----------------------------------------------------------------------------- */

/* "dir/run.h5" -> "dir/run.html" */
static void view_path_beside(const char *recorded, char out[PATH_MAX]) {
  size_t length = strlen(recorded);
  const char *dot = strrchr(base_name(recorded), '.');
  int stem = (int)(dot && dot != base_name(recorded) ? (size_t)(dot - recorded) : length);
  snprintf(out, PATH_MAX, "%.*s.html", stem, recorded);
}

/* A folder of its own, so that names cannot collide. */
static bool path_in_temporary(const char *recorded, char out[PATH_MAX]) {
  char folder[FF_CLI_FOLDER], beside[PATH_MAX];
  if (ff_cli_make_folder(folder, &(ff_report){0}) != FF_OK) {
    return false;
  }
  view_path_beside(base_name(recorded), beside);
  int length = snprintf(out, PATH_MAX, "%s/%s", folder, beside);
  return length > 0 && length < PATH_MAX;
}

/* Opens the page in the desktop's browser, if any. */
static void open_browser(const char *path) {
  const char *x11 = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
  if ((x11 && x11[0]) || (wayland && wayland[0])) {
    char program[] = "xdg-open", *file = realpath(path, NULL);
    char *words[] = {program, file, NULL};
    pid_t child;
    if (file) {
      posix_spawnp(&child, program, NULL, NULL, words, environ);
    }
    free(file);
  }
}

static int view_beside(const view_job *job, const ff_recording *recording) {
  char path[PATH_MAX];
  ff_report report = {0};
  view_path_beside(job->paths.items[0], path);
  ff_status status =
      view_write_page(recording, job->paths.items[0], job->paths.items[0], NULL, path, &report);
  if (status == FF_ERROR_FILE && ff_page_available(NULL) &&
      path_in_temporary(job->paths.items[0], path)) {
    status =
        view_write_page(recording, job->paths.items[0], job->paths.items[0], NULL, path, &report);
  }
  if (status != FF_OK) {
    return ff_cli_fail(status, &report);
  }
  if (isatty(STDOUT_FILENO)) {
    ff_cli_say(stdout, "%s\n", path);
  } else { /* for a script: as it is */
    puts(path);
  }
  open_browser(path);
  return FF_EXIT_GOOD;
}

static ff_status view_open_all(const view_job *job, ff_recording **all, ff_report *report) {
  ff_status status = FF_OK;
  for (int i = 0; i < job->paths.count && status == FF_OK; i++) {
    status = ff_recording_open(&all[i], job->paths.items[i], report);
  }
  return status;
}

static ff_status view_write_comparison(const view_job *job, ff_recording *const *all,
                                       ff_report *report) {
  const ff_cli_list written = {.items = (const char **)&job->output, .count = 1};
  const char *names[FF_PAGE_COMPARE_MOST];
  ff_page *page = NULL;
  for (int i = 0; i < job->paths.count; i++) {
    names[i] = base_name(job->paths.items[i]);
  }
  ff_status status = ff_cli_check_outputs(&written, &job->paths, report);
  status = status == FF_OK ? ff_page_create(&page, "Comparison") : status;
  if (status == FF_OK) {
    status =
        ff_page_compare(page, (const ff_recording *const *)all, names, job->paths.count, report);
  }
  if (status == FF_OK) {
    status = ff_page_write(page, job->output, report);
  }
  ff_page_destroy(&page);
  return status;
}

static int view_compare(const view_job *job) {
  ff_report report = {0};
  ff_recording *all[FF_PAGE_COMPARE_MOST] = {0};
  ff_status status = view_open_all(job, all, &report);
  int code = FF_EXIT_GOOD;
  if (status != FF_OK) {
    code = ff_cli_fail_reading(status, &report);
  } else {
    status = view_write_comparison(job, all, &report);
    code = status == FF_OK ? FF_EXIT_GOOD : ff_cli_fail(status, &report);
  }
  for (int i = 0; i < job->paths.count; i++) {
    ff_recording_close(&all[i]);
  }
  return code;
}

static int view_execute(const view_job *job) {
  ff_report report = {0};
  ff_recording *recording;
  ff_status status = ff_recording_open(&recording, job->paths.items[0], &report);
  if (status != FF_OK) {
    ff_cli_fail(status, &report);
    return status == FF_ERROR_MEMORY ? FF_EXIT_FAILED : FF_EXIT_INPUT;
  }
  int code = FF_EXIT_GOOD;
  if (job->output) {
    status = view_write_page(recording, job->paths.items[0], job->paths.items[0], NULL, job->output,
                             &report);
    code = status == FF_OK ? FF_EXIT_GOOD : ff_cli_fail(status, &report);
  } else {
    code = view_beside(job, recording);
  }
  ff_recording_close(&recording);
  return code;
}

int ff_cli_view(int argc, char **argv) {
  view_job job = {0};
  ff_cli_parse(&parser, argc, argv, &job);
  int code = job.paths.count > 1 ? view_compare(&job) : view_execute(&job);
  ff_cli_list_free(&job.paths);
  return code;
}
