/* [Azad10], figure by figure and claim by claim. */
#include "azad.h"

#include <math.h>

static const char introduction[] =
    "The paper models ground as a bed of springs and dampers under a sphere, adds "
    "friction with a bristle in series with a clutch, and accounts for all energy of a "
    "bouncing and of a rolling sphere. Everything here is computed by full simulation "
    "of scenes (listed at the end) with error-controlled steps and located events, or "
    "of one impact where one suffices.";

static const char errata[] =
    "Not given: gravity (9.81 m/s² is used), inertia (solid sphere), lever arm (the "
    "radius). Sec. 2.2 drops from 0.10 m below the sphere, Sec. 4 from 0.10 m at its "
    "centre.\n\n"
    "Eq. 16 must integrate the clamped damper of eq. 14: the energy stored when the "
    "force ends is dissipated while the ground recovers.\n\n"
    "Eq. 27 is an algebraic loop. It is solved exactly; a lagged clutch velocity would "
    "be unstable at small depth.\n\n"
    "Eq. 28 means |u̇|². Eq. 29 lacks a sign: the clutch dissipates −∫ F·V.\n\n"
    "Eq. 33 is a path integral, not a stored energy. The ledger has the stored energy "
    "½ K √z |u|² and its change by depth as two entries; their sum is eq. 33.";

static const char *const scenes[] = {"papers/azad-featherstone-2010/bounce.yaml",
                                     "scenes/rolling-sphere.yaml", "scenes/foot-of-spheres.yaml",
                                     NULL};

static const ff_paper_part *const parts[] = {
    &azad_impact, &azad_materials, &azad_fit,    &azad_loops,
    &azad_bounce, &azad_roll,      &azad_ground, NULL};

static const ff_data_column measured[2] = {
    {.name = "speed", .min = 0, .max = INFINITY, .open = true}, /* m/s */
    {.name = "restitution", .min = 0, .max = 1},
};

const ff_paper ff_paper_azad_featherstone_2010 = {
    .key = "azad-featherstone-2010",
    .citation = "Azad10",
    .authors = "M. Azad, R. Featherstone",
    .title = "Modeling the contact between a rolling sphere and a compliant ground plane",
    .year = 2010,
    .claims = azad_claims,
    .summary = "restitution, a bouncing sphere, one that slides, sticks and rolls, all energy, the "
               "ground that recovers: Figs. 2 to 16; measured data beside it",
    .data = measured,
    .introduction = introduction,
    .parts = parts,
    .errata = errata,
    .scenes = scenes,
};
