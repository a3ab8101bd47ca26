/* C helpers of the Python package: loops over arrays, interruption by Ctrl-C, texts of summaries.
 */
#ifndef FFPY_GLUE_H
#define FFPY_GLUE_H

#include "footfall/footfall.h"

/* cffi: begin */

/* ---- calls that Ctrl-C ends ------------------------------------------------------------------ */

/* As the functions of the library. watch: SIGINT ends the call with FF_CANCELLED and sets
 * *interrupted; the handler that was installed is called, too. Only one thread may watch. */
ff_status ffpy_advance(ff_sim *sim, double t, int watch, int *interrupted);
ff_status ffpy_execute(ff_run *run, ff_report *report, int watch, int *interrupted);
ff_status ffpy_rollout(ff_batch *batch, const double *u, int steps, double *x, ff_status *statuses,
                       int watch, int *interrupted);

/* ---- functions written in Python ------------------------------------------------------------- */

/* Python: */ void ffpy_on_control(void *context, ff_sim *sim);
/* Python: */ void ffpy_on_step(void *context, ff_sim *sim);
/* Python: */ void ffpy_on_event(void *context, const ff_event *event);
/* Python: */ void ffpy_on_fit(void *context, const ff_fit_progress *progress);
/* Python: */ void ffpy_show_progress(void *context, double done);
/* Python: */ int ffpy_residual(void *context, const double *z, double *f);
/* Python: */ int ffpy_jacobian(void *context, const double *z, double *values);

/* Context of ffpy_progress and ffpy_summarise. */
typedef struct ffpy_watcher {
  void *handle;  /* of the Python object; NULL: no progress is shown */
  double last;   /* s, wall clock of the last update */
  char *summary; /* JSON; freed by ffpy_watcher_free */
} ffpy_watcher;

/* For ff_run_options: calls ffpy_show_progress ten times a second. */
void ffpy_progress(void *context, double done);
/* For ff_run_options: the JSON of `footfall run --json`. */
const char *ffpy_summarise(void *context, const ff_run *run);
void ffpy_watcher_free(ffpy_watcher *watcher);
/* The verdict in one line, as `footfall run` prints it. */
void ffpy_verdict(const ff_model *model, const ff_sim *sim, char *text, size_t size);

/* ---- loops over arrays ----------------------------------------------------------------------- */

/* Normal laws. Arrays of count; overlap arrays may be NULL. out: force, elastic, energy, d_depth,
 * d_rate, each count. */
void ffpy_normals(const ff_law *law, const ff_law_params *params, long count, const double *depth,
                  const double *rate, const double *volume, const double *area,
                  const double *centroid_depth, double *out);
/* Friction laws. normal: force, N; slip: [count][2]; memory: [count][FF_MEMORY_MAX]. out: per
 * contact force t1, t2, moment n, t1, t2, energy, power lost, mode, memory_rate[FF_MEMORY_MAX]. */
void ffpy_frictions(const ff_law *law, const ff_law_params *params, long count,
                    const double *normal, const double *depth, const double *slip,
                    const double *spin, const double *memory, double *out);

/* Linear complementarity: residual M z + q, Jacobian M. */
typedef struct ffpy_linear {
  int size;
  const double *m; /* row by row */
  const double *q;
} ffpy_linear;

int ffpy_linear_residual(void *context, const double *z, double *f);
int ffpy_linear_jacobian(void *context, const double *z, double *values);

/* Address of a C function, for _fast. */
size_t ffpy_address_of_step(void);
size_t ffpy_address_of_read(void);

/* cffi: end */

#endif
