/* Inside a walk: what its files share. */
#ifndef FF_CONTROL_WALK_H
#define FF_CONTROL_WALK_H

#include "footfall/walk.h"
#include "math/vec.h"

/* Where a foot stands: the origin of its link, seen from above. */
typedef struct ff_walk_print {
  double x, y, yaw; /* yaw does not wrap */
} ff_walk_print;

/* One step, or the rest before (no foot moves) or after it. */
typedef struct ff_walk_phase {
  double start, shift, end; /* s: on both feet until shift, which may be the end */
  int moves;                /* foot in the air from then on; -1: none */
  ff_walk_print from[2];    /* of both feet at the start */
  ff_walk_print to;         /* of the one that moves */
  double zmp_from[2], zmp_to[2];
} ff_walk_phase;

/* A leg of the tree. */
typedef struct ff_walk_leg {
  int link[6]; /* from hip to foot */
  int q_at[6];
  ff_vec3 hip; /* in the trunk */
  ff_leg leg;
} ff_walk_leg;

/* What moves: the trunk and the angles of both legs. */
typedef struct ff_walk_config {
  ff_pose trunk;
  double angles[2][6];
  int short_of; /* leg that cannot reach its foot; -1: none */
} ff_walk_config;

struct ff_walk {
  ff_walk_def def; /* posture is our own copy, of all of q */
  double *posture;
  ff_walk_leg legs[2];
  ff_walk_phase *phases;
  int phase_count;
  double duration;
  int count;             /* samples, the last at duration or a little later */
  ff_pendulum *com[2];   /* [count] of x and y */
  double *trunk[3];      /* [count] of its place */
  double *trunk_bend[3]; /* second derivatives of the spline through them */
};

/* ---- plan.c: where the feet and the zero-moment point are -------------------------------------
 */

/* A value, its rate and the rate of that over a way of length 1. */
typedef struct ff_way {
  double value, rate, bend;
} ff_way;

/* From 0 to 1 with no rate and no bend at the ends, held beyond. */
ff_way ff_way_ease(double s);
/* Up to 1 in the middle and back, as smooth. */
ff_way ff_way_arch(double s);

/* Phases for these steps, into walk->phases (count + 3 of them at most); sets duration. */
void ff_walk_plan(ff_walk *walk, const ff_walk_step *steps, int count);
void ff_walk_zmp(const ff_walk *walk, double time, double zmp[2]);
/* Places and rates of both feet, and the heading of the trunk between them. */
double ff_walk_feet(const ff_walk *walk, double time, ff_walk_foot feet[2]);

/* ---- body.c: the tree that walks ----------------------------------------------------------------
 */

/* Finds the legs; FF_ERROR_INPUT if they are not as ff_leg wants them. */
ff_status ff_walk_find_legs(ff_walk *walk, ff_report *report);
/* The angles for the trunk and the feet at these places. */
ff_walk_config ff_walk_solve(const ff_walk *walk, ff_pose trunk, const ff_walk_foot feet[2]);
/* All of q. */
void ff_walk_write(const ff_walk *walk, const ff_walk_config *config, double *q);
/* Rates between two that are near. */
void ff_walk_rates(const ff_walk *walk, const ff_walk_config *from, const ff_walk_config *to,
                   double time, double *v);
/* The place of the trunk that brings the centre of mass of the tree there, sought from trunk on; q
 * is where all of it is then. gain is how far the trunk moves for what is missing of the centre of
 * mass: the identity at first, and better after each search. */
ff_walk_config ff_walk_balance(const ff_walk *walk, ff_tree_work *work, ff_vec3 com, double time,
                               ff_vec3 trunk, ff_mat3 *gain, double *q);
/* Link whose angle is beyond its limits in q; 0: none. */
int ff_walk_beyond(const ff_walk *walk, const double *q);

/* ---- sample.c
 * ------------------------------------------------------------------------------------ */

ff_walk_config ff_walk_config_at(const ff_walk *walk, double time);

/* ---- spline.c: curves of continuous second derivative through samples -------------------------
 */

/* bend = second derivatives at the samples, with no slope at both ends. scratch [count]. */
void ff_spline_fit(const double *y, int count, double step, double *bend, double *scratch);
double ff_spline_at(const double *y, const double *bend, int count, double step, double x);

#endif
