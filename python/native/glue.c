#include "glue.h"

#include "cli/summary.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- Ctrl-C ---------------------------------------------------------------------------------- */

/* What SIGINT ends: one of these is not NULL while a call is watched. */
typedef struct watched {
  ff_sim *sim;
  ff_run *run;
  ff_batch *batch;
  volatile sig_atomic_t interrupted;
  struct sigaction before;
  struct watched *outer; /* a call inside a callback of another one */
} watched;

static watched *volatile current;

static void on_interrupt(int number, siginfo_t *info, void *more) {
  watched *now = current;
  struct sigaction before = {.sa_handler = SIG_DFL};
  for (watched *w = now; w; w = w->outer) {
    w->interrupted = 1;
    ff_sim_cancel(w->sim);
    ff_run_stop(w->run);
    ff_batch_stop(w->batch);
    before = w->before;
  }
  if (before.sa_flags & SA_SIGINFO) {
    before.sa_sigaction(number, info, more);
  } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    before.sa_handler(number);
  }
}

/* Installs the handler unless SIGINT is ignored or ends the process anyway. */
static void watch_begin(watched *own) {
  struct sigaction ours = {.sa_sigaction = on_interrupt, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigemptyset(&ours.sa_mask);
  own->outer = current;
  if (own->outer) {
    current = own;
    return;
  }
  sigaction(SIGINT, NULL, &own->before);
  bool plain = !(own->before.sa_flags & SA_SIGINFO);
  if (plain && (own->before.sa_handler == SIG_DFL || own->before.sa_handler == SIG_IGN)) {
    return;
  }
  current = own;
  sigaction(SIGINT, &ours, NULL);
}

static void watch_end(watched *own, int *interrupted) {
  if (current == own) {
    current = own->outer;
    if (!own->outer) {
      sigaction(SIGINT, &own->before, NULL);
    }
  }
  *interrupted = own->interrupted;
}

ff_status ffpy_advance(ff_sim *sim, double t, int watch, int *interrupted) {
  watched own = {.sim = sim};
  if (!watch) {
    return ff_sim_advance(sim, t);
  }
  watch_begin(&own);
  ff_status status = ff_sim_advance(sim, t);
  watch_end(&own, interrupted);
  return status;
}

ff_status ffpy_execute(ff_run *run, ff_report *report, int watch, int *interrupted) {
  watched own = {.run = run};
  if (!watch) {
    return ff_run_execute(run, report);
  }
  watch_begin(&own);
  ff_status status = ff_run_execute(run, report);
  watch_end(&own, interrupted);
  return status;
}

ff_status ffpy_rollout(ff_batch *batch, const double *u, int steps, double *x, ff_status *statuses,
                       int watch, int *interrupted) {
  watched own = {.batch = batch};
  if (!watch) {
    return ff_batch_rollout(batch, u, steps, x, statuses);
  }
  watch_begin(&own);
  ff_status status = ff_batch_rollout(batch, u, steps, x, statuses);
  watch_end(&own, interrupted);
  return status;
}

/* ---- runs ------------------------------------------------------------------------------------ */

void ffpy_progress(void *context, double done) {
  ffpy_watcher *watcher = context;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  double seconds = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
  if (watcher->handle && seconds - watcher->last >= 0.1) {
    watcher->last = seconds;
    ffpy_show_progress(watcher->handle, done);
  }
}

const char *ffpy_summarise(void *context, const ff_run *run) {
  ffpy_watcher *watcher = context;
  ff_run_counts counts = ff_run_count(run);
  int event_count;
  const ff_event *events = ff_run_events(run, &event_count);
  ff_summary summary = {.scene = ff_scene_file(ff_run_scene(run)),
                        .model = ff_run_model(run),
                        .sim = ff_run_sim((ff_run *)run),
                        .touches = counts.touches,
                        .lifts = counts.lifts,
                        .events = events,
                        .event_count = event_count,
                        .samples = counts.samples,
                        .channels = counts.channels,
                        .incomplete = ff_run_incomplete(run),
                        .wall = NAN};
  size_t size;
  free(watcher->summary);
  watcher->summary = NULL;
  FILE *out = open_memstream(&watcher->summary, &size);
  if (out) {
    ff_summary_json(&summary, out);
    fclose(out);
  }
  return watcher->summary;
}

void ffpy_watcher_free(ffpy_watcher *watcher) {
  free(watcher->summary);
  watcher->summary = NULL;
}

void ffpy_verdict(const ff_model *model, const ff_sim *sim, char *text, size_t size) {
  ff_summary summary = {.scene = "", .model = model, .sim = sim, .wall = NAN};
  char *line = NULL;
  size_t length;
  FILE *out = open_memstream(&line, &length);
  if (out) {
    ff_summary_verdict(&summary, out);
    fclose(out);
  }
  snprintf(text, size, "%s", line ? line : "");
  text[strcspn(text, "\n")] = '\0';
  free(line);
}

/* ---- laws ------------------------------------------------------------------------------------ */

void ffpy_normals(const ff_law *law, const ff_law_params *params, long count, const double *depth,
                  const double *rate, const double *volume, const double *area,
                  const double *centroid_depth, double *out) {
  for (long i = 0; i < count; i++) {
    ff_patch patch = {.depth = depth[i], .depth_rate = rate[i]};
    patch.overlap.volume = volume ? volume[i] : 0;
    patch.overlap.area = area ? area[i] : 0;
    patch.overlap.centroid_depth = centroid_depth ? centroid_depth[i] : 0;
    ff_normal normal = {0};
    ff_law_normal(law, params, &patch, &normal);
    out[i] = normal.force;
    out[count + i] = normal.elastic;
    out[2 * count + i] = normal.energy;
    out[3 * count + i] = normal.d_depth;
    out[4 * count + i] = normal.d_rate;
  }
}

void ffpy_frictions(const ff_law *law, const ff_law_params *params, long count,
                    const double *normal, const double *depth, const double *slip,
                    const double *spin, const double *memory, double *out) {
  enum { WIDTH = 8 + FF_MEMORY_MAX };
  for (long i = 0; i < count; i++) {
    ff_patch patch = {.depth = depth[i], .slip = {slip[2 * i], slip[2 * i + 1]}, .spin = spin[i]};
    ff_normal pressing = {.force = normal[i], .elastic = normal[i]};
    ff_friction f = {0};
    ff_law_friction(law, params, &patch, &pressing, memory + FF_MEMORY_MAX * i, &f);
    double lost = 0;
    for (int k = 0; k < FF_LOSS_COUNT; k++) {
      lost += f.lost[k];
    }
    double *row = out + WIDTH * i;
    memcpy(row,
           (double[8]){f.force[0], f.force[1], f.moment[0], f.moment[1], f.moment[2], f.energy,
                       lost, f.mode},
           8 * sizeof *row);
    memcpy(row + 8, f.memory_rate, sizeof f.memory_rate);
  }
}

/* ---- linear complementarity ------------------------------------------------------------------ */

int ffpy_linear_residual(void *context, const double *z, double *f) {
  const ffpy_linear *own = context;
  for (int i = 0; i < own->size; i++) {
    f[i] = own->q[i];
    for (int j = 0; j < own->size; j++) {
      f[i] += own->m[(ptrdiff_t)i * own->size + j] * z[j];
    }
  }
  return 0;
}

int ffpy_linear_jacobian(void *context, const double *z, double *values) {
  const ffpy_linear *own = context;
  (void)z;
  for (int j = 0; j < own->size; j++) {
    for (int i = 0; i < own->size; i++) {
      values[(ptrdiff_t)j * own->size + i] = own->m[(ptrdiff_t)i * own->size + j];
    }
  }
  return 0;
}

/* ---- addresses ------------------------------------------------------------------------------- */

size_t ffpy_address_of_step(void) {
  return (size_t)ff_sim_step;
}

size_t ffpy_address_of_read(void) {
  return (size_t)ff_sim_read;
}
