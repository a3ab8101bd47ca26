#include "solve/blocks.h"

#include "base/arena.h"
#include "base/memory.h"
#include "math/pairs.h"
#include "solve/six.h"

#include <amd.h>
#include <math.h>
#include <string.h>

/* Below this, relative to the rest of its block, a pivot is more rounding than anything else. */
#define TINY_PIVOT 1e-14

/* Positions are places in the order of elimination. */
struct ff_blocks {
  ff_arena arena;
  ff_blocks_limits limits;
  /* the graph, as given */
  int node_count, edge_count, row_count;
  int *size, *row; /* of each node */
  int *edge;       /* pairs */
  int known_nodes; /* of the graph that is in order; -1: none */
  int known_edges;
  long orders; /* that were found */
  int *known_size, *known_edge;
  /* its order */
  int *place;            /* position of each node */
  int *node_at;          /* node at each position */
  int *start;            /* of each position: its entries; one more */
  int *later;            /* of each entry: the later position it reaches */
  size_t *diagonal;      /* of each position: its own block in values */
  size_t *upper, *lower; /* of each entry: its two blocks */
  bool *empty;           /* the same: nothing stands there, and they are not even zero */
  int *open_count;       /* of each position: its entries that are not empty, */
  int *open;             /* which stand here, from its start on */
  double *size_upper,
      *size_lower;            /* of each entry, squared, in units, if something is negligible */
  double *units;              /* of each row: its own, and that of its unknown; */
  double *squares, *inverses; /* of these, if something is negligible */
  double *unit_row;           /* for a while */
  double *values;
  int *pivot;      /* of each row */
  int first, last; /* positions of the matrix now */
  ff_six_take *six;
  int *spot; /* of each position: an entry that reaches it, for a while */
  int *work; /* for the ordering */
  int work_size;
};

/* ---- life ------------------------------------------------------------------------------- */

static int *ints(ff_blocks *b, size_t count) {
  return ff_arena_take(&b->arena, count + 1, sizeof(int));
}

static bool take_rooms(ff_blocks *b) {
  size_t nodes = (size_t)b->limits.nodes, edges = (size_t)b->limits.edges;
  size_t entries = (size_t)b->limits.pairs;
  b->work_size = (int)(3 * edges + 8 * nodes + 16);
  int **rooms[] = {&b->size,    &b->row,  &b->known_size, &b->place,
                   &b->node_at, &b->spot, &b->open_count, &b->start};
  for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++) {
    *rooms[i] = ints(b, nodes + 1);
    if (!*rooms[i]) {
      return false;
    }
  }
  b->edge = ints(b, 2 * edges);
  b->known_edge = ints(b, 2 * edges);
  b->later = ints(b, entries);
  b->open = ints(b, entries);
  b->pivot = ints(b, (size_t)b->limits.rows);
  b->work = ints(b, (size_t)b->work_size + 10 * nodes);
  b->diagonal = ff_arena_take(&b->arena, nodes + 1, sizeof *b->diagonal);
  b->upper = ff_arena_take(&b->arena, entries + 1, sizeof *b->upper);
  b->lower = ff_arena_take(&b->arena, entries + 1, sizeof *b->lower);
  b->empty = ff_arena_take(&b->arena, entries + 1, sizeof *b->empty);
  b->size_upper = ff_arena_take(&b->arena, entries + 1, sizeof(double));
  b->size_lower = ff_arena_take(&b->arena, entries + 1, sizeof(double));
  b->units = ff_arena_take(&b->arena, 2 * (size_t)b->limits.rows + 1, sizeof(double));
  b->squares = ff_arena_take(&b->arena, 2 * (size_t)b->limits.rows + 1, sizeof(double));
  b->inverses = ff_arena_take(&b->arena, 2 * (size_t)b->limits.rows + 1, sizeof(double));
  b->unit_row = ff_arena_take(&b->arena, (size_t)b->limits.rows + 1, sizeof(double));
  b->values = ff_arena_take(&b->arena, b->limits.numbers + 1, sizeof *b->values);
  return b->edge && b->known_edge && b->later && b->open && b->pivot && b->work && b->diagonal &&
         b->upper && b->lower && b->empty && b->size_upper && b->size_lower && b->units &&
         b->squares && b->inverses && b->unit_row && b->values;
}

