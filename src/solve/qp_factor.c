/* Minimum over the free unknowns: Cholesky with diagonal pivoting for a Hessian [Higham02
 * sec. 10.3], Householder QR with column pivoting for least squares [Golub13 sec. 5.4]. Both reveal
 * the rank: unknowns beyond it depend on the others. */
#include "solve/qp.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* With diagonals of about 1, pivots below this times the size are rounding errors. */
#define TINY_PIVOT (32 * DBL_EPSILON)
/* A diagonal this far below zero is not a rounding error. */
#define NEGATIVE 1e-8
/* Squared norms updated down to this are recomputed. */
#define STALE 1e-6
/* Slopes along flat directions below this many rounding errors count as zero. */
#define FLAT_NOISE 64
/* Entries of a flat direction this small, relative to the largest, are zero. */
#define FLAT_ZERO 1e-11

static int index_of_largest(const double *values, int from, int to) {
  int at = from;
  for (int i = from + 1; i < to; i++) {
    at = values[i] > values[at] ? i : at;
  }
  return at;
}

static void qp_swap_columns(double *a, double *b, int count) {
  for (int i = 0; i < count; i++) {
    double held = a[i];
    a[i] = b[i];
    b[i] = held;
  }
}

static void qp_swap_unknowns(int *order, double *diagonal, int a, int b) {
  int held = order[a];
  order[a] = order[b];
  order[b] = held;
  qp_swap_columns(diagonal + a, diagonal + b, 1);
}

/* ---- Hessian --------------------------------------------------------------------------------- */

static double *hessian_row(const ff_qp *qp, int i) {
  return qp->factor + (size_t)i * (size_t)qp->size;
}

/* Column k of L, and the update of the remaining diagonal. */
static void cholesky_column(ff_qp *qp, int k) {
  double *pivot = hessian_row(qp, k);
  const double *h = qp->hessian + (size_t)qp->order[k] * (size_t)qp->size;
  pivot[k] = sqrt(qp->diagonal[k]);
  for (int i = k + 1; i < qp->free; i++) {
    double *row = hessian_row(qp, i);
    row[k] = (h[qp->order[i]] - ff_dot(row, pivot, k)) / pivot[k];
    qp->diagonal[i] -= row[k] * row[k];
  }
}

/* P H P' = L L' for the free unknowns. False if H is not convex. */
static bool qp_cholesky(ff_qp *qp) {
  double tiny = TINY_PIVOT * (double)qp->size;
  for (int k = 0; k < qp->free; k++) {
    qp->diagonal[k] = qp->hessian[(size_t)qp->order[k] * (size_t)(qp->size + 1)];
  }
  for (qp->rank = 0; qp->rank < qp->free; qp->rank++) {
    int k = qp->rank, at = index_of_largest(qp->diagonal, k, qp->free);
    if (!(qp->diagonal[at] > tiny)) {
      break;
    }
    qp_swap_unknowns(qp->order, qp->diagonal, k, at);
    qp_swap_columns(hessian_row(qp, k), hessian_row(qp, at), k);
    cholesky_column(qp, k);
  }
  for (int i = qp->rank; i < qp->free; i++) {
    if (qp->diagonal[i] < -NEGATIVE) {
      return false;
    }
  }
  return true;
}

/* L11' x = x, in place. */
static void qp_solve_back(const ff_qp *qp, double *x) {
  for (int k = qp->rank - 1; k >= 0; k--) {
    const double *row = hessian_row(qp, k);
    x[k] /= row[k];
    for (int i = 0; i < k; i++) {
      x[i] -= row[i] * x[k];
    }
  }
}

/* Step along the null space: residual slopes when the independent unknowns are at their minimum.
 * True: there are some, and the step descends along them at zero curvature. */
static bool qp_null_space_step(ff_qp *qp, const double *forward) {
  double loudest = 0, most = 0;
  ff_qp_estimate_noise(qp);
  for (int k = 0; k < qp->free; k++) {
    loudest = fmax(loudest, qp->noise[qp->order[k]]);
  }
  for (int k = qp->rank; k < qp->free; k++) {
    double left = qp->slope[qp->order[k]] + ff_dot(hessian_row(qp, k), forward, qp->rank);
    qp->step[k] = fabs(left) > FLAT_NOISE * loudest ? -left : 0;
    most = fmax(most, fabs(qp->step[k]));
  }
  if (!(most > 0)) {
    return false;
  }
  /* The independent unknowns move so that H step = 0. */
  for (int i = 0; i < qp->rank; i++) {
    qp->step[i] = 0;
  }
  for (int k = qp->rank; k < qp->free; k++) {
    for (int i = 0; i < qp->rank; i++) {
      qp->step[i] -= hessian_row(qp, k)[i] * qp->step[k];
    }
  }
  qp_solve_back(qp, qp->step);
  for (int k = 0; k < qp->free; k++) {
    most = fmax(most, fabs(qp->step[k]));
  }
  for (int k = 0; k < qp->free; k++) {
    qp->step[k] = fabs(qp->step[k]) > FLAT_ZERO * most ? qp->step[k] : 0;
  }
  return true;
}

