/* [Brown18], claim by claim. */
#include "brown.h"

static void introduce(ff_study *study) {
  ff_page_text(study->page,
               "The paper derives the volume, centroid and second moments of the overlap of an "
               "ellipsoid with a plane, and from them normal force, rolling resistance, friction "
               "and spinning friction, for the contact of foot and ground. It has no figures with "
               "numbers; its equations are held against brute force here, and its laws run in "
               "scenes (listed at the end).");
}

static void tell_errata(ff_study *study) {
  ff_page_section(study->page, "Errata");
  ff_page_text(study->page,
               "Eq. 37 is not the depth-weighted second moment for a tilted plane.\n\n"
               "Eq. 44 has |v_cn| where the velocity needs its sign.\n\n"
               "Eq. 50 has the unit N m². Eqs. 45 to 50 give what opposes the motion with the sign "
               "of the motion.\n\n"
               "d is to be clipped to 0 and 2; 0/0 at zero slip and zero spin is 0.");
}

static void show_scenes(ff_study *study) {
  static const char *const scenes[] = {"papers/brown-mcphee-2018/drop.yaml",
                                       "scenes/foot-rollover.yaml"};
  ff_page_section(study->page, "Scenes");
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    ff_page_source(study->page, scenes[i], ff_study_scene(study, scenes[i]));
  }
}

static void reproduce(ff_study *study) {
  brown_geometry *geometry = geometry_compute(study);
  brown_force *force = force_compute(study);
  brown_curves *curves = curves_compute(study);
  brown_foot *foot = brown_foot_compute(study);
  introduce(study);
  ff_page_section(study->page, "Claims");
  geometry_tell(study, geometry);
  force_tell(study, force);
  brown_foot_tell(study, foot);
  tell_errata(study);
  geometry_show(study, geometry);
  curves_show(study, curves);
  force_show(study, force);
  brown_foot_show(study, foot);
  show_scenes(study);
}

const ff_paper ff_paper_brown_mcphee_2018 = {
    .key = "brown-mcphee-2018",
    .citation = "Brown18",
    .authors = "P. Brown, J. McPhee",
    .title = "Volumetric contact model of ellipsoid-plane geometries",
    .summary = "overlap geometry against brute force, forces and friction, a rolling foot",
    .reproduce = reproduce,
};
