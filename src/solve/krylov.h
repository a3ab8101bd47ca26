/* Right-preconditioned GMRES [Saad86], matrix-free.
 *
 * The problem provides the products with the matrix and with the inverse of a preconditioner.
 * Residuals are those of the unpreconditioned system, in a weighted norm. */
#ifndef FF_SOLVE_KRYLOV_H
#define FF_SOLVE_KRYLOV_H

#include "footfall/status.h"

typedef struct ff_krylov ff_krylov;

typedef struct ff_krylov_problem {
  void *context;
  int size;
  const double *weights; /* weights of the squares of the rows */
  void (*times)(void *context, const double *x, double *out); /* out = A x */
  void (*divide)(void *context, double *x); /* preconditioner: x := M^-1 x, M near A */
} ff_krylov_problem;

ff_status ff_krylov_create(ff_krylov **out, int most_rows);
void ff_krylov_destroy(ff_krylov *krylov); /* NULL is allowed */

/* x: right-hand side, replaced by the solution to a relative residual `tolerance`. False: not
 * reached within the dimension of the Krylov space (12), and x is unchanged. */
bool ff_krylov_solve(ff_krylov *krylov, const ff_krylov_problem *problem, double *x,
                     double tolerance);

#endif
