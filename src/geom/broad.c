#include "geom/broad.h"

#include "base/memory.h"
#include "math/vec.h"

#include <limits.h>

enum {
  LEVELS = 64,  /* powers of two of the size of boxes */
  LEAST_DIM = 4 /* cells of a grid along an axis: a query spans three, which must differ */
};
#define FAR     1e15 /* cells from the origin: all beyond are one */
#define ROUNDED 1e-9 /* of the distance from the origin: no cell is smaller */
#define SNUG    1.01 /* cell over the largest box in it */

/* A box in the order of the cells, with all that a comparison needs. */
typedef struct entry {
  ff_vec3 low, high;
  int id, group;
} entry;

/* Periodic grid of the boxes up to its cell size. */
typedef struct level {
  double size, per_size; /* m, 1/m: of a cell */
  int dim[3];            /* cells along each axis, powers of two */
  int first_cell;        /* in cells */
  int count;             /* boxes */
} level;

struct ff_broad {
  int count;
  level levels[LEVELS];
  int level_count;
  entry *entries;      /* [count], sorted by cell */
  int *cell;           /* [count], of each box */
  unsigned char *rank; /* [count], level of each box */
  int *cells;          /* [cell_capacity + 1]: first entry of each cell */
  int cell_capacity;
  ff_broad_pair *pairs; /* as they are found */
  size_t pair_count, pair_capacity;
  ff_broad_pair *sorted; /* [sorted_capacity] */
  size_t sorted_capacity;
  int *start; /* [count + 1]: pairs with a lower i come before this */
};

ff_status ff_broad_create(ff_broad **out, int count) {
  *out = NULL;
  ff_broad *broad = ff_alloc(1, sizeof *broad);
  if (!broad) {
    return FF_ERROR_MEMORY;
  }
  size_t n = (size_t)count;
  broad->count = count;
  broad->entries = ff_alloc(n, sizeof *broad->entries);
  broad->cell = ff_alloc(n, sizeof *broad->cell);
  broad->rank = ff_alloc(n, sizeof *broad->rank);
  broad->start = ff_alloc(n + 1, sizeof *broad->start);
  if (!broad->entries || !broad->cell || !broad->rank || !broad->start) {
    ff_broad_destroy(broad);
    return FF_ERROR_MEMORY;
  }
  *out = broad;
  return FF_OK;
}

void ff_broad_destroy(ff_broad *broad) {
  if (broad) {
    ff_free(broad->entries);
    ff_free(broad->cell);
    ff_free(broad->rank);
    ff_free(broad->cells);
    ff_free(broad->pairs);
    ff_free(broad->sorted);
    ff_free(broad->start);
    ff_free(broad);
  }
}

/* ---- grids ----------------------------------------------------------------------------------- */

static double largest(ff_vec3 v) {
  return greater(v.x, greater(v.y, v.z));
}

static double box_extent(const ff_box *box) {
  return largest(v3_sub(box->high, box->low));
}

/* Cell size of the first level: that of the largest box if all are of a size, else of the mean. */
static double first_cell_size(const ff_broad *broad, const ff_box *boxes) {
  double sum = 0, most = 0, far = 0;
  for (int i = 0; i < broad->count; i++) {
    double extent = box_extent(&boxes[i]);
    sum += extent;
    most = greater(most, extent);
    far = greater(far, greater(largest(boxes[i].high),
                               -lesser(boxes[i].low.x, lesser(boxes[i].low.y, boxes[i].low.z))));
  }
  double mean = sum / broad->count;
  double size = SNUG * (most <= 2 * mean ? most : mean);
  return greater(size, greater(ROUNDED * far, 1e-300));
}

/* Number of cells along an axis that hold an extent: a power of two. */
static int cells_along(double extent, double size) {
  int dim = LEAST_DIM;
  while (dim < 1 << 20 && dim * size < extent) {
    dim *= 2;
  }
  return dim;
}

/* Dimensions of a grid that covers the boxes, but has no more than a few cells for each. */
static void set_dimensions(level *grid, ff_vec3 extent) {
  double most = 2.0 * grid->count + LEAST_DIM * LEAST_DIM * LEAST_DIM;
  grid->dim[0] = cells_along(extent.x, grid->size);
  grid->dim[1] = cells_along(extent.y, grid->size);
  grid->dim[2] = cells_along(extent.z, grid->size);
  while ((double)grid->dim[0] * grid->dim[1] * grid->dim[2] > most) {
    int widest = grid->dim[1] > grid->dim[0] ? 1 : 0;
    widest = grid->dim[2] > grid->dim[widest] ? 2 : widest;
    grid->dim[widest] /= 2;
  }
}

