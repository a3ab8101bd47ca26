/* Status codes, and the report of an error in the input.
 *
 * Objects are made by functions whose first argument is the address of a pointer, which they set.
 * Functions that destroy or close an object take that address, too, and set the pointer to NULL:
 * to do it twice, or of NULL, is allowed and does nothing. */
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
  FF_ERROR_FILE,     /* a file could not be read or written; no partial file is left */
  FF_ERROR_STEP,     /* a step could not be completed; the state is the one before it */
  FF_ERROR_CAPACITY, /* more contacts at once than capacity.contacts allows; the state is unchanged
                      */
  FF_CANCELLED,      /* cancelled, see ff_sim_cancel; the state is that at the end of a step */
} ff_status;

/* Description in one line: "out of memory". Never NULL. */
FF_API const char *ff_status_text(ff_status status);

/* Error in the input and its location. Unset text is "", unset numbers 0. */
typedef struct ff_report {
  char file[512];      /* path as given by the user */
  int line, column;    /* 1-based; 0: unknown */
  char key[256];       /* path of the value: "bodies.ball.mass" */
  char what[512];      /* what is wrong: "must be greater than 0, got -1" */
  char expected[1024]; /* what is allowed: "mass, density, inertia, ..." */
  char nearest[64];    /* known word nearest to an unknown one */
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
