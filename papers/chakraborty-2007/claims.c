/* The claims of [Chakraborty07], and what decides on each. */
#include "chakraborty.h"

#define HEADLINE(name, what, state, remark)                                                        \
  {                                                                                                \
    .key = name,                                                                                   \
    .claim = "Geometrically implicit steps are more accurate than explicit ones: " what,           \
    .source = "Abstract, Introduction, Conclusion", .paper = "more accurate",                      \
    .criteria = {FF_AT_LEAST("error of explicit steps over that of implicit ones, equal step", 1,  \
                             "1"),                                                                 \
                 FF_AT_LEAST("error of explicit steps over that of implicit ones, equal cost", 1,  \
                             "1")},                                                                \
    .basis =                                                                                       \
        "paper: its abstract; error of place and orientation at the end against the limit of "     \
        "the implicit method at steps down to 1/16, cost in problems and iterations",              \
    .known = state, .note = remark                                                                 \
  }

/* Example 2 is run with both readings of K: each claim of it has one row for each. */
#define CORE(name, how, stiffness, figure, state, remark)                                          \
  {                                                                                                \
    .key = name,                                                                                   \
    .claim = "A large impulse of the core just before 0.2 s (" how ", K_nn = " stiffness " N/m)",  \
    .source = "Example 2, " figure, .paper = "large impulse before 0.2 s",                         \
    .criteria = {FF_AT_LEAST("impulse of the core", 0.1, "N s"),                                   \
                 FF_BETWEEN("its time", 0.15, 0.2, "s")},                                          \
    .basis = "paper: just before 0.2 s; a tenth of the impulse m √(2gh) = 1.7 N s counts as "    \
             "large (chosen)",                                                                     \
    .known = state, .note = remark                                                                 \
  }
#define STICKS(name, stiffness)                                                                    \
  {                                                                                                \
    .key = name, .claim = "It sticks from about 0.4 s on (K_nn = " stiffness " N/m)",              \
    .source = "Example 2, Fig. 6(d)", .paper = "about 0.4 s",                                      \
    .criteria = {FF_BETWEEN("time", 0.38, 0.42, "s"),                                              \
                 FF_AT_MOST("distance from the exact time", 2, "steps")},                          \
    .basis = "reading: 5 %; derivation: up to any time the floor's impulse is m g t"               \
  }
#define ROLLS(name, stiffness)                                                                     \
  {                                                                                                \
    .key = name,                                                                                   \
    .claim = "Tilted, it slides until about 0.5 s, then rolls (K_nn = " stiffness " N/m)",         \
    .source = "Example 2", .paper = "about 0.5 s",                                                 \
    .criteria = {FF_BETWEEN("last slip", 0.45, 0.55, "s")}, .basis = "reading: rounding of 0.5",   \
    .known = FF_CLAIM_DIFFERS, .note = READING                                                     \
  }
#define SMOOTH                                                                                     \
  FF_AT_MOST("factor of the largest change at half the interval", 0.55, "1"),                      \
      FF_AT_MOST("factor of the largest change of slope at half the interval", 0.55, "1")
#define SMOOTH_BASIS "convergence: 0.5 where the derivative is bounded, 1 at a jump or kink"
#define CRITICAL                                                                                     \
  "With C = 2 √K and 1 kg the damping is critical, and the fall ends above the core: the printed " \
  "K in the order n, t, o cannot give the paper's plots."
#define SOFT "K read in the order x, y, z."
#define READING                                                                                    \
  "The time depends on the stiffness, on the step and on the exact meaning of the printed "        \
  "quaternion (0.9962, 0, 0.0872, 0)."

