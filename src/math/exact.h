/* Sums that cancel, with twice the digits of a double.
 *
 * A pair holds hi + lo with |lo| at most half a unit of hi's last place; one operation keeps
 * about 32 digits [Dekker71]. For the few places where a small difference of large numbers is
 * the answer, such as how deep a plane cuts into a body.
 */
#ifndef FF_MATH_EXACT_H
#define FF_MATH_EXACT_H

#include "math/vec.h"

typedef struct ff_pair2 {
  double hi, lo;
} ff_pair2;

/* a + b without error. */
static inline ff_pair2 exact_sum(double a, double b) {
  double s = a + b, part = s - a;
  return (ff_pair2){s, (a - (s - part)) + (b - part)};
}
/* a * b without error. */
static inline ff_pair2 exact_product(double a, double b) {
  double p = a * b;
  return (ff_pair2){p, fma(a, b, -p)};
}
static inline ff_pair2 pair_add(ff_pair2 a, ff_pair2 b) {
  ff_pair2 s = exact_sum(a.hi, b.hi);
  return exact_sum(s.hi, s.lo + (a.lo + b.lo));
}
static inline ff_pair2 pair_mul(ff_pair2 a, ff_pair2 b) {
  ff_pair2 p = exact_product(a.hi, b.hi);
  return exact_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}
/* One step of Newton's from the double root doubles its digits. */
static inline ff_pair2 pair_sqrt(ff_pair2 a) {
  double root = sqrt(a.hi);
  if (!(root > 0)) {
    return (ff_pair2){root, 0};
  }
  ff_pair2 square = exact_product(root, root);
  double rest = ((a.hi - square.hi) - square.lo) + a.lo;
  return exact_sum(root, 0.5 * rest / root);
}
static inline ff_pair2 exact_dot(ff_vec3 a, ff_vec3 b) {
  ff_pair2 xy = pair_add(exact_product(a.x, b.x), exact_product(a.y, b.y));
  return pair_add(xy, exact_product(a.z, b.z));
}
/* (a - b) . n, also where the terms cancel */
static inline double exact_dot_apart(ff_vec3 a, ff_vec3 b, ff_vec3 n) {
  return pair_add(exact_dot(a, n), exact_dot(v3_neg(b), n)).hi;
}

#endif
