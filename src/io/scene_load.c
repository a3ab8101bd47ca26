/* Loading of a scene from a file or a text. */
#include "base/memory.h"
#include "footfall/io.h"
#include "io/scene_reader.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- document -------------------------------------------------------------------------------- */

static void scene_read_version(ff_reader *reader, const ff_node *root) {
  double version = 1;
  if (reader->status == FF_OK && !ff_tree_find(root, "footfall")) {
    ff_reader_fail(reader, root, "key 'footfall' is missing: a scene begins with 'footfall: 1'");
  }
  ff_get_number(reader, root, "footfall", 0, &version);
  const ff_node *node = version != 1 ? ff_reader_enter(reader, root, "footfall") : NULL;
  if (node) {
    ff_reader_fail(reader, node, "this program reads format version 1, not %.80s", node->text);
    ff_reader_leave(reader);
  }
}

/* The scene's title; by default its file name without folder and extension. */
static void scene_read_title(ff_reader *reader, const ff_node *root) {
  const char *title = NULL;
  ff_get_text(reader, root, "name", &title);
  size_t length = title ? strlen(title) : 0;
  if (!title) {
    const char *slash = strrchr(reader->scene->file, '/');
    title = slash ? slash + 1 : reader->scene->file;
    const char *dot = strrchr(title, '.');
    length = dot && dot > title ? (size_t)(dot - title) : strlen(title);
  }
  reader->scene->name = ff_scene_keep_text(reader->scene, title, length);
  if (!reader->scene->name) {
    reader->scene->name = "";
    ff_reader_take(reader, FF_ERROR_MEMORY);
  }
}

static ff_status scene_read_document(ff_scene *scene, ff_arena *arena, const ff_node *root,
                                     ff_report *report) {
  static const char *const keys[] = {
      "footfall",  "name",   "gravity",  "duration", "stepper", "record", "audit",       "capacity",
      "materials", "bodies", "contacts", "forces",   "drives",  "robots", "constraints", "report"};
  ff_reader reader = {.scene = scene, .arena = arena, .report = report};
  if (ff_reader_map(&reader, root, keys, FF_COUNT(keys))) {
    scene_read_version(&reader, root);
    scene_read_title(&reader, root);
    ff_read_run(&reader, root);
    ff_read_materials(&reader, root);
    ff_read_bodies(&reader, root);
    ff_read_robots(&reader, root);
    ff_read_contacts(&reader, root);
    ff_read_forces(&reader, root);
    ff_read_drives(&reader, root);
    ff_read_constraints(&reader, root);
    ff_read_report(&reader, root);
  }
  return reader.status;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Text for the recording: the source, or the tree as text if overrides changed it. */
static ff_status scene_keep_source(ff_scene *scene, ff_arena *arena, const ff_node *root,
                                   const char *text, size_t size, bool changed) {
  const char *source = changed ? ff_tree_text(root, arena) : text;
  source = source ? ff_scene_keep_text(scene, source, changed ? strlen(source) : size) : NULL;
  if (!source) {
    return FF_ERROR_MEMORY;
  }
  scene->source = source;
  return FF_OK;
}

static ff_status scene_fill(ff_scene *scene, ff_arena *arena, const char *text, size_t size,
                            const char *const *overrides, int override_count, ff_report *report) {
  ff_node *root;
  ff_status status = ff_tree_read(&root, arena, text, size, scene->file, report);
  status = status == FF_OK ? ff_tree_rename_old(root, scene, arena) : status;
  for (int i = 0; i < override_count && status == FF_OK; i++) {
    status = ff_tree_override(root, arena, overrides[i], report);
  }
  if (status == FF_OK && override_count > 0) { /* they may have old names, too */
    status = ff_tree_rename_old(root, scene, arena);
  }
  if (status == FF_OK) {
    status = scene_read_document(scene, arena, root, report);
  }
  if (status == FF_OK) {
    status = scene_keep_source(scene, arena, root, text, size, override_count > 0);
  }
  return status;
}

ff_status ff_scene_parse(ff_scene **out, const char *text, size_t size, const char *name,
                         const char *const *overrides, int override_count, ff_report *report) {
  if (report) {
    memset(report, 0, sizeof *report);
  }
  if (out && !text) {
    *out = NULL;
  }
  if (!out || !text) {
    return ff_report_what(report, "there is no text");
  }
  ff_arena arena = {0};
  ff_status status = ff_scene_create(out);
  if (status != FF_OK) {
    return status;
  }
  const char *file = ff_scene_keep_text(*out, name ? name : "", name ? strlen(name) : 0);
  if (file) {
    (*out)->file = file;
    status = scene_fill(*out, &arena, text, size, overrides, override_count, report);
  } else {
    status = FF_ERROR_MEMORY;
  }
  ff_arena_free(&arena);
  if (status != FF_OK) {
    ff_scene_destroy(out);
  }
  return status;
}

/* ---- file ------------------------------------------------------------------------------------ */

static ff_status scene_file_error(const char *path, int error, ff_report *report) {
  if (error == ENOMEM) {
    return FF_ERROR_MEMORY;
  }
  ff_report_what(report, "cannot be read: %s", strerror(error));
  ff_tree_place(report, &(ff_node){.file = path});
  return FF_ERROR_FILE;
}

/* Reads up to one byte more than the limit, so that a file that is too large is detected. */
static ff_status scene_read_bytes(FILE *file, const char *path, char **out, size_t *size,
                                  ff_report *report) {
  size_t capacity = 0;
  *out = NULL;
  *size = 0;
  do {
    if (*size == capacity) {
      size_t larger = capacity ? 4 * capacity : 1 << 16;
      larger = larger > FF_SCENE_BYTES_MAX ? FF_SCENE_BYTES_MAX + 1 : larger;
      char *fresh = ff_resize(*out, capacity, larger, 1);
      if (!fresh) {
        return FF_ERROR_MEMORY;
      }
      *out = fresh;
      capacity = larger;
    }
    *size += fread(*out + *size, 1, capacity - *size, file);
    if (ferror(file)) {
      return scene_file_error(path, errno, report);
    }
  } while (!feof(file) && *size <= FF_SCENE_BYTES_MAX);
  return FF_OK;
}

ff_status ff_scene_load(ff_scene **out, const char *path, const char *const *overrides,
                        int override_count, ff_report *report) {
  if (!out) {
    return FF_ERROR_INPUT;
  }
  *out = NULL;
  if (report) {
    memset(report, 0, sizeof *report);
  }
  if (!path) {
    return ff_report_what(report, "there is no name of a file");
  }
  FILE *file = fopen(path, "rb");
  if (!file) {
    return scene_file_error(path, errno, report);
  }
  char *text;
  size_t size;
  ff_status status = scene_read_bytes(file, path, &text, &size, report);
  fclose(file);
  if (status == FF_OK) {
    status = ff_scene_parse(out, text, size, path, overrides, override_count, report);
  }
  ff_free(text);
  if (status == FF_OK && ff_scene_add_read(*out, path) != FF_OK) {
    ff_scene_destroy(out);
    status = FF_ERROR_MEMORY;
  }
  return status;
}
