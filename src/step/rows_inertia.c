/* Inertia of movers, its factors, and the rows divided by these. */
#include "math/pairs.h"
#include "math/vec.h"
#include "step/rows.h"
#include "tree/tree.h"

#include <string.h>

/* ---- inertia of movers, block by block ------------------------------------------------------- */

/* Six coordinates: moments of inertia in principal axes, then the mass. A diagonal is at once that
 * of L^-1. */
static void place_body(const ff_row_block *block, const ff_model_body *body, int at) {
  if (block->diagonal) {
    double mass = sqrt(body->inv_mass), x = sqrt(body->inv_inertia.x);
    ff_vec3 inertia =
        body->round ? v3(x, x, x) : v3(x, sqrt(body->inv_inertia.y), sqrt(body->inv_inertia.z));
    v3_store(block->factor, inertia);
    v3_store(block->factor + 3, v3(mass, mass, mass));
    return;
  }
  const double inertia[6] = {body->inertia.x, body->inertia.y, body->inertia.z,
                             body->mass,      body->mass,      body->mass};
  size_t n = (size_t)block->size;
  for (size_t i = 0; i < 6; i++) {
    block->inertia[((size_t)at + i) * (n + 1)] = inertia[i];
  }
}

static void place_robot(const ff_rows *rows, const ff_row_block *block, ff_tree_work *work,
                        int v_count, int at) {
  const double *added = ff_tree_added_inertia(work);
  size_t n = (size_t)block->size, m = (size_t)v_count;
  bool alone = block->size == v_count;
  double *from = alone ? block->inertia : rows->scratch;
  ff_tree_inertia_below(work, from);
  for (size_t i = 0; i < m; i++) {
    from[i * m + i] += added[i];
    if (!alone) {
      memcpy(block->inertia + (i + (size_t)at) * n + at, from + i * m, m * sizeof *from);
    }
  }
}

/* Branches as the trees have them; a free body is one, of six coordinates. */
static void find_parents(const ff_rows *rows, const ff_model *model, int mover, int at) {
  int size = ff_mover_size(model, mover), base = rows->first[mover] - at;
  const int *tree =
      mover < model->free_count ? NULL : model->robots[mover - model->free_count].tree->dof_parent;
  int *parents = rows->parent + base, *depth = rows->depth + base;
  for (int i = at; i < at + size; i++) {
    int parent = tree ? tree[i - at] : i - at - 1;
    parents[i] = rows->tied ? i - 1 : parent < 0 ? -1 : at + parent;
    depth[i] = parents[i] < 0 ? 0 : depth[parents[i]] + 1;
  }
}

/* The mover's place in the block. */
static void place_mover_in_block(ff_rows *rows, const ff_model *model, const ff_state *state,
                                 int mover, int block_index, int at) {
  const ff_row_block *block = &rows->blocks[block_index];
  int r = mover - model->free_count;
  rows->home[mover] = block_index;
  rows->first[mover] = block->first + at;
  if (!block->diagonal) { /* else the ancestors are not used */
    find_parents(rows, model, mover, at);
  }
  if (r < 0) {
    place_body(block, &model->bodies[model->free_bodies[mover]], at);
  } else {
    place_robot(rows, block, state->robots[r].work, model->robots[r].v_count, at);
  }
}

/* Opens a block of `size` coordinates with zero inertia. Returns its number; -1: no room. */
static int open_block(ff_rows *rows, int mover, int size, bool diagonal) {
  size_t n = (size_t)size, numbers = diagonal ? n : n * n;
  if (rows->size + size > rows->limits.size ||
      rows->matrices_used + numbers > rows->limits.matrices) {
    return -1;
  }
  ff_row_block *block = &rows->blocks[rows->block_count];
  *block = (ff_row_block){.mover = mover,
                          .first = rows->size,
                          .size = size,
                          .diagonal = diagonal,
                          .inertia = rows->inertia + rows->matrices_used,
                          .factor = rows->factor + rows->matrices_used};
  rows->size += size;
  rows->matrices_used += numbers;
  return rows->block_count++;
}

static void close_block(ff_rows *rows, int index) {
  ff_row_block *block = &rows->blocks[index];
  block->chain =
      block->diagonal ? block->size : ff_branch_chain(rows->parent + block->first, block->size);
}

bool ff_rows_join(ff_rows *rows, const ff_model *model, const ff_state *state, int mover) {
  bool body = mover < model->free_count;
  int index = open_block(rows, mover, ff_mover_size(model, mover), body && !rows->limits.stiffens);
  if (index < 0) {
    return false;
  }
  if (body && rows->limits.stiffens) { /* a robot fills all of it */
    memset(rows->blocks[index].inertia, 0, 36 * sizeof(double));
  }
  place_mover_in_block(rows, model, state, mover, index, 0);
  close_block(rows, index);
  return true;
}

