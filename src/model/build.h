/* Shared by the files that compile a scene into a model. */
#ifndef FF_MODEL_BUILD_H
#define FF_MODEL_BUILD_H

#include "model/model.h"
#include "model/names.h"
#include "model/scene.h"

typedef struct ff_build {
  ff_model *model;
  const ff_scene *scene;
  ff_report *report;
  ff_arena scratch; /* freed at the end of the build */
  ff_names body_names, material_names;
  ff_material_def *materials; /* of the scene, then of the library, in the order of their names */
  /* The model's arrays, writable during the build. */
  ff_model_body *bodies;
  ff_model_shape *shapes;
  int *shape_sources; /* index in the scene of each shape of the model */
} ff_build;

/* Passes: each checks a part of the scene and fills a part of the model. */
ff_status ff_build_run(ff_build *build);
ff_status ff_build_bodies(ff_build *build);
ff_status ff_build_robots(ff_build *build);
/* Rotor inertias by the settings of its joints, as ff_tree_build_rotors takes them. */
ff_status ff_build_rotors(ff_build *build, const ff_scene_robot *from, double *rotors);
/* Joint axes of a robot, and their initial values in its q and v. */
ff_status ff_build_joints(ff_build *build, const ff_scene_robot *from, ff_model_robot *to,
                          double *q, double *v);
ff_status ff_build_contacts(ff_build *build);
ff_status ff_build_seams(ff_build *build);
ff_status ff_build_loads(ff_build *build);
ff_status ff_build_forces(ff_build *build);
ff_status ff_build_drives(ff_build *build);
/* Spline of a measured motion; *out NULL if it has no rows. */
ff_status ff_build_track(ff_build *build, const ff_track **out, const ff_track_def *def,
                         const char *key);
ff_status ff_build_guides(ff_build *build);
ff_status ff_build_constraints(ff_build *build);
ff_status ff_build_knots(ff_build *build);

/* Laws of a pair of shapes that no contact rule names, from materials, masses and shapes. */
typedef struct ff_default_contact {
  ff_contact_def def;   /* its law choices point to the arrays below */
  const char *names[4]; /* of the parameters: two of the normal law, two of friction */
  double values[4];
} ff_default_contact;

/* size (m): mean half width of the smaller shape; mass (kg): effective mass in a central impact.
 * The run has gravity and the step as resolved. False: Young's modulus is not known. */
bool ff_default_contact_make(ff_default_contact *out, const ff_pair *pair, double size, double mass,
                             const ff_run_def *run, ff_contact_method contacts);
/* Stepper of a scene that names none: its name, its step (s; NAN: none) and why it was chosen. */
const char *ff_choose_stepper(const ff_scene *scene, double *step, const char **reason);

/* Index of a body by name; on failure -1 and a report under the key. */
int ff_build_find_body(ff_build *build, const char *name, const char *key);
/* Checks that something done at intervals of `every` (s) is done at most `limit` times in the run;
 * what: its name in the plural, for the report. */
ff_status ff_build_check_count(ff_build *build, const char *key, double every, double limit,
                               const char *what);
/* Zeroed memory that lives as long as the model. */
void *ff_build_take(ff_build *build, int count, size_t size);
/* Copies a table of the scene into the model and checks it; key is for the report. */
ff_status ff_build_table(ff_build *build, ff_table *to, const ff_table *from, int width,
                         const char *key);

#endif
