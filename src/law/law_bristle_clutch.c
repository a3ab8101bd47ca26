/* bristle-clutch: a bristle, spring and damper, behind a clutch that yields at the friction cone.
 *
 * Citation: [Azad10 eq. 19-33].
 *
 * Assumptions: the bristle stands on body b and is the same in all directions; its stiffness
 * and damping follow the contact area, as the root of depth. The clutch slips when the bristle
 * asks for more than mu times the normal force; then a viscous term adds to it.
 *
 *   paper    here          unit
 *   u        memory        m            deflection of the bristle, along t1 and t2
 *   V_sph    slip          m/s          of a on b
 *   K_t      K             N/m^1.5      2 E* sqrt(r), eq. 23
 *   D_t      D             N s/m^1.5    4 pi r alpha, eq. 24
 *   mu       mu            1
 *   C_V      viscous       N s/m
 *   k_t, b_t stiffness, damping         K sqrt(z), D sqrt(z): N/m, N s/m
 *   f_stick  wish          N            what would keep the clutch from slipping, eq. 22
 *   V_clutch -speed dir    m/s          dir is that of the force on a
 *
 * Eq. 27 is a loop: the viscous force follows the clutch, whose speed follows the force. With
 * every vector along dir it is one linear equation, solved exactly:
 *   speed = (|wish| - mu N) / (damping + viscous),   |force| = mu N + viscous speed.
 *
 * Departures:
 * - Where the normal force has ended before the depth, the clutch yields to anything: the
 *   bristle comes back at rate K / D, but for the little that eq. 27 leaves to the viscous term.
 * - Eq. 33 is a path integral, not a stored energy: with the depth, the stiffness of a bent
 *   bristle changes, and K sqrt(z) |u|^2 / 2 with it, though no force of eq. 22 pays for that.
 *   The ledger integrates eq. 33 and tells the difference as FF_LOST_DEPTH. With
 *   conservative = 1 the bristle also pushes along the normal, K |u|^2 / (4 sqrt(z)): then it
 *   is a true spring. Where the normal force has ended it cannot push, and what it holds is
 *   dissipated.
 * - Eq. 29 has the wrong sign, eq. 28 means |u'|^2.
 */
#include "law/law.h"

#include "math/vec.h"

