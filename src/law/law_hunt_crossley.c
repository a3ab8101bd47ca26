/* hunt-crossley: spring of power n with damping proportional to its force.
 *
 * Citation: [Marhefka96 eq. 6, 7, 22], after [Hunt75].
 *
 * Assumptions: damping is proportional to the elastic force; the contact has no mass;
 * forces act along the normal. Restitution then depends on alpha times the impact speed
 * alone, not on mass, stiffness or n.
 *
 *   paper   here               unit
 *   x       depth              m
 *   x'      rate               m/s
 *   n       n                  1
 *   k       k                  N/m^n
 *   alpha   alpha              s/m     slope of restitution at low speed, eq. 5
 *   lambda  1.5 alpha k        N s/m^(n+1), eq. 7
 *   f       force              N       here positive if repulsive
 *   -       alpha_restitution  s/m     alpha while the depth shrinks
 *
 * Departures:
 * - The clamp (on by default) removes the tension of eq. 22 when the bodies are pulled
 *   apart faster than 2 / (3 alpha). A free impact never reaches that. clamp = 0 is eq. 6.
 * - A separate damping in restitution is the paper's future work; its default is alpha.
 * - k may come from the materials by Hertz, k = 4/3 E* sqrt(R), which is for n = 1.5 only.
 */
#include "law/law.h"
#include "math/elementary.h"

typedef struct params {
  double k, n, alpha, alpha_restitution, clamp;
} params;

static const ff_param table[] = {
    {.name = "k",
     .symbol = "k",
     .unit = "N/m^n",
     .fallback = NAN,
     .min = 0,
     .max = INFINITY,
     .open_min = true,
     .meaning = "stiffness",
     .otherwise = "4/3 E* sqrt(R) of the materials, if n = 1.5",
     .offset = offsetof(params, k)},
    {.name = "n",
     .symbol = "n",
     .unit = "1",
     .fallback = 1.5,
     .min = 1,
     .max = 100,
     .meaning = "exponent of depth: 1 flat, 1.5 spheres (Hertz)",
     .offset = offsetof(params, n)},
    {.name = "alpha",
     .symbol = "α",
     .unit = "s/m",
     .fallback = NAN,
     .min = 0,
     .max = INFINITY,
     .meaning = "dissipation: restitution falls as 1 - alpha v at low speed v",
     .otherwise = "dissipation of the materials, else 0",
     .offset = offsetof(params, alpha)},
    {.name = "alpha_restitution",
     .symbol = "-",
     .unit = "s/m",
     .fallback = NAN,
     .min = 0,
     .max = INFINITY,
     .meaning = "dissipation while the depth shrinks",
     .otherwise = "alpha",
     .offset = offsetof(params, alpha_restitution)},
    {.name = "clamp",
     .symbol = "-",
     .unit = "1",
     .fallback = 1,
     .min = 0,
     .max = 1,
     .kind = FF_PARAM_FLAG,
     .meaning = "1: never pulls; 0: pulls when drawn apart faster than 2/(3 alpha)",
     .offset = offsetof(params, clamp)},
};

static unsigned traits(const void *given) {
  const params *p = given;
  return p->clamp == 0 && p->alpha_restitution > 0 ? FF_LAW_PULLS : 0;
}

/* Hertz's stiffness of the pair, or why it is undefined. */
static const char *hunt_crossley_derive_k(params *p, const ff_pair *pair) {
  if (p->n != 1.5) {
    return "k must be given unless n = 1.5: Hertz's stiffness of the materials is for n = 1.5 only";
  }
  if (isnan(pair->young)) {
    return "k must be given, or young (Pa) of both materials so that Hertz's stiffness is known";
  }
  if (!(pair->radius > 0) || isinf(pair->radius)) {
    return "k must be given: Hertz's stiffness needs one radius of curvature, and this pair of "
           "shapes has none (flat, a corner, or a radius that varies)";
  }
  p->k = 4.0 / 3.0 * pair->young * sqrt(pair->radius);
  return NULL;
}

static const char *derive(void *given, const ff_pair *pair) {
  params *p = given;
  if (isnan(p->alpha)) {
    p->alpha = isnan(pair->dissipation) ? 0 : pair->dissipation;
  }
  if (isnan(p->alpha_restitution)) {
    p->alpha_restitution = p->alpha;
  }
  return isnan(p->k) ? hunt_crossley_derive_k(p, pair) : NULL;
}

