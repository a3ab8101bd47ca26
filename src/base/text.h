/* Conversion between numbers and text, independent of the locale. Also implements the public
 * ff_number_text and ff_number_read (footfall/io.h). */
#ifndef FF_BASE_TEXT_H
#define FF_BASE_TEXT_H

#include "footfall/io.h"

typedef enum ff_unit {
  FF_UNIT_NONE, /* no unit: SI */
  FF_UNIT_DEG,  /* "30 deg" */
  FF_UNIT_DEG_S /* "20 deg/s" */
} ff_unit;

/* Like ff_number_read, and returns the unit that was written; the value is converted to rad. */
bool ff_number_scan(const char *text, double *value, ff_unit *unit);

#endif
