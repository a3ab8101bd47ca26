/* none: no friction. The bodies slide, spin and roll freely.
 *
 * Citation: none needed. Assumptions: perfectly smooth surfaces. No parameters, no energy.
 */
#include "law/law.h"

static unsigned traits(const void *given) {
  (void)given;
  return 0;
}

static void friction(const void *given, const ff_patch *patch, const ff_normal *normal,
                     const double *memory, ff_friction *out) {
  (void)given;
  (void)patch;
  (void)normal;
  (void)memory;
  *out = (ff_friction){.mode = FF_SLIP};
}

static bool cone(const void *given, ff_cone *out) {
  (void)given;
  *out = (ff_cone){0, {1, 1, 0}};
  return true;
}

static bool grip(const void *given, ff_grip *out) {
  (void)given;
  *out = (ff_grip){0, 0, 1};
  return true;
}

const ff_law ff_law_none = {
    .name = "none",
    .kind = FF_LAW_FRICTION,
    .summary = "no friction",
    .citation = "",
    .traits = traits,
    .friction = friction,
    .cone = cone,
    .grip = grip,
};
