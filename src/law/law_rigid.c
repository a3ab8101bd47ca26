/* rigid: rigid bodies; impulses change their velocities instantaneously.
 *
 * Citation: [Sugihara03 eq. 25-36], the macro contact model.
 *
 * Assumptions: a contact approached at speed v separates at e v; the impact is over within a step.
 *
 *   paper  here  unit
 *   e      e     1     rebound coefficient
 *
 * There is no force formula: impulses of all contacts are solved for together, by the stepper
 * `micro-macro` (src/step/micro_macro.c).
 */
#include "law/law.h"

typedef struct params {
  double e;
} params;

static const ff_param table[] = {
    {.name = "e",
     .symbol = "e",
     .unit = "1",
     .fallback = 0,
     .min = 0,
     .max = 1,
     .meaning = "speed after over speed before an impact",
     .offset = offsetof(params, e)},
};

static unsigned traits(const void *given) {
  (void)given;
  return FF_LAW_CORE;
}

static bool ground(const void *given, ff_ground *out) {
  const params *p = given;
  *out = (ff_ground){0, 0, 0, p->e, NAN};
  return true;
}

const ff_law ff_law_rigid = {
    .name = "rigid",
    .kind = FF_LAW_NORMAL,
    .summary = "no yielding; impulses with restitution",
    .citation = "Sugihara03",
    .params_size = sizeof(params),
    .params = table,
    .params_count = FF_ROWS(table),
    .traits = traits,
    .ground = ground,
};
