/* Robots from URDF: sequence of passes, meshes, warnings. */
#include "io/urdf.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/report.h"
#include "geom/hull.h"
#include "io/mesh.h"
#include "math/eigen.h"
#include "math/vec.h"

#include <stdio.h>
#include <string.h>

/* ---- meshes ---------------------------------------------------------------------------------- */

/* Axis-aligned bounding box of the points. */
static void urdf_set_box(ff_robot_shape *shape, const ff_vec3 *points, size_t count) {
  ff_vec3 low = points[0], high = points[0];
  for (size_t i = 1; i < count; i++) {
    low = v3(fmin(low.x, points[i].x), fmin(low.y, points[i].y), fmin(low.z, points[i].z));
    high = v3(fmax(high.x, points[i].x), fmax(high.y, points[i].y), fmax(high.z, points[i].z));
  }
  shape->size = v3_scale(0.5, v3_sub(high, low));
  shape->pose.position = pose_point(shape->pose, v3_scale(0.5, v3_add(low, high)));
}

/* Convex hull of the points, reduced to the vertex limit of a shape. */
static ff_status urdf_set_hull(ff_urdf *urdf, ff_robot_shape *shape, const ff_vec3 *points,
                               size_t count, ff_report *report) {
  ff_vec3 *corners = ff_arena_take(urdf->arena, FF_ROBOT_MESH_CORNERS, sizeof *corners);
  shape->corners = corners;
  return corners ? ff_hull_reduce(corners, &shape->corner_count, FF_ROBOT_MESH_CORNERS, points,
                                  (int)count, &shape->error, report)
                 : FF_ERROR_MEMORY;
}

/* Adds to the list of files that the robot was read from. */
static ff_status urdf_list_file(ff_robot *robot, const char *path) {
  const char *copy = ff_arena_text(&robot->arena, path, strlen(path));
  if (!copy || !ff_grow((void **)&robot->files, (size_t)robot->file_count, &robot->file_room,
                        sizeof *robot->files)) {
    return FF_ERROR_MEMORY;
  }
  robot->files[robot->file_count++] = copy;
  return FF_OK;
}

static ff_status urdf_read_mesh(ff_robot *robot, ff_urdf *urdf, ff_urdf_shape *from,
                                ff_report *report) {
  char path[FF_MESH_PATH_MAX], root[FF_MESH_PATH_MAX];
  ff_robot_shape *shape = &from->shape;
  ff_mesh mesh = {0};
  if (!urdf->root) {
    ff_mesh_root(root, shape->file, urdf->folder);
  }
  ff_status status =
      ff_mesh_find(path, shape->file, urdf->folder, urdf->root ? urdf->root : root, report);
  status = status == FF_OK ? urdf_list_file(robot, path) : status;
  status = status == FF_OK ? ff_mesh_read(&mesh, path, report) : status;
  for (size_t i = 0; status == FF_OK && i < mesh.count; i++) {
    mesh.points[i] = v3_mul(from->scale, mesh.points[i]);
  }
  status = status == FF_OK ? urdf_set_hull(urdf, shape, mesh.points, mesh.count, report) : status;
  if (status == FF_OK) {
    ff_vec3 *corners = (ff_vec3 *)shape->corners;
    for (int i = 0; i < shape->corner_count; i++) {
      corners[i] = pose_point(shape->pose, corners[i]);
    }
    urdf_set_box(shape, mesh.points, mesh.count);
  }
  ff_mesh_free(&mesh);
  return status;
}

/* Errors are located where the robot names the mesh. */
static void urdf_place_mesh_error(const ff_urdf *urdf, const ff_urdf_shape *shape, bool missing,
                                  ff_report *report) {
  if (report) {
    char what[300];
    snprintf(what, sizeof what, "%.299s", report->what);
    ff_urdf_wrong(urdf, shape->line, report, "mesh '%.80s': %s%s", shape->shape.file, what,
                  missing ? ". Give the folder that holds it (check --root), or leave it out "
                            "(missing-meshes: skip in a scene, check --skip-meshes)"
                          : "");
  }
}

ff_status ff_urdf_meshes(ff_robot *robot, ff_urdf *urdf, ff_report *report) {
  int kept = 0;
  for (int i = 0; i < urdf->shape_count; i++) {
    ff_urdf_shape *shape = &urdf->shapes[i];
    ff_status status = shape->shape.mesh ? urdf_read_mesh(robot, urdf, shape, report) : FF_OK;
    bool missing = status == FF_ERROR_FILE && urdf->skips_missing;
    if (missing) {
      status = ff_urdf_note(urdf, shape->line, "mesh '%.200s' was not found: left out",
                            shape->shape.file);
    } else if (status != FF_OK && status != FF_ERROR_MEMORY) {
      urdf_place_mesh_error(urdf, shape, status == FF_ERROR_FILE, report);
    }
    if (status != FF_OK) {
      return status;
    }
    if (!missing) {
      urdf->shapes[kept++] = *shape;
    }
  }
  urdf->shape_count = kept;
  return FF_OK;
}

/* ---- visuals --------------------------------------------------------------------------------- */

