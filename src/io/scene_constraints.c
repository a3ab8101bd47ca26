/* Constraints between two bodies. */
#include "io/scene_reader.h"

/* Keys of each kind, so that a key of another kind is an error. */
static const struct {
  const char *keys[8];
  int count;
} kind_keys[FF_CONSTRAINT_KIND_COUNT] = {
    [FF_CONSTRAINT_BALL] = {{"kind", "pair", "at", "anchor-a", "anchor-b"}, 5},
    [FF_CONSTRAINT_HINGE] = {{"kind", "pair", "at", "anchor-a", "anchor-b", "axis", "axis-a"}, 7},
    [FF_CONSTRAINT_WELD] = {{"kind", "pair", "at", "anchor-a", "anchor-b"}, 5},
    [FF_CONSTRAINT_DISTANCE] = {{"kind", "pair", "anchor-a", "anchor-b", "length"}, 5},
};

static void scene_read_constraint(ff_reader *reader, const ff_node *node) {
  const char *kinds[FF_CONSTRAINT_KIND_COUNT];
  for (int i = 0; i < FF_CONSTRAINT_KIND_COUNT; i++) {
    kinds[i] = ff_constraint_kind_name((ff_constraint_kind)i);
  }
  if (node->kind != FF_NODE_MAP) {
    ff_reader_fail(reader, node, "must be a mapping {kind: hinge, pair: [a, b], ...}");
    return;
  }
  int kind = 0;
  ff_reader_require(reader, node, "kind");
  ff_get_word(reader, node, "kind", "kind of constraint", kinds, FF_COUNT(kinds), &kind);
  if (reader->status != FF_OK ||
      !ff_reader_map(reader, node, kind_keys[kind].keys, kind_keys[kind].count)) {
    return;
  }
  ff_constraint_def def = ff_constraint_def_default();
  def.name = node->key->text;
  def.kind = (ff_constraint_kind)kind;
  ff_get_pair(reader, node, "", &def.a, &def.b);
  ff_get_vec3(reader, node, "at", 0, &def.at);
  ff_get_vec3(reader, node, "anchor-a", 0, &def.anchor_a);
  ff_get_vec3(reader, node, "anchor-b", 0, &def.anchor_b);
  ff_get_vec3(reader, node, "axis", 0, &def.axis);
  ff_get_vec3(reader, node, "axis-a", 0, &def.axis_a);
  ff_get_number(reader, node, "length", 0, &def.length);
  if (reader->status == FF_OK) {
    ff_reader_take(reader, ff_scene_add_constraint(reader->scene, &def));
  }
}

void ff_read_constraints(ff_reader *reader, const ff_node *root) {
  const ff_node *node = ff_reader_enter(reader, root, "constraints");
  if (!node) {
    return;
  }
  if (ff_reader_names(reader, node, "constraint")) {
    for (const ff_node *at = node->first; at && reader->status == FF_OK; at = at->next) {
      ff_reader_step(reader, at, 0);
      scene_read_constraint(reader, at);
      ff_reader_leave(reader);
    }
  }
  ff_reader_leave(reader);
}
