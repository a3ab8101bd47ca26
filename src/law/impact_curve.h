/* Universal curve of Hunt-Crossley impacts, in the variable y = 3/2 alpha v.
 *
 * A body of mass m obeys m dv/dt = -k x^n (1 + y). Dividing by v = dx/dt and integrating
 * [Marhefka96 eq. 13],
 *
 *   k x^(n+1) / ((n+1) m) + v^2/2 h(y) = constant,   h(y) = 2 (y - log(1+y)) / y^2,
 *
 * so v^2/2 h(y) plays the part of the kinetic energy and h(0) = 1 is the undamped case.
 * q = y sqrt(h(y)) turns it into q^2/2 and grows from -inf to +inf with y in (-1, inf):
 * the limit velocity y = -1 is never reached [Marhefka96 eq. 22].
 *
 * All functions keep their relative accuracy down to y = 0.
 */
#ifndef FF_LAW_IMPACT_CURVE_H
#define FF_LAW_IMPACT_CURVE_H

/* h(y) and 1 - h(y) for y > -1. */
double ff_impact_h(double y);
double ff_impact_one_minus_h(double y);

/* y / q for the y of q; 1 at q = 0. */
double ff_impact_ratio(double q);

#endif
