/* Predictor: polynomial extrapolation of a vector over the last steps, for warm starts.
 *
 * Stored are the latest value and its backward differences of order 1 to 3. A polynomial of order p
 * through the last p + 1 values continues with the sum of the value and the differences up to
 * order p. A difference counts only while it is less than half as large as the one before, so that
 * jumps and rounding are extrapolated as constants.
 */
#ifndef FF_MATH_PREDICTOR_H
#define FF_MATH_PREDICTOR_H

#include "math/vec.h"

typedef struct ff_predictor {
  ff_vec3 now, first, second, third; /* value, and differences of order 1, 2, 3 */
} ff_predictor;

static inline void ff_predictor_add(ff_predictor *p, ff_vec3 now) {
  ff_vec3 first = v3_sub(now, p->now);
  ff_vec3 second = v3_sub(first, p->first);
  *p = (ff_predictor){now, first, second, v3_sub(second, p->second)};
}

/* Highest order whose differences are small enough to count: 0 to 3. */
static inline int ff_predictor_order(const ff_predictor *p) {
  double first = v3_dot(p->first, p->first);
  double second = v3_dot(p->second, p->second);
  if (!(first < 0.25 * v3_dot(p->now, p->now))) {
    return 0;
  }
  if (!(second < 0.25 * first)) {
    return 1;
  }
  return v3_dot(p->third, p->third) < 0.25 * second ? 3 : 2;
}

/* Value of the next step by extrapolation of this order. */
static inline ff_vec3 ff_predictor_next(const ff_predictor *p, int order) {
  ff_vec3 change = order > 1 ? p->second : v3(0, 0, 0);
  change = order > 2 ? v3_add(p->third, change) : change;
  change = order > 0 ? v3_add(change, p->first) : change;
  return v3_add(change, p->now);
}

#endif
