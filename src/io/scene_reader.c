#include "io/scene_reader.h"

#include "io/mesh.h"

#include "base/text.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- errors ---------------------------------------------------------------------------------- */

static void reader_place_report(ff_reader *reader, const ff_node *node) {
  ff_report_key(reader->report, "%s", reader->path);
  ff_tree_place(reader->report, node);
  reader->status = FF_ERROR_INPUT;
}

void ff_reader_fail(ff_reader *reader, const ff_node *node, const char *format, ...) {
  if (reader->status == FF_OK) {
    char what[512];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    ff_report_what(reader->report, "%s", what);
    reader_place_report(reader, node);
  }
}

void ff_reader_unknown(ff_reader *reader, const ff_node *node, const char *noun,
                       const char *const *known, int count) {
  if (reader->status == FF_OK) {
    ff_report_unknown(reader->report, noun, node->text, known, count);
    reader_place_report(reader, node);
  }
}

void ff_reader_take(ff_reader *reader, ff_status status) {
  if (reader->status == FF_OK) {
    reader->status = status;
  }
}

/* Description of a node for messages: "'abc'", "a list", "a mapping", "nothing". */
static const char *reader_describe(const ff_node *node, char text[96]) {
  if (node->kind != FF_NODE_SCALAR) {
    return node->kind == FF_NODE_LIST ? "a list" : "a mapping";
  }
  if (node->plain && !node->text[0]) {
    return "nothing";
  }
  snprintf(text, 96, node->plain ? "'%.80s'" : "the quoted text '%.70s'", node->text);
  return text;
}

static void reader_fail_kind(ff_reader *reader, const ff_node *node, const char *wanted) {
  char text[96];
  ff_reader_fail(reader, node, "must be %s, got %s", wanted, reader_describe(node, text));
}

/* ---- navigation ------------------------------------------------------------------------------ */

static void reader_push(ff_reader *reader, const char *word) {
  size_t used = strlen(reader->path);
  reader->ends[reader->depth++] = used;
  snprintf(reader->path + used, sizeof reader->path - used, "%s%.80s", used ? "." : "", word);
}

void ff_reader_leave(ff_reader *reader) {
  reader->path[reader->ends[--reader->depth]] = '\0';
}

void ff_reader_each(ff_reader *reader, const ff_node *map, const char *key, ff_reader_fn read,
                    void *context) {
  const ff_node *node = ff_reader_enter(reader, map, key);
  if (!node) {
    return;
  }
  if (ff_reader_list(reader, node, FF_SCENE_ITEMS_MAX)) {
    int index = 0;
    for (const ff_node *at = node->first; at && reader->status == FF_OK; at = at->next) {
      ff_reader_step(reader, at, index++);
      read(reader, at, context);
      ff_reader_leave(reader);
    }
  }
  ff_reader_leave(reader);
}

void ff_reader_step(ff_reader *reader, const ff_node *member, int index) {
  char number[16];
  snprintf(number, sizeof number, "%d", index);
  reader_push(reader, member->key ? member->key->text : number);
}

const ff_node *ff_reader_enter(ff_reader *reader, const ff_node *map, const char *key) {
  const ff_node *node = reader->status == FF_OK ? ff_tree_find(map, key) : NULL;
  if (node) {
    reader_push(reader, key);
  }
  return node;
}

void ff_reader_require(ff_reader *reader, const ff_node *map, const char *key) {
  if (reader->status == FF_OK && !ff_tree_find(map, key)) {
    ff_reader_fail(reader, map, "key '%s' is missing", key);
  }
}

void ff_reader_record(ff_reader *reader, const char *word, const ff_node *node) {
  if (reader->status != FF_OK || !reader->scene) {
    return;
  }
  const char *file = node->file;
  if (file != reader->scene->file) { /* an override's name must outlive the tree */
    file = ff_scene_keep_text(reader->scene, file, strlen(file));
  }
  reader_push(reader, word);
  ff_reader_take(
      reader, file ? ff_scene_add_place(reader->scene, reader->path, file, node->line, node->column)
                   : FF_ERROR_MEMORY);
  ff_reader_leave(reader);
}

