/* Homotopy methods for islands that Newton's method does not solve.
 *
 * Friction homotopy: friction coefficients grow from 0 to their values, in steps as large as
 * Newton's method follows.
 *
 * Moment homotopy, for an island of one body: a factor lambda on the moments of its contacts. At
 * lambda = 0 the body ends with the rotation of free flight, and the impulses are soon found; at
 * lambda = 1 the problem is ours. In between there is a curve of solutions. The impulses are
 * bounded, so it ends at lambda = 1 only, though lambda may fall on the way many times: a needle
 * that is hit at its tip turns by radians in one step. So the curve is parametrised by arc length,
 * with a predictor along its tangent and a corrector at right angles to it. Where friction begins
 * to slide or a contact to press, the curve has a kink; the direction onwards is the one that keeps
 * the sign of the determinant [Allgower90].
 *
 * The curve may be long: it turns back as often as a needle turns about its axis. But then there
 * are many solutions, and random starts find one sooner.
 */
#include "math/vec.h"
#include "step/quasi/energy_accounting.h"
#include "step/quasi/solver.h"

#include <stdint.h>
#include <string.h>

enum { CURVE_POINTS = 4000, CORRECTIONS = 8, CANDIDATES = 128 };
#define FIRST_STRIDE    0.02 /* arc length; unknowns are scaled to about 1 */
#define LONGEST_STRIDE  1.0
#define KINK_STRIDE     1e-5 /* below: there is a kink ahead, */
#define KINK_AHEAD      1e-2 /* at most this far */
#define SHORTEST_STRIDE 1e-7
#define ON_CURVE        1e-9 /* scaled residual of points on the curve */

/* ---- friction homotopy ------------------------------------------------------------------ */

void ff_quasi_guess_free_flight(quasi_solver *solver) {
  const quasi_problem *problem = solver->problem;
  for (int i = 0; i < problem->node_count; i++) {
    int node = problem->solved_nodes[i];
    double *x = solver->x + ff_blocks_row(solver->blocks, node);
    const quasi_body *body = quasi_node_body(problem, node);
    if (!body) {
      ff_quasi_robot_guess(problem, quasi_node_robot(problem, node), false, x);
      continue;
    }
    v3_store(x, body->v_free);
    v3_store(x + 3, body->l_free);
  }
  for (int k = 0; k < problem->member_count; k++) {
    quasi_element *e = problem->members[k];
    for (int i = 0; i < e->rows; i++) {
      e->z[i] = 0;
    }
  }
}

/* Saves or restores the unknowns. */
static void copy_solution(quasi_solver *solver, bool save) {
  const quasi_problem *problem = solver->problem;
  for (int i = 0; i < problem->node_count; i++) {
    int node = problem->solved_nodes[i], row = ff_blocks_row(solver->blocks, node);
    double *from = save ? solver->x : solver->best, *to = save ? solver->best : solver->x;
    memcpy(to + row, from + row, (size_t)ff_mover_size(problem->model, node) * sizeof *to);
  }
  for (int k = 0; k < problem->member_count; k++) {
    quasi_element *e = problem->members[k];
    memcpy(save ? e->z_saved : e->z, save ? e->z : e->z_saved, sizeof e->z);
  }
}

bool ff_quasi_friction_homotopy(quasi_solver *solver) {
  double solved = -1, stride = 0.2;
  while (solved < 1 && stride > 1e-3 && !quasi_must_stop(solver)) {
    solver->problem->friction_factor = solved < 0 ? 0 : fmin(solved + stride, 1);
    if (ff_quasi_newton(solver)) {
      solved = solver->problem->friction_factor;
      stride *= 1.5;
      copy_solution(solver, true);
    } else if (solved < 0) {
      break;
    } else {
      stride *= 0.4;
      copy_solution(solver, false);
    }
  }
  solver->problem->friction_factor = 1;
  return solved == 1;
}

/* ---- workspace and scales --------------------------------------------------------------- */

