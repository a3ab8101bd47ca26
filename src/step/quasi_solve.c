/* The ways to the solution of an island, in the order in which they pay.
 *
 * Newton's method from what the steps before lead to expect; from free flight; an island of one
 * body along the path of quasi_path.c, small islands by the dense solver of ncp.h, one body again
 * from anywhere; large ones without friction first, with more and more of it then. Of steps that
 * Newton's method does not solve, the dense solver does nine of ten, and where it fails with
 * several bodies nothing else was found to help but a smaller step.
 */
#include "math/vec.h"
#include "step/quasi_rigid.h"

#include <string.h>

#define SOFT        1e-4 /* tangential give of contacts that share a load in more ways than one; */
#define SOFT_AS     0.1  /* in heaps also as much of what the layer gives way along the normal, */
#define SOFT_AT_ALL 0.05 /* but no more */

/* ---- what is solved ------------------------------------------------------------------------- */

/* A body, or the links of a robot. */
static void set_solved(ff_quasi *quasi, int node, bool solved) {
  int r = ff_quasi_robot_of(quasi, node);
  if (r < 0) {
    ff_quasi_node(quasi, node)->solved = solved;
    return;
  }
  const ff_model_robot *robot = &quasi->model->robots[r];
  for (int i = robot->first_body; i < robot->first_body + robot->link_count; i++) {
    quasi->bodies[i].solved = solved && quasi->bodies[i].link;
  }
}

static void choose(ff_quasi *quasi, const int *nodes, int node_count, ff_quasi_element **members,
                   int member_count) {
  for (int i = 0; i < quasi->node_count; i++) {
    set_solved(quasi, quasi->solved_nodes[i], false);
  }
  quasi->solved_nodes = nodes;
  quasi->node_count = node_count;
  quasi->members = members;
  quasi->member_count = member_count;
  quasi->is_heap = quasi->krylov && node_count >= FF_QUASI_HEAP && !ff_quasi_has_robot(quasi);
  for (int i = 0; i < node_count; i++) {
    set_solved(quasi, nodes[i], true);
  }
}

/* kg */
static double heaviest_of(const ff_quasi *quasi) {
  double heaviest = 0;
  for (int i = 0; i < quasi->node_count; i++) {
    const ff_quasi_body *body = ff_quasi_node(quasi, quasi->solved_nodes[i]);
    heaviest = greater(heaviest, body ? quasi->model->bodies[body->id].mass : 0);
  }
  return heaviest;
}

static void choose_island(ff_quasi *quasi, int island) {
  const int *node = quasi->first_node + island, *element = quasi->first_element + island;
  choose(quasi, quasi->nodes + node[0], node[1] - node[0], quasi->elements + element[0],
         element[1] - element[0]);
  quasi->first_left = 2 * element[0];
  quasi->heaviest = heaviest_of(quasi);
  ff_quasi_list_sides(quasi);
}

/* NULL: it is a joint. */
static ff_quasi_contact *contact_of(ff_quasi_element *element) {
  return element->joint ? NULL : (ff_quasi_contact *)element;
}

/* ---- where to start ---------------------------------------------------------------------------
 */

/* Velocity or momentum at the end if contacts and constraints do what they did in the steps before:
 * of free flight, and what they gave. */
static ff_vec3 go_on(const ff_quasi *quasi, ff_vec3 flown, const ff_predictor *gain) {
  return v3_axpy(flown, quasi->h, ff_predictor_next(gain, ff_predictor_order(gain)));
}

/* From free flight, or from what the look before found, or the steps before lead to expect. */
static void start_from(ff_quasi *quasi, bool warm) {
  bool known = quasi->gain_end == quasi->state->t;
  for (int i = 0; i < quasi->node_count; i++) {
    int node = quasi->solved_nodes[i];
    double *x = quasi->x + ff_blocks_row(quasi->blocks, node);
    const ff_quasi_body *body = ff_quasi_node(quasi, node);
    if (!body) {
      ff_quasi_start_robot(quasi, ff_quasi_robot_of(quasi, node), warm, x);
      continue;
    }
    ff_vec3 v = warm ? body->v0 : body->v, l = warm ? body->l0 : body->l;
    if (warm && quasi->looked) {
      v = body->found_v;
      l = body->found_l;
    } else if (warm && known) {
      v = go_on(quasi, body->v, &quasi->gain[2 * node]);
      l = go_on(quasi, body->l, &quasi->gain[2 * node + 1]);
    }
    v3_store(x, v);
    v3_store(x + 3, l);
  }
  for (int k = 0; k < quasi->member_count; k++) {
    ff_quasi_element *e = quasi->members[k];
    for (int i = 0; i < e->rows; i++) {
      e->z[i] = warm ? e->guess[i] : 0;
    }
  }
}

