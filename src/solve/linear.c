#include "solve/linear.h"

#include "base/memory.h"
#include "math/pairs.h"

#include <klu.h>
#include <math.h>
#include <string.h>

/* Below this, relative to the rest of the matrix, a pivot is more rounding than anything else. */
#define TINY_PIVOT 1e-12
/* Kept pivots serve as long as elimination does not make entries grow beyond this. */
#define GROWTH_LIMIT 1e-4

struct ff_linear {
  int size;
  const int *start, *row;
  /* dense */
  double *lu; /* size x size, by columns: L below the diagonal, U from it */
  int *pivot; /* row that was exchanged with row k */
  int *below; /* rows below a pivot that are not zero */
  /* sparse */
  klu_symbolic *symbolic;
  klu_numeric *numeric;
  klu_common common;
};

/* ---- life ------------------------------------------------------------------------- */

static ff_status create_dense(ff_linear *linear) {
  size_t n = (size_t)linear->size;
  linear->lu = ff_alloc(n * n, sizeof *linear->lu);
  linear->pivot = ff_alloc(n, sizeof *linear->pivot);
  linear->below = ff_alloc(n, sizeof *linear->below);
  return linear->lu && linear->pivot && linear->below ? FF_OK : FF_ERROR_MEMORY;
}

static ff_status create_sparse(ff_linear *linear) {
  klu_defaults(&linear->common);
  /* KLU takes pointers that are not const and leaves alone what they point to. */
  linear->symbolic =
      klu_analyze(linear->size, (int *)linear->start, (int *)linear->row, &linear->common);
  return linear->symbolic ? FF_OK : FF_ERROR_MEMORY;
}

ff_status ff_linear_create(ff_linear **out, int size, const int *start, const int *row,
                           bool sparse) {
  *out = NULL;
  ff_linear *linear = ff_alloc(1, sizeof *linear);
  if (!linear) {
    return FF_ERROR_MEMORY;
  }
  *linear = (ff_linear){.size = size, .start = start, .row = row};
  ff_status status = sparse ? create_sparse(linear) : create_dense(linear);
  if (status != FF_OK) {
    ff_linear_destroy(linear);
    return status;
  }
  *out = linear;
  return FF_OK;
}

void ff_linear_resize(ff_linear *linear, int size) {
  linear->size = size;
}

void ff_linear_forget(ff_linear *linear) {
  if (linear->numeric) {
    klu_free_numeric(&linear->numeric, &linear->common);
  }
}

void ff_linear_destroy(ff_linear *linear) {
  if (linear) {
    ff_linear_forget(linear);
    if (linear->symbolic) {
      klu_free_symbolic(&linear->symbolic, &linear->common);
    }
    ff_free(linear->lu);
    ff_free(linear->pivot);
    ff_free(linear->below);
    ff_free(linear);
  }
}

/* ---- dense --------------------------------------------------------------------------- */

static double *column(const ff_linear *linear, int j) {
  return linear->lu + (size_t)j * (size_t)linear->size;
}

/* The larger of two sizes; NAN does not count. */
static double larger(double largest, double value) {
  double size = fabs(value);
  return size > largest ? size : largest;
}

/* Spreads the entries over the full matrix; returns the largest. */
static double scatter(ff_linear *linear, const double *values) {
  double largest = 0;
  size_t n = (size_t)linear->size;
  int count = linear->start[n];
  if ((size_t)count == n * n) {
    memcpy(linear->lu, values, n * n * sizeof *linear->lu);
  } else {
    memset(linear->lu, 0, n * n * sizeof *linear->lu);
    for (int j = 0; j < linear->size; j++) {
      double *to = column(linear, j);
      for (int k = linear->start[j]; k < linear->start[j + 1]; k++) {
        to[linear->row[k]] = values[k];
      }
    }
  }
  for (int k = 0; k < count; k++) {
    largest = larger(largest, values[k]);
  }
  return largest;
}

