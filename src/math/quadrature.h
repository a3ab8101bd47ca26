/* Integrals of smooth functions with possible trouble at the ends. */
#ifndef FF_MATH_QUADRATURE_H
#define FF_MATH_QUADRATURE_H

/* x in (0, 1) and 1 - x, both without rounding near their end. */
typedef double (*ff_integrand)(double x, double one_minus_x, const void *context);

/* Integral over (0, 1) by the tanh-sinh rule, the step halved until the value stands to
 * about 1e-15 relative. Singularities up to x^(-1/2) at the ends are fine. */
double ff_integrate(ff_integrand f, const void *context);

#endif
