/* Shapes of a body: {sphere: {radius: 0.1}, position: ..., orientation: ..., material: ...}. */
#include "io/scene_reader.h"
#include "math/vec.h"

/* ---- kinds ----------------------------------------------------------------------------------- */

/* Shortest rotation that takes z to the unit normal n. */
static ff_quat rotation_from_z(ff_vec3 n) {
  /* q = (1 + z.n, z x n), normalised: half the angle between z and n. */
  ff_quat q = {1 + n.z, -n.y, n.x, 0};
  double length = q_norm(q);
  if (length < 1e-8) { /* n = -z: the axis is arbitrary; use x */
    return (ff_quat){0, 1, 0, 0};
  }
  return q_unit(q);
}

static ff_pose shape_read_plane(ff_reader *reader, const ff_node *node) {
  ff_vec3 normal = {0, 0, 1}, point = {0, 0, 0};
  double offset = 0;
  ff_get_vec3(reader, node, "normal", 0, &normal);
  ff_get_number(reader, node, "offset", 0, &offset);
  ff_get_vec3(reader, node, "point", 0, &point);
  double length = v3_norm(normal);
  if (!(length > 0 && isfinite(length))) {
    ff_reader_fail(reader, node, "the normal must not be [0, 0, 0]");
    return (ff_pose){{0, 0, 0}, q_identity()};
  }
  if (ff_tree_find(node, "point") && ff_tree_find(node, "offset")) {
    ff_reader_fail(reader, node, "takes either offset or point, not both");
  }
  normal = v3_scale(1.0 / length, normal);
  return (ff_pose){v3_axpy(point, offset, normal), rotation_from_z(normal)};
}

static void shape_require_number(ff_reader *reader, const ff_node *node, const char *key,
                                 double *out) {
  ff_reader_require(reader, node, key);
  ff_get_number(reader, node, key, 0, out);
}

static void shape_read_exponents(ff_reader *reader, const ff_node *map, double exponents[2]) {
  const ff_node *node = ff_reader_enter(reader, map, "exponents");
  if (node) {
    ff_read_numbers(reader, node, 2, 0, exponents);
    ff_reader_leave(reader);
  }
}

/* A list under construction. */
typedef struct vertex_list {
  ff_vec3 *at;
  int count, capacity;
} vertex_list;

static void shape_read_vertex(ff_reader *reader, const ff_node *node, void *context) {
  vertex_list *list = context;
  double v[3] = {0, 0, 0};
  ff_read_numbers(reader, node, 3, 0, v);
  if (list->count < list->capacity) {
    list->at[list->count++] = v3_load(v);
  }
}

static void shape_read_vertices(ff_reader *reader, const ff_node *map, ff_shape_def *def) {
  ff_reader_require(reader, map, "vertices");
  const ff_node *node = ff_tree_find(map, "vertices");
  vertex_list list = {.capacity = node ? node->count : 0};
  list.at = ff_arena_take(reader->arena, (size_t)list.capacity, sizeof *list.at);
  if (!list.at) {
    ff_reader_take(reader, FF_ERROR_MEMORY);
    return;
  }
  ff_reader_each(reader, map, "vertices", shape_read_vertex, &list);
  def->vertices = list.at;
  def->vertex_count = list.count;
}

/* Members of an intersection are shapes without material. */
typedef struct member_list {
  ff_shape_def *at;
  int count, capacity;
} member_list;

static void shape_read_form(ff_reader *reader, const ff_node *node, bool member, ff_shape_def *def);

static void shape_read_member(ff_reader *reader, const ff_node *node, void *context) {
  member_list *list = context;
  ff_shape_def def = ff_shape_def_default();
  shape_read_form(reader, node, true, &def);
  if (list->count < list->capacity) {
    list->at[list->count++] = def;
  }
}

static void shape_read_members(ff_reader *reader, const ff_node *map, ff_shape_def *def) {
  ff_reader_require(reader, map, "members");
  member_list list = {.capacity = FF_INTERSECTION_MEMBERS_MAX};
  const ff_node *node = ff_tree_find(map, "members");
  if (node && node->count > list.capacity) {
    ff_reader_fail(reader, node, "has %d members; at most %d are allowed", node->count,
                   list.capacity);
  }
  list.at = ff_arena_take(reader->arena, (size_t)list.capacity, sizeof *list.at);
  if (!list.at) {
    ff_reader_take(reader, FF_ERROR_MEMORY);
    return;
  }
  ff_reader_each(reader, map, "members", shape_read_member, &list);
  def->members = list.at;
  def->member_count = list.count;
}

/* Full extents, lengths and heights in the scene; halves in the definition. */
static void shape_read_size(ff_reader *reader, const ff_node *node, ff_shape_def *def) {
  switch (def->kind) {
    case FF_SPHERE: shape_require_number(reader, node, "radius", &def->size.x); break;
    case FF_ELLIPSOID:
      ff_reader_require(reader, node, "axes");
      ff_get_vec3(reader, node, "axes", 0, &def->size);
      break;
    case FF_BOX:
      ff_reader_require(reader, node, "size");
      ff_get_vec3(reader, node, "size", 0, &def->size);
      def->size = v3_scale(0.5, def->size);
      break;
    case FF_CAPSULE:
    case FF_CYLINDER:
      shape_require_number(reader, node, "radius", &def->size.x);
      shape_require_number(reader, node, def->kind == FF_CAPSULE ? "length" : "height",
                           &def->size.y);
      def->size.y *= 0.5;
      break;
    case FF_SUPERELLIPSOID:
      ff_reader_require(reader, node, "axes");
      ff_get_vec3(reader, node, "axes", 0, &def->size);
      shape_read_exponents(reader, node, def->exponents);
      break;
    case FF_CONE:
      shape_require_number(reader, node, "radius", &def->size.x);
      shape_require_number(reader, node, "height", &def->size.y);
      break;
    case FF_POLYHEDRON: shape_read_vertices(reader, node, def); break;
    case FF_INTERSECTION: shape_read_members(reader, node, def); break;
    case FF_HALF_SPACE:
    case FF_SHAPE_KIND_COUNT: break;
  }
}

