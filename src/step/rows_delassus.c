/* Delassus operator: velocities along rows by impulses along rows. */
#include "math/pairs.h"
#include "step/rows.h"
#include "tree/tree.h"

#include <string.h>

/* ---- Delassus operator: products of rows ----------------------------------------------------- */

/* Adds the products of three rows of `length` numbers with three others. */
static inline void multiply(const double *a, int stride_a, const double *b, int stride_b,
                            int length, double ease[9]) {
  const double *b1 = b + stride_b, *b2 = b1 + stride_b;
  for (int k = 0; k < 3; k++, a += stride_a) {
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
    ease[3 * k] += sx[0] + sx[1];
    ease[3 * k + 1] += sy[0] + sy[1];
    ease[3 * k + 2] += sz[0] + sz[1];
  }
}

/* The same of three rows with themselves, of which six are enough. */
static inline void square(const double *x, int length, double ease[9]) {
  const double *y = x + length, *z = y + length;
  ff_pair2 xx = {0, 0}, xy = {0, 0}, xz = {0, 0}, yy = {0, 0}, yz = {0, 0}, zz = {0, 0};
  int c = 0;
  for (; c + 2 <= length; c += 2) {
    ff_pair2 a = ff_pair2_load(x + c), b = ff_pair2_load(y + c), d = ff_pair2_load(z + c);
    xx += a * a;
    xy += a * b;
    xz += a * d;
    yy += b * b;
    yz += b * d;
    zz += d * d;
  }
  if (c < length) {
    xx[0] += x[c] * x[c];
    xy[0] += x[c] * y[c];
    xz[0] += x[c] * z[c];
    yy[0] += y[c] * y[c];
    yz[0] += y[c] * z[c];
    zz[0] += z[c] * z[c];
  }
  const double sums[9] = {xx[0] + xx[1], xy[0] + xy[1], xz[0] + xz[1], xy[0] + xy[1], yy[0] + yy[1],
                          yz[0] + yz[1], xz[0] + xz[1], yz[0] + yz[1], zz[0] + zz[1]};
  for (int k = 0; k < 9; k++) {
    ease[k] += sums[k];
  }
}

/* Of two sides only what both depend on counts: the way from the root to where their branches
 * part. */
static void ease_sides(const ff_rows *rows, const ff_row_side *i, const ff_row_side *j,
                       double ease[9]) {
  const ff_row_block *block = &rows->blocks[i->block];
  const double *a = rows->reached + i->at, *b = rows->reached + j->at;
  if (i == j) {
    square(a, i->length, ease);
    return;
  }
  if (block->diagonal) {
    multiply(a, 6, b, 6, 6, ease);
    return;
  }
  const int *parent = rows->parent + block->first, *depth = rows->depth + block->first;
  int at = i->tip, other = j->tip;
  while (at != other) {
    *(at > other ? &at : &other) = parent[at > other ? at : other];
  }
  multiply(a, i->length, b, j->length, at < 0 ? 0 : depth[at] + 1, ease);
}

double ff_rows_turn_mobility(const ff_rows *rows, int row, int side, ff_vec3 axis) {
  int link = rows->mounts[row / 3][side].link;
  if (rows->sides[row / 3][side].block < 0 || link < 0) {
    return 0;
  }
  const ff_row_side *turns = &rows->links[link].rows[1];
  const double *x = rows->reached + turns->at;
  int n = turns->length;
  double sum = 0;
  for (int k = 0; k < n; k++) {
    double along = axis.x * x[k] + axis.y * x[n + k] + axis.z * x[2 * n + k];
    sum += along * along;
  }
  return sum;
}

void ff_rows_delassus(const ff_rows *rows, int i, int j, double ease[9]) {
  const ff_row_side *a = rows->sides[i / 3], *b = rows->sides[j / 3];
  memset(ease, 0, 9 * sizeof *ease);
  for (int s = 0; s < 4; s++) {
    const ff_row_side *one = &a[s / 2], *other = &b[s % 2];
    if (one->block >= 0 && one->block == other->block) {
      ease_sides(rows, one, other, ease);
    }
  }
}

/* ---- impulses along rows --------------------------------------------------------------------- */

/* to += by rows, whose numbers stand together. */
static inline void add_rows(const double *x, const double *y, const double *z, const double by[3],
                            int n, double *to) {
  int k = 0;
  for (; k + 2 <= n; k += 2) {
    ff_pair2 sum =
        ff_pair2_load(to + k) + (by[0] * ff_pair2_load(x + k) + by[1] * ff_pair2_load(y + k) +
                                 by[2] * ff_pair2_load(z + k));
    memcpy(to + k, &sum, sizeof sum);
  }
  for (; k < n; k++) {
    to[k] += by[0] * x[k] + by[1] * y[k] + by[2] * z[k];
  }
}