static int largest_below(const double *col, int k, int n) {
  int at = k;
  for (int i = k + 1; i < n; i++) {
    at = fabs(col[i]) > fabs(col[at]) ? i : at;
  }
  return at;
}

static void swap_rows(double *col, int i, int k) {
  double held = col[i];
  col[i] = col[k];
  col[k] = held;
}

/* Divides the column below its pivot k, and lists what is not zero there; returns how many. */
static int divide(ff_linear *linear, double *col, int k) {
  int count = 0;
  for (int i = k + 1; i < linear->size; i++) {
    if (col[i] != 0) {
      col[i] /= col[k];
      linear->below[count++] = i;
    }
  }
  return count;
}

/* Matrices from problems have many zeros: rows and columns that have one at the pivot are left
 * out. */
static bool factor_dense(ff_linear *linear, const double *values) {
  int n = linear->size;
  const int *below = linear->below;
  double least = TINY_PIVOT * scatter(linear, values);
  for (int k = 0; k < n; k++) {
    double *pivots = column(linear, k);
    int at = largest_below(pivots, k, n);
    if (!(fabs(pivots[at]) > least)) {
      return false;
    }
    linear->pivot[k] = at;
    swap_rows(pivots, at, k);
    int count = divide(linear, pivots, k);
    for (int j = k + 1; j < n; j++) {
      double *col = column(linear, j);
      swap_rows(col, at, k);
      double factor = col[k];
      if (factor == 0) {
        continue;
      }
      if (2 * count > n - k) {
        ff_take_off(col + k + 1, factor, pivots + k + 1, n - k - 1);
      } else {
        for (int i = 0; i < count; i++) {
          col[below[i]] -= factor * pivots[below[i]];
        }
      }
    }
  }
  return true;
}

static void solve_dense(const ff_linear *linear, double *b) {
  int n = linear->size;
  for (int k = 0; k < n; k++) { /* exchanges and eliminations in the order they were made */
    swap_rows(b, linear->pivot[k], k);
    if (b[k] != 0) {
      ff_take_off(b + k + 1, b[k], column(linear, k) + k + 1, n - k - 1);
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    const double *col = column(linear, k);
    b[k] /= col[k];
    if (b[k] != 0) {
      ff_take_off(b, b[k], col, k);
    }
  }
}

/* ---- sparse ---------------------------------------------------------------------------- */

/* Factors with the pivots of before; false if they do not serve this matrix. */
static bool refactor(ff_linear *linear, double *values) {
  int *start = (int *)linear->start, *row = (int *)linear->row;
  klu_common *common = &linear->common;
  return linear->numeric &&
         klu_refactor(start, row, values, linear->symbolic, linear->numeric, common) &&
         common->status == KLU_OK &&
         klu_rgrowth(start, row, values, linear->symbolic, linear->numeric, common) &&
         common->rgrowth > GROWTH_LIMIT;
}

static bool factor_sparse(ff_linear *linear, const double *from) {
  double *values = (double *)from;
  klu_common *common = &linear->common;
  if (!refactor(linear, values)) {
    ff_linear_forget(linear);
    linear->numeric =
        klu_factor((int *)linear->start, (int *)linear->row, values, linear->symbolic, common);
  }
  return linear->numeric && klu_rcond(linear->symbolic, linear->numeric, common) &&
         common->rcond > TINY_PIVOT;
}

/* ---- either way ---------------------------------------------------------------------- */

bool ff_linear_factor(ff_linear *linear, const double *values) {
  return linear->symbolic ? factor_sparse(linear, values) : factor_dense(linear, values);
}

double ff_linear_sign(const ff_linear *linear) {
  double sign = 1;
  for (int k = 0; k < linear->size; k++) {
    sign *= (linear->pivot[k] == k) == (column(linear, k)[k] > 0) ? 1 : -1;
  }
  return sign;
}

void ff_linear_solve(ff_linear *linear, double *b) {
  if (linear->symbolic) {
    klu_solve(linear->symbolic, linear->numeric, linear->size, 1, b, &linear->common);
  } else {
    solve_dense(linear, b);
  }
}
