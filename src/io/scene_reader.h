/* Typed values out of a tree, with the key path and the place of whatever is wrong.
 *
 * The first error sticks: every call after it does nothing, so that sections read as a
 * list of their keys. Optional values are left alone when their key is missing. */
#ifndef FF_IO_SCENE_READER_H
#define FF_IO_SCENE_READER_H

#include "base/report.h"
#include "io/scene_tree.h"
#include "model/scene.h"

enum { FF_SCENE_ITEMS_MAX = 200000, FF_SCENE_ROWS_MAX = 1000000, FF_SCENE_NAME_MAX = 64 };

typedef struct ff_reader {
  ff_scene *scene;
  ff_arena *arena; /* tables and texts, until they are copied into the scene */
  ff_report *report;
  ff_status status;
  char path[1024]; /* "bodies.ball.mass" */
  size_t ends[2 * FF_SCENE_DEPTH_MAX];
  int depth;
} ff_reader;

/* What a number may be, beside finite and in SI units. */
typedef enum ff_allow {
  FF_ALLOW_ANGLE = 1,   /* "30 deg" */
  FF_ALLOW_RATE = 2,    /* "20 deg/s" */
  FF_ALLOW_INFINITE = 4 /* .inf */
} ff_allow;

/* ---- moving --------------------------------------------------------------------- */

/* Checks that a node is a mapping with none but these keys, and remembers their places. */
bool ff_reader_map(ff_reader *reader, const ff_node *node, const char *const *keys, int count);
/* The same for a mapping of named things (bodies): names are checked instead. */
bool ff_reader_names(ff_reader *reader, const ff_node *node, const char *noun);
/* Checks that a node is a list of at most limit elements, and remembers their places. */
bool ff_reader_list(ff_reader *reader, const ff_node *node, int limit);
/* Goes to a key's value: NULL if missing or after an error, else leave it again. */
const ff_node *ff_reader_enter(ff_reader *reader, const ff_node *map, const char *key);
/* Goes to a member of a list or mapping that is being walked. */
void ff_reader_step(ff_reader *reader, const ff_node *member, int index);
void ff_reader_leave(ff_reader *reader);
/* Reads every member of the list under a key, if it is there, each at its own place. */
typedef void (*ff_reader_fn)(ff_reader *reader, const ff_node *member, void *context);
void ff_reader_each(ff_reader *reader, const ff_node *map, const char *key, ff_reader_fn read,
                    void *context);
/* Remembers the place of a node under path.word, for the checks of ff_model_build. */
void ff_reader_remember(ff_reader *reader, const char *word, const ff_node *node);
/* Fails unless the mapping has the key. */
void ff_reader_require(ff_reader *reader, const ff_node *map, const char *key);

/* ---- failing ---------------------------------------------------------------------- */

void ff_reader_fail(ff_reader *reader, const ff_node *node, const char *format, ...)
    FF_PRINTF(3, 4);
void ff_reader_unknown(ff_reader *reader, const ff_node *node, const char *noun,
                       const char *const *known, int count);
/* Takes the status of a call that can only run out of memory. */
void ff_reader_take(ff_reader *reader, ff_status status);

/* ---- values of a key ------------------------------------------------------------------ */

void ff_get_number(ff_reader *reader, const ff_node *map, const char *key, unsigned allow,
                   double *out);
void ff_get_vec3(ff_reader *reader, const ff_node *map, const char *key, unsigned allow,
                 ff_vec3 *out);
void ff_get_flag(ff_reader *reader, const ff_node *map, const char *key, bool *out);
void ff_get_count(ff_reader *reader, const ff_node *map, const char *key, int max, int *out);
void ff_get_text(ff_reader *reader, const ff_node *map, const char *key, const char **out);
/* The key `pair`: two names of bodies; more is added to the message if it is not. */
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

/* ---- values of a node ------------------------------------------------------------------- */

double ff_read_number(ff_reader *reader, const ff_node *node, unsigned allow);
/* count numbers of a list of exactly that length. */
void ff_read_numbers(ff_reader *reader, const ff_node *node, int count, unsigned allow,
                     double *out);
bool ff_read_flag(ff_reader *reader, const ff_node *node);

/* ---- sections of a scene -------------------------------------------------------------------- */

void ff_read_materials(ff_reader *reader, const ff_node *root);
void ff_read_bodies(ff_reader *reader, const ff_node *root);
void ff_read_shapes(ff_reader *reader, const ff_node *body_node, ff_body body);
/* The pilot of a robot, if it has one; sets where the robot and its joints start. */
void ff_read_pilot(ff_reader *reader, const ff_node *robot_node, const ff_robot *robot,
                   ff_robot_def *def, ff_joint_setting *joints);
void ff_read_robots(ff_reader *reader, const ff_node *root);
void ff_read_contacts(ff_reader *reader, const ff_node *root);
void ff_read_forces(ff_reader *reader, const ff_node *root);
void ff_read_drives(ff_reader *reader, const ff_node *root);
void ff_read_constraints(ff_reader *reader, const ff_node *root);
void ff_read_run(ff_reader *reader, const ff_node *root);

#define FF_COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

#endif
