/* coulomb: dry friction with a static and a kinetic coefficient, smooth through zero slip.
 *
 * Citation: [Coulomb1785] for the law. The curve through zero slip is this project's own, not of a
 * paper; it provides the tangential forces that [Marhefka96] leaves open.
 *
 * Assumptions: the friction force opposes slip, is the same in all directions, and depends
 * on the normal force and the present slip alone. So there is no true sticking: a contact
 * under load creeps, at less than v_t as long as the load stays below mu_static times the
 * normal force. Spin and rolling are free.
 *
 *   symbol  here         unit
 *   mu_s    mu_static    1     peak of the curve, at slip v_t
 *   mu_k    mu_kinetic   1     its level from slip 3 v_t on
 *   v_t     v_t          m/s   transition speed
 *   s       s            1     slip / v_t
 *
 *   mu(s) = mu_s s (2 - s)                       s < 1       rises, level at s = 1
 *           mu_s + (mu_k - mu_s) t^2 (3 - 2 t)   s < 3       falls, t = (s - 1) / 2
 *           mu_k                                 otherwise
 *
 * The curve and its slope are continuous.
 */
#include "law/law.h"

typedef struct params {
  double mu_static, mu_kinetic, v_t;
} params;

static const ff_param table[] = {
    {.name = "mu_static",
     .symbol = "μ_s",
     .unit = "1",
     .fallback = NAN,
     .min = 0,
     .max = INFINITY,
     .meaning = "static coefficient: the largest friction over the normal force",
     .otherwise = "mu_static of the materials",
     .offset = offsetof(params, mu_static)},
    {.name = "mu_kinetic",
     .symbol = "μ_k",
     .unit = "1",
     .fallback = NAN,
     .min = 0,
     .max = INFINITY,
     .meaning = "kinetic coefficient, at most mu_static",
     .otherwise = "mu_kinetic of the materials if mu_static is theirs too, else mu_static",
     .offset = offsetof(params, mu_kinetic)},
    {.name = "v_t",
     .symbol = "v_t",
     .unit = "m/s",
     .fallback = 1e-3,
     .min = 0,
     .max = INFINITY,
     .open_min = true,
     .meaning = "transition speed: sticking contacts creep slower than this",
     .offset = offsetof(params, v_t)},
};

static unsigned traits(const void *given) {
  (void)given;
  return 0;
}

static const char *derive(void *given, const ff_pair *pair) {
  params *p = given;
  if (!ff_derive_mu(&p->mu_static, &p->mu_kinetic, pair)) {
    return "mu_static must be given, here or in both materials";
  }
  return p->mu_kinetic > p->mu_static
             ? "mu_kinetic is greater than mu_static: lower mu_kinetic or raise mu_static"
             : NULL;
}

/* ---- force and its derivative ---------------------------------------------------------------- */

/* The curve at one slip. */
typedef struct curve {
  double mu;     /* friction over normal force */
  double over_s; /* mu / s, finite at s = 0 */
  double d_s;    /* d mu / d s */
} curve;

static inline curve curve_at(const params *p, double s) {
  if (s < 1) {
    return (curve){p->mu_static * s * (2 - s), p->mu_static * (2 - s), 2 * p->mu_static * (1 - s)};
  }
  double t = s < 3 ? 0.5 * (s - 1) : 1;
  double drop = p->mu_kinetic - p->mu_static;
  double mu = p->mu_static + drop * t * t * (3 - 2 * t);
  return (curve){mu, mu / s, 3 * drop * t * (1 - t)};
}

/* force = -N mu(s) dir; its derivative along the slip is d_s, across it mu / s. */
static void friction(const void *given, const ff_patch *patch, const ff_normal *normal,
                     const double *memory, ff_friction *out) {
  (void)memory;
  const params *p = given;
  const double *slip = patch->slip;
  double load = normal->force < 0 ? 0 : normal->force;
  double speed = sqrt(slip[0] * slip[0] + slip[1] * slip[1]);
  curve c = curve_at(p, speed / p->v_t);

  double per_slip = load * c.over_s / p->v_t;
  *out = (ff_friction){.mode = speed < p->v_t ? FF_STICK : FF_SLIP};
  out->force[0] = -per_slip * slip[0];
  out->force[1] = -per_slip * slip[1];
  out->lost[FF_LOST_SLIP] = load * c.mu * speed;

  /* At rest the derivatives along and across agree: any direction will do. */
  double dir[2] = {1, 0};
  if (speed > 0) {
    dir[0] = slip[0] / speed;
    dir[1] = slip[1] / speed;
  }
  double along = load * c.d_s / p->v_t - per_slip;
  out->d_slip[0][0] = -per_slip - along * dir[0] * dir[0];
  out->d_slip[1][1] = -per_slip - along * dir[1] * dir[1];
  out->d_slip[0][1] = out->d_slip[1][0] = -along * dir[0] * dir[1];
}

/* With one coefficient the unregularised law is a cone; with two it is not. */
static bool cone(const void *given, ff_cone *out) {
  const params *p = given;
  *out = (ff_cone){p->mu_kinetic, {1, 1, 0}};
  return p->mu_static == p->mu_kinetic;
}

static bool grip(const void *given, ff_grip *out) {
  const params *p = given;
  *out = (ff_grip){p->mu_static, p->mu_kinetic, p->v_t};
  return true;
}

const ff_law ff_law_coulomb = {
    .name = "coulomb",
    .kind = FF_LAW_FRICTION,
    .summary = "dry friction, static and kinetic, smooth through zero slip",
    .citation = "Coulomb1785",
    .params_size = sizeof(params),
    .params = table,
    .params_count = FF_ROWS(table),
    .traits = traits,
    .derive = derive,
    .friction = friction,
    .cone = cone,
    .grip = grip,
};
