/* footfall paper [KEY]: reproduces a paper, prints the outcome of every claim, and writes the
 * report. */
#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "grid.h"
#include "json.h"
#include "paper_claims.h"

typedef struct paper_job {
  const char *key, *output;
  ff_cli_list data;
  bool json, quick, check, markdown;
  ff_reproduction study;
  char scratch[FF_CLI_FOLDER]; /* "" if none */
} paper_job;

/* ---- arguments ------------------------------------------------------------------------------- */

static error_t paper_parse(int key, char *value, struct argp_state *state) {
  paper_job *job = state->input;
  switch (key) {
    case 'o': job->output = value; return 0;
    case 'd': ff_cli_list_add(&job->data, value); return 0;
    case 'j': job->json = true; return 0;
    case 'q': job->quick = true; return 0;
    case 'c': job->check = true; return 0;
    case 'm': job->markdown = true; return 0;
    case ARGP_KEY_ARG:
      if (job->key) {
        argp_error(state, "one paper at a time");
      }
      job->key = value;
      return 0;
    case ARGP_KEY_END:
      if ((job->output || job->data.count > 0) && (!job->key || job->check)) {
        argp_error(state, "no paper given: `footfall paper` lists them");
      }
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "write the report to FILE (default KEY.html; with --json none)", 0},
    {"data", 'd', "FILE.csv", 0,
     "show measured data in the paper's figures and fit the model to them, if the paper accepts "
     "any; may be repeated",
     0},
    {"json", 'j', NULL, 0, "print claims and numbers as JSON", 0},
    {"quick", 'q', NULL, 0, "coarser figures, the same claims", 0},
    {"check-claims", 'c', NULL, 0,
     "list every claim with its criterion and the criterion's source, and reproduce the paper, or "
     "all of them, with other sampling, steps and drawn numbers: no verdict may change",
     0},
    {"markdown", 'm', NULL, 0, "the list of papers as a table of docs/papers.md", 0},
    {0},
};

static const struct argp parser = {
    .options = options,
    .parser = paper_parse,
    .args_doc = "[KEY]",
    .doc = "Reproduces a paper: its figures, and every claim of its text against the result. "
           "Prints the claims and writes a report as one page. Without KEY lists the papers.\v"
           "Examples:\n"
           "  footfall paper\n"
           "  footfall paper marhefka-orin-1996\n"
           "  footfall paper marhefka-orin-1996 --json | jq .claims\n"
           "  footfall paper azad-featherstone-2010 --data drops.csv\n"
           "      where drops.csv starts with speed,restitution (m/s, 1)\n"
           "  footfall paper --check-claims brown-mcphee-2018\n"
           "\nExit codes: 0 good, 1 a claim expected to hold does not or a verdict changes under "
           "--check-claims, 2 bad input."};

/* ---- list ------------------------------------------------------------------------------------ */

/* Table of docs/papers.md. */
static int paper_list_markdown(void) {
  puts("| paper | key | claims | scope |\n|---|---|---|---|");
  for (int i = 0; i < ff_paper_count(); i++) {
    const ff_paper *paper = ff_paper_at(i);
    int claims = 0;
    while (paper->claims[claims].key) {
      claims++;
    }
    printf("| %s: *%s* (%d) [%s] | `%s` | %d | %s |\n", paper->authors, paper->title, paper->year,
           paper->citation, paper->key, claims, paper->summary);
  }
  return FF_EXIT_GOOD;
}

static int paper_list(const paper_job *job) {
  ff_json json = {.out = stdout};
  if (job->json) {
    ff_json_open(&json, NULL, '[');
  }
  for (int i = 0; i < ff_paper_count(); i++) {
    const ff_paper *paper = ff_paper_at(i);
    if (job->json) {
      ff_json_open(&json, NULL, '{');
      ff_json_text(&json, "key", paper->key);
      ff_json_text(&json, "citation", paper->citation);
      ff_json_text(&json, "authors", paper->authors);
      ff_json_text(&json, "title", paper->title);
      ff_json_number(&json, "year", paper->year);
      ff_json_text(&json, "summary", paper->summary);
      ff_json_close(&json, '}');
    } else {
      printf("%-24s %s (%d)\n%-24s %s\n%-24s %s\n", paper->key, paper->title, paper->year, "",
             paper->authors, "", paper->summary);
    }
  }
  if (job->json) {
    ff_json_close(&json, ']');
  }
  return FF_EXIT_GOOD;
}

