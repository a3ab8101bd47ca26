/* The complementarity solver on optimal control with next to no weight on the control: that is at
 * one bound or the other nearly everywhere, and which of them is decided by small numbers.
 *
 *   minimise  sum h (x_k^2 + weight u_k^2) / 2   with  |u_k| <= 6,
 *   x_k = x_(k-1) + h v_k,  v_k = v_(k-1) + h u_k,  from x = 1 at rest
 *
 * by its conditions of optimality: unknowns x and v, their multipliers, and u. */
#include "footfall/ncp.h"
#include "testing.h"

enum {
  STEPS = 40,
  X = 0,
  V = STEPS,
  P = 2 * STEPS,
  Q = 3 * STEPS,
  U = 4 * STEPS,
  SIZE = 5 * STEPS
};

typedef struct control {
  double weight, sign; /* of the rows of motion: they are equations, either will do */
} control;

static const double h = 1.0 / STEPS;

/* Writes the matrix by columns. */
static int slopes(void *context, const double *z, double *values) {
  (void)z;
  const control *c = context;
  double(*to)[SIZE] = (double(*)[SIZE])values; /* to[column][row] */
  memset(values, 0, sizeof(double) * SIZE * SIZE);
  for (int k = 0; k < STEPS; k++) {
    to[X + k][P + k] = to[V + k][Q + k] = c->sign;
    to[V + k][P + k] = to[U + k][Q + k] = -c->sign * h;
    to[X + k][X + k] = h;
    to[P + k][X + k] = to[Q + k][V + k] = 1;
    to[P + k][V + k] = to[Q + k][U + k] = -h;
    to[U + k][U + k] = c->weight * h;
    if (k > 0) {
      to[X + k - 1][P + k] = to[V + k - 1][Q + k] = -c->sign;
      to[P + k][X + k - 1] = to[Q + k][V + k - 1] = -1;
    }
  }
  return 0;
}

static int rows(void *context, const double *z, double *f) {
  static double matrix[SIZE][SIZE];
  const control *c = context;
  slopes(context, z, matrix[0]);
  for (int i = 0; i < SIZE; i++) {
    f[i] = i == P ? -c->sign : 0; /* x = 1 before the first step */
    for (int j = 0; j < SIZE; j++) {
      f[i] += matrix[j][i] * z[j];
    }
  }
  return 0;
}

static void solve(control c, ff_ncp_method method, double z[SIZE]) {
  double lower[SIZE], upper[SIZE], f[SIZE];
  for (int i = 0; i < SIZE; i++) {
    upper[i] = i < U ? INFINITY : 6;
    lower[i] = -upper[i];
    z[i] = 0;
  }
  ff_ncp_def def = ff_ncp_def_default();
  def.size = SIZE;
  def.lower = lower;
  def.upper = upper;
  def.residual = rows;
  def.jacobian = slopes;
  def.context = &c;
  def.method = method;
  ff_ncp *ncp;
  assert_int_equal(ff_ncp_create(&ncp, &def, NULL), FF_OK);
  ff_ncp_info info = ff_ncp_solve(ncp, z);
  ff_ncp_destroy(&ncp);
  assert_int_equal(info.outcome, FF_NCP_SOLVED);
  rows(&c, z, f);
  assert_true(ff_ncp_residual(SIZE, z, f, lower, upper) < 1e-9);
}

/* The solution is unique, and each way leads to it: none did while only descents and proximal paths
 * were tried. */
static void controls_that_are_all_or_nothing_are_found(void **state) {
  (void)state;
  double z[4][SIZE];
  for (int k = 0; k < 4; k++) {
    solve((control){1e-8, k & 1 ? 1 : -1}, k & 2 ? FF_NCP_MIN : FF_NCP_FISCHER, z[k]);
    for (int i = 0; i < STEPS; i++) {
      assert_close(z[k][X + i], z[0][X + i], 1e-6);
    }
  }
  assert_close(z[0][U], -6, 0); /* full speed ahead */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(controls_that_are_all_or_nothing_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