/* Level of each box, and their grids. */
static ff_status make_levels(ff_broad *broad, const ff_box *boxes) {
  double first = first_cell_size(broad, boxes);
  ff_vec3 low = boxes[0].low, high = low;
  for (int l = 0; l < LEVELS; l++) {
    broad->levels[l] = (level){.size = ldexp(first, l), .per_size = ldexp(1 / first, -l)};
  }
  broad->level_count = 0;
  for (int i = 0; i < broad->count; i++) {
    double extent = box_extent(&boxes[i]);
    int l = 0;
    while (l < LEVELS - 1 && !(extent * (1 + 1e-3) <= broad->levels[l].size)) {
      l++;
    }
    broad->rank[i] = (unsigned char)l;
    broad->levels[l].count++;
    broad->level_count = l >= broad->level_count ? l + 1 : broad->level_count;
    low = v3(lesser(low.x, boxes[i].low.x), lesser(low.y, boxes[i].low.y),
             lesser(low.z, boxes[i].low.z));
    high = v3(greater(high.x, boxes[i].low.x), greater(high.y, boxes[i].low.y),
              greater(high.z, boxes[i].low.z));
  }
  int cells = 0;
  for (int l = 0; l < broad->level_count; l++) {
    level *grid = &broad->levels[l];
    grid->first_cell = cells;
    if (grid->count > 0) {
      set_dimensions(grid, v3_sub(high, low));
      cells += grid->dim[0] * grid->dim[1] * grid->dim[2];
    }
  }
  if (cells > broad->cell_capacity) {
    int *larger = ff_alloc((size_t)cells + (size_t)cells / 2 + 1, sizeof *larger);
    if (!larger) {
      return FF_ERROR_MEMORY;
    }
    ff_free(broad->cells);
    broad->cells = larger;
    broad->cell_capacity = cells + cells / 2;
  }
  for (int c = 0; c <= cells; c++) {
    broad->cells[c] = 0;
  }
  return FF_OK;
}

/* Number of a cell along an axis, counted from the origin. */
static double cell_number(const level *grid, double x) {
  return floor(greater(-FAR, lesser(x * grid->per_size, FAR)));
}

/* The same within the period. */
static int cell_wrapped(double number, int dim) {
  return (int)((long long)number & (dim - 1));
}

static int cell_of(const level *grid, ff_vec3 low) {
  int x = cell_wrapped(cell_number(grid, low.x), grid->dim[0]);
  int y = cell_wrapped(cell_number(grid, low.y), grid->dim[1]);
  int z = cell_wrapped(cell_number(grid, low.z), grid->dim[2]);
  return grid->first_cell + (z * grid->dim[1] + y) * grid->dim[0] + x;
}

