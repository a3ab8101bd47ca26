/* azad-featherstone: a bed of springs and dampers under a sphere.
 *
 * Citation: [Azad10 eq. 3-14].
 *
 * Assumptions: the ground is an even bed of spring-damper pairs without mass, softer where it
 * is pressed less; the contact is small against the sphere. Damping then grows with the root of
 * depth, restitution decreases about linearly with the logarithm of speed, and the force ends
 * before the ground has recovered.
 *
 *   paper  here   unit
 *   z      depth  m
 *   z'     rate   m/s
 *   K_n    K      N/m^1.5      4/3 E* sqrt(r), eq. 10
 *   D_n    D      N s/m^1.5    4 pi r alpha, eq. 12
 *   alpha  alpha  N s/m^2.5    damping of the bed, eq. 11
 *   f_K    elastic, f  force   N, positive if repulsive
 *
 * Shapes that are not spheres: r is that of the sphere with the same section at small depth, where
 * they touch. Such a varying K changes the stored energy without work of a force; the ledger
 * accounts for it separately (FF_LAW_UNPAID).
 *
 * Departures: clamp = 0 is eq. 13, which pulls; the default is eq. 14. The energy stored when the
 * force ends is dissipated by the clamped damper of eq. 14 while the ground recovers, and eq. 16
 * must include it.
 */
#include "law/law.h"

#include "math/vec.h"

typedef struct params {
  double K, D, alpha, clamp;
  double K_radius, D_radius; /* m, reference radius of K and D if they vary with it; else 0 */
} params;

static const ff_param table[] = {
    {.name = "K",
     .symbol = "K_n",
     .unit = "N/m^1.5",
     .fallback = NAN,
     .min = 0,
     .max = INFINITY,
     .open_min = true,
     .meaning = "stiffness",
     .otherwise = "4/3 E* sqrt(R) of the materials",
     .offset = offsetof(params, K)},
    {.name = "D",
     .symbol = "D_n",
     .unit = "N s/m^1.5",
     .fallback = NAN,
     .min = 0,
     .max = INFINITY,
     .meaning = "damping",
     .otherwise = "4 pi R alpha",
     .offset = offsetof(params, D)},
    {.name = "alpha",
     .symbol = "α",
     .unit = "N s/m^2.5",
     .fallback = 0,
     .min = 0,
     .max = INFINITY,
     .meaning = "damping of the bed, where D is not given",
     .offset = offsetof(params, alpha)},
    {.name = "clamp",
     .symbol = "-",
     .unit = "1",
     .fallback = 1,
     .min = 0,
     .max = 1,
     .kind = FF_PARAM_FLAG,
     .meaning = "1: never pulls (eq. 14); 0: pulls before the bodies part (eq. 13)",
     .offset = offsetof(params, clamp)},
};

static unsigned traits(const void *given) {
  const params *p = given;
  unsigned pulls = p->clamp == 0 && p->D > 0 ? FF_LAW_PULLS : 0;
  return FF_LAW_HELD | pulls | (p->K_radius > 0 ? FF_LAW_UNPAID : 0);
}

static const char *derive(void *given, const ff_pair *pair) {
  params *p = given;
  double reference, radius = ff_derive_radius(pair, &reference);
  if (isnan(p->K) && isnan(pair->young)) {
    return "K must be given, or young (Pa) of both materials so that Hertz's stiffness is known";
  }
  if (isnan(p->K) && isnan(radius)) {
    return "K or the contact's radius must be given: Hertz's stiffness needs a radius of "
           "curvature, "
           "and this pair of shapes can touch where there is none (flat, an edge or a corner)";
  }
  if (isnan(p->D) && p->alpha > 0 && isnan(radius)) {
    return "D or the contact's radius must be given: alpha needs a radius of curvature, and this "
           "pair of shapes can touch where there is none (flat, an edge or a corner)";
  }
  if (isnan(p->K)) {
    p->K = 4.0 / 3.0 * pair->young * sqrt(radius); /* [Azad10 eq. 10] */
    p->K_radius = reference;
  }
  if (isnan(p->D)) {
    p->D = p->alpha > 0 ? 4 * ff_pi * radius * p->alpha : 0; /* [Azad10 eq. 12] */
    p->D_radius = reference;
  }
  return NULL;
}

/* ---- force, derivatives, energy -------------------------------------------------------------- */

