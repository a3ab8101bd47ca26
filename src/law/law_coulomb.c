/* coulomb: dry friction with a static and a kinetic coefficient, that sticks.
 *
 * Citation: [Coulomb1785] for the law. The tangential spring that carries the load of a sticking
 * contact is this project's own, after [Azad10 eq. 19-33]; its share of the normal stiffness is
 * near that of elastic spheres.
 *
 * Assumptions: friction is the same in all directions. A contact sticks on a spring and a damper
 * in parallel, in series with a clutch that slips at the friction cone. Spin and rolling are free.
 *
 *   symbol  here         unit
 *   mu_s    mu_static    1       coefficient up to slip v_t
 *   mu_k    mu_kinetic   1       coefficient from slip 3 v_t on
 *   v_t     v_t          m/s     transition speed
 *   v       slip         m/s     of a on b
 *   k       stiffness    N/m     of the spring: 0.8 k_n, the stiffness of the normal law's elastic
 *                                part at its depth
 *   c       damping      N s/m   0.6 sqrt(k m), m the mass that a tangential force moves: 0.3 of
 *                                critical damping
 *   p       memory       J^0.5   sqrt(k) times the deflection, along t1 and t2
 *
 *   F = -sqrt(k) p - c v             p' = sqrt(k) v                  |F| <= mu N: sticks
 *   F = -mu N d                      p' = -sqrt(k) (F + sqrt(k) p) / c   else: slips
 *
 * with d the direction of the former. The spring stores |p|^2 / 2. Since p and not the deflection
 * is the history variable, the work of the spring is the change of that energy whatever the
 * depth does to k: a contact that is pressed deeper gains nothing.
 *
 *   mu(s) = mu_s                                 s < 1       s = |v| / v_t
 *           mu_s + (mu_k - mu_s) t^2 (3 - 2 t)   s < 3       t = (s - 1) / 2
 *           mu_k                                 otherwise
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
     .meaning = "transition speed: friction is static below it and kinetic from 3 v_t on",
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

/* ---- coefficient ----------------------------------------------------------------------------- */

/* mu at a slip (m/s), and its slope (s/m). */
static inline double coulomb_mu(const params *p, double slip, double *slope) {
  double s = slip / p->v_t, drop = p->mu_kinetic - p->mu_static;
  double t = s < 1 ? 0 : 0.5 * (s - 1);
  *slope = s < 3 ? 3 * drop * t * (1 - t) / p->v_t : 0;
  return s < 3 ? p->mu_static + drop * t * t * (3 - 2 * t) : p->mu_kinetic;
}

/* ---- spring and clutch ----------------------------------------------------------------------- */

#define SHARE   0.8  /* of the normal stiffness; spheres of steel: 0.82 */
#define RATIO   0.3  /* of critical damping */
#define SETTLES 1e-3 /* s, c / k where the mass is unknown */
enum { BISECTIONS = 100 };

typedef struct spring {
  double root;     /* (N/m)^0.5, of the stiffness */
  double damping;  /* N s/m */
  double reach;    /* N s/m, the damping and, over half a step, the spring */
  double loop;     /* 1, feedback of the midpoint force on itself through the slip */
  double stick[2]; /* N, sticking force without this feedback */
  double size;     /* N, its magnitude */
  double load;     /* N, normal force */
} spring;

/* k_n at a depth, from what the normal law stores there and its elastic force: n E' / z for an
 * energy E ~ z^(n + 1), with n between 1 and 3. */
static inline double normal_stiffness(double depth, const ff_normal *normal) {
  double n = normal->energy > 0 ? normal->elastic * depth / normal->energy - 1 : 1;
  n = n < 1 ? 1 : n > 3 ? 3 : n;
  return normal->elastic > 0 ? n * normal->elastic / depth : 0;
}

/* Over a step a spring that is stiffer than the step resolves is as stiff as that. The energy does
 * not depend on the stiffness, so this creates none. */
