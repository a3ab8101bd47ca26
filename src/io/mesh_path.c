#define _XOPEN_SOURCE 700 /* realpath */
#include "base/report.h"
#include "io/mesh.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Static_assert(FF_MESH_PATH_MAX >= PATH_MAX, "realpath needs that much");

/* 1: a file inside root, 0: does not exist, -1: outside root. */
static int mesh_path_try(char out[FF_MESH_PATH_MAX], const char *folder, const char *name,
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

/* Last component of a folder's path. */
static const char *mesh_path_last_name(const char *folder) {
  const char *slash = strrchr(folder, '/');
  return slash ? slash + 1 : folder;
}

/* Searches a file of a package, rest being "NAME/FILE": from `folder` up to root the first that
 * exists of NAME/FILE and, if the folder itself is the package, FILE. */
static int mesh_path_search_package(char out[FF_MESH_PATH_MAX], const char *rest,
                                    const char *folder, const char *root) {
  char at[FF_MESH_PATH_MAX], top[FF_MESH_PATH_MAX];
  const char *slash = strchr(rest, '/');
  if (!slash || !realpath(folder, at) || !realpath(root, top)) {
    return 0;
  }
  size_t least = strlen(top);
  int found = 0;
  bool below = true; /* root */
  while (found == 0 && below && strncmp(at, top, least) == 0) {
    found = mesh_path_try(out, at, rest, root);
    found = found ? found : mesh_path_try(out, at, slash + 1, root);
    below = strlen(at) > least;
    *strrchr(at, '/') = 0;
  }
  return found ? found : mesh_path_try(out, root, slash + 1, root);
}

/* Text after "package://", or "model://" (Gazebo); NULL if the name has neither. */
static const char *mesh_path_after_scheme(const char *name) {
  static const char *const schemes[] = {"package://", "model://"};
  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
    size_t length = strlen(schemes[i]);
    if (strncmp(name, schemes[i], length) == 0) {
      return name + length + strspn(name + length, "/");
    }
  }
  return NULL;
}

/* Nearest folder, this or one above it, with this name (name_size > 0) or else with a package.xml.
 * Excludes the folders at the top of the file system. */
static bool mesh_path_find_above(char out[FF_MESH_PATH_MAX], const char *folder, const char *name,
                                 size_t name_size) {
  char *end = realpath(folder, out) ? strrchr(out, '/') : NULL;
  for (; end && end != out; end = strrchr(out, '/')) {
    char marker[FF_MESH_PATH_MAX + sizeof "/package.xml"];
    snprintf(marker, sizeof marker, "%s/package.xml", out);
    if (name_size > 0 ? strlen(end + 1) == name_size && strncmp(end + 1, name, name_size) == 0
                      : access(marker, F_OK) == 0) {
      return true;
    }
    *end = 0;
  }
  return false;
}

void ff_mesh_root(char out[FF_MESH_PATH_MAX], const char *name, const char *folder) {
  const char *rest = mesh_path_after_scheme(name);
  if (!(rest && mesh_path_find_above(out, folder, rest, strcspn(rest, "/"))) &&
      !mesh_path_find_above(out, folder, "", 0)) {
    bool above = strcmp(mesh_path_last_name(folder), "urdf") == 0;
    snprintf(out, FF_MESH_PATH_MAX, "%s%s", folder, above ? "/.." : "");
  }
}

ff_status ff_mesh_find(char out[FF_MESH_PATH_MAX], const char *name, const char *folder,
                       const char *root, ff_report *report) {
  static const char file[] = "file://";
  const char *rest = mesh_path_after_scheme(name);
  const char *path = strncmp(name, file, sizeof file - 1) == 0 ? name + sizeof file - 1 : name;
  int found = 0;
  if (rest) {
    found = mesh_path_search_package(out, rest, folder, root);
  } else if (strstr(path, "://")) {
    return ff_report_what(report, "'%.200s': only package://, file:// and paths are read", name);
  } else if (path[0] == '/') {
    found = mesh_path_try(out, "", path + 1, root);
  } else {
    found = mesh_path_try(out, folder, path, root);
  }
  if (found < 0) {
    return ff_report_what(
        report, "'%.200s' leads out of the folder '%.150s'; files outside it are not opened", name,
        root);
  }
  if (found == 0) {
    ff_report_what(report, "'%.200s' was not found in the root folder '%.150s'", name, root);
    return FF_ERROR_FILE;
  }
  return FF_OK;
}
