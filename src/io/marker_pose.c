#include "io/marker_pose.h"

#include "math/vec.h"

#include <string.h>

/* One Jacobi rotation of a symmetric 4 x 4 matrix; axes collects the eigenvectors in columns. */
static void jacobi_turn(double a[4][4], double axes[4][4], int p, int q) {
  if (a[p][q] == 0) {
    return;
  }
  double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
  double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
  double c = 1 / sqrt(t * t + 1), s = t * c;
  for (int k = 0; k < 4; k++) {
    double x = a[k][p], y = a[k][q];
    a[k][p] = c * x - s * y;
    a[k][q] = s * x + c * y;
  }
  for (int k = 0; k < 4; k++) {
    double x = a[p][k], y = a[q][k];
    a[p][k] = c * x - s * y;
    a[q][k] = s * x + c * y;
    x = axes[k][p], y = axes[k][q];
    axes[k][p] = c * x - s * y;
    axes[k][q] = s * x + c * y;
  }
}

/* Eigenvector of the largest eigenvalue; *gap: distance to the next one, relative. */
static ff_quat largest_axis(double a[4][4], double *gap) {
  double axes[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
  for (int sweep = 0; sweep < 12; sweep++) {
    for (int p = 0; p < 3; p++) {
      for (int q = p + 1; q < 4; q++) {
        jacobi_turn(a, axes, p, q);
      }
    }
  }
  int best = 0;
  for (int i = 1; i < 4; i++) {
    best = a[i][i] > a[best][best] ? i : best;
  }
  double next = -INFINITY, size = 0;
  for (int i = 0; i < 4; i++) {
    next = i == best ? next : greater(next, a[i][i]);
    size = greater(size, fabs(a[i][i]));
  }
  *gap = size > 0 ? (a[best][best] - next) / size : 0;
  return (ff_quat){axes[0][best], axes[1][best], axes[2][best], axes[3][best]};
}

bool ff_marker_pose(ff_pose *out, const ff_vec3 *local, const ff_vec3 *world, int count) {
  ff_vec3 from = {0}, to = {0};
  double s[3][3] = {{0}};
  if (count < 3) {
    return false;
  }
  for (int i = 0; i < count; i++) {
    from = v3_axpy(from, 1.0 / count, local[i]);
    to = v3_axpy(to, 1.0 / count, world[i]);
  }
  for (int i = 0; i < count; i++) {
    double a[3], b[3];
    v3_store(a, v3_sub(local[i], from));
    v3_store(b, v3_sub(world[i], to));
    for (int r = 0; r < 3; r++) {
      for (int c = 0; c < 3; c++) {
        s[r][c] += a[r] * b[c];
      }
    }
  }
  /* Horn (1987), section 4.A */
  double n[4][4] = {
      {s[0][0] + s[1][1] + s[2][2], s[1][2] - s[2][1], s[2][0] - s[0][2], s[0][1] - s[1][0]},
      {s[1][2] - s[2][1], s[0][0] - s[1][1] - s[2][2], s[0][1] + s[1][0], s[2][0] + s[0][2]},
      {s[2][0] - s[0][2], s[0][1] + s[1][0], s[1][1] - s[0][0] - s[2][2], s[1][2] + s[2][1]},
      {s[0][1] - s[1][0], s[2][0] + s[0][2], s[1][2] + s[2][1], s[2][2] - s[0][0] - s[1][1]}};
  double gap;
  out->orientation = q_unit(largest_axis(n, &gap));
  out->position = v3_sub(to, q_rotate(out->orientation, from));
  return gap > 1e-6;
}
