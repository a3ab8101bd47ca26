/* L of the inertia and what stiffens it, and Y of the rows. */
#include "step/rows.h"

#include "math/pairs.h"
#include "tree/tree.h"

#include <string.h>

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
