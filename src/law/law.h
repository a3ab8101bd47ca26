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

/* Coefficients left open (NAN) come from the pair, static and kinetic together; a kinetic one
 * that is nowhere told is the static one. False: the static one is not known. */
static inline bool ff_derive_mu(double *mu_static, double *mu_kinetic, const ff_pair *pair) {
  bool from_pair = isnan(*mu_static);
  if (from_pair) {
    *mu_static = pair->mu_static;
  }
  if (isnan(*mu_kinetic)) {
    bool known = from_pair && !isnan(pair->mu_kinetic);
    *mu_kinetic = known ? pair->mu_kinetic : *mu_static;
  }
  return !isnan(*mu_static);
}

#endif
