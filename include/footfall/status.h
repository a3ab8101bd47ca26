/* How calls end, and the report a person can act on. */
#ifndef FOOTFALL_STATUS_H
#define FOOTFALL_STATUS_H

#include "footfall/api.h"
#include "footfall/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ff_status {
  FF_OK = 0,
  FF_ERROR_INPUT,    /* a scene, parameter or argument is wrong: the report says which */
  FF_ERROR_MEMORY,   /* an allocation failed; nothing was changed */
  FF_ERROR_FILE,     /* a file could not be read or written; nothing half-written stays */
  FF_ERROR_STEP,     /* a step could not be completed; the state is the one before it */
  FF_ERROR_CAPACITY, /* more contacts at once than the sim was made for; state untouched */
  FF_CANCELLED, /* somebody asked for it, see ff_sim_cancel; the state is that of a step's end */
} ff_status;

/* One line for people: "out of memory". Never NULL. */
FF_API const char *ff_status_text(ff_status status);

/* What was wrong with the input, and where. Unset text is "", unset numbers 0. */
typedef struct ff_report {
  char file[512];      /* path as the user gave it */
  int line, column;    /* 1-based; 0: not known */
  char key[256];       /* path of the value: "bodies.ball.mass" */
  char what[512];      /* what is wrong: "must be greater than 0, got -1" */
  char expected[1024]; /* what is allowed: "mass, density, inertia, ..." */
  char nearest[64];    /* the known key that comes closest to an unknown one */
} ff_report;

/* Writes "file:line:column: key: what; did you mean 'nearest'? Allowed: expected"
 * into text (always terminated) and returns the full length, as snprintf does. */
FF_API size_t ff_report_text(const ff_report *report, char *text, size_t size);

/* Fills a report (may be NULL) about an unknown word: what, the allowed words and the nearest
 * of them. Returns FF_ERROR_INPUT. */
FF_API ff_status ff_report_unknown(ff_report *report, const char *noun, const char *word,
                                   const char *const *known, int count);

#ifdef __cplusplus
}
#endif
#endif
