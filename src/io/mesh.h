/* Collision meshes: vertices of the convex hull of a file's contents. */
#ifndef FF_IO_MESH_H
#define FF_IO_MESH_H

#include "geom/hull.h"

enum { FF_MESH_BYTES_MAX = 256 << 20 };

/* Adds one point. */
typedef ff_status (*ff_mesh_add)(void *to, ff_vec3 point);
/* Points of a COLLADA text; path is for reports. */
ff_status ff_mesh_read_dae(const char *text, size_t size, const char *path, ff_mesh_add add,
                           void *to, ff_report *report);

/* Reads the points of an STL (binary or text), OBJ or COLLADA file, by its extension; freed with
 * ff_free. */
ff_status ff_mesh_points(ff_vec3 **out, size_t *count, const char *path, ff_report *report);

enum { FF_MESH_PATH_MAX = 4096 };

/* Resolves the path of a mesh named by a robot, within root even through links and "..". folder is
 * that of the robot's file; packages are searched from there up to root. FF_ERROR_INPUT if it leads
 * outside, FF_ERROR_FILE if it does not exist. */
ff_status ff_mesh_find(char out[FF_MESH_PATH_MAX], const char *name, const char *folder,
                       const char *root, ff_report *report);
/* Default root for a mesh named by a robot: the nearest folder above the robot's file with the name
 * of the package; or with a package.xml; or the robot's own folder, or its parent if that folder is
 * called urdf. */
void ff_mesh_root(char out[FF_MESH_PATH_MAX], const char *name, const char *folder);

#endif
