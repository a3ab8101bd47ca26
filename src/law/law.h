/* Helpers of law files for their tables. */
#ifndef FF_LAW_LAW_H
#define FF_LAW_LAW_H

#include "footfall/law.h"

#include <math.h>
#include <stddef.h>

/* Rows of a table. */
#define FF_ROWS(table) ((int)(sizeof(table) / sizeof *(table)))

/* Value and relative tolerance of an ff_published: half a unit of the last printed digit. */
#define FF_PRINTED(value, last_digit) (value), 0.5 * (last_digit) / (value)

/* Coefficients left open (NAN) come from the pair, static and kinetic together; an unknown kinetic
 * one is the static one. False: the static one is unknown. */
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

/* A radius-dependent stiffness or damping is given at a reference radius (m; 0: independent of it).
 * For shapes other than spheres the radius is that of the sphere with the same section area 2 pi R
 * z at small depth [Azad10 eq. 7]: 1/R^2 is the Gaussian curvature. Returns R over the reference, 1
 * if the patch has no curvature. */
static inline double ff_local_radius(double reference, const ff_patch *patch) {
  double gauss = patch->curvature[0] * patch->curvature[1];
  return reference > 0 && gauss > 0 ? 1 / (reference * sqrt(gauss)) : 1;
}

/* Radius that a law may derive from: that of the pair, or the mean of a varying one, which is then
 * the reference. NAN: none. */
static inline double ff_derive_radius(const ff_pair *pair, double *reference) {
  bool constant = pair->radius > 0 && isfinite(pair->radius);
  *reference = !constant && pair->mean_radius > 0 ? pair->mean_radius : 0;
  return constant ? pair->radius : (*reference > 0 ? *reference : NAN);
}

/* Discrete gradient of z^(n + 1) / (n + 1), 0 for z <= 0, from one depth to another. */
typedef struct ff_gradient_of_power {
  double slope;     /* m^n, the gradient */
  double value;     /* m^(n + 1), mean of both ends */
  double curvature; /* m^(n - 1), change of the slope with the middle while `from` stays */
} ff_gradient_of_power;

#define FF_FLAT_STEP                                                                               \
  1e-5 /* of a depth: changes that leave few digits for a quotient of energies                     \
        */

/* below(z, n) is z^(n - 1); NULL for n = 1. */
static inline ff_gradient_of_power ff_power_gradient(double n, double from, double to,
                                                     double (*below)(double, double)) {
  double a = from > 0 ? from : 0, b = to > 0 ? to : 0, change = to - from;
  if (n == 1 && from >= 0 && to >= 0) {
    return (ff_gradient_of_power){0.5 * (a + b), 0.25 * (a * a + b * b), 1};
  }
  double at_a = a > 0 && n != 1 ? a * below(a, n) : a, at_b = b > 0 && n != 1 ? b * below(b, n) : b;
  ff_gradient_of_power out = {.value = 0.5 * (a * at_a + b * at_b) / (n + 1)};
  if (fabs(change) <= FF_FLAT_STEP * (a + b)) {
    double middle = 0.5 * (a + b), power = middle > 0 && n != 1 ? below(middle, n) : middle > 0;
    out.slope = middle * power;
    out.curvature = n * power;
    return out;
  }
  out.slope = change != 0 ? (b * at_b - a * at_a) / ((n + 1) * change) : 0;
  out.curvature = change != 0 ? 2 * (at_b - out.slope) / change : 0;
  return out;
}

#endif
