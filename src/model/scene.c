#include "model/scene.h"

#include "base/memory.h"
#include "footfall/io.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- memory owned by the scene --------------------------------------------------------------- */

const char *ff_scene_keep_text(ff_scene *scene, const char *text, size_t size) {
  return ff_arena_text(&scene->memory, text, size);
}

/* Replaces a text by the scene's own copy; NULL stays NULL. False if out of memory. */
static bool scene_own_text(ff_scene *scene, const char **text) {
  if (*text) {
    *text = ff_scene_keep_text(scene, *text, strlen(*text));
    return *text != NULL;
  }
  return true;
}

static bool scene_own_numbers(ff_scene *scene, const double **values, size_t count) {
  if (count == 0) {
    *values = NULL;
    return true;
  }
  double *copy = ff_arena_take(&scene->memory, count, sizeof *copy);
  if (copy) {
    memcpy(copy, *values, count * sizeof *copy);
  }
  *values = copy;
  return copy != NULL;
}

static bool scene_own_table(ff_scene *scene, ff_table *table) {
  return scene_own_numbers(scene, &table->values, (size_t)table->rows * (size_t)(table->width + 1));
}

static bool scene_own_texts(ff_scene *scene, const char ***texts, int count) {
  const char **copy = ff_arena_take(&scene->memory, (size_t)count, sizeof *copy);
  for (int i = 0; copy && i < count; i++) {
    copy[i] = (*texts)[i];
    if (!scene_own_text(scene, &copy[i])) {
      return false;
    }
  }
  *texts = copy;
  return copy != NULL;
}

/* Ensures capacity for one more element. False if out of memory, the array is unchanged. */
static bool scene_reserve(void **array, int count, size_t *capacity, size_t size) {
  return count < INT_MAX && ff_grow(array, (size_t)count, capacity, size);
}

/* ---- creation -------------------------------------------------------------------------------- */

ff_status ff_scene_create(ff_scene **out) {
  if (!out) {
    return FF_ERROR_INPUT;
  }
  *out = ff_alloc(1, sizeof **out);
  if (!*out) {
    return FF_ERROR_MEMORY;
  }
  (*out)->run = ff_run_def_default();
  (*out)->name = "";
  (*out)->file = "";
  (*out)->source = "";
  return FF_OK;
}

void ff_scene_destroy(ff_scene **at) {
  ff_scene *scene = at ? *at : NULL;
  if (!scene) {
    return;
  }
  *at = NULL;
  ff_arena_free(&scene->memory);
  ff_free(scene->materials);
  ff_free(scene->bodies);
  ff_free(scene->shape_counts);
  ff_free(scene->shapes);
  ff_free(scene->contacts);
  ff_free(scene->forces);
  ff_free(scene->drives);
  ff_free(scene->constraints);
  ff_free(scene->robots);
  ff_free(scene->places);
  ff_free(scene->reads);
  ff_free(scene->notes);
  ff_free(scene);
}

const char *ff_scene_name(const ff_scene *scene) {
  return scene->name;
}

const char *ff_scene_source(const ff_scene *scene) {
  return scene->source;
}

const char *ff_scene_file(const ff_scene *scene) {
  return scene->file;
}

int ff_scene_read_count(const ff_scene *scene) {
  return scene->read_count;
}

const char *ff_scene_read_file(const ff_scene *scene, int file) {
  return file >= 0 && file < scene->read_count ? scene->reads[file] : "";
}

ff_status ff_scene_add_read(ff_scene *scene, const char *path) {
  if (!scene_own_text(scene, &path) || !scene_reserve((void **)&scene->reads, scene->read_count,
                                                      &scene->read_capacity, sizeof path)) {
    return FF_ERROR_MEMORY;
  }
  scene->reads[scene->read_count++] = path;
  return FF_OK;
}

int ff_scene_note_count(const ff_scene *scene) {
  return scene->note_count;
}

