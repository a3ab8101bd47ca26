/* Forces, and drives with their phases. */
#include "io/scene_reader.h"

#include <math.h>
#include <string.h>

/* ---- forces ---------------------------------------------------------------------------------- */

static void scene_read_force(ff_reader *reader, const ff_node *node, void *context) {
  (void)context;
  static const char *const keys[] = {"body", "force", "torque", "point", "frame"};
  static const char *const frames[] = {"world", "body"};
  if (!ff_reader_map(reader, node, keys, FF_COUNT(keys))) {
    return;
  }
  ff_force_def def = ff_force_def_default();
  int frame = 0;
  ff_reader_require(reader, node, "body");
  ff_get_text(reader, node, "body", &def.body);
  ff_get_table(reader, node, "force", 0, &def.force);
  ff_get_table(reader, node, "torque", 0, &def.torque);
  ff_get_vec3(reader, node, "point", 0, &def.point);
  ff_get_word(reader, node, "frame", "frame", frames, FF_COUNT(frames), &frame);
  def.body_frame = frame == 1;
  if (def.force.rows == 0 && def.torque.rows == 0) {
    ff_reader_fail(reader, node, "needs a force or a torque");
  }
  if (reader->status == FF_OK) {
    ff_reader_take(reader, ff_scene_add_force(reader->scene, &def));
  }
}

void ff_read_forces(ff_reader *reader, const ff_node *root) {
  ff_reader_each(reader, root, "forces", scene_read_force, NULL);
}

/* ---- phases ---------------------------------------------------------------------------------- */

/* `start: 0.1`, or `start: actual` for the actual position at that time. */
static void scene_read_phase_start(ff_reader *reader, const ff_node *phase, double *out) {
  const ff_node *node = ff_reader_enter(reader, phase, "start");
  if (!node) {
    return;
  }
  bool actual = node->kind == FF_NODE_SCALAR && !strcmp(node->text, "actual");
  *out = actual ? (double)NAN : ff_read_number(reader, node, 0);
  ff_reader_leave(reader);
}

/* Keys of each kind, so that a key of another kind is an error. */
static const struct {
  const char *keys[6];
  int count;
} phase_keys[] = {
    [FF_PHASE_OFF] = {{"kind", "until"}, 2},
    [FF_PHASE_POSITION] = {{"kind", "until", "stiffness", "damping", "velocity", "start"}, 6},
    [FF_PHASE_FORCE] = {{"kind", "until", "force"}, 3},
};

static ff_phase_def scene_read_phase(ff_reader *reader, const ff_node *node) {
  static const char *const kinds[] = {
      [FF_PHASE_OFF] = "off", [FF_PHASE_POSITION] = "position", [FF_PHASE_FORCE] = "force"};
  ff_phase_def def = ff_phase_def_default();
  if (node->kind != FF_NODE_MAP) {
    ff_reader_fail(reader, node, "must be a mapping {kind: position, until: ..., ...}");
    return def;
  }
  int kind = 0;
  ff_reader_require(reader, node, "kind");
  ff_get_word(reader, node, "kind", "kind of phase", kinds, FF_COUNT(kinds), &kind);
  if (reader->status != FF_OK ||
      !ff_reader_map(reader, node, phase_keys[kind].keys, phase_keys[kind].count)) {
    return def;
  }
  def.kind = (ff_phase_kind)kind;
  ff_get_number(reader, node, "until", FF_ALLOW_INFINITE, &def.until);
  ff_get_number(reader, node, "stiffness", 0, &def.stiffness);
  ff_get_number(reader, node, "damping", 0, &def.damping);
  ff_get_table(reader, node, "velocity", 0, &def.velocity);
  scene_read_phase_start(reader, node, &def.start);
  if (def.kind == FF_PHASE_FORCE) {
    ff_reader_require(reader, node, "force");
  }
  ff_get_table(reader, node, "force", 0, &def.force);
  return def;
}

static void scene_read_phases(ff_reader *reader, const ff_node *drive, ff_drive_def *def) {
  ff_reader_require(reader, drive, "phases");
  const ff_node *node = ff_reader_enter(reader, drive, "phases");
  if (!node) {
    return;
  }
  if (ff_reader_list(reader, node, FF_SCENE_ITEMS_MAX)) {
    ff_phase_def *phases = ff_arena_take(reader->arena, (size_t)node->count, sizeof *phases);
    ff_reader_take(reader, phases ? FF_OK : FF_ERROR_MEMORY);
    for (const ff_node *at = node->first; at && reader->status == FF_OK; at = at->next) {
      ff_reader_step(reader, at, def->phase_count);
      phases[def->phase_count++] = scene_read_phase(reader, at);
      ff_reader_leave(reader);
    }
    def->phases = phases;
  }
  ff_reader_leave(reader);
}

/* ---- drives ---------------------------------------------------------------------------------- */

static void scene_read_drive(ff_reader *reader, const ff_node *node) {
  static const char *const keys[] = {"body", "axis", "reference", "phases"};
  if (!ff_reader_map(reader, node, keys, FF_COUNT(keys))) {
    return;
  }
  ff_drive_def def = ff_drive_def_default();
  def.name = node->key->text;
  ff_reader_require(reader, node, "body");
  ff_get_text(reader, node, "body", &def.body);
  ff_get_vec3(reader, node, "axis", 0, &def.axis);
  ff_get_vec3(reader, node, "reference", 0, &def.reference);
  scene_read_phases(reader, node, &def);
  if (reader->status == FF_OK) {
    ff_reader_take(reader, ff_scene_add_drive(reader->scene, &def));
  }
}

void ff_read_drives(ff_reader *reader, const ff_node *root) {
  const ff_node *node = ff_reader_enter(reader, root, "drives");
  if (!node) {
    return;
  }
  if (ff_reader_names(reader, node, "drive")) {
    for (const ff_node *at = node->first; at && reader->status == FF_OK; at = at->next) {
      ff_reader_step(reader, at, 0);
      scene_read_drive(reader, at);
      ff_reader_leave(reader);
    }
  }
  ff_reader_leave(reader);
}
