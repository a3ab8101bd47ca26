/* bristle-clutch: bristle (spring and damper) in series with a clutch that yields at the friction
 * cone.
 *
 * Citation: [Azad10 eq. 19-33].
 *
 * Assumptions: the bristle stands on body b and is the same in all directions; its stiffness
 * and damping follow the contact area, as the root of depth. The clutch slips when the bristle
 * force would exceed mu times the normal force; then a viscous term is added.
 *
 *   paper    here          unit
 *   u        memory        m            deflection of the bristle, along t1 and t2
 *   V_sph    slip          m/s          of a on b
 *   K_t      K             N/m^1.5      2 E* sqrt(r), eq. 23
 *   D_t      D             N s/m^1.5    4 pi r alpha, eq. 24
 *   mu       mu            1
 *   C_V      viscous       N s/m
 *   k_t, b_t stiffness, damping         K sqrt(z), D sqrt(z): N/m, N s/m
 *   f_stick  stick         N            sticking force, eq. 22
 *   V_clutch -speed dir    m/s          dir is that of the force on a
 *
 * Eq. 27 is implicit: the viscous force depends on the speed of the clutch, which depends on the
 * force. With every vector along dir it is one linear equation, solved exactly:
 *   speed = (|stick| - mu N) / (damping + viscous),   |force| = mu N + viscous speed.
 *
 * Departures:
 * - Where the normal force ends before the depth, the clutch does not hold: the bristle
 *   recovers at rate K / D, except for the viscous term of eq. 27.
 * - Eq. 33 is a path integral, not a stored energy: with the depth, the stiffness of a bent
 *   bristle changes, and K sqrt(z) |u|^2 / 2 with it, without work of a force of eq. 22.
 *   The ledger integrates eq. 33 and accounts for the difference as FF_LOST_DEPTH. With
 *   conservative = 1 the bristle also pushes along the normal, K |u|^2 / (4 sqrt(z)): then it
 *   is a true spring. Where the normal force has ended it cannot push, and its energy is
 *   dissipated.
 * - Eq. 29 has the wrong sign, eq. 28 means |u'|^2.
 */
#include "law/law.h"

#include "math/vec.h"

typedef struct params {
  double K, D, alpha, mu, viscous, conservative;
  double K_radius, D_radius; /* m, reference radius of K and D if they vary with it; else 0 */
} params;