const char *ff_scene_note(const ff_scene *scene, int note) {
  return note >= 0 && note < scene->note_count ? scene->notes[note] : "";
}

ff_status ff_scene_add_note(ff_scene *scene, const char *file, int line, const char *format, ...) {
  char text[1024];
  int used = snprintf(text, 512, line > 0 ? "%.400s:%d: " : "%.400s: ", file, line);
  va_list args;
  va_start(args, format);
  vsnprintf(text + used, sizeof text - (size_t)used, format, args);
  va_end(args);
  const char *own = text;
  if (!scene_own_text(scene, &own) || !scene_reserve((void **)&scene->notes, scene->note_count,
                                                     &scene->note_capacity, sizeof own)) {
    return FF_ERROR_MEMORY;
  }
  scene->notes[scene->note_count++] = own;
  return FF_OK;
}

/* ---- materials, bodies, shapes --------------------------------------------------------------- */

ff_material_def ff_material_def_default(void) {
  return (ff_material_def){.young = NAN,
                           .poisson = NAN,
                           .density = NAN,
                           .dissipation = NAN,
                           .mu_static = NAN,
                           .mu_kinetic = NAN};
}

ff_status ff_scene_add_material(ff_scene *scene, const ff_material_def *def) {
  if (!scene || !def) {
    return FF_ERROR_INPUT;
  }
  ff_material_def copy = *def;
  if (!scene_own_text(scene, &copy.name) ||
      !scene_reserve((void **)&scene->materials, scene->material_count, &scene->material_capacity,
                     sizeof copy)) {
    return FF_ERROR_MEMORY;
  }
  scene->materials[scene->material_count++] = copy;
  return FF_OK;
}

ff_body_def ff_body_def_default(void) {
  return (ff_body_def){.mass = NAN,
                       .com = {NAN, NAN, NAN},
                       .inertia = {{{NAN, NAN, NAN}, {NAN, NAN, NAN}, {NAN, NAN, NAN}}},
                       .density = NAN,
                       .orientation = {1, 0, 0, 0},
                       .motion = {.velocity = {.width = 3}, .rate = {.width = 1}},
                       .track = {.poses = {.width = 7}}};
}

ff_status ff_scene_add_body(ff_body *out, ff_scene *scene, const ff_body_def *def) {
  if (!out || !scene || !def) {
    return FF_ERROR_INPUT;
  }
  ff_body_def copy = *def;
  *out = (ff_body){0};
  if (!scene_own_text(scene, &copy.name) || !scene_own_text(scene, &copy.material) ||
      !scene_own_text(scene, &copy.colour) || !scene_own_table(scene, &copy.motion.velocity) ||
      !scene_own_table(scene, &copy.motion.rate) || !scene_own_table(scene, &copy.track.poses) ||
      !scene_reserve((void **)&scene->bodies, scene->body_count, &scene->body_capacity,
                     sizeof copy) ||
      !scene_reserve((void **)&scene->shape_counts, scene->body_count,
                     &scene->shape_counts_capacity, sizeof *scene->shape_counts)) {
    return FF_ERROR_MEMORY;
  }
  scene->bodies[scene->body_count++] = copy;
  *out = (ff_body){.id = scene->body_count};
  return FF_OK;
}

ff_shape_def ff_shape_def_default(void) {
  return (ff_shape_def){
      .kind = FF_SPHERE, .size = {1, 1, 1}, .orientation = {1, 0, 0, 0}, .exponents = {2, 2}};
}

/* Copies the data of a shape; members of an intersection one level deep, deeper ones are rejected
 * when the model is built. */
