/* Overrides (`--set bodies.ball.mass=2`), and the modified tree as text. */
#include "base/report.h"
#include "io/scene_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- path lookup ----------------------------------------------------------------------------- */

static ff_status override_report(ff_report *report, const char *file, const char *what,
                                 const char *word) {
  ff_report_what(report, "%s '%.80s'", what, word);
  ff_tree_place(report, &(ff_node){.file = file});
  return FF_ERROR_INPUT;
}

/* Lists the keys of a mapping in the report, and the one nearest to word. */
static ff_status override_report_unknown(ff_report *report, const char *file, const ff_node *map,
                                         const char *word) {
  const char *known[32];
  int count = 0;
  for (const ff_node *node = map->first; node && count < 32; node = node->next) {
    known[count++] = node->key->text;
  }
  ff_report_unknown(report, "key", word, known, count);
  ff_tree_place(report, &(ff_node){.file = file});
  return FF_ERROR_INPUT;
}

static ff_node *override_element(const ff_node *list, const char *word) {
  char *end;
  long index = strtol(word, &end, 10);
  if (*end || word[0] < '0' || word[0] > '9') {
    return NULL;
  }
  ff_node *node = list->first;
  while (node && index-- > 0) {
    node = node->next;
  }
  return node;
}

static ff_node *override_child(const ff_node *parent, const char *word) {
  switch (parent->kind) {
    case FF_NODE_MAP: {
      ff_node *node = ff_tree_find(parent, word);
      const char *now = node ? NULL : ff_tree_new_key(word);
      return now ? ff_tree_find(parent, now) : node;
    }
    case FF_NODE_LIST: return override_element(parent, word);
    case FF_NODE_SCALAR: break;
  }
  return NULL;
}

/* ---- setting --------------------------------------------------------------------------------- */

/* Returns the new member; NULL: out of memory. */
static ff_node *override_append(ff_node *map, ff_arena *arena, const char *word,
                                const ff_node *value) {
  ff_node *key = ff_arena_take(arena, 1, sizeof *key);
  ff_node *node = ff_arena_take(arena, 1, sizeof *node);
  if (!key || !node) {
    return NULL;
  }
  *key = (ff_node){.kind = FF_NODE_SCALAR, .plain = true, .file = value->file, .text = word};
  *node = *value;
  node->key = key;
  ff_node **link = &map->first;
  while (*link) {
    link = &(*link)->next;
  }
  *link = node;
  map->count++;
  return node;
}

/* Replaces the value, keeping its key and its place among its siblings. */
static void override_replace(ff_node *node, const ff_node *value) {
  const ff_node *key = node->key;
  ff_node *next = node->next;
  *node = *value;
  node->key = key;
  node->next = next;
}

/* path is split in place at its dots. Missing keys are added, except members of a section that has
 * any (`bodies.bal.mass`): their names are defined by the scene, and a new one would be a typing
 * error. Other keys are defined by the format and checked when the tree is read. */
static ff_status override_set(ff_node *root, ff_arena *arena, char *path, const ff_node *value,
                              ff_report *report) {
  const ff_node map = {.kind = FF_NODE_MAP, .file = value->file};
  ff_node *parent = root;
  int depth = 0;
  for (char *word = path;; depth++) {
    char *dot = strchr(word, '.');
    if (dot) {
      *dot = '\0';
    }
    ff_node *node = override_child(parent, word);
    if (node && !dot) {
      override_replace(node, value);
      return FF_OK;
    }
    if (!node && parent->kind != FF_NODE_MAP) {
      return override_report(report, value->file,
                             parent->kind == FF_NODE_LIST ? "the list has no such element:"
                                                          : "a value has no keys:",
                             word);
    }
    if (depth == FF_SCENE_DEPTH_MAX) {
      return override_report(report, value->file, "is nested too deep:", word);
    }
    if (!node && (!*word || (dot && depth == 1 && parent->first))) {
      return override_report_unknown(report, value->file, parent, word);
    }
    if (!node) {
      node = override_append(parent, arena, word, dot ? &map : value);
    }
    if (!node || !dot) {
      return node ? FF_OK : FF_ERROR_MEMORY;
    }
    parent = node;
    word = dot + 1;
  }
}

