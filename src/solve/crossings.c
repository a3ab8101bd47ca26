#include "solve/crossings.h"

#include "base/memory.h"

#include <math.h>
#include <stddef.h>

#define PAST 0.02 /* of the time between two stages: what a zero may be off */

bool ff_crossings_create(ff_crossings *of, int limit) {
  size_t size = (size_t)limit;
  *of = (ff_crossings){.value = ff_alloc(5 * size, sizeof *of->value)};
  of->before_t = of->value + size;
  of->before_value = of->value + 2 * size;
  of->after_t = of->value + 3 * size;
  of->after_value = of->value + 4 * size;
  return of->value;
}

void ff_crossings_destroy(ff_crossings *of) {
  ff_free(of->value);
  of->value = NULL;
}

void ff_crossings_begin(ff_crossings *of, int count) {
  of->count = count;
  for (int i = 0; i < count; i++) {
    of->before_t[i] = -INFINITY;
    of->after_t[i] = INFINITY;
  }
}

/* Stages are not in the order of time. */
void ff_crossings_see(ff_crossings *of, double t, const signed char *side) {
  for (int i = 0; i < of->count; i++) {
    double value = side[i] * of->value[i];
    if (value < 0 && t < of->after_t[i]) {
      of->after_t[i] = t;
      of->after_value[i] = value;
    } else if (value >= 0 && t > of->before_t[i]) {
      of->before_t[i] = t;
      of->before_value[i] = value;
    }
  }
}

double ff_crossings_first(const ff_crossings *of) {
  double first = INFINITY;
  for (int i = 0; i < of->count; i++) {
    double span = of->after_t[i] - of->before_t[i];
    if (span > 0 && isfinite(span)) {
      double share = of->before_value[i] / (of->before_value[i] - of->after_value[i]);
      first = fmin(first, of->before_t[i] + fmin(1, share + PAST) * span);
    }
  }
  return first;
}
