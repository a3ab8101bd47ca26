/* elastic: spring, with a damper that acts only in compression.
 *
 * Citation: [Sugihara03 eq. 13], the micro contact model.
 *
 * Assumptions: the deformation is local and follows the bodies at once; stiffness and damping do
 * not depend on depth. Restitution is elastic, so that the force never pulls.
 *
 *   paper  here   unit
 *   d      depth  m       into the other body
 *   d'     rate   m/s     of depth
 *   k      k      N/m     stiffness
 *   c      c      N s/m   damping
 *   f_nu   force  N       here positive if repulsive; the paper has the opposite sign
 *
 * Steppers that evaluate forces use this formula. The stepper `micro-macro` uses it as printed,
 * with the damper that grows with the step [Sugihara03 eq. 14], or implicitly
 * (src/step/micro_forces.c).
 */
#include "law/law.h"
#include "law/pressed.h"

typedef ff_pressed params;

static const ff_param table[] = {
    {.name = "k",
     .symbol = "k",
     .unit = "N/m",
     .fallback = NAN,
     .min = 0,
     .max = INFINITY,
     .open_min = true,
     .meaning = "stiffness",
     .offset = offsetof(params, k)},
    {.name = "c",
     .symbol = "c",
     .unit = "N s/m",
     .fallback = 0,
     .min = 0,
     .max = INFINITY,
     .meaning = "damping while pressed in",
     .offset = offsetof(params, c)},
};

static unsigned traits(const void *given) {
  const params *p = given;
  return p->c > 0 ? FF_LAW_JUMPS : 0;
}

static bool ground(const void *given, ff_ground *out) {
  const params *p = given;
  *out = (ff_ground){p->k, p->c, INFINITY, 0, NAN};
  return true;
}

const ff_law ff_law_elastic = {
    .name = "elastic",
    .kind = FF_LAW_NORMAL,
    .summary = "spring, and damper while pressed in",
    .citation = "Sugihara03",
    .params_size = sizeof(params),
    .params = table,
    .params_count = FF_ROWS(table),
    .traits = traits,
    .normal = ff_pressed_normal,
    .kink = ff_pressed_kink,
    .ground = ground,
};
