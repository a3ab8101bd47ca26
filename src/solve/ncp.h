/* Internals of the complementarity solver, shared by its files.
 *
 * Iterations run in scaled unknowns x and rows f:
 *   z_i = column_scale_i x_i,   f_i = row_scale_i F_i(z) + proximal (x_i - centre_i),
 * with scales that bring the entries of the Jacobian to about 1. A proximal weight above 0 gives an
 * easier neighbouring problem: see ncp.c. */
#ifndef FF_SOLVE_NCP_H
#define FF_SOLVE_NCP_H

#include "base/arena.h"
#include "footfall/ncp.h"
#include "solve/linear.h"

enum { FF_NCP_STEPS = 6 }; /* reuses of one factorisation */

/* Patterns of the user's Jacobian J, of V = diag(d_x) + diag(d_f) J of a Newton step (the entries
 * of J and the diagonal), and of the regularised step, [s 1, V; V', -s 1]. */
typedef struct ff_ncp_pattern {
  int *start, *row; /* compressed columns */
  double *values;
  int count;
} ff_ncp_pattern;

/* An iterate or a trial point. */
typedef struct ff_ncp_point {
  double *x, *f; /* [size] */
  double *phi;   /* [size], Fischer-Burmeister residuals */
  double merit;  /* |phi|^2 / 2 */
} ff_ncp_point;

struct ff_ncp {
  ff_ncp_def def; /* with its own copies of the arrays */
  ff_arena arena;
  int size;                        /* of the current problem; def.size is the capacity */
  double *user_lower, *user_upper; /* bounds of z; shared with def */
  ff_ncp_pattern jacobian, step, wide;
  int *in_step;       /* of each entry of the Jacobian: its index in step */
  int *diagonal;      /* of each column: index of its diagonal in step */
  int *in_wide[2];    /* of each entry of step: its two indices in wide */
  int *wide_diagonal; /* of each column of wide: index of its diagonal */
  int *next;          /* [size], for filling wide */
  int *filled, *exponent, *filled_end, *scale_work; /* for scaling: see ncp_scale.c */
  ff_linear *newton, *regular;

  double *row_scale, *column_scale; /* powers of two */
  double *lower, *upper;            /* bounds of x */
  double proximal, *centre;
  double smooth; /* smoothing parameter of Fischer-Burmeister; 0: nonsmooth */
  bool inside;   /* keep iterates within the bounds */

  ff_ncp_point here, trial, kept;
  bool fresh;                        /* jacobian is that of `here`, scaled */
  double *d_x, *d_f;                 /* diagonals of V */
  double *gradient;                  /* of the merit function: V' phi */
  double *direction;                 /* [2 size] */
  double *equations;                 /* [size], scratch */
  double *steps;                     /* [FF_NCP_STEPS * size], steps since the factorisation, */
  double step_squares[FF_NCP_STEPS]; /* and their squared lengths */
  double *z, *user_f;
  double *best, *start; /* z */
  double best_scaled, best_residual;
  bool good_enough; /* best meets def.absolute */
  ff_ncp_info info;
};

/* ---- ncp_function.c: complementarity as an equation ------------------------------------------ */

/* Value and derivatives with respect to x and f of one row. */
typedef struct ff_ncp_row {
  double value, d_x, d_f;
} ff_ncp_row;

ff_ncp_row ff_ncp_fischer(double x, double f, double lower, double upper, double smooth);
ff_ncp_row ff_ncp_min(double x, double f, double lower, double upper);

/* ---- ncp_setup.c: patterns ------------------------------------------------------------------- */

ff_status ff_ncp_setup(ff_ncp *ncp);
/* Patterns for the size that ncp has now. */
void ff_ncp_layout(ff_ncp *ncp);

/* ---- ncp_scale.c ----------------------------------------------------------------------------- */

/* Computes scales from the Jacobian in the caller's units, and applies them to it. */
void ff_ncp_scale(ff_ncp *ncp);
/* Recomputes the scales if the Jacobian has changed much; z of here and centre stay, the proximal
 * weight becomes 0. False: not needed. */
bool ff_ncp_rescale(ff_ncp *ncp);

/* ---- ncp_newton.c: globalised descent -------------------------------------------------------- */

typedef enum ff_ncp_ending {
  FF_NCP_END_SOLVED,
  FF_NCP_END_STATIONARY,
  FF_NCP_END_DIVERGED,
  FF_NCP_END_LIMIT,
  FF_NCP_END_UNDEFINED
} ff_ncp_ending;

/* Descends from here, which is evaluated, until the residual is below tolerance or `limit` more
 * linear systems are solved. */
ff_ncp_ending ff_ncp_descend(ff_ncp *ncp, ff_ncp_method method, double tolerance, int limit);
/* The Jacobian at z, in the caller's units; false: undefined there. */
bool ff_ncp_differentiate(ff_ncp *ncp, const double *z);
/* Updates the scaled Jacobian at here if needed; false: undefined there. */
bool ff_ncp_refresh(ff_ncp *ncp);
/* Scales the rows and columns of the Jacobian. */
void ff_ncp_scale_jacobian(ff_ncp *ncp, const double *row, const double *column);
/* Evaluates f, phi and merit at point.x; false: undefined there. */
bool ff_ncp_evaluate(ff_ncp *ncp, ff_ncp_point *point);
/* f, phi and merit at point.x from F there in the caller's units (user_f). */
bool ff_ncp_evaluate_user(ff_ncp *ncp, ff_ncp_point *point);
/* Largest natural residual at a point. */
double ff_ncp_scaled(const ff_ncp *ncp, const ff_ncp_point *point);

#endif