ff_status ff_blocks_create(ff_blocks **out, const ff_blocks_limits *limits) {
  *out = NULL;
  ff_blocks *b = ff_alloc(1, sizeof *b);
  if (!b) {
    return FF_ERROR_MEMORY;
  }
  b->limits = *limits;
  b->known_nodes = -1;
  b->six = ff_six_best();
  if (!take_rooms(b)) {
    ff_blocks_destroy(b);
    return FF_ERROR_MEMORY;
  }
  for (int i = 0; i < 2 * limits->rows; i++) {
    b->units[i] = 1;
  }
  *out = b;
  return FF_OK;
}

void ff_blocks_destroy(ff_blocks *blocks) {
  if (blocks) {
    ff_arena_free(&blocks->arena);
    ff_free(blocks);
  }
}

/* ---- the graph ---------------------------------------------------------------------------- */

void ff_blocks_begin(ff_blocks *b) {
  b->node_count = b->edge_count = b->row_count = 0;
}

int ff_blocks_node(ff_blocks *b, int size) {
  b->size[b->node_count] = size;
  b->row[b->node_count] = b->row_count;
  b->row_count += size;
  return b->node_count++;
}

bool ff_blocks_join(ff_blocks *b, int i, int j) {
  if (b->edge_count == b->limits.edges) {
    return false;
  }
  b->edge[2 * b->edge_count] = i < j ? i : j;
  b->edge[2 * b->edge_count + 1] = i < j ? j : i;
  b->edge_count++;
  return true;
}

int ff_blocks_row(const ff_blocks *b, int node) {
  return b->row[node];
}

/* ---- the order ------------------------------------------------------------------------------ */

static bool is_known(const ff_blocks *b) {
  size_t nodes = (size_t)b->node_count, edges = (size_t)b->edge_count;
  return b->known_nodes == b->node_count && b->known_edges == b->edge_count &&
         memcmp(b->known_size, b->size, nodes * sizeof(int)) == 0 &&
         memcmp(b->known_edge, b->edge, 2 * edges * sizeof(int)) == 0;
}

static void know(ff_blocks *b) {
  b->known_nodes = b->node_count;
  b->known_edges = b->edge_count;
  memcpy(b->known_size, b->size, (size_t)b->node_count * sizeof(int));
  memcpy(b->known_edge, b->edge, 2 * (size_t)b->edge_count * sizeof(int));
}

/* Neighbours of each node, each once: list[begin[i]] .. list[begin[i] + count[i] - 1]. */
static int list_neighbours(ff_blocks *b, int *begin, int *count, int *list) {
  int n = b->node_count, total = 0;
  memset(count, 0, (size_t)n * sizeof *count);
  for (int e = 0; e < 2 * b->edge_count; e++) {
    count[b->edge[e]]++;
  }
  for (int i = 0; i < n; i++) {
    begin[i] = total;
    total += count[i];
    count[i] = 0;
    b->spot[i] = -1;
  }
  for (int e = 0; e < b->edge_count; e++) {
    int i = b->edge[2 * e], j = b->edge[2 * e + 1];
    list[begin[i] + count[i]++] = j;
    list[begin[j] + count[j]++] = i;
  }
  int end = 0; /* without the repetitions, closed up */
  for (int i = 0; i < n; i++) {
    int from = begin[i], to = end;
    for (int k = from; k < from + count[i]; k++) {
      if (b->spot[list[k]] != i) {
        b->spot[list[k]] = i;
        list[end++] = list[k];
      }
    }
    begin[i] = to;
    count[i] = end - to;
  }
  return end;
}

/* Approximate minimum degree; AMD's inner routine, which takes no memory. */
static void find_order(ff_blocks *b) {
  int n = b->node_count, room = b->work_size;
  int *rest = b->work + room, *begin = rest, *count = rest + n;
  int end = list_neighbours(b, begin, count, b->work);
  double control[AMD_CONTROL], info[AMD_INFO];
  amd_defaults(control);
  control[AMD_DENSE] = -1; /* keeps the parts of the graph together in the order */
  amd_2(n, begin, b->work, count, room, end, rest + 2 * n, rest + 3 * n, rest + 4 * n, rest + 5 * n,
        rest + 6 * n, rest + 7 * n, rest + 8 * n, control, info);
  for (int k = 0; k < n; k++) {
    int node = rest[4 * n + k];
    b->node_at[k] = node;
    b->place[node] = k;
  }
}

/* Adds a position to the list that is being made, once. */
static bool add_entry(ff_blocks *b, int mark, int position, int *count) {
  if (b->spot[position] == mark) {
    return true;
  }
  if (*count == b->limits.pairs) {
    return false;
  }
  b->spot[position] = mark;
  b->later[(*count)++] = position;
  return true;
}

