#include "solve/linear.h"

#include "base/memory.h"
#include "math/pairs.h"

#include <klu.h>
#include <math.h>
#include <string.h>

/* Pivots below this, relative to the rest of the matrix, are rounding errors. */
#define TINY_PIVOT 1e-12
/* Pivots are reused as long as the reciprocal pivot growth stays above this. */
#define GROWTH_LIMIT 1e-4

struct ff_linear {
  int size;
  const int *start, *row;
  /* dense */
  double *lu; /* size x size, by columns: L below the diagonal, U from it */
  int *pivot; /* row that was exchanged with row k */
  int *below; /* scratch: nonzero rows below a pivot */
  /* sparse */
  klu_symbolic *symbolic;
  klu_numeric *numeric;
  klu_common common;
};

/* ---- creation -------------------------------------------------------------------------------- */

static ff_status dense_create(ff_linear *linear) {
  size_t n = (size_t)linear->size;
  linear->lu = ff_alloc(n * n, sizeof *linear->lu);
  linear->pivot = ff_alloc(n, sizeof *linear->pivot);
  linear->below = ff_alloc(n, sizeof *linear->below);
  return linear->lu && linear->pivot && linear->below ? FF_OK : FF_ERROR_MEMORY;
}

static ff_status sparse_create(ff_linear *linear) {
  klu_defaults(&linear->common);
  /* KLU takes non-const pointers but does not modify the pattern. */
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
  ff_status status = sparse ? sparse_create(linear) : dense_create(linear);
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

/* ---- dense ----------------------------------------------------------------------------------- */

static double *dense_column(const ff_linear *linear, int j) {
  return linear->lu + (size_t)j * (size_t)linear->size;
}

/* The larger of two magnitudes; NAN is ignored. */
static double larger_magnitude(double largest, double value) {
  double size = fabs(value);
  return size > largest ? size : largest;
}

/* Scatters the entries into the full matrix; returns the largest. */
static double dense_scatter(ff_linear *linear, const double *values) {
  double largest = 0;
  size_t n = (size_t)linear->size;
  int count = linear->start[n];
  if ((size_t)count == n * n) {
    memcpy(linear->lu, values, n * n * sizeof *linear->lu);
  } else {
    memset(linear->lu, 0, n * n * sizeof *linear->lu);
    for (int j = 0; j < linear->size; j++) {
      double *to = dense_column(linear, j);
      for (int k = linear->start[j]; k < linear->start[j + 1]; k++) {
        to[linear->row[k]] = values[k];
      }
    }
  }
  for (int k = 0; k < count; k++) {
    largest = larger_magnitude(largest, values[k]);
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

/* Divides column k below its pivot and lists the nonzero rows; returns their number. */
static int dense_divide_column(ff_linear *linear, double *col, int k) {
  int count = 0;
  for (int i = k + 1; i < linear->size; i++) {
    if (col[i] != 0) {
      col[i] /= col[k];
      linear->below[count++] = i;
    }
  }
  return count;
}

/* Dense LU; rows and columns with a zero at the pivot are skipped, since many entries are zero. */
static bool dense_factor(ff_linear *linear, const double *values) {
  int n = linear->size;
  const int *below = linear->below;
  double least = TINY_PIVOT * dense_scatter(linear, values);
  for (int k = 0; k < n; k++) {
    double *pivots = dense_column(linear, k);
    int at = largest_below(pivots, k, n);
    if (!(fabs(pivots[at]) > least)) {
      return false;
    }
    linear->pivot[k] = at;
    swap_rows(pivots, at, k);
    int count = dense_divide_column(linear, pivots, k);
    for (int j = k + 1; j < n; j++) {
      double *col = dense_column(linear, j);
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

static void dense_solve(const ff_linear *linear, double *b) {
  int n = linear->size;
  for (int k = 0; k < n; k++) { /* exchanges and eliminations in factorisation order */
    swap_rows(b, linear->pivot[k], k);
    if (b[k] != 0) {
      ff_take_off(b + k + 1, b[k], dense_column(linear, k) + k + 1, n - k - 1);
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    const double *col = dense_column(linear, k);
    b[k] /= col[k];
    if (b[k] != 0) {
      ff_take_off(b, b[k], col, k);
    }
  }
}

/* ---- sparse ---------------------------------------------------------------------------------- */

/* Refactors with the previous pivots; false if they are unsuitable for this matrix. */
static bool sparse_refactor(ff_linear *linear, double *values) {
  int *start = (int *)linear->start, *row = (int *)linear->row;
  klu_common *common = &linear->common;
  return linear->numeric &&
         klu_refactor(start, row, values, linear->symbolic, linear->numeric, common) &&
         common->status == KLU_OK &&
         klu_rgrowth(start, row, values, linear->symbolic, linear->numeric, common) &&
         common->rgrowth > GROWTH_LIMIT;
}

static bool sparse_factor(ff_linear *linear, const double *from) {
  double *values = (double *)from;
  klu_common *common = &linear->common;
  if (!sparse_refactor(linear, values)) {
    ff_linear_forget(linear);
    linear->numeric =
        klu_factor((int *)linear->start, (int *)linear->row, values, linear->symbolic, common);
  }
  return linear->numeric && klu_rcond(linear->symbolic, linear->numeric, common) &&
         common->rcond > TINY_PIVOT;
}

/* ---- interface ------------------------------------------------------------------------------- */

bool ff_linear_factor(ff_linear *linear, const double *values) {
  return linear->symbolic ? sparse_factor(linear, values) : dense_factor(linear, values);
}

double ff_linear_sign(const ff_linear *linear) {
  double sign = 1;
  for (int k = 0; k < linear->size; k++) {
    sign *= (linear->pivot[k] == k) == (dense_column(linear, k)[k] > 0) ? 1 : -1;
  }
  return sign;
}

void ff_linear_solve(ff_linear *linear, double *b) {
  if (linear->symbolic) {
    klu_solve(linear->symbolic, linear->numeric, linear->size, 1, b, &linear->common);
  } else {
    dense_solve(linear, b);
  }
}
