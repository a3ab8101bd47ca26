#include "step/rows.h"

#include "math/pairs.h"
#include "math/vec.h"
#include "tree/tree.h"

#include <string.h>

/* ---- life ------------------------------------------------------------------------------- */

ff_status ff_rows_make(ff_rows *out, const ff_model *model, ff_arena *arena, int size_limit,
                       int count_limit) {
  size_t n = (size_t)size_limit, m = (size_t)count_limit;
  *out = (ff_rows){.size_limit = size_limit, .count_limit = count_limit};
  out->parent = ff_arena_take(arena, n, sizeof *out->parent);
  out->depth = ff_arena_take(arena, n, sizeof *out->depth);
  out->first = ff_arena_take(arena, (size_t)ff_mover_count(model), sizeof *out->first);
  out->inertia = ff_arena_take(arena, n * n, sizeof *out->inertia);
  out->factor = ff_arena_take(arena, n * n, sizeof *out->factor);
  out->scratch = ff_arena_take(arena, n * n, sizeof *out->scratch);
  out->jacobian = ff_arena_take(arena, m * n, sizeof *out->jacobian);
  out->reached = ff_arena_take(arena, m * n, sizeof *out->reached);
  out->tips = ff_arena_take(arena, m, sizeof *out->tips);
  out->lengths = ff_arena_take(arena, m, sizeof *out->lengths);
  out->columns = ff_arena_take(arena, n, sizeof *out->columns);
  bool room = out->parent && out->depth && out->first && out->inertia && out->factor &&
              out->scratch && out->jacobian && out->reached && out->tips && out->lengths &&
              out->columns;
  return room ? FF_OK : FF_ERROR_MEMORY;
}

/* ---- inertia ------------------------------------------------------------------------------ */

/* Six coordinates: moments of inertia in world axes, then the mass. */
static void place_body(const ff_rows *rows, const ff_model *model, const ff_state *state, int slot,
                       int at) {
  int id = model->free_bodies[slot];
  const ff_model_body *body = &model->bodies[id];
  ff_mat3 r = q_matrix(state->bodies[id].pose.orientation);
  const double moments[3] = {body->inertia.x, body->inertia.y, body->inertia.z};
  size_t n = (size_t)rows->size;
  for (int i = 0; i < 3; i++) {
    double *row = rows->inertia + (size_t)(at + i) * n + at;
    for (int j = 0; j < 3; j++) {
      row[j] = 0;
      for (int k = 0; k < 3; k++) {
        row[j] += r.m[i][k] * moments[k] * r.m[j][k];
      }
    }
    rows->inertia[(size_t)(at + 3 + i) * n + (size_t)(at + 3 + i)] = body->mass;
  }
}

static void place_robot(const ff_rows *rows, const ff_state *state, int r, int v_count, int at) {
  ff_tree_work *work = state->robots[r].work;
  const double *added = ff_tree_added_inertia(work);
  size_t n = (size_t)rows->size, m = (size_t)v_count;
  bool alone = rows->size == v_count;
  double *from = alone ? rows->inertia : rows->scratch;
  ff_tree_inertia(work, from);
  for (size_t i = 0; i < m; i++) {
    from[i * m + i] += added[i];
    if (!alone) {
      memcpy(rows->inertia + (i + (size_t)at) * n + at, from + i * m, m * sizeof *from);
    }
  }
}

/* Branches as the trees have them; a free body is one, of six coordinates. */
static void find_parents(const ff_rows *rows, const ff_model *model, int mover) {
  int first = rows->first[mover], size = ff_mover_size(model, mover);
  const int *tree =
      mover < model->free_count ? NULL : model->robots[mover - model->free_count].tree->dof_parent;
  for (int i = 0; i < size; i++) {
    int parent = tree ? tree[i] : i - 1;
    rows->parent[first + i] = parent < 0 ? -1 : first + parent;
    if (rows->tied) {
      rows->parent[first + i] = first + i - 1;
    }
    parent = rows->parent[first + i];
    rows->depth[first + i] = parent < 0 ? 0 : rows->depth[parent] + 1;
  }
}

