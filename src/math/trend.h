/* Numbers over the last steps, and where they are bound for.
 *
 * Of each number there is its latest value, and below it the differences of order 1, 2 and 3
 * between the latest ones. If it goes on as a polynomial of some order does, the next value is the
 * sum of all down to this order. Differences count as long as each is less than half as large as
 * the one before: what jumps, or is rounding only, is expected to stay as it is.
 */
#ifndef FF_MATH_TREND_H
#define FF_MATH_TREND_H

enum { FF_TREND = 4 };

/* trend is FF_TREND x n. */
static inline void ff_trend_add(double *trend, int n, const double *now) {
  for (int i = 0; i < n; i++) {
    double value = now[i];
    for (int k = 0; k < FF_TREND; k++) {
      double was = trend[k * n + i];
      trend[k * n + i] = value;
      value -= was;
    }
  }
}

/* Up to which order numbers first to first + count - 1 may be trusted together. */
static inline int ff_trend_order(const double *trend, int n, int first, int count) {
  double size = 0;
  for (int k = 0; k < FF_TREND; k++) {
    double sum = 0;
    for (int i = first; i < first + count; i++) {
      sum += trend[k * n + i] * trend[k * n + i];
    }
    if (k > 0 && !(sum < 0.25 * size)) {
      return k - 1;
    }
    size = sum;
  }
  return FF_TREND - 1;
}

/* What a number will be, by this order. */
static inline double ff_trend_next(const double *trend, int n, int i, int order) {
  double sum = trend[order * n + i];
  for (int k = order - 1; k >= 0; k--) {
    sum += trend[k * n + i];
  }
  return sum;
}

#endif