ff_status ff_quasi_create_homotopy(quasi_solver *solver, ff_arena *arena, int limit) {
  quasi_homotopy *path = &solver->homotopy;
  size_t m = (size_t)limit + 1;
  path->limit = limit;
  double **vectors[] = {&path->unit,         &path->row,  &path->mass, &path->y,
                        &path->next,         &path->f,    &path->z,    &path->tangent,
                        &path->next_tangent, &path->ahead};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = ff_arena_take(arena, m, sizeof(double));
    if (!*vectors[i]) {
      return FF_ERROR_MEMORY;
    }
  }
  path->matrix = ff_arena_take(arena, m * m, sizeof(double));
  path->jacobian = ff_arena_take(arena, m * m, sizeof(double));
  path->start = ff_arena_take(arena, m + 1, sizeof(int));
  path->index = ff_arena_take(arena, m * m, sizeof(int));
  if (!path->matrix || !path->jacobian || !path->start || !path->index) {
    return FF_ERROR_MEMORY;
  }
  return ff_linear_create(&path->linear, limit + 1, path->start, path->index, false);
}

/* Scales of unknowns and rows: effect of an impact at these speeds; rotations by radians. */
static void find_homotopy_units(quasi_solver *solver) {
  const quasi_problem *problem = solver->problem;
  quasi_homotopy *path = &solver->homotopy;
  double speed = 0, mass = 0;
  for (int i = 0; i < problem->node_count; i++) {
    const quasi_body *body = quasi_node_body(problem, problem->solved_nodes[i]);
    const ff_model_body *m = &problem->model->bodies[body->id];
    double fast = v3_norm(body->v_free) + m->bound * v3_norm(body->w0);
    double spin = m->mass * m->bound * fast;
    double least = fmin(m->inertia.x, fmin(m->inertia.y, m->inertia.z));
    spin = fmax(fmin(spin, 3 * least / problem->h), 1e-3 * spin);
    for (int k = 0; k < QUASI_DOF; k++) {
      int at = QUASI_DOF * i + k;
      path->unit[at] = k < 3 ? fast : spin;
      path->row[at] = k < 3 ? m->mass * fast : spin;
      path->mass[at] = 1;
    }
    speed = fmax(speed, fast);
    mass = fmax(mass, m->mass);
  }
  for (int k = 0; k < problem->member_count; k++) {
    const quasi_element *e = problem->members[k];
    for (int at = e->unknown; at < e->unknown + e->rows; at++) {
      path->unit[at] = mass * speed;
      path->row[at] = speed;
      path->mass[at] = e->mass;
    }
  }
}

/* Scaled unknowns y from x and z, or back. */
static void copy_scaled(quasi_solver *solver, double *y, bool back) {
  const quasi_problem *problem = solver->problem;
  const double *unit = solver->homotopy.unit;
  for (int i = 0; i < QUASI_DOF * problem->node_count; i++) {
    int row = ff_blocks_row(solver->blocks, problem->solved_nodes[i / QUASI_DOF]);
    double *x = &solver->x[row + i % QUASI_DOF];
    *(back ? x : &y[i]) = back ? unit[i] * y[i] : *x / unit[i];
  }
  for (int k = 0; k < problem->member_count; k++) {
    quasi_element *e = problem->members[k];
    for (int i = 0; i < e->rows; i++) {
      int at = e->unknown + i;
      *(back ? &e->z[i] : &y[at]) = back ? unit[at] * y[at] : e->z[i] / unit[at];
    }
  }
}

/* ---- the curve -------------------------------------------------------------------------- */

/* Scaled row i at z and lambda, from its value at lambda = 1; and its derivatives. In rows of
 * angular momentum lambda scales all but the gain over free flight. */
