/* Clamped cubic splines through evenly spaced samples: zero slope at both ends. */
#include "control/walk.h"

void ff_spline_fit(const double *y, int count, double step, double *bend, double *scratch) {
  /* b[i-1] + 4 b[i] + b[i+1] = 6 (y[i-1] - 2 y[i] + y[i+1]) / h^2, halved at the ends: tridiagonal
   * elimination and back substitution. */
  double share = 6 / (step * step);
  int last = count - 1;
  scratch[0] = 0.5;
  bend[0] = 0.5 * share * (y[1] - y[0]);
  for (int i = 1; i <= last; i++) {
    bool end = i == last;
    double right = end ? y[i - 1] - y[i] : y[i - 1] - 2 * y[i] + y[i + 1];
    double pivot = (end ? 2 : 4) - scratch[i - 1];
    scratch[i] = 1 / pivot;
    bend[i] = (share * right - bend[i - 1]) / pivot;
  }
  for (int i = last - 1; i >= 0; i--) {
    bend[i] -= scratch[i] * bend[i + 1];
  }
}

double ff_spline_at(const double *y, const double *bend, int count, double step, double x) {
  double place = x / step;
  int i = place < 0 ? 0 : (place >= count - 1 ? count - 2 : (int)place);
  double b = place - i;
  b = b < 0 ? 0 : (b > 1 ? 1 : b);
  double a = 1 - b;
  return a * y[i] + b * y[i + 1] +
         ((a * a * a - a) * bend[i] + (b * b * b - b) * bend[i + 1]) * step * step / 6;
}
