/* Square linear systems, solved again and again with one pattern and changing values.
 *
 * The matrix is given by compressed columns either way. Small ones are factored dense, by
 * Gaussian elimination with row pivoting; large ones sparse, by KLU.
 */
#ifndef FF_SOLVE_LINEAR_H
#define FF_SOLVE_LINEAR_H

#include "footfall/status.h"

typedef struct ff_linear ff_linear;

/* Entries of column j are start[j] .. start[j + 1] - 1; row[k] is the row of entry k, ascending
 * in a column. The pattern is not copied and must outlive the system. */
ff_status ff_linear_create(ff_linear **out, int size, const int *start, const int *row,
                           bool sparse);
void ff_linear_destroy(ff_linear *linear); /* NULL is fine */

/* From now on a smaller system (dense only); start and row hold its pattern by then. */
void ff_linear_resize(ff_linear *linear, int size);
/* The next factorisation shall not depend on those before. */
void ff_linear_forget(ff_linear *linear);
/* Factors the matrix with these values; false if it is singular to working precision. Dense: takes
 * no memory. Sparse: KLU takes some when it chooses pivots, which it does at the first
 * factorisation, after ff_linear_forget, and when the pivots it has no longer serve. */
bool ff_linear_factor(ff_linear *linear, const double *values);
/* Sign of the determinant; dense, and only after a factorisation that went well. */
double ff_linear_sign(const ff_linear *linear);
/* b becomes the solution; only after a factorisation that went well. */
void ff_linear_solve(ff_linear *linear, double *b);

#endif
