#include "siconos_peer.h"

#include <stdio.h>

#include <siconos/numerics/MCP_cst.h>
#include <siconos/numerics/MixedComplementarityProblem.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/NumericsVerbose.h>
#include <siconos/numerics/SolverOptions.h>

static void residual(void *env, int size, double *z, double *f) {
  (void)size;
  const peer *p = env;
  p->residual(p->context, z, f);
}

static void jacobian(void *env, int size, double *z, NumericsMatrix *to) {
  (void)size;
  const peer *p = env;
  p->jacobian(p->context, z, to->matrix0);
}

int peer_open(peer *p, int method, double tolerance, int iterations) {
  static const int solvers[PEER_METHODS] = {SICONOS_MCP_NEWTON_FB_FBLSA,
                                            SICONOS_MCP_NEWTON_MIN_FBLSA};
  MixedComplementarityProblem *problem = mixedComplementarityProblem_new();
  SolverOptions *options = solver_options_create(solvers[method]);
  if (!problem || !options) {
    return 1;
  }
  int size = p->free + p->complementary;
  numerics_set_verbose(0);
  problem->n1 = p->free;
  problem->n2 = p->complementary;
  problem->compute_Fmcp = residual;
  problem->compute_nabla_Fmcp = jacobian;
  problem->nabla_Fmcp = NM_create(NM_DENSE, size, size);
  problem->env = p;
  options->dparam[SICONOS_DPARAM_TOL] = tolerance;
  options->iparam[SICONOS_IPARAM_MAX_ITER] = iterations;
  p->problem = problem;
  p->options = options;
  return 0;
}

void peer_close(peer *p) {
  solver_options_delete(p->options);
  mixedComplementarityProblem_free(p->problem);
}

int peer_solve(peer *p, double *z) {
  double f[64];
  return mcp_driver(p->problem, z, f, p->options);
}

void peer_hush(void) {
  FILE *nowhere = freopen("/dev/null", "w", stderr);
  (void)nowhere;
}
