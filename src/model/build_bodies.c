/* Bodies and shapes: names, masses, principal frames, initial poses. */
#include "base/report.h"
#include "math/eigen.h"
#include "math/vec.h"
#include "model/build.h"
#include "model/inertia.h"

#include <stdio.h>
#include <string.h>

/* Prefixes the report's key with "bodies.<name>.". */
static ff_status body_prefix_key(ff_build *build, int body, ff_status status) {
  if (status == FF_ERROR_INPUT && build->report) {
    char key[sizeof build->report->key];
    memcpy(key, build->report->key, sizeof key);
    ff_report_key(build->report, "bodies.%s%s%s", build->scene->bodies[body].name,
                  key[0] ? "." : "", key);
  }
  return status;
}

static ff_status body_report(ff_build *build, const char *key, const char *what) {
  ff_report_what(build->report, "%s", what);
  ff_report_key(build->report, "%s", key);
  return FF_ERROR_INPUT;
}

/* ---- names ----------------------------------------------------------------------------------- */

static bool scene_defines_material(const ff_scene *scene, const char *name) {
  for (int i = 0; i < scene->material_count; i++) {
    if (scene->materials[i].name && strcmp(scene->materials[i].name, name) == 0) {
      return true;
    }
  }
  return false;
}

/* Materials of the scene, then those of the library that the scene does not define. */
static ff_status build_index_materials(ff_build *build) {
  const ff_scene *scene = build->scene;
  int most = scene->material_count + ff_material_library_count(), count = 0;
  const char **names = ff_build_take(build, most, sizeof *names);
  build->materials = ff_arena_take(&build->scratch, (size_t)most, sizeof *build->materials);
  if (!names || !build->materials) {
    return FF_ERROR_MEMORY;
  }
  for (int i = 0; i < scene->material_count; i++) {
    const char *name = scene->materials[i].name;
    build->materials[count] = scene->materials[i];
    names[count] = ff_arena_text(&build->model->arena, name ? name : "", name ? strlen(name) : 0);
    if (!names[count++]) {
      return FF_ERROR_MEMORY;
    }
  }
  for (int i = 0; i < ff_material_library_count(); i++) {
    ff_material_def def = ff_material_library_at(i).def;
    if (!scene_defines_material(scene, def.name)) {
      build->materials[count] = def;
      names[count++] = def.name;
    }
  }
  if (!ff_names_make(&build->material_names, &build->scratch, names, count)) {
    return FF_ERROR_MEMORY;
  }
  build->model->material_names = names;
  int twin = ff_names_twin(&build->material_names);
  if (twin >= 0) {
    ff_report_what(build->report, "another material has this name");
    ff_report_key(build->report, "materials.%s", names[twin]);
    return FF_ERROR_INPUT;
  }
  return FF_OK;
}

static ff_status build_check_material(ff_build *build, const ff_material_def *def) {
  const struct {
    const char *key;
    double value, low, high;
    bool open_low;
  } rows[] = {
      {"young", def->young, 0, INFINITY, true},
      {"poisson", def->poisson, -1, 0.5, true},
      {"density", def->density, 0, INFINITY, true},
      {"dissipation", def->dissipation, 0, INFINITY, false},
      {"mu_static", def->mu_static, 0, INFINITY, false},
      {"mu_kinetic", def->mu_kinetic, 0, INFINITY, false},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    double v = rows[i].value;
    bool low = rows[i].open_low ? v > rows[i].low : v >= rows[i].low;
    if (!isnan(v) && !(low && v <= rows[i].high && isfinite(v))) {
      ff_report_what(build->report, "must be finite and in %c%g, %g], got %g",
                     rows[i].open_low ? '(' : '[', rows[i].low, rows[i].high, v);
      ff_report_key(build->report, "materials.%s.%s", def->name, rows[i].key);
      return FF_ERROR_INPUT;
    }
  }
  return FF_OK;
}

