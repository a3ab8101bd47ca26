/* The step to the minimum over the free unknowns: by Cholesky factors with diagonal pivoting for
 * a Hessian [Higham02 sec. 10.3], by Householder reflections with column pivoting for least squares
 * [Golub13 sec. 5.4]. Both find the rank: unknowns beyond it follow from the others. */
#include "solve/qp.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Diagonals are about 1: below this, times the size, a pivot is rounding and nothing else. */
#define TINY_PIVOT (32 * DBL_EPSILON)
/* A diagonal this far below zero is no rounding any more. */
#define NEGATIVE 1e-8
/* Squares of norms that were updated down to this are computed anew. */
#define STALE 1e-6
/* Slopes along flat directions that are less than so many noises are none. */
#define FLAT_NOISE 64
/* Entries of a flat direction this small, relative to the largest, are zero. */
#define FLAT_ZERO 1e-11

static int largest(const double *values, int from, int to) {
  int at = from;
  for (int i = from + 1; i < to; i++) {
    at = values[i] > values[at] ? i : at;
  }
  return at;
}

static void swap_numbers(double *a, double *b, int count) {
  for (int i = 0; i < count; i++) {
    double held = a[i];
    a[i] = b[i];
    b[i] = held;
  }
}

static void swap_places(int *order, double *diagonal, int a, int b) {
  int held = order[a];
  order[a] = order[b];
  order[b] = held;
  swap_numbers(diagonal + a, diagonal + b, 1);
}

/* ---- Hessian -------------------------------------------------------------------------------- */

static double *row_of(const ff_qp *qp, int i) {
  return qp->factor + (size_t)i * (size_t)qp->size;
}

/* Column k of L, and what it leaves of the diagonal. */
static void fill_column(ff_qp *qp, int k) {
  double *pivot = row_of(qp, k);
  const double *h = qp->hessian + (size_t)qp->order[k] * (size_t)qp->size;
  pivot[k] = sqrt(qp->diagonal[k]);
  for (int i = k + 1; i < qp->free; i++) {
    double *row = row_of(qp, i);
    row[k] = (h[qp->order[i]] - ff_dot(row, pivot, k)) / pivot[k];
    qp->diagonal[i] -= row[k] * row[k];
  }
}

/* P H P' = L L' for the free unknowns. False if H is not convex. */
static bool factor(ff_qp *qp) {
  double tiny = TINY_PIVOT * (double)qp->size;
  for (int k = 0; k < qp->free; k++) {
    qp->diagonal[k] = qp->hessian[(size_t)qp->order[k] * (size_t)(qp->size + 1)];
  }
  for (qp->rank = 0; qp->rank < qp->free; qp->rank++) {
    int k = qp->rank, at = largest(qp->diagonal, k, qp->free);
    if (!(qp->diagonal[at] > tiny)) {
      break;
    }
    swap_places(qp->order, qp->diagonal, k, at);
    swap_numbers(row_of(qp, k), row_of(qp, at), k);
    fill_column(qp, k);
  }
  for (int i = qp->rank; i < qp->free; i++) {
    if (qp->diagonal[i] < -NEGATIVE) {
      return false;
    }
  }
  return true;
}

/* L11' x = x, in place. */
static void solve_back(const ff_qp *qp, double *x) {
  for (int k = qp->rank - 1; k >= 0; k--) {
    const double *row = row_of(qp, k);
    x[k] /= row[k];
    for (int i = 0; i < k; i++) {
      x[i] -= row[i] * x[k];
    }
  }
}

/* The slopes that are left when the independent unknowns are at their minimum: if there are
 * any, the step goes down along them, where nothing bends. */
