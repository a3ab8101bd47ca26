/* Products of 6 x 6 blocks, which take most of the time of a large block system. */
#ifndef FF_SOLVE_SIX_H
#define FF_SOLVE_SIX_H

/* c -= a b, each 6 x 6 by rows; c must not alias a or b. */
typedef void ff_six_product(double *restrict c, const double *restrict a, const double *restrict b);

/* Portable version. */
ff_six_product ff_six_product_plain;
/* The fastest version for this processor; all give the same bits. */
ff_six_product *ff_six_best(void);

#endif
