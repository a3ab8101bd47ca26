/* Typed access to a tree, with the key path and location of errors.
 *
 * The first error is kept: every later call does nothing, so that a section is read as a list of
 * its keys. Optional values are unchanged when their key is missing. */
#ifndef FF_IO_SCENE_READER_H
#define FF_IO_SCENE_READER_H

#include "base/report.h"
#include "io/scene_tree.h"
#include "model/scene.h"

enum { FF_SCENE_ITEMS_MAX = 200000, FF_SCENE_ROWS_MAX = 1000000, FF_SCENE_NAME_MAX = 64 };

typedef struct ff_reader {
  ff_scene *scene; /* NULL: the document is not a scene */
  ff_arena *arena; /* tables and texts, until they are copied into the scene */
  ff_report *report;
  ff_status status;
  char path[1024]; /* "bodies.ball.mass" */
  size_t ends[2 * FF_SCENE_DEPTH_MAX];
  int depth;
} ff_reader;

/* Forms of a number besides finite SI values. */
typedef enum ff_allow {
  FF_ALLOW_ANGLE = 1,   /* "30 deg" */
  FF_ALLOW_RATE = 2,    /* "20 deg/s" */
  FF_ALLOW_INFINITE = 4 /* .inf */
} ff_allow;

/* ---- navigation ------------------------------------------------------------------------------ */

/* Checks that a node is a mapping with these keys only, and records their locations. */
bool ff_reader_map(ff_reader *reader, const ff_node *node, const char *const *keys, int count);
/* The same for a mapping with names as keys (bodies): names are checked instead. */
bool ff_reader_names(ff_reader *reader, const ff_node *node, const char *noun);
/* The same for names that a robot's file gives (joints): any text. */
bool ff_reader_given_names(ff_reader *reader, const ff_node *node, const char *noun);
/* Checks that a node is a list of at most limit elements, and records their locations. */
bool ff_reader_list(ff_reader *reader, const ff_node *node, int limit);
/* Enters a key's value: NULL if missing or after an error; otherwise leave it with ff_reader_leave.
 */
const ff_node *ff_reader_enter(ff_reader *reader, const ff_node *map, const char *key);
/* Enters a member of a list or mapping during iteration. */
void ff_reader_step(ff_reader *reader, const ff_node *member, int index);
void ff_reader_leave(ff_reader *reader);
/* Reads every member of the list under a key, if present, each at its own path. */
typedef void (*ff_reader_fn)(ff_reader *reader, const ff_node *member, void *context);
void ff_reader_each(ff_reader *reader, const ff_node *map, const char *key, ff_reader_fn read,
                    void *context);
/* Records the location of a node under path.word, for the checks of ff_model_build. */
void ff_reader_record(ff_reader *reader, const char *word, const ff_node *node);
/* Fails unless the mapping has the key. */
void ff_reader_require(ff_reader *reader, const ff_node *map, const char *key);

/* ---- errors ---------------------------------------------------------------------------------- */

void ff_reader_fail(ff_reader *reader, const ff_node *node, const char *format, ...)
    FF_PRINTF(3, 4);
void ff_reader_unknown(ff_reader *reader, const ff_node *node, const char *noun,
                       const char *const *known, int count);
/* Rejects keys that have no effect on something. */
void ff_reader_reject(ff_reader *reader, const ff_node *map, const char *const *keys, int count,
                      const char *what);
/* Takes the status of a call that can only fail with FF_ERROR_MEMORY. */
void ff_reader_take(ff_reader *reader, ff_status status);

/* ---- values of a key ------------------------------------------------------------------------- */

void ff_get_number(ff_reader *reader, const ff_node *map, const char *key, unsigned allow,
                   double *out);
void ff_get_vec3(ff_reader *reader, const ff_node *map, const char *key, unsigned allow,
                 ff_vec3 *out);
void ff_get_flag(ff_reader *reader, const ff_node *map, const char *key, bool *out);
void ff_get_count(ff_reader *reader, const ff_node *map, const char *key, int max, int *out);
void ff_get_text(ff_reader *reader, const ff_node *map, const char *key, const char **out);
/* The key `pair`: two names of bodies; `more` is appended to the error message. */
void ff_get_pair(ff_reader *reader, const ff_node *map, const char *more, const char **a,
                 const char **b);
/* One of the known words, by index. */
void ff_get_word(ff_reader *reader, const ff_node *map, const char *key, const char *noun,
                 const char *const *known, int count, int *out);
/* Quaternion [w, x, y, z], {axis, angle} or {rpy}. */
void ff_get_orientation(ff_reader *reader, const ff_node *map, ff_quat *out);
/* A number or vector, or {table: [[t, ...], ...]}. */
void ff_get_table(ff_reader *reader, const ff_node *map, const char *key, unsigned allow,
                  ff_table *out);

/* ---- values of a node ------------------------------------------------------------------------ */

double ff_read_number(ff_reader *reader, const ff_node *node, unsigned allow);
/* Reads a list of exactly count numbers. */
void ff_read_numbers(ff_reader *reader, const ff_node *node, int count, unsigned allow,
                     double *out);
bool ff_read_flag(ff_reader *reader, const ff_node *node);

/* ---- sections of a scene --------------------------------------------------------------------- */

void ff_read_materials(ff_reader *reader, const ff_node *root);
void ff_read_bodies(ff_reader *reader, const ff_node *root);
/* Copies of a body under the key `grid`. */
typedef struct ff_body_grid {
  int count[3];    /* along x, y and z */
  ff_vec3 spacing; /* m */
  ff_vec3 stagger; /* m, shift of every second layer */
  double aside;    /* m, most that a copy is shifted at random along each axis */
  bool turned;     /* random orientations */
  int seed;
} ff_body_grid;
/* False: there is no such key. */
bool ff_read_grid(ff_reader *reader, const ff_node *body, ff_body_grid *out);
/* Adds a body, with the shapes of its node, and its copies. */
void ff_reader_fill_grid(ff_reader *reader, const ff_body_grid *grid, const ff_body_def *def,
                         const ff_node *body);
/* Measured motion under the key `track`, if present. */
bool ff_read_track(ff_reader *reader, const ff_node *map, ff_track_def *out);
/* Folder of the scene: the files that it names must be inside it. FF_MESH_PATH_MAX bytes. */
void ff_reader_folder(const ff_reader *reader, char *out);
void ff_read_shapes(ff_reader *reader, const ff_node *body_node, ff_body body);
/* Controller of a robot, if present; sets the initial configuration of the robot. */
void ff_read_controller(ff_reader *reader, const ff_node *robot_node, const ff_robot *robot,
                        ff_robot_def *def, ff_joint_setting *joints);
void ff_read_robots(ff_reader *reader, const ff_node *root);
void ff_read_contacts(ff_reader *reader, const ff_node *root);
void ff_read_forces(ff_reader *reader, const ff_node *root);
void ff_read_drives(ff_reader *reader, const ff_node *root);
void ff_read_constraints(ff_reader *reader, const ff_node *root);
void ff_read_run(ff_reader *reader, const ff_node *root);
void ff_read_report(ff_reader *reader, const ff_node *root);
/* The key `colour`: a name or "#rrggbb". */
void ff_get_colour(ff_reader *reader, const ff_node *map, const char **out);

/* ---- names of older scenes ------------------------------------------------------------------- */

/* Renames keys and channels that had another name; each is a note of the scene. */
ff_status ff_tree_rename_old(ff_node *root, ff_scene *scene, ff_arena *arena);

#define FF_COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

#endif