/* ---- force, derivatives, energy -------------------------------------------------------------- */

/* depth^(n-1): the usual exponents without pow. */
static inline double hunt_crossley_power(double depth, double n) {
  if (n == 1) {
    return 1;
  }
  if (n == 1.5) {
    return sqrt(depth);
  }
  return n == 2 ? depth : ff_pow(depth, n - 1);
}

/* lambda [Marhefka96 eq. 7]; `two` if restitution has its own. */
static inline double hunt_crossley_damping(const params *p, bool two, double rate) {
  return 1.5 * (two && rate < 0 ? p->alpha_restitution : p->alpha) * p->k;
}

/* [Marhefka96 eq. 6] over depth^n, and with the clamp. */
static inline double hunt_crossley_gain(const params *p, double lambda, double rate) {
  double lowest = p->clamp != 0 ? 0 : -INFINITY;
  double g = p->k + lambda * rate;
  return lowest > g ? lowest : g;
}

static void normal(const void *given, const ff_patch *patch, ff_normal *out) {
  const params *p = given;
  double below = hunt_crossley_power(patch->depth, p->n);
  double power = patch->depth * below;
  double lambda = hunt_crossley_damping(p, true, patch->depth_rate);
  double g = hunt_crossley_gain(p, lambda, patch->depth_rate);
  out->force = power * g;
  out->d_depth = p->n * below * g;
  out->d_rate = g == 0 && p->clamp != 0 ? 0 : power * lambda;
  /* Also while the clamp acts: the energy that the spring releases then is dissipated. */
  out->elastic = p->k * power;
  out->energy = out->elastic * patch->depth / (p->n + 1);
}

/* The damping is proportional to the mean elastic force of the step, as it is to the force of each
 * instant: so it acts as long as the spring does. */
static void gradient(const void *given, const ff_patch *patch, double from, double to,
                     ff_normal *out) {
  const params *p = given;
  double lambda = hunt_crossley_damping(p, true, patch->depth_rate);
  double g = hunt_crossley_gain(p, lambda, patch->depth_rate);
  ff_gradient_of_power mean = ff_power_gradient(p->n, from, to, hunt_crossley_power);
  out->elastic = p->k * mean.slope;
  out->energy = p->k * mean.value;
  out->force = g * mean.slope;
  out->d_depth = g * mean.curvature;
  out->d_rate = g == 0 && p->clamp != 0 ? 0 : lambda * mean.slope;
}

/* With n and two known at compile time there is no branch, so that the loop vectorises. */
static inline void hunt_crossley_forces(const params *p, double n, bool two,
                                        const double *restrict depth, const double *restrict rate,
                                        double *restrict force, int count) {
  for (int i = 0; i < count; i++) {
    double x = 0 > depth[i] ? 0 : depth[i];
    double lambda = hunt_crossley_damping(p, two, rate[i]);
    force[i] = x * hunt_crossley_power(x, n) * hunt_crossley_gain(p, lambda, rate[i]);
  }
}

/* Blocks of fixed length, which compilers vectorise at -O2. */
static inline void hunt_crossley_forces_in_blocks(const params *p, double n,
                                                  const double *restrict depth,
                                                  const double *restrict rate,
                                                  double *restrict force, int count) {
  enum { BLOCK = 64 };
  int done = 0;
  for (; done + BLOCK <= count; done += BLOCK) {
    hunt_crossley_forces(p, n, false, depth + done, rate + done, force + done, BLOCK);
  }
  hunt_crossley_forces(p, n, false, depth + done, rate + done, force + done, count - done);
}

static void forces(const void *given, const double *restrict depth, const double *restrict rate,
                   double *restrict force, int count) {
  const params p = *(const params *)given;
  bool two = p.alpha != p.alpha_restitution;
  if (p.n == 1 && !two) {
    hunt_crossley_forces_in_blocks(&p, 1, depth, rate, force, count);
  } else if (p.n == 1.5 && !two) {
    hunt_crossley_forces_in_blocks(&p, 1.5, depth, rate, force, count);
  } else {
    hunt_crossley_forces(&p, p.n, true, depth, rate, force, count);
  }
}

