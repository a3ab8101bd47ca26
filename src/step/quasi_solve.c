/* Islands, one after the other, and the ways to a solution.
 *
 * Newton's method from the step before or from free flight, whichever is nearer; from the other;
 * from what sweeps over the bodies make of it, one body at a time with the others at rest; without
 * friction first, with more and more of it then; small islands along the path of quasi_path.c and
 * by the dense solver of ncp.h; all this, but for the path, again with friction weighed
 * differently.
 */
#include "math/vec.h"
#include "step/quasi_rigid.h"

#include <string.h>

enum { SWEEPS = 30 };
#define HOPELESS 1e-6 /* relative residual of a body that found no way, not for its rounding */
#define SAME     1e-3 /* change of that from sweep to sweep, relative, that is none */
#define SOFT     1e-4 /* tangential give of contacts that share a load in more ways than one */

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
  for (int i = 0; i < node_count; i++) {
    set_solved(quasi, nodes[i], true);
  }
}

static void choose_island(ff_quasi *quasi, int island) {
  const int *node = quasi->first_node + island, *element = quasi->first_element + island;
  choose(quasi, quasi->nodes + node[0], node[1] - node[0], quasi->elements + element[0],
         element[1] - element[0]);
}

/* NULL: it is a joint. */
static ff_quasi_contact *contact_of(ff_quasi_element *element) {
  return element->joint ? NULL : (ff_quasi_contact *)element;
}

/* ---- where to start ---------------------------------------------------------------------------
 */

/* Velocity or momentum at the end if contacts and constraints do what they did in the steps before:
 * of free flight, and what they gave. */
static ff_vec3 go_on(const ff_quasi *quasi, ff_vec3 flown, const ff_trend *gain) {
  return v3_axpy(flown, quasi->h, ff_trend_next(gain, ff_trend_order(gain)));
}

/* From free flight, or from what the steps before lead to expect. */
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
    v3_store(x, warm && known ? go_on(quasi, body->v, &quasi->gain[2 * node]) : v);
    v3_store(x + 3, warm && known ? go_on(quasi, body->l, &quasi->gain[2 * node + 1]) : l);
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

/* ---- sweeps
 * -------------------------------------------------------------------------------------- */

/* Which elements a node has. */
static void find_around(ff_quasi *quasi, int island) {
  choose_island(quasi, island);
  int *first = quasi->first_around, at = 0;
  for (int i = 0; i < quasi->node_count; i++) {
    int node = quasi->solved_nodes[i];
    first[i] = at;
    for (int k = 0; k < quasi->member_count; k++) {
      const ff_quasi_element *e = quasi->members[k];
      if (quasi->bodies[e->a].node == node || quasi->bodies[e->b].node == node) {
        quasi->around[at++] = quasi->members[k];
      }
    }
  }
  first[quasi->node_count] = at;
}

/* One sweep, there or back. Returns how far off the worst body ends, among the others as they are
 * then. */
static double sweep_once(ff_quasi *quasi, const int *nodes, int count, bool back) {
  double worst = 0;
  for (int i = 0; i < count; i++) {
    int k = back ? count - 1 - i : i, first = quasi->first_around[k];
    choose(quasi, nodes + k, 1, quasi->around + first, quasi->first_around[k + 1] - first);
    ff_quasi_newton(quasi); /* as near as it gets */
    worst = fmax(worst, quasi->off);
  }
  return worst;
}

/* Each body finds its way among the others, again and again; but one that finds none, and ends as
 * far off as it did in the last sweep that went the same way, will find none later. */
static void sweep(ff_quasi *quasi, int island) {
  find_around(quasi, island);
  const int *nodes = quasi->solved_nodes, count = quasi->node_count;
  double past[2] = {INFINITY, INFINITY};
  start_from(quasi, true);
  for (int round = 0; round < SWEEPS; round++) {
    bool back = round % 2 == 1;
    double worst = sweep_once(quasi, nodes, count, back);
    if (worst > HOPELESS && fabs(worst - past[back]) <= SAME * worst) {
      break;
    }
    past[back] = worst;
  }
  choose_island(quasi, island);
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
  while (good < 1 && stride > 1e-3) {
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
  take(quasi, z);
  ff_quasi_rows(quasi);
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

int ff_quasi_jacobian(void *context, const double *z, double *j) {
  ff_quasi *quasi = context;
  size_t n = (size_t)quasi->size;
  take(quasi, z);
  memset(j, 0, n * n * sizeof *j);
  for (int i = 0; i < quasi->node_count; i++) {
    const ff_quasi_body *body = ff_quasi_node(quasi, quasi->solved_nodes[i]);
    for (int k = 0; k < FF_QUASI_BODY; k++) {
      size_t at = (size_t)(body->column + k);
      j[at * n + at] = k < 3 ? quasi->model->bodies[body->id].mass : 1;
    }
  }
  ff_quasi_rows(quasi);
  ff_quasi_columns(quasi);
  for (int m = 0; m < quasi->member_count; m++) {
    const ff_quasi_element *e = quasi->members[m];
    int to[FF_QUASI_ROWS];
    columns_of(quasi, e, to);
    for (int i = 0; i < 12 + e->rows; i++) {
      for (int k = 0; k < 12 + e->rows; k++) {
        if (to[i] >= 0 && to[k] >= 0) {
          j[(size_t)to[k] * n + (size_t)to[i]] +=
              e->idle ? (i == k && i >= 12) / e->mass : e->j[i][k];
        }
      }
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
  start_from(quasi, false);
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

static bool solve_somehow(ff_quasi *quasi, int island) {
  static const double weights[] = {1, 30, 1.0 / 30};
  for (int i = 0; i < 3; i++) {
    double factor = i == 0 ? 1 : weights[i] / weights[i - 1];
    for (int k = 0; k < quasi->member_count; k++) {
      ff_quasi_contact *contact = contact_of(quasi->members[k]);
      if (contact) {
        contact->weight *= factor;
      }
    }
    for (int cold = 0; cold < 2; cold++) {
      start_from(quasi, cold == 0);
      if (ff_quasi_newton(quasi)) {
        return true;
      }
    }
    if (i == 0 && quasi->node_count > 1) {
      sweep(quasi, island);
      if (ff_quasi_newton(quasi)) {
        return true;
      }
    }
    ff_quasi_start_free(quasi);
    if (ff_quasi_ramp(quasi)) {
      return true;
    }
    if (lay_out(quasi) && ((i == 0 && ff_quasi_follow(quasi)) || solve_dense(quasi))) {
      return true;
    }
  }
  return false;
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

bool ff_quasi_solve(ff_quasi *quasi, int island) {
  choose_island(quasi, island);
  for (int k = 0; k < quasi->member_count; k++) {
    ff_quasi_contact *contact = contact_of(quasi->members[k]);
    if (contact) {
      contact->soft = quasi->member_count > quasi->node_count ? SOFT : 0;
    }
  }
  quasi->iterations = quasi->tries = 0;
  quasi->rough = quasi->turns = 1;
  bool solved = ff_quasi_rest(quasi) || solve_somehow(quasi, island);
  if (solved) {
    note(quasi);
  }
  return solved;
}