static bool reader_record_members(ff_reader *reader, const ff_node *node) {
  int index = 0;
  for (const ff_node *at = node->first; at && reader->status == FF_OK; at = at->next) {
    char number[16];
    snprintf(number, sizeof number, "%d", index++);
    ff_reader_record(reader, at->key ? at->key->text : number, at);
  }
  return reader->status == FF_OK;
}

static bool reader_is_one_of(const char *word, const char *const *known, int count) {
  for (int i = 0; i < count; i++) {
    if (!strcmp(word, known[i])) {
      return true;
    }
  }
  return false;
}

static bool reader_is_map(ff_reader *reader, const ff_node *node) {
  if (reader->status == FF_OK && node->kind != FF_NODE_MAP) {
    reader_fail_kind(reader, node, "a mapping");
  }
  return reader->status == FF_OK;
}

/* The same of a mapping with known keys, which the message lists. */
static bool reader_is_map_of(ff_reader *reader, const ff_node *node, const char *const *keys,
                             int count) {
  if (reader->status != FF_OK || node->kind == FF_NODE_MAP) {
    return reader->status == FF_OK;
  }
  char text[96], list[300] = "";
  size_t size = 0;
  for (int i = 0; i < count && size < sizeof list - 40; i++) {
    size += (size_t)snprintf(list + size, sizeof list - size, "%s%.38s", i ? ", " : "", keys[i]);
  }
  ff_reader_fail(reader, node,
                 "must be a mapping, got %s; write {KEY: VALUE, ...} with keys of: %s",
                 reader_describe(node, text), list);
  return false;
}

/* The known key that differs only by '-' for '_'; NULL: none. */
static const char *reader_find_spelling(const char *word, const char *const *keys, int count) {
  for (int i = 0; i < count; i++) {
    const char *a = word, *b = keys[i];
    while (*a && (*a == *b || (strchr("-_", *a) && (*b == '-' || *b == '_')))) {
      a++;
      b++;
    }
    if (*a == 0 && *b == 0) {
      return keys[i];
    }
  }
  return NULL;
}

/* Replaces a key in the other spelling, `mu-static` for `mu_static`, with a note. False: there is
 * no such key, or the mapping has both. */
static bool reader_respell(ff_reader *reader, const ff_node *map, ff_node *at,
                           const char *const *keys, int count) {
  const char *known = reader_find_spelling(at->key->text, keys, count);
  if (!known || ff_tree_find(map, known)) {
    return false;
  }
  ff_node *key = ff_arena_take(reader->arena, 1, sizeof *key);
  if (key) {
    *key = *at->key;
    key->text = known;
    at->key = key;
  }
  ff_reader_take(reader, !key            ? FF_ERROR_MEMORY
                         : reader->scene ? ff_scene_add_note(reader->scene, key->file, key->line,
                                                             "the key is spelt '%s'", known)
                                         : FF_OK);
  return true;
}

bool ff_reader_map(ff_reader *reader, const ff_node *node, const char *const *keys, int count) {
  if (!reader_is_map_of(reader, node, keys, count)) {
    return false;
  }
  for (ff_node *at = node->first; at && reader->status == FF_OK; at = at->next) {
    if (!reader_is_one_of(at->key->text, keys, count) &&
        !reader_respell(reader, node, at, keys, count)) {
      reader_push(reader, at->key->text);
      ff_reader_unknown(reader, at->key, "key", keys, count);
    }
  }
  return reader->status == FF_OK && reader_record_members(reader, node);
}

/* Names are part of channel names (contact.<a>:<b>.depth) and of globs over them. chosen: in the
 * scene, and not in a robot's file. */
