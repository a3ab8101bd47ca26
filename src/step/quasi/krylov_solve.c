/* The linear problem of a heap.
 *
 * Elimination joins ever more bodies, and factors grow faster than the heap. But what a body does
 * to others far away, through many between, is little: products of blocks that are not much more
 * than inertia are left out of the factors, and what is left grows with the heap. Such factors
 * solve the problem to a few per cent, and a few more solutions with them as well as is needed
 * (solve/krylov.h).
 */
#include "math/pairs.h"
#include "step/quasi/quasi_rigid.h"

#include <string.h>

/* The unknowns of its bodies, one after the other. */
static void gather(const ff_quasi *quasi, const double *from, double *to) {
  for (int i = 0; i < quasi->node_count; i++) {
    const double *mine = from + ff_blocks_row(quasi->blocks, quasi->solved_nodes[i]);
    memcpy(to + FF_QUASI_BODY * i, mine, FF_QUASI_BODY * sizeof *to);
  }
}

static void scatter(const ff_quasi *quasi, const double *from, double *to) {
  for (int i = 0; i < quasi->node_count; i++) {
    double *mine = to + ff_blocks_row(quasi->blocks, quasi->solved_nodes[i]);
    memcpy(mine, from + FF_QUASI_BODY * i, FF_QUASI_BODY * sizeof *to);
  }
}

/* ---- the matrix -----------------------------------------------------------------------------
 *
 * Row by row: of each body its block on the diagonal, and next to one another what is left of its
 * elements.
 */

/* What the steps of a body are to make up for. */
static void find_right(ff_quasi *quasi, int node) {
  int row = ff_blocks_row(quasi->blocks, node);
  double right[FF_QUASI_BODY];
  for (int k = 0; k < FF_QUASI_BODY; k++) {
    right[k] = -quasi->r[row + k];
  }
  for (int p = quasi->first_side[node]; p < quasi->first_side[node + 1]; p++) {
    const ff_quasi_left *left = &quasi->lefts[quasi->first_left + p];
    if (!left->idle) {
      ff_take_off(right, -1, left->right, FF_QUASI_BODY);
    }
  }
  memcpy(quasi->step + row, right, sizeof right);
}

static void find_rights(ff_quasi *quasi, int first, int end) {
  for (int i = first; i < end; i++) {
    find_right(quasi, quasi->solved_nodes[i]);
  }
}

void ff_quasi_add_rights(ff_quasi *quasi) {
  ff_quasi_share(quasi, find_rights, quasi->node_count);
}

static void find_blocks(ff_quasi *quasi, int first, int end) {
  enum { NUMBERS = FF_QUASI_BODY * FF_QUASI_BODY };
  for (int i = first; i < end; i++) {
    int node = quasi->solved_nodes[i];
    double *own = quasi->heap_own[node][0];
    memset(own, 0, NUMBERS * sizeof *own);
    ff_quasi_start_block(quasi, ff_quasi_node(quasi, node), own);
    for (int p = quasi->first_side[node]; p < quasi->first_side[node + 1]; p++) {
      const ff_quasi_left *left = &quasi->lefts[quasi->first_left + p];
      if (left->idle) {
        continue;
      }
      ff_take_off(own, -1, left->own[0], NUMBERS);
      if (quasi->across[p] >= 0) {
        ff_take_off(left->between, -1, left->other[0], NUMBERS);
      }
    }
    memcpy(ff_blocks_at(quasi->blocks, node, node), own, NUMBERS * sizeof *own);
    find_right(quasi, node);
  }
}

void ff_quasi_add_lefts(ff_quasi *quasi) {
  ff_quasi_share(quasi, find_blocks, quasi->node_count);
}

static inline void add_times(double out[6], double block[6][6], const double *x) {
  for (int i = 0; i < FF_QUASI_BODY; i++) {
    out[i] += ff_dot(block[i], x, FF_QUASI_BODY);
  }
}

static void times_rows(ff_quasi *quasi, int first, int end) {
  const double *x = quasi->heap_x;
  for (int i = first; i < end; i++) {
    int node = quasi->solved_nodes[i];
    double sum[6] = {0};
    add_times(sum, quasi->heap_own[node], x + FF_QUASI_BODY * i);
    for (int p = quasi->first_side[node]; p < quasi->first_side[node + 1]; p++) {
      ff_quasi_left *left = &quasi->lefts[quasi->first_left + p];
      if (quasi->across[p] >= 0 && !left->idle) {
        add_times(sum, left->other, x + quasi->across[p]);
      }
    }
    memcpy(quasi->heap_out + FF_QUASI_BODY * i, sum, sizeof sum);
  }
}

/* ---- its solution ---------------------------------------------------------------------------- */

static void times(void *context, const double *x, double *out) {
  ff_quasi *quasi = context;
  quasi->heap_x = x;
  quasi->heap_out = out;
  ff_quasi_share(quasi, times_rows, quasi->node_count);
}

static void divide(void *context, double *x) {
  ff_quasi *quasi = context;
  scatter(quasi, x, quasi->step);
  ff_blocks_solve(quasi->blocks, quasi->step, *quasi->team);
  gather(quasi, quasi->step, x);
}

/* Momenta are weighed by the energy that they are of a body as large as it reaches. */
bool ff_quasi_solve_heap(ff_quasi *quasi, double tolerance) {
  for (int i = 0; i < quasi->node_count; i++) {
    const ff_quasi_body *body = ff_quasi_node(quasi, quasi->solved_nodes[i]);
    const ff_model_body *model = &quasi->model->bodies[body->id];
    for (int k = 0; k < FF_QUASI_BODY; k++) {
      double unit = model->mass * (k < 3 ? 1 : model->bound);
      quasi->heap_weights[FF_QUASI_BODY * i + k] = model->mass / (unit * unit);
    }
  }
  ff_krylov_problem problem = {.context = quasi,
                               .size = FF_QUASI_BODY * quasi->node_count,
                               .weights = quasi->heap_weights,
                               .times = times,
                               .divide = divide};
  gather(quasi, quasi->step, quasi->heap);
  bool good = ff_krylov_solve(quasi->krylov, &problem, quasi->heap, tolerance);
  scatter(quasi, quasi->heap, quasi->step);
  return good;
}
