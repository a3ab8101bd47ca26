#include "geom/broad.h"

#include "base/memory.h"
#include "math/vec.h"

#include <float.h>
#include <limits.h>

/* A sphere's place in the order: by strip, in it by where its interval on the sweep axis
 * begins. */
typedef struct entry {
  double strip; /* a whole number */
  double low;
  int id;
} entry;

/* The same with all that the sweep looks at, side by side in memory. */
typedef struct ball {
  double strip, low, high;
  ff_vec3 centre;
  double radius;
  int id;
} ball;

struct ff_broad {
  int count;
  int sweep_axis, strip_axis; /* 0, 1, 2 */
  double span;                /* m: spheres farther apart than this do not overlap, but for */
  double giant;               /* m: those that are larger than this; there are few, if any */
  double slack;               /* m: more than all rounding of places and intervals */
  entry *order;               /* [count], as of the last call */
  entry *spare;               /* [count], for merging */
  ball *balls;                /* [count], in order */
  int *start;                 /* [count + 1]: pairs with a lower i come before this place */
  int *next;                  /* [count]: the next free place of each i */
};

/* What the sweep has found; written up to capacity, counted beyond. */
typedef struct findings {
  ff_broad_pair *pairs;
  int capacity, count;
} findings;

ff_status ff_broad_create(ff_broad **out, int count) {
  *out = NULL;
  ff_broad *broad = ff_alloc(1, sizeof *broad);
  if (!broad) {
    return FF_ERROR_MEMORY;
  }
  size_t n = (size_t)count;
  broad->count = count;
  broad->strip_axis = 1;
  broad->order = ff_alloc(n, sizeof *broad->order);
  broad->spare = ff_alloc(n, sizeof *broad->spare);
  broad->balls = ff_alloc(n, sizeof *broad->balls);
  broad->start = ff_alloc(n + 1, sizeof *broad->start);
  broad->next = ff_alloc(n, sizeof *broad->next);
  if (!broad->order || !broad->spare || !broad->balls || !broad->start || !broad->next) {
    ff_broad_destroy(broad);
    return FF_ERROR_MEMORY;
  }
  for (int i = 0; i < count; i++) {
    broad->order[i].id = i;
  }
  *out = broad;
  return FF_OK;
}

void ff_broad_destroy(ff_broad *broad) {
  if (broad) {
    ff_free(broad->order);
    ff_free(broad->spare);
    ff_free(broad->balls);
    ff_free(broad->start);
    ff_free(broad->next);
    ff_free(broad);
  }
}

/* ---- axes and strips ---------------------------------------------------------- */

