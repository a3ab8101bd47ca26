#include "io/scene_tree.h"

#include "base/memory.h"
#include "base/report.h"

#include <libfyaml.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Open lists and mappings, and the key that waits for its value. */
typedef struct builder {
  ff_arena *arena;
  const char *file;
  ff_report *report;
  ff_node *root;
  struct {
    ff_node *node, *last;
    const ff_node *key;
  } open[FF_SCENE_DEPTH_MAX];
  int depth, nodes, documents;
} builder;

void ff_tree_place(ff_report *report, const ff_node *node) {
  if (report) {
    snprintf(report->file, sizeof report->file, "%s", node->file);
    report->line = node->line;
    report->column = node->column;
  }
}

static ff_status tree_fail_at(builder *b, const ff_node *node, const char *what) {
  ff_report_what(b->report, "%s", what);
  ff_tree_place(b->report, node);
  return FF_ERROR_INPUT;
}

/* ---- characters ------------------------------------------------------------------------------ */

/* Length of the UTF-8 character at text, 0 if it is invalid or a control character. */
static size_t utf8_length(const unsigned char *text, size_t size) {
  unsigned char c = text[0];
  if (c < 0x80) {
    return (c >= 0x20 && c != 0x7f) || c == '\t' || c == '\n' || c == '\r';
  }
  size_t length = c >= 0xf0 ? 4 : (c >= 0xe0 ? 3 : 2);
  if (c < 0xc2 || c > 0xf4 || length > size) {
    return 0;
  }
  for (size_t i = 1; i < length; i++) {
    if ((text[i] & 0xc0) != 0x80) {
      return 0;
    }
  }
  /* overlong forms, surrogates, beyond U+10FFFF, C1 controls */
  bool bad = (c == 0xe0 && text[1] < 0xa0) || (c == 0xed && text[1] > 0x9f) ||
             (c == 0xf0 && text[1] < 0x90) || (c == 0xf4 && text[1] > 0x8f) ||
             (c == 0xc2 && text[1] < 0xa0);
  return bad ? 0 : length;
}

/* Escapes ("\0") can produce characters that the file itself must not contain. */
static bool text_is_clean(const char *text, size_t size) {
  size_t length = 1;
  for (size_t i = 0; i < size && length > 0; i += length) {
    length = utf8_length((const unsigned char *)text + i, size - i);
  }
  return length > 0;
}

/* Checks the bytes of a scene: the parser would silently stop at a zero byte. */
static ff_status tree_check_bytes(builder *b, const char *text, size_t size) {
  ff_node here = {.file = b->file, .line = 1, .column = 1};
  if (size > FF_SCENE_BYTES_MAX) {
    here.line = here.column = 0;
    return tree_fail_at(b, &here, "is larger than 16 MiB");
  }
  const unsigned char *bytes = (const unsigned char *)text;
  for (size_t i = 0; i < size;) {
    size_t length = utf8_length(bytes + i, size - i);
    if (length == 0) {
      ff_report_what(b->report, "is not UTF-8 text: byte 0x%02x", bytes[i]);
      ff_tree_place(b->report, &here);
      return FF_ERROR_INPUT;
    }
    if (here.column > FF_SCENE_LINE_MAX) {
      return tree_fail_at(b, &here, "this line is longer than 1,000,000 characters; break it");
    }
    here.line += bytes[i] == '\n';
    here.column = bytes[i] == '\n' ? 1 : here.column + 1;
    i += length;
  }
  return FF_OK;
}

/* ---- keys ------------------------------------------------------------------------------------ */

static int tree_compare_keys(const void *a, const void *b) {
  const ff_node *x = *(ff_node *const *)a;
  const ff_node *y = *(ff_node *const *)b;
  int order = strcmp(x->key->text, y->key->text);
  if (order == 0) { /* in file order */
    order = x->key->line != y->key->line ? x->key->line - y->key->line
                                         : x->key->column - y->key->column;
  }
  return order;
}

/* Key path of a key in the mapping that is being closed. */
static void tree_report_path(builder *b, const char *word) {
  char path[256] = "";
  size_t used = 0;
  for (int i = 1; i <= b->depth && used < sizeof path; i++) {
    const ff_node *key = b->open[i].node->key;
    int index = b->open[i - 1].node->count - 1;
    int more = key ? snprintf(path + used, sizeof path - used, "%.80s.", key->text)
                   : snprintf(path + used, sizeof path - used, "%d.", index);
    used += (size_t)more;
  }
  ff_report_key(b->report, "%s%s", path, word);
}

static ff_status tree_check_duplicates(builder *b, ff_node *const *sorted, int count) {
  for (int i = 1; i < count; i++) {
    const ff_node *key = sorted[i]->key;
    const ff_node *before = sorted[i - 1]->key;
    if (!strcmp(key->text, before->text)) {
      ff_report_what(b->report, "key '%.80s' was given before, on line %d", key->text,
                     before->line);
      tree_report_path(b, key->text);
      ff_tree_place(b->report, key);
      return FF_ERROR_INPUT;
    }
  }
  return FF_OK;
}

