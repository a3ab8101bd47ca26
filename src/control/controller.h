/* Internals of a controller, shared by its files. */
#ifndef FF_CONTROL_CONTROLLER_H
#define FF_CONTROL_CONTROLLER_H

#include "base/keep.h"
#include "control/walk.h"
#include "footfall/controller.h"
#include "solve/linear.h"

/* ---- support.c: support polygon -------------------------------------------------------------- */

enum { FF_SUPPORT_MAX = 8 };

/* Convex polygon, corners anticlockwise; z is ignored. */
typedef struct ff_support {
  ff_vec3 corners[FF_SUPPORT_MAX];
  int count;
} ff_support;

/* Convex hull of at most FF_SUPPORT_MAX points. */
ff_support ff_support_of(const ff_vec3 *points, int count);
/* Nearest point of the polygon, which may be the point itself; z is kept. */
ff_vec3 ff_support_nearest(const ff_support *support, ff_vec3 point);
/* Distance from the boundary; negative outside, a lower bound of the distance in magnitude. */
double ff_support_margin(const ff_support *support, ff_vec3 point);

/* ---- capture.c: the capture point ------------------------------------------------------------ */

/* Straight motion of the zero-moment point from one place to another. */
typedef struct ff_span {
  double time;
  ff_vec3 from, to;
} ff_span;

/* Capture point required now so that it is at `last` after these spans. */
ff_vec3 ff_capture_desired(const ff_span *spans, int count, ff_vec3 last, double omega);
/* Error of the capture point left after a time, while the zero-moment point counteracts it with
 * this gain, limited by the support polygon. */
ff_vec3 ff_capture_remaining(ff_vec3 error, ff_vec3 zmp, const ff_support *support, double omega,
                             double gain, double time);

/* ---- whole_body.c: whole-body inverse dynamics ----------------------------------------------- */

/* Desired accelerations, world, m/s^2 and rad/s^2. */
typedef struct ff_whole_want {
  ff_vec3 com;          /* of the centre of mass; x and y are adapted to zmp */
  ff_vec3 zmp;          /* m, zero-moment point */
  ff_vec3 normal;       /* of the ground plane */
  ff_vec3 spin;         /* of the trunk, angular */
  ff_vec3 foot[2];      /* of the centres of the soles, */
  ff_vec3 turn[2];      /* and of the feet, angular */
  bool down[2];         /* in contact with the ground */
  const double *joints; /* v_count: of the joints outside the legs */
} ff_whole_want;

typedef struct ff_whole {
  const ff_walk *walk;
  ff_tree_work *work;
  ff_linear *linear;
  int *start, *row; /* pattern of a full matrix */
  double *matrix, *inertia, *jacobian, *rate;
  double *right, *a, *tau, *bias;
  ff_tree_wrench *wrenches;
  ff_vec3 gravity;
  /* of the last state set */
  const double *v;
  ff_tree_motion motion;
  ff_pose trunk;
  ff_pose sole[2]; /* centres of the soles, with the orientation of the feet */
  ff_vec3 sole_velocity[2], sole_omega[2];
} ff_whole;

ff_status ff_whole_create(ff_whole *whole, const ff_walk *walk, ff_vec3 gravity);
void ff_whole_destroy(ff_whole *whole);
void ff_whole_place(ff_whole *whole, const double *q, const double *v);
/* Joint torques into whole->tau, accelerations into whole->a. False where stretched legs are
 * singular. */
bool ff_whole_torques(ff_whole *whole, const ff_whole_want *want, const double *q);

/* ---- controller
 * ----------------------------------------------------------------------------------- */

/* Sole of a foot on the ground. */
typedef struct ff_sole {
  ff_vec3 place; /* its centre */
  double yaw;
} ff_sole;

/* Point of a curve with its rates. */
typedef struct ff_curve {
  ff_vec3 place, velocity, acceleration;
} ff_curve;

struct ff_controller {
  ff_controller_def def;
  ff_task *tasks; /* own copies */
  ff_walk_step *steps;
  ff_walk *stand;  /* walk without steps: legs, proportions, initial configuration */
  ff_walk **walks; /* task_count, of walks that are replayed; NULL: not replayed */
  ff_whole whole;
  double *start, *rest; /* initial q; v_count: accelerations outside the legs */
  double *hold;         /* q at the start of the mode */
  double *aim;          /* q for the landing */
  double weight;        /* N */

  /* state, up to the end: see ff_controller_keep */
  long ticks;
  ff_controller_mode mode;
  int task, next;      /* current task, and the next step of its walk */
  double task_time;    /* s since the task began */
  double time;         /* s since the mode began */
  double wait;         /* s, standing before anything else */
  double shift, swing; /* s, of the current step */
  double part;         /* fraction of its vertical motion done by the swing foot */
  int moves;           /* swing foot, or the next one */
  bool planned;        /* the current step is part of the walk */
  ff_walk_step step;   /* that step */
  ff_sole sole[2];     /* where the feet stand, or stood last */
  ff_sole landing;     /* landing place of the swing foot */
  ff_curve foot;       /* its desired position */
  ff_vec3 zmp_from;    /* zero-moment point at the start of the mode */
  double lift_off;     /* m/s, take-off velocity of the jump; 0: none */
  double unloaded;     /* s without ground contact */
  double settle;       /* s until a landing is over */
  double rise;         /* m, measured minus expected height of the ground */
  ff_controller_state told;
};

/* Lists its clock, mode and plan. */
void ff_controller_keep(ff_controller *controller, ff_keep *keep);

/* ---- stride.c: timing and placement of steps ------------------------------------------------- */

/* Starts a task. */
void ff_stride_begin(ff_controller *controller, int task);
/* Switches to the next mode when it is due. */
void ff_stride_advance(ff_controller *controller, const ff_controller_sense *sense);
/* Expected height of the ground at a place. */
double ff_controller_ground(const ff_controller *controller, double x, double y);
/* Support polygon of the feet on the ground, and the desired zero-moment point. */
ff_support ff_stride_support(const ff_controller *controller);
ff_vec3 ff_stride_zmp(const ff_controller *controller);
/* Capture point required by the steps ahead. */
ff_vec3 ff_stride_capture(const ff_controller *controller, double omega);
/* Adapts the landing of the swing foot to the predicted capture point, and moves the foot towards
 * it. */
void ff_stride_swing(ff_controller *controller, double omega);
/* Extension of a leg, as a fraction of its length. */
double ff_controller_stretch(const ff_controller *controller, int f);
/* Gain of the zero-moment point on errors of the capture point. */
double ff_controller_gain(double omega);

#endif
