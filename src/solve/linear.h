/* Square linear systems with a fixed pattern and changing values.
 *
 * The matrix is given by compressed columns. Small systems are factored dense, by Gaussian
 * elimination with row pivoting; large ones sparse, by KLU. */
#ifndef FF_SOLVE_LINEAR_H
#define FF_SOLVE_LINEAR_H

#include "footfall/status.h"

typedef struct ff_linear ff_linear;

/* Entries of column j are start[j] .. start[j + 1] - 1; row[k] is the row of entry k, ascending
 * in a column. The pattern is not copied and must outlive the system. */
ff_status ff_linear_create(ff_linear **out, int size, const int *start, const int *row,
                           bool sparse);
void ff_linear_destroy(ff_linear *linear); /* NULL is allowed */

/* Switches to a smaller system (dense only), whose pattern start and row hold at this point. */
void ff_linear_resize(ff_linear *linear, int size);
/* Discards the pivots, so that the next factorisation does not depend on earlier ones. */
void ff_linear_forget(ff_linear *linear);
/* Factors the matrix with these values; false if it is singular to working precision. Dense: does
 * not allocate. Sparse: KLU allocates when it chooses pivots, which it does at the first
 * factorisation, after ff_linear_forget, and when the previous pivots become unsuitable. */
bool ff_linear_factor(ff_linear *linear, const double *values);
/* Sign of the determinant; dense only, after a successful factorisation. */
double ff_linear_sign(const ff_linear *linear);
/* b: right-hand side, replaced by the solution; after a successful factorisation. */
void ff_linear_solve(ff_linear *linear, double *b);

#endif
