/* Factors of block systems, and solutions with them. */
#include "math/pairs.h"
#include "solve/blocks_room.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* Below this, relative to the rest of its block, a pivot is more rounding than anything else. */
#define TINY_PIVOT 1e-14

/* ---- arithmetic of blocks -------------------------------------------------------------------- */

/* c -= a b for n x k and k x m by rows. */
static inline void subtract_product(double *restrict c, const double *restrict a,
                                    const double *restrict b, int n, int k, int m) {
  for (int i = 0; i < n; i++) {
    for (int l = 0; l < k; l++) {
      double factor = a[i * k + l];
      for (int j = 0; j < m; j++) {
        c[i * m + j] -= factor * b[l * m + j];
      }
    }
  }
}

static void subtract(const ff_blocks *of, double *c, const double *a, const double *b, int n, int k,
                     int m) {
  if (n == 6 && k == 6 && m == 6) {
    of->six(c, a, b);
  } else {
    subtract_product(c, a, b, n, k, m);
  }
}

static void exchange(double *a, int i, int k, int m) {
  for (int j = 0; i != k && j < m; j++) {
    double held = a[i * m + j];
    a[i * m + j] = a[k * m + j];
    a[k * m + j] = held;
  }
}

/* Square of the size of a block, of whose rows and columns the squares of units are told: every
 * second number, of rows inverses. */
static inline double square_sized(const double *a, const double *rows, const double *columns, int n,
                                  int m) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    double part = 0;
    for (int j = 0; j < m; j++) {
      double x = a[i * m + j];
      part += x * x * columns[2 * j];
    }
    sum += part * rows[2 * i];
  }
  return sum;
}

static double square_of_six(const double *a, const double *rows, const double *columns) {
  ff_pair2 x = {columns[0], columns[2]}, y = {columns[4], columns[6]},
           z = {columns[8], columns[10]};
  ff_pair2 sum = {0, 0};
  for (int i = 0; i < 6; i++, a += 6) {
    ff_pair2 b = ff_pair2_load(a), c = ff_pair2_load(a + 2), d = ff_pair2_load(a + 4);
    ff_pair2 weight = {rows[2 * i], rows[2 * i]};
    sum += weight * (b * b * x + c * c * y + d * d * z);
  }
  return sum[0] + sum[1];
}

static double square_in(const double *a, const double *rows, const double *columns, int n, int m) {
  return n == 6 && m == 6 ? square_of_six(a, rows, columns) : square_sized(a, rows, columns, n, m);
}

static double size_in(const double *a, const double *units, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    double part = 0;
    for (int j = 0; j < n; j++) {
      double x = a[i * n + j] * units[2 * j + 1];
      part += x * x;
    }
    sum += part / (units[2 * i] * units[2 * i]);
  }
  return sqrt(sum);
}

/* a becomes its factors, with row exchanges, and the inverses of its pivots on the diagonal. Pivots
 * are compared in these units, or a body of a millimetre would have none. row: [n], for a while. */
static inline bool factor_sized(double *a, const double *units, double *row, int *pivot, int n) {
  double tiny = TINY_PIVOT * size_in(a, units, n);
  for (int i = 0; i < n; i++) {
    row[i] = 1 / units[2 * i];
  }
  for (int k = 0; k < n; k++) {
    int at = k;
    double best = row[k] * fabs(a[k * n + k]);
    for (int i = k + 1; i < n; i++) {
      double other = row[i] * fabs(a[i * n + k]);
      at = other > best ? i : at;
      best = other > best ? other : best;
    }
    if (!(best * units[2 * k + 1] > tiny)) {
      return false;
    }
    pivot[k] = at;
    row[at] = row[k];
    exchange(a, at, k, n);
    double scale = a[k * n + k] = 1 / a[k * n + k];
    for (int i = k + 1; i < n; i++) {
      double factor = a[i * n + k] *= scale;
      if (factor !=
          0) { /* without friction most are; branches of robots know little of each other */
        ff_take_off(a + i * n + k + 1, factor, a + k * n + k + 1, n - k - 1);
      }
    }
  }
  return true;
}

static bool factor_block(double *a, const double *units, double *row, int *pivot, int n) {
  return n == 6 ? factor_sized(a, units, row, pivot, 6) : factor_sized(a, units, row, pivot, n);
}

/* b, n x m, becomes a^-1 b. */
static inline void divide_sized(const double *a, const int *pivot, double *b, int n, int m) {
  for (int k = 0; k < n; k++) {
    exchange(b, pivot[k], k, m);
  }
  for (int k = 1; k < n; k++) {
    subtract_product(b + k * m, a + k * n, b, 1, k, m);
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int l = k + 1; l < n; l++) {
      subtract_product(b + k * m, a + k * n + l, b + l * m, 1, 1, m);
    }
    for (int j = 0; j < m; j++) {
      b[k * m + j] *= a[k * n + k];
    }
  }
}

