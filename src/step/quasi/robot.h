/* Robots in the quasi-rigid problem: residual (robot_dynamics.c) and Jacobian (robot_jacobian.c).
 */
#ifndef FF_STEP_QUASI_ROBOT_H
#define FF_STEP_QUASI_ROBOT_H

#include "base/memory.h"
#include "solve/blocks.h"
#include "step/quasi/problem.h"
#include "tree/tree.h"

/* Spring and stops of a joint with one coordinate x, which is that of the robot times the factor of
 * a mimic joint (robot_joints.c). */
typedef struct quasi_elastic {
  bool acts;
  bool spring_resolved, stop_resolved; /* the step is short enough for their frequency */
  double x;                            /* m or rad, at the start */
  double force;                        /* N or N m, at the start: part of tau */
  double stored, lost;                 /* J, W, the same */
} quasi_elastic;

/* A link during the step: what elements add to it, in its own six unknowns. */
typedef struct quasi_link {
  quasi_elastic elastic; /* spring and stops of its joint */
  ff_vec3 arm_start;     /* m, from its origin to its body's centre at the start, */
  ff_vec3 reach_start;   /* m, to its centre of mass, */
  ff_vec3 r_start;       /* m, and from its parent's origin to its own */
  ff_sv momentum_free;   /* kg m^2/s about its centre of mass, kg m/s: momentum of the start, and
                          * the impulse of gravity */
  ff_vec3 com_start;     /* m, its centre of mass at the start */
  ff_sv v_start;         /* rad/s, m/s, of that at the start; */
  ff_sv
      v_start_at_end; /* the same with the joint velocities of the start in the pose of the end, */
  ff_sv v_end_at_start;    /* and with those of the end in the pose of the start */
  double rows[6];          /* N s, N m s about its body's centre */
  double scale[2];         /* N s, N m s: magnitude of the terms of rows */
  double jacobian[6][6];   /* derivative of rows */
  bool has_jacobian;       /* it is not zero */
  double step[6];          /* m/s, rad/s: Newton step of the link */
  double subtree_scale[2]; /* kg m/s, kg m^2/s at its origin: sums over its subtree */
} quasi_link;

/* Sums over the subtree of a joint, in world axes at the world's origin (robot_jacobian.c). */
typedef struct quasi_subtree {
  ff_si inertia;
  ff_sv momentum;
  ff_sv wrench;  /* N m s, N s: impulses, and momenta of the start; independent of the velocity */
  ff_mat3 lever; /* N m s: sum of (point of application) (force)^T */
} quasi_subtree;

/* A column s of the motion subspace S at the world's origin, and derivatives along it. */
typedef struct quasi_joint_column {
  ff_sv s;
  ff_sv x;         /* displacement of the subtree by a unit of the coordinate's velocity */
  ff_sv lead;      /* x x v_parent - s */
  ff_sv held;      /* momentum of the subtree that moves along s */
  ff_sv turned;    /* derivative of its own row by motions of it and of its subtree */
  ff_sv ancestors; /* derivative of the rows of its ancestors by its coordinate */
} quasi_joint_column;

/* Column of a link's Jacobian: velocity of its body's centre and angular velocity, by one
 * coordinate of its robot. */
typedef struct quasi_link_column {
  int at; /* index of the coordinate in vectors and blocks */
  double c[6];
} quasi_link_column;

