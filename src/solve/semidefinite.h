/* Symmetric positive semidefinite systems, dense: redundant rows do no harm.
 *
 * Cholesky with the largest remaining diagonal as pivot, after scaling to a unit diagonal. It ends
 * where no pivot is left that is more than rounding; the rows beyond follow from the others, and
 * their unknowns are 0.
 */
#ifndef FF_SOLVE_SEMIDEFINITE_H
#define FF_SOLVE_SEMIDEFINITE_H

/* a: size * size by rows, its lower triangle is read, the whole is overwritten. order has
 * 2 * size entries and scale size; both are filled. Zeros cost nothing. Returns the rank. */
int ff_semidefinite_factor(int size, double *a, int *order, double *scale);

/* x: the right-hand side, then the solution. spare: size numbers. */
void ff_semidefinite_solve(int size, int rank, const double *a, const int *order,
                           const double *scale, double *x, double *spare);

#endif