static void divide(const double *a, const int *pivot, double *b, int n, int m) {
  if (n == 6 && m == 6) {
    divide_sized(a, pivot, b, 6, 6);
  } else {
    divide_sized(a, pivot, b, n, m);
  }
}

/* The same of a vector: sums stay in registers. */
static inline void divide_vector_sized(const double *a, const int *pivot, double *x, int n) {
  for (int k = 0; k < n; k++) {
    exchange(x, pivot[k], k, 1);
  }
  for (int k = 1; k < n; k++) {
    double sum = x[k];
    for (int l = 0; l < k; l++) {
      sum -= a[k * n + l] * x[l];
    }
    x[k] = sum;
  }
  for (int k = n - 1; k >= 0; k--) {
    double sum = x[k];
    for (int l = k + 1; l < n; l++) {
      sum -= a[k * n + l] * x[l];
    }
    x[k] = sum * a[k * n + k];
  }
}

/* y -= a x for n x m by rows. */
static inline void take_vector_sized(double *y, const double *a, const double *x, int n, int m) {
  for (int i = 0; i < n; i++) {
    y[i] -= ff_dot(a + i * m, x, m);
  }
}

static void take_vector(double *y, const double *a, const double *x, int n, int m) {
  if (n == 6 && m == 6) {
    take_vector_sized(y, a, x, 6, 6);
  } else {
    take_vector_sized(y, a, x, n, m);
  }
}

static void divide_vector(const double *a, const int *pivot, double *x, int n) {
  if (n == 6) {
    divide_vector_sized(a, pivot, x, 6);
  } else {
    divide_vector_sized(a, pivot, x, n);
  }
}

/* ---- elimination -------------------------------------------------------------------------------
 */

double *ff_blocks_units(ff_blocks *b, int node) {
  return b->units + 2 * b->row[node];
}

/* Of an entry of position i, whose upper block is divided already. */
static void find_sizes(ff_blocks *b, int i, int e) {
  int node = b->node_at[i], other = b->node_at[b->later[e]], n = b->size[node], m = b->size[other];
  const double *mine = b->squares + 2 * b->row[node] + 1, *its = b->squares + 2 * b->row[other] + 1;
  const double *mine_inverse = b->inverses + 2 * b->row[node] + 1;
  const double *its_inverse = b->inverses + 2 * b->row[other];
  b->size_upper[e] = square_in(b->values + b->upper[e], mine_inverse, its, n, m);
  b->size_lower[e] = square_in(b->values + b->lower[e], its_inverse, mine, m, n);
}

/* Squares of units, and their inverses, of the matrix now. */
static void square_units(ff_blocks *b) {
  for (int i = b->first; i <= b->last; i++) {
    int node = b->node_at[i], end = 2 * (b->row[node] + b->size[node]);
    for (int k = 2 * b->row[node]; k < end; k++) {
      b->squares[k] = b->units[k] * b->units[k];
      b->inverses[k] = 1 / b->squares[k];
    }
  }
}

/* The entries of position i that are not empty, by where they reach. */
static const int *sort_open(ff_blocks *b, int i) {
  int *open = b->open + b->start[i];
  for (int m = 1; m < b->open_count[i]; m++) {
    int e = open[m], k = m;
    for (; k > 0 && b->later[open[k - 1]] > b->later[e]; k--) {
      open[k] = open[k - 1];
    }
    open[k] = e;
  }
  return open;
}

/* Divides them by that of position i. */
static void divide_entries(ff_blocks *b, int i, const int *open) {
  int n = ff_blocks_size_at(b, i), *pivot = b->pivot + b->row[b->node_at[i]];
  for (int m = 0; m < b->open_count[i]; m++) {
    int e = open[m];
    divide(b->values + b->diagonal[i], pivot, b->values + b->upper[e], n,
           ff_blocks_size_at(b, b->later[e]));
  }
}

/* The same where all of it need not be known, roughly: blocks of six are multiplied by the inverse,
 * which takes a third of the time, but loses digits where masses differ by many orders. It has the
 * other sign, since products are taken off. */
static void divide_roughly(ff_blocks *b, int i, const int *open) {
  double inverse[36] = {0}, from[36];
  for (int k = 0; k < 6; k++) {
    inverse[7 * k] = -1;
  }
  divide(b->values + b->diagonal[i], b->pivot + b->row[b->node_at[i]], inverse, 6, 6);
  for (int m = 0; m < b->open_count[i]; m++) {
    double *upper = b->values + b->upper[open[m]];
    memcpy(from, upper, sizeof from);
    memset(upper, 0, sizeof from);
    b->six(upper, inverse, from);
    find_sizes(b, i, open[m]);
  }
}

