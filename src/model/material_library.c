/* Built-in materials. Elastic constants and densities are typical handbook values at room
 * temperature [Ashby11]; cork [Gibson97], ice [Schulson09], skin [Agache80]. Friction coefficients
 * are those of a dry pair of the same material [Avallone06], since the pair rule is a geometric
 * mean (docs/materials.md). Dissipation of metals is within the range that [Hunt75] quotes; that of
 * the others is estimated from the restitution of everyday impacts at 1 m/s, e = 1 - alpha v. */
#include "footfall/scene.h"

#include <string.h>

#define MATERIAL(id, e, nu, rho, alpha, stat, kin, from)                                           \
  {                                                                                                \
    .def = {.name = id,                                                                            \
            .young = e,                                                                            \
            .poisson = nu,                                                                         \
            .density = rho,                                                                        \
            .dissipation = alpha,                                                                  \
            .mu_static = stat,                                                                     \
            .mu_kinetic = kin},                                                                    \
    .source = from                                                                                 \
  }

/* clang-format off */
static const ff_material_entry library[] = {
    /*       name              Pa      1     kg/m^3  s/m    1     1 */
    MATERIAL("abs",            2.3e9,  0.35, 1050,   0.2,   0.46, 0.35, "Ashby11"),
    MATERIAL("aluminium",      70e9,   0.33, 2700,   0.2,   1.05, 0.9,  "Ashby11, Avallone06, Hunt75"),
    MATERIAL("asphalt",        3e9,    0.35, 2350,   0.4,   0.8,  0.7,  "Ashby11"),
    MATERIAL("brass",          105e9,  0.34, 8500,   0.2,   0.51, 0.44, "Ashby11, Avallone06, Hunt75"),
    MATERIAL("cast-iron",      110e9,  0.26, 7200,   0.2,   1.1,  0.15, "Ashby11, Avallone06, Hunt75"),
    MATERIAL("concrete",       30e9,   0.2,  2400,   0.3,   0.8,  0.7,  "Ashby11"),
    MATERIAL("cork",           20e6,   0.05, 160,    0.45,  0.6,  0.5,  "Gibson97"),
    MATERIAL("glass",          70e9,   0.22, 2500,   0.1,   0.94, 0.4,  "Ashby11, Avallone06"),
    MATERIAL("granite",        60e9,   0.25, 2700,   0.2,   0.7,  0.6,  "Ashby11"),
    MATERIAL("ice",            9.3e9,  0.33, 917,    0.3,   0.1,  0.03, "Schulson09, Avallone06"),
    MATERIAL("nylon",          2.7e9,  0.39, 1140,   0.2,   0.2,  0.15, "Ashby11"),
    MATERIAL("ptfe",           0.5e9,  0.46, 2200,   0.3,   0.04, 0.04, "Ashby11, Avallone06"),
    MATERIAL("rubber",         3e6,    0.49, 1100,   0.25,  1.15, 1.0,  "Ashby11"),
    MATERIAL("skin",           0.42e6, 0.48, 1100,   0.5,   0.5,  0.45, "Agache80"),
    MATERIAL("steel",          210e9,  0.3,  7850,   0.2,   0.74, 0.57, "Ashby11, Avallone06, Hunt75"),
    MATERIAL("titanium",       116e9,  0.32, 4500,   0.2,   0.4,  0.35, "Ashby11, Hunt75"),
    MATERIAL("wood",           11e9,   0.35, 700,    0.4,   0.62, 0.48, "Ashby11, Avallone06"),
};
/* clang-format on */

#undef MATERIAL

int ff_material_library_count(void) {
  return (int)(sizeof library / sizeof *library);
}

ff_material_entry ff_material_library_at(int index) {
  bool known = index >= 0 && index < ff_material_library_count();
  return known ? library[index]
               : (ff_material_entry){.def = ff_material_def_default(), .source = ""};
}
