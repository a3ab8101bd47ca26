/* Workspace of the quasi-rigid stepper: all memory, allocated when it is created. */
#include "base/memory.h"
#include "math/elementary.h"
#include "step/quasi/step.h"

#include <string.h>

enum { FILL = 12 }; /* off-diagonal blocks of the factors per node, in a small graph */

/* Unknowns of all nodes. */
static int count_unknowns(const quasi_problem *problem) {
  int rows = 0;
  for (int node = 0; node < problem->node_limit; node++) {
    rows += ff_mover_size(problem->model, node);
  }
  return rows;
}

/* Can two nodes be part of one island? */
static bool nodes_may_connect(const ff_model *model) {
  return model->free_pairs_touch || model->constraint_count > 0;
}

static bool islands_may_be_large(const ff_model *model) {
  return model->free_count >= QUASI_LARGE && nodes_may_connect(model);
}

/* Block matrix with capacity for the factors of a three-dimensional pile: they grow with the 4/3rd
 * power of the bodies. */
static ff_status create_block_matrix(quasi_step *step) {
  const quasi_problem *problem = &step->problem;
  const ff_model *model = problem->model;
  double n = problem->node_limit;
  bool connected = nodes_may_connect(model);
  double pairs = connected ? FILL * n + 6 * ff_pow(n, 4.0 / 3) : 0;
  pairs = fmin(pairs, 0.5 * n * (n - 1));
  if (pairs > 1e7) {
    return FF_ERROR_MEMORY;
  }
  size_t block = QUASI_DOF * QUASI_DOF, before = QUASI_DOF * (size_t)model->free_count;
  ff_blocks_limits limits = {.nodes = problem->node_limit,
                             .rows = count_unknowns(problem),
                             .edges = problem->contact_capacity + model->constraint_count,
                             .pairs = (int)pairs,
                             .numbers = block * ((size_t)n + 2 * (size_t)pairs)};
  for (int r = 0; r < model->robot_count; r++) { /* with all that they may touch */
    size_t own = (size_t)model->robots[r].v_count;
    limits.numbers += own * own + (connected ? 2 * own * before : 0);
    before += own;
  }
  return ff_blocks_create(&step->solver.blocks, &limits);
}

/* Arrays that the number of contacts has no part in. */
static bool allocate_arrays(quasi_step *step) {
  quasi_problem *problem = &step->problem;
  quasi_solver *solver = &step->solver;
  const ff_model *model = problem->model;
  size_t bodies = (size_t)model->body_count, nodes = (size_t)problem->node_limit;
  size_t free = (size_t)model->free_count, constraints = (size_t)model->constraint_count;
  size_t rows = (size_t)count_unknowns(problem);
  bool large = islands_may_be_large(model);
  size_t large_rows = large ? QUASI_DOF * free : 0;
  const ff_arena_array arrays[] = {
      FF_ARRAY(problem->bodies, bodies),
      FF_ARRAY(problem->constraints, constraints),
      FF_ARRAY(problem->nodes, nodes),
      FF_ARRAY(problem->parent, nodes),
      FF_ARRAY(problem->is_crowd, nodes),
      FF_ARRAY(problem->first_node, nodes + 2),
      FF_ARRAY(problem->first_element, nodes + 2),
      FF_ARRAY(solver->first_side, nodes + 2),
      FF_ARRAY(solver->diagonal, large ? free : 0),
      FF_ARRAY(solver->x, rows),
      FF_ARRAY(solver->r, rows),
      FF_ARRAY(solver->base, rows),
      FF_ARRAY(solver->step, rows),
      FF_ARRAY(solver->best, rows),
      FF_ARRAY(solver->krylov_x, large_rows),
      FF_ARRAY(solver->krylov_weights, large_rows),
      FF_ARRAY(step->predictor, 2 * free),
      FF_ARRAY(solver->row_scale, 2 * nodes),
      FF_ARRAY(step->ledger, FF_Y_LEDGER),
  };
  return ff_arena_take_all(&step->arena, arrays, sizeof arrays / sizeof arrays[0]) &&
         ff_quasi_create_robots(problem, &step->arena);
}

