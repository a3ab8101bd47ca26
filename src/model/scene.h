/* Internals of a scene: arrays of definitions, which own all data they point to. */
#ifndef FF_MODEL_SCENE_H
#define FF_MODEL_SCENE_H

#include "base/arena.h"
#include "base/report.h"
#include "footfall/robot.h"
#include "footfall/scene.h"

enum { FF_SCENE_CONTACTS_MAX = 10000000 }; /* largest contact capacity that may be requested */

/* Source location of a value, by key path. */
typedef struct ff_place {
  const char *key;  /* "bodies.ball.mass", "contacts.0.normal.k" */
  const char *file; /* the scene's file, or "--set PATH"; lives as long as the scene */
  int line, column; /* 0: unknown */
} ff_place;

typedef struct ff_scene_shape {
  ff_body body;
  ff_shape_def def;
  int index; /* index within its body: key bodies.<name>.shapes.<index> */
} ff_scene_shape;

/* A robot of the scene; its links are bodies first_body .. (0-based) in order. */
typedef struct ff_scene_robot {
  ff_robot_def def;
  int first_body;
} ff_scene_robot;

/* A panel of the report: channels y over channel x; both may be globs. */
typedef struct ff_scene_panel {
  const char *title, *x; /* title "": made from the channels */
  const char **y;
  int y_count;
} ff_scene_panel;

/* A view of the replay. */
typedef struct ff_scene_view {
  const char *name;
  ff_vec3 from;       /* direction from what is seen to the camera */
  ff_vec3 at;         /* m, what is seen; x NAN: the middle of what moves */
  double width;       /* m, of the picture; NAN: all that moves fits */
  const char *follow; /* a body or robot; "": none */
} ff_scene_view;

/* A value that readers of a live page can change. */
typedef struct ff_scene_slider {
  const char *title, *path, *unit; /* title "": the path; path as of --set */
  double from, to;                 /* of the value */
  double value;                    /* in the scene; NAN: not there, or not a number */
} ff_scene_slider;

/* Look of the scene in reports. */
typedef struct ff_scene_look {
  ff_scene_panel *panels;
  int panel_count;
  ff_scene_view *views;
  int view_count;
  ff_scene_slider *sliders;
  int slider_count;
} ff_scene_look;

struct ff_scene {
  ff_material_def *materials;
  int material_count;
  size_t material_capacity;
  ff_body_def *bodies;
  int body_count;
  size_t body_capacity;
  int *shape_counts; /* number of shapes of each body */
  size_t shape_counts_capacity;
  ff_scene_shape *shapes;
  int shape_count;
  size_t shape_capacity;
  ff_contact_def *contacts;
  int contact_count;
  size_t contact_capacity;
  ff_force_def *forces;
  int force_count;
  size_t force_capacity;
  ff_drive_def *drives;
  int drive_count;
  size_t drive_capacity;
  ff_constraint_def *constraints;
  int constraint_count;
  size_t constraint_capacity;
  ff_scene_robot *robots;
  int robot_count;
  size_t robot_capacity;
  ff_run_def run;
  ff_scene_look look; /* in memory */

  const char *name;   /* title; "" if built from C */
  const char *file;   /* as given by the user; "" if built from C */
  const char *source; /* YAML text; "" if built from C */
  const char **reads; /* files that it was read from */
  int read_count;
  size_t read_capacity;
  const char **notes; /* in memory */
  int note_count;
  size_t note_capacity;
  ff_place *places; /* hash table by key: place_capacity slots (a power of 2), key NULL: empty */
  int place_count, place_capacity;

  ff_arena memory; /* strings and tables the definitions point to */
};

/* Records one more file that the scene was read from. */
ff_status ff_scene_add_read(ff_scene *scene, const char *path);
/* Adds a note with its source: "file:line: " and the text. */
ff_status ff_scene_add_note(ff_scene *scene, const char *file, int line, const char *format, ...)
    FF_PRINTF(4, 5);
/* Records the source location of a key; the last one applies. */
ff_status ff_scene_add_place(ff_scene *scene, const char *key, const char *file, int line,
                             int column);
/* Fills file, line and column of a report from its key, or from the nearest parent key with a
 * location. Report may be NULL. */
void ff_scene_locate(const ff_scene *scene, ff_report *report);
/* Copies a text into the scene; NULL if out of memory. */
const char *ff_scene_keep_text(ff_scene *scene, const char *text, size_t size);

/* Deep copy of a controller's definition, except tree and posture; NULL if out of memory. */
const ff_controller_def *ff_controller_def_copy(ff_arena *arena, const ff_controller_def *def);

#endif