/* Counting sort of the boxes by cell; within a cell by number. */
static void sort_boxes(ff_broad *broad, const ff_box *boxes, const int *groups) {
  int *cells = broad->cells, total = 0;
  for (int i = 0; i < broad->count; i++) {
    broad->cell[i] = cell_of(&broad->levels[broad->rank[i]], boxes[i].low);
    cells[broad->cell[i]]++;
  }
  const level *last = &broad->levels[broad->level_count - 1];
  int end = last->first_cell + last->dim[0] * last->dim[1] * last->dim[2];
  for (int c = 0; c <= end; c++) {
    int count = cells[c];
    cells[c] = total;
    total += count;
  }
  for (int i = 0; i < broad->count; i++) {
    int at = cells[broad->cell[i]]++;
    broad->entries[at] = (entry){boxes[i].low, boxes[i].high, i, groups[i]};
  }
  for (int c = end; c > 0; c--) { /* the counts have moved to the ends of the cells */
    cells[c] = cells[c - 1];
  }
  cells[0] = 0;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static bool boxes_overlap(const entry *a, const entry *b) {
  return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y &&
         b->low.y <= a->high.y && a->low.z <= b->high.z && b->low.z <= a->high.z;
}

static bool add_pair(ff_broad *broad, int a, int b) {
  if (!ff_grow((void **)&broad->pairs, broad->pair_count, &broad->pair_capacity,
               sizeof *broad->pairs)) {
    return false;
  }
  broad->pairs[broad->pair_count++] = (ff_broad_pair){a < b ? a : b, a < b ? b : a};
  return true;
}

/* Compares an entry with those of first .. end-1. False: no memory. */
static bool compare_entries(ff_broad *broad, const entry *a, int first, int end) {
  for (int k = first; k < end; k++) {
    const entry *b = &broad->entries[k];
    if (boxes_overlap(a, b) && a->group != b->group && !add_pair(broad, a->id, b->id)) {
      return false;
    }
  }
  return true;
}

/* Number of grid cells that a query covers along an axis, at most all; first: the lowest. */
static int query_range(const level *grid, double low, double high, int axis, double *first) {
  *first = cell_number(grid, low - grid->size);
  double count = cell_number(grid, high) - *first + 1;
  int dim = grid->dim[axis];
  return count < dim ? (int)count : dim;
}

/* Compares an entry with all of a grid of its level or above that may overlap it, from the entry
 * `from` on. */
static bool query_level(ff_broad *broad, const entry *a, const level *grid, int from) {
  double first[3];
  int count[3] = {query_range(grid, a->low.x, a->high.x, 0, &first[0]),
                  query_range(grid, a->low.y, a->high.y, 1, &first[1]),
                  query_range(grid, a->low.z, a->high.z, 2, &first[2])};
  int x = cell_wrapped(first[0], grid->dim[0]);
  int straight = grid->dim[0] - x < count[0] ? grid->dim[0] - x : count[0];
  const int *cells = broad->cells;
  for (int k = 0; k < count[2]; k++) {
    int z = cell_wrapped(first[2] + k, grid->dim[2]);
    for (int j = 0; j < count[1]; j++) {
      int y = cell_wrapped(first[1] + j, grid->dim[1]);
      int row = grid->first_cell + (z * grid->dim[1] + y) * grid->dim[0];
      int begin = cells[row + x], end = cells[row + x + straight];
      if (!compare_entries(broad, a, begin > from ? begin : from, end)) {
        return false;
      }
      if (straight < count[0]) {
        begin = cells[row];
        end = cells[row + count[0] - straight];
        if (!compare_entries(broad, a, begin > from ? begin : from, end)) {
          return false;
        }
      }
    }
  }
  return true;
}

static ff_status find_pairs(ff_broad *broad) {
  broad->pair_count = 0;
  for (int k = 0; k < broad->count; k++) {
    const entry *a = &broad->entries[k];
    for (int l = broad->rank[a->id]; l < broad->level_count; l++) {
      const level *grid = &broad->levels[l];
      int from = l == broad->rank[a->id] ? k + 1 : 0; /* the others have looked at it */
      if (grid->count > 0 && !query_level(broad, a, grid, from)) {
        return FF_ERROR_MEMORY;
      }
    }
  }
  return broad->pair_count < INT_MAX ? FF_OK : FF_ERROR_MEMORY;
}

/* ---- order of the pairs ---------------------------------------------------------------------- */

/* Counting sort by i. Out of place: writes do not wait for each other. False: no memory. */
static bool sort_by_i(ff_broad *broad) {
  int n = broad->count, found = (int)broad->pair_count;
  int *start = broad->start;
  const ff_broad_pair *pairs = broad->pairs;
  if (broad->sorted_capacity < broad->pair_count) {
    ff_free(broad->sorted);
    broad->sorted = ff_alloc(broad->pair_capacity, sizeof *broad->sorted);
    broad->sorted_capacity = broad->sorted ? broad->pair_capacity : 0;
  }
  if (!broad->sorted) {
    return false;
  }
  for (int i = 0; i <= n; i++) {
    start[i] = 0;
  }
  for (int k = 0; k < found; k++) {
    start[pairs[k].i + 1]++;
  }
  for (int i = 0; i < n; i++) {
    start[i + 1] += start[i];
  }
  for (int k = 0; k < found; k++) {
    broad->sorted[start[pairs[k].i]++] = pairs[k];
  }
  for (int i = n; i > 0; i--) { /* the starts have moved to the ends */
    start[i] = start[i - 1];
  }
  start[0] = 0;
  return true;
}

/* Shell sort: mostly of a handful of pairs, where it is an insertion sort. */
static void sort_by_j(ff_broad_pair *pairs, int count) {
  static const int gaps[] = {1750, 701, 301, 132, 57, 23, 10, 4, 1};
  for (size_t g = 0; g < sizeof gaps / sizeof gaps[0]; g++) {
    for (int k = gaps[g]; k < count; k++) {
      ff_broad_pair held = pairs[k];
      int at = k;
      for (; at >= gaps[g] && pairs[at - gaps[g]].j > held.j; at -= gaps[g]) {
        pairs[at] = pairs[at - gaps[g]];
      }
      pairs[at] = held;
    }
  }
}

ff_status ff_broad_find(ff_broad *broad, const ff_box *boxes, const int *groups,
                        ff_broad_pair **pairs, int *count) {
  *count = 0;
  *pairs = broad->pairs;
  if (broad->count < 2) {
    return FF_OK;
  }
  ff_status status = make_levels(broad, boxes);
  if (status != FF_OK) {
    return status;
  }
  sort_boxes(broad, boxes, groups);
  status = find_pairs(broad);
  if (status != FF_OK || broad->pair_count == 0) {
    return status;
  }
  if (!sort_by_i(broad)) {
    return FF_ERROR_MEMORY;
  }
  for (int i = 0; i < broad->count; i++) {
    sort_by_j(broad->sorted + broad->start[i], broad->start[i + 1] - broad->start[i]);
  }
  *pairs = broad->sorted;
  *count = (int)broad->pair_count;
  return FF_OK;
}