static ff_status build_index_bodies(ff_build *build) {
  int count = build->scene->body_count;
  const char **names = ff_build_take(build, count, sizeof *names);
  build->bodies = ff_build_take(build, count, sizeof *build->bodies);
  if (!names || !build->bodies) {
    return FF_ERROR_MEMORY;
  }
  for (int i = 0; i < count; i++) {
    const char *name = build->scene->bodies[i].name;
    if (!name || !name[0]) {
      return body_report(build, "bodies", "has no name");
    }
    names[i] = ff_arena_text(&build->model->arena, name, strlen(name));
    if (!names[i]) {
      return FF_ERROR_MEMORY;
    }
    build->bodies[i].name = names[i];
  }
  build->model->bodies = build->bodies;
  build->model->body_count = count;
  if (!ff_names_make(&build->body_names, &build->scratch, names, count)) {
    return FF_ERROR_MEMORY;
  }
  int twin = ff_names_twin(&build->body_names);
  if (twin >= 0) {
    return body_prefix_key(build, twin, body_report(build, "", "another body has this name"));
  }
  return FF_OK;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* Sorts shapes by body: stable counting sort. */
static ff_status build_sort_shapes(ff_build *build) {
  const ff_scene *scene = build->scene;
  build->shapes = ff_build_take(build, scene->shape_count, sizeof *build->shapes);
  build->shape_sources = ff_arena_take(&build->scratch, (size_t)scene->shape_count, sizeof(int));
  if (!build->shapes || !build->shape_sources) {
    return FF_ERROR_MEMORY;
  }
  for (int i = 0; i < scene->shape_count; i++) {
    build->bodies[scene->shapes[i].body.id - 1].shape_count++;
  }
  int first = 0;
  for (int i = 0; i < scene->body_count; i++) {
    build->bodies[i].first_shape = first;
    first += build->bodies[i].shape_count;
    build->bodies[i].shape_count = 0;
  }
  for (int i = 0; i < scene->shape_count; i++) {
    ff_model_body *body = &build->bodies[scene->shapes[i].body.id - 1];
    build->shape_sources[body->first_shape + body->shape_count++] = i;
  }
  build->model->shapes = build->shapes;
  build->model->thinnest = INFINITY;
  build->model->shape_count = scene->shape_count;
  return FF_OK;
}

static ff_status build_find_material(ff_build *build, const char *name, const char *key, int *out) {
  *out = name ? ff_names_find(&build->material_names, name) : -1;
  if (name && *out < 0) {
    ff_report_unknown(build->report, "material", name, build->material_names.names,
                      build->material_names.count);
    ff_report_key(build->report, "%s", key);
    return FF_ERROR_INPUT;
  }
  return FF_OK;
}

/* Checks one shape of a body and sets all but its final pose: it stays in the body frame until the
 * principal frame is known. */
static ff_status build_shape(ff_build *build, int body, int shape) {
  const ff_scene_shape *source = &build->scene->shapes[build->shape_sources[shape]];
  const ff_shape_def *def = &source->def;
  char key[64];
  snprintf(key, sizeof key, "shapes.%d", source->index);
  ff_model_shape *to = &build->shapes[shape];
  to->body = body;
  ff_status status = ff_geom_make(&to->geom, &to->pose, &build->model->arena, def, build->report);
  if (status != FF_OK) {
    ff_report_key(build->report, "%s", key);
    return status;
  }
  const char *wrong = NULL;
  if ((!v3_finite(def->position) || !isfinite(q_norm(def->orientation)) ||
       q_norm(def->orientation) == 0)) {
    wrong = "position and orientation must be finite, orientation not zero";
  }
  if (!wrong && def->kind == FF_HALF_SPACE && build->scene->bodies[body].kind == FF_BODY_FREE) {
    wrong = "a half-space cannot be on a free body: make the body fixed or prescribe its motion";
  }
  if (wrong) {
    return body_report(build, key, wrong);
  }
  to->pose = pose_mul((ff_pose){def->position, q_unit(def->orientation)}, to->pose);
  const char *material = def->material;
  snprintf(key, sizeof key, "shapes.%d.material", source->index);
  if (!material) {
    material = build->scene->bodies[body].material;
    snprintf(key, sizeof key, "material");
  }
  to->bound = ff_geom_bound(&to->geom);
  to->thickness = ff_geom_thickness(&to->geom);
  build->model->thinnest = fmin(build->model->thinnest, to->thickness);
  return build_find_material(build, material, key, &to->material);
}

/* ---- body ------------------------------------------------------------------------------------ */

static ff_status body_check_start(ff_build *build, const ff_body_def *def) {
  const struct {
    const char *key;
    ff_vec3 value;
  } rows[] = {{"position", def->position}, {"velocity", def->velocity}, {"omega", def->omega}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (!v3_finite(rows[i].value)) {
      return body_report(build, rows[i].key, "every number must be finite");
    }
  }
  double norm = q_norm(def->orientation);
  if (!isfinite(norm) || norm == 0) {
    return body_report(build, "orientation", "must be finite and not zero");
  }
  if (!isnan(def->density) && !(def->density > 0 && isfinite(def->density))) {
    return body_report(build, "density", "must be greater than 0 and finite");
  }
  return FF_OK;
}

static ff_status build_motion(ff_build *build, ff_model_body *to, const ff_motion *def) {
  const double numbers[] = {def->amplitude.x, def->amplitude.y, def->amplitude.z,
                            def->frequency,   def->phase,       def->axis.x,
                            def->axis.y,      def->axis.z,      def->swing_amplitude};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    if (!isfinite(numbers[i])) {
      return body_report(build, "motion", "every number must be finite");
    }
  }
  double length = v3_norm(def->axis);
  if (length == 0 && (def->rate.rows > 0 || def->swing_amplitude != 0)) {
    return body_report(build, "motion", "a rotation needs an axis that is not zero");
  }
  ff_motion *motion = ff_build_take(build, 1, sizeof *motion);
  if (!motion) {
    return FF_ERROR_MEMORY;
  }
  *motion = *def;
  motion->axis = length > 0 ? v3_scale(1 / length, def->axis) : def->axis;
  to->motion = motion;
  ff_status status = ff_build_table(build, &motion->velocity, &def->velocity, 3, "motion.velocity");
  return status == FF_OK ? ff_build_table(build, &motion->rate, &def->rate, 1, "motion.spin.rate")
                         : status;
}

