/* Joint-space inertia by the composite-rigid-body algorithm [Featherstone08 sec. 6.2]. */
#include "tree/tree.h"

#include <string.h>

/* A force as a joint feels it: S^T force. Most joints turn about one axis, most trees are free. */
static inline void feel(const ff_tree_link_data *link, const ff_sv *s, const ff_sv *force,
                        double out[6]) {
  if (link->hinge) {
    out[0] = v3_dot(s->a, force->a);
    return;
  }
  if (link->joint.kind == FF_JOINT_FREE) { /* turns about three axes and slides along them */
    for (int k = 0; k < 3; k++) {
      out[k] = v3_dot(s[k].a, force->a);
      out[3 + k] = v3_dot(s[k].a, force->l);
    }
    return;
  }
  for (int k = 0; k < link->v_count; k++) {
    out[k] = sv_dot(s[k], *force);
  }
}

/* What column `at` of S, of link i, adds to its row of H: the force that a unit acceleration there
 * needs, as the joints between link i and the ground feel it; and if `both`, to its column. */
static inline void add_row(ff_tree_work *work, int i, int at, bool both, double *h) {
  const ff_tree *tree = work->tree;
  const ff_tree_link_data *link = &tree->links[i];
  size_t n = (size_t)tree->v_count, own = (size_t)(link->v_at + at - link->s_at);
  ff_sv force = si_mul(&work->ic[i], work->s[at]);
  for (int j = i;; link = &tree->links[j]) {
    double felt[6];
    feel(link, work->s + link->s_at, &force, felt);
    double *row = h + own * n + link->v_at, *column = h + (size_t)link->v_at * n + own;
    for (int k = 0; k < link->v_count; k++, column += n) {
      row[k] += felt[k];
      if (both && j != i) {
        *column += felt[k];
      }
    }
    if (link->parent == 0) {
      return;
    }
    force = sv_force_back(work->r[j], force);
    j = link->parent;
  }
}

/* The inertia of each link and all that it carries. */
static void add_up(ff_tree_work *work) {
  const ff_tree *tree = work->tree;
  memcpy(work->ic, work->inertia, (size_t)tree->count * sizeof *work->ic);
  for (int i = tree->count - 1; i > 0; i--) {
    int parent = tree->links[i].parent;
    if (parent > 0) {
      work->ic[parent] = si_add(work->ic[parent], si_back(work->r[i], &work->ic[i]));
    }
  }
}

static inline void fill(ff_tree_work *work, bool both, double *inertia) {
  const ff_tree *tree = work->tree;
  size_t n = (size_t)tree->v_count;
  memset(inertia, 0, n * n * sizeof *inertia);
  add_up(work);
  for (int i = tree->count - 1; i > 0; i--) {
    const ff_tree_link_data *link = &tree->links[i];
    for (int k = 0; k < link->v_count; k++) {
      add_row(work, i, link->s_at + k, both, inertia);
    }
  }
  for (size_t k = 0; k < n; k++) {
    inertia[k * n + k] += tree->armature[k];
  }
}

void ff_tree_inertia(ff_tree_work *work, double *inertia) {
  fill(work, true, inertia);
}

void ff_tree_inertia_below(ff_tree_work *work, double *inertia) {
  bool follows = work->tree->s_count > work->tree->v_count; /* and may feel what comes after it */
  if (follows) {
    fill(work, true, inertia);
  } else {
    fill(work, false, inertia);
  }
}
