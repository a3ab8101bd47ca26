/* volumetric: pressure proportional to the depth below the plane, over the patch.
 *
 * Citation: [Brown18 eq. 44, 45]: an elastic foundation, a bed of independent springs. Integrated
 * over the patch their force is stiffness times the volume of overlap, and it acts at the volume's
 * centroid.
 *
 * Assumptions: one side is flat; the bed is thin against the patch; every spring of the bed
 * pushes along the plane's normal.
 *
 *   paper   here            unit
 *   k_V     k_V             N/m^3   stiffness: pressure over depth
 *   a_V     a_V             s/m     damping
 *   V       overlap.volume  m^3
 *   v_cn    -depth_rate     m/s     at the centroid
 *   J       overlap.second  m^5     weighted second moments of area
 *   tau_r   moment          N m     rolling resistance, here the one on the body
 *
 * Departures: eq. 44 has |v_cn|, which would increase the force in restitution too and so generate
 * energy; here damping has its sign and never pulls, and printed = 1 is eq. 44 as printed. Where
 * the clamp makes the force 0, rolling is free too. J is exact where eq. 37 is not
 * (src/geom/overlap_ellipsoid.c); printed_J = 1 is eq. 37, also for the friction law of the pair.
 * tau_r opposes the rolling.
 *
 * Not in the paper: the bed stores k_V V z, z the depth of the centroid. That is exactly the
 * potential of the elastic force at the centroid, for any shape: its change under motion of the
 * body is the work of that force.
 */
#include "law/law.h"

typedef struct params {
  double k_V, a_V, printed, printed_J;
} params;

static const ff_param table[] = {
    {.name = "k_V",
     .symbol = "k_V",
     .unit = "N/m^3",
     .fallback = NAN,
     .min = 0,
     .max = INFINITY,
     .open_min = true,
     .meaning = "stiffness: pressure over depth; of a layer, its modulus over its thickness",
     .offset = offsetof(params, k_V)},
    {.name = "a_V",
     .symbol = "a_V",
     .unit = "s/m",
     .fallback = 0,
     .min = 0,
     .max = INFINITY,
     .meaning = "damping, of the normal motion and of rolling",
     .offset = offsetof(params, a_V)},
    {.name = "printed",
     .symbol = "-",
     .unit = "1",
     .fallback = 0,
     .min = 0,
     .max = 1,
     .kind = FF_PARAM_FLAG,
     .meaning = "1: eq. 44 as printed, which generates energy in restitution",
     .offset = offsetof(params, printed)},
    {.name = "printed_J",
     .symbol = "-",
     .unit = "1",
     .fallback = 0,
     .min = 0,
     .max = 1,
     .kind = FF_PARAM_FLAG,
     .meaning = "1: J of the pair as printed in eq. 37, for spheres and ellipsoids",
     .offset = offsetof(params, printed_J)},
};

static unsigned traits(const void *given) {
  const params *p = given;
  unsigned feeds = p->printed != 0 && p->a_V > 0 ? FF_LAW_FEEDS : 0;
  unsigned moments = p->printed_J != 0 ? FF_LAW_PRINTED_J : 0;
  return FF_LAW_WANTS_OVERLAP | feeds | moments;
}

/* ---- force, derivatives, energy -------------------------------------------------------------- */

/* Force over the elastic one, and its derivative with respect to the rate. */
static inline double volumetric_gain(const params *p, double rate, double *slope) {
  if (p->printed != 0) {
    /* [Brown18 eq. 44] */
    *slope = rate < 0 ? -p->a_V : p->a_V;
    return 1 + p->a_V * fabs(rate);
  }
  double g = 1 + p->a_V * rate;
  *slope = g < 0 ? 0 : p->a_V;
  return g < 0 ? 0 : g;
}

static void normal(const void *given, const ff_patch *patch, ff_normal *out) {
  const params *p = given;
  const ff_overlap *o = &patch->overlap;
  double slope, g = volumetric_gain(p, patch->depth_rate, &slope);
  double elastic = p->k_V * o->volume;
  out->force = elastic * g;
  out->elastic = elastic;
  out->energy = elastic * o->centroid_depth;
  out->d_depth = p->k_V * o->area * g;
  out->d_rate = elastic * slope;
  /* [Brown18 eq. 45]; without normal force there is no rolling resistance either. */
  double damping = g > 0 ? p->k_V * p->a_V : 0;
  const double *roll = patch->roll;
  out->moment[0] = -damping * (o->second[1][1] * roll[0] + o->second[1][2] * roll[1]);
  out->moment[1] = -damping * (o->second[2][1] * roll[0] + o->second[2][2] * roll[1]);
}

static double kink(const void *given, const ff_patch *patch) {
  const params *p = given;
  if (p->a_V == 0) {
    return 1;
  }
  return p->printed != 0 ? patch->depth_rate : 1 + p->a_V * patch->depth_rate;
}

const ff_law ff_law_volumetric = {
    .name = "volumetric",
    .kind = FF_LAW_NORMAL,
    .summary = "elastic foundation: force from the volume of overlap with a plane",
    .citation = "Brown18",
    .params_size = sizeof(params),
    .params = table,
    .params_count = FF_ROWS(table),
    .traits = traits,
    .normal = normal,
    .kink = kink,
};