/* Entries of each position: its later neighbours, and what its children in the tree of elimination
 * leave behind. */
static bool find_entries(ff_blocks *b) {
  int n = b->node_count, room = b->work_size, entries = 0;
  int *begin = b->work + room, *degree = begin + n, *child = begin + 2 * n,
      *sibling = begin + 3 * n;
  list_neighbours(b, begin, degree, b->work);
  for (int k = 0; k < n; k++) {
    b->spot[k] = child[k] = -1;
  }
  for (int k = 0; k < n; k++) {
    int node = b->node_at[k], parent = n;
    b->start[k] = entries;
    b->spot[k] = k;
    bool room_left = true;
    for (int m = begin[node]; m < begin[node] + degree[node]; m++) {
      int position = b->place[b->work[m]];
      room_left = room_left && (position < k || add_entry(b, k, position, &entries));
    }
    for (int c = child[k]; c >= 0; c = sibling[c]) {
      for (int e = b->start[c]; room_left && e < b->start[c + 1]; e++) {
        room_left = add_entry(b, k, b->later[e], &entries);
      }
    }
    if (!room_left) {
      return false;
    }
    b->start[k + 1] = entries;
    for (int e = b->start[k]; e < entries; e++) {
      parent = b->later[e] < parent ? b->later[e] : parent;
    }
    if (parent < n) {
      sibling[k] = child[parent];
      child[parent] = k;
    }
  }
  return true;
}

/* Gives every block its place in values; false: no room. */
static bool find_places(ff_blocks *b) {
  size_t at = 0;
  for (int k = 0; k < b->node_count; k++) {
    size_t mine = (size_t)b->size[b->node_at[k]];
    b->diagonal[k] = at;
    at += mine * mine;
    for (int e = b->start[k]; e < b->start[k + 1]; e++) {
      size_t numbers = mine * (size_t)b->size[b->node_at[b->later[e]]];
      b->upper[e] = at;
      b->lower[e] = at + numbers;
      at += 2 * numbers;
    }
    if (at > b->limits.numbers) {
      return false;
    }
  }
  return true;
}

bool ff_blocks_order(ff_blocks *b) {
  if (is_known(b)) {
    return true;
  }
  b->known_nodes = -1;
  b->orders++;
  b->start[0] = 0;
  if (b->node_count > 0) {
    find_order(b);
  }
  if (!find_entries(b) || !find_places(b)) {
    return false;
  }
  memset(b->empty, true, (size_t)b->start[b->node_count] * sizeof *b->empty);
  memset(b->open_count, 0, (size_t)b->node_count * sizeof *b->open_count);
  know(b);
  return true;
}

long ff_blocks_orders(const ff_blocks *b) {
  return b->orders;
}

/* ---- values -------------------------------------------------------------------------------- */

static int size_at(const ff_blocks *b, int position) {
  return b->size[b->node_at[position]];
}

void ff_blocks_choose(ff_blocks *b, const int *nodes, int count) {
  b->first = b->node_count;
  b->last = -1;
  for (int i = 0; i < count; i++) {
    int k = b->place[nodes[i]];
    b->first = k < b->first ? k : b->first;
    b->last = k > b->last ? k : b->last;
  }
}

void ff_blocks_clear(ff_blocks *b, const int *nodes, int count) {
  ff_blocks_choose(b, nodes, count);
  for (int i = b->first; i <= b->last; i++) {
    size_t n = (size_t)size_at(b, i);
    memset(b->values + b->diagonal[i], 0, n * n * sizeof(double));
    for (int m = 0; m < b->open_count[i]; m++) {
      b->empty[b->open[b->start[i] + m]] = true;
    }
    b->open_count[i] = 0;
  }
}

/* From now on something stands in the blocks of an entry of position i. */
static void open_entry(ff_blocks *b, int i, int e) {
  if (b->empty[e]) {
    size_t numbers = (size_t)size_at(b, i) * (size_t)size_at(b, b->later[e]);
    memset(b->values + b->upper[e], 0, 2 * numbers * sizeof(double)); /* the lower is next to it */
    b->empty[e] = false;
    b->open[b->start[i] + b->open_count[i]++] = e;
  }
}

