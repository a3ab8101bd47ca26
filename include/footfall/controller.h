/* Controllers: balance control of biped robots, from sensors to joint commands.
 *
 *   ff_controller_def def = ff_controller_def_default();        made for
 * scenes/robots/humanoid.urdf def.left_foot = "left_foot", def.right_foot = "right_foot"; def.tasks
 * = tasks, def.task_count = count;        stand, walk, squat, jump ff_controller_build(&controller,
 * tree, &def, &report); ff_controller_tick(controller, &sense, orders);             once a period
 *
 * The capture point is controlled along the path that the footsteps require, by the zero-moment
 * point within the soles and, if that is not enough, by the placement of the feet. Joint torques
 * follow from inverse dynamics; see docs/walking.md. A tick does not allocate.
 * A scene gives a robot a controller by ff_robot_def.controller; the sim then runs it.
 */
#ifndef FOOTFALL_CONTROLLER_H
#define FOOTFALL_CONTROLLER_H

#include "footfall/api.h"
#include "footfall/walk.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- joint orders ---------------------------------------------------------------------------- */

/* tau = stiffness (target - q) + damping (rate - v) + torque, within the joint's effort. The target
 * moves at its rate until the next order. Units with m for rad for prismatic joints. */
typedef struct ff_joint_order {
  double target, rate;       /* rad, rad/s */
  double stiffness, damping; /* N m/rad, N m s/rad */
  double torque;             /* N m */
} ff_joint_order;

/* ---- description ----------------------------------------------------------------------------- */

typedef enum ff_task_kind {
  FF_TASK_STAND, /* for a time */
  FF_TASK_WALK,  /* rest, steps, one that brings the feet together, rest: see ff_walk */
  FF_TASK_SQUAT, /* down by depth and up again, within a time */
  FF_TASK_JUMP   /* down by depth, off the ground, land, and up */
} ff_task_kind;

typedef struct ff_task {
  ff_task_kind kind;
  double time;               /* s: stand, squat; jump: duration of the crouch */
  double depth;              /* m, of the centre of mass: squat, jump */
  double height;             /* m, of the centre of mass above its height at take-off: jump */
  const ff_walk_step *steps; /* walk */
  int step_count;
} ff_task;

typedef struct ff_controller_def {
  const char *left_foot, *right_foot; /* links, as in ff_walk_def */
  const ff_task *tasks;               /* in sequence; then it stands */
  int task_count;
  bool balance;  /* false: stand and walk are replayed to the servos by ff_walk, without feedback */
  double period; /* s between ticks */
  ff_pose place; /* on the ground between the feet: x forward, z out of the ground, world */
  ff_walk_def walk;          /* proportions and times; tree, feet and gravity are not used */
  double stiffness, damping; /* N m/rad, N m s/rad: of all joints without balance */
} ff_controller_def;

/* Balance; 2 ms; at the origin of a level ground; ff_walk_def_default but a height of 0.225 m. */
FF_API ff_controller_def ff_controller_def_default(void);
/* "stand", "walk", ...: the name in scenes and messages. */
FF_API const char *ff_task_kind_name(ff_task_kind kind);

/* ---- creation -------------------------------------------------------------------------------- */

typedef struct ff_controller ff_controller;

/* The tree must outlive the controller. Invalid input, and footsteps out of reach, are
 * FF_ERROR_INPUT.
 */
FF_API ff_status ff_controller_build(ff_controller **out, const ff_tree *tree,
                                     const ff_controller_def *def, ff_vec3 gravity,
                                     ff_report *report);
FF_API void ff_controller_destroy(ff_controller **controller);
/* Resets to the first task. */
FF_API void ff_controller_reset(ff_controller *controller);
/* Initial q: both soles on the ground, other joints as in the posture. */
FF_API void ff_controller_start(const ff_controller *controller, double *q);
/* s, until the end of the last task, without disturbances */
FF_API double ff_controller_duration(const ff_controller *controller);

/* ---- control --------------------------------------------------------------------------------- */

/* Sensor values of a robot. */
typedef struct ff_controller_sense {
  const double *q, *v;
  ff_vec3 load[2]; /* N, contact force on the left and the right foot, world */
} ff_controller_sense;

/* Once per period: an order for each joint with one axis, in the order of the tree. */
FF_API void ff_controller_tick(ff_controller *controller, const ff_controller_sense *sense,
                               ff_joint_order *orders);

typedef enum ff_controller_mode {
  FF_CONTROLLER_STAND,  /* double support, at rest */
  FF_CONTROLLER_SHIFT,  /* double support before a step */
  FF_CONTROLLER_SWING,  /* single support */
  FF_CONTROLLER_FLIGHT, /* both feet in the air */
  FF_CONTROLLER_FALLEN  /* fallen: control has ended */
} ff_controller_mode;

typedef struct ff_controller_state {
  ff_controller_mode mode;
  int task;                        /* 0 .. task_count; the last: all are complete */
  int steps;                       /* steps completed */
  int recovery;                    /* of these, recovery steps that were not planned */
  ff_vec3 com, com_velocity;       /* m, m/s, as measured */
  ff_vec3 capture, capture_wanted; /* m: capture point, on the ground; measured and desired */
  ff_vec3 zmp_wanted;              /* m: desired zero-moment point */
} ff_controller_state;

FF_API ff_controller_state ff_controller_now(const ff_controller *controller);

#ifdef __cplusplus
}
#endif
#endif
