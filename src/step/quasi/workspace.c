/* All memory of the stepper, taken when it is made: no step takes any. */
#include "base/memory.h"
#include "step/quasi/quasi_rigid.h"

#include <string.h>

enum {
  UNKNOWN_LIMIT = 160, /* of an island that the dense solver is tried on */
  PATH_LIMIT = 40,     /* of one that paths are followed for */
  FILL = 12            /* blocks beside its own that a node of a small graph leaves behind */
};
#define TOLERANCE 1e-11 /* of the dense solver */

void ff_quasi_destroy(ff_work *work) {
  if (work->quasi) {
    ff_ncp_destroy(work->quasi->ncp);
    ff_linear_destroy(work->quasi->path.linear);
    ff_blocks_destroy(work->quasi->blocks);
    ff_krylov_destroy(work->quasi->krylov);
    ff_arena_free(&work->quasi->arena);
    ff_free(work->quasi);
    work->quasi = NULL;
  }
}

static ff_status create_ncp(ff_quasi *quasi) {
  ff_ncp_def def = ff_ncp_def_default();
  def.size = quasi->unknown_limit;
  def.residual = ff_quasi_residual;
  def.jacobian = ff_quasi_jacobian;
  def.context = quasi;
  def.method = FF_NCP_MIN;
  def.tolerance = TOLERANCE;
  def.max_iterations = 300;
  return ff_ncp_create(&quasi->ncp, &def, NULL);
}

/* Unknowns of all nodes. */
static int count_rows(const ff_quasi *quasi) {
  int rows = 0;
  for (int node = 0; node < quasi->node_limit; node++) {
    rows += ff_mover_size(quasi->model, node);
  }
  return rows;
}

/* Numbers in the blocks of robots, and with all that they may touch. */
static size_t robot_numbers(const ff_quasi *quasi, bool joined) {
  size_t before = FF_QUASI_BODY * (size_t)quasi->model->free_count, sum = 0;
  for (int r = 0; r < quasi->model->robot_count; r++) {
    size_t own = (size_t)quasi->model->robots[r].v_count;
    sum += own * own + (joined ? 2 * own * before : 0);
    before += own;
  }
  return sum;
}

/* Room for the factors of a heap in three dimensions: they grow with the 4/3rd power of it. */
static ff_status create_blocks(ff_quasi *quasi) {
  double n = quasi->node_limit;
  bool joined = quasi->model->free_pairs_touch || quasi->model->constraint_count > 0;
  double pairs = joined ? FILL * n + 6 * pow(n, 4.0 / 3) : 0;
  pairs = fmin(pairs, 0.5 * n * (n - 1));
  if (pairs > 1e7) {
    return FF_ERROR_MEMORY;
  }
  size_t block = FF_QUASI_BODY * FF_QUASI_BODY;
  ff_blocks_limits limits = {.nodes = quasi->node_limit,
                             .rows = count_rows(quasi),
                             .edges = quasi->contact_capacity + quasi->model->constraint_count,
                             .pairs = (int)pairs,
                             .numbers = block * ((size_t)n + 2 * (size_t)pairs)};
  limits.numbers += robot_numbers(quasi, joined);
  return ff_blocks_create(&quasi->blocks, &limits);
}

static bool may_heap(const ff_quasi *quasi) {
  return quasi->model->free_count >= FF_QUASI_HEAP &&
         (quasi->model->free_pairs_touch || quasi->model->constraint_count > 0);
}

static ff_status create_krylov(ff_quasi *quasi) {
  int rows = FF_QUASI_BODY * quasi->model->free_count;
  return may_heap(quasi) ? ff_krylov_create(&quasi->krylov, rows) : FF_OK;
}

