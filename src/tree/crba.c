/* Joint-space inertia by the composite-rigid-body algorithm [Featherstone08 sec. 6.2]. */
#include "tree/tree.h"

#include <string.h>

/* Sets an entry of H, and if `both` its transpose. */
static inline void crba_set_entry(double *h, size_t n, size_t row, size_t column, double value,
                                  bool both) {
  h[row * n + column] += value;
  if (both) {
    h[column * n + row] += value;
  }
}

/* Force for a unit acceleration along a column of S. */
static inline ff_sv crba_column_force(const ff_si *composite, const ff_tree_link_data *link,
                                      const ff_sv *s) {
  if (link->hinge) { /* rotation only */
    return (ff_sv){m3_mul(composite->i, s->a), v3_cross(s->a, composite->h)};
  }
  return si_mul(composite, *s);
}

/* Row of H for column `at` of S, of link i: its force projected onto the joints between link i and
 * the ground; if `both`, its column too. Specialised for revolute and free joints, the most common
 * ones. */
static inline void crba_add_row(ff_tree_work *work, int i, int at, bool both, double *h) {
  const ff_tree *tree = work->tree;
  const ff_tree_link_data *link = &tree->links[i];
  size_t n = (size_t)tree->v_count, own = (size_t)(link->v_at + at - link->s_at);
  ff_sv force = crba_column_force(&work->ic[i], link, &work->s[at]);
  for (int j = i;; link = &tree->links[j]) {
    const ff_sv *s = work->s + link->s_at;
    size_t to = (size_t)link->v_at;
    bool across = both && j != i;
    if (link->hinge) {
      crba_set_entry(h, n, own, to, v3_dot(s->a, force.a), across);
    } else if (link->joint.kind == FF_JOINT_FREE) {
      for (size_t k = 0; k < 3; k++) {
        crba_set_entry(h, n, own, to + k, v3_dot(s[k].a, force.a), across);
        crba_set_entry(h, n, own, to + 3 + k, v3_dot(s[k].a, force.l), across);
      }
    } else {
      for (size_t k = 0; k < (size_t)link->v_count; k++) {
        crba_set_entry(h, n, own, to + k, sv_dot(s[k], force), across);
      }
    }
    if (link->parent == 0) {
      return;
    }
    force = sv_force_back(work->r[j], force);
    j = link->parent;
  }
}

/* Composite inertia of each link and its subtree. */
static void crba_composite_inertias(ff_tree_work *work) {
  const ff_tree *tree = work->tree;
  memcpy(work->ic, work->inertia, (size_t)tree->count * sizeof *work->ic);
  for (int i = tree->count - 1; i > 0; i--) {
    int parent = tree->links[i].parent;
    if (parent > 0) {
      work->ic[parent] = si_add(work->ic[parent], si_back(work->r[i], &work->ic[i]));
    }
  }
}

static inline void crba_fill(ff_tree_work *work, bool both, double *inertia) {
  const ff_tree *tree = work->tree;
  size_t n = (size_t)tree->v_count;
  memset(inertia, 0, n * n * sizeof *inertia);
  crba_composite_inertias(work);
  for (int i = tree->count - 1; i > 0; i--) {
    const ff_tree_link_data *link = &tree->links[i];
    for (int k = 0; k < link->v_count; k++) {
      crba_add_row(work, i, link->s_at + k, both, inertia);
    }
  }
  for (size_t k = 0; k < n; k++) {
    inertia[k * n + k] += tree->armature[k];
  }
}

void ff_tree_inertia(ff_tree_work *work, double *inertia) {
  crba_fill(work, true, inertia);
}

void ff_tree_inertia_below(ff_tree_work *work, double *inertia) {
  bool follows =
      work->tree->s_count > work->tree->v_count; /* a coordinate may act on later links */
  if (follows) {
    crba_fill(work, true, inertia);
  } else {
    crba_fill(work, false, inertia);
  }
}
