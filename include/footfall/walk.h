/* Walking patterns of biped robots: from footsteps to joint angles.
 *
 *   ff_walk_def def = ff_walk_def_default();
 *   def.tree = tree;                                  trunk on a free joint, six axes a leg
 *   def.left_foot = 8, def.right_foot = 18;
 *   ff_walk_build(&walk, &def, steps, count, &report);
 *   ff_walk_joints(walk, t, q, v);                    targets of the servos
 *
 * The centre of mass follows a linear inverted pendulum under preview control, such that the
 * zero-moment point stays within the feet [Kajita03]; see docs/walking.md. The robot starts at the
 * origin, heading along x, on the plane z = 0. A walk is immutable and may be shared by threads;
 * only build and create allocate.
 */
#ifndef FOOTFALL_WALK_H
#define FOOTFALL_WALK_H

#include "footfall/api.h"
#include "footfall/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- preview control of the pendulum, usable alone ------------------------------------------- */

/* Cart-table model: a mass at constant height, moved by its jerk u along one axis; state position
 * p, velocity, acceleration a; zero-moment point z = p - height / gravity a. */
typedef struct ff_preview_def {
  double sample;       /* s */
  double horizon;      /* s, preview horizon */
  double height;       /* m */
  double gravity;      /* m/s^2 */
  double error_weight; /* 1/m^2: weight of (z - reference)^2 in the cost, */
  double jerk_weight;  /* s^6/m^2: weight of u^2 */
} ff_preview_def;

FF_API ff_preview_def ff_preview_def_default(void); /* 5 ms, 1.2 s, 0.245 m, 9.81, 1, 1e-6 */

typedef struct ff_preview ff_preview;

FF_API ff_status ff_preview_create(ff_preview **out, const ff_preview_def *def, ff_report *report);
FF_API void ff_preview_destroy(ff_preview **preview);

/* u = -integral sum(z - reference) - state . (p, p', a) - sum(ahead[j] reference[k + 1 + j]) */
typedef struct ff_preview_gains {
  double integral;
  double state[3];
  const double *ahead; /* the last one includes everything beyond the horizon */
  int count;
  double tail;        /* the part of that last one from beyond the horizon */
  double riccati[16]; /* P, 4 x 4, of the error and the changes of the state */
  double residual;    /* largest entry of the residual of the Riccati equation, relative to P's */
} ff_preview_gains;

FF_API ff_preview_gains ff_preview_gains_of(const ff_preview *preview);

typedef struct ff_pendulum {
  double position, velocity, acceleration, jerk; /* m, s; the jerk until the next sample */
  double sum;                                    /* m, sum of the errors so far */
} ff_pendulum;

/* Sets the jerk until the next sample. reference[0] is the current one, followed by those of the
 * coming samples, as many as there are gains. */
FF_API void ff_preview_steer(const ff_preview *preview, ff_pendulum *pendulum,
                             const double *reference);
/* State after a time of at most one sample under its jerk. */
FF_API ff_pendulum ff_pendulum_after(const ff_pendulum *pendulum, double time);

/* ---- footsteps ------------------------------------------------------------------------------- */

/* Displacement of the midpoint between the feet, in its own frame; the swing foot lands beside it.
 */
typedef struct ff_walk_step {
  double forward, side; /* m, side: to the left */
  double turn;          /* rad, counterclockwise */
  double duration;      /* s, both phases; 0: step_time of the walk */
} ff_walk_step;

typedef enum ff_walk_side { FF_WALK_LEFT, FF_WALK_RIGHT } ff_walk_side;

typedef struct ff_walk_def {
  const ff_tree *tree;            /* must outlive the walk. Link 1 is the trunk, on a free joint */
  int left_foot, right_foot;      /* links: ends of legs of the form ff_leg, straight at q = 0 */
  ff_vec3 sole;                   /* m, centre of the sole, in the frame of the foot */
  double sole_length, sole_width; /* m */
  double width;                   /* m, between the links of the feet; 0: that of the hips */
  double height;                  /* m, of the centre of mass */
  double step_time, double_support; /* s; the second is part of the first */
  double lift;                      /* m, height of the swing foot */
  double rest;                      /* s, standing before and after */
  double sample, horizon, gravity;  /* as of the preview */
  int corrections;       /* iterations of the correction by the tree's zero-moment point */
  ff_walk_side first;    /* first swing foot */
  const double *posture; /* q of the joints outside the legs; NULL: neutral. Copied */
} ff_walk_def;

/* For the humanoid of scenes/robots: sole of 0.10 x 0.06 m; height 0.24 m, steps of 0.5 s of which
 * 0.12 s on both feet, lift 0.02 m, rest 1.5 s, 5 ms, 1.2 s, two corrections, left foot first. */
FF_API ff_walk_def ff_walk_def_default(void);

typedef struct ff_walk ff_walk;

/* The steps, then one that brings the feet together, then rest; without steps it stands. Invalid
 * input, a foot out of reach and an angle beyond its limit are FF_ERROR_INPUT, and the report (may
 * be NULL) names which and when. */
FF_API ff_status ff_walk_build(ff_walk **out, const ff_walk_def *def, const ff_walk_step *steps,
                               int count, ff_report *report);
FF_API void ff_walk_destroy(ff_walk **walk);

FF_API double ff_walk_duration(const ff_walk *walk); /* s */

/* ---- evaluation at any time; at rest before 0 and after the end ------------------------------ */

typedef struct ff_walk_foot {
  ff_pose pose;     /* of the link, world */
  ff_vec3 velocity; /* m/s, world */
  double yaw_rate;  /* rad/s, about z */
  bool down;        /* on the ground */
} ff_walk_foot;

typedef struct ff_walk_state {
  ff_vec3 com, com_velocity, com_acceleration; /* m, s: planned */
  ff_vec3 zmp;                                 /* m, planned zero-moment point */
  ff_pose trunk;
  ff_walk_foot foot[2]; /* left, right */
} ff_walk_state;

FF_API ff_walk_state ff_walk_at(const ff_walk *walk, double time);

/* Coordinates of the whole tree, and their rates (v may be NULL; by differences, accurate to about
 * 1e-7 of the largest). Costs two closed-form solutions; six with v. */
FF_API void ff_walk_joints(const ff_walk *walk, double time, double *q, double *v);

/* Distance of a point of the ground inside the support polygon; negative: outside, a lower bound of
 * the distance in magnitude. m */
FF_API double ff_walk_margin(const ff_walk *walk, double time, ff_vec3 point);

#ifdef __cplusplus
}
#endif
#endif