static double along(ff_vec3 v, int axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/* The axis of largest variance, but not the one taken (-1: none is). The one in use stays
 * until another is clearly better: changing it costs a full sort. */
static int widest_axis(ff_vec3 variance, int in_use, int taken) {
  int axis = in_use == taken ? (taken + 1) % 3 : in_use;
  for (int other = 0; other < 3; other++) {
    if (other != taken && along(variance, other) > 1.5 * along(variance, axis)) {
      axis = other;
    }
  }
  return axis;
}

static void choose_axes(ff_broad *broad, const ff_vec3 *centre) {
  ff_vec3 mean = v3(0.0, 0.0, 0.0), variance = mean;
  for (int i = 0; i < broad->count; i++) {
    mean = v3_add(mean, centre[i]);
  }
  mean = v3_scale(1.0 / (double)broad->count, mean);
  for (int i = 0; i < broad->count; i++) {
    ff_vec3 off = v3_sub(centre[i], mean);
    variance = v3_add(variance, v3_mul(off, off));
  }
  broad->sweep_axis = widest_axis(variance, broad->sweep_axis, -1);
  broad->strip_axis = widest_axis(variance, broad->strip_axis, broad->sweep_axis);
}

/* A few that are far larger than most would make all strips as wide as they are: these are compared
 * with all others one by one. */
static void choose_giant(ff_broad *broad, const double *radius) {
  double sum = 0.0;
  for (int i = 0; i < broad->count; i++) {
    sum += radius[i];
  }
  broad->giant = 4.0 * sum / broad->count;
  long giants = 0;
  for (int i = 0; i < broad->count; i++) {
    giants += radius[i] > broad->giant;
  }
  broad->giant = giants * giants > broad->count ? INFINITY : broad->giant;
}

/* The span leaves room for rounding, and so do the ends of the intervals: neither ever
 * excludes a pair that the test of the spheres would find, and so the axes, which
 * depend on the past, have no say in the answer. */
static void choose_span(ff_broad *broad, const ff_vec3 *centre, const double *radius) {
  double largest = 0.0, reach = 0.0;
  choose_giant(broad, radius);
  for (int i = 0; i < broad->count; i++) {
    double far = fabs(centre[i].x) + fabs(centre[i].y) + fabs(centre[i].z) + radius[i];
    largest = radius[i] > largest && radius[i] <= broad->giant ? radius[i] : largest;
    reach = far > reach ? far : reach;
  }
  broad->slack = 8.0 * DBL_EPSILON * (reach + largest);
  broad->span = 2.02 * largest + broad->slack + DBL_MIN; /* not 0 even if all is */
}

/* ---- the order -------------------------------------------------------------- */

static bool before(const entry *a, const entry *b) {
  return a->strip < b->strip || (a->strip == b->strip && a->low < b->low);
}

/* Insertion sort: linear if the order has hardly changed. Gives up, with some order or
 * other, when it has moved more than it is worth; returns whether it came to the end. */
static bool insertion_sort(entry *list, int count) {
  long budget = 8L * count;
  for (int i = 1; i < count && budget >= 0; i++) {
    entry held = list[i];
    int k = i;
    for (; k > 0 && before(&held, &list[k - 1]); k--) {
      list[k] = list[k - 1];
    }
    list[k] = held;
    budget -= i - k;
  }
  return budget >= 0;
}

/* Merges the sorted runs [low, middle) and [middle, high) of from into to. */
static void merge(const entry *from, entry *to, int low, int middle, int high) {
  int left = low, right = middle;
  for (int k = low; k < high; k++) {
    bool take_right = right < high && (left >= middle || before(&from[right], &from[left]));
    to[k] = from[take_right ? right++ : left++];
  }
}

/* Merge sort, from the bottom up: n log n whatever the order was. */
static void merge_sort(ff_broad *broad) {
  long n = broad->count;
  for (long width = 1; width < n; width *= 2) {
    for (long low = 0; low < n; low += 2 * width) {
      long middle = low + width < n ? low + width : n;
      long high = middle + width < n ? middle + width : n;
      merge(broad->order, broad->spare, (int)low, (int)middle, (int)high);
    }
    entry *merged = broad->spare;
    broad->spare = broad->order;
    broad->order = merged;
  }
}

static void sort_order(ff_broad *broad, const ff_vec3 *centre, const double *radius) {
  double per_strip = 1.0 / broad->span;
  for (int k = 0; k < broad->count; k++) {
    entry *e = &broad->order[k];
    bool giant = radius[e->id] > broad->giant; /* all of them at the end */
    e->strip = giant ? INFINITY : floor(along(centre[e->id], broad->strip_axis) * per_strip);
    e->low = along(centre[e->id], broad->sweep_axis) - radius[e->id];
  }
  if (!insertion_sort(broad->order, broad->count)) {
    merge_sort(broad);
  }
}

/* ---- the sweep -------------------------------------------------------------- */

static void fill_balls(ff_broad *broad, const ff_vec3 *centre, const double *radius) {
  for (int k = 0; k < broad->count; k++) {
    entry e = broad->order[k];
    double high = along(centre[e.id], broad->sweep_axis) + radius[e.id] + broad->slack;
    broad->balls[k] = (ball){e.strip, e.low, high, centre[e.id], radius[e.id], e.id};
  }
}

static bool overlap(const ball *a, const ball *b) {
  ff_vec3 apart = v3_sub(a->centre, b->centre);
  double sum = a->radius + b->radius;
  return v3_dot(apart, apart) <= sum * sum;
}

static void compare(const ball *a, const ball *b, findings *found) {
  if (overlap(a, b) && found->count < INT_MAX) {
    if (found->count < found->capacity) {
      bool forward = a->id < b->id;
      found->pairs[found->count] =
          (ff_broad_pair){forward ? a->id : b->id, forward ? b->id : a->id};
    }
    found->count++;
  }
}

/* Looks at the balls of a strip, starting with the one at from, that begin before a ends. */
static void scan(const ff_broad *broad, const ball *a, int from, double strip, findings *found) {
  for (int k = from; k < broad->count; k++) {
    const ball *b = &broad->balls[k];
    if (b->strip != strip || b->low > a->high) {
      return;
    }
    compare(a, b, found);
  }
}

/* A strip is as wide as the span, so that a ball overlaps others of its own strip and of
 * the two beside it. Its own and the next are looked at; the one before has done so. Giants stand
 * at the end and look at all before them. */
static void sweep(const ff_broad *broad, findings *found) {
  int window = 0; /* in the next strip: what comes before ended before a begins */
  for (int k = 0; k < broad->count; k++) {
    const ball *a = &broad->balls[k];
    for (int i = 0; i < k && isinf(a->strip); i++) {
      compare(a, &broad->balls[i], found);
    }
    if (isinf(a->strip)) {
      continue;
    }
    scan(broad, a, k + 1, a->strip, found);
    entry first = {.strip = a->strip + 1.0, .low = a->low - broad->span};
    while (window < broad->count && before(&broad->order[window], &first)) {
      window++;
    }
    scan(broad, a, window, first.strip, found);
  }
}

/* ---- the order of the pairs ---------------------------------------------------- */

/* Brings pairs of equal i together, i ascending: each goes straight to the next free place
 * of its i, and what was there goes on. */
static void group_by_i(ff_broad *broad, ff_broad_pair *pairs, int found) {
  int n = broad->count;
  int *start = broad->start, *next = broad->next;
  for (int i = 0; i <= n; i++) {
    start[i] = 0;
  }
  for (int k = 0; k < found; k++) {
    start[pairs[k].i + 1]++;
  }
  for (int i = 0; i < n; i++) {
    next[i] = start[i];
    start[i + 1] += start[i];
  }
  for (int i = 0; i < n; i++) {
    while (next[i] < start[i + 1]) {
      ff_broad_pair here = pairs[next[i]];
      if (here.i == i) {
        next[i]++;
      } else {
        int place = next[here.i]++;
        pairs[next[i]] = pairs[place];
        pairs[place] = here;
      }
    }
  }
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

int ff_broad_pairs(ff_broad *broad, const ff_vec3 *centre, const double *radius, ff_broad_pair *out,
                   int capacity) {
  if (broad->count < 2) {
    return 0;
  }
  choose_axes(broad, centre);
  choose_span(broad, centre, radius);
  sort_order(broad, centre, radius);
  fill_balls(broad, centre, radius);
  findings found = {out, capacity, 0};
  sweep(broad, &found);
  if (found.count > 1 && found.count <= capacity) {
    group_by_i(broad, out, found.count);
    for (int i = 0; i < broad->count; i++) {
      sort_by_j(out + broad->start[i], broad->start[i + 1] - broad->start[i]);
    }
  }
  return found.count;
}
