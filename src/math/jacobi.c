#include "math/jacobi.h"

#include <math.h>
#include <stddef.h>

static void jacobi_rotate_pair(double *x, double *y, double c, double s) {
  double p = *x, q = *y;
  *x = c * p - s * q;
  *y = s * p + c * q;
}

static void jacobi_turn(double *a, double *axes, int n, int p, int q) {
  double off = a[p * n + q];
  if (off == 0) {
    return;
  }
  double theta = (a[q * n + q] - a[p * n + p]) / (2 * off);
  double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
  double c = 1 / sqrt(t * t + 1), s = t * c;
  for (int k = 0; k < n; k++) {
    jacobi_rotate_pair(&a[k * n + p], &a[k * n + q], c, s);
  }
  for (int k = 0; k < n; k++) {
    jacobi_rotate_pair(&a[p * n + k], &a[q * n + k], c, s);
    jacobi_rotate_pair(&axes[k * n + p], &axes[k * n + q], c, s);
  }
  a[p * n + q] = a[q * n + p] = 0;
}

static double jacobi_off(const double *a, int n) {
  double sum = 0;
  for (int p = 0; p < n; p++) {
    for (int q = p + 1; q < n; q++) {
      sum += fabs(a[p * n + q]);
    }
  }
  return sum;
}

void ff_jacobi(double *a, double *axes, int n) {
  enum { SWEEPS = 60 };
  for (int i = 0; i < n * n; i++) {
    axes[i] = i % (n + 1) == 0;
  }
  for (int sweep = 0; sweep < SWEEPS && jacobi_off(a, n) > 0; sweep++) {
    for (int p = 0; p < n; p++) {
      for (int q = p + 1; q < n; q++) {
        jacobi_turn(a, axes, n, p, q);
      }
    }
  }
}
