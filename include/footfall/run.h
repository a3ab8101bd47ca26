/* A whole run: steps, samples, recordings, checkpoints.
 *
 *   ff_run_options options = ff_run_options_default();
 *   options.outputs = (const char *[]){"out.h5"}, options.output_count = 1;
 *   ff_run_create(&run, scene, &options, &report);
 *   ff_run_execute(run, &report);
 *   ff_run_counts counts = ff_run_count(run);
 *   ff_run_destroy(&run);
 *
 * While it runs, samples go to FILE.part beside the first file of its outputs, which can be read at
 * any time, also after a crash. A run that is stopped or fails leaves its recordings under their
 * names, marked as incomplete. A checkpoint lets a later process go on to the bit: recordings are
 * those of an uninterrupted run. See docs/recordings.md.
 */
#ifndef FOOTFALL_RUN_H
#define FOOTFALL_RUN_H

#include "footfall/api.h"
#include "footfall/io.h"
#include "footfall/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ff_run ff_run;

typedef struct ff_run_options {
  const char *const *outputs; /* recordings: names that end in .csv, .h5, .sto or .mot (with an
                                 .xml beside it); "-": CSV to the standard output */
  int output_count;
  const char *checkpoint;  /* file; NULL: none. Not with the output "-" */
  double checkpoint_every; /* s of wall time between checkpoints; there is one at a stop, too */
  double flush_every;      /* s of wall time until samples reach FILE.part */
  int threads;             /* 1 to 64, see ff_sim_set_threads; -n: n, or one if they do not start */
  void (*progress)(void *context, double done); /* after each sample, 0 to 1; NULL: none */
  /* Text of the summary in recordings (JSON), valid until the next call; NULL: none. Called at the
   * end, also if the run is incomplete. */
  const char *(*summarise)(void *context, const ff_run *run);
  void *context;     /* of both functions */
  bool keep;         /* keeps all samples in memory: ff_run_recording */
  void *reserved[7]; /* 0 */
} ff_run_options;

/* No outputs, no checkpoint; 60 s, 1 s, one thread. */
FF_API ff_run_options ff_run_options_default(void);

/* Builds model and sim and opens the recordings. The scene must outlive the run. On FF_ERROR_INPUT
 * and FF_ERROR_FILE the report (may be NULL) says what is wrong. */
FF_API ff_status ff_run_create(ff_run **out, const ff_scene *scene, const ff_run_options *options,
                               ff_report *report);
/* Resumes a run from a checkpoint: scene and outputs are those in it, of the options only the
 * rest is used. Refused with FF_ERROR_INPUT: a file that is damaged, of another version or no
 * checkpoint; a robot or mesh file that has changed; a recording that is missing. Names of files
 * are as they were given: relative ones need the same folder. */
FF_API ff_status ff_run_resume(ff_run **out, const char *checkpoint, const ff_run_options *options,
                               ff_report *report);
FF_API void ff_run_destroy(ff_run **run);

/* Takes the samples up to this time, s, and returns between steps: for programs that act on a run
 * while it goes on. The rest follows by further calls, and by ff_run_execute, which closes the
 * recordings. */
FF_API ff_status ff_run_advance(ff_run *run, double until, ff_report *report);
/* Runs to the end, once, and closes the recordings. FF_CANCELLED: stopped by ff_run_stop, and
 * FF_ERROR_STEP: a step failed; recordings are then there, incomplete. */
FF_API ff_status ff_run_execute(ff_run *run, ff_report *report);
/* Stops it, with a checkpoint after the present step, else inside it. For signal handlers and other
 * threads. */
FF_API void ff_run_stop(ff_run *run);

FF_API const ff_scene *ff_run_scene(const ff_run *run);
FF_API const ff_model *ff_run_model(const ff_run *run);
FF_API ff_sim *ff_run_sim(ff_run *run);
/* Names of the recordings; NULL: out of range. */
FF_API int ff_run_output_count(const ff_run *run);
FF_API const char *ff_run_output(const ff_run *run, int index);
/* The samples so far, of a run with `keep`; else NULL. Owned by the run. Columns move while it
 * runs. The summary is there after its end. */
FF_API const ff_recording *ff_run_recording(const ff_run *run);
/* Why it ended early; "": it did not. */
FF_API const char *ff_run_incomplete(const ff_run *run);

typedef struct ff_run_counts {
  long samples;        /* recorded */
  int channels;        /* recorded, with time */
  long touches, lifts; /* of body pairs */
  double wall;         /* s, wall time of all parts of the run */
  double reserved[8];
} ff_run_counts;

FF_API ff_run_counts ff_run_count(const ff_run *run);
/* The first events, at most 10,000, in order. */
FF_API const ff_event *ff_run_events(const ff_run *run, int *count);

#ifdef __cplusplus
}
#endif
#endif
