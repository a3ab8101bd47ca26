/* Inside the complementarity solver: what its files share.
 *
 * All iterations run in scaled unknowns x and rows f:
 *   z_i = column_scale_i x_i,   f_i = row_scale_i F_i(z) + proximal (x_i - centre_i),
 * with scales such that the Jacobian's entries are about 1. A proximal term above 0 makes
 * a neighbouring problem that is easier: see ncp.c.
 */
#ifndef FF_SOLVE_NCP_H
#define FF_SOLVE_NCP_H

#include "base/arena.h"
#include "footfall/ncp.h"
#include "solve/linear.h"

enum { FF_NCP_STEPS = 6 }; /* with one matrix, after the first */

/* The matrix J of the user, V = diag(d_x) + diag(d_f) J of a Newton step (same entries and
 * the diagonal), and the matrix of the regularised step, [s 1, V; V', -s 1]. */
typedef struct ff_ncp_pattern {
  int *start, *row; /* compressed columns */
  double *values;
  int count;
} ff_ncp_pattern;

/* The point where the iteration stands, or might go. */
typedef struct ff_ncp_point {
  double *x, *f; /* [size] */
  double *phi;   /* [size], Fischer-Burmeister residuals */
  double merit;  /* |phi|^2 / 2 */
} ff_ncp_point;

struct ff_ncp {
  ff_ncp_def def; /* its arrays are our own copies */
  ff_arena arena;
  int size;                        /* of the problem now; def.size is the largest */
  double *user_lower, *user_upper; /* of z; def's are the same */
  ff_ncp_pattern jacobian, step, wide;
  int *in_step;       /* of each entry of the Jacobian: its place in step */
  int *diagonal;      /* of each column: the place of its diagonal in step */
  int *in_wide[2];    /* of each entry of step: its two places in wide */
  int *wide_diagonal; /* of each column of wide */
  int *next;          /* [size], for filling wide */
  int *filled, *exponent, *filled_end, *scale_work; /* for scaling: see ncp_scale.c */
  ff_linear *newton, *regular;

  double *row_scale, *column_scale; /* powers of two */
  double *lower, *upper;            /* of x */
  double proximal, *centre;
  double smooth; /* of Fischer-Burmeister; 0: with its kinks */
  bool inside;   /* never leave the bounds on the way */

  ff_ncp_point here, trial, kept;
  bool fresh;        /* jacobian is that of here, scaled */
  double *d_x, *d_f; /* rows of V */
  double *gradient;  /* of the merit: V' phi */
  double *direction; /* [2 size] */
  double *equations; /* [size], room */
  double *steps;     /* [FF_NCP_STEPS * size], those since the matrix was factored, */
  double step_squares[FF_NCP_STEPS]; /* and their lengths, squared */
  double *z, *user_f;
  double *best, *start; /* z */
  double best_scaled, best_residual;
  bool good_enough; /* best is by def.absolute */
  ff_ncp_info info;
};

/* ---- ncp_function.c: complementarity as an equation ------------------------------------ */

/* Value and derivatives with respect to x and f of one row. */
typedef struct ff_ncp_row {
  double value, d_x, d_f;
} ff_ncp_row;

ff_ncp_row ff_ncp_fischer(double x, double f, double lower, double upper, double smooth);
ff_ncp_row ff_ncp_min(double x, double f, double lower, double upper);

/* ---- ncp_setup.c: patterns -------------------------------------------------------------- */

ff_status ff_ncp_setup(ff_ncp *ncp);
/* Patterns for the size that ncp has now. */
void ff_ncp_layout(ff_ncp *ncp);

/* ---- ncp_scale.c ----------------------------------------------------------------------- */

/* Scales from the Jacobian, which is in the caller's units, and scales it. */
void ff_ncp_scale(ff_ncp *ncp);
/* Scales once more, if the Jacobian has changed much; here and centre stay where they are,
 * without proximal term. False: it has not. */
bool ff_ncp_rescale(ff_ncp *ncp);

/* ---- ncp_newton.c: one globalised descent ---------------------------------------------- */

typedef enum ff_ncp_ending {
  FF_NCP_END_SOLVED,
  FF_NCP_END_STATIONARY,
  FF_NCP_END_DIVERGED,
  FF_NCP_END_LIMIT,
  FF_NCP_END_UNDEFINED
} ff_ncp_ending;

/* Goes on from here, which is evaluated, to this residual or for so many more linear solves at
 * most. */
ff_ncp_ending ff_ncp_descend(ff_ncp *ncp, ff_ncp_method method, double tolerance, int limit);
/* The Jacobian at z, in the caller's units; false: not defined there. */
bool ff_ncp_differentiate(ff_ncp *ncp, const double *z);
/* The scaled Jacobian here, if it is not there yet; false: not defined. */
bool ff_ncp_refresh(ff_ncp *ncp);
/* Multiplies rows and columns of the Jacobian. */
void ff_ncp_scale_jacobian(ff_ncp *ncp, const double *row, const double *column);
/* Evaluates f, phi and merit at point.x; false: not defined there. */
bool ff_ncp_evaluate(ff_ncp *ncp, ff_ncp_point *point);
/* f, phi and merit at point.x from F there, in the caller's units, which is in user_f. */
bool ff_ncp_judge(ff_ncp *ncp, ff_ncp_point *point);
/* Largest natural residual at a point. */
double ff_ncp_scaled(const ff_ncp *ncp, const ff_ncp_point *point);

#endif