void ff_quasi_start_free(ff_quasi *quasi) {
  start_from(quasi, false);
}

/* ---- more and more friction
 * -------------------------------------------------------------------------
 */

static void copy_unknowns(ff_quasi *quasi, bool keep) {
  for (int i = 0; i < quasi->node_count; i++) {
    int node = quasi->solved_nodes[i], row = ff_blocks_row(quasi->blocks, node);
    double *from = keep ? quasi->x : quasi->best, *to = keep ? quasi->best : quasi->x;
    memcpy(to + row, from + row, (size_t)ff_mover_size(quasi->model, node) * sizeof *to);
  }
  for (int k = 0; k < quasi->member_count; k++) {
    ff_quasi_element *e = quasi->members[k];
    memcpy(keep ? e->good : e->z, keep ? e->z : e->good, sizeof e->z);
  }
}

bool ff_quasi_ramp(ff_quasi *quasi) {
  double good = -1, stride = 0.2;
  while (good < 1 && stride > 1e-3 && !ff_quasi_must_end(quasi)) {
    quasi->rough = good < 0 ? 0 : fmin(good + stride, 1);
    if (ff_quasi_newton(quasi)) {
      good = quasi->rough;
      stride *= 1.5;
      copy_unknowns(quasi, true);
    } else if (good < 0) {
      break;
    } else {
      stride *= 0.4;
      copy_unknowns(quasi, false);
    }
  }
  quasi->rough = 1;
  return good == 1;
}

/* ---- the dense problem
 * ------------------------------------------------------------------------------
 */

/* Takes z over: bodies first, then elements. */
static void take(ff_quasi *quasi, const double *z) {
  for (int i = 0; i < quasi->node_count; i++) {
    ff_quasi_body *body = ff_quasi_node(quasi, quasi->solved_nodes[i]);
    double *x = quasi->x + ff_blocks_row(quasi->blocks, body->node);
    memcpy(x, z + FF_QUASI_BODY * i, FF_QUASI_BODY * sizeof *x);
    ff_quasi_move(quasi, body, v3_load(x), v3_load(x + 3));
    body->column = FF_QUASI_BODY * i;
  }
  for (int k = 0; k < quasi->member_count; k++) {
    ff_quasi_element *e = quasi->members[k];
    memcpy(e->z, z + e->unknown, (size_t)e->rows * sizeof *z);
  }
}

int ff_quasi_residual(void *context, const double *z, double *f) {
  ff_quasi *quasi = context;
  if (ff_quasi_must_end(quasi)) {
    return 1;
  }
  ff_effort += 5 * quasi->member_count;
  take(quasi, z);
  ff_quasi_rows(quasi, 0, quasi->member_count);
  for (int i = 0; i < quasi->node_count; i++) {
    const ff_quasi_body *body = ff_quasi_node(quasi, quasi->solved_nodes[i]);
    double mass = quasi->model->bodies[body->id].mass;
    v3_store(f + body->column, v3_scale(mass, v3_sub(body->end.velocity, body->v)));
    v3_store(f + body->column + 3, v3_sub(body->momentum, body->l));
  }
  for (int k = 0; k < quasi->member_count; k++) {
    const ff_quasi_element *e = quasi->members[k];
    for (int s = 0; s < 2; s++) {
      const ff_quasi_body *body = &quasi->bodies[s == 0 ? e->a : e->b];
      for (int i = 0; body->solved && i < FF_QUASI_BODY; i++) {
        f[body->column + i] += e->f[6 * s + i];
      }
    }
    memcpy(f + e->unknown, e->f + 12, (size_t)e->rows * sizeof *f);
  }
  return 0;
}

