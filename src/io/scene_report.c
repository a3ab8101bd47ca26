/* Look of a scene in reports: colours, panels and views. Nothing here affects the motion. */
#include "footfall/io.h"
#include "io/scene_reader.h"
#include "io/scene_tree.h"
#include "math/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PANELS_MAX = 64, VIEWS_MAX = 64, CURVES_MAX = 32 };

/* ---- colours --------------------------------------------------------------------------------- */

static const char *const colour_names[] = {"orange", "sky",   "green", "yellow", "blue", "red",
                                           "purple", "black", "white", "grey",   "brown"};

static bool is_hex_colour(const char *text) {
  return strlen(text) == 7 && text[0] == '#' && strspn(text + 1, "0123456789abcdefABCDEF") == 6;
}

void ff_get_colour(ff_reader *reader, const ff_node *map, const char **out) {
  const char *text = NULL;
  ff_get_text(reader, map, "colour", &text);
  if (!text) {
    return;
  }
  if (!is_hex_colour(text)) {
    int which;
    if (text[0] == '#') {
      const ff_node *node = ff_reader_enter(reader, map, "colour");
      ff_reader_fail(reader, node, "must be a name or \"#rrggbb\"");
      ff_reader_leave(reader);
      return;
    }
    ff_get_word(reader, map, "colour", "colour", colour_names, FF_COUNT(colour_names), &which);
  }
  *out = text;
}

/* ---- panels ---------------------------------------------------------------------------------- */

static const char *report_keep(ff_reader *reader, const char *text) {
  const char *kept = ff_scene_keep_text(reader->scene, text, strlen(text));
  if (!kept) {
    ff_reader_take(reader, FF_ERROR_MEMORY);
  }
  return kept ? kept : "";
}

static void report_add_curve(ff_reader *reader, const ff_node *node, ff_scene_panel *panel) {
  if (node->kind != FF_NODE_SCALAR || !node->text[0]) {
    ff_reader_fail(reader, node, "must be a channel such as body.ball.position.z");
  } else {
    panel->y[panel->y_count++] = report_keep(reader, node->text);
  }
}

/* A channel, or a list of them. */
static void report_read_curves(ff_reader *reader, const ff_node *node, ff_scene_panel *panel) {
  int count = node->kind == FF_NODE_LIST ? node->count : 1;
  panel->y = ff_arena_take(&reader->scene->memory, (size_t)count, sizeof *panel->y);
  if (!panel->y) {
    ff_reader_take(reader, FF_ERROR_MEMORY);
  } else if (node->kind != FF_NODE_LIST) {
    report_add_curve(reader, node, panel);
  } else if (ff_reader_list(reader, node, CURVES_MAX)) {
    for (const ff_node *at = node->first; at && reader->status == FF_OK; at = at->next) {
      ff_reader_step(reader, at, panel->y_count);
      report_add_curve(reader, at, panel);
      ff_reader_leave(reader);
    }
  }
}

/* A panel: a channel, a list of channels, or {title, x, y}. */
static void report_read_panel(ff_reader *reader, const ff_node *node, void *context) {
  static const char *const keys[] = {"title", "x", "y"};
  ff_scene_look *look = context;
  ff_scene_panel *panel = &look->panels[look->panel_count++];
  *panel = (ff_scene_panel){.title = "", .x = "time"};
  if (node->kind != FF_NODE_MAP) {
    report_read_curves(reader, node, panel);
    return;
  }
  if (!ff_reader_map(reader, node, keys, FF_COUNT(keys))) {
    return;
  }
  ff_reader_require(reader, node, "y");
  ff_get_text(reader, node, "title", &panel->title);
  ff_get_text(reader, node, "x", &panel->x);
  panel->title = report_keep(reader, panel->title);
  panel->x = report_keep(reader, panel->x);
  const ff_node *y = ff_reader_enter(reader, node, "y");
  if (y) {
    report_read_curves(reader, y, panel);
    ff_reader_leave(reader);
  }
}

static void report_read_panels(ff_reader *reader, const ff_node *node, ff_scene_look *look) {
  const ff_node *list = ff_reader_enter(reader, node, "panels");
  if (!list) {
    return;
  }
  if (ff_reader_list(reader, list, PANELS_MAX)) {
    look->panels = ff_arena_take(&reader->scene->memory, (size_t)list->count, sizeof *look->panels);
    ff_reader_take(reader, look->panels ? FF_OK : FF_ERROR_MEMORY);
  }
  ff_reader_leave(reader);
  if (look->panels) {
    ff_reader_each(reader, node, "panels", report_read_panel, look);
  }
}

/* ---- views ----------------------------------------------------------------------------------- */

