/* Filling an ff_report. Every function accepts a NULL report. */
#ifndef FF_BASE_REPORT_H
#define FF_BASE_REPORT_H

#include "footfall/status.h"

#if defined(__GNUC__)
#define FF_PRINTF(format_at, args_at) __attribute__((format(printf, format_at, args_at)))
#else
#define FF_PRINTF(format_at, args_at)
#endif

/* Clears the report, sets what, returns FF_ERROR_INPUT, so that checks read
 *   return ff_report_what(report, "must be greater than 0, got %s", text); */
ff_status ff_report_what(ff_report *report, const char *format, ...) FF_PRINTF(2, 3);
void ff_report_key(ff_report *report, const char *format, ...) FF_PRINTF(2, 3);
void ff_report_expected(ff_report *report, const char *format, ...) FF_PRINTF(2, 3);

/* Index of the known word that word begins, or is nearest to by edit distance, or is a part of; -1:
 * none is similar. */
int ff_nearest_word(const char *word, const char *const *known, int count);

#endif
