/* [Sugihara03], figure by figure and claim by claim. */
#include "sugihara.h"

static const char introduction[] =
    "The paper puts two models of contact into one step of a millisecond: elastic parts "
    "push by spring and damper, rigid ones by impulses from a quadratic programme, and a "
    "thin membrane between them keeps feet from chattering. Everything here is computed "
    "by full simulation of a humanoid of 20 joints, 0.48 m and 5 kg. The paper leaves "
    "open what some of its claims depend on; they are reported for each of the "
    "readings.";

static const char errata[] =
    "Eqs. 13 to 15 print minus signs; with depth positive inside the floor the force is "
    "k (d + ḋ Δt) + c ḋ, pushes out and never pulls.\n\n"
    "Eq. 21 must have all of the bias, Coriolis terms included. A of Eq. 32 is not symmetric "
    "once "
    "points slip: the programme is solved on AᵀA + λ. λ has the unit kg⁻².\n\n"
    "Not given: how joints are driven; whether the membrane still acts beyond its thickness; ε "
    "(0.01 m/s is taken); the robot's masses and the size of its feet.";

static const char *const scenes[] = {"papers/sugihara-nakamura-2003/drop.yaml",
                                     "papers/sugihara-nakamura-2003/ball.yaml",
                                     "papers/sugihara-nakamura-2003/stand.yaml",
                                     "papers/sugihara-nakamura-2003/walk.yaml",
                                     "scenes/humanoid-walking.yaml",
                                     "scenes/humanoid-jumping.yaml",
                                     NULL};

static const ff_paper_part *const parts[] = {&sugihara_drop, &sugihara_stand, &sugihara_stride,
                                             &sugihara_motions, NULL};

const ff_paper ff_paper_sugihara_nakamura_2003 = {
    .key = "sugihara-nakamura-2003",
    .citation = "Sugihara03",
    .authors = "T. Sugihara, Y. Nakamura",
    .title = "Balanced micro/macro contact model for forward dynamics of rigid multibody",
    .year = 2003,
    .claims = sugihara_claims,
    .summary = "a humanoid that drops, stands, walks, falls and jumps on elastic, rigid and "
               "covered floors: Figs. 6 to 12, for all readings that the paper leaves open",
    .introduction = introduction,
    .parts = parts,
    .errata = errata,
    .scenes = scenes,
};
