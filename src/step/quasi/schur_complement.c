/* Schur complement of the linearised problem: Newton steps of bodies and elements.
 *
 * The unknowns of an element couple with its two bodies only: they are eliminated first, element by
 * element, and leave a system of 6 x 6 blocks on the graph of bodies in contact (solve/blocks.h).
 *
 * More contacts may stick, or rest on their cores, than a body has degrees of freedom: there an
 * element's own block and its Schur complement are singular together. A regularisation adds a
 * millionth of the effective inverse mass to every own row: a proximal term on the change of the
 * impulses, which changes the way but not the solution and selects the nearest of the solutions
 * that share a load differently. For constraints it is relative to the heaviest body of the island:
 * light links may carry it, and a millionth of their inverse mass would be all of its own. Where
 * contacts share loads, friction is regularised more while the residual is large: which contacts
 * stick and which slip then settles in half as many steps. So are the cores of shapes that touch in
 * several points: of four corners only three can rest on their cores, unless they are level, and
 * impulses that make the fourth do so as well are millions of times too large, some of them
 * attractive.
 */
#include "math/pairs.h"
#include "math/vec.h"
#include "step/quasi/residual.h"
#include "step/quasi/solver.h"

#include <string.h>

#define REGULARISATION 1e-6
#define SHARED_LOAD    0.1   /* of friction that shares a load, at a relative residual of 1 */
#define DROPPED        2.0   /* of inertia: products below are dropped from incomplete factors */
#define ROUGH          1e-3  /* relative residual above which these alone give the step */
#define TIGHT          1e-4  /* else GMRES: to 100 times the residual, at best to this tolerance, */
#define AIM            1e-13 /* or to the one that reduces the residual to this */

/* ---- reused factorisation ------------------------------------------------------------------
 *
 * Near the solution the matrix of an earlier linear system of the same time step is close to the
 * present one, so that one step with its factors suffices. Factors are valid for the same island
 * with the same active set.
 */

static int element_id(const quasi_element *e) {
  return e->is_constraint ? ((const quasi_constraint *)e)->constraint
                          : ((const quasi_contact *)e)->point;
}

/* Active set: which complementarity rows are at their bound; slip, contact, order (bit mask). */
static int element_active_set(const quasi_problem *problem, const quasi_element *e) {
  int out = e->idle + 2 * (problem->theta < 1);
  for (int i = 0; i < e->rows && !e->idle; i++) {
    out += e->at_bound[i] << (2 + i);
  }
  if (!e->is_constraint) {
    const quasi_contact *contact = (const quasi_contact *)e;
    out += (contact->projection.slips << 10) + ((contact->p_ns_slope > 0) << 11);
  }
  return out;
}

bool ff_quasi_can_reuse_factors(const quasi_solver *solver) {
  const quasi_problem *problem = solver->problem;
  if (problem->member_count == 0) { /* a robot without contacts: its factors are not reusable */
    return false;
  }
  const quasi_factor_key *first = &problem->members[0]->key;
  if (first->factor < solver->first_factor || first->nodes != problem->node_count ||
      first->elements != problem->member_count) {
    return false;
  }
  for (int k = 0; k < problem->member_count; k++) {
    const quasi_element *e = problem->members[k];
    if (e->key.factor != first->factor || e->key.id != element_id(e) ||
        e->key.active_set != element_active_set(problem, e)) {
      return false;
    }
    for (int s = 0; s < 2; s++) { /* its Schur contributions are not overwritten */
      if (quasi_side(problem, e, s)->solved && solver->schur[e->schur[s]].factor != e->key.factor) {
        return false;
      }
    }
  }
  return true;
}

/* ---- elimination of an element ---------------------------------------------------------- */

/* Gauss-Jordan inversion with row pivoting; own is overwritten. False: singular. */
static bool invert_own_block(double own[][QUASI_OWN_MAX], double inverse[][QUASI_OWN_MAX], int n) {
  for (int k = 0; k < n; k++) {
    int at = k;
    for (int i = k + 1; i < n; i++) {
      at = fabs(own[i][k]) > fabs(own[at][k]) ? i : at;
    }
    if (!(fabs(own[at][k]) > 0)) {
      return false;
    }
    for (int m = 0; at != k && m < n; m++) {
      double held = inverse[k][m];
      inverse[k][m] = inverse[at][m];
      inverse[at][m] = held;
      held = own[k][m];
      own[k][m] = own[at][m];
      own[at][m] = held;
    }
    double scale = 1 / own[k][k];
    ff_scale(own[k] + k + 1, scale, n - k - 1);
    ff_scale(inverse[k], scale, n);
    for (int i = 0; i < n; i++) {
      if (i != k && own[i][k] != 0) {
        double factor = own[i][k];
        ff_take_off(own[i] + k + 1, factor, own[k] + k + 1, n - k - 1);
        ff_take_off(inverse[i], factor, inverse[k], n);
      }
    }
  }
  return true;
}

