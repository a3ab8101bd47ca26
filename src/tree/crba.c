/* Joint-space inertia by the composite-rigid-body algorithm [Featherstone08 sec. 6.2]. */
#include "tree/tree.h"

#include <string.h>

/* An entry of H, and if `both` the one across the diagonal. */
static inline void put(double *h, size_t n, size_t row, size_t column, double value, bool both) {
  h[row * n + column] += value;
  if (both) {
    h[column * n + row] += value;
  }
}

/* The force that a unit acceleration along a column of S needs. */
static inline ff_sv force_of(const ff_si *composite, const ff_tree_link_data *link,
                             const ff_sv *s) {
  if (link->hinge) { /* it turns only */
    return (ff_sv){m3_mul(composite->i, s->a), v3_cross(s->a, composite->h)};
  }
  return si_mul(composite, *s);
}

/* What column `at` of S, of link i, adds to its row of H: the force that it needs, as the joints
 * between link i and the ground feel it; and if `both`, to its column. Most joints turn about one
 * axis, and most trees are free: turn about three axes and slide along them. */
static inline void add_row(ff_tree_work *work, int i, int at, bool both, double *h) {
  const ff_tree *tree = work->tree;
  const ff_tree_link_data *link = &tree->links[i];
  size_t n = (size_t)tree->v_count, own = (size_t)(link->v_at + at - link->s_at);
  ff_sv force = force_of(&work->ic[i], link, &work->s[at]);
  for (int j = i;; link = &tree->links[j]) {
    const ff_sv *s = work->s + link->s_at;
    size_t to = (size_t)link->v_at;
    bool across = both && j != i;
    if (link->hinge) {
      put(h, n, own, to, v3_dot(s->a, force.a), across);
    } else if (link->joint.kind == FF_JOINT_FREE) {
      for (size_t k = 0; k < 3; k++) {
        put(h, n, own, to + k, v3_dot(s[k].a, force.a), across);
        put(h, n, own, to + 3 + k, v3_dot(s[k].a, force.l), across);
      }
    } else {
      for (size_t k = 0; k < (size_t)link->v_count; k++) {
        put(h, n, own, to + k, sv_dot(s[k], force), across);
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
