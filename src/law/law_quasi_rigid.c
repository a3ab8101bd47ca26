/* quasi-rigid: compliant layer on a rigid core.
 *
 * Citation: [Chakraborty07 eq. 10-15].
 *
 * Assumptions: the layer is a spring and a damper in parallel (Kelvin-Voigt) and deflects by at
 * most max_deflection; then the cores are in contact, without restitution. The layer never pulls:
 * when the bodies separate faster than it recovers, contact ends and the layer continues to
 * recover.
 *
 *   paper     here            unit
 *   delta_n   depth           m       deflection of the layer
 *   K_nn      k               N/m     stiffness
 *   C_nn      c               N s/m   damping
 *   delta_n^o max_deflection  m       where the rigid core begins
 *   p_ns      -               N s     impulse of the layer
 *   p_nr      -               N s     impulse of the core
 *
 * A core has no force formula: its impulses are solved for, with all others, by the stepper
 * `quasi-rigid` (src/step/quasi/quasi_rigid.c). Without a core (max_deflection 0, the default) the
 * layer is an ordinary law and runs under every stepper.
 *
 * Both bodies may be flexible: k_b, c_b and max_deflection_b are the layer of the second of the
 * pair, in series with that of the first.
 *
 * K and C are full matrices over normal and tangential deflections when k_t and k_o are given:
 *   K = [k k_nt k_no; k_nt k_t k_to; k_no k_to k_o], C alike.
 * As the paper is written the tangential deflection is an output that feeds back only through k_nt
 * and k_no. With `series` the layer shears before its surface slides, slip = W'v + d delta_t / dt.
 *
 * Departures: two layers and full matrices exclude each other.
 */
#include "law/law.h"

#include <string.h>

typedef struct params {
  double k, c, max_deflection;
  double k_b, c_b, max_deflection_b;
  double k_t, k_o, k_nt, k_no, k_to;
  double c_t, c_o, c_nt, c_no, c_to;
  double series;
} params;