static const ff_param table[] = {
    {.name = "K",
     .symbol = "K_t",
     .unit = "N/m^1.5",
     .fallback = NAN,
     .min = 0,
     .max = INFINITY,
     .meaning = "stiffness of the bristle",
     .otherwise = "2 E* sqrt(R) of the materials",
     .offset = offsetof(params, K)},
    {.name = "D",
     .symbol = "D_t",
     .unit = "N s/m^1.5",
     .fallback = NAN,
     .min = 0,
     .max = INFINITY,
     .open_min = true,
     .meaning = "damping of the bristle",
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
    {.name = "mu",
     .symbol = "μ",
     .unit = "1",
     .fallback = NAN,
     .min = 0,
     .max = INFINITY,
     .meaning = "friction coefficient: where the clutch yields",
     .otherwise = "mu_static of the materials",
     .offset = offsetof(params, mu)},
    {.name = "viscous",
     .symbol = "C_V",
     .unit = "N s/m",
     .fallback = 0,
     .min = 0,
     .max = INFINITY,
     .meaning = "viscous friction of the slipping clutch",
     .offset = offsetof(params, viscous)},
    {.name = "conservative",
     .symbol = "-",
     .unit = "1",
     .fallback = 0,
     .min = 0,
     .max = 1,
     .kind = FF_PARAM_FLAG,
     .meaning = "1: the bent bristle also pushes along the normal, so that it is a true spring",
     .offset = offsetof(params, conservative)},
};

static unsigned traits(const void *given) {
  const params *p = given;
  return FF_LAW_HELD | (p->conservative == 0 || p->K_radius > 0 ? FF_LAW_UNPAID : 0);
}

static const char *derive(void *given, const ff_pair *pair) {
  params *p = given;
  double reference, radius = ff_derive_radius(pair, &reference);
  if (isnan(p->mu)) {
    p->mu = pair->mu_static;
  }
  if (isnan(p->mu)) {
    return "mu must be given, or mu_static in the materials";
  }
  if (isnan(p->K) && (isnan(radius) || isnan(pair->young))) {
    return "K must be given, or young (Pa) of both materials and a radius of curvature: the "
           "contact's, or that of shapes that are round wherever they touch";
  }
  if (isnan(p->D) && (isnan(radius) || !(p->alpha > 0))) {
    return "D must be given, or alpha and a radius of curvature: the contact's, or that of shapes "
           "that are round wherever they touch";
  }
  if (isnan(p->K)) {
    p->K = 2 * pair->young * sqrt(radius); /* [Azad10 eq. 23] */
    p->K_radius = reference;
  }
  if (isnan(p->D)) {
    p->D = 4 * ff_pi * radius * p->alpha; /* [Azad10 eq. 24] */
    p->D_radius = reference;
  }
  return NULL;
}

/* ---- clutch ---------------------------------------------------------------------------------- */

typedef struct clutch {
  double stick[2];           /* N, sticking force */
  double size;               /* N, its magnitude */
  double yield;              /* N, largest sticking force */
  double viscous;            /* N s/m */
  double stiffness, damping; /* of the bristle: N/m, N s/m */
  double reach; /* N s/m, effective damping over half a step: with the contribution of the spring */
  double loop;  /* 1, feedback of the midpoint force on itself through the slip */
} clutch;

/* Limits stiffness and damping in the midpoint rule to critical damping within half a step, of the
 * bristle and the bodies. A stiffer bristle would oscillate with every step; a damper that alone
 * would do so is limited too. */
static void clutch_limit_stiffness(clutch *c, const ff_ahead *ahead) {
  double eased = ahead->half * ahead->ease * ahead->crowd;
  if (!(eased > 0)) {
    return;
  }
  double stiffest = 1 / (ahead->half * eased), critical = 2 / eased;
  if (c->stiffness > stiffest) {
    c->damping = greater(c->damping, critical * (1 - stiffest / c->stiffness));
    c->stiffness = stiffest;
  }
  c->damping = lesser(c->damping, 0.5 * critical + ahead->half * c->stiffness);
}

/* Stiffness and damping of the bristle. */
static inline void clutch_set_bristle(clutch *c, const params *p, const ff_patch *patch,
                                      const ff_ahead *ahead) {
  double root = sqrt(patch->depth);
  c->stiffness = p->K * root;
  c->damping = p->D * root;
  if (p->K_radius > 0 || p->D_radius > 0) {
    c->stiffness *= sqrt(ff_local_radius(p->K_radius, patch));
    c->damping *= ff_local_radius(p->D_radius, patch);
  }
  clutch_limit_stiffness(c, ahead);
}

static inline clutch clutch_at(const params *p, const ff_patch *patch, const ff_normal *normal,
                               const double *u, const ff_ahead *ahead) {
  clutch c;
  clutch_set_bristle(&c, p, patch, ahead);
  c.reach = c.damping + ahead->half * c.stiffness;
  c.loop = 1 + ahead->half * ahead->ease * c.reach;
  /* [Azad10 eq. 22]; at the midpoint the spring has moved by half a step */
  c.stick[0] = -c.stiffness * u[0] - c.reach * patch->slip[0];
  c.stick[1] = -c.stiffness * u[1] - c.reach * patch->slip[1];
  c.size = sqrt(c.stick[0] * c.stick[0] + c.stick[1] * c.stick[1]);
  c.yield = normal->force > 0 ? p->mu * normal->force : 0;
  c.viscous = p->viscous;
  return c;
}

static inline double bristle_dot(const double a[2], const double b[2]) {
  return a[0] * b[0] + a[1] * b[1];
}

/* Below this depth (m) contact is negligible, and the normal push of the bristle is cut off. */
#define SURFACE 1e-20

/* Derivative of the bristle energy with respect to depth: K |u|^2 / (4 sqrt(z)). */
static double bristle_normal_push(const params *p, const ff_patch *patch, double bend) {
  double local = p->K * sqrt(ff_local_radius(p->K_radius, patch));
  return patch->depth > SURFACE ? 0.25 * local * bend / sqrt(patch->depth) : 0;
}

static inline double bristle_energy(const clutch *c, const double *u) {
  return 0.5 * c->stiffness * bristle_dot(u, u);
}

/* Energies and losses of a bristle that moves at memory_rate in series with a slipping clutch. */
static void bristle_account(const params *p, const ff_patch *patch, const ff_normal *normal,
                            const clutch *c, const double *u, double half, double speed,
                            ff_friction *out) {
  const double *rate = out->memory_rate;
  const double middle[2] = {u[0] + half * rate[0], u[1] + half * rate[1]};
  double push = bristle_normal_push(p, patch, bristle_dot(middle, middle)),
         gain = push * patch->depth_rate;
  out->energy = bristle_energy(c, u);
  out->path_rate = c->stiffness * bristle_dot(middle, rate); /* [Azad10 eq. 33] */
  out->energy_rate = out->path_rate + gain;
  out->lost[FF_LOST_TANGENT] = c->damping * bristle_dot(rate, rate); /* [Azad10 eq. 28] */
  out->lost[FF_LOST_SLIP] = c->yield * speed;                        /* [Azad10 eq. 29] */
  out->lost[FF_LOST_VISCOUS] = c->viscous * speed * speed;
  if (p->conservative != 0 && (normal->force > 0 || gain > 0)) {
    out->normal_force = push;
    out->path_rate = out->energy_rate;
  }
}

/* d force / d slip: the sticking force changes by -reach; the force follows it as far as the cone
 * allows. */
static void clutch_derivatives(const clutch *c, const double dir[2], ff_friction *out) {
  double along = -c->reach, across = -c->reach;
  if (out->mode == FF_SLIP) {
    double share = c->viscous / (c->damping + c->viscous);
    double turn = (c->damping * c->yield / c->size + c->viscous) / (c->damping + c->viscous);
    along *= share;
    across *= turn;
  }
  out->d_slip[0][0] = across + (along - across) * dir[0] * dir[0];
  out->d_slip[1][1] = across + (along - across) * dir[1] * dir[1];
  out->d_slip[0][1] = out->d_slip[1][0] = (along - across) * dir[0] * dir[1];
}

static void friction_held(const void *given, const ff_patch *patch, const ff_normal *normal,
                          const double *memory, const ff_ahead *ahead, ff_friction *out) {
  const params *p = given;
  clutch c = clutch_at(p, patch, normal, memory, ahead);
  double dir[2] = {0, 0}, speed = 0, force = c.size / c.loop;
  *out = (ff_friction){.mode = FF_STICK, .memory_per_slip = 1};
  if (c.size > 0) {
    dir[0] = c.stick[0] / c.size;
    dir[1] = c.stick[1] / c.size;
  }
  if (force > c.yield) { /* [Azad10 eq. 27] */
    out->mode = FF_SLIP;
    speed = (c.size - c.loop * c.yield) / (c.reach + c.loop * c.viscous);
    force = c.yield + c.viscous * speed;
  }
  /* The bristle moves with the slip under the force minus that of the clutch [Azad10 eq. 30], which
   * is also the force on its damper over the damping [eq. 31]: use the form with less cancellation.
   */
  bool loose = speed > 0 && c.reach * c.reach * bristle_dot(patch->slip, patch->slip) >
                                c.stiffness * c.stiffness * bristle_dot(memory, memory);
  for (int i = 0; i < 2; i++) {
    out->force[i] = dir[i] * force;
    out->memory_rate[i] =
        loose ? -(out->force[i] + c.stiffness * memory[i]) / c.reach
              : patch->slip[i] + dir[i] * (speed + ahead->half * ahead->ease * force);
  }
  bristle_account(p, patch, normal, &c, memory, ahead->half, speed, out);
  clutch_derivatives(&c, dir, out);
}

static double energy_held(const void *given, const ff_patch *patch, const double *memory,
                          const ff_ahead *ahead) {
  clutch c;
  clutch_set_bristle(&c, given, patch, ahead);
  return bristle_energy(&c, memory);
}

static const ff_ahead now = {0, 0, 1};

static void friction(const void *given, const ff_patch *patch, const ff_normal *normal,
                     const double *memory, ff_friction *out) {
  friction_held(given, patch, normal, memory, &now, out);
}

/* Negative while the clutch slips. */
static double friction_kink(const void *given, const ff_patch *patch, const ff_normal *normal,
                            const double *memory, const ff_ahead *ahead) {
  clutch c = clutch_at(given, patch, normal, memory, ahead);
  return c.yield - c.size;
}

const ff_law ff_law_bristle_clutch = {
    .name = "bristle-clutch",
    .kind = FF_LAW_FRICTION,
    .summary = "a bristle behind a clutch: true stick, then viscous slip",
    .citation = "Azad10",
    .params_size = sizeof(params),
    .params = table,
    .params_count = FF_ROWS(table),
    .memory_count = 2,
    .traits = traits,
    .derive = derive,
    .friction = friction,
    .friction_kink = friction_kink,
    .friction_held = friction_held,
    .energy_held = energy_held,
};
