/* Grids: a body of a scene and its copies, in rows, columns and layers. */
#include "io/scene_reader.h"
#include "math/vec.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void grid_read_counts(ff_reader *reader, const ff_node *map, ff_body_grid *out) {
  double counts[3] = {1, 1, 1}, all = 1;
  const ff_node *node = ff_reader_enter(reader, map, "count");
  if (!node) {
    return;
  }
  ff_read_numbers(reader, node, 3, 0, counts);
  for (int d = 0; d < 3 && reader->status == FF_OK; d++) {
    if (!(counts[d] >= 1 && counts[d] <= FF_SCENE_ITEMS_MAX && counts[d] == floor(counts[d]))) {
      ff_reader_fail(reader, node, "must be three whole numbers from 1 on, got %g", counts[d]);
      break;
    }
    out->count[d] = (int)counts[d];
    all *= counts[d];
  }
  if (reader->status == FF_OK && all > FF_SCENE_ITEMS_MAX) {
    ff_reader_fail(reader, node, "makes %.0f bodies, at most %d are possible", all,
                   FF_SCENE_ITEMS_MAX);
  }
  ff_reader_leave(reader);
}

bool ff_read_grid(ff_reader *reader, const ff_node *body, ff_body_grid *out) {
  static const char *const keys[] = {"count", "spacing", "stagger", "aside", "turned", "seed"};
  const ff_node *node = ff_reader_enter(reader, body, "grid");
  if (!node) {
    return false;
  }
  *out = (ff_body_grid){.count = {1, 1, 1}, .seed = 1};
  if (ff_reader_map(reader, node, keys, FF_COUNT(keys))) {
    ff_reader_require(reader, node, "count");
    ff_reader_require(reader, node, "spacing");
    grid_read_counts(reader, node, out);
    ff_get_vec3(reader, node, "spacing", 0, &out->spacing);
    ff_get_vec3(reader, node, "stagger", 0, &out->stagger);
    ff_get_number(reader, node, "aside", 0, &out->aside);
    ff_get_flag(reader, node, "turned", &out->turned);
    ff_get_count(reader, node, "seed", INT32_MAX, &out->seed);
    if (reader->status == FF_OK && !(out->aside >= 0)) {
      ff_reader_fail(reader, ff_tree_find(node, "aside"), "must not be negative, got %g",
                     out->aside);
    }
  }
  ff_reader_leave(reader);
  return reader->status == FF_OK;
}

/* Uniform in -1 .. 1, by splitmix64. */
static double grid_draw(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return ldexp((double)((z ^ (z >> 31)) >> 11), -52) - 1;
}

/* Uniform over all orientations: a point in the unit ball of four dimensions, made unit. */
static ff_quat grid_draw_turn(uint64_t *state) {
  for (;;) {
    ff_quat q = {grid_draw(state), grid_draw(state), grid_draw(state), grid_draw(state)};
    double size = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    if (size <= 1 && size > 1e-6) {
      return q_unit(q);
    }
  }
}

static void grid_place(const ff_body_grid *grid, int index, uint64_t *state, ff_body_def *def) {
  int i = index % grid->count[0], j = index / grid->count[0] % grid->count[1];
  int k = index / grid->count[0] / grid->count[1];
  def->position.x += i * grid->spacing.x;
  def->position.y += j * grid->spacing.y;
  def->position.z += k * grid->spacing.z;
  if (k % 2 > 0) {
    def->position = v3_add(def->position, grid->stagger);
  }
  double x = grid_draw(state), y = grid_draw(state), z = grid_draw(state);
  def->position = v3_axpy(def->position, grid->aside, v3(x, y, z));
  if (grid->turned) {
    def->orientation = q_mul(grid_draw_turn(state), def->orientation);
  }
}

void ff_reader_fill_grid(ff_reader *reader, const ff_body_grid *grid, const ff_body_def *def,
                         const ff_node *node) {
  uint64_t state = (uint64_t)grid->seed;
  int count = grid->count[0] * grid->count[1] * grid->count[2], first = 0, shapes = 0, at = 0;
  for (int n = 0; n < count && reader->status == FF_OK; n++) {
    char name[FF_SCENE_NAME_MAX + 16];
    ff_body_def copy = *def;
    ff_body body;
    if (n == 0) {
      snprintf(name, sizeof name, "%s", def->name);
    } else {
      snprintf(name, sizeof name, "%s-%d", def->name, n + 1);
    }
    copy.name = name;
    copy.copy_of = first;
    grid_place(grid, n, &state, &copy);
    ff_reader_take(reader, ff_scene_add_body(&body, reader->scene, &copy));
    if (n == 0 && reader->status == FF_OK) {
      first = body.id;
      at = reader->scene->shape_count;
      ff_read_shapes(reader, node, body);
      shapes = reader->scene->shape_count - at;
    }
    for (int s = 0; n > 0 && s < shapes && reader->status == FF_OK; s++) {
      ff_shape shape;
      const ff_shape_def *like = &reader->scene->shapes[at + s].def;
      ff_reader_take(reader, ff_scene_add_shape(&shape, reader->scene, body, like));
    }
  }
}
