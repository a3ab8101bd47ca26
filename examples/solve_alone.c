/* The solver without bodies and contacts: the complementarity problem of Kojima and Shindo,
 *   z >= 0, F(z) >= 0, one of both zero in each row. */
#include <footfall/ncp.h>
#include <math.h>
#include <stdio.h>

static int residual(void *context, const double *z, double *f) {
  (void)context;
  double a = z[0], b = z[1], c = z[2], d = z[3];
  f[0] = 3 * a * a + 2 * a * b + 2 * b * b + c + 3 * d - 6;
  f[1] = 2 * a * a + a + b * b + 10 * c + 2 * d - 2;
  f[2] = 3 * a * a + a * b + 2 * b * b + 2 * c + 9 * d - 9;
  f[3] = a * a + 3 * b * b + 2 * c + 3 * d - 3;
  return 0;
}

/* By columns. */
static int jacobian(void *context, const double *z, double *m) {
  (void)context;
  double a = z[0], b = z[1];
  const double columns[16] = {6 * a + 2 * b,
                              4 * a + 1,
                              6 * a + b,
                              2 * a, /* d/da */
                              2 * a + 4 * b,
                              2 * b,
                              a + 4 * b,
                              6 * b, /* d/db */
                              1,
                              10,
                              2,
                              2, /* d/dc */
                              3,
                              2,
                              9,
                              3};
  for (int i = 0; i < 16; i++) {
    m[i] = columns[i];
  }
  return 0;
}

int main(void) {
  const double zeros[4] = {0};
  double z[4] = {1, 1, 1, 1};
  ff_ncp *ncp = NULL;
  ff_ncp_def def = ff_ncp_def_default();
  def.size = 4;
  def.lower = zeros;
  def.residual = residual;
  def.jacobian = jacobian;
  if (ff_ncp_create(&ncp, &def, NULL) != FF_OK) {
    return 2;
  }
  ff_ncp_info info = ff_ncp_solve(ncp, z);
  ff_ncp_destroy(&ncp);
  printf("%s after %d linear solves: (%.10f, %.10f, %.10f, %.10f), residual %.1e\n",
         ff_ncp_outcome_text(info.outcome), info.iterations, z[0], z[1], z[2], z[3], info.residual);
  /* Its solutions: (sqrt(6)/2, 0, 0, 1/2) and (1, 0, 3, 0). */
  bool first = fabs(z[0] - sqrt(6) / 2) < 1e-9 && fabs(z[3] - 0.5) < 1e-9;
  bool second = fabs(z[0] - 1) < 1e-9 && fabs(z[2] - 3) < 1e-9;
  return info.outcome == FF_NCP_SOLVED && (first || second) ? 0 : 1;
}
