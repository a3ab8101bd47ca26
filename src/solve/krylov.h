/* Linear systems by GMRES [Saad86], with a solver for a matrix that is near the one that counts.
 *
 * The matrix is never seen: the problem says what it makes of a vector, and what the near one's
 * inverse does. Residuals are those of the system as given, in a norm that weighs rows.
 */
#ifndef FF_SOLVE_KRYLOV_H
#define FF_SOLVE_KRYLOV_H

#include "footfall/status.h"

typedef struct ff_krylov ff_krylov;

typedef struct ff_krylov_problem {
  void *context;
  int size;
  const double *weights;                                      /* of the squares of its rows */
  void (*times)(void *context, const double *x, double *out); /* out = A x */
  void (*divide)(void *context, double *x);                   /* x becomes nearly A^-1 x */
} ff_krylov_problem;

ff_status ff_krylov_create(ff_krylov **out, int most_rows);
void ff_krylov_destroy(ff_krylov *krylov); /* NULL is fine */

/* x, the right side, becomes the solution, right to a share tolerance of it. False: a dozen
 * directions are not enough for that, and x is as it was. */
bool ff_krylov_solve(ff_krylov *krylov, const ff_krylov_problem *problem, double *x,
                     double tolerance);

#endif
