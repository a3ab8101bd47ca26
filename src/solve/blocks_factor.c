/* Block LU factorisation and substitution. */
#include "math/pairs.h"
#include "solve/blocks_internal.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* Pivots below this, relative to the rest of their block, are rounding errors. */
#define TINY_PIVOT 1e-14

/* ---- dense kernels --------------------------------------------------------------------------- */

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

static void blocks_subtract_product(const ff_blocks *of, double *c, const double *a,
                                    const double *b, int n, int k, int m) {
  if (n == 6 && k == 6 && m == 6) {
    of->six(c, a, b);
  } else {
    subtract_product(c, a, b, n, k, m);
  }
}

static void blocks_swap_rows(double *a, int i, int k, int m) {
  for (int j = 0; i != k && j < m; j++) {
    double held = a[i * m + j];
    a[i * m + j] = a[k * m + j];
    a[k * m + j] = held;
  }
}

/* Squared norm of a block in units; rows and columns hold squared units, of rows their inverses, at
 * every second number. */
static inline double norm2_sized(const double *a, const double *rows, const double *columns, int n,
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

static double norm2_of_six(const double *a, const double *rows, const double *columns) {
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

static double norm2_in_units(const double *a, const double *rows, const double *columns, int n,
                             int m) {
  return n == 6 && m == 6 ? norm2_of_six(a, rows, columns) : norm2_sized(a, rows, columns, n, m);
}

static double norm_in_units(const double *a, const double *units, int n) {
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

/* LU factorisation of a in place with row exchanges; the diagonal holds the reciprocals of the
 * pivots. Pivots are compared in units, so that a body of a millimetre is not singular. row: [n],
 * scratch. */
static inline bool lu_factor_sized(double *a, const double *units, double *row, int *pivot, int n) {
  double tiny = TINY_PIVOT * norm_in_units(a, units, n);
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
    blocks_swap_rows(a, at, k, n);
    double scale = a[k * n + k] = 1 / a[k * n + k];
    for (int i = k + 1; i < n; i++) {
      double factor = a[i * n + k] *= scale;
      if (factor != 0) { /* usual without friction, and between branches of a robot */
        ff_take_off(a + i * n + k + 1, factor, a + k * n + k + 1, n - k - 1);
      }
    }
  }
  return true;
}

static bool lu_factor_block(double *a, const double *units, double *row, int *pivot, int n) {
  return n == 6 ? lu_factor_sized(a, units, row, pivot, 6)
                : lu_factor_sized(a, units, row, pivot, n);
}

/* b, n x m, becomes a^-1 b. */
static inline void lu_divide_sized(const double *a, const int *pivot, double *b, int n, int m) {
  for (int k = 0; k < n; k++) {
    blocks_swap_rows(b, pivot[k], k, m);
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

static void lu_divide(const double *a, const int *pivot, double *b, int n, int m) {
  if (n == 6 && m == 6) {
    lu_divide_sized(a, pivot, b, 6, 6);
  } else {
    lu_divide_sized(a, pivot, b, n, m);
  }
}

/* x := a^-1 x for a vector: sums stay in registers. */
static inline void lu_divide_vector_sized(const double *a, const int *pivot, double *x, int n) {
  for (int k = 0; k < n; k++) {
    blocks_swap_rows(x, pivot[k], k, 1);
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
static inline void subtract_mat_vec_sized(double *y, const double *a, const double *x, int n,
                                          int m) {
  for (int i = 0; i < n; i++) {
    y[i] -= ff_dot(a + i * m, x, m);
  }
}

static void subtract_mat_vec(double *y, const double *a, const double *x, int n, int m) {
  if (n == 6 && m == 6) {
    subtract_mat_vec_sized(y, a, x, 6, 6);
  } else {
    subtract_mat_vec_sized(y, a, x, n, m);
  }
}

static void lu_divide_vector(const double *a, const int *pivot, double *x, int n) {
  if (n == 6) {
    lu_divide_vector_sized(a, pivot, x, 6);
  } else {
    lu_divide_vector_sized(a, pivot, x, n);
  }
}

/* ---- elimination ----------------------------------------------------------------------------- */

double *ff_blocks_units(ff_blocks *b, int node) {
  return b->units + 2 * b->row[node];
}

/* Norms of entry e of position i, whose upper block is divided already. */
static void find_entry_norms(ff_blocks *b, int i, int e) {
  int node = b->node_at[i], other = b->node_at[b->later[e]], n = b->size[node], m = b->size[other];
  const double *mine = b->squares + 2 * b->row[node] + 1, *its = b->squares + 2 * b->row[other] + 1;
  const double *mine_inverse = b->inverses + 2 * b->row[node] + 1;
  const double *its_inverse = b->inverses + 2 * b->row[other];
  b->size_upper[e] = norm2_in_units(b->values + b->upper[e], mine_inverse, its, n, m);
  b->size_lower[e] = norm2_in_units(b->values + b->lower[e], its_inverse, mine, m, n);
}

/* Squared units of the selected submatrix, and their inverses. */
static void square_units(ff_blocks *b) {
  for (int i = b->first; i <= b->last; i++) {
    int node = b->node_at[i], end = 2 * (b->row[node] + b->size[node]);
    for (int k = 2 * b->row[node]; k < end; k++) {
      b->squares[k] = b->units[k] * b->units[k];
      b->inverses[k] = 1 / b->squares[k];
    }
  }
}

/* Nonzero entries of position i, sorted by the position they reach. */
static const int *sort_nonzero(ff_blocks *b, int i) {
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

/* Divides the upper blocks of these entries by the diagonal block of position i. */
static void divide_entries(ff_blocks *b, int i, const int *open) {
  int n = ff_blocks_size_at(b, i), *pivot = b->pivot + b->row[b->node_at[i]];
  for (int m = 0; m < b->open_count[i]; m++) {
    int e = open[m];
    lu_divide(b->values + b->diagonal[i], pivot, b->values + b->upper[e], n,
              ff_blocks_size_at(b, b->later[e]));
  }
}

/* Divides by multiplication with the inverse, for approximate factors: a third of the time for
 * blocks of six, but loses digits where masses differ by many orders of magnitude. The inverse is
 * stored negated, since products are subtracted. */
static void divide_entries_by_inverse(ff_blocks *b, int i, const int *open) {
  double inverse[36] = {0}, from[36];
  for (int k = 0; k < 6; k++) {
    inverse[7 * k] = -1;
  }
  lu_divide(b->values + b->diagonal[i], b->pivot + b->row[b->node_at[i]], inverse, 6, 6);
  for (int m = 0; m < b->open_count[i]; m++) {
    double *upper = b->values + b->upper[open[m]];
    memcpy(from, upper, sizeof from);
    memset(upper, 0, sizeof from);
    b->six(upper, inverse, from);
    find_entry_norms(b, i, open[m]);
  }
}

/* Entry of position j that reaches k; cached in spot. */
static int entry_to(const ff_blocks *b, int *spot, int j, int k) {
  int e = spot[k];
  if (e < b->start[j] || e >= b->start[j + 1] || b->later[e] != k) {
    e = spot[k] = ff_blocks_entry(b, j, k);
  }
  return e;
}

/* Schur complement update between the two positions that entries e and f of position i reach, the
 * nearer first. */
static void schur_update_pair(ff_blocks *b, int *spot, int i, int e, int f, double negligible) {
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
    blocks_subtract_product(b, v + b->upper[to], v + b->lower[e], v + b->upper[f], nj, n, nk);
  }
  if (down) {
    blocks_subtract_product(b, v + b->lower[to], v + b->lower[f], v + b->upper[e], nk, n, nj);
  }
}

/* Schur complement update of the position reached by the entry at this place among the nonzero
 * ones, and of its blocks with all later ones. */
static void schur_update(ff_blocks *b, int *spot, int i, int at, double negligible) {
  int e = b->open[at], j = b->later[e], n = ff_blocks_size_at(b, i), nj = ff_blocks_size_at(b, j);
  double *v = b->values;
  blocks_subtract_product(b, v + b->diagonal[j], v + b->lower[e], v + b->upper[e], nj, n, nj);
  for (int l = at + 1; l < b->start[i] + b->open_count[i]; l++) {
    schur_update_pair(b, spot, i, e, b->open[l], negligible);
  }
}

/* Caches the entries of position j by the position they reach. */
static void cache_entries(const ff_blocks *b, int *spot, int j) {
  for (int l = b->start[j]; l < b->start[j] + b->open_count[j]; l++) {
    spot[b->later[b->open[l]]] = b->open[l];
  }
}

/* ---- parallel elimination -----------------------------------------------------------------------
 *
 * Updates of a later position are queued there and applied when it is eliminated, while its own
 * blocks are in cache. Updates of the top by the parts are collected position by position. No two
 * threads write to the same place, and every sum has a fixed order for any number of threads. */

typedef struct shared {
  ff_blocks *b;
  ff_team *team;
  double negligible;    /* squared */
  atomic_bool singular; /* a diagonal block is singular */
  double *x;            /* right-hand side */
} shared;

/* Runs a function for each part. */
static void run_parts(shared *of, ff_team_body *part) {
  if (ff_blocks_is_split(of->b)) {
    ff_team_for(of->team, part, of, FF_BLOCKS_PARTS, 1);
  }
}

/* Top positions collected per chunk: as many chunks as parts. */
static int top_chunk(const ff_blocks *b) {
  int count;
  ff_blocks_part(b, FF_BLOCKS_PARTS, &count);
  return (count + FF_BLOCKS_PARTS - 1) / FF_BLOCKS_PARTS;
}

/* Runs a function for chunks of the top positions that parts reach. */
static void run_top(shared *of, ff_team_body *part) {
  int count;
  ff_blocks_part(of->b, FF_BLOCKS_PARTS, &count);
  if (ff_blocks_is_split(of->b) && count > 0) {
    ff_team_for(of->team, part, of, count, top_chunk(of->b));
  }
}

static int *entry_cache(const ff_blocks *b, int part) {
  return b->spot + (size_t)part * (size_t)b->limits.nodes;
}

/* Queues the entry at this place among the nonzero ones of position i at the position it reaches,
 * divided. */
static void queue_update(ff_blocks *b, int i, int at) {
  int j = b->later[b->open[at]];
  *(b->waiting[j] < 0 ? &b->waiting[j] : &b->next_waiting[b->last_waiting[j]]) = at;
  b->last_waiting[j] = at;
  b->next_waiting[at] = -1;
  b->whose[at] = i;
}

/* Applies the queued updates of a position and factors it; its updates within its own part are
 * queued, those of the top are applied later. False: its diagonal block is singular. */
static bool eliminate_position(shared *of, int part, int i) {
  ff_blocks *b = of->b;
  int node = b->node_at[i], row = b->row[node], *spot = entry_cache(b, part);
  cache_entries(b, spot, i);
  for (int at = b->waiting[i]; at >= 0; at = b->next_waiting[at]) {
    schur_update(b, spot, b->whose[at], at, of->negligible);
  }
  if (!lu_factor_block(b->values + b->diagonal[i], ff_blocks_units(b, node), b->unit_row + row,
                       b->pivot + row, b->size[node])) {
    return false;
  }
  const int *open = sort_nonzero(b, i);
  if (of->negligible > 0) {
    divide_entries_by_inverse(b, i, open);
  } else {
    divide_entries(b, i, open);
  }
  for (int m = 0; m < b->open_count[i]; m++) {
    if (b->parts.part[b->later[open[m]]] == part) {
      queue_update(b, i, b->start[i] + m);
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
    if (!eliminate_position(of, part, position[k])) {
      atomic_store(&of->singular, true);
      return;
    }
  }
}

static void update_top(void *context, int first, int end) {
  shared *of = context;
  ff_blocks *b = of->b;
  const ff_blocks_parts *parts = &b->parts;
  int count, *spot = entry_cache(b, first / top_chunk(b));
  const int *top = ff_blocks_part(b, FF_BLOCKS_PARTS, &count);
  for (int n = first; n < end; n++) {
    cache_entries(b, spot, top[n]);
    for (int r = parts->reach_start[n]; r < parts->reach_start[n + 1]; r++) {
      int i = parts->reach_from[r];
      schur_update(b, spot, i, b->start[i] + parts->reach[r], of->negligible);
    }
  }
}

bool ff_blocks_factor(ff_blocks *b, double negligible, ff_team *team) {
  shared of = {.b = b, .team = team, .negligible = negligible * negligible};
  if (negligible > 0) {
    square_units(b);
  }
  ff_blocks_split(b);
  run_parts(&of, factor_part);
  if (!atomic_load(&of.singular)) {
    ff_blocks_find_reach(b);
    run_top(&of, update_top);
    factor_part(&of, FF_BLOCKS_PARTS, FF_BLOCKS_PARTS);
  }
  return !atomic_load(&of.singular);
}

static void forward_part(void *context, int part, int end) {
  (void)end;
  const shared *of = context;
  const ff_blocks *b = of->b;
  int count;
  const int *position = ff_blocks_part(b, part, &count);
  for (int k = 0; k < count; k++) {
    int i = position[k], n = ff_blocks_size_at(b, i), row = b->row[b->node_at[i]];
    const int *open = b->open + b->start[i];
    lu_divide_vector(b->values + b->diagonal[i], b->pivot + row, of->x + row, n);
    for (int m = 0; m < b->open_count[i]; m++) {
      int later = b->later[open[m]], node = b->node_at[later];
      if (b->parts.part[later] == part) {
        subtract_mat_vec(of->x + b->row[node], b->values + b->lower[open[m]], of->x + row,
                         b->size[node], n);
      }
    }
  }
}

static void forward_top(void *context, int first, int end) {
  const shared *of = context;
  const ff_blocks *b = of->b;
  const ff_blocks_parts *parts = &b->parts;
  for (int r = parts->reach_start[first]; r < parts->reach_start[end]; r++) {
    int i = parts->reach_from[r], e = b->open[b->start[i] + parts->reach[r]];
    int from = b->node_at[i], to = b->node_at[b->later[e]];
    subtract_mat_vec(of->x + b->row[to], b->values + b->lower[e], of->x + b->row[from], b->size[to],
                     b->size[from]);
  }
}

static void backward_part(void *context, int part, int end) {
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
      subtract_mat_vec(of->x + b->row[b->node_at[i]], b->values + b->upper[open[m]],
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
  run_parts(&of, forward_part);
  run_top(&of, forward_top);
  forward_part(&of, FF_BLOCKS_PARTS, FF_BLOCKS_PARTS);
  backward_part(&of, FF_BLOCKS_PARTS, FF_BLOCKS_PARTS);
  run_parts(&of, backward_part);
}
