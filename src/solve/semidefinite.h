/* Pivoted Cholesky for dense symmetric positive semidefinite systems; redundant rows are allowed.
 *
 * The pivot is the largest remaining diagonal, after scaling to a unit diagonal. The factorisation
 * ends where remaining pivots are rounding errors; dependent rows follow from the others, and their
 * unknowns are 0. */
#ifndef FF_SOLVE_SEMIDEFINITE_H
#define FF_SOLVE_SEMIDEFINITE_H

/* a: size * size by rows; the lower triangle is read, all is overwritten. order [2 * size] and
 * scale [size] are filled. Zeros are skipped. Returns the rank. */
int ff_semidefinite_factor(int size, double *a, int *order, double *scale);

/* x: right-hand side, replaced by the solution. spare: [size], scratch. */
void ff_semidefinite_solve(int size, int rank, const double *a, const int *order,
                           const double *scale, double *x, double *spare);

#endif