const ff_paper_claim chakraborty_claims[] = {
    HEADLINE("headline-rolling", "a rolling disc", FF_CLAIM_HOLDS, NULL),
    HEADLINE("headline-curved", "a ball rolls over a ball", FF_CLAIM_HOLDS, NULL),
    HEADLINE(
        "headline-spin", "a fast spinning ellipsoid", FF_CLAIM_DIFFERS,
        "Both errors fall with the step, and the one of backward Euler, which turns the body, is "
        "the larger part: with points of the start it happens to be smaller."),
    {.key = "core-time",
     .claim = "The disc hits the rigid core at about 0.34 s",
     .source = "Example 1, Fig. 4(a)",
     .paper = "about 0.34 s",
     .criteria = {FF_BETWEEN("time", 0.335, 0.345, "s"),
                  FF_AT_MOST("distance from the exact time", 2, "steps")},
     .basis = "reading: rounding of 0.34; derivation: free fall and a harmonic oscillation"},
    {.key = "core-impulse",
     .claim = "The core's impulse is that of the continuous motion, to first order",
     .source = "Example 1, Fig. 4(a)",
     .paper = "large impulse",
     .criteria = {FF_AT_MOST("distance from the exact one, relative", 0.01, "1")},
     .basis = "derivation: a step changes m v by (k δ − m g) h, 0.14 % of it; several are allowed"},
    {.key = "core-stops",
     .claim = "The core takes all speed at once",
     .source = "Example 1, Fig. 4(d)",
     .paper = "velocity drops to zero",
     .criteria = {FF_AT_MOST("speed left", 1e-6, "m/s"), FF_AT_MOST("steps", 3, "1")},
     .basis = "rounding: an inelastic impact in the steps around it"},
    {.key = "energy-after",
     .claim = "The impact with the core loses energy",
     .source = "Example 1, Fig. 4(e)",
     .paper = "loss of energy",
     .criteria = {FF_AT_MOST("energy after it off the exact one", 1e-3, "J"),
                  FF_AT_LEAST("loss", 1, "J")},
     .basis = "derivation: exact motion; error of first order, m g v h = 3e-3 J in a step"},
    {.key = "after-core",
     .claim = "After the impact the disc oscillates on the undamped spring, keeps its energy and "
              "has a smooth velocity",
     .source = "Example 1, Fig. 4(c), (d), (e)",
     .paper = "oscillatory, energy preserved, smooth",
     .criteria = {FF_AT_LEAST("changes of direction", 2, "1"),
                  FF_AT_MOST("mean loss of energy in a step", 1e-5, "J"), SMOOTH},
     .basis = "paper: a loss of the order 1e-5 J per step is acceptable; " SMOOTH_BASIS},
    {.key = "euler-loss",
     .claim = "Otherwise a step of 0.1 ms loses about 1e-5 J, and gains none",
     .source = "Example 1, Figs. 4(e), 5(a)",
     .paper = "of the order 1e-5 J",
     .criteria = {FF_BETWEEN("largest loss of a step", 1e-6, 1e-4, "J"),
                  FF_AT_MOST("largest gain of a step", 1e-10, "J")},
     .basis = "paper: the order of 1e-5"},
    {.key = "no-core",
     .claim = "With 1 m of layer the spring bears everything",
     .source = "Example 1, Fig. 5(b)",
     .paper = "no force of the core",
     .criteria = {FF_EXACTLY("force of the core", 0, "N")},
     .basis = "paper: guaranteed by the model"},
    {.key = "no-core-oscillates",
     .claim = "It oscillates on the undamped spring over its lifetime, and keeps its energy",
     .source = "Example 1, Fig. 5(a), (c)",
     .paper = "oscillatory behavior; small loss of the order 1e-5 J per step",
     .criteria = {FF_AT_LEAST("changes of direction in 1 s", 2, "1"),
                  FF_AT_MOST("time of the first off that of the exact motion", 2, "steps"),
                  FF_AT_MOST("mean loss of energy in a step", 1e-5, "J")},
     .basis =
         "paper: a fall, a rebound and a fall fit into 1 s; a loss of the order 1e-5 J per step "
         "is acceptable; convergence: the method is of first order"},
    {.key = "smooth-velocity",
     .claim = "Without impact the velocity is smooth",
     .source = "Example 1, Fig. 5(d)",
     .paper = "smooth",
     .criteria = {SMOOTH},
     .basis = SMOOTH_BASIS},
    {.key = "core-matters",
     .claim = "The response is quite different when the core is hit",
     .source = "Example 1",
     .paper = "quite different",
     .criteria = {FF_AT_LEAST("energy lost in 1 s with the core over that without", 10, "1")},
     .basis = "chosen: an order of magnitude"},
    {.key = "order",
     .claim = "The method is of first order",
     .source = "Time-stepping formulation",
     .paper = "Euler approximation",
     .criteria = {FF_BETWEEN("order of the error of the height", 0.9, 1.1, "1")},
     .basis = "convergence: against the exact motion, last of three halvings"},
    CORE("flat-core", "flat", "36000", "Fig. 6(b)", FF_CLAIM_DIFFERS, CRITICAL),
    CORE("flat-core-soft", "flat", "8000", "Fig. 6(b)", FF_CLAIM_HOLDS, SOFT),
    CORE("tilted-core", "tilted", "36000", "Fig. 7(a)", FF_CLAIM_DIFFERS, CRITICAL),
    CORE("tilted-core-soft", "tilted", "8000", "Fig. 7(a)", FF_CLAIM_HOLDS, SOFT),
    {.key = "core-needs",
     .claim =
         "Condition for the core's impulse of Fig. 6: a normal stiffness below that at which a "
         "critically damped fall reaches 5 mm",
     .source = "Example 2, Fig. 6(b)",
     .paper = "not given",
     .criteria = {FF_AT_MOST("distance from that of the continuous motion, relative", 0.05, "1"),
                  FF_BETWEEN("stiffness", 8000, 36000, "N/m")},
     .basis = "derivation: ω h = 1.3 % at first order, searched to 50 N/m"},
    {.key = "falling-spin",
     .claim = "Falling flat it keeps its angular velocity",
     .source = "Example 2, Fig. 6(d)",
     .paper = "constant while falling",
     .criteria = {FF_AT_MOST("largest change before the touch", 1e-12, "rad/s")},
     .basis = "rounding: spin about a principal axis without torque"},
    {.key = "impact-energy",
     .claim = "The impact removes most of the energy",
     .source = "Example 2, Fig. 6(a)",
     .paper = "most of the energy",
     .criteria = {FF_AT_LEAST("smallest share gone 0.05 s after the touch, both readings", 0.5,
                              "1")},
     .basis = "paper: most is more than half; 0.05 s is the width of the impact in the figure"},
    {.key = "spin-drop",
     .claim = "With the core's impulse the spin drops at once",
     .source = "Example 2, Fig. 6(d)",
     .paper = "instantaneous drop",
     .criteria = {FF_AT_LEAST("drop over that of as many steps of sliding under the weight", 100,
                              "1"),
                  FF_AT_MOST("steps", 3, "1")},
     .basis = "derivation: friction under the weight takes μ e_r m g h / I a step"},
    STICKS("sticks", "36000"),
    STICKS("sticks-soft", "8000"),
    {.key = "spin-friction",
     .claim = "What is left after the impact is slowly dissipated by the torsional friction",
     .source = "Example 2, Fig. 6(a)",
     .paper = "slowly dissipated by the torsional friction",
     .criteria = {FF_AT_LEAST("its smallest share of the energy lost from 0.05 s after the touch "
                              "on, both readings",
                              0.5, "1")},
     .basis = "paper: more than any other cause; 0.05 s is the width of the impact in the figure"},
    {.key = "rest",
     .claim = "It settles, and the layer bears its weight",
     .source = "Example 2, Fig. 6(b), (c)",
     .paper = "constant, about the weight",
     .criteria = {FF_AT_MOST("force at 1 s off the weight, relative", 1e-6, "1")},
     .basis = "derivation: after 100 time constants of a critically damped layer"},
    {.key = "turning",
     .claim = "Tilted, it turns about x and y after the impact",
     .source = "Example 2, Fig. 7(c)",
     .paper = "angular velocities appear",
     .criteria = {FF_AT_LEAST("smaller of the largest angular velocities, both readings", 1,
                              "rad/s")},
     .basis = "chosen: a fifth of the spin"},
    ROLLS("rolls", "36000"),
    ROLLS("rolls-soft", "8000"),
    {.key = "rolls-on",
     .claim = "Once it rolls it goes on rolling",
     .source = "Example 2",
     .paper = "ad infinitum",
     .criteria = {FF_AT_MOST("last slip of both readings", 0.9, "s")},
     .basis = "chosen: at least the last tenth of the run without slip"},
    {.key = "no-penetration",
     .claim = "Contact constraints hold at the end of each step: no core enters the other",
     .source = "Complementarity formulation",
     .paper = "ensured",
     .criteria = {FF_AT_MOST("deepest, by the audit", 1e-10, "m")},
     .basis = "rounding: the solver's tolerance times h"},
    {.key = "closed-form",
     .claim = "There is no closed form of the distance between an ellipsoid and a half-plane",
     .source = "Example 2",
     .paper = "none",
     .criteria = {FF_AT_LEAST("largest difference of √(n'S²n) − h from the solved depth", 1e-12,
                              "m")},
     .basis = "rounding: a closed form agrees to it",
     .known = FF_CLAIM_DIFFERS,
     .note = "The support function of an ellipsoid is √(n'S²n). The method does not need it."},
    {.key = "rolling-disc",
     .claim = "A disc that rolls on exact geometry loses no energy",
     .source = "Introduction",
     .paper = "no loss",
     .criteria = {FF_AT_MOST("change of the energy in a second, relative", 1e-12, "1/s"),
                  FF_AT_MOST("deviation from its place after 10 m", 1e-9, "m")},
     .basis = "rounding: equilibrium of the layer, rolling without slip"},
    {.key = "tangential-layer",
     .claim = "Along the surface the layer is a spring and a damper in parallel",
     .source = "Abstract, Compliant contact modeling",
     .paper = "Kelvin-Voigt model for the tangential forces",
     .criteria = {FF_BETWEEN("factor of the deflection's error at half the step", 0.45, 0.55, "1"),
                  FF_AT_MOST("deflection at rest off load over stiffness, relative", 1e-6, "1")},
     .basis = "convergence: of first order to the closed form of a critically damped spring; "
              "rounding: 35 time constants after the load",
     .note = "With series: true. As printed, the tangential deflection is an output of the contact "
             "and does not move it."},
    {.key = "intersection",
     .claim = "Objects are intersections of convex inequalities",
     .source = "Abstract, Non-penetration constraint",
     .paper = "each object as an intersection of convex inequalities",
     .criteria = {FF_AT_MOST("height of a disc cut off above, off that of the whole one, with core",
                             1e-9, "m"),
                  FF_AT_MOST("the same without core", 1e-9, "m")},
     .basis = "derivation: the inequality that is not active at the contact has no effect, if mass "
              "and inertia are the same"},
    {.key = "two-flexible",
     .claim = "Two flexible bodies meet with equal forces on both",
     .source = "Compliant contact modeling",
     .paper = "forces have to be equal",
     .criteria = {FF_BETWEEN("factor of the change of e per halving of the step", 0.4, 0.6, "1"),
                  FF_AT_MOST("e in the limit off that of two layers in series", 1e-4, "1"),
                  FF_AT_MOST("momentum", 1e-12, "kg m/s")},
     .basis = "derivation: a linear impact in closed form; convergence of first order to it",
     .note = "Head-on, layers of 6000 and 3000 N/m with c / k = 2 ms."},
    {.key = "two-bodies",
     .claim = "Two colliding flexible ellipsoids: the steps converge",
     .source = "Compliant contact modeling",
     .paper = "general formulation",
     .criteria = {FF_BETWEEN("factor of the change of the velocities per halving of the step", 0.4,
                             0.6, "1"),
                  FF_AT_MOST("limit off that of an error-controlled method, relative", 5e-4, "1")},
     .basis = "convergence: of first order; the paper has no such example"},
    {.key = "level-sets",
     .claim = "The normal is that of the level sets of both bodies",
     .source = "Eqs. 9 and 11",
     .paper = "∇f, ∇g at closest points",
     .criteria = {FF_AT_MOST("velocities after, off those with the surfaces' common normal", 0.05,
                             "1")},
     .basis =
         "derivation: the normals differ by the depth over the radii of curvature, 3 mm over 3 "
         "to 30 cm",
     .note = "A departure: the default is the surfaces' common normal, with which depth and force "
             "are conjugate. geometry: level-sets is the paper's."},
    {.key = "two-bodies-core",
     .claim = "With a layer of 2 mm they stop at their cores",
     .source = "Compliant contact modeling",
     .paper = "no penetration",
     .criteria = {FF_AT_MOST("deepest off 2 mm", 1e-9, "m"),
                  FF_AT_LEAST("deepest without core", 2e-3, "m"),
                  FF_AT_MOST("momentum residual", 1e-12, "kg m/s")},
     .basis = "rounding: the solver's tolerance"},
    {.key = "solved",
     .claim = "Every step of the examples is solved",
     .source = "Illustrative examples",
     .paper = "by PATH",
     .criteria = {FF_EXACTLY("steps that had to be subdivided", 0, "1"),
                  FF_AT_MOST("largest residual, relative", 1e-9, "1")},
     .basis = "rounding: the solver's tolerance"},
    {.key = "conditions",
     .claim = "Contact forces keep complementarity, the friction ellipsoid and maximum dissipation",
     .source = "Abstract, Eqs. 4 and 13",
     .paper = "conditions of the model",
     .criteria = {FF_AT_MOST("largest violation over the largest force", 1e-6, "1"),
                  FF_AT_MOST("dissipation below the largest possible", 1e-5, "W")},
     .basis = "rounding: the audit's tolerance, from states and forces"},
    {0},
};
