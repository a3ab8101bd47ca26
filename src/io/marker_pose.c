#include "io/marker_pose.h"

#include "math/jacobi.h"
#include "math/vec.h"

/* Eigenvector of the largest eigenvalue; *gap: distance to the next one, relative. */
static ff_quat largest_axis(double a[4][4], double *gap) {
  double axes[4][4];
  ff_jacobi(a[0], axes[0], 4);
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
