/* Joint-space inertia by the composite-rigid-body algorithm [Featherstone08 sec. 6.2]. */
#include "tree/tree.h"

#include <string.h>

/* Column `at` of H from the force that link i needs for a unit acceleration there. */
static void fill_column(ff_tree_work *work, int i, int at, double *h) {
  const ff_tree *tree = work->tree;
  size_t n = (size_t)tree->v_count;
  ff_sv force = si_mul(&work->ic[i], work->s[at]);
  for (int j = i; j > 0; j = tree->links[j].parent) {
    const ff_tree_link_data *link = &tree->links[j];
    for (int k = link->v_at; k < link->v_at + link->v_count; k++) {
      double value = sv_dot(work->s[k], force);
      h[(size_t)k * n + (size_t)at] = value;
      h[(size_t)at * n + (size_t)k] = value;
    }
    force = sx_force_back(&work->x[j], force);
  }
}

void ff_tree_inertia(ff_tree_work *work, double *inertia) {
  const ff_tree *tree = work->tree;
  size_t n = (size_t)tree->v_count;
  memset(inertia, 0, n * n * sizeof *inertia);
  for (int i = 0; i < tree->count; i++) {
    work->ic[i] = tree->links[i].inertia;
  }
  for (int i = tree->count - 1; i > 0; i--) {
    const ff_tree_link_data *link = &tree->links[i];
    if (link->parent > 0) {
      ff_si *composite = &work->ic[link->parent];
      *composite = si_add(*composite, si_back(&work->x[i], &work->ic[i]));
    }
    for (int k = link->v_at; k < link->v_at + link->v_count; k++) {
      fill_column(work, i, k, inertia);
      inertia[(size_t)k * n + (size_t)k] += tree->armature[k];
    }
  }
}
