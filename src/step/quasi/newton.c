/* Semismooth Newton's method on bodies and elements.
 *
 * The equations are the rows of the bodies and, for every unknown of an element, its row if it has
 * no bound, else min((z - lower) / mass, row). A step solves them linearised (schur_complement.c).
 *
 * Merit function of the line search is the kinetic energy of the residual. It must decrease; but in
 * the four steps after one that halved its minimum so far, in large islands the two, it may be as
 * large as the largest of the last few [Grippo86]. If it always might, groups of contacts would
 * alternate endlessly, and the more bodies, the more groups there are. A step along the tangent of
 * a friction cone leaves the cone: friction is first scaled back to it, and taken as it is only if
 * that does not decrease the merit function.
 */
#include "math/vec.h"
#include "step/quasi/residual.h"
#include "step/quasi/solver.h"

#include <string.h>

enum {
  ITERATIONS = 40,
  STEP_HALVINGS = 8,
  HISTORY = 4,     /* merit values of the nonmonotone line search */
  NONMONOTONE = 4, /* steps after one that halved the minimum, */
  NONMONOTONE_LARGE = 2
};
#define REUSE_BELOW       1e-8  /* relative residual from which earlier factors are tried; */
#define REUSE_BELOW_LARGE 1e-6  /* of large islands, whose factors cost more than an evaluation */
#define DECREASE          1e-4  /* sufficient decrease (Armijo) */
#define ACCEPTABLE        1e-10 /* relative residual, if no further step decreases it */
#define SMALLEST          1e-100

/* ---- evaluation ------------------------------------------------------------------------- */

static void move_chunk(void *context, int first, int end) {
  quasi_solver *solver = context;
  const quasi_problem *problem = solver->problem;
  for (int i = first; i < end; i++) {
    int node = problem->solved_nodes[i];
    const double *x = solver->x + ff_blocks_row(solver->blocks, node);
    quasi_body *body = quasi_node_body(problem, node);
    if (body) {
      ff_quasi_move_body(problem, body, v3_load(x), v3_load(x + 3));
    } else {
      ff_quasi_move_robot(problem, quasi_node_robot(problem, node), x);
    }
  }
}

/* Inertial terms of the rows of bodies, and their magnitude. */
static void inertia_rows_chunk(void *context, int first, int end) {
  quasi_solver *solver = context;
  const quasi_problem *problem = solver->problem;
  double dv = problem->gravity_dv;
  for (int i = first; i < end; i++) {
    int node = problem->solved_nodes[i], row = ff_blocks_row(solver->blocks, node);
    const quasi_body *body = quasi_node_body(problem, node);
    if (!body) {
      ff_quasi_clear_links(problem, quasi_node_robot(problem, node));
      continue;
    }
    double mass = problem->model->bodies[body->id].mass;
    double size = problem->model->bodies[body->id].bound;
    v3_store(solver->r + row, v3_scale(mass, v3_sub(body->end.velocity, body->v_free)));
    v3_store(solver->r + row + 3, v3_sub(body->l, body->l_free));
    solver->row_scale[2 * node] = mass * (v3_norm(body->end.velocity) + v3_norm(body->v_free) + dv);
    solver->row_scale[2 * node + 1] = v3_norm(body->l) + v3_norm(body->l_free) + mass * size * dv;
  }
}

static void add_element_rows(quasi_solver *solver, quasi_element *e, int s) {
  const quasi_body *body = quasi_side(solver->problem, e, s);
  double *r = quasi_body_rows(solver, body), *scale = quasi_body_scale(solver, body);
  for (int i = 0; i < QUASI_DOF; i++) {
    r[i] += e->f[6 * s + i];
  }
  scale[0] += e->force_scale + e->force_noise * (1 / QUASI_TOLERANCE);
  scale[1] += e->moment_scale + e->moment_noise * (1 / QUASI_TOLERANCE);
}

