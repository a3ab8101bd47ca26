/* membrane: thin elastic membrane over a rigid body.
 *
 * Citation: [Sugihara03 eq. 13-36, Sec. IV-C].
 *
 * Assumptions: the membrane is a spring, and a damper while it is pressed in; where it is pressed
 * in by more than its thickness the rigid body below gives impulses as well.
 *
 *   paper  here       unit
 *   d      depth      m       into the membrane
 *   k      k          N/m     stiffness of the membrane, of each contact point
 *   c      c          N s/m   its damping
 *   mu_K   mu         1       its kinetic friction; that of the rigid body comes from the
 *                             friction law
 *   -      thickness  m       depth at which the rigid body begins
 *   e      e          1       rebound coefficient of the rigid body
 *
 * The paper does not say whether the membrane force still acts on a point beyond the thickness.
 * Here it does: without it, a robot sinks as soon as impulses act. The other interpretation is the
 * option `exclusive` of the stepper.
 *
 * The rigid body has no force formula: only the stepper `micro-macro` supports this law. The force
 * below is that of the membrane.
 */
#include "law/law.h"
#include "law/pressed.h"

typedef struct params {
  ff_pressed soft; /* must be first */
  double thickness, mu, e;
} params;

static const ff_param table[] = {
    {.name = "k",
     .symbol = "k",
     .unit = "N/m",
     .fallback = NAN,
     .min = 0,
     .max = INFINITY,
     .open_min = true,
     .meaning = "stiffness of the membrane",
     .offset = offsetof(params, soft.k)},
    {.name = "c",
     .symbol = "c",
     .unit = "N s/m",
     .fallback = 0,
     .min = 0,
     .max = INFINITY,
     .meaning = "damping of the membrane while pressed in",
     .offset = offsetof(params, soft.c)},
    {.name = "thickness",
     .symbol = "-",
     .unit = "m",
     .fallback = NAN,
     .min = 0,
     .max = INFINITY,
     .open_min = true,
     .meaning = "depth at which the rigid body begins",
     .offset = offsetof(params, thickness)},
    {.name = "mu",
     .symbol = "μ_K",
     .unit = "1",
     .fallback = NAN,
     .min = 0,
     .max = INFINITY,
     .meaning = "kinetic friction of the membrane",
     .otherwise = "mu_kinetic of the materials",
     .offset = offsetof(params, mu)},
    {.name = "e",
     .symbol = "e",
     .unit = "1",
     .fallback = 0,
     .min = 0,
     .max = 1,
     .meaning = "speed after over speed before an impact on the rigid body",
     .offset = offsetof(params, e)},
};

static unsigned traits(const void *given) {
  const params *p = given;
  return FF_LAW_CORE | (p->soft.c > 0 ? FF_LAW_JUMPS : 0);
}

static const char *derive(void *given, const ff_pair *pair) {
  params *p = given;
  p->mu = isnan(p->mu) ? pair->mu_kinetic : p->mu;
  return isnan(p->mu) ? "mu must be given, here or as mu_kinetic in the materials" : NULL;
}

static bool ground(const void *given, ff_ground *out) {
  const params *p = given;
  *out = (ff_ground){p->soft.k, p->soft.c, p->thickness, p->e, p->mu};
  return true;
}

const ff_law ff_law_membrane = {
    .name = "membrane",
    .kind = FF_LAW_NORMAL,
    .summary = "thin elastic membrane over a rigid body",
    .citation = "Sugihara03",
    .params_size = sizeof(params),
    .params = table,
    .params_count = FF_ROWS(table),
    .traits = traits,
    .derive = derive,
    .normal = ff_pressed_normal,
    .kink = ff_pressed_kink,
    .ground = ground,
};