static bool fall(ff_qp *qp, const double *forward) {
  double loudest = 0, most = 0;
  ff_qp_listen(qp);
  for (int k = 0; k < qp->free; k++) {
    loudest = fmax(loudest, qp->noise[qp->order[k]]);
  }
  for (int k = qp->rank; k < qp->free; k++) {
    double left = qp->slope[qp->order[k]] + ff_dot(row_of(qp, k), forward, qp->rank);
    qp->step[k] = fabs(left) > FLAT_NOISE * loudest ? -left : 0;
    most = fmax(most, fabs(qp->step[k]));
  }
  if (!(most > 0)) {
    return false;
  }
  /* The independent ones go along so that H step = 0. */
  for (int i = 0; i < qp->rank; i++) {
    qp->step[i] = 0;
  }
  for (int k = qp->rank; k < qp->free; k++) {
    for (int i = 0; i < qp->rank; i++) {
      qp->step[i] -= row_of(qp, k)[i] * qp->step[k];
    }
  }
  solve_back(qp, qp->step);
  for (int k = 0; k < qp->free; k++) {
    most = fmax(most, fabs(qp->step[k]));
  }
  for (int k = 0; k < qp->free; k++) {
    qp->step[k] = fabs(qp->step[k]) > FLAT_ZERO * most ? qp->step[k] : 0;
  }
  return true;
}

static ff_qp_way direct_hessian(ff_qp *qp) {
  if (!factor(qp)) {
    return FF_QP_ASTRAY;
  }
  double *forward = qp->diagonal; /* its work is done */
  for (int k = 0; k < qp->rank; k++) {
    const double *row = row_of(qp, k);
    forward[k] = (-qp->slope[qp->order[k]] - ff_dot(row, forward, k)) / row[k];
  }
  if (qp->rank < qp->free && fall(qp, forward)) {
    return FF_QP_FALL;
  }
  memcpy(qp->step, forward, (size_t)qp->rank * sizeof(double));
  solve_back(qp, qp->step);
  return FF_QP_NEWTON;
}

/* ---- least squares -------------------------------------------------------------------------- */

/* x := x - 2 v (v'x) / (v'v) */
static void mirror(double *x, const double *v, double v_squared, int count) {
  double factor = 2 * ff_dot(v, x, count) / v_squared;
  for (int i = 0; i < count; i++) {
    x[i] -= factor * v[i];
  }
}

/* Brings the column with most left in rows k .. to place k; false if nothing is left. */
static bool choose_column(double *matrix, double *norms, int k, int rows, int columns, int *order) {
  int at = largest(norms, k, columns);
  if (!(norms[at] > STALE)) {
    for (int j = k; j < columns; j++) {
      const double *column = matrix + (size_t)j * (size_t)rows + k;
      norms[j] = ff_dot(column, column, rows - k);
    }
    at = largest(norms, k, columns);
  }
  double tiny = TINY_PIVOT * (double)columns;
  if (!(norms[at] > tiny * tiny)) {
    return false;
  }
  swap_places(order, norms, k, at);
  swap_numbers(matrix + (size_t)k * (size_t)rows, matrix + (size_t)at * (size_t)rows, rows);
  return true;
}

int ff_qp_reflect(double *matrix, double *norms, int rows, int columns, double *b, int *order) {
  int most = rows < columns ? rows : columns;
  memset(norms, 0, (size_t)columns * sizeof *norms); /* stale: computed at first use */
  for (int k = 0; k < most; k++) {
    if (!choose_column(matrix, norms, k, rows, columns, order)) {
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
      mirror(other, column, v_squared, count);
      norms[j] -= other[0] * other[0];
    }
    mirror(b + k, column, v_squared, count);
    column[0] = image; /* below it stays v, which nobody reads */
  }
  return most;
}

static ff_qp_way direct_squares(ff_qp *qp) {
  int rows = qp->rows;
  size_t length = (size_t)rows;
  /* what the reduced target still misses */
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

/* ---- either way ----------------------------------------------------------------------------- */

ff_qp_way ff_qp_direct(ff_qp *qp) {
  qp->free = 0;
  for (int i = 0; i < qp->size; i++) {
    qp->step[i] = 0;
    if (qp->place[i] == FF_QP_FREE) {
      qp->order[qp->free++] = i;
    }
  }
  return qp->squares ? direct_squares(qp) : direct_hessian(qp);
}