static bool scene_own_shape(ff_scene *scene, ff_shape_def *def, int level) {
  size_t vertices = def->kind == FF_POLYHEDRON && def->vertex_count > 0 && def->vertices
                        ? (size_t)def->vertex_count
                        : 0;
  size_t members =
      def->kind == FF_INTERSECTION && def->member_count > 0 && def->members && level == 0
          ? (size_t)def->member_count
          : 0;
  ff_vec3 *corners = ff_arena_take(&scene->memory, vertices, sizeof *corners);
  ff_shape_def *parts = ff_arena_take(&scene->memory, members, sizeof *parts);
  if (!scene_own_text(scene, &def->material) || !corners || !parts) {
    return false;
  }
  for (size_t i = 0; i < vertices; i++) {
    corners[i] = def->vertices[i];
  }
  for (size_t i = 0; i < members; i++) {
    parts[i] = def->members[i];
    if (!scene_own_shape(scene, &parts[i], level + 1)) {
      return false;
    }
  }
  def->vertices = corners;
  def->vertex_count = (int)vertices;
  def->members = parts;
  def->member_count = (int)members;
  return true;
}

ff_status ff_scene_add_shape(ff_shape *out, ff_scene *scene, ff_body body,
                             const ff_shape_def *def) {
  ff_scene_shape copy = {.body = body, .def = *def};
  *out = (ff_shape){0};
  if (body.id < 1 || body.id > scene->body_count) {
    return FF_ERROR_INPUT;
  }
  if (!scene_own_shape(scene, &copy.def, 0) ||
      !scene_reserve((void **)&scene->shapes, scene->shape_count, &scene->shape_capacity,
                     sizeof copy)) {
    return FF_ERROR_MEMORY;
  }
  copy.index = scene->shape_counts[body.id - 1]++;
  scene->shapes[scene->shape_count++] = copy;
  *out = (ff_shape){.id = scene->shape_count};
  return FF_OK;
}

/* ---- contacts, forces, drives ---------------------------------------------------------------- */

ff_contact_def ff_contact_def_default(void) {
  return (ff_contact_def){.a = "*", .b = "*", .radius = NAN};
}

static bool scene_own_choice(ff_scene *scene, ff_law_choice *choice) {
  return scene_own_text(scene, &choice->law) &&
         scene_own_texts(scene, &choice->names, choice->count) &&
         scene_own_numbers(scene, &choice->values, (size_t)choice->count);
}

ff_status ff_scene_add_contact(ff_scene *scene, const ff_contact_def *def) {
  if (!scene || !def) {
    return FF_ERROR_INPUT;
  }
  ff_contact_def copy = *def;
  if (!scene_own_text(scene, &copy.a) || !scene_own_text(scene, &copy.b) ||
      !scene_own_choice(scene, &copy.normal) || !scene_own_choice(scene, &copy.friction) ||
      !scene_reserve((void **)&scene->contacts, scene->contact_count, &scene->contact_capacity,
                     sizeof copy)) {
    return FF_ERROR_MEMORY;
  }
  scene->contacts[scene->contact_count++] = copy;
  return FF_OK;
}

ff_force_def ff_force_def_default(void) {
  return (ff_force_def){.force = {.width = 3}, .torque = {.width = 3}};
}

ff_status ff_scene_add_force(ff_scene *scene, const ff_force_def *def) {
  if (!scene || !def) {
    return FF_ERROR_INPUT;
  }
  ff_force_def copy = *def;
  if (!scene_own_text(scene, &copy.body) || !scene_own_table(scene, &copy.force) ||
      !scene_own_table(scene, &copy.torque) ||
      !scene_reserve((void **)&scene->forces, scene->force_count, &scene->force_capacity,
                     sizeof copy)) {
    return FF_ERROR_MEMORY;
  }
  scene->forces[scene->force_count++] = copy;
  return FF_OK;
}

ff_phase_def ff_phase_def_default(void) {
  return (ff_phase_def){.kind = FF_PHASE_OFF,
                        .until = INFINITY,
                        .start = NAN,
                        .velocity = {.width = 1},
                        .force = {.width = 1}};
}

ff_drive_def ff_drive_def_default(void) {
  return (ff_drive_def){.axis = {0, 0, 1}};
}

