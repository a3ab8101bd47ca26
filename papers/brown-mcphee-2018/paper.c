/* [Brown18], claim by claim. */
#include "brown.h"

static const char introduction[] =
    "The paper derives the volume, centroid and second moments of the overlap of an "
    "ellipsoid with a plane, and from them normal force, rolling resistance, friction "
    "and spinning friction, for the contact of foot and ground. It has no figures with "
    "numbers; its equations are compared with numerical integration here, and its laws run in "
    "scenes (listed at the end).";

static const char errata[] =
    "Eq. 37 is not the depth-weighted second moment for a tilted plane.\n\n"
    "Eq. 44 has |v_cn| where the velocity needs its sign.\n\n"
    "Eq. 50 has the unit N m². Eqs. 45 to 50 give resistances with the sign "
    "of the motion.\n\n"
    "d is to be clipped to 0 and 2; 0/0 at zero slip and zero spin is 0.";

static const char *const scenes[] = {"papers/brown-mcphee-2018/drop.yaml",
                                     "scenes/foot-rollover.yaml", NULL};

static const ff_paper_part *const parts[] = {&brown_geometry,
                                             &brown_foundation,
                                             &brown_likeness,
                                             &brown_curves,
                                             &brown_force,
                                             &brown_foot,
                                             NULL};

const ff_paper ff_paper_brown_mcphee_2018 = {
    .key = "brown-mcphee-2018",
    .citation = "Brown18",
    .authors = "P. Brown, J. McPhee",
    .title = "Volumetric contact model of ellipsoid-plane geometries",
    .year = 2018,
    .summary = "overlap of ellipsoid and plane against slices and columns, the error of Eq. 37, "
               "rolling resistance, friction curves, sliding while spinning, a foot that rolls "
               "over the ground",
    .claims = brown_claims,
    .introduction = introduction,
    .parts = parts,
    .errata = errata,
    .scenes = scenes,
};