/* The entry of position j that reaches k: if it has been seen there, spot tells. */
static int entry_to(const ff_blocks *b, int *spot, int j, int k) {
  int e = spot[k];
  if (e < b->start[j] || e >= b->start[j + 1] || b->later[e] != k) {
    e = spot[k] = ff_blocks_entry(b, j, k);
  }
  return e;
}

/* What the elimination of position i leaves between two that it reaches, by entries e and f, the
 * nearer first. */
static void update_pair(ff_blocks *b, int *spot, int i, int e, int f, double negligible) {
  bool up = !(negligible > 0) || b->size_lower[e] * b->size_upper[f] > negligible;
  bool down = !(negligible > 0) || b->size_lower[f] * b->size_upper[e] > negligible;
  if (!up && !down) {
    return;
  }
  int j = b->later[e], k = b->later[f], to = entry_to(b, spot, j, k);
  int n = ff_blocks_size_at(b, i), nj = ff_blocks_size_at(b, j), nk = ff_blocks_size_at(b, k);
  double *v = b->values;
  ff_blocks_open(b, j, to);
  if (up) {
    subtract(b, v + b->upper[to], v + b->lower[e], v + b->upper[f], nj, n, nk);
  }
  if (down) {
    subtract(b, v + b->lower[to], v + b->lower[f], v + b->upper[e], nk, n, nj);
  }
}

/* What it leaves with one that it reaches, by the entry at this place among the open, and between
 * that and all later ones. */
static void update(ff_blocks *b, int *spot, int i, int at, double negligible) {
  int e = b->open[at], j = b->later[e], n = ff_blocks_size_at(b, i), nj = ff_blocks_size_at(b, j);
  double *v = b->values;
  subtract(b, v + b->diagonal[j], v + b->lower[e], v + b->upper[e], nj, n, nj);
  for (int l = at + 1; l < b->start[i] + b->open_count[i]; l++) {
    update_pair(b, spot, i, e, b->open[l], negligible);
  }
}

/* The entries that position j has so far are known by where they reach. */
static void see_entries(const ff_blocks *b, int *spot, int j) {
  for (int l = b->start[j]; l < b->start[j] + b->open_count[j]; l++) {
    spot[b->later[b->open[l]]] = b->open[l];
  }
}

/* ---- by parts -----------------------------------------------------------------------------------
 *
 * What positions leave with a later one waits there until its turn comes: then its own blocks stay
 * at hand while all of it is taken off. What parts leave with the top is collected there, position
 * by position: so nobody writes where another does, and every sum has its order, whoever does it.
 */

typedef struct shared {
  ff_blocks *b;
  ff_team *team;
  double negligible;    /* of factors, squared */
  atomic_bool singular; /* a block of them is */
  double *x;            /* to be solved for */
} shared;

/* Does a work for each part. */
static void for_parts(shared *of, ff_team_body *part) {
  if (ff_blocks_is_split(of->b)) {
    ff_team_for(of->team, part, of, FF_BLOCKS_PARTS, 1);
  }
}

/* How many positions of the top are collected for at a time: there are as many times as parts. */
static int collected(const ff_blocks *b) {
  int count;
  ff_blocks_part(b, FF_BLOCKS_PARTS, &count);
  return (count + FF_BLOCKS_PARTS - 1) / FF_BLOCKS_PARTS;
}

/* The same for pieces of the top that parts reach. */
static void for_top(shared *of, ff_team_body *part) {
  int count;
  ff_blocks_part(of->b, FF_BLOCKS_PARTS, &count);
  if (ff_blocks_is_split(of->b) && count > 0) {
    ff_team_for(of->team, part, of, count, collected(of->b));
  }
}

static int *spot_of(const ff_blocks *b, int part) {
  return b->spot + (size_t)part * (size_t)b->limits.nodes;
}

/* The entry at a place among the open, of position i, is divided and waits where it reaches. */
static void wait_there(ff_blocks *b, int i, int at) {
  int j = b->later[b->open[at]];
  *(b->waiting[j] < 0 ? &b->waiting[j] : &b->next_waiting[b->last_waiting[j]]) = at;
  b->last_waiting[j] = at;
  b->next_waiting[at] = -1;
  b->whose[at] = i;
}

/* Takes off what waits for a position, and factors it; what it leaves with its own part waits, with
 * the top until that is asked for. False: its block is singular. */