static double homotopy_row(const quasi_solver *solver, const double *z, double lambda, double whole,
                           int i) {
  const quasi_problem *problem = solver->problem;
  const quasi_homotopy *path = &solver->homotopy;
  int n = solver->size, m = n + 1;
  double scale = 1 / path->row[i], by_lambda = 0, share = 1, f = whole;
  if (i < QUASI_DOF * problem->node_count && i % QUASI_DOF >= 3) {
    const quasi_body *body = quasi_node_body(problem, problem->solved_nodes[i / QUASI_DOF]);
    const double l[3] = {body->l_free.x, body->l_free.y, body->l_free.z};
    double gain = z[i] - l[i % 3];
    by_lambda = whole - gain;
    f = gain + lambda * by_lambda;
    share = lambda;
  }
  double above = (z[i] - solver->lower[i]) / path->mass[i];
  bool at_bound = above < f;
  for (int k = 0; k < n; k++) {
    double d = share * path->jacobian[k * n + i] + (i == k ? 1 - share : 0);
    d = at_bound ? (i == k) / path->mass[i] : d;
    path->matrix[k * m + i] = scale * d * path->unit[k];
  }
  path->matrix[n * m + i] = at_bound ? 0 : scale * by_lambda;
  return scale * (at_bound ? above : f);
}

/* Rows f and the factored matrix, bordered by a direction, at y. False: singular. */
static bool factor_bordered(quasi_solver *solver, const double *y, const double *border,
                            double *f) {
  quasi_homotopy *path = &solver->homotopy;
  int n = solver->size, m = n + 1;
  for (int i = 0; i < n; i++) {
    path->z[i] = path->unit[i] * y[i];
  }
  ff_quasi_dense_residual(solver, path->z, f);
  ff_quasi_dense_jacobian(solver, path->z, path->jacobian);
  for (int i = 0; i < n; i++) {
    f[i] = homotopy_row(solver, path->z, y[n], f[i], i);
  }
  for (int k = 0; k < m; k++) {
    path->matrix[k * m + n] = border[k];
  }
  solver->iterations++;
  return ff_linear_factor(path->linear, path->matrix);
}

static double largest_entry(const double *f, int n) {
  double out = 0;
  for (int i = 0; i < n; i++) {
    out = fabs(f[i]) <= out ? out : fabs(f[i]); /* NAN stays */
  }
  return out;
}

static double curve_dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

/* Corrector: Newton's method at right angles to the border, from y. */
static bool correct_point(quasi_solver *solver, double *y, const double *border) {
  int n = solver->size;
  double *f = solver->homotopy.f, last = INFINITY;
  for (int k = 0; k < CORRECTIONS; k++) {
    if (!factor_bordered(solver, y, border, f)) {
      return false;
    }
    double residual = largest_entry(f, n);
    if (residual < ON_CURVE) {
      return true;
    }
    f[n] = 0;
    ff_linear_solve(solver->homotopy.linear, f);
    if ((!(residual < last) && k > 3) || !(largest_entry(f, n + 1) < 1)) {
      return false;
    }
    last = residual;
    for (int i = 0; i <= n; i++) {
      y[i] -= f[i];
    }
  }
  return false;
}

/* Unit tangent at y, in the direction of increasing arc length; near: one close to it. False: none.
 */
static bool find_tangent(quasi_solver *solver, const double *y, const double *near,
                         double *tangent) {
  int n = solver->size;
  quasi_homotopy *path = &solver->homotopy;
  double *t = path->f;
  if (!factor_bordered(solver, y, near, t)) {
    return false;
  }
  memset(t, 0, (size_t)n * sizeof *t);
  t[n] = 1;
  ff_linear_solve(path->linear, t);
  double sign = ff_linear_sign(path->linear), size = sqrt(curve_dot(t, t, n + 1));
  path->sign = path->sign == 0 ? sign : path->sign;
  for (int i = 0; i <= n; i++) {
    tangent[i] = (sign == path->sign ? 1 : -1) / size * t[i];
  }
  return isfinite(size);
}

