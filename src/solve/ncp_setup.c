/* Patterns, which never change. */
#include "solve/ncp.h"

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
  ncp->exponent = take_ints(ncp, count + 1);
  ncp->filled = take_ints(ncp, count + 1);
  ncp->filled_end = take_ints(ncp, n);
  ncp->scale_work = take_ints(ncp, 2 * n);
  return ncp->exponent && ncp->filled && ncp->filled_end && ncp->scale_work && ncp->in_step &&
         ncp->diagonal && ncp->in_wide[0] && ncp->in_wide[1] && ncp->wide_diagonal && ncp->next &&
         make_room(ncp, &ncp->jacobian, n, count) && make_room(ncp, &ncp->step, n, count + n) &&
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
