/* Studies: many runs of one scene with some of its values varied, and measures of each run.
 *
 *   ff_study_load(&study, "slide.yaml", &report);
 *   for (long i = 0; i < ff_study_run_count(study); i++) {
 *     ff_study_evaluate(study, i, values, &result, NULL);
 *   }
 *
 * A study is immutable and may be shared by threads. The parameters of a run follow from its index
 * alone, so runs may be computed in any order, on any number of threads and machines.
 */
#ifndef FOOTFALL_STUDY_H
#define FOOTFALL_STUDY_H

#include "footfall/api.h"
#include "footfall/sim.h"
#include "footfall/status.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ff_study ff_study;

/* Reads a study (docs/studies.md), and checks that its first run can start: every varied key exists
 * in the scene, every measured channel in the model. */
FF_API ff_status ff_study_load(ff_study **out, const char *path, ff_report *report);
FF_API void ff_study_destroy(ff_study **study);

FF_API const char *ff_study_source(const ff_study *study);     /* YAML text of the study */
FF_API const char *ff_study_scene_file(const ff_study *study); /* path of its scene */
/* Hash of the study, its scene and the files that the scene reads. */
FF_API uint64_t ff_study_fingerprint(const ff_study *study);

FF_API long ff_study_run_count(const ff_study *study); /* runs are 0 .. count - 1 */
FF_API int ff_study_parameter_count(const ff_study *study);
FF_API const char *ff_study_parameter_name(const ff_study *study, int parameter);
/* Keys of the scene that get its value, 0 .. ; NULL after the last. */
FF_API const char *ff_study_parameter_path(const ff_study *study, int parameter, int path);
FF_API int ff_study_measure_count(const ff_study *study);
FF_API const char *ff_study_measure_name(const ff_study *study, int measure);
FF_API const char *ff_study_measure_unit(const ff_study *study, int measure); /* "": unknown */

/* Points of a Saltelli design: base samples; the runs are base * (parameters + 2). 0 of others. */
FF_API long ff_study_saltelli_base(const ff_study *study);

/* Value of a parameter in a run, as it is written into the scene: a number, or a text of a list.
 * Returns the number, or NAN if it is a text. text: FF_STUDY_TEXT bytes, may be NULL. */
enum { FF_STUDY_TEXT = 128 };
FF_API double ff_study_parameter(const ff_study *study, long run, int parameter, char *text);

typedef struct ff_study_result {
  ff_status status;   /* FF_OK: the run reached its end */
  ff_verdict verdict; /* of the audit, if it did */
  double end;         /* s, simulated time reached */
  char reason[512];   /* why it did not reach its end, or why it is not good; "" otherwise */
} ff_study_result;

/* Computes one run. measures: ff_study_measure_count values, NAN if the run failed or a measure
 * does not exist (an event that did not happen). stop (may be NULL): checked between samples; a
 * value other than 0 ends the run with FF_CANCELLED. */
FF_API void ff_study_evaluate(const ff_study *study, long run, double *measures,
                              ff_study_result *result, const volatile int *stop);

#ifdef __cplusplus
}
#endif
#endif
