/* Meshes for collision: corners of the convex hull of what a file describes. */
#ifndef FF_IO_MESH_H
#define FF_IO_MESH_H

#include "geom/hull.h"

enum { FF_MESH_BYTES_MAX = 256 << 20 };

/* Takes one more point. */
typedef ff_status (*ff_mesh_add)(void *to, ff_vec3 point);
/* The points of a COLLADA text; path is for reports. */
ff_status ff_mesh_read_dae(const char *text, size_t size, const char *path, ff_mesh_add add,
                           void *to, ff_report *report);

/* Reads the points of an STL (binary or text), OBJ or COLLADA file by its ending; freed with
 * ff_free. */
ff_status ff_mesh_points(ff_vec3 **out, size_t *count, const char *path, ff_report *report);

enum { FF_MESH_PATH_MAX = 4096 };

/* Where the file that a robot names lies: inside root, whatever links and dots say. folder is
 * that of the robot's file; packages are looked for from there up to root. FF_ERROR_INPUT if it
 * leads outside, FF_ERROR_FILE if there is none. */
ff_status ff_mesh_find(char out[FF_MESH_PATH_MAX], const char *name, const char *folder,
                       const char *root, ff_report *report);
/* The root for a file that a robot names if none is given: the nearest folder above the robot's
 * file that is called like the package; or that holds a package.xml; or the robot's own folder, or
 * the one above if that is called urdf. */
void ff_mesh_root(char out[FF_MESH_PATH_MAX], const char *name, const char *folder);

#endif
