/* Eigenvalues of small dense symmetric matrices of any size. */
#ifndef FF_MATH_JACOBI_H
#define FF_MATH_JACOBI_H

/* Cyclic Jacobi rotations: a (n x n, row by row, symmetric) becomes diagonal with the eigenvalues,
 * and the columns of axes (n x n) the eigenvectors, of unit length and in the same order. */
void ff_jacobi(double *a, double *axes, int n);

#endif