/* The clamp engages where the gain is 0; a separate restitution has a kink at rate 0. */
static double kink(const void *given, const ff_patch *patch) {
  const params *p = given;
  double rate = patch->depth_rate;
  double clamp = p->clamp != 0 ? (p->k + 1.5 * p->alpha_restitution * p->k * rate) / p->k : 1;
  if (p->alpha == p->alpha_restitution) {
    return clamp;
  }
  return rate < 0 ? rate * clamp : rate;
}

/* ---- published numbers ----------------------------------------------------------------------- */

#define FIG4 "[Marhefka96 Fig. 4]", "k=1e4 n=1 alpha=0.4", 1, 1
#define FIG5 "[Marhefka96 Fig. 5, 6]", "k=5e4 n=1 alpha=0.5", 50, 1
#define FIG7 "[Marhefka96 Fig. 7]", "k=2.5e4 n=1 alpha=0.5", 10, .5
/* Restitution depends on alpha v alone: mass, stiffness and n differ on purpose. */
#define EQ19 "[Marhefka96 eq. 19]"
/* lambda = 3.1e6 as alpha = lambda / (1.5 k) */
#define AZAD "[Azad10 Fig. 2, classical model]", "k=8.5e6 n=1.5 alpha=0.24313725490196078", .154

static const ff_published published[] = {
    {FIG4, "depth_max", FF_PRINTED(.0084982472, 1e-10)},
    {FIG4, "force_max", FF_PRINTED(94.871433, 1e-6)},
    {FIG4, "time_force_max", FF_PRINTED(.010183488, 1e-9)},
    {FIG4, "duration", FF_PRINTED(.031757147, 1e-9)},
    {FIG4, "energy_lost", FF_PRINTED(.24656347, 1e-8)},
    {FIG5, "depth_max", FF_PRINTED(.026017718, 1e-9)},
    {FIG5, "force_max", FF_PRINTED(1514.8403, 1e-4)},
    {FIG5, "time_force_max", FF_PRINTED(.029799472, 1e-9)},
    {FIG5, "duration", FF_PRINTED(.10092798, 1e-8)},
    {FIG5, "energy_lost", FF_PRINTED(14.012028, 1e-6)},
    {FIG7, "depth_max", FF_PRINTED(.0089677957, 1e-10)},
    {FIG7, "force_max", FF_PRINTED(236.17830, 1e-5)},
    {FIG7, "time_force_max", FF_PRINTED(.023388649, 1e-9)},
    {FIG7, "duration", FF_PRINTED(.063128272, 1e-9)},
    {FIG7, "energy_lost", FF_PRINTED(.45160163, 1e-8)},
    {EQ19, "k=1e4 n=1 alpha=1", 1, .01, "restitution", FF_PRINTED(.9900989128, 1e-10)},
    {EQ19, "k=1e6 n=1.5 alpha=0.1", .2, 1, "restitution", FF_PRINTED(.9090157413, 1e-10)},
    {EQ19, "k=3e5 n=2 alpha=0.5", 50, 1, "restitution", FF_PRINTED(.662962200, 1e-9)},
    {EQ19, "k=5e4 n=1 alpha=2", 5, .5, "restitution", FF_PRINTED(.4877412560, 1e-10)},
    {EQ19, "k=8e7 n=1.5 alpha=1", 1, 5, "restitution", FF_PRINTED(.133102336, 1e-9)},
    {AZAD, .001, "restitution", FF_PRINTED(.999756922, 1e-9)},
    {AZAD, .01, "restitution", FF_PRINTED(.997574523, 1e-9)},
    {AZAD, .1, "restitution", FF_PRINTED(.976262062, 1e-9)},
    {AZAD, 1, "restitution", FF_PRINTED(.803667123, 1e-9)},
    {AZAD, 10, "restitution", FF_PRINTED(.261390230, 1e-9)},
};

const ff_law ff_law_hunt_crossley = {
    .name = "hunt-crossley",
    .kind = FF_LAW_NORMAL,
    .summary = "spring of power n with damping that grows with depth",
    .citation = "Marhefka96",
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