static inline spring spring_at(const ff_patch *patch, const ff_normal *normal, const double *memory,
                               const ff_ahead *ahead) {
  double ease = ahead->ease * ahead->crowd, eased = ahead->half * ease;
  double k = SHARE * normal_stiffness(patch->depth, normal);
  spring s = {.load = normal->force < 0 ? 0 : normal->force};
  s.damping = SETTLES * k;
  if (ease > 0) {
    k = eased > 0 && k * ahead->half * eased > 1 ? 1 / (ahead->half * eased) : k;
    s.damping = 2 * RATIO * sqrt(k / ease);
    s.damping = s.damping * eased > 1 ? 1 / eased : s.damping;
  }
  s.root = sqrt(k);
  s.reach = s.damping + ahead->half * k;
  s.loop = 1 + ahead->half * ahead->ease * s.reach;
  s.stick[0] = -s.root * memory[0] - s.reach * patch->slip[0];
  s.stick[1] = -s.root * memory[1] - s.reach * patch->slip[1];
  s.size = sqrt(s.stick[0] * s.stick[0] + s.stick[1] * s.stick[1]);
  return s;
}

/* Limit N mu of the friction force if it is `force` along dir: over a step that changes the slip.
 * `fall` is the slope of mu (s/m). */
static inline double coulomb_limit(const params *p, const spring *s, const ff_patch *patch,
                                   const ff_ahead *ahead, const double dir[2], double force,
                                   double *fall) {
  if (p->mu_static == p->mu_kinetic) { /* any slip has this limit */
    *fall = 0;
    return s->load * p->mu_static;
  }
  double own = ahead->half * ahead->ease * force;
  double x = patch->slip[0] + own * dir[0], y = patch->slip[1] + own * dir[1];
  return s->load * coulomb_mu(p, sqrt(x * x + y * y), fall);
}

/* Over a step: friction of a slipping clutch, force = N mu(slip under this force), which a force of
 * `most` exceeds. Of several solutions the kinetic one, if it is one. */
static double coulomb_slip_force(const params *p, const spring *s, const ff_patch *patch,
                                 const ff_ahead *ahead, const double dir[2], double most) {
  double fall, low = s->load * p->mu_kinetic, high = most;
  if (coulomb_limit(p, s, patch, ahead, dir, low, &fall) <= low) {
    return low;
  }
  for (int i = 0; i < BISECTIONS && high - low > 1e-16 * high; i++) {
    double force = 0.5 * (low + high);
    *(coulomb_limit(p, s, patch, ahead, dir, force, &fall) > force ? &low : &high) = force;
  }
  return 0.5 * (low + high);
}

/* d force / d slip of the force at an instant. */
static void coulomb_derivatives(const spring *s, double yield, double fall, const double slip[2],
                                const double dir[2], ff_friction *out) {
  double speed = sqrt(slip[0] * slip[0] + slip[1] * slip[1]);
  double across = out->mode == FF_SLIP ? -s->damping * yield / s->size : -s->damping;
  double along = out->mode == FF_SLIP ? 0 : across;
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 2; j++) {
      out->d_slip[i][j] = (i == j) * across + (along - across) * dir[i] * dir[j];
      out->d_slip[i][j] += out->mode == FF_SLIP && speed > 0 ? fall * dir[i] * slip[j] / speed : 0;
    }
  }
}

/* Magnitude (N) and direction of the friction force; the limit that a sticking force is compared
 * with (N), and the slope of mu there (s/m). */
typedef struct solution {
  double force, dir[2];
  double yield, fall;
  bool slips;
} solution;

static inline solution coulomb_solve(const params *p, const spring *s, const ff_patch *patch,
                                     const ff_ahead *ahead) {
  solution out = {.force = s->size / s->loop};
  if (s->size > 0) {
    out.dir[0] = s->stick[0] / s->size;
    out.dir[1] = s->stick[1] / s->size;
  }
  out.yield = coulomb_limit(p, s, patch, ahead, out.dir, out.force, &out.fall);
  if (out.force > out.yield) {
    out.slips = true;
    out.force =
        ahead->half > 0 ? coulomb_slip_force(p, s, patch, ahead, out.dir, out.force) : out.yield;
  }
  return out;
}

