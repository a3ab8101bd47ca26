/* The live part of a page: the scene's files, under names below a folder that they share. */
#define _XOPEN_SOURCE 700 /* realpath */

#include "base/file.h"
#include "base/memory.h"
#include "base/report.h"
#include "io/page.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

bool ff_page_live_available(ff_report *report) {
  if (ff_page_engine_size == 0) {
    ff_report_what(report,
                   "this build has no engine for live pages: run ./dev live, which builds it "
                   "with Debian's emscripten");
  }
  return ff_page_engine_size > 0;
}

/* Length of the folder that all files share, with its slash, less its last two names: package
 * folders are found by name. */
static size_t live_shared_folder(char *const *paths, int count) {
  size_t shared = strlen(paths[0]);
  for (int i = 1; i < count; i++) {
    size_t same = 0;
    while (same < shared && paths[i][same] == paths[0][same]) {
      same++;
    }
    shared = same;
  }
  for (int slashes = 0; shared > 1; shared--) {
    slashes += paths[0][shared - 1] == '/';
    if (slashes == 3) {
      break;
    }
  }
  return shared;
}

static ff_status live_add_file(ff_page *page, ff_text *text, const char *path, const char *name,
                               bool first, ff_report *report) {
  enum { BYTES_MOST = 1 << 28 };
  char *bytes;
  size_t size;
  ff_status status = ff_file_read(&bytes, &size, path, BYTES_MOST, report);
  if (status != FF_OK) {
    ff_page_fail(page, status, "");
    return status;
  }
  ff_text_put(text, first ? "{" : ",{");
  ff_text_json_member(text, "name", name);
  ff_text_json_key(text, "bytes");
  ff_text_put(text, "\"");
  ff_text_base64_bytes(text, (const unsigned char *)bytes, size);
  ff_text_put(text, "\"}");
  ff_free(bytes);
  return FF_OK;
}

static ff_status live_add_files(ff_page *page, ff_text *text, const ff_scene *scene, char **paths,
                                int count, ff_report *report) {
  ff_status status = FF_OK;
  for (int i = 0; i < count && status == FF_OK; i++) {
    paths[i] = ff_alloc(PATH_MAX, 1);
    if (!paths[i]) {
      return FF_ERROR_MEMORY;
    }
    if (!realpath(ff_scene_read_file(scene, i), paths[i])) {
      ff_report_what(report, "cannot read '%.300s'", ff_scene_read_file(scene, i));
      status = FF_ERROR_FILE;
    }
  }
  size_t shared = status == FF_OK ? live_shared_folder(paths, count) : 0;
  int own = 0; /* the scene's own file: its text with overrides is enough */
  while (own < count - 1 && strcmp(ff_scene_read_file(scene, own), ff_scene_file(scene)) != 0) {
    own++;
  }
  ff_text_put(text, "{");
  ff_text_json_member(text, "scene", status == FF_OK ? paths[own] + shared : "");
  ff_text_json_member(text, "text", ff_scene_source(scene));
  ff_text_json_key(text, "files");
  ff_text_put(text, "[");
  bool first = true;
  for (int i = 0; i < count && status == FF_OK; i++) {
    if (i != own) {
      status = live_add_file(page, text, paths[i], paths[i] + shared, first, report);
      first = false;
    }
  }
  ff_text_put(text, "]}");
  return status;
}

ff_status ff_page_live(ff_page *page, const ff_scene *scene, ff_report *report) {
  int count = ff_scene_read_count(scene);
  if (!ff_page_live_available(report)) {
    return FF_ERROR_FILE;
  }
  if (count < 1) {
    ff_report_what(report, "a live page needs a scene that was read from a file");
    return FF_ERROR_INPUT;
  }
  char **paths = ff_alloc((size_t)count, sizeof *paths);
  if (!paths) {
    return FF_ERROR_MEMORY;
  }
  ff_text_free(&page->live);
  ff_status status = live_add_files(page, &page->live, scene, paths, count, report);
  for (int i = 0; i < count; i++) {
    ff_free(paths[i]);
  }
  ff_free(paths);
  if (status != FF_OK) {
    ff_text_free(&page->live);
  }
  return status;
}