static ff_robot_colour urdf_visual_colour(const ff_urdf *urdf, const ff_urdf_shape *visual) {
  for (int i = 0; visual->material && !visual->colour.given && i < urdf->material_count; i++) {
    if (strcmp(urdf->materials[i].name, visual->material) == 0) {
      return urdf->materials[i].colour;
    }
  }
  /* Some files define a material in the first visual that uses it. */
  for (int i = 0; visual->material && !visual->colour.given && i < urdf->visual_count; i++) {
    const ff_urdf_shape *other = &urdf->visuals[i];
    if (other->colour.given && other->material && strcmp(other->material, visual->material) == 0) {
      return other->colour;
    }
  }
  return visual->colour;
}

/* Path of a visual's mesh; "" if the file does not exist, which is not an error. NULL: no memory.
 */
static const char *urdf_visual_path(ff_robot *robot, const ff_urdf *urdf, const char *name) {
  char path[FF_MESH_PATH_MAX], root[FF_MESH_PATH_MAX];
  if (!urdf->root) {
    ff_mesh_root(root, name, urdf->folder);
  }
  if (ff_mesh_find(path, name, urdf->folder, urdf->root ? urdf->root : root, NULL) != FF_OK) {
    path[0] = 0;
  }
  return ff_arena_text(&robot->arena, path, strlen(path));
}

ff_status ff_urdf_fill_visuals(ff_robot *robot, const ff_urdf *urdf, const int *place) {
  size_t count = (size_t)urdf->visual_count;
  robot->visuals = ff_arena_take(&robot->arena, count, sizeof *robot->visuals);
  for (size_t i = 0; robot->visuals && i < count; i++) {
    const ff_urdf_shape *from = &urdf->visuals[i];
    robot->visuals[i] = (ff_robot_visual){.link = place[from->link] + 1,
                                          .mesh = from->shape.mesh,
                                          .kind = from->shape.kind,
                                          .size = from->shape.size,
                                          .pose = from->shape.pose,
                                          .file = "",
                                          .scale = from->scale,
                                          .colour = urdf_visual_colour(urdf, from)};
    if (from->shape.mesh) {
      robot->visuals[i].file = urdf_visual_path(robot, urdf, from->shape.file);
    }
    if (!robot->visuals[i].file) {
      return FF_ERROR_MEMORY;
    }
  }
  robot->visual_count = urdf->visual_count;
  return robot->visuals ? FF_OK : FF_ERROR_MEMORY;
}

/* ---- warnings -------------------------------------------------------------------------------- */

/* NULL, or why this inertia is not physical. */
static const char *urdf_inertia_error(const ff_link_def *def) {
  ff_quat axes;
  ff_vec3 i = ff_eigen(def->inertia, &axes);
  double most = fmax(i.x, fmax(i.y, i.z)), slack = 1e-9 * most;
  if (i.x < -slack || i.y < -slack || i.z < -slack) {
    return "has a negative principal moment of inertia, which is not physical";
  }
  if (i.x > i.y + i.z + slack || i.y > i.x + i.z + slack || i.z > i.x + i.y + slack) {
    return "has a principal moment of inertia larger than the sum of the others, which is not "
           "physical";
  }
  if (def->mass > 0 && most <= 0) {
    return "has mass but no inertia";
  }
  return def->mass == 0 && most > 0 ? "has inertia but no mass" : NULL;
}

ff_status ff_urdf_judge(const ff_robot *robot, ff_urdf *urdf) {
  ff_status status = FF_OK;
  if (robot->shape_count == 0 && robot->floats) {
    status = ff_urdf_note(urdf, 1, "no link has a collision shape: the robot has no contacts");
  }
  for (int i = 1; status == FF_OK && i <= robot->link_count; i++) {
    const ff_robot_link *link = &robot->links[i];
    const char *wrong = urdf_inertia_error(&link->def);
    if (wrong) {
      status = ff_urdf_note(urdf, link->line, "link '%.80s' %s", link->def.name, wrong);
    }
  }
  return status;
}

/* ---- creation -------------------------------------------------------------------------------- */

/* Folder of a path; "." if it has none. False if it is too long. */
static bool urdf_folder_of(const char *path, char out[FF_MESH_PATH_MAX]) {
  const char *slash = strrchr(path, '/');
  size_t length = slash ? (size_t)(slash - path) : 0;
  if (length + 8 >= FF_MESH_PATH_MAX) {
    return false;
  }
  memcpy(out, slash ? path : ".", slash ? length : 1);
  out[slash ? length : 1] = 0;
  if (slash == path) {
    memcpy(out, "/", 2);
  }
  return true;
}

static ff_status urdf_read_robot(ff_robot *robot, ff_urdf *urdf, ff_report *report) {
  char *text = NULL;
  size_t size = 0;
  ff_status status = urdf_list_file(robot, urdf->file);
  status =
      status == FF_OK ? ff_file_read(&text, &size, urdf->file, FF_XML_BYTES_MAX, report) : status;
  status = status == FF_OK ? ff_urdf_read(urdf, text, size, report) : status;
  ff_free(text);
  status = status == FF_OK ? ff_urdf_meshes(robot, urdf, report) : status;
  status = status == FF_OK ? ff_urdf_assemble(robot, urdf, report) : status;
  status = status == FF_OK ? ff_urdf_judge(robot, urdf) : status;
  robot->name = urdf->name ? urdf->name : "";
  robot->notes = urdf->notes;
  robot->note_count = urdf->note_count;
  return status;
}

