/* Meshes of robots: the points of a file for collisions, its faces with colours for pictures. */
#ifndef FF_IO_MESH_H
#define FF_IO_MESH_H

#include "geom/hull.h"

#include <stdint.h>

enum { FF_MESH_BYTES_MAX = 256 << 20, FF_MESH_FACES_MAX = 4000000 };

/* A triangle; alpha below 0: no colour given. */
typedef struct ff_mesh_face {
  uint32_t corner[3];
  float rgba[4];
} ff_mesh_face;

/* Contents of a file, m. */
typedef struct ff_mesh {
  bool with_faces; /* set before reading: faces are wanted */
  ff_vec3 *points;
  size_t count, capacity;
  ff_mesh_face *faces;
  size_t face_count, face_capacity;
  ff_report *report;
} ff_mesh;

ff_status ff_mesh_add_point(ff_mesh *mesh, ff_vec3 point);
/* Adds a triangle; one that names a point that does not exist is an error. */
ff_status ff_mesh_add_face(ff_mesh *mesh, const size_t corner[3], const float rgba[4]);
/* Colour of a face that has none. */
extern const float ff_mesh_no_colour[4];

/* A COLLADA or OBJ text; path is for reports, and for the materials of an OBJ, which are read from
 * files beside it. */
ff_status ff_mesh_read_dae(ff_mesh *mesh, const char *text, size_t size, const char *path);
ff_status ff_mesh_read_obj_faces(ff_mesh *mesh, const char *text, size_t size, const char *path);
/* Three numbers separated by blanks before `end`; false if they are missing. */
bool ff_mesh_three_numbers(const char *text, const char *end, ff_vec3 *out);

/* Reads an STL (binary or text), OBJ or COLLADA file, by its extension. ff_mesh_free in any case.
 */
ff_status ff_mesh_read(ff_mesh *mesh, const char *path, ff_report *report);
void ff_mesh_free(ff_mesh *mesh);

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
