/* Materials and bodies. */
#include "io/scene_reader.h"
#include "math/vec.h"

#include <string.h>

/* ---- materials ------------------------------------------------------------------------------- */

static void scene_read_material(ff_reader *reader, const ff_node *node) {
  static const char *const keys[] = {"young",       "poisson",   "density",
                                     "dissipation", "mu_static", "mu_kinetic"};
  ff_material_def def = ff_material_def_default();
  def.name = node->key->text;
  if (!ff_reader_map(reader, node, keys, FF_COUNT(keys))) {
    return;
  }
  ff_get_number(reader, node, "young", 0, &def.young);
  ff_get_number(reader, node, "poisson", 0, &def.poisson);
  ff_get_number(reader, node, "density", 0, &def.density);
  ff_get_number(reader, node, "dissipation", 0, &def.dissipation);
  ff_get_number(reader, node, "mu_static", 0, &def.mu_static);
  ff_get_number(reader, node, "mu_kinetic", 0, &def.mu_kinetic);
  if (reader->status == FF_OK) {
    ff_reader_take(reader, ff_scene_add_material(reader->scene, &def));
  }
}

void ff_read_materials(ff_reader *reader, const ff_node *root) {
  const ff_node *node = ff_reader_enter(reader, root, "materials");
  if (!node) {
    return;
  }
  if (ff_reader_names(reader, node, "material")) {
    for (const ff_node *at = node->first; at && reader->status == FF_OK; at = at->next) {
      ff_reader_step(reader, at, 0);
      scene_read_material(reader, at);
      ff_reader_leave(reader);
    }
  }
  ff_reader_leave(reader);
}

/* ---- prescribed motion ----------------------------------------------------------------------- */

/* Reads a sinusoidal motion; spin and swing share one axis, oscillate and swing one frequency and
 * phase. */
static void scene_read_sine(ff_reader *reader, const ff_node *node, ff_motion *motion, bool again) {
  double frequency = 0, phase = 0;
  ff_reader_require(reader, node, "amplitude");
  ff_reader_require(reader, node, "frequency");
  ff_get_number(reader, node, "frequency", 0, &frequency);
  ff_get_number(reader, node, "phase", FF_ALLOW_ANGLE, &phase);
  if (again && (frequency != motion->frequency || phase != motion->phase)) {
    ff_reader_fail(reader, node, "frequency and phase must be those of oscillate");
  }
  motion->frequency = frequency;
  motion->phase = phase;
}

static void scene_read_motion_axis(ff_reader *reader, const ff_node *node, ff_motion *motion,
                                   bool again) {
  ff_vec3 axis = {0};
  ff_reader_require(reader, node, "axis");
  ff_get_vec3(reader, node, "axis", 0, &axis);
  if (again && memcmp(&axis, &motion->axis, sizeof axis) != 0) {
    ff_reader_fail(reader, node, "axis must be that of spin");
  }
  motion->axis = axis;
}

static void scene_read_oscillate(ff_reader *reader, const ff_node *motion_node, ff_motion *motion) {
  static const char *const keys[] = {"amplitude", "frequency", "phase"};
  const ff_node *node = ff_reader_enter(reader, motion_node, "oscillate");
  if (!node) {
    return;
  }
  if (ff_reader_map(reader, node, keys, FF_COUNT(keys))) {
    scene_read_sine(reader, node, motion, false);
    ff_get_vec3(reader, node, "amplitude", 0, &motion->amplitude);
  }
  ff_reader_leave(reader);
}

static void scene_read_spin(ff_reader *reader, const ff_node *motion_node, ff_motion *motion) {
  static const char *const keys[] = {"axis", "rate"};
  const ff_node *node = ff_reader_enter(reader, motion_node, "spin");
  if (!node) {
    return;
  }
  if (ff_reader_map(reader, node, keys, FF_COUNT(keys))) {
    scene_read_motion_axis(reader, node, motion, false);
    ff_reader_require(reader, node, "rate");
    ff_get_table(reader, node, "rate", FF_ALLOW_RATE, &motion->rate);
  }
  ff_reader_leave(reader);
}

static void scene_read_swing(ff_reader *reader, const ff_node *motion_node, ff_motion *motion) {
  static const char *const keys[] = {"axis", "amplitude", "frequency", "phase"};
  const ff_node *node = ff_reader_enter(reader, motion_node, "swing");
  if (!node) {
    return;
  }
  if (ff_reader_map(reader, node, keys, FF_COUNT(keys))) {
    scene_read_motion_axis(reader, node, motion, ff_tree_find(motion_node, "spin") != NULL);
    scene_read_sine(reader, node, motion, ff_tree_find(motion_node, "oscillate") != NULL);
    ff_get_number(reader, node, "amplitude", FF_ALLOW_ANGLE, &motion->swing_amplitude);
  }
  ff_reader_leave(reader);
}

