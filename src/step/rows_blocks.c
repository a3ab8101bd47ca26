/* The inertia of movers, block by block. */
#include "step/rows.h"

#include "math/vec.h"
#include "tree/tree.h"

#include <string.h>

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
