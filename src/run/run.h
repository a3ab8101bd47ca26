/* Internals of a run. */
#ifndef FF_RUN_RUN_H
#define FF_RUN_RUN_H

#include "footfall/run.h"
#include "footfall/state.h"
#include "io/row_log.h"
#include "sim/sampler.h"

#include <stdatomic.h>

enum { FF_RUN_EVENTS = 10000 }; /* kept; all are counted */

struct ff_run {
  ff_run_options options;
  const ff_scene *scene;
  ff_scene *own_scene; /* of a resumed run */
  char **outputs;      /* own copies: output_count */
  int output_count;
  char *checkpoint; /* NULL: none */
  ff_model *model;
  ff_sim *sim;
  ff_sampler *sampler;
  int *channels;      /* model channels to record */
  ff_channel *about;  /* their names and units */
  const char **names; /* time, then those */
  const char **units;
  double *row;        /* count values */
  ff_recording *kept; /* samples in memory; NULL: not wanted */
  ff_recorder **recorders;
  int recorder_count;
  char *log_path; /* FILE.part; NULL: no file is recorded */
  ff_row_log *log;
  long next; /* number of the next sample */
  ff_run_counts counts;
  ff_event *events;
  int event_count;
  double wall_before; /* s, of earlier parts of the run */
  atomic_bool stop;
  bool executed;
  char incomplete[640];
};

/* Names, units and numbers of the channels of a recording. */
ff_status ff_run_choose_channels(ff_run *run, ff_report *report);
ff_recording_info ff_run_info(const ff_run *run);

/* ---- checkpoint.c ---------------------------------------------------------------------------- */

/* Writes a checkpoint; the log is flushed first. */
ff_status ff_run_write_checkpoint(ff_run *run, ff_report *report);
/* Reads one: fills scene, model, sim, sampler, counts, and paths; sets log_size. */
ff_status ff_run_read_checkpoint(ff_run *run, const char *path, size_t *log_size,
                                 ff_report *report);

/* Model, sim and channels of run->scene. */
ff_status ff_run_build(ff_run *run, ff_report *report);
ff_status ff_run_take_text(char **to, const char *text);

#endif