bool ff_rows_begin(ff_rows *rows, const ff_model *model, const ff_state *state, const int *movers,
                   int count, bool tied) {
  rows->size = rows->count = rows->block_count = 0;
  rows->matrices_used = rows->numbers_used = 0;
  rows->tied = tied;
  for (int i = 0; i < rows->link_count; i++) {
    rows->link_of[rows->links[i].body] = 0;
  }
  rows->link_count = 0;
  memset(rows->first, -1, (size_t)ff_mover_count(model) * sizeof *rows->first);
  if (!tied) {
    bool room = true;
    for (int k = 0; k < count && room; k++) {
      room = ff_rows_join(rows, model, state, movers[k]);
    }
    return room;
  }
  int size = 0;
  for (int k = 0; k < count; k++) {
    size += ff_mover_size(model, movers[k]);
  }
  int index = open_block(rows, movers[0], size, false);
  if (index < 0) {
    return false;
  }
  memset(rows->blocks[index].inertia, 0, (size_t)size * (size_t)size * sizeof(double));
  for (int k = 0, at = 0; k < count; at += ff_mover_size(model, movers[k++])) {
    place_mover_in_block(rows, model, state, movers[k], index, at);
  }
  close_block(rows, index);
  return true;
}

/* ---- factors L of the inertia, and Y of the rows --------------------------------------------- */

void ff_rows_soften(ff_rows *rows) {
  if (rows->factor != rows->inertia) {
    memcpy(rows->factor, rows->inertia, rows->matrices_used * sizeof *rows->factor);
  }
}

void ff_rows_stiffen(ff_rows *rows, int row, const double weights[3]) {
  for (int s = 0; s < 2; s++) {
    const ff_row_side *side = &rows->sides[row / 3][s];
    if (side->block < 0) {
      continue;
    }
    const ff_row_block *block = &rows->blocks[side->block];
    const int *parent = rows->parent + block->first;
    const double *x = rows->jacobian + side->at, *y = x + side->length, *z = y + side->length;
    int at = side->length;
    for (int i = side->tip; i >= 0; i = parent[i]) {
      double *to = block->factor + (size_t)i * (size_t)block->size;
      int of = --at;
      double bx = weights[0] * x[at], by = weights[1] * y[at], bz = weights[2] * z[at];
      int k = i;
      for (; k >= block->chain; k = parent[k], of--) {
        to[k] += bx * x[of] + by * y[of] + bz * z[of];
      }
      for (; k >= 0; k--) {
        to[k] += bx * x[k] + by * y[k] + bz * z[k];
      }
    }
  }
}

/* L^T y = x along a path, of three rows at once. */
static void reach_path(const ff_rows *rows, const ff_row_block *block, const ff_row_side *side) {
  const int *parent = rows->parent + block->first;
  double *x = rows->reached + side->at, *y = x + side->length, *z = y + side->length;
  int at = side->length;
  for (int i = side->tip; i >= 0; i = parent[i]) {
    const double *factor = block->factor + (size_t)i * (size_t)block->size;
    int of = --at;
    double inverse = 1 / factor[i];
    double bx = x[at] * inverse, by = y[at] * inverse, bz = z[at] * inverse;
    x[at] = bx;
    y[at] = by;
    z[at] = bz;
    int k = parent[i];
    for (; k >= block->chain; k = parent[k]) {
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

/* Rows of a link's point: sums of those of the link. */
static void follow(const ff_rows *rows, const ff_row_mount *mount, const ff_row_side *side) {
  const ff_row_link *link = &rows->links[mount->link];
  const double *from = rows->reached + link->rows[0].at;
  const double *turn = rows->reached + link->rows[1].at;
  double *to = rows->reached + side->at;
  int n = side->length;
  for (int d = 0; d < 3; d++, to += n) {
    ff_vec3 l = mount->along[d], t = mount->turn[d];
    int k = 0;
    for (; k + 2 <= n; k += 2) {
      ff_pair2 sum = (l.x * ff_pair2_load(from + k) + l.y * ff_pair2_load(from + n + k) +
                      l.z * ff_pair2_load(from + 2 * n + k)) +
                     (t.x * ff_pair2_load(turn + k) + t.y * ff_pair2_load(turn + n + k) +
                      t.z * ff_pair2_load(turn + 2 * n + k));
      memcpy(to + k, &sum, sizeof sum);
    }
    for (; k < n; k++) {
      to[k] = (l.x * from[k] + l.y * from[n + k] + l.z * from[2 * n + k]) +
              (t.x * turn[k] + t.y * turn[n + k] + t.z * turn[2 * n + k]);
    }
  }
}

static void reach_side(const ff_rows *rows, const ff_row_mount *mount, const ff_row_side *side) {
  if (side->block < 0 || rows->blocks[side->block].diagonal) {
    return;
  }
  if (mount->link >= 0) {
    follow(rows, mount, side);
    return;
  }
  if (rows->reached != rows->jacobian) {
    memcpy(rows->reached + side->at, rows->jacobian + side->at,
           3 * (size_t)side->length * sizeof *rows->reached);
  }
  reach_path(rows, &rows->blocks[side->block], side);
}

bool ff_rows_factor(ff_rows *rows) {
  for (int i = 0; i < rows->block_count; i++) {
    const ff_row_block *block = &rows->blocks[i];
    const int *parent = rows->parent + block->first;
    if (!block->diagonal && !ff_branch_factor(parent, block->size, block->factor)) {
      return false;
    }
  }
  for (int i = 0; i < rows->link_count; i++) {
    const ff_row_link *link = &rows->links[i];
    reach_path(rows, &rows->blocks[link->rows[0].block], &link->rows[0]);
    reach_path(rows, &rows->blocks[link->rows[1].block], &link->rows[1]);
  }
  for (int i = 0; i < rows->count / 3; i++) {
    reach_side(rows, &rows->mounts[i][0], &rows->sides[i][0]);
    reach_side(rows, &rows->mounts[i][1], &rows->sides[i][1]);
  }
  return true;
}