/* out += rows . from */
static inline void sum_rows(const double *x, const double *y, const double *z, const double *from,
                            int n, double out[3]) {
  ff_pair2 sx = {out[0], 0}, sy = {out[1], 0}, sz = {out[2], 0};
  int k = 0;
  for (; k + 2 <= n; k += 2) {
    ff_pair2 of = ff_pair2_load(from + k);
    sx += ff_pair2_load(x + k) * of;
    sy += ff_pair2_load(y + k) * of;
    sz += ff_pair2_load(z + k) * of;
  }
  if (k < n) {
    sx[0] += x[k] * from[k];
    sy[0] += y[k] * from[k];
    sz[0] += z[k] * from[k];
  }
  out[0] = sx[0] + sx[1];
  out[1] = sy[0] + sy[1];
  out[2] = sz[0] + sz[1];
}

/* to += by rows, spread out over their path. */
static void spread_side(const ff_rows *rows, const ff_row_side *side, const double *values,
                        const double by[3], double *to) {
  const ff_row_block *block = &rows->blocks[side->block];
  const double *x = values + side->at, *y = x + side->length, *z = y + side->length;
  double *into = to + block->first;
  if (block->diagonal) {
    add_rows(x, x + 6, x + 12, by, 6, into);
    return;
  }
  const int *parent = rows->parent + block->first;
  int at = side->length, i = side->tip;
  for (; i >= block->chain; i = parent[i]) {
    at--;
    into[i] += by[0] * x[at] + by[1] * y[at] + by[2] * z[at];
  }
  add_rows(x, y, z, by, i + 1, into);
}

static void spread(const ff_rows *rows, int row, const double *values, const double by[3],
                   double *to) {
  for (int s = 0; s < 2; s++) {
    const ff_row_side *side = &rows->sides[row / 3][s];
    if (side->block >= 0) {
      spread_side(rows, side, values, by, to);
    }
  }
}

/* Sums of rows times what is along their path. */
void ff_rows_speed(const ff_rows *rows, int row, const double *from, double out[3]) {
  out[0] = out[1] = out[2] = 0;
  for (int s = 0; s < 2; s++) {
    const ff_row_side *side = &rows->sides[row / 3][s];
    if (side->block < 0) {
      continue;
    }
    const ff_row_block *block = &rows->blocks[side->block];
    const double *x = rows->reached + side->at, *y = x + side->length, *z = y + side->length;
    const double *of = from + block->first;
    if (block->diagonal) {
      sum_rows(x, x + 6, x + 12, of, 6, out);
      continue;
    }
    const int *parent = rows->parent + block->first;
    int at = side->length, i = side->tip;
    for (; i >= block->chain; i = parent[i]) {
      double by = of[i];
      at--;
      out[0] += x[at] * by;
      out[1] += y[at] * by;
      out[2] += z[at] * by;
    }
    sum_rows(x, y, z, of, i + 1, out);
  }
}

void ff_rows_push(const ff_rows *rows, int row, const double impulse[3], double *push) {
  spread(rows, row, rows->jacobian, impulse, push);
}

void ff_rows_hit(const ff_rows *rows, int row, const double impulse[3], double *reached) {
  spread(rows, row, rows->reached, impulse, reached);
}

void ff_rows_turn(const ff_rows *rows, int row, ff_vec3 impulse, double *reached) {
  for (int s = 0; s < 2; s++) {
    int link = rows->mounts[row / 3][s].link;
    if (rows->sides[row / 3][s].block >= 0 && link >= 0) {
      double sign = s == 0 ? 1 : -1;
      const double by[3] = {sign * impulse.x, sign * impulse.y, sign * impulse.z};
      spread_side(rows, &rows->links[link].rows[1], rows->reached, by, reached);
    }
  }
}

static void scale(const ff_row_block *block, double *x) {
  for (int i = 0; i < block->size; i++) {
    x[i] *= block->factor[i];
  }
}

void ff_rows_reach(const ff_rows *rows, double *push) {
  for (int i = 0; i < rows->block_count; i++) {
    const ff_row_block *block = &rows->blocks[i];
    if (block->diagonal) {
      scale(block, push + block->first);
    } else {
      ff_branch_down(rows->parent + block->first, block->size, block->factor, push + block->first);
    }
  }
}

void ff_rows_settle(const ff_rows *rows, double *reached) {
  for (int i = 0; i < rows->block_count; i++) {
    const ff_row_block *block = &rows->blocks[i];
    if (block->diagonal) {
      scale(block, reached + block->first);
    } else {
      ff_branch_up(rows->parent + block->first, block->size, block->factor, reached + block->first);
    }
  }
}
