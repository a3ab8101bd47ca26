/* The linear problem of a heap.
 *
 * Elimination joins ever more bodies, and factors grow faster than the heap. But what a body does
 * to others far away, through many between, is little: products of blocks that are not much more
 * than inertia are left out of the factors, and what is left grows with the heap. Such factors
 * solve the problem to a few per cent, and a few more solutions with them as well as is needed
 * (solve/krylov.h). What the matrix makes of a vector is put together from what is left of the
 * elements.
 */
#include "math/pairs.h"
#include "step/quasi_rigid.h"

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

/* What is left of an element makes of the unknowns of its bodies, in the rows of body s. */
static void times_side(ff_quasi *quasi, ff_quasi_element *e, int s) {
  const ff_quasi_body *pair[2] = {&quasi->bodies[e->a], &quasi->bodies[e->b]};
  double *out = quasi->heap_out + pair[s]->column;
  for (int t = 0; t < 2; t++) {
    const double *x = quasi->heap_x + pair[t]->column;
    for (int i = 0; pair[t]->solved && i < FF_QUASI_BODY; i++) {
      out[i] += ff_dot(e->j[6 * s + i] + 6 * t, x, FF_QUASI_BODY);
    }
  }
}

static void times(void *context, const double *x, double *out) {
  ff_quasi *quasi = context;
  for (int i = 0; i < quasi->node_count; i++) {
    const ff_quasi_body *body = ff_quasi_node(quasi, quasi->solved_nodes[i]);
    double mass = quasi->model->bodies[body->id].mass;
    for (int k = 0; k < FF_QUASI_BODY; k++) {
      out[body->column + k] = (k < 3 ? mass : 1) * x[body->column + k];
    }
  }
  quasi->heap_x = x;
  quasi->heap_out = out;
  ff_quasi_for_sides(quasi, times_side);
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
    ff_quasi_body *body = ff_quasi_node(quasi, quasi->solved_nodes[i]);
    const ff_model_body *model = &quasi->model->bodies[body->id];
    body->column = FF_QUASI_BODY * i;
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