typedef struct params {
  double K, D, alpha, mu, viscous, conservative;
  double K_radius, D_radius; /* m, at which K and D are these, if they vary with it; else 0 */
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
  return p->conservative == 0 || p->K_radius > 0 ? FF_LAW_UNPAID : 0;
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

/* ---- the clutch ------------------------------------------------------------------- */

typedef struct clutch {
  double wish[2];            /* N, the force that would stick */
  double size;               /* N, of it */
  double yield;              /* N, the most that sticks */
  double viscous;            /* N s/m */
  double stiffness, damping; /* of the bristle: N/m, N s/m */
  double reach; /* N s/m, damping that holds over half a step: with the spring's part */
  double loop;  /* 1, what a force of the middle does to itself through the slip */
} clutch;

/* Held in the middle, a bristle comes to rest best if it and the bodies would do so within half
 * a step, critically damped. A stiffer one would swing from side to side with every step: it is
 * taken as stiff and as damped as that, and a damper that alone would do so is limited too. */
static void tame(clutch *c, const ff_ahead *ahead) {
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
static inline void grow(clutch *c, const params *p, const ff_patch *patch, const ff_ahead *ahead) {
  double root = sqrt(patch->depth);
  c->stiffness = p->K * root;
  c->damping = p->D * root;
  if (p->K_radius > 0 || p->D_radius > 0) {
    c->stiffness *= sqrt(ff_local_radius(p->K_radius, patch));
    c->damping *= ff_local_radius(p->D_radius, patch);
  }
  tame(c, ahead);
}

static inline clutch clutch_at(const params *p, const ff_patch *patch, const ff_normal *normal,
                               const double *u, const ff_ahead *ahead) {
  clutch c;
  grow(&c, p, patch, ahead);
  c.reach = c.damping + ahead->half * c.stiffness;
  c.loop = 1 + ahead->half * ahead->ease * c.reach;
  /* [Azad10 eq. 22]; in the middle of a step the spring has gone on by half of it */
  c.wish[0] = -c.stiffness * u[0] - c.reach * patch->slip[0];
  c.wish[1] = -c.stiffness * u[1] - c.reach * patch->slip[1];
  c.size = sqrt(c.wish[0] * c.wish[0] + c.wish[1] * c.wish[1]);
  c.yield = normal->force > 0 ? p->mu * normal->force : 0;
  c.viscous = p->viscous;
  return c;
}

static inline double dot(const double a[2], const double b[2]) {
  return a[0] * b[0] + a[1] * b[1];
}

/* Below this depth (m) there is no contact to speak of, and no push that grows without bound. */
#define SURFACE 1e-20

/* How the energy of the bristle goes with the depth: K |u|^2 / (4 sqrt(z)). */
static double push_at(const params *p, const ff_patch *patch, double bend) {
  double local = p->K * sqrt(ff_local_radius(p->K_radius, patch));
  return patch->depth > SURFACE ? 0.25 * local * bend / sqrt(patch->depth) : 0;
}

static inline double energy_of(const clutch *c, const double *u) {
  return 0.5 * c->stiffness * dot(u, u);
}

/* Energies and losses of a bristle that moves at memory_rate behind a clutch that slips. */
static void account(const params *p, const ff_patch *patch, const ff_normal *normal,
                    const clutch *c, const double *u, double half, double speed, ff_friction *out) {
  const double *rate = out->memory_rate;
  const double middle[2] = {u[0] + half * rate[0], u[1] + half * rate[1]};
  double push = push_at(p, patch, dot(middle, middle)), gain = push * patch->depth_rate;
  out->energy = energy_of(c, u);
  out->path_rate = c->stiffness * dot(middle, rate); /* [Azad10 eq. 33] */
  out->energy_rate = out->path_rate + gain;
  out->lost[FF_LOST_TANGENT] = c->damping * dot(rate, rate); /* [Azad10 eq. 28] */
  out->lost[FF_LOST_SLIP] = c->yield * speed;                /* [Azad10 eq. 29] */
  out->lost[FF_LOST_VISCOUS] = c->viscous * speed * speed;
  if (p->conservative != 0 && (normal->force > 0 || gain > 0)) {
    out->normal_force = push;
    out->path_rate = out->energy_rate;
  }
}

/* d force / d slip: the wish goes with -reach, the force with the wish as far as it may. */
static void slopes(const clutch *c, const double dir[2], ff_friction *out) {
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
  *out = (ff_friction){.mode = FF_STICK};
  if (c.size > 0) {
    dir[0] = c.wish[0] / c.size;
    dir[1] = c.wish[1] / c.size;
  }
  if (force > c.yield) { /* [Azad10 eq. 27] */
    out->mode = FF_SLIP;
    speed = (c.size - c.loop * c.yield) / (c.reach + c.loop * c.viscous);
    force = c.yield + c.viscous * speed;
  }
  /* The bristle goes with the slip that the force leaves, less that of the clutch [Azad10
   * eq. 30], which is also what the force leaves to its damper [eq. 31]: take what cancels less. */
  bool loose = speed > 0 && c.reach * c.reach * dot(patch->slip, patch->slip) >
                                c.stiffness * c.stiffness * dot(memory, memory);
  for (int i = 0; i < 2; i++) {
    out->force[i] = dir[i] * force;
    out->memory_rate[i] =
        loose ? -(out->force[i] + c.stiffness * memory[i]) / c.reach
              : patch->slip[i] + dir[i] * (speed + ahead->half * ahead->ease * force);
  }
  account(p, patch, normal, &c, memory, ahead->half, speed, out);
  slopes(&c, dir, out);
}

static double energy_held(const void *given, const ff_patch *patch, const double *memory,
                          const ff_ahead *ahead) {
  clutch c;
  grow(&c, given, patch, ahead);
  return energy_of(&c, memory);
}

static const ff_ahead now = {0, 0, 1};

static void friction(const void *given, const ff_patch *patch, const ff_normal *normal,
                     const double *memory, ff_friction *out) {
  friction_held(given, patch, normal, memory, &now, out);
}

/* Negative while the clutch slips. */
static double friction_kink(const void *given, const ff_patch *patch, const ff_normal *normal,
                            const double *memory) {
  clutch c = clutch_at(given, patch, normal, memory, &now);
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
