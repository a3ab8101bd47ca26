/* linear: spring and damper in parallel.
 *
 * Citation: [Marhefka96 eq. 3, 4], there as the baseline.
 *
 * Assumptions: stiffness and damping do not depend on depth; the contact is massless and follows
 * the bodies without delay; forces act along the normal.
 *
 *   paper  here   unit
 *   x      depth  m       into the other body
 *   x'     rate   m/s     of depth
 *   k      k      N/m     stiffness
 *   b      b      N s/m   damping
 *   f      force  N       here positive if repulsive
 *
 * Departures: eq. 3 pulls the bodies together just before they separate. The clamp, which the
 * paper mentions, removes that and is on by default; clamp = 0 is eq. 3 as printed. The force jump
 * b v at touch is part of the law.
 */
#include "law/law.h"

typedef struct params {
  double k, b, clamp;
} params;

static const ff_param table[] = {
    {.name = "k",
     .symbol = "k",
     .unit = "N/m",
     .fallback = NAN,
     .min = 0,
     .max = INFINITY,
     .open_min = true,
     .meaning = "stiffness",
     .offset = offsetof(params, k)},
    {.name = "b",
     .symbol = "b",
     .unit = "N s/m",
     .fallback = 0,
     .min = 0,
     .max = INFINITY,
     .meaning = "damping",
     .offset = offsetof(params, b)},
    {.name = "clamp",
     .symbol = "-",
     .unit = "1",
     .fallback = 1,
     .min = 0,
     .max = 1,
     .kind = FF_PARAM_FLAG,
     .meaning = "1: never pulls; 0: pulls just before the bodies part",
     .offset = offsetof(params, clamp)},
};

static unsigned traits(const void *given) {
  const params *p = given;
  unsigned pulls = p->clamp == 0 && p->b > 0 ? FF_LAW_PULLS : 0;
  unsigned jumps = p->b > 0 ? FF_LAW_JUMPS : 0;
  return pulls | jumps;
}

/* ---- force, derivatives, energy -------------------------------------------------------------- */

/* [Marhefka96 eq. 3], before the clamp */
static inline double linear_unclamped_force(const params *p, double depth, double rate) {
  return p->k * depth + p->b * rate;
}

static inline double linear_clamped_force(const params *p, double force) {
  return force < 0 && p->clamp != 0 ? 0 : force;
}

static void normal(const void *given, const ff_patch *patch, ff_normal *out) {
  const params *p = given;
  double force = linear_unclamped_force(p, patch->depth, patch->depth_rate);
  bool cut = force < 0 && p->clamp != 0;
  out->force = linear_clamped_force(p, force);
  out->d_depth = cut ? 0 : p->k;
  out->d_rate = cut ? 0 : p->b;
  /* While the clamp acts, the damper dissipates the energy that the spring releases. */
  out->elastic = p->k * patch->depth;
  out->energy = 0.5 * p->k * patch->depth * patch->depth;
}

/* The damper acts for the share of the step in which there is contact. */
static void gradient(const void *given, const ff_patch *patch, double from, double to,
                     ff_normal *out) {
  const params *p = given;
  double a = from > 0 ? from : 0, b = to > 0 ? to : 0;
  bool crosses = (from > 0) != (to > 0);
  double change = to - from, share = crosses ? (b - a) / change : from > 0;
  double d_share = crosses ? fabs(from) / (change * change) : 0; /* 1/m, with `to` */
  ff_gradient_of_power mean = ff_power_gradient(1, from, to, NULL);
  out->elastic = p->k * mean.slope;
  out->energy = p->k * mean.value;
  double force = out->elastic + share * p->b * patch->depth_rate;
  bool cut = force < 0 && p->clamp != 0;
  out->force = linear_clamped_force(p, force);
  out->d_depth = cut ? 0 : p->k * mean.curvature + 2 * d_share * p->b * patch->depth_rate;
  out->d_rate = cut ? 0 : share * p->b;
}

static void forces(const void *given, const double *restrict depth, const double *restrict rate,
                   double *restrict force, int count) {
  const params p = *(const params *)given;
  for (int i = 0; i < count; i++) {
    force[i] =
        depth[i] <= 0 ? 0 : linear_clamped_force(&p, linear_unclamped_force(&p, depth[i], rate[i]));
  }
}

static double kink(const void *given, const ff_patch *patch) {
  const params *p = given;
  return p->clamp != 0 && p->b > 0 ? linear_unclamped_force(p, patch->depth, patch->depth_rate) : 1;
}

/* Clamped, it is a layer without a core. */
static bool layer(const void *given, ff_layer *out) {
  const params *p = given;
  *out = (ff_layer){.stiffness = p->k,
                    .damping = p->b,
                    .max_deflection = INFINITY,
                    .max_a = INFINITY,
                    .max_b = INFINITY};
  return p->clamp != 0;
}

/* ---- published numbers ----------------------------------------------------------------------- */

static const ff_published published[] = {
    {"[Marhefka96 eq. 4]", "k=1e4 b=60 clamp=0", 1, 1, "restitution", FF_PRINTED(.3723261, 1e-7)},
    {"[Marhefka96 Sec. 2, tension set to zero]", "k=1e4 b=60", 1, 1, "restitution",
     FF_PRINTED(.45097545, 1e-8)},
};

const ff_law ff_law_linear = {
    .name = "linear",
    .kind = FF_LAW_NORMAL,
    .summary = "spring and damper in parallel, with or without tension",
    .citation = "Marhefka96",
    .params_size = sizeof(params),
    .params = table,
    .params_count = FF_ROWS(table),
    .traits = traits,
    .normal = normal,
    .gradient = gradient,
    .kink = kink,
    .forces = forces,
    .layer = layer,
    .published = published,
    .published_count = FF_ROWS(published),
};
