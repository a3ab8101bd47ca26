/* continuous: smooth friction curve from rest over a static peak to a dynamic level, for sliding
 * and spinning.
 *
 * Citation: [Brown18 eq. 46-51].
 *
 * Assumptions: friction depends on the present speed alone, so there is no true sticking: a
 * loaded contact creeps at less than v_t. Sliding and spinning are independent (unless coupled).
 *
 *   paper    here        unit
 *   mu_s     mu_s        1       static coefficient: the peak, close to v_t
 *   mu_d     mu_d        1       dynamic coefficient: the level far beyond v_t
 *   v_t      v_t         m/s     transition speed
 *   omega_t  omega_t     rad/s   transition rate of spin
 *   v_ct     slip        m/s
 *   omega_cn spin        rad/s
 *   J        second[0]   m^5     about the normal
 *   tau_s    moment[0]   N m
 *
 * Departures: force and moment oppose the motion. Eq. 50, F_n/V J mu, is in N m^2; by default
 * the lever is the radius of gyration sqrt(J/V) instead of J/V, which gives N m; printed = 1 is
 * eq. 50. Without a volume (a normal law without overlap) the lever is `radius`.
 * coupled = 1 replaces both by a sum over the patch, each point of which slips in its own
 * direction (patch_sum.c): the Contensou effect, which the paper neglects. Without a volume the
 * patch is a disc with this radius of gyration.
 */
#include "law/law.h"
#include "law/patch_sum.h"
#include "law/stick_slip.h"

typedef struct params {
  double mu_s, mu_d, v_t, omega_t, radius, printed, coupled;
} params;

static const ff_param table[] = {
    {.name = "mu_s",
     .symbol = "μ_s",
     .unit = "1",
     .fallback = NAN,
     .min = 0,
     .max = INFINITY,
     .meaning = "static coefficient: the peak of friction over normal force",
     .otherwise = "mu_static of the materials",
     .offset = offsetof(params, mu_s)},
    {.name = "mu_d",
     .symbol = "μ_d",
     .unit = "1",
     .fallback = NAN,
     .min = 0,
     .max = INFINITY,
     .meaning = "dynamic coefficient, at most mu_s",
     .otherwise = "mu_kinetic of the materials if mu_s is theirs too, else mu_s",
     .offset = offsetof(params, mu_d)},
    {.name = "v_t",
     .symbol = "v_t",
     .unit = "m/s",
     .fallback = 1e-3,
     .min = 0,
     .max = INFINITY,
     .open_min = true,
     .meaning = "transition speed: sticking contacts creep slower than this",
     .offset = offsetof(params, v_t)},
    {.name = "omega_t",
     .symbol = "ω_t",
     .unit = "rad/s",
     .fallback = 0.1,
     .min = 0,
     .max = INFINITY,
     .open_min = true,
     .meaning = "transition rate of spin",
     .offset = offsetof(params, omega_t)},
    {.name = "radius",
     .symbol = "-",
     .unit = "m",
     .fallback = 0,
     .min = 0,
     .max = INFINITY,
     .meaning = "radius of gyration of the patch where the volume of overlap is unknown",
     .offset = offsetof(params, radius)},
    {.name = "printed",
     .symbol = "-",
     .unit = "1",
     .fallback = 0,
     .min = 0,
     .max = 1,
     .kind = FF_PARAM_FLAG,
     .meaning = "1: the moment of spin in the units of eq. 50 as printed",
     .offset = offsetof(params, printed)},
    {.name = "coupled",
     .symbol = "-",
     .unit = "1",
     .fallback = 0,
     .min = 0,
     .max = 1,
     .kind = FF_PARAM_FLAG,
     .meaning = "1: sliding and spinning summed over the true patch, within 1 %; omega_t is not "
                "used then",
     .offset = offsetof(params, coupled)},
};

static unsigned traits(const void *given) {
  const params *p = given;
  return p->coupled != 0 ? FF_LAW_WANTS_EDGES : 0;
}

static const char *derive(void *given, const ff_pair *pair) {
  params *p = given;
  if (!ff_derive_mu(&p->mu_s, &p->mu_d, pair)) {
    return "mu_s must be given, here or as mu_static in both materials";
  }
  if (p->coupled != 0 && p->printed != 0) {
    return "printed and coupled exclude each other: eq. 50 has no coupling";
  }
  return p->mu_d > p->mu_s ? "mu_d is greater than mu_s: lower mu_d or raise mu_s" : NULL;
}

