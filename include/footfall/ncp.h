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

/* Reformulation of complementarity as an equation. */
typedef enum ff_ncp_method {
  FF_NCP_FISCHER, /* Fischer-Burmeister: a + b - sqrt(a^2 + b^2) = 0 */
  FF_NCP_MIN,     /* min(a, b) = 0: an active-set method; exact on linear problems */
  FF_NCP_METHOD_COUNT
} ff_ncp_method;

/* f = F(z). Nonzero, or a value that is not finite: undefined there, a shorter step is tried. */
typedef int (*ff_ncp_residual_fn)(void *context, const double *z, double *f);
/* values = dF/dz: all size * size by columns, or the entries of the pattern. At a kink of F, that
 * of either side. Nonzero: undefined there. */
typedef int (*ff_ncp_jacobian_fn)(void *context, const double *z, double *values);

typedef struct ff_ncp_def {
  int size;
  const double *lower,
      *upper; /* [size], copied; NULL: none. -INFINITY, INFINITY: none for this row */
  ff_ncp_residual_fn residual;
  ff_ncp_jacobian_fn jacobian;
  void *context;
  /* Pattern of the Jacobian by compressed columns, copied; NULL: dense. Rows ascend within a
   * column; the diagonal may be missing. With a pattern, systems are solved by KLU. */
  const int *column_start; /* [size + 1] */
  const int *row_index;    /* [column_start[size]] */
  ff_ncp_method method;
  double tolerance; /* largest scaled residual of a solution */
  /* Natural residual, in the caller's units, at which a start is accepted as it is: this takes one
   * evaluation of F. 0: a solution must meet the tolerance in the solver's scales. */
  double absolute;
  int max_iterations; /* factorisations, all attempts together */
} ff_ncp_def;

/* Dense, Fischer-Burmeister, tolerance 1e-10, absolute 0, 1000 iterations. */
FF_API ff_ncp_def ff_ncp_def_default(void);

typedef enum ff_ncp_outcome {
  FF_NCP_SOLVED,
  FF_NCP_STATIONARY, /* no descent direction left in any attempt: often no solution exists */
  FF_NCP_DIVERGED,   /* the unknowns diverged: often no solution exists */
  FF_NCP_ITERATIONS, /* max_iterations exceeded */
  FF_NCP_UNDEFINED   /* F or its derivative is not finite at the start */
} ff_ncp_outcome;

/* "solved", "stationary", ... Never NULL. */
FF_API const char *ff_ncp_outcome_text(ff_ncp_outcome outcome);

typedef struct ff_ncp_info {
  ff_ncp_outcome outcome;
  double residual; /* natural residual of the returned z, from F there */
  double scaled;   /* the same in the solver's scales, compared with tolerance. NAN: the start was
                      accepted by absolute */
  int iterations;  /* factorisations */
  int evaluations; /* of F */
  int regularised; /* steps with a singular matrix or an unusable Newton direction */
  int gradient;    /* steepest descent steps */
  int attempts;    /* 1: the first attempt succeeded */
} ff_ncp_info;

/* Allocates everything. FF_ERROR_INPUT and a report (may be NULL): the definition is wrong, key
 * names the field. */
FF_API ff_status ff_ncp_create(ff_ncp **out, const ff_ncp_def *def, ff_report *report);
FF_API void ff_ncp_destroy(ff_ncp **ncp);

/* Starts from z, projected onto the bounds; a warm start if it is near a solution. z becomes the
 * solution, within its bounds; without success, the best point found. */
FF_API ff_ncp_info ff_ncp_solve(ff_ncp *ncp, double *z);

/* Changes the size and the bounds (NULL: none); does not allocate. Dense only, and at most the size
 * it was created with; FF_ERROR_INPUT otherwise. */
FF_API ff_status ff_ncp_resize(ff_ncp *ncp, int size, const double *lower, const double *upper);

/* Natural residual: largest |z_i - mid(l_i, u_i, z_i - f_i)|, 0 at solutions only. NULL bounds:
 * none. */
FF_API double ff_ncp_residual(int size, const double *z, const double *f, const double *lower,
                              const double *upper);

#ifdef __cplusplus
}
#endif
#endif