static ff_status urdf_load(ff_robot **out, const char *path, const char *root, bool skips_missing,
                           ff_report *report) {
  char folder[FF_MESH_PATH_MAX];
  if (!out) {
    return FF_ERROR_INPUT;
  }
  *out = NULL;
  if (!path) {
    return ff_report_what(report, "there is no name of a file");
  }
  if (!urdf_folder_of(path, folder)) {
    return ff_report_what(report, "the path is too long");
  }
  ff_robot *robot = ff_alloc(1, sizeof *robot);
  if (!robot) {
    ff_report_what(report, "%s", ff_status_text(FF_ERROR_MEMORY));
    return FF_ERROR_MEMORY;
  }
  ff_urdf urdf = {.file = path,
                  .folder = folder,
                  .root = root,
                  .arena = &robot->arena,
                  .skips_missing = skips_missing};
  ff_status status = urdf_read_robot(robot, &urdf, report);
  ff_urdf_free(&urdf);
  if (status != FF_OK) {
    if (status == FF_ERROR_MEMORY) {
      ff_report_what(report, "%s", ff_status_text(status));
    }
    ff_robot_destroy(&robot);
    return status;
  }
  *out = robot;
  return FF_OK;
}

ff_status ff_robot_load(ff_robot **out, const char *path, const char *root, ff_report *report) {
  return urdf_load(out, path, root, false, report);
}

ff_status ff_robot_load_without_missing(ff_robot **out, const char *path, const char *root,
                                        ff_report *report) {
  return urdf_load(out, path, root, true, report);
}

void ff_robot_destroy(ff_robot **at) {
  ff_robot *robot = at ? *at : NULL;
  if (robot) {
    *at = NULL;
    ff_arena_free(&robot->arena);
    ff_free(robot->files);
    ff_free(robot);
  }
}

/* ---- queries --------------------------------------------------------------------------------- */

const char *ff_robot_name(const ff_robot *robot) {
  return robot ? robot->name : "";
}

int ff_robot_link_count(const ff_robot *robot) {
  return robot ? robot->link_count : 0;
}

ff_robot_link ff_robot_link_info(const ff_robot *robot, int link) {
  if (link < 0 || link > robot->link_count) {
    return (ff_robot_link){.def = ff_link_def_default(), .joint_name = ""};
  }
  return robot->links[link];
}

int ff_robot_shape_count(const ff_robot *robot) {
  return robot->shape_count;
}

ff_robot_shape ff_robot_shape_info(const ff_robot *robot, int shape) {
  bool known = shape >= 0 && shape < robot->shape_count;
  return known ? robot->shapes[shape] : (ff_robot_shape){.file = ""};
}

int ff_robot_visual_count(const ff_robot *robot) {
  return robot->visual_count;
}

ff_robot_visual ff_robot_visual_info(const ff_robot *robot, int visual) {
  bool known = visual >= 0 && visual < robot->visual_count;
  return known ? robot->visuals[visual] : (ff_robot_visual){.file = ""};
}

int ff_robot_note_count(const ff_robot *robot) {
  return robot->note_count;
}

const char *ff_robot_note(const ff_robot *robot, int note) {
  return note >= 0 && note < robot->note_count ? robot->notes[note] : "";
}

int ff_robot_file_count(const ff_robot *robot) {
  return robot->file_count;
}

const char *ff_robot_file(const ff_robot *robot, int file) {
  return file >= 0 && file < robot->file_count ? robot->files[file] : "";
}

ff_robot_def ff_robot_def_of(const ff_robot *robot, const char *name) {
  return (ff_robot_def){.name = name,
                        .links = robot->links + 1,
                        .link_count = robot->link_count,
                        .shapes = robot->shapes,
                        .shape_count = robot->shape_count,
                        .visuals = robot->visuals,
                        .visual_count = robot->visual_count,
                        .root = robot->floats ? FF_JOINT_FREE : FF_JOINT_FIXED,
                        .base.orientation = {1, 0, 0, 0}};
}

ff_status ff_robot_tree(ff_tree **out, const ff_robot *robot, ff_joint_kind root,
                        ff_report *report) {
  ff_link_def *links = ff_alloc((size_t)robot->link_count, sizeof *links);
  *out = NULL;
  if (!links) {
    ff_report_what(report, "%s", ff_status_text(FF_ERROR_MEMORY));
    return FF_ERROR_MEMORY;
  }
  for (int i = 0; i < robot->link_count; i++) {
    links[i] = robot->links[i + 1].def;
  }
  links[0].joint.kind = root;
  ff_status status = ff_tree_build(out, links, robot->link_count, report);
  ff_free(links);
  return status;
}
