/* Applied forces and drives. */
#include "base/report.h"
#include "math/vec.h"
#include "model/build.h"

#include <stdio.h>
#include <string.h>

/* Index of a free body or, if `links`, a link; otherwise -1 and a report. */
static int force_find_body(ff_build *build, const char *name, const char *key, bool links) {
  int body = ff_build_find_body(build, name, key);
  bool moves = links ? body >= 0 && ff_body_is_moved(&build->bodies[body])
                     : body >= 0 && build->bodies[body].slot >= 0;
  if (body >= 0 && !moves) {
    ff_report_what(build->report, "'%s' is not free: a force cannot move it", name);
    ff_report_key(build->report, "%s", key);
    return -1;
  }
  return body;
}

/* From the user's body frame to the principal frame. */
static ff_vec3 force_to_principal(const ff_model_body *body, ff_vec3 point) {
  return q_unrotate(body->frame.orientation, v3_sub(point, body->frame.position));
}

static ff_status force_report(ff_build *build, const char *key, const char *what) {
  ff_report_what(build->report, "%s", what);
  ff_report_key(build->report, "%s", key);
  return FF_ERROR_INPUT;
}

/* ---- forces ---------------------------------------------------------------------------------- */

static ff_status build_force(ff_build *build, ff_model_force *to, const ff_force_def *def,
                             int index) {
  char key[64];
  snprintf(key, sizeof key, "forces.%d.body", index);
  to->body = force_find_body(build, def->body, key, true);
  if (to->body < 0) {
    return FF_ERROR_INPUT;
  }
  to->def = *def;
  to->def.body = build->bodies[to->body].name;
  snprintf(key, sizeof key, "forces.%d.point", index);
  if (!v3_finite(def->point)) {
    return force_report(build, key, "every number must be finite");
  }
  to->def.point = force_to_principal(&build->bodies[to->body], def->point);
  snprintf(key, sizeof key, "forces.%d.force", index);
  ff_status status = ff_build_table(build, &to->def.force, &def->force, 3, key);
  snprintf(key, sizeof key, "forces.%d.torque", index);
  return status == FF_OK ? ff_build_table(build, &to->def.torque, &def->torque, 3, key) : status;
}

ff_status ff_build_forces(ff_build *build) {
  const ff_scene *scene = build->scene;
  ff_model_force *forces = ff_build_take(build, scene->force_count, sizeof *forces);
  if (!forces) {
    return FF_ERROR_MEMORY;
  }
  ff_status status = FF_OK;
  for (int i = 0; status == FF_OK && i < scene->force_count; i++) {
    status = build_force(build, &forces[i], &scene->forces[i], i);
  }
  build->model->forces = forces;
  build->model->force_count = scene->force_count;
  return status;
}

/* ---- drives ---------------------------------------------------------------------------------- */

static ff_status build_drive_phase(ff_build *build, ff_phase_def *to, const ff_phase_def *def,
                                   double start, const char *key) {
  char path[160];
  *to = *def;
  if (!(def->until > start)) {
    snprintf(path, sizeof path, "%s.until", key);
    return force_report(build, path, "must be later than the end of the previous phase");
  }
  if (!(def->stiffness >= 0) || !isfinite(def->stiffness)) {
    snprintf(path, sizeof path, "%s.stiffness", key);
    return force_report(build, path, "must be at least 0 and finite");
  }
  if (!(def->damping >= 0) || !isfinite(def->damping)) {
    snprintf(path, sizeof path, "%s.damping", key);
    return force_report(build, path, "must be at least 0 and finite");
  }
  if (isinf(def->start)) {
    snprintf(path, sizeof path, "%s.start", key);
    return force_report(build, path, "must be finite");
  }
  snprintf(path, sizeof path, "%s.velocity", key);
  ff_status status = ff_build_table(build, &to->velocity, &def->velocity, 1, path);
  snprintf(path, sizeof path, "%s.force", key);
  return status == FF_OK ? ff_build_table(build, &to->force, &def->force, 1, path) : status;
}

static ff_status build_drive_phases(ff_build *build, ff_model_drive *to, const ff_drive_def *def) {
  char key[128];
  if (def->phase_count < 1) {
    snprintf(key, sizeof key, "drives.%.64s.phases", def->name);
    return force_report(build, key, "needs at least one phase");
  }
  ff_phase_def *phases = ff_build_take(build, def->phase_count, sizeof *phases);
  if (!phases) {
    return FF_ERROR_MEMORY;
  }
  ff_status status = FF_OK;
  double start = 0;
  for (int i = 0; status == FF_OK && i < def->phase_count; i++) {
    snprintf(key, sizeof key, "drives.%.64s.phases.%d", def->name, i);
    status = build_drive_phase(build, &phases[i], &def->phases[i], start, key);
    start = def->phases[i].until;
  }
  to->phases = phases;
  to->phase_count = def->phase_count;
  return status;
}

static ff_status build_drive(ff_build *build, ff_model_drive *to, const ff_drive_def *def) {
  char key[128];
  const char *name = def->name ? def->name : "";
  to->name = ff_arena_text(&build->model->arena, name, strlen(name));
  if (!to->name) {
    return FF_ERROR_MEMORY;
  }
  snprintf(key, sizeof key, "drives.%.64s.body", name);
  to->body = force_find_body(build, def->body, key, false);
  if (to->body < 0) {
    return FF_ERROR_INPUT;
  }
  snprintf(key, sizeof key, "drives.%.64s.axis", name);
  if (!v3_finite(def->axis) || v3_norm(def->axis) == 0) {
    return force_report(build, key, "must be finite and not zero");
  }
  snprintf(key, sizeof key, "drives.%.64s.reference", name);
  if (!v3_finite(def->reference)) {
    return force_report(build, key, "every number must be finite");
  }
  to->axis = v3_unit(def->axis);
  to->reference = def->reference;
  to->point = force_to_principal(&build->bodies[to->body], v3(0, 0, 0));
  return build_drive_phases(build, to, def);
}

ff_status ff_build_drives(ff_build *build) {
  const ff_scene *scene = build->scene;
  ff_model_drive *drives = ff_build_take(build, scene->drive_count, sizeof *drives);
  if (!drives) {
    return FF_ERROR_MEMORY;
  }
  ff_status status = FF_OK;
  for (int i = 0; status == FF_OK && i < scene->drive_count; i++) {
    status = build_drive(build, &drives[i], &scene->drives[i]);
  }
  build->model->drives = drives;
  build->model->drive_count = scene->drive_count;
  return status;
}
