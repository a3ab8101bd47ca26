/* [Marhefka96], figure by figure and claim by claim. */
#include "marhefka.h"

static const char introduction[] =
    "The paper proposes the contact force f = −λ xⁿ ẋ − k xⁿ with λ = 3/2 α k, solves an "
    "impact in the phase plane, and shows a foot that is placed, loaded and lifted. "
    "Everything here is computed by full simulation of scenes (listed at the end), or "
    "of one body where one suffices, with error-controlled steps, and compared with "
    "the closed form.\n\n"
    "Parameters are those of text and captions. Ranges that these do not state are "
    "chosen and stated with each figure.";

static void report_the_rest(ff_reproduction *study, const void *computed) {
  (void)computed;
  ff_reproduction_judge(
      study, "cost", "none more for n = 1, as x (k + λ ẋ); one and a power of x for other n", 0, 2);
  ff_reproduction_leave(study, "foot-form", NULL);
}

static const ff_paper_part the_rest = {.report = report_the_rest};

static const char errata[] =
    "Eq. 19: both radicands are negative (the first for every m, k and α, the second "
    "for v < v_i). Put both factors under one (n+1)-th root. Eqs. 13, 16, 17 and 22 are "
    "right as printed.\n\n"
    "Eq. 4 needs b² < 4mk besides no zeroing of tension.\n\n"
    "Figs. 5 to 7 do not give n. n = 1 is taken, as the text recommends.\n\n"
    "Fig. 8 leaves open the load while bearing weight (1000 N is taken), when support "
    "ends (0.6 s), gravity (none) and where x_d starts at lift (from the actual x).";

static const char *const scenes[] = {
    "papers/marhefka-orin-1996/impact.yaml", "papers/marhefka-orin-1996/hertz.yaml",
    "scenes/walking-foot.yaml", "scenes/walking-foot-sphere.yaml", NULL};

static const ff_paper_part *const parts[] = {
    &marhefka_linear, &the_rest, &marhefka_hertz, &marhefka_phase, &marhefka_loops,
    &marhefka_foot,   NULL};

const ff_paper ff_paper_marhefka_orin_1996 = {
    .key = "marhefka-orin-1996",
    .citation = "Marhefka96",
    .authors = "D. W. Marhefka, D. E. Orin",
    .title = "Simulation of contact using a nonlinear damping model",
    .year = 1996,
    .claims = marhefka_claims,
    .summary = "the phase plane of an impact, restitution, hysteresis loops, Hertz, a walking "
               "foot: Figs. 2 to 8",
    .introduction = introduction,
    .parts = parts,
    .errata = errata,
    .scenes = scenes,
};
