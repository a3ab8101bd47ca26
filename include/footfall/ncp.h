/* Mixed nonlinear complementarity problems, solved alone: no bodies, no contacts.
 *
 * Given F: R^n -> R^n and bounds l <= u, find z with, for each i,
 *   F_i(z) = 0   and  l_i <= z_i <= u_i,  or
 *   F_i(z) >= 0  and  z_i = l_i,          or
 *   F_i(z) <= 0  and  z_i = u_i.
 * Without bounds a row is an equation and its unknown free; with l = 0 and u = INFINITY it
 * is 0 <= z_i, F_i(z) >= 0, one of them zero. See docs/ncp.md.
 *
 *   ff_ncp_def def = ff_ncp_def_default();
 *   def.size = 4;
 *   def.lower = zeros;
 *   def.residual = my_residual;
 *   def.jacobian = my_jacobian;
 *   ff_ncp_create(&ncp, &def, &report);
 *   ff_ncp_info info = ff_ncp_solve(ncp, z);
 */
#ifndef FOOTFALL_NCP_H
#define FOOTFALL_NCP_H

#include "footfall/api.h"
#include "footfall/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ff_ncp ff_ncp;

/* How complementarity becomes an equation. */
typedef enum ff_ncp_method {
  FF_NCP_FISCHER, /* Fischer-Burmeister: a + b - sqrt(a^2 + b^2) = 0 */
  FF_NCP_MIN,     /* min(a, b) = 0: guesses which rows are active; exact on linear problems */
  FF_NCP_METHOD_COUNT
} ff_ncp_method;

/* f = F(z). Nonzero, or a value that is not finite: not defined there, come nearer. */
typedef int (*ff_ncp_residual_fn)(void *context, const double *z, double *f);
/* values = dF/dz: all size * size by columns, or the entries of the pattern. Where F has a
 * kink, that of either side. Nonzero: not defined there. */
typedef int (*ff_ncp_jacobian_fn)(void *context, const double *z, double *values);

typedef struct ff_ncp_def {
  int size;
  const double *lower, *upper; /* [size], copied; NULL: none. -INFINITY, INFINITY: none there */
  ff_ncp_residual_fn residual;
  ff_ncp_jacobian_fn jacobian;
  void *context;
  /* Pattern of the Jacobian by compressed columns, copied; NULL: dense. Rows of a column
   * ascend; the diagonal need not be in it. With a pattern systems are solved by KLU. */
  const int *column_start; /* [size + 1] */
  const int *row_index;    /* [column_start[size]] */
  ff_ncp_method method;
  double tolerance; /* largest scaled residual of a solution */
  /* Natural residual, in the caller's units, of a start that is good enough as it is: finding that
   * out takes one evaluation of F. 0: only what is a solution in the solver's scales will do. */
  double absolute;
  int max_iterations; /* matrices to factor, all attempts together */
} ff_ncp_def;

/* Dense, Fischer-Burmeister, tolerance 1e-10, absolute 0, 1000 iterations. */
FF_API ff_ncp_def ff_ncp_def_default(void);

typedef enum ff_ncp_outcome {
  FF_NCP_SOLVED,
  FF_NCP_STATIONARY, /* every attempt ended where no direction leads on: often no solution */
  FF_NCP_DIVERGED,   /* the unknowns grew beyond all measure: often no solution */
  FF_NCP_ITERATIONS, /* max_iterations were not enough */
  FF_NCP_UNDEFINED   /* F or its derivative is not finite at the start */
} ff_ncp_outcome;

/* "solved", "stationary", ... Never NULL. */
FF_API const char *ff_ncp_outcome_text(ff_ncp_outcome outcome);

typedef struct ff_ncp_info {
  ff_ncp_outcome outcome;
  double residual; /* natural residual of the z that is returned, from F there */
  double scaled;   /* the same in the scales of the solver: what tolerance is about. NAN: the start
                    * was good enough in the caller's units */
  int iterations;  /* matrices that were factored */
  int evaluations; /* of F */
  int regularised; /* steps for which the matrix was singular or its direction of no use */
  int gradient;    /* steps down the gradient */
  int attempts;    /* 1: the first way of going about it did it */
} ff_ncp_info;

/* All memory is taken here. FF_ERROR_INPUT and a report (may be NULL): the definition is
 * wrong, key names the field. */
FF_API ff_status ff_ncp_create(ff_ncp **out, const ff_ncp_def *def, ff_report *report);
FF_API void ff_ncp_destroy(ff_ncp *ncp); /* NULL is fine */

/* Starts from z, or the point nearest to it within the bounds; a warm start if it is near a
 * solution. z becomes the solution, within its
 * bounds; if there is no success, the best point that was seen. */
FF_API ff_ncp_info ff_ncp_solve(ff_ncp *ncp, double *z);

/* The problem has another size and other bounds from now on (NULL: none); takes no memory.
 * Dense only, and at most the size it was created with; FF_ERROR_INPUT otherwise. */
FF_API ff_status ff_ncp_resize(ff_ncp *ncp, int size, const double *lower, const double *upper);

/* Largest |z_i - mid(l_i, u_i, z_i - f_i)|: 0 at solutions only. NULL bounds: none. */
FF_API double ff_ncp_residual(int size, const double *z, const double *f, const double *lower,
                              const double *upper);

#ifdef __cplusplus
}
#endif
#endif
