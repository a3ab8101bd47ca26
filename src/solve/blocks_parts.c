/* Partition of the elimination tree for threads.
 *
 * A position updates later ones; the first of them is its parent in the elimination tree. Two
 * branches are independent up to their common ancestor. Branches of at most a quarter of the work
 * become parts, several small ones together; the ancestors of all parts are the top. The parts are
 * the same for any number of threads. */
#include "solve/blocks_internal.h"

#include <string.h>

#define LARGEST 0.25 /* share of all work */

/* Parent of each position in the elimination tree (-1: none), and the work of its subtree. Returns
 * the total work. */
static double find_subtree_work(ff_blocks *b) {
  ff_blocks_parts *parts = &b->parts;
  double total = 0;
  memset(parts->weight + b->first, 0, (size_t)(b->last - b->first + 1) * sizeof *parts->weight);
  for (int k = b->first; k <= b->last; k++) {
    int parent = -1;
    for (int e = b->start[k]; e < b->start[k + 1]; e++) {
      parent = parent < 0 || b->later[e] < parent ? b->later[e] : parent;
    }
    double reached = b->start[k + 1] - b->start[k], own = reached * reached + reached + 5;
    total += own;
    parts->parent[k] = parent;
    parts->weight[k] += own;
    if (parent >= 0) {
      parts->weight[parent] += parts->weight[k];
    }
  }
  return total;
}

/* Sorts parts by decreasing work, for load balance. */
static void sort_parts_by_work(ff_blocks *b, const double load[FF_BLOCKS_PARTS]) {
  ff_blocks_parts *parts = &b->parts;
  int place[FF_BLOCKS_PARTS + 1] = {[FF_BLOCKS_PARTS] = FF_BLOCKS_PARTS};
  for (int i = 0; i < FF_BLOCKS_PARTS; i++) {
    for (int k = 0; k < FF_BLOCKS_PARTS; k++) {
      place[i] += load[k] > load[i] || (load[k] == load[i] && k < i);
    }
  }
  for (int k = b->first; k <= b->last; k++) {
    parts->part[k] = place[parts->part[k]];
  }
}

/* Assigns each position to a part: a whole branch goes to the part with the least work. */
static void assign_parts(ff_blocks *b, double total) {
  ff_blocks_parts *parts = &b->parts;
  double load[FF_BLOCKS_PARTS] = {0};
  for (int k = b->last; k >= b->first; k--) {
    int parent = parts->parent[k], part = FF_BLOCKS_PARTS;
    if (parent >= 0 && parts->part[parent] != FF_BLOCKS_PARTS) {
      part = parts->part[parent];
    } else if (parts->weight[k] <= LARGEST * total) {
      part = 0;
      for (int i = 1; i < FF_BLOCKS_PARTS; i++) {
        part = load[i] < load[part] ? i : part;
      }
      load[part] += parts->weight[k];
    }
    parts->part[k] = part;
  }
  sort_parts_by_work(b, load);
}

/* Lists positions by part, in elimination order. */
static void list_positions_by_part(ff_blocks *b) {
  ff_blocks_parts *parts = &b->parts;
  int at[FF_BLOCKS_PARTS + 1] = {0};
  for (int k = b->first; k <= b->last; k++) {
    at[parts->part[k]]++;
  }
  for (int part = 0, sum = 0; part <= FF_BLOCKS_PARTS; part++) {
    parts->start[part] = sum;
    sum += at[part];
    parts->start[part + 1] = sum;
    at[part] = parts->start[part];
  }
  for (int k = b->first; k <= b->last; k++) {
    parts->position[at[parts->part[k]]++] = k;
  }
}

void ff_blocks_split(ff_blocks *b) {
  ff_blocks_parts *parts = &b->parts;
  bool known = parts->orders == b->orders && parts->first == b->first && parts->last == b->last;
  if (!ff_blocks_is_split(b) || known) {
    return;
  }
  parts->orders = b->orders;
  parts->first = b->first;
  parts->last = b->last;
  parts->reached = false;
  assign_parts(b, find_subtree_work(b));
  list_positions_by_part(b);
}

/* Counts the entries that reach each top position, or lists them once they are counted. */
static void list_reach(ff_blocks *b, const int *place, bool list) {
  ff_blocks_parts *parts = &b->parts;
  for (int n = 0; n < parts->start[FF_BLOCKS_PARTS]; n++) {
    int i = parts->position[n];
    for (int m = 0; m < b->open_count[i]; m++) {
      int later = b->later[b->open[b->start[i] + m]];
      if (parts->part[later] == FF_BLOCKS_PARTS && list) {
        int at = parts->reach_start[place[later] + 1]++;
        parts->reach_from[at] = i;
        parts->reach[at] = m;
      } else if (parts->part[later] == FF_BLOCKS_PARTS) {
        parts->reach_start[place[later] + 2]++;
      }
    }
  }
}

void ff_blocks_find_reach(ff_blocks *b) {
  ff_blocks_parts *parts = &b->parts;
  if (!ff_blocks_is_split(b)) {
    return;
  }
  int count,
      *place = parts->parent; /* parent is free for reuse: index of each top position in its list */
  const int *top = ff_blocks_part(b, FF_BLOCKS_PARTS, &count);
  memset(parts->reach_start, 0, ((size_t)count + 2) * sizeof *parts->reach_start);
  for (int n = 0; n < count; n++) {
    place[top[n]] = n;
  }
  list_reach(b, place, false); /* counts two places ahead, prefix sums, then fill */
  for (int n = 2; n <= count; n++) {
    parts->reach_start[n] += parts->reach_start[n - 1];
  }
  list_reach(b, place, true);
  parts->reached = true;
}