/* Predictor along a direction, and corrector: from y to next. False: not back on the curve nearby.
 */
static bool stride_along(quasi_solver *solver, const double *along, double stride) {
  int n = solver->size;
  quasi_homotopy *path = &solver->homotopy;
  for (int i = 0; i <= n; i++) {
    path->next[i] = path->y[i] + stride * along[i];
  }
  if (!correct_point(solver, path->next, along)) {
    return false;
  }
  double way = 0;
  for (int i = 0; i <= n; i++) {
    way += (path->next[i] - path->y[i]) * (path->next[i] - path->y[i]);
  }
  return way < 4 * stride * stride;
}

/* Next, with its tangent, becomes the present point. */
static void accept_point(quasi_solver *solver) {
  size_t bytes = ((size_t)solver->size + 1) * sizeof(double);
  memcpy(solver->homotopy.y, solver->homotopy.next, bytes);
  memcpy(solver->homotopy.tangent, solver->homotopy.next_tangent, bytes);
}

/* Passes a kink close ahead along the tangent beyond it. Returns the stride; 0: none. */
static double pass_kink(quasi_solver *solver, double stride) {
  int n = solver->size;
  quasi_homotopy *path = &solver->homotopy;
  for (double ahead = 4 * stride; ahead < KINK_AHEAD; ahead *= 4) {
    for (int i = 0; i <= n; i++) {
      path->next[i] = path->y[i] + ahead * path->tangent[i];
    }
    if (find_tangent(solver, path->next, path->tangent, path->ahead) &&
        curve_dot(path->ahead, path->tangent, n + 1) < 0.9999 &&
        stride_along(solver, path->ahead, 2 * ahead) &&
        find_tangent(solver, path->next, path->ahead, path->next_tangent)) {
      accept_point(solver);
      return ahead;
    }
  }
  return 0;
}

/* Newton's method from where the curve crosses lambda = 1 between y and next. */
static bool finish_curve(quasi_solver *solver) {
  int n = solver->size;
  quasi_homotopy *path = &solver->homotopy;
  double share = (1 - path->y[n]) / (path->next[n] - path->y[n]);
  for (int i = 0; i < n; i++) {
    path->f[i] = path->y[i] + share * (path->next[i] - path->y[i]);
  }
  copy_scaled(solver, path->f, true);
  return ff_quasi_newton(solver);
}

/* Start of the curve: lambda = 0. */
static bool begin_curve(quasi_solver *solver) {
  int n = solver->size;
  quasi_homotopy *path = &solver->homotopy;
  solver->problem->moment_factor = 0;
  bool good = ff_quasi_newton(solver) || ff_quasi_friction_homotopy(solver);
  solver->problem->moment_factor = 1;
  copy_scaled(solver, path->y, false);
  memset(path->tangent, 0, ((size_t)n + 1) * sizeof(double));
  path->tangent[n] = 1;
  path->y[n] = path->sign = 0;
  good = good && correct_point(solver, path->y, path->tangent) &&
         find_tangent(solver, path->y, path->tangent, path->next_tangent);
  memcpy(path->tangent, path->next_tangent, ((size_t)n + 1) * sizeof(double));
  return good;
}

