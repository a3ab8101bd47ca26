/* Quadrature of smooth functions with possible singularities at the ends. */
#ifndef FF_MATH_QUADRATURE_H
#define FF_MATH_QUADRATURE_H

/* x in (0, 1) and 1 - x, each without cancellation near its end. */
typedef double (*ff_integrand)(double x, double one_minus_x, const void *context);

/* Integral over (0, 1) by the tanh-sinh rule; the step is halved until the value has converged to
 * about 1e-15 relative. Singularities up to x^(-1/2) at the ends are allowed. */
double ff_integrate(ff_integrand f, const void *context);

#endif
