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
  ROUNDS = 5, /* each halves the exponents that are left */
  LIMIT = 60  /* scales are within 2^-60 .. 2^60 */
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

/* Lists the entries that are not zero, column by column: row and exponent. */
static void list_entries(ff_ncp *ncp) {
  const ff_ncp_pattern *jacobian = &ncp->jacobian;
  int count = 0;
  for (int j = 0; j < ncp->size; j++) {
    for (int k = jacobian->start[j]; k < jacobian->start[j + 1]; k++) {
      if (jacobian->values[k] != 0) {
        ncp->filled[count] = jacobian->row[k];
        ncp->exponent[count++] = exponent_of(jacobian->values[k]);
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

void ff_ncp_scale(ff_ncp *ncp) {
  int n = ncp->size, *row = ncp->next, *column = ncp->scale_work, *largest = column + n;
  memset(row, 0, (size_t)n * sizeof *row);
  memset(column, 0, (size_t)n * sizeof *column);
  list_entries(ncp);
  for (int round = 0; round < ROUNDS && equilibrate(ncp, row, column, largest); round++) {
  }
  for (int i = 0; i < n; i++) {
    ncp->row_scale[i] = power_of_two(row[i]);
    ncp->column_scale[i] = power_of_two(column[i]);
    ncp->lower[i] = ncp->def.lower[i] / ncp->column_scale[i];
    ncp->upper[i] = ncp->def.upper[i] / ncp->column_scale[i];
  }
}
