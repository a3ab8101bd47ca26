/* Structured values: orientations and tables over time. */
#include "io/scene_reader.h"
#include "math/vec.h"

/* ---- orientations ---------------------------------------------------------------------------- */

static ff_quat value_read_quaternion(ff_reader *reader, const ff_node *node) {
  double q[4] = {1, 0, 0, 0};
  ff_read_numbers(reader, node, 4, 0, q);
  ff_quat quat = {q[0], q[1], q[2], q[3]};
  double length = q_norm(quat);
  /* Three written digits are enough for a unit quaternion; a larger deviation is an error. */
  if (!(fabs(length - 1.0) < 1e-3)) {
    ff_reader_fail(reader, node, "a quaternion [w, x, y, z] must have length 1, this has %.6g",
                   length);
    return q_identity();
  }
  return q_unit(quat);
}

static ff_quat value_read_axis_angle(ff_reader *reader, const ff_node *node) {
  ff_vec3 axis = {0};
  double angle = 0;
  ff_reader_require(reader, node, "axis");
  ff_reader_require(reader, node, "angle");
  ff_get_vec3(reader, node, "axis", 0, &axis);
  ff_get_number(reader, node, "angle", FF_ALLOW_ANGLE, &angle);
  double length = v3_norm(axis);
  if (!(length > 0 && isfinite(length))) {
    ff_reader_fail(reader, node, "the axis must not be [0, 0, 0]");
    return q_identity();
  }
  return q_exp(v3_scale(angle / length, axis));
}

/* Roll about x, then pitch about y, then yaw about z, all in the outer frame. */
static ff_quat value_read_rpy(ff_reader *reader, const ff_node *node) {
  ff_vec3 rpy = {0};
  ff_get_vec3(reader, node, "rpy", FF_ALLOW_ANGLE, &rpy);
  ff_quat roll = q_exp(v3(rpy.x, 0, 0));
  ff_quat pitch = q_exp(v3(0, rpy.y, 0));
  ff_quat yaw = q_exp(v3(0, 0, rpy.z));
  return q_unit(q_mul(yaw, q_mul(pitch, roll)));
}

void ff_get_orientation(ff_reader *reader, const ff_node *map, ff_quat *out) {
  static const char *const keys[] = {"axis", "angle", "rpy"};
  const ff_node *node = ff_reader_enter(reader, map, "orientation");
  if (!node) {
    return;
  }
  if (node->kind == FF_NODE_LIST) {
    *out = value_read_quaternion(reader, node);
  } else if (node->kind == FF_NODE_SCALAR) {
    ff_reader_fail(reader, node,
                   "must be [w, x, y, z], {axis: [x, y, z], angle: 30 deg} or {rpy: [r, p, y]}");
  } else if (ff_reader_map(reader, node, keys, FF_COUNT(keys))) {
    bool rpy = ff_tree_find(node, "rpy") != NULL;
    if (rpy && node->count > 1) {
      ff_reader_fail(reader, node, "takes either rpy or axis and angle, not both");
    }
    *out = rpy ? value_read_rpy(reader, node) : value_read_axis_angle(reader, node);
  }
  ff_reader_leave(reader);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void table_read_row(ff_reader *reader, const ff_node *node, int row, unsigned allow,
                           const ff_table *table, double *values) {
  int width = table->width + 1;
  double *here = values + (size_t)row * (size_t)width;
  ff_reader_step(reader, node, row);
  ff_read_numbers(reader, node, width, allow, here);
  if (reader->status == FF_OK) {
    ff_read_number(reader, node->first, 0); /* the time has no unit */
  }
  if (row > 0 && reader->status == FF_OK && !(here[0] > here[-width])) {
    ff_reader_fail(reader, node, "time must increase from row to row: %g comes after %g", here[0],
                   here[-width]);
  }
  ff_reader_leave(reader);
}

static void table_read_rows(ff_reader *reader, const ff_node *node, unsigned allow, ff_table *out) {
  if (node->kind != FF_NODE_LIST || node->count == 0) {
    ff_reader_fail(reader, node, "must be a list of rows %s",
                   out->width == 3 ? "[time, x, y, z]" : "[time, value]");
    return;
  }
  if (node->count > FF_SCENE_ROWS_MAX) {
    ff_reader_fail(reader, node, "holds %d rows, at most %d are allowed", node->count,
                   FF_SCENE_ROWS_MAX);
    return;
  }
  size_t numbers = (size_t)node->count * (size_t)(out->width + 1);
  double *values = ff_arena_take(reader->arena, numbers, sizeof *values);
  if (!values) {
    ff_reader_take(reader, FF_ERROR_MEMORY);
    return;
  }
  for (const ff_node *at = node->first; at && reader->status == FF_OK; at = at->next) {
    table_read_row(reader, at, out->rows++, allow, out, values);
  }
  out->values = values;
}

static void table_read_constant(ff_reader *reader, const ff_node *node, unsigned allow,
                                ff_table *out) {
  double *row = ff_arena_take(reader->arena, 4, sizeof *row);
  if (!row) {
    ff_reader_take(reader, FF_ERROR_MEMORY);
    return;
  }
  if (out->width == 1) {
    row[1] = ff_read_number(reader, node, allow);
  } else {
    ff_read_numbers(reader, node, out->width, allow, row + 1);
  }
  out->values = row;
  out->rows = 1;
}

void ff_get_table(ff_reader *reader, const ff_node *map, const char *key, unsigned allow,
                  ff_table *out) {
  static const char *const keys[] = {"table"};
  const ff_node *node = ff_reader_enter(reader, map, key);
  if (!node) {
    return;
  }
  if (node->kind != FF_NODE_MAP) {
    table_read_constant(reader, node, allow, out);
  } else if (ff_reader_map(reader, node, keys, 1)) {
    ff_reader_require(reader, node, "table");
    const ff_node *rows = ff_reader_enter(reader, node, "table");
    if (rows) {
      table_read_rows(reader, rows, allow, out);
      ff_reader_leave(reader);
    }
  }
  ff_reader_leave(reader);
}

void ff_get_pair(ff_reader *reader, const ff_node *map, const char *more, const char **a,
                 const char **b) {
  ff_reader_require(reader, map, "pair");
  const ff_node *node = ff_reader_enter(reader, map, "pair");
  if (!node) {
    return;
  }
  const ff_node *first = node->kind == FF_NODE_LIST && node->count == 2 ? node->first : NULL;
  if (!first || first->kind != FF_NODE_SCALAR || first->next->kind != FF_NODE_SCALAR) {
    ff_reader_fail(reader, node, "must be two bodies, [a, b]%s", more);
  } else {
    *a = first->text;
    *b = first->next->text;
    ff_reader_record(reader, "0", first);
    ff_reader_record(reader, "1", first->next);
  }
  ff_reader_leave(reader);
}
