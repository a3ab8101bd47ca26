/* Double-double arithmetic, for sums that cancel.
 *
 * A pair holds hi + lo with |lo| at most half a unit of hi's last place; one operation keeps about
 * 32 digits [Dekker71]. Used where the result is a small difference of large numbers, such as the
 * depth of a body in a plane. */
#ifndef FF_MATH_EXACT_H
#define FF_MATH_EXACT_H

#include "math/double_bits.h"
#include "math/vec.h"

static inline ff_double2 pair_add(ff_double2 a, ff_double2 b) {
  ff_double2 s = exact_sum(a.hi, b.hi);
  return exact_sum(s.hi, s.lo + (a.lo + b.lo));
}
static inline ff_double2 pair_mul(ff_double2 a, ff_double2 b) {
  ff_double2 p = exact_product(a.hi, b.hi);
  return exact_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}
/* One Newton step from the double root doubles its digits. */
static inline ff_double2 pair_sqrt(ff_double2 a) {
  double root = sqrt(a.hi);
  if (!(root > 0)) {
    return (ff_double2){root, 0};
  }
  ff_double2 square = exact_product(root, root);
  double rest = ((a.hi - square.hi) - square.lo) + a.lo;
  return exact_sum(root, 0.5 * rest / root);
}
static inline ff_double2 exact_dot(ff_vec3 a, ff_vec3 b) {
  ff_double2 xy = pair_add(exact_product(a.x, b.x), exact_product(a.y, b.y));
  return pair_add(xy, exact_product(a.z, b.z));
}
/* (a - b) . n, accurate where the terms cancel */
static inline double exact_dot_difference(ff_vec3 a, ff_vec3 b, ff_vec3 n) {
  return pair_add(exact_dot(a, n), exact_dot(v3_neg(b), n)).hi;
}

#endif