/* Rows of elements, and the norm of their own equations. */
static void element_rows_chunk(void *context, int first, int end) {
  quasi_solver *solver = context;
  const quasi_problem *problem = solver->problem;
  quasi_norm out = {0, 0}, *to = &solver->norms[first / QUASI_CHUNK];
  ff_quasi_whole_pairs(problem, &first, &end);
  ff_quasi_element_residuals(problem, first, end);
  for (int k = first; k < end; k++) {
    quasi_element *e = problem->members[k];
    if (e->idle) {
      continue;
    }
    double inverse = 1 / e->mass;
    for (int i = 0; i < e->rows; i++) {
      double above = inverse * (e->z[i] - e->lower[i]), f = e->f[12 + i];
      e->at_bound[i] = above < f;
      e->equation[i] = lesser(f, above);
    }
    for (int i = 0; i < e->rows; i++) {
      double row = e->equation[i];
      double scale = e->row_scale[i] + e->row_noise[i] * (1 / QUASI_TOLERANCE);
      out.energy += 0.5 * e->mass * row * row;
      out.worst = greater(out.worst, fabs(row) / scale);
    }
  }
  *to = out;
}

/* Norm of the residual: bodies and robots, then elements. */
static quasi_norm residual_norm(const quasi_solver *solver) {
  const quasi_problem *problem = solver->problem;
  quasi_norm out = {0, 0};
  for (int i = 0; i < problem->node_count; i++) {
    int node = problem->solved_nodes[i];
    const quasi_body *body = quasi_node_body(problem, node);
    const double *r = solver->r + ff_blocks_row(solver->blocks, node);
    if (!body) {
      quasi_norm robot = ff_quasi_robot_norm(problem, quasi_node_robot(problem, node), r);
      out = (quasi_norm){out.energy + robot.energy, greater(out.worst, robot.worst)};
      continue;
    }
    ff_vec3 p = v3_load(r), l = v3_load(r + 3);
    out.energy += 0.5 * problem->model->bodies[body->id].inv_mass * v3_dot(p, p) +
                  0.5 * v3_dot(l, m3_mul(body->inv_inertia, l));
    out.worst = greater(out.worst, v3_norm(p) / solver->row_scale[2 * node]);
    out.worst = greater(out.worst, v3_norm(l) / solver->row_scale[2 * node + 1]);
  }
  int chunks = problem->member_count > 0 ? (problem->member_count - 1) / QUASI_CHUNK + 1 : 0;
  chunks = problem->is_large ? chunks : 1;
  for (int i = 0; i < chunks; i++) {
    out.energy += solver->norms[i].energy;
    out.worst = greater(out.worst, solver->norms[i].worst);
  }
  return out;
}

quasi_norm ff_quasi_evaluate(quasi_solver *solver) {
  const quasi_problem *problem = solver->problem;
  ff_effort += 5 * problem->member_count;
  quasi_for_chunks(solver, move_chunk, problem->node_count);
  quasi_for_chunks(solver, element_rows_chunk, problem->member_count);
  quasi_for_chunks(solver, inertia_rows_chunk, problem->node_count);
  quasi_for_sides(solver, add_element_rows);
  for (int i = 0; i < problem->node_count; i++) {
    int node = problem->solved_nodes[i], robot = quasi_node_robot(problem, node);
    if (robot >= 0) {
      ff_quasi_robot_residual(problem, robot, solver->r + ff_blocks_row(solver->blocks, node));
    }
  }
  return residual_norm(solver);
}

/* ---- line search ------------------------------------------------------------------------ */

static void save_elements_chunk(void *context, int first, int end) {
  quasi_solver *solver = context;
  for (int k = first; k < end; k++) {
    quasi_element *e = solver->problem->members[k];
    memcpy(e->z_base, e->z, sizeof e->z);
  }
}

static void save_base(quasi_solver *solver) {
  const quasi_problem *problem = solver->problem;
  for (int i = 0; i < problem->node_count; i++) {
    int node = problem->solved_nodes[i], row = ff_blocks_row(solver->blocks, node);
    size_t size = (size_t)ff_mover_size(problem->model, node);
    memcpy(solver->base + row, solver->x + row, size * sizeof(double));
  }
  quasi_for_chunks(solver, save_elements_chunk, problem->member_count);
}

/* Flushes tiny values to zero: motion that decays to rest would end in denormal numbers, which are
 * slow. */
static double flush_tiny(double a) {
  return fabs(a) > SMALLEST ? a : 0;
}

static void step_chunk(void *context, int first, int end) {
  quasi_solver *solver = context;
  double t = solver->step_length;
  for (int k = first; k < end; k++) {
    quasi_element *e = solver->problem->members[k];
    for (int i = 0; i < e->rows; i++) {
      e->z[i] = flush_tiny(e->z_base[i] + t * e->dz[i]);
      if (t == 1 && fabs(e->z[i] - e->lower[i]) < 1e-14 * fabs(e->z_base[i])) {
        e->z[i] = e->lower[i]; /* the step is to its bound */
      }
    }
  }
}