/* Places of an element's columns in the dense problem; -1: none. */
static void columns_of(const ff_quasi *quasi, const ff_quasi_element *e, int *to) {
  for (int i = 0; i < 12 + e->rows; i++) {
    const ff_quasi_body *body = &quasi->bodies[i < 6 ? e->a : e->b];
    to[i] = i >= 12 ? e->unknown + i - 12 : body->solved ? body->column + i % 6 : -1;
  }
}

/* The dense problem, which takes the derivatives of elements. */
typedef struct dense {
  const ff_quasi *quasi;
  double *j; /* by columns */
} dense;

static void take_dense(void *context, ff_quasi_element *e, ff_quasi_matrix j) {
  const dense *of = context;
  size_t n = (size_t)of->quasi->size;
  int to[FF_QUASI_ROWS];
  columns_of(of->quasi, e, to);
  for (int i = 0; i < 12 + e->rows; i++) {
    for (int k = 0; k < 12 + e->rows; k++) {
      if (to[i] >= 0 && to[k] >= 0) {
        of->j[(size_t)to[k] * n + (size_t)to[i]] += j[i][k];
      }
    }
  }
}

int ff_quasi_jacobian(void *context, const double *z, double *j) {
  ff_quasi *quasi = context;
  size_t n = (size_t)quasi->size;
  if (ff_quasi_must_end(quasi)) {
    return 1;
  }
  ff_effort += 15 * quasi->member_count +
               quasi->size * quasi->size * quasi->size / 200; /* who asks factors it */
  take(quasi, z);
  memset(j, 0, n * n * sizeof *j);
  for (int i = 0; i < quasi->node_count; i++) {
    const ff_quasi_body *body = ff_quasi_node(quasi, quasi->solved_nodes[i]);
    for (int k = 0; k < FF_QUASI_BODY; k++) {
      size_t at = (size_t)(body->column + k);
      j[at * n + at] = k < 3 ? quasi->model->bodies[body->id].mass : 1;
    }
  }
  ff_quasi_rows(quasi, 0, quasi->member_count);
  ff_quasi_turns(quasi);
  ff_quasi_columns(quasi, 0, quasi->member_count, take_dense, &(dense){.quasi = quasi, .j = j});
  for (int m = 0; m < quasi->member_count; m++) {
    const ff_quasi_element *e = quasi->members[m];
    for (int i = e->unknown; e->idle && i < e->unknown + e->rows; i++) {
      j[(size_t)i * n + (size_t)i] = 1 / e->mass;
    }
  }
  return 0;
}

/* Lays it out; false: it is too large. */
static bool lay_out(ff_quasi *quasi) {
  int size = FF_QUASI_BODY * quasi->node_count;
  for (int k = 0; k < quasi->member_count; k++) {
    quasi->members[k]->unknown = size;
    size += quasi->members[k]->rows;
  }
  if (size > quasi->unknown_limit || ff_quasi_has_robot(quasi)) {
    return false;
  }
  quasi->size = size;
  for (int i = 0; i < FF_QUASI_BODY * quasi->node_count; i++) {
    quasi->lower[i] = -INFINITY;
  }
  for (int k = 0; k < quasi->member_count; k++) {
    const ff_quasi_element *e = quasi->members[k];
    memcpy(quasi->lower + e->unknown, e->lower, (size_t)e->rows * sizeof(double));
  }
  return true;
}

/* With another solver, that goes on where descent ends. */
static bool solve_dense(ff_quasi *quasi) {
  start_from(quasi, true);
  for (int i = 0; i < FF_QUASI_BODY * quasi->node_count; i++) {
    int node = quasi->solved_nodes[i / FF_QUASI_BODY];
    quasi->z[i] = quasi->x[ff_blocks_row(quasi->blocks, node) + i % FF_QUASI_BODY];
  }
  for (int k = 0; k < quasi->member_count; k++) {
    const ff_quasi_element *e = quasi->members[k];
    memcpy(quasi->z + e->unknown, e->z, (size_t)e->rows * sizeof(double));
  }
  if (ff_ncp_resize(quasi->ncp, quasi->size, quasi->lower, NULL) != FF_OK ||
      ff_ncp_solve(quasi->ncp, quasi->z).outcome != FF_NCP_SOLVED) {
    return false;
  }
  take(quasi, quasi->z);
  return ff_quasi_newton(quasi); /* judges it, and goes the last bit */
}