static bool take_rooms(ff_quasi *quasi) {
  size_t bodies = (size_t)quasi->model->body_count, nodes = (size_t)quasi->node_limit;
  size_t contacts = (size_t)quasi->contact_capacity, unknowns = (size_t)quasi->unknown_limit;
  size_t free = (size_t)quasi->model->free_count;
  size_t rows = (size_t)count_rows(quasi), joints = (size_t)quasi->model->constraint_count;
  size_t heap = may_heap(quasi) ? FF_QUASI_BODY * free : 0;
  const struct {
    void **to;
    size_t count, size;
  } rooms[] = {
      {(void **)&quasi->bodies, bodies, sizeof *quasi->bodies},
      {(void **)&quasi->contacts, contacts, sizeof *quasi->contacts},
      {(void **)&quasi->found, contacts, sizeof *quasi->found},
      {(void **)&quasi->joints, joints, sizeof *quasi->joints},
      {(void **)&quasi->elements, contacts + joints, sizeof *quasi->elements},
      {(void **)&quasi->nodes, nodes, sizeof *quasi->nodes},
      {(void **)&quasi->island, nodes, sizeof *quasi->island},
      {(void **)&quasi->first_node, nodes + 2, sizeof *quasi->first_node},
      {(void **)&quasi->first_element, nodes + 2, sizeof *quasi->first_element},
      {(void **)&quasi->first_side, nodes + 2, sizeof *quasi->first_side},
      {(void **)&quasi->sides, heap > 0 ? 2 * (contacts + joints) : 0, sizeof *quasi->sides},
      {(void **)&quasi->across, heap > 0 ? 2 * (contacts + joints) : 0, sizeof *quasi->across},
      {(void **)&quasi->lefts, 2 * (contacts + joints), sizeof *quasi->lefts},
      {(void **)&quasi->heap_own, heap > 0 ? free : 0, sizeof *quasi->heap_own},
      {(void **)&quasi->x, rows, sizeof *quasi->x},
      {(void **)&quasi->r, rows, sizeof *quasi->r},
      {(void **)&quasi->base, rows, sizeof *quasi->base},
      {(void **)&quasi->step, rows, sizeof *quasi->step},
      {(void **)&quasi->best, rows, sizeof *quasi->best},
      {(void **)&quasi->heap, heap, sizeof *quasi->heap},
      {(void **)&quasi->heap_weights, heap, sizeof *quasi->heap_weights},
      {(void **)&quasi->offs, (contacts + joints) / FF_QUASI_PIECE + 1, sizeof *quasi->offs},
      {(void **)&quasi->gain, 2 * free, sizeof *quasi->gain},
      {(void **)&quasi->row_scale, 2 * nodes, sizeof *quasi->row_scale},
      {(void **)&quasi->z, unknowns, sizeof *quasi->z},
      {(void **)&quasi->lower, unknowns, sizeof *quasi->lower},
      {(void **)&quasi->held_nears, (size_t)quasi->state->near_capacity, sizeof(ff_near)},
      {(void **)&quasi->held_points, contacts, sizeof(ff_point)},
      {(void **)&quasi->booked, FF_Y_LEDGER, sizeof *quasi->booked},
      {(void **)&quasi->wanted, (size_t)quasi->state->near_capacity, sizeof *quasi->wanted},
  };
  for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++) {
    void *room = ff_arena_take(&quasi->arena, rooms[i].count, rooms[i].size);
    if (!room) {
      return false;
    }
    memcpy(rooms[i].to, &room, sizeof room);
  }
  return ff_quasi_make_robots(quasi);
}

ff_status ff_quasi_create(ff_work *work) {
  const ff_model *model = work->model;
  ff_quasi *quasi = ff_alloc(1, sizeof *quasi);
  if (!quasi) {
    return FF_ERROR_MEMORY;
  }
  work->quasi = quasi;
  *quasi = (ff_quasi){.model = model,
                      .state = work->state,
                      .info = &work->solver,
                      .cancelled = &work->cancelled,
                      .team = &work->team,
                      .trouble = &work->trouble};
  quasi->contact_capacity = work->state->point_capacity;
  quasi->node_limit = ff_mover_count(model);
  quasi->group_count = -1;
  double most =
      6.0 * model->free_count + 4.0 * quasi->contact_capacity + 6.0 * model->constraint_count;
  quasi->timeless = ff_quasi_is_timeless(model);
  quasi->unknown_limit = most < UNKNOWN_LIMIT ? (int)fmax(most, 1) : UNKNOWN_LIMIT;
  if (!take_rooms(quasi)) {
    return FF_ERROR_MEMORY;
  }
  ff_status status = create_blocks(quasi);
  status = status == FF_OK ? create_krylov(quasi) : status;
  int path = quasi->unknown_limit < PATH_LIMIT ? quasi->unknown_limit : PATH_LIMIT;
  status = status == FF_OK ? ff_quasi_make_path(quasi, path) : status;
  return status == FF_OK ? create_ncp(quasi) : status;
}
