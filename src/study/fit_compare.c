/* Compared quantities of a fit and their measurement model. */
#include "study/fit_read.h"

#include "base/report.h"
#include "footfall/io.h"

#include <math.h>
#include <string.h>

/* Number or name of a parameter that every law has. */
static void fit_take_number(ff_reader *reader, const ff_node *node, const ff_fit *fit,
                            ff_fit_number *out) {
  if (node->kind == FF_NODE_SCALAR && ff_number_read(node->text, &out->value)) {
    return;
  }
  out->parameter = node->kind == FF_NODE_SCALAR ? node->text : "";
  for (int i = 0; i < fit->law_count; i++) {
    bool known = false;
    for (int k = 0; k < fit->laws[i].parameter_count; k++) {
      known = known || strcmp(fit->laws[i].parameters[k].name, out->parameter) == 0;
    }
    if (!known) {
      ff_reader_fail(reader, node, "must be a number or the name of a parameter");
      return;
    }
  }
}

static void fit_get_number(ff_reader *reader, const ff_node *map, const char *key,
                           const ff_fit *fit, ff_fit_number *out) {
  const ff_node *node = ff_reader_enter(reader, map, key);
  if (node) {
    fit_take_number(reader, node, fit, out);
    ff_reader_leave(reader);
  }
}

/* Rotation vector of three numbers or parameters; of positions and orientations. */
static void fit_get_frame(ff_reader *reader, const ff_node *map, const ff_fit *fit,
                          ff_fit_item *item) {
  const ff_node *node = ff_reader_enter(reader, map, "frame");
  if (!node) {
    return;
  }
  if (item->kind == FF_FIT_CHANNEL || node->kind != FF_NODE_LIST || node->count != 3) {
    ff_reader_fail(reader, node,
                   "must be a rotation vector, a list of 3, of a position or an "
                   "orientation");
  } else {
    int k = 0;
    for (const ff_node *at = node->first; at; at = at->next) {
      fit_take_number(reader, at, fit, &item->frame[k++]);
    }
  }
  ff_reader_leave(reader);
}

static void fit_get_offset(ff_reader *reader, const ff_node *map, const ff_fit *fit,
                           ff_fit_item *item) {
  const ff_node *node = ff_reader_enter(reader, map, "offset");
  if (!node) {
    return;
  }
  if (node->kind == FF_NODE_SCALAR) {
    fit_take_number(reader, node, fit, &item->offset[0]);
    item->offset[1] = item->offset[2] = item->offset[0];
  } else {
    int k = 0;
    for (const ff_node *at = node->first; at && k < 3; at = at->next) {
      fit_take_number(reader, at, fit, &item->offset[k++]);
    }
    if (k != item->parts || node->count != item->parts) {
      ff_reader_fail(reader, node, "must be a list of %d", item->parts);
    }
  }
  ff_reader_leave(reader);
}

static void fit_read_item(ff_reader *reader, const ff_node *node, void *context) {
  static const char *const keys[] = {"columns", "channel", "position", "orientation", "noise",
                                     "scale",   "offset",  "delay",    "frame"};
  static const char *const of[] = {"channel", "position", "orientation"};
  ff_fit *fit = context;
  ff_fit_item *item = &fit->items[fit->item_count++];
  *item = (ff_fit_item){.noise = NAN, .scale = {.value = 1}, .unit = ""};
  if (!ff_reader_map(reader, node, keys, FF_COUNT(keys))) {
    return;
  }
  int given = 0;
  for (int i = 0; i < 3; i++) {
    if (ff_tree_find(node, of[i])) {
      item->kind = (ff_fit_kind)i;
      ff_get_text(reader, node, of[i], &item->of);
      given++;
    }
  }
  ff_reader_require(reader, node, "columns");
  ff_reader_require(reader, node, "noise");
  item->columns_count = ff_read_texts(reader, node, "columns", 4, item->columns);
  ff_get_number(reader, node, "noise", FF_ALLOW_ANGLE, &item->noise);
  static const int wanted[] = {1, 3, 4};
  if (reader->status == FF_OK && given != 1) {
    ff_reader_fail(reader, node, "needs one of channel, position (of a body) and orientation");
  } else if (reader->status == FF_OK && item->columns_count != wanted[item->kind]) {
    ff_reader_fail(reader, node, "%s: needs %d columns", of[item->kind], wanted[item->kind]);
  } else if (reader->status == FF_OK && !(item->noise > 0)) {
    ff_reader_fail(reader, node, "noise must be greater than 0");
  }
  item->parts = item->columns_count == 4 ? 3 : item->columns_count;
  fit_get_number(reader, node, "scale", fit, &item->scale);
  fit_get_number(reader, node, "delay", fit, &item->delay);
  fit_get_offset(reader, node, fit, item);
  fit_get_frame(reader, node, fit, item);
  item->at = fit->width;
  fit->width += item->columns_count;
  fit->parts += item->parts;
}

void ff_fit_read_items(ff_reader *reader, const ff_node *root, ff_fit *fit) {
  const ff_node *node = ff_tree_find(root, "compare");
  ff_reader_require(reader, root, "compare");
  if (!node || reader->status != FF_OK) {
    return;
  }
  if (node->kind != FF_NODE_LIST || node->count < 1 || node->count > FF_FIT_ITEMS_MAX) {
    ff_reader_fail(reader, node, "must be a list of 1 to %d quantities", FF_FIT_ITEMS_MAX);
    return;
  }
  fit->items = ff_arena_take(reader->arena, (size_t)node->count, sizeof *fit->items);
  ff_reader_take(reader, fit->items ? FF_OK : FF_ERROR_MEMORY);
  ff_reader_each(reader, root, "compare", fit_read_item, fit);
}
