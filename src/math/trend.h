/* Numbers over the last steps, three at a time, and where they are bound for.
 *
 * Of each there is the latest value, and then the differences of order 1, 2 and 3 between the
 * latest ones. If it goes on as a polynomial of some order does, the next value is the sum of all
 * up to this order. Differences count as long as each is less than half as large as the one
 * before: what jumps, or is rounding only, is expected to stay as it is.
 */
#ifndef FF_MATH_TREND_H
#define FF_MATH_TREND_H

#include "math/vec.h"

typedef struct ff_trend {
  ff_vec3 now, first, second, third;
} ff_trend;

static inline void ff_trend_add(ff_trend *trend, ff_vec3 now) {
  ff_vec3 first = v3_sub(now, trend->now);
  ff_vec3 second = v3_sub(first, trend->first);
  *trend = (ff_trend){now, first, second, v3_sub(second, trend->second)};
}

/* Up to which order it may be trusted. */
static inline int ff_trend_order(const ff_trend *trend) {
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

/* What comes next, by this order. */
static inline ff_vec3 ff_trend_next(const ff_trend *trend, int order) {
  ff_vec3 change = order > 1 ? trend->second : v3(0, 0, 0);
  change = order > 2 ? v3_add(trend->third, change) : change;
  change = order > 0 ? v3_add(change, trend->first) : change;
  return v3_add(change, trend->now);
}

#endif
