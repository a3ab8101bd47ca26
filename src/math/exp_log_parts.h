/* Exponential and logarithm in two parts, for the functions made of them. */
#ifndef FF_MATH_EXP_LOG_PARTS_H
#define FF_MATH_EXP_LOG_PARTS_H

#include "math/double_bits.h"

/* 2^power base (1 + part), base in [1, 2), |part| < 0.006. */
typedef struct ff_exp_parts {
  double base, part;
  int power;
} ff_exp_parts;

/* exp(hi + lo) for |hi| <= 1100, |lo| tiny against 1. */
ff_exp_parts ff_exp_split(double hi, double lo);
/* The value of the parts, rounded once, also where it is subnormal, 0 or infinite. */
double ff_exp_join(ff_exp_parts parts);
/* The parts as a pair; for |power| <= 1000. */
ff_double2 ff_exp_pair(ff_exp_parts parts);
/* exp(x) - 1 for |x| < 700. */
ff_double2 ff_expm1_pair(double x);
/* log(hi + lo) for finite hi > 0; relative error below 2^-67. */
ff_double2 ff_log_pair(double hi, double lo);

#endif
