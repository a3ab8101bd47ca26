/* Inside the quadratic programme: what its files share.
 *
 * All iterations run in unknowns y_i = scale_i x_i, with powers of two that bring the diagonal of
 * the Hessian to about 1. In these units a slope, a step and a rounding error can be compared.
 */
#ifndef FF_SOLVE_QP_H
#define FF_SOLVE_QP_H

#include "base/arena.h"
#include "footfall/qp.h"
#include "math/pairs.h"

typedef enum ff_qp_place { FF_QP_FREE, FF_QP_LOW, FF_QP_HIGH } ff_qp_place;

struct ff_qp {
  ff_qp_def def;
  ff_arena arena;
  int size;     /* of the problem at hand */
  bool squares; /* it is a least-squares problem */

  double *scale;         /* [size] */
  double *hessian;       /* [size][size]; of least squares: the matrix A, reduced, by columns */
  double *gradient;      /* [size] of y = 0; of least squares: the target, reduced */
  int rows;              /* of the reduced matrix: its rank */
  double *lower, *upper; /* of y */

  double *y, *slope;  /* where it stands; Hy + g */
  double *noise;      /* what rounding may have done to each slope */
  ff_qp_place *place; /* of each unknown */
  int *order;         /* the free ones, first those that determine the others */
  int free, rank;     /* how many; how many of them are independent */
  double *factor;     /* L of the free rows and columns; of least squares: R, by columns */
  double *diagonal;   /* [size], of what is still to be factored */
  double *reflected;  /* [rows + size], right-hand side of least squares */
  double *step;       /* [size], in the order of `order` */
  double *trial[2];   /* points that a step leads to */
  double *trial_slope[2];
  double gain; /* by how much the objective fell since the last minimum of a face */
  ff_qp_info info;
};

static inline double ff_qp_within(double x, double lower, double upper) {
  return x < lower ? lower : (x > upper ? upper : x);
}

/* ---- qp_scale.c: from the caller's units and back ----------------------------------------- */

ff_qp_outcome ff_qp_load(ff_qp *qp, const ff_qp_problem *problem, const double *x);
void ff_qp_unload(const ff_qp *qp, const ff_qp_problem *problem, double *x);

/* ---- qp_factor.c: the minimum over the free unknowns -------------------------------------- */

/* Least squares: matrix of so many columns of so many rows, by columns, becomes R; b becomes Q'b.
 * order is permuted along with the columns. Returns the rank. */
int ff_qp_reflect(double *matrix, double *norms, int rows, int columns, double *b, int *order);

/* What the step does. */
typedef enum ff_qp_way {
  FF_QP_NEWTON, /* leads to the minimum over the free unknowns */
  FF_QP_FALL,   /* leads down along a direction without curvature */
  FF_QP_ASTRAY  /* there is negative curvature */
} ff_qp_way;

/* Sets order, rank and step from place and slope. */
ff_qp_way ff_qp_direct(ff_qp *qp);

/* ---- qp_active.c: which are free ---------------------------------------------------------- */

/* From y to where nothing leads on. */
ff_qp_outcome ff_qp_descend(ff_qp *qp);
/* The natural residual in scaled units, relative to what slopes are made of. */
double ff_qp_scaled(const ff_qp *qp);
/* Fills noise at y. */
void ff_qp_listen(ff_qp *qp);

#endif
