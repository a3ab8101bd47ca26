/* footfall sweep: shared by its files. See docs/studies.md. */
#ifndef FF_CLI_SWEEP_H
#define FF_CLI_SWEEP_H

#include "cli.h"
#include "footfall/study.h"

#include <stdint.h>

/* ---- results --------------------------------------------------------------------------------- */

/* Result of one run; measures follow the struct in memory and in messages. */
typedef struct ff_sweep_row {
  long run;
  double seconds; /* CPU time */
  ff_study_result result;
  double measures[];
} ff_sweep_row;

size_t ff_sweep_row_size(const ff_study *study);

/* ---- store ----------------------------------------------------------------------------------- */

/* SQLite database in write-ahead mode: tables `study` (key, value) and `runs` (a row a run). */
typedef struct ff_sweep_store ff_sweep_store;

typedef struct ff_sweep_counts {
  long done, good, not_good, failed; /* rows */
} ff_sweep_counts;

/* Opens or creates the store of a study. FF_ERROR_INPUT: a file of another kind, or the store of
 * another study. study NULL: an existing store, for reading. */
ff_status ff_sweep_store_open(ff_sweep_store **out, const char *path, const ff_study *study,
                              ff_report *report);
/* Adds rows in one transaction. */
ff_status ff_sweep_store_add(ff_sweep_store *store, const ff_study *study,
                             const ff_sweep_row *const *rows, int count, ff_report *report);
/* Sets done[run] for every run in the store; done has as many entries as the study has runs. */
ff_status ff_sweep_store_done(ff_sweep_store *store, unsigned char *done, long runs,
                              ff_report *report);
/* Removes the rows of runs that failed, so that they are computed again. */
ff_status ff_sweep_store_forget_failed(ff_sweep_store *store, ff_report *report);
ff_status ff_sweep_store_count(ff_sweep_store *store, ff_sweep_counts *out, ff_report *report);
/* Number of runs of the study, as stored. */
long ff_sweep_store_runs(ff_sweep_store *store);
/* Parameters, measures and verdict in order of index, as CSV; times: also CPU times. */
ff_status ff_sweep_store_export(ff_sweep_store *store, FILE *out, bool times, ff_report *report);
void ff_sweep_store_close(ff_sweep_store *store);

/* ---- statistics for the report --------------------------------------------------------------- */

/* Everything of a store in memory, columns first. */
typedef struct ff_sweep_table {
  long rows;
  int parameters, measures;
  char **names;         /* parameters, then measures */
  char **units;         /* of the measures; "" of parameters */
  char **paths;         /* of the parameters: keys of the scene, separated by line feeds */
  double *cells;        /* (parameters + measures) x rows; NAN: a text or missing */
  char **texts;         /* parameters x rows: text of a parameter that is not a number, else NULL */
  long *run;            /* index of each row */
  unsigned char *state; /* 0 good, 1 not good, 2 failed */
  char **reasons;       /* of each row, or NULL */
  char *study, *scene;  /* YAML text, scene file */
  long total;           /* runs of the study */
  long saltelli;        /* base samples of a Saltelli design; 0: another */
} ff_sweep_table;

ff_status ff_sweep_store_read(ff_sweep_store *store, ff_sweep_table *out, ff_report *report);
void ff_sweep_table_free(ff_sweep_table *table);

/* Writes one page: parallel coordinates, scatter, heat map, sensitivities, worst verdicts. */
ff_status ff_sweep_report(const ff_sweep_table *table, const char *path, ff_report *report);

/* ---- workers --------------------------------------------------------------------------------- */

/* Threads that compute runs. Runs are given and results taken by one thread. */
typedef struct ff_sweep_pool ff_sweep_pool;

ff_status ff_sweep_pool_create(ff_sweep_pool **out, const ff_study *study, int threads);
/* Runs that are given and whose rows are not taken yet. */
int ff_sweep_pool_pending(ff_sweep_pool *pool);
/* Gives runs; false: out of memory. */
bool ff_sweep_pool_give(ff_sweep_pool *pool, const long *runs, int count);
/* Takes finished rows, at most limit, in order of completion; waits up to `seconds` for several, or
 * for the first if few runs are left to do. The rows are freed with free. */
int ff_sweep_pool_take(ff_sweep_pool *pool, ff_sweep_row **rows, int limit, double seconds);
/* Ends running runs at their next sample; frees everything. NULL is allowed. */
void ff_sweep_pool_destroy(ff_sweep_pool *pool);

/* ---- processes ------------------------------------------------------------------------------- */

/* Messages between the processes of one sweep (MPI). */
typedef struct ff_sweep_transport {
  int rank, size;
  /* Sends bytes to a rank. */
  void (*send)(int to, const void *bytes, int size);
  /* Size of the next message and its sender, or -1: none yet. */
  int (*probe)(int *from);
  void (*receive)(int from, void *bytes, int size);
  void (*finish)(void);      /* in order, by all */
  void (*abandon)(int code); /* ends all processes */
} ff_sweep_transport;

/* Was this process started by mpiexec or srun as one of several? */
bool ff_sweep_is_parallel(void);
/* Loads the module that talks MPI. */
ff_status ff_sweep_transport_open(ff_sweep_transport *out, ff_report *report);

#endif
