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

#endif
