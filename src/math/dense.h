/* Small dense linear systems. */
#ifndef FF_MATH_DENSE_H
#define FF_MATH_DENSE_H

#include "math/pairs.h"

#include <math.h>
#include <stdbool.h>

/* Gaussian elimination with row pivoting: solves a x = b. a: n x n by rows, `stride` numbers per
 * row, overwritten. b: `columns` right-hand sides by columns of n, replaced by the solutions. False
 * if a pivot is below tiny times the largest entry of a. */
static inline bool dense_solve(int n, double *a, int stride, double *b, int columns, double tiny) {
  double largest = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      double size = fabs(a[i * stride + j]);
      largest = size > largest ? size : largest;
    }
  }
  for (int k = 0; k < n; k++) {
    int pivot = k;
    for (int i = k + 1; i < n; i++) {
      pivot = fabs(a[i * stride + k]) > fabs(a[pivot * stride + k]) ? i : pivot;
    }
    if (!(fabs(a[pivot * stride + k]) > tiny * largest)) {
      return false;
    }
    for (int j = 0; pivot != k && j < n; j++) {
      double held = a[k * stride + j];
      a[k * stride + j] = a[pivot * stride + j];
      a[pivot * stride + j] = held;
    }
    for (int c = 0; pivot != k && c < columns; c++) {
      double held = b[c * n + k];
      b[c * n + k] = b[c * n + pivot];
      b[c * n + pivot] = held;
    }
    for (int i = k + 1; i < n; i++) {
      double factor = a[i * stride + k] / a[k * stride + k];
      if (factor != 0) {
        ff_take_off(a + i * stride + k + 1, factor, a + k * stride + k + 1, n - k - 1);
      }
      for (int c = 0; factor != 0 && c < columns; c++) {
        b[c * n + i] -= factor * b[c * n + k];
      }
    }
  }
  for (int c = 0; c < columns; c++) {
    for (int i = n - 1; i >= 0; i--) {
      double sum = b[c * n + i];
      for (int j = i + 1; j < n; j++) {
        sum -= a[i * stride + j] * b[c * n + j];
      }
      b[c * n + i] = sum / a[i * stride + i];
    }
  }
  return true;
}

#endif