/* Inverse of the element's regularised own block, and its product with the bodies' columns. A row
 * at its bound depends on its own unknown only. False: singular. */
static bool factor_element(const quasi_solver *solver, quasi_element *e, quasi_jacobian j) {
  double own[QUASI_OWN_MAX][QUASI_OWN_MAX];
  double mass = e->is_constraint ? greater(e->mass, solver->heaviest) : e->mass;
  for (int i = 0; i < e->rows; i++) {
    for (int k = 0; k < e->rows; k++) {
      own[i][k] = e->at_bound[i] ? 0 : j[12 + i][12 + k];
      e->inverse[i][k] = i == k;
    }
    bool firm = e->is_constraint || (i == 0 && !e->shares_load);
    own[i][i] += (e->at_bound[i] ? 1 + REGULARISATION
                  : firm         ? REGULARISATION
                                 : solver->regularisation) /
                 mass;
  }
  if (!invert_own_block(own, e->inverse, e->rows)) {
    return false;
  }
  int width = (solver->problem->bodies[e->b].solved ? 2 : 1) * QUASI_DOF;
  for (int i = 0; i < e->rows; i++) {
    memset(e->reduced[i], 0, (size_t)width * sizeof(double));
    for (int k = 0; k < e->rows; k++) {
      if (!e->at_bound[k] && e->inverse[i][k] != 0) {
        ff_take_off(e->reduced[i], -e->inverse[i][k], j[12 + k], width);
      }
    }
  }
  return true;
}

/* Schur complement in the rows of body s and the columns of body t: a row stays in registers. */
static void reduce_block(const quasi_element *e, quasi_jacobian j, int s, int t, double to[6][6]) {
  for (int i = 0; i < QUASI_DOF; i++) {
    const double *from = j[6 * s + i] + 6 * t, *by = j[6 * s + i] + 12;
    ff_pair2 x = ff_pair2_load(from), y = ff_pair2_load(from + 2), z = ff_pair2_load(from + 4);
    for (int m = 0; m < e->rows; m++) {
      const double *row = e->reduced[m] + 6 * t;
      ff_pair2 factor = {by[m], by[m]};
      x -= factor * ff_pair2_load(row);
      y -= factor * ff_pair2_load(row + 2);
      z -= factor * ff_pair2_load(row + 4);
    }
    ff_pair2_store(to[i], x);
    ff_pair2_store(to[i] + 2, y);
    ff_pair2_store(to[i] + 4, z);
  }
}

/* Right-hand sides: of the element's own unknowns, and of the Schur contributions. */
static void reduce_rhs(const quasi_solver *solver, quasi_element *e) {
  for (int i = 0; i < e->rows; i++) {
    e->offset[i] = ff_dot(e->inverse[i], e->equation, e->rows);
  }
  for (int s = 0; s < 2; s++) {
    bool solved = quasi_side(solver->problem, e, s)->solved;
    for (int i = 0; solved && i < QUASI_DOF; i++) {
      solver->schur[e->schur[s]].rhs[i] = ff_dot(e->own_columns[6 * s + i], e->offset, e->rows);
    }
  }
}

/* Eliminates the unknowns of an element. */
static void eliminate_element(void *context, quasi_element *e, quasi_jacobian j) {
  quasi_solver *solver = context;
  if (!factor_element(solver, e, j)) {
    atomic_store(&solver->singular, true);
    return;
  }
  for (int s = 0; s < 2; s++) {
    if (!quasi_side(solver->problem, e, s)->solved) {
      continue;
    }
    quasi_schur *schur = &solver->schur[e->schur[s]];
    reduce_block(e, j, s, s, schur->diagonal);
    if (quasi_side(solver->problem, e, 1 - s)->solved) {
      reduce_block(e, j, s, 1 - s, schur->coupling);
    }
    for (int i = 6 * s; i < 6 * s + QUASI_DOF; i++) {
      memcpy(e->own_columns[i], j[i] + 12, (size_t)e->rows * sizeof(double));
    }
  }
  reduce_rhs(solver, e);
}

/* ---- assembly --------------------------------------------------------------------------- */

static void rotation_jacobians_chunk(void *context, int first, int end) {
  ff_quasi_rotation_jacobians(((const quasi_solver *)context)->problem, first, end);
}

