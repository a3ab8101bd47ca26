/* What of a model a sim has changed for itself: law parameters, masses, gains of drives. */
#ifndef FF_SIM_SETTINGS_H
#define FF_SIM_SETTINGS_H

#include "base/arena.h"
#include "base/keep.h"
#include "footfall/sim.h"

typedef enum ff_setting_kind {
  FF_SETTING_LAW,  /* index: binding; param: of the normal law, or FF_SETTING_FRICTION + param */
  FF_SETTING_MASS, /* index: body; kg */
  FF_SETTING_GAIN  /* index: joint, over all robots; param: 0 stiffness, 1 damping */
} ff_setting_kind;

enum { FF_SETTING_FRICTION = 1000 };

/* One number that differs from the model; part of the state. */
typedef struct ff_setting {
  int kind, index, param;
  int unused; /* 0: states are compared byte by byte */
  double value;
} ff_setting;

/* Copies of what settings change, made when they are needed. */
typedef struct ff_own_robot {
  ff_tree *tree;                 /* NULL: no mass of its links has changed */
  double *ease;                  /* inverse inertias of links, see ff_model_body.ease */
  struct ff_model_joint *joints; /* NULL: no gain has changed */
  double *targets;               /* 2 for each joint: a table of one row */
} ff_own_robot;

typedef struct ff_settings {
  ff_setting *list; /* sorted by kind, index and param */
  int count, capacity;
  struct ff_binding *bindings;
  struct ff_model_body *bodies;
  struct ff_model_robot *robots;
  ff_own_robot *own; /* robot_count */
} ff_settings;

/* Frees what is not in the sim's arena. */
void ff_settings_free(ff_sim *sim);
/* Takes the settings of a state, which begin its data, into effect; what follows is not read. On
 * failure those before stay. */
ff_status ff_settings_load(ff_sim *sim, ff_keep *keep);
/* Lists them; a load only passes over them. */
void ff_settings_keep(ff_sim *sim, ff_keep *keep);

#endif
