/* What is wanted of the figures: every benchmark says of each target in the same words whether it
 * was met, and ends with 1 if one was missed. */
#ifndef FF_BENCH_TARGETS_H
#define FF_BENCH_TARGETS_H

#include <stdbool.h>

static int targets_missed;

/* The word for it. */
static inline const char *target(bool met) {
  targets_missed += !met;
  return met ? "met" : "MISSED";
}

/* What main returns. */
static inline int targets_end(void) {
  return targets_missed > 0;
}

#endif
