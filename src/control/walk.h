/* Internals of a walk, shared by its files. */
#ifndef FF_CONTROL_WALK_H
#define FF_CONTROL_WALK_H

#include "footfall/walk.h"
#include "math/vec.h"

/* Footprint: origin of the foot's link, projected on the ground. */
typedef struct ff_walk_print {
  double x, y, yaw; /* yaw does not wrap */
} ff_walk_print;

/* One step, or the rest before (no foot moves) or after it. */
typedef struct ff_walk_phase {
  double start, shift, end; /* s: double support until shift, which may be the end */
  int moves;                /* swing foot from then on; -1: none */
  ff_walk_print from[2];    /* of both feet at the start */
  ff_walk_print to;         /* of the swing foot */
  double zmp_from[2], zmp_to[2];
} ff_walk_phase;

/* A leg of the tree. */
typedef struct ff_walk_leg {
  int link[6]; /* from hip to foot */
  int q_at[6];
  ff_vec3 hip; /* in the trunk */
  ff_leg leg;
} ff_walk_leg;

/* Trunk pose and the angles of both legs. */
typedef struct ff_walk_config {
  ff_pose trunk;
  double angles[2][6];
  int short_of; /* leg that cannot reach its foot; -1: none */
} ff_walk_config;

struct ff_walk {
  ff_walk_def def; /* with its own copy of posture, all of q */
  double *posture;
  ff_walk_leg legs[2];
  ff_walk_phase *phases;
  int phase_count;
  double duration;
  int count;             /* samples, the last at duration or slightly later */
  ff_pendulum *com[2];   /* [count] of x and y */
  double *trunk[3];      /* [count], its position */
  double *trunk_bend[3]; /* second derivatives of the spline through them */
};

/* ---- plan.c: feet and zero-moment point ------------------------------------------------------ */

/* A value with its first and second derivatives with respect to a parameter in 0 .. 1. */
typedef struct ff_way {
  double value, rate, bend;
} ff_way;

/* Quintic from 0 to 1 with zero first and second derivatives at the ends, constant outside. */
ff_way ff_way_ease(double s);
/* From 0 up to 1 in the middle and back, equally smooth. */
ff_way ff_way_arch(double s);

/* Phases of these steps into walk->phases (count + 3 at most); sets duration. */
void ff_walk_plan(ff_walk *walk, const ff_walk_step *steps, int count);
void ff_walk_zmp(const ff_walk *walk, double time, double zmp[2]);
/* Positions and velocities of both feet; returns the heading of the trunk between them. */
double ff_walk_feet(const ff_walk *walk, double time, ff_walk_foot feet[2]);

/* ---- body.c: the robot ----------------------------------------------------------------------- */

/* Finds the legs; FF_ERROR_INPUT if they do not have the form of ff_leg. */
ff_status ff_walk_find_legs(ff_walk *walk, ff_report *report);
/* Joint angles for the trunk and the feet at these poses. */
ff_walk_config ff_walk_solve(const ff_walk *walk, ff_pose trunk, const ff_walk_foot feet[2]);
/* All of q. */
void ff_walk_write(const ff_walk *walk, const ff_walk_config *config, double *q);
/* Velocities from the difference of two close configurations. */
void ff_walk_rates(const ff_walk *walk, const ff_walk_config *from, const ff_walk_config *to,
                   double time, double *v);
/* Position of the trunk that brings the tree's centre of mass to com, iterated from `trunk`; q is
 * the resulting configuration. gain: displacement of the trunk per displacement of the centre of
 * mass, initially the identity, improved in each search. */
ff_walk_config ff_walk_balance(const ff_walk *walk, ff_tree_work *work, ff_vec3 com, double time,
                               ff_vec3 trunk, ff_mat3 *gain, double *q);
/* Link whose angle exceeds its limits in q; 0: none. */
int ff_walk_limit_exceeded(const ff_walk *walk, const double *q);

/* ---- sample.c -------------------------------------------------------------------------------- */

ff_walk_config ff_walk_config_at(const ff_walk *walk, double time);

/* ---- spline.c: C2 interpolation -------------------------------------------------------------- */

/* bend = second derivatives at the samples, with zero slope at both ends. scratch [count]. */
void ff_spline_fit(const double *y, int count, double step, double *bend, double *scratch);
double ff_spline_at(const double *y, const double *bend, int count, double step, double x);

#endif
