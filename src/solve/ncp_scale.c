/* Scales, which follow the problem: powers of two, which round nothing.
 *
 * Equilibration [Ruiz01]: rows and columns are divided by the root of their largest entry, again
 * and again. Only exponents matter, so it is done with whole numbers, and only for entries that are
 * not zero.
 */
#include "solve/ncp.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum {
  ROUNDS = 5,     /* each halves the exponents that are left */
  LIMIT = 60,     /* scales are within 2^-60 .. 2^60 */
  SLACK = 6,      /* exponents that may be left before scales are taken anew */
  LEAST = -40,    /* of an entry that was scaled before and counts */
  NOTHING = -1023 /* of zero */
};

static int exponent_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return (int)(bits >> 52 & 0x7ff) - 1023;
}

static double power_of_two(int exponent) {
  uint64_t bits = (uint64_t)(exponent + 1023) << 52;
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Lists the entries that are not too small, column by column: row, and exponent in the caller's
 * units. */
static void list_entries(ff_ncp *ncp, int least) {
  const ff_ncp_pattern *jacobian = &ncp->jacobian;
  int count = 0;
  for (int j = 0; j < ncp->size; j++) {
    int column = exponent_of(ncp->column_scale[j]);
    for (int k = jacobian->start[j]; k < jacobian->start[j + 1]; k++) {
      int i = jacobian->row[k], exponent = exponent_of(jacobian->values[k]);
      if (exponent > least) {
        ncp->filled[count] = i;
        ncp->exponent[count++] = exponent - column - exponent_of(ncp->row_scale[i]);
      }
    }
    ncp->filled_end[j] = count;
  }
}

/* By half of the largest exponent, within limits. INT_MIN: nothing there, nothing to scale. */
static int next_scale(int scale, int largest) {
  if (largest == INT_MIN) {
    return scale;
  }
  scale -= largest / 2;
  scale = scale > LIMIT ? LIMIT : scale;
  return scale < -LIMIT ? -LIMIT : scale;
}

/* One round; false: nothing is left to do. */
static bool equilibrate(ff_ncp *ncp, int *row, int *column, int *row_largest) {
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
    column[j] = next_scale(scale, largest);
    changed = changed || column[j] != scale;
  }
  for (int i = 0; i < n; i++) {
    int scale = next_scale(row[i], row_largest[i]);
    changed = changed || scale != row[i];
    row[i] = scale;
  }
  return changed;
}

/* Scales for the entries that are listed. */
static void find_scales(ff_ncp *ncp) {
  int n = ncp->size, *row = ncp->next, *column = ncp->scale_work;
  memset(row, 0, (size_t)n * sizeof *row);
  memset(column, 0, (size_t)n * sizeof *column);
  for (int round = 0; round < ROUNDS && equilibrate(ncp, row, column, column + n); round++) {
  }
  for (int i = 0; i < n; i++) {
    ncp->row_scale[i] = power_of_two(row[i]);
    ncp->column_scale[i] = power_of_two(column[i]);
    ncp->lower[i] = ncp->def.lower[i] / ncp->column_scale[i];
    ncp->upper[i] = ncp->def.upper[i] / ncp->column_scale[i];
  }
}

void ff_ncp_scale(ff_ncp *ncp) {
  for (int i = 0; i < ncp->size; i++) {
    ncp->row_scale[i] = ncp->column_scale[i] = 1;
  }
  list_entries(ncp, NOTHING);
  find_scales(ncp);
  ff_ncp_scale_jacobian(ncp, ncp->row_scale, ncp->column_scale);
}

/* Are rows and columns of the scaled Jacobian, but for those of next to nothing, still about 1? */
static bool is_even(const ff_ncp *ncp) {
  const ff_ncp_pattern *jacobian = &ncp->jacobian;
  int n = ncp->size, *row = ncp->next, off = 0;
  for (int i = 0; i < n; i++) {
    row[i] = INT_MIN;
  }
  for (int j = 0; j < n; j++) {
    int largest = INT_MIN;
    for (int k = jacobian->start[j]; k < jacobian->start[j + 1]; k++) {
      int i = jacobian->row[k], entry = exponent_of(jacobian->values[k]);
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
  if (is_even(ncp) || !ff_ncp_refresh(ncp) || is_even(ncp)) {
    return false;
  }
  list_entries(ncp, LEAST);
  double *by_row = ncp->d_f, *by_column = ncp->d_x; /* what they change by */
  memcpy(by_row, ncp->row_scale, (size_t)n * sizeof *by_row);
  memcpy(by_column, ncp->column_scale, (size_t)n * sizeof *by_column);
  find_scales(ncp);
  for (int i = 0; i < n; i++) {
    ncp->user_f[i] = ncp->here.f[i] / by_row[i];
    by_row[i] = ncp->row_scale[i] / by_row[i];
    by_column[i] = ncp->column_scale[i] / by_column[i];
    ncp->here.x[i] /= by_column[i];
    ncp->centre[i] /= by_column[i];
  }
  ff_ncp_scale_jacobian(ncp, by_row, by_column);
  return ff_ncp_judge(ncp, &ncp->here);
}