static void scene_read_motion(ff_reader *reader, const ff_node *body, ff_body_def *def) {
  static const char *const keys[] = {"velocity", "oscillate", "spin", "swing"};
  const ff_node *node = ff_reader_enter(reader, body, "motion");
  if (!node) {
    return;
  }
  if (def->kind == FF_BODY_FIXED) {
    ff_reader_fail(reader, node, "is either fixed or has a motion, not both");
  }
  def->kind = FF_BODY_PRESCRIBED;
  if (ff_reader_map(reader, node, keys, FF_COUNT(keys))) {
    ff_get_table(reader, node, "velocity", 0, &def->motion.velocity);
    scene_read_oscillate(reader, node, &def->motion);
    scene_read_spin(reader, node, &def->motion);
    scene_read_swing(reader, node, &def->motion);
  }
  ff_reader_leave(reader);
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static void scene_read_inertia(ff_reader *reader, const ff_node *body, ff_mat3 *out) {
  const ff_node *node = ff_reader_enter(reader, body, "inertia");
  if (!node) {
    return;
  }
  ff_mat3 inertia = {{{0}}};
  if (node->kind == FF_NODE_LIST && node->count == 3 && node->first->kind == FF_NODE_LIST) {
    int row = 0;
    for (const ff_node *at = node->first; at && reader->status == FF_OK; at = at->next) {
      ff_reader_step(reader, at, row);
      ff_read_numbers(reader, at, 3, 0, inertia.m[row++]);
      ff_reader_leave(reader);
    }
  } else {
    double diagonal[3] = {0};
    ff_read_numbers(reader, node, 3, 0, diagonal);
    for (int i = 0; i < 3; i++) {
      inertia.m[i][i] = diagonal[i];
    }
  }
  *out = inertia;
  ff_reader_leave(reader);
}

/* Rejects keys that have no effect on bodies that are fixed or prescribed, or follow a track. */
static void scene_reject_free_keys(ff_reader *reader, const ff_node *node, const ff_body_def *def,
                                   bool tracked) {
  static const char *const free[] = {"mass", "com", "inertia", "density", "velocity", "omega"};
  static const char *const start[] = {"position", "orientation", "velocity", "omega"};
  if (def->kind != FF_BODY_FREE) {
    ff_reader_reject(reader, node, free, FF_COUNT(free),
                     def->kind == FF_BODY_FIXED ? "a body that is fixed" : "a body with a motion");
  }
  if (tracked) {
    ff_reader_reject(reader, node, start, FF_COUNT(start), "a body with a track");
  }
}

/* A track prescribes the motion, or pulls a free body by a spring. */
static bool scene_read_track(ff_reader *reader, const ff_node *node, ff_body_def *def) {
  if (!ff_read_track(reader, node, &def->track)) {
    return false;
  }
  if (def->kind != FF_BODY_FREE) {
    ff_reader_fail(reader, ff_tree_find(node, "track"), "is one of fixed, motion and track");
  }
  bool pulled = ff_tree_find(ff_tree_find(node, "track"), "spring") != NULL;
  def->kind = pulled ? FF_BODY_FREE : FF_BODY_PRESCRIBED;
  return true;
}

static void scene_read_body(ff_reader *reader, const ff_node *node) {
  static const char *const keys[] = {
      "fixed",  "motion",   "mass",        "com",      "inertia", "density", "material", "shape",
      "shapes", "position", "orientation", "velocity", "omega",   "colour",  "track",    "grid"};
  ff_body_def def = ff_body_def_default();
  def.name = node->key->text;
  if (!ff_reader_map(reader, node, keys, FF_COUNT(keys))) {
    return;
  }
  bool fixed = false;
  ff_get_flag(reader, node, "fixed", &fixed);
  def.kind = fixed ? FF_BODY_FIXED : FF_BODY_FREE;
  scene_read_motion(reader, node, &def);
  bool tracked = scene_read_track(reader, node, &def);
  scene_reject_free_keys(reader, node, &def, tracked);
  ff_get_number(reader, node, "mass", 0, &def.mass);
  ff_get_vec3(reader, node, "com", 0, &def.com);
  scene_read_inertia(reader, node, &def.inertia);
  ff_get_number(reader, node, "density", 0, &def.density);
  ff_get_text(reader, node, "material", &def.material);
  ff_get_colour(reader, node, &def.colour);
  ff_get_vec3(reader, node, "position", 0, &def.position);
  ff_get_orientation(reader, node, &def.orientation);
  ff_get_vec3(reader, node, "velocity", 0, &def.velocity);
  ff_get_vec3(reader, node, "omega", FF_ALLOW_RATE, &def.omega);
  ff_body_grid grid;
  if (ff_read_grid(reader, node, &grid)) {
    if (tracked) {
      ff_reader_fail(reader, ff_tree_find(node, "grid"), "does not go with a track");
    }
    ff_reader_fill_grid(reader, &grid, &def, node);
  } else if (reader->status == FF_OK) {
    ff_body body;
    ff_reader_take(reader, ff_scene_add_body(&body, reader->scene, &def));
    ff_read_shapes(reader, node, body);
  }
}

void ff_read_bodies(ff_reader *reader, const ff_node *root) {
  if (!ff_tree_find(root, "robots")) {
    ff_reader_require(reader, root, "bodies");
  }
  const ff_node *node = ff_reader_enter(reader, root, "bodies");
  if (!node) {
    return;
  }
  if (ff_reader_names(reader, node, "body")) {
    for (const ff_node *at = node->first; at && reader->status == FF_OK; at = at->next) {
      ff_reader_step(reader, at, 0);
      scene_read_body(reader, at);
      ff_reader_leave(reader);
    }
  }
  ff_reader_leave(reader);
}
