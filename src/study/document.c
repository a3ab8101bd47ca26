#include "study/document.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/report.h"
#include "footfall/io.h"

#include <stdio.h>
#include <string.h>

ff_status ff_document_read(ff_document *out, ff_arena *arena, const char *path, ff_node **root,
                           ff_report *report) {
  char *text;
  size_t size;
  *out = (ff_document){0};
  if (report) {
    memset(report, 0, sizeof *report);
  }
  ff_status status = ff_file_read(&text, &size, path, FF_SCENE_BYTES_MAX, report);
  if (status != FF_OK) {
    return status;
  }
  const char *slash = strrchr(path, '/');
  out->file = ff_arena_text(arena, path, strlen(path));
  out->folder = ff_arena_text(arena, path, slash ? (size_t)(slash - path) + 1 : 0);
  out->source = ff_arena_text(arena, text, size);
  status = out->file && out->folder && out->source
               ? ff_tree_read(root, arena, text, size, out->file, report)
               : FF_ERROR_MEMORY;
  ff_free(text);
  return status;
}

void ff_document_check_version(ff_reader *reader, const ff_node *root, const char *kind) {
  double version = 1;
  ff_reader_require(reader, root, kind);
  ff_get_number(reader, root, kind, 0, &version);
  if (version != 1) {
    ff_reader_fail(reader, ff_tree_find(root, kind),
                   "this program reads files of version 1, not %g", version);
  }
}

void ff_document_read_scene(ff_reader *reader, const ff_node *root, ff_document *document) {
  const char *name = NULL;
  ff_reader_require(reader, root, "scene");
  ff_get_text(reader, root, "scene", &name);
  if (!name) {
    return;
  }
  const char *folder = name[0] == '/' ? "" : document->folder;
  size_t size = strlen(folder) + strlen(name) + 1;
  char *path = ff_arena_take(reader->arena, size, 1), *text = NULL;
  if (!path) {
    ff_reader_take(reader, FF_ERROR_MEMORY);
    return;
  }
  snprintf(path, size, "%s%s", folder, name);
  document->scene_file = path;
  ff_report why = {0};
  ff_status status = ff_file_read(&text, &document->scene_size, path, FF_SCENE_BYTES_MAX, &why);
  if (status == FF_OK) {
    document->scene_text = ff_arena_text(reader->arena, text, document->scene_size);
    ff_reader_take(reader, document->scene_text ? FF_OK : FF_ERROR_MEMORY);
    ff_free(text);
  } else if (status == FF_ERROR_MEMORY) {
    ff_reader_take(reader, status);
  } else {
    ff_reader_fail(reader, ff_tree_find(root, "scene"), "the scene %.300s cannot be read: %.150s",
                   path, why.what);
  }
}

int ff_read_texts(ff_reader *reader, const ff_node *map, const char *key, int most,
                  const char **out) {
  const ff_node *node = ff_reader_enter(reader, map, key);
  int count = 0;
  if (!node) {
    return 0;
  }
  if (node->kind == FF_NODE_SCALAR) {
    if (!node->text[0]) {
      ff_reader_fail(reader, node, "must not be empty");
    }
    out[count++] = node->text;
  } else if (node->kind == FF_NODE_LIST && node->count > 0 && node->count <= most) {
    for (const ff_node *at = node->first; at && reader->status == FF_OK; at = at->next) {
      if (at->kind == FF_NODE_SCALAR && at->text[0]) {
        out[count++] = at->text;
      } else {
        ff_reader_fail(reader, at, "must be a text");
      }
    }
  } else {
    ff_reader_fail(reader, node, "must be a text or a list of 1 to %d texts", most);
  }
  ff_reader_leave(reader);
  return count;
}
