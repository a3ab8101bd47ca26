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
  pattern->count = count;
  return pattern->start && pattern->row && pattern->values;
}

/* The pattern the user gave, or all of it. */
static bool make_jacobian(ff_ncp *ncp) {
  int n = ncp->size;
  const ff_ncp_def *def = &ncp->def;
  int count = def->column_start ? def->column_start[n] : n * n;
  ff_ncp_pattern *to = &ncp->jacobian;
  if (!make_room(ncp, to, n, count)) {
    return false;
  }
  for (int j = 0; j <= n; j++) {
    to->start[j] = def->column_start ? def->column_start[j] : j * n;
  }
  for (int k = 0; k < count; k++) {
    to->row[k] = def->column_start ? def->row_index[k] : k % n;
  }
  return true;
}

/* The same, and the diagonal. */
static bool make_step(ff_ncp *ncp) {
  int n = ncp->size, count = 0;
  const ff_ncp_pattern *from = &ncp->jacobian;
  ff_ncp_pattern *to = &ncp->step;
  ncp->in_step = ff_arena_take(&ncp->arena, (size_t)from->count + 1, sizeof(int));
  ncp->diagonal = ff_arena_take(&ncp->arena, (size_t)n, sizeof(int));
  if (!ncp->in_step || !ncp->diagonal || !make_room(ncp, to, n, from->count + n)) {
    return false;
  }
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
  return true;
}

/* Left half of [s 1, V; V', -s 1]: s in column j, and under it row j of V. */
static void fill_left(ff_ncp *ncp, int *next) {
  int n = ncp->size;
  const ff_ncp_pattern *from = &ncp->step;
  ff_ncp_pattern *to = &ncp->wide;
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

static bool make_wide(ff_ncp *ncp) {
  int n = ncp->size;
  size_t count = (size_t)ncp->step.count;
  int *next = ff_arena_take(&ncp->arena, (size_t)n, sizeof(int));
  ncp->in_wide[0] = ff_arena_take(&ncp->arena, count, sizeof(int));
  ncp->in_wide[1] = ff_arena_take(&ncp->arena, count, sizeof(int));
  ncp->wide_diagonal = ff_arena_take(&ncp->arena, 2 * (size_t)n, sizeof(int));
  if (!next || !ncp->in_wide[0] || !ncp->in_wide[1] || !ncp->wide_diagonal ||
      !make_room(ncp, &ncp->wide, 2 * n, 2 * ncp->step.count + 2 * n)) {
    return false;
  }
  fill_left(ncp, next);
  fill_right(ncp);
  return true;
}

ff_status ff_ncp_setup(ff_ncp *ncp) {
  if (!make_jacobian(ncp) || !make_step(ncp) || !make_wide(ncp)) {
    return FF_ERROR_MEMORY;
  }
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
