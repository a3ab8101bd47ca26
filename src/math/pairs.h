/* Vector kernels on arrays, two numbers at a time (SSE2) where available. The order of every
 * addition is fixed, so results do not depend on it. */
#ifndef FF_MATH_PAIRS_H
#define FF_MATH_PAIRS_H

#include <string.h>

typedef double ff_pair2 __attribute__((vector_size(16)));

static inline ff_pair2 ff_pair2_load(const double *from) {
  ff_pair2 out;
  memcpy(&out, from, sizeof out);
  return out;
}

static inline void ff_pair2_store(double *to, ff_pair2 a) {
  memcpy(to, &a, sizeof a);
}

/* a . b in four independent partial sums, which hides the latency of additions. */
static inline double ff_dot(const double *a, const double *b, int n) {
  ff_pair2 first = {0, 0}, second = {0, 0};
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    first += ff_pair2_load(a + i) * ff_pair2_load(b + i);
    second += ff_pair2_load(a + i + 2) * ff_pair2_load(b + i + 2);
  }
  double rest = first[0];
  for (; i < n; i++) {
    rest += a[i] * b[i];
  }
  return (rest + first[1]) + (second[0] + second[1]);
}

/* to -= by row */
static inline void ff_take_off(double *to, double by, const double *row, int n) {
  ff_pair2 both = {by, by};
  int i = 0;
  for (; i + 2 <= n; i += 2) {
    ff_pair2 less = ff_pair2_load(to + i) - both * ff_pair2_load(row + i);
    ff_pair2_store(to + i, less);
  }
  for (; i < n; i++) {
    to[i] -= by * row[i];
  }
}

/* to *= by. Written in pairs: a wide load after two narrow stores stalls. */
static inline void ff_scale(double *to, double by, int n) {
  ff_pair2 both = {by, by};
  int i = 0;
  for (; i + 2 <= n; i += 2) {
    ff_pair2 more = ff_pair2_load(to + i) * both;
    ff_pair2_store(to + i, more);
  }
  for (; i < n; i++) {
    to[i] *= by;
  }
}

#endif
