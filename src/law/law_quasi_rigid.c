/* quasi-rigid: a compliant layer on a rigid core.
 *
 * Citation: [Chakraborty07 eq. 10-15].
 *
 * Assumptions: the layer is a spring and a damper in parallel (Kelvin-Voigt) and yields by at
 * most max_deflection; then core meets core, without restitution. The layer pushes and never
 * pulls: when the bodies part faster than it recovers, contact ends and the layer goes on
 * recovering alone.
 *
 *   paper     here            unit
 *   delta_n   depth           m       deflection of the layer
 *   K_nn      k               N/m     stiffness
 *   C_nn      c               N s/m   damping
 *   delta_n^o max_deflection  m       where the rigid core begins
 *   p_ns      -               N s     impulse of the layer
 *   p_nr      -               N s     impulse of the core
 *
 * A core is no force formula: its impulses are solved for, together with everything else, by
 * the stepper `quasi-rigid` (src/step/quasi_rigid.c). Without a core (max_deflection 0, the
 * default) the layer below is a law like others and runs under every stepper.
 *
 * Departures: stiffness and damping along the normal only, not full 3 x 3 matrices; the
 * tangential deflection, in the paper an output that feeds back into nothing, is left out. Both
 * bodies' layers are one, as in the paper's examples.
 */
#include "law/law.h"

typedef struct params {
  double k, c, max_deflection;
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
};

static unsigned traits(const void *given) {
  const params *p = given;
  return (p->c > 0 ? FF_LAW_JUMPS : 0) | (p->max_deflection > 0 ? FF_LAW_CORE : 0);
}

/* ---- the layer as a force ----------------------------------------------------- */

/* [Chakraborty07, after eq. 10], before the clamp */
static inline double free_force(const params *p, double depth, double rate) {
  return p->k * depth + p->c * rate;
}

static void normal(const void *given, const ff_patch *patch, ff_normal *out) {
  const params *p = given;
  double force = free_force(p, patch->depth, patch->depth_rate);
  bool cut = force < 0;
  out->force = cut ? 0 : force;
  out->d_depth = cut ? 0 : p->k;
  out->d_rate = cut ? 0 : p->c;
  out->elastic = p->k * patch->depth;
  out->energy = 0.5 * p->k * patch->depth * patch->depth;
}

static double kink(const void *given, const ff_patch *patch) {
  const params *p = given;
  return p->c > 0 ? free_force(p, patch->depth, patch->depth_rate) : 1;
}

/* ---- the layer for a stepper that solves ---------------------------------------- */

static bool layer(const void *given, ff_layer *out) {
  const params *p = given;
  *out = (ff_layer){p->k, p->c, p->max_deflection > 0 ? p->max_deflection : INFINITY};
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
    .normal = normal,
    .kink = kink,
    .layer = layer,
};