static ff_qp_step_kind qp_find_step_hessian(ff_qp *qp) {
  if (!qp_cholesky(qp)) {
    return FF_QP_NONCONVEX;
  }
  double *forward = qp->diagonal; /* no longer needed */
  for (int k = 0; k < qp->rank; k++) {
    const double *row = hessian_row(qp, k);
    forward[k] = (-qp->slope[qp->order[k]] - ff_dot(row, forward, k)) / row[k];
  }
  if (qp->rank < qp->free && qp_null_space_step(qp, forward)) {
    return FF_QP_FLAT;
  }
  memcpy(qp->step, forward, (size_t)qp->rank * sizeof(double));
  qp_solve_back(qp, qp->step);
  return FF_QP_NEWTON;
}

/* ---- least squares --------------------------------------------------------------------------- */

/* x := x - 2 v (v'x) / (v'v) */
static void householder_reflect(double *x, const double *v, double v_squared, int count) {
  double factor = 2 * ff_dot(v, x, count) / v_squared;
  for (int i = 0; i < count; i++) {
    x[i] -= factor * v[i];
  }
}

/* Column pivoting: moves the column of largest remaining norm in rows k .. to place k; false if the
 * remainder is zero. */
static bool qr_pivot_column(double *matrix, double *norms, int k, int rows, int columns,
                            int *order) {
  int at = index_of_largest(norms, k, columns);
  if (!(norms[at] > STALE)) {
    for (int j = k; j < columns; j++) {
      const double *column = matrix + (size_t)j * (size_t)rows + k;
      norms[j] = ff_dot(column, column, rows - k);
    }
    at = index_of_largest(norms, k, columns);
  }
  double tiny = TINY_PIVOT * (double)columns;
  if (!(norms[at] > tiny * tiny)) {
    return false;
  }
  qp_swap_unknowns(order, norms, k, at);
  qp_swap_columns(matrix + (size_t)k * (size_t)rows, matrix + (size_t)at * (size_t)rows, rows);
  return true;
}

int ff_qp_reflect(double *matrix, double *norms, int rows, int columns, double *b, int *order) {
  int most = rows < columns ? rows : columns;
  memset(norms, 0, (size_t)columns * sizeof *norms); /* invalid: computed at first use */
  for (int k = 0; k < most; k++) {
    if (!qr_pivot_column(matrix, norms, k, rows, columns, order)) {
      return k;
    }
    double *column = matrix + (size_t)k * (size_t)rows + k;
    int count = rows - k;
    double norm = sqrt(ff_dot(column, column, count)), top = column[0];
    double image = top > 0 ? -norm : norm;
    column[0] = top - image;
    double v_squared = 2 * norm * (norm + fabs(top));
    for (int j = k + 1; j < columns; j++) {
      double *other = matrix + (size_t)j * (size_t)rows + k;
      householder_reflect(other, column, v_squared, count);
      norms[j] -= other[0] * other[0];
    }
    householder_reflect(b + k, column, v_squared, count);
    column[0] = image; /* the Householder vector stays below, unused */
  }
  return most;
}

static ff_qp_step_kind qp_find_step_squares(ff_qp *qp) {
  int rows = qp->rows;
  size_t length = (size_t)rows;
  /* residual of the reduced system */
  memcpy(qp->reflected, qp->gradient, length * sizeof(double));
  for (int j = 0; j < qp->size; j++) {
    for (int i = 0; qp->y[j] != 0 && i < rows; i++) {
      qp->reflected[i] -= qp->hessian[(size_t)j * length + (size_t)i] * qp->y[j];
    }
  }
  for (int k = 0; k < qp->free; k++) {
    memcpy(qp->factor + (size_t)k * length, qp->hessian + (size_t)qp->order[k] * length,
           length * sizeof(double));
  }
  qp->rank = ff_qp_reflect(qp->factor, qp->diagonal, rows, qp->free, qp->reflected, qp->order);
  for (int k = qp->rank - 1; k >= 0; k--) {
    const double *column = qp->factor + (size_t)k * length;
    qp->step[k] = qp->reflected[k] / column[k];
    for (int i = 0; i < k; i++) {
      qp->reflected[i] -= column[i] * qp->step[k];
    }
  }
  return FF_QP_NEWTON;
}

/* ---- interface ------------------------------------------------------------------------------- */

ff_qp_step_kind ff_qp_find_step(ff_qp *qp) {
  qp->free = 0;
  for (int i = 0; i < qp->size; i++) {
    qp->step[i] = 0;
    if (qp->place[i] == FF_QP_FREE) {
      qp->order[qp->free++] = i;
    }
  }
  return qp->squares ? qp_find_step_squares(qp) : qp_find_step_hessian(qp);
}