/* Those with an element for each contact point or pair. */
static bool allocate_contact_arrays(quasi_step *step) {
  quasi_problem *problem = &step->problem;
  quasi_solver *solver = &step->solver;
  const ff_model *model = problem->model;
  size_t contacts = (size_t)problem->contact_capacity;
  size_t pairs = (size_t)problem->state->near_capacity;
  size_t elements = contacts + (size_t)model->constraint_count;
  size_t large_sides = islands_may_be_large(model) ? 2 * elements : 0;
  const ff_arena_array arrays[] = {
      FF_ARRAY(problem->contacts, contacts),
      FF_ARRAY(step->results, contacts),
      FF_ARRAY(problem->elements, elements),
      FF_ARRAY(solver->sides, large_sides),
      FF_ARRAY(solver->across, large_sides),
      FF_ARRAY(solver->schur, 2 * elements),
      FF_ARRAY(solver->norms, elements / QUASI_CHUNK + 1),
      FF_ARRAY(step->backup_nears, pairs),
      FF_ARRAY(step->backup_points, contacts),
      FF_ARRAY(step->backup_layers, contacts),
      FF_ARRAY(step->wanted, pairs),
  };
  return ff_arena_take_all(&step->contact_arena, arrays, sizeof arrays / sizeof arrays[0]);
}

/* What depends on the capacity for contacts; on failure some of it. */
static ff_status make_contact_room(quasi_step *step) {
  quasi_problem *problem = &step->problem;
  step->contact_arena = (ff_arena){0};
  step->solver.blocks = NULL;
  problem->contact_capacity = problem->state->point_capacity;
  problem->grouped_contacts = -1;
  ff_status status = allocate_contact_arrays(step) ? create_block_matrix(step) : FF_ERROR_MEMORY;
  return status == FF_OK ? ff_quasi_create_crowd(&step->crowd, &step->contact_arena, problem->model,
                                                 problem->contact_capacity)
                         : status;
}

static void drop_contact_room(quasi_step *step) {
  ff_blocks_destroy(step->solver.blocks);
  ff_arena_free(&step->contact_arena);
}

ff_status ff_quasi_grow(ff_work *work) {
  quasi_step *step = work->quasi, before = *step;
  ff_status status = make_contact_room(step);
  if (status != FF_OK) {
    drop_contact_room(step);
    *step = before;
    return status;
  }
  if (step->has_backup) {
    memcpy(step->backup_nears, before.backup_nears,
           (size_t)before.backup_count * sizeof *step->backup_nears);
    memcpy(step->backup_points, before.backup_points,
           (size_t)before.problem.contact_capacity * sizeof *step->backup_points);
    memcpy(step->backup_layers, before.backup_layers,
           (size_t)before.problem.contact_capacity * sizeof *step->backup_layers);
  }
  step->solver.first_factor = step->solver.factors + 1; /* none is left */
  drop_contact_room(&before);
  return FF_OK;
}

void ff_quasi_destroy(ff_work *work) {
  quasi_step *step = work->quasi;
  if (step) {
    drop_contact_room(step);
    ff_krylov_destroy(step->solver.krylov);
    ff_arena_free(&step->arena);
    ff_free(step);
    work->quasi = NULL;
  }
}

ff_status ff_quasi_create(ff_work *work) {
  const ff_model *model = work->model;
  quasi_step *step = ff_alloc(1, sizeof *step);
  if (!step) {
    return FF_ERROR_MEMORY;
  }
  work->quasi = step;
  *step = (quasi_step){
      .problem = {.model = model, .state = work->state},
      .solver = {.problem = &step->problem, .cancelled = &work->cancelled, .team = &work->team},
      .info = &work->solver,
      .failure = &work->trouble};
  quasi_problem *problem = &step->problem;
  problem->node_limit = ff_mover_count(model);
  step->autonomous = ff_quasi_is_autonomous(model);
  quasi_solver *solver = &step->solver;
  if (!allocate_arrays(step)) {
    return FF_ERROR_MEMORY;
  }
  ff_status status = make_contact_room(step);
  if (status == FF_OK && islands_may_be_large(model)) {
    status = ff_krylov_create(&solver->krylov, QUASI_DOF * model->free_count);
  }
  return status;
}
