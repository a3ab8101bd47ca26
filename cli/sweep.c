/* footfall sweep STUDY --store FILE: computes every run of a study. */
#include "sweep.h"
#include "progress.h"
#include "say.h"

#include <argp.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
  BATCH = 256,     /* rows taken, sent or written at once */
  CHUNK_MOST = 64, /* runs handed to a process at once */
  THREADS_MOST = 256
};

typedef struct sweep_job {
  const char *path, *store_path, *export, *report;
  bool status, times, retry, quiet, strict;
  int threads; /* 0: number of processors */

  ff_study *study;
  ff_sweep_store *store; /* of the first process */
  ff_sweep_pool *pool;
  ff_sweep_transport mpi; /* size 1 without MPI */
  long *missing;          /* runs to do; those before next are handed out */
  long missing_count, next, finished;
  ff_sweep_row **waiting; /* finished, not yet written: up to BATCH */
  int waiting_count;
  double written; /* s, wall clock of the last transaction */
} sweep_job;

static volatile sig_atomic_t sweep_stop;

static void sweep_ask_stop(int number) {
  (void)number;
  sweep_stop = 1;
}

/* ---- arguments ------------------------------------------------------------------------------- */

static error_t sweep_parse(int key, char *value, struct argp_state *state) {
  sweep_job *job = state->input;
  char *end;
  switch (key) {
    case 's': job->store_path = value; return 0;
    case 'e': job->export = value; return 0;
    case 'r': job->report = value; return 0;
    case 'i': job->status = true; return 0;
    case 'T': job->times = true; return 0;
    case 'f': job->retry = true; return 0;
    case 'x': job->strict = true; return 0;
    case 'q': job->quiet = true; return 0;
    case 't':
      job->threads = (int)strtol(value, &end, 10);
      if (!*value || *end || job->threads < 1 || job->threads > THREADS_MOST) {
        argp_error(state, "--threads: expected a number from 1 to %d, got '%s'", THREADS_MOST,
                   value);
      }
      return 0;
    case ARGP_KEY_ARG:
      if (job->path) {
        argp_error(state, "one study at a time");
      }
      job->path = value;
      return 0;
    case ARGP_KEY_END:
      if (!job->store_path) {
        argp_error(state, "no --store given");
      }
      if (!job->path && !job->status && !job->export && !job->report) {
        argp_error(state, "no study given; without one: --status, --export or --report");
      }
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option sweep_options[] = {
    {"store", 's', "FILE.db", 0, "results: a SQLite database; a sweep goes on where it stopped", 0},
    {"threads", 't', "N", 0, "runs at once (default: one per processor; under mpiexec: 1)", 0},
    {"status", 'i', NULL, 0, "print how much of the store is done, compute nothing", 0},
    {"export", 'e', "FILE.csv", 0,
     "write parameters, measures and verdicts; - is the standard output", 0},
    {"times", 'T', NULL, 0, "with --export: also the CPU time of each run", 0},
    {"report", 'r', "FILE.html", 0, "write one page of the results: plots and sensitivities", 0},
    {"retry", 'f', NULL, 0, "compute failed runs again", 0},
    {"strict", 'x', NULL, 0, "exit code 1 also if a run failed or is not good", 0},
    {"quiet", 'q', NULL, 0, "print nothing but errors", 0},
    {0}};

static const struct argp sweep_parser = {
    sweep_options,
    sweep_parse,
    "[STUDY.yaml]",
    "Computes every run of a study (docs/studies.md) and stores parameters, measures and verdicts. "
    "The same command under mpiexec or srun shares the runs over processes and machines."
    "\v  footfall sweep slide.yaml --store slide.db\n"
    "  footfall sweep --store slide.db --export slide.csv --report slide.html\n"
    "  mpiexec -n 64 footfall sweep slide.yaml --store slide.db\n"
    "\nExit codes: 0 every run is in the store, 1 some are missing, 2 bad input.",
    NULL,
    NULL,
    NULL};

/* ---- runs to do ------------------------------------------------------------------------------ */

static ff_status sweep_list_missing(sweep_job *job, ff_report *report) {
  long runs = ff_study_run_count(job->study);
  unsigned char *done = calloc((size_t)runs + 1, 1);
  job->missing = calloc((size_t)runs + 1, sizeof *job->missing);
  job->waiting = calloc(BATCH, sizeof(*job->waiting));
  ff_status status = done && job->missing && job->waiting ? FF_OK : FF_ERROR_MEMORY;
  if (status == FF_OK && job->retry) {
    status = ff_sweep_store_forget_failed(job->store, report);
  }
  if (status == FF_OK) {
    status = ff_sweep_store_done(job->store, done, runs, report);
  }
  for (long i = 0; i < runs && status == FF_OK; i++) {
    if (!done[i]) {
      job->missing[job->missing_count++] = i;
    }
  }
  free(done);
  return status;
}

/* Large chunks first, single runs at the end, so that all processes finish together. A process asks
 * for the next chunk while as many runs as the last one had still wait, and two per thread: enough
 * to be busy while the first process writes. */
static int sweep_chunk(const sweep_job *job, int threads) {
  long left = job->missing_count - job->next;
  long fair = left / (8L * threads * job->mpi.size) + 1;
  long chunk = fair < CHUNK_MOST ? fair : CHUNK_MOST;
  return (int)(chunk < left ? chunk : left);
}

/* ---- writing --------------------------------------------------------------------------------- */

static ff_status sweep_write(sweep_job *job, ff_report *report) {
  ff_status status =
      ff_sweep_store_add(job->store, job->study, (const ff_sweep_row *const *)job->waiting,
                         job->waiting_count, report);
  for (int i = 0; i < job->waiting_count; i++) {
    free(job->waiting[i]);
  }
  job->finished += job->waiting_count;
  job->waiting_count = 0;
  job->written = ff_wall_clock();
  return status;
}

static ff_status sweep_keep(sweep_job *job, ff_sweep_row *row, ff_report *report) {
  job->waiting[job->waiting_count++] = row;
  bool due = job->waiting_count == BATCH || ff_wall_clock() - job->written > 0.5;
  return due ? sweep_write(job, report) : FF_OK;
}

/* ---- messages -------------------------------------------------------------------------------- */

/* To the first process: rows (as many as the message's size says), nothing if runs are wanted, one
 * byte at the end. From it: runs; none: there are no more. */
static ff_status sweep_serve(sweep_job *job, int threads, int *helpers, ff_report *report) {
  int from, size;
  ff_status status = FF_OK;
  size_t row_size = ff_sweep_row_size(job->study);
  while (status == FF_OK && *helpers > 0 && (size = job->mpi.probe(&from)) >= 0) {
    char *bytes = ff_cli_alloc(size + 1, 1);
    job->mpi.receive(from, bytes, size);
    for (size_t at = 0; at + row_size <= (size_t)size && status == FF_OK; at += row_size) {
      ff_sweep_row *row = ff_cli_alloc(1, row_size);
      memcpy(row, bytes + at, row_size);
      status = sweep_keep(job, row, report);
    }
    free(bytes);
    if (size == 0) {
      int count = sweep_stop ? 0 : sweep_chunk(job, threads);
      job->mpi.send(from, job->missing + job->next, count * (int)sizeof(long));
      job->next += count;
    }
    *helpers -= size == 1;
  }
  return status;
}

/* Rows of a helper go to the first process. */
static void sweep_send_rows(sweep_job *job, ff_sweep_row **rows, int count) {
  size_t size = ff_sweep_row_size(job->study);
  char *bytes = ff_cli_alloc(count, size);
  for (int i = 0; i < count; i++) {
    memcpy(bytes + (size_t)i * size, rows[i], size);
    free(rows[i]);
  }
  job->mpi.send(0, bytes, (int)((size_t)count * size));
  free(bytes);
}

/* Receives runs after a request, and their number; false: there are no more. */
static bool sweep_receive_runs(sweep_job *job, bool *asked, int *chunk) {
  long runs[CHUNK_MOST];
  int from, size = job->mpi.probe(&from);
  if (size < 0) {
    return true;
  }
  job->mpi.receive(from, runs, size < (int)sizeof runs ? size : (int)sizeof runs);
  *asked = false;
  int count = *chunk = size / (int)sizeof *runs;
  if (count > 0 && !ff_sweep_pool_give(job->pool, runs, count)) {
    exit(ff_cli_fail(FF_ERROR_MEMORY, NULL));
  }
  return count > 0;
}

/* All processes but the first. */
static void sweep_help(sweep_job *job, int threads) {
  bool asked = false, more = true;
  ff_sweep_row *rows[BATCH];
  int count = 0, chunk = 0;
  while (more || count > 0 || ff_sweep_pool_pending(job->pool) > 0) {
    if (more && !asked && ff_sweep_pool_pending(job->pool) < 2 * threads + chunk) {
      job->mpi.send(0, "", 0);
      asked = true;
    }
    if (asked) {
      more = sweep_receive_runs(job, &asked, &chunk) && more;
      asked = asked && more;
    }
    int pending = ff_sweep_pool_pending(job->pool);
    count = ff_sweep_pool_take(job->pool, rows, BATCH, 0.001);
    if (count > 0) {
      sweep_send_rows(job, rows, count);
    } else if (pending == 0) {
      nanosleep(&(struct timespec){0, 200000}, NULL);
    }
  }
  job->mpi.send(0, "", 1);
}

/* ---- computing ------------------------------------------------------------------------------- */

/* The first process: hands out runs, computes some itself, writes all results. */
static ff_status sweep_lead(sweep_job *job, int threads, ff_report *report) {
  ff_progress progress = ff_progress_start(!job->quiet);
  ff_status status = FF_OK;
  int helpers = job->mpi.size - 1;
  ff_sweep_row *rows[BATCH];
  job->written = ff_wall_clock();
  while (status == FF_OK) {
    int pending = ff_sweep_pool_pending(job->pool), chunk = sweep_chunk(job, threads);
    if (!sweep_stop && chunk > 0 && pending < 2 * threads + chunk) {
      if (!ff_sweep_pool_give(job->pool, job->missing + job->next, chunk)) {
        return FF_ERROR_MEMORY;
      }
      job->next += chunk;
      pending += chunk;
    }
    status = sweep_serve(job, threads, &helpers, report);
    int count = ff_sweep_pool_take(job->pool, rows, BATCH, helpers > 0 ? 0.001 : 0.05);
    for (int i = 0; i < count; i++) {
      if (status == FF_OK) {
        status = sweep_keep(job, rows[i], report);
      } else {
        free(rows[i]);
      }
    }
    ff_progress_show(&progress, (double)(job->finished + job->waiting_count) /
                                    (double)(job->missing_count ? job->missing_count : 1));
    bool idle = pending == 0 && count == 0;
    bool handed_out = sweep_stop || job->next == job->missing_count;
    if (idle && handed_out && helpers == 0) {
      break;
    }
    if (sweep_stop && helpers == 0) {
      break;
    }
    if (idle) {
      nanosleep(&(struct timespec){0, 200000}, NULL);
    }
  }
  ff_progress_end(&progress);
  return status == FF_OK ? sweep_write(job, report) : status;
}

static int sweep_threads(const sweep_job *job) {
  if (job->threads > 0) {
    return job->threads;
  }
  cpu_set_t set;
  int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return job->mpi.size > 1 ? 1 : count < THREADS_MOST ? count : THREADS_MOST;
}

/* Is the store complete? */
static int sweep_judge(sweep_job *job, ff_sweep_store *store) {
  ff_sweep_counts counts;
  ff_report report;
  ff_status status = ff_sweep_store_count(store, &counts, &report);
  if (status != FF_OK) {
    return ff_cli_fail(status, &report);
  }
  long runs = ff_sweep_store_runs(store);
  if (!job->quiet) {
    ff_cli_say(stderr, "%ld of %ld runs: %ld good, %ld not good, %ld failed\n", counts.done, runs,
               counts.good, counts.not_good, counts.failed);
  }
  bool bad = job->strict && counts.good < runs;
  return counts.done == runs && !bad ? FF_EXIT_GOOD : FF_EXIT_FAILED;
}

static void sweep_watch_signals(void) {
  struct sigaction action = {.sa_handler = sweep_ask_stop, .sa_flags = (int)SA_RESETHAND};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

static ff_status sweep_compute(sweep_job *job, ff_report *report) {
  int threads = sweep_threads(job);
  ff_status status = FF_OK;
  if (job->mpi.rank == 0) {
    status = ff_sweep_store_open(&job->store, job->store_path, job->study, report);
    status = status == FF_OK ? sweep_list_missing(job, report) : status;
  }
  if (status == FF_OK) {
    status = ff_sweep_pool_create(&job->pool, job->study, threads);
  }
  if (status == FF_OK && job->mpi.rank > 0) {
    sweep_help(job, threads);
  } else if (status == FF_OK) {
    sweep_watch_signals();
    status = sweep_lead(job, threads, report);
  }
  return status;
}

/* Under MPI all processes end together: the first one alone decides. */
static int sweep_run(sweep_job *job) {
  ff_report report = {0};
  ff_status status = FF_OK;
  job->mpi.size = 1;
  if (ff_sweep_is_parallel()) {
    status = ff_sweep_transport_open(&job->mpi, &report);
    if (status != FF_OK) {
      return ff_cli_fail(status, &report);
    }
  }
  status = ff_study_load(&job->study, job->path, &report);
  bool loaded = status == FF_OK;
  status = loaded ? sweep_compute(job, &report) : status;
  int code = FF_EXIT_GOOD;
  if (status != FF_OK) {
    if (job->mpi.rank == 0) {
      code = loaded ? ff_cli_fail(status, &report) : ff_cli_fail_reading(status, &report);
    }
    code = code == FF_EXIT_GOOD ? FF_EXIT_FAILED : code;
    if (job->mpi.size > 1) {
      job->mpi.abandon(code);
    }
  } else if (job->mpi.rank == 0) {
    code = sweep_stop ? 130 : sweep_judge(job, job->store);
    if (sweep_stop && !job->quiet) {
      ff_cli_say(stderr, "footfall: stopped; run the same command again to go on\n");
    }
  }
  ff_sweep_pool_destroy(job->pool);
  if (job->mpi.finish) {
    job->mpi.finish();
  }
  return code;
}

/* ---- queries of a store ---------------------------------------------------------------------- */

static ff_status sweep_export(ff_sweep_store *store, const sweep_job *job, ff_report *report) {
  if (strcmp(job->export, "-") == 0) {
    return ff_sweep_store_export(store, stdout, job->times, report);
  }
  char temporary[4096];
  snprintf(temporary, sizeof temporary, "%s.part", job->export);
  FILE *out = fopen(temporary, "w");
  ff_status status = out ? ff_sweep_store_export(store, out, job->times, report) : FF_ERROR_FILE;
  bool failed = !out || ferror(out);
  failed = (out && fclose(out) != 0) || failed;
  if (status == FF_OK && !failed && rename(temporary, job->export) == 0) {
    return FF_OK;
  }
  int error = errno;
  unlink(temporary);
  if (!report->what[0]) {
    snprintf(report->file, sizeof report->file, "%.511s", job->export);
    snprintf(report->what, sizeof report->what, "cannot be written: %s", strerror(error));
  }
  return FF_ERROR_FILE;
}

static int sweep_answer(sweep_job *job) {
  ff_sweep_store *store;
  ff_report report = {0};
  ff_status status = ff_sweep_store_open(&store, job->store_path, NULL, &report);
  if (status != FF_OK) {
    return ff_cli_fail_reading(status, &report);
  }
  if (job->export) {
    status = sweep_export(store, job, &report);
  }
  if (status == FF_OK && job->report) {
    ff_sweep_table table;
    status = ff_sweep_store_read(store, &table, &report);
    if (status == FF_OK) {
      status = ff_sweep_report(&table, job->report, &report);
      ff_sweep_table_free(&table);
    }
  }
  int code = status == FF_OK ? FF_EXIT_GOOD : ff_cli_fail(status, &report);
  if (status == FF_OK && (job->status || !job->path)) {
    code = sweep_judge(job, store);
  }
  ff_sweep_store_close(store);
  return code;
}

int ff_cli_sweep(int argc, char **argv) {
  sweep_job job = {0};
  ff_cli_parse(&sweep_parser, argc, argv, &job);
  int code = job.path && !job.status ? sweep_run(&job) : FF_EXIT_GOOD;
  ff_sweep_store_close(job.store);
  bool first = job.mpi.rank == 0 && code != FF_EXIT_INPUT && code != 130;
  if (first && (job.status || job.export || job.report)) {
    int answered = sweep_answer(&job);
    code = code == FF_EXIT_GOOD ? answered : code;
  }
  for (int i = 0; i < job.waiting_count; i++) {
    free(job.waiting[i]);
  }
  free(job.waiting);
  free(job.missing);
  ff_study_destroy(&job.study);
  return code;
}
