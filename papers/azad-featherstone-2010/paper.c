/* [Azad10], figure by figure and claim by claim. */
#include "azad.h"

#include <math.h>

static void introduce(ff_study *study) {
  ff_page_text(study->page,
               "The paper models ground as a bed of springs and dampers under a sphere, adds "
               "friction with a bristle behind a clutch, and accounts for all energy of a "
               "bouncing and of a rolling sphere. Everything here is computed by full simulation "
               "of scenes (listed at the end) with error-controlled steps and located events, or "
               "of one impact where one suffices.");
}

static void tell_errata(ff_study *study) {
  ff_page_section(study->page, "Errata and what is left open");
  ff_page_text(
      study->page,
      "Left open: gravity (9.81 m/s² is taken), inertia (solid sphere), lever arm (the "
      "radius). Sec. 2.2 drops from 0.10 m below the sphere, Sec. 4 from 0.10 m at its "
      "centre.\n\n"
      "Eq. 16 must integrate the clamped damper of eq. 14: what the spring holds when the "
      "force ends is dissipated while the ground comes back.\n\n"
      "Eq. 27 is an algebraic loop. It is solved exactly; a lagged clutch velocity would "
      "be unstable at small depth.\n\n"
      "Eq. 28 means |u̇|². Eq. 29 lacks a sign: the clutch dissipates −∫ F·V.\n\n"
      "Eq. 33 is a path integral, not a stored energy. The ledger tells the stored energy "
      "½ K √z |u|² and what the changing depth gave it as two lines; their sum is eq. 33.");
}

static void show_scenes(ff_study *study) {
  static const char *const scenes[] = {"papers/azad-featherstone-2010/bounce.yaml",
                                       "scenes/rolling-sphere.yaml"};
  ff_page_section(study->page, "Scenes");
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    ff_page_source(study->page, scenes[i], ff_study_scene(study, scenes[i]));
  }
}

static void reproduce(ff_study *study) {
  impact_part *impact = impact_compute(study);
  fit_part *fit = fit_compute(study);
  material_part *material = material_compute(study, fit);
  bounce_part *bounce = bounce_compute(study);
  roll_part *roll = roll_compute(study);
  introduce(study);
  ff_page_section(study->page, "Claims");
  impact_tell(study, impact);
  fit_tell(study, fit);
  material_tell(study);
  bounce_tell(study, bounce);
  roll_tell(study, roll);
  tell_errata(study);
  impact_show(study, impact, fit);
  material_show(study, material, fit);
  fit_show(study, fit);
  impact_show_loops(study, impact);
  bounce_show(study, bounce);
  roll_show(study, roll);
  show_scenes(study);
}

static const ff_data_column measured[2] = {
    {.name = "speed", .min = 0, .max = INFINITY, .open = true}, /* m/s */
    {.name = "restitution", .min = 0, .max = 1},
};

const ff_paper ff_paper_azad_featherstone_2010 = {
    .key = "azad-featherstone-2010",
    .citation = "Azad10",
    .authors = "M. Azad, R. Featherstone",
    .title = "Modeling the contact between a rolling sphere and a compliant ground plane",
    .summary = "restitution, a bouncing sphere, one that slides, sticks and rolls; all energy",
    .data = measured,
    .reproduce = reproduce,
};
