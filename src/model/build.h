/* Shared by the files that build a model: what is being made, from what. */
#ifndef FF_MODEL_BUILD_H
#define FF_MODEL_BUILD_H

#include "model/model.h"
#include "model/names.h"
#include "model/scene.h"

typedef struct ff_build {
  ff_model *model;
  const ff_scene *scene;
  ff_report *report;
  ff_arena scratch; /* freed when the build ends */
  ff_names body_names, material_names;
  /* The model's arrays, while they may still be written. */
  ff_model_body *bodies;
  ff_model_shape *shapes;
  int *shape_sources; /* index in the scene of each shape of the model */
} ff_build;

/* Each checks its part of the scene and fills its part of the model. */
ff_status ff_build_run(ff_build *build);
ff_status ff_build_bodies(ff_build *build);
ff_status ff_build_robots(ff_build *build);
/* The axes of a robot, and their start in its q and v. */
ff_status ff_build_joints(ff_build *build, const ff_scene_robot *from, ff_model_robot *to,
                          double *q, double *v);
ff_status ff_build_contacts(ff_build *build);
ff_status ff_build_loads(ff_build *build);
ff_status ff_build_forces(ff_build *build);
ff_status ff_build_drives(ff_build *build);
ff_status ff_build_constraints(ff_build *build);
ff_status ff_build_knots(ff_build *build);

/* Index of a body by name; on failure -1 and a report under the key. */
int ff_build_find_body(ff_build *build, const char *name, const char *key);
/* Does what happens at such intervals (s) happen at most so often in the run? what: its name, in
 * the plural. */
ff_status ff_build_check_count(ff_build *build, const char *key, double every, double limit,
                               const char *what);
/* Room in the model. */
void *ff_build_take(ff_build *build, int count, size_t size);
/* A table of the scene, copied into the model and checked; key is for the report. */
ff_status ff_build_table(ff_build *build, ff_table *to, const ff_table *from, int width,
                         const char *key);

#endif