/* Checks for duplicate keys, by sorting: a million keys are checked fast. */
static ff_status tree_check_keys(builder *b, const ff_node *map) {
  ff_node *few[16];
  ff_node **sorted = few;
  if (map->count > 16) {
    sorted = ff_alloc((size_t)map->count, sizeof *sorted);
    if (!sorted) {
      return FF_ERROR_MEMORY;
    }
  }
  int count = 0;
  for (ff_node *node = map->first; node; node = node->next) {
    sorted[count++] = node;
  }
  qsort(sorted, (size_t)count, sizeof *sorted, tree_compare_keys);
  ff_status status = tree_check_duplicates(b, sorted, count);
  if (sorted != few) {
    ff_free(sorted);
  }
  return status;
}

ff_node *ff_tree_find(const ff_node *map, const char *key) {
  for (ff_node *node = map->kind == FF_NODE_MAP ? map->first : NULL; node; node = node->next) {
    if (!strcmp(node->key->text, key)) {
      return node;
    }
  }
  return NULL;
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Appends a node to the open list or mapping; in a mapping every other node is a key. */
static ff_status tree_attach(builder *b, ff_node *node) {
  if (b->depth == 0) {
    b->root = node;
    return FF_OK;
  }
  ff_node *parent = b->open[b->depth - 1].node;
  if (parent->kind == FF_NODE_MAP && !b->open[b->depth - 1].key) {
    if (node->kind != FF_NODE_SCALAR || (node->plain && !node->text[0])) {
      return tree_fail_at(b, node, "a key must be a word");
    }
    b->open[b->depth - 1].key = node;
    return FF_OK;
  }
  node->key = b->open[b->depth - 1].key;
  b->open[b->depth - 1].key = NULL;
  ff_node **link = parent->first ? &b->open[b->depth - 1].last->next : &parent->first;
  *link = node;
  b->open[b->depth - 1].last = node;
  parent->count++;
  return FF_OK;
}

static ff_node *tree_make_node(builder *b, struct fy_event *event, ff_node_kind kind) {
  ff_node *node = ff_arena_take(b->arena, 1, sizeof *node);
  if (node) {
    /* An empty value has no mark of its own: it is located at its key or list. */
    const struct fy_mark *mark = fy_event_start_mark(event);
    const ff_node *near = b->depth == 0 ? NULL : b->open[b->depth - 1].node;
    near = near && b->open[b->depth - 1].key ? b->open[b->depth - 1].key : near;
    node->kind = kind;
    node->file = b->file;
    node->line = mark ? mark->line + 1 : (near ? near->line : 1);
    node->column = mark ? mark->column + 1 : (near ? near->column : 1);
  }
  return node;
}

/* Did the parser lose the text? It returns an empty one if memory is exhausted. */
static bool tree_text_is_lost(struct fy_token *token) {
  const struct fy_mark *start = fy_token_start_mark(token), *end = fy_token_end_mark(token);
  return start && end && end->input_pos > start->input_pos;
}

static ff_status tree_on_scalar(builder *b, struct fy_event *event) {
  ff_node *node = tree_make_node(b, event, FF_NODE_SCALAR);
  if (!node) {
    return FF_ERROR_MEMORY;
  }
  size_t size = 0;
  struct fy_token *token = event->scalar.value;
  const char *text = token ? fy_token_get_text(token, &size) : "";
  enum fy_scalar_style style = token ? fy_token_scalar_style(token) : FYSS_PLAIN;
  node->plain = style == FYSS_PLAIN;
  if (token && node->plain && size == 0 && tree_text_is_lost(token)) {
    return FF_ERROR_MEMORY;
  }
  if (style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED) {
    node->column--; /* the mark is after the quote */
  }
  node->text = text ? ff_arena_text(b->arena, text, size) : NULL;
  if (!node->text) {
    return FF_ERROR_MEMORY;
  }
  if (!text_is_clean(node->text, size)) {
    return tree_fail_at(b, node,
                        "a text must not contain control characters, not even escaped ones");
  }
  return tree_attach(b, node);
}

static ff_status tree_on_open(builder *b, struct fy_event *event, ff_node_kind kind) {
  ff_node *node = tree_make_node(b, event, kind);
  if (!node) {
    return FF_ERROR_MEMORY;
  }
  if (b->depth == FF_SCENE_DEPTH_MAX) {
    return tree_fail_at(b, node, "lists and mappings are nested more than 32 deep");
  }
  ff_status status = tree_attach(b, node);
  b->open[b->depth].node = node;
  b->open[b->depth].last = NULL;
  b->open[b->depth].key = NULL;
  b->depth++;
  return status;
}

static ff_status tree_on_close(builder *b) {
  b->depth--;
  ff_node *node = b->open[b->depth].node;
  return node->kind == FF_NODE_MAP ? tree_check_keys(b, node) : FF_OK;
}

/* YAML features that scenes do not use; NULL: allowed. */
static const char *tree_unsupported(const struct fy_event *event) {
  bool scalar = event->type == FYET_SCALAR;
  bool list = event->type == FYET_SEQUENCE_START;
  bool map = event->type == FYET_MAPPING_START;
  if (event->type == FYET_ALIAS || (scalar && event->scalar.anchor) ||
      (list && event->sequence_start.anchor) || (map && event->mapping_start.anchor)) {
    return "anchors (&) and aliases (*) are not allowed in scenes; quote a text that starts so";
  }
  if ((scalar && event->scalar.tag) || (list && event->sequence_start.tag) ||
      (map && event->mapping_start.tag)) {
    return "tags (!) are not allowed in scenes; quote a text that starts so";
  }
  return NULL;
}

static ff_status tree_reject(builder *b, struct fy_event *event, const char *what) {
  ff_node *node = tree_make_node(b, event, FF_NODE_SCALAR);
  return node ? tree_fail_at(b, node, what) : FF_ERROR_MEMORY;
}

static ff_status tree_on_event(builder *b, struct fy_event *event) {
  const char *what = tree_unsupported(event);
  if (what) {
    return tree_reject(b, event, what);
  }
  bool value = event->type == FYET_SCALAR || event->type == FYET_SEQUENCE_START ||
               event->type == FYET_MAPPING_START;
  if (value && ++b->nodes > FF_SCENE_NODES_MAX) {
    return tree_reject(b, event, "has more than 6,000,000 values");
  }
  switch (event->type) {
    case FYET_SCALAR: return tree_on_scalar(b, event);
    case FYET_SEQUENCE_START: return tree_on_open(b, event, FF_NODE_LIST);
    case FYET_MAPPING_START: return tree_on_open(b, event, FF_NODE_MAP);
    case FYET_SEQUENCE_END:
    case FYET_MAPPING_END: return tree_on_close(b);
    case FYET_DOCUMENT_START:
      return ++b->documents > 1 ? tree_reject(b, event, "has more than one YAML document") : FF_OK;
    default: return FF_OK;
  }
}

/* ---- parser ---------------------------------------------------------------------------------- */

/* Error message of the parser. */
static ff_status tree_syntax_error(builder *b, struct fy_diag *diag) {
  void *at = NULL;
  const struct fy_diag_error *error = fy_diag_errors_iterate(diag, &at);
  if (!error) {
    return FF_ERROR_MEMORY;
  }
  ff_report_what(b->report, "is not valid YAML: %s", error->msg);
  ff_tree_place(b->report,
                &(ff_node){.file = b->file, .line = error->line, .column = error->column});
  return FF_ERROR_INPUT;
}

static ff_status tree_run_parser(builder *b, struct fy_parser *parser, struct fy_diag *diag) {
  ff_status status = FF_OK;
  bool ended = false;
  while (status == FF_OK && !ended) {
    struct fy_event *event = fy_parser_parse(parser);
    if (!event) {
      return tree_syntax_error(b, diag);
    }
    ended = event->type == FYET_STREAM_END;
    status = tree_on_event(b, event);
    fy_parser_event_free(parser, event);
  }
  return status;
}

static ff_status tree_parse(builder *b, const char *text, size_t size) {
  struct fy_diag_cfg quiet;
  fy_diag_cfg_default(&quiet);
  quiet.fp = NULL; /* errors are collected, never printed */
  struct fy_diag *diag = fy_diag_create(&quiet);
  if (!diag) {
    return FF_ERROR_MEMORY;
  }
  fy_diag_set_collect_errors(diag, true);
  struct fy_parse_cfg config = {.flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG |
                                         FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE,
                                .diag = diag};
  struct fy_parser *parser = fy_parser_create(&config);
  ff_status status = FF_ERROR_MEMORY;
  if (parser && ff_memory_is_there(1 << 20) && fy_parser_set_string(parser, text, size) == 0) {
    status = tree_run_parser(b, parser, diag);
  }
  if (parser) {
    fy_parser_destroy(parser);
  }
  fy_diag_destroy(diag);
  return status;
}

ff_status ff_tree_read(ff_node **out, ff_arena *arena, const char *text, size_t size,
                       const char *file, ff_report *report) {
  builder b = {.arena = arena, .file = file, .report = report};
  *out = NULL;
  ff_status status = tree_check_bytes(&b, text, size);
  if (status == FF_OK) {
    status = tree_parse(&b, text, size);
  }
  if (status == FF_OK && !b.root) {
    status = tree_fail_at(&b, &(ff_node){.file = file, .line = 1, .column = 1}, "is empty");
  }
  *out = status == FF_OK ? b.root : NULL;
  return status;
}
