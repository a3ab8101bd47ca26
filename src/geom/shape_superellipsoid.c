/* Superellipsoid. size: semi-axes a, b, c; exponents p, q:
 * (|x/a|^p + |y/b|^p)^(q/p) + |z/c|^q <= 1 */
#include "geom/shape.h"
#include "math/elementary.h"

enum { EXIT_ROUNDS = 100 };

static const char *superellipsoid_check(const ff_geom *geom) {
  for (int i = 0; i < 2; i++) {
    if (!(geom->exponents[i] >= FF_EXPONENT_MIN && geom->exponents[i] <= FF_EXPONENT_MAX)) {
      return "both exponents must be in [1.1, 20]";
    }
  }
  return NULL;
}

/* Inside norm_e(x/a, y/b, z/c) <= 1, e the larger exponent, which holds the shape; by Hoelder's
 * inequality no point of that is farther away than this. */
static double superellipsoid_bound(const ff_geom *geom) {
  ff_vec3 s = geom->size;
  double e = fmax(geom->exponents[0], geom->exponents[1]), most = fmax(s.x, fmax(s.y, s.z));
  if (e <= 2) {
    return most;
  }
  double d = 2 * e / (e - 2); /* large next to 2, where only shares of 1 do not vanish */
  return most *
         ff_pow(ff_pow(s.x / most, d) + ff_pow(s.y / most, d) + ff_pow(s.z / most, d), 1 / d);
}

static double superellipsoid_thickness(const ff_geom *geom) {
  return 0.5 * fmin(geom->size.x, fmin(geom->size.y, geom->size.z));
}

/* Integral of x^i y^j over the quarter of the plane's ball |x|^p + |y|^p <= 1, by Dirichlet. */
static double quarter(double i, double j, double p) {
  double a = (i + 1) / p, b = (j + 1) / p;
  return ff_gamma(a) * ff_gamma(b) / (ff_gamma(1 + a + b) * p * p);
}

/* Integral of z^i r^j over 0 <= z <= 1 with r = (1 - z^q)^(1/q). */
static double upright(double i, double j, double q) {
  double a = (i + 1) / q, b = j / q + 1;
  return ff_gamma(a) * ff_gamma(b) / (ff_gamma(a + b) * q);
}

/* Sections across z are balls of the plane with radius r(z), stretched to a and b. */
static double superellipsoid_volume(const ff_geom *geom) {
  double p = geom->exponents[0], q = geom->exponents[1];
  ff_vec3 s = geom->size;
  return 8 * s.x * s.y * s.z * quarter(0, 0, p) * upright(0, 2, q);
}

static ff_vec3 superellipsoid_inertia(const ff_geom *geom) {
  double p = geom->exponents[0], q = geom->exponents[1];
  ff_vec3 s = geom->size;
  double across = quarter(2, 0, p) * upright(0, 4, q), along = quarter(0, 0, p) * upright(2, 2, q);
  return ff_inertia_of_planes(
      v3_scale(8 * s.x * s.y * s.z, v3(s.x * s.x * across, s.y * s.y * across, s.z * s.z * along)));
}

/* The norm dual to that with exponent p, of numbers >= 0, and the share of each in it: where
 * a ball of the one touches a plane of the other. */
static double dual_norm(double u, double v, double p, double share[2]) {
  double most = fmax(u, v), d = p / (p - 1);
  share[0] = share[1] = 0;
  if (!(most > 0)) {
    return 0;
  }
  double norm = most * ff_pow(ff_pow(u / most, d) + ff_pow(v / most, d), 1 / d);
  share[0] = ff_pow(u / norm, d - 1);
  share[1] = ff_pow(v / norm, d - 1);
  return norm;
}

static ff_vec3 superellipsoid_support(const ff_geom *geom, ff_vec3 n) {
  ff_vec3 s = geom->size;
  double in[2], all[2];
  double across = dual_norm(s.x * fabs(n.x), s.y * fabs(n.y), geom->exponents[0], in);
  dual_norm(across, s.z * fabs(n.z), geom->exponents[1], all);
  return v3(ff_side_of(n.x) * s.x * all[0] * in[0], ff_side_of(n.y) * s.y * all[0] * in[1],
            ff_side_of(n.z) * s.z * all[1]);
}