static void report_read_view(ff_reader *reader, const ff_node *node, ff_scene_view *view) {
  static const char *const keys[] = {"from", "at", "width", "follow"};
  *view = (ff_scene_view){.name = report_keep(reader, node->key->text),
                          .from = {0.55, -1, 0.42},
                          .at = {NAN, NAN, NAN},
                          .width = NAN,
                          .follow = ""};
  if (!ff_reader_map(reader, node, keys, FF_COUNT(keys))) {
    return;
  }
  ff_get_vec3(reader, node, "from", 0, &view->from);
  ff_get_vec3(reader, node, "at", 0, &view->at);
  ff_get_number(reader, node, "width", 0, &view->width);
  ff_get_text(reader, node, "follow", &view->follow);
  view->follow = report_keep(reader, view->follow);
  if (v3_norm(view->from) == 0) {
    const ff_node *from = ff_reader_enter(reader, node, "from");
    ff_reader_fail(reader, from, "must not be zero: it is the direction to the camera");
    ff_reader_leave(reader);
  }
  if (view->width <= 0) {
    const ff_node *width = ff_reader_enter(reader, node, "width");
    ff_reader_fail(reader, width, "must be greater than 0 m");
    ff_reader_leave(reader);
  }
}

static void report_read_views(ff_reader *reader, const ff_node *node, ff_scene_look *look) {
  const ff_node *map = ff_reader_enter(reader, node, "views");
  if (!map) {
    return;
  }
  if (ff_reader_names(reader, map, "view") && map->count > VIEWS_MAX) {
    ff_reader_fail(reader, map, "at most %d views", VIEWS_MAX);
  }
  look->views = ff_arena_take(&reader->scene->memory, (size_t)map->count, sizeof *look->views);
  ff_reader_take(reader, look->views ? FF_OK : FF_ERROR_MEMORY);
  for (const ff_node *at = map->first; at && reader->status == FF_OK; at = at->next) {
    ff_reader_step(reader, at, 0);
    report_read_view(reader, at, &look->views[look->view_count++]);
    ff_reader_leave(reader);
  }
  ff_reader_leave(reader);
}

/* ---- sliders --------------------------------------------------------------------------------- */

/* The number at a path such as bodies.ball.position.2; NAN: none. */
static double report_value_at(const ff_node *node, const char *path) {
  char word[128];
  while (node && *path) {
    size_t length = strcspn(path, ".");
    snprintf(word, sizeof word, "%.*s", (int)length, path);
    path += length + (path[length] == '.');
    if (node->kind == FF_NODE_LIST) {
      int index = atoi(word);
      for (node = node->first; node && index > 0; index--) {
        node = node->next;
      }
    } else {
      node = ff_tree_find(node, word);
    }
  }
  double value;
  return node && node->kind == FF_NODE_SCALAR && ff_number_read(node->text, &value) ? value : NAN;
}

typedef struct slider_context {
  ff_scene_look *look;
  const ff_node *root;
} slider_context;

/* {path, from, to, title, unit} */
static void report_read_slider(ff_reader *reader, const ff_node *node, void *context) {
  static const char *const keys[] = {"path", "from", "to", "title", "unit"};
  const slider_context *all = context;
  ff_scene_slider *slider = &all->look->sliders[all->look->slider_count++];
  *slider = (ff_scene_slider){.title = "", .path = "", .unit = "", .from = NAN, .to = NAN};
  if (!ff_reader_map(reader, node, keys, FF_COUNT(keys))) {
    return;
  }
  ff_reader_require(reader, node, "path");
  ff_reader_require(reader, node, "from");
  ff_reader_require(reader, node, "to");
  ff_get_text(reader, node, "path", &slider->path);
  ff_get_text(reader, node, "title", &slider->title);
  ff_get_text(reader, node, "unit", &slider->unit);
  ff_get_number(reader, node, "from", 0, &slider->from);
  ff_get_number(reader, node, "to", 0, &slider->to);
  if (slider->to <= slider->from) {
    const ff_node *to = ff_reader_enter(reader, node, "to");
    ff_reader_fail(reader, to, "must be greater than from");
    ff_reader_leave(reader);
  }
  slider->value = report_value_at(all->root, slider->path);
  if (isnan(slider->value)) {
    const ff_node *path = ff_reader_enter(reader, node, "path");
    ff_reader_fail(reader, path, "must lead to a number in this scene, as in bodies.ball.mass");
    ff_reader_leave(reader);
  }
  slider->path = report_keep(reader, slider->path);
  slider->title = report_keep(reader, slider->title);
  slider->unit = report_keep(reader, slider->unit);
}

static void report_read_sliders(ff_reader *reader, const ff_node *node, const ff_node *root,
                                ff_scene_look *look) {
  const ff_node *list = ff_reader_enter(reader, node, "sliders");
  if (!list) {
    return;
  }
  if (ff_reader_list(reader, list, PANELS_MAX)) {
    look->sliders =
        ff_arena_take(&reader->scene->memory, (size_t)list->count, sizeof *look->sliders);
    ff_reader_take(reader, look->sliders ? FF_OK : FF_ERROR_MEMORY);
  }
  ff_reader_leave(reader);
  if (look->sliders) {
    slider_context context = {look, root};
    ff_reader_each(reader, node, "sliders", report_read_slider, &context);
  }
}

void ff_read_report(ff_reader *reader, const ff_node *root) {
  static const char *const keys[] = {"panels", "views", "sliders"};
  const ff_node *node = ff_reader_enter(reader, root, "report");
  if (!node) {
    return;
  }
  if (ff_reader_map(reader, node, keys, FF_COUNT(keys))) {
    report_read_panels(reader, node, &reader->scene->look);
    report_read_views(reader, node, &reader->scene->look);
    report_read_sliders(reader, node, root, &reader->scene->look);
  }
  ff_reader_leave(reader);
}