static bool scene_own_phases(ff_scene *scene, ff_drive_def *drive) {
  ff_phase_def *copy = ff_arena_take(&scene->memory, (size_t)drive->phase_count, sizeof *copy);
  for (int i = 0; copy && i < drive->phase_count; i++) {
    copy[i] = drive->phases[i];
    if (!scene_own_table(scene, &copy[i].velocity) || !scene_own_table(scene, &copy[i].force)) {
      return false;
    }
  }
  drive->phases = copy;
  return copy != NULL;
}

ff_status ff_scene_add_drive(ff_scene *scene, const ff_drive_def *def) {
  if (!scene || !def) {
    return FF_ERROR_INPUT;
  }
  ff_drive_def copy = *def;
  if (!scene_own_text(scene, &copy.name) || !scene_own_text(scene, &copy.body) ||
      !scene_own_phases(scene, &copy) ||
      !scene_reserve((void **)&scene->drives, scene->drive_count, &scene->drive_capacity,
                     sizeof copy)) {
    return FF_ERROR_MEMORY;
  }
  scene->drives[scene->drive_count++] = copy;
  return FF_OK;
}

/* ---- constraints ----------------------------------------------------------------------------- */

ff_constraint_def ff_constraint_def_default(void) {
  const ff_vec3 open = {NAN, NAN, NAN};
  return (ff_constraint_def){
      .at = open, .anchor_a = open, .anchor_b = open, .axis = open, .axis_a = open, .length = NAN};
}

ff_status ff_scene_add_constraint(ff_scene *scene, const ff_constraint_def *def) {
  if (!scene || !def) {
    return FF_ERROR_INPUT;
  }
  ff_constraint_def copy = *def;
  if (!scene_own_text(scene, &copy.name) || !scene_own_text(scene, &copy.a) ||
      !scene_own_text(scene, &copy.b) ||
      !scene_reserve((void **)&scene->constraints, scene->constraint_count,
                     &scene->constraint_capacity, sizeof copy)) {
    return FF_ERROR_MEMORY;
  }
  scene->constraints[scene->constraint_count++] = copy;
  return FF_OK;
}

/* ---- robots ---------------------------------------------------------------------------------- */

ff_joint_setting ff_joint_setting_default(void) {
  return (ff_joint_setting){.armature = NAN, .target = {.width = 1}, .torque = {.width = 1}};
}

static bool scene_own_settings(ff_scene *scene, ff_robot_def *def) {
  ff_joint_setting *copy = ff_arena_take(&scene->memory, (size_t)def->joint_count, sizeof *copy);
  for (int i = 0; copy && i < def->joint_count; i++) {
    copy[i] = def->joints[i];
    if (!scene_own_text(scene, &copy[i].joint) || !scene_own_table(scene, &copy[i].target) ||
        !scene_own_table(scene, &copy[i].torque)) {
      return false;
    }
  }
  def->joints = copy;
  return copy != NULL;
}

static bool scene_own_links(ff_scene *scene, ff_robot_def *def) {
  ff_robot_link *copy = ff_arena_take(&scene->memory, (size_t)def->link_count, sizeof *copy);
  for (int i = 0; copy && i < def->link_count; i++) {
    copy[i] = def->links[i];
    if (!scene_own_text(scene, &copy[i].def.name) || !scene_own_text(scene, &copy[i].joint_name)) {
      return false;
    }
  }
  def->links = copy;
  return copy != NULL;
}

static bool scene_own_visuals(ff_scene *scene, ff_robot_def *def) {
  ff_robot_visual *copy = ff_arena_take(&scene->memory, (size_t)def->visual_count, sizeof *copy);
  for (int i = 0; copy && i < def->visual_count; i++) {
    copy[i] = def->visuals[i];
    if (!scene_own_text(scene, &copy[i].file)) {
      return false;
    }
  }
  def->visuals = copy;
  return copy != NULL;
}