/* The value has no line in the file: its location is the option itself. */
static void override_clear_lines(ff_node *node) {
  node->line = node->column = 0;
  for (ff_node *at = node->kind == FF_NODE_SCALAR ? NULL : node->first; at; at = at->next) {
    override_clear_lines(at);
  }
}

ff_status ff_tree_override(ff_node *root, ff_arena *arena, const char *setting, ff_report *report) {
  const char *equals = strchr(setting, '=');
  size_t length = equals ? (size_t)(equals - setting) : strlen(setting);
  char *path = ff_arena_text(arena, setting, length);
  char *file = ff_arena_take(arena, 1, length + sizeof "--set ");
  if (!path || !file) {
    return FF_ERROR_MEMORY;
  }
  snprintf(file, length + sizeof "--set ", "--set %s", path);
  if (!equals || length == 0 || !equals[1]) {
    return override_report(report, file, "must be written path=value, got", setting);
  }
  ff_node *value;
  ff_status status = ff_tree_read(&value, arena, equals + 1, strlen(equals + 1), file, report);
  if (status == FF_OK) {
    override_clear_lines(value);
    status = override_set(root, arena, path, value, report);
  } else if (report) {
    report->line = report->column = 0;
  }
  return status;
}

/* ---- tree as text ---------------------------------------------------------------------------- */

/* Two passes: the first only counts. */
typedef struct writer {
  char *out;
  size_t size;
} writer;

static void tree_write_text(writer *w, const char *text) {
  size_t length = strlen(text);
  if (w->out) {
    memcpy(w->out + w->size, text, length);
  }
  w->size += length;
}

/* Unquoted where that is unambiguous, else in double quotes. */
static void tree_write_scalar(writer *w, const ff_node *node) {
  static const char *const safe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-/ ";
  const char *text = node->text;
  if (node->plain && !*text) {
    tree_write_text(w, "~");
    return;
  }
  if (node->plain && strspn(text, safe) == strlen(text)) {
    tree_write_text(w, text);
    return;
  }
  tree_write_text(w, "\"");
  for (; *text; text++) {
    char piece[8] = {*text, '\0'};
    if (*text == '"' || *text == '\\') {
      snprintf(piece, sizeof piece, "\\%c", *text);
    } else if ((unsigned char)*text < 0x20) {
      snprintf(piece, sizeof piece, "\\x%02x", (unsigned)*text);
    }
    tree_write_text(w, piece);
  }
  tree_write_text(w, "\"");
}

static void tree_write_flow(writer *w, const ff_node *node) {
  if (node->kind == FF_NODE_SCALAR) {
    tree_write_scalar(w, node);
    return;
  }
  tree_write_text(w, node->kind == FF_NODE_MAP ? "{" : "[");
  for (const ff_node *at = node->first; at; at = at->next) {
    if (at->key) {
      tree_write_scalar(w, at->key);
      tree_write_text(w, ": ");
    }
    tree_write_flow(w, at);
    tree_write_text(w, at->next ? ", " : "");
  }
  tree_write_text(w, node->kind == FF_NODE_MAP ? "}" : "]");
}

/* One line per section, or per member of a section that holds mappings. */
static void tree_write_section(writer *w, const ff_node *section) {
  tree_write_scalar(w, section->key);
  tree_write_text(w, ":");
  bool members =
      section->kind != FF_NODE_SCALAR && section->first && section->first->kind == FF_NODE_MAP;
  if (!members) {
    tree_write_text(w, " ");
    tree_write_flow(w, section);
    tree_write_text(w, "\n");
    return;
  }
  tree_write_text(w, "\n");
  for (const ff_node *at = section->first; at; at = at->next) {
    tree_write_text(w, at->key ? "  " : "  - ");
    if (at->key) {
      tree_write_scalar(w, at->key);
      tree_write_text(w, ": ");
    }
    tree_write_flow(w, at);
    tree_write_text(w, "\n");
  }
}

char *ff_tree_text(const ff_node *root, ff_arena *arena) {
  writer w = {0};
  for (int pass = 0; pass < 2; pass++) {
    w.size = 0;
    for (const ff_node *section = root->first; section; section = section->next) {
      tree_write_section(&w, section);
    }
    if (pass == 0) {
      w.out = ff_arena_take(arena, 1, w.size + 1);
      if (!w.out) {
        return NULL;
      }
    }
  }
  return w.out;
}
