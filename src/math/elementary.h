/* Elementary functions with the same bits on every platform, compiler and optimisation level.
 *
 * The C library's differ from one system to another, so that a run on another system, or in a
 * browser, would end elsewhere. These use only operations that IEEE 754 rounds correctly: + - * /
 * and sqrt. The error is below 1 unit in the last place (ulp; ff_gamma: 8), special cases are those
 * of C17 annex F, except for exceptions and errno. Functions of the C library that are exact (fabs,
 * floor, rint, fmod, ldexp, fma, ...) are used as they are. Tables and polynomials:
 * tools/elementary-coefficients. */
#ifndef FF_MATH_ELEMENTARY_H
#define FF_MATH_ELEMENTARY_H

double ff_exp(double x);
double ff_exp2(double x);
double ff_expm1(double x);
double ff_log(double x);
double ff_log2(double x);
double ff_log10(double x);
double ff_log1p(double x);
double ff_pow(double x, double y);
double ff_cbrt(double x);
double ff_hypot(double x, double y);
double ff_sin(double x);
double ff_cos(double x);
double ff_tan(double x);
/* Sine and cosine of x, with the bits of ff_sin and ff_cos. */
void ff_sincos(double x, double *sine, double *cosine);
double ff_asin(double x);
double ff_acos(double x);
double ff_atan(double x);
double ff_atan2(double y, double x);
double ff_sinh(double x);
double ff_cosh(double x);
double ff_tanh(double x);
double ff_asinh(double x);
/* Gamma function of x > 0; NAN for other x. */
double ff_gamma(double x);

#endif