static const struct {
  const char *keys[3];
  int count;
} kind_keys[FF_SHAPE_KIND_COUNT] = {
    [FF_HALF_SPACE] = {{"normal", "offset", "point"}, 3},
    [FF_SPHERE] = {{"radius"}, 1},
    [FF_ELLIPSOID] = {{"axes"}, 1},
    [FF_BOX] = {{"size"}, 1},
    [FF_CAPSULE] = {{"radius", "length"}, 2},
    [FF_CYLINDER] = {{"radius", "height"}, 2},
    [FF_SUPERELLIPSOID] = {{"axes", "exponents"}, 2},
    [FF_POLYHEDRON] = {{"vertices"}, 1},
    [FF_INTERSECTION] = {{"members"}, 1},
    [FF_CONE] = {{"radius", "height"}, 2},
};

static void shape_read_kind(ff_reader *reader, const ff_node *shape, ff_shape_def *def) {
  const ff_node *node = ff_reader_enter(reader, shape, ff_shape_kind_name(def->kind));
  if (!node) {
    return;
  }
  def->size = v3(0, 0, 0);
  if (ff_reader_map(reader, node, kind_keys[def->kind].keys, kind_keys[def->kind].count)) {
    if (def->kind == FF_HALF_SPACE) {
      ff_pose outer = {def->position, def->orientation};
      ff_pose plane = pose_mul(outer, shape_read_plane(reader, node));
      def->position = plane.position;
      def->orientation = plane.orientation;
    }
    shape_read_size(reader, node, def);
  }
  ff_reader_leave(reader);
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* Finds the kind of a shape. */
static void shape_find_kind(ff_reader *reader, const ff_node *node, ff_shape_kind *out) {
  int found = 0;
  for (int kind = 0; kind < FF_SHAPE_KIND_COUNT; kind++) {
    if (ff_tree_find(node, ff_shape_kind_name((ff_shape_kind)kind))) {
      *out = (ff_shape_kind)kind;
      found++;
    }
  }
  if (found != 1) {
    ff_reader_fail(reader, node,
                   "needs exactly one of half-space, sphere, ellipsoid, box, "
                   "capsule, cylinder, superellipsoid, polyhedron, intersection; has %d",
                   found);
  }
}

/* Reads a shape of a body, or a member of an intersection, which has fewer keys. */
static void shape_read_form(ff_reader *reader, const ff_node *node, bool member,
                            ff_shape_def *def) {
  const char *keys[FF_SHAPE_KIND_COUNT + 3];
  for (int kind = 0; kind < FF_SHAPE_KIND_COUNT; kind++) {
    keys[kind] = ff_shape_kind_name((ff_shape_kind)kind);
  }
  keys[FF_SHAPE_KIND_COUNT] = "position";
  keys[FF_SHAPE_KIND_COUNT + 1] = "orientation";
  keys[FF_SHAPE_KIND_COUNT + 2] = "material";
  if (!ff_reader_map(reader, node, keys, FF_COUNT(keys))) {
    return;
  }
  if (member && (ff_tree_find(node, "intersection") || ff_tree_find(node, "material"))) {
    ff_reader_fail(reader, node, "a member can neither be an intersection nor have a material");
  }
  shape_find_kind(reader, node, &def->kind);
  ff_get_vec3(reader, node, "position", 0, &def->position);
  ff_get_orientation(reader, node, &def->orientation);
  ff_get_text(reader, node, "material", &def->material);
  shape_read_kind(reader, node, def);
}

static void shape_read(ff_reader *reader, const ff_node *node, void *context) {
  const ff_body *body = context;
  ff_shape_def def = ff_shape_def_default();
  shape_read_form(reader, node, false, &def);
  if (reader->scene->shape_count == FF_SCENE_ITEMS_MAX) {
    ff_reader_fail(reader, node, "exceeds the limit of %d shapes", FF_SCENE_ITEMS_MAX);
  }
  if (reader->status == FF_OK) {
    ff_shape shape;
    ff_reader_take(reader, ff_scene_add_shape(&shape, reader->scene, *body, &def));
  }
}

/* `shape: X` is short for `shapes: [X]`; the model reports on shapes.0. */
static void shape_read_single(ff_reader *reader, const ff_node *body_node, ff_body body) {
  const ff_node *node = ff_reader_enter(reader, body_node, "shape");
  if (!node) {
    return;
  }
  if (ff_tree_find(body_node, "shapes")) {
    ff_reader_fail(reader, node, "takes either shape or shapes, not both");
  }
  shape_read(reader, node, &body);
  ff_reader_leave(reader);
  ff_reader_record(reader, "shapes.0", node);
}

void ff_read_shapes(ff_reader *reader, const ff_node *body_node, ff_body body) {
  shape_read_single(reader, body_node, body);
  ff_reader_each(reader, body_node, "shapes", shape_read, &body);
}
