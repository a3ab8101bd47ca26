/* Internals of the quadratic programme, shared by its files.
 *
 * Iterations run in unknowns y_i = scale_i x_i, with powers of two that bring the diagonal of the
 * Hessian to about 1. In these units slopes, steps and rounding errors are comparable. */
#ifndef FF_SOLVE_QP_H
#define FF_SOLVE_QP_H

#include "base/arena.h"
#include "footfall/qp.h"
#include "math/pairs.h"

typedef enum ff_qp_place { FF_QP_FREE, FF_QP_LOW, FF_QP_HIGH } ff_qp_place;

struct ff_qp {
  ff_qp_def def;
  ff_arena arena;
  int size;     /* of the current problem */
  bool squares; /* least-squares problem */

  double *scale;         /* [size] */
  double *hessian;       /* [size][size]; least squares: the reduced matrix A, by columns */
  double *gradient;      /* [size] at y = 0; least squares: the reduced right-hand side */
  int rows;              /* rank of the reduced matrix */
  double *lower, *upper; /* bounds of y */

  double *y, *slope;  /* current point; Hy + g */
  double *noise;      /* rounding error bound of each slope */
  ff_qp_place *place; /* of each unknown: free or at a bound */
  int *order;         /* free unknowns, independent ones first */
  int free, rank;     /* number of free unknowns; of independent ones */
  double *factor; /* Cholesky factor L of the free rows and columns; least squares: R, by columns */
  double *diagonal;  /* [size], remaining diagonal during factorisation */
  double *reflected; /* [rows + size], right-hand side of least squares */
  double *step;      /* [size], in the order of `order` */
  double *trial[2];  /* trial points of a step */
  double *trial_slope[2];
  double gain; /* decrease of the objective since the last minimum of a face */
  ff_qp_info info;
};

static inline double ff_qp_within(double x, double lower, double upper) {
  return x < lower ? lower : (x > upper ? upper : x);
}

/* ---- qp_scale.c: conversion to and from scaled units ----------------------------------------- */

ff_qp_outcome ff_qp_load(ff_qp *qp, const ff_qp_problem *problem, const double *x);
void ff_qp_unload(const ff_qp *qp, const ff_qp_problem *problem, double *x);

/* ---- qp_factor.c: minimum over the free unknowns --------------------------------------------- */

/* Householder QR with column pivoting of a rows x columns matrix, by columns: matrix becomes R, b
 * becomes Q'b, order is permuted with the columns. Returns the rank. */
int ff_qp_reflect(double *matrix, double *norms, int rows, int columns, double *b, int *order);

/* Kind of a step. */
typedef enum ff_qp_step_kind {
  FF_QP_NEWTON,   /* to the minimum over the free unknowns */
  FF_QP_FLAT,     /* descent along a direction of zero curvature */
  FF_QP_NONCONVEX /* negative curvature: not convex */
} ff_qp_step_kind;

/* Sets order, rank and step from place and slope. */
ff_qp_step_kind ff_qp_find_step(ff_qp *qp);

/* ---- qp_active.c: active set ----------------------------------------------------------------- */

/* Active-set descent from y to a minimum. */
ff_qp_outcome ff_qp_descend(ff_qp *qp);
/* Natural residual in scaled units, relative to the magnitude of the terms of the slopes. */
double ff_qp_scaled(const ff_qp *qp);
/* Estimates the rounding errors of the slopes at y (noise). */
void ff_qp_estimate_noise(ff_qp *qp);

#endif
