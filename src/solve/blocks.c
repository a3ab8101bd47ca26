#include "solve/blocks_internal.h"

#include "base/memory.h"

#include <amd.h>
#include <string.h>

/* ---- creation -------------------------------------------------------------------------------- */

static bool blocks_take_workspace(ff_blocks *b) {
  size_t nodes = (size_t)b->limits.nodes, edges = (size_t)b->limits.edges;
  size_t entries = (size_t)b->limits.pairs, rows = (size_t)b->limits.rows;
  b->work_size = (int)(3 * edges + 8 * nodes + 16);
  const ff_arena_array arrays[] = {
      FF_ARRAY(b->size, nodes + 2),
      FF_ARRAY(b->row, nodes + 2),
      FF_ARRAY(b->known_size, nodes + 2),
      FF_ARRAY(b->place, nodes + 2),
      FF_ARRAY(b->node_at, nodes + 2),
      FF_ARRAY(b->open_count, nodes + 2),
      FF_ARRAY(b->start, nodes + 2),
      FF_ARRAY(b->waiting, nodes + 2),
      FF_ARRAY(b->last_waiting, nodes + 2),
      FF_ARRAY(b->parts.part, nodes + 2),
      FF_ARRAY(b->parts.position, nodes + 2),
      FF_ARRAY(b->parts.parent, nodes + 2),
      FF_ARRAY(b->parts.reach_start, nodes + 2),
      FF_ARRAY(b->parts.all, nodes + 2),
      FF_ARRAY(b->parts.weight, nodes + 1),
      FF_ARRAY(b->parts.reach_from, entries + 1),
      FF_ARRAY(b->parts.reach, entries + 1),
      FF_ARRAY(b->edge, 2 * edges + 1),
      FF_ARRAY(b->known_edge, 2 * edges + 1),
      FF_ARRAY(b->later, entries + 1),
      FF_ARRAY(b->spot, (FF_BLOCKS_PARTS + 1) * nodes + 1),
      FF_ARRAY(b->open, entries + 1),
      FF_ARRAY(b->next_waiting, entries + 1),
      FF_ARRAY(b->whose, entries + 1),
      FF_ARRAY(b->pivot, rows + 1),
      FF_ARRAY(b->work, (size_t)b->work_size + 10 * nodes + 1),
      FF_ARRAY(b->diagonal, nodes + 1),
      FF_ARRAY(b->upper, entries + 1),
      FF_ARRAY(b->lower, entries + 1),
      FF_ARRAY(b->empty, entries + 1),
      FF_ARRAY(b->size_upper, entries + 1),
      FF_ARRAY(b->size_lower, entries + 1),
      FF_ARRAY(b->units, 2 * rows + 1),
      FF_ARRAY(b->squares, 2 * rows + 1),
      FF_ARRAY(b->inverses, 2 * rows + 1),
      FF_ARRAY(b->unit_row, rows + 1),
      FF_ARRAY(b->values, b->limits.numbers + 1),
  };
  return ff_arena_take_all(&b->arena, arrays, sizeof arrays / sizeof *arrays);
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
  if (!blocks_take_workspace(b)) {
    ff_blocks_destroy(b);
    return FF_ERROR_MEMORY;
  }
  for (int i = 0; i < 2 * limits->rows; i++) {
    b->units[i] = 1;
  }
  for (int k = 0; k < limits->nodes; k++) {
    b->parts.all[k] = k;
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

/* ---- graph ----------------------------------------------------------------------------------- */

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

bool ff_blocks_is_before(const ff_blocks *b, int i, int j) {
  return b->place[i] < b->place[j];
}

/* ---- elimination order ----------------------------------------------------------------------- */

/* Adjacency lists without duplicates: list[begin[i]] .. list[begin[i] + count[i] - 1]. */
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
  int end = 0; /* remove duplicates and compact */
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

/* Approximate minimum degree (AMD's inner routine, which does not allocate). */
static void blocks_find_order(ff_blocks *b) {
  int n = b->node_count, work_size = b->work_size;
  int *rest = b->work + work_size, *begin = rest, *count = rest + n;
  int end = list_neighbours(b, begin, count, b->work);
  double control[AMD_CONTROL], info[AMD_INFO];
  amd_defaults(control);
  control[AMD_DENSE] = -1; /* keeps connected components contiguous in the order */
  amd_2(n, begin, b->work, count, work_size, end, rest + 2 * n, rest + 3 * n, rest + 4 * n,
        rest + 5 * n, rest + 6 * n, rest + 7 * n, rest + 8 * n, control, info);
  for (int k = 0; k < n; k++) {
    int node = rest[4 * n + k];
    b->node_at[k] = node;
    b->place[node] = k;
  }
}

/* Appends a position to the list under construction, unless it is in it already. */
static bool blocks_add_entry(ff_blocks *b, int mark, int position, int *count) {
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

/* Symbolic factorisation: the entries of each position are its later neighbours and the fill-in
 * from its children in the elimination tree. */
static bool blocks_find_entries(ff_blocks *b) {
  int n = b->node_count, work_size = b->work_size, entries = 0;
  int *begin = b->work + work_size, *degree = begin + n, *child = begin + 2 * n,
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
      room_left = room_left && (position < k || blocks_add_entry(b, k, position, &entries));
    }
    for (int c = child[k]; c >= 0; c = sibling[c]) {
      for (int e = b->start[c]; room_left && e < b->start[c + 1]; e++) {
        room_left = blocks_add_entry(b, k, b->later[e], &entries);
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

/* Assigns storage in values to every block; false: capacity exceeded. */
static bool blocks_assign_storage(ff_blocks *b) {
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
  size_t sizes = (size_t)b->node_count * sizeof(int),
         edges = 2 * (size_t)b->edge_count * sizeof(int);
  if (b->known_nodes == b->node_count && b->known_edges == b->edge_count &&
      memcmp(b->known_size, b->size, sizes) == 0 && memcmp(b->known_edge, b->edge, edges) == 0) {
    return true;
  }
  b->known_nodes = -1;
  b->orders++;
  b->start[0] = 0;
  if (b->node_count > 0) {
    blocks_find_order(b);
  }
  if (!blocks_find_entries(b) || !blocks_assign_storage(b)) {
    return false;
  }
  memset(b->empty, true, (size_t)b->start[b->node_count] * sizeof *b->empty);
  memset(b->open_count, 0, (size_t)b->node_count * sizeof *b->open_count);
  for (int k = 0; k < b->node_count; k++) {
    b->parts.part[k] = FF_BLOCKS_PARTS;
  }
  b->known_nodes = b->node_count;
  b->known_edges = b->edge_count;
  memcpy(b->known_size, b->size, sizes);
  memcpy(b->known_edge, b->edge, edges);
  return true;
}

long ff_blocks_orders(const ff_blocks *b) {
  return b->orders;
}

/* ---- values ---------------------------------------------------------------------------------- */

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
    size_t n = (size_t)ff_blocks_size_at(b, i);
    memset(b->values + b->diagonal[i], 0, n * n * sizeof(double));
    for (int m = 0; m < b->open_count[i]; m++) {
      b->empty[b->open[b->start[i] + m]] = true;
    }
    b->open_count[i] = 0;
  }
}

void ff_blocks_open(ff_blocks *b, int i, int e) {
  if (b->empty[e]) {
    size_t numbers = (size_t)ff_blocks_size_at(b, i) * (size_t)ff_blocks_size_at(b, b->later[e]);
    memset(b->values + b->upper[e], 0,
           2 * numbers * sizeof(double)); /* the lower block follows it */
    b->empty[e] = false;
    b->open[b->start[i] + b->open_count[i]++] = e;
  }
}

int ff_blocks_entry(const ff_blocks *b, int i, int later) {
  const int *open = b->open + b->start[i];
  for (int m = 0; m < b->open_count[i]; m++) { /* usually far fewer */
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
  int e = ff_blocks_entry(b, low, high);
  ff_blocks_open(b, low, e);
  return b->values + (p < q ? b->upper[e] : b->lower[e]);
}