/* The entry of position i that reaches a later one. */
static int find_entry(const ff_blocks *b, int i, int later) {
  const int *open = b->open + b->start[i];
  for (int m = 0; m < b->open_count[i]; m++) { /* far fewer, as a rule */
    if (b->later[open[m]] == later) {
      return open[m];
    }
  }
  int e = b->start[i];
  while (b->later[e] != later) {
    e++;
  }
  return e;
}

double *ff_blocks_at(ff_blocks *b, int i, int j) {
  int p = b->place[i], q = b->place[j], low = p < q ? p : q, high = p < q ? q : p;
  if (p == q) {
    return b->values + b->diagonal[p];
  }
  int e = find_entry(b, low, high);
  open_entry(b, low, e);
  return b->values + (p < q ? b->upper[e] : b->lower[e]);
}

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
  int n = size_at(b, i), *pivot = b->pivot + b->row[b->node_at[i]];
  for (int m = 0; m < b->open_count[i]; m++) {
    int e = open[m];
    divide(b->values + b->diagonal[i], pivot, b->values + b->upper[e], n, size_at(b, b->later[e]));
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
static int entry_to(ff_blocks *b, int j, int k) {
  int e = b->spot[k];
  if (e < b->start[j] || e >= b->start[j + 1] || b->later[e] != k) {
    e = b->spot[k] = find_entry(b, j, k);
  }
  return e;
}

/* What the elimination of position i leaves between two that it reaches, by entries e and f, the
 * nearer first. */
static void update_pair(ff_blocks *b, int i, int e, int f, double negligible) {
  bool up = !(negligible > 0) || b->size_lower[e] * b->size_upper[f] > negligible;
  bool down = !(negligible > 0) || b->size_lower[f] * b->size_upper[e] > negligible;
  if (!up && !down) {
    return;
  }
  int j = b->later[e], k = b->later[f], to = entry_to(b, j, k);
  int n = size_at(b, i), nj = size_at(b, j), nk = size_at(b, k);
  double *v = b->values;
  open_entry(b, j, to);
  if (up) {
    subtract(b, v + b->upper[to], v + b->lower[e], v + b->upper[f], nj, n, nk);
  }
  if (down) {
    subtract(b, v + b->lower[to], v + b->lower[f], v + b->upper[e], nk, n, nj);
  }
}

/* What it leaves with all of them. */
static void update_later(ff_blocks *b, int i, const int *open, double negligible) {
  int n = size_at(b, i), count = b->open_count[i];
  double *v = b->values;
  for (int m = 0; m < count; m++) {
    int e = open[m], j = b->later[e], nj = size_at(b, j);
    subtract(b, v + b->diagonal[j], v + b->lower[e], v + b->upper[e], nj, n, nj);
    for (int l = 0; l < b->open_count[j]; l++) {
      int f = b->open[b->start[j] + l];
      b->spot[b->later[f]] = f;
    }
    for (int l = m + 1; l < count; l++) {
      update_pair(b, i, e, open[l], negligible);
    }
  }
}

bool ff_blocks_factor(ff_blocks *b, double negligible) {
  if (negligible > 0) {
    square_units(b);
  }
  for (int i = b->first; i <= b->last; i++) {
    int node = b->node_at[i];
    if (!factor_block(b->values + b->diagonal[i], ff_blocks_units(b, node), b->unit_row,
                      b->pivot + b->row[node], b->size[node])) {
      return false;
    }
    const int *open = sort_open(b, i);
    if (negligible > 0) {
      divide_roughly(b, i, open);
    } else {
      divide_entries(b, i, open);
    }
    update_later(b, i, open, negligible * negligible);
  }
  return true;
}

void ff_blocks_solve(const ff_blocks *b, double *x) {
  for (int i = b->first; i <= b->last; i++) {
    int n = size_at(b, i), row = b->row[b->node_at[i]];
    const int *open = b->open + b->start[i];
    divide_vector(b->values + b->diagonal[i], b->pivot + row, x + row, n);
    for (int m = 0; m < b->open_count[i]; m++) {
      int node = b->node_at[b->later[open[m]]];
      take_vector(x + b->row[node], b->values + b->lower[open[m]], x + row, b->size[node], n);
    }
  }
  for (int i = b->last; i >= b->first; i--) {
    int n = size_at(b, i), row = b->row[b->node_at[i]];
    const int *open = b->open + b->start[i];
    for (int m = 0; m < b->open_count[i]; m++) {
      int node = b->node_at[b->later[open[m]]];
      take_vector(x + row, b->values + b->upper[open[m]], x + b->row[node], n, b->size[node]);
    }
  }
}