/* Makes principal moments that agree within rounding equal, so that a spherical or symmetric top is
 * integrated exactly. */
static void equalise_moments(ff_model_body *to) {
  double *const moments[3] = {&to->inertia.x, &to->inertia.y, &to->inertia.z};
  double largest = fmax(to->inertia.x, fmax(to->inertia.y, to->inertia.z));
  double smallest = fmin(to->inertia.x, fmin(to->inertia.y, to->inertia.z));
  to->round = largest - smallest <= 1e-14 * largest;
  if (to->round) {
    to->inertia = v3(largest, largest, largest);
    to->frame.orientation = q_identity();
    return;
  }
  for (int axis = 0; axis < 3 && to->top < 0; axis++) {
    double *one = moments[(axis + 1) % 3], *two = moments[(axis + 2) % 3];
    if (fabs(*one - *two) <= 1e-14 * *one) {
      *one = *two;
      to->top = axis;
    }
  }
}

/* Mass, principal axes and principal frame. */
static ff_status build_mass(ff_build *build, int body, const double *densities) {
  ff_model_body *to = &build->bodies[body];
  ff_shape_list list = {.shapes = build->shapes + to->first_shape,
                        .count = to->shape_count,
                        .densities = densities + to->first_shape};
  ff_mass_properties mass;
  ff_status status =
      ff_body_mass_properties(&mass, &build->scene->bodies[body], &list, build->report);
  if (status != FF_OK) {
    return status;
  }
  to->mass = mass.mass;
  to->inv_mass = 1 / mass.mass;
  to->frame.position = mass.com;
  to->inertia = ff_eigen(mass.inertia, &to->frame.orientation);
  equalise_moments(to);
  to->inv_inertia = v3(1 / to->inertia.x, 1 / to->inertia.y, 1 / to->inertia.z);
  return FF_OK;
}

/* Initial pose: from the user's body frame to the principal frame, in the world. */
static void body_place(ff_model_body *to, const ff_body_def *def) {
  ff_pose body = {def->position, q_unit(def->orientation)};
  to->start = pose_mul(body, to->frame);
  to->start.orientation = q_unit(to->start.orientation);
  ff_vec3 arm = v3_sub(to->start.position, body.position);
  to->velocity = v3_add(def->velocity, v3_cross(def->omega, arm));
  to->omega = def->omega;
}

/* Poses of the body's shapes in its principal frame. */
static void body_place_shapes(ff_build *build, ff_model_body *to) {
  ff_quat back = q_conj(to->frame.orientation);
  for (int i = to->first_shape; i < to->first_shape + to->shape_count; i++) {
    ff_model_shape *shape = &build->shapes[i];
    shape->pose.position = q_rotate(back, v3_sub(shape->pose.position, to->frame.position));
    shape->pose.orientation = q_unit(q_mul(back, shape->pose.orientation));
    shape->centred = v3_norm(shape->pose.position) == 0 && shape->pose.orientation.w == 1;
    if (shape->geom.kind == FF_HALF_SPACE) {
      to->infinite = true;
    } else {
      to->bound = fmax(to->bound, v3_norm(shape->pose.position) + shape->bound);
    }
  }
}

