#include "math/eigen.h"

#include "math/vec.h"

/* One Jacobi rotation that zeroes a[p][q]; rotates the axes too. */
static void jacobi_rotate(ff_mat3 *a, ff_quat *axes, int p, int q) {
  double apq = a->m[p][q];
  if (apq == 0) {
    return;
  }
  double theta = (a->m[q][q] - a->m[p][p]) / (2 * apq);
  double t = (theta >= 0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1));
  double c = 1 / sqrt(t * t + 1);
  double s = t * c;
  int r = 3 - p - q;
  double app = a->m[p][p], aqq = a->m[q][q], arp = a->m[r][p], arq = a->m[r][q];
  a->m[p][p] = app - t * apq;
  a->m[q][q] = aqq + t * apq;
  a->m[p][q] = a->m[q][p] = 0;
  a->m[r][p] = a->m[p][r] = c * arp - s * arq;
  a->m[r][q] = a->m[q][r] = s * arp + c * arq;
  /* The new axes are the old ones rotated in the p-q plane: e_p' = c e_p - s e_q. */
  double turn = ff_atan2(s, c);
  double sign = (q - p + 3) % 3 == 1 ? -1.0 : 1.0;
  double v[3] = {0, 0, 0};
  v[r] = sign * turn;
  *axes = q_unit(q_mul(*axes, q_exp(v3(v[0], v[1], v[2]))));
}

ff_vec3 ff_eigen(ff_mat3 a, ff_quat *axes) {
  *axes = q_identity();
  /* Jacobi converges quadratically: 16 sweeps are ample. */
  for (int sweep = 0; sweep < 16; sweep++) {
    double off = fabs(a.m[0][1]) + fabs(a.m[0][2]) + fabs(a.m[1][2]);
    double scale = fabs(a.m[0][0]) + fabs(a.m[1][1]) + fabs(a.m[2][2]);
    if (!(off > 1e-18 * scale)) {
      break;
    }
    jacobi_rotate(&a, axes, 0, 1);
    jacobi_rotate(&a, axes, 0, 2);
    jacobi_rotate(&a, axes, 1, 2);
  }
  return v3(a.m[0][0], a.m[1][1], a.m[2][2]);
}