static void reader_check_name(ff_reader *reader, const ff_node *key, const char *noun,
                              bool chosen) {
  const char *name = key->text;
  size_t length = strlen(name);
  if (length == 0 || length > FF_SCENE_NAME_MAX) {
    ff_reader_fail(reader, key, "a %s's name has 1 to %d bytes, this has %zu", noun,
                   FF_SCENE_NAME_MAX, length);
  } else if (chosen && strpbrk(name, ".:* \t\r\n")) {
    ff_reader_fail(reader, key, "a %s's name must not contain '.', ':', '*' or white space: '%s'",
                   noun, name);
  }
}

static bool reader_names(ff_reader *reader, const ff_node *node, const char *noun, bool chosen) {
  if (!reader_is_map(reader, node)) {
    return false;
  }
  if (node->count > FF_SCENE_ITEMS_MAX) {
    ff_reader_fail(reader, node, "holds %d entries, at most %d are allowed", node->count,
                   FF_SCENE_ITEMS_MAX);
  }
  for (const ff_node *at = node->first; at && reader->status == FF_OK; at = at->next) {
    reader_check_name(reader, at->key, noun, chosen);
  }
  return reader->status == FF_OK && reader_record_members(reader, node);
}

bool ff_reader_names(ff_reader *reader, const ff_node *node, const char *noun) {
  return reader_names(reader, node, noun, true);
}

bool ff_reader_given_names(ff_reader *reader, const ff_node *node, const char *noun) {
  return reader_names(reader, node, noun, false);
}

/* Checks a list of at most limit elements; exact: of exactly as many. */
static bool reader_is_list(ff_reader *reader, const ff_node *node, int limit, bool exact) {
  char wanted[64];
  snprintf(wanted, sizeof wanted, exact ? "a list of %d" : "a list", limit);
  if (reader->status == FF_OK && node->kind != FF_NODE_LIST) {
    reader_fail_kind(reader, node, wanted);
  } else if (exact && node->count != limit) {
    ff_reader_fail(reader, node, "must be %s, got %d", wanted, node->count);
  } else if (node->count > limit) {
    ff_reader_fail(reader, node, "holds %d entries, at most %d are allowed", node->count, limit);
  }
  return reader->status == FF_OK;
}

bool ff_reader_list(ff_reader *reader, const ff_node *node, int limit) {
  return reader_is_list(reader, node, limit, false) && reader_record_members(reader, node);
}

/* ---- values of a node ------------------------------------------------------------------------ */

double ff_read_number(ff_reader *reader, const ff_node *node, unsigned allow) {
  double value = 0;
  ff_unit unit = FF_UNIT_NONE;
  if (reader->status != FF_OK) {
    return 0;
  }
  if (node->kind != FF_NODE_SCALAR || !node->plain || !ff_number_scan(node->text, &value, &unit)) {
    const char *text = node->kind == FF_NODE_SCALAR && node->plain ? node->text : "";
    bool has_unit =
        isdigit((unsigned char)text[0]) && isalpha((unsigned char)text[strlen(text) - 1]);
    reader_fail_kind(reader, node,
                     allow & FF_ALLOW_ANGLE ? "a number (rad, or with 'deg')"
                     : has_unit             ? "a number in SI units, without the unit"
                                            : "a number");
  } else if ((unit == FF_UNIT_DEG && !(allow & FF_ALLOW_ANGLE)) ||
             (unit == FF_UNIT_DEG_S && !(allow & FF_ALLOW_RATE))) {
    ff_reader_fail(reader, node, "must be a number without that unit, got '%.80s'", node->text);
  } else if (isnan(value) || (isinf(value) && !(allow & FF_ALLOW_INFINITE && value > 0))) {
    ff_reader_fail(reader, node, "must be a finite number, got '%.80s'", node->text);
  }
  return value;
}

void ff_read_numbers(ff_reader *reader, const ff_node *node, int count, unsigned allow,
                     double *out) {
  if (!reader_is_list(reader, node, count, true)) {
    return;
  }
  int index = 0;
  for (const ff_node *at = node->first; at && reader->status == FF_OK; at = at->next) {
    ff_reader_step(reader, at, index);
    out[index++] = ff_read_number(reader, at, allow);
    ff_reader_leave(reader);
  }
}

