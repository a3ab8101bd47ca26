/* Convex quadratic programmes with bounds, solved alone: no bodies, no contacts.
 *
 *   minimise  x'Hx / 2 + g'x            H symmetric, no negative eigenvalues
 *   or        |A x - b|^2 / 2 + lambda |x|^2 / 2
 *   with      l <= x <= u, entry by entry; bounds may be infinite
 *
 *   ff_qp_def def = ff_qp_def_default();
 *   def.size = 24;                               capacity
 *   ff_qp_create(&qp, &def, &report);            allocates everything
 *   ff_qp_info info = ff_qp_solve(qp, &problem, x);
 *
 * Singular H and A are allowed. The number of iterations is bounded, and so is the time: see
 * docs/qp.md.
 */
#ifndef FOOTFALL_QP_H
#define FOOTFALL_QP_H

#include "footfall/api.h"
#include "footfall/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ff_qp ff_qp;

typedef struct ff_qp_def {
  int size;           /* most unknowns of a problem */
  int rows;           /* most rows of A; 0: problems with H only */
  double tolerance;   /* largest scaled residual of a solution */
  int max_iterations; /* limit of factorisations; 0: 4 size + 20 of the problem */
} ff_qp_def;

/* Size 0, which must be set; no rows, tolerance 1e-11, iterations by size. */
FF_API ff_qp_def ff_qp_def_default(void);

/* One problem. Nothing is copied; arrays must live during the call. */
typedef struct ff_qp_problem {
  int size;                    /* unknowns */
  const double *hessian;       /* H [size][size], its lower triangle is read; NULL: least squares */
  const double *gradient;      /* g [size] */
  int rows;                    /* of A */
  const double *matrix;        /* A [rows][size], row by row */
  const double *target;        /* b [rows] */
  double lambda;               /* >= 0 */
  const double *lower, *upper; /* [size]; NULL: none. -INFINITY, INFINITY: none for this unknown */
} ff_qp_problem;

typedef enum ff_qp_outcome {
  FF_QP_SOLVED,
  FF_QP_UNBOUNDED,  /* unbounded below along a direction without curvature and bounds */
  FF_QP_ITERATIONS, /* max_iterations reached: x is the best point found */
  FF_QP_INACCURATE, /* no descent is left, but rounding exceeds the tolerance */
  FF_QP_NOT_CONVEX, /* negative curvature was found */
  FF_QP_INFEASIBLE, /* a lower bound is above its upper one; x is unchanged */
  FF_QP_UNDEFINED   /* numbers that are not finite, or capacity exceeded; x is unchanged */
} ff_qp_outcome;

/* "solved", "unbounded", ... Never NULL. */
FF_API const char *ff_qp_outcome_text(ff_qp_outcome outcome);

typedef struct ff_qp_info {
  ff_qp_outcome outcome;
  int iterations;  /* factorisations */
  int free;        /* unknowns between their bounds */
  double residual; /* ff_qp_residual of the returned x */
  double scaled;   /* the same in scaled units, relative to the magnitude of its terms */
} ff_qp_info;

/* Allocates everything. FF_ERROR_INPUT and a report (may be NULL): the definition is wrong, key
 * names the field. */
FF_API ff_status ff_qp_create(ff_qp **out, const ff_qp_def *def, ff_report *report);
FF_API void ff_qp_destroy(ff_qp **qp);

/* Starts from x, whose entries at a bound are the initial active set; the solution of a similar
 * problem saves iterations. x becomes the solution, within its bounds to the last bit. The result
 * depends on the problem and the start only. */
FF_API ff_qp_info ff_qp_solve(ff_qp *qp, const ff_qp_problem *problem, double *x);

/* Optimality residual of x, computed from the problem alone. With the slope s = Hx + g and D_i =
 * H_ii (1 if that is 0): the largest D_i |x_i - mid(l_i, x_i - s_i / D_i, u_i)|. 0 at solutions
 * only; in units of g. */
FF_API double ff_qp_residual(const ff_qp_problem *problem, const double *x);

#ifdef __cplusplus
}
#endif
#endif