/* K and D at the patch. */
static inline params azad_local_params(const params *p, const ff_patch *patch) {
  params out = *p;
  if (p->K_radius > 0 || p->D_radius > 0) {
    out.K *= sqrt(ff_local_radius(p->K_radius, patch));
    out.D *= ff_local_radius(p->D_radius, patch);
  }
  return out;
}

/* [Azad10 eq. 13] over the root of depth, and with the clamp of eq. 14 */
static inline double azad_force_per_root(const params *p, double depth, double rate) {
  double lowest = p->clamp != 0 ? 0 : -INFINITY;
  double free = p->K * depth + p->D * rate;
  return lowest > free ? lowest : free;
}

static void normal(const void *given, const ff_patch *patch, ff_normal *out) {
  const params here = azad_local_params(given, patch), *p = &here;
  double z = patch->depth, root = sqrt(z), rest = azad_force_per_root(p, z, patch->depth_rate);
  bool cut = p->clamp != 0 && rest == 0 && z > 0;
  out->force = root * rest;
  /* The derivative of the damper is unbounded at touch, where the force vanishes. */
  double damper = z > 0 ? 0.5 * p->D * patch->depth_rate / root : 0;
  out->d_depth = cut ? 0 : 1.5 * p->K * root + damper;
  out->d_rate = cut ? 0 : p->D * root;
  out->elastic = p->K * (z * root);
  out->energy = 0.4 * p->K * (z * z * root); /* [Azad10 eq. 17] */
}

static double azad_below_energy(double depth, double n) {
  return n == 1.5 ? sqrt(depth) : 1 / sqrt(depth);
}

/* The damper acts with the mean of the root of depth over the step. */
static void gradient(const void *given, const ff_patch *patch, double from, double to,
                     ff_normal *out) {
  const params here = azad_local_params(given, patch), *p = &here;
  double rate = patch->depth_rate;
  ff_gradient_of_power spring = ff_power_gradient(1.5, from, to, azad_below_energy);
  ff_gradient_of_power root = ff_power_gradient(0.5, from, to, azad_below_energy);
  out->elastic = p->K * spring.slope;
  out->energy = p->K * spring.value;
  double force = out->elastic + p->D * root.slope * rate;
  bool cut = p->clamp != 0 && force <= 0;
  out->force = cut ? 0 : force;
  out->d_depth = cut ? 0 : p->K * spring.curvature + p->D * root.curvature * rate;
  out->d_rate = cut ? 0 : p->D * root.slope;
}

static void forces(const void *given, const double *restrict depth, const double *restrict rate,
                   double *restrict force, int count) {
  const params p = *(const params *)given;
  for (int i = 0; i < count; i++) {
    double z = 0 > depth[i] ? 0 : depth[i];
    force[i] = sqrt(z) * azad_force_per_root(&p, z, rate[i]);
  }
}

/* The force ends where this becomes negative. */
static double kink(const void *given, const ff_patch *patch) {
  const params here = azad_local_params(given, patch), *p = &here;
  return p->clamp != 0 && p->D > 0 ? p->K * patch->depth + p->D * patch->depth_rate : 1;
}

/* ---- published numbers ----------------------------------------------------------------------- */

#define FIG2 "[Azad10 Fig. 2, 3]", "K=8.5e6 D=3.1e3", .154

static const ff_published published[] = {
    {FIG2, .001, "restitution", FF_PRINTED(.878666801, 1e-9)},
    {FIG2, .01, "restitution", FF_PRINTED(.816981402, 1e-9)},
    {FIG2, .1, "restitution", FF_PRINTED(.731276940, 1e-9)},
    {FIG2, 1, "restitution", FF_PRINTED(.620290784, 1e-9)},
    {FIG2, 10, "restitution", FF_PRINTED(.489956361, 1e-9)},
};

const ff_law ff_law_azad_featherstone = {
    .name = "azad-featherstone",
    .kind = FF_LAW_NORMAL,
    .summary = "Hertz spring, damping as the root of depth; ends early",
    .citation = "Azad10",
    .params_size = sizeof(params),
    .params = table,
    .params_count = FF_ROWS(table),
    .traits = traits,
    .derive = derive,
    .normal = normal,
    .gradient = gradient,
    .kink = kink,
    .forces = forces,
    .published = published,
    .published_count = FF_ROWS(published),
};
