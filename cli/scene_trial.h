/* Trial of a scene that is about to be printed. */
#ifndef FF_CLI_SCENE_TRIAL_H
#define FF_CLI_SCENE_TRIAL_H

#include <stdbool.h>
#include <stdio.h>

/* What a starting scene leaves to choose. */
typedef struct scene_choice {
  bool bristle;     /* bristle and clutch, else sticking Coulomb friction */
  double stiffness; /* factor on that of the floor */
  double step;      /* s */
  double servo;     /* factor on the gains of the servos */
  bool fixed;       /* the base of a robot that would tip over */
} scene_choice;

typedef struct scene_trial {
  scene_choice choice;
  bool good;        /* its verdict, at `time` */
  bool fallen;      /* the base leans by more than 20 degrees, or more and more */
  bool whole;       /* it was run to its end */
  bool spent;       /* the work allowed to the trials ended before all choices were tried */
  double time;      /* s, up to which it was run */
  char reason[200]; /* why not */
} scene_trial;

/* Prints the scene with a choice; path: of the robot, as the scene has it. */
typedef void scene_printer(const void *context, const scene_choice *choice, const char *path,
                           FILE *out);

/* Runs choices until one is good: the robot keeps its base within 20 degrees (floats: has it a free
 * base?), and no finding is a failure. Else, or if the work allowed to the trials ends, the first
 * choice. path: of the robot. */
scene_trial scene_try(scene_printer *print, const void *context, const char *path, bool floats);

#endif
