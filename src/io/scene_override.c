/* Overrides (`--set bodies.ball.mass=2`), and the tree back as text to show their effect. */
#include "base/report.h"
#include "io/scene_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- finding the place ------------------------------------------------------------- */

static ff_status fail(ff_report *report, const char *file, const char *what, const char *word) {
  ff_report_what(report, "%s '%.80s'", what, word);
  ff_tree_place(report, &(ff_node){.file = file});
  return FF_ERROR_INPUT;
}

/* The keys of a mapping, for messages, and the one nearest to word. */
static ff_status fail_unknown(ff_report *report, const char *file, const ff_node *map,
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

static ff_node *element(const ff_node *list, const char *word) {
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

static ff_node *child(const ff_node *parent, const char *word) {
  switch (parent->kind) {
    case FF_NODE_MAP: return ff_tree_find(parent, word);
    case FF_NODE_LIST: return element(parent, word);
    case FF_NODE_SCALAR: break;
  }
  return NULL;
}

/* ---- setting -------------------------------------------------------------------------- */

/* Returns the new member; NULL: memory is out. */
static ff_node *append(ff_node *map, ff_arena *arena, const char *word, const ff_node *value) {
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

/* Replaces what is there, keeping its key and its place among its siblings. */
static void replace(ff_node *node, const ff_node *value) {
  const ff_node *key = node->key;
  ff_node *next = node->next;
  *node = *value;
  node->key = key;
  node->next = next;
}

/* path is cut at its dots, word by word. What is not there yet is added, but for members of a
 * section that has any (`bodies.bal.mass`): their names are the scene's, and a new one would be a
 * slip of the pen. Other keys are those of the format, and whoever reads the tree knows them. */
static ff_status put(ff_node *root, ff_arena *arena, char *path, const ff_node *value,
                     ff_report *report) {
  const ff_node map = {.kind = FF_NODE_MAP, .file = value->file};
  ff_node *parent = root;
  int depth = 0;
  for (char *word = path;; depth++) {
    char *dot = strchr(word, '.');
    if (dot) {
      *dot = '\0';
    }
    ff_node *node = child(parent, word);
    if (node && !dot) {
      replace(node, value);
      return FF_OK;
    }
    if (!node && parent->kind != FF_NODE_MAP) {
      return fail(report, value->file,
                  parent->kind == FF_NODE_LIST ? "the list has no element" : "a value has no key",
                  word);
    }
    if (depth == FF_SCENE_DEPTH_MAX) {
      return fail(report, value->file, "lies too deep:", word);
    }
    if (!node && (!*word || (dot && depth == 1 && parent->first))) {
      return fail_unknown(report, value->file, parent, word);
    }
    if (!node) {
      node = append(parent, arena, word, dot ? &map : value);
    }
    if (!node || !dot) {
      return node ? FF_OK : FF_ERROR_MEMORY;
    }
    parent = node;
    word = dot + 1;
  }
}

/* The value lies on no line of the file: its place is the option itself. */
static void forget_lines(ff_node *node) {
  node->line = node->column = 0;
  for (ff_node *at = node->kind == FF_NODE_SCALAR ? NULL : node->first; at; at = at->next) {
    forget_lines(at);
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
    return fail(report, file, "must be written path=value, got", setting);
  }
  ff_node *value;
  ff_status status = ff_tree_read(&value, arena, equals + 1, strlen(equals + 1), file, report);
  if (status == FF_OK) {
    forget_lines(value);
    status = put(root, arena, path, value, report);
  } else if (report) {
    report->line = report->column = 0;
  }
  return status;
}

/* ---- the tree as text ------------------------------------------------------------------- */

/* Written twice: first only to count. */
typedef struct writer {
  char *out;
  size_t size;
} writer;

static void write_text(writer *w, const char *text) {
  size_t length = strlen(text);
  if (w->out) {
    memcpy(w->out + w->size, text, length);
  }
  w->size += length;
}

/* Plain where that cannot be misread, else in double quotes. */
static void write_scalar(writer *w, const ff_node *node) {
  static const char *const safe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-/ ";
  const char *text = node->text;
  if (node->plain && !*text) {
    write_text(w, "~");
    return;
  }
  if (node->plain && strspn(text, safe) == strlen(text)) {
    write_text(w, text);
    return;
  }
  write_text(w, "\"");
  for (; *text; text++) {
    char piece[8] = {*text, '\0'};
    if (*text == '"' || *text == '\\') {
      snprintf(piece, sizeof piece, "\\%c", *text);
    } else if ((unsigned char)*text < 0x20) {
      snprintf(piece, sizeof piece, "\\x%02x", (unsigned)*text);
    }
    write_text(w, piece);
  }
  write_text(w, "\"");
}

static void write_flow(writer *w, const ff_node *node) {
  if (node->kind == FF_NODE_SCALAR) {
    write_scalar(w, node);
    return;
  }
  write_text(w, node->kind == FF_NODE_MAP ? "{" : "[");
  for (const ff_node *at = node->first; at; at = at->next) {
    if (at->key) {
      write_scalar(w, at->key);
      write_text(w, ": ");
    }
    write_flow(w, at);
    write_text(w, at->next ? ", " : "");
  }
  write_text(w, node->kind == FF_NODE_MAP ? "}" : "]");
}

/* One line per section, or per member of a section that holds mappings. */
static void write_section(writer *w, const ff_node *section) {
  write_scalar(w, section->key);
  write_text(w, ":");
  bool members =
      section->kind != FF_NODE_SCALAR && section->first && section->first->kind == FF_NODE_MAP;
  if (!members) {
    write_text(w, " ");
    write_flow(w, section);
    write_text(w, "\n");
    return;
  }
  write_text(w, "\n");
  for (const ff_node *at = section->first; at; at = at->next) {
    write_text(w, at->key ? "  " : "  - ");
    if (at->key) {
      write_scalar(w, at->key);
      write_text(w, ": ");
    }
    write_flow(w, at);
    write_text(w, "\n");
  }
}

char *ff_tree_text(const ff_node *root, ff_arena *arena) {
  writer w = {0};
  for (int pass = 0; pass < 2; pass++) {
    w.size = 0;
    for (const ff_node *section = root->first; section; section = section->next) {
      write_section(&w, section);
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