/* A norm of two numbers >= 0 with exponent p: its value, slopes and second derivatives (uu, uv,
 * vv). Where a second derivative is infinite (p < 2, on an axis) it is held finite. */
typedef struct norm2 {
  double value, slope[2], bend[3];
} norm2;

static norm2 norm_of(double u, double v, double p) {
  double most = fmax(u, v);
  norm2 out = {0};
  if (!(most > 0)) {
    return out;
  }
  double a = u / most, b = v / most, sum = ff_pow(a, p) + ff_pow(b, p);
  out.value = most * ff_pow(sum, 1 / p);
  a = u / out.value;
  b = v / out.value;
  out.slope[0] = ff_pow(a, p - 1);
  out.slope[1] = ff_pow(b, p - 1);
  /* d2 = (p - 1) / N [diag(a^(p-2)) - slope slope^T] */
  double least = 1e-9;
  out.bend[0] = (p - 1) / out.value * (ff_pow(fmax(a, least), p - 2) - out.slope[0] * out.slope[0]);
  out.bend[1] = -(p - 1) / out.value * out.slope[0] * out.slope[1];
  out.bend[2] = (p - 1) / out.value * (ff_pow(fmax(b, least), p - 2) - out.slope[1] * out.slope[1]);
  return out;
}

/* scale (norm_q(norm_p(|x/a|, |y/b|), |z/c|) - 1) */
static void superellipsoid_rule(const ff_geom *geom, int rule, ff_vec3 x, ff_rule *out) {
  (void)rule;
  ff_vec3 s = geom->size;
  double scale = fmin(s.x, fmin(s.y, s.z));
  double k[3] = {copysign(1 / s.x, x.x), copysign(1 / s.y, x.y), copysign(1 / s.z, x.z)};
  norm2 in = norm_of(k[0] * x.x, k[1] * x.y, geom->exponents[0]);
  norm2 all = norm_of(in.value, k[2] * x.z, geom->exponents[1]);
  out->value = scale * (all.value - 1);
  double first[3] = {in.slope[0] * k[0], in.slope[1] * k[1], 0}; /* of the inner norm */
  out->slope = v3(scale * all.slope[0] * first[0], scale * all.slope[0] * first[1],
                  scale * all.slope[1] * k[2]);
  const int at[2][2] = {{0, 1}, {1, 2}};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      double inner = i < 2 && j < 2 ? in.bend[at[i][j]] * k[i] * k[j] : 0;
      double z_i = i == 2 ? k[2] : 0, z_j = j == 2 ? k[2] : 0;
      out->bend.m[i][j] =
          scale * (all.slope[0] * inner + all.bend[0] * first[i] * first[j] +
                   all.bend[1] * (first[i] * z_j + z_i * first[j]) + all.bend[2] * z_i * z_j);
    }
  }
}

/* The value along a line is convex: from beyond its end Newton's method comes back to it without
 * ever passing it. */
static double superellipsoid_exit(const ff_geom *geom, ff_vec3 from, ff_vec3 direction, int *rule) {
  *rule = 0;
  double t = 1.01 * (superellipsoid_bound(geom) + v3_norm(from)) / v3_norm(direction);
  for (int k = 0; k < EXIT_ROUNDS; k++) {
    ff_rule at;
    superellipsoid_rule(geom, 0, v3_axpy(from, t, direction), &at);
    double less = at.value / v3_dot(at.slope, direction), before = t;
    t -= less;
    if (!(less > 0) || t == before) {
      break;
    }
  }
  return t;
}

const ff_shape_ops ff_shape_superellipsoid = {.name = "superellipsoid",
                                              .sizes = {FF_SIZE_WORDS("first semi-axis"),
                                                        FF_SIZE_WORDS("second semi-axis"),
                                                        FF_SIZE_WORDS("third semi-axis")},
                                              .check = superellipsoid_check,
                                              .on_plane = ff_collide_superellipsoid_plane,
                                              .plane_points = 1,
                                              .bound = superellipsoid_bound,
                                              .thickness = superellipsoid_thickness,
                                              .volume = superellipsoid_volume,
                                              .inertia = superellipsoid_inertia,
                                              .support = superellipsoid_support,
                                              .rules = 1,
                                              .rule = superellipsoid_rule,
                                              .exit = superellipsoid_exit};
