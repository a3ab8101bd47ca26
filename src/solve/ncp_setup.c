/* Patterns, which never change, and scales, which follow the problem. */
#include "solve/ncp.h"

#include <math.h>
#include <string.h>

enum { SCALE_ROUNDS = 6, SCALE_LIMIT = 60 }; /* scales are within 2^-60 .. 2^60 */

/* ---- patterns ------------------------------------------------------------------------- */

static bool make_room(ff_ncp *ncp, ff_ncp_pattern *pattern, int size, int count) {
  pattern->start = ff_arena_take(&ncp->arena, (size_t)size + 1, sizeof(int));
  pattern->row = ff_arena_take(&ncp->arena, (size_t)count + 1, sizeof(int));
  pattern->values = ff_arena_take(&ncp->arena, (size_t)count + 1, sizeof(double));
  return pattern->start && pattern->row && pattern->values;
}

/* The pattern the user gave, or all of it. */
static void fill_jacobian(ff_ncp *ncp) {
  int n = ncp->size;
  const ff_ncp_def *def = &ncp->def;
  ff_ncp_pattern *to = &ncp->jacobian;
  to->count = def->column_start ? def->column_start[n] : n * n;
  for (int j = 0; j <= n; j++) {
    to->start[j] = def->column_start ? def->column_start[j] : j * n;
  }
  for (int k = 0; k < to->count; k++) {
    to->row[k] = def->column_start ? def->row_index[k] : k % n;
  }
}

/* The same, and the diagonal. */
static void fill_step_pattern(ff_ncp *ncp) {
  int n = ncp->size, count = 0;
  const ff_ncp_pattern *from = &ncp->jacobian;
  ff_ncp_pattern *to = &ncp->step;
  for (int j = 0; j < n; j++) {
    bool placed = false;
    to->start[j] = count;
    for (int k = from->start[j]; k <= from->start[j + 1]; k++) {
      int row = k < from->start[j + 1] ? from->row[k] : n;
      if (!placed && row >= j) {
        placed = true;
        ncp->diagonal[j] = count;
        to->row[count] = j;
        count += row != j;
      }
      if (row < n) {
        ncp->in_step[k] = count;
        to->row[count++] = row;
      }
    }
  }
  to->start[n] = to->count = count;
}

/* Left half of [s 1, V; V', -s 1]: s in column j, and under it row j of V. */
static void fill_left(ff_ncp *ncp) {
  int n = ncp->size, *next = ncp->next;
  const ff_ncp_pattern *from = &ncp->step;
  ff_ncp_pattern *to = &ncp->wide;
  to->start[0] = 0;
  for (int j = 0; j < n; j++) { /* how long each column is */
    to->start[j + 1] = 1;
  }
  for (int k = 0; k < from->count; k++) {
    to->start[from->row[k] + 1]++;
  }
  for (int j = 0; j < n; j++) {
    to->start[j + 1] += to->start[j];
    ncp->wide_diagonal[j] = to->start[j];
    to->row[to->start[j]] = j;
    next[j] = to->start[j] + 1;
  }
  for (int j = 0; j < n; j++) {
    for (int k = from->start[j]; k < from->start[j + 1]; k++) {
      int place = next[from->row[k]]++;
      to->row[place] = n + j;
      ncp->in_wide[0][k] = place;
    }
  }
}

/* Right half: column j of V, and -s under it. */
static void fill_right(ff_ncp *ncp) {
  int n = ncp->size;
  const ff_ncp_pattern *from = &ncp->step;
  ff_ncp_pattern *to = &ncp->wide;
  int count = to->start[n];
  for (int j = 0; j < n; j++) {
    for (int k = from->start[j]; k < from->start[j + 1]; k++) {
      to->row[count] = from->row[k];
      ncp->in_wide[1][k] = count++;
    }
    to->row[count] = n + j;
    ncp->wide_diagonal[n + j] = count++;
    to->start[n + j + 1] = count;
  }
}

void ff_ncp_layout(ff_ncp *ncp) {
  fill_jacobian(ncp);
  fill_step_pattern(ncp);
  fill_left(ncp);
  fill_right(ncp);
  ncp->wide.count = ncp->wide.start[2 * ncp->size];
}

