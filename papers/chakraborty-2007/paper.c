/* [Chakraborty07], figure by figure and claim by claim. */
#include "chakraborty.h"

static const char introduction[] =
    "The paper models bodies as rigid cores in compliant layers of limited thickness and "
    "solves each step with the geometry of its end, as a mixed complementarity problem. "
    "Its examples are run here by the stepper quasi-rigid with the steps of the paper, "
    "0.1 ms, and compared with motions in closed form. The conditions on contact forces "
    "(complementarity, friction cone, maximum dissipation) are checked after each "
    "step by the audit, from states and forces.";

static const char errata[] =
    "Eq. 22, second row: δ_max − δ. In eq. 14 p is [p_ns, p_t, p_o]: the core is rigid and not "
    "part of the layer's law.\n\n"
    "σ is undetermined where there is no load, and the norm of a₁ − a₂ has no derivative where "
    "bodies touch. The problem solved here has neither: closest points and layer follow from "
    "the velocities, friction is a projection. Both forms have the same solutions; a test "
    "compares them.\n\n"
    "Example 2: inertia is not given (a solid ellipsoid is taken), nor in which order K is "
    "printed. The damping C = 2 √K is critical for 1 kg.\n\n"
    "The layer pushes and does not pull: where it would, contact ends and the layer relaxes on "
    "its own.\n\n"
    "An explicit gyroscopic impulse p_vp is unstable at fast spin; angular momentum is the "
    "unknown here.";

static const char *const scenes[] = {"scenes/disc-on-layer.yaml",
                                     "scenes/spinning-ellipsoid.yaml",
                                     "papers/chakraborty-2007/rolling-disc.yaml",
                                     "scenes/two-ellipsoids.yaml",
                                     "papers/chakraborty-2007/two-spheres.yaml",
                                     "papers/chakraborty-2007/ball-on-ball.yaml",
                                     "papers/chakraborty-2007/fast-spin.yaml",
                                     NULL};

static const ff_paper_part *const parts[] = {&chakraborty_disc,
                                             &chakraborty_ellipsoid,
                                             &chakraborty_layer,
                                             &chakraborty_others,
                                             &chakraborty_headline,
                                             &chakraborty_solver,
                                             NULL};

const ff_paper ff_paper_chakraborty_2007 = {
    .key = "chakraborty-2007",
    .citation = "Chakraborty07",
    .authors = "N. Chakraborty, S. Berard, S. Akella, J. Trinkle",
    .title = "An implicit time-stepping method for quasi-rigid multibody systems with intermittent "
             "contact",
    .year = 2007,
    .claims = chakraborty_claims,
    .summary =
        "geometrically implicit against explicit steps; a disc on a layer with and without "
        "reaching the core, a spinning ellipsoid, rolling, two flexible bodies: Figs. 4 to 7",
    .introduction = introduction,
    .parts = parts,
    .errata = errata,
    .scenes = scenes,
};
