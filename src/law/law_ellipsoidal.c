/* ellipsoidal: dry friction and torsion within one ellipsoid.
 *
 * Citation: [Chakraborty07 eq. 2, 5] after [Trinkle01].
 *
 * Assumptions: force along t1 and t2 and moment about the normal share one limit surface,
 *   (f_1 / e_t)^2 + (f_2 / e_o)^2 + (m_n / e_r)^2 <= (mu N)^2,
 * and friction maximises dissipation within it. With w = (e_t v_1, e_o v_2, e_r spin):
 *   (f_1 / e_t, f_2 / e_o, m_n / e_r) = -mu N w / |w|     while slipping.
 * Rolling is free. e_t and e_o are 1 for friction that is the same in all directions; if they
 * differ, t1 and t2 are the x and y axes of a half-space.
 *
 *   paper      here         unit
 *   mu         mu           1
 *   e_t, e_o   e_t, e_o     1
 *   e_r        e_r          m     radius of a ring with the same resistance to spin
 *   sigma      |w|          m/s   slip speed
 *
 * The stepper `quasi-rigid` solves this law exactly. For steppers that need a formula it is
 * regularised: |w| becomes sqrt(|w|^2 + v_t^2), so that a loaded contact creeps, slower than v_t up
 * to 7/10 of what the ellipsoid allows.
 */
#include "law/law.h"

typedef struct params {
  double mu, e_t, e_o, e_r, v_t;
} params;

static const ff_param table[] = {
    {.name = "mu",
     .symbol = "μ",
     .unit = "1",
     .fallback = NAN,
     .min = 0,
     .max = INFINITY,
     .meaning = "friction coefficient",
     .otherwise = "mu_kinetic of the materials",
     .offset = offsetof(params, mu)},
    {.name = "e_t",
     .symbol = "e_t",
     .unit = "1",
     .fallback = 1,
     .min = 0,
     .max = 100,
     .meaning = "semi-axis of the friction ellipsoid along t1",
     .offset = offsetof(params, e_t)},
    {.name = "e_o",
     .symbol = "e_o",
     .unit = "1",
     .fallback = 1,
     .min = 0,
     .max = 100,
     .meaning = "semi-axis of the friction ellipsoid along t2",
     .offset = offsetof(params, e_o)},
    {.name = "e_r",
     .symbol = "e_r",
     .unit = "m",
     .fallback = 0,
     .min = 0,
     .max = INFINITY,
     .meaning = "semi-axis of the friction ellipsoid for the moment about the normal",
     .offset = offsetof(params, e_r)},
    {.name = "v_t",
     .symbol = "v_t",
     .unit = "m/s",
     .fallback = 1e-3,
     .min = 0,
     .max = INFINITY,
     .open_min = true,
     .meaning = "transition speed of the regularised law; not used by the stepper quasi-rigid",
     .offset = offsetof(params, v_t)},
};

static unsigned traits(const void *given) {
  const params *p = given;
  return p->e_t != p->e_o ? FF_LAW_DIRECTED : 0;
}

static const char *derive(void *given, const ff_pair *pair) {
  params *p = given;
  p->mu = isnan(p->mu) ? pair->mu_kinetic : p->mu;
  return isnan(p->mu) ? "mu must be given, here or as mu_kinetic in the materials" : NULL;
}

static void friction(const void *given, const ff_patch *patch, const ff_normal *normal,
                     const double *memory, ff_friction *out) {
  (void)memory;
  const params *p = given;
  double load = normal->force < 0 ? 0 : p->mu * normal->force;
  double w[3] = {p->e_t * patch->slip[0], p->e_o * patch->slip[1], p->e_r * patch->spin};
  double speed2 = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
  double smooth = sqrt(speed2 + p->v_t * p->v_t);
  double per = load / smooth;
  *out = (ff_friction){.mode = speed2 < p->v_t * p->v_t ? FF_STICK : FF_SLIP};
  out->force[0] = -per * p->e_t * w[0];
  out->force[1] = -per * p->e_o * w[1];
  out->moment[0] = -per * p->e_r * w[2];
  out->lost[FF_LOST_SLIP] = per * (w[0] * w[0] + w[1] * w[1]);
  out->lost[FF_LOST_SPIN] = per * (w[2] * w[2]);
  const double e[2] = {p->e_t, p->e_o};
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 2; j++) {
      double bend = w[i] / smooth * (w[j] / smooth);
      out->d_slip[i][j] = -per * e[i] * e[j] * ((i == j) - bend);
    }
  }
}

static bool cone(const void *given, ff_cone *out) {
  const params *p = given;
  *out = (ff_cone){p->mu, {p->e_t, p->e_o, p->e_r}};
  return true;
}

/* Isotropic and without torsion it is plain dry friction. */
static bool grip(const void *given, ff_grip *out) {
  const params *p = given;
  *out = (ff_grip){p->mu, p->mu, p->v_t};
  return p->e_t == 1 && p->e_o == 1 && p->e_r == 0;
}

const ff_law ff_law_ellipsoidal = {
    .name = "ellipsoidal",
    .kind = FF_LAW_FRICTION,
    .summary = "dry friction and torsion within one ellipsoid",
    .citation = "Chakraborty07",
    .params_size = sizeof(params),
    .params = table,
    .params_count = FF_ROWS(table),
    .traits = traits,
    .derive = derive,
    .friction = friction,
    .cone = cone,
    .grip = grip,
};