/* Linearises elements and eliminates their unknowns while the Jacobian is at hand. */
static void linearise_chunk(void *context, int first, int end) {
  quasi_solver *solver = context;
  const quasi_problem *problem = solver->problem;
  ff_quasi_whole_pairs(problem, &first, &end);
  for (int k = first; k < end; k++) {
    quasi_element *e = problem->members[k];
    if (solver->stick_first && !e->idle && ff_quasi_stick_first(e)) {
      atomic_store(&solver->stuck, true);
    }
    e->key = solver->key;
    e->key.id = element_id(e);
    e->key.active_set = element_active_set(problem, e);
    for (int s = 0; s < 2; s++) {
      if (quasi_side(problem, e, s)->solved) {
        solver->schur[e->schur[s]].factor = e->key.factor;
        solver->schur[e->schur[s]].idle = e->idle;
      }
    }
  }
  ff_quasi_element_jacobians(problem, first, end, eliminate_element, solver);
}

/* Off-diagonal blocks of the matrix for the coupling of two bodies. They are stored with the body
 * that is eliminated first, which opens both. */
static void open_off_diagonals(quasi_solver *solver, quasi_element *e, int s) {
  const quasi_body *mine = quasi_side(solver->problem, e, s);
  const quasi_body *other = quasi_side(solver->problem, e, 1 - s);
  if (other->solved && !mine->link && !other->link &&
      ff_blocks_is_before(solver->blocks, mine->node, other->node)) {
    solver->schur[e->schur[s]].off_diagonal = ff_blocks_at(solver->blocks, mine->node, other->node);
    solver->schur[e->schur[1 - s]].off_diagonal =
        ff_blocks_at(solver->blocks, other->node, mine->node);
  }
}

static void add_schur_rhs(quasi_solver *solver, quasi_element *e, int s) {
  double *to = quasi_body_step(solver, quasi_side(solver->problem, e, s));
  ff_take_off(to, -1, solver->schur[e->schur[s]].rhs, QUASI_DOF);
}

static void add_schur(quasi_solver *solver, quasi_element *e, int s) {
  enum { NUMBERS = QUASI_DOF * QUASI_DOF };
  const quasi_problem *problem = solver->problem;
  const quasi_body *mine = quasi_side(problem, e, s), *other = quasi_side(problem, e, 1 - s);
  quasi_schur *schur = &solver->schur[e->schur[s]];
  if (mine->link) {
    ff_quasi_add_link_block(problem, solver->blocks, mine, mine, schur->diagonal);
  } else {
    ff_take_off(ff_blocks_at(solver->blocks, mine->node, mine->node), -1, schur->diagonal[0],
                NUMBERS);
  }
  if (other->solved && (mine->link || other->link)) {
    ff_quasi_add_link_block(problem, solver->blocks, mine, other, schur->coupling);
  } else if (other->solved) {
    ff_take_off(schur->off_diagonal, -1, schur->coupling[0], NUMBERS);
  }
  add_schur_rhs(solver, e, s);
}

void ff_quasi_inertia_block(const quasi_solver *solver, const quasi_body *body, double *block) {
  const ff_model_body *of = &solver->problem->model->bodies[body->id];
  ff_vec3 inertia = of->inertia; /* a body without shape has no bound */
  double gyration = sqrt(greater(inertia.x, greater(inertia.y, inertia.z)) / of->mass);
  double unit = of->mass * greater(of->bound, gyration);
  double *units = ff_blocks_units(solver->blocks, body->node);
  for (int k = 0; k < QUASI_DOF; k++) {
    block[7 * k] = k < 3 ? of->mass : 1;
    units[2 * k] = k < 3 ? of->mass : unit;
    units[2 * k + 1] = k < 3 ? 1 : unit;
  }
}

static void start_rhs(quasi_solver *solver) {
  const quasi_problem *problem = solver->problem;
  for (int i = 0; i < problem->node_count; i++) {
    int node = problem->solved_nodes[i], row = ff_blocks_row(solver->blocks, node);
    int size = ff_mover_size(problem->model, node);
    for (int k = row; k < row + size; k++) {
      solver->step[k] = -solver->r[k];
    }
  }
}

/* Matrix and right-hand side of an island that is not large. */
static void assemble_small(quasi_solver *solver) {
  const quasi_problem *problem = solver->problem;
  for (int i = 0; i < problem->node_count; i++) {
    int node = problem->solved_nodes[i], robot = quasi_node_robot(problem, node);
    double *block = ff_blocks_at(solver->blocks, node, node);
    if (robot < 0) {
      ff_quasi_inertia_block(solver, quasi_node_body(problem, node), block);
      continue;
    }
    ff_quasi_robot_jacobian(problem, robot, block);
    for (int k = 0; k < 2 * ff_mover_size(problem->model, node); k++) {
      ff_blocks_units(solver->blocks, node)[k] = 1;
    }
  }
  start_rhs(solver);
  quasi_for_sides(solver, add_schur);
  for (int i = 0; i < problem->node_count; i++) {
    int node = problem->solved_nodes[i], robot = quasi_node_robot(problem, node);
    if (robot >= 0) {
      ff_quasi_reduce_links(problem, robot, ff_blocks_at(solver->blocks, node, node),
                            solver->step + ff_blocks_row(solver->blocks, node));
    }
  }
}

