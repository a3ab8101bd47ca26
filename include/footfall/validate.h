/* Validation: sets of public measurements, fitted on a part and judged on the rest.
 *
 *   char path[FF_SET_PATH_MAX];
 *   ff_set_prepare(path, "cube-tosses", "tosses", NULL, "work", &report);
 *   ff_fit_load(&fit, path, &report);
 *   ff_fit_solve(fit, threads, NULL, &report);
 *
 * A set is a fit (footfall/fit.h, docs/fits.md) with errors in units of its authors and the figures
 * that they and others have published. The data are read from a folder, in the layout of the
 * originals or as tables (docs/validation.md); they are not part of the library.
 */
#ifndef FOOTFALL_VALIDATE_H
#define FOOTFALL_VALIDATE_H

#include "footfall/api.h"
#include "footfall/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FF_SET_PATH_MAX = 4096 };

typedef struct ff_set {
  const char *name;   /* "cube-tosses"; NULL: no such index */
  const char *title;  /* what was measured */
  const char *origin; /* where the data are, and their licence */
} ff_set;

FF_API ff_set ff_set_at(int index); /* 0, 1, ... */

/* Writes the fit of a set, its scenes and its data into the existing folder `work`, and the path of
 * the fit into `path`. judge (may be NULL): a folder with more data of the same kind, all of which
 * are held out; those of `data` are then all fitted. FF_ERROR_INPUT: unknown set, no data. */
FF_API ff_status ff_set_prepare(char path[FF_SET_PATH_MAX], const char *set, const char *data,
                                const char *judge, const char *work, ff_report *report);
/* Removes what ff_set_prepare has written into `work`, and the folder if it is empty then. */
FF_API void ff_set_remove(const char *work);

#ifdef __cplusplus
}
#endif
#endif
