/* What law files share: how they write their tables. */
#ifndef FF_LAW_LAW_H
#define FF_LAW_LAW_H

#include "footfall/law.h"

#include <math.h>
#include <stddef.h>

/* Rows of a table. */
#define FF_ROWS(table) ((int)(sizeof(table) / sizeof *(table)))

/* Value and relative tolerance of an ff_published: half a unit of the last printed digit. */
#define FF_PRINTED(value, last_digit) (value), 0.5 * (last_digit) / (value)

#endif