bool ff_quasi_moment_homotopy(quasi_solver *solver) {
  int n = solver->size, m = n + 1;
  quasi_homotopy *path = &solver->homotopy;
  if (n > path->limit) {
    return false;
  }
  for (int j = 0; j <= m; j++) {
    path->start[j] = j * m;
  }
  for (int k = 0; k < m * m; k++) {
    path->index[k] = k % m;
  }
  ff_linear_resize(path->linear, m);
  find_homotopy_units(solver);
  ff_quasi_guess_free_flight(solver);
  double stride = FIRST_STRIDE;
  bool good = begin_curve(solver);
  /* the curve does not return to lambda = 0: a negative one is an error */
  for (int k = 0; good && k < CURVE_POINTS && stride > SHORTEST_STRIDE && path->y[n] > -0.01 &&
                  !quasi_must_stop(solver);
       k++) {
    if (!stride_along(solver, path->tangent, stride)) {
      double ahead = stride < KINK_STRIDE ? pass_kink(solver, stride) : 0;
      stride = ahead > 0 ? ahead : 0.5 * stride;
      continue;
    }
    if (path->next[n] >= 1 && finish_curve(solver)) {
      return true;
    }
    double bend = find_tangent(solver, path->next, path->tangent, path->next_tangent)
                      ? curve_dot(path->next_tangent, path->tangent, n + 1)
                      : -1; /* cosine */
    if ((bend < 0.8 && stride > 1e-4) || (path->next[n] >= 1 && stride > 1e-4)) {
      stride *= 0.5;
      continue;
    }
    accept_point(solver);
    stride = fmin(stride * (bend > 0.98 ? 1.5 : 1), LONGEST_STRIDE);
  }
  return false;
}

/* ---- random starts ---------------------------------------------------------------------- */

/* Pseudo-random numbers from -1 to 1, a fixed sequence (linear congruential generator). */
static double draw_number(uint64_t *seed) {
  *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

/* Random guess within the effect of an impact at these speeds. Angular momentum up to that of the
 * body's full leverage, or of its energy, which is far less about a thin axis. */
static void random_guess(quasi_solver *solver, bool levered, uint64_t *seed) {
  const quasi_problem *problem = solver->problem;
  ff_quasi_guess_free_flight(solver);
  double share = draw_number(seed);
  share *= share;
  for (int i = 0; i < problem->node_count; i++) {
    const quasi_body *body = quasi_node_body(problem, problem->solved_nodes[i]);
    const ff_model_body *m = &problem->model->bodies[body->id];
    double fast = share * solver->homotopy.unit[QUASI_DOF * i];
    double *x = solver->x + ff_blocks_row(solver->blocks, body->node);
    double d[6];
    for (int k = 0; k < 6; k++) {
      d[k] = draw_number(seed);
    }
    ff_vec3 push = v3_scale(2 * fast, v3_load(d)), turn = v3_load(d + 3);
    if (levered) {
      turn = v3_scale(m->mass * m->bound, turn);
    } else {
      ff_vec3 most = v3_scale(m->mass, m->inertia); /* (momentum over fast)^2 of that energy */
      turn = q_rotate(body->q0, v3_mul(v3(sqrt(most.x), sqrt(most.y), sqrt(most.z)), turn));
    }
    v3_store(x, v3_add(v3_load(x), push));
    v3_store(x + 3, v3_axpy(v3_load(x + 3), fast, turn));
  }
}

/* Of this many levered guesses the one with the least residual: an evaluation costs a hundredth of
 * a run of Newton's method that fails. */
static void best_random_guess(quasi_solver *solver, int count, uint64_t *seed) {
  uint64_t best = *seed;
  double least = INFINITY;
  for (int k = 0; k < count; k++) {
    uint64_t from = *seed;
    random_guess(solver, true, seed);
    double residual = ff_quasi_evaluate(solver).energy;
    best = residual < least ? from : best;
    least = lesser(residual, least);
  }
  random_guess(solver, true, &best);
}

bool ff_quasi_random_starts(quasi_solver *solver) {
  if (solver->size > solver->homotopy.limit) {
    return false;
  }
  uint64_t seed = 1;
  bool solved = false;
  find_homotopy_units(solver);
  for (int k = 2; !solved && !quasi_must_stop(solver); k++) {
    /* some steps need the one kind, some the other; candidates grow in number */
    if (k % 2 == 0) {
      best_random_guess(solver, k < 2 * CANDIDATES ? k / 2 : CANDIDATES, &seed);
    } else {
      random_guess(solver, false, &seed);
    }
    solved = ff_quasi_newton(solver) && !ff_quasi_multiplies_energy(solver->problem);
  }
  return solved;
}
