/* Predictor: polynomial extrapolation of a vector over the last steps, for warm starts.
 *
 * Holds the latest value and its backward differences of order 1, 2 and 3. The prediction of order
 * n is the sum of the value and its differences up to order n. A difference is used only if it is
 * less than half as large as the one before; a value that jumps or only carries rounding noise is
 * predicted to stay constant. */
#ifndef FF_MATH_PREDICTOR_H
#define FF_MATH_PREDICTOR_H

#include "math/vec.h"

typedef struct ff_predictor {
  ff_vec3 now, first, second, third;
} ff_predictor;

static inline void ff_predictor_add(ff_predictor *trend, ff_vec3 now) {
  ff_vec3 first = v3_sub(now, trend->now);
  ff_vec3 second = v3_sub(first, trend->first);
  *trend = (ff_predictor){now, first, second, v3_sub(second, trend->second)};
}

/* Highest order whose differences decrease. */
static inline int ff_predictor_order(const ff_predictor *trend) {
  double first = v3_dot(trend->first, trend->first);
  double second = v3_dot(trend->second, trend->second);
  if (!(first < 0.25 * v3_dot(trend->now, trend->now))) {
    return 0;
  }
  if (!(second < 0.25 * first)) {
    return 1;
  }
  return v3_dot(trend->third, trend->third) < 0.25 * second ? 3 : 2;
}

/* Predicted next value, of this order. */
static inline ff_vec3 ff_predictor_next(const ff_predictor *trend, int order) {
  ff_vec3 change = order > 1 ? trend->second : v3(0, 0, 0);
  change = order > 2 ? v3_add(trend->third, change) : change;
  change = order > 0 ? v3_add(change, trend->first) : change;
  return v3_add(change, trend->now);
}

#endif
