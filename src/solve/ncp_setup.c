/* Sparsity patterns, set up once. */
#include "solve/ncp.h"

/* ---- patterns -------------------------------------------------------------------------------- */

static bool ncp_take_pattern(ff_ncp *ncp, ff_ncp_pattern *pattern, int size, int count) {
  pattern->start = ff_arena_take(&ncp->arena, (size_t)size + 1, sizeof(int));
  pattern->row = ff_arena_take(&ncp->arena, (size_t)count + 1, sizeof(int));
  pattern->values = ff_arena_take(&ncp->arena, (size_t)count + 1, sizeof(double));
  return pattern->start && pattern->row && pattern->values;
}

/* The user's pattern, or a full one. */
static void ncp_fill_jacobian(ff_ncp *ncp) {
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

/* The pattern of the Jacobian with the diagonal. */
static void ncp_fill_step_pattern(ff_ncp *ncp) {
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
static void ncp_fill_left(ff_ncp *ncp) {
  int n = ncp->size, *next = ncp->next;
  const ff_ncp_pattern *from = &ncp->step;
  ff_ncp_pattern *to = &ncp->wide;
  to->start[0] = 0;
  for (int j = 0; j < n; j++) { /* length of each column */
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
static void ncp_fill_right(ff_ncp *ncp) {
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
  ncp_fill_jacobian(ncp);
  ncp_fill_step_pattern(ncp);
  ncp_fill_left(ncp);
  ncp_fill_right(ncp);
  ncp->wide.count = ncp->wide.start[2 * ncp->size];
}

static int *ncp_take_ints(ff_ncp *ncp, int count) {
  return ff_arena_take(&ncp->arena, (size_t)count, sizeof(int));
}

static bool ncp_take_workspace(ff_ncp *ncp) {
  int n = ncp->size;
  int count = ncp->def.column_start ? ncp->def.column_start[n] : n * n;
  ncp->in_step = ncp_take_ints(ncp, count + 1);
  ncp->diagonal = ncp_take_ints(ncp, n);
  ncp->in_wide[0] = ncp_take_ints(ncp, count + n);
  ncp->in_wide[1] = ncp_take_ints(ncp, count + n);
  ncp->wide_diagonal = ncp_take_ints(ncp, 2 * n);
  ncp->next = ncp_take_ints(ncp, n);
  ncp->exponent = ncp_take_ints(ncp, count + 1);
  ncp->filled = ncp_take_ints(ncp, count + 1);
  ncp->filled_end = ncp_take_ints(ncp, n);
  ncp->scale_work = ncp_take_ints(ncp, 2 * n);
  return ncp->exponent && ncp->filled && ncp->filled_end && ncp->scale_work && ncp->in_step &&
         ncp->diagonal && ncp->in_wide[0] && ncp->in_wide[1] && ncp->wide_diagonal && ncp->next &&
         ncp_take_pattern(ncp, &ncp->jacobian, n, count) &&
         ncp_take_pattern(ncp, &ncp->step, n, count + n) &&
         ncp_take_pattern(ncp, &ncp->wide, 2 * n, 2 * count + 4 * n);
}

ff_status ff_ncp_setup(ff_ncp *ncp) {
  if (!ncp_take_workspace(ncp)) {
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
