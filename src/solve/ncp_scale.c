/* Equilibration with powers of two, which cause no rounding.
 *
 * Rows and columns are divided by the square root of their largest entry, repeatedly [Ruiz01]. Only
 * exponents are used, so the arithmetic is in integers, over the nonzero entries. */
#include "solve/ncp.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum {
  ROUNDS = 5,     /* each halves the remaining exponents */
  LIMIT = 60,     /* scales are within 2^-60 .. 2^60 */
  SLACK = 6,      /* largest exponent before scales are recomputed */
  LEAST = -40,    /* least exponent of an already scaled entry that is considered */
  NOTHING = -1023 /* exponent of zero */
};

static int ncp_exponent_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return (int)(bits >> 52 & 0x7ff) - 1023;
}

static double ncp_power_of_two(int exponent) {
  uint64_t bits = (uint64_t)(exponent + 1023) << 52;
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Lists the entries that are not too small, column by column: row, and exponent in the caller's
 * units. */
static void ncp_list_entries(ff_ncp *ncp, int least) {
  const ff_ncp_pattern *jacobian = &ncp->jacobian;
  int count = 0;
  for (int j = 0; j < ncp->size; j++) {
    int column = ncp_exponent_of(ncp->column_scale[j]);
    for (int k = jacobian->start[j]; k < jacobian->start[j + 1]; k++) {
      int i = jacobian->row[k], exponent = ncp_exponent_of(jacobian->values[k]);
      if (exponent > least) {
        ncp->filled[count] = i;
        ncp->exponent[count++] = exponent - column - ncp_exponent_of(ncp->row_scale[i]);
      }
    }
    ncp->filled_end[j] = count;
  }
}

/* Scale changed by half of the largest exponent, within limits. INT_MIN: empty row or column,
 * unchanged. */
static int ncp_next_scale(int scale, int largest) {
  if (largest == INT_MIN) {
    return scale;
  }
  scale -= largest / 2;
  scale = scale > LIMIT ? LIMIT : scale;
  return scale < -LIMIT ? -LIMIT : scale;
}

/* One round; false: converged. */
static bool ncp_equilibrate(ff_ncp *ncp, int *row, int *column, int *row_largest) {
  bool changed = false;
  int n = ncp->size, k = 0;
  for (int i = 0; i < n; i++) {
    row_largest[i] = INT_MIN;
  }
  for (int j = 0; j < n; j++) {
    int largest = INT_MIN, scale = column[j];
    for (; k < ncp->filled_end[j]; k++) {
      int i = ncp->filled[k], entry = ncp->exponent[k] + row[i] + scale;
      largest = entry > largest ? entry : largest;
      row_largest[i] = entry > row_largest[i] ? entry : row_largest[i];
    }
    column[j] = ncp_next_scale(scale, largest);
    changed = changed || column[j] != scale;
  }
  for (int i = 0; i < n; i++) {
    int scale = ncp_next_scale(row[i], row_largest[i]);
    changed = changed || scale != row[i];
    row[i] = scale;
  }
  return changed;
}

/* Scales of the listed entries. */
static void ncp_find_scales(ff_ncp *ncp) {
  int n = ncp->size, *row = ncp->next, *column = ncp->scale_work;
  memset(row, 0, (size_t)n * sizeof *row);
  memset(column, 0, (size_t)n * sizeof *column);
  for (int round = 0; round < ROUNDS && ncp_equilibrate(ncp, row, column, column + n); round++) {
  }
  for (int i = 0; i < n; i++) {
    ncp->row_scale[i] = ncp_power_of_two(row[i]);
    ncp->column_scale[i] = ncp_power_of_two(column[i]);
    ncp->lower[i] = ncp->def.lower[i] / ncp->column_scale[i];
    ncp->upper[i] = ncp->def.upper[i] / ncp->column_scale[i];
  }
}

void ff_ncp_scale(ff_ncp *ncp) {
  for (int i = 0; i < ncp->size; i++) {
    ncp->row_scale[i] = ncp->column_scale[i] = 1;
  }
  ncp_list_entries(ncp, NOTHING);
  ncp_find_scales(ncp);
  ff_ncp_scale_jacobian(ncp, ncp->row_scale, ncp->column_scale);
}

/* Are the rows and columns of the scaled Jacobian still about 1, negligible ones excepted? */
static bool ncp_is_equilibrated(const ff_ncp *ncp) {
  const ff_ncp_pattern *jacobian = &ncp->jacobian;
  int n = ncp->size, *row = ncp->next, off = 0;
  for (int i = 0; i < n; i++) {
    row[i] = INT_MIN;
  }
  for (int j = 0; j < n; j++) {
    int largest = INT_MIN;
    for (int k = jacobian->start[j]; k < jacobian->start[j + 1]; k++) {
      int i = jacobian->row[k], entry = ncp_exponent_of(jacobian->values[k]);
      if (entry > LEAST) {
        largest = entry > largest ? entry : largest;
        row[i] = entry > row[i] ? entry : row[i];
      }
    }
    off += largest > SLACK || (largest < -SLACK && largest != INT_MIN);
  }
  for (int i = 0; i < n; i++) {
    off += row[i] > SLACK || (row[i] < -SLACK && row[i] != INT_MIN);
  }
  return off == 0;
}

bool ff_ncp_rescale(ff_ncp *ncp) {
  int n = ncp->size;
  if (ncp_is_equilibrated(ncp) || !ff_ncp_refresh(ncp) || ncp_is_equilibrated(ncp)) {
    return false;
  }
  ncp_list_entries(ncp, LEAST);
  double *by_row = ncp->d_f, *by_column = ncp->d_x; /* change of the scales */
  memcpy(by_row, ncp->row_scale, (size_t)n * sizeof *by_row);
  memcpy(by_column, ncp->column_scale, (size_t)n * sizeof *by_column);
  ncp_find_scales(ncp);
  for (int i = 0; i < n; i++) {
    ncp->user_f[i] = ncp->here.f[i] / by_row[i];
    by_row[i] = ncp->row_scale[i] / by_row[i];
    by_column[i] = ncp->column_scale[i] / by_column[i];
    ncp->here.x[i] /= by_column[i];
    ncp->centre[i] /= by_column[i];
  }
  ff_ncp_scale_jacobian(ncp, by_row, by_column);
  return ff_ncp_evaluate_user(ncp, &ncp->here);
}