static bool eliminate(shared *of, int part, int i) {
  ff_blocks *b = of->b;
  int node = b->node_at[i], row = b->row[node], *spot = spot_of(b, part);
  see_entries(b, spot, i);
  for (int at = b->waiting[i]; at >= 0; at = b->next_waiting[at]) {
    update(b, spot, b->whose[at], at, of->negligible);
  }
  if (!factor_block(b->values + b->diagonal[i], ff_blocks_units(b, node), b->unit_row + row,
                    b->pivot + row, b->size[node])) {
    return false;
  }
  const int *open = sort_open(b, i);
  if (of->negligible > 0) {
    divide_roughly(b, i, open);
  } else {
    divide_entries(b, i, open);
  }
  for (int m = 0; m < b->open_count[i]; m++) {
    if (b->parts.part[b->later[open[m]]] == part) {
      wait_there(b, i, b->start[i] + m);
    }
  }
  return true;
}

static void factor_part(void *context, int part, int end) {
  (void)end;
  shared *of = context;
  int count;
  const int *position = ff_blocks_part(of->b, part, &count);
  for (int k = 0; k < count; k++) {
    of->b->waiting[position[k]] = -1;
  }
  for (int k = 0; k < count; k++) {
    if (!eliminate(of, part, position[k])) {
      atomic_store(&of->singular, true);
      return;
    }
  }
}

static void collect_factors(void *context, int first, int end) {
  shared *of = context;
  ff_blocks *b = of->b;
  const ff_blocks_parts *parts = &b->parts;
  int count, *spot = spot_of(b, first / collected(b));
  const int *top = ff_blocks_part(b, FF_BLOCKS_PARTS, &count);
  for (int n = first; n < end; n++) {
    see_entries(b, spot, top[n]);
    for (int r = parts->reach_start[n]; r < parts->reach_start[n + 1]; r++) {
      int i = parts->reach_from[r];
      update(b, spot, i, b->start[i] + parts->reach[r], of->negligible);
    }
  }
}

bool ff_blocks_factor(ff_blocks *b, double negligible, ff_team *team) {
  shared of = {.b = b, .team = team, .negligible = negligible * negligible};
  if (negligible > 0) {
    square_units(b);
  }
  ff_blocks_split(b);
  for_parts(&of, factor_part);
  if (!atomic_load(&of.singular)) {
    ff_blocks_find_reach(b);
    for_top(&of, collect_factors);
    factor_part(&of, FF_BLOCKS_PARTS, FF_BLOCKS_PARTS);
  }
  return !atomic_load(&of.singular);
}

static void divide_part(void *context, int part, int end) {
  (void)end;
  const shared *of = context;
  const ff_blocks *b = of->b;
  int count;
  const int *position = ff_blocks_part(b, part, &count);
  for (int k = 0; k < count; k++) {
    int i = position[k], n = ff_blocks_size_at(b, i), row = b->row[b->node_at[i]];
    const int *open = b->open + b->start[i];
    divide_vector(b->values + b->diagonal[i], b->pivot + row, of->x + row, n);
    for (int m = 0; m < b->open_count[i]; m++) {
      int later = b->later[open[m]], node = b->node_at[later];
      if (b->parts.part[later] == part) {
        take_vector(of->x + b->row[node], b->values + b->lower[open[m]], of->x + row, b->size[node],
                    n);
      }
    }
  }
}

static void collect_right(void *context, int first, int end) {
  const shared *of = context;
  const ff_blocks *b = of->b;
  const ff_blocks_parts *parts = &b->parts;
  for (int r = parts->reach_start[first]; r < parts->reach_start[end]; r++) {
    int i = parts->reach_from[r], e = b->open[b->start[i] + parts->reach[r]];
    int from = b->node_at[i], to = b->node_at[b->later[e]];
    take_vector(of->x + b->row[to], b->values + b->lower[e], of->x + b->row[from], b->size[to],
                b->size[from]);
  }
}

static void put_back_part(void *context, int part, int end) {
  (void)end;
  const shared *of = context;
  const ff_blocks *b = of->b;
  int count;
  const int *position = ff_blocks_part(b, part, &count);
  for (int k = count - 1; k >= 0; k--) {
    int i = position[k], n = ff_blocks_size_at(b, i);
    const int *open = b->open + b->start[i];
    for (int m = 0; m < b->open_count[i]; m++) {
      int node = b->node_at[b->later[open[m]]];
      take_vector(of->x + b->row[b->node_at[i]], b->values + b->upper[open[m]],
                  of->x + b->row[node], n, b->size[node]);
    }
  }
}

void ff_blocks_solve(ff_blocks *b, double *x, ff_team *team) {
  shared of = {.b = b, .team = team, .x = x};
  ff_blocks_split(b);
  if (!b->parts.reached) {
    ff_blocks_find_reach(b);
  }
  for_parts(&of, divide_part);
  for_top(&of, collect_right);
  divide_part(&of, FF_BLOCKS_PARTS, FF_BLOCKS_PARTS);
  put_back_part(&of, FF_BLOCKS_PARTS, FF_BLOCKS_PARTS);
  for_parts(&of, put_back_part);
}
