#include "math/quadrature.h"

#include "math/vec.h"

/* One node of x = 1 / (1 + exp(-pi sinh s)) and its weight dx/ds. */
static double tanh_sinh_node(ff_integrand f, const void *context, double s) {
  double grow = ff_exp(ff_pi * ff_sinh(s));
  double x = grow / (1.0 + grow);
  double rest = 1.0 / (1.0 + grow);
  return f(x, rest, context) * ff_pi * ff_cosh(s) * x * rest;
}

double ff_integrate(ff_integrand f, const void *context) {
  const double reach = 4.0; /* x or 1 - x is 6e-38 here */
  double step = 1.0;
  double sum = tanh_sinh_node(f, context, 0.0);
  for (double s = step; s <= reach; s += step) {
    sum += tanh_sinh_node(f, context, s) + tanh_sinh_node(f, context, -s);
  }
  double value = sum * step;
  for (int level = 0; level < 8; level++) {
    /* Each level adds the nodes halfway between the old ones. */
    for (double s = 0.5 * step; s <= reach; s += step) {
      sum += tanh_sinh_node(f, context, s) + tanh_sinh_node(f, context, -s);
    }
    step *= 0.5;
    double finer = sum * step;
    /* The error is about squared from level to level: a change of 1e-10 means an error of about
     * 1e-16. */
    bool settled = level > 1 && fabs(finer - value) <= 1e-10 * fabs(finer);
    value = finer;
    if (settled) {
      break;
    }
  }
  return value;
}