bool ff_read_flag(ff_reader *reader, const ff_node *node) {
  bool scalar = node->kind == FF_NODE_SCALAR && node->plain;
  if (scalar && !strcmp(node->text, "true")) {
    return true;
  }
  if (!scalar || strcmp(node->text, "false") != 0) {
    reader_fail_kind(reader, node, "true or false");
  }
  return false;
}

/* ---- values of a key ------------------------------------------------------------------------- */

void ff_get_number(ff_reader *reader, const ff_node *map, const char *key, unsigned allow,
                   double *out) {
  const ff_node *node = ff_reader_enter(reader, map, key);
  if (node) {
    *out = ff_read_number(reader, node, allow);
    ff_reader_leave(reader);
  }
}

void ff_get_vec3(ff_reader *reader, const ff_node *map, const char *key, unsigned allow,
                 ff_vec3 *out) {
  const ff_node *node = ff_reader_enter(reader, map, key);
  if (node) {
    double xyz[3] = {0};
    ff_read_numbers(reader, node, 3, allow, xyz);
    *out = (ff_vec3){xyz[0], xyz[1], xyz[2]};
    ff_reader_leave(reader);
  }
}

void ff_get_flag(ff_reader *reader, const ff_node *map, const char *key, bool *out) {
  const ff_node *node = ff_reader_enter(reader, map, key);
  if (node) {
    *out = ff_read_flag(reader, node);
    ff_reader_leave(reader);
  }
}

void ff_get_count(ff_reader *reader, const ff_node *map, const char *key, int max, int *out) {
  const ff_node *node = ff_reader_enter(reader, map, key);
  if (node) {
    double value = ff_read_number(reader, node, 0);
    if (!(value >= 0 && value <= max && value == floor(value))) {
      ff_reader_fail(reader, node, "must be a whole number from 0 to %d, got '%.80s'", max,
                     node->kind == FF_NODE_SCALAR ? node->text : "");
    }
    *out = reader->status == FF_OK ? (int)value : 0;
    ff_reader_leave(reader);
  }
}

void ff_get_text(ff_reader *reader, const ff_node *map, const char *key, const char **out) {
  const ff_node *node = ff_reader_enter(reader, map, key);
  if (node) {
    if (node->kind != FF_NODE_SCALAR || !node->text[0]) {
      reader_fail_kind(reader, node, "a text");
    } else {
      *out = node->text;
    }
    ff_reader_leave(reader);
  }
}

void ff_get_word(ff_reader *reader, const ff_node *map, const char *key, const char *noun,
                 const char *const *known, int count, int *out) {
  const char *word = NULL;
  ff_get_text(reader, map, key, &word);
  const ff_node *node = word ? ff_reader_enter(reader, map, key) : NULL;
  if (node) {
    int index = 0;
    while (index < count && strcmp(word, known[index]) != 0) {
      index++;
    }
    if (index == count) {
      ff_reader_unknown(reader, node, noun, known, count);
    }
    *out = index;
    ff_reader_leave(reader);
  }
}

void ff_reader_reject(ff_reader *reader, const ff_node *map, const char *const *keys, int count,
                      const char *what) {
  for (int i = 0; i < count; i++) {
    const ff_node *given = ff_reader_enter(reader, map, keys[i]);
    if (given) {
      ff_reader_fail(reader, given, "has no effect on %s; remove one of the two", what);
      ff_reader_leave(reader);
    }
  }
}

void ff_reader_folder(const ff_reader *reader, char *out) {
  const char *file = reader->scene->file, *slash = strrchr(file, '/');
  size_t length = slash ? (size_t)(slash - file) : 0;
  if (!slash || length + 2 > FF_MESH_PATH_MAX) {
    snprintf(out, FF_MESH_PATH_MAX, "%s", slash ? "" : ".");
    return;
  }
  snprintf(out, FF_MESH_PATH_MAX, "%.*s", length > 0 ? (int)length : 1, file);
}