/* ---- steps ------------------------------------------------------------------------------ */

/* Steps of the elements' unknowns by back substitution. */
static void step_elements_chunk(void *context, int first, int end) {
  quasi_solver *solver = context;
  const quasi_problem *problem = solver->problem;
  for (int n = first; n < end; n++) {
    quasi_element *e = problem->members[n];
    const double *d[2];
    for (int s = 0; s < 2; s++) {
      const quasi_body *body = quasi_side(problem, e, s);
      d[s] = body->solved ? quasi_body_step(solver, body) : NULL;
    }
    for (int i = 0; i < e->rows; i++) {
      double step = e->idle ? 0 : -e->offset[i];
      for (int s = 0; s < 2 && !e->idle; s++) {
        step -= d[s] ? ff_dot(e->reduced[i] + 6 * s, d[s], QUASI_DOF) : 0;
      }
      e->dz[i] = step;
    }
  }
}

/* Solves with the factors; with incomplete ones as precisely as the residual asks for. False: GMRES
 * did not converge. */
static bool solve_factored(quasi_solver *solver, bool approximate, double residual) {
  const quasi_problem *problem = solver->problem;
  double tolerance = greater(100 * residual, greater(TIGHT, lesser(AIM / residual, 0.1)));
  if (!approximate || residual > ROUGH) {
    ff_blocks_solve(solver->blocks, solver->step, *solver->team);
  } else if (!ff_quasi_krylov_solve(solver, tolerance)) {
    return false;
  }
  for (int i = 0; i < problem->node_count; i++) {
    int node = problem->solved_nodes[i], robot = quasi_node_robot(problem, node);
    if (robot >= 0) {
      ff_quasi_expand_links(problem, robot, solver->step + ff_blocks_row(solver->blocks, node));
    }
  }
  quasi_for_chunks(solver, step_elements_chunk, problem->member_count);
  return true;
}

bool ff_quasi_newton_step(quasi_solver *solver, bool approximate, double residual) {
  const quasi_problem *problem = solver->problem;
  bool shared = problem->member_count > problem->node_count;
  solver->regularisation =
      shared ? greater(REGULARISATION, SHARED_LOAD * lesser(residual, 1)) : REGULARISATION;
  solver->factors++;
  solver->key = (quasi_factor_key){/* of robots: not reusable, the links' blocks are overwritten */
                                   .factor = quasi_has_robot(problem) ? 0 : solver->factors,
                                   .nodes = problem->node_count,
                                   .elements = problem->member_count,
                                   .approximate = approximate};
  solver->iterations++;
  ff_effort += 10 * (problem->member_count + problem->node_count);
  ff_blocks_clear(solver->blocks, problem->solved_nodes, problem->node_count);
  atomic_store_explicit(&solver->singular, false, memory_order_relaxed);
  atomic_store_explicit(&solver->stuck, false, memory_order_relaxed);
  quasi_for_chunks(solver, rotation_jacobians_chunk, problem->node_count);
  quasi_for_chunks(solver, linearise_chunk, problem->member_count);
  bool good = !atomic_load(&solver->singular);
  if (good && problem->node_count > 1) {
    quasi_for_sides(solver, open_off_diagonals);
  }
  if (good && problem->is_large) {
    ff_quasi_assemble_large(solver, false);
  } else if (good) {
    assemble_small(solver);
  }
  if (good && ff_blocks_factor(solver->blocks, approximate ? DROPPED : 0, *solver->team) &&
      solve_factored(solver, approximate, residual)) {
    return true;
  }
  solver->first_factor = solver->factors + 1;
  return false;
}

static void reduce_rhs_chunk(void *context, int first, int end) {
  quasi_solver *solver = context;
  for (int k = first; k < end; k++) {
    if (!solver->problem->members[k]->idle) {
      reduce_rhs(solver, solver->problem->members[k]);
    }
  }
}

bool ff_quasi_reused_step(quasi_solver *solver, double residual) {
  const quasi_problem *problem = solver->problem;
  solver->iterations++;
  ff_blocks_choose(solver->blocks, problem->solved_nodes, problem->node_count);
  quasi_for_chunks(solver, reduce_rhs_chunk, problem->member_count);
  if (problem->is_large) {
    ff_quasi_assemble_large(solver, true);
  } else {
    start_rhs(solver);
    quasi_for_sides(solver, add_schur_rhs);
  }
  return solve_factored(solver, problem->members[0]->key.approximate, residual);
}