bool ff_rows_begin(ff_rows *rows, const ff_model *model, const ff_state *state, const int *movers,
                   int count, bool tied) {
  rows->size = rows->count = 0;
  rows->tied = tied;
  for (int k = 0; k < count; k++) {
    rows->first[movers[k]] = rows->size;
    rows->size += ff_mover_size(model, movers[k]);
    if (rows->size > rows->size_limit) {
      return false;
    }
  }
  size_t n = (size_t)rows->size;
  if (count > 1 || movers[0] < model->free_count) { /* a robot alone fills all of it */
    memset(rows->inertia, 0, n * n * sizeof *rows->inertia);
  }
  for (int k = 0; k < count; k++) {
    int mover = movers[k], at = rows->first[mover], r = mover - model->free_count;
    find_parents(rows, model, mover);
    if (r < 0) {
      place_body(rows, model, state, mover, at);
    } else {
      place_robot(rows, state, r, model->robots[r].v_count, at);
    }
  }
  rows->chain = ff_branch_chain(rows->parent, rows->size);
  return true;
}

/* ---- rows --------------------------------------------------------------------------------- */

/* Three rows of one side of a contact, added with a sign. Returns the last coordinate that it
 * depends on; -1: none. */
static int add_side(const ff_rows *rows, const ff_model *model, const ff_state *state, int body,
                    double sign, ff_vec3 point, const ff_vec3 axes[3], double *to) {
  int mover = ff_mover_of(model, body), n = rows->size;
  if (mover < 0) {
    return -1;
  }
  int first = rows->first[mover];
  if (mover < model->free_count) {
    ff_vec3 arm = v3_sub(point, state->bodies[body].pose.position);
    double *at = to + rows->depth[first];
    for (int k = 0; k < 3; k++, at += n) {
      ff_vec3 turn = v3_scale(sign, v3_cross(arm, axes[k])), along = v3_scale(sign, axes[k]);
      v3_store(at, v3_add(v3_load(at), turn));
      v3_store(at + 3, v3_add(v3_load(at + 3), along));
    }
    return first + 5;
  }
  const ff_model_body *link = &model->bodies[body];
  const int *parent = model->robots[link->robot].tree->dof_parent;
  int tip =
      ff_tree_point_columns(state->robots[link->robot].work, link->link, point, rows->columns);
  for (int i = tip; i >= 0; i = parent[i]) {
    double *at = to + rows->depth[first + i];
    for (int k = 0; k < 3; k++) {
      at[k * n] += sign * v3_dot(axes[k], rows->columns[i]);
    }
  }
  return tip < 0 ? -1 : first + tip;
}

int ff_rows_add(ff_rows *rows, const ff_model *model, const ff_state *state, int a, int b,
                ff_vec3 point, const ff_vec3 axes[3]) {
  if (rows->count + 3 > rows->count_limit) {
    return -1;
  }
  int row = rows->count;
  size_t n = (size_t)rows->size;
  double *to = rows->jacobian + (size_t)row * n;
  memset(to, 0, 3 * n * sizeof *to);
  int tip_a = add_side(rows, model, state, a, 1, point, axes, to);
  int tip_b = add_side(rows, model, state, b, -1, point, axes, to);
  int tip = rows->tied ? rows->size - 1 : tip_a > tip_b ? tip_a : tip_b;
  for (int k = row; k < row + 3; k++) {
    rows->tips[k] = tip;
    rows->lengths[k] = tip < 0 ? 0 : rows->depth[tip] + 1;
  }
  rows->count += 3;
  return row;
}

/* ---- what they do ---------------------------------------------------------------------------
 */

void ff_rows_soften(ff_rows *rows) {
  size_t n = (size_t)rows->size;
  memcpy(rows->factor, rows->inertia, n * n * sizeof *rows->factor);
}

void ff_rows_stiffen(ff_rows *rows, int row, const double weights[3]) {
  size_t n = (size_t)rows->size;
  const double *x = rows->jacobian + (size_t)row * n, *y = x + n, *z = y + n;
  int at = rows->lengths[row];
  for (int i = rows->tips[row]; i >= 0; i = rows->parent[i]) {
    double *to = rows->factor + (size_t)i * n;
    int of = --at;
    double bx = weights[0] * x[at], by = weights[1] * y[at], bz = weights[2] * z[at];
    int k = i;
    for (; k >= rows->chain; k = rows->parent[k], of--) {
      to[k] += bx * x[of] + by * y[of] + bz * z[of];
    }
    for (; k >= 0; k--) {
      to[k] += bx * x[k] + by * y[k] + bz * z[k];
    }
  }
}