/* Unknowns at base + t step. */
static void move_along(quasi_solver *solver, double t) {
  const quasi_problem *problem = solver->problem;
  for (int i = 0; i < problem->node_count; i++) {
    int node = problem->solved_nodes[i], row = ff_blocks_row(solver->blocks, node);
    for (int k = row; k < row + ff_mover_size(problem->model, node); k++) {
      solver->x[k] = flush_tiny(solver->base[k] + t * solver->step[k]);
    }
  }
  solver->step_length = t;
  quasi_for_chunks(solver, step_chunk, problem->member_count);
}

/* Backtracking line search, at each length with friction in its cones first. False: no decrease,
 * and all is as before. */
static bool line_search(quasi_solver *solver, double limit, quasi_norm *at) {
  double t = 1;
  for (int k = 0; k < 2 * (STEP_HALVINGS + 1) && !quasi_must_stop(solver);
       k++, t *= k % 2 == 0 ? 0.5 : 1) {
    move_along(solver, t);
    solver->problem->project_friction = k % 2 == 0;
    quasi_norm there = ff_quasi_evaluate(solver);
    solver->problem->project_friction = false;
    if (there.energy <= (1 - DECREASE * t) * limit) {
      *at = there;
      return true;
    }
  }
  move_along(solver, 0);
  ff_quasi_evaluate(solver);
  return false;
}

/* One step with the factors of an earlier linear system; undone if the residual does not decrease.
 */
static void take_reused_step(quasi_solver *solver, quasi_norm *at) {
  save_base(solver);
  move_along(solver, ff_quasi_reused_step(solver, at->worst) ? 1 : 0);
  quasi_norm there = ff_quasi_evaluate(solver);
  if (there.energy < at->energy) {
    *at = there;
  } else {
    move_along(solver, 0);
    ff_quasi_evaluate(solver);
  }
}

/* One step with incomplete factors (large islands) and friction that sticks before it reverses; or
 * if that fails one with complete factors, as linearised. */
static bool take_newton_step(quasi_solver *solver, double limit, quasi_norm *at) {
  bool approximate = solver->problem->is_large;
  solver->stick_first = true;
  save_base(solver);
  if (ff_quasi_newton_step(solver, approximate, at->worst) && line_search(solver, limit, at)) {
    return true;
  }
  solver->stick_first = false;
  if (!approximate && !atomic_load(&solver->stuck)) {
    return false;
  }
  save_base(solver);
  return ff_quasi_newton_step(solver, false, at->worst) && line_search(solver, limit, at);
}

bool ff_quasi_newton(quasi_solver *solver) {
  const quasi_problem *problem = solver->problem;
  int nonmonotone = problem->is_large ? NONMONOTONE_LARGE : NONMONOTONE;
  double history[HISTORY], least = 0; /* J, merit values; the last minimum that was halved */
  int halved = 0;                     /* iteration of that */
  bool slow = false;                  /* reused factors hardly decreased the residual */
  solver->starts++;
  quasi_norm at = ff_quasi_evaluate(solver);
  for (int n = 0; n < ITERATIONS; n++) {
    if (at.worst <= (n == 0 ? solver->start_tolerance : QUASI_TOLERANCE)) {
      break;
    }
    double limit = at.energy, before = at.worst;
    if (n == 0 || at.energy < 0.5 * least) {
      least = at.energy;
      halved = n;
    }
    history[n % HISTORY] = at.energy;
    for (int i = 0; n - halved < nonmonotone && i < HISTORY && i <= n; i++) {
      limit = greater(limit, history[i]);
    }
    bool near = before < (problem->is_large ? REUSE_BELOW_LARGE : REUSE_BELOW) &&
                (n == 0 ? solver->starts == 1 : problem->node_count > 1);
    if (near && !slow && ff_quasi_can_reuse_factors(solver)) {
      take_reused_step(solver, &at);
      slow = at.worst > 0.1 * before;
      continue;
    }
    slow = false;
    if (!isfinite(at.energy) || !take_newton_step(solver, limit, &at)) {
      break;
    }
  }
  solver->residual = at.worst;
  /* a search that was stopped early may have left a point that is not a solution */
  return at.worst <= ACCEPTABLE && !quasi_must_stop(solver);
}
