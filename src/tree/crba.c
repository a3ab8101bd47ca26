/* Joint-space inertia by the composite-rigid-body algorithm [Featherstone08 sec. 6.2]. */
#include "tree/tree.h"

#include <string.h>

/* What column `at` of S, of link i, adds to H: the force that a unit acceleration there needs, as
 * the joints between link i and the ground feel it. */
static void add_column(ff_tree_work *work, int i, int at, double *h) {
  const ff_tree *tree = work->tree;
  const ff_tree_link_data *own = &tree->links[i];
  size_t n = (size_t)tree->v_count, column = (size_t)(own->v_at + at - own->s_at);
  ff_sv force = si_mul(&work->ic[i], work->s[at]);
  for (int j = i; j > 0; j = tree->links[j].parent) {
    const ff_tree_link_data *link = &tree->links[j];
    for (int k = 0; k < link->v_count; k++) {
      size_t row = (size_t)(link->v_at + k);
      double value = sv_dot(work->s[link->s_at + k], force);
      h[row * n + column] += value;
      if (j != i) {
        h[column * n + row] += value;
      }
    }
    force = sv_force_back(work->r[j], force);
  }
}

void ff_tree_inertia(ff_tree_work *work, double *inertia) {
  const ff_tree *tree = work->tree;
  size_t n = (size_t)tree->v_count;
  memset(inertia, 0, n * n * sizeof *inertia);
  memcpy(work->ic, work->inertia, (size_t)tree->count * sizeof *work->ic);
  for (int i = tree->count - 1; i > 0; i--) {
    const ff_tree_link_data *link = &tree->links[i];
    if (link->parent > 0) {
      ff_si *composite = &work->ic[link->parent];
      *composite = si_add(*composite, si_back(work->r[i], &work->ic[i]));
    }
    for (int k = 0; k < link->v_count; k++) {
      add_column(work, i, link->s_at + k, inertia);
    }
  }
  for (size_t k = 0; k < n; k++) {
    inertia[k * n + k] += tree->armature[k];
  }
}
