/* Products of 6 x 6 blocks, where nearly all of the time of a large block system goes. */
#ifndef FF_SOLVE_SIX_H
#define FF_SOLVE_SIX_H

/* c -= a b, each 6 x 6 by rows; c is neither of the others. */
typedef void ff_six_take(double *restrict c, const double *restrict a, const double *restrict b);

/* On every processor. */
ff_six_take ff_six_take_plain;
/* The fastest that this processor can; all have the same bits. */
ff_six_take *ff_six_best(void);

#endif