static const ff_param table[] = {
    {.name = "k",
     .symbol = "K_nn",
     .unit = "N/m",
     .fallback = NAN,
     .min = 0,
     .max = INFINITY,
     .open_min = true,
     .meaning = "stiffness of the layer",
     .offset = offsetof(params, k)},
    {.name = "c",
     .symbol = "C_nn",
     .unit = "N s/m",
     .fallback = 0,
     .min = 0,
     .max = INFINITY,
     .meaning = "damping of the layer",
     .offset = offsetof(params, c)},
    {.name = "max_deflection",
     .symbol = "δ_n°",
     .unit = "m",
     .fallback = 0,
     .min = 0,
     .max = INFINITY,
     .meaning = "depth at which the rigid core begins, for the stepper quasi-rigid; 0: no core",
     .offset = offsetof(params, max_deflection)},
    {.name = "k_b",
     .symbol = "K_nn",
     .unit = "N/m",
     .fallback = 0,
     .min = 0,
     .max = INFINITY,
     .meaning = "stiffness of the second body's layer; 0: none",
     .offset = offsetof(params, k_b)},
    {.name = "c_b",
     .symbol = "C_nn",
     .unit = "N s/m",
     .fallback = 0,
     .min = 0,
     .max = INFINITY,
     .meaning = "damping of the second body's layer",
     .offset = offsetof(params, c_b)},
    {.name = "max_deflection_b",
     .symbol = "δ_n°",
     .unit = "m",
     .fallback = 0,
     .min = 0,
     .max = INFINITY,
     .meaning = "where the second body's core begins; 0: none",
     .offset = offsetof(params, max_deflection_b)},
    {.name = "k_t",
     .symbol = "K_tt",
     .unit = "N/m",
     .fallback = 0,
     .min = 0,
     .max = INFINITY,
     .meaning = "tangential stiffness along t1; 0: normal deflection only",
     .offset = offsetof(params, k_t)},
    {.name = "k_o",
     .symbol = "K_oo",
     .unit = "N/m",
     .fallback = 0,
     .min = 0,
     .max = INFINITY,
     .meaning = "tangential stiffness along t2",
     .offset = offsetof(params, k_o)},
    {.name = "k_nt",
     .symbol = "K_nt",
     .unit = "N/m",
     .fallback = 0,
     .min = -INFINITY,
     .max = INFINITY,
     .meaning = "stiffness that couples n and t1",
     .offset = offsetof(params, k_nt)},
    {.name = "k_no",
     .symbol = "K_no",
     .unit = "N/m",
     .fallback = 0,
     .min = -INFINITY,
     .max = INFINITY,
     .meaning = "stiffness that couples n and t2",
     .offset = offsetof(params, k_no)},
    {.name = "k_to",
     .symbol = "K_to",
     .unit = "N/m",
     .fallback = 0,
     .min = -INFINITY,
     .max = INFINITY,
     .meaning = "stiffness that couples t1 and t2",
     .offset = offsetof(params, k_to)},
    {.name = "c_t",
     .symbol = "C_tt",
     .unit = "N s/m",
     .fallback = 0,
     .min = 0,
     .max = INFINITY,
     .meaning = "tangential damping along t1",
     .offset = offsetof(params, c_t)},
    {.name = "c_o",
     .symbol = "C_oo",
     .unit = "N s/m",
     .fallback = 0,
     .min = 0,
     .max = INFINITY,
     .meaning = "tangential damping along t2",
     .offset = offsetof(params, c_o)},
    {.name = "c_nt",
     .symbol = "C_nt",
     .unit = "N s/m",
     .fallback = 0,
     .min = -INFINITY,
     .max = INFINITY,
     .meaning = "damping that couples n and t1",
     .offset = offsetof(params, c_nt)},
    {.name = "c_no",
     .symbol = "C_no",
     .unit = "N s/m",
     .fallback = 0,
     .min = -INFINITY,
     .max = INFINITY,
     .meaning = "damping that couples n and t2",
     .offset = offsetof(params, c_no)},
    {.name = "c_to",
     .symbol = "C_to",
     .unit = "N s/m",
     .fallback = 0,
     .min = -INFINITY,
     .max = INFINITY,
     .meaning = "damping that couples t1 and t2",
     .offset = offsetof(params, c_to)},
    {.name = "series",
     .symbol = "-",
     .unit = "1",
     .fallback = 0,
     .min = 0,
     .max = 1,
     .kind = FF_PARAM_FLAG,
     .meaning = "the layer shears before its surface slides",
     .offset = offsetof(params, series)},
};

static bool quasi_rigid_is_sheared(const params *p) {
  return p->k_t > 0 || p->k_o > 0;
}

static unsigned traits(const void *given) {
  const params *p = given;
  bool solved = p->max_deflection > 0 || p->k_b > 0 || quasi_rigid_is_sheared(p);
  return (p->c > 0 ? FF_LAW_JUMPS : 0) | (solved ? FF_LAW_CORE : 0);
}

/* ---- consistency of the parameters ----------------------------------------------------------- */

static void quasi_rigid_matrices(const params *p, double k[3][3], double c[3][3]) {
  const double stiff[3][3] = {
      {p->k, p->k_nt, p->k_no}, {p->k_nt, p->k_t, p->k_to}, {p->k_no, p->k_to, p->k_o}};
  const double damp[3][3] = {
      {p->c, p->c_nt, p->c_no}, {p->c_nt, p->c_t, p->c_to}, {p->c_no, p->c_to, p->c_o}};
  memcpy(k, stiff, sizeof stiff);
  memcpy(c, damp, sizeof damp);
}

