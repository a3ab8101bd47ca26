/* Inside a pilot: what its files share. */
#ifndef FF_CONTROL_PILOT_H
#define FF_CONTROL_PILOT_H

#include "control/walk.h"
#include "footfall/pilot.h"
#include "solve/linear.h"

/* ---- support.c: what the feet span, seen from above ----------------------------------------- */

enum { FF_SUPPORT_MAX = 8 };

/* A convex area, corners anticlockwise; only x and y count. */
typedef struct ff_support {
  ff_vec3 corners[FF_SUPPORT_MAX];
  int count;
} ff_support;

/* The hull of at most FF_SUPPORT_MAX points. */
ff_support ff_support_of(const ff_vec3 *points, int count);
/* The point itself, or the nearest of the area; z is kept. */
ff_vec3 ff_support_nearest(const ff_support *support, ff_vec3 point);
/* How far inside; negative: outside, at least so far. */
double ff_support_margin(const ff_support *support, ff_vec3 point);

/* ---- capture.c: the capture point ------------------------------------------------------------ */

/* The zero-moment point goes straight from one place to another. */
typedef struct ff_span {
  double time;
  ff_vec3 from, to;
} ff_span;

/* Where the capture point must be now so that it ends at `last` after these spans. */
ff_vec3 ff_capture_wanted(const ff_span *spans, int count, ff_vec3 last, double omega);
/* What is left after a time of an error of the capture point, while the zero-moment point goes
 * against it with this gain as far as the support allows. */
ff_vec3 ff_capture_left(ff_vec3 error, ff_vec3 zmp, const ff_support *support, double omega,
                        double gain, double time);

/* ---- whole.c: accelerations and torques of the whole tree -------------------------------------
 */

/* What the tree shall do now; all accelerations world, m/s^2 and rad/s^2. */
typedef struct ff_whole_want {
  ff_vec3 com;     /* of the centre of mass; x and y give way so that the ground pushes at zmp */
  ff_vec3 zmp;     /* m, where the ground pushes */
  ff_vec3 normal;  /* of the ground */
  ff_vec3 spin;    /* of the trunk */
  ff_vec3 foot[2]; /* of the middles of the soles, */
  ff_vec3 turn[2]; /* and how the feet turn */
  bool down[2];    /* on the ground */
  const double *joints; /* v_count: of the joints that are not of legs */
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
  /* of the state placed last */
  const double *v;
  ff_tree_motion motion;
  ff_pose trunk;
  ff_pose sole[2]; /* middles of the soles, turned as the feet */
  ff_vec3 sole_velocity[2], sole_omega[2];
} ff_whole;

ff_status ff_whole_create(ff_whole *whole, const ff_walk *walk, ff_vec3 gravity);
void ff_whole_destroy(ff_whole *whole);
void ff_whole_place(ff_whole *whole, const double *q, const double *v);
/* Torques of all joints into whole->tau, accelerations into whole->a. False where legs are
 * stretched and cannot. */
bool ff_whole_torques(ff_whole *whole, const ff_whole_want *want, const double *q);

/* ---- pilot ------------------------------------------------------------------------------------
 */

/* A sole on the ground. */
typedef struct ff_sole {
  ff_vec3 place; /* its middle */
  double yaw;
} ff_sole;

/* A curve at a time. */
typedef struct ff_curve {
  ff_vec3 place, velocity, acceleration;
} ff_curve;

struct ff_pilot {
  ff_pilot_def def;
  ff_task *tasks; /* own copies */
  ff_walk_step *steps;
  ff_walk *stand;  /* no steps: legs, proportions, how it starts */
  ff_walk **walks; /* task_count, of walks that are played; NULL: not */
  ff_whole whole;
  double *start, *rest; /* q at the start; v_count: accelerations of what is not a leg */
  double *hold;         /* q, how it was when the mode began */
  double *aim;          /* q, how it will land */
  double weight;        /* N */

  /* at work */
  long ticks;
  ff_pilot_mode mode;
  int task, next;      /* and the step of the walk that comes next */
  double task_time;    /* s since the task began */
  double time;         /* s since the mode began */
  double wait;         /* s, of standing, before anything else */
  double shift, swing; /* s, of the step under way */
  double part;         /* of its way up and down that the foot in the air has done */
  int moves;           /* foot in the air, or next in the air */
  bool planned;        /* the step under way is one of the walk */
  ff_walk_step step;   /* that one */
  ff_sole sole[2];     /* where the feet stand, or stood last */
  ff_sole landing;     /* where the one in the air shall land */
  ff_curve foot;       /* where it is wanted now */
  ff_vec3 zmp_from;    /* where the zero-moment point was when the mode began */
  double lift_off;     /* m/s of the jump; 0: none under way */
  double unloaded;     /* s without ground */
  double settle;       /* s, until a landing is over */
  double rise;         /* m, of the ground felt over the ground expected */
  ff_pilot_state told;
};

/* ---- stride.c: which step, when and where ------------------------------------------------------
 */

/* Begins a task. */
void ff_stride_begin(ff_pilot *pilot, int task);
/* Goes on to the next mode if it is time to. */
void ff_stride_advance(ff_pilot *pilot, const ff_pilot_sense *sense);
/* Height of the ground that is expected below a place. */
double ff_pilot_ground(const ff_pilot *pilot, double x, double y);
/* The area in which the ground may push, and where it should. */
ff_support ff_stride_support(const ff_pilot *pilot);
ff_vec3 ff_stride_zmp(const ff_pilot *pilot);
/* The capture point that the footsteps to come ask for. */
ff_vec3 ff_stride_capture(const ff_pilot *pilot, double omega);
/* Moves the landing of the foot in the air to where the capture point will be, and the foot on its
 * way there. */
void ff_stride_swing(ff_pilot *pilot, double omega);
/* Part of its length to which a leg is stretched. */
double ff_pilot_stretch(const ff_pilot *pilot, int f);
/* Gain of the zero-moment point on errors of the capture point. */
double ff_pilot_gain(double omega);

#endif