/* A robot during the step. */
typedef struct quasi_robot {
  double theta;            /* 1: moves with the velocity of the end; 1/2: with the mean velocity */
  double *q, *u;           /* coordinates and unknowns at the end */
  double *mean;            /* v_count: velocity that moves the joints */
  bool *drive_resolved;    /* v_count: the step is short enough for its drive: order 2 */
  ff_sv *s_start;          /* motion subspace S at the start */
  double *u_free;          /* v_count: velocity at the end without contacts */
  double *impulse;         /* v_count, N m s: of drives and joints */
  double *added_inertia;   /* v_count: on the diagonal, by implicit drives and joint resistance */
  double *factor;          /* v_count^2: of the inertia at the start, with added_inertia */
  double *scale;           /* v_count: magnitude of the terms of its rows */
  quasi_link *links;       /* link_count */
  quasi_subtree *subtrees; /* link_count + 1: indexed as the links of its tree */
  quasi_joint_column *joint; /* one for each column of S */
  ff_sv root; /* N m s, N s at link 0: impulse from the ground, with theta as its joints act */
  ff_tree_wrench base; /* N s, N m s about the world's origin: impulse from the ground */
} quasi_robot;

/* Norm of a residual: */
typedef struct quasi_norm {
  double energy; /* J, kinetic energy of the residual as impulses */
  double worst;  /* largest row relative to the magnitude of its terms */
} quasi_norm;

/* Workspace of all robots. False: no memory. */
bool ff_quasi_create_robots(quasi_problem *problem, ff_arena *arena);
/* Robots at the start of the step and at its end without contacts. False: an inertia is not
 * positive definite. */
bool ff_quasi_fly_robots(const quasi_problem *problem, double t);
/* Prepares a robot for this theta. */
void ff_quasi_set_robot_theta(const quasi_problem *problem, int r, double theta);
/* x: the velocity at the start (warm), or at the end without contacts. */
void ff_quasi_robot_guess(const quasi_problem *problem, int r, bool warm, double *x);
/* Moves the links to where the unknowns x bring them. */
void ff_quasi_move_robot(const quasi_problem *problem, int r, const double *x);
/* Rows of its links := applied forces. */
void ff_quasi_clear_links(const quasi_problem *problem, int r);
/* Residual of the robot from its inertia and the rows of its links. */
void ff_quasi_robot_residual(const quasi_problem *problem, int r, double *rows);
quasi_norm ff_quasi_robot_norm(const quasi_problem *problem, int r, const double *rows);

/* Adds the derivatives of the robot's rows without elements to its block (v_count^2, by rows), and
 * clears the Jacobians of its links. */
void ff_quasi_robot_jacobian(const quasi_problem *problem, int r, double *block);
/* Adds a Schur contribution: rows of s, unknowns of t, one or both of them links. */
void ff_quasi_add_link_block(const quasi_problem *problem, ff_blocks *blocks, const quasi_body *s,
                             const quasi_body *t, double (*from)[6]);
/* J^T B J and J^T b: the links' Jacobians and right-hand sides into those of the robot. */
void ff_quasi_reduce_links(const quasi_problem *problem, int r, double *block, double *rhs);
/* Newton steps of the links from that of the robot. */
void ff_quasi_expand_links(const quasi_problem *problem, int r, const double *step);

/* 1/kg, inverse effective mass of a link at a point along n, with the inertia of the start. */
double ff_quasi_link_inverse_mass(const quasi_problem *problem, const quasi_body *body,
                                  ff_vec3 point, ff_vec3 n);

/* ---- robot_joints.c --------------------------------------------------------------------- */

/* Springs, stops and drives at the start; inertia: of each coordinate. */
void ff_quasi_begin_joints(const quasi_problem *problem, int r, const double *inertia, int stride);
/* Drives of which the step resolves the motion act as in its middle, others as at its end: sets
 * their stiffness and damping, which the last evaluation of forces left, accordingly. */
void ff_quasi_soften_drives(const quasi_problem *problem, int r);
/* Adds minus the impulses of springs and stops, beyond those of the start, to the rows, and their
 * derivatives to the robot's block; either may be NULL. */
void ff_quasi_joint_rows(const quasi_problem *problem, int r, double *rows, double *block);
/* Their losses, and those of the step by them. */
void ff_quasi_book_joints(const quasi_problem *problem, int r, double *ledger);

/* Writes the end of a robot to the state, and its energy to the ledger. */
void ff_quasi_finish_robot(const quasi_problem *problem, int r, double *ledger);

#endif
