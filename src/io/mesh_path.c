#define _XOPEN_SOURCE 700 /* realpath */
#include "base/report.h"
#include "io/mesh.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(FF_MESH_PATH_MAX >= PATH_MAX, "realpath needs that much");

/* 1: a file inside root, 0: there is none, -1: it is outside. */
static int look(char out[FF_MESH_PATH_MAX], const char *folder, const char *name,
                const char *root) {
  char path[2 * FF_MESH_PATH_MAX], real_root[FF_MESH_PATH_MAX];
  int length = snprintf(path, sizeof path, "%s/%s", folder, name);
  if (length >= (int)sizeof path || !realpath(path, out) || !realpath(root, real_root)) {
    return 0;
  }
  size_t n = strlen(real_root);
  bool inside = strncmp(out, real_root, n) == 0 && (out[n] == '/' || n == 1);
  return inside ? 1 : -1;
}

ff_status ff_mesh_find(char out[FF_MESH_PATH_MAX], const char *name, const char *folder,
                       const char *root, ff_report *report) {
  static const char package[] = "package://";
  int found = 0;
  if (strncmp(name, package, sizeof package - 1) == 0) {
    const char *rest = name + sizeof package - 1;
    rest += strspn(rest, "/");
    const char *slash = strchr(rest, '/');
    found = look(out, root, rest, root);
    found = found == 0 && slash ? look(out, root, slash + 1, root) : found;
  } else if (strstr(name, "://")) {
    return ff_report_what(report, "'%.200s': only package:// and files are read", name);
  } else if (name[0] == '/') {
    found = look(out, "", name + 1, root);
  } else {
    found = look(out, folder, name, root);
  }
  if (found < 0) {
    return ff_report_what(report, "'%.200s' leads out of the folder '%.150s'", name, root);
  }
  if (found == 0) {
    ff_report_what(report, "'%.200s' is not found in '%.150s', the root folder", name, root);
    return FF_ERROR_FILE;
  }
  return FF_OK;
}