/* L^T y = x along a path, of three rows at once. */
static void reach_path(const ff_rows *rows, int row) {
  size_t n = (size_t)rows->size, first = (size_t)row * n;
  double *x = rows->reached + first, *y = x + n, *z = y + n;
  int at = rows->lengths[row];
  memcpy(x, rows->jacobian + first, 3 * n * sizeof *x);
  for (int i = rows->tips[row]; i >= 0; i = rows->parent[i]) {
    const double *factor = rows->factor + (size_t)i * n;
    int of = --at;
    double inverse = 1 / factor[i];
    double bx = x[at] * inverse, by = y[at] * inverse, bz = z[at] * inverse;
    x[at] = bx;
    y[at] = by;
    z[at] = bz;
    int k = rows->parent[i];
    for (; k >= rows->chain; k = rows->parent[k]) {
      of--;
      x[of] -= factor[k] * bx;
      y[of] -= factor[k] * by;
      z[of] -= factor[k] * bz;
    }
    ff_take_off(x, bx, factor, k + 1);
    ff_take_off(y, by, factor, k + 1);
    ff_take_off(z, bz, factor, k + 1);
  }
}

bool ff_rows_factor(ff_rows *rows) {
  if (!ff_branch_factor(rows->parent, rows->size, rows->factor)) {
    return false;
  }
  for (int i = 0; i < rows->count; i += 3) {
    reach_path(rows, i);
  }
  return true;
}

/* to += by rows, spread out over their path. */
static void spread(const ff_rows *rows, int row, const double *values, const double by[3],
                   double *to) {
  size_t n = (size_t)rows->size;
  const double *x = values + (size_t)row * n, *y = x + n, *z = y + n;
  int at = rows->lengths[row];
  for (int i = rows->tips[row]; i >= 0; i = rows->parent[i]) {
    at--;
    to[i] += by[0] * x[at] + by[1] * y[at] + by[2] * z[at];
  }
}

void ff_rows_push(const ff_rows *rows, int row, const double impulse[3], double *push) {
  spread(rows, row, rows->jacobian, impulse, push);
}

void ff_rows_reach(const ff_rows *rows, double *push) {
  ff_branch_down(rows->parent, rows->size, rows->factor, push);
}

void ff_rows_hit(const ff_rows *rows, int row, const double impulse[3], double *reached) {
  spread(rows, row, rows->reached, impulse, reached);
}

void ff_rows_speed(const ff_rows *rows, int row, const double *reached, double change[3]) {
  size_t n = (size_t)rows->size;
  const double *x = rows->reached + (size_t)row * n, *y = x + n, *z = y + n;
  double sx = 0, sy = 0, sz = 0;
  int at = rows->lengths[row];
  for (int i = rows->tips[row]; i >= 0; i = rows->parent[i]) {
    double by = reached[i];
    at--;
    sx += x[at] * by;
    sy += y[at] * by;
    sz += z[at] * by;
  }
  change[0] = sx;
  change[1] = sy;
  change[2] = sz;
}

void ff_rows_settle(const ff_rows *rows, double *reached) {
  ff_branch_up(rows->parent, rows->size, rows->factor, reached);
}

/* Only what both depend on counts: the way from the root to where their branches part. */
void ff_rows_ease(const ff_rows *rows, int i, int j, double ease[9]) {
  size_t n = (size_t)rows->size;
  const double *a = rows->reached + (size_t)i * n, *b = rows->reached + (size_t)j * n;
  const double *b1 = b + n, *b2 = b1 + n;
  int at = rows->tips[i], other = rows->tips[j];
  while (at != other) {
    *(at > other ? &at : &other) = rows->parent[at > other ? at : other];
  }
  int length = at < 0 ? 0 : rows->depth[at] + 1;
  for (int k = 0; k < 3; k++, a += n) {
    ff_pair2 sx = {0, 0}, sy = {0, 0}, sz = {0, 0};
    int c = 0;
    for (; c + 2 <= length; c += 2) {
      ff_pair2 both = ff_pair2_load(a + c);
      sx += both * ff_pair2_load(b + c);
      sy += both * ff_pair2_load(b1 + c);
      sz += both * ff_pair2_load(b2 + c);
    }
    if (c < length) {
      ff_pair2 last = {a[c], 0};
      sx += last * (ff_pair2){b[c], 0};
      sy += last * (ff_pair2){b1[c], 0};
      sz += last * (ff_pair2){b2[c], 0};
    }
    ease[3 * k] = sx[0] + sx[1];
    ease[3 * k + 1] = sy[0] + sy[1];
    ease[3 * k + 2] = sz[0] + sz[1];
  }
}