/* A body's own density overrides those of the materials; NAN: unknown. */
static double shape_density(const ff_build *build, const ff_body_def *def, int shape) {
  int material = build->shapes[shape].material;
  if (!isnan(def->density)) {
    return def->density;
  }
  return material >= 0 ? build->materials[material].density : NAN;
}

/* Link of a robot: its state frame is at its centre of mass, with the axes of the link frame. Its
 * effective inertia is set by ff_build_robots. */
static void build_link_body(ff_model_body *to, const ff_body_def *def) {
  ff_quat axes;
  to->mass = def->mass;
  to->frame.position = def->com;
  to->inertia = ff_eigen(def->inertia, &axes);
}

/* A measured motion of a prescribed or free body, which starts on it. */
static ff_status build_track(ff_build *build, ff_model_body *to, ff_body_def *def) {
  const ff_track *track;
  ff_status status = ff_build_track(build, &track, &def->track, "track");
  if (status != FF_OK || !track) {
    return status;
  }
  if (def->kind != FF_BODY_PRESCRIBED && def->kind != FF_BODY_FREE) {
    return body_report(build, "track", "only free and prescribed bodies follow a track");
  }
  to->track = def->kind == FF_BODY_PRESCRIBED ? track : NULL;
  ff_track_point start = ff_track_at(track, 0);
  def->position = start.pose.position;
  def->orientation = start.pose.orientation;
  def->velocity = start.velocity;
  def->omega = start.omega;
  return FF_OK;
}

static ff_status build_body(ff_build *build, int body, double *densities) {
  ff_model_body *to = &build->bodies[body];
  ff_body_def copy = build->scene->bodies[body];
  const ff_body_def *def = &copy;
  to->kind = def->kind;
  to->slot = to->robot = to->top = -1;
  to->frame.orientation = q_identity();
  int material;
  ff_status status = build_track(build, to, &copy);
  status = status == FF_OK ? body_check_start(build, def) : status;
  status =
      status == FF_OK ? build_find_material(build, def->material, "material", &material) : status;
  for (int i = to->first_shape; status == FF_OK && i < to->first_shape + to->shape_count; i++) {
    status = build_shape(build, body, i);
    if (status == FF_OK) {
      densities[i] = shape_density(build, def, i);
    }
  }
  if (status == FF_OK && def->kind == FF_BODY_FREE) {
    to->slot = build->model->free_count++;
    status = build_mass(build, body, densities);
  } else if (status == FF_OK && def->kind == FF_BODY_LINK) {
    build_link_body(to, def);
  } else if (status == FF_OK) {
    status = build_motion(build, to, &def->motion);
  }
  if (status == FF_OK) {
    body_place(to, def);
    body_place_shapes(build, to);
  }
  return status;
}

static ff_status list_free_bodies(ff_build *build) {
  int *list = ff_build_take(build, build->model->free_count, sizeof *list);
  if (!list) {
    return FF_ERROR_MEMORY;
  }
  for (int i = 0; i < build->model->body_count; i++) {
    if (build->bodies[i].slot >= 0) {
      list[build->bodies[i].slot] = i;
    }
  }
  build->model->free_bodies = list;
  return FF_OK;
}

ff_status ff_build_bodies(ff_build *build) {
  const ff_scene *scene = build->scene;
  if (scene->body_count == 0) {
    return body_report(build, "bodies", "the scene has no body");
  }
  ff_status status = build_index_materials(build);
  for (int i = 0; status == FF_OK && i < scene->material_count; i++) {
    status = build_check_material(build, &scene->materials[i]);
  }
  status = status == FF_OK ? build_index_bodies(build) : status;
  status = status == FF_OK ? build_sort_shapes(build) : status;
  double *densities = ff_arena_take(&build->scratch, (size_t)scene->shape_count, sizeof *densities);
  if (status == FF_OK && !densities) {
    status = FF_ERROR_MEMORY;
  }
  for (int i = 0; status == FF_OK && i < scene->body_count; i++) {
    status = body_prefix_key(build, i, build_body(build, i, densities));
  }
  return status == FF_OK ? list_free_bodies(build) : status;
}
