#include "solve/semidefinite.h"

#include <math.h>
#include <stddef.h>

/* Pivots below this, of a unit diagonal, are rounding errors. */
#define SMALLEST_PIVOT 1e-12

static void swap_doubles(double *a, double *b) {
  double held = *a;
  *a = *b;
  *b = held;
}

/* Swaps rows and columns i < j of the lower triangle. */
static void semidefinite_swap(int size, double *a, int *order, int i, int j) {
  size_t n = (size_t)size, p = (size_t)i, q = (size_t)j;
  int held = order[i];
  order[i] = order[j];
  order[j] = held;
  for (size_t k = 0; k < p; k++) {
    swap_doubles(&a[p * n + k], &a[q * n + k]);
  }
  for (size_t k = p + 1; k < q; k++) {
    swap_doubles(&a[k * n + p], &a[q * n + k]);
  }
  for (size_t k = q + 1; k < n; k++) {
    swap_doubles(&a[k * n + p], &a[k * n + q]);
  }
  swap_doubles(&a[p * n + p], &a[q * n + q]);
}

static int semidefinite_pivot(int size, const double *a, int first) {
  int best = first;
  for (int i = first + 1; i < size; i++) {
    size_t at = (size_t)i * (size_t)size + (size_t)i,
           to = (size_t)best * (size_t)size + (size_t)best;
    best = a[at] > a[to] ? i : best;
  }
  return best;
}

/* Column k of the factor, and its update of the rest. touched: scratch for its rows. */
static void semidefinite_eliminate(int size, double *a, int k, int *touched) {
  size_t n = (size_t)size, p = (size_t)k;
  double pivot = sqrt(a[p * n + p]);
  int count = 0;
  a[p * n + p] = pivot;
  for (size_t i = p + 1; i < n; i++) {
    if (a[i * n + p] != 0) {
      a[i * n + p] /= pivot;
      touched[count++] = (int)i;
    }
  }
  for (int i = 0; i < count; i++) {
    size_t row = (size_t)touched[i] * n;
    double factor = a[row + p];
    for (int j = 0; j <= i; j++) {
      size_t at = (size_t)touched[j];
      a[row + at] -= factor * a[at * n + p];
    }
  }
}

int ff_semidefinite_factor(int size, double *a, int *order, double *scale) {
  size_t n = (size_t)size;
  for (size_t i = 0; i < n; i++) {
    order[i] = (int)i;
    scale[i] = a[i * n + i] > 0 ? 1 / sqrt(a[i * n + i]) : 0;
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j <= i; j++) {
      a[i * n + j] *= scale[i] * scale[j];
    }
  }
  int rank = 0;
  for (; rank < size; rank++) {
    int pivot = semidefinite_pivot(size, a, rank);
    if (!(a[(size_t)pivot * n + (size_t)pivot] > SMALLEST_PIVOT)) {
      break;
    }
    if (pivot != rank) {
      semidefinite_swap(size, a, order, rank, pivot);
    }
    semidefinite_eliminate(size, a, rank, order + size);
  }
  return rank;
}

void ff_semidefinite_solve(int size, int rank, const double *a, const int *order,
                           const double *scale, double *x, double *spare) {
  size_t n = (size_t)size;
  for (int i = 0; i < rank; i++) {
    double sum = x[order[i]] * scale[order[i]];
    for (int j = 0; j < i; j++) {
      sum -= a[(size_t)i * n + (size_t)j] * spare[j];
    }
    spare[i] = sum / a[(size_t)i * n + (size_t)i];
  }
  for (int i = rank - 1; i >= 0; i--) {
    double sum = spare[i];
    for (int j = i + 1; j < rank; j++) {
      sum -= a[(size_t)j * n + (size_t)i] * spare[j];
    }
    spare[i] = sum / a[(size_t)i * n + (size_t)i];
  }
  for (int i = 0; i < size; i++) {
    x[order[i]] = i < rank ? spare[i] * scale[order[i]] : 0;
  }
}
