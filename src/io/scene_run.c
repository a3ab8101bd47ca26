/* Run settings of a scene: gravity, duration, stepper, recording, audit. */
#include "io/scene_reader.h"
#include "model/steppers.h"

#include <string.h>

enum { CHANNELS_MAX = 10000, PASSES_MAX = 10 };

static void run_read_micro_macro(ff_reader *reader, const ff_node *node, ff_stepper_def *def) {
  bool sticking = true;
  ff_get_text(reader, node, "micro", &def->micro);
  ff_get_number(reader, node, "lambda", 0, &def->lambda);
  ff_get_number(reader, node, "lambda-relative", 0, &def->lambda_relative);
  ff_get_number(reader, node, "slip-speed", 0, &def->slip_speed);
  ff_get_flag(reader, node, "sticking", &sticking);
  ff_get_flag(reader, node, "exclusive", &def->exclusive);
  ff_get_flag(reader, node, "corrections", &def->corrections);
  ff_get_count(reader, node, "passes", PASSES_MAX, &def->passes);
  def->no_sticking = !sticking;
}

/* A number, or `exact`. */
static void run_read_accuracy(ff_reader *reader, const ff_node *node, ff_stepper_def *def) {
  const ff_node *accuracy = ff_tree_find(node, "accuracy");
  if (accuracy && accuracy->kind == FF_NODE_SCALAR && strcmp(accuracy->text, "exact") == 0) {
    def->accuracy = 0;
    return;
  }
  ff_get_number(reader, node, "accuracy", 0, &def->accuracy);
  if (accuracy && reader->status == FF_OK && !(def->accuracy > 0)) {
    ff_reader_enter(reader, node, "accuracy");
    ff_reader_fail(reader, accuracy, "must be more than 0, or `exact`");
    ff_reader_leave(reader);
  }
}

static void run_read_stepper(ff_reader *reader, const ff_node *root, ff_stepper_def *def) {
  static const char *const keys[] = {
      "kind",   "step",        "order",           "rtol",       "atol",     "max-step",
      "micro",  "lambda",      "lambda-relative", "slip-speed", "sticking", "exclusive",
      "passes", "corrections", "geometry",        "accuracy",   "sleep",    "sleep-speed"};
  static const char *const geometries[] = {"implicit", "explicit", "level-sets"};
  const char *kinds[FF_STEPPERS_MAX + 1];
  int kind_count = ff_stepper_all_names(kinds);
  kinds[kind_count++] = "auto";
  const ff_node *node = ff_reader_enter(reader, root, "stepper");
  if (!node) {
    return;
  }
  if (ff_reader_map(reader, node, keys, FF_COUNT(keys))) {
    int kind = 0;
    ff_reader_require(reader, node, "kind");
    ff_get_word(reader, node, "kind", "stepper", kinds, kind_count, &kind);
    def->kind = reader->status == FF_OK ? kinds[kind] : def->kind;
    ff_get_number(reader, node, "step", 0, &def->step);
    ff_get_count(reader, node, "order", 9, &def->order);
    int geometry = (int)def->geometry;
    ff_get_word(reader, node, "geometry", "geometry", geometries, 3, &geometry);
    def->geometry = (ff_step_geometry)geometry;
    run_read_accuracy(reader, node, def);
    ff_get_number(reader, node, "sleep", 0, &def->sleep);
    ff_get_number(reader, node, "sleep-speed", 0, &def->sleep_speed);
    ff_get_number(reader, node, "rtol", 0, &def->rtol);
    ff_get_number(reader, node, "atol", 0, &def->atol);
    ff_get_number(reader, node, "max-step", 0, &def->max_step);
    run_read_micro_macro(reader, node, def);
  }
  ff_reader_leave(reader);
}

static void run_read_channels(ff_reader *reader, const ff_node *record, ff_run_def *def) {
  const ff_node *node = ff_reader_enter(reader, record, "channels");
  if (!node) {
    return;
  }
  if (ff_reader_list(reader, node, CHANNELS_MAX)) {
    const char **globs = ff_arena_take(reader->arena, (size_t)node->count, sizeof *globs);
    ff_reader_take(reader, globs ? FF_OK : FF_ERROR_MEMORY);
    for (const ff_node *at = node->first; at && reader->status == FF_OK; at = at->next) {
      ff_reader_step(reader, at, def->channel_count);
      if (at->kind != FF_NODE_SCALAR || !at->text[0]) {
        ff_reader_fail(reader, at, "must be a channel such as body.ball.* or energy.*");
      } else {
        globs[def->channel_count++] = at->text;
      }
      ff_reader_leave(reader);
    }
    def->channels = globs;
  }
  ff_reader_leave(reader);
}

static void run_read_record(ff_reader *reader, const ff_node *root, ff_run_def *def) {
  static const char *const keys[] = {"every", "channels", "contacts"};
  const ff_node *node = ff_reader_enter(reader, root, "record");
  if (!node) {
    return;
  }
  if (ff_reader_map(reader, node, keys, FF_COUNT(keys))) {
    bool contacts = false;
    ff_get_number(reader, node, "every", 0, &def->record_every);
    ff_get_flag(reader, node, "contacts", &contacts);
    if (ff_tree_find(node, "contacts")) {
      def->contact_table = contacts ? FF_CONTACT_TABLE_YES : FF_CONTACT_TABLE_NO;
    }
    run_read_channels(reader, node, def);
  }
  ff_reader_leave(reader);
}

static void run_read_audit(ff_reader *reader, const ff_node *root, ff_run_def *def) {
  static const char *const keys[] = {"energy-tolerance"};
  const ff_node *node = ff_reader_enter(reader, root, "audit");
  if (!node) {
    return;
  }
  if (ff_reader_map(reader, node, keys, FF_COUNT(keys))) {
    ff_get_number(reader, node, "energy-tolerance", 0, &def->energy_tolerance);
  }
  ff_reader_leave(reader);
}

static void run_read_capacity(ff_reader *reader, const ff_node *root, ff_run_def *def) {
  static const char *const keys[] = {"contacts"};
  const ff_node *node = ff_reader_enter(reader, root, "capacity");
  if (!node) {
    return;
  }
  if (ff_reader_map(reader, node, keys, FF_COUNT(keys))) {
    ff_get_count(reader, node, "contacts", FF_SCENE_CONTACTS_MAX, &def->contact_capacity);
  }
  ff_reader_leave(reader);
}

void ff_read_run(ff_reader *reader, const ff_node *root) {
  ff_run_def def = ff_run_def_default();
  ff_get_vec3(reader, root, "gravity", 0, &def.gravity);
  ff_get_number(reader, root, "duration", 0, &def.duration);
  run_read_stepper(reader, root, &def.stepper);
  run_read_record(reader, root, &def);
  run_read_audit(reader, root, &def);
  run_read_capacity(reader, root, &def);
  def.no_default_contacts = ff_tree_find(root, "contacts") != NULL;
  if (reader->status == FF_OK) {
    ff_reader_take(reader, ff_scene_set_run(reader->scene, &def));
  }
}