/* ---- one way after the other
 * -------------------------------------------------------------------------
 */

static bool solve_somehow(ff_quasi *quasi) {
  bool alone = quasi->node_count == 1;
  start_from(quasi, true);
  if (ff_quasi_newton(quasi)) {
    return true;
  }
  /* hard ones may have more than one solution, and some of one body throw it off */
  start_from(quasi, false);
  if (ff_quasi_newton(quasi) && !(alone && ff_quasi_is_thrown(quasi))) {
    return true;
  }
  if (lay_out(quasi)) {
    return (alone && ff_quasi_follow(quasi) && !ff_quasi_is_thrown(quasi)) ||
           (solve_dense(quasi) && !(alone && ff_quasi_is_thrown(quasi))) ||
           (alone && ff_quasi_start_anywhere(quasi));
  }
  start_from(quasi, true);
  return ff_quasi_ramp(quasi);
}

/* A problem that was solved, for the statistics. */
static void note(const ff_quasi *quasi) {
  ff_solver_info *info = quasi->info;
  info->problems++;
  info->iterations += quasi->iterations;
  info->most = quasi->iterations > info->most ? (int)quasi->iterations : info->most;
  info->residual = fmax(info->residual, quasi->off);
  info->fallbacks += quasi->tries > 1;
}

/* One that was not: by the rows of its elements that are farthest off where it was given up. */
static void blame(const ff_quasi *quasi) {
  ff_trouble *trouble = quasi->trouble;
  double worst = -1;
  *trouble = (ff_trouble){.kind = FF_TROUBLE_UNSOLVED, .a = -1, .b = -1};
  trouble->bodies = quasi->node_count;
  trouble->contacts = quasi->member_count;
  for (int k = 0; k < quasi->member_count; k++) {
    const ff_quasi_element *e = quasi->members[k];
    for (int i = 0; i < e->rows; i++) {
      double off = e->idle ? 0 : fabs(e->own[i]) / (e->size[i] + e->noise[i]);
      if (off > worst) {
        worst = off;
        trouble->a = e->a;
        trouble->b = e->b;
      }
    }
  }
}

/* Are two members contacts of the same two shapes? */
static bool are_alike(const ff_quasi *quasi, int k, int m) {
  if (m < 0 || m >= quasi->member_count) {
    return false;
  }
  const ff_quasi_contact *here = contact_of(quasi->members[k]);
  const ff_quasi_contact *there = contact_of(quasi->members[m]);
  return here && there && here->near == there->near;
}

/* How much friction gives way, of the change of its impulse. A heap is solved the sooner the softer
 * it is. Real layers shear as easily as they are pressed; a tenth of that is little, and does.
 * Not so between flat shapes: their places come and go, and what they hold with them. */
static double give_of(const ff_quasi *quasi, const ff_quasi_contact *contact) {
  if (quasi->member_count <= quasi->node_count) {
    return 0;
  }
  double presses = quasi->h * contact->state.slope[0] / contact->weight;
  bool soft = quasi->is_heap && !contact->fixed && SOFT_AS > SOFT * presses;
  return soft ? lesser(SOFT_AS / presses, SOFT_AT_ALL) : SOFT;
}

bool ff_quasi_solve(ff_quasi *quasi, int island) {
  choose_island(quasi, island);
  for (int k = 0; k < quasi->member_count; k++) {
    ff_quasi_contact *contact = contact_of(quasi->members[k]);
    if (contact) {
      contact->soft = give_of(quasi, contact);
      contact->e.shares = are_alike(quasi, k, k - 1) || are_alike(quasi, k, k + 1);
    }
  }
  quasi->iterations = quasi->tries = 0;
  quasi->rough = quasi->turns = 1;
  bool solved = ff_quasi_rest(quasi) || solve_somehow(quasi);
  if (solved) {
    note(quasi);
  } else {
    blame(quasi);
  }
  return solved;
}