static int paper_report_unknown(const char *key) {
  const char *names[64];
  int count = 0;
  for (int i = 0; i < ff_paper_count() && count < 64; i++) {
    names[count++] = ff_paper_at(i)->key;
  }
  ff_report report;
  ff_status status = ff_report_unknown(&report, "paper", key, names, count);
  return ff_cli_fail(status, &report);
}

/* ---- reproduction ---------------------------------------------------------------------------- */

static void paper_clean_up(paper_job *job) {
  if (job->scratch[0]) {
    rmdir(job->scratch);
  }
  ff_page_destroy(&job->study.page);
  ff_reproduction_free(&job->study);
  ff_cli_list_free(&job->data);
}

static void paper_fail(void *context, ff_status status, const ff_report *report) {
  ff_cli_fail(status, report);
  paper_clean_up(context);
  exit(FF_EXIT_FAILED); /* built-in scenes are not user input */
}

/* Reads all files of --data; on failure prints the error and returns an exit code other than
 * FF_EXIT_GOOD. */
static int paper_read_data(paper_job *job, const ff_paper *paper) {
  for (int i = 0; i < job->data.count; i++) {
    ff_report report = {0};
    ff_status status = ff_reproduction_read(&job->study, paper, job->data.items[i], &report);
    if (status != FF_OK) {
      return ff_cli_fail_reading(status, &report);
    }
  }
  return FF_EXIT_GOOD;
}

/* Path of the report; NULL: none. With an explicit name it must be writable. */
static const char *paper_choose_output(const paper_job *job, char *path, size_t size) {
  ff_report report = {0};
  if (job->output || job->json) {
    return job->output;
  }
  if (!ff_page_available(&report)) {
    fprintf(stderr, "footfall: no report is written: %s\n", report.what);
    return NULL;
  }
  snprintf(path, size, "%s.html", job->key);
  return path;
}

/* Computes, writes the page and prints; returns an exit code. */
static int paper_reproduce(paper_job *job, const ff_paper *paper, const char *output) {
  ff_report report = {0};
  if (ff_page_create(&job->study.page, paper->title) != FF_OK) {
    return ff_cli_fail(FF_ERROR_MEMORY, NULL);
  }
  ff_status status = ff_cli_make_folder(job->scratch, &report);
  if (status != FF_OK) {
    return ff_cli_fail(status, &report);
  }
  job->study.scratch = job->scratch;
  job->study.replays = output != NULL;
  ff_reproduction_reproduce(&job->study, paper);
  status = output ? ff_page_write(job->study.page, output, &report) : FF_OK;
  if (status != FF_OK) {
    return ff_cli_fail(status, &report);
  }
  if (job->json) {
    paper_print_json(&job->study, output);
  } else {
    paper_print_claims(&job->study);
    paper_print_sheets(&job->study);
    printf("%s%s%s", output ? "report: " : "", output ? output : "", output ? "\n" : "");
  }
  return paper_count_surprises(&job->study) > 0 ? FF_EXIT_FAILED : FF_EXIT_GOOD;
}

/* Checks all prerequisites before anything is computed. */
static int paper_prepare(paper_job *job, const ff_paper *paper) {
  char path[256];
  ff_report report = {0};
  job->study = (ff_reproduction){.quick = job->quick, .fail = paper_fail, .context = job};
  int code = paper_read_data(job, paper);
  if (code != FF_EXIT_GOOD) {
    return code;
  }
  const char *output = paper_choose_output(job, path, sizeof path);
  ff_status status = output ? ff_page_check(output, &report) : FF_OK;
  return status == FF_OK ? paper_reproduce(job, paper, output) : ff_cli_fail(status, &report);
}

int ff_cli_paper(int argc, char **argv) {
  paper_job job = {0};
  ff_cli_parse(&parser, argc, argv, &job);
  const ff_paper *paper = job.key ? ff_paper_find(job.key) : NULL;
  int code = job.key && !paper ? paper_report_unknown(job.key)
             : job.check       ? paper_check_claims(paper, job.quick)
             : paper           ? paper_prepare(&job, paper)
             : job.markdown    ? paper_list_markdown()
                               : paper_list(&job);
  paper_clean_up(&job);
  return code;
}
