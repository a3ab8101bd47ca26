/* Numbers in and out of text, the same in every locale. The public pair ff_number_text
 * and ff_number_read (footfall/io.h) lives here too. */
#ifndef FF_BASE_TEXT_H
#define FF_BASE_TEXT_H

#include "footfall/io.h"

typedef enum ff_unit {
  FF_UNIT_NONE, /* a bare number: SI */
  FF_UNIT_DEG,  /* "30 deg" */
  FF_UNIT_DEG_S /* "20 deg/s" */
} ff_unit;

/* Like ff_number_read, and says which unit was written; the value is already in rad. */
bool ff_number_scan(const char *text, double *value, ff_unit *unit);

#endif
