/* Sparsity patterns, set up once. */
#include "solve/ncp.h"

/* ---- patterns -------------------------------------------------------------------------------- */

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

static bool ncp_take_workspace(ff_ncp *ncp) {
  size_t n = (size_t)ncp->size;
  size_t count = ncp->def.column_start ? (size_t)ncp->def.column_start[n] : n * n;
  const ff_arena_array arrays[] = {
      FF_ARRAY(ncp->in_step, count + 1),
      FF_ARRAY(ncp->diagonal, n),
      FF_ARRAY(ncp->in_wide[0], count + n),
      FF_ARRAY(ncp->in_wide[1], count + n),
      FF_ARRAY(ncp->wide_diagonal, 2 * n),
      FF_ARRAY(ncp->next, n),
      FF_ARRAY(ncp->exponent, count + 1),
      FF_ARRAY(ncp->filled, count + 1),
      FF_ARRAY(ncp->filled_end, n),
      FF_ARRAY(ncp->scale_work, 2 * n),
      FF_ARRAY(ncp->jacobian.start, n + 1),
      FF_ARRAY(ncp->jacobian.row, count + 1),
      FF_ARRAY(ncp->jacobian.values, count + 1),
      FF_ARRAY(ncp->step.start, n + 1),
      FF_ARRAY(ncp->step.row, count + n + 1),
      FF_ARRAY(ncp->step.values, count + n + 1),
      FF_ARRAY(ncp->wide.start, 2 * n + 1),
      FF_ARRAY(ncp->wide.row, 2 * count + 4 * n + 1),
      FF_ARRAY(ncp->wide.values, 2 * count + 4 * n + 1),
  };
  return ff_arena_take_all(&ncp->arena, arrays, sizeof arrays / sizeof *arrays);
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