static int *take_ints(ff_ncp *ncp, int count) {
  return ff_arena_take(&ncp->arena, (size_t)count, sizeof(int));
}

static bool make_rooms(ff_ncp *ncp) {
  int n = ncp->size;
  int count = ncp->def.column_start ? ncp->def.column_start[n] : n * n;
  ncp->in_step = take_ints(ncp, count + 1);
  ncp->diagonal = take_ints(ncp, n);
  ncp->in_wide[0] = take_ints(ncp, count + n);
  ncp->in_wide[1] = take_ints(ncp, count + n);
  ncp->wide_diagonal = take_ints(ncp, 2 * n);
  ncp->next = take_ints(ncp, n);
  return ncp->in_step && ncp->diagonal && ncp->in_wide[0] && ncp->in_wide[1] &&
         ncp->wide_diagonal && ncp->next && make_room(ncp, &ncp->jacobian, n, count) &&
         make_room(ncp, &ncp->step, n, count + n) &&
         make_room(ncp, &ncp->wide, 2 * n, 2 * count + 4 * n);
}

ff_status ff_ncp_setup(ff_ncp *ncp) {
  if (!make_rooms(ncp)) {
    return FF_ERROR_MEMORY;
  }
  ff_ncp_layout(ncp);
  bool sparse = ncp->def.column_start != NULL;
  ff_status status =
      ff_linear_create(&ncp->newton, ncp->size, ncp->step.start, ncp->step.row, sparse);
  if (status == FF_OK) {
    status = ff_linear_create(&ncp->regular, 2 * ncp->size, ncp->wide.start, ncp->wide.row, sparse);
  }
  return status;
}

/* ---- scales ------------------------------------------------------------------------------ */

/* The power of two next to 1/sqrt(largest), within limits. Powers of two round nothing. */
static double next_scale(double scale, double largest) {
  if (!(largest > 0)) {
    return scale;
  }
  int exponent = ilogb(scale) - (int)lround(0.5 * log2(largest));
  exponent = exponent > SCALE_LIMIT ? SCALE_LIMIT : exponent;
  return ldexp(1, exponent < -SCALE_LIMIT ? -SCALE_LIMIT : exponent);
}

/* One round of equilibration [Ruiz01]: rows and columns by the root of their largest entry. */
static void equilibrate(ff_ncp *ncp, double *row_max, double *column_max) {
  int n = ncp->size;
  const ff_ncp_pattern *jacobian = &ncp->jacobian;
  memset(row_max, 0, (size_t)n * sizeof *row_max);
  memset(column_max, 0, (size_t)n * sizeof *column_max);
  for (int j = 0; j < n; j++) {
    for (int k = jacobian->start[j]; k < jacobian->start[j + 1]; k++) {
      int i = jacobian->row[k];
      double entry = fabs(ncp->row_scale[i] * jacobian->values[k] * ncp->column_scale[j]);
      row_max[i] = fmax(row_max[i], entry);
      column_max[j] = fmax(column_max[j], entry);
    }
  }
  for (int i = 0; i < n; i++) {
    ncp->row_scale[i] = next_scale(ncp->row_scale[i], row_max[i]);
    ncp->column_scale[i] = next_scale(ncp->column_scale[i], column_max[i]);
  }
}

bool ff_ncp_scale(ff_ncp *ncp, const double *z) {
  int n = ncp->size;
  const ff_ncp_def *def = &ncp->def;
  if (def->jacobian(def->context, z, ncp->jacobian.values)) {
    return false;
  }
  for (int k = 0; k < ncp->jacobian.count; k++) {
    if (!isfinite(ncp->jacobian.values[k])) {
      return false;
    }
  }
  for (int i = 0; i < n; i++) {
    ncp->row_scale[i] = ncp->column_scale[i] = 1;
  }
  for (int round = 0; round < SCALE_ROUNDS; round++) {
    equilibrate(ncp, ncp->d_x, ncp->d_f);
  }
  for (int i = 0; i < n; i++) {
    ncp->lower[i] = def->lower[i] / ncp->column_scale[i];
    ncp->upper[i] = def->upper[i] / ncp->column_scale[i];
  }
  return true;
}