/* ---- uncoupled ------------------------------------------------------------------------------- */

/* [Brown18 eq. 47]: -N mu(s) dir; its derivative along the slip is d_s, across it mu / s. */
static void continuous_slide(const params *p, double load, const double slip[2], double speed,
                             ff_friction *out) {
  double per_v = 1 / p->v_t;
  ff_stick_slip c = ff_stick_slip_at(p->mu_s, p->mu_d, speed * per_v);
  double per_slip = load * c.over_s * per_v;
  double dir[2] = {1,
                   0}; /* at rest the derivatives along and across agree: any direction will do */
  if (speed > 0) {
    dir[0] = slip[0] / speed;
    dir[1] = slip[1] / speed;
  }
  double along = load * c.d_s * per_v - per_slip;
  out->force[0] = -per_slip * slip[0];
  out->force[1] = -per_slip * slip[1];
  out->lost[FF_LOST_SLIP] = load * c.mu * speed;
  out->d_slip[0][0] = -per_slip - along * dir[0] * dir[0];
  out->d_slip[1][1] = -per_slip - along * dir[1] * dir[1];
  out->d_slip[0][1] = out->d_slip[1][0] = -along * dir[0] * dir[1];
}

/* The square of the radius of gyration of the patch. */
static double continuous_gyration2(const params *p, const ff_patch *patch) {
  const ff_overlap *o = &patch->overlap;
  return o->volume > 0 ? o->second[0][0] / o->volume : p->radius * p->radius;
}

/* [Brown18 eq. 50, 51] */
static void continuous_spin(const params *p, double load, const ff_patch *patch, ff_friction *out) {
  double square = continuous_gyration2(p, patch);
  double lever = p->printed != 0 ? square : sqrt(square);
  double rate = patch->spin / p->omega_t;
  ff_stick_slip c = ff_stick_slip_at(p->mu_s, p->mu_d, fabs(rate));
  out->moment[0] = -load * lever * c.over_s * rate;
  out->lost[FF_LOST_SPIN] = fabs(out->moment[0] * patch->spin);
}

/* ---- coupled --------------------------------------------------------------------------------- */

static void continuous_coupled(const params *p, double load, const ff_patch *patch,
                               ff_friction *out) {
  const ff_patch_curve curve = {p->mu_s, p->mu_d, p->v_t};
  ff_patch_sum sum = ff_patch_sum_of(&curve, patch, sqrt(continuous_gyration2(p, patch)));
  for (int i = 0; i < 2; i++) {
    out->force[i] = load * sum.force[i];
    out->d_slip[i][0] = load * sum.d_slip[i][0];
    out->d_slip[i][1] = load * sum.d_slip[i][1];
  }
  out->moment[0] = load * sum.moment;
  /* The total is never negative. Falling friction can make one part negative: then the other part
   * gets the total. */
  double slipping = -out->force[0] * patch->slip[0] - out->force[1] * patch->slip[1];
  double spinning = -out->moment[0] * patch->spin;
  double all = slipping + spinning < 0 ? 0 : slipping + spinning;
  slipping = slipping < 0 ? 0 : slipping > all ? all : slipping;
  out->lost[FF_LOST_SLIP] = slipping;
  out->lost[FF_LOST_SPIN] = all - slipping;
}

static void friction(const void *given, const ff_patch *patch, const ff_normal *normal,
                     const double *memory, ff_friction *out) {
  (void)memory;
  const params *p = given;
  double load = normal->force < 0 ? 0 : normal->force;
  double speed = sqrt(patch->slip[0] * patch->slip[0] + patch->slip[1] * patch->slip[1]);
  *out = (ff_friction){.mode = speed < p->v_t ? FF_STICK : FF_SLIP};
  if (p->coupled != 0) {
    continuous_coupled(p, load, patch, out);
  } else {
    continuous_slide(p, load, patch->slip, speed, out);
    continuous_spin(p, load, patch, out);
  }
}

const ff_law ff_law_continuous = {
    .name = "continuous",
    .kind = FF_LAW_FRICTION,
    .summary = "smooth stick-slip curve for sliding and spinning",
    .citation = "Brown18",
    .params_size = sizeof(params),
    .params = table,
    .params_count = FF_ROWS(table),
    .traits = traits,
    .derive = derive,
    .friction = friction,
};
