/* Quadratic programme: creation, and the call that solves it. */
#include "solve/qp.h"

#include "base/memory.h"
#include "base/report.h"

#include <math.h>

ff_qp_def ff_qp_def_default(void) {
  return (ff_qp_def){.tolerance = 1e-11};
}

const char *ff_qp_outcome_text(ff_qp_outcome outcome) {
  switch (outcome) {
    case FF_QP_SOLVED: return "solved";
    case FF_QP_UNBOUNDED: return "unbounded";
    case FF_QP_ITERATIONS: return "too many iterations";
    case FF_QP_INACCURATE: return "inaccurate";
    case FF_QP_NOT_CONVEX: return "not convex";
    case FF_QP_INFEASIBLE: return "bounds are contradictory";
    case FF_QP_UNDEFINED: return "undefined";
  }
  return "unknown outcome";
}

/* ---- creation -------------------------------------------------------------------------------- */

static ff_status qp_report(ff_report *report, const char *key, const char *what) {
  ff_status status = ff_report_what(report, "%s", what);
  ff_report_key(report, "%s", key);
  return status;
}

static ff_status qp_check_def(const ff_qp_def *def, ff_report *report) {
  if (def->size < 1) {
    return qp_report(report, "size", "must be 1 or more");
  }
  if (def->rows < 0) {
    return qp_report(report, "rows", "must be 0 or more");
  }
  if (!(def->tolerance > 0)) {
    return qp_report(report, "tolerance", "must be greater than 0");
  }
  if (def->max_iterations < 0) {
    return qp_report(report, "max_iterations", "must be 0 or more");
  }
  return FF_OK;
}

static bool qp_take_workspace(ff_qp *qp) {
  size_t n = (size_t)qp->def.size, tall = (size_t)qp->def.rows + n;
  const ff_arena_array arrays[] = {
      FF_ARRAY(qp->scale, n),
      FF_ARRAY(qp->gradient, n),
      FF_ARRAY(qp->lower, n),
      FF_ARRAY(qp->upper, n),
      FF_ARRAY(qp->y, n),
      FF_ARRAY(qp->slope, n),
      FF_ARRAY(qp->noise, n),
      FF_ARRAY(qp->diagonal, n),
      FF_ARRAY(qp->step, n),
      FF_ARRAY(qp->trial[0], n),
      FF_ARRAY(qp->trial[1], n),
      FF_ARRAY(qp->trial_slope[0], n),
      FF_ARRAY(qp->trial_slope[1], n),
      FF_ARRAY(qp->hessian, n * n),
      FF_ARRAY(qp->factor, n * tall),
      FF_ARRAY(qp->reflected, tall),
      FF_ARRAY(qp->place, n),
      FF_ARRAY(qp->order, n),
  };
  return ff_arena_take_all(&qp->arena, arrays, sizeof arrays / sizeof *arrays);
}

ff_status ff_qp_create(ff_qp **out, const ff_qp_def *def, ff_report *report) {
  if (!out) {
    return FF_ERROR_INPUT;
  }
  *out = NULL;
  ff_status status = qp_check_def(def, report);
  if (status != FF_OK) {
    return status;
  }
  ff_qp *qp = ff_alloc(1, sizeof *qp);
  if (!qp) {
    return FF_ERROR_MEMORY;
  }
  qp->def = *def;
  if (!qp_take_workspace(qp)) {
    ff_qp_destroy(&qp);
    return FF_ERROR_MEMORY;
  }
  *out = qp;
  return FF_OK;
}

void ff_qp_destroy(ff_qp **at) {
  ff_qp *qp = at ? *at : NULL;
  if (qp) {
    *at = NULL;
    ff_arena_free(&qp->arena);
    ff_free(qp);
  }
}

/* ---- solving --------------------------------------------------------------------------------- */

ff_qp_info ff_qp_solve(ff_qp *qp, const ff_qp_problem *problem, double *x) {
  qp->info = (ff_qp_info){.outcome = ff_qp_load(qp, problem, x)};
  if (qp->info.outcome != FF_QP_SOLVED) {
    qp->info.residual = qp->info.scaled = NAN;
    return qp->info;
  }
  qp->info.outcome = ff_qp_descend(qp);
  qp->info.scaled = ff_qp_scaled(qp);
  if (qp->info.outcome == FF_QP_SOLVED && !(qp->info.scaled <= qp->def.tolerance)) {
    qp->info.outcome = FF_QP_INACCURATE;
  }
  for (int i = 0; i < qp->size; i++) {
    qp->info.free += qp->place[i] == FF_QP_FREE;
  }
  ff_qp_unload(qp, problem, x);
  qp->info.residual = ff_qp_residual(problem, x);
  return qp->info;
}
