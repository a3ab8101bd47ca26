/* Values of a varied parameter: levels and quantiles of its distribution. */
#include "math/elementary.h"
#include "study/study.h"

#include <math.h>

/* Inverse of the standard normal distribution: algorithm AS 241, PPND16 (Wichura 1988), relative
 * error about 1e-16. 0 < p < 1. */
static double vary_normal_quantile(double p) {
  static const double a[] = {3.3871328727963666080e0,  1.3314166789178437745e+2,
                             1.9715909503065514427e+3, 1.3731693765509461125e+4,
                             4.5921953931549871457e+4, 6.7265770927008700853e+4,
                             3.3430575583588128105e+4, 2.5090809287301226727e+3};
  static const double b[] = {1,
                             4.2313330701600911252e+1,
                             6.8718700749205790830e+2,
                             5.3941960214247511077e+3,
                             2.1213794301586595867e+4,
                             3.9307895800092710610e+4,
                             2.8729085735721942674e+4,
                             5.2264952788528545610e+3};
  static const double c[] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                             5.76949722146069140550e0,  3.64784832476320460504e0,
                             1.27045825245236838258e0,  2.41780725177450611770e-1,
                             2.27238449892691845833e-2, 7.74545014278341407640e-4};
  static const double d[] = {1,
                             2.05319162663775882187e0,
                             1.67638483018380384940e0,
                             6.89767334985100004550e-1,
                             1.48103976427480074590e-1,
                             1.51986665636164571966e-2,
                             5.47593808499534494600e-4,
                             1.05075007164441684324e-9};
  static const double e[] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                             1.78482653991729133580e0,  2.96560571828504891230e-1,
                             2.65321895265761230930e-2, 1.24266094738807843860e-3,
                             2.71155556874348757815e-5, 2.01033439929228813265e-7};
  static const double f[] = {1,
                             5.99832206555887937690e-1,
                             1.36929880922735805310e-1,
                             1.48753612908506148525e-2,
                             7.86869131145613259100e-4,
                             1.84631831751005468180e-5,
                             1.42151175831644588870e-7,
                             2.04426310338993978564e-15};
  double q = p - 0.5, r, top = 0, bottom = 0;
  const double *num = a, *den = b;
  if (fabs(q) <= 0.425) {
    r = 0.180625 - q * q;
  } else {
    r = sqrt(-ff_log(q < 0 ? p : 1 - p));
    num = r <= 5 ? c : e;
    den = r <= 5 ? d : f;
    r -= r <= 5 ? 1.6 : 5;
  }
  for (int i = 7; i >= 0; i--) {
    top = top * r + num[i];
    bottom = bottom * r + den[i];
  }
  double x = top / bottom;
  return num == a ? q * x : q < 0 ? -x : x;
}

static double vary_triangular(double least, double mode, double most, double u) {
  double width = most - least, at = (mode - least) / width;
  return u < at ? least + sqrt(u * width * (mode - least))
                : most - sqrt((1 - u) * width * (most - mode));
}

/* Both ends are exact. */
static double vary_between(const ff_vary *vary, double t) {
  if (t == 0 || t == 1) {
    return t == 0 ? vary->a : vary->b;
  }
  return vary->kind == FF_VARY_LOG_RANGE ? vary->a * ff_pow(vary->b / vary->a, t)
                                         : vary->a + (vary->b - vary->a) * t;
}

double ff_vary_level(const ff_vary *vary, long level) {
  if (vary->kind == FF_VARY_VALUES) {
    return (double)level;
  }
  return vary_between(vary, vary->count > 1 ? (double)level / (vary->count - 1) : 0);
}

double ff_vary_quantile(const ff_vary *vary, double u) {
  double inside = u > 0 ? u : 0x1p-54;
  if (vary->count > 0) {
    return ff_vary_level(vary, (long)(u * vary->count));
  }
  switch (vary->kind) {
    case FF_VARY_NORMAL: return vary->a + vary->b * vary_normal_quantile(inside);
    case FF_VARY_LOG_NORMAL: return vary->a * ff_exp(vary->b * vary_normal_quantile(inside));
    case FF_VARY_TRIANGULAR: return vary_triangular(vary->a, vary->b, vary->c, u);
    case FF_VARY_VALUES:
    case FF_VARY_RANGE:
    case FF_VARY_LOG_RANGE: break;
  }
  return vary_between(vary, u);
}