/* Smallest of the principal minors of orders 2 and 3; entries on the diagonal are >= 0 already. */
static double quasi_rigid_least_minor(double m[3][3]) {
  double nt = m[0][0] * m[1][1] - m[0][1] * m[0][1], no = m[0][0] * m[2][2] - m[0][2] * m[0][2];
  double to = m[1][1] * m[2][2] - m[1][2] * m[1][2];
  double all = m[0][0] * to - m[0][1] * (m[0][1] * m[2][2] - m[1][2] * m[0][2]) +
               m[0][2] * (m[0][1] * m[1][2] - m[1][1] * m[0][2]);
  return fmin(fmin(nt, no), fmin(to, all));
}

static const char *derive(void *given, const ff_pair *pair) {
  (void)pair;
  const params *p = given;
  double k[3][3], c[3][3];
  quasi_rigid_matrices(p, k, c);
  bool other = p->k_nt != 0 || p->k_no != 0 || p->k_to != 0 || p->c_t > 0 || p->c_o > 0 ||
               p->c_nt != 0 || p->c_no != 0 || p->c_to != 0 || p->series > 0;
  if (!(p->k_b > 0) && (p->c_b > 0 || p->max_deflection_b > 0)) {
    return "c_b and max_deflection_b need k_b";
  }
  if (!quasi_rigid_is_sheared(p)) {
    return other ? "tangential parameters need k_t and k_o" : NULL;
  }
  if (p->k_b > 0) {
    return "k_b excludes k_t and k_o";
  }
  if (!(quasi_rigid_least_minor(k) > 0)) {
    return "the stiffness matrix must be positive definite";
  }
  return quasi_rigid_least_minor(c) >= 0 ? NULL : "the damping matrix must not be negative";
}

/* ---- force of the layer ---------------------------------------------------------------------- */

/* [Chakraborty07, after eq. 10], before the clamp */
static inline double quasi_rigid_unclamped_force(const params *p, double depth, double rate) {
  return p->k * depth + p->c * rate;
}

static void normal(const void *given, const ff_patch *patch, ff_normal *out) {
  const params *p = given;
  double force = quasi_rigid_unclamped_force(p, patch->depth, patch->depth_rate);
  bool cut = force < 0;
  out->force = cut ? 0 : force;
  out->d_depth = cut ? 0 : p->k;
  out->d_rate = cut ? 0 : p->c;
  out->elastic = p->k * patch->depth;
  out->energy = 0.5 * p->k * patch->depth * patch->depth;
}

static double kink(const void *given, const ff_patch *patch) {
  const params *p = given;
  return p->c > 0 ? quasi_rigid_unclamped_force(p, patch->depth, patch->depth_rate) : 1;
}

/* ---- layer for solving steppers -------------------------------------------------------------- */

static double quasi_rigid_core_depth(double max_deflection) {
  return max_deflection > 0 ? max_deflection : INFINITY;
}

static bool layer(const void *given, ff_layer *out) {
  const params *p = given;
  *out = (ff_layer){.stiffness = p->k,
                    .damping = p->c,
                    .max_deflection = quasi_rigid_core_depth(p->max_deflection),
                    .stiffness_b = p->k_b,
                    .damping_b = p->c_b,
                    .max_a = quasi_rigid_core_depth(p->max_deflection),
                    .max_b = quasi_rigid_core_depth(p->max_deflection_b),
                    .sheared = quasi_rigid_is_sheared(p),
                    .series = p->series > 0};
  if (p->k_b > 0) {
    out->max_deflection += out->max_b;
  }
  quasi_rigid_matrices(p, out->k, out->c);
  return true;
}

const ff_law ff_law_quasi_rigid = {
    .name = "quasi-rigid",
    .kind = FF_LAW_NORMAL,
    .summary = "spring and damper layer of limited thickness on a rigid core",
    .citation = "Chakraborty07",
    .params_size = sizeof(params),
    .params = table,
    .params_count = FF_ROWS(table),
    .traits = traits,
    .derive = derive,
    .normal = normal,
    .kink = kink,
    .layer = layer,
};