/* Adds the body of a link, and its shapes. */
static ff_status scene_add_link(ff_scene *scene, const ff_robot_def *def, int link) {
  const ff_link_def *from = &def->links[link].def;
  char name[256];
  snprintf(name, sizeof name, "%.120s-%.120s", def->name, from->name ? from->name : "");
  ff_body_def body = ff_body_def_default();
  body.name = name;
  body.kind = FF_BODY_LINK;
  body.mass = from->mass;
  body.com = from->com;
  body.inertia = from->inertia;
  body.material = def->material;
  body.colour = def->colour;
  ff_body handle;
  ff_status status = ff_scene_add_body(&handle, scene, &body);
  for (int i = 0; status == FF_OK && i < def->shape_count; i++) {
    const ff_robot_shape *shape = &def->shapes[i];
    if (shape->link == link + 1) {
      ff_shape_def to = ff_shape_def_default();
      to.kind = shape->kind;
      to.size = shape->size;
      if (shape->mesh) { /* its vertices are in the link frame */
        to.vertices = shape->corners;
        to.vertex_count = shape->corner_count;
      } else {
        to.position = shape->pose.position;
        to.orientation = shape->pose.orientation;
      }
      ff_shape added;
      status = ff_scene_add_shape(&added, scene, handle, &to);
    }
  }
  return status;
}

static bool scene_own_controller(ff_scene *scene, ff_robot_def *def) {
  def->controller =
      def->controller ? ff_controller_def_copy(&scene->memory, def->controller) : NULL;
  return def->controller != NULL;
}

ff_status ff_scene_add_robot(ff_scene *scene, const ff_robot_def *def) {
  if (!scene || !def) {
    return FF_ERROR_INPUT;
  }
  ff_scene_robot copy = {.def = *def, .first_body = scene->body_count};
  if ((def->controller && !scene_own_controller(scene, &copy.def)) ||
      !scene_own_text(scene, &copy.def.name) || !scene_own_text(scene, &copy.def.material) ||
      !scene_own_text(scene, &copy.def.colour) || !scene_own_visuals(scene, &copy.def) ||
      !scene_own_links(scene, &copy.def) || !scene_own_settings(scene, &copy.def) ||
      !scene_own_table(scene, &copy.def.track.poses) ||
      !scene_reserve((void **)&scene->robots, scene->robot_count, &scene->robot_capacity,
                     sizeof copy)) {
    return FF_ERROR_MEMORY;
  }
  for (int i = 0; i < def->link_count; i++) {
    ff_status status = scene_add_link(scene, def, i);
    if (status != FF_OK) {
      return status;
    }
  }
  copy.def.shapes = NULL; /* owned by the bodies */
  copy.def.shape_count = 0;
  scene->robots[scene->robot_count++] = copy;
  return FF_OK;
}

/* ---- run ------------------------------------------------------------------------------------- */

ff_run_def ff_run_def_default(void) {
  return (ff_run_def){.gravity = {0, 0, -9.81},
                      .duration = 1.0,
                      .stepper = {.kind = "auto",
                                  .step = NAN,
                                  .order = 2,
                                  .accuracy = NAN,
                                  .sleep_speed = 0.01,
                                  .rtol = 1e-10,
                                  .atol = 1e-12,
                                  .max_step = 0.01,
                                  .micro = "implicit",
                                  .lambda = NAN,
                                  .lambda_relative = 1e-6,
                                  .slip_speed = 1e-2,
                                  .passes = 3,
                                  .corrections = true},
                      .record_every = 1e-3,
                      .energy_tolerance = NAN};
}

ff_status ff_scene_set_run(ff_scene *scene, const ff_run_def *def) {
  if (!scene || !def) {
    return FF_ERROR_INPUT;
  }
  ff_run_def copy = *def;
  if (!scene_own_text(scene, &copy.stepper.kind) || !scene_own_text(scene, &copy.stepper.micro) ||
      !scene_own_texts(scene, &copy.channels, copy.channel_count)) {
    return FF_ERROR_MEMORY;
  }
  scene->run = copy;
  return FF_OK;
}