static void force_held(const void *given, const ff_patch *patch, const ff_normal *normal,
                       const double *memory, const ff_ahead *ahead, double force[2]) {
  if (!(normal->force > 0)) {
    force[0] = force[1] = 0;
    return;
  }
  spring s = spring_at(patch, normal, memory, ahead);
  solution solved = coulomb_solve(given, &s, patch, ahead);
  force[0] = solved.dir[0] * solved.force;
  force[1] = solved.dir[1] * solved.force;
}

static void friction_held(const void *given, const ff_patch *patch, const ff_normal *normal,
                          const double *memory, const ff_ahead *ahead, ff_friction *out) {
  const params *p = given;
  const double *slip = patch->slip;
  spring s = spring_at(patch, normal, memory, ahead);
  solution solved = coulomb_solve(p, &s, patch, ahead);
  double speed = 0, force = solved.force, rate[2];
  const double *dir = solved.dir;
  *out = (ff_friction){.mode = FF_STICK, .memory_per_slip = s.root};
  if (solved.slips) {
    out->mode = FF_SLIP;
    out->memory_per_slip = 0;
    speed = (s.size - s.loop * force) / s.reach; /* of the clutch */
  }
  for (int i = 0; i < 2; i++) { /* of the deflection */
    out->force[i] = dir[i] * force;
    rate[i] = speed > 0 ? -(out->force[i] + s.root * memory[i]) / s.reach
                        : slip[i] + ahead->half * ahead->ease * out->force[i];
    out->memory_rate[i] = s.root * rate[i];
  }
  for (int i = 0; i < 2; i++) {
    out->energy += 0.5 * memory[i] * memory[i];
    out->energy_rate += (memory[i] + ahead->half * out->memory_rate[i]) * out->memory_rate[i];
  }
  out->path_rate = out->energy_rate;
  out->lost[FF_LOST_TANGENT] = s.damping * (rate[0] * rate[0] + rate[1] * rate[1]);
  out->lost[FF_LOST_SLIP] = force * speed;
  if (!(ahead->half > 0)) {
    coulomb_derivatives(&s, solved.yield, s.load * solved.fall, slip, dir, out);
  }
}

static double energy_held(const void *given, const ff_patch *patch, const double *memory,
                          const ff_ahead *ahead) {
  (void)given;
  (void)patch;
  (void)ahead;
  return 0.5 * (memory[0] * memory[0] + memory[1] * memory[1]);
}

static void friction(const void *given, const ff_patch *patch, const ff_normal *normal,
                     const double *memory, ff_friction *out) {
  friction_held(given, patch, normal, memory, &(ff_ahead){0, 0, 1}, out);
}

/* Negative while the clutch slips. */
static double friction_kink(const void *given, const ff_patch *patch, const ff_normal *normal,
                            const double *memory, const ff_ahead *ahead) {
  const params *p = given;
  double fall, slip = sqrt(patch->slip[0] * patch->slip[0] + patch->slip[1] * patch->slip[1]);
  spring s = spring_at(patch, normal, memory, ahead);
  return s.load * coulomb_mu(p, slip, &fall) - s.size;
}

/* With one coefficient the limits are a cone; with two they are not. */
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
    .summary = "dry friction, static and kinetic, that sticks",
    .citation = "Coulomb1785",
    .params_size = sizeof(params),
    .params = table,
    .params_count = FF_ROWS(table),
    .memory_count = 2,
    .traits = traits,
    .derive = derive,
    .friction = friction,
    .friction_kink = friction_kink,
    .friction_held = friction_held,
    .force_held = force_held,
    .energy_held = energy_held,
    .cone = cone,
    .grip = grip,
};
